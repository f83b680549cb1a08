"""The worst cases, and what one case can do to the answer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scorecast._core.types import FloatArray, IntArray
from scorecast.information.forecasts import Forecasts

if TYPE_CHECKING:
    from scorecast.information.apparent import Simulation
    from scorecast.mixtures import MixturePosterior

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


def worst_cases(forecasts: Forecasts, unit: float) -> tuple[WorstCase, ...]:
    """Return the cases with the smallest j below zero, at most ten, the worst first."""
    values = forecasts.j / unit
    order = np.argsort(values, kind="stable")[:_MOST_WORST]
    lost = -float(values[values < 0].sum())
    return tuple(
        WorstCase(
            index=int(i),
            id=forecasts.name(int(i)),
            j=float(values[i]),
            cost=-float(values[i]) / forecasts.n,
            share=_share(-float(values[i]), lost, forecasts.n_impossible),
        )
        for i in order
        if values[i] < 0
    )


def _share(loss: float, lost: float, n_impossible: int) -> float:
    if n_impossible:
        return 1 / n_impossible if np.isinf(loss) else 0.0
    return loss / lost


class InfluenceMethod(StrEnum):
    """How the posterior without a case was found, or why it was not."""

    REWEIGHTED = "reweighted"
    RERUN = "rerun"
    NOT_SIMULATED = "not-simulated"
    TOO_MANY_CASES = "too-many-cases"
    NOT_CONVERGED = "not-converged"


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
        Mean of the other possible cases.
    posterior_mean_without, posterior_median_without : float
        The mixture's posterior of J from the other possible cases; NaN where it was
        not computed.
    method : InfluenceMethod
        By importance weights on the draws, by a second run, or why by neither.
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
    method: InfluenceMethod
    median_error: float


def influence_of(
    forecasts: Forecasts,
    found: MixturePosterior | None,
    simulation: Simulation,
    unit: float,
    drawn: IntArray,
) -> Influence | None:
    """Leave out the case farthest from the mean, of those the posterior has seen.

    `drawn` are places among the possible cases. Nothing is said of fewer than two
    cases, or of equal ones.
    """
    possible = np.flatnonzero(forecasts.is_possible)
    everything, values = forecasts.j[possible], forecasts.j[possible[drawn]]
    if values.size < 2 or np.ptp(values) == 0:
        return None
    place = int(np.argmax(np.abs(values - everything.mean())))
    others = np.delete(values, place)
    without = _posterior_without(values[place], others, found, simulation)
    index = int(possible[drawn[place]])
    return Influence(
        index=index,
        id=forecasts.name(index),
        j=float(values[place]) / unit,
        mean_without=float(np.delete(everything, drawn[place]).mean()) / unit,
        posterior_mean_without=without.mean / unit,
        posterior_median_without=without.median / unit,
        method=without.method,
        median_error=without.median_error / unit,
    )


class _Without(NamedTuple):
    """Posterior of J without a case."""

    method: InfluenceMethod
    mean: float = np.nan
    median: float = np.nan
    median_error: float = np.nan


def _posterior_without(
    value: float,
    others: FloatArray,
    found: MixturePosterior | None,
    simulation: Simulation,
) -> _Without:
    """Weight each draw by one over the density it gives to the case left out."""
    if found is None:
        return _Without(InfluenceMethod.NOT_SIMULATED)
    log_weight = -found.log_densities(np.array([value]))[:, 0]
    weight = np.exp(log_weight - log_weight.max())
    if weight.sum() ** 2 / (weight**2).sum() >= _EVEN * weight.size:
        return _reweighted(weight, found)
    if others.size > _MOST_TO_RERUN:
        return _Without(InfluenceMethod.TOO_MANY_CASES)
    again = simulation.apart().run(others)
    if not simulation.may_use(again):
        return _Without(InfluenceMethod.NOT_CONVERGED)
    error = np.hypot(_median_error(found.means), _median_error(again.means))
    mean, median = float(again.means.mean()), float(np.median(again.means))
    return _Without(InfluenceMethod.RERUN, mean, median, float(error))


def _reweighted(weight: FloatArray, found: MixturePosterior) -> _Without:
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
        InfluenceMethod.REWEIGHTED,
        float(everything.mean()) + shift,
        float(np.median(everything)) + _median_move(means, weight),
        error,
    )


def _median_move(means: FloatArray, weight: FloatArray) -> float:
    even = np.ones_like(weight)
    return _weighted_median(means, weight) - _weighted_median(means, even)


def _median_error(draws: FloatArray) -> float:
    """Return the standard error of the median of all draws, from parts of chains."""
    per_chain = max(1, _N_BATCHES // len(draws))
    parts = [
        np.median(part)
        for chain in draws
        for part in np.array_split(chain.ravel(), per_chain)
    ]
    return float(np.std(parts, ddof=1) / np.sqrt(len(parts)))


def _weighted_median(values: FloatArray, weight: FloatArray) -> float:
    """Return where half of the weight lies below, between the middles of draws."""
    order = np.argsort(values)
    reached = np.cumsum(weight[order]) - 0.5 * weight[order]
    return float(np.interp(0.5 * weight.sum(), reached, values[order]))
