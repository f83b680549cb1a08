"""What observed accuracies prove: lower confidence bounds on accuracy and information.

M classes are drawn at random and each is tested on independent samples, by a rule that
was fixed before. Two things are random: the test samples, given the classes, and the
classes themselves. The *generalisation accuracy* of these classes needs only the first;
since no rule beats Bayes', its bound is one for their Bayes accuracy as well. The
*average Bayes accuracy* over classes not yet drawn needs both.

An accuracy at k < M classes, averaged over all subsets of k, is bounded by the same
formulas with M in the place of k. Given the classes it is a mean over test samples of
numbers in [0, 1]; and the mean over subsets of their Bayes accuracies changes by no
more than (k/M)(1/k) = 1/M if one class is replaced.

Every bound here is a nondecreasing function of the one observed accuracy. For a true
value, the event that a bound exceeds it is therefore that the accuracy exceeds some
threshold; so the largest of several bounds exceeds the truth no more often than the
worst of them, and `sharpest` may take it without paying for the choice.

**Finite populations.** The capacity speaks of k stimuli drawn independently, among
which one of a finite population may come twice. Equal ones then tie, and no decoder can
tell them apart. A test of distinct stimuli never sees such ties, so its accuracy is too
high for the capacity as it is. With D distinct ones among k draws from N equally likely
stimuli, the chance to name the right draw is E[D A_D]/k, where A_D is the mean Bayes
accuracy among D distinct stimuli. It falls with their number, so that A_D >= A_k, and
the chance is at least A_k E[D]/k.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
import scipy
from numpy.typing import NDArray

from scorecast._core.checks import (
    check_class_counts,
    check_count,
    check_share,
    check_units,
)
from scorecast._core.keywords import checked_keywords
from scorecast._core.registry import Method, Registry
from scorecast._core.result import INPUT, OPTION, SHARE, Result
from scorecast._core.types import FloatArray, IntArray
from scorecast.exceptions import InsufficientDataError, UsageError
from scorecast.identification.capacity import (
    check_accuracy,
    fano_information,
    least_nats,
)
from scorecast.scores import AccuracyCurve

_SHARES = np.arange(1, 10) / 10  # of alpha between test samples and classes
_EXPONENTS = (1e-9, 5.0)  # of Markov's inequality: at 5 the penalty exceeds 1e60
_LARGEST_TAIL = 0.25  # of a binomial: beyond, unlike chances may have the heavier one
_TINY = 1e-150  # of the observed accuracy: nothing lower is told from zero
_SMALLEST_SIZE = 3
_N_SIZES = 4


# --- what was tested -----------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Trials:
    """Classes drawn at random, and independent test samples of each.

    Attributes
    ----------
    n_classes : int
        Classes (distinct stimuli) M that were drawn.
    fewest : int
        Test samples of the class that has fewest.
    spread : float
        Sum over classes of one over their test samples, divided by M squared: one over
        the number of test samples where all classes have as many.
    class_spread : float
        The same for the classes themselves: 1/M where they were drawn one by one.
    n_splits : int
        Random splits into training and test over which the accuracy was averaged.
    n_groups : int
        Groups in which the classes came, in the test set that has fewest; 0 where they
        were drawn one by one.
    population : int or None
        Equally likely stimuli of which these were drawn without replacement; None for
        independent draws.
    """

    n_classes: int
    fewest: int
    spread: float
    class_spread: float
    n_splits: int = 1
    n_groups: int = 0
    population: int | None = None

    @classmethod
    def of(cls, n_classes: int, n_tests: int | Sequence[int] | IntArray) -> Self:
        """Count test samples.

        Parameters
        ----------
        n_classes : int
            Classes that were drawn.
        n_tests : int or sequence of int
            Test samples of every class: one number for all, or one for each.

        Returns
        -------
        Trials
            The counts.

        Raises
        ------
        UsageError
            If there is not one count per class.
        InsufficientDataError
            If a class has no test sample: bounds hold for classes that were tested.

        Examples
        --------
        >>> Trials.of(4, [5, 20, 8, 40]).fewest
        5
        """
        if n_classes < 2:
            problem = "one class only: with nothing to confuse it with is no answer"
            raise InsufficientDataError(problem)
        each = np.asarray(n_tests)
        if isinstance(n_tests, numbers.Integral):
            each = np.full(n_classes, int(n_tests))
        if each.shape != (n_classes,) or each.dtype.kind not in "iu":
            problem = f"one count per class is needed: {n_classes}, got {each.size}"
            raise UsageError(problem, parameter="n_tests")
        if each.min() < 1:
            problem = "every class needs at least one test sample for a bound"
            raise InsufficientDataError(problem, parameter="n_tests")
        return cls(
            n_classes=n_classes,
            fewest=int(each.min()),
            spread=float((1 / each).sum()) / n_classes**2,
            class_spread=1 / n_classes,
        )

    def in_groups(self, sizes: IntArray) -> Self:
        """Return the trials where classes came in groups that are not independent.

        Parameters
        ----------
        sizes : ndarray of int64
            Classes in each group.

        Returns
        -------
        Trials
            The same with the spread of whole groups, for classes and samples alike.
        """
        shares = np.asarray(sizes) / self.n_classes
        whole = float(shares @ shares)
        return replace(
            self,
            spread=max(self.spread, whole),
            class_spread=whole,
            n_groups=len(shares),
        )

    def in_population(self, population: int | None) -> Self:
        """Return the trials where classes are distinct ones of a finite population.

        Parameters
        ----------
        population : int or None
            Equally likely classes that the answer is about; None changes nothing.

        Returns
        -------
        Trials
            The same with the spread of draws without replacement.

        Raises
        ------
        UsageError
            If it is smaller than what was drawn, differs from one stated before, or
            classes came in groups.
        """
        if population is None or population == self.population:
            return self
        check_population(population, self.n_classes)
        if self.population is not None or not self.is_independent:
            why = "stated before" if self.population else "of whole groups"
            problem = f"is for stimuli drawn one by one; this one is {why}"
            raise UsageError(problem, parameter="population")
        spread = spread_without_replacement(self.n_classes, int(population))
        return replace(self, class_spread=spread, population=int(population))

    @property
    def is_independent(self) -> bool:
        """Whether classes were drawn one by one."""
        return bool(self.class_spread <= (1 + 1e-12) / self.n_classes)

    @property
    def is_balanced(self) -> bool:
        """Whether all classes have as many test samples."""
        even = 1 / (self.n_classes * self.fewest)
        return bool(np.isclose(self.spread, even, rtol=1e-12))


def worst_trials(trials: Sequence[Trials]) -> Trials:
    """Return trials whose bounds hold for each test set, and so for their mean."""
    return Trials(
        n_classes=min(t.n_classes for t in trials),
        fewest=min(t.fewest for t in trials),
        spread=max(t.spread for t in trials),
        class_spread=max(t.class_spread for t in trials),
        n_splits=len(trials),
    )


def check_population(population: object, n_distinct: int) -> None:
    """Refuse a number that cannot be that of a population."""
    if isinstance(population, bool) or not isinstance(population, numbers.Integral):
        problem = f"must be a whole number; got {population!r}"
        raise UsageError(problem, parameter="population")
    if population < n_distinct:
        problem = f"{population:,} cannot have given {n_distinct:,} distinct stimuli"
        raise UsageError(problem, parameter="population")


def distinct_share(n_draws: int, population: int) -> float:
    """Return how many of some draws are distinct, on average: N (1 - (1 - 1/N)^k) / k.

    Examples
    --------
    >>> distinct_share(2, 4)
    0.875
    """
    return -population * math.expm1(n_draws * math.log1p(-1 / population)) / n_draws


def spread_without_replacement(n_drawn: int, population: int) -> float:
    """Return what stands for 1/M where M classes are drawn without replacement.

    El-Yaniv and Pechyony (2009): a symmetric function of M of N stimuli that moves by
    at most b if one is replaced deviates as one of M independent draws does, with
    M b^2 times this factor in the exponent. From M = 2 on it is below one; where all
    were drawn nothing is left to chance.
    """
    n_left = population - n_drawn
    if n_left == 0:
        return 0.0
    factor = n_left / (population - 0.5) / (1 - 0.5 / max(n_drawn, n_left))
    return min(factor, 1.0) / n_drawn


# --- bounds on accuracies ------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class AccuracyBound(Method):
    """A lower confidence bound on an accuracy.

    Attributes
    ----------
    evaluate : callable
        Takes the accuracy, the trials, alpha and the number of rules among which the
        best was chosen; returns the bound, which may be below 0.
    allows_groups : bool
        Whether it holds for classes that came in groups.
    allows_splits : bool
        Whether it holds for accuracies averaged over random splits.
    allows_population : bool
        Whether it holds for draws without replacement from a finite population.
    needs_balance : bool
        Whether every class must have as many samples, each right or wrong.
    """

    evaluate: Callable[[float, Trials, float, int], float]
    allows_groups: bool = False
    allows_splits: bool = False
    allows_population: bool = True
    needs_balance: bool = False

    def objection(self, trials: Trials) -> str:
        """Say which of the trials' features it does not hold for; empty if none."""
        if not (trials.is_independent or self.allows_groups):
            return "groups of classes"
        if trials.n_splits > 1 and not self.allows_splits:
            return "averages over splits"
        if trials.population is not None and not self.allows_population:
            return "a finite population"
        return ""


