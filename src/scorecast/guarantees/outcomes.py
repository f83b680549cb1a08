"""What a model said of cases it had not seen, beside what was true."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scorecast.evaluation import Predictions as Outcome

__all__ = ["Outcome", "pooled_outcome"]


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
