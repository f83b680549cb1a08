"""Populations of classes in many dimensions, recognised by the nearest template."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scorecast._core.rng import as_generator
from scorecast._core.types import FloatArray, IntArray, RandomState

__all__ = ["GaussianClasses"]


@dataclass(frozen=True, kw_only=True)
class GaussianClasses:
    """Class centres and noise are both normal, as in the papers' simulations.

    Attributes
    ----------
    n_features : int
        Number of dimensions.
    noise : float
        Variance of the noise in each dimension; centres have variance one.
    """

    n_features: int = 10
    noise: float = 0.2

    def sample(
        self, n_classes: int, n_each: int = 1, *, random_state: RandomState = None
    ) -> tuple[FloatArray, FloatArray, IntArray]:
        """Draw a template of every class and examples to recognise.

        Parameters
        ----------
        n_classes : int
            Number of classes.
        n_each : int, default=1
            Examples of each class.
        random_state : int, Generator or None
            Source of randomness.

        Returns
        -------
        gallery : ndarray of shape (n_classes, n_features)
            One noisy template per class.
        probes : ndarray of shape (n_classes * n_each, n_features)
            Noisy examples.
        y_true : ndarray of int64
            True class of each example.
        """
        rng = as_generator(random_state)
        centres = rng.normal(size=(n_classes, self.n_features))
        sd = np.sqrt(self.noise)
        gallery = centres + sd * rng.normal(size=centres.shape)
        y_true = np.repeat(np.arange(n_classes), n_each)
        noise = sd * rng.normal(size=(y_true.size, self.n_features))
        return gallery, centres[y_true] + noise, y_true
