"""How many test cases are enough, for an interval or for a comparison.

Cases in groups, and repeats of one item, say less than as many independent cases: n of
them are worth n over the design effect, and t with as many degrees of freedom as there
are groups, less one, takes the place of the normal.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import stdtrit

from scorecast._core.checks import check_choice, check_level
from scorecast._core.percent import percent
from scorecast._core.results import Result
from scorecast._core.types import Json
from scorecast.evaluation import PROPORTION_INTERVALS
from scorecast.exceptions import InsufficientDataError, UsageError
from scorecast.guarantees.comparison_power import DESIGNS, comparison_power

__all__ = ["INTERVALS", "RequiredTestSize", "interval_width", "required_test_size"]

INTERVALS = ("wilson", "clopper-pearson", "jeffreys", "uniform", "wald")
_MOST = 10**9  # nobody tests more cases
_CLUSTERED = "clustered-wilson-t"  # as `proportion_interval` calls it


def interval_width(n: int, share: float, level: float, method: str) -> float:
    """Return the width expected with n cases of which just the share is right."""
    chosen = PROPORTION_INTERVALS.choose(method, parameter="method")
    return chosen.expected_width(n, share, level)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RequiredTestSize(Result):
    """The smallest number of test cases that does.

    Attributes
    ----------
    n : int
        Test cases; of each model for an independent comparison.
    goal : str
        ``"width"`` or ``"power"``.
    method : str
        The interval (``"clustered-wilson-t"`` for groups and repeats), or the design
        of the comparison.
    accuracy : float
        Expected accuracy.
    width : float
        Width asked for; NaN for a comparison.
    versus : float
        Accuracy of the other model; NaN for an interval.
    disagreement : float
        Share of cases on which exactly one of two models is right; NaN otherwise.
    power : float
        Chance asked for that the difference is found; NaN for an interval.
    level : float
        Confidence, or one minus the level of the test.
    reached : float
        Width or power with that many cases.
    group_size : float or None
        Mean number of cases in a group; None where they are independent.
    size_spread : float
        Coefficient of variation of the sizes of groups.
    correlation : float or None
        Within groups: of right answers for an interval and for an independent
        comparison, of differences between both models for a paired one.
    repeats : int
        Answers to every case.
    repeat_correlation : float or None
        Between answers to one case, as above.
    """

    kind: ClassVar[str] = "required-test-size"

    n: int
    goal: str
    method: str
    accuracy: float
    width: float
    versus: float
    disagreement: float
    power: float
    level: float
    reached: float
    group_size: float | None = None
    size_spread: float = 0.0
    correlation: float | None = None
    repeats: int = 1
    repeat_correlation: float | None = None

    @property
    def is_clustered(self) -> bool:
        """Whether cases come in groups, or are answered repeatedly."""
        return self.group_size is not None or self.repeats > 1

    @property
    def n_groups(self) -> int | None:
        """Groups that so many cases make; None where they come in none."""
        if self.group_size is None:
            return None
        return _n_units(self.n, self.group_size)

    @property
    def design_effect(self) -> float:
        """How many answers say as much as one independent case."""
        return _design_effect(
            self.group_size or 1.0, self.size_spread, self.correlation or 0.0,
            self.repeats, self.repeat_correlation or 0.0,
        )  # fmt: skip

    def _cases_said(self) -> str:
        said = "1 test case" if self.n == 1 else f"{self.n:,} test cases"
        if self.n_groups is not None:
            said += f" in {self.n_groups:,} groups of {self.group_size:g}"
            said += " on average" if self.size_spread else ""
        if self.repeats > 1:
            said += f", each answered {self.repeats} times"
            said += "," if self.goal == "width" else ""
        return said

    def summary(self) -> str:
        """Say the answer in one sentence."""
        sure = f"{100 * self.level:g} %"
        if self.goal == "width":
            give = "gives" if self.n == 1 else "give"
            return (
                f"{self._cases_said()} {give} a {sure} interval ({self.method}) of "
                f"width {self.width:g} around an accuracy of {percent(self.accuracy)}."
            )
        both = "the same" if self.method == "paired" else "each model's own"
        return (
            f"{self._cases_said()}, {both}, tell {percent(self.accuracy)} from "
            f"{percent(self.versus)} with a chance of {percent(self.power)} at {sure} "
            "confidence."
        )

    def assumed(self) -> str:
        """Say what the number rests on, and how many cases it means in all."""
        if self.is_clustered:
            return self._clusters_assumed()
        if self.goal == "width":
            return "cases are independent, and the accuracy is as expected"
        if self.method == "independent":
            return (
                f"each model has {self.n:,} cases of its own, {2 * self.n:,} in all; a "
                "test of two shares by the normal approximation, which asks for fewer "
                "cases than an exact one"
            )
        return (
            f"both models have the same {self.n:,} cases; McNemar's exact test, which "
            f"asks for more than an approximation; {self._disagreement_assumed()}"
        )

    def _disagreement_assumed(self) -> str:
        """Say how often exactly one of two models is taken to be right."""
        usual = _disagreement(self.accuracy, self.versus, None)
        said = ", as if they were right independently of each other; models that agree "
        said += "more often need fewer"
        if {self.accuracy, self.versus} & {0.0, 1.0}:
            which = "right" if 1.0 in (self.accuracy, self.versus) else "wrong"
            said = f", neither more nor less, as one model is always {which}"
        return (
            f"exactly one model is right in {percent(self.disagreement)} of cases"
            f"{said if math.isclose(usual, self.disagreement) else ''}"
        )

    def _clusters_assumed(self) -> str:
        """Say what cases in groups, or repeats, rest on."""
        is_paired = self.goal == "power" and self.method == "paired"
        of = "differences between models" if is_paired else "right answers"
        said = []
        if self.group_size is not None:
            said.append(
                f"groups are independent, and {of} of one group correlate by "
                f"{self.correlation:g}"
            )
        if self.repeats > 1:
            said.append(
                f"{of} to one case correlate by {self.repeat_correlation:g} when it is "
                "repeated"
            )
        said.append(f"{self.design_effect:.3g} answers are worth one independent case")
        units = self.n_groups or self.n
        df = 2 * (units - 1) if self.method == "independent" else units - 1
        test = _CLUSTERED if self.goal == "width" else "the t-test"
        said.append(f"{test} has {df:,} degrees of freedom")
        if self.method == "independent":
            said.append(f"each model has {self.n:,} cases of its own")
        if is_paired:
            said.append(self._disagreement_assumed())
        return "; ".join(said)

    def reached_with(self, n: int) -> float:
        """Return the width, or the power, that another number of cases would reach."""
        if self.is_clustered:
            return _clustered_reach(
                _n_units(n, self.group_size or 1.0), goal=self.goal,
                method=self.method, accuracy=self.accuracy, versus=self.versus,
                disagreement=self.disagreement, level=self.level,
                answers=(self.group_size or 1.0) * self.repeats,
                effect=self.design_effect,
            )  # fmt: skip
        if self.goal == "width":
            return interval_width(n, self.accuracy, self.level, self.method)
        return comparison_power(
            n, self.accuracy, self.versus, design=self.method, alpha=1 - self.level,
            disagreement=self.disagreement,
        )  # fmt: skip

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row."""
        inputs, options, result = self._parts()
        return {
            name: [value] for name, value in {**inputs, **options, **result}.items()
        }

    def _parts(self) -> tuple[Json, Json, Json]:
        names = (
            "width", "versus", "disagreement", "power", "level", "goal", "method",
            "group_size", "size_spread", "correlation", "repeats",
            "repeat_correlation",
        )  # fmt: skip
        options = {name: getattr(self, name) for name in names}
        result: Json = {"n": self.n, "reached": self.reached}
        if self.is_clustered:
            result |= {
                "n_groups": self.n_groups,
                "n_answers": self.n * self.repeats,
                "design_effect": self.design_effect,
            }
        return {"accuracy": self.accuracy}, options, result

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        given: Json = {**inputs, **options, **result}
        for name in ("n_groups", "n_answers", "design_effect"):  # follow from others
            given.pop(name, None)
        may_lack = ("group_size", "correlation", "repeat_correlation")
        if (given.get("group_size") or given.get("repeats", 1) > 1) and (
            given["goal"] == "width"
        ):
            given["method"] = _CLUSTERED  # files of early versions name the plain one
        known: Json = {
            k: np.nan if v is None and k not in may_lack else v
            for k, v in given.items()
        }
        return cls(**known)


