"""Samples with labels, with controlled regularities and a known Bayes error."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from scorecast._core.checks import (
    check_count,
    check_flag,
    check_one_of,
    check_positive,
    check_share,
)
from scorecast._core.keywords import checked_keywords
from scorecast._core.result import DATA
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import BoolArray, FloatArray, IntArray, RandomState
from scorecast.exceptions import UsageError
from scorecast.simulate.bayes_error import BayesError, BayesErrorKind, bayes_error
from scorecast.simulate.biclusters import (
    PLANTED_PATTERNS,
    PlantedBicluster,
    draw_bicluster,
    place_biclusters,
)
from scorecast.simulate.distributions import (
    DISTRIBUTIONS,
    HENRIQUES,
    SKEWS,
    Component,
    Cut,
    Mixtures,
    Normal,
    Poisson,
    Skew,
    Uniform,
    class_mixtures,
    pooled_moments,
    value_range,
    with_std_ratio,
)
from scorecast.simulate.measurement import (
    Measurement,
    dyes,
    measured,
    measured_population,
)
from scorecast.simulate.population import Mixing, Population
from scorecast.simulate.simulation import (
    MOST,
    SIMULATORS,
    Simulation,
    Simulator,
    flat_options,
    numbered,
)

_MONTE_CARLO = 1_000_000  # values to draw for the Bayes error
_BATCHES = 20

S = TypeVar("S")


@dataclass(frozen=True, kw_only=True)
class Correlation:
    """How features are correlated.

    Attributes
    ----------
    block_size : int
        Neighbouring features that are correlated.
    rho : float
        Correlation within a block, from 0 to 0.99.
    n_blocks : int or None
        Blocks that are correlated, drawn from all; None for all of them. What lies in
        no such block is independent.
    """

    block_size: int = 1
    rho: float = 0.0
    n_blocks: int | None = None

    def __post_init__(self) -> None:
        check_count(self.block_size, "block_size", most=MOST)
        if check_share(self.rho, "rho", most=0.99) and self.block_size == 1:
            raise UsageError(
                "needs blocks of correlated features",
                parameter="rho",
                remedy="make blocks of two features or more",
            )
        if self.n_blocks is not None:
            check_count(self.n_blocks, "n_blocks", least=0, most=MOST)


@dataclass(frozen=True, kw_only=True)
class LocalPatterns:
    """Groups of samples that follow a pattern on some features, whatever their class.

    Attributes
    ----------
    n : int
        How many to plant; noise moves their values, too.
    n_rows : int
        Samples of each.
    n_columns : int
        Features of each.
    kind : str
        What each follows, one of `PLANTED_PATTERNS`.
    """

    n: int = 0
    n_rows: int = 20
    n_columns: int = 10
    kind: str = "additive"

    def __post_init__(self) -> None:
        check_count(self.n, "n", least=0, most=MOST)
        check_count(self.n_rows, "n_rows", most=MOST)
        check_count(self.n_columns, "n_columns", most=MOST)
        check_one_of(self.kind, "kind", tuple(PLANTED_PATTERNS))


@dataclass(frozen=True, kw_only=True, eq=False)
class ClassificationTruth:
    """What is known of labelled samples.

    Attributes
    ----------
    bayes_error : BayesError or None
        Error that no rule can go below; None if it was not asked for.
    class_sizes : tuple of int
        Samples of every class, before replicates.
    mixtures : tuple of tuple of Component
        Equally likely components of every class.
    informative, skewed : ndarray of int64
        Features that tell the classes apart, and skewed ones, counted from 0.
    noise_width : float
        Noise moved every value by up to so much, up or down.
    patterns : tuple of PlantedBicluster
        Local patterns that were planted, with their values before noise and scaling.
    boolean, correlated : ndarray of int64
        Features that are yes or no, and those in correlated blocks, counted from 0.
    scales, dye_effects : ndarray of float64
        What every feature is multiplied by, and what a dye adds to it before.
    """

    bayes_error: BayesError | None
    class_sizes: tuple[int, ...]
    mixtures: tuple[tuple[Normal | Poisson | Uniform | Component, ...], ...]
    informative: IntArray
    skewed: IntArray
    noise_width: float
    patterns: tuple[PlantedBicluster, ...]
    boolean: IntArray
    correlated: IntArray
    scales: FloatArray
    dye_effects: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ClassificationData(Simulation):
    """Samples with labels, and what is known of them.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Features.
    y : ndarray of int64, shape (n_samples,)
        Classes from 0, the most frequent first.
    sample : ndarray of int64, shape (n_samples,)
        Sample of every row, counted from 0: replicates share theirs.
    dye : ndarray of int64, shape (n_samples,)
        Dye of every row, 1 or -1.
    truth : ClassificationTruth
        What is known of them.
    options : dict
        What was asked for, by the names of factors.
    seed : int or None
        The random state, where it was a number.
    """

    kind: ClassVar[str] = "simulated-classification"

    X: FloatArray = field(metadata=DATA)
    y: IntArray = field(metadata=DATA)
    sample: IntArray = field(metadata=DATA)
    dye: IntArray = field(metadata=DATA)
    truth: ClassificationTruth

    def to_columns(self) -> dict[str, Any]:
        """Return columns ``x1``, ..., ``y``, and of replicates ``sample``."""
        return {**numbered("x", self.X), "y": self.y, **self._samples()}

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the features as ``X`` and the classes as ``y``; and ``sample``."""
        return {"X": self.X, "y": self.y, **self._samples()}

    @property
    def has_replicates(self) -> bool:
        """Whether rows share samples."""
        return self.sample.size > len(np.unique(self.sample))

    @property
    def groups(self) -> IntArray | None:
        """What must not be split: replicates of a sample; None without any."""
        return self.sample if self.has_replicates else None

    def _samples(self) -> dict[str, NDArray[Any]]:
        return {"sample": self.sample} if self.has_replicates else {}


