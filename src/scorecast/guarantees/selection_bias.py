"""What selecting features before the split adds to the score."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scorecast._core.checks import check_level, check_matrix
from scorecast._core.keywords import checked_keywords
from scorecast._core.results import Result
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, Json, RandomState
from scorecast.evaluation import nadeau_bengio, wilson
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError
from scorecast.guarantees.loss_values import difference_said, span_said, value_said
from scorecast.guarantees.permutation.refits import Refitting
from scorecast.guarantees.permutation.splits import CaseSplit, read_splits

__all__ = ["SelectionBias", "selection_bias"]

_SEEDS = 2**31 - 1
_SAME = 1e-12  # differences that only rounding made


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SelectionBias(Result):
    """Scores with the selection outside and inside the loop.

    Attributes
    ----------
    outside : ndarray of float64
        Score of every split if features are selected on all cases first, test cases
        among them. Too good. NaN where a split failed.
    inside : ndarray of float64
        Score of every split if its training cases alone select.
    outside_estimate, inside_estimate : float
        The scores of all splits together.
    outside_interval, inside_interval : tuple of float
        Their intervals.
    n_cases, n_features : int
        Sizes.
    n_selected : int or None
        Features that were selected, where it is a fixed number.
    estimator : str
        Selection and model.
    loss : str
        What the scores are.
    greater_is_better : bool
        Whether scores grow as the model gets better.
    worst : float
        The worst score there can be; bounds are not moved beyond it.
    test_ratio : float
        Cases tested per case learned from.
    level : float
        Confidence of intervals.
    seed : int or None
        The seed, where it was a number.
    """

    kind: ClassVar[str] = "selection-bias-1"

    outside: FloatArray
    inside: FloatArray
    outside_estimate: float
    inside_estimate: float
    outside_interval: tuple[float, float]
    inside_interval: tuple[float, float]
    n_cases: int
    n_features: int
    n_selected: int | None
    estimator: str
    loss: str
    greater_is_better: bool
    worst: float
    test_ratio: float
    level: float
    seed: int | None

    @property
    def bias(self) -> float:
        """By how much the selection outside looks too good."""
        more = self.outside_estimate - self.inside_estimate
        return more if self.greater_is_better else -more

    @property
    def bias_interval(self) -> tuple[float, float]:
        """Interval of the bias, by the corrected resampled t of the splits.

        Where all splits differ by as much no spread is seen: then as much as a share
        of so many cases, none of which changed, may be off; NaN for losses that are
        no shares.
        """
        more = self.outside - self.inside
        more = more[np.isfinite(more)]
        more = more if self.greater_is_better else -more
        if more.size < 2 or np.ptp(more) < _SAME:
            return self._unseen(float(more.mean()) if more.size else 0.0)
        low, high = nadeau_bengio(more, self.level, self.test_ratio)
        return low, high

    def _unseen(self, middle: float) -> tuple[float, float]:
        known = np.concatenate([self.outside, self.inside])
        known = known[np.isfinite(known)]
        if not known.size or known.min() < 0 or known.max() > 1:
            return math.nan, math.nan
        if not math.isfinite(self.worst):
            return math.nan, math.nan
        half = wilson(0, self.n_cases, self.level)[1]
        return max(middle - half, -1.0), min(middle + half, 1.0)

    @property
    def adjusted_interval(self) -> tuple[float, float]:
        """The interval of the selection outside, moved by the bias and widened."""
        if math.isnan(sum(self.outside_interval)):
            return math.nan, math.nan
        return self.adjusted(*self.outside_interval)

    def why_no_interval(self) -> str:
        """Say why the bias has no interval; empty if it has one."""
        if not math.isnan(sum(self.bias_interval)):
            return ""
        more = self.outside - self.inside
        if np.isfinite(more).sum() < 2:
            return "splits have no values of their own"
        if np.abs(more[np.isfinite(more)]).max() < _SAME:
            return "no split changed: the model made no use of the difference"
        return "all splits differ by as much, so that no spread is seen"

    def adjusted(self, low: float, high: float) -> tuple[float, float]:
        """Correct bounds that were computed with the selection outside.

        Both ends are moved by the bias, towards worse. It is never taken for a gain:
        where chance made it negative the bounds do not move. The bias is an estimate
        with an error of its own: each end goes out until the squares of both
        half-widths, that of the bounds and that of the bias, are in it.

        Parameters
        ----------
        low, high : float
            Bounds of a score.

        Returns
        -------
        tuple of float
            Bounds that allow for it.
        """
        if not low <= high:
            msg = f"`low` must not exceed `high`; got {low!r} and {high!r}."
            raise UsageError(msg)
        shift = max(self.bias, 0.0)
        low, high = self._widened(low, high)
        if self.greater_is_better:
            return max(low - shift, self.worst), max(high - shift, self.worst)
        return min(low + shift, self.worst), min(high + shift, self.worst)

    def _widened(self, low: float, high: float) -> tuple[float, float]:
        least, most = self.bias_interval
        if not (math.isfinite(most - least) and math.isfinite(high - low)):
            return low, high
        middle, half = (low + high) / 2, math.hypot(high - low, most - least) / 2
        return middle - half, middle + half

    def summary(self) -> str:
        """Say the answer in a sentence or two."""
        how_many = "Features" if self.n_selected is None else (
            f"The best {self.n_selected:,} of {self.n_features:,} features"
        )  # fmt: skip
        name = "the score" if self.loss == "score" else self.loss
        outside, inside = self.said(self.outside_estimate), self.said(
            self.inside_estimate
        )  # fmt: skip
        first = (
            f"{how_many} chosen on all cases: {name} {outside}; chosen again in every "
            f"split, as is honest: {inside} ({100 * self.level:g} %: "
            f"{span_said(self.loss, *self.inside_interval)})."
        )
        if self.bias <= 0:
            return f"{first} Nothing is owed to tested cases that took part."
        return (
            f"{first} {difference_said(self.loss, self.bias).lstrip('+')} are owed to "
            f"tested cases that took part; less these, their own error counted, the "
            f"interval {span_said(self.loss, *self.outside_interval)} is "
            f"{span_said(self.loss, *self.adjusted_interval)}."
        )

    def said(self, value: float) -> str:
        """Write a score as it is read."""
        return value_said(self.loss, value)

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per split."""
        return {"outside": self.outside.tolist(), "inside": self.inside.tolist()}

    def _parts(self) -> tuple[Json, Json, Json]:
        inputs = {name: getattr(self, name) for name in _INPUTS}
        options = {name: getattr(self, name) for name in _OPTIONS}
        result = {
            "bias": self.bias,
            "bias_interval": list(self.bias_interval),
            "adjusted_interval": list(self.adjusted_interval),
            **{name: getattr(self, name) for name in _VALUES},
            **{name: list(getattr(self, name)) for name in _SPANS},
            **self.to_columns(),
        }
        return inputs, options, result

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        arrays: Json = {
            name: np.array(result[name], dtype=float) for name in ("outside", "inside")
        }
        spans: Json = {name: tuple(result[name]) for name in _SPANS}
        if options["worst"] is None:
            options = {**options, "worst": math.inf}
        return cls(
            **inputs,
            **options,
            **arrays,
            **{name: result[name] for name in _VALUES},
            **spans,
        )