def required_test_size(
    accuracy: float,
    *,
    width: float | None = None,
    versus: float | None = None,
    power: float = 0.8,
    disagreement: float | None = None,
    method: str | None = None,
    level: float = 0.95,
    group_size: float | None = None,
    correlation: float | None = None,
    size_spread: float = 0.0,
    repeats: int = 1,
    repeat_correlation: float | None = None,
) -> RequiredTestSize:
    """Find how many test cases an interval or a comparison needs.

    Parameters
    ----------
    accuracy : float
        Accuracy that is expected.
    width : float, optional
        Width of the confidence interval that is wanted.
    versus : float, optional
        Accuracy of another model, from which it is to be told. Give this or `width`.
    power : float, default=0.8
        Chance that the difference is found, if it is there.
    disagreement : float, optional
        Share of cases on which exactly one of the models is right. By default as if
        they were right independently of each other; models that learn from the same
        data agree more often, so this is on the safe side.
    method : str, optional
        For a width ``"wilson"`` (default), ``"clopper-pearson"``, ``"jeffreys"``,
        ``"uniform"`` or ``"wald"``, and for groups and repeats Wilson's with t,
        ``"clustered-wilson-t"``, alone; for a comparison ``"paired"`` (default,
        McNemar's exact test on the same cases) or ``"independent"`` (two proportions).
    level : float, default=0.95
        Confidence; the test is two-sided at one minus this.
    group_size : float, optional
        Mean number of cases that belong together, such as questions about one text.
    correlation : float, optional
        Correlation within groups (intraclass): of right answers for a `width` and an
        independent comparison, of the differences between both models for a paired
        one. Goes with `group_size`.
    size_spread : float, default=0.0
        Coefficient of variation of the sizes of groups: standard deviation over mean.
    repeats : int, default=1
        Answers to every case, such as epochs.
    repeat_correlation : float, optional
        Correlation between answers to one case, as above; at least `correlation`. Goes
        with `repeats`.

    Returns
    -------
    RequiredTestSize
        The smallest number from which on the goal is met; whole groups of them.

    Raises
    ------
    UsageError
        If an argument makes no sense, or neither or both goals are given.

    Examples
    --------
    >>> print(required_test_size(0.9, width=0.1).summary())
    141 test cases give a 95 % interval (wilson) of width 0.1 around an accuracy
    of 90 %.
    >>> required_test_size(0.9, width=0.1, method="wald").n
    139

    Ten questions about each text, whose answers correlate by 0.2:

    >>> found = required_test_size(0.9, width=0.1, group_size=10, correlation=0.2)
    >>> found.n, found.n_groups
    (420, 42)
    """
    check_level(level)
    _check_share(accuracy, "accuracy", inclusive=True)
    if (width is None) == (versus is None):
        msg = "Give either `width`, for an interval, or `versus`, for a comparison."
        raise UsageError(msg)
    clusters = _clusters(
        group_size, correlation, size_spread, repeats, repeat_correlation
    )
    if width is not None:
        if clusters:
            return _in_clusters(
                clusters, goal="width", method=method or "wilson", accuracy=accuracy,
                width=width, level=level,
            )  # fmt: skip
        return _for_width(accuracy, width, method or "wilson", level)
    if versus is None:  # for the type checker; excluded above
        raise AssertionError
    _check_share(versus, "versus", inclusive=True)
    _check_share(power, "power", inclusive=False)
    design = check_choice(method or "paired", "method", DESIGNS)
    differ = _disagreement(accuracy, versus, disagreement)
    if clusters:
        return _in_clusters(
            clusters, goal="power", method=design, accuracy=accuracy, versus=versus,
            disagreement=differ, power=power, level=level,
        )  # fmt: skip
    return _for_power(accuracy, versus, power, differ, design, level)


