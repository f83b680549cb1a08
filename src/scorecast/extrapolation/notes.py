"""What a reader must know before using a forecast, as codes and in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum

from scorecast._core.checks import warn
from scorecast._core.result import Note
from scorecast._core.types import IntArray
from scorecast.exceptions import ExtrapolationWarning, sentence
from scorecast.extrapolation.auto import Pooling
from scorecast.extrapolation.intervals import looks_like_chance
from scorecast.extrapolation.observed import ObservedClasses
from scorecast.extrapolation.tail import FEWEST_CLASSES, Objection
from scorecast.scores import score_notes, score_warning

FAR = 20  # times the observed classes beyond which a forecast is a rough guide
FEW_CLASSES = 10  # below which intervals are rough


class ForecastNote(StrEnum):
    """Codes of what is to be known of a forecast, beside those of `ScoreNote`.

    Far out ``count`` is the number of classes, ``total`` those observed, ``value``
    their ratio. Of scores that were set aside ``model`` is the method and ``names`` the
    objection. Where halves of the classes disagree with all of them ``value`` is by how
    much, in log-odds at ten times the observed classes.
    """

    FAR = "far"
    FAULTLESS = "faultless"
    COULD_BE_CHANCE = "could-be-chance"
    ALL_WRONG = "all-wrong"
    FEW_CLASSES = "few-classes"
    SCORES_SET_ASIDE = "scores-set-aside"
    HALVES_DISAGREE = "halves-disagree"
    NO_MISTAKE_SEEN = "no-mistake-seen"
    NO_COST_INTERVAL = "no-cost-interval"


def forecast_notes(
    observed: ObservedClasses,
    targets: IntArray,
    *,
    top: int = 1,
    pooling: Pooling | None = None,
) -> tuple[Note, ...]:
    """List what must be known of a forecast from these classes."""
    n_classes, most = observed.n_classes, int(targets.max())
    ranks = observed.ranks
    found = []
    if most > FAR * n_classes:
        ratio = most / n_classes
        found.append(
            Note(code=ForecastNote.FAR, count=most, total=n_classes, value=ratio)
        )
    if ranks.is_faultless(top) and most > n_classes:
        found.append(Note(code=ForecastNote.FAULTLESS))
    elif looks_like_chance(observed, top):
        found.append(Note(code=ForecastNote.COULD_BE_CHANCE))
    if ranks.accuracy(top) <= 0:
        found.append(Note(code=ForecastNote.ALL_WRONG))
    if n_classes < FEW_CLASSES:
        found.append(Note(code=ForecastNote.FEW_CLASSES, count=n_classes))
    oddities = score_notes(observed.data, observed.ranking)
    return (*found, *oddities, *(_of_parts(pooling) if pooling else ()))


def _of_parts(pooling: Pooling) -> Iterator[Note]:
    """Note which scores were set aside, or doubted, for which intervals are wider."""
    for part in pooling.parts[1:]:
        if part.objection is Objection.HALVES_DISAGREE:
            yield Note(
                code=ForecastNote.HALVES_DISAGREE,
                model=part.method,
                value=part.disagreement,
            )
        elif part.objection is not None and pooling.is_widened:
            yield Note(
                code=ForecastNote.SCORES_SET_ASIDE,
                model=part.method,
                names=(str(part.objection),),
            )


def note_text(note: Note) -> str:
    """Say a note of a forecast, or of its scores, in a sentence.

    Examples
    --------
    >>> note_text(Note(code=ForecastNote.FAR, count=1000, total=20, value=50.0))
    '1,000 classes are 50 times the 20 observed: a rough guide at best.'
    """
    match note.code:
        case ForecastNote.FAR:
            return (
                f"{note.count:,} classes are {note.value:,.0f} times the "
                f"{note.total:,} observed: a rough guide at best."
            )
        case ForecastNote.FAULTLESS:
            return (
                "Every example is right among the observed classes, so how soon "
                "mistakes will come is not seen, only inferred. Test with more "
                "classes, or harder ones, to learn more."
            )
        case ForecastNote.COULD_BE_CHANCE:
            return (
                "Guessing could have given these ranks, so the intervals reach to "
                "chance."
            )
        case ForecastNote.ALL_WRONG:
            return "No example is right among the observed classes."
        case ForecastNote.FEW_CLASSES:
            return (
                f"Only {note.count} classes were observed: intervals are rough with "
                f"fewer than {FEW_CLASSES}."
            )
        case ForecastNote.SCORES_SET_ASIDE:
            return objection_text(Objection(note.names[0]))
        case ForecastNote.HALVES_DISAGREE:
            return objection_text(Objection.HALVES_DISAGREE)
        case ForecastNote.NO_MISTAKE_SEEN:
            return (
                "No mistake was seen: one is taken to cost what all possible ones cost "
                "on average, and in the interval anything from the least to the most."
            )
        case ForecastNote.NO_COST_INTERVAL:
            return (
                "No interval: what a mistake costs is known from leaving classes out, "
                "and there are too few."
            )
    return sentence(str(score_warning(note)))


def objection_text(objection: Objection) -> str:
    """Say what speaks against a part of the pool."""
    match objection:
        case Objection.TOO_FEW_CLASSES:
            return f"Fewer than {FEWEST_CLASSES} classes are too few to show a tail."
        case Objection.TIED:
            return (
                "Many examples tie with other classes, so ranks alone tell, and the "
                "interval is wider for that."
            )
        case Objection.NOT_FINITE:
            return "Scores that are not finite have no tail, so ranks alone tell."
        case Objection.FEW_VALUED:
            return (
                "There are too few different scores to show a tail, so ranks alone "
                "tell, and the interval is wider for that."
            )
        case Objection.HALVES_DISAGREE:
            return (
                "Halves of the classes tell of another tail than all of them: the "
                "scores count for less, and the interval is wider for that."
            )
        case Objection.ALL_RIGHT:
            return "Every example was right: the prior tells the most."
        case Objection.ALL_WRONG:
            return "Every example was wrong: the prior tells the most."


def warn_of(notes: Iterable[Note]) -> None:
    """Warn of notes, for those who call from Python; the answer has them, too."""
    for note in notes:
        warn(ExtrapolationWarning(note_text(note)))
