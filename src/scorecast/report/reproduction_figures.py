"""Figures of the papers, drawn again: lines and points in one or several panels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from scorecast.report.curves import (
    TITLE,
    Entry,
    draw_key,
    is_first,
    key_height,
    name_panel,
    panels,
    panels_height,
)
from scorecast.report.figures import (
    ACCENT,
    ACCENT_SOFT,
    FONT_SIZE,
    INK,
    INK_SOFT,
    MUTED,
    PAPER,
    RULE,
    Drawing,
    axes_size,
    count_axis,
    number_axis,
    number_ticks,
    plain_axes,
    text_width,
    thinned,
)
from scorecast.reproduction import Line, LineStyle, Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DASHED, _DOTTED = (0, (4, 2)), (0, (1, 1.5))
_STYLES: tuple[tuple[str, Any], ...] = tuple(
    (colour, style)
    for style in ("-", _DASHED, _DOTTED)
    for colour in (ACCENT, INK, MUTED)
)
_SOFT = {ACCENT: ACCENT_SOFT, INK: INK_SOFT, MUTED: RULE}
_HEIGHT = 190.0  # of axes that stand alone
_ROOM = 0.05  # around what is drawn
_ABOVE = 20.0  # of axes, for the name of their height
_BELOW = 36.0


def picture_drawing(picture: Picture) -> Drawing:
    """Draw a figure: the same name has the same line in every panel."""
    names = list(dict.fromkeys(x.name for p in picture.panels for x in p.lines))
    styles = dict(zip(names, _STYLES * (1 + len(names) // len(_STYLES)), strict=False))
    key: list[Entry] = [(name, *styles[name]) for name in names]
    if len(key) == 1 and len(picture.panels) == 1:
        key = []  # its title says what it is
    limits = _limits([line for panel in picture.panels for line in panel.lines])
    many = len(picture.panels) > 1
    above = (TITLE if many else _ABOVE) + key_height(key) if key else _ABOVE
    above = above if key or not many else TITLE

    def draw(axes: Axes) -> None:
        # Parting the axes hides them; the key stands over them all the same.
        parts = panels(axes, len(picture.panels)) if many else [axes]
        for i, (panel, part) in enumerate(zip(parts, picture.panels, strict=True)):
            _frame(panel, picture, limits)
            if many:
                name_panel(panel, part.title)
                panel.tick_params(axis="y", labelleft=is_first(axes, i))
            for line in part.lines:
                _draw_line(panel, line, *styles[line.name])
        _name_height(parts[0], picture.ylabel)
        if key:
            draw_key(axes, key, above=(TITLE if many else _ABOVE) - 2)

    return Drawing(
        title=picture.title,
        description=_described(picture),
        draw=draw,
        height=_HEIGHT + above + _BELOW,
        height_at=(
            (lambda width: panels_height(len(picture.panels), width) + above + _BELOW)
            if many
            else None
        ),
        left=40.0,
        right=18.0,
        top=above,
        bottom=_BELOW,
    )


def _limits(lines: Sequence[Line]) -> tuple[float, float, float, float]:
    """Return where what is drawn begins and ends, across and up."""
    x = np.concatenate([np.array(line.x, dtype=float) for line in lines])
    y = np.concatenate(
        [np.array([*line.y, *line.low, *line.high], dtype=float) for line in lines]
    )
    known = y[np.isfinite(y)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    room = _ROOM * (high - low) or 0.1
    # A scale that nearly begins at nought begins there.
    bottom = 0.0 if 0 <= low < 0.4 * high else low - room
    return float(x.min()), float(x.max()), bottom, high + room


def _frame(
    axes: Axes, picture: Picture, limits: tuple[float, float, float, float]
) -> None:
    left, right, low, high = limits
    plain_axes(axes, xlabel=picture.xlabel)
    axes.set_ylim(low, high)
    places, names = number_ticks(low, high, 2.6 * axes_size(axes)[1])
    axes.set_yticks(places, labels=names)
    axes.grid(axis="y", color=RULE, linewidth=0.6)
    if picture.ticks:
        _named_axis(axes, picture.ticks)
    elif picture.is_log:
        count_axis(axes, left, right)
    else:
        room = 0.02 * (right - left) or 0.5
        number_axis(axes, left - room, right + room)


def _named_axis(axes: Axes, ticks: Sequence[str]) -> None:
    """Name places 0, 1, 2 ..., as many as there is room for."""
    axes.set_xlim(-0.5, len(ticks) - 0.5)
    widest = max(text_width(name) for name in ticks) + 8
    most = max(2, int(axes_size(axes)[0] // widest))
    places = thinned(range(len(ticks)), most)
    axes.set_xticks(places, labels=[ticks[i] for i in places])


def _draw_line(axes: Axes, line: Line, colour: str, style: Any) -> None:
    x, y = np.array(line.x, dtype=float), np.array(line.y, dtype=float)
    if line.style is LineStyle.POINTS:
        if line.low:
            axes.vlines(x, line.low, line.high, color=colour, linewidth=1.0, zorder=3)
        axes.plot(
            x, y, "o", color=colour, markersize=4.5, markeredgecolor=PAPER, zorder=4
        )
        return
    if line.low:
        soft = _SOFT[colour]
        axes.fill_between(x, line.low, line.high, color=soft, linewidth=0, zorder=2)
    steps = "steps-mid" if line.style is LineStyle.STEPS else "default"
    axes.plot(
        x, y, color=colour, linestyle=style, linewidth=1.6, drawstyle=steps, zorder=3
    )


def _name_height(axes: Axes, name: str) -> None:
    axes.annotate(
        name, (0, 1), (0, 6), xycoords="axes fraction", textcoords="offset points",
        color=MUTED, fontsize=FONT_SIZE, annotation_clip=False,
    )  # fmt: skip


def _described(picture: Picture) -> str:
    """Say what is drawn, for those who do not see it."""
    n = sum(len(panel.lines) for panel in picture.panels)
    names = list(dict.fromkeys(x.name for p in picture.panels for x in p.lines))
    parts = f"{len(picture.panels)} panels, " if len(picture.panels) > 1 else ""
    many = f"{n} lines: " if n > 1 else ""
    return (
        f"{picture.ylabel} against {picture.xlabel}; {parts}{many}{', '.join(names)}."
    )
