"""Predict when: densities of the time of an event from noisy covariates.

The prior of appendix B.8 is made of the training data's mean and covariance, so that it
does not mind shifts and scales: working in units of the data changes nothing but the
arithmetic, which then holds for any scale.
"""

from __future__ import annotations

import dataclasses
import numbers
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from scorecast._core.checks import (
    check_count,
    check_n_jobs,
    check_one_of,
    check_share,
    warn,
)
from scorecast._core.keywords import checked_keywords
from scorecast._core.near_names import near_name
from scorecast._core.rng import as_generator
from scorecast._core.types import FloatArray, RandomState
from scorecast.exceptions import (
    DataWarning,
    InvalidInputError,
    NotConvergedError,
    ResultWarning,
    ScorecastError,
    UsageError,
)
from scorecast.mixtures import (
    ConditionalMixture,
    MixturePosterior,
    Noise,
    Observations,
    Prior,
    Sampling,
    sample_posterior,
)
from scorecast.survival.data import (
    FEW_EVENTS,
    SurvivalData,
    check_covariates,
    check_survival,
    equal_times,
)
from scorecast.survival.notes import few_events_text
from scorecast.survival.population import fit_location_scale

MOMENTS = ("censored", "recorded")
SAMPLING = Sampling(n_warmup=500, n_draws=1000, n_kept=200)
_RIDGE = 0.05  # added to a correlation matrix that is singular, diagonal one
_SINGULAR = 1e-4  # smallest eigenvalue of a correlation matrix that is not
_FEWEST_TO_FIT = 5  # events: with fewer the fit of log times runs away
_FARTHEST = 1e100  # squares must be numbers
_LEAST_DRAWS = 10  # that a thinned fit keeps


