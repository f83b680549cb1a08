"""Many short chains at once: the posterior of a mixture of numbers, without a compiler.

The model and prior are those of `sample_posterior` in one dimension with scales of rate
m - 1 (tail kind 1). Chains advance together as arrays, (chains, components) for what
they know and (components of all chains, cases) for densities, so that NumPy does the
work and nothing is compiled.

With C components of weight w, location mu, skew nu, precision S and tail d = m - 1::

    C ~ geometric(growth), w ~ Dirichlet(concentration / C)
    x ~ N(mu + nu / sqrt(alpha), 1 / (alpha S)), alpha ~ Gamma(1 + d, rate d)
    mu ~ N(centre, 1 / S_mu), nu ~ N(0, skew_spread / S)
    S ~ Gamma(1 + d_S, rate d_S R_S)
    d ~ proGamma(tail_a, tail_b), d_S ~ proGamma(spread_a, spread_b)
    R_S ~ Gamma(scale_shape, scale_rate), centre ~ N(prior centre, 1 / centre_precision)
    S_mu ~ Gamma(location_shape, R_mu), R_mu ~ Gamma(rate_shape, rate_rate)

A sweep draws labels and scales of the cases and then every parameter given the rest
(Gibbs), after moves with labels and scales integrated out that change the number of
components (births and deaths, splits and merges, divisions into core and tail) or shift
one component along the ridge of its likelihood. Each leaves the posterior where it is;
tests look at each by itself.

Groups of chains start from numbers of components far apart (one or two up to fourteen),
so that agreement between groups is worth something: the nested R-hat of Margossian et
al., made for many short chains, decides when to stop.

References
----------
C. C. Margossian, M. D. Hoffman, P. Sountsov, L. Riou-Durand, A. Vehtari and A. Gelman
(2024). Nested R-hat: assessing the convergence of Markov chain Monte Carlo when running
many short chains. Bayesian Analysis 19, 1-28.

S. Richardson and P. J. Green (1997). On Bayesian analysis of mixtures with an unknown
number of components. Journal of the Royal Statistical Society B 59, 731-792.

C. J. F. ter Braak (2006). A Markov chain Monte Carlo version of the genetic algorithm
differential evolution. Statistics and Computing 16, 239-249.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, psi

from scorecast._core.parallel import one_blas_thread
from scorecast._core.progress import stage, stages, track
from scorecast._core.rng import as_generator
from scorecast._core.types import BoolArray, FloatArray, IntArray, RandomState
from scorecast.mixtures.distributions import (
    LOG_2PI,
    KeptMixture,
    log_densities,
    log_scale_integral,
    mean_root,
)
from scorecast.mixtures.posterior import MixturePosterior
from scorecast.mixtures.prior import Prior, sample_prior_means
from scorecast.mixtures.sampler import check_values

_TINY = 1e-300
_MOST_EXPONENT = 700.0
_CANCELLED = 1e-9  # share of a density left, below which a difference is summed anew
_MOST_COMPONENTS = 150  # .9^150 is 1e-7
_SPARE = 8  # columns beyond those in use
_STARTS = ((1, 2), (3, 4), (6, 8), (10, 14))  # components, by group of chains
_EACH = 4  # chains of a group
_PLANNED, _FURTHER = "sampling", "sampling on, until the chains agree"
_AFTER = "after"
_N_WARMUP = 40  # sweeps
_N_BLOCK = 60  # sweeps after which the chains are judged
# Splits, births and divisions of a sweep where chains have disagreed: a division costs
# twice as much as a split, and is what chains lack that hold on to one long tail.
_HARDER = (2, 1, 6)
_N_MEANS = 8  # draws of the mean in a sweep
_MOST_CASES = 5_000  # beyond which compiled chains are quicker

# ---- the run ------------------------------------------------------------------------


def can_sample(n_cases: int, prior: Prior) -> bool:
    """Tell whether short chains are the way for so many values under this prior."""
    return n_cases <= _MOST_CASES and prior.n_dims == 1 and prior.tail_kind == 1


def draw_prior_means(prior: Prior, n: int, rng: np.random.Generator) -> FloatArray:
    """Draw means of mixtures of numbers from the prior, without compiling anything.

    Parameters
    ----------
    prior : Prior
        Of one dimension.
    n : int
        Number of draws.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    ndarray of shape (n,)
        The draws, as of `sample_prior_means`.
    """
    if not can_sample(1, prior):
        return np.ravel(sample_prior_means(prior, n, random_state=rng))
    ensemble = Ensemble(np.zeros(1), prior, rng)
    ensemble.start_from_prior(n)
    return ensemble.means()


def sample_short_chains(
    values: ArrayLike,
    *,
    prior: Prior,
    max_seconds: float = 60.0,
    n_kept: int = 400,
    random_state: RandomState = 0,
) -> MixturePosterior:
    """Sample the posterior of a mixture of numbers by many short chains.

    Sixteen chains in four groups, which begin with one or two up to ten or fourteen
    components. After 100 sweeps, of which 40 are left out, the groups are held against
    one another; while they disagree they go on, with bolder moves, the first half left
    out.

    Parameters
    ----------
    values : array-like of shape (n,)
        Finite values, not too many of them equal.
    prior : Prior
        Of one dimension, tail kind 1.
    max_seconds : float, default=60
        How long to go on beyond the first 100 sweeps while the chains disagree.
    n_kept : int, default=400
        Mixtures kept in full.
    random_state : int, Generator or None, default=0
        Source of randomness.

    Returns
    -------
    MixturePosterior
        The draws; ``.diagnostics`` says whether they may be trusted.

    Examples
    --------
    >>> values = np.random.default_rng(0).normal(0.1, 0.2, size=50)
    >>> found = sample_short_chains(
    ...     values, prior=Prior.information(), random_state=0
    ... )
    >>> found.means.shape, found.diagnostics.passed
    ((16, 480, 1), True)
    """
    x = check_values(values, prior)[:, 0]
    ensemble = Ensemble(x, prior, as_generator(random_state))
    starts = np.concatenate([np.resize(group, _EACH) for group in _STARTS])
    ensemble.start_from_components(starts)
    means: list[FloatArray] = []
    numbers: list[IntArray] = []
    kept: dict[int, list[KeptMixture]] = {}
    planned, begun = _N_WARMUP + _N_BLOCK, None
    words = _PLANNED
    # Whether chains will agree nobody knows, and so not how long it will take.
    with stages({_PLANNED: 1.0, _FURTHER: None, _AFTER: None}):
        while True:
            # Its products are of a few rows: a second thread would wait, and double the
            # CPU time of a thousand cases.
            with stage(words), one_blas_thread():
                for _ in track(range(planned - len(means)), what=words):
                    means.append(ensemble.sweep(_N_MEANS))
                    numbers.append(ensemble.n_components)
                    if len(means) % 2 == 0:
                        kept[len(means)] = ensemble.mixtures()
            first = _N_WARMUP if begun is None else len(means) // 2
            found = MixturePosterior(
                means=np.concatenate(means[first:]).T[:, :, None],
                centres=np.concatenate(means[first:]).T[:, :, None],
                n_components=np.array(numbers[first:]).T,
                log_likelihood=np.empty((starts.size, 0)),
                n_components_warmup=np.array(numbers[:first]).T,
                kept=_some(
                    [m for k, some in kept.items() if k > first for m in some], n_kept
                ),
                prior=prior,
                n_cases=x.size,
                n_discarded=first,
                n_groups=len(_STARTS),
            )
            begun = time.monotonic() if begun is None else begun
            # Judged after so many sweeps, wherever the clock stands: it decides only
            # whether they get there, so that what passes is the same on every machine.
            if found.diagnostics.passed or time.monotonic() - begun >= max_seconds:
                return found
            ensemble.n_splits, ensemble.n_births, ensemble.n_divisions = _HARDER
            words = _FURTHER
            planned = len(means) + max(_N_BLOCK, len(means) // 4)


def _some(items: Sequence[KeptMixture], n: int) -> tuple[KeptMixture, ...]:
    """Return at most n items, evenly spread."""
    if len(items) <= n:
        return tuple(items)
    return tuple(items[i] for i in np.linspace(0, len(items) - 1, n).astype(int))


# ---- exact draws --------------------------------------------------------------------


def _log_pro_gamma(
    d: FloatArray, a: FloatArray | float, b: FloatArray | float
) -> FloatArray:
    """Return the log density b (d log d - d - log Gamma(d)) - a d, not normalised."""
    return np.asarray(b * (d * np.log(d) - d - gammaln(d)) - a * d)


def draw_pro_gamma(
    rng: np.random.Generator, a: FloatArray, b: FloatArray | float
) -> FloatArray:
    """Draw d exactly, with log density b (d log d - d - log Gamma(d)) - a d.

    For any d0, propose Gamma(1 + k, rate a) with k = b d0 (log d0 - psi(d0)). The log
    ratio of density and proposal, R(d), has R'(d) = (b d (log d - psi(d)) - k) / d, and
    d (log d - psi(d)) falls from 1 to 1/2, so that R is highest at d0: accept with
    exp(R(d) - R(d0)). Near the mode, 19 in 20 are accepted.
    """
    a = np.asarray(a, dtype=np.float64)
    full_b = np.broadcast_to(np.asarray(b, dtype=np.float64), a.shape)
    ratio = a / full_b  # log d - psi(d) at the mode: the shape of a Gamma
    d0 = (3 - ratio + np.sqrt((ratio - 3) ** 2 + 24 * ratio)) / (12 * ratio)
    log_d0 = np.log(d0)
    k = full_b * d0 * (log_d0 - psi(d0))
    top = full_b * (d0 * log_d0 - d0 - gammaln(d0)) - k * log_d0
    drawn = np.empty(a.size)
    rate, weight, power, peak = a.ravel(), full_b.ravel(), k.ravel(), top.ravel()
    waiting = np.arange(a.size)
    while waiting.size:
        w, p = weight[waiting], power[waiting]
        d = rng.standard_gamma(1 + p) / rate[waiting]
        d = np.maximum(d, 1e-290)
        log_d = np.log(d)
        height = w * (d * log_d - d - gammaln(d)) - p * log_d - peak[waiting]
        taken = -height <= rng.standard_exponential(waiting.size)
        drawn[waiting[taken]] = d[taken]
        waiting = waiting[~taken]
    return drawn.reshape(a.shape)


def _draw_roots(
    rng: np.random.Generator, p: FloatArray, a: FloatArray, b: FloatArray
) -> FloatArray:
    """Draw s exactly, with density s^p exp(-a s^2 + b s): roots of scales of cases.

    A normal around the mode, accepted with exp(p (log u - u + 1)), u = s / mode.
    """
    mode = (b + np.sqrt(b * b + 8 * a * p)) / (4 * a)
    width = np.sqrt(0.5 / a) / mode
    drawn = np.empty(p.size)
    waiting = np.arange(p.size)
    while waiting.size:
        u = 1 + width[waiting] * rng.standard_normal(waiting.size)
        safe = np.maximum(u, 1e-12)
        short = p[waiting] * (safe - 1 - np.log(safe))
        taken = (u > 0) & (short <= rng.standard_exponential(waiting.size))
        drawn[waiting[taken]] = u[taken]
        waiting = waiting[~taken]
    return drawn * mode


# ---- the chains ---------------------------------------------------------------------


class Ensemble:
    """Chains of mixtures that advance together.

    Parameters
    ----------
    values : array of shape (n,)
        The data; ties already spread.
    prior : Prior
        One dimension, tail kind 1.
    rng : Generator
        Source of randomness.
    n_splits, n_births, n_ridges, n_divisions : int
        Moves per sweep.
    """

    _OF_COMPONENTS = ("weight", "location", "skew", "precision", "tail")

    def __init__(
        self,
        values: FloatArray,
        prior: Prior,
        rng: np.random.Generator,
        *,
        n_splits: int = 6,
        n_births: int = 1,
        n_ridges: int = 2,
        n_divisions: int = 0,
    ) -> None:
        self.prior = prior.constants()
        self.centre = float(self.prior.centre[0])
        self.centre_precision = float(self.prior.centre_precision[0, 0])
        self.rate_rate = float(self.prior.rate_rate[0, 0])
        self.scale_rate_rate = float(self.prior.scale_rate[0, 0])
        self.rng = rng
        self.n_splits, self.n_births, self.n_ridges = n_splits, n_births, n_ridges
        self.n_divisions = n_divisions
        self.n_chains = 0
        self.x, self.n = np.sort(values), values.size
        self._pool: FloatArray | None = None
        self._row: IntArray = np.empty((0, 0), dtype=np.int64)
        self._windows: _Windows | None = None
        numbers = np.arange(1.0, _MOST_COMPONENTS + 1)
        share = self.prior.concentration / numbers
        counts = np.arange(values.size + 1.0)[:, None]
        # Log of Gamma(count + share) / Gamma(share), by count and number of components.
        self._log_counts = gammaln(counts + share) - gammaln(share)
        self._log_number = (numbers - 1) * math.log(self.prior.growth)
        self._log_number += gammaln(numbers + 1)
        self._log_factorial = gammaln(np.arange(_MOST_COMPONENTS + 2) + 1.0)
        logs = np.linspace(-30.0, 10.0, 4001)
        heights = _log_pro_gamma(np.exp(logs), self.prior.tail_a, self.prior.tail_b)
        self._log_tail_norm = math.log(float(np.exp(heights + logs).sum()) * 0.01)

    # -- starts

    def start_from_prior(self, n_chains: int) -> None:
        """Draw chains from the prior."""
        rng, prior = self.rng, self.prior
        numbers = np.minimum(
            rng.geometric(1 - prior.growth, n_chains), _MOST_COMPONENTS
        )
        shape = (n_chains, int(numbers.max()) + _SPARE)
        inside = np.arange(shape[1]) < numbers[:, None]
        self.n_chains, self.n_components = n_chains, numbers
        each = np.full(n_chains, prior.spread_a)
        self.spread = draw_pro_gamma(rng, each, prior.spread_b)
        self.scale_rate = rng.standard_gamma(prior.scale_shape, n_chains)
        self.scale_rate /= self.scale_rate_rate
        self.location_rate = rng.standard_gamma(prior.rate_shape, n_chains)
        self.location_rate /= self.rate_rate
        self.location_precision = rng.standard_gamma(prior.location_shape, n_chains)
        self.location_precision /= prior.location_factor * self.location_rate
        self.location_centre = self.centre + rng.standard_normal(n_chains) / math.sqrt(
            self.centre_precision
        )
        self._blank(shape[1])
        chain, column = np.nonzero(inside)
        self._fill_from_prior(chain, column)
        shares = (prior.concentration / numbers)[:, None]
        weight = np.where(
            inside, rng.standard_gamma(np.broadcast_to(shares, shape)), 0.0
        )
        self.weight = weight / weight.sum(axis=1, keepdims=True)
        self._pool = None

    def start_from_components(self, numbers: IntArray) -> None:
        """Start chains with so many equal components each, placed at central cases.

        Their tails are long: a far case is first taken for one of them, and not for a
        component of its own, from which a chain would not soon come away.
        """
        rng, n_chains = self.rng, numbers.size
        self.start_from_prior(n_chains)
        quarter, three = np.quantile(self.x, [0.25, 0.75])
        variance = ((three - quarter) / 1.349) ** 2 or 0.01
        central = np.quantile(self.x, np.linspace(0.1, 0.9, 41))
        self.n_components = numbers.astype(np.int64)
        self._blank(int(numbers.max()) + _SPARE)
        inside = np.arange(self.weight.shape[1]) < numbers[:, None]
        self.weight = inside / numbers[:, None]
        self.location[inside] = rng.choice(central, int(inside.sum()))
        self.precision[inside] = 1 / variance
        self.tail[inside] = 0.5
        self.scale_rate = np.full(n_chains, variance)

    # -- components as arrays

    def _blank(self, width: int) -> None:
        shape = (self.n_chains, width)
        self.weight, self.location, self.skew = (np.zeros(shape) for _ in range(3))
        self.precision, self.tail = np.ones(shape), np.ones(shape)

    def _widen(self, width: int) -> None:
        """Make room for components."""
        extra = width - self.weight.shape[1]
        if extra <= 0:
            return
        for name in self._OF_COMPONENTS:
            empty = 1.0 if name in {"precision", "tail"} else 0.0
            more = np.full((self.n_chains, extra), empty)
            setattr(self, name, np.concatenate([getattr(self, name), more], axis=1))

    def _make_room(self) -> None:
        """Let every chain have one component more than any has now."""
        if int(self.n_components.max()) + 1 > self.weight.shape[1]:
            self._widen(int(self.n_components.max()) + 1 + _SPARE)
            extra = self.weight.shape[1] - self._row.shape[1]
            none = np.full((self.n_chains, extra), -1)
            self._row = np.concatenate([self._row, none], axis=1)

    def _places(self) -> tuple[IntArray, IntArray]:
        """Return chain and column of every component."""
        columns = np.arange(self.weight.shape[1])
        chain, column = np.nonzero(columns < self.n_components[:, None])
        return chain, column

    def _first_rows(self) -> IntArray:
        return np.concatenate([[0], np.cumsum(self.n_components)[:-1]])

    def _parameters(
        self, chain: IntArray, column: IntArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        at = (chain, column)
        return self.location[at], self.skew[at], self.precision[at], self.tail[at]

    def _fill_from_prior(self, chain: IntArray, column: IntArray) -> None:
        """Draw components from the prior of their chain's population."""
        rng, at = self.rng, (chain, column)
        shape = rng.standard_gamma(1 + self.spread[chain])
        rate = self.spread[chain] * self.scale_rate[chain]
        precision = np.maximum(shape, _TINY) / rate
        noise = rng.standard_normal((2, chain.size))
        scale = np.sqrt(self.location_precision[chain])
        self.precision[at] = precision
        self.location[at] = self.location_centre[chain] + noise[0] / scale
        self.skew[at] = noise[1] * np.sqrt(self.prior.skew_spread / precision)
        each = np.full(chain.size, self.prior.tail_a)
        self.tail[at] = draw_pro_gamma(rng, each, self.prior.tail_b)

    # -- densities of all components at all cases, kept during a sweep

    def _fill(self) -> None:
        """Compute densities, and the mixture's, over the highest one at each case."""
        chain, column = self._places()
        n_rows = chain.size
        moves = self.n_splits + self.n_births + 2 * self.n_divisions
        needed = n_rows + self.n_chains * (moves + 2)
        if self._pool is None or len(self._pool) < needed:
            self._pool = np.empty((int(1.3 * needed), self.n))
        rows = self._pool[:n_rows]
        log_densities(self.x, *self._parameters(chain, column), out=rows)
        first = self._first_rows()
        self._level = np.maximum.reduceat(rows, first, axis=0)
        rows -= self._level[chain]
        np.exp(rows, out=rows)
        self._row = np.full(self.weight.shape, -1)
        self._row[chain, column] = np.arange(n_rows)
        weighted = rows * self.weight[chain, column][:, None]
        self._total = np.maximum(np.add.reduceat(weighted, first, axis=0), _TINY)
        self._used = n_rows

    def _new_rows(
        self,
        location: FloatArray,
        skew: FloatArray,
        precision: FloatArray,
        tail: FloatArray,
        *,
        chains: IntArray | None = None,
        skipped: int = 0,
    ) -> FloatArray:
        """Compute densities of one proposed component per chain, in the spare rows."""
        start = self._used + skipped
        rows = self._rows[start : start + location.size]
        log_densities(self.x, location, skew, precision, tail, out=rows)
        rows -= self._level if chains is None else self._level[chains]
        np.minimum(rows, _MOST_EXPONENT, out=rows)
        np.exp(rows, out=rows)
        return rows

    @property
    def _rows(self) -> FloatArray:
        if self._pool is None:
            msg = "densities are asked for before they are computed"
            raise RuntimeError(msg)
        return self._pool

    def _accept_rows(
        self,
        rows: FloatArray,
        accepted: BoolArray,
        column: IntArray,
        among: IntArray | None = None,
    ) -> None:
        """Keep the rows of accepted components, of all chains or of some."""
        chains = np.flatnonzero(accepted)
        if among is not None:
            chains = among[accepted]
        start = self._used
        self._rows[start : start + chains.size] = rows[accepted]
        self._row[chains, column] = start + np.arange(chains.size)
        self._used += chains.size

    # -- log priors

    def _log_location_and_precision(
        self, chain: IntArray, location: FloatArray, precision: FloatArray
    ) -> FloatArray:
        shape = 1 + self.spread[chain]
        rate = self.spread[chain] * self.scale_rate[chain]
        where = self.location_precision[chain]
        away = location - self.location_centre[chain]
        total = 0.5 * (np.log(where) - LOG_2PI) - 0.5 * where * away * away
        total += shape * np.log(rate) - gammaln(shape)
        return np.asarray(total + (shape - 1) * np.log(precision) - rate * precision)

    def _log_skew(self, skew: FloatArray, precision: FloatArray) -> FloatArray:
        inverse = precision / self.prior.skew_spread
        return np.asarray(0.5 * (np.log(inverse) - LOG_2PI) - 0.5 * inverse * skew**2)

    def _log_weights(self, weight: FloatArray, numbers: IntArray) -> FloatArray:
        """Log density of weights of so many components, zero beyond."""
        share = self.prior.concentration / numbers
        inside = np.arange(weight.shape[1]) < numbers[:, None]
        logs = np.where(inside, np.log(np.maximum(weight, _TINY)), 0.0).sum(axis=1)
        constant = gammaln(self.prior.concentration) - numbers * gammaln(share)
        return np.asarray(constant + (share - 1) * logs)

    # -- splits and merges

    def _log_split(
        self,
        parent: tuple[FloatArray, FloatArray, FloatArray, FloatArray],
        location: FloatArray,
        skew: FloatArray,
        precision: FloatArray,
    ) -> FloatArray:
        """Log density with which a parent proposes a part: near it, or boldly."""
        location0, skew0, precision0, tail0 = parent
        near = _log_normal(location, location0, 2 * precision0)
        v = np.sqrt(precision0) * (location - location0)
        tilt = skew0 * np.sqrt(precision0)
        shape = 1 + tail0
        q, width = 2 * shape + 1, 2 * tail0 + v * v
        own = shape * np.log(tail0) - gammaln(shape) + math.log(2)
        own += 0.5 * (np.log(precision0) - LOG_2PI) - 0.5 * tilt * tilt
        own -= 0.5 * q * np.log(width)
        own += log_scale_integral(q, v * tilt / np.sqrt(width))
        total = np.logaddexp(near, own) - math.log(2)
        parts = []
        for factor in _PRECISION_FACTORS:
            rate = 4 / (precision0 * factor)
            part = 4 * np.log(rate) - math.lgamma(4) + 3 * np.log(precision)
            parts.append(part - rate * precision)
        total += np.logaddexp(np.logaddexp(parts[0], parts[1]), parts[2]) - math.log(3)
        near = _log_normal(skew, skew0, 4 * precision0)
        return np.asarray(
            total + np.logaddexp(near, self._log_skew(skew, precision)) - math.log(2)
        )

    def split_or_merge(self) -> None:
        """Split a component in every chain, or merge two; one coin for all."""
        if self.rng.random() < 0.5:
            self._split()
        else:
            self._merge()

    def _split(self) -> None:
        rng, n_chains, chains = self.rng, self.n_chains, np.arange(self.n_chains)
        self._make_room()
        numbers = self.n_components
        which = (rng.random(n_chains) * numbers).astype(np.int64)
        bold = -np.expm1(-rng.standard_exponential(n_chains) / 9)
        share = np.where(rng.random(n_chains) < 0.5, rng.beta(2.0, 2.0, n_chains), bold)
        parent = self._parameters(chains, which)
        location0, skew0, precision0, tail0 = parent
        near = rng.random(n_chains) < 0.5
        scale = rng.standard_gamma(1 + tail0) / tail0
        width = np.sqrt(np.where(near, 2.0, scale) * precision0)
        lean = np.where(near, 0.0, skew0 / np.sqrt(scale))
        location = location0 + rng.standard_normal(n_chains) / width + lean
        factor = _PRECISION_FACTORS[rng.integers(0, 3, n_chains)]
        precision = rng.standard_gamma(4.0, n_chains) * precision0 * factor / 4
        near, noise = rng.random(n_chains) < 0.5, rng.standard_normal(n_chains)
        skew = np.where(
            near,
            skew0 + 0.5 * noise / np.sqrt(precision0),
            noise * np.sqrt(self.prior.skew_spread / precision),
        )
        tail = draw_pro_gamma(
            rng, np.full(n_chains, self.prior.tail_a), self.prior.tail_b
        )
        rows = self._new_rows(location, skew, precision, tail)
        whole = self.weight[chains, which]
        after = self.weight.copy()
        after[chains, which] = whole * (1 - share)
        after[chains, numbers] = whole * share
        change = rows - self._rows[self._row[chains, which]]
        change *= (whole * share)[:, None]
        change /= self._total
        np.maximum(change, -1 + 1e-12, out=change)
        log_ratio = (
            math.log(self.prior.growth)
            + self._log_weights(after, numbers + 1)
            - self._log_weights(self.weight, numbers)
            + self._log_location_and_precision(chains, location, precision)
            + self._log_skew(skew, precision)
            - self._log_split(parent, location, skew, precision)
            + np.log(np.maximum(whole, _TINY))
            - _log_share(share)
            + np.log1p(change).sum(axis=1)
        )
        room = numbers < _MOST_COMPONENTS
        accepted = (-log_ratio <= rng.standard_exponential(n_chains)) & room
        if not accepted.any():
            return
        chosen, column = chains[accepted], numbers[accepted]
        self.weight = np.where(accepted[:, None], after, self.weight)
        self.location[chosen, column] = location[accepted]
        self.skew[chosen, column] = skew[accepted]
        self.precision[chosen, column] = precision[accepted]
        self.tail[chosen, column] = tail[accepted]
        self._accept_rows(rows, accepted, column)
        self._total[accepted] *= 1 + change[accepted]
        self.n_components = numbers + accepted

    def _merge(self) -> None:
        rng = self.rng
        chains = np.flatnonzero(self.n_components > 1)
        if not chains.size:
            return
        numbers = self.n_components[chains]
        kept, gone, lost, whole, before = self._draw_pair(chains)
        after = self.weight[chains]
        parent = self._parameters(chains, kept)
        location, skew, precision, _ = self._parameters(chains, gone)
        log_ratio = (
            math.log(self.prior.growth)
            + self._log_weights(after, numbers)
            - self._log_weights(before, numbers - 1)
            + self._log_location_and_precision(chains, location, precision)
            + self._log_skew(skew, precision)
            - self._log_split(parent, location, skew, precision)
            + np.log(whole)
            - _log_share(lost / whole)
        )
        change = self._rows[self._row[chains, kept]]
        change -= self._rows[self._row[chains, gone]]
        change *= lost[:, None]
        change /= self._total[chains]
        ratio = 1 + change
        for i in np.flatnonzero((ratio < _CANCELLED).any(axis=1)):
            weight = self.weight[chains[i], : numbers[i]].copy()
            weight[kept[i]] += weight[gone[i]]
            weight[gone[i]] = 0
            self._sum_anew(ratio[i], chains[i], weight)
        log_ratio = np.log(ratio).sum(axis=1) - log_ratio
        accepted = -log_ratio <= rng.standard_exponential(chains.size)
        if not accepted.any():
            return
        chosen, column = chains[accepted], gone[accepted]
        self.weight[chosen, kept[accepted]] = whole[accepted]
        self._drop(chosen, column)
        self._total[chosen] *= ratio[accepted]

    def _draw_pair(
        self, chains: IntArray
    ) -> tuple[IntArray, IntArray, FloatArray, FloatArray, FloatArray]:
        """Choose two components of each chain, one to be kept and one to go.

        Returns both, what the second weighs, what both do, and the weights if the
        first had it all, as a set: their order does not matter.
        """
        rng, numbers, rows = self.rng, self.n_components[chains], np.arange(chains.size)
        kept = (rng.random(chains.size) * numbers).astype(np.int64)
        gone = (rng.random(chains.size) * (numbers - 1)).astype(np.int64)
        gone += gone >= kept
        lost = self.weight[chains, gone]
        whole = np.maximum(self.weight[chains, kept] + lost, _TINY)
        joined = self.weight[chains]
        joined[rows, kept] = whole
        joined[rows, gone] = joined[rows, numbers - 1]
        joined[rows, numbers - 1] = 0
        moved = kept == numbers - 1
        joined[rows[moved], gone[moved]] = whole[moved]
        return kept, gone, lost, whole, joined

    def _sum_anew(self, ratio: FloatArray, chain: int, weight: FloatArray) -> None:
        """Replace ratios to the present density that were lost to rounding."""
        lost = np.flatnonzero(ratio < _CANCELLED)
        densities = self._rows[self._row[chain, : weight.size]][:, lost]
        total = weight @ densities / self._total[chain, lost]
        ratio[lost] = np.maximum(total, _TINY)

    def _drop(self, chains: IntArray, column: IntArray) -> None:
        """Remove a component of each chain; the last one takes its place."""
        last = self.n_components[chains] - 1
        for name in (*self._OF_COMPONENTS, "_row"):
            array = getattr(self, name)
            array[chains, column] = array[chains, last]
        self.weight[chains, last] = 0
        self.n_components = self.n_components.copy()
        self.n_components[chains] -= 1

    # -- a component with a long tail, divided into core and tail

    def divide_or_unite(self) -> None:
        """Divide a component of every chain into core and tail, or unite two.

        The core is the narrower of the two. Unlike a split, which leaves the parent
        where it is, both parts are proposed: one with a long tail otherwise hardly
        becomes two whose tails are shorter.
        """
        if self.rng.random() < 0.5:
            self._divide()
        else:
            self._unite()

    def _log_division(
        self,
        parent: Sequence[FloatArray],
        core: Sequence[FloatArray],
        tail: Sequence[FloatArray],
        chain: IntArray,
        whole: FloatArray,
        share: FloatArray,
    ) -> FloatArray:
        """Log odds of a division without the prior of weights and the likelihood.

        Priors of the parts and density of the parent's proposal, over those of the
        parent and of the parts. Shapes of parts come from their prior, which cancels.
        """
        # Either of two may be the one to go, but only the narrower one the core.
        log_odds = math.log(2 * self.prior.growth) + np.log(whole)
        log_odds = log_odds - np.log(12 * share * (1 - share) ** 2)
        for one, sign in ((parent, -1.0), (core, 1.0), (tail, 1.0)):
            location, skew, precision, _ = one
            log_odds += sign * self._log_location_and_precision(
                chain, location, precision
            )
            log_odds += sign * self._log_skew(skew, precision)
            # By location, tilt and log width instead of location, skew and precision.
            log_odds += sign * 0.5 * np.log(4 * precision)
        prior = self.prior
        log_odds -= _log_pro_gamma(parent[3], prior.tail_a, prior.tail_b)
        log_odds += self._log_tail_norm - np.log(parent[3])
        return np.asarray(
            log_odds
            + _log_united(_core(parent), _core(core), _core(tail))
            - _log_divided(_core(parent), _core(core), _core(tail))
        )

    def _divide(self) -> None:
        rng, n_chains, chains = self.rng, self.n_chains, np.arange(self.n_chains)
        self._make_room()
        numbers, prior = self.n_components, self.prior
        which = (rng.random(n_chains) * numbers).astype(np.int64)
        share = np.clip(rng.beta(2.0, 3.0, n_chains), 1e-12, 1 - 1e-12)
        parent = self._parameters(chains, which)
        shapes = draw_pro_gamma(rng, np.full((2, n_chains), prior.tail_a), prior.tail_b)
        noise = rng.standard_normal((2, 3, n_chains))
        core, tail = (
            _from_core(one, shape)
            for one, shape in zip(_divided(_core(parent), noise), shapes, strict=True)
        )
        of_core = self._new_rows(*core)
        of_tail = self._new_rows(*tail, skipped=n_chains)
        whole = self.weight[chains, which]
        after = self.weight.copy()
        after[chains, which] = whole * (1 - share)
        after[chains, numbers] = whole * share
        log_ratio = self._log_division(
            parent, core, tail, chains, np.maximum(whole, _TINY), share
        )
        log_ratio += self._log_weights(after, numbers + 1)
        log_ratio -= self._log_weights(self.weight, numbers)
        parts = of_core * (whole * (1 - share))[:, None]
        parts += of_tail * (whole * share)[:, None]
        parts /= self._total
        ratio = 1 - whole[:, None] * self._rows[self._row[chains, which]] / self._total
        ratio = self._replaced(ratio, parts, chains, which[:, None])
        log_ratio += np.log(ratio).sum(axis=1)
        accepted = -log_ratio <= rng.standard_exponential(n_chains)
        accepted &= (numbers < _MOST_COMPONENTS) & (_core(core)[2] < _core(tail)[2])
        if not accepted.any():
            return
        chosen = chains[accepted]
        self.weight = np.where(accepted[:, None], after, self.weight)
        for one, rows, column in ((core, of_core, which), (tail, of_tail, numbers)):
            self._put(chosen, column[accepted], [values[accepted] for values in one])
            self._accept_rows(rows, accepted, column[accepted])
        self._total[accepted] *= ratio[accepted]
        self.n_components = numbers + accepted

    def _unite(self) -> None:
        rng = self.rng
        chains = np.flatnonzero(self.n_components > 1)
        if not chains.size:
            return
        numbers = self.n_components[chains]
        kept, gone, lost, whole, before = self._draw_pair(chains)
        one, other = self._parameters(chains, kept), self._parameters(chains, gone)
        turned = _core(one)[2] > _core(other)[2]
        core = tuple(np.where(turned, b, a) for a, b in zip(one, other, strict=True))
        tail = tuple(np.where(turned, a, b) for a, b in zip(one, other, strict=True))
        noise = rng.standard_normal((4, chains.size))
        parent = _from_core(*_united(_core(core), _core(tail), noise))
        rows = self._new_rows(*parent, chains=chains)
        share = np.where(turned, whole - lost, lost) / whole
        share = np.clip(share, 1e-12, 1 - 1e-12)
        log_ratio = -self._log_division(parent, core, tail, chains, whole, share)
        log_ratio += self._log_weights(before, numbers - 1)
        log_ratio -= self._log_weights(self.weight[chains], numbers)
        parts = rows * whole[:, None] / self._total[chains]
        own = self._rows[self._row[chains, kept]] * (whole - lost)[:, None]
        own += self._rows[self._row[chains, gone]] * lost[:, None]
        ratio = 1 - own / self._total[chains]
        ratio = self._replaced(ratio, parts, chains, np.stack([kept, gone], axis=1))
        log_ratio += np.log(ratio).sum(axis=1)
        accepted = -log_ratio <= rng.standard_exponential(chains.size)
        if not accepted.any():
            return
        chosen, column = chains[accepted], kept[accepted]
        self.weight[chosen, column] = whole[accepted]
        self._put(chosen, column, [values[accepted] for values in parent])
        self._accept_rows(rows, accepted, column, chains)
        self._drop(chosen, gone[accepted])
        self._total[chosen] *= ratio[accepted]

    def _replaced(
        self, ratio: FloatArray, parts: FloatArray, chains: IntArray, gone: IntArray
    ) -> FloatArray:
        """Add new parts to what is left of densities without components, in ratios."""
        for i in np.flatnonzero((ratio < _CANCELLED).any(axis=1)):
            others = self.weight[chains[i], : self.n_components[chains[i]]].copy()
            others[gone[i]] = 0
            self._sum_anew(ratio[i], chains[i], others)
        return ratio + parts

    def _put(
        self, chains: IntArray, column: IntArray, values: Sequence[FloatArray]
    ) -> None:
        """Set location, skew, precision and tail of components."""
        for name, value in zip(self._OF_COMPONENTS[1:], values, strict=True):
            getattr(self, name)[chains, column] = value

    # -- births and deaths

    def bear_or_die(self) -> None:
        """Let a component be born in every chain, or die; one coin for all."""
        if self._windows is None:
            self._windows = _Windows(self.x)
        if self.rng.random() < 0.5:
            self._bear(self._windows)
        else:
            self._die(self._windows)

    def _bear(self, windows: _Windows) -> None:
        rng, n_chains, chains = self.rng, self.n_chains, np.arange(self.n_chains)
        self._make_room()
        numbers = self.n_components
        location, precision, share = windows.draw(rng, n_chains)
        skew = rng.standard_normal(n_chains) * np.sqrt(
            self.prior.skew_spread / precision
        )
        tail = draw_pro_gamma(
            rng, np.full(n_chains, self.prior.tail_a), self.prior.tail_b
        )
        rows = self._new_rows(location, skew, precision, tail)
        after = self.weight * (1 - share)[:, None]
        after[chains, numbers] = share
        ratio = rows / self._total
        ratio *= share[:, None]
        ratio += (1 - share)[:, None]
        log_ratio = (
            math.log(self.prior.growth)
            + self._log_weights(after, numbers + 1)
            - self._log_weights(self.weight, numbers)
            + self._log_location_and_precision(chains, location, precision)
            - windows.log_density(location, precision, share)
            + (numbers - 1) * np.log1p(-share)
            + np.log(ratio).sum(axis=1)
        )
        room = numbers < _MOST_COMPONENTS
        accepted = (-log_ratio <= rng.standard_exponential(n_chains)) & room
        if not accepted.any():
            return
        chosen, column = chains[accepted], numbers[accepted]
        self.weight = np.where(accepted[:, None], after, self.weight)
        self.location[chosen, column] = location[accepted]
        self.skew[chosen, column] = skew[accepted]
        self.precision[chosen, column] = precision[accepted]
        self.tail[chosen, column] = tail[accepted]
        self._accept_rows(rows, accepted, column)
        self._total[accepted] *= ratio[accepted]
        self.n_components = numbers + accepted

    def _die(self, windows: _Windows) -> None:
        rng = self.rng
        chains = np.flatnonzero(self.n_components > 1)
        if not chains.size:
            return
        numbers, rows = self.n_components[chains], np.arange(chains.size)
        gone = (rng.random(chains.size) * numbers).astype(np.int64)
        share = np.clip(self.weight[chains, gone], _TINY, 1 - 1e-12)
        after = self.weight[chains]
        before = after / (1 - share)[:, None]
        before[rows, gone] = before[rows, numbers - 1]
        before[rows, numbers - 1] = 0
        location, _, precision, _ = self._parameters(chains, gone)
        log_ratio = (
            math.log(self.prior.growth)
            + self._log_weights(after, numbers)
            - self._log_weights(before, numbers - 1)
            + self._log_location_and_precision(chains, location, precision)
            - windows.log_density(location, precision, share)
            + (numbers - 2) * np.log1p(-share)
        )
        ratio = self._rows[self._row[chains, gone]] * -share[:, None]
        ratio /= self._total[chains]
        ratio += 1
        for i in np.flatnonzero((ratio < _CANCELLED).any(axis=1)):
            weight = self.weight[chains[i], : numbers[i]].copy()
            weight[gone[i]] = 0
            self._sum_anew(ratio[i], chains[i], weight)
        ratio /= (1 - share)[:, None]
        log_ratio = np.log(ratio).sum(axis=1) - log_ratio
        accepted = -log_ratio <= rng.standard_exponential(chains.size)
        if not accepted.any():
            return
        chosen = chains[accepted]
        weight = before[accepted]
        self._drop(chosen, gone[accepted])
        self.weight[chosen] = weight
        self._total[chosen] *= ratio[accepted]

    # -- one component along the ridge of its likelihood

    def _ridge(self, chain: IntArray, column: IntArray) -> FloatArray:
        """Return middle, tilt, log width and log tail of components.

        With t = nu sqrt(S) and e = d / (1 + d): M = mu + nu sqrt(e) and
        V = e (1 + .3 t^2) / S; the Jacobian of (mu, nu, log S) by (M, t, log V) is
        S^(-1/2).
        """
        location, skew, precision, tail = self._parameters(chain, column)
        e, tilt = tail / (1 + tail), skew * np.sqrt(precision)
        width = e / precision * (1 + 0.3 * tilt * tilt)
        return np.array(
            [location + skew * np.sqrt(e), tilt, np.log(width), np.log(tail)]
        )

    def move_along_ridge(self) -> None:
        """Move one component of a chain in middle, tilt, width and tail (Metropolis).

        Half of the time by a random walk; else, in one half of the chains, by what the
        same component, by rank of weight, differs in between two chains of the other.
        """
        rng, n_chains, chains = self.rng, self.n_chains, np.arange(self.n_chains)
        reached = np.cumsum(self.weight, axis=1)
        level = rng.random(n_chains)[:, None] * reached[:, -1:]
        which = np.minimum((reached < level).sum(axis=1), self.n_components - 1)
        old = self._ridge(chains, which)
        weight = self.weight[chains, which]
        noise = rng.standard_normal((4, n_chains))
        moving = np.ones(n_chains, dtype=bool)
        share = self.n * weight
        if n_chains >= 8 and rng.random() < 0.5:
            step, moving = self._differences(which)
            scaled = 0.84 * np.exp(0.3 * rng.standard_normal(n_chains))
            step *= np.where(rng.random(n_chains) < 0.15, 1.0, scaled)
            step[1:] += 0.02 * noise[1:]
            nearby = 0.02 / np.sqrt(1 + share)
        else:
            factor = np.array([0.2, 0.6, 1.5])[rng.integers(0, 3, n_chains)]
            nearby = factor / np.sqrt(1 + 0.5 * share)
            step = np.zeros((4, n_chains))
            step[1] = (0.15 * factor + 3 * nearby) * noise[1]
            step[2] = 1.5 * nearby * noise[2]
            step[3] = (0.2 * factor + 2 * nearby) * noise[3]
        # In widths between the old and the new one, so that the way back is as likely.
        step[0] += nearby * np.exp(0.5 * old[2] + 0.25 * step[2]) * noise[0]
        middle, tilt, log_width, log_tail = old + step
        moving &= (np.abs(step) < 20).all(axis=0) & (np.abs(log_tail) < 18)
        log_tail = np.where(moving, log_tail, old[3])
        tail = np.exp(log_tail)
        e = tail / (1 + tail)
        log_width = np.where(moving, log_width, old[2])
        precision = e * (1 + 0.3 * tilt * tilt) / np.exp(log_width)
        skew = tilt / np.sqrt(precision)
        location = middle - skew * np.sqrt(e)
        rows = self._new_rows(location, skew, precision, tail)
        location0, _, precision0, tail0 = self._parameters(chains, which)
        tilt0, spread = old[1], self.prior.skew_spread
        a, b = self.prior.tail_a, self.prior.tail_b
        log_ratio = (
            self._log_location_and_precision(chains, location, precision)
            - self._log_location_and_precision(chains, location0, precision0)
            - 0.5 * (tilt * tilt - tilt0 * tilt0) / spread
            + np.log(precision / precision0)  # half the prior's, half the Jacobian's
            + _log_pro_gamma(tail, a, b)
            - _log_pro_gamma(tail0, a, b)
            + np.log(tail / tail0)
        )
        ratio = rows - self._rows[self._row[chains, which]]
        ratio *= weight[:, None]
        ratio /= self._total
        ratio += 1
        for chain in np.flatnonzero((ratio < _CANCELLED).any(axis=1)).tolist():
            others = self.weight[chain, : self.n_components[chain]].copy()
            others[which[chain]] = 0
            lost = np.flatnonzero(ratio[chain] < _CANCELLED)
            self._sum_anew(ratio[chain], chain, others)
            ratio[chain, lost] += (
                weight[chain] * rows[chain, lost] / self._total[chain, lost]
            )
        log_ratio += np.log(ratio).sum(axis=1)
        accepted = (-log_ratio <= rng.standard_exponential(n_chains)) & moving
        if not accepted.any():
            return
        at = (chains[accepted], which[accepted])
        self.location[at], self.skew[at] = location[accepted], skew[accepted]
        self.precision[at], self.tail[at] = precision[accepted], tail[accepted]
        self._rows[self._row[at]] = rows[accepted]
        self._total[accepted] *= ratio[accepted]

    def _differences(self, which: IntArray) -> tuple[FloatArray, BoolArray]:
        """Return how two chains of one half differ, and the half that moves."""
        rng, n_chains = self.rng, self.n_chains
        order = np.argsort(-self.weight, axis=1, kind="stable")
        rank = (order == which[:, None]).argmax(axis=1)
        shuffled = rng.permutation(n_chains)
        moving = np.zeros(n_chains, dtype=bool)
        moving[shuffled[: n_chains // 2]] = True
        others = shuffled[n_chains // 2 :]
        one = rng.integers(0, others.size, n_chains)
        two = (one + 1 + rng.integers(0, others.size - 1, n_chains)) % others.size
        one, two = others[one], others[two]
        moving &= (rank < self.n_components[one]) & (rank < self.n_components[two])
        difference = self._ridge(one, order[one, rank]) - self._ridge(
            two, order[two, rank]
        )
        return difference, moving

    # -- a sweep

    def sweep(self, n_means: int = 0) -> FloatArray:
        """Move every chain once through all it does not know.

        Parameters
        ----------
        n_means : int, default=0
            Draws of the mixture's mean from its conditional distribution given labels,
            scales, precisions, tails and number of components.

        Returns
        -------
        array of shape (n_means, chains)
            The draws; all are draws from the posterior.
        """
        self._fill()
        for _ in range(self.n_births):
            self.bear_or_die()
        for _ in range(self.n_splits):
            self.split_or_merge()
        for _ in range(self.n_divisions):
            self.divide_or_unite()
        for _ in range(self.n_ridges):
            self.move_along_ridge()
        return self.gibbs(self.draw_labels(), n_means)

    def draw_labels(self) -> IntArray:
        """Draw which component every case belongs to (chains, cases)."""
        rest = self.rng.random((self.n_chains, self.n))
        rest *= self._total
        label = np.zeros((self.n_chains, self.n), dtype=np.int64)
        for column in range(int(self.n_components.max()) - 1):
            chains = np.flatnonzero(self.n_components - 1 > column)
            weight = self.weight[chains, column, None]
            left = rest[chains] - self._rows[self._row[chains, column]] * weight
            rest[chains] = left
            label[chains] += left >= 0
        return label

    def gibbs(self, label: IntArray, n_means: int = 0) -> FloatArray:
        """Draw everything given the labels, as `sweep` does."""
        rng, prior, n_chains = self.rng, self.prior, self.n_chains
        width = self.weight.shape[1]
        flat = (label + (np.arange(n_chains) * width)[:, None]).ravel()
        # Scales of the cases.
        root = np.sqrt(self.precision)
        tilt = self.skew * root
        y = np.tile(self.x, n_chains) - self.location.ravel()[flat]
        v, tail = root.ravel()[flat] * y, self.tail.ravel()[flat]
        s = _draw_roots(rng, 2 + 2 * tail, tail + 0.5 * v * v, v * tilt.ravel()[flat])
        alpha = s * s

        def summed(values: FloatArray) -> FloatArray:
            total = np.bincount(flat, values, n_chains * width)
            return np.asarray(total.reshape(n_chains, width), dtype=np.float64)

        count = np.bincount(flat, minlength=n_chains * width).reshape(n_chains, width)
        sums = (alpha, s, alpha * y, s * y, alpha * y * y, alpha - 1 - np.log(alpha))
        used = count > 0
        chain = np.nonzero(used)[0]
        n = count[used].astype(np.float64)
        of_alpha, of_s, of_alpha_y, of_s_y, of_alpha_yy, apart = (
            summed(one)[used] for one in sums
        )
        # Number of components given how many are used.
        n_used = used.sum(axis=1)
        first = np.concatenate([[0], np.cumsum(n_used)[:-1]])
        self.n_components = self._draw_number(count[used], n_used, first)
        location, precision = self.location[used], self.precision[used]
        # Location (as a step from the old one) and skew together.
        where = self.location_precision[chain]
        p11, p12 = of_alpha * precision + where, of_s * precision
        p22 = (n + 1 / prior.skew_spread) * precision
        b1 = precision * of_alpha_y + where * (self.location_centre[chain] - location)
        b2 = precision * of_s_y
        determinant = p11 * p22 - p12 * p12
        mean1 = (p22 * b1 - p12 * b2) / determinant
        mean2 = (p11 * b2 - p12 * b1) / determinant
        l11 = np.sqrt(p11)
        l21 = p12 / l11
        l22 = np.sqrt(np.maximum(p22 - l21 * l21, _TINY))

        def drawn_pair(shape: tuple[int, ...]) -> tuple[FloatArray, FloatArray]:
            noise1, noise2 = rng.standard_normal(shape), rng.standard_normal(shape)
            second = noise2 / l22
            return mean1 + (noise1 - l21 * second) / l11, mean2 + second

        step, skew = drawn_pair((chain.size,))
        scatter = of_alpha_yy - 2 * of_alpha_y * step + of_alpha * step * step
        scatter += n * skew * skew - 2 * skew * (of_s_y - of_s * step)
        spread = self.spread[chain]
        rate = spread * self.scale_rate[chain]
        rate += 0.5 * (np.maximum(scatter, 0) + skew * skew / prior.skew_spread)
        new_precision = rng.standard_gamma(1 + spread + 0.5 * (n + 1)) / rate
        apart = np.maximum(apart, 0.0)
        new_tail = draw_pro_gamma(rng, prior.tail_a + apart, prior.tail_b + n)
        # Used components first, then those that hold no case.
        width = max(width, int(self.n_components.max()) + 1)
        self._blank(width)
        place = np.arange(chain.size) - first[chain]
        at = (chain, place)
        self.location[at], self.skew[at] = location + step, skew
        self.precision[at], self.tail[at] = new_precision, new_tail
        columns = np.arange(width)
        inside = columns < self.n_components[:, None]
        self._fill_from_prior(*np.nonzero(inside & (columns >= n_used[:, None])))
        shape = np.zeros((n_chains, width))
        shape[at] = n
        shape += (prior.concentration / self.n_components)[:, None]
        shape[~inside] = 1.0
        weight = rng.standard_gamma(shape) * inside
        self.weight = weight / weight.sum(axis=1, keepdims=True)
        means = np.empty((0, n_chains))
        if n_means:
            means = self._draw_means(n_means, at, location, drawn_pair, shape, inside)
        self._draw_population(inside)
        return means

    def _draw_means(
        self,
        n_means: int,
        at: tuple[IntArray, IntArray],
        location: FloatArray,
        drawn_pair: Callable[[tuple[int, ...]], tuple[FloatArray, FloatArray]],
        shape: FloatArray,
        inside: BoolArray,
    ) -> FloatArray:
        """Draw the mixture's mean again and again from one conditional distribution."""
        lean = np.zeros(inside.shape)
        lean[inside] = mean_root(self.tail[inside])
        means = np.repeat((self.location + self.skew * lean)[None], n_means, axis=0)
        step, skew = drawn_pair((n_means, location.size))
        means[:, at[0], at[1]] = location + step + skew * lean[at]
        full = np.broadcast_to(shape, (n_means, *shape.shape))
        weight = self.rng.standard_gamma(full) * inside
        return np.asarray((weight * means).sum(axis=2) / weight.sum(axis=2))

    def _draw_number(
        self, counts: IntArray, n_used: IntArray, first: IntArray
    ) -> IntArray:
        """Draw the number of components given how many cases the used ones hold."""
        logs = np.add.reduceat(self._log_counts[counts], first, axis=0)
        logs += self._log_number
        free = np.arange(1, _MOST_COMPONENTS + 1) - n_used[:, None]
        empty = self._log_factorial[np.maximum(free, 0)]
        logs = np.where(free >= 0, logs - empty, -np.inf)
        reached = np.cumsum(np.exp(logs - logs.max(axis=1, keepdims=True)), axis=1)
        level = self.rng.random(self.n_chains) * reached[:, -1]
        return np.asarray(1 + (reached < level[:, None]).sum(axis=1))

    def _draw_population(self, inside: BoolArray) -> None:
        """Draw what the components of a chain have in common."""
        rng, prior, number = self.rng, self.prior, self.n_components.astype(np.float64)
        total = np.where(inside, self.precision, 0).sum(axis=1)
        logs = np.where(inside, np.log(self.precision), 0).sum(axis=1)
        apart = (
            self.scale_rate * total - number * np.log(self.scale_rate) - logs - number
        )
        a = np.maximum(prior.spread_a + apart, 1e-12)
        self.spread = draw_pro_gamma(rng, a, prior.spread_b + number)
        shape = prior.scale_shape + number * (1 + self.spread)
        rate = self.scale_rate_rate + self.spread * total
        self.scale_rate = rng.standard_gamma(shape) / rate
        precision = self.centre_precision + number * self.location_precision
        mean = self.centre_precision * self.centre
        mean = mean + self.location_precision * np.where(inside, self.location, 0).sum(
            axis=1
        )
        noise = rng.standard_normal(self.n_chains)
        self.location_centre = mean / precision + noise / np.sqrt(precision)
        away = np.where(inside, self.location - self.location_centre[:, None], 0)
        rate = prior.location_factor * self.location_rate + 0.5 * (away**2).sum(axis=1)
        shape = prior.location_shape + 0.5 * number
        self.location_precision = rng.standard_gamma(shape) / rate
        shape = np.full(self.n_chains, prior.rate_shape + prior.location_shape)
        rate = self.rate_rate + prior.location_factor * self.location_precision
        self.location_rate = rng.standard_gamma(shape) / rate

    # -- what a chain knows

    def means(self) -> FloatArray:
        """Return the mean of every chain's mixture."""
        inside = np.arange(self.weight.shape[1]) < self.n_components[:, None]
        lean = np.zeros(inside.shape)
        lean[inside] = mean_root(self.tail[inside])
        return np.asarray(
            (self.weight * (self.location + self.skew * lean)).sum(axis=1)
        )

    def mixtures(self) -> list[KeptMixture]:
        """Return every chain's mixture."""
        kept = []
        for chain, number in enumerate(self.n_components.tolist()):
            some = (chain, slice(0, number))
            kept.append(
                KeptMixture(
                    weight=self.weight[some].copy(),
                    location=self.location[some].reshape(-1, 1).copy(),
                    skew=self.skew[some].reshape(-1, 1).copy(),
                    precision=self.precision[some].reshape(-1, 1, 1).copy(),
                    shape=1 + self.tail[some],
                )
            )
        return kept


# ---- helpers of proposals -----------------------------------------------------------

_PRECISION_FACTORS = np.array([1 / 6, 1.0, 6.0])


def _log_normal(x: FloatArray, mean: FloatArray, precision: FloatArray) -> FloatArray:
    return np.asarray(
        0.5 * (np.log(precision) - LOG_2PI) - 0.5 * precision * (x - mean) ** 2
    )


def _log_share(share: FloatArray) -> FloatArray:
    """Log density of the part of a weight that is split off: Beta(2, 2), Beta(1, 9)."""
    density = 0.5 * (6 * share * (1 - share) + 9 * (1 - share) ** 8)
    return np.asarray(np.log(np.maximum(density, _TINY)))


# A component by its location, its tilt nu sqrt(S), and the logs of d and of the width
# of its core, sqrt(e / S) with e = d / (1 + d). What parts of a division are around,
# and by how much they vary (in widths for locations):
_TILT_OF_CORE, _TILT_OF_TAIL, _TILT_VARIES = 0.5, 0.75, 0.8
_WIDTH_OF_CORE, _CORE_VARIES = -0.1, 0.3
_WIDTH_OF_TAIL, _TAIL_VARIES = 1.1, 0.45
_LOCATION_VARIES = 0.7
_TILT_OF_BOTH = 0.8
_LOG_TAIL, _LOG_TAIL_VARIES = -1.2, 1.0


def _core(one: Sequence[FloatArray]) -> FloatArray:
    """Return location, tilt, log width and log tail of components."""
    location, skew, precision, tail = one
    log_width = 0.5 * (np.log(tail) - np.log1p(tail) - np.log(precision))
    return np.array([location, skew * np.sqrt(precision), log_width, np.log(tail)])


def _from_core(
    one: FloatArray, tail: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return location, skew, precision and tail; the first three rows are used."""
    location, tilt, log_width = one[:3]
    precision = tail / (1 + tail) * np.exp(-2 * log_width)
    return location, tilt / np.sqrt(precision), precision, tail


def _parts_around(parent: FloatArray, parts: FloatArray) -> tuple[FloatArray, ...]:
    """Return around what and how widely parts are proposed, tilts and widths known."""
    location, tilt, log_width, _ = parent
    around, varies = np.empty((2, 3, tilt.size)), np.empty((2, 3, tilt.size))
    around[:, 1] = _TILT_OF_CORE * tilt, _TILT_OF_TAIL * tilt
    around[:, 2] = log_width + _WIDTH_OF_CORE, log_width + _WIDTH_OF_TAIL
    varies[:, 1] = _TILT_VARIES
    varies[0, 2], varies[1, 2] = _CORE_VARIES, _TAIL_VARIES
    width = np.exp(parts[:, 2])
    around[0, 0] = location + tilt * np.exp(log_width) - parts[0, 1] * width[0]
    around[1, 0] = location
    varies[:, 0] = _LOCATION_VARIES * width
    return around, varies


def _divided(parent: FloatArray, noise: FloatArray) -> FloatArray:
    """Propose core and tail: location, tilt and log width of each."""
    parts = np.zeros((2, 3, parent.shape[1]))
    for i in (2, 1, 0):
        around, varies = _parts_around(parent, parts)
        parts[:, i] = around[:, i] + varies[:, i] * noise[:, i]
    return parts


def _log_divided(parent: FloatArray, core: FloatArray, tail: FloatArray) -> FloatArray:
    """Return the log density of `_divided`."""
    parts = np.array([core[:3], tail[:3]])
    around, varies = _parts_around(parent, parts)
    logs = _log_normal(parts, around, 1 / varies**2)
    return np.asarray(logs.sum(axis=(0, 1)))


def _united_around(
    core: FloatArray, tail: FloatArray, parent: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return around what and how widely a parent is proposed, tilt and width known."""
    width = np.exp(parent[2])
    around = np.array(
        [
            core[0] + core[1] * np.exp(core[2]) - parent[1] * width,
            _TILT_OF_BOTH * (core[1] + tail[1]),
            core[2] - _WIDTH_OF_CORE,
            np.full(width.size, _LOG_TAIL),
        ]
    )
    varies = np.array([_LOCATION_VARIES, _TILT_VARIES, _CORE_VARIES, _LOG_TAIL_VARIES])
    varies = np.repeat(varies[:, None], width.size, axis=1)
    varies[0] *= width
    return around, varies


def _united(
    core: FloatArray, tail: FloatArray, noise: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Propose the parent of core and tail, and its tail d."""
    parent = np.zeros(core.shape)
    for i in (3, 2, 1, 0):
        around, varies = _united_around(core, tail, parent)
        parent[i] = around[i] + varies[i] * noise[i]
    return parent, np.exp(parent[3])


def _log_united(parent: FloatArray, core: FloatArray, tail: FloatArray) -> FloatArray:
    """Return the log density of `_united`."""
    around, varies = _united_around(core, tail, parent)
    return np.asarray(_log_normal(parent, around, 1 / varies**2).sum(axis=0))


class _Windows:
    """Where components are born: windows of the sorted cases, of n, n/2, n/4 ... cases.

    From a window of share f with mean c and variance v: location ~ N(c, v), precision ~
    Gamma(2, rate 2 v), share ~ Beta(2, 2 (1 - f) / f); every size alike.
    """

    def __init__(self, values: FloatArray) -> None:
        x = np.sort(values)
        n = x.size
        middle = float(x.mean())
        sums = np.concatenate([[0.0], np.cumsum(x - middle)])
        squares = np.concatenate([[0.0], np.cumsum((x - middle) ** 2)])
        sizes = [n]
        while sizes[-1] // 2 >= 3 and len(sizes) < 7:
            sizes.append(sizes[-1] // 2)
        centre, variance, share, chance = [], [], [], []
        for size in sizes:
            most = max(1, min(2 * (n // size), 200))
            start = np.unique(np.linspace(0, n - size, most).astype(np.int64))
            end = start + size
            mean = (sums[end] - sums[start]) / size
            spread = (squares[end] - squares[start]) / size - mean * mean
            gap = (x[end - 1] - x[start]) / size
            centre.append(mean + middle)
            variance.append(np.maximum(spread, gap * gap) + 1e-12)
            share.append(np.full(start.size, size / (n + 2.0)))
            chance.append(np.full(start.size, 1 / (start.size * len(sizes))))
        self.centre, self.variance = np.concatenate(centre), np.concatenate(variance)
        part = np.concatenate(share)
        self.chance = np.concatenate(chance)
        self.beta = 2 * (1 - part) / part
        self.constant = np.log(self.chance) - 0.5 * np.log(2 * np.pi * self.variance)
        self.constant += 2 * np.log(2 * self.variance)
        self.constant += gammaln(2 + self.beta) - gammaln(self.beta)

    def draw(
        self, rng: np.random.Generator, n: int
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Draw location, precision and share of new components."""
        window = np.searchsorted(np.cumsum(self.chance), rng.random(n))
        window = np.minimum(window, self.centre.size - 1)
        variance = self.variance[window]
        location = self.centre[window] + np.sqrt(variance) * rng.standard_normal(n)
        precision = np.maximum(rng.standard_gamma(2.0, n), 1e-10) / (2 * variance)
        share = np.clip(rng.beta(2.0, self.beta[window]), 1e-12, 1 - 1e-12)
        return location, precision, share

    def log_density(
        self, location: FloatArray, precision: FloatArray, share: FloatArray
    ) -> FloatArray:
        """Return the log density of such a draw, over all windows."""
        logs = (
            self.constant - 0.5 * (location[:, None] - self.centre) ** 2 / self.variance
        )
        logs = logs - 2 * self.variance * precision[:, None]
        logs += (self.beta - 1) * np.log1p(-share)[:, None]
        top = logs.max(axis=1)
        total = top + np.log(np.exp(logs - top[:, None]).sum(axis=1))
        return np.asarray(total + np.log(precision) + np.log(share))
