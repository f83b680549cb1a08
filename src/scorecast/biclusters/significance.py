"""How surprising a bicluster is in a matrix where there are none.

Null model: rows and columns have a location and a scale of their own, and what is left
of the cells is exchangeable. Equal values, as of counts or ratings, are told apart at
random first: the tests need an order, and ties would pass for a pattern.

A search looks at an enormous number of biclusters, so each p-value is multiplied by
their number (the union bound): it holds for whatever a search has picked, and for all
that it has picked at once. All of it is done in logarithms.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy  # its parts load when first used

from scorecast._core.registry import Method, Registry
from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.biclusters.bicluster_set import BiclusterSet
from scorecast.biclusters.coherence import mean_squared_residue, residues
from scorecast.evaluation import adjust_p_values

AUTO = "auto"

_LEAST = 1e-290  # below, a tail is taken from its bound
_FLOOR = -1000.0  # powers of ten below which p-values are not told apart
_NULL_MODEL = (
    "null model: rows and columns have a location and a scale of their own, and what "
    "is left of cells is exchangeable",
)


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
    def p_value(self) -> float:
        """p-value before adjustment; may be too small for a number and then 0."""
        return float(10.0**self.log10_p)

    @property
    def p_adjusted(self) -> float:
        """p-value after adjustment."""
        return float(10.0**self.log10_p_adjusted)


@dataclass(frozen=True, kw_only=True, eq=False)
class NullMatrix:
    """The matrix as the tests see it.

    Attributes
    ----------
    scores : ndarray of shape (n, m)
        About standard normal under the null model; drawn where values are missing.
    is_known : ndarray of bool
        Where a value is there.
    squares : float
        Sum of squares of all residues.
    """

    scores: FloatArray
    is_known: BoolArray
    squares: float

    @classmethod
    def of(cls, matrix: FloatArray, rng: np.random.Generator) -> NullMatrix:
        """Take away what single rows and columns explain."""
        scores = null_scores(break_ties(matrix, rng))
        is_hole = np.isnan(scores)
        # Under the null a score is normal whatever the others are: so is a drawn one.
        scores[is_hole] = rng.standard_normal(int(is_hole.sum()))
        squares = float((residues(scores) ** 2).sum())
        return cls(scores=scores, is_known=~is_hole, squares=squares)


@dataclass(frozen=True, kw_only=True)
class Pattern(Method):
    """What may be surprising about a bicluster.

    Attributes
    ----------
    log_p : callable
        From the matrix, rows and columns to the logarithm of the p-value of this
        bicluster alone, or a bound from above.
    log_choices : callable
        From the shape of the matrix and the numbers of rows and columns to the
        logarithm of how many biclusters a search could have picked.
    is_conservative : bool
        Whether the adjusted p-value keeps its level whatever a search picks.
    """

    log_p: Callable[[NullMatrix, IntArray, IntArray], float]
    log_choices: Callable[[tuple[int, int], int, int], float]
    is_conservative: bool = True


PATTERNS: Registry[Pattern] = Registry()


def _log_choose(n: int, k: int) -> float:
    log_factorial = scipy.special.gammaln
    return float(log_factorial(n + 1) - log_factorial(k + 1) - log_factorial(n - k + 1))


def _log_submatrices(shape: tuple[int, int], k: int, j: int) -> float:
    """Count submatrices of any size, as a logarithm."""
    n, m = shape
    return float(np.log(n) + np.log(m)) + _log_choose(n, k) + _log_choose(m, j)


def _mean_test(null: NullMatrix, rows: IntArray, columns: IntArray) -> float:
    cells = np.ix_(rows, columns)
    block = null.scores[cells][null.is_known[cells]]
    z = abs(float(block.sum())) / np.sqrt(max(block.size, 1))
    return float(np.log(2) + scipy.special.log_ndtr(-z))


PATTERNS.add(
    Pattern(
        name="mean",
        title="high or low mean",
        summary="a high or low mean",
        reference="A. A. Shabalin, V. J. Weigman, C. M. Perou and A. B. Nobel (2009). "
        "Finding large average submatrices in high dimensional data. Annals of Applied "
        "Statistics 3.",
        assumes=_NULL_MODEL,
        log_p=_mean_test,
        log_choices=_log_submatrices,
    )
)


def _additive_test(null: NullMatrix, rows: IntArray, columns: IntArray) -> float:
    """Test the share of residues, which is beta-distributed for normal noise."""
    n, m = null.scores.shape
    block = null.scores[np.ix_(rows, columns)]
    own = (block.shape[0] - 1) * (block.shape[1] - 1)
    rest = (n - 1) * (m - 1) - own
    if own < 1 or rest < 1:
        return 0.0
    squares = float((residues(block) ** 2).sum())
    share = squares / null.squares if null.squares else 1.0
    return _log_beta_tail(own / 2, rest / 2, share)


PATTERNS.add(
    Pattern(
        name="additive",
        title="small residues",
        summary="small residues: rows that differ by a constant",
        reference="Y. Cheng and G. M. Church (2000). Biclustering of expression data. "
        "ISMB.",
        assumes=_NULL_MODEL,
        log_p=_additive_test,
        log_choices=_log_submatrices,
    )
)


def _constant_test(null: NullMatrix, rows: IntArray, columns: IntArray) -> float:
    """Test how many rows lie within the range of the bicluster in all its columns."""
    data = null.scores[:, columns]
    own = data[rows]
    is_inside = (data >= own.min(axis=0)) & (data <= own.max(axis=0))
    chance = float(np.exp(np.log(is_inside.mean(axis=0)).sum()))
    return _log_chernoff(int(is_inside.all(axis=1).sum()), data.shape[0], chance)


def _log_ranges(shape: tuple[int, int], k: int, j: int) -> float:
    """Count choices of columns, and of a range of values in each."""
    del k
    n, m = shape
    ranges = j * float(np.log(n) + np.log(n + 1) - np.log(2))
    return float(np.log(m)) + _log_choose(m, j) + ranges


PATTERNS.add(
    Pattern(
        name="constant",
        title="narrow ranges",
        summary="a narrow range in every column",
        assumes=_NULL_MODEL,
        log_p=_constant_test,
        log_choices=_log_ranges,
    )
)


def _order_test(null: NullMatrix, rows: IntArray, columns: IntArray) -> float:
    """Test how many rows put the columns in one order."""
    data = null.scores[:, columns]
    ranks = np.argsort(np.argsort(data[rows], axis=1), axis=1)
    order = np.argsort(ranks.mean(axis=0), kind="stable")
    n_agree = int((np.diff(data[:, order], axis=1) > 0).all(axis=1).sum())
    chance = float(np.exp(-scipy.special.gammaln(columns.size + 1)))
    return _log_binomial_tail(n_agree, data.shape[0], chance)


def _log_orders(shape: tuple[int, int], k: int, j: int) -> float:
    """Count ordered choices of columns."""
    del k
    m = shape[1]
    orders = scipy.special.gammaln(m + 1) - scipy.special.gammaln(m - j + 1)
    return float(np.log(m) + orders)


PATTERNS.add(
    Pattern(
        name="order",
        title="one order",
        summary="one order of columns in all rows",
        reference="A. Ben-Dor, B. Chor, R. Karp and Z. Yakhini (2003). Discovering "
        "local structure in gene expression data: the order-preserving submatrix "
        "problem. Journal of Computational Biology 10.",
        assumes=_NULL_MODEL,
        log_p=_order_test,
        log_choices=_log_orders,
    )
)


def significances(
    matrix: FloatArray,
    found: BiclusterSet,
    *,
    pattern: str,
    is_found_in_data: bool,
    n_permutations: int,
    rng: np.random.Generator,
) -> tuple[Significance, ...]:
    """Test every bicluster, adjusted for all that could have been tested.

    What was found in these very data is tested against all that a search could have
    picked; what was named beforehand by shuffling.
    """
    if is_found_in_data:
        rows = searched_log_p(matrix, found, pattern, rng)
    else:
        p = permuted_p(matrix, found, n_permutations=n_permutations, rng=rng)
        pairs = zip(p.tolist(), adjust_p_values(p).tolist(), strict=True)
        rows = [("additive", float(np.log(a)), float(np.log(b))) for a, b in pairs]
    ten = math.log(10)
    return tuple(
        Significance(
            pattern=name,
            log10_p=float(np.maximum(p / ten, _FLOOR)),
            log10_p_adjusted=float(np.maximum(q / ten, _FLOOR)),
        )
        for name, p, q in rows
    )


def searched_log_p(
    matrix: FloatArray,
    found: BiclusterSet,
    pattern: str,
    rng: np.random.Generator,
) -> list[tuple[str, float, float]]:
    """Test every bicluster against all that a search could have picked.

    Returns pattern, and logarithms of the p-value before and after adjustment. Equal
    values are told apart, and the scores of missing ones drawn, by `rng`.
    """
    null = NullMatrix.of(matrix, rng)
    n, m = matrix.shape
    wanted = tuple(PATTERNS.values()) if pattern == AUTO else (PATTERNS[pattern],)
    extra = math.log(len(wanted))
    answers = []
    for rows, columns in found.pairs():
        tried = []
        for one in wanted:
            plain = one.log_p(null, rows, columns)
            choices = one.log_choices((n, m), rows.size, columns.size)
            tried.append((min(0.0, plain + choices + extra), plain, one.name))
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
    Returns the share of shuffled matrices in which the same cells have residues as
    small, the real one counted: never zero.
    """
    pairs = [np.ix_(rows, columns) for rows, columns in found.pairs()]
    left = _levelled(break_ties(matrix, rng))
    real = np.array([mean_squared_residue(left[cells]) for cells in pairs])
    n_as_small = np.ones(len(pairs))
    for _ in range(n_permutations):
        # Levelled again: the real residues, too, are what fitted levels have left.
        shuffled = _levelled(rng.permuted(left, axis=0))
        drawn = np.array([mean_squared_residue(shuffled[cells]) for cells in pairs])
        n_as_small += drawn <= real * (1 + 1e-12)
    known: FloatArray = np.where(np.isnan(real), np.nan, n_as_small)
    return known / (1 + n_permutations)


