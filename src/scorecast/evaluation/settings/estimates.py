"""One model in one setting, never surer than its samples allow."""

from __future__ import annotations

import hashlib
import math
import numbers
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy  # its parts load when first used

from scorecast._core.codec import decode, encode
from scorecast._core.identity import identity_of
from scorecast._core.parallel import Run
from scorecast._core.progress import stage, stages
from scorecast._core.types import FloatArray
from scorecast._version import __version__
from scorecast.evaluation.assessment import ClassRecall
from scorecast.evaluation.data import check_data
from scorecast.evaluation.estimates import Estimates, MetricSample, collect_estimates
from scorecast.evaluation.fitting import FitFailure
from scorecast.evaluation.intervals import (
    NoInterval,
    jackknife_error,
    score_intervals,
    why_no_interval,
    wilson,
)
from scorecast.evaluation.intervals.areas import fold_area_interval
from scorecast.evaluation.metrics import Metric, Needs, Task, metrics_for
from scorecast.evaluation.settings.collected import (
    Asked,
    Collected,
    SettingParts,
    SettingRecall,
    SettingTest,
    collected,
    setting_parts,
    setting_recalls,
    setting_tests,
)
from scorecast.evaluation.settings.design import Setting, Variations, pair_of
from scorecast.evaluation.splits import check_pairs, draw_splits
from scorecast.exceptions import (
    InsufficientDataError,
    Location,
    ScorecastError,
    UsageError,
)

_CHECKPOINT = 3  # version of what is kept of a data set
_LEVEL = 0.95  # of an interval that is only turned back into an error
DataSource = Callable[..., Any] | Mapping[str, Any]


# What one data set gives -----------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class DatasetScores:
    """What one model scored on one data set.

    Attributes
    ----------
    estimate, low, high : float
        Value of the metric and its interval to quote; NaN if every fit failed.
    df : float
        Degrees of freedom of the interval: of folds or of samples, whichever it rests
        on.
    folds : tuple of float
        Value of every split; NaN where it failed.
    test_ratio : float
        Samples tested per sample learned from.
    n_samples, n_features : int
        Sizes.
    failure : FitFailure or None
        Why a fit failed, if one did.
    needs : Needs or None
        What the metric needs of a model, where the model does not give it.
    no_interval : NoInterval or None
        Why there is no interval to quote.
    n_classes : int
        Classes, which some metrics reach as far as; 0 for numbers.
    units : float
        Independent samples that the value rests on.
    sample_error : float
        Standard error from them alone; NaN if it follows from their number.
    collected : Collected
        What else was looked at.
    """

    estimate: float = math.nan
    low: float = math.nan
    high: float = math.nan
    df: float = math.nan
    folds: tuple[float, ...]
    test_ratio: float
    n_samples: int
    n_features: int
    failure: FitFailure | None = None
    needs: Needs | None = None
    no_interval: NoInterval | None = None
    n_classes: int = 0
    units: float = 1.0
    sample_error: float = math.nan
    collected: Collected = field(default_factory=Collected)


@dataclass(frozen=True, kw_only=True, eq=False)
class SettingsRun:
    """What is fitted to what.

    Attributes
    ----------
    models : mapping of str to estimator
        The models.
    data : callable
        What makes the data of a setting.
    task : Task
        What is predicted.
    cv : object
        How samples are split, unless a setting says so.
    metrics : sequence of Metric
        That of every setting.
    confidence_level : float
        Level of intervals.
    time_limit : float or None
        Seconds that one fit may take.
    asked : Asked
        What is collected beside estimates.
    """

    models: Mapping[str, Any]
    data: Callable[..., Any]
    task: Task
    cv: Any
    metrics: Sequence[Metric]
    confidence_level: float
    time_limit: float | None
    asked: Asked = field(default_factory=Asked)

    def fingerprint(self, settings: Sequence[Setting], options: Any) -> str:
        """Return what tells one run from another.

        What a function makes is known by its name and the settings only.
        """
        names = sorted({metric.name for metric in self.metrics})
        tested = (self.task, repr(self.cv), names)
        said = (__version__, _CHECKPOINT, tested, options, self.asked)
        digest = hashlib.sha256(repr(said).encode())
        for name, model in self.models.items():
            digest.update(f"{name} {identity_of(model)}".encode())
        for setting in settings:
            digest.update(setting.name.encode())
        if isinstance(self.data, Variations):
            for name, entry in self.data.sources.items():
                X, y = pair_of(entry)
                digest.update(f"{name} {np.shape(X)}".encode())
                digest.update(np.ascontiguousarray(X).tobytes())
                digest.update(repr(np.asarray(y).tolist()).encode())
        else:
            digest.update(_name_of(self.data).encode())
        return digest.hexdigest()


