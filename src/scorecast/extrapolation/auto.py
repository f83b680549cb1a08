"""Method: the default, ranks and the tail of the scores pooled by trust.

No single method does well everywhere. Ranks with a prior (`Bayesian`) hold up on any
score scale but look no further than one over the number of classes; the tail of the
impostors' scores (`Tail`) looks much further, but needs classes enough and a scale on
which tails mean something. They are averaged on the log-odds scale by how far each can
be trusted (`pooling`). Reasons and figures are in ``docs/decisions/0003-auto.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from scorecast._core.result import SHARE
from scorecast.extrapolation.bayesian import (
    RankPosterior,
    improved_posteriors,
    rank_posterior,
)
from scorecast.extrapolation.extrapolator import (
    EXTRAPOLATORS,
    Extrapolator,
    Fit,
    Law,
)
from scorecast.extrapolation.observed import ObservedClasses, improvements
from scorecast.extrapolation.pooling import Pool
from scorecast.extrapolation.tail import Objection, tail_law, tail_objection
from scorecast.scores import first_rows

_RANKS, _TAIL = "bayesian", "tail"
_DRIFT = 0.03
_DRIFT_NO_TAIL = 0.08  # where scores cannot be looked at
_DRIFT_FEW_VALUED = 0.25  # votes and forests: classes are not scored one by one
_FEW_VALUES, _ROWS_LOOKED_AT = 0.5, 500  # share of a sample's scores that differ
_MOST_CELLS_AGAIN, _MOST_MISTAKES_AGAIN = 4_000_000, 0.2  # to fit as if all were right
# These bar the scores, and the interval is wider for it.
_WIDENING = (Objection.TIED, Objection.NOT_FINITE, Objection.FEW_VALUED)


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
    disagreement : float or None
        Log-odds by which all classes say more than halves of them, at ten times the
        observed classes.
    """

    method: str
    weight: float = field(default=0.0, metadata=SHARE)
    objection: Objection | None = None
    disagreement: float | None = None


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
    """

    parts: tuple[PoolPart, ...]
    drift: float
    is_widened: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class PooledFit(Fit):
    """A pool, with the parts that were pooled, exactly as they were."""

    pooling: Pooling
    parts: Mapping[str, Law]


@dataclass(frozen=True, kw_only=True)
class Auto(Extrapolator):
    """Pool the ranks with the tail of the impostors' scores.

    The parts are what the methods "bayesian" and "tail" say by themselves.
    """

    uses_scores: ClassVar[bool] = True
    has_own_spread: ClassVar[bool] = True

    name: str = "auto"
    title: str = "ranks and scores, pooled"
    summary: str = "ranks and the tail of scores pooled by how far each can be trusted"

    def fit(
        self,
        observed: ObservedClasses,
        rng: np.random.Generator,  # noqa: ARG002 - nothing to choose at random
        *,
        n_jobs: int | None = None,  # noqa: ARG002 - quick
    ) -> PooledFit:
        """Form both opinions and weigh them."""
        ranks, size = rank_posterior(observed)
        improved = improved_posteriors(observed)
        objection = tail_objection(observed)
        drift = _drift(observed, objection)
        law = _pool(observed, replace(ranks, improved=improved), size, drift)
        if improved and _is_nearly_right(observed):
            every = improvements(observed, 1)[-1]
            flawless = _pool(
                observed.scores_if_right(every),
                replace(improved[-1], allowance=0.0),
                rank_posterior(observed, every)[1],
                drift,
            )
            allowed = improved[-1].allowance
            law = replace(law, flawless=replace(flawless, allowance=allowed))
        if objection is None and law.are_halves_apart:
            objection = Objection.HALVES_DISAGREE
        weight = law.tail_weight
        parts: dict[str, Law] = {_RANKS: law.ranks}
        if law.tail is not None:
            parts[_TAIL] = law.tail
        told = (
            PoolPart(
                method=_RANKS, weight=1 - weight, objection=_rank_objection(observed)
            ),
            PoolPart(
                method=_TAIL,
                weight=weight,
                objection=objection,
                disagreement=None if law.tail is None else law.disagreement,
            ),
        )
        return PooledFit(
            law=law,
            tuned=self,
            n_effective=size,
            pooling=Pooling(parts=told, drift=drift, is_widened=drift > _DRIFT),
            parts=parts,
        )


def _pool(
    observed: ObservedClasses, ranks: RankPosterior, size: float, drift: float
) -> Pool:
    return Pool(
        ranks=ranks,
        tail=tail_law(observed, replace(ranks, improved=()), size),
        n_classes=observed.n_classes,
        n_effective=size,
        drift=drift,
    )


def _is_nearly_right(observed: ObservedClasses) -> bool:
    """Tell whether what would be forecast without a mistake could be less than now."""
    is_few = 1 - observed.ranks.accuracy() <= _MOST_MISTAKES_AGAIN
    return is_few and observed.n_cells <= _MOST_CELLS_AGAIN


# --- what speaks against a part ------------------------------------------------------


def _rank_objection(observed: ObservedClasses) -> Objection | None:
    extremes = {1.0: Objection.ALL_RIGHT, 0.0: Objection.ALL_WRONG}
    return extremes.get(observed.ranks.accuracy())


def _drift(observed: ObservedClasses, objection: Objection | None) -> float:
    """Return how far ranks may go astray, given what speaks against the scores."""
    if objection not in _WIDENING:
        return _DRIFT
    return _DRIFT_FEW_VALUED if _is_few_valued(observed) else _DRIFT_NO_TAIL


def _is_few_valued(observed: ObservedClasses) -> bool:
    """Tell whether most scores of a sample are equal to another of them."""
    scores = observed.scores
    rows = first_rows(scores, _ROWS_LOOKED_AT)
    shares = [np.unique(row).size / row.size for row in rows]
    return float(np.median(shares)) < _FEW_VALUES


EXTRAPOLATORS.add(Auto())
