"""The worst cases, and what one case can do to the answer."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import NamedTuple

import numpy as np

from scorecast._core.types import FloatArray, IntArray, Json
from scorecast.exceptions import NotConvergedError
from scorecast.information.cases import CaseInformation
from scorecast.information.simulation import Simulation, check_converged
from scorecast.mixtures import MixturePosterior

__all__ = ["Influence", "WorstCase", "influence_of", "worst_cases"]

_MOST_WORST = 10
_EVEN = 0.25  # share of effective weights below which they are too uneven
_MOST_TO_RERUN = 20_000
_N_BATCHES = 20  # parts of the draws whose differences show the error of all


@dataclass(frozen=True, kw_only=True)
class WorstCase:
    """A case that cost much.

    Attributes
    ----------
    index : int
        Its place, counted from zero.
    id : str
        Its name, or its row counted from one.
    j : float
        Its information; minus infinity if the forecast gave it no chance.
    cost : float
        What it takes from the mean: ``-j / n``.
    share : float
        Its share of all that was lost in cases with negative j.
    """

    index: int
    id: str
    j: float
    cost: float
    share: float

    def to_dict(self) -> Json:
        """Return plain values; what is infinite is said in a field of its own."""
        return {**asdict(self), "is_infinite": bool(np.isinf(self.j))}

    @classmethod
    def from_dict(cls, data: Json) -> WorstCase:
        """Rebuild from `to_dict`."""
        # JSON has no infinities: null is one, also in files that do not say so.
        infinite = data["j"] is None
        return cls(
            index=int(data["index"]),
            id=str(data["id"]),
            j=-np.inf if infinite else float(data["j"]),
            cost=np.inf if infinite else float(data["cost"]),
            share=float(data["share"]),
        )


def worst_cases(cases: CaseInformation, unit: float) -> tuple[WorstCase, ...]:
    """Return the cases with the smallest j, the worst first.

    Parameters
    ----------
    cases : CaseInformation
        The cases.
    unit : float
        Nats per unit of the answer.

    Returns
    -------
    tuple of WorstCase
        At most ten, all with negative j.
    """
    values = cases.j / unit
    order = np.argsort(values, kind="stable")[:_MOST_WORST]
    lost = -float(values[values < 0].sum())
    return tuple(
        WorstCase(
            index=int(i),
            id=cases.name(int(i)),
            j=float(values[i]),
            cost=-float(values[i]) / cases.n,
            share=_share(-float(values[i]), lost, cases.n_infinite),
        )
        for i in order
        if values[i] < 0
    )


def _share(loss: float, lost: float, n_infinite: int) -> float:
    if n_infinite:
        return 1 / n_infinite if np.isinf(loss) else 0.0
    return loss / lost


@dataclass(frozen=True, kw_only=True)
class Influence:
    """What leaving out the most influential case does.

    Attributes
    ----------
    index : int
        The case, counted from zero; one of those the posterior rests on.
    id : str
        Its name, or its row counted from one.
    j : float
        Its information.
    mean_without : float
        Mean of the other finite cases.
    posterior_mean_without, posterior_median_without : float
        The mixture's posterior of J from the other finite cases; NaN where it was not
        computed.
    method : str
        ``"weights"`` (importance weights on the draws), ``"re-run"`` or why neither.
    median_error : float
        Standard error, by chance in the simulation, of how far the posterior median
        moves; NaN where it is not known.
    """

    index: int
    id: str
    j: float
    mean_without: float
    posterior_mean_without: float
    posterior_median_without: float
    method: str
    median_error: float = float("nan")

    def to_dict(self) -> Json:
        """Return plain values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Json) -> Influence:
        """Rebuild from `to_dict`."""
        words = ("id", "method")  # which are no numbers where they are missing
        names = [one.name for one in fields(cls) if one.name in data]
        found: Json = {name: data[name] for name in names}
        lost = [name for name in names if found[name] is None and name not in words]
        return cls(**{**found, **dict.fromkeys(lost, float("nan"))})


