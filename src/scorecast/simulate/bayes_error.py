"""The error that no rule can go below, computed or bounded."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import scipy  # its parts load when first used

from scorecast._core.types import FloatArray, IntArray
from scorecast.exceptions import InsufficientDataError
from scorecast.simulate.population import Population

_Z = 1.959964
_UPPER = 0.975

Planter = Callable[[FloatArray, np.random.Generator], object]


class BayesErrorKind(StrEnum):
    """How a Bayes error is known."""

    EXACT = "exact"
    MONTE_CARLO = "monte-carlo"
    BOUNDS = "bounds"


@dataclass(frozen=True, kw_only=True)
class BayesError:
    """Error of the best possible rule, for classes as frequent as asked.

    Attributes
    ----------
    value : float
        The error; NaN where only bounds are known.
    low, high : float
        95 % interval of a Monte Carlo value, or bounds; equal to `value` if exact.
    method : BayesErrorKind
        Exact, for normal classes of equal spread, which differ along one direction;
        Monte Carlo, from true densities at fresh samples; or bounds: from below the
        error without noise, tails and planted values, from above that of a rule for
        independent features (upper end of its interval).
    n_draws : int
        Fresh samples that were drawn; 0 if exact.
    """

    value: float
    low: float
    high: float
    method: BayesErrorKind
    n_draws: int


def bayes_error(
    population: Population,
    *,
    rng: np.random.Generator,
    n_draws: int,
    plant: Planter | None = None,
    batch: int | None = None,
) -> BayesError:
    """Compute or bound the Bayes error of a population.

    `plant` overwrites some values of `batch` drawn samples in place, whatever their
    class.
    """
    if plant is None and _is_on_a_line(population):
        return _exact(population)
    if plant is None and population.has_exact_density:
        return _monte_carlo(population, rng, n_draws)
    for_clean, for_rule = rng.spawn(2)
    # Noise, tails and planted values are added without a look at the class, so they
    # can only hide it.
    is_exact = population.has_exact_density
    clean = population if is_exact else population.undisturbed()
    only_hides = population.skew_only_hides or not population.is_skewed.any()
    low = 0.0
    if clean.has_exact_density and (is_exact or only_hides):
        low = bayes_error(clean, rng=for_clean, n_draws=n_draws).low
    high, n_tried = _error_of_rule(population, for_rule, n_draws, plant, batch)
    guess = 1 - float(population.shares.max())
    return BayesError(
        value=math.nan,
        low=min(low, guess),
        high=min(max(high, low), guess),
        method=BayesErrorKind.BOUNDS,
        n_draws=n_tried,
    )


def line_error(centres: FloatArray, shares: FloatArray) -> float:
    """Return the Bayes error of normal classes of unit spread on a line."""
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
            if gap > 0:
                low = max(low, edge / gap)
            else:
                high = min(high, edge / gap)
        missed = 1.0
        if low < high:
            missed = scipy.special.ndtr(low - centre) + scipy.special.ndtr(
                centre - high
            )
        error += float(shares[i] * missed)
    return error


def _is_on_a_line(population: Population) -> bool:
    return (
        population.is_normal
        and population.has_single_components
        and len({mixture[0].std for mixture in population.mixtures}) == 1
    )


def _exact(population: Population) -> BayesError:
    """Integrate along the one direction in which equal normal classes differ."""
    parts = [mixture[0] for mixture in population.mixtures]
    strength = 0.0
    starts = range(0, population.n_features, population.block_size)
    for number, start in enumerate(starts):
        block = population.is_informative[start : start + population.block_size]
        size = block.size
        is_tied = population.is_correlated and population.is_tied[number]
        if block.any() and is_tied:
            strength += size / (1 + (size - 1) * population.rho)
        else:
            strength += float(block.sum())
    scale = np.sqrt(strength) / parts[0].std
    centres = scale * np.array([part.mean for part in parts])
    value = line_error(centres, population.shares)
    return BayesError(
        value=value, low=value, high=value, method=BayesErrorKind.EXACT, n_draws=0
    )


def _monte_carlo(
    population: Population, rng: np.random.Generator, n_draws: int
) -> BayesError:
    """Average the chance of being wrong that the true posterior leaves."""
    X, _ = _samples(population, rng, n_draws)
    logs = population.log_densities(X) + np.log(population.shares)
    if not np.isfinite(logs.max(axis=1)).all():
        # A drawn sample without a density anywhere: drawing and densities disagree.
        raise InsufficientDataError(
            "the Bayes error is not finite", remedy="make the data without it"
        )
    wrong = 1 - scipy.special.softmax(logs, axis=1).max(axis=1)
    value = float(wrong.mean())
    half = _Z * float(wrong.std(ddof=1)) / math.sqrt(n_draws)
    return BayesError(
        value=value,
        low=max(value - half, 0.0),
        high=min(value + half, 1.0),
        method=BayesErrorKind.MONTE_CARLO,
        n_draws=n_draws,
    )


def _error_of_rule(
    population: Population,
    rng: np.random.Generator,
    n_draws: int,
    plant: Planter | None,
    batch: int | None,
) -> tuple[float, int]:
    """Bound the error of the rule for independent features from above."""
    n_wrong, n_tried = 0, 0
    while n_tried < n_draws:
        X, y = _samples(population, rng, batch or n_draws, plant)
        logs = population.log_densities(X) + np.log(population.shares)
        n_wrong += int((logs.argmax(axis=1) != y).sum())
        n_tried += y.size
    # The upper end of the exact interval of a share (Clopper and Pearson).
    most = scipy.special.betaincinv(n_wrong + 1, max(n_tried - n_wrong, 1e-9), _UPPER)
    return float(most), n_tried


def _samples(
    population: Population,
    rng: np.random.Generator,
    n_draws: int,
    plant: Planter | None = None,
) -> tuple[FloatArray, IntArray]:
    y = rng.choice(population.shares.size, size=n_draws, p=population.shares)
    if plant is None:
        return population.draw(y, rng), y
    return population.draw(y, rng, lambda X: plant(X, rng)), y
