"""The skew-Student distribution in any number of dimensions.

x = location + skew / sqrt(alpha) + e, e normal with precision alpha * precision, and
alpha Gamma with the given shape and rate. Large alpha: a normal; small alpha: long
tails, leaning the way of the skew.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.rng import as_generator
from scorecast._core.types import FloatArray, RandomState
from scorecast.exceptions import InvalidInputError, UsageError
from scorecast.mixtures.skew_student_cdf import skew_student_cdf

__all__ = ["SkewStudent", "log_half_normal_integral"]


def log_half_normal_integral(p: ArrayLike, a: ArrayLike, b: ArrayLike) -> FloatArray:
    """Return the log of the integral of s^p exp(-a s^2 + b s) over s > 0.

    Exact to about 1e-13 also where hypergeometric functions would cancel (b << 0).

    Parameters
    ----------
    p, a, b : array-like
        p > -1, a > 0, any b.

    Returns
    -------
    array
        Of the broadcast shape.
    """
    from scorecast.mixtures.kernels.half_normal import log_integrals

    shape = np.broadcast_shapes(np.shape(p), np.shape(a), np.shape(b))
    full = (np.array(np.broadcast_to(v, shape), dtype=np.float64) for v in (p, a, b))
    out = np.empty(shape)
    flat_p, flat_a, flat_b = (v.reshape(-1) for v in full)
    log_integrals(flat_p, flat_a, flat_b, out.reshape(-1))
    return out


@dataclasses.dataclass(frozen=True, eq=False)
class SkewStudent:
    """A skew-Student distribution.

    Parameters
    ----------
    location, skew : array of shape (N,), or number
        Where it sits and which way its tail leans.
    precision : array of shape (N, N), or number
        Inverse covariance of the normal part at alpha = 1.
    shape, rate : float
        Of the Gamma distribution of alpha; tails fall like ``|x|^-(2 shape + N)``.

    Examples
    --------
    >>> from scorecast.mixtures import SkewStudent
    >>> one = SkewStudent(0.1, 0.6, 1.0, shape=1.5, rate=0.5)
    >>> round(float(one.mean()[0]), 6)
    0.578731
    """

    location: FloatArray
    skew: FloatArray
    precision: FloatArray
    shape: float
    rate: float

    def __post_init__(self) -> None:
        location = np.atleast_1d(np.asarray(self.location, dtype=np.float64))
        skew = np.atleast_1d(np.asarray(self.skew, dtype=np.float64))
        precision = np.array(self.precision, dtype=np.float64, ndmin=2)
        if skew.shape != location.shape or precision.shape != 2 * location.shape:
            msg = (
                f"location {location.shape}, skew {skew.shape} and precision "
                f"{precision.shape} must be (N,), (N,) and (N, N)."
            )
            raise InvalidInputError(msg)
        if not np.allclose(precision, precision.T, rtol=1e-9, atol=0.0):
            msg = "`precision` must be a symmetric matrix with positive eigenvalues."
            raise InvalidInputError(msg)
        if not (0 < self.shape < math.inf and 0 < self.rate < math.inf):
            msg = f"shape and rate must be positive; got {self.shape}, {self.rate}."
            raise UsageError(msg)
        object.__setattr__(self, "location", location)
        object.__setattr__(self, "skew", skew)
        object.__setattr__(self, "precision", precision)

    @property
    def n_dims(self) -> int:
        """Number of coordinates N."""
        return int(self.location.size)

    @functools.cached_property
    def _factor(self) -> FloatArray:
        try:
            return np.asarray(np.linalg.cholesky(self.precision))
        except np.linalg.LinAlgError as error:
            msg = "`precision` must be a symmetric matrix with positive eigenvalues."
            raise InvalidInputError(msg) from error

    def log_density(self, x: ArrayLike) -> FloatArray:
        """Return the log density.

        Parameters
        ----------
        x : array of shape (n, N), (N,), or (n,) where N = 1
            Places.

        Returns
        -------
        array of shape (n,), or a number
            The log densities.
        """
        places, single = self._places(x)
        y = (places - self.location) @ self._factor
        tilt = self._factor.T @ self.skew
        m, n = self.shape, self.n_dims
        half = float(np.log(np.diag(self._factor)).sum()) - 0.5 * float(tilt @ tilt)
        half -= 0.5 * n * math.log(2 * math.pi)
        constant = m * math.log(self.rate) - math.lgamma(m) + half + math.log(2.0)
        a = self.rate + 0.5 * np.sum(y * y, axis=1)
        values = constant + log_half_normal_integral(2 * m + n - 1, a, y @ tilt)
        return values[0] if single else values

    def density(self, x: ArrayLike) -> FloatArray:
        """Return the density; see `log_density`.

        Parameters
        ----------
        x : array-like
            Places.

        Returns
        -------
        array
            The densities.
        """
        return np.exp(self.log_density(x))

    def cdf(self, x: ArrayLike) -> FloatArray:
        """Return the probability of at most x, in one dimension.

        Parameters
        ----------
        x : array-like
            Places.

        Returns
        -------
        array
            Probabilities, exact to about 1e-13 for any skew and shape.

        Raises
        ------
        UsageError
            If there is more than one dimension.
        """
        if self.n_dims != 1:
            msg = "cdf is for one dimension; take a marginal first."
            raise UsageError(msg)
        y = np.asarray(x, dtype=np.float64) - self.location[0]
        root = float(self._factor[0, 0])
        lean = root * float(self.skew[0])
        return skew_student_cdf(y, lean, root, self.shape, self.rate)

    def mean(self) -> FloatArray:
        """Return the mean; not a number unless shape > 1/2."""
        if self.shape <= 0.5:
            return np.full(self.n_dims, np.nan)
        return np.asarray(self.location + self.skew * self._root_moment)

    def covariance(self) -> FloatArray:
        """Return the covariance; not a number unless shape > 1."""
        if self.shape <= 1.0:
            return np.full(2 * (self.n_dims,), np.nan)
        scale = self.rate / (self.shape - 1.0)
        lean = scale - self._root_moment**2
        inverse = np.linalg.inv(self.precision)
        return np.asarray(scale * inverse + lean * np.outer(self.skew, self.skew))

    def sample(self, n: int, *, random_state: RandomState = None) -> FloatArray:
        """Draw.

        Parameters
        ----------
        n : int
            Number of draws.
        random_state : int, Generator or None
            Source of randomness.

        Returns
        -------
        array of shape (n, N)
            The draws.
        """
        rng = as_generator(random_state)
        root = np.sqrt(rng.gamma(self.shape, 1.0 / self.rate, size=(n, 1)))
        noise = rng.standard_normal((n, self.n_dims))
        spread = np.linalg.solve(self._factor.T, noise.T).T
        return np.asarray(self.location + (self.skew + spread) / root)

    def marginal(self, coordinates: Sequence[int]) -> SkewStudent:
        """Return the distribution of some of the coordinates, again skew-Student.

        Parameters
        ----------
        coordinates : sequence of int
            Which ones, in which order.

        Returns
        -------
        SkewStudent
            Their distribution.
        """
        index = list(coordinates)
        covariance = np.linalg.inv(self.precision)[np.ix_(index, index)]
        precision = np.linalg.inv(covariance)
        return SkewStudent(
            self.location[index], self.skew[index], precision, self.shape, self.rate
        )

    def conditional_log_density(self, x: ArrayLike, given: Sequence[int]) -> FloatArray:
        """Return the log density of the other coordinates given some of them.

        Parameters
        ----------
        x : array of shape (n, N)
            All coordinates.
        given : sequence of int
            Which of them are known.

        Returns
        -------
        array of shape (n,)
            Joint over marginal, in logs.
        """
        places, single = self._places(x)
        known = self.marginal(given).log_density(places[:, list(given)])
        values = np.asarray(self.log_density(places)) - known
        return values[0] if single else values

    @functools.cached_property
    def _root_moment(self) -> float:
        """Mean of 1 / sqrt(alpha)."""
        logs = math.lgamma(self.shape - 0.5) - math.lgamma(self.shape)
        return math.sqrt(self.rate) * math.exp(logs)

    def _places(self, x: ArrayLike) -> tuple[FloatArray, bool]:
        """Return places as (n, N), and whether a single one was given."""
        x = np.asarray(x, dtype=np.float64)
        single = x.ndim == 0 or (x.ndim == 1 and self.n_dims > 1)
        places = x.reshape(-1, self.n_dims)
        return places, single
