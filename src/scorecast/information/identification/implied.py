"""Implied information: the amount whose ideal curve is nearest to the observed one."""

from __future__ import annotations

import math
import warnings as python_warnings
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import check_choice, check_class_counts, check_level
from scorecast._core.keywords import checked_keywords
from scorecast._core.results import Result
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, IntArray, Json, RandomState
from scorecast.exceptions import DataWarning, InsufficientDataError, UsageError
from scorecast.information.identification.curve_sample import (
    CurveSample,
    sample_of_ranking,
)
from scorecast.information.identification.ideal_curve import ideal_curve
from scorecast.information.identification.implied_interval import (
    ALL_RIGHT,
    implied_interval,
    nats_of,
    proved_by_right_answers,
)
from scorecast.information.identification.rankings import rank_tested
from scorecast.information.identification.separation import (
    WEIGHTS,
    SeparationFit,
    fit_separation,
)
from scorecast.information.identification.subsamples import subsample_stderr
from scorecast.information.identification.trials import Trials
from scorecast.information.units import UNITS
from scorecast.information.wording import amount, amount_span, decimals_for
from scorecast.scores import AccuracyCurve, Embeddings, Scores

__all__ = [
    "INTERVALS",
    "IdentificationForecast",
    "ImpliedInformation",
    "implied_information",
    "implied_of_sample",
]

INTERVALS = ("jackknife", "subsampling")
_AT_CHANCE = "The curve is no better than chance: no information is implied."
_BELOW_CHANCE = (
    f"{_AT_CHANCE} It lies below chance by more than luck explains, so both ends of "
    "the interval are zero: information has nothing below."
)
_WORST_FIT = 3.0  # standard errors by which a curve may leave the ideal one


@dataclass(frozen=True, kw_only=True)
class IdentificationForecast:
    """Accuracy among some number of candidates, by the ideal curve.

    Attributes
    ----------
    classes : int
        Number of candidates.
    accuracy, low, high : float
        Accuracy, and ends of its interval.
    """

    classes: int
    accuracy: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ImpliedInformation(Result):
    """The information whose ideal curve is nearest to the observed one.

    Attributes
    ----------
    value, low, high : float
        Implied information and its interval, in `units`. Infinite where no answer was
        wrong.
    separation : float
        c = sqrt(2 I) in nats, before it is cut off at zero.
    stderr : float
        Standard error of `separation`; NaN with too few stimuli.
    classes : ndarray of int64
        Numbers of candidates.
    accuracy, fitted : ndarray of float64
        Observed and ideal curve.
    misfit : float
        Largest distance between them.
    level : float
        Level of the interval.
    units : str
        ``"nats"`` or ``"bits"``.
    weights : str
        How the sizes were weighed.
    interval : str
        How the interval was made.
    n_classes, n_examples : int
        Stimuli and responses tested.
    seed : int or None
        The random state, where it was a number.
    warnings : tuple of str
        What the reader must know.
    replicates : ndarray of float64
        `separation` without each stimulus; not saved.
    """

    kind: ClassVar[str] = "implied-information"

    value: float
    low: float
    high: float
    separation: float
    stderr: float
    classes: IntArray
    accuracy: FloatArray
    fitted: FloatArray
    misfit: float
    level: float
    units: str
    weights: str
    interval: str
    n_classes: int
    n_examples: int
    seed: int | None = None
    warnings: tuple[str, ...] = ()
    replicates: FloatArray = field(default_factory=lambda: np.empty(0))

    @property
    def decimals(self) -> int:
        """Digits after the point that the interval deserves."""
        width = self.high - self.low
        # Without an interval nobody knows which digits count.
        return 1 if math.isnan(width) else decimals_for(width)

    def said(self) -> str:
        """Say the amount and its interval."""
        if math.isinf(self.value):
            return (
                f"more than these {self.n_classes:,} stimuli can show (at least "
                f"{amount(self.low, 2)} {self.units})"
            )
        text = f"{amount(self.value, self.decimals)} {self.units}"
        if math.isnan(self.low):
            return text
        ends = amount_span(self.low, self.high, self.decimals)
        return f"{text} ({100 * self.level:g} %: {ends})"

    def summary(self) -> str:
        """Say the answer in one sentence."""
        if not self.separation > 0:  # how far a curve at chance is off says nothing
            return f"Implied information {self.said()}."
        return (
            f"Implied information {self.said()}; the ideal curve is off by at most "
            f"{100 * self.misfit:.1f} points of accuracy."
        )

    def forecast(self, to: int | Iterable[int]) -> tuple[IdentificationForecast, ...]:
        """Extrapolate identification to more candidates, by the ideal curve.

        Parameters
        ----------
        to : int or iterable of int
            Numbers of candidates.

        Returns
        -------
        tuple of IdentificationForecast
            One per number. The interval allows for the choice of stimuli, not for a
            curve that leaves the ideal one.
        """
        ks = check_class_counts(to, "to")
        unit = UNITS[self.units]
        columns = []
        for c in (self.value, self.low, self.high):
            if math.isnan(c):
                columns.append(np.full(ks.size, np.nan))
            elif math.isinf(c):
                columns.append(np.ones(ks.size))
            else:
                separation = math.sqrt(2 * c * unit)
                columns.append(ideal_curve(ks.astype(np.float64), separation))
        return tuple(
            IdentificationForecast(
                classes=int(k), accuracy=float(a), low=float(b), high=float(c)
            )
            for k, a, b, c in zip(ks, *columns, strict=True)
        )

    def to_columns(self) -> dict[str, list[Any]]:
        """Return numbers of candidates, observed and ideal accuracies."""
        return {
            "classes": self.classes.tolist(),
            "accuracy": self.accuracy.tolist(),
            "fitted": self.fitted.tolist(),
        }

    def amounts(self) -> Json:
        """Return the amount, its interval and how they were found, for JSON."""
        return {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "is_infinite": math.isinf(self.value),
            "separation": self.separation,
            "stderr": self.stderr,
            "misfit": self.misfit,
            "weights": self.weights,
            "interval": self.interval,
        }

    def _parts(self) -> tuple[Json, Json, Json]:
        inputs = {"n_classes": self.n_classes, "n_examples": self.n_examples}
        options = {"level": self.level, "units": self.units, "seed": self.seed}
        result = {
            **self.amounts(),
            "curve": self.to_columns(),
            "warnings": list(self.warnings),
        }
        return inputs, options, result

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        curve = result["curve"]
        endless = bool(result["is_infinite"])
        numbers: dict[str, Any] = {
            name: math.nan if result[name] is None else float(result[name])
            for name in ("value", "low", "high", "separation", "stderr", "misfit")
        }
        if endless:
            numbers.update(value=math.inf, high=math.inf, separation=math.inf)
        return cls(
            **numbers,
            classes=np.array(curve["classes"], dtype=np.int64),
            accuracy=np.array(curve["accuracy"], dtype=np.float64),
            fitted=np.array(curve["fitted"], dtype=np.float64),
            weights=result["weights"],
            interval=result["interval"],
            warnings=tuple(result["warnings"]),
            **inputs,
            **options,
        )


