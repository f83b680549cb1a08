"""What is looked at in every setting beside estimates: chance, bias, classes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from scorecast._core.parallel import Run
from scorecast._core.registry import Method, Registry
from scorecast._core.result import SHARE
from scorecast.evaluation.assessment import ClassRecall, class_recalls
from scorecast.evaluation.bias_variance import BiasVariance, decompose_errors
from scorecast.evaluation.estimates import Estimates
from scorecast.evaluation.metrics import Metric, Task
from scorecast.evaluation.null_tests import NullTests, TestStatus, run_null_tests
from scorecast.exceptions import InsufficientDataError, UsageError

DENSITY = "density"  # beside the names of null settings


# What there is to collect -----------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Collection(Method):
    """Something that is looked at in every setting, if asked for.

    Attributes
    ----------
    field : str
        Where estimates of settings hold it.
    needs_classes : bool
        Whether it is of classes only.
    """

    field: str
    needs_classes: bool = False


COLLECTIONS: Registry[Collection] = Registry()
COLLECTIONS.add(
    Collection(
        name="null",
        title="p-values against chance",
        summary="tests against permuted data, models that know nothing and null data",
        reference="M. Ojala and G. C. Garriga (2010). Permutation tests for studying "
        "classifier performance. Journal of Machine Learning Research 11.",
        field="null_tests",
    )
)
COLLECTIONS.add(
    Collection(
        name="bias_variance",
        title="bias and variance",
        summary="the error in two parts: what most fits get wrong, and what varies",
        reference="R. Kohavi and D. H. Wolpert (1996). Bias plus variance "
        "decomposition for zero-one loss functions. International Conference on "
        "Machine Learning 13.",
        aliases=("bias-variance",),
        field="bias_variance",
    )
)
COLLECTIONS.add(
    Collection(
        name="recall",
        title="recall of every class",
        summary="the share of each class that is recognised (its sensitivity)",
        aliases=("sensitivity",),
        field="per_class",
        needs_classes=True,
    )
)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What to collect, and how.

    Attributes
    ----------
    names : tuple of str
        Of `COLLECTIONS`.
    tests : NullTests
        How models are held against chance.
    """

    names: tuple[str, ...] = ()
    tests: NullTests = field(default_factory=NullTests)


def check_collect(
    collect: str | Sequence[str], tests: NullTests | None, task: Task
) -> Asked:
    """Check what is to be collected, before anything is fitted."""
    given = [collect] if isinstance(collect, str) else list(collect)
    chosen = [COLLECTIONS.choose(name, parameter="collect") for name in given]
    for one in chosen:
        if one.needs_classes and task is not Task.CLASSIFICATION:
            problem = f"{one.name} is of classes, and these models predict numbers"
            raise UsageError(problem, parameter="collect", remedy="leave it out")
    names = tuple(dict.fromkeys(one.name for one in chosen))
    if tests is not None and "null" not in names:
        problem = "says how models are held against chance, which is not collected"
        raise UsageError(problem, parameter="tests", remedy="collect 'null'")
    if tests is None:
        return Asked(names=names)
    if not isinstance(tests, NullTests):
        problem = f"must be NullTests(...); got {tests!r}"
        raise UsageError(problem, parameter="tests")
    checked = tests.checked()
    if task is Task.REGRESSION and checked.null_data != NullTests.null_data:
        problem = "keeps what each class looks like, and regressors have none"
        raise UsageError(problem, parameter="null_data")
    return Asked(names=names, tests=checked)


# What one data set gives ------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ChanceTest:
    """p-values of one data set against one null setting; NaN where there is none."""

    p_t: float = field(metadata=SHARE)
    p_value: float = field(metadata=SHARE)
    status: TestStatus


@dataclass(frozen=True, kw_only=True)
class Collected:
    """What was collected of one model on one data set.

    Attributes
    ----------
    null_tests : dict of str to ChanceTest
        By null setting.
    bias_variance : dict of str to BiasVariance
        By decomposition.
    per_class : dict of str to ClassRecall
        By class.
    failure : str or None
        Why the error could not be divided.
    """

    null_tests: dict[str, ChanceTest] = field(default_factory=dict)
    bias_variance: dict[str, BiasVariance] = field(default_factory=dict)
    per_class: dict[str, ClassRecall] = field(default_factory=dict)
    failure: str | None = None


def collected(
    estimator: Any,
    estimates: Estimates,
    metric: Metric,
    asked: Asked,
    *,
    level: float,
    run: Run,
    rng: np.random.Generator,
) -> Collected:
    """Collect what was asked for of a model that was tested.

    Parameters
    ----------
    estimator : estimator
        The model.
    estimates : Estimates
        Its tests.
    metric : Metric
        What is held against chance.
    asked : Asked
        What to collect.
    level : float
        Level of intervals.
    run : Run
        How fits are run.
    rng : numpy.random.Generator
        Parent of one stream for each.

    Returns
    -------
    Collected
        What could be.
    """
    # One stream each: leaving one out does not change the others.
    for_tests, for_bias = rng.spawn(2)
    tests: dict[str, ChanceTest] = {}
    if "null" in asked.names and estimates.can_measure(metric):
        tests = _chance(estimator, estimates, metric, asked.tests, run, for_tests)
    parts: tuple[BiasVariance, ...] = ()
    failure = None
    if "bias_variance" in asked.names:
        try:
            parts = decompose_errors(estimator, estimates, rng=for_bias, run=run)
        except InsufficientDataError as error:
            failure = error.problem
    recalls = {}
    if "recall" in asked.names:
        recalls = class_recalls(estimates, level)
    return Collected(
        null_tests=tests,
        bias_variance={part.method: part for part in parts},
        per_class=recalls,
        failure=failure,
    )


