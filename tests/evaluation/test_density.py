"""Does a density describe cases it has not seen?"""

import json
import math
import sys

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import binom, energy_distance, multivariate_normal, norm, uniform
from sklearn.base import BaseEstimator
from tests.snapshot import assert_snapshot, page_text

import scorecast as sc
from scorecast._core.result import result_from_dict
from scorecast.evaluation import DENSITY_STATISTICS, DensityNote
from scorecast.evaluation.density import pair_distances, two_sample_p
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError


def test_statistics_equal_plain_sums():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(7, 3)), rng.normal(1, 2, size=(5, 3))
    both = pair_distances(np.vstack([X, Y]))
    assert np.allclose(both, cdist(np.vstack([X, Y]), np.vstack([X, Y])))
    xy, xx, yy = cdist(X, Y).mean(), cdist(X, X).mean(), cdist(Y, Y).mean()
    value, p = two_sample_p(both, 7, "energy", n_permutations=5, rng=rng)
    assert value == pytest.approx(2 * xy - xx - yy)
    assert 1 / 6 <= p <= 1
    width = np.median(both[np.triu_indices(12, 1)])

    def kernel(a, b):
        return np.exp(-(cdist(a, b) ** 2) / (2 * width**2)).mean()

    value, _ = two_sample_p(both, 7, "mmd", n_permutations=5, rng=rng)
    assert value == pytest.approx(kernel(X, X) + kernel(Y, Y) - 2 * kernel(X, Y))


@pytest.mark.parametrize("name", DENSITY_STATISTICS)
def test_each_statistic_keeps_its_level_and_sees_a_shift(name):
    rng = np.random.default_rng(21)

    def share(shift):
        p = [
            two_sample_p(
                pair_distances(
                    np.vstack(
                        [rng.normal(size=(15, 2)), rng.normal(shift, 1, size=(15, 2))]
                    )
                ),
                15,
                name,
                n_permutations=19,
                rng=rng,
            )[1]
            for _ in range(150)
        ]
        return np.mean(np.array(p) <= 0.05)

    assert share(0.0) <= binom.ppf(0.999, 150, 0.05) / 150
    assert share(1.5) > 0.8


def test_one_feature_agrees_with_scipy():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=30), rng.normal(0.5, 1, size=40)
    both = pair_distances(np.concatenate([x, y])[:, None])
    value, _ = two_sample_p(both, 30, "energy", n_permutations=5, rng=rng)
    assert value == pytest.approx(energy_distance(x, y) ** 2)


def test_the_p_value_is_that_of_all_permutations():
    """Six cases: every assignment can be tried."""
    from itertools import combinations

    rng = np.random.default_rng(2)
    points = rng.normal(size=(6, 2))
    points[:3] += 1.0
    both = pair_distances(points)

    def statistic(first):
        rest = [i for i in range(6) if i not in first]
        a, b = list(first), rest
        return (
            2 * both[np.ix_(a, b)].mean()
            - both[np.ix_(a, a)].mean()
            - both[np.ix_(b, b)].mean()
        )

    observed = statistic((0, 1, 2))
    every = [statistic(c) for c in combinations(range(6), 3)]
    exact = np.mean(np.array(every) >= observed - 1e-12)
    _, p = two_sample_p(both, 3, "energy", n_permutations=4000, rng=rng)
    assert p == pytest.approx(exact, abs=0.03)


def test_right_and_wrong_densities():
    rng = np.random.default_rng(3)
    X = np.vstack([rng.normal(size=(60, 2)), rng.normal(5, 1, size=(60, 2))])
    from sklearn.mixture import GaussianMixture

    right = sc.density_test(GaussianMixture(2), X, n_splits=2)
    wrong = sc.density_test(
        GaussianMixture(1, covariance_type="spherical"), X, n_splits=2, n_refits=39
    )
    assert not right.is_rejected
    assert wrong.is_rejected
    assert right.n_fitted == 60
    assert right.n_tested == 120
    assert right.n_splits == 2
    assert 25 <= right.n_refits <= 99
    assert right.log_likelihood > wrong.log_likelihood
    assert right.gain_low > 0
    assert right.low < right.log_likelihood < right.high
    again = result_from_dict(json.loads(json.dumps(right.to_dict())))
    assert again.to_dict() == right.to_dict()
    again = sc.density_test(GaussianMixture(2), X, n_splits=2)
    assert again.to_dict() == right.to_dict()


