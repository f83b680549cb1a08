"""Densities that are dear to compute, read from polynomials at many places.

A prediction is a mixture of tens of thousands of normals, and every place costs a sum
over all of them. Its logarithm is smooth, though. So the line is cut into panels; in
each a polynomial of degree 16 goes through the exact logarithms at Chebyshev's places.
A panel in which one of degree 8 is not yet close is cut again. The degree being doubled
squares the error.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from scorecast._core.types import FloatArray

__all__ = ["MANY", "Tabulated"]

MANY = 300  # places from which on polynomials are worth their while
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


class Tabulated:
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
