"""A lower confidence bound on mutual information, from accuracies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from scorecast._core.checks import check_choice, check_class_counts, check_level
from scorecast._core.percent import percent
from scorecast._core.results import Result
from scorecast._core.types import FloatArray, IntArray, Json
from scorecast.exceptions import UsageError
from scorecast.information.identification.accuracy_bounds import average_bayes_bound
from scorecast.information.identification.capacity import least_information
from scorecast.information.identification.class_information import fano_information
from scorecast.information.identification.population import distinct_share
from scorecast.information.identification.trials import Trials
from scorecast.information.units import UNITS
from scorecast.scores import AccuracyCurve

__all__ = ["InformationBound", "default_sizes", "mutual_information_bound"]

_SMALLEST = 3
_N_SIZES = 4


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class InformationBound(Result):
    """What observed accuracies prove about mutual information.

    Attributes
    ----------
    value : float
        The bound, in `units`: the largest over the sizes.
    classes : ndarray of int64
        Numbers of classes that were looked at, stated beforehand.
    accuracy : ndarray of float64
        Observed accuracy at each.
    accuracy_low : ndarray of float64
        Lower bound on the average Bayes accuracy at each, corrected for their number.
    information : ndarray of float64
        Bound on information from each, in `units`.
    uncorrected : ndarray of float64
        What the observed accuracy itself would need, without any allowance for chance.
        Not a bound.
    fano : ndarray of float64
        Fano's bound for given classes at the observed accuracy, without allowance; at
        most log k. For comparison.
    confusion : float
        Information in the confusion matrix, in `units`; NaN if it was not given or
        there were fewer responses than cells. For comparison.
    level : float
        Confidence.
    method : str
        How the accuracies were bounded.
    units : str
        ``"nats"`` or ``"bits"``.
    n_classes : int
        Classes that were drawn.
    n_classifiers : int
        Rules among which the best was chosen.
    n_splits : int
        Splits that the accuracies are averaged over.
    population : int or None
        Equally likely stimuli that the answer is about; None for so many that the same
        one would hardly come twice.
    for_these : float
        The bound, in `units`, on what responses tell of these classes themselves, each
        as likely as any other: the question where classes are fixed, such as left and
        right, and were not drawn from many. At most the logarithm of their number; a
        claim of its own at the same level. NaN with a population, for classes in groups
        or averages over splits, and where the accuracy among all is not known.
    """

    kind: ClassVar[str] = "information-bound"

    value: float
    classes: IntArray
    accuracy: FloatArray
    accuracy_low: FloatArray
    information: FloatArray
    uncorrected: FloatArray
    fano: FloatArray
    confusion: float
    level: float
    method: str
    units: str
    n_classes: int
    n_classifiers: int
    n_splits: int
    population: int | None = None
    for_these: float = math.nan

    @property
    def best(self) -> int:
        """The number of classes that proves most."""
        return int(self.classes[np.argmax(self.information)])

    def summary(self) -> str:
        """Say the bound in one sentence."""
        sure = f"{100 * self.level:g} %"
        if self.value == 0:
            if self.for_these > 0:
                return (
                    f"At {sure} confidence these accuracies prove nothing about "
                    f"stimuli at large, of which {self.n_classes:,} drawn at random "
                    "leave room for luck; about these alone, if they are fixed and "
                    f"equally likely, at least {self.for_these:.3g} {self.units} of "
                    f"{self._most:.3g} (population={self.n_classes})."
                )
            return (
                f"At {sure} confidence these accuracies prove no information: so few "
                "stimuli leave room for luck."
            )
        at = int(np.argmax(self.information))
        return (
            f"At least {self.value:.3g} {self.units} of information at {sure} "
            f"confidence: right {percent(float(self.accuracy[at]), 1)} of the time "
            f"among {self.best:,}, by chance {percent(1 / self.best)}."
        )

    @property
    def _most(self) -> float:
        """What these classes hold at most, in `units`."""
        return math.log(self.n_classes) / UNITS[self.units]

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per number of classes."""
        names = (
            "classes",
            "accuracy",
            "accuracy_low",
            "information",
            "uncorrected",
            "fano",
        )
        return {name: getattr(self, name).tolist() for name in names}

    def _parts(self) -> tuple[Json, Json, Json]:
        inputs = {"n_classes": self.n_classes, "n_splits": self.n_splits}
        options = {
            "level": self.level,
            "method": self.method,
            "units": self.units,
            "n_classifiers": self.n_classifiers,
            "population": self.population,
        }
        result = {
            "value": self.value,
            "best": self.best,
            "confusion": self.confusion,
            "for_these": self.for_these,
            **self.to_columns(),
        }
        return inputs, options, result

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        names = ("accuracy", "accuracy_low", "information", "uncorrected", "fano")
        arrays: dict[str, Any] = {name: _floats(result[name]) for name in names}
        # An accuracy of one would need infinite information, which JSON has not.
        unknown = np.isnan(arrays["uncorrected"])
        arrays["uncorrected"] = np.where(unknown, np.inf, arrays["uncorrected"])
        return cls(
            value=float(result["value"]),
            classes=np.array(result["classes"], dtype=np.int64),
            confusion=_float(result.get("confusion")),
            for_these=_float(result.get("for_these")),
            **arrays,
            **inputs,
            **options,
        )


