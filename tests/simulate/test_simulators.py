"""All simulators: data and truth go to files and come back; factors make the data."""

import inspect
import json

import numpy as np
import pytest
from tests.snapshot import assert_snapshot

import scorecast as sc
from scorecast.exceptions import (
    InvalidInputError,
    MissingExtraError,
    UnknownParameterError,
)
from scorecast.io import read_columns, read_dataset, read_matrix, read_scores
from scorecast.simulate import SIMULATORS

SMALL = {
    "classification": {"n_samples": 30, "n_features": 12, "patterns_n": 1},
    "regression": {"n_samples": 30, "n_features": 12},
    "biclusters": {"n_rows": 100, "n_columns": 30},
    "recognition": {"n_classes": 6, "n_per_class": 2},
    "forecasts": {"n_samples": 9, "forecaster": "classes"},
    "survival": {"n_samples": 9, "law": "weibull"},
}


@pytest.fixture(params=SIMULATORS)
def data(request):
    """Small data of every kind."""
    return SIMULATORS[request.param].make(**SMALL[request.param])


@pytest.mark.parametrize("ending", ["csv", "npz", "parquet"])
def test_the_truth_stands_beside_the_data(data, ending, tmp_path):
    if ending == "parquet":
        pytest.importorskip("pyarrow", reason="needs the extra [io]")
    beside = data.save(tmp_path / f"made.{ending}")
    assert beside == str(tmp_path / "made.truth.json")
    saved = json.loads((tmp_path / "made.truth.json").read_text())
    assert saved == json.loads(json.dumps(data.to_dict(), allow_nan=False))
    assert (saved["kind"], saved["schema"]) == (data.kind, 2)
    assert saved["options"]["seed"] == 0
    assert "values" not in json.dumps(saved["result"])  # those are data
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        f"made.{ending}",
        "made.truth.json",
    ]


def test_a_truth_alone_is_no_result(data, tmp_path):
    beside = data.save(tmp_path / "made.csv")
    with pytest.raises(InvalidInputError):
        sc.load(beside)


@pytest.mark.parametrize("name", SIMULATORS)
def test_the_same_options_and_seed_make_the_same_data(name):
    simulator = SIMULATORS[name]
    one = simulator.make(**SMALL[name], random_state=7)
    assert set(one.options) == set(simulator.factors)
    again = simulator.make(**one.options, random_state=one.seed)
    arrays, same = one.to_arrays(), again.to_arrays()
    assert all(np.array_equal(arrays[k], same[k], equal_nan=True) for k in arrays)
    assert one.to_dict() == again.to_dict()
    other = simulator.make(**SMALL[name], random_state=8)
    assert any((arrays[k] != x).any() for k, x in other.to_arrays().items())


DEFAULTS = {
    "classification": {
        "n_samples": 200, "n_features": 500, "n_classes": 3, "distribution": "gaussian",
        "std": 3.0, "std_ratio": 1.0, "class_sep": 1.0, "informative": 1.0,
        "boolean": 0.0, "scale_ratio": 1.0, "imbalance": 0.0,
        "noise": 0.0, "mixing": "sample", "correlation_block_size": 1,
        "correlation_rho": 0.0, "correlation_n_blocks": None, "skew_share": 0.0,
        "skew_kind": "tail",
        "skew_tail_share": 0.2, "skew_skewness": 2.0, "patterns_n": 0,
        "patterns_n_rows": 20, "patterns_n_columns": 10, "patterns_kind": "additive",
        "measurement_pool_size": 1, "measurement_n_replicates": 1,
        "measurement_technical_std": 0.0, "measurement_dye_bias": 0.0,
        "measurement_dye_swap": False, "with_bayes_error": True,
    },
    "regression": {
        "n_samples": 200, "n_features": 20, "n_informative": 5, "r2": 0.5,
        "interactions": 0.0, "target_skew": 0.0, "scale_ratio": 1.0,
        "correlation_block_size": 1, "correlation_rho": 0.0,
        "correlation_n_blocks": None,
    },
    "biclusters": {
        "n_rows": 100, "n_columns": 30, "n_biclusters": None, "rows": None,
        "columns": None, "pattern": "constant", "overlap": 0.0, "combine": "replace",
        "background": "normal", "signal": 3.0, "noise": 0.0, "missing": 0.0,
    },
    "recognition": {
        "n_classes": 50, "n_per_class": 5, "population": "gaussian", "n_features": 5,
        "noise": 0.2, "df": 3.0, "templates": "exact", "form": "scores",
    },
    "forecasts": {
        "n_samples": 1000, "forecaster": "gaussian", "information": 0.72,
        "units": "bits", "sharpness": 1.0, "n_classes": 2, "strength": 1.5, "hit": 0.9,
        "disaster": 0.001, "disaster_share": 0.01,
    },
    "survival": {
        "n_samples": 200, "n_covariates": 4, "n_informative": 2, "law": "lognormal",
        "information": 0.5, "units": "bits", "median": 24.0, "spread": 0.8,
        "censored": 0.3, "censoring": "uniform",
    },
}  # fmt: skip


