"""Predictions of a model on samples it had not seen: every sample, every split, kept.

`collect_estimates` fits and tests every split; `Estimates.measure` looks at all of it
through one metric.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from scorecast._core.parallel import Run
from scorecast._core.types import FloatArray, IntArray
from scorecast.evaluation.data import EvaluationData
from scorecast.evaluation.fitting import (
    FitFailure,
    SplitResult,
    decode_split,
    encode_split,
    fit_and_test,
    pool_predictions,
)
from scorecast.evaluation.metrics import Metric, Needs, Predictions
from scorecast.evaluation.splits import Split, SplitPlan

# Splits that have to have a value, and their least share, to speak for the others.
_MANY, _MOST = 10, 0.9
_SHARE = 0.632  # of different samples in a bootstrap sample
_MOST_PAIRS = 4_000_000


@dataclass(frozen=True, kw_only=True, eq=False)
class MetricSample:
    """Values of one metric.

    Attributes
    ----------
    metric : Metric
        The metric.
    folds : ndarray of shape (n_splits,)
        Value of every split; NaN where it failed or is undefined.
    samples : ndarray of shape (n_tested,) or None
        Mean value of every sample that was tested, if the metric is a mean of samples.
    tests : ndarray of shape (n_tests,) or None
        Value of every test, in the order of `Estimates.tested`, likewise.
    estimate : float
        The value of all.
    shift : float
        What weighting by the error of samples learned from adds to it; mostly 0.
    test_ratio : float
        Samples tested per sample learned from.
    n_tested : int
        Different samples that were tested.
    n_units : float
        Independent ones among them: samples, or groups by their weight.
    n_smallest : float
        The same of the class that the metric is about, or of that with the fewest; of
        all for numbers.
    by_folds : bool
        Whether the estimate of what is no mean of samples is the mean of splits: nearly
        all of them have a value.
    groups : ndarray of shape (n_tested,) or None
        Group of every sample that was tested, if there are groups.
    """

    metric: Metric
    folds: FloatArray
    samples: FloatArray | None
    tests: FloatArray | None
    estimate: float
    test_ratio: float
    n_tested: int
    n_units: float
    n_smallest: float
    by_folds: bool = True
    groups: IntArray | None = None
    shift: float = 0.0

    @property
    def known_folds(self) -> FloatArray:
        """The values that are numbers."""
        return self.folds[np.isfinite(self.folds)]

    @property
    def left_out(self) -> float:
        """The value of samples left out alone, before it is weighted."""
        return self.estimate - self.shift

    @property
    def n_judged(self) -> float:
        """Independent units that the value hangs on: those of the smallest class."""
        return self.n_smallest if self.metric.by_class else self.n_units


@dataclass(frozen=True, kw_only=True, eq=False)
class Estimates:
    """What came of all splits.

    Attributes
    ----------
    data : EvaluationData
        The samples.
    plan : SplitPlan
        The splits.
    results : tuple of SplitResult
        One per split.
    training : Predictions or None
        What a fit to all samples says of them, where the estimate needs it.
    """

    data: EvaluationData
    plan: SplitPlan
    results: tuple[SplitResult, ...]
    training: Predictions | None = None

    @property
    def failures(self) -> tuple[FitFailure, ...]:
        """Reasons of the splits that failed."""
        return tuple(one.failure for one in self.results if one.failure is not None)

    @property
    def is_empty(self) -> bool:
        """Whether every split failed."""
        return len(self.failures) == len(self.results)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the estimator warned of, each once."""
        return tuple(dict.fromkeys(w for one in self.results for w in one.warnings))

    @property
    def chosen(self) -> tuple[Mapping[str, str], ...]:
        """Parameters that the model chose in every split; empty if it chooses none."""
        found = tuple(one.chosen for one in self.results)
        return found if any(found) else ()

    def predictions(self) -> list[Predictions]:
        """Return the predictions of the splits that did not fail."""
        found = (one.predictions for one in self.results)
        return [predictions for predictions in found if predictions is not None]

    def can_measure(self, metric: Metric) -> bool:
        """Tell whether the model gives what a metric needs."""
        found = self.predictions()
        return bool(found) and all(map(metric.can_measure, found))

    def pooled(self) -> Predictions:
        """Return all tests of all splits together, in the order of the splits."""
        return pool_predictions(self.predictions())

    def tested(self) -> IntArray:
        """Return the row of every test, in the order of `pooled`."""
        tests = [one.test for one in self.results if one.predictions is not None]
        return np.concatenate(tests)

    def tested_in(self) -> IntArray:
        """Return the number of the split of every test, in the order of `pooled`."""
        known = [i for i, x in enumerate(self.results) if x.predictions is not None]
        return np.repeat(known, [self.results[i].test.size for i in known])

    def units(self) -> tuple[list[IntArray], IntArray]:
        """Return the tests of every independent unit, and what units to draw among.

        Returns
        -------
        tuple of list of ndarray and ndarray
            For every sample (or group) the numbers of its tests in `pooled`; and its
            stratum: its class, where there are classes and no groups.
        """
        rows, data = self.tested(), self.data
        names, unit = np.unique(data.units[rows], return_inverse=True)
        order = np.argsort(unit, kind="stable")
        tests = np.split(order, np.cumsum(np.bincount(unit))[:-1])
        strata = np.zeros(names.size, dtype=np.int64)
        if data.is_classification and data.groups is None:
            strata = data.codes[names]
        return tests, strata

    def measure(self, metric: Metric) -> MetricSample:
        """Look at the tests through one metric.

        Parameters
        ----------
        metric : Metric
            The metric.

        Returns
        -------
        MetricSample
            Its values by sample and by split.
        """
        values = [
            np.nan if x.predictions is None else metric.measure(x.predictions)
            for x in self.results
        ]
        folds = np.array(values)
        rows, pooled = self.tested(), self.pooled()
        tests = metric.samples(pooled)
        samples = None
        if tests is not None:
            samples = _sample_means(tests, rows, self.data.n_samples)
        known = folds[np.isfinite(folds)]
        by_folds = _speak_for_all(known.size, len(self.predictions()))
        if samples is not None:
            estimate = float(samples.mean())
        elif metric.is_class_share:
            estimate = _class_share(self.data, metric, pooled, rows)
        elif by_folds:
            estimate = float(known.mean())
        else:
            # Some splits hold too few samples to say; all tests together may.
            estimate = metric.measure(pooled)
        distinct = np.unique(rows)
        weighted = self._weighted(metric, estimate)
        is_known = np.isfinite([weighted, estimate]).all()
        groups = self.data.groups
        return MetricSample(
            metric=metric,
            folds=folds,
            samples=samples,
            tests=tests,
            estimate=weighted,
            # An infinite value stays one, however it is weighted.
            shift=weighted - estimate if is_known else 0.0,
            test_ratio=self.plan.test_ratio,
            n_tested=distinct.size,
            n_units=self.data.n_independent(distinct),
            n_smallest=_units_judged(self.data, distinct, metric),
            by_folds=by_folds,
            groups=None if groups is None else groups[distinct],
        )

    def _weighted(self, metric: Metric, left_out: float) -> float:
        """Weight the value of samples left out against that of samples learned from."""
        if self.training is None:
            return left_out
        sign = -1.0 if metric.greater_is_better else 1.0
        learned = sign * metric.measure(self.training)
        if self.plan.splitter.kind == ".632":
            return sign * point_632(learned, sign * left_out)
        # The stream chooses among pairs only where there are millions.
        rng = np.random.default_rng(0)
        unrelated = no_information_value(metric, self.training, rng)
        return sign * point_632_plus(learned, sign * left_out, sign * unrelated)

    def tied_share(self, metric: Metric) -> float:
        """Return the share of pairs that a metric of ranks cannot put in order.

        Parameters
        ----------
        metric : Metric
            What is measured.

        Returns
        -------
        float
            Of pairs of different classes, those with equal scores, which count half;
            0 for metrics that do not go by order.
        """
        if metric.needs is not Needs.SCORES or not self.can_measure(metric):
            return 0.0
        found = self.predictions()
        if not self.measure(metric).by_folds:
            found = [self.pooled()]  # all tests are put in one order
        tied, pairs = np.sum([_count_ties(one) for one in found], axis=0)
        return float(tied / pairs) if pairs else 0.0

    def saturated_share(self) -> float:
        """Return the share of tests of which a probability of 1 was stated."""
        pooled = self.pooled()
        if pooled.scores is None or not pooled.is_probability:
            return 0.0
        return float((pooled.scores.max(axis=1) == 1.0).mean())


