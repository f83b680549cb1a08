"""What J may be before any case: the prior, how wide it is, and which width fits."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from scorecast._core.progress import track
from scorecast._core.types import FloatArray
from scorecast.exceptions import DataWarning
from scorecast.information.posterior import for_the_eye, smoothed, spread_ties
from scorecast.mixtures import (
    Prior,
    Sampling,
    draw_prior_means,
    ladder,
    log_evidence,
)

SCALES = (0.5, 1.0, 2.0, 4.0, 8.0)
MANY_ERRORS = 2.0  # by which another width must be ahead of the paper's own
# Where the chains of a temperature disagree, the error is itself a guess: runs of other
# seeds then differ by as much.
_LEAST_UNSETTLED = 2.5
_MOST_CASES = 500  # that evidence is worked out from; its time grows with them
_SAMPLING = Sampling(n_warmup=400, n_draws=800)
# Near a power of one a mixture of few wide components turns into one of many narrow
# ones, at once: the usual ladder, whose last step is from .77 to 1, would miss where.
_BETAS = np.append(ladder(20)[:-1], [0.83, 0.88, 0.92, 0.95, 0.975, 0.99, 1.0])
_N_DRAWS = 4000
_N_SHOWN = 60
_GRID = 121
_REACH = (0.01, 0.99)


@dataclass(frozen=True, kw_only=True)
class PriorCandidate:
    """A width of the prior, and how well it foretold the cases.

    Attributes
    ----------
    scale : float
        Times as wide as that of the paper.
    log_evidence, stderr : float
        In nats, with its error; where chains disagree no less than 2.5.
    is_settled : bool
        Whether the chains of all temperatures agree.
    """

    scale: float
    log_evidence: float
    stderr: float
    is_settled: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class PriorOfJ:
    """What J may be before any case.

    Attributes
    ----------
    scale : float or None
        Times as wide as that of the paper; None for another kind of prior.
    low, high : float
        Central interval at the level that was asked for.
    x, density : ndarray of float64
        A curve for drawing.
    draws : ndarray of float64
        Some draws.
    candidates : tuple of PriorCandidate
        Widths among which evidence chose, the best first; empty where it did not.
    """

    scale: float | None
    low: float
    high: float
    x: FloatArray
    density: FloatArray
    draws: FloatArray
    candidates: tuple[PriorCandidate, ...] = field(default=())

    @property
    def lead(self) -> tuple[PriorCandidate, float, float] | None:
        """The best other width than the paper's, its lead over that, and the error.

        In nats; None where evidence was not asked.
        """
        if not self.candidates:
            return None
        return lead_of(self.candidates)


def lead_of(
    candidates: Iterable[PriorCandidate],
) -> tuple[PriorCandidate, float, float]:
    """Return the best of other widths, its lead over the paper's, and the error."""
    every = list(candidates)
    own = next(one for one in every if one.scale == 1)
    best = max(
        (one for one in every if one.scale != 1), key=lambda one: one.log_evidence
    )
    error = math.hypot(own.stderr, best.stderr)
    return best, best.log_evidence - own.log_evidence, error


def prior_by_evidence(
    j: FloatArray, rng: np.random.Generator, n_jobs: int | None
) -> tuple[Prior, tuple[PriorCandidate, ...]]:
    """Choose how wide the prior is by how well it foretells the cases.

    Parameters
    ----------
    j : ndarray of shape (n,)
        Finite values of j, in nats; of many a random choice is used.
    rng : numpy.random.Generator
        Chooses cases; parent of one stream per width.
    n_jobs : int or None
        Threads.

    Returns
    -------
    tuple of Prior and tuple of PriorCandidate
        The prior of the paper, unless another width is ahead of it by more than two
        errors; and all widths, the best first.
    """
    if j.size > _MOST_CASES:
        j = rng.choice(j, _MOST_CASES, replace=False)
    values = spread_ties(np.sort(j))
    found = []
    tasks = list(zip(SCALES, rng.spawn(len(SCALES)), strict=True))
    for scale, stream in track(tasks, what="evidence of prior"):
        with warnings.catch_warnings():
            # Said with the answer: `is_settled`.
            warnings.simplefilter("ignore", DataWarning)
            one = log_evidence(
                values,
                prior=scaled_prior(scale),
                betas=_BETAS,
                sampling=_SAMPLING,
                random_state=stream,
                n_jobs=n_jobs,
            )
        agrees = not (one.is_rule_rough or one.disagreeing.size)
        found.append(
            PriorCandidate(
                scale=scale,
                log_evidence=float(one.value),
                stderr=max(float(one.stderr), 0.0 if agrees else _LEAST_UNSETTLED),
                is_settled=agrees,
            )
        )
    best, lead, error = lead_of(found)
    scale = best.scale if lead > MANY_ERRORS * error else 1.0
    ordered = sorted(found, key=lambda one: -one.log_evidence)
    return scaled_prior(scale), tuple(ordered)


def scaled_prior(scale: float) -> Prior:
    """Return the prior of the paper, so many times as wide."""
    printed = Prior.information()
    return printed if scale == 1 else printed.scaled(scale)


def prior_of_j(
    prior: Prior,
    level: float,
    unit: float,
    rng: np.random.Generator,
    candidates: tuple[PriorCandidate, ...] = (),
) -> PriorOfJ:
    """Draw J before any case.

    Parameters
    ----------
    prior : Prior
        The prior of the distribution of j.
    level : float
        Level of the interval.
    unit : float
        Nats in a unit.
    rng : numpy.random.Generator
        Source of randomness.
    candidates : tuple of PriorCandidate
        Widths among which evidence chose.

    Returns
    -------
    PriorOfJ
        Interval, curve and some draws, in units.
    """
    drawn = draw_prior_means(prior, _N_DRAWS, rng) / unit
    ordered = np.sort(drawn)
    low, high = np.quantile(ordered, [0.5 - level / 2, 0.5 + level / 2])
    first, last = np.quantile(ordered, _REACH)
    x = np.linspace(first, last, _GRID)
    return PriorOfJ(
        scale=_scale_of(prior),
        low=float(low),
        high=float(high),
        x=for_the_eye(x),
        density=for_the_eye(smoothed(ordered, x)),
        draws=for_the_eye(drawn[:_N_SHOWN]),
        candidates=candidates,
    )


def _scale_of(prior: Prior) -> float | None:
    """Return how many times as wide as that of the paper a prior is, if it is one."""
    scale = 1 / math.sqrt(float(prior.centre_precision[0, 0]))
    other = scaled_prior(scale).to_dict()
    own = prior.to_dict()
    is_same = all(
        own[name] == value if isinstance(value, str) else np.allclose(own[name], value)
        for name, value in other.items()
        if name != "name" and np.shape(own[name]) == np.shape(value)
    )
    return round(scale, 12) if is_same else None
