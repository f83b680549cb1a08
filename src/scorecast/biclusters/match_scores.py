"""Match scores (Prelic and others, 2006) and the consensus score (FABIA, 2010)."""

from __future__ import annotations

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.biclusters.overlaps import Overlaps

__all__ = ["assigned_total", "consensus", "recovery", "relevance"]


def relevance(similarity: FloatArray) -> float:
    """Return MS(B, H): how well found biclusters match hidden ones, on average.

    Parameters
    ----------
    similarity : ndarray of shape (k_found, k_hidden)
        Jaccard index of every pair.

    Returns
    -------
    float
        Mean over found ones of the best match; 0 where nothing was found.
    """
    return float(similarity.max(axis=1).mean()) if similarity.size else 0.0


def recovery(similarity: FloatArray) -> float:
    """Return MS(H, B): how well hidden biclusters are recovered, on average."""
    return relevance(similarity.T)


def consensus(overlaps: Overlaps, assigned_by: str = "jaccard") -> float:
    """Return the FABIA consensus: the best pairs, per bicluster of the larger set.

    Parameters
    ----------
    overlaps : Overlaps
        What the sets share.
    assigned_by : {"jaccard", "overlap"}, default="jaccard"
        What the pairs are chosen to make largest: the sum of Jaccard indices, as
        Hochreiter and others do, or of shared cells.

    Returns
    -------
    float
        From 0 to 1; 1 where both sets are the same.
    """
    similarity = overlaps.jaccard("cells")
    weight = similarity if assigned_by == "jaccard" else overlaps.cells
    larger = max(similarity.shape)
    return assigned_total(weight, similarity) / larger if larger else 0.0


def assigned_total(weight: FloatArray, value: FloatArray) -> float:
    """Sum `value` over the one-to-one pairs that have the most `weight` together."""
    if not weight.size:
        return 0.0
    from scipy.optimize import linear_sum_assignment  # slow to load

    first, second = linear_sum_assignment(weight, maximize=True)
    return float(np.sum(value[first, second]))
