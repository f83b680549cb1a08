"""ClassExReg: regress the accuracy curve on a radial basis for D(u).

After Zheng, Achanta and Benjamini (2018). Each basis element is the accuracy curve of
examples whose Phi^-1(U) is normal with a given mean and standard deviation (the
bandwidth); non-negative least squares finds their mixture.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar

import numpy as np
from scipy.special import ndtri

from scorecast._core.checks import check_choice
from scorecast._core.parallel import map_threads
from scorecast._core.types import FloatArray, IntArray
from scorecast.classes.distributions import FavourabilityDistribution, ProbitMixture
from scorecast.classes.evidence import Evidence, RankEvidence
from scorecast.classes.hiding import hide_classes
from scorecast.classes.least_squares import Design
from scorecast.classes.method import Fit, RankMethod
from scorecast.classes.moments import probit_moments_by_quantiles
from scorecast.exceptions import InsufficientDataError, UsageError
from scorecast.scores import curve_sizes, probit_moments

__all__ = ["FORMS", "KNOTS", "QUADRATURES", "Regression"]

FORMS = ("accuracy", "risk", "simplex")
KNOTS = ("paper", "r")
QUADRATURES = ("exact", "r")
_EVERY_SIZE_UP_TO = 1000
_BANDWIDTHS = tuple(round(0.1 * i, 1) for i in range(1, 11))


@dataclass(frozen=True, kw_only=True)
class Regression(RankMethod):
    """Non-negative regression on a Gaussian basis.

    Attributes
    ----------
    bandwidth : float or None
        Width of the basis; None chooses it by hiding half of the classes.
    form : {"accuracy", "risk", "simplex"}
        What is regressed on what: accuracy on accuracies with an atom of examples
        always right (the authors' code), error on errors with an atom never right
        (the paper), or a proper distribution (weights add up to one).
    knots : {"paper", "r"}
        Spacing of the basis: half a bandwidth, or that of the authors' code.
    quadrature : {"exact", "r"} or None
        How moments are integrated; None follows `knots`.
    constrained : bool
        False drops the sign constraint; predictions are then useless in practice.
    sizes : tuple of int or None
        Numbers of classes the curve is fitted at; None takes 1..K, thinned out.
    size_weights : tuple of float or None
        Weights of those sizes.
    bandwidths : tuple of float
        What is tried if `bandwidth` is None.
    n_subsamples : int
        How often half of the classes are hidden for that.
    """

    name: ClassVar[str] = "regression"

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
        check_choice(self.form, "form", FORMS)
        check_choice(self.knots, "knots", KNOTS)
        if self.quadrature is not None:
            check_choice(self.quadrature, "quadrature", QUADRATURES)
        if self.n_subsamples < 1 or not self.bandwidths:
            msg = "`n_subsamples` and the number of `bandwidths` must be at least 1."
            raise UsageError(msg)
        for value in (self.bandwidth, *self.bandwidths):
            if value is not None and not 0 < value <= 10:
                msg = f"`bandwidth` must lie in (0, 10]; got {value!r}."
                raise UsageError(msg)

    def fit(self, evidence: Evidence, rng: np.random.Generator) -> Fit:
        """Choose the bandwidth if need be, then fit all classes.

        Parameters
        ----------
        evidence : Evidence
            The observed classes.
        rng : numpy.random.Generator
            For the choice of hidden classes.

        Returns
        -------
        Fit
            The fit, with the error of every bandwidth among its details.
        """
        if evidence.chosen is not None and (self.sizes or self.size_weights):
            # Given for all classes; here, in a back-test, some of them are hidden.
            return replace(self, sizes=None, size_weights=None).fit(evidence, rng)
        if self.bandwidth is not None or evidence.ranking.n_groups < 4:
            tuned = self if self.bandwidth is not None else replace(self, bandwidth=0.6)
            fitted = tuned.fit_ranks(evidence.ranks)
            return Fit(
                distribution=fitted,
                tuned=tuned,
                details={"bandwidth": tuned.bandwidth},
            )
        errors = self._hide_and_seek(evidence, rng)
        fitted_by = self._fit_every_bandwidth(evidence.ranks)
        best = self.bandwidths[int(np.argmin(errors))]
        details = {
            "bandwidth": best,
            "bandwidths": list(self.bandwidths),
            "bandwidth_rmse": errors.tolist(),
            "by_bandwidth": fitted_by,
        }
        tuned = replace(self, bandwidth=best)
        return Fit(distribution=fitted_by[best], tuned=tuned, details=details)

    def fit_ranks(
        self,
        ranks: RankEvidence,
        start: FavourabilityDistribution | None = None,  # noqa: ARG002 - convex
    ) -> ProbitMixture:
        """Fit one bandwidth to a histogram of beating competitors."""
        if self.bandwidth is None:
            msg = "The bandwidth must be chosen before a histogram can be fitted."
            raise UsageError(msg)
        n = ranks.n_classes
        basis = _Basis(self, self.bandwidth, n, self._reach(n, ranks.n_each))
        return basis.fit(ranks.curve(basis.sizes))

    def _fit_every_bandwidth(self, ranks: RankEvidence) -> dict[float, ProbitMixture]:
        n = ranks.n_classes
        reach = self._reach(n, ranks.n_each)
        bases = {h: _Basis(self, h, n, reach) for h in self.bandwidths}
        curve = ranks.curve(next(iter(bases.values())).sizes)
        return {h: basis.fit(curve) for h, basis in bases.items()}

    def fit_left_out(
        self,
        evidence: Evidence,
        fit: Fit,  # noqa: ARG002 - convex: where one starts does not matter
    ) -> list[FavourabilityDistribution]:
        """Refit with each group of classes left out."""
        reach = self._reach(evidence.n_classes, evidence.ranks.n_each)
        bases: dict[int, _Basis] = {}
        fits: list[FavourabilityDistribution] = []
        for ranks in evidence.ranks_left_out:
            n = ranks.n_classes
            if n not in bases:
                bases[n] = _Basis(self, self.bandwidth or 0.6, n, reach)
            fits.append(bases[n].fit(ranks.curve(bases[n].sizes)))
        return fits

    def _reach(self, n_classes: int, n_each: float) -> _Reach:
        # The paper goes out to 1 / (r K^2) for r examples per class, the authors'
        # code to 1 / K^2.
        n_each = 1.0 if self.knots == "r" else n_each
        return _Reach(n_classes, round(-float(ndtri(1 / (n_each * n_classes**2))), 9))

    @property
    def by_quantiles(self) -> bool:
        """Whether moments follow the rule of the authors' R code."""
        rule = self.quadrature or ("r" if self.knots == "r" else "exact")
        return rule == "r"

    def _hide_and_seek(
        self, evidence: Evidence, rng: np.random.Generator
    ) -> FloatArray:
        """Return the error of each bandwidth in predicting all classes from half."""
        truth = evidence.ranks.accuracy
        reach = self._reach(evidence.n_classes, evidence.ranks.n_each)
        squares = np.zeros(len(self.bandwidths))
        bases: dict[int, list[_Basis]] = {}
        for _ in range(self.n_subsamples):
            try:
                shown = hide_classes(evidence, evidence.n_classes // 2, rng)
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
        # Sizes and weights that were given hold for all classes, not for some.
        whole = n_classes == reach.n_classes
        self.sizes, g = self._moments(bandwidth, reach, whole)
        self._at_reach = g[-1]
        if not whole:
            possible = self.sizes <= n_classes
            self.sizes, g = self.sizes[possible], g[possible]
        ones = np.ones((self.sizes.size, 1))
        more_than_one = (self.sizes > 1)[:, None].astype(np.float64)
        columns = {
            "accuracy": [g, ones],
            "risk": [1 - g, more_than_one],
            "simplex": [g, ones, 1 - more_than_one],
        }[method.form]
        self.design = Design(np.hstack(columns), self._size_weights(whole))

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
        return ProbitMixture(
            means=self.means,
            sds=self.sds,
            weights=b[:m],
            always_right=always_right,
            by_quantiles=self.method.by_quantiles,
        )

    def accuracy_at_reach(self, fitted: ProbitMixture) -> float:
        """Predict the accuracy with all classes; their moments are in the table."""
        return float(self._at_reach @ fitted.weights) + fitted.always_right

    def _moments(
        self, bandwidth: float, reach: _Reach, whole: bool
    ) -> tuple[IntArray, FloatArray]:
        method = self.method
        if whole and method.sizes is not None:
            sizes = _check_sizes(method.sizes, reach.n_classes)
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

    def _size_weights(self, whole: bool) -> FloatArray | None:
        if self.method.size_weights is None or not whole:
            return None
        weights = np.asarray(self.method.size_weights, dtype=np.float64)
        if weights.shape != self.sizes.shape or not (weights > 0).all():
            msg = f"`size_weights` must be {self.sizes.size} positive numbers."
            raise UsageError(msg)
        return weights


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


def _check_sizes(sizes: tuple[int, ...], n_classes: int) -> IntArray:
    chosen = np.unique(np.asarray(sizes, dtype=np.int64))
    if chosen.min() < 1 or chosen.max() > n_classes:
        msg = f"`sizes` must lie in 1..{n_classes}; got {sizes!r}."
        raise UsageError(msg)
    return chosen
