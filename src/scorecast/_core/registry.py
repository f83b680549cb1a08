"""Methods that are chosen by name.

A method is one object, written beside its code. The command line takes its choices and
help from the registry, the reference page its table, the tests their cases.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from scorecast._core.near_names import near_name
from scorecast.exceptions import UsageError


@dataclass(frozen=True, kw_only=True)
class Method:
    """What every method knows of itself; a room adds what its methods can do.

    Attributes
    ----------
    name : str
        How it is asked for.
    title : str
        How a sentence names it.
    summary : str
        When to use it, in one line.
    reference : str
        Where it was published.
    assumes : tuple of str
        What must hold for its numbers to mean what they say.
    aliases : tuple of str
        Other names that are understood.
    """

    name: str
    title: str
    summary: str
    reference: str = ""
    assumes: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


M = TypeVar("M", bound=Method)


class Registry(dict[str, M]):
    """Methods by name, in the order in which they were added."""

    def add(self, method: M) -> M:
        """Add a method under its own name."""
        self[method.name] = method
        return method

    def choose(self, name: str, *, parameter: str) -> M:
        """Return the method of this name or alias, or refuse and suggest one."""
        if isinstance(name, str) and name in self:
            return self[name]
        by_alias = {alias: m for m in self.values() for alias in m.aliases}
        if isinstance(name, str) and name in by_alias:
            return by_alias[name]
        near = near_name(name, [*self, *by_alias])
        raise UsageError(
            f"must be one of {', '.join(self)}; got {name!r}",
            parameter=parameter,
            remedy=f"try {near!r}" if near else None,
        )

    def select(self, **claims: object) -> tuple[str, ...]:
        """Return the names of the methods that claim all of these."""
        return tuple(
            name
            for name, method in self.items()
            if all(getattr(method, claim) == value for claim, value in claims.items())
        )
