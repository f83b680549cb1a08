"""Data sets, columns by name, tables of results."""

import functools

import numpy as np
import pytest

from scorecast.exceptions import DataWarning, InvalidInputError, Location
from scorecast.io import (
    FileLayout,
    read_columns,
    read_dataset,
    read_results,
    write_table,
)


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
    others = ["sick", "well"] if not cell.strip() else ["1", "2"]
    path = written(tmp_path / "a.csv", [*others, cell, cell])
    place = r"a\.csv, column 'kind', line 4: .*2 su"
    with pytest.raises(InvalidInputError, match=place):
        read_dataset(path, "kind", layout=FileLayout(drop=["patient"]))


@pytest.mark.parametrize("cell", ["NA", "null", "TRUE"])
def test_among_names_every_word_is_a_name(tmp_path, cell):
    path = written(tmp_path / "a.csv", ["sick", "well", cell, cell])
    read = functools.partial(read_dataset, layout=FileLayout(drop=["patient"]))
    if cell == "TRUE":
        data = read(path, "kind")
    else:
        with pytest.warns(DataWarning, match=rf"'{cell}' \(2 such\) taken as labels"):
            data = read(path, "kind")
    assert data.y.tolist() == ["sick", "well", cell, cell]


def test_where_missing_words_are_all_there_is_they_are_names(tmp_path):
    read = functools.partial(read_dataset, layout=FileLayout(drop=["patient"]))
    path = written(tmp_path / "a.csv", ["NA", "null", "NA", "null"])
    with pytest.warns(DataWarning, match=r"'NA' and 'null' \(4 such\) taken as labels"):
        assert read(path, "kind").y.tolist() == ["NA", "null", "NA", "null"]
    for labels, n_missing in ((["NA"] * 4, 4), (["NA", "na", "NA", ""], 4)):
        path = written(tmp_path / "a.csv", labels)
        with pytest.raises(InvalidInputError, match=rf"line 2: .*{n_missing} such"):
            read(path, "kind")
    with pytest.raises(InvalidInputError, match=r"line 4: the label is missing \(1"):
        read(written(tmp_path / "a.csv", ["NA", "null", "", "NA"]), "kind")


def test_text_of_a_binary_table_is_believed(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "a.parquet"

    def save(labels):
        parquet.write_table(pyarrow.table({"x": [0.5] * 4, "kind": labels}), path)

    for labels in (["NA"] * 4, ["NA", "null"] * 2):
        save(labels)
        with pytest.warns(DataWarning, match=r"'NA'.* \(4 such\) taken as labels"):
            assert read_dataset(path, "kind").y.tolist() == labels
    for labels in (["NA", None, "null", "NA"], ["1", "2", "NA", "1"]):
        save(labels)
        with pytest.raises(InvalidInputError, match=r"a\.parquet"):
            read_dataset(path, "kind")


@pytest.mark.parametrize("cell", ["", "NA"])
def test_a_missing_group_is_no_group(tmp_path, cell):
    names = ["p1", "p2"] if not cell else ["1", "2"]
    together = [names[0], cell, names[1], cell]
    path = written(tmp_path / "a.csv", ["sick", "well"] * 2, together)
    with pytest.raises(InvalidInputError, match=r"column 'patient', line 3.*2 such"):
        read_dataset(path, "kind", groups="patient")
    # Unless nobody asked for it.
    assert (
        read_dataset(path, "kind", layout=FileLayout(drop=["patient"])).groups is None
    )


def test_missing_labels_of_an_array(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, X=np.ones((3, 2)), y=np.array(["sick", "", "well"]))
    with pytest.raises(InvalidInputError, match="column 'y', row 2: the label is miss"):
        read_dataset(path, "y")


def test_a_class_may_be_called_none(tmp_path):
    path = written(tmp_path / "a.csv", ["none", "mild", "007", "7"])
    found = read_dataset(path, "kind", layout=FileLayout(drop=["patient"]))
    assert found.y.tolist() == ["none", "mild", "007", "7"]


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
    assert found.n_missing == 2
    first = found.first_missing
    assert (first.line or first.row) == (3 if ending == ".csv" else 2)
    assert first.column == ("1" if ending == ".npz" else "a")
    with pytest.raises(InvalidInputError):
        read_dataset(path, "kind")


def test_what_is_infinite_or_a_target_may_not_be_missing(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b,size\n1,,3\n2,inf,4\n")
    with pytest.raises(InvalidInputError, match="column 'b', line 3: inf is not fin"):
        read_dataset(path, "size", numeric=True, allow_missing=True)
    path.write_text("a,b,size\n1,,3\n2,1,\n")
    with pytest.raises(InvalidInputError, match="column 'size', line 3: the value is"):
        read_dataset(path, "size", numeric=True, allow_missing=True)


def test_places_of_features_targets_and_groups(tmp_path):
    path = written(tmp_path / "a.csv", ["sick", "well"])
    found = read_dataset(path, "kind", groups="patient")
    assert found.locations["y"] == Location(file=str(path), column="kind")
    assert found.locations["groups"].column == "patient"
    assert found.place(1, "gene") == Location(file=str(path), line=3, column="gene")


@pytest.mark.parametrize("ending", [".csv", ".npz"])
def test_columns_are_read_by_name_from_tables_and_archives(tmp_path, ending):
    path = tmp_path / f"a{ending}"
    columns = {"q": np.array([0.5, -np.inf]), "who": np.array(["x", "y"])}
    write_table(path, columns)
    found = read_columns(path, ["q"], ["who"])
    assert found.numbers["q"].tolist() == [0.5, -np.inf]
    assert found.texts["who"].tolist() == ["x", "y"]
    write_table(path, {**columns, "q": np.array([0.5, np.nan])}, force=True)
    with pytest.raises(InvalidInputError) as caught:
        read_columns(path, ["q"])
    place = caught.value.location
    assert (place.column, place.line or place.row) == (
        "q",
        3 if ending == ".csv" else 2,
    )
    with pytest.raises(InvalidInputError, match="'who'"):
        read_columns(path, ["q"], ["wh0"])


def test_results_may_be_missing_and_keep_their_order(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("svm,data,tree,run\n0.9,iris,NA,1\n?,wine,0.7,2\n")
    found = read_results(path, texts=["run"])
    assert list(found.columns) == ["svm", "data", "tree", "run"]
    assert found.columns["data"] == ["iris", "wine"]
    assert found.columns["run"] == ["1", "2"]
    np.testing.assert_array_equal(found.numbers["tree"], [np.nan, 0.7])
    path.write_text("svm\n0.9\n80%\n")
    with pytest.raises(InvalidInputError) as caught:
        read_results(path)
    assert (caught.value.location.line, caught.value.location.column) == (3, "svm")
    assert "% sign" in caught.value.remedy


def test_an_array_alone_has_no_target(tmp_path, refusal):
    path = tmp_path / "features.npy"
    np.save(path, np.zeros((6, 2)))
    said = str(refusal(read_dataset, path, "y"))
    assert "no target" in said
    assert ".npz" in said
