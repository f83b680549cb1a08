"""Leave classes out, one group at a time: how sure an average over classes is.

Classes, not samples, are the sampling unit. A class that is left out disappears both
as a truth and as a competitor. Drawing classes with replacement would be wrong: a
class drawn twice ties with itself.
"""

from __future__ import annotations

import numpy as np

from scorecast._core.types import FloatArray, IntArray
from scorecast.scores.ranks import Ranking
from scorecast.scores.subsets import beating_histogram, chances_right

_MOST_CELLS = 16_000_000
_COLUMNS = 64  # groups whose counts are copied at once


def leave_out_histograms(
    ranking: Ranking, *, ties: str, average: str
) -> tuple[FloatArray, IntArray]:
    """Histogram the beating competitors with each group of classes left out.

    Parameters
    ----------
    ranking : Ranking
        Competitors by group.
    ties : {"random", "optimistic", "pessimistic"}
        Rule for ties.
    average : {"macro", "micro"}
        Weighting of samples.

    Returns
    -------
    histograms : ndarray of shape (n_groups, n_classes)
        Row g without group g; its columns from ``sizes[g]`` on are zero.
    sizes : ndarray of int64
        Number of classes that remain.
    """
    sizes = ranking.n_classes - np.bincount(ranking.group, minlength=ranking.n_groups)
    everyone = np.arange(ranking.n_groups)
    return _leave_out(ranking, everyone, ties, average), sizes


def leave_out_curves(
    ranking: Ranking, ks: IntArray, *, ties: str, average: str, top: int = 1
) -> FloatArray:
    """Compute the accuracy curve with each group of classes left out.

    Parameters
    ----------
    ranking : Ranking
        Competitors by group.
    ks : ndarray of int64
        Sizes of the subsets.
    ties : {"random", "optimistic", "pessimistic"}
        Rule for ties.
    average : {"macro", "micro"}
        Weighting of samples.
    top : int, default=1
        How many guesses are allowed.

    Returns
    -------
    ndarray of shape (n_groups, len(ks))
        NaN where a size exceeds the classes that remain.
    """
    sizes = ranking.n_classes - np.bincount(ranking.group, minlength=ranking.n_groups)
    curves = np.full((ranking.n_groups, ks.size), np.nan)
    for size in np.unique(sizes):
        possible = ks <= size
        if size < 2 or not possible.any():
            continue
        left_out = np.flatnonzero(sizes == size)
        step = max(1, _MOST_CELLS // int(size))
        for start in range(0, left_out.size, step):
            some = left_out[start : start + step]
            histograms = _leave_out(ranking, some, ties, average)
            # Tables for some sizes at a time: all of them may not fit in memory.
            for chosen in np.array_split(
                np.flatnonzero(possible), -(-int(possible.sum()) // step)
            ):
                table = chances_right(int(size), ks[chosen], top)
                curves[np.ix_(some, chosen)] = histograms[:, :size] @ table.T
    return curves


def jackknife_covariance(replicates: FloatArray) -> FloatArray:
    """Turn leave-one-group-out replicates into a covariance matrix.

    Parameters
    ----------
    replicates : ndarray of shape (n_groups, m)
        One row per group left out; a column may be all NaN.

    Returns
    -------
    ndarray of shape (m, m)
        Covariance of the full-sample values; NaN where replicates are missing.
    """
    n_groups = replicates.shape[0]
    deviations = replicates - replicates.mean(axis=0)
    # Products of huge costs are beyond what numbers hold: infinite, or not a number.
    with np.errstate(over="ignore", invalid="ignore"):
        covariance: FloatArray = (n_groups - 1) / n_groups * deviations.T @ deviations
    return covariance


def jackknife_stderr(replicates: FloatArray) -> FloatArray:
    """Turn leave-one-group-out replicates into standard errors.

    Parameters
    ----------
    replicates : ndarray of shape (n_groups, m)
        One row per group left out; a column may be all NaN.

    Returns
    -------
    ndarray of shape (m,)
        Standard errors of the full-sample values; NaN where replicates are missing.
    """
    n_groups = replicates.shape[0]
    deviations = replicates - replicates.mean(axis=0)
    # By powers of two, which change no digit: squares of costs may overflow.
    _, power = np.frexp(np.abs(deviations).max(axis=0, initial=0))
    squares = ((n_groups - 1) / n_groups) * (np.ldexp(deviations, -power) ** 2).sum(0)
    stderr: FloatArray = np.ldexp(np.sqrt(squares), power)
    return stderr


def _leave_out(
    ranking: Ranking, groups: IntArray, ties: str, average: str
) -> FloatArray:
    """Return the histogram without each of some groups of classes, one row each."""
    histograms = np.empty((groups.size, ranking.n_classes))
    weights = ranking.weights(average)
    whose = ranking.group[ranking.own]
    by_group = np.argsort(whose, kind="stable")
    ends = np.searchsorted(whose[by_group], np.arange(ranking.n_groups + 1))
    for start in range(0, groups.size, _COLUMNS):
        some = groups[start : start + _COLUMNS]
        # Counts lie row by row; reading them column by column takes ten times longer.
        above = np.take(ranking.above, some, axis=1).T.astype(np.int64, order="C")
        tied = np.take(ranking.tied, some, axis=1).T.astype(np.int64, order="C")
        for row, g in enumerate(some):
            gone = by_group[ends[g] : ends[g + 1]]
            staying = weights.copy()
            staying[gone] = 0.0
            out = histograms[start + row]
            out[:] = beating_histogram(
                ranking.n_above - above[row],
                ranking.n_tied - tied[row],
                staying,
                ranking.n_classes,
                ties,
            )
            # Classes leave with all their samples: the other weights grow alike.
            out /= staying.sum() if gone.size < whose.size else np.nan
    return histograms
