"""Information about which of a few given classes it was, for comparison.

Fano's bound, the confusion matrix, and the exact range for any class prior speak of the
classes at hand. They cannot exceed the entropy of the prior, log k at most, and say
nothing of stimuli that were not among them: that is what `mutual_information_bound` is
for.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import entr, xlogy

from scorecast._core.checks import check_matrix
from scorecast._core.types import FloatArray
from scorecast.exceptions import InvalidInputError, UsageError

__all__ = ["confusion_information", "fano_information", "information_range"]


def fano_information(accuracy: float, classes: int) -> float:
    """Return Fano's lower bound for equally frequent classes.

    Parameters
    ----------
    accuracy : float
        Share of right answers.
    classes : int
        Number of classes k.

    Returns
    -------
    float
        Nats; 0 where the accuracy is no better than 1/k.

    Examples
    --------
    >>> round(fano_information(0.8, 10), 6)
    1.362738
    """
    return information_range(accuracy, np.full(classes, 1 / classes))[0]


def confusion_information(counts: ArrayLike, *, corrected: bool = False) -> float:
    """Return the information between truth and answer in a confusion matrix.

    The plug-in estimate takes frequencies for probabilities, and so is too high on
    average, the more the fewer cases there are per cell. What it is too high by to
    first order, (u - r - c + 1) / (2 n) for r classes, c answers and u pairs of them
    that occur among n cases, can be taken off (Miller and Madow).

    Parameters
    ----------
    counts : array-like of shape (n_classes, n_answers)
        Cases of each class (row) given each answer (column).
    corrected : bool, default=False
        Whether to take off the first-order bias.

    Returns
    -------
    float
        Nats; 0 at least.

    Raises
    ------
    InvalidInputError
        If a count is negative or all are zero.

    Examples
    --------
    >>> round(confusion_information([[40, 5, 5], [4, 42, 4], [10, 6, 34]]), 10)
    0.4174955341
    """
    table = check_matrix(counts, "The confusion matrix").astype(np.float64)
    if table.min() < 0 or table.sum() == 0:
        msg = "A confusion matrix holds counts from 0 up, not all of them 0."
        raise InvalidInputError(msg)
    joint = table / table.sum()
    entropies = [entr(joint.sum(axis=side)).sum() for side in (0, 1)]
    bias = 0.0
    if corrected:
        rows, columns = (np.count_nonzero(joint.sum(axis=side)) for side in (1, 0))
        spare = np.count_nonzero(joint) - rows - columns + 1
        bias = max(spare, 0) / (2 * table.sum())
    return max(float(sum(entropies) - entr(joint).sum() - bias), 0.0)


def information_range(accuracy: float, prior: ArrayLike) -> tuple[float, float]:
    """Return the least and the greatest information that go with an accuracy.

    The least is the rate-distortion function of the prior under errors (Erokhin), which
    a rule of that accuracy cannot do with less than; for equally frequent classes it is
    Fano's bound. The greatest holds if no rule is better (Kovalevskij).

    Parameters
    ----------
    accuracy : float
        Share of right answers; for the upper end, of the Bayes rule.
    prior : array-like of shape (n_classes,)
        Probability of each class.

    Returns
    -------
    tuple of float
        Nats. The lower end is 0 where guessing the most frequent class does as well.

    Raises
    ------
    UsageError
        If the prior is not a distribution over two classes or more, or the accuracy
        lies outside [0, 1].

    Examples
    --------
    >>> low, high = information_range(0.8, [0.7, 0.3])
    >>> round(low / math.log(2), 7), round(high / math.log(2), 7)
    (0.1593628, 0.4812909)
    """
    chances = np.asarray(prior, dtype=np.float64)
    is_prior = chances.ndim == 1 and chances.size > 1 and (chances >= 0).all()
    if not is_prior or abs(chances.sum() - 1) > 1e-9:
        msg = "A class prior is two chances or more that add up to one."
        raise UsageError(msg)
    if not 0 <= accuracy <= 1:
        msg = f"An accuracy must lie between 0 and 1; got {accuracy!r}."
        raise UsageError(msg)
    chances = chances[chances > 0]
    whole = float(entr(chances).sum())
    most = max(whole - _least_entropy(accuracy), 0.0)
    if accuracy <= chances.max():
        return 0.0, most
    return max(_rate(1 - accuracy, np.sort(chances)[::-1]), 0.0), most


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
    for n in range(chances.size, 1, -1):
        never = float(chances[n:].sum())
        level = (error - never) / (n - 1)
        if level <= chances[n - 1]:
            break
    if level <= 0:
        return float(entr(chances).sum()) if error <= 0 else 0.0
    named = float(entr(chances[:n]).sum())
    return named + float(xlogy(1 - error, 1 - error) + (n - 1) * xlogy(level, level))
