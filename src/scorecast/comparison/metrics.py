"""Metrics by name, for two models on the same cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from scorecast._core.checks import check_choice
from scorecast._core.types import FloatArray
from scorecast.comparison.pair_inputs import PairInputs, check_pair
from scorecast.exceptions import InvalidInputError, UsageError

__all__ = ["METRICS", "NamedMetric", "case_values", "measured"]

_OF_MEANS = (
    "bootstrap", "permutation", "wilcoxon", "sign", "paired-t", "clustered-t",
)  # fmt: skip
_OF_ANY = ("bootstrap", "permutation")


@dataclass(frozen=True, kw_only=True)
class NamedMetric:
    """A metric that has a name.

    Attributes
    ----------
    name, title : str
        How it is asked for, and how it is written.
    takes : str
        What the models say: ``"labels"``, ``"scores"``, ``"probabilities"`` (both of
        the class that sorts last of two), or ``"numbers"``.
    greater_is_better : bool
        Which way is better.
    is_share : bool
        Whether it lies between 0 and 1.
    of_case : callable or None
        From truth and predictions to the value of every case, if it is a mean.
    of_all : callable or None
        From truth and predictions to one value, otherwise.
    """

    name: str
    title: str
    takes: str
    greater_is_better: bool
    is_share: bool = False
    of_case: Callable[[NDArray[Any], NDArray[Any]], FloatArray] | None = None
    of_all: Callable[[NDArray[Any], NDArray[Any]], float] | None = None

    @property
    def tests(self) -> tuple[str, ...]:
        """The tests that it can be compared by."""
        return _OF_ANY if self.of_case is None else _OF_MEANS


def measured(given: PairInputs, name: str) -> tuple[PairInputs, NamedMetric]:
    """Measure two models by a metric.

    Parameters
    ----------
    given : PairInputs
        Predictions of both, with what is true.
    name : str
        One of `METRICS`.

    Returns
    -------
    tuple of PairInputs and NamedMetric
        Values of cases where the metric is their mean; else predictions with the
        metric, the truth as 0 and 1 where there are two classes.

    Raises
    ------
    UsageError
        If there is no such metric, or no truth.
    InvalidInputError
        If the models do not say what the metric takes.
    """
    metric = METRICS[check_choice(name, "metric", tuple(METRICS))]
    if given.truth is None:
        msg = f"The metric {name} compares predictions with `y_true`, which is missing."
        raise UsageError(msg)
    truth, first, second = _taken(given, given.truth, metric)
    if metric.of_case is not None:
        values = [metric.of_case(truth, said) for said in (first, second)]
        return replace(given, first=values[0], second=values[1], truth=None), metric
    return replace(
        given, first=first, second=second, truth=truth, metric=metric.of_all
    ), metric


def case_values(
    truth: ArrayLike, said: Mapping[str, ArrayLike], name: str | None = None
) -> tuple[dict[str, FloatArray], bool]:
    """Measure many models case by case.

    Parameters
    ----------
    truth : array-like of shape (n,)
        What is true.
    said : mapping of str to array-like of shape (n,)
        What each model says: labels, or what the metric takes.
    name : str, optional
        A metric that is a mean of cases; right or wrong by default.

    Returns
    -------
    tuple of dict and bool
        The value of every case by model, and whether greater is better.

    Raises
    ------
    UsageError
        If the metric is no mean of cases, or predictions are no labels and there is no
        metric.
    """
    found: dict[str, FloatArray] = {}
    better = True
    for model, values in said.items():
        given = check_pair(values, values, y_true=truth, groups=None, metric=None)
        if name is None:
            if not given.are_labels:
                msg = (
                    f"{model!r} predicts numbers, which need a `metric` that is a mean "
                    "of cases, such as 'brier' or 'mse', to be compared with `y_true`; "
                    "if it is no model, name those that are."
                )
                raise UsageError(msg)
            found[model] = given.right()[0].astype(np.float64)
            continue
        given, metric = measured(given, name)
        if metric.of_case is None:
            msg = (
                f"The metric {name} is no mean of cases, and compares two models: name "
                "two."
            )
            raise UsageError(msg)
        found[model], better = given.first_numbers, metric.greater_is_better
    return found, better


def _taken(
    given: PairInputs, truth: NDArray[Any], metric: NamedMetric
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return truth and predictions as the metric takes them, or say what is wrong."""
    if metric.takes == "labels":
        given.right()  # refuses numbers that are no labels
        return truth, given.first, given.second
    said = (given.first_numbers, given.second_numbers)
    if metric.takes == "numbers":
        if truth.dtype.kind not in "fiub":
            msg = f"The metric {metric.name} needs numbers in `y_true`; it holds text."
            raise InvalidInputError(msg)
        return truth.astype(np.float64), *said
    classes = np.unique(truth)
    if classes.size != 2:
        msg = (
            f"The metric {metric.name} is for two classes; `y_true` has {classes.size}."
        )
        raise InvalidInputError(msg)
    outside = any(((x < 0) | (x > 1)).any() for x in said)
    if metric.takes == "probabilities" and outside:
        msg = (
            f"The metric {metric.name} needs probabilities of {str(classes[1])!r}, "
            "from 0 to 1."
        )
        raise InvalidInputError(msg)
    positive: FloatArray = (truth == classes[1]).astype(np.float64)
    return positive, *said


