r"""Whether the rows of biclusters share what is known of them.

Of N rows, K are annotated with a term; a bicluster of n rows holds x of them. If its
rows had been drawn without regard to annotations,

.. math:: P(X \ge x) = \sum_{i=x}^{\min(n, K)}
          \frac{\binom{K}{i} \binom{N - K}{n - i}}{\binom{N}{n}}.

Every term is tried with every bicluster, and all p-values are adjusted at once.
"""

from __future__ import annotations

import numbers
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from scorecast._core.types import FloatArray, IntArray
from scorecast.biclusters.bicluster_set import BiclusterSet
from scorecast.evaluation import adjust_p_values
from scorecast.exceptions import InvalidInputError, Location

_FEWEST = 2  # rows of a term: one alone shares nothing


@dataclass(frozen=True, kw_only=True)
class Enrichment:
    """A term that is frequent in a bicluster.

    Attributes
    ----------
    bicluster, term : str
        Their names.
    n_shared : int
        Rows of the bicluster with the term.
    n_rows : int
        Rows of the bicluster.
    n_annotated : int
        Rows of the matrix with the term.
    fold : float
        Share of the term in the bicluster by its share in the matrix.
    p_value : float
        Chance of as many or more among rows drawn at random.
    p_adjusted : float
        The same adjusted for all terms and biclusters by Benjamini and Hochberg.
    """

    bicluster: str
    term: str
    n_shared: int
    n_rows: int
    n_annotated: int
    fold: float
    p_value: float
    p_adjusted: float


@dataclass(frozen=True, kw_only=True)
class Enrichments:
    """What is known of rows, beside which biclusters hold them.

    Attributes
    ----------
    n_terms : int
        Terms that were tried: those of two rows or more.
    n_annotated_rows : int
        Rows of the matrix with any of them.
    n_enriched : int
        Biclusters with a term whose adjusted p-value is at most alpha.
    rows : tuple of Enrichment
        Of every bicluster its terms with an adjusted p-value of at most alpha, or the
        one with the smallest; ordered by bicluster and p-value.
    """

    n_terms: int
    n_annotated_rows: int
    n_enriched: int
    rows: tuple[Enrichment, ...]


def find_enrichments(
    found: BiclusterSet,
    annotations: Mapping[str, Iterable[Hashable]],
    *,
    row_names: Sequence[Hashable] | None,
    alpha: float,
) -> Enrichments:
    """Try every term with every bicluster.

    Parameters
    ----------
    found : BiclusterSet
        Biclusters.
    annotations : mapping of str to iterable
        Rows of every term: numbers from zero, or names.
    row_names : sequence or None
        Names of the rows of the matrix, where annotations name them; rows of other
        names are no part of the matrix and left out.
    alpha : float
        Level of what is kept.

    Raises
    ------
    InvalidInputError
        If a row is not in the matrix, or no term has two rows.
    """
    n_rows = found.shape[0]
    members = _members(annotations, row_names, n_rows)
    tried = [(term, rows) for term, rows in members.items() if rows.size >= _FEWEST]
    if not tried:
        problem = "no term has two rows of the matrix: there is nothing to share"
        raise InvalidInputError(problem, parameter="annotations")
    table = np.zeros((len(tried), n_rows))
    for i, (_, rows) in enumerate(tried):
        table[i, rows] = 1
    held = found.rows.astype(np.float64)
    shared = np.rint(held @ table.T).astype(np.int64)
    p_values = enrichment_p_values(
        shared, held.sum(axis=1)[:, None], table.sum(axis=1)[None], n_rows
    )
    adjusted = adjust_p_values(p_values.ravel(), "benjamini-hochberg")
    adjusted = adjusted.reshape(p_values.shape)
    kept = []
    for b, name in enumerate(found.names):
        order = np.lexsort((p_values[b], adjusted[b]))
        n_kept = int((adjusted[b] <= alpha).sum()) or int(shared[b].max() > 0)
        n_held = int(held[b].sum())
        for t in order[:n_kept].tolist():
            term, rows = tried[t]
            kept.append(
                Enrichment(
                    bicluster=name,
                    term=term,
                    n_shared=int(shared[b, t]),
                    n_rows=n_held,
                    n_annotated=rows.size,
                    fold=float(shared[b, t] / n_held / (rows.size / n_rows)),
                    p_value=float(p_values[b, t]),
                    p_adjusted=float(adjusted[b, t]),
                )
            )
    return Enrichments(
        n_terms=len(tried),
        n_annotated_rows=int(table.any(axis=0).sum()),
        n_enriched=int((adjusted.min(axis=1) <= alpha).sum()),
        rows=tuple(kept),
    )


def enrichment_p_values(
    shared: IntArray, n_held: FloatArray, n_annotated: FloatArray, n_rows: int
) -> FloatArray:
    """Return the hypergeometric chance of so many shared rows or more."""
    p: FloatArray = np.ones(shared.shape)
    at = shared > 0
    held, annotated = np.broadcast_arrays(n_held, n_annotated)
    p[at] = scipy.stats.hypergeom.sf(shared[at] - 1, n_rows, annotated[at], held[at])
    return np.clip(p, 0.0, 1.0)


def _members(
    annotations: Mapping[str, Iterable[Hashable]],
    row_names: Sequence[Hashable] | None,
    n_rows: int,
) -> dict[str, IntArray]:
    """Return the rows of every term, each once."""
    if not isinstance(annotations, Mapping):
        problem = f"must map terms to rows; got {type(annotations).__name__}"
        raise InvalidInputError(problem, parameter="annotations")
    known = _row_numbers(row_names, n_rows)
    found: dict[str, IntArray] = {}
    for term, rows in annotations.items():
        if isinstance(rows, str) or not isinstance(rows, Iterable):
            problem = f"{term}: must be a list of rows; got {rows!r}"
            raise InvalidInputError(problem, parameter="annotations")
        if str(term) in found:
            problem = f"two terms are called {str(term)!r}"
            raise InvalidInputError(problem, parameter="annotations")
        if known is None:
            own = [_row_number(row, term, n_rows) for row in rows]
        else:
            own = [known[row] for row in rows if row in known]
        found[str(term)] = np.unique(np.array(own, dtype=np.int64))
    return found


def _row_numbers(
    row_names: Sequence[Hashable] | None, n_rows: int
) -> dict[Hashable, int] | None:
    if row_names is None:
        return None
    names = list(row_names)
    if len(names) != n_rows:
        problem = f"{len(names):,} names for {n_rows:,} rows"
        raise InvalidInputError(problem, parameter="row_names")
    known: dict[Hashable, int] = {}
    for i, name in enumerate(names):
        if known.setdefault(name, i) != i:
            raise InvalidInputError(
                f"two rows are called {name!r}",
                parameter="row_names",
                location=Location(row=i + 1),
                remedy="give every row a name of its own",
            )
    return known


def _row_number(row: Hashable, term: str, n_rows: int) -> int:
    is_whole = isinstance(row, numbers.Integral) and not isinstance(row, bool)
    if isinstance(row, numbers.Integral) and is_whole and 0 <= row < n_rows:
        return int(row)
    raise InvalidInputError(
        f"{term}: {row!r} is no row of the matrix, which are counted from 0 to "
        f"{n_rows - 1}",
        parameter="annotations",
        remedy=None if is_whole else "give the names of the rows as well",
        option=None if is_whole else "row_names",
    )
