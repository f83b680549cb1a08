"""Kay's method: smooth the wrong-class scores of each example by a kernel.

After Kay, Naselaris, Prenger and Gallant (2008): an example's favourability is the
mass of its smoothed wrong-class scores below the score of the true class. It uses the
scores themselves, so it can tell a narrow victory from a wide one, and is lost where
few wrong classes or odd score scales make a Gaussian kernel meaningless.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.classes.bandwidths import wrong_class_bandwidths
from scorecast.classes.distributions import (
    EmpiricalFavourability,
    FavourabilityDistribution,
)
from scorecast.classes.evidence import Evidence
from scorecast.classes.favourability import kde_favourability_by_group
from scorecast.classes.method import Fit, Method
from scorecast.exceptions import UsageError
from scorecast.scores import Ranking, sample_weights

__all__ = ["Kde", "KdeBcv", "KdeFixed", "KdeUcv"]

_BLOCK = 8_000_000  # scores held at a time


@dataclass(frozen=True, kw_only=True)
class Kde(Method):
    """Kernel-smoothed favourability of each example.

    Attributes
    ----------
    rule : str
        Bandwidth rule, as in R: "ucv", "bcv", or "fixed".
    bandwidth : float or None
        The bandwidth itself, for the rule "fixed".
    n_jobs : int or None
        Number of threads.
    """

    name: ClassVar[str] = "kde"

    rule: str = "ucv"
    bandwidth: float | None = None
    n_jobs: int | None = None

    def fit(
        self,
        evidence: Evidence,
        rng: np.random.Generator,  # noqa: ARG002 - nothing to choose at random
    ) -> Fit:
        """Smooth the scores of every example.

        Parameters
        ----------
        evidence : Evidence
            The observed classes.
        rng : numpy.random.Generator
            Not used.

        Returns
        -------
        Fit
            The fit; its details hold the favourable mass by group of classes.
        """
        masses, bandwidths = self._masses(evidence)
        values = masses.sum(axis=1) / (evidence.n_classes - 1)
        distribution = EmpiricalFavourability(
            values=np.minimum(values, 1.0), weights=evidence.weights
        )
        details = {"bandwidth": float(np.median(bandwidths)), "masses": masses}
        return Fit(distribution=distribution, tuned=replace(self), details=details)

    def fit_left_out(
        self, evidence: Evidence, fit: Fit
    ) -> list[FavourabilityDistribution]:
        """Refit with each group of classes left out, bandwidths held fixed."""
        masses: FloatArray = fit.details["masses"]
        ranking = evidence.ranking
        sizes = np.bincount(ranking.group, minlength=ranking.n_groups)
        if masses.shape[1] != ranking.n_groups:
            masses, _ = self._masses(evidence)
        total = masses.sum(axis=1)
        return [
            _left_out(g, masses, total, ranking, int(size), evidence.average)
            for g, size in enumerate(sizes)
        ]

    def _masses(self, evidence: Evidence) -> tuple[FloatArray, FloatArray]:
        data, ranking = evidence.scores, evidence.ranking
        masses = np.empty((data.n_samples, ranking.n_groups))
        bandwidths = np.empty(data.n_samples)
        step = max(1, _BLOCK // data.n_classes)
        for start in range(0, data.n_samples, step):
            stop = min(start + step, data.n_samples)
            scores = data.rows(start, stop)
            own = data.own[start:stop]
            if self.bandwidth is not None:
                widths = np.full(stop - start, float(self.bandwidth))
            else:
                widths = wrong_class_bandwidths(
                    scores, own, self.rule, n_jobs=self.n_jobs
                )
            bandwidths[start:stop] = widths
            masses[start:stop] = kde_favourability_by_group(
                scores, own, widths, ranking.group, ranking.n_groups, n_jobs=self.n_jobs
            )
        return masses, bandwidths


@dataclass(frozen=True, kw_only=True)
class KdeUcv(Kde):
    """Bandwidths by unbiased cross-validation, as R's ``bw.ucv``."""

    name: ClassVar[str] = "kde-ucv"
    rule: str = "ucv"

    def __post_init__(self) -> None:
        _refuse_other_widths(self, "ucv")


@dataclass(frozen=True, kw_only=True)
class KdeBcv(Kde):
    """Bandwidths by biased cross-validation, as R's ``bw.bcv``."""

    name: ClassVar[str] = "kde-bcv"
    rule: str = "bcv"

    def __post_init__(self) -> None:
        _refuse_other_widths(self, "bcv")


@dataclass(frozen=True, kw_only=True)
class KdeFixed(Kde):
    """One bandwidth for all examples, on the scale of the scores."""

    name: ClassVar[str] = "kde-fixed"
    rule: str = "fixed"

    def __post_init__(self) -> None:
        if self.bandwidth is None or not self.bandwidth > 0:
            msg = (
                "A fixed bandwidth must be a positive number: pass `bandwidth`; got "
                f"{self.bandwidth!r}."
            )
            raise UsageError(msg)


def _refuse_other_widths(method: Kde, rule: str) -> None:
    if method.rule != rule or method.bandwidth is not None:
        msg = f"{method.name!r} chooses its own bandwidth; 'kde-fixed' takes one."
        raise UsageError(msg)


def _left_out(
    g: int,
    masses: FloatArray,
    total: FloatArray,
    ranking: Ranking,
    size: int,
    average: str,
) -> EmpiricalFavourability:
    stays = ranking.group[ranking.own] != g
    n_others = ranking.n_classes - size - 1
    values = (total[stays] - masses[stays, g]) / max(n_others, 1)
    weights = sample_weights(ranking.own[stays], average)
    return EmpiricalFavourability(values=np.clip(values, 0, 1), weights=weights)