def generalisation_bound(
    accuracy: float,
    trials: Trials,
    *,
    method: str = "hoeffding",
    n_classifiers: int = 1,
    confidence_level: float = 0.95,
) -> float:
    r"""Bound the accuracy that a rule has on new samples of the same classes.

    It bounds the Bayes accuracy of these classes as well. By default

    .. math:: a - \sqrt{\frac{\log(1/\alpha)}{2 M^2} \sum_i \frac{1}{r_i}}

    with r_i test samples of class i of M.

    Parameters
    ----------
    accuracy : float
        Observed share of right answers, every class counting the same. Of several
        rules, that of the best.
    trials : Trials
        Classes and test samples.
    method : str, default="hoeffding"
        Name of an entry of `GENERALISATION_BOUNDS`.
    n_classifiers : int, default=1
        Rules among which the best was chosen on these samples (Bonferroni).
    confidence_level : float, default=0.95
        Confidence.

    Returns
    -------
    float
        The bound, at least 0.

    Raises
    ------
    UsageError
        If the method does not hold for groups, or for averages over random splits.

    References
    ----------
    W. Hoeffding (1963). Probability inequalities for sums of bounded random variables.
    Journal of the American Statistical Association 58.

    Examples
    --------
    >>> trials = Trials.of(50, 10)
    >>> round(generalisation_bound(0.8, trials), 6)
    0.745267
    """
    chosen = GENERALISATION_BOUNDS.choose(method, parameter="method")
    return _bound(
        chosen, "hoeffding", accuracy, trials, n_classifiers, confidence_level
    )


