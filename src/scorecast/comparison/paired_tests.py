"""What a test of two models is, and tests of means: paired, corrected, 5x2cv, DeLong.

A test is one object in `PAIR_TESTS`. It looks at `PairData`, what two models gave on
the same rows, and says a `PairOutcome`. Its claims are fields: what rows it is for,
what it does with groups, the least p-value it can give.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np
import scipy  # its parts load when first used
from numpy.typing import NDArray

from scorecast._core.registry import Method, Registry
from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.comparison.bayesian import CORRELATED_T, Posterior
from scorecast.comparison.effect_sizes import differences
from scorecast.evaluation import (
    areas_under_curves,
    corrected_t,
    nadeau_bengio,
    placements,
)
from scorecast.exceptions import (
    InsufficientDataError,
    InvalidInputError,
    Location,
    UsageError,
)


class RowKind(StrEnum):
    """What the rows of a table of results are."""

    DATASETS = "datasets"
    SPLITS = "splits"
    SAMPLES = "samples"


class Grouping(StrEnum):
    """What a test does with samples that belong together.

    UNITS: takes groups as a whole. MEANS: compares means of groups. REQUIRED: is for
    groups only. NO: refuses them.
    """

    UNITS = "units"
    MEANS = "means"
    REQUIRED = "required"
    NO = "no"


class Estimand(StrEnum):
    """What a difference is one of."""

    MEAN = "mean"
    MEDIAN = "median"
    PSEUDO_MEDIAN = "pseudo-median"
    PROPORTION = "proportion"
    AUC = "auc"
    METRIC = "metric"


@dataclass(frozen=True, kw_only=True)
class PairOutcome:
    """What a test says of two models.

    Attributes
    ----------
    statistic : float
        NaN where it has none.
    p_value : float
        Two-sided; 1 where the models are the same, NaN where the spread that it needs
        cannot be seen.
    difference, low, high : float
        First less second, with its interval.
    direction : int
        Which way the test itself points: 1 where the first is higher, -1 where it is
        lower, 0 where it does not say. A difference of 0 need not mean the last.
    df : tuple of float
        Degrees of freedom, where there are any.
    smallest_p : float or None
        The least that p can be, where models are exchanged.
    n_exchanges : int or None
        How many exchanges were drawn; None where all of them were gone through.
    is_spread_known : bool
        Whether differences vary, so that p can be known.
    is_first_fold_contrary : bool
        Whether the fold that p is about and the mean of all point opposite ways.
    is_approximation_good : bool
        Whether there are as many samples as the p-value of this test asks for.
    """

    statistic: float
    p_value: float
    difference: float
    low: float
    high: float
    direction: int
    df: tuple[float, ...] = ()
    smallest_p: float | None = None
    n_exchanges: int | None = None
    is_spread_known: bool = True
    is_first_fold_contrary: bool = False
    is_approximation_good: bool = True


@dataclass(frozen=True, kw_only=True, eq=False)
class TestSettings:
    """How a test is done: its level, its draws.

    Attributes
    ----------
    confidence_level : float
        Level of the interval.
    test_ratio : float or None
        Samples tested per sample trained on, of splits.
    n_resamples : int
        Resamples or exchanges.
    rng : numpy.random.Generator
        Where they come from.
    """

    __test__ = False  # for pytest, which would collect it

    confidence_level: float
    test_ratio: float | None = None
    n_resamples: int = 4999
    rng: np.random.Generator


@dataclass(frozen=True, kw_only=True, eq=False)
class PairData:
    """What two models gave on the same rows.

    Attributes
    ----------
    first, second : ndarray of shape (n,)
        Values, labels or scores.
    truth, groups : ndarray of shape (n,) or None
        What is true; what belongs together.
    metric : callable or None
        From truth and predictions to a number.
    """

    first: NDArray[Any]
    second: NDArray[Any]
    truth: NDArray[Any] | None = None
    groups: NDArray[Any] | None = None
    metric: Callable[[Any, Any], float] | None = None

    @property
    def n(self) -> int:
        """Number of pairs of values."""
        return int(self.first.size)

    @cached_property
    def unit(self) -> IntArray:
        """Number of the group of every row, or of the row itself."""
        if self.groups is None:
            return np.arange(self.n)
        return np.unique(self.groups, return_inverse=True)[1].astype(np.int64)

    @cached_property
    def n_units(self) -> int:
        """Number of groups, or of rows."""
        return int(self.unit.max()) + 1

    @cached_property
    def are_labels(self) -> bool:
        """Whether values are right or wrong, or names of classes."""
        both = (self.first, self.second)
        if self.truth is None:
            return all(
                x.dtype.kind in "fiub" and np.isin(x, (0, 1)).all() for x in both
            )
        if any(x.dtype.kind not in "fiub" for x in both):
            return True
        return all(_are_classes(x, self.truth) for x in both)

    @cached_property
    def unseen_labels(self) -> tuple[str, ...]:
        """Labels that were predicted and that the truth lacks."""
        if self.truth is None or not self.are_labels:
            return ()
        said = np.concatenate([self.first, self.second])
        return tuple(str(x) for x in np.unique(said[~np.isin(said, self.truth)]))

    @cached_property
    def numbers(self) -> tuple[FloatArray, FloatArray]:
        """Values of both models as numbers; refused if they are none."""
        return _numbers(self.first, "a"), _numbers(self.second, "b")

    @cached_property
    def gaps(self) -> FloatArray:
        """Differences of the values, without what only rounding made."""
        return differences(*self.numbers)

    def right(self) -> tuple[BoolArray, BoolArray]:
        """Return whether each model is right on each sample.

        Returns
        -------
        tuple of ndarray of bool
            Of both models.

        Raises
        ------
        InvalidInputError
            If labels are of different types, or values are neither 0 nor 1.
        UsageError
            If predictions are numbers, not labels.
        """
        if self.truth is None:
            both = self.numbers
            if not all(np.isin(x, (0, 1)).all() for x in both):
                raise InvalidInputError(
                    "must be right or wrong (1 and 0) for McNemar's test",
                    parameter="a",
                    remedy="give 1 and 0, or labels with what is true",
                )
            return both[0] == 1, both[1] == 1
        if not _are_comparable(self.truth, self.first, self.second):
            problem = "holds labels of another type than the predictions"
            raise InvalidInputError(problem, parameter="y_true")
        for values, name in ((self.first, "a"), (self.second, "b")):
            if _has_fractions(values) and not np.isin(values, self.truth).all():
                raise UsageError(
                    "holds numbers where labels are needed",
                    parameter=name,
                    remedy="name the metric that numbers are compared by",
                )
        return self.truth == self.first, self.truth == self.second

    def positive(self) -> BoolArray:
        """Return which samples are of the second of two classes.

        Returns
        -------
        ndarray of bool
            True for the class that sorts last.

        Raises
        ------
        UsageError
            If there is no truth.
        InvalidInputError
            If there are not two classes.
        InsufficientDataError
            If a class has fewer than two samples.
        """
        if self.truth is None:
            problem = "is needed by DeLong's test, beside scores of the positive class"
            raise UsageError(problem, parameter="y_true")
        classes, codes = np.unique(self.truth, return_inverse=True)
        if classes.size > 2:
            problem = f"has {classes.size} classes; DeLong's test is for two"
            raise InvalidInputError(problem, parameter="y_true")
        fewest = int(np.bincount(codes, minlength=2).min())
        if classes.size < 2 or fewest < 2:
            raise InsufficientDataError(
                "DeLong's test needs at least 2 samples of each of two classes; the "
                f"smaller has {fewest}",
                parameter="y_true",
            )
        positive: BoolArray = codes == 1
        return positive

    def as_values(self) -> PairData:
        """Return labels with a truth as right (1) and wrong (0); values as they are.

        Raises
        ------
        UsageError
            If predictions are numbers, which need a metric.
        """
        if self.truth is None or self.metric is not None:
            return self
        if not self.are_labels:
            raise UsageError(
                "predictions that are numbers cannot be compared with what is true "
                "without a metric",
                parameter="scoring",
                remedy="name one, such as roc_auc or mean_squared_error, or give "
                "losses of single samples",
            )
        first, second = (x.astype(np.float64) for x in self.right())
        return replace(self, first=first, second=second, truth=None)

    def averaged(self) -> PairData:
        """Return the mean of every group instead of its samples."""
        if self.groups is None:
            return self
        sizes = np.bincount(self.unit)
        first, second = (
            np.bincount(self.unit, weights=x) / sizes for x in self.numbers
        )
        return replace(self, first=first, second=second, groups=None)


def _numbers(values: NDArray[Any], name: str) -> FloatArray:
    """Return finite numbers, or say which value is none."""
    if values.dtype.kind not in "fiub":
        problem = f"must hold numbers for this test; got dtype {values.dtype}"
        raise InvalidInputError(problem, parameter=name)
    numbers: FloatArray = values.astype(np.float64)
    bad = ~np.isfinite(numbers)
    if bad.any():
        raise InvalidInputError(
            f"has {int(bad.sum())} value(s) that are not finite",
            parameter=name,
            location=Location(row=int(np.argmax(bad)) + 1),
            remedy="remove those pairs",
        )
    return numbers


def _are_classes(values: NDArray[Any], truth: NDArray[Any]) -> bool:
    """Tell labels from scores: a class may be absent from the truth, but not most."""
    known = np.isin(values, truth)
    if known.all():
        return True
    is_whole = not _has_fractions(values) and not _has_fractions(truth)
    return is_whole and float(known.mean()) > 0.5


def _has_fractions(values: NDArray[Any]) -> bool:
    return values.dtype.kind == "f" and bool((values != np.rint(values)).any())


def _are_comparable(*columns: NDArray[Any]) -> bool:
    kinds = {"text" if c.dtype.kind in "US" else "number" for c in columns}
    return len(kinds) == 1 or any(c.dtype.kind == "O" for c in columns)


def _no_least(n_rows: int, n_models: int) -> float:
    """Return the least p-value of a test that can give any."""
    del n_rows, n_models
    return 0.0


@dataclass(frozen=True, kw_only=True)
class PairTest(Method):
    """A test of two models.

    Attributes
    ----------
    evaluate : callable or None
        From data and settings to what it says; None for tests of whole tables.
    table_z : callable or None
        From a table of results and which way is better to how many standard errors
        models lie apart in rank, for tests of whole tables.
    ranks : str
        What ranks those are; empty for other tests.
    takes : frozenset of RowKind
        What rows it is for.
    takes_many : bool
        Whether pairs of many models are tested by it.
    grouping : Grouping
        What it does with samples that belong together.
    takes_metric : bool
        Whether any metric will do, not only values of single samples.
    own_metric : str
        The metric that it compares models by without being told; empty where there is
        none of a name.
    needs_labels : bool
        Whether it is about right and wrong.
    estimand : Estimand
        What its difference is one of.
    smallest_p : callable
        From rows and models to the least p-value that any data can give.
    least_samples : int
        Rows below which it is refused, whatever the level.
    min_discordant : int
        Samples that one model alone gets right, which its approximation needs.
    is_exact : bool
        Whether p counts all ways in which luck could have it, as long as there are few.
    is_invariant_to_order : bool
        Whether the order of rows does not matter.
    is_drawn : bool
        Whether it draws, so that p depends on the seed.
    test_ratio : float or None
        Samples tested per sample trained on, where the test fixes it.
    posterior : Posterior or None
        The Bayesian answer to the same question; None where there is none.
    further : tuple of str
        More works to cite.
    begins_with_name : bool
        Whether the title takes no article within a sentence.
    """

    evaluate: Callable[[PairData, TestSettings], PairOutcome] | None = None
    table_z: Callable[[FloatArray, bool], FloatArray] | None = None
    ranks: str = ""
    takes: frozenset[RowKind] = frozenset({RowKind.SAMPLES})
    takes_many: bool = False
    grouping: Grouping = Grouping.NO
    takes_metric: bool = False
    own_metric: str = ""
    needs_labels: bool = False
    estimand: Estimand = Estimand.MEAN
    smallest_p: Callable[[int, int], float] = _no_least
    least_samples: int = 1
    min_discordant: int = 0
    is_exact: bool = False
    is_invariant_to_order: bool = True
    is_drawn: bool = False
    test_ratio: float | None = None
    posterior: Posterior | None = None
    further: tuple[str, ...] = ()
    begins_with_name: bool = False

    @property
    def works(self) -> tuple[str, ...]:
        """Works to cite."""
        return tuple(work for work in (self.reference, *self.further) if work)

    @property
    def is_of_folds(self) -> bool:
        """Whether it compares one result per fold."""
        return self.takes == {RowKind.SPLITS}

    def min_samples(self, alpha: float) -> int:
        """Return how many rows it needs to be able to reach a level.

        Examples
        --------
        >>> from scorecast.comparison import PAIR_TESTS
        >>> [PAIR_TESTS["wilcoxon"].min_samples(alpha) for alpha in (0.05, 0.01)]
        [6, 8]
        """
        n = max(self.least_samples, 1)
        while self.smallest_p(n, 2) > alpha + 1e-12:
            n += 1
        return n

    def run(self, data: PairData, how: TestSettings) -> PairOutcome:
        """Do the test on two models.

        Parameters
        ----------
        data : PairData
            As the test takes them.
        how : TestSettings
            Its level and draws.

        Returns
        -------
        PairOutcome
            What it says.

        Raises
        ------
        UsageError
            If it is a test of whole tables.
        """
        if self.evaluate is None:
            problem = f"{self.name} is for tables of many models"
            raise UsageError(problem, parameter="test")
        return self.evaluate(data, how)

    def fit(self, data: PairData) -> PairData:
        """Turn what is given into what the test takes; nothing given is ignored.

        Parameters
        ----------
        data : PairData
            As the caller gave it.

        Returns
        -------
        PairData
            Labels with a truth become right (1) and wrong (0) for tests of values;
            values of a group become their mean.

        Raises
        ------
        UsageError
            If the test could not use a truth, a metric or groups that are given.
        """
        if self.takes_metric:
            return data
        if data.metric is not None:
            raise UsageError(
                f"the {self.name} test takes no metric",
                parameter="scoring",
                remedy="use permutation or bootstrap",
            )
        if self.is_of_folds:
            for name, value in (("y_true", data.truth), ("groups", data.groups)):
                if value is not None:
                    raise UsageError(
                        f"has no use: the {self.name} test compares one result per "
                        "fold",
                        parameter=name,
                        remedy="leave it out, or compare samples by permutation",
                    )
            return data
        if data.groups is not None and self.grouping is Grouping.NO:
            way = " with roc_auc" if self.estimand is Estimand.AUC else ""
            raise UsageError(
                f"the {self.name} test cannot allow for groups",
                parameter="groups",
                remedy=f"use permutation or bootstrap{way}",
            )
        if self.grouping is Grouping.MEANS:
            return data.as_values().averaged()
        if self.grouping is Grouping.REQUIRED:
            if data.groups is None:
                problem = f"the {self.name} test needs samples that belong together"
                raise UsageError(problem, parameter="groups")
            return data.as_values()
        return data

    def values_of(self, data: PairData) -> tuple[FloatArray, FloatArray] | None:
        """Return the values that effect sizes are about.

        Parameters
        ----------
        data : PairData
            As the test takes them.

        Returns
        -------
        tuple of ndarray or None
            Right and wrong as 1 and 0; for areas, the share of the other class that
            each sample is rightly ordered with; the values themselves otherwise. None
            with a metric, which says nothing of single samples.
        """
        if self.estimand is Estimand.AUC:
            positive = data.positive()
            first, second = (placements(positive, x) for x in data.numbers)
            return first, second
        if data.metric is not None:
            return None
        if self.needs_labels or (data.truth is not None and data.are_labels):
            first, second = (x.astype(np.float64) for x in data.right())
            return first, second
        return data.numbers


PAIR_TESTS: Registry[PairTest] = Registry()


def sign_of(value: float) -> int:
    """Return 1, 0 or -1; 0 for what is not known."""
    return int(value > 0) - int(value < 0)


# Student's t, plain and corrected --------------------------------------------------


def t_outcome(gaps: FloatArray, test_ratio: float, level: float) -> PairOutcome:
    """Return Student's t of differences, corrected for splits that overlap."""
    mean = float(gaps.mean())
    low, high = nadeau_bengio(gaps, level, test_ratio)
    t, p = corrected_t(gaps, test_ratio)
    is_known = not math.isnan(p)
    return PairOutcome(
        statistic=t,
        p_value=p,
        difference=mean,
        low=low if is_known else math.nan,
        high=high if is_known else math.nan,
        direction=sign_of(mean),
        df=(gaps.size - 1.0,),
        is_spread_known=is_known,
    )


