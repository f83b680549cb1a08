"""Which settings are looked at: all combinations, or one factor at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from scorecast._core.checks import check_choice
from scorecast.exceptions import UsageError

__all__ = ["DESIGNS", "OWN_FACTORS", "Setting", "design_settings"]

DESIGNS = ("grid", "one-at-a-time")
OWN_FACTORS = ("sampling", "loss")
_MOST = 10_000


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One combination of values.

    Attributes
    ----------
    values : tuple of (str, object)
        Factors with their values.
    models : tuple of str
        Names of models, whose parameters are factors written ``MODEL__parameter``.
    """

    values: tuple[tuple[str, Any], ...]
    models: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """All values in a line."""
        return ", ".join(f"{factor} {_said(value)}" for factor, value in self.values)

    @property
    def of_data(self) -> dict[str, Any]:
        """The factors that make the data."""
        return {
            factor: value
            for factor, value in self.values
            if factor not in OWN_FACTORS and self.parameter_of(factor) is None
        }

    @property
    def data_name(self) -> str:
        """The same for settings that share their data."""
        return ", ".join(f"{k} {_said(v)}" for k, v in self.of_data.items()) or "data"

    def value(self, factor: str, default: Any = None) -> Any:
        """Return the value of one factor."""
        return dict(self.values).get(factor, default)

    def parameters(self, model: str) -> dict[str, Any]:
        """Return the parameters that the setting gives a model."""
        found = {}
        for factor, value in self.values:
            parts = self.parameter_of(factor)
            if parts is not None and parts[0] == model:
                found[parts[1]] = value
        return found

    def parameter_of(self, factor: str) -> tuple[str, str] | None:
        """Return model and parameter that a factor means, if it means one."""
        model, _, parameter = factor.partition("__")
        return (model, parameter) if parameter and model in self.models else None


def design_settings(
    factors: Mapping[str, Iterable[Any]],
    *,
    design: str,
    defaults: Mapping[str, Any],
    models: tuple[str, ...],
) -> tuple[Setting, ...]:
    """List the settings of a design.

    Parameters
    ----------
    factors : mapping of str to iterable
        Values of every factor.
    design : {"grid", "one-at-a-time"}
        All combinations; or the defaults, and one factor changed at a time.
    defaults : mapping
        Value of every factor that is not changed; its first value if not given.
    models : tuple of str
        Names of the models.

    Returns
    -------
    tuple of Setting
        Each once.

    Raises
    ------
    UsageError
        If a factor has no values, or different ones that are written alike, or there
        are too many settings.
    """
    check_choice(design, "design", DESIGNS)
    lists = {str(name): _once(str(name), values) for name, values in factors.items()}
    empty = [name for name, values in lists.items() if not values]
    if empty or not lists:
        msg = f"`settings` needs one value or more per factor; {empty or 'none given'}."
        raise UsageError(msg)
    unknown = set(defaults) - set(lists)
    if unknown:
        msg = f"`defaults` names {sorted(unknown)}, which `settings` does not."
        raise UsageError(msg)
    rows: list[tuple[Any, ...]]
    if design == "grid":
        rows = list(product(*lists.values()))
    else:
        usual = [defaults.get(name, values[0]) for name, values in lists.items()]
        rows = [tuple(usual)]
        for place, values in enumerate(lists.values()):
            changed = [(*usual[:place], v, *usual[place + 1 :]) for v in values]
            rows += [row for row in changed if row not in rows]
    if len(rows) > _MOST:
        msg = f"{len(rows):,} settings are more than {_MOST:,}; give fewer values."
        raise UsageError(msg)
    return tuple(
        Setting(values=tuple(zip(lists, row, strict=True)), models=models)
        for row in rows
    )


def _once(factor: str, values: Iterable[Any]) -> list[Any]:
    """Keep the first of values that are written alike: 0 and 0.0 are one setting."""
    kept: dict[str, Any] = {}
    for value in values:
        first = kept.setdefault(_said(value), value)
        if isinstance(first, str) != isinstance(value, str):
            msg = (
                f"`settings[{factor!r}]` holds {first!r} and {value!r}, which are "
                "written alike: leave one out."
            )
            raise UsageError(msg)
    return list(kept.values())


def _said(value: Any) -> str:
    if not isinstance(value, float):
        return str(value)
    short = f"{value:g}"
    # Names tell settings apart: digits are left out only where they say nothing.
    return short if float(short) == value else repr(float(value))
