"""Paper to draw on: colours, sizes, axes, and nothing about any result.

Every colour used in a figure is one of `COLOURS`, so that a page can swap them for its
own, light or dark. Lengths are in points.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.exceptions import MissingExtraError
from scorecast.report.formats import count, display_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

T = TypeVar("T")

INK = "#1c2127"
INK_SOFT = "#e2e5e9"
MUTED = "#5c6670"
RULE = "#d9dde2"
ACCENT = "#0a5cab"
ACCENT_SOFT = "#d3e3f4"
PAPER = "#fefefd"
# Further curves of one figure; told apart by those who see no red or green as well.
ORANGE, GREEN, PURPLE, OLIVE = "#b84a00", "#00785a", "#9c3d7d", "#7a5c00"

COLOURS = {
    "ink": INK,
    "ink-soft": INK_SOFT,
    "muted": MUTED,
    "rule": RULE,
    "accent": ACCENT,
    "accent-soft": ACCENT_SOFT,
    "paper": PAPER,
    "orange": ORANGE,
    "green": GREEN,
    "purple": PURPLE,
    "olive": OLIVE,
}

# What several curves of one figure look like, the first in the colour of the page.
CURVE_STYLES: tuple[tuple[str, Any], ...] = (
    (ACCENT, "solid"),
    (ORANGE, (0, (6, 2))),
    (GREEN, (0, (1.5, 1.5))),
    (PURPLE, (0, (6, 2, 1.5, 2))),
    (OLIVE, (0, (3, 1.5))),
    (INK, (0, (9, 2.5))),
    (MUTED, "solid"),
    (ACCENT, (0, (4, 1.5, 1, 1.5, 1, 1.5))),
)

WIDE = 504.0
NARROW = 250.0
FONT_SIZE = 9.0

# Shares of the width: the least of the axes, and the most of what stands right of them.
_LEAST_AXES = 0.3
_MOST_RIGHT = 0.46
_BARE = 14.0  # a margin with nothing in it
_TICK_ROOM = 16.0  # beside the number at a tick

# Width of a character, as a part of the size of the font; on the safe side. Plain ones,
# capitals, the widest letters, and those that are as wide as high.
_EM = 0.56
_BOLD_EM = 0.62
_CAPITAL = 1.25  # times the plain ones
_WIDEST = 1.75
_SQUARE = 1.8
_WIDE_LETTERS = frozenset("MW@")


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """A figure that can be drawn at any width.

    Attributes
    ----------
    title, description : str
        What it shows, for those who do not see it.
    draw : callable
        Draws on given axes.
    height : float
        Height of the figure.
    left, right, top, bottom : float
        Margins around the axes.
    height_at : callable or None
        Height of the figure at a width, where it needs another one than `height`.
    """

    title: str
    description: str
    draw: Callable[[Axes], None]
    height: float = 270.0
    left: float = 34.0
    right: float = 14.0
    top: float = 22.0
    bottom: float = 36.0
    height_at: Callable[[float], float] | None = None


def new_figure(drawing: Drawing, width: float = WIDE) -> tuple[Figure, Axes]:
    """Make a figure with axes, with the margins the drawing asks for.

    Parameters
    ----------
    drawing : Drawing
        What will be drawn.
    width : float, default=504
        Width of the figure.

    Returns
    -------
    tuple of figure and axes
        Empty; no window and no global figure is opened.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    """
    try:
        from matplotlib import figure as mpl_figure  # optional, and slow to load
    except ImportError as error:
        what = "Figures"
        raise MissingExtraError(what, "plot") from error
    height = drawing.height if drawing.height_at is None else drawing.height_at(width)
    figsize = (width / 72, height / 72)
    figure = mpl_figure.Figure(figsize=figsize, facecolor=PAPER)
    left, right = side_margins(drawing.left, drawing.right, width)
    inner = width - left - right
    tall = height - drawing.top - drawing.bottom
    axes = figure.add_axes(
        (
            left / width,
            drawing.bottom / height,
            inner / width,
            tall / height,
        )
    )
    return figure, axes


def side_margins(left: float, right: float, width: float) -> tuple[float, float]:
    """Cut the margins to what leaves room for the axes between them.

    Parameters
    ----------
    left, right : float
        What is asked for.
    width : float
        Width of the figure.

    Returns
    -------
    tuple of float
        Numbers, on the right, come before names, which can be shortened; where numbers
        are too long there is no room for any.

    Examples
    --------
    >>> side_margins(80, 40, 250), side_margins(300, 70, 250)
    ((80, 40), (105.0, 70))
    >>> side_margins(80, 140, 250)
    (80, 14.0)
    """
    if right > _MOST_RIGHT * width:
        right = _BARE
    return min(left, (1 - _LEAST_AXES) * width - right), right


def figure_width(axes: Axes) -> float:
    """Return the width of the whole figure in points."""
    return float(axes.figure.bbox.width) * 72 / axes.figure.dpi


def draw_on(drawing: Drawing, ax: Axes | None = None) -> Axes:
    """Draw on the given axes, or on new ones.

    Parameters
    ----------
    drawing : Drawing
        What to draw.
    ax : matplotlib axes, optional
        Where; a new figure by default.

    Returns
    -------
    matplotlib axes
        The axes drawn on.
    """
    axes = new_figure(drawing)[1] if ax is None else ax
    drawing.draw(axes)
    return axes


def axes_size(axes: Axes) -> tuple[float, float]:
    """Return width and height of the axes in points."""
    unit = 72 / axes.figure.dpi
    return float(axes.bbox.width) * unit, float(axes.bbox.height) * unit


def margin_right(axes: Axes) -> float:
    """Return the room between the axes and the right edge of the figure."""
    unit = 72 / axes.figure.dpi
    return float(axes.figure.bbox.x1 - axes.bbox.x1) * unit


def margin_left(axes: Axes) -> float:
    """Return the room between the left edge of the figure and the axes."""
    unit = 72 / axes.figure.dpi
    return float(axes.bbox.x0 - axes.figure.bbox.x0) * unit


def in_points(
    axes: Axes, x: FloatArray, y: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Convert data coordinates to points from the lower left corner of the axes.

    Parameters
    ----------
    axes : matplotlib axes
        Axes whose limits are set.
    x, y : ndarray of float64
        Data coordinates.

    Returns
    -------
    tuple of ndarray
        The same in points.
    """
    pixels = axes.transData.transform(np.column_stack([x, y]))
    shifted = (pixels - [axes.bbox.x0, axes.bbox.y0]) * (72 / axes.figure.dpi)
    return shifted[:, 0], shifted[:, 1]