def _chance(
    estimator: Any,
    estimates: Estimates,
    metric: Metric,
    tests: NullTests,
    run: Run,
    rng: np.random.Generator,
) -> dict[str, ChanceTest]:
    """Hold a model against every null setting."""
    if not math.isfinite(estimates.measure(metric).estimate):
        return {}
    summary = run_null_tests(estimator, estimates, metric, tests, rng=rng, run=run)
    found = {
        name: ChanceTest(p_t=test.p_t, p_value=test.p_value, status=test.status)
        for name, test in summary.tests.items()
    }
    if summary.density is not None:
        one = summary.density
        found[DENSITY] = ChanceTest(
            p_t=math.nan, p_value=one.p_value, status=one.status
        )
    return found


# What a setting gives ---------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class SettingTest:
    """One model against one null setting, over the data sets of a setting.

    Attributes
    ----------
    p_value : float
        Mean over data sets. Of several it is no p-value itself, but twice it is one,
        however data sets hang together (Rüschendorf 1982).
    least, greatest : float
        Over data sets.
    p_t : float
        Mean of those of the t-test alone; NaN where there is none.
    n_datasets : int
        Data sets on which the test could be made.
    status : TestStatus
        Why it could not be on the first of the others.
    """

    p_value: float = field(metadata=SHARE)
    least: float = field(metadata=SHARE)
    greatest: float = field(metadata=SHARE)
    p_t: float = field(metadata=SHARE)
    n_datasets: int
    status: TestStatus


@dataclass(frozen=True, kw_only=True)
class SettingParts:
    """The error of one model in two parts, over the data sets of a setting.

    Attributes
    ----------
    error, bias, variance : float
        Means over data sets; the error is the sum of the other two, and that of these
        fits.
    bias_stderr, variance_stderr : float
        Standard errors from the spread of data sets; NaN for a single one, and for
        draws of the same samples.
    n_datasets : int
        Data sets on which the error could be divided.
    n_extra : int
        Bootstrap fits made for this alone on each.
    """

    error: float
    bias: float
    variance: float
    bias_stderr: float = math.nan
    variance_stderr: float = math.nan
    n_datasets: int
    n_extra: int = 0


@dataclass(frozen=True, kw_only=True)
class SettingRecall:
    """The share of one class that is recognised, over the data sets of a setting.

    Attributes
    ----------
    estimate, low, high : float
        Share and interval: Wilson's of one data set; of several as for estimates.
    n_samples : float
        Samples of the class that were tested, on average over data sets.
    n_datasets : int
        Data sets that have the class.
    """

    estimate: float = field(metadata=SHARE)
    low: float = field(metadata=SHARE)
    high: float = field(metadata=SHARE)
    n_samples: float
    n_datasets: int


def setting_tests(datasets: Sequence[Collected]) -> dict[str, SettingTest]:
    """Put the tests of the data sets of a setting together."""
    found = {}
    for name, tests in _by_name([one.null_tests for one in datasets]).items():
        known = [t for t in tests if not math.isnan(t.p_value)]
        values = [t.p_value for t in known]
        by_t = [t.p_t for t in known if not math.isnan(t.p_t)]
        failed = (t.status for t in tests if t.status is not TestStatus.DONE)
        found[name] = SettingTest(
            p_value=_mean(values),
            least=min(values, default=math.nan),
            greatest=max(values, default=math.nan),
            p_t=_mean(by_t),
            n_datasets=len(known),
            status=next(failed, TestStatus.DONE),
        )
    return found


def setting_parts(
    datasets: Sequence[Collected], *, shares_samples: bool
) -> dict[str, SettingParts]:
    """Put the divided errors of the data sets of a setting together."""

    def error(values: Sequence[float]) -> float:
        if shares_samples or len(values) < 2:
            return math.nan
        return float(np.std(values, ddof=1)) / math.sqrt(len(values))

    found = {}
    for name, parts in _by_name([one.bias_variance for one in datasets]).items():
        biases = [part.bias for part in parts]
        variances = [part.variance for part in parts]
        found[name] = SettingParts(
            error=_mean([part.error for part in parts]),
            bias=_mean(biases),
            variance=_mean(variances),
            bias_stderr=error(biases),
            variance_stderr=error(variances),
            n_datasets=len(parts),
            n_extra=max(part.n_extra for part in parts),
        )
    return found


def setting_recalls(
    datasets: Sequence[Collected],
    bound: Callable[[Sequence[ClassRecall]], tuple[float, float]],
) -> dict[str, SettingRecall]:
    """Put the recalls of the data sets of a setting together.

    Parameters
    ----------
    datasets : sequence of Collected
        The data sets.
    bound : callable
        From the recalls of one class to an interval of their mean.

    Returns
    -------
    dict of str to SettingRecall
        By class.
    """
    found = {}
    for label, recalls in _by_name([one.per_class for one in datasets]).items():
        low, high = bound(recalls)
        found[label] = SettingRecall(
            estimate=_mean([one.estimate for one in recalls]),
            low=max(0.0, low),
            high=min(1.0, high),
            n_samples=_mean([float(one.n_samples) for one in recalls]),
            n_datasets=len(recalls),
        )
    return found


def _by_name(several: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return what every data set has under each name, in the order of the first."""
    names = dict.fromkeys(name for one in several for name in one)
    return {name: [one[name] for one in several if name in one] for name in names}


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else math.nan
