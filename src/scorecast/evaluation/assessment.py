"""What can be promised of models, as data; and what can be asked for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import combinations
from typing import Any, ClassVar, TypeVar

import numpy as np

from scorecast._core.result import DATA, INPUT, OPTION, SHARE, Note, Result, frame_of
from scorecast._core.rounding import steady
from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.evaluation.bias_variance import BiasVariance
from scorecast.evaluation.data import EvaluationData, n_independent
from scorecast.evaluation.data_profile import DataProfile
from scorecast.evaluation.estimates import Estimates
from scorecast.evaluation.feature_selection import FeatureSelectionTest, SelectionBias
from scorecast.evaluation.fitting import FitFailure
from scorecast.evaluation.intervals import (
    NoInterval,
    ScoreInterval,
    corrected_t,
    nadeau_bengio,
    wilson,
)
from scorecast.evaluation.learning_curve import LearningCurve
from scorecast.evaluation.metrics import Task
from scorecast.evaluation.models import GridEdge
from scorecast.evaluation.multiple_testing import adjust_p_values
from scorecast.evaluation.null_tests import NullTests, NullTestSummary
from scorecast.evaluation.splits import Splitter
from scorecast.evaluation.target_ranges import TargetRange

# In a file: 10,000 numbers with all their digits are some 250 kB a metric, and more
# would make it one of samples only. Not rounded: a rank counted again would count
# other ties.
_FEW = {"max_items": 10_000}
R = TypeVar("R")


class AssessmentNote(StrEnum):
    """What the reader of an assessment must know before any number."""

    SPLITS_FAILED = "splits-failed"  # of a model: count of total, and the first reason
    METRIC_NOT_GIVEN = "metric-not-given"  # of a model: the metric, what it needs
    INFINITE_SAMPLES = "infinite-samples"  # of a model: the metric, count of total
    UNDEFINED_SAMPLES = "undefined-samples"  # likewise
    UNDEFINED = "undefined"  # of a model: the metric, for these tests
    TIED_SCORES = "tied-scores"  # of a model: the metric, share of pairs
    SATURATED = "saturated"  # of a model: share of probabilities that are 0 or 1
    NO_CAPACITY = "no-capacity"  # the metrics that have no such bound
    CAPACITY_FAILED = "capacity-failed"  # of a model: why
    NO_DECOMPOSITION = "no-decomposition"  # of a model: why
    NO_CURVE = "no-curve"  # of a model: over what, why
    NO_SELECTION = "no-selection"  # of a model: why
    NO_SELECTION_TEST = "no-selection-test"  # it is tested for classes
    POSTERIOR_ERROR_IS_CLAIMED = "posterior-error-is-claimed"
    RANKS_ACROSS_MODELS = "ranks-across-models"  # the metric
    SINGLETON_CLASS = "singleton-class"  # the classes
    SMALL_CLASSES = "small-classes"  # the classes
    ROW_COUNTER = "row-counter"  # the features
    ROW_IDENTITY = "row-identity"  # the feature
    TWO_VALUED_TARGET = "two-valued-target"
    REPEATED_ROWS = "repeated-rows"  # count
    FEW_SPLITS = "few-splits"  # count, and samples in each
    NO_PROFILE = "no-profile"  # why
    PROFILE_OF_SOME = "profile-of-some"  # features, of all
    POS_LABEL_UNUSED = "pos-label-unused"  # the class
    MEASURES_STABILITY = "measures-stability"  # of biclusters, without a truth


@dataclass(frozen=True, kw_only=True)
class LearningCurves:
    """Which learning curves to make.

    Attributes
    ----------
    samples : bool or sequence of int
        Whether to learn from fewer samples and say how many are needed; or the numbers
        of samples to learn from. Takes 20 fits per size.
    features : bool or sequence of int
        The same over features drawn at random.
    target : float or None
        Score of the first metric that is aimed at: the curve says what reaches it. 0.9
        by default for what is best at 1, and 0.1 for what is best at 0.
    """

    samples: bool | Sequence[int] = True
    features: bool | Sequence[int] = False
    target: float | None = None


@dataclass(frozen=True, kw_only=True)
class Diagnostics:
    """What else to look into.

    Attributes
    ----------
    bias_variance : bool
        Whether to decompose the error; takes 50 bootstrap fits where no sample is
        tested twice.
    data_profile : bool
        Whether to describe the space in which the promise holds.
    n_selected : int or None
        Look into a selection of so many features by their F: what luck would have
        found, and what selecting before the split would add.
    vc_dimension : float, str or None
        VC dimension of the models (one more than the features for hyperplanes), for a
        conservative bound of accuracy or error; or ``"measure"`` it on random labels.
    hypotheses : str or None
        What the models learn, so that it can be counted for a conservative bound of
        accuracy or error: ``"tree:8"``, decision trees of at most eight leaves, or
        ``"decision-list:5"``. Models must keep to it.
    n_resamples : int
        Bootstrap resamples for intervals; 0 leaves that interval out.
    feature_names : tuple of str
        Names of the features; those of a table's columns if none are given.
    """

    bias_variance: bool = True
    data_profile: bool = True
    n_selected: int | None = None
    vc_dimension: float | str | None = None
    hypotheses: str | None = None
    n_resamples: int = 1000
    feature_names: Sequence[str] = field(default=(), metadata=DATA)


@dataclass(frozen=True, kw_only=True)
class ClassRecall:
    """The share of one class that is recognised.

    Attributes
    ----------
    n_samples : int
        Samples of it that were tested.
    n_units : int
        Independent units: groups where samples come in groups, else samples.
    n_effective : float
        How many units the interval counts: fewer than there are where groups differ
        in size.
    estimate, low, high : float
        Share and its interval (Wilson).
    specificity : float
        Share of the samples of all other classes that are not taken for this one.
    specificity_low, specificity_high : float
        Its interval (Wilson).
    """

    n_samples: int
    n_units: int
    n_effective: float
    estimate: float = field(metadata=SHARE)
    low: float = field(default=0.0, metadata=SHARE)
    high: float = field(default=1.0, metadata=SHARE)
    specificity: float = field(default=math.nan, metadata=SHARE)
    specificity_low: float = field(default=math.nan, metadata=SHARE)
    specificity_high: float = field(default=math.nan, metadata=SHARE)

    def interval(self, level: float) -> tuple[float, float]:
        """Return Wilson's interval of the recall, of groups where there are any."""
        return wilson(self.estimate * self.n_effective, self.n_effective, level)


