"""What looks wrong with a table of results: counts, texts, another scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from scorecast._core.amounts import amount
from scorecast._core.types import FloatArray
from scorecast.exceptions import InvalidInputError

__all__ = ["doubtful_names", "is_text", "other_scale", "refuse_counts", "refuse_texts"]

_LEAST_COUNTED = 3  # rows: 0 and 1 are results as well
_FAR = 100.0  # times: results of models on the same data differ by less
_TRUTHS = {"true", "false", "yes", "no", "right", "wrong", "t", "f", "y", "n"}


def refuse_counts(values: FloatArray, names: Sequence[str]) -> None:
    """Refuse a column that counts the rows: it would win or lose as a model.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_models)
        Results.
    names : sequence of str
        Names of the columns.

    Raises
    ------
    InvalidInputError
        If there is one.
    """
    n = len(values)
    if n < _LEAST_COUNTED:
        return
    for name, column in zip(names, np.sort(values, axis=0).T, strict=True):
        if np.array_equal(column - column[0], np.arange(n)) and column[0] in (0, 1):
            msg = (
                f"Column {name!r} counts the rows ({column[0]:g} to {column[-1]:g}) "
                "and looks like a number of data sets, not like a model. Let it name "
                "the rows (as the index of a frame), leave it out, or list the models "
                "(`models`)."
            )
            raise InvalidInputError(msg)


def other_scale(values: FloatArray, names: Sequence[str]) -> tuple[str, ...]:
    """Ask whether a column is a model, if it lies far from all others.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_models)
        Results.
    names : sequence of str
        Names of the columns.

    Returns
    -------
    tuple of str
        A note on every such column.
    """
    known = ~np.isnan(values)
    sums = np.where(known, np.abs(values), 0.0).sum(axis=0)
    sizes = sums / np.maximum(known.sum(axis=0), 1)
    order = np.argsort(sizes)
    said = []
    # Of two columns only the larger one is asked about.
    for place, beside in ((-1, -2), (0, 1)):
        size, next_size = sizes[order[place]], sizes[order[beside]]
        if len(names) == 2 and place == 0:
            continue
        low, high = sorted((size, next_size))
        if low > 0 and high >= _FAR * low:
            times = amount(high / low, 1)
            way = "large" if place == -1 else "small"
            said.append(
                f"Results of {names[order[place]]!r} are about {times} times as {way} "
                f"as those of the next model, {names[order[beside]]!r}: is it a model? "
                "If not, list the models without it (`models`, --model)."
            )
    return tuple(said)


def is_text(column: Sequence[Any]) -> bool:
    """Tell whether a column holds any text."""
    return any(isinstance(value, str) for value in column)


def refuse_texts(
    columns: Mapping[str, Sequence[Any]], texts: Sequence[str], n_models: int
) -> None:
    """Refuse texts where results should be, and say what would make numbers of them.

    Parameters
    ----------
    columns : mapping of str to sequence
        The table.
    texts : sequence of str
        Its columns of text, of which one may name the rows.
    n_models : int
        How many columns are left as models.

    Raises
    ------
    InvalidInputError
        If there are several, if one seems to hold results, or if it leaves fewer than
        two models.
    """
    if not texts:
        return
    said = ", ".join(map(repr, texts))
    ways = [way for name in texts if (way := _way_out(columns[name]))]
    if len(texts) > 1:
        other = (
            "A wide table has one column per model: list those (`models`), and name "
            "a column of groups (`groups`); for one result per row name the columns "
            "(`long`)."
        )
        msg = f"Columns {said} hold text. {ways[0] if ways else other}"
        raise InvalidInputError(msg)
    name = texts[0]
    if ways and name != next(iter(columns)):
        msg = f"Column {name!r} holds text. {ways[0]}"
        raise InvalidInputError(msg)
    if n_models < 2:
        cell = next(x for x in columns[name] if isinstance(x, str))
        way = f" {ways[0]}" if ways else ""
        msg = (
            f"A comparison needs two models at least; got {n_models}, since column "
            f"{name!r} holds text ({cell!r}) and was taken for names of the rows.{way}"
        )
        raise InvalidInputError(msg)


def _way_out(column: Sequence[Any]) -> str:
    words = [str(x).strip().lower() for x in column]
    known = [word for word in words if word]
    if known and all(word in _TRUTHS for word in known):
        return "Write 1 for right and 0 for wrong."
    if any(word.endswith("%") and _is_number(word[:-1]) for word in known):
        return "Leave out the % signs."
    return ""


def doubtful_names(column: Sequence[Any], name: str) -> tuple[str, ...]:
    """Say so where a column taken for names of rows is mostly numbers."""
    numbers = [_is_number(x) for x in column]
    if all(numbers) or 2 * sum(numbers) < len(numbers):
        return ()
    cell = column[numbers.index(False)]
    return (
        f"Column {name!r} was taken for names of the rows, though {sum(numbers)} of "
        f"{len(numbers)} cells are numbers: {cell!r} is none.",
    )


def _is_number(cell: Any) -> bool:
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return True
