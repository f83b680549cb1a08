"""J where groups are as frequent as they will be in use, not as in these cases."""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.exceptions import InvalidInputError, Location, UsageError, quoted
from scorecast.information.groups import GroupDraws, GroupInformation
from scorecast.information.posterior import InformationPosterior, posterior_of

_N_DRAWS = 8000
# Which view stands in where a group does not have the one that is asked for.
_INSTEAD = ("mixture", "normal", "t")


@dataclass(frozen=True, kw_only=True, eq=False)
class PopulationInformation:
    """Information in a population in which groups have weights of their own.

    Attributes
    ----------
    weights : dict of str to float
        Share of every group; they add up to one.
    mean : float
        Weighted sum of the means of groups; minus infinity where a forecast of zero
        came true in a group that counts.
    stderr : float
        Standard error of that sum; NaN where that of a group is.
    posterior : InformationPosterior or None
        Posterior of the weighted sum of the J of groups, whose posteriors are
        independent; None where a group that counts has none.
    lacking : tuple of str
        Groups that count and have no posterior.
    """

    weights: dict[str, float]
    mean: float
    stderr: float
    posterior: InformationPosterior | None
    lacking: tuple[str, ...] = ()


def check_group_weights(
    weights: Mapping[Any, float], groups: Iterable[Hashable] | None
) -> dict[str, float]:
    """Return the weight of every group, adding up to one.

    Parameters
    ----------
    weights : mapping
        A number from 0 for every group: shares, or counts.
    groups : iterable of hashable or None
        Group of every case.

    Returns
    -------
    dict of str to float
        In the order in which groups first occur.

    Raises
    ------
    UsageError
        If there are no groups.
    InvalidInputError
        If a weight is none, or a group is unknown, missing or there twice; the row is
        that of the mapping.
    """
    known = list(dict.fromkeys(str(group) for group in groups or ()))
    if not known:
        problem = "needs the group of every case"
        raise UsageError(problem, parameter="group_weights", remedy="give groups")
    if not isinstance(weights, Mapping):
        problem = f"must map groups to numbers; got {type(weights).__name__}"
        raise UsageError(problem, parameter="group_weights")
    found: dict[str, float] = {}
    for row, (group, weight) in enumerate(weights.items(), start=1):
        name = str(group)
        problem = _wrong(name, weight, known, found)
        if problem:
            raise InvalidInputError(
                problem, parameter="group_weights", location=Location(row=row)
            )
        found[name] = float(weight)
    missing = [name for name in known if name not in found]
    if missing:
        more = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise InvalidInputError(
            f"lacks the group {quoted(missing[0])}{more}",
            parameter="group_weights",
            remedy="give every group a weight; 0 leaves it out",
        )
    total = math.fsum(found.values())
    if total == 0:
        problem = "are all 0: no group is left"
        raise InvalidInputError(problem, parameter="group_weights")
    return {name: found[name] / total for name in known}


def _wrong(
    name: str, weight: Any, known: Sequence[str], found: Mapping[str, float]
) -> str:
    """Say what is wrong with a weight, if something is."""
    if name not in known:
        return f"{quoted(name)} is no group of these cases"
    if name in found:
        return f"{quoted(name)} is there twice"
    is_number = isinstance(weight, numbers.Real) and not isinstance(weight, bool)
    if not is_number or not math.isfinite(weight) or weight < 0:
        shown = f"{weight:g}" if is_number else repr(weight)
        return f"the weight of {quoted(name)} must be a number from 0; got {shown}"
    return ""


def population_of(
    groups: Sequence[GroupInformation],
    draws: Sequence[GroupDraws],
    weights: Mapping[str, float],
    confidence_level: float,
    rng: np.random.Generator,
) -> PopulationInformation:
    """Put groups together by weights of their own.

    Parameters
    ----------
    groups : sequence of GroupInformation
        The groups.
    draws : sequence of GroupDraws
        Their draws of J.
    weights : mapping of str to float
        By name, adding up to one.
    confidence_level : float
        Level of the interval.
    rng : numpy.random.Generator
        Pairs the draws of one group with those of others at random.

    Returns
    -------
    PopulationInformation
        The sum.
    """
    counted = [
        (weights[group.name], group, drawn)
        for group, drawn in zip(groups, draws, strict=True)
        if weights[group.name] > 0
    ]
    lacking = tuple(group.name for _, group, drawn in counted if not drawn.views)
    posterior = None
    if not lacking:
        shares = np.array([weight for weight, _, _ in counted])
        views: dict[str, FloatArray] = {
            view: shares
            @ [_paired(drawn.view(view, _INSTEAD), rng) for _, _, drawn in counted]
            for view in _views([drawn for _, _, drawn in counted])
        }
        posterior = posterior_of(
            views.pop("mixture", None),
            confidence_level,
            others=views,
            is_lone=any(drawn.is_lone for _, _, drawn in counted),
            is_long_tailed=any(drawn.is_long_tailed for _, _, drawn in counted),
            has_curves=False,
        )
    return PopulationInformation(
        weights=dict(weights),
        mean=float(sum(weight * group.mean for weight, group, _ in counted)),
        stderr=math.sqrt(sum((w * group.stderr) ** 2 for w, group, _ in counted)),
        posterior=posterior,
        lacking=lacking,
    )


def _views(draws: Sequence[GroupDraws]) -> list[str]:
    """Return the views that the sum has: the mixture's where all groups have it."""
    every = list(dict.fromkeys(view for one in draws for view in one.views))
    if all("mixture" in one.views for one in draws):
        return every
    return [view for view in every if view != "mixture"]


def _paired(draws: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return draws in a random order, each about equally often.

    What groups know of their J is independent; in the order of the runs, or of
    quantiles, it would not look so.
    """
    places = rng.permutation(np.arange(_N_DRAWS) % draws.size)
    return np.asarray(draws[places])
