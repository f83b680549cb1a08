"""In what kind of space a promise holds: shapes, balance, redundancy, separation."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc

from scorecast._core.checks import check_matrix
from scorecast._core.results import Result
from scorecast._core.types import FloatArray, IntArray, Json
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError

__all__ = ["Regularities", "data_regularities"]

_FEWEST = 8  # cases for which a test of shape says anything
_ROUNDED = 64 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Regularities(Result):
    """What the features look like, beside the guarantee they come with.

    Attributes
    ----------
    n_cases, n_features : int
        Sizes.
    class_counts : dict of str to int
        Cases of every class.
    n_constant : int
        Features without spread.
    skewness : float
        Median over features of the size of the skewness, within classes.
    share_not_normal : float
        Share of features whose shape within classes is not normal (Jarque and Bera, 5 %
        after Benjamini and Hochberg). The test needs some dozen cases to see anything.
    n_blocks : int
        Groups of two or more features joined by correlations of at least `threshold`.
    largest_block : int
        Features in the largest of them; 1 if there is none.
    effective_features : float
        Directions the features vary in (participation ratio); far fewer than features
        where they are redundant, and never more than cases.
    separation : float
        Largest distance between two class means over features, in standard deviations
        within classes. Of many features, some are far apart by luck.
    threshold : float
        Correlation from which features are joined.
    """

    kind: ClassVar[str] = "regularities"

    n_cases: int
    n_features: int
    class_counts: dict[str, int]
    n_constant: int
    skewness: float
    share_not_normal: float
    n_blocks: int
    largest_block: int
    effective_features: float
    separation: float
    threshold: float

    @property
    def cases_per_feature(self) -> float:
        """n/m."""
        return self.n_cases / self.n_features

    @property
    def balance(self) -> float:
        """Smallest class over the largest."""
        return min(self.class_counts.values()) / max(self.class_counts.values())

    def summary(self) -> str:
        """Say what kind of space it is."""
        return (
            f"{self.n_cases:,} cases, {self.n_features:,} features "
            f"({self.cases_per_feature:.2g} cases each) that vary in about "
            f"{self.effective_features:.0f} directions; smallest class "
            f"{self.balance:.2g} of the largest; {100 * self.share_not_normal:.0f} % "
            f"of features not normal; {self.n_blocks:,} blocks of correlated features."
        )

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per property."""
        inputs, _, result = self._parts()
        both = {**inputs, **result}
        del both["class_counts"]
        return {"property": list(both), "value": list(both.values())}

    def _parts(self) -> tuple[Json, Json, Json]:
        known = {field.name: getattr(self, field.name) for field in fields(self)}
        inputs = {name: known.pop(name) for name in ("n_cases", "n_features")}
        return inputs, {"threshold": known.pop("threshold")}, known

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        return cls(**inputs, **options, **result)


def data_regularities(
    X: ArrayLike, y: ArrayLike, *, threshold: float = 0.8
) -> Regularities:
    """Describe the space that a model learns from.

    Parameters
    ----------
    X : array-like of shape (n, m)
        Features.
    y : array-like of shape (n,)
        Classes.
    threshold : float, default=0.8
        Size of the correlation, within classes, from which two features belong to one
        block.

    Returns
    -------
    Regularities
        The description.

    Raises
    ------
    InvalidInputError
        If X and y do not fit.
    InsufficientDataError
        If there are too few cases or classes.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.standard_normal((60, 6)), np.repeat([0, 1], 30)
    >>> X[:, 5] = X[:, 0] + 0.01 * X[:, 5]
    >>> found = data_regularities(X, y)
    >>> found.n_blocks, found.largest_block, found.balance
    (1, 2, 1.0)
    """
    features = np.asarray(check_matrix(X, "X"), dtype=np.float64)
    labels = np.asarray(y)
    if labels.shape != (features.shape[0],):
        msg = f"X has {features.shape[0]} rows, but y has shape {labels.shape}."
        raise InvalidInputError(msg)
    if not 0 < threshold < 1:
        msg = f"`threshold` must lie strictly between 0 and 1; got {threshold!r}."
        raise UsageError(msg)
    classes, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    if classes.size < 2 or labels.size < max(_FEWEST, classes.size + 1):
        msg = f"{labels.size} cases of {classes.size} classes describe no space."
        raise InsufficientDataError(msg)
    means = np.array([features[codes == c].mean(axis=0) for c in range(classes.size)])
    scaled, varies = _standardised(features - means[codes], features)
    gaps = (means.max(axis=0) - means.min(axis=0))[varies]
    spread = _within(features - means[codes], classes.size)[varies]
    return Regularities(
        n_cases=features.shape[0],
        n_features=features.shape[1],
        class_counts={str(c): int(k) for c, k in zip(classes, counts, strict=True)},
        n_constant=int(np.sum(np.ptp(features, axis=0) == 0)),
        **_shapes(scaled),
        **_blocks(scaled, threshold),
        effective_features=_directions(scaled),
        separation=float(np.max(gaps / spread)) if gaps.size else 0.0,
        threshold=float(threshold),
    )


def _within(rest: FloatArray, n_classes: int) -> FloatArray:
    variance = np.einsum("ij,ij->j", rest, rest) / (rest.shape[0] - n_classes)
    return np.asarray(np.sqrt(variance))


def _standardised(rest: FloatArray, X: FloatArray) -> tuple[FloatArray, Any]:
    """Scale residuals to unit length times root n; drop what is only rounding."""
    length = np.sqrt(np.mean(rest**2, axis=0))
    varies = length > _ROUNDED * np.abs(X).max(axis=0)
    return rest[:, varies] / length[varies], varies


def _shapes(scaled: FloatArray) -> Json:
    n, m = scaled.shape
    if m == 0:
        return {"skewness": 0.0, "share_not_normal": 0.0}
    skew = np.mean(scaled**3, axis=0)
    kurtosis = np.mean(scaled**4, axis=0) - 3
    p = np.sort(chdtrc(2, n * (skew**2 / 6 + kurtosis**2 / 24)))
    found = np.flatnonzero(p <= 0.05 * np.arange(1, m + 1) / m)
    share = (found[-1] + 1) / m if found.size else 0.0
    return {
        "skewness": float(np.median(np.abs(skew))),
        "share_not_normal": float(share),
    }


def _blocks(scaled: FloatArray, threshold: float) -> Json:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    if scaled.shape[1] == 0:
        return {"n_blocks": 0, "largest_block": 1}
    joined = np.abs(scaled.T @ scaled) >= threshold * scaled.shape[0]
    _, block = connected_components(csr_array(joined), directed=False)
    sizes: IntArray = np.bincount(block)
    return {"n_blocks": int(np.sum(sizes > 1)), "largest_block": int(sizes.max())}


def _directions(scaled: FloatArray) -> float:
    """Return the participation ratio of the variances along principal directions."""
    if scaled.shape[1] == 0:
        return 0.0
    gram = scaled @ scaled.T
    return float(np.trace(gram) ** 2 / np.sum(gram**2))
