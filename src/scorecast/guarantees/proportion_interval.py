"""The share of right cases of one model, with an interval that allows for groups."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import check_level
from scorecast._core.percent import percent
from scorecast._core.results import Result
from scorecast._core.types import Json
from scorecast.evaluation import clustered_wilson, wilson
from scorecast.exceptions import InsufficientDataError, InvalidInputError

__all__ = ["ProportionInterval", "proportion_interval"]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ProportionInterval(Result):
    """A share of right cases.

    Attributes
    ----------
    estimate, low, high : float
        The share with its interval.
    n, n_right : int
        Cases, and how many of them are right.
    n_groups : int or None
        Groups of cases that belong together; None where each is by itself.
    design_effect : float
        How many cases of groups say as much as one independent case.
    method : str
        ``"wilson"``, or ``"clustered-wilson-t"`` with groups.
    level : float
        Level of the interval.
    """

    kind: ClassVar[str] = "proportion-interval"

    estimate: float
    low: float
    high: float
    n: int
    n_right: int
    n_groups: int | None
    design_effect: float
    method: str
    level: float

    def summary(self) -> str:
        """Say the answer in one sentence."""
        size = f"{self.n_right:,} of {self.n:,} cases are right"
        if self.n_groups is not None:
            size += f", in {self.n_groups:,} groups"
        ends = f"{percent(self.low)} to {percent(self.high)}"
        return f"{size}: {percent(self.estimate)} ({100 * self.level:g} %: {ends})."

    def assumed(self) -> str:
        """Say what the interval rests on."""
        if self.n_groups is None:
            return "cases are independent, and resemble those to come"
        return (
            "groups are independent, and resemble those to come; cases of one group "
            f"may be alike, so that {self.design_effect:.2g} of them count as one"
        )

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row."""
        inputs, options, result = self._parts()
        return {
            name: [value] for name, value in {**inputs, **options, **result}.items()
        }

    def _parts(self) -> tuple[Json, Json, Json]:
        parts = (
            ("n", "n_right", "n_groups"),
            ("level", "method"),
            ("estimate", "low", "high", "design_effect"),
        )
        inputs, options, result = (
            {name: getattr(self, name) for name in names} for names in parts
        )
        return inputs, options, result

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        given: Json = {**inputs, **options, **result}
        return cls(**given)


def proportion_interval(
    right: ArrayLike, *, groups: ArrayLike | None = None, level: float = 0.95
) -> ProportionInterval:
    """Return the share of right cases with its interval.

    Parameters
    ----------
    right : array-like of shape (n,)
        Right (1, True) or wrong (0, False), case by case.
    groups : array-like of shape (n,), optional
        Cases that belong together, such as questions about one text, or repeats of one
        item: Wilson's interval with the cases that they are worth, by their correlation
        within groups, and the quantile of t with C - 1 degrees of freedom for C groups.
    level : float, default=0.95
        Level of the interval.

    Returns
    -------
    ProportionInterval
        Wilson's interval, of cases or of groups.

    Raises
    ------
    InvalidInputError
        If a case is neither right nor wrong, or a group is missing.
    InsufficientDataError
        If there is no case, or one group only.

    Examples
    --------
    >>> right = [1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 0, 1]
    >>> alone = proportion_interval(right)
    >>> whole = proportion_interval(right, groups=[0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 5])
    >>> [round(x, 2) for x in (alone.low, alone.high, whole.low, whole.high)]
    [0.47, 0.91, 0.31, 0.95]
    """
    level = check_level(level)
    values = np.asarray(right)
    if values.ndim != 1 or values.dtype.kind not in "biuf":
        msg = "`right` must be a vector of 1 (right) and 0 (wrong)."
        raise InvalidInputError(msg)
    if values.size == 0:
        msg = "There is no case."
        raise InsufficientDataError(msg)
    bad = ~np.isin(values, (0, 1))
    if bad.any():
        place = int(np.argmax(bad))
        msg = (
            f"`right` must hold 1 (right) or 0 (wrong); case {place + 1} has "
            f"{values[place]:g}."
        )
        raise InvalidInputError(msg)
    n, n_right = values.size, int(values.sum())
    facts: Json = {"estimate": n_right / n, "n": n, "n_right": n_right, "level": level}
    if groups is None:
        low, high = wilson(n_right, n, level)
        return ProportionInterval(
            low=low, high=high, n_groups=None, design_effect=1.0, method="wilson",
            **facts,
        )  # fmt: skip
    unit = _units(groups, n)
    sizes = np.bincount(unit)
    counts = np.bincount(unit, weights=values.astype(np.float64)).astype(np.float64)
    if sizes.size < 2:
        msg = "One group shows no spread between groups: it takes at least two."
        raise InsufficientDataError(msg)
    low, high, effect = clustered_wilson(counts, sizes, level)
    return ProportionInterval(
        low=low, high=high, n_groups=sizes.size, design_effect=effect,
        method="clustered-wilson-t", **facts,
    )  # fmt: skip


def _units(groups: ArrayLike, n: int) -> Any:
    of = np.asarray(groups)
    if of.shape != (n,):
        msg = f"`groups` must hold one entry for each of {n} cases; got {of.shape}."
        raise InvalidInputError(msg)
    missing = [i for i, x in enumerate(of.tolist()) if _is_missing(x)]
    if missing:
        msg = f"`groups` lacks the group of case {missing[0] + 1}."
        raise InvalidInputError(msg)
    return np.unique(of, return_inverse=True)[1]


def _is_missing(value: object) -> bool:
    return (
        value is None or value == "" or (isinstance(value, float) and math.isnan(value))
    )
