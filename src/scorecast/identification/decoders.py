"""Many decoders of the same stimuli, side by side on a scale that does not saturate."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any, ClassVar

import numpy as np
import scipy
from numpy.typing import ArrayLike

from scorecast._core.checks import check_share, check_units
from scorecast._core.keywords import checked_keywords
from scorecast._core.result import OPTION, SHARE, Note, Result
from scorecast._core.types import FloatArray
from scorecast.exceptions import UsageError
from scorecast.identification.bounds import bound_curve
from scorecast.identification.identify import (
    EnsembleSize,
    Identification,
    identify_from_scores,
)
from scorecast.scores import Embeddings, Scores

_TOO_FEW = 2  # stimuli, or groups of them, to leave out
_AMOUNTS = (
    "name",
    "n_classes",
    "accuracy",
    "implied",
    "low",
    "high",
    "bound",
    "difference",
    "difference_low",
    "difference_high",
)


class Unpaired(StrEnum):
    """Why two decoders cannot be compared stimulus by stimulus."""

    ALL_RIGHT = "all-right"
    TOO_FEW = "too-few"
    NO_REPLICATES = "no-replicates"
    OTHER_STIMULI = "other-stimuli"


@dataclass(frozen=True, kw_only=True)
class DecoderRow:
    """One decoder.

    Attributes
    ----------
    name : str
        Its name.
    n_classes : int
        Candidates it chose from.
    accuracy : float
        Accuracy among all of them.
    implied, low, high : float
        Implied information and its interval.
    bound : float
        Information proved; holds for all decoders at once.
    difference, difference_low, difference_high : float
        Implied information beyond the first decoder, with an interval from leaving the
        same stimuli out of both; NaN where it is unpaired.
    unpaired : Unpaired or None
        Why there is no difference, where there is none.
    has_other_features : bool
        Whether its stimuli have other features than those of the first: differences are
        right if row by row they are the same stimuli.
    notes : tuple of Note
        What the reader must know of it; codes of `IdentificationNote` and `ScoreNote`.
    ensembles : tuple of EnsembleSize
        How its implied information grows with the number of responses, if asked.
    """

    name: str
    n_classes: int
    accuracy: float = field(metadata=SHARE)
    implied: float
    low: float
    high: float
    bound: float
    difference: float
    difference_low: float
    difference_high: float
    unpaired: Unpaired | None = None
    has_other_features: bool = False
    notes: tuple[Note, ...] = ()
    ensembles: tuple[EnsembleSize, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DecoderComparison(Result):
    """Implied information of many decoders.

    Attributes
    ----------
    rows : tuple of DecoderRow
        One per decoder, in the order given.
    assumptions : tuple of Note
        What must hold for the answers to hold, of any decoder; codes of `Assumption`.
    units : str
        ``"bits"`` or ``"nats"``.
    confidence_level : float
        Level of the intervals (each by itself) and of the bounds (all at once).
    weights : tuple of str
        How numbers of candidates were weighed for implied information; several, where
        decoders differ.
    bound_sizes : tuple of int
        Numbers of candidates that the bounds looked at, of any decoder.
    """

    kind: ClassVar[str] = "decoder-comparison"

    rows: tuple[DecoderRow, ...]
    assumptions: tuple[Note, ...] = ()
    units: str = field(metadata=OPTION)
    confidence_level: float = field(metadata=OPTION | SHARE)
    weights: tuple[str, ...] = field(metadata=OPTION)
    bound_sizes: tuple[int, ...] = field(metadata=OPTION)

    @property
    def best(self) -> DecoderRow:
        """The decoder with the highest implied information."""
        return max(self.rows, key=lambda row: (row.implied, row.accuracy))

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per decoder."""
        names = [f.name for f in fields(DecoderRow) if f.name in _AMOUNTS]
        return {name: [getattr(row, name) for row in self.rows] for name in names}


