"""Matrices with planted biclusters: their patterns, places and disturbances."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from scorecast._core.checks import (
    check_count,
    check_one_of,
    check_positive,
    check_share,
)
from scorecast._core.keywords import checked_keywords
from scorecast._core.registry import Method, Registry
from scorecast._core.result import DATA
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import BoolArray, FloatArray, IntArray, RandomState
from scorecast.exceptions import UsageError
from scorecast.simulate.distributions import (
    HENRIQUES,
    Component,
    Normal,
    Uniform,
    value_range,
)
from scorecast.simulate.simulation import (
    MOST,
    SIMULATORS,
    Simulation,
    Simulator,
    flat_options,
    numbered,
    truth_path,
)

Span = tuple[int, int]

# Table 6 of Henriques and Madeira (2015). Rows and columns of the matrix: how many
# biclusters, fewest and most rows and columns of each.
PUBLISHED_SIZES: dict[tuple[int, int], tuple[int, Span, Span]] = {
    (100, 30): (3, (10, 20), (5, 7)),
    (500, 60): (5, (15, 30), (6, 8)),
    (1000, 100): (10, (20, 40), (6, 10)),
    (2000, 200): (15, (40, 70), (6, 14)),
    (4000, 400): (20, (60, 100), (6, 20)),
}
BACKGROUNDS: dict[str, Component] = {
    "normal": Normal(0.0, 1.0),
    "uniform": Uniform(-1.0, 1.0),
}
_COMBINATIONS = ("replace", "add")
_TRIES = 300  # at finding room for one more


# Patterns --------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class PlantedBicluster:
    """Rows and columns that follow a pattern together.

    Attributes
    ----------
    rows, columns : ndarray of int64
        Where it lies, sorted, counted from 0.
    pattern : str
        One of `PLANTED_PATTERNS`.
    base : float
        The value that all share; 0 for order-preserving ones.
    row_effects, column_effects : ndarray of float64
        What each row and column adds to the base, or multiplies it by. For
        order-preserving ones, the column effects are ranks: every row rises along
        them.
    values : ndarray of shape (rows, columns)
        What was planted, before noise and missing values. Not part of the JSON.
    """

    rows: IntArray
    columns: IntArray
    pattern: str
    base: float
    row_effects: FloatArray
    column_effects: FloatArray
    values: FloatArray = field(default_factory=lambda: np.empty((0, 0)), metadata=DATA)

    @property
    def area(self) -> int:
        """Number of cells."""
        return int(self.rows.size * self.columns.size)


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What a bicluster is drawn into.

    Attributes
    ----------
    mean, std : float
        Of the values around it.
    signal : float
        How far its base may lie from their mean, in their standard deviations.
    """

    mean: float
    std: float
    signal: float


Drawn = tuple[float, FloatArray, FloatArray, FloatArray]


@dataclass(frozen=True, kw_only=True)
class PlantedPattern(Method):
    """What the values of a planted bicluster have in common.

    Attributes
    ----------
    draw : callable
        From numbers of rows and columns, surroundings and a generator to the base, the
        effects of rows and of columns, and the values.
    coherence_measure : str or None
        Measure of coherence without a truth (of `scorecast.biclusters`) that is 0 on
        it; None where no such measure knows it.
    """

    draw: Callable[[int, int, Surroundings, np.random.Generator], Drawn]
    coherence_measure: str | None


PLANTED_PATTERNS: Registry[PlantedPattern] = Registry()


def draw_bicluster(
    rows: IntArray,
    columns: IntArray,
    pattern: str,
    *,
    mean: float,
    std: float,
    signal: float,
    rng: np.random.Generator,
) -> PlantedBicluster:
    """Draw the values of a bicluster at given rows and columns."""
    around = Surroundings(mean=mean, std=std, signal=signal)
    draw = PLANTED_PATTERNS[pattern].draw
    base, by_row, by_column, values = draw(rows.size, columns.size, around, rng)
    return PlantedBicluster(
        rows=rows,
        columns=columns,
        pattern=pattern,
        base=base,
        row_effects=by_row,
        column_effects=by_column,
        values=values,
    )


