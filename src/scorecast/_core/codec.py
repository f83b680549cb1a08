"""Dataclasses to JSON and back: one codec for every result and checkpoint.

Floats keep every bit. JSON has no word for those that are not finite: NaN is written as
null, infinity as text. Reading is strict: a field that is missing, unknown or of the
wrong type is refused, and the error says which. So are numbers that cannot be: a field
with ``metadata={"is_share": True}`` that holds one outside 0 to 1, and a lower end
(``low``, ``..._low``) above the upper one. Where a field may hold one of several
classes, each has a ``kind`` (a class variable) that is written first and chosen by.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

import numpy as np

from scorecast.exceptions import InvalidInputError, Location, printable

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"

_MOST = 10**300  # larger whole numbers are no floating-point numbers
_ROUNDING = 1e-9


def encode(value: object) -> Json:
    """Return a value as JSON can hold it.

    A field with ``metadata={"max_items": n}`` that holds more is written empty, one
    with ``metadata={"part": "data"}`` not at all.
    """
    if isinstance(value, Enum):
        return encode(value.value)
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value is None or isinstance(value, str | int | float):
        return value.item() if isinstance(value, np.generic) else value
    if is_dataclass(value) and not isinstance(value, type):
        return encode_fields(value, fields(value))
    if isinstance(value, np.ndarray | np.generic):
        return encode(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    if isinstance(value, tuple | list | frozenset):
        return [encode(item) for item in value]
    msg = f"No JSON for {type(value).__name__}."
    raise TypeError(msg)


def encode_fields(value: object, chosen: Iterable[Field[Any]]) -> dict[str, Json]:
    """Return some fields of a dataclass as JSON can hold them, its kind first."""
    kind = getattr(type(value), "kind", None)
    data: dict[str, Json] = {}
    if isinstance(kind, str) and not hasattr(type(value), "schema"):
        data["kind"] = kind
    for field in _written(chosen):
        item = getattr(value, field.name)
        most = field.metadata.get("max_items")
        data[field.name] = encode(() if most and len(item) > most else item)
    return data


def decode(data: object, kind: Any, path: str = "$") -> Any:
    """Read what `encode` wrote as a value of an annotated type."""
    origin, args = get_origin(kind), get_args(kind)
    if kind is Any:
        return data
    if kind is float:
        return _decode_float(data, path)
    if kind in (str, int, bool) and type(data) is kind:
        if type(data) is int and abs(data) > _MOST:
            raise _refusal("a number of usual size", "a longer one", path)
        return data
    if origin in (UnionType, Union):
        return _decode_union(data, args, path)
    if origin is Literal and data in args:
        return data
    if isinstance(kind, type) and issubclass(kind, Enum):
        if data in [member.value for member in kind]:
            return kind(data)
        raise _refusal(f"one of {', '.join(str(m.value) for m in kind)}", data, path)
    if is_dataclass(kind):
        return decode_dataclass(kind, {path: (data, fields(kind))})
    if origin in (dict, Mapping) and isinstance(data, dict):
        return {
            key: decode(item, args[1], f"{path}.{key}") for key, item in data.items()
        }
    if origin is tuple and isinstance(data, list):
        kinds = args[:1] * len(data) if args[-1] is Ellipsis else args
        if len(kinds) == len(data):
            pairs = enumerate(zip(data, kinds, strict=True))
            return tuple(decode(x, k, f"{path}[{i}]") for i, (x, k) in pairs)
    if origin is np.ndarray and isinstance(data, list):
        (dtype,) = get_args(args[1])
        cells = _decode_cells(data, type(dtype().item()), path)
        try:
            return np.array(cells, dtype)
        except ValueError as error:
            raise _refusal("rows of one length", data, path) from error
        except OverflowError as error:
            raise _refusal("numbers of usual size", "longer ones", path) from error
    raise _refusal(getattr(kind, "__name__", str(kind)), data, path)


def decode_dataclass(
    kind: Any, parts: Mapping[str, tuple[object, Iterable[Field[Any]]]]
) -> Any:
    """Read a dataclass from objects that hold between them its fields and no others."""
    hints = _hints(kind)
    values = {}
    for path, (data, chosen) in parts.items():
        if not isinstance(data, dict):
            raise _refusal("an object", data, path)
        if not hasattr(kind, "schema") and isinstance(getattr(kind, "kind", None), str):
            if data.get("kind") != kind.kind:
                raise _refusal(repr(kind.kind), data.get("kind"), f"{path}.kind")
            data = {name: item for name, item in data.items() if name != "kind"}
        known = {field.name: field for field in _written(chosen)}
        for name in data:
            if name not in known:
                raise _refusal("no such field", data[name], f"{path}.{name}")
        for name, field in known.items():
            if name in data:
                values[name] = decode(data[name], hints[name], f"{path}.{name}")
                if field.metadata.get("is_share"):
                    _check_share(values[name], f"{path}.{name}")
            elif not field.metadata.get("is_new") or field.default is MISSING:
                raise _refusal("a value", "nothing", f"{path}.{name}")
        for name in known:
            if name == "low" or name.endswith("_low"):
                upper = f"{name.removesuffix('low')}high"
                _check_ends(values.get(name), values.get(upper), f"{path}.{name}")
    return kind(**values)


def _check_share(value: Any, path: str) -> None:
    """Refuse what is no share; NaN and None say that there is none."""
    cells = _numbers(value)
    wrong = np.argwhere((cells < -_ROUNDING) | (cells > 1 + _ROUNDING))
    if len(wrong):
        at = tuple(wrong[0])
        place = "".join(f"[{i}]" for i in at)
        raise _refusal("a share from 0 to 1", float(cells[at]), f"{path}{place}")


def _check_ends(low: Any, high: Any, path: str) -> None:
    """Refuse an interval whose lower end lies above its upper one."""
    ends = _numbers(low), _numbers(high)
    if ends[0].shape != ends[1].shape:
        return
    room = _ROUNDING * np.maximum(1.0, np.abs(ends[1]))
    with np.errstate(invalid="ignore"):
        wrong = np.argwhere(ends[0] > ends[1] + room)
    if len(wrong):
        at = tuple(wrong[0])
        place = "".join(f"[{i}]" for i in at)
        most = f"{ends[1][at]:g}"
        expected = f"a lower end, at most the upper one ({most})"
        raise _refusal(expected, float(ends[0][at]), f"{path}{place}")


def _numbers(value: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return numbers as an array; NaN for what is none."""
    if isinstance(value, np.ndarray | int | float):
        return np.asarray(value, dtype=np.float64)
    if isinstance(value, tuple) and all(isinstance(x, int | float) for x in value):
        return np.array(value, dtype=np.float64)
    return np.array(np.nan)


