"""The default: ranks and scores pooled by how far each can be trusted.

No single method does well everywhere. Ranks with a prior (`Bayesian`) hold up on any
score scale but know little while errors are few; smoothed scores (`KdeUcv`) see by how
much an example wins, but are biased and break down on scales where a kernel means
nothing; there they are smoothed on another (`score_scales`). Each is turned into an
opinion with a variance. Classes are hidden at several ratios to see by what share an
opinion overstates the decline, and part of that share is taken off. The opinions are
then averaged on the log-odds scale by their inverse variances.
Reasons and figures are in ``docs/decisions/0003-auto.md``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

import numpy as np
from scipy.special import logit

from scorecast._core.checks import check_choice
from scorecast._core.types import FloatArray
from scorecast.classes.anchoring import (
    Anchor,
    AnchoredScores,
    AnchoredSmoothing,
    anchor_scores,
    counted_share,
)
from scorecast.classes.bayesian import GridFavourability, rank_posterior
from scorecast.classes.distributions import (
    EmpiricalFavourability,
)
from scorecast.classes.evidence import Evidence
from scorecast.classes.hiding import hide_classes
from scorecast.classes.kde import Kde, KdeBcv, KdeUcv
from scorecast.classes.method import Fit, Method
from scorecast.classes.monotone import clipped_logit, improvements
from scorecast.classes.pooling import (
    PooledFavourability,
    RankOpinion,
    ScoreOpinion,
    pool,
)
from scorecast.classes.score_scales import on_log_scale, on_normal_scale
from scorecast.exceptions import InsufficientDataError

__all__ = ["Auto"]

_SMOOTHERS: dict[str, type[Kde]] = {"kde-ucv": KdeUcv, "kde-bcv": KdeBcv}
_RANKS = "bayesian"
_DRIFT = 0.03
_DRIFT_SATURATED = 0.08  # where scores only tell that an example wins by far
_DRIFT_FEW_VALUED = 0.25  # votes and forests: classes are not scored one by one
_FEW_VALUES, _ROWS_LOOKED_AT = 0.5, 500  # share of an example's scores that differ
_MOST_SATURATED = 0.3
_MOST_TIED = 0.5
# Surprise from which the normal scale is heeded beside the scores as given, and from
# which alone. With a step instead, one mistake less could lower a forecast.
_MISLED = (0.5, 1.5)
_MOST_SURPRISE = 2.0
_FEWEST_CLASSES = 5
_MOST_SCORES = 100_000_000
_FEWEST_TO_HIDE = 16  # classes
_RATIOS = (4, 2)
_REPEATS, _MANY_SCORES = 6, 10_000_000  # beyond so many scores, one repeat will do
_MOST_IMPROVEMENTS = 24
_TIMES_SMOOTHED_AGAIN, _MOST_SMOOTHED_AGAIN = 4, 300_000  # scores
# Part of what back-tests show of smoothed scores that carries over to larger ratios.
_SCORE_BELIEF = 0.25
_SLIGHTEST = 0.05  # decline in log-odds per factor e, to divide by
_MOST_EASED = 0.5


@dataclass(frozen=True, kw_only=True)
class Auto(Method):
    """Pool the ranks with one or more smoothings of the scores.

    Attributes
    ----------
    methods : tuple of str
        Score-based methods to heed beside the ranks: "kde-ucv", "kde-bcv".
    n_jobs : int or None
        Number of threads.
    """

    name: ClassVar[str] = "auto"

    methods: tuple[str, ...] = ("kde-ucv",)
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        for method in self.methods:
            check_choice(method, "methods", tuple(_SMOOTHERS))

    def fit(
        self,
        evidence: Evidence,
        rng: np.random.Generator,  # noqa: ARG002 - the same classes are always hidden
    ) -> Fit:
        """Form the opinions, test them on hidden classes and weigh them.

        Parameters
        ----------
        evidence : Evidence
            The observed classes.
        rng : numpy.random.Generator
            Not used: the answer does not depend on a seed.

        Returns
        -------
        Fit
            The pooled distribution. Its details hold the weight of each method, the
            guards that fired with their reasons, the back-tests, and the parts that
            were pooled, exactly as they were.
        """
        first, size = rank_posterior(evidence)
        evidence = on_log_scale(evidence)
        anchored, guards, drift = self._consult(evidence, size)
        tests = self._backtest(evidence, anchored, size) if anchored else []
        eased = _shares(tests)
        ranks, opinions = _opinions(evidence, first, anchored, eased)
        pooled = pool(ranks, tuple(opinions.values()), drift)
        pooled = replace(
            pooled, improved=self._improved(evidence, anchored, eased, drift)
        )
        details = {
            "weights": dict(
                zip([_RANKS, *opinions], pooled.weights.tolist(), strict=True)
            ),
            "guards": guards,
            "notes": _notes(guards, anchored, eased),
            "n_effective": size,
            "drift": drift,
            "is_widened": drift > _DRIFT,
            "backtest": tests,
            "eased": eased,
            "components": {_RANKS: ranks, **opinions},
        }
        # What was set aside for all classes is not taken up again for some of them.
        tuned = replace(self, methods=tuple(opinions))
        return Fit(distribution=pooled, tuned=tuned, details=details)

    def _consult(
        self, evidence: Evidence, size: float
    ) -> tuple[dict[str, AnchoredScores], list[dict[str, str]], float]:
        """Smooth the scores where that makes sense; say where it does not."""
        anchored: dict[str, AnchoredScores] = {}
        guards = _remarks(evidence)
        drift = _DRIFT
        for name in self.methods:
            reason, is_barred = _too_much_or_little(evidence), False
            if not reason and _share_tied(evidence) > _MOST_TIED:
                reason = (
                    "Most examples tie with other classes, so ranks alone tell, and "
                    "the interval is wider for that."
                )
                is_barred = True
            if not reason:
                part = self._anchor(name, evidence, size)
                reason, is_barred = _objection(name, part.anchor)
                if not is_barred:
                    anchored[name] = part
            if is_barred:
                is_few = _is_few_valued(evidence)
                drift = _DRIFT_FEW_VALUED if is_few else _DRIFT_SATURATED
            if reason:
                guards.append({"method": name, "reason": reason})
        return anchored, guards, drift

    def _improved(
        self,
        evidence: Evidence,
        anchored: dict[str, AnchoredScores],
        eased: dict[str, float],
        drift: float,
    ) -> tuple[PooledFavourability, ...]:
        """Pool again as if ever more of the worst mistakes were right.

        Scores are smoothed again for some of these, and for none if they are many;
        else they stay as they were, which is not more than they would tell.
        """
        n_scores = evidence.ranking.n_samples * evidence.n_classes
        better_ones = improvements(evidence, _MOST_IMPROVEMENTS)
        every = max(1, len(better_ones) // _TIMES_SMOOTHED_AGAIN)
        known: dict[tuple[str, bool], EmpiricalFavourability] = {}
        for name, part in anchored.items():
            known[name, False] = part.given.scores
            if part.normal is not None:
                known[name, True] = part.normal.scores
        found = []
        for left, right in enumerate(reversed(better_ones)):
            first, size = rank_posterior(evidence, right)
            astray = drift
            if left == 0 and n_scores <= _MOST_SMOOTHED_AGAIN:
                # With every example right: just what would then be forecast.
                better = evidence.scores_if_right(right)
                parts, _, astray = self._consult(better, size)
            elif left % every == 0 and n_scores <= _MOST_SMOOTHED_AGAIN:
                better = evidence.scores_if_right(right)
                parts = {name: self._anchor(name, better, size) for name in anchored}
            else:
                observed = evidence.ranks_if_right(right).accuracy
                parts = {
                    name: self._anchor(
                        name, evidence, size, observed=observed, known=known
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
            ranks, opinions = _opinions(evidence, first, parts, tested)
            found.append(pool(ranks, tuple(opinions.values()), astray))
        return tuple(found)

    def _anchor(
        self,
        name: str,
        evidence: Evidence,
        size: float,
        *,
        observed: float | None = None,
        share: float | None = None,
        known: dict[tuple[str, bool], EmpiricalFavourability] | None = None,
    ) -> AnchoredScores:
        """Smooth the scores as given and, as far as that misses, on the normal scale.

        `observed` stands in for the accuracy counted, `share` for how far the normal
        scale is heeded; `known` keeps what was smoothed.
        """
        n_classes = evidence.n_classes
        observed = evidence.ranks.accuracy if observed is None else observed
        known = {} if known is None else known

        def anchor_on(is_rescaled: bool) -> AnchoredSmoothing:
            if (name, is_rescaled) not in known:
                known[name, is_rescaled] = self._smooth(name, evidence, is_rescaled)
            scores = known[name, is_rescaled]
            return AnchoredSmoothing(
                scores=scores,
                anchor=anchor_scores(
                    scores, observed, n_classes, size, is_rescaled=is_rescaled
                ),
                n_classes=n_classes,
            )

        given = anchor_on(False)
        if share is None:
            share = _share_misled(given.anchor)
            if evidence.ranking.n_samples * n_classes > _MANY_SCORES:
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
        self, name: str, evidence: Evidence, is_rescaled: bool
    ) -> EmpiricalFavourability:
        # One group: which classes the mass comes from does not matter here.
        whole = _rescale(evidence, is_rescaled).regroup(1, np.random.default_rng(0))
        smoother = _SMOOTHERS[name](n_jobs=self.n_jobs)
        fitted = smoother.fit(whole, np.random.default_rng(0)).distribution
        return cast("EmpiricalFavourability", fitted)

    def _backtest(
        self, evidence: Evidence, anchored: dict[str, AnchoredScores], size: float
    ) -> list[dict[str, Any]]:
        """Hide classes at several ratios and predict the accuracy with all of them."""
        n_classes = evidence.n_classes
        if n_classes < _FEWEST_TO_HIDE:
            return []
        observed = float(logit(counted_share(evidence.ranks.accuracy, size)))
        is_large = evidence.ranking.n_samples * n_classes > _MANY_SCORES
        rows = []
        for ratio in _RATIOS:
            kept = max(n_classes // ratio, _FEWEST_CLASSES)
            tries = [
                self._predict_back(evidence, anchored, kept, (n_classes, ratio, repeat))
                for repeat in range(1 if is_large else _REPEATS)
            ]
            found = np.array([odds for odds in tries if np.isfinite(odds).all()])
            for column, method in enumerate((_RANKS, *anchored) if found.size else ()):
                start, end = found[:, column].mean(axis=0)
                row = {"n_kept": kept, "n_classes": n_classes, "n_repeats": len(found)}
                misses = {"decline": start - end, "log_odds_error": end - observed}
                errors = {name: float(value) for name, value in misses.items()}
                rows.append({"method": method, **row, **errors})
        return rows

    def _predict_back(
        self,
        evidence: Evidence,
        anchored: dict[str, AnchoredScores],
        kept: int,
        seed: tuple[int, ...],
    ) -> FloatArray:
        """Return each method's log-odds with the classes kept, and with all."""
        try:
            shown = hide_classes(evidence, kept, np.random.default_rng(seed))
        except InsufficientDataError:
            return np.full((1 + len(anchored), 2), np.nan)
        ks = np.array([shown.n_classes, evidence.n_classes])
        first, size = rank_posterior(shown)
        parts = [
            self._anchor(name, shown, size, share=part.share).log_odds(ks)
            for name, part in anchored.items()
        ]
        return np.array([clipped_logit(first.own_accuracy(ks)), *parts])


