"""Stimuli from a finite population: how far they stand in for independent draws.

The capacity speaks of k stimuli drawn independently, among which one of a finite
population may come twice. Equal ones then tie, and no decoder can tell them apart. A
test of distinct stimuli never sees such ties, so its accuracy is too high for the
capacity as it is.

With D distinct ones among k draws from N equally likely stimuli, the chance to name the
right draw is E[D A_D]/k, where A_D is the mean Bayes accuracy among D distinct stimuli.
It falls with their number, so that A_D >= A_k, and the chance is at least A_k E[D]/k.
"""

from __future__ import annotations

import math
import numbers

from scorecast.exceptions import UsageError

__all__ = ["check_population", "distinct_share", "spread_without_replacement"]


def check_population(population: object, n_distinct: int) -> None:
    """Refuse a number that cannot be that of a population.

    Parameters
    ----------
    population : object
        What was given.
    n_distinct : int
        Distinct stimuli at hand.

    Raises
    ------
    UsageError
        If it is no whole number, or smaller than what is at hand.
    """
    if isinstance(population, bool) or not isinstance(population, numbers.Integral):
        msg = f"`population` must be a whole number; got {population!r}."
        raise UsageError(msg)
    if population < n_distinct:
        msg = (
            f"A population of {population:,} cannot have given {n_distinct:,} distinct "
            "stimuli."
        )
        raise UsageError(msg)


def distinct_share(draws: int, population: int) -> float:
    """Return how many of some draws are distinct, on average, as a share.

    Parameters
    ----------
    draws : int
        Independent draws k.
    population : int
        Equally likely stimuli N, from 2.

    Returns
    -------
    float
        N (1 - (1 - 1/N)^k) / k.

    Examples
    --------
    >>> distinct_share(2, 4)
    0.875
    """
    return -population * math.expm1(draws * math.log1p(-1 / population)) / draws


def spread_without_replacement(drawn: int, population: int) -> float:
    """Return the spread of classes drawn without replacement.

    El-Yaniv and Pechyony (2009): a symmetric function of M of N stimuli that moves by
    at most b if one is replaced deviates as one of M independent draws does, with
    M b^2 times this factor in the exponent. From M = 2 on it is below one; where all
    were drawn nothing is left to chance.

    Parameters
    ----------
    drawn : int
        Stimuli drawn M.
    population : int
        Stimuli in the population N.

    Returns
    -------
    float
        To be put in the place of 1/M.
    """
    left = population - drawn
    if left == 0:
        return 0.0
    factor = left / (population - 0.5) / (1 - 0.5 / max(drawn, left))
    return min(factor, 1.0) / drawn
