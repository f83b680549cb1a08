"""Tests of mean differences: of independent values, of folds that overlap, of 5x2cv."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from scipy.special import fdtrc, stdtr, stdtrit

from scorecast._core.types import FloatArray
from scorecast.comparison.pair_test import PairTest, sign_of
from scorecast.evaluation import nadeau_bengio

__all__ = ["corrected_t", "five_by_two_f", "five_by_two_t", "paired_t"]

_NO_SPREAD = (
    "all differences are the same, so that their spread, and with it p, is unknown"
)

_FIRST_FOLD = (
    "the first fold, which p is about, and the mean of all ten point opposite ways: "
    "there is no verdict; use 5x2cv-f"
)


def paired_t(differences: FloatArray, *, level: float) -> PairTest:
    """Return the paired t-test of independent differences.

    Parameters
    ----------
    differences : ndarray of shape (n,)
        First less second, of every data set or case.
    level : float
        Level of the interval.

    Returns
    -------
    PairTest
        Too sure of itself where differences share training cases.
    """
    return _t_test("paired-t", differences, 0.0, level)


def corrected_t(
    differences: FloatArray, test_ratio: float, *, level: float
) -> PairTest:
    """Return the corrected resampled t-test of Nadeau and Bengio (2003).

    Parameters
    ----------
    differences : ndarray of shape (n,)
        First less second, of every split.
    test_ratio : float
        Cases tested per case learned from.
    level : float
        Level of the interval.

    Returns
    -------
    PairTest
        Widened because splits share training cases.
    """
    return _t_test("corrected-t", differences, test_ratio, level)


def _t_test(name: str, gaps: FloatArray, ratio: float, level: float) -> PairTest:
    n = gaps.size
    mean = float(gaps.mean())
    spread = 0.0 if np.ptp(gaps) == 0 else float(gaps.std(ddof=1))
    low, high = nadeau_bengio(gaps, level, ratio)
    df = (n - 1.0,)
    if spread == 0:
        same = mean == 0
        return PairTest(
            test=name,
            statistic=0.0 if same else math.nan,
            p=1.0 if same else math.nan,
            difference=mean,
            low=low if same else math.nan,
            high=high if same else math.nan,
            direction=sign_of(mean),
            df=df,
            note="" if same else _NO_SPREAD,
        )
    t = mean / (spread * math.sqrt(1 / n + ratio))
    p = min(2 * float(stdtr(n - 1, -abs(t))), 1.0)
    return PairTest(
        test=name, statistic=t, p=p, difference=mean, low=low, high=high,
        direction=sign_of(mean), df=df,
    )  # fmt: skip


def five_by_two_t(differences: FloatArray, *, level: float) -> PairTest:
    """Return Dietterich's 5x2cv t-test (1998).

    Parameters
    ----------
    differences : ndarray of shape (5, 2)
        First less second: five repetitions of two folds.
    level : float
        Level of the interval.

    Returns
    -------
    PairTest
        Its statistic hangs on the very first fold; it has no direction where that fold
        and the mean of all ten point opposite ways.
    """
    spread = _repetition_variance(differences)
    first = float(differences[0, 0])
    t = _ratio(first, math.sqrt(spread))
    p = 1.0 if first == 0 else 2 * float(stdtr(5, -abs(t)))
    found = _five_by_two("5x2cv-t", differences, t, p, (5.0,), level)
    if found.direction == sign_of(first) or first == 0:
        return found
    return replace(found, direction=0, note=found.note or _FIRST_FOLD)


def five_by_two_f(differences: FloatArray, *, level: float) -> PairTest:
    """Return Alpaydin's combined 5x2cv F-test (1999).

    Parameters
    ----------
    differences : ndarray of shape (5, 2)
        First less second: five repetitions of two folds.
    level : float
        Level of the interval.

    Returns
    -------
    PairTest
        The same whatever the order of folds.
    """
    spread = 5 * _repetition_variance(differences)
    squares = float((differences**2).sum())
    f = _ratio(squares, 2 * spread)
    p = 1.0 if squares == 0 else float(fdtrc(10, 5, f))
    return _five_by_two("5x2cv-f", differences, f, p, (10.0, 5.0), level)


def _ratio(above: float, below: float) -> float:
    if above == 0:
        return 0.0
    return above / below if below > 0 else math.nan


def _repetition_variance(differences: FloatArray) -> float:
    """Return the mean over repetitions of the variance of their two folds."""
    return float(((differences[:, 0] - differences[:, 1]) ** 2).mean()) / 2


def _five_by_two(
    name: str,
    differences: FloatArray,
    statistic: float,
    p: float,
    df: tuple[float, ...],
    level: float,
) -> PairTest:
    mean = float(differences.mean())
    error = math.sqrt(_repetition_variance(differences))
    known = error > 0 or not differences.any()
    # The error of one fold for the mean of ten: on the safe side, as the folds overlap.
    half = float(stdtrit(5, 0.5 + level / 2)) * error if known else math.nan
    return PairTest(
        test=name,
        statistic=statistic,
        p=p,
        difference=mean,
        low=mean - half,
        high=mean + half,
        direction=sign_of(mean),
        df=df,
        note="" if known else _NO_SPREAD,
    )
