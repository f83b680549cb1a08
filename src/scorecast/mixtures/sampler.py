"""Draw from the posterior over mixtures: several chains, watched, resumable."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import check_n_jobs
from scorecast._core.parallel import map_threads
from scorecast._core.progress import announced, revise, stages, track
from scorecast._core.rng import as_generator
from scorecast._core.types import FloatArray, RandomState
from scorecast.exceptions import InvalidInputError
from scorecast.mixtures.observations import Observations
from scorecast.mixtures.posterior import MixturePosterior
from scorecast.mixtures.prior import Prior
from scorecast.mixtures.sampling import Sampling

if TYPE_CHECKING:
    from scorecast.mixtures.checkpoint import Checkpoint
    from scorecast.mixtures.run import Run

__all__ = ["check_given", "check_values", "sample_posterior"]

_GREATEST = 1e100  # whose square, over any sensible variance, is still a number
_ROUNDS = 40  # steps of the progress line, and places to stop, per stage
_MOST_SWEEPS = 1_000_000  # of a chain, which are noted one by one
# Parts of a run: what was planned, going on once, and as often as it takes.
_PLANNED, _FURTHER, _AFTER = "sampling", "sampling on, until the chains agree", "after"


def sample_posterior(
    values: ArrayLike | Observations,
    *,
    prior: Prior,
    sampling: Sampling | None = None,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> MixturePosterior:
    """Sample the posterior over mixtures given values.

    Parameters
    ----------
    values : array of shape (n,) or (n, N), or Observations
        Finite values, at least one; or measurements of them with noise, of which some
        may be missing or censored.
    prior : Prior
        The prior; its number of dimensions must be that of the values.
    sampling : Sampling, optional
        How long and how.
    random_state : int, Generator or None
        Source of randomness. One stream per chain, so that the draws are the same for
        any `n_jobs`.
    n_jobs : int, optional
        Threads; None and -1 mean every core.
    checkpoint : path, optional
        Where the state is saved when the run is interrupted, and now and then before.
        If the file exists, the run goes on from it, with the same draws as without
        the interruption; a file of another run is refused.

    Returns
    -------
    MixturePosterior
        The draws. Whether they may be trusted is in ``.diagnostics``.

    Examples
    --------
    >>> import numpy as np
    >>> from scorecast.mixtures import Prior, Sampling, sample_posterior
    >>> values = np.random.default_rng(0).normal(0.1, 0.2, size=50)
    >>> short = Sampling(n_chains=2, n_warmup=100, n_draws=100, n_extensions=0)
    >>> found = sample_posterior(
    ...     values, prior=Prior.information(), sampling=short, random_state=0
    ... )
    >>> found.means.shape
    (2, 100, 1)
    """
    # Compiled code is loaded only when it is used.
    from scorecast.mixtures.checkpoint import Checkpoint
    from scorecast.mixtures.run import start_runs

    given = check_given(values, prior)
    check_n_jobs(n_jobs)
    sampling = Sampling() if sampling is None else sampling
    streams = as_generator(random_state).spawn(sampling.n_chains)
    with announced("compiling the sampler (the first time only)"):
        runs = start_runs(given, prior.constants(), sampling, streams)
        runs[0].compile()
    store = Checkpoint(checkpoint, given, prior, sampling, streams)
    stage = store.load(runs)
    with stages({_PLANNED: 1.0, _FURTHER: _expected(sampling), _AFTER: 0.0}):
        _run_stage(runs, stage, n_jobs, store)
        posterior = _collect(runs, prior, given)
        budget = _Budget(sampling, runs[0], stage)
        # Chains are judged after so many sweeps, wherever the clock stands: it decides
        # only whether they get there. So what passes is the same on every machine.
        while _may_improve(posterior) and budget.allows_more():
            for run in runs:
                run.extend()
            budget.stage += 1
            revise({_AFTER: budget.expected})
            if not _run_stage(runs, budget.stage, n_jobs, store, budget):
                break
            posterior = _collect(runs, prior, given)
    return posterior


def _expected(sampling: Sampling) -> float | None:
    """Return how long chains will go on, beside what is planned, as far as one knows.

    Those that may go on once, for half as long, mostly do; those that may go on as
    long as there is time mostly need not; how often others do, their callers weigh.
    """
    if sampling.n_extensions is None:
        return 0.2
    return {0: 0.0, 1: 0.4}.get(sampling.n_extensions)


def _may_improve(posterior: MixturePosterior) -> bool:
    """Whether chains fall short, and are not lost to what is no number."""
    return not posterior.diagnostics.passed and bool(
        np.isfinite(posterior.centres).all()
    )


class _Budget:
    """How long chains may go on for beyond what was planned."""

    def __init__(self, sampling: Sampling, run: Run, stage: int) -> None:
        self.seconds = sampling.max_seconds
        most = sampling.n_extensions
        self.most_stages = math.inf if most is None else most
        self.run, self.stage = run, stage
        self.first, self.start = run.done, time.monotonic()

    @property
    def left(self) -> float:
        return self.seconds - (time.monotonic() - self.start)

    @property
    def expected(self) -> float | None:
        """How much will follow this stage: nothing, or nobody knows."""
        return 0.0 if self.stage >= self.most_stages else None

    def allows_more(self) -> bool:
        """Whether one stage more may begin, and would end in time as those before."""
        then = self.run.n_sweeps + self.run.next_sweeps
        if self.stage >= self.most_stages or self.left <= 0 or then > _MOST_SWEEPS:
            return False
        done = self.run.done - self.first
        if not done:
            return True
        return self.run.next_sweeps * (self.seconds - self.left) / done <= self.left


def check_given(
    values: ArrayLike | Observations, prior: Prior
) -> FloatArray | Observations:
    """Return values or observations, of as many coordinates as the prior has.

    Equal measurements are welcome where there is noise: true values differ.

    Parameters
    ----------
    values : array-like or Observations
        What the caller gave.
    prior : Prior
        The prior.

    Returns
    -------
    array of shape (n, N) or Observations
        Checked.

    Raises
    ------
    InvalidInputError
        If the numbers of coordinates differ, or values are beyond 1e100.
    """
    if not isinstance(values, Observations):
        return check_values(values, prior)
    if values.n_dims != prior.n_dims:
        msg = f"The prior has {prior.n_dims} coordinates, values have {values.n_dims}."
        raise InvalidInputError(msg)
    _check_range(values.values)
    return values


def check_values(values: ArrayLike, prior: Prior) -> FloatArray:
    """Return values of shape (n, N), or say what is wrong with them.

    Parameters
    ----------
    values : array-like
        What the caller gave.
    prior : Prior
        The prior.

    Returns
    -------
    array of shape (n, N)
        Finite values.

    Raises
    ------
    InvalidInputError
        If there are none, of another shape, not finite, beyond 1e100, or too many of
        them equal.
    """
    n_dims = prior.n_dims
    given = np.asarray(values, dtype=np.float64)
    if given.ndim == 1 and n_dims == 1:
        given = given[:, None]
    if given.ndim != 2 or given.shape[1] != n_dims or len(given) == 0:
        msg = f"values must have shape (n, {n_dims}) with n >= 1; got {given.shape}."
        raise InvalidInputError(msg)
    if not np.isfinite(given).all():
        first = np.flatnonzero(~np.isfinite(given).all(axis=1))[0]
        msg = f"values must be finite; row {first + 1} holds {given[first]}."
        raise InvalidInputError(msg)
    _check_range(given)
    _check_ties(given, prior)
    return np.ascontiguousarray(given)


def _check_range(values: FloatArray) -> None:
    far = np.flatnonzero((np.abs(values) > _GREATEST).any(axis=1))
    if far.size:
        msg = (
            f"values must lie between -{_GREATEST:g} and {_GREATEST:g}; row "
            f"{far[0] + 1} holds {values[far[0]]}; use another unit."
        )
        raise InvalidInputError(msg)


def _check_ties(values: FloatArray, prior: Prior) -> None:
    """Refuse so many equal values that the posterior does not exist.

    A component on k equal values gains like det(S)^(k/2) as its precision S grows, and
    the prior of the typical covariance takes back det(S)^-m_RS only.
    """
    most = int(np.unique(values, axis=0, return_counts=True)[1].max())
    if most >= 2.0 * prior.scale_shape:
        msg = (
            f"{most} values are exactly equal: a density that may narrow without end "
            "has no posterior; spread them by the resolution they were measured with."
        )
        raise InvalidInputError(msg)


def _run_stage(
    runs: Sequence[Run],
    stage: int,
    n_jobs: int | None,
    store: Checkpoint,
    budget: _Budget | None = None,
) -> bool:
    """Take all chains to the end of the stage, round by round; say if they got there.

    A stage that was begun is cut off only where its budget is spent.
    """
    first, last = runs[0].done, runs[0].n_sweeps
    goals = np.unique(np.linspace(first, last, _ROUNDS + 1).astype(int)[1:])
    goals = goals[goals > first]
    words = _PLANNED if stage == 0 else _FURTHER
    try:
        for goal in track(goals, total=len(goals), what=words):
            map_threads(_until(int(goal)), runs, n_jobs=n_jobs, what=None)
            store.note(runs, stage)
            if budget is not None and budget.left <= 0 and goal < last:
                return False
    finally:
        store.save()
    return True


def _until(goal: int) -> Callable[[Run], None]:
    def advance(run: Run) -> None:
        run.advance(goal)

    return advance


def _collect(
    runs: Sequence[Run], prior: Prior, values: FloatArray | Observations
) -> MixturePosterior:
    n_warmup = runs[0].n_warmup
    records = [run.record for run in runs]
    return MixturePosterior(
        means=np.array([r.means[n_warmup:] for r in records]),
        centres=np.array([r.centres[n_warmup:] for r in records]),
        n_components=np.array([r.n_components[n_warmup:] for r in records]),
        log_likelihood=np.array([r.log_likelihood[n_warmup:] for r in records]),
        n_components_warmup=np.array([r.n_components[:n_warmup] for r in records]),
        kept=tuple(one for run in runs for one in run.kept),
        prior=prior,
        n_cases=len(values),
        n_discarded=n_warmup,
    )
