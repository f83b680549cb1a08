"""Methods kde-ucv, kde-bcv, kde-fixed: smooth the wrong-class scores by a kernel.

A sample's favourability is the mass of its smoothed wrong-class scores below the score
of the true class. It uses the scores themselves, so it can tell a narrow victory from a
wide one, and is lost where few wrong classes or odd score scales make a Gaussian kernel
meaningless.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import check_n_jobs, check_positive
from scorecast._core.parallel import map_threads
from scorecast._core.types import FloatArray, IntArray
from scorecast.exceptions import InvalidInputError, Location, UsageError
from scorecast.extrapolation.bandwidths import (
    BANDWIDTH_RULES,
    Matrix,
    as_scores_and_own,
    block_rows,
    checked_block,
    is_small,
    row_blocks,
    wrong_class_bandwidths,
)
from scorecast.extrapolation.extrapolator import (
    EXTRAPOLATORS,
    EmpiricalFavourability,
    Extrapolator,
    Fit,
    Law,
)
from scorecast.extrapolation.observed import ObservedClasses
from scorecast.scores import Ranking, sample_weights

_BLOCK = 8_000_000  # scores held at a time


@dataclass(frozen=True, kw_only=True)
class Kde(Extrapolator):
    r"""Kernel-smoothed favourability of each sample.

    With true score s, wrong-class scores :math:`s_j` and bandwidth h,

    .. math:: u = \frac{1}{K-1} \sum_j \Phi(\frac{s - s_j}{h}).

    Attributes
    ----------
    rule : {"ucv", "bcv", "nrd0"}
        Bandwidth rule, as in R; the method is called after it.

    References
    ----------
    K. N. Kay, T. Naselaris, R. J. Prenger and J. L. Gallant (2008). Identifying natural
    images from human brain activity. Nature 452.
    """

    uses_scores: ClassVar[bool] = True
    is_compared: ClassVar[bool] = True
    max_cells: ClassVar[int | None] = 50_000_000

    name: str = "kde-ucv"
    title: str = "kernel-smoothed scores"
    summary: str = "scores smoothed by a kernel, bandwidths by R's bw.ucv"
    reference: str = "Kay, Naselaris, Prenger and Gallant (2008)"
    rule: str = "ucv"

    def __post_init__(self) -> None:
        BANDWIDTH_RULES.choose(self.rule, parameter="rule")
        object.__setattr__(self, "name", f"kde-{self.rule}")

    def fit(
        self,
        observed: ObservedClasses,
        rng: np.random.Generator,  # noqa: ARG002 - nothing to choose at random
        *,
        n_jobs: int | None = None,
    ) -> Fit:
        """Smooth the scores of every sample."""
        masses, bandwidths = self._masses(observed, n_jobs)
        values = masses.sum(axis=1) / (observed.n_classes - 1)
        law = EmpiricalFavourability(
            values=np.minimum(values, 1.0), weights=observed.weights
        )
        width = float(np.median(bandwidths))
        return Fit(law=law, tuned=self, bandwidth=width, kept=masses)

    def fit_left_out(
        self, observed: ObservedClasses, fit: Fit, *, n_jobs: int | None = None
    ) -> Sequence[Law]:
        """Fit again with each group of classes left out, bandwidths held fixed."""
        masses: FloatArray = fit.kept
        ranking = observed.ranking
        sizes = np.bincount(ranking.group, minlength=ranking.n_groups)
        if masses.shape[1] != ranking.n_groups:
            masses, _ = self._masses(observed, n_jobs)
        total = masses.sum(axis=1)
        return [
            _left_out(g, masses, total, ranking, int(size), observed.average)
            for g, size in enumerate(sizes)
        ]

    def _masses(
        self, observed: ObservedClasses, n_jobs: int | None
    ) -> tuple[FloatArray, FloatArray]:
        """Return the favourable mass by sample and group of classes, and bandwidths."""
        data, ranking = observed.scores, observed.ranking
        masses = np.empty((data.n_samples, ranking.n_groups))
        bandwidths = np.empty(data.n_samples)
        step = max(1, _BLOCK // data.n_classes)
        for start in range(0, data.n_samples, step):
            stop = min(start + step, data.n_samples)
            scores = data.rows(start, stop)
            own = data.own[start:stop]
            widths = self._bandwidths(scores, own, n_jobs)
            bandwidths[start:stop] = widths
            masses[start:stop] = kernel_favourability_by_group(
                scores, own, widths, ranking.group, ranking.n_groups, n_jobs=n_jobs
            )
        return masses, bandwidths

    def smooth(
        self, scores: Matrix, own: IntArray, *, n_jobs: int | None = None
    ) -> FloatArray:
        """Return the favourability of every sample, each smoothed by itself."""
        widths = self._bandwidths(scores, own, n_jobs)
        return np.minimum(kernel_favourability(scores, own, widths, n_jobs=n_jobs), 1.0)

    def _bandwidths(
        self, scores: Matrix, own: IntArray, n_jobs: int | None
    ) -> FloatArray:
        return wrong_class_bandwidths(scores, own, self.rule, n_jobs=n_jobs)


@dataclass(frozen=True, kw_only=True)
class FixedKde(Kde):
    """The same with one bandwidth for all samples.

    Attributes
    ----------
    bandwidth : float
        On the scale of the scores; it has to be given.
    """

    is_compared: ClassVar[bool] = False

    summary: str = "scores smoothed by a kernel of one given bandwidth"
    bandwidth: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", "kde-fixed")
        if self.rule != Kde.rule:
            problem = "a given bandwidth follows no rule"
            raise UsageError(problem, parameter="rule")
        if self.bandwidth is not None:
            check_positive(self.bandwidth, "bandwidth")

    def _bandwidths(
        self,
        scores: Matrix,  # noqa: ARG002
        own: IntArray,
        n_jobs: int | None,  # noqa: ARG002
    ) -> FloatArray:
        if self.bandwidth is None:
            problem = "a positive number on the scale of the scores is needed"
            raise UsageError(problem, parameter="bandwidth")
        return np.full(own.size, float(self.bandwidth))


def _left_out(
    g: int,
    masses: FloatArray,
    total: FloatArray,
    ranking: Ranking,
    size: int,
    average: str,
) -> EmpiricalFavourability:
    stays = ranking.group[ranking.own] != g
    n_others = ranking.n_classes - size - 1
    values = (total[stays] - masses[stays, g]) / max(n_others, 1)
    weights = sample_weights(ranking.own[stays], average, ranking.class_weights)
    return EmpiricalFavourability(values=np.clip(values, 0, 1), weights=weights)


EXTRAPOLATORS.add(Kde())
EXTRAPOLATORS.add(
    Kde(
        rule="bcv",
        summary="scores smoothed by a kernel, bandwidths by R's bw.bcv",
    )
)
EXTRAPOLATORS.add(FixedKde())


# --- kernel favourability ----------------------------------------------------------


def kernel_favourability(
    scores: ArrayLike,
    own: ArrayLike,
    bandwidths: ArrayLike,
    *,
    n_jobs: int | None = None,
) -> FloatArray:
    """Return the smoothed share of wrong classes that score below the right one.

    Small inputs take a NumPy path, large ones compiled kernels on blocks of rows; the
    answers agree to about 1e-9.

    A wrong-class score of minus infinity lies below every finite score and ties with
    another minus infinity, whatever the bandwidth. With a single class there is
    nothing to lose against: the answer is 1.

    Parameters
    ----------
    scores : array-like of shape (n, K)
        Score of every class for every sample, greater is better.
    own : array-like of shape (n,)
        Column of the right class of each sample.
    bandwidths : array-like of shape (n,)
        Bandwidth of each sample, as from `wrong_class_bandwidths`; 0 is a step.
    n_jobs : int, optional
        Number of threads; None means every core. The answer does not depend on it.

    Returns
    -------
    ndarray of shape (n,)
        Favourabilities, between 0 and 1.

    Examples
    --------
    >>> scores = [[2.0, 1.0, 0.0], [1.0, 1.0, 3.0]]
    >>> kernel_favourability(scores, [0, 0], [1.0, 0.0]).round(6)
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
        from scorecast.extrapolation import kernels  # numba, for large inputs only

        out = np.empty(at.size)
        kernels.favourability_rows(block, at, h, out)
        return out

    blocks = row_blocks(labels.size, block_rows(matrix))
    n_threads = 1 if small else n_jobs
    parts = map_threads(work, blocks, n_jobs=n_threads, what="favourability")
    return np.concatenate(parts)


