"""The error that no rule can go below, computed or bounded."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv, ndtr, softmax

from scorecast._core.types import FloatArray, IntArray
from scorecast.exceptions import InsufficientDataError
from scorecast.synthetic.case_population import CasePopulation

__all__ = ["BayesError", "bayes_error"]

_Z = 1.959964
_UPPER = 0.975


@dataclass(frozen=True, kw_only=True)
class BayesError:
    """Error of the best possible rule, for classes as frequent as asked.

    Attributes
    ----------
    value : float
        The error; NaN where only bounds are known.
    low, high : float
        95 % interval of a Monte Carlo value, or bounds; equal to `value` if exact.
    method : str
        ``"exact"``, ``"monte-carlo"`` or ``"bounds"``.
    note : str
        What it rests on.
    """

    value: float
    low: float
    high: float
    method: str
    note: str

    def said(self) -> str:
        """Write it in a few words."""
        if self.method == "exact":
            return f"{_share(self.value)} (exact)"
        span = f"{_share(self.low)} to {_share(self.high)}"
        if self.method == "bounds":
            return f"between {_share(self.low)} and {_share(self.high)}"
        return f"{_share(self.value)} (95 %: {span})"


def bayes_error(
    population: CasePopulation,
    *,
    rng: np.random.Generator,
    n_draws: int,
    planted: Callable[[FloatArray, np.random.Generator], None] | None = None,
    batch: int | None = None,
) -> BayesError:
    """Compute or bound the Bayes error of a population.

    Parameters
    ----------
    population : CasePopulation
        What cases are drawn from.
    rng : numpy.random.Generator
        Source of Monte Carlo cases.
    n_draws : int
        Monte Carlo cases.
    planted : callable, optional
        Overwrites some values of drawn cases in place, whatever their class.
    batch : int, optional
        Cases among which it plants.

    Returns
    -------
    BayesError
        Exact for single normal components of equal spread; Monte Carlo with the true
        densities where these are known; else between the error without what hides the
        classes and that of a rule for independent features.
    """
    if planted is None and _is_on_a_line(population):
        return _exact(population)
    if planted is None and population.has_exact_density:
        return _monte_carlo(population, rng, n_draws)
    for_clean, for_rule = rng.spawn(2)
    # Noise, tails and planted values are added without a look at the class, so they
    # can only hide it.
    clean = population if population.has_exact_density else population.undisturbed()
    low = 0.0
    if clean.has_exact_density and (clean is population or _only_hides(population)):
        low = bayes_error(clean, rng=for_clean, n_draws=n_draws).low
    high = _error_of_rule(population, for_rule, n_draws, planted, batch)
    guess = 1 - float(population.shares.max())
    return BayesError(
        value=float("nan"),
        low=min(low, guess),
        high=min(max(high, low), guess),
        method="bounds",
        note="from below by the error without noise, tails and planted values, from "
        "above by that of a rule for independent features (Monte Carlo, upper end)",
    )


def _only_hides(population: CasePopulation) -> bool:
    """Tell whether skewed values come from the others without a look at the class."""
    return population.skew.kind == "tail" or not population.skewed.any()


def _is_on_a_line(population: CasePopulation) -> bool:
    parts = [mixture[0] for mixture in population.mixtures]
    return (
        population.is_normal
        and all(len(mixture) == 1 for mixture in population.mixtures)
        and len({part.sd for part in parts}) == 1
    )


def _exact(population: CasePopulation) -> BayesError:
    """Integrate along the one direction in which equal normal classes differ."""
    parts = [mixture[0] for mixture in population.mixtures]
    strength = 0.0
    for start in range(0, population.m, population.block_size):
        block = population.informative[start : start + population.block_size]
        size = block.size
        if block.any() and population.is_correlated:
            strength += size / (1 + (size - 1) * population.rho)
        else:
            strength += float(block.sum())
    scale = np.sqrt(strength) / parts[0].sd
    centres = scale * np.array([part.mean for part in parts])
    value = line_error(centres, population.shares)
    return BayesError(
        value=value,
        low=value,
        high=value,
        method="exact",
        note="normal classes of equal spread, which differ along one direction",
    )


def line_error(centres: FloatArray, shares: FloatArray) -> float:
    """Return the Bayes error of normal classes of unit spread on a line.

    Parameters
    ----------
    centres, shares : ndarray of shape (c,)
        Means and prior chances.

    Returns
    -------
    float
        The error.
    """
    error = 0.0
    logs = np.log(shares)
    for i, centre in enumerate(centres):
        low, high = -np.inf, np.inf
        for j, other in enumerate(centres):
            gap = centre - other
            if gap == 0:
                wins = (logs[i], j) > (logs[j], i) if i != j else True
                low = low if wins else np.inf
                continue
            edge = (centre**2 - other**2) / 2 - (logs[i] - logs[j])
            low, high = (
                (max(low, edge / gap), high)
                if gap > 0
                else (low, min(high, edge / gap))
            )
        missed = ndtr(low - centre) + ndtr(centre - high) if low < high else 1.0
        error += float(shares[i] * missed)
    return error


def _monte_carlo(
    population: CasePopulation, rng: np.random.Generator, n_draws: int
) -> BayesError:
    """Average the chance of being wrong that the true posterior leaves."""
    X, _ = _cases(population, rng, n_draws)
    logs = population.log_densities(X) + np.log(population.shares)
    if not np.isfinite(logs.max(axis=1)).all():
        # A drawn case without a density anywhere: drawing and densities disagree.
        msg = "The Bayes error is not finite; leave it out with with_bayes_error=False."
        raise InsufficientDataError(msg)
    wrong = 1 - softmax(logs, axis=1).max(axis=1)
    value = float(wrong.mean())
    half = _Z * float(wrong.std(ddof=1)) / math.sqrt(n_draws)
    return BayesError(
        value=value,
        low=max(value - half, 0.0),
        high=min(value + half, 1.0),
        method="monte-carlo",
        note=f"true densities at {n_draws:,} fresh cases",
    )


def _error_of_rule(
    population: CasePopulation,
    rng: np.random.Generator,
    n_draws: int,
    planted: Callable[[FloatArray, np.random.Generator], None] | None,
    batch: int | None,
) -> float:
    n_wrong, n_tried = 0, 0
    while n_tried < n_draws:
        X, y = _cases(population, rng, batch or n_draws)
        if planted is not None:
            planted(X, rng)
        logs = population.log_densities(X) + np.log(population.shares)
        n_wrong += int((logs.argmax(axis=1) != y).sum())
        n_tried += y.size
    # The upper end of the exact interval of a share (Clopper and Pearson).
    most = betaincinv(n_wrong + 1, max(n_tried - n_wrong, 1e-9), _UPPER)
    return float(most)


def _cases(
    population: CasePopulation, rng: np.random.Generator, n_draws: int
) -> tuple[FloatArray, IntArray]:
    y = rng.choice(population.shares.size, size=n_draws, p=population.shares)
    return population.draw(y, rng), y


def _share(value: float) -> str:
    return f"{100 * value:.3g} %"
