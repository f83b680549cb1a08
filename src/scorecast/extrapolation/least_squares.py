"""Least squares for curves of many nearly collinear columns, with constraints."""

from __future__ import annotations

import numpy as np
import scipy

from scorecast._core.types import FloatArray

_SUM_WEIGHT = 1e4  # weight of the row that ties the sum of coefficients to one


class Design:
    """A design matrix factored once and solved for many right-hand sides.

    Normal equations lose everything here, because columns are nearly collinear; a QR
    factorisation loses nothing and shrinks the problem to columns x columns.

    Parameters
    ----------
    columns : ndarray of shape (n, m)
        Design matrix.
    row_weights : ndarray of shape (n,), optional
        Weights of the squared residuals.
    """

    def __init__(
        self, columns: FloatArray, row_weights: FloatArray | None = None
    ) -> None:
        self.scale = np.ones(columns.shape[0])
        if row_weights is not None:
            self.scale = np.sqrt(row_weights)
        self.q, self.r = np.linalg.qr(columns * self.scale[:, None])

    def unconstrained(self, values: FloatArray) -> FloatArray:
        """Minimise the squared residuals; of many solutions the smallest."""
        reduced = self.q.T @ (values * self.scale)
        solution: FloatArray = np.linalg.lstsq(self.r, reduced, rcond=None)[0]
        return solution

    def nonnegative(self, values: FloatArray) -> FloatArray:
        """Minimise the squared residuals over coefficients that are not negative."""
        return _nnls(self.r, self.q.T @ (values * self.scale))

    def simplex(self, values: FloatArray) -> FloatArray:
        """Minimise over coefficients that are not negative and add up to one."""
        tied = np.vstack([self.r, np.full(self.r.shape[1], _SUM_WEIGHT)])
        reduced = np.append(self.q.T @ (values * self.scale), _SUM_WEIGHT)
        solution = _nnls(tied, reduced)
        solution /= solution.sum()
        return solution


def _nnls(matrix: FloatArray, values: FloatArray) -> FloatArray:
    n_rounds = 30 * matrix.shape[1]
    solution: FloatArray = scipy.optimize.nnls(matrix, values, maxiter=n_rounds)[0]
    return solution
