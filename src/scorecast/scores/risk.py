"""Average risk against the number of classes, for any cost of mistakes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.amounts import amount
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

__all__ = ["MOST_GROUPS", "RiskCurve", "risk_curve", "risk_curve_and_replicates"]

_MOST_SIZES = 40
MOST_GROUPS = 30  # groups of classes left out for errors
_BLOCK = 2_000_000
_ROUNDING = 1e-12


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
            f"{amount(float(self.risk[last]), 4)} on average; "
            f"{self.n_examples:,} examples of {self.n_classes:,} classes, "
            f"{self.average} average, ties {self.ties}."
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

    Examples
    --------
    >>> cost = [[0, 1, 1], [1, 0, 1], [9, 1, 0]]
    >>> curve = risk_curve([[1, 2, 3], [1, 3, 2], [1, 2, 3]], [0, 1, 2], cost=cost)
    >>> curve.classes.tolist(), curve.risk.round(4).tolist()
    ([2, 3], [1.6667, 3.0])
    """
    data = as_class_scores(
        scores, y_true, classes=classes, greater_is_better=greater_is_better
    )
    return risk_curve_and_replicates(
        data, cost, sizes, ties=ties, average=average, errors=errors
    )[0]


def risk_curve_and_replicates(
    data: ClassScores,
    cost: ArrayLike,
    sizes: int | Sequence[int] | None = None,
    *,
    ties: str,
    average: str,
    errors: bool = True,
) -> tuple[RiskCurve, FloatArray]:
    """Compute the risk curve, and again with each of some groups of classes left out.

    Parameters
    ----------
    data : Scores or LabelledEmbeddings
        The scores.
    cost : array-like of shape (n_classes, n_classes)
        Costs by decision and truth.
    sizes : int or sequence of int, optional
        Numbers of classes; by default 2..K, thinned out to 40.
    ties, average : str
        Rules.
    errors : bool, default=True
        Whether to leave classes out.

    Returns
    -------
    curve : RiskCurve
        The curve of all classes, with errors.
    replicates : ndarray of shape (n_groups, len(ks))
        The curves without one group each; NaN where a size exceeds the classes that
        remain. No rows without errors.
    """
    check_choice(ties, "ties", TIES)
    check_choice(average, "average", AVERAGES)
    costs = _check_cost(cost, data.n_classes)
    ks = _check_sizes(sizes, data.n_classes)
    n_groups = min(data.n_classes, MOST_GROUPS) if errors and data.n_classes > 2 else 0
    risks = _risks(data, costs, ks, _Rules(ties, average, n_groups))
    replicates = risks[:n_groups]
    stderr, covariance = np.full(ks.size, np.nan), np.empty((0, 0))
    if n_groups:
        stderr = jackknife_stderr(replicates)
        covariance = jackknife_covariance(replicates)
    curve = RiskCurve(
        classes=ks,
        risk=risks[n_groups],
        stderr=stderr,
        covariance=covariance,
        n_examples=data.n_examples,
        n_classes=data.n_classes,
        n_groups=n_groups,
        ties=ties,
        average=average,
    )
    return curve, replicates


class _Rules(NamedTuple):
    """How to average, and how many groups of classes to leave out in turn."""

    ties: str
    average: str
    n_groups: int


def _risks(
    data: ClassScores, costs: FloatArray, ks: IntArray, rules: _Rules
) -> FloatArray:
    """Return the risks without each group of classes, and those of all classes last."""
    group = np.zeros(data.n_classes, dtype=np.int64)
    if rules.n_groups:
        shuffled = np.random.default_rng(0).permutation(data.n_classes)
        group = shuffled * rules.n_groups // data.n_classes
    weights = example_weights(data.own, rules.average)
    weighed = _weigh_chances(data, costs.T, weights, group, rules)
    left_out = np.bincount(group, minlength=rules.n_groups)[: rules.n_groups]
    sizes = data.n_classes - np.append(left_out, 0)
    whose = np.bincount(group[data.own], weights, rules.n_groups)[: rules.n_groups]
    risks = np.full((rules.n_groups + 1, ks.size), np.nan)
    for size in np.unique(sizes):
        possible = ks <= size
        # Chance that none of the better ones is drawn, by the number *below*.
        first = chances_right(int(size), ks[possible])[:, ::-1]
        risks[np.ix_(sizes == size, possible)] = weighed[sizes == size, :size] @ first.T
    # Classes leave with all their examples: the weights of the others grow alike.
    remaining = 1 - np.append(whose, 0.0)
    nobody = (sizes < 2) | (remaining < _ROUNDING)
    risks /= np.where(nobody, np.nan, remaining)[:, None]
    return risks


def _weigh_chances(
    data: ClassScores,
    paid: FloatArray,
    weights: FloatArray,
    group: IntArray,
    rules: _Rules,
) -> FloatArray:
    """Weigh the chance of being first by the number of classes below, in one pass."""
    from scorecast.scores.risk_kernels import add_costs

    at = np.zeros((rules.n_groups + 1, data.n_classes + 1))
    since = np.zeros_like(at)
    rule = {"random": 0, "optimistic": 1, "pessimistic": -1}[rules.ties]
    step = max(1, _BLOCK // data.n_classes)
    for start in range(0, data.n_examples, step):
        stop = min(start + step, data.n_examples)
        own = np.array(data.own[start:stop], dtype=np.int64)
        # Copies: numba compiles anew for an array that is read-only or strided.
        rows = np.array(data.rows(start, stop, exact=True), order="C")
        costs = paid[own] * weights[start:stop, None]
        add_costs(rows, own, costs, group, rule, at, since)
    return at + np.cumsum(since, axis=1)


def _check_cost(cost: ArrayLike, n_classes: int) -> FloatArray:
    costs = np.asarray(check_matrix(cost, "The cost matrix"), dtype=np.float64)
    if costs.shape != (n_classes, n_classes):
        msg = (
            f"The cost matrix must be {n_classes} x {n_classes} (decision x truth); "
            f"got {costs.shape}."
        )
        raise InvalidInputError(msg)
    return costs


def _check_sizes(sizes: int | Sequence[int] | None, n_classes: int) -> IntArray:
    if sizes is None:
        return _default_sizes(n_classes)
    ks = check_class_counts(sizes, "sizes")
    if ks.max() > n_classes:
        msg = f"`sizes` exceeds the {n_classes} observed classes."
        raise UsageError(msg)
    return ks


def _default_sizes(n_classes: int) -> IntArray:
    if n_classes <= _MOST_SIZES:
        return np.arange(2, n_classes + 1)
    spaced = np.geomspace(2, n_classes, _MOST_SIZES)
    return np.unique(np.append(np.round(spaced), [n_classes - 1]).astype(np.int64))
