"""What every answer has in common: a sentence, a table, a dictionary, a picture.

A result is a frozen dataclass that holds numbers and nothing else. Its JSON form is a
contract: ``kind``, ``schema``, ``scorecast``, ``inputs``, ``options``, ``result``.
Drawing lives in a higher layer, reached through `_core.display`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self, cast

import numpy as np

from scorecast._core.display import display
from scorecast._core.types import Json
from scorecast._version import __version__
from scorecast.exceptions import InvalidInputError, MissingExtraError

__all__ = ["Result", "frame_of", "jsonable", "result_from_dict"]

# What the command line adds to inputs; it is no part of the result.
_ORIGIN = ("files", "versions")
_kinds: dict[str, type[Result]] = {}


def frame_of(columns: Mapping[str, list[Any]]) -> Any:
    """Make a pandas DataFrame of columns; refuse in words where there is no pandas."""
    try:
        import pandas as pd  # optional, and slow to load
    except ImportError as error:
        what = "A table as a DataFrame (plain columns need nothing)"
        raise MissingExtraError(what, "frame") from error
    return pd.DataFrame(columns)


class Result(ABC):
    """Base of every answer."""

    kind: ClassVar[str]
    schema: ClassVar[int] = 1

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "kind" in cls.__dict__:
            _kinds[cls.kind] = cls

    @abstractmethod
    def summary(self) -> str:
        """Say the answer in plain words."""

    @abstractmethod
    def to_columns(self) -> dict[str, list[Any]]:
        """Return the main table, column by column."""

    @abstractmethod
    def _parts(self) -> tuple[Json, Json, Json]:
        """Return inputs, options and result, ready for JSON."""

    @classmethod
    @abstractmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        """Rebuild from what `_parts` gave."""

    def to_frame(self) -> Any:
        """Return the main table as a pandas DataFrame.

        Returns
        -------
        pandas.DataFrame
            One row per line of the table.

        Raises
        ------
        MissingExtraError
            If pandas is not installed; ``to_columns()`` needs nothing.
        """
        return frame_of(self.to_columns())

    def to_dict(self) -> Json:
        """Return the whole result as plain Python values, ready for JSON."""
        inputs, options, result = self._parts()
        return {
            "kind": self.kind,
            "schema": self.schema,
            "scorecast": __version__,
            "inputs": jsonable(inputs),
            "options": jsonable(options),
            "result": jsonable(result),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild a result from `to_dict`.

        Parameters
        ----------
        data : mapping
            What `to_dict` returned, perhaps after a journey through JSON.

        Returns
        -------
        Result
            The same result; what JSON does not hold is NaN.

        Raises
        ------
        InvalidInputError
            If it is another kind or schema, or a part is missing.
        """
        kind, schema = data.get("kind"), data.get("schema")
        if kind != cls.kind or schema != cls.schema:
            problem = (
                f"this is {kind!r} with schema {schema!r}; expected {cls.kind!r} with "
                f"schema {cls.schema}"
            )
            is_older = (
                kind == cls.kind and isinstance(schema, int) and schema < cls.schema
            )
            if is_older:
                problem = (
                    f"this result was saved by an earlier version (schema {schema}; "
                    f"this one reads {cls.schema})"
                )
            remedy = "run the same command on its data again" if is_older else None
            raise InvalidInputError(problem, remedy=remedy)
        try:
            inputs = {k: v for k, v in data["inputs"].items() if k not in _ORIGIN}
            return cls._from_parts(inputs, data["options"], data["result"])
        except InvalidInputError:
            raise  # it names the field
        except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
            msg = f"A result of kind {cls.kind!r} lacks or garbles a field: {error}."
            raise InvalidInputError(msg) from error

    def plot(self, ax: Any = None) -> Any:
        """Draw the result.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        matplotlib axes
            The axes drawn on.
        """
        return display().plot(self, ax)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.summary()}>"

    def _repr_html_(self) -> str:
        return display().to_html(self)


def result_from_dict(data: Mapping[str, Any]) -> Result:
    """Rebuild any result, whatever its kind.

    Parameters
    ----------
    data : mapping
        What `Result.to_dict` returned.

    Returns
    -------
    Result
        The result.

    Raises
    ------
    InvalidInputError
        If the kind is unknown.
    """
    kind = data.get("kind") if isinstance(data, Mapping) else None
    if kind not in _kinds:
        what = f"its kind is {kind!r}" if isinstance(kind, str) else "it names no kind"
        raise InvalidInputError(f"this is not a result that scorecast saved: {what}")
    return _kinds[cast("str", kind)].from_dict(data)


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
