"""The hierarchical prior of a mixture, and what it believes before any value."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import check_one_of, check_share
from scorecast._core.rng import as_generator
from scorecast._core.types import FloatArray, Json, RandomState
from scorecast.exceptions import InvalidInputError, UsageError
from scorecast.mixtures.distributions import (
    KeptMixture,
    SkewStudentMixture,
    as_mixture,
)
from scorecast.mixtures.kernels.state import Constants


@dataclasses.dataclass(frozen=True, eq=False)
class Prior:
    """Prior of a Dirichlet mixture of skew-Student components.

    The hierarchy is that of Sewell (2024), appendix B.1: matrices named ``precision``
    and ``rate`` are precisions and rates, never covariances, except `covariance`-like
    ones that say so. Use `information` or `survival` rather than the constructor.

    Parameters
    ----------
    skew_spread : float
        kappa_nu: covariance of a component's skew in units of its own covariance.
    concentration : float
        kappa_eta: total of the Dirichlet parameters of the weights.
    growth : float
        kappa_C in (0, 1): the number of components is geometric with this ratio.
    centre, centre_precision : array of shape (N,), (N, N)
        mu_mumu, S_mumu: prior of the mean of the locations.
    location_shape : float
        m_Smu: shape of the Wishart prior of the precision of the locations.
    rate_shape, rate_rate : float, array of shape (N, N)
        m_RSmu, R_RSmu: prior of its rate.
    tail_a, tail_b : float
        a_m, b_m: proGamma prior of the shape m of each component's tails.
    tail_kind : {1, 2}
        1: scales have rate m - 1 (B.1); 2: rate m (B.2).
    scale_shape, scale_rate : float, array of shape (N, N)
        m_RS, R_RS: prior of the typical covariance inside a component.
    spread_a, spread_b : float
        a_mS, b_mS: proGamma prior of how alike the components' precisions are.
    location_reading : {"literal", "inverse-mean"}
        "literal": S_mu ~ Wishart(m, R) as printed; "inverse-mean": Wishart(m, (m-1)R),
        so that R is the mean covariance, as for the components.
    name : str
        For reports.

    References
    ----------
    R. Sewell (2024). Assessment of the quality of a prediction, appendix B.

    Examples
    --------
    >>> from scorecast.mixtures import Prior
    >>> Prior.information().scaled(4).name
    'information (B.7), 4 times as wide'
    """

    skew_spread: float
    concentration: float
    growth: float
    centre: FloatArray
    centre_precision: FloatArray
    location_shape: float
    rate_shape: float
    rate_rate: FloatArray
    tail_a: float
    tail_b: float
    tail_kind: Literal[1, 2]
    scale_shape: float
    scale_rate: FloatArray
    spread_a: float
    spread_b: float
    location_reading: Literal["literal", "inverse-mean"] = "literal"
    name: str = "custom"

    def __post_init__(self) -> None:
        centre = np.atleast_1d(np.asarray(self.centre, dtype=np.float64))
        if centre.ndim != 1 or not np.isfinite(centre).all():
            problem = f"must hold finite numbers, one per coordinate; got {centre}"
            raise InvalidInputError(problem, parameter="centre")
        object.__setattr__(self, "centre", centre)
        for field in ("centre_precision", "rate_rate", "scale_rate"):
            matrix = _precision_matrix(getattr(self, field), field, centre.size)
            object.__setattr__(self, field, matrix)
        _check_numbers(self)

    @property
    def n_dims(self) -> int:
        """Number of coordinates N."""
        return int(self.centre.size)

    @classmethod
    def information(cls, **changes: Any) -> Self:
        """Return the prior for values of apparent information (appendix B.7, N = 1).

        Its typical component has a standard deviation of 0.1 nats; without data the
        mean of the mixture lies within about 2.6 nats of zero (95 %).

        Parameters
        ----------
        **changes
            Hyperparameters to set otherwise.

        Returns
        -------
        Prior
            The prior.
        """
        printed: dict[str, Any] = {
            "skew_spread": 1.0,
            "concentration": 10.0,
            "growth": 0.9,
            "centre": 0.0,
            "centre_precision": 1.0,
            "location_shape": 1.1,
            "rate_shape": 2.0,
            "rate_rate": 2.8,
            "tail_a": 1.0,
            "tail_b": 3.0,
            "tail_kind": 1,
            "scale_shape": 2.0,
            "scale_rate": 200.0,
            "spread_a": 1.0,
            "spread_b": 2.0,
            "name": "information (B.7)" if not changes else "information, changed",
        }
        return cls(**(printed | changes))

    def scaled(self, factor: float) -> Self:
        """Return the prior of values that are `factor` times as large.

        Parameters
        ----------
        factor : float
            Above one for a wider prior.

        Returns
        -------
        Prior
            The same in other units.
        """
        if not (np.isfinite(factor) and factor > 0):
            problem = f"must be a positive number; got {factor!r}"
            raise UsageError(problem, parameter="factor")
        squares = ("centre_precision", "rate_rate", "scale_rate")
        changes: dict[str, Any] = {k: getattr(self, k) / factor**2 for k in squares}
        changes["centre"] = self.centre * factor
        changes["name"] = f"{self.name}, {factor:g} times as wide"
        return dataclasses.replace(self, **changes)

    @classmethod
    def survival(cls, cov: ArrayLike, mean: ArrayLike, **changes: Any) -> Self:
        """Return the prior for times to an event with covariates (appendix B.8).

        The paper prints kappa_C = 0.09, which makes a single component likely (.91);
        0.9 was probably meant. It is kept as printed; set ``growth=0.9`` to differ.

        Parameters
        ----------
        cov : array of shape (N, N)
            Covariance of the training data.
        mean : array of shape (N,)
            Mean of the training data.
        **changes
            Hyperparameters to set otherwise.

        Returns
        -------
        Prior
            The prior.
        """
        centre = np.atleast_1d(np.asarray(mean, dtype=np.float64))
        spread = _precision_matrix(cov, "cov", centre.size)
        inverse = np.linalg.inv(spread)
        printed: dict[str, Any] = {
            "skew_spread": 0.1,
            "concentration": 10.0,
            "growth": 0.09,
            "centre": centre,
            "centre_precision": 6.25 * inverse,
            "location_shape": 2.5,
            "rate_shape": 2.0,
            "rate_rate": 24.0 * inverse,
            "tail_a": 1.0,
            "tail_b": 20.0,
            "tail_kind": 2,
            "scale_shape": 133.0,
            "scale_rate": 140.0 * inverse,
            "spread_a": 1.0,
            "spread_b": 0.01,
            "name": "survival (B.8)" if not changes else "survival, changed",
        }
        return cls(**(printed | changes))

    def constants(self, power: float = 1.0) -> Constants:
        """Return what the kernels need.

        Parameters
        ----------
        power : float, default=1
            Power of the likelihood.

        Returns
        -------
        Constants
            Numbers and arrays.
        """
        inverse_mean = self.location_reading == "inverse-mean"
        return Constants(
            skew_spread=float(self.skew_spread),
            concentration=float(self.concentration),
            growth=float(self.growth),
            centre=self.centre,
            centre_precision=self.centre_precision,
            location_shape=float(self.location_shape),
            location_factor=self.location_shape - 1.0 if inverse_mean else 1.0,
            rate_shape=float(self.rate_shape),
            rate_rate=self.rate_rate,
            tail_a=float(self.tail_a),
            tail_b=float(self.tail_b),
            tail_kind=int(self.tail_kind),
            scale_shape=float(self.scale_shape),
            scale_rate=self.scale_rate,
            spread_a=float(self.spread_a),
            spread_b=float(self.spread_b),
            power=float(power),
        )

    def to_dict(self) -> Json:
        """Return the hyperparameters as plain values."""
        return {
            field.name: np.asarray(getattr(self, field.name)).tolist()
            for field in dataclasses.fields(self)
        }


def _precision_matrix(value: ArrayLike, name: str, n_dims: int) -> FloatArray:
    matrix = np.array(value, dtype=np.float64, ndmin=2)
    if matrix.shape != (n_dims, n_dims):
        problem = f"must have shape ({n_dims}, {n_dims}); got {matrix.shape}"
        raise InvalidInputError(problem, parameter=name)
    problem = "must be a symmetric matrix with positive eigenvalues"
    # NaN is not near itself; Cholesky looks at one half only.
    if not np.allclose(matrix, matrix.T, rtol=1e-9, atol=0.0):
        raise InvalidInputError(problem, parameter=name)
    try:
        np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError as error:
        raise InvalidInputError(problem, parameter=name) from error
    return np.ascontiguousarray(0.5 * (matrix + matrix.T))


def _check_numbers(prior: Prior) -> None:
    """Refuse hyperparameters for which a distribution does not exist."""
    least = 1.0 if prior.location_reading == "inverse-mean" else 0.0
    check_share(prior.growth, "growth", is_open=True)
    if prior.tail_kind not in {1, 2}:
        problem = f"must be 1 or 2; got {prior.tail_kind!r}"
        raise UsageError(problem, parameter="tail_kind")
    readings = ("literal", "inverse-mean")
    check_one_of(prior.location_reading, "location_reading", readings)
    if not least < prior.location_shape < np.inf:
        problem = f"must exceed {least:g}; got {prior.location_shape!r}"
        raise UsageError(problem, parameter="location_shape")
    for name in (
        "skew_spread",
        "concentration",
        "rate_shape",
        "tail_a",
        "tail_b",
        "scale_shape",
        "spread_a",
        "spread_b",
    ):
        if not 0.0 < getattr(prior, name) < np.inf:
            problem = f"must be positive; got {getattr(prior, name)!r}"
            raise UsageError(problem, parameter=name)


# Draws from the prior ----------------------------------------------------------------


def sample_prior_means(
    prior: Prior, n: int, *, random_state: RandomState = 0
) -> FloatArray:
    """Draw means of mixtures from the prior.

    Parameters
    ----------
    prior : Prior
        The prior.
    n : int
        Number of draws.
    random_state : int, Generator or None, default=0
        Source of randomness.

    Returns
    -------
    array of shape (n, N)
        One mean per draw.

    Examples
    --------
    >>> import numpy as np
    >>> from scorecast.mixtures import Prior, sample_prior_means
    >>> means = sample_prior_means(Prior.information(), 4000, random_state=0)
    >>> bool(2.3 < np.quantile(means, 0.975) < 2.9)
    True
    """
    return np.array([mean for mean, _ in _draws(prior, n, random_state)])


def sample_prior(
    prior: Prior, n: int, *, random_state: RandomState = 0
) -> tuple[SkewStudentMixture, ...]:
    """Draw mixtures from the prior.

    Parameters
    ----------
    prior : Prior
        The prior.
    n : int
        Number of draws.
    random_state : int, Generator or None, default=0
        Source of randomness.

    Returns
    -------
    tuple of SkewStudentMixture
        The draws; ``.sample`` of each simulates values.
    """
    kind = prior.tail_kind
    return tuple(as_mixture(k, kind) for _, k in _draws(prior, n, random_state))


def _draws(
    prior: Prior, n: int, random_state: RandomState
) -> list[tuple[FloatArray, KeptMixture]]:
    # Compiled code is loaded only when it is used.
    from scorecast.mixtures.chain import empty_components, empty_population
    from scorecast.mixtures.kernels.sweep import draw_mixture

    rng = as_generator(random_state)
    constants = prior.constants()
    numbers = rng.geometric(1.0 - prior.growth, size=n)
    components = empty_components(int(numbers.max()), prior.n_dims)
    population = empty_population(prior.n_dims)
    drawn = []
    for number in numbers:
        mean = np.empty(prior.n_dims)
        draw_mixture(rng, number, components, population, constants, mean)
        kept = KeptMixture(*(array[:number].copy() for array in components))
        drawn.append((mean, kept))
    return drawn
