"""Accuracy against the number of classes, from the classes at hand.

`accuracy_curve` is exact: the average, over *all* subsets of k of the K observed
classes, of the test accuracy within the subset (ATA_k). It is unbiased for the
accuracy that k classes drawn from the same population would have.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import check_choice, check_class_counts
from scorecast._core.percent import percent
from scorecast._core.results import Result
from scorecast._core.types import FloatArray, IntArray, Json
from scorecast.exceptions import UsageError
from scorecast.scores.embeddings import Embeddings, LabelledEmbeddings
from scorecast.scores.jackknife import (
    jackknife_covariance,
    jackknife_stderr,
    leave_out_curves,
)
from scorecast.scores.matrix import Scores
from scorecast.scores.ranking import (
    AVERAGES,
    TIES,
    Ranking,
    as_class_scores,
    rank_true_classes,
)
from scorecast.scores.subsets import beating_histogram, mean_chances

__all__ = [
    "AccuracyCurve",
    "accuracy_curve",
    "curve_of_ranking",
    "curve_sizes",
    "saved_stderr",
]

_ALL_SIZES_UP_TO = 400
_MOST_SIZES = 200
_MOST_COVARIANCES = 2000  # sizes: beyond, the matrix is larger than anybody wants


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AccuracyCurve(Result):
    """Average test accuracy in random subsets of the observed classes.

    Attributes
    ----------
    classes : ndarray of int64
        Numbers of classes k.
    accuracy : ndarray of float64
        Average accuracy over all subsets of k classes.
    stderr : ndarray of float64
        Standard error from leaving classes out; NaN where it does not exist (at
        k = K there is no smaller sample of K classes to compare with).
    covariance : ndarray of shape (len(classes), len(classes))
        Covariance of the accuracies, same rule; empty without errors and for more
        than 2,000 sizes.
    n_examples, n_classes : int
        Size of the data.
    n_groups : int
        Groups of classes left out in turn; equal to `n_classes` for the
        delete-one-class jackknife, 0 where errors were not asked for.
    ties, average : str
        Rules used.
    top : int
        Guesses allowed.
    counts : ndarray of int64
        Examples of every class; empty where they are not known. Not saved.
    largest_stderr : float
        Standard error at the largest number of classes that remain when some are left
        out, K - 1 or a few less, whether it is among `classes` or not; NaN without
        errors. It stands for larger numbers, which have none of their own.
    """

    kind: ClassVar[str] = "accuracy-curve"

    classes: IntArray
    accuracy: FloatArray
    stderr: FloatArray
    covariance: FloatArray
    n_examples: int
    n_classes: int
    n_groups: int
    ties: str
    average: str
    top: int
    counts: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    largest_stderr: float = float("nan")

    def summary(self) -> str:
        """Say the result in one sentence."""
        last = int(np.argmax(self.classes))
        error = self.stderr_at(last)
        within = f" (standard error {percent(error, 1)})" if np.isfinite(error) else ""
        guesses = "" if self.top == 1 else f" within {self.top} guesses"
        return (
            f"With {self.classes[last]:,} classes right "
            f"{percent(float(self.accuracy[last]), 1)} of the time{guesses}{within}; "
            f"{self.n_examples:,} examples of {self.n_classes:,} classes, "
            f"{self.average} average, ties {self.ties}."
        )

    def stderr_at(self, index: int) -> float:
        """Return a standard error, or that of the largest size which has one.

        Parameters
        ----------
        index : int
            Position in `classes`.

        Returns
        -------
        float
            Standard error; NaN if there is none at all.
        """
        own = float(self.stderr[index])
        return own if np.isfinite(own) else self.largest_stderr

    def to_columns(self) -> dict[str, list[Any]]:
        """Return numbers of classes, accuracies and standard errors."""
        return {
            "classes": self.classes.tolist(),
            "accuracy": self.accuracy.tolist(),
            "stderr": self.stderr.tolist(),
        }

    def _parts(self) -> tuple[Json, Json, Json]:
        return (
            {"n_examples": self.n_examples, "n_classes": self.n_classes},
            {"ties": self.ties, "average": self.average, "top": self.top},
            {
                **self.to_columns(),
                "covariance": self.covariance,
                "n_groups": self.n_groups,
                "largest_stderr": self.largest_stderr,
            },
        )

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        return cls(
            classes=np.array(result["classes"], dtype=np.int64),
            accuracy=np.array(result["accuracy"], dtype=np.float64),
            stderr=np.array(result["stderr"], dtype=np.float64),
            covariance=np.array(result["covariance"], dtype=np.float64),
            n_groups=int(result["n_groups"]),
            largest_stderr=saved_stderr(result),
            **inputs,
            **options,
        )


def accuracy_curve(
    scores: ArrayLike | Scores | Embeddings | LabelledEmbeddings,
    y_true: Iterable[Hashable] | None = None,
    *,
    sizes: int | Sequence[int] | None = None,
    top: int = 1,
    ties: str = "random",
    average: str = "macro",
    classes: Sequence[Hashable] | None = None,
    greater_is_better: bool = True,
    errors: bool = True,
    n_jobs: int | None = None,
) -> AccuracyCurve:
    """Average the test accuracy over all subsets of k of the observed classes.

    Parameters
    ----------
    scores : array-like of shape (n_examples, n_classes), Scores or Embeddings
        What the recogniser gave.
    y_true : iterable of hashable, optional
        True labels; not needed where `scores` carries them.
    sizes : int or sequence of int, optional
        Numbers of classes k; by default 2..K, thinned out beyond 400 classes.
    top : int, default=1
        Count an example as right if the truth is among the best `top`.
    ties : {"random", "optimistic", "pessimistic"}, default="random"
        Equal scores count as their expectation under random breaking, as won, or
        as lost.
    average : {"macro", "micro"}, default="macro"
        Every class counts the same, or every example.
    classes : sequence of hashable, optional
        Labels of the columns.
    greater_is_better : bool, default=True
        False for distances.
    errors : bool, default=True
        Whether to compute standard errors and covariance.
    n_jobs : int, optional
        Number of threads for embeddings; all cores by default.

    Returns
    -------
    AccuracyCurve
        The curve with its errors.

    Examples
    --------
    >>> curve = accuracy_curve([[3, 1, 2], [1, 2, 3], [0, 1, 2]], [0, 1, 2])
    >>> curve.classes.tolist(), curve.accuracy.round(4).tolist()
    ([2, 3], [0.8333, 0.6667])
    """
    data = as_class_scores(
        scores, y_true, classes=classes, greater_is_better=greater_is_better
    )
    ks = curve_sizes(data.n_classes) if sizes is None else _check_sizes(sizes, data)
    n_groups = None if errors else 1
    ranking = rank_true_classes(data, n_groups=n_groups, n_jobs=n_jobs)
    return curve_of_ranking(
        ranking, ks, top=top, ties=ties, average=average, errors=errors
    )


def curve_of_ranking(
    ranking: Ranking,
    ks: IntArray,
    *,
    top: int = 1,
    ties: str = "random",
    average: str = "macro",
    errors: bool = True,
) -> AccuracyCurve:
    """Compute the accuracy curve from ranks alone.

    Parameters
    ----------
    ranking : Ranking
        Competitors by group.
    ks : ndarray of int64
        Numbers of classes, at most those observed.
    top : int, default=1
        How many guesses are allowed.
    ties : {"random", "optimistic", "pessimistic"}, default="random"
        Rule for ties.
    average : {"macro", "micro"}, default="macro"
        Weighting of examples.
    errors : bool, default=True
        Whether to leave classes out for standard errors.

    Returns
    -------
    AccuracyCurve
        The curve.

    Raises
    ------
    UsageError
        If `top` is not a whole number from one up.
    """
    check_choice(ties, "ties", TIES)
    check_choice(average, "average", AVERAGES)
    if top < 1 or int(top) != top:
        msg = f"`top` must be a whole number from 1 up; got {top!r}."
        raise UsageError(msg)
    histogram = beating_histogram(
        ranking.beaten_totals,
        ranking.tied_totals,
        ranking.weights(average),
        ranking.n_classes,
        ties,
    )
    stderr, covariance = np.full(ks.size, np.nan), np.empty((0, 0))
    largest_stderr = float("nan")
    # With two groups or fewer there is no spread between replicates to speak of.
    errors = errors and ranking.n_groups > 2
    if errors:
        n_left = ranking.n_classes - int(np.bincount(ranking.group).max())
        curves = leave_out_curves(
            ranking, np.append(ks, n_left), ties=ties, average=average, top=top
        )
        *each, largest_stderr = jackknife_stderr(curves).tolist()
        stderr, curves = np.array(each), curves[:, :-1]
        if ks.size <= _MOST_COVARIANCES:
            covariance = jackknife_covariance(curves)
    return AccuracyCurve(
        classes=ks,
        accuracy=mean_chances(histogram, ranking.n_classes, ks, top),
        stderr=stderr,
        covariance=covariance,
        n_examples=ranking.n_examples,
        n_classes=ranking.n_classes,
        n_groups=ranking.n_groups if errors else 0,
        ties=ties,
        average=average,
        top=int(top),
        counts=np.bincount(ranking.own, minlength=ranking.n_classes),
        largest_stderr=largest_stderr,
    )


def saved_stderr(saved: Json) -> float:
    """Return the standard error of the largest size that has one, from a file.

    Parameters
    ----------
    saved : dict
        Columns of a curve; files of earlier versions hold no `largest_stderr`.

    Returns
    -------
    float
        NaN where there is none.
    """
    if "largest_stderr" in saved:
        value = saved["largest_stderr"]
        return float("nan") if value is None else float(value)
    known = [
        (k, e)
        for k, e in zip(saved["classes"], saved["stderr"], strict=True)
        if e is not None and np.isfinite(e)
    ]
    return float(max(known)[1]) if known else float("nan")


def curve_sizes(n_classes: int) -> IntArray:
    """Choose the numbers of classes at which a curve is worth computing.

    Parameters
    ----------
    n_classes : int
        Number of classes observed.

    Returns
    -------
    ndarray of int64
        All of 2..K for few classes, else about 200 evenly spaced in the logarithm.
    """
    if n_classes <= _ALL_SIZES_UP_TO:
        return np.arange(2, n_classes + 1)
    spaced = np.geomspace(2, n_classes, _MOST_SIZES)
    return np.unique(np.append(np.round(spaced), [n_classes - 1]).astype(np.int64))


def _check_sizes(
    sizes: int | Sequence[int], data: Scores | LabelledEmbeddings
) -> IntArray:
    ks = check_class_counts(sizes, "sizes")
    if ks.max() > data.n_classes:
        msg = (
            f"`sizes` reaches {ks.max()} but only {data.n_classes} classes were "
            "observed; sc.extrapolate goes beyond them."
        )
        raise UsageError(msg)
    return ks
