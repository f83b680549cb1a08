"""Identification accuracy where scores are Gaussian: the ideal curve.

As the dimension of the response grows while its information stays, the accuracy of the
best decoder among k stimuli tends to

    pibar_k(c) = E[Phi(Z + c)^(k-1)],    c = sqrt(2 I),

whatever the distributions were. It is the curve that implied information is read from.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_ndtr, ndtri

from scorecast._core.types import FloatArray
from scorecast.exceptions import UsageError
from scorecast.scores import probit_grid, probit_moments

__all__ = ["curve_slopes", "ideal_accuracy", "ideal_curve", "ideal_information"]

_ONE = np.ones(1)
_FARTHEST = 40.0  # of c: 800 nats, beyond which no double tells an accuracy from one


def ideal_curve(ks: FloatArray, separation: float) -> FloatArray:
    """Return pibar_k(c) for numbers of classes.

    Parameters
    ----------
    ks : ndarray of float64
        Numbers of classes.
    separation : float
        c, the square root of twice the information in nats.

    Returns
    -------
    ndarray of float64
        Accuracies.
    """
    return probit_moments(ks, np.array([separation]), _ONE)[:, 0]


def curve_slopes(ks: FloatArray, separation: float) -> FloatArray:
    """Return the derivative of pibar_k(c) with respect to c.

    Parameters
    ----------
    ks : ndarray of float64
        Numbers of classes.
    separation : float
        c.

    Returns
    -------
    ndarray of float64
        Slopes, E[(V - c) Phi(V)^(k-1)] with V normal around c; all are positive.
    """
    middle = np.array([separation])
    nodes, masses = probit_grid(middle, _ONE)
    powers: FloatArray = np.exp((ks[:, None] - 1) * log_ndtr(nodes))
    slopes: FloatArray = powers @ (masses[:, 0] * (nodes - separation))
    return slopes


def ideal_accuracy(classes: ArrayLike, information: float) -> FloatArray:
    """Return the accuracy of the best decoder in high dimension.

    Parameters
    ----------
    classes : array-like of int
        Numbers of classes k.
    information : float
        Mutual information in nats, from 0.

    Returns
    -------
    ndarray of float64
        pibar_k(sqrt(2 I)), in the shape given.

    Raises
    ------
    UsageError
        If the information is negative or NaN.

    Examples
    --------
    >>> ideal_accuracy([2, 10, 1000], 5.0).round(6).tolist()
    [0.987326, 0.923877, 0.47213]
    """
    if not information >= 0:
        msg = f"Information must be a number of nats from 0 up; got {information!r}."
        raise UsageError(msg)
    ks = np.asarray(classes, dtype=np.float64)
    if math.isinf(information):
        return np.ones(ks.shape)
    return ideal_curve(ks.ravel(), math.sqrt(2 * information)).reshape(ks.shape)


def ideal_information(accuracy: float, classes: float) -> float:
    """Return the information with which the ideal curve passes through one accuracy.

    Parameters
    ----------
    accuracy : float
        Accuracy among k classes.
    classes : float
        Number of classes k; parts of one are allowed.

    Returns
    -------
    float
        Nats; 0 where the accuracy is no better than 1/k, infinity where it is 1.

    Raises
    ------
    UsageError
        If the accuracy lies outside [0, 1].

    Examples
    --------
    >>> round(ideal_information(0.8, 10), 8)
    3.02764191
    """
    if not 0 <= accuracy <= 1:
        msg = f"An accuracy must lie between 0 and 1; got {accuracy!r}."
        raise UsageError(msg)
    if accuracy <= 1 / classes:
        return 0.0
    if accuracy == 1:
        return math.inf
    from scipy.optimize import brentq

    # Errors, not accuracies: near one they keep their digits.
    def off(separation: float) -> float:
        return (1 - accuracy) - _error(separation, classes)

    middle = _median_of_best(classes) + 1.1 * float(ndtri(accuracy))
    low, high = max(middle - 1, 0.0), max(middle, 0.0) + 1
    while low > 0 and off(low) > 0:
        low = max(low - 1, 0.0)
    while off(high) < 0 and high < _FARTHEST:
        high += 1
    found = float(brentq(off, low, high, xtol=1e-14, rtol=1e-14))
    return found**2 / 2


def _error(separation: float, classes: float) -> float:
    nodes, masses = probit_grid(np.array([separation]), _ONE)
    return float(-np.expm1((classes - 1) * log_ndtr(nodes)) @ masses[:, 0])


def _median_of_best(classes: float) -> float:
    """Return the median of the best of k - 1 scores, where accuracy is near half."""
    return float(ndtri(0.5 ** (1 / (classes - 1))))
