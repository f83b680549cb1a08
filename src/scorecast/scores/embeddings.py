"""Vectors of a gallery and of probes, compared without a score matrix."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.types import FloatArray, IntArray
from scorecast.exceptions import InvalidInputError, UsageError
from scorecast.scores.best_wrong import (
    LARGE_VALUES,
    BestWrong,
    best_wrong,
    fast_scores,
)
from scorecast.scores.embedding_ranks import (
    DISTANCES,
    Problem,
    check_directions,
    check_features,
    competitor_counts,
)
from scorecast.scores.matrix import (
    ClassLabels,
    CountArray,
    label_list,
    match_labels,
    one_class_only,
)
from scorecast.scores.reference_scores import exact_scores
from scorecast.scores.stored_rows import (
    AnyRows,
    StoredRows,
    check_rows,
    load_rows,
    read_rows,
    row_blocks,
    take_rows,
)


class Embeddings:
    """A gallery of known classes and the probes to recognise.

    The score of a class for a probe is that of its best gallery vector: the nearest
    (``sqeuclidean``) or the most similar (``cosine``, ``dot``).

    Parameters
    ----------
    gallery : array-like of shape (n_vectors, n_features), or path-like
        One or several vectors of each class. An array that is not in memory, such as
        one of Zarr, or the path of a ``.npy``, ``.parquet`` or ``.zarr`` is read by
        rows as they are needed.
    probes : array-like of shape (n_samples, n_features), or path-like
        The samples, likewise.
    y_true : iterable of hashable, optional
        True label of each probe. May come later, beside the embeddings.
    metric : {"sqeuclidean", "cosine", "dot"}, default="sqeuclidean"
        How vectors are compared.
    gallery_labels : sequence of hashable, optional
        Class of each gallery vector. Without it every vector is a class of its own,
        named by its row number.

    Attributes
    ----------
    gallery, probes : ndarray
        The vectors, float32 or float64; of what is stored, where it lies.
    gallery_class : ndarray of int64
        Class number of each gallery vector.
    classes : tuple
        Label of each class.
    metric : str
        As given.

    Raises
    ------
    InvalidInputError
        If vectors are not finite or differ in length, or a probe's class is not in the
        gallery.
    InsufficientDataError
        If there is one class only.

    Examples
    --------
    >>> gallery = [[0.0, 0.0], [3.0, 4.0]]
    >>> Embeddings(gallery, [[0.1, 0.2]], [0], metric="sqeuclidean").rows(0, 1).shape
    (1, 2)
    """

    def __init__(
        self,
        gallery: ArrayLike,
        probes: ArrayLike,
        y_true: Iterable[Hashable] | None = None,
        *,
        metric: str = "sqeuclidean",
        gallery_labels: Sequence[Hashable] | None = None,
    ) -> None:
        distance = DISTANCES.choose(metric, parameter="metric")
        self.metric = distance.name
        self.gallery = check_rows(gallery, parameter="gallery")
        self.probes = check_rows(probes, parameter="probes")
        check_features(self.gallery, self.probes)
        if distance.needs_nonzero:
            for vectors, name in ((self.gallery, "gallery"), (self.probes, "probes")):
                for start, block in row_blocks(vectors):
                    check_directions(block, name, start)
        n_vectors = self.gallery.shape[0]
        self.gallery_class: IntArray = np.arange(n_vectors)
        self.classes: ClassLabels = tuple(range(n_vectors))
        if gallery_labels is not None:
            self.gallery_class, self.classes = _number(gallery_labels, n_vectors)
        if self.n_classes < 2:
            raise one_class_only()
        self._own: IntArray | None = None
        if y_true is not None:
            self._own = self._match(y_true)

    def __repr__(self) -> str:
        return (
            f"<Embeddings: {self.n_samples:,} probes, {self.n_classes:,} classes, "
            f"{self.probes.shape[1]:,} features, {self.metric}>"
        )

    @property
    def is_labelled(self) -> bool:
        """Whether the class of every probe is known."""
        return self._own is not None

    @property
    def own(self) -> IntArray:
        """Class number of each probe."""
        if self._own is None:
            problem = "the true label of every probe is needed"
            raise UsageError(problem, parameter="y_true")
        return self._own

    @property
    def n_samples(self) -> int:
        """Number of probes."""
        return int(self.probes.shape[0])

    @property
    def n_classes(self) -> int:
        """Number of classes in the gallery."""
        return len(self.classes)

    def labelled(self, y_true: Iterable[Hashable]) -> Embeddings:
        """Return the same vectors with the class of each probe."""
        known = copy.copy(self)
        known._own = self._match(y_true)
        return known

    def rows(self, start: int, stop: int, *, exact: bool = False) -> FloatArray:
        """Return the scores of some probes for all classes, greater is better.

        Parameters
        ----------
        start, stop : int
            Range of probes.
        exact : bool, default=False
            Whether equal scores must come out equal to the last bit, as ranks count
            them; slower.

        Returns
        -------
        ndarray of shape (stop - start, n_classes)
            Minus distances, or similarities, in double precision.
        """
        probes = load_rows(self.probes, slice(start, stop))
        if self.is_large:
            scores = np.empty((probes.shape[0], self.gallery.shape[0]))
            centre = self.centre
            for first, block in row_blocks(self.gallery, LARGE_VALUES // 4):
                part = slice(first, first + block.shape[0])
                if exact:
                    scores[:, part] = exact_scores(block, probes, self.metric)
                else:
                    scores[:, part] = fast_scores(block, probes, self.metric, centre)
            return self._best_of_each_class(scores)
        gallery = read_rows(self.gallery)
        if exact:
            scores = exact_scores(gallery, probes, self.metric)
        else:
            scores = fast_scores(gallery, probes, self.metric)
        return self._best_of_each_class(scores)

    @property
    def is_large(self) -> bool:
        """Whether the gallery is too large to be held in double precision."""
        return self.gallery.size > LARGE_VALUES

    @property
    def centre(self) -> FloatArray:
        """Mean of the gallery, found block by block; zeros where none is needed."""
        if self.metric != "sqeuclidean":
            return np.zeros(self.gallery.shape[1])
        total = np.zeros(self.gallery.shape[1])
        for _, block in row_blocks(self.gallery, LARGE_VALUES // 4):
            total += block.sum(axis=0, dtype=np.float64)
        return np.asarray(total / self.gallery.shape[0])

    def best_wrong(self, n_best: int, *, n_jobs: int | None = None) -> BestWrong:
        """Find the best wrong scores of every probe, block by block.

        Parameters
        ----------
        n_best : int
            How many.
        n_jobs : int, optional
            Number of threads; all cores by default. A cluster uses its workers.

        Returns
        -------
        BestWrong
            The scores of the truth, the best wrong ones, and what is usual.
        """
        return best_wrong(
            Problem(
                gallery=self.gallery,
                probes=self.probes,
                own=self.own,
                gallery_class=self.gallery_class,
                group=np.zeros(self.n_classes, dtype=np.int64),
                metric=self.metric,
            ),
            self.centre,
            n_best,
            n_jobs=n_jobs,
        )

    def subset(self, chosen: IntArray) -> Embeddings:
        """Keep some classes, and the probes that belong to them.

        Parameters
        ----------
        chosen : ndarray of int64
            Classes to keep.

        Returns
        -------
        Embeddings
            The smaller problem.
        """
        position = np.full(self.n_classes, -1, dtype=np.int64)
        position[chosen] = np.arange(chosen.size)
        in_gallery = position[self.gallery_class] >= 0
        kept = position[self.own] >= 0
        smaller = copy.copy(self)
        smaller.gallery = _some(self.gallery, np.flatnonzero(in_gallery))
        smaller.probes = _some(self.probes, np.flatnonzero(kept))
        smaller.gallery_class = position[self.gallery_class[in_gallery]]
        smaller.classes = tuple(self.classes[i] for i in chosen)
        smaller._own = position[self.own[kept]]
        return smaller

    def some(self, rows: IntArray) -> Embeddings:
        """Keep some probes, and all classes.

        Parameters
        ----------
        rows : ndarray of int64
            Probes to keep.

        Returns
        -------
        Embeddings
            The same classes, fewer probes.
        """
        fewer = copy.copy(self)
        fewer.probes = _some(self.probes, rows)
        fewer._own = None if self._own is None else self._own[rows]
        return fewer

    def competitor_counts(
        self, group: IntArray, n_groups: int, n_jobs: int | None = None
    ) -> tuple[CountArray, CountArray]:
        """Count, per probe and group of classes, who beats and who ties the truth.

        Parameters
        ----------
        group : ndarray of int64
            Group of each class.
        n_groups : int
            Number of groups.
        n_jobs : int, optional
            Number of threads; all cores by default.

        Returns
        -------
        above, tied : ndarray of shape (n_samples, n_groups)
            Numbers of other classes with a greater, and with an equal, score.
        """
        return competitor_counts(
            self.gallery,
            self.probes,
            self.own,
            self.gallery_class,
            group,
            n_groups=n_groups,
            metric=self.metric,
            n_jobs=n_jobs,
        )

    def _match(self, y_true: Iterable[Hashable]) -> IntArray:
        """Return the class number of each probe."""
        own, _ = match_labels(y_true, self.n_classes, self.classes, what="gallery")
        if own.size != self.n_samples:
            problem = f"{own.size:,} labels for {self.n_samples:,} probes"
            raise InvalidInputError(problem, parameter="y_true")
        return own

    def _best_of_each_class(self, scores: FloatArray) -> FloatArray:
        """Reduce the scores of gallery vectors to those of classes."""
        order = np.argsort(self.gallery_class, kind="stable")
        if self.n_classes == scores.shape[1]:
            is_in_order = bool((np.diff(self.gallery_class) > 0).all())
            return scores if is_in_order else np.ascontiguousarray(scores[:, order])
        best = np.full((scores.shape[0], self.n_classes), -np.inf)
        starts = np.searchsorted(self.gallery_class[order], np.arange(self.n_classes))
        np.maximum.reduceat(scores[:, order], starts, axis=1, out=best)
        return best


def _some(matrix: AnyRows, rows: IntArray) -> AnyRows:
    """Return some rows; those of a large file are left where they lie."""
    is_large = matrix.size > LARGE_VALUES
    if is_large or isinstance(matrix, StoredRows):
        return take_rows(matrix, rows)
    return load_rows(matrix, rows)


def _number(labels: Sequence[Hashable], n_vectors: int) -> tuple[IntArray, ClassLabels]:
    """Give classes numbers in the order in which they come."""
    every = label_list(labels)
    if len(every) != n_vectors:
        problem = f"{len(every):,} labels for {n_vectors:,} gallery vectors"
        raise InvalidInputError(problem, parameter="gallery_labels")
    number: dict[Hashable, int] = {}
    own = [number.setdefault(label, len(number)) for label in every]
    return np.array(own, dtype=np.int64), tuple(number)