def _for_width(
    accuracy: float, width: float, method: str, level: float
) -> RequiredTestSize:
    check_choice(method, "method", INTERVALS)
    _check_share(width, "width", inclusive=False)
    if method == "wald" and accuracy in (0, 1):
        msg = "Wald's interval has no width at 0 or 1; use 'wilson'."
        raise UsageError(msg)

    def wide(n: int) -> float:
        return interval_width(n, accuracy, level, method)

    n = _smallest(lambda n: wide(n) <= width)
    return RequiredTestSize(
        n=n, goal="width", method=method, accuracy=accuracy, width=width,
        versus=np.nan, disagreement=np.nan, power=np.nan, level=level, reached=wide(n),
    )  # fmt: skip


def _for_power(
    accuracy: float,
    versus: float,
    power: float,
    differ: float,
    design: str,
    level: float,
) -> RequiredTestSize:
    def strong(n: int) -> float:
        return comparison_power(
            n, accuracy, versus, design=design, alpha=1 - level, disagreement=differ
        )

    n = _from_here_on(_smallest(lambda n: strong(n) >= power), strong, power)
    return RequiredTestSize(
        n=n, goal="power", method=design, accuracy=accuracy, width=np.nan,
        versus=versus, disagreement=differ, power=power, level=level, reached=strong(n),
    )  # fmt: skip


