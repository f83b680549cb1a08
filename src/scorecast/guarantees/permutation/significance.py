"""Score a model on permuted data, doing once what does not depend on them."""

from __future__ import annotations

import numbers
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scorecast._core.checks import check_matrix, check_n_jobs
from scorecast._core.keywords import checked_keywords
from scorecast._core.near_names import near_name
from scorecast._core.parallel import map_tasks
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import BoolArray, FloatArray, IntArray, RandomState
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError
from scorecast.guarantees.permutation.predictor import FastPredictor, fast_predictor
from scorecast.guarantees.permutation.recognition import recognise
from scorecast.guarantees.permutation.refits import Refitting, unchecked
from scorecast.guarantees.permutation.result import PermutationScores
from scorecast.guarantees.permutation.shuffles import (
    block_sizes,
    draw_orders,
    movable,
    n_arrangements,
)
from scorecast.guarantees.permutation.splits import CaseSplit, read_splits

__all__ = ["permutation_scores"]

_SEEDS = 2**31 - 1
_TOGETHER = 4  # permutations per task where each takes its time


@checked_keywords
def permutation_scores(
    estimator: Any,
    X: ArrayLike,
    y: ArrayLike,
    splits: Any = 5,
    *,
    n_permutations: int = 1000,
    scoring: Any = None,
    groups: Sequence[Hashable] | None = None,
    random_state: RandomState = None,
    n_jobs: int | None = None,
) -> PermutationScores:
    """Compare the scores of a model with those on permuted data.

    Features change places among cases; labels and splits stay, so that folds drawn by
    class stay so. The scores are those of scikit-learn's ``permutation_test_score``
    where its splits move along with the labels. Nearest centroids and neighbours,
    ridge classification, linear discriminants (with a given shrinkage, or by singular
    values where features are no fewer than cases), Gaussian naive Bayes, logistic
    regression with two classes and support vector machines (linear, radial) are worked
    out for many permutations at once; where rounding could decide a prediction, the
    model itself is fitted. Trees, random forests and extra trees (Gini index, up to a
    thousand cases) grow on features that are sorted once. All other models are fitted
    in a loop. The number of permutations is the same for all; `assess` takes fewer by
    default for support vector machines, trees and models in a loop.

    Parameters
    ----------
    estimator : scikit-learn estimator
        A pipeline will do, with feature selection inside. It is cloned, never changed.
    X : array-like of shape (n, m)
        Features, read as float64.
    y : array-like of shape (n,)
        Labels, or numbers for a regressor.
    splits : int, splitter or iterable of (train, test), default=5
        A number of folds means stratified ones for classifiers.
    n_permutations : int, default=1000
        The smallest p-value is one over this number plus one.
    scoring : str or callable, optional
        As in scikit-learn; more is better. By default the score of the model.
    groups : sequence of hashable, optional
        Whole groups of the same size change places, and cases within groups;
        splitters keep groups together.
    random_state : int, Generator or None, optional
        Seed of the permutations.
    n_jobs : int, optional
        Number of workers; the answer does not depend on it.

    Returns
    -------
    PermutationScores
        All scores by split, and the p-value.

    Raises
    ------
    InsufficientDataError
        If there is one class only, the model fails on every split, or groups leave
        nothing to permute.

    Examples
    --------
    >>> from sklearn.neighbors import NearestCentroid
    >>> X = [[0.0], [0.2], [0.1], [0.3], [5.0], [5.1], [5.4], [5.2]]
    >>> found = permutation_scores(
    ...     NearestCentroid(), X, list("aaaabbbb"), 2, n_permutations=99, random_state=0
    ... )
    >>> found.score, round(found.p_value, 2), found.method
    (1.0, 0.01, 'nearest-centroid')
    """
    from sklearn.base import is_classifier
    from sklearn.metrics import check_scoring

    features = np.asarray(check_matrix(X, "X"), dtype=np.float64)
    labels = _checked_labels(y, features.shape[0], is_classifier(estimator))
    count = _checked_count(n_permutations)
    check_n_jobs(n_jobs)
    rng = as_generator(random_state)
    pools = movable(groups, labels)
    parts = read_splits(
        splits, features, labels, groups, is_classifier=is_classifier(estimator)
    )
    try:
        scorer = check_scoring(estimator, scoring=scoring)
    except (TypeError, ValueError) as error:
        raise UsageError(_unknown_score(scoring) or str(error)) from error
    fitting = Refitting(
        estimator=estimator,
        scorer=scorer,
        X=features,
        y=labels,
        is_accuracy=_is_accuracy(estimator, scoring),
    )
    work = _prepare(fitting, parts, pools, scoring)
    blocks = _blocks(work, count, rng)
    found = map_tasks(work, blocks, rng=rng, n_jobs=n_jobs, what="permuting")
    return _gathered(found, work, scoring, features, seed_number(random_state))