def kernel_favourability_by_group(
    scores: ArrayLike,
    own: ArrayLike,
    bandwidths: ArrayLike,
    group: ArrayLike,
    n_groups: int,
    *,
    n_jobs: int | None = None,
) -> FloatArray:
    """Sum the smoothed comparisons with the wrong classes of each group of classes.

    The sums of a row add up to ``(K - 1) * kernel_favourability``.

    Parameters
    ----------
    scores, own, bandwidths : array-like
        As in `kernel_favourability`.
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
    >>> kernel_favourability_by_group(scores, [0], [1.0], [0, 0, 1, 1], 2).round(6)
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
        from scorecast.extrapolation import kernels  # numba, for large inputs only

        out = np.empty((at.size, n_groups))
        kernels.group_rows(block, at, h, groups, out)
        return out

    blocks = row_blocks(labels.size, block_rows(matrix))
    n_threads = 1 if small else n_jobs
    parts = map_threads(work, blocks, n_jobs=n_threads, what="favourability")
    return np.concatenate(parts)


# --- NumPy path --------------------------------------------------------------------


def _chances(block: Matrix, own: IntArray, h: FloatArray) -> FloatArray:
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


def _check_bandwidths(bandwidths: ArrayLike, n: int) -> FloatArray:
    widths = np.asarray(bandwidths, dtype=np.float64)
    if widths.shape != (n,):
        problem = (
            f"must hold one number per row of the scores ({n}); got shape "
            f"{widths.shape}"
        )
        raise InvalidInputError(problem, parameter="bandwidths")
    bad = np.flatnonzero(~((widths >= 0.0) & (widths < np.inf)))
    if bad.size:
        raise InvalidInputError(
            f"must be finite and at least 0; got {widths[bad[0]]} ({bad.size} such "
            "values)",
            parameter="bandwidths",
            location=Location(row=int(bad[0]) + 1),
        )
    return np.ascontiguousarray(widths)


def _check_group(group: ArrayLike, n_classes: int, n_groups: int) -> IntArray:
    groups = np.asarray(group)
    whole = groups.dtype.kind in "iu" and groups.shape == (n_classes,)
    if not whole or groups.min() < 0 or groups.max() >= n_groups:
        problem = (
            f"must hold one whole number from 0 to {n_groups - 1} per class "
            f"({n_classes}); got shape {groups.shape}, dtype {groups.dtype}"
        )
        raise InvalidInputError(problem, parameter="group")
    return groups.astype(np.int64)
