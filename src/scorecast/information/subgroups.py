"""The answer for groups of cases, whose weighted sum is the answer for all."""

from __future__ import annotations

import warnings
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from scorecast._core.progress import in_parts
from scorecast._core.types import FloatArray, Json
from scorecast.exceptions import DataWarning, NotConvergedError
from scorecast.information.cases import CaseInformation
from scorecast.information.pareto_tails import has_long_tail
from scorecast.information.posterior import (
    InformationPosterior,
    has_lone_case,
    posterior_of,
)
from scorecast.information.simulation import Simulation, check_converged
from scorecast.information.wording import without_zeros

__all__ = ["MOST_GROUP_RUNS", "GroupInformation", "groups_of"]

MOST_GROUP_RUNS = 40


@dataclass(frozen=True, kw_only=True, eq=False)
class GroupInformation:
    """Information in one group of cases.

    Attributes
    ----------
    name : str
        The group.
    n : int
        Its cases.
    n_infinite : int
        Those to which the forecast gave no chance.
    weight : float
        Its share of all cases.
    mean : float
        Mean j; the weighted sum over groups is the mean over all cases.
    stderr : float
        Standard error of the mean; NaN for one case.
    posterior : InformationPosterior or None
        Posterior of the group's J; None where it was withheld.
    note : str
        Why, or what else is to be known.
    """

    name: str
    n: int
    n_infinite: int
    weight: float
    mean: float
    stderr: float
    posterior: InformationPosterior | None
    note: str = ""

    def to_dict(self) -> Json:
        """Return plain values."""
        found = self.posterior
        return {
            "name": self.name,
            "n": self.n,
            "n_infinite": self.n_infinite,
            "weight": self.weight,
            "mean": self.mean,
            "is_infinite": self.n_infinite > 0,
            "stderr": self.stderr,
            "posterior": None if found is None else found.to_dict(),
            "probability_positive": None
            if found is None
            else found.probability_positive,
            "note": self.note,
        }

    @classmethod
    def from_dict(cls, data: Json) -> GroupInformation:
        """Rebuild from `to_dict`."""
        found, chance = data["posterior"], data["probability_positive"]
        missing = -np.inf if data["n_infinite"] else np.nan
        return cls(
            name=data["name"],
            n=int(data["n"]),
            n_infinite=int(data["n_infinite"]),
            weight=float(data["weight"]),
            mean=float(missing if data["mean"] is None else data["mean"]),
            stderr=float(np.nan if data["stderr"] is None else data["stderr"]),
            posterior=None
            if found is None
            else InformationPosterior.from_dict(found, chance),
            note=data["note"],
        )


def groups_of(
    cases: CaseInformation,
    simulation: Simulation,
    level: float,
    unit: float,
    *,
    quick: bool = False,
) -> tuple[GroupInformation, ...]:
    """Look at every group by itself.

    Parameters
    ----------
    cases : CaseInformation
        The cases, with groups.
    simulation : Simulation
        One run per group.
    level : float
        Level of the intervals.
    unit : float
        Nats per unit of the answer.
    quick : bool, default=False
        Whether to leave the mixture out.

    Returns
    -------
    tuple of GroupInformation
        In the order in which groups first occur.
    """
    places: dict[Hashable, list[int]] = {}
    for i, group in enumerate(cases.groups or ()):
        places.setdefault(group, []).append(i)
    if len(places) > MOST_GROUP_RUNS:
        msg = f"{len(places):,} groups: only plain means are given, no posteriors."
        warnings.warn(msg, DataWarning, stacklevel=3)
    runs = simulation.apart() if len(places) <= MOST_GROUP_RUNS else None
    return tuple(
        _group(
            str(name),
            cases.j[np.array(where, np.int64)],
            cases.n,
            runs,
            level,
            unit,
            quick=quick,
        )
        for name, where in in_parts(list(places.items()), what="group")
    )


def _group(
    name: str,
    j: FloatArray,
    n_all: int,
    simulation: Simulation | None,
    level: float,
    unit: float,
    *,
    quick: bool,
) -> GroupInformation:
    values = j[np.isfinite(j)]
    posterior, note = None, "too many groups"
    if simulation is not None and values.size:
        posterior, note = _posterior(values, simulation, level, unit, quick=quick)
    finite = ""
    if values.size < j.size:
        finite = f"interval {without_zeros(j.size - values.size)}"
    note = "; ".join(filter(None, (finite, _caution(values, posterior), note)))
    spread = j.std(ddof=1) / np.sqrt(j.size) if 1 < j.size == values.size else np.nan
    return GroupInformation(
        name=name,
        n=j.size,
        n_infinite=j.size - values.size,
        weight=j.size / n_all,
        mean=float(j.mean()) / unit,
        stderr=float(spread) / unit,
        posterior=posterior,
        note=note if values.size else "no finite case",
    )


def _caution(values: FloatArray, posterior: InformationPosterior | None) -> str:
    """Say what makes the posterior of a group hardly more than its prior."""
    if posterior is None or np.ptp(values) > 0:
        return ""
    if values.size == 1:
        return "one case says next to nothing"
    return "all cases have the same j: the posterior is that of a single case"


def _posterior(
    values: FloatArray,
    simulation: Simulation,
    level: float,
    unit: float,
    *,
    quick: bool,
) -> tuple[InformationPosterior | None, str]:
    if quick and np.ptp(values) > 0:
        others = simulation.other_views(values / unit, quick=True)
        return posterior_of(None, level, others=others, curve=False), ""
    found = simulation.run(values)
    try:
        note = check_converged(found, simulation)
    except NotConvergedError:
        return None, "not converged: withheld"
    others = simulation.other_views(values / unit)
    posterior = posterior_of(
        found.means / unit,
        level,
        others=others,
        lone=has_lone_case(values),
        long_tail=has_long_tail(values),
        curve=False,
    )
    return posterior, note
