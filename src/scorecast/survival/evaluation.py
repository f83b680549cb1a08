"""What predictions are worth, on samples that were not learned from."""

from __future__ import annotations

import dataclasses
import math
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import check_n_jobs, check_share, check_units
from scorecast._core.keywords import checked_keywords
from scorecast._core.progress import revise, stage, stages, track
from scorecast._core.result import Note
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, IntArray, RandomState
from scorecast.exceptions import (
    InvalidInputError,
    NotConvergedError,
    ScorecastError,
    ScorecastWarning,
    UsageError,
)
from scorecast.information import (
    ApparentInformation,
    Forecasts,
    PosteriorSettings,
    apparent_information,
    compare_information,
    first_figures,
)
from scorecast.mixtures import Prior, Sampling
from scorecast.survival.baselines import (
    check_baselines,
)
from scorecast.survival.data import (
    SurvivalData,
    check_covariates,
    check_learnable,
    check_pairing,
    check_survival,
)
from scorecast.survival.held_out import (
    MODEL,
    PRIOR,
    FoldWork,
    HeldOut,
    event_times,
    hold_out,
    make_folds,
)
from scorecast.survival.hyperparameters import check_candidates, choose_hyperparameters
from scorecast.survival.leakage import covariate_notes, wide_intervals
from scorecast.survival.metrics import (
    LEAST_FOLLOWED,
    d_calibration,
    followed_up,
    kaplan_meier,
    median_time,
    survival_at,
)
from scorecast.survival.notes import SurvivalNote, warn_of
from scorecast.survival.population import (
    POPULATION_PRIORS,
)
from scorecast.survival.prediction import (
    SampleCurves,
    SurvivalPredictions,
    check_shown,
    noted,
    predict_new,
    show_samples,
)
from scorecast.survival.result import (
    CURVE,
    BaselineRow,
    FitDiagnostics,
    FollowUp,
    Gain,
    GainStatus,
    ModelSettings,
    SurvivalEvaluation,
)

if TYPE_CHECKING:
    from scorecast.survival.model import SurvivalModel

# How long fits take beside what was planned: those of folds, which may go on once, and
# that to all samples before folds have shown whether it will go on, and where it does.
_GONE_ON, _PLANNED_FITS, _LASTING = 1.4, 2.8, 5.0


@dataclass(frozen=True, kw_only=True, eq=False)
class SurvivalExtras:
    """What may be asked for beside the worth of predictions.

    Attributes
    ----------
    show : sequence of int or None
        Rows, from 1, whose curves are predicted by a model that learns from all others;
        by default three typical ones.
    X_new : array-like of shape (m, p) or None
        Covariates of new samples to predict by a fit to all.
    at : sequence of float
        Times at which to give the chance that a new sample still waits.
    candidates : mapping of str to mapping
        Hyperparameters whose evidence is computed beside those of the paper.
    look_for_leaks : bool
        Whether to look for covariates that nobody could have known at time zero, as
        where nobody chose them.
    time_unit : str
        Unit of time, for tables and figures.
    """

    show: Sequence[int] | None = None
    X_new: ArrayLike | None = None
    at: Sequence[float] = ()
    candidates: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    look_for_leaks: bool = False
    time_unit: str = ""


_NO_EXTRAS = SurvivalExtras()
_USUAL = PosteriorSettings()