@checked_keywords
def classification(
    n_samples: int = 200,
    n_features: int = 500,
    *,
    n_classes: int = 3,
    distribution: str | Sequence[Component | Sequence[Component]] = "gaussian",
    std: float = 3.0,
    std_ratio: float = 1.0,
    class_sep: float = 1.0,
    informative: float = 1.0,
    boolean: float = 0.0,
    scale_ratio: float = 1.0,
    imbalance: float = 0.0,
    noise: float = 0.0,
    mixing: str = "sample",
    correlation: Correlation = Correlation(),  # noqa: B008 - frozen
    skew: Skew = Skew(),  # noqa: B008 - frozen
    patterns: LocalPatterns = LocalPatterns(),  # noqa: B008 - frozen
    measurement: Measurement = Measurement(),  # noqa: B008 - frozen
    with_bayes_error: bool = True,
    random_state: RandomState = 0,
) -> ClassificationData:
    r"""Make samples with labels, by Table 5 of Henriques and Madeira [1]_.

    The Bayes error is exact for single normal components of equal spread: with
    strength :math:`s = \sum_b m_b / (1 + (m_b - 1) \rho)` over blocks of :math:`m_b`
    informative features, classes lie on a line at :math:`\mu_k \sqrt s / \sigma`, and
    two of them are confused with chance :math:`\Phi(-|\mu_1 - \mu_2| \sqrt s / 2
    \sigma)`. Where densities are known it is found by Monte Carlo, elsewhere bounded.

    Parameters
    ----------
    n_samples : int, default=200
        Samples.
    n_features : int, default=500
        Features.
    n_classes : int, default=3
        Number of classes, from 2 to 100.
    distribution : str or sequence, default="gaussian"
        What the values of a class are drawn from, one of `DISTRIBUTIONS`. Whole
        numbers around zero are the class means of other numbers of classes. Or for
        every class `Normal`, `Poisson` or `Uniform` components.
    std : float, default=3
        Standard deviation of normal components. 3 is the paper's easy setting, 5 its
        moderate one.
    std_ratio : float, default=1
        Standard deviation of the normal components of the last class over that of the
        first, from 0.01 to 100. Those between grow by equal factors: covariances
        differ by a factor [4]_.
    class_sep : float, default=1
        Factor of the distances between normal components.
    informative : float, default=1
        Share of the features that tell classes apart, from 0 to 1. By whole blocks;
        the others have the same distribution over all samples.
    boolean : float, default=0
        Share of the features that are yes or no, from 0 to 1: whether a value lies
        above the mean of its feature. They are not skewed, noise and measurement leave
        them alone.
    scale_ratio : float, default=1
        Scale of the widest feature over that of the narrowest, from 1 to 1e12: all but
        Boolean ones are multiplied by factors evenly spaced in logarithms, in random
        order.
    imbalance : float, default=0
        By how much the smallest class falls short of the largest, from 0 to 0.99.
    noise : float, default=0
        Noise moves every value by up to this share of the range of values, up or down.
        The range is that of the central 99.8 % of values before noise and skew.
    mixing : {"sample", "value"}, default="sample"
        Whether a sample belongs to one component of its class, or every value to its
        own.
    correlation : Correlation
        Blocks of correlated features; Hua and others [2]_ have blocks of 1, 5, 10, 30
        with correlations of 0.125, 0.25, 0.5. Of normal components; others are
        correlated through the normal numbers that they are made of.
    skew : Skew
        Skewed features [3]_.
    patterns : LocalPatterns
        Biclusters to plant, whatever the class.
    measurement : Measurement
        Pools, technical replicates, error of measurement and effects of dyes [5]_.
        The Bayes error is then that of a single measurement without effects of dyes.
    with_bayes_error : bool, default=True
        Whether to compute or bound the Bayes error; takes longer than the data.
    random_state : int, Generator or None, default=0
        Seed; one stream per ingredient, so that only what is asked for changes.

    Returns
    -------
    ClassificationData
        Data and truth.

    Raises
    ------
    UsageError
        If an argument cannot be, or two do not go together.

    References
    ----------
    .. [1] R. Henriques and S. C. Madeira (2015). Towards robust performance guarantees
       for models learned from high-dimensional data. In: Big Data in Complex Systems.
    .. [2] J. Hua, Z. Xiong, J. Lowey, E. Suh and E. R. Dougherty (2005). Optimal number
       of features as a function of sample size for various classification rules.
       Bioinformatics 21.
    .. [3] Y. Guo, A. Graber, R. N. McBurney and R. Balasubramanian (2010). Sample size
       and statistical power considerations in high-dimensionality data settings. BMC
       Bioinformatics 11.
    .. [4] T. W. Way, B. Sahiner, L. M. Hadjiiski and H.-P. Chan (2010). Effect of
       finite sample size on feature selection and classification. Medical Physics 37.
    .. [5] K. Dobbin and R. Simon (2005). Sample size determination in microarray
       experiments for class comparison and prognostic classification. Biostatistics 6.

    Examples
    --------
    >>> data = classification(100, 5, n_classes=2, std=1, class_sep=0.5, random_state=1)
    >>> data.X.shape, data.truth.class_sizes
    ((100, 5), (50, 50))
    >>> round(data.truth.bayes_error.value, 4)
    0.1318
    """
    n = check_count(n_samples, "n_samples", least=2, most=MOST)
    m = check_count(n_features, "n_features", most=MOST)
    c = check_count(n_classes, "n_classes", least=2, most=100)
    std = check_positive(std, "std")
    std_ratio = check_ratio(std_ratio, "std_ratio", 0.01, 100)
    class_sep = check_positive(class_sep, "class_sep")
    informative = check_share(informative, "informative")
    boolean = check_share(boolean, "boolean")
    scale_ratio = check_ratio(scale_ratio, "scale_ratio", 1, 1e12)
    imbalance = check_share(imbalance, "imbalance", most=0.99)
    noise = check_share(noise, "noise")
    how = Mixing(check_one_of(mixing, "mixing", tuple(Mixing)))
    correlation = _check_settings(correlation, "correlation", Correlation)
    skew = _check_settings(skew, "skew", Skew)
    patterns = _check_settings(patterns, "patterns", LocalPatterns)
    measurement = _check_settings(measurement, "measurement", Measurement)
    is_repeated = measurement.pool_size > 1 or measurement.n_replicates > 1
    if patterns.n and is_repeated:
        problem = "are planted in samples that are neither pooled nor repeated"
        raise UsageError(problem, parameter="patterns.n")
    if boolean and measurement.pool_size > 1:
        problem = "averages of several samples are not yes or no"
        raise UsageError(problem, parameter="boolean", remedy="do not pool samples")
    if round(boolean * m) + round(skew.share * m) > m:
        problem = "leaves too few features to be skewed: together they exceed one"
        raise UsageError(problem, parameter="boolean")
    with_bayes_error = check_flag(with_bayes_error, "with_bayes_error")
    if n < c:
        problem = f"{c} classes need as many samples; there are {n}"
        raise UsageError(problem, parameter="n_samples")
    if patterns.n and (patterns.n_rows > n or patterns.n_columns > m):
        problem = f"{patterns.n_rows} x {patterns.n_columns} do not fit into {n} x {m}"
        raise UsageError(problem, parameter="patterns.n_rows")
    mixtures = with_std_ratio(
        class_mixtures(distribution, c, std=std, class_sep=class_sep), std_ratio
    )

    # One stream per ingredient: the same samples with noise or without, say.
    rng = as_generator(random_state)
    for_order, for_features, for_samples, for_planting, for_bayes = rng.spawn(5)
    is_changed = not measurement.is_plain or scale_ratio > 1
    for_measuring, for_scales = rng.spawn(2) if is_changed else (rng, rng)
    shares = class_shares(c, imbalance)
    sizes = class_sizes(n, shares)
    y = for_order.permutation(np.repeat(np.arange(sizes.size), sizes))
    population = make_population(
        mixtures,
        shares,
        m,
        informative,
        noise,
        how,
        correlation,
        skew,
        for_features,
        boolean=boolean,
    )
    moments = pooled_moments(mixtures, shares)

    def plant(X: FloatArray, rng: np.random.Generator) -> tuple[PlantedBicluster, ...]:
        return _plant(X, patterns, moments, rng)

    planted: list[PlantedBicluster] = []
    pooled = measurement.pool_size
    X = population.draw(
        np.repeat(y, pooled),
        for_samples,
        lambda X: planted.extend(plant(X, for_planting)),
    )
    if pooled > 1:
        X = X.reshape(n, pooled, m).mean(axis=1)
    known = None
    seen = measured_population(population, measurement)
    if with_bayes_error and (seen is None or (patterns.n and seen is not population)):
        guess = 1 - float(shares.max())
        known = BayesError(
            value=np.nan, low=0.0, high=guess, method=BayesErrorKind.BOUNDS, n_draws=0
        )
    elif with_bayes_error and seen is not None:
        n_draws = int(np.clip(_MONTE_CARLO // m, 400, 20_000))
        if patterns.n:
            n_draws = min(n_draws, _BATCHES * n)  # each is planted anew
        known = bayes_error(
            seen,
            rng=for_bayes,
            n_draws=n_draws,
            plant=plant if patterns.n else None,
            batch=n if patterns.n else None,
        )
    effects, dye = np.zeros(m), dyes(y, measurement)
    scales = np.ones(m)
    if measurement.dye_bias:
        drawn = measurement.dye_bias * for_measuring.normal(size=m)
        effects = np.where(population.is_boolean, 0.0, drawn)
    if not measurement.is_plain:
        X = measured(X, dye, effects, measurement, population.is_boolean, for_measuring)
    if scale_ratio > 1:
        scales = feature_scales(scale_ratio, population.is_boolean, for_scales)
        X = X * scales
    return ClassificationData(
        X=X,
        y=np.repeat(y, measurement.n_replicates),
        sample=np.repeat(np.arange(n), measurement.n_replicates),
        dye=dye,
        truth=ClassificationTruth(
            bayes_error=known,
            class_sizes=tuple(int(size) for size in sizes),
            mixtures=mixtures,
            informative=np.flatnonzero(population.is_informative),
            skewed=np.flatnonzero(population.is_skewed),
            noise_width=population.noise_width,
            patterns=tuple(planted),
            boolean=np.flatnonzero(population.is_boolean),
            correlated=np.flatnonzero(
                np.repeat(population.is_tied, correlation.block_size)[:m]
                if population.is_correlated
                else np.zeros(m, dtype=bool)
            ),
            scales=scales,
            dye_effects=effects,
        ),
        options=flat_options(
            {
                "n_samples": n,
                "n_features": m,
                "n_classes": c,
                "distribution": distribution
                if isinstance(distribution, str)
                else "given",
                "std": std,
                "std_ratio": std_ratio,
                "class_sep": class_sep,
                "informative": informative,
                "boolean": boolean,
                "scale_ratio": scale_ratio,
                "imbalance": imbalance,
                "noise": noise,
                "mixing": how,
                "correlation": correlation,
                "skew": skew,
                "patterns": patterns,
                "measurement": measurement,
                "with_bayes_error": with_bayes_error,
            }
        ),
        seed=seed_number(random_state),
    )


def make_population(
    mixtures: Mixtures,
    shares: FloatArray,
    n_features: int,
    informative: float,
    noise: float,
    mixing: Mixing,
    correlation: Correlation,
    skew: Skew,
    rng: np.random.Generator,
    *,
    boolean: float = 0.0,
) -> Population:
    """Choose the features that tell and those that are skewed, and lay all out."""
    m, size = n_features, correlation.block_size
    # Ranks of features and blocks are drawn once: a larger share adds to a smaller.
    n_blocks = -(-m // size)
    chosen = rng.permutation(n_blocks)[: round(informative * n_blocks)]
    is_skewed, is_boolean = np.zeros(m, dtype=bool), np.zeros(m, dtype=bool)
    order = rng.permutation(m)
    is_skewed[order[: round(skew.share * m)]] = True
    is_boolean[order[m - round(boolean * m) :]] = True
    is_tied = tied_blocks(m, correlation, rng)
    mean, std = pooled_moments(mixtures, shares)
    low, high = value_range(mixtures, shares)
    how = SKEWS[skew.kind]
    return Population(
        mixtures=mixtures,
        skewed_mixtures=tuple(
            tuple(how.skewed(part, skew, mean, std) for part in parts)
            for parts in mixtures
        ),
        shares=shares,
        mixing=mixing,
        is_informative=np.isin(np.arange(m) // size, chosen),
        is_skewed=is_skewed,
        skew_only_hides=how.only_hides,
        cut_mixtures=tuple(
            tuple(Cut(part, mean) for part in parts) for parts in mixtures
        ),
        is_boolean=is_boolean,
        is_tied=is_tied,
        block_size=size,
        rho=correlation.rho,
        noise_width=noise * (high - low),
    )


def tied_blocks(
    n_features: int, correlation: Correlation, rng: np.random.Generator
) -> BoolArray:
    """Choose the blocks that are correlated."""
    total = -(-n_features // correlation.block_size)
    if correlation.n_blocks is None:
        return np.ones(total, dtype=bool)
    if correlation.n_blocks > total:
        problem = f"there are {total} blocks; got {correlation.n_blocks}"
        raise UsageError(problem, parameter="correlation.n_blocks")
    chosen = rng.permutation(total)[: correlation.n_blocks]
    return np.isin(np.arange(total), chosen)


def feature_scales(
    ratio: float, is_boolean: BoolArray, rng: np.random.Generator
) -> FloatArray:
    """Return factors of features, evenly spaced in logarithms around one."""
    scales = np.ones(is_boolean.size)
    open_to = np.flatnonzero(~is_boolean)
    if open_to.size > 1:
        half = math.sqrt(ratio)
        scales[rng.permutation(open_to)] = np.geomspace(1 / half, half, open_to.size)
    return scales


def class_shares(n_classes: int, imbalance: float) -> FloatArray:
    """Return the share of every class, the largest first.

    Parameters
    ----------
    n_classes : int
        Number of classes.
    imbalance : float
        By how much the smallest class falls short of the largest: 0.8 leaves it a
        fifth. Those between are evenly spaced.

    Returns
    -------
    ndarray of float64
        Shares that sum to one.

    Examples
    --------
    >>> class_shares(3, 0.8).round(3).tolist()
    [0.556, 0.333, 0.111]
    """
    weights = 1 - imbalance * np.linspace(0, 1, n_classes)
    shares: FloatArray = weights / weights.sum()
    return shares


def class_sizes(n_samples: int, shares: FloatArray) -> IntArray:
    """Divide samples by shares, to the nearest whole one and at least one each.

    Parameters
    ----------
    n_samples : int
        Number of samples, at least one per class.
    shares : ndarray of float64
        Share of every class.

    Returns
    -------
    ndarray of int64
        Samples of every class, which sum to `n_samples`.

    Examples
    --------
    >>> class_sizes(10, class_shares(3, 0.8)).tolist()
    [6, 3, 1]
    """
    exact = n_samples * shares
    sizes = np.maximum(np.floor(exact).astype(np.int64), 1)
    # The largest remainders get what is left; the largest class pays for the ones.
    while sizes.sum() < n_samples:
        sizes[np.argmax(exact - sizes)] += 1
    while sizes.sum() > n_samples:
        sizes[np.argmax(sizes)] -= 1
    return sizes


def _plant(
    X: FloatArray,
    patterns: LocalPatterns,
    moments: tuple[float, float],
    rng: np.random.Generator,
) -> tuple[PlantedBicluster, ...]:
    """Overwrite values in place, without a look at the classes."""
    mean, std = moments
    shape = (X.shape[0], X.shape[1])
    sizes = [(patterns.n_rows, patterns.n_columns)] * patterns.n
    planted = []
    for rows, columns in place_biclusters(shape, sizes, 0.0, rng):
        one = draw_bicluster(
            rows, columns, patterns.kind, mean=mean, std=std, signal=1.0, rng=rng
        )
        X[np.ix_(rows, columns)] = one.values
        planted.append(one)
    return tuple(planted)


def check_ratio(value: Any, parameter: str, least: float, most: float) -> float:
    """Return a ratio between two ends, or refuse it."""
    ratio = check_positive(value, parameter)
    if not least <= ratio <= most:
        problem = f"must be from {least:g} to {most:g}; got {ratio:g}"
        raise UsageError(problem, parameter=parameter)
    return ratio


def _check_settings(value: Any, parameter: str, kind: type[S]) -> S:
    if isinstance(value, kind):
        return value
    problem = f"must be made by {kind.__name__}(...); got {value!r}"
    raise UsageError(problem, parameter=parameter)


def _next_command(data: ClassificationData, path: str) -> tuple[str, ...]:
    models = ("--model", "naive-bayes", "--model", "tree")
    groups = ("--groups", "sample") if data.has_replicates else ()
    return ("assess", path, "--target", "y", *groups, *models)


SIMULATORS.add(
    Simulator(
        name="classification",
        title="labelled samples",
        summary="samples with labels, skewed, noisy, correlated or unequal as asked",
        reference=HENRIQUES,
        function=classification,
        choices={
            "distribution": DISTRIBUTIONS,
            "mixing": tuple(Mixing),
            "skew_kind": SKEWS,
            "patterns_kind": PLANTED_PATTERNS,
        },
        sizes=("n_",),
        disturbances=("noise", "imbalance", "patterns", "measurement"),
        next_command=_next_command,
    )
)
