"""What drawn mixtures say of coordinate 0 once the others were measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from scorecast._core.parallel import map_threads
from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.mixtures.kept import KeptMixture
from scorecast.mixtures.observations import Noise
from scorecast.mixtures.tabulated import MANY, Tabulated

if TYPE_CHECKING:
    from scorecast.mixtures.kernels.conditional import Turned
    from scorecast.mixtures.kernels.layout import Components

__all__ = ["ConditionalMixture"]

_PATTERNS = 32  # of what is missing, kept ready
_PER_COMPONENT = 400  # normals; more are made room for where they are needed
_LIGHT = 1e-7  # share of the normals that only the tails need
_SHARES = 1e-3  # quantiles that do not
_BLOCK = 16  # cases per task of a thread
_CENTRES = np.array([0.0, 1e-4, 1e-3, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999, 1.0])


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
        from scorecast.mixtures.kernels.layout import Components

        self.kind, self.noise = kind, noise
        self.sizes: IntArray = np.array([len(k.weight) for k in kept], dtype=np.int64)
        self.components = Components(
            *(
                np.ascontiguousarray(np.concatenate([getattr(k, f) for k in kept]))
                for f in ("weight", "location", "skew", "precision", "shape")
            )
        )
        inverse = np.linalg.inv(self.components.precision)
        self._covariance: FloatArray = np.asarray(inverse, dtype=np.float64)
        self._turned: dict[bytes, Turned] = {}

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
        out, level, _ = self._fill(others)
        return out, level

    def _fill(self, others: FloatArray) -> tuple[FloatArray, FloatArray, IntArray]:
        from scorecast.mixtures.kernels.conditional import fill_normals

        value = np.concatenate([[np.nan], np.asarray(others, dtype=np.float64)])
        turned = self._turn(~np.isnan(value))
        level, ends = np.empty(self.n_draws), np.zeros(self.n_draws, dtype=np.int64)
        room = int(self.sizes.sum()) * _PER_COMPONENT
        while True:
            out = np.empty((3, room))
            fill_normals(
                value, self.sizes, self.components, self.kind, turned, out, ends, level
            )
            if ends[-1] <= room:
                return out[:, : ends[-1]], level, ends
            room = int(ends[-1])

    def _turn(self, is_measured: BoolArray) -> Turned:
        """Return the components in coordinates that suit what was measured."""
        key = is_measured.tobytes()
        if key not in self._turned:
            made = _turn(self.components, self._covariance, self.noise, is_measured)
            if len(self._turned) >= _PATTERNS:
                self._turned.clear()
            self._turned[key] = made
            return made
        return self._turned[key]

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
        density, tail = np.empty(at.shape), np.empty(at.shape)

        def fill(k: int) -> None:
            density[k], tail[k] = _values(*self._averaged(others[k]), at[k])

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
        normals, _, ends = self._fill(others)
        starts = np.concatenate([[0], ends])
        out = np.empty((self.n_draws, at.size))
        for i in range(self.n_draws):
            one = np.ascontiguousarray(normals[:, starts[i] : starts[i + 1]])
            _, out[i] = _values(one, one.shape[1], at)
        return np.clip(out, 0.0, 1.0)

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
        out = np.empty((len(others), shares.size))

        def fill(k: int) -> None:
            out[k] = _quantiles(*self._averaged(others[k]), shares)

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
            (weight, mean, spread), _ = self._averaged(value)
            steps = np.cumsum(weight)
            at = np.searchsorted(steps, rng.random(n) * steps[-1], side="right")
            at = np.minimum(at, weight.size - 1)
            out[k] = mean[at] + spread[at] * rng.standard_normal(n)
        return out

    def _averaged(self, others: FloatArray) -> tuple[FloatArray, int]:
        """Return the normals of all draws, heavy ones first, and how many these are."""
        normals, _ = self.normals(others)
        weight = normals[0] / self.n_draws
        is_heavy = weight >= _LIGHT / weight.size
        order = np.concatenate([np.flatnonzero(is_heavy), np.flatnonzero(~is_heavy)])
        sorted_ = normals[:, order]
        sorted_[0] = weight[order]
        return sorted_, int(is_heavy.sum())

    def _for_all(self, fill: Callable[[int], None], n: int, n_jobs: int | None) -> None:
        def block(start: int) -> None:
            for k in range(start, min(start + _BLOCK, n)):
                fill(k)

        starts = range(0, n, _BLOCK)
        map_threads(block, starts, n_jobs=n_jobs, what="predicting")


def _values(
    normals: FloatArray, n_heavy: int, at: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return density and upper tail of a mixture of normals at few or many places."""
    if at.size < MANY:
        return _exact(normals, n_heavy, at)
    return _table(normals, n_heavy, float(at.min()), float(at.max()))(at)


