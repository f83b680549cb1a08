"""The covariance of what stimuli leave unexplained, shrunk toward its diagonal.

With residuals E (N samples x q responses), Sigma = ((1 - w) E'E + w Diag(E'E)) / N.
In units of each response's own spread this is w I + (1 - w) R'R, with R the
standardised residuals over sqrt(N). Where responses outnumber samples, only N x N
matrices are formed::

    (w I + (1 - w) R'R)^-1 = (I - (1 - w) R' (w I + (1 - w) R R')^-1 R) / w
    |w I_q + (1 - w) R'R|  = w^(q - N) |w I_N + (1 - w) R R'|
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import linalg

from scorecast._core.types import FloatArray
from scorecast.exceptions import InsufficientDataError, InvalidInputError

__all__ = ["ResidualCovariance", "ledoit_wolf_weight"]


@dataclass(frozen=True)
class ResidualCovariance:
    """A shrunk covariance, kept as a factor of its smaller side.

    Parameters
    ----------
    weight : float
        Weight w of the diagonal, between 0 and 1.
    spread : ndarray of shape (n_responses,)
        Standard deviation of each residual.
    standard : ndarray of shape (n_samples, n_responses) or None
        Standardised residuals over sqrt(n_samples); None where the factor is that of
        the responses and needs them no more.
    factor : ndarray
        Lower Cholesky factor: of w I + (1 - w) R R' if `standard` is kept, else of
        w I + (1 - w) R'R.
    """

    weight: float
    spread: FloatArray
    standard: FloatArray | None
    factor: FloatArray

    @classmethod
    def of(
        cls,
        residuals: FloatArray,
        *,
        weight: float | Literal["ledoit-wolf"] = "ledoit-wolf",
        overwrite: bool = False,
    ) -> ResidualCovariance:
        """Estimate the covariance.

        Parameters
        ----------
        residuals : ndarray of shape (n_samples, n_responses)
            Residuals; their mean is taken to be zero.
        weight : float or "ledoit-wolf", default="ledoit-wolf"
            Weight of the diagonal; `ledoit_wolf_weight` if it is not stated.
        overwrite : bool, default=False
            Whether the residuals may be changed, which saves a copy of them.

        Returns
        -------
        ResidualCovariance
            The covariance.

        Raises
        ------
        InvalidInputError
            If a response has no residual at all, or one too large to be squared.
        InsufficientDataError
            If the covariance is singular.
        """
        n, q = residuals.shape
        with np.errstate(over="ignore"):
            spread = np.sqrt(np.einsum("ij,ij->j", residuals, residuals) / n)
        _refuse_degenerate(spread)
        scale = spread * np.sqrt(n)
        standard = np.divide(residuals, scale, out=residuals if overwrite else None)
        wide = q > n
        small = standard @ standard.T if wide else standard.T @ standard
        if weight == "ledoit-wolf":
            weight = ledoit_wolf_weight(standard, float((small**2).sum()))
        small *= 1.0 - weight
        small[np.diag_indices_from(small)] += weight
        factor = _factor(small, weight, n, q)
        return cls(float(weight), spread, standard if wide else None, factor)

    @property
    def n_responses(self) -> int:
        """Number of responses."""
        return self.spread.size

    def log_determinant(self) -> float:
        """Return the logarithm of the determinant."""
        total = 2.0 * float(np.log(self.spread).sum())
        total += 2.0 * float(np.log(np.diag(self.factor)).sum())
        if self.standard is not None:
            n, q = self.standard.shape
            total += (q - n) * float(np.log(self.weight))
        return total

    def squared_norms(self, rows: FloatArray) -> FloatArray:
        """Return the squared Mahalanobis length of every row.

        Parameters
        ----------
        rows : ndarray of shape (m, n_responses)
            Deviations from a mean.

        Returns
        -------
        ndarray of shape (m,)
            Squared lengths.
        """
        units = rows / self.spread
        if self.standard is None:
            white = linalg.solve_triangular(self.factor, units.T, lower=True)
            return _column_squares(white)
        inside = linalg.solve_triangular(
            self.factor, self.standard @ units.T, lower=True
        )
        outside = _column_squares(units.T)
        lengths = (
            outside - (1.0 - self.weight) * _column_squares(inside)
        ) / self.weight
        return np.maximum(lengths, 0.0)

    def solve(self, rows: FloatArray) -> FloatArray:
        """Multiply every row by the inverse of the covariance.

        Parameters
        ----------
        rows : ndarray of shape (m, n_responses)
            Rows.

        Returns
        -------
        ndarray of shape (m, n_responses)
            Rows times the inverse.
        """
        units = rows / self.spread
        factor = (self.factor, True)
        if self.standard is None:
            solved: FloatArray = linalg.cho_solve(factor, units.T).T / self.spread
            return solved
        inside = linalg.cho_solve(factor, self.standard @ units.T)
        inside *= 1.0 - self.weight
        units -= inside.T @ self.standard
        units /= self.weight * self.spread
        return units


def ledoit_wolf_weight(standard: FloatArray, sum_of_squares: float) -> float:
    """Return the weight of the diagonal that costs least squared error.

    Ledoit and Wolf's rule for this target: the summed variance of the entries off the
    diagonal over their summed squares. Each response is measured in units of its own
    spread, taken as known, so that units do not matter. An entry r_ij is then a mean of
    N products z_ki z_kj of standardised residuals, and its variance is
    (mean_k z_ki^2 z_kj^2 - r_ij^2) / (N - 1). No q x q matrix is formed.

    Parameters
    ----------
    standard : ndarray of shape (n_samples, n_responses)
        Residuals whose columns have length one.
    sum_of_squares : float
        Sum of all r_ij^2, i = j among them.

    Returns
    -------
    float
        Weight between 0 and 1; 1 if no two responses are correlated.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> noise = rng.normal(size=(200, 50))
    >>> unit = noise / np.linalg.norm(noise, axis=0)
    >>> ledoit_wolf_weight(unit, np.sum((unit.T @ unit) ** 2)) > 0.9
    True
    """
    n, q = standard.shape
    apart = sum_of_squares - q
    if apart <= n * np.finfo(np.float64).eps * sum_of_squares:  # rounding
        return 1.0
    squares = np.einsum("ij,ij->i", standard, standard)
    fourths = np.einsum("ij,ij,ij,ij->i", standard, standard, standard, standard)
    products = n * float((squares**2 - fourths).sum())
    return float(np.clip((products - apart) / ((n - 1) * apart), 0.0, 1.0))


def _factor(small: FloatArray, weight: float, n: int, q: int) -> FloatArray:
    hint = "Give a greater `shrinkage`, fewer responses, or more samples."
    if weight == 0.0 and q > n:
        msg = (
            f"The covariance of {q:,} responses is singular with {n:,} samples and no "
            f"shrinkage. {hint}"
        )
        raise InsufficientDataError(msg)
    least = small.shape[0] * np.finfo(np.float64).eps
    try:
        factor: FloatArray = linalg.cholesky(small, lower=True)
    except linalg.LinAlgError:
        factor = np.zeros_like(small)
    # A pivot of the order of rounding is a zero that was not hit exactly.
    if float(np.diag(factor).min()) ** 2 <= least:
        msg = f"The covariance of the residuals is singular at shrinkage {weight:g}. "
        raise InsufficientDataError(msg + hint)
    return factor


def _refuse_degenerate(spread: FloatArray) -> None:
    bad = ~(np.isfinite(spread) & (spread > 0.0))
    if bad.any():
        column = int(np.argmax(bad))
        what = "no residual" if spread[column] == 0.0 else "residuals too large"
        msg = (
            f"{int(bad.sum()):,} response(s) have {what} for a covariance; the first "
            f"is column {column + 1}. Remove or rescale them."
        )
        raise InvalidInputError(msg)


def _column_squares(columns: FloatArray) -> FloatArray:
    squares: FloatArray = np.einsum("ij,ij->j", columns, columns)
    return squares
