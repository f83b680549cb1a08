"""May the chains be trusted? R-hat, effective sample sizes, Monte Carlo error."""

from __future__ import annotations

import dataclasses

import numpy as np

from scorecast._core.rounding import told_apart
from scorecast._core.types import FloatArray, IntArray, Json

__all__ = [
    "Diagnostics",
    "diagnose",
    "diagnose_short_chains",
    "effective_size",
    "mcse_of",
    "rank_rhat",
    "rhat_of",
]

# Vehtari, Gelman, Simpson, Carpenter and Buerkner (2021) recommend these limits.
MOST_RHAT = 1.01
LEAST_ESS_PER_CHAIN = 100
# Of many short chains together: a Monte Carlo error of 7 % of the spread.
LEAST_ESS_OF_SHORT_CHAINS = 200
# The number of components moves slowly: worth a longer run, but no reason to withhold.
MOST_RHAT_COMPONENTS = 1.05


@dataclasses.dataclass(frozen=True)
class Diagnostics:
    """What the chains say about themselves.

    The mixture mean is what a result rests on, so it alone decides; the number of
    components moves slowly and hardly matters for the mean, so chains that disagree
    about it are run for longer, but are not refused. A mixture whose tails are so long
    that some draws have no mean is judged by its centre: the mean as if every scale
    were its own mean.

    Parameters
    ----------
    rhat, ess_bulk, ess_tail, mcse : float
        Of the mean of the mixture, or of its centre; the worst of its coordinates.
        R-hat is that of halves of chains.
    rhat_components, ess_components : float
        Of the number of components.
    n_chains, n_draws : int
        Size of the run, per chain without warm-up.
    reasons : tuple of str
        Why it failed, in words; empty if it passed.
    judged : {"mean", "centre"}
        What the figures are of.
    """

    rhat: float
    ess_bulk: float
    ess_tail: float
    mcse: float
    rhat_components: float
    ess_components: float
    n_chains: int
    n_draws: int
    reasons: tuple[str, ...] = ()
    judged: str = "mean"

    @property
    def passed(self) -> bool:
        """Whether nothing speaks against the chains."""
        return not self.reasons

    def to_dict(self) -> Json:
        """Return plain values."""
        return dataclasses.asdict(self) | {"reasons": list(self.reasons)}


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
    judged, traced = "mean", means
    if centres is not None and not np.isfinite(means).all():
        judged, traced = "centre", centres
    rows = [_figures(traced[:, :, i]) for i in range(traced.shape[2])]
    rhat = float(np.max([row[0] for row in rows]))
    bulk, tail = (float(np.min([row[i] for row in rows])) for i in (1, 2))
    mcse = float(np.max([row[3] for row in rows]))
    counts = _figures(n_components.astype(np.float64))
    reasons = _reasons(traced, rhat, bulk, tail)
    return Diagnostics(
        rhat,
        bulk,
        tail,
        mcse,
        counts[0],
        counts[1],
        n_chains,
        n_draws,
        reasons,
        judged,
    )


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
    reasons = []
    if not rhat <= MOST_RHAT:
        shown = told_apart(rhat, MOST_RHAT, 3)
        reasons.append(f"the chains disagree: R-hat {shown}, at most {MOST_RHAT}")
    if not min(bulk, tail) >= LEAST_ESS_OF_SHORT_CHAINS:
        shown = told_apart(min(bulk, tail), LEAST_ESS_OF_SHORT_CHAINS, 0)
        least = LEAST_ESS_OF_SHORT_CHAINS
        reasons.append(f"too few effective draws: {shown}, at least {least}")
    counts = n_components.astype(np.float64)
    return Diagnostics(
        rhat,
        bulk,
        tail,
        float(means.std() / np.sqrt(bulk)),
        _nested_rhat(counts, n_groups),
        _effective_of_chains(counts),
        means.shape[0],
        means.shape[1],
        tuple(reasons),
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


def _reasons(
    means: FloatArray, rhat: float, bulk: float, tail: float
) -> tuple[str, ...]:
    n_chains = len(means)
    least = LEAST_ESS_PER_CHAIN * n_chains
    found = []
    if not np.isfinite(means).all():
        found.append("a chain produced a mean that is not a number")
    elif (np.ptp(means, axis=1) == 0.0).any():
        found.append("a chain never moved")
    elif not rhat <= MOST_RHAT:
        # R-hat compares halves of chains, so that a single one can fail too.
        who = "the chains" if n_chains > 1 else "the halves of the chain"
        shown = told_apart(rhat, MOST_RHAT, 3)
        found.append(f"{who} disagree: R-hat {shown}, at most {MOST_RHAT}")
    if np.isfinite(bulk) and min(bulk, tail) < least:
        shown = told_apart(min(bulk, tail), least, 0)
        found.append(f"too few effective draws: {shown}, at least {least}")
    return tuple(found)