def _opinions(
    evidence: Evidence,
    first: GridFavourability,
    anchored: dict[str, AnchoredScores],
    eased: dict[str, float],
) -> tuple[RankOpinion, dict[str, ScoreOpinion]]:
    ranks = RankOpinion(fitted=first, n_classes=evidence.n_classes)
    opinions = {
        name: ScoreOpinion(fitted=part, ranks=ranks, eased=eased.get(name, 0.0))
        for name, part in anchored.items()
    }
    return ranks, opinions


def _share_misled(anchor: Anchor) -> float:
    """Say how far smoothed scores miss too much to be smoothed as given."""
    never, fully = _MISLED
    is_blind = anchor.saturated > _MOST_SATURATED or not np.isfinite(anchor.surprise)
    share = 0.0 if is_blind else (anchor.surprise - never) / (fully - never)
    return float(np.clip(share, 0.0, 1.0))


def _rescale(evidence: Evidence, is_rescaled: bool) -> Evidence:
    return on_normal_scale(evidence) if is_rescaled else evidence


def _shares(tests: list[dict[str, Any]]) -> dict[str, float]:
    """Return which share of its decline each smoothing overstates, as far as believed.

    None is made to decline faster: where they seem to be too slow, errors were too few
    to tell. Ranks are left as they are: what back-tests say of them is mostly noise.
    """
    shares = {}
    for method in {test["method"]: None for test in tests if test["method"] != _RANKS}:
        own = [test for test in tests if test["method"] == method]
        far = np.log([test["n_classes"] / test["n_kept"] for test in own])
        weight = far * [test["n_repeats"] for test in own]
        missing = weight @ [-test["log_odds_error"] for test in own]
        decline = weight @ [test["decline"] for test in own]
        share = _SCORE_BELIEF * missing / max(decline, _SLIGHTEST * float(weight @ far))
        shares[method] = float(np.clip(share, 0.0, _MOST_EASED))
    return shares


