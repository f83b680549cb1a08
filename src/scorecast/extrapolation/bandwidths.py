"""Bandwidths of a kernel density, number for number as R chooses them.

R's ``bw.ucv`` and ``bw.bcv`` put the sample into bins of width
``d = 1.01 * range / 1000``, count the pairs of values at each distance (lag) of m
bins, and minimise with ``optimize`` on ``[hmax / 10, hmax]`` to within
``hmax / 100``. That tolerance is wide, so the answer is where R's minimiser happens
to stop, not the minimum: bins, path and stopping rule are copied here, in units of
d. With ``delta = (m / r)^2`` and ``r = h / d`` the criteria are, up to a factor,

* ``ucv``: ``(1/2 + sum(count * (e^(-delta/4) - sqrt(8) e^(-delta/2))) / n) / r``
* ``bcv``: ``(1 + sum(count * e^(-delta/4) (delta^2 - 12 delta + 12)) / (32 n)) / r``

The sums are taken in whichever way is cheapest: over the pairs themselves when they
are few, else over frequencies (the transform of a Gaussian is a Gaussian, and the
transform of the lag counts is the squared transform of the histogram), else, when h
is too wide or too narrow for that, over the lags.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scorecast._core.checks import check_matrix, check_n_jobs
from scorecast._core.parallel import map_threads
from scorecast._core.registry import Method, Registry
from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.exceptions import InsufficientDataError, InvalidInputError

Matrix: TypeAlias = NDArray[np.floating[Any]]
Objective: TypeAlias = Callable[[FloatArray, IntArray], FloatArray]

_SMALL_INPUT = 200_000  # scores; up to here loading numba costs more than it saves
_BLOCK = 1 << 17  # scores in a block: at most 1 MB, it stays in a core's cache
N_BINS = 1000  # R's nb
_TABLE = 1 << 18  # numbers in a table of the NumPy path
_FEW_SCORES = 32  # up to here the pairs of a row are fewer than its frequencies
# Transform lengths, each with the widest hmax (in bins) that does not see the copy
# of the histogram next to it: e^(-delta/4) < 1e-19 at a distance of length - 991.
_LENGTHS = ((2048, 78.0), (4096, 231.0))
# Below this hmax (in bins) more frequencies than the transform has would count.
_NARROWEST = 14.2
_INT_MAX = 2**31 - 1
_HUGE = np.finfo(np.float64).max
_TIE = 1e-6  # relative; comparisons closer than this are left to _bit_for_bit
_GOLDEN = (3.0 - math.sqrt(5.0)) * 0.5
_ROOT_EPSILON = math.sqrt(np.finfo(np.float64).eps)


BANDWIDTH_RULES: Registry[Method] = Registry()
for _rule in (
    Method(
        name="ucv",
        title="unbiased cross-validation",
        summary="least integrated squared error, as R's bw.ucv",
        reference="Scott and Terrell (1987)",
    ),
    Method(
        name="bcv",
        title="biased cross-validation",
        summary="wider and steadier, as R's bw.bcv",
        reference="Scott and Terrell (1987)",
    ),
    Method(
        name="nrd0",
        title="Silverman's rule of thumb",
        summary="from spread and sample size, as R's bw.nrd0",
        reference="Silverman (1986)",
    ),
):
    BANDWIDTH_RULES.add(_rule)


def bandwidth(x: ArrayLike, rule: str) -> float:
    """Choose the bandwidth of a Gaussian kernel density as R 4.2 does.

    Agrees with R to the last bit where the C library is the same, but for two cases:
    a constant sample has bandwidth 0, where R stops (or, with ``nrd0``, makes up a
    scale); and up to 500 values more than 2**31 bins from zero are binned from the
    least one, as later versions of R do, where R 4.2 overflows.

    Parameters
    ----------
    x : array-like of shape (n,)
        Sample, finite, at least two values.
    rule : {"ucv", "bcv", "nrd0"}
        Unbiased or biased cross-validation, or Silverman's rule of thumb.

    Returns
    -------
    float
        Bandwidth, in the unit of `x`.

    Raises
    ------
    InvalidInputError
        If `x` is not a vector of finite numbers.
    InsufficientDataError
        If `x` has fewer than two values.

    Examples
    --------
    >>> x = [-1.2, -0.7, -0.3, 0, 0.1, 0.4, 0.9, 1.5, 2.2, 3.1]
    >>> round(bandwidth(x, "ucv"), 6)
    0.960126
    """
    BANDWIDTH_RULES.choose(rule, parameter="rule")
    sample = np.asarray(x)
    if sample.ndim != 1:
        problem = f"must have one dimension; got shape {sample.shape}"
        raise InvalidInputError(problem, parameter="x")
    if sample.size < 2:
        problem = f"must have at least 2 values for a bandwidth; got {sample.size}"
        raise InsufficientDataError(problem, parameter="x")
    row = check_matrix(sample[np.newaxis], "x").astype(np.float64)
    return float(_row_bandwidths(row, rule, to_the_bit=True)[0])


def wrong_class_bandwidths(
    scores: ArrayLike, own: ArrayLike, rule: str, *, n_jobs: int | None = None
) -> FloatArray:
    """Choose a bandwidth for the wrong-class scores of every sample.

    Scores of minus infinity are left out: they cannot beat anything. A row with
    fewer than two finite wrong-class scores, or with equal ones only, gets 0, which
    `kernel_favourability` reads as a step.

    Parameters
    ----------
    scores : array-like of shape (n, K)
        Score of every class for every sample, greater is better.
    own : array-like of shape (n,)
        Column of the right class of each sample.
    rule : {"ucv", "bcv", "nrd0"}
        As in `bandwidth`.
    n_jobs : int, optional
        Number of threads; None means every core. The answer does not depend on it.

    Returns
    -------
    ndarray of shape (n,)
        Bandwidths, in the unit of the scores.

    Examples
    --------
    >>> scores = [[9.0, 1.0, 2.0, 4.0], [1.0, 1.0, 7.0, 1.0]]
    >>> wrong_class_bandwidths(scores, [0, 2], "nrd0").round(6)
    array([0.808732, 0.      ])
    """
    BANDWIDTH_RULES.choose(rule, parameter="rule")
    check_n_jobs(n_jobs)
    matrix, labels = as_scores_and_own(scores, own)
    small = is_small(matrix)
    size = _table_rows(matrix.shape[1]) if small else block_rows(matrix)

    def work(rows: slice) -> FloatArray:
        block, at = checked_block(matrix, rows), labels[rows]
        if small or rule == "nrd0":
            return _row_bandwidths(_wrong_scores(block, at), rule)
        return _compiled_bandwidths(block, at, rule)

    blocks = row_blocks(matrix.shape[0], size)
    parts = map_threads(work, blocks, n_jobs=1 if small else n_jobs, what="bandwidths")
    return np.concatenate(parts)


def _wrong_scores(block: Matrix, own: IntArray) -> FloatArray:
    n, n_classes = block.shape
    is_wrong = np.ones(block.shape, dtype=np.bool_)
    is_wrong[np.arange(n), own] = False
    return block[is_wrong].reshape(n, n_classes - 1).astype(np.float64)


def _table_rows(n_classes: int) -> int:
    # Measured: tables of pairs, which are all gone through, want to be smaller.
    few = n_classes - 1 <= _FEW_SCORES
    return max(1, _TABLE // (2 * n_classes**2 if few else max(n_classes, 2048)))


# --- blocks of rows, shared with kernel favourability ------------------------------


def as_scores_and_own(scores: ArrayLike, own: ArrayLike) -> tuple[Matrix, IntArray]:
    """Return a float matrix and a column per row; NaN is looked for block by block."""
    matrix: Matrix = np.asarray(scores)
    native = matrix.dtype in {np.dtype(np.float32), np.dtype(np.float64)}
    if matrix.ndim != 2 or not matrix.size or not native:
        matrix = check_matrix(matrix, "scores", allow_negative_infinity=True)
    labels = np.asarray(own)
    n, n_classes = matrix.shape
    if labels.shape != (n,) or labels.dtype.kind not in "iu":
        problem = (
            f"must hold one whole number per row of the scores ({n}); got shape "
            f"{labels.shape}, dtype {labels.dtype}"
        )
        raise InvalidInputError(problem, parameter="own")
    if labels.min() < 0 or labels.max() >= n_classes:
        problem = (
            f"must lie in [0, {n_classes - 1}], the columns of the scores; got values "
            f"from {labels.min()} to {labels.max()}"
        )
        raise InvalidInputError(problem, parameter="own")
    return matrix, labels.astype(np.int64)


def is_small(matrix: Matrix) -> bool:
    """Say whether plain NumPy beats loading numba for this matrix."""
    return bool(matrix.size <= _SMALL_INPUT)


def block_rows(matrix: Matrix) -> int:
    """Count the rows of a block that stays in a core's cache."""
    return max(1, min(256, _BLOCK // int(matrix.shape[1])))


def row_blocks(n: int, size: int) -> list[slice]:
    """Cut n rows into blocks; the cut does not depend on the number of threads."""
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def checked_block(matrix: Matrix, rows: slice) -> Matrix:
    """Return a contiguous block, or raise if it holds NaN or plus infinity."""
    block = np.ascontiguousarray(matrix[rows])
    if not (block < np.inf).all():
        # Raises, and names the row of the whole matrix rather than of the block.
        check_matrix(matrix, "scores", allow_negative_infinity=True)
    return block


# --- compiled path -----------------------------------------------------------------


def _compiled_bandwidths(block: Matrix, own: IntArray, rule: str) -> FloatArray:
    from scorecast.extrapolation import kernels  # numba, for large inputs only

    out = np.zeros(own.size)
    if block.shape[1] - 1 <= _FEW_SCORES:
        kernels.pair_bandwidths(rule == "ucv", block, own, N_BINS, out)
    else:
        _compiled_search(block, own, rule, out)
    for r in np.flatnonzero(out < 0.0):
        wrong = np.delete(block[r], own[r]).astype(np.float64)
        out[r] = _row_bandwidths(wrong[None], rule)[0]
    return np.minimum(out, _HUGE)


def _compiled_search(block: Matrix, own: IntArray, rule: str, out: FloatArray) -> None:
    from scorecast.extrapolation import kernels

    histogram = np.empty((own.size, N_BINS))
    size, width, ratio = np.empty((3, own.size))
    kernels.bin_rows(block, own, histogram, size, width, ratio)
    for length, rows in _rows_by_length(ratio):
        best = np.empty(rows.size)
        rest = (size[rows], ratio[rows], best)
        if length:
            spectrum = np.fft.rfft(histogram[rows], length)
            kernels.spectral_bandwidths(rule == "ucv", spectrum, length, *rest)
        else:
            counts = _lag_counts(histogram[rows])
            kernels.lag_bandwidths(rule == "ucv", counts, *rest)
        out[rows] = width[rows] * best


def _rows_by_length(ratio: FloatArray) -> list[tuple[int, IntArray]]:
    """Sort rows by the transform they need; 0 stands for none, the lags themselves."""
    length = np.zeros(ratio.size, dtype=np.int64)
    for candidate, widest in reversed(_LENGTHS):
        length[(ratio >= _NARROWEST) & (ratio <= widest)] = candidate
    length[ratio == 0.0] = -1  # a constant row: bandwidth 0, nothing to do
    values = [int(v) for v in np.unique(length) if v >= 0]
    return [(value, np.flatnonzero(length == value)) for value in values]


def _lag_counts(histogram: FloatArray) -> FloatArray:
    """Count the pairs of values that lie m bins apart, for every m."""
    # Twice the number of bins, so that no lag wraps round; whole numbers, so
    # rounding makes them exact.
    length = _LENGTHS[0][0]
    spectrum = np.fft.rfft(histogram, length)
    power = spectrum.real**2 + spectrum.imag**2
    counts = np.rint(np.fft.irfft(power, length)[:, :N_BINS])
    counts[:, 0] = 0.5 * (counts[:, 0] - histogram.sum(axis=1))
    return np.asarray(counts, dtype=np.float64)


# --- NumPy path: all rows of a block in step ---------------------------------------


def _row_bandwidths(
    wrong: FloatArray, rule: str, *, to_the_bit: bool = False
) -> FloatArray:
    """Return the bandwidth of each row, minus infinity meaning no value."""
    out = np.zeros(wrong.shape[0])
    if wrong.shape[1] < 2:
        return out
    valid = wrong > -np.inf
    greatest = wrong.max(axis=1)
    # A harmless stand-in for the missing: extremes stay what they are.
    filled = np.where(valid, wrong, np.where(valid.any(axis=1), greatest, 0.0)[:, None])
    rows = np.flatnonzero((filled.min(axis=1) < greatest) & (valid.sum(axis=1) > 1))
    if not rows.size:
        return out
    x, valid = filled[rows], valid[rows]
    exponent = _extreme_exponent(x)
    if exponent.any():
        x = np.ldexp(x, -exponent[:, None])
    if rule == "nrd0":
        best = _nrd0(x, valid)
    else:
        unknown = np.full(rows.size, -1.0)
        best = unknown if to_the_bit else _cross_validated(x, valid, rule)
    for r in np.flatnonzero(best < 0.0):
        best[r] = _bit_for_bit(x[r][valid[r]], rule)
    with np.errstate(over="ignore"):
        out[rows] = np.minimum(np.ldexp(best, exponent), _HUGE)
    return out


def _extreme_exponent(x: FloatArray) -> IntArray:
    """Return the power of two to divide a row by so that its squares stay normal."""
    peak = np.abs(x).max(axis=1)
    extreme = (peak > 1e100) | (peak < 1e-100)
    return np.where(extreme, np.frexp(peak)[1], 0).astype(np.int64)


def _deviation(x: FloatArray, valid: BoolArray) -> FloatArray:
    n = valid.sum(axis=1)
    mean = np.sum(x, axis=1, where=valid) / n
    squares = np.sum((x - mean[:, None]) ** 2, axis=1, where=valid)
    return np.asarray(np.sqrt(squares / (n - 1)), dtype=np.float64)


def _nrd0(x: FloatArray, valid: BoolArray) -> FloatArray:
    n = valid.sum(axis=1)
    ordered = np.sort(np.where(valid, x, -np.inf), axis=1)
    quartiles = []
    for share in (0.25, 0.75):
        place = x.shape[1] - n + share * (n - 1)  # the missing sort first
        low = np.floor(place).astype(np.int64)
        below = np.take_along_axis(ordered, low[:, None], axis=1)[:, 0]
        high = np.ceil(place).astype(np.int64)
        above = np.take_along_axis(ordered, high[:, None], axis=1)[:, 0]
        part = place - low
        quartiles.append((1.0 - part) * below + part * above)
    deviation = _deviation(x, valid)
    spread = np.minimum(deviation, (quartiles[1] - quartiles[0]) / 1.34)
    spread = np.where(spread == 0.0, deviation, spread)
    return np.asarray(0.9 * spread * n**-0.2, dtype=np.float64)


def _cross_validated(x: FloatArray, valid: BoolArray, rule: str) -> FloatArray:
    width = (x.max(axis=1) - x.min(axis=1)) * 1.01 / N_BINS
    n = valid.sum(axis=1).astype(np.float64)
    ratio = 1.144 * _deviation(x, valid) * n**-0.2 / width
    bins = _bin_numbers(x, width, n)
    if x.shape[1] <= _FEW_SCORES:
        first, second = np.triu_indices(x.shape[1], 1)
        lags = np.abs(bins[:, first] - bins[:, second])
        weights = (valid[:, first] & valid[:, second]).astype(np.float64)
        best = _minimise(_lag_objective(lags, weights, n, rule), ratio)
        return np.asarray(width * best)
    histogram = _histogram(bins, valid)
    best = np.empty(ratio.size)
    for length, rows in _rows_by_length(ratio):
        part = histogram[rows]
        if length:
            objective = _spectral_objective(part, length, n[rows], rule)
        else:
            lags = np.broadcast_to(np.arange(float(N_BINS)), part.shape)
            objective = _lag_objective(lags, _lag_counts(part), n[rows], rule)
        best[rows] = _minimise(objective, ratio[rows])
    return np.asarray(width * best)


def _bin_numbers(x: FloatArray, width: FloatArray, n: FloatArray) -> FloatArray:
    """Count the bins of each row from 0, cutting towards zero as R does."""
    # R turns up to N_BINS / 2 values into C ints. Too far from zero for that,
    # R 4.2 overflows and later versions count from the least value; so do we.
    low, high = x.min(axis=1), x.max(axis=1)
    far = (low / width < -_INT_MAX) | (high / width > _INT_MAX)
    origin = np.where(far & (n <= N_BINS // 2), low, 0.0)
    first = np.trunc((low - origin) / width)
    bins = np.trunc((x - origin[:, None]) / width[:, None]) - first[:, None]
    return np.asarray(bins, dtype=np.float64)


def _histogram(bins: FloatArray, valid: BoolArray) -> FloatArray:
    # As in R's tabulate, what rounding threw out of range is dropped.
    valid = valid & (bins >= 0) & (bins < N_BINS)
    row = np.nonzero(valid)[0]
    flat = row * N_BINS + bins[valid].astype(np.int64)
    counts = np.bincount(flat, minlength=bins.shape[0] * N_BINS)
    return counts.reshape(bins.shape[0], N_BINS).astype(np.float64)


def _lag_objective(
    lags: FloatArray, weights: FloatArray, n: FloatArray, rule: str
) -> Objective:
    quarter = -0.25 * lags**2

    def objective(ratio: FloatArray, rows: IntArray) -> FloatArray:
        exponent = quarter[rows] / (ratio**2)[:, None]  # -delta / 4
        tail = np.exp(exponent)
        if rule == "ucv":
            term = tail * (1.0 - math.sqrt(8.0) * tail)
            pairs = np.einsum("ij,ij->i", term, weights[rows])
            return np.asarray((0.5 + pairs / n[rows]) / ratio)
        term = tail * ((16.0 * exponent + 48.0) * exponent + 12.0)
        pairs = np.einsum("ij,ij->i", term, weights[rows])
        return np.asarray((1.0 + pairs / (32.0 * n[rows])) / ratio)

    return objective


def _spectral_objective(
    histogram: FloatArray, length: int, n: FloatArray, rule: str
) -> Objective:
    spectrum = np.fft.rfft(histogram, length)
    half = spectrum.real**2 + spectrum.imag**2
    # Past the middle the spectrum repeats: a narrow kernel reaches that far.
    power = np.concatenate([half, half[:, -2:0:-1]], axis=1)
    kept = histogram.sum(axis=1)

    def objective(ratio: FloatArray, rows: IntArray) -> FloatArray:
        # exp(-w^2 / 2) < 1e-17 further on.
        reach = math.sqrt(80.0) * length / (2.0 * math.pi * float(ratio.min()))
        frequency = np.arange(1.0, min(int(reach) + 2, length))
        square = (2.0 * math.pi / length * np.outer(ratio, frequency)) ** 2
        gauss = np.exp(-0.5 * square)
        share = power[rows, 1 : frequency.size + 1]
        scale = math.sqrt(math.pi) * ratio / length
        if rule == "ucv":
            total = np.einsum("ij,ij,ij->i", share, gauss, 2.0 * gauss - 4.0)
            total = scale * (2.0 * total - 2.0 * power[rows, 0])
            pairs = 0.5 * (total - kept[rows] * (1.0 - math.sqrt(8.0)))
            return np.asarray((0.5 + pairs / n[rows]) / ratio)
        total = 64.0 * scale * np.einsum("ij,ij->i", share, (gauss * square) ** 2)
        pairs = 0.5 * (total - 12.0 * kept[rows])
        return np.asarray((1.0 + pairs / (32.0 * n[rows])) / ratio)

    return objective


def _minimise(objective: Objective, upper: FloatArray) -> FloatArray:
    """Run R's ``optimize`` on [upper / 10, upper] for all rows in step.

    A row whose path hung on the last digit of a comparison comes back negated.
    """
    rows = np.arange(upper.size)
    low = 0.1 * upper
    x = low + _GOLDEN * (upper - low)
    fx, zero = objective(x, rows), np.zeros(upper.size)
    state = np.stack([low, upper, x, x, x, fx, fx, fx, zero, zero, 0.1 * low / 3.0])
    best, sign = np.empty(upper.size), np.ones(upper.size)
    while True:
        low, high, x, third = state[0], state[1], state[2], state[10]
        tolerance = _ROOT_EPSILON * np.abs(x) + third
        middle = 0.5 * (low + high)
        done = np.abs(x - middle) <= 2.0 * tolerance - 0.5 * (high - low)
        best[rows[done]] = x[done]
        rows, state = rows[~done], state[:, ~done]
        if not rows.size:
            return best * sign
        candidate, step, before, tie = _propose(state, tolerance[~done])
        state = _accept(state, candidate, objective(candidate, rows))
        state[8], state[9] = step, before
        sign[rows[tie]] = -1.0


def _propose(
    state: FloatArray, tolerance: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, BoolArray]:
    """Return the next point of every row, its step, the step before, and ties."""
    low, high, x, w, v, fx, fw, fv, step, before, _ = state
    fit = np.abs(before) > tolerance
    r = (x - w) * (fx - fv)
    q = (x - v) * (fx - fw)
    p = np.where(fit, (x - v) * q - (x - w) * r, 0.0)
    q = np.where(fit, 2.0 * (q - r), 0.0)
    p, q = np.where(q > 0.0, -p, p), np.abs(q)
    r = np.where(fit, before, 0.0)
    golden = np.abs(p) >= np.abs(0.5 * q * r)
    # A point that was no improvement on any of the three is both proposed again and
    # an end of the bracket: rounding alone decides whether it is inside.
    gap = np.minimum(np.abs(p - q * (low - x)), np.abs(p - q * (high - x)))
    tie = ~golden & (gap <= _TIE * q * (high - low))
    golden |= (p <= q * (low - x)) | (p >= q * (high - x))
    left = x < 0.5 * (low + high)
    section = np.where(left, high - x, low - x)
    parabola = p / np.where(golden, 1.0, q)
    u = x + parabola
    edge = (u - low < 2.0 * tolerance) | (high - u < 2.0 * tolerance)
    parabola = np.where(edge, np.where(left, tolerance, -tolerance), parabola)
    before = np.where(golden, section, np.where(fit, step, before))
    step = np.where(golden, _GOLDEN * section, parabola)
    least = np.where(step > 0.0, tolerance, -tolerance)
    u = x + np.where(np.abs(step) >= tolerance, step, least)
    return u, step, before, tie


def _accept(state: FloatArray, u: FloatArray, fu: FloatArray) -> FloatArray:
    """Narrow every bracket and keep the three best points, as in R's fmin."""
    low, high, x, w, v, fx, fw, fv = state[:8]
    better, left = fu <= fx, u < x
    second = ~better & ((fu <= fw) | (w == x))
    third = ~better & ~second & ((fu <= fv) | (v == x) | (v == w))
    shift = better | second
    new = state.copy()
    new[0] = np.where(better & ~left, x, np.where(~better & left, u, low))
    new[1] = np.where(better & left, x, np.where(~better & ~left, u, high))
    for at, one, two, three, point in ((2, x, w, v, u), (5, fx, fw, fv, fu)):
        new[at] = np.where(better, point, one)
        new[at + 1] = np.where(better, one, np.where(second, point, two))
        new[at + 2] = np.where(shift, two, np.where(third, point, three))
    return new


# --- the rare row on a knife's edge ------------------------------------------------


def _bit_for_bit(x: FloatArray, rule: str) -> float:
    """Repeat R's arithmetic to the last bit, for a path that hangs on it.

    Slow, and needed about once in ten thousand rows. R sums its variance in long
    double and its criterion in order of the lag, with the C library's exp.
    """
    n = float(x.size)
    width = (x.max() - x.min()) * 1.01 / N_BINS
    bins = _bin_numbers(x[None], np.array([width]), np.array([n]))
    counts = _lag_counts(_histogram(bins, np.ones(bins.shape, dtype=np.bool_)))[0]
    lags = np.flatnonzero(counts)
    root_pi = 1.772453850905516  # sqrt(math.pi) is one bit off

    def objective(h: FloatArray, _: IntArray) -> FloatArray:
        delta = (lags * width / h) ** 2
        delta = delta[delta < 1000.0]
        tail = _libm_exp(-delta / 4.0)
        if rule == "ucv":
            term = tail - math.sqrt(8.0) * _libm_exp(-delta / 2.0)
        else:
            term = tail * (delta * delta - 12.0 * delta + 12.0)
        running = np.cumsum(term * counts[lags[: delta.size]])
        total = running[-1] if running.size else 0.0
        if rule == "ucv":
            return np.asarray((0.5 + total / n) / (n * h * root_pi))
        return np.asarray((1.0 + total / (32.0 * n)) / (2.0 * n * h * root_pi))

    widest = 1.144 * math.sqrt(_long_variance(x)) * n**-0.2
    return float(abs(_minimise(objective, np.array([widest]))[0]))


def _libm_exp(values: FloatArray) -> FloatArray:
    # NumPy's own exp may differ from the C library's in the last bit.
    return np.array([math.exp(value) for value in values.tolist()])


def _long_variance(x: FloatArray) -> float:
    wide = x.astype(np.longdouble)
    mean = wide.sum() / x.size
    mean = np.float64(mean + (wide - mean).sum() / x.size)
    return float(((wide - mean) ** 2).sum() / (x.size - 1))
