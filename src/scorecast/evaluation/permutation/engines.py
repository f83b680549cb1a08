"""Engines: models whose predictions are worked out for many permutations at once.

An engine does once what does not depend on the permutation, and predicts for a block of
them what the model itself would; where rounding could decide, it says so, and the model
is fitted. It is chosen by the exact type of a model and its parameters; nothing is
guessed. One that repeats random draws of a model must first agree with it.
"""

from __future__ import annotations

import functools
import math
import numbers
import sys
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from scorecast._core.registry import Method, Registry
from scorecast._core.types import BoolArray, FloatArray, IntArray

# Sums of some hundred terms lose some of the sixteen digits: what is closer than this
# many units in the last place, on the scale of the sum, is left to the model itself.
ROUNDING = 2**10 * float(np.finfo(np.float64).eps)
ROUNDING_SINGLE = 2**10 * float(np.finfo(np.float32).eps)
SEEDS = 2**31 - 1  # scikit-learn draws seeds of trees, and their states, below
_QUICK = 2e7  # multiplications, of all splits of one permutation
_OVERHEAD = 1e7  # operations in the time that fitting and scoring takes beside them
_ENTRIES = 2**19  # of a stack of matrices, so that it stays near the processor
_NEAR_ENTRIES = 2**16  # of arrays that are gone over many times
_TOGETHER = 16  # permutations that are scaled in one task
_NO_DIRECTION = 1e-13  # of the largest eigenvalue: what is below is rounding
_MOST_SHIFT = 64.0  # variances by which a mean may have moved: six binary digits
_MOST_SIZE = 2.0**16  # variances that the square of a mean may be: eight of them


# The contract ----------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class Predicted:
    """Predictions of one split for a block of permutations.

    Attributes
    ----------
    classes : ndarray of shape (b, n_test)
        Predicted class of every test sample, by number.
    is_doubtful : ndarray of shape (b,)
        Where rounding could have decided one of them.
    """

    classes: IntArray
    is_doubtful: BoolArray


class FoldRule(Protocol):
    """Predicts the test samples of one split for many permutations at once."""

    def predict(self, orders: IntArray) -> Predicted:
        """Predict for (b, n) orders: whose features every sample gets."""


class ScaledFoldRule(Protocol):
    """Predicts for many permutations at once where each scales features anew."""

    def predict_scaled(
        self, orders: IntArray, offset: FloatArray, scale: FloatArray
    ) -> Predicted:
        """Predict for (b, n) orders, with what a scaler takes off and divides by.

        Both (b, m); the former after the mean of all samples is taken off.
        """


class Shape(NamedTuple):
    """Sizes on which it depends whether an engine is worth its preparation.

    Attributes
    ----------
    n, m : int
        Samples and features.
    n_train : int
        Training samples of the largest split.
    n_solved : int
        Samples that are tested, or of splits that leave others out those that train,
        at most.
    """

    n: int
    m: int
    n_train: int
    n_solved: int


def pays_beside_gram(shape: Shape, work: float = 0.0) -> bool:
    """Tell whether matrices of samples by samples are small next to fitting."""
    n, m, n_train, _ = shape
    fitting = _OVERHEAD + float(n_train) * m * min(n_train, m)
    is_held = n <= 4000 or n <= m
    return is_held and work + 2.0 * n * n <= fitting


