"""The bivariate normal toy, whose accuracy is known at every number of classes.

A class is a number y ~ N(0, 1); an example of it is x = rho y + sqrt(1 - rho^2) e. The
best recogniser picks the class with rho y nearest to x.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy  # its parts load when first used
from numpy.typing import ArrayLike

from scorecast._core.rng import as_generator
from scorecast._core.types import FloatArray, IntArray, RandomState


@dataclass(frozen=True)
class BivariateNormal:
    """Classes on a line, told apart by one noisy number.

    Attributes
    ----------
    rho : float
        Correlation of label and example, between 0 and 1.

    Examples
    --------
    >>> BivariateNormal(0.9).accuracy([2, 10]).round(4).tolist()
    [0.8088, 0.3301]
    """

    rho: float

    def sample(
        self, n_classes: int, n_per_class: int = 1, *, random_state: RandomState = 0
    ) -> tuple[FloatArray, IntArray, FloatArray]:
        """Draw classes and examples of them.

        Parameters
        ----------
        n_classes : int
            Number of classes.
        n_per_class : int, default=1
            Examples of each.
        random_state : int, Generator or None, default=0
            Source of randomness.

        Returns
        -------
        scores : ndarray of shape (n_classes * n_per_class, n_classes)
            Minus squared distances.
        y_true : ndarray of int64
            True class of each example.
        labels : ndarray of shape (n_classes,)
            Where each class lies.
        """
        rng = as_generator(random_state)
        labels = rng.normal(size=n_classes)
        y_true = np.repeat(np.arange(n_classes), n_per_class)
        noise = np.sqrt(1 - self.rho**2) * rng.normal(size=y_true.size)
        x = self.rho * labels[y_true] + noise
        return -((x[:, None] - self.rho * labels) ** 2), y_true, labels

    def favourability(self, x: ArrayLike, y: ArrayLike) -> FloatArray:
        """Return the chance that a random wrong class is farther from x than y is.

        Parameters
        ----------
        x, y : array-like
            Example and its class.

        Returns
        -------
        ndarray
            Favourability U.
        """
        x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
        distance = np.abs(self.rho * y - x)
        u: FloatArray = scipy.special.ndtr(
            -(x + distance) / self.rho
        ) + scipy.special.ndtr((x - distance) / self.rho)
        return u

    def accuracy(self, ks: ArrayLike) -> FloatArray:
        """Return the expected accuracy with k random classes.

        Parameters
        ----------
        ks : array-like of int
            Numbers of classes.

        Returns
        -------
        ndarray
            E[U^(k-1)], to about 1e-9, for up to 100,000 classes.
        """
        u, mass = self._favourabilities()
        powers = [mass @ u ** (k - 1) for k in np.asarray(ks, dtype=np.float64)]
        return np.array(powers)

    def accuracy_of(self, labels: ArrayLike) -> float:
        r"""Return the accuracy of the best recogniser of given classes.

        .. math:: \frac1k \Bigl[ 2 \sum_{j<k} \Phi\Bigl(\frac{\rho\,
                  (y_{(j+1)} - y_{(j)})}{2\sqrt{1-\rho^2}}\Bigr) - (k - 2) \Bigr]

        Parameters
        ----------
        labels : array-like of shape (k,)
            Where the classes lie.

        Returns
        -------
        float
            The chance that an example of a class chosen at random is recognised.

        Examples
        --------
        >>> round(BivariateNormal(0.7).accuracy_of([-1.2, -0.1, 0.3, 1.5]), 4)
        0.5023
        """
        ordered = np.sort(np.asarray(labels, dtype=np.float64))
        reach = self.rho * np.diff(ordered) / (2 * np.sqrt(1 - self.rho**2))
        inside = 2 * float(np.sum(scipy.special.ndtr(reach)))
        return (inside - (ordered.size - 2)) / ordered.size

    def discriminability(self, u: ArrayLike) -> FloatArray:
        """Return D(u), the chance that favourability is at most u.

        Parameters
        ----------
        u : array-like
            Values in (0, 1).

        Returns
        -------
        ndarray
            D(u), to about 1e-8.
        """
        x, mass = _panels(-9, 9, 36)
        mass = mass * _density(x)
        u = np.asarray(u, dtype=np.float64)
        squares = scipy.stats.ncx2.ppf(1 - u[:, None], 1, (x / self.rho) ** 2)
        reach = self.rho * np.sqrt(squares)
        centre, sd = x * (1 - self.rho**2), self.rho * np.sqrt(1 - self.rho**2)
        inside = scipy.special.ndtr((reach - centre) / sd) - scipy.special.ndtr(
            (-reach - centre) / sd
        )
        below: FloatArray = (1 - inside) @ mass
        return below

    def _favourabilities(self) -> tuple[FloatArray, FloatArray]:
        # Integrate over x and over the deviation e = x - rho y, whose sign makes a
        # kink in U: each side has its own panels.
        sd = self.rho * np.sqrt(1 - self.rho**2)
        x, mass_x = _panels(-9, 9, 18)
        mass_x = mass_x * _density(x)
        centre = x * (1 - self.rho**2)
        parts = []
        for side in (-1, 1):
            edge = np.maximum(side * centre, 0) + 10 * sd
            v, w = _panels(0, 1, 12)
            # With many classes only the nearest count: nodes crowd towards e = 0.
            t, w = v**5, 5 * v**4 * w
            e = side * edge[:, None] * t
            z = (e - centre[:, None]) / sd
            weight = mass_x[:, None] * edge[:, None] * w * _density(z) / sd
            away = np.abs(e)
            u = scipy.special.ndtr(
                -(x[:, None] + away) / self.rho
            ) + scipy.special.ndtr((x[:, None] - away) / self.rho)
            parts.append((u.ravel(), weight.ravel()))
        return (
            np.concatenate([u for u, _ in parts]),
            np.concatenate([w for _, w in parts]),
        )


def _panels(low: float, high: float, n: int) -> tuple[FloatArray, FloatArray]:
    nodes, weights = np.polynomial.legendre.leggauss(24)
    edges = np.linspace(low, high, n + 1)
    half = np.diff(edges)[:, None] / 2
    middle = (edges[1:] + edges[:-1])[:, None] / 2
    return (middle + half * nodes).ravel(), (half * weights).ravel()


def _density(z: FloatArray) -> FloatArray:
    density: FloatArray = np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi)
    return density
