"""Predictions of a known model for many permutations, whatever the loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorecast._core.types import IntArray
from scorecast.guarantees.permutation.features import Features, Fold
from scorecast.guarantees.permutation.recognition import FastMethod, recognise
from scorecast.guarantees.permutation.rule import FoldRule, Predicted, all_doubtful
from scorecast.guarantees.permutation.scaled import ScaledRule
from scorecast.guarantees.permutation.splits import CaseSplit

__all__ = ["FastPredictor", "fast_predictor", "is_quick"]

_QUICK = 2e7  # multiplications, of all splits of one permutation
_FEW_CASES = 1_000  # beyond, sorting those of a node is as quick
_OVERHEAD = 1e7  # operations in the time that fitting and scoring takes beside them


@dataclass(frozen=True, kw_only=True, eq=False)
class FastPredictor:
    """The rules of all splits.

    Attributes
    ----------
    name : str
        Of the method.
    rules : tuple of FoldRule or None
        One per split; None where a class is not learned, or the model itself is asked.
    n_tests : tuple of int
        Cases tested by every split.
    is_quick : bool
        Whether a thousand permutations are a matter of seconds.
    """

    name: str
    rules: tuple[FoldRule | None, ...]
    n_tests: tuple[int, ...]
    is_quick: bool

    @property
    def draws(self) -> bool:
        """Whether predictions hang on random numbers."""
        return self.name == "trees"

    def predict(self, number: int, orders: IntArray) -> Predicted:
        """Predict the test cases of one split.

        Parameters
        ----------
        number : int
            Of the split, from zero.
        orders : ndarray of shape (b, n)
            Whose features every case gets, one row per permutation.

        Returns
        -------
        Predicted
            Doubtful throughout where the model has to speak for itself.
        """
        rule = self.rules[number]
        if rule is None:
            return all_doubtful(orders.shape[0], self.n_tests[number])
        return rule.predict(orders)


def fast_predictor(
    estimator: Any, X: NDArray[Any], codes: IntArray, splits: list[CaseSplit]
) -> FastPredictor | None:
    """Prepare the fast way of a model, if there is one that is worth it.

    Parameters
    ----------
    estimator : scikit-learn classifier
        The model.
    X : ndarray of shape (n, m)
        Features: whole numbers or float64, for which models compute in float64.
    codes : ndarray of shape (n,)
        Class of every case, by number.
    splits : list of CaseSplit
        The divisions.

    Returns
    -------
    FastPredictor or None
        None where the model itself has to be fitted every time.
    """
    n_classes = int(codes.max()) + 1
    fast = recognise(estimator, n_classes)
    exact = X.dtype == np.float64 or X.dtype.kind in "iub"
    if fast is None or not exact or not _pays(fast, X, splits):
        return None
    from threadpoolctl import threadpool_limits

    values = np.asarray(X, dtype=np.float64)
    if not np.isfinite(values).all():
        return None
    shared = Features(values)
    folds = [Fold(split=s, codes=codes, n_classes=n_classes) for s in splits]
    with threadpool_limits(1):  # as in the workers: sums in the same order
        rules = tuple(_rule(fast, shared, fold) for fold in folds)
    if not any(rules):
        return None
    sizes = tuple(split.test.size for split in splits)
    return FastPredictor(
        name=fast.name,
        rules=rules,
        n_tests=sizes,
        is_quick=is_quick(fast, X.shape, len(splits)),
    )


def _rule(fast: FastMethod, features: Features, fold: Fold) -> FoldRule | None:
    if not fold.counts.all():
        return None
    if fast.scaler is None:
        return fast.make(features, fold, fast.model)

    def make(scaled: Features, fold: Fold) -> FoldRule | None:
        return fast.make(scaled, fold, fast.model)

    return ScaledRule(values=features.values, fold=fold, scaler=fast.scaler, make=make)


def is_quick(fast: FastMethod, shape: tuple[int, ...], n_splits: int) -> bool:
    """Tell whether a thousand permutations are a matter of seconds.

    Parameters
    ----------
    fast : FastMethod
        The fast way of a model.
    shape : tuple of int
        Cases and features.
    n_splits : int
        Number of splits.

    Returns
    -------
    bool
        Whether they are.
    """
    n, m = shape
    # Multiplications per permutation and split, about; logistic regression takes many
    # steps, and what is not here is fitted one permutation at a time.
    work = {
        "nearest-centroid": n * min(n, m),
        "neighbours": n * n,
        "ridge": n * n,
        "naive-bayes": n * m,
        "logistic": 60 * n * min(n, m),
        "discriminant": n**3,
        "whitened": n * n * m / 8 + n**3,  # one symmetric product, at full speed
    }
    if fast.scaler is not None or fast.name not in work:
        return False
    return bool(n_splits * work[fast.name] <= _QUICK)


def _pays(fast: FastMethod, X: NDArray[Any], splits: list[CaseSplit]) -> bool:
    """Tell whether matrices of cases by cases are small next to fitting the model."""
    n, m = X.shape
    most = max(split.train.size for split in splits)
    work = {"ridge": _left_out_work(splits, n), "discriminant": float(most) ** 3}
    model = _OVERHEAD + float(most) * m * min(most, m)
    if fast.name in ("nearest-centroid", "naive-bayes"):
        return True
    if fast.name == "trees":
        # Cases of a node are picked from all of them, in order.
        return bool(n <= _FEW_CASES)
    if fast.name == "whitened":
        # With fewer features than cases their own matrix, the model's, is smaller.
        return bool(most <= m)
    memory = n <= 4000 or n <= m
    return bool(memory and work.get(fast.name, 0.0) + 2.0 * n * n <= model)


def _left_out_work(splits: list[CaseSplit], n: int) -> float:
    sides = [
        split.test.size if split.train.size + split.test.size == n else split.train.size
        for split in splits
    ]
    return float(max(sides)) ** 3
