"""What a reader must know of predicted times, as codes and in words."""

from __future__ import annotations

import math
from enum import StrEnum

from scorecast._core.checks import warn
from scorecast._core.result import Note
from scorecast._core.rounding import told_apart
from scorecast.exceptions import ResultWarning, listed, quoted
from scorecast.mixtures import MOST_RHAT

_WHY_LEFT_OUT = {
    "constant": "it does not vary among the other cases",
    "copy": "it says the same as another covariate there",
}
_WHY_LEAK = {
    "later-time": "it is never below the time, as a later time would be",
    "row-number": (
        "it holds another whole number in every row, as a case number would"
    ),
    "outcome": "it is 1 wherever the event was seen, as another outcome would be",
}


class SurvivalNote(StrEnum):
    """Codes of what is to be known of an evaluation.

    ``left-out``: a covariate (``names[0]``) and why (``names[1]``), in ``count`` of
    ``total`` folds. ``singular``: ``value`` was added in ``count`` of ``total`` fits.
    ``few-events``: ``count``. ``few-events-in-fold``: ``count`` of ``total`` are left.
    ``folds-unconverged``: ``count`` of ``total`` fits, in the folds of ``names``; the
    worst R-hat is ``value``. ``baseline-failed``: ``model``, and why (``names``).
    ``curves-unconverged``, ``predictions-unconverged``: ``names`` say why.
    ``determined``: covariates (``names``) that give one another away. ``leak``: a
    covariate (``names[0]``) and what it looks like (``names[1]``).
    """

    LEFT_OUT = "left-out"
    SINGULAR = "singular"
    FEW_EVENTS = "few-events"
    FEW_EVENTS_IN_FOLD = "few-events-in-fold"
    FOLDS_UNCONVERGED = "folds-unconverged"
    BASELINE_FAILED = "baseline-failed"
    CURVES_UNCONVERGED = "curves-unconverged"
    PREDICTIONS_UNCONVERGED = "predictions-unconverged"
    DETERMINED = "determined"
    LEAK = "leak"


def note_text(note: Note) -> str:
    """Say a note in a sentence.

    Examples
    --------
    >>> note_text(Note(code=SurvivalNote.FEW_EVENTS, count=4))
    'Only 4 events were seen: predictions lean on the prior of the model.'
    """
    count, total = note.count or 0, note.total or 0
    match SurvivalNote(note.code):
        case SurvivalNote.LEFT_OUT:
            name, why = note.names
            return (
                f"Covariate {quoted(name)} was left out of {count} of {total} folds: "
                f"{_WHY_LEFT_OUT[why]}."
            )
        case SurvivalNote.SINGULAR:
            return (
                f"The covariance of the covariates is singular in {count} of {total} "
                f"fits: {note.value:g} was added to the diagonal of their correlations "
                "for the prior."
            )
        case SurvivalNote.FEW_EVENTS:
            return few_events_text(count)
        case SurvivalNote.FEW_EVENTS_IN_FOLD:
            return (
                f"Of {total} events only {count} are left to learn from in a fold: "
                "predictions lean on the prior of the model."
            )
        case SurvivalNote.FOLDS_UNCONVERGED:
            where = f"{_folds_text(note)}; " if note.names else ""
            return (
                f"In {count} of {total} fits the chains disagree or are short ({where}"
                f"worst R-hat {rhat_text(note.value, 2)}): predictions of those folds "
                "are rough. Their worth is measured as they are, on cases they did not "
                "learn from; longer chains may predict better."
            )
        case SurvivalNote.BASELINE_FAILED:
            return f"{note.model} was left out: {'; '.join(note.names)}"
        case SurvivalNote.CURVES_UNCONVERGED:
            return (
                "The fit that predicts the cases shown did not converge "
                f"({'; '.join(note.names)}): their curves are rough. The folds, and "
                "what predictions are worth, are other fits."
            )
        case SurvivalNote.PREDICTIONS_UNCONVERGED:
            return (
                "The fit that predicts new cases did not converge "
                f"({'; '.join(note.names)}): their times are rough."
            )
        case SurvivalNote.DETERMINED:
            return (
                f"{', '.join(map(quoted, note.names))} all but determine one another: "
                "one of them adds nothing; leave one out."
            )
        case SurvivalNote.LEAK:
            name, why = note.names
            return (
                f"Column {quoted(name)} was taken as a covariate, but {_WHY_LEAK[why]}."
                " If it was not known at time zero, leave it out, or name the columns "
                "to predict from."
            )


def few_events_text(n_events: int) -> str:
    """Say that there are few events, in the same words everywhere."""
    seen = "event was" if n_events == 1 else "events were"
    return f"Only {n_events} {seen} seen: predictions lean on the prior of the model."


def rhat_text(rhat: float | None, digits: int) -> str:
    """Write an R-hat so that it is seen on its side of the limit."""
    if rhat is None or not math.isfinite(rhat):
        return "not known"
    if rhat > MOST_RHAT:
        return told_apart(rhat, MOST_RHAT, digits)
    return f"{rhat:.{digits}f}"


def _folds_text(note: Note) -> str:
    """Name the folds: a few by number, or all."""
    if note.names == ("all",):
        return "all folds"
    if all(name.isdecimal() for name in note.names):
        start = "fold" if len(note.names) == 1 else "folds"
        return f"{start} {listed(note.names)}"
    return listed(note.names)


def warn_of(note: Note) -> None:
    """Warn of a note, for those who call from Python; the answer has it, too."""
    warn(ResultWarning(note_text(note)))
