"""Data at hand, made smaller, noisier or less balanced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from scorecast._core.types import FloatArray, IntArray
from scorecast.exceptions import InsufficientDataError, UsageError
from scorecast.guarantees.problem import Problem, check_problem
from scorecast.guarantees.tables import columns_of, is_table
from scorecast.simulate import class_shares, class_sizes

__all__ = ["VARIED", "Variations", "pair_of"]

VARIED = ("n", "m", "noise", "imbalance")


@dataclass(frozen=True, kw_only=True, eq=False)
class Variations:
    """Data sets by name, and what can be made of them.

    Attributes
    ----------
    sources : mapping of str to data
        Pairs (X, y), or anything with ``X`` and ``y``.
    task : str
        ``"classification"`` or ``"regression"``.
    """

    sources: Mapping[str, Any]
    task: str

    def __call__(
        self,
        *,
        random_state: int,
        data: str | None = None,
        n: int | None = None,
        m: int | None = None,
        noise: float = 0.0,
        imbalance: float | None = None,
    ) -> tuple[Any, Any]:
        """Return features and targets.

        Parameters
        ----------
        random_state : int
            Seed of what is drawn.
        data : str, optional
            Which data set; the first if not given.
        n : int, optional
            Cases to draw, classes in their proportions.
        m : int, optional
            Features to draw.
        noise : float, default=0
            Every value moves by up to this share of the range of its feature, evenly,
            as in `sc.simulate.classification`.
        imbalance : float, optional
            By how much the rarest class falls short of the most frequent; 0 makes all
            classes equal. As many cases are kept as then can be, or `n`.

        Returns
        -------
        X, y
            The data set itself where nothing is asked.
        """
        name = next(iter(self.sources)) if data is None else data
        X, y = pair_of(self.sources[name])
        if n is None and m is None and not noise and imbalance is None:
            return X, y
        problem = check_problem(X, y, task=self.task)
        # One stream per ingredient: the same cases with noise or without.
        for_rows, for_columns, for_noise = np.random.default_rng(random_state).spawn(3)
        rows = _rows(problem, n, imbalance, for_rows, name)
        X, y = problem.features(rows), problem.y[rows]
        if noise:
            X = _noisy(X, problem, noise, for_noise)
        if m is not None:
            X = columns_of(X, _columns(problem.m, m, for_columns, name))
        return X, y


def pair_of(entry: Any) -> tuple[Any, Any]:
    """Return features and targets of what may be a pair or have both.

    Raises
    ------
    UsageError
        If it is neither.
    """
    if hasattr(entry, "X") and hasattr(entry, "y"):
        return entry.X, entry.y
    if isinstance(entry, tuple | list) and len(entry) == 2:
        return entry[0], entry[1]
    msg = f"Data must be a pair (X, y) or have X and y; got {type(entry).__name__}."
    raise UsageError(msg)


def _rows(
    problem: Problem,
    n: int | None,
    imbalance: float | None,
    rng: np.random.Generator,
    name: str,
) -> IntArray:
    """Choose cases, in their order."""
    if n is not None and not 4 <= _whole(n, "n") <= problem.n:
        msg = (
            f"Of the {problem.n} cases of {name}, from 4 to {problem.n} can be drawn; "
            f"got n = {n}."
        )
        raise InsufficientDataError(msg)
    if not problem.is_classification:
        if imbalance is not None:
            msg = "`imbalance` is of classes; these targets are numbers."
            raise UsageError(msg)
        return np.sort(rng.choice(problem.n, problem.n if n is None else n, False))
    sizes = _sizes(problem, n, imbalance, name)
    chosen = [
        rng.choice(np.flatnonzero(problem.codes == code), size, replace=False)
        for code, size in enumerate(sizes)
    ]
    return np.sort(np.concatenate(chosen))


def _sizes(
    problem: Problem, n: int | None, imbalance: float | None, name: str
) -> IntArray:
    """Return how many cases to draw of every class."""
    counts = problem.class_counts
    if imbalance is None:
        return class_sizes(problem.n if n is None else n, counts / problem.n)
    if not isinstance(imbalance, int | float) or not 0 <= imbalance < 1:
        msg = f"`imbalance` must be from 0 to below 1; got {imbalance!r}."
        raise UsageError(msg)
    shares: FloatArray = np.empty(counts.size)
    # What is frequent here stays the most frequent.
    shares[np.argsort(-counts, kind="stable")] = class_shares(counts.size, imbalance)
    most = int(np.floor((counts / shares).min()))
    sizes = class_sizes(most if n is None else n, shares)
    if (sizes > counts).any():
        msg = (
            f"{name} has too few cases for n = {n} with an imbalance of {imbalance:g}; "
            f"{most} at most."
        )
        raise InsufficientDataError(msg)
    return sizes


def _columns(m: int, wanted: int, rng: np.random.Generator, name: str) -> IntArray:
    if not 1 <= _whole(wanted, "m") <= m:
        msg = (
            f"Of the {m} features of {name}, from 1 to {m} can be drawn; got m = "
            f"{wanted}."
        )
        raise InsufficientDataError(msg)
    return np.sort(rng.choice(m, wanted, replace=False))


def _noisy(
    features: Any, problem: Problem, noise: float, rng: np.random.Generator
) -> Any:
    if not isinstance(noise, int | float) or not 0 <= noise <= 1:
        msg = f"`noise` must be from 0 to 1, a share of the range; got {noise!r}."
        raise UsageError(msg)
    if is_table(features):
        numbers = features.select_dtypes(include=["number"]).columns
        moved = features.astype(dict.fromkeys(numbers, np.float64))
        whole = problem.X[numbers].to_numpy(dtype=np.float64, na_value=np.nan)
        values = moved[numbers].to_numpy()
        moved[numbers] = values + _moves(whole, values.shape, noise, rng)
        return moved
    return features + _moves(np.asarray(problem.X), features.shape, noise, rng)


def _moves(
    whole: FloatArray, shape: tuple[int, ...], noise: float, rng: np.random.Generator
) -> FloatArray:
    width = np.nanmax(whole, axis=0) - np.nanmin(whole, axis=0)
    moves: FloatArray = noise * width * rng.uniform(-1, 1, size=shape)
    return moves


def _whole(value: Any, name: str) -> int:
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return int(value)
    msg = f"`{name}` must be a whole number; got {value!r}."
    raise UsageError(msg)
