"""Many models on many data sets, as data."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Self

from scorecast._core.results import Result
from scorecast._core.types import Json
from scorecast.comparison.bayesian import RopeChances
from scorecast.comparison.effect_sizes import EffectSize
from scorecast.comparison.latex import models_latex, pairs_latex
from scorecast.comparison.omnibus import OmnibusTest
from scorecast.comparison.pair_comparison import direction_from, effect_from, number
from scorecast.comparison.rank_tables import RANK_DIGIT, standing
from scorecast.comparison.wording import paragraph_of, sentence_of
from scorecast.exceptions import UsageError

__all__ = ["Comparison", "ModelPair"]


@dataclass(frozen=True, kw_only=True)
class ModelPair:
    """Two of the models.

    Attributes
    ----------
    a, b : str
        The models; differences are `a` less `b`.
    p : float
        Two-sided p-value of this pair alone; NaN where no test was possible.
    p_adjusted : float
        The same for all pairs together: the family-wise level at which it is rejected.
    direction : int
        Which way the test points: 1 where `a` is higher, -1 where `b` is, 0 where it
        does not say. A difference of 0 need not mean the last.
    effect : EffectSize
        How large the difference is; its interval is for this pair alone.
    chances : RopeChances or None
        Around the region of practical equivalence, if one was given.
    """

    a: str
    b: str
    p: float
    p_adjusted: float
    direction: int
    effect: EffectSize
    chances: RopeChances | None = None

    def to_json(self) -> Json:
        """Return plain values."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Comparison(Result):
    """Which models differ, with the chance of any false claim controlled.

    Attributes
    ----------
    models : tuple of str
        The models, in the order of the table.
    ranks : tuple of float
        Mean rank of each; 1 is best.
    means, medians : tuple of float
        Mean and median result of each.
    pairs : tuple of ModelPair
        All pairs, or all models against the control.
    omnibus : tuple of OmnibusTest
        Tests of all models at once, the quoted one first; empty where none fits.
    groups : tuple of tuple of str
        Models that nothing tells apart, for the bars of the diagram; empty with a
        control.
    critical_difference : float or None
        Of mean ranks, by Nemenyi, or by Bonferroni and Dunn with a control.
    n : int
        Rows: data sets, splits or cases.
    rows : str
        What the rows are: ``"data sets"``, ``"splits"`` or ``"cases"``.
    measure : str
        What was measured, if it is known.
    pair_test, post_hoc : str
        How pairs were tested, and how their p-values were adjusted.
    control : str or None
        The model that all others are compared with.
    greater_is_better : bool
        Which way is better.
    level : float
        One less the family-wise error; level of intervals.
    rope : float or None
        Half the width of the region of practical equivalence.
    seed : int or None
        The random state, where it was a number.
    reasons : tuple of str
        Why these tests.
    assumptions, warnings : tuple of str
        What must hold; what the reader must know.
    test_ratio : float or None
        Cases tested per case learned from, of splits.
    n_units : int or None
        Groups of cases that belong together; None where rows are by themselves.
    """

    kind: ClassVar[str] = "comparison"

    models: tuple[str, ...]
    ranks: tuple[float, ...]
    means: tuple[float, ...]
    medians: tuple[float, ...]
    pairs: tuple[ModelPair, ...]
    omnibus: tuple[OmnibusTest, ...]
    groups: tuple[tuple[str, ...], ...]
    critical_difference: float | None
    n: int
    rows: str
    measure: str
    pair_test: str
    post_hoc: str
    control: str | None
    greater_is_better: bool
    level: float
    rope: float | None
    seed: int | None
    reasons: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = field(default=())
    test_ratio: float | None = None
    n_units: int | None = None

    @property
    def alpha(self) -> float:
        """The family-wise error."""
        return 1 - self.level

    @property
    def stands_by_means(self) -> bool:
        """Whether the mean is what is told of a model: of cases, right or wrong too.

        Right or wrong, mean ranks put models in the order of their means.
        """
        counts = self.rows == "cases" and self.pair_test.startswith("mcnemar")
        return counts or self.is_of_means

    @property
    def is_of_means(self) -> bool:
        """Whether models stand by their means: values of cases, not right or wrong."""
        return self.rows == "cases" and self.pair_test in ("paired-t", "clustered-t")

    @property
    def order(self) -> tuple[str, ...]:
        """The models from the best mean rank to the worst; shared ones by the mean.

        Values of cases: from the best mean to the worst.
        """
        if self.is_of_means:
            sign = -1 if self.greater_is_better else 1
            by_mean = sorted(
                range(len(self.models)), key=lambda i: (sign * self.means[i], i)
            )
            return tuple(self.models[i] for i in by_mean)
        places = standing(self.ranks, self.means, self.greater_is_better)
        return tuple(self.models[i] for i in places)

    @property
    def best(self) -> str:
        """The first in `order`."""
        return self.order[0]

    @property
    def bests(self) -> tuple[str, ...]:
        """All models that share the best mean rank, or the best mean of cases."""
        if self.is_of_means:
            top = self.means[self.models.index(self.best)]
            return tuple(x for x in self.order if self._mean(x) == top)
        least = min(self.ranks) + RANK_DIGIT
        return tuple(name for name in self.order if self.rank(name) <= least)

    def _mean(self, model: str) -> float:
        return self.means[self.models.index(model)]

    def rank(self, model: str) -> float:
        """Return the mean rank of a model."""
        return self.ranks[self.models.index(model)]

    def pair(self, a: str, b: str) -> ModelPair:
        """Return the pair of two models, in whichever order they were compared.

        Parameters
        ----------
        a, b : str
            The models.

        Returns
        -------
        ModelPair
            As it was compared.

        Raises
        ------
        UsageError
            If they were not compared.
        """
        for found in self.pairs:
            if {found.a, found.b} == {a, b}:
                return found
        unknown = [name for name in (a, b) if name not in self.models]
        why = f"there is no model {unknown[0]!r}" if unknown else "they are one model"
        if not unknown and a != b:
            why = f"all were compared with the control, {self.control!r}"
        msg = f"{a!r} and {b!r} were not compared: {why}."
        raise UsageError(msg)

    def differ(self, a: str, b: str) -> bool:
        """Tell whether two models are told apart; never for pairs not compared."""
        found = (x for x in self.pairs if {x.a, x.b} == {a, b})
        return any(x.p_adjusted <= self.alpha + 1e-12 for x in found)

    def beats(self, a: str, b: str) -> bool:
        """Tell whether a model is told apart from another, as the better of the two."""
        if not self.differ(a, b):
            return False
        pair = self.pair(a, b)
        higher = pair.direction if pair.a == a else -pair.direction
        return higher == (1 if self.greater_is_better else -1)

    def better_first(self, pair: ModelPair) -> tuple[str, str, EffectSize]:
        """Return a pair with the better model first, if the two are told apart.

        Parameters
        ----------
        pair : ModelPair
            One of the pairs.

        Returns
        -------
        tuple of str, str and EffectSize
            First, second, and sizes of the difference, first less second.
        """
        if self.beats(pair.b, pair.a):
            return pair.b, pair.a, pair.effect.turned()
        return pair.a, pair.b, pair.effect

    def summary(self) -> str:
        """Say the answer in a few sentences."""
        return sentence_of(self)

    def paragraph(self) -> str:
        """Write the paragraph that a paper needs: tests, results, references."""
        return paragraph_of(self)

    def to_latex(self, what: str = "models") -> str:
        r"""Write a table for a paper.

        Parameters
        ----------
        what : {"models", "pairs"}, default="models"
            One row per model with its rank, or one row per pair with its p-values.

        Returns
        -------
        str
            A ``tabular`` that needs ``\usepackage{booktabs}``.

        Raises
        ------
        UsageError
            If it is neither of the two.
        """
        if what == "models":
            return models_latex(self)
        if what == "pairs":
            return pairs_latex(self)
        msg = f"`what` must be models or pairs; got {what!r}."
        raise UsageError(msg)

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per pair."""
        rows = []
        for pair in self.pairs:
            row = {"a": pair.a, "b": pair.b, "p": pair.p, "p_adjusted": pair.p_adjusted}
            row |= asdict(pair.effect)
            if pair.chances is not None:
                row |= asdict(pair.chances)
            rows.append(row)
        return {name: [row[name] for row in rows] for name in rows[0]}

    def _parts(self) -> tuple[Json, Json, Json]:
        inputs = {
            "n": self.n, "rows": self.rows, "models": list(self.models),
            "n_units": self.n_units,
        }  # fmt: skip
        names = (
            "measure", "pair_test", "post_hoc", "control", "greater_is_better", "level",
            "rope", "seed", "test_ratio",
        )  # fmt: skip
        quoted = self.omnibus[0].to_json() if self.omnibus else {"test": None}
        result = {
            "ranks": dict(zip(self.models, self.ranks, strict=True)),
            "omnibus": {
                **quoted,
                "others": [test.to_json() for test in self.omnibus[1:]],
            },
            "pairs": [pair.to_json() for pair in self.pairs],
            "critical_difference": self.critical_difference,
            "groups": [list(group) for group in self.groups],
            "means": list(self.means),
            "medians": list(self.medians),
            "reasons": list(self.reasons),
            "assumptions": list(self.assumptions),
            "warnings": list(self.warnings),
        }
        return inputs, {name: getattr(self, name) for name in names}, result

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        models = tuple(inputs["models"])
        omnibus = result["omnibus"]
        tests = [] if omnibus["test"] is None else [omnibus, *omnibus["others"]]
        return cls(
            models=models,
            ranks=tuple(float(result["ranks"][name]) for name in models),
            pairs=tuple(_pair_from(row) for row in result["pairs"]),
            omnibus=tuple(_omnibus_from(row) for row in tests),
            groups=tuple(tuple(group) for group in result["groups"]),
            critical_difference=result["critical_difference"],
            n=int(inputs["n"]),
            rows=str(inputs["rows"]),
            n_units=inputs.get("n_units"),  # older answers lack it
            means=tuple(map(float, result["means"])),
            medians=tuple(map(float, result["medians"])),
            reasons=tuple(result["reasons"]),
            assumptions=tuple(result["assumptions"]),
            warnings=tuple(result["warnings"]),
            **options,
        )


def _pair_from(row: Json) -> ModelPair:
    chances = row["chances"]
    return ModelPair(
        a=row["a"],
        b=row["b"],
        p=number(row["p"]),
        p_adjusted=number(row["p_adjusted"]),
        direction=direction_from(row, row["effect"]["difference"]),
        effect=effect_from(row["effect"]),
        chances=None if chances is None else RopeChances(**chances),
    )


def _omnibus_from(row: Json) -> OmnibusTest:
    value = row["statistic"]
    return OmnibusTest(
        test=row["test"],
        statistic=math.inf if value is None else float(value),
        df=tuple(row["df"]),
        p=float(row["p"]),
    )
