"""Bounds from the capacity of a model: conservative, and true for any data."""

from __future__ import annotations

import math

__all__ = ["ehkv_lower", "occam_upper", "seed_order", "vapnik_upper"]


def occam_upper(log_hypotheses: float, n: int, delta: float) -> float:
    """Bound the true error of a learner without training errors from above.

    Parameters
    ----------
    log_hypotheses : float
        Natural logarithm of the number of hypotheses it chooses among.
    n : int
        Training cases.
    delta : float
        Chance that the bound fails, at most.

    Returns
    -------
    float
        At most 1.

    Examples
    --------
    >>> round(occam_upper(math.log(64), 60, 0.1), 10)
    0.1076911363
    """
    return min((math.log(1 / delta) + log_hypotheses) / n, 1.0)


def seed_order(capacity: float, n: int, delta: float) -> float:
    """Return (log 1/delta + log h) / n: an order of magnitude, and no bound.

    Henriques and Madeira print it as a lower bound; as such it holds only up to a
    constant.
    """
    return (math.log(1 / delta) + math.log(capacity)) / n


def vapnik_upper(
    training_error: float, dimension: float, n: int, delta: float
) -> float:
    """Bound the true error by training error and VC dimension (Vapnik).

    Parameters
    ----------
    training_error : float
        Share of training cases that are wrong.
    dimension : float
        VC dimension; one more than the features for a hyperplane.
    n : int
        Training cases.
    delta : float
        Chance that the bound fails, at most.

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
    inside = dimension * (math.log(2 * n / dimension) + 1) - math.log(delta / 4)
    return min(training_error + math.sqrt(inside / n), 1.0)


def ehkv_lower(dimension: float, n: int) -> float:
    """Return the error that some distribution forces on any learner.

    Ehrenfeucht, Haussler, Kearns and Valiant: with a constant chance the error is at
    least this large, for the worst distribution. It says nothing about this one.
    """
    return min((dimension - 1) / (32 * n), 1.0)
