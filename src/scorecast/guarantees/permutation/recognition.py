"""Which models are known, by type and parameters; nothing is guessed."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from scorecast.guarantees.permutation.centroids import CentroidRule
from scorecast.guarantees.permutation.discriminant import DiscriminantRule
from scorecast.guarantees.permutation.features import Features, Fold
from scorecast.guarantees.permutation.logistic import LogisticRule
from scorecast.guarantees.permutation.naive_bayes import NaiveBayesRule
from scorecast.guarantees.permutation.neighbours import NeighbourRule
from scorecast.guarantees.permutation.ridge import RidgeRule
from scorecast.guarantees.permutation.rule import FoldRule
from scorecast.guarantees.permutation.trees import TreeRule
from scorecast.guarantees.permutation.vectors import RotatedRule, VectorRule
from scorecast.guarantees.permutation.whitening import WhitenedRule, divisor_is_known

__all__ = ["FastMethod", "recognise"]

_Maker = Callable[[Features, Fold, Any], FoldRule | None]


@dataclass(frozen=True, kw_only=True, eq=False)
class FastMethod:
    """A way to work out many permutations at once.

    Attributes
    ----------
    name : str
        For the result.
    make : callable
        Prepares a split: ``make(features, fold, model)``; None if it cannot.
    model : scikit-learn classifier
        Whose parameters count.
    scaler : transformer or None
        What comes before it.
    """

    name: str
    make: _Maker
    model: Any
    scaler: Any


def recognise(estimator: Any, n_classes: int) -> FastMethod | None:
    """Find the fast method of a model.

    Parameters
    ----------
    estimator : scikit-learn estimator
        A classifier, or a pipeline of a StandardScaler and one.
    n_classes : int
        How many classes there are.

    Returns
    -------
    FastMethod or None
        None where the model, or a parameter of it, is not known here.
    """
    scaler, model = _taken_apart(estimator)
    # Exactly these types: a subclass may do anything.
    kind = f"{type(model).__module__.split('.')[0]}.{type(model).__name__}"
    for name, accepts, make in _KNOWN.get(kind, ()):
        # Before trees a scaler changes nothing but the last digits, and those decide.
        if accepts(model, n_classes) and (scaler is None or name != "trees"):
            return FastMethod(name=name, make=make, model=model, scaler=scaler)
    return None


def _taken_apart(estimator: Any) -> tuple[Any, Any]:
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import StandardScaler

    if type(estimator) is not Pipeline:
        return None, estimator
    steps = [step for _, step in estimator.steps if step not in (None, "passthrough")]
    if len(steps) == 1:
        return None, steps[0]
    if len(steps) == 2 and type(steps[0]) is StandardScaler:
        return steps[0], steps[1]
    return None, estimator


def _positive(value: Any) -> bool:
    return isinstance(value, numbers.Real) and 0 < float(value) < math.inf


def _takes_centroid(model: Any, n_classes: int) -> bool:
    del n_classes
    params = model.get_params()
    plain = params["metric"] == "euclidean" and params["shrink_threshold"] is None
    return bool(plain and params.get("priors", "uniform") == "uniform")


def _takes_ridge(model: Any, n_classes: int) -> bool:
    del n_classes
    direct = model.solver in ("auto", "cholesky", "svd")
    plain = model.class_weight is None and not model.positive
    return bool(direct and plain and _positive(model.alpha))


def _takes_naive_bayes(model: Any, n_classes: int) -> bool:
    fits = model.priors is None or len(model.priors) == n_classes
    smooth = isinstance(model.var_smoothing, numbers.Real)
    return bool(fits and smooth and model.var_smoothing >= 0)


def _takes_logistic(model: Any, n_classes: int) -> bool:
    params = model.get_params()
    squared = params["penalty"] in ("l2", "deprecated") and not params["l1_ratio"]
    plain = params["class_weight"] is None and not params["warm_start"]
    plain = plain and params.get("multi_class", "auto") in ("auto", "deprecated")
    direct = params["solver"] == "lbfgs" and not params["dual"]
    numbers_fit = _positive(params["C"]) and _positive(params["tol"])
    return bool(n_classes == 2 and squared and plain and direct and numbers_fit)


def _takes_vectors(model: Any, n_classes: int) -> bool:
    del n_classes
    # Probabilities are drawn anew for every fit; newer versions call them deprecated.
    plain = model.get_params().get("probability", False) in (False, "deprecated")
    gamma = model.gamma in ("scale", "auto") or _positive(model.gamma)
    # Weights by label would miss: what is fitted here are numbers of classes.
    plain = plain and model.class_weight in (None, "balanced") and not model.break_ties
    return bool(model.kernel in ("linear", "rbf") and gamma and plain)


def _takes_linear_svm(model: Any, n_classes: int) -> bool:
    del n_classes
    return bool(model.penalty == "l2" and model.class_weight in (None, "balanced"))


def _takes_discriminant(model: Any, n_classes: int) -> bool:
    fits = model.priors is None or len(model.priors) == n_classes
    plain = model.covariance_estimator is None and fits
    shrunk = _positive(model.shrinkage) and float(model.shrinkage) <= 1
    return bool(model.solver == "lsqr" and plain and shrunk)


def _takes_whitened(model: Any, n_classes: int) -> bool:
    priors = model.priors
    fits = priors is None or (
        len(priors) == n_classes
        and min(priors) > 0
        and math.isclose(sum(priors), 1, abs_tol=1e-12)
    )
    plain = model.shrinkage is None and model.covariance_estimator is None
    # Beyond these, rounding would tell which singular values count.
    usual = _positive(model.tol) and 1e-6 <= float(model.tol) <= 1e-2
    components = model.n_components is None or 1 <= model.n_components < n_classes
    known = model.solver == "svd" and fits and plain and usual and components
    return bool(known and divisor_is_known())


def _takes_neighbours(model: Any, n_classes: int) -> bool:
    del n_classes
    euclidean = model.metric == "euclidean" or (
        model.metric == "minkowski" and model.p == 2
    )
    plain = model.weights == "uniform" and not model.metric_params
    few = isinstance(model.n_neighbors, int) and model.n_neighbors >= 1
    return bool(euclidean and plain and few)


def _takes_trees(model: Any, n_classes: int) -> bool:
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


_KNOWN: dict[str, tuple[tuple[str, Callable[[Any, int], bool], _Maker], ...]] = {
    "sklearn.NearestCentroid": (
        ("nearest-centroid", _takes_centroid, CentroidRule.of),
    ),
    "sklearn.RidgeClassifier": (("ridge", _takes_ridge, RidgeRule.of),),
    "sklearn.GaussianNB": (("naive-bayes", _takes_naive_bayes, NaiveBayesRule.of),),
    "sklearn.LogisticRegression": (("logistic", _takes_logistic, LogisticRule.of),),
    "sklearn.SVC": (("precomputed-kernel", _takes_vectors, VectorRule.of),),
    "sklearn.LinearDiscriminantAnalysis": (
        ("discriminant", _takes_discriminant, DiscriminantRule.of),
        ("whitened", _takes_whitened, WhitenedRule.of),
    ),
    "sklearn.KNeighborsClassifier": (
        ("neighbours", _takes_neighbours, NeighbourRule.of),
    ),
    "sklearn.DecisionTreeClassifier": (("trees", _takes_trees, TreeRule.of),),
    "sklearn.RandomForestClassifier": (("trees", _takes_trees, TreeRule.of),),
    "sklearn.ExtraTreesClassifier": (("trees", _takes_trees, TreeRule.of),),
    "sklearn.LinearSVC": (("rotation", _takes_linear_svm, RotatedRule.of),),
}
