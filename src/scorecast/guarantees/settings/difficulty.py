"""Settings of like difficulty, put together.

One interval over settings of very different difficulty is true and useless. Settings
are grouped by the distributions of their estimates (distance of Wasserstein, average
linkage) into as few groups as leave the members of each compatible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.special import chdtrc, ndtri, stdtrit

from scorecast._core.types import FloatArray, IntArray, Json
from scorecast.guarantees.settings.estimate import SettingEstimate
from scorecast.guarantees.settings.pooling import weighted_bound

__all__ = ["DifficultyGroup", "difficulty_groups"]

_COMPATIBLE = 0.05
_TAIL = 0.975


@dataclass(frozen=True, kw_only=True)
class DifficultyGroup:
    """Settings in which a model does about as well.

    Attributes
    ----------
    model, loss : str
        Whose, and through which loss.
    rank : int
        1 for the easiest.
    members : tuple of str
        Names of the settings.
    estimate, low, high : float
        Mean over them with its interval, which says nothing of a single one.
    lowest, highest : float
        Lowest and highest end over them: what holds for each.
    p_alike : float
        Of Cochran's Q: small if even these differ more than chance allows.
    factors : dict of str to list
        Values that all settings of the group have, and together no other setting.
        Empty if there are none such, or no other group.
    """

    model: str
    loss: str
    rank: int
    members: tuple[str, ...]
    estimate: float
    low: float
    high: float
    lowest: float
    highest: float
    p_alike: float
    factors: dict[str, list[str]]

    def to_json(self) -> Json:
        """Return plain values."""
        return asdict(self)


def difficulty_groups(
    rows: Sequence[SettingEstimate], *, level: float, most: int
) -> tuple[DifficultyGroup, ...]:
    """Group settings by difficulty.

    Parameters
    ----------
    rows : sequence of SettingEstimate
        Known ones, of one model and loss.
    level : float
        Level of the intervals.
    most : int
        Most groups.

    Returns
    -------
    tuple of DifficultyGroup
        From the easiest to the hardest.
    """
    if not rows:
        return ()
    labels = _labels(rows, most)
    groups = [
        [row for row, label in zip(rows, labels, strict=True) if label == own]
        for own in np.unique(labels)
    ]
    sign = -1.0 if rows[0].greater_is_better else 1.0
    groups.sort(key=lambda group: sign * np.mean([row.estimate for row in group]))
    return tuple(
        _group(group, rows, rank, level) for rank, group in enumerate(groups, 1)
    )


def wasserstein(a: FloatArray, b: FloatArray) -> float:
    """Return the distance of two collections: the mean gap between quantiles.

    Parameters
    ----------
    a, b : ndarray
        Values.

    Returns
    -------
    float
        Distance, in their units.

    Examples
    --------
    >>> wasserstein(np.array([0.0, 1.0]), np.array([2.0, 3.0]))
    2.0
    """
    shares = np.unique(np.concatenate([
        np.arange(a.size + 1) / a.size, np.arange(b.size + 1) / b.size
    ]))  # fmt: skip
    middle = (shares[1:] + shares[:-1]) / 2
    gaps = np.abs(
        np.sort(a)[(middle * a.size).astype(int)]
        - np.sort(b)[(middle * b.size).astype(int)]
    )
    return float(gaps @ np.diff(shares))


def _labels(rows: Sequence[SettingEstimate], most: int) -> IntArray:
    if len(rows) == 1:
        return np.ones(1, dtype=np.int64)
    distances = [
        wasserstein(rows[i].folds, rows[j].folds)
        for i in range(len(rows))
        for j in range(i + 1, len(rows))
    ]
    tree = linkage(np.array(distances), method="average")
    labels: IntArray = np.ones(len(rows), dtype=np.int64)
    for count in range(1, min(most, len(rows)) + 1):
        labels = fcluster(tree, count, criterion="maxclust").astype(np.int64)
        alike = [
            _p_alike([r for r, x in zip(rows, labels, strict=True) if x == own])
            for own in np.unique(labels)
        ]
        if min(alike) > _COMPATIBLE:
            break
    return labels


def _p_alike(rows: Sequence[SettingEstimate]) -> float:
    """Return the p-value of Cochran's Q, that all have one mean."""
    if len(rows) == 1:
        return 1.0
    values = np.array([row.estimate for row in rows])
    if np.ptp(values) == 0:
        return 1.0
    # Errors of few degrees of freedom count as the normal ones of equal interval.
    errors = np.array(
        [row.stderr * stdtrit(row.df, _TAIL) / ndtri(_TAIL) for row in rows]
    )
    if not errors.all():
        errors = np.maximum(errors, errors.max() / 10 or 1e-9)
    weights = 1 / errors**2
    middle = weights @ values / weights.sum()
    return float(chdtrc(len(rows) - 1, weights @ (values - middle) ** 2))


def _group(
    group: Sequence[SettingEstimate],
    rows: Sequence[SettingEstimate],
    rank: int,
    level: float,
) -> DifficultyGroup:
    pooled = weighted_bound(group, np.ones(len(group)), level, "pooled")
    return DifficultyGroup(
        model=pooled.model,
        loss=pooled.loss,
        rank=rank,
        members=tuple(row.setting for row in group),
        estimate=pooled.estimate,
        low=pooled.low,
        high=pooled.high,
        lowest=min(row.low for row in group),
        highest=max(row.high for row in group),
        p_alike=_p_alike(group),
        factors=_set_apart(group, rows),
    )


def _set_apart(
    group: Sequence[SettingEstimate], rows: Sequence[SettingEstimate]
) -> dict[str, list[str]]:
    """Return values that all of a group have and no setting outside of it.

    By one factor if one is enough, else by all that leave some settings out.
    """
    values = {
        factor: list(dict.fromkeys(str(row.values[factor]) for row in group))
        for factor in rows[0].values
    }
    inside = {row.setting for row in group}
    others = [row for row in rows if row.setting not in inside]
    fewer = {
        factor: own
        for factor, own in values.items()
        if any(str(row.values[factor]) not in own for row in others)
    }
    alone = [{factor: own} for factor, own in fewer.items()]
    for chosen in (*alone, fewer):
        left = [
            row
            for row in others
            if all(str(row.values[factor]) in own for factor, own in chosen.items())
        ]
        if others and not left:
            return chosen
    return {}
