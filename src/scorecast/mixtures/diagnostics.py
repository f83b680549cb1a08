"""May the chains be trusted? R-hat, effective sample sizes, Monte Carlo error."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from scorecast._core.rounding import told_apart
from scorecast._core.types import FloatArray, IntArray

# Vehtari, Gelman, Simpson, Carpenter and Buerkner (2021) recommend these limits.
MOST_RHAT = 1.01
LEAST_ESS_PER_CHAIN = 100
# Of many short chains together: a Monte Carlo error of 7 % of the spread.
LEAST_ESS_OF_SHORT_CHAINS = 200
# The number of components moves slowly: worth a longer run, but no reason to withhold.
MOST_RHAT_COMPONENTS = 1.05


class Check(StrEnum):
    """What chains may fail."""

    NOT_FINITE = "not-finite"
    STUCK = "stuck"
    RHAT = "rhat"
    ESS_BULK = "ess-bulk"
    ESS_TAIL = "ess-tail"


class Judged(StrEnum):
    """What the figures are of: the mean of the mixture, or its centre."""

    MEAN = "mean"
    CENTRE = "centre"


@dataclass(frozen=True, kw_only=True)
class Diagnostics:
    """What the chains say about themselves.

    The mixture mean is what a result rests on, so it alone decides; the number of
    components moves slowly and hardly matters for the mean, so chains that disagree
    about it are not refused. A mixture whose tails are so long that some draws have no
    mean is judged by its centre: the mean as if every scale were its own mean.

    Attributes
    ----------
    rhat, ess_bulk, ess_tail, mcse : float
        Of the mean of the mixture, or of its centre; the worst of its coordinates.
        R-hat is that of halves of chains, or of groups of short ones.
    rhat_components, ess_components : float
        Of the number of components.
    n_chains, n_draws : int
        Size of the run, per chain without warm-up.
    failed : tuple of Check
        What speaks against the chains; empty if nothing does.
    judged : Judged
        What the figures are of.
    most_rhat, least_ess : float
        Limits that R-hat and effective draws were held against.

    References
    ----------
    A. Vehtari, A. Gelman, D. Simpson, B. Carpenter and P.-C. Buerkner (2021).
    Rank-normalization, folding, and localization: an improved R-hat for assessing
    convergence of MCMC. Bayesian Analysis 16, 667-718.
    """

    rhat: float
    ess_bulk: float
    ess_tail: float
    mcse: float
    rhat_components: float
    ess_components: float
    n_chains: int
    n_draws: int
    failed: tuple[Check, ...] = ()
    judged: Judged = Judged.MEAN
    most_rhat: float = MOST_RHAT
    least_ess: float = float(LEAST_ESS_OF_SHORT_CHAINS)

    @property
    def passed(self) -> bool:
        """Whether nothing speaks against the chains."""
        return not self.failed

    @property
    def ess(self) -> float:
        """Effective draws, of the middle or the tails, whichever are fewer."""
        return min(self.ess_bulk, self.ess_tail)

    @property
    def reasons(self) -> tuple[str, ...]:
        """What speaks against the chains, in words, for errors and notes."""
        found = []
        if Check.NOT_FINITE in self.failed:
            found.append("a chain produced a mean that is not a number")
        if Check.STUCK in self.failed:
            found.append("a chain never moved")
        if Check.RHAT in self.failed:
            # R-hat compares halves of chains, so that a single one can fail too.
            who = "the chains" if self.n_chains > 1 else "the halves of the chain"
            rhat = told_apart(self.rhat, self.most_rhat, 3)
            found.append(f"{who} disagree: R-hat {rhat}, at most {self.most_rhat}")
        if {Check.ESS_BULK, Check.ESS_TAIL} & {*self.failed}:
            ess = told_apart(self.ess, self.least_ess, 0)
            least = f"{self.least_ess:g}"
            found.append(f"too few effective draws: {ess}, at least {least}")
        return tuple(found)


def diagnose(
    means: FloatArray, n_components: IntArray, centres: FloatArray | None = None
) -> Diagnostics:
    """Judge a run.

    Parameters
    ----------
    means : array of shape (chains, draws, N)
        Mean of the mixture.
    n_components : array of shape (chains, draws)
        Number of components.
    centres : array of shape (chains, draws, N), optional
        Centre of the mixture, judged instead where a draw has no mean.

    Returns
    -------
    Diagnostics
        Figures and verdict.
    """
    n_chains, n_draws = n_components.shape
    judged, traced = Judged.MEAN, means
    if centres is not None and not np.isfinite(means).all():
        judged, traced = Judged.CENTRE, centres
    rows = [_figures(traced[:, :, i]) for i in range(traced.shape[2])]
    rhat = float(np.max([row[0] for row in rows]))
    bulk, tail = (float(np.min([row[i] for row in rows])) for i in (1, 2))
    counts = _figures(n_components.astype(np.float64))
    least = LEAST_ESS_PER_CHAIN * n_chains
    return Diagnostics(
        rhat=rhat,
        ess_bulk=bulk,
        ess_tail=tail,
        mcse=float(np.max([row[3] for row in rows])),
        rhat_components=counts[0],
        ess_components=counts[1],
        n_chains=n_chains,
        n_draws=n_draws,
        failed=_failed(traced, rhat, bulk, tail, least),
        judged=judged,
        most_rhat=MOST_RHAT,
        least_ess=float(least),
    )


def _failed(
    means: FloatArray, rhat: float, bulk: float, tail: float, least: float
) -> tuple[Check, ...]:
    found = []
    if not np.isfinite(means).all():
        found.append(Check.NOT_FINITE)
    elif (np.ptp(means, axis=1) == 0.0).any():
        found.append(Check.STUCK)
    elif not rhat <= MOST_RHAT:
        found.append(Check.RHAT)
    # What is not known has been said: a chain is stuck, or no number.
    if bulk < least:
        found.append(Check.ESS_BULK)
    if tail < least:
        found.append(Check.ESS_TAIL)
    return tuple(found)


def diagnose_short_chains(
    means: FloatArray, n_components: IntArray, n_groups: int
) -> Diagnostics:
    """Judge many short chains in groups, each with a start of its own.

    Nested R-hat is sqrt(1 + B / W), with B the variance of the means of groups and W
    that of all draws within a group (Margossian et al. 2024). Effective draws follow
    from how far the means of chains, which share nothing, lie apart.

    Parameters
    ----------
    means : array of shape (chains, draws)
        Mean of the mixture; groups of chains one after the other.
    n_components : array of shape (chains, sweeps)
        Number of components.
    n_groups : int
        Groups of equally many chains.

    Returns
    -------
    Diagnostics
        Figures and verdict.
    """
    tails = [means <= np.quantile(means, level) for level in (0.05, 0.95)]
    bulk = _effective_of_chains(means)
    tail = min(_effective_of_chains(one.astype(np.float64)) for one in tails)
    rhat = _nested_rhat(means, n_groups)
    least = LEAST_ESS_OF_SHORT_CHAINS
    held = {
        Check.RHAT: rhat <= MOST_RHAT,
        Check.ESS_BULK: bulk >= least,
        Check.ESS_TAIL: tail >= least,
    }
    counts = n_components.astype(np.float64)
    return Diagnostics(
        rhat=rhat,
        ess_bulk=bulk,
        ess_tail=tail,
        mcse=float(means.std() / np.sqrt(bulk)),
        rhat_components=_nested_rhat(counts, n_groups),
        ess_components=_effective_of_chains(counts),
        n_chains=means.shape[0],
        n_draws=means.shape[1],
        failed=tuple(check for check, is_held in held.items() if not is_held),
        most_rhat=MOST_RHAT,
        least_ess=float(least),
    )


def _nested_rhat(draws: FloatArray, n_groups: int) -> float:
    groups = draws.reshape(n_groups, -1)
    within = float(groups.var(axis=1).mean())
    if not within > 0:
        return float("nan")
    return float(np.sqrt(1 + groups.mean(axis=1).var(ddof=1) / within))


def _effective_of_chains(draws: FloatArray) -> float:
    """Return effective draws by the variance of the means of independent chains."""
    error = float(draws.mean(axis=1).var(ddof=1)) / len(draws)
    return float(draws.var() / error) if error > 0 else float("nan")


def _figures(draws: FloatArray) -> tuple[float, float, float, float]:
    """R-hat, bulk and tail ESS, and MCSE of the mean of draws (chains, draws)."""
    if not np.isfinite(draws).all() or (np.ptp(draws, axis=1) == 0.0).any():
        return np.nan, np.nan, np.nan, np.nan  # a stuck chain is not a perfect one
    halves = _halves(draws)
    tails = [halves <= np.quantile(draws, level) for level in (0.05, 0.95)]
    effective = effective_size(halves)
    return (
        rank_rhat(halves),
        effective_size(_normal_scores(halves)),
        min(effective_size(tail.astype(np.float64)) for tail in tails),
        float(halves.std(ddof=1) / np.sqrt(effective)),
    )


def _halves(draws: FloatArray) -> FloatArray:
    """Cut chains into halves; a draw in the middle belongs to neither."""
    half = draws.shape[1] // 2
    return np.concatenate([draws[:, :half], draws[:, draws.shape[1] - half :]])


def _normal_scores(draws: FloatArray) -> FloatArray:
    """Replace draws by normal quantiles of their ranks (Blom's)."""
    from scipy.special import ndtri

    _, place, count = np.unique(draws, return_inverse=True, return_counts=True)
    rank = np.cumsum(count) - 0.5 * (count - 1)
    scores = ndtri((rank - 0.375) / (draws.size + 0.25))
    return np.asarray(scores[place].reshape(draws.shape))


def rank_rhat(draws: FloatArray) -> float:
    """Return the larger R-hat of ranks: of the draws, and of their distances.

    Parameters
    ----------
    draws : array of shape (chains, draws)
        Halves of chains.

    Returns
    -------
    float
        NaN where all draws of a chain are as far from the middle.
    """
    away = np.abs(draws - np.median(draws))
    both = []
    for values in map(_normal_scores, (draws, away)):
        n = values.shape[1]
        within = float(values.var(axis=1, ddof=1).mean())
        between = float(values.mean(axis=1).var(ddof=1))
        both.append(np.sqrt((n - 1) / n + between / within) if within else np.nan)
    return float(np.max(both))


def effective_size(draws: FloatArray) -> float:
    """Return how many independent draws say as much of the mean.

    Autocorrelations of all chains together, summed while pairs of neighbours stay
    positive and do not rise (Geyer 1992; Vehtari et al. 2021).

    Parameters
    ----------
    draws : array of shape (chains, draws)
        Halves of chains.

    Returns
    -------
    float
        At most n log10(n) of n draws; NaN where none of them moves.
    """
    n_chains, n = draws.shape
    centred = draws - draws.mean(axis=1, keepdims=True)
    size = 2 ** int(np.ceil(np.log2(2 * n)))
    power = np.abs(np.fft.rfft(centred, size, axis=1)) ** 2
    covariance = np.fft.irfft(power, size, axis=1)[:, :n].mean(axis=0) / n
    within = covariance[0] * n / (n - 1)
    total = covariance[0]
    if n_chains > 1:
        total = total + float(draws.mean(axis=1).var(ddof=1))
    if not total > 0:
        return float("nan")
    correlation = 1 - (within - covariance) / total
    correlation[0] = 1.0
    pairs = correlation[: n - n % 2].reshape(-1, 2).sum(axis=1)
    negative = np.flatnonzero(pairs < 0)
    last = int(negative[0]) if negative.size else pairs.size
    falling = np.minimum.accumulate(pairs[: max(last, 1)])
    time = -1 + 2 * float(falling.sum())
    if last < pairs.size:  # the draw after the last pair, if it counts at all
        time += max(float(correlation[2 * last]), 0.0)
    n_draws = n_chains * n
    return float(n_draws / max(time, 1 / np.log10(n_draws)))


def rhat_of(draws: FloatArray) -> float:
    """Return R-hat of a number.

    Parameters
    ----------
    draws : array of shape (chains, draws)
        The number along each chain.

    Returns
    -------
    float
        R-hat of ranks of half chains; NaN where a chain never moved.
    """
    return _figures(draws)[0]


def mcse_of(draws: FloatArray) -> float:
    """Return the Monte Carlo error of the mean of a number.

    Parameters
    ----------
    draws : array of shape (chains, draws)
        The number along each chain.

    Returns
    -------
    float
        By effective draws; NaN where a chain never moved.
    """
    return _figures(draws)[3]
