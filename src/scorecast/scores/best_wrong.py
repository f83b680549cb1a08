"""The best wrong scores of probes, block by block over the gallery.

Neither all scores nor the gallery in double precision are ever held, here or on a
worker. Blocks are the same everywhere and each is multiplied by one thread of BLAS, so
that scores have the same bytes on every engine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scorecast._core.types import FloatArray, IntArray
from scorecast.scores.gallery_blocks import (
    GalleryBlock,
    gallery_blocks,
    rows_in_block,
    work_through,
)
from scorecast.scores.stored_rows import Matrix, read_rows, take_rows

if TYPE_CHECKING:
    from scorecast.scores.embedding_ranks import Problem

LARGE_VALUES = 1 << 23  # of a gallery that is not held in double precision: 64 MB
_USUAL = 400  # classes whose scores are looked at for the median
_SCORES = 1 << 21  # held at a time


class BestWrong(NamedTuple):
    """What the tails of some probes look like.

    Parameters
    ----------
    truth : ndarray of shape (n_probes,)
        Score of the true class.
    wrong : ndarray of shape (n_probes, n_best)
        The best scores of other classes, from the best down.
    median : ndarray of shape (n_probes,)
        Median of the scores of wrong classes, of every so manieth class.
    """

    truth: FloatArray
    wrong: FloatArray
    median: FloatArray


def median_step(n_classes: int) -> int:
    """Return which classes are looked at for the median: every so manieth."""
    return max(1, n_classes // _USUAL)


def fast_scores(
    gallery: Matrix, probes: Matrix, metric: str, centre: FloatArray | None = None
) -> FloatArray:
    """Return scores by matrix products, rounded as they may be.

    Parameters
    ----------
    gallery, probes : ndarray of shape (m, d) and (n, d)
        Vectors.
    metric : {"sqeuclidean", "cosine", "dot"}
        How they are compared.
    centre : ndarray of shape (d,), optional
        What is subtracted from both before distances; the mean of these vectors of the
        gallery by default.

    Returns
    -------
    ndarray of shape (n, m)
        Minus distances, or similarities.
    """
    return _Prepared.of(gallery, metric, centre).scores(probes)


class _Prepared(NamedTuple):
    """Gallery vectors as products need them."""

    vectors: FloatArray
    squares: FloatArray
    metric: str
    centre: FloatArray

    @classmethod
    def of(cls, gallery: Matrix, metric: str, centre: FloatArray | None) -> _Prepared:
        """Centre vectors, or bring them to norm one."""
        vectors = np.asarray(gallery, dtype=np.float64)
        squares = np.empty(0)
        if metric == "sqeuclidean":
            centre = vectors.mean(axis=0) if centre is None else centre
            vectors = vectors - centre
            squares = (vectors**2).sum(1)
        elif metric == "cosine":
            vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return cls(vectors, squares, metric, squares if centre is None else centre)

    def scores(self, probes: Matrix) -> FloatArray:
        """Return the scores of some probes."""
        rows = np.asarray(probes, dtype=np.float64)
        if self.metric == "sqeuclidean":
            rows = rows - self.centre
            squares = self.squares + (rows**2).sum(1)[:, None]
            # Distances, not their squares, are on the scale on which kernels of
            # constant width make sense (as in the authors' own code).
            products = 2 * rows @ self.vectors.T
            near: FloatArray = -np.sqrt(np.maximum(squares - products, 0))
            return near
        if self.metric == "cosine":
            rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        scores: FloatArray = rows @ self.vectors.T
        return scores


def best_wrong(
    problem: Problem, centre: FloatArray, n_best: int, *, n_jobs: int | None = None
) -> BestWrong:
    """Find the best wrong scores, the truth's, and a median, for every probe.

    Parameters
    ----------
    problem : Problem
        Vectors and classes; groups are not looked at.
    centre : ndarray of shape (n_features,)
        Of the gallery, for distances.
    n_best : int
        How many wrong scores, fewer than classes.
    n_jobs : int, optional
        Number of threads if it is done here.

    Returns
    -------
    BestWrong
        For every probe.
    """
    n, n_features = problem.probes.shape
    n_rows = rows_in_block(n_features)
    blocks = gallery_blocks(problem.gallery_class, int(n_rows * 4 / 5))
    n_probes = max(1, n_rows // 5)
    probes = [np.arange(s, min(s + n_probes, n)) for s in range(0, n, n_probes)]
    step = median_step(problem.group.size)
    kept = _Kept.of(n, n_best, problem, step)
    rules = problem.metric, centre, n_best, step

    def parts(task: tuple[int, int]) -> list[tuple[object, Callable[[], Any]]]:
        rows, block = probes[task[1]], blocks[task[0]]
        return [
            (
                ("probes", task[1]),
                lambda: (problem.own[rows], take_rows(problem.probes, rows)),
            ),
            (("gallery", task[0]), lambda: _sent(problem, block)),
            ("rules", lambda: rules),
        ]

    def take(task: tuple[int, int], found: _Found) -> None:
        kept.add(blocks[task[0]], probes[task[1]], found)

    tasks = [(j, i) for j in range(len(blocks)) for i in range(len(probes))]
    work_through(
        _best_part, tasks, parts, take, what="best wrong scores", n_jobs=n_jobs
    )
    return kept.finished()


def _sent(problem: Problem, block: GalleryBlock) -> Any:
    vectors = take_rows(problem.gallery, block.rows)
    return problem.gallery_class[block.rows], vectors, block.classes


class _Found(NamedTuple):
    """Of a block of classes: the truth if it is there, the best, a sample."""

    truth: FloatArray
    wrong: FloatArray
    sample: FloatArray
    sampled: IntArray


def _best_part(tested: Any, part: Any, rules: Any) -> _Found:
    """Look at the scores of some probes for some classes."""
    metric, centre, n_best, step = rules
    own, given = tested
    vector_class, vectors, classes = part
    probes = read_rows(given)
    gallery = _Prepared.of(read_rows(vectors), metric, centre)
    # Vectors come in the order of their classes.
    starts = np.searchsorted(vector_class, classes)
    sampled = np.flatnonzero(classes % step == 0)
    n_kept = min(n_best, classes.size)
    truth = np.full(own.size, np.nan)
    wrong = np.empty((own.size, n_kept))
    sample = np.empty((own.size, sampled.size))
    at_once = max(1, _SCORES // vector_class.size)
    for start in range(0, own.size, at_once):
        rows = slice(start, start + at_once)
        scores = gallery.scores(probes[rows])
        if classes.size < scores.shape[1]:
            scores = np.maximum.reduceat(scores, starts, axis=1)
        place = np.searchsorted(classes, own[rows])
        place = np.minimum(place, classes.size - 1)
        is_here = np.flatnonzero(classes[place] == own[rows])
        at = is_here, place[is_here]
        truth[start + is_here] = scores[at]
        scores[at] = np.nan
        sample[rows] = scores[:, sampled]
        scores[at] = -np.inf
        wrong[rows] = np.partition(scores, classes.size - n_kept, axis=1)[
            :, classes.size - n_kept :
        ]
    return _Found(truth, wrong, sample, classes[sampled])


class _Kept:
    """What is known so far of every probe; the order of blocks does not matter."""

    def __init__(
        self, truth: FloatArray, wrong: FloatArray, sample: FloatArray, step: int
    ) -> None:
        self.truth, self.wrong, self.sample, self.step = truth, wrong, sample, step
        self.cut: dict[int, tuple[FloatArray, FloatArray]] = {}

    @classmethod
    def of(cls, n: int, n_best: int, problem: Problem, step: int) -> _Kept:
        """Begin with nothing."""
        n_sampled = -(-problem.group.size // step)
        return cls(
            np.full(n, np.nan),
            np.full((n, n_best), -np.inf),
            np.full((n, n_sampled), np.nan),
            step,
        )

    def add(self, block: GalleryBlock, rows: IntArray, found: _Found) -> None:
        """Add a block of classes, or a part of a large class."""
        if block.is_part:
            n = self.truth.size
            both = np.full(n, np.nan), np.full(n, -np.inf)
            truth, wrong = self.cut.setdefault(int(block.classes[0]), both)
            truth[rows] = np.fmax(truth[rows], found.truth)
            wrong[rows] = np.maximum(wrong[rows], found.wrong[:, 0])
            return
        self._merge(rows, found)

    def _merge(self, rows: IntArray, found: _Found) -> None:
        self.truth[rows] = np.fmax(self.truth[rows], found.truth)
        self.sample[np.ix_(rows, found.sampled // self.step)] = found.sample
        every = np.concatenate([self.wrong[rows], found.wrong], axis=1)
        n_best = self.wrong.shape[1]
        first = every.shape[1] - n_best
        self.wrong[rows] = np.partition(every, first, axis=1)[:, first:]

    def finished(self) -> BestWrong:
        """Put classes that were cut together, and sort."""
        rows = np.arange(self.truth.size)
        for number, (truth, wrong) in self.cut.items():
            is_own = np.isfinite(truth)
            sampled = np.array([number] if number % self.step == 0 else [], np.int64)
            seen = np.where(is_own, np.nan, wrong)[:, None][:, : sampled.size]
            self._merge(rows, _Found(truth, wrong[:, None], seen, sampled))
        return BestWrong(
            truth=self.truth,
            wrong=-np.sort(-self.wrong, axis=1),
            median=np.nanmedian(self.sample, axis=1),
        )
