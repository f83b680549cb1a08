"""What knows next to nothing: null data, and the null models to be beaten.

Null data have the global regularities of the real ones and no joint structure: what
single features say of the target is kept, one at a time: the mean of every class, or,
where the target is a number, a straight line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import scipy  # its parts load when first used

from scorecast._core.registry import Method, Registry
from scorecast._core.types import FloatArray, IntArray
from scorecast.evaluation.data import EvaluationData, is_table, shuffled_columns
from scorecast.evaluation.metrics import Task

Draw = Callable[[EvaluationData, FloatArray, np.random.Generator], FloatArray]
_BINS, _LEAST_IN_BIN = 10, 5  # of like numbers, to shuffle among
_PAPER = (
    "R. Henriques and S. C. Madeira (2015). Towards robust performance guarantees for "
    "models learned from high-dimensional data. In: Big Data in Complex Systems."
)


@dataclass(frozen=True, kw_only=True)
class NullDataMethod(Method):
    """A way to draw null data.

    Attributes
    ----------
    draw : callable or None
        From data, their features as numbers, and a generator to features for the same
        targets; None where features are shuffled as they are.
    keeps_class_means : bool
        Whether class means (or slopes along a number) are those of the data; else
        shrunk towards the mean of all.
    keeps_covariance : bool
        Whether features go together as in the data, on the whole.
    keeps_marginals : bool
        Whether every feature has the very values of the data, class by class.
    keeps_target : bool
        Whether single features say something of the target at all.
    """

    draw: Draw | None
    keeps_class_means: bool = True
    keeps_covariance: bool = False
    keeps_marginals: bool = False
    keeps_target: bool = True


NULL_DATA: Registry[NullDataMethod] = Registry()


@dataclass(frozen=True, kw_only=True)
class NullModel(Method):
    """A model that knows next to nothing.

    Attributes
    ----------
    path : str
        Its class, loaded when it is first used: it brings scikit-learn along.
    task : Task
        What it predicts.
    is_constant : bool
        Whether its answer is the same for all samples.
    """

    path: str
    task: Task = Task.CLASSIFICATION
    is_constant: bool = False

    def make(self) -> Any:
        """Return the model, not fitted."""
        module, _, name = self.path.rpartition(".")
        return getattr(import_module(module), name)()


NULL_MODELS: Registry[NullModel] = Registry()
NULL_MODELS.add(
    NullModel(
        name="feature-mode",
        title="the feature-mode classifier",
        summary="every feature names the class whose mean is nearest, and votes",
        reference=_PAPER,
        path="scorecast.evaluation.estimators.FeatureModeClassifier",
    )
)
NULL_MODELS.add(
    NullModel(
        name="majority",
        title="the most frequent class",
        summary="always the most frequent class",
        path="scorecast.evaluation.estimators.MajorityClassifier",
        is_constant=True,
    )
)
NULL_MODELS.add(
    NullModel(
        name="mean",
        title="the mean",
        summary="always the mean of the targets",
        path="scorecast.evaluation.estimators.MeanRegressor",
        task=Task.REGRESSION,
        is_constant=True,
    )
)


def draw_null_data(data: EvaluationData, kind: str, rng: np.random.Generator) -> Any:
    """Draw features that keep what each says of the target, one feature at a time.

    Parameters
    ----------
    data : EvaluationData
        The real data.
    kind : str
        One of `NULL_DATA`. Features of which some are missing or no numbers are always
        shuffled.
    rng : numpy.random.Generator
        Where randomness comes from.

    Returns
    -------
    ndarray or data frame of shape (n_samples, n_features)
        Features for the same targets.
    """
    method, known = NULL_DATA[kind], data.matrix()
    if method.draw is None or known is None:
        return _shuffled(data, rng)
    drawn = method.draw(data, np.asarray(known, dtype=np.float64), rng)
    if not is_table(data.X):
        return drawn
    return type(data.X)(drawn, columns=data.X.columns, index=data.X.index)


def _class_means(data: EvaluationData, values: FloatArray) -> FloatArray:
    each = [values[data.codes == c].mean(axis=0) for c in range(data.n_classes)]
    means: FloatArray = np.stack(each)
    return means


def _slopes(data: EvaluationData, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return targets around their mean, and how features rise with them."""
    y = np.asarray(data.y, dtype=np.float64)
    y = y - y.mean()
    square = float(y @ y)
    slopes: FloatArray = (
        y @ values / square if square > 0 else np.zeros(values.shape[1])
    )
    return y, slopes


