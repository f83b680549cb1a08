"""Compare probes with a gallery block by block, here or on a cluster.

What a block of work holds is bounded, however large the gallery, a class, or the
vectors of the probes' own classes. The truth's score of a probe comes from one vector,
the best of its class, which is found first; so a block of probes goes with as many
gallery vectors as it has probes, and with a block of rivals.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from scorecast._core.engine import active_client, map_on_cluster
from scorecast._core.parallel import map_threads, one_blas_thread
from scorecast._core.types import FloatArray, IntArray
from scorecast.scores.reference_scores import reference_rows
from scorecast.scores.stored_rows import AnyRows, Matrix, read_rows, take_rows

if TYPE_CHECKING:
    from scorecast.scores.embedding_ranks import CountArray, Problem

T = TypeVar("T")

# What a worker holds for a block, and the greatest thing that is sent.
_BLOCK_BYTES = 1 << 28
# Of a value of a block: as it came, joined, in float64 tiles, in float32 tiles, probes.
_HELD_BYTES = 36
_RIVALS = 4 / 5  # share of a block; the rest are vectors of the probes' own classes
_TILE_WIDTH = 512


class GalleryBlock(NamedTuple):
    """Gallery vectors of some classes, or some vectors of one large class."""

    rows: IntArray
    classes: IntArray
    is_part: bool = False


def rows_in_block(n_features: int) -> int:
    """Return how many vectors a block of work may have."""
    return max(5, _BLOCK_BYTES // _HELD_BYTES // n_features)


def gallery_blocks(gallery_class: IntArray, n_rows: int) -> list[GalleryBlock]:
    """Cut a gallery, in the order of classes; large classes are cut themselves.

    Parameters
    ----------
    gallery_class : ndarray of int64
        Class of each gallery vector.
    n_rows : int
        Most vectors of a block.

    Returns
    -------
    list of GalleryBlock
        Every vector is in one of them.
    """
    by_class = np.argsort(gallery_class, kind="stable")
    ends = np.cumsum(np.bincount(gallery_class))
    blocks, start = [], 0
    while start < ends.size:
        before = int(ends[start - 1]) if start else 0
        stop = int(np.searchsorted(ends, before + n_rows, side="right"))
        if stop > start:
            rows = by_class[before : ends[stop - 1]]
            blocks.append(GalleryBlock(rows, np.arange(start, stop)))
            start = stop
            continue
        rows, of = by_class[before : ends[start]], np.array([start])
        cuts = range(0, rows.size, n_rows)
        blocks += [GalleryBlock(rows[c : c + n_rows], of, True) for c in cuts]
        start += 1
    return blocks


def work_through(
    function: Callable[..., Any],
    tasks: Sequence[T],
    parts: Callable[[T], Sequence[tuple[object, Callable[[], Any]]]],
    take: Callable[[T, Any], None],
    *,
    what: str,
    n_jobs: int | None = None,
) -> None:
    """Apply a function to tasks on the cluster, or in threads; take results singly.

    Parameters
    ----------
    function : callable
        Called as ``function(*values of the parts)``, with one thread of BLAS.
    tasks : sequence
        The tasks.
    parts : callable
        From a task to pairs of a name and what makes the value.
    take : callable
        Told every task with its result, in any order, one at a time.
    what : str
        Words for the progress line.
    n_jobs : int, optional
        Number of threads if it is done here.
    """
    client = active_client()
    if client is not None:
        alone = partial(_alone, function)
        where = f"{what} on the cluster"
        for done, found in map_on_cluster(client, alone, tasks, parts, what=where):
            take(done, found)
        return
    lock = threading.Lock()

    def do(task: T) -> None:
        result = function(*(make() for _, make in parts(task)))
        with lock:
            take(task, result)

    with one_blas_thread():
        map_threads(do, tasks, n_jobs=n_jobs, what=what)


def _alone(function: Callable[..., Any], *values: Any) -> Any:
    """Call a function with one thread of BLAS."""
    with one_blas_thread():
        return function(*values)


# Counts -------------------------------------------------------------------------------


def count_in_blocks(
    problem: Problem,
    above: CountArray,
    tied: CountArray,
    n_jobs: int | None,
    *,
    count: Callable[..., tuple[CountArray, CountArray]],
) -> None:
    """Count by blocks of probes and of gallery; the counts of a probe add up.

    Parameters
    ----------
    problem : Problem
        Vectors, classes and groups.
    above, tied : ndarray of shape (n_probes, n_groups)
        Receive the counts.
    n_jobs : int or None
        Number of threads if it is done here.
    count : callable
        Counts in memory: `competitor_counts`.
    """
    n_rows = rows_in_block(problem.gallery.shape[1])
    rivals = gallery_blocks(problem.gallery_class, int(_RIVALS * n_rows))
    per_probe = 4 * above.itemsize * (above.shape[1] + 1)
    n_probes = max(1, min(n_rows - int(_RIVALS * n_rows), _BLOCK_BYTES // per_probe))
    best = _best_own(problem, n_rows, n_probes)
    probes = _slices(problem.own.size, n_probes)
    # What several tasks share stays on the workers: no more probes at once than fit.
    per_vector = problem.probes.dtype.itemsize + problem.gallery.dtype.itemsize
    per_block = n_probes * problem.gallery.shape[1] * per_vector
    n_together = max(1, _BLOCK_BYTES // per_block)
    tasks = [
        (i, j)
        for first in range(0, len(probes), n_together)
        for j in range(len(rivals))
        for i in range(first, min(first + n_together, len(probes)))
    ]
    # A cut class beats a probe if one of its parts does: 2 for that, 1 for a tie.
    cut = {int(b.classes[0]) for b in rivals if b.is_part}
    states = {c: np.zeros(problem.own.size, dtype=np.uint8) for c in sorted(cut)}
    rules = problem.metric, n_jobs if active_client() is None else 1, count

    def parts(task: tuple[int, int]) -> list[tuple[object, Callable[[], Any]]]:
        rows, block = probes[task[0]], rivals[task[1]]

        def tested() -> Any:
            return _tested(problem, rows)

        def own_vectors() -> Any:
            return _vectors(problem, np.unique(best[rows]))

        def rival_vectors() -> Any:
            of = block.classes
            return (*_vectors(problem, block.rows), problem.group[of], of)

        together = task[0] // n_together
        return [
            (("probes", task[0]), tested),
            (("own", task[0]), own_vectors),
            (("rivals", together, task[1]), rival_vectors),
            ("rules", lambda: rules),
        ]

    def take(task: tuple[int, int], found: Any) -> None:
        rows, block = probes[task[0]], rivals[task[1]]
        part_above, part_tied, groups = found
        if block.is_part:
            state = states[int(block.classes[0])]
            seen = 2 * (part_above[:, 0] > 0) + (part_tied[:, 0] > 0)
            state[rows] = np.maximum(state[rows], seen.astype(np.uint8))
            return
        at = np.ix_(rows, groups)
        above[at] += part_above.astype(above.dtype)
        tied[at] += part_tied.astype(tied.dtype)

    work_through(_count_part, tasks, parts, take, what="comparing vectors", n_jobs=1)
    for c, state in states.items():
        above[:, problem.group[c]] += (state == 2).astype(above.dtype)
        tied[:, problem.group[c]] += (state == 1).astype(tied.dtype)


def _slices(n: int, step: int) -> list[IntArray]:
    return [np.arange(start, min(start + step, n)) for start in range(0, n, step)]


def _vectors(problem: Problem, rows: IntArray) -> tuple[IntArray, AnyRows]:
    """Return gallery vectors, or where they lie, with their classes."""
    return problem.gallery_class[rows], take_rows(problem.gallery, rows)


def _count_part(
    tested: Any, own_part: Any, rival_part: Any, rules: Any
) -> tuple[CountArray, CountArray, IntArray]:
    """Count the rivals of one block that beat or tie the probes of another."""
    metric, n_jobs, count = rules
    own, probes = tested
    rival_class, rivals, group, classes = rival_part
    own_class, mine = own_part
    groups, place = np.unique(group, return_inverse=True)
    # Classes of the truth that are no rivals here count for nobody.
    others = np.setdiff1d(own_class, classes)
    everyone = np.concatenate([classes, others])
    order = np.argsort(everyone)
    gallery_class = np.concatenate([rival_class, own_class])
    counts = count(
        _joined(rivals, mine),
        read_rows(probes),
        order[np.searchsorted(everyone, own, sorter=order)],
        order[np.searchsorted(everyone, gallery_class, sorter=order)],
        np.concatenate([place, np.full(others.size, groups.size)]),
        n_groups=groups.size + 1,
        metric=metric,
        n_jobs=n_jobs,
    )
    return counts[0][:, : groups.size], counts[1][:, : groups.size], groups


def _joined(first: AnyRows, second: AnyRows) -> Matrix:
    """Put rows together, reading one after the other."""
    shape = first.shape[0] + second.shape[0], first.shape[1]
    joined = np.empty(shape, dtype=first.dtype)
    joined[: first.shape[0]] = read_rows(first)
    joined[first.shape[0] :] = read_rows(second)
    return joined


# The best vector of the true class ---------------------------------------------------


def _best_own(problem: Problem, n_rows: int, n_probes: int) -> IntArray:
    """Return the gallery vector of each probe's own class that is nearest to it."""
    by_class = np.argsort(problem.gallery_class, kind="stable")
    sizes = np.bincount(problem.gallery_class)
    if sizes.max() == 1:
        return np.asarray(by_class[problem.own])
    tasks = _own_tasks(problem.own, by_class, sizes, n_rows, n_probes)
    score = np.full(problem.own.size, -np.inf)
    best = np.asarray(by_class[np.cumsum(sizes)[problem.own] - 1])

    def parts(number: int) -> list[tuple[object, Callable[[], Any]]]:
        probes, rows = tasks[number]
        return [
            (("tested", number), lambda: _tested(problem, probes)),
            (("vectors", number), lambda: _vectors(problem, rows)),
            ("metric", lambda: problem.metric),
        ]

    def take(number: int, found: tuple[IntArray, FloatArray]) -> None:
        probes, rows = tasks[number]
        is_better = found[1] > score[probes]
        chosen = probes[is_better]
        score[chosen] = found[1][is_better]
        best[chosen] = rows[found[0][is_better]]

    work_through(
        _best_own_part, range(len(tasks)), parts, take, what="true classes", n_jobs=1
    )
    return best