PAIR_TESTS.add(
    PairTest(
        name="paired-t",
        title="paired t-test",
        summary="means of independent values that are about normal",
        assumes=("differences are independent and about normal",),
        evaluate=lambda data, how: t_outcome(data.gaps, 0.0, how.confidence_level),
        takes_many=True,
        grouping=Grouping.MEANS,
        least_samples=2,
        test_ratio=0.0,
        posterior=CORRELATED_T,
    )
)


def _corrected_t(data: PairData, how: TestSettings) -> PairOutcome:
    """Widen Student's interval, because splits share training samples."""
    if how.test_ratio is None:
        problem = (
            "is needed by the corrected t-test: samples tested per sample trained on"
        )
        raise UsageError(problem, parameter="test_ratio")
    return t_outcome(data.gaps, how.test_ratio, how.confidence_level)


PAIR_TESTS.add(
    PairTest(
        name="corrected-t",
        title="corrected resampled t-test of Nadeau and Bengio",
        summary="splits of one data set, which share training samples",
        reference="C. Nadeau and Y. Bengio (2003). Inference for the generalization "
        "error. Machine Learning 52.",
        assumes=(
            "differences of splits are about normal, and correlate as tests share of "
            "samples",
        ),
        evaluate=_corrected_t,
        takes=frozenset({RowKind.SPLITS}),
        takes_many=True,
        least_samples=2,
        posterior=CORRELATED_T,
    )
)


