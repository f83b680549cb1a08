"""Missing values: for models that can deal with them, and for no others."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from scorecast.exceptions import InvalidInputError
from scorecast.guarantees.problem import Problem
from scorecast.guarantees.tables import first_missing

__all__ = ["check_missing"]

_LONGEST = 120


def check_missing(models: Mapping[str, Any], problem: Problem) -> None:
    """Refuse missing values that a model cannot learn from, before any work is done.

    Parameters
    ----------
    models : mapping of str to estimator
        The models.
    problem : Problem
        The cases.

    Raises
    ------
    InvalidInputError
        With the first place and what to do.
    """
    found = first_missing(problem.X)
    if found is None:
        return
    from sklearn.base import clone

    count, place = found
    for name, model in models.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                clone(model).fit(problem.X, problem.y)
        except Exception as error:  # any fault of a stranger's code
            said = " ".join(str(error).split()).split(". ")[0][:_LONGEST]
            msg = (
                f"X holds {count} missing values (not finite; the first in {place}), "
                f"and {name} cannot learn from them ({said}). Put an imputer into the "
                "model, as make_pipeline(SimpleImputer(), ...), or remove those rows."
            )
            raise InvalidInputError(msg) from error
