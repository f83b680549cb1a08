"""Losses of classifiers, as arrays in and numbers out.

Whatever needs a class that no case has is NaN: undefined, never zero.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from scorecast._core.types import FloatArray, IntArray

__all__ = [
    "auc",
    "balanced_accuracy",
    "brier_cases",
    "class_sensitivity",
    "confusion",
    "f_measure",
    "log_loss_cases",
    "margins",
    "matthews",
    "posterior_error_cases",
    "smoothed_error_cases",
    "specificity",
]


def confusion(truth: IntArray, predicted: IntArray, n_classes: int) -> FloatArray:
    """Count cases by true (row) and predicted (column) class."""
    counts = np.zeros((n_classes, n_classes))
    np.add.at(counts, (truth, predicted), 1)
    return counts


def class_sensitivity(counts: FloatArray) -> FloatArray:
    """Return the share of every class that is recognised; NaN without cases."""
    total = counts.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        share: FloatArray = np.diag(counts) / total
    return share


def balanced_accuracy(counts: FloatArray) -> float:
    """Return the mean sensitivity over classes; NaN if one has no case."""
    return float(class_sensitivity(counts).mean())


def specificity(counts: FloatArray) -> float:
    """Return the share of the other classes that is not taken for the last one."""
    others = counts[:-1].sum()
    return float(counts[:-1, :-1].sum() / others) if others else float("nan")


def f_measure(counts: FloatArray) -> float:
    """Return F1 of the last of two classes, or the mean of F1 over more classes.

    Parameters
    ----------
    counts : ndarray of shape (n_classes, n_classes)
        Confusion counts.

    Returns
    -------
    float
        NaN where a class is neither present nor predicted.
    """
    both = counts.sum(axis=0) + counts.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        each = 2 * np.diag(counts) / both
    return float(each[-1] if counts.shape[0] == 2 else each.mean())


def matthews(counts: FloatArray) -> float:
    """Return Matthews' correlation, for any number of classes.

    Parameters
    ----------
    counts : ndarray of shape (n_classes, n_classes)
        Confusion counts.

    Returns
    -------
    float
        0 where everything is said to be of one class; NaN where everything is.
    """
    true, said, n = counts.sum(axis=1), counts.sum(axis=0), counts.sum()
    over = np.trace(counts) * n - true @ said
    left, right = n**2 - true @ true, n**2 - said @ said
    if left == 0:
        return float("nan")
    return float(over / np.sqrt(left * right)) if right else 0.0


def auc(truth: IntArray, scores: FloatArray) -> float:
    """Return the area under the ROC curve, ties counted half.

    Parameters
    ----------
    truth : ndarray of int of shape (n,)
        Codes.
    scores : ndarray of shape (n, n_classes)
        Scores; with more than two classes, the mean of each against the rest.

    Returns
    -------
    float
        NaN if a class, or all other classes, have no case.
    """
    from scipy.stats import rankdata  # slow to load, and not always needed

    n_classes = scores.shape[1]
    wanted = [1] if n_classes == 2 else range(n_classes)
    areas = []
    for code in wanted:
        own = truth == code
        n_own, n_other = int(own.sum()), int((~own).sum())
        if not n_own or not n_other:
            return float("nan")
        # In two classes the difference is what decides, whatever the scale.
        value = scores[:, 1] - scores[:, 0] if n_classes == 2 else scores[:, code]
        ranks = rankdata(value)
        above = ranks[own].sum() - n_own * (n_own + 1) / 2
        areas.append(above / (n_own * n_other))
    return float(np.mean(areas))


def log_loss_cases(truth: IntArray, probabilities: FloatArray) -> FloatArray:
    """Return minus the log-probability of what was true, infinite for none."""
    with np.errstate(divide="ignore"):
        loss: FloatArray = -np.log(probabilities[np.arange(truth.size), truth])
    return loss


def brier_cases(truth: IntArray, probabilities: FloatArray) -> FloatArray:
    """Return the squared distance from certainty; half of it for two classes."""
    target = np.eye(probabilities.shape[1])[truth]
    squares = ((probabilities - target) ** 2).sum(axis=1)
    whole: FloatArray = squares / 2 if probabilities.shape[1] == 2 else squares
    return whole


def margins(truth: IntArray, scores: FloatArray) -> FloatArray:
    """Return by how much the true class leads; negative where another one does."""
    rows = np.arange(truth.size)
    others = scores.astype(np.float64, copy=True)
    others[rows, truth] = -np.inf
    lead: FloatArray = scores[rows, truth] - others.max(axis=1)
    return lead


def smoothed_error_cases(
    truth: IntArray, scores: FloatArray, width: float
) -> FloatArray:
    """Return Glick's smoothed error: near the border a case counts in part.

    Parameters
    ----------
    truth : ndarray of int of shape (n,)
        Codes.
    scores : ndarray of shape (n, n_classes)
        Scores.
    width : float
        Width of the ramp, in units of the margin; towards 0 it counts errors.

    Returns
    -------
    ndarray of shape (n,)
        Between 0 and 1.
    """
    smooth: FloatArray = ndtr(-margins(truth, scores) / width)
    return smooth


def posterior_error_cases(probabilities: FloatArray) -> FloatArray:
    """Return the chance of error that the model itself states (Lissack and Fu)."""
    stated: FloatArray = 1 - probabilities.max(axis=1)
    return stated
