"""The mean of long-tailed values, with each tail judged by itself.

A mixture is fitted where most cases are, and its tails follow from there. The mean of j
depends on the few far cases more than on the many near ones. So here the body of the
values speaks for itself, and beyond a threshold on either side stands a generalised
Pareto distribution, the limit of every tail (Pickands 1975), whose shape is learned
from the far cases alone. Nothing is assumed of the body.
"""

from __future__ import annotations

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.information.ties import merge_ties

__all__ = ["has_long_tail", "pareto_means"]

_FEWEST = 10  # values, below which there is no body between two tails
_FEWEST_EXCESSES = 2  # from one, a scale cannot be learned
_ATOM = 3  # equal values in a tail, from which on it is no tail of a density
_SHARE = 0.1  # of the values in a tail, at most
_ROOTS = 1.5  # times the square root of their number, at most
# Prior of the shape: Beta(2, 2.5) on the range from tails that end to tails whose mean
# is on the verge of not existing. Nothing else keeps a mean within bounds.
_SHAPES = (-0.5, 1.0)
_BETA = (2.0, 2.5)
_CELLS = 48  # along each side of the grid
_ZOOMS = 2
_NO_VARIANCE = 0.5  # shape, from which on a tail has none
_NEGLIGIBLE = 14.0  # log density below the highest, outside of which nothing is drawn
_BELOW, _ABOVE = 5.0, 6.0  # log scale around what the excesses suggest


def pareto_means(
    values: FloatArray, *, n_draws: int, rng: np.random.Generator
) -> FloatArray:
    """Draw the mean of the distribution that values come from.

    Parameters
    ----------
    values : ndarray of float64
        Finite values.
    n_draws : int
        Number of draws.
    rng : Generator
        Source of randomness.

    Returns
    -------
    ndarray of float64
        Draws from the posterior of the mean; none where there are fewer than ten
        values, or all are equal.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> draws = pareto_means(rng.normal(2.0, 1.0, 400), n_draws=2000, rng=rng)
    >>> draws.shape, round(float(np.median(draws)), 1), round(float(draws.std()), 2)
    ((2000,), 2.0, 0.05)
    """
    if not _has_tails(values):
        return np.empty(0)
    left, right, below, body, above = _parts(values)
    means = (
        left - _mean_excess(below, n_draws, rng),
        _body_mean(body, n_draws, rng),
        right + _mean_excess(above, n_draws, rng),
    )
    parts = zip(means, (below.size, body.size, above.size), strict=True)
    # Gamma variates over their sum: the posterior of the shares of three groups.
    drawn = [(mean, rng.standard_gamma(size, n_draws)) for mean, size in parts]
    total = sum(mean * weight for mean, weight in drawn)
    return np.asarray(total / sum(weight for _, weight in drawn))


def has_long_tail(values: FloatArray) -> bool:
    """Tell whether one of the tails more probably has no variance than one.

    Parameters
    ----------
    values : ndarray of float64
        Finite values.

    Returns
    -------
    bool
        Never, of fewer than ten or of equal values.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> has_long_tail(rng.normal(size=400)), has_long_tail(rng.standard_cauchy(400))
    (False, True)
    """
    if not _has_tails(values):
        return False
    _, _, below, _, above = _parts(values)
    return any(_chance_of_no_variance(tail) > 0.5 for tail in (below, above))


def _has_tails(values: FloatArray) -> bool:
    return bool(values.size >= _FEWEST and np.ptp(values) > 0)


def _parts(
    values: FloatArray,
) -> tuple[float, float, FloatArray, FloatArray, FloatArray]:
    """Return both thresholds, the excesses below, the body, and the excesses above."""
    n = values.size
    ordered = merge_ties(np.sort(values))
    wanted = max(_FEWEST_EXCESSES, int(min(_SHARE * n, _ROOTS * np.sqrt(n))))
    left, right = ordered[wanted], ordered[n - 1 - wanted]
    # Cases at the threshold are not beyond it: with ties a tail may be short, or none.
    below = _continuous(left - ordered[ordered < left])
    above = _continuous(ordered[ordered > right] - right)
    return left, right, below, ordered[below.size : n - above.size], above


