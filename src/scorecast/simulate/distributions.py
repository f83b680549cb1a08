"""What the values of a class are drawn from: normal, Poisson, uniform; and skew.

Every component makes its values from standard normal numbers, so that values can be
correlated whatever their distribution, and knows its distribution function, from which
its density after noise follows. A class is a mixture of equally likely components.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import scipy  # its parts load when first used

from scorecast._core.checks import check_one_of, check_positive, check_share
from scorecast._core.registry import Method, Registry
from scorecast._core.types import FloatArray
from scorecast.exceptions import UsageError

_TAIL = (3.0, 6.7)  # standard deviations above the mean (Guo and others, 2010)
_OUTSIDE = 0.001  # on either side; normal values lie within 3.09 standard deviations

HENRIQUES = (
    "R. Henriques and S. C. Madeira (2015). Towards robust performance guarantees for "
    "models learned from high-dimensional data. In: Big Data in Complex Systems."
)
HUA = (
    "J. Hua, Z. Xiong, J. Lowey, E. Suh and E. R. Dougherty (2005). Optimal number of "
    "features as a function of sample size for various classification rules. "
    "Bioinformatics 21."
)
GUO = (
    "Y. Guo, A. Graber, R. N. McBurney and R. Balasubramanian (2010). Sample size and "
    "statistical power considerations in high-dimensionality data settings. BMC "
    "Bioinformatics 11."
)


class Values(ABC):
    """A distribution of single values."""

    @property
    def is_discrete(self) -> bool:
        """Whether values are whole numbers."""
        return False

    @abstractmethod
    def draw(self, z: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Make values from standard normal numbers, and by chance where needed."""

    @abstractmethod
    def cdf(self, x: FloatArray) -> FloatArray:
        """Return the chance of a value up to x."""

    @abstractmethod
    def log_density(self, x: FloatArray) -> FloatArray:
        """Return the log-density; of whole numbers the log-probability."""


