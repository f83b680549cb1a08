"""The covariance of what stimuli leave unexplained, shrunk toward its diagonal.

With residuals E (N samples x q responses), Sigma = ((1 - w) E'E + w Diag(E'E)) / N.
In units of each response's own spread this is w I + (1 - w) R'R, with R the
standardised residuals over sqrt(N). Where responses outnumber samples, only N x N
matrices are formed::

    (w I + (1 - w) R'R)^-1 = (I - (1 - w) R' (w I + (1 - w) R R')^-1 R) / w
    |w I_q + (1 - w) R'R|  = w^(q - N) |w I_N + (1 - w) R R'|
"""

from __future__ import annotations

import numbers
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from scorecast._core.registry import Method, Registry
from scorecast._core.types import FloatArray
from scorecast.exceptions import (
    InsufficientDataError,
    InvalidInputError,
    Location,
    UsageError,
)


@dataclass(frozen=True, kw_only=True)
class Shrinkage(Method):
    """A rule for the weight of the diagonal in a covariance.

    Attributes
    ----------
    weight : callable
        Takes standardised residuals whose columns have length one, and the sum of all
        squared correlations, those of responses with themselves among them; returns a
        weight from 0 to 1.
    """

    weight: Callable[[FloatArray, float], float]


def ledoit_wolf_weight(standard: FloatArray, sum_of_squares: float) -> float:
    """Return the weight of the diagonal that costs least squared error.

    Ledoit and Wolf's rule for this target: the summed variance of the entries off the
    diagonal over their summed squares. Each response is measured in units of its own
    spread, taken as known, so that units do not matter. An entry r_ij is then a mean of
    N products z_ki z_kj of standardised residuals, and its variance is
    (mean_k z_ki^2 z_kj^2 - r_ij^2) / (N - 1). No q x q matrix is formed.

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


SHRINKAGES: Registry[Shrinkage] = Registry()
SHRINKAGES.add(
    Shrinkage(
        name="ledoit-wolf",
        title="shrinkage after Ledoit and Wolf",
        summary="the weight of least squared error, from the residuals themselves",
        reference="O. Ledoit and M. Wolf (2004). A well-conditioned estimator for "
        "large-dimensional covariance matrices. Journal of Multivariate Analysis 88.",
        weight=ledoit_wolf_weight,
    )
)


def check_shrinkage(shrinkage: float | str) -> float | str:
    """Return the name of a rule, or a weight of the diagonal from 0 to 1."""
    if isinstance(shrinkage, str):
        return SHRINKAGES.choose(shrinkage, parameter="shrinkage").name
    if isinstance(shrinkage, numbers.Real) and 0.0 <= float(shrinkage) <= 1.0:
        return float(shrinkage)
    problem = f"must be {', '.join(SHRINKAGES)} or lie in [0, 1]; got {shrinkage!r}"
    raise UsageError(problem, parameter="shrinkage")


@dataclass(frozen=True)
class ResidualCovariance:
    """A shrunk covariance, kept as a factor of its smaller side.

    Attributes
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
        shrinkage: float | str = "ledoit-wolf",
        overwrite: bool = False,
    ) -> ResidualCovariance:
        """Estimate the covariance.

        Parameters
        ----------
        residuals : ndarray of shape (n_samples, n_responses)
            Residuals; their mean is taken to be zero.
        shrinkage : float or str, default="ledoit-wolf"
            Weight of the diagonal, or a rule of `SHRINKAGES`.
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
        is_wide = q > n
        small = standard @ standard.T if is_wide else standard.T @ standard
        if isinstance(shrinkage, str):
            weight = SHRINKAGES[shrinkage].weight(standard, float((small**2).sum()))
        else:
            weight = shrinkage
        small *= 1.0 - weight
        small[np.diag_indices_from(small)] += weight
        factor = _factor(small, weight, n, q)
        return cls(float(weight), spread, standard if is_wide else None, factor)

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
        """Return the squared Mahalanobis length of every row."""
        solve = scipy.linalg.solve_triangular
        units = rows / self.spread
        if self.standard is None:
            return _column_squares(solve(self.factor, units.T, lower=True))
        inside = solve(self.factor, self.standard @ units.T, lower=True)
        outside = _column_squares(units.T)
        lengths = outside - (1.0 - self.weight) * _column_squares(inside)
        return np.maximum(lengths / self.weight, 0.0)

    def solve(self, rows: FloatArray) -> FloatArray:
        """Multiply every row by the inverse of the covariance."""
        units = rows / self.spread
        factor = (self.factor, True)
        if self.standard is None:
            solved = scipy.linalg.cho_solve(factor, units.T).T / self.spread
            return np.asarray(solved)
        inside = scipy.linalg.cho_solve(factor, self.standard @ units.T)
        inside *= 1.0 - self.weight
        units -= inside.T @ self.standard
        units /= self.weight * self.spread
        return np.asarray(units)


def _factor(small: FloatArray, weight: float, n: int, q: int) -> FloatArray:
    remedy = "shrink more, or give fewer responses or more samples"
    if weight == 0.0 and q > n:
        problem = (
            f"the covariance of {q:,} responses is singular with {n:,} samples and no "
            "shrinkage"
        )
        raise InsufficientDataError(problem, parameter="responses", remedy=remedy)
    least = small.shape[0] * np.finfo(np.float64).eps
    try:
        factor: FloatArray = scipy.linalg.cholesky(small, lower=True)
    except np.linalg.LinAlgError:
        factor = np.zeros_like(small)
    # A pivot of the order of rounding is a zero that was not hit exactly.
    if float(np.diag(factor).min()) ** 2 <= least:
        problem = f"the covariance of the residuals is singular at shrinkage {weight:g}"
        raise InsufficientDataError(problem, parameter="responses", remedy=remedy)
    return factor


def _refuse_degenerate(spread: FloatArray) -> None:
    bad = ~(np.isfinite(spread) & (spread > 0.0))
    if bad.any():
        first = int(np.argmax(bad))
        what = "no residual" if spread[first] == 0.0 else "residuals too large"
        problem = (
            f"{int(bad.sum()):,} of them, this first, have {what} for a covariance"
        )
        raise InvalidInputError(
            problem,
            parameter="responses",
            location=Location(column=str(first + 1)),
            remedy="remove or rescale them",
        )


def _column_squares(columns: FloatArray) -> FloatArray:
    squares: FloatArray = np.einsum("ij,ij->j", columns, columns)
    return squares
