"""Regressing thousands of responses on stimuli, each with the penalty that suits it.

**Ridge.** For stimuli X = U S V' and a penalty a, the errors of the fit are
(I - U U') y + U diag(a / (S^2 + a)) U'y. The decomposition is made once; a penalty
costs one product of matrices for all responses together, and the errors on samples left
out follow from those of the fit. Written so, nothing cancels where features outnumber
samples and the errors of the fit all but vanish.

**Elastic net and lasso**, one response at a time, by scikit-learn, which minimises
``|y - Xb|^2 / (2 N) + alpha (r |b|_1 + (1 - r) / 2 |b|^2)`` with r the share of the
absolute penalty (`l1_ratio`); the lasso is r = 1.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import scipy
from numpy.typing import NDArray

from scorecast._core.checks import warn
from scorecast._core.parallel import map_tasks
from scorecast._core.registry import Method, Registry
from scorecast._core.types import FloatArray, IntArray
from scorecast.exceptions import DataWarning, InsufficientDataError, UsageError

Matrix: TypeAlias = NDArray[np.floating[Any]]  # responses keep their precision

_COLUMNS = 256  # responses worked on at a time: what fits in a cache
_COLUMNS_PER_TASK = 8  # enough that sending the stimuli does not count
_NOISE_TO_SIGNAL = np.logspace(-4, 5.5, 20)


@dataclass(frozen=True)
class LinearMap:
    """A linear map through as few dimensions as the training data span.

    With more features than samples the coefficients (features x responses) may be
    larger than everything else together; two thin factors say the same.

    Attributes
    ----------
    centre : ndarray of shape (n_features,)
        Where the features are measured from.
    basis : ndarray of shape (n_features, rank) or None
        Directions of the features that count; None means every feature by itself.
    loadings : ndarray of shape (rank, n_responses)
        Response to one unit of each direction.
    offset : ndarray of shape (n_responses,)
        Response at the centre.
    """

    centre: FloatArray
    basis: FloatArray | None
    loadings: FloatArray
    offset: FloatArray

    def coordinates(self, stimuli: FloatArray) -> FloatArray:
        """Return where stimuli lie along the directions that count."""
        away: FloatArray = stimuli - self.centre
        return away if self.basis is None else away @ self.basis

    def predict(self, stimuli: FloatArray) -> FloatArray:
        """Return the mean response to every stimulus."""
        response = self.coordinates(stimuli) @ self.loadings
        response += self.offset
        return response

    def coefficients(self) -> FloatArray:
        """Return one coefficient per feature (rows) and response (columns)."""
        return self.loadings if self.basis is None else self.basis @ self.loadings

    def intercept(self) -> FloatArray:
        """Return the response where every feature is zero."""
        zero = self.coordinates(np.zeros((1, self.centre.size)))[0]
        at_zero: FloatArray = self.offset + zero @ self.loadings
        return at_zero


@dataclass(frozen=True)
class PenaltySearch:
    """How penalties are looked for.

    Attributes
    ----------
    alphas : ndarray of float64 or None
        Penalties to choose from; by default what suits the scale of the features.
    l1_ratios : ndarray of float64
        Shares of the absolute penalty to choose from; of no use to ridge.
    folds : sequence of ndarray or None
        Rows that are left out together; None for one at a time.
    fit_intercept : bool
        Whether to fit a mean.
    is_held_out : bool
        Whether residuals are those on samples left out.
    tol, max_iter : float, int
        Tolerance and most passes of the solver of the elastic net.
    n_jobs : int or None
        Workers for the elastic net.
    """

    alphas: FloatArray | None = None
    l1_ratios: FloatArray | None = None
    folds: Sequence[IntArray] | None = None
    fit_intercept: bool = True
    is_held_out: bool = True
    tol: float = 1e-4
    max_iter: int = 1000
    n_jobs: int | None = None


@dataclass(frozen=True)
class RegressionFit:
    """What was found.

    Attributes
    ----------
    mean : LinearMap
        The fitted regression.
    alphas : ndarray of shape (n_responses,)
        Penalty chosen for each response.
    l1_ratios : ndarray of shape (n_responses,) or None
        Share of the absolute penalty chosen for each; None for ridge.
    residuals : ndarray of shape (n_samples, n_responses)
        Errors on samples left out, or of the fit if asked for.
    """

    mean: LinearMap
    alphas: FloatArray
    l1_ratios: FloatArray | None
    residuals: FloatArray


@dataclass(frozen=True, kw_only=True)
class Penalty(Method):
    """A penalty on the coefficients.

    Attributes
    ----------
    fit : callable
        Takes stimuli, responses and a `PenaltySearch`; returns a `RegressionFit`.
    is_linear : bool
        Whether the fit is linear in the responses, so that one decomposition of the
        stimuli serves all of them.
    n_folds : int or None
        Folds by default; None for leaving out one sample at a time.
    has_ratio : bool
        Whether a share of the absolute penalty is to be chosen.
    """

    fit: Callable[[FloatArray, Matrix, PenaltySearch], RegressionFit]
    is_linear: bool = False
    n_folds: int | None = 5  # as in scikit-learn
    has_ratio: bool = False


# --- ridge ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Decomposition:
    """Stimuli, centred if there is an intercept, as left * values * right'.

    Attributes
    ----------
    centre : ndarray of shape (n_features,)
        What was taken off the features.
    left : ndarray of shape (n_samples, rank)
        Directions among samples.
    values : ndarray of shape (rank,)
        Singular values, none of them zero.
    right : ndarray of shape (n_features, rank)
        Directions among features.
    beyond : ndarray of shape (n_samples,)
        Share of each sample that no feature reaches: one less its greatest leverage.
    has_intercept : bool
        Whether the mean is fitted too.
    """

    centre: FloatArray
    left: FloatArray
    values: FloatArray
    right: FloatArray
    beyond: FloatArray
    has_intercept: bool

    @classmethod
    def of(cls, stimuli: FloatArray, *, fit_intercept: bool) -> Decomposition:
        """Decompose the stimuli; refuse those in which nothing varies."""
        n, p = stimuli.shape
        centre = stimuli.mean(axis=0) if fit_intercept else np.zeros(p)
        away = stimuli - centre
        if fit_intercept:
            # A mean is rounded; what is constant must not be left with the rounding.
            away[:, (stimuli == stimuli[0]).all(axis=0)] = 0.0
        left, values, right = scipy.linalg.svd(
            away, full_matrices=False, overwrite_a=True
        )
        eps = np.finfo(np.float64).eps
        rank = int((values > max(n, p) * eps * values[0]).sum())
        if rank == 0:
            problem = "no feature varies: they cannot be told apart"
            raise InsufficientDataError(problem, parameter="stimuli")
        left = np.ascontiguousarray(left[:, :rank])
        beyond = 1.0 - fit_intercept / n - np.einsum("ij,ij->i", left, left)
        # Where the features fix a sample, what is left is rounding, not a remainder.
        is_fixed = (beyond < n * eps) | (rank + fit_intercept >= n)
        beyond[is_fixed] = 0.0
        thin = np.ascontiguousarray(right[:rank].T)
        return cls(centre, left, values[:rank], thin, beyond, fit_intercept)

    def unreached(self, responses: FloatArray, along: FloatArray) -> FloatArray:
        """Return the part of centred responses that no coefficient can fit.

        `along` are the same responses along `left`.
        """
        rest: FloatArray = responses - self.left @ along
        rest[self.beyond == 0.0] = 0.0
        return rest

    def kept(self, alpha: float) -> FloatArray:
        """Return the share of each direction that a penalty keeps out of the fit."""
        share: FloatArray = alpha / (self.values**2 + alpha)
        return share

    def hold_out(
        self, alpha: float, folds: Sequence[IntArray] | None
    ) -> Callable[[FloatArray], FloatArray]:
        """Turn errors of the fit into errors of fits that have not seen the rows.

        Leaving rows F out changes their errors from e to (I - H_FF)^-1 e, with H the
        matrix that maps responses to fitted values. That is exact: no fit is repeated.
        The function that is returned changes errors (n_samples, m) in place.
        """
        if folds is None:
            free = self.beyond + (self.left**2) @ self.kept(alpha)

            def one_at_a_time(errors: FloatArray) -> FloatArray:
                errors /= free[:, None]
                return errors

            return one_at_a_time
        factors = self._factors(alpha, folds)

        def by_fold(errors: FloatArray) -> FloatArray:
            for rows, factor in zip(folds, factors, strict=True):
                errors[rows] = scipy.linalg.cho_solve(factor, errors[rows])
            return errors

        return by_fold

    def _factors(
        self, alpha: float, folds: Sequence[IntArray]
    ) -> list[tuple[FloatArray, bool]]:
        kept = self.kept(alpha)
        # Where I - H is a difference, a pivot of the order of rounding means nothing.
        rounding = self.beyond.size * np.finfo(np.float64).eps
        least = rounding if self.beyond.any() else 0.0
        factors = []
        for rows in folds:
            try:
                factor = scipy.linalg.cho_factor(self._free(rows, kept))
                is_sound = float(np.diag(factor[0]).min()) ** 2 > least
            except np.linalg.LinAlgError:
                is_sound = False
            if not is_sound:
                raise UsageError(
                    f"with a penalty of {alpha:g}, samples left out together cannot be "
                    "predicted from the others",
                    parameter="alphas",
                    remedy="leave out smaller ones",
                )
            factors.append(factor)
        return factors

    def _free(self, rows: IntArray, kept: FloatArray) -> FloatArray:
        """Return I - H for some rows."""
        part = self.left[rows]
        free: FloatArray = (part * kept) @ part.T
        if self.beyond.any():
            free += np.eye(rows.size) - self.has_intercept / self.beyond.size
            free -= part @ part.T
        return free


def default_penalties(values: FloatArray, n_samples: int) -> FloatArray:
    """Return penalties that are best at noise-to-signal ratios of 1e-4 to 3e5.

    With coefficients of equal spread the best penalty is that ratio times the total
    variance of the features. So the units of the features do not matter. `values` are
    the singular values of the stimuli.
    """
    total = float((values**2).sum()) / n_samples
    grid: FloatArray = total * _NOISE_TO_SIGNAL
    return grid


def fit_ridge(
    stimuli: FloatArray, responses: Matrix, search: PenaltySearch
) -> RegressionFit:
    """Regress every response on the stimuli from one decomposition."""
    parts = Decomposition.of(stimuli, fit_intercept=search.fit_intercept)
    grid = search.alphas
    if grid is None:
        grid = default_penalties(parts.values, stimuli.shape[0])
    q = responses.shape[1]
    offset = np.zeros(q)
    if search.fit_intercept:
        offset = responses.mean(axis=0, dtype=np.float64)
    work = _Responses(parts, responses, offset)
    chosen = _choose(work, grid, search.folds)
    residuals = _residuals(work, grid, chosen, search)
    loadings = work.along
    for columns in _blocks(q):
        squares = parts.values[:, None] ** 2 + grid[chosen[columns]]
        loadings[:, columns] *= parts.values[:, None] / squares
    mean = LinearMap(parts.centre, parts.right, loadings, offset)
    return RegressionFit(mean, grid[chosen], None, residuals)


class _Responses:
    """Responses, split into what the directions of the stimuli reach and the rest."""

    def __init__(
        self, parts: Decomposition, responses: Matrix, offset: FloatArray
    ) -> None:
        n, q = responses.shape
        self.parts = parts
        self.along = np.empty((parts.values.size, q))
        self.rest = np.zeros((n, q))
        for columns in _blocks(q):
            centred = responses[:, columns] - offset[columns]
            self.along[:, columns] = parts.left.T @ centred
            self.rest[:, columns] = parts.unreached(centred, self.along[:, columns])

    def errors(self, kept: FloatArray, columns: slice | IntArray) -> FloatArray:
        """Return the errors of the fit."""
        errors: FloatArray = self.parts.left @ (kept[:, None] * self.along[:, columns])
        errors += self.rest[:, columns]
        return errors


def _choose(
    work: _Responses, grid: FloatArray, folds: Sequence[IntArray] | None
) -> IntArray:
    """Return, for each response, the place of the best penalty."""
    q = work.rest.shape[1]
    best = np.zeros(q, dtype=np.int64)
    least = np.full(q, np.inf)
    # Penalties outside, since the factors of folds of all of them may be too large.
    for k, alpha in enumerate(grid):
        kept = work.parts.kept(alpha)
        hold_out = work.parts.hold_out(alpha, folds)
        for columns in _blocks(q):
            errors = hold_out(work.errors(kept, columns))
            square = np.einsum("ij,ij->j", errors, errors) / errors.shape[0]
            is_better = square < least[columns]
            best[columns][is_better] = k
            least[columns][is_better] = square[is_better]
    return best


def _residuals(
    work: _Responses, grid: FloatArray, chosen: IntArray, search: PenaltySearch
) -> FloatArray:
    """Return the errors of every response at its own penalty, in place of the rest."""
    residuals = work.rest
    for k in np.unique(chosen):
        kept = work.parts.kept(grid[k])
        hold_out = None
        if search.is_held_out:
            hold_out = work.parts.hold_out(grid[k], search.folds)
        mine = np.flatnonzero(chosen == k)
        for block in _blocks(mine.size):
            columns = mine[block]
            errors = work.errors(kept, columns)
            residuals[:, columns] = errors if hold_out is None else hold_out(errors)
    return residuals


def _blocks(n_columns: int) -> Iterator[slice]:
    for start in range(0, n_columns, _COLUMNS):
        yield slice(start, min(start + _COLUMNS, n_columns))


# --- elastic net and lasso -----------------------------------------------------------


@dataclass(frozen=True)
class _Column:
    """The fit of one response."""

    coefficients: FloatArray
    offset: float
    alpha: float
    l1_ratio: float
    residuals: FloatArray
    is_converged: bool


def fit_elastic_net(
    stimuli: FloatArray, responses: Matrix, search: PenaltySearch
) -> RegressionFit:
    """Regress every response on the stimuli by itself."""
    n, p = stimuli.shape
    q = responses.shape[1]
    centre = stimuli.mean(axis=0) if search.fit_intercept else np.zeros(p)
    away = stimuli - centre
    step = _COLUMNS_PER_TASK
    tasks = [responses[:, s : s + step].astype(np.float64) for s in range(0, q, step)]
    # Coordinates are visited in order, so the streams of the tasks are not drawn from.
    unused = np.random.default_rng(0)
    done = map_tasks(
        partial(_fit_columns, away, search),
        tasks,
        rng=unused,
        n_jobs=search.n_jobs,
        what="regressing",
    )
    columns = [column for chunk in done for column in chunk]
    _warn_unconverged([c.is_converged for c in columns], search.max_iter)
    residuals = np.empty((n, q))
    for j, column in enumerate(columns):
        residuals[:, j] = column.residuals
    loadings = np.array([c.coefficients for c in columns]).T
    mean = LinearMap(centre, None, loadings, np.array([c.offset for c in columns]))
    alphas = np.array([c.alpha for c in columns])
    ratios = np.array([c.l1_ratio for c in columns])
    return RegressionFit(mean, alphas, ratios, residuals)


def _fit_columns(
    stimuli: FloatArray,
    search: PenaltySearch,
    responses: FloatArray,
    _rng: np.random.Generator,
) -> list[_Column]:
    return [_fit_column(stimuli, search, y) for y in responses.T.copy()]


def _fit_column(stimuli: FloatArray, search: PenaltySearch, y: FloatArray) -> _Column:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import ElasticNet, ElasticNetCV

    rows = np.arange(y.size)
    splits = [(np.setdiff1d(rows, fold), fold) for fold in search.folds or ()]
    ratios = np.ones(1) if search.l1_ratios is None else search.l1_ratios
    solver = {
        "fit_intercept": search.fit_intercept,
        "tol": search.tol,
        "max_iter": search.max_iter,
    }
    grid = {} if search.alphas is None else {"alphas": search.alphas}
    model = ElasticNetCV(l1_ratio=ratios.tolist(), cv=splits, **grid, **solver)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        model.fit(stimuli, y)
        residuals = y - model.predict(stimuli)
        if search.is_held_out:
            chosen = ElasticNet(alpha=model.alpha_, l1_ratio=model.l1_ratio_, **solver)
            for train, test in splits:
                fitted = chosen.fit(stimuli[train], y[train])
                residuals[test] = y[test] - fitted.predict(stimuli[test])
    kinds = [warning.category for warning in caught]
    return _Column(
        coefficients=model.coef_,
        offset=float(model.intercept_),
        alpha=float(model.alpha_),
        l1_ratio=float(model.l1_ratio_),
        residuals=residuals,
        is_converged=not any(issubclass(kind, ConvergenceWarning) for kind in kinds),
    )


def _warn_unconverged(is_converged: list[bool], max_iter: int) -> None:
    n_missed = is_converged.count(False)
    if n_missed:
        warn(
            DataWarning(
                f"the solver stopped after {max_iter:,} passes for {n_missed:,} of "
                f"{len(is_converged):,} responses",
                parameter="max_iter",
                remedy="allow more of them, raise the penalty, or give features on a "
                "common scale",
            )
        )


PENALTIES: Registry[Penalty] = Registry()
PENALTIES.add(
    Penalty(
        name="ridge",
        title="ridge regression",
        summary="quick for thousands of responses",
        reference="A. E. Hoerl and R. W. Kennard (1970). Ridge regression: biased "
        "estimation for nonorthogonal problems. Technometrics 12.",
        fit=fit_ridge,
        is_linear=True,
        n_folds=None,
    )
)
PENALTIES.add(
    Penalty(
        name="elastic-net",
        title="the elastic net",
        summary="few features count, some of them together; one response at a time",
        reference="H. Zou and T. Hastie (2005). Regularization and variable selection "
        "via the elastic net. Journal of the Royal Statistical Society B 67.",
        fit=fit_elastic_net,
        has_ratio=True,
    )
)
PENALTIES.add(
    Penalty(
        name="lasso",
        title="the lasso",
        summary="few features count; one response at a time",
        reference="R. Tibshirani (1996). Regression shrinkage and selection via the "
        "lasso. Journal of the Royal Statistical Society B 58.",
        fit=fit_elastic_net,
    )
)
