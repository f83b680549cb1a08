"""Data and truth go to files and come back."""

import json

import numpy as np
import pytest

import scorecast as sc
from scorecast.exceptions import InvalidInputError, MissingExtraError
from scorecast.io import read_columns, read_dataset, read_matrix, read_scores

SMALL = {
    "labelled": {"n": 12, "m": 4},
    "biclusters": {"n_rows": 100, "n_columns": 30},
    "classes": {"n_classes": 6, "n_each": 2, "sizes": [2, 10]},
    "forecasts": {"n": 9},
}


@pytest.fixture(params=sorted(SMALL))
def data(request):
    """Small data of every kind."""
    return getattr(sc.simulate, request.param)(**SMALL[request.param])


@pytest.mark.parametrize("ending", ["csv", "npz", "parquet"])
def test_the_truth_stands_beside_the_data(data, ending, tmp_path):
    if ending == "parquet":
        pytest.importorskip("pyarrow", reason="needs the extra [io]")
    path = tmp_path / f"made.{ending}"
    beside = data.save(path)
    assert beside == str(tmp_path / "made.truth.json")
    saved = json.loads((tmp_path / "made.truth.json").read_text())
    assert saved == json.loads(json.dumps(data.to_dict()))
    assert saved["kind"] == f"simulated-{data.kind}"
    assert saved["options"]["seed"] == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        f"made.{ending}",
        "made.truth.json",
    ]


@pytest.mark.parametrize("ending", ["csv", "npz", "parquet"])
def test_what_is_read_is_what_was_made(ending, tmp_path):
    if ending == "parquet":
        pytest.importorskip("pyarrow", reason="needs the extra [io]")
    made = sc.simulate.labelled(12, 4)
    made.save(tmp_path / f"a.{ending}")
    read = read_dataset(tmp_path / f"a.{ending}", "y", numeric=True)
    assert (read.X == made.X).all()
    assert (read.y == made.y).all()
    forecast = sc.simulate.forecasts(9)
    forecast.save(tmp_path / f"b.{ending}")
    columns = read_columns(tmp_path / f"b.{ending}", {"log_q": "", "log_p": ""})
    assert (columns.numbers["log_q"] == forecast.log_q).all()
    matrix = sc.simulate.biclusters()
    matrix.save(tmp_path / f"c.{ending}")
    assert (read_matrix(tmp_path / f"c.{ending}").values == matrix.X).all()
    classes = sc.simulate.classes(6, 2, sizes=[2])
    classes.save(tmp_path / f"d.{ending}")
    column = None if ending == "npz" else "truth"
    scores = read_scores(tmp_path / f"d.{ending}", label_column=column)
    assert (scores.values == classes.X).all()


def test_nothing_is_overwritten_unless_asked(tmp_path):
    data = sc.simulate.forecasts(5)
    (tmp_path / "a.truth.json").write_text("mine")
    with pytest.raises(InvalidInputError, match="exists already"):
        data.save(tmp_path / "a.csv")
    assert [p.name for p in tmp_path.iterdir()] == ["a.truth.json"]
    data.save(tmp_path / "a.csv", force=True)
    assert "mine" not in (tmp_path / "a.truth.json").read_text()


def test_an_unknown_ending_is_refused(tmp_path):
    with pytest.raises(InvalidInputError, match=r"\.csv, \.npz or \.parquet"):
        sc.simulate.forecasts(5).save(tmp_path / "a.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_every_kind_says_what_it_is(data):
    assert data.summary().endswith(".")
    assert type(data).__name__ in repr(data)
    pd = pytest.importorskip("pandas", reason="needs the extra [frame]")
    assert isinstance(data.to_frame(), pd.DataFrame)
    assert len(data.to_frame()) == len(next(iter(data.to_columns().values())))


def test_without_pandas_there_is_a_hint(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(MissingExtraError, match="frame"):
        sc.simulate.forecasts(5).to_frame()


def test_inputs_of_a_saved_archive_are_not_pickled(tmp_path):
    sc.simulate.classes(6, 2, sizes=[2]).save(tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz", allow_pickle=False) as archive:
        assert sorted(archive) == ["labels", "scores"]
