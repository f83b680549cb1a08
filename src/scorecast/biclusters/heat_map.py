"""The part of a matrix that shows its biclusters, small enough for a figure."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Self

import numpy as np

from scorecast._core.types import BoolArray, FloatArray, IntArray, Json
from scorecast.biclusters.bicluster_set import BiclusterSet

__all__ = ["HeatMap", "heat_map"]

_MOST_ROWS, _MOST_COLUMNS, _MOST_SHOWN = 64, 48, 6
_CLIP = 3.0
_TO_NORMAL = 1.4826  # median distance to standard deviation, of normal values


@dataclass(frozen=True, kw_only=True)
class HeatMap:
    """Some rows and columns, put in an order in which biclusters lie together.

    Attributes
    ----------
    values : tuple of tuple of float
        Standard deviations from the median of the column, cut at 3; NaN if missing.
    rows, columns : tuple of int
        Their numbers in the matrix, counted from zero.
    biclusters : tuple of tuple
        Name, rows and columns of those shown, as places in this picture.
    """

    values: tuple[tuple[float, ...], ...]
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    biclusters: tuple[tuple[str, tuple[int, ...], tuple[int, ...]], ...]

    def to_json(self) -> Json:
        """Return plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Json) -> Self:
        """Rebuild from `to_json`."""
        return cls(
            values=tuple(
                tuple(math.nan if x is None else float(x) for x in row)
                for row in data["values"]
            ),
            rows=tuple(map(int, data["rows"])),
            columns=tuple(map(int, data["columns"])),
            biclusters=tuple(
                (str(name), tuple(map(int, rows)), tuple(map(int, columns)))
                for name, rows, columns in data["biclusters"]
            ),
        )


def heat_map(
    matrix: FloatArray, found: BiclusterSet, order: IntArray | None = None
) -> HeatMap:
    """Choose what to show of a matrix.

    Parameters
    ----------
    matrix : ndarray of shape (n, m)
        The data.
    found : BiclusterSet
        Biclusters of it.
    order : ndarray of int, optional
        Which biclusters matter most, first ones first.

    Returns
    -------
    HeatMap
        At most 64 rows, 48 columns and 6 biclusters; each bicluster keeps its share.
    """
    first = np.arange(len(found)) if order is None else order
    shown = first[:_MOST_SHOWN]
    rows = _chosen(found.rows[shown], _MOST_ROWS)
    columns = _chosen(found.columns[shown], _MOST_COLUMNS)
    picture = _standardised(matrix, columns)[rows]
    return HeatMap(
        values=tuple(tuple(line) for line in picture.round(2).tolist()),
        rows=tuple(rows.tolist()),
        columns=tuple(columns.tolist()),
        biclusters=tuple(
            (
                found.names[b],
                tuple(np.flatnonzero(found.rows[b][rows]).tolist()),
                tuple(np.flatnonzero(found.columns[b][columns]).tolist()),
            )
            for b in shown.tolist()
        ),
    )


def _chosen(flags: BoolArray, most: int) -> IntArray:
    """Order members by the biclusters that hold them, and thin every such group."""
    n = flags.shape[1]
    # Members of the first bicluster come first, of none last.
    keys = tuple(~flags[::-1]) if flags.shape[0] else (np.zeros(n),)
    order = np.lexsort(keys)
    if n <= most:
        return order.astype(np.int64)
    groups = np.split(order, np.flatnonzero(_changes(flags[:, order])) + 1)
    inside = [g for g in groups if flags[:, g[0]].any()]
    outside = [g for g in groups if not flags[:, g[0]].any()]
    # What surrounds biclusters takes a third; they share the rest by size.
    room = most - (most // 3 if outside else 0)
    total = sum(g.size for g in inside) or 1
    kept = [_thin(g, max(1, round(room * g.size / total))) for g in inside]
    kept += [_thin(g, most // 3) for g in outside]
    return np.concatenate(kept)[:most].astype(np.int64)


def _changes(flags: BoolArray) -> BoolArray:
    differ: BoolArray = (flags[:, 1:] != flags[:, :-1]).any(axis=0)
    return differ


def _thin(members: IntArray, most: int) -> IntArray:
    if members.size <= most:
        return members
    places = np.linspace(0, members.size - 1, most).round().astype(int)
    return np.asarray(members[places])


def _standardised(matrix: FloatArray, columns: IntArray) -> FloatArray:
    part = matrix[:, columns]
    known = np.where(np.isfinite(part), part, np.nan)
    some = np.isfinite(known).any(axis=0)
    centre, spread = np.zeros(columns.size), np.ones(columns.size)
    centre[some] = np.nanmedian(known[:, some], axis=0)
    away = np.abs(known - centre)
    spread[some] = _TO_NORMAL * np.nanmedian(away[:, some], axis=0)
    wide = np.nan_to_num(away).max(axis=0)
    spread = np.where(spread > 0, spread, np.where(wide > 0, wide, 1.0))
    return np.clip((known - centre) / spread, -_CLIP, _CLIP)
