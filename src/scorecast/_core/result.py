"""What every answer has in common: its facts, its JSON, and how it shows itself.

Its JSON form is a contract: ``kind``, ``schema``, ``scorecast``, ``inputs``,
``options``, ``result``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib import import_module
from typing import Any, ClassVar, Self, cast

from scorecast._core.codec import Json, decode_dataclass, encode_fields
from scorecast._version import __version__
from scorecast.exceptions import InvalidInputError, MissingExtraError

INPUT = {"part": "inputs"}
OPTION = {"part": "options"}
DATA = {"part": "data"}  # kept in files of its own, never in the JSON
NEW = {"is_new": True}  # since the schema: results saved before go without it
SHARE = {"is_share": True}  # from 0 to 1; what is read and lies outside is refused
_PARTS = ("inputs", "options", "result")

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


@dataclass(frozen=True, kw_only=True)
class Note:
    """What the reader must know before trusting an answer.

    Attributes
    ----------
    code : str
        Member of the enumeration of codes of the room; its view has the sentence.
    model : str or None
        The model it is about.
    names : tuple of str
        What else it names.
    count, total : int or None
        How many, out of how many.
    value : float or None
        How much.
    """

    code: str
    model: str | None = None
    names: tuple[str, ...] = ()
    count: int | None = None
    total: int | None = None
    value: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Result:
    """Base of every answer: a frozen dataclass of numbers, flags, enums and notes.

    A field goes to the part ``result`` of the JSON unless ``field(metadata=INPUT)`` or
    ``field(metadata=OPTION)`` sends it elsewhere. A result that holds arrays is made
    with ``eq=False``. One that holds shares or probabilities says so
    (``field(metadata=SHARE)``, ``OPTION | SHARE``), and is held to it when it is read.
    """

    kind: ClassVar[str]
    schema: ClassVar[int] = 2

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "kind" in cls.__dict__:
            _kinds[cls.kind] = cls

    def to_columns(self) -> dict[str, list[Any]]:
        """Return the main table, column by column."""
        return {f.name: [getattr(self, f.name)] for f in self._fields()["result"]}

    def summary(self) -> str:
        """Say the answer in one sentence."""
        headline: str = import_module("scorecast.report").lay_out(self).headline
        return headline

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

    def to_dict(self) -> dict[str, Any]:
        """Return the whole result as plain Python values, ready for JSON."""
        parts = self._encoded()
        return {
            "kind": self.kind,
            "schema": self.schema,
            "scorecast": __version__,
            **parts,
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
            return cls._decoded(inputs, data["options"], data["result"])
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
        return import_module("scorecast.report").plot(self, ax)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.summary()}>"

    def _repr_html_(self) -> str:  # for notebooks
        return str(import_module("scorecast.report.html").write_fragment(self))

    # The one look upwards: an answer can show itself. Loaded when first shown.

    def __str__(self) -> str:
        return str(import_module("scorecast.report").render(self, "text"))

    def _repr_markdown_(self) -> str:  # for notebooks
        return str(import_module("scorecast.report").render(self, "markdown"))

    @classmethod
    def _fields(cls) -> dict[str, list[Any]]:
        """Return the fields of each part of the JSON."""
        return {
            part: [f for f in fields(cls) if f.metadata.get("part", "result") == part]
            for part in _PARTS
        }

    def _encoded(self) -> dict[str, Any]:
        """Return the parts of the JSON."""
        return {
            part: encode_fields(self, chosen) for part, chosen in self._fields().items()
        }

    @classmethod
    def _decoded(cls, inputs: Json, options: Json, result: Json) -> Self:
        """Rebuild from the parts of the JSON."""
        data = dict(zip(_PARTS, (inputs, options, result), strict=True))
        parts = {
            f"$.{part}": (data[part], chosen) for part, chosen in cls._fields().items()
        }
        found: Self = decode_dataclass(cls, parts)
        return found


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