def _name_of(source: Any) -> str:
    if isinstance(source, partial):
        return f"{_name_of(source.func)} {source.args!r} {source.keywords!r}"
    return str(getattr(source, "__qualname__", type(source)))


@dataclass(frozen=True, kw_only=True)
class _Task:
    """One data set of one setting."""

    setting: Setting
    seed: int


def collect_scores(
    plan: SettingsRun,
    settings: Sequence[Setting],
    *,
    n_datasets: int,
    rng: np.random.Generator,
    run: Run,
) -> list[list[dict[str, DatasetScores]]]:
    """Score every model in every setting.

    Parameters
    ----------
    plan : SettingsRun
        Models, data and how to test.
    settings : sequence of Setting
        The settings.
    n_datasets : int
        Data sets to make in each.
    rng : numpy.random.Generator
        Seed of data, folds and fits.
    run : Run
        Workers and checkpoint.

    Returns
    -------
    list of list of dict
        By setting, by data set, by model.
    """
    # Settings that only split, score or parametrise differently see the same data.
    seeds: dict[str, list[int]] = {}
    for setting in settings:
        if setting.data_name not in seeds:
            seeds[setting.data_name] = rng.integers(2**31, size=n_datasets).tolist()
    tasks = [
        _Task(setting=setting, seed=seed)
        for setting in settings
        for seed in seeds[setting.data_name]
    ]
    found = run.map(
        partial(_one_task, plan),
        tasks,
        part="settings",
        rng=rng,
        what="settings",
        encode=encode,
        decode=partial(decode, kind=dict[str, DatasetScores]),
        sizes=[_size_of(plan.data, task.setting) for task in tasks],
    )
    return [found[i : i + n_datasets] for i in range(0, len(found), n_datasets)]


def _one_task(
    plan: SettingsRun, task: _Task, rng: np.random.Generator
) -> dict[str, DatasetScores]:
    """Make one data set, fit and test every model."""
    setting = task.setting
    with _in_setting(plan, setting):
        X, y, groups = _data_of(plan.data, task)
        data = check_data(X, y, task=plan.task, groups=groups)
        # Settings with the same data are split alike, so that they can be compared.
        for_plan = np.random.default_rng(task.seed)
        splits = draw_splits(setting.value("cv", plan.cv), data, for_plan)
        metric = plan.metrics[setting.number]
        check_pairs(splits, data, [metric])
    metric = metrics_for([metric], data.n_classes)[0]
    streams = dict(zip(plan.models, rng.spawn(len(plan.models)), strict=True))
    run = Run(n_jobs=1, time_limit=plan.time_limit)
    found = {}
    with stages(dict.fromkeys(plan.models, 1.0)):
        for name, model in plan.models.items():
            parameters = setting.parameters(name)
            chosen = _cloned(name, model, parameters) if parameters else model
            with stage(name):
                estimates = collect_estimates(
                    chosen,
                    data,
                    splits,
                    rng=streams[name],
                    run=run,
                    what=setting.name,
                )
                level = plan.confidence_level
                scores = _scores_of(estimates, metric, level, streams[name])
                if plan.asked.names and not estimates.is_empty:
                    scores = replace(
                        scores,
                        collected=collected(
                            chosen,
                            estimates,
                            metric,
                            plan.asked,
                            level=level,
                            run=run,
                            rng=streams[name],
                        ),
                    )
            found[name] = scores
    return found


@contextmanager
def _in_setting(plan: SettingsRun, setting: Setting) -> Iterator[None]:
    """Name the data set and the setting, which who refuses data cannot know."""
    try:
        yield
    except ScorecastError as error:
        name = setting.name
        if isinstance(plan.data, Variations) and "data" not in setting.of_data:
            name = f"data {plan.data.first}, {name}"
        raise error.located(Location(setting=name)) from error


def _data_of(source: Callable[..., Any], task: _Task) -> tuple[Any, Any, Any]:
    """Make the data of a setting, and what must not be split of those that say so."""
    try:
        made = source(**task.setting.of_data, random_state=task.seed)
    except TypeError as error:
        problem = f"cannot be called so: {error}"
        raise UsageError(problem, parameter="data") from error
    return *pair_of(made), getattr(made, "groups", None)


