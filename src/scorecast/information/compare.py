"""Two forecasters on the same cases: what one knows beyond the other."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.keywords import checked_keywords
from scorecast._core.rng import seed_number
from scorecast._core.types import FloatArray, RandomState
from scorecast.exceptions import InvalidInputError, UsageError
from scorecast.information.apparent import answer_of, simulation_of
from scorecast.information.cases import CaseInformation, check_floor
from scorecast.information.columns import check_column, check_same_length, warned
from scorecast.information.logs import look_like_logs
from scorecast.information.result import ApparentInformation
from scorecast.mixtures import Prior, Sampling

__all__ = ["compare_information", "relative_cases"]

_WORDS = ("Forecast", "forecast")


@checked_keywords
def compare_information(
    log_q1: ArrayLike | CaseInformation,
    log_q0: ArrayLike | CaseInformation,
    *,
    groups: Iterable[Hashable] | None = None,
    units: str = "nats",
    level: float = 0.95,
    floor: float | None = None,
    mixture_prior: Prior | None = None,
    sampling: Sampling | None = None,
    tails: str = "all",
    max_cases: int = 50_000,
    max_seconds: float = 60.0,
    allow_unconverged: bool = False,
    quick: bool = False,
    influence: bool = True,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    names: tuple[str, str] | None = None,
) -> ApparentInformation:
    """Say how much one forecaster knows beyond another, case by case.

    The relative information of a case is log Q1 - log Q0. It is what the first knows
    beyond any prior, less what the second knows: in every sample, exactly.

    Parameters
    ----------
    log_q1, log_q0 : array-like of shape (n,) or CaseInformation
        Natural log-probabilities (or log-densities) that the two gave to what happened,
        for the same cases in the same order; or cases of both against the same prior.
    groups, units, level, floor, mixture_prior, sampling, tails, max_cases : optional
        As for `apparent_information`; the floor applies to both.
    max_seconds : float, default=60
        How long chains may go on while they disagree.
    allow_unconverged : bool, default=False
        Whether to answer, with a stamp, where the chains disagree.
    quick : bool, default=False
        Whether to leave the mixture out.
    influence : bool, default=True
        Whether to say what the most influential case does.
    random_state : int, Generator or None, default=0
        Seed of the chains.
    n_jobs : int, optional
        Number of workers.
    checkpoint : str or path-like, optional
        File that keeps the state of a long run.
    names : tuple of two str, optional
        What the answer calls the two forecasters.

    Returns
    -------
    ApparentInformation
        Positive where the first knows more.
    """
    cases = relative_cases(log_q1, log_q0, floor=floor)
    forecast, reference = "The first forecast", "the second"
    if names is not None:
        forecast, reference = (f"{w} '{n}'" for w, n in zip(_WORDS, names, strict=True))
        cases = replace(cases, prior=reference)
    if groups is not None:
        cases = cases.with_groups(groups)
    return answer_of(
        cases,
        units=units,
        level=level,
        simulation=simulation_of(
            mixture_prior,
            sampling,
            tails,
            max_cases,
            allow_unconverged,
            random_state,
            n_jobs,
            checkpoint,
            max_seconds,
        ),
        seed=seed_number(random_state),
        forecast=forecast,
        reference=reference,
        quick=quick,
        influence=influence,
    )


def relative_cases(
    first: ArrayLike | CaseInformation,
    second: ArrayLike | CaseInformation,
    *,
    floor: float | None = None,
) -> CaseInformation:
    """Pair the cases of two forecasters.

    Parameters
    ----------
    first, second : array-like of shape (n,) or CaseInformation
        As for `compare_information`.
    floor : float, optional
        Smallest chance that counts as said, for both.

    Returns
    -------
    CaseInformation
        The first held against the second.

    Raises
    ------
    InvalidInputError
        If lengths differ, or the second gave no chance to what happened.

    Examples
    --------
    >>> relative_cases(np.log([0.8, 0.5]), np.log([0.4, 0.5])).j.round(3).tolist()
    [0.693, 0.0]
    """
    q1, q0 = _logs(first, second, floor)
    check_same_length(first=q1, second=q0)
    shared = _shared(first, second)
    if not any(isinstance(x, CaseInformation) for x in (first, second)):
        shared["notes"] += warned(look_like_logs(q1, q0))
    if floor is not None:
        low = check_floor(floor, q1, q0)
        shared["n_floored"] += int((q1 < low).sum() + (q0 < low).sum())
        shared["floor"] = float(floor)
        q1, q0 = np.maximum(q1, low), np.maximum(q0, low)
    n_zero = int((q0 == -np.inf).sum())
    if n_zero:
        msg = (
            f"The second forecast gave no chance to what happened in {n_zero} case(s): "
            "against it the first is infinitely better there. Look at each against a "
            "prior, or state a floor."
        )
        raise InvalidInputError(msg)
    return CaseInformation(
        j=q1 - q0, log_q=q1, log_p=q0, prior="the second forecast", **shared
    )


def _shared(
    first: ArrayLike | CaseInformation, second: ArrayLike | CaseInformation
) -> dict[str, Any]:
    """Return what both sets of cases say of the cases; refuse contradictions."""
    known = [x for x in (first, second) if isinstance(x, CaseInformation)]
    shared: dict[str, Any] = {"n_floored": sum(x.n_floored for x in known)}
    for name, what in (
        ("ids", "names of the cases"),
        ("groups", "groups of the cases"),
        ("censored", "cases that are censored"),
    ):
        given = [getattr(x, name) for x in known if getattr(x, name) is not None]
        if len(given) == 2 and not np.array_equal(given[0], given[1]):
            differ = (i for i, (a, b) in enumerate(zip(*given, strict=True)) if a != b)
            msg = (
                f"The {what} differ between the two forecasts, first in row "
                f"{next(differ) + 1}: give both for the same cases in the same order."
            )
            raise InvalidInputError(msg)
        shared[name] = given[0] if given else None
    floors = [x.floor for x in known]
    shared["floor"] = max((x for x in floors if x is not None), default=None)
    notes = [note for x in known for note in x.notes]
    if len(set(floors)) > 1:
        said = " and ".join("none" if x is None else f"{x:g}" for x in floors)
        notes.append(f"The floors of the two forecasts differ: {said}.")
    shared["notes"] = tuple(dict.fromkeys(notes))
    return shared


def _logs(
    first: ArrayLike | CaseInformation,
    second: ArrayLike | CaseInformation,
    floor: float | None,
) -> tuple[FloatArray, FloatArray]:
    """Return log Q of both, or j of both where only that is known."""
    both = (first, second)
    if any(isinstance(x, CaseInformation) and x.log_q is None for x in both):
        given = [x.j if isinstance(x, CaseInformation) else None for x in both]
        if given[0] is None or given[1] is None:
            msg = "Cases that hold only j compare with cases against the same prior."
            raise UsageError(msg)
        if floor is not None:
            msg = "A floor is one of the forecasts' chances: give log_q, not j."
            raise UsageError(msg)
        return given[0], given[1]
    logs = [
        x.log_q
        if isinstance(x, CaseInformation) and x.log_q is not None
        else check_column(x, f"log_q{1 - i}", allow_negative_infinity=True)  # type: ignore[arg-type]
        for i, x in enumerate(both)
    ]
    return logs[0], logs[1]
