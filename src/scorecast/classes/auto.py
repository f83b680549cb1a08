"""The default: ranks and scores pooled by how far each can be trusted.

No single method does well everywhere. Ranks with a prior (`Bayesian`) hold up on any
score scale but know little while errors are few; smoothed scores (`KdeUcv`) see by how
much an example wins, but are biased and break down on scales where a kernel means
nothing. Each is turned into an opinion with a variance, and the opinions are averaged
on the log-odds scale by their inverse variances. The reasons and the figures are in
``docs/decisions/0003-auto.md``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, cast

import numpy as np

from scorecast._core.checks import check_choice
from scorecast.classes.anchoring import Anchor, AnchoredScores, anchor_scores
from scorecast.classes.bayesian import Bayesian, GridFavourability
from scorecast.classes.distributions import (
    EmpiricalFavourability,
    FavourabilityDistribution,
)
from scorecast.classes.evidence import Evidence
from scorecast.classes.kde import Kde, KdeBcv, KdeUcv
from scorecast.classes.method import Fit, Method
from scorecast.classes.pooling import (
    PooledFavourability,
    RankOpinion,
    ScoreOpinion,
    pool,
)

__all__ = ["Auto"]

_SMOOTHERS: dict[str, type[Kde]] = {"kde-ucv": KdeUcv, "kde-bcv": KdeBcv}
_DRIFT = 0.03
_DRIFT_SATURATED = 0.25  # votes and forests: classes are not scored one by one
_MOST_SATURATED = 0.3
_MOST_SURPRISE = 2.0
_FEWEST_CLASSES = 5
_ROUNDING = 1e-9  # weights of examples may not add up to one exactly
_MOST_SCORES = 100_000_000


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

    def fit(self, evidence: Evidence, rng: np.random.Generator) -> Fit:
        """Form the opinions and weigh them.

        Parameters
        ----------
        evidence : Evidence
            The observed classes.
        rng : numpy.random.Generator
            For grouping many classes; the answer does not depend on it.

        Returns
        -------
        Fit
            The pooled distribution. Its details hold the weight of each method, the
            guards that fired with their reasons, and the parts that were pooled.
        """
        first = Bayesian().fit(evidence, rng)
        opinions: dict[str, ScoreOpinion] = {}
        guards = _remarks(evidence)
        drift = _DRIFT
        for name in self.methods:
            reason = _too_much_or_little(evidence)
            if not reason:
                opinion = self._smooth(name, evidence, first)
                reason, is_barred = _objection(name, opinion.fitted.anchor)
                if is_barred:
                    drift = _DRIFT_SATURATED
                else:
                    opinions[name] = opinion
            if reason:
                guards.append({"method": name, "reason": reason})
        ranks = RankOpinion(fitted=cast("GridFavourability", first.distribution))
        pooled = pool(ranks, tuple(opinions.values()), evidence.n_classes, drift)
        details = {
            "weights": dict(
                zip(["bayesian", *opinions], pooled.weights.tolist(), strict=True)
            ),
            "guards": guards,
            "notes": _notes(guards, opinions),
            "n_effective": first.details["n_effective"],
            "drift": drift,
            "components": {
                "bayesian": first.distribution,
                **{name: opinion.fitted for name, opinion in opinions.items()},
            },
        }
        return Fit(distribution=pooled, tuned=self, details=details)

    def fit_left_out(
        self, evidence: Evidence, fit: Fit
    ) -> list[FavourabilityDistribution]:
        """Refit with each group of classes left out, weights and misses held fixed."""
        pooled = cast("PooledFavourability", fit.distribution)
        replicates = [Bayesian().fit_left_out(evidence, fit)]
        for name in fit.details["weights"]:
            if name != "bayesian":
                smoother = _SMOOTHERS[name](n_jobs=self.n_jobs)
                smoothed = smoother.fit(evidence, np.random.default_rng(0))
                replicates.append(smoother.fit_left_out(evidence, smoothed))
        return [
            _replace_parts(pooled, first, tuple(others))
            for first, *others in zip(*replicates, strict=True)
        ]

    def _smooth(self, name: str, evidence: Evidence, first: Fit) -> ScoreOpinion:
        # One group: which classes the mass comes from does not matter here.
        whole = evidence.regroup(1, np.random.default_rng(0))
        smoother = _SMOOTHERS[name](n_jobs=self.n_jobs)
        fitted = smoother.fit(whole, np.random.default_rng(0)).distribution
        scores = cast("EmpiricalFavourability", fitted)
        anchor = anchor_scores(
            scores,
            evidence.ranks.accuracy,
            evidence.n_classes,
            float(first.details["n_effective"]),
        )
        return ScoreOpinion(
            fitted=AnchoredScores(
                scores=scores, anchor=anchor, n_classes=evidence.n_classes
            )
        )


def _replace_parts(
    pooled: PooledFavourability,
    first: FavourabilityDistribution,
    others: tuple[FavourabilityDistribution, ...],
) -> PooledFavourability:
    scores = tuple(
        ScoreOpinion(
            fitted=replace(opinion.fitted, scores=cast("EmpiricalFavourability", other))
        )
        for opinion, other in zip(pooled.scores, others, strict=True)
    )
    ranks = RankOpinion(fitted=cast("GridFavourability", first))
    return replace(pooled, ranks=ranks, scores=scores)


def _notes(
    guards: list[dict[str, str]], opinions: dict[str, ScoreOpinion]
) -> dict[str, str]:
    """Say in a sentence what is to be known of each method."""
    moved = {
        name: f"Moved by {-opinion.fitted.anchor.miss:+.2f} log-odds to agree with the "
        "accuracy observed."
        for name, opinion in opinions.items()
    }
    return moved | {guard["method"]: guard["reason"] for guard in guards}


def _remarks(evidence: Evidence) -> list[dict[str, str]]:
    """Say what is special about the ranks themselves."""
    accuracy = evidence.ranks.accuracy
    if accuracy > 1 - _ROUNDING:
        reason = "Every example was right: what can be said is a bound."
    elif accuracy < _ROUNDING:
        reason = "Every example was wrong: what can be said is a bound."
    else:
        return []
    return [{"method": "bayesian", "reason": reason}]


def _too_much_or_little(evidence: Evidence) -> str:
    """Say why scores are not even looked at, or nothing."""
    if evidence.n_classes < _FEWEST_CLASSES:
        return f"Fewer than {_FEWEST_CLASSES} classes are too few to smooth over."
    if evidence.ranking.n_examples * evidence.n_classes > _MOST_SCORES:
        return "So many scores take long to smooth, and ranks alone tell enough."
    return ""


def _objection(name: str, anchor: Anchor) -> tuple[str, bool]:
    """Say what speaks against smoothed scores, and whether it bars them."""
    if not np.isfinite(anchor.miss):
        return "Scores that are not finite cannot be smoothed.", True
    if anchor.saturated > _MOST_SATURATED:
        reason = (
            f"The scores are saturated or few-valued ({anchor.saturated:.0%} of the "
            "examples win beyond measure), so a kernel says nothing about them."
        )
        return reason, True
    if anchor.surprise > _MOST_SURPRISE:
        reason = (
            f"{name} gives {anchor.smoothed:.3f} where {anchor.observed:.3f} was "
            "observed, too far off for its word to count in full."
        )
        return reason, False
    return "", False