def text_width(text: str, *, bold: bool = False) -> float:
    """Estimate the width of a text in points, whatever font will be used."""
    em = (_BOLD_EM if bold else _EM) * FONT_SIZE
    return em * sum(map(_letter, text))


def _letter(char: str) -> float:
    """Return the width of a character in plain ones."""
    if char in _WIDE_LETTERS:
        return _WIDEST
    if display_width(char) == 2:
        return _SQUARE
    return _CAPITAL if char.isupper() else 1.0


def thinned(items: Sequence[T], most: int) -> list[T]:
    """Keep at most so many items, evenly spread, the ends among them."""
    if len(items) <= most:
        return list(items)
    places = np.linspace(0, len(items) - 1, most).round().astype(int)
    return [items[i] for i in places]


def plain_axes(axes: Axes, *, xlabel: str) -> None:
    """Take away all that carries no information."""
    axes.set_facecolor("none")
    for side in ("left", "right", "top"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(MUTED)
    axes.spines["bottom"].set_linewidth(0.6)
    axes.tick_params(axis="x", length=3, width=0.6, color=MUTED, pad=3)
    axes.tick_params(axis="y", length=0, pad=5)
    axes.tick_params(axis="both", labelcolor=MUTED, labelsize=FONT_SIZE)
    axes.set_xlabel(xlabel, color=MUTED, fontsize=FONT_SIZE, labelpad=4)
    axes.set_axisbelow(True)


def percent_axis(axes: Axes) -> None:
    """Let y run from 0 to 100 %, with quiet lines across."""
    axes.set_ylim(0, 1)
    ticks = [0, 0.2, 0.4, 0.6, 0.8, 1]
    names = [f"{100 * tick:.0f}" for tick in ticks]
    axes.set_yticks(ticks, labels=[*names[:-1], f"{names[-1]} %"])
    axes.grid(axis="y", color=RULE, linewidth=0.6)


def round_ticks(low: float, high: float, most: float) -> FloatArray:
    """Choose round numbers between two ends.

    Parameters
    ----------
    low, high : float
        The ends.
    most : float
        About how many fit.

    Returns
    -------
    ndarray of float64
        Multiples of 1, 2 or 5 times a power of ten.

    Examples
    --------
    >>> round_ticks(0.62, 0.97, 4).tolist()
    [0.7, 0.8, 0.9]
    """
    span = (high - low) or 1.0
    steps = [
        lead * 10.0**k
        for k in range(int(np.floor(np.log10(span))) - 2, 13)
        for lead in (1, 2, 5)
    ]
    place = next((i for i, s in enumerate(steps) if span / s <= most), len(steps) - 1)
    ticks = _multiples(steps[place], low, high)
    # One tick says nothing of the scale.
    return ticks if ticks.size > 1 else _multiples(steps[max(place - 1, 0)], low, high)


def _multiples(step: float, low: float, high: float) -> FloatArray:
    slack = 1e-9 * (high - low)
    first, last = np.ceil((low - slack) / step), np.floor((high + slack) / step)
    # Adding nought turns minus nought into nought.
    ticks: FloatArray = (step * np.arange(first, last + 1)).round(9) + 0.0
    return ticks


def count_axis(axes: Axes, low: float, high: float, also: Sequence[float] = ()) -> None:
    """Let x run over counts on a logarithmic scale, with ticks that do not collide.

    Parameters
    ----------
    axes : matplotlib axes
        Where.
    low, high : float
        Ends of the axis.
    also : sequence of float, default=()
        Counts to mark before round ones, the last first.
    """
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    width, _ = axes_size(axes)
    ticks = _count_ticks(low, high, width)
    if also:
        ticks = _first_that_fit([*reversed(also), *ticks], low, high, width)
    axes.set_xticks(ticks, labels=[_short_count(tick) for tick in ticks])
    axes.minorticks_off()


def _count_ticks(low: float, high: float, width: float) -> list[float]:
    decades = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    for step, leads in ((1, (1, 2, 5)), (1, (1,)), (2, (1,)), (3, (1,)), (6, (1,))):
        ticks = [
            float(lead * 10**decade)
            for decade in decades
            if decade % step == 0
            for lead in leads
            if low <= lead * 10**decade <= high
        ]
        if _fits(ticks, low, high, width):
            break
    return ticks or [low]


def _first_that_fit(
    ticks: Sequence[float], low: float, high: float, width: float
) -> list[float]:
    chosen: list[float] = []
    for tick in ticks:
        more = sorted({*chosen, float(tick)})
        if _fits(more, low, high, width):
            chosen = more
    return chosen


def _fits(ticks: Sequence[float], low: float, high: float, width: float) -> bool:
    places = np.log(np.array(ticks) / low) / np.log(high / low) * width
    needs = np.array([text_width(_short_count(tick)) for tick in ticks])
    return bool(np.all(np.diff(places) > (needs[:-1] + needs[1:]) / 2 + 6))


def _short_count(number: float) -> str:
    for size, unit in ((1e12, "T"), (1e9, "B"), (1e6, "M")):
        if number >= size:
            return f"{float(f'{number / size:.3g}'):,.10g}{unit}"
    return count(number)


def number_axis(axes: Axes, low: float, high: float) -> None:
    """Let x run from low to high, with ticks that do not collide."""
    axes.set_xlim(low, high)
    mark_numbers(axes, low, high)
    axes.minorticks_off()


def mark_numbers(
    axes: Axes, low: float, high: float, *, in_percent: bool = False
) -> None:
    """Mark round numbers between two ends, as many as there is room for."""
    ticks, names = number_ticks(low, high, axes_size(axes)[0], in_percent=in_percent)
    axes.set_xticks(ticks, labels=names)


def number_ticks(
    low: float, high: float, room: float, *, in_percent: bool = False
) -> tuple[FloatArray, list[str]]:
    """Return places of round numbers, and what to write there."""
    unit = 100.0 if in_percent else 1.0
    for most in range(8, 0, -1):
        ticks = round_ticks(low, high, most)
        names = [_tick(unit * tick) for tick in ticks]
        if sum(text_width(name) + _TICK_ROOM for name in names) <= room:
            break
    return ticks, [name.replace("-", "\N{MINUS SIGN}") for name in names]


def _tick(place: float) -> str:
    if 1000 <= abs(place) < 1e9 and place == round(place):
        return f"{place:,.0f}"
    return f"{0.0 if abs(place) < 1e-12 else place:.6g}"
