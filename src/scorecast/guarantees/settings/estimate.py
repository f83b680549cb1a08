"""What one model scored in one setting."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from scipy.special import stdtrit

from scorecast._core.types import FloatArray, Json
from scorecast.guarantees.settings.case_floor import case_floor

__all__ = ["SetScores", "SettingEstimate", "setting_estimate"]


@dataclass(frozen=True, kw_only=True)
class SetScores:
    """What one model scored on one data set.

    Attributes
    ----------
    estimate, low, high : float
        Value of the loss and its recommended interval; NaN if every fit failed.
    df : float
        Degrees of freedom of the interval: of folds or of cases, whichever it rests on.
    folds : tuple of float
        Value of every split; NaN where it failed.
    test_ratio : float
        Cases tested per case learned from.
    n, m : int
        Cases and features.
    greater_is_better : bool
        Which way is better.
    failure : str
        Why a fit failed; empty if none did.
    n_classes : int
        Classes, which some losses reach as far as; 0 for numbers.
    units : float
        Independent cases that the value rests on.
    case_error : float
        Standard error from them alone; NaN if it follows from their number.
    """

    estimate: float
    low: float
    high: float
    df: float
    folds: tuple[float, ...]
    test_ratio: float
    n: int
    m: int
    greater_is_better: bool
    failure: str = ""
    n_classes: int = 0
    units: float = 1.0
    case_error: float = math.nan


@dataclass(frozen=True, kw_only=True)
class SettingEstimate:
    """One model in one setting.

    Attributes
    ----------
    setting : str
        Name of the setting.
    values : dict
        Its factors and their values.
    data : str
        The same for settings with the same data.
    model, loss : str
        Who, and through which loss.
    greater_is_better : bool
        Which way is better.
    estimate, low, high : float
        Value and interval; NaN if every fit failed.
    stderr, df : float
        Standard error that the interval stands for, and its degrees of freedom.
    sets : tuple of tuple of float
        Values of folds, data set by data set.
    test_ratio : float
        Cases tested per case learned from.
    n, m : int
        Cases and features.
    failure : str
        Why a fit failed; empty if none did.
    limits : tuple of float
        Least and greatest value of the loss.
    case_error : float
        Standard error from the number of cases alone, below which nothing is known,
        however well data sets agree.
    """

    setting: str
    values: dict[str, Any]
    data: str
    model: str
    loss: str
    greater_is_better: bool
    estimate: float
    low: float
    high: float
    stderr: float
    df: float
    sets: tuple[tuple[float, ...], ...]
    test_ratio: float
    n: int
    m: int
    failure: str = ""
    limits: tuple[float, float] = (-math.inf, math.inf)
    case_error: float = 0.0

    @property
    def is_known(self) -> bool:
        """Whether there is an estimate with an interval."""
        return all(math.isfinite(x) for x in (self.estimate, self.stderr))

    @property
    def folds(self) -> FloatArray:
        """All values that are numbers: the collection of estimates."""
        every = np.array([x for one in self.sets for x in one], dtype=np.float64)
        return every[np.isfinite(every)]

    def within(self, low: float, high: float) -> tuple[float, float]:
        """Cut an interval to what the loss can be."""
        return max(low, self.limits[0]), min(high, self.limits[1])

    def to_json(self) -> Json:
        """Return plain values; None for no limit."""
        limits = [x if math.isfinite(x) else None for x in self.limits]
        return {**asdict(self), "limits": limits}


def setting_estimate(
    scores: Sequence[SetScores], facts: Json, *, level: float, overlap: bool = False
) -> SettingEstimate:
    """Put the data sets of a setting together.

    Parameters
    ----------
    scores : sequence of SetScores
        One per data set.
    facts : dict
        ``setting``, ``values``, ``data``, ``model``, ``loss`` and ``limits``.
    level : float
        Level of the interval.
    overlap : bool, default=False
        Whether they were drawn from the same cases.

    Returns
    -------
    SettingEstimate
        Of one data set its recommended interval; of several Student's over their
        estimates, if these are independent, or that of all their cases where it is
        wider. Drawn from the same cases they are not: then the mean has the interval
        of one of them.
    """
    if overlap:
        scores = [_merged(scores)]
    known = [one for one in scores if math.isfinite(one.estimate)]
    first = scores[0]
    shared: Json = {
        **facts,
        "greater_is_better": first.greater_is_better,
        "sets": tuple(one.folds for one in scores),
        "test_ratio": first.test_ratio,
        "n": first.n,
        "m": first.m,
        "failure": next((one.failure for one in scores if one.failure), ""),
    }
    whole = SettingEstimate(**shared, **_interval(known, facts["limits"], level))
    low, high = whole.within(whole.low, whole.high)
    return replace(whole, low=low, high=high)


def _interval(
    known: Sequence[SetScores], limits: tuple[float, float], level: float
) -> Json:
    """Return value, interval, standard errors and degrees of freedom."""
    if not known:
        names = ("estimate", "low", "high", "stderr", "df", "case_error")
        return dict.fromkeys(names, math.nan)
    floor = case_floor(known, limits, level)
    if len(known) == 1:
        only = known[0]
        # An interval at the end of the scale has one side only: the longer counts.
        half = max(only.high - only.estimate, only.estimate - only.low)
        error = half / float(stdtrit(only.df, 0.5 + level / 2))
        return {
            "estimate": only.estimate, "low": only.low, "high": only.high,
            "stderr": error, "df": only.df, "case_error": min(error, floor.error),
        }  # fmt: skip
    values = np.array([one.estimate for one in known])
    middle, df = float(values.mean()), values.size - 1
    error = float(values.std(ddof=1)) / math.sqrt(values.size)
    half = float(stdtrit(df, 0.5 + level / 2)) * error
    found = {
        "estimate": middle, "low": middle - half, "high": middle + half,
        "stderr": error, "df": float(df), "case_error": floor.error,
    }  # fmt: skip
    width = min(middle + half, limits[1]) - max(middle - half, limits[0])
    if floor.high - floor.low <= width:
        return found
    # Data sets that agree more than cases drawn at random would, do so by luck.
    ends = {"low": floor.low, "high": floor.high}
    return {**found, **ends, "stderr": floor.error, "df": floor.df}


def _merged(scores: Sequence[SetScores]) -> SetScores:
    """Put draws of the same cases together, as repeated splits of them are."""
    known = [one for one in scores if math.isfinite(one.estimate)]
    means: Json = {
        name: float(np.mean([getattr(one, name) for one in known]))
        for name in ("estimate", "low", "high", "df", "units", "case_error")
        if known
    }
    folds = tuple(x for one in scores for x in one.folds)
    failure = next((one.failure for one in scores if one.failure), "")
    return replace(scores[0], **means, folds=folds, failure=failure)
