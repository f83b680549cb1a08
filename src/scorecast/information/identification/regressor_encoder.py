"""Any regressor as an encoding model: its predictions, and a Gaussian around them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, Self

import numpy as np

from scorecast._core.types import FloatArray, IntArray
from scorecast.exceptions import InvalidInputError, UsageError
from scorecast.information.identification.folds import make_folds, number_groups
from scorecast.information.identification.residual_covariance import (
    ResidualCovariance,
)
from scorecast.information.identification.samples import (
    Matrix,
    refuse_constant,
    refuse_exact,
)

__all__ = ["RegressorEncoder", "is_regressor"]

_FOLDS = 5
_BLOCK = 2**22  # numbers in a block of rows


def is_regressor(model: object) -> bool:
    """Tell whether a model predicts responses but does not score candidates."""
    if isinstance(model, type):
        return False
    able = all(callable(getattr(model, name, None)) for name in ("fit", "predict"))
    return able and not hasattr(model, "log_posterior")


class RegressorEncoder:
    """Score stimuli by a regressor of responses, with Gaussian residuals.

    Residuals of samples that were left out of five folds (by groups, where there are
    any) say how far predictions are off; their covariance is shrunk toward its diagonal
    after Ledoit and Wolf, as that of `EncodingModel` is.

    Parameters
    ----------
    regressor : object with ``fit`` and ``predict``
        An estimator of scikit-learn, or one that can be copied like it. One that takes
        a single output is fitted to each response by itself.
    """

    def __init__(self, regressor: Any) -> None:
        self.regressor = regressor

    def fit(
        self,
        stimuli: FloatArray,
        responses: Matrix,
        *,
        groups: Iterable[Hashable] | None = None,
    ) -> Self:
        """Fit the regressor, and the covariance of what it leaves.

        Parameters
        ----------
        stimuli : ndarray of shape (n, n_features)
            Features.
        responses : ndarray of shape (n, n_responses)
            Responses.
        groups : iterable of hashable, optional
            Samples that are left out together.

        Returns
        -------
        self
            Fitted.
        """
        y = np.asarray(responses, dtype=np.float64)
        refuse_constant(y)
        numbered = number_groups(groups, y.shape[0])
        n_units = y.shape[0] if numbered is None else int(numbered.max()) + 1
        folds = make_folds(min(_FOLDS, n_units), stimuli, numbered, 0)
        residuals = np.empty_like(y)
        for fold in folds:
            kept = _others(fold, y.shape[0])
            fitted = self._fitted(stimuli[kept], y[kept])
            residuals[fold] = y[fold] - _predicted(fitted, stimuli[fold], y.shape[1])
        refuse_exact(residuals, y)
        self.covariance_ = ResidualCovariance.of(residuals, weight="ledoit-wolf")
        self.fitted_ = self._fitted(stimuli, y)
        return self

    def log_posterior(self, responses: Matrix, candidates: FloatArray) -> FloatArray:
        """Score every candidate stimulus as the cause of every response.

        Parameters
        ----------
        responses : ndarray of shape (n, n_responses)
            Observed responses.
        candidates : ndarray of shape (m, n_features)
            Features of the candidates.

        Returns
        -------
        ndarray of shape (n, m)
            Minus half the squared Mahalanobis distance; greater is better.
        """
        y = np.asarray(responses, dtype=np.float64)
        means = _predicted(self.fitted_, candidates, y.shape[1])
        # About a common centre, lest large means leave only rounding of a difference.
        centre = means.mean(axis=0)
        means, y = means - centre, y - centre
        solved = self.covariance_.solve(means)
        own = np.einsum("ij,ij->i", means, solved) / 2
        scores = np.empty((y.shape[0], means.shape[0]))
        step = max(1, _BLOCK // max(y.shape[1], means.shape[0]))
        for start in range(0, y.shape[0], step):
            rows = slice(start, start + step)
            scores[rows] = y[rows] @ solved.T - own
            scores[rows] -= self.covariance_.squared_norms(y[rows])[:, None] / 2
        return scores

    def _fitted(self, stimuli: FloatArray, responses: FloatArray) -> Any:
        from sklearn.base import clone

        try:
            copy = clone(self.regressor)
        except TypeError:
            from copy import deepcopy

            copy = deepcopy(self.regressor)
        single = responses.shape[1] == 1
        if not single and not _takes_many(copy):
            from sklearn.multioutput import MultiOutputRegressor

            copy = MultiOutputRegressor(copy)
        target = responses[:, 0] if single else responses
        try:
            return copy.fit(stimuli, target)
        except (TypeError, ValueError) as error:
            name = type(self.regressor).__name__
            msg = f"{name} cannot be fitted to the responses: {error}"
            raise UsageError(msg) from error


def _takes_many(regressor: Any) -> bool:
    from sklearn.utils import get_tags

    try:
        return not get_tags(regressor).target_tags.single_output
    except (AttributeError, TypeError):  # no estimator of scikit-learn
        return True


def _others(fold: IntArray, n: int) -> Any:
    kept = np.ones(n, dtype=np.bool_)
    kept[fold] = False
    return kept


def _predicted(fitted: Any, stimuli: FloatArray, n_responses: int) -> FloatArray:
    found = np.asarray(fitted.predict(stimuli), dtype=np.float64)
    found = found.reshape(stimuli.shape[0], -1)
    if found.shape[1] != n_responses or not np.isfinite(found).all():
        msg = (
            f"{type(fitted).__name__} must predict {n_responses:,} finite responses of "
            f"every stimulus; got shape {found.shape}."
        )
        raise InvalidInputError(msg)
    return found
