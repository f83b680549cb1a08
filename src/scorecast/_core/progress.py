"""How far a run is, and how long the whole of it will still take.

A run is a tree of pieces of work. What knows how its work divides says so: `stages`
gives the parts of a run with their weights (how long each takes beside the others),
`track` counts items of about equal length. From what is finished, and how long it took,
one figure follows: the time left for the whole run. As long as nothing is known about
some part of it, that figure is withheld rather than wrong.

Silent unless somebody (the command line, a notebook) switches it on with
`progress_shown`. A verb and the library below it need no more than this::

    with stages({"folds": 5, "posteriors": 9}):
        with stage("folds"):
            for fold in track(folds, what="fold"):
                ...
        say("first figures: ...")
        with stage("posteriors"):
            ...

Lines are written by a thread of its own: work that counts nothing for a while, such as
a long call of compiled code, is seen to go on all the same.
"""

from __future__ import annotations

import contextlib
import math
import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import TextIO, TypeVar

__all__ = [
    "announced",
    "computing",
    "finish",
    "hidden",
    "progress_shown",
    "revise",
    "say",
    "say_unless_over",
    "stage",
    "stages",
    "track",
    "without_first_figures",
]

T = TypeVar("T")

_TO_TERMINAL = (0.7, 0.25)  # seconds to the first line, and between two
_TO_LOG = (1.5, 10.0)
_MOMENT = 2.0  # seconds: a run that takes no longer needs no first figures
_LEAST_SHARE = 0.02  # of a count, below which its pace is not yet believed,
_ENOUGH, _LONG_ENOUGH = 10, 2.0  # but for so many items that took so many seconds
_LEAST_TIME = 0.5  # seconds, below which no pace is believed
_USUAL_POWER, _GREATEST_POWER = 0.5, 3.0  # of the size of an item, in its seconds
_DEEPEST = 3  # names of pieces in one line
_COLUMNS = 80

_now = time.monotonic


class _Piece:
    """A piece of work: with parts of known weights, or items, or none of either."""

    def __init__(
        self,
        name: str,
        *,
        weights: Mapping[str, float | None] | None = None,
        in_seconds: bool = False,
        total: int | None = None,
        sizes: Sequence[float] | None = None,
        warms_up: bool = False,
        counts: bool = True,
    ) -> None:
        self.name = name
        self.weights = None if weights is None else dict(weights)
        self.in_seconds = in_seconds
        self.total = total
        self.sizes = sizes
        self.warms_up = warms_up
        self.first: float | None = None  # seconds until the first item was done
        self.took: list[float] = []  # seconds of finished items, if they have sizes
        self.counts = counts
        self.done = 0
        self.start = _now()
        self.counted = self.start  # when the last item was done
        self.idle = 0.0  # seconds of what happens once, such as compiling
        self.spent: dict[str, float] = {}  # seconds of finished parts
        self.current: _Piece | None = None

    def elapsed(self, now: float) -> float:
        return now - self.start - self.idle

    def left(self, now: float) -> float | None:
        """Return the seconds that the rest takes; None if nobody can know."""
        if self.weights is not None:
            return self._left_of_parts(self.weights, now)
        if self.total is not None:
            return self._left_of_items(self.total, now)
        return None if self.current is None else self.current.left(now)

    def _left_of_parts(
        self, weights: Mapping[str, float | None], now: float
    ) -> float | None:
        running = self.current
        waiting = [
            weight
            for name, weight in weights.items()
            if name not in self.spent and (running is None or name != running.name)
        ]
        seconds = sum(self.spent.get(name, 0.0) for name, w in weights.items() if w)
        weight = sum(w for name, w in weights.items() if w and name in self.spent)
        left = None if running is None else running.left(now)
        own = None if running is None else weights.get(running.name, 0.0)
        if running is not None and left is not None and own:
            seconds += running.elapsed(now) + left
            weight += own
        pace = seconds / weight if weight and seconds >= _LEAST_TIME else None
        if self.in_seconds:
            pace = 1.0
        if running is not None and left is None:
            if pace is None or own is None:
                return None
            elapsed = running.elapsed(now)
            left = pace * own - elapsed
            if left < elapsed:
                return None  # by its weight alone, the last half is not foretold
        if not any(w is None or w > 0 for w in waiting):
            return left or 0.0
        if pace is None or any(w is None for w in waiting):
            return None
        return (left or 0.0) + pace * sum(w for w in waiting if w)

    def _left_of_items(self, total: int, now: float) -> float | None:
        elapsed, rest = self.elapsed(now), total - self.done
        if rest <= 0:
            return 0.0
        within = self.current
        # What an item is made of is believed if it was divided on purpose.
        planned = within is not None and within.weights is not None
        inner = within.left(now) if within is not None and planned else None
        if self.sizes is not None and (inner is not None or self.took):
            return self._left_by_size(self.sizes, elapsed, inner)
        if inner is not None:
            return (elapsed + inner) * (total / (self.done + 1)) - elapsed
        least = max(1.0, _LEAST_SHARE * total)
        if elapsed >= _LONG_ENOUGH:
            least = min(least, _ENOUGH)
        if self.done < least or elapsed < _LEAST_TIME:
            return None
        until = self.counted - self.start - self.idle
        done = self.done
        if self.warms_up and self.first is not None and done > 1:
            # The start of workers comes once, with the first: count from there.
            until, elapsed = until - self.first, elapsed - self.first
            done, total = done - 1, total - 1
        # An item that takes longer than those before slows the pace.
        each = max(until / done, elapsed / (done + 1))
        return max(each * total - elapsed, 0.0)

    def _left_by_size(
        self, sizes: Sequence[float], elapsed: float, inner: float | None
    ) -> float | None:
        """Return the same where items are of known size: seconds grow as its power.

        The item that is worked on counts as far as it is known how long it takes.
        """
        if elapsed < _LEAST_TIME:
            return None
        known = self.took
        running = elapsed - sum(known)
        if inner is not None:
            known = [*known, running + inner]
        power = _power_of(list(zip(sizes, known, strict=False)))
        weights = [float(size**power) for size in sizes]
        pace = sum(known) / sum(weights[: len(known)])
        if inner is None:
            inner = max(pace * weights[self.done] - running, 0.0)
            # An item that takes longer than its size says slows the pace.
            pace = max(pace, elapsed / sum(weights[: self.done + 1]))
        return inner + pace * sum(weights[self.done + 1 :])

    def words(self) -> str:
        if self.total is None:
            return self.name
        return f"{self.name} {min(self.done + 1, self.total):,} of {self.total:,}"


