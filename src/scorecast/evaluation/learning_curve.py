"""Learning curves: where the score goes as samples, or features, are added."""

from __future__ import annotations

import math
import numbers
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scorecast._core.checks import (
    check_count,
    check_n_jobs,
    check_one_of,
    check_share,
    check_times,
)
from scorecast._core.keywords import checked_keywords
from scorecast._core.parallel import Run
from scorecast._core.result import INPUT, OPTION, Result
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import BoolArray, FloatArray, IntArray, RandomState
from scorecast.evaluation.data import (
    EvaluationData,
    check_data,
    columns_of,
    n_independent,
)
from scorecast.evaluation.fitting import fit_and_test
from scorecast.evaluation.metrics import METRICS, Metric, Needs, check_scoring
from scorecast.evaluation.models import check_estimators, task_of
from scorecast.evaluation.permutation import Scorer, choose_scorer
from scorecast.evaluation.power_law import (
    N_FREE,
    PowerLaw,
    fit_power_law,
    misfit_p,
    resample_errors,
    size_weights,
    slope_p,
)
from scorecast.evaluation.splits import Split, Splitter, draw_splits
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError

MOST_SAMPLES = 10**6  # hardly anybody collects more: beyond is no end
_MISFIT = 0.05  # level of the test whether the law fits
_GAIN = 0.05  # and of that whether larger sizes are better at all
_SAME = 1e-9  # scores that differ by rounding only
_TEST_SIZE = 0.25
_REPEATS = 20
_N_SIZES = 6
_FEWEST = 3
_SPLIT_BY = ("accuracy", "error_rate")  # for which the best split is known
_SEEDS = 2**31 - 1


class CurveOver(StrEnum):
    """What the sizes of a curve count."""

    SAMPLES = "samples"
    FEATURES = "features"