@dataclass(frozen=True, kw_only=True)
class PermutationEngine(Method):
    """A way to work out many permutations of a known model at once.

    Attributes
    ----------
    estimators : tuple of str
        Where its models are found, as ``"sklearn.svm.SVC"``: exactly these types, as a
        subclass may do anything.
    accepts : callable
        From a model and the number of classes to whether all its parameters are known.
    prepare : callable
        From `Features`, a `Fold` and the model to the rule of a split, or None.
    pays : callable or None
        From a `Shape` to whether it is worth its preparation; None where it always is.
    work : callable or None
        From samples and features to multiplications per permutation and split, about;
        None where models are fitted one permutation at a time.
    draws : bool
        Whether predictions hang on random numbers.
    takes_scaler : bool
        Whether a scaler may come before the model.
    prepare_scaled : callable or None
        From unscaled `Features`, a `Fold`, the model and the scaler before it to a rule
        that needs no scaled copy, or None where there has to be one.
    n_self_checks : int
        Permutations on which it must agree with the model before it is trusted.
    """

    estimators: tuple[str, ...]
    accepts: Callable[[Any, int], bool]
    prepare: Callable[[Features, Fold, Any], FoldRule | None]
    pays: Callable[[Shape], bool] | None = pays_beside_gram
    work: Callable[[int, int], float] | None = None
    draws: bool = False
    takes_scaler: bool = True
    prepare_scaled: (
        Callable[[Features, Fold, Any, Any], ScaledFoldRule | None] | None
    ) = None
    n_self_checks: int = 0


PERMUTATION_ENGINES: Registry[PermutationEngine] = Registry()


# What permutations share -----------------------------------------------------------


class Sorted(NamedTuple):
    """Features, one row each (m, n) in single precision, and their samples in order."""

    values: Any
    ranked: Any


class Columns(NamedTuple):
    """Features, one row each (m, n), what is taken off, and what that is over."""

    values: FloatArray
    shift: FloatArray
    scale: FloatArray


@dataclass(frozen=True, eq=False)
class Features:
    """A matrix of features, (n, m), and what is worked out from it once."""

    values: FloatArray
    is_shared: ClassVar[bool] = True  # by all permutations

    @property
    def shape(self) -> tuple[int, int]:
        """Samples and features."""
        n, m = self.centred.shape
        return n, m

    @cached_property
    def centred(self) -> FloatArray:
        """The features after their mean is taken off, which loses fewer digits."""
        centred: FloatArray = self.values - self.values.mean(axis=0)
        return centred

    @cached_property
    def centred_columns(self) -> FloatArray:
        """The same, one row for each feature: (m, n)."""
        return np.ascontiguousarray(self.centred.T)

    @cached_property
    def gram(self) -> FloatArray:
        """Inner products of all samples, as they are."""
        return self.values @ self.values.T

    @cached_property
    def centred_gram(self) -> FloatArray:
        """Inner products after the mean is taken off."""
        products: FloatArray = self.centred @ self.centred.T
        return products

    @cached_property
    def spectrum(self) -> tuple[FloatArray, FloatArray]:
        """Eigenvalues and eigenvectors of the inner products."""
        return _spectrum(self.gram)

    @cached_property
    def centred_spectrum(self) -> tuple[FloatArray, FloatArray]:
        """The same of centred ones: n - 1 of them, without the vector of ones.

        That vector has the eigenvalue zero. Left in, its share of an inverse would
        drown all others where features are large.
        """
        n = self.values.shape[0]
        mirror = np.full(n, 1 / np.sqrt(n))
        mirror[0] += 1
        mirror /= np.linalg.norm(mirror)
        basis = (np.eye(n) - 2 * np.outer(mirror, mirror))[:, 1:]
        values, vectors = _spectrum(basis.T @ self.centred_gram @ basis)
        return values, basis @ vectors

    @cached_property
    def squared_distances(self) -> FloatArray:
        """Squared distances between all samples."""
        gram = self.centred_gram
        squares = np.diag(gram)
        found: FloatArray = squares[:, None] + squares - 2 * gram
        return found

    @cached_property
    def coordinates(self) -> FloatArray:
        """Coordinates in the span of the samples: (n, r)."""
        n, m = self.values.shape
        if m <= n:
            return self.values
        triangle = np.asarray(np.linalg.qr(self.values.T, mode="r"))
        return np.ascontiguousarray(triangle.T)

    @cached_property
    def standardised(self) -> Features:
        """The features over their spread among all samples."""
        scale = np.where(self.is_flat, 1.0, self.all_spreads)
        return Features(self.centred / scale)

    @cached_property
    def columns(self) -> Columns:
        """The features one by one."""
        m = self.values.shape[1]
        return Columns(np.ascontiguousarray(self.values.T), np.zeros(m), np.ones(m))

    @cached_property
    def in_order(self) -> Sorted:
        """Samples in order of every feature, in single precision as trees see them."""
        values = np.ascontiguousarray(self.values.T, dtype=np.float32)
        ranked = np.argsort(values, axis=1, kind="stable")
        return Sorted(values, ranked.astype(np.int32))

    @cached_property
    def most_alike(self) -> int:
        """How many samples have the very same features, at most."""
        widest = self.values[:, int(np.ptp(self.values, axis=0).argmax())]
        most = np.unique(widest, return_counts=True)[1].max()
        if 2 * most > self.values.shape[0]:
            # One feature does not settle it; all of them do.
            most = np.unique(self.values, axis=0, return_counts=True)[1].max()
        return int(most)

    @cached_property
    def means(self) -> FloatArray:
        """Mean of every feature."""
        found: FloatArray = self.values.mean(axis=0)
        return found

    @cached_property
    def all_spreads(self) -> FloatArray:
        """Standard deviation of every feature."""
        found: FloatArray = self.centred.std(axis=0)
        return found

    @cached_property
    def spreads(self) -> FloatArray:
        """Standard deviation of every feature that varies."""
        return self.all_spreads[self.all_spreads > 0]

    @cached_property
    def is_flat(self) -> BoolArray:
        """Which features are the same in all samples."""
        found: BoolArray = np.ptp(self.values, axis=0) == 0
        return found

    @cached_property
    def squared(self) -> FloatArray:
        """Squares of the features after their mean is taken off."""
        found: FloatArray = self.centred**2
        return found

    @cached_property
    def largest_square(self) -> float:
        """Largest squared length of a sample: the scale of rounding errors."""
        return float(np.einsum("ij,ij->i", self.values, self.values).max())