def average_bayes_bound(
    accuracy: float,
    trials: Trials,
    *,
    method: str = "sharpest",
    n_classifiers: int = 1,
    confidence_level: float = 0.95,
) -> float:
    """Bound the Bayes accuracy, averaged over classes drawn at random.

    Parameters
    ----------
    accuracy : float
        Observed accuracy at k classes: of all M, or the mean over all subsets of k < M.
        Every class counts the same.
    trials : Trials
        The M classes and their test samples.
    method : str, default="sharpest"
        Name of an entry of `AVERAGE_BOUNDS`.
    n_classifiers : int, default=1
        Rules among which the best was chosen on these samples (Bonferroni).
    confidence_level : float, default=0.95
        Confidence.

    Returns
    -------
    float
        The bound, at least 0.

    Raises
    ------
    UsageError
        If the method does not hold for these trials.

    References
    ----------
    C. McDiarmid (1989). On the method of bounded differences. Surveys in Combinatorics.
    S. Boucheron, G. Lugosi and P. Massart (2000). A sharp concentration inequality with
    applications. Random Structures and Algorithms 16.

    Examples
    --------
    >>> trials = Trials.of(50, 10)
    >>> round(average_bayes_bound(0.8, trials, method="mcdiarmid"), 6)
    0.547199
    >>> round(average_bayes_bound(0.8, trials), 6)
    0.61847
    """
    chosen = AVERAGE_BOUNDS.choose(method, parameter="method")
    return _bound(chosen, "sharpest", accuracy, trials, n_classifiers, confidence_level)


def _bound(
    method: AccuracyBound,
    always: str,
    accuracy: float,
    trials: Trials,
    n_classifiers: int,
    confidence_level: float,
) -> float:
    """Check everything, and bound."""
    check_accuracy(accuracy)
    n_rules = check_count(n_classifiers, "n_classifiers")
    alpha = 1 - check_share(confidence_level, "confidence_level", is_open=True)
    unlike = method.objection(trials)
    if unlike:
        raise UsageError(
            f"{method.name!r} does not hold for {unlike}",
            parameter="method",
            remedy=f"use {always!r}",
        )
    return max(method.evaluate(accuracy, trials, alpha, n_rules), 0.0)


def _hoeffding(accuracy: float, trials: Trials, alpha: float, n_rules: int) -> float:
    return accuracy - math.sqrt(math.log(n_rules / alpha) * trials.spread / 2)


def _two_sided(accuracy: float, trials: Trials, alpha: float, n_rules: int) -> float:
    return accuracy - math.sqrt(math.log(2 * n_rules / alpha) * trials.spread / 2)


