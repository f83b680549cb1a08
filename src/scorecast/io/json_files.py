"""JSON from outside, within limits of size and depth."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from scorecast.exceptions import InvalidInputError
from scorecast.io.paths import FilePath, check_size, locate, opened, unchanged
from scorecast.io.wording import one_line

__all__ = ["read_json"]

_MAX_DEPTH = 100
_STRING_OR_CONSTANT = re.compile(r'"(?:[^"\\]|\\.)*"|NaN|-?Infinity', re.DOTALL)


def read_json(path: FilePath, *, max_bytes: int = 64 * 2**20) -> Any:
    """Read a JSON file.

    Parameters
    ----------
    path : str or path-like
        The file, in UTF-8.
    max_bytes : int, default=64 MiB
        Largest file accepted.

    Returns
    -------
    object
        Dictionaries, lists, texts, finite numbers, None.

    Raises
    ------
    InvalidInputError
        If the file is missing, too large, nested too deeply, or not JSON; NaN and
        Infinity are not JSON.
    """
    location = locate(path)
    name = location.name
    with unchanged(location.path), opened(location.path) as stream:
        check_size(name, stream.seek(0, 2), max_bytes)
        stream.seek(0)
        data = stream.read(max_bytes + 1)
    if not data.strip():
        msg = f"{name} is empty"
        raise InvalidInputError(msg)
    text = _decoded(data, name)
    found = _parsed(text, name)
    # Cheap first: few brackets cannot nest deeply.
    if text.count("[") + text.count("{") > _MAX_DEPTH and _is_deep(found):
        raise _too_deep(name)
    return found


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        msg = f"{name}, line {line}: not UTF-8; save the file as UTF-8"
        raise InvalidInputError(msg) from error


def _parsed(text: str, name: str) -> Any:
    def refuse(constant: str) -> NoReturn:
        place = _place_of_constant(text)
        msg = f"{name}, {place}: {constant} is not JSON; write null instead"
        raise InvalidInputError(msg)

    try:
        return json.loads(text, parse_constant=refuse)
    except json.JSONDecodeError as error:
        msg = (
            f"{name}, line {error.lineno}, column {error.colno}: not JSON "
            f"({one_line(error.msg)}); repair the file"
        )
        raise InvalidInputError(msg) from error
    except RecursionError as error:
        raise _too_deep(name) from error
    except InvalidInputError:
        raise
    except ValueError as error:  # a whole number of thousands of digits
        msg = f"{name}: {one_line(error, 120)}"
        raise InvalidInputError(msg) from error


def _place_of_constant(text: str) -> str:
    for match in _STRING_OR_CONSTANT.finditer(text):
        if not match[0].startswith('"'):
            line = text.count("\n", 0, match.start()) + 1
            column = match.start() - text.rfind("\n", 0, match.start())
            return f"line {line}, column {column}"
    return "line 1"


def _is_deep(data: Any) -> bool:
    level = [data]
    for _ in range(_MAX_DEPTH):
        level = [
            child
            for parent in level
            for child in (parent.values() if isinstance(parent, dict) else parent)
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True


def _too_deep(name: str) -> InvalidInputError:
    return InvalidInputError(
        f"{name} is nested more than {_MAX_DEPTH} levels deep; flatten it"
    )
