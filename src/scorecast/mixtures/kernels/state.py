"""How the kernels see a chain: plain arrays with names, nothing to unpack.

Symbols of the paper stand beside each field (appendix B.1 of Sewell 2024).
"""

from __future__ import annotations

from typing import NamedTuple

from scorecast._core.types import BoolArray, FloatArray, IntArray


class Constants(NamedTuple):
    """The hyperparameters that stay fixed, and the power of the likelihood."""

    skew_spread: float  # kappa_nu
    concentration: float  # kappa_eta
    growth: float  # kappa_C
    centre: FloatArray  # mu_mumu (N,)
    centre_precision: FloatArray  # S_mumu (N, N)
    location_shape: float  # m_Smu
    location_factor: float  # 1, or m_Smu - 1 where R_Smu is to be the mean covariance
    rate_shape: float  # m_RSmu
    rate_rate: FloatArray  # R_RSmu (N, N)
    tail_a: float  # a_m
    tail_b: float  # b_m
    tail_kind: int  # proGamma type of m_c: 1 (rate m - 1) or 2 (rate m)
    scale_shape: float  # m_RS
    scale_rate: FloatArray  # R_RS (N, N)
    spread_a: float  # a_mS
    spread_b: float  # b_mS
    power: float  # beta: the likelihood is raised to it (thermodynamic integration)


class Components(NamedTuple):
    """The components of the mixture; rows beyond the current number are spare."""

    weight: FloatArray  # p (capacity,)
    location: FloatArray  # mu (capacity, N)
    skew: FloatArray  # nu (capacity, N)
    precision: FloatArray  # S (capacity, N, N)
    shape: FloatArray  # m (capacity,)


class Population(NamedTuple):
    """What the components are drawn from; numbers are arrays so as to change."""

    location_mean: FloatArray  # mu_mu (N,)
    location_precision: FloatArray  # S_mu (N, N)
    location_rate: FloatArray  # R_Smu (N, N)
    precision_shape: FloatArray  # m_S (1,)
    covariance: FloatArray  # R_S (N, N)


class Densities(NamedTuple):
    """What is worked out once per sweep to get densities of all cases quickly.

    The density of case k under component c is ``exp(level[k]) * row[c, k]``.
    """

    factor: FloatArray  # lower Cholesky factor L of S (capacity, N, N)
    tilt: FloatArray  # L' nu (capacity, N)
    constant: FloatArray  # what does not depend on the case (capacity,)
    exponent: FloatArray  # p of the half-normal integral (capacity,)
    rate: FloatArray  # r (capacity,)
    n_left: IntArray  # knots left of zero (capacity,)
    table: FloatArray  # (capacity, knots, coefficients)
    row: FloatArray  # (rows, n)
    level: FloatArray  # (n,)
    total: FloatArray  # sum over components of weight * row (n,)


class Cases(NamedTuple):
    """What each case carries besides its value: its component and its scale."""

    label: IntArray  # c_k (n,)
    root: FloatArray  # sqrt(alpha_k) (n,)


class Sums(NamedTuple):
    """Sums over the cases of each component; y is measured from its old location."""

    cases: FloatArray  # n_c (capacity,)
    scale: FloatArray  # sum alpha (capacity,)
    root: FloatArray  # sum sqrt(alpha) (capacity,)
    scale_y: FloatArray  # sum alpha y (capacity, N)
    root_y: FloatArray  # sum sqrt(alpha) y (capacity, N)
    scale_yy: FloatArray  # sum alpha y y' (capacity, N, N)
    tail: FloatArray  # sum (alpha - 1 - log alpha) (capacity,)


class Measured(NamedTuple):
    """Measurements of true values: y = x + noise, coordinate 0 perhaps censored."""

    value: FloatArray  # y* (n, N); NaN where nothing was measured
    is_censored: BoolArray  # (n,)
    limit: FloatArray  # z: a censored y*_0 lies above it (n,)
    noise: FloatArray  # diagonal of S_n (N,)
    noise_shape: float  # m_n
    noise_scale: FloatArray  # lambda_k (n,)


class State(NamedTuple):
    """All that a chain knows, but for its stream; what changes is an array.

    Only the chain holds it: one with more room takes its place.
    """

    x: FloatArray  # values, true ones where measurements are noisy (n, N)
    number: IntArray  # C, the number of components (1,)
    components: Components
    population: Population
    densities: Densities
    cases: Cases
    sums: Sums


class Trace(NamedTuple):
    """What is noted at each sweep."""

    means: FloatArray  # (sweeps, N)
    centres: FloatArray  # (sweeps, N): finite even where the mean is not
    numbers: IntArray  # of components (sweeps,)
    likelihoods: FloatArray  # log, labels and scales integrated out (sweeps,)
    given_cases: FloatArray  # log likelihood given labels and scales (sweeps,)
