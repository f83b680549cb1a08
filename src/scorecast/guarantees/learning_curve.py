"""Learning curves: where the score goes as cases, or features, are added."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import check_level
from scorecast._core.results import Result
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, IntArray, Json, RandomState
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError
from scorecast.guarantees.power_law import PowerLaw, fit_power_law

__all__ = ["LearningCurveFit", "learning_curve_fit"]

_FEWEST = 3  # sizes: as many as the law has numbers


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class LearningCurveFit(Result):
    """An inverse power law through scores at several sizes.

    Attributes
    ----------
    sizes : ndarray of int64
        Training cases, or features.
    scores : ndarray of shape (k, r)
        Scores at each; one column per repeat.
    weights : ndarray of shape (k,)
        How much each size counted.
    best : float
        The best score there can be; the law is one for the distance to it.
    law : PowerLaw
        The fit through the means.
    replicates : tuple of PowerLaw
        Fits to resampled scores, for intervals.
    target : float or None
        Score that was asked for.
    level : float
        Confidence of intervals.
    seed : int or None
        The seed, where it was a number.
    """

    kind: ClassVar[str] = "learning-curve-fit"

    sizes: IntArray
    scores: FloatArray
    weights: FloatArray
    best: float
    law: PowerLaw
    replicates: tuple[PowerLaw, ...]
    target: float | None
    level: float
    seed: int | None

    @property
    def limit(self) -> float:
        """The score that endless data would give."""
        return self.best - self.law.limit

    @property
    def limit_interval(self) -> tuple[float, float]:
        """Interval of that score."""
        return self._span([self.best - law.limit for law in self.replicates])

    def score_at(self, size: float) -> float:
        """Return the score expected at a size."""
        return self.best - float(self.law.error(size))

    def interval_at(self, size: float) -> tuple[float, float]:
        """Return an interval of the score expected at a size."""
        return self._span(
            [self.best - float(law.error(size)) for law in self.replicates]
        )

    def needed_for(self, target: float) -> float:
        """Return the size at which a score is reached; infinite if it never is."""
        return _whole(self.law.size_for(self.best - target))

    def needed_interval(self, target: float) -> tuple[float, float]:
        """Return an interval of that size; its upper end is often infinite."""
        found = [law.size_for(self.best - target) for law in self.replicates]
        low, high = self._span(found)
        return _whole(low), _whole(high)

    def best_split(self, n: int) -> tuple[int, int]:
        """Divide n cases between training and test.

        In the manner of Raudys and Jain: fewer training cases make the error estimate
        pessimistic, fewer test cases make it uncertain. The split with the smallest
        squared deviation from the error at n training cases is chosen, for scores that
        are shares of right answers.

        Parameters
        ----------
        n : int
            All cases.

        Returns
        -------
        tuple of int
            Training and test cases.
        """
        if n < 2:
            msg = f"`n` must be at least 2, one case to train and one to test; got {n}."
            raise UsageError(msg)
        train = np.arange(1, n)
        error = np.clip(self.law.error(train.astype(float)), 0, 1)
        bias = error - np.clip(self.law.error(n), 0, 1)
        chosen = int(train[np.argmin(bias**2 + error * (1 - error) / (n - train))])
        return chosen, n - chosen

    def summary(self) -> str:
        """Say the answer in a sentence or two."""
        low, high = self.limit_interval
        sure = f"{100 * self.level:g} %"
        first = (
            f"With endless data the score tends to {self.limit:.3f} ({sure} interval "
            f"{low:.3f} to {high:.3f})."
        )
        if self.target is None:
            return first
        low, high = self.needed_interval(self.target)
        needed = self.needed_for(self.target)
        if math.isinf(needed):
            return f"{first} The curve never reaches {self.target:g}."
        return (
            f"{first} {self.target:g} is reached at {needed:,.0f} ({low:,.0f} to "
            f"{'no end' if math.isinf(high) else f'{high:,.0f}'})."
        )

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per size."""
        spans = [self.interval_at(float(size)) for size in self.sizes]
        return {
            "size": self.sizes.tolist(),
            "score": self.scores.mean(axis=1).tolist(),
            "weight": self.weights.tolist(),
            "fitted": [self.score_at(float(size)) for size in self.sizes],
            "low": [low for low, _ in spans],
            "high": [high for _, high in spans],
        }

    def _span(self, values: list[float]) -> tuple[float, float]:
        # Ranks, not interpolation: some values may be infinite.
        ordered = np.sort(values)
        tail = (1 - self.level) / 2
        low = math.floor(tail * (ordered.size + 1)) - 1
        high = math.ceil((1 - tail) * (ordered.size + 1)) - 1
        return (
            float(ordered[max(low, 0)]),
            float(ordered[min(high, ordered.size - 1)]),
        )

    def _parts(self) -> tuple[Json, Json, Json]:
        inputs = {"sizes": self.sizes, "scores": self.scores, "weights": self.weights}
        options = {
            "best": self.best,
            "target": self.target,
            "level": self.level,
            "seed": self.seed,
        }
        laws = [[p.scale, p.exponent, p.limit] for p in (self.law, *self.replicates)]
        return inputs, options, {"limit": self.limit, "law": laws[0], "laws": laws[1:]}

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        laws = [
            PowerLaw(scale=a, exponent=alpha, limit=b)
            for a, alpha, b in [result["law"], *result["laws"]]
        ]
        return cls(
            sizes=np.array(inputs["sizes"], dtype=np.int64),
            scores=np.array(inputs["scores"], dtype=float),
            weights=np.array(inputs["weights"], dtype=float),
            law=laws[0],
            replicates=tuple(laws[1:]),
            **options,
        )


