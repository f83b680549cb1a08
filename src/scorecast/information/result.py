"""The answer to question two, as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar

import numpy as np

from scorecast._core.result import DATA, INPUT, OPTION, SHARE, Note, Result
from scorecast._core.types import FloatArray, IntArray
from scorecast.information.forecasts import Forecasts, PriorSource
from scorecast.information.groups import GroupInformation
from scorecast.information.influence import Influence, WorstCase
from scorecast.information.population import PopulationInformation
from scorecast.information.posterior import InformationPosterior, for_the_eye
from scorecast.information.prior_of_j import PriorOfJ
from scorecast.information.reliability import Reliability
from scorecast.mixtures import Diagnostics, MixturePosterior, Sampling

_MOST_POINTS = 400  # of the course of a stake
_MOST_BINS = 60
_GRID = 241
_N_DRAWN = 3  # single densities, as Figure 2 of Sewell (2024) draws them
_REACH = 12.0  # half widths of the middle half, beyond which a case is a straggler


class Verdict(StrEnum):
    """Whether the forecasts beat what they are held against.

    By the chance that J is positive, in the view that is least sure: above .999
    surely, above .975 very probably, above .9 probably; perhaps where the mixture alone
    was looked at and the plain mean says otherwise.
    """

    SURELY_BETTER = "surely-better"
    VERY_PROBABLY_BETTER = "very-probably-better"
    PROBABLY_BETTER = "probably-better"
    PERHAPS_BETTER = "perhaps-better"
    UNDECIDED = "undecided"
    PERHAPS_WORSE = "perhaps-worse"
    PROBABLY_WORSE = "probably-worse"
    VERY_PROBABLY_WORSE = "very-probably-worse"
    SURELY_WORSE = "surely-worse"
    SINGLE = "single"
    FLAT = "flat"

    @property
    def is_better(self) -> bool:
        """Whether the forecasts are found to know more, however surely."""
        return self.value.endswith("-better")

    @property
    def is_worse(self) -> bool:
        """Whether they are found to know less, however surely."""
        return self.value.endswith("-worse")


@dataclass(frozen=True, kw_only=True)
class NormalInterval:
    """The usual interval, mean and standard error, for comparison.

    Attributes
    ----------
    mean : float
        Mean of the possible cases.
    stderr : float
        Standard error; NaN for one case.
    low, high : float
        Ends of the interval.
    """

    mean: float
    stderr: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Betting:
    """Growth of a stake over the cases, in the order given (Kelly 1956).

    Whoever spreads the whole stake over the outcomes as the forecast says, at odds that
    are fair under the prior, multiplies it by Q/P of what happens. Its logarithm is the
    sum of j.

    Attributes
    ----------
    cases : ndarray of int64
        Numbers of cases after which the stake is looked at, from 0.
    log_wealth : ndarray of float64
        Logarithm of the stake over what it was, in the units of the answer.
    factor : float
        Geometric mean factor per case; 0 after a ruin, infinite beyond 1e308.
    ruined_at : int or None
        The case, counted from one, that cost everything.
    """

    cases: IntArray
    log_wealth: FloatArray
    factor: float
    ruined_at: int | None


def betting_of(j: FloatArray, unit: float) -> Betting:
    """Follow a stake through the cases, at up to 400 points, until a ruin.

    Examples
    --------
    >>> bets = betting_of(np.log([2.0, 0.5, 4.0]), np.log(2))
    >>> bets.log_wealth.tolist(), round(bets.factor, 3)
    ([0.0, 1.0, 0.0, 2.0], 1.587)
    """
    ruin = np.flatnonzero(j == -np.inf)
    last = int(ruin[0]) if ruin.size else j.size
    wealth = np.concatenate([[0.0], np.cumsum(j[:last] / unit)])
    some = np.unique(np.linspace(0, last, _MOST_POINTS + 1).round().astype(np.int64))
    with np.errstate(over="ignore"):
        factor = 0.0 if ruin.size else float(np.exp(j.mean()))
    return Betting(
        cases=some,
        log_wealth=wealth[some],
        factor=factor,
        ruined_at=last + 1 if ruin.size else None,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Spread:
    """Histogram of j with the posterior predictive density over it.

    Attributes
    ----------
    edges : ndarray of float64
        Edges of the bins; stragglers lie outside.
    counts : ndarray of int64
        Cases per bin.
    below, above : int
        Possible cases outside the edges.
    least, greatest : float
        Smallest and largest j of possible cases.
    x, density : ndarray of float64
        Posterior predictive density of one more case; empty where nothing was
        simulated.
    draws : ndarray of float64 of shape (draws, places)
        Densities of three single draws of the posterior at `x`, far apart in the run:
        how far the distribution itself is open. None where nothing was simulated.
    """

    edges: FloatArray
    counts: IntArray
    below: int
    above: int
    least: float
    greatest: float
    x: FloatArray
    density: FloatArray
    draws: FloatArray = field(default_factory=lambda: np.empty((0, 0)))


def spread_of(j: FloatArray, found: MixturePosterior | None, unit: float) -> Spread:
    """Count possible cases by their information, beside the density that was fitted."""
    values = j / unit
    low, high = _main_range(values)
    is_inside = (values >= low) & (values <= high)
    edges = np.linspace(low, high, _n_bins(values[is_inside], high - low) + 1)
    x = np.linspace(low, high, _GRID if found is not None else 0)
    counts = np.histogram(values[is_inside], edges)[0]
    density, draws = np.empty(0), np.empty((0, 0))
    if found is not None:
        every = np.exp(found.log_densities(x * unit))
        density = every.mean(axis=0) * unit
        # Kept draws stand in the order of the run: those far apart are independent.
        chosen = np.linspace(0, len(every) - 1, min(_N_DRAWN, len(every)))
        draws = for_the_eye(every[chosen.round().astype(np.int64)] * unit)
    return Spread(
        edges=edges,
        counts=counts.astype(np.int64),
        below=int((values < low).sum()),
        above=int((values > high).sum()),
        least=float(values.min()),
        greatest=float(values.max()),
        x=x,
        density=density,
        draws=draws,
    )


def _main_range(values: FloatArray) -> tuple[float, float]:
    """Return a range that holds all but stragglers, at least a little wide."""
    quarter, middle, three = np.quantile(values, [0.25, 0.5, 0.75])
    reach = _REACH * (three - quarter) / 2
    if reach == 0:
        reach = np.inf
    low = float(values[values >= middle - reach].min())
    high = float(values[values <= middle + reach].max())
    if high - low < 1e-9 * max(1.0, abs(middle)):
        return low - 0.5, high + 0.5
    margin = 0.02 * (high - low)
    return low - margin, high + margin


def _n_bins(values: FloatArray, width: float) -> int:
    """Choose bins as Freedman and Diaconis advise, within reason."""
    quarter = float(np.subtract(*np.quantile(values, [0.75, 0.25])))
    if quarter == 0:
        return 20
    wanted = width / (2 * quarter / np.cbrt(values.size))
    return int(np.clip(np.ceil(wanted), 8, _MOST_BINS))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ApparentInformation(Result):
    """Apparent Shannon information of forecasts, with its posterior.

    All amounts are in `units` per case.

    Attributes
    ----------
    n, n_censored : int
        Cases, and those known only to lie beyond a bound.
    prior_source : PriorSource
        What the forecasts are held against.
    names : tuple of two str or None
        Names of two forecasters that were compared.
    units : str
        ``"bits"`` or ``"nats"``.
    confidence_level : float
        Level of all intervals.
    floor : float or None
        Smallest chance a forecast was allowed to state.
    tails : str
        ``"all"`` views of the tails, or the ``"mixture"`` alone.
    is_quick : bool
        Whether the mixture was left out: plain mean, t interval, Pareto tails.
    mixture_prior : str
        Name of the prior of the distribution of j.
    sampling : Sampling or None
        Number and length of compiled chains; None for many short ones.
    max_samples, max_seconds, allow_unconverged
        As in `PosteriorSettings`.
    random_state : int or None
        The seed, where it was a number.
    mean : float
        Plain mean of j over all cases; minus infinity where a forecast of zero came
        true.
    n_impossible : int
        Cases to which the forecast gave no chance; the posterior describes the others.
    n_floored : int
        Cases raised to the floor.
    n_posterior : int
        Cases the posterior rests on: those drawn where there were too many, and one
        where all are equal, since copies of a number say nothing of its spread.
    verdict : Verdict
        Whether the forecasts beat what they are held against.
    is_converged : bool
        Whether the chains agree.
    normal : NormalInterval
        Mean and interval by the normal approximation, over possible cases.
    posterior : InformationPosterior
        Posterior of J from possible cases.
    prior : PriorOfJ or None
        What J may be before any case; None where nothing was simulated.
    diagnostics : Diagnostics or None
        How well the chains agree; None where nothing was simulated.
    spread : Spread
        Histogram of j and posterior predictive density.
    worst : tuple of WorstCase
        Cases with the smallest j.
    influence : Influence or None
        What leaving out one case does.
    betting : Betting
        Growth of a stake.
    reliability : Reliability or None
        Stated chances against what happened, where they are known.
    groups : tuple of GroupInformation
        By group, if there are groups.
    population : PopulationInformation or None
        Where groups are as frequent as they will be in use, if that was said.
    notes : tuple of Note
        What the reader must know; codes of `InformationNote`.
    forecasts : Forecasts or None
        The forecasts themselves, in nats; not saved.
    """

    kind: ClassVar[str] = "information"

    n: int = field(metadata=INPUT)
    n_censored: int = field(metadata=INPUT)
    prior_source: PriorSource = field(metadata=INPUT)
    names: tuple[str, str] | None = field(metadata=INPUT)
    units: str = field(metadata=OPTION)
    confidence_level: float = field(metadata=OPTION | SHARE)
    floor: float | None = field(metadata=OPTION)
    tails: str = field(metadata=OPTION)
    is_quick: bool = field(metadata=OPTION)
    mixture_prior: str = field(metadata=OPTION)
    sampling: Sampling | None = field(metadata=OPTION)
    max_samples: int | None = field(metadata=OPTION)
    max_seconds: float = field(metadata=OPTION)
    allow_unconverged: bool = field(metadata=OPTION)
    random_state: int | None = field(metadata=OPTION)
    mean: float
    n_impossible: int
    n_floored: int
    n_posterior: int
    verdict: Verdict
    is_converged: bool
    normal: NormalInterval
    posterior: InformationPosterior
    prior: PriorOfJ | None = None
    diagnostics: Diagnostics | None
    spread: Spread
    worst: tuple[WorstCase, ...]
    influence: Influence | None
    betting: Betting
    reliability: Reliability | None
    groups: tuple[GroupInformation, ...]
    population: PopulationInformation | None = None
    notes: tuple[Note, ...]
    forecasts: Forecasts | None = field(default=None, metadata=DATA)

    @property
    def is_relative(self) -> bool:
        """Whether two forecasters were compared."""
        return self.prior_source is PriorSource.FORECASTER

    @property
    def is_flat(self) -> bool:
        """Whether all possible cases have the same j: nothing shows its spread."""
        return self.spread.least == self.spread.greatest

    def to_columns(self) -> dict[str, list[Any]]:
        """Return the answer for all cases, every group and their population of use."""
        rows: list[tuple[Any, ...]] = [
            ("all", self.n, self.n_impossible, 1.0, self.mean, self.posterior)
        ]
        rows += [
            (g.name, g.n, g.n_impossible, g.weight, g.mean, g.posterior)
            for g in self.groups
        ]
        use = self.population
        if use is not None:
            row = (self.n, self.n_impossible, 1.0, use.mean, use.posterior)
            rows.append(("in use", *row))
        names = ("group", "n", "n_impossible", "weight", "mean")
        columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
        for name in ("median", "low", "high", "probability_positive"):
            columns[name] = [getattr(row[5], name, float("nan")) for row in rows]
        return columns


def verdict_of(
    posterior: InformationPosterior, normal: NormalInterval, *, n: int, is_flat: bool
) -> Verdict:
    """Say whether the forecasts beat what they are held against."""
    if n == 1:
        return Verdict.SINGLE
    if is_flat:
        return Verdict.FLAT
    chance = posterior.probability_positive
    certainty = max(chance, 1 - chance)
    side = "better" if chance > 0.5 else "worse"
    if certainty <= 0.9:
        return Verdict.UNDECIDED
    # A lone mixture is too sure where one tail is long; several views are not.
    is_alone = posterior.centre == "mixture" and len(posterior.views) == 1
    holds_mean = posterior.low <= normal.mean <= posterior.high
    if is_alone and (normal.low < 0.0 < normal.high or not holds_mean):
        return Verdict(f"perhaps-{side}")
    if certainty > 0.999:
        return Verdict(f"surely-{side}")
    return Verdict(f"{'very-' if certainty > 0.975 else ''}probably-{side}")
