"""Scores of a model as it is given more cases, or more features."""

from __future__ import annotations

import numbers
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scorecast._core.checks import check_choice, check_matrix, check_n_jobs
from scorecast._core.keywords import checked_keywords
from scorecast._core.parallel import map_tasks
from scorecast._core.rng import as_generator
from scorecast._core.types import FloatArray, IntArray, RandomState
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError
from scorecast.guarantees.curve_fit import OVER
from scorecast.guarantees.permutation.refits import Refitting
from scorecast.guarantees.permutation.splits import CaseSplit

__all__ = ["learning_curve_scores", "mixed_order"]

_FEWEST_REPEATS = 2
_SEEDS = 2**31 - 1


@checked_keywords
def learning_curve_scores(
    estimator: Any,
    X: ArrayLike,
    y: ArrayLike,
    sizes: Iterable[int],
    *,
    over: str = "cases",
    n_repeats: int = 20,
    test_share: float = 0.25,
    scoring: Any = None,
    random_state: RandomState = None,
    n_jobs: int | None = None,
) -> FloatArray:
    """Score a model at several sizes, on the same test cases within a repeat.

    Smaller samples are parts of larger ones, and classes keep their shares, so that
    differences between sizes are not differences between samples.

    Parameters
    ----------
    estimator : scikit-learn estimator
        It is cloned, never changed.
    X : array-like of shape (n, m)
        Features.
    y : array-like of shape (n,)
        Labels.
    sizes : iterable of int
        Numbers of training cases, or of features drawn at random.
    over : {"cases", "features"}, default="cases"
        What the sizes count.
    n_repeats : int, default=20
        Random divisions into training and test.
    test_share : float, default=0.25
        Share of cases that are tested.
    scoring : str or callable, optional
        As in scikit-learn; more is better.
    random_state : int, Generator or None, optional
        Seed of the divisions.
    n_jobs : int, optional
        Number of workers; the answer does not depend on it.

    Returns
    -------
    ndarray of shape (n_sizes, n_repeats)
        For `learning_curve_fit`, with ``test_ratio=test_share / (1 - test_share)``.
        Repeats in which the model failed are left out.

    Raises
    ------
    InsufficientDataError
        If a size exceeds what there is, or the model fails nearly always.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.standard_normal((80, 5)), np.arange(80) % 2
    >>> X[y == 1] += 1
    >>> learning_curve_scores(
    ...     GaussianNB(), X, y, [10, 30, 60], n_repeats=4, random_state=0
    ... ).shape
    (3, 4)
    """
    from sklearn.base import is_classifier
    from sklearn.metrics import check_scoring

    features = np.asarray(check_matrix(X, "X"), dtype=np.float64)
    labels = np.asarray(y)
    if labels.shape != (features.shape[0],):
        msg = f"X has {features.shape[0]} rows, but y has shape {labels.shape}."
        raise InvalidInputError(msg)
    check_choice(over, "over", OVER)
    check_n_jobs(n_jobs)
    n_test = _n_test(test_share, labels.size)
    most = labels.size - n_test if over == "cases" else features.shape[1]
    wanted = _checked_sizes(sizes, most, over)
    if not isinstance(n_repeats, numbers.Integral) or n_repeats < _FEWEST_REPEATS:
        msg = f"`n_repeats` must be a whole number from 2; got {n_repeats!r}."
        raise UsageError(msg)
    scorer = check_scoring(estimator, scoring=scoring)
    fitting = Refitting(estimator=estimator, scorer=scorer, X=features, y=labels)
    strata = labels if is_classifier(estimator) else np.zeros(labels.size)
    work = _Repeat(
        fitting=fitting, strata=strata, sizes=wanted, over=over, n_test=n_test
    )
    rng = as_generator(random_state)
    found = map_tasks(
        work, range(int(n_repeats)), rng=rng, n_jobs=n_jobs, what="learning"
    )
    return _worked(found)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Repeat:
    """One division into training and test, scored at every size."""

    fitting: Refitting
    strata: NDArray[Any]
    sizes: list[int]
    over: str
    n_test: int

    def __call__(
        self, repeat: int, rng: np.random.Generator
    ) -> tuple[list[float], Counter[str]]:
        """Score all sizes."""
        del repeat
        order = mixed_order(self.strata, rng)
        test, train = order[: self.n_test], order[self.n_test :]
        train = train[mixed_order(self.strata[train], rng)]
        columns = rng.permutation(self.fitting.X.shape[1])
        seed = int(rng.integers(_SEEDS))
        failures: Counter[str] = Counter()
        scores = []
        for size in self.sizes:
            fitting, known = self.fitting, train[:size]
            if self.over == "features":
                part = np.sort(columns[:size])
                fitting, known = replace(fitting, X=fitting.X[:, part]), train
            split = CaseSplit(train=known, test=test)
            scores.append(fitting.score(fitting.y, split, failures, seed))
        return scores, failures


def mixed_order(strata: NDArray[Any], rng: np.random.Generator) -> IntArray:
    """Order cases at random, every beginning holding the classes in their shares."""
    place = np.empty(strata.size)
    for kind in np.unique(strata):
        members = rng.permutation(np.flatnonzero(strata == kind))
        start = rng.random()
        place[members] = (np.arange(members.size) + start) / members.size
    return np.argsort(place, kind="stable")


def _n_test(share: float, n: int) -> int:
    if not isinstance(share, numbers.Real) or not 0 < share < 1:
        msg = f"`test_share` must lie strictly between 0 and 1; got {share!r}."
        raise UsageError(msg)
    return min(max(round(share * n), 1), n - 1)


def _checked_sizes(sizes: Iterable[int], most: int, over: str) -> list[int]:
    found = list(sizes)
    if not found or any(not isinstance(s, numbers.Integral) or s < 1 for s in found):
        msg = "`sizes` must hold whole numbers from 1, at least one."
        raise UsageError(msg)
    if max(found) > most:
        msg = (
            f"Size {max(found):,} exceeds the {most:,} {over} there are to learn from."
        )
        raise InsufficientDataError(msg)
    return [int(size) for size in found]


def _worked(found: list[tuple[list[float], Counter[str]]]) -> FloatArray:
    table = np.array([scores for scores, _ in found]).T
    whole = np.isfinite(table).all(axis=0)
    if whole.sum() < _FEWEST_REPEATS:
        reasons: Counter[str] = Counter()
        for _, failures in found:
            reasons.update(failures)
        msg = f"The model failed in nearly every repeat: {reasons.most_common(1)[0][0]}"
        raise InsufficientDataError(msg)
    return np.ascontiguousarray(table[:, whole])
