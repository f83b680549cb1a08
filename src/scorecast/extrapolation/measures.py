r"""Several measures of one recogniser, all asked of one fit.

With p the chance that a random wrong class beats the truth, the number that do among
k classes is binomial with k - 1 trials, and every measure of a rank is an expectation
over it. Right within m guesses: at most m - 1 of them. The reciprocal of the rank:

.. math:: E\,\frac{1}{1 + B} = \frac{1 - (1 - p)^k}{k p}
   = \frac1k \sum_{i=1}^{k} U^{i-1}, \qquad U = 1 - p,

so that the mean reciprocal rank among k classes is the mean of the accuracies among
1, 2, ..., k. This holds for averages over subsets of the observed classes as it does
for any law: the part up to these classes is exact, and only the rest is forecast.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import scipy
from numpy.typing import NDArray

from scorecast._core.result import SHARE
from scorecast._core.types import FloatArray, IntArray
from scorecast.extrapolation.extrapolator import Fit, Law
from scorecast.extrapolation.intervals import (
    bracket_share,
    prediction_interval,
)
from scorecast.extrapolation.observed import ObservedClasses, RankHistogram
from scorecast.scores import (
    chances_right,
    curve_of_ranking,
    jackknife_stderr,
    mean_chances,
    snap_to_certainty,
)

MRR = "mrr"

_PANEL = 1.5  # factor in classes over which accuracies are added up at once
_ONE_BY_ONE = 6  # classes of a panel that are added up one by one
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(4)
_FEWEST_LEFT_OUT = 2


@dataclass(frozen=True, kw_only=True)
class RankMeasure(ABC):
    """Something that is known once the rank of the truth is.

    Attributes
    ----------
    name : str
        What it is called in results.
    """

    name: str

    @abstractmethod
    def expected(self, law: Law, ranks: RankHistogram, ks: IntArray) -> FloatArray:
        """Forecast it for numbers of classes, not below those observed."""

    @abstractmethod
    def ends(
        self,
        fit: Fit,
        observed: ObservedClasses,
        ks: IntArray,
        confidence_level: float,
        *,
        n_jobs: int | None = None,
    ) -> tuple[FloatArray, FloatArray]:
        """Bracket the forecast."""

    @abstractmethod
    def value(self, ranks: RankHistogram, ks: IntArray) -> FloatArray:
        """Average it over all subsets of so many of the observed classes."""

    @abstractmethod
    def standard_errors(self, observed: ObservedClasses, ks: IntArray) -> FloatArray:
        """Return the standard error of every such average, from leaving classes out."""

    def observed_ends(
        self, observed: ObservedClasses, ks: IntArray, confidence_level: float
    ) -> tuple[FloatArray, FloatArray]:
        """Bracket its value among so many of the observed classes."""
        values, errors = (
            self.value(observed.ranks, ks),
            self.standard_errors(observed, ks),
        )
        n_groups = observed.n_telling(observed.ranking.n_groups)
        ends = [
            bracket_share(
                float(value),
                float(error),
                n_groups=n_groups,
                n_tested=observed.n_alike,
                confidence_level=confidence_level,
            )
            for value, error in zip(values, errors, strict=True)
        ]
        low, high = np.array(ends).T
        return low, high

    @abstractmethod
    def chance(self, k: int) -> float:
        """Return what guessing reaches."""


@dataclass(frozen=True, kw_only=True)
class TopMeasure(RankMeasure):
    """The share of samples whose truth is among the best few: recall, one step of CMC.

    Attributes
    ----------
    top : int
        Guesses allowed.
    """

    top: int

    @classmethod
    def of(cls, top: int) -> TopMeasure:
        """Name it by the number of guesses."""
        return cls(name=f"top-{top}", top=top)

    def expected(self, law: Law, ranks: RankHistogram, ks: IntArray) -> FloatArray:  # noqa: ARG002
        """Ask the law."""
        return np.clip(law.accuracy(ks, self.top), 0, 1)

    def ends(
        self,
        fit: Fit,
        observed: ObservedClasses,
        ks: IntArray,
        confidence_level: float,
        *,
        n_jobs: int | None = None,
    ) -> tuple[FloatArray, FloatArray]:
        """Bracket it as every accuracy."""
        found = prediction_interval(
            fit, observed, ks, confidence_level, top=self.top, n_jobs=n_jobs
        )
        return found.low, found.high

    def value(self, ranks: RankHistogram, ks: IntArray) -> FloatArray:
        """Count the ranks."""
        return mean_chances(ranks.histogram, ranks.n_classes, ks, self.top)

    def standard_errors(self, observed: ObservedClasses, ks: IntArray) -> FloatArray:
        """Leave classes out in turn."""
        curve = curve_of_ranking(
            observed.ranking,
            ks,
            top=self.top,
            ties=observed.ties,
            average=observed.average,
        )
        return np.array([curve.nearest_standard_error(i).value for i in range(ks.size)])

    def chance(self, k: int) -> float:
        """Return so many guesses out of all classes."""
        return min(self.top / k, 1.0)


@dataclass(frozen=True, kw_only=True)
class ReciprocalRank(RankMeasure):
    """The mean of one over the rank of the truth."""

    name: str = MRR

    def expected(self, law: Law, ranks: RankHistogram, ks: IntArray) -> FloatArray:
        """Average the accuracies among 1, 2, ..., k classes."""
        first = ranks.n_classes
        seen = first * self.value(ranks, np.array([first]))

        def accuracies(sizes: FloatArray) -> FloatArray:
            return np.clip(law.accuracy(sizes), 0, 1)  # type: ignore[arg-type]

        (beyond,) = _sums([accuracies], first, ks)
        mean: FloatArray = (seen + beyond) / ks
        return mean

    def ends(
        self,
        fit: Fit,
        observed: ObservedClasses,
        ks: IntArray,
        confidence_level: float,
        *,
        n_jobs: int | None = None,
    ) -> tuple[FloatArray, FloatArray]:
        """Average the ends of all accuracies, as if they erred as one.

        They nearly do: a law that is too high at one size is at the next.
        """
        first = observed.n_classes
        seen = self.observed_ends(observed, np.array([first]), confidence_level)
        known: dict[bytes, tuple[FloatArray, FloatArray]] = {}

        def ends(sizes: FloatArray) -> tuple[FloatArray, FloatArray]:
            key = sizes.tobytes()
            if key not in known:
                found = prediction_interval(
                    fit,
                    observed,
                    sizes,  # type: ignore[arg-type]
                    confidence_level,
                    n_jobs=n_jobs,
                )
                known[key] = found.low, found.high
            return known[key]

        low, high = _sums(
            [lambda sizes: ends(sizes)[0], lambda sizes: ends(sizes)[1]], first, ks
        )
        return (first * seen[0] + low) / ks, (first * seen[1] + high) / ks

    def value(self, ranks: RankHistogram, ks: IntArray) -> FloatArray:
        r"""Average over subsets of k of the K classes.

        Beaten by `a` of K - 1 competitors, the truth has in a random subset the mean
        reciprocal rank
        :math:`\frac{K}{k (a + 1)} \{1 - \binom{K - 1 - a}{k} / \binom{K}{k}\}`.
        """
        n = ranks.n_classes
        beaten = np.flatnonzero(ranks.histogram)
        # The chance that a subset has neither the truth nor any that beats it.
        none = chances_right(n + 1, np.asarray(ks) + 1)[:, beaten + 1]
        each = n / (np.asarray(ks)[:, None] * (beaten + 1)) * (1 - none)
        return snap_to_certainty(np.minimum(each, 1.0) @ ranks.histogram[beaten])

    def standard_errors(self, observed: ObservedClasses, ks: IntArray) -> FloatArray:
        """Leave classes out in turn; with all of them as with one group less."""
        left_out = observed.ranks_left_out
        most = min(ranks.n_classes for ranks in left_out)
        if len(left_out) < _FEWEST_LEFT_OUT or most < 1:
            return np.full(ks.size, np.nan)
        sizes = np.minimum(ks, most)
        return jackknife_stderr(np.array([self.value(r, sizes) for r in left_out]))

    def chance(self, k: int) -> float:
        """Average 1 / rank over all ranks."""
        return float((scipy.special.digamma(k + 1) + np.euler_gamma) / k)


def measure_named(name: str) -> RankMeasure:
    """Return the measure of a name in a result: top-1, top-5, mrr."""
    if name == MRR:
        return ReciprocalRank()
    return TopMeasure.of(int(name.removeprefix("top-")))


def _sums(
    functions: list[Callable[[FloatArray], FloatArray]], first: int, ks: IntArray
) -> list[FloatArray]:
    """Add up smooth functions of the sizes first + 1, ..., k for every k.

    A few sizes are added up one by one, many by Gauss's rule in their logarithm.
    """
    last = max(int(np.max(ks)), first)
    n_panels = int(np.ceil(np.log(last / first) / np.log(_PANEL))) + 1
    spaced = np.geomspace(first, last, n_panels + 1).round()
    edges = np.unique(np.concatenate([[first], spaced, ks])).astype(np.int64)
    edges = edges[edges >= first]
    nodes, weights, panels = [], [], []
    for i, (low, high) in enumerate(pairwise(edges.tolist())):
        if high - low <= _ONE_BY_ONE:
            x = np.arange(low + 1, high + 1, dtype=np.float64)
            w = np.ones(x.size)
        else:
            start, stop = np.log(low + 0.5), np.log(high + 0.5)
            x = np.exp((start + stop) / 2 + (stop - start) / 2 * _NODES)
            w = (stop - start) / 2 * _WEIGHTS * x
        nodes.append(x)
        weights.append(w)
        panels.append(np.full(x.size, i))
    if not nodes:
        return [np.zeros(np.size(ks)) for _ in functions]
    sizes, which = np.concatenate(nodes), np.concatenate(panels)
    shares = np.concatenate(weights)
    at = np.searchsorted(edges, ks)
    found = []
    for function in functions:
        totals = np.bincount(which, shares * function(sizes), edges.size - 1)
        found.append(np.concatenate([[0.0], np.cumsum(totals)])[at])
    return found


# --- what a result holds -------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class MeasurePrediction:
    """Expected value of a measure at one number of classes.

    Attributes
    ----------
    classes : int
        Number of classes.
    value : float
        Expected value, from 0 to 1.
    low, high : float
        Ends of the interval; NaN where classes are too few for one.
    chance : float
        What guessing reaches among so many classes.
    is_observed : bool
        Whether it is no forecast: the average over all subsets of so many classes.
    is_far : bool
        Whether it is so far beyond the data that it is a rough guide at best.
    """

    classes: int
    value: float = field(metadata=SHARE)
    low: float = field(metadata=SHARE)
    high: float = field(metadata=SHARE)
    chance: float = field(metadata=SHARE)
    is_observed: bool = False
    is_far: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasureCurve:
    """A measure against the number of classes.

    Attributes
    ----------
    classes : ndarray of int64
        Numbers of classes.
    value, low, high : ndarray of float64
        The measure, and the ends of its interval.
    """

    classes: NDArray[np.int64]
    value: NDArray[np.float64] = field(metadata=SHARE)
    low: NDArray[np.float64] = field(metadata=SHARE)
    high: NDArray[np.float64] = field(metadata=SHARE)


@dataclass(frozen=True, kw_only=True, eq=False)
class MatchCurve:
    """Cumulative match characteristic: accuracy within 1, 2, ... guesses.

    Attributes
    ----------
    classes : int
        Number of classes.
    guesses : ndarray of int64
        Numbers of guesses.
    accuracy, low, high : ndarray of float64
        The share that is right within so many, and the ends of its interval.
    is_observed : bool
        Whether it is no forecast.
    """

    classes: int
    guesses: NDArray[np.int64]
    accuracy: NDArray[np.float64] = field(metadata=SHARE)
    low: NDArray[np.float64] = field(metadata=SHARE)
    high: NDArray[np.float64] = field(metadata=SHARE)
    is_observed: bool = False
