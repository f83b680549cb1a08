"""What a reader must know before using an amount of information."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from scorecast._core.checks import warn
from scorecast._core.result import Note
from scorecast.exceptions import DataWarning, ResultWarning, printable

FLOOR = 0.001  # as an example


class InformationNote(StrEnum):
    """Codes of what is to be known of forecasts, or of an answer.

    ``impossible``: ``count`` of ``total`` cases were given no chance, the first is
    ``names[0]``. ``floored``: ``count`` chances were raised to ``value``.
    ``half-precision``: ``count`` zeros of ``names[0]``. ``like-probabilities``:
    ``names`` are columns. ``other-base``: column and base. ``two-bases``: their ratio
    is ``value``. ``floors-differ``: both floors. ``subsampled``, ``tied``: ``count`` of
    ``total``. ``no-mixture``: of ``count`` cases. ``beyond-prior``: its reach is
    ``value``, one ``count`` times as wide would do. ``not-converged``: ``names`` say
    why. ``views-part``: ``names[0]`` gives the centre. ``many-groups``: ``count``.
    """

    IMPOSSIBLE = "impossible"
    FLOORED = "floored"
    SINGLE = "single"
    FLAT = "flat"
    HALF_PRECISION = "half-precision"
    LIKE_PROBABILITIES = "like-probabilities"
    OTHER_BASE = "other-base"
    TWO_BASES = "two-bases"
    FLOORS_DIFFER = "floors-differ"
    SUBSAMPLED = "subsampled"
    NO_MIXTURE = "no-mixture"
    TIED = "tied"
    BEYOND_PRIOR = "beyond-prior"
    NOT_CONVERGED = "not-converged"
    LONE_CASE = "lone-case"
    VIEWS_PART = "views-part"
    MANY_GROUPS = "many-groups"


_SENTENCES = {
    InformationNote.IMPOSSIBLE: (
        "{count:,} of {total:,} cases had no chance under the forecast (the first: "
        "{first}), so the information is minus infinity. All other figures are "
        "{without}. A floor of {floor:g} would raise every smaller forecast chance to "
        "{floor:g}, judge all cases, and say how many were raised."
    ),
    InformationNote.FLOORED: (
        "{count:,} forecast chance(s) below the floor of {value:g} were raised to it."
    ),
    InformationNote.SINGLE: "One case: the posterior is hardly more than its prior.",
    InformationNote.FLAT: (
        "All cases have the same j: nothing shows how others would spread, so the "
        "posterior is that of a single case."
    ),
    InformationNote.HALF_PRECISION: (
        "{first} is float16, which rounds chances below 6e-8 to zero: {count:,} are "
        "zero. Save float32 or the logarithms."
    ),
    InformationNote.LIKE_PROBABILITIES: (
        "{every} lie(s) in (0, 1] throughout, as probabilities do and logarithms of "
        "them never; right only if these are logarithms of densities above 1."
    ),
    InformationNote.OTHER_BASE: (
        "The values of {first} are chances that add up to one only as logarithms to "
        "base {last}: is that their base?"
    ),
    InformationNote.TWO_BASES: (
        "log_q is about {value:.3f} times log_p in most cases, the ratio of two bases "
        "of logarithms: are both in the same base?"
    ),
    InformationNote.FLOORS_DIFFER: "The floors of the two forecasts differ: {every}.",
    InformationNote.SUBSAMPLED: (
        "The posterior rests on {count:,} of {total:,} cases, drawn at random. The "
        "plain mean and its normal interval rest on all, and may be the better figures."
    ),
    InformationNote.NO_MIXTURE: (
        "Of {count:,} cases the plain mean and Pareto tails settle what J is, so no "
        "mixture was fitted; with at most 10,000 asked for (max samples) one is."
    ),
    InformationNote.TIED: (
        "{count:,} of {total:,} cases share their j with others; for the simulation "
        "they were spread by a hundredth of the spread of all."
    ),
    InformationNote.BEYOND_PRIOR: (
        "The mean lies beyond the reach of the prior of J ({value:.1f} {units} from "
        "zero), which pulls the mixture back; a prior {count} times as wide would not "
        "(prior scale {count})."
    ),
    InformationNote.NOT_CONVERGED: (
        "The simulation of the posterior of J did not converge ({reasons}): do not "
        "rely on it."
    ),
    InformationNote.LONE_CASE: (
        "A single case lies far from all others. The mixture, which gives the centre, "
        "takes it to be rarer than one in these cases; Pareto tails and the plain mean "
        "take it as it came."
    ),
    InformationNote.VIEWS_PART: (
        "The views of the tails part: the mixture takes the far cases to be rarer than "
        "they were here. The centre is {centre}."
    ),
    InformationNote.MANY_GROUPS: (
        "{count:,} groups: only plain means are given, no posteriors."
    ),
}
_CENTRES = {
    "normal": "the plain mean, which takes them as they came",
    "pareto": "that of Pareto tails, which learn from the far cases alone",
}


def note_text(note: Note, units: str = "bits") -> str:
    """Say a note in a sentence.

    Parameters
    ----------
    note : Note
        With a code of `InformationNote`.
    units : str, default="bits"
        Of the answer that it belongs to.

    Returns
    -------
    str
        One or more sentences.

    Examples
    --------
    >>> note_text(Note(code=InformationNote.TIED, count=40, total=60))[:36]
    '40 of 60 cases share their j with ot'
    """
    names = [printable(name) for name in note.names]
    first, last = (names[0], names[-1]) if names else ("", "")
    return _SENTENCES[InformationNote(note.code)].format(
        count=note.count,
        total=note.total,
        value=note.value,
        first=first,
        last=last,
        every=" and ".join(names),
        reasons="; ".join(names),
        centre=_CENTRES.get(first, ""),
        without=without_impossible(note.count or 0),
        floor=FLOOR,
        units=units,
    )


def without_impossible(n: int) -> str:
    """Say which cases are left out where a forecast of zero came true.

    Examples
    --------
    >>> without_impossible(1200)
    'without the 1,200 cases that were given probability 0'
    """
    some = "case that was" if n == 1 else f"{n:,} cases that were"
    return f"without the {some} given probability 0"


def warn_of(
    notes: Iterable[Note],
    category: type[DataWarning] | type[ResultWarning] = ResultWarning,
    units: str = "bits",
) -> None:
    """Warn of notes, for those who call from Python; the answer has them, too."""
    for note in notes:
        warn(category(note_text(note, units)))
