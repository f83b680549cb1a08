"""Accuracy where Phi^-1 of the favourability is normal.

Write U for the chance that a random wrong class scores below the true one. Accuracy at
k classes is E[U^(k-1)]. Forecasts of more classes and implied information both take
Phi^-1(U) to be normal, so the integral lives here.
"""

from __future__ import annotations

import numpy as np
from scipy.special import log_ndtr

from scorecast._core.types import FloatArray

__all__ = ["probit_grid", "probit_moments"]

_REACH = 9.0  # standard deviations integrated over: what is left out is below 1e-18
_STEP = 0.04  # the step of Phi(v)^(k-1) is never narrower than about 0.15


def probit_grid(means: FloatArray, sds: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Integrate normal densities on a common grid of v = Phi^-1(u).

    The trapezoid rule converges geometrically for these integrands; the step is a
    quarter of the narrowest density.

    Parameters
    ----------
    means, sds : ndarray of shape (m,)
        Means and standard deviations of Phi^-1(U).

    Returns
    -------
    nodes : ndarray of shape (g,)
        Grid of v.
    masses : ndarray of shape (g, m)
        Integration weights; each column adds up to one.
    """
    step = min(_STEP, float(sds.min()) / 4)
    low = float((means - _REACH * sds).min())
    high = float((means + _REACH * sds).max())
    nodes = np.arange(low, high + step, step)
    masses = np.exp(-0.5 * ((nodes[:, None] - means) / sds) ** 2)
    masses /= masses.sum(axis=0)
    return nodes, masses


def probit_moments(ks: FloatArray, means: FloatArray, sds: FloatArray) -> FloatArray:
    """Compute E[Phi(V)^(k-1)] for normal V, the accuracy of the radial basis.

    Parameters
    ----------
    ks : ndarray of shape (n,)
        Numbers of classes.
    means, sds : ndarray of shape (m,)
        Means and standard deviations of V = Phi^-1(U).

    Returns
    -------
    ndarray of shape (n, m)
        Accuracy at each k for each element.

    Examples
    --------
    >>> probit_moments(np.array([2.0]), np.array([1.3]), np.array([0.5])).round(6)
    array([[0.877536]])
    """
    nodes, masses = probit_grid(means, sds)
    powers: FloatArray = np.exp((ks[:, None] - 1) * log_ndtr(nodes))
    return powers @ masses
