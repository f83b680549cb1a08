"""How well a prior foretold the values: thermodynamic integration of the evidence.

The log evidence is the integral over beta from 0 to 1 of the mean log likelihood under
the posterior with the likelihood raised to beta. Chains run on a ladder of betas; the
likelihood is that of the values given their labels and scales, which belong to the
prior here, so every update of the sampler keeps its form.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import check_n_jobs, warn
from scorecast._core.progress import announced
from scorecast._core.rng import as_generator
from scorecast._core.types import FloatArray, IntArray, RandomState
from scorecast.exceptions import DataWarning, UsageError
from scorecast.mixtures.diagnostics import mcse_of, rhat_of
from scorecast.mixtures.observations import Observations
from scorecast.mixtures.prior import Prior
from scorecast.mixtures.sampler import Sampling, check_given

if TYPE_CHECKING:
    from scorecast.mixtures.chain import Run

_BATCHES = 5  # of each chain: long enough to be nearly independent
_FEWEST_DRAWS = 20
_CHAINS = 2  # per rung, from different starts, so that they can disagree
_MOST_RHAT = 1.05
_LEAST_SHARE = 0.1  # nats that one standard deviation at a rung would change
_MOST_RULE_ERROR = 0.5  # nats: half of what makes a Bayes factor worth a word
_POWER = 5.0  # of the ladder; steps of beta^(1/5) are even
# A rule of order four gains 15 or 80 by steps two or three times smaller, once they are
# small; here they may not be.
_GAINS = ((2, 8.0), (3, 27.0))
_ROUNDS = 3  # of letting rungs run on
_JUMP_ERRORS = 2.0
_MOST_ADDED, _AT_ONCE = 8, 2  # rungs where the mean jumps
_MANY_ERRORS = 3.0


@dataclasses.dataclass(frozen=True, eq=False)
class LogEvidence:
    """The log evidence of a prior and what it was computed from.

    Parameters
    ----------
    value : float
        Log evidence in nats: the corrected trapezoid rule over beta^(1/5).
    stderr : float
        Error of `value`: that of the simulation, by effective draws, by batches or by
        how far the two chains of a rung are apart, and that of the rule.
    correction : float
        What the correction changed.
    betas, means, variances : array of shape (rungs,)
        The ladder, and mean and variance of the log likelihood at each rung.
    prior_name : str
        Whose evidence it is.
    rhats : array of shape (rungs,)
        R-hat of the log likelihood between the two chains of each rung.
    rule_error : float
        Error of the rule: an eighth of what every second rung alone would change, or
        a 27th of what every third would; or what jumps between two rungs leave open.
    """

    value: float
    stderr: float
    correction: float
    betas: FloatArray
    means: FloatArray
    variances: FloatArray
    prior_name: str
    rhats: FloatArray
    rule_error: float

    @property
    def is_rule_rough(self) -> bool:
        """Whether the rule itself may be off by more than chance, and by much."""
        chance = float(np.sqrt(max(self.stderr**2 - self.rule_error**2, 0.0)))
        return self.rule_error > max(_MOST_RULE_ERROR, _MANY_ERRORS * chance)

    @property
    def disagreeing(self) -> IntArray:
        """Rungs that matter at which the two chains did not come to agree."""
        matters = _shares(self.betas) * np.sqrt(self.variances) > _LEAST_SHARE
        return np.flatnonzero(matters & ~(self.rhats <= _MOST_RHAT))


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
    betas: FloatArray,
    means: FloatArray,
    variances: FloatArray | None = None,
    *,
    power: float = 1.0,
) -> float:
    """Integrate mean log likelihoods over the ladder.

    Parameters
    ----------
    betas, means : array of shape (rungs,)
        Ladder and mean log likelihoods.
    variances : array of shape (rungs,), optional
        Variances of the log likelihood, which are the slope of the means; with them
        the trapezoid rule is corrected for curvature.
    power : float, default=1
        The rule runs over ``betas ** (1 / power)``. On a ladder of the same power its
        steps are even there, and what is integrated is smooth.

    Returns
    -------
    float
        The integral.

    Examples
    --------
    >>> import numpy as np
    >>> betas = np.linspace(0.0, 1.0, 5)
    >>> round(thermodynamic_integral(betas, betas**2, 2 * betas), 6)
    0.333333
    """
    at = betas ** (1.0 / power)
    steps = np.diff(at)
    slope = power * at ** (power - 1.0)  # of beta
    heights = slope * means
    total = float(steps @ (heights[1:] + heights[:-1])) / 2.0
    if variances is not None:
        slopes = slope**2 * variances
        if power != 1.0:
            slopes += power * (power - 1.0) * at ** (power - 2.0) * means
        total -= float(steps**2 @ np.diff(slopes)) / 12.0
    return total


def log_evidence(
    values: ArrayLike | Observations,
    *,
    prior: Prior,
    betas: ArrayLike | None = None,
    n_added: int | None = None,
    sampling: Sampling | None = None,
    error: float | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> LogEvidence:
    r"""Estimate the log evidence of a prior given values.

    Thermodynamic integration: with the likelihood L raised to a power,

    .. math:: \log Z = \int_0^1 \mathrm{E}_\beta[\log L] \, d\beta,

    the mean being over the posterior under the likelihood raised to :math:`\beta`.

    Parameters
    ----------
    values : array of shape (n,) or (n, N), or Observations
        Finite values, or measurements of them with noise; of those the likelihood is
        that of the noise.
    prior : Prior
        The prior to be judged; differences between priors are log Bayes factors.
    betas : array-like, optional
        Ladder from 0 to 1; `ladder` by default.
    n_added : int, optional
        How many rungs may be added where the mean log likelihood jumps from one rung to
        the next by more than its variances explain: a mixture of few wide components
        may turn into one of many narrow ones all at once. By default 8, none where
        `betas` are given.
    sampling : Sampling, optional
        Its `n_warmup`, `n_draws` and `n_jumps` hold for each of the two chains of
        every rung, which begin with the first two of its `starts`.
    error : float, optional
        Nats. Rungs that add more to the error of the simulation than their share of
        this run on, each time twice as long and at most three times.
    random_state : int, Generator or None, default=0
        Source of randomness; one stream per chain.
    n_jobs : int, optional
        Threads.

    Returns
    -------
    LogEvidence
        The log evidence with its error.

    Raises
    ------
    UsageError
        If the ladder does not climb from 0 to 1, or there are fewer than 20 draws.

    Warns
    -----
    DataWarning
        If the rule errs by much, so that the ladder needs more rungs, or if the chains
        of a rung disagree.

    References
    ----------
    N. Friel and A. N. Pettitt (2008). Marginal likelihood estimation via power
    posteriors. Journal of the Royal Statistical Society B 70, 589-607.
    """
    # Compiled code is loaded only when it is used.
    from scorecast.mixtures.chain import advance_runs

    given = check_given(values, prior)
    check_n_jobs(n_jobs)
    sampling = Sampling() if sampling is None else sampling
    if sampling.n_draws < _FEWEST_DRAWS:
        problem = (
            f"must be at least {_FEWEST_DRAWS} for the error of the evidence; got "
            f"{sampling.n_draws}"
        )
        raise UsageError(problem, parameter="n_draws")
    rungs = ladder() if betas is None else np.asarray(betas, dtype=np.float64)
    if rungs.size < 2 or rungs[0] != 0 or rungs[-1] != 1 or (np.diff(rungs) <= 0).any():
        raise UsageError("the ladder must climb from 0 to 1", parameter="betas")
    if n_added is None:
        n_added = _MOST_ADDED if betas is None else 0
    rng = as_generator(random_state)
    streams = rng.spawn(len(rungs))
    runs = [
        _start(given, prior, float(beta), sampling, stream)
        for beta, stream in zip(rungs, streams, strict=True)
    ]
    with announced("compiling the sampler (the first time only)"):
        runs[0][0].compile()
    every = [run for rung in runs for run in rung]
    advance_runs(every, n_jobs=n_jobs, what="climbing")
    while n_added > 0:
        open_left = _left_open(rungs, [_drawn(rung) for rung in runs])
        worst = np.argsort(-open_left)[: min(_AT_ONCE, n_added)]
        worst = np.sort(worst[open_left[worst] > _MOST_RULE_ERROR])
        if not worst.size:
            break
        more = _between(rungs, worst)
        added = [
            _start(given, prior, float(beta), sampling, stream)
            for beta, stream in zip(more, rng.spawn(more.size), strict=True)
        ]
        every = [run for rung in added for run in rung]
        advance_runs(every, n_jobs=n_jobs, what="climbing")
        rungs = np.insert(rungs, worst + 1, more)
        for place, rung in zip(worst[::-1], added[::-1], strict=True):
            runs.insert(int(place) + 1, rung)
        n_added -= more.size
    if error is not None:
        _run_on(runs, rungs, error, n_jobs)
    found = _summarise(rungs, [_drawn(rung) for rung in runs], prior.name)
    _warn_of(found)
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
    from scorecast.mixtures.chain import start_runs

    streams = [stream, *stream.spawn(_CHAINS - 1)]
    if isinstance(given, Observations):
        constants = prior.constants()
        return start_runs(given, constants, sampling, streams, noise_power=beta)
    return start_runs(given, prior.constants(beta), sampling, streams)


def _rung_errors(draws: list[FloatArray]) -> FloatArray:
    """Errors of the means: the largest of three views of how slowly chains move.

    Draws of slow chains hang together over more than a short batch, which would then
    claim too small an error; effective draws and distance between chains see that.
    """
    errors = []
    for rung in draws:
        usable = rung.shape[1] // _BATCHES * _BATCHES
        batches = rung[:, :usable].reshape(len(rung) * _BATCHES, -1).mean(axis=1)
        within = batches.std(ddof=1) / np.sqrt(batches.size)
        apart = rung.mean(axis=1).std(ddof=1) / np.sqrt(len(rung))
        effective = mcse_of(rung)  # NaN where a chain never moved
        errors.append(np.nanmax([within, apart, effective]))
    return np.array(errors)


def _shares(betas: FloatArray) -> FloatArray:
    """Return the weight of every rung in the rule."""
    at = betas ** (1.0 / _POWER)
    steps = np.diff(at, prepend=0.0, append=1.0)
    return np.asarray(0.5 * (steps[1:] + steps[:-1]) * _POWER * at ** (_POWER - 1.0))


def _between(betas: FloatArray, places: IntArray) -> FloatArray:
    """Return what lies in the middle of some steps, on the scale of even steps."""
    at = betas ** (1.0 / _POWER)
    return np.asarray(((at[places] + at[places + 1]) / 2.0) ** _POWER)


def _left_open(betas: FloatArray, draws: list[FloatArray]) -> FloatArray:
    """Return what every step leaves open, in nats, if its mean jumps somewhere inside.

    Variances are the slope of the means: what these rise by beyond that, and beyond
    what chance explains, was seen by neither rung.
    """
    at = betas ** (1.0 / _POWER)
    means = np.array([rung.mean() for rung in draws])
    slopes = _POWER * at ** (_POWER - 1.0) * np.array([rung.var() for rung in draws])
    expected = np.diff(at) * (slopes[1:] + slopes[:-1]) / 2.0
    errors = _rung_errors(draws)
    chance = _JUMP_ERRORS * np.hypot(errors[1:], errors[:-1])
    jumps = np.maximum(np.diff(means) - expected - chance, 0.0)
    return np.asarray(jumps * np.diff(betas) / 2.0)


def _run_on(
    runs: list[list[Run]], betas: FloatArray, error: float, n_jobs: int | None
) -> None:
    """Let rungs run on, twice as long each time, while they err by too much."""
    from scorecast.mixtures.chain import advance_runs

    for _ in range(_ROUNDS):
        own = _shares(betas) * _rung_errors([_drawn(rung) for rung in runs])
        worst = np.flatnonzero(~(own <= error / np.sqrt(len(betas))))
        if not worst.size or np.sqrt(np.sum(own**2)) <= error:
            return
        again = [run for i in worst for run in runs[i]]
        for run in again:
            run.go_on()
        advance_runs(again, n_jobs=n_jobs, what="climbing on")


def _drawn(rung: list[Run]) -> FloatArray:
    """Return the log likelihoods of a rung, chain by chain."""
    return np.array([run.trace.given_cases[run.n_warmup :] for run in rung])


def _warn_of(found: LogEvidence) -> None:
    """Warn of what the result says, too: a rough rule, chains that disagree."""
    if found.is_rule_rough:
        problem = (
            f"Evidence of {found.prior_name!r}: the ladder is too coarse, and the "
            f"value may be off by {found.rule_error:.2f} nats for that alone. Give "
            f"more rungs: betas=ladder({2 * (found.betas.size - 1)})."
        )
        warn(DataWarning(problem))
    failed = found.disagreeing
    if not failed.size:
        return
    worst = failed[np.argmax(np.nan_to_num(found.rhats[failed], nan=np.inf))]
    problem = (
        f"Evidence of {found.prior_name!r}: the two chains disagree at {failed.size} "
        f"of {found.betas.size} rungs of the ladder (R-hat {found.rhats[worst]:.2f} at "
        f"beta {found.betas[worst]:.3g}; at most {_MOST_RHAT}). The error of "
        f"{found.stderr:.2f} nats allows for how far they are apart, but is itself a "
        "guess. Give a `sampling` with more draws."
    )
    warn(DataWarning(problem))


def _summarise(betas: FloatArray, draws: list[FloatArray], name: str) -> LogEvidence:
    """Integrate draws of shape (chains, draws), rung by rung."""
    means = np.array([rung.mean() for rung in draws])
    variances = np.array([rung.var() for rung in draws])
    value = thermodynamic_integral(betas, means, variances, power=_POWER)
    plain = thermodynamic_integral(betas, means, power=_POWER)
    rule_error = 0.0
    for every, gain in _GAINS:
        few = np.append(np.arange(0, betas.size - 1, every), betas.size - 1)
        given = betas[few], means[few], variances[few]
        coarse = thermodynamic_integral(*given, power=_POWER)
        rule_error = max(rule_error, abs(value - coarse) / gain)
    jumps = float(np.sqrt(np.sum(_left_open(betas, draws) ** 2)))
    rule_error = max(rule_error, jumps)
    chance = float(np.sqrt(np.sum((_shares(betas) * _rung_errors(draws)) ** 2)))
    stderr = float(np.hypot(chance, rule_error))
    rhats = np.array([rhat_of(rung) for rung in draws])
    return LogEvidence(
        value, stderr, value - plain, betas, means, variances, name, rhats, rule_error
    )
