"""Method tail: laws of excesses, what it sees beyond ranks, where it gives way."""

import numpy as np
import pytest
import scipy

import scorecast as sc
from scorecast.extrapolation import ObservedClasses, Tail, TailLaw, tail as kernel

pytestmark = pytest.mark.filterwarnings("ignore::scorecast.exceptions.ResultWarning")

RNG = np.random.default_rng(0)


def gaussian(n_classes, noise, seed, *, n_features=10):
    """Centres, one vector of each in the gallery, one to recognise."""
    rng = np.random.default_rng((seed, n_classes))
    centre = rng.standard_normal((n_classes, n_features))
    shape = (2, n_classes, n_features)
    return centre + np.sqrt(noise) * rng.standard_normal(shape)


def observed(n_classes=100, noise=0.1, seed=0, scale=lambda d: -d):
    gallery, probes = gaussian(n_classes, noise, seed)
    apart = np.sqrt(((probes[:, None] - gallery[None]) ** 2).sum(axis=2))
    return ObservedClasses.of(sc.Scores(scale(apart), np.arange(n_classes)))


def truth(k, noise):
    rng = np.random.default_rng(1)
    centre = rng.standard_normal((20_000, 10))
    gallery, probe = centre + np.sqrt(noise) * rng.standard_normal((2, *centre.shape))
    apart = ((gallery - probe) ** 2).sum(axis=1) / (1 + noise)
    log_u = scipy.stats.ncx2.logsf(apart, 10, (probe**2).sum(axis=1) / (1 + noise))
    return float(np.exp((k - 1) * log_u).mean())


def fit(data):
    return Tail().fit(data, np.random.default_rng(0)).law


# --- the law of excesses -------------------------------------------------------------


@pytest.mark.parametrize("shape", [-0.2, 0.0, 0.3])
def test_shape_and_scale_of_pareto_excesses_are_found(shape):
    rng = np.random.default_rng(2)
    x = rng.standard_normal(400)
    sigma = np.exp(0.5 + 0.4 * x)
    excess = scipy.stats.genpareto(shape).rvs((400, 20), random_state=rng)
    design = np.column_stack([np.ones(400), x])
    slopes, found = kernel._fit_pareto(
        excess * sigma[:, None], design, np.full(400, 1 / 400), 8000.0, (0.0, 10.0)
    )
    np.testing.assert_allclose(slopes, [0.5, 0.4], atol=0.06)
    assert found == pytest.approx(shape, abs=0.05)


def terms_of_the_likelihood(excess, design, weights):
    """Catch what is led downhill by a fit."""
    caught = []

    def spy(terms, start):
        caught.append(terms)
        return start

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "_downhill", spy)
        kernel._fit_pareto(excess, design, weights, 75.0, (-0.1, 0.1))
    return caught[0]


def test_the_likelihood_its_slope_and_its_bend_belong_together():
    rng = np.random.default_rng(3)
    excess = rng.exponential(size=(30, 5))
    design = np.column_stack([np.ones(30), rng.standard_normal(30)])
    weights = np.full(30, 1 / 30)
    terms = terms_of_the_likelihood(excess, design, weights)
    for theta in ([0.1, 0.2, -0.3], [-0.5, 0.0, 0.4], [-1.0, 0.1, -0.8]):
        theta = np.array(theta)
        found = terms(theta)
        numeric = scipy.optimize.approx_fprime(theta, lambda t: terms(t).value, 1e-7)
        np.testing.assert_allclose(found.slope, numeric, rtol=1e-3, atol=1e-3)
        bend = scipy.optimize.approx_fprime(theta, lambda t: terms(t).slope, 1e-7)
        np.testing.assert_allclose(found.bend, bend, rtol=1e-3, atol=1e-2)
    # Within the law's range the value is its likelihood, with both priors.
    theta = np.array([1.5, 0.2, -0.1])
    law = scipy.stats.genpareto(-0.1, scale=np.exp(design @ theta[:2])[:, None])
    expected = -75 / 5 * weights @ law.logpdf(excess).sum(axis=1)
    expected += 0.5 * (0.2 / kernel._SLOPE_SD) ** 2
    assert terms(theta).value == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("tail", [0.0, 0.3, -0.2, 1.2])
