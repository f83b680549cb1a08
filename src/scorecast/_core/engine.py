"""Where work is done: in this process and its workers, or on a cluster of Dask.

joblib knows both: `engine` chooses one of them for all that is run inside it, and so
does joblib's own ``parallel_config``. Blocks of our own kernels go to a cluster by
`map_on_cluster`. The same seed gives the same bytes everywhere.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar, TypeVar

from scorecast._core.progress import track
from scorecast._core.registry import Method, Registry
from scorecast.exceptions import InvalidInputError, MissingExtraError, UsageError

T = TypeVar("T")
R = TypeVar("R")

_LOGGING = "DASK_LOGGING__DISTRIBUTED"
_SECONDS = 10  # to find a cluster
_LAST_PORT = 2**16 - 1
_TASKS_PER_THREAD = 2  # given out: one that is done, one that is sent meanwhile
_ATTEMPTS = 4  # of a task whose worker, or whose data, is lost


@dataclass(frozen=True, kw_only=True)
class Engine(Method, ABC):
    """A place where work can be done.

    Attributes
    ----------
    takes_address : bool
        Whether it may be elsewhere.
    """

    takes_address: ClassVar[bool] = False

    @abstractmethod
    def running(self, address: str | None) -> AbstractContextManager[None]:
        """Do the work of all that is run inside here."""


@dataclass(frozen=True, kw_only=True)
class _Local(Engine):
    name: str = "local"
    title: str = "this machine"
    summary: str = "this process, and worker processes where they are asked for"

    @contextlib.contextmanager
    def running(self, address: str | None) -> Iterator[None]:
        del address
        yield


@dataclass(frozen=True, kw_only=True)
class _Dask(Engine):
    takes_address: ClassVar[bool] = True

    name: str = "dask"
    title: str = "a cluster of Dask"
    summary: str = "its workers; without an address, two processes of this machine"

    @contextlib.contextmanager
    def running(self, address: str | None) -> Iterator[None]:
        import joblib

        distributed = _distributed()

        with contextlib.ExitStack() as stack:
            stack.enter_context(safe_path())
            stack.enter_context(_quiet())
            place: Any = address
            if address is None:
                with _deaf_to_interrupts():
                    place = stack.enter_context(_own_cluster(distributed))
            try:
                client = distributed.Client(place, timeout=_SECONDS)
            except (OSError, ValueError) as error:
                problem = f"no scheduler of Dask answers at {address}"
                remedy = "start one there, or check the address"
                raise InvalidInputError(
                    problem, parameter="engine", remedy=remedy
                ) from error
            stack.enter_context(client)
            if address is None:
                client.run_on_scheduler(_stop_pages)
                client.run(_settle)
            stack.enter_context(joblib.parallel_config("dask", client=client))
            yield


def _own_cluster(distributed: Any) -> Any:
    """Start two workers here, without pages about them."""
    import dask

    nothing: dict[str, Any] = {
        f"distributed.{node}.http.routes": [] for node in ("scheduler", "worker")
    }
    with dask.config.set(nothing):
        return distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            silence_logs=logging.CRITICAL,
            # Not 8787, which may be taken; no Bokeh either.
            scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
        )


def _stop_pages(dask_scheduler: Any) -> None:
    """Stop serving HTTP, which Dask always begins with."""
    dask_scheduler.http_server.stop()


def _settle(dask_worker: Any) -> None:
    """Stop serving HTTP in a worker, and let it end without a word."""
    _stop_pages(dask_worker)
    # Clients that tasks made complain, as they are deleted, that all is closed.
    sys.unraisablehook = lambda _: None


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask, here and in workers that are started, from telling what it does.

    What matters comes as an error.
    """
    handlers = logging.getLogger("distributed").handlers
    levels = [handler.level for handler in handlers]
    known = os.environ.get(_LOGGING)
    os.environ.setdefault(_LOGGING, "critical")
    for handler in handlers:
        handler.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for handler, level in zip(handlers, levels, strict=False):
            handler.setLevel(level)
        if known is None:
            os.environ.pop(_LOGGING, None)


@contextlib.contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Let processes that are started here not hear the terminal's interrupts.

    They end with this process, which hears what came meanwhile when they are all there:
    of half a cluster, nobody ends the processes.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    # It makes processes hear again when it is started itself.
    resource_tracker.ensure_running()
    known = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    came: list[int] = []
    handlers: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        # Another thread may take the interrupt; and SIGTERM must not be blocked, which
        # would be inherited, as that is how workers are ended.
        for number in (signal.SIGINT, signal.SIGTERM):
            handlers[number] = signal.signal(number, lambda n, _: came.append(n))
    try:
        yield
    finally:
        for which, handler in handlers.items():
            signal.signal(which, handler or signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, known)
        if came:
            signal.raise_signal(came[0])


ENGINES: Registry[Engine] = Registry()
ENGINES.add(_Local())
ENGINES.add(_Dask())


