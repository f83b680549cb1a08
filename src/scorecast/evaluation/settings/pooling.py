"""What holds over settings: intervals, effects of factors, difficulty, dominance."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np
import scipy  # its parts load when first used

from scorecast._core.registry import Method, Registry
from scorecast._core.result import SHARE
from scorecast._core.types import FloatArray, IntArray
from scorecast.evaluation.intervals import corrected_t
from scorecast.evaluation.settings.design import as_text
from scorecast.evaluation.settings.estimates import SettingEstimate

_COMPATIBLE = 0.05
_TAIL = 0.975
_SAME = 1e-12  # spread of differences, by their size, that is but rounding

Rows = Sequence[SettingEstimate]
Span = tuple[float, float, float]  # value, low, high


# Intervals over settings -----------------------------------------------------------


class About(StrEnum):
    """What an interval over settings holds of: each, their mean, or the next one."""

    EACH = "each"
    MEAN = "mean"
    NEXT = "next"


@dataclass(frozen=True, kw_only=True)
class PoolingMethod(Method):
    """A way to bound one metric of one model over settings.

    Attributes
    ----------
    is_about : About
        What it holds of.
    span : callable
        From estimates, weights and level to value, low and high; None where there are
        too few.
    """

    is_about: About
    span: Callable[[Rows, FloatArray, float], Span | None]


POOLING: Registry[PoolingMethod] = Registry()


@dataclass(frozen=True, kw_only=True)
class PooledInterval:
    """An interval over several settings.

    Attributes
    ----------
    model, scoring : str
        Whose, and by which metric.
    method : str
        One of `POOLING`.
    estimate, low, high : float
        Value and ends.
    n_settings : int
        Over how many.
    """

    model: str
    scoring: str
    method: str
    estimate: float
    low: float
    high: float
    n_settings: int


def pooled_intervals(
    rows: Rows, weights: FloatArray | None, confidence_level: float
) -> tuple[PooledInterval, ...]:
    """Bound one metric of one model over settings in every way.

    Parameters
    ----------
    rows : sequence of SettingEstimate
        Known ones, of one model and metric.
    weights : ndarray or None
        One per row; by number of samples if None.
    confidence_level : float
        Confidence level.

    Returns
    -------
    tuple of PooledInterval
        Empty without rows.
    """
    if not rows:
        return ()
    if weights is None:
        # Known numbers: weights from estimated errors favour settings that look sure
        # by luck, and such intervals of 90 % held 72 % of the time.
        weights = np.array([float(row.n_samples * len(row.datasets)) for row in rows])
    found = []
    for name, method in POOLING.items():
        span = method.span(rows, weights, confidence_level)
        if span is not None:
            found.append(_pooled(rows, name, span))
    return tuple(found)


def _pooled(rows: Rows, method: str, span: Span) -> PooledInterval:
    low, high = rows[0].within(*span[1:])
    return PooledInterval(
        model=rows[0].model,
        scoring=rows[0].scoring,
        method=method,
        estimate=span[0],
        low=low,
        high=high,
        n_settings=len(rows),
    )


def _mean(rows: Rows) -> float:
    return float(np.array([row.estimate for row in rows]).mean())


def _conservative(rows: Rows, weights: FloatArray, level: float) -> Span:
    del weights, level
    return _mean(rows), min(row.low for row in rows), max(row.high for row in rows)


POOLING.add(
    PoolingMethod(
        name="conservative",
        title="conservative",
        summary="from the lowest to the highest end over all settings",
        assumes=("no setting of these lies outside, each at its level",),
        is_about=About.EACH,
        span=_conservative,
    )
)


def weighted_span(rows: Rows, weights: FloatArray, confidence_level: float) -> Span:
    """Bound a weighted mean over settings.

    Settings with the same data err together, those with other data apart. Student's,
    with the degrees of freedom of Welch and Satterthwaite; of a single setting its own,
    which need not be even on both sides.
    """
    if len(rows) == 1:
        only = rows[0]
        return only.estimate, only.low, only.high
    middle = float(weights / weights.sum() @ [row.estimate for row in rows])
    half = _half_width(rows, weights, confidence_level)
    return middle, middle - half, middle + half


def _half_width(rows: Rows, weights: FloatArray, level: float) -> float:
    """Return half the width of the interval of a weighted mean."""
    shares = weights / weights.sum()
    errors: dict[int, float] = defaultdict(float)
    least: dict[int, float] = defaultdict(float)
    freedom: dict[int, float] = {}
    for share, row in zip(shares, rows, strict=True):
        errors[row.data] += float(share) * row.stderr
        least[row.data] += float(share) * row.sample_error
        freedom[row.data] = min(freedom.get(row.data, math.inf), row.df)
    tail = 0.5 + level / 2
    # Errors that are small by luck in many settings are so together, too.
    floor = float(scipy.special.ndtri(tail)) * math.hypot(*least.values())
    variance = sum(error**2 for error in errors.values())
    if variance == 0:
        return floor
    df = variance**2 / sum(errors[k] ** 4 / freedom[k] for k in errors)
    return max(floor, float(scipy.special.stdtrit(df, tail)) * math.sqrt(variance))


def _equal(rows: Rows) -> FloatArray:
    return np.ones(len(rows))


POOLING.add(
    PoolingMethod(
        name="pooled",
        title="pooled",
        summary="of the mean over these settings, each counting the same",
        is_about=About.MEAN,
        span=lambda rows, _, level: weighted_span(rows, _equal(rows), level),
    )
)
POOLING.add(
    PoolingMethod(
        name="weighted",
        title="weighted",
        summary="of the mean over these settings, each by its weight",
        is_about=About.MEAN,
        span=weighted_span,
    )
)


def _new_setting(rows: Rows, weights: FloatArray, level: float) -> Span | None:
    """Bound one more setting like these."""
    del weights
    if len(rows) <= 2:
        return None
    estimates = np.array([row.estimate for row in rows])
    spread = float(estimates.std(ddof=1)) * math.sqrt(1 + 1 / len(rows))
    half = float(scipy.special.stdtrit(len(rows) - 1, 0.5 + level / 2)) * spread
    of_mean = _half_width(rows, _equal(rows), level)
    if len({row.data for row in rows}) < len(rows):
        # Settings of the same data err together, which their spread cannot show.
        half = math.hypot(half, of_mean)
    # Were all settings the same, one more would lie where their mean does.
    half = max(half, of_mean)
    middle = _mean(rows)
    return middle, middle - half, middle + half


POOLING.add(
    PoolingMethod(
        name="new-setting",
        title="new setting",
        summary="of one more setting like these",
        assumes=("settings were drawn at random, and are normal",),
        is_about=About.NEXT,
        span=_new_setting,
    )
)


# Effects of factors ----------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class FactorEffect:
    """One value of one factor, the others being what they are.

    Attributes
    ----------
    model, scoring : str
        Whose, and by which metric.
    factor : str
        The factor.
    value : object
        Its value.
    estimate, low, high : float
        Pooled over the settings with this value.
    spread : float
        Mean standard deviation of the folds of such a setting.
    n_settings : int
        How many there are.
    """

    model: str
    scoring: str
    factor: str
    value: Any
    estimate: float
    low: float
    high: float
    spread: float
    n_settings: int


def factor_effects(
    rows: Rows, *, usual: dict[str, Any], confidence_level: float
) -> tuple[FactorEffect, ...]:
    """Look at every factor with two values or more.

    Parameters
    ----------
    rows : sequence of SettingEstimate
        Known ones, of one model and metric.
    usual : dict
        Defaults of a design of one factor at a time: other factors are held there.
        Empty for a grid, in which they are averaged over.
    confidence_level : float
        Level of the intervals.

    Returns
    -------
    tuple of FactorEffect
        Factor by factor, value by value.
    """
    found = []
    for factor in rows[0].factors if rows else ():
        values = _values(rows, factor)
        if len(values) < 2:
            continue
        for text, value in values.items():
            own = [
                row
                for row in rows
                if as_text(row.factors[factor]) == text and _is_held(row, usual, factor)
            ]
            if not own:
                continue
            estimate, low, high = weighted_span(own, _equal(own), confidence_level)
            low, high = own[0].within(low, high)
            spreads = [row.folds.std(ddof=1) for row in own if row.folds.size > 1]
            found.append(
                FactorEffect(
                    model=own[0].model,
                    scoring=own[0].scoring,
                    factor=factor,
                    value=value,
                    estimate=estimate,
                    low=low,
                    high=high,
                    spread=float(np.mean(spreads)) if spreads else math.nan,
                    n_settings=len(own),
                )
            )
    return tuple(found)


def _values(rows: Rows, factor: str) -> dict[str, Any]:
    """Return the values of a factor by how they are written, each once."""
    found: dict[str, Any] = {}
    for row in rows:
        found.setdefault(as_text(row.factors[factor]), row.factors[factor])
    return found


def _is_held(row: SettingEstimate, usual: dict[str, Any], factor: str) -> bool:
    return all(
        as_text(row.factors[other]) == as_text(value)
        for other, value in usual.items()
        if other != factor
    )


# Groups of like difficulty ---------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class DifficultyGroup:
    """Settings in which a model does about as well.

    One interval over settings of very different difficulty is true and useless.
    Settings are grouped by the distributions of their estimates (distance of
    Wasserstein, average linkage) into as few groups as leave the members of each
    compatible.

    Attributes
    ----------
    model, scoring : str
        Whose, and by which metric.
    rank : int
        1 for the easiest.
    members : tuple of int
        Numbers of the settings.
    estimate, low, high : float
        Mean over them with its interval, which says nothing of a single one.
    lowest, highest : float
        Lowest and highest end over them: what holds for each.
    p_alike : float
        Of Cochran's Q: small if even these differ more than chance allows.
    factors : dict of str to tuple
        Values that all settings of the group have, and together no other setting.
        Empty if there are none such, or no other group.
    """

    model: str
    scoring: str
    rank: int
    members: tuple[int, ...]
    estimate: float
    low: float
    high: float
    lowest: float
    highest: float
    p_alike: float
    factors: dict[str, tuple[Any, ...]]


def difficulty_groups(
    rows: Rows, *, confidence_level: float, max_groups: int
) -> tuple[DifficultyGroup, ...]:
    """Group settings by difficulty.

    Parameters
    ----------
    rows : sequence of SettingEstimate
        Known ones, of one model and metric.
    confidence_level : float
        Level of the intervals.
    max_groups : int
        Most groups.

    Returns
    -------
    tuple of DifficultyGroup
        From the easiest to the hardest.
    """
    if not rows:
        return ()
    labels = _labels(rows, max_groups)
    groups = [
        [row for row, label in zip(rows, labels, strict=True) if label == own]
        for own in np.unique(labels)
    ]
    sign = -1.0 if rows[0].greater_is_better else 1.0
    groups.sort(key=lambda group: sign * np.mean([row.estimate for row in group]))
    found = []
    for rank, group in enumerate(groups, start=1):
        estimate, low, high = weighted_span(group, _equal(group), confidence_level)
        low, high = group[0].within(low, high)
        found.append(
            DifficultyGroup(
                model=group[0].model,
                scoring=group[0].scoring,
                rank=rank,
                members=tuple(row.setting for row in group),
                estimate=estimate,
                low=low,
                high=high,
                lowest=min(row.low for row in group),
                highest=max(row.high for row in group),
                p_alike=_p_alike(group),
                factors=_set_apart(group, rows),
            )
        )
    return tuple(found)


def wasserstein(a: FloatArray, b: FloatArray) -> float:
    """Return the distance of two collections: the mean gap between quantiles.

    Examples
    --------
    >>> wasserstein(np.array([0.0, 1.0]), np.array([2.0, 3.0]))
    2.0
    """
    steps = [np.arange(x.size + 1) / x.size for x in (a, b)]
    shares = np.unique(np.concatenate(steps))
    middle = (shares[1:] + shares[:-1]) / 2
    ends = [np.sort(x)[(middle * x.size).astype(int)] for x in (a, b)]
    return float(np.abs(ends[0] - ends[1]) @ np.diff(shares))


def _labels(rows: Rows, most: int) -> IntArray:
    """Return the group of every setting: as few groups as leave members alike."""
    if len(rows) == 1:
        return np.ones(1, dtype=np.int64)
    distances = [
        wasserstein(rows[i].folds, rows[j].folds)
        for i in range(len(rows))
        for j in range(i + 1, len(rows))
    ]
    hierarchy = scipy.cluster.hierarchy
    tree = hierarchy.linkage(np.array(distances), method="average")
    labels: IntArray = np.ones(len(rows), dtype=np.int64)
    for count in range(1, min(most, len(rows)) + 1):
        labels = hierarchy.fcluster(tree, count, criterion="maxclust").astype(np.int64)
        alike = [
            _p_alike([r for r, x in zip(rows, labels, strict=True) if x == own])
            for own in np.unique(labels)
        ]
        if min(alike) > _COMPATIBLE:
            break
    return labels


def _p_alike(rows: Rows) -> float:
    """Return the p-value of Cochran's Q, that all have one mean."""
    if len(rows) == 1:
        return 1.0
    values = np.array([row.estimate for row in rows])
    if np.ptp(values) == 0:
        return 1.0
    special = scipy.special
    # Errors of few degrees of freedom count as the normal ones of equal interval.
    errors = np.array(
        [
            row.stderr * special.stdtrit(row.df, _TAIL) / special.ndtri(_TAIL)
            for row in rows
        ]
    )
    if not errors.all():
        errors = np.maximum(errors, errors.max() / 10 or 1e-9)
    weights = 1 / errors**2
    middle = weights @ values / weights.sum()
    return float(special.chdtrc(len(rows) - 1, weights @ (values - middle) ** 2))


