"""Chances and effect sizes of a pair answer the question that its test answers."""

import json

import numpy as np
import pytest
from scipy import stats

import scorecast as sc
from scorecast.comparison import PairComparison
from scorecast.comparison.bayesian import mean_posterior, share_posterior
from scorecast.comparison.effect_sizes import cohens_d
from scorecast.exceptions import UsageError

RNG = np.random.default_rng(0)
TRUTH = RNG.normal(size=100)
NEAR = TRUTH + RNG.normal(0, 0.1, 100) - 0.5  # biased, but close
FAR = TRUTH + RNG.normal(0, 1, 100)


def rmse(truth, said):
    return float(np.sqrt(np.mean((truth - said) ** 2)))


def right_or_wrong(n=300):
    rng = np.random.default_rng(1)
    return rng.random(n) < 0.9, rng.random(n) < 0.7


# Practical equality


def test_chances_of_shares_are_those_of_their_distribution():
    # Only one kind of discordant case: the difference is nearly one beta variable.
    found = share_posterior(30, 0, 100, 0.2, rng=np.random.default_rng(0))
    first = stats.beta(30.5, 71)
    assert found.first_higher == pytest.approx(first.sf(0.2), abs=0.03)
    even = share_posterior(20, 20, 1000, 0.0, rng=np.random.default_rng(0))
    assert even.first_higher == pytest.approx(0.5, abs=0.02)
    assert even.equal == 0
    # Normal approximation of many cases.
    many = share_posterior(600, 500, 10_000, 0.01, rng=np.random.default_rng(0))
    error = np.sqrt((1100 / 1e4 - 0.01**2) / 1e4)
    assert many.first_higher == pytest.approx(stats.norm.sf(0 / error), abs=0.02)


def test_models_that_mcnemar_tells_apart_are_not_practically_equal():
    a, b = right_or_wrong()
    for found in (
        sc.compare_pair(a, b, rope=0.01, random_state=0),
        sc.compare({"a": a * 1.0, "b": b * 1.0}, rope=0.01, random_state=0).pairs[0],
    ):
        assert found.p_value < 1e-3
        assert found.posterior.equal < 0.01
        assert found.posterior.first_higher > 0.99


def test_chances_of_a_paired_t_are_those_of_t():
    gaps = np.random.default_rng(2).normal(0.02, 0.05, 15)
    found = sc.compare_pair(gaps, 0 * gaps, test="paired-t", rope=0.01).posterior
    t = stats.t(14, gaps.mean(), gaps.std(ddof=1) / np.sqrt(15))
    assert found.first_higher == pytest.approx(t.sf(0.01), rel=1e-9)
    assert found.first_lower == pytest.approx(t.cdf(-0.01), rel=1e-9)


@pytest.mark.parametrize("test", ["5x2cv-t", "5x2cv-f"])
def test_chances_of_five_by_two_folds_count_their_overlap(test):
    gaps = np.random.default_rng(3).normal(0.02, 0.05, (5, 2))
    found = sc.compare_pair(gaps, 0 * gaps, test=test, rope=0.01).posterior
    t = stats.t(9, gaps.mean(), gaps.std(ddof=1) * np.sqrt(1 / 10 + 1))
    assert found.first_higher == pytest.approx(t.sf(0.01), rel=1e-9)


@pytest.mark.parametrize("test", ["bootstrap", "permutation"])
def test_chances_of_means_go_by_group(test):
    rng = np.random.default_rng(4)
    gaps = np.repeat(rng.normal(0.1, 0.4, 15), 20)
    groups = np.repeat(np.arange(15), 20)
    same = {"test": test, "rope": 0.01, "random_state": 0, "n_resamples": 199}
    alone = sc.compare_pair(gaps, 0 * gaps, **same).posterior
    whole = sc.compare_pair(gaps, 0 * gaps, groups=groups, **same).posterior
    # Twenty copies of a case are not twenty cases.
    assert abs(whole.first_higher - 0.5) < abs(alone.first_higher - 0.5)
    t = stats.norm(gaps.mean(), gaps.std() / np.sqrt(15))
    assert whole.first_higher == pytest.approx(t.sf(0.01), abs=0.04)