def _whole(size: float) -> float:
    return size if math.isinf(size) else float(math.ceil(size - 1e-9))


def learning_curve_fit(
    sizes: ArrayLike,
    scores: ArrayLike,
    *,
    target: float | None = None,
    best: float = 1.0,
    weights: ArrayLike | None = None,
    level: float = 0.9,
    n_replicates: int = 200,
    random_state: RandomState = None,
) -> LearningCurveFit:
    """Fit an inverse power law to scores at several sizes.

    Parameters
    ----------
    sizes : array-like of shape (k,)
        Numbers of training cases, or of features; at least three.
    scores : array-like of shape (k,) or (k, r)
        Scores at each, more is better; with one column per repeat, such as a random
        subsample, sizes are weighted by how sure their mean is.
    target : float, optional
        A score; the answer says at what size it is reached.
    best : float, default=1.0
        The best score there can be.
    weights : array-like of shape (k,), optional
        How much each size counts, in the place of the repeats' say.
    level : float, default=0.9
        Confidence of intervals.
    n_replicates : int, default=200
        Resamples behind the intervals: of repeats where there are some, otherwise of
        what the fit leaves over.
    random_state : int, Generator or None, optional
        Seed of the resamples.

    Returns
    -------
    LearningCurveFit
        The curve, its limit, and sizes for scores.

    Examples
    --------
    >>> sizes = [10, 20, 40, 80, 160]
    >>> scores = [0.64, 0.74, 0.80, 0.85, 0.88]
    >>> fit = learning_curve_fit(sizes, scores, target=0.9, random_state=0)
    >>> 150 < fit.needed_for(0.9) < 400
    True
    """
    check_level(level)
    n, table = _checked(sizes, scores, best)
    if not isinstance(n_replicates, numbers.Integral) or n_replicates < 1:
        msg = f"`n_replicates` must be a whole number from 1; got {n_replicates!r}."
        raise UsageError(msg)
    if target is not None and not (np.isfinite(target) and target <= best):
        msg = f"`target` must be a score of at most {best:g}; got {target!r}."
        raise UsageError(msg)
    counts = _weights(weights, table)
    law = fit_power_law(n.astype(float), best - table.mean(axis=1), counts)
    rng = as_generator(random_state)
    samples = _resampled(n, table, law, counts, best, int(n_replicates), rng)
    return LearningCurveFit(
        sizes=n,
        scores=table,
        weights=counts,
        best=float(best),
        law=law,
        replicates=tuple(fit_power_law(n.astype(float), e, counts) for e in samples),
        target=None if target is None else float(target),
        level=level,
        seed=seed_number(random_state),
    )


def _checked(
    sizes: ArrayLike, scores: ArrayLike, best: float
) -> tuple[IntArray, FloatArray]:
    n = np.asarray(sizes)
    table = np.asarray(scores, dtype=float)
    table = table[:, None] if table.ndim == 1 else table
    if n.ndim != 1 or table.ndim != 2 or table.shape[0] != n.size:
        msg = f"One row of scores per size: {n.shape} sizes, {table.shape} scores."
        raise InvalidInputError(msg)
    if n.dtype.kind not in "iuf" or (n != np.floor(n)).any() or (n < 1).any():
        msg = "`sizes` must hold whole numbers from 1."
        raise InvalidInputError(msg)
    if not np.isfinite(table).all() or (table > best).any():
        msg = f"`scores` must be finite and at most {best:g}, the best there can be."
        raise InvalidInputError(msg)
    if np.unique(n).size < _FEWEST:
        msg = f"{np.unique(n).size} different sizes; a curve needs {_FEWEST}."
        raise InsufficientDataError(msg)
    return n.astype(np.int64), table


def _weights(given: ArrayLike | None, table: FloatArray) -> FloatArray:
    k, repeats = table.shape
    if given is not None:
        found = np.asarray(given, dtype=float)
        if found.shape != (k,) or not np.isfinite(found).all() or (found <= 0).any():
            msg = "`weights` must hold one number above zero per size."
            raise InvalidInputError(msg)
        return np.asarray(found / found.mean(), dtype=float)
    if repeats == 1:
        return np.ones(k)
    # Few repeats know their own variance badly: lean on what all sizes share.
    own = table.var(axis=1, ddof=1)
    common = own.mean()
    if common == 0:
        return np.ones(k)
    variance = ((repeats - 1) * own + 2 * common) / (repeats + 1)
    found = 1 / variance
    return np.asarray(found / found.mean(), dtype=float)


def _resampled(
    n: IntArray, table: FloatArray, law: PowerLaw, weights: FloatArray,
    best: float, count: int, rng: np.random.Generator,
) -> FloatArray:  # fmt: skip
    """Draw errors as they might have come out, (count, k)."""
    k, repeats = table.shape
    if repeats > 1:
        picks = rng.integers(repeats, size=(count, k, repeats))
        drawn = np.take_along_axis(table[None], picks, axis=2)
        # Resampled means vary too little by this factor.
        centre = table.mean(axis=1)
        wider = math.sqrt(repeats / (repeats - 1))
        return np.asarray(best - centre - wider * (drawn.mean(axis=2) - centre))
    fitted = law.error(n.astype(float))
    rest = (best - table[:, 0] - fitted) * np.sqrt(weights)
    freedom = max(k - _FEWEST, 1)
    spread = math.sqrt(float(rest @ rest) / freedom)
    noise = rng.standard_normal((count, k)) * spread / np.sqrt(weights)
    return np.asarray(fitted + noise)
