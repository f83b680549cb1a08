"""Logistic regression with two classes, in the span of the training cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.guarantees.permutation.features import Features, Fold
from scorecast.guarantees.permutation.rule import Predicted, all_doubtful

__all__ = ["LogisticRule"]

# Rounding grows over the steps of the solver, on some data more than on others. So
# fits with a decision this near to zero are repeated with the cases in another order,
# which rounds differently; a decision within so many times the difference is doubtful.
_WATCHED = 0.05
_MARGIN, _LEAST = 100.0, 1e-7
# The wider the features, the sooner two roundings lead to other steps altogether, and
# nearness to zero tells no more. From the first spread on all fits are repeated; from
# the second on, or where one feature is so many times as wide as the usual one, the
# model itself is fitted.
_WIDE, _TOO_WIDE, _UNEVEN = 3.0, 10.0, 100.0


@dataclass(frozen=True, kw_only=True, eq=False)
class LogisticRule:
    """The steps of scikit-learn's solver in as many dimensions as there are cases.

    Attributes
    ----------
    fold : Fold
        The split.
    coordinates : ndarray of shape (n, r)
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
    watched : float
        Fits with a decision this near to zero are repeated.
    is_tame : bool
        Whether features are scaled so that the steps can be followed at all.
    """

    fold: Fold
    coordinates: FloatArray
    basis: FloatArray
    penalty: float
    has_intercept: bool
    tolerance: float
    most: int
    watched: float
    is_tame: bool

    @classmethod
    def of(cls, features: Features, fold: Fold, model: Any) -> Self:
        """Prepare a split for a `LogisticRegression` with the solver lbfgs."""
        coordinates, basis = features.rotation
        spreads = features.spreads
        widest = float(spreads.max(initial=0.0))
        usual = float(np.median(spreads)) if spreads.size else 0.0
        return cls(
            fold=fold,
            coordinates=np.ascontiguousarray(coordinates),
            basis=np.ascontiguousarray(basis),
            penalty=1 / (model.C * fold.split.train.size),
            has_intercept=bool(model.fit_intercept),
            tolerance=float(model.tol),
            most=int(model.max_iter),
            watched=_WATCHED if widest <= _WIDE else np.inf,
            is_tame=widest <= min(_TOO_WIDE, _UNEVEN * usual),
        )

    def predict(self, orders: IntArray) -> Predicted:
        """Predict the test cases for every permutation."""
        if not self.is_tame:
            return all_doubtful(orders.shape[0], self.fold.split.test.size)
        train = self.fold.split.train
        decisions, doubtful = self._decide(orders, train)
        nearest = np.abs(decisions).min(axis=1)
        watched = np.flatnonzero(~(nearest > self.watched))
        if watched.size:
            again, _ = self._decide(orders[watched], train[::-1])
            noise = np.abs(again - decisions[watched]).max(axis=1)
            clear = nearest[watched] > _LEAST + _MARGIN * noise
            doubtful[watched] |= ~clear
        return Predicted(classes=(decisions > 0).astype(np.int64), is_doubtful=doubtful)

    def _decide(
        self, orders: IntArray, train: IntArray
    ) -> tuple[FloatArray, BoolArray]:
        from scorecast.guarantees.permutation.lbfgs_kernels import logistic_decisions

        decisions, doubtful = logistic_decisions(
            self.coordinates,
            np.ascontiguousarray(orders[:, train]),
            np.ascontiguousarray(orders[:, self.fold.split.test]),
            self.basis,
            self.fold.codes[train].astype(np.float64),
            self.penalty,
            self.has_intercept,
            self.tolerance,
            self.most,
        )
        return decisions, doubtful
