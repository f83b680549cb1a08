"""How many test samples are enough, for an interval or for a comparison.

Samples in groups, and repeats of one sample, say less than as many independent ones:
n of them are worth n over the design effect, and t with as many degrees of freedom as
there are groups, less one, takes the place of the normal.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, ClassVar

import numpy as np
import scipy  # its parts load when first used

from scorecast._core.checks import check_count, check_share
from scorecast._core.registry import Method, Registry
from scorecast._core.result import INPUT, OPTION, SHARE, Result
from scorecast.evaluation.intervals.proportions import (
    CLUSTERED_WILSON,
    PROPORTION_INTERVALS,
    clustered_width,
)
from scorecast.exceptions import InsufficientDataError, UsageError

_MOST = 10**9  # nobody tests more samples
_NEGLIGIBLE = 1e-12  # chance of numbers of disagreements that are not looked at
_ROUNDING = 1e-9  # a group and a bit of rounding is one group


# Designs ---------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class PowerDesign(Method):
    """A way to test two models, and the chance that it tells them apart.

    Attributes
    ----------
    power : callable
        From samples, both accuracies, disagreement and the level of the test to the
        chance of a significant difference, whichever its sign.
    variance : callable
        From both accuracies and disagreement to the variance that one sample adds to
        the difference.
    n_test_sets : int
        One for both models, or one for each.
    """

    power: Callable[[int, float, float, float, float], float]
    variance: Callable[[float, float, float], float]
    n_test_sets: int

    def clustered_power(
        self,
        n_groups: int,
        n_effective: float,
        accuracies: tuple[float, float],
        disagreement: float,
        alpha: float,
    ) -> float:
        """Return the power of the t-test of groups.

        Parameters
        ----------
        n_groups : int
            Groups that are independent.
        n_effective : float
            Independent samples that they are worth.
        accuracies : tuple of float
            Of both models.
        disagreement : float
            Share of samples on which exactly one of them is right.
        alpha : float
            Level of the test.

        Returns
        -------
        float
            Chance of a significant difference, whichever its sign.
        """
        variance = self.variance(*accuracies, disagreement)
        if variance <= 0:
            return 1.0
        df = self.n_test_sets * (n_groups - 1)
        edge = float(scipy.special.stdtrit(df, 1 - alpha / 2))
        shift = abs(accuracies[0] - accuracies[1]) / math.sqrt(variance / n_effective)
        t = scipy.stats.nct  # slow to load, and not always needed
        return float(t.sf(edge, df, shift) + t.cdf(-edge, df, shift))


POWER_DESIGNS: Registry[PowerDesign] = Registry()


def _mcnemar(
    n: int, first: float, second: float, disagreement: float, alpha: float
) -> float:
    """Sum over the number of disagreements, of which a sign test is made."""
    binom = scipy.stats.binom  # slow to load, and not always needed
    ends = binom.ppf([_NEGLIGIBLE, 1 - _NEGLIGIBLE], n, disagreement)
    counts = np.arange(int(ends[0]), int(ends[1]) + 1)
    # The largest count in a tail of at most alpha/2; -1 where there is none.
    edge = binom.ppf(alpha / 2, counts, 0.5)
    edge = np.where(binom.cdf(edge, counts, 0.5) > alpha / 2, edge - 1, edge)
    share = (1 + (first - second) / disagreement) / 2
    found = binom.cdf(edge, counts, share) + binom.sf(counts - edge - 1, counts, share)
    return float(np.sum(binom.pmf(counts, n, disagreement) * found))


POWER_DESIGNS.add(
    PowerDesign(
        name="paired",
        title="McNemar's exact test",
        summary="both models on the same samples; asks for more than an approximation",
        reference="S. W. Duffy (1984). Asymptotic and exact power for the McNemar test "
        "and its analogue with R controls per case. Biometrics 40.",
        power=_mcnemar,
        variance=lambda first, second, differ: differ - (first - second) ** 2,
        n_test_sets=1,
    )
)


def _two_proportions(
    n: int, first: float, second: float, disagreement: float, alpha: float
) -> float:
    """Take the normal approximation, with the pooled variance under no difference."""
    del disagreement  # of samples that both models share
    mean = (first + second) / 2
    pooled = math.sqrt(2 * mean * (1 - mean) / n)
    spread = math.sqrt((first * (1 - first) + second * (1 - second)) / n)
    z = -float(scipy.special.ndtri(alpha / 2))
    gap = abs(first - second)
    if spread == 0:
        return float(gap > z * pooled)
    high = scipy.special.ndtr((gap - z * pooled) / spread)
    return float(high + scipy.special.ndtr((-gap - z * pooled) / spread))


POWER_DESIGNS.add(
    PowerDesign(
        name="independent",
        title="a test of two shares by the normal approximation",
        summary="each model on samples of its own; asks for fewer than an exact test",
        reference="J. L. Fleiss (1981). Statistical Methods for Rates and Proportions, "
        "2nd edition. Wiley.",
        power=_two_proportions,
        variance=lambda first, second, _: first * (1 - first) + second * (1 - second),
        n_test_sets=2,
    )
)


# The answer ------------------------------------------------------------------------


class Goal(StrEnum):
    """What a number of test samples is to reach."""

    WIDTH = "width"
    POWER = "power"


@dataclass(frozen=True, kw_only=True, repr=False)
class RequiredTestSize(Result):
    """The smallest number of test samples that does.

    Attributes
    ----------
    accuracy : float
        Expected accuracy.
    goal : Goal
        The width of an interval, or the power of a comparison.
    width : float or None
        Width asked for; None for a comparison.
    interval : str or None
        The interval, of `PROPORTION_INTERVALS`, or ``"clustered-wilson-t"`` for groups
        and repeats; None for a comparison.
    versus : float or None
        Accuracy of the other model; None for an interval.
    design : str or None
        The design of the comparison, of `POWER_DESIGNS`; None for an interval.
    disagreement : float or None
        Share of samples on which exactly one of two models is right; None where they
        are not tested on the same ones.
    power : float or None
        Chance asked for that the difference is found; None for an interval.
    confidence_level : float
        Level of the interval, or one minus that of the test.
    group_size : float or None
        Mean number of samples in a group; None where they are independent.
    size_spread : float
        Coefficient of variation of the sizes of groups.
    correlation : float or None
        Within groups: of right answers for an interval and for an independent
        comparison, of differences between both models for a paired one.
    n_repeats : int
        Answers to every sample.
    repeat_correlation : float or None
        Between answers to one sample, as above.
    n_samples : int
        Test samples; of each model for an independent comparison.
    n_groups : int or None
        Groups that they make; None where they come in none.
    n_answers : int
        Answers to all of them.
    design_effect : float
        How many answers say as much as one independent sample.
    reached : float
        Width or power with that many.
    """

    kind: ClassVar[str] = "required-test-size"

    accuracy: float = field(metadata=INPUT | SHARE)
    goal: Goal = field(metadata=OPTION)
    width: float | None = field(metadata=OPTION)
    interval: str | None = field(metadata=OPTION)
    versus: float | None = field(metadata=OPTION | SHARE)
    design: str | None = field(metadata=OPTION)
    disagreement: float | None = field(metadata=OPTION | SHARE)
    power: float | None = field(metadata=OPTION | SHARE)
    confidence_level: float = field(metadata=OPTION | SHARE)
    group_size: float | None = field(metadata=OPTION)
    size_spread: float = field(metadata=OPTION)
    correlation: float | None = field(metadata=OPTION)
    n_repeats: int = field(metadata=OPTION)
    repeat_correlation: float | None = field(metadata=OPTION)
    n_samples: int
    n_groups: int | None
    n_answers: int
    design_effect: float
    reached: float

    @property
    def is_clustered(self) -> bool:
        """Whether samples come in groups, or are answered repeatedly."""
        return self.group_size is not None or self.n_repeats > 1

    @property
    def degrees_of_freedom(self) -> int | None:
        """Of t, which groups and repeats take; None for independent samples."""
        if not self.is_clustered:
            return None
        per_unit = 1 if self.design is None else POWER_DESIGNS[self.design].n_test_sets
        return per_unit * (_n_units(self.n_samples, self.group_size) - 1)

    def groups_of(self, n_samples: int) -> int | None:
        """Return the whole groups that so many samples make, two at least."""
        if self.group_size is None:
            return None
        return _n_units(n_samples, self.group_size)

    def reached_with(self, n_samples: int) -> float:
        """Return the width, or the power, that another number of samples would reach.

        Parameters
        ----------
        n_samples : int
            Test samples; of each model for an independent comparison.

        Returns
        -------
        float
            Width or power.

        Examples
        --------
        >>> found = required_test_size(0.9, width=0.1)
        >>> [round(found.reached_with(n), 3) for n in (75, 100)]
        [0.138, 0.119]
        """
        if not self.is_clustered:
            return self._reached_alone(n_samples)
        n_units = _n_units(n_samples, self.group_size)
        answers = n_units * (self.group_size or 1.0) * self.n_repeats
        worth = answers / self.design_effect
        level = self.confidence_level
        if self.design is None:
            return clustered_width(self.accuracy, worth, n_units, level)
        both = (self.accuracy, self.versus or 0.0)
        return POWER_DESIGNS[self.design].clustered_power(
            n_units, worth, both, self.disagreement or 0.0, 1 - level
        )

    def _reached_alone(self, n_samples: int) -> float:
        """Return what independent samples reach."""
        level = self.confidence_level
        if self.interval is not None:
            method = PROPORTION_INTERVALS[self.interval]
            return method.expected_width(n_samples, self.accuracy, level)
        return POWER_DESIGNS[self.design or "paired"].power(
            n_samples,
            self.accuracy,
            self.versus or 0.0,
            self.disagreement or 0.0,
            1 - level,
        )


# The question ----------------------------------------------------------------------


def required_test_size(
    accuracy: float,
    *,
    width: float | None = None,
    versus: float | None = None,
    interval: str = "wilson",
    design: str = "paired",
    power: float = 0.8,
    disagreement: float | None = None,
    confidence_level: float = 0.95,
    group_size: float | None = None,
    correlation: float | None = None,
    size_spread: float = 0.0,
    n_repeats: int = 1,
    repeat_correlation: float | None = None,
) -> RequiredTestSize:
    r"""Find how many test samples an interval or a comparison needs.

    Samples in groups of :math:`m` on average (sizes of coefficient of variation
    :math:`v`), each answered :math:`r` times, are worth as many independent ones as
    there are answers over the design effect

    .. math:: 1 + (r - 1) s + r (m (1 + v^2) - 1) c,

    with correlation :math:`c` between samples of a group and :math:`s` between answers
    to one sample.

    Parameters
    ----------
    accuracy : float
        Accuracy that is expected.
    width : float, optional
        Width of the confidence interval that is wanted.
    versus : float, optional
        Accuracy of another model, from which it is to be told. Give this or `width`.
    interval : str, default="wilson"
        For a width: of `PROPORTION_INTERVALS`. Groups and repeats have Wilson's with t
        alone, ``"clustered-wilson-t"``.
    design : {"paired", "independent"}, default="paired"
        For a comparison: both models on the same samples (McNemar's exact test), or
        each on its own (two proportions).
    power : float, default=0.8
        Chance that the difference is found, if it is there.
    disagreement : float, optional
        Share of samples on which exactly one of the models is right. By default as if
        they were right independently of each other; models that learn from the same
        data agree more often, so this is on the safe side.
    confidence_level : float, default=0.95
        Level of the interval; the test is two-sided at one minus this.
    group_size : float, optional
        Mean number of samples that belong together, such as questions about one text.
    correlation : float, optional
        Correlation within groups (intraclass): of right answers for a `width` and an
        independent comparison, of the differences between both models for a paired
        one. Goes with `group_size`.
    size_spread : float, default=0.0
        Coefficient of variation of the sizes of groups: standard deviation over mean.
    n_repeats : int, default=1
        Answers to every sample, such as epochs.
    repeat_correlation : float, optional
        Correlation between answers to one sample, as above; at least `correlation`.
        Goes with `n_repeats`.

    Returns
    -------
    RequiredTestSize
        The smallest number from which on the goal is met; whole groups of them.

    Raises
    ------
    UsageError
        If an argument makes no sense, or neither or both goals are given.
    InsufficientDataError
        If more than a thousand million samples would be needed.

    References
    ----------
    C. Beleites, U. Neugebauer, T. Bocklitz, C. Krafft and J. Popp (2013). Sample size
    planning for classification models. Analytica Chimica Acta 760.

    S. M. Eldridge, D. Ashby and S. Kerry (2006). Sample size for cluster randomized
    trials: effect of coefficient of variation of cluster size and analysis method.
    International Journal of Epidemiology 35.

    Examples
    --------
    >>> print(required_test_size(0.9, width=0.1).summary())
    141 test samples give a 95 % interval (wilson) of width 0.1 around an accuracy
    of 90 %.
    >>> required_test_size(0.9, width=0.1, interval="wald").n_samples
    139

    Ten questions about each text, whose answers correlate by 0.2:

    >>> found = required_test_size(0.9, width=0.1, group_size=10, correlation=0.2)
    >>> found.n_samples, found.n_groups
    (420, 42)
    """
    accuracy = check_share(accuracy, "accuracy")
    clusters = _check_clusters(
        group_size, correlation, size_spread, n_repeats, repeat_correlation
    )
    is_clustered = clusters["design_effect"] is not None
    if width is not None and versus is None:
        if disagreement is not None:
            problem = "has no say where the width of an interval is asked for"
            raise UsageError(problem, parameter="disagreement")
        asked = _check_interval(accuracy, width, interval, is_clustered)
    elif versus is not None and width is None:
        asked = _check_comparison(accuracy, versus, design, disagreement)
        asked["power"] = check_share(power, "power", is_open=True)
    else:
        raise UsageError(
            "give either this, for an interval, or versus, the accuracy of another "
            f"model, for a comparison; got {'neither' if width is None else 'both'}",
            parameter="width",
        )
    draft = RequiredTestSize(
        accuracy=accuracy,
        confidence_level=check_share(
            confidence_level, "confidence_level", is_open=True
        ),
        n_samples=0,
        n_groups=None,
        n_answers=0,
        reached=math.nan,
        **{**clusters, "design_effect": clusters["design_effect"] or 1.0},
        **asked,
    )
    n_samples = _smallest_size(draft)
    return replace(
        draft,
        n_samples=n_samples,
        n_groups=draft.groups_of(n_samples),
        n_answers=n_samples * draft.n_repeats,
        reached=draft.reached_with(n_samples),
    )


def _check_interval(
    accuracy: float, width: float, interval: str, is_clustered: bool
) -> dict[str, Any]:
    """Return the fields of the goal of an interval."""
    width = check_share(width, "width", is_open=True)
    if is_clustered and interval == CLUSTERED_WILSON.name:
        interval = "wilson"
    chosen = PROPORTION_INTERVALS.choose(interval, parameter="interval").name
    if is_clustered and chosen != "wilson":
        problem = f"groups and repeats have {CLUSTERED_WILSON.name} alone"
        raise UsageError(f"{problem}; got {chosen!r}", parameter="interval")
    if chosen == "wald" and accuracy in (0, 1):
        raise UsageError(
            "Wald's has no width where the accuracy is 0 or 1",
            parameter="interval",
            remedy="try 'wilson'",
        )
    return {
        "goal": Goal.WIDTH,
        "width": width,
        "interval": CLUSTERED_WILSON.name if is_clustered else chosen,
        "versus": None,
        "design": None,
        "disagreement": None,
        "power": None,
    }


def _check_comparison(
    accuracy: float, versus: float, design: str, disagreement: float | None
) -> dict[str, Any]:
    """Return the fields of the goal of a comparison, but for its power."""
    versus = check_share(versus, "versus")
    chosen = POWER_DESIGNS.choose(design, parameter="design")
    if accuracy == versus:
        problem = "is the accuracy expected: no number of samples tells the two apart"
        raise UsageError(problem, parameter="versus")
    differ: float | None = None
    if chosen.n_test_sets == 1:
        differ = _check_disagreement(accuracy, versus, disagreement)
    elif disagreement is not None:
        problem = "has no say where each model has samples of its own"
        raise UsageError(problem, parameter="disagreement")
    return {
        "goal": Goal.POWER,
        "width": None,
        "interval": None,
        "versus": versus,
        "design": chosen.name,
        "disagreement": differ,
    }


def _check_disagreement(accuracy: float, versus: float, given: float | None) -> float:
    """Return how often exactly one model is right, which the accuracies bound."""
    if given is None:
        return accuracy * (1 - versus) + versus * (1 - accuracy)
    gap = abs(accuracy - versus)
    most = min(accuracy + versus, 2 - accuracy - versus)
    # .9 less .85 is a little more than .05 in binary.
    near = 1e-12
    if not isinstance(given, numbers.Real) or not gap - near <= given <= most + near:
        raise UsageError(
            f"must lie between {gap:.4g}, the difference of both accuracies, and "
            f"{most:.4g}; got {given!r}",
            parameter="disagreement",
        )
    return min(max(float(given), gap), most)


def _check_clusters(
    group_size: float | None,
    correlation: float | None,
    size_spread: float,
    n_repeats: int,
    repeat_correlation: float | None,
) -> dict[str, Any]:
    """Return the fields of groups and repeats; no design effect where there are none.

    It is 1 + (r - 1) s + r (m (1 + v^2) - 1) c.
    """
    n_repeats = check_count(n_repeats, "n_repeats")
    if (group_size is None) != (correlation is None):
        raise UsageError(
            "the size of groups and the correlation within them go together: give "
            "both, or none",
            parameter="correlation" if group_size is None else "group_size",
        )
    if (n_repeats > 1) != (repeat_correlation is not None):
        raise UsageError(
            "repeats (from 2) and the correlation between them go together: give both, "
            "or none",
            parameter="n_repeats" if n_repeats > 1 else "repeat_correlation",
        )
    size_spread = _check_from(size_spread, "size_spread", 0)
    if group_size is None and size_spread:
        problem = "is of groups, whose mean size is not given"
        raise UsageError(problem, parameter="size_spread")
    if group_size is not None:
        group_size = _check_from(group_size, "group_size", 1)
        correlation = check_share(correlation, "correlation")
    if repeat_correlation is not None:
        repeat_correlation = check_share(repeat_correlation, "repeat_correlation")
        if repeat_correlation < (correlation or 0.0):
            raise UsageError(
                "answers to one sample are at least as alike as those to others of its "
                f"group: must be {correlation:g} or more; got {repeat_correlation:g}",
                parameter="repeat_correlation",
            )
    effect = None
    if group_size is not None or n_repeats > 1:
        # Samples beside one in its group, on average over samples.
        others = max((group_size or 1.0) * (1 + size_spread**2) - 1, 0.0)
        within = n_repeats * others * (correlation or 0.0)
        effect = 1 + (n_repeats - 1) * (repeat_correlation or 0.0) + within
    return {
        "group_size": group_size,
        "size_spread": size_spread,
        "correlation": correlation,
        "n_repeats": n_repeats,
        "repeat_correlation": repeat_correlation,
        "design_effect": effect,
    }


def _check_from(value: Any, parameter: str, least: float) -> float:
    """Return a number from `least`."""
    is_number = isinstance(value, numbers.Real) and math.isfinite(value)
    if is_number and value >= least:
        return float(value)
    problem = f"must be a number from {least:g}; got {value!r}"
    raise UsageError(problem, parameter=parameter)


# Searching -------------------------------------------------------------------------


def _n_units(n_samples: int, group_size: float | None) -> int:
    """Return the whole groups that so many samples make, two at least."""
    return max(2, math.floor((n_samples + _ROUNDING) / (group_size or 1.0)))


def _smallest_size(draft: RequiredTestSize) -> int:
    """Return the smallest number of samples that reaches what is asked for."""

    def does(n_samples: int) -> bool:
        found = draft.reached_with(n_samples)
        if draft.goal is Goal.WIDTH:
            return found <= (draft.width or 0.0)
        return found >= (draft.power or 0.0)

    if draft.is_clustered:
        size = draft.group_size or 1.0

        def samples(n_units: int) -> int:
            return math.ceil(n_units * size - _ROUNDING)

        return samples(max(_smallest(lambda units: does(samples(units))), 2))
    n_samples = _smallest(does)
    if draft.goal is Goal.WIDTH:
        return n_samples
    # The power of an exact test goes up in saw teeth, since counts are whole: walk on
    # while a few samples more would have less of it again.
    ahead = range(n_samples, n_samples + max(4, n_samples // 8))
    weak = [n for n in ahead if not does(n)]
    return max(weak) + 1 if weak else n_samples


def _smallest(does: Callable[[int], bool]) -> int:
    """Find the smallest number that does, by doubling and halving."""
    high = 1
    while not does(high):
        high *= 2
        if high > _MOST:
            problem = "more than a thousand million test samples would be needed"
            raise InsufficientDataError(problem)
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if does(middle) else (middle, high)
    return high
