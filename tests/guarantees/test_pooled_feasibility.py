"""Feasibility of losses that are no means of cases, where splits have no value."""

import math

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid

import scorecast as sc
from scorecast.guarantees.estimates import collect_estimates
from scorecast.guarantees.feasibility import permuted_values
from scorecast.guarantees.feasibility.permutations import permuted_draws
from scorecast.guarantees.feasibility.pooled import PooledView
from scorecast.guarantees.losses import LOSSES
from scorecast.guarantees.problem import check_problem
from scorecast.guarantees.sampling import draw_plan

RNG = np.random.default_rng
QUICK = {
    "n_permutations": 60, "n_null_data": 2, "n_resamples": 0, "regularities": False,
    "with_bias_variance": False,
}  # fmt: skip


def rare(shift=2.5):
    rng = RNG(0)
    y = (rng.random(60) < 0.25).astype(int)
    X = rng.normal(size=(60, 4))
    X[:, 0] += shift * y
    return X, y


@pytest.mark.parametrize("loss", ["auc", "mcc", "f1", "balanced-accuracy"])
def test_leave_one_out_has_a_verdict_for_every_loss(noise, loss):
    X, y = (part[-24:] for part in noise)
    for few, is_real in (((X[:, :6] + 3 * y[:, None] * [1, 0, 0, 0, 0, 0], y), True),
                         ((X, y), False)):  # fmt: skip
        options = QUICK | {"n_permutations": 24, "n_null_data": 2}
        found = sc.assess("naive-bayes", *few, sampling="loo", losses=loss, **options)
        tested = found.models[0].feasibility
        assert (tested.verdict.word == "feasible") == is_real
        assert all(math.isfinite(test.worst_p) for test in tested.tests())
        assert "of all tests together" in tested.permuted.note
        assert math.isnan(tested.permutation_density)
        assert any("of all tests together" in text for text in found.models[0].warnings)
        again = type(found).from_dict(found.to_dict())
        assert math.isnan(again.models[0].feasibility.permutation_density)


def test_splits_without_a_value_do_not_count_as_failures():
    """F1 of folds drawn at random: a fold of one class has none, in some draws."""
    words = {}
    for sampling in ("kfold10", "cv10"):
        tested = (
            sc.assess("naive-bayes", *rare(), losses="f1", sampling=sampling, **QUICK)
            .models[0]
            .feasibility
        )
        assert tested.permuted.p_rank == pytest.approx(1 / 61)
        assert "failed" not in tested.permuted.note
        words[sampling] = tested.verdict.word
    assert words["kfold10"] == words["cv10"] == "feasible"


def test_draws_of_all_tests_together_are_as_the_estimate_is():
    """A permutation that moves nothing has the pooled value of the data."""
    problem = check_problem(*rare())
    plan = draw_plan("kfold10", problem, RNG(0))
    found = collect_estimates(GaussianNB(), problem, plan, rng=RNG(1))
    loss = LOSSES["f1"]
    view = PooledView(estimates=found, loss=loss, rng=RNG(2))
    assert view.observed[0] == -loss.measure(found.pooled())
    still = check_problem(np.repeat(problem.X[:1], 60, axis=0), problem.y)
    same, draws = (
        collect_estimates(NearestCentroid(), still, plan, rng=RNG(1)),
        permuted_draws(GaussianNB(), problem, plan, loss, n_permutations=8, rng=RNG(3)),
    )
    assert same.is_empty  # all cases alike: the model refuses
    fits = permuted_draws(
        NearestCentroid(), still, plan, loss, n_permutations=3, rng=RNG(3)
    )
    assert np.isnan(fits.pooled).all()  # failed, and not to be taken for undefined
    assert not PooledView.is_needed(found, LOSSES["accuracy"], (draws,))
    assert np.isfinite(draws.pooled).all()
    assert np.isnan(draws.folds).any()
    plain = permuted_values(
        GaussianNB(), problem, plan, loss, n_permutations=8, rng=RNG(3)
    )
    assert np.array_equal(plain, draws.folds, equal_nan=True)


def test_a_constant_model_is_no_worse_than_chance_in_leave_one_out(easy):
    """Learned without the tested case, the larger class would be the wrong one."""
    problem = check_problem(*easy)
    plan = draw_plan("loo", problem, RNG(0))
    found = collect_estimates(GaussianNB(), problem, plan, rng=RNG(1))
    view = PooledView(estimates=found, loss=LOSSES["auc"], rng=RNG(2))
    test = view.compared("constant", view.constant())
    assert test.null_value == -0.5
    assert 0 < test.p < 0.001
    worse = view.compared("itself", found.pooled())
    assert (worse.gap, worse.p) == (0, 1)


def test_splits_left_out_of_an_interval_are_counted_in_words():
    rng, groups = RNG(0), np.repeat(np.arange(24), 3)
    y = groups % 2
    X = rng.normal(size=(72, 3))
    X[:, 0] += 2 * y
    found = sc.assess(
        "naive-bayes", X, y, groups=groups, losses="balanced-accuracy", **QUICK
    ).models[0]
    folds = np.array(found.losses[0].folds)
    known = int(np.isfinite(folds).sum())
    assert 2 <= known < folds.size
    notes = {bound.method: bound.note for bound in found.losses[0].bounds}
    assert f"of {known} of {folds.size} splits" in notes["nadeau-bengio"]
    assert "of all tests together" in found.feasibility.permuted.note


@pytest.mark.statistical
def test_the_level_of_tests_of_all_cases_together_holds():
    runs, found = 120, 0
    for seed in range(runs):
        rng = RNG(seed)
        y = np.arange(24) % 2
        tested = (
            sc.assess(
                "naive-bayes", rng.normal(size=(24, 5)), y, sampling="loo",
                losses="mcc", random_state=seed,
                **QUICK | {"n_permutations": 39, "n_null_data": 0},
            )
            .models[0]
            .feasibility
        )  # fmt: skip
        found += tested.permuted.p_rank <= 0.05
    assert found <= 13  # of 6 expected: more has a chance of 0.3 %
