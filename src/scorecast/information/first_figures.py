"""What can be said of J at once, without a simulation: NumPy alone is loaded for it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from scorecast._core.types import FloatArray

_MOST_FOR_BOOTSTRAP = 5_000  # cases, beyond which it is the t interval
_WORK = 2_000_000  # weights drawn, about
_SEED = 20_261_118


@dataclass(frozen=True, kw_only=True)
class FirstFigures:
    """Mean of the possible cases, with two plain intervals.

    Attributes
    ----------
    n, n_impossible : int
        Cases, and those to which the forecast gave no chance.
    mean : float
        Mean of the possible cases.
    t_interval : tuple of two float
        Mean and standard error, Student's t; NaN for one case.
    bootstrap_interval : tuple of two float or None
        Bayesian bootstrap (Rubin 1981); None beyond 5,000 cases, where it is the same.
    """

    n: int
    n_impossible: int
    mean: float
    t_interval: tuple[float, float]
    bootstrap_interval: tuple[float, float] | None


def first_figures(j: FloatArray, confidence_level: float) -> FirstFigures:
    """Return mean and plain intervals of J.

    Parameters
    ----------
    j : ndarray of float64
        Information of every case; minus infinity where the forecast gave no chance.
    confidence_level : float
        Level of the intervals.

    Returns
    -------
    FirstFigures
        In the units of `j`.

    Examples
    --------
    >>> found = first_figures(np.array([0.1, 0.3, 0.2, -0.4]), 0.95)
    >>> round(found.mean, 3), [round(x, 2) for x in found.t_interval]
    (0.05, [-0.44, 0.54])
    """
    values = j[np.isfinite(j)]
    n = values.size
    mean = float(values.mean()) if n else math.nan
    half = math.nan
    if n > 1:
        error = float(values.std(ddof=1)) / math.sqrt(n)
        half = student_quantile(0.5 + confidence_level / 2, n - 1) * error
    bootstrap = None
    if 1 < n <= _MOST_FOR_BOOTSTRAP:
        n_draws = int(np.clip(_WORK // n, 400, 4000))
        weight = np.random.default_rng(_SEED).standard_exponential((n_draws, n))
        draws = weight @ values / weight.sum(axis=1)
        ends = [0.5 - confidence_level / 2, 0.5 + confidence_level / 2]
        low, high = np.quantile(draws, ends)
        bootstrap = (float(low), float(high))
    return FirstFigures(
        n=j.size,
        n_impossible=j.size - n,
        mean=mean,
        t_interval=(mean - half, mean + half),
        bootstrap_interval=bootstrap,
    )


def student_quantile(level: float, freedom: float) -> float:
    """Return a quantile above one half of Student's t, without SciPy.

    With t = sqrt(v) tan(a) the probability is 1/2 plus the integral of c cos(a)^(v-1)
    from 0 to a; the integral is done on a fine grid and turned round.

    Parameters
    ----------
    level : float
        Between one half and one.
    freedom : float
        Degrees of freedom v, at least one.

    Returns
    -------
    float
        Right to about 1e-6 of itself.

    Examples
    --------
    >>> round(student_quantile(0.975, 10), 4), round(student_quantile(0.975, 1), 3)
    (2.2281, 12.706)
    """
    if freedom == 1:
        return math.tan(math.pi * (level - 0.5))
    # Where the density has fallen to nothing; tails of few degrees reach to the end.
    end = math.atan(40 / math.sqrt(freedom)) if freedom > 100 else math.pi / 2
    angle = np.linspace(0.0, end, 40_001)
    height = np.cos(angle) ** (freedom - 1)
    step = angle[1]
    # Simpson's rule over pairs of steps.
    pieces = (height[:-2:2] + 4 * height[1:-1:2] + height[2::2]) * step / 3
    reached = np.concatenate([[0.0], np.cumsum(pieces)])
    found = np.interp((2 * level - 1) * reached[-1], reached, angle[::2])
    return math.sqrt(freedom) * math.tan(float(found))
