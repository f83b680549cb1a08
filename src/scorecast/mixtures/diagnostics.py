"""May the chains be trusted? R-hat, effective sample sizes, Monte Carlo error."""

from __future__ import annotations

import dataclasses
import warnings
from typing import Any

import numpy as np

from scorecast._core.rounding import told_apart
from scorecast._core.types import FloatArray, IntArray, Json
from scorecast.exceptions import MissingExtraError

__all__ = ["Diagnostics", "diagnose", "mcse_of", "rhat_of"]

# Vehtari, Gelman, Simpson, Carpenter and Buerkner (2021) recommend these limits.
MOST_RHAT = 1.01
LEAST_ESS_PER_CHAIN = 100
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


def _figures(draws: FloatArray) -> tuple[float, float, float, float]:
    """R-hat, bulk and tail ESS, and MCSE of the mean of draws (chains, draws)."""
    if not np.isfinite(draws).all() or (np.ptp(draws, axis=1) == 0.0).any():
        return np.nan, np.nan, np.nan, np.nan  # a stuck chain is not a perfect one
    stats = _array_stats()
    axes = {"chain_axis": 0, "draw_axis": 1}
    with warnings.catch_warnings():
        # Of chains that hardly move; the figures say so themselves.
        warnings.simplefilter("ignore", RuntimeWarning)
        return (
            _rhat(draws, stats, axes),
            float(stats.ess(draws, method="bulk", **axes)),
            float(stats.ess(draws, method="tail", prob=(0.05, 0.95), **axes)),
            float(stats.mcse(draws, method="mean", **axes)),
        )


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


def _rhat(draws: FloatArray, stats: Any, axes: dict[str, int]) -> float:
    """R-hat of half chains after ranking; those of a single chain have to be cut."""
    if len(draws) > 1:
        return float(stats.rhat(draws, **axes))
    half = draws.shape[1] // 2
    halves = draws[0, : 2 * half].reshape(2, half)
    away = np.abs(halves - np.median(halves))
    both = [stats.rhat(x, method="z_scale", **axes) for x in (halves, away)]
    return float(np.max(both))  # NaN where either is


def _array_stats() -> Any:
    try:
        import arviz_stats.base  # optional, and slow to load
    except ImportError as error:
        what = "Diagnosing simulated chains"
        raise MissingExtraError(what, "bayes") from error
    return vars(arviz_stats.base)["array_stats"]


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
