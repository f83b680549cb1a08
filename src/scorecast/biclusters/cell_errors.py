"""Errors by cells (Patrikainen and Meila, 2006), for biclusters that may overlap."""

from __future__ import annotations

import numpy as np

from scorecast.biclusters.bicluster_set import BiclusterSet
from scorecast.biclusters.match_scores import assigned_total
from scorecast.biclusters.overlaps import Overlaps

__all__ = ["cell_totals", "clustering_error", "non_intersecting_area"]

_BLOCK = 2**22  # cells counted at a time


def cell_totals(found: BiclusterSet, hidden: BiclusterSet) -> tuple[float, float]:
    """Count cells of the union and of the intersection, with multiplicity.

    Parameters
    ----------
    found, hidden : BiclusterSet
        Two sets of one matrix.

    Returns
    -------
    tuple of float
        Sum over cells of the larger, and of the smaller, number of biclusters that
        hold the cell.
    """
    n, m = found.shape
    step = max(1, _BLOCK // max(m, 1))
    columns = [s.columns.astype(np.float32) for s in (found, hidden)]
    union = common = 0.0
    for start in range(0, n, step):
        part = slice(start, start + step)
        times = [
            s.rows[:, part].T.astype(np.float32) @ c
            for s, c in zip((found, hidden), columns, strict=True)
        ]
        union += float(np.maximum(*times).sum(dtype=np.float64))
        common += float(np.minimum(*times).sum(dtype=np.float64))
    return union, common


def non_intersecting_area(totals: tuple[float, float]) -> float:
    """Return RNIA: the share of the union that is not common; 0 is best.

    Parameters
    ----------
    totals : tuple of float
        Of `cell_totals`.

    Returns
    -------
    float
        From 0 (the same cells) to 1 (none in common).
    """
    union, common = totals
    return (union - common) / union if union else 0.0


def clustering_error(totals: tuple[float, float], overlaps: Overlaps) -> float:
    """Return CE: as RNIA, but each found bicluster may stand for one hidden one only.

    Parameters
    ----------
    totals : tuple of float
        Of `cell_totals`.
    overlaps : Overlaps
        What the sets share.

    Returns
    -------
    float
        From 0 to 1, never below RNIA.
    """
    union, cells = totals[0], overlaps.cells
    return (union - assigned_total(cells, cells)) / union if union else 0.0
