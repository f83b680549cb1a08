"""What holds over many settings, as data."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from scorecast._core.results import Result
from scorecast._core.types import Json
from scorecast.guarantees.loss_values import span_said, value_said
from scorecast.guarantees.settings.difficulty import DifficultyGroup
from scorecast.guarantees.settings.estimate import SettingEstimate
from scorecast.guarantees.settings.factor_views import FactorView
from scorecast.guarantees.settings.pooling import SettingBound
from scorecast.guarantees.settings.superiority import Superiority, settings_counted

__all__ = ["SettingsAssessment"]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SettingsAssessment(Result):
    """Models over many settings.

    Attributes
    ----------
    rows : tuple of SettingEstimate
        Every model in every setting.
    bounds : tuple of SettingBound
        Over all settings: conservative, pooled, weighted, of a new setting.
    relations : tuple of Superiority
        Every pair of models.
    groups : tuple of DifficultyGroup
        Settings of like difficulty, model by model, the easiest first.
    views : tuple of FactorView
        Factor by factor.
    level : float
        Level of intervals.
    seed : int or None
        The random state, where it was a number.
    options : dict
        What was asked for.
    quick : bool
        Whether it is a quick look, with fewer folds and settings.
    warnings : tuple of str
        What the reader must know.
    """

    kind: ClassVar[str] = "settings"

    rows: tuple[SettingEstimate, ...]
    bounds: tuple[SettingBound, ...]
    relations: tuple[Superiority, ...]
    groups: tuple[DifficultyGroup, ...]
    views: tuple[FactorView, ...]
    level: float
    seed: int | None = None
    options: Json = field(default_factory=dict)
    quick: bool = False
    warnings: tuple[str, ...] = ()

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models."""
        return tuple(dict.fromkeys(row.model for row in self.rows))

    @property
    def losses(self) -> tuple[str, ...]:
        """Names of the losses."""
        return tuple(dict.fromkeys(row.loss for row in self.rows))

    @property
    def n_settings(self) -> int:
        """Number of settings."""
        return len(dict.fromkeys(row.setting for row in self.rows))

    def n_settings_of(self, loss: str) -> int:
        """Return the number of settings that are looked at through one loss."""
        return len({row.setting for row in self.rows if row.loss == loss})

    def settings_said(self) -> str:
        """Count the settings, loss by loss where there are several."""
        said = settings_counted(self.n_settings)
        if len(self.losses) == 1:
            return said
        each = (f"{self.n_settings_of(loss)} of {loss}" for loss in self.losses)
        return f"{said} ({', '.join(each)})"

    def bound(self, model: str, method: str, loss: str | None = None) -> SettingBound:
        """Return one of the bounds by model and method."""
        wanted = self.losses[0] if loss is None else loss
        return next(
            b
            for b in self.bounds
            if (b.model, b.method, b.loss) == (model, method, wanted)
        )

    def groups_of(
        self, model: str, loss: str | None = None
    ) -> tuple[DifficultyGroup, ...]:
        """Return the groups of one model, the easiest first."""
        wanted = self.losses[0] if loss is None else loss
        return tuple(g for g in self.groups if (g.model, g.loss) == (model, wanted))

    @property
    def pairs_said(self) -> str:
        """A caution where several pairs of models were compared; else empty."""
        n = sum(r.loss == self.losses[0] for r in self.relations)
        if n < 2:
            return ""
        return (
            f"Levels are those of single pairs: not corrected for {n} pairs of models."
        )

    def summary(self) -> str:
        """Say the answer in a few sentences."""
        loss = self.losses[0]
        n = self.n_settings_of(loss)
        over = "over all settings" if n == self.n_settings > 1 else _over(n)
        parts = []
        for model in self.models:
            groups = self.groups_of(model)
            if not groups:
                parts.append(f"{model}: no estimate.")
                continue
            whole = self.bound(model, "conservative")
            span = span_said(loss, whole.low, whole.high)
            line = f"{model}: {loss} {span} {over}"
            if len(groups) > 1:
                each = "; ".join(_group_said(g) for g in groups)
                line += f", in {len(groups)} groups of like difficulty {each}"
            parts.append(line + ".")
        held = [r for r in self.relations if r.relation]
        parts += [r.said() + "." for r in held]
        if held and self.pairs_said:
            parts.append(self.pairs_said)
        look = "Quick look: " if self.quick else ""
        return f"{look}{self.settings_said()}. {' '.join(parts)}"

    def headline(self) -> str:
        """Say what holds over all settings, without the groups."""
        loss = self.losses[0]
        said = []
        for model in self.models:
            if not self.groups_of(model):
                continue
            whole = self.bound(model, "pooled")
            span = span_said(loss, whole.low, whole.high)
            n = len(self.groups_of(model))
            of = "one group" if n == 1 else f"{n} groups"
            if self.n_settings_of(loss) == 1:
                said.append(f"{model} {span}")
                continue
            said.append(f"{model} {span} on average, {of} of like difficulty")
        return f"{loss} {_over(self.n_settings_of(loss))}: {'; '.join(said)}."

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per setting and model."""
        factors = list(dict.fromkeys(f for row in self.rows for f in row.values))
        columns: dict[str, list[Any]] = {
            factor: [row.values.get(factor) for row in self.rows] for factor in factors
        }
        for name in ("model", "loss", "estimate", "low", "high", "n", "m"):
            # A factor may be called n or loss; the measured one is the same.
            columns[name] = [getattr(row, name) for row in self.rows]
        return columns

    def value_said(self, row: SettingEstimate) -> str:
        """Write an estimate with its interval."""
        if not row.is_known:
            return f"unknown ({row.failure or 'no interval'})"
        span = span_said(row.loss, row.low, row.high)
        return f"{value_said(row.loss, row.estimate)} ({span})"

    def _parts(self) -> tuple[Json, Json, Json]:
        inputs = {"n_settings": self.n_settings, "models": list(self.models)}
        options = {
            "level": self.level,
            "seed": self.seed,
            "quick": self.quick,
            **self.options,
        }
        result = {
            "settings": [row.to_json() for row in self.rows],
            "bounds": [row.to_json() for row in self.bounds],
            "relations": [row.to_json() for row in self.relations],
            "groups": [row.to_json() for row in self.groups],
            "factors": [row.to_json() for row in self.views],
            "warnings": list(self.warnings),
        }
        return inputs, options, result

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        del inputs
        known = ("level", "seed", "quick")
        return cls(
            rows=tuple(_row_from(row) for row in result["settings"]),
            bounds=tuple(SettingBound(**_filled(x)) for x in result["bounds"]),
            relations=tuple(
                Superiority(**{**x, **_tuples(x, "won_in", "lost_in")})
                for x in result["relations"]
            ),
            groups=tuple(
                DifficultyGroup(**{**_filled(x), **_tuples(x, "members")})
                for x in result["groups"]
            ),
            views=tuple(FactorView(**_filled(x)) for x in result["factors"]),
            level=float(options["level"]),
            seed=options["seed"],
            quick=bool(options.get("quick", False)),
            options={k: v for k, v in options.items() if k not in known},
            warnings=tuple(result["warnings"]),
        )


def _over(n: int) -> str:
    """Say over how many settings something holds."""
    return f"over {settings_counted(n)}" if n > 1 else "in one setting"


def _filled(row: Json) -> Json:
    return {k: math.nan if v is None else v for k, v in row.items()}


def _tuples(row: Json, *names: str) -> Json:
    return {name: tuple(row[name]) for name in names}


def _row_from(row: Json) -> SettingEstimate:
    sets = tuple(
        tuple(math.nan if x is None else float(x) for x in one) for one in row["sets"]
    )
    filled = {**_filled(row), "values": row["values"], "sets": sets}
    # Answers saved before limits were kept lack them.
    low, high = row.get("limits", (None, None))
    filled["limits"] = (
        -math.inf if low is None else float(low),
        math.inf if high is None else float(high),
    )
    return SettingEstimate(**filled)


def _group_said(group: DifficultyGroup) -> str:
    """Write what holds for each member, and for their mean where it is another."""
    n = len(group.members)
    said = f"{span_said(group.loss, group.lowest, group.highest)} in {n}"
    if n == 1:
        return said
    return f"{said} (mean {span_said(group.loss, group.low, group.high)})"
