"""Predict when: densities of the time of an event from noisy covariates."""

from __future__ import annotations

import numbers
import os
import warnings
from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from scorecast._core.checks import check_choice, check_level, check_n_jobs
from scorecast._core.keywords import checked_keywords
from scorecast._core.rng import as_generator
from scorecast._core.types import FloatArray, RandomState
from scorecast.exceptions import (
    DataWarning,
    InvalidInputError,
    NotConvergedError,
    UsageError,
)
from scorecast.mixtures import (
    ConditionalMixture,
    MixturePosterior,
    Sampling,
    sample_posterior,
)
from scorecast.recurrence.cohort import (
    Cohort,
    check_cohort,
    check_covariates,
    few_events_said,
)
from scorecast.recurrence.scaling import check_sampling, make_prior, scale_cohort

__all__ = ["FOLD_SAMPLING", "SAMPLING", "RecurrenceModel"]

MOMENTS = ("censored", "recorded")
SAMPLING = Sampling(n_warmup=500, n_draws=1000, n_kept=200, n_extensions=4)
# What is held out measures predictions as they are: longer chains take three times as
# long in all and move what they are worth by less than a seventh of its spread.
FOLD_SAMPLING = replace(SAMPLING, n_extensions=1)
_FARTHEST = 1e100  # squares must be numbers