def test_the_bayesian_bootstrap_has_the_moments_of_rubin():
    gaps = np.random.default_rng(5).normal(0, 1, 60)
    unit = np.arange(60)
    rope = float(gaps.std() / np.sqrt(61))  # one standard deviation of the draws
    found = mean_posterior(gaps - gaps.mean(), unit, rope, rng=np.random.default_rng(0))
    assert found.equal == pytest.approx(0.6827, abs=0.02)


def test_a_rope_without_a_bayesian_test_is_refused():
    y = (TRUTH > 0) * 1
    for options in (
        {"y_true": y, "test": "delong"},
        {"y_true": TRUTH, "scoring": rmse},
        {"y_true": TRUTH, "scoring": rmse, "test": "bootstrap"},
    ):
        with pytest.raises(UsageError) as caught:
            sc.compare_pair(NEAR, FAR, rope=0.01, **options)
        assert caught.value.parameter == "rope"


# Effect sizes


def test_a_metric_has_no_effect_sizes_of_single_cases():
    found = sc.compare_pair(
        NEAR, FAR, y_true=TRUTH, scoring=rmse, greater_is_better=False,
        n_resamples=199, random_state=0,
    )  # fmt: skip
    assert found.better == "a"
    effect = found.effect
    assert effect.difference == pytest.approx(rmse(TRUTH, NEAR) - rmse(TRUTH, FAR))
    assert np.isnan([effect.cliffs_delta, effect.cohens_d]).all()
    assert (effect.wins, effect.ties, effect.losses) == (None, None, None)
    saved = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert PairComparison.from_dict(saved).to_dict() == saved
    assert ">nan<" not in sc.render(found, "html")


def test_effect_sizes_of_areas_do_not_hang_on_the_units_of_scores():
    y = (TRUTH > 0) * 1
    one = sc.compare_pair(NEAR, FAR, y_true=y, test="delong")
    two = sc.compare_pair(1000 * NEAR + 7, FAR, y_true=y, test="delong")
    assert one.effect == two.effect
    above, below = NEAR[y == 1], NEAR[y == 0]
    share = np.concatenate([
        (below[None, :] < above[:, None]).mean(axis=1),
        (below[:, None] < above[None, :]).mean(axis=1),
    ])  # fmt: skip
    above, below = FAR[y == 1], FAR[y == 0]
    other = np.concatenate([
        (below[None, :] < above[:, None]).mean(axis=1),
        (below[:, None] < above[None, :]).mean(axis=1),
    ])  # fmt: skip
    assert one.effect.cohens_d == pytest.approx(cohens_d(share, other), rel=1e-9)
    assert one.effect.wins == int((share > other + 1e-12).sum())
    assert one.effect.wins + one.effect.ties + one.effect.losses == 100


# Predictions of numbers


@pytest.mark.parametrize("test", ["bootstrap", "permutation", "mcnemar-mid-p"])
def test_numbers_are_not_compared_by_equality(test):
    with pytest.raises(UsageError):
        sc.compare_pair(NEAR, FAR, y_true=TRUTH, test=test)


def test_labels_are_compared_without_a_metric():
    y = np.arange(60) % 3
    a = np.where(np.arange(60) < 50, y, (y + 1) % 3)
    b = np.where(np.arange(60) < 20, y, (y + 1) % 3)
    for test in ("bootstrap", "permutation"):
        found = sc.compare_pair(a, b, y_true=y, test=test, random_state=0)
        assert found.effect.difference == pytest.approx(0.5)
        assert found.better == "a"


@pytest.mark.parametrize("test", ["auto", "mcnemar-mid-p", "permutation"])
def test_to_be_right_is_never_the_worse(test):
    truth = np.arange(40) % 2
    first, second = truth.copy(), truth.copy()
    first[:2], second[:12] = 1 - first[:2], 1 - second[:12]
    with pytest.raises(UsageError, match="to be right is better"):
        sc.compare_pair(first, second, y_true=truth, test=test, greater_is_better=False)
    wrong = (first != truth).astype(float), (second != truth).astype(float)
    assert sc.compare_pair(*wrong, greater_is_better=False).better == "a"
    assert sc.compare_pair(first, second, y_true=truth).better == "a"
