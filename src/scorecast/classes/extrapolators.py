"""Extrapolators with the scikit-learn contract: one estimator per method.

``fit(scores, y_true)`` learns from the observed classes, ``predict(ks)`` forecasts the
accuracy at numbers of classes. Parameters stay as given and are checked in ``fit``, so
that ``clone``, ``get_params`` and ``set_params`` work.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from scorecast._core.checks import check_choice, check_class_counts, check_level
from scorecast._core.keywords import checked_keywords
from scorecast._core.rng import as_generator
from scorecast._core.types import FloatArray, RandomState
from scorecast.classes.evidence import Evidence
from scorecast.classes.intervals import prediction_interval
from scorecast.classes.methods import make_method
from scorecast.scores import AVERAGES, TIE_RULES, Embeddings, Scores, check_scores

__all__ = [
    "AutoExtrapolator",
    "BayesianExtrapolator",
    "GaussianExtrapolator",
    "KdeExtrapolator",
    "PolynomialExtrapolator",
    "RegressionExtrapolator",
    "SplineExtrapolator",
]

_RULES = ("ties", "average", "random_state")


class _Extrapolator(BaseEstimator):  # type: ignore[misc]
    """Fit a method to the observed classes and forecast more of them.

    Attributes
    ----------
    distribution_ : FavourabilityDistribution
        The fitted distribution of favourability.
    details_ : dict
        What the method chose for itself, such as a bandwidth.
    n_classes_ : int
        Number of classes observed.
    """

    _method: ClassVar[str]
    ties: str
    average: str
    random_state: RandomState

    def fit(
        self,
        scores: ArrayLike | Scores | Embeddings,
        y_true: Iterable[Hashable] | None = None,
    ) -> Self:
        """Learn from the observed classes.

        Parameters
        ----------
        scores : array-like of shape (n_examples, n_classes), Scores or Embeddings
            What the recogniser gave.
        y_true : iterable of hashable, optional
            True labels; not needed where `scores` carries them.

        Returns
        -------
        self
            The fitted extrapolator.
        """
        check_choice(self.ties, "ties", tuple(TIE_RULES))
        check_choice(self.average, "average", tuple(AVERAGES))
        data = check_scores(scores, y_true)
        self._evidence = Evidence.of(data, ties=self.ties, average=self.average)
        method = make_method(self._method_name(), **self._method_options())
        self._fit = method.fit(self._evidence, as_generator(self.random_state))
        self.distribution_ = self._fit.distribution
        self.details_ = self._fit.details
        self.n_classes_ = data.n_classes
        return self

    def predict(self, ks: int | Iterable[int]) -> FloatArray:
        """Forecast the accuracy at numbers of classes.

        Parameters
        ----------
        ks : int or iterable of int
            Numbers of classes.

        Returns
        -------
        ndarray of float64
            Expected accuracies.
        """
        check_is_fitted(self, "distribution_")
        counts = check_class_counts(ks, "ks")
        return np.clip(self.distribution_.accuracy(counts), 0, 1)

    def predict_interval(
        self, ks: int | Iterable[int], *, level: float = 0.9
    ) -> tuple[FloatArray, FloatArray]:
        """Bracket the accuracy at numbers of classes.

        Parameters
        ----------
        ks : int or iterable of int
            Numbers of classes.
        level : float, default=0.9
            Level of the intervals.

        Returns
        -------
        low, high : ndarray of float64
            Ends of the intervals.
        """
        check_is_fitted(self, "distribution_")
        counts = check_class_counts(ks, "ks")
        found = prediction_interval(
            self._fit, self._evidence, counts, check_level(level)
        )
        return found.low, found.high

    def discriminability(self, u: ArrayLike) -> FloatArray:
        """Return D(u), the share of examples with favourability at most u.

        Parameters
        ----------
        u : array-like
            Values in [0, 1].

        Returns
        -------
        ndarray of float64
            D(u).
        """
        check_is_fitted(self, "distribution_")
        return self.distribution_.discriminability(np.asarray(u, dtype=np.float64))

    def _method_name(self) -> str:
        return self._method

    def _method_options(self) -> dict[str, Any]:
        params = self.get_params(deep=False)
        return {name: value for name, value in params.items() if name not in _RULES}


class AutoExtrapolator(_Extrapolator):
    """Pool what ranks and smoothed scores say (the default method).

    Parameters
    ----------
    ties : {"random", "optimistic", "pessimistic"}, default="random"
        Rule for ties.
    average : {"macro", "micro"}, default="macro"
        Every class counts the same, or every example.
    random_state : int, Generator or None, default=0
        For the choice of hidden classes.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> own = np.arange(60) % 12
    >>> scores = rng.normal(size=(60, 12)) + 2 * np.eye(12)[own]
    >>> AutoExtrapolator().fit(scores, own).predict([12, 100]).shape
    (2,)
    """

    _method = "auto"

    @checked_keywords
    def __init__(
        self,
        *,
        ties: str = "random",
        average: str = "macro",
        random_state: RandomState = 0,
    ) -> None:
        self.ties = ties
        self.average = average
        self.random_state = random_state


class BayesianExtrapolator(_Extrapolator):
    """Average a skewed probit family over its posterior given the ranks.

    Parameters
    ----------
    n_effective : float, optional
        Number of independent examples the data are worth; estimated by default.
    ties, average, random_state
        As for `AutoExtrapolator`.
    """

    _method = "bayesian"

    @checked_keywords
    def __init__(
        self,
        *,
        n_effective: float | None = None,
        ties: str = "random",
        average: str = "macro",
        random_state: RandomState = 0,
    ) -> None:
        self.n_effective = n_effective
        self.ties = ties
        self.average = average
        self.random_state = random_state


class RegressionExtrapolator(_Extrapolator):
    """Regress the accuracy curve on a Gaussian basis (ClassExReg).

    Parameters
    ----------
    bandwidth : float, optional
        Width of the basis; chosen by hiding half of the classes by default.
    form : {"accuracy", "risk", "simplex"}, default="accuracy"
        What is regressed on what.
    knots : {"paper", "r"}, default="paper"
        Spacing of the basis.
    quadrature : {"exact", "r"}, optional
        How moments are integrated; follows `knots` by default.
    constrained : bool, default=True
        Whether weights must not be negative.
    sizes : sequence of int, optional
        Numbers of classes the curve is fitted at; 1..K, thinned out, by default.
    size_weights : sequence of float, optional
        Weights of those sizes; equal by default.
    bandwidths : sequence of float, optional
        What is tried if `bandwidth` is not given; 0.1 to 1.0 by default.
    n_subsamples : int, default=25
        How often half of the classes are hidden for that.
    ties, average, random_state
        As for `AutoExtrapolator`.
    """

    _method = "regression"

    @checked_keywords
    def __init__(
        self,
        *,
        bandwidth: float | None = None,
        form: str = "accuracy",
        knots: str = "paper",
        quadrature: str | None = None,
        constrained: bool = True,
        sizes: Sequence[int] | None = None,
        size_weights: Sequence[float] | None = None,
        bandwidths: Sequence[float] | None = None,
        n_subsamples: int = 25,
        ties: str = "random",
        average: str = "macro",
        random_state: RandomState = 0,
    ) -> None:
        self.bandwidth = bandwidth
        self.form = form
        self.knots = knots
        self.quadrature = quadrature
        self.constrained = constrained
        self.sizes = sizes
        self.size_weights = size_weights
        self.bandwidths = bandwidths
        self.n_subsamples = n_subsamples
        self.ties = ties
        self.average = average
        self.random_state = random_state

    def _method_options(self) -> dict[str, Any]:
        options = super()._method_options()
        for name in ("sizes", "size_weights", "bandwidths"):
            given = options.pop(name)
            if given is not None:
                options[name] = tuple(np.asarray(given).tolist())
        return options


class GaussianExtrapolator(_Extrapolator):
    """Fit the two-parameter family.

    Parameters
    ----------
    criterion : {"likelihood", "least-squares"}, default="likelihood"
        What is optimised.
    ties, average, random_state
        As for `AutoExtrapolator`.
    """

    _method = "gaussian"

    @checked_keywords
    def __init__(
        self,
        *,
        criterion: str = "likelihood",
        ties: str = "random",
        average: str = "macro",
        random_state: RandomState = 0,
    ) -> None:
        self.criterion = criterion
        self.ties = ties
        self.average = average
        self.random_state = random_state


class KdeExtrapolator(_Extrapolator):
    """Smooth the wrong-class scores of each example by a kernel.

    Parameters
    ----------
    rule : {"ucv", "bcv"}, default="ucv"
        Bandwidth rule, as in R.
    bandwidth : float, optional
        One bandwidth for all examples, instead of the rule.
    ties, average, random_state
        As for `AutoExtrapolator`.
    """

    _method = "kde"

    @checked_keywords
    def __init__(
        self,
        *,
        rule: str = "ucv",
        bandwidth: float | None = None,
        ties: str = "random",
        average: str = "macro",
        random_state: RandomState = 0,
    ) -> None:
        self.rule = rule
        self.bandwidth = bandwidth
        self.ties = ties
        self.average = average
        self.random_state = random_state

    def _method_name(self) -> str:
        if self.bandwidth is not None:
            return "kde-fixed"
        return "kde-" + check_choice(self.rule, "rule", ("ucv", "bcv"))

    def _method_options(self) -> dict[str, Any]:
        return {} if self.bandwidth is None else {"bandwidth": self.bandwidth}


class SplineExtrapolator(_Extrapolator):
    """Fit a convex, piecewise linear discriminability function.

    Parameters
    ----------
    n_knots : int, default=10000
        Number of knots.
    ties, average, random_state
        As for `AutoExtrapolator`.
    """

    _method = "spline"

    @checked_keywords
    def __init__(
        self,
        *,
        n_knots: int = 10_000,
        ties: str = "random",
        average: str = "macro",
        random_state: RandomState = 0,
    ) -> None:
        self.n_knots = n_knots
        self.ties = ties
        self.average = average
        self.random_state = random_state


class PolynomialExtrapolator(_Extrapolator):
    """Fit a polynomial discriminability function.

    Parameters
    ----------
    degree : int, default=3
        Degree of the polynomial.
    ties, average, random_state
        As for `AutoExtrapolator`.
    """

    _method = "polynomial"

    @checked_keywords
    def __init__(
        self,
        *,
        degree: int = 3,
        ties: str = "random",
        average: str = "macro",
        random_state: RandomState = 0,
    ) -> None:
        self.degree = degree
        self.ties = ties
        self.average = average
        self.random_state = random_state