def _power_of(done: Sequence[tuple[float, float]]) -> float:
    """Return the power of the size by which seconds grow.

    Least squares of logarithms, once sizes differ. Before that one half: a pace that
    does not depend on the size and one in proportion to it are then both within a
    factor of two for sizes up to four times apart.
    """
    known = [(math.log(size), math.log(max(s, 1e-3))) for size, s in done]
    middle = sum(x for x, _ in known) / len(known)
    spread = sum((x - middle) ** 2 for x, _ in known)
    if spread < 1e-6:
        return _USUAL_POWER
    slope = sum((x - middle) * y for x, y in known) / spread
    return min(max(slope, 0.0), _GREATEST_POWER)


class _Display:
    """Draws the line, in its place on a terminal, every ten seconds in a log."""

    def __init__(self, stream: TextIO, name: str) -> None:
        self.stream = stream
        self.in_place = stream.isatty()
        self.root = _Piece(name)
        self.open: list[_Piece] = [self.root]
        self.told: set[str] = set()
        self._drawn = False
        self._later: list[threading.Timer] = []
        self._lock = threading.RLock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def begin(self) -> None:
        self._thread.start()

    def end(self) -> None:
        """Take the line away; nothing is drawn any more."""
        self._over.set()
        for timer in self._later:
            timer.cancel()
        self._thread.join()
        with self._lock:
            self._wipe()

    @contextlib.contextmanager
    def hidden(self) -> Iterator[None]:
        """Keep the line away while something else is written."""
        with self._lock:
            self._wipe()
            yield

    def say(self, text: str) -> None:
        """Write lines that stay."""
        with self.hidden():
            self.stream.write(text.rstrip("\n") + "\n")
            self.stream.flush()

    def say_at(self, when: float, text: str) -> None:
        """Write them at some time, unless it is all over by then."""
        timer = threading.Timer(max(when - _now(), 0.0), self._say_if_on, [text])
        timer.daemon = True
        with self._lock:
            if not self._over.is_set():
                self._later.append(timer)
                timer.start()

    def _say_if_on(self, text: str) -> None:
        # Nobody may read any more.
        with self._lock, contextlib.suppress(OSError, ValueError):
            if not self._over.is_set():
                self.say(text)

    def line(self) -> str:
        """Say what goes on, since when, and how long it will."""
        now = _now()
        with self._lock:
            pieces = list(self.open)
            left = self._left(now)
        # A part that counts what it is named for is said once.
        inner = [*(piece.name for piece in pieces[1:]), ""]
        named = [
            piece.words()
            for piece, within in zip(pieces, inner, strict=True)
            if piece.name and piece.name != within
        ][1:][:_DEEPEST]
        if not pieces[-1].counts:
            named = [pieces[-1].words()]  # however deep: it may take a while
        what = ": ".join(named) or self.root.name
        seconds = _said(now - self.root.start)
        if left is None:
            return f"{what}; {seconds} so far"
        # What is said is never over before it is: the answer is still to be written.
        return f"{what}; {seconds} so far, about {_said(max(left, 1.0))} left"

    def left(self) -> float | None:
        """Return the seconds left for the whole run; None if nobody can know."""
        with self._lock:
            return self._left(_now())

    def _left(self, now: float) -> float | None:
        whole = self.root.current
        # Only who gave the stages of a run has said that there is nothing else.
        if whole is None or whole.weights is None:
            return None
        if not self.open[-1].counts:
            return None
        return whole.left(now)

    def enter(self, piece: _Piece) -> None:
        with self._lock:
            self.open[-1].current = piece
            self.open.append(piece)

    def leave(self, piece: _Piece) -> None:
        with self._lock:
            # Generators may be closed late, when what they were part of is over.
            if piece not in self.open:
                return
            while self.open[-1] is not piece:
                self.open.pop()
            self.open.pop()
            now, above = _now(), self.open[-1]
            above.current = None
            if not piece.counts:
                for one in self.open:
                    one.idle += now - piece.start
            elif above.weights is not None:
                spent = above.spent.get(piece.name, 0.0)
                above.spent[piece.name] = spent + piece.elapsed(now)

    def _watch(self) -> None:
        wait, between = _TO_TERMINAL if self.in_place else _TO_LOG
        while not self._over.wait(wait):
            wait = between
            try:
                self._draw()
            except (OSError, ValueError):
                return  # nobody reads any more

    def _draw(self) -> None:
        said = self.line()
        with self._lock:
            if self._over.is_set():
                return
            if self.in_place:
                self.stream.write(f"\r\x1b[K{said[: _width(self.stream) - 1]}")
                self._drawn = True
            else:
                self.stream.write(f"progress: {said}\n")
            self.stream.flush()

    def _wipe(self) -> None:
        if self._drawn:
            self._drawn = False
            with contextlib.suppress(OSError, ValueError):
                self.stream.write("\r\x1b[K")
                self.stream.flush()


