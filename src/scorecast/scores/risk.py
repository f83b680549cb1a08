"""Average risk against the number of classes, for any cost of mistakes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scorecast._core.checks import check_choice, check_class_counts, check_matrix
from scorecast._core.results import Result
from scorecast._core.types import FloatArray, IntArray, Json
from scorecast.exceptions import InvalidInputError, UsageError
from scorecast.scores.embeddings import Embeddings, LabelledEmbeddings
from scorecast.scores.jackknife import jackknife_covariance, jackknife_stderr
from scorecast.scores.matrix import Scores
from scorecast.scores.ranking import (
    AVERAGES,
    TIES,
    ClassScores,
    as_class_scores,
    example_weights,
)
from scorecast.scores.subsets import chances_right

__all__ = ["RiskCurve", "risk_curve", "risks_left_out"]

_MOST_SIZES = 40
_MOST_GROUPS = 30  # groups of classes left out for errors: each is a full pass
_BLOCK = 2_000_000


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RiskCurve(Result):
    """Average cost per example in random subsets of the observed classes.

    Attributes
    ----------
    classes : ndarray of int64
        Numbers of classes k.
    risk : ndarray of float64
        Average cost over all subsets of k classes.
    stderr : ndarray of float64
        Standard error from leaving classes out; NaN where it does not exist.
    covariance : ndarray of shape (len(classes), len(classes))
        Covariance of the risks, same rule.
    n_examples, n_classes, n_groups : int
        Size of the data, and groups of classes left out in turn.
    ties, average : str
        Rules used.
    """

    kind: ClassVar[str] = "risk-curve"

    classes: IntArray
    risk: FloatArray
    stderr: FloatArray
    covariance: FloatArray
    n_examples: int
    n_classes: int
    n_groups: int
    ties: str
    average: str

    def summary(self) -> str:
        """Say the result in one sentence."""
        last = int(np.argmax(self.classes))
        return (
            f"With {self.classes[last]:,} classes a decision costs "
            f"{self.risk[last]:.4g} on average; {self.n_examples:,} examples of "
            f"{self.n_classes:,} classes, {self.average} average, ties {self.ties}."
        )

    def to_columns(self) -> dict[str, list[Any]]:
        """Return numbers of classes, risks and standard errors."""
        return {
            "classes": self.classes.tolist(),
            "risk": self.risk.tolist(),
            "stderr": self.stderr.tolist(),
        }

    def _parts(self) -> tuple[Json, Json, Json]:
        return (
            {"n_examples": self.n_examples, "n_classes": self.n_classes},
            {"ties": self.ties, "average": self.average},
            {
                **self.to_columns(),
                "covariance": self.covariance,
                "n_groups": self.n_groups,
            },
        )

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        return cls(
            classes=np.array(result["classes"], dtype=np.int64),
            risk=np.array(result["risk"], dtype=np.float64),
            stderr=np.array(result["stderr"], dtype=np.float64),
            covariance=np.array(result["covariance"], dtype=np.float64),
            n_groups=int(result["n_groups"]),
            **inputs,
            **options,
        )


def risk_curve(
    scores: ArrayLike | Scores | Embeddings | LabelledEmbeddings,
    y_true: Iterable[Hashable] | None = None,
    *,
    cost: ArrayLike,
    sizes: int | Sequence[int] | None = None,
    ties: str = "random",
    average: str = "macro",
    classes: Sequence[Hashable] | None = None,
    greater_is_better: bool = True,
    errors: bool = True,
) -> RiskCurve:
    """Average the cost of decisions over all subsets of k of the observed classes.

    Parameters
    ----------
    scores : array-like of shape (n_examples, n_classes), Scores or Embeddings
        What the recogniser gave; the class of the greatest score is the decision.
    y_true : iterable of hashable, optional
        True labels; not needed where `scores` carries them.
    cost : array-like of shape (n_classes, n_classes)
        ``cost[l, i]`` of deciding for class l where class i is true. The diagonal
        need not be zero.
    sizes : int or sequence of int, optional
        Numbers of classes k; by default 2..K, thinned out to 40.
    ties : {"random", "optimistic", "pessimistic"}, default="random"
        Whether a tie of the true class with others is broken at random, for it, or
        against it. Ties among wrong classes are always broken at random.
    average : {"macro", "micro"}, default="macro"
        Every class counts the same, or every example.
    classes : sequence of hashable, optional
        Labels of the columns.
    greater_is_better : bool, default=True
        False for distances.
    errors : bool, default=True
        Whether to compute standard errors and covariance.

    Returns
    -------
    RiskCurve
        The curve with its errors.

    Raises
    ------
    UsageError
        If a size exceeds the observed classes.

    Examples
    --------
    >>> cost = [[0, 1, 1], [1, 0, 1], [9, 1, 0]]
    >>> curve = risk_curve([[1, 2, 3], [1, 3, 2], [1, 2, 3]], [0, 1, 2], cost=cost)
    >>> curve.classes.tolist(), curve.risk.round(4).tolist()
    ([2, 3], [1.6667, 3.0])
    """
    check_choice(ties, "ties", TIES)
    check_choice(average, "average", AVERAGES)
    data = as_class_scores(
        scores, y_true, classes=classes, greater_is_better=greater_is_better
    )
    costs = _check_cost(cost, data.n_classes)
    ks = _default_sizes(data.n_classes)
    if sizes is not None:
        ks = check_class_counts(sizes, "sizes")
        if ks.max() > data.n_classes:
            msg = f"`sizes` exceeds the {data.n_classes} observed classes."
            raise UsageError(msg)
    stderr, covariance = np.full(ks.size, np.nan), np.empty((0, 0))
    n_groups = 0
    if errors and data.n_classes > 2:
        replicates = risks_left_out(data, costs, ks, ties=ties, average=average)
        stderr = jackknife_stderr(replicates)
        covariance = jackknife_covariance(replicates)
        n_groups = replicates.shape[0]
    return RiskCurve(
        classes=ks,
        risk=_risks(data, costs, ks, ties, average),
        stderr=stderr,
        covariance=covariance,
        n_examples=data.n_examples,
        n_classes=data.n_classes,
        n_groups=n_groups,
        ties=ties,
        average=average,
    )


def risks_left_out(
    data: ClassScores, costs: FloatArray, ks: IntArray, *, ties: str, average: str
) -> FloatArray:
    """Compute the risk curve with each of some groups of classes left out.

    Parameters
    ----------
    data : Scores or LabelledEmbeddings
        The scores.
    costs : ndarray of shape (n_classes, n_classes)
        Costs by decision and truth.
    ks : ndarray of int64
        Numbers of classes.
    ties, average : str
        Rules.

    Returns
    -------
    ndarray of shape (n_groups, len(ks))
        NaN where a size exceeds the classes that remain.
    """
    n_groups = min(data.n_classes, _MOST_GROUPS)
    shuffled = np.random.default_rng(0).permutation(data.n_classes)
    group = shuffled * n_groups // data.n_classes
    curves = np.full((n_groups, ks.size), np.nan)
    for g in range(n_groups):
        chosen = np.flatnonzero(group != g)
        possible = ks <= chosen.size
        if chosen.size < 2 or not np.isin(data.own, chosen).any():
            continue
        curves[g, possible] = _risks(
            data.subset(chosen),
            costs[np.ix_(chosen, chosen)],
            ks[possible],
            ties,
            average,
        )
    return curves


def _risks(
    data: ClassScores, costs: FloatArray, ks: IntArray, ties: str, average: str
) -> FloatArray:
    weights = example_weights(data.own, average)
    # Chance that none of the better ones is drawn, by the number *below*.
    first = chances_right(data.n_classes, ks)[:, ::-1]
    total = np.zeros(ks.size)
    step = max(1, _BLOCK // data.n_classes)
    for start in range(0, data.n_examples, step):
        block = slice(start, min(start + step, data.n_examples))
        rows = data.rows(block.start, block.stop, exact=True)
        levels = _levels(rows, data.own[block], ties)
        paid = costs.T[data.own[block]] * weights[block][:, None]
        below, tied = _below_and_tied(levels)
        truth = below[np.arange(paid.shape[0]), data.own[block]]
        for i, q in enumerate(first):
            total[i] += float(
                (paid * _decision_chances(q, below, tied, truth, data.own[block])).sum()
            )
    return total


def _decision_chances(
    q: FloatArray, below: IntArray, tied: IntArray, truth: IntArray, own: IntArray
) -> FloatArray:
    """Chance that each class is decided for, in a random subset with the true one.

    `q[x]` is the chance that a class with x others below it is first.
    """
    sums = np.concatenate([[0.0], np.cumsum(q)])
    at_top = np.append(q, 0.0)[below + tied]
    before = np.where(below > 0, q[below - 1], 0.0)
    wins = (at_top - before) / (tied + 1)
    chances = np.where(below > truth[:, None], wins, 0.0)
    # Classes tied with the truth: they share what the whole tie wins.
    shared = sums[below + tied] - sums[below]
    same = (below == truth[:, None]) & (tied > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        tie_wins = (at_top - shared / tied) / (tied + 1)
    chances = np.where(same, tie_wins, chances)
    rows = np.arange(own.size)
    b, t = below[rows, own], tied[rows, own]
    chances[rows, own] = (sums[b + t + 1] - sums[b]) / (t + 1)
    return chances


def _levels(rows: NDArray[np.floating[Any]], own: IntArray, ties: str) -> IntArray:
    """Turn scores into whole numbers in the same order, the truth moved by rule."""
    order = np.argsort(rows, axis=1, kind="stable")
    ordered = np.take_along_axis(rows, order, axis=1)
    steps = np.zeros(rows.shape, dtype=np.int64)
    steps[:, 1:] = np.cumsum(ordered[:, 1:] > ordered[:, :-1], axis=1)
    levels = np.empty_like(steps)
    np.put_along_axis(levels, order, 2 * steps, axis=1)
    shift = {"random": 0, "optimistic": 1, "pessimistic": -1}[ties]
    levels[np.arange(own.size), own] += shift
    return levels


def _below_and_tied(levels: IntArray) -> tuple[IntArray, IntArray]:
    n_classes = levels.shape[1]
    order = np.argsort(levels, axis=1, kind="stable")
    ordered = np.take_along_axis(levels, order, axis=1)
    position = np.arange(n_classes)
    fresh = np.ones(levels.shape, dtype=bool)
    fresh[:, 1:] = ordered[:, 1:] > ordered[:, :-1]
    first = np.maximum.accumulate(np.where(fresh, position, 0), axis=1)
    ends = np.ones(levels.shape, dtype=bool)
    ends[:, :-1] = fresh[:, 1:]
    reversed_last = np.where(ends, position, n_classes)[:, ::-1]
    last = np.minimum.accumulate(reversed_last, axis=1)[:, ::-1]
    below, tied = np.empty_like(levels), np.empty_like(levels)
    np.put_along_axis(below, order, first, axis=1)
    np.put_along_axis(tied, order, last - first, axis=1)
    return below, tied


def _check_cost(cost: ArrayLike, n_classes: int) -> FloatArray:
    costs = np.asarray(check_matrix(cost, "The cost matrix"), dtype=np.float64)
    if costs.shape != (n_classes, n_classes):
        msg = (
            f"The cost matrix must be {n_classes} x {n_classes} (decision x truth); "
            f"got {costs.shape}."
        )
        raise InvalidInputError(msg)
    return costs


def _default_sizes(n_classes: int) -> IntArray:
    if n_classes <= _MOST_SIZES:
        return np.arange(2, n_classes + 1)
    spaced = np.geomspace(2, n_classes, _MOST_SIZES)
    return np.unique(np.append(np.round(spaced), [n_classes - 1]).astype(np.int64))
