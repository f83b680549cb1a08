"""What the features look like: shapes, balance, redundancy, separation."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
import scipy  # its parts load when first used
from numpy.typing import ArrayLike, NDArray

from scorecast._core.checks import check_matrix, check_one_of, check_share
from scorecast._core.result import INPUT, OPTION, Result
from scorecast._core.types import FloatArray, IntArray
from scorecast.evaluation.metrics import Task
from scorecast.exceptions import InsufficientDataError, InvalidInputError

_FEWEST = 8  # samples for which a test of shape says anything
_MOST_WORK = 5e10  # products in comparing all features: some ten seconds
_STRIP = 4_000_000  # correlations held at a time
_ROUNDED = 64 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, kw_only=True, repr=False)
class DataProfile(Result):
    """In what kind of space a promise holds.

    Attributes
    ----------
    n_samples, n_features : int
        Sizes.
    threshold : float
        Correlation from which features are joined.
    class_counts : dict of str to int
        Samples of every class; empty where targets are numbers.
    n_constant : int
        Features without spread.
    skewness : float
        Median over features of the size of the skewness, within classes.
    share_skewed : float
        Share of features whose skewness exceeds 1 in size.
    share_not_normal : float
        Share of features whose shape within classes is not normal (Jarque and Bera, 5 %
        after Benjamini and Hochberg). The test needs some dozen samples to see
        anything.
    n_blocks : int or None
        Groups of two or more features joined by correlations of at least `threshold`;
        None where there are too many features to compare them all.
    largest_block : int or None
        Features in the largest of them; 1 if there is none.
    effective_features : float
        Directions the features vary in (participation ratio); far fewer than features
        where they are redundant, and never more than samples.
    separation : float
        Largest distance between two class means over features, in standard deviations
        within classes; for numbers the largest correlation of a feature with them.
    separation_by_luck : float
        What the best of as many independent features would show as often as not if
        none had anything to do with the target.
    """

    kind: ClassVar[str] = "data-profile"

    n_samples: int = field(metadata=INPUT)
    n_features: int = field(metadata=INPUT)
    threshold: float = field(metadata=OPTION)
    class_counts: dict[str, int]
    n_constant: int
    skewness: float
    share_skewed: float
    share_not_normal: float
    n_blocks: int | None
    largest_block: int | None
    effective_features: float
    separation: float
    separation_by_luck: float

    @property
    def samples_per_feature(self) -> float:
        """n/m."""
        return self.n_samples / self.n_features

    @property
    def balance(self) -> float:
        """Smallest class over the largest; NaN where targets are numbers."""
        if not self.class_counts:
            return math.nan
        return min(self.class_counts.values()) / max(self.class_counts.values())

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per property."""
        parts = self.to_dict()
        both = {**parts["inputs"], **parts["result"]}
        del both["class_counts"]
        return {"property": list(both), "value": list(both.values())}