def _set_apart(group: Rows, rows: Rows) -> dict[str, tuple[Any, ...]]:
    """Return values that all of a group have and no setting outside of it.

    By one factor if one is enough, else by all that leave some settings out.
    """
    values = {factor: _values(group, factor) for factor in rows[0].factors}
    inside = {row.setting for row in group}
    others = [row for row in rows if row.setting not in inside]
    fewer = {
        factor: own
        for factor, own in values.items()
        if any(as_text(row.factors[factor]) not in own for row in others)
    }
    alone = [{factor: own} for factor, own in fewer.items()]
    for chosen in (*alone, fewer):
        left = [
            row
            for row in others
            if all(
                as_text(row.factors[factor]) in own for factor, own in chosen.items()
            )
        ]
        if others and not left:
            return {factor: tuple(own.values()) for factor, own in chosen.items()}
    return {}


# Dominance -------------------------------------------------------------------------


class Relation(StrEnum):
    """Whether the first of two models is better over settings, or the second."""

    SUPERIOR = "superior"
    INFERIOR = "inferior"


@dataclass(frozen=True, kw_only=True)
class Dominance:
    """Two models over the same settings.

    Attributes
    ----------
    a, b, scoring : str
        The models, and the metric.
    n_settings : int
        Settings in which both have an estimate.
    better, worse : float
        Share of them in which `a` is better, and worse, by its estimate.
    won, lost : float
        Share in which it is significantly so, setting by setting.
    p_sign : float
        Two-sided sign test over settings with different data: of no model being
        better more often.
    alpha : float
        Level of the tests of single settings.
    share : float
        Share of settings in which a relation must hold.
    relation : Relation or None
        SUPERIOR if `a` is significantly better in that share of the settings and
        significantly worse in none; INFERIOR the other way round.
    won_in, lost_in : tuple of int
        Numbers of those settings.
    """

    a: str
    b: str
    scoring: str
    n_settings: int
    better: float = field(metadata=SHARE)
    worse: float = field(metadata=SHARE)
    won: float
    lost: float
    p_sign: float = field(metadata=SHARE)
    alpha: float = field(metadata=SHARE)
    share: float = field(metadata=SHARE)
    relation: Relation | None
    won_in: tuple[int, ...] = ()
    lost_in: tuple[int, ...] = ()


