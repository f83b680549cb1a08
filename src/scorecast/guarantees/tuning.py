"""A model that chooses its parameters inside every split: nested sampling."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import product
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_regressor
from sklearn.utils.metaestimators import available_if

from scorecast._core.rng import as_generator
from scorecast._core.types import RandomState
from scorecast.exceptions import FitFailedError, UsageError
from scorecast.guarantees.estimates import collect_estimates
from scorecast.guarantees.fitting import BAD_PARAMETER
from scorecast.guarantees.leaving_pairs import check_pairs
from scorecast.guarantees.losses import (
    Loss,
    check_losses,
    losses_for,
    positive_code,
)
from scorecast.guarantees.problem import check_problem
from scorecast.guarantees.running import Run
from scorecast.guarantees.sampling import draw_plan

__all__ = ["TunedModel"]


def _chosen_has(name: str) -> Callable[[Any], bool]:
    """Say whether the model offers a method: the fitted one where there is one."""
    return lambda own: hasattr(getattr(own, "best_estimator_", own.estimator), name)


class TunedModel(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Choose parameters by inner splits of the cases to learn from, then fit.

    Assessed as it is, the choice is made again in every outer split, so that tested
    cases have no part in it.

    Parameters
    ----------
    estimator : estimator
        The model.
    grid : mapping of str to sequence
        Values to try for every parameter.
    sampling : str, default="cv5"
        Inner splits.
    loss : str or Loss, optional
        What to choose by; that usual for the task by default.
    random_state : int, Generator or None
        Seed of the inner splits.
    positive : hashable, optional
        The class that a loss of one class is about; the last by default.
    """

    takes_groups = True  # an assessment hands them on to `fit`

    def __init__(
        self,
        estimator: Any,
        grid: Mapping[str, Sequence[Any]],
        *,
        sampling: str = "cv5",
        loss: str | Loss | None = None,
        random_state: RandomState = None,
        positive: Hashable = None,
    ) -> None:
        self.estimator = estimator
        self.grid = grid
        self.sampling = sampling
        self.loss = loss
        self.random_state = random_state
        self.positive = positive

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
        """Choose parameters, then fit to all cases given.

        Parameters
        ----------
        X : array-like of shape (n, m)
            Features.
        y : array-like of shape (n,)
            Targets.
        groups : array-like of shape (n,), optional
            Group of every case; inner splits keep groups whole.

        Returns
        -------
        TunedModel
            Itself.

        Raises
        ------
        FitFailedError
            If no choice could be fitted, or one has a value that cannot be.
        UsageError
            If the grid is empty.
        """
        task = "regression" if is_regressor(self.estimator) else "classification"
        loss = check_losses(self.loss, task)[0]
        problem = check_problem(X, y, task=task, groups=groups)
        if self.positive is not None:
            code = positive_code(self.positive, problem.classes)
            loss = losses_for([loss], len(problem.classes), code)[0]
        rng = as_generator(self.random_state)
        plan = draw_plan(self.sampling, problem, rng)
        check_pairs(plan, problem, [loss], only_cases=True)
        choices = [
            dict(zip(self.grid, values, strict=True))
            for values in product(*self.grid.values())
        ]
        if not self.grid or not choices:
            msg = "`grid` must name parameters, each with values to try."
            raise UsageError(msg)
        errors = []
        for choice in choices:
            model = clone(self.estimator).set_params(**choice)
            found = collect_estimates(model, problem, plan, rng=rng, run=Run(n_jobs=1))
            if found.is_empty and found.failures[0].startswith(BAD_PARAMETER):
                # Not a choice that does badly, but none at all.
                raise FitFailedError(found.failures[0].removeprefix("failed: "))
            usable = not found.is_empty and found.can_measure(loss)
            value = found.measure(loss).estimate if usable else np.nan
            errors.append(float(loss.as_error(np.array(value))))
        if np.isnan(errors).all():
            msg = "no choice of the grid could be fitted"
            raise FitFailedError(msg)
        self.best_params_ = choices[int(np.nanargmin(errors))]
        self.best_estimator_ = clone(self.estimator).set_params(**self.best_params_)
        self.best_estimator_.fit(X, y)
        if task == "classification":
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
