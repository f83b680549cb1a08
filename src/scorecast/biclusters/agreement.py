"""Every measure of agreement between found and hidden biclusters, and chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from scorecast._core.parallel import map_tasks
from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.biclusters.bicluster_set import BiclusterSet
from scorecast.biclusters.cell_errors import (
    cell_totals,
    clustering_error,
    non_intersecting_area,
)
from scorecast.biclusters.match_scores import consensus, recovery, relevance
from scorecast.biclusters.one_dimension import entropy, f_measure
from scorecast.biclusters.overlaps import Overlaps

__all__ = ["AGREEMENT", "Agreement", "agreement", "chance_values", "random_like"]

AGREEMENT: dict[str, bool] = {
    "relevance": True,
    "recovery": True,
    "relevance-rows": True,
    "recovery-rows": True,
    "relevance-columns": True,
    "recovery-columns": True,
    "consensus": True,
    "rnia": False,
    "clustering-error": False,
    "f-rows": True,
    "precision-rows": True,
    "recall-rows": True,
    "entropy-rows": False,
    "f-columns": True,
    "precision-columns": True,
    "recall-columns": True,
    "entropy-columns": False,
}
"""Measures of agreement, and whether greater is better; all lie between 0 and 1."""


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """One measure, beside what random biclusters would reach.

    Attributes
    ----------
    measure : str
        One of `AGREEMENT`.
    value : float
        Its value.
    greater_is_better : bool
        Which way is better.
    chance : float
        Mean value of random biclusters of the same sizes; NaN if none were drawn.
    chance_sd : float
        Their standard deviation.
    p : float
        Share of random sets that are as good, the found one counted.
    """

    measure: str
    value: float
    greater_is_better: bool
    chance: float = np.nan
    chance_sd: float = np.nan
    p: float = np.nan


def agreement(
    found: BiclusterSet, hidden: BiclusterSet, assigned_by: str = "jaccard"
) -> dict[str, float]:
    """Compute every measure of `AGREEMENT`.

    Parameters
    ----------
    found, hidden : BiclusterSet
        Two sets of one matrix.
    assigned_by : {"jaccard", "overlap"}, default="jaccard"
        How pairs are chosen for the consensus.

    Returns
    -------
    dict of str to float
        By name; entropy is NaN where nothing was found.

    Examples
    --------
    >>> from scorecast.biclusters import biclusters_from
    >>> one = biclusters_from([([0, 1], [0, 1]), ([2], [2, 3])])
    >>> agreement(one, one)["consensus"]
    1.0
    """
    overlaps = Overlaps.of(found, hidden)
    totals = cell_totals(found, hidden)
    cells = overlaps.jaccard("cells")
    values = {"relevance": relevance(cells), "recovery": recovery(cells)}
    for name in ("rows", "columns"):
        similar = overlaps.jaccard(name)
        values |= {
            f"relevance-{name}": relevance(similar),
            f"recovery-{name}": recovery(similar),
        }
    values |= {
        "consensus": consensus(overlaps, assigned_by),
        "rnia": non_intersecting_area(totals),
        "clustering-error": clustering_error(totals, overlaps),
        **_along("rows", found.rows, hidden.rows, overlaps.rows),
        **_along("columns", found.columns, hidden.columns, overlaps.columns),
    }
    return values


def _along(
    name: str, found: BoolArray, hidden: BoolArray, shared: FloatArray
) -> dict[str, float]:
    parts = f_measure(found, hidden, shared)
    return {
        f"f-{name}": parts.f,
        f"precision-{name}": parts.precision,
        f"recall-{name}": parts.recall,
        f"entropy-{name}": entropy(found, hidden, shared),
    }


def random_like(found: BiclusterSet, rng: np.random.Generator) -> BiclusterSet:
    """Draw biclusters of the same sizes, rows and columns at random."""
    n, m = found.shape
    return BiclusterSet(
        rows=_random_flags(found.row_sizes, n, rng),
        columns=_random_flags(found.column_sizes, m, rng),
        names=found.names,
    )


def _random_flags(sizes: IntArray, n: int, rng: np.random.Generator) -> BoolArray:
    flags = np.zeros((sizes.size, n), dtype=bool)
    for line, size in zip(flags, sizes.tolist(), strict=True):
        line[rng.choice(n, size, replace=False, shuffle=False)] = True
    return flags


def chance_values(
    found: BiclusterSet,
    hidden: BiclusterSet,
    *,
    n_draws: int,
    rng: np.random.Generator,
    assigned_by: str = "jaccard",
    n_jobs: int | None = None,
) -> dict[str, FloatArray]:
    """Score random biclusters of the sizes of the found ones.

    Parameters
    ----------
    found, hidden : BiclusterSet
        Two sets of one matrix.
    n_draws : int
        How many random sets.
    rng : numpy.random.Generator
        Parent of one stream per draw.
    assigned_by : {"jaccard", "overlap"}, default="jaccard"
        How pairs are chosen for the consensus.
    n_jobs : int, optional
        Number of workers.

    Returns
    -------
    dict of str to ndarray of shape (n_draws,)
        Values of every measure.
    """
    draw = partial(_one_random, found, hidden, assigned_by)
    rows: Sequence[dict[str, float]] = map_tasks(
        draw, range(n_draws), rng=rng, n_jobs=n_jobs, what="random biclusters"
    )
    return {name: np.array([row[name] for row in rows]) for name in AGREEMENT}


def _one_random(
    found: BiclusterSet,
    hidden: BiclusterSet,
    assigned_by: str,
    number: int,
    rng: np.random.Generator,
) -> dict[str, float]:
    del number
    return agreement(random_like(found, rng), hidden, assigned_by)
