"""Algorithms that find biclusters, run again and again."""

import json
import math

import numpy as np
import pytest
from scipy.stats import t
from sklearn.cluster import SpectralBiclustering
from tests.assessing import only
from tests.biclusters.conftest import planted_matrix

import scorecast as sc
from scorecast.biclusters import assess_biclustering
from scorecast.evaluation import AssessmentNote, EstimateAssessment
from scorecast.exceptions import (
    FitFailedError,
    InsufficientDataError,
    InvalidInputError,
    UsageError,
)


def thresholds(X):
    """Find blocks of a high mean, after a fashion."""
    high = X > 2.5
    rows, columns = high.sum(axis=1) >= 3, high.sum(axis=0) >= 6
    found = []
    for part in (slice(0, 18), slice(18, None)):
        inside = np.zeros(X.shape[0], dtype=bool)
        inside[part] = rows[part]
        own = high[inside].mean(axis=0) > 0.5 if inside.any() else columns & False
        if inside.any() and own.any():
            found.append((np.flatnonzero(inside), np.flatnonzero(own)))
    return found


def guesses(X):
    """Ignore the data."""
    return [(np.arange(10), np.arange(5)), (np.arange(30, 40), np.arange(10, 16))]


def oracle(X):
    return planted_matrix(np.random.default_rng(0))[1]


def noisy(rng):
    X, hidden = planted_matrix(rng)
    return X + rng.normal(size=X.shape), hidden


@pytest.fixture(scope="module")
def assessed():
    finders = {"thresholds": thresholds, "guesses": guesses}
    return assess_biclustering(finders, simulator=noisy, n_repeats=8)


def test_repeats_are_bounded_tested_and_compared(assessed):
    assert assessed.best == "thresholds"
    good, bad = assessed.models.values()
    assert good.null_tests.verdict == "feasible"
    assert bad.null_tests.verdict == "not-supported"
    assert list(good.null_tests.tests) == ["shuffled data", "random biclusters"]
    consensus = good.metrics["consensus"]
    assert consensus.recommended.method == "t"
    assert consensus.low <= consensus.estimate <= consensus.high
    (row,) = assessed.comparisons
    assert (row.a, row.b) == ("thresholds", "guesses")
    assert row.difference > 0.2
    assert row.p_adjusted < 0.01
    means = [np.mean(x.metrics["consensus"].folds) for x in (good, bad)]
    assert row.difference == pytest.approx(means[0] - means[1])
    assert (assessed.repeats, assessed.has_truth) == ("simulated", True)


def test_a_perfect_oracle_scores_one_on_every_repeat():
    found = assess_biclustering(
        {"oracle": oracle}, simulator=planted_matrix, n_repeats=3, with_nulls=False
    )
    consensus = only(found).metrics["consensus"]
    assert consensus.folds == (1.0, 1.0, 1.0)
    assert consensus.high == 1
    assert consensus.low < 0.7  # three repeats that agree prove little
    assert only(found).null_tests is None


def test_results_survive_json(assessed):
    again = EstimateAssessment.from_dict(json.loads(json.dumps(assessed.to_dict())))
    assert again.to_dict() == assessed.to_dict()
    assert again.summary() == assessed.summary()


def test_subsamples_of_one_matrix_allow_for_their_overlap(planted):
    X, hidden = planted
    found = assess_biclustering(thresholds, X, truth=hidden, n_repeats=6)
    assert found.overlap == pytest.approx(48 / 12)
    assert (found.repeats, found.subsample) == ("subsamples", 0.8)
    assert (found.n_rows, found.n_columns) == X.shape
    main = only(found).main
    values = np.array(main.folds)
    assert main.recommended.method == "delete-d"
    half = t.ppf(0.975, 5) * values.std(ddof=1) * math.sqrt(1 / 6 + 4)
    assert main.low == pytest.approx(max(0, values.mean() - half))
    call = {"n_repeats": 4, "measures": "msr", "with_nulls": False}
    assert only(assess_biclustering({"oracle": oracle}, X, **call)).failures == ()


