"""What an amount of information allows among k classes, and what an accuracy needs.

Whatever the distribution of stimuli and responses, an identification among k random
stimuli cannot be right more often than C_k(iota), where iota is the mutual information
in nats; and for every k some distribution reaches it. With a = 1/(k-1),

    Z(c) = integral of exp(c t^(k-1)) over the unit interval,
    C = d log Z / dc,    iota = c C - log Z,

so the curve has one parameter, c. Small c are summed by a series of positive terms,
large ones by an asymptotic series; both keep all digits from k = 2 to a million and
from 1e-8 to 100 nats.

Fano's bound, the confusion matrix, and the exact range for any class prior speak of the
classes at hand alone. They cannot exceed the entropy of the prior, log k at most, and
say nothing of stimuli that were not among them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scorecast._core.checks import check_count, check_matrix, check_units
from scorecast._core.types import FloatArray
from scorecast.exceptions import InvalidInputError, UsageError

_SERIES_UP_TO = 100.0  # of c; the asymptotic series is exact to rounding beyond
_TERMS = 420  # of the series: at c = 100 the last is below 1e-80 of the sum
_MOST_STEPS = 200  # of the asymptotic series, which stops at its smallest term


def best_accuracy(
    information: ArrayLike, *, n_classes: int, units: str = "bits"
) -> FloatArray:
    r"""Return the highest average Bayes accuracy that information allows.

    .. math:: C_k(\iota) = \max_q \int_0^1 q(t)\, t^{k-1}\, dt, \quad
              \int_0^1 q(t) \log q(t)\, dt \le \iota,

    over densities q on the unit interval.

    Parameters
    ----------
    information : array-like
        Mutual information of stimulus and response, from 0.
    n_classes : int
        Number of classes (candidates) k, from 2.
    units : {"bits", "nats"}, default="bits"
        Units of the information.

    Returns
    -------
    ndarray of float64
        C_k of each amount, in the shape given; 1/k at zero, 1 at infinity.

    Raises
    ------
    UsageError
        If an amount is negative or NaN, or there are fewer than two classes.

    References
    ----------
    C. Zheng and Y. Benjamini (2016). Estimating mutual information in high dimensions
    via classification error.

    Examples
    --------
    >>> best_accuracy([0.5, 2.0], n_classes=10, units="nats").round(10).tolist()
    [0.3735769872, 0.7169839317]
    """
    k = check_count(n_classes, "n_classes", least=2)
    given = np.asarray(information, dtype=np.float64) * check_units(units)
    if not (given >= 0).all():
        raise UsageError("must be an amount from 0 up", parameter="information")
    found = [_best_accuracy(float(iota), k) for iota in given.ravel()]
    return np.array(found).reshape(given.shape)


def least_information(
    accuracy: ArrayLike, *, n_classes: int, units: str = "bits"
) -> FloatArray:
    """Return the least mutual information with which an accuracy is possible.

    The inverse of `best_accuracy`.

    Parameters
    ----------
    accuracy : array-like
        Average Bayes accuracy among k classes, between 0 and 1.
    n_classes : int
        Number of classes k, from 2.
    units : {"bits", "nats"}, default="bits"
        Units of the answer.

    Returns
    -------
    ndarray of float64
        Amounts in the shape given; 0 where the accuracy is no better than 1/k, infinity
        where it is 1.

    Raises
    ------
    UsageError
        If an accuracy lies outside [0, 1] or is NaN, or there are fewer than two
        classes.

    References
    ----------
    C. Zheng and Y. Benjamini (2016). Estimating mutual information in high dimensions
    via classification error.

    Examples
    --------
    >>> least_information([0.05, 0.5], n_classes=10, units="nats").round(10).tolist()
    [0.0, 0.94716869]
    """
    k = check_count(n_classes, "n_classes", least=2)
    unit = check_units(units)
    given = np.asarray(accuracy, dtype=np.float64)
    if not ((given >= 0) & (given <= 1)).all():
        raise UsageError("must lie between 0 and 1", parameter="accuracy")
    found = [least_nats(float(share), k) for share in given.ravel()]
    amounts: FloatArray = np.array(found).reshape(given.shape) / unit
    return amounts


def fano_information(accuracy: float, *, n_classes: int, units: str = "bits") -> float:
    r"""Return Fano's lower bound for equally frequent classes.

    .. math:: \log k + a \log a + (1 - a) \log \frac{1 - a}{k - 1}

    for an accuracy a among k classes.

    Parameters
    ----------
    accuracy : float
        Share of right answers.
    n_classes : int
        Number of classes k.
    units : {"bits", "nats"}, default="bits"
        Units of the answer.

    Returns
    -------
    float
        The amount; 0 where the accuracy is no better than 1/k.

    References
    ----------
    R. M. Fano (1961). Transmission of information. MIT Press.

    Examples
    --------
    >>> round(fano_information(0.8, n_classes=10, units="nats"), 6)
    1.362738
    """
    k = check_count(n_classes, "n_classes", least=2)
    return information_range(accuracy, np.full(k, 1 / k), units=units)[0]


def confusion_information(
    counts: ArrayLike, *, corrected: bool = False, units: str = "bits"
) -> float:
    """Return the information between truth and answer in a confusion matrix.

    The plug-in estimate takes frequencies for probabilities, and so is too high on
    average, the more the fewer samples there are per cell. What it is too high by to
    first order, (u - r - c + 1) / (2 n) nats for r classes, c answers and u pairs of
    them that occur among n samples, can be taken off.

    Parameters
    ----------
    counts : array-like of shape (n_classes, n_answers)
        Samples of each class (row) given each answer (column).
    corrected : bool, default=False
        Whether to take off the first-order bias.
    units : {"bits", "nats"}, default="bits"
        Units of the answer.

    Returns
    -------
    float
        The amount; 0 at least.

    Raises
    ------
    InvalidInputError
        If a count is negative or all are zero.

    References
    ----------
    G. A. Miller (1955). Note on the bias of information estimates. In Information
    theory in psychology, Free Press.

    Examples
    --------
    >>> counts = [[40, 5, 5], [4, 42, 4], [10, 6, 34]]
    >>> round(confusion_information(counts, units="nats"), 10)
    0.4174955341
    """
    unit = check_units(units)
    table = check_matrix(counts, parameter="counts").astype(np.float64)
    if table.min() < 0 or table.sum() == 0:
        problem = "must be counts from 0 up, not all of them 0"
        raise InvalidInputError(problem, parameter="counts")
    entropy = scipy.special.entr
    joint = table / table.sum()
    entropies = [entropy(joint.sum(axis=side)).sum() for side in (0, 1)]
    bias = 0.0
    if corrected:
        rows, columns = (np.count_nonzero(joint.sum(axis=side)) for side in (1, 0))
        spare = np.count_nonzero(joint) - rows - columns + 1
        bias = max(spare, 0) / (2 * table.sum())
    return max(float(sum(entropies) - entropy(joint).sum() - bias), 0.0) / unit


def information_range(
    accuracy: float, prior: ArrayLike, *, units: str = "bits"
) -> tuple[float, float]:
    """Return the least and the greatest information that go with an accuracy.

    The least is the rate-distortion function of the prior under errors, which a rule of
    that accuracy cannot do with less than; for equally frequent classes it is Fano's
    bound. The greatest holds if no rule is better.

    Parameters
    ----------
    accuracy : float
        Share of right answers; for the upper end, of the Bayes rule.
    prior : array-like of shape (n_classes,)
        Probability of each class.
    units : {"bits", "nats"}, default="bits"
        Units of the answer.

    Returns
    -------
    tuple of float
        The lower end is 0 where guessing the most frequent class does as well.

    Raises
    ------
    UsageError
        If the prior is not a distribution over two classes or more, or the accuracy
        lies outside [0, 1].

    References
    ----------
    V. Erokhin (1958). The epsilon-entropy of a discrete random variable. Theory of
    Probability and its Applications 3. V. A. Kovalevskij (1968). The problem of
    character recognition from the point of view of mathematical statistics. Spartan.

    Examples
    --------
    >>> low, high = information_range(0.8, [0.7, 0.3])
    >>> round(low, 7), round(high, 7)
    (0.1593628, 0.4812909)
    """
    unit = check_units(units)
    chances = np.asarray(prior, dtype=np.float64)
    is_prior = chances.ndim == 1 and chances.size > 1 and (chances >= 0).all()
    if not is_prior or abs(chances.sum() - 1) > 1e-9:
        problem = "must be two chances or more that add up to one"
        raise UsageError(problem, parameter="prior")
    check_accuracy(accuracy)
    chances = chances[chances > 0]
    whole = float(scipy.special.entr(chances).sum())
    most = max(whole - _least_entropy(accuracy), 0.0)
    if accuracy <= chances.max():
        return 0.0, most / unit
    least = max(_rate(1 - accuracy, np.sort(chances)[::-1]), 0.0)
    return least / unit, most / unit


def check_accuracy(accuracy: float) -> None:
    """Refuse what is no accuracy, NaN among them."""
    if not 0 <= accuracy <= 1:
        problem = f"must lie between 0 and 1; got {accuracy!r}"
        raise UsageError(problem, parameter="accuracy")


def least_nats(accuracy: float, k: int) -> float:
    """Return the least information of an accuracy among k classes, in nats."""
    excess, error = accuracy - 1 / k, 1 - accuracy
    if excess <= 0:
        return 0.0
    if error == 0:
        return math.inf
    start = math.log(excess / _variance(k))

    # The smaller of C - 1/k and 1 - C, so that neither end loses its digits.
    def off(log_c: float) -> float:
        point = _point(log_c, k)
        return error - point.error if accuracy > 0.5 else point.accuracy - accuracy

    return max(_point(_root(off, start), k).information, 0.0)


class _Point(NamedTuple):
    """One point of the curve: its information, C and 1 - C, each without cancelling."""

    information: float
    accuracy: float
    error: float


def _best_accuracy(iota: float, k: int) -> float:
    if iota == 0:
        return 1 / k
    if math.isinf(iota):
        return 1.0
    # The two ends of the curve, as a place to start from.
    near_zero = math.log(iota / _variance(k)) / 2
    near_one = iota + 1 - math.log(k - 1)
    log_c = _root(lambda t: _point(t, k).information - iota, min(near_zero, near_one))
    return _point(log_c, k).accuracy


def _root(function: Callable[[float], float], start: float) -> float:
    """Solve an increasing function of log c, from a place to the left or right."""
    low, high, step = start, start, 1.0
    while function(low) > 0:
        low -= step
        step *= 2
    step = 1.0
    while function(high) < 0:
        high += step
        step *= 2
    tight = {"xtol": 1e-14, "rtol": 1e-14, "maxiter": 300}
    return float(scipy.optimize.brentq(function, low, high, **tight))


def _variance(k: int) -> float:
    """Return the variance of T^(k-1) for uniform T."""
    return (k - 1) ** 2 / (k**2 * (2.0 * k - 1))


def _point(log_c: float, k: int) -> _Point:
    c, a = math.exp(log_c), 1 / (k - 1)
    return _summed(c, a) if c <= _SERIES_UP_TO else _asymptotic(c, log_c, a)


def _summed(c: float, a: float) -> _Point:
    n = np.arange(_TERMS)
    # c^n / n!, and from it Z - 1, Z' and Z - Z'.
    powers = np.exp(n * math.log(c) - scipy.special.gammaln(n + 1))
    above_one = a * float((powers[1:] / (n[1:] + a)).sum())
    slope = a * float((powers / (n + 1 + a)).sum())
    rest = a * float((powers / ((n + a) * (n + 1 + a))).sum())
    z = 1 + above_one
    # c Z' - Z log Z term by term: c Z' = a sum n c^n / (n! (n + a)).
    lift = a * float((powers[1:] * n[1:] / (n[1:] + a)).sum())
    information = (lift - above_one + _log_excess(above_one)) / z
    return _Point(information=information, accuracy=slope / z, error=rest / z)


def _log_excess(x: float) -> float:
    """Return x - (1 + x) log(1 + x), by its series where that cancels."""
    if x > 0.05:
        return x - (1 + x) * math.log1p(x)
    n = np.arange(2, 20)
    return -float(((-1.0) ** n * x**n / (n * (n - 1))).sum())


def _asymptotic(c: float, log_c: float, a: float) -> _Point:
    total, weighted, term = 0.0, 0.0, 1.0
    for n in range(_MOST_STEPS):
        total += term
        weighted += term * (n + 1)
        following = term * (n + 1 - a) / c
        if following > term or following < 1e-18 * total:
            break
        term = following
    error = weighted / c / total
    information = log_c - math.log(a) - math.log(total) - weighted / total
    return _Point(information=information, accuracy=1 - error, error=error)


def _least_entropy(accuracy: float) -> float:
    """Return the least mean entropy of a posterior whose mode is right so often."""
    if accuracy <= 0:
        return math.inf
    m = max(math.floor(1 / accuracy + 1e-12), 1)
    # Linear between (1/(m+1), log(m+1)) and (1/m, log m).
    rise = math.log((m + 1) / m)
    return math.log(m) + (1 / m - accuracy) * m * (m + 1) * rise


def _rate(error: float, chances: FloatArray) -> float:
    """Compute the rate-distortion function for chances in descending order.

    Answers name the n most frequent classes only; each wrong one of them gets the same
    chance `level`, which is what the errors leave it.
    """
    entropy, xlogy = scipy.special.entr, scipy.special.xlogy
    for n in range(chances.size, 1, -1):
        never = float(chances[n:].sum())
        level = (error - never) / (n - 1)
        if level <= chances[n - 1]:
            break
    if level <= 0:
        return float(entropy(chances).sum()) if error <= 0 else 0.0
    named = float(entropy(chances[:n]).sum())
    return named + float(xlogy(1 - error, 1 - error) + (n - 1) * xlogy(level, level))
