"""The score of a gallery vector for a probe to the last bit, which ranks refer to.

A sum over the features, in order and in float64: minus (x - y)**2 for ``sqeuclidean``,
x * y for ``dot`` and for ``cosine``, where x was divided by its norm.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from scorecast._core.types import FloatArray
from scorecast.scores.stored_rows import Matrix

ExponentArray: TypeAlias = NDArray[np.intc]


def exact_scores(gallery: Matrix, probes: Matrix, metric: str) -> FloatArray:
    """Return the scores that ranks refer to, of all probes for all gallery vectors.

    Parameters
    ----------
    gallery, probes : ndarray of shape (m, d) and (n, d)
        Vectors.
    metric : {"sqeuclidean", "cosine", "dot"}
        How they are compared.

    Returns
    -------
    ndarray of shape (n, m)
        Greater is better; equal pairs have equal scores to the last bit.
    """
    features = np.ascontiguousarray(reference_rows(gallery, metric).T)
    return reference_scores(probes, features, metric)


def reference_rows(gallery: Matrix, metric: str) -> FloatArray:
    """Return gallery vectors as the reference uses them.

    Parameters
    ----------
    gallery : ndarray of shape (m, d)
        Vectors.
    metric : {"sqeuclidean", "cosine", "dot"}
        How they are compared.

    Returns
    -------
    ndarray of shape (m, d)
        In float64, of norm one for cosine.
    """
    rows = gallery.astype(np.float64)
    if metric != "cosine":
        return rows
    # Squares of tiny values would vanish; scaling by a power of two changes no digit.
    rows *= np.ldexp(1.0, -power_above(rows))[:, None]
    squares = np.zeros(rows.shape[0])
    for feature in rows.T:
        squares += feature * feature
    rows /= np.sqrt(squares)[:, None]
    return rows


def reference_scores(probes: Matrix, features: FloatArray, metric: str) -> FloatArray:
    """Add up the features of prepared gallery vectors, one after the other.

    Parameters
    ----------
    probes : ndarray of shape (n, d)
        Vectors to recognise.
    features : ndarray of shape (d, m)
        Gallery vectors from `reference_rows`, in columns.
    metric : {"sqeuclidean", "cosine", "dot"}
        How they are compared.

    Returns
    -------
    ndarray of shape (n, m)
        Scores; greater is better.
    """
    rows = probes.astype(np.float64)
    scores = np.zeros((rows.shape[0], features.shape[1]))
    term = np.empty_like(scores)
    for x, y in zip(features, rows.T[:, :, None], strict=True):
        if metric == "sqeuclidean":
            np.subtract(x, y, out=term)
            np.multiply(term, term, out=term)
            scores -= term
        else:
            np.multiply(x, y, out=term)
            scores += term
    return scores


def power_above(rows: FloatArray) -> ExponentArray:
    """Return the power of two just above the largest value of each row.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
        Vectors.

    Returns
    -------
    ndarray of intc
        Exponents, not below -1000: there two to minus the exponent would overflow.
    """
    _, exponent = np.frexp(np.abs(rows).max(axis=1))
    return np.asarray(np.maximum(exponent, -1000), dtype=np.intc)
