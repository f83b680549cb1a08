"""How surprising a bicluster is in a matrix where there are none.

Null model: rows and columns have a location and a scale of their own, and what is left
of the cells is exchangeable. Equal values, as of counts or ratings, are told apart at
random first: the tests need an order, and ties would pass for a pattern.

A search looks at an enormous number of biclusters, so each p-value is multiplied by
their number (the union bound): it holds for whatever a search has picked, and for all
that it has picked at once. All of it is done in logarithms.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import bdtrc, betainc, betaln, gammaln, log_ndtr, ndtri

from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.biclusters.bicluster_set import BiclusterSet
from scorecast.biclusters.merit import mean_squared_residue, residues
from scorecast.evaluation import adjust_p_values

__all__ = [
    "PATTERNS",
    "Significance",
    "null_scores",
    "permuted_p",
    "searched_log_p",
    "significances",
    "ties_broken",
]

_LEAST = 1e-290  # below, a tail is taken from its bound
_FLOOR = -1000.0  # powers of ten below which p-values are not told apart


@dataclass(frozen=True, kw_only=True)
class Significance:
    """How surprising one bicluster is.

    Attributes
    ----------
    pattern : str
        What was tested; with ``"auto"``, what was most surprising.
    log10_p : float
        Logarithm to base 10 of the p-value before adjustment: for this bicluster, had
        it been named beforehand.
    log10_p_adjusted : float
        The same after adjustment for all that a search could have picked, or, for
        biclusters named beforehand, for their number (Holm).
    """

    pattern: str
    log10_p: float
    log10_p_adjusted: float

    @property
    def p(self) -> float:
        """p-value before adjustment; may be too small for a number and then 0."""
        return float(10.0**self.log10_p)

    @property
    def p_adjusted(self) -> float:
        """p-value after adjustment."""
        return float(10.0**self.log10_p_adjusted)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Null:
    """The matrix as the tests see it."""

    scores: FloatArray
    known: BoolArray
    squares: float  # of all residues

    @classmethod
    def of(cls, matrix: FloatArray, rng: np.random.Generator) -> _Null:
        scores = null_scores(ties_broken(matrix, rng))
        holes = np.isnan(scores)
        # Under the null a score is normal whatever the others are: so is a drawn one.
        scores[holes] = rng.standard_normal(int(holes.sum()))
        squares = float((residues(scores) ** 2).sum())
        return cls(scores=scores, known=~holes, squares=squares)


def _mean_test(null: _Null, rows: IntArray, columns: IntArray) -> float:
    """Test a high or low mean, as Shabalin and others (2009) do."""
    cells = np.ix_(rows, columns)
    block = null.scores[cells][null.known[cells]]
    z = abs(float(block.sum())) / np.sqrt(max(block.size, 1))
    return float(np.log(2) + log_ndtr(-z))


def _additive_test(null: _Null, rows: IntArray, columns: IntArray) -> float:
    """Test small residues: their share of all is beta-distributed for normal noise."""
    n, m = null.scores.shape
    block = null.scores[np.ix_(rows, columns)]
    own = (block.shape[0] - 1) * (block.shape[1] - 1)
    rest = (n - 1) * (m - 1) - own
    if own < 1 or rest < 1:
        return 0.0
    squares = float((residues(block) ** 2).sum())
    share = squares / null.squares if null.squares else 1.0
    return _log_beta_tail(own / 2, rest / 2, share)


def _constant_test(null: _Null, rows: IntArray, columns: IntArray) -> float:
    """Test how many rows lie within the range of the bicluster in all its columns."""
    data = null.scores[:, columns]
    own = data[rows]
    inside = (data >= own.min(axis=0)) & (data <= own.max(axis=0))
    chance = float(np.exp(np.log(inside.mean(axis=0)).sum()))
    return _log_chernoff(int(inside.all(axis=1).sum()), data.shape[0], chance)


def _order_test(null: _Null, rows: IntArray, columns: IntArray) -> float:
    """Test how many rows put the columns in one order (Ben-Dor and others, 2002)."""
    data = null.scores[:, columns]
    ranks = np.argsort(np.argsort(data[rows], axis=1), axis=1)
    order = np.argsort(ranks.mean(axis=0), kind="stable")
    agree = int((np.diff(data[:, order], axis=1) > 0).all(axis=1).sum())
    chance = float(np.exp(-gammaln(columns.size + 1)))
    return _log_binomial_tail(agree, data.shape[0], chance)


_TESTS: dict[str, Callable[[_Null, IntArray, IntArray], float]] = {
    "mean": _mean_test,
    "additive": _additive_test,
    "constant": _constant_test,
    "order": _order_test,
}
PATTERNS = ("auto", *_TESTS)


def _log_choices(pattern: str, shape: tuple[int, int], k: int, j: int) -> float:
    """Count, as a logarithm, what a search for a pattern could have picked."""
    n, m = shape
    if pattern in {"mean", "additive"}:
        return float(np.log(n) + np.log(m)) + _log_choose(n, k) + _log_choose(m, j)
    if pattern == "constant":
        ranges = j * float(np.log(n) + np.log(n + 1) - np.log(2))
        return float(np.log(m)) + _log_choose(m, j) + ranges
    return float(np.log(m) + gammaln(m + 1) - gammaln(m - j + 1))


def searched_log_p(
    matrix: FloatArray,
    found: BiclusterSet,
    pattern: str,
    rng: np.random.Generator,
) -> list[tuple[str, float, float]]:
    """Test every bicluster against all that a search could have picked.

    Parameters
    ----------
    matrix : ndarray of shape (n, m)
        The data; values may be missing (NaN), whatever they would be.
    found : BiclusterSet
        Biclusters of it.
    pattern : str
        One of `PATTERNS`.
    rng : numpy.random.Generator
        Tells equal values apart, and draws the scores of missing ones.

    Returns
    -------
    list of tuple
        Pattern, and logarithms of the p-value before and after adjustment.
    """
    null = _Null.of(matrix, rng)
    n, m = matrix.shape
    wanted = tuple(_TESTS) if pattern == "auto" else (pattern,)
    extra = float(np.log(len(wanted)))
    answers = []
    for rows, columns in found.pairs():
        tried = []
        for name in wanted:
            plain = min(0.0, _TESTS[name](null, rows, columns))
            choices = _log_choices(name, (n, m), rows.size, columns.size)
            tried.append((min(0.0, plain + choices + extra), plain, name))
        adjusted, plain, name = min(tried)
        answers.append((name, plain, adjusted))
    return answers


def permuted_p(
    matrix: FloatArray,
    found: BiclusterSet,
    *,
    n_permutations: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Test residues of biclusters named beforehand, with every column shuffled.

    Rows and columns first lose their mean and their spread, before shuffling and after.

    Parameters
    ----------
    matrix : ndarray of shape (n, m)
        The data; values may be missing (NaN).
    found : BiclusterSet
        Biclusters that were not chosen by looking at these data.
    n_permutations : int
        How often columns are shuffled, each by itself.
    rng : numpy.random.Generator
        Where the order comes from.

    Returns
    -------
    ndarray of shape (k,)
        Share of shuffled matrices in which the same cells have residues as small, the
        real one counted: never zero.
    """
    pairs = [np.ix_(rows, columns) for rows, columns in found.pairs()]
    left = _levelled(ties_broken(matrix, rng))
    real = np.array([mean_squared_residue(left[cells]) for cells in pairs])
    as_small = np.ones(len(pairs))
    for _ in range(n_permutations):
        # Levelled again: the real residues, too, are what fitted levels have left.
        shuffled = _levelled(rng.permuted(left, axis=0))
        drawn = np.array([mean_squared_residue(shuffled[cells]) for cells in pairs])
        as_small += drawn <= real * (1 + 1e-12)
    known: FloatArray = np.where(np.isnan(real), np.nan, as_small)
    return known / (1 + n_permutations)


