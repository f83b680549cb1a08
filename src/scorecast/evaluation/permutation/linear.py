"""Linear models: nearest centroids, ridge, discriminants, logistic regression."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, Self

import numpy as np

from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.evaluation.permutation.engines import (
    PERMUTATION_ENGINES,
    ROUNDING,
    Columns,
    Features,
    Fold,
    PermutationEngine,
    Predicted,
    Shape,
    all_doubtful,
    chunks,
    from_scores,
    is_positive,
    pays_beside_gram,
    picked,
    placed,
    square_blocks,
)

_MOST_STEPS = 30  # of conjugate gradients; from then on the model itself is quicker
_MOST_OPEN = 1e-5  # what rounding of steps leaves open of a score, about
_MOST_BAND = 0.1  # targets are +1 and -1: with more, rounding decides too often


# Nearest centroids -----------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class CentroidRule:
    """Distances to centroids: x'c - c'c/2 with c a mean of training samples."""

    fold: Fold
    features: Features
    # (n, n), their inner products, where samples are fewer than features
    gram: FloatArray | None
    rounding: float  # units of rounding that explain a difference

    @classmethod
    def prepare(cls, features: Features, fold: Fold, model: Any) -> Self:
        """Prepare a split; `model` has nothing to add."""
        del model
        n, m = features.shape
        # The model refuses samples that are all the same; let it.
        refuses = features.most_alike >= np.unique(fold.train).size
        rounding = np.inf if refuses else ROUNDING
        # Inner products of all pairs pay if they serve all permutations.
        gram = features.centred_gram if n <= m and features.is_shared else None
        return cls(fold=fold, features=features, gram=gram, rounding=rounding)

    def predict(self, orders: IntArray) -> Predicted:
        """Predict the test samples for every permutation."""
        tested = orders[:, self.fold.test]
        scores = np.empty((self.fold.n_classes, *tested.shape))
        for number, times in enumerate(self.fold.times):
            weights = placed(times / self.fold.counts[number], orders)
            if self.gram is not None:
                near = weights @ self.gram
                length = np.einsum("ij,ij->i", weights, near)
            else:
                centroid = weights @ self.features.centred
                near = centroid @ self.features.centred.T
                length = np.einsum("ij,ij->i", centroid, centroid)
            scores[number] = picked(near, tested) - 0.5 * length[:, None]
        return from_scores(scores, self.rounding * self.features.largest_square)

    def predict_scaled(
        self, orders: IntArray, offset: FloatArray, scale: FloatArray
    ) -> Predicted:
        """Predict where features are scaled; what is taken off moves no distance."""
        values, tested = self.features.centred, orders[:, self.fold.test]
        share = scale**-2.0
        # As the model sees them, or about their mean, whichever is farther.
        largest = (share @ self.features.squared.T).max(axis=1)
        largest += np.einsum("ij,ij,ij->i", offset, offset, share)
        scores = np.empty((self.fold.n_classes, *tested.shape))
        for number, times in enumerate(self.fold.times):
            centroid = placed(times / self.fold.counts[number], orders) @ values
            weighed = centroid * share
            near = weighed @ values.T
            length = np.einsum("ij,ij->i", centroid, weighed)
            scores[number] = picked(near, tested) - 0.5 * length[:, None]
        return from_scores(scores, 2 * self.rounding * largest)


def _knows_centroid(model: Any, n_classes: int) -> bool:
    del n_classes
    params = model.get_params()
    plain = params["metric"] == "euclidean" and params["shrink_threshold"] is None
    return bool(plain and params.get("priors", "uniform") == "uniform")


PERMUTATION_ENGINES.add(
    PermutationEngine(
        name="nearest-centroid",
        title="nearest centroids",
        summary="distances to means from inner products alone",
        estimators=("sklearn.neighbors.NearestCentroid",),
        accepts=_knows_centroid,
        prepare=CentroidRule.prepare,
        pays=None,
        work=lambda n, m: n * min(n, m),
        prepare_scaled=lambda features, fold, model, _: CentroidRule.prepare(
            features, fold, model
        ),
    )
)


# Ridge classification --------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class RidgeRule:
    """Predictions are linear in the targets, which are +1 and -1.

    Where a split tests all samples that it does not learn from, what it would predict
    follows from the residuals of a fit to all samples: residuals left out are
    ``inv(R_tt) R_t y`` with R the matrix that gives residuals. Only a small system per
    permutation is left to be solved.
    """

    fold: Fold
    matrix: FloatArray  # (n, n), R if the split tests all others; else inner products
    leaves_out: bool  # whether it is R
    penalty: float  # of the squared weights
    has_intercept: bool  # whether there is one; it is not penalised
    # Differences that rounding explains, for scores of the size of the targets
    band: float

    @classmethod
    def prepare(cls, features: Features, fold: Fold, model: Any) -> Self:
        """Prepare a split for a `RidgeClassifier`."""
        has_free, alpha = bool(model.fit_intercept), float(model.alpha)
        matrix = features.centred_gram if has_free else features.gram
        leaves_out = fold.is_complement and features.is_shared
        if features.is_shared:
            sizes, vectors = (
                features.centred_spectrum if has_free else features.spectrum
            )
            largest = float(sizes.max())
        else:
            largest = float(np.trace(matrix))  # no eigenvalue is larger
        least = 0.0
        if leaves_out:
            # Divided by alpha, which leaves the solution as it is.
            matrix = (vectors / (sizes + alpha)) @ vectors.T
            # Cases that are drawn twice leave nothing but the penalty to divide by.
            least = float(sizes.min())
        return cls(
            fold=fold,
            matrix=matrix,
            leaves_out=leaves_out,
            penalty=alpha,
            has_intercept=has_free,
            band=ROUNDING
            * _sensitivity(
                len(matrix), features.largest_square, largest, least + alpha
            ),
        )

    def predict(self, orders: IntArray) -> Predicted:
        """Predict the test samples for every permutation."""
        if not self.band < _MOST_BAND:
            return all_doubtful(orders.shape[0], self.fold.test.size)
        solve = self._left_out if self.leaves_out else self._fitted
        scores = _of_both(solve(orders, _ridge_targets(self.fold)))
        # Predictions far beyond the targets have errors of their own size.
        return from_scores(scores, self.band * (1 + np.abs(scores).max(axis=(0, 2))))

    def _left_out(self, orders: IntArray, targets: FloatArray) -> FloatArray:
        test = self.fold.test
        tested = orders[:, test]
        residuals = np.stack(
            [picked(placed(row, orders) @ self.matrix, tested) for row in targets],
            axis=2,
        )
        away = np.empty_like(residuals)
        for part in chunks(orders.shape[0], test.size**2):
            within = square_blocks(self.matrix, tested[part])
            away[part] = np.linalg.solve(within, residuals[part])
        found: FloatArray = targets[:, None, test] - np.moveaxis(away, 2, 0)
        return found

    def _fitted(self, orders: IntArray, targets: FloatArray) -> FloatArray:
        train, test = self.fold.train, self.fold.test
        wanted = targets[:, train].T
        middle = wanted.mean(axis=0) if self.has_intercept else np.zeros(len(targets))
        scores = np.empty((len(targets), orders.shape[0], test.size))
        for part in chunks(orders.shape[0], train.size**2):
            known, asked = orders[part][:, train], orders[part][:, test]
            within = square_blocks(self.matrix, known)
            across = self.matrix[asked[:, :, None], known[:, None, :]]
            if self.has_intercept:
                # Centre by the training samples.
                means = within.mean(axis=1, keepdims=True)
                whole = means.mean(axis=2, keepdims=True)
                across = across - across.mean(axis=2, keepdims=True) - means + whole
                within = within - means - means.transpose(0, 2, 1) + whole
            within += self.penalty * np.eye(train.size)
            weights = np.linalg.solve(
                within, np.tile(wanted - middle, (len(known), 1, 1))
            )
            scores[:, part] = np.moveaxis(across @ weights + middle, 2, 0)
        return scores


def _ridge_targets(fold: Fold) -> FloatArray:
    """Return +1 and -1 for every class; of two, one is the negative of the other."""
    kinds = np.arange(fold.n_classes == 2, fold.n_classes)[:, None]
    return np.where(fold.codes == kinds, 1.0, -1.0)


def _sensitivity(n: int, square: Any, largest: Any, least: float) -> Any:
    """Say how many times larger errors of scores are than those of rounding.

    No training set is worse conditioned than all samples together, as eigenvalues
    interlace; and taking the mean off costs digits where it is large.
    """
    shift = n * square / least
    return 1 + largest / least + np.sqrt(shift)


def _of_both(scores: FloatArray) -> FloatArray:
    """Add the class that is not solved for where there are two (1, b, n_test)."""
    return np.concatenate([-scores, scores]) if len(scores) == 1 else scores


@dataclass(frozen=True, kw_only=True, eq=False)
class ScaledRidgeRule:
    """Solves by steps that go through the features, which are then weighed, not scaled.

    Coefficients of training samples are sought with ``(K + penalty) a = y``, but for
    means, and K the inner products of scaled samples. K is never formed: K a is two
    products with the features and one weight for each of them, for many permutations
    together. Steps are those of conjugate gradients. What is left of y is first solved
    with the K of features over their spread among all samples, which is so near that
    four steps will do; how one part is left out of that is known from `RidgeRule`.

    A scaled variance is at most n / n_train times that of all samples, so no eigenvalue
    of K is below that share of the least one of all samples. With it, what is left of y
    bounds how far each score may still move. Steps end where that decides no class.
    """

    fold: Fold
    features: Features
    near: FloatArray  # (n, n), residuals of standardised features, as in `RidgeRule`
    penalty: float  # of the squared weights
    least: float  # no eigenvalue of K + penalty is smaller, whatever is permuted

    @classmethod
    def prepare(
        cls, features: Features, fold: Fold, model: Any, scaler: Any
    ) -> Self | None:
        """Prepare a split, if it tests all others and the mean is not penalised.

        Nor where features are so few, and the penalty so small, that rounding of steps
        would leave much to the model: systems are then solved one by one.
        """
        if not (fold.is_complement and model.fit_intercept):
            return None
        typical = features.standardised if scaler.with_std else features
        sizes, vectors = typical.centred_spectrum
        alpha = float(model.alpha)
        least = max(float(sizes.min() - ROUNDING * sizes.max()), 0.0)
        least = least * fold.train.size / fold.codes.size + alpha
        if not ROUNDING * (float(sizes.sum()) / least) ** 1.5 < _MOST_OPEN:
            return None
        return cls(
            fold=fold,
            features=features,
            near=(vectors / (sizes + alpha)) @ vectors.T,
            penalty=alpha,
            least=least,
        )

    def predict_scaled(
        self, orders: IntArray, offset: FloatArray, scale: FloatArray
    ) -> Predicted:
        """Predict where features are scaled."""
        n, share = self.fold.codes.size, 1 / (scale * scale)
        squares = share @ self.features.squared.T
        # As the model sees samples, or about their mean, whichever is farther.
        square = 2 * squares.max(axis=1)
        square += 2 * np.einsum("ij,ij,ij->i", offset, offset, share)
        band = ROUNDING * _sensitivity(n, square, squares.sum(axis=1), self.penalty)
        found = all_doubtful(orders.shape[0], self.fold.test.size)
        usable = np.flatnonzero(band < _MOST_BAND)
        for part in chunks(usable.size, self.fold.test.size**2):
            rows = usable[part]
            state = self._begun(orders[rows], share[rows], squares[rows])
            self._descend(state, rows, band, found)
        return found

    def _descend(
        self, state: _Descent, rows: IntArray, band: FloatArray, found: Predicted
    ) -> None:
        """Go on until nothing is open, and say for each of these rows what is found."""
        for _ in range(_MOST_STEPS):
            state = self._stepped(state)
            scores, error = self._scores(state), self._error(state)
            rounded = band[rows] * (1 + np.abs(scores).max(axis=(0, 2)))
            said = from_scores(_of_both(scores), rounded + 2 * error)
            found.classes[rows] = said.classes
            found.is_doubtful[rows] = said.is_doubtful
            # More steps decide nothing that is left to rounding anyway.
            is_open = np.flatnonzero(said.is_doubtful & (error > rounded))
            if is_open.size == 0:
                return
            if is_open.size < rows.size:
                state = _Descent._make(part[is_open] for part in state)
                rows = rows[is_open]

    def _error(self, state: _Descent) -> FloatArray:
        """Bound how far scores are from those of the solution, (b,)."""
        # They differ by g' inv(A) r: r is what is left, A is K + penalty, and g holds
        # the inner products of a tested sample with those learned from, all about the
        # mean of these. A exceeds K, so that g' inv(A) g is at most the squared length
        # of the tested sample; and r' inv(A) r is at most r'r / least.
        # From the mean, a sample is at most twice as far as the farthest is from zero.
        reach = 2 * np.sqrt(state.squares.max(axis=1))
        # Sums of products on the way here were rounded, none larger than these.
        largest = state.squares.sum(axis=1)[:, None]
        size = np.linalg.norm(state.weights, axis=2)
        rounding = ROUNDING * (math.sqrt(self.fold.codes.size) + largest * size)
        rest = np.linalg.norm(state.rest, axis=2) + rounding
        found: FloatArray = reach * rest.max(axis=1) / math.sqrt(self.least)
        return found

    def _begun(
        self, orders: IntArray, share: FloatArray, squares: FloatArray
    ) -> _Descent:
        """Nothing is solved yet, so that the targets are what is left."""
        fold = self.fold
        targets = _ridge_targets(fold)
        drawn = fold.times.sum(axis=0)
        targets = (targets - targets @ drawn[:, None] / fold.train.size) * drawn
        tested = orders[:, fold.test]
        wanted = np.stack([placed(row, orders) for row in targets], axis=1)
        inverse = np.linalg.inv(square_blocks(self.near, tested))
        state = _Descent(
            share=share,
            squares=squares,
            known=placed(drawn, orders)[:, None],
            tested=tested,
            inverse=np.asarray(inverse, dtype=np.float64),
            wanted=wanted,
            weights=np.zeros_like(wanted),
            image=np.zeros_like(wanted),
            rest=wanted,
            direction=wanted,
            length=np.ones(wanted.shape[:2]),
        )
        direction = self._solved_nearly(state)
        length = np.einsum("bti,bti->bt", wanted, direction)
        return state._replace(direction=direction, length=length)

    def _solved_nearly(self, state: _Descent) -> FloatArray:
        """Solve for what is left with the K of standardised features."""
        b, kinds, n = state.rest.shape
        tested = np.repeat(state.tested, kinds, axis=0)
        rest = state.rest.reshape(-1, n)
        residuals = picked(rest @ self.near, tested).reshape(b, kinds, -1)
        away = residuals @ state.inverse
        # Other values of the tested samples, so that they get no weight.
        rest = rest.copy()
        rest[np.arange(len(rest))[:, None], tested] = -away.reshape(b * kinds, -1)
        return (rest @ self.near).reshape(state.rest.shape) * state.known

    def _stepped(self, state: _Descent) -> _Descent:
        """Go one step of conjugate gradients, and find what is left and where to go."""
        values, n_train = self.features.centred, self.fold.train.size
        b, kinds, n = state.rest.shape
        along = (state.direction.reshape(-1, n) @ values).reshape(b, kinds, -1)
        along *= state.share[:, None]
        image = (along.reshape(b * kinds, -1) @ values.T).reshape(state.rest.shape)
        curve = image + self.penalty * state.direction
        bend = np.einsum("bti,bti->bt", state.direction, curve)
        step = _ratio(state.length, bend)
        weights = state.weights + step[:, :, None] * state.direction
        image = state.image + step[:, :, None] * image
        rest = (state.wanted - image - self.penalty * weights) * state.known
        rest -= rest.sum(axis=2, keepdims=True) / n_train * state.known
        state = state._replace(weights=weights, image=image, rest=rest)
        nearly = self._solved_nearly(state)
        length = np.einsum("bti,bti->bt", rest, nearly)
        kept = _ratio(length, state.length)
        direction = nearly + kept[:, :, None] * state.direction
        return state._replace(direction=direction, length=length)

    def _scores(self, state: _Descent) -> FloatArray:
        """Return scores of tested samples so far, for each target, (t, b, n_test)."""
        targets, train = _ridge_targets(self.fold), self.fold.train
        means = (state.image * state.known).sum(axis=2) / train.size
        middle = targets[:, train].mean(axis=1) - means
        tested = np.repeat(state.tested[:, None], len(targets), axis=1)
        found = np.take_along_axis(state.image, tested, axis=2) + middle[:, :, None]
        return np.moveaxis(found, 1, 0)


def _ratio(a: FloatArray, b: FloatArray) -> FloatArray:
    """Divide; zero where nothing is left to be solved."""
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)


class _Descent(NamedTuple):
    """How far the steps have come, permutation by permutation."""

    share: FloatArray  # (b, m), weights of features
    squares: FloatArray  # (b, n), squared lengths of scaled samples
    known: FloatArray  # (b, 1, n), one for samples that are learned from, else zero
    tested: IntArray  # (b, n_test)
    inverse: FloatArray  # (b, n_test, n_test), of residuals among the tested ones
    wanted: FloatArray  # (b, t, n), targets about their mean, zero for tested samples
    weights: FloatArray  # (b, t, n), coefficients, a
    image: FloatArray  # (b, t, n), K a
    rest: FloatArray  # (b, t, n), what is left to be solved
    direction: FloatArray  # (b, t, n), of the next step
    length: FloatArray  # (b, t), squared length of what is left, by its near solution


def _knows_ridge(model: Any, n_classes: int) -> bool:
    del n_classes
    direct = model.solver in ("auto", "cholesky", "svd")
    plain = model.class_weight is None and not model.positive
    return bool(direct and plain and is_positive(model.alpha))


PERMUTATION_ENGINES.add(
    PermutationEngine(
        name="ridge",
        title="ridge classification",
        summary="one smoothing matrix for all splits and permutations",
        estimators=("sklearn.linear_model.RidgeClassifier",),
        accepts=_knows_ridge,
        prepare=RidgeRule.prepare,
        prepare_scaled=ScaledRidgeRule.prepare,
        pays=lambda shape: pays_beside_gram(shape, float(shape.n_solved) ** 3),
        work=lambda n, _: n * n,
    )
)


# Linear discriminants --------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class DiscriminantRule:
    """Scores u'inv(S)x - u'inv(S)u/2 + log prior, with u the mean of a class.

    S is a multiple of the identity plus inner products of training samples about their
    class means, so that its inverse needs a matrix of their size only (Woodbury).
    """

    fold: Fold
    gram: FloatArray  # (n, n), inner products of centred features
    n_features: int  # how many there are
    shrinkage: float  # weight of the identity
    priors: FloatArray
    scale: float  # largest inner product

    @classmethod
    def prepare(cls, features: Features, fold: Fold, model: Any) -> Self:
        """Prepare a split for a `LinearDiscriminantAnalysis` by least squares."""
        shares = fold.counts / fold.counts.sum()
        return cls(
            fold=fold,
            gram=features.centred_gram,
            n_features=features.shape[1],
            shrinkage=float(model.shrinkage),
            priors=shares if model.priors is None else np.asarray(model.priors),
            scale=features.largest_square,
        )

    def predict(self, orders: IntArray) -> Predicted:
        """Predict the test samples for every permutation."""
        fold = self.fold
        scores = np.empty((fold.n_classes, orders.shape[0], fold.test.size))
        band = np.empty(orders.shape[0])
        for part in chunks(orders.shape[0], fold.train.size**2):
            scores[:, part], band[part] = self._scored(orders[part])
        return from_scores(scores, band)

    def _scored(self, orders: IntArray) -> tuple[FloatArray, FloatArray]:
        fold, n = self.fold, self.fold.train.size
        known, asked = orders[:, fold.train], orders[:, fold.test]
        own = (fold.labels[:, None] == np.arange(fold.n_classes)).astype(np.float64)
        # Rows of `away` take the mean of its class off a sample, and weigh it.
        weight = np.sqrt(self.priors / fold.counts)[fold.labels]
        away = weight[:, None] * (np.eye(n) - own @ (own / fold.counts).T)
        mean = own / fold.counts
        within = square_blocks(self.gram, known)
        across = self.gram[asked[:, :, None], known[:, None, :]]
        spread = away @ within @ away.T
        trace = np.trace(spread, axis1=1, axis2=2)
        ridge = self.shrinkage * trace / self.n_features
        kept = 1 - self.shrinkage
        inner = kept * spread + ridge[:, None, None] * np.eye(n)
        from_means = away @ within @ mean  # (b, n, n_classes)
        solved = kept * np.linalg.solve(inner, from_means)
        at_means = np.einsum("ic,bij,jc->bc", mean, within, mean)
        at_means -= np.einsum("bic,bic->bc", from_means, solved)
        at_tests = across @ mean - (across @ away.T) @ solved
        found = at_tests - 0.5 * at_means[:, None, :]
        found = found / ridge[:, None, None] + np.log(self.priors)
        # What was subtracted from one another is as large as the largest product.
        band = ROUNDING * (1 + self.scale / ridge) * (1 + n)
        return np.moveaxis(found, 2, 0), band


def _knows_discriminant(model: Any, n_classes: int) -> bool:
    fits = model.priors is None or len(model.priors) == n_classes
    plain = model.covariance_estimator is None and fits
    shrunk = is_positive(model.shrinkage) and float(model.shrinkage) <= 1
    return bool(model.solver == "lsqr" and plain and shrunk)


PERMUTATION_ENGINES.add(
    PermutationEngine(
        name="discriminant",
        title="linear discriminants with a given shrinkage",
        summary="the shrunk covariance inverted in the span of the samples",
        estimators=("sklearn.discriminant_analysis.LinearDiscriminantAnalysis",),
        accepts=_knows_discriminant,
        prepare=DiscriminantRule.prepare,
        pays=lambda shape: pays_beside_gram(shape, float(shape.n_train) ** 3),
        work=lambda n, _: n**3,
    )
)


@dataclass(frozen=True, kw_only=True, eq=False)
class WhitenedRule:
    """Scores a'b - a'a/2 + log prior of a class mean and a sample, whitened, a and b.

    Features are scaled by their spread within classes, which changes with the
    permutation, and whitened by the singular vectors of what is left of the training
    samples. Both are inner products of samples, weighted by feature; where there are
    more features than samples, their matrix is small.
    """

    fold: Fold
    # (n, m), features, centred and scaled by all samples, and their squares
    values: FloatArray
    squares: FloatArray  # (n, m)
    priors: FloatArray  # (n_classes,), given, or the shares of the training samples
    share: float  # weight of a training sample in the covariance
    tolerance: float  # singular values below it are dropped by the model
    # Largest distance of a mean from zero, in spreads: digits that were lost before
    offset: float

    @classmethod
    def prepare(cls, features: Features, fold: Fold, model: Any) -> Self:
        """Prepare a split for a `LinearDiscriminantAnalysis` by singular values."""
        spread, middle = features.values.std(axis=0), features.values.mean(axis=0)
        # A feature that does not vary is NaN from here on: left to the model.
        with np.errstate(all="ignore"):
            values = features.centred / spread
            offset = 1 + float(np.max(np.abs(middle) / spread))
        shares = fold.counts / fold.counts.sum()
        n = fold.train.size
        return cls(
            fold=fold,
            values=values,
            squares=values**2,
            priors=shares if model.priors is None else np.asarray(model.priors),
            share=1 / (n - _taken_off() * fold.n_classes),
            tolerance=float(model.tol),
            offset=offset,
        )

    def predict(self, orders: IntArray) -> Predicted:
        """Predict the test samples for every permutation."""
        fold = self.fold
        scores = np.empty((fold.n_classes, orders.shape[0], fold.test.size))
        band = np.empty(orders.shape[0])
        with np.errstate(all="ignore"):
            for part in chunks(orders.shape[0], fold.codes.size**2):
                scores[:, part], band[part] = self._scored(orders[part])
        return from_scores(scores, band)

    def _scored(self, orders: IntArray) -> tuple[FloatArray, FloatArray]:
        products, lost = self._products(orders)
        fold, n = self.fold, self.fold.train.size
        known, asked = orders[:, fold.train], orders[:, fold.test]
        own = (fold.labels[:, None] == np.arange(fold.n_classes)).astype(np.float64)
        mean = own / fold.counts
        away = np.eye(n) - own @ mean.T  # takes the mean of its class off a sample
        middle = (mean @ self.priors)[:, None]
        rows = np.arange(orders.shape[0])[:, None, None]
        within = products[rows, known[:, :, None], known[:, None, :]]
        across = products[rows, known[:, :, None], asked[:, None, :]]
        means = np.sqrt(self.share) * (away @ within @ (mean - middle))
        samples = np.sqrt(self.share) * (away @ (across - within @ middle))
        inverse, condition = self._inverse(self.share * (away @ within @ away.T), own)
        a, b = inverse @ means, inverse @ samples
        found = np.einsum("bic,bit->cbt", a, b)
        squares = np.einsum("bic,bic->bc", a, a)
        found += (np.log(self.priors) - 0.5 * squares).T[:, :, None]
        size = 1 + squares.max(axis=1) + np.einsum("bit,bit->bt", b, b).max(axis=1)
        band = ROUNDING * self.offset * lost * condition * size
        return found, np.where(self._spans(a), band, np.nan)

    def _products(self, orders: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return inner products of scaled samples (b, n, n), and digits lost (b)."""
        n = self.fold.train.size
        total = placed(self.fold.times.sum(axis=0), orders) @ self.squares
        for times, count in zip(self.fold.times, self.fold.counts, strict=True):
            sums = placed(times, orders) @ self.values
            total -= sums**2 / count
        inverse = n / total
        scales = np.sqrt(inverse)
        found = np.empty((orders.shape[0], orders.shape[1], orders.shape[1]))
        for number, scale in enumerate(scales):
            scaled = self.values * scale
            np.matmul(scaled, scaled.T, out=found[number])
        # Spreads are about one over all samples: the digits lost are those within.
        return found, np.where(total.min(axis=1) > 0, inverse.max(axis=1), np.nan)

    def _inverse(
        self, spread: FloatArray, own: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Invert, with classes, along which there is no spread, given some."""
        n, n_classes = own.shape
        typical = np.trace(spread, axis1=1, axis2=2) / max(n - n_classes, 1)
        along = own @ (own / self.fold.counts).T
        filled = spread + typical[:, None, None] * along
        try:
            inverse = np.linalg.inv(filled)
        except np.linalg.LinAlgError:
            # A sample that is learned from twice, say: which values are dropped, and
            # which kept, is then for the model to say.
            inverse = np.full(spread.shape, np.nan)
        norms = np.linalg.norm(inverse, axis=(1, 2))
        kept = 1 / norms > 2 * self.tolerance**2
        condition = norms * np.linalg.norm(filled, axis=(1, 2))
        return inverse, np.where(kept, condition, np.nan)

    def _spans(self, means: FloatArray) -> BoolArray:
        """Tell where the means of classes differ in as many ways as they can."""
        weight = np.sqrt(self.priors)
        weighted = means * weight
        squares = np.einsum("bic,bid->bcd", weighted, weighted)
        finite = np.isfinite(squares).all(axis=(1, 2))
        values = np.linalg.eigvalsh(np.where(finite[:, None, None], squares, 0.0))
        least = (10 * self.tolerance) ** 2 * values[:, -1]
        found: BoolArray = finite & (values[:, 1] > least)
        return found


@cache
def _taken_off() -> int:
    """Return how many degrees of freedom a class costs in this scikit-learn.

    Later versions divide the covariance by the number of samples, earlier ones by that
    less the number of classes. One small fit tells; -1 if it is neither.
    """
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    X, y = np.array([[0.0], [2.0], [3.0], [6.0], [8.0]]), np.array([0, 0, 0, 1, 1])
    model = LinearDiscriminantAnalysis().fit(X, y)
    means = np.array([X[y == 0].mean(), X[y == 1].mean()])
    squares = float(((X[:, 0] - means[y]) ** 2).sum())
    divisor = squares * float(model.coef_[0, 0]) / float(means[1] - means[0])
    return next((k for k in (0, 1) if abs(divisor - (5 - 2 * k)) < 1e-9), -1)


def divisor_is_known() -> bool:
    """Tell whether this scikit-learn scales the covariance in a way known here."""
    return _taken_off() >= 0


def _knows_whitened(model: Any, n_classes: int) -> bool:
    priors = model.priors
    fits = priors is None or (
        len(priors) == n_classes
        and min(priors) > 0
        and math.isclose(sum(priors), 1, abs_tol=1e-12)
    )
    plain = model.shrinkage is None and model.covariance_estimator is None
    # Beyond these, rounding would tell which singular values count.
    usual = is_positive(model.tol) and 1e-6 <= float(model.tol) <= 1e-2
    components = model.n_components is None or 1 <= model.n_components < n_classes
    known = model.solver == "svd" and fits and plain and usual and components
    return bool(known and divisor_is_known())


def _pays_whitened(shape: Shape) -> bool:
    # With fewer features than samples their own matrix, the model's, is smaller.
    return shape.n_train <= shape.m


PERMUTATION_ENGINES.add(
    PermutationEngine(
        name="whitened",
        title="linear discriminants by singular values",
        summary="features whitened in the span of the samples",
        estimators=("sklearn.discriminant_analysis.LinearDiscriminantAnalysis",),
        accepts=_knows_whitened,
        prepare=WhitenedRule.prepare,
        pays=_pays_whitened,
        work=lambda n, m: n * n * m / 8 + n**3,  # one symmetric product, at full speed
    )
)


# Logistic regression ---------------------------------------------------------------

# Rounding grows over the steps of the solver, on some data more than on others. So
# fits with a decision this near to zero are repeated with the samples in another order,
# which rounds differently; a decision within so many times the difference is doubtful.
_WATCHED = 0.05
_MARGIN, _LEAST = 100.0, 1e-7
# The wider the features, the sooner two roundings lead to other steps altogether, and
# nearness to zero tells no more. From the first spread on all fits are repeated; from
# the second on, or where one feature is so many times as wide as the usual one, the
# model itself is fitted.
_WIDE, _TOO_WIDE, _UNEVEN = 3.0, 10.0, 100.0
# The same of means: so many of the usual spread away from zero.
_FAR, _TOO_FAR = 3.0, 10.0


class Problem(NamedTuple):
    """What is minimised, in which coordinates, and when the solver stops."""

    penalty: float  # of the squared weights, per training sample
    has_free: bool  # whether there is an intercept; it is not penalised
    is_dual: bool  # whether weights are sums of training samples
    tolerance: float  # largest entry of the gradient at which the solver stops
    most: int  # iterations at most


@dataclass(frozen=True, kw_only=True, eq=False)
class LogisticRule:
    """The steps of scikit-learn's solver, from inner products of samples."""

    fold: Fold
    problem: Problem
    table: FloatArray  # (n, n), inner products; (n, m), features, where those are fewer
    columns: Columns  # lead from sums of samples back to the features
    watched: float  # fits with a decision this near to zero are repeated
    # Whether features are scaled so that the steps can be followed at all
    is_tame: bool

    @classmethod
    def prepare(cls, features: Features, fold: Fold, model: Any) -> Self:
        """Prepare a split for a `LogisticRegression` with the solver lbfgs."""
        spreads = features.spreads
        widest = float(spreads.max(initial=0.0))
        usual = float(np.median(spreads)) if spreads.size else 0.0
        far = float(np.abs(features.means).max(initial=0.0))
        problem = Problem(
            penalty=1 / (model.C * fold.train.size),
            has_free=bool(model.fit_intercept),
            is_dual=fold.train.size <= features.shape[1],
            tolerance=float(model.tol),
            most=int(model.max_iter),
        )
        return cls(
            fold=fold,
            problem=problem,
            table=features.gram if problem.is_dual else features.values,
            columns=features.columns,
            watched=_WATCHED if widest <= _WIDE and far <= _FAR * usual else np.inf,
            is_tame=widest <= min(_TOO_WIDE, _UNEVEN * usual)
            and far <= _TOO_FAR * usual,
        )

    def predict(self, orders: IntArray) -> Predicted:
        """Predict the test samples for every permutation."""
        if not self.is_tame:
            return all_doubtful(orders.shape[0], self.fold.test.size)
        train = self.fold.train
        decisions, doubtful = self._decide(orders, train)
        nearest = np.abs(decisions).min(axis=1)
        watched = np.flatnonzero(~(nearest > self.watched))
        if watched.size:
            again, _ = self._decide(orders[watched], train[::-1])
            noise = np.abs(again - decisions[watched]).max(axis=1)
            clear = nearest[watched] > _LEAST + _MARGIN * noise
            doubtful[watched] |= ~clear
        return Predicted(classes=(decisions > 0).astype(np.int64), is_doubtful=doubtful)

    def _decide(
        self, orders: IntArray, train: IntArray
    ) -> tuple[FloatArray, BoolArray]:
        from scorecast.evaluation.permutation.kernels import logistic_decisions

        decisions, doubtful = logistic_decisions(
            self.problem,
            np.ascontiguousarray(self.table),
            *self.columns,
            self.fold.codes[train].astype(np.float64),
            np.ascontiguousarray(orders[:, train]),
            np.ascontiguousarray(orders[:, self.fold.test]),
        )
        return decisions, doubtful


def _knows_logistic(model: Any, n_classes: int) -> bool:
    params = model.get_params()
    squared = params["penalty"] in ("l2", "deprecated") and not params["l1_ratio"]
    plain = params["class_weight"] is None and not params["warm_start"]
    plain = plain and params.get("multi_class", "auto") in ("auto", "deprecated")
    direct = params["solver"] == "lbfgs" and not params["dual"]
    numbers_fit = is_positive(params["C"]) and is_positive(params["tol"])
    return bool(n_classes == 2 and squared and plain and direct and numbers_fit)


PERMUTATION_ENGINES.add(
    PermutationEngine(
        name="logistic",
        title="logistic regression with two classes",
        summary="the solver's own steps, from inner products of samples",
        reference="J. J. More and D. J. Thuente (1994). Line search algorithms with "
        "guaranteed sufficient decrease. ACM Transactions on Mathematical Software 20.",
        estimators=("sklearn.linear_model.LogisticRegression",),
        accepts=_knows_logistic,
        prepare=LogisticRule.prepare,
        work=lambda n, m: 60 * n * min(n, m),  # many steps
    )
)