def _chernoff(accuracy: float, trials: Trials, alpha: float, n_rules: int) -> float:
    """Solve n * KL(accuracy, bound) = log(1/alpha) for the bound below."""
    allowed = math.log(n_rules / alpha) / (trials.n_classes * trials.fewest)
    xlogy = scipy.special.xlogy

    def divergence(mean: float) -> float:
        return float(
            xlogy(accuracy, accuracy / mean)
            + xlogy(1 - accuracy, (1 - accuracy) / (1 - mean))
        )

    return _lowest(divergence, accuracy, allowed)


def _binomial(accuracy: float, trials: Trials, alpha: float, n_rules: int) -> float:
    if alpha / n_rules > _LARGEST_TAIL:
        raise UsageError(
            f"the binomial bound holds for levels from {1 - _LARGEST_TAIL:g} up",
            parameter="confidence_level",
        )
    n = trials.n_classes * trials.fewest
    n_right = round(accuracy * n)
    if not trials.is_balanced or abs(accuracy * n - n_right) > 1e-6:
        raise UsageError(
            "the binomial bound needs as many test samples of every class, each right "
            "or wrong",
            parameter="method",
            remedy="use another method",
        )
    # Samples of different classes are right with different chances. By Hoeffding (1956)
    # the binomial tail is still the heavier one from one sample above the mean on,
    # which tails of a quarter or less are; and a single right sample is not.
    if n_right <= 1:
        return 0.0
    return float(scipy.special.betaincinv(n_right, n - n_right + 1, alpha / n_rules))


def _joint(accuracy: float, trials: Trials, alpha: float, n_rules: int) -> float:
    # Deviations of test samples given the classes, and of classes, are both
    # sub-Gaussian, one after the other: their variances add up.
    both = trials.spread + trials.class_spread
    return accuracy - math.sqrt(math.log(n_rules / alpha) * both / 2)


def _poisson(accuracy: float, trials: Trials, alpha: float, n_rules: int) -> float:
    """Bound test samples and classes at once by exponents of Poisson kind.

    With M classes of r samples, log E exp(t M accuracy) is at most M ABA (exp(s) - 1)
    where s = r (exp(t/r) - 1): samples given classes are dominated by Poisson counts,
    and the Bayes accuracy of the classes is self-bounding. Markov's inequality for the
    best t gives the bound.
    """
    allowed = math.log(n_rules / alpha) / trials.n_classes
    r = trials.fewest

    def negative(t: float) -> float:
        grown = r * math.expm1(t / r)
        return -(t * accuracy - allowed) / math.expm1(grown)

    found = scipy.optimize.minimize_scalar(
        negative, bounds=_EXPONENTS, method="bounded", options={"xatol": 1e-10}
    )
    return -float(found.fun)


def _mcdiarmid(accuracy: float, trials: Trials, alpha: float, n_rules: int) -> float:
    # The classes are the same for all rules: only the test samples are corrected for.
    within = _hoeffding(accuracy, trials, alpha / 2, n_rules)
    return within - _class_luck(trials, alpha / 2)


def _binomial_mcdiarmid(
    accuracy: float, trials: Trials, alpha: float, n_rules: int
) -> float:
    within = _binomial(accuracy, trials, alpha / 2, n_rules)
    return within - _class_luck(trials, alpha / 2)


def _cantelli(accuracy: float, trials: Trials, alpha: float, n_rules: int) -> float:
    within = _hoeffding(accuracy, trials, alpha / 2, n_rules)
    half = alpha / 2
    return within - math.sqrt((1 - half) / half * trials.class_spread / 4)


def _chebyshev(accuracy: float, trials: Trials, alpha: float, n_rules: int) -> float:
    within = _two_sided(accuracy, trials, alpha / 2, n_rules)
    # The variance of the Bayes accuracy of k classes is 1/(4k) at most.
    return within - math.sqrt(trials.class_spread / (4 * (alpha / 2)))


def _sharpest(accuracy: float, trials: Trials, alpha: float, n_rules: int) -> float:
    names = ("joint", "poisson")
    valid = [m for m in map(AVERAGE_BOUNDS.get, names) if m and not m.objection(trials)]
    found = [m.evaluate(accuracy, trials, alpha, n_rules) for m in valid]
    if not AVERAGE_BOUNDS["mcdiarmid"].objection(trials):
        found += _in_two_steps(accuracy, trials, alpha, n_rules)
    return max(0.0, *found)


def _class_luck(trials: Trials, alpha: float) -> float:
    """Return how far the Bayes accuracy of drawn classes may exceed its mean."""
    return math.sqrt(math.log(1 / alpha) * trials.class_spread / 2)


