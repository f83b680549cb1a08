"""Features whose values are skewed, in one of two ways.

``"tail"``: a share of the values lies far above the rest, anywhere between 3 and 6.7
standard deviations over the mean of the feature, and tells nothing of the class (after
Guo and others, 2010). ``"gamma"``: values keep mean and standard deviation of their
component and follow a gamma distribution of the stated skewness.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import gammainc, gammaincinv, gammaln, ndtr

from scorecast._core.types import FloatArray
from scorecast.synthetic.components import Component, Uniform

__all__ = ["SKEWS", "Skew"]

SKEWS = ("tail", "gamma")


@dataclass(frozen=True, kw_only=True)
class Skew:
    """How a skewed feature differs from others.

    Attributes
    ----------
    kind : str
        ``"tail"`` or ``"gamma"``.
    share : float
        Share of the values in the tail.
    tail : Uniform
        Where the tail lies.
    skewness : float
        Third standardised moment, for ``"gamma"``.
    """

    kind: str
    share: float
    tail: Uniform
    skewness: float

    @property
    def shape(self) -> float:
        """Shape of the gamma distribution with the skewness."""
        return 4 / self.skewness**2

    def draw(
        self, part: Component, z: FloatArray, rng: np.random.Generator
    ) -> FloatArray:
        """Make skewed values of a component from standard normal numbers.

        Parameters
        ----------
        part : Component
            What the values would be drawn from.
        z : ndarray
            Standard normal numbers.
        rng : numpy.random.Generator
            Decides which values lie in the tail.

        Returns
        -------
        ndarray
            The values.
        """
        if self.kind == "gamma":
            g = gammaincinv(self.shape, ndtr(z))
            scaled = (g - self.shape) / np.sqrt(self.shape)
            values: FloatArray = part.mean + part.sd * scaled
            return values
        far = rng.random(z.shape) < self.share
        out = rng.uniform(self.tail.low, self.tail.high, size=z.shape)
        return np.where(far, out, part.from_normal(z))

    def cdf(self, part: Component, x: FloatArray) -> FloatArray:
        """Return the chance of a skewed value up to x."""
        if self.kind == "gamma":
            below: FloatArray = gammainc(
                self.shape, np.maximum(self._gamma(part, x), 0)
            )
            return below
        return (1 - self.share) * part.cdf(x) + self.share * self.tail.cdf(x)

    def log_density(self, part: Component, x: FloatArray) -> FloatArray:
        """Return the log-density; of a whole number its log-probability."""
        if self.kind == "gamma":
            return self._log_gamma(part, x)
        own: FloatArray = np.log1p(-self.share) + part.log_density(x)
        if not self.share:
            return own
        far: FloatArray = np.log(self.share) + self.tail.log_density(x)
        if part.is_discrete:
            # Counts are whole numbers; the tail, which any part may have, is not.
            return np.where(x == np.floor(x), own, far)
        both: FloatArray = np.logaddexp(own, far)
        return both

    def _log_gamma(self, part: Component, x: FloatArray) -> FloatArray:
        g = self._gamma(part, x)
        inside = np.maximum(g, 1e-300)
        scale = np.log(part.sd / np.sqrt(self.shape))
        log = (self.shape - 1) * np.log(inside) - inside - gammaln(self.shape) - scale
        density: FloatArray = np.where(g > 0, log, -np.inf)
        return density

    def _gamma(self, part: Component, x: FloatArray) -> FloatArray:
        scaled: FloatArray = (x - part.mean) / part.sd
        return self.shape + math.sqrt(self.shape) * scaled
