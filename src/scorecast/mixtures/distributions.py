"""Skew-Student distributions in any number of dimensions, and mixtures of them.

x = location + skew / sqrt(alpha) + e, e normal with precision alpha * precision, and
alpha Gamma with the given shape and rate. Large alpha: a normal; small alpha: long
tails, leaning the way of the skew.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scorecast._core.rng import as_generator
from scorecast._core.types import FloatArray, RandomState
from scorecast.exceptions import InvalidInputError, UsageError

_NO_PRECISION = "must be a symmetric matrix with positive eigenvalues"


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
    from scorecast.mixtures.kernels.special import log_integrals

    shape = np.broadcast_shapes(np.shape(p), np.shape(a), np.shape(b))
    full = (np.array(np.broadcast_to(v, shape), dtype=np.float64) for v in (p, a, b))
    out = np.empty(shape)
    flat_p, flat_a, flat_b = (v.reshape(-1) for v in full)
    log_integrals(flat_p, flat_a, flat_b, out.reshape(-1))
    return out


@dataclass(frozen=True, eq=False)
class SkewStudent:
    r"""A skew-Student distribution.

    .. math::

        x = \mu + \nu / \sqrt{\alpha} + e, \quad
        e \sim N(0, (\alpha S)^{-1}), \quad \alpha \sim \Gamma(m, r)

    Parameters
    ----------
    location, skew : array of shape (N,), or number
        Where it sits and which way its tail leans.
    precision : array of shape (N, N), or number
        Inverse covariance of the normal part at alpha = 1.
    shape, rate : float
        Of the Gamma distribution of alpha; tails fall like ``|x|^-(2 shape + N)``.

    References
    ----------
    R. Sewell (2024). Assessment of the quality of a prediction, appendix B.1.

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
            problem = (
                f"location {location.shape}, skew {skew.shape} and precision "
                f"{precision.shape} must be (N,), (N,) and (N, N)"
            )
            raise InvalidInputError(problem, parameter="location")
        if not np.allclose(precision, precision.T, rtol=1e-9, atol=0.0):
            raise InvalidInputError(_NO_PRECISION, parameter="precision")
        if not (0 < self.shape < math.inf and 0 < self.rate < math.inf):
            name = "rate" if 0 < self.shape < math.inf else "shape"
            problem = f"must be positive; got {getattr(self, name)!r}"
            raise UsageError(problem, parameter=name)
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
            raise InvalidInputError(_NO_PRECISION, parameter="precision") from error

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
            problem = f"a cdf is of one dimension, not of {self.n_dims}"
            raise UsageError(problem, parameter="x", remedy="take a marginal first")
        y = np.asarray(x, dtype=np.float64) - self.location[0]
        root = float(self._factor[0, 0])
        lean = root * float(self.skew[0])
        return _skew_student_cdf(y, lean, root, self.shape, self.rate)

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


