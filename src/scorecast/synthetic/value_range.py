"""How wide the values of a feature spread, before noise and skew."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from scorecast._core.types import FloatArray
from scorecast.synthetic.class_distributions import ClassMixture

__all__ = ["pooled_moments", "value_range"]

_OUTSIDE = 0.001  # on either side; normal values lie within 3.09 standard deviations


def pooled_moments(
    mixtures: tuple[ClassMixture, ...], shares: FloatArray
) -> tuple[float, float]:
    """Return mean and standard deviation of a feature over all classes.

    Parameters
    ----------
    mixtures : tuple of tuple of Component
        Components of every class.
    shares : ndarray
        Share of every class.

    Returns
    -------
    tuple of float
        Mean and standard deviation.
    """
    weights, means, squares = [], [], []
    for share, parts in zip(shares, mixtures, strict=True):
        for part in parts:
            weights.append(share / len(parts))
            means.append(part.mean)
            squares.append(part.sd**2 + part.mean**2)
    mean = float(np.dot(weights, means))
    return mean, float(np.sqrt(np.dot(weights, squares) - mean**2))


def value_range(
    mixtures: tuple[ClassMixture, ...], shares: FloatArray
) -> tuple[float, float]:
    """Return the ends between which 99.8 % of the values of a feature lie.

    Sample ranges grow with the number of cases; this one does not.

    Parameters
    ----------
    mixtures : tuple of tuple of Component
        Components of every class.
    shares : ndarray
        Share of every class.

    Returns
    -------
    tuple of float
        Quantiles 0.001 and 0.999 over all classes.
    """
    mean, sd = pooled_moments(mixtures, shares)

    def below(x: float, chance: float) -> float:
        at = np.array([x])
        total = sum(
            share * np.mean([part.cdf(at)[0] for part in parts])
            for share, parts in zip(shares, mixtures, strict=True)
        )
        return float(total) - chance

    reach = 40 * sd  # by Chebyshev no quantile of 0.001 lies farther
    ends = [
        brentq(below, mean - reach, mean + reach, args=(chance,), xtol=1e-9 * sd)
        for chance in (_OUTSIDE, 1 - _OUTSIDE)
    ]
    return float(ends[0]), float(ends[1])
