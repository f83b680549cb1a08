"""Unlabelled matrices with hidden biclusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from scorecast._core.checks import check_choice
from scorecast._core.keywords import checked_keywords
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, Json, RandomState
from scorecast.exceptions import UsageError
from scorecast.synthetic.arguments import (
    check_positive,
    check_range,
    check_share,
    check_whole,
)
from scorecast.synthetic.components import Component, Normal, Uniform
from scorecast.synthetic.patterns import PATTERNS, PlantedBicluster, draw_bicluster
from scorecast.synthetic.placement import place_biclusters
from scorecast.synthetic.simulated import Simulated, numbered
from scorecast.synthetic.value_range import value_range

__all__ = ["TABLE_6", "BiclusterData", "BiclusterTruth", "biclusters"]

# Rows x columns of the matrix: biclusters, their rows, their columns.
TABLE_6: dict[tuple[int, int], tuple[int, tuple[int, int], tuple[int, int]]] = {
    (100, 30): (3, (10, 20), (5, 7)),
    (500, 60): (5, (15, 30), (6, 8)),
    (1000, 100): (10, (20, 40), (6, 10)),
    (2000, 200): (15, (40, 70), (6, 14)),
    (4000, 400): (20, (60, 100), (6, 20)),
}
_BACKGROUNDS: dict[str, Component] = {
    "normal": Normal(0.0, 1.0),
    "uniform": Uniform(-1.0, 1.0),
}


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
class BiclusterData(Simulated):
    """A matrix with hidden biclusters.

    Attributes
    ----------
    X : ndarray of shape (rows, columns)
        The matrix; NaN where a value is missing.
    truth : BiclusterTruth
        What is hidden in it.
    options : dict
        What was asked for.
    seed : int or None
        The random state, where it was a number.
    """

    kind: ClassVar[str] = "biclusters"

    X: FloatArray
    truth: BiclusterTruth

    @property
    def y(self) -> None:
        """None: the data have no labels."""
        return

    def summary(self) -> str:
        """Say in a sentence or two what was made."""
        rows, columns = self.X.shape
        hidden = self.truth.biclusters
        kinds = ", ".join(dict.fromkeys(b.pattern for b in hidden)) or "none"
        return (
            f"{rows:,} x {columns:,} values with {len(hidden)} hidden biclusters "
            f"({kinds}) on {100 * self.truth.area:.2g} % of the cells, "
            f"{100 * self.truth.overlap:.2g} % of these in more than one; "
            f"{self.truth.n_missing:,} values are missing."
        )

    def truth_dict(self) -> Json:
        """Return the truth as plain values."""
        return {
            "biclusters": [b.to_dict() for b in self.truth.biclusters],
            "area": self.truth.area,
            "overlap": self.truth.overlap,
            "noise_width": self.truth.noise_width,
            "n_missing": self.truth.n_missing,
        }

    def to_columns(self) -> dict[str, NDArray[Any]]:
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
    rows: int | tuple[int, int] | None = None,
    columns: int | tuple[int, int] | None = None,
    pattern: str | Sequence[str] = "constant",
    overlap: float = 0.0,
    combine: str = "replace",
    background: str = "normal",
    signal: float = 3.0,
    noise: float = 0.0,
    missing: float = 0.0,
    random_state: RandomState = 0,
) -> BiclusterData:
    """Make a matrix with hidden biclusters, by Table 6 of Henriques and Madeira.

    Parameters
    ----------
    n_rows, n_columns : int, default=100 and 30
        Size of the matrix. The table has 100 x 30, 500 x 60, 1000 x 100, 2000 x 200
        and 4000 x 400, and with them the three numbers that follow.
    n_biclusters : int, optional
        How many to hide; 0 for none.
    rows, columns : int or pair of int, optional
        Rows and columns of each, drawn between two ends.
    pattern : str or sequence of str, default="constant"
        One of `PATTERNS`, or several to be taken in turn.
    overlap : float, default=0
        About which share of the cells of each lies in the one before as well.
    combine : {"replace", "add"}, default="replace"
        What holds where two overlap: the later one, or the sum of both.
    background : {"normal", "uniform"}, default="normal"
        Other values: standard normal, or between -1 and 1.
    signal : float, default=3
        How far the base of a bicluster may lie from the mean of the others, in their
        standard deviations: it is drawn evenly up to so far on either side (of
        multiplicative ones from half of it), so that many lie nearer.
    noise : float, default=0
        Noise moves every value by up to this share of the range of background
        values (the central 99.8 % of them), up or down.
    missing : float, default=0
        Share of the cells without a value.
    random_state : int, Generator or None, default=0
        Seed.

    Returns
    -------
    BiclusterData
        Matrix and truth.

    Examples
    --------
    >>> data = biclusters(100, 30, pattern="additive", random_state=1)
    >>> first = data.truth.biclusters[0]
    >>> block = data.X[np.ix_(first.rows, first.columns)]
    >>> bool(np.allclose(block, first.values))
    True
    """
    shape = (check_whole(n_rows, "n_rows"), check_whole(n_columns, "n_columns"))
    count, spans = _wanted(shape, n_biclusters, rows, columns)
    kinds = [pattern] if isinstance(pattern, str) else list(pattern)
    kinds = [check_choice(kind, "pattern", PATTERNS) for kind in kinds]
    if not kinds:
        msg = f"`pattern` is empty; give one of {', '.join(PATTERNS)}."
        raise UsageError(msg)
    if len(kinds) > max(count, 1):
        msg = (
            f"{len(kinds)} patterns, but {count} biclusters to hide: the last would "
            "be left out."
        )
        raise UsageError(msg)
    options: Json = {
        "n_rows": shape[0], "n_columns": shape[1], "n_biclusters": count,
        "rows": spans[0], "columns": spans[1], "pattern": kinds,
        "overlap": check_share(overlap, "overlap", most=0.9),
        "combine": check_choice(combine, "combine", ("replace", "add")),
        "background": check_choice(background, "background", tuple(_BACKGROUNDS)),
        "signal": check_positive(signal, "signal"),
        "noise": check_share(noise, "noise"),
        "missing": check_share(missing, "missing", most=0.95),
    }  # fmt: skip
    X, truth = _made(shape, options, as_generator(random_state))
    return BiclusterData(
        X=X, truth=truth, options=options, seed=seed_number(random_state)
    )


def _wanted(
    shape: tuple[int, int],
    n_biclusters: int | None,
    rows: int | tuple[int, int] | None,
    columns: int | tuple[int, int] | None,
) -> tuple[int, tuple[tuple[int, int], tuple[int, int]]]:
    """Fill what was left out from the table."""
    if n_biclusters == 0:
        return 0, ((1, 1), (1, 1))
    if shape not in TABLE_6 and None in (n_biclusters, rows, columns):
        known = ", ".join(f"{a} x {b}" for a, b in TABLE_6)
        msg = (
            f"A matrix of {shape[0]} x {shape[1]} is not in the table ({known}): give "
            "`n_biclusters`, `rows` and `columns`."
        )
        raise UsageError(msg)
    usual = TABLE_6.get(shape, (1, (1, 1), (1, 1)))
    count = check_whole(
        usual[0] if n_biclusters is None else n_biclusters, "n_biclusters"
    )
    spans = (
        check_range(usual[1] if rows is None else rows, "rows", shape[0]),
        check_range(usual[2] if columns is None else columns, "columns", shape[1]),
    )
    return count, spans


def _made(
    shape: tuple[int, int], options: Json, rng: np.random.Generator
) -> tuple[FloatArray, BiclusterTruth]:
    # One stream per ingredient: the same biclusters with noise or without.
    for_places, for_values, for_background, for_noise, for_missing = rng.spawn(5)
    around = _BACKGROUNDS[options["background"]]
    X = around.from_normal(for_background.normal(size=shape))
    planted = _planted(shape, options, around, for_places, for_values)
    times = np.zeros(shape, dtype=np.int64)
    for one in planted:
        cells = np.ix_(one.rows, one.columns)
        met = times[cells] > 0
        values = one.values
        if options["combine"] == "add":
            values = np.where(met, X[cells] + values, values)
        X[cells] = values
        times[cells] += 1
    low, high = value_range(((around,),), np.ones(1))
    width = options["noise"] * (high - low)
    if width:
        X += width * for_noise.uniform(-1, 1, size=shape)
    n_missing = round(options["missing"] * X.size)
    if n_missing:
        X.ravel()[for_missing.choice(X.size, n_missing, replace=False)] = np.nan
    covered = int((times > 0).sum())
    return X, BiclusterTruth(
        biclusters=planted,
        area=covered / X.size,
        overlap=int((times > 1).sum()) / max(covered, 1),
        noise_width=width,
        n_missing=n_missing,
    )


def _planted(
    shape: tuple[int, int],
    options: Json,
    around: Component,
    for_places: np.random.Generator,
    for_values: np.random.Generator,
) -> tuple[PlantedBicluster, ...]:
    (fewest, most), (narrowest, widest) = options["rows"], options["columns"]
    sizes = [
        (
            int(for_places.integers(fewest, most + 1)),
            int(for_places.integers(narrowest, widest + 1)),
        )
        for _ in range(options["n_biclusters"])
    ]
    places = place_biclusters(shape, sizes, options["overlap"], for_places)
    kinds = options["pattern"]
    return tuple(
        draw_bicluster(
            rows,
            columns,
            kinds[number % len(kinds)],
            mean=around.mean,
            sd=around.sd,
            signal=options["signal"],
            rng=for_values,
        )
        for number, (rows, columns) in enumerate(places)
    )