def _clusters(
    group_size: float | None,
    correlation: float | None,
    size_spread: float,
    repeats: int,
    repeat_correlation: float | None,
) -> Json:
    """Check what is said of groups and repeats; empty where cases are independent."""
    if (group_size is None) != (correlation is None):
        msg = "`group_size` and `correlation` go together: give both, or none."
        raise UsageError(msg)
    whole = isinstance(repeats, numbers.Integral) and not isinstance(repeats, bool)
    if not whole or repeats < 1:
        msg = f"`repeats` must be a whole number from 1; got {repeats!r}."
        raise UsageError(msg)
    if (repeats > 1) != (repeat_correlation is not None):
        msg = (
            "`repeats` (from 2) and `repeat_correlation` go together: give both, or "
            "none."
        )
        raise UsageError(msg)
    if group_size is None and size_spread:
        msg = "`size_spread` is of groups: give `group_size`, too."
        raise UsageError(msg)
    if group_size is None and repeats == 1:
        return {}
    if group_size is not None:
        _check_from(group_size, "group_size", 1)
        _check_share(correlation, "correlation", inclusive=True)
        _check_from(size_spread, "size_spread", 0)
    if repeats > 1:
        _check_share(repeat_correlation, "repeat_correlation", inclusive=True)
        if (repeat_correlation or 0.0) < (correlation or 0.0):
            msg = (
                "Answers to one case are at least as alike as those to other cases of "
                "its group: `repeat_correlation` must be `correlation` or more."
            )
            raise UsageError(msg)
    return {
        "group_size": None if group_size is None else float(group_size),
        "correlation": correlation,
        "size_spread": float(size_spread),
        "repeats": int(repeats),
        "repeat_correlation": repeat_correlation,
    }


def _check_from(value: object, name: str, least: float) -> None:
    known = isinstance(value, numbers.Real) and math.isfinite(value)
    if known and float(value) >= least:  # type: ignore[arg-type]
        return
    msg = f"`{name}` must be a number from {least:g}; got {value!r}."
    raise UsageError(msg)


def _n_units(n: int, group_size: float) -> int:
    """Return the groups that so many cases make, two at least."""
    return max(2, round(n / group_size))


def _design_effect(
    group_size: float,
    size_spread: float,
    correlation: float,
    repeats: int,
    repeat_correlation: float,
) -> float:
    """Return how many answers are worth one: 1 + (r - 1) s + r (m (1 + v^2) - 1) c."""
    others = group_size * (1 + size_spread**2) - 1  # cases beside one, mean over cases
    return (
        1 + (repeats - 1) * repeat_correlation + repeats * max(others, 0) * correlation
    )


