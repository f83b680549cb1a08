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


@pytest.mark.parametrize("ending", [".csv", ".npz", ".parquet"])
def test_features_may_be_missing_where_that_is_allowed(tmp_path, ending):
    path = tmp_path / f"a{ending}"
    X = np.array([[1.5, 2.0], [np.nan, 4.0], [5.0, np.nan]])
    if ending == ".csv":
        path.write_text("a,b,kind\n1.5,2,x\n ,4,y\n5,NA,x\n")
    elif ending == ".npz":
        np.savez(path, X=X, kind=np.array(["x", "y", "x"]))
    else:
        pandas = pytest.importorskip("pandas")
        pytest.importorskip("pyarrow", reason="needs the extra [io]")
        frame = pandas.DataFrame(X, columns=["a", "b"]).assign(kind=["x", "y", "x"])
        frame.to_parquet(path)
    found = read_dataset(path, "kind", allow_missing=True)
    np.testing.assert_array_equal(found.X, X)
    assert found.y.tolist() == ["x", "y", "x"]
    said = "the field is empty" if ending == ".csv" else "'NaN' is a missing value"
    assert f": {said} (2 such)" in found.missing
    with pytest.raises(InvalidInputError):
        read_dataset(path, "kind")


def test_what_is_infinite_or_a_target_may_not_be_missing(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b,size\n1,,3\n2,inf,4\n")
    with pytest.raises(InvalidInputError, match="line 3, column 'b': inf is not fin"):
        read_dataset(path, "size", numeric=True, allow_missing=True)
    path.write_text("a,b,size\n1,,3\n2,1,\n")
    with pytest.raises(InvalidInputError, match="line 3, column 'size': the field is"):
        read_dataset(path, "size", numeric=True, allow_missing=True)
