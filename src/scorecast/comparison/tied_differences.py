"""Where most differences are nought the pseudo-median says nothing: the mean does."""

from __future__ import annotations

import math

from scorecast._core.amounts import amount
from scorecast._core.types import FloatArray
from scorecast.comparison.comparison import Comparison, ModelPair
from scorecast.comparison.effect_sizes import EffectSize, steady_gaps
from scorecast.comparison.pair_comparison import PairComparison
from scorecast.comparison.t_tests import paired_t

__all__ = ["mean_beside_nought", "means_beside_nought"]

_MOST_SAID = 3


def means_beside_nought(found: Comparison, values: FloatArray) -> tuple[str, ...]:
    """Give mean differences of pairs whose pseudo-median hides what p found.

    Parameters
    ----------
    found : Comparison
        The answer, of data sets.
    values : ndarray of shape (n_datasets, n_models)
        The results.

    Returns
    -------
    tuple of str
        A warning for each of the first few such pairs, then how many more there are.
    """
    if found.rows != "data sets":
        return ()
    said = [
        _said_of(found, pair, values)
        for pair in found.pairs
        if _is_hidden(pair.effect, is_told=pair.p_adjusted <= found.alpha + 1e-12)
    ]
    more = len(said) - _MOST_SAID
    if more > 0:
        pairs = "1 more pair" if more == 1 else f"{more} more pairs"
        said[_MOST_SAID:] = [f"So it is with {pairs}."]
    return tuple(said)


def _said_of(found: Comparison, pair: ModelPair, values: FloatArray) -> str:
    first, second, _ = found.better_first(pair)
    columns = [values[:, found.models.index(name)] for name in (first, second)]
    gaps = steady_gaps(*columns)
    return _mean_said(gaps, f"pseudo-median of {first} less {second}", found.level)


def mean_beside_nought(found: PairComparison, gaps: FloatArray) -> tuple[str, ...]:
    """Give the mean difference of two models where the median hides what p found.

    Parameters
    ----------
    found : PairComparison
        The answer.
    gaps : ndarray of shape (n,)
        Differences, first less second.

    Returns
    -------
    tuple of str
        Empty where nothing is hidden.
    """
    if found.found.of not in ("median", "pseudo-median"):
        return ()
    if not _is_hidden(found.effect, is_told=found.is_significant):
        return ()
    first, second, _ = found.better_first()
    turned = gaps if first == found.a else 0.0 - gaps
    names = f"{found.found.of} of {first} less {second}"
    return (_mean_said(turned, names, found.level),)


def _is_hidden(effect: EffectSize, *, is_told: bool) -> bool:
    """Tell whether models differ on some rows and yet the difference is nought."""
    differ = bool(effect.wins or effect.losses)
    has_no_width = effect.low == effect.high == 0
    return differ and effect.difference == 0 and (is_told or has_no_width)


def _mean_said(gaps: FloatArray, what: str, level: float) -> str:
    mean = paired_t(gaps, level=level)
    ends = "interval unknown"
    if not math.isnan(mean.low):
        ends = f"{100 * level:g} %: {amount(mean.low)} to {amount(mean.high)}"
    none = int((gaps == 0).sum())
    return (
        f"The {what} is 0, as are {none:,} of {gaps.size:,} differences; their mean is "
        f"{amount(mean.difference)} ({ends})."
    )
