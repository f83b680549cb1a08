"""Finders of biclusters, run again and again."""

import json
import math

import numpy as np
import pytest
from tests.biclusters.conftest import planted_matrix

import scorecast as sc
from scorecast._core.results import result_from_dict
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
def collected():
    finders = {"thresholds": thresholds, "guesses": guesses}
    return sc.bicluster_estimates(finders, generator=noisy, n_repeats=8)


def test_repeats_are_bounded_tested_and_compared(collected):
    answer = sc.assess_estimates(collected)
    assert answer.best.name == "thresholds"
    good, bad = answer.models
    assert good.verdict.word == "feasible"
    assert bad.verdict.word == "not supported"
    assert [test.setting for test in good.tests] == [
        "shuffled data", "random biclusters"
    ]  # fmt: skip
    consensus = good.loss("consensus")
    assert consensus.recommended.method == "t"
    assert consensus.low <= consensus.estimate <= consensus.high
    row = answer.comparisons[0]
    assert (row.a, row.b) == ("thresholds", "guesses")
    assert row.difference > 0.2
    assert row.p_adjusted < 0.01
    table = collected.table("consensus")
    assert row.difference == pytest.approx(
        np.mean(table["thresholds"]) - np.mean(table["guesses"])
    )


def test_a_perfect_oracle_scores_one_on_every_repeat():
    found = sc.bicluster_estimates(
        {"oracle": oracle}, generator=planted_matrix, n_repeats=3, with_nulls=False
    )
    assert found.table("consensus") == {"oracle": [1.0, 1.0, 1.0]}
    answer = sc.assess_estimates(found)
    bound = answer.models[0].losses[0].recommended
    assert bound.high == 1
    assert bound.low < 0.7  # three repeats that agree prove little
    assert answer.models[0].verdict is None


def test_results_survive_json(collected):
    for result in (collected, sc.assess_estimates(collected)):
        again = result_from_dict(json.loads(json.dumps(result.to_dict())))
        assert again.to_dict() == result.to_dict()
        assert again.summary() == result.summary()
    again = result_from_dict(json.loads(json.dumps(collected.to_dict())))
    assert sc.assess_estimates(again).to_dict() == (
        sc.assess_estimates(collected).to_dict()
    )


def test_subsamples_of_one_matrix_allow_for_their_overlap(planted):
    X, hidden = planted
    with_truth = sc.bicluster_estimates(thresholds, X, truth=hidden, n_repeats=6)
    assert with_truth.overlap == pytest.approx(48 / 12)
    assert with_truth.unit == "subsamples"
    answer = sc.assess_estimates(with_truth)
    loss = answer.models[0].losses[0]
    values = np.array(loss.folds)
    assert loss.recommended.method == "delete-d"
    from scipy.stats import t

    half = t.ppf(0.975, 5) * values.std(ddof=1) * math.sqrt(1 / 6 + 4)
    assert loss.low == pytest.approx(max(0, values.mean() - half))
    stable = sc.bicluster_estimates({"oracle": oracle}, X, n_repeats=4, measures="msr",
                                    with_nulls=False)  # fmt: skip
    assert stable.failures["oracle"] == ()


