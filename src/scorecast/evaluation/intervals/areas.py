"""DeLong's interval of an area under ROC curves that is a mean of folds, or pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import scipy  # its parts load when first used

from scorecast._core.types import FloatArray
from scorecast.evaluation.estimates import Estimates, MetricSample
from scorecast.evaluation.metrics import Predictions
from scorecast.evaluation.roc import area_influence, placements


def fold_area_interval(
    estimates: Estimates, level: float, *, is_doubled: bool = False
) -> tuple[float, float]:
    """Return DeLong's interval of the mean area of all folds.

    A sample (or group) tested several times counts once: what it adds to the error is
    summed over the folds first. Doubled, it allows for what samples teach as well, as
    `pair_area_interval` does. Measured at 95 % with five folds dealt five times (16
    settings of 40 to 100 samples, 20 to 200 features, no to strong signals) the wider
    of this and Nadeau-Bengio holds in 89 to 95 of 100, Nadeau-Bengio alone in 84 to 92,
    DeLong's as it is in 74 to 88.

    Parameters
    ----------
    estimates : Estimates
        The tests.
    level : float
        Confidence level.
    is_doubled : bool, default=False
        Whether to double the variance, with Student's quantile for the smallest class.

    Returns
    -------
    tuple of float
        Low and high; NaN where a fold lacks a class, or there are no scores. Where a
        fold has a single sample of a class, samples are held against those of all
        folds.
    """
    data = estimates.data
    found = _by_fold(estimates)
    if found is None:
        found = _over_folds(estimates)
    if found is None:
        return math.nan, math.nan
    areas, parts = found
    if data.groups is not None:
        _, unit = np.unique(data.groups, return_inverse=True)
        parts = np.bincount(unit, weights=parts).astype(np.float64)
    quantile = float(scipy.special.ndtri(0.5 + level / 2))
    if is_doubled:
        free = max(int(np.bincount(data.codes).min()) - 1, 1)
        student = float(scipy.special.stdtrit(free, 0.5 + level / 2))
        quantile = math.sqrt(2) * student
    half = quantile * math.sqrt(float((parts**2).sum()))
    return float(np.mean(areas)) - half, float(np.mean(areas)) + half


def pair_area_interval(
    estimates: Estimates, sample: MetricSample, level: float
) -> tuple[float, float]:
    """Return an interval of an area for which every pair of samples was left out.

    The means of a sample over its pairs are DeLong's components. They know of samples
    as tests only, but every sample teaches the models of all other pairs as well. On
    noise what one sample teaches of another is what that one teaches of it, so that the
    products of which scores are made come in equal pairs, and the variance is twice
    that of independent ones. Measured at 95 % in 20 settings (20 and 20, 10 and 30, 30
    and 30 samples, 10 and 200 features, no to strong signals) it holds in 93 of 100 on
    average, in 85 at worst; the variance as it is, in 82 and 70.

    Parameters
    ----------
    estimates : Estimates
        The tests; two samples, one of each class, in every split.
    sample : MetricSample
        A value for every pair.
    level : float
        Confidence level.

    Returns
    -------
    tuple of float
        Low and high; NaN where a class has fewer than two samples.
    """
    codes, known = estimates.data.codes, sample.known_folds
    tests = [x.test for x in estimates.results if x.predictions is not None]
    tested = np.stack(tests)
    error, fewest = 0.0, math.inf
    for code in (0, 1):
        own = tested[np.arange(len(tested)), np.argmax(codes[tested] == code, axis=1)]
        times = np.bincount(own)
        means = np.bincount(own, weights=known)[times > 0] / times[times > 0]
        if means.size < 2:
            return math.nan, math.nan
        error += float(means.var(ddof=1)) / means.size
        fewest = min(fewest, means.size)
    quantile = float(scipy.special.stdtrit(fewest - 1, 0.5 + level / 2))
    half = quantile * math.sqrt(2 * error)
    return float(known.mean()) - half, float(known.mean()) + half


def _by_fold(estimates: Estimates) -> tuple[list[float], FloatArray] | None:
    """Return areas of folds, and what samples add to the error of their mean.

    Samples are held against the area of their own fold, so that each needs two of every
    class.
    """
    parts: FloatArray = np.zeros(estimates.data.n_samples)
    areas = []
    n_tested = len(estimates.predictions())
    for one in estimates.results:
        if one.predictions is None:
            continue
        found = _mean_area(one.predictions)
        if found is None:
            return None
        areas.append(found[0])
        np.add.at(parts, one.test, found[1] / n_tested)
    return (areas, parts) if areas else None


def _over_folds(estimates: Estimates) -> tuple[list[float], FloatArray] | None:
    """Return the same with samples held against those of their class in all folds.

    A class of five in five folds has one sample in each, which nothing in its fold can
    be held against. What others say of such a sample varies with it as well, so that
    this is rather wide.
    """
    tested = [
        (one.test, one.predictions)
        for one in estimates.results
        if one.predictions is not None and one.predictions.scores is not None
    ]
    if not tested or len(tested) < len(estimates.predictions()):
        return None
    areas: FloatArray = np.zeros(len(tested))
    parts: FloatArray = np.zeros(estimates.data.n_samples)
    codes = _classes_with_area(tested[0][1])
    for code in codes:
        own = [predictions.truth == code for _, predictions in tested]
        if not all(x.any() and not x.all() for x in own):
            return None
        shares = [
            placements(x, _column(predictions, code))
            for x, (_, predictions) in zip(own, tested, strict=True)
        ]
        areas += [share[x].mean() for share, x in zip(shares, own, strict=True)]
        where = np.concatenate([test for test, _ in tested])
        share, is_own = np.concatenate(shares), np.concatenate(own)
        for side in (is_own, ~is_own):
            n = int(side.sum())
            if n < 2:
                return None
            away = share[side] - share[side].mean()
            np.add.at(parts, where[side], away / math.sqrt(n * (n - 1)))
    return (areas / len(codes)).tolist(), parts / len(codes)


def _classes_with_area(predictions: Predictions) -> Sequence[int]:
    """Return the classes that have an area each; of two, one is enough."""
    return (1,) if predictions.n_classes == 2 else range(predictions.n_classes)


def _column(predictions: Predictions, code: int) -> FloatArray:
    """Return the scores of a class against the rest."""
    scores = np.asarray(predictions.scores)
    is_two = predictions.n_classes == 2
    return scores[:, 1] - scores[:, 0] if is_two else scores[:, code]


def _mean_area(predictions: Predictions) -> tuple[float, FloatArray] | None:
    """Average the areas of every class against the rest, and what samples add."""
    if predictions.scores is None:
        return None
    found = []
    for code in _classes_with_area(predictions):
        own = predictions.truth == code
        if min(int(own.sum()), int((~own).sum())) < 2:
            return None
        found.append(area_influence(own, _column(predictions, code)))
    return (
        float(np.mean([area for area, _ in found])),
        np.mean([part for _, part in found], axis=0),
    )
