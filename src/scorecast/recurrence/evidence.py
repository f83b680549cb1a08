"""Which hyperparameters foretell the training data best: thermodynamic integration."""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.progress import in_parts
from scorecast._core.rng import as_generator
from scorecast._core.types import Json, RandomState
from scorecast.exceptions import UsageError
from scorecast.mixtures import LogEvidence, Observations, Sampling, ladder, log_evidence
from scorecast.recurrence.cohort import check_cohort
from scorecast.recurrence.noted import noted
from scorecast.recurrence.scaling import check_sampling, make_prior, scale_cohort
from scorecast.recurrence.settings import OF_MODEL, seed_of

if TYPE_CHECKING:
    from scorecast.recurrence.model import RecurrenceModel

__all__ = ["hyperparameter_evidence"]

_RUNGS = 20
_SAMPLING = Sampling(n_warmup=200, n_draws=400, starts=(1,))
_ERROR = 0.5  # nats, which rungs of the default sampling run on for


def hyperparameter_evidence(
    model: RecurrenceModel,
    X: ArrayLike | None,
    time: ArrayLike,
    event: ArrayLike,
    candidates: Mapping[str, Mapping[str, Any]],
    *,
    betas: ArrayLike | None = None,
    sampling: Sampling | None = None,
    random_state: RandomState | Literal["model"] = OF_MODEL,
    checkpoint: str | os.PathLike[str] | None = None,
) -> dict[str, LogEvidence]:
    """Estimate the log evidence of candidate hyperparameters.

    Parameters
    ----------
    model : RecurrenceModel
        Its noise and moments hold for every candidate.
    X, time, event : array-like
        As for `RecurrenceModel.fit`.
    candidates : mapping of str to mapping
        By name, hyperparameters to set otherwise than B.8; ``{}`` is B.8 itself.
    betas : array-like, optional
        Ladder from 0 to 1; by default a short one of 20 steps.
    sampling : Sampling, optional
        Length of the chains of every rung; by default 200 sweeps and 400, and up to
        three times twice as many where a rung adds much to the error.
    random_state : int, Generator, None or "model", default="model"
        Source of randomness; one stream per candidate; "model" takes that of the model,
        anything else takes its place.
    checkpoint : str or path-like, optional
        File to which every finished candidate is appended; the same call goes on from
        it. It may be that of `evaluate_recurrence`.

    Returns
    -------
    dict of str to Evidence
        Natural logarithms with their errors, best first. Differences are log Bayes
        factors; one smaller than a few errors decides nothing.

    Raises
    ------
    UsageError
        If there is no candidate.
    """
    if not candidates:
        msg = "Give at least one candidate, such as {'as printed': {}}."
        raise UsageError(msg)
    cohort = check_cohort(X, time, event)
    scaling = scale_cohort(cohort, model.moments)
    noise = scaling.noise(model.noise_sd, model.noise_shape)
    given = scaling.observations(cohort, noise)
    streams = as_generator(seed_of(model, random_state)).spawn(len(candidates))
    found = {}
    tasks = list(zip(candidates.items(), streams, strict=True))
    for (name, changes), stream in in_parts(tasks, what="evidence of candidate"):
        asked: dict[str, Any] = {
            "prior": dataclasses.replace(make_prior(scaling, changes), name=name),
            "betas": ladder(_RUNGS) if betas is None else np.asarray(betas),
            "sampling": check_sampling(sampling, _SAMPLING),
            "error": _ERROR if sampling is None else None,
        }
        work = functools.partial(
            _evidence, given, random_state=stream, n_jobs=model.n_jobs, **asked
        )
        told = noted(checkpoint, "evidence", (asked, given.tobytes(), stream), work)
        found[name] = LogEvidence.from_dict(told)
    return dict(sorted(found.items(), key=lambda item: -item[1].value))


def _evidence(given: Observations, **asked: Any) -> Json:
    return log_evidence(given, **asked).to_dict()
