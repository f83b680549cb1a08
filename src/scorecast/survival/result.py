"""What predictions of times are worth, as data."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from scorecast._core.result import INPUT, NEW, OPTION, SHARE, Note, Result
from scorecast.information import ApparentInformation, Verdict
from scorecast.mixtures import LEAST_ESS_OF_SHORT_CHAINS
from scorecast.survival.data import FEW_EVENTS
from scorecast.survival.hyperparameters import HyperparameterChoice
from scorecast.survival.leakage import WideIntervals
from scorecast.survival.metrics import Calibration, Concordance
from scorecast.survival.prediction import SampleCurves, SurvivalPredictions

# Monte Carlo error beside the spread, where answers may be trusted: that of 200 draws,
# as of posteriors of J.
MOST_MCSE = 1 / math.sqrt(LEAST_ESS_OF_SHORT_CHAINS)
CURVE = "curve"  # the smoothed Kaplan-Meier curve, a baseline that is always there
_EVEN = 0.05  # p-value below which survival is not even


class GainStatus(StrEnum):
    """Whether information could be said."""

    KNOWN = "known"
    NOT_CONVERGED = "not-converged"
    INVALID = "invalid"


@dataclass(frozen=True, kw_only=True)
class Gain:
    """What one forecaster knows beyond another, per sample.

    Attributes
    ----------
    mean : float
        Plain mean.
    median, low, high : float
        Of the posterior; NaN where it is withheld, minus infinity where a forecast of
        zero came true.
    probability_positive : float
        That there is any.
    verdict : Verdict or None
        Whether the one knows more; None where the posterior is withheld.
    status : GainStatus
        Whether the posterior could be said.
    reasons : tuple of str
        Why not.
    is_converged : bool
        Whether its chains agree; those that do not may be shown if asked for.
    rhat, ess : float
        How well; NaN where nothing was simulated.
    """

    mean: float
    median: float = math.nan
    low: float = math.nan
    high: float = math.nan
    probability_positive: float = field(default=math.nan, metadata=SHARE)
    verdict: Verdict | None = None
    status: GainStatus = GainStatus.KNOWN
    reasons: tuple[str, ...] = ()
    is_converged: bool = True
    rhat: float = math.nan
    ess: float = math.nan

    @classmethod
    def of(cls, told: ApparentInformation, mean: float) -> Gain:
        """Take the figures of a posterior."""
        found, checks = told.posterior, told.diagnostics
        return cls(
            mean=mean,
            median=-math.inf if told.n_impossible else found.median,
            low=found.low,
            high=found.high,
            probability_positive=found.probability_positive,
            verdict=told.verdict,
            is_converged=told.is_converged,
            rhat=math.nan if checks is None else checks.rhat,
            ess=math.nan if checks is None else checks.ess,
        )


@dataclass(frozen=True, kw_only=True)
class BaselineRow:
    """One forecaster beside the model, on the same folds.

    Attributes
    ----------
    name : str
        An entry of `BASELINES`, or "curve", the smoothed Kaplan-Meier curve of the
        training samples.
    gained : Gain
        What it knows beyond the prior.
    beyond : Gain
        What the model knows beyond it.
    concordance : Concordance
        How often its order is right.
    brier : float
        Its integrated Brier score.
    calibration_p : float
        p-value of its D-calibration.
    """

    name: str
    gained: Gain
    beyond: Gain
    concordance: Concordance
    brier: float = field(metadata=SHARE)
    calibration_p: float = field(metadata=SHARE)


@dataclass(frozen=True, kw_only=True, eq=False)
class FollowUp:
    """How long samples were followed, and what was seen and predicted for all of them.

    Attributes
    ----------
    longest : float
        Longest time that a sample was followed.
    median : float or None
        Median follow-up: Kaplan and Meier's of the end of follow-up, for which an event
        is what hides it. None where fewer than half were lost from sight.
    horizon : float or None
        Time up to which the Brier score is averaged: the last event (of the times at
        which curves are read) when at least 5 % would still be followed.
    times, observed, predicted : ndarray of float64
        Share that still waits, by Kaplan and Meier, and mean predicted survival.
    """

    longest: float
    median: float | None
    horizon: float | None
    times: NDArray[np.float64]
    observed: NDArray[np.float64]
    predicted: NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class SampleTable:
    """What every sample got, so that others can compute from it.

    Attributes
    ----------
    time, event : ndarray of shape (n,)
        What was seen.
    folds : ndarray of shape (n_repeats, n)
        Fold of every sample.
    log_q, log_p : ndarray of shape (n,)
        Log density (or survival) that the model, and the prior, gave to what was seen,
        in units of the answer; mean over repeats.
    log_q_of : dict of str to ndarray
        The same of every baseline.
    """

    time: NDArray[np.float64]
    event: NDArray[np.bool_]
    folds: NDArray[np.int64]
    log_q: NDArray[np.float64]
    log_p: NDArray[np.float64]
    log_q_of: dict[str, NDArray[np.float64]]

    @property
    def j(self) -> NDArray[np.float64]:
        """Information of every sample beyond the prior."""
        return np.asarray(self.log_q - self.log_p)


@dataclass(frozen=True, kw_only=True)
class FitDiagnostics:
    """Of the chains of all folds, the worst.

    Attributes
    ----------
    n_fits, n_unconverged : int
        Fits, and those whose chains disagree or are short.
    unconverged_folds : tuple of (int, int)
        Repeat and fold of each of these, from 0.
    rhat, ess : float
        Largest R-hat, fewest effective draws; NaN is worse than any.
    n_chains : int
        Of every fit.
    n_draws, most_draws : int
        Fewest and most draws of a chain; some fits needed more than others.
    thinning : int
        Most sweeps from one kept draw to the next.
    ridge : float
        What was added to singular correlations, at most.
    n_ridged : int
        Fits in which it was.
    fewest_events : int
        Events that the fit with fewest learned from.
    mcse : float
        Monte Carlo error of the mean information, in units of the answer, by how far
        the chains of every fit are apart: what another seed would change. NaN of single
        chains.
    spread : float
        Least standard error over samples, in the same units, of the mean information
        and of what it is more than that of each baseline.
    """

    n_fits: int
    n_unconverged: int
    unconverged_folds: tuple[tuple[int, int], ...]
    rhat: float
    ess: float
    n_chains: int
    n_draws: int
    most_draws: int
    thinning: int
    ridge: float
    n_ridged: int
    fewest_events: int
    mcse: float = field(default=math.nan, metadata=NEW)
    spread: float = field(default=math.nan, metadata=NEW)

    @property
    def passed(self) -> bool:
        """Whether the simulation is good enough for what is reported.

        The chains of all fits agree; or they disagree about the mixture, but not about
        what its predictions are worth.
        """
        return not self.n_unconverged or self.mcse <= MOST_MCSE * self.spread


@dataclass(frozen=True, kw_only=True)
class ModelSettings:
    """Everything that decided the fits of folds, defaults written out.

    Matrices of the prior that were not set come from the training data and are not
    listed among the hyperparameters.

    Attributes
    ----------
    n_chains, n_warmup, n_draws, n_extensions, n_kept : int
        Of the chains.
    noise_sd : float or list
        Noise of log time and covariates.
    noise_shape : float
        Half its degrees of freedom.
    moments : str
        Where mean and spread of log times came from.
    hyperparameters : dict
        Of the prior.
    """

    n_chains: int
    n_warmup: int
    n_draws: int
    n_extensions: int | None
    n_kept: int
    noise_sd: Any
    noise_shape: float
    moments: str
    hyperparameters: dict[str, Any]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SurvivalEvaluation(Result):
    """What predictions of times are worth, out of sample.

    Attributes
    ----------
    information : ApparentInformation
        Of the predictions, beyond the prior.
    calibration : Calibration
        Whether predicted survival is even.
    concordance : Concordance
        How often the order is right.
    brier, prior_brier : float
        Integrated Brier scores of model and prior.
    baselines : tuple of BaselineRow
        The curve of all samples alike, and other models, on the same folds.
    curves : tuple of SampleCurves
        Some samples, predicted by a model that did not learn from them.
    wide : WideIntervals or None
        Predictions that leave everything open, where there are some.
    predictions : SurvivalPredictions or None
        New samples, predicted by a fit to all samples, if some were given.
    choice : HyperparameterChoice or None
        Evidence of candidate hyperparameters, if some were asked for.
    follow_up : FollowUp
        How long samples were followed.
    diagnostics : FitDiagnostics or None
        Of the chains of all folds; None for a quick look.
    samples : SampleTable
        Sample by sample.
    notes : tuple of Note
        What the reader must know; codes of `SurvivalNote`.
    n, n_events : int
        Samples, and events among them.
    covariates : tuple of str
        Their names.
    n_missing : dict of str to int
        How many samples lack each covariate, where some do.
    prior : str
        An entry of `POPULATION_PRIORS`.
    n_folds, n_repeats : int
        How samples were held out.
    units : str
        Units of information.
    confidence_level : float
        Level of intervals.
    time_unit : str
        Unit of time, as the reader knows it; may be empty.
    is_quick : bool
        Whether this is a quick look: a lognormal regression in the place of the model,
        and plain intervals.
    model : ModelSettings or None
        What decided the fits; None for a quick look.
    random_state : int or None
        The seed, where it was a number.
    """

    kind: ClassVar[str] = "survival"

    information: ApparentInformation
    calibration: Calibration
    concordance: Concordance
    brier: float = field(metadata=SHARE)
    prior_brier: float = field(metadata=SHARE)
    baselines: tuple[BaselineRow, ...]
    curves: tuple[SampleCurves, ...]
    wide: WideIntervals | None
    predictions: SurvivalPredictions | None
    choice: HyperparameterChoice | None
    follow_up: FollowUp
    diagnostics: FitDiagnostics | None
    samples: SampleTable
    notes: tuple[Note, ...]
    n: int = field(metadata=INPUT)
    n_events: int = field(metadata=INPUT)
    covariates: tuple[str, ...] = field(metadata=INPUT)
    n_missing: dict[str, int] = field(metadata=INPUT)
    prior: str = field(metadata=OPTION)
    n_folds: int = field(metadata=OPTION)
    n_repeats: int = field(metadata=OPTION)
    units: str = field(metadata=OPTION)
    confidence_level: float = field(metadata=OPTION | SHARE)
    time_unit: str = field(metadata=OPTION)
    is_quick: bool = field(metadata=OPTION)
    model: ModelSettings | None = field(metadata=OPTION)
    random_state: int | None = field(metadata=OPTION)

    @property
    def has_enough_events(self) -> bool:
        """Whether there are events enough to judge order and calibration by."""
        return self.n_events >= FEW_EVENTS

    @property
    def is_even(self) -> bool:
        """Whether nothing speaks against the calibration."""
        return self.calibration.p_value >= _EVEN

    @property
    def beyond_curve(self) -> Gain:
        """What the predictions know beyond the curve of all samples alike."""
        return self.baselines[0].beyond

    def to_columns(self) -> dict[str, list[Any]]:
        """Return the table of forecasters, the model first."""
        own = Gain.of(self.information, self.information.mean)
        nothing = Gain(mean=0.0, median=0.0, low=0.0, high=0.0)
        model = BaselineRow(
            name="model",
            gained=own,
            beyond=nothing,
            concordance=self.concordance,
            brier=self.brier,
            calibration_p=self.calibration.p_value,
        )
        rows = (model, *self.baselines)
        figures = ("mean", "median", "low", "high")
        columns: dict[str, list[Any]] = {"name": [row.name for row in rows]}
        for kind in ("gained", "beyond"):
            for name in figures:
                values = [getattr(getattr(row, kind), name) for row in rows]
                columns[f"{kind}_{name}"] = values
        columns["concordance"] = [row.concordance.value for row in rows]
        columns["concordance_stderr"] = [row.concordance.stderr for row in rows]
        columns["brier"] = [row.brier for row in rows]
        columns["calibration_p"] = [row.calibration_p for row in rows]
        return columns
