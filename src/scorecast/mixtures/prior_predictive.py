"""What a prior believes before it has seen any value."""

from __future__ import annotations

import numpy as np

from scorecast._core.rng import as_generator
from scorecast._core.types import FloatArray, RandomState
from scorecast.mixtures.kept import KeptMixture
from scorecast.mixtures.mixture import SkewStudentMixture
from scorecast.mixtures.posterior import as_mixture
from scorecast.mixtures.prior import Prior

__all__ = ["sample_prior", "sample_prior_means"]


def sample_prior_means(
    prior: Prior, n: int, *, random_state: RandomState = None
) -> FloatArray:
    """Draw means of mixtures from the prior.

    Parameters
    ----------
    prior : Prior
        The prior.
    n : int
        Number of draws.
    random_state : int, Generator or None
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
    prior: Prior, n: int, *, random_state: RandomState = None
) -> tuple[SkewStudentMixture, ...]:
    """Draw mixtures from the prior.

    Parameters
    ----------
    prior : Prior
        The prior.
    n : int
        Number of draws.
    random_state : int, Generator or None
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