# Five repetitions of two folds -----------------------------------------------------


def _five_by_two(data: PairData) -> FloatArray:
    """Return differences of five repetitions of two folds."""
    if data.n != 10:
        raise InsufficientDataError(
            f"5x2cv needs ten values, of five repetitions of two folds; got {data.n}",
            parameter="a",
        )
    return data.gaps.reshape(5, 2)


def _repetition_variance(gaps: FloatArray) -> float:
    """Return the mean over repetitions of the variance of their two folds."""
    return float(((gaps[:, 0] - gaps[:, 1]) ** 2).mean()) / 2


def _ratio(above: float, below: float) -> float:
    if above == 0:
        return 0.0
    return above / below if below > 0 else math.nan


def _five_by_two_outcome(
    gaps: FloatArray, statistic: float, p: float, df: tuple[float, ...], level: float
) -> PairOutcome:
    mean = float(gaps.mean())
    error = math.sqrt(_repetition_variance(gaps))
    is_known = error > 0 or not gaps.any()
    # The error of one fold for the mean of ten: on the safe side, as the folds overlap.
    quantile = float(scipy.special.stdtrit(5, 0.5 + level / 2))
    half = quantile * error if is_known else math.nan
    return PairOutcome(
        statistic=statistic,
        p_value=p,
        difference=mean,
        low=mean - half,
        high=mean + half,
        direction=sign_of(mean),
        df=df,
        is_spread_known=is_known,
    )


