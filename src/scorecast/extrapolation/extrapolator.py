r"""What an extrapolator is, and the laws of favourability that they end with.

The favourability U of a sample is the chance that a random wrong class scores below its
true class. Its distribution function D(u), the *discriminability function*, holds all
there is to know about accuracy at any number of classes:

.. math:: \mathrm{accuracy}(k) = E\,U^{k-1}.

Within m guesses a sample is right if fewer than m wrong classes beat it, and the number
of those among k - 1 is binomial with chance 1 - U. Fits do not change with m; only the
question does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Protocol, Self

import numpy as np
import scipy

from scorecast._core.near_names import near_name
from scorecast._core.registry import Method, Registry
from scorecast._core.types import FloatArray, IntArray
from scorecast.exceptions import UnknownParameterError, UsageError
from scorecast.extrapolation.observed import ObservedClasses, RankHistogram
from scorecast.scores import probit_grid

_MOST_TERMS = 100  # guesses up to which the binomial is summed term by term
_MOST_LOG = 300.0  # where U is zero its powers are, too
_FLOOR = 1e-12
_SLACK, _FEW_MISTAKES = 0.0004, 20  # accuracy that making one right may cost


class Law(Protocol):
    """What a fitted extrapolator can be asked."""

    def accuracy(self, ks: IntArray, top: int = 1) -> FloatArray:
        """Return the expected accuracy at numbers of classes, within some guesses."""

    def discriminability(self, u: FloatArray) -> FloatArray:
        """Return D(u), the chance that a sample's favourability is at most u."""


@dataclass(frozen=True, kw_only=True, eq=False)
class BandwidthFit:
    """One of several bandwidths.

    Attributes
    ----------
    bandwidth : float
        The bandwidth.
    law : Law
        The fit to all classes.
    rmse : float
        Error in predicting all classes from half of them.
    """

    bandwidth: float
    law: Law
    rmse: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Fit:
    """An extrapolator fitted to the observed classes.

    Attributes
    ----------
    law : Law
        Answers for any number of classes.
    tuned : Extrapolator
        The method with what it chose for itself, such as a bandwidth, held fixed.
    bandwidth : float or None
        What it chose, if it is one that chooses.
    n_effective : float or None
        Number of independent samples that the data count as.
    parameters : mapping
        Parameters of the law by name, where it has a few.
    by_bandwidth : tuple of BandwidthFit
        All bandwidths that were tried.
    kept : object
        What a fit without some classes can use again.
    """

    law: Law
    tuned: Extrapolator
    bandwidth: float | None = None
    n_effective: float | None = None
    parameters: Mapping[str, float] = field(default_factory=dict)
    by_bandwidth: tuple[BandwidthFit, ...] = ()
    kept: Any = None


