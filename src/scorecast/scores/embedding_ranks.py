"""Count the classes that beat the true one, from vectors and without a score matrix.

The reference score of a gallery vector x for a probe y is a sum over the features, in
order and in float64: minus (x - y)**2 for ``sqeuclidean``, x * y for ``dot`` and for
``cosine``, where x was divided by its norm. Equal vectors have equal scores to the last
bit, however they are grouped, and the counts are exactly those of the reference. Large
problems are computed in float32; where rounding could change a comparison, that
comparison is redone by the reference.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scorecast._core.checks import check_n_jobs
from scorecast._core.engine import active_client
from scorecast._core.parallel import map_threads
from scorecast._core.registry import Method, Registry
from scorecast._core.types import FloatArray, IntArray
from scorecast.exceptions import InvalidInputError, Location
from scorecast.scores.reference_scores import (
    ExponentArray,
    power_above,
    reference_rows,
    reference_scores,
)
from scorecast.scores.stored_rows import (
    AnyRows,
    Matrix,
    StoredRows,
    check_rows,
    load_rows,
    mapped_rows,
    read_rows,
    row_blocks,
)

if TYPE_CHECKING:
    from scorecast.scores.kernels import Counts, Tile

SingleArray: TypeAlias = NDArray[np.float32]
CountArray: TypeAlias = NDArray[np.unsignedinteger[Any]]

# Products of features up to which plain NumPy is done before numba would be loaded.
_DIRECT_SIZE = 200_000_000
_DIRECT_PAIRS = 1 << 17
# Values of a gallery in a file above which it is compared block by block.
_MOST_TILED = 1 << 28
# A block of scores, 512 x 512 in float32, is still in the cache when it is compared.
_BLOCK_ROWS = 512
_TILE_WIDTH = 512
# Fewer features than this are multiplied faster by our own loop than by BLAS.
_BLAS_DEPTH = 32
# Groups are counted in runs of their own unless that makes runs shorter than this.
_SHORT_RUN = 32
_MIXED_RUN = 64
# Squares and sums of smaller values cannot overflow float64.
_GREATEST = 1e150
# Scores of smaller size cannot overflow float32 in any order of summation.
_GREATEST_SINGLE = 1e37


@dataclass(frozen=True, kw_only=True)
class Distance(Method):
    """How a gallery vector and a probe are compared.

    Attributes
    ----------
    greater_is_nearer : bool
        Whether it is a similarity.
    needs_nonzero : bool
        Whether a vector of zeros has no place in it.
    """

    greater_is_nearer: bool
    needs_nonzero: bool = False


DISTANCES: Registry[Distance] = Registry()
DISTANCES.add(
    Distance(
        name="sqeuclidean",
        title="Euclidean distance",
        summary="the nearest vector wins",
        greater_is_nearer=False,
    )
)
DISTANCES.add(
    Distance(
        name="cosine",
        title="cosine similarity",
        summary="the smallest angle wins, whatever the lengths",
        greater_is_nearer=True,
        needs_nonzero=True,
    )
)
DISTANCES.add(
    Distance(
        name="dot",
        title="dot product",
        summary="the greatest product wins; longer vectors win more often",
        greater_is_nearer=True,
    )
)


class Problem(NamedTuple):
    """Who is compared with whom, and how classes are grouped."""

    gallery: AnyRows
    probes: AnyRows
    own: IntArray
    gallery_class: IntArray
    group: IntArray
    metric: str


class _Layout(NamedTuple):
    """Gallery in tiles, exact and rounded; `norm` and `reach` are of rounded columns.

    Columns are ordered by size, in coarse steps, then group, then class: classes are
    contiguous, groups nearly so, and a few long vectors widen the rounding band of
    their own tiles only.
    """

    tiles: list[Tile]
    exact: FloatArray
    rounded: SingleArray
    norm: FloatArray
    reach: FloatArray
    first: IntArray
    last: IntArray
    centre: FloatArray
    exponent: int


def competitor_counts(
    gallery: ArrayLike,
    probes: ArrayLike,
    own: ArrayLike,
    gallery_class: ArrayLike,
    group: ArrayLike,
    *,
    n_groups: int,
    metric: str,
    n_jobs: int | None = None,
) -> tuple[CountArray, CountArray]:
    """Count, per probe and group of classes, who beats and who ties the true class.

    The score of a class is that of its best vector. Counts are exact with respect to
    sums over the features taken in order in float64; equal vectors always tie. Memory
    beyond input and output is about 12 bytes per value of the gallery and a few
    megabytes per thread, whatever the number of pairs.

    Parameters
    ----------
    gallery : array-like of shape (n_vectors, n_features)
        One or several vectors of each class, in any order.
    probes : array-like of shape (n_probes, n_features)
        Vectors to recognise.
    own : array-like of int, shape (n_probes,)
        True class of each probe.
    gallery_class : array-like of int, shape (n_vectors,)
        Class of each gallery vector, from 0 to n_classes - 1.
    group : array-like of int, shape (n_classes,)
        Group of each class, from 0 to n_groups - 1.
    n_groups : int
        Number of groups: 1 for plain ranks, `n_classes` for who beats whom.
    metric : {"sqeuclidean", "cosine", "dot"}
        How vectors are compared.
    n_jobs : int, optional
        Number of threads; all cores by default. The answer does not depend on it.

    Returns
    -------
    above, tied : ndarray of shape (n_probes, n_groups)
        Numbers of other classes with a better, and with exactly the same, score, of
        the smallest unsigned type that holds the size of the largest group.

    Raises
    ------
    InvalidInputError
        If shapes or indices do not fit, a class has no vector, a vector has no
        direction under ``cosine``, or values are beyond 1e150.

    Examples
    --------
    >>> above, tied = competitor_counts(
    ...     [[0.0], [2.0], [5.0]], [[1.0], [1.5]], [0, 0], [0, 1, 2], [0, 0, 0],
    ...     n_groups=1, metric="sqeuclidean",
    ... )
    >>> above.ravel().tolist(), tied.ravel().tolist()
    ([0, 1], [1, 0])
    """
    DISTANCES.choose(metric, parameter="metric")
    check_n_jobs(n_jobs)
    problem = Problem(
        gallery=check_rows(gallery, parameter="gallery"),
        probes=check_rows(probes, parameter="probes"),
        # Copies: numba compiles anew for an array that is read-only or strided.
        own=np.array(own, dtype=np.int64),
        gallery_class=np.array(gallery_class, dtype=np.int64),
        group=np.array(group, dtype=np.int64),
        metric=metric,
    )
    _check(problem, n_groups)
    n_probes, n_features = problem.probes.shape
    dtype = np.min_scalar_type(int(np.bincount(problem.group).max()))
    above: CountArray = np.zeros((n_probes, n_groups), dtype=dtype)
    tied = np.zeros_like(above)
    if n_probes * problem.gallery.shape[0] * n_features <= _DIRECT_SIZE:
        _count_directly(_in_memory(problem), above, tied)
    elif active_client() is not None or _needs_blocks(problem):
        from scorecast.scores.gallery_blocks import count_in_blocks

        count_in_blocks(problem, above, tied, n_jobs, count=competitor_counts)
    else:
        _count_in_tiles(problem, above, tied, n_jobs)
    return above, tied


def _needs_blocks(problem: Problem) -> bool:
    """Tell whether vectors are stored, or a file too large to be made tiles of."""
    every = problem.gallery, problem.probes
    if any(isinstance(vectors, StoredRows) for vectors in every):
        return True
    is_large = problem.gallery.size > _MOST_TILED
    return is_large and mapped_rows(problem.gallery) is not None


def _in_memory(problem: Problem) -> Problem:
    return problem._replace(
        gallery=read_rows(problem.gallery), probes=read_rows(problem.probes)
    )


def _check(problem: Problem, n_groups: int) -> None:
    n_vectors, n_probes = problem.gallery.shape[0], problem.probes.shape[0]
    n_classes = problem.group.size
    check_features(problem.gallery, problem.probes)
    _check_index(problem.group, "group", n_classes, n_groups)
    _check_index(problem.gallery_class, "gallery_class", n_vectors, n_classes)
    _check_index(problem.own, "own", n_probes, n_classes)
    is_missing = np.bincount(problem.gallery_class, minlength=n_classes) == 0
    if is_missing.any():
        raise InvalidInputError(
            f"class {int(is_missing.argmax())} has no vector", parameter="gallery"
        )
    needs_nonzero = DISTANCES[problem.metric].needs_nonzero
    for vectors, name in ((problem.gallery, "gallery"), (problem.probes, "probes")):
        for start, block in row_blocks(vectors):
            _check_size(block, name)
            if needs_nonzero:
                check_directions(block, name, start)


def _check_size(vectors: Matrix, name: str) -> None:
    if max(float(vectors.max()), -float(vectors.min())) > _GREATEST:
        raise InvalidInputError(
            f"has values beyond {_GREATEST:g}, whose squares overflow",
            parameter=name,
            remedy="rescale the vectors",
        )


def check_features(gallery: AnyRows, probes: AnyRows) -> None:
    """Refuse vectors of different lengths."""
    if gallery.shape[1] != probes.shape[1]:
        raise InvalidInputError(
            f"gallery vectors have {gallery.shape[1]:,} features and probes "
            f"{probes.shape[1]:,}",
            parameter="probes",
        )


def check_directions(vectors: Matrix, parameter: str, start: int = 0) -> None:
    """Refuse vectors of zeros: they have no direction."""
    zero = np.flatnonzero(~vectors.any(axis=1))
    if zero.size:
        raise InvalidInputError(
            f"all zeros ({zero.size:,} such rows): there is no direction",
            parameter=parameter,
            location=Location(row=start + int(zero[0]) + 1),
            remedy="remove it or use another metric",
        )


def _check_index(values: IntArray, name: str, size: int, stop: int) -> None:
    if values.shape != (size,) or size == 0:
        problem = f"must have shape ({size},), not empty; got {values.shape}"
        raise InvalidInputError(problem, parameter=name)
    if values.min() < 0 or values.max() >= stop:
        raise InvalidInputError(
            f"must lie between 0 and {stop - 1}; got {values.min()} to {values.max()}",
            parameter=name,
        )


# Plain NumPy: the reference for all pairs, in blocks ---------------------------------


def _count_directly(problem: Problem, above: CountArray, tied: CountArray) -> None:
    group = problem.group
    order = np.lexsort((problem.gallery_class, group[problem.gallery_class]))
    features = np.ascontiguousarray(
        reference_rows(load_rows(problem.gallery, order), problem.metric).T
    )
    column_class = problem.gallery_class[order]
    class_start = _starts(column_class)
    classes = column_class[class_start]
    group_start = _starts(group[classes])
    present = group[classes[group_start]]
    place = np.argsort(classes)
    n_rows = max(1, _DIRECT_PAIRS // order.size)
    for start in range(0, problem.own.size, n_rows):
        block = slice(start, start + n_rows)
        best = reference_scores(
            load_rows(problem.probes, block), features, problem.metric
        )
        if class_start.size < order.size:
            best = np.maximum.reduceat(best, class_start, axis=1)
        truth = np.arange(best.shape[0]), place[problem.own[block]]
        threshold = best[truth][:, None]
        best[truth] = -np.inf
        for count, is_so in ((above, best > threshold), (tied, best == threshold)):
            count[block, present] = np.add.reduceat(
                is_so, group_start, axis=1, dtype=count.dtype
            )


def _starts(values: IntArray) -> IntArray:
    """Return where runs of equal values begin."""
    return np.flatnonzero(np.diff(values, prepend=-1))


# Float32 in tiles, doubtful pairs by the reference -----------------------------------


def _count_in_tiles(
    problem: Problem, above: CountArray, tied: CountArray, n_jobs: int | None
) -> None:
    from threadpoolctl import threadpool_limits

    from scorecast.scores.kernels import Counts

    # Overflow to infinity in float32 is expected and makes its pairs doubtful.
    with np.errstate(over="ignore", invalid="ignore"):
        layout = _lay_out(problem)

    # A few blocks for every thread even if there are few probes.
    n_rows = min(_BLOCK_ROWS, -(-problem.own.size // 8))

    def count_block(start: int) -> None:
        block = slice(start, start + n_rows)
        counts = Counts(above[block], tied[block], problem.group)
        with np.errstate(over="ignore", invalid="ignore"):
            _count_block(problem, layout, block, counts)

    # One BLAS thread each: our threads already use the cores.
    with threadpool_limits(1, user_api="blas"):
        map_threads(
            count_block,
            range(0, problem.own.size, n_rows),
            n_jobs=n_jobs,
            what="comparing vectors",
        )


def _lay_out(problem: Problem) -> _Layout:
    from scorecast.scores.kernels import Tile

    n_vectors, n_features = problem.gallery.shape
    centre, exponent = _centre_and_exponent(problem)
    order, norm, size = _column_order(problem, centre, exponent)
    width = min(_TILE_WIDTH, n_vectors)
    starts = range(0, n_vectors, width)
    exact = np.zeros((len(starts), n_features, width))
    rounded = np.zeros((len(starts), _depth(problem), width), dtype=np.float32)
    column_class = problem.gallery_class[order]
    tiles = []
    for t, start in enumerate(starts):
        rows = reference_rows(
            load_rows(problem.gallery, order[start : start + width]), problem.metric
        )
        exact[t, :, : len(rows)] = rows.T
        rows = (rows - centre) * 2.0**-exponent
        rounded[t, :n_features, : len(rows)] = rows.T
        if problem.metric == "sqeuclidean":
            rounded[t, n_features, : len(rows)] = -0.5 * (rows * rows).sum(axis=1)
        classes = column_class[start : start + width]
        runs = _runs(problem.group[classes], size[classes])
        tiles.append(Tile(exact[t], classes, runs))
    first = np.empty(size.size, dtype=np.int64)
    class_start = _starts(column_class)
    first[column_class[class_start]] = class_start
    return _Layout(
        tiles=tiles,
        exact=exact,
        rounded=rounded,
        norm=norm,
        reach=np.maximum.reduceat(norm, starts),
        first=first,
        last=first + size,
        centre=centre,
        exponent=exponent,
    )


def _centre_and_exponent(problem: Problem) -> tuple[FloatArray, int]:
    """Choose a shift and a power of two that bring the gallery near zero, size one.

    Neither changes an exact comparison, so any choice is right; the median of a sample
    keeps the rounding band narrow whatever the offset and however far the outliers.
    """
    step = -(-problem.gallery.shape[0] // 256)
    sample = reference_rows(
        load_rows(problem.gallery, slice(None, None, step)), problem.metric
    )
    centre = np.median(sample, axis=0)
    typical = np.median(np.sqrt(((sample - centre) ** 2).sum(axis=1)))
    return centre, int(np.clip(np.frexp(typical)[1], -500, 500))


def _column_order(
    problem: Problem, centre: FloatArray, exponent: int
) -> tuple[IntArray, FloatArray, IntArray]:
    """Return the order of columns, their norms in that order, and class sizes."""
    norm = np.empty(problem.gallery_class.size)
    for start in range(0, norm.size, _TILE_WIDTH):
        part = slice(start, start + _TILE_WIDTH)
        rows = (
            reference_rows(load_rows(problem.gallery, part), problem.metric) - centre
        ) * 2.0**-exponent
        norm[part] = np.sqrt((rows * rows).sum(axis=1))
    column_class = problem.gallery_class
    longest = np.zeros(problem.group.size)
    np.maximum.at(longest, column_class, norm)
    # Typical norms are below one; steps of four begin above two.
    step = np.maximum(np.frexp(longest)[1], 0) // 2
    order = np.lexsort((column_class, problem.group[column_class], step[column_class]))
    return order, norm[order], np.bincount(column_class)


def _runs(groups: IntArray, sizes: IntArray) -> IntArray:
    """Cut a tile into (start, stop, group) of equal group, or of -1 where mixed."""
    edges = [*_starts(groups).tolist(), groups.size]
    if len(edges) * _SHORT_RUN > groups.size:
        edges = [0, groups.size]
    runs = []
    for start, stop in pairwise(edges):
        # Every one compared: groups start over where the vectors become longer.
        is_one_group = (groups[start:stop] == groups[start]).all()
        if is_one_group and sizes[start:stop].max() == 1:
            runs.append((start, stop, int(groups[start])))
        else:
            cuts = range(start, stop, _MIXED_RUN)
            runs.extend((cut, min(cut + _MIXED_RUN, stop), -1) for cut in cuts)
    return np.array(runs, dtype=np.int64)


def _depth(problem: Problem) -> int:
    """Return the features of a product, one more for half the squared norm."""
    depth = problem.gallery.shape[1] + (problem.metric == "sqeuclidean")
    return int(depth if depth >= _BLAS_DEPTH else -(-depth // 4) * 4)


def _count_block(
    problem: Problem, layout: _Layout, block: slice, counts: Counts
) -> None:
    from scorecast.scores import kernels

    near = problem.metric == "sqeuclidean"
    exact = load_rows(problem.probes, block).astype(np.float64)
    n_rows = exact.shape[0]
    nothing = np.full(n_rows, -1, dtype=np.int64)
    probes = kernels.Probes(
        exact, problem.own[block], np.empty(n_rows), nothing, nothing.copy()
    )
    column = kernels.own_scores(probes, layout.exact, layout.first, layout.last, near)
    rounded, norm, exponent = _round_probes(problem, layout, exact)
    limits = _limits(rounded[:n_rows], norm, exponent, layout, column, near)
    is_deep = rounded.shape[1] >= _BLAS_DEPTH
    product: Callable[..., Any] = np.matmul if is_deep else kernels.multiply
    scores = np.empty((rounded.shape[0], layout.exact.shape[2]), dtype=np.float32)
    for t, tile in enumerate(layout.tiles):
        product(rounded, layout.rounded[t], scores)
        kernels.settle(scores, limits[t], probes, tile, counts, near)
    kernels.finish(probes, counts)


def _round_probes(
    problem: Problem, layout: _Layout, exact: FloatArray
) -> tuple[SingleArray, FloatArray, ExponentArray]:
    """Return probes as the product uses them, their norms and scaling exponents."""
    n_rows, n_features = exact.shape
    rounded = np.zeros((-(-n_rows // 4) * 4, _depth(problem)), dtype=np.float32)
    if problem.metric == "sqeuclidean":
        exponent = np.full(n_rows, layout.exponent, dtype=np.intc)
        rows = exact - layout.centre
        rounded[:n_rows, n_features] = 1
    else:
        exponent = power_above(exact)
        rows = exact
    rows = rows * np.ldexp(1.0, -exponent)[:, None]
    rounded[:n_rows, :n_features] = rows
    return rounded, np.sqrt((rows * rows).sum(axis=1)), exponent


def _limits(
    rounded: SingleArray,
    norm: FloatArray,
    exponent: ExponentArray,
    layout: _Layout,
    column: IntArray,
    near: bool,
) -> SingleArray:
    """Return, per tile, what is surely worse and surely better than the true class."""
    n_features, width = layout.exact.shape[1:]
    own_vectors = layout.rounded[column // width, :, column % width]
    target = np.einsum(
        "rp,rp->r", rounded.astype(np.float64), own_vectors.astype(np.float64)
    )
    offset = 0.0 if near else np.sqrt((layout.centre**2).sum()) * 2.0**-layout.exponent
    half_width = (
        _band(norm, layout.norm[column], n_features, offset, near)
        + _band(norm, layout.reach[:, None], n_features, offset, near)
        # What the reference loses when its products underflow.
        + 2 * n_features * np.ldexp(1.0, -1022 - layout.exponent - exponent)
    )
    limits = np.stack((target - half_width, target + half_width), axis=1)
    return limits.astype(np.float32)


def _band(
    probe_norm: FloatArray,
    vector_norm: FloatArray,
    n_features: int,
    offset: float,
    near: bool,
) -> FloatArray:
    """Bound how far a float32 score may be from the reference, both rounded.

    A product of n features, rounded inputs included, errs by at most gamma(n + 4) times
    the product of the norms (Higham 2002, section 3.1), in whatever order it is summed;
    half the squared norm is one feature more. The true class's score adds three
    roundings, the norms themselves less than one. The reference errs likewise, with
    the unit roundoff of float64 and relative to the vectors before they were centred,
    or for distances relative to the distance itself.
    """
    half = 0.5 if near else 0.0
    size = probe_norm * vector_norm + half * vector_norm**2
    noise = size + probe_norm * offset + half * probe_norm**2
    band = _gamma(n_features + 8, 2.0**-24) * size
    band += _gamma(n_features + 8, 2.0**-53) * noise
    # Underflow, at worst flushed to zero.
    band += (n_features + 8) * 2.0**-125 * (1 + probe_norm)
    return np.where(size < _GREATEST_SINGLE, band, np.inf)


def _gamma(n: int, unit: float) -> float:
    return n * unit / (1 - n * unit) if n * unit < 0.5 else np.inf
