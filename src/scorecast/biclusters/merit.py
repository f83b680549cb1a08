"""How coherent the cells of one bicluster are, without a truth to compare with.

Values that are missing (NaN) are left out of every mean.
"""

from __future__ import annotations

import numpy as np

from scorecast._core.types import FloatArray

__all__ = [
    "MERIT",
    "column_correlation",
    "mean_squared_residue",
    "merit",
    "residues",
    "row_correlation",
    "row_variance",
    "transposed_virtual_error",
    "variance",
]

MERIT: dict[str, bool] = {
    "msr": False,
    "variance": False,
    "row-variance": True,
    "row-correlation": True,
    "column-correlation": True,
    "virtual-error": False,
}
"""Measures of merit, and whether greater is better."""

_FLAT = 1e-12  # spread, by the largest value, that counts as none


def merit(block: FloatArray) -> dict[str, float]:
    """Compute every measure of `MERIT` of one bicluster.

    Parameters
    ----------
    block : ndarray of shape (rows, columns)
        Its cells.

    Returns
    -------
    dict of str to float
        NaN where a measure is not defined, as the correlation of constant rows.
    """
    return {
        "msr": mean_squared_residue(block),
        "variance": variance(block),
        "row-variance": row_variance(block),
        "row-correlation": row_correlation(block),
        "column-correlation": column_correlation(block),
        "virtual-error": transposed_virtual_error(block),
    }


def residues(block: FloatArray) -> FloatArray:
    """Return what is left of cells after the means of their row and column."""
    rows, columns = _mean(block, 1)[:, None], _mean(block, 0)[None, :]
    left: FloatArray = block - rows - columns + _overall(block)
    return left


def mean_squared_residue(block: FloatArray) -> float:
    """Return the mean squared residue of Cheng and Church (2000).

    Parameters
    ----------
    block : ndarray of shape (rows, columns)
        Cells of a bicluster.

    Returns
    -------
    float
        0 where rows differ by a constant only.

    Examples
    --------
    >>> mean_squared_residue(np.array([[1.0, 2.0, 5.0], [2.0, 3.0, 6.0]]))
    0.0
    """
    return _overall(residues(block) ** 2)


def variance(block: FloatArray) -> float:
    """Return the mean squared distance of cells from their mean (Hartigan, 1972)."""
    return _overall((block - _overall(block)) ** 2)


def row_variance(block: FloatArray) -> float:
    """Return the mean variance within rows: 0 shows a bicluster that is merely flat."""
    return _overall((block - _mean(block, 1)[:, None]) ** 2)


def row_correlation(block: FloatArray) -> float:
    """Return the mean Pearson correlation over all pairs of rows.

    Parameters
    ----------
    block : ndarray of shape (rows, columns)
        Cells of a bicluster.

    Returns
    -------
    float
        Rows without spread are left out; NaN where fewer than two are left. With
        values missing, each pair is compared where both are known.
    """
    if np.isnan(block).any():
        return _mean_of_known_pairs(block)
    standard = _standardised(block)
    standard = standard[(standard != 0).any(axis=1)]
    v = standard.shape[0]
    if v < 2:
        return np.nan
    # The sum over all pairs is the squared length of the sum of rows.
    total = float((standard.sum(axis=0) ** 2).sum()) / block.shape[1]
    return float((total - v) / (v * (v - 1)))


def column_correlation(block: FloatArray) -> float:
    """Return the mean Pearson correlation over all pairs of columns."""
    return row_correlation(block.T)


def transposed_virtual_error(block: FloatArray) -> float:
    """Return the transposed virtual error of Pontes and others (2010).

    Columns are standardised and compared with the standardised mean column: 0 for
    biclusters that are shifted, scaled, or both.

    Parameters
    ----------
    block : ndarray of shape (rows, columns)
        Cells of a bicluster.

    Returns
    -------
    float
        Mean absolute difference; a column without spread counts as zeros.
    """
    columns = _standardised(block.T).T
    virtual = _standardised(_mean(block, 1)[None, :])[0]
    return _overall(np.abs(columns - virtual[:, None]))


def _mean_of_known_pairs(block: FloatArray) -> float:
    known = np.isfinite(block)
    if not known.any():
        return np.nan
    centred = np.where(known, block - _mean(block, 1)[:, None], 0.0)
    flags = known.astype(np.float64)
    n = flags @ flags.T
    with np.errstate(divide="ignore", invalid="ignore"):
        means = (centred @ flags.T) / n
        squares = (centred**2 @ flags.T) / n - means**2
        cross = (centred @ centred.T) / n - means * means.T
        spread = np.sqrt(squares * squares.T)
        scale = np.nanmax(np.abs(np.where(known, block, np.nan)))
        r = np.where(spread > (_FLAT * scale) ** 2, cross / spread, np.nan)
    pairs = r[np.triu_indices(block.shape[0], 1)]
    pairs = pairs[np.isfinite(pairs)]
    return float(pairs.mean()) if pairs.size else np.nan


def _standardised(lines: FloatArray) -> FloatArray:
    """Give every line mean 0 and spread 1; one without spread becomes zeros."""
    away = lines - _mean(lines, 1)[:, None]
    spread = np.sqrt(_mean(away**2, 1))
    scale = np.max(np.abs(np.nan_to_num(lines)), axis=1)
    flat = ~(spread > _FLAT * scale)
    standard = away / np.where(flat, 1.0, spread)[:, None]
    standard[flat] = np.where(np.isnan(lines[flat]), np.nan, 0.0)
    result: FloatArray = standard
    return result


def _mean(block: FloatArray, axis: int) -> FloatArray:
    """Average known values; NaN where there is none."""
    known = np.isfinite(block)
    if known.all():
        plain: FloatArray = block.mean(axis=axis)
        return plain
    with np.errstate(invalid="ignore"):
        total = np.where(known, block, 0.0).sum(axis=axis)
        means: FloatArray = total / known.sum(axis=axis)
    return means


def _overall(block: FloatArray) -> float:
    known = block[np.isfinite(block)]
    return float(known.mean()) if known.size else np.nan