def _in_two_steps(
    accuracy: float, trials: Trials, alpha: float, n_rules: int
) -> list[float]:
    """Bound test samples, then classes, with several shares of alpha for each."""
    if trials.class_spread == 0:  # all classes there are: nothing to allow for
        return [_chernoff(accuracy, trials, alpha, n_rules)]
    found = []
    for share in _SHARES:
        within = _chernoff(accuracy, trials, share * alpha, n_rules)
        rest = (1 - share) * alpha
        found.append(within - _class_luck(trials, rest))
        if trials.population is None:
            found.append(_self_bounded(within, trials.n_classes, rest))
    return found


def _self_bounded(bayes: float, n_classes: int, alpha: float) -> float:
    """Bound the mean of a Bayes accuracy, which is self-bounding, by its exponent.

    M times the accuracy loses at most one if a class is removed, and the losses over
    all classes add up to no more than itself.
    """
    allowed = math.log(1 / alpha) / n_classes

    def exponent(mean: float) -> float:
        return float(scipy.special.xlogy(bayes, bayes / mean)) - bayes + mean

    return _lowest(exponent, bayes, allowed)


def _lowest(
    exponent: Callable[[float], float], observed: float, allowed: float
) -> float:
    """Find the lowest mean whose exponent is no more than is allowed."""
    if observed <= 0:
        return 0.0
    top = min(observed, 1 - 1e-15)
    low = top * _TINY
    if exponent(low) <= allowed:
        return 0.0
    if exponent(top) >= allowed:
        return top

    def beyond(mean: float) -> float:
        return exponent(mean) - allowed

    return float(scipy.optimize.brentq(beyond, low, top, rtol=1e-12))


_HOEFFDING = (
    "W. Hoeffding (1963). Probability inequalities for sums of bounded random "
    "variables. Journal of the American Statistical Association 58."
)
_CLOPPER = (
    "C. J. Clopper and E. S. Pearson (1934). The use of confidence or fiducial limits "
    "illustrated in the case of the binomial. Biometrika 26."
)
_MCDIARMID = (
    "C. McDiarmid (1989). On the method of bounded differences. Surveys in "
    "Combinatorics."
)
_SELF_BOUNDING = (
    "S. Boucheron, G. Lugosi and P. Massart (2000). A sharp concentration inequality "
    "with applications. Random Structures and Algorithms 16."
)
_ZHENG = (
    "C. Zheng (2017). Information, prediction, and supervised learning. Thesis, "
    "Stanford University."
)

GENERALISATION_BOUNDS: Registry[AccuracyBound] = Registry()
AVERAGE_BOUNDS: Registry[AccuracyBound] = Registry()

GENERALISATION_BOUNDS.add(
    AccuracyBound(
        name="hoeffding",
        title="Hoeffding's bound",
        summary="always holds; the sharpest where accuracies are middling",
        reference=_HOEFFDING,
        evaluate=_hoeffding,
        allows_groups=True,
        allows_splits=True,
    )
)
GENERALISATION_BOUNDS.add(
    AccuracyBound(
        name="chernoff",
        title="Chernoff's bound",
        summary="sharper near 0 and 1",
        reference=_HOEFFDING,
        evaluate=_chernoff,
        allows_splits=True,
    )
)
GENERALISATION_BOUNDS.add(
    AccuracyBound(
        name="binomial",
        title="the bound of Clopper and Pearson",
        summary="as many test samples of every class, each right or wrong",
        reference=_CLOPPER,
        evaluate=_binomial,
        needs_balance=True,
    )
)
GENERALISATION_BOUNDS.add(
    AccuracyBound(
        name="paper",
        title="Hoeffding's bound with the constant of a two-sided one",
        summary="to compare with published numbers",
        reference=_ZHENG,
        evaluate=_two_sided,
        allows_groups=True,
        allows_splits=True,
    )
)

AVERAGE_BOUNDS.add(
    AccuracyBound(
        name="sharpest",
        title="the largest of the bounds that hold",
        summary="always; the choice costs nothing",
        reference=_SELF_BOUNDING,
        evaluate=_sharpest,
        allows_groups=True,
        allows_splits=True,
    )
)
AVERAGE_BOUNDS.add(
    AccuracyBound(
        name="joint",
        title="the bound that adds the exponents of samples and classes",
        summary="always holds; the only one for groups of classes",
        reference=_MCDIARMID,
        evaluate=_joint,
        allows_groups=True,
        allows_splits=True,
    )
)
AVERAGE_BOUNDS.add(
    AccuracyBound(
        name="poisson",
        title="the bound by the self-bounding property",
        summary="sharper for small accuracies",
        reference=_SELF_BOUNDING,
        evaluate=_poisson,
        allows_splits=True,
        allows_population=False,
    )
)
AVERAGE_BOUNDS.add(
    AccuracyBound(
        name="mcdiarmid",
        title="half of the allowance for samples (Hoeffding), half for classes",
        summary="one random split, classes drawn one by one",
        reference=_MCDIARMID,
        evaluate=_mcdiarmid,
    )
)
AVERAGE_BOUNDS.add(
    AccuracyBound(
        name="binomial",
        title="half of the allowance for samples (Clopper and Pearson)",
        summary="as many test samples of every class, each right or wrong",
        reference=_CLOPPER,
        evaluate=_binomial_mcdiarmid,
        needs_balance=True,
    )
)
AVERAGE_BOUNDS.add(
    AccuracyBound(
        name="cantelli",
        title="half of the allowance for classes by Cantelli's inequality",
        summary="to compare with published numbers",
        reference=_ZHENG,
        evaluate=_cantelli,
    )
)
AVERAGE_BOUNDS.add(
    AccuracyBound(
        name="paper",
        title="half of the allowance for classes by Chebyshev's inequality",
        summary="to compare with published numbers",
        reference=_ZHENG,
        evaluate=_chebyshev,
    )
)


