"""Many decoders of the same stimuli, side by side on a scale that does not saturate."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from scorecast._core.results import Result
from scorecast._core.types import FloatArray, Json
from scorecast.exceptions import UsageError
from scorecast.information.identification.identify import identify_from_scores
from scorecast.information.identification.mutual_information import (
    mutual_information_bound,
)
from scorecast.information.identification.result import Identification
from scorecast.information.units import UNITS
from scorecast.information.wording import amount, amount_span
from scorecast.scores import Embeddings, Scores

__all__ = ["DecoderComparison", "DecoderRow", "compare_decoders"]

_TOO_FEW = 2  # stimuli, or groups of them, to leave out


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
        same stimuli out of both; NaN where the stimuli differ, and `warnings` of the
        comparison say so.
    """

    name: str
    n_classes: int
    accuracy: float
    implied: float
    low: float
    high: float
    bound: float
    difference: float
    difference_low: float
    difference_high: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DecoderComparison(Result):
    """Implied information of many decoders.

    Attributes
    ----------
    rows : tuple of DecoderRow
        One per decoder, in the order given.
    units : str
        ``"nats"`` or ``"bits"``.
    level : float
        Level of the intervals (each by itself) and of the bounds (all at once).
    weights : str
        How sizes were weighed for implied information; several, where decoders differ.
    bound_sizes : tuple of int
        Numbers of candidates that the bounds looked at, of any decoder.
    assumptions : tuple of str
        What must hold for the answers to hold, of any decoder.
    warnings : tuple of str
        What the reader must know.
    """

    kind: ClassVar[str] = "decoder-comparison"

    rows: tuple[DecoderRow, ...]
    units: str
    level: float
    weights: str = "equal"
    bound_sizes: tuple[int, ...] = ()
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def best(self) -> DecoderRow:
        """The decoder with the highest implied information."""
        return max(self.rows, key=lambda row: (row.implied, row.accuracy))

    def summary(self) -> str:
        """Say which decoder implies most, and what is proved."""
        top = self.best
        proved = max(row.bound for row in self.rows)
        ends = ""
        if math.isfinite(top.low) and math.isfinite(top.high):
            span = amount_span(top.low, top.high, 2)
            ends = f" ({100 * self.level:g} %: {span})"
        most = "more than can be shown"
        if math.isfinite(top.implied):
            most = f"{amount(top.implied, 2)} {self.units}"
        first = f"Of {len(self.rows)} decoders {top.name!r} implies most"
        if len(self.rows) == 1:
            first = f"Decoder {top.name!r} implies"
        elif all(row.implied == top.implied for row in self.rows):
            first = f"All {len(self.rows)} decoders imply the same"
        return (
            f"{first}: {most}{ends}; at "
            f"least {amount(proved, 2)} {self.units} are proved, choice allowed for."
        )

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per decoder."""
        table = [asdict(row) for row in self.rows]
        return {name: [row[name] for row in table] for name in table[0]}

    def _parts(self) -> tuple[Json, Json, Json]:
        options = {
            "units": self.units,
            "level": self.level,
            "weights": self.weights,
            "bound_sizes": list(self.bound_sizes),
        }
        rows = [asdict(row) for row in self.rows]
        for row in rows:
            row["is_infinite"] = math.isinf(row["implied"])
        return (
            {"n_decoders": len(rows)},
            options,
            {
                "units": self.units,
                "decoders": rows,
                "best": self.best.name,
                "assumptions": list(self.assumptions),
                "warnings": list(self.warnings),
            },
        )

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        del inputs
        sizes = tuple(options.get("bound_sizes", ()))
        return cls(
            rows=tuple(_row_from(row) for row in result["decoders"]),
            assumptions=tuple(result.get("assumptions", ())),
            warnings=tuple(result["warnings"]),
            **{**options, "bound_sizes": sizes},
        )


def compare_decoders(
    decoders: Mapping[str, Identification | ArrayLike | Scores | Embeddings],
    y_true: Iterable[Hashable] | None = None,
    *,
    classes: Sequence[Hashable] | None = None,
    greater_is_better: bool = True,
    level: float = 0.95,
    units: str = "nats",
) -> DecoderComparison:
    """Compare decoders by the information that their identification curves imply.

    Parameters
    ----------
    decoders : mapping of str to Identification or scores
        Answers of `identify`, or score matrices (responses x stimuli), by name. The
        first is what the others are compared with.
    y_true : iterable of hashable, optional
        True stimulus of every response, for scores; the diagonal by default.
    classes : sequence of hashable, optional
        Names of the columns, for matrices of scores.
    greater_is_better : bool, default=True
        False for distances.
    level : float, default=0.95
        Level of the intervals and of the bounds; answers must have it.
    units : {"nats", "bits"}, default="nats"
        Units of amounts.

    Returns
    -------
    DecoderComparison
        A table, one row per decoder.

    Raises
    ------
    UsageError
        If there is no decoder, or an answer has intervals of another level.
    """
    if not decoders:
        msg = "There is no decoder to compare."
        raise UsageError(msg)
    truth = None if y_true is None else list(y_true)
    asked: dict[str, Any] = {"level": level, "units": units}
    answers = {}
    for name, given in decoders.items():
        if isinstance(given, Identification):
            answers[str(name)] = given
        elif isinstance(given, Scores | Embeddings):
            answers[str(name)] = identify_from_scores(given, **asked)
        else:
            answers[str(name)] = identify_from_scores(
                given,
                truth,
                classes=None if isinstance(given, Embeddings) else classes,
                greater_is_better=greater_is_better,
                **asked,
            )
    return comparison_of(answers, level=level, units=units)


def comparison_of(
    answers: Mapping[str, Identification], *, level: float, units: str
) -> DecoderComparison:
    """Put answers side by side.

    Parameters
    ----------
    answers : mapping of str to Identification
        By name; the first is what the others are compared with.
    level : float
        Level of the intervals and of the bounds.
    units : {"nats", "bits"}
        Units of amounts.

    Returns
    -------
    DecoderComparison
        The table.

    Raises
    ------
    UsageError
        If an answer has an interval of another level.
    """
    for name, answer in answers.items():
        if not math.isclose(answer.level, level):
            msg = (
                f"{name!r} has an interval of level {answer.level:g}, not {level:g}: "
                "make it again, or compare at its level."
            )
            raise UsageError(msg)
    first = next(iter(answers.values()))
    rows = tuple(
        _row(name, answer, first, len(answers), level, units)
        for name, answer in answers.items()
    )
    assumed = dict.fromkeys(x for a in answers.values() for x in a.assumptions)
    weights = dict.fromkeys(a.implied.weights for a in answers.values())
    sizes = {int(k) for a in answers.values() for k in a.bound.classes}
    return DecoderComparison(
        rows=rows,
        units=units,
        level=level,
        weights=", ".join(weights),
        bound_sizes=tuple(sorted(sizes)),
        assumptions=tuple(assumed),
        warnings=(*_shared_warnings(answers), *_pairing(answers)),
    )


def _row(
    name: str,
    answer: Identification,
    first: Identification,
    n_decoders: int,
    level: float,
    units: str,
) -> DecoderRow:
    scale = UNITS[answer.units] / UNITS[units]
    bound = mutual_information_bound(
        answer.curve,
        classes=answer.bound.classes.tolist(),
        n_tests=answer.trials,
        level=level,
        n_classifiers=n_decoders,
        units=units,
    )
    implied = answer.implied
    low, high = implied.low * scale, implied.high * scale
    return DecoderRow(
        name=name,
        n_classes=answer.n,
        accuracy=answer.accuracy,
        implied=implied.value * scale,
        low=low,
        high=high,
        bound=bound.value,
        **_difference(answer, first, level, units),
    )


def _shared_warnings(answers: Mapping[str, Identification]) -> list[str]:
    """Say every warning once, with the decoders it is about."""
    about: dict[str, list[str]] = {}
    for name, answer in answers.items():
        for line in answer.warnings:
            about.setdefault(line, []).append(name)
    return [f"{', '.join(names)}: {line}" for line, names in about.items()]


def _pairing(answers: Mapping[str, Identification]) -> list[str]:
    """Say which differences are missing, and what the others take for granted."""
    names = list(answers)
    first = answers[names[0]]
    apart: dict[str, list[str]] = {}
    unlike = []
    for name in names[1:]:
        why = _why_apart(answers[name], first)
        if why is not None:
            apart.setdefault(why, []).append(name)
        elif answers[name].tested != first.tested:
            unlike.append(name)
    lines = [
        f"No difference from {names[0]!r} for {', '.join(map(repr, who))}: {why}."
        for why, who in apart.items()
    ]
    if unlike:
        lines.append(
            f"The stimuli of {', '.join(map(repr, unlike))} have other features than "
            f"those of {names[0]!r}. Differences are right if row by row they are the "
            "same stimuli."
        )
    return lines


def _why_apart(answer: Identification, first: Identification) -> str | None:
    """Return why two answers cannot be compared stimulus by stimulus, if so."""
    both = (answer, first)
    if any(math.isinf(one.implied.value) for one in both):
        return "no answer of one of the two was wrong"
    if any(one.curve.n_groups <= _TOO_FEW for one in both):
        return "there are too few stimuli to leave out"
    if any(one.implied.replicates.size == 0 for one in both):
        return "what was read from a file no longer knows its stimuli one by one"
    if not _same_units(answer, first):
        return (
            "they were not tested on the same stimuli, or not in the same splits or "
            "order, so that intervals of each by itself are all there is"
        )
    return None


def _same_units(answer: Identification, first: Identification) -> bool:
    if answer.tested is None or first.tested is None:
        return False
    return answer.tested.units == first.tested.units


def _difference(
    answer: Identification, first: Identification, level: float, units: str
) -> dict[str, float]:
    """Compare with the first decoder, stimulus by stimulus where they are the same."""
    ours, theirs = answer.implied, first.implied
    names = ("difference", "difference_low", "difference_high")
    if answer is first:
        return dict.fromkeys(names, 0.0)
    if _why_apart(answer, first) is not None:
        return dict.fromkeys(names, math.nan)
    a = _signed(ours.replicates) - _signed(theirs.replicates)
    middle = float(_signed(np.array([ours.separation])).item())
    middle -= float(_signed(np.array([theirs.separation])).item())
    off = a - a.mean()
    error = math.sqrt((a.size - 1) / a.size * float(off @ off))
    half = float(stdtrit(a.size - 1, 0.5 + level / 2)) * error
    ends = (middle, middle - half, middle + half)
    return {n: v / UNITS[units] for n, v in zip(names, ends, strict=True)}


def _signed(separation: FloatArray) -> FloatArray:
    """Return c |c| / 2: information that may fall below chance."""
    return separation * np.abs(separation) / 2


def _row_from(row: Json) -> DecoderRow:
    numbers = {
        name: math.nan if row[name] is None else float(row[name])
        for name in (
            "accuracy",
            "implied",
            "low",
            "high",
            "bound",
            "difference",
            "difference_low",
            "difference_high",
        )
    }
    if row["is_infinite"]:
        numbers.update(implied=math.inf, high=math.inf)
    return DecoderRow(name=row["name"], n_classes=int(row["n_classes"]), **numbers)
