"""Metrics: what they need, which way is better, how far they reach.

A metric looks at `Predictions`. Whatever needs a class that no sample has is NaN:
undefined, never zero.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np
import scipy  # its parts load when first used
from numpy.typing import ArrayLike, NDArray

from scorecast._core.checks import check_one_of
from scorecast._core.registry import Method, Registry
from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.evaluation.roc import area_under_curve
from scorecast.exceptions import InvalidInputError, UsageError


class Task(StrEnum):
    """What is predicted."""

    CLASSIFICATION = "classification"
    REGRESSION = "regression"


class Needs(StrEnum):
    """What a metric takes of a model."""

    LABELS = "labels"
    SCORES = "scores"
    PROBABILITIES = "probabilities"
    NUMBERS = "numbers"


class PosLabel(StrEnum):
    """Whether a metric is about one class, the last in sorted order if none is named.

    TWO_CLASSES: only where there are two.
    """

    ALWAYS = "always"
    TWO_CLASSES = "two-classes"
    NO = "no"


@dataclass(frozen=True, kw_only=True, eq=False)
class Predictions:
    """What a model said of samples, beside what was true.

    Attributes
    ----------
    truth : ndarray of shape (n,)
        Codes of classes, or numbers.
    predicted : ndarray of shape (n,)
        The same as the model says.
    scores : ndarray of shape (n, n_classes) or None
        Scores of classes, greater for likelier ones, where the model gives them.
    is_probability : bool
        Whether the scores are probabilities.
    n_classes : int
        Number of classes; 0 for numbers.
    scale : float
        Range of the targets of all samples, of those tested and the others.
    """

    truth: NDArray[Any]
    predicted: NDArray[Any]
    scores: FloatArray | None = None
    is_probability: bool = False
    n_classes: int = 0
    scale: float = math.nan

    @property
    def n(self) -> int:
        """Number of samples."""
        return int(self.truth.shape[0])

    def take(self, rows: IntArray | BoolArray) -> Predictions:
        """Return some of the samples."""
        return replace(
            self,
            truth=self.truth[rows],
            predicted=self.predicted[rows],
            scores=None if self.scores is None else self.scores[rows],
        )

    def swapped(self, code: int | None) -> Predictions:
        """Let a class and the last one change places: formulas are of the last."""
        if code is None:
            return self
        place = np.arange(self.n_classes)
        place[[code, -1]] = place[[-1, code]]
        return replace(
            self,
            truth=place[self.truth],
            predicted=place[self.predicted],
            scores=None if self.scores is None else self.scores[:, place],
        )


class ByFrequency(StrEnum):
    """Whether a metric depends on how often classes are tested."""

    NO = "no"
    MANY_CLASSES = "many-classes"  # only of more than two
    ALWAYS = "always"


@dataclass(frozen=True, kw_only=True)
class Metric(Method):
    """One view on how well a model does.

    Attributes
    ----------
    task : Task
        What is predicted.
    needs : Needs
        What it takes of a model.
    greater_is_better : bool
        Which way is better.
    low, high : float
        Least and greatest value; `high` may be infinite.
    high_of_two : float or None
        Greatest value with two classes, where that is another one.
    per_sample : callable or None
        From predictions to the value of every sample, if the metric is their mean.
    whole : callable or None
        From predictions to one value, otherwise.
    whole_present : callable or None
        The same over the classes that samples have, where `whole` is undefined if one
        has none: for resamples, which may lack a class.
    is_binary : bool
        Whether the values of samples are 0 and 1 only.
    by_class : bool
        Whether its precision hangs on the smallest class.
    by_frequency : ByFrequency
        Whether it depends on how often classes are tested: then it means something else
        where these are tested equally often.
    pos_label : PosLabel
        Whether it is about one class.
    pos_code : int or None
        Number of that class, where it is not the last.
    is_proportion : bool
        Whether people read it in percent.
    sklearn_name : str
        Its function in `sklearn.metrics`, if there is one.
    """

    task: Task = Task.CLASSIFICATION
    needs: Needs = Needs.LABELS
    greater_is_better: bool
    low: float = 0.0
    high: float = 1.0
    high_of_two: float | None = None
    per_sample: Callable[[Predictions], FloatArray] | None = None
    whole: Callable[[Predictions], float] | None = None
    whole_present: Callable[[Predictions], float] | None = None
    is_binary: bool = False
    by_class: bool = False
    by_frequency: ByFrequency = ByFrequency.NO
    pos_label: PosLabel = PosLabel.NO
    pos_code: int | None = None
    is_proportion: bool = False
    sklearn_name: str = ""

    @classmethod
    def unnamed(
        cls,
        best: float | None = None,
        worst: float | None = None,
        *,
        greater_is_better: bool = True,
        name: str = "score",
    ) -> Metric:
        """Return a metric that is known by its direction and its ends alone.

        Parameters
        ----------
        best, worst : float, optional
            The best and the worst value there can be; by default 1, or 0 where smaller
            is better, and no end.
        greater_is_better : bool, default=True
            Which way is better.
        name : str, default="score"
            What it is called.

        Returns
        -------
        Metric
            It measures nothing itself.
        """
        if best is None:
            best = 1.0 if greater_is_better else 0.0
        if worst is None:
            worst = -math.inf if greater_is_better else math.inf
        return cls(
            name=name,
            title=name,
            summary="a score of which no more is known",
            greater_is_better=greater_is_better,
            low=float(min(best, worst)),
            high=float(max(best, worst)),
        )

    @property
    def best(self) -> float:
        """The best value there can be."""
        return self.high if self.greater_is_better else self.low

    @property
    def worst(self) -> float:
        """The worst value there can be; infinite where there is none."""
        return self.low if self.greater_is_better else self.high

    @property
    def is_mean_of_samples(self) -> bool:
        """Whether every sample has a value of its own."""
        return self.per_sample is not None

    @property
    def is_class_share(self) -> bool:
        """Whether it is the share of right ones among the samples of some classes."""
        return self.pos_label is PosLabel.ALWAYS

    @property
    def is_bounded(self) -> bool:
        """Whether there is a worst value."""
        return math.isfinite(self.high)

    def high_for(self, n_classes: int) -> float:
        """Return the greatest value with so many classes."""
        is_other = n_classes == 2 and self.high_of_two is not None
        return self.high_of_two if is_other and self.high_of_two else self.high

    def class_of(self, classes: Sequence[Any]) -> str:
        """Name the class it is about; empty where it is about all."""
        is_one = self.pos_label is PosLabel.TWO_CLASSES and len(classes) == 2
        if self.is_class_share or is_one:
            return str(classes[-1 if self.pos_code is None else self.pos_code])
        return ""

    def can_measure(self, predictions: Predictions) -> bool:
        """Tell whether the model gives what the metric needs."""
        if self.needs in (Needs.LABELS, Needs.NUMBERS):
            return True
        has_scores = predictions.scores is not None
        return has_scores and (self.needs is Needs.SCORES or predictions.is_probability)

    def samples(self, predictions: Predictions) -> FloatArray | None:
        """Return the value of every sample, or None if there is no such thing."""
        return None if self.per_sample is None else self.per_sample(predictions)

    def measure(self, predictions: Predictions, *, absent: str = "nan") -> float:
        """Return the value of all samples together; NaN where it is undefined.

        Parameters
        ----------
        predictions : Predictions
            Tested samples.
        absent : {"nan", "ignore"}, default="nan"
            What a class without samples does to a mean over classes: makes it
            undefined, or is left out.

        Returns
        -------
        float
            The value.
        """
        if self.per_sample is not None:
            return float(np.mean(self.per_sample(predictions)))
        of_present = self.whole_present if absent == "ignore" else None
        whole = of_present or self.whole
        if whole is None:
            problem = f"{self.name!r} measures neither one sample nor all together"
            raise UsageError(problem, parameter="scoring")
        return float(whole(predictions.swapped(self.pos_code)))

    def as_error(self, value: FloatArray) -> FloatArray:
        """Turn values so that smaller is better."""
        return -value if self.greater_is_better else value


METRICS: Registry[Metric] = Registry()


# Of labels ------------------------------------------------------------------------


def confusion(truth: IntArray, predicted: IntArray, n_classes: int) -> FloatArray:
    """Count samples by true (row) and predicted (column) class."""
    cells = np.bincount(truth * n_classes + predicted, minlength=n_classes**2)
    counts: FloatArray = cells.reshape(n_classes, n_classes).astype(np.float64)
    return counts


def _counts(predictions: Predictions) -> FloatArray:
    p = predictions
    return confusion(p.truth, p.predicted, p.n_classes)


def recalls(counts: FloatArray) -> FloatArray:
    """Return the share of every class that is recognised; NaN without samples."""
    total = counts.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        share: FloatArray = np.diag(counts) / total
    return share


def balanced_accuracy(counts: FloatArray, *, absent: str = "nan") -> float:
    """Return the mean recall over classes.

    Parameters
    ----------
    counts : ndarray of shape (n_classes, n_classes)
        Samples by true and predicted class.
    absent : {"nan", "ignore"}, default="nan"
        What a class without samples does: makes it undefined, or is left out.

    Returns
    -------
    float
        The mean.
    """
    each = recalls(counts)
    if absent == "ignore":
        each = each[counts.sum(axis=1) > 0]
    return float(each.mean())


def specificity(counts: FloatArray) -> float:
    """Return the share of the other classes that is not taken for the last one."""
    others = counts[:-1].sum()
    return float(counts[:-1, :-1].sum() / others) if others else math.nan


def f_measure(counts: FloatArray) -> float:
    """Return F1 of the last of two classes, or the mean of F1 over more.

    NaN where a class is neither present nor predicted.
    """
    both = counts.sum(axis=0) + counts.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        each = 2 * np.diag(counts) / both
    return float(each[-1] if counts.shape[0] == 2 else each.mean())


def matthews(counts: FloatArray) -> float:
    """Return Matthews' correlation, for any number of classes.

    0 where everything is said to be of one class; NaN where everything is.
    """
    true, said, n = counts.sum(axis=1), counts.sum(axis=0), counts.sum()
    over = np.trace(counts) * n - true @ said
    left, right = n**2 - true @ true, n**2 - said @ said
    if left == 0:
        return math.nan
    return float(over / np.sqrt(left * right)) if right else 0.0


def _right(predictions: Predictions) -> FloatArray:
    right: FloatArray = (predictions.truth == predictions.predicted).astype(np.float64)
    return right


METRICS.add(
    Metric(
        name="accuracy",
        title="accuracy",
        summary="share of samples that are right",
        greater_is_better=True,
        per_sample=_right,
        is_binary=True,
        is_proportion=True,
        sklearn_name="accuracy_score",
    )
)
METRICS.add(
    Metric(
        name="error_rate",
        title="error rate",
        summary="share of samples that are wrong",
        greater_is_better=False,
        aliases=("error",),
        per_sample=lambda p: 1 - _right(p),
        is_binary=True,
        is_proportion=True,
        sklearn_name="zero_one_loss",
    )
)
METRICS.add(
    Metric(
        name="balanced_accuracy",
        title="balanced accuracy",
        summary="mean recall of the classes, however rare",
        reference="K. H. Brodersen, C. S. Ong, K. E. Stephan and J. M. Buhmann (2010). "
        "The balanced accuracy and its posterior distribution. International "
        "Conference on Pattern Recognition 20.",
        greater_is_better=True,
        aliases=("balanced-accuracy",),
        whole=lambda p: balanced_accuracy(_counts(p)),
        whole_present=lambda p: balanced_accuracy(_counts(p), absent="ignore"),
        by_class=True,
        is_proportion=True,
        sklearn_name="balanced_accuracy_score",
    )
)


# Of scores and probabilities ------------------------------------------------------


def _scores(predictions: Predictions) -> FloatArray:
    if predictions.scores is None:
        problem = "needs scores of classes, and the model gives none"
        raise UsageError(problem, parameter="scoring")
    return predictions.scores


def roc_auc(truth: IntArray, scores: FloatArray) -> float:
    """Return the area under the ROC curve, ties counted half.

    Parameters
    ----------
    truth : ndarray of int of shape (n,)
        Codes.
    scores : ndarray of shape (n, n_classes)
        Scores; with more than two classes, the mean of each against the rest.

    Returns
    -------
    float
        NaN if a class, or all other classes, have no sample.
    """
    if scores.shape[1] == 2:
        # In two classes the difference is what decides, whatever the scale.
        return area_under_curve(truth == 1, scores[:, 1] - scores[:, 0])
    each = [area_under_curve(truth == c, scores[:, c]) for c in range(scores.shape[1])]
    return float(np.mean(each))


METRICS.add(
    Metric(
        name="roc_auc",
        title="AUC",
        summary="chance that a sample of the class outranks one that is not",
        reference="J. A. Hanley and B. J. McNeil (1982). The meaning and use of the "
        "area under a receiver operating characteristic (ROC) curve. Radiology 143.",
        greater_is_better=True,
        aliases=("auc",),
        needs=Needs.SCORES,
        whole=lambda p: roc_auc(p.truth, _scores(p)),
        by_class=True,
        sklearn_name="roc_auc_score",
    )
)
METRICS.add(
    Metric(
        name="sensitivity",
        title="sensitivity",
        summary="share of the positive class that is recognised (recall)",
        greater_is_better=True,
        aliases=("recall",),
        whole=lambda p: float(recalls(_counts(p))[-1]),
        by_class=True,
        pos_label=PosLabel.ALWAYS,
        is_proportion=True,
        sklearn_name="recall_score",
    )
)
METRICS.add(
    Metric(
        name="specificity",
        by_frequency=ByFrequency.MANY_CLASSES,
        title="specificity",
        summary="share of the other classes that is not taken for the positive one",
        greater_is_better=True,
        whole=lambda p: specificity(_counts(p)),
        by_class=True,
        pos_label=PosLabel.ALWAYS,
        is_proportion=True,
    )
)
METRICS.add(
    Metric(
        name="f1",
        by_frequency=ByFrequency.ALWAYS,
        title="F1",
        summary="harmonic mean of precision and recall; its mean over many classes",
        greater_is_better=True,
        whole=lambda p: f_measure(_counts(p)),
        by_class=True,
        pos_label=PosLabel.TWO_CLASSES,
        sklearn_name="f1_score",
    )
)
METRICS.add(
    Metric(
        name="matthews_corrcoef",
        by_frequency=ByFrequency.ALWAYS,
        title="Matthews' correlation",
        summary="correlation of truth and prediction",
        reference="B. W. Matthews (1975). Comparison of the predicted and observed "
        "secondary structure of T4 phage lysozyme. Biochimica et Biophysica Acta 405.",
        greater_is_better=True,
        aliases=("mcc",),
        low=-1.0,
        whole=lambda p: matthews(_counts(p)),
        by_class=True,
        sklearn_name="matthews_corrcoef",
    )
)


def log_loss_samples(truth: IntArray, probabilities: FloatArray) -> FloatArray:
    """Return minus the log-probability of what was true, infinite for none."""
    with np.errstate(divide="ignore"):
        loss: FloatArray = -np.log(probabilities[np.arange(truth.size), truth])
    return loss


METRICS.add(
    Metric(
        name="log_loss",
        title="log-loss",
        summary="mean surprise at what came true, in nats",
        reference="I. J. Good (1952). Rational decisions. Journal of the Royal "
        "Statistical Society B 14.",
        greater_is_better=False,
        aliases=("log-loss",),
        high=math.inf,
        needs=Needs.PROBABILITIES,
        per_sample=lambda p: log_loss_samples(p.truth, _scores(p)),
        sklearn_name="log_loss",
    )
)


def brier_samples(truth: IntArray, probabilities: FloatArray) -> FloatArray:
    """Return the squared distance from certainty; half of it for two classes."""
    target = np.eye(probabilities.shape[1])[truth]
    squares = ((probabilities - target) ** 2).sum(axis=1)
    whole: FloatArray = squares / 2 if probabilities.shape[1] == 2 else squares
    return whole


METRICS.add(
    Metric(
        name="brier_score",
        title="Brier score",
        summary="squared distance of probabilities from what came true",
        reference="G. W. Brier (1950). Verification of forecasts expressed in terms of "
        "probability. Monthly Weather Review 78.",
        greater_is_better=False,
        aliases=("brier",),
        high=2.0,
        high_of_two=1.0,  # halved, as is usual
        needs=Needs.PROBABILITIES,
        per_sample=lambda p: brier_samples(p.truth, _scores(p)),
        sklearn_name="brier_score_loss",
    )
)


def margins(truth: IntArray, scores: FloatArray) -> FloatArray:
    """Return by how much the true class leads; negative where another one does."""
    rows = np.arange(truth.size)
    others = scores.astype(np.float64, copy=True)
    others[rows, truth] = -np.inf
    lead: FloatArray = scores[rows, truth] - others.max(axis=1)
    return lead


def smoothed_error_samples(
    truth: IntArray, scores: FloatArray, width: float
) -> FloatArray:
    """Return Glick's smoothed error: near the border a sample counts in part.

    Parameters
    ----------
    truth : ndarray of int of shape (n,)
        Codes.
    scores : ndarray of shape (n, n_classes)
        Scores.
    width : float
        Width of the ramp, in units of the margin; towards 0 it counts errors.

    Returns
    -------
    ndarray of shape (n,)
        Between 0 and 1.
    """
    smooth: FloatArray = scipy.special.ndtr(-margins(truth, scores) / width)
    return smooth


def smoothed_error(width: float = 0.1) -> Metric:
    """Make Glick's smoothed error with a ramp of the given width.

    Parameters
    ----------
    width : float, default=0.1
        In units of the margin between the scores of the true class and the next.

    Returns
    -------
    Metric
        Called ``"smoothed_error"``.

    Raises
    ------
    UsageError
        If the width is not positive.
    """
    if not width > 0:
        raise UsageError(f"must be positive; got {width!r}", parameter="width")
    return Metric(
        name="smoothed_error",
        title="smoothed error",
        summary="error rate that counts samples near the border in part",
        reference="N. Glick (1978). Additive estimators for probabilities of correct "
        "classification. Pattern Recognition 10.",
        greater_is_better=False,
        aliases=("smoothed-error",),
        needs=Needs.SCORES,
        per_sample=lambda p: smoothed_error_samples(p.truth, _scores(p), width),
        is_proportion=True,
    )


METRICS.add(smoothed_error())


def posterior_error_samples(probabilities: FloatArray) -> FloatArray:
    """Return the chance of error that the model itself states."""
    stated: FloatArray = 1 - probabilities.max(axis=1)
    return stated


METRICS.add(
    Metric(
        name="posterior_error",
        title="posterior error",
        summary="chance of error that the model itself states",
        reference="T. Lissack and K.-S. Fu (1976). Error estimation in pattern "
        "recognition via L-alpha distance between posterior density functions. IEEE "
        "Transactions on Information Theory 22.",
        greater_is_better=False,
        aliases=("posterior-error",),
        needs=Needs.PROBABILITIES,
        per_sample=lambda p: posterior_error_samples(_scores(p)),
        is_proportion=True,
    )
)


def cost_metric(cost: ArrayLike) -> Metric:
    """Make the mean cost of decisions.

    Parameters
    ----------
    cost : array-like of shape (n_classes, n_classes)
        ``cost[l, i]`` of answering class l where class i is true: a row for every
        answer, a column for every truth. Classes are in sorted order.

    Returns
    -------
    Metric
        Called ``"cost"``.

    Raises
    ------
    InvalidInputError
        If the matrix is not square, or holds what is no finite number.

    Examples
    --------
    >>> missed = cost_metric([[0, 9], [1, 0]])  # to answer 0 where 1 is true costs 9
    >>> missed.name, missed.high
    ('cost', 9.0)
    """
    try:
        table = np.asarray(cost, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError("must hold numbers", parameter="cost") from error
    if table.ndim != 2 or table.shape[0] != table.shape[1] or table.size == 0:
        problem = f"must be square; got shape {table.shape}"
        raise InvalidInputError(problem, parameter="cost")
    if not np.isfinite(table).all():
        problem = "holds costs that are not finite"
        raise InvalidInputError(problem, parameter="cost")

    def per_sample(predictions: Predictions) -> FloatArray:
        if table.shape[0] != predictions.n_classes:
            raise InvalidInputError(
                f"is for {table.shape[0]} classes; there are {predictions.n_classes}",
                parameter="cost",
            )
        costs: FloatArray = table[predictions.predicted, predictions.truth]
        return costs

    return Metric(
        name="cost",
        title="mean cost",
        summary="mean cost of decisions, by a matrix of costs",
        greater_is_better=False,
        low=float(table.min()),
        high=float(table.max()),
        per_sample=per_sample,
    )


# Of numbers -----------------------------------------------------------------------


def root_mean_squared_error(truth: FloatArray, predicted: FloatArray) -> float:
    """Return the root of the mean squared error."""
    return float(np.sqrt(np.mean((truth - predicted) ** 2)))


def symmetric_errors(truth: FloatArray, predicted: FloatArray) -> FloatArray:
    """Return the error relative to the mean of both sizes, 0 where both are zero."""
    size = (np.abs(truth) + np.abs(predicted)) / 2
    error = np.abs(predicted - truth)
    share: FloatArray = np.divide(error, size, out=np.zeros_like(size), where=size > 0)
    return share


def relative_errors(truth: FloatArray, predicted: FloatArray) -> FloatArray:
    """Return the error relative to the target; NaN where that is zero."""
    size = np.abs(truth)
    error = np.abs(predicted - truth)
    share: FloatArray = np.divide(
        error, size, out=np.full_like(size, np.nan), where=size > 0
    )
    return share


def _add_number_metric(
    name: str, title: str, summary: str, alias: str, **facts: Any
) -> None:
    """Register a metric of numbers, of which smaller values are better."""
    defaults: dict[str, Any] = {"high": math.inf, "greater_is_better": False}
    METRICS.add(
        Metric(
            name=name,
            title=title,
            summary=summary,
            aliases=(alias,),
            task=Task.REGRESSION,
            needs=Needs.NUMBERS,
            **(defaults | facts),
        )
    )


_add_number_metric(
    "root_mean_squared_error",
    "root mean squared error",
    "typical error, in the units of the target",
    "rmse",
    whole=lambda p: root_mean_squared_error(p.truth, p.predicted),
    sklearn_name="root_mean_squared_error",
)
_add_number_metric(
    "mean_squared_error",
    "mean squared error",
    "mean of squared errors",
    "mse",
    per_sample=lambda p: (p.truth - p.predicted) ** 2,
    sklearn_name="mean_squared_error",
)
_add_number_metric(
    "mean_absolute_error",
    "mean absolute error",
    "mean of errors without their sign",
    "mae",
    per_sample=lambda p: np.abs(p.truth - p.predicted),
    sklearn_name="mean_absolute_error",
)
_add_number_metric(
    "normalized_root_mean_squared_error",
    "normalized root mean squared error",
    "root mean squared error by the range of all targets",
    "nrmse",
    whole=lambda p: root_mean_squared_error(p.truth, p.predicted) / p.scale,
)
_add_number_metric(
    "symmetric_mean_absolute_percentage_error",
    "symmetric mean absolute percentage error",
    "error relative to the mean of target and prediction",
    "smape",
    high=2.0,
    per_sample=lambda p: symmetric_errors(p.truth, p.predicted),
)
_add_number_metric(
    "mean_absolute_percentage_error",
    "mean absolute percentage error",
    "error relative to the target",
    "mape",
    per_sample=lambda p: relative_errors(p.truth, p.predicted),
    sklearn_name="mean_absolute_percentage_error",
)


# What is asked for ----------------------------------------------------------------

_USUAL = {
    Task.CLASSIFICATION: ("accuracy", "balanced_accuracy"),
    Task.REGRESSION: ("root_mean_squared_error",),
}


def check_scoring(
    scoring: str | Metric | Sequence[str | Metric] | None, task: Task
) -> tuple[Metric, ...]:
    """Look up metrics and refuse those of another task.

    Parameters
    ----------
    scoring : str, Metric, sequence of them or None
        The first is the one that tests and verdict look at; None takes those that
        are usual for the task.
    task : Task
        What is predicted.

    Returns
    -------
    tuple of Metric
        In the order given.

    Raises
    ------
    UsageError
        If one is unknown, given twice, or of another task.
    """
    given = _USUAL[task] if scoring is None else scoring
    is_one = isinstance(given, str | Metric) or not hasattr(given, "__iter__")
    several: list[Any] = [given] if is_one else list(given)  # type: ignore[arg-type]
    found = tuple(
        x if isinstance(x, Metric) else METRICS.choose(x, parameter="scoring")
        for x in several
    )
    if not found:
        known = ", ".join(METRICS.select(task=task))
        problem = f"is empty: leave it out, or name one of {known}"
        raise UsageError(problem, parameter="scoring")
    for metric in found:
        if metric.task is not task:
            problem = f"{metric.name} is for {metric.task}, the models for {task}"
            raise UsageError(problem, parameter="scoring")
    names = [metric.name for metric in found]
    if len(set(names)) < len(names):
        problem = f"must be different ones; got {', '.join(names)}"
        raise UsageError(problem, parameter="scoring")
    return found


def metrics_for(
    metrics: Sequence[Metric], n_classes: int, pos_code: int | None = None
) -> tuple[Metric, ...]:
    """Give metrics the range they have with so many classes, and the class they mean.

    The Brier score of two classes is halved, as is usual, and ends at 1.
    """
    return tuple(
        replace(
            metric,
            high=metric.high_for(n_classes),
            pos_code=None if metric.pos_label is PosLabel.NO else pos_code,
        )
        for metric in metrics
    )


def find_pos_label(pos_label: Any, classes: Sequence[Any]) -> int:
    """Find the class that is called positive, by itself or by its name.

    Examples
    --------
    >>> find_pos_label("sick", ["sick", "well"]), find_pos_label("1", [0, 1])
    (0, 1)
    """
    if not classes:
        problem = "is one of several classes, but the models are for numbers"
        raise UsageError(problem, parameter="pos_label")
    if pos_label in classes:
        return list(classes).index(pos_label)
    names = [str(name) for name in classes]
    return names.index(check_one_of(str(pos_label), "pos_label", names))