@pytest.mark.parametrize("name", SIMULATORS)
def test_defaults_stay_what_they_are(name):
    found = {key: factor.default for key, factor in SIMULATORS[name].factors.items()}
    assert found == DEFAULTS[name]


@pytest.mark.parametrize("name", SIMULATORS)
def test_factors_come_from_signature_and_docstring(name):
    simulator = SIMULATORS[name]
    parameters = set(inspect.signature(simulator.function).parameters)
    left = {"random_state", *simulator.left_out}
    owners = {f.parameter.partition(".")[0] for f in simulator.factors.values()}
    assert owners == parameters - left
    assert set(simulator.choices) <= set(simulator.factors)
    for factor in simulator.factors.values():
        assert factor.summary.endswith(".")
        assert not factor.choices or factor.default in factor.choices


def test_an_unknown_factor_is_refused_and_the_near_one_named():
    with pytest.raises(UnknownParameterError) as caught:
        SIMULATORS["classification"].make(skew_shares=0.1)
    assert caught.value.remedy == "try 'skew_share'"


@pytest.mark.parametrize("ending", ["csv", "npz", "parquet"])
def test_what_is_read_is_what_was_made(ending, tmp_path):
    if ending == "parquet":
        pytest.importorskip("pyarrow", reason="needs the extra [io]")
    made = sc.simulate.classification(12, 4)
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
    task = sc.simulate.recognition(6, 2, sizes=[2])
    task.save(tmp_path / f"d.{ending}")
    column = None if ending == "npz" else "truth"
    scores = read_scores(tmp_path / f"d.{ending}", label_column=column)
    assert (scores.values == task.X).all()


def test_nothing_is_overwritten_unless_asked(tmp_path):
    data = sc.simulate.forecasts(5)
    (tmp_path / "a.truth.json").write_text("mine")
    with pytest.raises(InvalidInputError):
        data.save(tmp_path / "a.csv")
    assert [p.name for p in tmp_path.iterdir()] == ["a.truth.json"]
    data.save(tmp_path / "a.csv", force=True)
    assert "mine" not in (tmp_path / "a.truth.json").read_text()


def test_an_unknown_ending_is_refused(tmp_path):
    with pytest.raises(InvalidInputError):
        sc.simulate.forecasts(5).save(tmp_path / "a.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_tables_are_frames_where_there_is_pandas(data):
    pd = pytest.importorskip("pandas", reason="needs the extra [frame]")
    assert isinstance(data.to_frame(), pd.DataFrame)
    assert len(data.to_frame()) == len(next(iter(data.to_columns().values())))


def test_without_pandas_there_is_a_hint(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(MissingExtraError):
        sc.simulate.forecasts(5).to_frame()


def test_archives_are_not_pickled(tmp_path):
    sc.simulate.recognition(6, 2, sizes=[2]).save(tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz", allow_pickle=False) as archive:
        assert sorted(archive) == ["labels", "scores"]


def test_every_kind_reads_like_this():
    made = [SIMULATORS[name].make(**SMALL[name]) for name in SIMULATORS]
    made += [
        sc.simulate.classification(20, 9, n_classes=2),
        sc.simulate.classification(20, 9, noise=0.1),
        sc.simulate.forecasts(9, forecaster="disaster"),
        SIMULATORS["classification"].make(
            n_samples=9, n_features=4, measurement_n_replicates=2
        ),
    ]
    assert_snapshot("simulations", "\n\n".join(map(sc.render, made)))
