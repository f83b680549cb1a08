"""What the view of information says of an answer, for the sentences of this room."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["cautions", "decimals", "sentence", "verdict"]


def _view() -> Any:
    return import_module("scorecast.report.information")  # loaded when first shown


def sentence(information: Any) -> str:
    """Say amount, interval and verdict."""
    return str(_view().sentence(information))


def verdict(information: Any, reference: str = "the prior") -> str:
    """Say whether forecasts beat what they are held against, in half a sentence."""
    return str(_view().verdict_text(information.verdict, reference))


def decimals(information: Any) -> int:
    """Return the digits after the point that the interval deserves."""
    return int(_view().decimals(information))


def cautions(information: Any) -> list[str]:
    """Say what must be known, but for chains, which are named otherwise."""
    room = import_module("scorecast.information")
    return [
        room.note_text(note, information.units)
        for note in information.notes
        if note.code != room.InformationNote.NOT_CONVERGED
    ]
