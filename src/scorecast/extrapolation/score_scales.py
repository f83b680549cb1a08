"""Scales on which a Gaussian kernel means something.

Ranks do not care about the scale of the scores, smoothing does. Probabilities are
smoothed as their logarithms. Where smoothing is caught missing what was observed, the
scores are brought to a scale on which those of the wrong classes look normal: every
sample's scores are standardised by its own wrong classes, and one increasing curve,
shared by all samples, turns their quantiles into those of a normal distribution. The
order within a sample stays as it was.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy

from scorecast._core.types import BoolArray, FloatArray
from scorecast.extrapolation.observed import ObservedClasses
from scorecast.scores import Scores, looks_normalised

_MOST_ZEROS = 0.01  # share of scores; votes have more, and no logarithm mends those
_LOWEST, _STEP = -3.0, 0.1  # grid of normal quantiles
_IN_THE_TAIL = 5  # scores beyond the last quantile
_SLOPE_OVER = 15  # steps of the grid that the tail is carried on from
_MOST_POOLED = 200_000  # scores that settle a curve
_SLIGHTEST = 1e-9  # spread of an sample's scores, relative to their size


def on_log_scale(observed: ObservedClasses) -> ObservedClasses:
    """Take logarithms of scores that are probabilities; leave others as they are."""
    data = observed.data
    if not isinstance(data, Scores) or not looks_normalised(data):
        return observed
    values = np.asarray(data.values, dtype=np.float64)
    if values.min() < 0 or np.mean(values == 0) > _MOST_ZEROS:
        return observed
    with np.errstate(divide="ignore"):
        logs = np.log(values)
    changed = Scores.unchecked(logs, data.own, data.classes)
    return replace(observed, data=changed)


def on_normal_scale(observed: ObservedClasses) -> ObservedClasses:
    """Bring scores to a scale on which those of wrong classes look normal."""
    scores = observed.scores
    values = np.asarray(scores.rows(0, scores.n_samples), dtype=np.float64)
    wrong = np.ones(values.shape, dtype=bool)
    wrong[np.arange(scores.n_samples), scores.own] = False
    wrong &= np.isfinite(values)
    standard = _standardise(values, wrong)
    every = max(1, -(-standard.size // _MOST_POOLED))
    pooled = standard[::every][wrong[::every]]
    if not pooled.size:
        return observed
    return observed.with_values(_to_normal(standard, *_curve(pooled)))


def _standardise(values: FloatArray, wrong: BoolArray) -> FloatArray:
    """Measure each sample's scores by the mean and spread of its wrong classes."""
    # First to the order of one: squares of huge scores would not be finite.
    sizes = np.where(np.isfinite(values), np.abs(values), 0.0)
    largest = sizes.max(axis=1, keepdims=True)
    values = values / np.where(largest > 0.0, largest, 1.0)
    counts = np.maximum(wrong.sum(axis=1, keepdims=True), 1)
    kept = np.where(wrong, values, 0.0)
    centre = kept.sum(axis=1, keepdims=True) / counts
    away = np.where(wrong, values - centre, 0.0)
    freedom = np.maximum(counts - 1, 1)
    spread = np.sqrt((away**2).sum(axis=1, keepdims=True) / freedom)
    size = np.abs(kept).max(axis=1, keepdims=True)
    # Where all wrong classes are at nought, the truth tells the size of the scores.
    least = _SLIGHTEST * np.where(size > 0.0, size, 1.0)
    standard: FloatArray = (values - centre) / np.maximum(spread, least)
    return standard


def _curve(pooled: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return normal quantiles and the standardised scores that belong to them."""
    beyond = min(_IN_THE_TAIL / pooled.size, 0.5)
    highest = max(float(scipy.special.ndtri(1 - beyond)), 1.0)
    quantiles = np.arange(_LOWEST, highest + _STEP / 2, _STEP)
    scores = np.quantile(pooled, scipy.special.ndtr(quantiles))
    # Ties would make the curve vertical, and scores could not be told apart on it.
    return quantiles, scores + _SLIGHTEST * np.arange(scores.size)


def _to_normal(
    standard: FloatArray, quantiles: FloatArray, scores: FloatArray
) -> FloatArray:
    """Follow the curve, and carry it on straight where there are too few scores."""
    steps = min(_SLOPE_OVER, quantiles.size - 1)
    rise = steps * _STEP
    above = np.maximum(standard - scores[-1], 0.0)
    below = np.minimum(standard - scores[0], 0.0)
    within = np.interp(standard, scores, quantiles)
    normal: FloatArray = (
        within
        + above * rise / (scores[-1] - scores[-1 - steps])
        + below * rise / (scores[steps] - scores[0])
    )
    return normal