class LimitDoubt(StrEnum):
    """Why no score of endless data is named though the law fits and rises.

    CANNOT_TELL: its interval reaches from the best there can be past what was measured.
    NO_GAIN: more data would make it worse, which no law of this kind can mean.
    """

    CANNOT_TELL = "cannot-tell"
    NO_GAIN = "no-gain"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class LearningCurve(Result):
    """An inverse power law through scores at several sizes.

    Attributes
    ----------
    sizes : ndarray of int64
        Training samples, or features; where groups kept whole left fewer, their mean.
    scores : ndarray of shape (k, r)
        Scores at each; one column per repeat.
    weights : ndarray of shape (k,)
        How much each size counted.
    n_samples : int or None
        Independent samples that repeats divide, if known.
    has_groups : bool
        Whether samples come in groups; no way to split them is proposed.
    sizes_asked, sizes_least, sizes_most : ndarray of int64
        Sizes that were asked for, and the fewest and most learned from; empty where
        scores came without.
    scoring : str
        What the scores are, such as ``"accuracy"``.
    greater_is_better : bool
        Whether scores grow as the model gets better, or shrink.
    over : CurveOver
        What the sizes count.
    best : float
        The best score there can be; the law is one for the distance to it.
    worst : float or None
        The worst score there can be; None where there is no such thing.
    target : float or None
        Score that was asked for.
    test_ratio : float
        Samples tested per sample that could be learned from, where all repeats divide
        the same samples; 0 where they do not share any.
    confidence_level : float
        Of intervals.
    seed : int or None
        The seed, where it was a number.
    misfit_p : float
        Chance of means as far from the law if it held; NaN where nothing tells.
    fits : bool
        Whether the law may be trusted: no test says that it does not fit.
    gain_p : float
        Chance of a rise as steep where larger sizes are no better; one-tailed. Of the
        slope against the logarithm of the size.
    rises : bool
        Whether larger sizes are shown to be better, at the level of 5 %.
    measured, fitted : ndarray of shape (k,)
        Mean score at every size, and that of the law.
    limit : float
        The score that endless data would give; NaN where none is named.
    limit_interval : tuple of float
        Its interval; NaN where there is none.
    limit_doubt : LimitDoubt or None
        Why no limit is named though the law fits and rises.
    needed : float or None
        Size at which the target is reached, as `size_for` says; None without a target.
    needed_interval : tuple of float or None
        Its interval, as `size_interval` says.
    recommended_split : tuple of int or None
        Training and test samples for one split of all, as `best_split` says; None where
        that has no meaning.
    law : PowerLaw
        The fit through the means.
    replicates : tuple of PowerLaw
        Fits to resampled scores, for intervals.
    """

    kind: ClassVar[str] = "learning-curve"

    sizes: IntArray = field(metadata=INPUT)
    scores: FloatArray = field(metadata=INPUT)
    weights: FloatArray = field(metadata=INPUT)
    n_samples: int | None = field(metadata=INPUT)
    has_groups: bool = field(metadata=INPUT)
    sizes_asked: IntArray = field(metadata=INPUT)
    sizes_least: IntArray = field(metadata=INPUT)
    sizes_most: IntArray = field(metadata=INPUT)
    scoring: str = field(metadata=OPTION)
    greater_is_better: bool = field(metadata=OPTION)
    over: CurveOver = field(metadata=OPTION)
    best: float = field(metadata=OPTION)
    worst: float | None = field(metadata=OPTION)
    target: float | None = field(metadata=OPTION)
    test_ratio: float = field(metadata=OPTION)
    confidence_level: float = field(metadata=OPTION)
    seed: int | None = field(metadata=OPTION)
    misfit_p: float
    fits: bool
    gain_p: float
    rises: bool
    measured: FloatArray
    fitted: FloatArray
    limit: float = math.nan
    limit_interval: tuple[float, float] = (math.nan, math.nan)
    limit_doubt: LimitDoubt | None = None
    needed: float | None = None
    needed_interval: tuple[float, float] | None = None
    recommended_split: tuple[int, int] | None = None
    law: PowerLaw
    replicates: tuple[PowerLaw, ...]

    @property
    def extrapolates(self) -> bool:
        """Whether sizes that were not tried are spoken of: the law fits, and rises."""
        return self.fits and self.rises

    @property
    def is_flat(self) -> bool:
        """Whether the fit sees no gain from larger sizes."""
        return self.law.scale == 0

    @property
    def can_split(self) -> bool:
        """Whether `best_split` makes sense of these scores, and n is known."""
        is_told = self.scoring in _SPLIT_BY and self.over is CurveOver.SAMPLES
        is_told = is_told and self.n_samples is not None and self.n_samples > 1
        return is_told and self.extrapolates and not self.is_flat

    def score_at(self, size: float) -> float:
        """Return the score of the law at a size; `measured` holds what was seen."""
        return self._score(float(self.law.error(size)))

    def interval_at(self, size: float) -> tuple[float, float]:
        """Return an interval of the score expected at a size, within its range.

        NaN where nothing is known of the spread: a single score per size, and a law
        through all of them.
        """
        return self._span(
            [self._score(float(law.error(size))) for law in self.replicates]
        )

    def size_for(self, target: float) -> float:
        """Return the size at which a score is reached; infinite if it never is.

        Never below the smallest size tried, of which the curve knows nothing: that
        one, or fewer, will do. Infinite, too, beyond a million, and NaN where the law
        does not fit, or no gain is shown and sizes tried do not reach it. The latter
        means that nothing can be told where `size_interval` goes from the smallest
        size to infinity, and that nothing shows it to be reached where that is NaN.
        What is better than the best is refused.
        """
        check_target(target, self.best, greater=self.greater_is_better)
        if not self.fits:
            return math.nan
        if not self.rises:
            short = (self._error(target) < self._error(float(x)) for x in self.measured)
            return math.nan if any(short) else float(self.sizes.min())
        return self._tried(self.law.size_for(self._error(target)))

    def size_interval(self, target: float) -> tuple[float, float]:
        """Return an interval of that size; its upper end is often infinite.

        Its level is tested where the law holds; where it does not, there is none.
        """
        check_target(target, self.best, greater=self.greater_is_better)
        if not self.fits or not self._has_spread:
            return math.nan, math.nan
        if not self.rises:
            return self._flat_interval(target)
        found = [law.size_for(self._error(target)) for law in self.replicates]
        low, high = self._span(found)
        return self._tried(low), self._tried(high)

    def is_out_of_reach(self, target: float) -> bool:
        """Tell whether the law never comes to a score, whatever the size."""
        return self._error(target) <= self.law.limit

    def best_split(self, n: int) -> tuple[int, int]:
        """Divide n samples between training and test.

        In the manner of Raudys and Jain: fewer training samples make the error estimate
        pessimistic, fewer test samples make it uncertain. The split with the smallest
        squared deviation from the error at n training samples is chosen, for scores
        that are shares of right answers. The pessimism is averaged over the resampled
        fits, so that a curve that is not known well is not trusted with few samples.
        Nothing below the smallest size tried is considered, nor are groups.

        Parameters
        ----------
        n : int
            All samples.

        Returns
        -------
        tuple of int
            Training and test samples.
        """
        n = check_count(n, "n", least=2)
        train = np.arange(min(int(self.sizes.min()), n - 1), n)
        error = np.clip(self.law.error(train.astype(float)), 0, 1)
        squares = np.zeros(train.size)
        for law in self.replicates:
            fitted = np.clip(law.error(np.append(train, n).astype(float)), 0, 1)
            squares += (fitted[:-1] - fitted[-1]) ** 2 / len(self.replicates)
        chosen = int(train[np.argmin(squares + error * (1 - error) / (n - train))])
        return chosen, n - chosen

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per size."""
        spans = [self.interval_at(float(size)) for size in self.sizes]
        return {
            "size": self.sizes.tolist(),
            "score": self.measured.tolist(),
            "weight": self.weights.tolist(),
            "fitted": self.fitted.tolist(),
            "low": [low for low, _ in spans],
            "high": [high for _, high in spans],
        }

    def _flat_interval(self, target: float) -> tuple[float, float]:
        """Say by the sizes tried alone whether the smallest will do."""
        least = float(self.sizes.min())
        ends = [self.interval_at(float(size)) for size in self.sizes]
        if not self.greater_is_better:
            ends = [(-high, -low) for low, high in ends]
        wanted = target if self.greater_is_better else -target
        if all(low >= wanted for low, _ in ends):
            return least, least
        if any(high >= wanted for _, high in ends):
            return least, math.inf
        return math.nan, math.nan

    def _tried(self, size: float) -> float:
        """Round a size up to a whole one, neither below those tried nor endless."""
        whole = size if math.isinf(size) else float(math.ceil(size - _SAME))
        whole = max(whole, float(self.sizes.min()))
        return whole if whole <= MOST_SAMPLES else math.inf

    @property
    def _has_spread(self) -> bool:
        # Beyond rounding; the first one tells as a rule.
        sizes = self.sizes.astype(float)
        at = self.law.error(sizes)
        return any(
            np.abs(law.error(sizes) - at).max() > 1e-9 * max(1.0, float(at.max()))
            for law in self.replicates
        )

    def _score(self, error: float) -> float:
        if self.greater_is_better:
            value = self.best - error
            return value if self.worst is None else max(value, self.worst)
        value = self.best + error
        return value if self.worst is None else min(value, self.worst)

    def _error(self, score: float) -> float:
        return self.best - score if self.greater_is_better else score - self.best

    def _span(self, values: list[float]) -> tuple[float, float]:
        if not self._has_spread:
            return math.nan, math.nan
        # Ranks, not interpolation: some values may be infinite.
        ordered = np.sort(values)
        tail = (1 - self.confidence_level) / 2
        low = math.floor(tail * (ordered.size + 1)) - 1
        high = math.ceil((1 - tail) * (ordered.size + 1)) - 1
        return (
            float(ordered[max(low, 0)]),
            float(ordered[min(high, ordered.size - 1)]),
        )

    def _with_answers(self) -> LearningCurve:
        """Add what follows from the law: its limit, and sizes for the target."""
        limit, span, doubt = math.nan, (math.nan, math.nan), None
        if self.extrapolates:
            limit = self._score(self.law.limit)
            span = self._span([self._score(law.limit) for law in self.replicates])
            doubt = limit_doubt(
                limit,
                span,
                last=float(self.measured[self.sizes.argmax()]),
                best=self.best,
                greater=self.greater_is_better,
            )
        split = None
        if self.can_split and not self.has_groups and self.n_samples is not None:
            split = self.best_split(self.n_samples)
        is_asked = self.target is not None
        target = self.best if self.target is None else self.target
        return replace(
            self,
            limit=math.nan if doubt else limit,
            limit_interval=span,
            limit_doubt=doubt,
            needed=self.size_for(target) if is_asked else None,
            needed_interval=self.size_interval(target) if is_asked else None,
            recommended_split=split,
        )


def limit_doubt(
    limit: float,
    interval: tuple[float, float],
    *,
    last: float,
    best: float,
    greater: bool,
) -> LimitDoubt | None:
    """Say why a limit is not to be named.

    Parameters
    ----------
    limit : float
        The score to which the fit tends.
    interval : tuple of float
        Its interval; NaN where there is none.
    last : float
        Mean score that was measured at the largest size.
    best : float
        The best score there can be.
    greater : bool
        Whether scores grow as the model gets better.

    Returns
    -------
    LimitDoubt or None
        None where it may be named.

    Examples
    --------
    >>> limit_doubt(0.0, (0.0, 1.33), last=1.2, best=0, greater=False).value
    'cannot-tell'
    >>> limit_doubt(0.994, (0.98, 0.998), last=0.997, best=1, greater=True).value
    'no-gain'
    """
    sign = 1 if greater else -1
    worse, better = sorted(sign * end for end in interval)
    slack = _SAME * max(1.0, abs(best), abs(last))
    if sign * limit < sign * last - slack:
        return LimitDoubt.NO_GAIN
    reaches_past = better >= sign * best - slack and worse < sign * last - slack
    return LimitDoubt.CANNOT_TELL if reaches_past else None


def check_target(target: Any, best: float, *, greater: bool) -> None:
    """Refuse to look for a score that is none, or better than the best."""
    is_known = isinstance(target, numbers.Real) and math.isfinite(target)
    if is_known and (target <= best if greater else target >= best):
        return
    side = "at most" if greater else "at least"
    problem = f"must be a score of {side} {best:g}; got {target!r}"
    raise UsageError(problem, parameter="target")


# From scores to a curve ------------------------------------------------------------


@checked_keywords
def fit_learning_curve(
    sizes: ArrayLike,
    scores: ArrayLike,
    *,
    scoring: str | Metric = "score",
    over: str = "samples",
    target: float | None = None,
    weights: ArrayLike | None = None,
    test_ratio: float = 0.0,
    n_samples: int | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 200,
    random_state: RandomState = 0,
) -> LearningCurve:
    r"""Fit an inverse power law to scores at several sizes.

    The distance of the score from the best there can be, at size :math:`n`, is taken to
    be [1]_

    .. math:: e(n) = a n^{-\alpha} + b, \quad a, \alpha, b \ge 0,

    fitted by weighted least squares. Intervals come from fits to resampled scores.
    Repeats that divide the same samples agree more than new samples would: their spread
    is widened as by Nadeau and Bengio [2]_.

    Parameters
    ----------
    sizes : array-like of shape (k,)
        Numbers of training samples, or of features; at least three.
    scores : array-like of shape (k,) or (k, r)
        Scores at each; with one column per repeat, such as a random subsample, sizes
        are weighted by how sure their mean is.
    scoring : str or Metric, default="score"
        What the scores are: one of `METRICS`, or ``Metric.unnamed`` with the best and
        the worst there can be and which way is better. By default up to 1, and more is
        better.
    over : {"samples", "features"}, default="samples"
        What the sizes count.
    target : float, optional
        A score; the answer says at what size it is reached.
    weights : array-like of shape (k,), optional
        How much each size counts, in the place of the repeats' say.
    test_ratio : float, default=0.0
        Samples tested per sample that could be learned from, if every repeat divides
        the same samples anew, as `learning_curve` does (1/3 by its default). The
        default takes repeats for independent.
    n_samples : int, optional
        How many independent samples the repeats divide, if known.
    confidence_level : float, default=0.95
        Confidence of intervals.
    n_resamples : int, default=200
        Resamples behind the intervals: of repeats where there are some, otherwise of
        what the fit leaves over.
    random_state : int, Generator or None, default=0
        Seed of the resamples.

    Returns
    -------
    LearningCurve
        The curve, its limit, and sizes for scores.

    Raises
    ------
    InvalidInputError
        If sizes and scores do not fit together, or a score is better than the best.
    InsufficientDataError
        If there are fewer than three sizes, or three without repeats.

    References
    ----------
    .. [1] S. Mukherjee and others (2003). Estimating dataset size requirements for
       classifying DNA microarray data. Journal of Computational Biology 10.
    .. [2] C. Nadeau and Y. Bengio (2003). Inference for the generalization error.
       Machine Learning 52.

    Examples
    --------
    >>> sizes = [10, 20, 40, 80, 160]
    >>> scores = [0.64, 0.74, 0.80, 0.85, 0.88]
    >>> curve = fit_learning_curve(sizes, scores, target=0.9)
    >>> 150 < curve.needed < 400
    True
    """
    check_one_of(over, "over", [*CurveOver])
    metric = _named_metric(scoring)
    if not (isinstance(test_ratio, numbers.Real) and 0 <= test_ratio < math.inf):
        problem = f"must be a number from 0; got {test_ratio!r}"
        raise UsageError(problem, parameter="test_ratio")
    if n_samples is not None:
        n_samples = check_count(n_samples, "n_samples")
    return _fitted_curve(
        sizes,
        scores,
        metric,
        over=CurveOver(over),
        target=target,
        weights=weights,
        test_ratio=float(test_ratio),
        n_samples=n_samples,
        confidence_level=check_share(
            confidence_level, "confidence_level", is_open=True
        ),
        n_resamples=check_times(n_resamples, "n_resamples"),
        random_state=random_state,
    )


def _named_metric(scoring: str | Metric) -> Metric:
    if isinstance(scoring, Metric):
        return scoring
    if scoring == "score":
        return Metric.unnamed()
    return METRICS.choose(scoring, parameter="scoring")


def _fitted_curve(
    sizes: ArrayLike,
    scores: ArrayLike,
    metric: Metric,
    *,
    over: CurveOver,
    target: float | None,
    test_ratio: float,
    n_samples: int | None,
    confidence_level: float,
    random_state: RandomState,
    weights: ArrayLike | None = None,
    n_resamples: int = 200,
    learned: IntArray | None = None,
    sizes_asked: Sequence[int] = (),
    has_groups: bool = False,
) -> LearningCurve:
    """Fit the law, resample it and say what follows."""
    n, errors = _checked_scores(sizes, scores, metric)
    if target is not None:
        check_target(target, metric.best, greater=metric.greater_is_better)
    counts = size_weights(weights, errors)
    law = fit_power_law(n.astype(float), errors.mean(axis=1), counts)
    samples = resample_errors(
        n,
        errors,
        law,
        counts,
        width=_width(errors, metric),
        n_samples=n_samples or 0,
        test_ratio=test_ratio,
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        rng=as_generator(random_state),
    )
    sign = -1 if metric.greater_is_better else 1
    table = metric.best + sign * errors
    worst = metric.worst if math.isfinite(metric.worst) else None
    fitted = metric.best + sign * law.error(n.astype(float))
    if worst is not None:
        fitted = np.fmax(fitted, worst) if sign < 0 else np.fmin(fitted, worst)
    n_free = 1 if law.scale == 0 else N_FREE if law.limit > 0 else N_FREE - 1
    misfit = misfit_p(table, fitted, n_free, test_ratio)
    gain = slope_p(n, -sign * table, test_ratio)
    unknown = np.empty(0, dtype=np.int64)
    return LearningCurve(
        sizes=n,
        scores=table,
        weights=counts,
        n_samples=n_samples,
        has_groups=has_groups,
        sizes_asked=np.array(sizes_asked, dtype=np.int64),
        sizes_least=unknown if learned is None else learned.min(axis=0),
        sizes_most=unknown if learned is None else learned.max(axis=0),
        scoring=metric.name,
        greater_is_better=metric.greater_is_better,
        over=over,
        best=float(metric.best),
        worst=worst,
        target=None if target is None else float(target),
        test_ratio=test_ratio,
        confidence_level=confidence_level,
        seed=seed_number(random_state),
        misfit_p=misfit,
        fits=not misfit < _MISFIT,
        gain_p=gain,
        rises=gain < _GAIN,
        measured=table.mean(axis=1),
        fitted=fitted,
        law=law,
        replicates=tuple(fit_power_law(n.astype(float), e, counts) for e in samples),
    )._with_answers()


def _checked_scores(
    sizes: ArrayLike, scores: ArrayLike, metric: Metric
) -> tuple[IntArray, FloatArray]:
    """Return sizes, and errors as distances to the best score."""
    n, best = np.asarray(sizes), metric.best
    table = np.asarray(scores, dtype=float)
    table = table[:, None] if table.ndim == 1 else table
    if n.ndim != 1 or table.ndim != 2 or table.shape[0] != n.size:
        problem = f"must have one row per size: {n.shape} sizes, {table.shape} scores"
        raise InvalidInputError(problem, parameter="scores")
    if n.dtype.kind not in "iuf" or (n != np.floor(n)).any() or (n < 1).any():
        problem = "must hold whole numbers from 1"
        raise InvalidInputError(problem, parameter="sizes")
    errors = best - table if metric.greater_is_better else table - best
    if not np.isfinite(table).all() or (errors < 0).any():
        side = "at most" if metric.greater_is_better else "at least"
        problem = f"must be finite and {side} {best:g}, the best there can be"
        raise InvalidInputError(problem, parameter="scores")
    n_different = np.unique(n).size
    if n_different < _FEWEST:
        problem = f"are {n_different} different sizes; a curve needs {_FEWEST}"
        raise InsufficientDataError(problem, parameter="sizes")
    if table.shape[1] == 1 and n_different == _FEWEST:
        # The law goes through all of them, and an interval would have no width.
        problem = f"are {_FEWEST}, without repeats: they tell no interval"
        remedy = "give 4 sizes, or repeats"
        raise InsufficientDataError(problem, parameter="sizes", remedy=remedy)
    return n.astype(np.int64), errors


def _width(errors: FloatArray, metric: Metric) -> float:
    """Return how far the worst score lies from the best; 0 where nobody knows."""
    if math.isfinite(metric.worst):
        return abs(metric.best - metric.worst)
    return 1.0 if errors.max() <= 1 else 0.0


# From a model to a curve -----------------------------------------------------------


@checked_keywords
def learning_curve(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    sizes: Iterable[int] | None = None,
    over: str = "samples",
    scoring: Any = None,
    groups: Iterable[Hashable] | None = None,
    target: float | None = None,
    n_repeats: int = 20,
    test_size: float = 0.25,
    confidence_level: float = 0.95,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> LearningCurve:
    """Score a model at several sizes, and say where more data would lead.

    Samples are divided at random again and again, groups kept whole, a quarter of them
    tested. Smaller samples are parts of larger ones and keep the shares of classes, so
    that differences between sizes are not differences between samples. An inverse power
    law is then fitted [1]_: see `fit_learning_curve`.

    Parameters
    ----------
    estimator : scikit-learn estimator or str
        The model, or a name that `assess` knows. It is cloned, never changed.
    X : array-like or data frame of shape (n, m)
        Features.
    y : array-like of shape (n,)
        Labels, or numbers for a regressor.
    sizes : iterable of int, optional
        Numbers of training samples, or of features drawn at random: three at least,
        growing. By default six that grow by a factor.
    over : {"samples", "features"}, default="samples"
        What the sizes count.
    scoring : str, Metric or callable, optional
        One of `METRICS`, or any scorer, whose best is 1. By default the usual metric:
        accuracy, or the root mean squared error.
    groups : iterable of hashable, optional
        Group of every sample, never split.
    target : float, optional
        A score; the answer says at what size it is reached.
    n_repeats : int, default=20
        Random divisions into training and test.
    test_size : float, default=0.25
        Share of samples that are tested.
    confidence_level : float, default=0.95
        Confidence of intervals.
    random_state : int, Generator or None, default=0
        Seed of divisions, fits and intervals.
    n_jobs : int, optional
        Number of workers; the answer does not depend on it.

    Returns
    -------
    LearningCurve
        Scores by size and repeat, the law through them, and what follows from it.

    Raises
    ------
    InsufficientDataError
        If a size exceeds what there is, or the model fails nearly always.

    References
    ----------
    .. [1] S. Mukherjee and others (2003). Estimating dataset size requirements for
       classifying DNA microarray data. Journal of Computational Biology 10.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.standard_normal((80, 5)), np.arange(80) % 2
    >>> X[y == 1] += 1
    >>> found = learning_curve(GaussianNB(), X, y, sizes=[10, 30, 60], n_repeats=4)
    >>> found.scores.shape, found.rises
    ((3, 4), True)
    """
    ((_, model),) = check_estimators([estimator]).items()
    check_one_of(over, "over", [*CurveOver])
    n_repeats = check_times(n_repeats, "n_repeats", least=2)
    test_size = check_share(test_size, "test_size", is_open=True)
    level = check_share(confidence_level, "confidence_level", is_open=True)
    check_n_jobs(n_jobs)
    data = check_data(X, y, task=task_of({"": model}), groups=groups)
    plan = plan_curve(sizes, over, data, n_repeats=n_repeats, test_size=test_size)
    if scoring is None:
        scoring = check_scoring(None, data.task)[0]
    chosen = choose_scorer(scoring, model, data)
    if target is not None and chosen.metric is not None:
        greater = chosen.greater_is_better
        check_target(target, chosen.metric.best, greater=greater)
    found = measure_curve(
        model,
        data,
        chosen,
        plan,
        target=target,
        confidence_level=level,
        rng=as_generator(random_state),
        run=Run(n_jobs=n_jobs),
        part="curve",
    )
    return replace(found, seed=seed_number(random_state))


@dataclass(frozen=True, kw_only=True)
class CurvePlan:
    """A curve that was asked for.

    Attributes
    ----------
    over : CurveOver
        What sizes count.
    sizes : tuple of int
        Sizes to learn from, growing.
    n_repeats : int
        Divisions into training and test.
    test_size : float
        Share of samples that are tested.
    """

    over: CurveOver
    sizes: tuple[int, ...]
    n_repeats: int = _REPEATS
    test_size: float = _TEST_SIZE


def plan_curve(
    sizes: Iterable[int] | None,
    over: str,
    data: EvaluationData,
    *,
    parameter: str = "sizes",
    n_repeats: int = _REPEATS,
    test_size: float = _TEST_SIZE,
) -> CurvePlan:
    """Understand what was asked for, before anything takes time.

    Parameters
    ----------
    sizes : iterable of int or None
        Sizes to learn from; None for those that are usual.
    over : {"samples", "features"}
        What sizes count.
    data : EvaluationData
        The samples.
    parameter : str, default="sizes"
        What the argument is called.
    n_repeats, test_size : int and float
        How samples are divided.

    Returns
    -------
    CurvePlan
        What to do.

    Raises
    ------
    UsageError
        If sizes are no growing whole numbers.
    InsufficientDataError
        If there are too few samples, or features.
    """
    n_test = min(max(round(test_size * data.n_samples), 1), data.n_samples - 1)
    most = data.n_samples - n_test
    if over == CurveOver.FEATURES:
        most = data.n_features
    if sizes is None:
        chosen = _usual_sizes(over, data, most)
    else:
        chosen = list(sizes) if hasattr(sizes, "__iter__") else []
        is_whole = all(isinstance(s, int | np.integer) and s >= 1 for s in chosen)
        if len(chosen) < _FEWEST or not is_whole or sorted(set(chosen)) != chosen:
            raise UsageError(
                f"must be {_FEWEST} growing whole numbers of {over} at least; got "
                f"{sizes!r}",
                parameter=parameter,
            )
    if len(chosen) < _FEWEST:
        raise InsufficientDataError(
            f"a learning curve over {over} needs {_FEWEST} different sizes; {most:,} "
            f"{over} to learn from leave room for {len(chosen)}",
            parameter=parameter,
        )
    if chosen[-1] > most:
        problem = f"{chosen[-1]:,} exceeds the {most:,} {over} there are to learn from"
        raise InsufficientDataError(problem, parameter=parameter)
    return CurvePlan(
        over=CurveOver(over),
        sizes=tuple(int(size) for size in chosen),
        n_repeats=n_repeats,
        test_size=test_size,
    )


def _usual_sizes(over: str, data: EvaluationData, most: int) -> list[int]:
    """Choose sizes that grow by a factor, the smallest with some of every class."""
    least = min(2.0, most)
    if over == CurveOver.FEATURES:
        least = max(least, most ** (1 / 3))
    elif data.is_classification:
        least = max(6, 2.5 * data.n_samples / data.class_counts.min(), most / 10)
    else:
        least = max(6, most / 10)
    if least >= most:
        return [most]
    sizes = np.geomspace(least, most, _N_SIZES).round().astype(int)
    return sorted({int(size) for size in sizes})


def default_target(metric: Metric) -> float | None:
    """Return nine tenths of the way to the best value, where there is such a thing."""
    if metric.low != 0 or metric.high != 1:
        return None
    return 0.9 if metric.greater_is_better else 0.1


def measure_curve(
    model: Any,
    data: EvaluationData,
    scorer: Scorer,
    plan: CurvePlan,
    *,
    target: float | None,
    confidence_level: float,
    rng: np.random.Generator,
    run: Run,
    part: str,
) -> LearningCurve:
    """Learn from more and more, and fit a curve.

    Parameters
    ----------
    model : estimator
        As scikit-learn's.
    data : EvaluationData
        The samples.
    scorer : Scorer
        What is measured.
    plan : CurvePlan
        The sizes, and how samples are divided.
    target : float or None
        Value whose size is looked for.
    confidence_level : float
        Confidence of intervals.
    rng : numpy.random.Generator
        Parent of all streams.
    run : Run
        How tasks are run.
    part : str
        Name in a checkpoint.

    Returns
    -------
    LearningCurve
        The curve.

    Raises
    ------
    InsufficientDataError
        If the model fails in nearly every division.
    """
    for_plan, for_fits, for_band = rng.spawn(3)
    splitter = Splitter(kind="mc", n_splits=plan.n_repeats, test_size=plan.test_size)
    drawn = draw_splits(splitter, data, for_plan)
    rows = run.map(
        partial(_one_division, model, data, scorer, plan, run.time_limit),
        drawn.splits,
        part=part,
        rng=for_fits,
        what=f"learning from more {plan.over}",
    )
    table = np.array(rows, dtype=float)
    learned = _learned(plan, drawn.splits, np.isfinite(table).all(axis=1))
    return _fitted_curve(
        learned.mean(axis=0).round().astype(int),
        _complete(table),
        scorer.metric or Metric.unnamed(name=scorer.name),
        over=plan.over,
        target=target,
        test_ratio=drawn.test_ratio,
        # A group is one draw, however large.
        n_samples=math.floor(n_independent(data.groups, data.n_samples)),
        confidence_level=confidence_level,
        random_state=for_band,
        learned=learned,
        sizes_asked=plan.sizes,
        has_groups=data.groups is not None,
    )


def _one_division(
    model: Any,
    data: EvaluationData,
    scorer: Scorer,
    plan: CurvePlan,
    time_limit: float | None,
    split: Split,
    rng: np.random.Generator,
) -> list[float]:
    """Return the score at every size; NaN where the model failed."""
    # Perhaps fewer than stated sizes ask for, where groups are large: `_learned`.
    strata = data.codes
    if not data.is_classification:
        strata = np.zeros(data.n_samples, dtype=np.int64)
    train = split.train[mixed_order(strata[split.train], rng)]
    columns = rng.permutation(data.n_features)
    values = []
    for size, stream in zip(plan.sizes, rng.spawn(len(plan.sizes)), strict=True):
        known, task = train[:size], data
        if plan.over is CurveOver.FEATURES:
            known = train
            task = data.with_features(columns_of(data.X, np.sort(columns[:size])))
        part = Split(train=known, test=split.test)
        values.append(_scored(model, task, scorer, part, stream, time_limit))
    return values


def _scored(
    model: Any,
    data: EvaluationData,
    scorer: Scorer,
    split: Split,
    rng: np.random.Generator,
    time_limit: float | None,
) -> float:
    """Fit and score once; NaN where the model failed."""
    metric = scorer.metric
    if metric is None:
        seed = int(rng.integers(_SEEDS))
        refitting = scorer.refitting(model, data)
        return refitting.score(data.y, split, Counter(), seed)
    with_scores = metric.needs is not Needs.LABELS
    said = fit_and_test(
        model, data, split, rng, time_limit=time_limit, with_scores=with_scores
    ).predictions
    can = said is not None and metric.can_measure(said)
    return metric.measure(said) if can and said is not None else math.nan


def mixed_order(strata: NDArray[Any], rng: np.random.Generator) -> IntArray:
    """Order samples at random, every beginning holding the classes in their shares."""
    place = np.empty(strata.size)
    for kind in np.unique(strata):
        members = rng.permutation(np.flatnonzero(strata == kind))
        start = rng.random()
        place[members] = (np.arange(members.size) + start) / members.size
    return np.argsort(place, kind="stable")


def _learned(plan: CurvePlan, splits: Sequence[Split], kept: BoolArray) -> IntArray:
    """Count what every division did learn from, (divisions, sizes)."""
    sizes = np.array(plan.sizes)
    if plan.over is CurveOver.FEATURES or not kept.any():
        return sizes[None]
    there = np.array([split.train.size for split in splits])[kept]
    found: IntArray = np.minimum(sizes, there[:, None])
    return found


def _complete(rows: FloatArray) -> FloatArray:
    """Keep divisions with a value at every size, (sizes, divisions)."""
    kept = rows[np.isfinite(rows).all(axis=1)]
    if kept.shape[0] < 2:
        raise InsufficientDataError(
            f"{kept.shape[0]} of {rows.shape[0]} divisions have a value at every size",
            parameter="sizes",
            remedy="the smallest may be too small for the model",
        )
    return np.ascontiguousarray(kept.T)