def test_stability_compares_with_what_all_rows_give(planted):
    X, _ = planted

    def top(X):
        return [(np.argsort(-X[:, 0])[: X.shape[0] // 2], [0, 1])]

    found = assess_biclustering({"top": top}, X, n_repeats=5, measures="consensus")
    values = np.array(only(found).main.folds)
    assert ((values > 0.6) & (values < 1.0001)).all()
    assert not found.has_truth
    assert [n.code for n in found.notes] == [AssessmentNote.MEASURES_STABILITY]
    # What needs no comparison is not said to be one.
    alone = assess_biclustering({"top": top}, X, n_repeats=5, measures="msr")
    assert alone.notes == ()


def test_coherence_can_be_the_measure(planted):
    X, _ = planted
    measures = ["msr", "row-correlation"]
    metrics = only(assess_biclustering(thresholds, X, measures=measures, n_repeats=3))
    msr, correlation = metrics.metrics.values()
    assert (msr.greater_is_better, correlation.greater_is_better) == (False, True)
    assert metrics.main.metric == "msr"


def test_one_failure_is_noted_and_all_are_refused(planted):
    X, hidden = planted
    calls = []

    def sometimes(X):
        calls.append(1)
        if len(calls) == 3:
            msg = "tired"
            raise RuntimeError(msg)
        return hidden if X.shape[0] == 60 else guesses(X)

    found = assess_biclustering(
        {"sometimes": sometimes}, X, n_repeats=4, with_nulls=False
    )
    assert [str(x) for x in only(found).failures] == ["RuntimeError: tired"]
    note = found.notes[0]
    assert (note.code, note.count, note.total) == (AssessmentNote.SPLITS_FAILED, 1, 4)

    def never(X):
        msg = "no"
        raise ValueError(msg)

    with pytest.raises(FitFailedError, match="failed on every repeat: ValueError: no"):
        assess_biclustering({"never": never}, simulator=planted_matrix, n_repeats=2)


def test_algorithms_do_not_change_the_data(planted):
    X, hidden = planted
    before = X.copy()

    def greedy(X):
        X[:] = 0
        return guesses(X)

    assess_biclustering({"greedy": greedy}, X, truth=hidden, n_repeats=2)
    assert np.array_equal(X, before)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ({"data": None}, UsageError),
        ({"simulator": planted_matrix}, UsageError),
        ({"measures": "consensu"}, UsageError),
        ({"n_repeats": 1}, UsageError),
        ({"subsample": 1.0}, UsageError),
        ({"estimator": {"x": 3}}, UsageError),
        ({"data": None, "simulator": lambda rng: 3, "n_repeats": 2}, UsageError),
        ({"estimator": {"none": lambda X: []}}, InsufficientDataError),
        ({"data": np.full((4, 4), np.inf)}, InvalidInputError),
        ({"truth": []}, InsufficientDataError),
    ],
)
def test_bad_calls(planted, call, error):
    with pytest.raises(error):
        assess_biclustering(**{"estimator": guesses, "data": planted[0], **call})


def test_algorithms_see_missing_values():
    def simulated(rng):
        return sc.simulate.biclusters(
            60,
            20,
            n_biclusters=1,
            rows=(10, 12),
            columns=(5, 6),
            signal=6,
            missing=0.1,
            random_state=rng,
        )

    def equal(X):
        values, counts = np.unique(X[~np.isnan(X)], return_counts=True)
        most = values[counts.argmax()]
        same = most == X
        return [(np.flatnonzero(same.any(1)), np.flatnonzero(same.any(0)))]

    call = {"n_repeats": 4, "measures": ["consensus", "msr"], "with_nulls": False}
    found = only(assess_biclustering({"equal": equal}, simulator=simulated, **call))
    assert found.metrics["consensus"].folds == (1.0,) * 4
    assert found.metrics["msr"].folds == pytest.approx([0] * 4)

    def strict(X):
        if np.isnan(X).any():
            msg = "no NaN here\nand a long story"
            raise ValueError(msg)
        return [([0], [0])]

    X = simulated(np.random.default_rng(0)).X
    with pytest.raises(FitFailedError, match=r"strict failed on all rows: .*NaN here$"):
        assess_biclustering({"strict": strict}, X)


def test_scikit_learn_models_are_copied_and_seeded(planted):
    X, hidden = planted
    model = SpectralBiclustering(n_clusters=2)
    call = {"truth": hidden, "n_repeats": 2, "with_nulls": False}
    first, again = (assess_biclustering(model, X, **call) for _ in range(2))
    assert not hasattr(model, "rows_")
    assert first.to_dict() == again.to_dict()


@pytest.mark.statistical
def test_intervals_hold_over_subsamples_and_the_plain_one_does_not():
    """Coverage of the mean correlation of a fixed pair of columns, over data sets."""
    rng = np.random.default_rng(0)

    def whole(X):
        return [(np.arange(X.shape[0]), [0, 1])]

    truth, held, plain = 0.6, [], []
    for _ in range(150):
        X = rng.multivariate_normal([0, 0], [[1, truth], [truth, 1]], size=80)
        X = np.column_stack([X, rng.normal(size=80)])
        found = assess_biclustering(
            {"whole": whole},
            X,
            truth=[(range(80), [0, 1])],
            n_repeats=10,
            measures="column-correlation",
            with_nulls=False,
            random_state=rng,
        )
        ends = {x.method: (x.low, x.high) for x in only(found).main.intervals}
        held.append(ends["delete-d"][0] <= truth <= ends["delete-d"][1])
        plain.append(ends["t"][0] <= truth <= ends["t"][1])
    assert np.mean(held) > 0.9
    assert np.mean(plain) < 0.75


def test_simulated_data_without_biclusters_leave_coherence_only():
    def nothing(rng):
        return rng.normal(size=(40, 16)), []

    with pytest.raises(FitFailedError, match="no true bicluster"):
        assess_biclustering({"a": guesses}, simulator=nothing, n_repeats=3)
    found = assess_biclustering(
        {"a": guesses}, simulator=nothing, n_repeats=3, measures="msr"
    )
    assert np.isfinite(only(found).main.folds).all()
