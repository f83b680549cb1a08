"""Logistic regression with two classes, in the span of the training cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.guarantees.permutation.features import FoldFeatures
from scorecast.guarantees.permutation.rule import Predicted

__all__ = ["LogisticRule"]

# Rounding grows over the steps of the solver, on some data more than on others. So
# fits with a decision this near to zero are repeated with the cases in another order,
# which rounds differently; a decision within so many times the difference is doubtful.
_WATCHED = 0.05
_MARGIN, _LEAST = 100.0, 1e-7


@dataclass(frozen=True, kw_only=True, eq=False)
class LogisticRule:
    """The steps of scikit-learn's solver in as many dimensions as there are cases.

    Attributes
    ----------
    train, test : ndarray of shape (n_train, r), (n_test, r)
        Coordinates in the span of the cases.
    basis : ndarray of shape (m, r)
        Leads back to the features.
    penalty : float
        Of the squared weights, per training case.
    has_intercept : bool
        Whether there is one; it is not penalised.
    tolerance : float
        Largest entry of the gradient at which the solver stops.
    most : int
        Iterations at most.
    """

    train: FloatArray
    test: FloatArray
    basis: FloatArray
    penalty: float
    has_intercept: bool
    tolerance: float
    most: int

    @classmethod
    def of(cls, fold: FoldFeatures, model: Any, n_classes: int) -> Self:
        """Prepare a split for a `LogisticRegression` with the solver lbfgs."""
        del n_classes
        coordinates, basis = fold.features.rotation
        train = np.ascontiguousarray(coordinates[fold.split.train])
        return cls(
            train=train,
            test=np.ascontiguousarray(coordinates[fold.split.test]),
            basis=np.ascontiguousarray(basis),
            penalty=1 / (model.C * train.shape[0]),
            has_intercept=bool(model.fit_intercept),
            tolerance=float(model.tol),
            most=int(model.max_iter),
        )

    def predict(self, labels: IntArray) -> Predicted:
        """Predict the test cases for every labelling of the training cases."""
        targets = np.ascontiguousarray(labels, dtype=np.float64)
        decisions, doubtful = self._decide(self.train, targets)
        nearest = np.abs(decisions).min(axis=1)
        watched = np.flatnonzero(~(nearest > _WATCHED))
        if watched.size:
            turned = np.ascontiguousarray(targets[watched, ::-1])
            again, _ = self._decide(np.ascontiguousarray(self.train[::-1]), turned)
            noise = np.abs(again - decisions[watched]).max(axis=1)
            clear = nearest[watched] > _LEAST + _MARGIN * noise
            doubtful[watched] |= ~clear
        return Predicted(classes=(decisions > 0).astype(np.int64), is_doubtful=doubtful)

    def _decide(
        self, train: FloatArray, targets: FloatArray
    ) -> tuple[FloatArray, BoolArray]:
        from scorecast.guarantees.permutation.lbfgs_kernels import logistic_decisions

        decisions, doubtful = logistic_decisions(
            train,
            self.test,
            self.basis,
            targets,
            self.penalty,
            self.has_intercept,
            self.tolerance,
            self.most,
        )
        return decisions, doubtful
