"""The inverse power law: errors fall as a n^-alpha towards b.

Its fit by least squares, how far the fit would vary where repeats share samples, and
tests of whether it rises and fits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy  # its parts load when first used
from numpy.typing import ArrayLike

from scorecast._core.types import FloatArray, IntArray
from scorecast.evaluation.intervals import wilson
from scorecast.exceptions import InvalidInputError

N_FREE = 3  # numbers of the law
_EXPONENTS = np.linspace(0.01, 5.0, 200)


@dataclass(frozen=True, kw_only=True)
class PowerLaw:
    """Errors as a function of size, a n^-alpha + b with nothing below zero.

    Attributes
    ----------
    scale : float
        a, what more data can take away.
    exponent : float
        alpha, how soon.
    limit : float
        b, what no amount of data takes away.
    """

    scale: float
    exponent: float
    limit: float

    def error(self, size: float | FloatArray) -> FloatArray:
        """Return the error at one or more sizes."""
        sizes = np.asarray(size, dtype=np.float64)
        found: FloatArray = self.scale * sizes**-self.exponent + self.limit
        return found

    def size_for(self, error: float) -> float:
        """Return the size at which the error has come down to this.

        Parameters
        ----------
        error : float
            What may be left.

        Returns
        -------
        float
            At least 1; infinite if it is never reached.
        """
        if error <= self.limit:
            return math.inf
        if self.scale == 0:
            return 1.0
        ratio = math.log(self.scale / (error - self.limit)) / self.exponent
        return max(1.0, math.exp(ratio)) if ratio < 700 else math.inf


def fit_power_law(
    sizes: FloatArray, errors: FloatArray, weights: FloatArray
) -> PowerLaw:
    """Fit by least squares with nothing below zero.

    For every exponent the rest is a problem with two unknowns; the exponent itself is
    looked for on a grid and then between its neighbours.

    Parameters
    ----------
    sizes : ndarray of shape (k,)
        Above zero.
    errors : ndarray of shape (k,)
        Errors at these sizes.
    weights : ndarray of shape (k,)
        One over the variance of every error, up to a common factor.

    Returns
    -------
    PowerLaw
        The best one.

    Examples
    --------
    >>> import numpy as np
    >>> sizes = np.array([10.0, 20, 40, 60, 80, 120])
    >>> law = fit_power_law(sizes, 0.9 * sizes**-0.6 + 0.08, np.ones(6))
    >>> round(law.scale, 6), round(law.exponent, 6), round(law.limit, 6)
    (0.9, 0.6, 0.08)
    """
    # In units of a middle size, so that no power is out of range.
    unit = float(np.exp(np.log(sizes).mean()))
    relative = sizes / unit

    def left(exponent: float) -> float:
        return float(_solve(relative ** -np.array([exponent]), errors, weights)[0][0])

    grid = _solve(relative ** -_EXPONENTS[:, None], errors, weights)[0]
    best = int(np.argmin(grid))
    near = _EXPONENTS[max(best - 1, 0)], _EXPONENTS[min(best + 1, _EXPONENTS.size - 1)]
    found = scipy.optimize.minimize_scalar(
        left, bounds=near, method="bounded", options={"xatol": 1e-12}
    )
    exponent = float(found.x if found.fun <= grid[best] else _EXPONENTS[best])
    powers = relative ** -np.array([[exponent]])
    _, scale, limit = (float(part[0]) for part in _solve(powers, errors, weights))
    return PowerLaw(scale=scale * unit**exponent, exponent=exponent, limit=limit)


def _solve(
    powers: FloatArray, errors: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return squares left, a and b, neither below zero, for every row of powers.

    The best pair is that of plain least squares, or lies on an edge: a flat line, or a
    line through zero.
    """
    powers = np.atleast_2d(powers)
    share = weights / weights.sum()
    x, y = powers @ share, float(share @ errors)
    centred = powers - x[:, None]
    spread = centred**2 @ share
    slope = (centred * (errors - y)) @ share / np.where(spread > 0, spread, np.inf)
    through = (powers * errors) @ share / (powers**2 @ share)
    zero = np.zeros_like(x)
    inside = (slope > 0) & (y - slope * x >= 0)
    pairs = (
        (np.where(inside, slope, 0), np.where(inside, y - slope * x, max(y, 0))),
        (np.maximum(through, 0), zero),
        (zero, zero + max(y, 0)),
    )
    scales, limits = (np.array(part) for part in zip(*pairs, strict=True))
    rest = errors - scales[:, :, None] * powers - limits[:, :, None]
    squares = rest**2 @ weights
    best = squares.argmin(axis=0)
    rows = np.arange(best.size)
    return squares[best, rows], scales[best, rows], limits[best, rows]


