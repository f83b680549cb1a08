"""Factors of data that are made: what verbs vary and what they fix."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

from scorecast.cli.verb import MethodName, option
from scorecast.evaluation import DESIGNS
from scorecast.exceptions import UsageError

F = TypeVar("F", bound=Callable[..., Any])
_WORDS = {"none": None, "true": True, "false": False}


# Options ---------------------------------------------------------------------------


def varied_option(says: str) -> Callable[[F], F]:
    """Make the option of factors with several values."""
    return option(
        "Question",
        "--vary",
        "varied",
        multiple=True,
        metavar="FACTOR=V,V,...",
        help=says,
    )


def fixed_option(examples: str) -> Callable[[F], F]:
    """Make the option of factors with one value."""
    return option(
        "Question",
        "--fix",
        "fixed",
        multiple=True,
        metavar="FACTOR=V",
        help=f"For --simulate, an option of it that stays, such as {examples}; may be "
        "repeated.",
    )


def design_option(default: str = "") -> Callable[[F], F]:
    """Make the option of how values are combined."""
    return option(
        "Question",
        "--design",
        type=MethodName(DESIGNS),
        metavar="NAME",
        help="grid: all combinations; one-at-a-time: the first value of every factor, "
        f"and one changed.{default}",
    )


# What was given --------------------------------------------------------------------


def refuse_fixed(options: Mapping[str, Any]) -> None:
    """Refuse what is fixed where nothing is made."""
    if options["fixed"] and not options["simulate"]:
        problem = "goes with data that are made; give data at hand one value to vary"
        raise UsageError(problem, parameter="fixed")


def read_factors(
    texts: Sequence[str], parameter: str, known: Collection[str]
) -> dict[str, list[Any]]:
    """Read factors and their values.

    Parameters
    ----------
    texts : sequence of str
        Such as ``"n-samples=20,40"``.
    parameter : str
        Who is to blame.
    known : collection of str
        Names that may be written with hyphens, too.

    Returns
    -------
    dict of str to list
        Numbers, words such as none, and texts.

    Raises
    ------
    UsageError
        If one reads otherwise, or is given twice.
    """
    found: dict[str, list[Any]] = {}
    for text in texts:
        said, sign, values = text.partition("=")
        if not (said and sign and values):
            problem = f"{text!r} must read FACTOR=VALUE, as n_samples=20,40"
            raise UsageError(problem, parameter=parameter)
        flat = said.replace("-", "_")
        name = flat if flat in known else said
        if name in found:
            raise UsageError(f"{said} is given twice", parameter=parameter)
        words = [word.strip() for word in values.split(",")]
        if not all(words):
            raise UsageError(f"{text!r} has an empty value", parameter=parameter)
        found[name] = [_value(word) for word in words]
    return found


def check_factors(
    varied: Mapping[str, Any],
    fixed: Mapping[str, Any],
    known: Collection[str],
    *,
    is_tested: Callable[[str], bool] = lambda _: False,
) -> None:
    """Refuse factors that data are not made with, and those both varied and fixed.

    Parameters
    ----------
    varied, fixed : mapping
        What was given, by name.
    known : collection of str
        What data are made with.
    is_tested : callable
        Whether a name that may be varied is about models or tests.

    Raises
    ------
    UsageError
        Naming the factor.
    """
    for parameter, names in (("fixed", fixed), ("varied", varied)):
        for name in names:
            if name not in known and not (parameter == "varied" and is_tested(name)):
                problem = f"{name}: data are made with {', '.join(known)}"
                raise UsageError(problem, parameter=parameter)
    for name, values in fixed.items():
        if len(values) > 1:
            problem = f"{name} is given {len(values)} values"
            raise UsageError(problem, parameter="fixed", remedy="vary it, or fix one")
        if name in varied:
            problem = f"{name} is both varied and fixed: give one of them"
            raise UsageError(problem, parameter="fixed")


def _value(text: str) -> Any:
    """Return a number, a word such as none, or the text."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
