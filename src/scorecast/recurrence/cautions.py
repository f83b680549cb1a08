"""What the reader of predictions must be warned of, from the cases themselves."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from scorecast._core.types import BoolArray, FloatArray

__all__ = ["wide_intervals"]

_WIDE = 1000.0  # high end over low end of an interval that says nothing
_RARE_CASES, _RARE_SHARE = 10, 0.1


def wide_intervals(
    low: FloatArray, high: FloatArray, X: FloatArray, names: Sequence[str]
) -> tuple[str, ...]:
    """Warn of predictions that leave everything open, and of rare values behind them.

    Parameters
    ----------
    low, high : array of shape (n,)
        Ends of the 90 % intervals of the times.
    X : array of shape (n, p)
        Covariates of the cases.
    names : sequence of str
        Their names.

    Returns
    -------
    tuple of str
        A sentence, or none.

    Examples
    --------
    >>> X = np.array([[1.0]] + [[0.0]] * 29)
    >>> wide_intervals(np.full(30, 0.1), np.r_[400.0, np.ones(29)], X, ["eet"])[0][:60]
    '1 of 30 cases gets a 90 % interval of the time that spans mo'
    """
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        wide = ~(high / low <= _WIDE)
    if not wide.any():
        return ()
    rare = _rare(X)
    held = [name for i, name in enumerate(names) if rare[wide, i].any()]
    verb = "gets" if wide.sum() == 1 else "get"
    said = (
        f"{int(wide.sum()):,} of {len(wide):,} cases {verb} a 90 % interval of the "
        "time that spans more than 1,000-fold, which says next to nothing"
    )
    if not held:
        return (f"{said}: too little is known of cases like these.",)
    n_held = int((rare.any(axis=1) & wide).sum())
    listed = ", ".join(f"'{name}'" for name in held)
    return (
        f"{said}; {n_held:,} of them with a value that few cases have, of {listed}: "
        "leave such columns out, or read no time off those cases.",
    )


def _rare(X: FloatArray) -> BoolArray:
    """Tell which cells hold the rarer of two values of a column, where it is rare."""
    out = np.zeros(X.shape, dtype=bool)
    for i, column in enumerate(X.T):
        values, counts = np.unique(column[~np.isnan(column)], return_counts=True)
        limit = max(_RARE_CASES, math.ceil(_RARE_SHARE * counts.sum()))
        if len(values) == 2 and counts.min() < limit:
            out[:, i] = column == values[np.argmin(counts)]
    return out
