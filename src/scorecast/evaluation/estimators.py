"""Estimators of our own: one that tunes itself, and those that know next to nothing.

Apart from the rest, since they bring scikit-learn along.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import product
from typing import Any, Self

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    MetaEstimatorMixin,
    RegressorMixin,
    clone,
    is_regressor,
)
from sklearn.utils.metaestimators import available_if

from scorecast._core.parallel import Run
from scorecast._core.rng import as_generator
from scorecast._core.types import FloatArray, RandomState
from scorecast.evaluation.data import check_data, numbers_of
from scorecast.evaluation.estimates import collect_estimates
from scorecast.evaluation.fitting import FailureKind, ModelFailedError
from scorecast.evaluation.metrics import (
    Metric,
    Task,
    check_scoring,
    find_pos_label,
    metrics_for,
)
from scorecast.evaluation.splits import check_pairs, draw_splits
from scorecast.exceptions import FitFailedError, UsageError


def _chosen_has(name: str) -> Callable[[Any], bool]:
    """Say whether the model offers a method: the fitted one where there is one."""
    return lambda own: hasattr(getattr(own, "best_estimator_", own.estimator), name)


class TunedEstimator(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Choose parameters by inner splits of the samples to learn from, then fit.

    Assessed as it is, the choice is made again in every outer split, so that tested
    samples have no part in it.

    Parameters
    ----------
    estimator : estimator
        The model.
    param_grid : mapping of str to sequence
        Values to try for every parameter.
    cv : int, str or splitter, default=5
        Inner splits.
    scoring : str or Metric, optional
        What to choose by; that usual for the task by default.
    pos_label : hashable, optional
        The class that a metric of one class is about; the last by default.
    random_state : int, Generator or None
        Seed of the inner splits. None by default, against the rule of the house: in an
        assessment every split then draws inner splits of its own.

    Attributes
    ----------
    best_params_ : dict
        What was chosen.
    best_estimator_ : estimator
        The model with these, fitted to all samples given.

    References
    ----------
    S. Varma and R. Simon (2006). Bias in error estimation when using cross-validation
    for model selection. BMC Bioinformatics 7.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(40, 3)), np.arange(40) % 2
    >>> X[:, 0] += 2 * y
    >>> grid = {"n_neighbors": [1, 5]}
    >>> tuned = TunedEstimator(KNeighborsClassifier(), grid, random_state=0)
    >>> tuned.fit(X, y).best_params_
    {'n_neighbors': 5}
    """

    takes_groups = True  # an assessment hands them on to `fit`

    def __init__(
        self,
        estimator: Any,
        param_grid: Mapping[str, Sequence[Any]],
        *,
        cv: Any = 5,
        scoring: str | Metric | None = None,
        pos_label: Hashable = None,
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.cv = cv
        self.scoring = scoring
        self.pos_label = pos_label
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        """Be what the model is: a classifier or a regressor."""
        from sklearn.utils import get_tags

        tags = super().__sklearn_tags__()
        own = get_tags(self.estimator)
        tags.estimator_type = own.estimator_type
        tags.classifier_tags = own.classifier_tags
        tags.regressor_tags = own.regressor_tags
        return tags

    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:
        """Choose parameters, then fit to all samples given.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            Targets.
        groups : array-like of shape (n_samples,), optional
            Group of every sample; inner splits keep groups whole.

        Returns
        -------
        TunedEstimator
            Itself.

        Raises
        ------
        FitFailedError
            If no choice could be fitted, or one has a value that cannot be.
        UsageError
            If the grid is empty.
        """
        is_numbers = is_regressor(self.estimator)
        task = Task.REGRESSION if is_numbers else Task.CLASSIFICATION
        metric = check_scoring(self.scoring, task)[0]
        data = check_data(X, y, task=task, groups=groups)
        if self.pos_label is not None:
            code = find_pos_label(self.pos_label, data.classes)
            metric = metrics_for([metric], data.n_classes, code)[0]
        rng = as_generator(self.random_state)
        plan = draw_splits(self.cv, data, rng)
        check_pairs(plan, data, [metric], only_samples=True)
        choices = [
            dict(zip(self.param_grid, values, strict=True))
            for values in product(*self.param_grid.values())
        ]
        if not self.param_grid or not choices:
            problem = "must name parameters, each with values to try"
            raise UsageError(problem, parameter="param_grid")
        errors = []
        for choice in choices:
            model = clone(self.estimator).set_params(**choice)
            found = collect_estimates(model, data, plan, rng=rng, run=Run(n_jobs=1))
            first = found.failures[0] if found.is_empty else None
            if first is not None and first.kind is FailureKind.BAD_PARAMETER:
                # Not a choice that does badly, but none at all.
                raise ModelFailedError(first)
            is_usable = not found.is_empty and found.can_measure(metric)
            value = found.measure(metric).estimate if is_usable else np.nan
            errors.append(float(metric.as_error(np.array(value))))
        if np.isnan(errors).all():
            raise FitFailedError("no choice of the grid could be fitted")
        self.best_params_ = choices[int(np.nanargmin(errors))]
        self.best_estimator_ = clone(self.estimator).set_params(**self.best_params_)
        self.best_estimator_.fit(X, y)
        if task is Task.CLASSIFICATION:
            self.classes_ = self.best_estimator_.classes_
        return self

    @available_if(_chosen_has("predict_proba"))
    def predict_proba(self, X: Any) -> Any:
        """Return probabilities with the chosen parameters, if the model has them."""
        return self.best_estimator_.predict_proba(X)

    @available_if(_chosen_has("decision_function"))
    def decision_function(self, X: Any) -> Any:
        """Return scores with the chosen parameters, if the model has them."""
        return self.best_estimator_.decision_function(X)

    def predict(self, X: Any) -> Any:
        """Predict with the chosen parameters."""
        return self.best_estimator_.predict(X)


# Models that know next to nothing, to be beaten -----------------------------------


class FeatureModeClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Let every feature name the class whose mean is nearest, and take a vote.

    The null classifier of Henriques and Madeira: means of every feature in every class
    are learned, and a sample gets the class that most of its features name. Features
    whose means agree, missing ones and text do not vote; ties go to the most frequent
    class.
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the mean of every feature in every class."""
        values = numbers_of(X)
        self.classes_, codes = np.unique(y, return_inverse=True)
        counts = np.bincount(codes)
        self.n_features_in_ = X.shape[1]
        self.means_ = np.stack(
            [_means(values[codes == code]) for code in range(self.classes_.size)]
        )
        self.prior_ = counts / counts.sum()
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the share of features that name each class."""
        values = numbers_of(X)
        votes = np.zeros((values.shape[0], self.classes_.size))
        useful = np.ptp(self.means_, axis=0) > 0
        distance = np.abs(values[:, None, useful] - self.means_[None, :, useful])
        # A missing value names no class.
        named = np.where(np.isnan(distance).any(axis=1), -1, distance.argmin(axis=1))
        for code in range(self.classes_.size):
            votes[:, code] = (named == code).sum(axis=1)
        total = np.maximum(votes.sum(axis=1, keepdims=True), 1)
        # Less than one vote, so that it decides ties and nothing else.
        shares: FloatArray = (votes + self.prior_ / 2) / (total + 0.5)
        whole: FloatArray = shares / shares.sum(axis=1, keepdims=True)
        return whole

    def predict(self, X: Any) -> Any:
        """Return the class that most features name."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def _means(values: FloatArray) -> FloatArray:
    """Average what is there; NaN where nothing is."""
    known = np.isfinite(values)
    with np.errstate(invalid="ignore"):
        means: FloatArray = np.where(known, values, 0.0).sum(axis=0) / known.sum(axis=0)
    return means


class MajorityClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Always name the most frequent class."""

    def fit(self, X: Any, y: Any) -> Self:
        """Count the classes; features have no say."""
        self.classes_, counts = np.unique(y, return_counts=True)
        self.prior_ = counts / counts.sum()
        self.n_features_in_ = X.shape[1]
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the frequency of every class, for every sample."""
        return np.tile(self.prior_, (X.shape[0], 1))

    def predict(self, X: Any) -> Any:
        """Return the most frequent class, for every sample."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class MeanRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Always say the mean."""

    def fit(self, X: Any, y: Any) -> Self:
        """Average the targets; features have no say."""
        self.mean_ = float(np.mean(y))
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X: Any) -> FloatArray:
        """Return the mean, for every sample."""
        return np.full(X.shape[0], self.mean_)