def data_profile(
    X: ArrayLike,
    y: ArrayLike,
    *,
    task: str = "classification",
    threshold: float = 0.8,
) -> DataProfile:
    r"""Describe the space that a model learns from.

    Shapes are tested by Jarque and Bera [1]_ within classes: with skewness :math:`s`
    and excess kurtosis :math:`k`, :math:`n (s^2 / 6 + k^2 / 24)` is chi-squared with
    two degrees of freedom for a normal feature. Features vary in about
    :math:`(\sum \lambda_i)^2 / \sum \lambda_i^2` directions, with :math:`\lambda_i`
    the variances along principal axes.

    Parameters
    ----------
    X : array-like of shape (n, m)
        Features.
    y : array-like of shape (n,)
        Classes, or numbers.
    task : {"classification", "regression"}, default="classification"
        What `y` holds.
    threshold : float, default=0.8
        Size of the correlation, within classes, from which two features belong to one
        block.

    Returns
    -------
    DataProfile
        The description.

    Raises
    ------
    InvalidInputError
        If X and y do not fit.
    InsufficientDataError
        If there are too few samples or classes.

    References
    ----------
    .. [1] C. M. Jarque and A. K. Bera (1980). Efficient tests for normality,
       homoscedasticity and serial independence of regression residuals. Economics
       Letters 6.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.standard_normal((60, 6)), np.repeat([0, 1], 30)
    >>> X[:, 5] = X[:, 0] + 0.01 * X[:, 5]
    >>> found = data_profile(X, y)
    >>> found.n_blocks, found.largest_block, found.balance
    (1, 2, 1.0)
    """
    features = np.asarray(check_matrix(X, parameter="X"), dtype=np.float64)
    labels = np.asarray(y)
    if labels.shape != (features.shape[0],):
        raise InvalidInputError(
            f"must have one value for each of {features.shape[0]} rows; got shape "
            f"{labels.shape}",
            parameter="y",
        )
    check_one_of(task, "task", [*Task])
    check_share(threshold, "threshold", is_open=True)
    if task == Task.REGRESSION:
        rest, counts, separation = _about_numbers(features, labels)
    else:
        rest, counts, separation = _about_classes(features, labels)
    scaled, varies = _standardised(rest, features)
    apart, by_luck = separation(varies)
    return DataProfile(
        n_samples=features.shape[0],
        n_features=features.shape[1],
        threshold=float(threshold),
        class_counts=counts,
        n_constant=int(np.sum(np.ptp(features, axis=0) == 0)),
        **_shapes(scaled),
        **_blocks(scaled, threshold),
        effective_features=_directions(scaled),
        separation=apart,
        separation_by_luck=by_luck,
    )


_Separation = Callable[[NDArray[np.bool_]], tuple[float, float]]


def _about_classes(
    X: FloatArray, labels: NDArray[Any]
) -> tuple[FloatArray, dict[str, int], _Separation]:
    """Return what is left within classes, their counts, and how far they are apart."""
    classes, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    if classes.size < 2 or labels.size < max(_FEWEST, classes.size + 1):
        raise InsufficientDataError(
            f"has {labels.size} samples of {classes.size} classes; a description needs "
            f"{_FEWEST} samples of two classes, and more samples than classes",
            parameter="y",
        )
    means = np.array([X[codes == c].mean(axis=0) for c in range(classes.size)])
    rest = X - means[codes]

    def separation(varies: NDArray[np.bool_]) -> tuple[float, float]:
        gaps = (means.max(axis=0) - means.min(axis=0))[varies]
        if not gaps.size:
            return 0.0, 0.0
        spread = _within(rest, classes.size)[varies]
        return float(np.max(gaps / spread)), _lucky_distance(counts, gaps.size)

    known = {str(c): int(k) for c, k in zip(classes, counts, strict=True)}
    return rest, known, separation


def _about_numbers(
    X: FloatArray, target: NDArray[Any]
) -> tuple[FloatArray, dict[str, int], _Separation]:
    """Return centred features, no counts, and how far they go along with the target."""
    y = target.astype(np.float64)
    if y.size < _FEWEST or np.ptp(y) == 0:
        raise InsufficientDataError(
            f"has {y.size} samples, {np.unique(y).size} different targets; a "
            f"description needs {_FEWEST} samples and two targets",
            parameter="y",
        )
    rest, centred = X - X.mean(axis=0), y - y.mean()

    def separation(varies: NDArray[np.bool_]) -> tuple[float, float]:
        some = rest[:, varies]
        if not some.shape[1]:
            return 0.0, 0.0
        lengths = np.sqrt(np.einsum("ij,ij->j", some, some) * (centred @ centred))
        freedom = y.size - 2
        t = float(scipy.special.stdtrit(freedom, 1 - _tail(some.shape[1]) / 2))
        return (
            float(np.max(np.abs(centred @ some) / lengths)),
            t / math.sqrt(freedom + t * t),
        )

    return rest, {}, separation


