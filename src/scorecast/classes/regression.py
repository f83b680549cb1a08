"""ClassExReg: regress the accuracy curve on a radial basis for D(u).

After Zheng, Achanta and Benjamini (2018). Each basis element is the accuracy curve of
examples whose Phi^-1(U) is normal with a given mean and standard deviation (the
bandwidth); non-negative least squares finds their mixture.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy.special import ndtri

from scorecast._core.checks import check_choice
from scorecast._core.types import FloatArray, IntArray
from scorecast.classes.distributions import FavourabilityDistribution, ProbitMixture
from scorecast.classes.evidence import Evidence, RankEvidence
from scorecast.classes.least_squares import Design
from scorecast.classes.method import Fit, RankMethod
from scorecast.classes.moments import probit_moments, probit_moments_by_quantiles
from scorecast.exceptions import UsageError
from scorecast.scores import curve_sizes

__all__ = ["FORMS", "KNOTS", "QUADRATURES", "Regression"]

FORMS = ("accuracy", "risk", "simplex")
KNOTS = ("paper", "r")
QUADRATURES = ("exact", "r")
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
        if self.bandwidth is not None or evidence.ranking.n_groups < 4:
            tuned = self if self.bandwidth is not None else replace(self, bandwidth=0.6)
            fitted = tuned.fit_ranks(evidence.ranks)
            return Fit(
                distribution=fitted,
                tuned=tuned,
                details={"bandwidth": tuned.bandwidth},
            )
        errors = self._hide_and_seek(evidence, rng)
        fits = {h: replace(self, bandwidth=h) for h in self.bandwidths}
        fitted_by = {h: m.fit_ranks(evidence.ranks) for h, m in fits.items()}
        best = self.bandwidths[int(np.argmin(errors))]
        details = {
            "bandwidth": best,
            "bandwidths": list(self.bandwidths),
            "bandwidth_rmse": errors.tolist(),
            "by_bandwidth": fitted_by,
        }
        return Fit(distribution=fitted_by[best], tuned=fits[best], details=details)

    def fit_ranks(
        self,
        ranks: RankEvidence,
        start: FavourabilityDistribution | None = None,  # noqa: ARG002 - convex
    ) -> ProbitMixture:
        """Fit one bandwidth to a histogram of beating competitors."""
        basis = _Basis(self, ranks.n_classes)
        return basis.fit(ranks.curve(basis.sizes))

    @property
    def _by_quantiles(self) -> bool:
        rule = self.quadrature or ("r" if self.knots == "r" else "exact")
        return rule == "r"

    def fit_left_out(
        self,
        evidence: Evidence,
        fit: Fit,  # noqa: ARG002 - convex: where one starts does not matter
    ) -> list[FavourabilityDistribution]:
        """Refit with each group of classes left out."""
        bases: dict[int, _Basis] = {}
        fits: list[FavourabilityDistribution] = []
        for ranks in evidence.ranks_left_out:
            if ranks.n_classes not in bases:
                method = replace(self, sizes=None, size_weights=None)
                bases[ranks.n_classes] = _Basis(
                    method, ranks.n_classes, evidence.n_classes
                )
            basis = bases[ranks.n_classes]
            fits.append(basis.fit(ranks.curve(basis.sizes)))
        return fits

    def _hide_and_seek(
        self, evidence: Evidence, rng: np.random.Generator
    ) -> FloatArray:
        """Return the error of each bandwidth in predicting all classes from half."""
        n_groups = evidence.ranking.n_groups
        truth = evidence.ranks.accuracy
        target = np.array([evidence.n_classes])
        squares = np.zeros(len(self.bandwidths))
        bases: dict[tuple[float, int], _Basis] = {}
        for _ in range(self.n_subsamples):
            kept = np.zeros(n_groups, dtype=bool)
            # Without replacement: a class drawn twice would tie with itself.
            kept[rng.permutation(n_groups)[: n_groups // 2]] = True
            if not kept[evidence.ranking.group[evidence.ranking.own]].any():
                continue
            ranks = evidence.restrict(kept).ranks
            for i, h in enumerate(self.bandwidths):
                key = (h, ranks.n_classes)
                if key not in bases:
                    method = replace(self, bandwidth=h, sizes=None, size_weights=None)
                    bases[key] = _Basis(method, ranks.n_classes, evidence.n_classes)
                basis = bases[key]
                found = basis.fit(ranks.curve(basis.sizes)).accuracy(target)[0]
                squares[i] += (found - truth) ** 2
        return np.sqrt(squares / self.n_subsamples)


class _Basis:
    """The basis of one bandwidth, evaluated at the sizes to be fitted."""

    def __init__(
        self, method: Regression, n_classes: int, n_reach: int | None = None
    ) -> None:
        if method.bandwidth is None:
            msg = "The bandwidth must be chosen before the basis is built."
            raise UsageError(msg)
        self.method = method
        self.means = _knots(n_reach or n_classes, method.bandwidth, method.knots)
        self.sds = np.full(self.means.size, method.bandwidth)
        self.sizes = _sizes_to_fit(n_classes, method.sizes)
        moments = (
            probit_moments_by_quantiles if method._by_quantiles else probit_moments
        )
        ones = np.ones(self.sizes.size)
        g = moments(self.sizes.astype(np.float64), self.means, self.sds)
        if method.form == "risk":
            columns = np.column_stack([1 - g, (self.sizes > 1).astype(np.float64)])
        elif method.form == "simplex":
            columns = np.column_stack([g, ones, (self.sizes == 1).astype(np.float64)])
        else:
            columns = np.column_stack([g, ones])
        weights = None
        if method.size_weights is not None:
            weights = np.asarray(method.size_weights, dtype=np.float64)
            if weights.shape != self.sizes.shape or not (weights > 0).all():
                msg = f"`size_weights` must be {self.sizes.size} positive numbers."
                raise UsageError(msg)
        self.design = Design(columns, weights)

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
            by_quantiles=self.method._by_quantiles,
        )


def _knots(n_classes: int, bandwidth: float, rule: str) -> FloatArray:
    farthest = float(-ndtri(1 / n_classes**2))
    if rule == "r":
        n_half = math.ceil(farthest / bandwidth)
    else:
        n_half = math.floor(farthest / (bandwidth / 2)) + 1
    half = np.linspace(0, farthest, n_half) if n_half > 1 else np.zeros(1)
    return np.concatenate([-half[:0:-1], half])


def _sizes_to_fit(n_classes: int, sizes: tuple[int, ...] | None) -> IntArray:
    if sizes is not None:
        chosen = np.unique(np.asarray(sizes, dtype=np.int64))
        if chosen.min() < 1 or chosen.max() > n_classes:
            msg = f"`sizes` must lie in 1..{n_classes}; got {sizes!r}."
            raise UsageError(msg)
        return chosen
    return np.append([1], curve_sizes(n_classes))
