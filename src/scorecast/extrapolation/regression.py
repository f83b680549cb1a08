"""Method: ClassExReg, the accuracy curve regressed on a radial basis for D(u).

Each element of the basis is the accuracy curve of samples whose Phi^-1(U) is normal
with a given mean and standard deviation (the bandwidth); non-negative least squares
finds their mixture.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar

import numpy as np
import scipy

from scorecast._core.checks import (
    check_flag,
    check_numbers,
    check_one_of,
    check_positive,
    check_times,
)
from scorecast._core.parallel import map_threads
from scorecast._core.types import FloatArray, IntArray
from scorecast.exceptions import InsufficientDataError, UsageError
from scorecast.extrapolation.extrapolator import (
    EXTRAPOLATORS,
    BandwidthFit,
    Fit,
    Law,
    ProbitMixture,
    RankExtrapolator,
)
from scorecast.extrapolation.least_squares import Design
from scorecast.extrapolation.observed import (
    ObservedClasses,
    RankHistogram,
    hide_classes,
)
from scorecast.scores import curve_sizes, probit_moments

_FORMS = ("accuracy", "risk", "simplex")
_KNOTS = ("paper", "r")
_QUADRATURES = ("exact", "r")
_BANDWIDTHS = tuple(round(0.1 * i, 1) for i in range(1, 11))
_USUAL_BANDWIDTH = 0.6  # where classes are too few to choose one
_WIDEST = 10
_EVERY_SIZE_UP_TO = 1000
_QUANTILES = 10_000


@dataclass(frozen=True, kw_only=True)
class Regression(RankExtrapolator):
    r"""Non-negative regression on a Gaussian basis.

    The accuracy at k classes is written as

    .. math:: \mathrm{accuracy}(k) = b_0 + \sum_j b_j E\,\Phi(\mu_j + h Z)^{k-1},
              \qquad b_j \ge 0,

    with Z standard normal, knots :math:`\mu_j` and bandwidth h.

    Attributes
    ----------
    bandwidth : float or None
        Width of the basis; None chooses it by hiding half of the classes.
    form : {"accuracy", "risk", "simplex"}
        What is regressed on what: accuracy on accuracies with an atom of samples
        always right (the authors' code), error on errors with an atom never right
        (the paper), or a proper distribution (weights add up to one).
    knots : {"paper", "r"}
        Spacing of the basis: half a bandwidth, or that of the authors' code.
    quadrature : {"exact", "r"} or None
        How moments are integrated; None follows `knots`.
    constrained : bool
        False drops the sign constraint; predictions are then useless in practice. Not
        so for "simplex", which is a distribution.
    sizes : tuple of int or None
        Numbers of classes the curve is fitted at, also where classes are hidden or
        left out, as far as there are so many; None takes 1..K, thinned out.
    size_weights : tuple of float or None
        Weights of those sizes.
    bandwidths : tuple of float
        What is tried if `bandwidth` is None.
    n_subsamples : int
        How often half of the classes are hidden for that.

    References
    ----------
    C. Zheng, R. Achanta and Y. Benjamini (2018). Extrapolating expected accuracies for
    large multi-class problems. Journal of Machine Learning Research 19.
    """

    is_compared: ClassVar[bool] = True

    name: str = "regression"
    title: str = "ClassExReg"
    summary: str = (
        "the observed curve fitted by a sum of smooth ones (ClassExReg); knots=r "
        "places them as the authors' R code does"
    )
    reference: str = "Zheng, Achanta and Benjamini (2018)"
    bandwidth: float | None = None
    form: str = "accuracy"
    knots: str = "paper"
    quadrature: str | None = None
    constrained: bool = True
    sizes: tuple[int, ...] | None = None
    size_weights: tuple[float, ...] | None = None
    bandwidths: tuple[float, ...] = _BANDWIDTHS
    n_subsamples: int = 25

    def __post_init__(self) -> None:
        check_one_of(self.form, "form", _FORMS)
        check_one_of(self.knots, "knots", _KNOTS)
        if self.quadrature is not None:
            check_one_of(self.quadrature, "quadrature", _QUADRATURES)
        check_flag(self.constrained, "constrained")
        if self.form == "simplex" and not self.constrained:
            problem = "the form 'simplex' is a distribution: its weights have signs"
            remedy = "choose the form accuracy or risk, or leave it constrained"
            raise UsageError(problem, parameter="constrained", remedy=remedy)
        check_times(self.n_subsamples, "n_subsamples")
        for name in ("sizes", "size_weights"):
            if getattr(self, name) is not None:
                check_numbers(getattr(self, name), name)
        if not check_numbers(self.bandwidths, "bandwidths"):
            raise UsageError("must not be empty", parameter="bandwidths")
        _check_width(self.bandwidth, "bandwidth")
        for value in self.bandwidths:
            _check_width(value, "bandwidths")

    def fit(
        self,
        observed: ObservedClasses,
        rng: np.random.Generator,
        *,
        n_jobs: int | None = None,
    ) -> Fit:
        """Choose the bandwidth by hiding half of the classes, then fit all of them."""
        if observed.chosen is not None and (self.sizes or self.size_weights):
            # Given for all classes; here, in a back-test, some of them are hidden.
            sizes, weights = self.sizes_among(observed.n_classes)
            if (sizes, weights) != (self.sizes, self.size_weights):
                fewer = replace(self, sizes=sizes, size_weights=weights)
                return fewer.fit(observed, rng, n_jobs=n_jobs)
        if self.bandwidth is not None or observed.ranking.n_groups < 4:
            chosen = self.bandwidth or _USUAL_BANDWIDTH
            tuned = replace(self, bandwidth=chosen)
            law = tuned.fit_ranks(observed.ranks)
            return Fit(law=law, tuned=tuned, bandwidth=chosen)
        errors = self._hide_and_seek(observed, rng)
        fitted_by = self._fit_every_bandwidth(observed.ranks)
        best = self.bandwidths[int(np.argmin(errors))]
        return Fit(
            law=fitted_by[best],
            tuned=replace(self, bandwidth=best),
            bandwidth=best,
            by_bandwidth=tuple(
                BandwidthFit(bandwidth=h, law=law, rmse=float(error))
                for (h, law), error in zip(fitted_by.items(), errors, strict=True)
            ),
        )

    def fit_ranks(
        self,
        ranks: RankHistogram,
        start: Law | None = None,  # noqa: ARG002 - convex
    ) -> ProbitMixture:
        """Fit one bandwidth to a histogram of beating competitors."""
        if self.bandwidth is None:
            problem = "must be chosen before a histogram can be fitted"
            raise UsageError(problem, parameter="bandwidth")
        n = ranks.n_classes
        basis = _Basis(self, self.bandwidth, n, self._reach(n, ranks.n_each))
        return basis.fit(ranks.curve(basis.sizes))

    def _fit_every_bandwidth(self, ranks: RankHistogram) -> dict[float, ProbitMixture]:
        n = ranks.n_classes
        reach = self._reach(n, ranks.n_each)
        bases = {h: _Basis(self, h, n, reach) for h in self.bandwidths}
        curve = ranks.curve(next(iter(bases.values())).sizes)
        return {h: basis.fit(curve) for h, basis in bases.items()}

    def fit_left_out(
        self,
        observed: ObservedClasses,
        fit: Fit,  # noqa: ARG002 - convex: where one starts does not matter
        *,
        n_jobs: int | None = None,  # noqa: ARG002 - quick
    ) -> Sequence[Law]:
        """Fit again with each group of classes left out."""
        reach = self._reach(observed.n_classes, observed.ranks.n_each)
        bases: dict[int, _Basis] = {}
        fits = []
        for ranks in observed.ranks_left_out:
            n = ranks.n_classes
            if n not in bases:
                width = self.bandwidth or _USUAL_BANDWIDTH
                bases[n] = _Basis(self, width, n, reach)
            fits.append(bases[n].fit(ranks.curve(bases[n].sizes)))
        return fits

    def sizes_among(
        self, n_classes: int
    ) -> tuple[tuple[int, ...] | None, tuple[float, ...] | None]:
        """Return the given sizes, and their weights, that are left of fewer classes.

        The usual ones, unweighted, where none is left but one class alone.
        """
        if self.sizes is None:
            return None, None
        given = np.unique(np.asarray(self.sizes, dtype=np.int64))
        kept = given <= n_classes
        sizes = tuple(given[kept].tolist())
        if not sizes or sizes == (1,):
            return None, None
        weights = self.size_weights
        if weights is None or len(weights) != given.size:
            return sizes, weights
        return sizes, tuple(
            w for w, is_kept in zip(weights, kept, strict=True) if is_kept
        )

    def _reach(self, n_classes: int, n_each: float) -> _Reach:
        # The paper goes out to 1 / (r K^2) for r samples per class, the authors'
        # code to 1 / K^2.
        n_each = 1.0 if self.knots == "r" else n_each
        farthest = -float(scipy.special.ndtri(1 / (n_each * n_classes**2)))
        return _Reach(n_classes, round(farthest, 9))

    @property
    def by_quantiles(self) -> bool:
        """Whether moments follow the rule of the authors' R code."""
        rule = self.quadrature or ("r" if self.knots == "r" else "exact")
        return rule == "r"

    def _hide_and_seek(
        self, observed: ObservedClasses, rng: np.random.Generator
    ) -> FloatArray:
        """Return the error of each bandwidth in predicting all classes from half."""
        truth = observed.ranks.accuracy()
        reach = self._reach(observed.n_classes, observed.ranks.n_each)
        squares = np.zeros(len(self.bandwidths))
        bases: dict[int, list[_Basis]] = {}
        for _ in range(self.n_subsamples):
            try:
                shown = hide_classes(observed, observed.n_classes // 2, rng)
            except InsufficientDataError:
                continue  # an unlucky choice: the other repeats tell
            n = shown.n_classes
            if n not in bases:
                bases[n] = [_Basis(self, h, n, reach) for h in self.bandwidths]
            curve = shown.ranks.curve(bases[n][0].sizes)
            found = [basis.accuracy_at_reach(basis.fit(curve)) for basis in bases[n]]
            squares += (np.array(found) - truth) ** 2
        return np.sqrt(squares / self.n_subsamples)


@dataclass(frozen=True)
class _Reach:
    """How far a basis goes: up to which number of classes, and in Phi^-1(U)."""

    n_classes: int
    farthest: float


class _Basis:
    """The basis of one bandwidth, evaluated at the sizes to be fitted.

    Parameters
    ----------
    method : Regression
        Form, knots and quadrature.
    bandwidth : float
        Width of the elements.
    n_classes : int
        Classes observed: the largest size that can be fitted.
    reach : _Reach
        How far the knots go; as in the authors' code, all classes decide it.
    """

    def __init__(
        self, method: Regression, bandwidth: float, n_classes: int, reach: _Reach
    ) -> None:
        self.method = method
        self.means = _knots(reach.farthest, bandwidth, method.knots)
        self.sds = np.full(self.means.size, bandwidth)
        whole = n_classes == reach.n_classes
        given, given_weights = method.sizes, method.size_weights
        if given is not None and whole:
            _check_sizes(given, n_classes)
        elif not whole:
            given, given_weights = method.sizes_among(n_classes)
        self.sizes, g = self._moments(bandwidth, reach, given)
        self._at_reach = g[-1]
        possible = self.sizes <= n_classes
        if given is not None:
            possible &= np.isin(self.sizes, given)
        self.sizes, g = self.sizes[possible], g[possible]
        ones = np.ones((self.sizes.size, 1))
        more_than_one = (self.sizes > 1)[:, None].astype(np.float64)
        columns = {
            "accuracy": [g, ones],
            "risk": [1 - g, more_than_one],
            "simplex": [g, ones, 1 - more_than_one],
        }[method.form]
        self.design = Design(np.hstack(columns), self._size_weights(given_weights))

    def fit(self, curve: FloatArray) -> ProbitMixture:
        """Fit the accuracies at the sizes."""
        m = self.means.size
        if self.method.form == "simplex":
            b = self.design.simplex(curve)
            always_right = float(b[m])
        else:
            is_risk = self.method.form == "risk"
            values = 1 - curve if is_risk else curve
            solve = (
                self.design.nonnegative
                if self.method.constrained
                else self.design.unconstrained
            )
            b = solve(values)
            # The error form puts its constant at U = 0; what no element claims is
            # always right, and may be negative where the weights exceed one.
            always_right = float(1 - b.sum()) if is_risk else float(b[m])
        law = QuantileMixture if self.method.by_quantiles else ProbitMixture
        return law(
            means=self.means, sds=self.sds, weights=b[:m], always_right=always_right
        )

    def accuracy_at_reach(self, fitted: ProbitMixture) -> float:
        """Predict the accuracy with all classes; their moments are in the table."""
        return float(self._at_reach @ fitted.weights) + fitted.always_right

    def _moments(
        self, bandwidth: float, reach: _Reach, given: tuple[int, ...] | None
    ) -> tuple[IntArray, FloatArray]:
        """Return the moments at the sizes to be fitted, and last at all classes."""
        method = self.method
        if given is not None:
            sizes = np.unique(np.asarray(given, dtype=np.int64))
            if sizes[-1] < reach.n_classes:
                sizes = np.append(sizes, reach.n_classes)
            floats = sizes.astype(np.float64)
            rule = (
                probit_moments_by_quantiles if method.by_quantiles else probit_moments
            )
            return sizes, rule(floats, self.means, self.sds)
        widths = tuple(sorted({bandwidth, *method.bandwidths}))
        if method.bandwidth is not None:
            widths = (bandwidth,)
        sizes, tables = _moment_tables(reach, widths, method.knots, method.by_quantiles)
        return sizes, tables[widths.index(bandwidth)]

    def _size_weights(self, given: tuple[float, ...] | None) -> FloatArray | None:
        if given is None:
            return None
        weights = np.asarray(given, dtype=np.float64)
        if weights.shape != self.sizes.shape or not (weights > 0).all():
            problem = f"must be {self.sizes.size} positive numbers"
            raise UsageError(problem, parameter="size_weights")
        return weights


class QuantileMixture(ProbitMixture):
    """The same mixture, its moments by the coarser rule of the authors' R code."""

    def accuracy(self, ks: IntArray, top: int = 1) -> FloatArray:
        """Return the expected accuracy at numbers of classes, within some guesses."""
        if top > 1:
            return super().accuracy(ks, top)
        floats = np.asarray(ks, dtype=np.float64)
        moments = probit_moments_by_quantiles(floats, self.means, self.sds)
        found: FloatArray = moments @ self.weights + self.always_right
        return found


@lru_cache(maxsize=6)
def _moment_tables(
    reach: _Reach, widths: tuple[float, ...], knots: str, by_quantiles: bool
) -> tuple[IntArray, list[FloatArray]]:
    """Tabulate the moments of several bandwidths, at all sizes within reach.

    One table serves the fit to all classes and those to subsets of them.
    """
    sizes = np.append([1], curve_sizes(reach.n_classes))
    if by_quantiles and reach.n_classes <= _EVERY_SIZE_UP_TO:
        # The quantile rule gets from one k to the next by one product.
        sizes = np.arange(1, reach.n_classes + 1)
    ks = sizes.astype(np.float64)
    means = [_knots(reach.farthest, h, knots) for h in widths]
    if by_quantiles:
        sets = [(m, np.full(m.size, h)) for m, h in zip(means, widths, strict=True)]
        return sizes, map_threads(
            lambda pair: probit_moments_by_quantiles(ks, *pair), sets
        )
    sds = np.repeat(widths, [m.size for m in means])
    together = probit_moments(ks, np.concatenate(means), sds)
    ends = np.cumsum([m.size for m in means])[:-1]
    return sizes, np.split(together, ends, axis=1)


def _knots(farthest: float, bandwidth: float, rule: str) -> FloatArray:
    if rule == "r":
        n_half = math.ceil(farthest / bandwidth)
    else:
        n_half = math.floor(farthest / (bandwidth / 2)) + 1
    half = np.linspace(0, farthest, n_half) if n_half > 1 else np.zeros(1)
    return np.concatenate([-half[:0:-1], half])


def _check_width(value: float | None, parameter: str) -> None:
    if value is not None and check_positive(value, parameter) > _WIDEST:
        problem = f"must be at most {_WIDEST}; got {value!r}"
        raise UsageError(problem, parameter=parameter)


def _check_sizes(sizes: tuple[int, ...], n_classes: int) -> IntArray:
    chosen = np.unique(np.asarray(sizes, dtype=np.int64))
    if chosen.min() < 1 or chosen.max() > n_classes:
        problem = f"must lie in 1..{n_classes}; got {sizes!r}"
        raise UsageError(problem, parameter="sizes")
    return chosen


def probit_moments_by_quantiles(
    ks: FloatArray, means: FloatArray, sds: FloatArray
) -> FloatArray:
    """Compute the same moments by the rule of the authors' R code.

    It averages over 10,000 equally likely values of V and is off by up to 1e-5,
    where `scores.probit_moments` is exact; kept for comparison with published numbers.

    Parameters
    ----------
    ks : ndarray of shape (n,)
        Numbers of classes.
    means, sds : ndarray of shape (m,)
        Means and standard deviations of V.

    Returns
    -------
    ndarray of shape (n, m)
        Accuracy at each k for each element.
    """
    given = (np.asarray(v, dtype=np.float64).tobytes() for v in (ks, means, sds))
    return _by_quantiles(*given).copy()


@functools.lru_cache(maxsize=64)
def _by_quantiles(ks_bytes: bytes, means_bytes: bytes, sds_bytes: bytes) -> FloatArray:
    """Compute a table once: fits without some classes ask for the same again."""
    ks, means, sds = (np.frombuffer(b) for b in (ks_bytes, means_bytes, sds_bytes))
    quantiles = scipy.special.ndtri((np.arange(_QUANTILES) + 0.5) / _QUANTILES)
    out = np.empty((ks.size, means.size))
    if ks.size * means.size > 2_000:
        from scorecast.extrapolation.kernels import mean_powers

        # The kernel goes from one number of classes to the next larger one.
        order = np.argsort(ks, kind="stable")
        for j, (mean, sd) in enumerate(zip(means, sds, strict=True)):
            values = scipy.special.ndtr(mean + sd * quantiles)
            out[order, j] = mean_powers(values, ks[order])
        return out
    for j, (mean, sd) in enumerate(zip(means, sds, strict=True)):
        logs = scipy.special.log_ndtr(mean + sd * quantiles)
        out[:, j] = [np.exp((k - 1) * logs).mean() for k in ks]
    return out


EXTRAPOLATORS.add(Regression())