@dataclass(frozen=True, kw_only=True)
class Extrapolator(Method, ABC):
    """A way to extrapolate accuracy to more classes; its fields are its settings.

    Attributes
    ----------
    uses_scores : bool
        Whether it looks beyond ranks. If not, an increasing map of the scores changes
        nothing.
    handles_top : bool
        Whether it can be asked for accuracy within several guesses.
    is_compared : bool
        Whether it is shown beside "auto".
    has_own_spread : bool
        Whether its fits know how far off they may be; else classes are left out.
    max_cells : int or None
        Scores beyond which it is not fitted unless asked for by name.
    """

    uses_scores: ClassVar[bool] = False
    handles_top: ClassVar[bool] = True
    is_compared: ClassVar[bool] = False
    has_own_spread: ClassVar[bool] = False
    max_cells: ClassVar[int | None] = None

    @abstractmethod
    def fit(
        self,
        observed: ObservedClasses,
        rng: np.random.Generator,
        *,
        n_jobs: int | None = None,
    ) -> Fit:
        """Learn the law of favourability from the observed classes."""

    def fit_left_out(
        self, observed: ObservedClasses, fit: Fit, *, n_jobs: int | None = None
    ) -> Sequence[Law]:
        """Fit again with each group of classes left out, choices held fixed.

        Nobody asks a method whose fits know their own spread.
        """
        raise NotImplementedError(self.name)

    def setting_names(self) -> list[str]:
        """Return what can be set."""
        return [f.name for f in fields(self) if f.name not in _OF_EVERY_METHOD]

    def usual_settings(self) -> dict[str, Any]:
        """Return what can be set, as it is."""
        return {name: getattr(self, name) for name in self.setting_names()}

    def settings(self) -> dict[str, Any]:
        """Return the settings that differ from those of the method of this name."""
        usual = EXTRAPOLATORS.get(self.name)
        given = self.usual_settings()
        if usual is None:
            return given
        return {k: v for k, v in given.items() if v != getattr(usual, k)}

    def with_settings(self, **settings: Any) -> Self:
        """Return the same method with other settings; refuse what it does not have."""
        known = self.setting_names()
        for name in settings:
            if name not in known:
                near = near_name(name, known)
                raise UnknownParameterError(
                    f"{self.name} has no setting {name!r}; it has: "
                    f"{', '.join(known) or 'none'}",
                    parameter="method",
                    remedy=f"try {near!r}" if near else None,
                )
        return replace(self, **settings)


_OF_EVERY_METHOD = {f.name for f in fields(Method)}


@dataclass(frozen=True, kw_only=True)
class RankExtrapolator(Extrapolator):
    """A method that sees nothing but the histogram of ranks."""

    @abstractmethod
    def fit_ranks(self, ranks: RankHistogram, start: Law | None = None) -> Law:
        """Fit a histogram, perhaps from a fit to nearly the same one."""

    def fit(
        self,
        observed: ObservedClasses,
        rng: np.random.Generator,  # noqa: ARG002 - nothing to choose at random
        *,
        n_jobs: int | None = None,  # noqa: ARG002 - quick
    ) -> Fit:
        """Learn the law of favourability from ranks."""
        return Fit(law=self.fit_ranks(observed.ranks), tuned=self)

    def fit_left_out(
        self,
        observed: ObservedClasses,
        fit: Fit,
        *,
        n_jobs: int | None = None,  # noqa: ARG002
    ) -> Sequence[Law]:
        """Fit again with each group of classes left out."""
        return [self.fit_ranks(ranks, fit.law) for ranks in observed.ranks_left_out]


EXTRAPOLATORS: Registry[Extrapolator] = Registry()


def choose_extrapolator(method: str | Extrapolator, top: int = 1) -> Extrapolator:
    """Return a method by its name or as it is; refuse one that cannot be asked.

    Raises
    ------
    UsageError
        If there is none of that name, or it has no answer within several guesses.
    """
    found = method
    if not isinstance(found, Extrapolator):
        found = EXTRAPOLATORS.choose(found, parameter="method")
    if top > 1 and not found.handles_top:
        able = ", ".join(EXTRAPOLATORS.select(handles_top=True))
        raise UsageError(
            f"{found.name} cannot forecast accuracy within several guesses; these can: "
            f"{able}",
            parameter="method",
        )
    return found


# --- laws that several methods end with ----------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class ProbitMixture:
    """Normal components for Phi^-1(U), and an atom of samples that are always right.

    Attributes
    ----------
    means, sds, weights : ndarray of shape (m,)
        The components.
    always_right : float
        Weight of U = 1.
    """

    means: FloatArray
    sds: FloatArray
    weights: FloatArray
    always_right: float = 0.0

    def accuracy(self, ks: IntArray, top: int = 1) -> FloatArray:
        """Return the expected accuracy at numbers of classes, within some guesses."""
        return self._atoms.accuracy(ks, top)

    @cached_property
    def _atoms(self) -> Atoms:
        used = self.weights != 0
        if not used.any():
            nothing = np.array([])
            return Atoms(
                log_u=nothing, p=nothing, masses=nothing, always_right=self.always_right
            )
        nodes, masses = probit_grid(self.means[used], self.sds[used])
        return Atoms.of_probits(
            nodes, masses @ self.weights[used], always_right=self.always_right
        )

    def discriminability(self, u: FloatArray) -> FloatArray:
        """Return D(u); weights that do not add up to one leave the rest at u = 0."""
        z = (scipy.special.ndtri(u)[:, None] - self.means) / self.sds
        never_right = 1 - self.always_right - self.weights.sum()
        below: FloatArray = scipy.special.ndtr(z) @ self.weights + never_right
        return np.where(u >= 1, 1.0, below)