def _additive(
    has_row_effects: bool, has_column_effects: bool
) -> Callable[[int, int, Surroundings, np.random.Generator], Drawn]:
    """Return what draws a base with effects added to it."""

    def draw(
        n_rows: int, n_columns: int, around: Surroundings, rng: np.random.Generator
    ) -> Drawn:
        base = around.mean + around.std * rng.uniform(-around.signal, around.signal)
        by_row, by_column = np.zeros(n_rows), np.zeros(n_columns)
        if has_row_effects:
            by_row = around.std * rng.normal(size=n_rows)
        if has_column_effects:
            by_column = around.std * rng.normal(size=n_columns)
        return float(base), by_row, by_column, float(base) + by_row[:, None] + by_column

    return draw


PLANTED_PATTERNS.add(
    PlantedPattern(
        name="constant",
        title="constant",
        summary="one value",
        draw=_additive(False, False),
        coherence_measure="variance",
    )
)
PLANTED_PATTERNS.add(
    PlantedPattern(
        name="constant-rows",
        title="constant rows",
        summary="one value in every row",
        draw=_additive(True, False),
        coherence_measure="row-variance",
    )
)
PLANTED_PATTERNS.add(
    PlantedPattern(
        name="constant-columns",
        title="constant columns",
        summary="one value in every column",
        draw=_additive(False, True),
        coherence_measure="msr",
    )
)
PLANTED_PATTERNS.add(
    PlantedPattern(
        name="additive",
        title="additive",
        summary="rows that differ by a sum",
        draw=_additive(True, True),
        coherence_measure="msr",
    )
)


def _multiplicative(
    n_rows: int, n_columns: int, around: Surroundings, rng: np.random.Generator
) -> Drawn:
    size = around.std * around.signal
    base = float(size * rng.uniform(0.5, 1) * rng.choice([-1, 1]))
    by_row = np.exp(rng.normal(0, 0.5, n_rows))
    by_column = np.exp(rng.normal(0, 0.5, n_columns))
    return base, by_row, by_column, base * by_row[:, None] * by_column


PLANTED_PATTERNS.add(
    PlantedPattern(
        name="multiplicative",
        title="multiplicative",
        summary="rows that differ by a factor",
        draw=_multiplicative,
        coherence_measure="virtual-error",
    )
)


def _order_preserving(
    n_rows: int, n_columns: int, around: Surroundings, rng: np.random.Generator
) -> Drawn:
    order = rng.permutation(n_columns)
    drawn = around.mean + around.std * rng.normal(size=(n_rows, n_columns))
    values = np.sort(drawn, axis=1)[:, order]
    return 0.0, np.zeros(n_rows), order.astype(np.float64), values


PLANTED_PATTERNS.add(
    PlantedPattern(
        name="order-preserving",
        title="order-preserving",
        summary="rows that rise along the same order of columns",
        draw=_order_preserving,
        coherence_measure=None,
    )
)


# Places ----------------------------------------------------------------------------

Place = tuple[IntArray, IntArray]


def place_biclusters(
    shape: tuple[int, int],
    sizes: Sequence[tuple[int, int]],
    overlap: float,
    rng: np.random.Generator,
) -> list[Place]:
    """Choose sorted rows and columns of biclusters.

    About a share `overlap` of the cells of each lies in the one before as well; of
    earlier ones it shares only what that one shares. 0 keeps all apart.
    """
    places: list[Place] = []
    is_taken = np.zeros(shape, dtype=bool)
    for size in sizes:
        before = places[-1] if places and overlap else None
        is_closed = is_taken.copy()
        if before is not None:
            is_closed[np.ix_(*before)] = False
        place = _place_one(is_closed, size, overlap, before, rng)
        is_taken[np.ix_(*place)] = True
        places.append(place)
    return places


