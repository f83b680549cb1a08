"""Singular vectors of the stimuli, from which ridge takes every penalty at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from scorecast._core.types import FloatArray, IntArray
from scorecast.exceptions import InsufficientDataError, UsageError

__all__ = ["Decomposition"]


@dataclass(frozen=True)
class Decomposition:
    """Stimuli, centred if there is an intercept, as left * values * right'.

    Parameters
    ----------
    centre : ndarray of shape (n_features,)
        What was taken off the features.
    left : ndarray of shape (n_samples, rank)
        Directions among samples.
    values : ndarray of shape (rank,)
        Singular values, none of them zero.
    right : ndarray of shape (n_features, rank)
        Directions among features.
    beyond : ndarray of shape (n_samples,)
        Share of each sample that no feature reaches: one less its greatest leverage.
    has_intercept : bool
        Whether the mean is fitted too.
    """

    centre: FloatArray
    left: FloatArray
    values: FloatArray
    right: FloatArray
    beyond: FloatArray
    has_intercept: bool

    @classmethod
    def of(cls, stimuli: FloatArray, *, fit_intercept: bool) -> Decomposition:
        """Decompose the stimuli.

        Parameters
        ----------
        stimuli : ndarray of shape (n_samples, n_features)
            Features.
        fit_intercept : bool
            Whether to centre them.

        Returns
        -------
        Decomposition
            Its parts.

        Raises
        ------
        InsufficientDataError
            If nothing varies.
        """
        n, p = stimuli.shape
        centre = stimuli.mean(axis=0) if fit_intercept else np.zeros(p)
        away = stimuli - centre
        if fit_intercept:
            # A mean is rounded; what is constant must not be left with the rounding.
            away[:, (stimuli == stimuli[0]).all(axis=0)] = 0.0
        left, values, right = linalg.svd(away, full_matrices=False, overwrite_a=True)
        eps = np.finfo(np.float64).eps
        rank = int((values > max(n, p) * eps * values[0]).sum())
        if rank == 0:
            msg = "The stimuli have no feature that varies: they cannot be told apart."
            raise InsufficientDataError(msg)
        left = np.ascontiguousarray(left[:, :rank])
        beyond = 1.0 - fit_intercept / n - np.einsum("ij,ij->i", left, left)
        # Where the features fix a sample, what is left is rounding, not a remainder.
        fixed = (beyond < n * eps) | (rank + fit_intercept >= n)
        beyond[fixed] = 0.0
        thin = np.ascontiguousarray(right[:rank].T)
        return cls(centre, left, values[:rank], thin, beyond, fit_intercept)

    def unreached(self, responses: FloatArray, along: FloatArray) -> FloatArray:
        """Return the part of centred responses that no coefficient can fit.

        Parameters
        ----------
        responses : ndarray of shape (n_samples, m)
            Some columns of responses.
        along : ndarray of shape (rank, m)
            The same along `left`.

        Returns
        -------
        ndarray of shape (n_samples, m)
            What least squares without a penalty would leave.
        """
        rest: FloatArray = responses - self.left @ along
        rest[self.beyond == 0.0] = 0.0
        return rest

    def kept(self, penalty: float) -> FloatArray:
        """Return the share of each direction that a penalty keeps out of the fit."""
        share: FloatArray = penalty / (self.values**2 + penalty)
        return share

    def hold_out(
        self, penalty: float, folds: Sequence[IntArray] | None
    ) -> Callable[[FloatArray], FloatArray]:
        """Turn errors of the fit into errors of fits that have not seen the rows.

        Leaving rows F out changes their errors from e to (I - H_FF)^-1 e, with H the
        matrix that maps responses to fitted values. That is exact: no fit is repeated.

        Parameters
        ----------
        penalty : float
            The ridge penalty.
        folds : sequence of ndarray or None
            Rows that are left out together; None leaves out one at a time.

        Returns
        -------
        callable
            Takes errors (n_samples, m), changes them in place and returns them.
        """
        if folds is None:
            free = self.beyond + (self.left**2) @ self.kept(penalty)

            def one_at_a_time(errors: FloatArray) -> FloatArray:
                errors /= free[:, None]
                return errors

            return one_at_a_time
        factors = self._factors(penalty, folds)

        def by_fold(errors: FloatArray) -> FloatArray:
            for rows, factor in zip(folds, factors, strict=True):
                errors[rows] = linalg.cho_solve(factor, errors[rows])
            return errors

        return by_fold

    def _factors(
        self, penalty: float, folds: Sequence[IntArray]
    ) -> list[tuple[FloatArray, bool]]:
        kept = self.kept(penalty)
        # Where I - H is a difference, a pivot of the order of rounding means nothing.
        rounding = self.beyond.size * np.finfo(np.float64).eps
        least = rounding if self.beyond.any() else 0.0
        factors = []
        for rows in folds:
            try:
                factor = linalg.cho_factor(self._free(rows, kept))
                sound = float(np.diag(factor[0]).min()) ** 2 > least
            except linalg.LinAlgError:
                sound = False
            if not sound:
                msg = (
                    f"With a penalty of {penalty:g}, samples left out together cannot "
                    "be predicted from the others. Leave out smaller `alphas`."
                )
                raise UsageError(msg)
            factors.append(factor)
        return factors

    def _free(self, rows: IntArray, kept: FloatArray) -> FloatArray:
        """Return I - H for some rows."""
        part = self.left[rows]
        free: FloatArray = (part * kept) @ part.T
        if self.beyond.any():
            free += np.eye(rows.size) - self.has_intercept / self.beyond.size
            free -= part @ part.T
        return free