def test_no_other_search_finds_a_likelier_law(tail):
    rng = np.random.default_rng(11)
    excess = scipy.stats.genpareto(tail).rvs((60, 10), random_state=rng)
    excess /= excess.mean()
    design = np.column_stack([np.ones(60), rng.standard_normal((60, 2))])
    weights = rng.dirichlet(np.ones(60))
    terms = terms_of_the_likelihood(excess, design, weights)
    slopes, shape = kernel._fit_pareto(excess, design, weights, 75.0, (-0.1, 0.1))
    here = terms(np.append(slopes, shape)).value
    for start in rng.normal(0, 0.2, size=(6, 4)):
        other = scipy.optimize.minimize(
            lambda theta: terms(theta).value,
            start,
            jac=lambda theta: terms(theta).slope,
            method="L-BFGS-B",
            bounds=[(None, None)] * 3 + [(-0.9, 0.9)],
        )
        assert here <= other.fun + 1e-5 * abs(other.fun)


def test_the_hazard_of_exponential_residuals_is_one_and_of_others_what_it_is():
    rng = np.random.default_rng(4)
    weights = np.full(2000, 1 / 2000)
    plain = kernel._Hazard.of(rng.exponential(size=(2000, 20)), weights, 40_000.0)
    at = np.linspace(0, 6, 30)
    np.testing.assert_allclose(plain.at(at), at, atol=0.15)
    double = kernel._Hazard.of(rng.exponential(size=(2000, 20)) / 2, weights, 40_000.0)
    np.testing.assert_allclose(double.at(at[:15]), 2 * at[:15], atol=0.3)


def test_best_wrong_scores_are_those_of_the_matrix_for_embeddings_too():
    gallery, probes = gaussian(60, 0.2, 5)
    data = sc.Embeddings(gallery, probes, np.arange(60))
    matrix = data.rows(0, 60)
    best = kernel._best_wrong(ObservedClasses.of(data), 12)
    wrong = np.array([np.delete(row, i) for i, row in enumerate(matrix)])
    np.testing.assert_allclose(best.wrong, -np.sort(-wrong, axis=1)[:, :12])
    np.testing.assert_allclose(best.truth, np.diag(matrix))


# --- what it sees --------------------------------------------------------------------


def test_it_is_nearer_than_ranks_on_gaussian_classes():
    target = np.array([4000])
    off = {"tail": [], "bayesian": []}
    for noise in (0.05, 0.1, 0.3):
        true = truth(4000, noise)
        for seed in range(3):
            data = observed(200, noise, seed)
            for name, errors in off.items():
                law = sc.extrapolation.EXTRAPOLATORS[name].fit(data, RNG).law
                errors.append(law.accuracy(target)[0] - true)
    rmse = {name: np.sqrt(np.mean(np.square(e))) for name, e in off.items()}
    assert rmse["tail"] < 0.06
    assert rmse["tail"] < 0.8 * rmse["bayesian"]


def test_accuracy_falls_with_classes_and_rises_with_guesses():
    law = fit(observed())
    ks = np.array([100, 300, 1000, 10_000, 10**6])
    for top in (1, 3):
        accuracy = law.accuracy(ks, top)
        assert (np.diff(accuracy) <= 0).all()
        assert ((accuracy >= 0) & (accuracy <= 1)).all()
    assert (law.accuracy(ks, 3) >= law.accuracy(ks, 1)).all()


