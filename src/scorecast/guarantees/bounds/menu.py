"""Every interval for one loss, with the one to quote marked."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from scorecast._core.types import FloatArray, IntArray
from scorecast.evaluation import (
    bca,
    clopper_pearson,
    empirical_bernstein,
    hoeffding,
    nadeau_bengio,
    normal,
    percentile as percentiles,
    student,
    wilson,
)
from scorecast.exceptions import InsufficientDataError
from scorecast.guarantees.bounds.areas import fold_areas, pair_areas
from scorecast.guarantees.bounds.bound import Bound
from scorecast.guarantees.bounds.by_class import by_class
from scorecast.guarantees.bounds.spread import case_spread
from scorecast.guarantees.estimates import Estimates, LossSample
from scorecast.guarantees.group_units import group_shares

__all__ = ["all_bounds", "recommended", "unpromised"]

_ASSUMES = {
    "normal": "values of folds are independent, normal, and of known spread",
    "t": "values of folds are independent and normal, though they share training cases",
    "nadeau-bengio": (
        "values of folds are normal and correlate as their tests share of all cases"
    ),
    "percentile": "folds show how results vary; it is not about their mean",
    "wilson": "cases are independent and each is right with a chance of its own kind",
    "exact": (
        "cases are independent and the model is fixed; models learned anew for every "
        "case vary too, and at 95 % it then holds in 90 of 100"
    ),
    "case-spread": (
        "cases (or groups) are independent, and the models of the folds are fixed"
    ),
    "delong": "cases (or groups) are independent; the models of the folds are fixed",
    "delong-doubled": (
        "cases (or groups) are independent; each tests and teaches, so that it counts "
        "twice"
    ),
    "pairs": "cases are independent; each tests and teaches, so that it counts twice",
    "bca": "cases (or groups) are independent and resemble those to come",
    "by-class": (
        "cases (or groups) are independent, and the models of the folds are fixed; no "
        "class is taken to resemble another"
    ),
    "range": "the value lies where values of this loss can lie",
    "hoeffding": "cases are independent; any distribution",
    "empirical-bernstein": "cases are independent; any distribution",
}
_ASSUMES_GROUPS = {
    "wilson": "groups are independent, and cases of one group may all be alike",
    "hoeffding": "groups are independent; any distribution, within groups as well",
    "empirical-bernstein": (
        "groups are independent; any distribution, within groups as well"
    ),
}
_POOLED = "; it is that of all tests together, not of the mean of folds"
_SAME = 1e-9  # widths that differ by rounding only
_ONE_SPLIT = "one split is one model, and its cases are independent tests of it"
_REASONS = {
    "nadeau-bengio": (
        "it counts what the training sets share, which the plain interval forgets"
    ),
    "exact": "folds are too small to have values of their own; cases are what counts",
    "bca": "folds are too small to have values of their own",
    "wilson": (
        "folds agree more than cases drawn at random would, as folds drawn by class "
        "keep its share; never narrower than an interval of independent cases"
    ),
    "pairs": (
        "every case tests some models and teaches the others, which intervals of tests "
        "alone forget"
    ),
    "delong-doubled": (
        "folds differ less than models and cases do; never narrower "
        "than what each case adds as a test and as a teacher"
    ),
    "range": "nothing else is known",
    "by-class": (
        "every class weighs as much, and what is not known of the rarest is not known "
        "of their mean: folds that happen to agree do not narrow it"
    ),
}
_REASONS["case-spread"] = _REASONS["wilson"].replace(
    "an interval of independent cases", "what each case adds to the value allows"
)
_RANKED = "it ranks scores of different models, and does not hold"
_FOLDS = 5  # that an area is advised to have
_STATED = "posterior-error"
_AT_SHARES = ", at these shares of classes"


def all_bounds(
    estimates: Estimates,
    sample: LossSample,
    *,
    level: float,
    rng: np.random.Generator,
    n_resamples: int = 1000,
) -> tuple[Bound, ...]:
    """Bound one loss in every way that fits it.

    Parameters
    ----------
    estimates : Estimates
        The tests.
    sample : LossSample
        Their values.
    level : float
        Confidence level.
    rng : numpy.random.Generator
        For the bootstrap.
    n_resamples : int, default=1000
        Bootstrap resamples; 0 leaves it out.

    Returns
    -------
    tuple of Bound
        One is recommended, but where `unpromised` says why not. None at all where the
        estimate is not finite: an interval of the cases or folds that are would leave
        out the worst. What has no width is left out, and the recommended one says so.
    """
    if not math.isfinite(sample.estimate):
        return ()
    of_folds = _from_folds(sample, level, len(estimates.outcomes()))
    found = [*of_folds, *_from_cases(sample, level)]
    every = by_class(estimates, sample, level)
    if every is not None:
        found.append(_bound("by-class", every))
    if sample.loss.is_class_share:
        n = sample.n_smallest
        value = float(np.clip(sample.estimate - sample.shift, 0.0, 1.0))
        found.append(_bound("wilson", wilson(value * n, n, level)))
    spread = case_spread(estimates, sample, level)
    if spread is not None and not sample.loss.is_binary:
        found.append(_bound("case-spread", spread))
    if sample.loss.name == "auc" and _is_of_pairs(estimates, sample):
        found.append(_bound("pairs", pair_areas(estimates, sample, level)))
    elif sample.loss.name == "auc":
        found.append(_bound("delong", fold_areas(estimates, level)))
        twice = fold_areas(estimates, level, is_doubled=True)
        found.append(_bound("delong-doubled", twice))
    if n_resamples:
        statistic, strata = _bootstrap_units(estimates, sample)
        ends = bca(statistic, strata, level=level, rng=rng, n_resamples=n_resamples)
        interval = _bound("bca", ends)
        if np.unique(strata).size > 1:
            interval = replace(interval, assumption=interval.assumption + _AT_SHARES)
        if sample.cases is None and not _is_of_pairs(estimates, sample):
            # AUC, F1, MCC, RMSE: not a mean of cases.
            interval = replace(interval, assumption=interval.assumption + _POOLED)
        found.append(interval)
    wide = None if spread is None else _shifted(_bound("case-spread", spread), sample)
    cut = [_cut(_shifted(x, sample), sample) for x in found]
    known = [b for b in cut if not (math.isnan(b.low) or math.isnan(b.high))]
    kept = [bound for bound in known if bound.width > 0]
    if unpromised(estimates, sample):
        return tuple(replace(b, note=_joined(b.note, _RANKED)) for b in kept)
    lost = [bound.method for bound in known if not bound.width > 0]
    if lost and not _floor_of(kept):
        kept.append(_instead(sample, level, wide))
    return _marked(kept, sample, estimates, lost)


def unpromised(estimates: Estimates, sample: LossSample) -> str:
    """Say why no interval of a loss can be promised.

    A loss of ranks (AUC) whose splits have no values of their own puts scores of
    different models in one order. Each model learned from one case fewer of the class
    it is asked about, so that the value is too low where little can be learned, and an
    interval around it is in the wrong place.

    Parameters
    ----------
    estimates : Estimates
        The tests.
    sample : LossSample
        Their values.

    Returns
    -------
    str
        Without a full stop; empty where there is one to promise.
    """
    ranks = sample.cases is None and sample.loss.needs == "scores"
    if not ranks or sample.by_folds:
        return ""
    problem = estimates.problem
    instead = "take five folds drawn by class (cv5)"
    fewest = int(problem.class_counts.min())
    if fewest < _FOLDS:
        # Folds without a class have no area, and folds of one case each say nothing.
        instead = (
            f"merge or leave out classes of fewer than {_FOLDS} cases, and {instead}"
        )
    if problem.groups is not None:
        instead = "take fewer folds, so that each holds every class"
    elif len(problem.classes) == 2:
        instead = f"leave pairs out (lpo), or {instead}"
        if fewest < _FOLDS:
            instead = "leave pairs out (lpo)"
    return (
        f"{sample.loss.name} ranks scores of different models in one order, which "
        "makes it too low where little can be learned, and no interval around it "
        f"holds as often as it says: {instead}"
    )


def recommended(bounds: tuple[Bound, ...]) -> Bound:
    """Return the bound to quote.

    Parameters
    ----------
    bounds : tuple of Bound
        As of `all_bounds`.

    Returns
    -------
    Bound
        The recommended one.

    Raises
    ------
    InsufficientDataError
        If there is none: the estimate is not finite, or `unpromised`.
    """
    found = next((bound for bound in bounds if bound.is_recommended), None)
    if found is None:
        msg = "the value is not finite, or its interval would not hold"
        raise InsufficientDataError(msg)
    return found


def _bound(method: str, ends: tuple[float, float]) -> Bound:
    return Bound(method=method, low=ends[0], high=ends[1], assumption=_ASSUMES[method])


def _from_folds(sample: LossSample, level: float, n_splits: int) -> list[Bound]:
    values = sample.known_folds
    if values.size < 2:
        return []
    note = ""
    if values.size < n_splits:
        note = (
            f"of {values.size} of {n_splits} splits: the others hold too few cases for "
            "a value"
        )
        if not sample.by_folds:
            note += ", and the estimate is that of all tests together"
    ends = {
        "normal": normal(values, level),
        "t": student(values, level),
        "nadeau-bengio": nadeau_bengio(values, level, sample.test_ratio),
        "percentile": percentiles(values, level),
    }
    return [replace(_bound(name, ends[name]), note=note) for name in ends]


def _from_cases(sample: LossSample, level: float) -> list[Bound]:
    values, loss = sample.cases, sample.loss
    if values is None or not loss.is_bounded:
        return []
    if sample.groups is not None:
        return _from_groups(values, sample.groups, sample, level)
    span, n = loss.high - loss.low, values.size
    found = []
    count = float(values.sum())
    if loss.is_binary or loss.name == _STATED:
        found.append(_bound("wilson", wilson(count, n, level)))
    if loss.is_binary:
        found.append(_bound("exact", clopper_pearson(count, n, level)))
    mean = float(values.mean())
    return [
        *found,
        _bound("hoeffding", hoeffding(mean, n, level, span)),
        _bound("empirical-bernstein", empirical_bernstein(values, level, span)),
    ]


def _from_groups(
    values: FloatArray, groups: IntArray, sample: LossSample, level: float
) -> list[Bound]:
    """Bound the mean of cases where groups are what was drawn.

    Values of groups lie between 0 and 1 but are neither, so that there is no exact
    interval; Wilson's is that of groups whose cases are all alike, the worst there is.
    """
    loss, n = sample.loss, sample.n_units
    span, mean = loss.high - loss.low, float(values.mean())
    shares, widest = group_shares(values, groups, loss.low, span)
    low, high = empirical_bernstein(shares, level, widest)
    ends = {}
    if loss.is_binary or loss.name == _STATED:
        ends["wilson"] = wilson(mean * n, n, level)
    ends["hoeffding"] = hoeffding(mean, n, level, span)
    ends["empirical-bernstein"] = (loss.low + low, loss.low + high)
    return [
        replace(_bound(name, ends[name]), assumption=_ASSUMES_GROUPS[name])
        for name in ends
    ]


def _bootstrap_units(
    estimates: Estimates, sample: LossSample
) -> tuple[Callable[[IntArray], float], IntArray]:
    """Say how a choice of units gives the loss, and which units belong together."""
    tests, strata = estimates.units()
    if sample.cases is None and _is_of_pairs(estimates, sample):
        return _mean_of_pairs(estimates, sample), strata
    pooled = estimates.pooled()
    values = sample.loss.samples(pooled)
    if values is not None:
        totals = np.array([values[t].sum() for t in tests])
        sizes = np.array([t.size for t in tests], dtype=np.float64)
        return lambda u: float(totals[u].sum() / sizes[u].sum()), strata
    return (
        lambda u: sample.loss.measure(
            pooled.take(np.concatenate([tests[i] for i in u]))
        ),
        strata,
    )


def _is_of_pairs(estimates: Estimates, sample: LossSample) -> bool:
    """Tell whether every split is a pair of cases with a value of its own."""
    pairs = estimates.plan.sampling.kind == "lpo" and estimates.problem.groups is None
    return pairs and sample.known_folds.size == len(estimates.outcomes())


def _mean_of_pairs(
    estimates: Estimates, sample: LossSample
) -> Callable[[IntArray], float]:
    """Say how a choice of cases gives the mean of pairs: each as often as both are."""
    tested = [fold.test for fold in estimates.folds if fold.outcome is not None]
    unit = np.searchsorted(np.unique(estimates.tested()), np.stack(tested))
    values = sample.known_folds

    def mean(units: IntArray) -> float:
        times = np.bincount(units, minlength=int(unit.max()) + 1)
        weight = times[unit[:, 0]] * times[unit[:, 1]]
        total = weight.sum()
        return float((weight * values).sum() / total) if total else math.nan

    return mean


def _shifted(bound: Bound, sample: LossSample) -> Bound:
    """Move with an estimate that is weighed; its width stays that of cases left out."""
    return replace(bound, low=bound.low + sample.shift, high=bound.high + sample.shift)


def _cut(bound: Bound, sample: LossSample) -> Bound:
    """Cut at the range of the loss."""
    low, high = max(bound.low, sample.loss.low), min(bound.high, sample.loss.high)
    return bound if math.isnan(bound.low) else replace(bound, low=low, high=high)


def _floor_of(bounds: list[Bound]) -> Bound | None:
    """Return the interval of independent cases, if there is one.

    Probabilities that a model states were learned from as many cases: they are known
    no better than a share of them, however well cases agree.
    """
    by = {bound.method: bound for bound in bounds}
    names = ("by-class", "wilson", "delong-doubled", "case-spread")
    return next((by[name] for name in names if name in by), None)


def _instead(sample: LossSample, level: float, wide: Bound | None) -> Bound:
    """Return an interval where folds agree and cases have none of their own."""
    loss = sample.loss
    if wide is not None and wide.width > 0:
        return _cut(wide, sample)
    if not loss.is_bounded:
        return _bound("range", (loss.low, math.inf))
    n = sample.n_smallest if loss.by_class else sample.n_units
    span = loss.high - loss.low
    share = (float(np.clip(sample.estimate, loss.low, loss.high)) - loss.low) / span
    low, high = wilson(share * n, n, level)
    units = "cases" if sample.groups is None else "groups"
    judged = f" of the class that {loss.name} hangs on" if loss.by_class else ""
    return Bound(
        method="wilson",
        low=loss.low + span * low,
        high=loss.low + span * high,
        assumption=f"as if it were the share of right ones among {n:g} independent "
        f"{units}{judged}",
    )


def _agreed(lost: list[str], sample: LossSample, quoted: str | None) -> str:
    """Say which intervals have no width, and what the one to quote rests on."""
    units = "cases" if sample.groups is None else "groups"
    n = sample.n_smallest if sample.loss.by_class else sample.n_units
    rests = f"the number of independent {units}, {n:g}"
    if quoted == "by-class":
        rests = f"the number of independent {units} of every class"
    verb = "has" if len(lost) == 1 else "have"
    return (
        f"all folds agree, so that {', '.join(lost)} {verb} no width; this one rests "
        f"on {rests}"
    )


def _joined(*parts: str) -> str:
    return "; ".join(part for part in parts if part)


def _marked(
    bounds: list[Bound], sample: LossSample, estimates: Estimates, lost: list[str]
) -> tuple[Bound, ...]:
    """Mark the bound to quote."""
    names = [bound.method for bound in bounds]
    wanted = ["nadeau-bengio", "bca", "exact", *names]
    # Measured, ten folds of 62 cases, level 95 %: Nadeau-Bengio holds the truth in 96
    # of 100, Wilson in 88, BCa in 87, plain t in 88. Tests of single cases have no
    # spread of their own to correct.
    one_split = len(estimates.outcomes()) == 1
    if one_split or estimates.plan.tests_few:
        wanted = [
            "exact",
            "pairs",
            "by-class",
            "bca",
            *wanted,
        ]  # without groups; bca draws whole ones
    elif not sample.by_folds:
        # A bootstrap of two cases that are both right never draws a wrong one.
        wanted = ["by-class", "bca", *wanted]
    best = next((name for name in wanted if name in (*names, *lost)), None)
    floor = _floor_of(bounds)
    agreed = best in lost
    if agreed:
        best = "range" if floor is None else floor.method
    best = _not_narrower(best, bounds)
    reason = _REASONS.get(best or "", "")
    reason = _ONE_SPLIT if one_split and best == "exact" else reason
    note = _agreed(lost, sample, best) if agreed else ""
    return tuple(
        replace(
            bound,
            is_recommended=True,
            reason="" if agreed else reason,
            note=_joined(bound.note, note),
        )
        if bound.method == best
        else bound
        for bound in bounds
    )


def _not_narrower(best: str | None, bounds: list[Bound]) -> str | None:
    """Take an interval of cases instead, where the one to quote is narrower.

    A model that leans to the larger class is right as often as that class is met. How
    often varies from one sample to the next, but hardly between folds drawn by class.
    """
    width = {bound.method: bound.width for bound in bounds}
    floor = _floor_of(bounds)
    if best is None or floor is None:
        return best
    return floor.method if floor.width > width[best] + _SAME else best