def _place_one(
    is_closed: BoolArray,
    size: tuple[int, int],
    overlap: float,
    before: Place | None,
    rng: np.random.Generator,
) -> Place:
    n_rows, n_columns = is_closed.shape
    every = np.ones(n_columns, dtype=bool)
    old_rows, old_columns = (None, None) if before is None else before
    for attempt in range(_TRIES):
        # Early tries let biclusters share rows; late ones look for open rows only.
        is_free: BoolArray = np.ones(n_rows, dtype=bool)
        if attempt > _TRIES // 2:
            is_free = np.logical_not(is_closed.any(axis=1))
        rows = _choose(is_free, size[0], old_rows, overlap, rng)
        columns = _choose(every, size[1], old_columns, overlap, rng)
        if rows is None or columns is None:
            continue
        if not is_closed[np.ix_(rows, columns)].any():
            return rows, columns
    raise UsageError(
        f"no room in {n_rows} x {n_columns} for one more bicluster of {size[0]} x "
        f"{size[1]}",
        remedy="plant fewer or smaller ones, or take a larger matrix",
    )


def _choose(
    is_free: BoolArray,
    size: int,
    before: IntArray | None,
    overlap: float,
    rng: np.random.Generator,
) -> IntArray | None:
    """Choose places, a part of them among those of the bicluster before."""
    shared = np.empty(0, dtype=np.int64)
    is_free = is_free.copy()
    if before is not None:
        n_shared = min(before.size, size, round(np.sqrt(overlap) * size))
        known = before[is_free[before]]
        if known.size < n_shared:
            return None
        shared = rng.choice(known, n_shared, replace=False)
        is_free[before] = False
    others = np.flatnonzero(is_free)
    if others.size < size - shared.size:
        return None
    rest = rng.choice(others, size - shared.size, replace=False)
    return np.sort(np.concatenate([shared, rest]))