_display: ContextVar[_Display | None] = ContextVar("progress", default=None)
_silenced: ContextVar[bool] = ContextVar("silenced", default=False)
_unsaid: ContextVar[bool] = ContextVar("unsaid", default=False)


@contextlib.contextmanager
def progress_shown(
    stream: TextIO | None = None, *, quiet: bool = False, what: str = "reading"
) -> Iterator[None]:
    """Show progress inside this block.

    On a terminal one line, updated in place; in a log or a pipe a line after one and a
    half seconds and then every ten. Inside another such block nothing is added.

    Parameters
    ----------
    stream : text file, optional
        Where to draw; standard error by default.
    quiet : bool, default=False
        Whether to show nothing.
    what : str, default="reading"
        What goes on until somebody says otherwise.

    Yields
    ------
    None
        Control, with progress switched on.
    """
    if quiet:
        # Who asked for quiet is not to hear from blocks inside this one either.
        silence = _silenced.set(True)
        try:
            yield
        finally:
            _silenced.reset(silence)
        return
    if _silenced.get() or _display.get() is not None:
        yield
        return
    display = _Display(sys.stderr if stream is None else stream, what)
    token = _display.set(display)
    display.begin()
    try:
        yield
    finally:
        _display.reset(token)
        display.end()


@contextlib.contextmanager
def stages(
    weights: Mapping[str, float | None], *, in_seconds: bool = False
) -> Iterator[None]:
    """Divide a run, or a piece of it, into stages; `stage` enters them by name.

    Parameters
    ----------
    weights : mapping of str to float or None
        How long each stage takes beside the others; None where that cannot be known
        yet, which withholds the estimate until `revise` says it or the stage is left.
        At the top of a run the stages are all that is still to be done.
    in_seconds : bool, default=False
        Whether weights are seconds, measured on something like the work to come, so
        that one that is wrong does not spoil the others.

    Yields
    ------
    None
        Control.
    """
    with _entered(_Piece("", weights=weights, in_seconds=in_seconds)):
        yield


def revise(weights: Mapping[str, float | None]) -> None:
    """Give stages of the innermost `stages` that knows them another weight.

    Parameters
    ----------
    weights : mapping of str to float or None
        New weights; 0 for what is left out.
    """
    display = _display.get()
    if display is None:
        return
    for piece in reversed(display.open):
        if piece.weights is not None and weights.keys() <= piece.weights.keys():
            piece.weights.update(weights)
            return


