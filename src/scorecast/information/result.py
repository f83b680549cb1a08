"""The answer to question two, as data."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from scorecast._core.checks import check_level
from scorecast._core.results import Result
from scorecast._core.types import Json
from scorecast.information.betting import Betting
from scorecast.information.cases import CaseInformation
from scorecast.information.components import Components
from scorecast.information.forecasts import Reliability
from scorecast.information.influence import Influence, WorstCase
from scorecast.information.posterior import InformationPosterior
from scorecast.information.spread import Spread
from scorecast.information.subgroups import GroupInformation
from scorecast.information.wording import (
    amount,
    amount_span,
    decimals_for,
    verdict,
    without_zeros,
)

__all__ = ["ApparentInformation", "NormalInterval"]


@dataclass(frozen=True, kw_only=True)
class NormalInterval:
    """The usual interval, mean and standard error, for comparison.

    Attributes
    ----------
    mean : float
        Mean of the finite cases.
    stderr : float
        Standard error; NaN for one case.
    low, high : float
        Ends of the interval.
    """

    mean: float
    stderr: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ApparentInformation(Result):
    """Apparent Shannon information of forecasts, with its posterior.

    All amounts are in `units` per case.

    Attributes
    ----------
    n : int
        Number of cases.
    n_infinite : int
        Cases to which the forecast gave no chance; the mean is then minus infinity and
        the posterior describes the other cases only.
    mean : float
        Plain mean of j over all cases.
    normal : NormalInterval
        Mean and interval by the normal approximation, over finite cases.
    posterior : InformationPosterior
        Posterior of J from finite cases.
    n_posterior : int
        Cases the posterior rests on: those drawn where there were too many, and one
        where all are equal, since copies of a number say nothing of its spread.
    spread : Spread
        Histogram of j and posterior predictive density.
    worst : tuple of WorstCase
        Cases with the smallest j.
    influence : Influence or None
        What leaving out one case does.
    betting : Betting
        Growth of a stake.
    components : Components or None
        Number of mixture components along the chains, where these agree about it.
    diagnostics : dict
        How well the chains agree.
    units : str
        ``"nats"`` or ``"bits"``.
    level : float
        Level of all intervals.
    seed : int or None
        The random state, where it was a number.
    converged : bool
        Whether the diagnostics passed.
    prior : str
        Where the prior comes from, in words.
    forecast, reference : str
        What is compared with what, in words.
    groups : tuple of GroupInformation
        By group, if there are groups.
    reliability : Reliability or None
        Stated chances against what happened, where they are known.
    n_censored : int
        Cases known only to lie beyond a bound.
    floor : float or None
        Smallest chance a forecast was allowed to state.
    n_floored : int
        Cases raised to it.
    assumptions : tuple of str
        What must hold for the answer to hold.
    warnings : tuple of str
        What the reader must know.
    options : dict
        How it was computed.
    quick : bool
        Whether the mixture was left out: plain mean, t interval, Pareto tails.
    cases : CaseInformation or None
        The cases themselves, in nats; not saved.
    """

    kind: ClassVar[str] = "information"

    n: int
    n_infinite: int
    mean: float
    normal: NormalInterval
    posterior: InformationPosterior
    n_posterior: int
    spread: Spread
    worst: tuple[WorstCase, ...]
    influence: Influence | None
    betting: Betting
    components: Components | None
    diagnostics: Json
    units: str
    level: float
    seed: int | None
    converged: bool
    prior: str
    forecast: str = "The forecasts"
    reference: str = "the prior"
    groups: tuple[GroupInformation, ...] = ()
    reliability: Reliability | None = None
    n_censored: int = 0
    floor: float | None = None
    n_floored: int = 0
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    options: Json = field(default_factory=dict)
    quick: bool = False
    cases: CaseInformation | None = None

    @property
    def is_flat(self) -> bool:
        """Whether all finite cases have the same j: nothing shows its spread."""
        return self.spread.least == self.spread.greatest

    @property
    def is_infinite(self) -> bool:
        """Whether the information is minus infinity: a forecast of zero came true."""
        return self.n_infinite > 0

    @property
    def decimals(self) -> int:
        """Digits after the point that the interval deserves."""
        return decimals_for(self.posterior.high - self.posterior.low)

    def sentence(self) -> str:
        """Say the answer in plain words.

        Returns
        -------
        str
            Amount, interval and verdict; where a forecast of zero came true, that
            first.
        """
        found, digits = self.posterior, self.decimals
        said = (
            f"{amount(found.median, digits)} {self.units} per case beyond "
            f"{self.reference} ({100 * self.level:g} %: "
            f"{amount_span(found.low, found.high, digits)})"
        )
        if self.n_infinite:
            left_out = without_zeros(self.n_infinite)
            return (
                f"In {self.n_infinite:,} of {self.n:,} cases the forecast gave "
                "probability 0 to what happened, so the information is minus infinity. "
                f"{left_out[0].upper()}{left_out[1:]} it would be {said}."
            )
        verb = "carry" if self.forecast.endswith("s") else "carries"
        return f"{self.forecast} {verb} {said}; {self.verdict()}."

    def verdict(self) -> str:
        """Say whether the forecasts beat what they are held against."""
        if self.n == 1:
            return "one case says next to nothing"
        if self.is_flat:
            return "all cases agree, so nothing shows how others would spread"
        normal, found = self.normal, self.posterior
        # A lone mixture is too sure where one tail is long; several views are not.
        doubted = (
            found.centre == "mixture"
            and len(found.views) == 1
            and (
                normal.low < 0.0 < normal.high
                or not found.low <= normal.mean <= found.high
            )
        )
        return verdict(self.posterior, self.reference, doubted=doubted)

    def summary(self) -> str:
        """Say the answer in a sentence or two, with what spoils it at the end."""
        said = self.sentence()
        if self.quick:
            said = f"Quick look: {said}"
        if not self.converged:
            said += " The simulation did not converge: do not rely on this."
        return said

    def to_columns(self) -> dict[str, list[Any]]:
        """Return the answer for all cases and for every group, one row each."""
        rows: list[tuple[Any, ...]] = [
            ("all", self.n, self.n_infinite, 1.0, self.mean, self.posterior)
        ]
        rows += [
            (g.name, g.n, g.n_infinite, g.weight, g.mean, g.posterior)
            for g in self.groups
        ]
        names = ("group", "n", "n_infinite", "weight", "mean")
        columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
        for name in ("median", "low", "high", "probability_positive"):
            columns[name] = [getattr(row[5], name, float("nan")) for row in rows]
        return columns

    def _parts(self) -> tuple[Json, Json, Json]:
        inputs = {"n": self.n, "n_censored": self.n_censored, "prior": self.prior}
        options = {
            "units": self.units,
            "level": self.level,
            "floor": self.floor,
            "seed": self.seed,
            "quick": self.quick,
            **self.options,
        }
        result = {
            "n": self.n,
            "units": self.units,
            "mean_j": self.mean,
            "is_infinite": self.is_infinite,
            "normal": asdict(self.normal),
            "posterior": self.posterior.to_dict(),
            "n_posterior": self.n_posterior,
            "probability_positive": self.posterior.probability_positive,
            "diagnostics": {**self.diagnostics, "passed": self.converged},
            "n_infinite": self.n_infinite,
            "n_floored": self.n_floored,
            "forecast": self.forecast,
            "reference": self.reference,
            "histogram": self.spread.to_dict(),
            "worst": [case.to_dict() for case in self.worst],
            "influence": None if self.influence is None else self.influence.to_dict(),
            "betting": self.betting.to_dict(),
            "reliability": self.reliability and self.reliability.to_dict(),
            "groups": [group.to_dict() for group in self.groups],
            "components": self.components and self.components.to_dict(),
            "assumptions": list(self.assumptions),
            "warnings": list(self.warnings),
        }
        return inputs, options, result

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        known = ("units", "level", "floor", "seed", "quick")
        chance, trust = result["probability_positive"], result["reliability"]
        without = result["influence"]
        counts: Json = {name: int(result[name]) for name in _COUNTS}
        words: Json = {name: str(result[name]) for name in _WORDS}
        return cls(
            **counts,
            **words,
            mean=-np.inf if result["n_infinite"] else float(result["mean_j"]),
            normal=NormalInterval(**_numbers(result["normal"])),
            posterior=InformationPosterior.from_dict(result["posterior"], chance),
            spread=Spread.from_dict(result["histogram"]),
            worst=tuple(map(WorstCase.from_dict, result["worst"])),
            influence=None if without is None else Influence.from_dict(without),
            betting=Betting.from_dict(result["betting"]),
            components=result["components"]
            and Components.from_dict(result["components"]),
            quick=bool(options.get("quick", False)),
            diagnostics=result["diagnostics"],
            level=check_level(options["level"]),
            seed=options["seed"],
            converged=bool(result["diagnostics"]["passed"]),
            prior=str(inputs["prior"]),
            groups=tuple(map(GroupInformation.from_dict, result["groups"])),
            reliability=None if trust is None else Reliability.from_dict(trust),
            n_censored=int(inputs["n_censored"]),
            floor=options["floor"],
            assumptions=tuple(result["assumptions"]),
            warnings=tuple(result["warnings"]),
            options={k: v for k, v in options.items() if k not in known},
        )


_WORDS = ("units", "forecast", "reference")
_COUNTS = ("n", "n_posterior", "n_infinite", "n_floored")


def _numbers(data: Json) -> Json:
    # JSON has no infinities; what is not finite travels as null.
    return {k: float("nan") if v is None else v for k, v in data.items()}
