"""How coherent the cells of one bicluster are, without a truth to compare with.

Values that are missing (NaN) are left out of every mean. A measure that is not defined,
as the correlation of constant rows, is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from scorecast._core.registry import Method, Registry
from scorecast._core.types import FloatArray

_FLAT = 1e-12  # spread, by the largest value, that counts as none


@dataclass(frozen=True, kw_only=True)
class CoherenceMeasure(Method):
    """A measure of how coherent the cells of a bicluster are.

    Attributes
    ----------
    evaluate : callable
        From the cells, rows x columns, to a number.
    greater_is_better : bool
        Which way is better.
    low, high : float
        Its limits.
    zero_for : tuple of str
        Planted patterns (of `scorecast.simulate`) on which it is 0.
    """

    evaluate: Callable[[FloatArray], float]
    greater_is_better: bool = False
    low: float = 0.0
    high: float = math.inf
    zero_for: tuple[str, ...] = ()


COHERENCE_MEASURES: Registry[CoherenceMeasure] = Registry()


def measure_coherence(block: FloatArray) -> dict[str, float]:
    """Compute every measure of `COHERENCE_MEASURES` of one bicluster."""
    return {name: m.evaluate(block) for name, m in COHERENCE_MEASURES.items()}


def residues(block: FloatArray) -> FloatArray:
    """Return what is left of cells after the means of their row and column."""
    rows, columns = _mean(block, 1)[:, None], _mean(block, 0)[None, :]
    left: FloatArray = block - rows - columns + _overall(block)
    return left


def mean_squared_residue(block: FloatArray) -> float:
    """Return the mean squared residue, 0 where rows differ by a constant only.

    Examples
    --------
    >>> mean_squared_residue(np.array([[1.0, 2.0, 5.0], [2.0, 3.0, 6.0]]))
    0.0
    """
    return _overall(residues(block) ** 2)


COHERENCE_MEASURES.add(
    CoherenceMeasure(
        name="msr",
        title="mean squared residue",
        summary="0 where rows differ by a constant only",
        reference="Y. Cheng and G. M. Church (2000). Biclustering of expression data. "
        "ISMB.",
        evaluate=mean_squared_residue,
        zero_for=("constant", "constant-rows", "constant-columns", "additive"),
    )
)


def _variance(block: FloatArray) -> float:
    return _overall((block - _overall(block)) ** 2)


COHERENCE_MEASURES.add(
    CoherenceMeasure(
        name="variance",
        title="variance",
        summary="mean squared distance of cells from their mean",
        reference="J. A. Hartigan (1972). Direct clustering of a data matrix. Journal "
        "of the American Statistical Association 67.",
        evaluate=_variance,
        zero_for=("constant",),
    )
)


def _row_variance(block: FloatArray) -> float:
    return _overall((block - _mean(block, 1)[:, None]) ** 2)


COHERENCE_MEASURES.add(
    CoherenceMeasure(
        name="row-variance",
        title="row variance",
        summary="mean variance within rows; 0 shows a bicluster that is merely flat",
        reference="Y. Cheng and G. M. Church (2000). Biclustering of expression data. "
        "ISMB.",
        evaluate=_row_variance,
        greater_is_better=True,
        zero_for=("constant", "constant-rows"),
    )
)


def _row_correlation(block: FloatArray) -> float:
    """Average Pearson's correlation over all pairs of rows.

    Rows without spread are left out; NaN where fewer than two are left. With values
    missing, each pair is compared where both are known.
    """
    if np.isnan(block).any():
        return _mean_of_known_pairs(block)
    standard = _standardise_rows(block)
    standard = standard[(standard != 0).any(axis=1)]
    v = standard.shape[0]
    if v < 2:
        return math.nan
    # The sum over all pairs is the squared length of the sum of rows.
    total = float((standard.sum(axis=0) ** 2).sum()) / block.shape[1]
    return float((total - v) / (v * (v - 1)))


COHERENCE_MEASURES.add(
    CoherenceMeasure(
        name="row-correlation",
        title="row correlation",
        summary="mean Pearson correlation over all pairs of rows",
        evaluate=_row_correlation,
        greater_is_better=True,
        low=-1.0,
        high=1.0,
    )
)
COHERENCE_MEASURES.add(
    CoherenceMeasure(
        name="column-correlation",
        title="column correlation",
        summary="mean Pearson correlation over all pairs of columns",
        evaluate=lambda block: _row_correlation(block.T),
        greater_is_better=True,
        low=-1.0,
        high=1.0,
    )
)


def _virtual_error(block: FloatArray) -> float:
    """Compare standardised columns with the standardised mean column.

    A column without spread counts as zeros.
    """
    columns = _standardise_rows(block.T).T
    virtual = _standardise_rows(_mean(block, 1)[None, :])[0]
    return _overall(np.abs(columns - virtual[:, None]))


COHERENCE_MEASURES.add(
    CoherenceMeasure(
        name="virtual-error",
        title="transposed virtual error",
        summary="0 where columns are shifted, scaled, or both",
        reference="B. Pontes, R. Giraldez and J. S. Aguilar-Ruiz (2010). Measuring the "
        "quality of shifting and scaling patterns in biclusters. PRIB.",
        evaluate=_virtual_error,
        zero_for=(
            "constant",
            "constant-rows",
            "constant-columns",
            "additive",
            "multiplicative",
        ),
    )
)


def _mean_of_known_pairs(block: FloatArray) -> float:
    is_known = np.isfinite(block)
    if not is_known.any():
        return math.nan
    centred = np.where(is_known, block - _mean(block, 1)[:, None], 0.0)
    flags = is_known.astype(np.float64)
    n = flags @ flags.T
    with np.errstate(divide="ignore", invalid="ignore"):
        means = (centred @ flags.T) / n
        squares = (centred**2 @ flags.T) / n - means**2
        cross = (centred @ centred.T) / n - means * means.T
        spread = np.sqrt(squares * squares.T)
        scale = np.nanmax(np.abs(np.where(is_known, block, np.nan)))
        r = np.where(spread > (_FLAT * scale) ** 2, cross / spread, np.nan)
    pairs = r[np.triu_indices(block.shape[0], 1)]
    pairs = pairs[np.isfinite(pairs)]
    return float(pairs.mean()) if pairs.size else math.nan


def _standardise_rows(lines: FloatArray) -> FloatArray:
    """Give every row mean 0 and spread 1; one without spread becomes zeros."""
    away = lines - _mean(lines, 1)[:, None]
    spread = np.sqrt(_mean(away**2, 1))
    scale = np.max(np.abs(np.nan_to_num(lines)), axis=1)
    is_flat = ~(spread > _FLAT * scale)
    standard = away / np.where(is_flat, 1.0, spread)[:, None]
    standard[is_flat] = np.where(np.isnan(lines[is_flat]), np.nan, 0.0)
    result: FloatArray = standard
    return result


def _mean(block: FloatArray, axis: int) -> FloatArray:
    """Average known values; NaN where there is none."""
    is_known = np.isfinite(block)
    if is_known.all():
        plain: FloatArray = block.mean(axis=axis)
        return plain
    with np.errstate(invalid="ignore"):
        total = np.where(is_known, block, 0.0).sum(axis=axis)
        means: FloatArray = total / is_known.sum(axis=axis)
    return means


def _overall(block: FloatArray) -> float:
    known = block[np.isfinite(block)]
    return float(known.mean()) if known.size else math.nan