def _sample_means(values: FloatArray, rows: IntArray, n: int) -> FloatArray:
    """Average the tests of every sample; leave out those that were never tested."""
    times = np.bincount(rows, minlength=n)
    with np.errstate(invalid="ignore"):
        total = np.bincount(rows, weights=values, minlength=n)
    means: FloatArray = total[times > 0] / times[times > 0]
    return means


def _class_share(
    data: EvaluationData, metric: Metric, pooled: Predictions, rows: IntArray
) -> float:
    """Return the share of the samples a metric is about, where the model is right.

    Folds hold two or three samples of a small class: the mean of their shares would
    count samples of folds with fewer for more.
    """
    own = data.n_classes - 1 if metric.pos_code is None else metric.pos_code
    is_about = (pooled.truth == own) == (metric.name == "sensitivity")
    right = ((pooled.predicted == own) == (pooled.truth == own)).astype(np.float64)
    if not is_about.any():
        return np.nan
    return float(_sample_means(right[is_about], rows[is_about], data.n_samples).mean())


def _speak_for_all(n_known: int, n_splits: int) -> bool:
    """Tell whether splits with a value may speak for those that have none."""
    return n_known == n_splits or (n_known >= _MANY and n_known >= _MOST * n_splits)


def _units_judged(data: EvaluationData, rows: IntArray, metric: Metric) -> float:
    """Count the independent samples that a metric of classes hangs on."""
    if not data.is_classification:
        return data.n_independent(rows)
    codes, last = data.codes[rows], data.n_classes - 1
    own = last if metric.pos_code is None else metric.pos_code
    if metric.name == "sensitivity":
        return data.n_independent(rows[codes == own])
    if metric.name == "specificity":
        return data.n_independent(rows[codes != own])
    return min(data.n_independent(rows[codes == k]) for k in range(last + 1))


