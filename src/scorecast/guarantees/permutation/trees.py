"""Trees and forests: how cases lie along a feature does not depend on labels."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from scorecast._core.types import FloatArray, IntArray
from scorecast.guarantees.permutation.features import Features, Fold, Sorted
from scorecast.guarantees.permutation.rule import Predicted, all_doubtful

__all__ = ["TreeRule"]

_TREE_SEEDS = 2**31 - 1  # scikit-learn draws seeds of trees, and their states, below
_N_TRIALS = 2  # permutations on which the model itself is asked first


class Growth(NamedTuple):
    """How trees grow.

    Attributes
    ----------
    n_classes, n_tried, n_split, n_leaf, n_levels : int
        Classes; features tried per node; least cases of a node that is cut and of a
        leaf; greatest depth.
    least : float
        Decrease of impurity that a cut must bring.
    is_random : bool
        Whether thresholds are drawn instead of sought.
    """

    n_classes: int
    n_tried: int
    n_split: int
    n_leaf: int
    n_levels: int
    least: float
    is_random: bool


@dataclass(frozen=True, eq=False)
class _Trees:
    """What chance decides in a forest: draws of cases, and where generators start."""

    weights: FloatArray
    states: NDArray[np.uint32]


@dataclass(frozen=True, kw_only=True, eq=False)
class TreeRule:
    """A tree, or a forest of them, grown on features that are in order already.

    Attributes
    ----------
    fold : Fold
        The split.
    table : Sorted
        Features by value.
    growth : Growth
        How trees grow.
    model : scikit-learn classifier
        Tells how many trees there are and what they draw.
    drawn : _Trees or None
        What chance decides, where the model has a seed of its own.
    """

    fold: Fold
    table: Sorted
    growth: Growth
    model: Any
    drawn: _Trees | None

    @classmethod
    def of(cls, features: Features, fold: Fold, model: Any) -> Self | None:
        """Prepare a split for a tree, a random forest or extra trees.

        The growing repeats what scikit-learn does, draw for draw. It is trusted only
        if it says on some permutations what the model itself says.
        """
        seed = model.random_state
        n_train = fold.split.train.size
        rule = cls(
            fold=fold,
            table=features.in_order,
            growth=_growth(model, features.values.shape[1], fold.n_classes),
            model=model,
            drawn=None if seed is None else _drawn(model, int(seed), n_train),
        )
        return rule if _agrees(rule, features.values) else None

    def predict(self, orders: IntArray) -> Predicted:
        """Predict the test cases for every permutation."""
        said = all_doubtful(orders.shape[0], self.fold.split.test.size)
        for row, order in enumerate(orders):
            said.classes[row] = self.classes(order, _seed_of(order))
        said.is_doubtful[:] = False
        return said

    def classes(self, order: IntArray, seed: int) -> IntArray:
        """Predict one permutation; the seed counts where the model has none."""
        from scorecast.guarantees.permutation.growing import forest_shares

        split = self.fold.split
        drawn = self.drawn
        if drawn is None:
            drawn = _drawn(self.model, seed, split.train.size)
        shares = forest_shares(
            self.table, self.growth, self.fold.codes, order, split.train, split.test,
            drawn.weights, drawn.states,
        )  # fmt: skip
        found: IntArray = shares.argmax(axis=1)
        return found


def _seed_of(order: IntArray) -> int:
    """Return a seed that depends on the permutation, not on who works it out."""
    return zlib.crc32(np.ascontiguousarray(order).tobytes()) % _TREE_SEEDS


def _growth(model: Any, m: int, n_classes: int) -> Growth:
    tried = model.max_features
    if tried is None:
        tried = m
    elif tried == "sqrt":
        tried = max(1, int(np.sqrt(m)))
    elif tried == "log2":
        tried = max(1, int(np.log2(m)))
    n_leaf = int(model.min_samples_leaf)
    depth = model.max_depth
    return Growth(
        n_classes=n_classes,
        n_tried=int(tried),
        n_split=max(int(model.min_samples_split), 2 * n_leaf),
        n_leaf=n_leaf,
        n_levels=int(np.iinfo(np.int32).max if depth is None else depth),
        least=float(model.min_impurity_decrease),
        is_random=_is_random(model),
    )


def _is_random(model: Any) -> bool:
    if hasattr(model, "splitter"):
        return bool(model.splitter == "random")
    return type(model).__name__ == "ExtraTreesClassifier"


def _drawn(model: Any, seed: int, n_train: int) -> _Trees:
    """Draw what the model would draw with a seed."""
    if not hasattr(model, "n_estimators"):
        state = np.random.RandomState(seed).randint(0, _TREE_SEEDS)
        return _Trees(np.ones((1, n_train)), np.array([state], dtype=np.uint32))
    count = int(model.n_estimators)
    seeds = np.random.RandomState(seed).randint(_TREE_SEEDS, size=count)
    weights, states = np.ones((count, n_train)), np.empty(count, dtype=np.uint32)
    for number, own in enumerate(seeds):
        states[number] = np.random.RandomState(own).randint(0, _TREE_SEEDS)
        if model.bootstrap:
            picks = np.random.RandomState(own).randint(0, n_train, n_train)
            weights[number] = np.bincount(picks, minlength=n_train)
    return _Trees(weights, states)


def _agrees(rule: TreeRule, values: FloatArray) -> bool:
    """Tell whether the rule says what the model says, on a few permutations."""
    from sklearn.base import clone

    if not np.isfinite(rule.table.values).all():
        return False
    split, codes = rule.fold.split, rule.fold.codes
    rng = np.random.default_rng(0)
    for seed in range(_N_TRIALS):
        order = rng.permutation(codes.size)
        model = clone(rule.model)
        if model.random_state is None:
            model.set_params(random_state=seed)
        try:
            model.fit(values[order[split.train]], codes[split.train])
            said = model.predict(values[order[split.test]])
        except Exception:  # noqa: BLE001 - the loop will say what is wrong with it
            return False
        if not np.array_equal(said, rule.classes(order, seed)):
            return False
    return True
