"""Which covariates some of the cases can be learned from.

A covariate that says something of all cases may say nothing of those left when a fold
is held out: a rare value is then gone, or two columns are no longer different. It is
left out there, so that one rare value does not cost the whole run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.types import FloatArray, IntArray
from scorecast.recurrence.cohort import is_copy, is_idle

if TYPE_CHECKING:
    from scorecast.recurrence.model import RecurrenceModel

__all__ = ["Columns", "left_out_lines", "narrowed", "usable_columns"]

IDLE = "idle"
COPY = "copy"
_WHY = {
    IDLE: "it does not vary among the other cases",
    COPY: "it says the same as another covariate there",
}


@dataclass(frozen=True, eq=False)
class Columns:
    """Covariates that can be learned from, and why the others cannot.

    Attributes
    ----------
    kept : array of int
        Places of the covariates that can.
    left_out : mapping of int to str
        Places of the others: "idle" or "copy".
    """

    kept: IntArray
    left_out: Mapping[int, str]


def usable_columns(X: FloatArray) -> Columns:
    """Find the covariates that vary and differ from those before them.

    Parameters
    ----------
    X : array of shape (n, p)
        Covariates of the cases to learn from.

    Returns
    -------
    Columns
        Which ones can be used.
    """
    kept: list[int] = []
    left_out: dict[int, str] = {}
    for i, column in enumerate(X.T):
        if is_idle(column):
            left_out[i] = IDLE
        elif any(is_copy(X[:, j], column) for j in kept):
            left_out[i] = COPY
        else:
            kept.append(i)
    return Columns(np.array(kept, dtype=np.int64), left_out)


def narrowed(model: RecurrenceModel, kept: ArrayLike, n_columns: int) -> Any:
    """Return an unfitted copy whose settings are those of some covariates.

    Parameters
    ----------
    model : RecurrenceModel
        The model for all covariates.
    kept : array-like of int
        Places of the covariates it is to learn from.
    n_columns : int
        How many there are in all.

    Returns
    -------
    RecurrenceModel
        With the noise and the matrices of those covariates.
    """
    from sklearn.base import clone

    places = np.concatenate([[0], np.asarray(kept, dtype=np.int64) + 1])
    size = n_columns + 1

    def part(value: Any) -> Any:
        shape = np.shape(value)
        if not shape or set(shape) != {size}:
            return value
        return np.asarray(value)[np.ix_(*[places] * len(shape))]

    given = model.hyperparameters
    if isinstance(given, Mapping):
        given = {name: part(value) for name, value in given.items()}
    return clone(model).set_params(noise_sd=part(model.noise_sd), hyperparameters=given)


def left_out_lines(
    found: Sequence[Mapping[int, str]], names: Sequence[str]
) -> list[str]:
    """Say once of each covariate in how many folds it was left out.

    Parameters
    ----------
    found : sequence of mapping
        What was left out, fold by fold.
    names : sequence of str
        Names of the covariates.

    Returns
    -------
    list of str
        One sentence for each covariate and reason.
    """
    counts = Counter((i, why) for one in found for i, why in one.items())
    return [
        f"Covariate {names[i]} was left out of {count} of {len(found)} folds: "
        f"{_WHY[why]}."
        for (i, why), count in sorted(counts.items())
    ]