def _tested(problem: Problem, rows: IntArray) -> tuple[IntArray, AnyRows]:
    return problem.own[rows], take_rows(problem.probes, rows)


def _own_tasks(
    own: IntArray, by_class: IntArray, sizes: IntArray, n_rows: int, n_probes: int
) -> list[tuple[IntArray, IntArray]]:
    """Put probes together by the vectors of their classes; cut large classes."""
    ends = np.cumsum(sizes)
    by_own = np.argsort(own, kind="stable")
    counts = np.bincount(own, minlength=sizes.size)
    last = np.cumsum(counts)
    tasks: list[tuple[IntArray, IntArray]] = []
    held: list[int] = []

    def finish() -> None:
        if held:
            rows = [by_class[ends[c] - sizes[c] : ends[c]] for c in held]
            probes = [by_own[last[c] - counts[c] : last[c]] for c in held]
            every, vectors = np.concatenate(probes), np.concatenate(rows)
            tasks.extend(
                (every[p : p + n_probes], vectors[v : v + n_rows])
                for p in range(0, every.size, n_probes)
                for v in range(0, vectors.size, n_rows)
            )
            held.clear()

    n_vectors = n_tested = 0
    for c in np.flatnonzero(counts).tolist():
        if n_vectors + sizes[c] > n_rows or n_tested + counts[c] > n_probes:
            finish()
            n_vectors = n_tested = 0
        held.append(c)
        n_vectors, n_tested = n_vectors + sizes[c], n_tested + counts[c]
    finish()
    return tasks


def _best_own_part(tested: Any, part: Any, metric: str) -> tuple[IntArray, FloatArray]:
    """Return the best of some vectors for each probe, and its score."""
    from scorecast.scores import kernels

    own, probes = tested
    vector_class, vectors = part
    known, numbers = np.unique(vector_class, return_inverse=True)
    order = np.argsort(numbers, kind="stable")
    width = min(_TILE_WIDTH, order.size)
    starts = range(0, order.size, width)
    given = read_rows(vectors)
    tiles = np.zeros((len(starts), given.shape[1], width))
    for t, start in enumerate(starts):
        rows = reference_rows(given[order[start : start + width]], metric)
        tiles[t, :, : len(rows)] = rows.T
    last = np.cumsum(np.bincount(numbers))
    nothing = np.full(own.size, -1, dtype=np.int64)
    exact = np.ascontiguousarray(read_rows(probes), dtype=np.float64)
    asked = kernels.Probes(
        exact,
        np.searchsorted(known, own),
        np.empty(own.size),
        nothing,
        nothing.copy(),
    )
    first = last - np.diff(last, prepend=0)
    column = kernels.own_scores(asked, tiles, first, last, metric == "sqeuclidean")
    return order[column], asked.own_exact
