"""From models and data to what can be promised."""

from __future__ import annotations

import hashlib
import math
import numbers
import os
import re
import time
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np

from scorecast._core.checks import (
    check_count,
    check_flag,
    check_n_jobs,
    check_positive,
    check_share,
    check_times,
)
from scorecast._core.identity import identity_of
from scorecast._core.keywords import checked_keywords
from scorecast._core.parallel import Run
from scorecast._core.progress import revise, say_unless_over, stage, stages
from scorecast._core.records import Record
from scorecast._core.result import Note
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, RandomState
from scorecast._version import __version__
from scorecast.evaluation.assessment import (
    Assessment,
    AssessmentNote,
    ClassRecall,
    Diagnostics,
    LearningCurves,
    MetricAssessment,
    ModelAssessment,
    across_classes,
    class_recalls,
    compare_models,
)
from scorecast.evaluation.bias_variance import (
    N_EXTRA_FITS,
    BiasVariance,
    decompose_errors,
)
from scorecast.evaluation.data import (
    EvaluationData,
    check_data,
    is_table,
    number_names,
    numbers_of,
)
from scorecast.evaluation.data_profile import DataProfile, data_profile
from scorecast.evaluation.estimates import Estimates, collect_estimates
from scorecast.evaluation.feature_selection import (
    FeatureSelectionTest,
    SelectionBias,
    check_feature_names,
    feature_selection_test,
    model_selection_bias,
)
from scorecast.evaluation.fitting import FailureKind, check_missing
from scorecast.evaluation.intervals import (
    NoInterval,
    ScoreInterval,
    can_be_bounded,
    capacity_intervals,
    check_hypotheses,
    check_vc_dimension,
    hypothesis_intervals,
    score_intervals,
    why_no_interval,
)
from scorecast.evaluation.learning_curve import (
    CurveOver,
    CurvePlan,
    LearningCurve,
    default_target,
    measure_curve,
    plan_curve,
)
from scorecast.evaluation.metrics import (
    Metric,
    Needs,
    check_scoring,
    find_pos_label,
    metrics_for,
)
from scorecast.evaluation.models import check_estimators, grid_edges, task_of
from scorecast.evaluation.null_tests import NullTests, run_null_tests
from scorecast.evaluation.permutation import Scorer, movable, permutation_effort
from scorecast.evaluation.splits import (
    SplitPlan,
    check_pairs,
    draw_splits,
    usual_scoring,
)
from scorecast.evaluation.target_ranges import target_ranges
from scorecast.exceptions import (
    FitFailedError,
    InsufficientDataError,
    InvalidInputError,
    ScorecastError,
    UsageError,
)

_LUCK = 1000  # permutations of one statistic per feature: quick
_MANY_TIES = 0.1  # of pairs: below, ties hardly move an area
_SCORES, _SPACE = "scores", "space of the features"
_PARTS = ("permuted data", "null data", "bias and variance", "outlook")
# Metrics about right and wrong, beside which every class is shown.
_ABOUT_RIGHT = (
    "accuracy",
    "error_rate",
    "balanced_accuracy",
    "sensitivity",
    "specificity",
    "f1",
    "matthews_corrcoef",
)
_IDENTITY = re.compile(r"(^|[_ .-])(id|ID|Id|key|index|uuid)$")
_FEW_SAMPLES = 4  # of a class: below, the interval of its recall is most of 0 to 1
_MIN_ROWS = 5  # three numbers in order are no counter yet
_FEW_SPLITS = 5


