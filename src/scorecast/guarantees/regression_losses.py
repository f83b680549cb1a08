"""Losses of regressors, as arrays in and numbers out."""

from __future__ import annotations

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.exceptions import UsageError

__all__ = ["nrmse", "relative_error_cases", "rmse", "smape_cases"]


def rmse(truth: FloatArray, predicted: FloatArray) -> float:
    """Return the root of the mean squared error."""
    return float(np.sqrt(np.mean((truth - predicted) ** 2)))


def nrmse(truth: FloatArray, predicted: FloatArray, by: str = "range") -> float:
    """Return the RMSE divided by the size of the targets.

    Parameters
    ----------
    truth, predicted : ndarray of shape (n,)
        Targets and predictions.
    by : {"range", "sd", "mean"}, default="range"
        What size means: maximum less minimum, standard deviation, mean.

    Returns
    -------
    float
        NaN where the size is zero.

    Raises
    ------
    UsageError
        If `by` is none of these.

    Examples
    --------
    >>> y, f = np.array([1.0, 2, 4, 0]), np.array([1.5, 1.5, 5, 0])
    >>> round(nrmse(y, f), 4), round(nrmse(y, f, "mean"), 4)
    (0.1531, 0.3499)
    """
    sizes = {"range": np.ptp(truth), "sd": np.std(truth, ddof=1), "mean": truth.mean()}
    if by not in sizes:
        msg = f"`by` must be one of {', '.join(sizes)}; got {by!r}."
        raise UsageError(msg)
    size = float(abs(sizes[by]))
    return rmse(truth, predicted) / size if size else float("nan")


def smape_cases(truth: FloatArray, predicted: FloatArray) -> FloatArray:
    """Return the error relative to the mean of both sizes, 0 where both are zero."""
    size = (np.abs(truth) + np.abs(predicted)) / 2
    error = np.abs(predicted - truth)
    share: FloatArray = np.divide(error, size, out=np.zeros_like(size), where=size > 0)
    return share


def relative_error_cases(truth: FloatArray, predicted: FloatArray) -> FloatArray:
    """Return the error relative to the target; NaN where that is zero."""
    size = np.abs(truth)
    error = np.abs(predicted - truth)
    share: FloatArray = np.divide(
        error, size, out=np.full_like(size, np.nan), where=size > 0
    )
    return share
