"""Weights of classes: tables in any order, and arrays in that of the classes."""

import numpy as np
import pytest

from scorecast.exceptions import InvalidInputError
from scorecast.io import FileLayout, read_class_weights

CLASSES = ["cat", "dog", 7]


@pytest.mark.parametrize(
    "content",
    [
        "class,weight\ndog,2\n7,3\ncat,0.5\n",
        "Weight;Class;note\n2;dog;x\n3;7;y\n.5;cat;z\n",
        "name,weight\ndog,2\n7,3\ncat,5e-1\n",
    ],
    ids=["usual", "more", "named"],
)
def test_weights_come_in_the_order_of_the_classes(tmp_path, content):
    (tmp_path / "w.csv").write_text(content)
    assert read_class_weights(tmp_path / "w.csv", CLASSES).values.tolist() == [
        0.5,
        2,
        3,
    ]


def test_without_header_the_class_comes_first(tmp_path):
    (tmp_path / "w.csv").write_text("7,3\ndog,2\ncat,1\n")
    layout = FileLayout(header=False)
    found = read_class_weights(tmp_path / "w.csv", CLASSES, layout=layout)
    assert found.values.tolist() == [1, 2, 3]


def test_an_array_has_one_per_class(tmp_path):
    np.save(tmp_path / "w.npy", [1, 2, 3])
    assert read_class_weights(tmp_path / "w.npy", CLASSES).values.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("class,weight\ncat,1\nfox,2\n", ["line 3", "'class'", "'fox' is no class"]),
        ("class,weight\ncat,1\n7,2\n", ["line 3", "class 'dog'"]),
        ("class,weight\ncat,1\ndog,-2\n", ["line 3", "'weight'", "negative"]),
        ("class,weight\ncat,1\ndog,inf\n", ["line 3", "not finite"]),
        ("class,weight\ncat,1\ndog,lots\n", ["line 3", "'lots' is not a number"]),
        ("class,weight\ncat,1\ncat,1\n", ["line 3", "a weight already"]),
        ("class,weight\ncat,0\ndog,0\n7,0\n", ["all weights are zero"]),
        ("class,share\ncat,1\n", ["weight", "no such column"]),
    ],
)
def test_faults_are_placed(tmp_path, content, words):
    (tmp_path / "w.csv").write_text(content)
    with pytest.raises(InvalidInputError) as caught:
        read_class_weights(tmp_path / "w.csv", CLASSES)
    for word in ["w.csv", *words]:
        assert word in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([1, 2], "2 weights but there are 3 classes"),
        ([1, 2, -3], "negative"),
        ([0, 0, 0], "all weights are zero"),
        (["a", "b", "c"], "where numbers are expected"),
    ],
)
def test_faults_of_arrays(tmp_path, values, words):
    np.save(tmp_path / "w.npy", values)
    with pytest.raises(InvalidInputError, match=words):
        read_class_weights(tmp_path / "w.npy", CLASSES)