# --- a bound on information ----------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class InformationBound(Result):
    """What observed accuracies prove about mutual information.

    Attributes
    ----------
    value : float
        The bound, in `units`: the largest over the numbers of classes.
    classes : ndarray of int64
        Numbers of classes that were looked at, stated beforehand.
    best : int
        The number of classes that proves most.
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
        Information in the confusion matrix, bias taken off; NaN where scores are not
        known or there are fewer samples than cells. For comparison.
    for_these : float
        The bound on what responses tell of these classes themselves, each as likely as
        any other: the question where classes are fixed, such as left and right, and
        were not drawn from many. At most the logarithm of their number; a claim of its
        own at the same level. NaN with a population, for classes in groups or averages
        over splits, and where the accuracy among all is not known.
    n_drawn : int
        Classes that were drawn.
    n_splits : int
        Splits that the accuracies are averaged over.
    method : str
        How the accuracies were bounded; an entry of `AVERAGE_BOUNDS`.
    n_classifiers : int
        Rules among which the best was chosen.
    population : int or None
        Equally likely stimuli that the answer is about; None for so many that the same
        one would hardly come twice.
    units : str
        ``"bits"`` or ``"nats"``.
    confidence_level : float
        Confidence.
    """

    kind: ClassVar[str] = "information-bound"

    value: float
    classes: NDArray[np.int64]
    best: int
    accuracy: NDArray[np.float64] = field(metadata=SHARE)
    accuracy_low: NDArray[np.float64] = field(metadata=SHARE)
    information: NDArray[np.float64]
    uncorrected: NDArray[np.float64]
    fano: NDArray[np.float64]
    confusion: float = math.nan
    for_these: float = math.nan
    n_drawn: int = field(metadata=INPUT)
    n_splits: int = field(metadata=INPUT)
    method: str = field(metadata=OPTION)
    n_classifiers: int = field(metadata=OPTION)
    population: int | None = field(metadata=OPTION)
    units: str = field(metadata=OPTION)
    confidence_level: float = field(metadata=OPTION | SHARE)

    @property
    def most_of_these(self) -> float:
        """What these classes hold at most, in `units`."""
        return math.log(self.n_drawn) / check_units(self.units)

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


