"""How many test cases are enough, for an interval or for a comparison."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from scorecast._core.checks import check_choice, check_level
from scorecast._core.percent import percent
from scorecast._core.results import Result
from scorecast._core.types import Json
from scorecast.exceptions import InsufficientDataError, UsageError
from scorecast.guarantees.comparison_power import DESIGNS, comparison_power
from scorecast.guarantees.proportion_width import INTERVALS, interval_width

__all__ = ["RequiredTestSize", "required_test_size"]

_MOST = 10**9  # nobody tests more cases


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
        The interval, or the design of the comparison.
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

    def summary(self) -> str:
        """Say the answer in one sentence."""
        sure = f"{100 * self.level:g} %"
        if self.goal == "width":
            cases = (
                "1 test case gives" if self.n == 1 else f"{self.n:,} test cases give"
            )
            return (
                f"{cases} a {sure} interval ({self.method}) of "
                f"width {self.width:g} around an accuracy of {percent(self.accuracy)}."
            )
        both = "the same" if self.method == "paired" else "each model's own"
        return (
            f"{self.n:,} test cases, {both}, tell {percent(self.accuracy)} from "
            f"{percent(self.versus)} with a chance of {percent(self.power)} at {sure} "
            "confidence."
        )

    def assumed(self) -> str:
        """Say what the number rests on, and how many cases it means in all."""
        if self.goal == "width":
            return "cases are independent, and the accuracy is as expected"
        if self.method == "independent":
            return (
                f"each model has {self.n:,} cases of its own, {2 * self.n:,} in all; a "
                "test of two shares by the normal approximation, which asks for fewer "
                "cases than an exact one"
            )
        usual = _disagreement(self.accuracy, self.versus, None)
        said = ", as if they were right independently of each other; models that agree "
        said += "more often need fewer"
        if {self.accuracy, self.versus} & {0.0, 1.0}:
            which = "right" if 1.0 in (self.accuracy, self.versus) else "wrong"
            said = f", neither more nor less, as one model is always {which}"
        return (
            f"both models have the same {self.n:,} cases; McNemar's exact test, which "
            "asks for more than an approximation; exactly one model is right in "
            f"{percent(self.disagreement)} of cases"
            f"{said if math.isclose(usual, self.disagreement) else ''}"
        )

    def reached_with(self, n: int) -> float:
        """Return the width, or the power, that another number of cases would reach."""
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
        names = ("width", "versus", "disagreement", "power", "level", "goal", "method")
        options = {name: getattr(self, name) for name in names}
        return (
            {"accuracy": self.accuracy},
            options,
            {
                "n": self.n,
                "reached": self.reached,
            },
        )

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        given: Json = {**inputs, **options, **result}
        known: Json = {k: np.nan if v is None else v for k, v in given.items()}
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
        ``"uniform"`` or ``"wald"``; for a comparison ``"paired"`` (default, McNemar's
        exact test on the same cases) or ``"independent"`` (two proportions).
    level : float, default=0.95
        Confidence; the test is two-sided at one minus this.

    Returns
    -------
    RequiredTestSize
        The smallest number from which on the goal is met.

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
    """
    check_level(level)
    _check_share(accuracy, "accuracy", inclusive=True)
    if (width is None) == (versus is None):
        msg = "Give either `width`, for an interval, or `versus`, for a comparison."
        raise UsageError(msg)
    if width is not None:
        return _for_width(accuracy, width, method or "wilson", level)
    if versus is None:  # for the type checker; excluded above
        raise AssertionError
    _check_share(versus, "versus", inclusive=True)
    _check_share(power, "power", inclusive=False)
    design = check_choice(method or "paired", "method", DESIGNS)
    differ = _disagreement(accuracy, versus, disagreement)
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


def _check_share(value: float, name: str, *, inclusive: bool) -> None:
    real = isinstance(value, numbers.Real)
    if real and (0 < value < 1 or (inclusive and value in (0, 1))):
        return
    where = "between 0 and 1" if inclusive else "strictly between 0 and 1"
    msg = f"`{name}` must lie {where}; got {value!r}."
    raise UsageError(msg)
