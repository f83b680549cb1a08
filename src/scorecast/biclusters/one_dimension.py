"""Rows (or columns) alone: entropy and F-measure of subspace clusters.

After Sequeira and Zaki (2005), Assent and others (2007). Members are rows or columns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scorecast._core.types import BoolArray, FloatArray

__all__ = ["FMeasure", "entropy", "f_measure"]


@dataclass(frozen=True, kw_only=True)
class FMeasure:
    """F-measure with its parts, each the mean over hidden clusters.

    Attributes
    ----------
    f : float
        Harmonic mean of both.
    precision : float
        Share of what was found for a hidden cluster that belongs to it.
    recall : float
        Share of a hidden cluster that was found.
    """

    f: float
    precision: float
    recall: float


def f_measure(found: BoolArray, hidden: BoolArray, shared: FloatArray) -> FMeasure:
    """Return the F-measure of clusters of members.

    Every found cluster stands for the hidden one of which it holds the largest share;
    clusters that stand for the same one are joined.

    Parameters
    ----------
    found : ndarray of bool of shape (k, n)
        Members of found clusters.
    hidden : ndarray of bool of shape (h, n)
        Members of hidden ones.
    shared : ndarray of shape (k, h)
        How many members they share.

    Returns
    -------
    FMeasure
        Hidden clusters that nothing stands for count as 0.
    """
    if not shared.size:
        return FMeasure(f=0.0, precision=0.0, recall=0.0)
    sizes = hidden.sum(axis=1)
    owner = np.argmax(shared / sizes, axis=1)
    owner[shared.max(axis=1) == 0] = -1
    parts = np.zeros((hidden.shape[0], 3))
    for h, members in enumerate(hidden):
        joined = found[owner == h].any(axis=0)
        hits = float((joined & members).sum())
        if hits:
            precision, recall = hits / joined.sum(), hits / sizes[h]
            f = 2 * precision * recall / (precision + recall)
            parts[h] = f, precision, recall
    f, precision, recall = parts.mean(axis=0).tolist()
    return FMeasure(f=f, precision=precision, recall=recall)


def entropy(found: BoolArray, hidden: BoolArray, shared: FloatArray) -> float:
    """Return how mixed found clusters are, from 0 (each of one kind) to 1.

    The kinds are the hidden clusters and, where members belong to none, that. A member
    of several counts for the one that the found cluster has most in common with, if
    that is among them, and in equal parts for each otherwise. Clusters weigh by size.

    Parameters
    ----------
    found : ndarray of bool of shape (k, n)
        Members of found clusters.
    hidden : ndarray of bool of shape (h, n)
        Members of hidden ones.
    shared : ndarray of shape (k, h)
        How many members they share.

    Returns
    -------
    float
        Mean entropy by the largest that so many kinds allow; NaN where nothing was
        found.
    """
    if not found.shape[0]:
        return np.nan
    times = hidden.sum(axis=0)
    kinds = hidden / np.maximum(times, 1)
    if (times == 0).any():
        kinds = np.vstack([kinds, times == 0])
    if kinds.shape[0] < 2:
        return 0.0
    sizes = found.sum(axis=1)
    owner = np.argmax(shared, axis=1)
    others = found & ~hidden[owner]
    counts = others.astype(np.float64) @ kinds.T
    counts[np.arange(owner.size), owner] += sizes - others.sum(axis=1)
    share = counts / sizes[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(share > 0, -share * np.log(share), 0.0)
    mean = float(np.average(terms.sum(axis=1), weights=sizes))
    return mean / float(np.log(kinds.shape[0]))
