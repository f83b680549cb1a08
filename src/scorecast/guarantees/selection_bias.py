"""What selecting features before the split adds to the score."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import check_matrix
from scorecast._core.results import Result
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, Json, RandomState
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError
from scorecast.guarantees.permutation.refits import Refitting
from scorecast.guarantees.permutation.splits import CaseSplit, read_splits

__all__ = ["SelectionBias", "selection_bias"]

_SEEDS = 2**31 - 1


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SelectionBias(Result):
    """Scores with the selection outside and inside the loop.

    Attributes
    ----------
    outside : ndarray of float64
        Score of every split if features are selected on all cases first, test cases
        among them. Too good.
    inside : ndarray of float64
        Score of every split if its training cases alone select.
    n_cases, n_features : int
        Sizes.
    estimator : str
        Selection and model.
    seed : int or None
        The seed, where it was a number.
    """

    kind: ClassVar[str] = "selection-bias"

    outside: FloatArray
    inside: FloatArray
    n_cases: int
    n_features: int
    estimator: str
    seed: int | None

    @property
    def bias(self) -> float:
        """What the selection outside adds on average."""
        return float(np.mean(self.outside - self.inside))

    def adjusted(self, low: float, high: float) -> tuple[float, float]:
        """Correct bounds that were computed with the selection outside.

        Both ends are lowered by the bias. It is never taken for a gain: where chance
        made it negative the bounds stay.

        Parameters
        ----------
        low, high : float
            Bounds of a score between 0 and 1.

        Returns
        -------
        tuple of float
            Bounds that allow for it.
        """
        if not low <= high:
            msg = f"`low` must not exceed `high`; got {low!r} and {high!r}."
            raise UsageError(msg)
        shift = max(self.bias, 0.0)
        return max(low - shift, 0.0), max(high - shift, 0.0)

    def summary(self) -> str:
        """Say the answer in one sentence."""
        return (
            f"Selecting on all cases gives {np.mean(self.outside):.3f}, selecting on "
            f"training cases alone {np.mean(self.inside):.3f}: {self.bias:+.3f} is "
            "owed to the test cases that took part in the selection."
        )

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per split."""
        return {"outside": self.outside.tolist(), "inside": self.inside.tolist()}

    def _parts(self) -> tuple[Json, Json, Json]:
        inputs = {"n_cases": self.n_cases, "n_features": self.n_features}
        options = {"estimator": self.estimator, "seed": self.seed}
        return inputs, options, {"bias": self.bias, **self.to_columns()}

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        arrays: Json = {
            name: np.array(result[name], dtype=float) for name in ("outside", "inside")
        }
        return cls(**inputs, **options, **arrays)


def selection_bias(
    selector: Any,
    estimator: Any,
    X: ArrayLike,
    y: ArrayLike,
    splits: Any = 5,
    *,
    scoring: Any = None,
    random_state: RandomState = None,
) -> SelectionBias:
    """Score a model with features selected outside and inside the loop.

    Parameters
    ----------
    selector : scikit-learn transformer
        Selects features by the labels, such as ``SelectKBest``.
    estimator : scikit-learn estimator
        The model that gets them.
    X : array-like of shape (n, m)
        Features.
    y : array-like of shape (n,)
        Labels.
    splits : int, splitter or iterable of (train, test), default=5
        A number of folds means stratified ones for classifiers.
    scoring : str or callable, optional
        As in scikit-learn; more is better.
    random_state : int, Generator or None, optional
        Seed for models that draw random numbers and were given none.

    Returns
    -------
    SelectionBias
        Both scores by split, and their difference.

    Raises
    ------
    InvalidInputError
        If X and y do not fit.

    Examples
    --------
    >>> from sklearn.feature_selection import SelectKBest
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X = np.random.default_rng(0).standard_normal((40, 1000))
    >>> noise = selection_bias(SelectKBest(k=10), GaussianNB(), X, np.arange(40) % 2)
    >>> bool(noise.outside.mean() > 0.8), bool(noise.inside.mean() < 0.7)
    (True, True)
    """
    from sklearn.base import clone, is_classifier
    from sklearn.metrics import check_scoring
    from sklearn.pipeline import make_pipeline

    features = np.asarray(check_matrix(X, "X"), dtype=np.float64)
    labels = np.asarray(y)
    if labels.shape != (features.shape[0],):
        msg = f"X has {features.shape[0]} rows, but y has shape {labels.shape}."
        raise InvalidInputError(msg)
    parts = read_splits(
        splits, features, labels, None, is_classifier=is_classifier(estimator)
    )
    both = make_pipeline(selector, estimator)
    scorer = check_scoring(both, scoring=scoring)
    inside = Refitting(estimator=both, scorer=scorer, X=features, y=labels)
    picked = np.asarray(clone(selector).fit_transform(features, labels), dtype=float)
    outside = replace(inside, estimator=estimator, X=picked)
    seed = int(as_generator(random_state).integers(_SEEDS))
    return SelectionBias(
        outside=_scores(outside, parts, seed),
        inside=_scores(inside, parts, seed),
        n_cases=features.shape[0],
        n_features=features.shape[1],
        estimator=" ".join(repr(both).split()),
        seed=seed_number(random_state),
    )


def _scores(fitting: Refitting, splits: list[CaseSplit], seed: int) -> FloatArray:
    failures: Counter[str] = Counter()
    scores = [fitting.score(fitting.y, split, failures, seed) for split in splits]
    if failures:
        msg = f"The model failed: {failures.most_common(1)[0][0]}"
        raise InsufficientDataError(msg)
    return np.array(scores)