def _expected(data: EvaluationData, values: FloatArray) -> tuple[FloatArray, int]:
    """Return what targets make of every value, and the parameters of a feature."""
    if data.is_classification:
        return _class_means(data, values)[data.codes], data.n_classes
    y, slopes = _slopes(data, values)
    expected: FloatArray = values.mean(axis=0) + np.outer(y, slopes)
    return expected, 2


def _draw_shrunk(
    data: EvaluationData, values: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Shrink class means, or slopes, by what chance alone would make of them."""
    middle = values.mean(axis=0)
    expected, n_fitted = _expected(data, values)
    centred = values - expected
    if data.is_classification:
        offsets = _class_means(data, values) - middle
        share = real_share(offsets, centred, data.class_counts)
    else:
        y, slopes = _slopes(data, values)
        share = _real_share_of(slopes**2 * (y @ y), centred, n_fitted)
    # The square root keeps the spread that the true means have.
    expected = middle + np.sqrt(share) * (expected - middle)
    drawn: FloatArray = expected + _correlated(centred, n_fitted, rng)
    return drawn


def _draw_normal(
    data: EvaluationData, values: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Draw every feature for itself."""
    expected, n_fitted = _expected(data, values)
    centred = values - expected
    noise = rng.standard_normal(values.shape)
    if not data.is_classification:
        degrees = max(data.n_samples - n_fitted, 1)
        spread = np.sqrt((centred**2).sum(axis=0) / degrees)
        around: FloatArray = expected + spread * noise
        return around
    codes = data.codes
    squares = np.stack(
        [(centred[codes == c] ** 2).sum(0) for c in range(data.n_classes)]
    )
    spreads = np.sqrt(squares / np.maximum(data.class_counts - 1, 1)[:, None])
    drawn: FloatArray = expected + spreads[codes] * noise
    return drawn


def _draw_correlated(
    data: EvaluationData, values: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Draw around class means, or lines, as they are."""
    expected, n_fitted = _expected(data, values)
    return expected + _correlated(values - expected, n_fitted, rng)


def _draw_independent(
    data: EvaluationData, values: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Draw without a look at the targets."""
    del data
    middle = values.mean(axis=0)
    drawn: FloatArray = middle + _correlated(values - middle, 1, rng)
    return drawn


NULL_DATA.add(
    NullDataMethod(
        name="shrunk",
        title="normal null data with shrunk class means",
        summary="means of classes (slopes along a number) and common covariance, "
        "less what chance made of them",
        reference=_PAPER,
        draw=_draw_shrunk,
        keeps_class_means=False,
        keeps_covariance=True,
    )
)
NULL_DATA.add(
    NullDataMethod(
        name="normal",
        title="normal null data, feature by feature",
        summary="means and spreads of each class (lines along a number) as they are, "
        "nothing in common",
        reference=_PAPER,
        draw=_draw_normal,
    )
)
NULL_DATA.add(
    NullDataMethod(
        name="shuffle",
        title="features shuffled within classes",
        summary="the features themselves, each shuffled on its own within each class "
        "(among samples of like numbers)",
        reference="M. Ojala and G. C. Garriga (2010). Permutation tests for studying "
        "classifier performance. Journal of Machine Learning Research 11.",
        draw=None,
        keeps_marginals=True,
    )
)
NULL_DATA.add(
    NullDataMethod(
        name="covariance",
        title="normal null data with the common covariance",
        summary="means of classes (lines along a number) as they are, with the common "
        "covariance, shrunk",
        reference=_PAPER,
        draw=_draw_correlated,
        keeps_covariance=True,
    )
)
NULL_DATA.add(
    NullDataMethod(
        name="independent",
        title="normal null data that know nothing of the target",
        summary="mean and covariance of all samples, whatever the target",
        reference=_PAPER,
        draw=_draw_independent,
        keeps_class_means=False,
        keeps_covariance=True,
        keeps_target=False,
    )
)


def real_share(offsets: FloatArray, centred: FloatArray, counts: IntArray) -> float:
    """Estimate how much of what class means differ by is not chance.

    Parameters
    ----------
    offsets : ndarray of shape (n_classes, n_features)
        Class means less the mean of all.
    centred : ndarray of shape (n_samples, n_features)
        Features less the mean of their class.
    counts : ndarray of shape (n_classes,)
        Samples of every class.

    Returns
    -------
    float
        Between 0 and 1: one less the differences expected by chance over those seen,
        in units of the spread within classes, over all features together.
    """
    explained = (counts[:, None] * offsets**2).sum(axis=0)
    return _real_share_of(explained, centred, counts.size)


def _real_share_of(explained: FloatArray, centred: FloatArray, n_fitted: int) -> float:
    """Estimate how much of the sums of squares that targets explain is not chance."""
    degrees = centred.shape[0] - n_fitted
    if degrees <= 2:
        return 0.0  # chance has no expectation then
    within = (centred**2).sum(axis=0) / degrees
    varies = within > 0
    seen = float((explained[varies] / within[varies]).sum())
    # The mean of F is above one, as the spread within is estimated too.
    expected = (n_fitted - 1) * float(varies.sum()) * degrees / (degrees - 2)
    return max(0.0, 1 - expected / seen) if seen > 0 else 0.0


def _alike(data: EvaluationData) -> IntArray:
    """Return which samples have like targets: a class, or neighbouring numbers."""
    if data.is_classification:
        return data.codes
    n_bins = max(1, min(_BINS, data.n_samples // _LEAST_IN_BIN))
    places = scipy.stats.rankdata(data.y, method="min") - 1  # equals stay together
    bins: IntArray = (places * n_bins / data.n_samples).astype(np.int64)
    return bins


def _shuffled(data: EvaluationData, rng: np.random.Generator) -> Any:
    """Shuffle every feature among samples of like targets, whatever it is."""
    orders = np.tile(np.arange(data.n_samples)[:, None], (1, data.n_features))
    alike = _alike(data)
    for code in range(int(alike.max()) + 1):
        own = alike == code
        orders[own] = rng.permuted(orders[own], axis=0)
    return shuffled_columns(data.X, orders)


def ledoit_wolf(centred: FloatArray) -> float:
    """Return by how much to shrink a covariance (Ledoit and Wolf 2004).

    As scikit-learn's for values around zero, but without the covariance of features:
    sums of squares are those of the products of samples, of which there are far fewer.

    Parameters
    ----------
    centred : ndarray of shape (n_samples, n_features)
        Features around zero.

    Returns
    -------
    float
        Between 0 and 1.
    """
    n, m = centred.shape
    squares = (centred**2).sum(axis=1)
    products = centred @ centred.T if n < m else centred.T @ centred
    seen = float((products**2).sum()) / n**2
    mean = float(squares.sum()) / (n * m)
    spread = (seen - m * mean**2) / m
    chance = (float((squares**2).sum()) / n - seen) / (n * m)
    return min(chance, spread) / spread if chance > 0 and spread > 0 else 0.0


def _correlated(
    centred: FloatArray, n_fitted: int, rng: np.random.Generator
) -> FloatArray:
    """Draw from the shrunk common covariance without ever forming it."""
    n, m = centred.shape
    scale = centred.std(axis=0)
    scale[scale == 0] = 1.0
    standard = centred / scale
    shrinkage = ledoit_wolf(standard)
    degrees = max(n - n_fitted, 1)
    shared = rng.standard_normal((n, n)) @ standard / np.sqrt(degrees)
    alone = rng.standard_normal((n, m)) * np.sqrt(n / degrees)
    mixed = np.sqrt(1 - shrinkage) * shared + np.sqrt(shrinkage) * alone
    drawn: FloatArray = mixed * scale
    return drawn
