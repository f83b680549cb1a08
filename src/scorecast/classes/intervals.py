"""How sure a forecast is.

Methods that know their own spread say so, downwards and upwards (`auto`, `bayesian`);
for all others classes are left out in turn. Either way the interval is one of the
log-odds, so it stays within 0 and 1, and it never reaches above that of the accuracy
observed. Where every example was right a bound holds that needs no model, where none
was there is nothing but a bound.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import betainc, betaincc, betaincinv, expit, logit, ndtr, stdtrit

from scorecast._core.types import FloatArray, IntArray
from scorecast.classes.bayesian import rank_posterior
from scorecast.classes.effective_size import effective_size
from scorecast.classes.evidence import Evidence
from scorecast.classes.method import Fit
from scorecast.classes.monotone import MonotoneForecast
from scorecast.classes.pooling import PooledFavourability
from scorecast.classes.top_favourability import PooledGuesses, TopPosterior
from scorecast.scores import AccuracyCurve, curve_of_ranking

__all__ = [
    "Interval",
    "bracket_share",
    "hopeless_bound",
    "least_accuracy",
    "looks_like_chance",
    "observed_interval",
    "perfect_bound",
    "prediction_interval",
]

_GROUPS = 60
_FEWEST_OWN = 2  # classes with examples, where a method knows its spread
_FEWEST_LEFT_OUT = 3  # where they are left out in turn
_FAULTLESS = (
    "its lower end is that of the method `bayesian`, a posterior that counts classes, "
    "not examples: every example was right, so leaving classes out in turn shows no "
    "spread; the methods `bayesian` and `auto` forecast by it, too"
)
_RUNG = 1.5  # factor in classes between upper ends that are compared
_FLOOR = 1e-9  # keeps log-odds finite
_ROUNDING = 1e-13
_NO_SPREAD = 1e-12  # standard error of classes that are all alike
_SURELY_NOT_CHANCE = 0.01


@dataclass(frozen=True, kw_only=True, eq=False)
class Interval:
    """An interval at each number of classes.

    Attributes
    ----------
    low, high : ndarray of shape (n,)
        Ends of the intervals.
    how : str
        How it was made, or why there is none.
    """

    low: FloatArray
    high: FloatArray
    how: str


def prediction_interval(
    fit: Fit, evidence: Evidence, ks: IntArray, level: float
) -> Interval:
    """Bracket the accuracy at numbers of classes.

    Parameters
    ----------
    fit : Fit
        A fitted method.
    evidence : Evidence
        What it was fitted to.
    ks : ndarray of int64
        Numbers of classes, not below those observed.
    level : float
        Level of the interval.

    Returns
    -------
    Interval
        The interval, NaN with the reason where there is none.
    """
    ks = np.asarray(ks)
    centre = np.clip(fit.distribution.accuracy(ks), 0, 1)
    if evidence.ranks.accuracy <= 0:
        return _hopeless(evidence, ks, level, centre)
    n_tested = _n_tested(evidence)
    knows_spread = isinstance(fit.distribution, MonotoneForecast)
    if n_tested < (_FEWEST_OWN if knows_spread else _FEWEST_LEFT_OUT):
        nothing = np.full(np.shape(ks), np.nan)
        how = f"none: too few classes with examples ({n_tested}) to tell how they vary"
        if n_tested >= _FEWEST_OWN:
            how += "; the methods `bayesian` and `auto` give one"
        return Interval(low=nothing, high=nothing, how=how)
    if isinstance(fit.distribution, MonotoneForecast):
        found = _own_interval(fit.distribution, evidence, ks, level)
    elif evidence.ranks.is_only_bound:
        # Classes left out in turn are all alike: only a posterior tells how low.
        ranks = rank_posterior(evidence)[0]
        posterior = TopPosterior(fitted=ranks, top=evidence.top)
        found = replace(_own_interval(posterior, evidence, ks, level), how=_FAULTLESS)
    else:
        found = _left_out_interval(fit, evidence, ks, level, centre)
    low, high = found.low, found.high
    # Accuracy only decreases, so what holds at the classes observed holds beyond.
    high = np.fmin(high, _observed_high(evidence, level))
    if looks_like_chance(evidence):
        chance = np.minimum(evidence.top / ks, 1.0)
        low, high = np.minimum(low, chance), np.maximum(high, chance)
    if evidence.ranks.is_only_bound:
        # Nothing that was seen speaks against a recogniser that never errs.
        low = np.maximum(low, least_accuracy(evidence, ks, level))
        high = np.ones(np.shape(ks))
    return replace(found, low=np.minimum(low, centre), high=np.maximum(high, centre))


def perfect_bound(
    n_classes: int,
    ks: IntArray,
    level: float,
    n_tested: int | None = None,
    *,
    top: int = 1,
) -> FloatArray:
    """Bound accuracy from below where every example was right.

    With confidence `level` the accuracy at K observed classes, all n of those tested
    right, is at least ``(1 - level) ** (1 / n)``: classes are the sampling unit.
    Accuracy at k > K classes is a convex function of that at K for every single U, so
    by Jensen's inequality it is at least that of the one U which has this accuracy at
    K. For one guess that is E[U^(k-1)] >= E[U^(K-1)] ** ((k-1) / (K-1)).

    Parameters
    ----------
    n_classes : int
        Number of classes observed, K; more than `top`.
    ks : ndarray of int64
        Numbers of classes to bound the accuracy at; for fewer than K the bound of K
        holds, as accuracy only decreases.
    level : float
        Confidence of the bound.
    n_tested : int, optional
        Number of classes with examples; all by default.
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
    bound: FloatArray
    if top == 1:
        bound = (1 - level) ** ((more - 1) / (n_classes - 1) / (n_tested or n_classes))
        return bound
    at_observed = (1 - level) ** (1 / (n_tested or n_classes))
    # The chance of being beaten that has this accuracy at K.
    beaten = betaincinv(top, n_classes - top, 1 - at_observed)
    bound = betaincc(top, more - top, beaten)
    return bound