def five_by_two_t(gaps: FloatArray, level: float) -> PairOutcome:
    """Return Dietterich's 5x2cv t-test, which hangs on the very first fold.

    It has no direction where that fold and the mean of all ten point opposite ways.
    """
    first = float(gaps[0, 0])
    t = _ratio(first, math.sqrt(_repetition_variance(gaps)))
    p = 1.0 if first == 0 else 2 * float(scipy.special.stdtr(5, -abs(t)))
    found = _five_by_two_outcome(gaps, t, p, (5.0,), level)
    if found.direction == sign_of(first) or first == 0:
        return found
    is_contrary = found.is_spread_known
    return replace(found, direction=0, is_first_fold_contrary=is_contrary)


def five_by_two_f(gaps: FloatArray, level: float) -> PairOutcome:
    """Return Alpaydin's combined 5x2cv F-test, whatever the order of folds."""
    squares = float((gaps**2).sum())
    f = _ratio(squares, 10 * _repetition_variance(gaps))
    p = 1.0 if squares == 0 else float(scipy.special.fdtrc(10, 5, f))
    return _five_by_two_outcome(gaps, f, p, (10.0, 5.0), level)


_FOLDS_INDEPENDENT = ("differences of the two folds of a repetition are independent",)
PAIR_TESTS.add(
    PairTest(
        name="5x2cv-t",
        title="5x2cv t-test of Dietterich",
        summary="five times two folds; depends on which fold is first",
        reference="T. G. Dietterich (1998). Approximate statistical tests for "
        "comparing supervised classification learning algorithms. Neural Computation "
        "10.",
        assumes=_FOLDS_INDEPENDENT,
        evaluate=lambda data, how: five_by_two_t(
            _five_by_two(data), how.confidence_level
        ),
        takes=frozenset({RowKind.SPLITS}),
        is_invariant_to_order=False,
        test_ratio=1.0,
        posterior=CORRELATED_T,
    )
)
PAIR_TESTS.add(
    PairTest(
        name="5x2cv-f",
        title="combined 5x2cv F-test of Alpaydin",
        summary="five times two folds, whatever their order",
        reference="E. Alpaydin (1999). Combined 5 x 2 cv F test for comparing "
        "supervised classification learning algorithms. Neural Computation 11.",
        assumes=_FOLDS_INDEPENDENT,
        evaluate=lambda data, how: five_by_two_f(
            _five_by_two(data), how.confidence_level
        ),
        takes=frozenset({RowKind.SPLITS}),
        is_invariant_to_order=False,  # folds of a repetition belong together
        test_ratio=1.0,
        posterior=CORRELATED_T,
    )
)


