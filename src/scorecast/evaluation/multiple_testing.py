"""Adjusted p-values: what a p-value is worth among many.

Every kernel takes p-values in any order and returns, in the same order, the smallest
level of the whole family at which each would be rejected.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scorecast._core.registry import Method, Registry
from scorecast._core.types import FloatArray
from scorecast.exceptions import InvalidInputError, Location, UsageError


class ErrorRate(StrEnum):
    """What a method keeps below its level."""

    FAMILYWISE = "familywise"
    FALSE_DISCOVERY = "false-discovery"


class Dependence(StrEnum):
    """How p-values may depend on one another for a method to keep its level."""

    ANY = "any"
    POSITIVE = "positive"
    INDEPENDENT_OR_POSITIVE = "independent-or-positive"


@dataclass(frozen=True, kw_only=True)
class AdjustmentMethod(Method):
    """A way to adjust p-values for their number.

    Attributes
    ----------
    adjust : callable
        From p-values, none of them NaN, and the number of models whose pairs they are
        of, to adjusted ones.
    controls : ErrorRate
        What it keeps below its level.
    requires : Dependence
        What it asks of the p-values.
    needs_all_pairs : bool
        Whether p-values must be those of all pairs of some models, in the order of
        ``numpy.triu_indices(n_models, 1)``.
    max_models : int or None
        The most models that it can do.
    """

    adjust: Callable[[FloatArray, int], FloatArray]
    controls: ErrorRate = ErrorRate.FAMILYWISE
    requires: Dependence = Dependence.ANY
    needs_all_pairs: bool = False
    max_models: int | None = None


ADJUSTMENTS: Registry[AdjustmentMethod] = Registry()


def adjust_p_values(
    p_values: ArrayLike, method: str = "holm", *, n_models: int | None = None
) -> FloatArray:
    r"""Adjust p-values for their number.

    Holm's method [1]_, for one, orders them and steps down:

    .. math:: \tilde p_{(i)} = \max_{j \le i} \min\{(m - j + 1)\, p_{(j)}, 1\}.

    Parameters
    ----------
    p_values : array-like of shape (m,)
        In any order; NaN counts as a comparison and stays NaN.
    method : str, default="holm"
        One of `ADJUSTMENTS`.
    n_models : int, optional
        For ``"shaffer"`` and ``"bergmann-hommel"``: the models of which these are all
        pairs, in the order of ``numpy.triu_indices(n_models, 1)``.

    Returns
    -------
    ndarray of shape (m,)
        The smallest level at which each is rejected.

    Raises
    ------
    InvalidInputError
        If a value is no p-value, or their number is not that of all pairs.
    UsageError
        If there is no such method, or it needs the number of models.

    References
    ----------
    .. [1] S. Holm (1979). A simple sequentially rejective multiple test procedure.
       Scandinavian Journal of Statistics 6.

    Examples
    --------
    >>> adjust_p_values([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    chosen = ADJUSTMENTS.choose(method, parameter="method")
    given = np.asarray(p_values, dtype=np.float64)
    known = ~np.isnan(given)
    if given.ndim != 1:
        problem = f"must have one dimension; got shape {given.shape}"
        raise InvalidInputError(problem, parameter="p_values")
    bad = known & ~((given >= 0) & (given <= 1))
    if bad.any():
        first = int(np.argmax(bad))
        raise InvalidInputError(
            f"must lie between 0 and 1; got {given[first]:g}",
            parameter="p_values",
            location=Location(row=first + 1),
        )
    if chosen.needs_all_pairs:
        _check_pairs(chosen, given.size, n_models)
    adjusted = np.full(given.size, np.nan)
    if given.size:
        whole = chosen.adjust(np.where(known, given, 1.0), n_models or 0)
        adjusted[known] = whole[known]
    return adjusted


def _check_pairs(method: AdjustmentMethod, n_values: int, n_models: int | None) -> None:
    """Refuse p-values that are not those of all pairs of models."""
    if n_models is None:
        problem = f"is needed by {method.name}, which is for all pairs of models"
        raise UsageError(problem, parameter="n_models")
    if n_models * (n_models - 1) // 2 != n_values:
        problem = f"{n_values} p-values are not those of all pairs of {n_models} models"
        raise InvalidInputError(problem, parameter="p_values")
    if method.max_models is not None and n_models > method.max_models:
        raise UsageError(
            f"{method.name} is for up to {method.max_models} models; got {n_models}",
            parameter="n_models",
            remedy="use shaffer",
        )


def _put_back(ordered: FloatArray, order: NDArray[np.intp]) -> FloatArray:
    """Return values in the order of before, none above 1."""
    adjusted = np.empty_like(ordered)
    adjusted[order] = np.minimum(ordered, 1.0)
    return adjusted


def _step_down(p: FloatArray, factors: FloatArray) -> FloatArray:
    """Multiply ordered p-values by factors, the smallest first, never going down."""
    order = np.argsort(p, kind="stable")
    return _put_back(np.maximum.accumulate(factors * p[order]), order)


def _step_up(p: FloatArray, factors: FloatArray) -> FloatArray:
    """Multiply ordered p-values by factors, the largest first, never going up."""
    order = np.argsort(p)[::-1]
    return _put_back(np.minimum.accumulate(factors * p[order]), order)


ADJUSTMENTS.add(
    AdjustmentMethod(
        name="bonferroni",
        title="Bonferroni's correction",
        summary="multiplies by the number of comparisons; never better than holm",
        reference="O. J. Dunn (1961). Multiple comparisons among means. Journal of the "
        "American Statistical Association 56.",
        adjust=lambda p, _: np.minimum(p.size * p, 1.0),
    )
)
ADJUSTMENTS.add(
    AdjustmentMethod(
        name="holm",
        title="Holm's correction",
        summary="steps down; valid whatever depends on what",
        reference="S. Holm (1979). A simple sequentially rejective multiple test "
        "procedure. Scandinavian Journal of Statistics 6.",
        adjust=lambda p, _: _step_down(p, np.arange(p.size, 0, -1.0)),
    )
)
ADJUSTMENTS.add(
    AdjustmentMethod(
        name="hochberg",
        title="Hochberg's correction",
        summary="steps up; for p-values that depend positively on one another",
        reference="Y. Hochberg (1988). A sharper Bonferroni procedure for multiple "
        "tests of significance. Biometrika 75.",
        assumes=("p-values depend positively on one another",),
        adjust=lambda p, _: _step_up(p, np.arange(1.0, p.size + 1)),
        requires=Dependence.POSITIVE,
    )
)


def _hommel(p: FloatArray, n_models: int) -> FloatArray:
    """Return, for every hypothesis, the largest Simes p-value of a set that holds it.

    Of all sets of s hypotheses with a given one, that with the largest others has the
    largest p-value; so m sets per hypothesis suffice instead of 2^(m - 1).
    """
    del n_models
    m = p.size
    order = np.argsort(p)
    ordered = p[order]
    worst = ordered.copy()
    for size in range(2, m + 1):
        last = ordered[m - size :]
        whole = float((size * last / np.arange(1, size + 1)).min())
        others = float((size * last[1:] / np.arange(2, size + 1)).min())
        inside = np.arange(m) >= m - size
        alone = np.minimum(size * ordered, others)
        worst = np.maximum(worst, np.where(inside, whole, alone))
    return _put_back(worst, order)


ADJUSTMENTS.add(
    AdjustmentMethod(
        name="hommel",
        title="Hommel's correction",
        summary="the most powerful for p-values that depend positively",
        reference="G. Hommel (1988). A stagewise rejective multiple test procedure "
        "based on a modified Bonferroni test. Biometrika 75.",
        assumes=("p-values depend positively on one another",),
        adjust=_hommel,
        requires=Dependence.POSITIVE,
    )
)


def _finner(p: FloatArray, n_models: int) -> FloatArray:
    """Step down with Sidak's exponents."""
    del n_models
    m = p.size
    order = np.argsort(p)
    with np.errstate(divide="ignore"):
        logs = np.log1p(-np.minimum(p[order], 1.0))
    steps = -np.expm1(m / np.arange(1.0, m + 1) * logs)
    return _put_back(np.maximum.accumulate(steps), order)


ADJUSTMENTS.add(
    AdjustmentMethod(
        name="finner",
        title="Finner's correction",
        summary="for independent comparisons, or with one control",
        reference="H. Finner (1993). On a monotonicity problem in step-down multiple "
        "test procedures. Journal of the American Statistical Association 88.",
        assumes=("p-values are independent or depend positively on one another",),
        adjust=_finner,
        requires=Dependence.INDEPENDENT_OR_POSITIVE,
    )
)
ADJUSTMENTS.add(
    AdjustmentMethod(
        name="benjamini-hochberg",
        title="the correction of Benjamini and Hochberg",
        summary="keeps the share of false claims among all claims, not their chance",
        reference="Y. Benjamini and Y. Hochberg (1995). Controlling the false "
        "discovery rate: a practical and powerful approach to multiple testing. "
        "Journal of the Royal Statistical Society B 57.",
        assumes=("p-values are independent or depend positively on one another",),
        adjust=lambda p, _: _step_up(p, p.size / np.arange(p.size, 0, -1.0)),
        controls=ErrorRate.FALSE_DISCOVERY,
        requires=Dependence.INDEPENDENT_OR_POSITIVE,
    )
)


# All pairs of models. If A equals B and B equals C, then A equals C: of all sets of
# equalities only those that a division of the models into groups makes can be true and
# complete. Shaffer counts them, Bergmann and Hommel go through them one by one.


@cache
def possible_true_counts(n_models: int) -> tuple[int, ...]:
    """Return how many of all pairwise equalities can be true at once, rising.

    Examples
    --------
    >>> possible_true_counts(4), possible_true_counts(5)
    ((0, 1, 2, 3, 6), (0, 1, 2, 3, 4, 6, 10))
    """
    if n_models < 2:
        return (0,)
    found = {
        size * (size - 1) // 2 + rest
        for size in range(1, n_models + 1)
        for rest in possible_true_counts(n_models - size)
    }
    return tuple(sorted(found))


def _shaffer(p: FloatArray, n_models: int) -> FloatArray:
    """Step down by how many hypotheses can still be true."""
    counts = np.array(possible_true_counts(n_models))
    left = np.arange(p.size, 0, -1)
    most = counts[np.searchsorted(counts, left, side="right") - 1]
    return _step_down(p, most.astype(np.float64))


ADJUSTMENTS.add(
    AdjustmentMethod(
        name="shaffer",
        title="Shaffer's static correction",
        summary="for all pairs, however many models",
        reference="J. P. Shaffer (1986). Modified sequentially rejective multiple test "
        "procedures. Journal of the American Statistical Association 81.",
        adjust=_shaffer,
        needs_all_pairs=True,
    )
)


def set_partitions(n_models: int) -> NDArray[np.int8]:
    """Return every division of models into groups, a row each.

    Groups are numbered as they appear; Bell's number of rows.
    """
    rows = np.zeros((1, 1), dtype=np.int8)
    for _ in range(n_models - 1):
        # A further model joins one of the groups there are, or begins a new one.
        choices = rows.max(axis=1).astype(np.int64) + 2
        starts = np.cumsum(choices) - choices
        group = np.arange(choices.sum()) - np.repeat(starts, choices)
        rows = np.column_stack(
            [np.repeat(rows, choices, axis=0), group.astype(np.int8)]
        )
    return rows


def _bergmann_hommel(p: FloatArray, n_models: int) -> FloatArray:
    """Return, for every pair, the largest ``|I| min p`` of exhaustive sets I with it.

    A larger p-value never gets a smaller one, which single sets could do.
    """
    groups = set_partitions(n_models)
    firsts, seconds = np.triu_indices(n_models, 1)
    size = np.zeros(groups.shape[0], dtype=np.int64)
    least = np.ones(groups.shape[0])
    for i, j, value in zip(firsts, seconds, p, strict=True):
        together = groups[:, i] == groups[:, j]
        size += together
        np.minimum(least, value, out=least, where=together)
    bounds = size * least
    adjusted = [
        bounds[groups[:, i] == groups[:, j]].max()
        for i, j in zip(firsts, seconds, strict=True)
    ]
    order = np.argsort(p, kind="stable")
    return _put_back(np.maximum.accumulate(np.array(adjusted)[order]), order)


ADJUSTMENTS.add(
    AdjustmentMethod(
        name="bergmann-hommel",
        title="the correction of Bergmann and Hommel",
        summary="the most powerful for all pairs, up to eleven models",
        reference="B. Bergmann and G. Hommel (1988). Improvements of general multiple "
        "test procedures for redundant systems of hypotheses. In: Multiple Hypotheses "
        "Testing. Springer.",
        adjust=_bergmann_hommel,
        needs_all_pairs=True,
        max_models=11,  # 678,570 divisions; one more and there are four million
    )
)