@dataclass(frozen=True, kw_only=True)
class MetricAssessment:
    """One model through one metric.

    Attributes
    ----------
    metric : str
        The metric.
    greater_is_better : bool
        Which way is better.
    pos_label : str or None
        The class it is about, where it is about one.
    estimate : float
        The value.
    low, high : float
        Ends of the recommended interval; NaN where there is none.
    folds : tuple of float
        Value of every split; NaN where it failed or is undefined.
    intervals : tuple of ScoreInterval
        Intervals; one is recommended.
    no_interval : NoInterval or None
        Why none can be quoted.
    is_pooled : bool
        Whether the value is that of all tests together, as splits have none.
    left_out : float
        The value of samples left out alone, where the estimate is weighted against
        samples learned from; else the estimate.
    per_class : dict of str to ClassRecall
        How well each class is recognised, where the metric is about right and wrong.
    n_infinite, n_undefined : int
        Samples whose values are infinite, or undefined.
    tied_share : float
        Share of pairs that ranks cannot put in order; 0 for metrics of no ranks.
    saturated_share : float
        Share of probabilities that are 0 or 1 to the last digit, likewise.
    samples : tuple of float
        Mean value of every sample that was tested, in the order of the model's
        `samples`; empty where the metric is no mean of samples.
    tests : tuple of float
        Value of every test of a sample in a split, in the order of the model's
        `tested` and `tested_in`; empty likewise.
    """

    metric: str
    greater_is_better: bool
    pos_label: str | None = None
    estimate: float
    low: float = math.nan
    high: float = math.nan
    folds: tuple[float, ...]
    intervals: tuple[ScoreInterval, ...]
    no_interval: NoInterval | None = None
    is_pooled: bool = False
    left_out: float = math.nan
    per_class: dict[str, ClassRecall] = field(default_factory=dict)
    n_infinite: int = 0
    n_undefined: int = 0
    tied_share: float = field(default=0.0, metadata=SHARE)
    saturated_share: float = field(default=0.0, metadata=SHARE)
    samples: tuple[float, ...] = field(default=(), metadata=_FEW)
    tests: tuple[float, ...] = field(default=(), metadata=_FEW)

    @property
    def recommended(self) -> ScoreInterval | None:
        """The interval to quote, if there is any."""
        return next((x for x in self.intervals if x.is_recommended), None)

    @property
    def near_end(self) -> float:
        """The worse end of the recommended interval: what may be promised."""
        return self.low if self.greater_is_better else self.high