@checked_keywords
def implied_information(
    curve: AccuracyCurve | ArrayLike | Scores | Embeddings,
    y_true: Iterable[Hashable] | None = None,
    *,
    weights: str = "equal",
    interval: str = "jackknife",
    n_subsamples: int = 200,
    level: float = 0.95,
    units: str = "nats",
    random_state: RandomState = 0,
) -> ImpliedInformation:
    """Read an amount of information off a whole identification curve.

    The ideal curve of every amount is known; least squares finds the nearest. Unlike
    accuracy the answer does not saturate, so that decoders over a wide range can be
    compared. It is no bound: see `mutual_information_bound` for that.

    Parameters
    ----------
    curve : AccuracyCurve, Identification or scores
        An exact curve, or an answer that has one; or a score matrix (responses x
        stimuli) or embeddings.
    y_true : iterable of hashable, optional
        True stimulus of every response, for scores. A square matrix without it has the
        truth on its diagonal.
    weights : {"equal", "variance", "covariance"}, default="equal"
        Every number of candidates counts the same, as in the paper; or as its error
        says; or as the covariance of all says.
    interval : {"jackknife", "subsampling"}, default="jackknife"
        Leave out stimuli one by one, or draw random halves (scores only).
    n_subsamples : int, default=200
        Random halves.
    level : float, default=0.95
        Level of the interval.
    units : {"nats", "bits"}, default="nats"
        Units of the answer.
    random_state : int, Generator or None, default=0
        Seed of the random halves.

    Returns
    -------
    ImpliedInformation
        The amount, its interval, and the fitted curve.

    Raises
    ------
    UsageError
        If random halves are asked of a curve, which no longer knows its stimuli, or
        with other than equal weights.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(60, 30)) * 0.4
    >>> y = x + rng.normal(size=(60, 30))
    >>> scores = y @ x.T - (x**2).sum(axis=1) / 2
    >>> answer = implied_information(scores)
    >>> 1.0 < answer.low < answer.value < answer.high < 4.0
    True
    """
    check_choice(weights, "weights", WEIGHTS)
    check_choice(interval, "interval", INTERVALS)
    if interval == "subsampling" and weights != "equal":
        msg = "Random halves have no errors to weigh by: use equal weights."
        raise UsageError(msg)
    if isinstance(getattr(curve, "curve", None), AccuracyCurve):
        # An `Identification`, which cannot be named here: it is made of this.
        curve = curve.curve  # type: ignore[union-attr]
    if isinstance(curve, AccuracyCurve):
        if interval == "subsampling":
            msg = "Random halves need the scores: a curve no longer has its stimuli."
            raise UsageError(msg)
        sample = _sample_of_curve(curve)
        return implied_of_sample(sample, weights=weights, level=level, units=units)
    ranking = rank_tested(curve, y_true)[0]
    sample = sample_of_ranking(ranking)
    stderr = None
    if interval == "subsampling":
        rng = as_generator(random_state)
        stderr = subsample_stderr(ranking, n_subsamples, rng)
    return implied_of_sample(
        sample,
        weights=weights,
        level=level,
        units=units,
        stderr=stderr,
        seed=seed_number(random_state) if stderr is not None else None,
    )


