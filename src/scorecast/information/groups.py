"""The answer for groups of cases, whose weighted sum is the answer for all."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
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


@dataclass(frozen=True, kw_only=True, eq=False)
class GroupDraws:
    """Draws of the J of one group, in the units of the answer.

    Attributes
    ----------
    views : mapping of str to ndarray
        By view of the tails; empty where the group has no posterior.
    is_lone : bool
        Whether a single case lies far from all others.
    is_long_tailed : bool
        Whether a tail is so long that its variance is in doubt.
    """

    views: Mapping[str, FloatArray] = field(default_factory=dict)
    is_lone: bool = False
    is_long_tailed: bool = False

    def view(self, name: str, instead: Sequence[str]) -> FloatArray:
        """Return the draws of a view, or of the first of others that there is."""
        return next(self.views[x] for x in (name, *instead) if x in self.views)


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
) -> tuple[tuple[GroupInformation, ...], tuple[GroupDraws, ...]]:
    """Look at every group by itself, in the order in which they first occur."""
    places: dict[Hashable, list[int]] = {}
    for i, group in enumerate(forecasts.groups or ()):
        places.setdefault(group, []).append(i)
    runs = simulation.apart() if len(places) <= MOST_GROUP_RUNS else None
    found = [
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
    ]
    return tuple(group for group, _ in found), tuple(drawn for _, drawn in found)


def _group(
    name: str,
    j: FloatArray,
    n_all: int,
    simulation: Simulation | None,
    level: float,
    unit: float,
    *,
    is_quick: bool,
) -> tuple[GroupInformation, GroupDraws]:
    values = j[np.isfinite(j)]
    posterior, status, is_converged = None, GroupStatus.TOO_MANY_GROUPS, True
    draws = GroupDraws()
    if not values.size:
        status = GroupStatus.ALL_IMPOSSIBLE
    elif simulation is not None:
        draws, status, is_converged = _draws(
            values, simulation, unit, is_quick=is_quick
        )
        posterior = _posterior(draws, level)
    error = j.std(ddof=1) / np.sqrt(j.size) if 1 < j.size == values.size else np.nan
    found = GroupInformation(
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
    return found, draws


def _draws(
    values: FloatArray, simulation: Simulation, unit: float, *, is_quick: bool
) -> tuple[GroupDraws, GroupStatus, bool]:
    """Draw J of a group under every view of the tails."""
    if (is_quick and np.ptp(values) > 0) or not simulation.has_mixture(values):
        others = simulation.other_views(values / unit, is_quick=is_quick)
        is_long = has_long_tail(values)
        return GroupDraws(views=others, is_long_tailed=is_long), GroupStatus.OK, True
    drawn = simulation.run(values)
    is_converged = drawn.diagnostics.passed
    if not simulation.may_use(drawn):
        return GroupDraws(), GroupStatus.NOT_CONVERGED, is_converged
    found = GroupDraws(
        views={
            "mixture": np.ravel(drawn.means / unit),
            **simulation.other_views(values / unit),
        },
        is_lone=has_lone_case(values),
        is_long_tailed=has_long_tail(values),
    )
    return found, GroupStatus.OK, is_converged


def _posterior(draws: GroupDraws, level: float) -> InformationPosterior | None:
    """Sum up the draws of a group, if there are any."""
    if not draws.views:
        return None
    views = dict(draws.views)
    return posterior_of(
        views.pop("mixture", None),
        level,
        others=views,
        is_lone=draws.is_lone,
        is_long_tailed=draws.is_long_tailed,
        has_curves=False,
    )
