"""``--method-option NAME=VALUE``: settings of methods, written as people write them."""

from __future__ import annotations

import re
import types
from collections.abc import Iterable, Sequence
from typing import Any, Union, get_args, get_origin, get_type_hints

from scorecast.cli.verb import option
from scorecast.exceptions import UnknownParameterError, UsageError, quoted
from scorecast.extrapolation import EXTRAPOLATORS, Extrapolator

__all__ = ["SETTING_NAMES", "configured", "configured_each", "method_settings_option"]

_FLAGS = {"true": True, "false": False}

# Settings of methods are no options of their own; an error says how they are given.
SETTING_NAMES = {
    name: f"--method-option {name}"
    for method in EXTRAPOLATORS.values()
    for name in method.setting_names()
}

method_settings_option = option(
    "Method",
    "--method-option",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Setting of the method, such as bandwidth=0.3, constrained=false or "
    "sizes=5,10,20; may be repeated. What each method has stands beside it below.",
)


def configured(name: str, given: Iterable[str]) -> Extrapolator:
    """Return a method with the settings that were given."""
    method = EXTRAPOLATORS[name]
    return method.with_settings(**_read(method, _pairs(given)))


def configured_each(
    names: Sequence[str], given: Sequence[str]
) -> list[str | Extrapolator]:
    """Return several methods; each takes the settings that it has."""
    pairs = _pairs(given)
    methods = [EXTRAPOLATORS[name] for name in names]
    for setting in pairs:
        owners = [m for m in methods if setting in m.setting_names()]
        if not owners:
            known = {s: None for m in methods for s in m.setting_names()}
            raise UnknownParameterError(
                f"none of {', '.join(names)} has a setting {quoted(setting)}; they "
                f"have: {', '.join(known) or 'none'}",
                parameter="settings",
            )
    found: list[str | Extrapolator] = []
    for method in methods:
        own = {k: v for k, v in pairs.items() if k in method.setting_names()}
        found.append(method.with_settings(**_read(method, own)))
    return found


def _pairs(given: Iterable[str]) -> dict[str, str]:
    """Split NAME=VALUE; a name that comes again takes the last value."""
    found = {}
    for text in given:
        name, mark, value = text.partition("=")
        if not (name.strip() and mark and value.strip()):
            problem = f"{text!r} is no NAME=VALUE"
            raise UsageError(problem, parameter="settings")
        found[name.strip().replace("-", "_")] = value.strip()
    return found


def _read(method: Extrapolator, pairs: dict[str, str]) -> dict[str, Any]:
    """Read values by the types of the settings; the method refuses what is none."""
    hints = get_type_hints(type(method))
    return {name: _value(text, hints.get(name, str)) for name, text in pairs.items()}


def _value(text: str, hint: Any) -> Any:
    """Read a value of a type; what is none stays the text that it is."""
    parts = get_args(hint)
    if get_origin(hint) in (Union, types.UnionType):
        if text.lower() == "none" and types.NoneType in parts:
            return None
        (hint,) = (part for part in parts if part is not types.NoneType)
    if get_origin(hint) is tuple:
        inner = text.strip("()[] ").rstrip(", ")
        cells = re.split(r"\s*,\s*|\s+", inner) if inner else []
        return tuple(_value(cell, get_args(hint)[0]) for cell in cells)
    if hint is bool:
        return _FLAGS.get(text.lower(), text)
    if hint is str:
        quotes = text[:1] + text[-1:]
        return text[1:-1] if quotes in ("''", '""') and len(text) > 1 else text
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if hint is int and number.is_integer() else number