@checked_keywords
def assess(
    estimator: Any,
    X: Any,
    y: Iterable[Any],
    *,
    cv: Any = 10,
    scoring: str | Metric | Sequence[str | Metric] | None = None,
    groups: Iterable[Hashable] | None = None,
    pos_label: Hashable = None,
    confidence_level: float = 0.95,
    tests: NullTests | None = NullTests(),  # noqa: B008 - frozen
    curves: LearningCurves | None = None,
    diagnostics: Diagnostics = Diagnostics(),  # noqa: B008 - frozen
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    time_limit: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> Assessment:
    r"""Say what can be promised about models learned from these data.

    Every model is fitted and tested on the same splits. Folds share training samples,
    so that the mean of k of them varies more than that of independent values; the
    interval that is mostly quoted allows for it [1]_:

    .. math:: \bar v \pm t_{k-1} \, s \sqrt{\frac{1}{k} + \frac{n_2}{n_1}}

    with :math:`n_2` samples tested for :math:`n_1` learned from; never narrower than
    what independent samples allow. Scores are then held against permuted data [2]_,
    against models that know next to nothing, and against null data [3]_.

    Parameters
    ----------
    estimator : estimator, str, or mapping or sequence of them
        Classifiers or regressors as scikit-learn's; names as of the command line.
    X : data frame or array-like of shape (n_samples, n_features)
        Features; a frame reaches the models as it is. Missing values are for models
        that can deal with them.
    y : iterable of length n_samples
        Labels, or numbers for regressors.
    cv : int, str, splitter or iterable of (train, test), default=10
        How samples are split: a number of folds that keep the share of every class, or
        one of `SPLITTERS`, as ``"10x5"``, ``"loo"``, ``".632+"``.
    scoring : str, Metric or sequence of them, optional
        Views on performance, of `METRICS`. The first is what tests and verdict look at.
        By default accuracy and balanced accuracy, the latter alone with pairs left out
        (``"lpo"``), or the root mean squared error.
    groups : iterable of hashable, optional
        Group of every sample, such as a patient; never on both sides of a split.
    pos_label : hashable, optional
        The class that sensitivity, specificity and, of two classes, F1 are about; the
        last in sorted order by default. The AUC of two classes is the same for both.
    confidence_level : float, default=0.95
        Level of intervals.
    tests : NullTests or None, default=NullTests()
        How scores are held against chance; None leaves that out.
    curves : LearningCurves, optional
        Which learning curves to make.
    diagnostics : Diagnostics, default=Diagnostics()
        What else to look into: bias and variance, the space of the features, a
        selection of features, capacity.
    random_state : int, Generator or None, default=0
        Seed of everything.
    n_jobs : int, optional
        Number of workers; the answer does not depend on it.
    time_limit : float, optional
        Seconds that one fit may take; a fold that takes longer has failed. Fits then
        run in another process, one per worker, which is started once (and again after
        a fit was stopped) and takes a few seconds to load its libraries.
    checkpoint : str or path-like, optional
        File to which finished fits are appended; the same call goes on from it, any
        other is refused.

    Returns
    -------
    Assessment
        Intervals by model and metric, tests against chance, bias and variance,
        comparisons.

    Raises
    ------
    InvalidInputError
        If features or targets cannot be used, or no model gives what metrics need.
    InsufficientDataError
        If no feature varies.
    FitFailedError
        If no model could be fitted in any split.
    UsageError
        If that is because of a parameter that cannot be.

    References
    ----------
    .. [1] C. Nadeau and Y. Bengio (2003). Inference for the generalization error.
       Machine Learning 52.
    .. [2] M. Ojala and G. C. Garriga (2010). Permutation tests for studying classifier
       performance. Journal of Machine Learning Research 11.
    .. [3] R. Henriques and S. C. Madeira (2015). Towards robust performance guarantees
       for models learned from high-dimensional data. In: Big Data in Complex Systems.

    Examples
    --------
    >>> from scorecast.evaluation import NullTests
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(40, 5)), np.arange(40) % 2
    >>> X[:, 0] += 3 * y
    >>> answer = assess("naive-bayes", X, y, cv=5, tests=NullTests(n_permutations=50))
    >>> answer.models["naive-bayes"].null_tests.verdict.value
    'feasible'
    """
    models = check_estimators(estimator)
    task = task_of(models)
    tests = _check_tests(tests)
    asked = usual_scoring(task, [cv]) if scoring is None else scoring
    metrics = check_scoring(asked, task)
    if not isinstance(diagnostics, Diagnostics):
        problem = f"must be Diagnostics(...); got {diagnostics!r}"
        raise UsageError(problem, parameter="diagnostics")
    data = check_data(
        X, y, task=task, groups=groups, feature_names=diagnostics.feature_names
    )
    pos_code = None if pos_label is None else find_pos_label(pos_label, data.classes)
    metrics = metrics_for(metrics, data.n_classes, pos_code)
    limit = None if time_limit is None else check_positive(time_limit, "time_limit")
    diagnostics = _check_diagnostics(diagnostics, data, X)
    check_missing(models, data, limit, diagnostics.feature_names)
    if data.n_repeated() == data.n_samples - 1:
        problem = "no feature varies: all samples look the same"
        raise InsufficientDataError(problem, parameter="X")
    config = _Config(
        metrics=metrics,
        level=check_share(confidence_level, "confidence_level", is_open=True),
        tests=tests,
        curves=_check_curves(curves, data),
        target=_check_target(curves, metrics[0]),
        diagnostics=diagnostics,
        run=Run(n_jobs=check_n_jobs(n_jobs), time_limit=limit),
        seed=seed_number(random_state),
        pos_label=None if pos_code is None else str(data.classes[pos_code]),
    )
    rng = as_generator(random_state)
    plan = draw_splits(cv, data, rng)
    check_pairs(plan, data, metrics)
    if checkpoint is not None:
        record = Record(
            checkpoint, _fingerprint(models, data, plan, config, random_state)
        )
        config = replace(config, run=replace(config.run, record=record))
    return _assess_all(models, data, plan, config, rng)


# What was asked for ---------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class _Config:
    """What was asked for, checked.

    Attributes
    ----------
    metrics : tuple of Metric
        Views on performance; the first is tested.
    level : float
        Level of intervals.
    tests : NullTests or None
        How scores are held against chance.
    curves : tuple of CurvePlan
        Learning curves to make.
    target : float or None
        Score whose size is looked for.
    diagnostics : Diagnostics
        What else.
    run : Run
        How tasks are run.
    seed : int or None
        What the caller gave.
    pos_label : str or None
        Class that was named as positive.
    """

    metrics: tuple[Metric, ...]
    level: float
    tests: NullTests | None
    curves: tuple[CurvePlan, ...]
    target: float | None
    diagnostics: Diagnostics
    run: Run
    seed: int | None
    pos_label: str | None


def _check_tests(tests: Any) -> NullTests | None:
    """Check how scores are tested."""
    if tests is None:
        return None
    if not isinstance(tests, NullTests):
        problem = f"must be NullTests(...), or None for none; got {tests!r}"
        raise UsageError(problem, parameter="tests")
    return tests.checked()


def _check_curves(
    curves: LearningCurves | None, data: EvaluationData
) -> tuple[CurvePlan, ...]:
    """Choose the sizes of the curves that were asked for, before anything is fitted."""
    if curves is None:
        return ()
    if not isinstance(curves, LearningCurves):
        problem = f"must be LearningCurves(...), or None for none; got {curves!r}"
        raise UsageError(problem, parameter="curves")
    asked = {CurveOver.SAMPLES: curves.samples, CurveOver.FEATURES: curves.features}
    return tuple(
        plan_curve(
            None if isinstance(sizes, bool) else sizes, over, data, parameter=over
        )
        for over, sizes in asked.items()
        if sizes is not False
    )


def _check_target(curves: LearningCurves | None, metric: Metric) -> float | None:
    """Return the score that is aimed at."""
    target = None if curves is None else curves.target
    if curves is None or target is None:
        return default_target(metric)
    if curves.samples is False and curves.features is False:
        problem = "is what a curve is to reach, and none is made"
        raise UsageError(problem, parameter="target")
    if isinstance(target, numbers.Real) and metric.low <= target <= metric.high:
        return float(target)
    raise UsageError(
        f"must be a value of {metric.name}, {metric.low:g} to {metric.high:g}; got "
        f"{target!r}",
        parameter="target",
    )


def _check_diagnostics(
    diagnostics: Diagnostics, data: EvaluationData, X: Any
) -> Diagnostics:
    """Check what else was asked for."""
    n_selected = diagnostics.n_selected
    if n_selected is not None:
        n_selected = check_count(n_selected, "n_selected", most=data.n_features)
        if _numbers(data) is None:
            problem = "needs features that are numbers, none of them missing"
            raise UsageError(problem, parameter="n_selected")
        if data.is_classification:
            groups = None if data.groups is None else data.groups.tolist()
            movable(groups, data.codes)
    names = diagnostics.feature_names
    counted = check_hypotheses(diagnostics.hypotheses)
    return Diagnostics(
        bias_variance=check_flag(diagnostics.bias_variance, "bias_variance"),
        data_profile=check_flag(diagnostics.data_profile, "data_profile"),
        n_selected=n_selected,
        vc_dimension=check_vc_dimension(diagnostics.vc_dimension),
        hypotheses=None if counted is None else str(counted),
        n_resamples=check_times(diagnostics.n_resamples, "n_resamples", least=0),
        feature_names=check_feature_names(names or None, X, data.n_features),
    )


def _fingerprint(
    models: Mapping[str, Any],
    data: EvaluationData,
    plan: SplitPlan,
    config: _Config,
    random_state: RandomState,
) -> str:
    """Return what tells one run from another: different where anything differs."""
    asked = (
        config.tests,
        config.metrics,
        config.curves,
        config.diagnostics.n_selected,
        random_state,
        config.run.time_limit,
    )
    digest = hashlib.sha256(f"{__version__} {identity_of(asked)}".encode())
    for name, model in models.items():
        digest.update(f"{name} {identity_of(model)}".encode())
    content = (_content(data.X), data.y, data.groups)
    digest.update(identity_of(content).encode())
    for split in plan.splits:
        digest.update(split.train.tobytes() + b"|" + split.test.tobytes())
    return digest.hexdigest()


def _content(features: Any) -> Any:
    if is_table(features):
        rows = features.to_numpy(dtype=object).tolist()
        return f"{list(features.columns)!r} {rows!r}"
    return np.asarray(features)


# All models -----------------------------------------------------------------------


def _assess_all(
    models: Mapping[str, Any],
    data: EvaluationData,
    plan: SplitPlan,
    config: _Config,
    rng: np.random.Generator,
) -> Assessment:
    """Take all models through all parts."""
    # Drawn, not spawned: the number of models must not change the permutations.
    for_features = as_generator(int(rng.integers(2**31)))
    # One stream per model: adding a model does not change the others.
    streams = rng.spawn(len(models))
    unknown: dict[str, float | None] = dict.fromkeys(_stage_names(models))
    notes: list[Note] = []
    with stages(unknown, in_seconds=True):
        with stage(_SCORES):
            tested = [
                _test_model(name, model, data, plan, config, stream)
                for (name, model), stream in zip(models.items(), streams, strict=True)
            ]
        revise(_seconds_left(tested, config))
        first = {one.name: one.metrics for one in tested if one.metrics}
        if first:
            # The one look upwards: words for what can be read already.
            view = import_module("scorecast.report.assess")
            say_unless_over(view.first_scores(first, plan.splitter.name, config.level))
        found = {one.name: _examine_model(one, config, notes) for one in tested}
        _refuse_nothing(found, notes)
        with stage(_SPACE):
            profile, of_profile = _profile(data, config)
    main = config.metrics[0].name
    # A model without scores may lack the first metric; others are not the same thing.
    folds = {
        name: np.array(model.main.folds)
        for name, model in found.items()
        if model.metrics and model.main.metric == main
    }
    counts = data.class_counts.tolist() if data.is_classification else []
    return Assessment(
        models=found,
        comparisons=compare_models(folds, main, plan.test_ratio, config.level),
        data_profile=profile,
        feature_selection=_best_features(data, config, for_features),
        notes=(*notes, *_notes_on_data(data, plan, found, config), *of_profile),
        n_samples=data.n_samples,
        n_features=data.n_features,
        class_counts=dict(zip(map(str, data.classes), counts, strict=True)),
        n_groups=None if data.groups is None else int(data.groups.max()) + 1,
        task=data.task,
        splitter=plan.splitter,
        n_splits=len(plan.splits),
        n_train=plan.n_train,
        n_test=plan.n_test,
        tests=config.tests,
        diagnostics=config.diagnostics,
        confidence_level=config.level,
        pos_label=config.pos_label,
        seed=config.seed,
    )


def _refuse_nothing(
    models: Mapping[str, ModelAssessment], notes: Sequence[Note]
) -> None:
    """Refuse to answer where no model has a value."""
    if any(model.metrics for model in models.values()):
        return
    working = [name for name, model in models.items() if not model.failures]
    if working:
        lacking = (n for n in notes if n.code == AssessmentNote.METRIC_NOT_GIVEN)
        each = "; ".join(f"{n.names[0]} needs {n.names[1]}" for n in lacking)
        raise InvalidInputError(
            f"{working[0]} does not give what is measured: {each}",
            parameter="scoring",
            remedy="ask for a metric of predicted labels, such as accuracy",
        )
    failures = [failure for model in models.values() for failure in model.failures]
    each = "; ".join(f"{name}: {model.failures[0]}" for name, model in models.items())
    # What scikit-learn calls a parameter out of range is a slip of the call.
    if all(failure.kind is FailureKind.BAD_PARAMETER for failure in failures):
        raise UsageError(each, parameter="estimator")
    is_late = all(failure.kind is FailureKind.TIMEOUT for failure in failures)
    raise FitFailedError(
        f"no model could be fitted in any split: {each}",
        remedy="allow more time for a fit" if is_late else None,
        option="time_limit" if is_late else None,
    )


def _stage_names(models: Iterable[str]) -> list[str]:
    """List all that may be done, model by model after the scores of all."""
    each = [f"{name}: {part}" for name in models for part in _PARTS]
    return [_SCORES, *each, _SPACE]


def _seconds_left(tested: Sequence[_TestedModel], config: _Config) -> dict[str, float]:
    """Say about how long every stage will take, now that the folds are known."""
    data = tested[0].estimates.data
    found = dict.fromkeys(_stage_names(one.name for one in tested), 0.0)
    for one in tested:
        found |= _seconds_of_model(one, config)
    if config.diagnostics.data_profile:
        found[_SPACE] = 6e-7 * data.n_samples * data.n_features
    return found


def _seconds_of_model(tested: _TestedModel, config: _Config) -> dict[str, float]:
    """Say how long the parts of a model will take; rough, as they hang together."""
    estimates = tested.estimates
    if estimates.is_empty:
        return {}
    data, n_splits = estimates.data, len(estimates.plan.splits)
    n, m = data.n_samples, data.n_features
    each, name = tested.seconds / n_splits, tested.name
    found: dict[str, float] = {}
    if config.tests is not None:
        usual, share = permutation_effort(
            tested.model, (n, m), data.n_classes, n_splits
        )
        count = config.tests.n_permutations or usual
        found[f"{name}: permuted data"] = max(count * tested.seconds * share, 0.05)
        if data.groups is None:
            drawing = 1e-7 * n * m + 2e-10 * n * m * min(n, m)
            drawn = config.tests.n_null_data * (tested.seconds + drawing)
            found[f"{name}: null data"] = drawn
    if config.diagnostics.bias_variance:
        found[f"{name}: bias and variance"] = N_EXTRA_FITS * each
    fits = sum(20 * len(curve.sizes) for curve in config.curves)
    fits += 0 if config.diagnostics.n_selected is None else 20 * n_splits
    if fits:
        found[f"{name}: outlook"] = fits * each
    return found


# One model ------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class _TestedModel:
    """One model after its folds: what can be said before anything else is asked.

    Attributes
    ----------
    name : str
        What the caller calls it.
    model : estimator
        As scikit-learn's.
    estimates : Estimates
        Its tests.
    metrics : dict of str to MetricAssessment
        Their values with intervals; empty if every fit failed.
    notes : tuple of Note
        What is to be said of bounds by capacity.
    streams : tuple of Generator
        For tests, bias, and curves.
    seconds : float
        That the folds took.
    """

    name: str
    model: Any
    estimates: Estimates
    metrics: dict[str, MetricAssessment]
    notes: tuple[Note, ...]
    streams: tuple[np.random.Generator, ...]
    seconds: float


def _test_model(
    name: str,
    model: Any,
    data: EvaluationData,
    plan: SplitPlan,
    config: _Config,
    rng: np.random.Generator,
) -> _TestedModel:
    """Split, test and bound one model."""
    # One stream per part: leaving one out does not change the others.
    for_folds, for_intervals, for_tests, for_bias, for_capacity, for_more = rng.spawn(6)
    start = time.monotonic()
    estimates = collect_estimates(
        model,
        data,
        plan,
        rng=for_folds,
        run=config.run,
        part=f"{name}/folds",
        what=f"testing {name}",
    )
    seconds = time.monotonic() - start
    metrics: dict[str, MetricAssessment] = {}
    notes: tuple[Note, ...] = ()
    if not estimates.is_empty:
        wanted = [x for x in config.metrics if estimates.can_measure(x)]
        bounds, notes = _capacity(name, model, data, wanted, config, for_capacity)
        metrics = {
            metric.name: _measure(estimates, metric, config, for_intervals, bounds)
            for metric in wanted
        }
    return _TestedModel(
        name=name,
        model=model,
        estimates=estimates,
        metrics=metrics,
        notes=notes,
        streams=(for_tests, for_bias, for_more),
        seconds=seconds,
    )


def _capacity(
    name: str,
    model: Any,
    data: EvaluationData,
    metrics: Sequence[Metric],
    config: _Config,
    rng: np.random.Generator,
) -> tuple[dict[str, tuple[ScoreInterval, ...]], tuple[Note, ...]]:
    """Bound by capacity what can be, and say what cannot."""
    dimension = config.diagnostics.vc_dimension
    counted = check_hypotheses(config.diagnostics.hypotheses)
    if dimension is None and counted is None:
        return {}, ()
    left = tuple(x.name for x in metrics if not can_be_bounded(x, data, dimension))
    notes: list[Note] = []
    if left:
        code = AssessmentNote.NO_CAPACITY
        notes.append(Note(code=code, model=name, names=left))
    how: dict[str, Any] = {
        "level": config.level,
        "rng": rng,
        "time_limit": config.run.time_limit,
    }
    try:
        several = (
            capacity_intervals(model, data, metrics, dimension, **how),
            hypothesis_intervals(model, data, metrics, counted, **how),
        )
    except (FitFailedError, InsufficientDataError) as error:
        notes.append(_failed(AssessmentNote.CAPACITY_FAILED, name, error))
        return {}, tuple(notes)
    found = {
        x.name: tuple(own[x.name] for own in several if x.name in own) for x in metrics
    }
    return found, tuple(notes)


def _failed(
    code: AssessmentNote, name: str, error: ScorecastError, *names: str
) -> Note:
    """Note what could not be answered, and why."""
    return Note(code=code, model=name, names=(*names, error.problem))


def _measure(
    estimates: Estimates,
    metric: Metric,
    config: _Config,
    rng: np.random.Generator,
    bounds: Mapping[str, tuple[ScoreInterval, ...]],
) -> MetricAssessment:
    """Look at one model through one metric."""
    sample = estimates.measure(metric)
    intervals = score_intervals(
        estimates,
        sample,
        level=config.level,
        rng=rng,
        n_resamples=config.diagnostics.n_resamples,
    )
    quoted = next((x for x in intervals if x.is_recommended), None)
    per_class: dict[str, ClassRecall] = {}
    if metric.name in _ABOUT_RIGHT:
        per_class = class_recalls(estimates, config.level)
    if metric.name in bounds:
        intervals = (*intervals, *bounds[metric.name])
    if metric.name == "balanced_accuracy" and per_class:
        intervals = (*intervals, across_classes(per_class, config.level))
    samples = np.empty(0) if sample.samples is None else sample.samples
    is_whole = sample.samples is None and not metric.is_class_share
    is_ranked = metric.needs is Needs.SCORES
    return MetricAssessment(
        metric=metric.name,
        greater_is_better=metric.greater_is_better,
        pos_label=metric.class_of(estimates.data.classes) or None,
        estimate=sample.estimate,
        low=math.nan if quoted is None else quoted.low,
        high=math.nan if quoted is None else quoted.high,
        folds=tuple(sample.folds.tolist()),
        intervals=intervals,
        no_interval=why_no_interval(sample),
        is_pooled=is_whole and not sample.by_folds,
        left_out=sample.left_out,
        per_class=per_class,
        n_infinite=int(np.isinf(samples).sum()),
        n_undefined=int(np.isnan(samples).sum()),
        tied_share=estimates.tied_share(metric),
        saturated_share=estimates.saturated_share() if is_ranked else 0.0,
        samples=tuple(samples.tolist()),
        tests=() if sample.tests is None else tuple(sample.tests.tolist()),
    )


def _examine_model(
    tested: _TestedModel, config: _Config, notes: list[Note]
) -> ModelAssessment:
    """Ask all else of one model after its folds; notes are added to those there are."""
    name, model, estimates = tested.name, tested.model, tested.estimates
    failures, n_splits = estimates.failures, len(estimates.plan.splits)
    if failures:
        notes.append(
            Note(
                code=AssessmentNote.SPLITS_FAILED,
                model=name,
                count=len(failures),
                total=n_splits,
                names=(str(failures[0]),),
            )
        )
    if estimates.is_empty:
        return ModelAssessment(metrics={}, failures=failures)
    for_tests, for_bias, for_more = tested.streams
    notes += _notes_on_metrics(name, tested, config)
    first, null_tests = config.metrics[0], None
    main = tested.metrics.get(first.name)
    if config.tests is not None and main is not None and math.isfinite(main.estimate):
        null_tests = run_null_tests(
            model,
            estimates,
            first,
            config.tests,
            rng=for_tests,
            run=config.run,
            part=name,
        )
    with stage(f"{name}: bias and variance"):
        parts = _decompose(name, model, estimates, config, for_bias, notes)
    notes += tested.notes
    with stage(f"{name}: outlook"):
        curves, selection = _look_ahead(name, model, estimates, config, for_more, notes)
    samples, times = np.unique(estimates.tested(), return_counts=True)
    return ModelAssessment(
        metrics=tested.metrics,
        null_tests=null_tests,
        bias_variance={part.method: part for part in parts},
        target_ranges=target_ranges(estimates, config.level),
        curves=curves,
        selection_bias=selection,
        failures=failures,
        n_tested=int(samples.size),
        samples=tuple(samples.tolist()),
        times_tested=tuple(times.tolist()),
        tested=tuple(estimates.tested().tolist()),
        tested_in=tuple(estimates.tested_in().tolist()),
        chosen=tuple(dict(choice) for choice in estimates.chosen),
        edges=grid_edges(model, estimates.chosen),
        estimator_warnings=estimates.warnings,
    )


def _notes_on_metrics(
    name: str, tested: _TestedModel, config: _Config
) -> Iterator[Note]:
    """Say which metrics mean little, and which the model does not give."""
    codes = AssessmentNote
    for metric in config.metrics:
        found = tested.metrics.get(metric.name)
        if found is None:
            lacking = (metric.name, str(metric.needs))
            yield Note(code=codes.METRIC_NOT_GIVEN, model=name, names=lacking)
            continue
        names, total = (metric.name,), len(found.samples)
        if found.n_infinite:
            code, count = codes.INFINITE_SAMPLES, found.n_infinite
            yield Note(code=code, model=name, names=names, count=count, total=total)
        elif found.n_undefined:
            code, count = codes.UNDEFINED_SAMPLES, found.n_undefined
            yield Note(code=code, model=name, names=names, count=count, total=total)
        elif found.no_interval is NoInterval.UNDEFINED:
            yield Note(code=codes.UNDEFINED, model=name, names=names)
        if found.tied_share >= _MANY_TIES:
            value = found.tied_share
            yield Note(code=codes.TIED_SCORES, model=name, names=names, value=value)
            if found.saturated_share >= _MANY_TIES:
                value = found.saturated_share
                yield Note(code=codes.SATURATED, model=name, names=names, value=value)


def _decompose(
    name: str,
    model: Any,
    estimates: Estimates,
    config: _Config,
    rng: np.random.Generator,
    notes: list[Note],
) -> tuple[BiasVariance, ...]:
    """Decompose the error; say why where it cannot be."""
    if not config.diagnostics.bias_variance:
        return ()
    try:
        return decompose_errors(
            model, estimates, rng=rng, run=config.run, part=f"{name}/bias"
        )
    except InsufficientDataError as error:
        notes.append(_failed(AssessmentNote.NO_DECOMPOSITION, name, error))
        return ()


def _look_ahead(
    name: str,
    model: Any,
    estimates: Estimates,
    config: _Config,
    rng: np.random.Generator,
    notes: list[Note],
) -> tuple[dict[str, LearningCurve], SelectionBias | None]:
    """Make curves and look into selection; what fails is noted, the rest goes on."""
    data, metric = estimates.data, config.metrics[0]
    curves: dict[str, LearningCurve] = {}
    for_samples, for_features, for_selection = rng.spawn(3)
    for asked in config.curves:
        is_of_samples = asked.over is CurveOver.SAMPLES
        try:
            curves[asked.over] = measure_curve(
                model,
                data,
                Scorer(
                    name=metric.name,
                    metric=metric,
                    scorer=None,
                    greater_is_better=metric.greater_is_better,
                ),
                asked,
                target=config.target,
                confidence_level=config.level,
                rng=for_samples if is_of_samples else for_features,
                run=config.run,
                part=f"{name}/curve over {asked.over}",
            )
        except InsufficientDataError as error:
            note = _failed(AssessmentNote.NO_CURVE, name, error, asked.over)
            notes.append(note)
    bias = None
    if config.diagnostics.n_selected is not None:
        try:
            bias = model_selection_bias(
                model,
                data,
                estimates.plan,
                metric,
                n_selected=config.diagnostics.n_selected,
                level=config.level,
                rng=for_selection,
                run=config.run,
                part=f"{name}/selection",
                seed=config.seed,
            )
        except InsufficientDataError as error:
            notes.append(_failed(AssessmentNote.NO_SELECTION, name, error))
    return curves, bias


# The data -------------------------------------------------------------------------


def _numbers(data: EvaluationData) -> FloatArray | None:
    """Return all features as numbers of any precision; None if there are others."""
    found = numbers_of(data.X)
    shape = (data.n_samples, data.n_features)
    return found if found.shape == shape and np.isfinite(found).all() else None


def _profile(
    data: EvaluationData, config: _Config
) -> tuple[DataProfile | None, tuple[Note, ...]]:
    """Describe the space by the features that are whole, and say what is left out."""
    if not config.diagnostics.data_profile:
        return None, ()
    features = numbers_of(data.X)
    # Gaps and text have no shape to describe.
    features = features[:, np.isfinite(features).all(axis=0)]
    n_whole = features.shape[1]
    if not n_whole:
        return None, (Note(code=AssessmentNote.NO_PROFILE),)
    try:
        found = data_profile(features, data.y, task=data.task)
    except InsufficientDataError as error:
        code = AssessmentNote.NO_PROFILE
        return None, (Note(code=code, names=(error.problem,)),)
    if n_whole == data.n_features:
        return found, ()
    code = AssessmentNote.PROFILE_OF_SOME
    return found, (Note(code=code, count=n_whole, total=data.n_features),)


def _best_features(
    data: EvaluationData, config: _Config, rng: np.random.Generator
) -> FeatureSelectionTest | None:
    """Say which features tell classes apart, if that was asked for."""
    n_selected, features = config.diagnostics.n_selected, _numbers(data)
    if n_selected is None or not data.is_classification or features is None:
        return None
    return feature_selection_test(
        features,
        data.y,
        n_selected,
        n_permutations=_LUCK,
        feature_names=config.diagnostics.feature_names or None,
        random_state=rng,
        n_jobs=config.run.n_jobs,
        groups=None if data.groups is None else data.groups.tolist(),
    )


def _notes_on_data(
    data: EvaluationData,
    plan: SplitPlan,
    models: Mapping[str, ModelAssessment],
    config: _Config,
) -> Iterator[Note]:
    """Say what a reader must know of data, splits and metrics before any number."""
    codes = AssessmentNote
    measured = [x for model in models.values() for x in model.metrics.values()]
    if any(x.metric == "posterior_error" for x in measured):
        yield Note(code=codes.POSTERIOR_ERROR_IS_CLAIMED)
    # The same for every model: it is a matter of the splits.
    of_ranks = (x for x in measured if x.no_interval is NoInterval.RANKS_ACROSS_MODELS)
    for name in dict.fromkeys(x.metric for x in of_ranks):
        yield Note(code=codes.RANKS_ACROSS_MODELS, names=(name,))
    yield from _notes_on_classes(data)
    yield from _notes_on_counters(data, config.diagnostics.feature_names)
    if not data.is_classification and np.unique(data.y).size == 2:
        yield Note(code=codes.TWO_VALUED_TARGET)
    repeated = data.n_repeated()
    if repeated:
        yield Note(code=codes.REPEATED_ROWS, count=repeated)
    n_splits = len(plan.splits)
    if math.isclose(plan.n_test, 1) or n_splits < _FEW_SPLITS:
        yield Note(code=codes.FEW_SPLITS, count=n_splits, value=plan.n_test)
    if config.diagnostics.n_selected is not None and not data.is_classification:
        yield Note(code=codes.NO_SELECTION_TEST)
    is_meant = any(metric.class_of(data.classes) for metric in config.metrics)
    if config.pos_label is not None and not is_meant:
        yield Note(code=codes.POS_LABEL_UNUSED, names=(config.pos_label,))


def _notes_on_classes(data: EvaluationData) -> Iterator[Note]:
    """Name the classes of one sample, and of few."""
    if not data.is_classification:
        return
    counts = dict(zip(map(str, data.classes), data.class_counts.tolist(), strict=True))
    alone = tuple(label for label, count in counts.items() if count == 1)
    if alone:
        yield Note(code=AssessmentNote.SINGLETON_CLASS, names=alone)
    few = tuple(label for label, count in counts.items() if 1 < count < _FEW_SAMPLES)
    if few:
        yield Note(code=AssessmentNote.SMALL_CLASSES, names=few)


def _notes_on_counters(data: EvaluationData, names: Sequence[str]) -> Iterator[Note]:
    """Name the features that count the rows: they know in what order samples came."""
    if data.n_samples < _MIN_ROWS:
        return
    values = numbers_of(data.X)
    own = names if len(names) == values.shape[1] else number_names(data.X)
    is_counting = (np.diff(values, axis=0) == 1).all(axis=0)
    found = tuple(
        str(own[i]) if i < len(own) else f"feature {i + 1}"
        for i in range(values.shape[1])
        if is_counting[i] or (i < len(own) and str(own[i]).startswith("Unnamed:"))
    )
    if found:
        yield Note(code=AssessmentNote.ROW_COUNTER, names=found)
        return
    # By its name, and different in every sample.
    for i, name in enumerate(own):
        column = values[:, i] if i < values.shape[1] else np.array([np.nan])
        is_number = np.isfinite(column).all() and (column % 1 == 0).all()
        is_named = _IDENTITY.search(str(name)) is not None
        if is_named and is_number and np.unique(column).size == column.size:
            yield Note(code=AssessmentNote.ROW_IDENTITY, names=(str(name),))
            return