@dataclass(frozen=True, eq=False)
class SkewStudentMixture:
    """Skew-Student components with weights that sum to one.

    Parameters
    ----------
    weights : array of shape (C,)
        Their probabilities.
    components : tuple of SkewStudent
        All of the same number of dimensions.

    Examples
    --------
    >>> from scorecast.mixtures import SkewStudent, SkewStudentMixture
    >>> parts = SkewStudent(0.0, 0.0, 1.0, 3, 2), SkewStudent(4.0, 0.0, 1.0, 3, 2)
    >>> SkewStudentMixture([0.75, 0.25], parts).mean().tolist()
    [1.0]
    """

    weights: FloatArray
    components: tuple[SkewStudent, ...]

    def __post_init__(self) -> None:
        weights = np.asarray(self.weights, dtype=np.float64)
        fits = weights.shape == (len(self.components),)
        if not fits or (weights < 0).any() or abs(weights.sum() - 1.0) > 1e-9:
            problem = "must be one per component, none negative, summing to one"
            raise InvalidInputError(problem, parameter="weights")
        object.__setattr__(self, "weights", weights)

    @property
    def n_dims(self) -> int:
        """Number of coordinates N."""
        return self.components[0].n_dims

    def log_density(self, x: ArrayLike) -> FloatArray:
        """Return the log density.

        Parameters
        ----------
        x : array-like
            Places, as in `SkewStudent.log_density`.

        Returns
        -------
        array
            The log densities.
        """
        with np.errstate(divide="ignore"):
            logs = [
                np.log(w) + c.log_density(x)
                for w, c in zip(self.weights, self.components, strict=True)
            ]
        return np.asarray(functools.reduce(np.logaddexp, logs))

    def density(self, x: ArrayLike) -> FloatArray:
        """Return the density.

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
            Probabilities.
        """
        parts = zip(self.weights, self.components, strict=True)
        return np.asarray(sum(w * c.cdf(x) for w, c in parts))

    def mean(self) -> FloatArray:
        """Return the mean."""
        parts = zip(self.weights, self.components, strict=True)
        return np.asarray(sum(w * c.mean() for w, c in parts))

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
            The draws, in random order.
        """
        rng = as_generator(random_state)
        label = rng.choice(len(self.components), size=n, p=self.weights)
        out = np.empty((n, self.n_dims))
        for c, component in enumerate(self.components):
            mine = label == c
            out[mine] = component.sample(int(mine.sum()), random_state=rng)
        return out


@dataclass(frozen=True, eq=False)
class KeptMixture:
    """One draw of the mixture as arrays, one row per component."""

    weight: FloatArray
    location: FloatArray
    skew: FloatArray
    precision: FloatArray
    shape: FloatArray


def as_mixture(kept: KeptMixture, kind: int) -> SkewStudentMixture:
    """Return a kept draw as a distribution; scales have rate m - 1 (kind 1) or m."""
    lag = 1.0 if kind == 1 else 0.0
    parts = zip(kept.location, kept.skew, kept.precision, kept.shape, strict=True)
    components = tuple(SkewStudent(mu, nu, s, m, m - lag) for mu, nu, s, m in parts)
    return SkewStudentMixture(kept.weight / kept.weight.sum(), components)


# The cumulative distribution in one dimension ----------------------------------------
#
# With s = sqrt(alpha), the chance of at most y is the mean of Phi(slope s - lean). The
# normal distribution function is flat but for a window of some 18 units; where it is
# flat the Gamma distribution of alpha gives the rest exactly. So only the part of the
# window that s can reach is integrated, by the tanh-sinh rule, which does not mind a
# density that is singular at zero. Steep windows (large lean) and long tails (small
# shape) then need no more nodes than others.

_STEP = 1 / 32
_N_STEPS = 112  # to either side; the weights beyond are below rounding
_FLAT = 9.0  # standard deviations beyond which the normal distribution function is flat
_NO_MASS = 1e-18
_FAR = 1e150  # as good as infinity, without its arithmetic
_SERIES_FROM = 20.0


def _skew_student_cdf(
    y: FloatArray, lean: float, root: float, shape: float, rate: float
) -> FloatArray:
    """Return the chance that (lean + noise) / (root * s) is at most y.

    `lean` is the skew in units of the noise, `root` the square root of the precision,
    `shape` and `rate` are of the Gamma distribution of s squared. Exact to about 1e-13.
    """
    special = scipy.special
    flat = np.clip(np.ravel(y), -_FAR, _FAR)
    is_left = flat < 0  # mirrored, so that the window lies at positive s
    centre = np.where(is_left, -lean, lean)
    slope = root * np.abs(flat)
    with np.errstate(divide="ignore", invalid="ignore"):
        start = np.nan_to_num(np.maximum(centre - _FLAT, 0.0) / slope, nan=0.0)
        end = np.maximum(centre + _FLAT, 0.0) / slope
    end = np.where(np.isnan(end), 0.0, end)
    least = math.sqrt(special.gammaincinv(shape, _NO_MASS) / rate)
    most = math.sqrt(special.gammainccinv(shape, _NO_MASS) / rate)
    low, high = np.clip(start, least, most), np.clip(end, least, most)
    s = low[:, None] + (high - low)[:, None] * _PLACES
    at_zero = special.ndtr(-centre)
    rise = special.ndtr(slope[:, None] * s - centre[:, None]) - at_zero[:, None]
    window = (high - low) * ((_density(s, shape, rate) * rise) @ _WEIGHTS)
    found = (
        at_zero + (1 - at_zero) * special.gammaincc(shape, rate * end * end) + window
    )
    found = np.clip(np.where(is_left, 1 - found, found), 0.0, 1.0)
    found = np.where(np.isinf(np.ravel(y)), ~is_left, found)
    return np.where(np.isnan(flat), np.nan, found).reshape(np.shape(y))


def _tanh_sinh() -> tuple[FloatArray, FloatArray]:
    """Return places in (0, 1) and weights."""
    t = _STEP * np.arange(-_N_STEPS, _N_STEPS + 1)
    twice = math.pi * np.sinh(t)
    left, right = 1 / (1 + np.exp(-twice)), 1 / (1 + np.exp(twice))
    return left, _STEP * math.pi * np.cosh(t) * left * right


_PLACES, _WEIGHTS = _tanh_sinh()


def _density(s: FloatArray, shape: float, rate: float) -> FloatArray:
    """Return the density of s, written so that large shapes do not cancel."""
    ratio = rate * s * s / shape
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = shape * (np.log(ratio) - (ratio - 1))
        density = 2 / s * np.exp(logs)
    constant = math.sqrt(shape / (2 * math.pi)) * math.exp(-_stirling_rest(shape))
    return np.where(s > 0, density * constant, 0.0)


def _stirling_rest(shape: float) -> float:
    """Return log Gamma less Stirling's formula."""
    if shape < _SERIES_FROM:
        stirling = (shape - 0.5) * math.log(shape) - shape + 0.5 * math.log(2 * math.pi)
        return math.lgamma(shape) - stirling
    r = 1 / shape
    return r / 12 - r**3 / 360 + r**5 / 1260 - r**7 / 1680


