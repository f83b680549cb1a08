r"""Method: the tail of the impostors, its shape shared by all samples.

The rank of the truth tells the chance p that a new class beats a sample only down to
one over the number of classes. The best wrong scores of *all* samples show what the
tail of impostors looks like far beyond that: every sample has a threshold and a scale
of its own, and one shape serves all.

1. Excesses of a sample's m best wrong scores over the next one follow a generalised
   Pareto law, :math:`\Lambda(e) = \log(1 + \xi e / \sigma_i) / \xi`. The logarithm of
   :math:`\sigma_i` is linear in the threshold and in the spread around it, and
   :math:`\xi` is one for all.
2. What the law makes of the excesses should be exponential; a smooth hazard H of what
   it really is takes off what remains.
3. :math:`\log p_i = \log((m + 1/2) / (k + 1/2)) - H(\Lambda(s_i - u_i))` above the
   threshold, the smoothed rank below it, and accuracy is
   :math:`\sum w_i (1 - p_i)^{K-1}`.
4. The samples that will be lost between the observed classes and twenty times as many
   teach the most: the law is fitted again with them in the foreground.
5. Scales of the scores (as given, less the median of the sample, the logarithm of the
   distance from an upper bound) and numbers m are averaged by how well each foretells
   the best scores from the next ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, NamedTuple

import numpy as np
import scipy

from scorecast._core.types import FloatArray, IntArray
from scorecast.exceptions import UsageError
from scorecast.extrapolation.bayesian import RankPosterior, rank_posterior
from scorecast.extrapolation.extrapolator import (
    EXTRAPOLATORS,
    Atoms,
    Extrapolator,
    Fit,
    UncertainLaw,
    clipped_logit,
)
from scorecast.extrapolation.observed import ObservedClasses
from scorecast.extrapolation.score_scales import on_log_scale
from scorecast.scores import (
    Embeddings,
    Recogniser,
    Scores,
    first_rows,
    looks_normalised,
    median_step,
)

_EXCESSES = (5, 10, 20, 40, 80, 160)
_MOST_SAMPLES = 3000  # whose tails are looked at; more tell no more
_ENOUGH_SAMPLES, _MOST_CELLS = 500, 50_000_000  # of very many classes, fewer will do
_MOST_FITTED = 1200  # samples that the shape is learnt from
_BLOCK = 1_000_000  # scores held at a time: more would be given back, and got anew
FEWEST_CLASSES = 10
_FEWEST_IN_HALVES = 12  # classes
_ROUNDS = 3
_FAR = 20  # times the observed classes: what the law is aimed at
_SPREAD_OUT = 400.0  # effective samples below which aiming gives way
_SHAPES = {"raw": (-0.1, 0.1), "centred": (-0.1, 0.1), "bounded": (-0.02, 0.03)}
_SLOPE_SD = 0.3
_STEEPEST = 0.9
_BIN, _LAST, _WALK_SD = 0.25, 14.0, 0.1  # of the log of the hazard
_BARRIER, _STEEP = 0.02, 50.0
_MOST_STEPS, _SETTLED = 100, 1e-10
_LONGEST, _SHORTEST, _FLATTEST, _NO_END = 1.0, 1e-6, 1e-3, 0.05
_LOWEST_LOG = -40.0
_MOST_TIED, _FEWEST_VALUES, _ROWS_LOOKED_AT = 0.3, 50, 200
_DOUBT, _DOUBT_OF_CLASSES, _DRIFT = 0.1, 1.0, 0.03
_TINY = 1e-12
_HUGE = 1e100


@dataclass(frozen=True, kw_only=True)
class Tail(Extrapolator):
    """Look into the tail of the impostors' scores, beyond what ranks can see.

    Attributes
    ----------
    excesses : tuple of int
        How many of the best wrong scores of a sample to look at; those that are too
        many for the classes are left out.

    References
    ----------
    S. Coles (2001). An introduction to statistical modeling of extreme values.
    """

    uses_scores: ClassVar[bool] = True
    has_own_spread: ClassVar[bool] = True

    name: str = "tail"
    title: str = "the tail of the impostors' scores"
    summary: str = "extremes of wrong scores, pooled; for similarities and distances"
    reference: str = "Coles (2001)"
    excesses: tuple[int, ...] = _EXCESSES

    def __post_init__(self) -> None:
        given = self.excesses
        numbers = tuple(given) if isinstance(given, tuple | list) else (given,)
        if not numbers or not all(isinstance(m, int) and m >= 2 for m in numbers):
            problem = f"must be whole numbers from 2 up; got {given!r}"
            raise UsageError(problem, parameter="excesses")
        object.__setattr__(self, "excesses", numbers)

    def fit(
        self,
        observed: ObservedClasses,
        rng: np.random.Generator,  # noqa: ARG002 - always the same samples
        *,
        n_jobs: int | None = None,  # noqa: ARG002 - quick
    ) -> Fit:
        """Learn the shape of the tail, on halves of the classes, too."""
        ranks, size = rank_posterior(observed)
        law = tail_law(observed, ranks, size, self.excesses)
        if law is None:
            # Votes, ties, few classes: there is no tail to be seen.
            return Fit(law=ranks, tuned=self, n_effective=size)
        return Fit(
            law=law, tuned=self, n_effective=size, parameters={"shape": law.shape}
        )


def tail_law(
    observed: ObservedClasses,
    ranks: RankPosterior,
    size: float,
    excesses: Sequence[int] = _EXCESSES,
) -> TailLaw | None:
    """Learn the shape of the tail, on halves of the classes, too; None without one."""
    if tail_objection(observed) is not None:
        return None
    whole = _law(observed, excesses, None)
    return TailLaw(
        candidates=whole.candidates,
        mixing=whole.mixing,
        weights=whole.weights,
        own=whole.own,
        class_weights=observed.ranking.class_weights,
        n_classes=observed.n_classes,
        observed=observed.ranks.accuracy(),
        n_effective=size,
        ranks=ranks,
        halves=tuple(
            _law(half, excesses, observed.n_classes) for half in _halves(observed)
        ),
        shape=whole.shapes[int(np.argmax(whole.mixing))],
    )


class _Seen(NamedTuple):
    """Tails of one set of classes: log-chances of being beaten, by every candidate."""

    candidates: FloatArray  # of shape (candidates, samples)
    mixing: FloatArray
    shapes: tuple[float, ...]
    weights: FloatArray
    own: IntArray

    def log_odds(self, ks: FloatArray, top: int) -> FloatArray:
        """Return log-odds at numbers of classes, averaged over candidates."""
        return self.mixing @ _each(self.candidates, self.weights, ks, top)


@dataclass(frozen=True, kw_only=True, eq=False)
class TailLaw(UncertainLaw):
    """What every sample's chance of being beaten is, by several views of its tail.

    Attributes
    ----------
    candidates : ndarray of shape (n_candidates, n_samples)
        Logarithms of the chance that a new class beats the truth.
    mixing : ndarray of shape (n_candidates,)
        Weights of the candidates; they add up to one.
    weights : ndarray of shape (n_samples,)
        Weights of the samples; they add up to one.
    own : ndarray of shape (n_samples,)
        Class of every sample.
    n_classes : int
        Number of classes observed.
    observed : float
        Accuracy with all of them.
    n_effective : float
        Number of independent samples.
    ranks : RankPosterior
        What ranks alone say: one more sample, of which nothing else is known.
    halves : tuple
        The same of halves of the classes.
    shape : float
        Shape of the law of excesses that counts most.
    class_weights : ndarray of float64 or None
        How much each class counts as the true one; None for all the same.
    """

    candidates: FloatArray
    mixing: FloatArray
    weights: FloatArray
    own: IntArray
    n_classes: int
    observed: float
    n_effective: float
    ranks: RankPosterior
    halves: tuple[_Seen, ...] = ()
    shape: float = 0.0
    class_weights: FloatArray | None = None

    def better(self, top: int) -> Sequence[UncertainLaw]:  # noqa: ARG002
        """Return nothing: tails are not seen of what did not happen."""
        return ()

    def own_accuracy(self, ks: IntArray, top: int = 1) -> FloatArray:
        """Return the accuracy, averaged over candidates in log-odds.

        One more sample goes by ranks alone, so that nothing is ever certain.
        """
        odds = self.mixing @ _each(self.candidates, self.weights, ks, top)
        share = 1 / (self.n_effective + 1)
        by_ranks = self.ranks.own_accuracy(ks, top)
        accuracy = (1 - share) * scipy.special.expit(odds) + share * by_ranks
        return np.where(np.asarray(ks) <= top, 1.0, accuracy)

    def ends(
        self, ks: IntArray, width: float, top: int = 1
    ) -> tuple[FloatArray, FloatArray]:
        """Return the accuracy so many standard deviations down and up."""
        low, high = super().ends(ks, width, top)
        if self.observed >= 1:
            # Without a single mistake the tail cannot be held against anything.
            low = np.minimum(low, self.ranks.ends(ks, width, top)[0])
        return low, high

    def logit_spread(self, ks: IntArray, top: int = 1) -> tuple[FloatArray, FloatArray]:
        """Return how far candidates, halves and what was observed disagree."""
        each = _each(self.candidates, self.weights, ks, top)
        centre = self.mixing @ each
        variance = (_DOUBT + _DOUBT_OF_CLASSES / np.sqrt(self.n_classes)) ** 2
        variance = variance + self.mixing @ (each - centre) ** 2
        beyond = np.log(np.maximum(np.asarray(ks) / self.n_classes, 1.0))
        variance = variance + (_DRIFT * beyond) ** 2 + self.disagreement(ks, top) ** 2
        variance = variance + self.sampling_error(ks, top) ** 2 / 2
        if top == 1:
            variance = variance + self._excess_miss()
        sd = np.sqrt(variance)
        return sd, sd

    def disagreement(self, ks: IntArray, top: int = 1) -> FloatArray:
        """Return by how much all classes say more than halves of them, in log-odds."""
        floats = np.asarray(ks, dtype=np.float64)
        if not self.halves:
            return np.zeros(floats.shape)
        said = np.mean([half.log_odds(floats, top) for half in self.halves], axis=0)
        away: FloatArray = (
            self.mixing @ _each(self.candidates, self.weights, ks, top) - said
        )
        return away

    def discriminability(self, u: FloatArray) -> FloatArray:
        """Return the weighted share of samples with favourability at most u."""
        p = np.exp(self.mixing @ self.candidates)
        order = np.argsort(-p)
        below = np.concatenate([[0.0], np.cumsum(self.weights[order])])
        at = np.searchsorted(1 - p[order], u, side="right")
        share: FloatArray = np.minimum(below[at], 1.0)
        return share

    def _excess_miss(self) -> float:
        """Return how far it misses what was observed, beyond what chance explains."""
        n = self.n_effective
        share = (self.observed * n + 0.5) / (n + 1)
        noise = 1 / (n * share * (1 - share))
        at = np.array([self.n_classes])
        missed = [self.mixing @ _each(self.candidates, self.weights, at, 1)]
        missed += [half.log_odds(at, 1) for half in self.halves]
        own, *others = (float(one[0] - scipy.special.logit(share)) for one in missed)
        if self.observed >= 1:
            # No mistake speaks against even fewer.
            own, others = min(own, 0.0), [min(one, 0.0) for one in others]
        of_halves = float(np.mean(others)) if others else 0.0
        return max(max(own**2, of_halves**2) - noise, 0.0)

    def sampling_error(self, ks: IntArray, top: int = 1) -> FloatArray:
        """Return the standard error that comes from the choice of classes."""
        logs = self.mixing @ self.candidates
        counts = np.bincount(self.own)
        held = counts > 0
        found = []
        for k in np.asarray(ks, dtype=np.float64):
            right = _chance_right(logs, k, top)
            means = np.bincount(self.own, right)[held] / counts[held]
            mean, error = float(means.mean()), means.std() / np.sqrt(held.sum())
            if self.class_weights is not None:
                shares = self.class_weights[: held.size][held]
                shares = shares / shares.sum()
                mean = float(shares @ means)
                error = np.sqrt(shares**2 @ (means - mean) ** 2)
            found.append(error / max(mean * (1 - mean), 1e-3))
        return np.array(found)


class Objection(StrEnum):
    """What speaks against a part of a forecast."""

    TOO_FEW_CLASSES = "too-few-classes"
    TIED = "tied"
    NOT_FINITE = "not-finite"
    FEW_VALUED = "few-valued"
    HALVES_DISAGREE = "halves-disagree"
    ALL_RIGHT = "all-right"
    ALL_WRONG = "all-wrong"


def tail_objection(observed: ObservedClasses) -> Objection | None:
    """Return why no tail can be seen: too few scores, or too few different ones."""
    if float(observed.weights @ (observed.ranking.n_tied > 0)) > _MOST_TIED:
        return Objection.TIED
    if observed.n_classes < FEWEST_CLASSES:
        return Objection.TOO_FEW_CLASSES
    scores = observed.scores
    rows = first_rows(scores, _ROWS_LOOKED_AT)
    if not np.isfinite(rows).all():
        return Objection.NOT_FINITE
    if np.unique(rows).size < _FEWEST_VALUES:
        return Objection.FEW_VALUED
    return None


def _each(
    candidates: FloatArray, weights: FloatArray, ks: FloatArray | IntArray, top: int
) -> FloatArray:
    """Return log-odds by every candidate (rows) at numbers of classes (columns)."""
    found = [
        [float(weights @ _chance_right(logs, k, top)) for k in np.asarray(ks, float)]
        for logs in candidates
    ]
    return clipped_logit(np.array(found), 1e-6)


def _chance_right(log_p: FloatArray, k: float, top: int) -> FloatArray:
    """Return the chance of being right among k classes, for every sample."""
    p = np.exp(log_p)
    if top == 1:
        right: FloatArray = np.exp((k - 1) * np.log1p(-p))
        return right
    atoms = Atoms(log_u=np.log1p(-p), p=p, masses=np.eye(1))
    return atoms._chances(k - 1, top, p / (1 - p))


def _halves(observed: ObservedClasses) -> Iterator[ObservedClasses]:
    """Part the classes in two, twice; always the same way."""
    if observed.n_classes < _FEWEST_IN_HALVES:
        return
    for repeat in range(2):
        rng = np.random.default_rng((observed.n_classes, repeat))
        n_groups = observed.ranking.n_groups
        kept = np.zeros(n_groups, dtype=bool)
        kept[rng.permutation(n_groups)[: n_groups // 2]] = True
        for side in (kept, ~kept):
            if side[observed.ranking.group[observed.ranking.own]].any():
                half = observed.restrict(side)
                if tail_objection(half) is None:
                    yield half


# --- the best wrong scores -----------------------------------------------------------


class _Best(NamedTuple):
    """The best wrong scores of some samples, from the best down."""

    truth: FloatArray
    wrong: FloatArray  # of shape (samples, kept)
    median: FloatArray
    log_rank: FloatArray  # smoothed share of classes that beat the truth
    weights: FloatArray
    own: IntArray
    n_wrong: int

    def in_range(self) -> _Best:
        """Bring huge scores to where their squares are numbers, by a power of two."""
        parts = self.truth, self.wrong, self.median
        finite = [part[np.isfinite(part)] for part in parts]
        largest = max(float(np.abs(part).max(initial=0.0)) for part in finite)
        if largest < _HUGE:
            return self
        power = -int(np.frexp(largest)[1])
        truth, wrong, median = (np.ldexp(part, power) for part in parts)
        return self._replace(truth=truth, wrong=wrong, median=median)

    def on_scale(self, scale: str, bound: float | None) -> _Scaled | None:
        """Bring scores to a scale; None where some of them have no place on it."""
        truth, wrong = self.truth, self.wrong
        if scale == "centred":
            truth, wrong = truth - self.median, wrong - self.median[:, None]
        elif scale == "bounded" and bound is not None:
            truth, wrong = -np.log(bound - truth), -np.log(bound - wrong)
        if not np.isfinite(wrong).all():
            return None
        return _Scaled(
            truth,
            wrong,
            span=float(np.ptp(wrong)),
            shape_prior=_SHAPES[scale],
            log_slope=wrong if scale == "bounded" else None,
        )


class _Scaled(NamedTuple):
    truth: FloatArray
    wrong: FloatArray
    span: float
    shape_prior: tuple[float, float]
    log_slope: FloatArray | None  # of the scale, where that is not one


def _best_wrong(observed: ObservedClasses, n_best: int) -> _Best:
    """Find the best wrong scores, block by block; a matrix of all is never made."""
    scores = observed.scores
    n, k = scores.n_samples, observed.n_classes
    rows = np.arange(n)
    most = min(_MOST_SAMPLES, max(_ENOUGH_SAMPLES, _MOST_CELLS // k))
    if n > most:
        rng = np.random.default_rng((n, k))
        # Drawn by unequal weights, without replacement, the heavy would be too few.
        p = None if observed.ranking.class_weights is not None else observed.weights
        rows = np.sort(rng.choice(n, most, replace=False, p=p))
    is_dense = rows.size == n
    chosen = scores if is_dense else scores.some(rows)
    if isinstance(chosen, Embeddings) and chosen.is_large:
        truth, wrong, median = chosen.best_wrong(n_best)
    else:
        truth, wrong, median = _best_of_rows(chosen, n_best)
    ranking = observed.ranking
    beaten = ranking.n_above[rows] + ranking.n_tied[rows] / 2
    weights = np.full(rows.size, 1 / rows.size)
    if is_dense or observed.ranking.class_weights is not None:
        weights = observed.weights[rows]
    return _Best(
        truth=truth,
        wrong=wrong,
        median=median,
        log_rank=np.log((beaten + 0.5) / k),
        weights=weights / weights.sum(),
        own=scores.own[rows],
        n_wrong=k - 1,
    )


def _best_of_rows(
    scores: Recogniser, n_best: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Look at rows of scores: the truth's, the best wrong ones, and a median."""
    n, k = scores.n_samples, scores.n_classes
    truth, median = np.empty(n), np.empty(n)
    wrong = np.empty((n, n_best))
    step = max(1, _BLOCK // k)
    for start in range(0, n, step):
        part = slice(start, min(start + step, n))
        block = np.array(scores.rows(part.start, part.stop), dtype=np.float64)
        at = np.arange(block.shape[0]), scores.own[part]
        truth[part] = block[at]
        block[at] = np.nan
        median[part] = _median_of_rows(block[:, :: median_step(k)])
        block[at] = -np.inf
        block.partition(k - n_best, axis=1)
        top = block[:, k - n_best :]
        top.sort(axis=1)
        wrong[part] = top[:, ::-1]
    return truth, wrong, median


def _median_of_rows(values: FloatArray) -> FloatArray:
    """Return the median of every row, without what is no number."""
    ordered = np.sort(values, axis=1)  # which comes last
    n = np.count_nonzero(~np.isnan(ordered), axis=1)
    rows = np.arange(len(ordered))
    median: FloatArray = (ordered[rows, (n - 1) // 2] + ordered[rows, n // 2]) / 2
    return median


def _upper_bound(observed: ObservedClasses, best: _Best) -> float | None:
    """Return what no score can exceed, if the scores have such a bound."""
    data = observed.data
    highest = max(float(best.truth.max()), float(best.wrong[:, 0].max()))
    if isinstance(data, Scores) and looks_normalised(data):
        return None
    if isinstance(data, Embeddings):
        bound = {"sqeuclidean": 0.0, "cosine": 1.0}.get(data.metric)
    elif highest < 0:
        sums = scipy.special.logsumexp(
            np.column_stack([best.truth, best.wrong]), axis=1
        )
        # Log-probabilities add up to one; distances do not.
        bound = None if np.mean(np.abs(sums) < 0.01) > 0.5 else 0.0
    else:
        lowest = float(best.wrong.min())
        bound = 1.0 if highest <= 1 and lowest >= -1 else None
    if bound is None or highest >= bound - _TINY * max(abs(bound), 1.0):
        return None
    return bound


# --- the law of the tail -------------------------------------------------------------


def _law(
    observed: ObservedClasses, excesses: Sequence[int], n_aimed: int | None
) -> _Seen:
    """Fit all candidates to the tails of some classes."""
    n_wrong = observed.n_classes - 1
    many = max(5, n_wrong // 5)
    ms = [m for m in excesses if m <= many and m < n_wrong - 1]
    ms = ms or [max(2, n_wrong // 3)]
    n_best = min(n_wrong, 3 * max(ms) + 1)
    best = _best_wrong(on_log_scale(observed), n_best)
    bound = _upper_bound(observed, best)
    best = best.in_range()
    names = ["raw", "centred"] + (["bounded"] if bound is not None else [])
    scales = [best.on_scale(name, bound) for name in names]
    aim = _FAR * (n_aimed or observed.n_classes)
    focus = best.weights
    found: list[_Candidate] = []
    for turn in range(_ROUNDS):
        is_last = turn == _ROUNDS - 1
        tried = ms if is_last else [ms[min(1, len(ms) - 1)]]
        sample = _Sample.of(best, focus, turn)
        found = [
            candidate
            for scaled in scales
            for m in tried
            if scaled is not None
            and (candidate := _fit(best, sample, scaled, m, ms[0])) is not None
        ]
        if not found:
            found = [_Candidate(best.log_rank, 1, 0.0, 0.0)]
        mixing = _mixing(found)
        p = np.exp(mixing @ np.array([c.log_p for c in found]))
        focus = _focus(best, p, n_wrong, aim)
    return _Seen(
        candidates=np.array([c.log_p for c in found]),
        mixing=mixing,
        shapes=tuple(c.shape for c in found),
        weights=best.weights,
        own=best.own,
    )


class _Candidate(NamedTuple):
    log_p: FloatArray
    m: int
    shape: float
    fitness: float


class _Sample(NamedTuple):
    """Samples that the shape is learnt from, with the weights they count by."""

    rows: IntArray
    weights: FloatArray
    n_units: float

    @classmethod
    def of(cls, best: _Best, focus: FloatArray, turn: int) -> _Sample:
        """Choose by weight, always the same ones."""
        n = focus.size
        rows, weights = np.arange(n), focus
        if n > _MOST_FITTED:
            chance = 0.5 * focus / focus.sum() + 0.5 / n
            rng = np.random.default_rng((n, turn))
            rows = np.sort(rng.choice(n, _MOST_FITTED, replace=False, p=chance))
            weights = focus[rows] / chance[rows]
        weights = weights / weights.sum()
        by_class = np.bincount(best.own[rows], weights)
        units = min(1 / (weights**2).sum(), 1 / (by_class**2).sum())
        return cls(rows, weights, float(units))


def _focus(best: _Best, p: FloatArray, n_wrong: int, aim: int) -> FloatArray:
    """Weigh samples by how likely they are lost between the classes and the aim."""
    lost = np.exp(-n_wrong * p) - np.exp(-(aim - 1) * p)
    lost = best.weights * np.maximum(lost, _TINY)
    lost /= lost.sum()
    share = 1 / (1 + (1 / (lost**2).sum() / _SPREAD_OUT) ** 2)
    focus: FloatArray = (1 - share) * lost + share * best.weights
    return focus


def _mixing(found: Sequence[_Candidate]) -> FloatArray:
    fitness = np.nan_to_num([c.fitness for c in found], nan=-1e9)
    weights = np.exp(fitness - fitness.max()) * np.sqrt([c.m for c in found])
    mixing: FloatArray = weights / weights.sum()
    return mixing


def _fit(
    best: _Best, sample: _Sample, scaled: _Scaled, m: int, least: int
) -> _Candidate | None:
    """Fit one law of excesses on one scale; None where it breaks down."""
    rows, weights = sample.rows, sample.weights
    wrong = scaled.wrong
    threshold = wrong[:, m]
    lower = wrong[:, min(3 * m, wrong.shape[1] - 1)]
    gap = threshold - lower + 1e-9 * scaled.span
    if (gap <= 0).any():
        return None
    design = np.column_stack(
        [
            np.ones(threshold.size),
            _standard(threshold, rows, weights),
            _standard(np.log(gap), rows, weights),
        ]
    )
    excess = wrong[:, :m] - threshold[:, None]
    unit = float(weights @ excess[rows].mean(axis=1))
    if unit <= 0:
        return None
    excess = np.maximum(excess / unit, 1e-9)
    n_events = sample.n_units * m / 2
    slopes, shape = _fit_pareto(
        excess[rows], design[rows], weights, n_events, scaled.shape_prior
    )
    sigma = np.exp(design @ slopes)
    seen = _cumulative(excess[rows] / sigma[rows, None], shape)
    hazard = _Hazard.of(seen, weights, n_events)
    over = np.maximum(scaled.truth - threshold, 0) / unit / sigma
    beyond = hazard.at(_cumulative(over, shape))
    first = excess[rows, :least] / sigma[rows, None]
    chances = _cumulative(first, shape)
    if not (np.isfinite(chances).all() and np.isfinite(beyond).all()):
        return None
    # How well the best few are foretold, given that they exceed the next one.
    next_one = (wrong[rows, least] - threshold[rows]) / unit / sigma[rows]
    given = hazard.at(_cumulative(np.maximum(next_one, 0), shape))
    stretch = np.log(np.maximum(1 + shape * first, 1e-8))
    logs = hazard.log_rate(chances) - hazard.at(chances) - stretch
    logs = logs - np.log(unit * sigma[rows])[:, None]
    fitness = logs.sum(axis=1) + least * given
    if scaled.log_slope is not None:
        fitness = fitness + scaled.log_slope[rows, :least].sum(axis=1)
    log_p = np.where(
        scaled.truth > threshold,
        np.log((m + 0.5) / (best.n_wrong + 0.5)) - beyond,
        best.log_rank,
    )
    return _Candidate(
        log_p=np.clip(log_p, _LOWEST_LOG, -1e-6),
        m=m,
        shape=float(shape),
        fitness=float(weights @ fitness * sample.n_units / 2),
    )


def _standard(values: FloatArray, rows: IntArray, weights: FloatArray) -> FloatArray:
    """Standardise, and keep what is far out from having its way."""
    mean = weights @ values[rows]
    sd = np.sqrt(weights @ (values[rows] - mean) ** 2) + _TINY
    return np.clip((values - mean) / sd, -4, 4)


def _cumulative(excess: FloatArray, shape: float) -> FloatArray:
    """Return the cumulative hazard of generalised Pareto excesses in units of sigma."""
    bent = shape if abs(shape) > 1e-5 else 1e-5
    hazard: FloatArray = np.log(np.maximum(1 + bent * excess, 1e-8)) / bent
    return hazard


def _fit_pareto(
    excess: FloatArray,
    design: FloatArray,
    weights: FloatArray,
    n_events: float,
    prior: tuple[float, float],
) -> tuple[FloatArray, float]:
    """Return the most plausible slopes of log sigma, and the shape."""
    m, n_slopes = excess.shape[1], design.shape[1]
    counts = weights * n_events / m
    expected, sd = prior
    # Of the level nothing is known beforehand; slopes are near zero.
    centre = np.append(np.zeros(n_slopes), expected)
    stiff = np.append([0.0], np.append(np.full(n_slopes - 1, _SLOPE_SD**-2), sd**-2))

    def terms(theta: FloatArray) -> _Terms:
        shape = theta[-1] if abs(theta[-1]) > 1e-5 else 1e-5
        with np.errstate(over="ignore", invalid="ignore"):
            log_sigma = design @ theta[:-1]
            of_law = _pareto_terms(excess * np.exp(-log_sigma)[:, None], shape)
            value = counts @ (m * log_sigma + of_law.value)
            slope = np.append(
                design.T @ (counts * (m + of_law.by_log_sigma)),
                counts @ of_law.by_shape,
            )
            bend = np.empty((n_slopes + 1, n_slopes + 1))
            bend[:-1, :-1] = design.T @ (
                design * (counts * of_law.by_log_sigma_twice)[:, None]
            )
            bend[:-1, -1] = bend[-1, :-1] = design.T @ (counts * of_law.by_both)
            bend[-1, -1] = counts @ of_law.by_shape_twice
        away = theta - centre
        return _Terms(
            float(value + 0.5 * stiff @ away**2),
            slope + stiff * away,
            bend + np.diag(stiff),
        )

    start = np.zeros(n_slopes + 1)
    start[0] = np.log(weights @ excess.mean(axis=1))
    # A law without an end admits every excess.
    start[-1] = max(expected, _NO_END)
    found = _downhill(terms, start)
    return found[:-1], float(found[-1])


class _Terms(NamedTuple):
    value: float
    slope: FloatArray
    bend: FloatArray


class _ParetoTerms(NamedTuple):
    """Of every sample: the sum over its excesses, and what it is differentiated by."""

    value: FloatArray
    by_log_sigma: FloatArray
    by_shape: FloatArray
    by_log_sigma_twice: FloatArray
    by_both: FloatArray
    by_shape_twice: FloatArray


def _pareto_terms(r: FloatArray, shape: float) -> _ParetoTerms:
    """Return (1 / shape + 1) log(1 + shape r), with r proportional to 1 / sigma."""
    inner = 1 + shape * r
    power = 1 / shape + 1
    # Beyond the end of the law a steep slope leads back.
    is_out = inner < _BARRIER
    barred = outside = np.zeros(r.shape[0])
    if is_out.any():
        outside = _STEEP * np.where(is_out, r, 0.0).sum(axis=1)
        barred = _STEEP * np.where(is_out, _BARRIER - inner, 0.0).sum(axis=1)
        r = np.where(is_out, 0.0, r)
        inner = np.where(is_out, _BARRIER, inner)
    ratio = r / inner
    # Sums over few columns: products are several times as fast.
    ones = np.ones(r.shape[1])
    logs_sum, ratios = np.log(inner) @ ones, ratio @ ones
    squares = np.einsum("ij,ij->i", ratio, ratio)
    return _ParetoTerms(
        value=power * logs_sum + barred,
        by_log_sigma=-power * shape * ratios + shape * outside,
        by_shape=-logs_sum / shape**2 + power * ratios - outside,
        by_log_sigma_twice=power * shape * (ratios - shape * squares) - shape * outside,
        by_both=-ratios + power * shape * squares + outside,
        by_shape_twice=2 * logs_sum / shape**3
        - 2 * ratios / shape**2
        - power * squares,
    )


def _downhill(terms: Callable[[FloatArray], _Terms], start: FloatArray) -> FloatArray:
    """Find the lowest place by Newton's steps, shortened until they lead down."""
    at, here = start, terms(start)
    for _ in range(_MOST_STEPS):
        free = np.ones(at.size, dtype=bool)
        # The last one, the shape, stays where it is when it is led out of its range.
        free[-1] = abs(at[-1]) < _STEEPEST or here.slope[-1] * at[-1] > 0
        step = np.zeros(at.size)
        step[free] = _newton_step(here.slope[free], here.bend[np.ix_(free, free)])
        room = _STEEPEST * np.sign(step[-1]) - at[-1]
        if abs(step[-1]) > abs(room):
            # Up to the end of the range, along the way.
            step *= room / step[-1]
        share = 1.0
        while share > _SHORTEST:
            there = at + share * step
            there[-1] = np.clip(there[-1], -_STEEPEST, _STEEPEST)
            tried = terms(there)
            if tried.value <= here.value:
                break
            share /= 2
        else:
            break
        gain = here.value - tried.value
        at, here = there, tried
        if gain <= _SETTLED * max(abs(here.value), 1.0):
            break
    return at


def _newton_step(slope: FloatArray, bend: FloatArray) -> FloatArray:
    """Return a step that leads down, also where it bends the other way."""
    scale = 1 / np.sqrt(np.maximum(np.abs(np.diag(bend)), _TINY))
    values, vectors = np.linalg.eigh(bend * np.outer(scale, scale))
    across = vectors.T @ (scale * slope)
    step = -scale * (vectors @ (across / np.maximum(np.abs(values), _FLATTEST)))
    shortened: FloatArray = step * min(1.0, _LONGEST / max(np.abs(step).max(), _TINY))
    return shortened


class _Hazard(NamedTuple):
    """A smooth hazard of residuals, one where the law of excesses is right."""

    edges: FloatArray
    cumulative: FloatArray
    logs: FloatArray

    @classmethod
    def of(cls, seen: FloatArray, weights: FloatArray, n_events: float) -> _Hazard:
        """Find the most plausible random walk of its logarithm over bins."""
        edges = np.arange(0, _LAST + _BIN / 2, _BIN)
        n_bins = edges.size - 1
        bins = (np.minimum(seen, _LAST) / _BIN).astype(np.int64)
        counts = np.repeat(weights * n_events / seen.shape[1], seen.shape[1])
        into = np.where(bins < n_bins, seen - bins * _BIN, 0.0)
        died = np.bincount(bins.ravel(), counts, n_bins + 1)
        alive = np.cumsum(died[::-1])[::-1]
        lived = np.bincount(bins.ravel(), counts * into.ravel(), n_bins + 1)
        exposure = lived[:-1] + alive[1:] * _BIN
        died = died[:-1]
        steps = np.diff(np.eye(n_bins), axis=0)
        stiff = steps.T @ steps / (_WALK_SD**2 * _BIN) + 1e-9 * np.eye(n_bins)
        logs = np.zeros(n_bins)
        for _ in range(40):
            expected = exposure * np.exp(logs)
            move = np.linalg.solve(
                stiff + np.diag(expected), died - expected - stiff @ logs
            )
            logs += np.clip(move, -1, 1)
            if np.abs(move).max() < 1e-5:
                break
        cumulative = np.concatenate([[0.0], np.cumsum(np.exp(logs) * _BIN)])
        return cls(edges, cumulative, logs)

    def at(self, residual: FloatArray) -> FloatArray:
        """Return the cumulative hazard; beyond the last bin it goes on as there."""
        last, rate = self.edges[-1], np.exp(self.logs[-1])
        within = np.interp(residual, self.edges, self.cumulative)
        beyond = self.cumulative[-1] + (residual - last) * rate
        return np.where(residual > last, beyond, within)

    def log_rate(self, residual: FloatArray) -> FloatArray:
        """Return the logarithm of the hazard."""
        at = np.minimum((residual / _BIN).astype(np.int64), self.logs.size - 1)
        return self.logs[at]


EXTRAPOLATORS.add(Tail())
