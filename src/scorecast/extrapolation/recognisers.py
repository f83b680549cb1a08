"""Which of several recognisers will be ahead with many more classes.

Recognisers are tested on the same samples of the same classes. Easy classes are easy
for both, so much of what is unsure about either forecast cancels in their difference:
how much is seen by leaving the same classes out for all of them. What a law may
misjudge beyond the data does not cancel; there they are taken as independent. Two that
are wrong about the same one or two classes look as if all of their doubt were shared,
and that is too little to tell: it is weighed against one class about which only one of
them is wrong.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scorecast._core.result import INPUT, NEW, OPTION, SHARE, Result
from scorecast._core.types import FloatArray, IntArray
from scorecast.exceptions import InvalidInputError, UsageError
from scorecast.extrapolation.bayesian import posterior_of_ranks
from scorecast.extrapolation.extrapolator import Law, clipped_logit
from scorecast.extrapolation.forecast import Extrapolation
from scorecast.extrapolation.measures import measure_named
from scorecast.extrapolation.observed import (
    ObservedClasses,
    RankHistogram,
    effective_size,
)
from scorecast.scores import Recogniser, Scores, check_scores, weigh_classes

_GROUPS = 60
_NODES = 41
_FLOOR = 1e-9
_APART = 1  # classes about which only one of two is wrong, whatever was seen


@dataclass(frozen=True, kw_only=True)
class RecogniserDifference:
    """How two recognisers differ in one measure at one number of classes.

    Attributes
    ----------
    first, second : str
        Their names.
    measure : str
        What is compared: ``"top-1"`` is accuracy, ``"mrr"`` the mean reciprocal rank.
    classes : int
        Number of classes.
    value : float
        What is expected of the second less that of the first.
    low, high : float
        Ends of its interval.
    chance_ahead : float
        Chance that the second is ahead.
    correlation : float
        Of what is unsure about the two.
    """

    first: str
    second: str
    measure: str = field(default="top-1", metadata=NEW)
    classes: int
    value: float
    low: float
    high: float
    chance_ahead: float = field(metadata=SHARE)
    correlation: float


@dataclass(frozen=True, kw_only=True)
class Crossing:
    """Where the forecasts of two recognisers cross.

    Attributes
    ----------
    measure : str
        What crosses.
    ahead, behind : str
        Who is ahead beyond it, and who was before.
    classes : int
        The number of classes.
    """

    measure: str = field(default="top-1", metadata=NEW)
    ahead: str
    behind: str
    classes: int


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RecogniserComparison(Result):
    """Forecasts of several recognisers, and which will be ahead.

    Attributes
    ----------
    recognisers : dict of str to Extrapolation
        The forecast of each.
    differences : tuple of RecogniserDifference
        Every pair at every number of classes asked for, measure by measure.
    crossings : tuple of Crossing
        Where forecasts cross between the classes observed and the farthest target.
    n_samples, n_classes : int
        Size of the data that all were tested on.
    confidence_level : float
        Level of all intervals.
    """

    kind: ClassVar[str] = "recogniser-comparison"

    recognisers: dict[str, Extrapolation]
    differences: tuple[RecogniserDifference, ...]
    crossings: tuple[Crossing, ...]
    n_samples: int = field(metadata=INPUT)
    n_classes: int = field(metadata=INPUT)
    confidence_level: float = field(metadata=OPTION | SHARE)

    def to_columns(self) -> dict[str, list[Any]]:
        """Return the differences, one row per pair and number of classes."""
        names = ["first", "second", "measure", "classes", "value", "low", "high"]
        names.append("chance_ahead")
        if len({d.measure for d in self.differences}) < 2:
            names.remove("measure")
        return {n: [getattr(d, n) for d in self.differences] for n in names}


def compare_recognisers(
    data: Mapping[str, Recogniser],
    forecasts: Mapping[str, Extrapolation],
    *,
    ties: str,
    average: str,
    class_weights: Mapping[Hashable, float] | ArrayLike | None,
    n_jobs: int | None,
) -> RecogniserComparison:
    """Compare forecasts of recognisers that were tested alike."""
    observed = {}
    for name, one in data.items():
        known, weights, _ = weigh_classes(one, class_weights, average)
        observed[name] = ObservedClasses.of(
            known, ties=ties, average=average, class_weights=weights, n_jobs=n_jobs
        )
    first = next(iter(forecasts.values()))
    ks = np.array([p.classes for p in first.predictions])
    measures = list(first.measures)
    replicates = {name: _left_out(one, ks, measures) for name, one in observed.items()}
    mistaken = {name: _mistaken(one) for name, one in observed.items()}
    pairs = list(combinations(forecasts, 2))
    return RecogniserComparison(
        recognisers=dict(forecasts),
        differences=tuple(
            _difference(
                a,
                b,
                measure,
                i,
                forecasts,
                replicates,
                len(mistaken[a] | mistaken[b]),
                first.confidence_level,
            )
            for measure in measures
            for a, b in pairs
            for i in range(ks.size)
        ),
        crossings=tuple(
            crossing
            for measure in measures
            for a, b in pairs
            for crossing in _crossings(a, b, measure, forecasts)
        ),
        n_samples=first.n_samples,
        n_classes=first.n_classes,
        confidence_level=first.confidence_level,
    )


def check_recognisers(
    scores: Mapping[Any, ArrayLike | Recogniser], y_true: Any
) -> dict[str, Recogniser]:
    """Return recognisers whose samples and classes are the same, in one order."""
    if len(scores) < 2:
        problem = "one recogniser alone: give its scores themselves"
        raise UsageError(problem, parameter="scores")
    found: dict[str, Recogniser] = {
        str(name): check_scores(
            one, None if getattr(one, "is_labelled", False) else y_true
        )
        for name, one in scores.items()
    }
    (name, first), *others = found.items()
    classes = tuple(first.classes)
    for other, one in others:
        if set(one.classes) != set(classes):
            problem = (
                f"{other} was tested on {one.n_classes:,} classes that are not the "
                f"{len(classes):,} of {name}"
            )
            raise InvalidInputError(problem, parameter="scores")
        if one.n_samples != first.n_samples:
            problem = (
                f"{other} was tested on {one.n_samples:,} samples, {name} on "
                f"{first.n_samples:,}"
            )
            raise InvalidInputError(problem, parameter="scores")
        found[other] = one = _in_order(one, classes, other)
        labels = np.array_equal(one.own, first.own)
        if not labels:
            at = int(np.flatnonzero(one.own != first.own)[0])
            problem = (
                f"sample {at + 1:,} is of class {classes[one.own[at]]!r} in {other}, "
                f"of class {classes[first.own[at]]!r} in {name}"
            )
            raise InvalidInputError(
                problem, parameter="scores", remedy="give both in the same order"
            )
    return found


def _in_order(one: Recogniser, classes: Sequence[Any], name: str) -> Recogniser:
    """Bring the columns of scores into the order of another recogniser."""
    if tuple(one.classes) == tuple(classes):
        return one
    if not isinstance(one, Scores):
        problem = f"the gallery of {name} has its classes in another order"
        raise InvalidInputError(problem, parameter="scores")
    place = {label: i for i, label in enumerate(one.classes)}
    order = np.array([place[label] for label in classes])
    values = np.asarray(one.values)[:, order]
    return Scores.unchecked(values, np.argsort(order)[one.own], tuple(classes))


def _left_out(
    observed: ObservedClasses, ks: IntArray, measures: Sequence[str]
) -> dict[str, FloatArray]:
    """Return log-odds by ranks with each group of classes left out in turn."""
    grouped = observed.regroup(_GROUPS, np.random.default_rng(0))
    size = effective_size(observed)
    left_out = [
        (ranks, posterior_of_ranks(ranks, size)) for ranks in grouped.ranks_left_out
    ]

    def one(name: str, ranks: RankHistogram, law: Law) -> FloatArray:
        measure, found = measure_named(name), np.empty(ks.size)
        # Up to the classes at hand it is counted, beyond them the law is asked.
        is_known = ks <= ranks.n_classes
        if is_known.any():
            found[is_known] = measure.value(ranks, ks[is_known])
        if not is_known.all():
            found[~is_known] = measure.expected(law, ranks, ks[~is_known])
        return clipped_logit(found)

    return {
        name: np.array([one(name, ranks, law) for ranks, law in left_out])
        for name in measures
    }


def _mistaken(observed: ObservedClasses) -> set[int]:
    """Return the classes of samples that some other class beats."""
    ranking = observed.ranking
    beaten = ranking.n_above + ranking.n_tied > 0
    return set(np.unique(ranking.own[beaten]).tolist())


def _difference(
    a: str,
    b: str,
    measure: str,
    i: int,
    forecasts: Mapping[str, Extrapolation],
    replicates: Mapping[str, Mapping[str, FloatArray]],
    n_mistaken: int,
    confidence_level: float,
) -> RecogniserDifference:
    """Compare two recognisers at one of the targets."""
    one, other = (forecasts[name].measures[measure].predictions[i] for name in (a, b))
    width = float(scipy.special.ndtri(0.5 + confidence_level / 2))
    odds = clipped_logit(np.array([one.value, other.value]), _FLOOR)
    ends = clipped_logit(np.array([[p.low, p.high] for p in (one, other)]), _FLOOR)
    below = np.maximum(odds - ends[:, 0], _FLOOR) / width
    above = np.maximum(ends[:, 1] - odds, _FLOOR) / width
    sds = (below + above) / 2
    away = np.stack([replicates[name][measure][:, i] for name in (a, b)])
    away = away - away.mean(axis=1, keepdims=True)
    n_groups = away.shape[1]
    sampling = (n_groups - 1) / n_groups * (away @ away.T)
    # No more of a forecast's doubt can be shared than it has.
    own = np.sqrt(np.diag(sampling))
    shared = np.minimum(own, sds)
    together = sampling[0, 1] / max(own[0] * own[1], _FLOOR)
    together *= n_mistaken / (n_mistaken + _APART)
    correlation = float(np.clip(together * shared[0] * shared[1] / sds.prod(), -1, 1))
    x, w = np.polynomial.hermite_e.hermegauss(_NODES)
    z, other_z = np.meshgrid(x, x, indexing="ij")
    weights = np.outer(w, w).ravel() / w.sum() ** 2
    rest = np.sqrt(1 - correlation**2)
    expit = scipy.special.expit
    by_one = expit(odds[0] + np.where(z < 0, below[0], above[0]) * z)
    other_z = correlation * z + rest * other_z
    by_other = expit(odds[1] + np.where(other_z < 0, below[1], above[1]) * other_z)
    gains = (by_other - by_one).ravel()
    order = np.argsort(gains)
    # Half of a node's weight lies below it.
    total = np.cumsum(weights[order]) - weights[order] / 2
    tail = (1 - confidence_level) / 2
    low, high = np.interp([tail, 1 - tail], total, gains[order])
    chance = 1 - float(np.interp(0.0, gains[order], total, left=0.0, right=1.0))
    value = other.value - one.value
    return RecogniserDifference(
        first=a,
        second=b,
        measure=measure,
        classes=one.classes,
        value=float(value),
        low=float(min(low, value)),
        high=float(max(high, value)),
        chance_ahead=chance,
        correlation=correlation,
    )


def _crossings(
    a: str, b: str, measure: str, forecasts: Mapping[str, Extrapolation]
) -> list[Crossing]:
    """Find where two forecasts cross beyond the classes observed."""
    one, other = (forecasts[name].measures[measure].curve for name in (a, b))
    if not np.array_equal(one.classes, other.classes):
        return []
    gain = other.value - one.value
    found = []
    for i in np.flatnonzero(gain[:-1] * gain[1:] < 0):
        share = gain[i] / (gain[i] - gain[i + 1])
        ratio = one.classes[i + 1] / one.classes[i]
        ahead, behind = (b, a) if gain[i + 1] > 0 else (a, b)
        at = round(float(one.classes[i] * ratio**share))
        found.append(Crossing(measure=measure, ahead=ahead, behind=behind, classes=at))
    return found
