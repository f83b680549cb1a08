"""Scores that cannot be put in order: cases of different classes that share one."""

from __future__ import annotations

import numpy as np

from scorecast._core.percent import percent
from scorecast.guarantees.estimates import Estimates
from scorecast.guarantees.losses import Loss
from scorecast.guarantees.outcomes import Outcome

__all__ = ["ties_said"]

_MANY = 0.1  # of pairs: below, ties hardly move an area


def ties_said(estimates: Estimates, loss: Loss) -> str:
    """Say that many scores are equal, where a loss goes by their order.

    Parameters
    ----------
    estimates : Estimates
        The tests.
    loss : Loss
        What is measured.

    Returns
    -------
    str
        Without a full stop; empty where ties are few, or do not matter.
    """
    if loss.needs != "scores" or not estimates.can_measure(loss):
        return ""
    found = estimates.outcomes()
    if not estimates.measure(loss).by_folds:
        found = [estimates.pooled()]  # all tests are put in one order
    tied, pairs = np.sum([_tied(outcome) for outcome in found], axis=0)
    if not pairs or tied < _MANY * pairs:
        return ""
    said = (
        f"{loss.name}: {percent(tied / pairs)} of the pairs it ranks have equal "
        "scores, which count half"
    )
    share = _saturated(estimates.pooled())
    if share < _MANY:
        return said
    return (
        f"{said}; {percent(share)} of the probabilities are 0 or 1 to the last "
        "digit, too extreme to be put in order"
    )


def _tied(outcome: Outcome) -> tuple[float, float]:
    """Count pairs of different classes with equal scores, and all pairs."""
    tied = pairs = 0.0
    if outcome.scores is None:
        return tied, pairs
    for code in (1,) if outcome.n_classes == 2 else range(outcome.n_classes):
        own = outcome.truth == code
        column = outcome.scores[:, code]
        if outcome.n_classes == 2:
            column = column - outcome.scores[:, 0]
        _, value = np.unique(column, return_inverse=True)
        inside = np.bincount(value[own], minlength=value.max() + 1)
        outside = np.bincount(value[~own], minlength=value.max() + 1)
        tied += float(inside @ outside)
        pairs += float(own.sum() * (~own).sum())
    return tied, pairs


def _saturated(outcome: Outcome) -> float:
    """Return the share of tests of which a probability of 1 was stated."""
    if outcome.scores is None or not outcome.is_probability:
        return 0.0
    return float((outcome.scores.max(axis=1) == 1.0).mean())