def _cloned(name: str, model: Any, parameters: Mapping[str, Any]) -> Any:
    """Return a copy of a model with the parameters of a setting."""
    from sklearn.base import clone

    try:
        return clone(model).set_params(**parameters)
    except ValueError as error:
        problem = f"model {name!r} has no parameter {', '.join(parameters)}"
        raise UsageError(problem, parameter="factors") from error


def _size_of(source: Callable[..., Any], setting: Setting) -> float:
    """Return numbers in the data of a setting, as far as it says so.

    Only ratios matter: what no setting says is the same in all of them.
    """
    values = setting.of_data
    shape: tuple[int, ...] = ()
    if isinstance(source, Variations):
        name = values.get("data", source.first)
        shape = np.shape(pair_of(source.sources[name])[0])
    usual = shape if len(shape) == 2 else (1, 1)
    names = ("n_samples", "n_features")
    sides = (values.get(name, side) for name, side in zip(names, usual, strict=True))
    known = [float(x) for x in sides if isinstance(x, numbers.Real)]
    return math.prod(side for side in known if side > 0)


def _scores_of(
    estimates: Estimates, metric: Metric, level: float, rng: np.random.Generator
) -> DatasetScores:
    """Keep of the tests of a model what settings are judged by."""
    data, plan = estimates.data, estimates.plan
    scores = DatasetScores(
        folds=(math.nan,) * len(plan.splits),
        test_ratio=plan.test_ratio,
        n_samples=data.n_samples,
        n_features=data.n_features,
        n_classes=data.n_classes,
        failure=estimates.failures[0] if estimates.failures else None,
    )
    if estimates.is_empty:
        return scores
    if not estimates.can_measure(metric):
        return replace(scores, needs=metric.needs)
    sample = estimates.measure(metric)
    found = score_intervals(estimates, sample, level=level, rng=rng, n_resamples=0)
    quoted = next((one for one in found if one.is_recommended), None)
    by_folds = quoted is not None and quoted.method == "nadeau-bengio"
    units = sample.known_folds.size if by_folds else sample.n_units
    return replace(
        scores,
        df=float(max(units - 1, 1)),
        estimate=sample.estimate,
        low=math.nan if quoted is None else quoted.low,
        high=math.nan if quoted is None else quoted.high,
        units=float(sample.n_judged),
        sample_error=_sample_error(estimates, sample),
        folds=tuple(sample.folds.tolist()),
        no_interval=why_no_interval(sample),
    )


# What a setting gives --------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class SettingEstimate:
    """One model in one setting.

    Attributes
    ----------
    setting : int
        Number of the setting, from zero.
    factors : dict of str to value
        Its factors and their values; text for what is neither number nor text.
    data : int
        The same number for settings with the same data.
    model, scoring : str
        Who, and by which metric.
    greater_is_better : bool
        Which way is better.
    estimate, low, high : float
        Value and interval; NaN if every fit failed.
    stderr, df : float
        Standard error that the interval stands for, and its degrees of freedom.
    datasets : tuple of tuple of float
        Values of folds, data set by data set.
    test_ratio : float
        Samples tested per sample learned from.
    n_samples, n_features : int
        Sizes.
    limits : tuple of float
        Least and greatest value of the metric.
    sample_error : float
        Standard error from the number of samples alone, below which nothing is known,
        however well data sets agree.
    failure : FitFailure or None
        Why a fit failed, if one did.
    needs : Needs or None
        What the metric needs of a model, where the model does not give it.
    no_interval : NoInterval or None
        Why there is no interval to quote.
    null_tests : dict of str to SettingTest
        By null setting (`"permuted"`, names of null models, `"null-data"`,
        `"density"`), if collected.
    bias_variance : dict of str to SettingParts
        By decomposition, if collected.
    per_class : dict of str to SettingRecall
        By class, if collected.
    """

    setting: int
    factors: dict[str, Any]
    data: int
    model: str
    scoring: str
    greater_is_better: bool
    estimate: float
    low: float
    high: float
    stderr: float
    df: float
    datasets: tuple[tuple[float, ...], ...]
    test_ratio: float
    n_samples: int
    n_features: int
    limits: tuple[float, float] = (-math.inf, math.inf)
    sample_error: float
    failure: FitFailure | None = None
    needs: Needs | None = None
    no_interval: NoInterval | None = None
    null_tests: dict[str, SettingTest] = field(default_factory=dict)
    bias_variance: dict[str, SettingParts] = field(default_factory=dict)
    per_class: dict[str, SettingRecall] = field(default_factory=dict)

    @property
    def is_known(self) -> bool:
        """Whether there is an estimate with an interval."""
        return all(math.isfinite(x) for x in (self.estimate, self.stderr))

    @property
    def is_whole(self) -> bool:
        """Whether every fit worked, and the metric could be measured and bounded."""
        return self.failure is None and self.needs is None and self.no_interval is None

    @property
    def folds(self) -> FloatArray:
        """All values that are numbers: the collection of estimates."""
        every = np.array([x for one in self.datasets for x in one], dtype=np.float64)
        return every[np.isfinite(every)]

    def within(self, low: float, high: float) -> tuple[float, float]:
        """Cut an interval to what the metric can be."""
        return max(low, self.limits[0]), min(high, self.limits[1])


