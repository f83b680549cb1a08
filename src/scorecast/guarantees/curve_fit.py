"""Fit a learning curve: weights, and intervals that know of shared cases."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri, stdtrit

from scorecast._core.checks import check_choice, check_level
from scorecast._core.keywords import checked_keywords
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, IntArray, RandomState
from scorecast.evaluation import wilson
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError
from scorecast.guarantees.curve_slope import repeat_variance
from scorecast.guarantees.curve_target import check_target
from scorecast.guarantees.learning_curve import LearningCurveFit
from scorecast.guarantees.power_law import PowerLaw, fit_power_law

__all__ = ["OVER", "learning_curve_fit"]

OVER = ("cases", "features")
_FEWEST = 3  # sizes: as many as the law has numbers


@checked_keywords
def learning_curve_fit(
    sizes: ArrayLike,
    scores: ArrayLike,
    *,
    target: float | None = None,
    best: float | None = None,
    worst: float | None = None,
    greater_is_better: bool = True,
    loss: str = "score",
    over: str = "cases",
    weights: ArrayLike | None = None,
    test_ratio: float = 0.0,
    n_cases: int = 0,
    level: float = 0.9,
    n_replicates: int = 200,
    random_state: RandomState = None,
    notes: Sequence[str] = (),
    has_groups: bool = False,
) -> LearningCurveFit:
    """Fit an inverse power law to scores at several sizes.

    Parameters
    ----------
    sizes : array-like of shape (k,)
        Numbers of training cases, or of features; at least three.
    scores : array-like of shape (k,) or (k, r)
        Scores at each; with one column per repeat, such as a random subsample, sizes
        are weighted by how sure their mean is.
    target : float, optional
        A score; the answer says at what size it is reached.
    best : float, optional
        The best score there can be; 1 by default, or 0 where smaller is better.
    worst : float, optional
        The worst score there can be; values and intervals are cut there.
    greater_is_better : bool, default=True
        Whether scores grow as the model gets better.
    loss : str, default="score"
        What the scores are, for words and axes.
    over : {"cases", "features"}, default="cases"
        What the sizes count.
    weights : array-like of shape (k,), optional
        How much each size counts, in the place of the repeats' say.
    test_ratio : float, default=0.0
        Cases tested per case that could be learned from, if every repeat divides the
        same cases anew, as `learning_curve_scores` does (1/3 by its default). Such
        repeats agree more than new cases would; intervals are widened as Nadeau and
        Bengio do. The default takes repeats for independent.
    n_cases : int, default=0
        How many cases the repeats divide, if known.
    level : float, default=0.9
        Confidence of intervals.
    n_replicates : int, default=200
        Resamples behind the intervals: of repeats where there are some, otherwise of
        what the fit leaves over.
    random_state : int, Generator or None, optional
        Seed of the resamples.
    notes : sequence of str, optional
        What a reader must know of the sizes.
    has_groups : bool, default=False
        Whether cases come in groups; `n_cases` then counts independent ones, and no
        way to split them is proposed.

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
    check_choice(over, "over", OVER)
    if best is None:
        best = 1.0 if greater_is_better else 0.0
    n, errors = _checked(sizes, scores, best, greater_is_better)
    _check_numbers(n_replicates, test_ratio)
    if target is not None:
        check_target(target, best, greater=greater_is_better)
    counts = _weights(weights, errors)
    law = fit_power_law(n.astype(float), errors.mean(axis=1), counts)
    rng = as_generator(random_state)
    if errors.shape[1] > 1:
        samples = _redrawn(errors, test_ratio, level, int(n_replicates), rng)
    else:
        samples = _scattered(n, errors[:, 0], law, counts, int(n_replicates), rng)
    samples = samples + _of_a_share(
        errors, _width(errors, best, worst), int(n_cases), samples, level, rng
    )
    return LearningCurveFit(
        sizes=n,
        scores=best - errors if greater_is_better else best + errors,
        weights=counts,
        best=float(best),
        worst=None if worst is None else float(worst),
        law=law,
        replicates=tuple(fit_power_law(n.astype(float), e, counts) for e in samples),
        target=None if target is None else float(target),
        level=level,
        seed=seed_number(random_state),
        greater_is_better=greater_is_better,
        loss=loss,
        over=over,
        test_ratio=float(test_ratio),
        n_cases=int(n_cases),
        notes=tuple(notes),
        has_groups=has_groups,
    )


def _check_numbers(n_replicates: int, test_ratio: float) -> None:
    if not isinstance(n_replicates, numbers.Integral) or n_replicates < 1:
        msg = f"`n_replicates` must be a whole number from 1; got {n_replicates!r}."
        raise UsageError(msg)
    if not (np.isfinite(test_ratio) and test_ratio >= 0):
        msg = f"`test_ratio` must be a number from 0; got {test_ratio!r}."
        raise UsageError(msg)