# Mixtures of numbers, in NumPy -------------------------------------------------------
#
# For one dimension and scales of rate m - 1 (tail kind 1); nothing is compiled.

_TINY = 1e-300
LOG_2PI = math.log(2 * math.pi)

# Correction of Laplace's method in `log_scale_integral`: least squares to the trapezoid
# rule in log u for q from 3 to 1e5 and q/k from .001 to .999; the error is below 4e-6.
_CORRECTION = np.array(
    [
        [9.9999784273e-01, -1.7502170991e00, 8.3543946317e-01, -6.7089301552e-03,
         9.4441470153e-03, -6.0120992223e-03, 1.3884683976e-03],
        [2.5070315735e00, -1.2380858321e01, 2.0937350319e01, -1.1770690249e01,
         -4.2544505908e00, 6.9305935762e00, -1.9687410935e00],
        [1.0024330375e01, -1.0294564590e02, 4.5310501408e02, -1.0745145712e03,
         1.4107089537e03, -9.5754536522e02, 2.6117763038e02],
        [2.6603806630e02, -2.8009326003e03, 1.0480784043e04, -1.8411431454e04,
         1.5997585011e04, -6.2455359375e03, 7.1322972243e02],
        [-3.0845020829e03, 3.5910229120e04, -1.4968830227e05, 3.0151962301e05,
         -3.1757134861e05, 1.6812044754e05, -3.5204484131e04],
        [4.8024769938e03, -9.4586918348e04, 4.8488908424e05, -1.1072768866e06,
         1.2838105185e06, -7.4081958257e05, 1.6917697262e05],
        [1.2554957255e04, -1.2332643699e04, -2.4647841470e05, 8.9429531470e05,
         -1.2688946064e06, 8.2681917009e05, -2.0595975409e05],
    ]
)  # fmt: skip


def log_scale_integral(q: FloatArray, z: FloatArray) -> FloatArray:
    """Return the log of the integral of u^(q-1) exp(-u^2/2 + z u) over u > 0, q >= 3.

    Laplace's method in log u around its mode u0, with curvature k = q + u0^2, and a
    fitted polynomial in 1/k and q/k for what it leaves out.
    """
    root = np.sqrt(z * z + 4 * q)
    mode = np.where(z < 0, 2 * q / (root - z), 0.5 * (root + z))
    inverse = 1 / (q + mode * mode)
    share = q * inverse
    powers = np.empty((_CORRECTION.shape[1], *z.shape))
    powers[0] = 1
    for j in range(1, len(powers)):
        np.multiply(powers[j - 1], share, out=powers[j])
    rows = (_CORRECTION @ powers.reshape(len(powers), -1)).reshape(-1, *z.shape)
    correction = rows[-1]
    for row in rows[-2::-1]:
        correction *= inverse
        correction += row
    laplace = q * np.log(mode) - 0.5 * mode * mode + z * mode
    return np.asarray(
        laplace + 0.5 * (LOG_2PI + np.log(inverse)) + correction * inverse
    )


class _Interpolant:
    """Polynomials through Chebyshev's nodes on [-1, 1], as sums of powers."""

    def __init__(self, n_nodes: int) -> None:
        self.n_nodes = n_nodes
        self.nodes = np.cos(np.pi * (np.arange(n_nodes) + 0.5) / n_nodes)
        powers = np.vander(self.nodes, n_nodes, increasing=True)
        self.to_powers = np.linalg.inv(powers).T.copy()