def dominance(a: Rows, b: Rows, *, alpha: float, share: float) -> Dominance | None:
    """Compare two models over settings.

    Parameters
    ----------
    a, b : sequence of SettingEstimate
        Both models, the same settings in the same order.
    alpha : float
        Level of the tests of single settings.
    share : float
        Share of settings in which a relation must hold.

    Returns
    -------
    Dominance or None
        None if no setting has both.
    """
    pairs = [(x, y) for x, y in zip(a, b, strict=True) if x.is_known and y.is_known]
    if not pairs:
        return None
    sign = 1.0 if a[0].greater_is_better else -1.0
    gains = [sign * (x.estimate - y.estimate) for x, y in pairs]
    decided = [
        (x.setting, gain > 0)
        for (x, y), gain in zip(pairs, gains, strict=True)
        if difference_p(x, y) <= alpha and gain
    ]
    won = tuple(number for number, is_better in decided if is_better)
    lost = tuple(number for number, is_better in decided if not is_better)
    n = len(pairs)
    relation = None
    if len(won) >= share * n - 1e-9 and not lost:
        relation = Relation.SUPERIOR
    elif len(lost) >= share * n - 1e-9 and not won:
        relation = Relation.INFERIOR
    return Dominance(
        a=a[0].model,
        b=b[0].model,
        scoring=a[0].scoring,
        n_settings=n,
        better=sum(g > 0 for g in gains) / n,
        worse=sum(g < 0 for g in gains) / n,
        won=len(won) / n,
        lost=len(lost) / n,
        p_sign=_sign_test(pairs, gains),
        alpha=alpha,
        share=share,
        relation=relation,
        won_in=won,
        lost_in=lost,
    )


