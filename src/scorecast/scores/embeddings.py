"""Vectors of a gallery and of probes, compared without a score matrix."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scorecast._core.checks import check_choice, check_matrix
from scorecast._core.types import FloatArray, IntArray
from scorecast.exceptions import InsufficientDataError, InvalidInputError
from scorecast.scores.embedding_ranks import competitor_counts
from scorecast.scores.exact_scores import exact_scores
from scorecast.scores.labels import ClassLabels, match_labels

__all__ = ["METRICS", "Embeddings", "LabelledEmbeddings"]

METRICS = ("sqeuclidean", "cosine", "dot")


class Embeddings:
    """A gallery of known classes and the probes to recognise.

    The score of a class for a probe is that of its best gallery vector: the nearest
    (``sqeuclidean``) or the most similar (``cosine``, ``dot``).

    Parameters
    ----------
    gallery : array-like of shape (n_vectors, n_features)
        One or several vectors of each class.
    probes : array-like of shape (n_examples, n_features)
        The examples.
    metric : {"sqeuclidean", "cosine", "dot"}, default="sqeuclidean"
        How vectors are compared.
    gallery_labels : sequence of hashable, optional
        Class of each gallery vector. Without it every vector is a class of its own,
        named by its row number.

    Examples
    --------
    >>> gallery = [[0.0, 0.0], [3.0, 4.0]]
    >>> Embeddings(gallery, [[0.1, 0.2]], metric="sqeuclidean").n_classes
    2
    """

    def __init__(
        self,
        gallery: ArrayLike,
        probes: ArrayLike,
        *,
        metric: str = "sqeuclidean",
        gallery_labels: Sequence[Hashable] | None = None,
    ) -> None:
        self.metric = check_choice(metric, "metric", METRICS)
        self.gallery = check_matrix(gallery, "The gallery")
        self.probes = check_matrix(probes, "The probes")
        if self.gallery.shape[1] != self.probes.shape[1]:
            msg = (
                f"Gallery vectors have {self.gallery.shape[1]} features and probes "
                f"{self.probes.shape[1]}."
            )
            raise InvalidInputError(msg)
        if metric == "cosine":
            _refuse_zero_vectors(self.gallery, "the gallery")
            _refuse_zero_vectors(self.probes, "the probes")
        n_vectors = self.gallery.shape[0]
        self.gallery_class: IntArray
        self.classes: ClassLabels
        if gallery_labels is None:
            self.gallery_class = np.arange(n_vectors)
            self.classes = tuple(range(n_vectors))
        else:
            self.gallery_class, self.classes = _number(gallery_labels, n_vectors)
        if self.n_classes < 2:
            msg = "One class only: with nothing to confuse it with there is no answer."
            raise InsufficientDataError(msg)

    def __repr__(self) -> str:
        n_probes, n_features = self.probes.shape
        return (
            f"<Embeddings: {n_probes:,} probes, {self.n_classes:,} classes, "
            f"{n_features:,} features, {self.metric}>"
        )

    @property
    def n_classes(self) -> int:
        """Number of classes in the gallery."""
        return len(self.classes)

    def with_labels(self, y_true: Iterable[Hashable]) -> LabelledEmbeddings:
        """Say which class each probe belongs to.

        Parameters
        ----------
        y_true : iterable of hashable
            True label of each probe.

        Returns
        -------
        LabelledEmbeddings
            What ranks are computed from.

        Raises
        ------
        InvalidInputError
            If a probe's class is not in the gallery, or numbers do not match.
        """
        own, _ = match_labels(y_true, self.n_classes, self.classes, what="gallery")
        if own.size != self.probes.shape[0]:
            msg = f"{own.size} labels for {self.probes.shape[0]} probes."
            raise InvalidInputError(msg)
        return LabelledEmbeddings(self, own)


class LabelledEmbeddings:
    """Embeddings and the true class of each probe; ranks come from here.

    Parameters
    ----------
    embeddings : Embeddings
        Gallery and probes.
    own : ndarray of int64
        Class number of each probe.
    """

    def __init__(self, embeddings: Embeddings, own: IntArray) -> None:
        self.embeddings = embeddings
        self.own = own
        self.classes = embeddings.classes

    @property
    def n_examples(self) -> int:
        """Number of probes."""
        return int(self.own.size)

    @property
    def n_classes(self) -> int:
        """Number of classes in the gallery."""
        return len(self.classes)

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
        emb = self.embeddings
        if exact:
            scores = exact_scores(emb.gallery, emb.probes[start:stop], emb.metric)
            return self._best_of_each_class(scores)
        gallery = np.asarray(emb.gallery, dtype=np.float64)
        probes = np.asarray(emb.probes[start:stop], dtype=np.float64)
        if emb.metric == "sqeuclidean":
            centre = gallery.mean(axis=0)
            gallery, probes = gallery - centre, probes - centre
            squares = (gallery**2).sum(1) + (probes**2).sum(1)[:, None]
            # Distances, not their squares, are on the scale on which kernels of
            # constant width make sense (as in the authors' own code).
            scores = -np.sqrt(np.maximum(squares - 2 * probes @ gallery.T, 0))
        else:
            if emb.metric == "cosine":
                gallery = gallery / np.linalg.norm(gallery, axis=1, keepdims=True)
                probes = probes / np.linalg.norm(probes, axis=1, keepdims=True)
            scores = probes @ gallery.T
        return self._best_of_each_class(scores)

    def _best_of_each_class(self, scores: FloatArray) -> FloatArray:
        emb = self.embeddings
        order = np.argsort(emb.gallery_class, kind="stable")
        if self.n_classes == scores.shape[1]:
            in_order = bool((np.diff(emb.gallery_class) > 0).all())
            return scores if in_order else np.ascontiguousarray(scores[:, order])
        best = np.full((scores.shape[0], self.n_classes), -np.inf)
        starts = np.searchsorted(emb.gallery_class[order], np.arange(self.n_classes))
        np.maximum.reduceat(scores[:, order], starts, axis=1, out=best)
        return best

    def subset(self, chosen: IntArray) -> LabelledEmbeddings:
        """Keep some classes, and the probes that belong to them.

        Parameters
        ----------
        chosen : ndarray of int64
            Classes to keep.

        Returns
        -------
        LabelledEmbeddings
            The smaller problem.
        """
        position = np.full(self.n_classes, -1, dtype=np.int64)
        position[chosen] = np.arange(chosen.size)
        emb = self.embeddings
        in_gallery = position[emb.gallery_class] >= 0
        kept = position[self.own] >= 0
        smaller = object.__new__(Embeddings)
        smaller.metric = emb.metric
        smaller.gallery = emb.gallery[in_gallery]
        smaller.probes = emb.probes[kept]
        smaller.gallery_class = position[emb.gallery_class[in_gallery]]
        smaller.classes = tuple(self.classes[i] for i in chosen)
        return LabelledEmbeddings(smaller, position[self.own[kept]])

    def competitor_counts(
        self, group: IntArray, n_groups: int, n_jobs: int | None = None
    ) -> tuple[NDArray[np.unsignedinteger[Any]], NDArray[np.unsignedinteger[Any]]]:
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
        above, tied : ndarray of shape (n_examples, n_groups)
            Numbers of other classes with a greater, and with an equal, score.
        """
        emb = self.embeddings
        return competitor_counts(
            emb.gallery,
            emb.probes,
            self.own,
            emb.gallery_class,
            group,
            n_groups=n_groups,
            metric=emb.metric,
            n_jobs=n_jobs,
        )


def _number(labels: Sequence[Hashable], n_vectors: int) -> tuple[IntArray, ClassLabels]:
    listed: list[Any] = (
        np.asarray(labels).tolist() if hasattr(labels, "__array__") else list(labels)
    )
    if len(listed) != n_vectors:
        msg = f"{len(listed)} gallery labels for {n_vectors} gallery vectors."
        raise InvalidInputError(msg)
    number: dict[Hashable, int] = {}
    own = [number.setdefault(label, len(number)) for label in listed]
    return np.array(own, dtype=np.int64), tuple(number)


def _refuse_zero_vectors(vectors: NDArray[np.floating[Any]], where: str) -> None:
    zero = np.flatnonzero(~vectors.any(axis=1))
    if zero.size:
        msg = (
            f"Row {int(zero[0]) + 1} of {where} is all zeros ({zero.size} such rows): "
            "a direction is undefined there. Remove it or use another metric."
        )
        raise InvalidInputError(msg)
