"""Whatever somebody has found biclusters with, as a `BiclusterSet`.

Understood are fitted objects with ``rows_`` and ``columns_`` (as scikit-learn's), pairs
of index lists, pairs of indicator matrices, and the JSON of G-Bic or of scorecast.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from scorecast.biclusters.bicluster_set import BiclusterSet, set_from_pairs
from scorecast.exceptions import DataWarning, InvalidInputError

__all__ = ["biclusters_from", "biclusters_to_json", "matched_sets"]

Shape = tuple[int, int]
_ROW_KEYS = ("rows", "X", "row_indices", "I")
_COLUMN_KEYS = ("columns", "Y", "column_indices", "J", "cols")


def biclusters_from(found: Any, *, shape: Shape | None = None) -> BiclusterSet:
    """Make a set of biclusters of whatever holds them.

    Parameters
    ----------
    found : object, mapping or sequence
        A fitted object with ``rows_`` and ``columns_``; a list of pairs of row and
        column numbers, counted from zero, or of mappings or objects with ``rows`` and
        ``columns`` (or ``X`` and ``Y``); the truth of simulated data; a pair of boolean
        matrices, biclusters x rows and biclusters x columns; a mapping with
        ``biclusters``, as G-Bic writes it.
    shape : tuple of int, optional
        Rows and columns of the matrix. Without, the largest numbers that occur.

    Returns
    -------
    BiclusterSet
        The biclusters.

    Examples
    --------
    >>> biclusters_from([([0, 1], [0, 2]), ([2], [1])]).areas.tolist()
    [4, 1]
    >>> biclusters_from({"biclusters": {"0": {"X": [0, 3], "Y": [1]}}}).shape
    (4, 2)
    """
    if isinstance(found, BiclusterSet):
        return _of_shape(found, shape)
    if hasattr(found, "rows_") and hasattr(found, "columns_"):
        return _of_shape(_from_flags(found.rows_, found.columns_), shape)
    if _is_flag_pair(found):
        return _of_shape(_from_flags(*found), shape)
    names, pairs, said = _listed(getattr(found, "biclusters", found))
    made = set_from_pairs(pairs, said or shape or _extent(pairs), names)
    return _of_shape(made, shape)


def matched_sets(
    found: Any, truth: Any, shape: Shape | None = None
) -> tuple[BiclusterSet, BiclusterSet]:
    """Make two sets of one matrix; of one that holds both where nothing fixes it."""
    given = (found, truth)
    first, second = (biclusters_from(x, shape=shape) for x in given)
    if shape is not None or first.shape == second.shape:
        return first, second
    fixed = [s.shape for s, x in zip((first, second), given, strict=True) if _fixes(x)]
    both = fixed[0] if fixed else _larger(first.shape, second.shape)
    first, second = (
        _of_shape(s, both) if _fixes(x) else biclusters_from(x, shape=both)
        for s, x in zip((first, second), given, strict=True)
    )
    return first, second


def _larger(first: Shape, second: Shape) -> Shape:
    return max(first[0], second[0]), max(first[1], second[1])


def biclusters_to_json(found: BiclusterSet) -> dict[str, Any]:
    """Return a set as JSON of the form that `biclusters_from` reads.

    Parameters
    ----------
    found : BiclusterSet
        The biclusters.

    Returns
    -------
    dict
        As G-Bic has it: ``X`` are rows and ``Y`` columns, counted from zero.
    """
    return {
        "#DatasetRows": found.shape[0],
        "#DatasetColumns": found.shape[1],
        "biclusters": {
            name: {"X": rows.tolist(), "Y": columns.tolist()}
            for name, (rows, columns) in zip(found.names, found.pairs(), strict=True)
        },
    }


def _fixes(found: Any) -> bool:
    """Tell whether an input says of which matrix it is."""
    if isinstance(found, Mapping):
        return _said_shape(found) is not None
    return (
        isinstance(found, BiclusterSet)
        or hasattr(found, "rows_")
        or _is_flag_pair(found)
    )


def _is_flag_pair(found: Any) -> bool:
    return (
        isinstance(found, tuple)
        and len(found) == 2
        and all(isinstance(x, np.ndarray) and x.ndim == 2 for x in found)
    )


def _from_flags(rows: Any, columns: Any) -> BiclusterSet:
    """Check indicator matrices; leave out what an algorithm left empty."""
    given = [np.asarray(rows), np.asarray(columns)]
    for name, flags in zip(("rows", "columns"), given, strict=True):
        if flags.ndim != 2 or flags.dtype.kind not in "biuf":
            msg = f"The {name} of biclusters must be a matrix of flags."
            raise InvalidInputError(msg)
        if not np.isin(flags, (0, 1)).all():
            msg = f"The {name} of biclusters must be flags, 0 or 1."
            raise InvalidInputError(msg)
    if given[0].shape[0] != given[1].shape[0]:
        msg = (
            f"Rows of {given[0].shape[0]} biclusters but columns of "
            f"{given[1].shape[0]}: give as many of both."
        )
        raise InvalidInputError(msg)
    own_rows, own_columns = (flags.astype(bool) for flags in given)
    full = own_rows.any(axis=1) & own_columns.any(axis=1)
    if not full.all():
        msg = f"{int((~full).sum())} biclusters without rows or columns are left out."
        warnings.warn(msg, DataWarning, stacklevel=3)
    names = tuple(str(i + 1) for i in np.flatnonzero(full))
    return BiclusterSet(rows=own_rows[full], columns=own_columns[full], names=names)


def _of_shape(found: BiclusterSet, shape: Shape | None) -> BiclusterSet:
    if shape is None or found.shape == tuple(shape):
        return found
    hint = " It looks transposed." if found.shape == tuple(shape)[::-1] else ""
    msg = (
        f"The biclusters are of a {_size(found.shape)} matrix, but it is "
        f"{_size(shape)}.{hint}"
    )
    raise InvalidInputError(msg)


def _size(shape: Shape) -> str:
    return f"{shape[0]} x {shape[1]}"


def _listed(found: Any) -> tuple[list[str], list[tuple[Any, Any]], Shape | None]:
    """Return names, pairs and, where it is said, the shape."""
    said = None
    if isinstance(found, Mapping):
        # Simulated data keep what is hidden under their truth.
        if isinstance(found.get("result"), Mapping):
            found = found["result"]
        if isinstance(found.get("truth"), Mapping):
            found = found["truth"]
        if "biclusters" not in found:
            keys = ", ".join(map(repr, list(found)[:5]))
            msg = f"A mapping of biclusters needs the key 'biclusters'; got {keys}."
            raise InvalidInputError(msg)
        said = _said_shape(found)
        found = found["biclusters"]
    if isinstance(found, Mapping):
        items = [(str(name), item) for name, item in found.items()]
    elif isinstance(found, Iterable) and not isinstance(found, str | bytes):
        items = [(str(i + 1), item) for i, item in enumerate(found)]
    else:
        msg = (
            "Biclusters must be a list of pairs of rows and columns, JSON as G-Bic's, "
            f"or an object with rows_ and columns_; got {type(found).__name__}."
        )
        raise InvalidInputError(msg)
    return [name for name, _ in items], [_pair(*item) for item in items], said


def _said_shape(found: Mapping[str, Any]) -> Shape | None:
    sizes = [found.get(key) for key in ("#DatasetRows", "#DatasetColumns")]
    if not all(isinstance(x, int) and not isinstance(x, bool) for x in sizes):
        return None
    return int(sizes[0] or 0), int(sizes[1] or 0)


def _pair(name: str, item: Any) -> tuple[Any, Any]:
    if isinstance(item, Mapping):
        rows = next((item[key] for key in _ROW_KEYS if key in item), None)
        columns = next((item[key] for key in _COLUMN_KEYS if key in item), None)
        if rows is None or columns is None:
            msg = f"Bicluster {name} needs 'rows' and 'columns' (or 'X' and 'Y')."
            raise InvalidInputError(msg)
        return rows, columns
    if hasattr(item, "rows") and hasattr(item, "columns"):
        return item.rows, item.columns
    sized = isinstance(item, Sequence) and not isinstance(item, str | bytes)
    if not (sized or isinstance(item, np.ndarray)) or len(item) != 2:
        msg = f"Bicluster {name} must be a pair of rows and columns; got {item!r:.80}."
        raise InvalidInputError(msg)
    return item[0], item[1]


def _extent(pairs: Sequence[tuple[Any, Any]]) -> Shape:
    """Return the smallest matrix that holds all numbers; faults are found later."""
    sizes = [1, 1]
    for pair in pairs:
        for side, values in enumerate(pair):
            try:
                numbers = np.asarray(list(values), dtype=np.float64)
            except (TypeError, ValueError):
                continue
            known = numbers[np.isfinite(numbers)] if numbers.ndim == 1 else numbers[:0]
            if known.size:
                sizes[side] = max(sizes[side], int(known.max()) + 1)
    return sizes[0], sizes[1]
