"""What drawn mixtures say of coordinate 0 once the others were measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.linalg import eigh_tridiagonal

from scorecast._core.parallel import map_threads
from scorecast._core.types import FloatArray, IntArray
from scorecast.mixtures.kept import KeptMixture
from scorecast.mixtures.observations import Noise

__all__ = ["ConditionalMixture"]

_NOISE_NODES = 3
_BLOCK = 16  # cases per task of a thread


class ConditionalMixture:
    """The equally weighted mixture, over draws, of coordinate 0 given the others.

    What is predicted is the next measurement of coordinate 0, noise included. Every
    draw is conditioned on the noisy measurements by itself.

    Parameters
    ----------
    kept : sequence of KeptMixture
        Draws of the mixture.
    kind : {1, 2}
        Whether scales have rate m - 1 or m.
    noise : Noise
        Of all coordinates.
    """

    def __init__(self, kept: Sequence[KeptMixture], kind: int, noise: Noise) -> None:
        # Compiled code is loaded only when it is used.
        from scorecast.mixtures.kernels.conditional import N_SCALES
        from scorecast.mixtures.kernels.layout import Components

        self.kind, self.noise = kind, noise
        self.sizes: IntArray = np.array([len(k.weight) for k in kept], dtype=np.int64)
        self.components = Components(
            *(
                np.ascontiguousarray(np.concatenate([getattr(k, f) for k in kept]))
                for f in ("weight", "location", "skew", "precision", "shape")
            )
        )
        self.node, self.log_node = _gamma_rule(noise.shape)
        self._per = len(self.node) * N_SCALES

    @property
    def n_draws(self) -> int:
        """Number of draws."""
        return len(self.sizes)

    def normals(self, others: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the prediction for one case as a mixture of normals.

        Parameters
        ----------
        others : array of shape (N - 1,)
            Measured coordinates; NaN where nothing was measured.

        Returns
        -------
        tuple of arrays of shape (3, normals) and (draws,)
            Weights (of sum one for every draw), means and deviations, draw after draw;
            and the log density that each draw gave to the measurements.
        """
        from scorecast.mixtures.kernels.conditional import fill_normals

        value = np.concatenate([[np.nan], np.asarray(others, dtype=np.float64)])
        out = np.empty((3, int(self.sizes.sum()) * self._per))
        level = np.empty(self.n_draws)
        fill_normals(
            value, self.sizes, self.components, self.kind, self.noise.precision,
            self.node, self.log_node, out, level,
        )  # fmt: skip
        return out, level

    def density_and_tail(
        self, others: FloatArray, at: FloatArray, *, n_jobs: int | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Return density and upper tail of coordinate 0.

        Parameters
        ----------
        others : array of shape (n, N - 1)
            Measured coordinates of each case.
        at : array of shape (n, T)
            Places, case by case.
        n_jobs : int, optional
            Threads.

        Returns
        -------
        tuple of arrays of shape (n, T)
            Density, and probability of more.
        """
        from scorecast.mixtures.kernels.conditional import mixture_values

        density, tail = np.empty(at.shape), np.empty(at.shape)

        def fill(k: int) -> None:
            normals = self._averaged(others[k])
            mixture_values(at[k], normals, density[k], tail[k])

        self._for_all(fill, len(others), n_jobs)
        return density, np.clip(tail, 0.0, 1.0)

    def tails_by_draw(self, others: FloatArray, at: FloatArray) -> FloatArray:
        """Return the upper tail of coordinate 0 of one case under every draw.

        Parameters
        ----------
        others : array of shape (N - 1,)
            Measured coordinates.
        at : array of shape (T,)
            Places.

        Returns
        -------
        array of shape (draws, T)
            Probabilities of more.
        """
        from scorecast.mixtures.kernels.conditional import mixture_values

        normals, _ = self.normals(others)
        ends = np.concatenate([[0], np.cumsum(self.sizes) * self._per])
        out, density = np.empty((self.n_draws, at.size)), np.empty(at.size)
        for i in range(self.n_draws):
            one = np.ascontiguousarray(normals[:, ends[i] : ends[i + 1]])
            mixture_values(at, one, density, out[i])
        return out

    def quantiles(
        self, others: FloatArray, shares: FloatArray, *, n_jobs: int | None = None
    ) -> FloatArray:
        """Return quantiles of coordinate 0.

        Parameters
        ----------
        others : array of shape (n, N - 1)
            Measured coordinates of each case.
        shares : array of shape (T,)
            Probabilities of less.
        n_jobs : int, optional
            Threads.

        Returns
        -------
        array of shape (n, T)
            The quantiles.
        """
        from scorecast.mixtures.kernels.conditional import mixture_quantiles

        out = np.empty((len(others), shares.size))

        def fill(k: int) -> None:
            mixture_quantiles(shares, self._averaged(others[k]), out[k])

        self._for_all(fill, len(others), n_jobs)
        return out

    def sample(
        self, others: FloatArray, n: int, rng: np.random.Generator
    ) -> FloatArray:
        """Draw coordinate 0.

        Parameters
        ----------
        others : array of shape (n_cases, N - 1)
            Measured coordinates of each case.
        n : int
            Draws per case.
        rng : numpy.random.Generator
            Source of randomness.

        Returns
        -------
        array of shape (n_cases, n)
            The draws.
        """
        out = np.empty((len(others), n))
        for k, value in enumerate(others):
            weight, mean, spread = self._averaged(value)
            steps = np.cumsum(weight)
            at = np.searchsorted(steps, rng.random(n) * steps[-1], side="right")
            at = np.minimum(at, weight.size - 1)
            out[k] = mean[at] + spread[at] * rng.standard_normal(n)
        return out

    def _averaged(self, others: FloatArray) -> FloatArray:
        normals, _ = self.normals(others)
        normals[0] /= self.n_draws
        return normals

    def _for_all(self, fill: Callable[[int], None], n: int, n_jobs: int | None) -> None:
        def block(start: int) -> None:
            for k in range(start, min(start + _BLOCK, n)):
                fill(k)

        starts = range(0, n, _BLOCK)
        map_threads(block, starts, n_jobs=n_jobs, what="predicting")


def _gamma_rule(shape: float) -> tuple[FloatArray, FloatArray]:
    """Return nodes and log weights of the Gauss rule of Gamma(shape, rate shape)."""
    i = np.arange(_NOISE_NODES)
    between = np.sqrt(i[1:] * (i[1:] + shape - 1.0))
    node, vectors = eigh_tridiagonal(2.0 * i + shape, between)
    return node / shape, 2.0 * np.log(np.abs(vectors[0]))
