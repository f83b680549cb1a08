"""One progress line for everything that takes longer than about a second.

Silent unless somebody (the command line, a notebook) switches it on.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextvars import ContextVar
from typing import TextIO, TypeVar

__all__ = ["announced", "in_parts", "progress_shown", "stage", "track"]

T = TypeVar("T")

_stream: ContextVar[TextIO | None] = ContextVar("progress_stream", default=None)
_lines: ContextVar[TextIO | None] = ContextVar("progress_lines", default=None)
_part: ContextVar[str] = ContextVar("progress_part", default="")
_told: ContextVar[frozenset[str]] = ContextVar("progress_told", default=frozenset())
_PATIENCE = 1.0  # seconds before the line appears
_BETWEEN = 0.1  # seconds between two drawings
_WIDTH = 24


@contextlib.contextmanager
def progress_shown(
    stream: TextIO | None = None, *, lines: bool = False
) -> Iterator[None]:
    """Show progress inside this block, if the stream is a terminal.

    Parameters
    ----------
    stream : text file, optional
        Where to draw; standard error by default.
    lines : bool, default=False
        Whether a stream that is no terminal, such as the log of a long run, gets a line
        for every part and stage.

    Yields
    ------
    None
        Control, with progress switched on.
    """
    target = sys.stderr if stream is None else stream
    drawn = target.isatty()
    token = _stream.set(target if drawn else None)
    written = _lines.set(target if lines and not drawn else None)
    told = _told.set(frozenset())
    try:
        yield
    finally:
        _told.reset(told)
        _lines.reset(written)
        _stream.reset(token)


def track(items: Iterable[T], *, total: int, what: str) -> Iterator[T]:
    """Pass `items` through, drawing how far they are.

    Parameters
    ----------
    items : iterable
        What is worked on.
    total : int
        How many there will be.
    what : str
        Two or three words for the work.

    Yields
    ------
    object
        The items, unchanged.
    """
    stream = _stream.get()
    if stream is None:
        yield from items
        return
    start = last = time.monotonic()
    drawn = False
    try:
        for done, item in enumerate(items, start=1):
            now = time.monotonic()
            if now - start > _PATIENCE and now - last > _BETWEEN:
                _draw(stream, what, done, total, now - start)
                last, drawn = now, True
            yield item
    finally:
        if drawn:
            _clear(stream)


def in_parts(items: Sequence[T], *, what: str) -> Iterator[T]:
    """Pass `items` through, each a job with progress of its own.

    The lines of those jobs begin with which of how many it is, and with the time that
    the rest will take if it goes on like this.

    Parameters
    ----------
    items : sequence
        What is worked on.
    what : str
        One of them in a word.

    Yields
    ------
    object
        The items, unchanged.
    """
    stream = _stream.get()
    start = time.monotonic()
    try:
        for done, item in enumerate(items):
            left = ""
            if done:
                each = (time.monotonic() - start) / done
                left = f" (about {each * (len(items) - done):.0f} s left in all)"
            _part.set(f"{what} {done + 1} of {len(items)}{left}: ")
            _begin()
            yield item
    finally:
        _part.set("")
        if stream is not None:
            _clear(stream)


@contextlib.contextmanager
def stage(what: str) -> Iterator[None]:
    """Name a piece of work; lines of progress inside begin with that.

    Parameters
    ----------
    what : str
        What goes on, and which of how many it is.

    Yields
    ------
    None
        Control, with the name shown.
    """
    token = _part.set(f"{what}: ")
    _begin()
    try:
        yield
    finally:
        _part.reset(token)
        stream = _stream.get()
        if stream is not None:
            _clear(stream)


@contextlib.contextmanager
def announced(what: str) -> Iterator[None]:
    """Show a line while something without steps goes on, then take it away.

    The same line is shown once: what is done again goes quickly.

    Parameters
    ----------
    what : str
        What goes on.

    Yields
    ------
    None
        Control, with the line shown.
    """
    stream = _stream.get()
    if stream is None or what in _told.get():
        yield
        return
    _told.set(_told.get() | {what})
    stream.write(f"\r\x1b[K{_part.get()}{what} ...")
    stream.flush()
    try:
        yield
    finally:
        _clear(stream)


def _begin() -> None:
    """Show the part that begins: on a terminal in its place, in a log as a line."""
    stream, lines = _stream.get(), _lines.get()
    if stream is not None:
        _clear(stream)
    if lines is not None:
        lines.write(f"progress: {_part.get().removesuffix(': ')}\n")
        lines.flush()


def _clear(stream: TextIO) -> None:
    """Take the line away, but for the part of the work that goes on."""
    stream.write(f"\r\x1b[K{_part.get().removesuffix(': ')}")
    stream.flush()


def _draw(stream: TextIO, what: str, done: int, total: int, elapsed: float) -> None:
    share = done / max(total, 1)
    bar = "#" * int(share * _WIDTH)
    left = elapsed * (1 - share) / max(share, 1e-9)
    said = f"{what} [{bar:<{_WIDTH}}] {done}/{total}, {left:.0f} s left"
    stream.write(f"\r\x1b[K{_part.get()}{said}")
    stream.flush()
