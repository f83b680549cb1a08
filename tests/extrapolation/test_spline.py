import numpy as np
import pytest
from scipy.optimize import nnls

from scorecast.exceptions import UsageError
from scorecast.extrapolation import ObservedClasses, Polynomial, RankHistogram, Spline
from scorecast.extrapolation.spline import spline_moments
from scorecast.scores import Scores
from scorecast.simulate import BivariateNormal


def evidence(n_classes=30, seed=0):
    scores, y, _ = BivariateNormal(0.9).sample(n_classes, 5, random_state=seed)
    return ObservedClasses.of(Scores(scores, y))


def full_solution(ranks, n_knots):
    """All columns at once, with the slack of examples never confused."""
    sizes = np.arange(2, ranks.n_classes + 1)
    knots = np.arange(n_knots) / n_knots
    columns = spline_moments(sizes.astype(float), knots) / (1 - knots)
    columns = np.column_stack([columns, np.zeros(sizes.size)])
    tied = np.vstack([columns, np.full(n_knots + 1, 1e4)])
    return nnls(tied, np.append(1 - ranks.curve(sizes), 1e4), maxiter=10_000)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_adding_columns_reaches_the_solution_of_all_of_them(seed):
    ranks = evidence(seed=seed).ranks
    fitted = Spline(n_knots=300).fit_ranks(ranks)
    _, best = full_solution(ranks, 300)
    sizes = np.arange(2, 31)
    residual = np.linalg.norm(fitted.accuracy(sizes) - ranks.curve(sizes))
    assert residual <= best + 1e-6


def test_discriminability_is_convex_and_never_above_one():
    fitted = Spline().fit_ranks(evidence().ranks)
    u = np.linspace(0, 1 - 1e-9, 200)
    below = fitted.discriminability(u)
    assert (np.diff(below) >= -1e-12).all()
    assert (np.diff(below, 2) >= -1e-9).all()
    assert below[-1] <= 1 + 1e-9
    accuracy = fitted.accuracy(np.array([2, 30, 10**4, 10**9]))
    assert ((accuracy >= -1e-9) & (accuracy <= 1)).all()


def test_perfect_recognition_has_no_slope():
    ranks = RankHistogram(histogram=np.array([1.0, 0.0, 0.0]))
    assert Spline().fit_ranks(ranks).accuracy(np.array([10**6]))[0] == pytest.approx(1)


def test_polynomials_follow_the_observed_curve_and_are_cut_off_beyond():
    ranks = evidence().ranks
    fitted = Polynomial(degree=4).fit_ranks(ranks)
    sizes = np.arange(2, 31)
    assert np.abs(fitted.accuracy(sizes) - ranks.curve(sizes)).max() < 0.01
    far = fitted.accuracy(np.array([1, 10**6, 10**9]))
    assert far[0] == 1
    assert ((far >= 0) & (far <= 1)).all()


def test_a_polynomial_of_two_classes_is_a_constant():
    ranks = RankHistogram(histogram=np.array([0.8, 0.2]))
    fitted = Polynomial(degree=5).fit_ranks(ranks)
    assert fitted.accuracy(np.array([2]))[0] == pytest.approx(0.8)


def test_impossible_options_are_refused():
    with pytest.raises(UsageError, match="n_knots"):
        Spline(n_knots=1)
    with pytest.raises(UsageError, match="degree"):
        Polynomial(degree=-1)
