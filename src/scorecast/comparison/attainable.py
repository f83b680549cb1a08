"""What a comparison could find at best, before a single result is looked at."""

from __future__ import annotations

import math

import numpy as np

from scorecast.comparison.rank_pairs import nemenyi_p, normal_p

__all__ = ["least_adjusted_p", "least_rows"]

_MOST_ROWS = 10_000
_STEPPING_UP = ("hochberg", "hommel", "none")


def least_adjusted_p(pairs: str, post_hoc: str, n: int, k: int, n_pairs: int) -> float:
    """Return the least p-value that any pair could have after correction.

    Parameters
    ----------
    pairs : str
        How pairs are tested.
    post_hoc : str
        How their p-values are corrected.
    n, k : int
        Rows and models.
    n_pairs : int
        How many pairs are tested.

    Returns
    -------
    float
        No results whatsoever give less. Where one model beats another on every row,
        step-down corrections reach it; those that step up (Hochberg, Hommel) may not.

    Notes
    -----
    Plain mean ranks lie k - 1 apart at most. Aligned ranks and Quade's have the spread
    that was seen: by Cauchy and Schwarz their z is sqrt(n (k - 1)) at most, where all
    other models tie in the middle.

    Examples
    --------
    >>> round(least_adjusted_p("ranks", "bergmann-hommel", 2, 4, 6), 3)
    0.121
    >>> round(least_adjusted_p("mcnemar", "holm", 7, 10, 45), 3)
    0.352
    """
    z = math.sqrt(n * (k - 1))
    if pairs == "ranks":
        z = (k - 1) / math.sqrt(k * (k + 1) / (6 * n))
    if post_hoc == "nemenyi" and k > 2:
        return float(nemenyi_p(np.array([z]), k)[0])
    if pairs in ("wilcoxon", "sign"):
        p = 2.0 ** (1 - n)
    elif pairs == "mcnemar":
        p = 2.0**-n  # mid-p, one model right and the other wrong on every case
    elif pairs in ("corrected-t", "paired-t", "clustered-t"):
        p = 0.0
    else:
        p = float(normal_p(np.array([z]))[0])
    if post_hoc in _STEPPING_UP:
        return min(p, 1.0)
    if post_hoc == "finner":
        return -math.expm1(n_pairs * math.log1p(-p)) if p < 1 else 1.0
    return min(n_pairs * p, 1.0)


def least_rows(
    pairs: str, post_hoc: str, k: int, n_pairs: int, alpha: float
) -> int | None:
    """Return how many rows it takes for a pair to be told apart at best.

    Parameters
    ----------
    pairs, post_hoc : str
        How pairs are tested and corrected.
    k, n_pairs : int
        Models, and pairs of them that are tested.
    alpha : float
        Family-wise level.

    Returns
    -------
    int or None
        The least number; None if ten thousand are not enough.

    Examples
    --------
    >>> [least_rows("wilcoxon", x, 4, 6, 0.05) for x in ("holm", "none")]
    [8, 6]
    """
    tried = range(2, _MOST_ROWS)
    return next(
        (
            n
            for n in tried
            if least_adjusted_p(pairs, post_hoc, n, k, n_pairs) <= alpha + 1e-12
        ),
        None,
    )
