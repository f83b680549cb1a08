"""Errors between too optimistic and too pessimistic: Efron's .632 and .632+.

All take errors: smaller is better.
"""

from __future__ import annotations

import numpy as np

from scorecast.guarantees.losses import Loss
from scorecast.guarantees.outcomes import Outcome

__all__ = ["no_information_value", "point_632", "point_632_plus"]

_SHARE = 0.632  # of different cases in a bootstrap sample
_MOST_PAIRS = 4_000_000


def point_632(training_error: float, left_out_error: float) -> float:
    """Weigh the error of cases learned from against that of cases left out.

    Examples
    --------
    >>> round(point_632(0.05, 0.3), 4)
    0.208
    """
    return (1 - _SHARE) * training_error + _SHARE * left_out_error


def point_632_plus(
    training_error: float, left_out_error: float, no_information: float
) -> float:
    """Weigh them by how much the model overfits (Efron and Tibshirani).

    Parameters
    ----------
    training_error : float
        Error of cases learned from.
    left_out_error : float
        Error of cases that bootstrap samples left out.
    no_information : float
        Error if targets and predictions were unrelated.

    Returns
    -------
    float
        Between the .632 error and that of the cases left out.

    Examples
    --------
    >>> round(point_632_plus(0.05, 0.3, 0.5), 6)
    0.248603
    """
    left_out = min(left_out_error, no_information)
    gap = no_information - training_error
    overfit = (left_out - training_error) / gap if gap > 0 else 0.0
    overfit = min(max(overfit, 0.0), 1.0)
    weight = _SHARE / (1 - (1 - _SHARE) * overfit)
    return (1 - weight) * training_error + weight * left_out


def no_information_value(
    loss: Loss, outcome: Outcome, rng: np.random.Generator
) -> float:
    """Measure a loss where every prediction meets every target.

    Parameters
    ----------
    loss : Loss
        The loss.
    outcome : Outcome
        Targets and predictions of the cases learned from.
    rng : numpy.random.Generator
        Chooses pairs where there are too many.

    Returns
    -------
    float
        Its value.
    """
    n = outcome.n
    if n * n <= _MOST_PAIRS:
        target, said = (x.ravel() for x in np.divmod(np.arange(n * n), n))
    else:
        target, said = rng.integers(0, n, (2, _MOST_PAIRS))
    scores = outcome.scores
    pairs = Outcome(
        truth=outcome.truth[target],
        predicted=outcome.predicted[said],
        scores=None if scores is None else scores[said],
        is_probability=outcome.is_probability,
        n_classes=outcome.n_classes,
        scale=outcome.scale,
    )
    return loss.measure(pairs)