@dataclass(frozen=True, eq=False)
class _Block:
    """Some permutations: how many to draw, or those drawn already.

    A size of zero stands for the data as they are.
    """

    size: int
    orders: IntArray | None = None
    seeds: IntArray | None = None


@dataclass(frozen=True, eq=False)
class _BlockScores:
    """Scores of a block, and what happened on the way."""

    scores: FloatArray
    n_refitted: int
    failures: Counter[str]


@dataclass(frozen=True, kw_only=True, eq=False)
class _Work:
    """Everything a worker needs for any block."""

    fitting: Refitting
    splits: list[CaseSplit]
    pools: list[IntArray]
    fast: FastPredictor | None
    codes: IntArray
    n_classes: int
    is_balanced: bool

    def draw(self, size: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        """Draw orders of one block, and a seed for each."""
        n = self.fitting.y.size
        if size == 0:
            orders: IntArray = np.arange(n, dtype=np.int64).reshape(1, n)
        else:
            orders = draw_orders(size, self.pools, n, rng)
        seeds: IntArray = rng.integers(_SEEDS, size=(orders.shape[0],))
        return orders, seeds

    def __call__(self, block: _Block, rng: np.random.Generator) -> _BlockScores:
        """Score the permutations of one block."""
        orders, seeds = block.orders, block.seeds
        if orders is None or seeds is None:
            orders, seeds = self.draw(block.size, rng)
        scores = np.empty((orders.shape[0], len(self.splits)))
        doubtful = np.ones(scores.shape, dtype=np.bool_)
        failures: Counter[str] = Counter()
        # Warnings about the data as they are matter; those about noise do not.
        # Without a seed of its own, the model on the data as they are draws from ours.
        fast = self.fast
        if fast is not None and fast.draws and block.size == 0:
            fast = None if self.fitting.has_open_seed else fast
        with unchecked(is_quiet=block.size > 0):
            if fast is not None:
                self._quickly(fast, orders, scores, doubtful)
            rows, columns = np.nonzero(doubtful)
            for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
                scores[row, column] = self.fitting.score(
                    self.fitting.y,
                    self.splits[column],
                    failures,
                    int(seeds[row]),
                    orders[row],
                )
        refitted = int(doubtful.sum()) if fast is not None else 0
        return _BlockScores(scores, refitted, failures)

    def _quickly(
        self,
        fast: FastPredictor,
        orders: IntArray,
        scores: FloatArray,
        doubtful: BoolArray,
    ) -> None:
        for column, split in enumerate(self.splits):
            predicted = fast.predict(column, orders)
            truth = np.broadcast_to(self.codes[split.test], predicted.classes.shape)
            scores[:, column] = _share_right(
                truth, predicted.classes, self.n_classes if self.is_balanced else None
            )
            doubtful[:, column] = predicted.is_doubtful


def _blocks(work: _Work, count: int, rng: np.random.Generator) -> list[_Block]:
    """Divide the work: blocks are drawn where they are scored, if that is quick."""
    sizes = [0, *block_sizes(count)]
    if work.fast is not None and work.fast.is_quick:
        return [_Block(size=size) for size in sizes]
    blocks = []
    # The same streams as above, so that permutations do not depend on the method.
    for size, stream in zip(sizes, rng.spawn(len(sizes)), strict=True):
        orders, seeds = work.draw(size, stream)
        blocks += [
            _Block(size, orders[i : i + _TOGETHER], seeds[i : i + _TOGETHER])
            for i in range(0, orders.shape[0], _TOGETHER)
        ]
    return blocks


def _share_right(
    truth: IntArray, predicted: IntArray, n_classes: int | None
) -> FloatArray:
    """Return the accuracy of every row, or the mean recall over its classes."""
    right = truth == predicted
    if n_classes is None:
        share: FloatArray = right.mean(axis=1)
        return share
    recalls = np.full((n_classes, truth.shape[0]), np.nan)
    for number in range(n_classes):
        members = truth == number
        count = members.sum(axis=1)
        hits = (right & members).sum(axis=1)
        np.divide(hits, count, out=recalls[number], where=count > 0)
    mean: FloatArray = np.nanmean(recalls, axis=0)
    return mean


def _prepare(
    fitting: Refitting, splits: list[CaseSplit], pools: list[IntArray], scoring: Any
) -> _Work:
    from sklearn.base import is_classifier

    classes, codes = np.unique(fitting.y, return_inverse=True)
    codes = codes.astype(np.int64)
    fast = None
    is_balanced = scoring == "balanced_accuracy"
    if is_classifier(fitting.estimator) and (fitting.is_accuracy or is_balanced):
        fast = fast_predictor(fitting.estimator, fitting.X, codes, splits)
    return _Work(
        fitting=fitting,
        splits=splits,
        pools=pools,
        fast=fast,
        codes=codes,
        n_classes=classes.size,
        is_balanced=is_balanced,
    )


def _is_accuracy(estimator: Any, scoring: Any) -> bool:
    """Tell whether the score counts right predictions and nothing else."""
    from sklearn.base import ClassifierMixin, is_classifier
    from sklearn.dummy import DummyClassifier
    from sklearn.pipeline import Pipeline

    if not is_classifier(estimator):
        return False
    if scoring is not None:
        return bool(scoring == "accuracy")
    last = estimator.steps[-1][1] if type(estimator) is Pipeline else estimator
    score = getattr(type(last), "score", None)
    usual = score in (ClassifierMixin.score, DummyClassifier.score)
    # Of those that are known here some have a method of their own that does the same.
    return usual or recognise(estimator, 2) is not None


def _gathered(
    found: list[_BlockScores], work: _Work, scoring: Any, X: FloatArray, seed: Any
) -> PermutationScores:
    failures: Counter[str] = Counter()
    for block in found:
        failures.update(block.failures)
    observed = found[0].scores[0]
    if not np.isfinite(observed).any():
        reason = next(iter(found[0].failures), "no reason given")
        msg = f"The model failed on every split: {reason}"
        raise InsufficientDataError(msg)
    return PermutationScores(
        fold_scores=observed,
        permuted=np.concatenate([block.scores for block in found[1:]]),
        estimator=_described(work.fitting.estimator),
        scoring=_scoring_name(scoring),
        method="loop" if work.fast is None else work.fast.name,
        n_refitted=sum(block.n_refitted for block in found),
        failures=dict(failures),
        n_cases=X.shape[0],
        n_features=X.shape[1],
        seed=seed,
        n_arrangements=n_arrangements(work.pools, work.codes),
    )


def _described(estimator: Any) -> str:
    return " ".join(repr(estimator).split())


def _scoring_name(scoring: Any) -> str:
    if scoring is None:
        return "default score"
    return (
        scoring
        if isinstance(scoring, str)
        else getattr(scoring, "__name__", "custom score")
    )


def _unknown_score(scoring: Any) -> str:
    """Say which name of a score was probably meant; empty if the fault is another."""
    from sklearn.metrics import get_scorer_names

    known = get_scorer_names()
    if not isinstance(scoring, str) or scoring in known:
        return ""
    near = near_name(scoring, known)
    hint = f"did you mean {near!r}?" if near else "such as 'accuracy' or 'roc_auc'."
    return f"`scoring` must be a score of scikit-learn; got {scoring!r}: {hint}"


def _checked_labels(y: ArrayLike, n: int, is_classifier: bool) -> NDArray[Any]:
    labels = np.asarray(y)
    if labels.shape != (n,):
        msg = f"X has {n} rows, but y has shape {labels.shape}; one label per row."
        raise InvalidInputError(msg)
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        msg = "y holds values that are not finite. Remove or repair those rows."
        raise InvalidInputError(msg)
    if labels.dtype == object:
        # Mixed types have no order; as text they have, and strings stay themselves.
        labels = labels.astype(str)
    if np.unique(labels).size < 2:
        what = "class" if is_classifier else "value"
        msg = f"y holds one {what} only; there is nothing to permute."
        raise InsufficientDataError(msg)
    return labels


def _checked_count(n_permutations: int) -> int:
    if isinstance(n_permutations, numbers.Integral) and n_permutations >= 1:
        return int(n_permutations)
    msg = f"`n_permutations` must be a whole number from 1; got {n_permutations!r}."
    raise UsageError(msg)
