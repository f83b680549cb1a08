"""Honesty about selected features: what luck would have found."""

from __future__ import annotations

import numbers
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import fdtrc

from scorecast._core.checks import check_matrix, check_n_jobs
from scorecast._core.keywords import checked_keywords
from scorecast._core.parallel import map_tasks
from scorecast._core.results import Result
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, IntArray, Json, RandomState
from scorecast.evaluation import adjust_p_values
from scorecast.evaluation.permutation import (
    block_sizes,
    draw_orders,
    movable,
    n_arrangements,
)
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError

__all__ = [
    "SelectedFeatures",
    "check_feature_names",
    "selected_features",
]

# Permuted statistics that differ from the observed one by rounding are as large.
_SAME = 1e-9
_ROUNDED = 64 * float(np.finfo(np.float64).eps)  # a mean may be off by this share


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SelectedFeatures(Result):
    """The features that tell classes apart best, and what luck would have found.

    Attributes
    ----------
    features : ndarray of int64
        Numbers of the selected features, from zero, best first.
    statistic : ndarray of float64
        F of the analysis of variance, for each.
    p_value : ndarray of float64
        Of F alone, as if there were no other feature.
    holm : ndarray of float64
        Adjusted so that a single false discovery among all is unlikely (Holm).
    false_discovery : ndarray of float64
        Adjusted for the share of false discoveries (Benjamini and Hochberg).
    max_statistic : ndarray of float64
        Share of permutations whose best feature does as well: any correlation between
        features is allowed for (Westfall and Young), with the +1 rule.
    luck : ndarray of float64
        For the i-th best: share of permutations whose own i-th best does as well.
    n_cases, n_features, n_permutations : int
        Sizes.
    names : tuple of str
        Names of the selected features; empty if they have none.
    seed : int or None
        The seed, where it was a number.
    """

    kind: ClassVar[str] = "selected-features"

    features: IntArray
    statistic: FloatArray
    p_value: FloatArray
    holm: FloatArray
    false_discovery: FloatArray
    max_statistic: FloatArray
    luck: FloatArray
    n_cases: int
    n_features: int
    n_permutations: int
    seed: int | None
    names: tuple[str, ...] = ()

    def summary(self) -> str:
        """Say the answer in one sentence."""
        sure = int(np.sum(self.max_statistic <= 0.05))
        return (
            f"Of the {self.features.size:,} best of {self.n_features:,} features "
            f"{sure:,} would hardly be found by luck (best of all permuted features, "
            f"p at most 0.05); so many as good come by luck with p = "
            f"{self.luck[-1]:.2g}."
        )

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per selected feature."""
        columns = {name: getattr(self, name).tolist() for name in _COLUMNS}
        return {"name": list(self.names), **columns} if self.names else columns

    def _parts(self) -> tuple[Json, Json, Json]:
        inputs = {"n_cases": self.n_cases, "n_features": self.n_features}
        options = {"n_permutations": self.n_permutations, "seed": self.seed}
        return inputs, options, {"name": list(self.names), **self.to_columns()}

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        columns: Json = {name: np.array(result[name], float) for name in _COLUMNS}
        columns["features"] = columns["features"].astype(np.int64)
        return cls(**inputs, **options, **columns, names=tuple(result["name"]))


_COLUMNS = (
    "features",
    "statistic",
    "p_value",
    "holm",
    "false_discovery",
    "max_statistic",
    "luck",
)


@checked_keywords
def selected_features(
    X: ArrayLike,
    y: ArrayLike,
    n_selected: int = 10,
    *,
    n_permutations: int = 1000,
    names: Sequence[str] | None = None,
    groups: Sequence[Hashable] | None = None,
    random_state: RandomState = None,
    n_jobs: int | None = None,
) -> SelectedFeatures:
    """Select the features with the largest F, and say what luck would have found.

    Parameters
    ----------
    X : array-like of shape (n, m)
        Features.
    y : array-like of shape (n,)
        Classes.
    n_selected : int, default=10
        How many are selected.
    n_permutations : int, default=1000
        Permutations of the classes.
    names : sequence of str, optional
        Name of every feature; those of a table's columns by default.
    groups : sequence of hashable, optional
        Group of every case, such as a patient. Classes then change places within
        groups and between whole groups of the same size; p-values of single features
        come from these permutations too.
    random_state : int, Generator or None, optional
        Seed of the permutations.
    n_jobs : int, optional
        Number of workers; the answer does not depend on it.

    Returns
    -------
    SelectedFeatures
        The features and their p-values, adjusted in several ways.

    Raises
    ------
    UsageError
        If a number makes no sense.
    InsufficientDataError
        If there are too few classes, or groups that could change places.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.standard_normal((30, 200)), np.repeat([0, 1], 15)
    >>> X[y == 1, 7] += 3
    >>> found = selected_features(X, y, 2, n_permutations=99, random_state=0)
    >>> int(found.features[0]), float(found.max_statistic[0])
    (7, 0.01)
    """
    features = np.asarray(check_matrix(X, "X"), dtype=np.float64)
    known = check_feature_names(names, X, features.shape[1])
    codes, n_classes = _checked_classes(y, features.shape[0])
    _check_number(n_selected, "n_selected", features.shape[1])
    _check_number(n_permutations, "n_permutations", None)
    check_n_jobs(n_jobs)
    pools = movable(groups, codes)
    test = _VarianceTest.of(features, n_classes)
    observed = test.statistics(codes[None])[0]
    chosen = np.argsort(-observed, kind="stable")[:n_selected].astype(np.int64)
    work = _Null(
        test=test, codes=codes, observed=observed, top=observed[chosen], pools=pools
    )
    best, ranked, each = work.chances(
        n_permutations, rng=as_generator(random_state), n_jobs=n_jobs
    )
    # F's own distribution takes cases for independent, which those of groups are not.
    alone = each if groups is not None else test.alone(observed, codes.size)
    return SelectedFeatures(
        features=chosen,
        statistic=observed[chosen],
        p_value=alone[chosen],
        holm=adjust_p_values(alone, "holm")[chosen],
        false_discovery=adjust_p_values(alone, "benjamini-hochberg")[chosen],
        max_statistic=best,
        luck=ranked,
        n_cases=codes.size,
        n_features=features.shape[1],
        n_permutations=int(n_permutations),
        seed=seed_number(random_state),
        names=tuple(known[i] for i in chosen) if known else (),
    )


def check_feature_names(names: Sequence[str] | None, X: Any, m: int) -> tuple[str, ...]:
    """Return the name of every feature, or none.

    Parameters
    ----------
    names : sequence of str or None
        As given; None takes the columns of `X`, if it is a table whose columns have
        names.
    X : array-like
        The features as they came.
    m : int
        Number of features.

    Returns
    -------
    tuple of str
        Empty if they have no names.

    Raises
    ------
    InvalidInputError
        If there are too many or too few.
    """
    if names is None:
        columns = list(getattr(X, "columns", ()))
        if len(columns) != m or not all(isinstance(name, str) for name in columns):
            return ()
        return tuple(columns)
    if len(names) != m:
        msg = f"{len(names)} names for {m} features: give one for each."
        raise InvalidInputError(msg)
    return tuple(map(str, names))


@dataclass(frozen=True, kw_only=True, eq=False)
class _VarianceTest:
    """F of every feature for many labellings at once."""

    centred: FloatArray
    total: FloatArray
    n_classes: int

    @classmethod
    def of(cls, X: FloatArray, n_classes: int) -> Self:
        """Take what the labels do not change."""
        centred = X - X.mean(axis=0)
        # A feature without spread, but for rounding, tells nothing.
        level = np.abs(X).max(axis=0)
        total = np.einsum("ij,ij->j", centred, centred)
        flat = total <= X.shape[0] * (_ROUNDED * level) ** 2
        centred[:, flat] = 0.0
        return cls(
            centred=centred, total=np.where(flat, 1.0, total), n_classes=n_classes
        )

    def statistics(self, labels: IntArray) -> FloatArray:
        """Return F, (b, m), for labels (b, n)."""
        n = labels.shape[1]
        between = np.zeros((labels.shape[0], self.total.size))
        for number in range(self.n_classes):
            members = (labels == number).astype(np.float64)
            sums = members @ self.centred
            between += sums**2 / members.sum(axis=1, keepdims=True)
        within = np.maximum(self.total - between, self.total * np.finfo(float).eps)
        freedom = (n - self.n_classes) / (self.n_classes - 1)
        ratio: FloatArray = freedom * between / within
        return ratio

    def alone(self, observed: FloatArray, n: int) -> FloatArray:
        """Return the p-value of every F of n cases, each by itself."""
        k = self.n_classes
        return np.asarray(fdtrc(k - 1, n - k, observed), dtype=float)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Null:
    """Counts permutations that do as well as the observed best ones."""

    test: _VarianceTest
    codes: IntArray
    observed: FloatArray
    top: FloatArray
    pools: Sequence[IntArray]

    def chances(
        self, count: int, *, rng: np.random.Generator, n_jobs: int | None
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return p-values of the chosen by the best of all and by rank, and of all."""
        counts = map_tasks(
            self, block_sizes(count), rng=rng, n_jobs=n_jobs, what="permuting"
        )
        # Of few arrangements the observed one is a fair share, met again or not.
        least = 1 / n_arrangements(self.pools, self.codes)
        found = np.maximum((1 + np.sum(counts, axis=0)) / (1 + count), least)
        k = self.top.size
        return found[:k], found[k : 2 * k], found[2 * k :]

    def __call__(self, size: int, rng: np.random.Generator) -> IntArray:
        """Return, (2 k + m,): by the best of all, rank by rank, feature by feature."""
        n, k = self.codes.size, self.top.size
        orders = draw_orders(size, self.pools, n, rng)
        found = self.test.statistics(self.codes[orders])
        largest = np.sort(np.partition(found, -k, axis=1)[:, -k:], axis=1)[:, ::-1]
        bar = self.top * (1 - _SAME)
        best = (largest[:, :1] >= bar).sum(axis=0)
        each = (found >= self.observed * (1 - _SAME)).sum(axis=0)
        return np.concatenate([best, (largest >= bar).sum(axis=0), each])


def _checked_classes(y: ArrayLike, n: int) -> tuple[IntArray, int]:
    labels: NDArray[Any] = np.asarray(y)
    if labels.shape != (n,):
        msg = f"X has {n} rows, but y has shape {labels.shape}; one class per row."
        raise InvalidInputError(msg)
    classes, codes = np.unique(labels, return_inverse=True)
    if not 2 <= classes.size < n:
        msg = f"{classes.size} classes for {n} cases; at least 2, fewer than cases."
        raise InsufficientDataError(msg)
    return codes.astype(np.int64), int(classes.size)


def _check_number(value: int, name: str, most: int | None) -> None:
    whole = isinstance(value, numbers.Integral) and value >= 1
    if whole and (most is None or value <= most):
        return
    up = "" if most is None else f" to {most}"
    msg = f"`{name}` must be a whole number from 1{up}; got {value!r}."
    raise UsageError(msg)
