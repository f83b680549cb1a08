"""What knows next to nothing: null data, and the null models to be beaten.

Null data have the global regularities of the real ones and no joint structure: what
each class looks like is kept, one feature at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from scorecast._core.registry import Method, Registry
from scorecast._core.types import FloatArray, IntArray
from scorecast.evaluation.data import EvaluationData, is_table, shuffled_columns
from scorecast.evaluation.metrics import Task
from scorecast.exceptions import UsageError

Draw = Callable[[EvaluationData, FloatArray, np.random.Generator], FloatArray]
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
        Whether class means are those of the data; else shrunk towards one another.
    keeps_covariance : bool
        Whether features go together as in the data, on the whole.
    keeps_marginals : bool
        Whether every feature has the very values of the data, class by class.
    """

    draw: Draw | None
    keeps_class_means: bool = True
    keeps_covariance: bool = False
    keeps_marginals: bool = False


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
    """Draw features that keep what each class looks like, one feature at a time.

    Parameters
    ----------
    data : EvaluationData
        The real data, with classes.
    kind : str
        One of `NULL_DATA`. Features of which some are missing or no numbers are always
        shuffled.
    rng : numpy.random.Generator
        Where randomness comes from.

    Returns
    -------
    ndarray or data frame of shape (n_samples, n_features)
        Features for the same targets.

    Raises
    ------
    UsageError
        If there are no classes to be conditional on.
    """
    if not data.is_classification:
        problem = "keeps what each class looks like, and these targets are numbers"
        raise UsageError(problem, parameter="null_data")
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


def _draw_shrunk(
    data: EvaluationData, values: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Shrink class means by what chance alone would make of them."""
    means, middle = _class_means(data, values), values.mean(axis=0)
    centred = values - means[data.codes]
    share = real_share(means - middle, centred, data.class_counts)
    # The square root keeps the spread that the true means have.
    means = middle + np.sqrt(share) * (means - middle)
    drawn: FloatArray = means[data.codes] + _correlated(centred, data.n_classes, rng)
    return drawn


def _draw_normal(
    data: EvaluationData, values: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Draw every feature for itself."""
    codes, means = data.codes, _class_means(data, values)
    centred = values - means[codes]
    squares = np.stack(
        [(centred[codes == c] ** 2).sum(0) for c in range(data.n_classes)]
    )
    spreads = np.sqrt(squares / np.maximum(data.class_counts - 1, 1)[:, None])
    noise = rng.standard_normal(values.shape)
    drawn: FloatArray = means[codes] + spreads[codes] * noise
    return drawn


def _draw_correlated(
    data: EvaluationData, values: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Draw around class means as they are."""
    means = _class_means(data, values)
    centred = values - means[data.codes]
    return means[data.codes] + _correlated(centred, data.n_classes, rng)


NULL_DATA.add(
    NullDataMethod(
        name="shrunk",
        title="normal null data with shrunk class means",
        summary="means of classes and common covariance, less what chance made of them",
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
        summary="means and spreads of each class as they are, nothing in common",
        reference=_PAPER,
        draw=_draw_normal,
    )
)
NULL_DATA.add(
    NullDataMethod(
        name="shuffle",
        title="features shuffled within classes",
        summary="the features themselves, each shuffled within each class on its own",
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
        summary="means of classes as they are, with the common covariance, shrunk",
        reference=_PAPER,
        draw=_draw_correlated,
        keeps_covariance=True,
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
    degrees = centred.shape[0] - counts.size
    if degrees <= 2:
        return 0.0  # chance has no expectation then
    within = (centred**2).sum(axis=0) / degrees
    varies = within > 0
    seen = float((counts[:, None] * offsets[:, varies] ** 2 / within[varies]).sum())
    # The mean of F is above one, as the spread within is estimated too.
    expected = (counts.size - 1) * float(varies.sum()) * degrees / (degrees - 2)
    return max(0.0, 1 - expected / seen) if seen > 0 else 0.0


def _shuffled(data: EvaluationData, rng: np.random.Generator) -> Any:
    """Shuffle every feature within every class, whatever it is."""
    orders = np.tile(np.arange(data.n_samples)[:, None], (1, data.n_features))
    for code in range(data.n_classes):
        own = data.codes == code
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
    centred: FloatArray, n_classes: int, rng: np.random.Generator
) -> FloatArray:
    """Draw from the shrunk common covariance without ever forming it."""
    n, m = centred.shape
    scale = centred.std(axis=0)
    scale[scale == 0] = 1.0
    standard = centred / scale
    shrinkage = ledoit_wolf(standard)
    degrees = max(n - n_classes, 1)
    shared = rng.standard_normal((n, n)) @ standard / np.sqrt(degrees)
    alone = rng.standard_normal((n, m)) * np.sqrt(n / degrees)
    mixed = np.sqrt(1 - shrinkage) * shared + np.sqrt(shrinkage) * alone
    drawn: FloatArray = mixed * scale
    return drawn