# Matrices --------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class BiclusterTruth:
    """What is hidden in a matrix.

    Attributes
    ----------
    biclusters : tuple of PlantedBicluster
        Those that were planted, in the order of planting.
    area : float
        Share of the cells that lie in a bicluster.
    overlap : float
        Share of those that lie in more than one.
    noise_width : float
        Noise moved every value by up to so much, up or down.
    n_missing : int
        Cells without a value.
    """

    biclusters: tuple[PlantedBicluster, ...]
    area: float
    overlap: float
    noise_width: float
    n_missing: int


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BiclusterData(Simulation):
    """A matrix with hidden biclusters.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_columns)
        The matrix; NaN where a value is missing.
    truth : BiclusterTruth
        What is hidden in it.
    options : dict
        What was asked for, by the names of factors.
    seed : int or None
        The random state, where it was a number.
    """

    kind: ClassVar[str] = "simulated-biclusters"

    X: FloatArray = field(metadata=DATA)
    truth: BiclusterTruth

    @property
    def y(self) -> None:
        """None: the data have no labels."""
        return

    def to_columns(self) -> dict[str, Any]:
        """Return one column per column of the matrix."""
        return numbered("c", self.X)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the matrix as ``X``."""
        return {"X": self.X}


@checked_keywords
def biclusters(
    n_rows: int = 100,
    n_columns: int = 30,
    *,
    n_biclusters: int | None = None,
    rows: int | Span | None = None,
    columns: int | Span | None = None,
    pattern: str | Sequence[str] = "constant",
    overlap: float = 0.0,
    combine: str = "replace",
    background: str = "normal",
    signal: float = 3.0,
    noise: float = 0.0,
    missing: float = 0.0,
    random_state: RandomState = 0,
) -> BiclusterData:
    """Make a matrix with hidden biclusters, by Table 6 of Henriques and Madeira [1]_.

    Parameters
    ----------
    n_rows : int, default=100
        Rows of the matrix. The table (`PUBLISHED_SIZES`) has 100 x 30, 500 x 60,
        1000 x 100, 2000 x 200 and 4000 x 400, and with them the three that follow.
    n_columns : int, default=30
        Columns of the matrix.
    n_biclusters : int, optional
        How many to hide; 0 for none. From the paper's table for its sizes.
    rows : int or pair of int, optional
        Fewest and most rows of each.
    columns : int or pair of int, optional
        Fewest and most columns of each.
    pattern : str or sequence of str, default="constant"
        What each follows, one of `PLANTED_PATTERNS`; several are taken in turn.
    overlap : float, default=0
        About which share of each lies in the one before as well, from 0 to 0.9.
    combine : {"replace", "add"}, default="replace"
        What holds where two overlap: the later one, or the sum of both.
    background : {"normal", "uniform"}, default="normal"
        The other values: standard normal, or between -1 and 1.
    signal : float, default=3
        Bases of biclusters are drawn up to so many deviations from the mean, on either
        side; many lie nearer. Of multiplicative ones from half of it.
    noise : float, default=0
        Noise moves every value by up to this share of the range of values, up or down.
        The range is that of the central 99.8 % of background values.
    missing : float, default=0
        Share of the cells without a value, from 0 to 0.95.
    random_state : int, Generator or None, default=0
        Seed.

    Returns
    -------
    BiclusterData
        Matrix and truth.

    Raises
    ------
    UsageError
        If an argument cannot be, the size is not in the table and not all is said, or
        there is no room.

    References
    ----------
    .. [1] R. Henriques and S. C. Madeira (2015). Towards robust performance guarantees
       for models learned from high-dimensional data. In: Big Data in Complex Systems.

    Examples
    --------
    >>> data = biclusters(100, 30, pattern="additive", random_state=1)
    >>> first = data.truth.biclusters[0]
    >>> block = data.X[np.ix_(first.rows, first.columns)]
    >>> bool(np.allclose(block, first.values))
    True
    """
    shape = (
        check_count(n_rows, "n_rows", most=MOST),
        check_count(n_columns, "n_columns", most=MOST),
    )
    count, row_span, column_span = _check_sizes(shape, n_biclusters, rows, columns)
    names = [pattern] if isinstance(pattern, str) else list(pattern)
    names = [check_one_of(name, "pattern", tuple(PLANTED_PATTERNS)) for name in names]
    if not names:
        raise UsageError("is empty", parameter="pattern", remedy="name one or more")
    if len(names) > max(count, 1):
        problem = f"{len(names)} patterns, but {count} biclusters to hide"
        raise UsageError(problem, parameter="pattern", remedy="name no more than that")
    overlap = check_share(overlap, "overlap", most=0.9)
    combine = check_one_of(combine, "combine", _COMBINATIONS)
    background = check_one_of(background, "background", tuple(BACKGROUNDS))
    signal = check_positive(signal, "signal")
    noise = check_share(noise, "noise")
    missing = check_share(missing, "missing", most=0.95)

    # One stream per ingredient: the same biclusters with noise or without.
    for_places, for_values, for_background, for_noise, for_missing = as_generator(
        random_state
    ).spawn(5)
    around = BACKGROUNDS[background]
    X = around.from_normal(for_background.normal(size=shape))
    sizes = [
        (
            int(for_places.integers(row_span[0], row_span[1] + 1)),
            int(for_places.integers(column_span[0], column_span[1] + 1)),
        )
        for _ in range(count)
    ]
    planted = tuple(
        draw_bicluster(
            *place,
            names[number % len(names)],
            mean=around.mean,
            std=around.std,
            signal=signal,
            rng=for_values,
        )
        for number, place in enumerate(
            place_biclusters(shape, sizes, overlap, for_places)
        )
    )
    times = np.zeros(shape, dtype=np.int64)
    for one in planted:
        cells = np.ix_(one.rows, one.columns)
        values = one.values
        if combine == "add":
            values = np.where(times[cells] > 0, X[cells] + values, values)
        X[cells] = values
        times[cells] += 1
    low, high = value_range(((around,),), np.ones(1))
    width = noise * (high - low)
    if width:
        X += width * for_noise.uniform(-1, 1, size=shape)
    n_missing = round(missing * X.size)
    if n_missing:
        X.ravel()[for_missing.choice(X.size, n_missing, replace=False)] = np.nan
    n_covered = int((times > 0).sum())
    return BiclusterData(
        X=X,
        truth=BiclusterTruth(
            biclusters=planted,
            area=n_covered / X.size,
            overlap=int((times > 1).sum()) / max(n_covered, 1),
            noise_width=width,
            n_missing=n_missing,
        ),
        options=flat_options(
            {
                "n_rows": shape[0],
                "n_columns": shape[1],
                "n_biclusters": count,
                "rows": row_span,
                "columns": column_span,
                "pattern": names,
                "overlap": overlap,
                "combine": combine,
                "background": background,
                "signal": signal,
                "noise": noise,
                "missing": missing,
            }
        ),
        seed=seed_number(random_state),
    )


def _check_sizes(
    shape: tuple[int, int],
    n_biclusters: int | None,
    rows: int | Span | None,
    columns: int | Span | None,
) -> tuple[int, Span, Span]:
    """Fill what was left out from the table."""
    if n_biclusters == 0:
        return 0, (1, 1), (1, 1)
    missing = [
        words
        for value, words in (
            (n_biclusters, "how many biclusters to hide"),
            (rows, "their rows"),
            (columns, "their columns"),
        )
        if value is None
    ]
    if shape not in PUBLISHED_SIZES and missing:
        known = ", ".join(f"{a} x {b}" for a, b in PUBLISHED_SIZES)
        raise UsageError(
            f"a matrix of {shape[0]} x {shape[1]} is not in the table ({known})",
            parameter="n_rows",
            remedy=f"say {', '.join(missing)}",
        )
    usual = PUBLISHED_SIZES.get(shape, (1, (1, 1), (1, 1)))
    return (
        check_count(
            usual[0] if n_biclusters is None else n_biclusters,
            "n_biclusters",
            most=MOST,
        ),
        _check_span(usual[1] if rows is None else rows, "rows", shape[0]),
        _check_span(usual[2] if columns is None else columns, "columns", shape[1]),
    )


def _check_span(value: Any, parameter: str, most: int) -> Span:
    """Return fewest and most; one number stands for both."""
    pair = tuple(value) if isinstance(value, Sequence) else (value, value)
    if len(pair) == 2:
        low = check_count(pair[0], parameter, most=most)
        high = check_count(pair[1], parameter, most=most)
        if low <= high:
            return low, high
    problem = f"must be a number or a pair (fewest, most); got {value!r}"
    raise UsageError(problem, parameter=parameter)


def _next_command(data: BiclusterData, path: str) -> tuple[str, ...]:
    if not data.truth.biclusters:
        return ()
    # The hidden ones in place of found ones: how well they could be seen at all.
    return ("biclusters", os.fspath(path), "--found", truth_path(path))


SIMULATORS.add(
    Simulator(
        name="biclusters",
        title="a matrix with hidden biclusters",
        summary="a matrix with hidden biclusters, overlapping, noisy or with missing "
        "values as asked",
        reference=HENRIQUES,
        function=biclusters,
        choices={
            "pattern": PLANTED_PATTERNS,
            "combine": _COMBINATIONS,
            "background": tuple(BACKGROUNDS),
        },
        sizes=("n_", "rows", "columns"),
        disturbances=("noise", "missing"),
        next_command=_next_command,
    )
)
