"""Features, targets and groups of one file."""

import numpy as np
import pytest

from scorecast.exceptions import InvalidInputError
from scorecast.io import read_dataset


def written(path, labels, groups=None):
    """Write a table of one feature; return its path."""
    groups = ["p"] * len(labels) if groups is None else groups
    rows = [
        f"{i}.5,{y},{g}" for i, (y, g) in enumerate(zip(labels, groups, strict=True))
    ]
    path.write_text("\n".join(["gene,kind,patient", *rows]) + "\n")
    return path


@pytest.mark.parametrize("cell", ["", " ", "NA", "NaN", "null", "n/a"])
def test_a_missing_label_is_no_class(tmp_path, cell):
    path = written(tmp_path / "a.csv", ["sick", "well", cell, cell])
    with pytest.raises(InvalidInputError, match=r"a\.csv, line 4, column 'kind'.*2 su"):
        read_dataset(path, "kind", drop=["patient"])


@pytest.mark.parametrize("cell", ["", "NA"])
def test_a_missing_group_is_no_group(tmp_path, cell):
    path = written(tmp_path / "a.csv", ["sick", "well"] * 2, ["p1", cell, "p2", cell])
    with pytest.raises(InvalidInputError, match=r"line 3, column 'patient'.*2 such"):
        read_dataset(path, "kind", group="patient")
    # Unless nobody asked for it.
    assert read_dataset(path, "kind", drop=["patient"]).groups is None


def test_missing_labels_of_an_array(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, X=np.ones((3, 2)), y=np.array(["sick", "", "well"]))
    with pytest.raises(InvalidInputError, match="row 2, column 'y': the field is empt"):
        read_dataset(path, "y")


def test_a_class_may_be_called_none(tmp_path):
    path = written(tmp_path / "a.csv", ["none", "mild", "007", "7"])
    assert read_dataset(path, "kind", drop=["patient"]).y.tolist() == [
        "none", "mild", "007", "7"
    ]  # fmt: skip