@contextlib.contextmanager
def engine(name: str, *, address: str | None = None) -> Iterator[None]:
    """Choose where the work is done of all that is run inside.

    Fits, permutations, back-tests, curves and settings go to the workers of the engine,
    and so do Markov chains, and ranks from embeddings, block by block. The answer has
    the same bytes on every engine. What joblib's own ``parallel_config`` chooses is
    honoured as well.

    Parameters
    ----------
    name : {"local", "dask"}
        The engine.
    address : str, optional
        Of the scheduler of a cluster, such as ``"tcp://10.0.0.7:8786"``. Without one,
        ``"dask"`` starts two workers on this machine, which end with the block.

    Raises
    ------
    UsageError
        If there is no such engine, or it takes no address.
    MissingExtraError
        If Dask is not installed.
    InvalidInputError
        If nobody answers at the address.

    Examples
    --------
    >>> import scorecast as sc
    >>> with sc.engine("local"):
    ...     size = sc.required_test_size(0.9, width=0.1)
    """
    chosen = ENGINES.choose(name, parameter="engine")
    if address is not None and not chosen.takes_address:
        problem = f"{chosen.title} has no address; got {address!r}"
        raise UsageError(problem, parameter="engine")
    with chosen.running(address):
        yield


def read_engine(text: str) -> tuple[str, str | None]:
    """Read an engine as the command line writes it.

    Examples
    --------
    >>> read_engine("dask://10.0.0.7:8786")
    ('dask', 'tcp://10.0.0.7:8786')
    >>> read_engine("dask")
    ('dask', None)
    """
    name, _, place = text.partition("://")
    chosen = ENGINES.choose(name, parameter="engine")
    host, _, port = place.rpartition(":")
    is_port = port.isascii() and port.isdecimal() and 0 < int(port[:9]) <= _LAST_PORT
    if "://" in text and not (chosen.takes_address and host and is_port):
        problem = f"must be such as dask://HOST:8786; got {text!r}"
        raise UsageError(problem, parameter="engine")
    return chosen.name, f"tcp://{place}" if place else None


def _distributed() -> Any:
    """Load Dask."""
    try:
        import distributed
    except ImportError as error:
        raise MissingExtraError("the engine dask", "dask") from error
    return distributed


def active_client() -> Any:
    """Return the client of the cluster that joblib works on; None if there is none."""
    # Without joblib loaded nobody can have chosen another engine.
    if "joblib" not in sys.modules:
        return None
    from joblib.parallel import get_active_backend

    backend, _ = get_active_backend()
    return getattr(backend, "client", None)


def map_on_cluster(
    client: Any,
    function: Callable[..., R],
    tasks: Sequence[T],
    parts: Callable[[T], Sequence[tuple[object, Callable[[], Any]]]],
    *,
    what: str | None,
) -> Iterator[tuple[T, R]]:
    """Apply a function to tasks on a cluster; yield tasks with results as they come.

    Parts that several tasks share are sent once, and forgotten after the last of them.
    No more tasks are given out than keep all workers busy, so that not more is held. A
    task whose worker is lost, or the data that lay there, is given to another one.

    Parameters
    ----------
    client : distributed.Client
        Of the cluster.
    function : callable
        Called as ``function(*values of the parts)``.
    tasks : sequence
        The tasks.
    parts : callable
        From a task to pairs of a name, under which a part is sent once, and what makes
        its value.
    what : str or None
        Words for the progress line; None where the caller draws one of its own.
    """
    distributed = _distributed()
    sent: dict[object, Any] = {}
    attempts: dict[Any, tuple[T, int]] = {}
    needed = Counter(name for task in tasks for name, _ in parts(task))
    queue = iter(tasks)
    waiting = distributed.as_completed([])

    def start(task: T, attempt: int) -> None:
        given = []
        for name, make in parts(task):
            if name not in sent or sent[name].status in ("cancelled", "lost"):
                sent[name] = _send(client, make())
            given.append(sent[name])
        future = client.submit(function, *given, pure=False)
        attempts[future.key] = task, attempt
        waiting.add(future)

    def keep_busy() -> None:
        most = _TASKS_PER_THREAD * max(1, sum(client.nthreads().values()))
        for task in islice(queue, max(0, most - len(attempts))):
            start(task, 1)

    def forget(task: T) -> None:
        for name, _ in parts(task):
            needed[name] -= 1
            if not needed[name]:
                sent.pop(name, None)

    def done() -> Iterator[tuple[T, R]]:
        keep_busy()
        for future in waiting:
            task, attempt = attempts.pop(future.key)
            if future.status == "finished":
                # The worker may be lost between its answer and our asking for it.
                with contextlib.suppress(distributed.client.FutureCancelledError):
                    result = future.result()
                    forget(task)
                    keep_busy()
                    yield task, result
                    continue
            elif attempt == _ATTEMPTS or future.status == "error":
                error = future.exception()
                if attempt == _ATTEMPTS or not isinstance(
                    error, distributed.scheduler.KilledWorker
                ):
                    raise error
            for name, _ in parts(task):
                sent.pop(name, None)
            start(task, attempt + 1)

    found = done()
    yield from found if what is None else track(found, total=len(tasks), what=what)


def _send(client: Any, value: Any) -> Any:
    """Send a value to some worker; to another one if that is gone meanwhile."""
    for attempt in range(_ATTEMPTS):
        try:
            (sent,) = client.scatter([value], hash=False)
        except OSError:
            if attempt == _ATTEMPTS - 1:
                raise
            time.sleep(attempt + 1)  # until the scheduler knows that it is gone
        else:
            return sent
    return None


@contextlib.contextmanager
def safe_path() -> Iterator[None]:
    """Keep processes that are started here from running files beside the data.

    Workers, and what tracks their resources, are started with ``python -m`` or ``-c``,
    which look for modules in the current directory before anything else.
    """
    known = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if known is None:
            os.environ.pop("PYTHONSAFEPATH", None)
        else:
            os.environ["PYTHONSAFEPATH"] = known
