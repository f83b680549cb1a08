"""Trees and forests: how samples lie along a feature does not depend on labels."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from scorecast._core.types import FloatArray, IntArray
from scorecast.evaluation.permutation.engines import (
    PERMUTATION_ENGINES,
    SEEDS,
    Features,
    Fold,
    PermutationEngine,
    Predicted,
    Sorted,
    all_doubtful,
    seed_of,
)

_FEW_SAMPLES = 1_000  # beyond, sorting those of a node is as quick


class Growth(NamedTuple):
    """How trees grow."""

    # Classes; features tried per node; least samples of a node that is cut and of a
    # leaf; greatest depth
    n_classes: int
    n_tried: int
    n_split: int
    n_leaf: int
    n_levels: int
    least: float  # decrease of impurity that a cut must bring
    is_random: bool  # whether thresholds are drawn instead of sought


@dataclass(frozen=True, eq=False)
class _Trees:
    """What chance decides in a forest: draws of samples, and where generators start."""

    weights: FloatArray
    states: NDArray[np.uint32]


@dataclass(frozen=True, kw_only=True, eq=False)
class TreeRule:
    """A tree, or a forest of them, grown on features that are in order already."""

    fold: Fold
    table: Sorted  # features by value
    growth: Growth  # how trees grow
    model: Any  # tells how many trees there are and what they draw
    drawn: _Trees | None  # what chance decides, where the model has a seed of its own

    @classmethod
    def prepare(cls, features: Features, fold: Fold, model: Any) -> Self | None:
        """Prepare a split for a tree, a random forest or extra trees.

        The growing repeats what scikit-learn does, draw for draw.
        """
        seed = model.random_state
        n_train = fold.train.size
        rule = cls(
            fold=fold,
            table=features.in_order,
            growth=_growth(model, features.values.shape[1], fold.n_classes),
            model=model,
            drawn=None if seed is None else _drawn(model, int(seed), n_train),
        )
        return rule if np.isfinite(rule.table.values).all() else None

    def predict(self, orders: IntArray) -> Predicted:
        """Predict the test samples for every permutation."""
        said = all_doubtful(orders.shape[0], self.fold.test.size)
        for row, order in enumerate(orders):
            said.classes[row] = self.classes(order, seed_of(order))
        said.is_doubtful[:] = False
        return said

    def classes(self, order: IntArray, seed: int) -> IntArray:
        """Predict one permutation; the seed counts where the model has none."""
        from scorecast.evaluation.permutation.kernels import forest_shares

        fold = self.fold
        drawn = self.drawn
        if drawn is None:
            drawn = _drawn(self.model, seed, fold.train.size)
        shares = forest_shares(
            self.table,
            self.growth,
            self.fold.codes,
            order,
            fold.train,
            fold.test,
            drawn.weights,
            drawn.states,
        )
        found: IntArray = shares.argmax(axis=1)
        return found


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
        state = np.random.RandomState(seed).randint(0, SEEDS)
        return _Trees(np.ones((1, n_train)), np.array([state], dtype=np.uint32))
    count = int(model.n_estimators)
    seeds = np.random.RandomState(seed).randint(SEEDS, size=count)
    weights, states = np.ones((count, n_train)), np.empty(count, dtype=np.uint32)
    for number, own in enumerate(seeds):
        states[number] = np.random.RandomState(own).randint(0, SEEDS)
        if model.bootstrap:
            picks = np.random.RandomState(own).randint(0, n_train, n_train)
            weights[number] = np.bincount(picks, minlength=n_train)
    return _Trees(weights, states)


def _knows(model: Any, n_classes: int) -> bool:
    del n_classes
    params = model.get_params()
    whole = ("min_samples_split", "min_samples_leaf")
    plain = all(_is_whole(params[name]) for name in whole)
    plain = plain and params["criterion"] == "gini" and params["class_weight"] is None
    plain = plain and params["max_leaf_nodes"] is None and params["ccp_alpha"] == 0
    plain = plain and params["min_weight_fraction_leaf"] == 0
    plain = plain and params.get("monotonic_cst") is None
    plain = plain and params.get("splitter", "best") in ("best", "random")
    forest = not params.get("oob_score") and not params.get("warm_start")
    forest = forest and params.get("max_samples") is None
    deep = params["max_depth"] is None or _is_whole(params["max_depth"])
    tried = params["max_features"]
    known = tried in (None, "sqrt", "log2") or _is_whole(tried)
    seed = params["random_state"]
    seeded = seed is None or (_is_whole(seed) and 0 <= seed < 2**32)
    return bool(plain and forest and deep and known and seeded)


def _is_whole(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


PERMUTATION_ENGINES.add(
    PermutationEngine(
        name="trees",
        title="trees, random forests and extra trees",
        summary="grown on features sorted once, with scikit-learn's own draws",
        reference="L. Breiman (2001). Random forests. Machine Learning 45.",
        estimators=(
            "sklearn.tree.DecisionTreeClassifier",
            "sklearn.ensemble.RandomForestClassifier",
            "sklearn.ensemble.ExtraTreesClassifier",
        ),
        accepts=_knows,
        prepare=TreeRule.prepare,
        # Samples of a node are picked from all of them, in order.
        pays=lambda shape: shape.n <= _FEW_SAMPLES,
        draws=True,
        # A scaler changes nothing but the last digits, and those decide.
        takes_scaler=False,
        n_self_checks=2,
    )
)