def hopeless_bound(n_tested: int, ks: IntArray, level: float) -> FloatArray:
    """Bound accuracy from above where every example was wrong.

    Parameters
    ----------
    n_tested : int
        Number of classes with examples.
    ks : ndarray of int64
        Numbers of classes, not below those observed: accuracy only decreases.
    level : float
        Confidence of the bound.

    Returns
    -------
    ndarray of float64
        Upper bounds, the same for all numbers of classes.
    """
    return np.full(np.shape(ks), 1 - (1 - level) ** (1 / n_tested))


def observed_interval(
    evidence: Evidence, observed: AccuracyCurve, level: float
) -> tuple[float, float]:
    """Bracket the accuracy with the classes observed.

    Parameters
    ----------
    evidence : Evidence
        The observed classes.
    observed : AccuracyCurve
        Their accuracy curve.
    level : float
        Level of the interval.

    Returns
    -------
    low, high : float
        Ends of the interval at the largest size of the curve.
    """
    last = int(np.argmax(observed.classes))
    return bracket_share(
        float(observed.accuracy[last]),
        observed.nearest_standard_error(last).value,
        n_groups=observed.n_groups,
        n_tested=_n_tested(evidence),
        level=level,
    )


def bracket_share(
    share: float, stderr: float, *, n_groups: int, n_tested: int, level: float
) -> tuple[float, float]:
    """Bracket a mean over classes that lies between zero and one.

    Where all classes are alike (all right, all wrong, all tied) nothing is seen of how
    they vary. With confidence `level` no more than 1 - b of all classes are then
    unlike them, b = ``(1 - level) ** (1 / n_tested)``, and those may be anywhere.

    Parameters
    ----------
    share : float
        The mean.
    stderr : float
        Its standard error, from leaving classes out.
    n_groups : int
        Groups of classes left out in turn.
    n_tested : int
        Number of classes with examples.
    level : float
        Level of the interval.

    Returns
    -------
    low, high : float
        Ends of the interval.

    Examples
    --------
    >>> low, high = bracket_share(1.0, 0.0, n_groups=20, n_tested=20, level=0.9)
    >>> round(low, 3), high
    (0.891, 1.0)
    """
    if share in (0, 1) or stderr <= _NO_SPREAD:
        alike = (1 - level) ** (1 / n_tested)
        return share * alike, share * alike + 1 - alike if share < 1 else 1.0
    spread = np.array([stderr / (share * (1 - share))])
    around = _around(np.array([share]), spread, max(n_groups - 1, 1), level, "")
    return float(around.low[0]), float(around.high[0])


def least_accuracy(evidence: Evidence, ks: IntArray, level: float) -> FloatArray:
    """Bound accuracy from below where every example was right, by `perfect_bound`.

    Parameters
    ----------
    evidence : Evidence
        The observed classes, every example right.
    ks : ndarray of int64
        Numbers of classes.
    level : float
        Confidence of the bound.

    Returns
    -------
    ndarray of float64
        Lower bounds, whatever the distribution of favourability.
    """
    # As many guesses as all needed; more would only weaken the bound.
    needed = int(np.flatnonzero(evidence.ranks.histogram > _ROUNDING)[0]) + 1
    n_tested = _n_tested(evidence)
    bound = perfect_bound(evidence.n_classes, ks, level, n_tested, top=needed)
    return np.where(np.asarray(ks) > evidence.top, bound, 1.0)


