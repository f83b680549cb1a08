"""Intervals of implied information where there is hardly an error to learn from.

Leaving out stimuli says how much the curve moves. With one wrong answer it moves to a
curve without any, whose implied information is infinite, or not at all. There the
number of answers says more: an exact interval of the accuracy among all candidates,
turned into information by the ideal curve.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import betaincinv

from scorecast._core.types import FloatArray, IntArray
from scorecast.information.identification.curve_sample import CurveSample
from scorecast.information.identification.ideal_curve import ideal_information
from scorecast.information.identification.trials import Trials

__all__ = ["errors_are_few", "interval_from_answers"]

# Wrong answers up to which they are counted. Of one to three, the lower end from
# leaving out stimuli fell as errors became fewer; from four on the two agree.
_FEW = 3.0
# Stimuli below which one left out changes too much: at chance among four, upper ends
# came to 32 nats.
_FEW_STIMULI = 8
_ROUNDING = 1e-9


def errors_are_few(sample: CurveSample, order: IntArray) -> bool:
    """Say whether errors are too few for leaving out stimuli.

    Parameters
    ----------
    sample : CurveSample
        The curve.
    order : ndarray of int64
        Places of its sizes, ascending.

    Returns
    -------
    bool
        Whether there are hardly any, or none once some stimulus is left out; or
        hardly any stimuli.
    """
    if sample.trials.n_classes < _FEW_STIMULI:
        return True
    answers = sample.trials.n_classes * sample.trials.fewest
    wrong = (1 - sample.curve.accuracy[order[-1]]) * answers
    return bool(wrong <= _FEW + _ROUNDING) or _any_perfect(sample.replicates[:, order])


def interval_from_answers(
    sample: CurveSample, order: IntArray, level: float
) -> tuple[float, float]:
    """Turn an interval of the accuracy into one of implied information.

    Parameters
    ----------
    sample : CurveSample
        The curve.
    order : ndarray of int64
        Places of its sizes, ascending.
    level : float
        Level of the interval.

    Returns
    -------
    tuple of float
        Nats: Clopper and Pearson's ends, as many answers as the stimulus with fewest
        has of each; where stimuli came in groups the lower one is Hoeffding's. The
        upper one is infinite where no answer was wrong.
    """
    accuracy = float(sample.curve.accuracy[order[-1]])
    classes = int(sample.curve.classes[order[-1]])
    trials, alpha = sample.trials, (1 - level) / 2
    cases = _cases(trials)
    if _any_perfect(sample.replicates[:, order]):
        # All errors hang on one stimulus: they are one event, not several.
        cases /= max((1 - accuracy) * cases, 1.0)
    right = accuracy * cases
    wrong = cases - right
    if trials.is_independent:
        low = float(betaincinv(right, wrong + 1, alpha)) if right > 0 else 0.0
    else:
        low = accuracy - math.sqrt(math.log(1 / alpha) * trials.spread / 2)
    high = float(betaincinv(right + 1, wrong, 1 - alpha)) if wrong > 0 else 1.0
    return ideal_information(max(low, 0.0), classes), ideal_information(high, classes)


def _cases(trials: Trials) -> float:
    """Return how many answers there are, groups counting as what they are worth."""
    if trials.is_independent:
        return float(trials.n_classes * trials.fewest)
    return 1 / trials.spread


def _any_perfect(replicates: FloatArray) -> bool:
    known = np.isfinite(replicates)
    perfect = (np.where(known, replicates, 1.0) > 1 - _ROUNDING).all(axis=1)
    return bool((perfect & known.any(axis=1)).any())
