"""The proGamma distributions: conjugate priors of the shape of a Gamma or Wishart."""

from __future__ import annotations

import dataclasses
import functools
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.rng import as_generator
from scorecast._core.types import FloatArray, RandomState
from scorecast.exceptions import UsageError

_N_NODES = 4001


@dataclasses.dataclass(frozen=True)
class ProGamma:
    """Distribution of a shape m, conjugate to Gamma and Wishart variables.

    With q = (n_dims - 1)/2 and Lg(m) the sum of log Gamma(m + j/2) over j < n_dims, the
    log density is, up to a constant,

    - kind 0, m > 0: -(a + n b) m - b Lg(m), where the rate R of the variables is known;
    - kind 1, m > 1: the same plus n b (m + q) log(m - 1), where R = (m - 1) T;
    - kind 2, m > 0: the same plus n b (m + q) log(m + q), where R = (m + q) T.

    All are log-concave, which makes the sampler exact.

    Parameters
    ----------
    a, b : float
        b > 0 counts variables; a > 0 for kinds 1 and 2.
    n_dims : int, default=1
        Rows of the Wishart variables; 1 for Gamma variables.
    kind : {0, 1, 2}, default=1
        How the rate of the variables depends on m.

    Examples
    --------
    >>> from scorecast.mixtures import ProGamma
    >>> round(ProGamma(1, 3).mean(), 4)
    3.6336
    """

    a: float
    b: float
    n_dims: int = 1
    kind: Literal[0, 1, 2] = 1

    def __post_init__(self) -> None:
        if self.kind not in {0, 1, 2} or self.n_dims < 1:
            problem = "must be 0, 1 or 2, of one dimension or more"
            raise UsageError(problem, parameter="kind")
        if not self.b > 0 or (self.kind != 0 and not self.a > 0):
            name = "a" if self.b > 0 else "b"
            problem = f"must be positive; got {getattr(self, name)!r}"
            raise UsageError(problem, parameter=name)

    @property
    def low(self) -> float:
        """Left end of the support."""
        return 1.0 if self.kind == 1 else 0.0

    def log_density(self, m: ArrayLike) -> FloatArray:
        """Return the normalised log density.

        Parameters
        ----------
        m : array-like
            Places.

        Returns
        -------
        array
            Minus infinity outside the support.
        """
        m = np.asarray(m, dtype=np.float64)
        inside = m > self.low
        values = self._log_kernel(np.where(inside, m - self.low, 1.0))
        result: FloatArray = np.where(inside, values - self.log_normaliser, -np.inf)
        return result

    def update(self, n: int, divergence: float) -> ProGamma:
        """Return the posterior after `n` variables.

        Parameters
        ----------
        n : int
            How many.
        divergence : float
            Kinds 1 and 2: the sum of tr(T S) - log det(T S) - n_dims, never negative.
            Kind 0: minus the sum of log det(R S) + n_dims.

        Returns
        -------
        ProGamma
            With a increased by `divergence` and b by `n`.
        """
        return dataclasses.replace(self, a=self.a + divergence, b=self.b + n)

    def sample(self, n: int, *, random_state: RandomState = None) -> FloatArray:
        """Draw exactly.

        Parameters
        ----------
        n : int
            Number of draws.
        random_state : int, Generator or None
            Source of randomness.

        Returns
        -------
        array of shape (n,)
            The draws.
        """
        from scorecast.mixtures.kernels.special import draw_pro_gammas

        out = np.empty(n)
        rng = as_generator(random_state)
        draw_pro_gammas(rng, float(self.a), float(self.b), self.n_dims, self.kind, out)
        return out + self.low

    def mean(self) -> float:
        """Return the mean."""
        places, weights = self._quadrature
        return float(self.low + weights @ places)

    def std(self) -> float:
        """Return the standard deviation."""
        places, weights = self._quadrature
        return float(np.sqrt(weights @ (places - weights @ places) ** 2))

    def mode(self) -> float:
        """Return where the density is highest."""
        from scipy.optimize import brentq

        places, _ = self._quadrature
        return self.low + float(brentq(self._slope, places[0], places[-1], xtol=1e-13))

    def _slope(self, d: float) -> float:
        """Return the derivative of the log density."""
        from scipy.special import digamma

        n, q, m = self.n_dims, 0.5 * (self.n_dims - 1), self.low + d
        total = -(self.a + n * self.b)
        if self.kind == 1:
            total += n * self.b * (np.log(d) + (m + q) / d)
        elif self.kind == 2:
            total += n * self.b * (np.log(m + q) + 1.0)
        return float(total - self.b * sum(digamma(m + 0.5 * j) for j in range(n)))

    @property
    def log_normaliser(self) -> float:
        """Log of the integral of the density as it stands in the class notes."""
        return self._log_mass

    def _log_kernel(self, d: FloatArray) -> FloatArray:
        """Log density, not normalised, at a distance d from the end of the support."""
        from scipy.special import gammaln

        q = 0.5 * (self.n_dims - 1)
        m = self.low + d
        total = -(self.a + self.n_dims * self.b) * m
        if self.kind == 1:
            total = total + self.n_dims * self.b * (m + q) * np.log(d)
        elif self.kind == 2:
            total = total + self.n_dims * self.b * (m + q) * np.log(m + q)
        for j in range(self.n_dims):
            total = total - self.b * gammaln(m + 0.5 * j)
        return np.asarray(total)

    @functools.cached_property
    def _quadrature(self) -> tuple[FloatArray, FloatArray]:
        """Nodes d and weights, equally spaced in log d where the mass is."""
        rough = np.linspace(-80.0, 80.0, _N_NODES)
        logs = self._log_kernel(np.exp(rough)) + rough
        inside = np.flatnonzero(logs > logs.max() - 50.0)
        first, last = max(inside[0] - 1, 0), min(inside[-1] + 1, _N_NODES - 1)
        v = np.linspace(rough[first], rough[last], _N_NODES)
        logs = self._log_kernel(np.exp(v)) + v
        weights = np.exp(logs - logs.max())
        return np.exp(v), weights / weights.sum()

    @functools.cached_property
    def _log_mass(self) -> float:
        places, weights = self._quadrature
        v = np.log(places)
        top = int(np.argmax(weights))
        kernel = float(self._log_kernel(places[top : top + 1])[0]) + v[top]
        return float(kernel - np.log(weights[top]) + np.log(v[1] - v[0]))
