"""Random halves of the stimuli: a second opinion on the jackknife's error."""

from __future__ import annotations

import math

import numpy as np

from scorecast.exceptions import InsufficientDataError, UsageError
from scorecast.information.identification.separation import fit_separation
from scorecast.scores import Ranking, curve_of_ranking, curve_sizes

__all__ = ["subsample_stderr"]

_FEWEST = 6


def subsample_stderr(
    ranking: Ranking, n_subsamples: int, rng: np.random.Generator
) -> float:
    """Estimate the standard error of c from random halves of the stimuli.

    Drawn without replacement: a stimulus drawn twice would tie with itself. The spread
    of halves of n around the whole equals that of samples of n around the population.

    Parameters
    ----------
    ranking : Ranking
        All responses and stimuli.
    n_subsamples : int
        Number of halves.
    rng : numpy.random.Generator
        Source of the halves.

    Returns
    -------
    float
        Standard error of c.

    Raises
    ------
    UsageError
        If fewer than two halves are asked for.
    InsufficientDataError
        If there are too few stimuli to halve.
    """
    if n_subsamples < 2:
        msg = f"`n_subsamples` must be 2 or more; got {n_subsamples!r}."
        raise UsageError(msg)
    n = ranking.n_groups
    if n < _FEWEST:
        msg = f"Random halves need {_FEWEST} stimuli or more; there are {n}."
        raise InsufficientDataError(msg)
    half = n // 2
    found = []
    for _ in range(n_subsamples):
        kept = np.zeros(n, dtype=np.bool_)
        kept[rng.permutation(n)[:half]] = True
        part = ranking.restrict(kept)
        ks = curve_sizes(part.n_classes)
        curve = curve_of_ranking(part, ks, standard_errors=False)
        fit = fit_separation(ks.astype(np.float64), curve.accuracy)
        found.append(fit.value)
    scale = half / (n - half)
    return math.sqrt(scale * float(np.var(found, ddof=1)))
