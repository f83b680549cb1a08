"""Keyword arguments that a function does not have, and the one that was meant."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from scorecast._core.near_names import near_name
from scorecast.exceptions import UnknownParameterError

__all__ = ["checked_keywords", "meant_by"]

P = ParamSpec("P")
R = TypeVar("R")

# What other libraries call it.
_ALIASES = {
    "seed": "random_state",
    "rng": "random_state",
    "jobs": "n_jobs",
    "n_workers": "n_jobs",
    "sampling": "cv",
    "alpha": "confidence_level",
    "level": "confidence_level",
    "confidence_level": "level",
    "metric": "scoring",
    "losses": "scoring",
    "positive": "pos_label",
    "models": "estimator",
}


def checked_keywords(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function say which parameter was probably meant by one it does not have.

    Parameters
    ----------
    function : callable
        Without ``**`` parameters.

    Returns
    -------
    callable
        The same function.

    Examples
    --------
    >>> @checked_keywords
    ... def draw(n, *, random_state=0):
    ...     return n
    >>> draw(3, seed=1)
    Traceback (most recent call last):
    scorecast.exceptions.UnknownParameterError: draw has no parameter `seed`; did you \
mean `random_state`?
    """
    names = tuple(inspect.signature(function).parameters)
    known = frozenset(names)
    called = function.__qualname__.removesuffix(".__init__")

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        if not known.issuperset(kwargs):
            unknown = next(name for name in kwargs if name not in known)
            meant = meant_by(unknown, names)
            hint = f"; did you mean `{meant}`?" if meant else f": {', '.join(names)}."
            msg = f"{called} has no parameter `{unknown}`{hint}"
            raise UnknownParameterError(msg)
        return function(*args, **kwargs)

    return checked


def meant_by(unknown: str, names: tuple[str, ...]) -> str:
    """Return the parameter that was probably meant; empty if none is near.

    Parameters
    ----------
    unknown : str
        What the caller wrote.
    names : tuple of str
        The parameters there are.

    Returns
    -------
    str
        One of `names`, or nothing.
    """
    alias = _ALIASES.get(unknown, "")
    return alias if alias in names else near_name(unknown, names)
