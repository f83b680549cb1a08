"""Intervals and a test of a mean: of independent values, or of overlapping splits."""

from __future__ import annotations

import math

import numpy as np
import scipy  # its parts load when first used

from scorecast._core.types import FloatArray


def normal(values: FloatArray, level: float) -> tuple[float, float]:
    """Return the normal interval of a mean, as if its error were known."""
    quantile = float(scipy.special.ndtri(0.5 + level / 2))
    return _around(values, quantile * _spread(values) / math.sqrt(values.size))


def student(values: FloatArray, level: float) -> tuple[float, float]:
    """Return Student's interval of a mean.

    Parameters
    ----------
    values : ndarray of shape (k,)
        Independent values.
    level : float
        Confidence level.

    Returns
    -------
    tuple of float
        Low and high; NaN for fewer than two values.

    Examples
    --------
    >>> e = np.array([.2, .25, .1, .3, .15, .22, .18, .27, .21, .12])
    >>> [round(x, 6) for x in student(e, 0.95)]
    [0.154009, 0.245991]
    """
    return nadeau_bengio(values, level, 0.0)


def nadeau_bengio(
    values: FloatArray, level: float, test_ratio: float
) -> tuple[float, float]:
    """Return Student's interval, widened because splits share training samples.

    The variance of the mean of k splits is 1/k + `test_ratio` times that of one split
    (Nadeau and Bengio 2003). With d / (n - d) for the ratio it is the delete-d
    jackknife of subsamples without d of n samples.

    Parameters
    ----------
    values : ndarray of shape (k,)
        Values of splits.
    level : float
        Confidence level.
    test_ratio : float
        Samples tested per sample trained on.

    Returns
    -------
    tuple of float
        Low and high; NaN for fewer than two values.

    References
    ----------
    C. Nadeau and Y. Bengio (2003). Inference for the generalization error. Machine
    Learning 52, 239-281.

    Examples
    --------
    >>> folds = np.array([0.8, 0.9, 0.85, 0.95, 0.8])
    >>> [round(x, 3) for x in nadeau_bengio(folds, 0.95, 1 / 4)]
    [0.739, 0.981]
    """
    if values.size < 2:
        return math.nan, math.nan
    quantile = float(scipy.special.stdtrit(values.size - 1, 0.5 + level / 2))
    half = quantile * _spread(values) * math.sqrt(1 / values.size + test_ratio)
    return _around(values, half)


def corrected_t(values: FloatArray, test_ratio: float) -> tuple[float, float]:
    r"""Return the corrected resampled t of a mean, and its two-sided p-value.

    .. math:: t = \frac{\bar d}{s \sqrt{1 / k + r}}, \quad k - 1 \text{ degrees of
              freedom},

    with :math:`r` samples tested per sample trained on (Nadeau and Bengio 2003); with
    0 for r it is Student's.

    Parameters
    ----------
    values : ndarray of shape (k,)
        Differences of splits.
    test_ratio : float
        Samples tested per sample trained on.

    Returns
    -------
    tuple of float
        0 and 1 where there is no difference; NaN where all differences are the same
        but not 0, or there are fewer than two.

    References
    ----------
    C. Nadeau and Y. Bengio (2003). Inference for the generalization error. Machine
    Learning 52, 239-281.

    Examples
    --------
    >>> [round(x, 3) for x in corrected_t(np.array([0.1, 0.0, 0.2, 0.1]), 1 / 3)]
    [1.604, 0.207]
    """
    if values.size < 2 or np.ptp(values) == 0:
        is_none = values.size >= 2 and not values.any()
        return (0.0, 1.0) if is_none else (math.nan, math.nan)
    error = _spread(values) * math.sqrt(1 / values.size + test_ratio)
    t = float(values.mean()) / error
    return t, min(2 * float(scipy.special.stdtr(values.size - 1, -abs(t))), 1.0)


def percentile(values: FloatArray, level: float) -> tuple[float, float]:
    """Return the middle part of the values themselves: how they vary, not a mean."""
    if values.size < 2:
        return math.nan, math.nan
    low, high = np.quantile(values, [0.5 - level / 2, 0.5 + level / 2])
    return float(low), float(high)


def hoeffding(mean: float, n: float, level: float, span: float) -> tuple[float, float]:
    """Return Hoeffding's two-sided interval, which holds for any distribution.

    Parameters
    ----------
    mean : float
        Mean of independent values.
    n : float
        How many.
    level : float
        Confidence level.
    span : float
        Greatest value less least one.

    Returns
    -------
    tuple of float
        Low and high, not cut at the range.

    References
    ----------
    W. Hoeffding (1963). Probability inequalities for sums of bounded random variables.
    Journal of the American Statistical Association 58, 13-30.

    Examples
    --------
    >>> [round(x, 3) for x in hoeffding(0.8, 200, 0.95, 1.0)]
    [0.704, 0.896]
    """
    half = span * math.sqrt(math.log(2 / (1 - level)) / (2 * n))
    return mean - half, mean + half


def empirical_bernstein(
    values: FloatArray, level: float, span: float
) -> tuple[float, float]:
    """Return the interval of Maurer and Pontil (2009), short where values hardly vary.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Independent values.
    level : float
        Confidence level.
    span : float
        Greatest value less least one.

    Returns
    -------
    tuple of float
        Low and high, not cut at the range; NaN for fewer than two values.

    References
    ----------
    A. Maurer and M. Pontil (2009). Empirical Bernstein bounds and sample variance
    penalization. Conference on Learning Theory.

    Examples
    --------
    >>> values = np.tile([0.8, 0.82], 100)
    >>> [round(x, 3) for x in empirical_bernstein(values, 0.95, 1.0)]
    [0.757, 0.863]
    """
    n = values.size
    if n < 2:
        return math.nan, math.nan
    # Theorem 4 holds for one side; each side gets half of what may go wrong.
    log_term = math.log(4 / (1 - level))
    variance = float(np.var(values, ddof=1))
    half = math.sqrt(2 * variance * log_term / n) + 7 * span * log_term / (3 * (n - 1))
    return _around(values, half)


def _spread(values: FloatArray) -> float:
    """Return the standard deviation; equal values have none, whatever rounding left."""
    if values.size < 2:
        return math.nan
    return 0.0 if np.ptp(values) == 0 else float(np.std(values, ddof=1))


def _around(values: FloatArray, half: float) -> tuple[float, float]:
    middle = float(values.mean())
    return middle - half, middle + half
