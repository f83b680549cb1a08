"""The worst cases, and what one case can do to the answer."""

from __future__ import annotations

from dataclasses import asdict, dataclass

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
        Posterior of J from the other finite cases; NaN where it was not computed.
    method : str
        ``"weights"`` (importance weights on the draws), ``"re-run"`` or why neither.
    """

    index: int
    id: str
    j: float
    mean_without: float
    posterior_mean_without: float
    posterior_median_without: float
    method: str

    def to_dict(self) -> Json:
        """Return plain values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Json) -> Influence:
        """Rebuild from `to_dict`."""
        missing: Json = dict.fromkeys(data, float("nan"))
        known = {name: value for name, value in data.items() if value is not None}
        return cls(**{**missing, **known})


def influence_of(
    cases: CaseInformation,
    found: MixturePosterior,
    simulation: Simulation,
    unit: float,
    drawn: IntArray,
) -> Influence | None:
    """Leave out the case farthest from the mean, of those the posterior has seen.

    Parameters
    ----------
    cases : CaseInformation
        The cases.
    found : MixturePosterior
        Draws from the finite ones that were drawn.
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
    mean, median, method = _posterior_without(values[place], others, found, simulation)
    index = int(finite[drawn[place]])
    return Influence(
        index=index,
        id=cases.name(index),
        j=float(values[place]) / unit,
        mean_without=float(np.delete(everything, drawn[place]).mean()) / unit,
        posterior_mean_without=mean / unit,
        posterior_median_without=median / unit,
        method=method,
    )


def _posterior_without(
    value: float, others: FloatArray, found: MixturePosterior, simulation: Simulation
) -> tuple[float, float, str]:
    """Weight each draw by one over the density it gives to the case left out."""
    log_weight = -found.log_densities(np.array([value]))[:, 0]
    weight = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()
    if 1 / (weight**2).sum() >= _EVEN * weight.size:
        means = np.array([float(np.ravel(m.mean())[0]) for m in found.mixtures])
        # The few kept draws differ by chance from all draws; their change does not.
        shift = float(weight @ means - means.mean())
        moved = _weighted_median(means, weight) - float(np.median(means))
        everything = np.ravel(found.means)
        return (
            float(everything.mean()) + shift,
            float(np.median(everything)) + moved,
            "weights",
        )
    if others.size > _MOST_TO_RERUN:
        return np.nan, np.nan, "weights too uneven, too many cases to run again"
    again = simulation.apart().run(others)
    try:
        check_converged(again, simulation)
    except NotConvergedError:
        return np.nan, np.nan, "a run without the case did not converge"
    return float(again.means.mean()), float(np.median(again.means)), "re-run"


def _weighted_median(values: FloatArray, weight: FloatArray) -> float:
    order = np.argsort(values)
    reached = int(np.searchsorted(np.cumsum(weight[order]), 0.5))
    return float(values[order][min(reached, values.size - 1)])