class ScaledFeatures(Features):
    """Features that some of their samples have scaled, worked out from shared ones.

    Only weights of features change with the samples that a scaler sees, so that inner
    products need no scaled copy that is rounded anew, and nothing is fitted.
    """

    is_shared = False

    def __init__(
        self,
        shared: Features,
        offset: FloatArray,
        scale: FloatArray,
        room: FloatArray | None = None,
    ) -> None:
        """Take features, what is taken off after their mean, and what they are over.

        A scaled copy may lie in `room`: new memory costs more than scaling.
        """
        keep = functools.partial(object.__setattr__, self)
        keep("shared", shared)
        keep("offset", offset / scale)
        keep("scale", scale)
        keep("room", room)

    shared: Features
    offset: FloatArray
    scale: FloatArray
    room: FloatArray | None

    @property
    def shape(self) -> tuple[int, int]:
        """Samples and features."""
        return self.shared.shape

    @cached_property
    def centred(self) -> FloatArray:
        """The features after their mean over all samples is taken off."""
        scaled: FloatArray = self.shared.centred / self.scale
        return scaled

    @cached_property
    def values(self) -> FloatArray:
        """The features as the model sees them."""
        return self.centred - self.offset

    @cached_property
    def centred_gram(self) -> FloatArray:
        """Inner products after the mean is taken off."""
        scaled = np.divide(self.shared.centred, self.scale, out=self.room)
        products: FloatArray = scaled @ scaled.T
        return products

    @cached_property
    def gram(self) -> FloatArray:
        """Inner products of all samples, as the model sees them."""
        along = self.shared.centred @ (self.offset / self.scale)
        length = float(self.offset @ self.offset)
        products: FloatArray = self.centred_gram - along[:, None] - along + length
        return products

    @cached_property
    def coordinates(self) -> FloatArray:
        """Coordinates in the span of the samples, by eigenvectors."""
        n, m = self.shape
        if m <= n:
            return self.values
        sizes, vectors = self.spectrum
        is_kept = sizes > _NO_DIRECTION * sizes[-1]
        found: FloatArray = vectors[:, is_kept] * np.sqrt(sizes[is_kept])
        return found

    @cached_property
    def columns(self) -> Columns:
        """The features one by one, scaled where they are used."""
        return Columns(
            self.shared.centred_columns, self.offset * self.scale, self.scale
        )

    @cached_property
    def means(self) -> FloatArray:
        """Mean of every feature."""
        return -self.offset

    @cached_property
    def most_alike(self) -> int:
        """How many samples have the very same features, at most."""
        return self.shared.most_alike

    @cached_property
    def spreads(self) -> FloatArray:
        """Standard deviation of every feature that varies."""
        found: FloatArray = self.shared.all_spreads / self.scale
        return found[found > 0]

    @cached_property
    def largest_square(self) -> float:
        """Largest squared length of a sample: the scale of rounding errors."""
        # As the model sees them, or about their mean, whichever is farther.
        squares = np.diag(self.centred_gram)
        return 2 * (float(squares.max()) + float(self.offset @ self.offset))


