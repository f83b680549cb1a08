"""Where results find the layer that draws them, without looking up to it.

The front door registers how to load that layer; nothing is loaded until a result is
asked for a picture.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

__all__ = ["Display", "display", "register_display"]

_loaders: list[Callable[[], Any]] = []


class Display(Protocol):
    """What the drawing layer offers to a result."""

    def plot(self, result: Any, ax: Any = None) -> Any:
        """Draw the result and return the axes."""

    def to_html(self, result: Any) -> str:
        """Return the result as an HTML fragment for notebooks."""


def register_display(load: Callable[[], Any]) -> None:
    """Say how to load the drawing layer.

    Parameters
    ----------
    load : callable
        Returns something with `plot` and `to_html`.
    """
    _loaders[:] = [load]


def display() -> Display:
    """Load the drawing layer."""
    loaded: Display = _loaders[0]()
    return loaded
