"""How many rules a model could have learned: counts of trees and of decision lists.

A count from above is enough for a bound: every rule of the kind is counted once at
least. Features that are 0 or 1 have a finite number of rules; of numbers those are
counted that differ on twice the samples, which is what Vapnik's bound needs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import scipy  # its parts load when first used

from scorecast._core.near_names import near_name
from scorecast._core.registry import Method, Registry
from scorecast.exceptions import UsageError

_MOST_PARTS = 10**6


@dataclass(frozen=True, kw_only=True)
class HypothesisClass(Method):
    """Rules of one kind, which can be counted.

    Attributes
    ----------
    part : str
        What its size counts, in the plural.
    log_count : callable
        From the size, the number of questions and that of classes to the logarithm of
        the number of rules, at least.
    n_questions : callable
        From the ways to divide all features to the questions that a part can ask.
    """

    part: str
    log_count: Callable[[int, int, int], float]
    n_questions: Callable[[int], int]


HYPOTHESES: Registry[HypothesisClass] = Registry()


def log_trees(n_leaves: int, n_questions: int, n_classes: int) -> float:
    """Return the logarithm of the number of binary trees of so many leaves.

    Shapes (a Catalan number), a question in every inner node, and a class in every
    leaf. Trees of fewer leaves are among them: both sides of a question may agree.

    Parameters
    ----------
    n_leaves : int
        Leaves.
    n_questions : int
        Questions that may be asked, each with two answers.
    n_classes : int
        Classes.

    Returns
    -------
    float
        Natural logarithm.

    Examples
    --------
    >>> round(math.exp(log_trees(3, 2, 2)))  # 2 shapes, 2 x 2 questions, 2^3 answers
    64
    """
    inner = n_leaves - 1
    gammaln = scipy.special.gammaln
    shapes = gammaln(2 * inner + 1) - gammaln(inner + 1) - gammaln(inner + 2)
    questions = inner * math.log(n_questions) if inner else 0.0
    return float(shapes) + questions + n_leaves * math.log(n_classes)


def log_decision_lists(length: int, n_questions: int, n_classes: int) -> float:
    """Return the logarithm of the number of decision lists of so many rules.

    Each rule asks a question and says a class if the answer is yes; who comes to the
    end gets a class as well. Shorter lists are among them: a rule may be repeated.

    Parameters
    ----------
    length : int
        Rules before the last word.
    n_questions : int
        Questions that may be asked.
    n_classes : int
        Classes.

    Returns
    -------
    float
        Natural logarithm.

    Examples
    --------
    >>> round(math.exp(log_decision_lists(1, 4, 2)))
    16
    """
    rules = length * math.log(n_questions * n_classes)
    return rules + math.log(n_classes)


HYPOTHESES.add(
    HypothesisClass(
        name="tree",
        title="decision trees",
        summary="binary trees of so many leaves, one feature in each question",
        part="leaves",
        log_count=log_trees,
        # Which side says yes makes another shape.
        n_questions=lambda ways: ways,
    )
)
HYPOTHESES.add(
    HypothesisClass(
        name="decision-list",
        title="decision lists",
        summary="so many rules one after another, one feature in each, and a last word",
        part="rules",
        log_count=log_decision_lists,
        n_questions=lambda ways: 2 * ways,  # either answer may be the yes
    )
)


@dataclass(frozen=True, kw_only=True)
class Hypotheses:
    """A kind of rules and their size.

    Attributes
    ----------
    name : str
        The kind, of `HYPOTHESES`.
    size : int
        Leaves of a tree, rules of a list.
    """

    name: str
    size: int

    def __str__(self) -> str:
        return f"{self.name}:{self.size}"

    def log_count(self, n_ways: int, n_classes: int) -> float:
        """Return the logarithm of the number of rules.

        Parameters
        ----------
        n_ways : int
            Ways to divide samples by one feature, over all features.
        n_classes : int
            Classes.

        Returns
        -------
        float
            Natural logarithm.
        """
        kind = HYPOTHESES[self.name]
        return kind.log_count(self.size, kind.n_questions(n_ways), n_classes)


def check_hypotheses(value: Any) -> Hypotheses | None:
    """Read a kind of rules and their size, such as ``"tree:8"``; None is none."""
    if value is None or isinstance(value, Hypotheses):
        return value
    name, sign, size = str(value).partition(":")
    if name not in HYPOTHESES or not sign or not size.isascii() or not size.isdigit():
        kinds = " or ".join(f"{x.name}:{x.part.upper()}" for x in HYPOTHESES.values())
        near = near_name(name, tuple(HYPOTHESES))
        remedy = f"try '{near}:8'" if near else None
        problem = f"must read {kinds}, such as tree:8; got {value!r}"
        raise UsageError(problem, parameter="hypotheses", remedy=remedy)
    if not 1 <= int(size) <= _MOST_PARTS:
        problem = f"must have from 1 to {_MOST_PARTS:,} {HYPOTHESES[name].part}"
        raise UsageError(f"{problem}; got {value!r}", parameter="hypotheses")
    return Hypotheses(name=name, size=int(size))


def occam_upper(training_error: float, log_count: float, n: int, delta: float) -> float:
    r"""Bound the true error by training error and the number of rules.

    For every one of so many rules at once the share of wrong samples is not as far
    below the true error as

    .. math:: n \, \mathrm{kl}(\hat\epsilon, \epsilon) = \log |H| + \log(1 / \delta)

    allows (Chernoff's bound and a union). Without an error it is
    :math:`1 - (\delta / |H|)^{1/n}`.

    Parameters
    ----------
    training_error : float
        Share of training samples that are wrong.
    log_count : float
        Natural logarithm of the number of rules.
    n : int
        Training samples.
    delta : float
        Chance that the bound fails, at most.

    Returns
    -------
    float
        At most 1, which says nothing.

    Examples
    --------
    >>> round(occam_upper(0.0, math.log(64), 60, 0.1), 4)
    0.1021
    """
    allowed = (log_count - math.log(delta)) / n
    if training_error <= 0:
        return -math.expm1(-allowed)

    def beyond(error: float) -> float:
        q = training_error
        gap = q * math.log(q / error)
        if q < 1:
            gap += (1 - q) * (math.log1p(-q) - math.log1p(-error))
        return gap - allowed

    high = 1 - 1e-12
    if training_error >= high or beyond(high) <= 0:
        return 1.0
    return float(scipy.optimize.brentq(beyond, training_error, high, xtol=1e-12))


def growth_upper(
    training_error: float, log_growth: float, n: int, delta: float
) -> float:
    """Bound the true error by the rules that differ on twice the samples (Vapnik 1998).

    Parameters
    ----------
    training_error : float
        Share of training samples that are wrong.
    log_growth : float
        Logarithm of the number of ways in which they label twice the samples.
    n : int
        Training samples.
    delta : float
        Chance that the bound fails, at most.

    Returns
    -------
    float
        At most 1, which says nothing.
    """
    inside = log_growth - math.log(delta / 4)
    return min(training_error + math.sqrt(inside / n), 1.0)
