"""What a model said of cases it had not seen, beside what was true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorecast._core.types import FloatArray, IntArray

__all__ = ["Outcome", "pooled_outcome"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Outcome:
    """Tested cases.

    Attributes
    ----------
    truth : ndarray of shape (n,)
        Codes of classes, or numbers.
    predicted : ndarray of shape (n,)
        The same as the model says.
    scores : ndarray of shape (n, n_classes) or None
        Scores of classes, greater for likelier ones, where the model gives them.
    is_probability : bool
        Whether the scores are probabilities.
    n_classes : int
        Number of classes; 0 for numbers.
    scale : float
        Range of the targets of all cases, of those tested and the others.
    """

    truth: NDArray[Any]
    predicted: NDArray[Any]
    scores: FloatArray | None
    is_probability: bool
    n_classes: int
    scale: float = np.nan

    @property
    def n(self) -> int:
        """Number of tested cases."""
        return int(self.truth.shape[0])

    def chosen(self, rows: IntArray | NDArray[np.bool_]) -> Outcome:
        """Return some of the cases."""
        return Outcome(
            truth=self.truth[rows],
            predicted=self.predicted[rows],
            scores=None if self.scores is None else self.scores[rows],
            is_probability=self.is_probability,
            n_classes=self.n_classes,
            scale=self.scale,
        )


def pooled_outcome(outcomes: Sequence[Outcome]) -> Outcome:
    """Put the tests of several splits together.

    Parameters
    ----------
    outcomes : sequence of Outcome
        At least one.

    Returns
    -------
    Outcome
        All cases in their order; without scores if some have none.
    """
    scores = [o.scores for o in outcomes if o.scores is not None]
    return Outcome(
        truth=np.concatenate([o.truth for o in outcomes]),
        predicted=np.concatenate([o.predicted for o in outcomes]),
        scores=np.concatenate(scores) if len(scores) == len(outcomes) else None,
        is_probability=all(o.is_probability for o in outcomes),
        n_classes=outcomes[0].n_classes,
        scale=outcomes[0].scale,
    )