@dataclass(frozen=True, kw_only=True)
class SettingFacts:
    """What is known of a setting before anything is fitted."""

    setting: int = 0
    factors: dict[str, Any] = field(default_factory=dict)
    data: int = 0
    model: str = ""
    metric: Metric


def setting_estimate(
    scores: Sequence[DatasetScores],
    facts: SettingFacts,
    *,
    confidence_level: float,
    shares_samples: bool = False,
) -> SettingEstimate:
    """Put the data sets of a setting together.

    Parameters
    ----------
    scores : sequence of DatasetScores
        One per data set.
    facts : SettingFacts
        What is known of the setting.
    confidence_level : float
        Level of the interval.
    shares_samples : bool, default=False
        Whether they were drawn from the same samples.

    Returns
    -------
    SettingEstimate
        Of one data set its interval to quote; of several Student's over their
        estimates, if these are independent, or that of all their samples where it is
        wider. Drawn from the same samples they are not: then the mean has the interval
        of one of them.
    """
    several = [one.collected for one in scores]
    if shares_samples:
        scores = [_merged(scores)]
    # Some metrics reach as far as there are classes, whichever set has the most.
    n_classes = max(one.n_classes for one in scores)
    metric = metrics_for([facts.metric], n_classes)[0]
    limits = (metric.low, metric.high)
    known = [one for one in scores if math.isfinite(one.estimate)]
    found = _interval(known, limits, confidence_level)
    first = scores[0]
    whole = SettingEstimate(
        setting=facts.setting,
        factors=facts.factors,
        data=facts.data,
        model=facts.model,
        scoring=metric.name,
        greater_is_better=metric.greater_is_better,
        estimate=found.estimate,
        low=found.low,
        high=found.high,
        stderr=found.stderr,
        df=found.df,
        datasets=tuple(one.folds for one in scores),
        test_ratio=first.test_ratio,
        n_samples=first.n_samples,
        n_features=first.n_features,
        limits=limits,
        sample_error=found.sample_error,
        failure=next((x.failure for x in scores if x.failure), None),
        needs=next((x.needs for x in scores if x.needs), None),
        no_interval=next((x.no_interval for x in scores if x.no_interval), None),
        null_tests=setting_tests(several),
        bias_variance=setting_parts(several, shares_samples=shares_samples),
        per_class=setting_recalls(
            several,
            lambda recalls: _recall_span(recalls, confidence_level, shares_samples),
        ),
    )
    low, high = whole.within(whole.low, whole.high)
    return replace(whole, low=low, high=high)


def _recall_span(
    recalls: Sequence[ClassRecall], level: float, shares_samples: bool
) -> tuple[float, float]:
    """Bound the mean recall of a class, as estimates of data sets are bounded."""
    scores = [
        DatasetScores(
            estimate=one.estimate,
            low=one.low,
            high=one.high,
            df=max(one.n_effective - 1, 1.0),
            folds=(),
            test_ratio=0.0,
            n_samples=one.n_samples,
            n_features=0,
            units=one.n_effective,
        )
        for one in recalls
    ]
    if shares_samples:
        scores = [_merged(scores)]
    found = _interval(scores, (0.0, 1.0), level)
    return found.low, found.high


class _Interval(NamedTuple):
    """Value, ends, standard errors and degrees of freedom."""

    estimate: float = math.nan
    low: float = math.nan
    high: float = math.nan
    stderr: float = math.nan
    df: float = math.nan
    sample_error: float = math.nan


