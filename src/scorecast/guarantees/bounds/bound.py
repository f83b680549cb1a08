"""An interval for the expected performance, with what it rests on."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Bound"]


@dataclass(frozen=True, kw_only=True)
class Bound:
    """One interval.

    Attributes
    ----------
    method : str
        How it was made.
    low, high : float
        Its ends; an end may be infinite where nothing limits it.
    assumption : str
        What must hold for it to hold.
    note : str
        What else the reader should know; often empty.
    is_recommended : bool
        Whether it is the one to quote.
    reason : str
        Why, if it is.
    """

    method: str
    low: float
    high: float
    assumption: str
    note: str = ""
    is_recommended: bool = False
    reason: str = ""

    @property
    def width(self) -> float:
        """Distance between the ends."""
        return self.high - self.low
