"""Split the error into what is wrong on average and what varies between fits.

The noise of the targets cannot be told from bias with one target per case: it is taken
as zero and stays in the bias.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from scorecast._core.types import FloatArray, IntArray, Json

__all__ = ["BiasVariance", "bias_variance", "domingos", "kohavi_wolpert", "squared"]


@dataclass(frozen=True, kw_only=True)
class BiasVariance:
    """One decomposition: `error` is `bias` + `variance` + `noise`.

    Attributes
    ----------
    method : str
        ``"kohavi-wolpert"``, ``"domingos"`` or ``"squared"``.
    error : float
        Mean error of the fits. Not that of the assessment where these are others.
    bias : float
        What stays wrong on average.
    variance : float
        What changes from fit to fit; for Domingos, net of what it mends.
    noise : float
        Taken as zero, so that bias holds it.
    n_cases : int
        Cases that at least two fits were tested on.
    n_fits : float
        Mean number of fits per case.
    n_extra : int
        Bootstrap fits made for this alone; 0 where fits of the assessment would do.
    """

    method: str
    error: float
    bias: float
    variance: float
    noise: float
    n_cases: int
    n_fits: float
    n_extra: int = 0

    def to_json(self) -> Json:
        """Return plain values."""
        return asdict(self)


def kohavi_wolpert(
    truth: FloatArray, said: FloatArray, n_fits: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return squared bias and variance of every case for 0-1 loss.

    Parameters
    ----------
    truth : ndarray of shape (n, n_classes)
        Chance of every class; one and zeros where the target is taken as certain.
    said : ndarray of shape (n, n_classes)
        Share of fits that name every class.
    n_fits : ndarray of shape (n,)
        Fits per case, two at least.

    Returns
    -------
    tuple of ndarray
        Corrected for the finite number of fits; a bias may be slightly negative.
    """
    excess = 0.5 * (said * (1 - said)).sum(axis=1) / (n_fits - 1)
    bias: FloatArray = 0.5 * ((truth - said) ** 2).sum(axis=1) - excess
    variance: FloatArray = 0.5 * (1 - (said**2).sum(axis=1)) + excess
    return bias, variance


def domingos(truth: IntArray, said: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return bias and net variance of every case for 0-1 loss, without noise.

    Parameters
    ----------
    truth : ndarray of int of shape (n,)
        Codes.
    said : ndarray of shape (n, n_classes)
        Share of fits that name every class.

    Returns
    -------
    tuple of ndarray
        Bias is 1 where most fits are wrong. Variance hurts where most are right, and
        mends where most are wrong: there it is negative.
    """
    main = said.argmax(axis=1)
    rows = np.arange(truth.size)
    bias = (main != truth).astype(np.float64)
    net = np.where(bias == 0, 1 - said[rows, main], -said[rows, truth])
    return bias, net


def squared(
    truth: FloatArray, mean: FloatArray, variance: FloatArray, n_fits: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return squared bias and variance of every case for squared loss.

    Parameters
    ----------
    truth, mean : ndarray of shape (n,)
        Target, and mean prediction of the fits.
    variance : ndarray of shape (n,)
        Unbiased variance of the predictions.
    n_fits : ndarray of shape (n,)
        Fits per case.

    Returns
    -------
    tuple of ndarray
        The variance of the mean is taken from the bias; that of one fit is returned.
    """
    bias: FloatArray = (truth - mean) ** 2 - variance / n_fits
    return bias, variance


def bias_variance(
    truth: NDArray[np.generic],
    predicted: NDArray[np.generic],
    rows: IntArray,
    n_classes: int,
) -> tuple[BiasVariance, ...]:
    """Decompose the errors of many fits, each tested on some of the cases.

    Parameters
    ----------
    truth, predicted : ndarray of shape (n_tests,)
        Codes of classes, or numbers.
    rows : ndarray of int of shape (n_tests,)
        Which case each test is of.
    n_classes : int
        Number of classes; 0 for numbers.

    Returns
    -------
    tuple of BiasVariance
        Both ways for classes, one for numbers; empty if no case was tested twice.
    """
    names, first, case = np.unique(rows, return_index=True, return_inverse=True)
    times = np.bincount(case).astype(np.float64)
    kept = times >= 2
    if not kept.any():
        return ()
    if n_classes:
        said = np.zeros((names.size, n_classes))
        np.add.at(said, (case, predicted.astype(np.int64)), 1)
        said = (said / times[:, None])[kept]
        own = truth[first].astype(np.int64)[kept]
        pairs = {
            "kohavi-wolpert": kohavi_wolpert(np.eye(n_classes)[own], said, times[kept]),
            "domingos": domingos(own, said),
        }
    else:
        numbers = predicted.astype(np.float64)
        mean = np.bincount(case, weights=numbers) / times
        total = np.bincount(case, weights=(numbers - mean[case]) ** 2)
        spread = total[kept] / (times[kept] - 1)
        own_values = truth[first].astype(np.float64)[kept]
        pairs = {"squared": squared(own_values, mean[kept], spread, times[kept])}
    return tuple(
        BiasVariance(
            method=method,
            error=float(np.mean(bias + variance)),
            bias=float(bias.mean()),
            variance=float(variance.mean()),
            noise=0.0,
            n_cases=int(kept.sum()),
            n_fits=float(times[kept].mean()),
        )
        for method, (bias, variance) in pairs.items()
    )
