"""`score_biclusters`: found biclusters against a truth, in themselves, by chance."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import (
    check_count,
    check_flag,
    check_n_jobs,
    check_one_of,
    check_share,
    check_times,
)
from scorecast._core.keywords import checked_keywords
from scorecast._core.result import INPUT, NEW, OPTION, SHARE, Note, Result
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import BoolArray, FloatArray, IntArray, RandomState
from scorecast.biclusters.agreement import (
    ASSIGNMENTS,
    AgreementScore,
    Overlaps,
    agreement_scores,
)
from scorecast.biclusters.bicluster_set import (
    BiclusterSet,
    as_bicluster_set,
    sets_of_one_matrix,
)
from scorecast.biclusters.coherence import measure_coherence
from scorecast.biclusters.enrichment import Enrichments, find_enrichments
from scorecast.biclusters.significance import (
    AUTO,
    PATTERNS,
    Significance,
    significances,
)
from scorecast.exceptions import (
    InsufficientDataError,
    InvalidInputError,
    Location,
    UsageError,
)

_NAN_POLICIES = ("raise", "omit")
_MOST_ROWS, _MOST_COLUMNS, _MOST_SHOWN = 64, 48, 6  # of a figure
_CLIP = 3.0
_TO_NORMAL = 1.4826  # median distance to standard deviation, of normal values


class ScoringNote(StrEnum):
    """Codes of what the reader of scores must know."""

    NOTHING_FOUND = "nothing-found"
    REPEATED_FOUND = "repeated-found"
    REPEATED_HIDDEN = "repeated-hidden"
    MISSING_LEFT_OUT = "missing-left-out"


@dataclass(frozen=True, kw_only=True)
class BiclusterRow:
    """One found bicluster.

    Attributes
    ----------
    name : str
        What it is called.
    n_rows, n_columns : int
        Its size.
    match : str
        Name of the hidden bicluster that is most similar; empty without a truth, or
        where it shares nothing.
    match_score : float
        Jaccard index of their cells.
    coherence : dict of str to float
        Measures of `COHERENCE_MEASURES`; empty without data.
    significance : Significance or None
        How surprising it is; None without data.
    """

    name: str
    n_rows: int
    n_columns: int
    match: str = ""
    match_score: float = math.nan
    coherence: dict[str, float] = field(default_factory=dict)
    significance: Significance | None = None


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


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BiclusterScores(Result):
    """How good a set of biclusters is.

    Attributes
    ----------
    n_rows, n_columns : int
        Size of the matrix.
    n_found : int
        Number of found biclusters.
    n_hidden : int or None
        Number of hidden ones; None without a truth.
    has_data : bool
        Whether the matrix itself was given.
    n_missing : int
        Its missing values.
    has_ties : bool
        Whether some of its values are equal.
    alpha : float
        Level below which a bicluster is called significant.
    seed : int or None
        The random state, where it was a number.
    pattern, is_found_in_data, n_permutations, n_random, assign_by, nan_policy
        As `score_biclusters` was told.
    agreement : dict of str to AgreementScore
        Measures of `AGREEMENT_MEASURES` against the hidden ones; empty without a truth.
    biclusters : tuple of BiclusterRow
        One per found bicluster.
    n_significant : int or None
        How many are significant after adjustment; None if none was tested.
    heat_map : HeatMap or None
        Part of the matrix, for a figure.
    enrichments : Enrichments or None
        What the rows of biclusters share; None without annotations.
    notes : tuple of Note
        Codes of `ScoringNote`.
    """

    kind: ClassVar[str] = "bicluster-scores"

    n_rows: int = field(metadata=INPUT)
    n_columns: int = field(metadata=INPUT)
    n_found: int = field(metadata=INPUT)
    n_hidden: int | None = field(metadata=INPUT)
    has_data: bool = field(metadata=INPUT)
    n_missing: int = field(metadata=INPUT)
    has_ties: bool = field(metadata=INPUT)
    alpha: float = field(metadata=OPTION | SHARE)
    seed: int | None = field(metadata=OPTION)
    pattern: str = field(metadata=OPTION)
    is_found_in_data: bool = field(metadata=OPTION)
    n_permutations: int = field(metadata=OPTION)
    n_random: int = field(metadata=OPTION)
    assign_by: str = field(metadata=OPTION)
    nan_policy: str = field(metadata=OPTION)
    agreement: dict[str, AgreementScore]
    biclusters: tuple[BiclusterRow, ...]
    n_significant: int | None
    heat_map: HeatMap | None
    notes: tuple[Note, ...]
    enrichments: Enrichments | None = field(default=None, metadata=NEW)

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per found bicluster."""
        columns: dict[str, list[Any]] = {}
        for row in self.biclusters:
            tested = row.significance
            facts = {
                "name": row.name,
                "n_rows": row.n_rows,
                "n_columns": row.n_columns,
                "match": row.match,
                "match_score": row.match_score,
                **{key.replace("-", "_"): x for key, x in row.coherence.items()},
                "pattern": "" if tested is None else tested.pattern,
                "log10_p": math.nan if tested is None else tested.log10_p,
                "log10_p_adjusted": math.nan
                if tested is None
                else tested.log10_p_adjusted,
            }
            for key, value in facts.items():
                columns.setdefault(key, []).append(value)
        return columns


