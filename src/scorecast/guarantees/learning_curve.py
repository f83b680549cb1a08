"""Learning curves: where the score goes as cases, or features, are added."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from scorecast._core.results import Result
from scorecast._core.types import FloatArray, IntArray, Json
from scorecast.exceptions import UsageError
from scorecast.guarantees.loss_values import span_said, value_said
from scorecast.guarantees.power_law import PowerLaw

__all__ = ["LearningCurveFit"]

_FAR = 10  # times the largest size: beyond, a fit is a rough guide
_MOST = 10**7  # nobody collects more


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

    @property
    def limit(self) -> float:
        """The score that endless data would give."""
        return self._score(self.law.limit)

    @property
    def limit_interval(self) -> tuple[float, float]:
        """Interval of that score."""
        return self._span([self._score(law.limit) for law in self.replicates])

    @property
    def means(self) -> FloatArray:
        """Mean score at every size."""
        found: FloatArray = self.scores.mean(axis=1)
        return found

    def score_at(self, size: float) -> float:
        """Return the score expected at a size."""
        return self._score(float(self.law.error(size)))

    def interval_at(self, size: float) -> tuple[float, float]:
        """Return an interval of the score expected at a size, within its range."""
        return self._span(
            [self._score(float(law.error(size))) for law in self.replicates]
        )

    def needed_for(self, target: float) -> float:
        """Return the size at which a score is reached; infinite if it never is.

        Never below the smallest size tried, of which the curve knows nothing: that
        one, or fewer, will do.
        """
        return self._tried(self.law.size_for(self._error(target)))

    def needed_interval(self, target: float) -> tuple[float, float]:
        """Return an interval of that size; its upper end is often infinite.

        Its level is tested where the law holds; where it does not, nothing is promised.
        """
        found = [law.size_for(self._error(target)) for law in self.replicates]
        low, high = self._span(found)
        return self._tried(low), self._tried(high)

    def _tried(self, size: float) -> float:
        return max(_whole(size), float(self.sizes.min()))

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
        return told and not self.is_flat

    def best_split(self, n: int) -> tuple[int, int]:
        """Divide n cases between training and test.

        In the manner of Raudys and Jain: fewer training cases make the error estimate
        pessimistic, fewer test cases make it uncertain. The split with the smallest
        squared deviation from the error at n training cases is chosen, for scores that
        are shares of right answers.

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
        train = np.arange(1, n)
        error = np.clip(self.law.error(train.astype(float)), 0, 1)
        bias = error - np.clip(self.law.error(n), 0, 1)
        chosen = int(train[np.argmin(bias**2 + error * (1 - error) / (n - train))])
        return chosen, n - chosen

    def summary(self) -> str:
        """Say the answer in a sentence or two."""
        last = float(self.sizes.max())
        low, high = self.limit_interval
        sure = f"{100 * self.level:g} %"
        now = value_said(self.loss, self.score_at(last))
        span = span_said(self.loss, low, high)
        if self.is_flat:
            first = (
                f"From {self.sizes.min():,} to {last:,.0f} {self.over} {self.name} "
                f"stays at about {now} ({sure} with endless {self.over}: {span})."
            )
        else:
            first = (
                f"From {last:,.0f} {self.over} {self.name} is about {now}, and tends "
                f"to {value_said(self.loss, self.limit)} ({sure}: {span}) with "
                f"endless {self.over}."
            )
        said = "" if self.target is None else self.needed_said(self.target)
        return f"{first} {said}".rstrip()

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
        what = value_said(self.loss, target).replace(".0 %", " %")
        needed = self.needed_for(target)
        low, high = self.needed_interval(target)
        least = float(self.sizes.min())
        if low <= least and high > _MOST:
            return (
                f"These sizes cannot tell how many {self.over} {what} needs: anything "
                f"from {least:,.0f} or fewer to no end."
            )
        if needed > _MOST:
            first = f"The curve never reaches {what}"
            if low > _MOST:
                return f"{first}."
            return f"{first}; the near end of its interval does from {low:,.0f} on."
        end = "no end" if high > _MOST else f"{high:,.0f}"
        far = needed / float(self.sizes.max())
        rough = (
            f"; {far:,.0f} times what was tried, a rough guide" if far > _FAR else ""
        )
        fewer = " or fewer"
        if high <= least:
            return f"For {what} {needed:,.0f} {self.over}{fewer} will do."
        about = f"{needed:,.0f}{fewer}" if needed <= least else f"about {needed:,.0f}"
        start = f"{low:,.0f}{fewer if low <= least else ''}"
        return (
            f"For {what} {about} {self.over} are needed "
            f"({100 * self.level:g} %: {start} to {end}{rough})."
        )

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
        }
        laws = [[p.scale, p.exponent, p.limit] for p in (self.law, *self.replicates)]
        result: Json = {
            "limit": self.limit,
            "limit_interval": list(self.limit_interval),
        }
        if self.target is not None:
            # Infinity is null in JSON: the score is never reached.
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
            **options,
        )


def _whole(size: float) -> float:
    return size if math.isinf(size) else float(math.ceil(size - 1e-9))
