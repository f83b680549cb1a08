"""Two models against one another, as data."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self

from scorecast._core.amounts import amount, counted
from scorecast._core.percent import percent
from scorecast._core.results import Result
from scorecast._core.types import Json
from scorecast.comparison.bayesian import RopeChances
from scorecast.comparison.effect_sizes import EffectSize
from scorecast.comparison.omnibus import p_said
from scorecast.comparison.pair_test import PairTest, sign_of
from scorecast.comparison.titles import TEST_TITLES
from scorecast.comparison.wording import direction_said, span_said

__all__ = ["PairComparison"]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PairComparison(Result):
    """What a test says of two models.

    Attributes
    ----------
    a, b : str
        The models; differences are `a` less `b`.
    found : PairTest
        The test.
    effect : EffectSize
        How large the difference is.
    chances : RopeChances or None
        Around the region of practical equivalence, if one was given.
    rope : float or None
        Half the width of that region.
    reason : str
        Why this test.
    n : int
        Data sets, splits or cases.
    n_units : int
        What was resampled: groups, or the same as `n`.
    greater_is_better : bool
        Which way is better.
    level : float
        Level of the interval; one less it is the level of the test.
    seed : int or None
        The random state, where it was a number.
    assumptions : tuple of str
        What must hold.
    warnings : tuple of str
        What the reader must know.
    test_ratio : float or None
        Cases tested per case learned from, for the corrected t-test.
    metric : str or None
        The metric, where it was asked for by its name.
    """

    kind: ClassVar[str] = "pair-comparison"

    a: str
    b: str
    found: PairTest
    effect: EffectSize
    chances: RopeChances | None
    rope: float | None
    reason: str
    n: int
    n_units: int
    greater_is_better: bool
    level: float
    seed: int | None
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    test_ratio: float | None = None
    metric: str | None = None

    @property
    def p(self) -> float:
        """Two-sided p-value."""
        return self.found.p

    @property
    def is_significant(self) -> bool:
        """Whether the models are told apart at the level."""
        return self.found.direction != 0 and self.p <= 1 - self.level + 1e-12

    @property
    def better(self) -> str | None:
        """The better model, if they are told apart."""
        if not self.is_significant:
            return None
        first_is_higher = self.found.direction > 0
        return self.a if first_is_higher == self.greater_is_better else self.b

    def better_first(self) -> tuple[str, str, EffectSize]:
        """Return the models, the better first if told apart, with their difference."""
        if self.better == self.b:
            return self.b, self.a, self.effect.turned()
        return self.a, self.b, self.effect

    def summary(self) -> str:
        """Say the answer in a sentence or two."""
        found = self.found
        plain = found.of in ("mean", "median", "pseudo-median")
        of = f"{found.of} difference" if plain else f"difference in {found.of}"
        first, second, effect = self.better_first()
        facts = f"{of} {span_said(effect, first, second, self.level)}, {p_said(self.p)}"
        if not self.greater_is_better:
            facts += f"; {direction_said(self.greater_is_better)}"
        title = TEST_TITLES.get(found.test, found.test)
        if self.better is not None:
            lead = f"{first} is better than {second}"
        elif self._is_same:
            lead = f"{self.a} and {self.b} gave the same results"
        else:
            lead = f"{self.a} and {self.b} cannot be told apart"
        size = f"{counted(self.n, 'values')} each"
        if self.n_units != self.n:
            size += f" in {counted(self.n_units, 'groups')}"
        return f"{lead}: {facts}; {title}, {size}.{self._rope_said()}"

    @property
    def _is_same(self) -> bool:
        """Whether the models gave the same results, as far as can be seen."""
        effect = self.effect
        same = effect.wins == effect.losses == 0
        return same and self.found.difference == 0

    def _rope_said(self) -> str:
        if self.chances is None or self.rope is None:
            return ""
        a_better, b_better = self.chances.first_higher, self.chances.first_lower
        if not self.greater_is_better:
            a_better, b_better = b_better, a_better
        return (
            f" Chances by a Bayesian test, with differences up to {amount(self.rope)} "
            f"counted as none: {self.a} better {percent(a_better)}, {self.b} better "
            f"{percent(b_better)}, practically equal {percent(self.chances.equal)}."
        )

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row: the test and every effect size."""
        row = {"a": self.a, "b": self.b, "test": self.found.test,
               "statistic": self.found.statistic, "p": self.p,
               **asdict(self.effect)}  # fmt: skip
        if self.chances is not None:
            row |= asdict(self.chances)
        return {name: [value] for name, value in row.items()}

    def _parts(self) -> tuple[Json, Json, Json]:
        options = {
            "test": self.found.test, "level": self.level, "rope": self.rope,
            "greater_is_better": self.greater_is_better, "seed": self.seed,
            "test_ratio": self.test_ratio, "metric": self.metric,
        }  # fmt: skip
        result = {
            "a": self.a,
            "b": self.b,
            **asdict(self.found),
            "effect": self.effect.to_json(),
            "chances": None if self.chances is None else self.chances.to_json(),
            "reason": self.reason,
            "assumptions": list(self.assumptions),
            "warnings": list(self.warnings),
        }
        return {"n": self.n, "n_units": self.n_units}, options, result

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        test: Json = {k: result[k] for k in ("test", "of", "note")}
        numbers = ("statistic", "p", "difference", "low", "high")
        test |= {k: number(result[k]) for k in numbers}
        chances = result["chances"]
        return cls(
            a=result["a"],
            b=result["b"],
            found=PairTest(
                **test,
                df=tuple(result["df"]),
                direction=direction_from(result, result["difference"]),
            ),
            effect=effect_from(result["effect"]),
            chances=None if chances is None else RopeChances(**chances),
            rope=options["rope"],
            reason=result["reason"],
            n=int(inputs["n"]),
            n_units=int(inputs["n_units"]),
            greater_is_better=bool(options["greater_is_better"]),
            level=float(options["level"]),
            seed=options["seed"],
            # Answers saved before it was kept lack it.
            test_ratio=options.get("test_ratio"),
            metric=options.get("metric"),
            assumptions=tuple(result["assumptions"]),
            warnings=tuple(result["warnings"]),
        )


def direction_from(row: Json, difference: float | None) -> int:
    """Read which way a test points; answers saved before it was kept lack it."""
    return int(row.get("direction", sign_of(number(difference))))


def number(value: float | None) -> float:
    """Read a number that JSON may have lost."""
    return math.nan if value is None else float(value)


def effect_from(row: Json) -> EffectSize:
    """Read effect sizes from JSON."""
    names = ("wins", "ties", "losses")
    whole = {x: None if row[x] is None else int(row[x]) for x in names}
    sizes = ("difference", "low", "high", "cliffs_delta", "cohens_d")
    facts: Json = {**whole} | {name: number(row[name]) for name in sizes}
    return EffectSize(**facts)
