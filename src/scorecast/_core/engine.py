"""Where work is done: in this process and its workers, or on a cluster of Dask.

joblib knows both: `engine` chooses one of them for all that is run inside it, and so
does joblib's own ``parallel_config``. Blocks of our own kernels go to a cluster by
`map_on_cluster`. The same seed gives the same bytes everywhere.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from scorecast._core.progress import track
from scorecast._core.registry import Method, Registry
from scorecast.exceptions import InvalidInputError, MissingExtraError, UsageError

T = TypeVar("T")
R = TypeVar("R")

_SECONDS = 10  # to find a cluster
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
            place: Any = address
            if address is None:
                place = stack.enter_context(
                    distributed.LocalCluster(
                        n_workers=2,
                        threads_per_worker=1,
                        host="127.0.0.1",
                        dashboard_address=None,
                    )
                )
            try:
                client = distributed.Client(place, timeout=_SECONDS)
            except (OSError, ValueError) as error:
                problem = f"no scheduler of Dask answers at {address}"
                remedy = "start one there, or check the address"
                raise InvalidInputError(
                    problem, parameter="engine", remedy=remedy
                ) from error
            stack.enter_context(client)
            stack.enter_context(joblib.parallel_config("dask", client=client))
            yield


ENGINES: Registry[Engine] = Registry()
ENGINES.add(_Local())
ENGINES.add(_Dask())


@contextlib.contextmanager
def engine(name: str, *, address: str | None = None) -> Iterator[None]:
    """Choose where the work is done of all that is run inside.

    Fits, permutations, back-tests, curves and settings go to the workers of the engine,
    and so do ranks from embeddings, block by block. The answer has the same bytes on
    every engine. What joblib's own ``parallel_config`` chooses is honoured as well.

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
    if "://" in text and not (chosen.takes_address and host and port.isdecimal()):
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
    parts: Callable[[T], Sequence[tuple[object, Any]]],
    *,
    what: str,
) -> Iterator[tuple[T, R]]:
    """Apply a function to tasks on a cluster; yield tasks with results as they come.

    Parts that several tasks share are sent once. A task whose worker is lost, or the
    data that lay there, is given to another one.

    Parameters
    ----------
    client : distributed.Client
        Of the cluster.
    function : callable
        Called as ``function(*values of the parts)``.
    tasks : sequence
        The tasks.
    parts : callable
        From a task to pairs of a name, under which a part is sent once, and its value.
    what : str
        Words for the progress line.
    """
    distributed = _distributed()
    sent: dict[object, Any] = {}
    attempts: dict[Any, tuple[T, int]] = {}

    def start(task: T, attempt: int) -> Any:
        given = []
        for name, value in parts(task):
            if name not in sent or sent[name].status in ("cancelled", "lost"):
                sent[name] = _send(client, value)
            given.append(sent[name])
        future = client.submit(function, *given, pure=False)
        attempts[future.key] = task, attempt
        return future

    waiting = distributed.as_completed([start(task, 1) for task in tasks])

    def done() -> Iterator[tuple[T, R]]:
        for future in waiting:
            task, attempt = attempts.pop(future.key)
            if future.status == "finished":
                # The worker may be lost between its answer and our asking for it.
                with contextlib.suppress(distributed.client.FutureCancelledError):
                    yield task, future.result()
                    continue
            elif attempt == _ATTEMPTS or future.status == "error":
                error = future.exception()
                if attempt == _ATTEMPTS or not isinstance(
                    error, distributed.scheduler.KilledWorker
                ):
                    raise error
            for name, _ in parts(task):
                sent.pop(name, None)
            waiting.add(start(task, attempt + 1))

    yield from track(done(), total=len(tasks), what=what)


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