def _levelled(matrix: FloatArray) -> FloatArray:
    """Give columns and rows in turn, twice, mean 0 and spread 1.

    Without it any rows that have a level of their own would look like a bicluster,
    since shuffling takes the level from them. Means are used, not medians: they take
    the same from real and from shuffled data.
    """
    away = matrix
    for axis in (0, 1, 0, 1):
        known = np.isfinite(away)
        n = np.maximum(known.sum(axis=axis, keepdims=True), 1)
        total = np.where(known, away, 0.0).sum(axis=axis, keepdims=True)
        away = away - total / n
        squares = np.where(known, away**2, 0.0).sum(axis=axis, keepdims=True) / n
        away = away / np.where(squares > 0, np.sqrt(squares), 1.0)
    return away


def significances(
    matrix: FloatArray,
    found: BiclusterSet,
    *,
    pattern: str = "auto",
    selected: bool = True,
    n_permutations: int = 199,
    rng: np.random.Generator,
) -> tuple[Significance, ...]:
    """Test every bicluster, adjusted for all that could have been tested.

    Parameters
    ----------
    matrix : ndarray of shape (n, m)
        The data; values may be missing (NaN).
    found : BiclusterSet
        Biclusters of it.
    pattern : str
        One of `PATTERNS`; used if `selected`.
    selected : bool
        Whether the biclusters were found in these very data.
    n_permutations : int
        Shuffles, if not.
    rng : numpy.random.Generator
        For those, and to tell equal values apart.

    Returns
    -------
    tuple of Significance
        One per bicluster.
    """
    if selected:
        rows = searched_log_p(matrix, found, pattern, rng)
    else:
        p = permuted_p(matrix, found, n_permutations=n_permutations, rng=rng)
        pairs = zip(p.tolist(), adjust_p_values(p).tolist(), strict=True)
        rows = [("additive", float(np.log(a)), float(np.log(b))) for a, b in pairs]
    ten = float(np.log(10))
    return tuple(
        Significance(
            pattern=name,
            log10_p=float(np.maximum(p / ten, _FLOOR)),
            log10_p_adjusted=float(np.maximum(q / ten, _FLOOR)),
        )
        for name, p, q in rows
    )