def test_order_of_classes_and_units_do_not_matter():
    gallery, probes = gaussian(60, 0.1, 6)
    apart = -np.sqrt(((probes[:, None] - gallery[None]) ** 2).sum(axis=2))
    order = np.random.default_rng(7).permutation(60)
    target = np.array([600])
    plain = fit(ObservedClasses.of(sc.Scores(apart, np.arange(60)))).accuracy(target)
    scaled = fit(ObservedClasses.of(sc.Scores(3 * apart, np.arange(60))))
    # Halves are others; what all classes say is not.
    mixed = fit(ObservedClasses.of(sc.Scores(apart[:, order], np.argsort(order))))
    np.testing.assert_allclose(scaled.accuracy(target), plain, rtol=1e-4)
    np.testing.assert_allclose(mixed.accuracy(target), plain, rtol=1e-6)


def test_halves_of_the_classes_that_disagree_widen_the_interval():
    law = fit(observed())
    assert isinstance(law, TailLaw)
    target = np.array([2000])
    below, _ = law.logit_spread(target)
    assert below[0] > abs(law.disagreement(target)[0])


@pytest.mark.parametrize(
    "scores",
    [
        np.random.default_rng(8).integers(0, 6, size=(80, 40)).astype(float),
        np.random.default_rng(9).normal(size=(8, 8)),
    ],
    ids=["votes", "few classes"],
)
def test_where_there_is_no_tail_ranks_answer(scores):
    own = np.arange(scores.shape[0]) % scores.shape[1]
    data = ObservedClasses.of(sc.Scores(scores, own))
    ranks = sc.extrapolation.Bayesian().fit(data, RNG).law
    target = np.array([100])
    np.testing.assert_allclose(
        Tail().fit(data, RNG).law.own_accuracy(target), ranks.own_accuracy(target)
    )


def test_several_thousand_samples_of_many_are_enough():
    rng = np.random.default_rng(10)
    own = np.repeat(np.arange(50), 100)
    scores = rng.normal(size=(5000, 50)) + 2.5 * np.eye(50)[own]
    law = fit(ObservedClasses.of(sc.Scores(scores, own)))
    p = scipy.stats.norm.sf(2.5 + rng.standard_normal(200_000))
    true = np.mean((1 - p) ** 499)
    assert law.accuracy(np.array([500]))[0] == pytest.approx(true, abs=0.04)


# --- intervals that hold -------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.statistical
def test_intervals_hold_and_would_not_without_their_doubts(monkeypatch):
    target = 1000

    def coverage():
        holds = []
        for noise in (0.05, 0.1, 0.2):
            true = truth(target, noise)
            for seed in range(40):
                (p,) = sc.extrapolate(
                    observed(100, noise, seed).data,
                    to=target,
                    method="tail",
                    backtest=0,
                    confidence_level=0.9,
                ).predictions
                holds.append(p.low <= true <= p.high)
        return np.mean(holds)

    held = coverage()
    assert 0.85 <= held <= 0.99
    monkeypatch.setattr(kernel, "_DOUBT", 0.0)
    monkeypatch.setattr(kernel, "_DOUBT_OF_CLASSES", 0.0)
    monkeypatch.setattr(TailLaw, "sampling_error", lambda *_: np.zeros(1))
    monkeypatch.setattr(TailLaw, "disagreement", lambda *_: np.zeros(1))
    held = coverage()
    assert held < 0.8


def test_huge_scores_are_scores_like_others(recwarn):
    gallery, probes = gaussian(60, 0.1, 3)
    apart = ((probes[:, None] - gallery[None]) ** 2).sum(axis=2)
    usual, huge = (
        sc.extrapolate(-apart * unit, np.arange(60), to=500, method="tail")
        for unit in (1.0, 2.0**1000)
    )
    (expected,), (found,) = usual.predictions, huge.predictions
    assert found.accuracy == pytest.approx(expected.accuracy, abs=1e-9)
    assert not [one for one in recwarn if issubclass(one.category, RuntimeWarning)]