def implied_of_sample(
    sample: CurveSample,
    *,
    weights: str,
    level: float,
    units: str,
    stderr: float | None = None,
    seed: int | None = None,
) -> ImpliedInformation:
    """Fit a curve that knows what it would be without each stimulus.

    Parameters
    ----------
    sample : CurveSample
        The curve.
    weights, level, units : object
        As for `implied_information`.
    stderr : float, optional
        Standard error of c from random halves; that of the jackknife by default.
    seed : int or None
        For the record.

    Returns
    -------
    ImpliedInformation
        The answer.
    """
    unit = UNITS[check_choice(units, "units", tuple(UNITS))]
    check_level(level)
    curve = sample.curve
    order = _usable(curve)
    common: dict[str, Any] = {
        "classes": curve.classes[order],
        "accuracy": curve.accuracy[order],
        "level": level,
        "units": units,
        "weights": weights,
        "n_classes": curve.n_classes,
        "n_examples": curve.n_samples,
    }
    if (curve.accuracy[order] >= 1).all():
        low = proved_by_right_answers(sample, order, level)
        return _without_error(low / unit, common)
    fit = _fit(sample, order, weights)
    ends = implied_interval(sample, order, fit, stderr, level)
    return ImpliedInformation(
        value=nats_of(fit.value) / unit,
        low=ends.low / unit,
        high=ends.high / unit,
        separation=fit.value,
        stderr=ends.stderr,
        fitted=fit.fitted,
        misfit=float(np.abs(fit.fitted - curve.accuracy[order]).max()),
        interval=ends.how,
        warnings=(*_cautions(curve, order, fit, ends.high), *ends.warnings),
        replicates=fit.replicates,
        seed=seed,
        **common,
    )


def _usable(curve: AccuracyCurve) -> IntArray:
    """Return the places of sizes from 2 up, ascending."""
    order = np.argsort(curve.classes, kind="stable")
    order = order[curve.classes[order] >= 2]
    if order.size == 0:
        msg = "A curve without a size of 2 or more says nothing about information."
        raise InsufficientDataError(msg)
    return order


def _fit(sample: CurveSample, order: IntArray, weights: str) -> SeparationFit:
    curve = sample.curve
    known = curve.covariance.size > 0
    return fit_separation(
        curve.classes[order].astype(np.float64),
        curve.accuracy[order],
        weights=weights,
        covariance=curve.covariance[np.ix_(order, order)] if known else None,
        replicates=sample.replicates[:, order],
    )


def _sample_of_curve(curve: AccuracyCurve) -> CurveSample:
    counts = curve.counts[curve.counts > 0]
    if counts.size < 2:  # not known: one each is the least there can be
        counts = np.ones(max(min(curve.n_classes, curve.n_samples), 2), dtype=np.int64)
    return CurveSample(
        curve=curve,
        replicates=np.empty((0, curve.classes.size)),
        trials=Trials.of(counts.size, counts),
    )


def _without_error(low: float, common: dict[str, Any]) -> ImpliedInformation:
    line = (
        "No answer was wrong at any number of candidates: the implied information is "
        "infinite, and only its lower end says something."
    )
    python_warnings.warn(line, DataWarning, stacklevel=4)
    return ImpliedInformation(
        value=math.inf,
        low=low,
        high=math.inf,
        separation=math.inf,
        stderr=math.nan,
        fitted=np.ones(common["classes"].size),
        misfit=0.0,
        interval=ALL_RIGHT,
        warnings=(line,),
        **common,
    )


def _cautions(
    curve: AccuracyCurve, order: IntArray, fit: SeparationFit, high: float
) -> tuple[str, ...]:
    if fit.value <= 0:
        # How far it leaves the ideal curve says nothing then.
        return (_BELOW_CHANCE if high <= 0 else _AT_CHANCE,)
    lines = []
    errors = np.array([curve.nearest_standard_error(int(i)).value for i in order])
    off = np.abs(fit.fitted - curve.accuracy[order])
    far = np.isfinite(errors) & (off > _WORST_FIT * errors) & (off > 0.01)
    if far.any():
        worst = int(np.argmax(np.where(far, off, 0)))
        k = int(curve.classes[order][worst])
        lines.append(
            f"The curve leaves the ideal one (by {100 * off[worst]:.1f} points at "
            f"{k:,} candidates): the responses are not as in high dimension, and other "
            "numbers of candidates would imply another amount."
        )
    return tuple(lines)
