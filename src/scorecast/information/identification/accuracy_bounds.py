"""What an observed accuracy proves: lower confidence bounds.

M classes are drawn at random and each is tested on independent cases, by a rule that
was fixed before. Two things are random: the test cases, given the classes, and the
classes themselves. The *generalisation accuracy* of these classes needs only the first;
since no rule beats Bayes', its bound is one for their Bayes accuracy as well. The
*average Bayes accuracy* over classes not yet drawn needs both.

An accuracy at k < M classes, averaged over all subsets of k, is bounded by the same
formulas with M in the place of k. Given the classes it is a mean over test cases of
numbers in [0, 1]; and the mean over subsets of their Bayes accuracies changes by no
more than (k/M)(1/k) = 1/M if one class is replaced.

Every bound here is a nondecreasing function of the one observed accuracy. For a true
value, the event that a bound exceeds it is therefore that the accuracy exceeds some
threshold; so the largest of several bounds exceeds the truth no more often than the
worst of them, and `sharpest` may take it without paying for the choice.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import betaincinv, xlogy

from scorecast._core.checks import check_choice, check_level
from scorecast.exceptions import UsageError
from scorecast.information.identification.trials import Trials

__all__ = [
    "AVERAGE_METHODS",
    "GENERALISATION_METHODS",
    "average_bayes_bound",
    "generalisation_bound",
]

GENERALISATION_METHODS = ("hoeffding", "chernoff", "binomial", "paper")
AVERAGE_METHODS = (
    "sharpest",
    "joint",
    "poisson",
    "mcdiarmid",
    "binomial",
    "cantelli",
    "paper",
)
_SPLITS = np.arange(1, 10) / 10  # of alpha between test cases and classes
_EXPONENTS = (1e-9, 5.0)  # of Markov's inequality: at 5 the penalty exceeds 1e60
_LARGEST_TAIL = 0.25  # of a binomial: beyond, unlike chances may have the heavier one
_TINY = 1e-150  # of the observed accuracy: nothing lower is told from zero


def generalisation_bound(
    accuracy: float,
    trials: Trials,
    *,
    level: float = 0.95,
    method: str = "hoeffding",
    n_classifiers: int = 1,
) -> float:
    """Bound the accuracy that a rule has on new cases of the same classes.

    It bounds the Bayes accuracy of these classes as well.

    Parameters
    ----------
    accuracy : float
        Observed share of right answers, every class counting the same. Of several
        rules, that of the best.
    trials : Trials
        Classes and test cases.
    level : float, default=0.95
        Confidence.
    method : {"hoeffding", "chernoff", "binomial", "paper"}, default="hoeffding"
        ``"chernoff"`` is sharper near 0 and 1; ``"binomial"`` (Clopper and Pearson)
        needs equal numbers of cases and whole answers; ``"paper"`` has the constant of
        a bound on both sides.
    n_classifiers : int, default=1
        Rules among which the best was chosen on these cases (Bonferroni).

    Returns
    -------
    float
        The bound, at least 0.

    Raises
    ------
    UsageError
        If the method does not hold for groups, or for averages over random splits.

    Examples
    --------
    >>> trials = Trials.of(50, 10)
    >>> round(generalisation_bound(0.8, trials), 6)
    0.745267
    """
    check_choice(method, "method", GENERALISATION_METHODS)
    alpha = _alpha(level, n_classifiers)
    _check_accuracy(accuracy)
    needs_cases = method in ("chernoff", "binomial")
    if needs_cases and not trials.is_independent:
        msg = f"{method!r} does not hold for groups of classes; use 'hoeffding'."
        raise UsageError(msg)
    if method == "binomial" and trials.n_splits > 1:
        msg = "'binomial' does not hold for averages over splits; use 'hoeffding'."
        raise UsageError(msg)
    return max(_given_classes(accuracy, trials, alpha, method), 0.0)


def average_bayes_bound(
    accuracy: float,
    trials: Trials,
    *,
    level: float = 0.95,
    method: str = "sharpest",
    n_classifiers: int = 1,
) -> float:
    """Bound the Bayes accuracy, averaged over classes drawn at random.

    Parameters
    ----------
    accuracy : float
        Observed accuracy at k classes: of all M, or the mean over all subsets of k < M.
        Every class counts the same.
    trials : Trials
        The M classes and their test cases.
    level : float, default=0.95
        Confidence.
    method : str, default="sharpest"
        ``"joint"`` adds the exponents of both sources of error; ``"poisson"`` does so
        with the self-bounding property of the Bayes accuracy and is sharper for small
        accuracies; ``"mcdiarmid"``, ``"binomial"``, ``"cantelli"`` and ``"paper"`` give
        half of the allowance to each source; ``"sharpest"`` takes the largest of those
        that hold.
    n_classifiers : int, default=1
        Rules among which the best was chosen on these cases (Bonferroni).

    Returns
    -------
    float
        The bound, at least 0.

    Raises
    ------
    UsageError
        If the method does not hold for an accuracy averaged over random splits.

    Examples
    --------
    >>> trials = Trials.of(50, 10)
    >>> round(average_bayes_bound(0.8, trials, method="mcdiarmid"), 6)
    0.547199
    >>> round(average_bayes_bound(0.8, trials), 6)
    0.61847
    """
    check_choice(method, "method", AVERAGE_METHODS)
    _check_accuracy(accuracy)
    _alpha(level, n_classifiers)
    if method not in _valid_methods(trials):
        why = _what_is_special(trials)
        msg = f"{method!r} does not hold for {why}; use 'sharpest'."
        raise UsageError(msg)
    alpha = 1 - level
    if method != "sharpest":
        return max(_average(accuracy, trials, alpha, method, n_classifiers), 0.0)
    names = [name for name in ("joint", "poisson") if name in _valid_methods(trials)]
    found = [_average(accuracy, trials, alpha, name, n_classifiers) for name in names]
    if "mcdiarmid" in _valid_methods(trials):
        found += _in_two_steps(accuracy, trials, alpha, n_classifiers)
    return max(0.0, *found)


def _valid_methods(trials: Trials) -> tuple[str, ...]:
    """Name the methods that hold.

    A mean over splits has no larger exponential moments than one split, by Jensen's
    inequality, so that what rests on those holds for it as well. Where classes came in
    groups, only the bound that adds up squared ranges is left.
    """
    if not trials.is_independent:
        return ("sharpest", "joint")
    # The self-bounding property needs independent draws; squared ranges do not.
    finite = trials.population is not None
    if trials.n_splits > 1:
        return ("sharpest", "joint") if finite else ("sharpest", "joint", "poisson")
    return tuple(m for m in AVERAGE_METHODS if not (finite and m == "poisson"))


def _what_is_special(trials: Trials) -> str:
    if not trials.is_independent:
        return "groups of classes"
    return "averages over splits" if trials.n_splits > 1 else "a finite population"


def _alpha(level: float, n_classifiers: int) -> float:
    if n_classifiers < 1 or int(n_classifiers) != n_classifiers:
        msg = f"`n_classifiers` must be a whole number from 1; got {n_classifiers!r}."
        raise UsageError(msg)
    return (1 - check_level(level)) / n_classifiers


def _check_accuracy(accuracy: float) -> None:
    if not 0 <= accuracy <= 1:
        msg = f"An accuracy must lie between 0 and 1; got {accuracy!r}."
        raise UsageError(msg)


def _given_classes(accuracy: float, trials: Trials, alpha: float, method: str) -> float:
    if method == "binomial":
        return _binomial(accuracy, trials, alpha)
    if method == "chernoff":
        return _chernoff(accuracy, trials.n_classes * trials.fewest, alpha)
    sides = 2 if method == "paper" else 1
    return accuracy - math.sqrt(math.log(sides / alpha) * trials.spread / 2)


def _average(
    accuracy: float, trials: Trials, alpha: float, method: str, n_rules: int
) -> float:
    if method == "joint":
        # Deviations of test cases given the classes, and of classes, are both
        # sub-Gaussian, one after the other: their variances add up.
        both = trials.spread + trials.class_spread
        return accuracy - math.sqrt(math.log(n_rules / alpha) * both / 2)
    if method == "poisson":
        return _poisson(accuracy, trials, alpha / n_rules)
    # The classes are the same for all rules: only the test cases are corrected for.
    half = alpha / 2
    if method == "binomial":
        within = _given_classes(accuracy, trials, half / n_rules, "binomial")
    else:
        rule = "paper" if method == "paper" else "hoeffding"
        within = _given_classes(accuracy, trials, half / n_rules, rule)
    return within - _between(trials.class_spread, half, method)


def _between(spread: float, alpha: float, method: str) -> float:
    """Return how far the Bayes accuracy of drawn classes may exceed its mean."""
    if method == "paper":
        return math.sqrt(spread / (4 * alpha))  # Chebyshev with variance 1/(4k)
    if method == "cantelli":
        return math.sqrt((1 - alpha) / alpha * spread / 4)
    return math.sqrt(math.log(1 / alpha) * spread / 2)


def _in_two_steps(
    accuracy: float, trials: Trials, alpha: float, n_rules: int
) -> list[float]:
    """Bound test cases, then classes, with several shares of alpha for each."""
    found = []
    cases = trials.n_classes * trials.fewest
    if trials.class_spread == 0:  # all classes there are: nothing to allow for
        return [_chernoff(accuracy, cases, alpha / n_rules)]
    for share in _SPLITS:
        within = _chernoff(accuracy, cases, share * alpha / n_rules)
        rest = (1 - share) * alpha
        found.append(within - _between(trials.class_spread, rest, "mcdiarmid"))
        if trials.population is None:
            found.append(_self_bounded(within, trials.n_classes, rest))
    return found


def _binomial(accuracy: float, trials: Trials, alpha: float) -> float:
    if alpha > _LARGEST_TAIL:
        msg = f"The binomial bound holds for levels from {1 - _LARGEST_TAIL:g} up."
        raise UsageError(msg)
    cases = trials.n_classes * trials.fewest
    right = round(accuracy * cases)
    if not trials.is_balanced or abs(accuracy * cases - right) > 1e-6:
        msg = (
            "The binomial bound needs as many test cases of every class, each right "
            "or wrong; use another method."
        )
        raise UsageError(msg)
    # Cases of different classes are right with different chances. By Hoeffding (1956)
    # the binomial tail is still the heavier one from one case above the mean on, which
    # tails of a quarter or less are; and a single right case is not.
    return float(betaincinv(right, cases - right + 1, alpha)) if right > 1 else 0.0


def _chernoff(accuracy: float, cases: int, alpha: float) -> float:
    """Solve cases * KL(accuracy, bound) = log(1/alpha) for the bound below."""
    allowed = math.log(1 / alpha) / cases

    def divergence(mean: float) -> float:
        return float(
            xlogy(accuracy, accuracy / mean)
            + xlogy(1 - accuracy, (1 - accuracy) / (1 - mean))
        )

    return _lowest(divergence, accuracy, allowed)


def _self_bounded(bayes: float, classes: int, alpha: float) -> float:
    """Bound the mean of a Bayes accuracy, which is self-bounding, by its exponent.

    M times the accuracy loses at most one if a class is removed, and the losses over
    all classes add up to no more than itself.
    """
    allowed = math.log(1 / alpha) / classes

    def exponent(mean: float) -> float:
        return float(xlogy(bayes, bayes / mean)) - bayes + mean

    return _lowest(exponent, bayes, allowed)


def _lowest(
    exponent: Callable[[float], float], observed: float, allowed: float
) -> float:
    """Find the lowest mean whose exponent is no more than is allowed."""
    from scipy.optimize import brentq

    if observed <= 0:
        return 0.0
    top = min(observed, 1 - 1e-15)
    low = top * _TINY
    if exponent(low) <= allowed:
        return 0.0
    if exponent(top) >= allowed:
        return top
    return float(brentq(lambda mean: exponent(mean) - allowed, low, top, rtol=1e-12))


def _poisson(accuracy: float, trials: Trials, alpha: float) -> float:
    """Bound test cases and classes at once by exponents of Poisson kind.

    With M classes of r cases, log E exp(t M accuracy) is at most M ABA (exp(s) - 1)
    where s = r (exp(t/r) - 1): cases given classes are dominated by Poisson counts, and
    the Bayes accuracy of the classes is self-bounding. Markov's inequality for the best
    t gives the bound.
    """
    from scipy.optimize import minimize_scalar

    allowed = math.log(1 / alpha) / trials.n_classes
    r = trials.fewest

    def negative(t: float) -> float:
        grown = r * math.expm1(t / r)
        return -(t * accuracy - allowed) / math.expm1(grown)

    found = minimize_scalar(
        negative, bounds=_EXPONENTS, method="bounded", options={"xatol": 1e-10}
    )
    return -float(found.fun)
