"""How tasks are run: on how many workers, for how long, noted where."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from scorecast._core.parallel import map_tasks
from scorecast._core.records import Record

__all__ = ["Run"]

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, kw_only=True)
class Run:
    """How tasks are run.

    Attributes
    ----------
    n_jobs : int or None
        Number of workers.
    time_limit : float or None
        Seconds that one fit may take.
    record : Record or None
        Where finished tasks are noted.
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
        noted: Callable[[R], Any] = lambda value: value,
        restored: Callable[[Any], Any] = lambda value: value,
        sizes: Sequence[float] | None = None,
    ) -> list[R]:
        """Apply a function to tasks, but not to those that are noted already.

        Parameters
        ----------
        function : callable
            Called as ``function(task, rng)``.
        tasks : sequence
            The tasks.
        part : str
            What they are a part of, different for every call of a run.
        rng : numpy.random.Generator
            Parent of one stream per task, noted or not.
        what : str
            Words for the progress line.
        noted, restored : callable
            From a result to what JSON can hold, and back.
        sizes : sequence of float, optional
            What the seconds of a task grow with, for the estimate of the time left.

        Returns
        -------
        list
            Results in the order of the tasks.
        """
        record, streams = self.record, rng.spawn(len(tasks))
        if record is None:
            return map_tasks(
                function,
                tasks,
                rng=streams,
                n_jobs=self.n_jobs,
                what=what,
                sizes=sizes,
            )
        found = {}
        for number in range(len(tasks)):
            known = record.finished(part, number)
            if known is not None:
                found[number] = restored(known)
        waiting = [number for number in range(len(tasks)) if number not in found]

        def finished(index: int, result: R) -> None:
            record.add(part, waiting[index], noted(result))

        done = map_tasks(
            function,
            [tasks[number] for number in waiting],
            rng=[streams[number] for number in waiting],
            n_jobs=self.n_jobs,
            what=what,
            finished=finished,
            sizes=None if sizes is None else [sizes[number] for number in waiting],
        )
        found |= dict(zip(waiting, done, strict=True))
        return [found[number] for number in range(len(tasks))]
