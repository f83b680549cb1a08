"""What a reader must know of an identification, as codes and in words."""

from __future__ import annotations

from enum import StrEnum

from scorecast._core.checks import warn
from scorecast._core.result import Note
from scorecast.exceptions import ResultWarning, sentence
from scorecast.scores import score_warning


class IdentificationNote(StrEnum):
    """Codes of what is to be known, beside those of `ScoreNote`.

    ``count`` and ``total`` say how many of how many. Of columns that never change
    ``names`` are the first of them; of a curve that leaves the ideal one ``count`` is
    the number of candidates where it is farthest off and ``value`` by how much; of a
    single stimulus ``value`` is its share in the error; of tests that are too few
    ``names`` says whether they are groups.
    """

    NO_MISTAKE = "no-mistake"
    AT_CHANCE = "at-chance"
    BELOW_CHANCE = "below-chance"
    LEAVES_IDEAL_CURVE = "leaves-ideal-curve"
    ONE_STIMULUS = "one-stimulus"
    PROVED_EXCEEDS_IMPLIED = "proved-exceeds-implied"
    IMPLIED_EXCEEDS_POPULATION = "implied-exceeds-population"
    CONSTANT_RESPONSES = "constant-responses"
    CONSTANT_STIMULI = "constant-stimuli"
    NO_BETTER_THAN_CHANCE = "rows-out-of-order"
    REPEATED_ROWS = "repeated-rows"
    REPEATS_BY_DESIGN = "repeats-by-design"
    TOO_FEW_TESTED = "too-few-tested"
    WITHOUT_RESPONSES = "without-responses"
    MANY_TIES = "responses-tie"
    PROBES_IN_GALLERY = "probes-in-gallery"


class Assumption(StrEnum):
    """Codes of what must hold for an answer to hold.

    Of a population ``count`` is its size.
    """

    MANY_STIMULI = "many-stimuli"
    ROWS_DRAWN = "rows-drawn"
    POPULATION = "population"
    INDEPENDENT_RESPONSES = "independent-responses"
    HELD_OUT = "held-out"
    GROUPS_ALIKE = "groups-alike"


_DONE: dict[str, tuple[str, str]] = {
    IdentificationNote.CONSTANT_RESPONSES: ("responses", "were left out"),
    IdentificationNote.CONSTANT_STIMULI: ("stimuli", "tell nothing apart"),
}


def note_text(note: Note) -> str:
    """Say a note of an identification, or of its scores, in a sentence.

    Examples
    --------
    >>> note_text(Note(code=IdentificationNote.WITHOUT_RESPONSES, count=30))
    '30 stimuli without a response were left out.'
    """
    count, total = f"{note.count or 0:,}", f"{note.total or 0:,}"
    match note.code:
        case IdentificationNote.NO_MISTAKE:
            return (
                "No answer was wrong at any number of candidates: the implied "
                "information is infinite, and only its lower end says something."
            )
        case IdentificationNote.AT_CHANCE:
            return "The curve is no better than chance: no information is implied."
        case IdentificationNote.BELOW_CHANCE:
            return (
                "The curve is no better than chance: no information is implied. It "
                "lies below chance by more than luck explains, so both ends of the "
                "interval are zero: information has nothing below."
            )
        case IdentificationNote.LEAVES_IDEAL_CURVE:
            return (
                f"The curve leaves the ideal one (by {100 * (note.value or 0):.1f} "
                f"points at {count} candidates): the responses are not as in high "
                "dimension, and other numbers of candidates would imply another amount."
            )
        case IdentificationNote.ONE_STIMULUS:
            return (
                f"One stimulus makes {100 * (note.value or 0):.0f} % of the error that "
                "leaving out stimuli finds: the only one that was mistaken, or a "
                "candidate that attracts many answers. With such candidates intervals "
                "hold less often than they say."
            )
        case IdentificationNote.PROVED_EXCEEDS_IMPLIED:
            return (
                "More is proved than implied: the ideal curve is the wrong measure "
                "here, and what is proved counts."
            )
        case IdentificationNote.IMPLIED_EXCEEDS_POPULATION:
            return (
                f"More is implied than {count} equally likely stimuli can hold: it is "
                "a scale on which decoders compare, no estimate."
            )
        case code if code in _DONE:
            what, done = _DONE[code]
            more = ", ..." if (note.count or 0) > len(note.names) else ""
            return (
                f"{count} of {total} columns of the {what} never change and {done}: "
                f"{', '.join(note.names)}{more}."
            )
        case IdentificationNote.NO_BETTER_THAN_CHANCE:
            return (
                "The right stimulus is found no more often than by chance. Do the rows "
                "of the stimuli and those of the responses stand in the same order?"
            )
        case IdentificationNote.REPEATED_ROWS:
            n_distinct = (note.total or 0) - (note.count or 0)
            return (
                f"{count} of {total} rows repeat a stimulus: there are {n_distinct:,} "
                "distinct ones, each one candidate with all its responses."
            )
        case IdentificationNote.REPEATS_BY_DESIGN:
            return (
                "What is proved takes repeats for design. If stimuli come again "
                "because there are few, it is too high: say how many there are. If "
                "rows are independent draws, say that duplicates are."
            )
        case IdentificationNote.TOO_FEW_TESTED:
            what = f"{count} tested stimuli"
            if note.names:
                is_one = note.count == 1
                what = "Single" if is_one else count
                what = f"{what} tested groups of stimuli"
            return f"{what} are too few for standard errors: test a larger share."
        case IdentificationNote.WITHOUT_RESPONSES:
            return f"{count} stimuli without a response were left out."
        case IdentificationNote.MANY_TIES:
            share = 100 * (note.count or 0) / (note.total or 1)
            return (
                f"{count} of {total} responses ({share:.0f} %) tie with another "
                "stimulus; ties count as their expectation under random breaking. Are "
                "stimuli repeated?"
            )
        case IdentificationNote.PROBES_IN_GALLERY:
            return (
                f"{count} of {total} probes are vectors of the gallery, and find "
                "themselves: what they seem to prove does not count. Test with other "
                "ones."
            )
    return sentence(str(score_warning(note)))


def warn_of(note: Note) -> None:
    """Warn of a note, for those who call from Python; the answer has it, too."""
    warn(ResultWarning(note_text(note)))
