"""One line of a back-test."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["BacktestRow"]


@dataclass(frozen=True, kw_only=True)
class BacktestRow:
    """How one method did in predicting all observed classes from some of them.

    Attributes
    ----------
    method : str
        Name of the method.
    from_classes, to_classes : int
        Classes shown to it, and classes it had to predict.
    n_repeats : int
        How many random choices of the shown classes.
    truth : float
        Accuracy with `to_classes` classes.
    prediction : float
        Mean prediction.
    bias, rmse : float
        Mean and root mean square of prediction minus truth.
    coverage : float or None
        Share of intervals that held the truth; None where none was made.
    stderr : float or None
        Standard error of `bias` over the choices; None for a single one.
    """

    method: str
    from_classes: int
    to_classes: int
    n_repeats: int
    truth: float
    prediction: float
    bias: float
    rmse: float
    coverage: float | None = None
    stderr: float | None = None
