"""What sampling gives: draws of mixtures, summed up."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.types import FloatArray, IntArray
from scorecast.mixtures.diagnostics import (
    Diagnostics,
    diagnose,
    diagnose_short_chains,
)
from scorecast.mixtures.distributions import (
    KeptMixture,
    SkewStudentMixture,
    as_mixture,
    mixture_log_densities,
)
from scorecast.mixtures.prior import Prior


@dataclasses.dataclass(frozen=True, eq=False)
class MixturePosterior:
    """Draws from the posterior over mixtures.

    Parameters
    ----------
    means : array of shape (chains, draws, N)
        Mean of the mixture in each draw; infinite or NaN in draws that have none, as
        those with a component of tail m <= 1/2.
    centres : array of shape (chains, draws, N)
        The mean as if every scale were its own mean: always finite.
    n_components : array of shape (chains, draws)
        Number of components in each draw.
    log_likelihood : array of shape (chains, draws)
        Log likelihood in each draw, labels and scales integrated out.
    n_components_warmup : array of shape (chains, warmup)
        Number of components before the draws: how the chains came together.
    kept : tuple of KeptMixture
        Some draws in full, equally probable, all chains alike.
    prior : Prior
        The prior.
    n_cases : int
        Number of values.
    n_discarded : int
        Sweeps per chain that were run and not kept.
    n_groups : int, optional
        For many short chains: the groups that they form, by how they were started.
    """

    means: FloatArray
    centres: FloatArray
    n_components: IntArray
    log_likelihood: FloatArray
    n_components_warmup: IntArray
    kept: tuple[KeptMixture, ...]
    prior: Prior
    n_cases: int
    n_discarded: int
    n_groups: int | None = None

    @functools.cached_property
    def diagnostics(self) -> Diagnostics:
        """R-hat, effective sample sizes, and whether the run may be trusted."""
        if self.n_groups is not None:
            means = self.means[:, :, 0]
            return diagnose_short_chains(means, self.n_components, self.n_groups)
        return diagnose(self.means, self.n_components, self.centres)

    @functools.cached_property
    def mixtures(self) -> tuple[SkewStudentMixture, ...]:
        """The kept draws as distributions."""
        return tuple(as_mixture(one, self.prior.tail_kind) for one in self.kept)

    def log_densities(self, x: ArrayLike) -> FloatArray:
        """Return the log density of every kept draw.

        Parameters
        ----------
        x : array of shape (n,) or (n, N)
            Places.

        Returns
        -------
        array of shape (kept, n)
            Log densities.
        """
        if self.n_groups is not None:  # short chains, which compile nothing
            return mixture_log_densities(np.ravel(x).astype(np.float64), self.kept)
        # Compiled code is loaded only when it is used.
        from scorecast.mixtures.chain import mixture_log_density

        places = np.asarray(x, dtype=np.float64).reshape(-1, self.prior.n_dims)
        constants = self.prior.constants()
        return np.array([mixture_log_density(places, k, constants) for k in self.kept])

    def predictive_density(self, x: ArrayLike) -> FloatArray:
        """Return the density of the next value.

        Parameters
        ----------
        x : array of shape (n,) or (n, N)
            Places.

        Returns
        -------
        array of shape (n,)
            The average over the kept draws.
        """
        return np.asarray(np.exp(self.log_densities(x)).mean(axis=0))