@checked_keywords
def score_biclusters(
    found: Any,
    *,
    truth: Any = None,
    data: ArrayLike | None = None,
    shape: tuple[int, int] | None = None,
    annotations: Mapping[str, Iterable[Hashable]] | None = None,
    row_names: Sequence[Hashable] | None = None,
    pattern: str = AUTO,
    is_found_in_data: bool = True,
    assign_by: str = "jaccard",
    nan_policy: str = "raise",
    alpha: float = 0.05,
    n_random: int = 100,
    n_permutations: int = 199,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> BiclusterScores:
    r"""Say how good biclusters are: against hidden ones, in themselves, by chance.

    With :math:`J(b, h)` the cells that two biclusters share by all cells of both, the
    recovery of hidden biclusters :math:`H` by found ones :math:`B` is [1]_

    .. math:: \mathrm{MS}(H, B) = \frac{1}{|H|} \sum_{h \in H} \max_{b \in B} J(b, h),

    relevance is :math:`\mathrm{MS}(B, H)`, and the consensus [2]_ the sum of
    :math:`J` over the best one-to-one pairs by the size of the larger set. A p-value
    of a bicluster that a search has picked is multiplied by the number of all that it
    could have picked.

    Parameters
    ----------
    found : object, mapping or sequence
        Found biclusters: see `as_bicluster_set`.
    truth : object, mapping or sequence, optional
        Hidden biclusters, in any of the same forms.
    data : array-like of shape (n_rows, n_columns), optional
        The matrix they were found in; needed for coherence and significance.
    shape : tuple of int, optional
        Size of the matrix, where the data are not given.
    annotations : mapping of str to iterable, optional
        What is known of rows, such as pathways of genes: the rows of every term, by
        number from zero or by name. Terms that a bicluster holds more often than rows
        drawn at random would are its enrichments (hypergeometric, adjusted for all
        terms and biclusters after Benjamini and Hochberg).
    row_names : sequence, optional
        Names of the rows of the matrix, where `annotations` name them.
    pattern : str, default="auto"
        What may be surprising about a bicluster, one of `PATTERNS`; or whichever is
        most surprising.
    is_found_in_data : bool, default=True
        Whether the biclusters were found in these very data. If they were named
        beforehand, say so: a sharper test by shuffling is then allowed.
    assign_by : {"jaccard", "overlap"}, default="jaccard"
        How the consensus pairs biclusters.
    nan_policy : {"raise", "omit"}, default="raise"
        What to do with NaN in the data: refuse it, or leave it out of means.
    alpha : float, default=0.05
        Level below which a bicluster is called significant.
    n_random : int, default=100
        Random sets to draw for the chance level of agreement; 0 leaves it out.
    n_permutations : int, default=199
        Shuffles of the test of biclusters named beforehand.
    random_state : int, Generator or None, default=0
        Seed of everything random.
    n_jobs : int, optional
        Number of workers; the answer does not depend on it.

    Returns
    -------
    BiclusterScores
        Agreement with the truth, and coherence and significance of every bicluster.

    Raises
    ------
    UsageError
        If none of `truth`, `data` and `annotations` is given.
    InsufficientDataError
        If there is nothing to score.

    References
    ----------
    .. [1] A. Prelic, S. Bleuler, P. Zimmermann and others (2006). A systematic
       comparison and evaluation of biclustering methods for gene expression data.
       Bioinformatics 22.
    .. [2] S. Hochreiter, U. Bodenhofer, M. Heusel and others (2010). FABIA: factor
       analysis for bicluster acquisition. Bioinformatics 26.

    Examples
    --------
    >>> hidden = [([0, 1, 2], [0, 1]), ([3, 4], [2, 3])]
    >>> answer = score_biclusters(hidden, truth=hidden, shape=(9, 6), n_random=0)
    >>> answer.agreement["consensus"].value
    1.0
    """
    check_one_of(nan_policy, "nan_policy", _NAN_POLICIES)
    check_one_of(pattern, "pattern", (AUTO, *PATTERNS))
    check_one_of(assign_by, "assign_by", ASSIGNMENTS)
    alpha = check_share(alpha, "alpha", is_open=True)
    n_permutations = check_times(n_permutations, "n_permutations")
    n_random = check_count(n_random, "n_random", least=0)
    is_found_in_data = check_flag(is_found_in_data, "is_found_in_data")
    check_n_jobs(n_jobs)
    if truth is None and data is None and annotations is None:
        raise UsageError(
            "there is nothing to compare with",
            parameter="found",
            remedy="give a truth, the data, or annotations",
        )
    if row_names is not None and annotations is None:
        problem = "say which rows annotations mean, and there are none"
        raise UsageError(problem, parameter="row_names", remedy="leave them out")
    matrix = None if data is None else check_data(data, nan_policy)
    size = shape if matrix is None else matrix.shape
    own, hidden = _make_sets(found, truth, size)

    for_chance, for_tests = as_generator(random_state).spawn(2)
    agreement: dict[str, AgreementScore] = {}
    if hidden is not None:
        agreement = agreement_scores(
            own,
            hidden,
            assign_by=assign_by,
            n_random=n_random,
            rng=for_chance,
            n_jobs=n_jobs,
        )
    tested: tuple[Significance, ...] = ()
    if matrix is not None and len(own):
        tested = significances(
            matrix,
            own,
            pattern=pattern,
            is_found_in_data=is_found_in_data,
            n_permutations=n_permutations,
            rng=for_tests,
        )
    n_missing = 0 if matrix is None else int(np.isnan(matrix).sum())
    n_cells = own.shape[0] * own.shape[1]
    logs = np.array([x.log10_p_adjusted for x in tested])
    shared = None
    if annotations is not None and len(own):
        shared = find_enrichments(own, annotations, row_names=row_names, alpha=alpha)
    picture = None
    if matrix is not None and len(own):
        picture = choose_heat_map(matrix, own, np.argsort(logs, kind="stable"))
    return BiclusterScores(
        n_rows=own.shape[0],
        n_columns=own.shape[1],
        n_found=len(own),
        n_hidden=None if hidden is None else len(hidden),
        has_data=matrix is not None,
        n_missing=n_missing,
        has_ties=matrix is not None and _has_ties(matrix),
        alpha=alpha,
        seed=seed_number(random_state),
        pattern=pattern,
        is_found_in_data=is_found_in_data,
        n_permutations=n_permutations,
        n_random=n_random,
        assign_by=assign_by,
        nan_policy=nan_policy,
        agreement=agreement,
        biclusters=_make_rows(own, hidden, matrix, tested),
        n_significant=_count_significant(logs, alpha),
        heat_map=picture,
        notes=_make_notes(own, hidden, n_missing, n_cells),
        enrichments=shared,
    )


def check_data(data: ArrayLike, nan_policy: str = "raise") -> FloatArray:
    """Return a matrix of floats, with NaN only where that is allowed."""
    matrix = np.asarray(data)
    if matrix.ndim != 2 or matrix.size == 0 or matrix.dtype.kind not in "fiub":
        problem = "must be a matrix of numbers, rows x columns; got shape "
        raise InvalidInputError(
            f"{problem}{matrix.shape} of {matrix.dtype}", parameter="data"
        )
    values: FloatArray = matrix.astype(np.float64)
    is_bad = np.isinf(values) if nan_policy == "omit" else ~np.isfinite(values)
    if is_bad.any():
        row, column = (int(i) for i in np.argwhere(is_bad)[0])
        may_omit = nan_policy == "raise" and not np.isinf(values).any()
        raise InvalidInputError(
            f"{int(is_bad.sum())} value(s) are not finite; the first is "
            f"{values[row, column]}",
            parameter="data",
            location=Location(row=row + 1, column=str(column + 1)),
            remedy="repair them, or have missing ones left out"
            if may_omit
            else "repair them",
        )
    return values


def _make_sets(
    found: Any, truth: Any, shape: tuple[int, ...] | None
) -> tuple[BiclusterSet, BiclusterSet | None]:
    size = None if shape is None else (int(shape[0]), int(shape[1]))
    if truth is None:
        own = as_bicluster_set(found, shape=size)
        if not len(own):
            problem = "no biclusters were found, and there is no truth to compare with"
            raise InsufficientDataError(problem, parameter="found")
        return own, None
    own, hidden = sets_of_one_matrix(found, truth, size)
    if not len(hidden):
        problem = "holds no biclusters: there is nothing to compare with"
        raise InsufficientDataError(problem, parameter="truth")
    return own, hidden


def _make_rows(
    found: BiclusterSet,
    hidden: BiclusterSet | None,
    matrix: FloatArray | None,
    tested: tuple[Significance, ...],
) -> tuple[BiclusterRow, ...]:
    similar = None
    if hidden is not None and len(found):
        similar = Overlaps(found=found, hidden=hidden).cell_jaccard
    rows = []
    for i, (own_rows, own_columns) in enumerate(found.pairs()):
        match, score, coherence = "", math.nan, {}
        if hidden is not None and similar is not None:
            score = float(similar[i].max())
            match = hidden.names[int(similar[i].argmax())] if score > 0 else ""
        if matrix is not None:
            coherence = measure_coherence(matrix[np.ix_(own_rows, own_columns)])
        rows.append(
            BiclusterRow(
                name=found.names[i],
                n_rows=own_rows.size,
                n_columns=own_columns.size,
                match=match,
                match_score=score,
                coherence=coherence,
                significance=tested[i] if tested else None,
            )
        )
    return tuple(rows)


def _count_significant(log10_p: FloatArray, alpha: float) -> int | None:
    if not np.isfinite(log10_p).any():
        return None
    return int((log10_p <= math.log10(alpha)).sum())


def _make_notes(
    found: BiclusterSet, hidden: BiclusterSet | None, n_missing: int, n_cells: int
) -> tuple[Note, ...]:
    notes = []
    if not len(found):
        notes.append(Note(code=ScoringNote.NOTHING_FOUND))
    for code, own in (
        (ScoringNote.REPEATED_FOUND, found),
        (ScoringNote.REPEATED_HIDDEN, hidden),
    ):
        if own is not None and own.n_repeated:
            notes.append(Note(code=code, count=own.n_repeated, total=len(own)))
    if n_missing and len(found):
        code = ScoringNote.MISSING_LEFT_OUT
        notes.append(Note(code=code, count=n_missing, total=n_cells))
    return tuple(notes)


def _has_ties(matrix: FloatArray) -> bool:
    known = matrix[np.isfinite(matrix)]
    return np.unique(known).size < known.size


# What to show of a matrix ----------------------------------------------------------


def choose_heat_map(
    matrix: FloatArray, found: BiclusterSet, order: IntArray | None = None
) -> HeatMap:
    """Choose at most 64 rows, 48 columns and 6 biclusters, the first of `order`.

    Each bicluster keeps its share.
    """
    shown = (np.arange(len(found)) if order is None else order)[:_MOST_SHOWN]
    rows = _choose_members(found.rows[shown], _MOST_ROWS)
    columns = _choose_members(found.columns[shown], _MOST_COLUMNS)
    picture = _deviations(matrix, columns)[rows]
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


def _choose_members(flags: BoolArray, most: int) -> IntArray:
    """Order members by the biclusters that hold them, and thin every such group."""
    n = flags.shape[1]
    # Members of the first bicluster come first, of none last.
    keys = tuple(~flags[::-1]) if flags.shape[0] else (np.zeros(n),)
    order = np.lexsort(keys)
    if n <= most:
        return order.astype(np.int64)
    ordered = flags[:, order]
    is_change = (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)
    groups = np.split(order, np.flatnonzero(is_change) + 1)
    inside = [g for g in groups if flags[:, g[0]].any()]
    outside = [g for g in groups if not flags[:, g[0]].any()]
    # What surrounds biclusters takes a third; they share the rest by size.
    room = most - (most // 3 if outside else 0)
    total = sum(g.size for g in inside) or 1
    kept = [_thin(g, max(1, round(room * g.size / total))) for g in inside]
    kept += [_thin(g, most // 3) for g in outside]
    return np.concatenate(kept)[:most].astype(np.int64)


def _thin(members: IntArray, most: int) -> IntArray:
    if members.size <= most:
        return members
    places = np.linspace(0, members.size - 1, most).round().astype(int)
    return np.asarray(members[places])


def _deviations(matrix: FloatArray, columns: IntArray) -> FloatArray:
    """Return deviations from the median of each column, by its robust spread."""
    part = matrix[:, columns]
    known = np.where(np.isfinite(part), part, np.nan)
    has_some = np.isfinite(known).any(axis=0)
    centre, spread = np.zeros(columns.size), np.ones(columns.size)
    centre[has_some] = np.nanmedian(known[:, has_some], axis=0)
    away = np.abs(known - centre)
    spread[has_some] = _TO_NORMAL * np.nanmedian(away[:, has_some], axis=0)
    wide = np.nan_to_num(away).max(axis=0)
    spread = np.where(spread > 0, spread, np.where(wide > 0, wide, 1.0))
    return np.clip((known - centre) / spread, -_CLIP, _CLIP)