def ties_broken(matrix: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Move equal values at random, up to half-way to the next ones.

    Parameters
    ----------
    matrix : ndarray of shape (n, m)
        The data; values may be missing (NaN).
    rng : numpy.random.Generator
        How far.

    Returns
    -------
    ndarray
        Values in the same order, but none equal; single ones stay.
    """
    known = np.isfinite(matrix)
    if not known.all():
        moved = matrix.copy()
        moved[known] = ties_broken(matrix[known], rng)
        return moved
    values, place, counts = np.unique(matrix, return_inverse=True, return_counts=True)
    if values.size in (0, 1, matrix.size):
        return matrix
    half = np.diff(values) / 2
    tied = counts > 1
    below = np.where(tied, np.concatenate([half[:1], half]), 0.0)
    above = np.where(tied, np.concatenate([half, half[-1:]]), 0.0)
    at = place.reshape(matrix.shape)
    moved = matrix - below[at]
    moved += rng.random(matrix.shape) * (below + above)[at]
    return moved


def null_scores(matrix: FloatArray) -> FloatArray:
    """Take away what single rows and columns explain.

    Columns and rows in turn lose their median and their scale, twice, since each hides
    that of the other; what is left gets the normal quantiles of its ranks, equal values
    those of their mean rank.

    Parameters
    ----------
    matrix : ndarray of shape (n, m)
        The data; values may be missing (NaN).

    Returns
    -------
    ndarray of shape (n, m)
        Independent and about standard normal under the null model; NaN where the
        value is missing.
    """
    away = matrix
    for axis in (0, 1, 0, 1):
        away = _standardised(away, axis)
    return _quantiles(away)


def _standardised(matrix: FloatArray, axis: int) -> FloatArray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a line without any value
        away = matrix - np.nanmedian(matrix, axis=axis, keepdims=True)
        scale = np.nanmedian(np.abs(away), axis=axis, keepdims=True)
        mean = np.nanmean(np.abs(away), axis=axis, keepdims=True)
    # More than half of a line the same: what is left has to do.
    scale = np.where(scale > 0, scale, mean)
    standard: FloatArray = away / np.where(scale > 0, scale, 1.0)
    return standard


def _quantiles(values: FloatArray) -> FloatArray:
    known = np.isfinite(values)
    _, place, counts = np.unique(values[known], return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2
    scores = np.full(values.shape, np.nan)
    scores[known] = ndtri((ranks - 0.5) / place.size)[place]
    return scores


def _log_choose(n: int, k: int) -> float:
    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


def _log_chernoff(hits: int, n: int, chance: float) -> float:
    """Bound the log-probability of so many hits; holds for shuffled columns, too."""
    share = hits / n
    if share <= chance or chance <= 0:
        return 0.0
    missed = (1 - share) * np.log((1 - share) / (1 - chance)) if share < 1 else 0.0
    return -n * float(share * np.log(share / chance) + missed)


def _log_binomial_tail(hits: int, n: int, chance: float) -> float:
    if hits == 0:
        return 0.0
    exact = float(bdtrc(hits - 1, n, chance))
    return float(np.log(exact)) if exact > _LEAST else _log_chernoff(hits, n, chance)


def _log_beta_tail(a: float, b: float, x: float) -> float:
    """Return the log of the lower tail of a beta distribution, or a bound of it."""
    exact = float(betainc(a, b, x))
    if exact > _LEAST:
        return float(np.log(exact))
    if x <= 0:
        return -np.inf
    # The hypergeometric series, bounded by a geometric one.
    ratio = x * (a + b) / (a + 1)
    body = a * np.log(x) + b * np.log1p(-x) - np.log(a) - betaln(a, b)
    return float(body - np.log1p(-ratio)) if ratio < 1 else 0.0
