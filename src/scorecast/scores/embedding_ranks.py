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

from scorecast._core.checks import check_matrix, check_n_jobs
from scorecast._core.engine import active_client, map_on_cluster
from scorecast._core.parallel import map_threads
from scorecast._core.registry import Method, Registry
from scorecast._core.types import FloatArray, IntArray
from scorecast.exceptions import InvalidInputError, Location

if TYPE_CHECKING:
    from scorecast.scores.kernels import Counts, Tile

Matrix: TypeAlias = NDArray[np.floating[Any]]
SingleArray: TypeAlias = NDArray[np.float32]
CountArray: TypeAlias = NDArray[np.unsignedinteger[Any]]
ExponentArray: TypeAlias = NDArray[np.intc]

# Products of features up to which plain NumPy is done before numba would be loaded.
_DIRECT_SIZE = 200_000_000
_DIRECT_PAIRS = 1 << 17
# A block of scores, 512 x 512 in float32, is still in the cache when it is compared.
_BLOCK_ROWS = 512
_TILE_WIDTH = 512
# Values of vectors that a worker of a cluster gets at a time: at most 256 MB.
_SENT_VALUES = 1 << 24
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


class _Problem(NamedTuple):
    gallery: Matrix
    probes: Matrix
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
    problem = _Problem(
        gallery=check_matrix(gallery, parameter="gallery"),
        probes=check_matrix(probes, parameter="probes"),
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
    client = active_client()
    if n_probes * problem.gallery.shape[0] * n_features <= _DIRECT_SIZE:
        _count_directly(problem, above, tied)
    elif client is not None:
        _count_on_cluster(problem, above, tied, client)
    else:
        _count_in_tiles(problem, above, tied, n_jobs)
    return above, tied


def _check(problem: _Problem, n_groups: int) -> None:
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
    for vectors, name in ((problem.gallery, "gallery"), (problem.probes, "probes")):
        if max(float(vectors.max()), -float(vectors.min())) > _GREATEST:
            raise InvalidInputError(
                f"has values beyond {_GREATEST:g}, whose squares overflow",
                parameter=name,
                remedy="rescale the vectors",
            )
        if DISTANCES[problem.metric].needs_nonzero:
            check_directions(vectors, name)


def check_features(gallery: Matrix, probes: Matrix) -> None:
    """Refuse vectors of different lengths."""
    if gallery.shape[1] != probes.shape[1]:
        raise InvalidInputError(
            f"gallery vectors have {gallery.shape[1]:,} features and probes "
            f"{probes.shape[1]:,}",
            parameter="probes",
        )


def check_directions(vectors: Matrix, parameter: str) -> None:
    """Refuse vectors of zeros: they have no direction."""
    zero = np.flatnonzero(~vectors.any(axis=1))
    if zero.size:
        raise InvalidInputError(
            f"all zeros ({zero.size:,} such rows): there is no direction",
            parameter=parameter,
            location=Location(row=int(zero[0]) + 1),
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


# The reference ----------------------------------------------------------------------


def exact_scores(gallery: Matrix, probes: Matrix, metric: str) -> FloatArray:
    """Return the scores that ranks refer to, of all probes for all gallery vectors.

    Parameters
    ----------
    gallery, probes : ndarray of shape (m, d) and (n, d)
        Vectors.
    metric : {"sqeuclidean", "cosine", "dot"}
        How they are compared.

    Returns
    -------
    ndarray of shape (n, m)
        Greater is better; equal pairs have equal scores to the last bit.
    """
    features = np.ascontiguousarray(reference_rows(gallery, metric).T)
    return reference_scores(probes, features, metric)


def reference_rows(gallery: Matrix, metric: str) -> FloatArray:
    """Return gallery vectors as the reference uses them.

    Parameters
    ----------
    gallery : ndarray of shape (m, d)
        Vectors.
    metric : {"sqeuclidean", "cosine", "dot"}
        How they are compared.

    Returns
    -------
    ndarray of shape (m, d)
        In float64, of norm one for cosine.
    """
    rows = gallery.astype(np.float64)
    if metric != "cosine":
        return rows
    # Squares of tiny values would vanish; scaling by a power of two changes no digit.
    rows *= np.ldexp(1.0, -power_above(rows))[:, None]
    squares = np.zeros(rows.shape[0])
    for feature in rows.T:
        squares += feature * feature
    rows /= np.sqrt(squares)[:, None]
    return rows


def reference_scores(probes: Matrix, features: FloatArray, metric: str) -> FloatArray:
    """Add up the features of prepared gallery vectors, one after the other.

    Parameters
    ----------
    probes : ndarray of shape (n, d)
        Vectors to recognise.
    features : ndarray of shape (d, m)
        Gallery vectors from `reference_rows`, in columns.
    metric : {"sqeuclidean", "cosine", "dot"}
        How they are compared.

    Returns
    -------
    ndarray of shape (n, m)
        Scores; greater is better.
    """
    rows = probes.astype(np.float64)
    scores = np.zeros((rows.shape[0], features.shape[1]))
    term = np.empty_like(scores)
    for x, y in zip(features, rows.T[:, :, None], strict=True):
        if metric == "sqeuclidean":
            np.subtract(x, y, out=term)
            np.multiply(term, term, out=term)
            scores -= term
        else:
            np.multiply(x, y, out=term)
            scores += term
    return scores


def power_above(rows: FloatArray) -> ExponentArray:
    """Return the power of two just above the largest value of each row.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
        Vectors.

    Returns
    -------
    ndarray of intc
        Exponents, not below -1000: there two to minus the exponent would overflow.
    """
    _, exponent = np.frexp(np.abs(rows).max(axis=1))
    return np.asarray(np.maximum(exponent, -1000), dtype=np.intc)


# Plain NumPy: the reference for all pairs, in blocks ---------------------------------


def _count_directly(problem: _Problem, above: CountArray, tied: CountArray) -> None:
    group = problem.group
    order = np.lexsort((problem.gallery_class, group[problem.gallery_class]))
    features = np.ascontiguousarray(
        reference_rows(problem.gallery[order], problem.metric).T
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
        best = reference_scores(problem.probes[block], features, problem.metric)
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
    problem: _Problem, above: CountArray, tied: CountArray, n_jobs: int | None
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


# On a cluster, block by block ---------------------------------------------------------


class _Rows(NamedTuple):
    """Rows of a matrix that lies in a file which every worker can read."""

    path: str
    dtype: str
    offset: int
    shape: tuple[int, ...]
    rows: IntArray

    def read(self) -> Matrix:
        kept = np.memmap(
            self.path, self.dtype, "r", offset=self.offset, shape=self.shape
        )
        return np.asarray(kept[self.rows])


def _count_on_cluster(
    problem: _Problem, above: CountArray, tied: CountArray, client: Any
) -> None:
    """Count by blocks of probes and of classes; the counts of a probe add up.

    A block of probes goes with the vectors of its own classes, without which nobody
    can say who beats them.
    """
    n_features = problem.gallery.shape[1]
    n_rows = max(1, _SENT_VALUES // n_features)
    by_class = np.argsort(problem.gallery_class, kind="stable")
    ends = np.cumsum(np.bincount(problem.gallery_class))
    starts = ends - np.diff(ends, prepend=0)
    classes = _class_blocks(ends, n_rows)
    # Fewer probes than gallery vectors, since their own classes come with them.
    n_probes = max(1, n_rows // 8)
    probes = [
        np.arange(start, min(start + n_probes, problem.own.size))
        for start in range(0, problem.own.size, n_probes)
    ]

    def vectors(of: IntArray) -> IntArray:
        """Return the places of the vectors of some classes."""
        runs = [np.arange(starts[c], ends[c]) for c in of.tolist()]
        return np.asarray(by_class[np.concatenate(runs)])

    def gallery_part(name: object, of: IntArray) -> tuple[object, Any]:
        rows = vectors(of)
        found = problem.gallery_class[rows], _rows_of(problem.gallery, rows)
        return name, (*found, problem.group[of], of)

    def parts(task: tuple[int, int]) -> list[tuple[object, Any]]:
        block, rival = task
        own = problem.own[probes[block]]
        tested = own, _rows_of(problem.probes, probes[block])
        rules = problem.metric, above.shape[1]
        return [
            (("probes", block), tested),
            gallery_part(("own", block), np.unique(own)),
            gallery_part(("rivals", rival), np.arange(*classes[rival])),
            ("rules", rules),
        ]

    tasks = [(i, j) for i in range(len(probes)) for j in range(len(classes))]
    done = map_on_cluster(
        client, _count_part, tasks, parts, what="comparing vectors on the cluster"
    )
    for (block, _), (part_above, part_tied) in done:
        above[probes[block]] += part_above.astype(above.dtype)
        tied[probes[block]] += part_tied.astype(tied.dtype)


def _class_blocks(ends: IntArray, n_rows: int) -> list[tuple[int, int]]:
    """Cut the classes where their vectors fill a block; none is cut itself."""
    cuts, start = [], 0
    while start < ends.size:
        before = int(ends[start - 1]) if start else 0
        stop = int(np.searchsorted(ends, before + n_rows, side="right"))
        stop = max(stop, start + 1)
        cuts.append((start, stop))
        start = stop
    return cuts


def _mapped(matrix: Any) -> Any:
    """Return the file that an array is a view of; None if it is of none."""
    while matrix is not None and not isinstance(matrix, np.memmap):
        matrix = getattr(matrix, "base", None)
    return matrix


def _rows_of(matrix: Matrix, rows: IntArray) -> Matrix | _Rows:
    """Return rows of a matrix, or where they lie if it is a file mapped into memory."""
    base = _mapped(matrix)
    is_whole = base is not None and base.shape == matrix.shape
    if not is_whole or base.filename is None or not base.flags.c_contiguous:
        return matrix[rows]
    dtype = base.dtype.str
    return _Rows(str(base.filename), dtype, int(base.offset), base.shape, rows)


def _count_part(
    tested: Any, own_part: Any, rival_part: Any, rules: Any
) -> tuple[CountArray, CountArray]:
    """Count the rivals of one block that beat or tie the probes of another."""
    metric, n_groups = rules
    own, probes = tested[0], _read(tested[1])
    rival_class, rivals, group, classes = rival_part
    own_class, mine, _, own_classes = own_part
    # Own classes that are rivals too are there already; the others count for nobody.
    is_new = ~np.isin(own_class, classes)
    others = own_classes[~np.isin(own_classes, classes)]
    everyone = np.concatenate([classes, others])
    order = np.argsort(everyone)
    gallery_class = np.concatenate([rival_class, own_class[is_new]])
    place = np.concatenate([group, np.full(others.size, n_groups, dtype=np.int64)])
    counts = competitor_counts(
        np.concatenate([_read(rivals), _read(mine)[is_new]]),
        probes,
        order[np.searchsorted(everyone, own, sorter=order)],
        order[np.searchsorted(everyone, gallery_class, sorter=order)],
        place,
        n_groups=n_groups + 1,
        metric=metric,
        n_jobs=1,
    )
    return counts[0][:, :n_groups], counts[1][:, :n_groups]


def _read(rows: Any) -> Matrix:
    found: Matrix = rows.read() if isinstance(rows, _Rows) else rows
    return found


def _lay_out(problem: _Problem) -> _Layout:
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
            problem.gallery[order[start : start + width]], problem.metric
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


def _centre_and_exponent(problem: _Problem) -> tuple[FloatArray, int]:
    """Choose a shift and a power of two that bring the gallery near zero, size one.

    Neither changes an exact comparison, so any choice is right; the median of a sample
    keeps the rounding band narrow whatever the offset and however far the outliers.
    """
    step = -(-problem.gallery.shape[0] // 256)
    sample = reference_rows(problem.gallery[::step], problem.metric)
    centre = np.median(sample, axis=0)
    typical = np.median(np.sqrt(((sample - centre) ** 2).sum(axis=1)))
    return centre, int(np.clip(np.frexp(typical)[1], -500, 500))


def _column_order(
    problem: _Problem, centre: FloatArray, exponent: int
) -> tuple[IntArray, FloatArray, IntArray]:
    """Return the order of columns, their norms in that order, and class sizes."""
    norm = np.empty(problem.gallery_class.size)
    for start in range(0, norm.size, _TILE_WIDTH):
        part = slice(start, start + _TILE_WIDTH)
        rows = (
            reference_rows(problem.gallery[part], problem.metric) - centre
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


def _depth(problem: _Problem) -> int:
    """Return the features of a product, one more for half the squared norm."""
    depth = problem.gallery.shape[1] + (problem.metric == "sqeuclidean")
    return int(depth if depth >= _BLAS_DEPTH else -(-depth // 4) * 4)


def _count_block(
    problem: _Problem, layout: _Layout, block: slice, counts: Counts
) -> None:
    from scorecast.scores import kernels

    near = problem.metric == "sqeuclidean"
    exact = problem.probes[block].astype(np.float64)
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
    problem: _Problem, layout: _Layout, exact: FloatArray
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
