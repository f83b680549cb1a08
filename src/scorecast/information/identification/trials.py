"""How much was tested: the classes that were drawn, and the test cases of each."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from scorecast._core.types import IntArray
from scorecast.exceptions import InsufficientDataError, UsageError
from scorecast.information.identification.population import (
    check_population,
    spread_without_replacement,
)

__all__ = ["Trials"]


@dataclass(frozen=True, kw_only=True)
class Trials:
    """Classes drawn at random, and independent test cases of each.

    Attributes
    ----------
    n_classes : int
        Classes (distinct stimuli) M that were drawn.
    fewest : int
        Test cases of the class that has fewest.
    spread : float
        Sum over classes of one over their test cases, divided by M squared: one over
        the number of test cases where all classes have as many.
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
    def of(cls, n_classes: int, counts: int | Sequence[int] | IntArray) -> Self:
        """Count test cases.

        Parameters
        ----------
        n_classes : int
            Classes that were drawn.
        counts : int or sequence of int
            Test cases of every class: one number for all, or one for each.

        Returns
        -------
        Trials
            The counts.

        Raises
        ------
        UsageError
            If there is not one count per class.
        InsufficientDataError
            If a class has no test case: bounds hold for classes that were tested.
        """
        if n_classes < 2:
            msg = "One class only: with nothing to confuse it with there is no answer."
            raise InsufficientDataError(msg)
        each = np.asarray(counts)
        if isinstance(counts, numbers.Integral):
            each = np.full(n_classes, int(counts))
        if each.shape != (n_classes,) or each.dtype.kind not in "iu":
            msg = f"One count per class is needed: {n_classes}, got {each.size}."
            raise UsageError(msg)
        if each.min() < 1:
            msg = "Every class needs at least one test case for a bound on accuracy."
            raise InsufficientDataError(msg)
        spread = float((1 / each).sum()) / n_classes**2
        return cls(
            n_classes=n_classes,
            fewest=int(each.min()),
            spread=spread,
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
            The same with the spread of whole groups, for classes and for cases alike.
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
            msg = (
                "`population` (--population) is for stimuli drawn one by one; this "
                f"one is {why}."
            )
            raise UsageError(msg)
        spread = spread_without_replacement(self.n_classes, int(population))
        return replace(self, class_spread=spread, population=int(population))

    @property
    def is_independent(self) -> bool:
        """Whether classes were drawn one by one."""
        return bool(self.class_spread <= (1 + 1e-12) / self.n_classes)

    @property
    def is_balanced(self) -> bool:
        """Whether all classes have as many test cases."""
        even = 1 / (self.n_classes * self.fewest)
        return bool(np.isclose(self.spread, even, rtol=1e-12))