def _tail(m: int) -> float:
    """Return the p-value that the best of m independent tests has in the middle."""
    return float(-np.expm1(math.log(0.5) / m))


def _lucky_distance(counts: IntArray, m: int) -> float:
    """Return the distance that m features without structure reach as often as not."""
    freedom = int(counts.sum()) - counts.size
    errors = np.array([math.sqrt(1 / a + 1 / b) for a, b in combinations(counts, 2)])

    def excess(distance: float) -> float:
        # Pairs are taken as independent, which overstates luck a little.
        beyond = 2 * scipy.special.stdtr(freedom, -distance / errors)
        return float(m * np.log1p(-np.minimum(beyond, 1 - 1e-12)).sum() + math.log(2))

    high = 1.0
    while excess(high) < 0:
        high *= 2
    return float(scipy.optimize.brentq(excess, 0.0, high))


def _within(rest: FloatArray, n_classes: int) -> FloatArray:
    variance = np.einsum("ij,ij->j", rest, rest) / (rest.shape[0] - n_classes)
    return np.asarray(np.sqrt(variance))


def _standardised(rest: FloatArray, X: FloatArray) -> tuple[FloatArray, Any]:
    """Scale residuals to unit length times root n; drop what is only rounding."""
    length = np.sqrt(np.mean(rest**2, axis=0))
    varies = length > _ROUNDED * np.abs(X).max(axis=0)
    return rest[:, varies] / length[varies], varies


def _shapes(scaled: FloatArray) -> dict[str, Any]:
    n, m = scaled.shape
    if m == 0:
        return {"skewness": 0.0, "share_skewed": 0.0, "share_not_normal": 0.0}
    skew = np.mean(scaled**3, axis=0)
    kurtosis = np.mean(scaled**4, axis=0) - 3
    p = np.sort(scipy.special.chdtrc(2, n * (skew**2 / 6 + kurtosis**2 / 24)))
    found = np.flatnonzero(p <= 0.05 * np.arange(1, m + 1) / m)
    share = (found[-1] + 1) / m if found.size else 0.0
    return {
        "skewness": float(np.median(np.abs(skew))),
        "share_skewed": float(np.mean(np.abs(skew) > 1)),
        "share_not_normal": float(share),
    }


def _blocks(scaled: FloatArray, threshold: float) -> dict[str, Any]:
    """Count connected blocks, comparing a strip of features with all at a time."""
    n, m = scaled.shape
    if n * m * m > _MOST_WORK:
        return {"n_blocks": None, "largest_block": None}
    if m == 0:
        return {"n_blocks": 0, "largest_block": 1}
    block = np.arange(m)
    strip = max(1, _STRIP // m)
    for first in range(0, m, strip):
        part = scaled[:, first : first + strip]
        rows, others = np.nonzero(np.abs(part.T @ scaled) >= threshold * n)
        block = _merged(block, rows + first, others)
    sizes: IntArray = np.bincount(block)
    return {"n_blocks": int(np.sum(sizes > 1)), "largest_block": int(sizes.max())}


def _merged(block: IntArray, left: IntArray, right: IntArray) -> IntArray:
    """Join the blocks that pairs of features belong to."""
    count = int(block.max()) + 1
    edges = scipy.sparse.coo_array(
        (np.ones(left.size, dtype=bool), (block[left], block[right])), (count, count)
    )
    _, whole = scipy.sparse.csgraph.connected_components(edges.tocsr(), directed=False)
    return np.asarray(whole[block], dtype=np.int64)


def _directions(scaled: FloatArray) -> float:
    """Return the participation ratio of the variances along principal directions."""
    n, m = scaled.shape
    if m == 0:
        return 0.0
    # Products of samples and of features have the same variances; take the smaller.
    gram = scaled @ scaled.T if n <= m else scaled.T @ scaled
    return float(np.trace(gram) ** 2 / np.sum(gram**2))