@dataclass(frozen=True, kw_only=True, eq=False)
class EmpiricalFavourability:
    """One value of favourability per sample.

    Attributes
    ----------
    values, weights : ndarray of shape (n,)
        Estimated favourabilities and the weights of the samples.
    """

    values: FloatArray
    weights: FloatArray

    def accuracy(self, ks: IntArray, top: int = 1) -> FloatArray:
        """Return the expected accuracy at numbers of classes, within some guesses."""
        with np.errstate(divide="ignore"):
            logs = np.log(self.values)
        if top > 1:
            atoms = Atoms(log_u=logs, p=1 - self.values, masses=self.weights)
            return atoms.accuracy(ks, top)
        powers = [
            # U = 0 is right only where there is nothing to be confused with.
            self.weights @ (np.exp((k - 1) * logs) if k > 1 else np.ones_like(logs))
            for k in np.asarray(ks, dtype=np.float64)
        ]
        return np.array(powers)

    def discriminability(self, u: FloatArray) -> FloatArray:
        """Return the weighted share of samples with favourability at most u."""
        order = np.argsort(self.values)
        below = np.concatenate([[0.0], np.cumsum(self.weights[order])])
        at = np.searchsorted(self.values[order], u, side="right")
        share: FloatArray = np.minimum(below[at], 1.0)
        return share


@dataclass(frozen=True, kw_only=True, eq=False)
class Atoms:
    """Values of U with their masses; `p` is 1 - U to full precision.

    Attributes
    ----------
    log_u, p : ndarray of shape (n,)
        Logarithms of U, and 1 - U.
    masses : ndarray of shape (n,) or (n, m)
        Masses of the values, of one law or of m at once.
    always_right : float
        Mass of U = 1.
    """

    log_u: FloatArray
    p: FloatArray
    masses: FloatArray
    always_right: float = 0.0

    @classmethod
    def of_probits(
        cls, nodes: FloatArray, masses: FloatArray, *, always_right: float = 0.0
    ) -> Self:
        """Place masses at values of Phi^-1(U)."""
        special = scipy.special
        return cls(
            log_u=special.log_ndtr(nodes),
            p=special.ndtr(-nodes),
            masses=masses,
            always_right=always_right,
        )

    def accuracy(self, ks: IntArray, top: int = 1) -> FloatArray:
        """Return the expected accuracy at numbers of classes, within some guesses."""
        floats = np.asarray(ks, dtype=np.float64)
        if top == 1:
            powers = np.exp((floats[:, None] - 1) * self.log_u)
            accuracy: FloatArray = powers @ self.masses + self.always_right
            return accuracy
        # By its logarithm: 1 - p is zero long before U is.
        odds = self.p * np.exp(np.minimum(-self.log_u, _MOST_LOG))
        found = [self._chances(k - 1, top, odds) @ self.masses for k in floats]
        chances = np.minimum(np.array(found) + self.always_right, 1.0)
        is_sure = (floats <= top).reshape(-1, *[1] * (chances.ndim - 1))
        return np.where(is_sure, 1.0, chances)

    def _chances(self, n: float, top: int, odds: FloatArray) -> FloatArray:
        """Return P(Binomial(n, p) <= top - 1) at every value."""
        if n < top:
            return np.ones_like(self.p)
        if top > _MOST_TERMS:
            chances: FloatArray = scipy.special.betaincc(top, n - top + 1, self.p)
            return chances
        term = np.exp(n * self.log_u)
        total = term.copy()
        for j in range(1, top):
            term = term * ((n - j + 1) / j * odds)
            total += term
        return total


