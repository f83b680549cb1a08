"""How well a prior foretold the values: thermodynamic integration of the evidence.

The log evidence is the integral over beta from 0 to 1 of the mean log likelihood under
the posterior with the likelihood raised to beta. Chains run on a ladder of betas; the
likelihood is that of the values given their labels and scales, which belong to the
prior here, so every update of the sampler keeps its form.
"""

from __future__ import annotations

import dataclasses
import warnings
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import check_n_jobs
from scorecast._core.parallel import map_threads
from scorecast._core.progress import announced
from scorecast._core.rng import as_generator
from scorecast._core.types import FloatArray, Json, RandomState
from scorecast.exceptions import DataWarning, UsageError
from scorecast.mixtures.diagnostics import rhat_of
from scorecast.mixtures.observations import Observations
from scorecast.mixtures.prior import Prior
from scorecast.mixtures.sampler import check_given
from scorecast.mixtures.sampling import Sampling

if TYPE_CHECKING:
    from scorecast.mixtures.run import Run

__all__ = ["Evidence", "ladder", "log_evidence", "thermodynamic_integral"]

_BATCHES = 20  # of each chain
_CHAINS = 2  # per rung, from different starts, so that they can disagree
_MOST_RHAT = 1.05
_MOST_CORRECTION = 0.5  # nats: half of what makes a Bayes factor worth a word
_MANY_ERRORS = 3.0


@dataclasses.dataclass(frozen=True, eq=False)
class Evidence:
    """The log evidence of a prior and what it was computed from.

    Parameters
    ----------
    value : float
        Log evidence in nats: the corrected trapezoid rule.
    stderr : float
        Monte Carlo error of `value`; that of the rule itself is about `correction`
        or less.
    correction : float
        What the correction changed: a check on the ladder.
    betas, means, variances : array of shape (rungs,)
        The ladder, and mean and variance of the log likelihood at each rung.
    prior_name : str
        Whose evidence it is.
    rhats : array of shape (rungs,)
        R-hat of the log likelihood between the two chains of each rung.
    """

    value: float
    stderr: float
    correction: float
    betas: FloatArray
    means: FloatArray
    variances: FloatArray
    prior_name: str
    rhats: FloatArray

    def to_dict(self) -> Json:
        """Return plain values."""
        return {name: np.asarray(value).tolist() for name, value in vars(self).items()}


def ladder(n_rungs: int = 20, power: float = 5.0) -> FloatArray:
    """Return betas from 0 to 1, dense near 0 where the likelihood changes fastest.

    Parameters
    ----------
    n_rungs : int, default=20
        Number of steps.
    power : float, default=5
        ``(i / n_rungs) ** power``.

    Returns
    -------
    array of shape (n_rungs + 1,)
        The ladder.
    """
    return np.asarray((np.arange(n_rungs + 1) / n_rungs) ** power)


def thermodynamic_integral(
    betas: FloatArray, means: FloatArray, variances: FloatArray | None = None
) -> float:
    """Integrate mean log likelihoods over the ladder.

    Parameters
    ----------
    betas, means : array of shape (rungs,)
        Ladder and mean log likelihoods.
    variances : array of shape (rungs,), optional
        Variances of the log likelihood, which are the slope of the means; with them
        the trapezoid rule is corrected for curvature.

    Returns
    -------
    float
        The integral.
    """
    steps = np.diff(betas)
    total = float(steps @ (means[1:] + means[:-1])) / 2.0
    if variances is not None:
        total -= float(steps**2 @ np.diff(variances)) / 12.0
    return total