def difference_p(a: SettingEstimate, b: SettingEstimate) -> float:
    """Return the two-sided p-value of a difference in one setting.

    Of one data set by the corrected resampled t-test; of several by a paired t-test of
    their means. 1 where all differences are the same: without spread there is no error
    to measure them by.
    """
    gaps = [np.subtract(x, y) for x, y in zip(a.datasets, b.datasets, strict=True)]
    gaps = [gap[np.isfinite(gap)] for gap in gaps]
    gaps = [gap for gap in gaps if gap.size]
    if len(gaps) == 1:
        if np.ptp(gaps[0]) <= _SAME * np.abs(gaps[0]).max():
            return 1.0
        return corrected_t(gaps[0], a.test_ratio)[1]
    means = np.array([gap.mean() for gap in gaps])
    if means.size < 2 or np.ptp(means) <= _SAME * np.abs(means).max():
        return 1.0
    error = float(means.std(ddof=1)) / math.sqrt(means.size)
    t = abs(means.mean()) / error
    return 2 * float(scipy.special.stdtr(means.size - 1, -t))


def _sign_test(
    pairs: Sequence[tuple[SettingEstimate, SettingEstimate]], gains: Sequence[float]
) -> float:
    """Count data sets, not settings: those that share data are not independent."""
    by_data: dict[int, float] = {}
    for (x, _), gain in zip(pairs, gains, strict=True):
        by_data[x.data] = by_data.get(x.data, 0.0) + gain
    signs = np.sign(list(by_data.values()))
    n, fewer = int((signs != 0).sum()), int(min((signs > 0).sum(), (signs < 0).sum()))
    return min(1.0, 2 * float(scipy.special.bdtr(fewer, n, 0.5))) if n else 1.0