def break_ties(matrix: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Move equal values at random, up to half-way to the next ones.

    Values keep their order, and none are equal; single ones and missing ones stay.
    """
    is_known = np.isfinite(matrix)
    if not is_known.all():
        moved = matrix.copy()
        moved[is_known] = break_ties(matrix[is_known], rng)
        return moved
    values, place, counts = np.unique(matrix, return_inverse=True, return_counts=True)
    if values.size in (0, 1, matrix.size):
        return matrix
    half = np.diff(values) / 2
    is_tied = counts > 1
    below = np.where(is_tied, np.concatenate([half[:1], half]), 0.0)
    above = np.where(is_tied, np.concatenate([half, half[-1:]]), 0.0)
    at = place.reshape(matrix.shape)
    moved = matrix - below[at]
    moved += rng.random(matrix.shape) * (below + above)[at]
    return moved


def null_scores(matrix: FloatArray) -> FloatArray:
    """Take away what single rows and columns explain.

    Columns and rows in turn lose their median and their scale, twice, since each hides
    that of the other; what is left gets the normal quantiles of its ranks, equal values
    those of their mean rank. Independent and about standard normal under the null
    model; NaN where the value is missing.
    """
    away = matrix
    for axis in (0, 1, 0, 1):
        away = _scaled_by_median(away, axis)
    return _quantiles(away)


def _scaled_by_median(matrix: FloatArray, axis: int) -> FloatArray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a line without any value
        away = matrix - np.nanmedian(matrix, axis=axis, keepdims=True)
        scale = np.nanmedian(np.abs(away), axis=axis, keepdims=True)
        mean = np.nanmean(np.abs(away), axis=axis, keepdims=True)
    # More than half of a line the same: what is left has to do.
    scale = np.where(scale > 0, scale, mean)
    standard: FloatArray = away / np.where(scale > 0, scale, 1.0)
    return standard


def _levelled(matrix: FloatArray) -> FloatArray:
    """Give columns and rows in turn, twice, mean 0 and spread 1.

    Without it any rows that have a level of their own would look like a bicluster,
    since shuffling takes the level from them. Means are used, not medians: they take
    the same from real and from shuffled data.
    """
    away = matrix
    for axis in (0, 1, 0, 1):
        is_known = np.isfinite(away)
        n = np.maximum(is_known.sum(axis=axis, keepdims=True), 1)
        total = np.where(is_known, away, 0.0).sum(axis=axis, keepdims=True)
        away = away - total / n
        squares = np.where(is_known, away**2, 0.0).sum(axis=axis, keepdims=True) / n
        away = away / np.where(squares > 0, np.sqrt(squares), 1.0)
    return away


def _quantiles(values: FloatArray) -> FloatArray:
    """Replace values by the normal quantiles of their ranks."""
    is_known = np.isfinite(values)
    _, place, counts = np.unique(
        values[is_known], return_inverse=True, return_counts=True
    )
    ranks = np.cumsum(counts) - (counts - 1) / 2
    scores = np.full(values.shape, np.nan)
    scores[is_known] = scipy.special.ndtri((ranks - 0.5) / place.size)[place]
    return scores


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
    exact = float(scipy.special.bdtrc(hits - 1, n, chance))
    return float(np.log(exact)) if exact > _LEAST else _log_chernoff(hits, n, chance)


def _log_beta_tail(a: float, b: float, x: float) -> float:
    """Return the log of the lower tail of a beta distribution, or a bound of it."""
    exact = float(scipy.special.betainc(a, b, x))
    if exact > _LEAST:
        return float(np.log(exact))
    if x <= 0:
        return -np.inf
    # The hypergeometric series, bounded by a geometric one.
    ratio = x * (a + b) / (a + 1)
    body = a * np.log(x) + b * np.log1p(-x) - np.log(a) - scipy.special.betaln(a, b)
    return float(body - np.log1p(-ratio)) if ratio < 1 else 0.0