@dataclass(frozen=True, kw_only=True)
class ModelAssessment:
    """One model.

    Attributes
    ----------
    metrics : dict of str to MetricAssessment
        The first is the one that tests look at; empty if every fit failed.
    null_tests : NullTestSummary or None
        Tests against chance; None if they were not asked for or fits failed.
    bias_variance : dict of str to BiasVariance
        Decompositions; empty if they were not asked for.
    target_ranges : tuple of TargetRange
        Errors over the range of the target, where numbers are predicted.
    curves : dict of str to LearningCurve
        Over samples, over features, as far as they were asked for.
    selection_bias : SelectionBias or None
        What selecting features before the split would add.
    failures : tuple of FitFailure
        Of every split that failed.
    n_tested : int
        Different samples that were tested.
    samples : tuple of int
        Numbers, from 0, of the samples that were tested; empty in files that leave
        them out.
    times_tested : tuple of int
        How often each of them was.
    tested, tested_in : tuple of int
        Of every test, split by split, the numbers of the sample and of the split, from
        0; those of one repeat are together. Empty in files that leave them out.
    chosen : tuple of dict
        Parameters that the model chose itself in every split, as text; empty for one
        that chooses none.
    edges : tuple of GridEdge
        Parameters whose choice was the least or the largest value tried in most splits.
    estimator_warnings : tuple of str
        What the estimator itself warned of.
    """

    metrics: dict[str, MetricAssessment]
    null_tests: NullTestSummary | None = None
    bias_variance: dict[str, BiasVariance] = field(default_factory=dict)
    target_ranges: tuple[TargetRange, ...] = ()
    curves: dict[str, LearningCurve] = field(default_factory=dict)
    selection_bias: SelectionBias | None = None
    failures: tuple[FitFailure, ...] = ()
    n_tested: int = 0
    samples: tuple[int, ...] = field(default=(), metadata=_FEW)
    times_tested: tuple[int, ...] = field(default=(), metadata=_FEW)
    tested: tuple[int, ...] = field(default=(), metadata=_FEW)
    tested_in: tuple[int, ...] = field(default=(), metadata=_FEW)
    chosen: tuple[dict[str, str], ...] = ()
    edges: tuple[GridEdge, ...] = ()
    estimator_warnings: tuple[str, ...] = ()

    @property
    def main(self) -> MetricAssessment:
        """The first metric, which tests and verdict look at."""
        return next(iter(self.metrics.values()))


@dataclass(frozen=True, kw_only=True)
class ModelComparison:
    """Two models on the same folds.

    Attributes
    ----------
    a, b : str
        The models.
    metric : str
        The metric.
    difference : float
        Value of `a` less that of `b`.
    low, high : float
        Its interval, corrected for overlap; NaN where p is.
    p_value : float
        Two-sided, of the corrected resampled t-test; NaN where all differences are the
        same, 0 among them: their spread cannot be seen, and nothing is claimed.
    p_adjusted : float
        The same after Holm, for all pairs.
    """

    a: str
    b: str
    metric: str
    difference: float
    low: float
    high: float
    p_value: float = field(metadata=SHARE)
    p_adjusted: float = field(metadata=SHARE)

    @property
    def is_same(self) -> bool:
        """Whether no fold tells the two apart: no difference is observable."""
        return self.difference == 0 and math.isnan(self.p_value)


