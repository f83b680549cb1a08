"""How many independent examples the evidence is worth.

Examples of one class share its difficulty, so fifty of them tell less than fifty
classes would. The intraclass correlation says by how much.
"""

from __future__ import annotations

import numpy as np

from scorecast._core.types import BoolArray, FloatArray
from scorecast.classes.evidence import Evidence
from scorecast.scores import chances_right

__all__ = ["effective_size"]

_USUAL_CORRELATION = 0.2  # leaned on where there are few classes
_CLASSES_WORTH = 10  # number of classes with a mistake that guess is worth


def effective_size(evidence: Evidence, right: BoolArray | None = None) -> float:
    """Count the independent examples that would tell as much as those at hand.

    Parameters
    ----------
    evidence : Evidence
        The observed classes.
    right : ndarray of bool, optional
        Examples to take as right, whatever they were.

    Returns
    -------
    float
        The number of examples over their design effect ``1 + (m - 1) * rho``, with
        m the examples per class and rho the correlation within a class of the chance
        to be right among half of the classes. Only classes that were mistaken tell
        anything about rho; without any it is the usual one.
    """
    own = evidence.ranking.own
    counts = np.bincount(own, minlength=evidence.n_classes)
    n_examples = own.size
    per_class = float((counts.astype(np.float64) ** 2).sum() / n_examples)
    if per_class <= 1:
        return float(n_examples)
    ranking = evidence.ranking
    beaten = ranking.n_above + ranking.n_tied // 2
    if right is not None:
        beaten = np.where(right, 0, beaten)
    n_mistaken = np.unique(own[beaten > 0]).size
    chances = _chances_among_half(evidence.n_classes)[beaten]
    measured = _intraclass_correlation(chances, own)
    share = n_mistaken / (n_mistaken + _CLASSES_WORTH)
    rho = share * measured + (1 - share) * _USUAL_CORRELATION
    return n_examples / (1 + (per_class - 1) * rho)


def _chances_among_half(n_classes: int) -> FloatArray:
    half = np.array([max(2, (n_classes + 1) // 2)])
    chances: FloatArray = chances_right(n_classes, half)[0]
    return chances


def _intraclass_correlation(
    values: FloatArray, own: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> float:
    """Estimate the correlation within classes from a one-way analysis of variance."""
    counts = np.bincount(own)
    means = np.bincount(own, values) / np.maximum(counts, 1)
    counts, n = counts[counts > 0], values.size
    n_tested = counts.size
    within = float(((values - means[own]) ** 2).sum())
    total = float(((values - values.mean()) ** 2).sum())
    if n == n_tested or n_tested < 2 or total <= 0:
        return _USUAL_CORRELATION
    mean_within = within / (n - n_tested)
    mean_between = (total - within) / (n_tested - 1)
    typical = (n - float((counts.astype(np.float64) ** 2).sum()) / n) / (n_tested - 1)
    rho = (mean_between - mean_within) / (mean_between + (typical - 1) * mean_within)
    return float(np.clip(rho, 0, 1))
