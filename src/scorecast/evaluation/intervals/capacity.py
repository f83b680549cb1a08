"""What the capacity of a classifier alone promises: bounds of Vapnik and of Occam.

Conservative, and true for any data. Of more than two classes the VC dimension is that
of Natarajan: on 2n samples rules differ in no more than (2 e n r / d)^d ways, with r
pairs of classes (Haussler and Long 1995). Or rules are counted: trees of so many
leaves, lists of so many rules. Of two classes the dimension may also be measured by how
well the model learns random labels (Vapnik, Levin and LeCun 1994): on relabelled data,
the largest difference between the errors on two halves depends on the dimension alone,
in a known way.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.types import FloatArray, IntArray
from scorecast.evaluation.data import EvaluationData, n_independent
from scorecast.evaluation.fitting import ModelFailedError, fit_and_test
from scorecast.evaluation.intervals.hypotheses import (
    Hypotheses,
    growth_upper,
    occam_upper,
)
from scorecast.evaluation.intervals.recommend import ScoreInterval
from scorecast.evaluation.metrics import METRICS, Metric, Predictions
from scorecast.evaluation.splits import Split
from scorecast.exceptions import InsufficientDataError, UsageError

MEASURE = "measure"  # instead of a dimension: find it out
_A, _B, _SHIFT = 0.16, 1.2, 0.14928  # of the curve, from the paper
_MIN_SAMPLES = 16


def check_vc_dimension(vc_dimension: Any) -> float | str | None:
    """Return a VC dimension, ``"measure"``, or None; refuse everything else."""
    if vc_dimension is None or vc_dimension in (MEASURE, "estimate"):
        return None if vc_dimension is None else MEASURE
    if isinstance(vc_dimension, numbers.Real) and float(vc_dimension) >= 1:
        return float(vc_dimension)
    problem = f"must be a number from 1, or {MEASURE!r}; got {vc_dimension!r}"
    raise UsageError(problem, parameter="vc_dimension")


def vapnik_upper(
    training_error: float, dimension: float, n: int, delta: float, n_classes: int = 2
) -> float:
    r"""Bound the true error by training error and VC dimension (Vapnik 1998).

    .. math:: \epsilon \le \hat\epsilon + \sqrt{\frac{h (\log(2 n r / h) + 1) -
              \log(\delta / 4)}{n}}

    with r pairs of classes: one of two classes, c (c - 1) / 2 of more, of which h is
    the Natarajan dimension.

    Parameters
    ----------
    training_error : float
        Share of training samples that are wrong.
    dimension : float
        VC dimension h; one more than the features for a hyperplane. Of more classes
        that of Natarajan; at most c times as much for c hyperplanes.
    n : int
        Training samples.
    delta : float
        Chance that the bound fails, at most.
    n_classes : int, default=2
        Number of classes.

    Returns
    -------
    float
        At most 1, which says nothing.

    Examples
    --------
    >>> round(vapnik_upper(0.1, 51, 200, 0.05), 10)
    0.9956104378
    """
    if dimension >= 2 * n:
        return 1.0
    growth = dimension * (math.log(2 * n / dimension) + 1)
    growth += dimension * math.log(math.comb(n_classes, 2))
    return growth_upper(training_error, growth, n, delta)


def expected_deviation(ratio: ArrayLike) -> FloatArray:
    """Return the largest deviation to expect with so many samples per dimension.

    Parameters
    ----------
    ratio : array-like
        Samples in each half per unit of VC dimension.

    Returns
    -------
    ndarray
        1 below one half, then falling.
    """
    r = np.maximum(np.asarray(ratio, dtype=np.float64), 0.5)
    log_term = np.log(2 * r) + 1
    root = np.sqrt(1 + _B * (r - _SHIFT) / log_term) + 1
    curve: FloatArray = np.minimum(_A * log_term / (r - _SHIFT) * root, 1.0)
    return curve


def measured_capacity(
    predict: Callable[[IntArray, IntArray], IntArray],
    n: int,
    *,
    n_sizes: int = 6,
    n_repeats: int = 20,
    rng: np.random.Generator,
) -> float:
    """Estimate the effective VC dimension of anything that learns two classes.

    Parameters
    ----------
    predict : callable
        From numbers of samples and their labels, 0 or 1, to what is said of the same
        samples after learning them.
    n : int
        Number of samples.
    n_sizes : int, default=6
        Sizes of halves to try.
    n_repeats : int, default=20
        Random relabellings per size.
    rng : numpy.random.Generator
        Where labels come from.

    Returns
    -------
    float
        At most twice the samples, beyond which nothing can be told.

    Raises
    ------
    InsufficientDataError
        If there are fewer than 16 samples.
    """
    if n < _MIN_SAMPLES:
        problem = f"too few samples to measure capacity: {n}"
        remedy = f"give {_MIN_SAMPLES} at least"
        raise InsufficientDataError(problem, parameter="X", remedy=remedy)
    sizes = np.unique(np.geomspace(4, n // 2, n_sizes).astype(int))
    found = []
    for half in sizes:
        gaps = []
        for _ in range(n_repeats):
            rows = rng.permutation(n)[: 2 * half]
            labels = rng.permutation(np.arange(2 * half) % 2)
            taught = labels.copy()
            # To agree with the first half and disagree with the second is the most
            # that the halves can differ.
            taught[half:] = 1 - taught[half:]
            if np.ptp(taught) == 0:
                continue
            wrong = predict(rows, taught) != labels
            gaps.append(abs(wrong[:half].mean() - wrong[half:].mean()))
        found.append(np.mean(gaps))
    grid = np.geomspace(0.5, 2 * n, 400)
    misfit = [
        np.sum((expected_deviation(sizes / h) - np.array(found)) ** 2) for h in grid
    ]
    return float(grid[int(np.argmin(misfit))])


def can_be_bounded(
    metric: Metric, data: EvaluationData, vc_dimension: float | str | None = None
) -> bool:
    """Tell whether capacity bounds a metric: accuracy or error of classes.

    A dimension is measured of two classes only.
    """
    is_told = not isinstance(vc_dimension, str)
    return (
        metric.is_binary and data.is_classification and (is_told or data.n_classes == 2)
    )


def hypothesis_intervals(
    estimator: Any,
    data: EvaluationData,
    metrics: Sequence[Metric],
    hypotheses: Hypotheses | None,
    *,
    level: float,
    rng: np.random.Generator,
    time_limit: float | None = None,
) -> dict[str, ScoreInterval]:
    """Bound the error of a fit to all samples by the number of rules of its kind.

    Parameters
    ----------
    estimator : estimator
        The model, which learns such rules.
    data : EvaluationData
        The samples.
    metrics : sequence of Metric
        Those that `can_be_bounded` have such an interval.
    hypotheses : Hypotheses or None
        The kind of rules; None for no bound.
    level : float
        Confidence level.
    rng : numpy.random.Generator
        For the fit.
    time_limit : float, optional
        Seconds that the fit may take.

    Returns
    -------
    dict of str to ScoreInterval
        By the name of the metric.

    Raises
    ------
    FitFailedError
        If the model fails on all samples.
    InsufficientDataError
        If features are no numbers.
    """
    wanted = [metric for metric in metrics if can_be_bounded(metric, data)]
    if hypotheses is None or not wanted:
        return {}
    values = data.matrix()
    if values is None:
        problem = "rules are counted of features that are numbers, none of them missing"
        raise InsufficientDataError(problem, parameter="X")
    n = math.floor(n_independent(data.groups, data.n_samples))
    everyone = np.arange(data.n_samples)
    split = Split(train=everyone, test=everyone)
    found = fit_and_test(estimator, data, split, rng, time_limit=time_limit)
    if found.failure is not None:
        raise ModelFailedError(found.failure)
    if found.predictions is None:
        raise InsufficientDataError("nothing was predicted")
    _check_leaves(estimator, data, hypotheses)
    error = METRICS["error_rate"].measure(found.predictions)
    is_boolean = bool(np.isin(values, (0, 1)).all())
    # Numbers are divided between neighbours of twice the samples, as Vapnik counts.
    per_feature = 1 if is_boolean else max(2 * n - 1, 1)
    count = hypotheses.log_count(data.n_features * per_feature, data.n_classes)
    upper = occam_upper if is_boolean else growth_upper
    bound = ScoreInterval(
        method="occam",
        low=0.0,
        high=upper(error, count, n, 1 - level),
        of_groups=data.groups is not None,
        hypotheses=str(hypotheses),
        log_hypotheses=count,
    )
    turned = replace(bound, low=1 - bound.high, high=1.0)
    return {x.name: turned if x.greater_is_better else bound for x in wanted}


def _check_leaves(estimator: Any, data: EvaluationData, hypotheses: Hypotheses) -> None:
    """Refuse a tree that has grown more leaves than were counted."""
    if hypotheses.name != "tree" or not hasattr(estimator, "get_n_leaves"):
        return
    from sklearn.base import clone

    leaves = clone(estimator).fit(data.X, data.y).get_n_leaves()
    if leaves > hypotheses.size:
        raise InsufficientDataError(
            f"the tree has {leaves} leaves, more than {hypotheses}",
            parameter="hypotheses",
            remedy="keep the tree smaller, as by max_leaf_nodes, or count larger ones",
        )


def capacity_intervals(
    estimator: Any,
    data: EvaluationData,
    metrics: Sequence[Metric],
    vc_dimension: float | str | None,
    *,
    level: float,
    rng: np.random.Generator,
    time_limit: float | None = None,
) -> dict[str, ScoreInterval]:
    """Bound the error of a fit to all samples by its capacity.

    Parameters
    ----------
    estimator : estimator
        The model.
    data : EvaluationData
        The samples.
    metrics : sequence of Metric
        Those that `can_be_bounded` have such an interval.
    vc_dimension : float, "measure" or None
        VC dimension; or measure it on relabelled data; None for no bound.
    level : float
        Confidence level.
    rng : numpy.random.Generator
        For the measurement.
    time_limit : float, optional
        Seconds that one fit may take.

    Returns
    -------
    dict of str to ScoreInterval
        By the name of the metric.

    Raises
    ------
    FitFailedError
        If the model fails on all samples.
    InsufficientDataError
        If there are too few samples to measure by.
    """
    wanted = [x for x in metrics if can_be_bounded(x, data, vc_dimension)]
    if vc_dimension is None or not wanted:
        return {}

    def tested(taught: EvaluationData, rows: IntArray) -> Predictions:
        split = Split(train=rows, test=rows)
        found = fit_and_test(estimator, taught, split, rng, time_limit=time_limit)
        if found.failure is not None:
            raise ModelFailedError(found.failure)
        if found.predictions is None:
            raise InsufficientDataError("nothing was predicted")
        return found.predictions

    def predict(rows: IntArray, taught: IntArray) -> IntArray:
        labels, codes = data.y.copy(), data.codes.copy()
        labels[rows] = np.asarray(data.classes)[taught]
        codes[rows] = taught
        # Relabelled samples belong to no group, and none is kept apart.
        relabelled = replace(data, y=labels, codes=codes, groups=None)
        answer: IntArray = tested(relabelled, rows).predicted
        return answer

    everyone = np.arange(data.n_samples)
    error = METRICS["error_rate"].measure(tested(data, everyone))
    is_measured = isinstance(vc_dimension, str)
    dimension = (
        measured_capacity(predict, data.n_samples, rng=rng)
        if isinstance(vc_dimension, str)
        else vc_dimension
    )
    # Of the samples of a group there is one at most that the others do not foretell.
    n = math.floor(n_independent(data.groups, data.n_samples))
    worst = vapnik_upper(error, dimension, n, 1 - level, data.n_classes)
    bound = ScoreInterval(
        method="vapnik",
        low=0.0,
        high=worst,
        of_groups=data.groups is not None,
        vc_dimension=dimension,
        is_measured=is_measured,
    )
    turned = replace(bound, low=1 - bound.high, high=1.0)
    return {x.name: turned if x.greater_is_better else bound for x in wanted}