def _interval(
    known: Sequence[DatasetScores], limits: tuple[float, float], level: float
) -> _Interval:
    """Bound the mean of data sets."""
    if not known:
        return _Interval()
    floor = sample_floor(known, limits, level)
    tail = 0.5 + level / 2
    if len(known) == 1:
        only = known[0]
        # An interval at the end of the scale has one side only: the longer counts.
        half = max(only.high - only.estimate, only.estimate - only.low)
        error = half / float(scipy.special.stdtrit(only.df, tail))
        least = min(error, floor.error)
        return _Interval(only.estimate, only.low, only.high, error, only.df, least)
    values = np.array([one.estimate for one in known])
    middle, df = float(values.mean()), float(values.size - 1)
    error = float(values.std(ddof=1)) / math.sqrt(values.size)
    half = float(scipy.special.stdtrit(df, tail)) * error
    low, high = middle - half, middle + half
    if floor.high - floor.low <= min(high, limits[1]) - max(low, limits[0]):
        return _Interval(middle, low, high, error, df, floor.error)
    # Data sets that agree more than samples drawn at random would, do so by luck.
    return _Interval(middle, floor.low, floor.high, floor.error, floor.df, floor.error)


def _merged(scores: Sequence[DatasetScores]) -> DatasetScores:
    """Put draws of the same samples together, as repeated splits of them are."""
    known = [one for one in scores if math.isfinite(one.estimate)]
    means: dict[str, Any] = {
        name: float(np.mean([getattr(one, name) for one in known]))
        for name in ("estimate", "low", "high", "df", "units", "sample_error")
        if known
    }
    return replace(
        scores[0],
        **means,
        folds=tuple(x for one in scores for x in one.folds),
        failure=next((x.failure for x in scores if x.failure), None),
        needs=next((x.needs for x in scores if x.needs), None),
        no_interval=next((x.no_interval for x in scores if x.no_interval), None),
    )


def refuse_nothing(found: Sequence[SettingEstimate]) -> None:
    """Refuse an answer without a single estimate."""
    if any(row.is_known for row in found):
        return
    reasons = [str(row.failure) for row in found if row.failure]
    reasons += [f"{row.scoring} needs {row.needs}" for row in found if row.needs]
    why = f": {reasons[0]}" if reasons else ""
    problem = f"no model has an estimate with an interval in any setting{why}"
    raise InsufficientDataError(problem, parameter="estimator")


# The error that the number of samples leaves, however well data sets agree ---------


class SampleFloor(NamedTuple):
    """Interval of several data sets, from their samples alone."""

    low: float
    high: float
    error: float
    df: float


def _sample_error(estimates: Estimates, sample: MetricSample) -> float:
    """Return the standard error of one data set, from its samples alone.

    0 where all samples are alike; NaN for a share of samples, whose error follows from
    their number.
    """
    metric = sample.metric
    if metric.is_binary or metric.name == "posterior_error":
        return math.nan
    if metric.task is Task.CLASSIFICATION:
        if metric.name == "roc_auc":
            low, high = fold_area_interval(estimates, _LEVEL)
            if math.isfinite(high - low):
                return (high - low) / 2 / float(scipy.special.ndtri(0.5 + _LEVEL / 2))
        found = jackknife_error(estimates, sample)
        if found is not None:
            return found
    values = sample.known_folds if sample.samples is None else sample.samples
    if values.size < 2 or np.ptp(values) == 0:
        return 0.0
    return float(np.std(values, ddof=1)) / math.sqrt(values.size)


def sample_floor(
    datasets: Sequence[DatasetScores], limits: tuple[float, float], level: float
) -> SampleFloor:
    """Bound the mean of data sets by the number of their samples.

    A few data sets may score alike by luck; their spread then says nothing.

    Parameters
    ----------
    datasets : sequence of DatasetScores
        Independent data sets.
    limits : tuple of float
        Least and greatest value of the metric.
    level : float
        Level of the interval.

    Returns
    -------
    SampleFloor
        Wilson's for shares, and where all samples are alike; else Student's of what
        each sample adds. Without an end for metrics that have none.
    """
    middle = float(np.mean([one.estimate for one in datasets]))
    errors = np.array([one.sample_error for one in datasets])
    units = sum(one.units for one in datasets)
    tail = 0.5 + level / 2
    if errors.any() and np.isfinite(errors).all():
        df = max(units - len(datasets), 1.0)
        error = float(np.sqrt((errors**2).sum())) / len(datasets)
        half = float(scipy.special.stdtrit(df, tail)) * error
        return SampleFloor(middle - half, middle + half, error, df)
    low, high = limits
    df = max(units - 1, 1.0)
    if not math.isfinite(high - low):
        return SampleFloor(low, high, math.inf, df)
    share = float(np.clip((middle - low) / (high - low), 0, 1))
    ends = [low + (high - low) * end for end in wilson(share * units, units, level)]
    # An interval at the end of the scale has one side only: the longer counts.
    half = max(ends[1] - middle, middle - ends[0])
    error = half / float(scipy.special.stdtrit(df, tail))
    return SampleFloor(ends[0], ends[1], error, df)
