"""Run a function in a process of its own that can be stopped when time is up."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import IO, Any

__all__ = ["OutOfTimeError", "ProcessDiedError", "run_limited"]

_SERVE = "from scorecast._core.limited import serve; serve()"
_PATIENCE = 60.0  # seconds for loading libraries on a slow machine
_LENGTH = 8  # bytes that say how long a message is


class OutOfTimeError(TimeoutError):
    """The function took longer than it was given."""


class ProcessDiedError(RuntimeError):
    """The process ended before the function did: it crashed, or ended itself."""


class _Helper:
    """A process that runs one function after another."""

    def __init__(self) -> None:
        # Not a fork: threads of BLAS and OpenMP do not survive one. Where this process
        # does not look for modules (-P: beside the data) the other does not either.
        path = os.pathsep.join(place or os.getcwd() for place in sys.path)
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", _SERVE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
        )

    def run(self, message: bytes, seconds: float) -> bytes | None:
        """Return the reply, or None if time is up; raise if the process died."""
        late, done, turn = threading.Event(), threading.Event(), threading.Lock()

        def stop() -> None:
            with turn:
                # A reply that is here is not late: the process is wanted again.
                if not done.is_set():
                    late.set()
                    self.process.kill()

        timer = threading.Timer(seconds, stop)
        timer.start()
        try:
            if self.process.stdin is None or self.process.stdout is None:
                return None
            _write(self.process.stdin, message)
            reply = _read(self.process.stdout)
            with turn:
                done.set()
            return None if late.is_set() else reply
        except (BrokenPipeError, EOFError) as error:
            if late.is_set():
                return None
            raise ProcessDiedError(_death(self.process.wait())) from error
        finally:
            timer.cancel()

    def stop(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()


def _death(code: int) -> str:
    """Say how a process ended; a negative code is the signal that ended it."""
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    return f"its process died ({how})"


# One for each thread that asks: replies of one must not reach another.
_helpers: dict[int, _Helper] = {}


def run_limited(function: Callable[..., Any], *arguments: Any, seconds: float) -> Any:
    """Call a function, but not for longer than so many seconds.

    Parameters
    ----------
    function : callable
        Called as ``function(*arguments)``, in another process; it may hang anywhere,
        compiled code included.
    *arguments : object
        Its arguments.
    seconds : float
        Time it has.

    Returns
    -------
    object
        What it returned.

    Raises
    ------
    OutOfTimeError
        If time was up.
    ProcessDiedError
        If the process died before that.
    """
    cloudpickle, own = _pickler(), threading.get_ident()
    try:
        helper = _helpers.get(own)
        if helper is None:
            atexit.register(_stop_all)
            helper = _helpers[own] = _Helper()
            # Loading libraries is not what the limit is about.
            first = cloudpickle.dumps((_load, (function.__module__,)))
            helper.run(first, _PATIENCE + seconds)
        reply = helper.run(cloudpickle.dumps((function, arguments)), seconds)
    except BaseException:
        # Whoever interrupts must not get this reply in answer to the next question.
        _stop(own)
        raise
    if reply is None:
        _stop(own)
        msg = f"stopped after {seconds:g} s"
        raise OutOfTimeError(msg)
    return cloudpickle.loads(reply)


def _pickler() -> Any:
    """Return what pickles functions and classes that were made on the spot."""
    import importlib

    try:
        return importlib.import_module("cloudpickle")
    except ImportError:
        # Joblib carries a copy, or asks for the package: one of the two is there.
        return importlib.import_module("joblib.externals.cloudpickle")


def _load(module: str) -> None:
    import contextlib
    import importlib

    # A function made on the spot brings what it needs; its module may not be there.
    with contextlib.suppress(ImportError):
        importlib.import_module(module)
    importlib.import_module("sklearn.base")


def _stop(thread: int) -> None:
    helper = _helpers.pop(thread, None)
    if helper is not None:
        helper.stop()


def _stop_all() -> None:
    for thread in list(_helpers):
        _stop(thread)


def serve() -> None:
    """Answer messages until there are no more; runs in the other process."""
    from threadpoolctl import threadpool_limits

    cloudpickle = _pickler()
    # Interrupts are for whoever asks, and who then stops this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    source, target = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # What a function prints must not end up among the replies.
    os.dup2(2, 1)
    while True:
        try:
            message = _read(source)
        except EOFError:
            return
        function, arguments = cloudpickle.loads(message)
        with threadpool_limits(1):
            reply = function(*arguments)
        _write(target, cloudpickle.dumps(reply))


def _write(pipe: IO[bytes], message: bytes) -> None:
    pipe.write(len(message).to_bytes(_LENGTH, "big") + message)
    pipe.flush()


def _read(pipe: IO[bytes]) -> bytes:
    size = int.from_bytes(_exactly(pipe, _LENGTH), "big")
    return _exactly(pipe, size)


def _exactly(pipe: IO[bytes], size: int) -> bytes:
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return data
