"""Scores from a scikit-learn classifier, and whether the theory fits it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scorecast._core.checks import warn
from scorecast._core.types import FloatArray
from scorecast.exceptions import InvalidInputError, NonMarginalWarning
from scorecast.scores.matrix import Scores

# The score of one class is learnt from that class alone, up to what all share.
_MARGINAL = {
    "BernoulliNB",
    "CategoricalNB",
    "GaussianNB",
    "MultinomialNB",
    "NearestCentroid",
    "QuadraticDiscriminantAnalysis",
}
# Joint log-probabilities first: a class's own, before the others normalise them.
_RESPONSES = (
    "predict_joint_log_proba",
    "decision_function",
    "predict_log_proba",
    "predict_proba",
)


def scores_from(
    estimator: Any,
    X_train: Any,
    y_train: Sequence[Hashable] | ArrayLike,
    X_test: Any,
    y_test: Sequence[Hashable] | ArrayLike,
    *,
    refit: bool = True,
) -> Scores:
    """Fit a classifier and score test samples for every class.

    The extrapolation to more classes is exact for *marginal* classifiers, whose score
    for one class does not depend on which other classes were in the training set.
    For others (logistic regression, trees, forests, k-nearest neighbours, networks) it
    holds only approximately, and a warning says so.

    Parameters
    ----------
    estimator : scikit-learn classifier
        A pipeline will do. It is cloned, never changed.
    X_train, y_train : array-like
        Training samples and their labels.
    X_test, y_test : array-like
        Test samples and their labels, all of which occur in `y_train`.
    refit : bool, default=True
        False uses an estimator that is fitted already; training data are ignored.

    Returns
    -------
    Scores
        Scores with columns in the order of ``classes_``.

    Raises
    ------
    InvalidInputError
        If the classifier gives no score per class.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = [[0.0], [0.2], [5.0], [5.1], [9.0], [9.3]], list("aabbcc")
    >>> scores_from(GaussianNB(), X, y, [[0.1], [5.2]], ["a", "b"]).classes
    ('a', 'b', 'c')
    """
    from sklearn.base import clone

    model = estimator
    if refit:
        model = clone(estimator).fit(X_train, y_train)
    marginal = is_marginal(model)
    if not marginal:
        problem = (
            f"{_name(model)} is not a marginal classifier: its score for one class "
            "depends on the other classes it was trained with, so the forecast for "
            "more classes holds only approximately"
        )
        warn(NonMarginalWarning(problem, parameter="estimator"))
    values = _response(model, X_test)
    labels: list[Hashable] = np.asarray(model.classes_).tolist()
    if values.ndim == 1 and len(labels) == 2:
        # One number for two classes: its sign decides.
        values = np.column_stack([-values, values])
    if values.ndim != 2 or values.shape[1] != len(labels):
        raise InvalidInputError(
            f"{_name(model)} gave scores of shape {values.shape} for {len(labels)} "
            "classes; one score per class is needed",
            parameter="estimator",
            remedy="set decision_function_shape='ovr' if it is an SVC",
        )
    scores = Scores(values, np.asarray(y_test).tolist(), classes=labels)
    scores.is_marginal = marginal
    return scores


def is_marginal(estimator: Any) -> bool:
    """Tell whether each class is scored on its own.

    Parameters
    ----------
    estimator : scikit-learn classifier
        Fitted or not; of a pipeline the last step counts.

    Returns
    -------
    bool
        True for naive Bayes, quadratic discriminants, nearest centroids, and
        1-nearest-neighbour with one template per class.
    """
    final = _final_step(estimator)
    name = type(final).__name__
    if name == "KNeighborsClassifier":
        fitted = getattr(final, "_y", None)
        one_each = fitted is not None and len(np.unique(fitted)) == len(fitted)
        return bool(final.n_neighbors == 1 and one_each)
    # Class priors estimated from the data are shared by all classes and cancel.
    return name in _MARGINAL


def _final_step(estimator: Any) -> Any:
    while hasattr(estimator, "steps"):
        estimator = estimator.steps[-1][1]
    return estimator


def _response(model: Any, X_test: Any) -> FloatArray | NDArray[Any]:
    final = _final_step(model)
    kind = type(final).__name__
    if kind == "KNeighborsClassifier" and is_marginal(model):
        return _nearest_template(final, _transformed(model, X_test))
    if kind == "NearestCentroid" and isinstance(final.priors, str):
        return _nearest_centroid(final, _transformed(model, X_test))
    for name in _RESPONSES:
        if hasattr(model, name):
            with np.errstate(divide="ignore"):
                return np.asarray(getattr(model, name)(X_test))
    raise InvalidInputError(
        f"{_name(model)} has none of {', '.join(_RESPONSES)}: it decides without "
        "saying how sure it is of each class",
        parameter="estimator",
    )


def _transformed(model: Any, X_test: Any) -> Any:
    before: Any = model[:-1] if hasattr(model, "steps") else ()
    return before.transform(X_test) if len(before) else X_test


def _nearest_template(final: Any, points: Any) -> FloatArray:
    """Score by distance: the votes of one neighbour are all ties."""
    distance, index = final.kneighbors(points, n_neighbors=final.n_samples_fit_)
    scores = np.empty_like(distance)
    codes = np.asarray(final._y).ravel()
    np.put_along_axis(scores, codes[index], -distance, axis=1)
    return np.asarray(scores, dtype=np.float64)


def _nearest_centroid(final: Any, points: Any) -> FloatArray:
    """Score by distance, as `predict` decides; `decision_function` does otherwise."""
    from sklearn.metrics import pairwise_distances

    distances: FloatArray = pairwise_distances(
        points, final.centroids_, metric=final.metric
    )
    return -distances


def _name(model: Any) -> str:
    return type(_final_step(model)).__name__
