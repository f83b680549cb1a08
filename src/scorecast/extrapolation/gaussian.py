"""Method: Phi^-1(U) is normal, two parameters by maximum likelihood.

Exact where scores are Gaussian, and the smoothest guess elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np
import scipy

from scorecast._core.checks import check_one_of
from scorecast._core.types import FloatArray
from scorecast.extrapolation.bayesian import RankLikelihood
from scorecast.extrapolation.extrapolator import (
    EXTRAPOLATORS,
    Fit,
    Law,
    ProbitMixture,
    RankExtrapolator,
)
from scorecast.extrapolation.observed import ObservedClasses, RankHistogram
from scorecast.scores import curve_sizes, probit_moments

_CRITERIA = ("likelihood", "least-squares")
_SD_RANGE = (0.05, 5.0)  # identified only through the curvature of the curve
_MEAN_RANGE = (-12.0, 12.0)


@dataclass(frozen=True, kw_only=True)
class Gaussian(RankExtrapolator):
    r"""Fit the mean and standard deviation of :math:`\Phi^{-1}(U)`.

    Accuracy at k classes is :math:`E\,\Phi(V)^{k-1}` with V normal. Fitted by maximum
    likelihood to the number of beating competitors, which given U is binomial, or by
    least squares to the accuracy curve.

    Attributes
    ----------
    criterion : {"likelihood", "least-squares"}
        What is optimised.

    References
    ----------
    C. Zheng and Y. Benjamini (2016). Estimating mutual information in high dimensions
    via classification error. arXiv:1606.05229.
    """

    is_compared: ClassVar[bool] = True

    name: str = "gaussian"
    title: str = "the two-parameter probit law"
    summary: str = (
        "two parameters by maximum likelihood: how hard examples are is normal on the "
        "probit scale; exact for Gaussian scores"
    )
    reference: str = "Zheng and Benjamini (2016)"
    criterion: str = "likelihood"

    def __post_init__(self) -> None:
        check_one_of(self.criterion, "criterion", _CRITERIA)

    def fit_ranks(
        self, ranks: RankHistogram, start: Law | None = None
    ) -> ProbitMixture:
        """Fit a histogram of beating competitors."""
        first = _first_guess(ranks)
        if isinstance(start, ProbitMixture):
            first = np.array([start.means[0], np.log(start.sds[0])])
        if self.criterion == "likelihood":
            return _normal(_maximise(ranks.histogram, first))
        return _normal(_fit_curve(ranks, first))

    def fit_left_out(
        self, observed: ObservedClasses, fit: Fit, *, n_jobs: int | None = None
    ) -> Sequence[Law]:
        """Refit with each group of classes left out.

        Likelihood fits move by one Newton step from the full fit: to the order of the
        jackknife that is the refit, at a hundredth of its cost.
        """
        if self.criterion != "likelihood":
            return super().fit_left_out(observed, fit, n_jobs=n_jobs)
        full = cast("ProbitMixture", fit.law)
        theta = np.array([full.means[0], np.log(full.sds[0])])
        return [_normal(t) for t in _one_step(theta, observed)]


def _normal(theta: FloatArray) -> ProbitMixture:
    return ProbitMixture(means=theta[:1], sds=np.exp(theta[1:]), weights=np.ones(1))


def _maximise(histogram: FloatArray, first: FloatArray) -> FloatArray:
    likelihood = RankLikelihood(histogram.size)
    weights = likelihood.bin(histogram)

    def negative(theta: FloatArray) -> tuple[float, FloatArray]:
        logs, slopes = likelihood.normal(float(theta[0]), float(theta[1]))
        return -float(weights @ logs), -(weights @ slopes)

    found = scipy.optimize.minimize(
        negative,
        first,
        jac=True,
        method="L-BFGS-B",
        bounds=_bounds(),
        options={"ftol": 1e-13, "gtol": 1e-8},
    )
    best: FloatArray = found.x
    return best


def _one_step(theta: FloatArray, observed: ObservedClasses) -> FloatArray:
    """Move the full fit by one Newton step for each group of classes left out."""
    low, high = np.array(_bounds()).T
    hessian = _hessian(theta, observed.ranks.histogram)
    steps = np.empty((observed.ranking.n_groups, 2))
    slopes_of: dict[int, tuple[RankLikelihood, FloatArray]] = {}
    for g, ranks in enumerate(observed.ranks_left_out):
        if ranks.n_classes not in slopes_of:
            likelihood = RankLikelihood(ranks.n_classes)
            slopes_of[ranks.n_classes] = likelihood, likelihood.normal(*theta)[1]
        likelihood, slopes = slopes_of[ranks.n_classes]
        steps[g] = likelihood.bin(ranks.histogram) @ slopes
    moved: FloatArray = theta - np.linalg.solve(hessian, steps.T).T
    return np.clip(moved, low, high)


def _hessian(theta: FloatArray, histogram: FloatArray) -> FloatArray:
    likelihood = RankLikelihood(histogram.size)
    weights = likelihood.bin(histogram)
    step = 1e-4
    rows = [
        weights
        @ (likelihood.normal(*(theta + d))[1] - likelihood.normal(*(theta - d))[1])
        for d in step * np.eye(2)
    ]
    hessian = np.array(rows) / (2 * step)
    # At a bound, or with every sample right, the surface may be flat or bent the
    # wrong way; a step then must be short, not long.
    values, vectors = np.linalg.eigh((hessian + hessian.T) / 2)
    mended: FloatArray = vectors @ np.diag(np.minimum(values, -1e-3)) @ vectors.T
    return mended


def _fit_curve(ranks: RankHistogram, first: FloatArray) -> FloatArray:
    sizes = curve_sizes(ranks.n_classes)
    curve = ranks.curve(sizes)
    ks = sizes.astype(np.float64)

    def residual(theta: FloatArray) -> FloatArray:
        moments = probit_moments(ks, theta[:1], np.exp(theta[1:]))
        return moments[:, 0] - curve

    low, high = np.array(_bounds()).T
    best: FloatArray = scipy.optimize.least_squares(
        residual,
        np.clip(first, low + 1e-9, high - 1e-9),
        bounds=(low, high),
        xtol=1e-14,
        ftol=1e-14,
        gtol=1e-14,
    ).x
    return best


def _bounds() -> list[tuple[float, float]]:
    low, high = np.log(_SD_RANGE)
    return [_MEAN_RANGE, (float(low), float(high))]


def _first_guess(ranks: RankHistogram) -> FloatArray:
    pair = float(ranks.curve(np.array([2]))[0])
    mean = np.sqrt(2) * scipy.special.ndtri(np.clip(pair, 1e-6, 1 - 1e-6))
    return np.array([mean, 0.0])


EXTRAPOLATORS.add(Gaussian())