def looks_like_chance(evidence: Evidence) -> bool:
    """Say whether guessing could have given these ranks.

    Guessing puts the truth anywhere alike. Neither the share of examples that are right
    nor the mean rank may be further from that than in one of 100 such data sets.

    Parameters
    ----------
    evidence : Evidence
        The observed classes.

    Returns
    -------
    bool
        True if both could be chance.
    """
    ranks, size = evidence.ranks, effective_size(evidence)
    n_classes, top = ranks.n_classes, evidence.top
    n_right = ranks.accuracy * size
    if n_right > 0:
        exceeded = betainc(n_right, size - n_right + 1, min(top / n_classes, 1.0))
        if exceeded < _SURELY_NOT_CHANCE:
            return False
    shares = np.arange(n_classes) / (n_classes - 1)
    variance = (n_classes + 1) / (12 * (n_classes - 1) * size)
    away = abs(float(ranks.histogram @ shares) - 0.5) / np.sqrt(variance)
    return bool(2 * ndtr(-away) >= _SURELY_NOT_CHANCE)


def _hopeless(
    evidence: Evidence, ks: IntArray, level: float, centre: FloatArray
) -> Interval:
    return Interval(
        low=np.zeros(np.shape(ks)),
        high=np.maximum(hopeless_bound(_n_tested(evidence), ks, level), centre),
        how="a bound: every example was wrong",
    )


def _observed_high(evidence: Evidence, level: float) -> float:
    at_hand = curve_of_ranking(
        evidence.ranking,
        np.array([evidence.n_classes]),
        top=evidence.top,
        ties=evidence.ties,
        average=evidence.average,
    )
    return observed_interval(evidence, at_hand, level)[1]


def _left_out_interval(
    fit: Fit, evidence: Evidence, ks: IntArray, level: float, centre: FloatArray
) -> Interval:
    grouped = evidence.regroup(_GROUPS, np.random.default_rng(0))
    fits = fit.tuned.fit_left_out(grouped, fit)
    n_groups = len(fits)
    replicates = _log_odds(np.array([left_out.accuracy(ks) for left_out in fits]))
    away = replicates - replicates.mean(axis=0)
    sd = np.sqrt((n_groups - 1) / n_groups * (away**2).sum(axis=0))
    return _around(centre, sd, n_groups - 1, level, "leaving out classes in turn")


def _own_interval(
    distribution: MonotoneForecast, evidence: Evidence, ks: IntArray, level: float
) -> Interval:
    """Bracket the forecast by the spread that its distribution knows."""
    how = (
        "what the observed classes leave open (a posterior that counts classes, not "
        "examples)"
    )
    if isinstance(distribution, PooledFavourability | PooledGuesses):
        how += (
            ", how far ranks and scores disagree, and how far the decline beyond the "
            "data may be misjudged"
        )
    n_classes = evidence.n_classes
    width = float(stdtrit(_n_tested(evidence) - 1, 0.5 + level / 2))
    low, high = distribution.ends(ks, width)
    # Accuracy only decreases, so an upper end at fewer classes holds at more.
    n_rungs = int(np.log(max(ks.max() / n_classes, 1)) / np.log(_RUNG)) + 1
    rungs = np.ceil(n_classes * _RUNG ** np.arange(n_rungs)).astype(np.int64)
    least = np.minimum.accumulate(distribution.ends(rungs, width)[1])
    below = np.searchsorted(rungs, ks, side="right")
    high = np.minimum(high, np.append(1.0, least)[below])
    return Interval(low=low, high=high, how=how)


def _around(
    centre: FloatArray, sd: FloatArray, freedom: int, level: float, how: str
) -> Interval:
    half = stdtrit(freedom, 0.5 + level / 2) * sd
    odds = _log_odds(centre)
    return Interval(
        low=np.minimum(expit(odds - half), centre),
        high=np.maximum(expit(odds + half), centre),
        how=how,
    )


def _log_odds(accuracy: FloatArray) -> FloatArray:
    odds: FloatArray = logit(np.clip(accuracy, _FLOOR, 1 - _FLOOR))
    return odds


def _n_tested(evidence: Evidence) -> int:
    return int(np.unique(evidence.ranking.own).size)
