"""Whether intervals of costs hold the truth as often as they say."""

import numpy as np
import pytest
from scipy.stats import binom

from scorecast.extrapolation import extrapolate

SHOWN, ASKED, REPEATS = 20, 400, 100
NOISES = {3: 0.4, 5: 0.6}  # by dimension: about three in four right of those shown
LEVEL, TOO_LOW = 0.9, 0.84
METHOD = "bayesian"  # what a mistake costs does not depend on it, and it is quick


def group_costs(centres):
    """Let mistakes within the halves of the space cost less than those across."""
    side = centres[:, 0] > 0
    return np.where(side[:, None] == side, 0.2, 1.0) * (1 - np.eye(side.size))


def rare_dear_costs(centres):
    """Let 2 % of mistakes, wherever they are, cost a hundred times the others."""
    n_classes = len(centres)
    rng = np.random.default_rng(centres[0].view(np.uint64))  # the same for the same
    is_dear = rng.random((n_classes, n_classes)) < 0.02
    return np.where(is_dear, 100.0, 1.0) * (1 - np.eye(n_classes))


COSTS = {
    "counted": lambda centres: 1 - np.eye(len(centres)),
    "graded": lambda centres: np.abs(np.subtract.outer(*2 * [centres[:, 0]])),
    "groups": group_costs,
    "rare": rare_dear_costs,
}


def task(n_classes, n_each, dimension, rng):
    centres = rng.normal(size=(n_classes, dimension))
    own = np.repeat(np.arange(n_classes), n_each)
    noise = NOISES[dimension] * rng.normal(size=(own.size, dimension))
    examples = centres[own] + noise
    return 2 * examples @ centres.T - (centres**2).sum(axis=1), own, centres


def true_risk(cost, dimension):
    risks = []
    for rng in np.random.default_rng(5).spawn(40):
        scores, own, centres = task(ASKED, 1, dimension, rng)
        risks.append(cost(centres)[scores.argmax(axis=1), own].mean())
    return np.mean(risks)


def misses(cost):
    """Return by how much of its half-width each interval misses, below one if not."""
    found = []
    for dimension in NOISES:
        truth = true_risk(cost, dimension)
        for rng in np.random.default_rng([9, dimension]).spawn(REPEATS):
            scores, own, centres = task(SHOWN, 5, dimension, rng)
            p = extrapolate(
                scores,
                own,
                cost=cost(centres),
                to=ASKED,
                confidence_level=LEVEL,
                method=METHOD,
            ).predictions[0]
            side = p.high if truth > p.risk else p.low
            found.append((truth - p.risk) / (side - p.risk))
    return np.array(found)


@pytest.mark.statistical
@pytest.mark.parametrize("name", COSTS)
def test_intervals_hold_the_truth_and_much_narrower_ones_would_not(name):
    away = misses(COSTS[name])
    # A true coverage of TOO_LOW gets there once in twenty times.
    fewest = binom.ppf(0.95, away.size, TOO_LOW)
    assert (away <= 1).sum() > fewest
    assert (away <= 1 / 3).sum() <= fewest
