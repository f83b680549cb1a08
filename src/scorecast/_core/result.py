"""What every answer has in common: its facts, its JSON, and how it shows itself."""

from __future__ import annotations

from dataclasses import dataclass, fields
from importlib import import_module
from typing import Any, ClassVar, Self

from scorecast._core import results
from scorecast._core.codec import Json, decode_dataclass, encode_fields

INPUT = {"part": "inputs"}
OPTION = {"part": "options"}
DATA = {"part": "data"}  # kept in files of its own, never in the JSON
_PARTS = ("inputs", "options", "result")


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
class Result(results.Result):
    """Base of every answer: a frozen dataclass of numbers, flags, enums and notes.

    A field goes to the part ``result`` of the JSON unless ``field(metadata=INPUT)`` or
    ``field(metadata=OPTION)`` sends it elsewhere. A result that holds arrays is made
    with ``eq=False``.
    """

    schema: ClassVar[int] = 2

    def to_columns(self) -> dict[str, list[Any]]:
        """Return the main table, column by column."""
        return {f.name: [getattr(self, f.name)] for f in self._fields()["result"]}

    def summary(self) -> str:
        """Say the answer in one sentence."""
        headline: str = import_module("scorecast.report").lay_out(self).headline
        return headline

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

    def _parts(self) -> tuple[Any, Any, Any]:
        encoded = [encode_fields(self, chosen) for chosen in self._fields().values()]
        return encoded[0], encoded[1], encoded[2]

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        data = dict(zip(_PARTS, (inputs, options, result), strict=True))
        parts = {
            f"$.{part}": (data[part], chosen) for part, chosen in cls._fields().items()
        }
        found: Self = decode_dataclass(cls, parts)
        return found
