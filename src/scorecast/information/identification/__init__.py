"""Identification: which stimulus, among several, caused a response."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scorecast.information.identification.encoding import EncodingModel

__all__ = ["EncodingModel"]


def __getattr__(name: str) -> Any:
    # The estimator brings scikit-learn along, which the rest does without.
    if name == "EncodingModel":
        from scorecast.information.identification import encoding

        return encoding.EncodingModel
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
