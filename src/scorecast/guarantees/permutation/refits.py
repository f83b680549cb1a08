"""Fit the model itself: for a permutation that is in doubt, or for all of them."""

from __future__ import annotations

import copy
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorecast._core.types import FloatArray, IntArray
from scorecast.guarantees.permutation.splits import CaseSplit

__all__ = ["Refitting"]

_UNCHANGING = (bool, int, float, str, type(None), np.number, np.bool_)


@dataclass(frozen=True, kw_only=True, eq=False)
class Refitting:
    """A model, its data and how it is scored.

    Attributes
    ----------
    estimator : scikit-learn estimator
        Never fitted itself; clones are.
    scorer : callable
        Called as ``scorer(fitted, X, y)``.
    X : ndarray of shape (n, m)
        Features.
    y : ndarray of shape (n,)
        Labels as they came.
    is_accuracy : bool
        Whether the score is the share of right predictions: counting them here spares
        what scikit-learn looks up every time.
    """

    estimator: Any
    scorer: Any
    X: FloatArray
    y: NDArray[Any]
    is_accuracy: bool = False

    def score(
        self,
        labels: NDArray[Any],
        split: CaseSplit,
        failures: Counter[str],
        seed: int,
        order: IntArray | None = None,
    ) -> float:
        """Fit and score one split.

        Parameters
        ----------
        labels : ndarray of shape (n,)
            What is learned and tested.
        split : CaseSplit
            Who trains, who is tested.
        failures : Counter
            Gets the reason if the model fails.
        seed : int
            For models that draw random numbers and were given no seed.
        order : ndarray of shape (n,), optional
            Whose features every case gets; its own by default.

        Returns
        -------
        float
            The score; NaN if the model failed.
        """
        model = self._fresh(seed)
        known, asked = split.train, split.test
        if order is not None:
            known, asked = order[known], order[asked]
        try:
            model.fit(self.X[known], labels[split.train])
            found = self._value(model, asked, labels[split.test])
        except Exception as error:  # noqa: BLE001 - models raise whatever they like
            failures[f"{type(error).__name__}: {error}"] += 1
            return np.nan
        if not np.isfinite(found):
            failures[f"the score is {found}"] += 1
            return np.nan
        return found

    @property
    def has_open_seed(self) -> bool:
        """Whether the model leaves its random numbers to us."""
        return bool(self._blank[1])

    def _fresh(self, seed: int) -> Any:
        """Copy the model; seeds that were left open come from our stream.

        Otherwise the answer would depend on who runs which permutation.
        """
        from sklearn.base import clone

        blank, names, is_plain = self._blank
        if not is_plain:
            model = clone(blank)
            return model.set_params(**dict.fromkeys(names, seed)) if names else model
        model = copy.copy(blank)
        for name in names:
            setattr(model, name, seed)
        return model

    @cached_property
    def _blank(self) -> tuple[Any, tuple[str, ...], bool]:
        """The model before it learned anything, and what is the same for all copies."""
        from sklearn.base import clone

        blank = clone(self.estimator)
        return blank, _open_seeds(blank), _is_plain(blank)

    def _value(self, model: Any, cases: IntArray, truth: NDArray[Any]) -> float:
        if self.is_accuracy:
            predicted = np.asarray(model.predict(self.X[cases]))
            if predicted.shape == truth.shape:
                return float(np.mean(predicted == truth))
        return float(self.scorer(model, self.X[cases], truth))


def _open_seeds(estimator: Any) -> tuple[str, ...]:
    """Name the seeds that were left open."""
    params = estimator.get_params(deep=True)
    return tuple(
        name
        for name, value in params.items()
        if value is None and name.rpartition("__")[2] == "random_state"
    )


def _is_plain(estimator: Any) -> bool:
    """Tell whether a copy of the outermost object is as good as a clone.

    It is for scikit-learn's own models, whose constructors keep parameters and nothing
    else, if no parameter can change: neither a model nor a generator.
    """
    if not type(estimator).__module__.startswith("sklearn."):
        return False
    params = estimator.get_params(deep=True).values()
    return all(isinstance(value, _UNCHANGING) for value in params)
