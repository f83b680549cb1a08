"""A scale on which the tails of scores mean something.

Ranks do not care about the scale of the scores, tails do. Probabilities are looked at
as their logarithms; the order within a sample stays as it was.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from scorecast.extrapolation.observed import ObservedClasses
from scorecast.scores import Scores, looks_normalised

_MOST_ZEROS = 0.01  # share of scores; votes have more, and no logarithm mends those


def on_log_scale(observed: ObservedClasses) -> ObservedClasses:
    """Take logarithms of scores that are probabilities; leave others as they are."""
    data = observed.data
    if not isinstance(data, Scores) or not looks_normalised(data):
        return observed
    values = np.asarray(data.values, dtype=np.float64)
    if values.min() < 0 or np.mean(values == 0) > _MOST_ZEROS:
        return observed
    with np.errstate(divide="ignore"):
        logs = np.log(values)
    changed = Scores.unchecked(logs, data.own, data.classes)
    return replace(observed, data=changed)