def _exact(
    normals: FloatArray, n_heavy: int, at: FloatArray
) -> tuple[FloatArray, FloatArray]:
    from scorecast.mixtures.kernels.conditional import mixture_values

    density, tail = np.empty(at.size), np.empty(at.size)
    mixture_values(at, normals, n_heavy, density, tail)
    return density, tail


def _table(normals: FloatArray, n_heavy: int, low: float, high: float) -> Tabulated:
    order = np.argsort(normals[1, :n_heavy])
    share = np.cumsum(normals[0, order])
    at = np.minimum(np.searchsorted(share, _CENTRES * share[-1]), n_heavy - 1)
    exact = partial(_exact, normals, n_heavy)
    return Tabulated(exact, low, high, normals[1, order[at]])


def _quantiles(normals: FloatArray, n_heavy: int, shares: FloatArray) -> FloatArray:
    """Return quantiles of a mixture of normals, few or many."""
    from scorecast.mixtures.kernels.conditional import mixture_quantiles

    is_plain = (shares > _SHARES) & (shares < 1.0 - _SHARES)
    heavy = np.ascontiguousarray(normals[:, :n_heavy])
    out = np.empty(shares.size)
    if is_plain.sum() >= MANY:
        ends = np.empty(2)
        within = shares[is_plain]
        mixture_quantiles(np.array([within.min(), within.max()]), normals, ends)
        table = _table(normals, n_heavy, ends[0], ends[1])
        out[is_plain] = table.quantiles(within)
        if not is_plain.all():
            out[~is_plain] = _quantiles(normals, n_heavy, shares[~is_plain])
        return out
    mixture_quantiles(shares, heavy if is_plain.all() else normals, out)
    return out


def _turn(
    components: Components,
    covariance: FloatArray,
    noise: Noise,
    is_measured: BoolArray,
) -> Turned:
    """Turn coordinates so that truth and noise are diagonal together."""
    from scorecast.mixtures.kernels.conditional import Turned

    at = np.flatnonzero(is_measured)
    missing = np.append(np.flatnonzero(~is_measured)[1:], 0)
    root = np.sqrt(noise.precision[at])
    gain, vectors = np.linalg.eigh(
        root[:, None] * covariance[:, at[:, None], at] * root
    )
    if at.size:
        gain = np.maximum(gain, 1e-15 * gain[:, -1:])
    turn = np.ascontiguousarray(np.swapaxes(vectors, 1, 2) * root)
    # The last pivot is the precision of coordinate 0 once the missing are given up.
    pivot = np.linalg.cholesky(components.precision[:, missing[:, None], missing])
    level = 0.5 * np.log(noise.precision[at] / (2.0 * np.pi)).sum()
    return Turned(
        turn, gain,
        np.einsum("cij,cj->ci", turn, components.skew[:, at]),
        np.einsum("cij,cj->ci", turn, covariance[:, at, 0]),
        np.ascontiguousarray(pivot[:, -1, -1] ** -2.0),
        at, np.array([noise.precision[0], noise.shape, level]),
    )  # fmt: skip