_INPUTS = ("n_cases", "n_features", "test_ratio")
_OPTIONS = (
    "estimator", "n_selected", "loss", "greater_is_better", "worst", "level", "seed",
)  # fmt: skip
_VALUES = ("outside_estimate", "inside_estimate")
_SPANS = ("outside_interval", "inside_interval")


@checked_keywords
def selection_bias(
    selector: Any,
    estimator: Any,
    X: ArrayLike,
    y: ArrayLike,
    splits: Any = 5,
    *,
    scoring: Any = None,
    level: float = 0.95,
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
    level : float, default=0.95
        Confidence of intervals.
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

    features, labels = _checked(X, y)
    classifies = is_classifier(estimator)
    parts = read_splits(splits, features, labels, None, is_classifier=classifies)
    both = make_pipeline(selector, estimator)
    scorer = check_scoring(both, scoring=scoring)
    inside = Refitting(estimator=both, scorer=scorer, X=features, y=labels)
    picked = np.asarray(clone(selector).fit_transform(features, labels), dtype=float)
    outside = replace(inside, estimator=estimator, X=picked)
    seed = int(as_generator(random_state).integers(_SEEDS))
    scores = [_scores(part, parts, seed) for part in (outside, inside)]
    ratio = _test_ratio(parts)
    spans = [
        _interval(found, check_level(level), ratio, features.shape[0])
        for found in scores
    ]
    return SelectionBias(
        outside=scores[0],
        inside=scores[1],
        outside_estimate=float(scores[0].mean()),
        inside_estimate=float(scores[1].mean()),
        outside_interval=spans[0],
        inside_interval=spans[1],
        n_cases=features.shape[0],
        n_features=features.shape[1],
        n_selected=picked.shape[1],
        estimator=" ".join(repr(both).split()),
        loss="score" if scoring is not None or not classifies else "accuracy",
        greater_is_better=True,
        worst=0.0 if min(map(np.min, scores)) >= 0 else -math.inf,
        test_ratio=ratio,
        level=level,
        seed=seed_number(random_state),
    )


def _checked(X: Any, y: Any) -> tuple[FloatArray, NDArray[Any]]:
    features = np.asarray(check_matrix(X, "X"), dtype=np.float64)
    labels = np.asarray(y)
    if labels.shape != (features.shape[0],):
        msg = f"X has {features.shape[0]} rows, but y has shape {labels.shape}."
        raise InvalidInputError(msg)
    return features, labels


def _test_ratio(splits: list[CaseSplit]) -> float:
    tested = sum(split.test.size for split in splits)
    return tested / sum(split.train.size for split in splits)


def _interval(
    scores: FloatArray, level: float, ratio: float, n: int
) -> tuple[float, float]:
    """Bound the mean of splits; where they all agree, as a share of so many cases."""
    low, high = nadeau_bengio(scores, level, ratio)
    mean = float(scores.mean())
    if scores.min() >= 0 and scores.max() <= 1:
        if not high > low:
            return wilson(mean * n, n, level)
        return max(low, 0.0), min(high, 1.0)
    return low, high


def _scores(fitting: Refitting, splits: list[CaseSplit], seed: int) -> FloatArray:
    failures: Counter[str] = Counter()
    scores = [fitting.score(fitting.y, split, failures, seed) for split in splits]
    if failures:
        msg = f"The model failed: {failures.most_common(1)[0][0]}"
        raise InsufficientDataError(msg)
    return np.array(scores)
