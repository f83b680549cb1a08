"""How likely one model is better, worse, or as good as makes no difference.

Chances of three statements about the difference (first less second): below the region
of practical equivalence, inside it, above it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import scipy  # its parts load when first used

from scorecast._core.registry import Method, Registry
from scorecast._core.result import SHARE
from scorecast._core.types import FloatArray, IntArray


@dataclass(frozen=True, kw_only=True)
class BayesianDefaults:
    """Numbers behind the posteriors.

    Attributes
    ----------
    prior_strength : float
        Weight, in data sets, of the prior guess of the signed-rank test that there is
        no difference (Benavoli et al. 2014).
    cell_strength : float
        Samples added to each of three kinds: Jeffreys' prior.
    n_draws : int
        Draws from a posterior; a chance of a half is known to 0.4 points.
    block : int
        Numbers drawn at a time, so that memory stays below 100 MB.
    """

    prior_strength: float = 0.5
    cell_strength: float = 0.5
    n_draws: int = 20_000
    block: int = 4_000_000


_DEFAULTS = BayesianDefaults()


@dataclass(frozen=True, kw_only=True)
class RopePosterior:
    """Chances around a region of practical equivalence.

    Attributes
    ----------
    first_lower : float
        That the first lies below the second by more than the region.
    equal : float
        That they are practically equal.
    first_higher : float
        That the first lies above by more than the region.
    """

    first_lower: float = field(metadata=SHARE)
    equal: float = field(metadata=SHARE)
    first_higher: float = field(metadata=SHARE)

    def turned(self) -> RopePosterior:
        """Return the same with the models in the other order."""
        return RopePosterior(
            first_lower=self.first_higher,
            equal=self.equal,
            first_higher=self.first_lower,
        )


@dataclass(frozen=True, kw_only=True)
class Posterior(Method):
    """A posterior of a difference.

    Attributes
    ----------
    evaluate : callable
        From differences, half the width of the region, the unit of every difference,
        samples tested per sample trained on, and a generator, to chances.
    is_drawn : bool
        Whether it draws: else the same numbers come out of any generator.
    """

    evaluate: Callable[
        [FloatArray, float, IntArray, float, np.random.Generator], RopePosterior
    ]
    is_drawn: bool = True


POSTERIORS: Registry[Posterior] = Registry()


def _around(lower: float, higher: float) -> RopePosterior:
    equal = max(1 - lower - higher, 0.0)
    return RopePosterior(first_lower=lower, equal=equal, first_higher=higher)


def _of_draws(drawn: FloatArray, rope: float) -> RopePosterior:
    return _around(float((drawn < -rope).mean()), float((drawn > rope).mean()))


def signed_rank_posterior(
    gaps: FloatArray,
    rope: float,
    *,
    rng: np.random.Generator,
    n_draws: int = _DEFAULTS.n_draws,
    prior_strength: float = _DEFAULTS.prior_strength,
) -> RopePosterior:
    """Return the Bayesian signed-rank test of Benavoli et al. (2014).

    A Dirichlet process says which distributions of differences are likely; of each, the
    statement that holds for the largest share of means of two differences wins, and
    statements that win alike share a draw.
    """
    values = np.concatenate([[0.0], gaps])
    strength = np.ones(values.size)
    strength[0] = prior_strength
    order = np.argsort(values)
    values, strength = values[order], strength[order]
    # Partners of every value for which the mean of both lies beyond the region.
    # A mean at its edge, but for rounding, lies inside: 0.01 is up to 0.01.
    edge = 1e-12 * (2 * rope + 2 * float(np.abs(values).max()))
    below = np.searchsorted(values, -2 * rope - values - edge, side="left")
    upto = np.searchsorted(values, 2 * rope - values + edge, side="right")
    won = np.zeros(3)
    step = max(_DEFAULTS.block // values.size, 1)
    for start in range(0, n_draws, step):
        size = (min(step, n_draws - start), values.size)
        weights = rng.standard_gamma(strength, size)
        weights /= weights.sum(axis=1, keepdims=True)
        reached = np.zeros((weights.shape[0], values.size + 1))
        np.cumsum(weights, axis=1, out=reached[:, 1:])
        lower = (weights * reached[:, below]).sum(axis=1)
        inside = (weights * reached[:, upto]).sum(axis=1) - lower
        shares = np.column_stack([lower, inside, 1 - lower - inside])
        best = shares >= shares.max(axis=1, keepdims=True) - 1e-12
        won += (best / best.sum(axis=1, keepdims=True)).sum(axis=0)
    lower, equal, higher = (won / n_draws).tolist()
    return RopePosterior(first_lower=lower, equal=equal, first_higher=higher)


SIGNED_RANK = POSTERIORS.add(
    Posterior(
        name="signed-rank",
        title="the Bayesian signed-rank test",
        summary="data sets: which of three statements holds for most of them",
        reference="A. Benavoli, G. Corani, F. Mangili, M. Zaffalon and F. Ruggeri "
        "(2014). A Bayesian Wilcoxon signed-rank test based on the Dirichlet process. "
        "International Conference on Machine Learning 31.",
        evaluate=lambda gaps, rope, _unit, _ratio, rng: signed_rank_posterior(
            gaps, rope, rng=rng
        ),
    )
)


def correlated_t(gaps: FloatArray, test_ratio: float, rope: float) -> RopePosterior:
    """Return the Bayesian correlated t-test of Corani and Benavoli (2015).

    With 0 samples tested per sample trained on, values are independent.
    """
    n, mean = gaps.size, float(gaps.mean())
    spread = 0.0 if np.ptp(gaps) == 0 else float(gaps.std(ddof=1))
    error = spread * math.sqrt(1 / n + test_ratio)
    if error == 0:
        return _around(float(mean < -rope), float(mean > rope))
    tail = scipy.special.stdtr
    lower = float(tail(n - 1, (-rope - mean) / error))
    return _around(lower, float(tail(n - 1, (mean - rope) / error)))


CORRELATED_T = POSTERIORS.add(
    Posterior(
        name="correlated-t",
        title="the Bayesian correlated t test",
        summary="means of splits that share training samples",
        reference="G. Corani and A. Benavoli (2015). A Bayesian approach for comparing "
        "cross-validated algorithms on multiple data sets. Machine Learning 100.",
        evaluate=lambda gaps, rope, _unit, ratio, _rng: correlated_t(gaps, ratio, rope),
        is_drawn=False,
    )
)


def share_posterior(
    only_first: int, only_second: int, n: int, rope: float, *, rng: np.random.Generator
) -> RopePosterior:
    """Return chances of the difference in the share of right samples.

    Samples are of three kinds: only the first is right, only the second, both or none.
    Their shares have a Dirichlet distribution, with half a sample of each kind added.
    """
    counts = np.array([only_first, only_second, n - only_first - only_second])
    drawn = rng.dirichlet(counts + _DEFAULTS.cell_strength, _DEFAULTS.n_draws)
    return _of_draws(drawn[:, 0] - drawn[:, 1], rope)


DIRICHLET = POSTERIORS.add(
    Posterior(
        name="dirichlet",
        title="a Dirichlet distribution of the samples that one model alone gets right",
        summary="right or wrong on the same samples",
        evaluate=lambda gaps, rope, _unit, _ratio, rng: share_posterior(
            int((gaps > 0).sum()), int((gaps < 0).sum()), gaps.size, rope, rng=rng
        ),
    )
)


def mean_posterior(
    gaps: FloatArray, unit: IntArray, rope: float, *, rng: np.random.Generator
) -> RopePosterior:
    """Return chances of a mean difference by the Bayesian bootstrap of Rubin (1981).

    A unit of several samples is weighted as a whole.
    """
    totals = np.bincount(unit, weights=gaps)
    sizes = np.bincount(unit).astype(np.float64)
    step = max(_DEFAULTS.block // totals.size, 1)
    means = []
    for start in range(0, _DEFAULTS.n_draws, step):
        size = (min(step, _DEFAULTS.n_draws - start), totals.size)
        weights = rng.standard_exponential(size)
        means.append(weights @ totals / (weights @ sizes))
    return _of_draws(np.concatenate(means), rope)


BAYESIAN_BOOTSTRAP = POSTERIORS.add(
    Posterior(
        name="bayesian-bootstrap",
        title="the Bayesian bootstrap of the mean",
        summary="means of samples, in groups too",
        reference="D. B. Rubin (1981). The Bayesian bootstrap. Annals of Statistics 9.",
        evaluate=lambda gaps, rope, unit, _ratio, rng: mean_posterior(
            gaps, unit, rope, rng=rng
        ),
    )
)

TUTORIAL = (
    "A. Benavoli, G. Corani, J. Demsar and M. Zaffalon (2017). Time for a change: a "
    "tutorial for comparing multiple classifiers through Bayesian analysis. Journal of "
    "Machine Learning Research 18."
)
