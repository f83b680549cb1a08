"""How likely one model is better, worse, or as good as makes no difference.

Chances of three statements about the difference (first less second): below the region
of practical equivalence, inside it, above it.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

import numpy as np
from scipy.special import stdtr

from scorecast._core.types import FloatArray, IntArray, Json

__all__ = [
    "RopeChances",
    "correlated_t",
    "mean_posterior",
    "share_posterior",
    "signed_rank_posterior",
]

_PRIOR_STRENGTH = 0.5  # in data sets without a difference (Benavoli et al. 2014)
_CELL_STRENGTH = 0.5  # in cases; of Jeffreys, for each kind of case
_DRAWS = 20_000
_BLOCK = 4_000_000


@dataclass(frozen=True, kw_only=True)
class RopeChances:
    """Chances around a region of practical equivalence.

    Attributes
    ----------
    first_lower : float
        That the first lies below the second by more than the region.
    equal : float
        That they are practically equal.
    first_higher : float
        That the first lies above by more than the region.
    """

    first_lower: float
    equal: float
    first_higher: float

    def to_json(self) -> Json:
        """Return plain values."""
        return asdict(self)


def correlated_t(
    differences: FloatArray, test_ratio: float, rope: float
) -> RopeChances:
    """Return the Bayesian correlated t-test of Corani and Benavoli (2015).

    Parameters
    ----------
    differences : ndarray of shape (n,)
        Differences of splits of one data set.
    test_ratio : float
        Cases tested per case learned from; 0 for independent values.
    rope : float
        Half the width of the region of practical equivalence.

    Returns
    -------
    RopeChances
        Of the mean difference.
    """
    n, mean = differences.size, float(differences.mean())
    spread = 0.0 if np.ptp(differences) == 0 else float(differences.std(ddof=1))
    error = spread * math.sqrt(1 / n + test_ratio)
    if error == 0:
        lower, higher = float(mean < -rope), float(mean > rope)
    else:
        lower = float(stdtr(n - 1, (-rope - mean) / error))
        higher = float(stdtr(n - 1, (mean - rope) / error))
    return RopeChances(
        first_lower=lower, equal=max(1 - lower - higher, 0.0), first_higher=higher
    )


def signed_rank_posterior(
    differences: FloatArray,
    rope: float,
    *,
    rng: np.random.Generator,
    n_draws: int = _DRAWS,
    prior_strength: float = _PRIOR_STRENGTH,
) -> RopeChances:
    """Return the Bayesian signed-rank test of Benavoli et al. (2014).

    A Dirichlet process says which distributions of differences are likely; of each, the
    statement that holds for the largest share of means of two differences wins.

    Parameters
    ----------
    differences : ndarray of shape (n,)
        Differences of data sets.
    rope : float
        Half the width of the region of practical equivalence.
    rng : numpy.random.Generator
        Where distributions come from.
    n_draws : int, default=20000
        How many.
    prior_strength : float, default=0.5
        Weight, in data sets, of the prior guess that there is no difference.

    Returns
    -------
    RopeChances
        Shares of the draws; statements that win alike share a draw.
    """
    values = np.concatenate([[0.0], differences])
    strength = np.ones(values.size)
    strength[0] = prior_strength
    order = np.argsort(values)
    values, strength = values[order], strength[order]
    # Partners of every value for which the mean of both lies beyond the region.
    # A mean at its edge, but for rounding, lies inside: 0.01 is up to 0.01.
    edge = 1e-12 * (2 * rope + 2 * float(np.abs(values).max()))
    below = np.searchsorted(values, -2 * rope - values - edge, side="left")
    upto = np.searchsorted(values, 2 * rope - values + edge, side="right")
    won = np.zeros(3)
    step = max(_BLOCK // values.size, 1)
    for start in range(0, n_draws, step):
        weights = rng.standard_gamma(
            strength, (min(step, n_draws - start), values.size)
        )
        weights /= weights.sum(axis=1, keepdims=True)
        reached = np.zeros((weights.shape[0], values.size + 1))
        np.cumsum(weights, axis=1, out=reached[:, 1:])
        lower = (weights * reached[:, below]).sum(axis=1)
        inside = (weights * reached[:, upto]).sum(axis=1) - lower
        shares = np.column_stack([lower, inside, 1 - lower - inside])
        best = shares >= shares.max(axis=1, keepdims=True) - 1e-12
        won += (best / best.sum(axis=1, keepdims=True)).sum(axis=0)
    won /= n_draws
    return RopeChances(
        first_lower=float(won[0]), equal=float(won[1]), first_higher=float(won[2])
    )


def share_posterior(
    only_first: int, only_second: int, n: int, rope: float, *, rng: np.random.Generator
) -> RopeChances:
    """Return chances of the difference in the share of right cases.

    Cases are of three kinds: only the first is right, only the second, both or none.
    Their shares have a Dirichlet distribution, with half a case of each kind added.

    Parameters
    ----------
    only_first, only_second : int
        Cases on which one alone is right.
    n : int
        All cases.
    rope : float
        Half the width of the region of practical equivalence.
    rng : numpy.random.Generator
        Where shares come from.

    Returns
    -------
    RopeChances
        Shares of the draws.
    """
    counts = np.array([only_first, only_second, n - only_first - only_second])
    drawn = rng.dirichlet(counts + _CELL_STRENGTH, _DRAWS)
    return _around(drawn[:, 0] - drawn[:, 1], rope)


def mean_posterior(
    differences: FloatArray, unit: IntArray, rope: float, *, rng: np.random.Generator
) -> RopeChances:
    """Return chances of a mean difference by the Bayesian bootstrap of Rubin (1981).

    Parameters
    ----------
    differences : ndarray of shape (n,)
        Differences of cases.
    unit : ndarray of int of shape (n,)
        Unit of every case, from 0; a unit is weighted as a whole.
    rope : float
        Half the width of the region of practical equivalence.
    rng : numpy.random.Generator
        Where weights come from.

    Returns
    -------
    RopeChances
        Shares of the draws.
    """
    totals = np.bincount(unit, weights=differences)
    sizes = np.bincount(unit).astype(np.float64)
    step = max(_BLOCK // totals.size, 1)
    means = []
    for start in range(0, _DRAWS, step):
        size = (min(step, _DRAWS - start), totals.size)
        weights = rng.standard_exponential(size)
        means.append(weights @ totals / (weights @ sizes))
    return _around(np.concatenate(means), rope)


def _around(drawn: FloatArray, rope: float) -> RopeChances:
    lower, higher = float((drawn < -rope).mean()), float((drawn > rope).mean())
    return RopeChances(
        first_lower=lower, equal=max(1 - lower - higher, 0.0), first_higher=higher
    )
