"""What came of a split, as plain values and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from scorecast._core.types import Json
from scorecast.guarantees.fitting import FoldResult
from scorecast.guarantees.outcomes import Outcome

__all__ = ["fold_from", "fold_parts"]


def fold_parts(fold: FoldResult) -> Json:
    """Return arrays and plain values.

    Parameters
    ----------
    fold : FoldResult
        What came of a split.

    Returns
    -------
    dict
        What `fold_from` understands, perhaps after a journey through JSON.
    """
    outcome = fold.outcome
    return {
        "test": fold.test,
        "failure": fold.failure,
        "seconds": fold.seconds,
        "warnings": list(fold.warnings),
        "chosen": dict(fold.chosen),
        "outcome": None
        if outcome is None
        else {
            "truth": outcome.truth,
            "predicted": outcome.predicted,
            "scores": outcome.scores,
            "is_probability": outcome.is_probability,
            "n_classes": outcome.n_classes,
            "scale": outcome.scale,
        },
    }


def fold_from(parts: Json) -> FoldResult:
    """Rebuild from `fold_parts`."""
    given = parts["outcome"]
    return FoldResult(
        test=np.array(parts["test"], dtype=np.int64),
        outcome=None if given is None else _outcome(given),
        failure=parts["failure"],
        seconds=float(parts["seconds"]),
        warnings=tuple(parts["warnings"]),
        chosen=dict(parts.get("chosen", {})),
    )


def _outcome(given: Json) -> Outcome:
    kind: Any = np.int64 if given["n_classes"] else np.float64
    scores = given["scores"]
    return Outcome(
        truth=np.array(given["truth"], dtype=kind),
        predicted=np.array(given["predicted"], dtype=kind),
        scores=None if scores is None else np.array(scores, dtype=np.float64),
        is_probability=bool(given["is_probability"]),
        n_classes=int(given["n_classes"]),
        scale=float(given["scale"]),
    )
