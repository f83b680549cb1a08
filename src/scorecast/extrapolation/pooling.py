"""Pool what ranks say with what the tail of the impostors' scores says.

Both are opinions about the log-odds of being right, and are averaged by how far each
can be trusted: ranks by the number of samples, the tail by the number of classes and by
how far halves of the classes disagree with all of them. Weights change neither with the
number of classes that is asked for nor with how many mistakes were made, so accuracy
decreases as both opinions do, and fewer mistakes do not shift the weights against it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from scorecast._core.types import FloatArray, IntArray
from scorecast.extrapolation.bayesian import RankPosterior
from scorecast.extrapolation.extrapolator import UncertainLaw, clipped_logit
from scorecast.extrapolation.tail import TailLaw


@dataclass(frozen=True, kw_only=True)
class PoolingConstants:
    """What was learnt once about how far opinions may be wrong, in log-odds.

    Chosen on some of the families of ``benchmarks/auto_families.py`` and judged on
    others (``docs/decisions/0003-auto.md``).

    Attributes
    ----------
    rank_doubt : tuple of float
        Doubt that weighs the ranks: ever, and over the root of the samples.
    tail_doubt : tuple of float
        Doubt that weighs the tail: ever, and over the classes.
    halves_doubt : float
        Share of the squared disagreement of halves that counts against the tail.
    reference : int
        Times the observed classes, where halves of them are compared with all.
    rank_misfit : float
        By how much the family of the ranks may be wrong.
    tail_misfit : tuple of float
        The same of the tail: ever, and over the root of the classes.
    halves : float
        Share of it that counts as variance.
    apart : float
        The same of the disagreement of both opinions.
    enough : float
        Share of the spread that covers: errors are not quite as alike as taken.
    sampling : float
        Share of what the choice of the samples alone leaves open that is never cut.
    said : tuple of float
        Disagreement of halves from which it is said: ever, and times the tail's doubt.
    """

    rank_doubt: tuple[float, float] = (0.1, 4.0)
    tail_doubt: tuple[float, float] = (0.1, 20.0)
    halves_doubt: float = 0.7
    reference: int = 10
    rank_misfit: float = 0.1
    tail_misfit: tuple[float, float] = (0.1, 0.3)
    halves: float = 0.25
    apart: float = 0.25
    enough: float = 0.87
    sampling: float = 1.0
    said: tuple[float, float] = (0.3, 1.5)


CONSTANTS = PoolingConstants()


@dataclass(frozen=True, kw_only=True, eq=False)
class Pool(UncertainLaw):
    """A weighted mean of two opinions on the log-odds scale.

    Attributes
    ----------
    ranks : RankPosterior
        What the ranks say.
    tail : TailLaw or None
        What the scores say, where they say anything.
    n_classes : int
        Number of classes observed.
    n_effective : float
        Number of independent samples.
    drift : float
        Log-odds by which ranks may go astray per factor e in classes.
    flawless : Pool or None
        The same if every sample were right.
    allowance : float
        What is allowed for the mistakes taken as right here.
    """

    ranks: RankPosterior
    tail: TailLaw | None
    n_classes: int
    n_effective: float
    drift: float
    flawless: Pool | None = None
    allowance: float = 0.0

    def better(self, top: int) -> Sequence[Pool]:  # noqa: ARG002
        """Return the same of a recogniser without a mistake."""
        return () if self.flawless is None else (self.flawless,)

    @cached_property
    def tail_weight(self) -> float:
        """How much the tail counts, from 0 to 1."""
        if self.tail is None:
            return 0.0
        ever, over_root = CONSTANTS.rank_doubt
        of_ranks = (ever + over_root / np.sqrt(self.n_effective)) ** 2
        doubted = CONSTANTS.halves_doubt * self.disagreement**2
        return float(of_ranks / (of_ranks + self._tail_doubt**2 + doubted))

    @property
    def _tail_doubt(self) -> float:
        ever, over = CONSTANTS.tail_doubt
        return ever + over / self.n_classes

    @property
    def are_halves_apart(self) -> bool:
        """Whether halves of the classes disagree so far with all that it is said."""
        ever, times = CONSTANTS.said
        return abs(self.disagreement) > max(ever, times * self._tail_doubt)

    @cached_property
    def disagreement(self) -> float:
        """By how much all classes say more than halves of them, in log-odds."""
        if self.tail is None:
            return 0.0
        at = np.array([CONSTANTS.reference * self.n_classes])
        return float(self.tail.disagreement(at)[0])

    def own_accuracy(self, ks: IntArray, top: int = 1) -> FloatArray:
        """Return the accuracy by this pool alone."""
        accuracy: FloatArray = scipy.special.expit(self._pooled(self._odds(ks, top)))
        return np.where(np.asarray(ks) > top, accuracy, 1.0)

    def _odds(self, ks: IntArray, top: int) -> FloatArray:
        """Return the log-odds by ranks and by the tail, one row each."""
        laws: list[UncertainLaw] = [self.ranks]
        if self.tail is not None:
            laws.append(self.tail)
        return clipped_logit(np.array([law.accuracy(ks, top) for law in laws]))

    def _pooled(self, of_parts: FloatArray) -> FloatArray:
        share = self.tail_weight
        pooled: FloatArray = (1 - share) * of_parts[0]
        return pooled if self.tail is None else pooled + share * of_parts[1]

    def logit_spread(self, ks: IntArray, top: int = 1) -> tuple[FloatArray, FloatArray]:
        """Return the standard deviations of the pooled log-odds, down and up."""
        return self._spread(ks, 1.0, top)

    def ends(
        self, ks: IntArray, width: float, top: int = 1
    ) -> tuple[FloatArray, FloatArray]:
        """Return the accuracy so many standard deviations down and up."""
        low, high = self._own_ends(ks, width, top)
        for law in self.better(top):
            low = np.minimum(low, law._own_ends(ks, width, top)[0] + law.allowance)
        centre = self.accuracy(ks, top)
        return np.minimum(low, centre), np.maximum(high, centre)

    def _own_ends(
        self, ks: IntArray, width: float, top: int
    ) -> tuple[FloatArray, FloatArray]:
        odds = self._pooled(self._odds(ks, top))
        below, above = self._spread(ks, width, top)
        expit = scipy.special.expit
        return expit(odds - width * below), expit(odds + width * above)

    def _spread(
        self, ks: IntArray, width: float, top: int
    ) -> tuple[FloatArray, FloatArray]:
        """Return standard deviations that serve an interval of some width.

        Both opinions rest on the same classes, so their errors are taken as alike; to
        that comes a part of their disagreement.
        """
        odds = self._odds(ks, top)
        beyond = np.log(np.maximum(np.asarray(ks) / self.n_classes, 1.0))
        misfit = CONSTANTS.rank_misfit**2 + (self.drift * beyond) ** 2
        # The lower end of ranks is one that fewer mistakes do not lower.
        ends = clipped_logit(np.array(self.ranks.ends(ks, width, top)))
        of_ranks = np.sqrt(((ends - odds[0]) / width) ** 2 + misfit)
        if self.tail is None:
            return of_ranks[0], of_ranks[1]
        ever, over_root = CONSTANTS.tail_misfit
        sampling = self.tail.sampling_error(ks, top)
        of_tail = np.sqrt(
            (ever + over_root / np.sqrt(self.n_classes)) ** 2
            + sampling**2
            + CONSTANTS.halves * self.tail.disagreement(ks, top) ** 2
        )
        share = self.tail_weight
        apart = CONSTANTS.apart * share * (1 - share) * (odds[1] - odds[0]) ** 2
        alike = (1 - share) * of_ranks + share * of_tail
        whole = CONSTANTS.enough * np.sqrt(alike**2 + apart)
        below, above = np.maximum(whole, CONSTANTS.sampling * sampling)
        return below, above

    def discriminability(self, u: FloatArray) -> FloatArray:
        """Return the weighted mean of the opinions' D(u)."""
        found = self.ranks.discriminability(u)
        if self.tail is not None:
            share = self.tail_weight
            found = (1 - share) * found + share * self.tail.discriminability(u)
        return np.where(np.asarray(u) >= 1, 1.0, found)
