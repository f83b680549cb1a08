"""Times until an event, some of them censored, with known information in covariates."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import scipy  # its parts load when first used
from numpy.typing import NDArray

from scorecast._core.checks import (
    NATS_PER,
    check_count,
    check_one_of,
    check_positive,
    check_share,
)
from scorecast._core.keywords import checked_keywords
from scorecast._core.registry import Method, Registry
from scorecast._core.result import DATA
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import BoolArray, FloatArray, RandomState
from scorecast.exceptions import UsageError
from scorecast.simulate.simulation import (
    MOST,
    SIMULATORS,
    Simulation,
    Simulator,
    flat_options,
    numbered,
)

_POINTS = 13  # as a power of two: points of one scrambling
_SCRAMBLINGS = 8
_REACH = 8.0  # standard deviations of the covariates' score that count
_NODES, _GRID = 401, 3001
_STRONGEST = 50.0  # spread of the score in units of what stays unexplained
_MOST_CENSORED = 0.95
_WIDEST = 5.0
_EDGE = 1e-12


@dataclass(frozen=True, kw_only=True)
class SurvivalTruth:
    """What covariates tell of the time until an event, per sample.

    Attributes
    ----------
    information : float
        Beyond the curve of all samples, of times as they are recorded, censored ones
        among them: expected log-ratio of what the true law of the sample and that of
        all give to what is seen, the density of an event or the chance to have none
        until censoring.
    complete : float
        The same if every event had been waited for: the mutual information of
        covariates and time.
    error : float
        Bound on the error of averaging; the grid adds less than 5e-5 nats.
    n_points : int
        Points that were averaged over.
    units : str
        ``"bits"`` or ``"nats"``.
    coefficients : ndarray of shape (n_covariates,)
        By how much log-time grows with each covariate.
    """

    information: float
    complete: float
    error: float
    n_points: int
    units: str
    coefficients: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SurvivalCohort(Simulation):
    """A cohort that was followed up.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_covariates)
        Covariates, standard normal.
    time : ndarray of shape (n_samples,)
        Time of the event, or of censoring.
    event : ndarray of bool
        Whether the event was seen.
    truth : SurvivalTruth
        What covariates tell.
    options : dict
        What was asked for, by the names of factors.
    seed : int or None
        The random state, where it was a number.
    """

    kind: ClassVar[str] = "simulated-survival"

    X: FloatArray = field(metadata=DATA)
    time: FloatArray = field(metadata=DATA)
    event: BoolArray = field(metadata=DATA)
    truth: SurvivalTruth

    def to_columns(self) -> dict[str, Any]:
        """Return ``time``, ``event`` (1 or 0) and the covariates ``x1``, ``x2``, ..."""
        seen = {"time": self.time, "event": self.event.astype(np.int64)}
        return {**seen, **numbered("x", self.X)}

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the same as three arrays."""
        return {"X": self.X, "time": self.time, "event": self.event}


# --- laws of what covariates leave open ----------------------------------------------


@dataclass(frozen=True, kw_only=True)
class TimeLaw(Method):
    """What log-times look like around what covariates say, with median 0 and scale 1.

    Attributes
    ----------
    quantile : callable
        Value below which a share lies.
    log_density, log_survival : callable
        Logarithms of the density, and of the share above a value.
    """

    quantile: Callable[[FloatArray], FloatArray]
    log_density: Callable[[FloatArray], FloatArray]
    log_survival: Callable[[FloatArray], FloatArray]


TIME_LAWS: Registry[TimeLaw] = Registry()
TIME_LAWS.add(
    TimeLaw(
        name="lognormal",
        title="lognormal times",
        summary="log-times are normal; hazards rise and then fall",
        quantile=lambda u: scipy.special.ndtri(u),
        log_density=lambda z: -0.5 * z**2 - 0.5 * math.log(2 * math.pi),
        log_survival=lambda z: scipy.special.log_ndtr(-z),
    )
)


def _weibull_log_survival(z: FloatArray) -> FloatArray:
    return -math.log(2) * np.exp(np.minimum(z, 700.0))


TIME_LAWS.add(
    TimeLaw(
        name="weibull",
        title="Weibull times",
        summary="proportional hazards; exponential where the spread is 1",
        quantile=lambda u: np.log(-np.log1p(-u) / math.log(2)),
        log_density=lambda z: math.log(math.log(2)) + z + _weibull_log_survival(z),
        log_survival=_weibull_log_survival,
    )
)
TIME_LAWS.add(
    TimeLaw(
        name="loglogistic",
        title="loglogistic times",
        summary="proportional odds; tails longer than those of lognormal times",
        quantile=lambda u: scipy.special.logit(u),
        log_density=lambda z: scipy.special.log_expit(z) + scipy.special.log_expit(-z),
        log_survival=lambda z: scipy.special.log_expit(-z),
    )
)