def _checked(
    sizes: ArrayLike, scores: ArrayLike, best: float, greater: bool
) -> tuple[IntArray, FloatArray]:
    """Return sizes, and errors as distances to the best score."""
    n = np.asarray(sizes)
    table = np.asarray(scores, dtype=float)
    table = table[:, None] if table.ndim == 1 else table
    if n.ndim != 1 or table.ndim != 2 or table.shape[0] != n.size:
        msg = f"One row of scores per size: {n.shape} sizes, {table.shape} scores."
        raise InvalidInputError(msg)
    if n.dtype.kind not in "iuf" or (n != np.floor(n)).any() or (n < 1).any():
        msg = "`sizes` must hold whole numbers from 1."
        raise InvalidInputError(msg)
    errors = best - table if greater else table - best
    if not np.isfinite(table).all() or (errors < 0).any():
        side = "at most" if greater else "at least"
        msg = f"`scores` must be finite and {side} {best:g}, the best there can be."
        raise InvalidInputError(msg)
    if np.unique(n).size < _FEWEST:
        msg = f"{np.unique(n).size} different sizes; a curve needs {_FEWEST}."
        raise InsufficientDataError(msg)
    if table.shape[1] == 1 and np.unique(n).size == _FEWEST:
        # The law goes through all of them, and an interval would have no width.
        msg = f"{_FEWEST} sizes without repeats tell no interval; give 4, or repeats."
        raise InsufficientDataError(msg)
    return n.astype(np.int64), errors


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
    variance = repeat_variance(table)
    if not variance.any():
        return np.ones(k)
    found = 1 / variance
    return np.asarray(found / found.mean(), dtype=float)


def _redrawn(
    errors: FloatArray,
    test_ratio: float,
    level: float,
    count: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Draw repeats anew, whole, since all sizes of one are tested on the same cases.

    Returns (count, k). The mean of r repeats that share cases has a variance of
    1/r + test_ratio times that of one (Nadeau and Bengio); drawing anew gives only
    (r - 1)/r^2 times it. Cases that are hard at one size are hard at all: half of what
    sharing adds moves all sizes together. Measured on 62 cases and level 90 %, with
    what `_of_a_share` adds, this holds the truth in 93 to 98 of 100, inside the sizes
    tried and far beyond; taking repeats for independent, in 42 to 75.
    """
    repeats = errors.shape[1]
    picks = rng.integers(repeats, size=(count, repeats))
    centre, spread = errors.mean(axis=1), errors.std(axis=1, ddof=1)
    drawn = errors[:, picks].mean(axis=2).T - centre
    own = math.sqrt((1 / repeats + test_ratio / 2) * repeats**2 / (repeats - 1))
    common = math.sqrt(test_ratio / 2) * rng.standard_normal((count, 1)) * spread
    # Spreads are estimated from few repeats: Student's tails, not the normal ones.
    tail = 0.5 + level / 2
    wider = float(stdtrit(repeats - 1, tail) / ndtri(tail))
    return np.asarray(centre + wider * (own * drawn + common))


def _scattered(
    n: IntArray, errors: FloatArray, law: PowerLaw, weights: FloatArray,
    count: int, rng: np.random.Generator,
) -> FloatArray:  # fmt: skip
    """Scatter errors around the law as far as those seen lie from it, (count, k)."""
    fitted = law.error(n.astype(float))
    rest = (errors - fitted) * np.sqrt(weights)
    freedom = max(n.size - _FEWEST, 1)
    spread = math.sqrt(float(rest @ rest) / freedom)
    noise = rng.standard_normal((count, n.size)) * spread / np.sqrt(weights)
    return np.asarray(fitted + noise)


def _width(errors: FloatArray, best: float, worst: float | None) -> float:
    """Return how far the worst score lies from the best; 0 where nobody knows."""
    if worst is not None:
        return abs(best - worst)
    return 1.0 if errors.max() <= 1 else 0.0


def _of_a_share(
    errors: FloatArray, width: float, n_cases: int, samples: FloatArray, level: float,
    rng: np.random.Generator,
) -> FloatArray:  # fmt: skip
    """Move all sizes together as far as a share of so many cases is uncertain.

    Where every repeat says the same, as at 0 or 100 %, drawing anew shows no spread at
    all. What is drawn already counts: only what lacks to Wilson's interval is added.
    Where the number of cases is unknown it is at least that of the repeats, and they
    are asked only if they all agree. Returns (count, k).
    """
    k, repeats = errors.shape
    silent = np.ptp(errors, axis=1) == 0
    n = n_cases or (repeats if repeats > 1 else 0)
    if width == 0 or n == 0 or (repeats > 1 and not n_cases and not silent.any()):
        return np.zeros((1, k))
    tail = 0.5 + level / 2
    centre = errors.mean(axis=1)
    known = float(ndtri(tail)) * samples.std(axis=0)
    asked = silent if repeats > 1 and not n_cases else np.ones(k, dtype=bool)
    ends = np.array([wilson(min(e / width, 1.0) * n, n, level) for e in centre]) * width
    lacks = [
        np.where(asked, np.sqrt(np.maximum((end - centre) ** 2 - known**2, 0)), 0)
        for end in (ends[:, 0], ends[:, 1])
    ]
    draw = rng.standard_normal((samples.shape[0], 1)) / float(ndtri(tail))
    return np.where(draw < 0, draw * lacks[0], draw * lacks[1])