def test_the_log_likelihood_is_of_held_out_cases_only():
    X = np.random.default_rng(4).normal(2, 3, size=(60, 2))
    density = multivariate_normal([2, 2], 9)
    answer = sc.density_test(density, X)
    assert answer.n_fitted == 0
    assert answer.log_likelihood == pytest.approx(density.logpdf(X).mean())
    assert math.isnan(answer.gain)
    one = sc.density_test(norm(2, 3), X[:, :1])
    assert one.log_likelihood == pytest.approx(norm(2, 3).logpdf(X[:, 0]).mean())
    drawn = sc.density_test(lambda n, rng: rng.normal(2, 3, size=(n, 2)), X)
    assert math.isnan(drawn.log_likelihood)
    assert not drawn.is_rejected


def rejected(draw_cases, density, n_sets, seed):
    rng = np.random.default_rng(seed)
    answers = [
        sc.density_test(
            density, draw_cases(rng), n_permutations=39, random_state=rng, alpha=0.05
        )
        for _ in range(n_sets)
    ]
    return (
        np.array([[test.p_value <= 0.05 for test in x.tests] for x in answers]),
        np.array([x.is_rejected for x in answers]),
    )


def test_the_level_is_held_and_a_wrong_density_breaks_it():
    def cases(rng):
        return rng.normal(size=(30, 3))

    single, together = rejected(cases, multivariate_normal(np.zeros(3)), 150, 5)
    assert (single.mean(axis=0) < 0.10).all()
    assert together.mean() < 0.10
    single, together = rejected(cases, multivariate_normal(np.zeros(3) + 0.8), 40, 6)
    assert (single.mean(axis=0) > 0.6).all()


@pytest.mark.statistical
def test_the_level_over_many_samples():
    def cases(rng):
        return rng.standard_t(3, size=(40, 2))

    def draw(n, rng):
        return rng.standard_t(3, size=(n, 2))

    single, _ = rejected(cases, draw, 1500, 7)
    # Exact: 2 of 40 values of p are 0.05 or less.
    assert single.mean(axis=0) == pytest.approx([0.05, 0.05], abs=0.018)


def test_cases_it_was_fitted_to_would_hide_the_fault():
    """Broken on purpose: a density that remembers its cases looks right to them."""
    from sklearn.neighbors import KernelDensity

    rng = np.random.default_rng(8)
    X = rng.standard_t(2, size=(60, 5))
    memory = KernelDensity(bandwidth=0.05)
    honest = sc.density_test(memory, X, as_fitted=True)
    fooled = sc.density_test(memory.fit(X), X, prefit=True)
    assert fooled.log_likelihood > honest.log_likelihood + 10
    assert not fooled.is_rejected