# --- when follow-up ends -------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Censoring(Method):
    """When follow-up ends, whatever the covariates are, in units of its scale.

    Attributes
    ----------
    quantile : callable
        Time below which a share of follow-ups end.
    share_before : callable
        Share of follow-ups that end before given times.
    """

    quantile: Callable[[FloatArray], FloatArray]
    share_before: Callable[[FloatArray], FloatArray]


CENSORINGS: Registry[Censoring] = Registry()
CENSORINGS.add(
    Censoring(
        name="uniform",
        title="one closing date",
        summary="samples enter evenly over time and all are followed up to one date",
        quantile=lambda u: u,
        share_before=lambda t: np.minimum(t, 1.0),
    )
)
CENSORINGS.add(
    Censoring(
        name="exponential",
        title="losses at a steady rate",
        summary="samples are lost at a steady rate",
        quantile=lambda u: -np.log1p(-u),
        share_before=lambda t: -np.expm1(-t),
    )
)


# --- cohorts -------------------------------------------------------------------------


@checked_keywords
def survival(
    n_samples: int = 200,
    *,
    n_covariates: int = 4,
    n_informative: int = 2,
    law: str = "lognormal",
    information: float = 0.5,
    units: str = "bits",
    median: float = 24.0,
    spread: float = 0.8,
    censored: float = 0.3,
    censoring: str = "uniform",
    random_state: RandomState = 0,
) -> SurvivalCohort:
    r"""Make times until an event whose covariates tell a stated amount.

    Log-times are a sum: their median, a score of the covariates, and what they leave
    open,

    .. math:: \log T = \log m + x'\beta + \sigma \varepsilon,

    with the size of :math:`\beta` such that covariates and time share the stated
    information; for lognormal times :math:`\tfrac{1}{2} \log(1 + |\beta|^2/\sigma^2)`
    nats. Follow-up ends independently of everything else. The truth of what is seen of
    these times is computed from the same laws.

    Parameters
    ----------
    n_samples : int, default=200
        Number of samples.
    n_covariates : int, default=4
        Covariates, standard normal and independent.
    n_informative : int, default=2
        Covariates that count, all as much, with alternating signs; they come first.
    law : str, default="lognormal"
        Law of the times, one of `TIME_LAWS`.
    information : float, default=0.5
        What covariates tell of the time if every event is waited for, per sample.
    units : {"bits", "nats"}, default="bits"
        Units of information.
    median : float, default=24
        Median time where the score of the covariates is 0.
    spread : float, default=0.8
        Scale of what covariates leave open in log-time; for Weibull times one over
        their shape.
    censored : float, default=0.3
        Expected share of samples whose follow-up ends before the event, below 0.95.
    censoring : str, default="uniform"
        How follow-up ends, one of `CENSORINGS`.
    random_state : int, Generator or None, default=0
        Seed.

    Returns
    -------
    SurvivalCohort
        Covariates, times, events and the true information.

    Raises
    ------
    UsageError
        If an argument cannot be.

    References
    ----------
    R. Bender, T. Augustin and M. Blettner (2005). Generating survival times to simulate
    Cox proportional hazards models. Statistics in Medicine 24.

    Examples
    --------
    >>> cohort = survival(300, information=0.6, censored=0.4)
    >>> round(cohort.truth.complete, 6), round(float(1 - cohort.event.mean()), 2)
    (0.6, 0.42)
    """
    chosen = TIME_LAWS.choose(law, parameter="law")
    ending = CENSORINGS.choose(censoring, parameter="censoring")
    nats = NATS_PER[check_one_of(units, "units", tuple(NATS_PER))]
    n = check_count(n_samples, "n_samples", most=MOST)
    p = check_count(n_covariates, "n_covariates", most=MOST)
    n_counting = check_count(n_informative, "n_informative", most=p)
    told = check_positive(information, "information") * nats
    middle, scale = check_positive(median, "median"), check_positive(spread, "spread")
    if scale > _WIDEST:
        problem = f"must be at most {_WIDEST:g}: times beyond cannot be written"
        raise UsageError(problem, parameter="spread")
    share = check_share(censored, "censored", most=_MOST_CENSORED)
    strength = _strength(chosen, told) * scale  # spread of the score
    coefficients = np.zeros(p)
    coefficients[:n_counting] = strength / math.sqrt(n_counting)
    coefficients[1:n_counting:2] *= -1
    world = _World(chosen, ending, strength / scale)
    reach = world.follow_up(scale, share)

    rng = as_generator(random_state)
    x = rng.normal(size=(n, p))
    left = chosen.quantile(_inside(rng.random(n)))
    log_time = x @ coefficients + scale * left
    log_end = reach + np.log(ending.quantile(_inside(rng.random(n))))
    event: BoolArray = log_time <= log_end
    seen, error = world.seen(scale, reach)
    return SurvivalCohort(
        X=x,
        time=middle * np.exp(np.minimum(log_time, log_end)),
        event=event,
        truth=SurvivalTruth(
            information=seen / nats,
            complete=told / nats,
            error=error / nats,
            n_points=_SCRAMBLINGS * 2**_POINTS,
            units=units,
            coefficients=coefficients,
        ),
        options=flat_options(
            {
                "n_samples": n,
                "n_covariates": p,
                "n_informative": n_counting,
                "law": chosen.name,
                "information": float(information),
                "units": units,
                "median": middle,
                "spread": scale,
                "censored": share,
                "censoring": ending.name,
            }
        ),
        seed=seed_number(random_state),
    )