class SurvivalModel(BaseEstimator):  # type: ignore[misc]
    """Predict the time of an event as a density, from noisy covariates.

    The log time and the covariates together follow a Dirichlet mixture of skew-Student
    distributions. All are measured with Student noise; times of samples that were still
    waiting are only known to be longer; missing covariates are drawn along with
    everything else.

    Parameters
    ----------
    hyperparameters : mapping, optional
        Hyperparameters of `scorecast.mixtures.Prior` to set otherwise than the paper,
        such as ``{"growth": 0.9}``; matrices are in units of the training data's
        spread.
    noise_sd : float or array-like of shape (1 + n_features,), default=0.1
        Typical error of log time, and of each covariate in units of its standard
        deviation: S_n of the paper is one over its square.
    noise_shape : float, default=5
        m_n: half the degrees of freedom of the noise.
    moments : {"censored", "recorded"}, default="censored"
        Mean and spread of log times for the prior: those of a normal distribution
        fitted to what is known of them, or those of the times as recorded.
    sampling : scorecast.mixtures.Sampling, optional
        Number and length of the chains. By default ``Sampling(n_warmup=500,
        n_draws=1000, n_kept=200)``: 4 chains, which go on where they disagree, for 60
        seconds at most; of their draws 200 are kept in full, every 20th.
    allow_unconverged : bool, default=False
        Whether to go on, with a warning, where the chains disagree.
    random_state : int, Generator or None, default=0
        Seed of the chains.
    n_jobs : int, optional
        Threads; the answer does not depend on it.

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
        Events among the training samples.
    n_features_in_ : int
        Number of covariates.

    References
    ----------
    R. Sewell (2024). Assessment of the quality of a prediction, appendices B.2 and B.8.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> marker = rng.normal(size=(60, 1))
    >>> time = np.exp(1.0 - marker[:, 0] + 0.3 * rng.normal(size=60))
    >>> model = SurvivalModel(random_state=0)  # doctest: +SKIP
    >>> model.fit(marker, np.minimum(time, 5.0), time < 5.0)  # doctest: +SKIP
    >>> model.predict_survival_function([[1.0], [-1.0]], [2.0])  # doctest: +SKIP
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
    ) -> None:
        self.hyperparameters = hyperparameters
        self.noise_sd = noise_sd
        self.noise_shape = noise_shape
        self.moments = moments
        self.sampling = sampling
        self.allow_unconverged = allow_unconverged
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: ArrayLike | None, time: ArrayLike, event: ArrayLike) -> Self:
        """Learn from samples.

        Parameters
        ----------
        X : array-like of shape (n, p) or None
            Covariates, numbers; NaN where one is missing. None: times alone.
        time : array-like of shape (n,)
            Time of the event or, where it was not seen, of the last look; above zero.
        event : array-like of shape (n,)
            1 (or yes, true) where the event was seen, 0 (no, false) where not yet.
            Without any 1 the fit is little more than the prior, and says so;
            `evaluate_survival` refuses, for nothing could be judged.

        Returns
        -------
        self
            The fitted model.

        Raises
        ------
        NotConvergedError
            If the chains disagree and that was not allowed.
        """
        check_one_of(self.moments, "moments", MOMENTS)
        check_n_jobs(self.n_jobs)
        data = check_survival(X, time, event)
        self._note_features(X, data)
        _warn_of_few(data.n_events)
        scaling = scale_data(data, self.moments)
        noise = scaling.noise(self.noise_sd, self.noise_shape)
        prior = make_prior(scaling, self.hyperparameters)
        posterior = sample_posterior(
            scaling.observations(data, noise),
            prior=prior,
            sampling=check_sampling(self.sampling, SAMPLING),
            random_state=as_generator(self.random_state),
            n_jobs=self.n_jobs,
        )
        self._check_converged(posterior)
        n_chains, n_draws = posterior.n_components.shape
        self.posterior_ = posterior
        self.diagnostics_ = posterior.diagnostics
        self.scaling_ = scaling
        self.thinning_ = max(1, int(n_draws * n_chains) // len(posterior.kept))
        self.n_events_ = data.n_events
        self._conditional = ConditionalMixture(posterior.kept, prior.tail_kind, noise)
        return self

    def predict_median(self, X: ArrayLike | None) -> FloatArray:
        """Return the median time of new samples.

        Parameters
        ----------
        X : array-like of shape (n, p)
            Covariates of new samples.

        Returns
        -------
        ndarray of shape (n,)
            Times.
        """
        return self.predict_quantile(X, 0.5)[:, 0]

    def predict_density(self, X: ArrayLike | None, times: ArrayLike) -> FloatArray:
        """Return the density of the recorded time of new samples.

        Parameters
        ----------
        X : array-like of shape (n, p)
            Covariates of new samples; NaN where one is missing.
        times : array-like of shape (T,) or (n, T)
            The same times for all, or times of their own; above zero. Thousands take
            little longer than a few hundred, which are read from polynomials through
            exact logarithms.

        Returns
        -------
        ndarray of shape (n, T)
            Densities per unit of time.
        """
        others, at = self._asked(X, times)
        density, _ = self._conditional.density_and_tail(
            others, self.scaling_.log_times(at), n_jobs=self.n_jobs
        )
        return np.asarray(density / (at * self.scaling_.spread[0]))

    def predict_survival_function(
        self, X: ArrayLike | None, times: ArrayLike
    ) -> FloatArray:
        """Return the probability that the event comes after each time.

        Parameters
        ----------
        X : array-like of shape (n, p)
            Covariates of new samples.
        times : array-like of shape (T,) or (n, T)
            The same times for all, or times of their own; at 0 everybody waits.

        Returns
        -------
        ndarray of shape (n, T)
            Probabilities.
        """
        others, at = self._asked(X, times, from_zero=True)
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
            Covariates of new samples.
        times : array-like of shape (T,) or (n, T)
            The same times for all, or times of their own.

        Returns
        -------
        tuple of ndarray of shape (n, T)
            Natural logarithms; minus infinity where a number is too small to hold.
        """
        others, at = self._asked(X, times)
        density, tail = self._conditional.density_and_tail(
            others, self.scaling_.log_times(at), n_jobs=self.n_jobs
        )
        with np.errstate(divide="ignore"):
            per_time = np.log(density) - np.log(at) - np.log(self.scaling_.spread[0])
            return np.asarray(per_time), np.asarray(np.log(tail))

    def predict_survival_interval(
        self,
        X: ArrayLike | None,
        times: ArrayLike,
        *,
        confidence_level: float = 0.95,
    ) -> tuple[FloatArray, FloatArray]:
        """Return how far survival curves are known: a band over posterior draws.

        Parameters
        ----------
        X : array-like of shape (n, p)
            Covariates of new samples.
        times : array-like of shape (T,) or (n, T)
            Times.
        confidence_level : float, default=0.95
            Share of the draws between the two curves, at each time by itself.

        Returns
        -------
        tuple of ndarray of shape (n, T)
            Lower and upper curve.
        """
        level = check_share(confidence_level, "confidence_level", is_open=True)
        others, at = self._asked(X, times, from_zero=True)
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
            Covariates of new samples.
        probabilities : float or array-like of shape (T,)
            Strictly between 0 and 1.

        Returns
        -------
        ndarray of shape (n, T)
            Times.
        """
        try:
            shares = np.atleast_1d(np.asarray(probabilities, dtype=np.float64))
        except (TypeError, ValueError):
            shares = np.empty((0, 0))
        if shares.ndim != 1 or not ((shares > 0) & (shares < 1)).all():
            problem = f"must lie strictly between 0 and 1; got {probabilities!r}"
            raise UsageError(problem, parameter="probabilities")
        others, _ = self._asked(X, np.ones(1))
        found = self._conditional.quantiles(others, shares, n_jobs=self.n_jobs)
        return self._times(found)

    def sample(
        self, X: ArrayLike | None, n: int = 1, *, random_state: RandomState = 0
    ) -> FloatArray:
        """Draw times of new samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, p)
            Covariates of new samples.
        n : int, default=1
            Draws per sample.
        random_state : int, Generator or None, default=0
            Source of randomness.

        Returns
        -------
        ndarray of shape (n_samples, n)
            Times.
        """
        n_draws = check_count(n, "n")
        others, _ = self._asked(X, np.ones(1))
        drawn = self._conditional.sample(others, n_draws, as_generator(random_state))
        return self._times(drawn)

    def thinned(self, every: int) -> Self:
        """Return the same fit with some of its draws: quicker to ask, and rougher.

        Parameters
        ----------
        every : int
            How many draws there are to each that is kept; no fewer than ten are.

        Returns
        -------
        SurvivalModel
            Fitted; the draws are shared.
        """
        check_is_fitted(self, "posterior_")
        kept = self.posterior_.kept
        some = kept[:: max(1, min(every, len(kept) // _LEAST_DRAWS))]
        own = self._conditional
        found = copy(self)
        found._conditional = ConditionalMixture(some, own.kind, own.noise)
        return found

    def by_chain(self) -> tuple[Self, ...]:
        """Return the same fit chain by chain: how far apart they are is their error.

        Returns
        -------
        tuple of SurvivalModel
            Fitted, one for each chain, with equally many draws each, which are shared.
        """
        check_is_fitted(self, "posterior_")
        own = self._conditional
        n_each = len(self.posterior_.kept) // self.diagnostics_.n_chains
        found = []
        for first in range(0, len(self.posterior_.kept), n_each):
            draws = self.posterior_.kept[first : first + n_each]
            one = copy(self)
            one._conditional = ConditionalMixture(draws, own.kind, own.noise)
            found.append(one)
        return tuple(found)

    def _times(self, places: FloatArray) -> FloatArray:
        spread, centre = self.scaling_.spread[0], self.scaling_.centre[0]
        return np.asarray(np.exp(centre + spread * places))

    def _places(self, at: FloatArray) -> FloatArray:
        """Return log times in units of their spread; anything for time zero."""
        return self.scaling_.log_times(np.where(at == 0.0, 1.0, at))

    def _asked(
        self, X: ArrayLike | None, times: ArrayLike, *, from_zero: bool = False
    ) -> tuple[FloatArray, FloatArray]:
        """Return covariates in units of their spread, and times sample by sample."""
        check_is_fitted(self, "posterior_")
        if X is None and self.n_features_in_ == 0:
            X = np.empty((1, 0))
        if X is not None and not self.n_features_in_:
            X = np.empty((len(np.asarray(X)), 0))
        given = check_covariates(X)  # type: ignore[arg-type]
        if given.shape[1] != self.n_features_in_:
            problem = (
                f"{given.shape[1]} covariates, but the model was fitted to "
                f"{self.n_features_in_}"
            )
            raise InvalidInputError(problem, parameter="X")
        if hasattr(self, "feature_names_in_"):
            _check_names(X, [*self.feature_names_in_])
            validate_data(self, X, reset=False, skip_check_array=True)
        at = _asked_times(times, len(given), from_zero=from_zero)
        others = self.scaling_.others(given)
        if (np.abs(others) > _FARTHEST).any():
            problem = (
                f"a covariate lies more than {_FARTHEST:g} standard deviations from "
                "the mean of the training samples: nothing can be said of such a sample"
            )
            raise InvalidInputError(problem, parameter="X")
        return others, at

    def _note_features(self, X: ArrayLike | None, data: SurvivalData) -> None:
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.n_features_in_ = data.X.shape[1]
        if X is not None and self.n_features_in_:
            validate_data(self, X, skip_check_array=True)

    def _check_converged(self, posterior: MixturePosterior) -> None:
        found = posterior.diagnostics
        if found.passed:
            return
        reasons = "; ".join(found.reasons)
        problem = f"the simulation did not converge: {reasons}"
        if not self.allow_unconverged:
            raise NotConvergedError(
                problem,
                reasons,
                parameter="sampling",
                remedy="take longer chains, or allow those that disagree",
                option="allow_unconverged",
            )
        warn(ResultWarning(problem))


def _warn_of_few(n_events: int) -> None:
    if n_events >= FEW_EVENTS:
        return
    problem = few_events_text(n_events)
    if not n_events:
        problem = (
            "No event was seen: times are only known to be longer, and predictions are "
            "little more than the prior."
        )
    warn(DataWarning(problem))


def _check_names(X: Any, fitted: list[str]) -> None:
    """Refuse columns that are not those of the fit, in its order."""
    given = [*getattr(X, "columns", fitted)]
    if given == fitted:
        return
    what = "in another order than" if set(given) == set(fitted) else "that are not"
    raise InvalidInputError(
        f"it has columns {what} those the model was fitted to",
        parameter="X",
        remedy=f"give {', '.join(map(repr, fitted))}",
    )


def _asked_times(times: ArrayLike, n: int, *, from_zero: bool) -> FloatArray:
    """Return the times that were asked for, sample by sample."""
    try:
        at = np.asarray(times, dtype=np.float64)
    except (TypeError, ValueError) as error:
        problem = f"must be numbers; got {times!r}"
        raise InvalidInputError(problem, parameter="times") from error
    if at.ndim == 1:
        at = np.tile(at, (n, 1))
    if at.ndim != 2 or len(at) != n:
        problem = (
            f"must be of shape (T,), or (n, T) with a row for each of {n} samples; got "
            f"{at.shape}"
        )
        raise InvalidInputError(problem, parameter="times")
    if np.isinf(at).any():
        raise InvalidInputError(
            "must be finite; if they were predicted, they are more than a number can "
            "hold",
            parameter="times",
            remedy="give times to learn from in another unit",
        )
    if not (at >= 0).all() or not (from_zero or (at > 0).all()):
        low = at[~(at > 0)][0] if not from_zero else at[~(at >= 0)][0]
        bound = "not be below zero" if from_zero else "be above zero"
        problem = f"must {bound}; got {low:g}"
        if low == 0.0:
            problem += ": survival at time 0 is 1, but there is no density to be given"
        raise InvalidInputError(problem, parameter="times")
    return np.ascontiguousarray(at)


# --- coordinates of unit spread, and the prior there ---------------------------------


@dataclass(frozen=True, eq=False)
class Scaling:
    """How coordinates are measured: log time first, then the covariates.

    Attributes
    ----------
    centre, spread : ndarray of shape (N,)
        Means and standard deviations in the training data.
    correlation : ndarray of shape (N, N)
        Correlations, ridge included.
    ridge : float
        What was added to the diagonal; 0 where nothing was needed.
    """

    centre: FloatArray
    spread: FloatArray
    correlation: FloatArray
    ridge: float

    def others(self, X: FloatArray) -> FloatArray:
        """Return covariates in units of their spread."""
        return np.asarray(X / self.spread[1:] - self.centre[1:] / self.spread[1:])

    def log_times(self, time: FloatArray) -> FloatArray:
        """Return log times in units of their spread."""
        return np.asarray((np.log(time) - self.centre[0]) / self.spread[0])

    def noise(self, noise_sd: ArrayLike, shape: float) -> Noise:
        """Return the noise in these units."""
        n_dims = len(self.centre)
        if not isinstance(shape, numbers.Real):
            problem = f"must be a positive number; got {shape!r}"
            raise UsageError(problem, parameter="noise_shape")
        try:
            given = np.asarray(noise_sd, dtype=np.float64)
        except (TypeError, ValueError):
            given = np.array(np.nan)
        if given.ndim > 1 or given.size not in (1, n_dims) or not (given > 0).all():
            problem = (
                "must be one positive number, or one for the log time and one for each "
                f"of {n_dims - 1} covariates; got {noise_sd!r}"
            )
            raise UsageError(problem, parameter="noise_sd")
        spread = np.broadcast_to(given, (n_dims,)).copy()
        spread[0] /= self.spread[0]
        return Noise(spread**-2.0, shape)

    def observations(self, data: SurvivalData, noise: Noise) -> Observations:
        """Return the training data in these units."""
        values = np.column_stack([self.log_times(data.time), self.others(data.X)])
        return Observations(values, ~data.event, noise)


def scale_data(data: SurvivalData, moments: str) -> Scaling:
    """Measure the training data."""
    largest = np.ones(data.X.shape[1])
    if data.X.size:
        largest = np.nanmax(np.abs(data.X), axis=0)
    small = data.X / largest  # squares of huge numbers would overflow
    middle, spread = _of_log_times(data, moments)
    centre = np.concatenate([[middle], np.nanmean(small, axis=0) * largest])
    spreads = np.concatenate([[spread], np.nanstd(small, axis=0) * largest])
    log_time = np.log(data.time)
    unit = (small - np.nanmean(small, axis=0)) / np.nanstd(small, axis=0)
    time_unit = log_time - log_time.mean()
    if time_unit.any():
        time_unit /= time_unit.std()
    values = np.column_stack([time_unit, np.nan_to_num(unit)])
    correlation = values.T @ values / data.n
    np.fill_diagonal(correlation, 1.0)
    return Scaling(centre, spreads, *_regular(correlation))


def _of_log_times(data: SurvivalData, moments: str) -> tuple[float, float]:
    log_time = np.log(data.time)
    middle, spread = float(log_time.mean()), float(log_time.std())
    if data.time.min() == data.time.max():  # rounding may leave a spread
        raise equal_times(data.time[0])
    # With few events the fit runs away; what was recorded is then all there is.
    is_few = data.n_events < _FEWEST_TO_FIT
    if moments == "recorded" or data.event.all() or is_few:
        return middle, spread
    found = fit_location_scale(data.time, data.event, "lognormal")
    return found.location, found.scale


def _regular(correlation: FloatArray) -> tuple[FloatArray, float]:
    if np.linalg.eigvalsh(correlation)[0] >= _SINGULAR:
        return correlation, 0.0
    problem = (
        f"the covariance of the covariates is singular: {_RIDGE:g} was added to the "
        "diagonal of their correlations for the prior"
    )
    warn(DataWarning(problem, parameter="X"))
    return correlation + _RIDGE * np.eye(len(correlation)), _RIDGE


def make_prior(scaling: Scaling, changes: Mapping[str, Any] | None) -> Prior:
    """Return the prior of appendix B.8 in the units of the data, some of it changed."""
    for name in changes or {}:
        check_hyperparameter(name, "hyperparameters")
    try:
        return Prior.survival(
            scaling.correlation, np.zeros(len(scaling.centre)), **(changes or {})
        )
    except ScorecastError:
        raise
    except (TypeError, ValueError) as error:
        problem = f"must hold numbers: {error}"
        raise UsageError(problem, parameter="hyperparameters") from error


def hyperparameter_names() -> tuple[str, ...]:
    """Return what may be set otherwise than the paper."""
    return tuple(x.name for x in dataclasses.fields(Prior) if x.name != "name")


def check_hyperparameter(name: object, parameter: str) -> None:
    """Refuse the name of no hyperparameter, and say which there are."""
    known = hyperparameter_names()
    if name in known:
        return
    near = near_name(name, known)
    raise UsageError(
        f"there is no {name!r}; there are {', '.join(known)}",
        parameter=parameter,
        remedy=f"try {near!r}" if near else None,
    )


def check_sampling(given: Sampling | None, default: Sampling) -> Sampling:
    """Return how to sample."""
    if given is None:
        return default
    if not isinstance(given, Sampling):
        problem = f"must be a `Sampling`; got {type(given).__name__}"
        raise UsageError(problem, parameter="sampling")
    return given
