"""Losses by the names that `assess` knows them by, of the metrics of `evaluation`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

from scorecast._core.checks import check_choice
from scorecast.evaluation import (
    METRICS,
    Metric as Loss,
    PosLabel,
    cost_metric as cost_loss,
    smoothed_error,
)
from scorecast.exceptions import UsageError

__all__ = [
    "LOSSES",
    "Loss",
    "check_losses",
    "cost_loss",
    "losses_for",
    "positive_code",
    "smoothed_loss",
]

_NAMES = {
    "accuracy": "accuracy",
    "error": "error_rate",
    "balanced-accuracy": "balanced_accuracy",
    "auc": "roc_auc",
    "sensitivity": "sensitivity",
    "specificity": "specificity",
    "f1": "f1",
    "mcc": "matthews_corrcoef",
    "log-loss": "log_loss",
    "brier": "brier_score",
    "smoothed-error": "smoothed_error",
    "posterior-error": "posterior_error",
    "rmse": "root_mean_squared_error",
    "mse": "mean_squared_error",
    "mae": "mean_absolute_error",
    "nrmse": "normalized_root_mean_squared_error",
    "smape": "symmetric_mean_absolute_percentage_error",
    "relative-error": "mean_absolute_percentage_error",
}
LOSSES = {old: replace(METRICS[new], name=old) for old, new in _NAMES.items()}


def smoothed_loss(width: float = 0.1) -> Loss:
    """Make Glick's smoothed error with a ramp of the given width."""
    return replace(smoothed_error(width), name="smoothed-error")


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
            high=loss.high_for(n_classes),
            pos_code=positive if loss.pos_label is not PosLabel.NO else None,
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