def _inside(shares: FloatArray) -> FloatArray:
    """Keep shares off 0 and 1, whose quantiles are infinite."""
    kept: FloatArray = np.clip(shares, _EDGE, 1 - _EDGE)
    return kept


class _Marginal:
    """The law of standardised log-times of all samples together, on a grid."""

    def __init__(self, law: TimeLaw, ratio: float) -> None:
        score = np.linspace(-_REACH, _REACH, _NODES)
        weights = np.exp(-0.5 * score**2)
        weights /= weights.sum()
        ends = law.quantile(np.array([1e-16, 1 - 1e-15]))
        far = _REACH * ratio
        self.grid = np.linspace(ends[0] - far, ends[1] + far, _GRID)
        apart = self.grid[:, None] - ratio * score
        self.log_density = _log_mean(law.log_density(apart), weights)
        self.log_survival = _log_mean(law.log_survival(apart), weights)

    def entropy(self) -> float:
        """Return the differential entropy in nats."""
        density = np.exp(self.log_density)
        return -float(scipy.integrate.simpson(density * self.log_density, x=self.grid))


def _log_mean(logs: FloatArray, weights: FloatArray) -> FloatArray:
    found: FloatArray = scipy.special.logsumexp(logs, b=weights, axis=1)
    return found


def _strength(law: TimeLaw, nats: float) -> float:
    """Return the spread of the score, in units of the scale, that tells so much."""
    alone = _Marginal(law, 0.0).entropy()

    def excess(ratio: float) -> float:
        return _Marginal(law, ratio).entropy() - alone - nats

    most = excess(_STRONGEST) + nats
    if most < nats:
        problem = f"is more than is made of {law.title}: at most {most:.1f} nats"
        raise UsageError(problem, parameter="information")
    return float(scipy.optimize.brentq(excess, 0.0, _STRONGEST, xtol=1e-10))


@dataclass(frozen=True)
class _World:
    """Everything that can happen, in standardised log-time."""

    law: TimeLaw
    ending: Censoring
    ratio: float

    def _points(self, scrambling: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return scores, what they leave open, and shares of the follow-up."""
        points = scipy.stats.qmc.Sobol(3, seed=scrambling).random_base2(_POINTS)
        u, v, w = _inside(points).T
        return self.ratio * scipy.special.ndtri(u), self.law.quantile(v), w

    def follow_up(self, scale: float, share: float) -> float:
        """Return the log of the follow-up's scale, over the median, for a share."""
        if share == 0:
            return math.inf
        score, left, _ = self._points(0)
        log_time = scale * (score + left)

        def excess(log_reach: float) -> float:
            before = self.ending.share_before(np.exp(log_time - log_reach))
            return float(before.mean()) - share

        most = float(np.abs(log_time).max()) + 20
        return float(scipy.optimize.brentq(excess, -most, most))

    def seen(self, scale: float, log_reach: float) -> tuple[float, float]:
        """Return what covariates tell of what is seen, in nats, and its error."""
        whole = _Marginal(self.law, self.ratio)
        found = []
        for scrambling in range(_SCRAMBLINGS):
            score, left, ends = self._points(scrambling)
            with np.errstate(divide="ignore"):
                end = (log_reach + np.log(self.ending.quantile(ends))) / scale
            z = np.minimum(score + left, end)
            is_event = score + left <= end
            own = np.where(
                is_event,
                self.law.log_density(z - score),
                self.law.log_survival(z - score),
            )
            of_all = np.where(
                is_event,
                np.interp(z, whole.grid, whole.log_density),
                np.interp(z, whole.grid, whole.log_survival),
            )
            found.append(float((own - of_all).mean()))
        # Seven degrees of freedom: 3.5 standard errors hold 99 % of the time.
        error = 3.5 * float(np.std(found, ddof=1)) / math.sqrt(len(found))
        return float(np.mean(found)), error


def _next_command(cohort: SurvivalCohort, path: str) -> tuple[str, ...]:
    if path.lower().endswith(".npz"):
        return ()
    names = ",".join(numbered("x", cohort.X))
    return (
        "survival", path, "--time", "time", "--event", "event", "--covariates", names,
    )  # fmt: skip


SIMULATORS.add(
    Simulator(
        name="survival",
        title="times until an event",
        summary="times until an event, some censored, whose covariates tell a known "
        "amount",
        function=survival,
        choices={"law": TIME_LAWS, "units": tuple(NATS_PER), "censoring": CENSORINGS},
        sizes=("n_",),
        disturbances=("censor",),
        next_command=_next_command,
    )
)
