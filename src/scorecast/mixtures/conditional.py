"""What drawn mixtures say of coordinate 0 once the others were measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from scorecast._core.parallel import map_threads
from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.mixtures.distributions import KeptMixture
from scorecast.mixtures.observations import Noise

if TYPE_CHECKING:
    from scorecast.mixtures.kernels.conditional import Turned
    from scorecast.mixtures.kernels.state import Components

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
        from scorecast.mixtures.kernels.state import Components

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
    if at.size < _MANY:
        return _exact(normals, n_heavy, at)
    return _table(normals, n_heavy, float(at.min()), float(at.max()))(at)


def _exact(
    normals: FloatArray, n_heavy: int, at: FloatArray
) -> tuple[FloatArray, FloatArray]:
    from scorecast.mixtures.kernels.conditional import mixture_values

    density, tail = np.empty(at.size), np.empty(at.size)
    mixture_values(at, normals, n_heavy, density, tail)
    return density, tail


def _table(normals: FloatArray, n_heavy: int, low: float, high: float) -> _Tabulated:
    order = np.argsort(normals[1, :n_heavy])
    share = np.cumsum(normals[0, order])
    at = np.minimum(np.searchsorted(share, _CENTRES * share[-1]), n_heavy - 1)
    exact = partial(_exact, normals, n_heavy)
    return _Tabulated(exact, low, high, normals[1, order[at]])


def _quantiles(normals: FloatArray, n_heavy: int, shares: FloatArray) -> FloatArray:
    """Return quantiles of a mixture of normals, few or many."""
    from scorecast.mixtures.kernels.conditional import mixture_quantiles

    is_plain = (shares > _SHARES) & (shares < 1.0 - _SHARES)
    heavy = np.ascontiguousarray(normals[:, :n_heavy])
    out = np.empty(shares.size)
    if is_plain.sum() >= _MANY:
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


# Densities that are dear to compute, read from polynomials at many places ------------
#
# A prediction is a mixture of tens of thousands of normals, and every place costs a sum
# over all of them. Its logarithm is smooth, though. So the line is cut into panels; in
# each a polynomial of degree 16 goes through the exact logarithms at Chebyshev's
# places. A panel in which one of degree 8 is not yet close is cut again. The degree
# being doubled squares the error.

_MANY = 300  # places from which on polynomials are worth their while
_DEGREE = 16
_CLOSE = 2e-5  # error of half the degree, in nats; its square is what remains
_NARROWEST = 1e-3  # in units of coordinate 0; by then rounding is what is left
_CHUNK = 10_000  # places at a time
_HALVINGS = 45

Values = Callable[[FloatArray], tuple[FloatArray, FloatArray]]

_NODES: FloatArray = -np.cos(np.pi * np.arange(_DEGREE + 1) / _DEGREE)


def _barycentric(nodes: FloatArray) -> FloatArray:
    """Return the weights of Chebyshev's places of the second kind."""
    weights: FloatArray = np.power(-1.0, np.arange(nodes.size, dtype=np.float64))
    weights[[0, -1]] /= 2.0
    return weights


def _interpolation(nodes: FloatArray, at: FloatArray) -> FloatArray:
    """Return the matrix that takes values at the nodes to values elsewhere."""
    off = at[:, None] - nodes
    is_node = off == 0.0
    parts = _barycentric(nodes) / np.where(is_node, 1.0, off)
    parts = np.where(is_node.any(axis=1, keepdims=True), is_node, parts)
    return np.asarray(parts / parts.sum(axis=1, keepdims=True))


_HALFWAY = _interpolation(_NODES[::2], _NODES[1::2])


class _Tabulated:
    """Density and upper tail between two places, read from polynomials.

    Parameters
    ----------
    values : callable
        Takes places, gives both exactly.
    low, high : float
        Between which places they are asked for.
    centres : array
        Places around which there may be something to see, however narrow.
    """

    def __init__(
        self, values: Values, low: float, high: float, centres: FloatArray
    ) -> None:
        self._values = values
        # One place alone has no width.
        high = max(high, low + _NARROWEST)
        self._edges, self._logs = _panels(values, low, high, centres)

    def __call__(self, at: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return both, within a millionth part of the exact values.

        Parameters
        ----------
        at : array of shape (T,)
            Places.

        Returns
        -------
        tuple of arrays of shape (T,)
            Density and upper tail.
        """
        out = np.empty((2, at.size))
        for start in range(0, at.size, _CHUNK):
            part = slice(start, start + _CHUNK)
            out[:, part] = _read(self._edges, self._logs, at[part])
        # Where a number is too small to hold there is no logarithm to go through.
        lost = ~np.isfinite(out).all(axis=0)
        if lost.any():
            out[:, lost] = self._values(at[lost])
        return out[0], out[1]

    def quantiles(self, shares: FloatArray) -> FloatArray:
        """Return the places below which given shares lie, all between the ends.

        Parameters
        ----------
        shares : array of shape (T,)
            Probabilities of less.

        Returns
        -------
        array of shape (T,)
            The places.
        """
        low = np.full(shares.shape, self._edges[0])
        high = np.full(shares.shape, self._edges[-1])
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            is_below = self(middle)[1] > 1.0 - shares
            low, high = (
                np.where(is_below, middle, low),
                np.where(is_below, high, middle),
            )
        return np.asarray(0.5 * (low + high))


def _panels(
    values: Values, low: float, high: float, centres: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return edges, and both logarithms at the nodes of every panel."""
    inner = centres[(centres > low) & (centres < high)]
    cuts = np.unique(np.concatenate([[low], inner, [high]]))
    keep = np.append(True, np.diff(cuts) > _NARROWEST)
    keep[-1] = True
    cuts = cuts[keep]
    pending = np.column_stack([cuts[:-1], cuts[1:]])
    ends, found = [], []
    while len(pending):
        half = 0.5 * (pending[:, 1] - pending[:, 0])
        nodes = pending.mean(axis=1)[:, None] + half[:, None] * _NODES
        with np.errstate(divide="ignore"):
            exact = np.log(np.array(values(nodes.ravel()))).reshape(2, *nodes.shape)
        with np.errstate(invalid="ignore"):
            off = np.abs(exact[..., ::2] @ _HALFWAY.T - exact[..., 1::2])
        far = off.max(axis=(0, 2)) > _CLOSE  # of what is no number, nothing is
        far &= half > _NARROWEST
        ends.append(pending[~far])
        found.append(exact[:, ~far])
        middle = pending[far].mean(axis=1)
        pending = np.concatenate(
            [
                np.column_stack([pending[far, 0], middle]),
                np.column_stack([middle, pending[far, 1]]),
            ]
        )
    panels, logs = np.concatenate(ends), np.concatenate(found, axis=1)
    order = np.argsort(panels[:, 0])
    return np.append(panels[order, 0], high), logs[:, order]


def _read(edges: FloatArray, logs: FloatArray, at: FloatArray) -> FloatArray:
    """Return both at places within the panels."""
    panel = np.clip(np.searchsorted(edges, at, side="right") - 1, 0, len(edges) - 2)
    start, end = edges[panel], edges[panel + 1]
    inside = np.clip(2.0 * (at - start) / (end - start) - 1.0, -1.0, 1.0)
    parts = _interpolation(_NODES, inside)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.exp(np.einsum("ti,kti->kt", parts, logs[:, panel])))
