"""Match the true label of every example to a column of scores."""

from __future__ import annotations

import numbers
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from scorecast._core.types import IntArray
from scorecast.exceptions import InvalidInputError

__all__ = ["ClassLabels", "label_list", "match_labels"]

ClassLabels = tuple[Hashable, ...]
_SHOWN = 5
_NAMING = {
    "columns": "Name the columns in their order: classes= (--classes FILE).",
    "probability columns": "Give every class a column, named as the labels are: "
    "classes= (--probability COL=LABEL, once for each).",
    "gallery": "Name the gallery vectors: gallery_labels= (--gallery-labels FILE).",
}


def match_labels(
    y_true: Iterable[Hashable],
    n_classes: int,
    classes: Sequence[Hashable] | None = None,
    *,
    what: str = "columns",
) -> tuple[IntArray, ClassLabels]:
    """Turn labels of any hashable kind into column numbers.

    With `classes`, labels are looked up there. Without, whole numbers from 0 are
    column numbers, and other labels are taken in sorted order, as scikit-learn's
    ``classes_`` has them, provided each column has an example.

    Parameters
    ----------
    y_true : iterable of hashable
        True label of each example.
    n_classes : int
        Number of columns.
    classes : sequence of hashable, optional
        Label of each column.
    what : str, default="columns"
        What the classes are called in messages.

    Returns
    -------
    own : ndarray of int64
        Column of the true class of each example.
    classes : tuple
        Label of each column.

    Raises
    ------
    InvalidInputError
        If a label belongs to no column.
    """
    labels = label_list(y_true)
    if not labels:
        msg = "There are no labels."
        raise InvalidInputError(msg)
    if not all(isinstance(x, Hashable) for x in labels):
        msg = "Labels must be one value per example, not lists of values."
        raise InvalidInputError(msg)
    if classes is not None:
        return _look_up(labels, _check_classes(classes, n_classes, what), what)
    whole = _as_column_numbers(labels)
    if whole is not None:
        return _check_range(whole, n_classes, what), tuple(range(n_classes))
    return _in_sorted_order(labels, n_classes, what)


def label_list(y_true: Iterable[Hashable]) -> list[Any]:
    """Return labels as a list of plain Python values.

    Parameters
    ----------
    y_true : iterable of hashable
        Labels, also as an array.

    Returns
    -------
    list
        The labels.

    Raises
    ------
    InvalidInputError
        If they are not one per example.
    """
    array = np.asarray(y_true) if hasattr(y_true, "__array__") else None
    if array is not None:
        if array.ndim == 2 and 1 in array.shape:
            array = array.ravel()
        if array.ndim != 1:
            msg = f"Labels must be one per example; got an array of {array.shape}."
            raise InvalidInputError(msg)
        return list(array.tolist())
    return list(y_true)


def _check_classes(
    classes: Sequence[Hashable], n_classes: int, what: str
) -> ClassLabels:
    known = tuple(label_list(classes))
    if len(known) != n_classes:
        msg = f"{len(known)} class labels were given for {n_classes} {what}."
        raise InvalidInputError(msg)
    if len(set(known)) != len(known):
        twice = next(c for i, c in enumerate(known) if c in known[:i])
        msg = f"Class labels must differ; {twice!r} stands more than once."
        raise InvalidInputError(msg)
    return known


def _look_up(
    labels: list[Any], classes: ClassLabels, what: str
) -> tuple[IntArray, ClassLabels]:
    column = {label: i for i, label in enumerate(classes)}
    unknown = sorted({str(label) for label in labels if label not in column})
    if unknown:
        # A header is text even where labels are numbers: 3 means the column "3".
        by_text = {_as_text(label): i for i, label in enumerate(classes)}
        said = [_as_text(x) for x in labels]
        if len(by_text) == len(classes):
            unknown = sorted({x for x in said if x not in by_text})
        if not unknown:
            return np.array([by_text[x] for x in said], np.int64), classes
        known = _some([str(c) for c in classes])
        way = _NAMING[what]
        # Who named them is not told to name them, but what is wrong with the names.
        if what != "probability columns" and classes != tuple(range(len(classes))):
            way = (
                f"The {what} are named, but not as the labels are: use the same names "
                "in both."
            )
        msg = (
            f"{len(unknown)} label(s) name no class of the {what}: {_some(unknown)}; "
            f"known are {known}. {way}"
        )
        raise InvalidInputError(msg)
    return np.array([column[label] for label in labels], np.int64), classes


def _as_text(label: Any) -> str:
    is_whole = isinstance(label, numbers.Real) and float(label).is_integer()
    return str(int(label)) if is_whole else str(label)


def _as_column_numbers(labels: list[Any]) -> list[int] | None:
    if all(isinstance(x, str) for x in labels):
        # "7" may be a column number, "007" is a name, and so is a very long one.
        if all(x.isdecimal() and len(x) <= 18 and str(int(x)) == x for x in labels):
            return [int(x) for x in labels]
        return None
    if not all(isinstance(x, numbers.Real) for x in labels):
        return None
    strange = [x for x in labels if not float(x).is_integer()]
    if strange:
        msg = f"Labels must be whole numbers or text; got {_some(map(str, strange))}."
        raise InvalidInputError(msg)
    return [int(x) for x in labels]


def _check_range(whole: list[int], n_classes: int, what: str) -> IntArray:
    outside = [x for x in whole if not 0 <= x < n_classes]
    if outside:
        places = _some(str(x) for x in sorted(set(outside)))
        one_based = min(whole) == 1 and max(whole) == n_classes
        hint = " They seem to start at 1: subtract 1." if one_based else ""
        msg = (
            f"{len(outside)} label(s) lie outside 0..{n_classes - 1}: {places}.{hint} "
            f"If they are names: {_NAMING[what]}"
        )
        raise InvalidInputError(msg)
    return np.array(whole, dtype=np.int64)


def _in_sorted_order(
    labels: list[Any], n_classes: int, what: str
) -> tuple[IntArray, ClassLabels]:
    try:
        present = sorted(set(labels))
    except TypeError:
        present = []
    if len(present) != n_classes:
        msg = (
            f"The labels have {len(set(labels))} distinct values for {n_classes} "
            f"{what}. {_NAMING[what]}"
        )
        raise InvalidInputError(msg)
    return _look_up(labels, tuple(present), what)


def _some(names: Iterable[str]) -> str:
    names = [n if len(n) <= 40 else n[:39] + "…" for n in names]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(repr(n) for n in names[:_SHOWN]) + more
