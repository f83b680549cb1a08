"""The inverse power law: errors fall as a n^-alpha towards b."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from scorecast._core.types import FloatArray

__all__ = ["PowerLaw", "fit_power_law"]

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
    from scipy.optimize import minimize_scalar

    # In units of a middle size, so that no power is out of range.
    unit = float(np.exp(np.log(sizes).mean()))
    relative = sizes / unit

    def left(exponent: float) -> float:
        return float(_solve(relative ** -np.array([exponent]), errors, weights)[0][0])

    grid = _solve(relative ** -_EXPONENTS[:, None], errors, weights)[0]
    best = int(np.argmin(grid))
    near = _EXPONENTS[max(best - 1, 0)], _EXPONENTS[min(best + 1, _EXPONENTS.size - 1)]
    found = minimize_scalar(
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
