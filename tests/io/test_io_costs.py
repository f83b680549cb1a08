"""Costs of mistakes: bare squares of numbers, and tables that name the classes."""

import numpy as np
import pytest

from scorecast.io import read_costs

CLASSES = ["cat", "dog", "eel"]
COSTS = [[0, 1, 2], [3, 0, 4], [5, 6, 0]]


@pytest.mark.parametrize(
    ("content", "is_by_name"),
    [
        ("0,1,2\n3,0,4\n5,6,0\n", False),
        ("cat,dog,eel\n0,1,2\n3,0,4\n5,6,0\n", True),
        ("dog,cat,eel\n0,3,4\n1,0,2\n6,5,0\n", True),
        ("said,dog,cat,eel\neel,6,5,0\ncat,1,0,2\ndog,0,3,4\n", True),
        (",dog,cat,eel\neel,6,5,0\ncat,1,0,2\ndog,0,3,4\n", True),
        (",dog,cat,eel\n0,0,3,4\n1,1,0,2\n2,6,5,0\n", True),
        (",0,1,2\ndog,0,3,4\ncat,1,0,2\neel,6,5,0\n", True),
        ("0,1,2\n0,1,2\n3,0,4\n5,6,0\n", False),
        (",0,1,2\n0,0,1,2\n1,3,0,4\n2,5,6,0\n", False),
    ],
    ids=["bare", "head", "order", "both", "corner", "rows", "side", "count", "counts"],
)
def test_costs_come_in_the_order_of_the_classes(tmp_path, content, is_by_name):
    (tmp_path / "c.csv").write_text(content)
    costs = read_costs(tmp_path / "c.csv", CLASSES)
    assert costs.values.tolist() == COSTS
    assert costs.is_by_name is is_by_name


def test_classes_that_are_numbers_are_compared_as_text(tmp_path):
    (tmp_path / "c.csv").write_text("7,3\n0,1\n2,0\n")
    costs = read_costs(tmp_path / "c.csv", [3, 7])
    assert costs.values.tolist() == [[0, 2], [1, 0]]
    assert costs.is_by_name


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("cat,dog,fox\n0,1,2\n3,0,4\n5,6,0\n", ["line 1", "'eel'", "'fox'"]),
        ("x,cat,dog,eel\ncat,0,1,2\ndog,3,0,4\nfox,5,6,0\n", ["column 'x'", "'fox'"]),
        ("cat,dog,eel,cat\n0,1,2,3\n" + 3 * "3,0,4,5\n", ["repeated", "'cat'"]),
        ("0,1\n2,0\n", ["2 x 2", "3 x 3"]),
        ("0,1,2\n3,0,4\n", ["2 x 3"]),
        ("cat,dog,eel\n0,1,2\n", ["1 x 3"]),
        ("cat,dog,eel\n0,1,2\n3,0,nan\n5,6,0\n", ["line 3", "'eel'", "finite"]),
        ("cat,dog,eel\n0,1,2\n3,0,much\n5,6,0\n", ["line 3", "'eel'", "number"]),
    ],
)
def test_costs_that_do_not_fit_are_refused_by_name(tmp_path, refusal, content, words):
    (tmp_path / "c.csv").write_text(content)
    error = refusal(read_costs, tmp_path / "c.csv", CLASSES)
    assert error.location.file == str(tmp_path / "c.csv")
    assert error.option != "header"
    assert all(word in str(error) for word in words)


def test_arrays_come_in_their_order(tmp_path):
    np.save(tmp_path / "c.npy", np.array(COSTS))
    costs = read_costs(tmp_path / "c.npy", CLASSES)
    assert costs.values.tolist() == COSTS
    assert not costs.is_by_name