def mutual_information_bound(
    accuracy: AccuracyCurve | float | Sequence[float],
    *,
    classes: int | Sequence[int] | None = None,
    n_tests: int | Sequence[int] | Trials | None = None,
    n_classes: int | None = None,
    population: int | None = None,
    level: float = 0.95,
    method: str = "sharpest",
    n_classifiers: int = 1,
    confusion: float = math.nan,
    units: str = "nats",
) -> InformationBound:
    """Bound the mutual information of stimulus and response from below.

    No distribution with less information could be this accurate among randomly drawn
    stimuli, except by a chance of one minus `level`. That is about all stimuli that the
    classes were drawn from; where they are all there are, such as left and right, give
    their number as `population`, or read `for_these` of the answer.

    Parameters
    ----------
    accuracy : AccuracyCurve, float or sequence of float
        A curve; or the accuracy at each of `classes`, every class counting the same.
    classes : int or sequence of int, optional
        Numbers of classes to look at; several cost a correction (Bonferroni), so state
        them before looking. Of a curve by default up to four from 3 to all.
    n_tests : int, sequence of int or Trials, optional
        Test cases of every class, one number for all or one for each. Of a curve by
        default its own, where every class was tested.
    n_classes : int, optional
        Classes that were drawn. By default those of the curve, or the largest of
        `classes`.
    population : int, optional
        Equally likely classes of which these are distinct ones, such as all letters of
        an alphabet: the answer is then about them, and never exceeds the logarithm of
        their number. By default classes are independent draws from so many that the
        same one would hardly come twice.
    level : float, default=0.95
        Confidence.
    method : str, default="sharpest"
        How to bound accuracies, as in `average_bayes_bound`.
    n_classifiers : int, default=1
        Rules among which the best was chosen on these test cases.
    confusion : float, default=NaN
        Information in the confusion matrix, in nats, to be shown beside.
    units : {"nats", "bits"}, default="nats"
        Units of the answer.

    Returns
    -------
    InformationBound
        The bound, and what each number of classes says.

    Raises
    ------
    UsageError
        If accuracies and numbers of classes do not fit together.

    Examples
    --------
    >>> bound = mutual_information_bound(0.8, classes=50, n_tests=10)
    >>> round(bound.value, 4)
    2.7584

    Two classes that are fixed, such as left and right:

    >>> bound = mutual_information_bound(0.9, classes=2, n_tests=100, units="bits")
    >>> bound.value, round(bound.for_these, 4)
    (0.0, 0.3663)
    """
    unit = UNITS[check_choice(units, "units", tuple(UNITS))]
    check_level(level)
    ks, observed, trials = _gather(accuracy, classes, n_tests, n_classes)
    trials = trials.in_population(population)
    each = 1 - (1 - level) / ks.size
    low = np.array(
        [
            average_bayes_bound(
                float(a), trials, level=each, method=method, n_classifiers=n_classifiers
            )
            for a in observed
        ]
    )
    pairs = list(zip(ks.tolist(), observed.tolist(), low.tolist(), strict=True))
    size = trials.population
    found = np.array([_least(b, k, size) for k, _, b in pairs]) / unit
    return InformationBound(
        value=float(found.max()),
        classes=ks,
        accuracy=observed,
        accuracy_low=low,
        information=found,
        uncorrected=np.array([_least(a, k, size) for k, a, _ in pairs]) / unit,
        fano=np.array([fano_information(a, k) for k, a, _ in pairs]) / unit,
        confusion=confusion / unit,
        level=level,
        method=method,
        units=units,
        n_classes=trials.n_classes,
        n_classifiers=int(n_classifiers),
        n_splits=trials.n_splits,
        population=size,
        for_these=_for_these(pairs, trials, level, method, n_classifiers) / unit,
    )


def _for_these(
    pairs: list[tuple[int, float, float]],
    trials: Trials,
    level: float,
    method: str,
    n_classifiers: int,
) -> float:
    """Return the bound for classes that are fixed: nothing is lost to their choice."""
    whole = trials.n_classes
    known = [accuracy for k, accuracy, _ in pairs if k == whole]
    # Splits test other classes each, and groups were drawn as a whole.
    whole_set = trials.is_independent and trials.n_splits == 1
    if trials.population is not None or not known or not whole_set:
        return math.nan
    fixed = trials.in_population(whole)
    try:
        low = average_bayes_bound(
            known[0], fixed, level=level, method=method, n_classifiers=n_classifiers
        )
    except UsageError:  # a method that does not hold here
        low = average_bayes_bound(
            known[0], fixed, level=level, n_classifiers=n_classifiers
        )
    return _least(low, whole, whole)


