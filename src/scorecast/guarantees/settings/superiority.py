"""Which model is better, in how many settings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from scipy.special import bdtr, stdtr

from scorecast._core.percent import percent
from scorecast._core.types import Json
from scorecast.evaluation import corrected_t
from scorecast.guarantees.settings.estimate import SettingEstimate

__all__ = ["Superiority", "settings_counted", "superiority"]

_SAME = 1e-12  # spread of differences, by their size, that is but rounding


@dataclass(frozen=True, kw_only=True)
class Superiority:
    """Two models over the same settings.

    Attributes
    ----------
    a, b, loss : str
        The models, and the loss.
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
    relation : str
        ``"superior"`` if `a` is significantly better in that share of the settings
        and significantly worse in none; ``"inferior"`` the other way round; else
        empty.
    won_in, lost_in : tuple of str
        Names of those settings.
    """

    a: str
    b: str
    loss: str
    n_settings: int
    better: float
    worse: float
    won: float
    lost: float
    p_sign: float
    alpha: float
    share: float
    relation: str
    won_in: tuple[str, ...] = ()
    lost_in: tuple[str, ...] = ()

    def said(self) -> str:
        """Write the relation in a sentence."""
        first, second = (self.a, self.b)
        won, lost = self.won, self.lost
        if self.relation == "inferior":
            first, second, won, lost = second, first, lost, won
        counts = f"wins {percent(won)} and loses {percent(lost)}"
        of = (
            f"of {settings_counted(self.n_settings)} at a level of "
            f"{100 * self.alpha:g} %"
        )
        if not self.relation:
            return f"{first} {counts} {of} against {second}: no relation holds"
        where = "all" if won == 1 else f"{100 * self.share:g} % or more"
        return f"{first} beats {second} in {where}: {counts} {of}"

    def to_json(self) -> Json:
        """Return plain values."""
        return asdict(self)


def settings_counted(n: int) -> str:
    """Write a number of settings.

    Examples
    --------
    >>> settings_counted(1), settings_counted(1200)
    ('1 setting', '1,200 settings')
    """
    return "1 setting" if n == 1 else f"{n:,} settings"


def superiority(
    a: Sequence[SettingEstimate],
    b: Sequence[SettingEstimate],
    *,
    alpha: float,
    share: float,
) -> Superiority | None:
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
    Superiority or None
        None if no setting has both.
    """
    pairs = [(x, y) for x, y in zip(a, b, strict=True) if x.is_known and y.is_known]
    if not pairs:
        return None
    sign = 1.0 if a[0].greater_is_better else -1.0
    gains = [sign * (x.estimate - y.estimate) for x, y in pairs]
    tests = [difference_test(x, y) for x, y in pairs]
    sure = [p <= alpha for p in tests]
    decided = [
        (x.setting, gain > 0)
        for (x, _), gain, is_sure in zip(pairs, gains, sure, strict=True)
        if is_sure and gain
    ]
    won = [name for name, is_better in decided if is_better]
    lost = [name for name, is_better in decided if not is_better]
    n = len(pairs)
    relation = ""
    if len(won) >= share * n - 1e-9 and not lost:
        relation = "superior"
    elif len(lost) >= share * n - 1e-9 and not won:
        relation = "inferior"
    return Superiority(
        a=a[0].model,
        b=b[0].model,
        loss=a[0].loss,
        n_settings=n,
        better=sum(g > 0 for g in gains) / n,
        worse=sum(g < 0 for g in gains) / n,
        won=len(won) / n,
        lost=len(lost) / n,
        p_sign=_sign_test(pairs, gains),
        alpha=alpha,
        share=share,
        relation=relation,
        won_in=tuple(won),
        lost_in=tuple(lost),
    )


def difference_test(a: SettingEstimate, b: SettingEstimate) -> float:
    """Return the two-sided p-value of a difference in one setting.

    Parameters
    ----------
    a, b : SettingEstimate
        Two models on the same folds.

    Returns
    -------
    float
        Of one data set by the corrected resampled t-test; of several by a paired
        t-test of their means. 1 where all differences are the same: without spread
        there is no error to measure them by.
    """
    gaps = [np.subtract(x, y) for x, y in zip(a.sets, b.sets, strict=True)]
    gaps = [gap[np.isfinite(gap)] for gap in gaps]
    gaps = [gap for gap in gaps if gap.size]
    if len(gaps) == 1:
        if np.ptp(gaps[0]) <= _SAME * np.abs(gaps[0]).max():
            return 1.0
        p = corrected_t(gaps[0], a.test_ratio)[1]
        return 1.0 if math.isnan(p) else p
    means = np.array([gap.mean() for gap in gaps])
    if means.size < 2 or np.ptp(means) <= _SAME * np.abs(means).max():
        return 1.0
    error = float(means.std(ddof=1)) / math.sqrt(means.size)
    return 2 * float(stdtr(means.size - 1, -abs(means.mean()) / error))


def _sign_test(
    pairs: Sequence[tuple[SettingEstimate, SettingEstimate]], gains: Sequence[float]
) -> float:
    """Count data sets, not settings: those that share data are not independent."""
    by_data: dict[str, float] = {}
    for (x, _), gain in zip(pairs, gains, strict=True):
        by_data[x.data] = by_data.get(x.data, 0.0) + gain
    signs = np.sign(list(by_data.values()))
    n, fewer = int((signs != 0).sum()), int(min((signs > 0).sum(), (signs < 0).sum()))
    return min(1.0, 2 * float(bdtr(fewer, n, 0.5))) if n else 1.0
