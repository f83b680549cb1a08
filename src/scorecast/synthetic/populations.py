"""Populations of classes in many dimensions, recognised by the nearest template."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.rng import as_generator
from scorecast._core.types import FloatArray, IntArray, RandomState
from scorecast.synthetic.nearest_centre import nearest_accuracy
from scorecast.synthetic.radii import BallRadius, NormalRadius, Radius, StudentRadius

__all__ = ["POPULATIONS", "GaussianClasses", "IsotropicClasses"]

POPULATIONS = ("gaussian", "uniform", "heavy-tailed")


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

    def accuracy(self, ks: ArrayLike) -> FloatArray:
        """Return the expected accuracy with k random classes.

        Parameters
        ----------
        ks : array-like of int
            Numbers of classes.

        Returns
        -------
        ndarray
            Accuracy of the nearest noisy template, to about 5e-6.
        """
        # Given the example x, its template is normal around x / (1 + noise).
        spread = np.sqrt(1 + self.noise)
        shift = self.noise / (1 + self.noise)
        templates = NormalRadius(self.n_features, float(spread))
        return nearest_accuracy(
            np.asarray(ks, dtype=np.float64),
            templates,
            shift=shift,
            noise=float(np.sqrt(shift + self.noise)),
            others=templates,
        )


@dataclass(frozen=True, kw_only=True)
class IsotropicClasses:
    """Class centres of any spread, without a preferred direction, and normal noise.

    Attributes
    ----------
    shape : str
        ``"gaussian"``; ``"uniform"``, evenly spread in a ball; or
        ``"heavy-tailed"``, Student with `df` degrees of freedom.
    n_features : int
        Number of dimensions.
    noise : float
        Variance of the noise in each dimension; centres have variance one.
    df : float
        Degrees of freedom of heavy tails, above 2.
    """

    shape: str = "gaussian"
    n_features: int = 10
    noise: float = 0.2
    df: float = 3.0

    @property
    def radius(self) -> Radius:
        """Distances of centres from the middle."""
        if self.shape == "uniform":
            return BallRadius(self.n_features)
        if self.shape == "heavy-tailed":
            return StudentRadius(self.n_features, self.df)
        return NormalRadius(self.n_features)

    def sample(
        self, n_classes: int, n_each: int = 1, *, random_state: RandomState = None
    ) -> tuple[FloatArray, FloatArray, IntArray]:
        """Draw the centre of every class and examples to recognise.

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
            The centres.
        probes : ndarray of shape (n_classes * n_each, n_features)
            Noisy examples.
        y_true : ndarray of int64
            True class of each example.
        """
        rng = as_generator(random_state)
        towards = rng.normal(size=(n_classes, self.n_features))
        towards /= np.linalg.norm(towards, axis=1, keepdims=True)
        centres = self.radius.at(rng.normal(size=n_classes))[:, None] * towards
        y_true = np.repeat(np.arange(n_classes), n_each)
        noise = rng.normal(size=(y_true.size, self.n_features))
        return centres, centres[y_true] + np.sqrt(self.noise) * noise, y_true

    def accuracy(self, ks: ArrayLike) -> FloatArray:
        """Return the expected accuracy with k random classes.

        Parameters
        ----------
        ks : array-like of int
            Numbers of classes.

        Returns
        -------
        ndarray
            Accuracy of the nearest centre, to about 5e-6.
        """
        return nearest_accuracy(
            np.asarray(ks, dtype=np.float64),
            self.radius,
            shift=0.0,
            noise=float(np.sqrt(self.noise)),
            others=self.radius,
        )
