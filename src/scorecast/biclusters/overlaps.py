"""How many rows, columns and cells every found bicluster shares with every hidden one.

One matrix product per dimension does the work of a double loop over sets: a sparse one
where biclusters are small parts of the matrix, a dense one otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from scorecast._core.types import BoolArray, FloatArray
from scorecast.biclusters.bicluster_set import BiclusterSet

__all__ = ["Overlaps", "shared_counts"]

_EXACT_IN_SINGLE = 2**24  # whole numbers beyond are rounded in single precision
_DENSE_ADVANTAGE = 40  # cells a dense product handles while a sparse one handles one


@dataclass(frozen=True, kw_only=True, eq=False)
class Overlaps:
    """Shared rows and columns of two sets.

    Attributes
    ----------
    rows, columns : ndarray of shape (k_found, k_hidden)
        How many are shared.
    found, hidden : BiclusterSet
        The sets.
    """

    rows: FloatArray
    columns: FloatArray
    found: BiclusterSet
    hidden: BiclusterSet

    @classmethod
    def of(cls, found: BiclusterSet, hidden: BiclusterSet) -> Overlaps:
        """Count what two sets share."""
        return cls(
            rows=shared_counts(found.rows, hidden.rows),
            columns=shared_counts(found.columns, hidden.columns),
            found=found,
            hidden=hidden,
        )

    @property
    def cells(self) -> FloatArray:
        """How many cells are shared."""
        return self.rows * self.columns

    def jaccard(self, on: str) -> FloatArray:
        """Return shared by all of both, of ``"rows"``, ``"columns"`` or ``"cells"``."""
        if on == "rows":
            return _jaccard(self.rows, self.found.row_sizes, self.hidden.row_sizes)
        if on == "columns":
            sizes = self.found.column_sizes, self.hidden.column_sizes
            return _jaccard(self.columns, *sizes)
        return _jaccard(self.cells, self.found.areas, self.hidden.areas)


def _jaccard(shared: FloatArray, first: Any, second: Any) -> FloatArray:
    either: FloatArray = np.add.outer(first, second, dtype=np.float64)
    either -= shared
    return np.divide(shared, either, out=either)


def shared_counts(first: BoolArray, second: BoolArray) -> FloatArray:
    """Count the common members of every pair of sets.

    Parameters
    ----------
    first : ndarray of bool of shape (k1, n)
        Members of each set.
    second : ndarray of bool of shape (k2, n)
        The same of other sets.

    Returns
    -------
    ndarray of shape (k1, k2)
        Exact counts.

    Examples
    --------
    >>> shared_counts(np.eye(3, dtype=bool), np.ones((2, 3), dtype=bool)).tolist()
    [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]
    """
    n = first.shape[1]
    n_first, n_second = np.count_nonzero(first), np.count_nonzero(second)
    # A member of one set meets the sets of the other that hold it: on average
    # n_second / n of them. The dense product meets all of them, n times over.
    sparse_work = n_first * n_second / max(n, 1) * _DENSE_ADVANTAGE
    if sparse_work < first.shape[0] * second.shape[0] * n:
        return _sparse_counts(first, second)
    if n >= _EXACT_IN_SINGLE:
        return first.astype(np.float64) @ second.astype(np.float64).T
    counts = first.astype(np.float32) @ second.astype(np.float32).T
    return counts.astype(np.float64)


def _sparse_counts(first: BoolArray, second: BoolArray) -> FloatArray:
    """Count, member by member, the pairs of sets that hold it."""
    k, n = second.shape
    own_sets, own_members = np.divmod(np.flatnonzero(first), n)
    # Sets of the second kind by member, and where those of each member begin.
    members, sets = np.divmod(np.flatnonzero(second.T), k)
    times = np.bincount(members, minlength=n)
    begins = np.cumsum(times) - times
    met = times[own_members]
    ends = np.cumsum(met)
    within = np.arange(ends[-1] if met.size else 0) - np.repeat(ends - met, met)
    others = sets[np.repeat(begins[own_members], met) + within]
    pairs = np.repeat(own_sets * k, met) + others
    counts = np.bincount(pairs, minlength=first.shape[0] * k)
    return counts.reshape(first.shape[0], k).astype(np.float64)
