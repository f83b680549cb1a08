"""What a model was told and what its fits say of themselves, for the record."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from scorecast._core.types import Json, RandomState
from scorecast.mixtures import Prior
from scorecast.recurrence.cohort import FEW_EVENTS, few_events_said

if TYPE_CHECKING:
    from scorecast.recurrence.model import RecurrenceModel

__all__ = [
    "OF_MODEL",
    "fit_lines",
    "folds_said",
    "is_unsure",
    "seed_of",
    "settings_of",
    "summed",
]

OF_MODEL: Literal["model"] = "model"
_MOST_NAMED = 6  # folds that are named one by one


def seed_of(
    model: RecurrenceModel, random_state: RandomState | Literal["model"]
) -> RandomState:
    """Return what seeds a run: what was given for it, or else that of the model.

    Parameters
    ----------
    model : RecurrenceModel
        The model.
    random_state : int, Generator, None or "model"
        What the caller gave.

    Returns
    -------
    int, Generator or None
        What `as_generator` takes.
    """
    if isinstance(random_state, str) and random_state == OF_MODEL:
        return model.random_state
    return random_state


def settings_of(model: RecurrenceModel) -> Json:
    """Return everything that decides the fits, defaults written out.

    Parameters
    ----------
    model : RecurrenceModel
        The model.

    Returns
    -------
    dict
        Chains, noise, moments and hyperparameters. Matrices of the prior that were not
        set come from the training data and are not listed.
    """
    from scorecast.recurrence.model import SAMPLING

    used = SAMPLING if model.sampling is None else model.sampling
    printed = dataclasses.asdict(Prior.survival(np.eye(1), np.zeros(1)))
    hyperparameters = {
        k: v for k, v in printed.items() if k != "name" and not np.ndim(v)
    } | {k: np.asarray(v).tolist() for k, v in (model.hyperparameters or {}).items()}
    return {
        "chains": used.n_chains,
        "warmup": used.n_warmup,
        "draws": used.n_draws,
        "extensions": used.n_extensions,
        "kept": used.n_kept,
        "noise": np.asarray(model.noise_sd).tolist(),
        "noise_shape": model.noise_shape,
        "moments": model.moments,
        "hyperparameters": hyperparameters,
    }


def is_unsure(fit: Json) -> bool:
    """Return whether the chains of a fit disagree, or how they do is not known."""
    return bool(fit["reasons"]) or math.isnan(fit["rhat"])


def folds_said(places: Sequence[Sequence[int]], n_folds: Sequence[int]) -> str:
    """Name some folds, counted from 1.

    Parameters
    ----------
    places : sequence of pairs of int
        Repeat and fold of each, from 0.
    n_folds : sequence of int
        Folds of every repeat.

    Returns
    -------
    str
        A few of them by number, many of them not at all.

    Examples
    --------
    >>> folds_said([[0, 1], [0, 3]], [5]), folds_said([[0, 0], [0, 1]], [2])
    ('folds 2 and 4', 'all folds')
    >>> folds_said([[0, 1], [1, 3]], [5, 5])
    'fold 2 of repeat 1 and fold 4 of repeat 2'
    """
    if len(places) == sum(n_folds):
        return "all folds"
    if len(places) > _MOST_NAMED:
        return f"{len(places)} of {sum(n_folds)} folds"
    if len(n_folds) == 1:
        names = [f"{fold + 1}" for _, fold in places]
        start = "fold " if len(names) == 1 else "folds "
    else:
        names = [f"fold {fold + 1} of repeat {repeat + 1}" for repeat, fold in places]
        start = ""
    return start + " and ".join([*filter(None, [", ".join(names[:-1])]), names[-1]])


def summed(fits: Sequence[Json]) -> Json:
    """Sum up what all fits say of themselves.

    Parameters
    ----------
    fits : sequence of dict
        Diagnostics of each, with its ridge, thinning and number of events.

    Returns
    -------
    dict
        The worst of them; an R-hat that is not known is worse than any. Where there
        were none, no more than that.
    """
    failed = [one for one in fits if is_unsure(one)]
    if not fits:
        return {"n_fits": 0, "n_unconverged": 0, "passed": True}
    return {
        "n_fits": len(fits),
        "n_unconverged": len(failed),
        "passed": not failed,
        "rhat": float(np.max([one["rhat"] for one in fits])),
        "ess": float(np.min([one["ess_bulk"] for one in fits])),
        "n_chains": fits[0]["n_chains"],
        "n_draws": int(np.min([one["n_draws"] for one in fits])),
        "most_draws": int(np.max([one["n_draws"] for one in fits])),
        "thinning": int(np.max([one["thinning"] for one in fits])),
        "ridge": float(np.max([one["ridge"] for one in fits])),
        "n_ridged": sum(one["ridge"] > 0 for one in fits),
        "fewest_events": int(np.min([one["n_events"] for one in fits])),
    }


def fit_lines(found: Json, n_events: int) -> list[str]:
    """Say once what the fits had to assume.

    Parameters
    ----------
    found : dict
        From `summed`.
    n_events : int
        Events among all cases.

    Returns
    -------
    list of str
        Sentences.
    """
    lines = []
    if found["n_ridged"]:
        lines.append(
            f"The covariance of the covariates is singular in {found['n_ridged']} of "
            f"{found['n_fits']} fits: {found['ridge']:g} was added to the diagonal of "
            "their correlations for the prior."
        )
    few = few_events_said(n_events)
    if not few and found["fewest_events"] < FEW_EVENTS:
        few = [
            f"Of {n_events} events only {found['fewest_events']} are left to learn "
            "from in a fold: predictions lean on the prior of the model."
        ]
    return lines + few
