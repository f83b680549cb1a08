"""Learning curves: where the score goes as cases, or features, are added."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import fdtrc

from scorecast._core.results import Result
from scorecast._core.types import FloatArray, IntArray, Json
from scorecast.exceptions import UsageError
from scorecast.guarantees.curve_limit import CANNOT_TELL, NO_GAIN, limit_doubt
from scorecast.guarantees.curve_slope import repeat_variance, slope_p
from scorecast.guarantees.curve_target import check_target, whole_size
from scorecast.guarantees.loss_values import (
    MOST_CASES,
    rough_size,
    span_said,
    value_said,
)
from scorecast.guarantees.power_law import PowerLaw

__all__ = ["LearningCurveFit"]

_FAR = 10  # times the largest size: beyond, a fit is a rough guide
_MISFIT = 0.05  # level of the test whether the law fits
_GAIN = 0.05  # and of that whether larger sizes are better at all


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class LearningCurveFit(Result):
    """An inverse power law through scores at several sizes.

    Attributes
    ----------
    sizes : ndarray of int64
        Training cases, or features.
    scores : ndarray of shape (k, r)
        Scores at each; one column per repeat.
    weights : ndarray of shape (k,)
        How much each size counted.
    best : float
        The best score there can be; the law is one for the distance to it.
    greater_is_better : bool
        Whether scores grow as the model gets better, or shrink.
    loss : str
        What the scores are, such as ``"accuracy"``.
    over : str
        What the sizes count, ``"cases"`` or ``"features"``.
    law : PowerLaw
        The fit through the means.
    replicates : tuple of PowerLaw
        Fits to resampled scores, for intervals.
    target : float or None
        Score that was asked for.
    test_ratio : float
        Cases tested per case that could be learned from, where all repeats divide the
        same cases; 0 where they do not share any.
    n_cases : int
        How many they divide; 0 where that is not known.
    worst : float or None
        The worst score there can be; None where there is no such thing.
    level : float
        Confidence of intervals.
    seed : int or None
        The seed, where it was a number.
    notes : tuple of str
        What a reader must know of the sizes.
    has_groups : bool
        Whether cases come in groups; `n_cases` then counts independent ones.
    """

    kind: ClassVar[str] = "learning-curve-fit"

    sizes: IntArray
    scores: FloatArray
    weights: FloatArray
    best: float
    law: PowerLaw
    replicates: tuple[PowerLaw, ...]
    target: float | None
    level: float
    seed: int | None
    greater_is_better: bool = True
    loss: str = "score"
    over: str = "cases"
    test_ratio: float = 0.0
    n_cases: int = 0
    worst: float | None = None
    notes: tuple[str, ...] = ()
    has_groups: bool = False

    @property
    def misfit_p(self) -> float:
        """Chance of means as far from the law if it held; NaN where nothing tells.

        The weighted squares of what the fit leaves over, by F. What moves all sizes of
        a repeat together moves the fit as well, and is taken out of the spread; of
        what Nadeau and Bengio add for shared cases, half is left. It hardly ever
        refuses a law that holds: none of 480 curves of nearest centroids, on which it
        was chosen. Bends of 10 points of accuracy it mostly lets pass.
        """
        k, repeats = self.scores.shape
        freedom = self.sizes.size - self._n_fitted()
        if repeats < 2 or freedom < 1:
            return math.nan
        apart = self.scores - self.scores.mean(axis=0)
        variance = repeat_variance(apart) * k / (k - 1)
        if variance.max() < 1e-18:  # nothing but rounding
            return math.nan
        rest = self.means - [self.score_at(float(size)) for size in self.sizes]
        share = 1 / repeats + self.test_ratio / 2
        squares = float(np.sum(rest**2 / (variance * share)))
        return float(fdtrc(freedom, repeats - 1, squares / freedom))

    @property
    def fits(self) -> bool:
        """Whether the law may be trusted: no test says that it does not fit."""
        return not self.misfit_p < _MISFIT

    @property
    def gain_p(self) -> float:
        """Chance of a rise as steep where larger sizes are no better; one-tailed.

        Student's test of the slope against the logarithm of the size, repeat by
        repeat. Of what Nadeau and Bengio add for shared cases half is left, as what
        moves all sizes of a repeat together is no slope. A single score per size has
        its slope tested by what the line leaves over.
        """
        scores = self.scores if self.greater_is_better else -self.scores
        return slope_p(self.sizes, scores, self.test_ratio)

    @property
    def rises(self) -> bool:
        """Whether larger sizes are shown to be better, at the level of 5 %."""
        return self.gain_p < _GAIN

    @property
    def extrapolates(self) -> bool:
        """Whether sizes that were not tried are spoken of: the law fits, and rises."""
        return self.fits and self.rises

    def _n_fitted(self) -> int:
        """Count the numbers of the law that were free: edges are not."""
        if self.is_flat:
            return 1
        return 3 if self.law.limit > 0 else 2

    @property
    def limit(self) -> float:
        """The score that endless data would give; NaN where none is named.

        That is where the curve does not `extrapolates`, or `limit_doubt` says why.
        """
        told = self.extrapolates and not self.limit_doubt
        return self._score(self.law.limit) if told else math.nan

    @property
    def limit_doubt(self) -> str:
        """Why no `limit` is named though the law fits and rises; else empty."""
        if not self.extrapolates:
            return ""
        return limit_doubt(
            self._score(self.law.limit), self.limit_interval, last=self._last,
            best=self.best, greater=self.greater_is_better,
        )  # fmt: skip

    @property
    def _last(self) -> float:
        return float(self.means[self.sizes.argmax()])

    @property
    def limit_interval(self) -> tuple[float, float]:
        """Interval of that score; NaN where there is none."""
        if not self.extrapolates:
            return math.nan, math.nan
        return self._span([self._score(law.limit) for law in self.replicates])

    @property
    def means(self) -> FloatArray:
        """Mean score that was measured at every size."""
        found: FloatArray = self.scores.mean(axis=1)
        return found

    def score_at(self, size: float) -> float:
        """Return the score of the law at a size; `means` holds what was measured."""
        return self._score(float(self.law.error(size)))

    def interval_at(self, size: float) -> tuple[float, float]:
        """Return an interval of the score expected at a size, within its range.

        NaN where nothing is known of the spread: a single score per size, and a law
        through all of them.
        """
        return self._span(
            [self._score(float(law.error(size))) for law in self.replicates]
        )

    def needed_for(self, target: float) -> float:
        """Return the size at which a score is reached; infinite if it never is.

        Never below the smallest size tried, of which the curve knows nothing: that
        one, or fewer, will do. Infinite, too, beyond a million, and NaN where the law
        does not fit, or no gain is shown and sizes tried do not reach it. The latter
        means that nothing can be told where `needed_interval` goes from the smallest
        size to infinity, and that nothing shows it to be reached where that is NaN;
        `needed_said` says which. What is better than the best is refused.
        """
        check_target(target, self.best, greater=self.greater_is_better)
        if not self.fits:
            return math.nan
        if not self.rises:
            short = (self._error(target) < self._error(float(x)) for x in self.means)
            return math.nan if any(short) else float(self.sizes.min())
        return self._tried(self.law.size_for(self._error(target)))

    def needed_interval(self, target: float) -> tuple[float, float]:
        """Return an interval of that size; its upper end is often infinite.

        Its level is tested where the law holds; where it does not, there is none.
        """
        check_target(target, self.best, greater=self.greater_is_better)
        if not self.fits or not self._has_spread:
            return math.nan, math.nan
        if not self.rises:
            return self._flat_interval(target)
        found = [law.size_for(self._error(target)) for law in self.replicates]
        low, high = self._span(found)
        return self._tried(low), self._tried(high)

    def _flat_interval(self, target: float) -> tuple[float, float]:
        """Say by the sizes tried alone whether the smallest will do."""
        least = float(self.sizes.min())
        ends = [self.interval_at(float(size)) for size in self.sizes]
        if not self.greater_is_better:
            ends = [(-high, -low) for low, high in ends]
        wanted = target if self.greater_is_better else -target
        if all(low >= wanted for low, _ in ends):
            return least, least
        if any(high >= wanted for _, high in ends):
            return least, math.inf
        return math.nan, math.nan

    def _tried(self, size: float) -> float:
        whole = max(whole_size(size), float(self.sizes.min()))
        return whole if whole <= MOST_CASES else math.inf

    @property
    def _has_spread(self) -> bool:
        # Beyond rounding; the first one tells as a rule.
        sizes = self.sizes.astype(float)
        at = self.law.error(sizes)
        return any(
            np.abs(law.error(sizes) - at).max() > 1e-9 * max(1.0, float(at.max()))
            for law in self.replicates
        )

    def _score(self, error: float) -> float:
        if self.greater_is_better:
            value = self.best - error
            return value if self.worst is None else max(value, self.worst)
        value = self.best + error
        return value if self.worst is None else min(value, self.worst)

    def _error(self, score: float) -> float:
        return self.best - score if self.greater_is_better else score - self.best

    @property
    def splits_cases(self) -> bool:
        """Whether `best_split` makes sense of these scores, and n is known."""
        right = self.loss in ("accuracy", "error")
        told = right and self.over == "cases" and self.n_cases > 1
        return told and self.extrapolates and not self.is_flat and not self.has_groups

    def best_split(self, n: int) -> tuple[int, int]:
        """Divide n cases between training and test.

        In the manner of Raudys and Jain: fewer training cases make the error estimate
        pessimistic, fewer test cases make it uncertain. The split with the smallest
        squared deviation from the error at n training cases is chosen, for scores that
        are shares of right answers. The pessimism is averaged over the resampled fits,
        so that a curve that is not known well is not trusted with few cases. Nothing
        below the smallest size tried is considered, nor are groups.

        Parameters
        ----------
        n : int
            All cases.

        Returns
        -------
        tuple of int
            Training and test cases.
        """
        if n < 2:
            msg = f"`n` must be at least 2, one case to train and one to test; got {n}."
            raise UsageError(msg)
        train = np.arange(min(int(self.sizes.min()), n - 1), n)
        error = np.clip(self.law.error(train.astype(float)), 0, 1)
        squares = np.zeros(train.size)
        for law in self.replicates:
            fitted = np.clip(law.error(np.append(train, n).astype(float)), 0, 1)
            squares += (fitted[:-1] - fitted[-1]) ** 2 / len(self.replicates)
        chosen = int(train[np.argmin(squares + error * (1 - error) / (n - train))])
        return chosen, n - chosen

    def summary(self) -> str:
        """Say the answer in a sentence or two."""
        last = f"{self.sizes.max():,} {self.over}"
        seen = value_said(self.loss, self._last)
        if not self.fits:
            return (
                f"From {last} {self.name} was {seen}. {self.misfit_said()} Nothing is "
                "said of sizes that were not tried."
            )
        said = "" if self.target is None else self.needed_said(self.target)
        if not self.rises:
            few = value_said(self.loss, float(self.means[self.sizes.argmin()]))
            return (
                f"From {self.sizes.min():,} {self.over} {self.name} was {few}, from "
                f"{self.sizes.max():,} it was {seen}: {self.no_gain_said()}, so that "
                f"nothing is said of more. {said}"
            ).rstrip()
        fitted = value_said(self.loss, self.score_at(float(self.sizes.max())))
        first = f"From {last} {self.name} is {seen} measured, {fitted} fitted; "
        return f"{first}{self._limit_said()} {said}".rstrip()

    def _limit_said(self) -> str:
        """Say where endless data would lead, with the interval."""
        span = f"{100 * self.level:g} %: {span_said(self.loss, *self.limit_interval)}"
        if self.limit_doubt == CANNOT_TELL:
            return f"it cannot tell what endless {self.over} would give ({span})."
        if self.limit_doubt == NO_GAIN:
            return (
                f"the fit shows no gain beyond that with endless {self.over} ({span})."
            )
        value = value_said(self.loss, self.limit)
        return f"the fit tends to {value} ({span}) with endless {self.over}."

    def misfit_said(self) -> str:
        """Say that the law does not fit, and how sure that is."""
        return f"A power law does not fit ({_p_said(self.misfit_p)})."

    def no_gain_said(self) -> str:
        """Say that nothing tells the curve from a flat one; without a full stop."""
        return f"no gain from more {self.over} is shown ({_p_said(self.gain_p)})"

    @property
    def is_flat(self) -> bool:
        """Whether the fit sees no gain from larger sizes."""
        return self.law.scale == 0

    @property
    def name(self) -> str:
        """What the scores are, in words."""
        return "the score" if self.loss == "score" else self.loss

    def needed_said(self, target: float) -> str:
        """Say at what size a score is reached.

        Parameters
        ----------
        target : float
            The score.

        Returns
        -------
        str
            A sentence, with the interval of the size.
        """
        if not self.fits:
            return self.misfit_said()
        what = value_said(self.loss, target).replace(".0 %", " %")
        needed = self.needed_for(target)
        low, high = self.needed_interval(target)
        least, sure = float(self.sizes.min()), f"{100 * self.level:g} %"
        if low <= least and math.isinf(high):
            return (
                f"These sizes cannot tell how many {self.over} {what} needs: anything "
                f"from {least:,.0f} or fewer to no end."
            )
        if math.isnan(needed):
            return f"Nothing shows that more {self.over} would reach {what}."
        if math.isinf(needed):
            first = f"The curve {self.never_said(target)} {what}"
            if not low < math.inf:
                return f"{first}."
            return (
                f"{first}; at the better end of its interval about {rough_size(low)} "
                f"{self.over} would."
            )
        end = rough_size(high) if math.isfinite(high) else "no end"
        far = needed / float(self.sizes.max())
        rough = (
            f"; {far:,.0f} times what was tried, a rough guide" if far > _FAR else ""
        )
        fewer = " or fewer"
        if high <= least:
            return f"For {what} {needed:,.0f} {self.over}{fewer} will do ({sure} sure)."
        about = f"about {rough_size(needed)}"
        about = f"{needed:,.0f}{fewer}" if needed <= least else about
        start = f"{low:,.0f}{fewer}" if not low > least else rough_size(low)
        span = "no interval" if math.isnan(low) else f"{sure}: {start} to {end}"
        return f"For {what} {about} {self.over} are needed ({span}{rough})."

    def never_said(self, target: float) -> str:
        """Say how a score is missed: for good, or within any number of cases."""
        if self._error(target) <= self.law.limit:
            return "never reaches"
        return f"needs more than a million {self.over} for"

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per size."""
        spans = [self.interval_at(float(size)) for size in self.sizes]
        return {
            "size": self.sizes.tolist(),
            "score": self.means.tolist(),
            "weight": self.weights.tolist(),
            "fitted": [self.score_at(float(size)) for size in self.sizes],
            "low": [low for low, _ in spans],
            "high": [high for _, high in spans],
        }

    def _span(self, values: list[float]) -> tuple[float, float]:
        if not self._has_spread:
            return math.nan, math.nan
        # Ranks, not interpolation: some values may be infinite.
        ordered = np.sort(values)
        tail = (1 - self.level) / 2
        low = math.floor(tail * (ordered.size + 1)) - 1
        high = math.ceil((1 - tail) * (ordered.size + 1)) - 1
        return (
            float(ordered[max(low, 0)]),
            float(ordered[min(high, ordered.size - 1)]),
        )

    def _parts(self) -> tuple[Json, Json, Json]:
        inputs = {
            "sizes": self.sizes,
            "scores": self.scores,
            "weights": self.weights,
            "n_cases": self.n_cases,
        }
        options = {
            "loss": self.loss,
            "greater_is_better": self.greater_is_better,
            "over": self.over,
            "best": self.best,
            "worst": self.worst,
            "target": self.target,
            "test_ratio": self.test_ratio,
            "level": self.level,
            "seed": self.seed,
            "notes": list(self.notes),
            "has_groups": self.has_groups,
        }
        laws = [[p.scale, p.exponent, p.limit] for p in (self.law, *self.replicates)]
        result: Json = {
            "measured": self.means,
            "fitted": [self.score_at(float(size)) for size in self.sizes],
            "misfit_p": self.misfit_p,
            "fits": self.fits,
            "gain_p": self.gain_p,
            "rises": self.rises,
            "limit": self.limit,
            "limit_interval": list(self.limit_interval),
            "limit_doubt": self.limit_doubt,
        }
        if self.target is not None:
            # Infinity is null in JSON: not reached with a million either.
            result["needed"] = self.needed_for(self.target)
            result["needed_interval"] = list(self.needed_interval(self.target))
        if self.splits_cases:
            result["best_split"] = list(self.best_split(self.n_cases))
        return inputs, options, {**result, "law": laws[0], "laws": laws[1:]}

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        laws = [
            PowerLaw(scale=a, exponent=alpha, limit=b)
            for a, alpha, b in [result["law"], *result["laws"]]
        ]
        return cls(
            sizes=np.array(inputs["sizes"], dtype=np.int64),
            scores=np.array(inputs["scores"], dtype=float),
            weights=np.array(inputs["weights"], dtype=float),
            law=laws[0],
            replicates=tuple(laws[1:]),
            n_cases=int(inputs["n_cases"]),
            **{**options, "notes": tuple(options.get("notes", ()))},
        )


def _p_said(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