def _least(accuracy: float, classes: int, population: int | None) -> float:
    """Return the least information with a Bayes accuracy among distinct stimuli.

    Two bounds hold in a finite population. The capacity holds for independent draws,
    of which some would be equal; Fano's holds for every choice of candidates, and so
    for their mean, since it is convex. Both rise with the one accuracy.
    """
    if population is None:
        return float(least_information(accuracy, classes))
    drawn = accuracy * distinct_share(classes, population)
    found = float(least_information(drawn, classes))
    return max(found, fano_information(accuracy, classes))


def default_sizes(n_classes: int) -> IntArray:
    """Choose the numbers of classes to look at, from how many there are alone.

    Few classes prove most where information is small, many where it is large.

    Parameters
    ----------
    n_classes : int
        Classes that were drawn.

    Returns
    -------
    ndarray of int64
        Up to four, evenly spaced in the logarithm.
    """
    smallest = min(_SMALLEST, n_classes)
    return np.unique(np.geomspace(smallest, n_classes, _N_SIZES).round()).astype(
        np.int64
    )


def _gather(
    accuracy: AccuracyCurve | float | Sequence[float],
    classes: int | Sequence[int] | None,
    n_tests: int | Sequence[int] | Trials | None,
    n_classes: int | None,
) -> tuple[IntArray, FloatArray, Trials]:
    if isinstance(accuracy, AccuracyCurve):
        return _from_curve(accuracy, classes, n_tests)
    if classes is None or n_tests is None:
        msg = "Accuracies need `classes` and `n_tests`: of how many, on how many cases."
        raise UsageError(msg)
    ks = check_class_counts(classes, "classes")
    observed = np.atleast_1d(np.asarray(accuracy, dtype=np.float64))
    drawn = int(ks.max()) if n_classes is None else int(n_classes)
    if observed.shape != ks.shape:
        msg = (
            f"{observed.size} accuracies for {ks.size} numbers of classes: there must "
            "be one for each."
        )
        raise UsageError(msg)
    if ks.min() < 2 or ks.max() > drawn:
        wrong = ks.min() if ks.min() < 2 else ks.max()
        msg = f"`classes` must lie between 2 and all {drawn} drawn; got {wrong}."
        if drawn < 2:
            msg = f"`classes` must be at least 2, to choose among; got {wrong}."
        raise UsageError(msg)
    trials = n_tests if isinstance(n_tests, Trials) else Trials.of(drawn, n_tests)
    return ks, observed, trials


def _from_curve(
    curve: AccuracyCurve,
    classes: int | Sequence[int] | None,
    n_tests: int | Sequence[int] | Trials | None,
) -> tuple[IntArray, FloatArray, Trials]:
    if curve.top != 1 or curve.ties == "optimistic" or curve.average != "macro":
        msg = (
            "Bounds are for one guess, ties not counted as won, and every class "
            "counting the same: make the curve so."
        )
        raise UsageError(msg)
    ks = (
        _nearest(curve, default_sizes(curve.n_classes))
        if classes is None
        else check_class_counts(classes, "classes")
    )
    where = {int(k): i for i, k in enumerate(curve.classes)}
    absent = [int(k) for k in ks if int(k) not in where or k < 2]
    if absent:
        msg = (
            f"There is no accuracy among {absent[0]} candidates to bound "
            f"information by (bound_sizes, --bound-size): the curve goes from 2 to "
            f"{curve.classes.max()}."
        )
        raise UsageError(msg)
    if n_tests is None:
        n_tests = _counts(curve)
    trials = (
        n_tests if isinstance(n_tests, Trials) else Trials.of(curve.n_classes, n_tests)
    )
    return ks, curve.accuracy[[where[int(k)] for k in ks]], trials


def _nearest(curve: AccuracyCurve, wanted: IntArray) -> IntArray:
    """Return sizes the curve has: the nearest, chosen without regard to accuracy."""
    usable = curve.classes[curve.classes >= 2]
    return np.unique([usable[np.abs(usable - k).argmin()] for k in wanted])


def _counts(curve: AccuracyCurve) -> list[int]:
    if curve.counts.size == 0:
        msg = "This curve does not know the examples of its classes: give `n_tests`."
        raise UsageError(msg)
    untested = int((curve.counts == 0).sum())
    if untested:
        msg = (
            f"{untested:,} of {curve.n_classes:,} classes have no example, and bounds "
            "are for classes that were tested: leave the others out of the curve."
        )
        raise UsageError(msg)
    return [int(n) for n in curve.counts]


def _float(value: Any) -> float:
    return math.nan if value is None else float(value)


def _floats(values: Sequence[Any]) -> FloatArray:
    return np.array([_float(v) for v in values], dtype=np.float64)
