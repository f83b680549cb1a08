"""Ridge regression of thousands of responses: one decomposition, every penalty.

For stimuli X = U S V' and a penalty a, the errors of the fit are
(I - U U') y + U diag(a / (S^2 + a)) U'y. The decomposition is made once; a penalty
costs one product of matrices for all responses together, and the errors on samples left
out follow from those of the fit. Written so, nothing cancels where features outnumber
samples and the errors of the fit all but vanish.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorecast._core.types import FloatArray, IntArray
from scorecast.information.identification.decomposition import Decomposition
from scorecast.information.identification.linear_map import LinearMap

__all__ = ["RidgeFit", "default_penalties", "fit_ridge"]

_COLUMNS = 256  # responses worked on at a time: what fits in a cache
_NOISE_TO_SIGNAL = np.logspace(-4, 5.5, 20)


@dataclass(frozen=True)
class RidgeFit:
    """What ridge regression found.

    Parameters
    ----------
    mean : LinearMap
        The fitted regression.
    penalties : ndarray of shape (n_responses,)
        Penalty chosen for each response.
    residuals : ndarray of shape (n_samples, n_responses)
        Errors on samples left out, or of the fit if asked for.
    """

    mean: LinearMap
    penalties: FloatArray
    residuals: FloatArray


def default_penalties(values: FloatArray, n_samples: int) -> FloatArray:
    """Return penalties that are best at noise-to-signal ratios of 1e-4 to 3e5.

    With coefficients of equal spread the best penalty is that ratio times the total
    variance of the features. So the units of the features do not matter.

    Parameters
    ----------
    values : ndarray of shape (rank,)
        Singular values of the stimuli.
    n_samples : int
        Number of samples.

    Returns
    -------
    ndarray of float64
        Penalties, growing.
    """
    total = float((values**2).sum()) / n_samples
    grid: FloatArray = total * _NOISE_TO_SIGNAL
    return grid


def fit_ridge(
    stimuli: FloatArray,
    responses: NDArray[np.floating[Any]],
    *,
    penalties: FloatArray | None = None,
    folds: Sequence[IntArray] | None = None,
    fit_intercept: bool = True,
    held_out: bool = True,
) -> RidgeFit:
    """Regress every response on the stimuli, each with the penalty that suits it.

    Parameters
    ----------
    stimuli : ndarray of shape (n_samples, n_features)
        Features of the stimuli.
    responses : ndarray of shape (n_samples, n_responses)
        Responses, float32 or float64.
    penalties : ndarray of float64, optional
        Penalties to choose from, positive; `default_penalties` by default.
    folds : sequence of ndarray, optional
        Rows to leave out together; one at a time by default.
    fit_intercept : bool, default=True
        Whether to fit a mean.
    held_out : bool, default=True
        Whether residuals are those on samples left out.

    Returns
    -------
    RidgeFit
        Coefficients, penalties and residuals.
    """
    parts = Decomposition.of(stimuli, fit_intercept=fit_intercept)
    grid = penalties
    if grid is None:
        grid = default_penalties(parts.values, stimuli.shape[0])
    q = responses.shape[1]
    offset = np.zeros(q)
    if fit_intercept:
        offset = responses.mean(axis=0, dtype=np.float64)
    work = _Responses(parts, responses, offset)
    chosen = _choose(work, grid, folds)
    residuals = _residuals(work, grid, chosen, folds, held_out=held_out)
    loadings = work.along
    for columns in _blocks(q):
        squares = parts.values[:, None] ** 2 + grid[chosen[columns]]
        loadings[:, columns] *= parts.values[:, None] / squares
    mean = LinearMap(parts.centre, parts.right, loadings, offset)
    return RidgeFit(mean, grid[chosen], residuals)


class _Responses:
    """Responses, split into what the directions of the stimuli reach and the rest."""

    def __init__(
        self,
        parts: Decomposition,
        responses: NDArray[np.floating[Any]],
        offset: FloatArray,
    ) -> None:
        n, q = responses.shape
        self.parts = parts
        self.along = np.empty((parts.values.size, q))
        self.rest = np.zeros((n, q))
        for columns in _blocks(q):
            centred = responses[:, columns] - offset[columns]
            self.along[:, columns] = parts.left.T @ centred
            self.rest[:, columns] = parts.unreached(centred, self.along[:, columns])

    def errors(self, kept: FloatArray, columns: slice | IntArray) -> FloatArray:
        """Return the errors of the fit."""
        errors: FloatArray = self.parts.left @ (kept[:, None] * self.along[:, columns])
        errors += self.rest[:, columns]
        return errors


def _choose(
    work: _Responses, grid: FloatArray, folds: Sequence[IntArray] | None
) -> IntArray:
    """Return, for each response, the place of the best penalty."""
    q = work.rest.shape[1]
    best = np.zeros(q, dtype=np.int64)
    least = np.full(q, np.inf)
    # Penalties outside, since the factors of folds of all of them may be too large.
    for k, penalty in enumerate(grid):
        kept = work.parts.kept(penalty)
        hold_out = work.parts.hold_out(penalty, folds)
        for columns in _blocks(q):
            square = _mean_square(hold_out(work.errors(kept, columns)))
            better = square < least[columns]
            best[columns][better] = k
            least[columns][better] = square[better]
    return best


def _residuals(
    work: _Responses,
    grid: FloatArray,
    chosen: IntArray,
    folds: Sequence[IntArray] | None,
    *,
    held_out: bool,
) -> FloatArray:
    """Return the errors of every response at its own penalty, in place of the rest."""
    residuals = work.rest
    for k in np.unique(chosen):
        kept = work.parts.kept(grid[k])
        hold_out = work.parts.hold_out(grid[k], folds) if held_out else None
        mine = np.flatnonzero(chosen == k)
        for block in _blocks(mine.size):
            columns = mine[block]
            errors = work.errors(kept, columns)
            residuals[:, columns] = errors if hold_out is None else hold_out(errors)
    return residuals


def _mean_square(errors: FloatArray) -> FloatArray:
    mean: FloatArray = np.einsum("ij,ij->j", errors, errors) / errors.shape[0]
    return mean


def _blocks(n_columns: int) -> Iterator[slice]:
    for start in range(0, n_columns, _COLUMNS):
        yield slice(start, min(start + _COLUMNS, n_columns))
