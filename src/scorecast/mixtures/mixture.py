"""A finite mixture of skew-Student distributions."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.rng import as_generator
from scorecast._core.types import FloatArray, RandomState
from scorecast.exceptions import InvalidInputError
from scorecast.mixtures.skew_student import SkewStudent

__all__ = ["SkewStudentMixture"]


@dataclasses.dataclass(frozen=True, eq=False)
class SkewStudentMixture:
    """Skew-Student components with weights that sum to one.

    Parameters
    ----------
    weights : array of shape (C,)
        Their probabilities.
    components : tuple of SkewStudent
        All of the same number of dimensions.
    """

    weights: FloatArray
    components: tuple[SkewStudent, ...]

    def __post_init__(self) -> None:
        weights = np.asarray(self.weights, dtype=np.float64)
        fits = weights.shape == (len(self.components),) and len(self.components) > 0
        if not fits or (weights < 0).any() or abs(weights.sum() - 1.0) > 1e-9:
            msg = "One weight per component is needed, none negative, summing to one."
            raise InvalidInputError(msg)
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