# How sure a fit is -----------------------------------------------------------------


def repeat_variance(table: FloatArray) -> FloatArray:
    """Return the variance of one repeat at every size.

    Few repeats know their own variance badly: it leans on what all sizes share.

    Parameters
    ----------
    table : ndarray of shape (k, r)
        A column per repeat, at least two.

    Returns
    -------
    ndarray of shape (k,)
        Zero everywhere if no repeat differs from another.
    """
    repeats = table.shape[1]
    own = table.var(axis=1, ddof=1)
    found: FloatArray = ((repeats - 1) * own + 2 * own.mean()) / (repeats + 1)
    return found


def size_weights(given: ArrayLike | None, table: FloatArray) -> FloatArray:
    """Return how much each size counts: as given, or by how sure its mean is."""
    k, repeats = table.shape
    if given is not None:
        found = np.asarray(given, dtype=float)
        if found.shape != (k,) or not np.isfinite(found).all() or (found <= 0).any():
            problem = "must hold one number above zero per size"
            raise InvalidInputError(problem, parameter="weights")
        return np.asarray(found / found.mean(), dtype=float)
    if repeats == 1:
        return np.ones(k)
    variance = repeat_variance(table)
    if not variance.any():
        return np.ones(k)
    found = 1 / variance
    return np.asarray(found / found.mean(), dtype=float)