@checked_keywords
def mutual_information_bound(
    accuracy: AccuracyCurve | float | Sequence[float],
    *,
    n_classes: int | Sequence[int] | None = None,
    n_tests: int | Sequence[int] | Trials | None = None,
    n_drawn: int | None = None,
    population: int | None = None,
    method: str = "sharpest",
    n_classifiers: int = 1,
    units: str = "bits",
    confidence_level: float = 0.95,
) -> InformationBound:
    r"""Bound the mutual information of stimulus and response from below.

    No distribution with less information could be this accurate among randomly drawn
    stimuli, except by a chance of one minus the level:

    .. math:: I \ge C_k^{-1}(\underline{a}_k)

    where :math:`\underline{a}_k` bounds the average Bayes accuracy among k and
    :math:`C_k` is the highest one that information allows. That is about all stimuli
    that the classes were drawn from; where they are all there are, such as left and
    right, give their number as `population`, or read `for_these` of the answer.

    Parameters
    ----------
    accuracy : AccuracyCurve, float or sequence of float
        A curve; or the accuracy at each of `n_classes`, every class counting the same.
    n_classes : int or sequence of int, optional
        Numbers of classes to look at; several cost a correction (Bonferroni), so state
        them before looking. Of a curve by default up to four from 3 to all.
    n_tests : int, sequence of int or Trials, optional
        Test samples of every class, one number for all or one for each. Of a curve by
        default its own, where every class was tested.
    n_drawn : int, optional
        Classes that were drawn. By default those of the curve, or the largest of
        `n_classes`.
    population : int, optional
        Equally likely classes of which these are distinct ones, such as all letters of
        an alphabet: the answer is then about them, and never exceeds the logarithm of
        their number. By default classes are independent draws from so many that the
        same one would hardly come twice.
    method : str, default="sharpest"
        How to bound accuracies; an entry of `AVERAGE_BOUNDS`.
    n_classifiers : int, default=1
        Rules among which the best was chosen on these test samples.
    units : {"bits", "nats"}, default="bits"
        Units of the answer.
    confidence_level : float, default=0.95
        Confidence.

    Returns
    -------
    InformationBound
        The bound, and what each number of classes says.

    Raises
    ------
    UsageError
        If accuracies and numbers of classes do not fit together.

    References
    ----------
    C. Zheng and Y. Benjamini (2016). Estimating mutual information in high dimensions
    via classification error. C. Zheng (2017). Information, prediction, and supervised
    learning. Thesis, Stanford University.

    Examples
    --------
    >>> bound = mutual_information_bound(0.8, n_classes=50, n_tests=10)
    >>> round(bound.value, 4)
    3.9795

    Two classes that are fixed, such as left and right:

    >>> bound = mutual_information_bound(0.9, n_classes=2, n_tests=100)
    >>> bound.value, round(bound.for_these, 4)
    (0.0, 0.3663)
    """
    if isinstance(accuracy, AccuracyCurve):
        ks, observed, trials = _of_curve(accuracy, n_classes, n_tests, "n_classes")
    else:
        ks, observed, trials = _of_numbers(accuracy, n_classes, n_tests, n_drawn)
    return bound_information(
        ks,
        observed,
        trials.in_population(population),
        method=method,
        n_classifiers=n_classifiers,
        units=units,
        confidence_level=confidence_level,
    )


def bound_curve(
    curve: AccuracyCurve,
    trials: Trials,
    bound_sizes: int | Sequence[int] | None,
    **asked: Any,
) -> InformationBound:
    """Bound information by a curve whose trials are known."""
    ks, observed, _ = _of_curve(curve, bound_sizes, trials, "bound_sizes")
    return bound_information(ks, observed, trials, **asked)


def bound_information(
    ks: IntArray,
    observed: FloatArray,
    trials: Trials,
    *,
    units: str,
    confidence_level: float,
    method: str = "sharpest",
    n_classifiers: int = 1,
) -> InformationBound:
    """Bound information by accuracies at numbers of classes, all at once."""
    unit = check_units(units)
    level = check_share(confidence_level, "confidence_level", is_open=True)
    each = 1 - (1 - level) / ks.size

    def bounded(accuracy: float) -> float:
        return average_bayes_bound(
            accuracy,
            trials,
            method=method,
            n_classifiers=n_classifiers,
            confidence_level=each,
        )

    low = np.array([bounded(float(a)) for a in observed])
    pairs = list(zip(ks.tolist(), observed.tolist(), low.tolist(), strict=True))
    size = trials.population
    found = np.array([_least(b, k, size) for k, _, b in pairs]) / unit
    return InformationBound(
        value=float(found.max()),
        classes=ks,
        best=int(ks[np.argmax(found)]),
        accuracy=observed,
        accuracy_low=low,
        information=found,
        uncorrected=np.array([_least(a, k, size) for k, a, _ in pairs]) / unit,
        fano=np.array(
            [fano_information(a, n_classes=k, units=units) for k, a, _ in pairs]
        ),
        for_these=_for_these(pairs, trials, level, method, n_classifiers) / unit,
        n_drawn=trials.n_classes,
        n_splits=trials.n_splits,
        method=method,
        n_classifiers=int(n_classifiers),
        population=size,
        units=units,
        confidence_level=level,
    )


def _for_these(
    pairs: list[tuple[int, float, float]],
    trials: Trials,
    confidence_level: float,
    method: str,
    n_classifiers: int,
) -> float:
    """Return the bound for classes that are fixed: nothing is lost to their choice."""
    whole = trials.n_classes
    known = [accuracy for k, accuracy, _ in pairs if k == whole]
    # Splits test other classes each, and groups were drawn as a whole.
    is_whole_set = trials.is_independent and trials.n_splits == 1
    if trials.population is not None or not known or not is_whole_set:
        return math.nan
    fixed = trials.in_population(whole)
    # A method that does not hold here gives way to the one that always does.
    is_unfit = AVERAGE_BOUNDS[method].objection(fixed)
    low = average_bayes_bound(
        known[0],
        fixed,
        method="sharpest" if is_unfit else method,
        n_classifiers=n_classifiers,
        confidence_level=confidence_level,
    )
    return _least(low, whole, whole)


