"""The most likely law of favourability, of any shape and of increasing density."""

import numpy as np
import pytest
import scipy

from scorecast.extrapolation import EXTRAPOLATORS, PseudoLikelihood, RankHistogram
from scorecast.extrapolation.likelihood import most_likely

NAMES = ("npmle", "npmle-mono")


def histogram(n_classes=20, n=400, seed=0, a=9.0, b=1.2):
    rng = np.random.default_rng(seed)
    beaten = rng.binomial(n_classes - 1, 1 - rng.beta(a, b, n))
    counts = np.bincount(beaten, minlength=n_classes)
    return RankHistogram(histogram=counts / counts.sum())


def likelihoods(n_classes, u):
    """Chances of 0, 1, ... beating classes, by SciPy's binomial."""
    n = n_classes - 1
    return scipy.stats.binom.pmf(np.arange(n_classes)[:, None], n, 1 - u)


def promise(table, counts, masses):
    return counts @ (table / (table @ masses)[:, None]) / counts.sum()


@pytest.mark.parametrize("seed", range(4))
def test_no_law_of_any_shape_is_more_likely(seed):
    """No value of U promises a gain: the condition for the maximum, on a finer grid."""
    ranks = histogram(seed=seed)
    law = EXTRAPOLATORS["npmle"].fit_ranks(ranks)
    fitted = likelihoods(20, 1 - law.places) @ law.masses
    u = np.linspace(0, 1, 20_001)
    gains = ranks.histogram @ (likelihoods(20, u) / fitted[:, None])
    assert gains.max() < 1 + 1e-3  # of nodes that lie between those of the grid
    on_grid = promise(likelihoods(20, 1 - law.places), ranks.histogram, law.masses)
    assert on_grid.max() < 1 + 1e-6


@pytest.mark.parametrize("seed", range(4))
def test_no_increasing_density_is_more_likely(seed):
    """Another solver, another form: increasing steps, and the density integrated."""
    ranks = histogram(n_classes=6, n=200, seed=seed)
    law = EXTRAPOLATORS["npmle-mono"].fit_ranks(ranks)
    nodes = np.linspace(0, 1, 4001)
    middle = (nodes[1:] + nodes[:-1]) / 2
    d = law.discriminability(middle)
    assert (np.diff(d, 2) > -1e-9).all()  # convex, so its density increases
    within = law.masses[law.places > 0]
    density = np.where(middle[:, None] > 1 - law.places[law.places > 0], 1.0, 0.0)
    density = density / law.places[law.places > 0] @ within / middle.size
    chances = likelihoods(6, middle) @ density
    chances[0] += law.masses[law.places == 0].sum()
    ours = ranks.histogram @ np.log(chances)

    starts = np.linspace(0, 0.95, 20)
    steps = np.array(
        [likelihoods(6, np.linspace(s, 1, 2001)).mean(axis=1) for s in starts]
    ).T
    steps = np.column_stack([steps, np.eye(6)[0]])

    def loss(x):
        shares = scipy.special.softmax(x)
        return -ranks.histogram @ np.log(steps @ shares)

    theirs = -scipy.optimize.minimize(loss, np.zeros(21), method="BFGS").fun
    assert ours > theirs - 1e-3


def test_a_law_of_increasing_density_is_found_again():
    # U of the density 9 u^8: accuracy among k classes is 9 / (k + 8).
    ranks = histogram(n_classes=50, n=40_000, a=9.0, b=1.0)
    for name in NAMES:
        law = EXTRAPOLATORS[name].fit_ranks(ranks)
        at = np.array([2, 10, 50])
        assert law.accuracy(at) == pytest.approx(9 / (at + 8), abs=0.006)
        far = law.accuracy(np.array([150]))[0]
        assert far == pytest.approx(9 / 158, abs=0.03)
    u = np.array([0.5, 0.8, 0.95])
    assert law.discriminability(u) == pytest.approx(u**9, abs=0.02)


@pytest.mark.parametrize("name", NAMES)
def test_what_was_observed_is_met_and_laws_agree_with_themselves(name):
    ranks = histogram(n_classes=30, n=3000)
    law = EXTRAPOLATORS[name].fit_ranks(ranks)
    assert law.masses.sum() == pytest.approx(1)
    assert law.masses.min() >= 0
    sizes = np.array([2, 10, 30])
    assert law.accuracy(sizes) == pytest.approx(ranks.curve(sizes), abs=0.01)
    # accuracy(k) = 1 - (k - 1) times the integral of D(u) u^(k - 2).
    u = 1 - np.linspace(0, 1, 400_001)[::-1]
    middle = (u[1:] + u[:-1]) / 2
    d = law.discriminability(middle)
    assert 1 - 9 * np.mean(d * middle**8) == pytest.approx(
        law.accuracy(np.array([10]))[0], abs=1e-4
    )


def test_guesses_of_a_uniform_law_have_a_closed_form():
    method = PseudoLikelihood(monotone=True)
    law = method.fit_ranks(RankHistogram(histogram=np.full(8, 1 / 8)))
    # U is uniform: of k classes any rank is as likely.
    for top in (1, 2, 5):
        found = law.accuracy(np.array([1, 2, 5, 40]), top)
        assert found == pytest.approx(
            np.minimum(top / np.array([1, 2, 5, 40]), 1), abs=2e-3
        )


def test_equal_columns_and_lone_counts():
    table = np.array([[0.2, 0.2, 0.9], [0.8, 0.8, 0.1]])
    assert most_likely(table, np.array([0.0, 5.0]))[2] < 1e-6
    even = table @ most_likely(table, np.array([5.0, 5.0]))
    assert even == pytest.approx([0.5, 0.5], abs=1e-6)


def test_many_classes_are_quick_and_starts_do_not_matter():
    ranks = histogram(n_classes=20_000, n=3000, a=3000.0)
    for name in NAMES:
        method = EXTRAPOLATORS[name]
        law = method.fit_ranks(ranks)
        again = method.fit_ranks(ranks, law)
        at = np.array([20_000, 100_000])
        assert again.accuracy(at) == pytest.approx(law.accuracy(at), abs=2e-3)
        assert law.accuracy(at[:1]) == pytest.approx(ranks.accuracy(), abs=2e-3)


def test_names_follow_the_setting():
    assert PseudoLikelihood(monotone=True).name == "npmle-mono"
    assert EXTRAPOLATORS["npmle"].with_settings(monotone=True).name == NAMES[1]
    assert EXTRAPOLATORS["npmle"].settings() == {}