# Nodes that keep the error below 1e-5 up to a tilt of so much.
_MOST_TILT = np.array([0.7, 1.5, 3.0, 6.0])
_INTERPOLANTS = tuple(map(_Interpolant, (5, 7, 11, 17)))


def log_densities(
    x: FloatArray,
    location: FloatArray,
    skew: FloatArray,
    precision: FloatArray,
    tail: FloatArray,
    out: FloatArray | None = None,
) -> FloatArray:
    """Return log densities (components, cases), scales of the cases integrated out.

    With v = sqrt(S) (x - mu), t = nu sqrt(S), q = 2 m + 1 and y = v / sqrt(2 d + v^2),
    the log density is m log d - log Gamma(m) + log(S / 2 pi) / 2 - t^2 / 2 + log 2
    - q/2 log(2 d + v^2) + L(t y), where L is `log_scale_integral`. Since |y| < 1, L of
    many cases is read off a polynomial in y.
    """
    shape = 1 + tail
    q = 2 * shape + 1
    root = np.sqrt(precision)
    tilt = skew * root
    constant = shape * np.log(tail) - scipy.special.gammaln(shape) + math.log(2)
    constant += 0.5 * (np.log(precision) - LOG_2PI) - 0.5 * tilt * tilt
    if out is None:
        out = np.empty((location.size, x.size))
    class_of = np.searchsorted(_MOST_TILT, np.abs(tilt))
    if x.size <= 16:
        class_of[:] = len(_MOST_TILT)
    elif location.size <= 64:  # few rows: rather one polynomial for all of them
        class_of[:] = class_of.max(initial=0)
    for number in np.unique(class_of):
        rows = np.flatnonzero(class_of == number)
        if number == len(_MOST_TILT):
            v = root[rows, None] * (x - location[rows, None])
            width = v * v + 2 * tail[rows, None]
            z = v * tilt[rows, None] / np.sqrt(width)
            full = np.broadcast_to(q[rows, None], z.shape)
            logs = log_scale_integral(full, z) - 0.5 * full * np.log(width)
            out[rows] = constant[rows, None] + logs
            continue
        chosen = _INTERPOLANTS[number]
        nodes = np.broadcast_to(q[rows, None], (rows.size, chosen.n_nodes))
        powers = log_scale_integral(nodes, tilt[rows, None] * chosen.nodes)
        powers = powers @ chosen.to_powers
        powers[:, 0] += constant[rows]
        step = max(1, 20_000 // x.size)  # rows that stay in the cache
        for start in range(0, rows.size, step):
            some, power = rows[start : start + step], powers[start : start + step]
            y = np.subtract(x, location[some, None])
            y *= root[some, None]
            width = y * y
            width += 2 * tail[some, None]
            y /= np.sqrt(width)
            total = y * power[:, -1:]
            total += power[:, -2:-1]
            for j in range(chosen.n_nodes - 3, -1, -1):
                total *= y
                total += power[:, j : j + 1]
            np.log(width, out=width)
            width *= (0.5 * q)[some, None]
            np.subtract(total, width, out=total)
            out[some] = total
    return out


def mean_root(tail: FloatArray) -> FloatArray:
    """Return the mean of 1 / sqrt(alpha) for alpha ~ Gamma(1 + d, rate d)."""
    logs = (
        scipy.special.gammaln(tail + 0.5)
        - scipy.special.gammaln(tail + 1)
        + 0.5 * np.log(tail)
    )
    return np.asarray(np.exp(logs))


def mixture_log_densities(x: FloatArray, kept: Sequence[KeptMixture]) -> FloatArray:
    """Return the log density of every mixture at every place (mixtures, n)."""
    location, skew = (np.concatenate([getattr(m, name)[:, 0] for m in kept])
                      for name in ("location", "skew"))  # fmt: skip
    precision = np.concatenate([m.precision[:, 0, 0] for m in kept])
    tail = np.concatenate([m.shape for m in kept]) - 1
    weight = np.concatenate([m.weight / m.weight.sum() for m in kept])
    sizes = np.array([m.weight.size for m in kept])
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    rows = log_densities(x, location, skew, precision, tail)
    rows += np.log(np.maximum(weight, _TINY))[:, None]
    top = np.maximum.reduceat(rows, first, axis=0)
    rows = np.exp(rows - np.repeat(top, sizes, axis=0))
    return np.asarray(top + np.log(np.add.reduceat(rows, first, axis=0)))
