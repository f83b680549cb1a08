import numpy as np
import pytest
from scipy.special import comb, ndtr, ndtri
from scipy.stats import binom

from scorecast.exceptions import UsageError
from scorecast.extrapolation import Gaussian, ObservedClasses, RankHistogram
from scorecast.extrapolation.bayesian import RankLikelihood
from scorecast.scores import Scores, probit_moments

RNG = np.random.default_rng


class Curve:
    """ObservedClasses whose curve is known exactly."""

    def __init__(self, ks, accuracy):
        self.known = dict(zip(ks, accuracy, strict=True))
        self.n_classes = max(ks)

    def curve(self, ks):
        return np.array([self.known[int(k)] for k in ks])


def normal_ranks(mean, sd, n_classes, n_examples, seed):
    """Ranks of examples whose probit favourability is normal, competitors apart."""
    rng = RNG(seed)
    u = ndtr(mean + sd * rng.normal(size=n_examples))
    beaten = rng.binomial(n_classes - 1, 1 - u)
    return RankHistogram(
        histogram=np.bincount(beaten, minlength=n_classes) / n_examples
    )


def test_least_squares_recovers_a_noise_free_curve(reference):
    entry = reference["two_param_fit"]
    ranks = Curve(entry["inputs"]["ks"], entry["inputs"]["acc"])
    fitted = Gaussian(criterion="least-squares").fit_ranks(ranks)
    assert fitted.means[0] == pytest.approx(entry["expected"]["mu"], abs=1e-6)
    assert fitted.sds[0] == pytest.approx(entry["expected"]["nu"], abs=1e-6)
    target = np.array([entry["inputs"]["k_target"]])
    assert fitted.accuracy(target)[0] == pytest.approx(
        entry["expected"]["aga"], abs=1e-6
    )


def test_jointly_normal_scores_belong_to_the_family(reference):
    entry = reference["lemma1"]
    p = entry["inputs"]
    gap = p["delta"] - p["epsilon"]
    mean = p["alpha"] / np.sqrt(gap)
    sd = np.sqrt((p["beta"] + p["epsilon"] - 2 * p["gamma"]) / gap)
    accuracy = probit_moments(
        np.array([float(p["k"])]), np.array([mean]), np.array([sd])
    )
    assert 1 - accuracy[0, 0] == pytest.approx(entry["expected"], abs=1e-9)


@pytest.mark.parametrize(("mean", "sd"), [(1.3, 0.8), (3.0, 1.0), (0.0, 0.5)])
@pytest.mark.parametrize("n_classes", [20, 300, 5000])
def test_likelihood_recovers_the_parameters(mean, sd, n_classes):
    ranks = normal_ranks(mean, sd, n_classes, 200_000, seed=1)
    fitted = Gaussian().fit_ranks(ranks)
    assert fitted.means[0] == pytest.approx(mean, abs=0.03)
    assert fitted.sds[0] == pytest.approx(sd, abs=0.03)


def test_chances_of_ranks_equal_brute_force_integration():
    n_classes, mean, sd = 7, 0.8, 0.9
    likelihood = RankLikelihood(n_classes)
    z = np.linspace(-10, 10, 40_001)
    mass = np.exp(-0.5 * z**2)
    mass /= mass.sum()
    u = ndtr(mean + sd * z)
    expected = [
        comb(6, a) * mass @ (u ** (6 - a) * (1 - u) ** a) for a in range(n_classes)
    ]
    logs, _ = likelihood.normal(mean, np.log(sd))
    np.testing.assert_allclose(np.exp(logs), expected, rtol=1e-9)
    assert np.exp(logs).sum() == pytest.approx(1)


@pytest.mark.parametrize("n_classes", [5, 120, 10_000])
def test_slopes_are_derivatives(n_classes):
    likelihood = RankLikelihood(n_classes)
    theta, step = np.array([1.2, -0.2]), 1e-6
    _, slopes = likelihood.normal(*theta)
    for i, d in enumerate(step * np.eye(2)):
        up, down = (
            likelihood.normal(*(theta + d))[0],
            likelihood.normal(*(theta - d))[0],
        )
        likely = up > -200
        np.testing.assert_allclose(
            slopes[likely, i], ((up - down) / (2 * step))[likely], rtol=1e-4, atol=1e-5
        )


def test_binning_keeps_the_total_and_quadratics_of_the_probit():
    histogram = RNG(0).random(4000)
    likelihood = RankLikelihood(4000)
    binned = likelihood.bin(histogram)
    assert binned.sum() == pytest.approx(histogram.sum())
    for power in (1, 2):
        few = ndtri((likelihood.counts + 0.5) / 4000) ** power
        every = ndtri((np.arange(4000) + 0.5) / 4000) ** power
        assert binned @ few == pytest.approx(histogram @ every)


def test_few_representatives_of_many_counts_tell_as_much_as_all():
    counts = RNG(1).binomial(4999, ndtr(-RNG(2).normal(2.4, 1.2, 10_000)))
    likelihood, v = RankLikelihood(5000), np.linspace(-7, 12, 1901)
    seen, times = np.unique(counts, return_counts=True)
    logs = binom.logpmf(seen[:, None], 4999, ndtr(-v))
    histogram = np.bincount(counts, minlength=5000)

    def exact(mean, sd):
        density = np.exp(-0.5 * ((v - mean) / sd) ** 2)
        return times @ np.log(np.exp(logs) @ (density / density.sum()))

    def binned(mean, sd):
        return likelihood.bin(histogram) @ likelihood.normal(mean, np.log(sd))[0]

    # Differences are what a likelihood is for: linear shares are off by 50 here.
    for other in ((2.2, 1.4), (2.5, 1.1)):
        expected = exact(2.4, 1.2) - exact(*other)
        assert binned(2.4, 1.2) - binned(*other) == pytest.approx(expected, abs=0.5)


def test_one_newton_step_is_the_refit_to_jackknife_accuracy():
    rng = RNG(4)
    own = np.repeat(np.arange(50), 4)
    scores = rng.normal(size=(200, 50)) + 2.5 * np.eye(50)[own]
    evidence = ObservedClasses.of(Scores(scores, own))
    fit = Gaussian().fit(evidence, rng)
    target = np.array([1000])
    quick = [d.accuracy(target)[0] for d in fit.tuned.fit_left_out(evidence, fit)]
    slow = [
        Gaussian().fit_ranks(r).accuracy(target)[0] for r in evidence.ranks_left_out
    ]
    assert np.std(quick) == pytest.approx(np.std(slow), rel=0.1)
    assert np.corrcoef(quick, slow)[0, 1] > 0.99  # and each moves the same way


@pytest.mark.parametrize("criterion", ["likelihood", "least-squares"])
@pytest.mark.parametrize("beaten", [0, 9])
def test_perfect_and_hopeless_recognisers_stay_finite(criterion, beaten):
    histogram = np.zeros(10)
    histogram[beaten] = 1.0
    fitted = Gaussian(criterion=criterion).fit_ranks(RankHistogram(histogram=histogram))
    accuracy = fitted.accuracy(np.array([10, 10**9]))
    assert np.isfinite(accuracy).all()
    assert ((accuracy >= 0) & (accuracy <= 1 + 1e-12)).all()


def test_unknown_criteria_are_refused():
    with pytest.raises(UsageError, match="criterion"):
        Gaussian(criterion="moments")
