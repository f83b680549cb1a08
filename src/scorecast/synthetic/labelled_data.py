"""Labelled data with controlled regularities and a known Bayes error."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from scorecast._core.checks import check_choice
from scorecast._core.class_sizes import class_shares, class_sizes
from scorecast._core.keywords import checked_keywords
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, IntArray, Json, RandomState
from scorecast.exceptions import UsageError
from scorecast.synthetic.arguments import check_positive, check_share, check_whole
from scorecast.synthetic.bayes_error import BayesError, bayes_error
from scorecast.synthetic.case_population import MIXINGS, CasePopulation
from scorecast.synthetic.class_distributions import (
    ClassMixture,
    class_mixtures,
    describe_mixture,
)
from scorecast.synthetic.components import Uniform
from scorecast.synthetic.dependencies import LocalDependencies, plant_dependencies
from scorecast.synthetic.patterns import PATTERNS, PlantedBicluster
from scorecast.synthetic.simulated import Simulated, numbered
from scorecast.synthetic.skew import SKEWS, Skew
from scorecast.synthetic.value_range import pooled_moments, value_range

__all__ = ["LabelledData", "LabelledTruth", "labelled"]

_MONTE_CARLO = 1_000_000  # values to draw for the Bayes error
_BATCHES = 20
_TAIL = (3.0, 6.7)  # standard deviations above the mean (Guo and others, 2010)


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelledTruth:
    """What is known of labelled data.

    Attributes
    ----------
    bayes_error : BayesError or None
        Error that no rule can go below; None if it was not asked for.
    class_sizes : tuple of int
        Cases of every class.
    mixtures : tuple of tuple of Component
        Equally likely components of every class.
    informative, skewed : ndarray of int64
        Features that tell the classes apart, and skewed ones, counted from 0.
    noise_width : float
        Noise moved every value by up to so much, up or down.
    dependencies : tuple of PlantedBicluster
        Local dependencies that were planted, with their values before noise.
    """

    bayes_error: BayesError | None
    class_sizes: tuple[int, ...]
    mixtures: tuple[ClassMixture, ...]
    informative: IntArray
    skewed: IntArray
    noise_width: float
    dependencies: tuple[PlantedBicluster, ...]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class LabelledData(Simulated):
    """Cases with labels, and what is known of them.

    Attributes
    ----------
    X : ndarray of shape (n, m)
        Features.
    y : ndarray of int64, shape (n,)
        Classes from 0, the most frequent first.
    truth : LabelledTruth
        What is known of them.
    options : dict
        What was asked for.
    seed : int or None
        The random state, where it was a number.
    """

    kind: ClassVar[str] = "labelled"

    X: FloatArray
    y: IntArray
    truth: LabelledTruth

    def summary(self) -> str:
        """Say in a sentence or two what was made."""
        n, m = self.X.shape
        sizes = ", ".join(f"{size:,}" for size in self.truth.class_sizes)
        known = self.truth.bayes_error
        best = "" if known is None else f" Bayes error {known.said()}."
        return (
            f"{n:,} cases with {m:,} features in {len(self.truth.class_sizes)} classes "
            f"({sizes} cases); {self.truth.informative.size:,} features tell classes "
            f"apart, {self.truth.skewed.size:,} are skewed.{best}"
        )

    def truth_dict(self) -> Json:
        """Return the truth as plain values."""
        truth = self.truth
        known = truth.bayes_error
        return {
            "bayes_error": None if known is None else asdict(known),
            "class_sizes": truth.class_sizes,
            "distributions": [describe_mixture(parts) for parts in truth.mixtures],
            "informative": truth.informative,
            "skewed": truth.skewed,
            "noise_width": truth.noise_width,
            "dependencies": [one.to_dict() for one in truth.dependencies],
        }

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return columns ``x1``, ``x2``, ... and ``y``."""
        return {**numbered("x", self.X), "y": self.y}

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the features as ``X`` and the classes as ``y``."""
        return {"X": self.X, "y": self.y}


@checked_keywords
def labelled(
    n: int = 200,
    m: int = 500,
    *,
    n_classes: int = 3,
    distribution: Any = "gaussian",
    sd: float = 3.0,
    separation: float = 1.0,
    mixing: str = "case",
    informative: float = 1.0,
    block_size: int = 1,
    rho: float = 0.0,
    skewed: float = 0.0,
    skew: str = "tail",
    tail_share: float = 0.2,
    skewness: float = 2.0,
    noise: float = 0.0,
    imbalance: float = 0.0,
    dependencies: int = 0,
    dependency_rows: int = 20,
    dependency_columns: int = 10,
    dependency_pattern: str = "additive",
    with_bayes_error: bool = True,
    random_state: RandomState = 0,
) -> LabelledData:
    """Make labelled data, by Table 5 of Henriques and Madeira (2015).

    Parameters
    ----------
    n, m : int, default=200 and 500
        Cases and features.
    n_classes : int, default=3
        Number of classes.
    distribution : str or sequence, default="gaussian"
        ``"gaussian"``: class means 1, 0, -1 in every feature (whole numbers around
        zero for other numbers of classes). ``"gaussian-mixture"``: a class at u is
        found on either side, at -1 and 2 for u = 1. ``"gaussian-poisson"``: with
        Poisson counts of rate 4, 5, 6. ``"gaussian-uniform"``: with uniform values 3 to
        6.7 standard deviations above (Guo and others, 2010). ``"bimodal"``: one class
        at 0, the other at 1 and -1 (Hua and others, 2005). Or for every class `Normal`,
        `Poisson` or `Uniform` components.
    sd : float, default=3
        Standard deviation of normal components: 3 is the paper's easy setting, 5 its
        moderate one.
    separation : float, default=1
        Factor of the distances between normal components.
    mixing : {"case", "value"}, default="case"
        Whether a case belongs to one component of its class, or every value to its own.
    informative : float, default=1
        Share of the features that tell the classes apart; by whole blocks. The others
        have the same distribution over all cases.
    block_size : int, default=1
        Neighbouring features that are correlated; Hua and others have 1, 5, 10, 30.
    rho : float, default=0
        Correlation within a block; theirs are 0.125, 0.25, 0.5. Of normal components;
        others are correlated through the normal numbers that they are made of.
    skewed : float, default=0
        Share of the features that are skewed.
    skew : {"tail", "gamma"}, default="tail"
        A share `tail_share` of their values lies 3 to 6.7 standard deviations above
        the mean, whatever the class; or gamma values with the mean and the standard
        deviation of their component.
    tail_share : float, default=0.2
        For ``skew="tail"``.
    skewness : float, default=2
        For ``skew="gamma"``: third standardised moment.
    noise : float, default=0
        Noise moves every value by up to this share of the range of values, up or
        down; the range is that of the central 99.8 % of values before noise and skew.
    imbalance : float, default=0
        By how much the smallest class falls short of the largest.
    dependencies : int, default=0
        Local dependencies to plant: biclusters, whatever the class; noise moves
        their values, too.
    dependency_rows, dependency_columns : int, default=20 and 10
        Cases and features of each.
    dependency_pattern : str, default="additive"
        One of `PATTERNS`.
    with_bayes_error : bool, default=True
        Whether to compute or bound the Bayes error; takes longer than the data.
    random_state : int, Generator or None, default=0
        Seed; one stream per ingredient, so that only what is asked for changes.

    Returns
    -------
    LabelledData
        Data and truth.

    Examples
    --------
    >>> data = labelled(100, 5, n_classes=2, sd=1, separation=0.5, random_state=1)
    >>> data.X.shape, data.truth.class_sizes
    ((100, 5), (50, 50))
    >>> round(data.truth.bayes_error.value, 4)
    0.1318
    """
    options: Json = {
        "n": check_whole(n, "n", least=2), "m": check_whole(m, "m"),
        "n_classes": check_whole(n_classes, "n_classes", least=2, most=100),
        "sd": check_positive(sd, "sd"),
        "separation": check_positive(separation, "separation"),
        "mixing": check_choice(mixing, "mixing", MIXINGS),
        "informative": check_share(informative, "informative"),
        "block_size": check_whole(block_size, "block_size"),
        "rho": check_share(rho, "rho", most=0.99),
        "skewed": check_share(skewed, "skewed"),
        "skew": check_choice(skew, "skew", SKEWS),
        "tail_share": check_share(tail_share, "tail_share", most=0.99),
        "skewness": check_positive(skewness, "skewness"),
        "noise": check_share(noise, "noise"),
        "imbalance": check_share(imbalance, "imbalance", most=0.99),
        "dependencies": check_whole(dependencies, "dependencies", least=0),
        "dependency_rows": check_whole(dependency_rows, "dependency_rows"),
        "dependency_columns": check_whole(dependency_columns, "dependency_columns"),
        "dependency_pattern": check_choice(
            dependency_pattern, "dependency_pattern", PATTERNS
        ),
    }  # fmt: skip
    _refuse_mismatch(options)
    mixtures = class_mixtures(
        distribution, options["n_classes"], sd=sd, separation=separation
    )
    named = distribution if isinstance(distribution, str) else "given"
    options["distribution"] = named
    X, y, truth = _made(mixtures, options, with_bayes_error, as_generator(random_state))
    seed = seed_number(random_state)
    return LabelledData(X=X, y=y, truth=truth, options=options, seed=seed)


def _refuse_mismatch(options: Json) -> None:
    if options["n"] < options["n_classes"]:
        msg = (
            f"{options['n_classes']} classes need as many cases; `n` is {options['n']}."
        )
        raise UsageError(msg)
    if options["rho"] and options["block_size"] == 1:
        msg = "`rho` needs blocks of correlated features: give a `block_size` above 1."
        raise UsageError(msg)
    if options["dependencies"] and (
        options["dependency_rows"] > options["n"]
        or options["dependency_columns"] > options["m"]
    ):
        msg = (
            f"Dependencies of {options['dependency_rows']} cases x "
            f"{options['dependency_columns']} features do not fit into "
            f"{options['n']} x {options['m']}."
        )
        raise UsageError(msg)


def _made(
    mixtures: tuple[ClassMixture, ...],
    options: Json,
    with_bayes_error: bool,
    rng: np.random.Generator,
) -> tuple[FloatArray, IntArray, LabelledTruth]:
    # One stream per ingredient: the same cases with noise or without, say.
    for_order, for_features, for_cases, for_planting, for_bayes = rng.spawn(5)
    n, m = options["n"], options["m"]
    shares = class_shares(options["n_classes"], options["imbalance"])
    sizes = class_sizes(n, shares)
    y = for_order.permutation(np.repeat(np.arange(sizes.size), sizes))
    population = _population(mixtures, shares, options, for_features)
    wanted = _dependencies(mixtures, shares, options)
    planted: list[PlantedBicluster] = []

    def plant(values: FloatArray) -> None:
        if wanted is not None:
            planted.extend(plant_dependencies(values, wanted, for_planting))

    X = population.draw(y, for_cases, plant)
    known = None
    if with_bayes_error:
        n_draws = int(np.clip(_MONTE_CARLO // m, 400, 20_000))
        if wanted is not None:
            n_draws = min(n_draws, _BATCHES * n)  # each is planted anew
        known = bayes_error(
            population,
            rng=for_bayes,
            n_draws=n_draws,
            planted=wanted,
            batch=n if wanted else None,
        )
    truth = LabelledTruth(
        bayes_error=known,
        class_sizes=tuple(int(size) for size in sizes),
        mixtures=mixtures,
        informative=np.flatnonzero(population.informative),
        skewed=np.flatnonzero(population.skewed),
        noise_width=population.noise_width,
        dependencies=tuple(planted),
    )
    return X, y, truth


def _dependencies(
    mixtures: tuple[ClassMixture, ...], shares: FloatArray, options: Json
) -> LocalDependencies | None:
    if not options["dependencies"]:
        return None
    mean, sd = pooled_moments(mixtures, shares)
    return LocalDependencies(
        count=options["dependencies"],
        rows=options["dependency_rows"],
        columns=options["dependency_columns"],
        pattern=options["dependency_pattern"],
        mean=mean,
        sd=sd,
    )


def _population(
    mixtures: tuple[ClassMixture, ...],
    shares: FloatArray,
    options: Json,
    rng: np.random.Generator,
) -> CasePopulation:
    m, size = options["m"], options["block_size"]
    # Ranks of features and blocks are drawn once: a larger share adds to a smaller.
    n_blocks = -(-m // size)
    chosen = rng.permutation(n_blocks)[: round(options["informative"] * n_blocks)]
    informative = np.isin(np.arange(m) // size, chosen)
    skewed = np.zeros(m, dtype=bool)
    skewed[rng.permutation(m)[: round(options["skewed"] * m)]] = True
    mean, sd = pooled_moments(mixtures, shares)
    low, high = value_range(mixtures, shares)
    return CasePopulation(
        mixtures=mixtures,
        shares=shares,
        mixing=options["mixing"],
        informative=informative,
        skewed=skewed,
        skew=Skew(
            kind=options["skew"],
            share=options["tail_share"],
            tail=Uniform(mean + _TAIL[0] * sd, mean + _TAIL[1] * sd),
            skewness=options["skewness"],
        ),
        block_size=size,
        rho=options["rho"],
        noise_width=options["noise"] * (high - low),
    )
