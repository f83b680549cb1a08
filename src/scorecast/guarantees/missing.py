"""Missing values: for models that can deal with them, and for no others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from scorecast.exceptions import InvalidInputError
from scorecast.guarantees.fitting import fit_and_test
from scorecast.guarantees.problem import Problem
from scorecast.guarantees.sampling import Split
from scorecast.guarantees.tables import first_missing

__all__ = ["check_missing"]

_LONGEST = 120


def check_missing(
    models: Mapping[str, Any], problem: Problem, time_limit: float | None = None
) -> None:
    """Refuse missing values that a model cannot learn from, before any work is done.

    Parameters
    ----------
    models : mapping of str to estimator
        The models.
    problem : Problem
        The cases.
    time_limit : float, optional
        Seconds that one fit may take.

    Raises
    ------
    InvalidInputError
        With the first place and what to do.
    """
    found = first_missing(problem.X)
    if found is None:
        return
    count, place = found
    everyone = np.arange(problem.n)
    whole = Split(train=everyone, test=everyone)
    for name, model in models.items():
        tried = fit_and_test(
            model, problem, whole, np.random.default_rng(0), time_limit=time_limit,
            with_scores=False,
        )  # fmt: skip
        # One that takes too long may still learn from fewer cases.
        if tried.outcome is not None or tried.failure.startswith("failed: stopped"):
            continue
        said = tried.failure.removeprefix("failed: ").split(". ")[0][:_LONGEST]
        msg = (
            f"X holds {count} missing values (not finite; the first in {place}), "
            f"and {name} cannot learn from them ({said}). Put an imputer into the "
            "model, as make_pipeline(SimpleImputer(), ...), or remove those rows."
        )
        raise InvalidInputError(msg)