@dataclass(frozen=True)
class Component(Values):
    """A distribution that a class may be made of."""

    kind: ClassVar[str]

    @property
    @abstractmethod
    def mean(self) -> float:
        """Expected value."""

    @property
    @abstractmethod
    def std(self) -> float:
        """Standard deviation."""

    @abstractmethod
    def from_normal(self, z: FloatArray) -> FloatArray:
        """Turn standard normal numbers into values, in the same order."""

    def draw(self, z: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Make values from standard normal numbers alone."""
        del rng
        return self.from_normal(z)


@dataclass(frozen=True)
class Normal(Component):
    """Normal values.

    Attributes
    ----------
    location, scale : float
        Mean and standard deviation.
    """

    kind: ClassVar[str] = "normal"

    location: float = 0.0
    scale: float = 1.0

    def __post_init__(self) -> None:
        _check_finite(self.location, "location")
        check_positive(self.scale, "scale")

    @property
    def mean(self) -> float:
        """Expected value."""
        return float(self.location)

    @property
    def std(self) -> float:
        """Standard deviation."""
        return float(self.scale)

    def from_normal(self, z: FloatArray) -> FloatArray:
        """Turn standard normal numbers into values, in the same order."""
        return self.location + self.scale * z

    def cdf(self, x: FloatArray) -> FloatArray:
        """Return the chance of a value up to x."""
        below: FloatArray = scipy.special.ndtr((x - self.location) / self.scale)
        return below

    def log_density(self, x: FloatArray) -> FloatArray:
        """Return the log-density."""
        z = (x - self.location) / self.scale
        density: FloatArray = -0.5 * z**2 - math.log(self.scale * math.sqrt(2 * np.pi))
        return density


@dataclass(frozen=True)
class Poisson(Component):
    """Counts.

    Attributes
    ----------
    rate : float
        Expected count, up to 10,000.
    """

    kind: ClassVar[str] = "poisson"

    rate: float

    def __post_init__(self) -> None:
        if check_positive(self.rate, "rate") > 10_000:
            raise UsageError(f"must be up to 10,000; got {self.rate}", parameter="rate")

    @property
    def mean(self) -> float:
        """Expected value."""
        return float(self.rate)

    @property
    def std(self) -> float:
        """Standard deviation."""
        return math.sqrt(self.rate)

    @property
    def is_discrete(self) -> bool:
        """Whether values are whole numbers."""
        return True

    def from_normal(self, z: FloatArray) -> FloatArray:
        """Turn standard normal numbers into values, in the same order."""
        # Ordered by the far tail, which a share below one cannot resolve.
        most = int(self.rate + 40 * math.sqrt(self.rate) + 40)
        edges = scipy.special.pdtr(np.arange(most), self.rate)
        counts: FloatArray = np.searchsorted(edges, scipy.special.ndtr(z)).astype(
            np.float64
        )
        return counts

    def cdf(self, x: FloatArray) -> FloatArray:
        """Return the chance of a value up to x."""
        below: FloatArray = scipy.special.pdtr(np.maximum(x, 0), self.rate)
        return np.where(x < 0, 0.0, below)

    def log_density(self, x: FloatArray) -> FloatArray:
        """Return the log-probability; minus infinity off the whole numbers."""
        count = np.maximum(x, 0)
        log = count * math.log(self.rate) - self.rate - scipy.special.gammaln(count + 1)
        found: FloatArray = np.where((x >= 0) & (x == np.floor(x)), log, -np.inf)
        return found


@dataclass(frozen=True)
class Uniform(Component):
    """Values anywhere between two ends alike.

    Attributes
    ----------
    low, high : float
        The ends.
    """

    kind: ClassVar[str] = "uniform"

    low: float
    high: float

    def __post_init__(self) -> None:
        _check_finite(self.low, "low")
        _check_finite(self.high, "high")
        if not self.low < self.high:
            problem = f"must lie below the upper end {self.high}; got {self.low}"
            raise UsageError(problem, parameter="low")

    @property
    def mean(self) -> float:
        """Expected value."""
        return (self.low + self.high) / 2

    @property
    def std(self) -> float:
        """Standard deviation."""
        return (self.high - self.low) / math.sqrt(12)

    def from_normal(self, z: FloatArray) -> FloatArray:
        """Turn standard normal numbers into values, in the same order."""
        share: FloatArray = scipy.special.ndtr(z)
        return self.low + (self.high - self.low) * share

    def cdf(self, x: FloatArray) -> FloatArray:
        """Return the chance of a value up to x."""
        return np.clip((x - self.low) / (self.high - self.low), 0, 1)

    def log_density(self, x: FloatArray) -> FloatArray:
        """Return the log-density."""
        is_inside = (x >= self.low) & (x <= self.high)
        return np.where(is_inside, -math.log(self.high - self.low), -np.inf)


def _check_finite(value: float, parameter: str) -> None:
    if not isinstance(value, int | float | np.number) or not math.isfinite(value):
        raise UsageError(f"must be a finite number; got {value!r}", parameter=parameter)


# Classes ---------------------------------------------------------------------------

ClassMixture = tuple[Component, ...]
Mixtures = tuple[ClassMixture, ...]


@dataclass(frozen=True, kw_only=True)
class Distribution(Method):
    """A setting: what the values of every class are drawn from.

    Attributes
    ----------
    mixtures : callable
        From the number of classes, the standard deviation of normal components and the
        factor of the distances between them to the components of every class.
    n_classes : int or None
        The only number of classes that it has; None for any.
    """

    mixtures: Callable[[int, float, float], Mixtures]
    n_classes: int | None = None


DISTRIBUTIONS: Registry[Distribution] = Registry()


def class_mixtures(
    distribution: Any, n_classes: int, *, std: float, class_sep: float
) -> Mixtures:
    """Return the components of every class, of a named setting or as given."""
    if not isinstance(distribution, str):
        return _given_mixtures(distribution, n_classes)
    chosen = DISTRIBUTIONS.choose(distribution, parameter="distribution")
    if chosen.n_classes not in (None, n_classes):
        raise UsageError(
            f"{distribution!r} has {chosen.n_classes} classes, not {n_classes}",
            parameter="distribution",
        )
    return chosen.mixtures(n_classes, std, class_sep)


def with_std_ratio(mixtures: Mixtures, ratio: float) -> Mixtures:
    """Widen the normal components of every class, the last by `ratio`."""
    last = max(len(mixtures) - 1, 1)
    return tuple(
        tuple(
            replace(part, scale=part.scale * ratio ** (k / last))
            if isinstance(part, Normal)
            else part
            for part in parts
        )
        for k, parts in enumerate(mixtures)
    )


def _given_mixtures(distribution: Any, n_classes: int) -> Mixtures:
    mixtures = []
    given = list(distribution) if isinstance(distribution, Sequence) else []
    for entry in given:
        parts = (entry,) if isinstance(entry, Component) else entry
        is_usable = isinstance(parts, Sequence) and not isinstance(parts, str)
        if (
            not is_usable
            or not parts
            or not all(isinstance(p, Component) for p in parts)
        ):
            raise UsageError(
                "must name a setting or hold, for every class, Normal, Poisson or "
                f"Uniform components; got {entry!r}",
                parameter="distribution",
            )
        mixtures.append(tuple(parts))
    if len(mixtures) != n_classes:
        problem = f"describes {len(mixtures)} classes; there are {n_classes}"
        raise UsageError(problem, parameter="distribution")
    return tuple(mixtures)


def _centres(n_classes: int) -> list[int]:
    """Return whole numbers around zero, and zero for an odd number of classes."""
    upper = list(range(n_classes // 2, 0, -1))
    return [*upper, *([0] if n_classes % 2 else []), *(-u for u in reversed(upper))]


def _gaussian(n_classes: int, std: float, class_sep: float) -> Mixtures:
    return tuple((Normal(class_sep * u, std),) for u in _centres(n_classes))


DISTRIBUTIONS.add(
    Distribution(
        name="gaussian",
        title="normal classes",
        summary="class means 1, 0, -1 in every feature",
        reference=HENRIQUES,
        mixtures=_gaussian,
    )
)


def _gaussian_mixture(n_classes: int, std: float, class_sep: float) -> Mixtures:
    # The paper's class at 1 is found at -1 and 2, its class at -1 at -2 and 1.
    places = [
        (u - 2 * np.sign(u), u + np.sign(u)) if u else (0,) for u in _centres(n_classes)
    ]
    return tuple(
        tuple(Normal(class_sep * place, std) for place in own) for own in places
    )


DISTRIBUTIONS.add(
    Distribution(
        name="gaussian-mixture",
        title="normal mixtures",
        summary="a class at u is found on either side, at -1 and 2 for u = 1",
        reference=HENRIQUES,
        mixtures=_gaussian_mixture,
    )
)


def _gaussian_poisson(n_classes: int, std: float, class_sep: float) -> Mixtures:
    return tuple(
        (Normal(class_sep * u, std), Poisson(4.0 + place))
        for place, u in enumerate(_centres(n_classes))
    )


DISTRIBUTIONS.add(
    Distribution(
        name="gaussian-poisson",
        title="normal values and counts",
        summary="with Poisson counts of rate 4, 5, 6",
        reference=HENRIQUES,
        mixtures=_gaussian_poisson,
    )
)


def _gaussian_uniform(n_classes: int, std: float, class_sep: float) -> Mixtures:
    return tuple(
        (
            Normal(class_sep * u, std),
            Uniform(class_sep * u + _TAIL[0] * std, class_sep * u + _TAIL[1] * std),
        )
        for u in _centres(n_classes)
    )


DISTRIBUTIONS.add(
    Distribution(
        name="gaussian-uniform",
        title="normal values with a tail",
        summary="with uniform values 3 to 6.7 standard deviations above",
        reference=GUO,
        mixtures=_gaussian_uniform,
    )
)


def _bimodal(n_classes: int, std: float, class_sep: float) -> Mixtures:
    del n_classes
    return (Normal(0.0, std),), (Normal(class_sep, std), Normal(-class_sep, std))


DISTRIBUTIONS.add(
    Distribution(
        name="bimodal",
        title="one class between the halves of the other",
        summary="one class at 0, the other at 1 and -1",
        reference=HUA,
        mixtures=_bimodal,
        n_classes=2,
    )
)


def pooled_moments(mixtures: Mixtures, shares: FloatArray) -> tuple[float, float]:
    """Return mean and standard deviation of a feature over all classes."""
    weights, means, squares = [], [], []
    for share, parts in zip(shares, mixtures, strict=True):
        for part in parts:
            weights.append(share / len(parts))
            means.append(part.mean)
            squares.append(part.std**2 + part.mean**2)
    mean = float(np.dot(weights, means))
    return mean, float(np.sqrt(np.dot(weights, squares) - mean**2))


def value_range(mixtures: Mixtures, shares: FloatArray) -> tuple[float, float]:
    """Return the ends between which 99.8 % of the values of a feature lie.

    Sample ranges grow with the number of samples; this one does not.
    """
    mean, std = pooled_moments(mixtures, shares)

    def below(x: float, chance: float) -> float:
        at = np.array([x])
        total = sum(
            share * np.mean([part.cdf(at)[0] for part in parts])
            for share, parts in zip(shares, mixtures, strict=True)
        )
        return float(total) - chance

    reach = 40 * std  # by Chebyshev no quantile of 0.001 lies farther
    low, high = (
        scipy.optimize.brentq(
            below, mean - reach, mean + reach, args=(chance,), xtol=1e-9 * std
        )
        for chance in (_OUTSIDE, 1 - _OUTSIDE)
    )
    return float(low), float(high)


@dataclass(frozen=True)
class Cut(Values):
    """Whether a value of a component lies above a cut: 1 or 0."""

    part: Component
    cut: float

    @property
    def is_discrete(self) -> bool:
        """Whether values are whole numbers."""
        return True

    def draw(self, z: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Make values from standard normal numbers alone."""
        del rng
        return (self.part.from_normal(z) > self.cut).astype(np.float64)

    @property
    def chance(self) -> float:
        """Chance of a one."""
        return 1 - float(self.part.cdf(np.array([self.cut]))[0])

    def cdf(self, x: FloatArray) -> FloatArray:
        """Return the chance of a value up to x."""
        return np.where(x < 0, 0.0, np.where(x < 1, 1 - self.chance, 1.0))

    def log_density(self, x: FloatArray) -> FloatArray:
        """Return the log-probability; minus infinity elsewhere."""
        with np.errstate(divide="ignore"):
            one, none = np.log(self.chance), np.log1p(-self.chance)
        found: FloatArray = np.where(x == 1, one, np.where(x == 0, none, -np.inf))
        return found


# Skew ------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Skew:
    """How many features are skewed, and how.

    Attributes
    ----------
    share : float
        Share of the features that are skewed, from 0 to 1.
    kind : str
        How they are skewed, one of `SKEWS`.
    tail_share : float
        Of kind ``"tail"``: share of their values that lie far out, from 0 to 0.99.
    skewness : float
        Of kind ``"gamma"``: third standardised moment.
    """

    share: float = 0.0
    kind: str = "tail"
    tail_share: float = 0.2
    skewness: float = 2.0

    def __post_init__(self) -> None:
        check_share(self.share, "share")
        check_one_of(self.kind, "kind", tuple(SKEWS))
        check_share(self.tail_share, "tail_share", most=0.99)
        check_positive(self.skewness, "skewness")


@dataclass(frozen=True, kw_only=True)
class SkewMethod(Method):
    """A way to skew the values of a component.

    Attributes
    ----------
    skewed : callable
        From a component, the settings, and mean and standard deviation of the feature
        to what its values follow then.
    only_hides : bool
        Whether skewed values come from the others without a look at the class, so that
        they can only hide it.
    keeps_moments : bool
        Whether mean and standard deviation of the component stay.
    """

    skewed: Callable[[Component, Skew, float, float], Values]
    only_hides: bool = False
    keeps_moments: bool = False


SKEWS: Registry[SkewMethod] = Registry()


@dataclass(frozen=True)
class _Tailed(Values):
    """Values of a component, of which a share lies far above, whatever the class."""

    part: Component
    tail: Uniform
    share: float

    @property
    def is_discrete(self) -> bool:
        return self.part.is_discrete

    def draw(self, z: FloatArray, rng: np.random.Generator) -> FloatArray:
        is_far = rng.random(z.shape) < self.share
        far = rng.uniform(self.tail.low, self.tail.high, size=z.shape)
        return np.where(is_far, far, self.part.from_normal(z))

    def cdf(self, x: FloatArray) -> FloatArray:
        return (1 - self.share) * self.part.cdf(x) + self.share * self.tail.cdf(x)

    def log_density(self, x: FloatArray) -> FloatArray:
        own: FloatArray = np.log1p(-self.share) + self.part.log_density(x)
        if not self.share:
            return own
        far: FloatArray = np.log(self.share) + self.tail.log_density(x)
        if self.is_discrete:
            # Counts are whole numbers; the tail, which any part may have, is not.
            return np.where(x == np.floor(x), own, far)
        both: FloatArray = np.logaddexp(own, far)
        return both


def _tailed(part: Component, skew: Skew, mean: float, std: float) -> Values:
    tail = Uniform(mean + _TAIL[0] * std, mean + _TAIL[1] * std)
    return _Tailed(part, tail, skew.tail_share)


SKEWS.add(
    SkewMethod(
        name="tail",
        title="a tail",
        summary="a share of the values lies 3 to 6.7 standard deviations above the "
        "mean of the feature, whatever the class",
        reference=GUO,
        skewed=_tailed,
        only_hides=True,
    )
)


@dataclass(frozen=True)
class _Gamma(Values):
    """Gamma values with the mean and the standard deviation of a component."""

    mean: float
    std: float
    skewness: float

    @property
    def shape(self) -> float:
        return 4 / self.skewness**2

    def draw(self, z: FloatArray, rng: np.random.Generator) -> FloatArray:
        del rng
        g: FloatArray = scipy.special.gammaincinv(self.shape, scipy.special.ndtr(z))
        scaled: FloatArray = (g - self.shape) / np.sqrt(self.shape)
        return self.mean + self.std * scaled

    def cdf(self, x: FloatArray) -> FloatArray:
        at = np.maximum(self._standard(x), 0)
        below: FloatArray = scipy.special.gammainc(self.shape, at)
        return below

    def log_density(self, x: FloatArray) -> FloatArray:
        g = self._standard(x)
        inside = np.maximum(g, 1e-300)
        log = (self.shape - 1) * np.log(inside) - inside
        log -= scipy.special.gammaln(self.shape)
        log -= np.log(self.std / np.sqrt(self.shape))
        return np.where(g > 0, log, -np.inf)

    def _standard(self, x: FloatArray) -> FloatArray:
        """Return the gamma numbers of scale one behind values."""
        scaled: FloatArray = (x - self.mean) / self.std
        return self.shape + math.sqrt(self.shape) * scaled


def _gamma(part: Component, skew: Skew, mean: float, std: float) -> Values:
    del mean, std
    return _Gamma(part.mean, part.std, skew.skewness)


SKEWS.add(
    SkewMethod(
        name="gamma",
        title="gamma values",
        summary="gamma values with the mean and the standard deviation of their "
        "component",
        skewed=_gamma,
        keeps_moments=True,
    )
)