def _spectrum(products: FloatArray) -> tuple[FloatArray, FloatArray]:
    values, vectors = np.linalg.eigh((products + products.T) / 2)
    return np.maximum(values, 0.0), vectors  # below zero by rounding only


@dataclass(frozen=True, kw_only=True, eq=False)
class Fold:
    """One split of labelled samples; what features they have is another matter.

    Attributes
    ----------
    train, test : ndarray of int64
        Numbers of samples, from zero.
    codes : ndarray of shape (n,)
        Class of every sample, by number.
    n_classes : int
        How many classes there are.
    """

    train: IntArray
    test: IntArray
    codes: IntArray
    n_classes: int

    @cached_property
    def labels(self) -> IntArray:
        """Classes of the training samples."""
        return self.codes[self.train]

    @cached_property
    def times(self) -> FloatArray:
        """How often every sample is learned from, by class: (n_classes, n)."""
        n = self.codes.size
        drawn = np.bincount(self.train, minlength=n).astype(np.float64)
        kinds = np.arange(self.n_classes)[:, None]
        found: FloatArray = np.where(self.codes == kinds, drawn, 0.0)
        return found

    @cached_property
    def counts(self) -> FloatArray:
        """Training samples of every class."""
        found: FloatArray = self.times.sum(axis=1)
        return found

    @cached_property
    def is_complement(self) -> bool:
        """Whether every sample is either learned from, once, or tested."""
        both = np.concatenate([self.train, self.test])
        return bool(np.array_equal(np.sort(both), np.arange(self.codes.size)))


# What engines need in common -------------------------------------------------------


def placed(values: FloatArray, orders: IntArray) -> FloatArray:
    """Give every value (n,) to the sample whose features are meant, (b, n).

    By the owner of the features, so that a matrix product with them will do.
    """
    found = np.empty(orders.shape)
    found.reshape(-1)[_places(orders, orders.shape[1])] = values
    return found


def picked(values: FloatArray, samples: IntArray) -> FloatArray:
    """Take the values of some samples, row by row."""
    found: FloatArray = values.reshape(-1)[_places(samples, values.shape[1])]
    return found


def _places(samples: IntArray, width: int) -> IntArray:
    """Say where the samples of every row stand if rows follow one another."""
    found: IntArray = samples + np.arange(samples.shape[0])[:, None] * width
    return found


def square_blocks(matrix: FloatArray, samples: IntArray) -> FloatArray:
    """Cut the rows and columns of some samples out of a matrix, (b, k, k)."""
    rows = samples[:, :, None] * matrix.shape[1]
    found: FloatArray = matrix.reshape(-1)[rows + samples[:, None, :]]
    return found


