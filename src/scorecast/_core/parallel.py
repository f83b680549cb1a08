"""Run independent tasks, on the engine that was chosen (see `engine`)."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from scorecast._core.engine import active_client, safe_path
from scorecast._core.progress import track

if TYPE_CHECKING:
    from scorecast._core.records import Record

__all__ = ["Run", "available_cores", "map_tasks", "map_threads", "one_blas_thread"]

T = TypeVar("T")
R = TypeVar("R")


def map_tasks(
    function: Callable[[T, np.random.Generator], R],
    tasks: Sequence[T],
    *,
    rng: np.random.Generator | Sequence[np.random.Generator],
    n_jobs: int | None = None,
    what: str = "working",
    finished: Callable[[int, R], None] | None = None,
    sizes: Sequence[float] | None = None,
) -> list[R]:
    """Apply `function` to every task; the answer does not depend on `n_jobs`.

    Parameters
    ----------
    function : callable
        Called as ``function(task, rng)``; must be picklable if ``n_jobs != 1``.
    tasks : sequence
        Arguments, one per call.
    rng : numpy.random.Generator or sequence of them
        Parent stream, of which one child is spawned per task, in task order; or the
        stream of every task.
    n_jobs : int, optional
        Number of workers; None means one unless a joblib ``parallel_config``
        (such as its Dask backend) is active, -1 all cores.
    what : str, default="working"
        Words for the progress line.
    finished : callable, optional
        Told the number and the result of every task as it comes, in this process.
    sizes : sequence of float, optional
        What the seconds of a task grow with, for the estimate of the time left.

    Returns
    -------
    list
        Results in the order of `tasks`.
    """
    streams = rng.spawn(len(tasks)) if isinstance(rng, np.random.Generator) else rng
    pairs = list(zip(tasks, streams, strict=True))
    done = _serially if _is_serial(n_jobs) or len(tasks) <= 1 else _by_workers
    found: dict[int, R] = {}
    for index, result in done(function, pairs, n_jobs, what, sizes):
        found[index] = result
        if finished is not None:
            finished(index, result)
    return [found[index] for index in range(len(pairs))]


def _by_workers(
    function: Callable[[T, np.random.Generator], R],
    pairs: Sequence[tuple[T, np.random.Generator]],
    n_jobs: int | None,
    what: str,
    sizes: Sequence[float] | None,
) -> Iterator[tuple[int, R]]:
    import joblib  # a small job never pays for it

    calls = (joblib.delayed(_call)(function, i, *p) for i, p in enumerate(pairs))
    parallel = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    with safe_path():
        done = parallel(calls)
        yield from track(done, total=len(pairs), what=what, sizes=sizes, warms_up=True)


def map_threads(
    function: Callable[[T], R],
    tasks: Sequence[T],
    *,
    n_jobs: int | None = None,
    what: str | None = "working",
) -> list[R]:
    """Apply a function that releases the interpreter lock, on all cores by default.

    Parameters
    ----------
    function : callable
        Called as ``function(task)``; compiled kernels and BLAS inside.
    tasks : sequence
        Arguments, one per call.
    n_jobs : int, optional
        Number of threads; None and -1 mean every core this process may use.
    what : str or None, default="working"
        Words for the progress line; None where the caller draws one of its own.

    Returns
    -------
    list
        Results in the order of `tasks`.
    """
    cores = available_cores()
    n_threads = cores if n_jobs is None else n_jobs
    if n_threads < 0:
        n_threads = max(1, cores + 1 + n_threads)
    if n_threads == 1 or len(tasks) <= 1:
        return [function(t) for t in _tracked(tasks, len(tasks), what)]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(n_threads) as pool:
        results = pool.map(function, tasks)
        return list(_tracked(results, len(tasks), what))


def _tracked(items: Iterable[T], total: int, what: str | None) -> Iterable[T]:
    return items if what is None else track(items, total=total, what=what)


def available_cores() -> int:
    """Count the cores this process may use, not those the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextlib.contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let BLAS use one thread: on small arrays others wait, and burn a core each."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield


def _is_serial(n_jobs: int | None) -> bool:
    if n_jobs is not None:
        return n_jobs == 1
    import sys

    # Without joblib loaded nobody can have asked for another backend.
    if "joblib" not in sys.modules:
        return True
    import joblib

    return active_client() is None and bool(joblib.effective_n_jobs(None) == 1)


def _serially(
    function: Callable[[T, np.random.Generator], R],
    pairs: Sequence[tuple[T, np.random.Generator]],
    n_jobs: int | None,
    what: str,
    sizes: Sequence[float] | None,
) -> Iterator[tuple[int, R]]:
    del n_jobs
    # As for workers below; once for all tasks, since looking for BLAS takes a while.
    with one_blas_thread():
        for index, (task, stream) in enumerate(track(pairs, what=what, sizes=sizes)):
            yield index, function(task, stream)


def _call(
    function: Callable[[Any, np.random.Generator], R],
    index: int,
    task: Any,
    stream: np.random.Generator,
) -> tuple[int, R]:
    # One BLAS thread per worker: more only fight for the same cores. Without workers
    # too, since the order of a sum, and so its last digit, depends on the threads.
    with one_blas_thread():
        return index, function(task, stream)


@dataclass(frozen=True, kw_only=True)
class Run:
    """How the tasks of a run are done: by how many workers, for how long, kept where.

    Attributes
    ----------
    n_jobs : int or None
        Number of workers.
    time_limit : float or None
        Seconds that one fit may take.
    record : Record or None
        Checkpoint that finished tasks are appended to.
    """

    n_jobs: int | None = None
    time_limit: float | None = None
    record: Record | None = None

    def map(
        self,
        function: Callable[[T, np.random.Generator], R],
        tasks: Sequence[T],
        *,
        part: str,
        rng: np.random.Generator,
        what: str,
        encode: Callable[[R], Any] = lambda value: value,
        decode: Callable[[Any], Any] = lambda value: value,
        sizes: Sequence[float] | None = None,
    ) -> list[R]:
        """Apply a function to tasks, but not to those that are in the checkpoint.

        Parameters
        ----------
        function : callable
            Called as ``function(task, rng)``.
        tasks : sequence
            The tasks.
        part : str
            What they are a part of, different for every call of a run.
        rng : numpy.random.Generator
            Parent of one stream per task, done already or not.
        what : str
            Words for the progress line.
        encode, decode : callable
            From a result to what JSON can hold, and back.
        sizes : sequence of float, optional
            What the seconds of a task grow with, for the estimate of the time left.

        Returns
        -------
        list
            Results in the order of the tasks.
        """
        record, streams = self.record, rng.spawn(len(tasks))
        found: dict[int, R] = {}
        for number in range(len(tasks)) if record is not None else ():
            known = None if record is None else record.finished(part, number, decode)
            if known is not None:
                found[number] = known
        waiting = [number for number in range(len(tasks)) if number not in found]

        def keep(index: int, result: R) -> None:
            if record is not None:
                record.add(part, waiting[index], encode(result))

        done = map_tasks(
            function,
            [tasks[number] for number in waiting],
            rng=[streams[number] for number in waiting],
            n_jobs=self.n_jobs,
            what=what,
            finished=None if record is None else keep,
            sizes=None if sizes is None else [sizes[number] for number in waiting],
        )
        found |= dict(zip(waiting, done, strict=True))
        return [found[number] for number in range(len(tasks))]