def _count_ties(predictions: Predictions) -> tuple[float, float]:
    """Count pairs of different classes with equal scores, and all pairs."""
    tied = pairs = 0.0
    p = predictions
    if p.scores is None:
        return tied, pairs
    for code in (1,) if p.n_classes == 2 else range(p.n_classes):
        own = p.truth == code
        column = p.scores[:, code]
        if p.n_classes == 2:
            column = column - p.scores[:, 0]
        _, value = np.unique(column, return_inverse=True)
        inside = np.bincount(value[own], minlength=value.max() + 1)
        outside = np.bincount(value[~own], minlength=value.max() + 1)
        tied += float(inside @ outside)
        pairs += float(own.sum() * (~own).sum())
    return tied, pairs


def collect_estimates(
    estimator: Any,
    data: EvaluationData,
    plan: SplitPlan,
    *,
    rng: np.random.Generator,
    run: Run | None = None,
    part: str = "folds",
    what: str = "fitting and testing",
) -> Estimates:
    """Fit and test on every split.

    Parameters
    ----------
    estimator : estimator
        As scikit-learn's; a pipeline does everything inside the splits.
    data : EvaluationData
        The samples.
    plan : SplitPlan
        The splits.
    rng : numpy.random.Generator
        Parent of one stream per split.
    run : Run, optional
        How tasks are run; the numbers do not depend on it, but for fits that take
        longer than its limit.
    part : str
        Name of these splits in a checkpoint.
    what : str
        Words for the progress line.

    Returns
    -------
    Estimates
        With the reason where a split failed.
    """
    run = Run() if run is None else run
    fit = partial(_one_split, estimator, data, run.time_limit)
    results = run.map(
        fit,
        plan.splits,
        part=part,
        rng=rng,
        what=what,
        encode=encode_split,
        decode=decode_split,
    )
    training = None
    if plan.splitter.is_weighted:
        everyone = np.arange(data.n_samples)
        whole = run.map(
            fit,
            [Split(train=everyone, test=everyone)],
            part=f"{part}/all",
            rng=rng,
            what=what,
            encode=encode_split,
            decode=decode_split,
        )
        training = whole[0].predictions
    return Estimates(data=data, plan=plan, results=tuple(results), training=training)


def _one_split(
    estimator: Any,
    data: EvaluationData,
    time_limit: float | None,
    split: Split,
    rng: np.random.Generator,
) -> SplitResult:
    return fit_and_test(estimator, data, split, rng, time_limit=time_limit)


# Between too optimistic and too pessimistic: Efron's .632 and .632+. All take errors:
# smaller is better.


def point_632(training_error: float, left_out_error: float) -> float:
    """Weight the error of samples learned from against that of samples left out.

    Examples
    --------
    >>> round(point_632(0.05, 0.3), 4)
    0.208
    """
    return (1 - _SHARE) * training_error + _SHARE * left_out_error


def point_632_plus(
    training_error: float, left_out_error: float, no_information: float
) -> float:
    """Weight them by how much the model overfits (Efron and Tibshirani 1997).

    Parameters
    ----------
    training_error : float
        Error of samples learned from.
    left_out_error : float
        Error of samples that bootstrap samples left out.
    no_information : float
        Error if targets and predictions were unrelated.

    Returns
    -------
    float
        Between the .632 error and that of the samples left out.

    Examples
    --------
    >>> round(point_632_plus(0.05, 0.3, 0.5), 6)
    0.248603
    """
    left_out = min(left_out_error, no_information)
    gap = no_information - training_error
    overfit = (left_out - training_error) / gap if gap > 0 else 0.0
    overfit = min(max(overfit, 0.0), 1.0)
    weight = _SHARE / (1 - (1 - _SHARE) * overfit)
    return (1 - weight) * training_error + weight * left_out


def no_information_value(
    metric: Metric, predictions: Predictions, rng: np.random.Generator
) -> float:
    """Measure a metric where every prediction meets every target.

    Parameters
    ----------
    metric : Metric
        The metric.
    predictions : Predictions
        Of the samples learned from.
    rng : numpy.random.Generator
        Chooses pairs where there are too many.

    Returns
    -------
    float
        Its value.
    """
    n = predictions.n
    if n * n <= _MOST_PAIRS:
        target, said = (x.ravel() for x in np.divmod(np.arange(n * n), n))
    else:
        target, said = rng.integers(0, n, (2, _MOST_PAIRS))
    scores = predictions.scores
    pairs = replace(
        predictions,
        truth=predictions.truth[target],
        predicted=predictions.predicted[said],
        scores=None if scores is None else scores[said],
    )
    return metric.measure(pairs)