def log_evidence(
    values: ArrayLike | Observations,
    *,
    prior: Prior,
    betas: ArrayLike | None = None,
    sampling: Sampling | None = None,
    random_state: RandomState = None,
    n_jobs: int | None = None,
) -> Evidence:
    """Estimate the log evidence of a prior given values.

    Parameters
    ----------
    values : array of shape (n,) or (n, N), or Observations
        Finite values, or measurements of them with noise; of those the likelihood is
        that of the noise.
    prior : Prior
        The prior to be judged; differences between priors are log Bayes factors.
    betas : array-like, optional
        Ladder from 0 to 1; `ladder` by default.
    sampling : Sampling, optional
        Its `n_warmup`, `n_draws` and `n_jumps` hold for each of the two chains of
        every rung, which begin with the first two of its `starts`.
    random_state : int, Generator or None
        Source of randomness; one stream per chain.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    Evidence
        The log evidence with its error.

    Raises
    ------
    UsageError
        If the ladder does not climb from 0 to 1, or there are fewer than 20 draws.

    Warns
    -----
    DataWarning
        If the correction is large, so that the ladder needs more rungs, or if the
        chains of a rung disagree.
    """
    given = check_given(values, prior)
    check_n_jobs(n_jobs)
    sampling = Sampling() if sampling is None else sampling
    if sampling.n_draws < _BATCHES:
        msg = (
            f"`n_draws` must be at least {_BATCHES} for the error of the evidence; got "
            f"{sampling.n_draws}."
        )
        raise UsageError(msg)
    rungs = ladder() if betas is None else np.asarray(betas, dtype=np.float64)
    if rungs.size < 2 or rungs[0] != 0 or rungs[-1] != 1 or (np.diff(rungs) <= 0).any():
        msg = "The ladder must climb from 0 to 1."
        raise UsageError(msg)
    streams = as_generator(random_state).spawn(len(rungs))
    runs = [
        run
        for beta, stream in zip(rungs, streams, strict=True)
        for run in _start(given, prior, float(beta), sampling, stream)
    ]
    with announced("compiling the sampler (the first time only)"):
        runs[0].compile()
    total = runs[0].n_sweeps
    map_threads(lambda r: r.advance(total), runs, n_jobs=n_jobs, what="climbing")
    draws = np.array([run.record.given_cases[run.n_warmup :] for run in runs])
    found = _summarise(rungs, draws.reshape(rungs.size, _CHAINS, -1), prior.name)
    _warn_correction(found)
    _warn_disagreement(found)
    return found


def _start(
    given: FloatArray | Observations,
    prior: Prior,
    beta: float,
    sampling: Sampling,
    stream: np.random.Generator,
) -> list[Run]:
    """Start the chains of one rung; with noise it is the noise that is tempered."""
    # Compiled code is loaded only when it is used.
    from scorecast.mixtures.run import start_runs

    streams = [stream, *stream.spawn(_CHAINS - 1)]
    if isinstance(given, Observations):
        constants = prior.constants()
        return start_runs(given, constants, sampling, streams, noise_power=beta)
    return start_runs(given, prior.constants(beta), sampling, streams)


def _warn_correction(found: Evidence) -> None:
    """Warn where the rule itself may be off by more than chance, and by much."""
    off = abs(found.correction)
    if off <= max(_MOST_CORRECTION, _MANY_ERRORS * found.stderr):
        return
    msg = (
        f"The ladder is too coarse: its correction is {found.correction:.2f} nats, "
        f"and the evidence may be off by as much (the stated {found.stderr:.2f} is the "
        "error of the simulation only). Give more rungs: betas=ladder(40)."
    )
    warnings.warn(msg, DataWarning, stacklevel=3)


def _warn_disagreement(found: Evidence) -> None:
    """Warn where the chains of a rung did not come to agree."""
    failed = np.flatnonzero(~(found.rhats <= _MOST_RHAT))
    if not failed.size:
        return
    worst = failed[np.argmax(np.nan_to_num(found.rhats[failed], nan=np.inf))]
    msg = (
        f"The two chains disagree at {failed.size} of {found.betas.size} rungs of the "
        f"ladder (R-hat {found.rhats[worst]:.2f} at beta {found.betas[worst]:.3g}; at "
        f"most {_MOST_RHAT}), so the stated error is too small. Give a `sampling` with "
        "more draws."
    )
    warnings.warn(msg, DataWarning, stacklevel=3)


def _summarise(betas: FloatArray, draws: FloatArray, name: str) -> Evidence:
    """Integrate draws of shape (rungs, chains, draws)."""
    means, variances = draws.mean(axis=(1, 2)), draws.var(axis=(1, 2))
    plain = thermodynamic_integral(betas, means)
    value = thermodynamic_integral(betas, means, variances)
    usable = draws.shape[2] // _BATCHES * _BATCHES
    n_batches = draws.shape[1] * _BATCHES
    batches = draws[:, :, :usable].reshape(len(betas), n_batches, -1).mean(axis=2)
    errors = batches.std(axis=1, ddof=1) / np.sqrt(n_batches)
    steps = np.diff(betas, prepend=0.0, append=1.0)
    share = 0.5 * (steps[1:] + steps[:-1])  # of each rung in the trapezoid rule
    stderr = float(np.sqrt(np.sum((share * errors) ** 2)))
    rhats = np.array([rhat_of(rung) for rung in draws])
    return Evidence(value, stderr, value - plain, betas, means, variances, name, rhats)
