"""From found biclusters to how good they are."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import check_choice, check_level, check_n_jobs
from scorecast._core.keywords import checked_keywords
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, RandomState
from scorecast.biclusters.adapters import biclusters_from, matched_sets
from scorecast.biclusters.agreement import (
    AGREEMENT,
    Agreement,
    agreement,
    chance_values,
)
from scorecast.biclusters.bicluster_scores import BiclusterRow, BiclusterScores
from scorecast.biclusters.bicluster_set import BiclusterSet
from scorecast.biclusters.heat_map import heat_map
from scorecast.biclusters.merit import merit
from scorecast.biclusters.overlaps import Overlaps
from scorecast.biclusters.significance import PATTERNS, Significance, significances
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError

__all__ = ["check_data", "score_biclusters"]

_MISSING = ("refuse", "omit")
_ASSIGNED = ("jaccard", "overlap")
_NULL = (
    "null model: rows and columns have a location and a scale of their own, and what "
    "is left of cells is exchangeable"
)
_TIED = (
    "equal values are told apart at random before the test; a pattern that only ties "
    "would show is not seen"
)
_SEARCHED = (
    "p-values are adjusted for every bicluster that a search could have picked, so "
    "they hold for found ones"
)
_NAMED = (
    "p-values are of biclusters that were not chosen by looking at these data: values, "
    "freed of the level and the spread of their row and column, are shuffled within "
    "columns; adjusted by Holm"
)
_CHANCE = "chance: biclusters of the same sizes, rows and columns drawn at random"


@checked_keywords
def score_biclusters(
    found: Any,
    *,
    truth: Any = None,
    data: ArrayLike | None = None,
    shape: tuple[int, int] | None = None,
    missing: str = "refuse",
    pattern: str = "auto",
    selected: bool = True,
    n_permutations: int = 199,
    n_random: int = 100,
    assigned_by: str = "jaccard",
    alpha: float = 0.05,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> BiclusterScores:
    """Say how good biclusters are: against hidden ones, in themselves, by chance.

    Parameters
    ----------
    found : object, mapping or sequence
        Found biclusters: see `biclusters_from`.
    truth : object, mapping or sequence, optional
        Hidden biclusters, in any of the same forms.
    data : array-like of shape (n_rows, n_columns), optional
        The matrix they were found in; needed for merit and significance.
    shape : tuple of int, optional
        Size of the matrix, where the data are not given.
    missing : {"refuse", "omit"}, default="refuse"
        What to do with NaN in the data: refuse it, or leave it out of means.
    pattern : {"auto", "mean", "additive", "constant", "order"}, default="auto"
        What may be surprising about a bicluster: a high or low mean, small residues,
        a narrow range in every column, one order of columns; or whichever is most
        surprising.
    selected : bool, default=True
        Whether the biclusters were found in these very data. If they were named
        beforehand, say so: a sharper test by shuffling is then allowed.
    n_permutations : int, default=199
        Shuffles of that test.
    n_random : int, default=100
        Random sets to draw for the chance level of agreement; 0 leaves it out.
    assigned_by : {"jaccard", "overlap"}, default="jaccard"
        How the consensus pairs biclusters.
    alpha : float, default=0.05
        Level below which a bicluster is called significant.
    random_state : int, Generator or None, default=0
        Seed of everything random.
    n_jobs : int, optional
        Number of workers; the answer does not depend on it.

    Returns
    -------
    BiclusterScores
        Agreement with the truth, and merit and significance of every bicluster.

    Raises
    ------
    UsageError
        If neither `truth` nor `data` is given.
    InsufficientDataError
        If there is nothing to score.

    Examples
    --------
    >>> hidden = [([0, 1, 2], [0, 1]), ([3, 4], [2, 3])]
    >>> answer = score_biclusters(hidden, truth=hidden, shape=(9, 6), n_random=0)
    >>> answer.value("consensus")
    1.0
    """
    check_choice(missing, "missing", _MISSING)
    check_choice(pattern, "pattern", PATTERNS)
    check_choice(assigned_by, "assigned_by", _ASSIGNED)
    alpha = check_level(alpha, "alpha")
    n_permutations = _check_count(n_permutations, "n_permutations", 1)
    n_random = _check_count(n_random, "n_random", 0)
    check_n_jobs(n_jobs)
    if truth is None and data is None:
        msg = "Give `truth`, `data`, or both: without them there is nothing to compare."
        raise UsageError(msg)
    matrix = None if data is None else check_data(data, missing)
    own, hidden = _sets(found, truth, shape if matrix is None else matrix.shape)
    rng = as_generator(random_state)
    for_chance, for_tests = rng.spawn(2)
    rows: tuple[Agreement, ...] = ()
    if hidden is not None:
        rows = _agreement(own, hidden, n_random, assigned_by, for_chance, n_jobs)
    tested: tuple[Significance, ...] = ()
    notes = _cautions(own, hidden)
    n_missing = 0 if matrix is None else int(np.isnan(matrix).sum())
    if matrix is not None and len(own):
        if n_missing:
            notes = (*notes, _missing_said(n_missing, matrix.size, selected))
        tested = significances(
            matrix, own, pattern=pattern, selected=selected,
            n_permutations=n_permutations, rng=for_tests,
        )  # fmt: skip
    return _wrapped(
        own, hidden, matrix, rows, tested, notes,
        alpha=alpha, seed=seed_number(random_state), selected=selected,
        n_random=n_random, assigned_by=assigned_by, missing=missing, pattern=pattern,
        n_permutations=n_permutations,
    )  # fmt: skip


def check_data(data: ArrayLike, missing: str = "refuse") -> FloatArray:
    """Return a matrix of floats, with NaN only where that is allowed.

    Parameters
    ----------
    data : array-like of shape (n, m)
        What the caller gave.
    missing : {"refuse", "omit"}, default="refuse"
        Whether values may be missing.

    Returns
    -------
    ndarray of float64
        The same numbers.

    Raises
    ------
    InvalidInputError
        If it is no matrix of numbers, or holds infinities, or NaN against the rule.
    """
    matrix = np.asarray(data)
    if matrix.ndim != 2 or matrix.size == 0 or matrix.dtype.kind not in "fiub":
        msg = (
            "data must be a matrix of numbers, rows x columns; got shape "
            f"{matrix.shape} of {matrix.dtype}."
        )
        raise InvalidInputError(msg)
    values: FloatArray = matrix.astype(np.float64)
    bad = np.isinf(values) if missing == "omit" else ~np.isfinite(values)
    if bad.any():
        row, column = (int(i) for i in np.argwhere(bad)[0])
        hint = "" if missing == "omit" else ' or leave them out with missing="omit"'
        msg = (
            f"data has {int(bad.sum())} value(s) that are not finite; the first is "
            f"{values[row, column]} at row {row + 1}, column {column + 1}. Repair "
            f"them{hint}."
        )
        raise InvalidInputError(msg)
    return values


def _check_count(value: int, name: str, least: int) -> int:
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if whole and value >= least:
        return int(value)
    msg = f"`{name}` must be a whole number from {least}; got {value!r}."
    raise UsageError(msg)


def _sets(
    found: Any, truth: Any, shape: Any
) -> tuple[BiclusterSet, BiclusterSet | None]:
    size = None if shape is None else (int(shape[0]), int(shape[1]))
    if truth is None:
        own, hidden = biclusters_from(found, shape=size), None
        if not len(own):
            msg = "No biclusters were found, and there is no truth to compare with."
            raise InsufficientDataError(msg)
        return own, hidden
    own, hidden = matched_sets(found, truth, size)
    if not len(hidden):
        msg = "The truth holds no biclusters: there is nothing to compare with."
        raise InsufficientDataError(msg)
    return own, hidden


def _agreement(
    found: BiclusterSet,
    hidden: BiclusterSet,
    n_random: int,
    assigned_by: str,
    rng: np.random.Generator,
    n_jobs: int | None,
) -> tuple[Agreement, ...]:
    values = agreement(found, hidden, assigned_by)
    drawn: dict[str, FloatArray] = {}
    if n_random and len(found):
        drawn = chance_values(
            found, hidden, n_draws=n_random, rng=rng, assigned_by=assigned_by,
            n_jobs=n_jobs,
        )  # fmt: skip
    return tuple(
        _beside_chance(name, values[name], better, drawn.get(name))
        for name, better in AGREEMENT.items()
    )


def _beside_chance(
    name: str, value: float, greater_is_better: bool, drawn: FloatArray | None
) -> Agreement:
    if drawn is None or math.isnan(value):
        return Agreement(measure=name, value=value, greater_is_better=greater_is_better)
    sign = 1.0 if greater_is_better else -1.0
    as_good = int((sign * drawn >= sign * value - 1e-12).sum())
    return Agreement(
        measure=name,
        value=value,
        greater_is_better=greater_is_better,
        chance=float(drawn.mean()),
        chance_sd=float(drawn.std(ddof=1)) if drawn.size > 1 else math.nan,
        p=(1 + as_good) / (1 + drawn.size),
    )


def _cautions(found: BiclusterSet, hidden: BiclusterSet | None) -> tuple[str, ...]:
    lines = []
    if not len(found):
        lines.append("Nothing was found: every match counts as 0.")
    for name, own in (("found", found), ("hidden", hidden)):
        if own is not None and own.n_repeated:
            lines.append(
                f"{own.n_repeated} of the {name} biclusters repeat another one and "
                "count again."
            )
    return tuple(lines)


def _wrapped(
    found: BiclusterSet,
    hidden: BiclusterSet | None,
    matrix: FloatArray | None,
    rows: tuple[Agreement, ...],
    tested: tuple[Significance, ...],
    notes: tuple[str, ...],
    *,
    alpha: float,
    seed: int | None,
    **options: Any,
) -> BiclusterScores:
    biclusters = _bicluster_rows(found, hidden, matrix, tested)
    order = np.argsort([x.log10_p_adjusted for x in tested], kind="stable")
    picture = None
    if matrix is not None and len(found):
        picture = heat_map(matrix, found, order if tested else None)
    assumes = [_CHANCE] if rows and options["n_random"] else []
    if tested:
        assumes += [_NULL, _SEARCHED] if options["selected"] else [_NAMED]
        if options["selected"] and _has_ties(matrix):
            assumes.append(_TIED)
    return BiclusterScores(
        biclusters=biclusters,
        agreement=rows,
        n_hidden=None if hidden is None else len(hidden),
        n_rows=found.shape[0],
        n_columns=found.shape[1],
        has_data=matrix is not None,
        alpha=alpha,
        seed=seed,
        picture=picture,
        options=options,
        assumptions=tuple(assumes),
        warnings=notes,
    )


def _missing_said(n: int, size: int, selected: bool) -> str:
    are = "is" if n == 1 else "are"
    said = f"{n:,} of {size:,} values {are} missing (NaN) and left out of means"
    if selected:
        # Drawn, a cell of a bicluster is noise: it can only hide a pattern.
        said += "; tests take noise in their place"
    return f"{said}."


def _has_ties(matrix: FloatArray | None) -> bool:
    if matrix is None:
        return False
    known = matrix[np.isfinite(matrix)]
    return np.unique(known).size < known.size


def _bicluster_rows(
    found: BiclusterSet,
    hidden: BiclusterSet | None,
    matrix: FloatArray | None,
    tested: tuple[Significance, ...],
) -> tuple[BiclusterRow, ...]:
    facts: list[dict[str, Any]] = [{} for _ in range(len(found))]
    if hidden is not None and len(found):
        similar = Overlaps.of(found, hidden).jaccard("cells")
        for fact, line in zip(facts, similar, strict=True):
            fact["match"] = hidden.names[int(line.argmax())] if line.max() > 0 else ""
            fact["match_score"] = float(line.max())
    if matrix is not None:
        for fact, (own_rows, own_columns) in zip(facts, found.pairs(), strict=True):
            values = merit(matrix[np.ix_(own_rows, own_columns)])
            fact |= {name.replace("-", "_"): value for name, value in values.items()}
    for fact, test in zip(facts, tested, strict=False):
        fact |= {
            "pattern": test.pattern,
            "log10_p": test.log10_p,
            "log10_p_adjusted": test.log10_p_adjusted,
        }
    sizes = zip(found.row_sizes.tolist(), found.column_sizes.tolist(), strict=True)
    return tuple(
        BiclusterRow(name=name, n_rows=n, n_columns=m, **fact)
        for name, (n, m), fact in zip(found.names, sizes, facts, strict=True)
    )
