"""Cases from probabilities: of what happened, or of every class."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import check_matrix
from scorecast._core.types import FloatArray, IntArray
from scorecast.exceptions import InvalidInputError
from scorecast.information.cases import CaseInformation, labels_of
from scorecast.information.class_priors import class_prior
from scorecast.information.columns import (
    check_column,
    check_same_length,
    half_zeros_said,
    refuse_outside,
    warned,
)
from scorecast.information.forecasts import Forecasts
from scorecast.information.logs import refuse_two_zeros
from scorecast.scores import label_list, match_labels

__all__ = ["cases_from_classes", "cases_from_probabilities"]

_MUCH_LESS = 0.9  # than one: a row that adds up to less may lack a class


def cases_from_probabilities(
    q: ArrayLike,
    p: ArrayLike,
    *,
    ids: Iterable[Hashable] | None = None,
    groups: Iterable[Hashable] | None = None,
    prior: str = "as given",
) -> CaseInformation:
    """Take the probabilities that forecast and prior gave to what happened.

    Parameters
    ----------
    q : array-like of shape (n,)
        Probability that the forecast gave to what happened.
    p : array-like of shape (n,)
        The same of the prior.
    ids, groups : iterable of hashable, optional
        Name and group of every case.
    prior : str, default="as given"
        Where the prior comes from, in words.

    Returns
    -------
    CaseInformation
        One j per case; minus infinity where `q` is zero.

    Raises
    ------
    InvalidInputError
        If lengths differ, a value is no probability, or `p` is zero.

    Examples
    --------
    >>> cases_from_probabilities([0.8, 0.0], [0.5, 0.5]).j.round(3).tolist()
    [0.47, -inf]
    """
    said, before = check_column(q, "q"), check_column(p, "p")
    check_same_length(q=said, p=before)
    refuse_outside(said, "q")
    refuse_outside(before, "p")
    return _cases(
        _log(said),
        _log(before),
        ids=ids,
        groups=groups,
        prior=prior,
        notes=warned(half_zeros_said(q, "q")),
    )


def cases_from_classes(
    probabilities: ArrayLike,
    y_true: Iterable[Hashable],
    *,
    prior: ArrayLike | Mapping[Hashable, float] | str | None = None,
    y_train: Iterable[Hashable] | None = None,
    classes: Sequence[Hashable] | None = None,
    renormalise: bool = False,
    ids: Iterable[Hashable] | None = None,
    groups: Iterable[Hashable] | None = None,
) -> CaseInformation:
    """Take the probability of every class, and which class it was.

    Parameters
    ----------
    probabilities : array-like of shape (n, n_classes) or (n,)
        Forecast probability of every class; every row adds up to one. Columns of a
        data frame are named by their classes, in any order. Or one column: the
        probability that a thing happens, of which `y_true` says whether it did.
    y_true : iterable of hashable
        The class that each case turned out to be.
    prior : array-like, mapping or "leave-one-out", optional
        Probability of every class without a forecast: in the order of the columns, by
        label, or the frequencies among the other cases, each case left out of its own.
    y_train : iterable of hashable, optional
        Labels of the training cases, whose frequencies are then the prior.
    classes : sequence of hashable, optional
        Labels of the columns; for one column, what did not happen and what did, by
        default 0 and 1 (False and True).
    renormalise : bool, default=False
        Whether to divide rows by their sum instead of refusing them.
    ids, groups : iterable of hashable, optional
        Name and group of every case.

    Returns
    -------
    CaseInformation
        One j per case, with the chances kept for the reliability view.

    Raises
    ------
    InvalidInputError
        If a row is no distribution or a label no class.
    InsufficientDataError
        If a class occurs once and its prior is to come from the other cases.

    Examples
    --------
    >>> q = [[0.8, 0.2], [0.3, 0.7], [0.6, 0.4]]
    >>> cases = cases_from_classes(q, [0, 1, 1], prior=[0.5, 0.5])
    >>> cases.j.round(3).tolist()
    [0.47, 0.336, -0.223]
    """
    if np.ndim(probabilities) == 1:
        probabilities, classes = _two_columns(probabilities, y_true, classes)
    elif classes is None and hasattr(probabilities, "columns"):
        classes = _named_columns(probabilities, y_true)
    matrix = _check_rows(probabilities, renormalise=renormalise)
    own, names = match_labels(
        y_true, matrix.shape[1], classes, what="probability columns"
    )
    if own.size != len(matrix):
        msg = (
            f"There are {len(matrix):,} rows of probabilities but {own.size:,} labels."
        )
        raise InvalidInputError(msg)
    before = class_prior(own, names, prior=prior, y_train=y_train)
    return _cases(
        _log(matrix[np.arange(own.size), own]),
        _log(before.own),
        ids=ids,
        groups=groups,
        prior=before.name,
        forecasts=_chances(matrix, own, names),
        notes=warned(half_zeros_said(probabilities, "probabilities")),
    )


def _two_columns(
    chance: ArrayLike,
    y_true: Iterable[Hashable],
    classes: Sequence[Hashable] | None,
) -> tuple[FloatArray, Sequence[Hashable]]:
    """Make the columns of a thing that does not happen, and that does."""
    happens = check_column(chance, "probabilities")
    refuse_outside(happens, "probabilities")
    both = np.column_stack([1 - happens, happens])
    if classes is not None:
        if len(classes) != 2:
            msg = (
                "One column of probabilities has two classes: what did not happen, "
                f"and what did; got {len(classes)}."
            )
            raise InvalidInputError(msg)
        return both, classes
    found = set(label_list(y_true))
    if found <= {0, 1}:  # also False and True
        return both, (0, 1)
    if found <= {"0", "1"}:
        return both, ("0", "1")
    said = ", ".join(sorted(map(repr, found))[:3])
    msg = (
        "One column of probabilities goes with labels 0 and 1 (or False and True), 1 "
        f"being what it is the probability of; got {said}. Name both: "
        "classes=(what did not happen, what did)."
    )
    raise InvalidInputError(msg)


def _named_columns(
    probabilities: Any, y_true: Iterable[Hashable]
) -> list[Hashable] | None:
    """Return the names of columns if the labels are among them."""
    names = label_list(probabilities.columns)
    known = {str(name) for name in names}
    inside = all(str(label) in known for label in label_list(y_true))
    return names if inside else None


def _cases(
    log_q: FloatArray, log_p: FloatArray, *, ids: Any, groups: Any, **more: Any
) -> CaseInformation:
    refuse_two_zeros(log_q, log_p)
    return CaseInformation(
        j=log_q - log_p,
        log_q=log_q,
        log_p=log_p,
        ids=labels_of(ids),
        groups=labels_of(groups),
        **more,
    )


def _log(chance: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        logarithm: FloatArray = np.log(chance)
    return logarithm


def _check_rows(probabilities: ArrayLike, *, renormalise: bool) -> FloatArray:
    rounding = _rounding(np.asarray(probabilities).dtype)
    matrix = np.asarray(check_matrix(probabilities, "probabilities"), np.float64)
    if matrix.shape[1] < 2:
        msg = "probabilities must have a column for every class, so at least two."
        raise InvalidInputError(msg)
    refuse_outside(matrix, "probabilities")
    sums = matrix.sum(axis=1)
    off = np.abs(sums - 1) > max(rounding, 1e-6 * matrix.shape[1])
    if renormalise:
        off = sums <= 0
    if off.any():
        row = int(np.argmax(off))
        msg = (
            f"{int(off.sum())} row(s) of probabilities do not add up to one; the first "
            f"is row {row + 1}, {sums[row]:.6g}. {_way_out(sums, matrix.shape[1])}"
        )
        raise InvalidInputError(msg)
    return matrix / sums[:, None] if renormalise else matrix


def _rounding(dtype: np.dtype[Any]) -> float:
    """Return by how much numbers of a type that make one may miss it.

    Half of it is what rounding to the nearest does to the largest numbers; libraries
    that work in half precision throughout need the other half.
    """
    return float(np.finfo(dtype).eps) if dtype.kind == "f" else 0.0


def _way_out(sums: FloatArray, n_classes: int) -> str:
    """Say what rows that do not make one may be, and what to do then."""
    divide = "divide by the sum: `renormalise=True`."
    worst = float(np.abs(sums - 1).max())
    # As many halves of the last digit as there are classes.
    digits = next((d for d in (4, 3, 2) if worst <= n_classes * 0.51 / 10**d), None)
    if digits is not None and worst < 1 - _MUCH_LESS:
        return f"They seem rounded to {digits} digits or so; then {divide}"
    if (sums < 1).all() and sums.min() < _MUCH_LESS:
        return (
            "Is a class missing? Give one column for every class, the last one too; "
            f"if none is missing, {divide}"
        )
    return f"Repair them, or {divide}"


def _chances(matrix: FloatArray, own: IntArray, names: Sequence[Hashable]) -> Forecasts:
    """Return every class of every case as an event; of two classes, the second."""
    happened = np.zeros(matrix.shape, dtype=np.bool_)
    happened[np.arange(own.size), own] = True
    if matrix.shape[1] == 2:
        what = f"class {names[1]}; class {names[0]} is its mirror image"
        return Forecasts(predicted=matrix[:, 1], happened=happened[:, 1], what=what)
    what = "every class of every case"
    return Forecasts(predicted=matrix.ravel(), happened=happened.ravel(), what=what)
