"""Score a model on permuted data, doing once what does not depend on them."""

from __future__ import annotations

import numbers
from collections import Counter
from collections.abc import Hashable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scorecast._core.checks import check_matrix, check_n_jobs
from scorecast._core.keywords import checked_keywords
from scorecast._core.near_names import near_name
from scorecast._core.parallel import map_tasks
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, IntArray, RandomState
from scorecast.evaluation.permutation import (
    Block,
    PermutationLoop,
    PreparedEngine,
    movable,
    n_arrangements,
    prepare_engine,
    recognise,
    unchecked,
)
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError
from scorecast.guarantees.permutation.refits import Refitting
from scorecast.guarantees.permutation.result import PermutationScores
from scorecast.guarantees.permutation.splits import CaseSplit, read_splits

__all__ = ["permutation_scores"]


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
    tasks = work.tasks(count, rng, with_observed=True)
    found = map_tasks(work, tasks, rng=rng, n_jobs=n_jobs, what="permuting")
    rows = [row for block in found for row in block]
    return _gathered(rows, work, scoring, features, seed_number(random_state))


class _Scored(NamedTuple):
    """The score of one split of one permutation."""

    score: float
    is_refitted: bool = False
    failure: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class _Work(PermutationLoop):
    """Everything a worker needs for any block."""

    fitting_: Refitting
    splits: list[CaseSplit]
    codes: IntArray
    n_classes: int
    is_balanced: bool

    has_seeds: ClassVar[bool] = True
    together: ClassVar[int] = 4

    def engine_for(self, block: Block) -> PreparedEngine | None:
        """Leave a model without a seed of its own, on the data as they are, to itself.

        It then draws from our stream.
        """
        is_open = block.size == 0 and self.fitting_.has_open_seed
        if self.engine is not None and self.engine.engine.draws and is_open:
            return None
        return self.engine

    def fitting(self, block: Block) -> AbstractContextManager[None]:
        """Keep quiet what is said of noise; of the data as they are it matters."""
        return unchecked(is_quiet=block.size > 0)

    def of_classes(self, split: int, classes: IntArray) -> list[_Scored]:
        """Score every row of predictions."""
        truth = np.broadcast_to(self.codes[self.splits[split].test], classes.shape)
        n_classes = self.n_classes if self.is_balanced else None
        shares = _share_right(truth, classes, n_classes)
        return [_Scored(score) for score in shares.tolist()]

    def of_fit(
        self, split: int, order: IntArray, seed: int | None, rng: np.random.Generator
    ) -> _Scored:
        """Fit the model itself."""
        del rng
        failures: Counter[str] = Counter()
        score = self.fitting_.score(
            self.fitting_.y, self.splits[split], failures, seed or 0, order
        )
        return _Scored(score, True, next(iter(failures), ""))

    def row(self, values: Sequence[_Scored]) -> Sequence[_Scored]:
        """Keep them as they are."""
        return values


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
        pairs = [(split.train, split.test) for split in splits]
        fast = prepare_engine(fitting.estimator, fitting.X, codes, pairs)
    return _Work(
        n=fitting.y.size,
        n_splits=len(splits),
        pools=(pools,),
        engine=fast,
        fitting_=fitting,
        splits=splits,
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
    rows: list[Sequence[_Scored]], work: _Work, scoring: Any, X: FloatArray, seed: Any
) -> PermutationScores:
    failures = Counter(one.failure for row in rows for one in row if one.failure)
    scores = np.array([[one.score for one in row] for row in rows])
    if not np.isfinite(scores[0]).any():
        reason = next((one.failure for one in rows[0] if one.failure), "no reason")
        msg = f"The model failed on every split: {reason}"
        raise InsufficientDataError(msg)
    refitted = rows[0 if work.engine_for(Block(size=0)) else 1 :]
    count = sum(one.is_refitted for row in refitted for one in row)
    return PermutationScores(
        fold_scores=scores[0],
        permuted=scores[1:],
        estimator=_described(work.fitting_.estimator),
        scoring=_scoring_name(scoring),
        method="loop" if work.engine is None else work.engine.engine.name,
        n_refitted=0 if work.engine is None else count,
        failures=dict(failures),
        n_cases=X.shape[0],
        n_features=X.shape[1],
        seed=seed,
        n_arrangements=n_arrangements(work.pools[0], work.codes),
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
