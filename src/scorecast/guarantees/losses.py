"""Losses by name: what they need, which way is better, how far they reach."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import check_choice, check_matrix
from scorecast._core.types import FloatArray
from scorecast.exceptions import InvalidInputError, UsageError
from scorecast.guarantees import classification_losses as of_classes
from scorecast.guarantees import regression_losses as of_numbers
from scorecast.guarantees.outcomes import Outcome

__all__ = [
    "LOSSES",
    "Loss",
    "check_losses",
    "cost_loss",
    "losses_for",
    "positive_code",
    "smoothed_loss",
]

_WIDTH = 0.1  # of the ramp of the smoothed error, in units of the margin


@dataclass(frozen=True, kw_only=True)
class Loss:
    """One view on how well a model does.

    Attributes
    ----------
    name : str
        Its name.
    task : str
        ``"classification"`` or ``"regression"``.
    greater_is_better : bool
        Which way is better.
    low, high : float
        Least and greatest value; `high` may be infinite.
    needs : str
        ``"labels"``, ``"scores"`` or ``"probabilities"``.
    per_case : callable or None
        Value of every case, if the loss is their mean.
    whole : callable or None
        Value of all cases together, otherwise.
    is_binary : bool
        Whether the values of cases are 0 and 1 only.
    by_class : bool
        Whether small classes weigh as much as large ones.
    about_last : str
        Whether it is about one class, the last in sorted order unless another is
        named as positive: ``"always"``, of ``"two"`` classes, or ``""``.
    positive : int or None
        Number of the class it is about, where that is not the last.
    """

    name: str
    task: str
    greater_is_better: bool
    low: float = 0.0
    high: float = 1.0
    needs: str = "labels"
    per_case: Callable[[Outcome], FloatArray] | None = None
    whole: Callable[[Outcome], float] | None = None
    is_binary: bool = False
    by_class: bool = False
    about_last: str = ""
    positive: int | None = None

    def class_of(self, classes: Sequence[Any]) -> str:
        """Name the class it is about; empty where it is about all."""
        if self.about_last == "always" or (
            self.about_last == "two" and len(classes) == 2
        ):
            return str(classes[-1 if self.positive is None else self.positive])
        return ""

    @property
    def is_class_share(self) -> bool:
        """Whether it is the share of right ones among the cases of some classes."""
        return self.about_last == "always"

    @property
    def is_bounded(self) -> bool:
        """Whether there is a worst value."""
        return math.isfinite(self.high)

    def can_measure(self, outcome: Outcome) -> bool:
        """Tell whether the model gives what the loss needs."""
        if self.needs == "labels":
            return True
        given = outcome.scores is not None
        return given and (self.needs == "scores" or outcome.is_probability)

    def cases(self, outcome: Outcome) -> FloatArray | None:
        """Return the value of every case, or None if there is no such thing."""
        return None if self.per_case is None else self.per_case(outcome)

    def measure(self, outcome: Outcome) -> float:
        """Return the value of all cases together; NaN where it is undefined.

        Parameters
        ----------
        outcome : Outcome
            Tested cases.

        Returns
        -------
        float
            The value.
        """
        if self.per_case is not None:
            return float(np.mean(self.per_case(outcome)))
        if self.whole is None:
            msg = f"The loss {self.name!r} says neither how a case nor how all count."
            raise UsageError(msg)
        return float(self.whole(_with_last(outcome, self.positive)))

    def as_error(self, value: FloatArray) -> FloatArray:
        """Turn values so that smaller is better."""
        return -value if self.greater_is_better else value


def _with_last(outcome: Outcome, code: int | None) -> Outcome:
    """Let a class and the last one change places: formulas are of the last."""
    if code is None:
        return outcome
    place = np.arange(outcome.n_classes)
    place[[code, -1]] = place[[-1, code]]
    return replace(
        outcome,
        truth=place[outcome.truth],
        predicted=place[outcome.predicted],
        scores=None if outcome.scores is None else outcome.scores[:, place],
    )


def _counts(outcome: Outcome) -> FloatArray:
    return of_classes.confusion(outcome.truth, outcome.predicted, outcome.n_classes)


def _scores(outcome: Outcome) -> FloatArray:
    if outcome.scores is None:
        msg = "This loss needs scores of classes, and the model gives none."
        raise UsageError(msg)
    return outcome.scores


def _class_loss(name: str, *, greater: bool, **facts: Any) -> Loss:
    return Loss(name=name, task="classification", greater_is_better=greater, **facts)


def _number_loss(name: str, **facts: Any) -> Loss:
    defaults: dict[str, Any] = {"high": math.inf}
    return Loss(
        name=name, task="regression", greater_is_better=False, **(defaults | facts)
    )


def smoothed_loss(width: float = _WIDTH) -> Loss:
    """Make Glick's smoothed error with a ramp of the given width.

    Parameters
    ----------
    width : float, default=0.1
        In units of the margin between the scores of the true class and the next.

    Returns
    -------
    Loss
        Called ``"smoothed-error"``.

    Raises
    ------
    UsageError
        If the width is not positive.
    """
    if not width > 0:
        msg = f"`width` of the ramp must be positive; got {width!r}."
        raise UsageError(msg)
    return _class_loss(
        "smoothed-error",
        greater=False,
        needs="scores",
        per_case=lambda o: of_classes.smoothed_error_cases(o.truth, _scores(o), width),
    )


def cost_loss(cost: ArrayLike) -> Loss:
    """Make the mean cost of decisions.

    Parameters
    ----------
    cost : array-like of shape (n_classes, n_classes)
        ``cost[l, i]`` of answering class l where class i is true: a row for every
        answer, a column for every truth, as in `extrapolate_risk` and in the files of
        ``--cost``. Classes are in sorted order.

    Returns
    -------
    Loss
        Called ``"cost"``.

    Raises
    ------
    InvalidInputError
        If the matrix is not square.

    Examples
    --------
    >>> missed = cost_loss([[0, 9], [1, 0]])  # to answer 0 where 1 is true costs 9
    >>> missed.name, missed.high
    ('cost', 9.0)
    """
    table = check_matrix(cost, "The cost matrix").astype(np.float64)
    if table.shape[0] != table.shape[1]:
        msg = f"The cost matrix must be square; got {table.shape}."
        raise InvalidInputError(msg)

    def per_case(outcome: Outcome) -> FloatArray:
        if table.shape[0] != outcome.n_classes:
            msg = (
                f"The cost matrix is for {table.shape[0]} classes; there are "
                f"{outcome.n_classes}."
            )
            raise InvalidInputError(msg)
        costs: FloatArray = table[outcome.predicted, outcome.truth]
        return costs

    return _class_loss(
        "cost",
        greater=False,
        low=float(table.min()),
        high=float(table.max()),
        per_case=per_case,
    )


def _right(outcome: Outcome) -> FloatArray:
    right: FloatArray = (outcome.truth == outcome.predicted).astype(np.float64)
    return right


def _wrong(outcome: Outcome) -> FloatArray:
    return 1 - _right(outcome)


def _last_sensitivity(outcome: Outcome) -> float:
    return float(of_classes.class_sensitivity(_counts(outcome))[-1])


LOSSES: dict[str, Loss] = {
    loss.name: loss
    for loss in (
        _class_loss("accuracy", greater=True, per_case=_right, is_binary=True),
        _class_loss("error", greater=False, per_case=_wrong, is_binary=True),
        _class_loss(
            "balanced-accuracy",
            greater=True,
            whole=lambda o: of_classes.balanced_accuracy(_counts(o)),
            by_class=True,
        ),
        _class_loss(
            "auc",
            greater=True,
            needs="scores",
            whole=lambda o: of_classes.auc(o.truth, _scores(o)),
            by_class=True,
        ),
        _class_loss(
            "sensitivity",
            greater=True,
            whole=_last_sensitivity,
            by_class=True,
            about_last="always",
        ),
        _class_loss(
            "specificity",
            greater=True,
            whole=lambda o: of_classes.specificity(_counts(o)),
            by_class=True,
            about_last="always",
        ),
        _class_loss(
            "f1",
            greater=True,
            whole=lambda o: of_classes.f_measure(_counts(o)),
            by_class=True,
            about_last="two",
        ),
        _class_loss(
            "mcc",
            greater=True,
            low=-1.0,
            whole=lambda o: of_classes.matthews(_counts(o)),
            by_class=True,
        ),
        _class_loss(
            "log-loss",
            greater=False,
            high=math.inf,
            needs="probabilities",
            per_case=lambda o: of_classes.log_loss_cases(o.truth, _scores(o)),
        ),
        _class_loss(
            "brier",
            greater=False,
            high=2.0,
            needs="probabilities",
            per_case=lambda o: of_classes.brier_cases(o.truth, _scores(o)),
        ),
        smoothed_loss(),
        _class_loss(
            "posterior-error",
            greater=False,
            needs="probabilities",
            per_case=lambda o: of_classes.posterior_error_cases(_scores(o)),
        ),
        _number_loss("rmse", whole=lambda o: of_numbers.rmse(o.truth, o.predicted)),
        _number_loss("mse", per_case=lambda o: (o.truth - o.predicted) ** 2),
        _number_loss("mae", per_case=lambda o: np.abs(o.truth - o.predicted)),
        _number_loss(
            "nrmse", whole=lambda o: of_numbers.rmse(o.truth, o.predicted) / o.scale
        ),
        _number_loss(
            "smape",
            high=2.0,
            per_case=lambda o: of_numbers.smape_cases(o.truth, o.predicted),
        ),
        _number_loss(
            "relative-error",
            per_case=lambda o: of_numbers.relative_error_cases(o.truth, o.predicted),
        ),
    )
}

_DEFAULT = {
    "classification": ("accuracy", "balanced-accuracy"),
    "regression": ("rmse",),
}


def positive_code(positive: Hashable, classes: Sequence[Hashable]) -> int:
    """Find the class that is called positive.

    Parameters
    ----------
    positive : hashable
        The class, or its name.
    classes : sequence of hashable
        All classes; empty for numbers.

    Returns
    -------
    int
        Its number.

    Raises
    ------
    UsageError
        If there is no such class.

    Examples
    --------
    >>> positive_code("sick", ["sick", "well"]), positive_code("1", [0, 1])
    (0, 1)
    """
    if not classes:
        msg = "`positive` is one of several classes, but the models are for numbers."
        raise UsageError(msg)
    if positive in classes:
        return list(classes).index(positive)
    names = [str(name) for name in classes]
    return names.index(check_choice(str(positive), "positive", names))


def losses_for(
    losses: Sequence[Loss], n_classes: int, positive: int | None = None
) -> tuple[Loss, ...]:
    """Give losses the range they have with so many classes, and the class they mean.

    The Brier score of two classes is halved, as is usual, and ends at 1.

    Parameters
    ----------
    losses : sequence of Loss
        The losses.
    n_classes : int
        Number of classes; 0 for numbers.
    positive : int, optional
        Number of the class that losses of one class are about; the last by default.

    Returns
    -------
    tuple of Loss
        In the same order.
    """
    return tuple(
        replace(
            loss,
            high=1.0 if loss.name == "brier" and n_classes == 2 else loss.high,
            positive=positive if loss.about_last else None,
        )
        for loss in losses
    )


def check_losses(
    losses: str | Loss | Sequence[str | Loss] | None, task: str
) -> tuple[Loss, ...]:
    """Look up losses and refuse those of another task.

    Parameters
    ----------
    losses : str, Loss, sequence of them or None
        The first is the one that tests and verdict look at; None takes those that
        are usual for the task.
    task : str
        The task.

    Returns
    -------
    tuple of Loss
        In the order given.

    Raises
    ------
    UsageError
        If one is unknown, given twice, or of another task.
    """
    given = _DEFAULT[task] if losses is None else losses
    is_one = isinstance(given, str | Loss) or not hasattr(given, "__iter__")
    several: list[Any] = [given] if is_one else list(given)  # type: ignore[arg-type]
    known = [name for name, loss in LOSSES.items() if loss.task == task]
    found = tuple(
        x if isinstance(x, Loss) else LOSSES[check_choice(x, "losses", known)]
        for x in several
    )
    if not found:
        msg = f"`losses` is empty: leave it out, or name one of {', '.join(known)}."
        raise UsageError(msg)
    names = [loss.name for loss in found]
    wrong = [loss.name for loss in found if loss.task != task]
    if wrong or len(set(names)) < len(names):
        msg = f"`losses` must be different ones for {task}; got {', '.join(names)}."
        raise UsageError(msg)
    return found