class Normal(BaseEstimator):
    """Independent normals, quick to fit."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X):
        self.mean_, self.spread_ = X.mean(axis=0), X.std(axis=0, ddof=1)
        return self

    def sample(self, n):
        rng = np.random.default_rng(self.random_state)
        return rng.normal(self.mean_, self.spread_, (n, self.mean_.size))

    def score_samples(self, X):
        return norm(self.mean_, self.spread_).logpdf(X).sum(axis=1)


def two_normals(rng, n=60):
    """Two clouds, four standard deviations apart."""
    return rng.normal(size=(n, 2)) + 4.0 * (rng.random((n, 1)) < 0.5)


def rejections(draw, density, n_sets, seed, **options):
    """How often a density that is fitted is rejected, allowing for that and not."""
    rng = np.random.default_rng(seed)
    samples = [draw(rng) for _ in range(n_sets)]
    new = [
        sc.density_test(density, X, n_refits=39, random_state=i, **options).is_rejected
        for i, X in enumerate(samples)
    ]
    old = [
        sc.density_test(density, X, as_fitted=True, random_state=i).is_rejected
        for i, X in enumerate(samples)
    ]
    return np.mean(new), np.mean(old)


@pytest.mark.slow
def test_a_fitted_density_of_the_right_family_passes():
    new, old = rejections(
        lambda rng: rng.normal(size=(24, 1)), Normal(), 60, 1, n_splits=1
    )
    assert new <= 0.10
    assert old > new
    wrong, _ = rejections(
        lambda rng: rng.exponential(size=(60, 2)), Normal(), 8, 2, n_splits=1
    )  # fmt: skip
    assert wrong >= 0.7


@pytest.mark.statistical
def test_the_level_of_fitted_mixtures_and_their_power():
    """400 fits of the right family; the test that forgets the fit errs more often."""
    from sklearn.mixture import GaussianMixture

    new, old = rejections(two_normals, GaussianMixture(2), 400, 7, n_splits=1)
    assert new <= 0.05 + 2 * 0.011
    assert old >= 0.08
    power, _ = rejections(
        lambda rng: two_normals(rng, 120), GaussianMixture(1), 30, 8, n_splits=1
    )
    assert power >= 0.6


def test_the_answer_is_the_same_for_any_number_of_workers():
    X = two_normals(np.random.default_rng(0), 40)
    one, two = (
        sc.density_test(Normal(), X, n_refits=39, n_splits=1, n_jobs=n) for n in (1, 2)
    )
    assert one.to_dict() == two.to_dict()


def test_refits_end_once_enough_are_as_far_off():
    X = np.random.default_rng(3).normal(size=(60, 2))
    found = sc.density_test(Normal(), X, n_refits=999, n_splits=1)
    assert not found.is_rejected
    assert found.n_refits < 999
    assert found.tests[0].min_p_value == pytest.approx(0.001)


def test_as_fitted_is_about_one_split():
    X = np.random.default_rng(3).normal(size=(60, 2))
    found = sc.density_test(Normal(), X, as_fitted=True)
    assert (found.n_splits, found.n_refits) == (1, 0)
    for options, parameter in (
        ({"as_fitted": True, "n_splits": 3}, "n_splits"),
        ({"n_refits": 9}, "n_refits"),
    ):
        with pytest.raises(UsageError) as caught:
            sc.density_test(Normal(), X, **options)
        assert caught.value.parameter == parameter


def test_a_density_that_draws_the_same_every_time_is_refused():
    class Stuck(Normal):
        def sample(self, n):
            return np.random.default_rng(0).normal(size=(n, 2))

    X = np.random.default_rng(3).normal(size=(60, 2))
    with pytest.raises(InvalidInputError, match="the same samples"):
        sc.density_test(Stuck(), X)


# Several densities


def test_several_densities_are_compared_on_the_same_cases():
    from sklearn.mixture import GaussianMixture

    X = two_normals(np.random.default_rng(0), 90)
    found = sc.evaluation.compare_densities(
        {
            "two": GaussianMixture(2),
            "one": Normal(),
            "far": multivariate_normal([50, 50], 900),
        },
        X,
        n_splits=2,
    )
    assert found.order == ("two", "one", "far")
    assert found.best == "two"
    assert set(found.rejected) == {"one", "far"}
    assert found.beats("two", "one")
    assert not found.beats("one", "two")
    pair = next(x for x in found.pairs if {x.a, x.b} == {"two", "one"})
    gap = found.tests["two"].log_likelihood - found.tests["one"].log_likelihood
    assert pair.difference == pytest.approx(gap)
    assert pair.low < gap < pair.high
    again = result_from_dict(json.loads(json.dumps(found.to_dict())))
    assert again.to_dict() == found.to_dict()
    assert again.summary() == found.summary()
    text = sc.render(found)
    assert max(map(len, text.splitlines())) <= 88
    assert_snapshot("density_comparison", text)
    assert_snapshot("density_comparison_page", page_text(sc.render(found, "html")))


def test_a_comparison_of_densities_that_cannot_be_is_refused():
    X = np.random.default_rng(0).normal(size=(40, 1))
    for densities in (
        [Normal()],
        [Normal(), Normal(), norm()],  # two of one name
        {"normal": norm(), "draws": lambda n, rng: rng.normal(size=(n, 1))},
    ):
        with pytest.raises(UsageError) as caught:
            sc.evaluation.compare_densities(densities, X)
        assert caught.value.parameter == "densities"
    found = sc.evaluation.compare_densities([Normal(), norm()], X)
    assert found.densities == ("Normal()", "norm")


LINE = np.zeros((20, 2)) + np.arange(20)[:, None]


@pytest.mark.parametrize(
    ("density", "X", "options", "error", "parameter"),
    [
        (Normal(), LINE[:4], {"test_size": 0.75}, InsufficientDataError, "X"),
        (norm(), LINE[:3, :1], {}, InsufficientDataError, "X"),
        ("normal", LINE, {}, UsageError, "density"),
        (norm(), LINE, {}, InvalidInputError, "density"),
        (norm(), LINE[:, :1], {"n_permutations": 0}, UsageError, "n_permutations"),
        (norm(), LINE[:, :1], {"test_size": 2}, UsageError, "test_size"),
        (norm(), LINE[:, :1], {"max_samples": 2}, UsageError, "max_samples"),
        (norm(), np.full((9, 1), np.nan), {}, InvalidInputError, "X"),
    ],
)
def test_bad_calls(density, X, options, error, parameter):
    with pytest.raises(error) as caught:
        sc.density_test(density, X, **options)
    assert caught.value.parameter == parameter


def test_samples_beyond_the_most_are_left_out_and_noted():
    capped = sc.density_test(norm(10, 6), LINE[:, :1], max_samples=10)
    assert capped.n_tested == 10
    (note,) = capped.notes
    assert (note.code, note.count) == (DensityNote.SAMPLES_LEFT_OUT, 10)


def test_permutations_that_could_never_reject_are_refused():
    X = np.random.default_rng(0).normal(size=(60, 1))
    with pytest.raises(UsageError, match="from 39"):
        sc.density_test(norm(9.0), X, n_permutations=38)
    assert sc.density_test(norm(9.0), X, n_permutations=39).is_rejected
    with pytest.raises(UsageError, match="from 199"):
        sc.density_test(norm(9.0), X, n_permutations=100, alpha=0.01)


def test_cases_that_cannot_be_by_a_density_are_told():
    X = np.random.default_rng(0).uniform(0, 1, (60, 1))
    X[:3] += 1.0
    found = sc.density_test(uniform(), X)
    assert found.log_likelihood == -np.inf
    assert found.n_impossible == 3
    (note,) = found.notes
    assert note.code == DensityNote.IMPOSSIBLE_SAMPLES
    assert (note.count, note.total) == (3, 60)
    saved = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert saved["result"]["n_impossible"] == 3
    again = sc.evaluation.DensityTest.from_dict(saved)
    assert again.log_likelihood == -np.inf
    assert again.to_dict() == saved
    assert sc.density_test(uniform(0, 3), X).n_impossible == 0


def test_a_density_that_gives_no_number_is_refused():
    class Broken:
        def sample(self, n):
            return np.zeros((n, 1))

        def score_samples(self, X):
            return np.where(X[:, 0] > 0, np.nan, 0.0)

    X = np.random.default_rng(0).normal(size=(60, 1))
    with pytest.raises(InvalidInputError, match="log-density"):
        sc.density_test(Broken(), X)


def test_labels_among_the_features_are_told():
    from sklearn.mixture import GaussianMixture

    rng = np.random.default_rng(0)
    X = np.c_[rng.normal(size=(60, 2)), rng.integers(0, 2, 60)]
    found = sc.density_test(GaussianMixture(1), X)
    (note,) = found.notes
    assert (note.code, note.names) == (DensityNote.CODED_FEATURES, ("3",))
    plain = sc.density_test(GaussianMixture(1), X[:, :2])
    assert not plain.notes


class Fussy(BaseEstimator):
    """Independent normals whose fit fails, by luck of the cases, with some chance."""

    def __init__(self, share=0.0, how="raises", random_state=None):
        self.share = share
        self.how = how
        self.random_state = random_state

    def fit(self, X):
        # Whole numbers, as the data of the tests are, are always fitted.
        fails = (1e4 * abs(X[0, 0])) % 1 < self.share and X[0, 0] != round(X[0, 0])
        self.converged_ = not (fails and self.how == "converges not")
        if fails and self.how == "raises":
            msg = "these cases are not to my liking"
            raise ValueError(msg)
        self.mean_, self.spread_ = X.mean(axis=0), X.std(axis=0)
        if fails and self.how == "runs away":
            self.mean_ = self.mean_ * np.nan
        return self

    def sample(self, n, random_state=None):
        rng = np.random.default_rng(random_state)
        return rng.normal(self.mean_, self.spread_, size=(n, self.mean_.size))


@pytest.mark.parametrize("how", ["raises", "converges not", "runs away"])
def test_refits_that_fail_are_left_out_counted_and_said(how):
    rng = np.random.default_rng(11)
    # Normals do not describe two far lumps: that must be seen, though some refits fail.
    X = np.round(np.vstack([rng.normal(0, 2, (40, 1)), rng.normal(40, 2, (40, 1))]))
    call = {"n_refits": 39, "n_splits": 1}
    plain = sc.density_test(Fussy(), X, **call)
    found = sc.density_test(Fussy(0.1, how), X, **call)
    assert plain.n_failed == 0
    assert plain.is_rejected
    assert 1 <= found.n_failed <= 9
    assert found.n_refits == plain.n_refits == 39
    assert found.p_value == plain.p_value == pytest.approx(2 / 40)
    assert found.is_rejected
    why = {
        "raises": "not to my liking",
        "converges not": "did not converge",
        "runs away": "finite samples",
    }[how]
    (note,) = found.notes
    assert note.code == DensityNote.REFITS_FAILED
    assert (note.count, note.total) == (found.n_failed, 39 + found.n_failed)
    assert why in found.first_failure
    assert why in " ".join(sc.render(found).split())
    data = json.loads(json.dumps(found.to_dict()))
    assert data["result"]["n_failed"] == found.n_failed
    assert result_from_dict(data).n_failed == found.n_failed
    assert sc.density_test(Fussy(0.1, how), X, n_jobs=2, **call).to_dict() == (
        found.to_dict()
    )


def test_more_than_a_fifth_of_failing_refits_is_refused():
    X = np.round(np.random.default_rng(12).normal(0, 20, (60, 1)))
    with pytest.raises(InsufficientDataError, match="fifth") as caught:
        sc.density_test(Fussy(0.5), X, n_splits=1)
    assert "not to my liking" in str(caught.value)
    assert caught.value.exit_code == 4
    with pytest.raises(InsufficientDataError, match="25 of 25"):
        sc.density_test(Fussy(1.0), X, n_splits=1)


def test_data_that_do_not_converge_are_held_against_all_samples():
    class Never(Fussy):
        def fit(self, X):
            super().fit(X)
            self.converged_ = False
            return self

    X = np.round(np.random.default_rng(13).normal(0, 20, (60, 1)))
    assert sc.density_test(Never(), X, n_splits=1).n_failed == 0


def share_rejected(n_sets, seed):
    """How often the right family is rejected where a tenth of the refits fails."""
    rng = np.random.default_rng(seed)
    rejections = []
    while len(rejections) < n_sets:
        X = rng.normal(0, 20, (40, 1))
        try:
            found = sc.density_test(
                Fussy(0.1), X, n_refits=39, n_splits=1, random_state=rng
            )
        except (UsageError, InsufficientDataError):
            continue  # the data themselves, or too many samples
        rejections.append(found.is_rejected)
    return sum(rejections)


@pytest.mark.slow
def test_the_level_is_held_though_refits_fail(monkeypatch):
    # The chance of more at 5 % is below 1 %.
    assert share_rejected(400, 14) <= binom.ppf(0.99, 400, 0.05)

    def too_near(task, rng):
        found = refitted(task, rng)
        return found._replace(values=None if found.values is None else found.values / 2)

    module = sys.modules[sc.density_test.__module__]
    refitted = module._refitted
    monkeypatch.setattr(module, "_refitted", too_near)
    assert share_rejected(100, 15) > binom.ppf(0.99, 100, 0.05)