def influence_of(
    cases: CaseInformation,
    found: MixturePosterior | None,
    simulation: Simulation,
    unit: float,
    drawn: IntArray,
) -> Influence | None:
    """Leave out the case farthest from the mean, of those the posterior has seen.

    Parameters
    ----------
    cases : CaseInformation
        The cases.
    found : MixturePosterior or None
        Draws from the finite ones that were drawn; None where there are none.
    simulation : Simulation
        For a second run, where weights will not do.
    unit : float
        Nats per unit of the answer.
    drawn : ndarray of int64
        Places, among the finite cases, of those the posterior rests on.

    Returns
    -------
    Influence or None
        None if there are fewer than two finite cases, or all are equal.
    """
    finite = np.flatnonzero(cases.is_finite)
    everything, values = cases.j[finite], cases.j[finite[drawn]]
    if values.size < 2 or np.ptp(values) == 0:
        return None
    place = int(np.argmax(np.abs(values - everything.mean())))
    others = np.delete(values, place)
    without = _posterior_without(values[place], others, found, simulation)
    index = int(finite[drawn[place]])
    return Influence(
        index=index,
        id=cases.name(index),
        j=float(values[place]) / unit,
        mean_without=float(np.delete(everything, drawn[place]).mean()) / unit,
        posterior_mean_without=without.mean / unit,
        posterior_median_without=without.median / unit,
        method=without.method,
        median_error=without.median_error / unit,
    )


class _Without(NamedTuple):
    """Posterior of J without a case."""

    mean: float
    median: float
    median_error: float
    method: str


def _posterior_without(
    value: float,
    others: FloatArray,
    found: MixturePosterior | None,
    simulation: Simulation,
) -> _Without:
    """Weight each draw by one over the density it gives to the case left out."""
    nothing = (np.nan, np.nan, np.nan)
    if found is None:
        return _Without(*nothing, "not simulated")
    log_weight = -found.log_densities(np.array([value]))[:, 0]
    weight = np.exp(log_weight - log_weight.max())
    if weight.sum() ** 2 / (weight**2).sum() >= _EVEN * weight.size:
        return _weighted(weight, found)
    if others.size > _MOST_TO_RERUN:
        return _Without(*nothing, "weights too uneven, too many cases to run again")
    again = simulation.apart().run(others)
    try:
        check_converged(again, simulation)
    except NotConvergedError:
        return _Without(*nothing, "a run without the case did not converge")
    error = np.hypot(_median_error(found.means), _median_error(again.means))
    mean, median = float(again.means.mean()), float(np.median(again.means))
    return _Without(mean, median, float(error), "re-run")


def _weighted(weight: FloatArray, found: MixturePosterior) -> _Without:
    """Move the posterior by as much as the weights move the draws kept in full.

    These are few, and differ by chance from all draws; their change hardly does.
    """
    means = np.array([float(np.ravel(m.mean())[0]) for m in found.mixtures])
    shift = float(weight @ means / weight.sum() - means.mean())
    # The error by leaving out batches in turn: wide ones, since a median is no smooth
    # function of single draws, and neighbours of a chain, since they are alike.
    batches = np.arange(means.size) * _N_BATCHES // means.size
    left = [batches != i for i in np.unique(batches)]
    moves = [_median_move(means[some], weight[some]) for some in left]
    error = float(np.sqrt(len(left) - 1) * np.std(moves)) if len(left) > 1 else np.nan
    everything = np.ravel(found.means)
    return _Without(
        float(everything.mean()) + shift,
        float(np.median(everything)) + _median_move(means, weight),
        error,
        "weights",
    )


def _median_move(means: FloatArray, weight: FloatArray) -> float:
    even = np.ones_like(weight)
    return _weighted_median(means, weight) - _weighted_median(means, even)


def _median_error(draws: FloatArray) -> float:
    """Return the standard error of the median of all draws, from parts of chains."""
    per_chain = max(1, _N_BATCHES // len(draws))
    parts = [np.median(part) for chain in draws for part in
             np.array_split(chain.ravel(), per_chain)]  # fmt: skip
    return float(np.std(parts, ddof=1) / np.sqrt(len(parts)))


def _weighted_median(values: FloatArray, weight: FloatArray) -> float:
    """Return where half of the weight lies below, between the middles of draws."""
    order = np.argsort(values)
    reached = np.cumsum(weight[order]) - 0.5 * weight[order]
    return float(np.interp(0.5 * weight.sum(), reached, values[order]))
