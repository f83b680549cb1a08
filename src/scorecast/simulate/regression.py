"""Samples with numbers to predict, with known coefficients and a known best rule."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from scorecast._core.checks import check_count, check_not_negative, check_share
from scorecast._core.keywords import checked_keywords
from scorecast._core.result import DATA
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, IntArray, RandomState
from scorecast.exceptions import UsageError
from scorecast.simulate.classification import (
    Correlation,
    check_ratio,
    feature_scales,
    tied_blocks,
)
from scorecast.simulate.distributions import HENRIQUES
from scorecast.simulate.simulation import (
    MOST,
    SIMULATORS,
    Simulation,
    Simulator,
    flat_options,
    numbered,
)

_MOST_SKEW = 3.0  # of the logarithm: beyond, a few samples are all there is


@dataclass(frozen=True, kw_only=True, eq=False)
class RegressionTruth:
    """What is known of samples with numbers.

    Attributes
    ----------
    r2 : float
        R^2 of the best rule: share of the variance of targets that features explain.
    mean, std : float
        Mean and standard deviation of targets.
    mse : float
        Mean squared error of the best rule, which no other goes below.
    noise_std : float
        Standard deviation of what features do not explain, before targets are skewed.
    coefficients : ndarray of shape (n_features,)
        By how much the target (before it is skewed) rises with every feature.
    pairs : ndarray of int64, shape (n_pairs, 2)
        Features of which products tell, counted from 0.
    pair_coefficients : ndarray of shape (n_pairs,)
        Coefficients of these products.
    informative : ndarray of int64
        Features that tell, counted from 0.
    scales : ndarray of shape (n_features,)
        Standard deviation of every feature.
    """

    r2: float
    mean: float
    std: float
    mse: float
    noise_std: float
    coefficients: FloatArray
    pairs: IntArray
    pair_coefficients: FloatArray
    informative: IntArray
    scales: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RegressionData(Simulation):
    """Samples with numbers to predict, and what is known of them.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Features.
    y : ndarray of shape (n_samples,)
        Targets.
    best : ndarray of shape (n_samples,)
        What the best rule says.
    truth : RegressionTruth
        What is known of them.
    options : dict
        What was asked for, by the names of factors.
    seed : int or None
        The random state, where it was a number.
    """

    kind: ClassVar[str] = "simulated-regression"

    X: FloatArray = field(metadata=DATA)
    y: FloatArray = field(metadata=DATA)
    best: FloatArray = field(metadata=DATA)
    truth: RegressionTruth

    def to_columns(self) -> dict[str, Any]:
        """Return columns ``x1``, ``x2``, ... and ``y``."""
        return {**numbered("x", self.X), "y": self.y}

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the features as ``X`` and the targets as ``y``."""
        return {"X": self.X, "y": self.y}