# --- laws that know how far off they may be ------------------------------------------


class UncertainLaw(ABC):
    """Base of laws that know their own spread, and what fewer mistakes would give.

    A recogniser that makes fewer mistakes is not forecast lower. The parameters of a
    law and the weights of a pool are estimated together, so making a bad mistake right
    can lower the forecast: the spread shrinks with it, and far out a wide law does
    better than a narrow one. Hence a forecast, and the lower end of its interval, is
    not above what it would be if the worst mistakes were right, but for an `allowance`:
    `better` gives the same, fitted to the data with ever more of them made right.

    An interval reaches as far down as laws below the forecast remain plausible, and as
    far up as those above it do. With hardly a mistake the log-odds are open upwards
    without end; that says nothing about how low they may be.
    """

    allowance: float = 0.0

    @abstractmethod
    def better(self, top: int) -> Sequence[UncertainLaw]:
        """Return the same of better recognisers."""

    @abstractmethod
    def own_accuracy(self, ks: IntArray, top: int = 1) -> FloatArray:
        """Return the accuracy by this fit alone."""

    @abstractmethod
    def logit_spread(self, ks: IntArray, top: int = 1) -> tuple[FloatArray, FloatArray]:
        """Return the standard deviations below and above its log-odds, alone."""

    def accuracy(self, ks: IntArray, top: int = 1) -> FloatArray:
        """Return the expected accuracy at numbers of classes, within some guesses."""
        least = self.own_accuracy(ks, top)
        for law in self.better(top):
            least = np.minimum(least, law.own_accuracy(ks, top) + law.allowance)
        return least

    def ends(
        self, ks: IntArray, width: float, top: int = 1
    ) -> tuple[FloatArray, FloatArray]:
        """Return the accuracy so many standard deviations down and up."""
        expit = scipy.special.expit
        below, above = self.logit_spread(ks, top)
        odds = clipped_logit(self.own_accuracy(ks, top))
        low, high = expit(odds - width * below), expit(odds + width * above)
        for law in self.better(top):
            odds = clipped_logit(law.own_accuracy(ks, top))
            spread = law.logit_spread(ks, top)[0]
            low = np.minimum(low, expit(odds - width * spread) + law.allowance)
        centre = self.accuracy(ks, top)
        return np.minimum(low, centre), np.maximum(high, centre)


def allowance(n_righted: int, n_wrong: int) -> float:
    """Return what is allowed for taking some of all mistakes as right.

    Nothing for one: where one is left, nothing can fall. A little for each beyond, the
    more the more mistakes there are: with hundreds of them what would be if most were
    right has no say, and one step is small anyway.
    """
    return _SLACK * max(n_wrong / _FEW_MISTAKES, 1.0) * max(n_righted - 1, 0)


def clipped_logit(accuracy: FloatArray, floor: float = _FLOOR) -> FloatArray:
    """Return log-odds, kept finite at 0 and 1."""
    odds: FloatArray = scipy.special.logit(np.clip(accuracy, floor, 1 - floor))
    return odds


def semideviations(
    odds: FloatArray, centre: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the root mean squares below and above a centre, each as if of both sides.

    `odds` has one column per plausible law, `weights` their weights; both results are
    the standard deviation where the odds are spread evenly.
    """
    away = odds - centre[:, None]
    below: FloatArray = np.sqrt(2 * (np.minimum(away, 0) ** 2 @ weights))
    above: FloatArray = np.sqrt(2 * (np.maximum(away, 0) ** 2 @ weights))
    return below, above