# Areas under ROC curves ------------------------------------------------------------


def _delong(data: PairData, how: TestSettings) -> PairOutcome:
    """Compare two areas by DeLong's covariance."""
    areas = areas_under_curves(data.positive(), np.column_stack(data.numbers))
    gap = float(areas.values[0] - areas.values[1])
    error = areas.error_of_difference()
    if abs(gap) < 1e-12:
        gap = 0.0
    is_known = error > 0 or gap == 0
    z = 0.0 if gap == 0 else gap / error if is_known else math.nan
    quantile = float(scipy.special.ndtri(0.5 + how.confidence_level / 2))
    half = quantile * error if is_known else math.nan
    p = min(2 * float(scipy.special.ndtr(-abs(z))), 1.0) if is_known else math.nan
    return PairOutcome(
        statistic=z,
        p_value=p,
        difference=gap,
        low=max(gap - half, -1.0),
        high=min(gap + half, 1.0),
        direction=sign_of(gap),
        is_spread_known=is_known,
    )


PAIR_TESTS.add(
    PairTest(
        name="delong",
        title="DeLong's test",
        begins_with_name=True,
        summary="areas under ROC curves, of scores of the positive class",
        reference="E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson (1988). "
        "Comparing the areas under two or more correlated receiver operating "
        "characteristic curves. Biometrics 44.",
        assumes=(
            "samples are independent, and resemble those to come",
            "the models are fixed: luck of training is not counted",
        ),
        evaluate=_delong,
        own_metric="roc_auc",
        estimand=Estimand.AUC,
    )
)
