"""An identification curve together with what it would be without each stimulus.

Stimuli are the sampling unit. A stimulus that is left out disappears both as a truth
and as a candidate. Where accuracies were averaged over random splits, it is left out of
every test set it was in; the fitted models are taken as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from scorecast._core.types import FloatArray, IntArray
from scorecast.information.identification.trials import Trials
from scorecast.scores import (
    AccuracyCurve,
    Ranking,
    curve_of_ranking,
    curve_sizes,
    jackknife_covariance,
    leave_out_curves,
)

__all__ = ["CurveSample", "in_groups", "mean_of_rankings", "sample_of_ranking"]

_TIES = "random"
_AVERAGE = "macro"


@dataclass(frozen=True, kw_only=True, eq=False)
class CurveSample:
    """A curve, its replicates, and what it was measured on.

    Attributes
    ----------
    curve : AccuracyCurve
        Accuracy against the number of candidates.
    replicates : ndarray of shape (n_groups, n_sizes)
        The curve without each stimulus (or group of stimuli); NaN at sizes that need
        all of them. No rows where there are too few.
    trials : Trials
        Stimuli and responses tested.
    """

    curve: AccuracyCurve
    replicates: FloatArray
    trials: Trials


def sample_of_ranking(ranking: Ranking, ks: IntArray | None = None) -> CurveSample:
    """Compute the curve of one test set and leave its stimuli out in turn.

    Parameters
    ----------
    ranking : Ranking
        Competitors of every response; every class has responses.
    ks : ndarray of int64, optional
        Numbers of candidates; 2..M by default, thinned out beyond 400.

    Returns
    -------
    CurveSample
        The curve and its replicates.
    """
    sizes = curve_sizes(ranking.n_classes) if ks is None else ks
    curve = curve_of_ranking(ranking, sizes, ties=_TIES, average=_AVERAGE)
    replicates = np.empty((0, sizes.size))
    if curve.n_groups:
        replicates = leave_out_curves(ranking, sizes, ties=_TIES, average=_AVERAGE)
    counts = np.bincount(ranking.own, minlength=ranking.n_classes)
    trials = Trials.of(ranking.n_classes, counts)
    return CurveSample(curve=curve, replicates=replicates, trials=trials)


def mean_of_rankings(
    rankings: Sequence[Ranking], members: Sequence[IntArray], n_units: int
) -> CurveSample:
    """Average the curves of several test sets drawn from the same stimuli.

    Parameters
    ----------
    rankings : sequence of Ranking
        One per split.
    members : sequence of ndarray of int64
        Which unit each group of a ranking is: a stimulus, or stimuli that belong
        together.
    n_units : int
        Number of units from which all test sets were drawn.

    Returns
    -------
    CurveSample
        The mean curve at sizes that all test sets reach. Its replicates leave one
        unit out of every test set.
    """
    if len(rankings) == 1:
        return sample_of_ranking(rankings[0])
    smallest = min(ranking.n_classes for ranking in rankings)
    ks = curve_sizes(smallest)
    samples = [sample_of_ranking(ranking, ks) for ranking in rankings]
    accuracy = np.mean([s.curve.accuracy for s in samples], axis=0)
    replicates = np.empty((0, ks.size))
    if all(s.replicates.size for s in samples):
        replicates = np.tile(accuracy, (n_units, 1))
        for sample, who in zip(samples, members, strict=True):
            moved = sample.replicates - sample.curve.accuracy
            replicates[who] += moved / len(samples)
    return CurveSample(
        curve=_mean_curve(samples, accuracy, replicates),
        replicates=replicates,
        trials=_worst_trials([s.trials for s in samples]),
    )


def _mean_curve(
    samples: Sequence[CurveSample], accuracy: FloatArray, replicates: FloatArray
) -> AccuracyCurve:
    smallest = min((s.curve for s in samples), key=lambda curve: curve.n_classes)
    covariance = np.empty((0, 0))
    stderr = np.full(accuracy.size, np.nan)
    if replicates.size:
        covariance = jackknife_covariance(replicates)
        stderr = np.sqrt(np.diag(covariance))
    return replace(
        smallest,
        accuracy=accuracy,
        stderr=stderr,
        covariance=covariance,
        n_groups=replicates.shape[0],
        counts=np.empty(0, dtype=np.int64),  # of one split only
    )


def in_groups(sample: CurveSample, sizes: Sequence[IntArray]) -> CurveSample:
    """Return the sample where stimuli came in groups.

    Parameters
    ----------
    sample : CurveSample
        A curve as if stimuli had been drawn one by one.
    sizes : sequence of ndarray of int64
        For every split, the number of stimuli in each group of its test set.

    Returns
    -------
    CurveSample
        The same with trials that know of the groups.
    """
    grouped = [sample.trials.in_groups(one) for one in sizes]
    worst = max(grouped, key=lambda trials: trials.class_spread)
    fewest = min(trials.n_groups for trials in grouped)
    return replace(sample, trials=replace(worst, n_groups=fewest))


def _worst_trials(trials: Sequence[Trials]) -> Trials:
    """Return trials whose bounds hold for each test set, and so for their mean."""
    return Trials(
        n_classes=min(t.n_classes for t in trials),
        fewest=min(t.fewest for t in trials),
        spread=max(t.spread for t in trials),
        class_spread=max(t.class_spread for t in trials),
        n_splits=len(trials),
    )
