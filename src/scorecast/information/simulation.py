"""Ask the mixture sampler for the posterior of the cases' distribution."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from scorecast._core.types import FloatArray, IntArray, Json
from scorecast.exceptions import DataWarning, NotConvergedError
from scorecast.information.pareto_tails import pareto_means
from scorecast.information.ties import spread_ties
from scorecast.mixtures import (
    MixturePosterior,
    Prior,
    Sampling,
    can_sample,
    sample_posterior,
    sample_short_chains,
)

__all__ = [
    "Simulation",
    "check_converged",
    "describe_diagnostics",
    "sampling_of",
    "seeds_from",
]

_OTHER_DRAWS = 8000


@dataclass(frozen=True, kw_only=True, eq=False)
class Simulation:
    """How the posterior is simulated.

    Attributes
    ----------
    prior : Prior
        Prior of the distribution of j.
    sampling : Sampling or None
        Number and length of compiled chains; None for many short ones, which need no
        compiler, up to some thousand cases.
    tails : str
        ``"all"`` for other views of the tails as well, ``"mixture"`` for none.
    max_cases : int
        Most cases that are used.
    allow_unconverged : bool
        Whether an answer is given where the chains disagree.
    seeds : iterator of int
        One for every run.
    max_seconds : float
        How long one run may go on beyond what was planned while its chains disagree.
    n_jobs : int or None
        Number of workers.
    checkpoint : Path or None
        Where the first run keeps its state.
    """

    prior: Prior
    sampling: Sampling | None
    tails: str
    max_cases: int
    allow_unconverged: bool
    seeds: Iterator[int] = field(repr=False)
    n_jobs: int | None = None
    checkpoint: Path | None = None
    max_seconds: float = 60.0

    def apart(self) -> Simulation:
        """Return the same for a further run, which keeps no state."""
        return replace(self, checkpoint=None)

    def drawn(self, values: FloatArray) -> IntArray:
        """Choose the values to use: all, or of too many a random choice.

        Parameters
        ----------
        values : ndarray of float64
            Finite values; their order does not matter to which are chosen.

        Returns
        -------
        ndarray of int64
            Their places.
        """
        if values.size <= self.max_cases:
            return np.arange(values.size)
        rng = np.random.default_rng(next(self.seeds))
        chosen = rng.choice(values.size, self.max_cases, replace=False)
        return np.sort(np.argsort(values, kind="stable")[chosen])

    def run(self, values: FloatArray) -> MixturePosterior:
        """Simulate the distribution from which values of j come.

        Parameters
        ----------
        values : ndarray of float64
            Finite, in nats. Sorted before use, so that their order does not matter;
            ties are spread.

        Returns
        -------
        MixturePosterior
            Draws.
        """
        chosen = spread_ties(np.sort(values[self.drawn(values)]))
        seed = next(self.seeds)
        if self.sampling is None and can_sample(chosen.size, self.prior):
            return sample_short_chains(
                chosen,
                prior=self.prior,
                max_seconds=self.max_seconds,
                random_state=seed,
            )
        return sample_posterior(
            chosen,
            prior=self.prior,
            sampling=self.sampling or Sampling(max_seconds=self.max_seconds),
            random_state=seed,
            n_jobs=self.n_jobs,
            checkpoint=self.checkpoint,
        )

    def other_views(
        self, values: FloatArray, *, quick: bool = False
    ) -> dict[str, FloatArray]:
        """Draw J under other views of the tails; none where that was not asked for.

        Parameters
        ----------
        values : ndarray of float64
            Finite; all of them are used, in their units.
        quick : bool, default=False
            Whether nothing else is looked at. The plain view is then Student's t: a
            normal approximation of few cases is too sure, and no mixture beside it
            makes up for that.

        Returns
        -------
        dict of str to ndarray of float64
            Draws by view; quantiles for the plain one.
        """
        rng = np.random.default_rng(next(self.seeds))
        alone = self.tails == "mixture"
        if (alone and not quick) or np.ptp(values) == 0:
            return {}
        # Not before it is needed: it is slow to load.
        from scipy.special import ndtri, stdtrit

        error = float(values.std(ddof=1)) / np.sqrt(values.size)
        chance = (np.arange(_OTHER_DRAWS) + 0.5) / _OTHER_DRAWS
        away = stdtrit(values.size - 1, chance) if quick else ndtri(chance)
        plain = {"t" if quick else "normal": float(values.mean()) + error * away}
        if alone:
            return plain
        pareto = pareto_means(values, n_draws=_OTHER_DRAWS, rng=rng)
        return {"pareto": pareto} | plain

    def warn_subsample(self, n: int) -> str:
        """Warn where not all cases are used; return what was said, or nothing."""
        if n <= self.max_cases:
            return ""
        msg = (
            f"The posterior rests on {self.max_cases:,} of {n:,} cases, drawn at "
            "random. The plain mean and its normal interval rest on all, and may "
            "be the better figures. Raise `max_cases` to use more."
        )
        warnings.warn(msg, DataWarning, stacklevel=4)
        return msg


def seeds_from(rng: np.random.Generator) -> Iterator[int]:
    """Yield one seed per run, the same for the same generator."""
    while True:
        yield int(rng.integers(2**62))


def check_converged(found: MixturePosterior, simulation: Simulation) -> str:
    """Withhold an answer from chains that disagree.

    Parameters
    ----------
    found : MixturePosterior
        Draws.
    simulation : Simulation
        Says whether to go on all the same.

    Returns
    -------
    str
        What is wrong; empty if nothing is.

    Raises
    ------
    NotConvergedError
        If something is, and the caller did not allow it.
    """
    if found.diagnostics.passed:
        return ""
    reasons = "; ".join(found.diagnostics.reasons)
    if not simulation.allow_unconverged:
        msg = (
            f"The simulation of the posterior of J did not converge ({reasons}), so "
            "its answer is withheld. Give it more time: max_seconds="
            f"{4 * max(simulation.max_seconds, 15):g}, or see it all the same: "
            "allow_unconverged=True."
        )
        raise NotConvergedError(msg, reasons)
    return (
        f"The simulation of the posterior of J did not converge ({reasons}): do not "
        "rely on it."
    )


def describe_diagnostics(found: MixturePosterior, unit: float) -> Json:
    """Return the diagnostics as plain values.

    Parameters
    ----------
    found : MixturePosterior
        Draws.
    unit : float
        Nats per unit of the answer.

    Returns
    -------
    dict
        With ``rhat``, ``ess`` and ``passed`` among them.
    """
    checks: Any = found.diagnostics
    said: Json = dict(checks.to_dict())
    return {
        "rhat": checks.rhat,
        "ess": min(checks.ess_bulk, checks.ess_tail),
        **said,
        "mcse": checks.mcse / unit,
        "passed": checks.passed,
        "reasons": list(checks.reasons),
    }


def sampling_of(sampling: Sampling | None) -> Json | None:
    """Return number and length of chains as plain values; None for short chains."""
    return None if sampling is None else dict(asdict(sampling))