@contextlib.contextmanager
def stage(what: str) -> Iterator[None]:
    """Name a piece of work; directly inside `stages`, one of theirs.

    Parameters
    ----------
    what : str
        What goes on.

    Yields
    ------
    None
        Control, with the name shown.
    """
    with _entered(_Piece(what)):
        yield


def track(
    items: Iterable[T],
    *,
    what: str,
    total: int | None = None,
    sizes: Sequence[float] | None = None,
    warms_up: bool = False,
) -> Iterator[T]:
    """Pass `items` through, counting them.

    Parameters
    ----------
    items : iterable
        What is worked on, or the results as they come; each takes about as long.
    what : str
        Two or three words for the work, or one of the items in a word.
    total : int, optional
        How many there will be; their number if they are a sequence.
    sizes : sequence of float, optional
        Where items do not take as long as one another: what their seconds grow with,
        such as the number of cases; by which power is learned on the way.
    warms_up : bool, default=False
        Whether the first comes late, and says nothing about the pace: as where workers
        are started for them.

    Yields
    ------
    object
        The items, unchanged.
    """
    display = _display.get()
    if display is None:
        yield from items
        return
    if total is None and isinstance(items, Sequence):
        total = len(items)
    piece = _Piece(what, total=total, sizes=sizes, warms_up=warms_up)
    with _entered(piece):
        for item in items:
            yield item
            piece.current = None
            piece.counted = _now()
            if piece.first is None:
                piece.first = piece.elapsed(piece.counted)
            if sizes is not None:
                piece.took.append(piece.elapsed(piece.counted) - sum(piece.took))
            piece.done += 1


@contextlib.contextmanager
def announced(what: str) -> Iterator[None]:
    """Name what is done once, such as compiling; it says nothing about the pace.

    The same is named once: what is done again goes quickly.

    Parameters
    ----------
    what : str
        What goes on.

    Yields
    ------
    None
        Control, with the name shown.
    """
    display = _display.get()
    if display is None or what in display.told:
        yield
        return
    display.told.add(what)
    with _entered(_Piece(what, counts=False)):
        yield


def say(text: str) -> None:
    """Show first figures at once, before the answer: on standard error.

    Nothing is shown where progress is not, so neither to who was asked to be quiet nor
    to who calls the library.

    Parameters
    ----------
    text : str
        One or several lines.
    """
    display = _display.get()
    if display is not None and text and not _unsaid.get():
        display.say(text)


def say_unless_over(text: str) -> None:
    """Show first figures as `say` does, unless the run is over two seconds after start.

    What is over in a moment says everything at once; what is not, shows them whatever
    its parts were expected to take.

    Parameters
    ----------
    text : str
        One or several lines.
    """
    display = _display.get()
    if display is None or not text or _unsaid.get():
        return
    when = display.root.start + _MOMENT
    if when <= _now():
        display.say(text)
    else:
        display.say_at(when, text)


@contextlib.contextmanager
def without_first_figures() -> Iterator[None]:
    """Let nothing be said inside: a part of a larger answer is no first figure of it.

    Yields
    ------
    None
        Control; how far the run is, is shown as before.
    """
    token = _unsaid.set(True)
    try:
        yield
    finally:
        _unsaid.reset(token)


@contextlib.contextmanager
def computing() -> Iterator[None]:
    """Say that reading is over: inside, what has no name of its own is computed.

    Yields
    ------
    None
        Control.
    """
    display = _display.get()
    if display is None:
        yield
        return
    display.root.name = "computing"
    yield
    display.root.name = "writing"


@contextlib.contextmanager
def hidden() -> Iterator[None]:
    """Keep the line away while something else is written to the terminal.

    Yields
    ------
    None
        Control, with no line in the way.
    """
    display = _display.get()
    if display is None:
        yield
        return
    with display.hidden():
        yield


def finish() -> None:
    """Take the line away for good: the answer follows."""
    display = _display.get()
    if display is not None:
        display.end()


@contextlib.contextmanager
def _entered(piece: _Piece) -> Iterator[None]:
    display = _display.get()
    if display is None:
        yield
        return
    display.enter(piece)
    try:
        yield
    finally:
        display.leave(piece)


def _said(seconds: float) -> str:
    """Return a length of time in words, with the digits that can be believed."""
    if seconds < 20:
        return f"{seconds:.0f} s"
    if seconds < 100:
        return f"{5 * round(seconds / 5)} s"
    if seconds < 100 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h"


def _width(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or _COLUMNS
    except (OSError, ValueError):
        return _COLUMNS
