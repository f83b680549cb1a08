"""An axis of plain numbers, with as many ticks as there is room for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.report.drawing import axes_size, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["number_axis", "number_ticks"]

_TICK_ROOM = 16.0


def number_axis(axes: Axes, low: float, high: float) -> None:
    """Let x run from low to high, with ticks that do not collide."""
    axes.set_xlim(low, high)
    places, names = number_ticks(low, high, axes_size(axes)[0])
    axes.set_xticks(places, labels=names)
    axes.minorticks_off()


def number_ticks(low: float, high: float, room: float) -> tuple[FloatArray, list[str]]:
    """Return places of round numbers, and what to write there."""
    from matplotlib.ticker import MaxNLocator

    for n in (8, 6, 5, 4, 3, 2, 1):
        locator = MaxNLocator(nbins=n, steps=[1, 2, 5, 10])
        places = np.asarray(locator.tick_values(low, high))
        places = places[(places >= low) & (places <= high)]
        names = [_tick(p) for p in places]
        if sum(text_width(name) + _TICK_ROOM for name in names) <= room:
            break
    return places, [name.replace("-", "\N{MINUS SIGN}") for name in names]


def _tick(place: float) -> str:
    if 1000 <= abs(place) < 1e9 and place == round(place):
        return f"{place:,.0f}"
    return f"{0.0 if abs(place) < 1e-12 else place:.6g}"
