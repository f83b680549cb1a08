"""Hide classes: what one would have known had fewer been observed."""

from __future__ import annotations

import numpy as np

from scorecast.classes.evidence import Evidence
from scorecast.exceptions import InsufficientDataError, UsageError

__all__ = ["hide_classes"]


def hide_classes(evidence: Evidence, n_kept: int, rng: np.random.Generator) -> Evidence:
    """Keep some classes at random, as if the others had never been seen.

    Classes are drawn without replacement: one drawn twice would tie with itself.

    Parameters
    ----------
    evidence : Evidence
        The observed classes.
    n_kept : int
        Number of classes to keep; met as nearly as whole groups of classes allow.
    rng : numpy.random.Generator
        Source of the draw.

    Returns
    -------
    Evidence
        The evidence of the classes kept.

    Raises
    ------
    UsageError
        If `n_kept` is below 2 or above the number of classes.
    InsufficientDataError
        If none of the classes drawn has an example.
    """
    if not 2 <= n_kept <= evidence.n_classes:
        msg = f"`n_kept` must lie in 2..{evidence.n_classes}; got {n_kept!r}."
        raise UsageError(msg)
    ranking = evidence.ranking
    n_groups = ranking.n_groups
    wanted = max(1, round(n_kept * n_groups / evidence.n_classes))
    kept = np.zeros(n_groups, dtype=bool)
    kept[rng.permutation(n_groups)[:wanted]] = True
    if not kept[ranking.group[ranking.own]].any():
        msg = f"None of the {n_kept} classes kept has an example."
        raise InsufficientDataError(msg)
    return evidence.restrict(kept)
