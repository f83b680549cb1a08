"""A scaler before the model: learned anew from the cases that each permutation trains.

It does not look at labels, but which features it is fitted to changes with the
permutation. So everything is worked out one permutation at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from scorecast._core.types import FloatArray, IntArray
from scorecast.guarantees.permutation.features import Features, Fold
from scorecast.guarantees.permutation.rule import FoldRule, Predicted, all_doubtful

__all__ = ["ScaledRule"]


@dataclass(frozen=True, kw_only=True, eq=False)
class ScaledRule:
    """Scale, then follow another rule.

    Attributes
    ----------
    values : ndarray of shape (n, m)
        Features as they came.
    fold : Fold
        The split.
    scaler : transformer
        What comes before the model.
    make : callable
        Makes the rule of the model, of features and fold.
    """

    values: FloatArray
    fold: Fold
    scaler: Any
    make: Callable[[Features, Fold], FoldRule | None]

    def predict(self, orders: IntArray) -> Predicted:
        """Predict the test cases for every permutation."""
        from sklearn.base import clone

        scaler, found = clone(self.scaler), []
        for order in orders:
            # In the order of the training cases: sums to the last digit.
            scaler.fit(self.values[order[self.fold.split.train]])
            scaled = np.asarray(scaler.transform(self.values), dtype=np.float64)
            rule = self.make(Features(scaled), self.fold)
            n_test = self.fold.split.test.size
            found.append(rule.predict(order[None]) if rule else all_doubtful(1, n_test))
        return Predicted(
            classes=np.concatenate([part.classes for part in found]),
            is_doubtful=np.concatenate([part.is_doubtful for part in found]),
        )
