"""The two-parameter family: Phi^-1(U) is normal.

Exact where scores are Gaussian, and the smoothest guess elsewhere: accuracy at k is
E[Phi(V)^(k-1)] with V normal. Fitted by maximum likelihood to the number of beating
competitors, which given U is binomial, or by least squares to the accuracy curve.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np
from scipy.special import ndtri

from scorecast._core.checks import check_choice
from scorecast._core.types import FloatArray
from scorecast.classes.distributions import FavourabilityDistribution, ProbitMixture
from scorecast.classes.evidence import Evidence, RankEvidence
from scorecast.classes.method import Fit, RankMethod
from scorecast.classes.rank_likelihood import RankLikelihood
from scorecast.scores import curve_sizes, probit_moments

__all__ = ["Gaussian"]

_SD_RANGE = (0.05, 5.0)  # identified only through the curvature of the curve
_MEAN_RANGE = (-12.0, 12.0)


@dataclass(frozen=True, kw_only=True)
class Gaussian(RankMethod):
    """Fit the mean and standard deviation of Phi^-1(U).

    Attributes
    ----------
    criterion : {"likelihood", "least-squares"}
        What is optimised.
    """

    name: ClassVar[str] = "gaussian"

    criterion: str = "likelihood"

    def __post_init__(self) -> None:
        check_choice(self.criterion, "criterion", ("likelihood", "least-squares"))

    def fit_ranks(
        self, ranks: RankEvidence, start: FavourabilityDistribution | None = None
    ) -> ProbitMixture:
        """Fit a histogram of beating competitors."""
        first = _first_guess(ranks)
        if isinstance(start, ProbitMixture):
            first = np.array([start.means[0], np.log(start.sds[0])])
        if self.criterion == "likelihood":
            return _normal(_maximise(ranks.histogram, first))
        return _normal(_fit_curve(ranks, first))

    def fit_left_out(
        self, evidence: Evidence, fit: Fit
    ) -> list[FavourabilityDistribution]:
        """Refit with each group of classes left out.

        Likelihood fits move by one Newton step from the full fit: to the order of the
        jackknife that is the refit, at a hundredth of its cost.
        """
        if self.criterion != "likelihood":
            return super().fit_left_out(evidence, fit)
        full = cast("ProbitMixture", fit.distribution)
        theta = np.array([full.means[0], np.log(full.sds[0])])
        return [_normal(t) for t in _one_step(theta, evidence)]


def _normal(theta: FloatArray) -> ProbitMixture:
    return ProbitMixture(means=theta[:1], sds=np.exp(theta[1:]), weights=np.ones(1))


def _maximise(histogram: FloatArray, first: FloatArray) -> FloatArray:
    from scipy.optimize import minimize

    likelihood = RankLikelihood(histogram.size)
    weights = likelihood.bin(histogram)

    def negative(theta: FloatArray) -> tuple[float, FloatArray]:
        logs, slopes = likelihood.normal(float(theta[0]), float(theta[1]))
        return -float(weights @ logs), -(weights @ slopes)

    found = minimize(
        negative, first, jac=True, method="L-BFGS-B", bounds=_bounds(),
        options={"ftol": 1e-13, "gtol": 1e-8},
    )  # fmt: skip
    best: FloatArray = found.x
    return best


def _one_step(theta: FloatArray, evidence: Evidence) -> FloatArray:
    """Move the full fit by one Newton step for each group of classes left out."""
    low, high = np.array(_bounds()).T
    hessian = _hessian(theta, evidence.ranks.histogram)
    steps = np.empty((evidence.ranking.n_groups, 2))
    slopes_of: dict[int, tuple[RankLikelihood, FloatArray]] = {}
    for g, ranks in enumerate(evidence.ranks_left_out):
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
    # At a bound, or with every example right, the surface may be flat or bent the
    # wrong way; a step then must be short, not long.
    values, vectors = np.linalg.eigh((hessian + hessian.T) / 2)
    mended: FloatArray = vectors @ np.diag(np.minimum(values, -1e-3)) @ vectors.T
    return mended


def _fit_curve(ranks: RankEvidence, first: FloatArray) -> FloatArray:
    from scipy.optimize import least_squares

    sizes = curve_sizes(ranks.n_classes)
    curve = ranks.curve(sizes)
    ks = sizes.astype(np.float64)

    def residual(theta: FloatArray) -> FloatArray:
        moments = probit_moments(ks, theta[:1], np.exp(theta[1:]))
        return moments[:, 0] - curve

    low, high = np.array(_bounds()).T
    best: FloatArray = least_squares(
        residual, np.clip(first, low + 1e-9, high - 1e-9), bounds=(low, high),
        xtol=1e-14, ftol=1e-14, gtol=1e-14,
    ).x  # fmt: skip
    return best


def _bounds() -> list[tuple[float, float]]:
    low, high = np.log(_SD_RANGE)
    return [_MEAN_RANGE, (float(low), float(high))]


def _first_guess(ranks: RankEvidence) -> FloatArray:
    pair = float(ranks.curve(np.array([2]))[0])
    mean = np.sqrt(2) * ndtri(np.clip(pair, 1e-6, 1 - 1e-6))
    return np.array([mean, 0.0])
