"""Models of responses given stimuli, as Gaussian densities around a regression.

The squared Mahalanobis distance of a response y from the mean response m to a candidate
is y'Ay - 2 y'Am + m'Am, with A the inverse covariance. Means of a linear model lie in a
space of few dimensions (the rank of the stimuli, or the number of candidates if that is
smaller), so A is applied to a basis of that space once, and each pair then costs a
product of short vectors, however many responses there are.
"""

from __future__ import annotations

import numbers
from collections.abc import Hashable, Iterable, Iterator
from typing import Any, Self

import numpy as np
import scipy
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from scorecast._core.checks import check_matrix, check_n_jobs, check_one_of
from scorecast._core.keywords import checked_keywords
from scorecast._core.rng import as_generator
from scorecast._core.types import FloatArray, IntArray, RandomState
from scorecast.exceptions import (
    InsufficientDataError,
    InvalidInputError,
    Location,
    UsageError,
)
from scorecast.identification.covariance import ResidualCovariance, check_shrinkage
from scorecast.identification.regression import (
    PENALTIES,
    LinearMap,
    Matrix,
    PenaltySearch,
)
from scorecast.identification.splits import constant_columns

_RESIDUALS = ("held-out", "in-sample")
_FEWEST = 3  # samples: with two, leaving one out leaves nothing to measure a spread by
_REGRESSOR_FOLDS = 5
_BLOCK = 2**22  # numbers in a block of rows: 32 MB