@checked_keywords
def regression(
    n_samples: int = 200,
    n_features: int = 20,
    *,
    n_informative: int = 5,
    r2: float = 0.5,
    interactions: float = 0.0,
    target_skew: float = 0.0,
    scale_ratio: float = 1.0,
    correlation: Correlation = Correlation(),  # noqa: B008 - frozen
    random_state: RandomState = 0,
) -> RegressionData:
    r"""Make samples with numbers to predict, of which the best rule is known.

    Features are normal, targets a sum of some of them (and of products of pairs) and
    of normal noise, in units in which the variance of targets is 1. With a skew of
    `s` the target is :math:`e^{s t}` of such a sum t; if a share q of the variance of t
    is explained, the best rule has :math:`R^2 = (e^{s^2 q} - 1) / (e^{s^2} - 1)`.

    Parameters
    ----------
    n_samples : int, default=200
        Samples.
    n_features : int, default=20
        Features.
    n_informative : int, default=5
        Features that tell, drawn from all.
    r2 : float, default=0.5
        R^2 of the best rule, from 0 to 1.
    interactions : float, default=0
        Share of what is explained that is in products of pairs of informative features,
        from 0 to 1; no straight rule finds it.
    target_skew : float, default=0
        Standard deviation of the logarithm of targets, from 0 to 3: a few are far
        larger than the others. 0 for normal targets.
    scale_ratio : float, default=1
        Scale of the widest feature over that of the narrowest, from 1 to 1e12: evenly
        spaced in logarithms, in random order.
    correlation : Correlation
        Blocks of correlated features.
    random_state : int, Generator or None, default=0
        Seed; one stream per ingredient, so that only what is asked for changes.

    Returns
    -------
    RegressionData
        Data and truth.

    Raises
    ------
    UsageError
        If an argument cannot be, or two do not go together.

    Examples
    --------
    >>> data = regression(100, 8, r2=0.8)
    >>> data.X.shape, round(data.truth.noise_std**2, 2)
    ((100, 8), 0.2)
    """
    n = check_count(n_samples, "n_samples", least=2, most=MOST)
    m = check_count(n_features, "n_features", most=MOST)
    k = check_count(n_informative, "n_informative", least=0, most=MOST)
    r2 = check_share(r2, "r2")
    interactions = check_share(interactions, "interactions")
    skew = check_not_negative(target_skew, "target_skew")
    ratio = check_ratio(scale_ratio, "scale_ratio", 1, 1e12)
    if not isinstance(correlation, Correlation):
        problem = f"must be made by Correlation(...); got {correlation!r}"
        raise UsageError(problem, parameter="correlation")
    if k > m:
        problem = f"there are {m} features; got {k}"
        raise UsageError(problem, parameter="n_informative")
    if r2 and not k:
        problem = "nothing is explained by no feature"
        raise UsageError(problem, parameter="r2", remedy="give an r2 of 0")
    if interactions and k < 2:
        problem = "products take two informative features"
        raise UsageError(problem, parameter="interactions")
    if skew > _MOST_SKEW:
        problem = f"must be up to {_MOST_SKEW:g}; got {skew:g}"
        raise UsageError(problem, parameter="target_skew")
    if skew and interactions:
        raise UsageError(
            "leaves no best rule that is known where products tell",
            parameter="target_skew",
            remedy="give an interactions of 0",
        )

    for_features, for_coefficients, for_samples, for_noise, for_scales = as_generator(
        random_state
    ).spawn(5)
    chosen = np.sort(for_features.permutation(m)[:k])
    is_tied = tied_blocks(m, correlation, for_features)
    X = _features(n, m, is_tied, correlation, for_samples)
    explained = math.log1p(r2 * math.expm1(skew**2)) / skew**2 if skew else r2
    coefficients = np.zeros(m)
    coefficients[chosen] = for_coefficients.normal(size=k)
    pairs = for_coefficients.permutation(chosen)[: 2 * (k // 2)].reshape(-1, 2)
    weights = for_coefficients.normal(size=len(pairs))

    def covariance(rows: IntArray, columns: IntArray) -> FloatArray:
        return _covariance(rows, columns, is_tied, correlation)

    linear = coefficients[chosen] @ covariance(chosen, chosen) @ coefficients[chosen]
    one, two = pairs[:, 0], pairs[:, 1]
    of_products = covariance(one, one) * covariance(two, two)
    of_products += covariance(one, two) * covariance(two, one)
    bent = weights @ of_products @ weights
    straight, product = explained * (1 - interactions), explained * interactions
    coefficients *= math.sqrt(straight / linear) if straight else 0.0
    weights = weights * (math.sqrt(product / bent) if product else 0.0)
    if not product:
        pairs, weights = pairs[:0], weights[:0]
    signal = X @ coefficients
    if product:
        middle = np.diag(covariance(pairs[:, 0], pairs[:, 1]))
        signal = signal + (X[:, pairs[:, 0]] * X[:, pairs[:, 1]] - middle) @ weights
    noise_std = math.sqrt(1 - explained)
    y = signal + noise_std * for_noise.normal(size=n)
    best, mean, variance = signal, 0.0, 1.0
    if skew:
        y = np.exp(skew * y)
        best = np.exp(skew * signal + (skew * noise_std) ** 2 / 2)
        mean = math.exp(skew**2 / 2)
        variance = math.expm1(skew**2) * math.exp(skew**2)
    scales = feature_scales(ratio, np.zeros(m, dtype=bool), for_scales)
    return RegressionData(
        X=X * scales,
        y=y,
        best=best,
        truth=RegressionTruth(
            r2=r2,
            mean=mean,
            std=math.sqrt(variance),
            mse=(1 - r2) * variance,
            noise_std=noise_std,
            coefficients=coefficients / scales,
            pairs=pairs,
            pair_coefficients=weights / (scales[pairs[:, 0]] * scales[pairs[:, 1]]),
            informative=chosen,
            scales=scales,
        ),
        options=flat_options(
            {
                "n_samples": n,
                "n_features": m,
                "n_informative": k,
                "r2": r2,
                "interactions": interactions,
                "target_skew": skew,
                "scale_ratio": ratio,
                "correlation": correlation,
            }
        ),
        seed=seed_number(random_state),
    )


def _features(
    n: int,
    m: int,
    is_tied: NDArray[np.bool_],
    correlation: Correlation,
    rng: np.random.Generator,
) -> FloatArray:
    """Draw standard normal features, correlated within tied blocks."""
    for_own, for_shared = rng.spawn(2)
    X: FloatArray = for_own.normal(size=(n, m))
    if correlation.rho:
        blocks = np.arange(m) // correlation.block_size
        shared = for_shared.normal(size=(n, is_tied.size))[:, blocks]
        rho = np.where(is_tied[blocks], correlation.rho, 0.0)
        X = np.sqrt(rho) * shared + np.sqrt(1 - rho) * X
    return X


def _covariance(
    rows: IntArray,
    columns: IntArray,
    is_tied: NDArray[np.bool_],
    correlation: Correlation,
) -> FloatArray:
    """Return the covariance of some features with others, before they are scaled."""
    size = correlation.block_size
    is_same = rows[:, None] == columns[None, :]
    own = rows // size
    together = (own[:, None] == columns[None, :] // size) & is_tied[own][:, None]
    return np.where(is_same, 1.0, np.where(together, correlation.rho, 0.0))


def _next_command(data: RegressionData, path: str) -> tuple[str, ...]:
    del data
    models = ("--model", "ridge", "--model", "forest-regressor")
    return ("assess", path, "--target", "y", *models)


SIMULATORS.add(
    Simulator(
        name="regression",
        title="samples with numbers to predict",
        summary="samples with numbers to predict, whose coefficients and best rule are "
        "known",
        reference=HENRIQUES,
        function=regression,
        choices={},
        sizes=("n_",),
        disturbances=("target_skew",),
        next_command=_next_command,
    )
)
