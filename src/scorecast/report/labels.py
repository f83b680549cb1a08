"""Place labels at what they name, where nothing else is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from scorecast._core.types import FloatArray

__all__ = ["Anchor", "Box", "Envelope", "Place", "place_labels", "spread"]

Box: TypeAlias = tuple[float, float, float, float]  # left, bottom, right, top

_PAD = 4.0
_STEPS = 4  # lines by which a label may move away before it is dropped


@dataclass(frozen=True, kw_only=True)
class Anchor:
    """What a label belongs to: a vertical bar, and the width of the label.

    Attributes
    ----------
    x, low, high : float
        Place of the bar, and its ends.
    width : float
        Width of the label.
    first : bool
        Whether it is placed before others, and rather below than above.
    """

    x: float
    low: float
    high: float
    width: float
    first: bool = False


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a label goes: its left end and the bottom of its line, in points."""

    left: float
    bottom: float
    above: bool


@dataclass(frozen=True, kw_only=True)
class Envelope:
    """Highest and lowest thing drawn at every x.

    Attributes
    ----------
    x, low, high : ndarray of float64
        Increasing places, and what is drawn there lies between `low` and `high`.
    """

    x: FloatArray
    low: FloatArray
    high: FloatArray

    def within(self, left: float, right: float) -> tuple[float, float]:
        """Return the lowest and highest thing between two places."""
        ends = np.array([left, right])
        inside = (self.x > left) & (self.x < right)
        lows = np.append(np.interp(ends, self.x, self.low), self.low[inside])
        highs = np.append(np.interp(ends, self.x, self.high), self.high[inside])
        return float(lows.min()), float(highs.max())


def spread(wanted: FloatArray, gap: float, low: float, high: float) -> FloatArray:
    """Move places apart as little as possible.

    Parameters
    ----------
    wanted : ndarray of float64
        Where each label would like to be.
    gap : float
        Least distance between two labels.
    low, high : float
        Limits for all of them, kept where there is room.

    Returns
    -------
    ndarray of float64
        Places in the same order, nearest to those wanted in least squares.

    Examples
    --------
    >>> spread(np.array([10.0, 10.0, 50.0]), 8.0, 0.0, 100.0).tolist()
    [6.0, 14.0, 50.0]
    """
    order = np.argsort(wanted, kind="stable")
    steps = gap * np.arange(wanted.size)
    from scipy.optimize import isotonic_regression  # slow to load, only to draw

    base = isotonic_regression(wanted[order] - steps).x
    top = max(low, high - (steps[-1] if wanted.size else 0.0))
    places = np.empty_like(wanted)
    places[order] = np.clip(base, low, top) + steps
    return places


def place_labels(
    anchors: Sequence[Anchor],
    drawn: Envelope,
    size: tuple[float, float],
    line: float,
    taken: Sequence[Box] = (),
) -> list[Place | None]:
    """Put each label above or below its bar, clear of curves and other labels.

    Parameters
    ----------
    anchors : sequence of Anchor
        What is to be labelled.
    drawn : Envelope
        What labels must not cover.
    size : tuple of float
        Right and upper limit of labels; their left and lower limit is zero.
    line : float
        Height of one line of text.
    taken : sequence of Box, optional
        Where other labels are already.

    Returns
    -------
    list of Place or None
        In the order given; None where there is no room.
    """
    boxes = list(taken)
    places: list[Place | None] = [None] * len(anchors)
    # From the right: there the curves are lowest and labels have most room above.
    order = sorted(
        range(len(anchors)), key=lambda i: (not anchors[i].first, -anchors[i].x)
    )
    for index in order:
        for place in _candidates(anchors[index], drawn, size, line):
            needs = _boxes(anchors[index], place, line)
            if not any(_overlap(box, other) for box in needs for other in boxes):
                boxes.extend(needs)
                places[index] = place
                break
    return places


def _boxes(anchor: Anchor, place: Place, line: float) -> list[Box]:
    """Return what a label covers, and the way from it to its bar."""
    left, right = place.left - _PAD, place.left + anchor.width + _PAD
    label = (left, place.bottom, right, place.bottom + line)
    if place.above:
        return [label, (anchor.x - 1, anchor.high, anchor.x + 1, place.bottom)]
    return [label, (anchor.x - 1, place.bottom + line, anchor.x + 1, anchor.low)]


def _candidates(
    anchor: Anchor, drawn: Envelope, size: tuple[float, float], line: float
) -> list[Place]:
    """Return places for a label, those nearest to its bar first."""
    start, middle = anchor.x - 5, anchor.x - anchor.width / 2
    end, before = anchor.x - anchor.width + 5, anchor.x - anchor.width - 5
    # A falling curve leaves room above on the right and below on the left.
    sides = [(True, left) for left in (start, middle, end, before)]
    below = [(False, left) for left in (before, middle, anchor.x + 5)]
    found: list[tuple[float, Place]] = []
    for above, left in below + sides if anchor.first else sides + below:
        if left < 0 or left + anchor.width > size[0]:
            continue
        low, high = drawn.within(left, left + anchor.width)
        nearest = max(high - anchor.high, 0) if above else max(anchor.low - low, 0)
        for step in range(_STEPS):
            away = nearest + _PAD + step * line
            bottom = anchor.high + away if above else anchor.low - away - line
            if bottom >= 0 and bottom + line <= size[1] + 1:
                # Lines of distance, not points: among the near ones the first is best.
                found.append(
                    (away // line, Place(left=left, bottom=bottom, above=above))
                )
    return [place for _, place in sorted(found, key=lambda pair: pair[0])]


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
