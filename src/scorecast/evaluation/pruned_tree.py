"""A decision tree with the habits of C4.5: gain ratio, small leaves, pruning."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.exceptions import UsageError

_SLACK = 1e-3  # by which a gain may fall short of the mean, as in C4.5


@dataclass(frozen=True, eq=False)
class _Node:
    """A question, or an answer if there is nothing below it."""

    counts: IntArray  # samples of each class
    feature: int = -1
    threshold: float = np.nan
    below: tuple[_Node, _Node] | None = None  # up to the threshold, and beyond


class PrunedTree(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    r"""A tree that asks by gain ratio and takes back what does not pay.

    A question is about one feature and a threshold. Of each feature the threshold with
    the greatest information gain is taken, less :math:`\log_2(t)/n` for the choice
    among t thresholds; of the features whose gain reaches the mean, the one with the
    greatest ratio of gain to the entropy of the division. Then, from the leaves up, a
    subtree becomes a leaf where the leaf is not expected to err more, errors being
    taken at the upper end of a one-sided interval.

    Parameters
    ----------
    min_samples_leaf : int, default=2
        Least samples of a leaf.
    confidence : float, default=0.25
        Level of the upper end, between 0 and 0.5: the smaller, the more is pruned. 1
        leaves the tree as it grew.

    Attributes
    ----------
    classes_ : ndarray
        Classes.
    n_leaves_ : int
        Leaves after pruning.

    Notes
    -----
    As C4.5 for numbers without missing values. Subtrees are replaced, not raised; upper
    ends are exact, where its program takes an approximation.

    References
    ----------
    J. R. Quinlan (1993). C4.5: Programs for machine learning. J. R. Quinlan (1996).
    Improved use of continuous attributes in C4.5. Journal of Artificial Intelligence
    Research 4.

    Examples
    --------
    >>> X = [[0, 1], [1, 5], [2, 0], [3, 3], [4, 2], [5, 4]]
    >>> PrunedTree().fit(X, [0, 0, 0, 1, 1, 1]).predict([[1.5, 9], [6, 0]]).tolist()
    [0, 1]
    """

    def __init__(self, min_samples_leaf: int = 2, confidence: float = 0.25) -> None:
        self.min_samples_leaf = min_samples_leaf
        self.confidence = confidence

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Grow a tree and prune it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            Classes.

        Returns
        -------
        PrunedTree
            Itself.
        """
        if self.min_samples_leaf < 1:
            problem = f"must be 1 or more; got {self.min_samples_leaf!r}"
            raise UsageError(problem, parameter="min_samples_leaf")
        if not (0 < self.confidence <= 0.5 or self.confidence == 1):
            problem = f"must lie in (0, 0.5], or be 1; got {self.confidence!r}"
            raise UsageError(problem, parameter="confidence")
        values, labels = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        grown = self._grow(_Samples.of(values, codes), np.ones(len(codes), dtype=bool))
        self.tree_ = grown if self.confidence == 1 else self._prune(grown)[0]
        self.n_leaves_ = _n_leaves(self.tree_)
        return self

    def predict(self, X: ArrayLike) -> Any:
        """Return the most frequent class of the leaf of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples,)
            Classes.
        """
        shares = self.predict_proba(X)
        return self.classes_[shares.argmax(axis=1)]

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Return the shares of the classes in the leaf of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Shares.
        """
        check_is_fitted(self)
        values = validate_data(self, X, dtype=np.float64, reset=False)
        shares = np.empty((len(values), self.classes_.size))
        _send(self.tree_, values, np.arange(len(values)), shares)
        return shares

    def score(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """Return the share of samples that are recognised.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            Classes.
        sample_weight : array-like of shape (n_samples,), optional
            Weight of every sample.

        Returns
        -------
        float
            Accuracy.
        """
        return float(super().score(X, y, sample_weight))

    def _grow(self, samples: _Samples, own: BoolArray) -> _Node:
        counts = np.bincount(samples.codes[own], minlength=self.classes_.size)
        least = self.min_samples_leaf
        if counts.sum() < 2 * least or np.count_nonzero(counts) < 2:
            return _Node(counts)
        found = _best_question(samples, own, counts, least)
        if found is None:
            return _Node(counts)
        feature, threshold = found
        is_left = samples.values[:, feature] <= threshold
        below = self._grow(samples, own & is_left), self._grow(samples, own & ~is_left)
        return _Node(counts, feature, threshold, below)

    def _prune(self, node: _Node) -> tuple[_Node, float]:
        """Return the node pruned, and the errors to be expected of it."""
        n, wrong = (
            float(node.counts.sum()),
            float(node.counts.sum() - node.counts.max()),
        )
        alone = wrong + extra_errors(n, wrong, self.confidence)
        if node.below is None:
            return node, alone
        (left, a), (right, b) = (self._prune(one) for one in node.below)
        if alone <= a + b + 0.1:  # as C4.5: not worth a tenth of an error
            return _Node(node.counts), alone
        return _Node(node.counts, node.feature, node.threshold, (left, right)), a + b


@dataclass(frozen=True, eq=False)
class _Samples:
    """Samples to learn from, in the order of every feature."""

    values: FloatArray
    codes: IntArray
    order: IntArray  # a row for every feature
    sorted_values: FloatArray
    logs: FloatArray  # k log2(k) of every count k

    @classmethod
    def of(cls, values: FloatArray, codes: IntArray) -> Self:
        by_feature = np.ascontiguousarray(values.T)
        order = np.argsort(by_feature, axis=1, kind="stable")
        counts = np.arange(len(values) + 1, dtype=np.float64)
        return cls(
            values=values,
            codes=codes,
            order=order,
            sorted_values=np.take_along_axis(by_feature, order, axis=1),
            logs=scipy.special.xlogy(counts, counts) / math.log(2),
        )


def _best_question(
    samples: _Samples, own: BoolArray, counts: IntArray, least: int
) -> tuple[int, float] | None:
    """Return the feature and the threshold of the greatest gain ratio."""
    from scorecast.evaluation.tree_kernels import best_thresholds

    n, logs = int(counts.sum()), samples.logs
    left, low, high, below, tried = best_thresholds(
        samples.sorted_values, samples.order, samples.codes, own, counts, least, logs
    )
    entropy = logs[n] - logs[counts].sum()
    gain = (entropy - left - np.log2(np.maximum(tried, 1))) / n
    useful = gain > 0
    if not useful.any():
        return None
    share = np.where(useful, below / n, 0.5)
    division = -(share * np.log2(share) + (1 - share) * np.log2(1 - share))
    enough = useful & (gain >= gain[useful].mean() - _SLACK)
    ratio = np.where(enough, gain / division, -np.inf)
    feature = int(ratio.argmax())
    middle = float(low[feature] + (high[feature] - low[feature]) / 2)
    # Between neighbours in floating point the middle is one of them.
    return feature, middle if middle < high[feature] else float(low[feature])


def extra_errors(n: float, wrong: float, confidence: float) -> float:
    """Return how many errors more than were seen are to be expected of a leaf.

    Parameters
    ----------
    n, wrong : float
        Samples of the leaf, and those that are not of its most frequent class.
    confidence : float
        Chance of so few errors at the upper end.

    Returns
    -------
    float
        From the upper end of the exact interval of a proportion.

    Examples
    --------
    >>> round(extra_errors(6, 0, 0.25), 3), round(extra_errors(1, 0, 0.25), 3)
    (1.238, 0.75)
    """
    if wrong >= n:
        return 0.0
    high = scipy.special.betaincinv(wrong + 1, n - wrong, 1 - confidence)
    return float(n * high - wrong)


def _send(node: _Node, values: FloatArray, rows: IntArray, shares: FloatArray) -> None:
    """Send samples down the tree."""
    if node.below is None:
        shares[rows] = node.counts / node.counts.sum()
        return
    left = values[rows, node.feature] <= node.threshold
    _send(node.below[0], values, rows[left], shares)
    _send(node.below[1], values, rows[~left], shares)


def _n_leaves(node: _Node) -> int:
    return 1 if node.below is None else sum(map(_n_leaves, node.below))