def _least(accuracy: float, k: int, population: int | None) -> float:
    """Return the least information with a Bayes accuracy among distinct stimuli.

    Two bounds hold in a finite population. The capacity holds for independent draws,
    of which some would be equal; Fano's holds for every choice of candidates, and so
    for their mean, since it is convex. Both rise with the one accuracy.
    """
    if population is None:
        return least_nats(accuracy, k)
    drawn = accuracy * distinct_share(k, population)
    found = least_nats(drawn, k)
    return max(found, fano_information(accuracy, n_classes=k, units="nats"))


def default_sizes(n_classes: int) -> IntArray:
    """Choose up to four numbers of classes to look at, from how many there are alone.

    Few classes prove most where information is small, many where it is large.
    """
    smallest = min(_SMALLEST_SIZE, n_classes)
    sizes = np.geomspace(smallest, n_classes, _N_SIZES).round()
    return np.unique(sizes).astype(np.int64)


def _of_numbers(
    accuracy: float | Sequence[float],
    n_classes: int | Sequence[int] | None,
    n_tests: int | Sequence[int] | Trials | None,
    n_drawn: int | None,
) -> tuple[IntArray, FloatArray, Trials]:
    for name, value in (("n_classes", n_classes), ("n_tests", n_tests)):
        if value is None:
            problem = "accuracies say nothing without it: among how many, on how many"
            raise UsageError(problem, parameter=name)
    ks = check_class_counts(n_classes, "n_classes")  # type: ignore[arg-type]
    observed = np.atleast_1d(np.asarray(accuracy, dtype=np.float64))
    drawn = int(ks.max()) if n_drawn is None else check_count(n_drawn, "n_drawn")
    if observed.shape != ks.shape:
        problem = (
            f"{observed.size} accuracies for {ks.size} numbers of classes: there must "
            "be one for each"
        )
        raise UsageError(problem, parameter="accuracy")
    if ks.min() < 2 or ks.max() > drawn:
        wrong = ks.min() if ks.min() < 2 else ks.max()
        problem = f"must lie between 2 and all {drawn} drawn; got {wrong}"
        if drawn < 2:
            problem = f"must be at least 2, to choose among; got {wrong}"
        raise UsageError(problem, parameter="n_classes")
    if isinstance(n_tests, Trials):
        return ks, observed, n_tests
    return ks, observed, Trials.of(drawn, n_tests)  # type: ignore[arg-type]


def _of_curve(
    curve: AccuracyCurve,
    sizes: int | Sequence[int] | None,
    n_tests: int | Sequence[int] | Trials | None,
    parameter: str,
) -> tuple[IntArray, FloatArray, Trials]:
    """Read accuracies off a curve; `parameter` is what the caller calls sizes."""
    if curve.top != 1 or curve.ties == "optimistic" or curve.average != "macro":
        problem = (
            "bounds are for one guess, ties not counted as won, and every class "
            "counting the same"
        )
        raise UsageError(problem, parameter="accuracy", remedy="make the curve so")
    if sizes is None:
        ks = _nearest(curve, default_sizes(curve.n_classes))
    else:
        ks = check_class_counts(sizes, parameter)
    where = {int(k): i for i, k in enumerate(curve.classes)}
    absent = [int(k) for k in ks if int(k) not in where or k < 2]
    if absent:
        problem = (
            f"there is no accuracy among {absent[0]} candidates to bound information "
            f"by: the curve goes from 2 to {curve.classes.max()}"
        )
        raise UsageError(problem, parameter=parameter)
    if n_tests is None:
        n_tests = _counts(curve)
    trials = n_tests
    if not isinstance(trials, Trials):
        trials = Trials.of(curve.n_classes, trials)
    return ks, curve.accuracy[[where[int(k)] for k in ks]], trials


def _nearest(curve: AccuracyCurve, wanted: IntArray) -> IntArray:
    """Return sizes the curve has: the nearest, chosen without regard to accuracy."""
    usable = curve.classes[curve.classes >= 2]
    return np.unique([usable[np.abs(usable - k).argmin()] for k in wanted])


def _counts(curve: AccuracyCurve) -> list[int]:
    if curve.counts.size == 0:
        problem = "is needed: this curve does not know the samples of its classes"
        raise UsageError(problem, parameter="n_tests")
    n_untested = int((curve.counts == 0).sum())
    if n_untested:
        raise UsageError(
            f"{n_untested:,} of {curve.n_classes:,} classes have no sample, and bounds "
            "are for classes that were tested",
            parameter="accuracy",
            remedy="leave the others out of the curve",
        )
    return [int(n) for n in curve.counts]