def _auc(truth: NDArray[Any], scores: NDArray[Any]) -> float:
    """Return the area under the ROC curve; NaN where a class is missing."""
    positive = truth == 1
    ones = int(positive.sum())
    pairs = ones * (truth.size - ones)
    if pairs == 0:
        return float("nan")
    won = float(rankdata(scores)[positive].sum()) - ones * (ones + 1) / 2
    return won / pairs


def _balanced_accuracy(truth: NDArray[Any], said: NDArray[Any]) -> float:
    classes, codes = np.unique(truth, return_inverse=True)
    right = np.bincount(codes, weights=truth == said, minlength=classes.size)
    return float(np.mean(right / np.bincount(codes)))


def _log_loss(truth: NDArray[Any], chances: NDArray[Any]) -> FloatArray:
    with np.errstate(divide="ignore"):
        loss: FloatArray = -np.log(np.where(truth == 1, chances, 1 - chances))
    if not np.isfinite(loss).all():
        msg = (
            "The log-loss is infinite: what came true was given a chance of 0. Keep "
            "probabilities off 0 and 1, or take the metric brier."
        )
        raise InvalidInputError(msg)
    return loss + 0.0


def _rmse(truth: NDArray[Any], said: NDArray[Any]) -> float:
    return float(np.sqrt(np.mean((truth - said) ** 2)))


METRICS = {
    metric.name: metric
    for metric in (
        NamedMetric(
            name="accuracy", title="accuracy", takes="labels", greater_is_better=True,
            is_share=True,
            of_case=lambda truth, said: (truth == said).astype(np.float64),
        ),
        NamedMetric(
            name="balanced-accuracy", title="balanced accuracy", takes="labels",
            greater_is_better=True, is_share=True, of_all=_balanced_accuracy,
        ),
        NamedMetric(
            name="auc", title="AUC", takes="scores", greater_is_better=True,
            is_share=True, of_all=_auc,
        ),
        NamedMetric(
            name="brier", title="Brier score", takes="probabilities",
            greater_is_better=False, is_share=True,
            of_case=lambda truth, said: (truth - said) ** 2,
        ),
        NamedMetric(
            name="log-loss", title="log-loss", takes="probabilities",
            greater_is_better=False, of_case=_log_loss,
        ),
        NamedMetric(
            name="mse", title="mean squared error", takes="numbers",
            greater_is_better=False, of_case=lambda truth, said: (truth - said) ** 2,
        ),
        NamedMetric(
            name="mae", title="mean absolute error", takes="numbers",
            greater_is_better=False, of_case=lambda truth, said: np.abs(truth - said),
        ),
        NamedMetric(
            name="rmse", title="root mean squared error", takes="numbers",
            greater_is_better=False, of_all=_rmse,
        ),
    )
}  # fmt: skip