def chunks(count: int, size: int) -> list[slice]:
    """Divide permutations so that a stack of matrices of this size stays small."""
    step = max(1, _ENTRIES // size)
    return [slice(start, start + step) for start in range(0, count, step)]


def near_chunks(count: int, width: int) -> list[slice]:
    """Divide permutations so that arrays of as many rows stay near the processor."""
    step = max(_TOGETHER, _NEAR_ENTRIES // width)
    return [slice(start, start + step) for start in range(0, count, step)]


def all_doubtful(n_permutations: int, n_test: int) -> Predicted:
    """Leave every permutation of a split to the model itself."""
    return Predicted(
        classes=np.zeros((n_permutations, n_test), dtype=np.int64),
        is_doubtful=np.ones(n_permutations, dtype=np.bool_),
    )


def from_scores(scores: FloatArray, band: FloatArray | float) -> Predicted:
    """Choose the class with the highest score, and doubt what is close.

    Parameters
    ----------
    scores : ndarray of shape (n_classes, b, n_test)
        One score per class.
    band : float or ndarray of shape (b,)
        Differences no larger than this may be due to rounding.

    Returns
    -------
    Predicted
        The choice.
    """
    if scores.shape[0] == 2:
        lead = scores[1] - scores[0]
        gap = np.abs(lead).min(axis=1)
        return Predicted(classes=(lead > 0).astype(np.int64), is_doubtful=~(gap > band))
    classes = scores.argmax(axis=0)
    two = np.partition(scores, scores.shape[0] - 2, axis=0)[-2:]
    gap = (two[1] - two[0]).min(axis=1)
    # Written so that a NaN is doubtful as well.
    return Predicted(classes=classes, is_doubtful=~(gap > band))


def is_positive(value: Any) -> bool:
    """Tell whether a parameter is a finite number above zero."""
    return isinstance(value, numbers.Real) and 0 < float(value) < math.inf


def seed_of(order: IntArray) -> int:
    """Return a seed that depends on the permutation, not on who works it out."""
    return zlib.crc32(np.ascontiguousarray(order).tobytes()) % SEEDS


# A scaler in front -----------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class _ScaledRule:
    """Scale, then follow the rule of the model.

    A scaler does not look at labels, but which features it is fitted to changes with
    the permutation: means and variances are sums over samples, for many permutations
    one product of matrices, and the rest is worked out one permutation at a time.
    """

    features: Features
    fold: Fold
    scaler: Any
    prepare: Callable[[Features, Fold], FoldRule | None]
    together: ScaledFoldRule | None  # where no scaled copy is needed at all

    def predict(self, orders: IntArray) -> Predicted:
        """Predict the test samples for every permutation."""
        found = []
        n_test, room = self.fold.test.size, np.empty(self.features.shape)
        for rows in near_chunks(orders.shape[0], self.features.shape[1]):
            part = orders[rows]
            offset, scale, is_clear = self._moments(part)
            if self.together is not None and is_clear.all():
                found.append(self.together.predict_scaled(part, offset, scale))
                continue
            for order, *moments in zip(part, offset, scale, is_clear, strict=True):
                scaled = self._scaled(room, order, *moments)
                rule, one = self.prepare(scaled, self.fold), order[None]
                found.append(rule.predict(one) if rule else all_doubtful(1, n_test))
        return Predicted(
            classes=np.concatenate([part.classes for part in found]),
            is_doubtful=np.concatenate([part.is_doubtful for part in found]),
        )

    def _moments(self, orders: IntArray) -> tuple[FloatArray, FloatArray, BoolArray]:
        """Return what the scaler takes off and divides by, and whether to trust it.

        About the mean of all samples. Where the mean moved far for what is left of the
        variance, a difference of sums has lost too many digits.
        """
        times = np.bincount(self.fold.train, minlength=self.fold.codes.size)
        weights = placed(times / self.fold.train.size, orders)
        mean = weights @ self.features.centred
        variance = weights @ self.features.squared
        square = mean**2
        variance -= square
        far = np.abs(self.features.means)
        if not self.scaler.with_mean:  # what stays in is as large a loss of digits
            square = (np.abs(mean) + far) ** 2
            mean = np.broadcast_to(-self.features.means, mean.shape)
        is_clear = (square <= _MOST_SHIFT * variance) & (variance > 0)
        # What hardly varies for its size the scaler may take for constant.
        is_clear &= far**2 <= _MOST_SIZE * variance
        is_clear |= self.features.is_flat
        variance[:, self.features.is_flat] = 1.0  # as the scaler takes it
        is_trusted = np.asarray(is_clear.all(axis=1))
        if not self.scaler.with_std:
            return mean, np.ones_like(mean), is_trusted
        with np.errstate(invalid="ignore"):  # where it is not to be trusted
            scale: FloatArray = np.sqrt(variance)
        return mean, scale, is_trusted

    def _scaled(
        self,
        room: FloatArray,
        order: IntArray,
        offset: FloatArray,
        scale: FloatArray,
        is_clear: bool,
    ) -> Features:
        """Scale by some samples; what sums do not tell, the scaler itself does."""
        if is_clear:
            return ScaledFeatures(self.features, offset, scale, room)
        from sklearn.base import clone

        values = self.features.values
        # In the order of the training samples: sums to the last digit.
        fitted = clone(self.scaler).fit(values[order[self.fold.train]])
        return Features(np.asarray(fitted.transform(values), dtype=np.float64))


# From a model to its engine --------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class Recognised:
    """A model that an engine knows, and the scaler before it, if any."""

    engine: PermutationEngine
    model: Any
    scaler: Any = None

    def is_quick(self, shape: tuple[int, ...], n_splits: int) -> bool:
        """Tell whether a thousand permutations are a matter of seconds."""
        if self.scaler is not None or self.engine.work is None:
            return False
        n, m = shape
        return n_splits * self.engine.work(n, m) <= _QUICK


def recognise(estimator: Any, n_classes: int) -> Recognised | None:
    """Find the engine of a classifier, or of a pipeline of a StandardScaler and one.

    None where the model, or a parameter of it, is not known here.
    """
    scaler, model = _taken_apart(estimator)
    for engine in PERMUTATION_ENGINES.values():
        if not any(_is_of(model, path) for path in engine.estimators):
            continue
        if engine.accepts(model, n_classes) and (scaler is None or engine.takes_scaler):
            return Recognised(engine=engine, model=model, scaler=scaler)
    return None


def _is_of(model: Any, path: str) -> bool:
    """Tell whether a model is of exactly the type at a path."""
    module, _, name = path.rpartition(".")
    return type(model) is getattr(sys.modules.get(module), name, None)


def _taken_apart(estimator: Any) -> tuple[Any, Any]:
    """Return scaler, or None, and model."""
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import StandardScaler

    if type(estimator) is not Pipeline:
        return None, estimator
    steps = [step for _, step in estimator.steps if step not in (None, "passthrough")]
    if len(steps) == 1:
        return None, steps[0]
    if len(steps) == 2 and type(steps[0]) is StandardScaler:
        return steps[0], steps[1]
    return None, estimator


@dataclass(frozen=True, kw_only=True, eq=False)
class PreparedEngine:
    """An engine with the rules of all splits.

    Attributes
    ----------
    engine : PermutationEngine
        Which.
    rules : tuple of FoldRule or None
        One per split; None where a class is not learned, or the model itself is asked.
    n_tests : tuple of int
        Samples tested by every split.
    is_quick : bool
        Whether a thousand permutations are a matter of seconds.
    together : int
        Permutations that a task should hold at least: what a scaler learns of them is
        one product of matrices.
    """

    engine: PermutationEngine
    rules: tuple[FoldRule | None, ...]
    n_tests: tuple[int, ...]
    is_quick: bool
    together: int

    def predict(self, split: int, orders: IntArray) -> Predicted:
        """Predict the test samples of one split, by number from zero.

        Doubtful throughout where the model has to speak for itself.
        """
        rule = self.rules[split]
        if rule is None:
            return all_doubtful(orders.shape[0], self.n_tests[split])
        return rule.predict(orders)


def prepare_engine(
    estimator: Any,
    X: NDArray[Any],
    codes: IntArray,
    splits: Sequence[tuple[IntArray, IntArray]],
) -> PreparedEngine | None:
    """Prepare the engine of a model, if there is one that is worth it.

    Parameters
    ----------
    estimator : scikit-learn classifier
        The model.
    X : ndarray of shape (n, m)
        Features: whole numbers or float64, for which models compute in float64.
    codes : ndarray of shape (n,)
        Class of every sample, by number.
    splits : sequence of (train, test)
        Numbers of samples.

    Returns
    -------
    PreparedEngine or None
        None where the model itself has to be fitted every time.
    """
    n_classes = int(codes.max()) + 1
    known = recognise(estimator, n_classes)
    is_exact = X.dtype == np.float64 or X.dtype.kind in "iub"
    if known is None or not is_exact:
        return None
    pays = known.engine.pays
    if pays is not None and not pays(_shape(X, splits)):
        return None
    from threadpoolctl import threadpool_limits

    values = np.asarray(X, dtype=np.float64)
    if not np.isfinite(values).all():
        return None
    features = Features(values)
    with threadpool_limits(1):  # as in the workers: sums in the same order
        rules = tuple(
            _rule(
                known,
                features,
                Fold(train=train, test=test, codes=codes, n_classes=n_classes),
            )
            for train, test in splits
        )
    if not any(rules):
        return None
    return PreparedEngine(
        engine=known.engine,
        rules=rules,
        n_tests=tuple(test.size for _, test in splits),
        is_quick=known.is_quick(X.shape, len(splits)),
        together=1 if known.scaler is None or known.engine.work is None else _TOGETHER,
    )


def _shape(X: NDArray[Any], splits: Sequence[tuple[IntArray, IntArray]]) -> Shape:
    n, m = X.shape
    sides = [
        test.size if train.size + test.size == n else train.size
        for train, test in splits
    ]
    return Shape(n, m, max(train.size for train, _ in splits), max(sides))


def _rule(known: Recognised, features: Features, fold: Fold) -> FoldRule | None:
    """Prepare one split; None where a class is not learned, or the engine disagrees."""
    if not fold.counts.all():
        return None
    if known.scaler is None:
        rule = known.engine.prepare(features, fold, known.model)
        return rule if rule and _agrees(known, rule, features.values, fold) else None

    def prepare(scaled: Features, fold: Fold) -> FoldRule | None:
        return known.engine.prepare(scaled, fold, known.model)

    together = None
    if known.engine.prepare_scaled is not None:
        together = known.engine.prepare_scaled(
            features, fold, known.model, known.scaler
        )
    return _ScaledRule(
        features=features,
        fold=fold,
        scaler=known.scaler,
        prepare=prepare,
        together=together,
    )


def _agrees(known: Recognised, rule: FoldRule, values: FloatArray, fold: Fold) -> bool:
    """Tell whether a rule says what the model says, on a few permutations."""
    from sklearn.base import clone

    rng = np.random.default_rng(0)
    for _ in range(known.engine.n_self_checks):
        order = rng.permutation(fold.codes.size)
        model = clone(known.model)
        if known.engine.draws and model.random_state is None:
            model.set_params(random_state=seed_of(order))
        try:
            model.fit(values[order[fold.train]], fold.labels)
            said = model.predict(values[order[fold.test]])
        except Exception:  # noqa: BLE001 - the loop will say what is wrong with it
            return False
        if not np.array_equal(said, rule.predict(order[None]).classes[0]):
            return False
    return True