def resample_errors(
    sizes: IntArray,
    errors: FloatArray,
    law: PowerLaw,
    weights: FloatArray,
    *,
    width: float,
    n_samples: int,
    test_ratio: float,
    confidence_level: float,
    n_resamples: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Draw mean errors as other samples might have shown them.

    Parameters
    ----------
    sizes : ndarray of shape (k,)
        Sizes.
    errors : ndarray of shape (k, r)
        Errors; a column per repeat.
    law : PowerLaw
        The fit through their means.
    weights : ndarray of shape (k,)
        How much each size counts.
    width : float
        Distance of the worst score from the best; 0 where nobody knows.
    n_samples : int
        How many samples the repeats divide; 0 where that is not known.
    test_ratio : float
        Samples tested per sample learned from, where repeats share samples.
    confidence_level : float
        Of intervals: their tails are Student's.
    n_resamples : int
        How often.
    rng : numpy.random.Generator
        Where chance comes from.

    Returns
    -------
    ndarray of shape (n_resamples, k)
        Of repeats drawn anew; or of what the law leaves over, where there are none.
    """
    if errors.shape[1] > 1:
        drawn = _redrawn(errors, test_ratio, confidence_level, n_resamples, rng)
    else:
        drawn = _scattered(sizes, errors[:, 0], law, weights, n_resamples, rng)
    return drawn + _of_a_share(errors, width, n_samples, drawn, confidence_level, rng)


def _redrawn(
    errors: FloatArray,
    test_ratio: float,
    confidence_level: float,
    count: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Draw repeats anew, whole, since all sizes of one are tested on the same samples.

    Returns (count, k). The mean of r repeats that share samples has a variance of
    1/r + test_ratio times that of one (Nadeau and Bengio); drawing anew gives only
    (r - 1)/r^2 times it. Samples that are hard at one size are hard at all: half of
    what sharing adds moves all sizes together. Measured on 62 samples and level 90 %,
    with what `_of_a_share` adds, this holds the truth in 93 to 98 of 100, inside the
    sizes tried and far beyond; taking repeats for independent, in 42 to 75.
    """
    repeats = errors.shape[1]
    picks = rng.integers(repeats, size=(count, repeats))
    centre, spread = errors.mean(axis=1), errors.std(axis=1, ddof=1)
    drawn = errors[:, picks].mean(axis=2).T - centre
    own = math.sqrt((1 / repeats + test_ratio / 2) * repeats**2 / (repeats - 1))
    common = math.sqrt(test_ratio / 2) * rng.standard_normal((count, 1)) * spread
    # Spreads are estimated from few repeats: Student's tails, not the normal ones.
    tail = 0.5 + confidence_level / 2
    wider = float(scipy.special.stdtrit(repeats - 1, tail) / scipy.special.ndtri(tail))
    return np.asarray(centre + wider * (own * drawn + common))


def _scattered(
    n: IntArray,
    errors: FloatArray,
    law: PowerLaw,
    weights: FloatArray,
    count: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Scatter errors around the law as far as those seen lie from it, (count, k)."""
    fitted = law.error(n.astype(float))
    rest = (errors - fitted) * np.sqrt(weights)
    freedom = max(n.size - N_FREE, 1)
    spread = math.sqrt(float(rest @ rest) / freedom)
    noise = rng.standard_normal((count, n.size)) * spread / np.sqrt(weights)
    return np.asarray(fitted + noise)


def _of_a_share(
    errors: FloatArray,
    width: float,
    n_samples: int,
    samples: FloatArray,
    confidence_level: float,
    rng: np.random.Generator,
) -> FloatArray:
    """Move all sizes together as far as a share of so many samples is uncertain.

    Where every repeat says the same, as at 0 or 100 %, drawing anew shows no spread at
    all. What is drawn already counts: only what lacks to Wilson's interval is added.
    Where the number of samples is unknown it is at least that of the repeats, and they
    are asked only if they all agree. Returns (count, k).
    """
    k, repeats = errors.shape
    silent = np.ptp(errors, axis=1) == 0
    n = n_samples or (repeats if repeats > 1 else 0)
    if width == 0 or n == 0 or (repeats > 1 and not n_samples and not silent.any()):
        return np.zeros((1, k))
    tail = 0.5 + confidence_level / 2
    centre = errors.mean(axis=1)
    known = float(scipy.special.ndtri(tail)) * samples.std(axis=0)
    asked = silent if repeats > 1 and not n_samples else np.ones(k, dtype=bool)
    shares = np.minimum(centre / width, 1.0)
    ends = width * np.array([wilson(x * n, n, confidence_level) for x in shares])
    lacks = [
        np.where(asked, np.sqrt(np.maximum((end - centre) ** 2 - known**2, 0)), 0)
        for end in (ends[:, 0], ends[:, 1])
    ]
    draw = rng.standard_normal((samples.shape[0], 1)) / float(scipy.special.ndtri(tail))
    return np.where(draw < 0, draw * lacks[0], draw * lacks[1])


# Whether it rises, and whether it fits ---------------------------------------------


def slope_p(sizes: IntArray, scores: FloatArray, test_ratio: float) -> float:
    """Test whether scores grow with the logarithm of the size.

    Parameters
    ----------
    sizes : ndarray of shape (k,)
        Sizes.
    scores : ndarray of shape (k, r)
        Scores, more is better; a column per repeat.
    test_ratio : float
        Samples tested per sample learned from, where repeats share samples.

    Returns
    -------
    float
        One-tailed; 0 or 1 where repeats all agree.
    """
    x = np.log(sizes.astype(float))
    x -= x.mean()
    slopes = x @ scores
    slope, repeats = float(slopes.mean()), slopes.size
    if repeats > 1:
        share = 1 / repeats + test_ratio / 2
        error, freedom = float(slopes.std(ddof=1)) * math.sqrt(share), repeats - 1
    else:
        y = scores[:, 0] - scores[:, 0].mean()
        rest = y - x * float(x @ y) / float(x @ x)
        freedom = x.size - 2
        error = math.sqrt(float(rest @ rest) / freedom * float(x @ x))
    if error <= 1e-12:  # nothing but rounding
        return 0.0 if slope > 1e-12 else 1.0
    return float(scipy.special.stdtr(freedom, -slope / error))


def misfit_p(
    scores: FloatArray, fitted: FloatArray, n_fitted: int, test_ratio: float
) -> float:
    """Return the chance of means as far from a law if it held; NaN if nothing tells.

    The weighted squares of what the fit leaves over, by F. What moves all sizes of a
    repeat together moves the fit as well, and is taken out of the spread; of what
    Nadeau and Bengio add for shared samples, half is left. It hardly ever refuses a law
    that holds: none of 480 curves of nearest centroids, on which it was chosen. Bends
    of 10 points of accuracy it mostly lets pass.

    Parameters
    ----------
    scores : ndarray of shape (k, r)
        Scores; a column per repeat.
    fitted : ndarray of shape (k,)
        Those of the law.
    n_fitted : int
        Numbers of the law that were free.
    test_ratio : float
        Samples tested per sample learned from, where repeats share samples.

    Returns
    -------
    float
        The p-value.
    """
    k, repeats = scores.shape
    freedom = k - n_fitted
    if repeats < 2 or freedom < 1:
        return math.nan
    apart = scores - scores.mean(axis=0)
    variance = repeat_variance(apart) * k / (k - 1)
    if variance.max() < 1e-18:  # nothing but rounding
        return math.nan
    rest = scores.mean(axis=1) - fitted
    share = 1 / repeats + test_ratio / 2
    squares = float(np.sum(rest**2 / (variance * share)))
    return float(scipy.special.fdtrc(freedom, repeats - 1, squares / freedom))
