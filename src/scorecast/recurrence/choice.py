"""Which of some candidate hyperparameters foretell the data best, in words."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.keywords import checked_keywords
from scorecast._core.types import Json, RandomState
from scorecast.exceptions import InvalidInputError, UsageError
from scorecast.mixtures import LogEvidence, Prior, Sampling
from scorecast.recurrence.evidence import hyperparameter_evidence
from scorecast.recurrence.scaling import hyperparameter_names, unknown_said
from scorecast.recurrence.settings import OF_MODEL

if TYPE_CHECKING:
    from scorecast.recurrence.model import RecurrenceModel

__all__ = [
    "AS_PRINTED",
    "Candidate",
    "HyperparameterChoice",
    "check_candidates",
    "choose_hyperparameters",
]

AS_PRINTED = "as printed"
_OF_PAPER = "the paper's hyperparameters"
_MANY_ERRORS = 3.0


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
    settings: Json
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

    @staticmethod
    def called(one: Candidate) -> str:
        """Return how readers call a candidate."""
        return _OF_PAPER if one.name == AS_PRINTED else one.name

    @property
    def is_decided(self) -> bool:
        """Whether the best is ahead of the next by more than three errors."""
        if len(self.candidates) == 1:
            return True
        lead, error = self.ahead(self.candidates[1])
        return bool(lead > _MANY_ERRORS * error)

    def sentence(self) -> str:
        """Say in plain words which candidate foretells the data best."""
        best, n = self.best, len(self.candidates)
        of_paper = best.name == AS_PRINTED
        own = f"log evidence {best.log_evidence:.1f} \N{PLUS-MINUS SIGN} "
        own += f"{best.stderr:.1f} nats"
        if n == 1:
            who = f"The hyperparameters {best.name}"
            return f"{f'T{_OF_PAPER[1:]}' if of_paper else who} have {own}."
        second = self.candidates[1]
        lead, error = self.ahead(second)
        ahead = (
            f"{lead:.1f} \N{PLUS-MINUS SIGN} {error:.1f} nats ahead of "
            f"{self.called(second)}"
        )
        if self.is_decided:
            return (
                f"Of {n} sets of hyperparameters, {self.called(best)} "
                f"{'foretell' if of_paper else 'foretells'} the data best ({own}), "
                f"{ahead}."
            )
        return (
            f"Of {n} sets of hyperparameters none surely foretells the data best: "
            f"{self.called(best)} ({own}) {'are' if of_paper else 'is'} {ahead}, less "
            "than three errors."
        )

    def to_columns(self) -> dict[str, list[Any]]:
        """Return the table, column by column."""
        rows = self.candidates
        return {
            "name": [self.called(one) for one in rows],
            "log_evidence": [one.log_evidence for one in rows],
            "stderr": [one.stderr for one in rows],
            "behind": [self.ahead(one)[0] for one in rows],
        }

    def to_dict(self) -> Json:
        """Return plain values."""
        rows = [asdict(one) for one in self.candidates]
        return {
            "candidates": rows,
            "is_decided": self.is_decided,
            "sentence": self.sentence(),
        }

    @classmethod
    def from_dict(cls, data: Json) -> Self:
        """Rebuild from plain values."""

        def number(value: float | None) -> float:
            return math.nan if value is None else float(value)

        return cls(
            candidates=tuple(
                Candidate(
                    name=str(row["name"]),
                    settings=dict(row["settings"]),
                    log_evidence=number(row["log_evidence"]),
                    stderr=number(row["stderr"]),
                    correction=number(row["correction"]),
                )
                for row in data["candidates"]
            )
        )


def check_candidates(
    candidates: Mapping[str, Mapping[str, Any]], n_dims: int
) -> dict[str, dict[str, Any]]:
    """Return the candidates with the values of the paper among them.

    Parameters
    ----------
    candidates : mapping of str to mapping
        By name, hyperparameters to set otherwise than the paper.
    n_dims : int
        One more than there are covariates.

    Returns
    -------
    dict
        Candidates, "as printed" first.

    Raises
    ------
    UsageError
        If a hyperparameter is unknown or its value impossible.
    """
    printed: dict[str, dict[str, Any]] = {AS_PRINTED: {}}
    found = printed | {name: dict(c) for name, c in candidates.items()}
    for name, changes in found.items():
        unknown = [key for key in changes if key not in hyperparameter_names()]
        if unknown:
            msg = f"`candidates` {name!r}: {unknown_said(unknown[0])}"
            raise UsageError(msg)
        try:
            Prior.survival(np.eye(n_dims), np.zeros(n_dims), **changes)
        except (TypeError, ValueError, UsageError, InvalidInputError) as error:
            msg = f"`candidates` {name!r}: {error}"
            raise UsageError(msg) from error
    return found


@checked_keywords
def choose_hyperparameters(
    model: RecurrenceModel,
    X: ArrayLike | None,
    time: ArrayLike,
    event: ArrayLike,
    candidates: Mapping[str, Mapping[str, Any]],
    *,
    sampling: Sampling | None = None,
    random_state: RandomState | Literal["model"] = OF_MODEL,
    checkpoint: str | os.PathLike[str] | None = None,
) -> HyperparameterChoice:
    """Say which hyperparameters foretell the data best, and how sure that is.

    Parameters
    ----------
    model : RecurrenceModel
        Its noise and moments hold for every candidate.
    X, time, event : array-like
        As for `RecurrenceModel.fit`.
    candidates : mapping of str to mapping
        By name, hyperparameters to set otherwise than the paper, such as
        ``{"more parts": {"growth": 0.9}}``; the paper's own are always added.
    sampling : Sampling, optional
        Length of the chains; see `scorecast.recurrence.hyperparameter_evidence`.
    random_state : int, Generator, None or "model", default="model"
        Source of randomness; "model" takes that of the model,
        anything else takes its place.
    checkpoint : str or path-like, optional
        File to which every finished candidate is appended; the same call goes on from
        it. It may be that of `evaluate_recurrence`.

    Returns
    -------
    HyperparameterChoice
        The candidates, best first; ``.sentence()`` says it.
    """
    n_dims = 1 if X is None else 1 + np.shape(X)[1]
    asked = check_candidates(candidates, n_dims)
    found: Mapping[str, LogEvidence] = hyperparameter_evidence(
        model, X, time, event, asked, sampling=sampling, random_state=random_state,
        checkpoint=checkpoint,
    )  # fmt: skip
    rows = [
        Candidate(
            name=name,
            settings={k: np.asarray(v).tolist() for k, v in asked[name].items()},
            log_evidence=float(one.value),
            stderr=float(one.stderr),
            correction=float(one.correction),
        )
        for name, one in found.items()
    ]
    rows.sort(key=lambda row: -row.log_evidence)
    return HyperparameterChoice(candidates=tuple(rows))
