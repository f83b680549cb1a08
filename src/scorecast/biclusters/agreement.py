"""Found biclusters against hidden ones: every measure of agreement, and chance.

One matrix product per dimension counts what every found bicluster shares with every
hidden one: a sparse one where biclusters are small parts of the matrix, a dense one
otherwise. All measures are functions of these counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, partial

import numpy as np
import scipy  # its parts load when first used

from scorecast._core.parallel import map_tasks
from scorecast._core.registry import Method, Registry
from scorecast._core.result import SHARE
from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.biclusters.bicluster_set import BiclusterSet

ASSIGNMENTS = ("jaccard", "overlap")

_EXACT_IN_SINGLE = 2**24  # whole numbers beyond are rounded in single precision
_DENSE_ADVANTAGE = 40  # cells a dense product handles while a sparse one handles one
_BLOCK = 2**22  # cells counted at a time


class Axis(StrEnum):
    """What of biclusters is compared."""

    CELLS = "cells"
    ROWS = "rows"
    COLUMNS = "columns"


@dataclass(frozen=True, kw_only=True, eq=False)
class Overlaps:
    """What two sets of biclusters share.

    Attributes
    ----------
    found, hidden : BiclusterSet
        The sets, of one matrix.
    assign_by : {"jaccard", "overlap"}
        What the pairs of the consensus are chosen to make largest: the sum of Jaccard
        indices, as Hochreiter and others do, or of shared cells.
    """

    found: BiclusterSet
    hidden: BiclusterSet
    assign_by: str = "jaccard"

    @cached_property
    def rows(self) -> FloatArray:
        """How many rows every found bicluster shares with every hidden one."""
        return shared_counts(self.found.rows, self.hidden.rows)

    @cached_property
    def columns(self) -> FloatArray:
        """How many columns are shared."""
        return shared_counts(self.found.columns, self.hidden.columns)

    @property
    def cells(self) -> FloatArray:
        """How many cells are shared."""
        return self.rows * self.columns

    @cached_property
    def cell_jaccard(self) -> FloatArray:
        """Shared cells by all cells of both."""
        return _jaccard(self.cells, self.found.areas, self.hidden.areas)

    def jaccard(self, axis: Axis) -> FloatArray:
        """Return what is shared by all of both."""
        if axis is Axis.ROWS:
            return _jaccard(self.rows, self.found.row_sizes, self.hidden.row_sizes)
        if axis is Axis.COLUMNS:
            sizes = self.found.column_sizes, self.hidden.column_sizes
            return _jaccard(self.columns, *sizes)
        return self.cell_jaccard

    def members(self, axis: Axis) -> tuple[BoolArray, BoolArray, FloatArray]:
        """Return rows (or columns) of found and of hidden ones, and shared counts."""
        if axis is Axis.ROWS:
            return self.found.rows, self.hidden.rows, self.rows
        return self.found.columns, self.hidden.columns, self.columns

    @cached_property
    def cell_totals(self) -> tuple[float, float]:
        """Cells of union and intersection, counted as often as biclusters hold them."""
        sets = (self.found, self.hidden)
        n, m = self.found.shape
        step = max(1, _BLOCK // max(m, 1))
        columns = [s.columns.astype(np.float32) for s in sets]
        union = common = 0.0
        for start in range(0, n, step):
            part = slice(start, start + step)
            times = [
                s.rows[:, part].T.astype(np.float32) @ c
                for s, c in zip(sets, columns, strict=True)
            ]
            union += float(np.maximum(*times).sum(dtype=np.float64))
            common += float(np.minimum(*times).sum(dtype=np.float64))
        return union, common

    @cached_property
    def row_f(self) -> tuple[float, float, float]:
        """F-measure, precision and recall of rows."""
        return _f_measure(*self.members(Axis.ROWS))

    @cached_property
    def column_f(self) -> tuple[float, float, float]:
        """F-measure, precision and recall of columns."""
        return _f_measure(*self.members(Axis.COLUMNS))


@dataclass(frozen=True, kw_only=True)
class AgreementMeasure(Method):
    """A measure of agreement between found and hidden biclusters.

    Attributes
    ----------
    evaluate : callable
        From what two sets share to a number.
    axis : Axis
        What of biclusters it looks at.
    greater_is_better : bool
        Which way is better.
    low, high : float
        Its limits.
    is_symmetric : bool
        Whether it stays if found and hidden ones change places.
    is_perfect_at_identity : bool
        Whether the same biclusters always reach its best value; F-measures do not where
        one bicluster lies within another.
    """

    evaluate: Callable[[Overlaps], float]
    axis: Axis = Axis.CELLS
    greater_is_better: bool = True
    low: float = 0.0
    high: float = 1.0
    is_symmetric: bool = False
    is_perfect_at_identity: bool = True


AGREEMENT_MEASURES: Registry[AgreementMeasure] = Registry()


@dataclass(frozen=True, kw_only=True)
class AgreementScore:
    """One measure, beside what random biclusters would reach.

    Attributes
    ----------
    value : float
        Its value; the entropy of nothing is NaN.
    greater_is_better : bool
        Which way is better.
    chance : float
        Mean value of random biclusters of the same sizes; NaN if none were drawn.
    chance_std : float
        Their standard deviation.
    p_value : float
        Share of random sets that are as good, the found one counted.
    """

    value: float
    greater_is_better: bool
    chance: float = math.nan
    chance_std: float = math.nan
    p_value: float = field(default=math.nan, metadata=SHARE)


def measure_agreement(
    found: BiclusterSet, hidden: BiclusterSet, assign_by: str = "jaccard"
) -> dict[str, float]:
    """Compute every measure of `AGREEMENT_MEASURES`."""
    overlaps = Overlaps(found=found, hidden=hidden, assign_by=assign_by)
    return {name: m.evaluate(overlaps) for name, m in AGREEMENT_MEASURES.items()}


def agreement_scores(
    found: BiclusterSet,
    hidden: BiclusterSet,
    *,
    assign_by: str,
    n_random: int,
    rng: np.random.Generator,
    n_jobs: int | None,
) -> dict[str, AgreementScore]:
    """Compute every measure, beside what random biclusters of the same sizes reach."""
    values = measure_agreement(found, hidden, assign_by)
    drawn: Sequence[dict[str, float]] = ()
    if n_random and len(found):
        drawn = map_tasks(
            partial(_measure_random, found, hidden, assign_by),
            range(n_random),
            rng=rng,
            n_jobs=n_jobs,
            what="random biclusters",
        )
    return {
        name: _beside_chance(
            measure, values[name], np.array([row[name] for row in drawn])
        )
        for name, measure in AGREEMENT_MEASURES.items()
    }


def random_like(found: BiclusterSet, rng: np.random.Generator) -> BiclusterSet:
    """Draw biclusters of the same sizes, rows and columns at random."""
    n, m = found.shape
    return BiclusterSet(
        rows=_random_flags(found.row_sizes, n, rng),
        columns=_random_flags(found.column_sizes, m, rng),
        names=found.names,
    )


def shared_counts(first: BoolArray, second: BoolArray) -> FloatArray:
    """Count the common members of every pair of sets, exactly.

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


