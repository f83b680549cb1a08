"""How sure a forecast is.

Methods that know their own spread say so, downwards and upwards (`auto`, `bayesian`);
for all others classes are left out in turn. Either way the interval is one of the
log-odds, so it stays within 0 and 1, and it never reaches above that of the accuracy
observed. Where every sample was right a bound holds that needs no model, where none was
there is nothing but a bound.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
import scipy

from scorecast._core.types import FloatArray, IntArray
from scorecast.extrapolation.bayesian import rank_posterior
from scorecast.extrapolation.extrapolator import Fit, UncertainLaw, clipped_logit
from scorecast.extrapolation.observed import ObservedClasses, effective_size
from scorecast.extrapolation.pooling import Pool
from scorecast.scores import AccuracyCurve, curve_of_ranking

_GROUPS = 60
_FEWEST_OWN = 2  # classes with samples, where a method knows its spread
_FEWEST_LEFT_OUT = 3  # where they are left out in turn
_RUNG = 1.5  # factor in classes between upper ends that are compared
_FLOOR = 1e-9  # keeps log-odds finite
_ROUNDING = 1e-13
_NO_SPREAD = 1e-12  # standard error of classes that are all alike
_SURELY_NOT_CHANCE = 0.01


class IntervalKind(StrEnum):
    """How an interval was made, or why there is none."""

    POSTERIOR = "posterior"
    POOLED = "pooled"
    JACKKNIFE = "jackknife"
    FAULTLESS = "faultless"  # the posterior of the ranks: nothing varies
    ALL_WRONG = "all-wrong"  # nothing but a bound
    TOO_FEW_CLASSES = "too-few-classes"  # none


@dataclass(frozen=True, kw_only=True, eq=False)
class Interval:
    """An interval at each number of classes.

    Attributes
    ----------
    low, high : ndarray of shape (n,)
        Ends of the intervals; NaN where there is none.
    kind : IntervalKind
        How it was made.
    """

    low: FloatArray
    high: FloatArray
    kind: IntervalKind


def prediction_interval(
    fit: Fit,
    observed: ObservedClasses,
    ks: IntArray,
    confidence_level: float,
    *,
    top: int = 1,
    n_jobs: int | None = None,
) -> Interval:
    """Bracket the accuracy at numbers of classes, not below those observed."""
    ks = np.asarray(ks)
    law, ranks = fit.law, observed.ranks
    centre = np.clip(law.accuracy(ks, top), 0, 1)
    if ranks.accuracy(top) <= 0:
        bound = hopeless_bound(observed.n_alike, ks, confidence_level)
        return Interval(
            low=np.zeros(np.shape(ks)),
            high=np.maximum(bound, centre),
            kind=IntervalKind.ALL_WRONG,
        )
    is_own = isinstance(law, UncertainLaw)
    if observed.n_tested < (_FEWEST_OWN if is_own else _FEWEST_LEFT_OUT):
        nothing = np.full(np.shape(ks), np.nan)
        return Interval(low=nothing, high=nothing, kind=IntervalKind.TOO_FEW_CLASSES)
    if isinstance(law, UncertainLaw):
        kind = IntervalKind.POOLED if isinstance(law, Pool) else IntervalKind.POSTERIOR
        found = _own_interval(law, observed, ks, confidence_level, top, kind)
    elif ranks.is_faultless(top):
        # Classes left out in turn are all alike: only a posterior tells how low.
        posterior, kind = rank_posterior(observed)[0], IntervalKind.FAULTLESS
        found = _own_interval(posterior, observed, ks, confidence_level, top, kind)
    else:
        found = _left_out_interval(
            fit, observed, ks, confidence_level, centre, top, n_jobs
        )
    low, high = found.low, found.high
    # Accuracy only decreases, so what holds at the classes observed holds beyond.
    high = np.fmin(high, _observed_high(observed, confidence_level, top))
    if looks_like_chance(observed, top):
        chance = np.minimum(top / ks, 1.0)
        low, high = np.minimum(low, chance), np.maximum(high, chance)
    if ranks.is_faultless(top):
        # Nothing that was seen speaks against a recogniser that never errs.
        low = np.maximum(low, least_accuracy(observed, ks, confidence_level, top))
        high = np.ones(np.shape(ks))
    return replace(found, low=np.minimum(low, centre), high=np.maximum(high, centre))


def perfect_bound(
    n_classes: int,
    ks: IntArray,
    confidence_level: float,
    n_tested: float | None = None,
    *,
    top: int = 1,
) -> FloatArray:
    r"""Bound accuracy from below where every sample was right.

    With confidence c the accuracy at K observed classes, all n of those tested right,
    is at least :math:`(1 - c)^{1/n}`: classes are the sampling unit. Accuracy at k > K
    classes is a convex function of that at K for every single U, so by Jensen's
    inequality it is at least that of the one U which has this accuracy at K. For one
    guess that is

    .. math:: E\,U^{k-1} \ge (E\,U^{K-1})^{(k-1)/(K-1)}.

    Parameters
    ----------
    n_classes : int
        Number of classes observed, K; more than `top`.
    ks : ndarray of int64
        Numbers of classes to bound the accuracy at; for fewer than K the bound of K
        holds, as accuracy only decreases.
    confidence_level : float
        Confidence of the bound.
    n_tested : float, optional
        Number of classes with samples; all by default. Where they count by weights,
        that of equal ones which tell as much.
    top : int, default=1
        Guesses allowed.

    Returns
    -------
    ndarray of float64
        Lower bounds.

    Examples
    --------
    >>> perfect_bound(100, np.array([100, 1000, 10_000]), 0.9).round(3)
    array([0.977, 0.793, 0.098])
    """
    more = np.maximum(np.asarray(ks, dtype=np.float64), n_classes)
    each = n_tested or n_classes
    bound: FloatArray
    if top == 1:
        bound = (1 - confidence_level) ** ((more - 1) / (n_classes - 1) / each)
        return bound
    at_observed = (1 - confidence_level) ** (1 / each)
    # The chance of being beaten that has this accuracy at K.
    beaten = scipy.special.betaincinv(top, n_classes - top, 1 - at_observed)
    bound = scipy.special.betaincc(top, more - top, beaten)
    return bound


def hopeless_bound(
    n_tested: float, ks: IntArray, confidence_level: float
) -> FloatArray:
    """Bound accuracy from above where every sample was wrong; the same for all k."""
    return np.full(np.shape(ks), 1 - (1 - confidence_level) ** (1 / n_tested))


def least_accuracy(
    observed: ObservedClasses, ks: IntArray, confidence_level: float, top: int = 1
) -> FloatArray:
    """Bound accuracy from below where every sample was right, whatever the law."""
    # As many guesses as all needed; more would only weaken the bound.
    needed = int(np.flatnonzero(observed.ranks.histogram > _ROUNDING)[0]) + 1
    bound = perfect_bound(
        observed.n_classes, ks, confidence_level, observed.n_alike, top=needed
    )
    return np.where(np.asarray(ks) > top, bound, 1.0)


def observed_interval(
    observed: ObservedClasses, curve: AccuracyCurve, confidence_level: float
) -> tuple[float, float]:
    """Bracket the accuracy at the largest size of a curve of the observed classes."""
    last = int(np.argmax(curve.classes))
    return bracket_share(
        float(curve.accuracy[last]),
        curve.nearest_standard_error(last).value,
        n_groups=observed.n_telling(curve.n_groups),
        n_tested=observed.n_alike,
        confidence_level=confidence_level,
    )


def bracket_share(
    share: float,
    stderr: float,
    *,
    n_groups: float,
    n_tested: float,
    confidence_level: float,
) -> tuple[float, float]:
    r"""Bracket a mean over classes that lies between zero and one.

    Where all classes are alike (all right, all wrong, all tied) nothing is seen of how
    they vary. With confidence c no more than 1 - b of all classes are then unlike them,
    :math:`b = (1 - c)^{1/n}` with n classes tested, and those may be anywhere.

    Parameters
    ----------
    share : float
        The mean.
    stderr : float
        Its standard error, from leaving classes out.
    n_groups : float
        Groups of classes left out in turn, as many as tell of the spread.
    n_tested : float
        Number of classes with samples, or of equal ones that tell as much.
    confidence_level : float
        Level of the interval.

    Returns
    -------
    low, high : float
        Ends of the interval.

    Examples
    --------
    >>> low, high = bracket_share(
    ...     1.0, 0.0, n_groups=20, n_tested=20, confidence_level=0.9
    ... )
    >>> round(low, 3), high
    (0.891, 1.0)
    """
    if share in (0, 1) or stderr <= _NO_SPREAD:
        alike = (1 - confidence_level) ** (1 / n_tested)
        return share * alike, share * alike + 1 - alike if share < 1 else 1.0
    spread = np.array([stderr / (share * (1 - share))])
    low, high = _around(
        np.array([share]), spread, max(n_groups - 1, 1), confidence_level
    )
    return float(low[0]), float(high[0])


def looks_like_chance(observed: ObservedClasses, top: int = 1) -> bool:
    """Tell whether guessing could have given these ranks.

    Guessing puts the truth anywhere alike. Neither the share of samples that are right
    nor the mean rank may be further from that than in one of 100 such data sets.
    """
    ranks, size = observed.ranks, effective_size(observed)
    n_classes = ranks.n_classes
    n_right = ranks.accuracy(top) * size
    if n_right > 0:
        chance = min(top / n_classes, 1.0)
        exceeded = scipy.special.betainc(n_right, size - n_right + 1, chance)
        if exceeded < _SURELY_NOT_CHANCE:
            return False
    shares = np.arange(n_classes) / (n_classes - 1)
    variance = (n_classes + 1) / (12 * (n_classes - 1) * size)
    away = abs(float(ranks.histogram @ shares) - 0.5) / np.sqrt(variance)
    return bool(2 * scipy.special.ndtr(-away) >= _SURELY_NOT_CHANCE)


def _observed_high(
    observed: ObservedClasses, confidence_level: float, top: int
) -> float:
    at_hand = curve_of_ranking(
        observed.ranking,
        np.array([observed.n_classes]),
        top=top,
        ties=observed.ties,
        average=observed.average,
    )
    return observed_interval(observed, at_hand, confidence_level)[1]


def _left_out_interval(
    fit: Fit,
    observed: ObservedClasses,
    ks: IntArray,
    confidence_level: float,
    centre: FloatArray,
    top: int,
    n_jobs: int | None,
) -> Interval:
    grouped = observed.regroup(_GROUPS, np.random.default_rng(0))
    fits = fit.tuned.fit_left_out(grouped, fit, n_jobs=n_jobs)
    n_groups = len(fits)
    accuracies = np.array([law.accuracy(ks, top) for law in fits])
    replicates = clipped_logit(accuracies, _FLOOR)
    away = replicates - replicates.mean(axis=0)
    sd = np.sqrt((n_groups - 1) / n_groups * (away**2).sum(axis=0))
    freedom = max(observed.n_telling(n_groups) - 1, 1)
    low, high = _around(centre, sd, freedom, confidence_level)
    return Interval(low=low, high=high, kind=IntervalKind.JACKKNIFE)


def _own_interval(
    law: UncertainLaw,
    observed: ObservedClasses,
    ks: IntArray,
    confidence_level: float,
    top: int,
    kind: IntervalKind,
) -> Interval:
    """Bracket the forecast by the spread that its law knows."""
    n_classes = observed.n_classes
    width = _student(max(observed.n_alike - 1, 1), confidence_level)
    low, high = law.ends(ks, width, top)
    # Accuracy only decreases, so an upper end at fewer classes holds at more.
    n_rungs = int(np.log(max(ks.max() / n_classes, 1)) / np.log(_RUNG)) + 1
    rungs = np.ceil(n_classes * _RUNG ** np.arange(n_rungs)).astype(np.int64)
    least = np.minimum.accumulate(law.ends(rungs, width, top)[1])
    below = np.searchsorted(rungs, ks, side="right")
    high = np.minimum(high, np.append(1.0, least)[below])
    return Interval(low=low, high=high, kind=kind)


def _around(
    centre: FloatArray, sd: FloatArray, freedom: float, confidence_level: float
) -> tuple[FloatArray, FloatArray]:
    """Go so many standard deviations down and up from a centre, in log-odds."""
    expit = scipy.special.expit
    half = _student(freedom, confidence_level) * sd
    odds = clipped_logit(centre, _FLOOR)
    low, high = expit(odds - half), expit(odds + half)
    return np.minimum(low, centre), np.maximum(high, centre)


def _student(freedom: float, confidence_level: float) -> float:
    """Return the quantile of Student's t for an interval of both sides."""
    return float(scipy.special.stdtrit(freedom, 0.5 + confidence_level / 2))
