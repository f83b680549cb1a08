"""How well every candidate stimulus explains every response.

The squared Mahalanobis distance of a response y from the mean response m to a
candidate is y'Ay - 2 y'Am + m'Am, with A the inverse covariance. Means lie in a space
of few dimensions (the rank of the stimuli, or the number of candidates if that is
smaller), so A is applied to a basis of that space once, and each pair then costs a
product of short vectors, however many responses there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorecast._core.types import FloatArray, IntArray
from scorecast.information.identification.linear_map import LinearMap
from scorecast.information.identification.residual_covariance import (
    ResidualCovariance,
)

__all__ = ["candidate_scores", "paired_distances"]

_BLOCK = 2**22  # numbers in a block of rows: 32 MB


def candidate_scores(
    mean: LinearMap,
    covariance: ResidualCovariance,
    responses: NDArray[np.floating[Any]],
    candidates: FloatArray,
) -> FloatArray:
    """Return minus half the squared Mahalanobis distance of every pair.

    Parameters
    ----------
    mean : LinearMap
        From stimuli to mean responses.
    covariance : ResidualCovariance
        Of responses around their mean.
    responses : ndarray of shape (n, n_responses)
        Observed responses.
    candidates : ndarray of shape (m, n_features)
        Stimuli that may have caused them.

    Returns
    -------
    ndarray of shape (n, m)
        Scores; greater is better. Equal candidates have exactly equal scores.
    """
    # One column per distinct candidate: two products of the same numbers may differ in
    # the last digit, and a tie would be broken by that.
    first, copy_of = _distinct_rows(candidates)
    basis, coordinates = _span(mean, candidates[first])
    solved = np.empty_like(basis)
    for rows in _row_blocks(*basis.shape):
        solved[rows] = covariance.solve(basis[rows])
    gram = basis @ solved.T
    own = np.einsum("ij,ij->i", coordinates @ gram, coordinates)
    scores = np.empty((responses.shape[0], first.size))
    for rows in _row_blocks(*responses.shape):
        away = responses[rows] - mean.offset
        np.matmul(away @ solved.T, coordinates.T, out=scores[rows])
        scores[rows] -= own / 2
        scores[rows] -= covariance.squared_norms(away)[:, None] / 2
    # A distance is not negative; rounding is.
    np.minimum(scores, 0.0, out=scores)
    return scores if first.size == copy_of.size else scores[:, copy_of]


def paired_distances(
    mean: LinearMap,
    covariance: ResidualCovariance,
    responses: NDArray[np.floating[Any]],
    stimuli: FloatArray,
) -> FloatArray:
    """Return the squared Mahalanobis distance of each response from its own mean.

    Parameters
    ----------
    mean : LinearMap
        From stimuli to mean responses.
    covariance : ResidualCovariance
        Of responses around their mean.
    responses : ndarray of shape (n, n_responses)
        Observed responses.
    stimuli : ndarray of shape (n, n_features)
        The stimulus of each.

    Returns
    -------
    ndarray of shape (n,)
        Squared distances.
    """
    distances = np.empty(responses.shape[0])
    for rows in _row_blocks(*responses.shape):
        away = responses[rows] - mean.predict(stimuli[rows])
        distances[rows] = covariance.squared_norms(away)
    return distances


def _span(mean: LinearMap, candidates: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return rows that span the mean responses, and where the candidates lie there."""
    coordinates = mean.coordinates(candidates)
    if coordinates.shape[0] < coordinates.shape[1]:
        return coordinates @ mean.loadings, np.eye(coordinates.shape[0])
    return mean.loadings, coordinates


def _distinct_rows(rows: FloatArray) -> tuple[IntArray, IntArray]:
    """Return where each distinct row first occurs, and which of those every row is."""
    seen: dict[bytes, int] = {}
    # Adding zero gives both zeros the same bytes.
    copy_of = [seen.setdefault((row + 0.0).tobytes(), len(seen)) for row in rows]
    places = np.array(copy_of, dtype=np.int64)
    first = np.unique(places, return_index=True)[1].astype(np.int64)
    return first, places


def _row_blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    step = max(1, _BLOCK // n_columns)
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))
