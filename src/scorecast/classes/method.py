"""What every extrapolation method has in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from scorecast.classes.distributions import FavourabilityDistribution
from scorecast.classes.evidence import Evidence, RankEvidence

__all__ = ["Fit", "Method", "RankMethod"]


@dataclass(frozen=True, kw_only=True)
class Fit:
    """A method fitted to evidence.

    Attributes
    ----------
    distribution : FavourabilityDistribution
        Answers for any number of classes.
    tuned : Method
        The method with what it chose for itself (such as a bandwidth) held fixed.
    details : dict
        What it chose and why.
    """

    distribution: FavourabilityDistribution
    tuned: Method
    details: dict[str, Any] = field(default_factory=dict)


class Method(ABC):
    """A way to extrapolate accuracy to more classes."""

    name: ClassVar[str]

    @abstractmethod
    def fit(self, evidence: Evidence, rng: np.random.Generator) -> Fit:
        """Learn the distribution of favourability.

        Parameters
        ----------
        evidence : Evidence
            The observed classes.
        rng : numpy.random.Generator
            For methods that subsample classes.

        Returns
        -------
        Fit
            The fitted method.
        """

    def fit_left_out(
        self, evidence: Evidence, fit: Fit
    ) -> list[FavourabilityDistribution]:
        """Refit with each group of classes left out, choices held fixed.

        Nobody asks a method whose fits know their own spread.

        Parameters
        ----------
        evidence : Evidence
            The observed classes.
        fit : Fit
            What `fit` returned for them.

        Returns
        -------
        list of FavourabilityDistribution
            One per group.
        """
        msg = f"{self.name} knows its own spread"
        raise NotImplementedError(msg)


class RankMethod(Method):
    """A method that sees nothing but ranks, and so any monotone map of the scores."""

    @abstractmethod
    def fit_ranks(
        self, ranks: RankEvidence, start: FavourabilityDistribution | None = None
    ) -> FavourabilityDistribution:
        """Learn from the histogram of beating competitors.

        Parameters
        ----------
        ranks : RankEvidence
            The histogram.
        start : FavourabilityDistribution, optional
            A fit to nearly the same data, to begin from.

        Returns
        -------
        FavourabilityDistribution
            The fit.
        """

    def fit(
        self,
        evidence: Evidence,
        rng: np.random.Generator,  # noqa: ARG002 - nothing to choose at random
    ) -> Fit:
        """Learn the distribution of favourability from ranks."""
        return Fit(distribution=self.fit_ranks(evidence.ranks), tuned=self)

    def fit_left_out(
        self,
        evidence: Evidence,
        fit: Fit,
    ) -> list[FavourabilityDistribution]:
        """Refit with each group of classes left out."""
        return [
            self.fit_ranks(ranks, fit.distribution) for ranks in evidence.ranks_left_out
        ]
