"""What tells one object from another, the same in every process."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType
from typing import Any

import numpy as np

__all__ = ["identity_of"]

_PLAIN = (bool, int, float, complex, str, bytes, type(None), np.generic)
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def identity_of(value: Any) -> str:
    """Describe a value by what it holds, never by where it is kept.

    Parameters
    ----------
    value : object
        Numbers and text, collections of them, arrays, functions with what they close
        over, estimators with their parameters, generators with their state.

    Returns
    -------
    str
        Equal for values that do the same, in this process and in any other.

    Examples
    --------
    >>> identity_of({"k": 5, "by": np.mean}) == identity_of({"by": np.mean, "k": 5})
    True
    >>> identity_of(np.zeros(3)) == identity_of(np.zeros((3, 1)))
    False
    """
    return _described(value, ())


def _described(value: Any, above: tuple[int, ...]) -> str:
    if isinstance(value, _PLAIN):
        return f"{type(value).__name__} {value!r}"
    if id(value) in above:
        return f"level {above.index(id(value))}"  # it contains itself
    within = (*above, id(value))
    if isinstance(value, np.ndarray):
        return _array(value, within)
    if isinstance(value, type):
        return _name(value)
    if isinstance(value, FunctionType | MethodType | BuiltinFunctionType | partial):
        return _function(value, within)
    if isinstance(value, CodeType):
        parts = (value.co_code, value.co_names, value.co_consts)
        return f"code {_described(parts, within)}"
    if isinstance(value, Mapping):
        pairs = [f"{_described(k, within)}: {_described(v, within)}"
                 for k, v in value.items()]  # fmt: skip
        return f"{_name(type(value))} {{{', '.join(sorted(pairs))}}}"
    if isinstance(value, list | tuple | set | frozenset):
        rows = [_described(row, within) for row in value]
        is_set = isinstance(value, set | frozenset)
        return f"{_name(type(value))} [{', '.join(sorted(rows) if is_set else rows)}]"
    return f"{_name(type(value))} {_state(value, within)}"


def _array(value: np.ndarray[Any, Any], above: tuple[int, ...]) -> str:
    held = (
        _described(value.ravel().tolist(), above).encode()
        if value.dtype.hasobject
        else np.ascontiguousarray(value).tobytes()
    )
    content = hashlib.sha256(held).hexdigest()
    return f"array {value.dtype.str} {value.shape} {content}"


def _function(value: Any, above: tuple[int, ...]) -> str:
    if isinstance(value, partial):
        parts: tuple[Any, ...] = (value.func, value.args, value.keywords)
        return f"partial {_described(parts, above)}"
    if isinstance(value, FunctionType):
        closed = tuple(cell.cell_contents for cell in value.__closure__ or ())
        parts = (value.__code__, value.__defaults__, value.__kwdefaults__, closed)
        return f"{_name(value)} {_described(parts, above)}"
    owner = getattr(value, "__self__", None)
    if owner is None or isinstance(value, BuiltinFunctionType):
        return _name(value)
    return f"{_name(value)} of {_described(owner, above)}"


def _state(value: Any, above: tuple[int, ...]) -> str:
    """Describe an object that is neither plain, a collection nor a function."""
    if callable(getattr(value, "get_params", None)):
        return _described(value.get_params(deep=False), above)
    if isinstance(value, np.random.Generator):
        return _described(value.bit_generator.state, above)
    if isinstance(value, np.random.RandomState):
        return _described(value.get_state(), above)
    if is_dataclass(value):
        held = {field.name: getattr(value, field.name) for field in fields(value)}
        return _described(held, above)
    if hasattr(value, "__dict__") and vars(value):
        return _described(vars(value), above)
    return _ADDRESS.sub("", repr(value))


def _name(value: Any) -> str:
    module = getattr(value, "__module__", "")
    return f"{module}.{getattr(value, '__qualname__', repr(type(value)))}"