def _in_clusters(
    clusters: Json, *, goal: str, method: str, level: float, **asked: float
) -> RequiredTestSize:
    """Find the smallest number of groups, or of items that are repeated."""
    if goal == "width":
        _check_share(asked["width"], "width", inclusive=False)
        if check_choice(method, "method", (*INTERVALS, _CLUSTERED)) not in (
            "wilson",
            _CLUSTERED,
        ):
            msg = "Cases in groups, and repeats, have Wilson's interval; use 'wilson'."
            raise UsageError(msg)
        method = _CLUSTERED
    effect = _design_effect(
        clusters["group_size"] or 1.0, clusters["size_spread"],
        clusters["correlation"] or 0.0, clusters["repeats"],
        clusters["repeat_correlation"] or 0.0,
    )  # fmt: skip
    size = clusters["group_size"] or 1.0

    def reach(units: int) -> float:
        return _clustered_reach(
            max(units, 2), goal=goal, method=method, accuracy=asked["accuracy"],
            versus=asked.get("versus", np.nan),
            disagreement=asked.get("disagreement", np.nan), level=level,
            answers=size * clusters["repeats"], effect=effect,
        )  # fmt: skip

    if goal == "width":
        units = max(_smallest(lambda c: reach(c) <= asked["width"]), 2)
    else:
        units = max(_smallest(lambda c: reach(c) >= asked["power"]), 2)
    return RequiredTestSize(
        n=math.ceil(units * size - 1e-9),
        goal=goal,
        method=method,
        accuracy=asked["accuracy"],
        width=asked.get("width", np.nan),
        versus=asked.get("versus", np.nan),
        disagreement=asked.get("disagreement", np.nan),
        power=asked.get("power", np.nan),
        level=level,
        reached=reach(units),
        **clusters,
    )


def _clustered_reach(
    units: int,
    *,
    goal: str,
    method: str,
    accuracy: float,
    versus: float,
    disagreement: float,
    level: float,
    answers: float,
    effect: float,
) -> float:
    """Return the width, or the power, of so many independent units."""
    worth = units * answers / effect
    if goal == "width":
        t = float(stdtrit(units - 1, 0.5 + level / 2))
        inside = accuracy * (1 - accuracy) / worth + t * t / (4 * worth * worth)
        return 2 * t / (1 + t * t / worth) * math.sqrt(inside)
    gap = abs(accuracy - versus)
    spread = disagreement - gap**2
    df = units - 1
    if method == "independent":
        spread = accuracy * (1 - accuracy) + versus * (1 - versus)
        df = 2 * (units - 1)
    if spread <= 0:
        return 1.0
    from scipy.stats import nct  # slow to load, and not always needed

    edge = float(stdtrit(df, 0.5 + level / 2))
    shift = gap / math.sqrt(spread / worth)
    return float(nct.sf(edge, df, shift) + nct.cdf(-edge, df, shift))


def _smallest(does: Callable[[int], bool]) -> int:
    """Find the smallest number that does, by doubling and halving."""
    high = 1
    while not does(high):
        high *= 2
        if high > _MOST:
            msg = "More than a thousand million test cases would be needed."
            raise InsufficientDataError(msg)
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if does(middle) else (middle, high)
    return high


def _from_here_on(n: int, strong: Callable[[int], float], power: float) -> int:
    """Walk on while a few cases more would have less power again.

    The power of an exact test goes up in saw teeth, since counts are whole.
    """
    reach = max(4, n // 8)
    ahead = range(n, n + reach)
    weak = [m for m in ahead if strong(m) < power]
    return max(weak) + 1 if weak else n


def _disagreement(accuracy: float, versus: float, given: float | None) -> float:
    gap = abs(accuracy - versus)
    if gap == 0:
        msg = "`accuracy` and `versus` are the same; no number of cases tells them."
        raise UsageError(msg)
    most = min(accuracy + versus, 2 - accuracy - versus)
    if given is None:
        return accuracy * (1 - versus) + versus * (1 - accuracy)
    # .9 less .85 is a little more than .05 in binary.
    near = 1e-12
    if not isinstance(given, numbers.Real) or not gap - near <= given <= most + near:
        msg = (
            f"`disagreement` must lie between {gap:.4g}, the difference, and "
            f"{most:.4g}; got {given!r}."
        )
        raise UsageError(msg)
    return min(max(float(given), gap), most)


def _check_share(value: Any, name: str, *, inclusive: bool) -> None:
    real = isinstance(value, numbers.Real)
    if real and (0 < value < 1 or (inclusive and value in (0, 1))):
        return
    where = "between 0 and 1" if inclusive else "strictly between 0 and 1"
    msg = f"`{name}` must lie {where}; got {value!r}."
    raise UsageError(msg)
