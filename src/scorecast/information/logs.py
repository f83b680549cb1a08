"""Cases from log-probabilities or log-densities, or from j itself."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import check_choice
from scorecast._core.types import FloatArray
from scorecast.exceptions import InvalidInputError
from scorecast.information.cases import CaseInformation, labels_of
from scorecast.information.columns import check_column, check_same_length, warned

__all__ = [
    "BASES",
    "cases_from_j",
    "cases_from_logs",
    "look_like_logs",
    "refuse_two_zeros",
]

BASES = {"e": 1.0, "2": math.log(2), "10": math.log(10)}

_LEAST = 5  # cases, below which nothing can be told from how numbers look
_SAME = 0.02  # how near a ratio must be to a ratio of bases
_NARROW = 0.1  # how narrow the middle half of the ratios must be
_FEW = 12  # distinct values that may be the chances of so many classes
_MOST_CLASSES = 1000
_EXACT = 1e-6


def cases_from_logs(
    log_q: ArrayLike,
    log_p: ArrayLike,
    *,
    base: str | int = "e",
    base_p: str | int | None = None,
    ids: Iterable[Hashable] | None = None,
    groups: Iterable[Hashable] | None = None,
    prior: str = "as given",
) -> CaseInformation:
    """Take log-probabilities (or log-densities) of what happened.

    Parameters
    ----------
    log_q : array-like of shape (n,)
        Logarithm of what the forecast gave to what happened; minus infinity for
        no chance at all.
    log_p : array-like of shape (n,)
        The same of the prior, in the same unit of what happened.
    base : {"e", "2", "10"}, default="e"
        Base of the logarithms.
    base_p : {"e", "2", "10"}, optional
        Base of `log_p`, where it is another one.
    ids, groups : iterable of hashable, optional
        Name and group of every case.
    prior : str, default="as given"
        Where the prior comes from, in words.

    Returns
    -------
    CaseInformation
        One j per case.

    Raises
    ------
    InvalidInputError
        If lengths differ, values are NaN or plus infinity, both chances of a case are
        zero, or the numbers are plainly probabilities.

    Examples
    --------
    >>> cases_from_logs([-1.0, -2.0], [-2.0, -2.0], base=2).j.round(4).tolist()
    [0.6931, 0.0]
    """
    q = check_column(log_q, "log_q", allow_negative_infinity=True)
    p = check_column(log_p, "log_p", allow_negative_infinity=True)
    check_same_length(log_q=q, log_p=p)
    unit_q = _unit(base, "base")
    unit_p = unit_q if base_p is None else _unit(base_p, "base_p")
    odd = [
        look_like_logs(q, p),
        _look_like_this_base(q, "log_q", unit_q),
        _look_like_this_base(p, "log_p", unit_p),
    ]
    q, p = q * unit_q, p * unit_p
    refuse_two_zeros(q, p)
    return CaseInformation(
        j=q - p,
        log_q=q,
        log_p=p,
        ids=labels_of(ids),
        groups=labels_of(groups),
        prior=prior,
        notes=warned(*odd, _look_like_one_base(q, p)),
    )


def cases_from_j(
    j: ArrayLike,
    *,
    base: str | int = "e",
    ids: Iterable[Hashable] | None = None,
    groups: Iterable[Hashable] | None = None,
    prior: str = "as given",
) -> CaseInformation:
    """Take the information of every case as it was computed elsewhere.

    Parameters
    ----------
    j : array-like of shape (n,)
        Logarithm of forecast over prior; minus infinity for no chance at all.
    base : {"e", "2", "10"}, default="e"
        Base of the logarithm.
    ids, groups : iterable of hashable, optional
        Name and group of every case.
    prior : str, default="as given"
        Where the prior comes from, in words.

    Returns
    -------
    CaseInformation
        The cases, without `log_q` and `log_p`.
    """
    values = check_column(j, "j", allow_negative_infinity=True)
    return CaseInformation(
        j=values * _unit(base, "base"),
        ids=labels_of(ids),
        groups=labels_of(groups),
        prior=prior,
    )


def refuse_two_zeros(log_q: FloatArray, log_p: FloatArray) -> None:
    """Refuse cases to which neither forecast nor prior gave a chance.

    Parameters
    ----------
    log_q, log_p : ndarray of float64
        Logarithms of chances.

    Raises
    ------
    InvalidInputError
        If there is such a case, or one that only the prior ruled out.
    """
    impossible = log_p == -np.inf
    if not impossible.any():
        return
    row = int(np.argmax(impossible))
    both = " and under the forecast" if log_q[row] == -np.inf else ""
    msg = (
        f"{int(impossible.sum())} case(s) had no chance under the prior; the first is "
        f"row {row + 1} (none under the prior{both}). A prior must allow whatever may "
        "happen."
    )
    raise InvalidInputError(msg)


def _unit(base: str | int, name: str) -> float:
    return BASES[check_choice(str(base), name, tuple(BASES))]


def look_like_logs(q: FloatArray, p: FloatArray) -> str:
    """Refuse probabilities given as logarithms; say where only one looks so.

    Parameters
    ----------
    q, p : ndarray of float64
        What was given as logarithms.

    Returns
    -------
    str
        One sentence; empty where nothing looks odd.

    Raises
    ------
    InvalidInputError
        If both lie in (0, 1] throughout.
    """
    odd = [name for name, x in (("log_q", q), ("log_p", p)) if _in_unit_interval(x)]
    if not odd:
        return ""
    what = " and ".join(odd)
    plain = f"{what} lie(s) in (0, 1] throughout, as probabilities do and logarithms of"
    varied = np.ptp(q) > 0 or np.ptp(p) > 0
    if len(odd) == 2 and q.size >= _LEAST and varied:
        msg = (
            f"{plain} them never: pass probabilities to cases_from_probabilities "
            "(--q and --p)."
        )
        raise InvalidInputError(msg)
    return (
        f"{plain} them never; right only if these are logarithms of densities above 1."
    )


def _in_unit_interval(x: FloatArray) -> bool:
    return bool((x > 0).all() and (x <= 1).all())


def _look_like_this_base(logs: FloatArray, name: str, unit: float) -> str:
    """Say where the few values of a column make one in another base only."""
    values = np.unique(logs[np.isfinite(logs)])
    if logs.size < _LEAST or not 0 < values.size <= _FEW or values.max() >= 0:
        return ""
    if _make_one(np.exp(values * unit)):
        return ""
    for base, other in BASES.items():
        if other != unit and _make_one(np.exp(values * other)):
            return (
                f"The values of {name} are chances that add up to one only as "
                f"logarithms to base {base}: is that their base (--base, --base-p)?"
            )
    return ""


def _make_one(chances: FloatArray) -> bool:
    """Tell whether chances add up to one; a single one counts for equal classes."""
    if chances.size == 1:
        n = 1 / float(chances[0])
        return 1.5 < n < _MOST_CLASSES and abs(n - round(n)) < _EXACT * n
    return abs(float(chances.sum()) - 1) < _EXACT


def _look_like_one_base(q: FloatArray, p: FloatArray) -> str:
    """Say where log_q is log_p in another base, give or take."""
    usable = np.isfinite(q) & (p != 0)
    if usable.sum() < _LEAST:
        return ""
    low, middle, high = np.quantile(q[usable] / p[usable], [0.25, 0.5, 0.75])
    if middle <= 0 or high - low > _NARROW * middle:
        return ""
    units = tuple(BASES.values())
    for a in units:
        for b in units:
            if a != b and abs(middle * b / a - 1) < _SAME:
                return (
                    f"log_q is about {middle:.3f} times log_p in most cases, the ratio "
                    "of two bases of logarithms: are both in the same base?"
                )
    return ""
