"""Method: the default, ranks and scores pooled by how far each can be trusted.

No single method does well everywhere. Ranks with a prior (`Bayesian`) hold up on any
score scale but know little while errors are few; smoothed scores (`Kde`) see by how
much a sample wins, but are biased and break down on scales where a kernel means
nothing; there they are smoothed on another (`score_scales`). Each is turned into an
opinion with a variance. Classes are hidden at several ratios to see by what share an
opinion overstates the decline, and part of that share is taken off. The opinions are
then averaged on the log-odds scale by their inverse variances (`pooling`). Reasons and
figures are in ``docs/decisions/0003-auto.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import ClassVar, NamedTuple, cast

import numpy as np
import scipy

from scorecast._core.types import BoolArray, FloatArray
from scorecast.exceptions import InsufficientDataError, UsageError
from scorecast.extrapolation.bayesian import RankPosterior, rank_posterior
from scorecast.extrapolation.extrapolator import (
    EXTRAPOLATORS,
    EmpiricalFavourability,
    Extrapolator,
    Fit,
    Law,
    clipped_logit,
)
from scorecast.extrapolation.kde import Kde
from scorecast.extrapolation.observed import (
    ObservedClasses,
    hide_classes,
    improvements,
)
from scorecast.extrapolation.pooling import (
    Anchor,
    AnchoredScores,
    AnchoredSmoothing,
    Pool,
    RankOpinion,
    ScoreOpinion,
    anchor_scores,
    counted_share,
    pool,
)
from scorecast.extrapolation.score_scales import on_log_scale, on_normal_scale

_SMOOTHERS = {"kde-ucv": Kde(rule="ucv"), "kde-bcv": Kde(rule="bcv")}
_RANKS = "bayesian"
_DRIFT = 0.03
_DRIFT_SATURATED = 0.08  # where scores only tell that a sample wins by far
_DRIFT_FEW_VALUED = 0.25  # votes and forests: classes are not scored one by one
_FEW_VALUES, _ROWS_LOOKED_AT = 0.5, 500  # share of a sample's scores that differ
_MOST_SATURATED = 0.3
_MOST_TIED = 0.5
# Surprise from which the normal scale is heeded beside the scores as given, and from
# which alone. With a step instead, one mistake less could lower a forecast.
_MISLED = (0.5, 1.5)
_MOST_SURPRISE = 2.0
FEWEST_CLASSES = 5  # to smooth over
_MOST_SCORES = 100_000_000
_FEWEST_TO_HIDE = 16  # classes
_RATIOS = (4, 2)
_REPEATS, _MANY_SCORES = 6, 10_000_000  # beyond so many scores, one repeat will do
_MOST_IMPROVEMENTS = 24
_MOST_TOGETHER = 200_000  # scores smoothed at once: no more than need no compiler
_TIMES_SMOOTHED_AGAIN, _MOST_SMOOTHED_AGAIN = 4, 300_000  # scores
# Part of what back-tests show of smoothed scores that carries over to larger ratios.
_SCORE_BELIEF = 0.25
_SLIGHTEST = 0.05  # decline in log-odds per factor e, to divide by
_MOST_EASED = 0.5


class Objection(StrEnum):
    """What speaks against a part of the pool."""

    TOO_FEW_CLASSES = "too-few-classes"
    TOO_MANY_SCORES = "too-many-scores"
    TIED = "tied"
    NOT_FINITE = "not-finite"
    SATURATED = "saturated"
    OFF_OBSERVED = "off-observed"
    ALL_RIGHT = "all-right"
    ALL_WRONG = "all-wrong"


# These bar the scores, and the interval is wider for it.
_WIDENING = (Objection.TIED, Objection.NOT_FINITE, Objection.SATURATED)


@dataclass(frozen=True, kw_only=True)
class PoolPart:
    """What is to be known of one part of the pool.

    Attributes
    ----------
    method : str
        Name of the method.
    weight : float
        Its share in the pool; 0 if it was set aside.
    objection : Objection or None
        What speaks against it.
    shift : float or None
        Log-odds by which smoothed scores were moved to agree with the accuracy seen.
    normal_share : float or None
        How far they were smoothed on a normal scale.
    easing : float or None
        Share taken off the decline after back-tests.
    saturated : float or None
        Share of the samples that win by more than a kernel can measure.
    smoothed, observed : float or None
        Accuracy with the observed classes, by smoothed scores and as counted.
    """

    method: str
    weight: float = 0.0
    objection: Objection | None = None
    shift: float | None = None
    normal_share: float | None = None
    easing: float | None = None
    saturated: float | None = None
    smoothed: float | None = None
    observed: float | None = None


@dataclass(frozen=True, kw_only=True)
class PoolTest:
    """How a part of the pool did where classes were hidden from it.

    Attributes
    ----------
    method : str
        Name of the method.
    n_kept, n_classes : int
        Classes shown, and all.
    n_repeats : int
        Choices of the classes shown.
    decline : float
        Log-odds that it lost from the classes shown to all.
    log_odds_error : float
        Log-odds predicted for all classes less those counted.
    """

    method: str
    n_kept: int
    n_classes: int
    n_repeats: int
    decline: float
    log_odds_error: float


@dataclass(frozen=True, kw_only=True)
class Pooling:
    """How the parts were pooled.

    Attributes
    ----------
    parts : tuple of PoolPart
        The ranks first.
    drift : float
        Log-odds by which the whole may go astray per factor e in classes.
    is_widened : bool
        Whether it is larger than usual, since scores could not be heeded.
    tests : tuple of PoolTest
        What hidden classes showed.
    """

    parts: tuple[PoolPart, ...]
    drift: float
    is_widened: bool
    tests: tuple[PoolTest, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class PooledFit(Fit):
    """A pool, with the parts that were pooled, exactly as they were."""

    pooling: Pooling
    parts: Mapping[str, Law]


class _Before(NamedTuple):
    """Scores smoothed before some samples were made right: others stay as they were."""

    smoothed: EmpiricalFavourability
    changed: BoolArray


class _Consulted(NamedTuple):
    """Scores that are heeded, what speaks against which, and the drift it means."""

    anchored: dict[str, AnchoredScores]
    parts: dict[str, PoolPart]
    drift: float


@dataclass(frozen=True, kw_only=True)
class Auto(Extrapolator):
    """Pool the ranks with one or more smoothings of the scores.

    The answer does not depend on a seed: the same classes are always hidden.

    Attributes
    ----------
    parts : tuple of str
        Methods to heed beside the ranks: "kde-ucv", "kde-bcv".
    """

    uses_scores: ClassVar[bool] = True
    has_own_spread: ClassVar[bool] = True

    name: str = "auto"
    title: str = "ranks and scores, pooled"
    summary: str = "ranks and smoothed scores pooled by how far each can be trusted"
    parts: tuple[str, ...] = ("kde-ucv",)

    def __post_init__(self) -> None:
        if isinstance(self.parts, str):
            object.__setattr__(self, "parts", (self.parts,))
        if not isinstance(self.parts, tuple | list):
            problem = f"must be names of methods; got {self.parts!r}"
            raise UsageError(problem, parameter="parts")
        for part in self.parts:
            if part not in _SMOOTHERS:
                known = ", ".join(_SMOOTHERS)
                problem = f"must be among {known}; got {part!r}"
                raise UsageError(problem, parameter="parts")

    def fit(
        self,
        observed: ObservedClasses,
        rng: np.random.Generator,  # noqa: ARG002 - the same classes are always hidden
        *,
        n_jobs: int | None = None,
    ) -> PooledFit:
        """Form the opinions, test them on hidden classes and weigh them."""
        first, size = rank_posterior(observed)
        observed = on_log_scale(observed)
        anchored, parts, drift = self._consult(observed, size, n_jobs)
        tests = _backtest(observed, anchored, size, n_jobs) if anchored else ()
        eased = _easings(tests)
        ranks, opinions = _opinions(observed, first, anchored, eased)
        pooled = pool(ranks, tuple(opinions.values()), drift)
        improved = self._improved(observed, anchored, eased, drift, n_jobs)
        weights = dict(zip([_RANKS, *opinions], pooled.weights.tolist(), strict=True))
        told = [
            replace(
                part, weight=weights.get(name, 0.0), easing=eased.get(name, part.easing)
            )
            for name, part in {_RANKS: _rank_part(observed), **parts}.items()
        ]
        return PooledFit(
            law=replace(pooled, improved=improved),
            # What was set aside for all classes is not taken up again for some.
            tuned=replace(self, parts=tuple(opinions)),
            n_effective=size,
            pooling=Pooling(
                parts=tuple(told), drift=drift, is_widened=drift > _DRIFT, tests=tests
            ),
            parts={_RANKS: ranks, **opinions},
        )

    def _consult(
        self,
        observed: ObservedClasses,
        size: float,
        n_jobs: int | None,
        before: Mapping[str, _Before] | None = None,
    ) -> _Consulted:
        """Smooth the scores where that makes sense; say where it does not."""
        anchored: dict[str, AnchoredScores] = {}
        parts: dict[str, PoolPart] = {}
        drift = _DRIFT
        for name in self.parts:
            part = PoolPart(method=name, objection=_look_away(observed))
            if part.objection is None:
                known = (before or {}).get(name)
                found = _anchor(name, observed, size, n_jobs, before=known)
                part = _judged(name, found)
                if part.objection not in _WIDENING:
                    anchored[name] = found
            if part.objection in _WIDENING:
                is_few = _is_few_valued(observed)
                drift = _DRIFT_FEW_VALUED if is_few else _DRIFT_SATURATED
            parts[name] = part
        return _Consulted(anchored, parts, drift)

    def _improved(
        self,
        observed: ObservedClasses,
        anchored: dict[str, AnchoredScores],
        eased: dict[str, float],
        drift: float,
        n_jobs: int | None,
    ) -> tuple[Pool, ...]:
        """Pool again as if ever more of the worst mistakes were right.

        Scores are smoothed again for some of these, and for none if they are many;
        else they stay as they were, which is not more than they would tell.
        """
        better_ones = improvements(observed, _MOST_IMPROVEMENTS)
        every = max(1, len(better_ones) // _TIMES_SMOOTHED_AGAIN)
        may_smooth = observed.n_cells <= _MOST_SMOOTHED_AGAIN
        known: dict[tuple[str, bool], EmpiricalFavourability] = {}
        for name, part in anchored.items():
            known[name, False] = part.given.scores
            if part.normal is not None:
                known[name, True] = part.normal.scores
        found = []
        for left, right in enumerate(reversed(better_ones)):
            first, size = rank_posterior(observed, right)
            astray = drift
            before = {
                name: _Before(part.given.scores, right)
                for name, part in anchored.items()
            }
            if left == 0 and may_smooth:
                # With every sample right: just what would then be forecast.
                better = observed.scores_if_right(right)
                parts, _, astray = self._consult(better, size, n_jobs, before)
            elif left % every == 0 and may_smooth:
                better = observed.scores_if_right(right)
                parts = {
                    name: _anchor(name, better, size, n_jobs, before=before[name])
                    for name in anchored
                }
            else:
                counted = observed.ranks_if_right(right).accuracy()
                parts = {
                    name: _anchor(
                        name, observed, size, n_jobs, counted=counted, known=known
                    )
                    for name in anchored
                }
            # Back-tests tell of the scale they were made on.
            tested = {
                name: eased.get(name, 0.0)
                * (1 - abs(part.share - anchored[name].share))
                for name, part in parts.items()
                if name in anchored
            }
            ranks, opinions = _opinions(observed, first, parts, tested)
            found.append(pool(ranks, tuple(opinions.values()), astray))
        return tuple(found)


def _anchor(
    name: str,
    observed: ObservedClasses,
    size: float,
    n_jobs: int | None,
    *,
    counted: float | None = None,
    share: float | None = None,
    known: dict[tuple[str, bool], EmpiricalFavourability] | None = None,
    before: _Before | None = None,
) -> AnchoredScores:
    """Smooth the scores as given and, as far as that misses, on the normal scale.

    `counted` stands in for the accuracy observed, `share` for how far the normal scale
    is heeded; `known` keeps what was smoothed, `before` what need not be done again.
    """
    n_classes = observed.n_classes
    accuracy = observed.ranks.accuracy() if counted is None else counted
    known = {} if known is None else known
    if before is not None:
        known = {(name, False): _smooth_changed(name, observed, before, n_jobs)}

    def anchor_on(is_rescaled: bool) -> AnchoredSmoothing:
        if (name, is_rescaled) not in known:
            known[name, is_rescaled] = _smooth(name, observed, is_rescaled, n_jobs)
        scores = known[name, is_rescaled]
        anchor = anchor_scores(
            scores, accuracy, n_classes, size, is_rescaled=is_rescaled
        )
        return AnchoredSmoothing(scores=scores, anchor=anchor, n_classes=n_classes)

    given = anchor_on(False)
    if share is None:
        share = _share_misled(given.anchor)
        if observed.n_cells > _MANY_SCORES:
            share = 0.0
    if share == 0:
        return AnchoredScores(given=given)
    normal = anchor_on(True)
    is_sound = np.isfinite(normal.anchor.miss) and (
        normal.anchor.saturated <= _MOST_SATURATED
    )
    if not is_sound:
        return AnchoredScores(given=given)
    return AnchoredScores(given=given, normal=normal, share=share)


def _smooth(
    name: str, observed: ObservedClasses, is_rescaled: bool, n_jobs: int | None
) -> EmpiricalFavourability:
    scaled = on_normal_scale(observed) if is_rescaled else observed
    # One group: which classes the mass comes from does not matter here.
    whole = scaled.regroup(1, np.random.default_rng(0))
    fit = _SMOOTHERS[name].fit(whole, np.random.default_rng(0), n_jobs=n_jobs)
    return cast("EmpiricalFavourability", fit.law)


def _smooth_changed(
    name: str, observed: ObservedClasses, before: _Before, n_jobs: int | None
) -> EmpiricalFavourability:
    """Smooth the samples that changed; every sample is smoothed by itself."""
    data, rows = observed.scores, np.flatnonzero(before.changed)
    values = before.smoothed.values.copy()
    scores = data.rows(0, data.n_samples)[rows]
    values[rows] = _SMOOTHERS[name].smooth(scores, data.own[rows], n_jobs=n_jobs)
    return replace(before.smoothed, values=values)


def _share_misled(anchor: Anchor) -> float:
    """Return how far smoothed scores miss too much to be smoothed as given."""
    never, fully = _MISLED
    is_blind = anchor.saturated > _MOST_SATURATED or not np.isfinite(anchor.surprise)
    share = 0.0 if is_blind else (anchor.surprise - never) / (fully - never)
    return float(np.clip(share, 0.0, 1.0))


def _opinions(
    observed: ObservedClasses,
    first: RankPosterior,
    anchored: dict[str, AnchoredScores],
    eased: dict[str, float],
) -> tuple[RankOpinion, dict[str, ScoreOpinion]]:
    ranks = RankOpinion(fitted=first, n_classes=observed.n_classes)
    opinions = {
        name: ScoreOpinion(fitted=part, ranks=ranks, eased=eased.get(name, 0.0))
        for name, part in anchored.items()
    }
    return ranks, opinions


# --- what hidden classes show --------------------------------------------------------


def _backtest(
    observed: ObservedClasses,
    anchored: dict[str, AnchoredScores],
    size: float,
    n_jobs: int | None,
) -> tuple[PoolTest, ...]:
    """Hide classes at several ratios and predict the accuracy with all of them."""
    n_classes = observed.n_classes
    if n_classes < _FEWEST_TO_HIDE:
        return ()
    counted = counted_share(observed.ranks.accuracy(), size)
    truth = float(scipy.special.logit(counted))
    n_repeats = 1 if observed.n_cells > _MANY_SCORES else _REPEATS
    tests = []
    for ratio in _RATIOS:
        kept = max(n_classes // ratio, FEWEST_CLASSES)
        shown = _hidings(observed, kept, ratio, n_repeats)
        found = _predict_back(shown, n_classes, anchored, n_jobs)
        found = found[np.isfinite(found).all(axis=(1, 2))]
        for column, method in enumerate((_RANKS, *anchored) if found.size else ()):
            start, end = found[:, column].mean(axis=0)
            tests.append(
                PoolTest(
                    method=method,
                    n_kept=kept,
                    n_classes=n_classes,
                    n_repeats=len(found),
                    decline=float(start - end),
                    log_odds_error=float(end - truth),
                )
            )
    return tuple(tests)


def _hidings(
    observed: ObservedClasses, kept: int, ratio: int, n_repeats: int
) -> list[ObservedClasses]:
    """Keep some classes, always the same ones; unlucky choices are left out."""
    shown = []
    for repeat in range(n_repeats):
        rng = np.random.default_rng((observed.n_classes, ratio, repeat))
        try:
            shown.append(hide_classes(observed, kept, rng))
        except InsufficientDataError:
            continue
    return shown


def _predict_back(
    shown: list[ObservedClasses],
    n_classes: int,
    anchored: dict[str, AnchoredScores],
    n_jobs: int | None,
) -> FloatArray:
    """Return each part's log-odds with the classes kept, and with all.

    Of shape (hidings, parts, 2); all hidings are smoothed together.
    """
    smoothed: list[dict[tuple[str, bool], EmpiricalFavourability]]
    smoothed = [{} for _ in shown]
    for name, part in anchored.items():
        for is_rescaled in (False, True)[: 1 + (part.share > 0)]:
            together = _smooth_together(name, shown, is_rescaled, n_jobs)
            for known, law in zip(smoothed, together, strict=True):
                known[name, is_rescaled] = law
    found = np.empty((len(shown), 1 + len(anchored), 2))
    for odds, one, known in zip(found, shown, smoothed, strict=True):
        ks = np.array([one.n_classes, n_classes])
        first, size = rank_posterior(one)
        odds[0] = clipped_logit(first.own_accuracy(ks))
        for row, (name, part) in enumerate(anchored.items(), start=1):
            again = _anchor(name, one, size, n_jobs, share=part.share, known=known)
            odds[row] = again.log_odds(ks)
    return found


def _smooth_together(
    name: str, every: list[ObservedClasses], is_rescaled: bool, n_jobs: int | None
) -> list[EmpiricalFavourability]:
    """Smooth several sets of few scores at once; every sample is smoothed by itself."""
    n_cells = sum(one.n_cells for one in every)
    if n_cells > _MOST_TOGETHER or len({one.n_classes for one in every}) > 1:
        return [_smooth(name, one, is_rescaled, n_jobs) for one in every]
    if not every:
        return []
    scaled = [on_normal_scale(one) if is_rescaled else one for one in every]
    data = [one.scores for one in scaled]
    values = _SMOOTHERS[name].smooth(
        np.concatenate([one.rows(0, one.n_samples) for one in data]),
        np.concatenate([one.own for one in data]),
        n_jobs=n_jobs,
    )
    ends = np.cumsum([one.n_samples for one in data])[:-1]
    return [
        EmpiricalFavourability(values=part, weights=one.weights)
        for part, one in zip(np.split(values, ends), every, strict=True)
    ]


def _easings(tests: tuple[PoolTest, ...]) -> dict[str, float]:
    """Return which share of its decline each smoothing overstates, as far as believed.

    None is made to decline faster: where they seem to be too slow, errors were too few
    to tell. Ranks are left as they are: what back-tests say of them is mostly noise.
    """
    easings = {}
    for method in {test.method: None for test in tests if test.method != _RANKS}:
        own = [test for test in tests if test.method == method]
        far = np.log([test.n_classes / test.n_kept for test in own])
        weight = far * [test.n_repeats for test in own]
        missing = weight @ [-test.log_odds_error for test in own]
        decline = weight @ [test.decline for test in own]
        least = _SLIGHTEST * float(weight @ far)
        share = _SCORE_BELIEF * float(missing) / max(float(decline), least)
        easings[method] = float(np.clip(share, 0.0, _MOST_EASED))
    return easings


# --- what speaks against a part ------------------------------------------------------


def _rank_part(observed: ObservedClasses) -> PoolPart:
    extremes = {1.0: Objection.ALL_RIGHT, 0.0: Objection.ALL_WRONG}
    return PoolPart(method=_RANKS, objection=extremes.get(observed.ranks.accuracy()))


def _look_away(observed: ObservedClasses) -> Objection | None:
    """Return why scores are not even looked at."""
    if observed.n_classes < FEWEST_CLASSES:
        return Objection.TOO_FEW_CLASSES
    if observed.n_cells > _MOST_SCORES:
        return Objection.TOO_MANY_SCORES
    if float(observed.weights @ (observed.ranking.n_tied > 0)) > _MOST_TIED:
        return Objection.TIED
    return None


def _judged(name: str, part: AnchoredScores) -> PoolPart:
    """Return what speaks against smoothed scores, and how they were made to fit."""
    anchor = part.anchor
    objection = None
    if not np.isfinite(anchor.miss):
        objection = Objection.NOT_FINITE
    elif anchor.saturated > _MOST_SATURATED:
        objection = Objection.SATURATED
    elif anchor.surprise > _MOST_SURPRISE:
        objection = Objection.OFF_OBSERVED
    return PoolPart(
        method=name,
        objection=objection,
        shift=float(-anchor.miss),
        normal_share=part.share,
        saturated=anchor.saturated,
        smoothed=anchor.smoothed,
        observed=anchor.observed,
    )


def _is_few_valued(observed: ObservedClasses) -> bool:
    """Tell whether most scores of a sample are equal to another of them."""
    scores = observed.scores
    rows = scores.rows(0, min(scores.n_samples, _ROWS_LOOKED_AT))
    shares = [np.unique(row).size / row.size for row in rows]
    return float(np.median(shares)) < _FEW_VALUES


EXTRAPOLATORS.add(Auto())
