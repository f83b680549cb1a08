"""Values that were measured with noise, in part or only up to a limit."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from scorecast._core.types import BoolArray, FloatArray
from scorecast.exceptions import InvalidInputError, UsageError


@dataclasses.dataclass(frozen=True, eq=False)
class Noise:
    """Student noise of measurements, independent between coordinates given its scale.

    Parameters
    ----------
    precision : array of shape (N,)
        Diagonal of S_n; one over the square root of an entry is a typical deviation.
    shape : float, default=5
        m_n: half the degrees of freedom; the rate is the same, as in the paper.
    """

    precision: FloatArray
    shape: float = 5.0

    def __post_init__(self) -> None:
        precision = np.atleast_1d(np.array(self.precision, dtype=np.float64))
        if precision.ndim != 1 or not (np.isfinite(precision) & (precision > 0)).all():
            raise UsageError("must hold positive numbers", parameter="precision")
        if not 0.0 < self.shape < np.inf:
            problem = f"must be positive; got {self.shape!r}"
            raise UsageError(problem, parameter="shape")
        object.__setattr__(self, "precision", precision)

    def log_density(self, x: ArrayLike) -> FloatArray:
        """Return the log density of noise vectors.

        Parameters
        ----------
        x : array of shape (..., N)
            Differences between measurement and truth.

        Returns
        -------
        array of shape (...)
            Log densities.
        """
        m, n = self.shape, len(self.precision)
        square = np.asarray(x, dtype=np.float64) ** 2 @ self.precision
        level = 0.5 * np.log(self.precision / (2.0 * np.pi)).sum()
        level += gammaln(m + 0.5 * n) - gammaln(m) - 0.5 * n * np.log(m)
        power = m + 0.5 * n
        return np.asarray(level - power * np.log1p(0.5 * square / m))


@dataclasses.dataclass(frozen=True, eq=False)
class Observations:
    """Noisy measurements of vectors, coordinate 0 perhaps censored from the right.

    Parameters
    ----------
    values : array of shape (n, N)
        What was measured; NaN where it was not (coordinate 0 always is). Of a censored
        case coordinate 0 is the limit that its measurement would have exceeded.
    is_censored : array of bool of shape (n,)
        Whether it is a limit.
    noise : Noise
        Of every measurement.
    """

    values: FloatArray
    is_censored: BoolArray
    noise: Noise

    def __post_init__(self) -> None:
        values = np.array(self.values, dtype=np.float64)
        censored = np.array(self.is_censored, dtype=bool)
        n_noisy = len(self.noise.precision)
        if values.ndim != 2 or len(values) == 0 or values.shape[1] != n_noisy:
            problem = f"must have shape (n, {n_noisy}), n >= 1; got {values.shape}"
            raise InvalidInputError(problem, parameter="values")
        if censored.shape != values.shape[:1]:
            problem = f"must have shape ({len(values)},); got {censored.shape}"
            raise InvalidInputError(problem, parameter="is_censored")
        if np.isinf(values).any() or np.isnan(values[:, 0]).any():
            raise InvalidInputError(
                "must be finite, or NaN where nothing was measured; the first "
                "coordinate must be known",
                parameter="values",
            )
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "is_censored", censored)

    @property
    def n_dims(self) -> int:
        """Number of coordinates N."""
        return int(self.values.shape[1])

    def __len__(self) -> int:
        return len(self.values)

    def filled(self) -> FloatArray:
        """Return values to begin with: medians where nothing was measured."""
        filled = self.values.copy()
        for i in range(1, self.n_dims):
            column = filled[:, i]
            known = column[~np.isnan(column)]
            column[np.isnan(column)] = np.median(known) if known.size else 0.0
        return filled

    def tobytes(self) -> bytes:
        """Return everything that a run rests on, for its fingerprint."""
        parts = (self.values, self.is_censored, self.noise.precision)
        return b"".join(a.tobytes() for a in parts) + repr(self.noise.shape).encode()
