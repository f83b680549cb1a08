"""What a forecast assumes, what was checked, and what to beware of, in words."""

from __future__ import annotations

from scorecast._core.types import IntArray
from scorecast.classes.evidence import Evidence
from scorecast.classes.extrapolation import FAR
from scorecast.classes.intervals import looks_like_chance
from scorecast.exceptions import DataWarning
from scorecast.scores import Marginality, marginality, score_notes, score_warning

__all__ = ["describe_assumptions", "describe_cautions"]

_FEW_CLASSES = 10


def describe_assumptions(evidence: Evidence) -> tuple[str, ...]:
    """List what must hold for the forecast to hold.

    Parameters
    ----------
    evidence : Evidence
        The observed classes.

    Returns
    -------
    tuple of str
        The first two are short enough for the terminal.
    """
    return (
        "new classes resemble these: they are drawn from the same population "
        "(cannot be checked from the data)",
        _marginal(evidence),
        "classes, not examples, are the sampling unit: examples of one class do not "
        "count as independent",
        f"every {'class' if evidence.average == 'macro' else 'example'} counts the "
        f"same ({evidence.average} average); ties are {_TIES[evidence.ties]}",
    )


def describe_cautions(evidence: Evidence, targets: IntArray) -> list[str]:
    """List what the reader must know before using the numbers.

    Parameters
    ----------
    evidence : Evidence
        The observed classes.
    targets : ndarray of int64
        Numbers of classes asked for.

    Returns
    -------
    list of str
        One sentence each.
    """
    n_classes = evidence.n_classes
    found = []
    ratio = int(targets.max()) / n_classes
    if ratio > FAR:
        found.append(
            f"{int(targets.max()):,} classes are {ratio:,.0f} times the {n_classes:,} "
            "observed: a rough guide at best."
        )
    if evidence.ranks.is_only_bound and targets.max() > n_classes:
        found.append(
            "Every example is right among the observed classes: how soon mistakes will "
            "come is told by what is usual of recognisers and by the scores. Test with "
            "more classes, or harder ones, to learn more."
        )
    elif looks_like_chance(evidence):
        found.append(
            "Guessing could have given these ranks, so the intervals reach to chance."
        )
    if evidence.ranks.accuracy <= 0:
        found.append("No example is right among the observed classes.")
    if n_classes < _FEW_CLASSES:
        found.append(
            f"Only {n_classes} classes were observed: intervals are rough with fewer "
            f"than {_FEW_CLASSES}."
        )
    notes = score_notes(evidence.data, evidence.ranking)
    return found + [_sentence(score_warning(note)) for note in notes]


def _sentence(warning: DataWarning) -> str:
    text = str(warning)
    return text[0].upper() + text[1:] + ("" if text.endswith(".") else ".")


_TIES = {
    "random": "counted as their expectation under random breaking",
    "optimistic": "counted as won",
    "pessimistic": "counted as lost",
}


def _marginal(evidence: Evidence) -> str:
    return _MARGINALITY[marginality(evidence.data)]


_MARGINALITY = {
    Marginality.EMBEDDINGS: (
        "each class is scored on its own: true of embeddings that were fixed "
        "before these classes were seen"
    ),
    Marginality.MARGINAL: ("each class is scored on its own: true of this classifier"),
    Marginality.COUPLED: (
        "each class is scored on its own; these scores come from a model trained "
        "with all classes at once, so the forecast is approximate"
    ),
    Marginality.UNKNOWN: (
        "each class is scored on its own (not so for logistic regression, trees, "
        "networks trained on these classes: there it is approximate)"
    ),
}
