"""Elastic net and lasso, one response at a time, by scikit-learn.

Per response scikit-learn minimises
``|y - Xb|^2 / (2 N) + alpha (r |b|_1 + (1 - r) / 2 |b|^2)`` with r the share of the
absolute penalty (`l1_ratio`); the lasso is r = 1.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import ElasticNet, ElasticNetCV

from scorecast._core.parallel import map_tasks
from scorecast._core.types import FloatArray, IntArray
from scorecast.exceptions import DataWarning
from scorecast.information.identification.linear_map import LinearMap

__all__ = ["ElasticNetFit", "Search", "fit_elastic_net"]

_COLUMNS = 8  # responses per task: enough that sending the stimuli does not count


@dataclass(frozen=True)
class Search:
    """How penalties are looked for.

    Parameters
    ----------
    l1_ratios : ndarray of float64
        Shares of the absolute penalty to choose from.
    alphas : ndarray of float64 or None
        Penalties to choose from; scikit-learn's own path for each response if None.
    folds : sequence of ndarray
        Rows that are left out together.
    fit_intercept : bool
        Whether to fit a mean.
    held_out : bool
        Whether residuals are those on samples left out.
    tol : float
        Tolerance of the solver.
    max_iter : int
        Most passes of the solver.
    """

    l1_ratios: FloatArray
    alphas: FloatArray | None
    folds: Sequence[IntArray]
    fit_intercept: bool
    held_out: bool
    tol: float
    max_iter: int

    @property
    def solver(self) -> dict[str, Any]:
        """Options that both estimators of scikit-learn take."""
        return {
            "fit_intercept": self.fit_intercept,
            "tol": self.tol,
            "max_iter": self.max_iter,
        }

    def splits(self, n_samples: int) -> list[tuple[IntArray, IntArray]]:
        """Return rows to train on and rows left out, per fold."""
        rows = np.arange(n_samples)
        return [(np.setdiff1d(rows, fold), fold) for fold in self.folds]


@dataclass(frozen=True)
class ElasticNetFit:
    """What the elastic net found.

    Parameters
    ----------
    mean : LinearMap
        The fitted regression.
    penalties, l1_ratios : ndarray of shape (n_responses,)
        What was chosen for each response.
    residuals : ndarray of shape (n_samples, n_responses)
        Errors on samples left out, or of the fit if asked for.
    """

    mean: LinearMap
    penalties: FloatArray
    l1_ratios: FloatArray
    residuals: FloatArray


def fit_elastic_net(
    stimuli: FloatArray,
    responses: NDArray[np.floating[Any]],
    search: Search,
    *,
    n_jobs: int | None = None,
) -> ElasticNetFit:
    """Regress every response on the stimuli, each with the penalties that suit it.

    Parameters
    ----------
    stimuli : ndarray of shape (n_samples, n_features)
        Features of the stimuli.
    responses : ndarray of shape (n_samples, n_responses)
        Responses.
    search : Search
        What to choose from, and how.
    n_jobs : int, optional
        Number of workers.

    Returns
    -------
    ElasticNetFit
        Coefficients, penalties and residuals.
    """
    n, p = stimuli.shape
    q = responses.shape[1]
    centre = stimuli.mean(axis=0) if search.fit_intercept else np.zeros(p)
    away = stimuli - centre
    starts = range(0, q, _COLUMNS)
    tasks = [responses[:, s : s + _COLUMNS].astype(np.float64) for s in starts]
    # Coordinates are visited in order, so the streams of the tasks are not drawn from.
    unused = np.random.default_rng(0)
    done = map_tasks(
        partial(_fit_columns, away, search),
        tasks,
        rng=unused,
        n_jobs=n_jobs,
        what="regressing",
    )
    columns = [column for chunk in done for column in chunk]
    _warn_unconverged([c.converged for c in columns], search.max_iter)
    residuals = np.empty((n, q))
    for j, column in enumerate(columns):
        residuals[:, j] = column.residuals
    loadings = np.array([c.coefficients for c in columns]).T
    mean = LinearMap(centre, None, loadings, np.array([c.offset for c in columns]))
    penalties = np.array([c.penalty for c in columns])
    ratios = np.array([c.l1_ratio for c in columns])
    return ElasticNetFit(mean, penalties, ratios, residuals)


@dataclass(frozen=True)
class _Column:
    """The fit of one response."""

    coefficients: FloatArray
    offset: float
    penalty: float
    l1_ratio: float
    residuals: FloatArray
    converged: bool


def _fit_columns(
    stimuli: FloatArray,
    search: Search,
    responses: FloatArray,
    _rng: np.random.Generator,
) -> list[_Column]:
    return [_fit_column(stimuli, search, y) for y in responses.T.copy()]


def _fit_column(stimuli: FloatArray, search: Search, y: FloatArray) -> _Column:
    grid = {} if search.alphas is None else {"alphas": search.alphas}
    splits = search.splits(y.size)
    model = ElasticNetCV(
        l1_ratio=search.l1_ratios.tolist(), cv=splits, **grid, **search.solver
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        model.fit(stimuli, y)
        residuals = y - model.predict(stimuli)
        if search.held_out:
            chosen = ElasticNet(
                alpha=model.alpha_, l1_ratio=model.l1_ratio_, **search.solver
            )
            for train, test in splits:
                fitted = chosen.fit(stimuli[train], y[train])
                residuals[test] = y[test] - fitted.predict(stimuli[test])
    return _Column(
        coefficients=model.coef_,
        offset=float(model.intercept_),
        penalty=float(model.alpha_),
        l1_ratio=float(model.l1_ratio_),
        residuals=residuals,
        converged=not any(issubclass(w.category, ConvergenceWarning) for w in caught),
    )


def _warn_unconverged(converged: list[bool], max_iter: int) -> None:
    missed = converged.count(False)
    if missed:
        msg = (
            f"The solver stopped after {max_iter:,} passes for {missed:,} of "
            f"{len(converged):,} responses. Give a greater `max_iter` or penalty, or "
            "features on a common scale."
        )
        warnings.warn(msg, DataWarning, stacklevel=5)