def _jaccard(shared: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    either: FloatArray = np.add.outer(first, second, dtype=np.float64)
    either -= shared
    return np.divide(shared, either, out=either)


def _random_flags(sizes: IntArray, n: int, rng: np.random.Generator) -> BoolArray:
    flags = np.zeros((sizes.size, n), dtype=bool)
    for line, size in zip(flags, sizes.tolist(), strict=True):
        line[rng.choice(n, size, replace=False, shuffle=False)] = True
    return flags


def _measure_random(
    found: BiclusterSet,
    hidden: BiclusterSet,
    assign_by: str,
    number: int,
    rng: np.random.Generator,
) -> dict[str, float]:
    del number
    return measure_agreement(random_like(found, rng), hidden, assign_by)


def _beside_chance(
    measure: AgreementMeasure, value: float, drawn: FloatArray
) -> AgreementScore:
    better = measure.greater_is_better
    if not drawn.size or math.isnan(value):
        return AgreementScore(value=value, greater_is_better=better)
    sign = 1.0 if better else -1.0
    n_as_good = int((sign * drawn >= sign * value - 1e-12).sum())
    return AgreementScore(
        value=value,
        greater_is_better=better,
        chance=float(drawn.mean()),
        chance_std=float(drawn.std(ddof=1)) if drawn.size > 1 else math.nan,
        p_value=(1 + n_as_good) / (1 + drawn.size),
    )


# Match scores ----------------------------------------------------------------------

_PRELIC = (
    "A. Prelic, S. Bleuler, P. Zimmermann and others (2006). A systematic comparison "
    "and evaluation of biclustering methods for gene expression data. Bioinformatics "
    "22."
)


def _relevance(overlaps: Overlaps, axis: Axis) -> float:
    """Average over found biclusters the best match; 0 where nothing was found."""
    similarity = overlaps.jaccard(axis)
    return float(similarity.max(axis=1).mean()) if similarity.size else 0.0


def _recovery(overlaps: Overlaps, axis: Axis) -> float:
    """Average over hidden biclusters the best match."""
    similarity = overlaps.jaccard(axis).T
    return float(similarity.max(axis=1).mean()) if similarity.size else 0.0


for _axis, _suffix, _looked_at in (
    (Axis.CELLS, "", "cells"),
    (Axis.ROWS, "-rows", "rows"),
    (Axis.COLUMNS, "-columns", "columns"),
):
    AGREEMENT_MEASURES.add(
        AgreementMeasure(
            name=f"relevance{_suffix}",
            title="relevance",
            summary=f"best Jaccard index of found {_looked_at}, MS(B, H)",
            reference=_PRELIC,
            axis=_axis,
            evaluate=partial(_relevance, axis=_axis),
        )
    )
    AGREEMENT_MEASURES.add(
        AgreementMeasure(
            name=f"recovery{_suffix}",
            title="recovery",
            summary=f"best Jaccard index of hidden {_looked_at}, MS(H, B)",
            reference=_PRELIC,
            axis=_axis,
            evaluate=partial(_recovery, axis=_axis),
        )
    )


def _assigned_total(weight: FloatArray, value: FloatArray) -> float:
    """Sum `value` over the one-to-one pairs that have the most `weight` together."""
    if not weight.size:
        return 0.0
    first, second = scipy.optimize.linear_sum_assignment(weight, maximize=True)
    return float(np.sum(value[first, second]))


def _consensus(overlaps: Overlaps) -> float:
    """Sum the best pairs, per bicluster of the larger set."""
    similarity = overlaps.cell_jaccard
    weight = similarity if overlaps.assign_by == "jaccard" else overlaps.cells
    larger = max(similarity.shape)
    return _assigned_total(weight, similarity) / larger if larger else 0.0


AGREEMENT_MEASURES.add(
    AgreementMeasure(
        name="consensus",
        title="consensus",
        summary="mean Jaccard index over one-to-one pairs",
        reference="S. Hochreiter, U. Bodenhofer, M. Heusel and others (2010). FABIA: "
        "factor analysis for bicluster acquisition. Bioinformatics 26.",
        evaluate=_consensus,
        is_symmetric=True,
    )
)


# Errors by cells, for biclusters that may overlap ----------------------------------

_PATRIKAINEN = (
    "A. Patrikainen and M. Meila (2006). Comparing subspace clusterings. IEEE "
    "Transactions on Knowledge and Data Engineering 18."
)


def _rnia(overlaps: Overlaps) -> float:
    """Return the share of the union that is not common."""
    union, common = overlaps.cell_totals
    return (union - common) / union if union else 0.0


def _clustering_error(overlaps: Overlaps) -> float:
    """Return the same if each found bicluster stands for one hidden one only."""
    union, cells = overlaps.cell_totals[0], overlaps.cells
    return (union - _assigned_total(cells, cells)) / union if union else 0.0


AGREEMENT_MEASURES.add(
    AgreementMeasure(
        name="rnia",
        title="relative non-intersecting area",
        summary="share of cells not in common; 0 is best",
        reference=_PATRIKAINEN,
        evaluate=_rnia,
        greater_is_better=False,
        is_symmetric=True,
    )
)
AGREEMENT_MEASURES.add(
    AgreementMeasure(
        name="clustering-error",
        title="clustering error",
        summary="the same over one-to-one pairs; 0 is best",
        reference=_PATRIKAINEN,
        evaluate=_clustering_error,
        greater_is_better=False,
        is_symmetric=True,
    )
)


# Rows or columns alone -------------------------------------------------------------

_ASSENT = (
    "I. Assent, R. Krieger, E. Mueller and T. Seidl (2007). DUSC: dimensionality "
    "unbiased subspace clustering. ICDM."
)
_SEQUEIRA = (
    "K. Sequeira and M. Zaki (2005). SCHISM: a new approach to interesting subspace "
    "mining. International Journal of Business Intelligence and Data Mining 1."
)


def _f_measure(
    found: BoolArray, hidden: BoolArray, shared: FloatArray
) -> tuple[float, float, float]:
    """Return F-measure, precision and recall, each the mean over hidden clusters.

    Every found cluster stands for the hidden one of which it holds the largest share;
    clusters that stand for the same one are joined. Hidden clusters that nothing stands
    for count as 0.
    """
    if not shared.size:
        return 0.0, 0.0, 0.0
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
    return f, precision, recall


def _entropy(found: BoolArray, hidden: BoolArray, shared: FloatArray) -> float:
    """Return how mixed found clusters are, from 0 (each of one kind) to 1.

    The kinds are the hidden clusters and, where members belong to none, that. A member
    of several counts for the one that the found cluster has most in common with, if
    that is among them, and in equal parts for each otherwise. Clusters weigh by size;
    NaN where nothing was found.
    """
    if not found.shape[0]:
        return math.nan
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


def _f_part(overlaps: Overlaps, axis: Axis, place: int) -> float:
    return (overlaps.row_f if axis is Axis.ROWS else overlaps.column_f)[place]


def _entropy_along(overlaps: Overlaps, axis: Axis) -> float:
    return _entropy(*overlaps.members(axis))


for _axis in (Axis.ROWS, Axis.COLUMNS):
    for _place, (_title, _summary) in enumerate(
        (
            ("F-measure", f"harmonic mean of precision and recall of {_axis}"),
            ("precision", f"share of found {_axis} that are right"),
            ("recall", f"share of hidden {_axis} that are found"),
        )
    ):
        AGREEMENT_MEASURES.add(
            AgreementMeasure(
                name=f"{_title.lower().removesuffix('-measure')}-{_axis}",
                title=f"{_title} of {_axis}",
                summary=_summary,
                reference=_ASSENT,
                axis=_axis,
                evaluate=partial(_f_part, axis=_axis, place=_place),
                is_perfect_at_identity=False,
            )
        )
    AGREEMENT_MEASURES.add(
        AgreementMeasure(
            name=f"entropy-{_axis}",
            title=f"entropy of {_axis}",
            summary=f"how mixed found {_axis} are; 0 is best",
            reference=_SEQUEIRA,
            axis=_axis,
            evaluate=partial(_entropy_along, axis=_axis),
            greater_is_better=False,
        )
    )