def _continuous(excess: FloatArray) -> FloatArray:
    """Return the excesses; none where values repeat: those are part of the body."""
    repeats = np.unique(excess, return_counts=True)[1]
    return excess[:0] if repeats.max(initial=0) >= _ATOM else excess


def _body_mean(body: FloatArray, n_draws: int, rng: np.random.Generator) -> FloatArray:
    """Draw the mean of the body: the Bayesian bootstrap's first two moments.

    The body lies between two bounds, so its mean is as good as normal.
    """
    error = float(body.std()) / np.sqrt(body.size + 1)
    return np.asarray(float(body.mean()) + error * rng.standard_normal(n_draws))


def _mean_excess(
    excess: FloatArray, n_draws: int, rng: np.random.Generator
) -> FloatArray:
    """Draw the mean excess of a generalised Pareto tail: scale / (1 - shape)."""
    if not excess.size:
        return np.zeros(n_draws)
    shape, scale, log_density = _tail(excess)
    chance = np.cumsum(np.exp(log_density - log_density.max()))
    cell = np.searchsorted(chance, chance[-1] * rng.random(n_draws), side="right")
    row, column = np.divmod(np.minimum(cell, chance.size - 1), _CELLS)
    # Anywhere within the cell, so that draws are not grid points.
    xi = shape[row] + (shape[1] - shape[0]) * (rng.random(n_draws) - 0.5)
    log_scale = scale[column] + (scale[1] - scale[0]) * (rng.random(n_draws) - 0.5)
    return np.asarray(np.exp(log_scale) / (1.0 - xi))


def _chance_of_no_variance(excess: FloatArray) -> float:
    """Return the posterior chance that the shape of a tail exceeds one half."""
    if not excess.size:
        return 0.0
    shape, _, log_density = _tail(excess)
    chance = np.exp(log_density - log_density.max()).sum(axis=1)
    return float(chance[shape > _NO_VARIANCE].sum() / chance.sum())


def _tail(excess: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return shapes, log scales and the log posterior where it matters."""
    shapes = _SHAPES
    middle, mean = np.log(np.median(excess)), np.log(excess.mean())
    scales = (min(middle, mean) - _BELOW, max(middle, mean) + _ABOVE)
    for _ in range(_ZOOMS):
        shape, scale, log_density = _grid(excess, shapes, scales)
        shapes, scales = _zoom(shape, scale, log_density)
    return _grid(excess, shapes, scales)


def _grid(
    excess: FloatArray, shapes: tuple[float, float], scales: tuple[float, float]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return shapes, log scales and the log posterior at the middle of every cell."""
    steps = (np.arange(_CELLS) + 0.5) / _CELLS
    shape = shapes[0] + (shapes[1] - shapes[0]) * steps
    scale = scales[0] + (scales[1] - scales[0]) * steps
    ratio = excess / np.exp(scale)[:, None]
    rows = [_log_likelihood(xi, ratio) - excess.size * scale for xi in shape]
    place = (shape - _SHAPES[0]) / (_SHAPES[1] - _SHAPES[0])
    prior = (_BETA[0] - 1) * np.log(place) + (_BETA[1] - 1) * np.log1p(-place)
    return shape, scale, np.array(rows) + prior[:, None]


def _log_likelihood(xi: float, ratio: FloatArray) -> FloatArray:
    """Return the log likelihood of a shape for rows of excess over scale."""
    xi = xi if abs(xi) > 1e-8 else 1e-8  # the exponential is the limit
    reach = xi * ratio
    with np.errstate(divide="ignore", invalid="ignore"):
        total = -(1.0 / xi + 1.0) * np.log1p(reach).sum(axis=1)
    return np.where((reach > -1.0).all(axis=1), total, -np.inf)


def _zoom(
    shape: FloatArray, scale: FloatArray, log_density: FloatArray
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the ranges outside of which there is next to nothing."""
    matters = log_density > log_density.max() - _NEGLIGIBLE
    shapes = _range(shape, matters.any(axis=1))
    return (
        (max(shapes[0], _SHAPES[0]), min(shapes[1], _SHAPES[1])),
        _range(scale, matters.any(axis=0)),
    )


def _range(middles: FloatArray, matters: np.ndarray) -> tuple[float, float]:
    where = np.flatnonzero(matters)
    step = float(middles[1] - middles[0])
    return float(middles[where[0]]) - step, float(middles[where[-1]]) + step
