"""How many samples to learn from: the expected error of simple rules, and its excess.

Two normal classes that are equally frequent, of common covariance, a Mahalanobis
distance apart. The error that a rule is expected to have after n samples is computed
from the distribution of what it learns (Raudys and Jain 1991 review the normal
approximations, which are kept beside it); of features chosen by their p-values in the
way of Dobbin and Simon (2007), who take features for independent and the threshold for
known.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

import numpy as np
import scipy  # its parts load when first used

from scorecast._core.checks import check_count, check_positive, check_share
from scorecast._core.registry import Method, Registry
from scorecast._core.result import INPUT, OPTION, SHARE, Result
from scorecast._core.types import FloatArray
from scorecast.exceptions import InsufficientDataError, UsageError

_MOST = 10**7  # samples, beyond which nobody collects
_MOST_FEATURES = 10**6
_POINTS = 12  # two to that power: points of a quadrature of up to four dimensions
_MORE_POINTS = 13  # the same of a quadratic rule
_EXACT = 10  # factors of a determinant that are drawn one by one
_TINY = 1e-12
_LEVELS = (1e-9, 0.5)  # of selection, to choose from
_RAUDYS = (
    "S. J. Raudys and A. K. Jain (1991). Small sample size effects in statistical "
    "pattern recognition: recommendations for practitioners. IEEE Transactions on "
    "Pattern Analysis and Machine Intelligence 13."
)
_DOBBIN = (
    "K. K. Dobbin and R. M. Simon (2007). Sample size planning for developing "
    "classifiers using high-dimensional DNA microarray data. Biostatistics 8."
)


@dataclass(frozen=True, kw_only=True)
class ExpectedError:
    """What a rule is expected to err after so many samples.

    Attributes
    ----------
    value : float
        Expected error on new samples.
    bayes_error : float
        That of the best rule.
    asymptotic : float
        By the normal approximation of Raudys, or the formula of Dobbin and Simon at the
        same level; NaN where there is none.
    alpha, power : float
        Level at which features are selected, and the chance that one that tells is; NaN
        where none are selected.
    """

    value: float
    bayes_error: float
    asymptotic: float = math.nan
    alpha: float = math.nan
    power: float = math.nan

    @property
    def excess(self) -> float:
        """By how much it is above that of the best rule."""
        return self.value - self.bayes_error


@dataclass(frozen=True, kw_only=True)
class _Task:
    """What is learned from: samples of each class, features, and how far apart."""

    n_each: int
    n_features: int
    distance: float
    n_informative: int

    @property
    def bayes_error(self) -> float:
        return float(scipy.special.ndtr(-self.distance / 2))


@dataclass(frozen=True, kw_only=True)
class LearningRule(Method):
    """A rule of which the expected error is known.

    Attributes
    ----------
    expected : callable
        From samples of each class, features, distance and features that tell to the
        expected error.
    least : callable
        From features to the least number of samples of each class.
    selects : bool
        Whether it selects features, so that it matters how many tell.
    """

    expected: Callable[[_Task], ExpectedError]
    least: Callable[[int], int]
    selects: bool = False


LEARNING_RULES: Registry[LearningRule] = Registry()


# Rules that draw a line ------------------------------------------------------------


@lru_cache(maxsize=8)
def _points(n_dimensions: int, log_number: int) -> FloatArray:
    """Return evenly scattered points of a cube, the same every time."""
    sobol = scipy.stats.qmc.Sobol(n_dimensions, rng=np.random.default_rng(0))
    points: FloatArray = np.clip(sobol.random_base2(log_number), _TINY, 1 - _TINY)
    return points


def _line_error(task: _Task, freedom: int | None) -> float:
    """Integrate the error over the direction that a line is learned to have.

    The difference of class means is normal around the true one; the inverse of a
    Wishart matrix turns it by an angle whose sine squared follows a beta distribution,
    to any side alike. The middle of both means is independent of all that and adds to
    the spread of a new sample.
    """
    n, m, half = task.n_each, task.n_features, task.distance / 2
    u = _points(4, _POINTS)
    along = task.distance + math.sqrt(2 / n) * scipy.special.ndtri(u[:, 0])
    if m == 1:
        cosine = np.sign(along)
        turned = [cosine]
    else:
        across = (2 / n) * 2 * scipy.special.gammaincinv((m - 1) / 2, u[:, 1])
        length = np.sqrt(along**2 + across)
        cosine, sine = along / length, np.sqrt(across) / length
        turned = [cosine]
        if freedom is not None:
            squared = scipy.special.betaincinv(
                (m - 1) / 2, (freedom - m + 2) / 2, u[:, 2]
            )
            aside = np.ones(len(u))
            if m > 2:
                aside = scipy.special.betaincinv(0.5, (m - 2) / 2, u[:, 3])
            off = np.sqrt(squared * aside) * sine
            turned = [np.sqrt(1 - squared) * cosine + sign * off for sign in (1, -1)]
    spread = math.sqrt(1 + 1 / (2 * n))
    return float(np.mean([scipy.special.ndtr(-half * c / spread) for c in turned]))


def _approximate(task: _Task, freedom: int | None) -> float:
    """Return the normal approximation: both what is estimated and how flatten it."""
    n, m = task.n_each, task.n_features
    means = 1 + 2 * m / (task.distance**2 * n)
    covariance = 1.0
    if freedom is not None:
        if 2 * n <= m:
            return math.nan
        covariance = 1 + m / (2 * n - m)
    scale = math.sqrt(means * covariance)
    return float(scipy.special.ndtr(-task.distance / 2 / scale))


def _centroid(task: _Task) -> ExpectedError:
    return ExpectedError(
        value=_line_error(task, None),
        bayes_error=task.bayes_error,
        asymptotic=_approximate(task, None),
    )


def _linear(task: _Task) -> ExpectedError:
    freedom = 2 * task.n_each - 2
    return ExpectedError(
        value=_line_error(task, freedom),
        bayes_error=task.bayes_error,
        asymptotic=_approximate(task, freedom),
    )


LEARNING_RULES.add(
    LearningRule(
        name="centroid",
        title="the nearest centroid",
        summary="the class whose mean is nearest; features are independent, of one "
        "spread",
        reference=_RAUDYS,
        expected=_centroid,
        least=lambda _: 1,
    )
)
LEARNING_RULES.add(
    LearningRule(
        name="linear",
        title="the linear discriminant",
        summary="Fisher's, with the covariance of both classes together",
        reference=_RAUDYS,
        expected=_linear,
        least=lambda m: m // 2 + 2,  # of fewer the covariance has no inverse
    )
)


# Rules with a covariance for each class --------------------------------------------


def _quadratic(task: _Task) -> ExpectedError:
    """Average over what the distances of a new sample from both classes depend on.

    Given the sample, a squared distance by an estimated covariance is a noncentral over
    a central chi-square, and the determinant is that central one times others that are
    independent. The last step, over the distance from the other class, is exact.
    """
    n, m, freedom = task.n_each, task.n_features, task.n_each - 1
    rng = np.random.default_rng(0)
    u = _points(4, _MORE_POINTS)
    n_points = len(u)
    z = scipy.special.ndtri(u[:, 0])
    rest = 2 * scipy.special.gammaincinv((m - 1) / 2, u[:, 1]) if m > 1 else 0.0
    own, other = z**2 + rest, (z + task.distance) ** 2 + rest
    least = freedom - m + 1
    central = 2 * scipy.special.gammaincinv(least / 2, u[:, 2:].T)
    logs = np.log(central[1]) - np.log(central[0])
    # Of the other factors of both determinants the difference counts: symmetric, and
    # normal where a factor has many degrees of freedom or there are many of them.
    others = np.arange(least + 1, freedom + 1)
    for degrees in others[:_EXACT]:
        pair = rng.chisquare(degrees, (2, n_points))
        logs += np.log(pair[1]) - np.log(pair[0])
    variance = 2 * float(scipy.special.polygamma(1, others[_EXACT:] / 2).sum())
    logs += math.sqrt(variance) * rng.standard_normal(n_points)
    near = rng.noncentral_chisquare(m, n * own) / n * freedom / central[0]
    edge = (near - logs) * n * central[1] / freedom
    wrong = scipy.special.chndtr(np.maximum(edge, 0), m, n * other)
    return ExpectedError(value=float(np.mean(wrong)), bayes_error=task.bayes_error)


LEARNING_RULES.add(
    LearningRule(
        name="quadratic",
        title="the quadratic discriminant",
        summary="a covariance for each class, though both are the same",
        reference=_RAUDYS,
        expected=_quadratic,
        least=lambda m: m + 2,
    )
)


# Features chosen by their p-values ---------------------------------------------------


def _of_selected(
    task: _Task, accuracy_of: Callable[[_Task, float, float], float]
) -> ExpectedError:
    """Choose the level of selection with which the rule is best."""
    bounds = tuple(math.log(level) for level in _LEVELS)
    found = scipy.optimize.minimize_scalar(
        lambda log: -accuracy_of(task, math.exp(log), _power(task, math.exp(log))),
        bounds=bounds,
        method="bounded",
        options={"xatol": 1e-4},
    )
    alpha = math.exp(float(found.x))
    power = _power(task, alpha)
    return ExpectedError(
        value=1 - accuracy_of(task, alpha, power),
        bayes_error=task.bayes_error,
        asymptotic=1 - _accuracy_of_means(task, alpha, power),
        alpha=alpha,
        power=power,
    )


def _power(task: _Task, alpha: float) -> float:
    """Return the chance that the t-test selects a feature that tells."""
    df = 2 * task.n_each - 2
    edge = float(scipy.special.stdtrit(df, 1 - alpha / 2))
    shift = _each(task) * math.sqrt(task.n_each / 2)
    power = float(1 - scipy.special.nctdtr(df, shift, edge))
    return min(max(power, alpha / 2), 1.0) if math.isfinite(power) else 1.0


def _each(task: _Task) -> float:
    """Return how far the classes are apart in a feature that tells."""
    return task.distance / math.sqrt(task.n_informative)


def _accuracy_of_means(task: _Task, alpha: float, power: float) -> float:
    """Return the accuracy with the mean numbers of right and wrong features."""
    right = task.n_informative * power
    wrong = (task.n_features - task.n_informative) * alpha
    return float(scipy.special.ndtr(_each(task) / 2 * right / math.sqrt(right + wrong)))


def _accuracy_of_counts(task: _Task, alpha: float, power: float) -> float:
    """Average the accuracy over the numbers of right and wrong features."""
    binom = scipy.stats.binom  # slow to load, and not always needed
    counts, chances = [], []
    for n, p in (
        (task.n_informative, power),
        (task.n_features - task.n_informative, alpha),
    ):
        ends = binom.ppf([1e-9, 1 - 1e-9], n, p)
        count = np.unique(np.linspace(max(ends[0], 0), ends[1], 400).round())
        edges = np.concatenate([[-1], (count[1:] + count[:-1]) // 2, [n]])
        counts.append(count)
        chances.append(np.diff(binom.cdf(edges, n, p)))
    right, wrong = counts[0][:, None], counts[1][None, :]
    pull = right / np.sqrt(np.maximum(right + wrong, 1))
    accuracy = scipy.special.ndtr(_each(task) / 2 * pull)
    return float(chances[0] @ accuracy @ chances[1])


LEARNING_RULES.add(
    LearningRule(
        name="selected",
        title="a sum of features chosen by their p-values",
        summary="features that differ significantly between the classes, at the best "
        "level, all with the same weight; averaged over how many are chosen",
        reference=_DOBBIN,
        expected=lambda task: _of_selected(task, _accuracy_of_counts),
        least=lambda _: 2,
        selects=True,
    )
)
LEARNING_RULES.add(
    LearningRule(
        name="dobbin-simon",
        title="a sum of features chosen by their p-values, by the formula",
        summary="the same by the published formula, which takes the mean numbers of "
        "chosen features for the numbers: too hopeful where few features tell",
        reference=_DOBBIN,
        expected=lambda task: _of_selected(task, _accuracy_of_means),
        least=lambda _: 2,
        selects=True,
    )
)


# The questions ------------------------------------------------------------------------


def expected_error(
    rule: str,
    n_samples: int,
    n_features: int,
    *,
    distance: float,
    n_informative: int = 1,
) -> ExpectedError:
    r"""Compute what a rule is expected to err after so many samples.

    Of two normal classes, equally frequent, with a common covariance and a Mahalanobis
    distance :math:`\delta`; no rule errs less than :math:`\Phi(-\delta / 2)`. Of N
    samples of each class and m features the normal approximation of Raudys is, for the
    linear rule,

    .. math:: \Phi\left(-\frac{\delta}{2 \sqrt{(1 + 2 m / \delta^2 N)
              (1 + m / (2 N - m))}}\right)

    and without the second factor for the nearest centroid. The value itself needs no
    such approximation.

    Parameters
    ----------
    rule : str
        One of `LEARNING_RULES`.
    n_samples : int
        Samples to learn from, half of them of each class.
    n_features : int
        Features.
    distance : float
        Mahalanobis distance of the classes, over all features.
    n_informative : int, default=1
        Of the rule that selects features, how many tell, all alike; one is the hardest
        case.

    Returns
    -------
    ExpectedError
        The error, and that of the best rule.

    Raises
    ------
    UsageError
        If an argument cannot be.
    InsufficientDataError
        If the rule cannot be learned from so few samples.

    Examples
    --------
    >>> found = expected_error("linear", 100, 20, distance=2)
    >>> [round(x, 3) for x in (found.bayes_error, found.value, found.asymptotic)]
    [0.159, 0.207, 0.207]
    """
    chosen = LEARNING_RULES.choose(rule, parameter="rule")
    n = check_count(n_samples, "n_samples", least=2, most=2 * _MOST)
    task = _checked(chosen, n // 2, n_features, distance, n_informative)
    least = chosen.least(task.n_features)
    if task.n_each < least:
        raise InsufficientDataError(
            f"{chosen.title} of {task.n_features:,} features cannot be learned from "
            f"{n:,} samples",
            parameter="n_samples",
            remedy=f"give {2 * least:,} at least",
        )
    return chosen.expected(task)


def _checked(
    rule: LearningRule, n: int, n_features: int, distance: float, n_informative: int
) -> _Task:
    """Check what is learned."""
    m = check_count(n_features, "n_features", most=_MOST_FEATURES)
    told = check_count(n_informative, "n_informative", most=_MOST_FEATURES)
    if told > m:
        problem = f"there are {m} features; got {told}"
        raise UsageError(problem, parameter="n_informative")
    if told > 1 and not rule.selects:
        problem = f"has no say in {rule.title}, which takes all features"
        raise UsageError(problem, parameter="n_informative", remedy="leave it out")
    far = check_positive(distance, "distance")
    return _Task(n_each=n, n_features=m, distance=far, n_informative=told)


@dataclass(frozen=True, kw_only=True, repr=False)
class RequiredTrainingSize(Result):
    """The smallest number of samples to learn from that does.

    Attributes
    ----------
    rule : str
        What is learned, of `LEARNING_RULES`.
    distance : float
        Mahalanobis distance of the classes.
    n_features, n_informative : int
        Features, and how many of them tell where some are selected.
    max_excess : float
        By how much the expected error may exceed that of the best rule.
    n_samples : int
        Samples to learn from, half of them of each class.
    bayes_error : float
        Error of the best rule.
    error : float
        Error to expect.
    asymptotic : float
        The same by the published formula; NaN where there is none.
    alpha, power : float
        Level of selection, and the chance that a feature that tells is selected; NaN
        where none are.
    """

    kind: ClassVar[str] = "required-training-size"

    rule: str = field(metadata=INPUT)
    distance: float = field(metadata=OPTION)
    n_features: int = field(metadata=OPTION)
    n_informative: int = field(metadata=OPTION)
    max_excess: float = field(metadata=OPTION | SHARE)
    n_samples: int
    bayes_error: float
    error: float
    asymptotic: float
    alpha: float
    power: float

    @property
    def least(self) -> int:
        """The fewest samples that the rule can be learned from."""
        return 2 * LEARNING_RULES[self.rule].least(self.n_features)

    def error_with(self, n_samples: int) -> float:
        """Return the error to expect with another number of samples.

        Parameters
        ----------
        n_samples : int
            Samples to learn from.

        Returns
        -------
        float
            Expected error.
        """
        return expected_error(
            self.rule,
            n_samples,
            self.n_features,
            distance=self.distance,
            n_informative=self.n_informative,
        ).value


def required_training_size(
    rule: str,
    *,
    distance: float,
    n_features: int,
    max_excess: float = 0.05,
    n_informative: int = 1,
) -> RequiredTrainingSize:
    """Find how many samples a rule must learn from to be nearly the best.

    Parameters
    ----------
    rule : str
        One of `LEARNING_RULES`.
    distance : float
        Mahalanobis distance of the classes, over all features.
    n_features : int
        Features.
    max_excess : float, default=0.05
        By how much the expected error may exceed that of the best rule.
    n_informative : int, default=1
        Of the rule that selects features, how many tell.

    Returns
    -------
    RequiredTrainingSize
        The smallest number, and what is reached with it.

    Raises
    ------
    UsageError
        If an argument cannot be.
    InsufficientDataError
        If twenty million samples are not enough.

    References
    ----------
    K. K. Dobbin and R. M. Simon (2007). Sample size planning for developing classifiers
    using high-dimensional DNA microarray data. Biostatistics 8.

    Examples
    --------
    >>> required_training_size("linear", distance=2, n_features=50).n_samples
    242
    """
    chosen = LEARNING_RULES.choose(rule, parameter="rule")
    excess = check_share(max_excess, "max_excess", is_open=True)
    task = _checked(chosen, 0, n_features, distance, n_informative)

    def reached(n_each: int) -> ExpectedError:
        return expected_error(
            chosen.name,
            2 * n_each,
            task.n_features,
            distance=task.distance,
            n_informative=task.n_informative,
        )

    low = chosen.least(task.n_features) - 1
    high = low + 1
    while reached(high).excess > excess:
        low, high = high, 2 * high
        if high > _MOST:
            problem = f"{2 * _MOST:,} samples are not enough"
            remedy = "allow for a larger excess"
            raise InsufficientDataError(problem, parameter="max_excess", remedy=remedy)
    while high - low > 1:
        middle = (low + high) // 2
        if reached(middle).excess > excess:
            low = middle
        else:
            high = middle
    found = reached(high)
    return RequiredTrainingSize(
        rule=chosen.name,
        distance=task.distance,
        n_features=task.n_features,
        n_informative=task.n_informative,
        max_excess=excess,
        n_samples=2 * high,
        bayes_error=found.bayes_error,
        error=found.value,
        asymptotic=found.asymptotic,
        alpha=found.alpha,
        power=found.power,
    )