def _written(chosen: Iterable[Field[Any]]) -> list[Field[Any]]:
    """Leave out what is data: it goes to files of its own."""
    return [field for field in chosen if field.metadata.get("part") != "data"]


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _decode_union(data: object, kinds: tuple[Any, ...], path: str) -> Any:
    """Read one of several types; None, and classes by their kind."""
    if data is None and NoneType in kinds:
        return None
    others = [kind for kind in kinds if kind is not NoneType]
    if len(others) == 1:
        return decode(data, others[0], path)
    if isinstance(data, dict):
        for kind in others:
            if getattr(kind, "kind", None) == data.get("kind"):
                return decode(data, kind, path)
    for kind in others:
        is_text_as_number = kind is float and isinstance(data, str)
        if kind in (str, int, float, bool) and not is_text_as_number:
            try:
                return decode(data, kind, path)
            except InvalidInputError:
                continue
    raise _refusal("one of several kinds", data, path)


def _decode_float(data: object, path: str) -> float:
    """Read a number, null as NaN, or the text of an infinity."""
    if data is None:
        return math.nan
    if type(data) in (int, float) or data in ("Infinity", "-Infinity"):
        try:
            return float(data)  # type: ignore[arg-type]
        except OverflowError as error:
            raise _refusal("a number of usual size", "a longer one", path) from error
    raise _refusal("a number", data, path)


def _decode_cells(data: object, kind: type, path: str) -> Any:
    """Read the cells of an array of any dimension."""
    if isinstance(data, list):
        return [_decode_cells(x, kind, f"{path}[{i}]") for i, x in enumerate(data)]
    return decode(data, kind, path)


def _refusal(expected: str, found: object, path: str) -> InvalidInputError:
    """Say what a field should hold, and what it holds."""
    shown = printable(repr(found))
    problem = f"expected {expected}, found {shown}"
    return InvalidInputError(problem, location=Location(field=printable(path, 200)))


def jsonable(value: Any) -> Any:
    """Turn numpy values into plain ones; what is not finite becomes null.

    Parameters
    ----------
    value : object
        Nested dictionaries, sequences and scalars.

    Returns
    -------
    object
        The same made of dict, list, str, int, float, bool and None.
    """
    if isinstance(value, Mapping):
        return {str(k): jsonable(v) for k, v in value.items()}
    if isinstance(value, np.ndarray):
        return jsonable(value.tolist())
    if isinstance(value, list | tuple | set | frozenset):
        return [jsonable(v) for v in value]
    if isinstance(value, np.generic):
        return jsonable(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return str(value)