class EncodingModel(RegressorMixin, MultiOutputMixin, BaseEstimator):  # type: ignore[misc]
    r"""Predict responses to a stimulus as a Gaussian density.

    The mean response is linear in the features of the stimulus, with a penalty chosen
    for each response by cross-validation. Around it the responses vary together, with a
    covariance shrunk toward its diagonal:

    .. math:: y \mid x \sim N(B'x + b, \Sigma), \quad
              \Sigma = \frac{1}{N} ((1 - w) E'E + w\, \mathrm{diag}(E'E))

    with residuals E. Turned around, the model tells which of several candidate stimuli
    best explains a response.

    Parameters
    ----------
    penalty : str, default="ridge"
        Penalty on the coefficients; an entry of `PENALTIES`.
    alphas : array-like of float, optional
        Penalties to choose from. For ridge, a in ``|y - Xb|^2 + a |b|^2``, by default
        20 values that follow the scale of the features; else scikit-learn's `alpha`, by
        default its own path for each response.
    l1_ratio : float or array-like of float, default=0.5
        Share of the absolute penalty in the elastic net, or shares to choose from.
    cv : int, splitter or iterable, optional
        Rows that are left out together to choose penalties. By default one sample (or
        group) at a time for ridge, five folds otherwise.
    shrinkage : float or str, default="ledoit-wolf"
        Weight of the diagonal in the covariance, from 0 to 1, or a rule of
        `SHRINKAGES`.
    residuals : {"held-out", "in-sample"}, default="held-out"
        What the covariance is taken from. Residuals of the fit itself shrink to nothing
        as features approach the number of samples; those on samples left out
        measure how far predictions really are off.
    fit_intercept : bool, default=True
        Whether to fit the mean response.
    tol, max_iter : float, int
        Tolerance and most passes of the solver of the elastic net and the lasso.
    n_jobs : int, optional
        Workers for the elastic net and the lasso.
    random_state : int, Generator or None, default=0
        Shuffles the samples before they are divided into a number `cv` of folds; None
        leaves neighbours together.

    Attributes
    ----------
    alpha_ : ndarray of shape (n_responses,)
        Penalty chosen for each response.
    l1_ratio_ : ndarray of shape (n_responses,)
        Share of the absolute penalty chosen; not for ridge.
    covariance_ : ResidualCovariance
        Covariance of responses around their mean.
    shrinkage_ : float
        Weight of the diagonal in it.
    coef_, intercept_
        Coefficients (n_responses, n_features) and intercepts, computed when asked for.
    n_features_in_ : int
        Number of features.

    References
    ----------
    K. N. Kay, T. Naselaris, R. J. Prenger and J. L. Gallant (2008). Identifying natural
    images from human brain activity. Nature 452. O. Ledoit and M. Wolf (2004). A
    well-conditioned estimator for large-dimensional covariance matrices. Journal of
    Multivariate Analysis 88.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> stimuli = rng.normal(size=(80, 5))
    >>> responses = stimuli @ rng.normal(size=(5, 30)) + rng.normal(size=(80, 30))
    >>> model = EncodingModel().fit(stimuli[:60], responses[:60])
    >>> scores = model.log_posterior(responses[60:], candidates=stimuli[60:])
    >>> (scores.argmax(axis=1) == np.arange(20)).all()
    np.True_
    """

    @checked_keywords
    def __init__(
        self,
        *,
        penalty: str = "ridge",
        alphas: ArrayLike | None = None,
        l1_ratio: float | ArrayLike = 0.5,
        cv: Any = None,
        shrinkage: float | str = "ledoit-wolf",
        residuals: str = "held-out",
        fit_intercept: bool = True,
        tol: float = 1e-4,
        max_iter: int = 1000,
        n_jobs: int | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.penalty = penalty
        self.alphas = alphas
        self.l1_ratio = l1_ratio
        self.cv = cv
        self.shrinkage = shrinkage
        self.residuals = residuals
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self,
        stimuli: ArrayLike,
        responses: ArrayLike,
        *,
        groups: Iterable[Hashable] | None = None,
    ) -> Self:
        """Learn how responses follow from stimuli.

        Parameters
        ----------
        stimuli : array-like of shape (n_samples, n_features)
            Features of the stimulus of each sample.
        responses : array-like of shape (n_samples, n_responses)
            What was measured; a vector is one response.
        groups : iterable of hashable, optional
            Samples that must be left out together, such as repeats of one stimulus.

        Returns
        -------
        self
            The fitted model.
        """
        shrinkage = check_shrinkage(self.shrinkage)
        penalty = PENALTIES.choose(self.penalty, parameter="penalty")
        residuals = check_one_of(self.residuals, "residuals", _RESIDUALS)
        x = self._stimuli(stimuli, reset=True)
        y = read_responses(responses)
        check_same_rows(x, y)
        refuse_constant(y)
        grouping = number_groups(groups, x.shape[0])
        cv = penalty.n_folds if self.cv is None else self.cv
        if cv is None and grouping is not None:
            cv = int(grouping.max()) + 1
        folds = None
        if cv is not None:
            folds = make_folds(cv, x, grouping, self.random_state)
        search = PenaltySearch(
            alphas=check_alphas(self.alphas),
            l1_ratios=_check_ratios(self.l1_ratio) if penalty.has_ratio else None,
            folds=folds,
            fit_intercept=bool(self.fit_intercept),
            is_held_out=residuals == "held-out",
            tol=self.tol,
            max_iter=self.max_iter,
            n_jobs=check_n_jobs(self.n_jobs),
        )
        found = penalty.fit(x, y, search)
        if hasattr(self, "l1_ratio_"):
            delattr(self, "l1_ratio_")  # of an earlier fit
        if found.l1_ratios is not None:
            self.l1_ratio_ = found.l1_ratios
        refuse_exact(found.residuals, y)
        self.covariance_ = ResidualCovariance.of(
            found.residuals, shrinkage=shrinkage, overwrite=True
        )
        self.shrinkage_ = self.covariance_.weight
        self.alpha_ = found.alphas
        self._mean = found.mean
        self._is_one_response = np.asarray(responses).ndim == 1
        return self

    def predict(self, stimuli: ArrayLike) -> FloatArray:
        """Return the mean response to every stimulus.

        Parameters
        ----------
        stimuli : array-like of shape (n, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n, n_responses)
            Mean responses; a vector if the model was fitted to one.
        """
        check_is_fitted(self, "covariance_")
        mean = self._mean.predict(self._stimuli(stimuli))
        return mean[:, 0] if self._is_one_response else mean

    def log_posterior(self, responses: ArrayLike, candidates: ArrayLike) -> FloatArray:
        """Score every candidate stimulus as the cause of every response.

        The score is minus half the squared Mahalanobis distance between the response
        and the mean response to the candidate: the logarithm of the posterior if all
        candidates were equally likely before, up to a constant for each response.

        Parameters
        ----------
        responses : array-like of shape (n, n_responses)
            Observed responses.
        candidates : array-like of shape (m, n_features)
            Features of the candidates.

        Returns
        -------
        ndarray of shape (n, m)
            Scores; greater is better. Candidates with the same features tie exactly.
        """
        check_is_fitted(self, "covariance_")
        x = self._stimuli(candidates)
        y = self._observed(responses)
        return candidate_scores(self._mean, self.covariance_, y, x)

    def log_density(self, responses: ArrayLike, stimuli: ArrayLike) -> FloatArray:
        """Return the logarithm of the density of each response given its stimulus.

        ``-(q log(2 pi) + log|Sigma| + d) / 2`` with d the squared Mahalanobis distance.

        Parameters
        ----------
        responses : array-like of shape (n, n_responses)
            Observed responses.
        stimuli : array-like of shape (n, n_features)
            The stimulus of each.

        Returns
        -------
        ndarray of shape (n,)
            Logarithms of densities, in nats.
        """
        check_is_fitted(self, "covariance_")
        x = self._stimuli(stimuli)
        y = self._observed(responses)
        check_same_rows(x, y)
        constant = self.covariance_.n_responses * np.log(2 * np.pi)
        constant += self.covariance_.log_determinant()
        distances = paired_distances(self._mean, self.covariance_, y, x)
        density: FloatArray = -(constant + distances) / 2
        return density

    def score(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Return the share of variance that is predicted, mean over responses.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Features of the stimuli; scikit-learn calls it by this name.
        y : array-like of shape (n, n_responses)
            What was measured.
        sample_weight : array-like of shape (n,), optional
            Weight of each sample.

        Returns
        -------
        float
            One is perfect; zero is no better than the mean.
        """
        return float(super().score(X, y, sample_weight))

    @property
    def coef_(self) -> FloatArray:
        """Coefficients of shape (n_responses, n_features)."""
        check_is_fitted(self, "covariance_")
        coefficients = self._mean.coefficients().T
        return coefficients[0] if self._is_one_response else coefficients

    @property
    def intercept_(self) -> FloatArray:
        """Mean response where every feature is zero."""
        check_is_fitted(self, "covariance_")
        return self._mean.intercept()

    def _stimuli(self, stimuli: ArrayLike, *, reset: bool = False) -> FloatArray:
        x = read_stimuli(stimuli)
        if reset:
            _refuse_few(x)
            _refuse_alike(x)
        try:
            # Keeps, or compares with, the number and names of the features.
            validate_data(self, stimuli, reset=reset, skip_check_array=True)
        except ValueError as error:
            raise InvalidInputError(str(error), parameter="stimuli") from error
        return x

    def _observed(self, responses: ArrayLike) -> Matrix:
        y = read_responses(responses)
        q = self.covariance_.n_responses
        if y.shape[1] != q:
            problem = f"{y.shape[1]:,} columns; the model knows {q:,}"
            raise InvalidInputError(problem, parameter="responses")
        return y


class ResidualDensity:
    """Score stimuli by a regressor of responses, with Gaussian residuals.

    Residuals of samples that were left out of five folds (by groups, where there are
    any) say how far predictions are off; their covariance is shrunk toward its diagonal
    after Ledoit and Wolf, as that of `EncodingModel` is.

    Parameters
    ----------
    regressor : object with ``fit`` and ``predict``
        An estimator of scikit-learn, or one that can be copied like it. One that takes
        a single output is fitted to each response by itself.
    """

    def __init__(self, regressor: Any) -> None:
        self.regressor = regressor

    def fit(
        self,
        stimuli: FloatArray,
        responses: Matrix,
        *,
        groups: Iterable[Hashable] | None = None,
    ) -> Self:
        """Fit the regressor, and the covariance of what it leaves."""
        y = np.asarray(responses, dtype=np.float64)
        refuse_constant(y)
        numbered = number_groups(groups, y.shape[0])
        n_units = y.shape[0] if numbered is None else int(numbered.max()) + 1
        folds = make_folds(min(_REGRESSOR_FOLDS, n_units), stimuli, numbered, 0)
        residuals = np.empty_like(y)
        for fold in folds:
            is_kept = np.ones(y.shape[0], dtype=np.bool_)
            is_kept[fold] = False
            fitted = self._fitted(stimuli[is_kept], y[is_kept])
            residuals[fold] = y[fold] - _predicted(fitted, stimuli[fold], y.shape[1])
        refuse_exact(residuals, y)
        self.covariance_ = ResidualCovariance.of(residuals)
        self.fitted_ = self._fitted(stimuli, y)
        return self

    def log_posterior(self, responses: Matrix, candidates: FloatArray) -> FloatArray:
        """Return minus half the squared Mahalanobis distance; greater is better."""
        y = np.asarray(responses, dtype=np.float64)
        means = _predicted(self.fitted_, candidates, y.shape[1])
        # About a common centre, lest large means leave only rounding of a difference.
        centre = means.mean(axis=0)
        means, y = means - centre, y - centre
        solved = self.covariance_.solve(means)
        own = np.einsum("ij,ij->i", means, solved) / 2
        scores = np.empty((y.shape[0], means.shape[0]))
        step = max(1, _BLOCK // max(y.shape[1], means.shape[0]))
        for start in range(0, y.shape[0], step):
            rows = slice(start, start + step)
            scores[rows] = y[rows] @ solved.T - own
            scores[rows] -= self.covariance_.squared_norms(y[rows])[:, None] / 2
        return scores

    def _fitted(self, stimuli: FloatArray, responses: FloatArray) -> Any:
        from sklearn.base import clone

        try:
            copy = clone(self.regressor)
        except TypeError:
            from copy import deepcopy

            copy = deepcopy(self.regressor)
        is_single = responses.shape[1] == 1
        if not is_single and not _takes_many(copy):
            from sklearn.multioutput import MultiOutputRegressor

            copy = MultiOutputRegressor(copy)
        target = responses[:, 0] if is_single else responses
        try:
            return copy.fit(stimuli, target)
        except (TypeError, ValueError) as error:
            name = type(self.regressor).__name__
            problem = f"{name} cannot be fitted to the responses: {error}"
            raise UsageError(problem, parameter="model") from error


def as_encoder(model: Any) -> Any:
    """Return what scores candidates: a model that does, or a regressor that will."""
    is_class = isinstance(model, type)
    if not is_class and _is_able(model, "fit", "log_posterior"):
        return model
    has_scores = hasattr(model, "log_posterior")
    if not is_class and not has_scores and _is_able(model, "fit", "predict"):
        return ResidualDensity(model)
    what = type(model).__name__
    if is_class:
        what = "a class; give an instance, such as RidgeCV()"
    raise UsageError(
        "must have `fit` and `log_posterior`, or `fit` and `predict` as regressors "
        f"have; got {what}",
        parameter="model",
    )


def _is_able(model: object, *names: str) -> bool:
    return all(callable(getattr(model, name, None)) for name in names)


def _takes_many(regressor: Any) -> bool:
    from sklearn.utils import get_tags

    try:
        return not get_tags(regressor).target_tags.single_output
    except (AttributeError, TypeError):  # no estimator of scikit-learn
        return True


def _predicted(fitted: Any, stimuli: FloatArray, n_responses: int) -> FloatArray:
    found = np.asarray(fitted.predict(stimuli), dtype=np.float64)
    found = found.reshape(stimuli.shape[0], -1)
    if found.shape[1] != n_responses or not np.isfinite(found).all():
        problem = (
            f"{type(fitted).__name__} must predict {n_responses:,} finite responses of "
            f"every stimulus; got shape {found.shape}"
        )
        raise InvalidInputError(problem, parameter="model")
    return found


# --- how well every candidate explains every response --------------------------------


def candidate_scores(
    mean: LinearMap,
    covariance: ResidualCovariance,
    responses: Matrix,
    candidates: FloatArray,
) -> FloatArray:
    """Return minus half the squared Mahalanobis distance of every pair.

    Equal candidates have exactly equal scores.
    """
    # One column per distinct candidate: two products of the same numbers may differ in
    # the last digit, and a tie would be broken by that.
    first, copy_of = _distinct_rows(candidates)
    basis, coordinates = _span(mean, candidates[first])
    solved = np.empty_like(basis)
    for rows in _row_blocks(*basis.shape):
        solved[rows] = covariance.solve(basis[rows])
    gram = basis @ solved.T
    own = np.einsum("ij,ij->i", coordinates @ gram, coordinates)
    scores = np.empty((responses.shape[0], first.size))
    for rows in _row_blocks(*responses.shape):
        away = responses[rows] - mean.offset
        np.matmul(away @ solved.T, coordinates.T, out=scores[rows])
        scores[rows] -= own / 2
        scores[rows] -= covariance.squared_norms(away)[:, None] / 2
    # A distance is not negative; rounding is.
    np.minimum(scores, 0.0, out=scores)
    return scores if first.size == copy_of.size else scores[:, copy_of]


def paired_distances(
    mean: LinearMap,
    covariance: ResidualCovariance,
    responses: Matrix,
    stimuli: FloatArray,
) -> FloatArray:
    """Return the squared Mahalanobis distance of each response from its own mean."""
    distances = np.empty(responses.shape[0])
    for rows in _row_blocks(*responses.shape):
        away = responses[rows] - mean.predict(stimuli[rows])
        distances[rows] = covariance.squared_norms(away)
    return distances


def _span(mean: LinearMap, candidates: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return rows that span the mean responses, and where the candidates lie there."""
    coordinates = mean.coordinates(candidates)
    if coordinates.shape[0] < coordinates.shape[1]:
        return coordinates @ mean.loadings, np.eye(coordinates.shape[0])
    return mean.loadings, coordinates


def _distinct_rows(rows: FloatArray) -> tuple[IntArray, IntArray]:
    """Return where each distinct row first occurs, and which of those every row is."""
    seen: dict[bytes, int] = {}
    # Adding zero gives both zeros the same bytes.
    copy_of = [seen.setdefault((row + 0.0).tobytes(), len(seen)) for row in rows]
    places = np.array(copy_of, dtype=np.int64)
    first = np.unique(places, return_index=True)[1].astype(np.int64)
    return first, places


def _row_blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    step = max(1, _BLOCK // n_columns)
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


# --- folds ---------------------------------------------------------------------------


def number_groups(groups: Iterable[Hashable] | None, n_samples: int) -> IntArray | None:
    """Give every group of samples a number, in order of first appearance."""
    if groups is None:
        return None
    known: dict[Hashable, int] = {}
    numbered = np.array([known.setdefault(g, len(known)) for g in groups], np.int64)
    if numbered.size != n_samples:
        problem = f"there are {numbered.size:,} groups for {n_samples:,} samples"
        raise InvalidInputError(problem, parameter="groups")
    if len(known) < 2:
        problem = "all samples are of one group: none can be left out"
        raise InsufficientDataError(problem, parameter="groups")
    return numbered


def make_folds(
    cv: Any,
    stimuli: FloatArray,
    groups: IntArray | None,
    random_state: RandomState,
) -> list[IntArray]:
    """Divide the samples into folds, so that every row is left out once.

    Parameters
    ----------
    cv : int, splitter or iterable
        Number of folds, or whatever scikit-learn takes as `cv`.
    stimuli : ndarray of shape (n_samples, n_features)
        Features, for splitters that look at them.
    groups : ndarray of int64 or None
        Group of each sample, never divided if `cv` is a number.
    random_state : int, Generator or None
        Shuffles the samples or groups if `cv` is a number; None leaves neighbours
        together.

    Returns
    -------
    list of ndarray of int64
        Rows of every fold.

    Raises
    ------
    UsageError
        If the folds of a splitter do not cover every row once.
    """
    if isinstance(cv, numbers.Integral):
        return _numbered_folds(int(cv), stimuli.shape[0], groups, random_state)
    from sklearn.model_selection import check_cv

    n = stimuli.shape[0]
    folds, is_whole = [], True
    for train, test in check_cv(cv).split(stimuli, groups=groups):
        folds.append(np.asarray(test, dtype=np.int64))
        is_whole &= np.unique(np.concatenate([train, test])).size == n
    seen = np.sort(np.concatenate(folds)) if folds else np.empty(0)
    if not is_whole or not np.array_equal(seen, np.arange(n)):
        problem = "must leave out every sample exactly once and train on all others"
        raise UsageError(problem, parameter="cv")
    return folds


def _numbered_folds(
    n_folds: int, n_samples: int, groups: IntArray | None, random_state: RandomState
) -> list[IntArray]:
    units = np.arange(n_samples) if groups is None else groups
    n_units = int(units.max()) + 1
    if n_folds < 2:
        raise UsageError(f"must be at least 2 folds; got {n_folds}", parameter="cv")
    if n_units < n_folds:
        what = "samples" if groups is None else "groups"
        problem = f"{n_units:,} {what} cannot be divided into {n_folds:,} folds"
        raise InsufficientDataError(problem, parameter="cv")
    order = np.arange(n_units)
    if random_state is not None:
        order = as_generator(random_state).permutation(n_units)
    fold_of = np.empty(n_units, dtype=np.int64)
    for fold, members in enumerate(np.array_split(order, n_folds)):
        fold_of[members] = fold
    return [np.flatnonzero(fold_of[units] == fold) for fold in range(n_folds)]


# --- checks of stimuli and responses -------------------------------------------------


def read_stimuli(stimuli: ArrayLike) -> FloatArray:
    """Return features in double precision, one row per stimulus."""
    _refuse_sparse(stimuli, "stimuli")
    return check_matrix(stimuli, parameter="stimuli").astype(np.float64, copy=False)


def read_responses(responses: ArrayLike) -> Matrix:
    """Return responses as a matrix, in the precision they came in."""
    _refuse_sparse(responses, "responses")
    array = np.asarray(responses)
    tall = array[:, None] if array.ndim == 1 else array
    return check_matrix(tall, parameter="responses")


def check_same_rows(stimuli: FloatArray, responses: Matrix) -> None:
    """Refuse stimuli and responses of different lengths."""
    if stimuli.shape[0] != responses.shape[0]:
        problem = (
            f"{responses.shape[0]:,} rows for {stimuli.shape[0]:,} rows of stimuli: "
            "row by row they belong together"
        )
        raise InvalidInputError(problem, parameter="responses")


def refuse_constant(responses: Matrix) -> None:
    """Refuse responses that never change."""
    is_flat = constant_columns(responses)
    if is_flat.any():
        raise InvalidInputError(
            f"{int(is_flat.sum()):,} columns, this first, never change: they say "
            "nothing about the stimuli",
            parameter="responses",
            location=Location(column=str(int(np.argmax(is_flat)) + 1)),
            remedy="remove them",
        )


def refuse_exact(residuals: FloatArray, responses: Matrix) -> None:
    """Refuse responses that are copies of stimuli: no density is that narrow."""
    n = responses.shape[0]
    with np.errstate(over="ignore"):
        left = np.sqrt(np.einsum("ij,ij->j", residuals, residuals) / n)
        spread = responses.std(axis=0, dtype=np.float64)
    is_exact = left <= n * np.finfo(np.float64).eps * spread
    if is_exact.any() and np.isfinite(spread).all():
        raise InvalidInputError(
            f"{int(is_exact.sum()):,} columns, this first, follow from the stimuli "
            "without any error: are stimuli among the responses?",
            parameter="responses",
            location=Location(column=str(int(np.argmax(is_exact)) + 1)),
        )


def _refuse_few(stimuli: FloatArray) -> None:
    n = stimuli.shape[0]
    if n < _FEWEST:
        problem = f"an encoding model needs {_FEWEST} samples; got {n} sample(s)"
        raise InsufficientDataError(problem, parameter="stimuli")


def _refuse_alike(stimuli: FloatArray) -> None:
    if (stimuli == stimuli[0]).all():
        problem = "all have the same features: they cannot be told apart"
        raise InsufficientDataError(problem, parameter="stimuli")


def _refuse_sparse(values: ArrayLike, parameter: str) -> None:
    if scipy.sparse.issparse(values):
        raise InvalidInputError(
            "sparse matrices are not supported",
            parameter=parameter,
            remedy="make it dense, as toarray() does",
        )


def check_alphas(alphas: ArrayLike | None) -> FloatArray | None:
    """Return penalties to choose from, all positive; None is none given."""
    if alphas is None:
        return None
    grid = _numbers(alphas, "alphas")
    if not (np.isfinite(grid) & (grid > 0)).all():
        problem = f"must be positive and finite; got {alphas!r}"
        raise UsageError(problem, parameter="alphas")
    return grid


def _check_ratios(l1_ratio: float | ArrayLike) -> FloatArray:
    ratios = _numbers(l1_ratio, "l1_ratio")
    if not ((ratios > 0) & (ratios <= 1)).all():
        problem = f"must lie in (0, 1] (use ridge for 0); got {l1_ratio!r}"
        raise UsageError(problem, parameter="l1_ratio")
    return ratios


def _numbers(values: ArrayLike, parameter: str) -> FloatArray:
    try:
        array = np.atleast_1d(np.asarray(values, dtype=np.float64))
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.ndim != 1 or array.size == 0:
        problem = f"must be a number or a list of numbers; got {values!r}"
        raise UsageError(problem, parameter=parameter)
    return array
