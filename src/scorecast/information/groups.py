"""The answer for groups of cases, whose weighted sum is the answer for all."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from scorecast._core.progress import track
from scorecast._core.types import FloatArray
from scorecast.information.forecasts import Forecasts
from scorecast.information.posterior import (
    InformationPosterior,
    has_lone_case,
    has_long_tail,
    posterior_of,
)

if TYPE_CHECKING:
    from scorecast.information.apparent import Simulation

MOST_GROUP_RUNS = 40


class GroupStatus(StrEnum):
    """Whether a group has a posterior, or why it has none."""

    OK = "ok"
    TOO_MANY_GROUPS = "too-many-groups"
    NOT_CONVERGED = "not-converged"
    ALL_IMPOSSIBLE = "all-impossible"


@dataclass(frozen=True, kw_only=True, eq=False)
class GroupInformation:
    """Information in one group of cases.

    Attributes
    ----------
    name : str
        The group.
    n : int
        Its cases.
    n_impossible : int
        Those to which the forecast gave no chance; the posterior is of the others.
    weight : float
        Its share of all cases.
    mean : float
        Mean j; the weighted sum over groups is the mean over all cases.
    stderr : float
        Standard error of the mean; NaN for one case.
    posterior : InformationPosterior or None
        Posterior of the group's J; None where there is none.
    status : GroupStatus
        Whether there is one, or why not.
    is_flat : bool
        Whether all possible cases have the same j, so that the posterior is hardly
        more than its prior.
    is_converged : bool
        Whether chains agree; answers of others are given only where that was allowed.
    """

    name: str
    n: int
    n_impossible: int
    weight: float
    mean: float
    stderr: float
    posterior: InformationPosterior | None
    status: GroupStatus
    is_flat: bool
    is_converged: bool


def n_groups(forecasts: Forecasts) -> int:
    """Return the number of groups; none where cases have no groups."""
    return len(set(forecasts.groups or ()))


def groups_of(
    forecasts: Forecasts,
    simulation: Simulation,
    confidence_level: float,
    unit: float,
    *,
    is_quick: bool,
) -> tuple[GroupInformation, ...]:
    """Look at every group by itself, in the order in which they first occur."""
    places: dict[Hashable, list[int]] = {}
    for i, group in enumerate(forecasts.groups or ()):
        places.setdefault(group, []).append(i)
    runs = simulation.apart() if len(places) <= MOST_GROUP_RUNS else None
    return tuple(
        _group(
            str(name),
            forecasts.j[np.array(where, np.int64)],
            forecasts.n,
            runs,
            confidence_level,
            unit,
            is_quick=is_quick,
        )
        for name, where in track(list(places.items()), what="group")
    )


def _group(
    name: str,
    j: FloatArray,
    n_all: int,
    simulation: Simulation | None,
    level: float,
    unit: float,
    *,
    is_quick: bool,
) -> GroupInformation:
    values = j[np.isfinite(j)]
    posterior, status, is_converged = None, GroupStatus.TOO_MANY_GROUPS, True
    if not values.size:
        status = GroupStatus.ALL_IMPOSSIBLE
    elif simulation is not None:
        posterior, status, is_converged = _posterior(
            values, simulation, level, unit, is_quick=is_quick
        )
    error = j.std(ddof=1) / np.sqrt(j.size) if 1 < j.size == values.size else np.nan
    return GroupInformation(
        name=name,
        n=j.size,
        n_impossible=j.size - values.size,
        weight=j.size / n_all,
        mean=float(j.mean()) / unit,
        stderr=float(error) / unit,
        posterior=posterior,
        status=status,
        is_flat=bool(values.size and np.ptp(values) == 0),
        is_converged=is_converged,
    )


def _posterior(
    values: FloatArray,
    simulation: Simulation,
    level: float,
    unit: float,
    *,
    is_quick: bool,
) -> tuple[InformationPosterior | None, GroupStatus, bool]:
    if is_quick and np.ptp(values) > 0:
        others = simulation.other_views(values / unit, is_quick=True)
        found = posterior_of(None, level, others=others, has_curves=False)
        return found, GroupStatus.OK, True
    drawn = simulation.run(values)
    is_converged = drawn.diagnostics.passed
    if not simulation.may_use(drawn):
        return None, GroupStatus.NOT_CONVERGED, is_converged
    posterior = posterior_of(
        drawn.means / unit,
        level,
        others=simulation.other_views(values / unit),
        is_lone=has_lone_case(values),
        is_long_tailed=has_long_tail(values),
        has_curves=False,
    )
    return posterior, GroupStatus.OK, is_converged