def test_stability_compares_with_what_all_rows_give(planted):
    X, _ = planted

    def top(X):
        return [(np.argsort(-X[:, 0])[: X.shape[0] // 2], [0, 1])]

    found = sc.bicluster_estimates({"top": top}, X, n_repeats=5, measures="consensus")
    values = np.array(found.table("consensus")["top"])
    assert (values > 0.6).all()
    assert not found.has_truth
    assert "how stable" in found.warnings[0]
    assert found.warnings[0] in sc.assess_estimates(found).warnings
    again = sc.BiclusterEstimates.from_dict(found.to_dict())
    assert again.warnings == found.warnings
    # What needs no comparison is not said to be one.
    alone = sc.bicluster_estimates({"top": top}, X, n_repeats=5, measures="msr")
    assert alone.warnings == ()
    assert alone.unit == "subsamples"
    assert (values < 1.0001).all()


def test_merit_can_be_the_measure(planted):
    X, _ = planted
    found = sc.bicluster_estimates(
        thresholds, X, measures=["msr", "row-correlation"], n_repeats=3
    )
    assert found.greater_is_better == {"msr": False, "row-correlation": True}
    assert found.ranges["msr"] == (0.0, math.inf)
    assert sc.assess_estimates(found).models[0].losses[0].loss == "msr"


def test_one_failure_is_said_and_all_are_refused(planted):
    X, hidden = planted
    calls = []

    def sometimes(X):
        calls.append(1)
        if len(calls) == 3:
            msg = "tired"
            raise RuntimeError(msg)
        return hidden if X.shape[0] == 60 else guesses(X)

    found = sc.bicluster_estimates(
        {"sometimes": sometimes}, X, n_repeats=4, with_nulls=False
    )
    assert found.failures["sometimes"] == ("RuntimeError: tired",)
    assert "1 of 4 repeats failed" in found.warnings[0]
    assert "1 of 4" in sc.assess_estimates(found).warnings[0]

    def never(X):
        msg = "no"
        raise ValueError(msg)

    with pytest.raises(FitFailedError, match="failed on every repeat: ValueError: no"):
        sc.bicluster_estimates({"never": never}, generator=planted_matrix, n_repeats=2)


def test_finders_do_not_change_the_data(planted):
    X, hidden = planted
    before = X.copy()

    def greedy(X):
        X[:] = 0
        return guesses(X)

    sc.bicluster_estimates({"greedy": greedy}, X, truth=hidden, n_repeats=2)
    assert np.array_equal(X, before)


def test_bad_calls(planted):
    X, _ = planted
    with pytest.raises(UsageError):
        sc.bicluster_estimates(guesses)
    with pytest.raises(UsageError):
        sc.bicluster_estimates(guesses, X, generator=planted_matrix)
    with pytest.raises(UsageError):
        sc.bicluster_estimates(guesses, X, measures="consensu")
    with pytest.raises(UsageError):
        sc.bicluster_estimates(guesses, X, n_repeats=1)
    with pytest.raises(UsageError):
        sc.bicluster_estimates(guesses, X, share=1.0)
    with pytest.raises(UsageError):
        sc.bicluster_estimates({"x": 3}, X)
    with pytest.raises(UsageError):
        sc.bicluster_estimates(guesses, generator=lambda rng: X, n_repeats=2)
    with pytest.raises(InsufficientDataError):
        sc.bicluster_estimates({"none": lambda X: []}, X)
    with pytest.raises(InvalidInputError):
        sc.bicluster_estimates(guesses, np.full((4, 4), np.inf))


def test_finders_see_missing_values():
    def simulated(rng):
        return sc.simulate.biclusters(60, 20, n_biclusters=1, rows=(10, 12),
                                      columns=(5, 6), signal=6, missing=0.1,
                                      random_state=rng)  # fmt: skip

    def equal(X):
        values, counts = np.unique(X[~np.isnan(X)], return_counts=True)
        most = values[counts.argmax()]
        same = most == X
        return [(np.flatnonzero(same.any(1)), np.flatnonzero(same.any(0)))]

    found = sc.bicluster_estimates(
        {"equal": equal}, generator=simulated, n_repeats=4,
        measures=["consensus", "msr"], with_nulls=False,
    )  # fmt: skip
    assert found.table("consensus") == {"equal": [1.0] * 4}
    assert found.table("msr")["equal"] == pytest.approx([0] * 4)

    def strict(X):
        if np.isnan(X).any():
            msg = "no NaN here\nand a long story"
            raise ValueError(msg)
        return [([0], [0])]

    X = simulated(np.random.default_rng(0)).X
    with pytest.raises(FitFailedError, match=r"strict failed on all rows: .*NaN here$"):
        sc.bicluster_estimates({"strict": strict}, X)


def test_scikit_learn_models_are_copied_and_seeded(planted):
    from sklearn.cluster import SpectralBiclustering

    X, hidden = planted
    model = SpectralBiclustering(n_clusters=2)
    first, again = (
        sc.bicluster_estimates(model, X, truth=hidden, n_repeats=2, with_nulls=False)
        for _ in range(2)
    )
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
        estimates = sc.bicluster_estimates(
            {"whole": whole}, X, truth=[(range(80), [0, 1])], n_repeats=10,
            measures="column-correlation", with_nulls=False, random_state=rng,
        )  # fmt: skip
        loss = sc.assess_estimates(estimates, n_resamples=0).models[0].losses[0]
        ends = {b.method: (b.low, b.high) for b in loss.bounds}
        held.append(ends["delete-d"][0] <= truth <= ends["delete-d"][1])
        plain.append(ends["t"][0] <= truth <= ends["t"][1])
    assert np.mean(held) > 0.9
    assert np.mean(plain) < 0.75


def test_a_truth_without_biclusters_is_refused(planted):
    X = planted[0]
    with pytest.raises(InsufficientDataError):
        sc.bicluster_estimates({"a": guesses}, X, truth=[], n_repeats=3)

    def nothing(rng):
        return rng.normal(size=(40, 16)), []

    with pytest.raises(FitFailedError, match="no true bicluster"):
        sc.bicluster_estimates({"a": guesses}, generator=nothing, n_repeats=3)
    # Merit asks for no truth.
    found = sc.bicluster_estimates(
        {"a": guesses}, generator=nothing, n_repeats=3, measures="msr"
    )
    assert np.isfinite(found.estimates["a"]["msr"]).all()