@checked_keywords
def compare_decoders(
    decoders: Mapping[str, Identification | ArrayLike | Scores | Embeddings],
    y_true: Iterable[Hashable] | None = None,
    *,
    units: str = "bits",
    confidence_level: float = 0.95,
) -> DecoderComparison:
    r"""Compare decoders by the information that their identification curves imply.

    Differences :math:`c_2 |c_2| / 2 - c_1 |c_1| / 2` are paired by stimulus: the same
    one is left out of both.

    Parameters
    ----------
    decoders : mapping of str to Identification or scores
        Answers of `identify`, or score matrices (responses x stimuli), by name. The
        first is what the others are compared with. Columns with names, and distances,
        are given as `Scores`.
    y_true : iterable of hashable, optional
        True stimulus of every response, for matrices; the diagonal by default.
    units : {"bits", "nats"}, default="bits"
        Units of amounts.
    confidence_level : float, default=0.95
        Level of the intervals and of the bounds; answers must have it.

    Returns
    -------
    DecoderComparison
        A table, one row per decoder.

    Raises
    ------
    UsageError
        If there is no decoder, or an answer has intervals of another level.

    References
    ----------
    C. Zheng (2017). Information, prediction, and supervised learning. Thesis, Stanford
    University.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(60, 30)) * 0.4
    >>> y = x + rng.normal(size=(60, 30))
    >>> scores = {
    ...     n: y[:, :n] @ x[:, :n].T - (x[:, :n] ** 2).sum(axis=1) / 2 for n in (30, 10)
    ... }
    >>> found = compare_decoders({"all": scores[30], "a third": scores[10]})
    >>> found.best.name, found.rows[1].difference_high < 0
    ('all', True)
    """
    check_units(units)
    level = check_share(confidence_level, "confidence_level", is_open=True)
    if not decoders:
        raise UsageError("is empty: nothing to compare", parameter="decoders")
    truth = None if y_true is None else list(y_true)
    asked: dict[str, Any] = {"units": units, "confidence_level": level}
    answers = {}
    for name, given in decoders.items():
        if isinstance(given, Identification):
            answers[str(name)] = given
        elif isinstance(given, Scores | Embeddings):
            answers[str(name)] = identify_from_scores(given, **asked)
        else:
            answers[str(name)] = identify_from_scores(given, truth, **asked)
    for name, answer in answers.items():
        if not math.isclose(answer.confidence_level, level):
            raise UsageError(
                f"{name!r} has an interval of level {answer.confidence_level:g}, not "
                f"{level:g}",
                parameter="confidence_level",
                remedy="make it again, or compare at its level",
            )
    first = next(iter(answers.values()))
    sizes = {int(k) for a in answers.values() for k in a.bound.classes}
    return DecoderComparison(
        rows=tuple(
            _row(name, answer, first, len(answers), asked)
            for name, answer in answers.items()
        ),
        assumptions=tuple(
            dict.fromkeys(note for a in answers.values() for note in a.assumptions)
        ),
        weights=tuple(dict.fromkeys(a.implied.weights for a in answers.values())),
        bound_sizes=tuple(sorted(sizes)),
        **asked,
    )


def _row(
    name: str,
    answer: Identification,
    first: Identification,
    n_decoders: int,
    asked: dict[str, Any],
) -> DecoderRow:
    scale = check_units(answer.units) / check_units(asked["units"])
    sizes = answer.bound.classes.tolist()
    bound = bound_curve(
        answer.curve, answer.trials, sizes, n_classifiers=n_decoders, **asked
    )
    implied = answer.implied
    unpaired = None if answer is first else _why_unpaired(answer, first)
    difference = low = high = math.nan
    if unpaired is None:
        difference, low, high = _difference(answer, first, asked)
    return DecoderRow(
        name=name,
        n_classes=answer.n_candidates,
        accuracy=answer.accuracy,
        implied=implied.value * scale,
        low=implied.low * scale,
        high=implied.high * scale,
        bound=bound.value,
        difference=difference,
        difference_low=low,
        difference_high=high,
        unpaired=unpaired,
        has_other_features=unpaired is None and answer.tested != first.tested,
        notes=answer.notes,
        ensembles=tuple(
            replace(
                one,
                implied=one.implied * scale,
                low=one.low * scale,
                high=one.high * scale,
            )
            for one in answer.ensembles
        ),
    )


def _why_unpaired(answer: Identification, first: Identification) -> Unpaired | None:
    """Return why two answers cannot be compared stimulus by stimulus, if so."""
    both = (answer, first)
    if any(math.isinf(one.implied.value) for one in both):
        return Unpaired.ALL_RIGHT
    if any(one.curve.n_groups <= _TOO_FEW for one in both):
        return Unpaired.TOO_FEW
    if any(one.implied.replicates.size == 0 for one in both):
        return Unpaired.NO_REPLICATES
    if answer.tested.units != first.tested.units:
        return Unpaired.OTHER_STIMULI
    return None


def _difference(
    answer: Identification, first: Identification, asked: dict[str, Any]
) -> tuple[float, float, float]:
    """Compare with the first decoder, stimulus by stimulus."""
    if answer is first:
        return 0.0, 0.0, 0.0
    ours, theirs = answer.implied, first.implied
    moved = _signed(ours.replicates) - _signed(theirs.replicates)
    ends = _signed(np.array([ours.separation, theirs.separation]))
    middle = float(ends[0]) - float(ends[1])
    off = moved - moved.mean()
    n = moved.size
    error = math.sqrt((n - 1) / n * float(off @ off))
    level = asked["confidence_level"]
    half = float(scipy.special.stdtrit(n - 1, 0.5 + level / 2)) * error
    unit = check_units(asked["units"])
    return middle / unit, (middle - half) / unit, (middle + half) / unit


def _signed(separation: FloatArray) -> FloatArray:
    """Return c |c| / 2: information that may fall below chance."""
    return separation * np.abs(separation) / 2