class RecurrenceModel(BaseEstimator):  # type: ignore[misc]
    """Predict the time of an event as a density, from noisy covariates.

    The log time and the covariates together follow a Dirichlet mixture of skew-Student
    distributions (Sewell 2010, appendices B.2 and B.8). All are measured with Student
    noise; times of cases that were still waiting are only known to be longer; missing
    covariates are drawn along with everything else.

    Parameters
    ----------
    hyperparameters : mapping, optional
        Hyperparameters of `scorecast.mixtures.Prior` to set otherwise than B.8, such as
        ``{"growth": 0.9}``; matrices are in units of the training data's spread.
    noise_sd : float or array-like of shape (1 + n_features,), default=0.1
        Typical error of log time, and of each covariate in units of its standard
        deviation: S_n of the paper is one over its square.
    noise_shape : float, default=5
        m_n: half the degrees of freedom of the noise.
    moments : {"censored", "recorded"}, default="censored"
        Mean and spread of log times for the prior: those of a normal distribution
        fitted to what is known of them, or those of the times as recorded.
    sampling : Sampling, optional
        Number and length of the chains. By default ``scorecast.Sampling(n_warmup=500,
        n_draws=1000, n_extensions=4, n_kept=200)``: 4 chains, longer where they
        disagree; of their draws 200 are kept in full, every 20th. Where cases are held
        out, in `evaluate_recurrence`, chains that disagree go on once.
    allow_unconverged : bool, default=False
        Whether to go on, with a warning, where the chains disagree.
    random_state : int, Generator or None, default=0
        Seed of the chains; and of `evaluate_recurrence`, `choose_hyperparameters` and
        `hyperparameter_evidence` unless these are given one of their own.
    n_jobs : int, optional
        Threads; the answer does not depend on it.
    checkpoint : str or path-like, optional
        File that keeps the state of a long run, from which the same fit goes on.

    Attributes
    ----------
    posterior_ : MixturePosterior
        Draws of the mixture, in units of the training data's spread.
    diagnostics_ : Diagnostics
        Whether the chains may be trusted.
    scaling_ : Scaling
        Those units; ``scaling_.ridge`` says what was added to a singular covariance.
    thinning_ : int
        Sweeps from one kept draw to the next.
    n_events_ : int
        Events among the training cases.
    n_features_in_ : int
        Number of covariates.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> marker = rng.normal(size=(60, 1))
    >>> time = np.exp(1.0 - marker[:, 0] + 0.3 * rng.normal(size=60))
    >>> model = RecurrenceModel(random_state=0)  # doctest: +SKIP
    >>> model.fit(marker, np.minimum(time, 5.0), time < 5.0)  # doctest: +SKIP
    >>> model.predict_survival([[1.0], [-1.0]], [2.0])  # doctest: +SKIP
    """

    @checked_keywords
    def __init__(
        self,
        *,
        hyperparameters: Mapping[str, Any] | None = None,
        noise_sd: float | ArrayLike = 0.1,
        noise_shape: float = 5.0,
        moments: str = "censored",
        sampling: Sampling | None = None,
        allow_unconverged: bool = False,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> None:
        self.hyperparameters = hyperparameters
        self.noise_sd = noise_sd
        self.noise_shape = noise_shape
        self.moments = moments
        self.sampling = sampling
        self.allow_unconverged = allow_unconverged
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.checkpoint = checkpoint

    def fit(self, X: ArrayLike | None, time: ArrayLike, event: ArrayLike) -> Self:
        """Learn from cases.

        Parameters
        ----------
        X : array-like of shape (n, p) or None
            Covariates, numbers; NaN where one is missing. None: times alone.
        time : array-like of shape (n,)
            Time of the event or, where it was not seen, of the last look; above zero.
        event : array-like of shape (n,)
            1 (or yes, true) where the event was seen, 0 (no, false) where not yet.
            Without any 1 the fit is little more than the prior, and says so;
            `evaluate_recurrence` and the command line refuse, for nothing could be
            judged.

        Returns
        -------
        self
            The fitted model.

        Raises
        ------
        NotConvergedError
            If the chains disagree and that was not allowed.
        """
        check_choice(self.moments, "moments", MOMENTS)
        check_n_jobs(self.n_jobs)
        cohort = check_cohort(X, time, event)
        self._note_features(X, cohort)
        self._warn_of(cohort)
        scaling = scale_cohort(cohort, self.moments)
        noise = scaling.noise(self.noise_sd, self.noise_shape)
        prior = make_prior(scaling, self.hyperparameters)
        sampling = check_sampling(self.sampling, SAMPLING)
        posterior = sample_posterior(
            scaling.observations(cohort, noise),
            prior=prior,
            sampling=sampling,
            random_state=as_generator(self.random_state),
            n_jobs=self.n_jobs,
            checkpoint=self.checkpoint,
        )
        self._check_converged(posterior)
        self.posterior_ = posterior
        self.diagnostics_ = posterior.diagnostics
        self.scaling_ = scaling
        self.thinning_ = _thinning(posterior)
        self.n_events_ = int(cohort.event.sum())
        self._conditional = ConditionalMixture(posterior.kept, prior.tail_kind, noise)
        return self

    def predict_density(self, X: ArrayLike | None, times: ArrayLike) -> FloatArray:
        """Return the density of the recorded time of new cases.

        Parameters
        ----------
        X : array-like of shape (n, p)
            Covariates of new cases; NaN where one is missing.
        times : array-like of shape (T,) or (n, T)
            The same times for all, or times of their own; above zero. Thousands take
            little longer than a few hundred, which are read from polynomials through
            exact logarithms.

        Returns
        -------
        array of shape (n, T)
            Densities per unit of time.
        """
        others, at = self._cases(X, times)
        density, _ = self._conditional.density_and_tail(
            others, self.scaling_.log_times(at), n_jobs=self.n_jobs
        )
        return np.asarray(density / (at * self.scaling_.spread[0]))

    def predict_survival(self, X: ArrayLike | None, times: ArrayLike) -> FloatArray:
        """Return the probability that the event comes after each time.

        Parameters
        ----------
        X : array-like of shape (n, p)
            Covariates of new cases.
        times : array-like of shape (T,) or (n, T)
            The same times for all, or times of their own; at 0 everybody waits.

        Returns
        -------
        array of shape (n, T)
            Probabilities.
        """
        others, at = self._cases(X, times, from_zero=True)
        _, tail = self._conditional.density_and_tail(
            others, self._places(at), n_jobs=self.n_jobs
        )
        return np.where(at == 0.0, 1.0, tail)

    def predict_log(
        self, X: ArrayLike | None, times: ArrayLike
    ) -> tuple[FloatArray, FloatArray]:
        """Return log density and log survival together, at the price of one.

        Parameters
        ----------
        X : array-like of shape (n, p)
            Covariates of new cases.
        times : array-like of shape (T,) or (n, T)
            The same times for all, or times of their own.

        Returns
        -------
        tuple of arrays of shape (n, T)
            Natural logarithms; minus infinity where a number is too small to hold.
        """
        others, at = self._cases(X, times)
        density, tail = self._conditional.density_and_tail(
            others, self.scaling_.log_times(at), n_jobs=self.n_jobs
        )
        with np.errstate(divide="ignore"):
            per_time = np.log(density) - np.log(at) - np.log(self.scaling_.spread[0])
            return np.asarray(per_time), np.asarray(np.log(tail))

    def predict_survival_band(
        self, X: ArrayLike | None, times: ArrayLike, *, level: float = 0.9
    ) -> tuple[FloatArray, FloatArray]:
        """Return how far survival curves are known: a band over posterior draws.

        Parameters
        ----------
        X : array-like of shape (n, p)
            Covariates of new cases.
        times : array-like of shape (T,) or (n, T)
            Times.
        level : float, default=0.9
            Share of the draws between the two curves, at each time by itself.

        Returns
        -------
        tuple of arrays of shape (n, T)
            Lower and upper curve.
        """
        check_level(level)
        others, at = self._cases(X, times, from_zero=True)
        places = self._places(at)
        low, high = np.empty(at.shape), np.empty(at.shape)
        for k, value in enumerate(others):
            tails = self._conditional.tails_by_draw(value, places[k])
            low[k], high[k] = np.quantile(
                tails, [0.5 - level / 2, 0.5 + level / 2], axis=0
            )
        return np.where(at == 0.0, 1.0, low), np.where(at == 0.0, 1.0, high)

    def predict_quantile(
        self, X: ArrayLike | None, probabilities: ArrayLike
    ) -> FloatArray:
        """Return times before which the event comes with given probabilities.

        Parameters
        ----------
        X : array-like of shape (n, p)
            Covariates of new cases.
        probabilities : float or array-like of shape (T,)
            Strictly between 0 and 1.

        Returns
        -------
        array of shape (n, T)
            Times.
        """
        try:
            shares = np.atleast_1d(np.asarray(probabilities, dtype=np.float64))
        except (TypeError, ValueError) as error:
            msg = f"Probabilities of quantiles must be numbers; got {probabilities!r}."
            raise UsageError(msg) from error
        if shares.ndim != 1 or not ((shares > 0) & (shares < 1)).all():
            msg = "Probabilities of quantiles must lie strictly between 0 and 1."
            raise UsageError(msg)
        others, _ = self._cases(X, np.ones(1))
        found = self._conditional.quantiles(others, shares, n_jobs=self.n_jobs)
        return self._times(found)

    def predict(self, X: ArrayLike | None) -> FloatArray:
        """Return the median time of new cases.

        Parameters
        ----------
        X : array-like of shape (n, p)
            Covariates of new cases.

        Returns
        -------
        array of shape (n,)
            Times.
        """
        return self.predict_quantile(X, 0.5)[:, 0]

    def sample(
        self, X: ArrayLike | None, n: int = 1, *, random_state: RandomState = None
    ) -> FloatArray:
        """Draw times of new cases.

        Parameters
        ----------
        X : array-like of shape (n_cases, p)
            Covariates of new cases.
        n : int, default=1
            Draws per case.
        random_state : int, Generator or None
            Source of randomness.

        Returns
        -------
        array of shape (n_cases, n)
            Times.
        """
        if not isinstance(n, numbers.Integral) or n < 1:
            msg = f"`n` must be a whole number from 1; got {n!r}."
            raise UsageError(msg)
        others, _ = self._cases(X, np.ones(1))
        drawn = self._conditional.sample(others, int(n), as_generator(random_state))
        return self._times(drawn)

    def thinned(self, every: int) -> Self:
        """Return the same fit with some of its draws: quicker to ask, and rougher.

        Parameters
        ----------
        every : int
            How many draws there are to each that is kept; no fewer than ten are.

        Returns
        -------
        RecurrenceModel
            Fitted; the draws are shared.
        """
        check_is_fitted(self, "posterior_")
        kept = self.posterior_.kept
        some = kept[:: max(1, min(every, len(kept) // 10))]
        own = self._conditional
        found = copy(self)
        found._conditional = ConditionalMixture(some, own.kind, own.noise)
        return found

    def _times(self, places: FloatArray) -> FloatArray:
        spread, centre = self.scaling_.spread[0], self.scaling_.centre[0]
        return np.asarray(np.exp(centre + spread * places))

    def _places(self, at: FloatArray) -> FloatArray:
        """Return log times in units of their spread; anything for time zero."""
        return self.scaling_.log_times(np.where(at == 0.0, 1.0, at))

    def _cases(
        self, X: ArrayLike | None, times: ArrayLike, *, from_zero: bool = False
    ) -> tuple[FloatArray, FloatArray]:
        """Return covariates in units of their spread, and times case by case."""
        check_is_fitted(self, "posterior_")
        if X is None and self.n_features_in_ == 0:
            X = np.empty((1, 0))
        if X is not None and not self.n_features_in_:
            X = np.empty((len(np.asarray(X)), 0))
        given = check_covariates(X)  # type: ignore[arg-type]
        if given.shape[1] != self.n_features_in_:
            msg = (
                f"X has {given.shape[1]} covariates, but the model was fitted to "
                f"{self.n_features_in_}."
            )
            raise InvalidInputError(msg)
        if hasattr(self, "feature_names_in_"):
            _check_names(X, [*self.feature_names_in_])
            validate_data(self, X, reset=False, skip_check_array=True)
        at = _asked_times(times, len(given), from_zero=from_zero)
        others = self.scaling_.others(given)
        if (np.abs(others) > _FARTHEST).any():
            msg = (
                f"A covariate lies more than {_FARTHEST:g} standard deviations from "
                "the mean of the training cases: nothing can be said of such a case."
            )
            raise InvalidInputError(msg)
        return others, at

    def _note_features(self, X: ArrayLike | None, cohort: Cohort) -> None:
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.n_features_in_ = cohort.X.shape[1]
        if X is not None and self.n_features_in_:
            validate_data(self, X, skip_check_array=True)

    def _warn_of(self, cohort: Cohort) -> None:
        lines = few_events_said(int(cohort.event.sum()))
        if not cohort.event.any():
            lines = [
                "No event was seen: times are only known to be longer, and predictions "
                "are little more than the prior."
            ]
        for line in lines:
            warnings.warn(line, DataWarning, stacklevel=3)

    def _check_converged(self, posterior: MixturePosterior) -> None:
        found = posterior.diagnostics
        if found.passed:
            return
        said = f"The simulation did not converge: {'; '.join(found.reasons)}."
        if not self.allow_unconverged:
            msg = f"{said} Give a longer `sampling`, or allow_unconverged=True."
            raise NotConvergedError(msg)
        warnings.warn(said, DataWarning, stacklevel=3)


def _check_names(X: Any, fitted: list[str]) -> None:
    """Refuse columns that are not those of the fit, in its order."""
    given = [*getattr(X, "columns", fitted)]
    if given == fitted:
        return
    names = ", ".join(map(repr, fitted))
    what = "in another order than" if set(given) == set(fitted) else "that are not"
    msg = f"X has columns {what} those the model was fitted to; give {names}."
    raise InvalidInputError(msg)


def _asked_times(times: ArrayLike, n: int, *, from_zero: bool) -> FloatArray:
    """Return the times that were asked for, case by case."""
    try:
        at = np.asarray(times, dtype=np.float64)
    except (TypeError, ValueError) as error:
        msg = f"times must be numbers, of shape (T,) or (n, T); got {times!r}."
        raise InvalidInputError(msg) from error
    if at.ndim == 1:
        at = np.broadcast_to(at, (n, at.size))
    if at.ndim != 2 or len(at) != n:
        msg = (
            f"times must be of shape (T,), or (n, T) with a row for each of {n} cases; "
            f"got {at.shape}."
        )
        raise InvalidInputError(msg)
    if np.isinf(at).any():
        msg = (
            "times must be finite. If they were predicted, they are more than a "
            "number can hold: give times to learn from in another unit."
        )
        raise InvalidInputError(msg)
    if not (at >= 0).all() or not (from_zero or (at > 0).all()):
        low = at[~(at > 0)][0] if not from_zero else at[~(at >= 0)][0]
        bound = "not be below zero" if from_zero else "be above zero"
        msg = f"times must {bound}; got {low:g}."
        if low == 0.0:
            msg += " Survival at time 0 is 1, but there is no density to be given."
        raise InvalidInputError(msg)
    return np.ascontiguousarray(at)


def _thinning(posterior: MixturePosterior) -> int:
    n_chains, n_draws = posterior.n_components.shape
    return max(1, int(n_draws * n_chains) // len(posterior.kept))