def _notes(
    guards: list[dict[str, str]],
    anchored: dict[str, AnchoredScores],
    eased: dict[str, float],
) -> dict[str, str]:
    """Say in a sentence or two what is to be known of each method."""
    notes = {
        name: _told_scale(part.share)
        + f"Moved by {-part.anchor.miss:+.2f} log-odds to agree with the "
        "accuracy observed."
        for name, part in anchored.items()
    }
    for guard in guards:
        notes[guard["method"]] = guard["reason"]
    for name, share in eased.items():
        if round(100 * share) == 0:
            continue  # nothing that could be seen
        told = f"Made to decline {100 * share:.0f} % slower after back-tests."
        notes[name] = f"{notes.get(name, '')} {told}".strip()
    return notes


def _told_scale(share: float) -> str:
    if share == 1:
        return "Smoothed on a normal scale. "
    percent = f"{100 * share:.0f} %"
    return f"Smoothed to {percent} on a normal scale. " if share > 0 else ""


def _remarks(evidence: Evidence) -> list[dict[str, str]]:
    """Say what is special about the ranks themselves."""
    words = {1.0: "right", 0.0: "wrong"}
    word = words.get(evidence.ranks.accuracy)
    if not word:
        return []
    reason = f"Every example was {word}: the prior tells the most."
    return [{"method": _RANKS, "reason": reason}]


