"""Methods asked for accuracy within several guesses."""

from __future__ import annotations

import numbers
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from scorecast.classes.distributions import FavourabilityDistribution
from scorecast.classes.evidence import Evidence
from scorecast.classes.method import Fit, Method
from scorecast.classes.pooling import PooledFavourability
from scorecast.classes.top_favourability import (
    EquivalentGuesses,
    PooledGuesses,
    TopFavourability,
    TopPosterior,
    within_guesses,
)
from scorecast.exceptions import UsageError

__all__ = ["TopMethod", "check_top", "top_method"]

_ABLE = (
    "auto",
    "bayesian",
    "regression",
    "gaussian",
    "kde-ucv",
    "kde-bcv",
    "kde-fixed",
    "spline",
)


_Asked = TopFavourability | EquivalentGuesses


def check_top(top: int, n_classes: int | None = None) -> int:
    """Check a number of guesses.

    Parameters
    ----------
    top : int
        Guesses allowed.
    n_classes : int, optional
        Classes observed; so many guesses would always be right.

    Returns
    -------
    int
        The same.

    Raises
    ------
    UsageError
        If it is not a whole number from one up, or as large as the classes.
    """
    if isinstance(top, bool) or not isinstance(top, numbers.Real) or top < 1 or top % 1:
        msg = f"`top` (--top) must be a whole number from 1 up; got {top!r}."
        raise UsageError(msg)
    if n_classes is not None and 1 < top >= n_classes:
        msg = (
            f"Within {top} guesses everything is right among {n_classes} observed "
            "classes: choose a smaller `top` (--top)."
        )
        raise UsageError(msg)
    return int(top)


def top_method(method: Method, top: int) -> Method:
    """Ask a method for accuracy within several guesses.

    Parameters
    ----------
    method : Method
        Any method.
    top : int
        Guesses allowed.

    Returns
    -------
    Method
        The method itself for one guess.

    Raises
    ------
    UsageError
        If the method has no distribution of favourability to answer from.
    """
    if top == 1:
        return method
    if method.name not in _ABLE:
        msg = (
            f"Method {method.name!r} cannot forecast several guesses (--top {top}, "
            f"top={top}); these can: {', '.join(_ABLE)}."
        )
        raise UsageError(msg)
    return TopMethod(method=method, top=top)


@dataclass(frozen=True, kw_only=True)
class TopMethod(Method):
    """A method whose fits are asked for accuracy within several guesses.

    Attributes
    ----------
    method : Method
        What is fitted.
    top : int
        Guesses allowed.
    """

    method: Method
    top: int

    @property
    def name(self) -> str:  # type: ignore[override]
        """Name of the method that is fitted."""
        return self.method.name

    def fit(self, evidence: Evidence, rng: np.random.Generator) -> Fit:
        """Fit the method as ever.

        Parameters
        ----------
        evidence : Evidence
            The observed classes.
        rng : numpy.random.Generator
            For methods that subsample classes.

        Returns
        -------
        Fit
            The same fit, asked for several guesses.
        """
        fit = self.method.fit(replace(evidence, top=1), rng)
        details = dict(fit.details)
        for name in ("by_bandwidth", "components"):
            if name in details:
                parts = details[name].items()
                details[name] = {key: self._ask(part, fit) for key, part in parts}
        return Fit(
            distribution=self._ask(fit.distribution, fit),
            tuned=replace(self, method=fit.tuned),
            details=details,
        )

    def _ask(self, part: FavourabilityDistribution, fit: Fit) -> _Asked:
        if not isinstance(fit.distribution, PooledFavourability):
            return within_guesses(part, self.top)
        ranks = TopPosterior(fitted=fit.distribution.ranks.fitted, top=self.top)
        if isinstance(part, PooledFavourability):
            return PooledGuesses(fitted=part, ranks=ranks)
        return EquivalentGuesses(fitted=part, ranks=ranks)

    def fit_left_out(
        self, evidence: Evidence, fit: Fit
    ) -> list[FavourabilityDistribution]:
        """Refit with each group of classes left out, choices held fixed."""
        asked = cast("_Asked", fit.distribution)
        plain = replace(fit, distribution=asked.fitted, tuned=self.method)
        fits = self.method.fit_left_out(replace(evidence, top=1), plain)
        return [self._ask(part, replace(plain, distribution=part)) for part in fits]
