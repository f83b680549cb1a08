"""How likely a class drawn at random is to score below the right one, per example.

The scores of the wrong classes are smoothed with a Gaussian kernel of bandwidth h,
so the share of wrong classes below the right one becomes
``a = mean(Phi((s_own - s_j) / h))``; the accuracy among k classes is then the mean of
``a ** (k - 1)``. Bandwidth 0 is the limit: a step that counts a tie as one half.

Small inputs take a NumPy path, large ones compiled kernels on blocks of rows; the
answers agree to about 1e-9.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scorecast._core.checks import check_matrix, check_n_jobs
from scorecast._core.parallel import map_threads
from scorecast._core.types import FloatArray, IntArray
from scorecast.exceptions import InvalidInputError

__all__ = ["kde_favourability", "kde_favourability_by_group"]

Scores: TypeAlias = NDArray[np.floating[Any]]

SMALL_INPUT = 200_000  # scores; up to here loading numba costs more than it saves
_BLOCK = 1 << 17  # scores in a block: at most 1 MB, it stays in a core's cache


def kde_favourability(
    scores: ArrayLike,
    own: ArrayLike,
    bandwidths: ArrayLike,
    *,
    n_jobs: int | None = None,
) -> FloatArray:
    """Return the smoothed share of wrong classes that score below the right one.

    A wrong-class score of minus infinity lies below every finite score and ties with
    another minus infinity, whatever the bandwidth. With a single class there is
    nothing to lose against: the answer is 1.

    Parameters
    ----------
    scores : array-like of shape (n, K)
        Score of every class for every example, greater is better.
    own : array-like of shape (n,)
        Column of the right class of each example.
    bandwidths : array-like of shape (n,)
        Bandwidth of each example, as from
        :func:`scorecast.classes.bandwidths.wrong_class_bandwidths`; 0 is a step.
    n_jobs : int, optional
        Number of threads; None means every core. The answer does not depend on it.

    Returns
    -------
    ndarray of shape (n,)
        Favourabilities, between 0 and 1.

    Examples
    --------
    >>> scores = [[2.0, 1.0, 0.0], [1.0, 1.0, 3.0]]
    >>> kde_favourability(scores, [0, 0], [1.0, 0.0]).round(6)
    array([0.909297, 0.25    ])
    """
    matrix, labels = as_scores_and_own(scores, own)
    widths = _check_bandwidths(bandwidths, labels.size)
    check_n_jobs(n_jobs)
    n_wrong = matrix.shape[1] - 1
    if n_wrong == 0:
        return np.ones(labels.size)
    small = is_small(matrix)

    def work(rows: slice) -> FloatArray:
        block, at, h = checked_block(matrix, rows), labels[rows], widths[rows]
        if small:
            return np.asarray(_chances(block, at, h).sum(axis=1) / n_wrong)
        from scorecast.classes import kde_kernels  # numba, for large inputs only

        out = np.empty(at.size)
        kde_kernels.favourability_rows(block, at, h, out)
        return out

    blocks = row_blocks(labels.size, block_rows(matrix))
    n_threads = 1 if small else n_jobs
    parts = map_threads(work, blocks, n_jobs=n_threads, what="favourability")
    return np.concatenate(parts)


def kde_favourability_by_group(
    scores: ArrayLike,
    own: ArrayLike,
    bandwidths: ArrayLike,
    group: ArrayLike,
    n_groups: int,
    *,
    n_jobs: int | None = None,
) -> FloatArray:
    """Sum the smoothed comparisons with the wrong classes of each group of classes.

    The sums of a row add up to ``(K - 1) * kde_favourability``.

    Parameters
    ----------
    scores, own, bandwidths : array-like
        As in :func:`kde_favourability`.
    group : array-like of shape (K,)
        Group of each class (column), from 0 to ``n_groups - 1``.
    n_groups : int
        Number of groups; a group may be empty.
    n_jobs : int, optional
        Number of threads; None means every core. The answer does not depend on it.

    Returns
    -------
    ndarray of shape (n, n_groups)
        Sum of ``Phi((s_own - s_j) / h)`` over the wrong classes j of each group.

    Examples
    --------
    >>> scores = [[2.0, 1.0, 0.0, 2.0]]
    >>> kde_favourability_by_group(scores, [0], [1.0], [0, 0, 1, 1], 2).round(6)
    array([[0.841345, 1.47725 ]])
    """
    matrix, labels = as_scores_and_own(scores, own)
    widths = _check_bandwidths(bandwidths, labels.size)
    check_n_jobs(n_jobs)
    groups = _check_group(group, matrix.shape[1], n_groups)
    small = is_small(matrix)

    def work(rows: slice) -> FloatArray:
        block, at, h = checked_block(matrix, rows), labels[rows], widths[rows]
        if small:
            return _group_sums(_chances(block, at, h), groups, n_groups)
        from scorecast.classes import kde_kernels  # numba, for large inputs only

        out = np.empty((at.size, n_groups))
        kde_kernels.group_rows(block, at, h, groups, out)
        return out

    blocks = row_blocks(labels.size, block_rows(matrix))
    n_threads = 1 if small else n_jobs
    parts = map_threads(work, blocks, n_jobs=n_threads, what="favourability")
    return np.concatenate(parts)


# --- NumPy path --------------------------------------------------------------------


def _chances(block: Scores, own: IntArray, h: FloatArray) -> FloatArray:
    """Return Phi((s_own - s_j) / h) for every class, 0 for the right one."""
    place = np.arange(own.size), own
    right = block[place].astype(np.float64)[:, None]
    # 0 / 0 and inf - inf are ties; anything else over 0 is plus or minus infinity.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        z = (right - block) / h[:, None]
    z[np.isnan(z)] = 0.0
    chances = np.where(z > 0.0, 1.0, 0.0)
    # Phi is 1 in double precision from 8.3 up and 0 from -38.6 down. The C library's
    # erfc, value by value, because importing scipy.special costs more than it saves.
    near = (z < 8.3) & (z > -38.6)
    argument = (-math.sqrt(0.5) * z[near]).tolist()
    chances[near] = [0.5 * math.erfc(value) for value in argument]
    chances[place] = 0.0
    return chances


def _group_sums(chances: FloatArray, group: IntArray, n_groups: int) -> FloatArray:
    n = chances.shape[0]
    cell = np.arange(n)[:, None] * n_groups + group
    sums = np.bincount(cell.ravel(), chances.ravel(), minlength=n * n_groups)
    return np.asarray(sums.reshape(n, n_groups), dtype=np.float64)


# --- checks and blocks of rows, shared with the bandwidths -------------------------


def as_scores_and_own(scores: ArrayLike, own: ArrayLike) -> tuple[Scores, IntArray]:
    """Return a float matrix and a column per row; NaN is looked for block by block."""
    matrix: Scores = np.asarray(scores)
    native = matrix.dtype in {np.dtype(np.float32), np.dtype(np.float64)}
    if matrix.ndim != 2 or not matrix.size or not native:
        matrix = check_matrix(matrix, "`scores`", allow_negative_infinity=True)
    labels = np.asarray(own)
    n, n_classes = matrix.shape
    if labels.shape != (n,) or labels.dtype.kind not in "iu":
        msg = (
            f"`own` must hold one whole number per row of `scores` ({n}); got shape "
            f"{labels.shape}, dtype {labels.dtype}."
        )
        raise InvalidInputError(msg)
    if labels.min() < 0 or labels.max() >= n_classes:
        msg = (
            f"`own` must lie in [0, {n_classes - 1}], the columns of `scores`; got "
            f"values from {labels.min()} to {labels.max()}."
        )
        raise InvalidInputError(msg)
    return matrix, labels.astype(np.int64)


def is_small(matrix: Scores) -> bool:
    """Say whether plain NumPy beats loading numba for this matrix."""
    return bool(matrix.size <= SMALL_INPUT)


def block_rows(matrix: Scores) -> int:
    """Count the rows of a block that stays in a core's cache."""
    return max(1, min(256, _BLOCK // int(matrix.shape[1])))


def row_blocks(n: int, size: int) -> list[slice]:
    """Cut n rows into blocks; the cut does not depend on the number of threads."""
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def checked_block(matrix: Scores, rows: slice) -> Scores:
    """Return a contiguous block, or raise if it holds NaN or plus infinity."""
    block = np.ascontiguousarray(matrix[rows])
    if not (block < np.inf).all():
        # Raises, and names the row of the whole matrix rather than of the block.
        check_matrix(matrix, "`scores`", allow_negative_infinity=True)
    return block


def _check_bandwidths(bandwidths: ArrayLike, n: int) -> FloatArray:
    widths = np.asarray(bandwidths, dtype=np.float64)
    if widths.shape != (n,):
        msg = (
            f"`bandwidths` must hold one number per row of `scores` ({n}); got shape "
            f"{widths.shape}."
        )
        raise InvalidInputError(msg)
    bad = np.flatnonzero(~((widths >= 0.0) & (widths < np.inf)))
    if bad.size:
        msg = (
            f"`bandwidths` must be finite and at least 0; bandwidths[{bad[0]}] = "
            f"{widths[bad[0]]} ({bad.size} such values)."
        )
        raise InvalidInputError(msg)
    return np.ascontiguousarray(widths)


def _check_group(group: ArrayLike, n_classes: int, n_groups: int) -> IntArray:
    groups = np.asarray(group)
    whole = groups.dtype.kind in "iu" and groups.shape == (n_classes,)
    if not whole or groups.min() < 0 or groups.max() >= n_groups:
        msg = (
            f"`group` must hold one whole number from 0 to {n_groups - 1} per class "
            f"({n_classes}); got shape {groups.shape}, dtype {groups.dtype}."
        )
        raise InvalidInputError(msg)
    return groups.astype(np.int64)
