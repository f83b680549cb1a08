"""Which hyperparameters foretell the training data best: thermodynamic integration."""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.keywords import checked_keywords
from scorecast._core.progress import track
from scorecast._core.rng import as_generator
from scorecast._core.types import RandomState
from scorecast.exceptions import InvalidInputError, UsageError
from scorecast.mixtures import Prior, Sampling, log_evidence
from scorecast.survival.data import check_survival
from scorecast.survival.prediction import noted

if TYPE_CHECKING:
    from scorecast.survival.model import SurvivalModel

AS_PRINTED = "as printed"
_MANY_ERRORS = 3.0
_SAMPLING = Sampling(n_warmup=200, n_draws=400, starts=(1,))
_ERROR = 0.5  # nats, which rungs of the default sampling run on for


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """One candidate and how well it foretold the data.

    Attributes
    ----------
    name : str
        What it is called.
    settings : dict
        Hyperparameters that differ from those of the paper.
    log_evidence, stderr, correction : float
        In nats, with its Monte Carlo error and what the correction of the ladder
        changed.
    """

    name: str
    settings: dict[str, Any]
    log_evidence: float
    stderr: float
    correction: float


@dataclass(frozen=True, kw_only=True)
class HyperparameterChoice:
    """Candidates, the one that foretold the data best first.

    Attributes
    ----------
    candidates : tuple of Candidate
        "as printed", the values of the paper, is always among them.
    """

    candidates: tuple[Candidate, ...]

    @property
    def best(self) -> Candidate:
        """The candidate of highest evidence."""
        return self.candidates[0]

    def ahead(self, of: Candidate) -> tuple[float, float]:
        """Return by how much the best is ahead of a candidate, and how sure that is.

        Parameters
        ----------
        of : Candidate
            Another one.

        Returns
        -------
        tuple of float
            Log Bayes factor in nats, and its error: of both simulations, or of the
            ladder where that is larger.
        """
        pair = (self.best, of)
        error = max(
            math.hypot(*(one.stderr for one in pair)),
            max(abs(one.correction) for one in pair) / _MANY_ERRORS,
        )
        return self.best.log_evidence - of.log_evidence, error

    @property
    def is_decided(self) -> bool:
        """Whether the best is ahead of the next by more than three errors."""
        if len(self.candidates) == 1:
            return True
        lead, error = self.ahead(self.candidates[1])
        return bool(lead > _MANY_ERRORS * error)

    def to_columns(self) -> dict[str, list[Any]]:
        """Return the table, column by column."""
        rows = self.candidates
        return {
            "name": [one.name for one in rows],
            "log_evidence": [one.log_evidence for one in rows],
            "stderr": [one.stderr for one in rows],
            "behind": [self.ahead(one)[0] for one in rows],
        }


def check_candidates(
    candidates: Mapping[str, Mapping[str, Any]], n_dims: int
) -> dict[str, dict[str, Any]]:
    """Return the candidates with the values of the paper first.

    `n_dims` is one more than there are covariates.
    """
    from scorecast.survival.model import check_hyperparameter

    printed: dict[str, dict[str, Any]] = {AS_PRINTED: {}}
    found = printed | {name: dict(c) for name, c in candidates.items()}
    for name, changes in found.items():
        for key in changes:
            check_hyperparameter(key, "candidates")
        try:
            Prior.survival(np.eye(n_dims), np.zeros(n_dims), **changes)
        except (TypeError, ValueError, UsageError, InvalidInputError) as error:
            problem = f"{name!r}: {error}"
            raise UsageError(problem, parameter="candidates") from error
    return found


@checked_keywords
def choose_hyperparameters(
    model: SurvivalModel,
    X: ArrayLike | None,
    time: ArrayLike,
    event: ArrayLike,
    candidates: Mapping[str, Mapping[str, Any]],
    *,
    betas: ArrayLike | None = None,
    sampling: Sampling | None = None,
    random_state: RandomState = 0,
    checkpoint: str | os.PathLike[str] | None = None,
) -> HyperparameterChoice:
    r"""Say which hyperparameters foretell the data best, and how sure that is.

    The log evidence of a candidate is the integral over the ladder of the mean log
    likelihood,

    .. math:: \log Z = \int_0^1 E_\beta[\log L] \, d\beta.

    Parameters
    ----------
    model : SurvivalModel
        Its noise and moments hold for every candidate.
    X, time, event : array-like
        As for `SurvivalModel.fit`.
    candidates : mapping of str to mapping
        By name, hyperparameters to set otherwise than the paper, such as
        ``{"more parts": {"growth": 0.9}}``; the paper's own are always added.
    betas : array-like, optional
        Ladder from 0 to 1; by default a short one of 20 steps.
    sampling : scorecast.mixtures.Sampling, optional
        Length of the chains of every rung; by default 200 sweeps and 400, and up to
        three times twice as many where a rung adds much to the error.
    random_state : int, Generator or None, default=0
        Source of randomness; one stream per candidate.
    checkpoint : str or path-like, optional
        File to which every finished candidate is appended; the same call goes on from
        it. It may be that of `evaluate_survival`.

    Returns
    -------
    HyperparameterChoice
        The candidates, best first. Differences are log Bayes factors; one smaller than
        a few errors decides nothing.

    Raises
    ------
    UsageError
        If a hyperparameter is unknown or its value impossible.

    References
    ----------
    A. Gelman and X.-L. Meng (1998). Simulating normalizing constants: from importance
    sampling to bridge sampling to path sampling. Statistical Science 13.
    """
    from scorecast.survival.model import check_sampling, make_prior, scale_data

    data = check_survival(X, time, event)
    every = check_candidates(candidates, 1 + data.X.shape[1])
    scaling = scale_data(data, model.moments)
    noise = scaling.noise(model.noise_sd, model.noise_shape)
    given = scaling.observations(data, noise)
    streams = as_generator(random_state).spawn(len(every))
    tasks = list(zip(every.items(), streams, strict=True))
    rows = []
    for (name, changes), stream in track(tasks, what="evidence of candidate"):
        asked: dict[str, Any] = {
            "prior": dataclasses.replace(make_prior(scaling, changes), name=name),
            "betas": None if betas is None else np.asarray(betas),
            "sampling": check_sampling(sampling, _SAMPLING),
            "error": _ERROR if sampling is None else None,
        }

        def work(
            name: str = name,
            changes: dict[str, Any] = changes,
            stream: np.random.Generator = stream,
            asked: dict[str, Any] = asked,
        ) -> Candidate:
            found = log_evidence(
                given, random_state=stream, n_jobs=model.n_jobs, **asked
            )
            return Candidate(
                name=name,
                settings={k: np.asarray(v).tolist() for k, v in changes.items()},
                log_evidence=float(found.value),
                stderr=float(found.stderr),
                correction=float(found.correction),
            )

        decided_by = (asked, given.tobytes(), stream)
        rows.append(noted(checkpoint, "evidence", decided_by, work, Candidate))
    rows.sort(key=lambda row: -row.log_evidence)
    return HyperparameterChoice(candidates=tuple(rows))
