"""The encoding model: a Gaussian density of responses given a stimulus."""

from __future__ import annotations

import numbers
from collections.abc import Hashable, Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from scorecast._core.checks import check_choice, check_n_jobs
from scorecast._core.keywords import checked_keywords
from scorecast._core.types import FloatArray, IntArray, RandomState
from scorecast.exceptions import InvalidInputError, UsageError
from scorecast.information.identification.candidate_scores import (
    candidate_scores,
    paired_distances,
)
from scorecast.information.identification.elastic_net import (
    ElasticNetFit,
    Search,
    fit_elastic_net,
)
from scorecast.information.identification.folds import make_folds, number_groups
from scorecast.information.identification.residual_covariance import (
    ResidualCovariance,
)
from scorecast.information.identification.ridge import RidgeFit, fit_ridge
from scorecast.information.identification.samples import (
    Matrix,
    check_same_rows,
    read_responses,
    read_stimuli,
    refuse_alike,
    refuse_constant,
    refuse_exact,
    refuse_few,
)

__all__ = ["EncodingModel"]

PENALTIES = ("ridge", "elastic-net", "lasso")
RESIDUALS = ("held-out", "in-sample")
_FOLDS = 5  # as in scikit-learn


class EncodingModel(RegressorMixin, MultiOutputMixin, BaseEstimator):  # type: ignore[misc]
    """Predict responses to a stimulus as a Gaussian density.

    The mean response is linear in the features of the stimulus, with a penalty chosen
    for each response by cross-validation. Around it the responses vary together, with a
    covariance shrunk toward its diagonal. Turned around, the model tells which of
    several candidate stimuli best explains a response.

    Parameters
    ----------
    penalty : {"ridge", "elastic-net", "lasso"}, default="ridge"
        Penalty on the coefficients. Ridge is quick for thousands of responses; the
        others are fitted one response at a time.
    alphas : array-like of float, optional
        Penalties to choose from. For ridge, a in ``|y - Xb|^2 + a |b|^2``, by default
        20 values that follow the scale of the features; else scikit-learn's `alpha`, by
        default its own path for each response.
    l1_ratio : float or array-like of float, default=0.5
        Share of the absolute penalty in the elastic net, or shares to choose from.
    cv : int, splitter or iterable, optional
        Rows that are left out together to choose penalties. By default one sample (or
        group) at a time for ridge, five folds otherwise.
    shrinkage : float or "ledoit-wolf", default="ledoit-wolf"
        Weight of the diagonal in the covariance, from 0 to 1.
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
    random_state : int, Generator or None, default=None
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
        random_state: RandomState = None,
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
        weight = _check_weight(self.shrinkage)
        held_out = check_choice(self.residuals, "residuals", RESIDUALS) == "held-out"
        x = self._stimuli(stimuli, reset=True)
        y = read_responses(responses)
        check_same_rows(x, y)
        refuse_constant(y)
        grouping = number_groups(groups, x.shape[0])
        found: RidgeFit | ElasticNetFit
        if check_choice(self.penalty, "penalty", PENALTIES) == "ridge":
            found = self._fit_ridge(x, y, grouping, held_out)
            if hasattr(self, "l1_ratio_"):
                delattr(self, "l1_ratio_")  # of an earlier fit
        else:
            found = self._fit_elastic_net(x, y, grouping, held_out)
            self.l1_ratio_ = found.l1_ratios
        refuse_exact(found.residuals, y)
        self.covariance_ = ResidualCovariance.of(
            found.residuals, weight=weight, overwrite=True
        )
        self.shrinkage_ = self.covariance_.weight
        self.alpha_ = found.penalties
        self._mean = found.mean
        self._one_response = np.asarray(responses).ndim == 1
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
        return mean[:, 0] if self._one_response else mean

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
        return coefficients[0] if self._one_response else coefficients

    @property
    def intercept_(self) -> FloatArray:
        """Mean response where every feature is zero."""
        check_is_fitted(self, "covariance_")
        return self._mean.intercept()

    def _fit_ridge(
        self, x: FloatArray, y: Matrix, groups: IntArray | None, held_out: bool
    ) -> RidgeFit:
        cv = self.cv
        if cv is None and groups is not None:
            cv = int(groups.max()) + 1
        folds = None
        if cv is not None:
            folds = make_folds(cv, x, groups, self.random_state)
        return fit_ridge(
            x,
            y,
            penalties=_check_penalties(self.alphas),
            folds=folds,
            fit_intercept=bool(self.fit_intercept),
            held_out=held_out,
        )

    def _fit_elastic_net(
        self, x: FloatArray, y: Matrix, groups: IntArray | None, held_out: bool
    ) -> ElasticNetFit:
        cv = _FOLDS if self.cv is None else self.cv
        lasso = self.penalty == "lasso"
        search = Search(
            l1_ratios=np.ones(1) if lasso else _check_ratios(self.l1_ratio),
            alphas=_check_penalties(self.alphas),
            folds=make_folds(cv, x, groups, self.random_state),
            fit_intercept=bool(self.fit_intercept),
            held_out=held_out,
            tol=self.tol,
            max_iter=self.max_iter,
        )
        return fit_elastic_net(x, y, search, n_jobs=check_n_jobs(self.n_jobs))

    def _stimuli(self, stimuli: ArrayLike, *, reset: bool = False) -> FloatArray:
        x = read_stimuli(stimuli)
        if reset:
            refuse_few(x)
            refuse_alike(x)
        try:
            # Keeps, or compares with, the number and names of the features.
            validate_data(self, stimuli, reset=reset, skip_check_array=True)
        except ValueError as error:
            raise InvalidInputError(str(error)) from error
        return x

    def _observed(self, responses: ArrayLike) -> Matrix:
        y = read_responses(responses)
        q = self.covariance_.n_responses
        if y.shape[1] != q:
            msg = f"responses has {y.shape[1]:,} columns; the model knows {q:,}."
            raise InvalidInputError(msg)
        return y


def _check_weight(shrinkage: float | str) -> Any:
    if isinstance(shrinkage, str):
        return check_choice(shrinkage, "shrinkage", ("ledoit-wolf",))
    if isinstance(shrinkage, numbers.Real) and 0.0 <= float(shrinkage) <= 1.0:
        return float(shrinkage)
    msg = f"`shrinkage` must be 'ledoit-wolf' or lie in [0, 1]; got {shrinkage!r}."
    raise UsageError(msg)


def _check_penalties(alphas: ArrayLike | None) -> FloatArray | None:
    if alphas is None:
        return None
    grid = _numbers(alphas, "alphas")
    if not (np.isfinite(grid) & (grid > 0)).all():
        msg = f"`alphas` must be positive and finite; got {alphas!r}."
        raise UsageError(msg)
    return grid


def _check_ratios(l1_ratio: float | ArrayLike) -> FloatArray:
    ratios = _numbers(l1_ratio, "l1_ratio")
    if not ((ratios > 0) & (ratios <= 1)).all():
        msg = f"`l1_ratio` must lie in (0, 1] (use ridge for 0); got {l1_ratio!r}."
        raise UsageError(msg)
    return ratios


def _numbers(values: ArrayLike, name: str) -> FloatArray:
    try:
        array = np.atleast_1d(np.asarray(values, dtype=np.float64))
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.ndim != 1 or array.size == 0:
        msg = f"`{name}` must be a number or a list of numbers; got {values!r}."
        raise UsageError(msg)
    return array