def _share_tied(evidence: Evidence) -> float:
    return float(evidence.weights @ (evidence.ranking.n_tied > 0))


def _is_few_valued(evidence: Evidence) -> bool:
    """Say whether most scores of an example are equal to another of them."""
    scores = evidence.scores
    rows = scores.rows(0, min(scores.n_samples, _ROWS_LOOKED_AT))
    shares = [np.unique(row).size / row.size for row in rows]
    return float(np.median(shares)) < _FEW_VALUES


def _too_much_or_little(evidence: Evidence) -> str:
    """Say why scores are not even looked at, or nothing."""
    if evidence.n_classes < _FEWEST_CLASSES:
        return f"Fewer than {_FEWEST_CLASSES} classes are too few to smooth over."
    if evidence.ranking.n_samples * evidence.n_classes > _MOST_SCORES:
        return "So many scores take long to smooth, and ranks alone tell enough."
    return ""


def _objection(name: str, anchor: Anchor) -> tuple[str, bool]:
    """Say what speaks against smoothed scores, and whether it bars them."""
    if not np.isfinite(anchor.miss):
        return "Scores that are not finite cannot be smoothed.", True
    if anchor.saturated > _MOST_SATURATED:
        reason = (
            f"{100 * anchor.saturated:.0f} % of the examples win by more than a kernel "
            "can measure, so ranks alone tell, and the interval is wider for that."
        )
        return reason, True
    if anchor.surprise > _MOST_SURPRISE:
        reason = (
            f"{name} gives {anchor.smoothed:.3f} where {anchor.observed:.3f} was "
            "observed, too far off for its word to count in full."
        )
        return reason, False
    return "", False