@checked_keywords
def evaluate_survival(
    model: SurvivalModel,
    X: ArrayLike,
    time: ArrayLike,
    event: ArrayLike,
    *,
    feature_names: Sequence[str] | None = None,
    cv: int | str | ArrayLike = 10,
    prior: str = "exponential",
    baselines: str | Sequence[str] | None = None,
    units: str = "bits",
    confidence_level: float = 0.95,
    quick: bool = False,
    settings: PosteriorSettings = _USUAL,
    extras: SurvivalExtras = _NO_EXTRAS,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> SurvivalEvaluation:
    r"""Predict every sample from a model that did not learn from it, and judge that.

    A sample whose event was seen counts with the log ratio of densities of model and
    prior at its time, one still waiting with that of survival:

    .. math:: j_i = \log \frac{q(t_i)}{p(t_i)} \quad \mathrm{or} \quad
              \log \frac{S_q(t_i)}{S_p(t_i)}.

    Parameters
    ----------
    model : SurvivalModel
        Unfitted; its parameters hold for every fold. In folds, chains that disagree go
        on once at most, for half as many sweeps again: longer ones take three times as
        long in all and move what predictions are worth by less than a seventh of its
        spread.
    X, time, event : array-like
        As for `SurvivalModel.fit`.
    feature_names : sequence of str, optional
        Names of the covariates; by default those of a frame.
    cv : int, str or array-like of shape (n,) or (repeats, n), default=10
        Folds; ``"10x3"`` deals samples into ten folds three times, and averages what a
        sample got; labels are folds of one's own, at least two samples in each.
    prior : str, default="exponential"
        Prior of the time, fitted to the training samples of each fold; an entry of
        `POPULATION_PRIORS`. "model" is the same model without covariates.
    baselines : sequence of str or None, default=None
        Models to compare with, on the same folds; entries of `BASELINES`. By default
        all, and none in a quick look.
    units : {"bits", "nats"}, default="bits"
        Units of information.
    confidence_level : float, default=0.95
        Level of intervals.
    quick : bool, default=False
        Whether to predict by a lognormal regression (accelerated failure times) in the
        place of the model, with plain intervals: at once, and marked.
    settings : PosteriorSettings, optional
        The rarer settings of posteriors of J.
    extras : SurvivalExtras, optional
        Samples to show, new ones to predict, candidate hyperparameters.
    random_state : int, Generator or None, default=0
        Deals the folds and seeds all chains.
    n_jobs : int, optional
        Threads; the answer does not depend on it.
    checkpoint : str or path-like, optional
        File to which everything finished is appended (folds, posteriors, curves,
        predictions, evidence); the same call goes on from it, another one is refused.

    Returns
    -------
    SurvivalEvaluation
        The whole answer.

    Raises
    ------
    InsufficientDataError
        If there are too few samples or events to hold any out, or all times are equal.
    InvalidInputError
        If the checkpoint is that of another run, or indexes of pandas differ.
    NotConvergedError
        If the posterior of J did not converge, and that was not allowed.

    References
    ----------
    R. Sewell (2024). Assessment of the quality of a prediction.

    Examples
    --------
    >>> from scorecast.survival import SurvivalModel
    >>> rng = np.random.default_rng(0)
    >>> marker = rng.normal(size=(60, 1))
    >>> time = np.exp(1.0 - marker[:, 0] + 0.3 * rng.normal(size=60))
    >>> found = evaluate_survival(
    ...     SurvivalModel(), marker, np.minimum(time, 5.0), time < 5.0, quick=True
    ... )
    >>> found.is_quick, found.information.posterior.low > 0
    (True, True)
    """
    unit = check_units(units)
    level = check_share(confidence_level, "confidence_level", is_open=True)
    check_n_jobs(n_jobs)
    data = _check_data(X, time, event, feature_names, cv)
    chosen_prior = POPULATION_PRIORS.choose(prior, parameter="prior").name
    _check_quick(chosen_prior, extras, is_quick=quick)
    places = check_shown(data, () if extras.show is None else extras.show)
    X_new = _check_new(extras, data)
    check_candidates(extras.candidates, 1 + data.X.shape[1])
    names = () if quick and baselines is None else check_baselines(baselines)
    lasting = _with_parameters(model, random_state, n_jobs)
    rng = as_generator(random_state)
    folds = make_folds(data, cv, rng)
    work = FoldWork(
        data=data,
        model=lasting if quick else _for_folds(lasting),
        prior=chosen_prior,
        baselines=names,
        times=event_times(data),
        is_quick=quick,
    )
    judge = _Judge(
        units=units,
        confidence_level=level,
        is_quick=quick,
        settings=settings,
        random_state=random_state,
        n_jobs=n_jobs,
        checkpoint=checkpoint,
    )
    weights = _seconds(work, folds, extras)
    with stages(weights):
        with stage("holding out"):
            held_out = hold_out(work, folds, rng, checkpoint)
        revise(_longer_fits(weights, held_out.diagnostics))
        with stage("what they are worth"):
            information, rows = judge.rows(held_out)
        curves: tuple[SampleCurves, ...] = ()
        wide = None
        shown_notes: tuple[Note, ...] = ()
        with stage("cases to show"):
            if not quick:
                shown = show_samples(
                    lasting,
                    data,
                    places or held_out.typical_places(),
                    confidence_level=level,
                    checkpoint=checkpoint,
                )
                curves = shown.curves
                wide = wide_intervals(shown.ends[:, 0], shown.ends[:, 1], data)
                shown_notes = _unconverged(
                    SurvivalNote.CURVES_UNCONVERGED, shown.reasons
                )
        predictions: SurvivalPredictions | None = None
        if X_new is not None:
            with stage("new cases"):
                predictions = predict_new(
                    lasting,
                    data,
                    X_new,
                    confidence_level=level,
                    at=[float(t) for t in extras.at],
                    checkpoint=checkpoint,
                )
        choice = None
        with stage("evidence"):
            if extras.candidates:
                with _quietly():
                    choice = choose_hyperparameters(
                        work.model,
                        data.X,
                        data.time,
                        data.event,
                        extras.candidates,
                        random_state=random_state,
                        checkpoint=checkpoint,
                    )
    reasons = predictions.reasons if predictions else ()
    notes = (
        *shown_notes,
        *covariate_notes(data, look_for_leaks=extras.look_for_leaks),
        *_unconverged(SurvivalNote.PREDICTIONS_UNCONVERGED, reasons),
        *held_out.notes,
    )
    for note in notes:
        warn_of(note)
    lacking = np.isnan(data.X).sum(axis=0).tolist()
    return SurvivalEvaluation(
        information=information,
        calibration=d_calibration(held_out.then[MODEL], data.event),
        concordance=held_out.concordance(MODEL),
        brier=held_out.brier(MODEL),
        prior_brier=held_out.brier(PRIOR),
        baselines=rows,
        curves=curves,
        wide=wide,
        predictions=predictions,
        choice=choice,
        follow_up=_follow_up(held_out),
        diagnostics=_in_units(held_out.diagnostics, unit),
        samples=held_out.table(unit),
        notes=notes,
        n=data.n,
        n_events=data.n_events,
        covariates=data.names,
        n_missing={k: n for k, n in zip(data.names, lacking, strict=True) if n},
        prior=chosen_prior,
        n_folds=int(folds[0].max()) + 1,
        n_repeats=len(folds),
        units=units,
        confidence_level=level,
        time_unit=extras.time_unit,
        is_quick=quick,
        model=None if quick else _settings_of(work.model),
        random_state=seed_number(random_state),
    )


@dataclass(frozen=True, kw_only=True)
class SurvivalPreview:
    """What can be said before any simulation.

    Attributes
    ----------
    n, n_events : int
        Samples, and events among them.
    median_time : float or None
        Time by which half had their event, by Kaplan and Meier; None where fewer did.
    mean, low, high : float
        Information of a lognormal regression beyond the prior, on samples that it did
        not learn from, with an interval by t; NaN where there is none.
    """

    n: int
    n_events: int
    median_time: float | None
    mean: float = math.nan
    low: float = math.nan
    high: float = math.nan


def preview_survival(
    X: ArrayLike,
    time: ArrayLike,
    event: ArrayLike,
    *,
    feature_names: Sequence[str] | None = None,
    cv: int | str | ArrayLike = 10,
    prior: str = "exponential",
    units: str = "bits",
    confidence_level: float = 0.95,
    random_state: RandomState = 0,
) -> SurvivalPreview:
    """Say what needs no simulation, in a second.

    Parameters
    ----------
    X, time, event, feature_names, cv, prior, units, confidence_level, random_state
        As for `evaluate_survival`.

    Returns
    -------
    SurvivalPreview
        First figures.
    """
    with _quietly():
        data = _check_data(X, time, event, feature_names, cv)
    half = median_time(data.time, data.event)
    told = SurvivalPreview(n=data.n, n_events=data.n_events, median_time=half)
    if POPULATION_PRIORS.choose(prior, parameter="prior").fit is None:
        return told
    rng = as_generator(random_state)
    folds = make_folds(data, cv, rng)
    work = FoldWork(
        data=data,
        model=None,
        prior=prior,
        baselines=(),
        times=event_times(data),
        is_quick=True,
    )
    try:
        found = hold_out(work, folds, rng, None)
    except (ScorecastError, ArithmeticError):
        return told  # what is wrong the work itself will say
    j = (found.log_known[MODEL] - found.log_known[PRIOR]) / check_units(units)
    figures = first_figures(j, confidence_level)
    low, high = figures.t_interval
    return replace(told, mean=figures.mean, low=low, high=high)


@contextmanager
def _quietly() -> Iterator[None]:
    """Let nothing warn of what the answer says, or of what was warned of before."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ScorecastWarning)
        yield


# --- what is asked -------------------------------------------------------------------


def _check_data(
    X: ArrayLike,
    time: ArrayLike,
    event: ArrayLike,
    feature_names: Sequence[str] | None,
    cv: int | str | ArrayLike,
) -> SurvivalData:
    folds = None if isinstance(cv, str) else cv
    check_pairing(X=X, time=time, event=event, cv=folds)
    data = check_survival(X, time, event, feature_names)
    check_learnable(data)
    return data


def _check_quick(prior: str, extras: SurvivalExtras, *, is_quick: bool) -> None:
    """Refuse what only the model itself can say."""
    if extras.X_new is None and len(extras.at):
        problem = "is about new samples, and there are none"
        raise UsageError(problem, parameter="at")
    if not is_quick:
        return
    asked = {
        "prior": prior == "model",
        "show": extras.show is not None and len(extras.show) > 0,
        "X_new": extras.X_new is not None,
        "candidates": bool(extras.candidates),
    }
    for name, is_given in asked.items():
        if is_given:
            raise UsageError(
                "is about the model, which a quick look leaves out",
                parameter=name,
                remedy="drop one of the two",
            )


def _check_new(extras: SurvivalExtras, data: SurvivalData) -> FloatArray | None:
    if extras.X_new is None:
        return None
    shape = np.shape(extras.X_new)
    if len(shape) != 2 or shape[1] != data.X.shape[1]:
        problem = f"{data.X.shape[1]} covariates are learned from; got shape {shape}"
        raise InvalidInputError(problem, parameter="X_new")
    return check_covariates(extras.X_new, data.names)


def _with_parameters(
    model: SurvivalModel, random_state: RandomState, n_jobs: int | None
) -> SurvivalModel:
    """Return an unfitted copy with the seed and the threads of the run."""
    from sklearn.base import clone  # which importing this folder does without

    more = {} if n_jobs is None else {"n_jobs": n_jobs}
    found: SurvivalModel = clone(model).set_params(random_state=random_state, **more)
    return found


def _for_folds(model: SurvivalModel) -> SurvivalModel:
    """Return the model with the chains of folds, which go on once at most."""
    from sklearn.base import clone

    from scorecast.survival.model import SAMPLING, check_sampling

    used = check_sampling(model.sampling, SAMPLING)
    most = 1 if used.n_extensions is None else min(used.n_extensions, 1)
    found: SurvivalModel = clone(model).set_params(
        sampling=replace(used, n_extensions=most)
    )
    return found


def _settings_of(model: SurvivalModel) -> ModelSettings:
    """Return everything that decides the fits, defaults written out."""
    used: Sampling = model.sampling  # type: ignore[assignment]  # set by `_for_folds`
    printed = dataclasses.asdict(Prior.survival(np.eye(1), np.zeros(1)))
    plain = {k: v for k, v in printed.items() if k != "name" and not np.ndim(v)}
    changed = {
        k: np.asarray(v).tolist() for k, v in (model.hyperparameters or {}).items()
    }
    return ModelSettings(
        n_chains=used.n_chains,
        n_warmup=used.n_warmup,
        n_draws=used.n_draws,
        n_extensions=used.n_extensions,
        n_kept=used.n_kept,
        noise_sd=np.asarray(model.noise_sd).tolist(),
        noise_shape=float(model.noise_shape),
        moments=model.moments,
        hyperparameters=plain | changed,
    )


def _seconds(
    work: FoldWork, folds: IntArray, extras: SurvivalExtras
) -> dict[str, float | None]:
    """Say how long the parts of a run take, in seconds of some machine."""
    from scorecast.survival.model import SAMPLING

    n, n_dims, n_others = work.data.n, 1 + work.data.X.shape[1], len(work.baselines)
    n_folds = sum(int(row.max()) + 1 for row in folds)
    n_posteriors = 1 + 2 * ((work.prior != "kaplan-meier") + n_others)
    if work.is_quick:
        return {
            "holding out": n_folds * (0.05 + 0.02 * n_others),
            "what they are worth": 0.1 * n_posteriors,
            "cases to show": 0.0,
            "new cases": 0.0,
            "evidence": 0.0,
        }
    used = getattr(work.model, "sampling", None) or SAMPLING
    sweeps = used.n_warmup + used.n_draws
    # Most chains go on for half as long again.
    fit = _GONE_ON * used.n_chains * sweeps
    fit *= 1.3e-4 + n * (2.5e-7 + 7e-9 * n_dims**2)
    fits = fit * (2 if work.prior == "model" else 1) + 0.01 * n_others
    return {
        "holding out": n_folds * fits + 3e-2 * n * len(folds),
        "what they are worth": (n_posteriors + 0.5) * (0.4 + 1.6e-3 * n),
        "cases to show": _PLANNED_FITS * fit / _GONE_ON + 1e-2 * n,
        "new cases": 0.0 if extras.X_new is None else _PLANNED_FITS * fit / _GONE_ON,
        "evidence": None if extras.candidates else 0.0,
    }


def _longer_fits(
    weights: Mapping[str, float | None], diagnostics: FitDiagnostics | None
) -> dict[str, float | None]:
    """Say how long the fits to all take, once folds have shown how chains mix.

    Where they agreed, a fit takes what was planned; where they did not, it goes on for
    as long as that mostly takes.
    """
    share = 0.0
    if diagnostics is not None:
        share = diagnostics.n_unconverged / diagnostics.n_fits
    factor = (1.0 + share * (_LASTING - 1.0)) / _PLANNED_FITS
    return {
        name: weight and weight * factor
        for name, weight in weights.items()
        if name in ("cases to show", "new cases")
    }


def _in_units(found: FitDiagnostics | None, unit: float) -> FitDiagnostics | None:
    if found is None:
        return None
    return replace(found, mcse=found.mcse / unit, spread=found.spread / unit)


def _unconverged(code: SurvivalNote, reasons: tuple[str, ...]) -> tuple[Note, ...]:
    return (Note(code=code, names=reasons),) if reasons else ()


def _follow_up(found: HeldOut) -> FollowUp:
    """Say how long the samples were followed."""
    data, at = found.data, found.work.times
    # As the score itself has it: at equal times events come before censoring.
    still = survival_at(followed_up(data.time, data.event), at)
    within = at[still >= LEAST_FOLLOWED]
    return FollowUp(
        longest=float(data.time.max()),
        median=median_time(data.time, ~data.event),
        horizon=float(within[-1]) if within.size else None,
        times=at,
        observed=survival_at(kaplan_meier(data.time, data.event), at),
        predicted=found.curves[MODEL].mean(axis=0),
    )


# --- what predictions are worth ------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class _Posterior:
    """A posterior of J, or why there is none."""

    told: ApparentInformation | None = None
    status: GainStatus = GainStatus.KNOWN
    problem: str = ""
    reasons: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class _Judge:
    """How posteriors of J are asked for."""

    units: str
    confidence_level: float
    is_quick: bool
    settings: PosteriorSettings
    random_state: RandomState
    n_jobs: int | None
    checkpoint: str | os.PathLike[str] | None

    def rows(
        self, found: HeldOut
    ) -> tuple[ApparentInformation, tuple[BaselineRow, ...]]:
        """Say what the predictions know beyond the prior and every baseline."""
        log_q, log_p = found.log_known[MODEL], found.log_known[PRIOR]
        own = self._forecasts(found, log_q)
        # With that prior the model's own information is what it knows beyond the curve.
        is_curve_prior = found.work.prior == "kaplan-meier"
        others = [n for n in found.baselines if not (is_curve_prior and n == CURVE)]
        asked = track(range(1 + 2 * len(others)), what="posterior")
        next(asked)
        information = self._of_model(own)
        unit = check_units(self.units)
        rows = []
        for name in found.baselines:
            said = found.log_known[name]
            gained_mean = float((said - log_p).mean()) / unit
            beyond_mean = float((log_q - said).mean()) / unit
            if name in others:
                next(asked)
                forecasts = self._forecasts(found, said)
                gained = self._gain(apparent_information, (forecasts,), gained_mean)
                next(asked)
                pair = (log_q, said)
                more = {"names": (MODEL, name)}
                beyond = self._gain(compare_information, pair, beyond_mean, **more)
            else:
                gained = Gain(mean=gained_mean)
                beyond = Gain.of(information, beyond_mean)
            rows.append(
                BaselineRow(
                    name=name,
                    gained=gained,
                    beyond=beyond,
                    concordance=found.concordance(name),
                    brier=found.brier(name),
                    calibration_p=d_calibration(
                        found.then[name], found.data.event
                    ).p_value,
                )
            )
        for _ in asked:  # the last is done
            pass
        return information, tuple(rows)

    def _forecasts(self, found: HeldOut, log_q: FloatArray) -> Forecasts:
        log_p = found.log_known[PRIOR]
        return Forecasts.from_survival(
            found.data.event,
            log_density=log_q,
            log_survival=log_q,
            prior_log_density=log_p,
            prior_log_survival=log_p,
        )

    def _of_model(self, forecasts: Forecasts) -> ApparentInformation:
        found = self._ask(apparent_information, (forecasts,), influence=True)
        if found.told is not None:
            return found.told
        if found.status is GainStatus.INVALID:
            raise InvalidInputError(found.problem)
        problem = (
            f"what the model knows beyond the prior cannot be said: {found.problem}"
        )
        raise NotConvergedError(
            problem,
            found.reasons,
            remedy="let the chains run on for longer, or allow those that disagree",
            option="allow_unconverged",
        )

    def _gain(
        self,
        ask: Callable[..., ApparentInformation],
        given: tuple[Any, ...],
        mean: float,
        **more: Any,
    ) -> Gain:
        # What one sample can do is said of the model alone.
        found = self._ask(ask, given, influence=False, **more)
        if found.told is not None:
            return Gain.of(found.told, mean)
        why = found.reasons or found.problem
        return Gain(mean=mean, status=found.status, reasons=(why,))

    def _ask(
        self,
        ask: Callable[..., ApparentInformation],
        given: tuple[Any, ...],
        *,
        influence: bool,
        **more: Any,
    ) -> _Posterior:
        """Return a posterior of J, or why there is none; the checkpoint may know it."""
        options = {
            "units": self.units,
            "confidence_level": self.confidence_level,
            "quick": self.is_quick,
            "settings": replace(self.settings, influence=influence),
            "random_state": self.random_state,
            **more,
        }

        def work() -> _Posterior:
            try:
                with _quietly():
                    return _Posterior(told=ask(*given, n_jobs=self.n_jobs, **options))
            except NotConvergedError as error:
                return _Posterior(
                    status=GainStatus.NOT_CONVERGED,
                    problem=error.problem,
                    reasons=error.reasons,
                )
            except InvalidInputError as error:
                return _Posterior(status=GainStatus.INVALID, problem=error.problem)

        asked = (ask.__name__, given, options)
        return noted(self.checkpoint, "posterior", asked, work, _Posterior)