@dataclass(frozen=True, kw_only=True, repr=False)
class _OfModels(Result):
    """What assessments of models and of estimates have in common."""

    models: dict[str, ModelAssessment]
    comparisons: tuple[ModelComparison, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def assessed(self) -> dict[str, ModelAssessment]:
        """The models that could be fitted."""
        return {name: model for name, model in self.models.items() if model.metrics}

    @property
    def best(self) -> str:
        """The model with the best estimate of the first metric."""
        known = self.assessed
        is_greater = next(iter(known.values())).main.greater_is_better

        def badness(name: str) -> float:
            value = known[name].main.estimate
            value = -value if is_greater else value
            return math.inf if math.isnan(value) else value

        return min(known, key=badness)

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per model, metric and interval."""
        rows = [
            (name, x.metric, x.estimate, i.method, i.low, i.high, i.is_recommended)
            for name, model in self.models.items()
            for x in model.metrics.values()
            for i in x.intervals
        ]
        names = (
            "model",
            "metric",
            "estimate",
            "interval",
            "low",
            "high",
            "is_recommended",
        )
        return {name: [row[i] for row in rows] for i, name in enumerate(names)}

    def gate(self) -> tuple[str, float]:
        """Return the model whose promise is best, and the worse end of its interval.

        Of the first metric; what is held against a threshold. NaN where no model has
        an interval.
        """
        first = self.models[self.best].main
        ends = {
            name: model.main.near_end
            for name, model in self.assessed.items()
            if model.main.metric == first.metric
        }
        known = {name: end for name, end in ends.items() if not math.isnan(end)}
        if not known:
            return self.best, math.nan
        name = (max if first.greater_is_better else min)(known, key=lambda x: known[x])
        return name, known[name]


@dataclass(frozen=True, kw_only=True, repr=False)
class Assessment(_OfModels):
    """What can be promised about models learned from these data.

    Attributes
    ----------
    models : dict of str to ModelAssessment
        By name.
    comparisons : tuple of ModelComparison
        Every pair of models on the same folds, through the first metric.
    data_profile : DataProfile or None
        In what kind of space the promise holds.
    feature_selection : FeatureSelectionTest or None
        The features that tell classes apart best, and what luck would have found.
    notes : tuple of Note
        What the reader must know; codes of `AssessmentNote`.
    n_samples, n_features : int
        Size of the data.
    class_counts : dict of str to int
        Samples of every class; empty for numbers.
    n_groups : int or None
        Groups of samples; None without.
    task : Task
        What is predicted.
    are_costs_by_name : bool or None
        Whether costs, read from a file, had names of classes; None without.
    splitter : Splitter
        How samples were split.
    n_splits : int
        Number of splits.
    n_train, n_test : float
        Mean sizes of both sides of a split.
    tests : NullTests or None
        How scores were held against chance; None if they were not.
    diagnostics : Diagnostics
        What else was looked into.
    confidence_level : float
        Level of intervals.
    pos_label : str or None
        Class that was named as positive.
    seed : int or None
        The random state, where it was a number.
    """

    kind: ClassVar[str] = "assessment"

    data_profile: DataProfile | None = None
    feature_selection: FeatureSelectionTest | None = None
    n_samples: int = field(metadata=INPUT)
    n_features: int = field(metadata=INPUT)
    class_counts: dict[str, int] = field(metadata=INPUT)
    n_groups: int | None = field(metadata=INPUT)
    task: Task = field(metadata=INPUT)
    are_costs_by_name: bool | None = field(default=None, metadata=INPUT)
    splitter: Splitter = field(metadata=OPTION)
    n_splits: int = field(metadata=OPTION)
    n_train: float = field(metadata=OPTION)
    n_test: float = field(metadata=OPTION)
    tests: NullTests | None = field(metadata=OPTION)
    diagnostics: Diagnostics = field(metadata=OPTION)
    confidence_level: float = field(metadata=OPTION | SHARE)
    pos_label: str | None = field(metadata=OPTION)
    seed: int | None = field(metadata=OPTION)

    @property
    def is_quick(self) -> bool:
        """Whether it is a quick look: scores and their intervals only."""
        asked = self.diagnostics
        is_bare = not (asked.bias_variance or asked.data_profile or asked.n_resamples)
        return self.tests is None and is_bare

    def sample_columns(self) -> dict[str, list[Any]]:
        """Return one row per model and tested sample: how often, and its mean values.

        Samples are numbered from 0. A metric that is no mean of samples, such as AUC,
        has no column; one that a model does not give is NaN.
        """
        facts = {"sample": "samples", "times_tested": "times_tested"}
        return _long_columns(self.models, facts, "samples")

    def sample_frame(self) -> Any:
        """Return `sample_columns` as a pandas DataFrame."""
        return frame_of(self.sample_columns())

    def test_columns(self) -> dict[str, list[Any]]:
        """Return one row per model, split and sample tested in it: its values.

        Splits and samples are numbered from 0, and splits of one repeat are together.
        Columns are as of `sample_columns`, whose values are means of these.
        """
        facts = {"split": "tested_in", "sample": "tested"}
        return _long_columns(self.models, facts, "tests")

    def test_frame(self) -> Any:
        """Return `test_columns` as a pandas DataFrame."""
        return frame_of(self.test_columns())


def _long_columns(
    models: Mapping[str, ModelAssessment], facts: Mapping[str, str], values: str
) -> dict[str, list[Any]]:
    """Put facts of models, by their columns, beside values of their metrics."""
    metrics = dict.fromkeys(
        x.metric
        for m in models.values()
        for x in m.metrics.values()
        if getattr(x, values)
    )
    found: dict[str, list[Any]] = {"model": []}
    found |= {name: [] for name in (*facts, *metrics)}
    for model_name, model in models.items():
        count = len(getattr(model, next(iter(facts.values()))))
        found["model"] += [model_name] * count
        for column, fact in facts.items():
            found[column] += getattr(model, fact)
        given = {x.metric: getattr(x, values) for x in model.metrics.values()}
        for name in metrics:
            found[name] += given.get(name) or (math.nan,) * count
    return found


# Class by class -------------------------------------------------------------------


def class_recalls(estimates: Estimates, level: float) -> dict[str, ClassRecall]:
    """Measure the recall of every class over all tests.

    Parameters
    ----------
    estimates : Estimates
        The tests.
    level : float
        Level of every interval by itself.

    Returns
    -------
    dict of str to ClassRecall
        In the order of the classes; empty for numbers, and without classes that were
        never tested.
    """
    data = estimates.data
    if not data.is_classification:
        return {}
    pooled, rows = estimates.pooled(), estimates.tested()
    right = pooled.truth == pooled.predicted
    found = {}
    for code, label in enumerate(data.classes):
        own = pooled.truth == code
        if not own.any():
            continue
        n, units, effective = _count_units(data, rows[own])
        recall = ClassRecall(
            n_samples=n,
            n_units=units,
            n_effective=effective,
            estimate=_mean_of_samples(right[own], rows[own]),
        )
        low, high = recall.interval(level)
        recall = replace(recall, low=low, high=high)
        if not own.all():
            share = _mean_of_samples((pooled.predicted != code)[~own], rows[~own])
            n_others = _count_units(data, rows[~own])[2]
            low, high = wilson(share * n_others, n_others, level)
            recall = replace(
                recall, specificity=share, specificity_low=low, specificity_high=high
            )
        found[str(label)] = recall
    return found


def _count_units(data: EvaluationData, rows: IntArray) -> tuple[int, int, float]:
    """Count samples, independent units among them, and what these count in the mean."""
    samples = np.unique(rows)
    n = samples.size
    if data.groups is None:
        return n, n, float(n)
    groups = data.groups[samples]
    return n, np.unique(groups).size, n_independent(groups, n)


def _mean_of_samples(right: BoolArray, rows: IntArray) -> float:
    """Average over tests of a sample, then over samples."""
    sample = np.unique(rows, return_inverse=True)[1]
    times = np.bincount(sample)
    return float((np.bincount(sample, weights=right) / times).mean())


def across_classes(recalls: Mapping[str, ClassRecall], level: float) -> ScoreInterval:
    """Bound the mean recall by those of all classes at once (Bonferroni).

    Parameters
    ----------
    recalls : mapping of str to ClassRecall
        Of every class.
    level : float
        Level of the bound; every class gets an equal part of what may go wrong.

    Returns
    -------
    ScoreInterval
        For the balanced accuracy.
    """
    each = 1 - (1 - level) / len(recalls)
    low, high = np.mean([row.interval(each) for row in recalls.values()], axis=0)
    return ScoreInterval(
        method="across-classes",
        low=float(low),
        high=float(high),
        of_groups=any(row.n_units < row.n_samples for row in recalls.values()),
    )


# Model against model --------------------------------------------------------------


def compare_models(
    folds: Mapping[str, FloatArray], metric: str, test_ratio: float, level: float
) -> tuple[ModelComparison, ...]:
    """Compare every pair of models by the corrected resampled t-test, after Holm.

    Parameters
    ----------
    folds : mapping of str to ndarray
        Values of the folds of every model, the same folds for all.
    metric : str
        The metric.
    test_ratio : float
        Samples tested per sample learned from.
    level : float
        Level of the intervals.

    Returns
    -------
    tuple of ModelComparison
        One per pair.
    """
    rows = []
    for a, b in combinations(folds, 2):
        if np.isinf(folds[a]).any() or np.isinf(folds[b]).any():
            continue  # without these folds the worst would be left out
        gaps = _gaps(folds[a], folds[b])
        if gaps.size >= 2:
            # Without a spread nothing is claimed: no interval of no width, no p of 1.
            p = corrected_t(gaps, test_ratio)[1] if gaps.any() else math.nan
            ends = (math.nan, math.nan)
            if not math.isnan(p):
                ends = nadeau_bengio(gaps, level, test_ratio)
            rows.append((a, b, float(gaps.mean()), *ends, p))
    adjusted = adjust_p_values([row[5] for row in rows]).tolist()
    return tuple(
        ModelComparison(
            a=a,
            b=b,
            metric=metric,
            difference=gap,
            low=low,
            high=high,
            p_value=p,
            p_adjusted=q,
        )
        for (a, b, gap, low, high, p), q in zip(rows, adjusted, strict=True)
    )


def _gaps(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the known differences, without what only rounding made."""
    known = np.isfinite(first) & np.isfinite(second)
    first, second = first[known], second[known]
    return steady(first - second, np.maximum(np.abs(first), np.abs(second)))
