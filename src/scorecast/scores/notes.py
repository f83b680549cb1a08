"""What is odd in the data: nothing here stops a forecast."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Hashable
from enum import StrEnum
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from scorecast._core.result import Note
from scorecast._core.types import FloatArray, IntArray
from scorecast.exceptions import DataWarning, quoted
from scorecast.scores.matrix import Scores, reversed_warning
from scorecast.scores.ranks import Ranking, Recogniser
from scorecast.scores.stored_rows import AnyRows, row_blocks, take_rows

_SHOWN = 3
_LONGEST_NUMBER = 18  # digits
_MOST_CELLS = 50_000_000  # beyond, looking for duplicates takes too long
_MANY_TIES = 0.01
_ENOUGH_TO_TELL = 20
_MOST_SHIFTED = 10_000_000  # cells looked at to see whether labels are off by one
_SHIFTED_ROWS = 64  # samples looked at together
_SURELY_SHIFTED = 1e-3
_BEGINNING = 8  # values of a row that are compared first
_NORMALISED_ROWS = 200  # looked at
_NORMALISED = 1e-3  # how far from one a row may add up


class ScoreNote(StrEnum):
    """Codes of what is odd in scores; `score_warning` has the words.

    ``count`` and ``total`` say how many of how many. Of shifted labels ``count`` is the
    shift (minus or plus one) and ``value`` the accuracy with it; of an assumed order
    ``names`` are two classes that people would have the other way round; of names that
    nearly agree ``names`` are the first pairs and ``count`` is the number of all.
    """

    LOOKS_LIKE_DISTANCES = "looks-like-distances"
    LOOKS_LIKE_SIMILARITIES = "looks-like-similarities"
    LABELS_SHIFTED = "labels-shifted"
    ALL_TIED = "all-tied"
    NO_BETTER_THAN_CHANCE = "no-better-than-chance"
    ORDER_ASSUMED = "order-assumed"
    CLASSES_WITHOUT_SAMPLES = "classes-without-samples"
    MANY_TIES = "many-ties"
    DUPLICATE_SAMPLES = "duplicate-samples"
    DUPLICATE_CLASSES = "duplicate-classes"
    DUPLICATE_VECTORS = "duplicate-vectors"
    SIMILAR_NAMES = "similar-names"


class Marginality(StrEnum):
    """Whether each class is scored on its own, as forecasts of more classes assume."""

    MARGINAL = "marginal"
    COUPLED = "coupled"
    EMBEDDINGS = "embeddings"
    UNKNOWN = "unknown"


def marginality(data: Recogniser) -> Marginality:
    """Tell whether each class is scored on its own.

    Parameters
    ----------
    data : Scores or Embeddings
        The scores.

    Returns
    -------
    Marginality
        Embeddings are marginal if they were fixed before these classes were seen;
        scores that add up to one come from a model trained with all classes at once.
    """
    if not isinstance(data, Scores):
        return Marginality.EMBEDDINGS
    if data.is_marginal:
        return Marginality.MARGINAL
    if data.is_marginal is False or looks_normalised(data):
        return Marginality.COUPLED
    return Marginality.UNKNOWN


def looks_normalised(data: Recogniser) -> bool:
    """Tell whether rows are probabilities or their logarithms.

    Parameters
    ----------
    data : Scores or Embeddings
        The scores.

    Returns
    -------
    bool
        True if every row looked at adds up to one.
    """
    if not isinstance(data, Scores):
        return False
    some = data.values[:_NORMALISED_ROWS]
    # The first row alone denies it nearly always.
    return _add_up_to_one(some[:1]) and _add_up_to_one(some)


def _add_up_to_one(rows: NDArray[np.floating[Any]]) -> bool:
    some = np.asarray(rows, dtype=np.float64)
    if (some >= 0).all():
        return bool(np.abs(some.sum(axis=1) - 1).max() < _NORMALISED)
    if (some <= 0).all():
        logs = scipy.special.logsumexp(some, axis=1)
        return bool(np.abs(logs).max() < _NORMALISED)
    return False


def score_notes(data: Recogniser, ranking: Ranking) -> tuple[Note, ...]:
    """List what a reader of the answer should know about the data.

    Parameters
    ----------
    data : Scores or Embeddings
        The scores.
    ranking : Ranking
        Their ranks.

    Returns
    -------
    tuple of Note
        With codes of `ScoreNote`; empty for unremarkable data.
    """
    accuracy = _shifted_labels(data, ranking) or _no_better_than_chance(ranking)
    found = [
        accuracy,
        order_note(data),
        _classes_without_samples(data),
        _many_ties(ranking),
        *_duplicates(data),
        _similar_names(data),
    ]
    return tuple(note for note in found if note is not None)


def order_note(data: Recogniser) -> Note | None:
    """Note that text labels had to be matched to columns in sorted order."""
    if not (isinstance(data, Scores) and data.is_order_assumed):
        return None
    by_number = sorted(data.classes, key=_numbers_apart)
    apart = [(a, b) for a, b in zip(data.classes, by_number, strict=True) if a != b]
    names = tuple(map(str, apart[0])) if apart else ()
    return Note(code=ScoreNote.ORDER_ASSUMED, names=names)


def direction_note(data: Recogniser) -> Note | None:
    """Note that the direction of the scores looks wrong; `Scores` warned of it."""
    if not (isinstance(data, Scores) and data.looks_reversed):
        return None
    if data.greater_is_better:
        return Note(code=ScoreNote.LOOKS_LIKE_DISTANCES)
    return Note(code=ScoreNote.LOOKS_LIKE_SIMILARITIES)


def score_warning(note: Note) -> DataWarning:
    """Say in words what a note of the data is about.

    Parameters
    ----------
    note : Note
        With a code of `ScoreNote`.

    Returns
    -------
    DataWarning
        Of parts: the problem, and what to do about it.

    Examples
    --------
    >>> print(score_warning(Note(code=ScoreNote.MANY_TIES, count=3, total=20)))
    in 3 of 20 examples the true class ties with others: the rule for ties matters
    """
    count, total = f"{note.count or 0:,}", f"{note.total or 0:,}"
    match ScoreNote(note.code):
        case ScoreNote.LOOKS_LIKE_DISTANCES:
            return reversed_warning(greater_is_better=True)
        case ScoreNote.LOOKS_LIKE_SIMILARITIES:
            return reversed_warning(greater_is_better=False)
        case ScoreNote.LABELS_SHIFTED:
            what = "1 taken from" if note.count == -1 else "1 added to"
            share = 100 * (note.value or 0)
            return DataWarning(
                f"with {what} every label {share:.0f} % would be right",
                remedy="let the labels and the names of the classes count from the "
                "same number",
            )
        case ScoreNote.ALL_TIED:
            return DataWarning("all scores are the same: nothing is told apart")
        case ScoreNote.NO_BETTER_THAN_CHANCE:
            return DataWarning(
                "the true class wins no more often than chance",
                remedy="check that the labels fit the classes, that both count from "
                "the same number, and the direction of the scores or the metric",
            )
        case ScoreNote.ORDER_ASSUMED:
            pair = " before ".join(map(quoted, note.names))
            example = f" ({pair})" if pair else ""
            return DataWarning(
                f"text labels were matched to the columns in sorted order{example}",
                remedy="name the columns if theirs is another",
            )
        case ScoreNote.CLASSES_WITHOUT_SAMPLES:
            problem = f"{count} of {total} classes have no example: they only compete"
        case ScoreNote.MANY_TIES:
            problem = (
                f"in {count} of {total} examples the true class ties with others: the "
                "rule for ties matters"
            )
        case ScoreNote.DUPLICATE_SAMPLES:
            problem = f"{count} examples have exactly the same scores as another one"
        case ScoreNote.DUPLICATE_CLASSES:
            problem = f"{count} classes have exactly the same scores as another one"
        case ScoreNote.DUPLICATE_VECTORS:
            problem = f"{count} gallery vectors are copies of others"
        case ScoreNote.SIMILAR_NAMES:
            names = iter(map(quoted, note.names))
            pairs = "; ".join(f"{a} and {b}" for a, b in zip(names, names, strict=True))
            n_more = (note.count or 0) - len(note.names) // 2
            more = f" and {n_more:,} more" if n_more else ""
            problem = f"class names that nearly agree, kept apart: {pairs}{more}"
    return DataWarning(problem)


def _no_better_than_chance(ranking: Ranking) -> Note | None:
    n = ranking.n_samples
    if n < _ENOUGH_TO_TELL:
        return None
    chance = 1 / ranking.n_classes
    is_first = ranking.n_above == 0
    right = float((is_first / (ranking.n_tied + 1)).mean())
    if right > chance + 2 * np.sqrt(chance * (1 - chance) / n):
        return None
    if ranking.is_all_tied:
        return Note(code=ScoreNote.ALL_TIED)
    return Note(code=ScoreNote.NO_BETTER_THAN_CHANCE, value=right)


def _shifted_labels(data: Recogniser, ranking: Ranking) -> Note | None:
    """Note that labels which count from 0 meet columns that count from 1, or so."""
    is_mostly_right = (ranking.n_above == 0).mean() > 0.5
    if is_mostly_right or data.n_samples < _ENOUGH_TO_TELL:
        return None
    if not _are_consecutive(data.classes):
        return None
    own, won = _winners(data)
    given = _right_by_class(own, won)
    for shift in (-1, 1):
        moved = _right_by_class(own, won, shift)
        # Classes, not samples, show that it is no accident.
        gain, mean = moved - given, float(np.mean(moved - given))
        stderr = float(gain.std(ddof=1) / np.sqrt(gain.size)) if gain.size > 1 else 1.0
        is_far = moved.mean() > 2 * max(given.mean(), 1 / data.n_classes)
        is_sure = mean > 0 and (
            stderr == 0
            or scipy.special.stdtr(gain.size - 1, -mean / stderr) < _SURELY_SHIFTED
        )
        if is_far and is_sure:
            share = float(moved.mean())
            return Note(code=ScoreNote.LABELS_SHIFTED, count=shift, value=share)
    return None


def _are_consecutive(classes: tuple[Hashable, ...]) -> bool:
    """Tell whether columns are named 0, 1, 2, ... or 1, 2, 3, ..., also as text."""
    first = str(classes[0])
    if not first.isdecimal() or len(first) > _LONGEST_NUMBER:
        return False
    start = int(first)
    return all(str(name) == str(start + i) for i, name in enumerate(classes))


def _winners(data: Recogniser) -> tuple[IntArray, IntArray]:
    """Return true and winning column of many samples, evenly spread."""
    step = _SHIFTED_ROWS
    most = max(_MOST_SHIFTED // (step * data.n_classes), 1)
    starts = np.arange(0, data.n_samples, step)
    if starts.size > most:
        starts = starts[np.linspace(0, starts.size - 1, most).astype(int)]
    own, won = [], []
    for start in starts.tolist():
        stop = min(start + step, data.n_samples)
        own.append(data.own[start:stop])
        won.append(data.rows(start, stop).argmax(axis=1))
    return np.concatenate(own), np.concatenate(won)


def _right_by_class(own: IntArray, won: IntArray, shift: int = 0) -> FloatArray:
    """Return the share of every class that is right if its label is another."""
    kind = np.unique(own, return_inverse=True)[1]
    right = np.bincount(kind, weights=(won == own + shift).astype(np.float64))
    shares: FloatArray = right / np.bincount(kind)
    return shares


def _numbers_apart(name: Hashable) -> list[tuple[int, str]]:
    """Order names by the numbers in them, as people do."""
    parts = re.split(r"(\d+)", str(name))
    return [(int(x), "") if x.isdecimal() else (-1, x) for x in parts]


def _classes_without_samples(data: Recogniser) -> Note | None:
    n_missing = data.n_classes - np.unique(data.own).size
    if not n_missing:
        return None
    code = ScoreNote.CLASSES_WITHOUT_SAMPLES
    return Note(code=code, count=n_missing, total=data.n_classes)


def _many_ties(ranking: Ranking) -> Note | None:
    n_tied = int((ranking.n_tied > 0).sum())
    if n_tied <= _MANY_TIES * ranking.n_samples:
        return None
    return Note(code=ScoreNote.MANY_TIES, count=n_tied, total=ranking.n_samples)


def _duplicates(data: Recogniser) -> list[Note]:
    if isinstance(data, Scores):
        if data.values.size > _MOST_CELLS:
            return []
        counts = {
            ScoreNote.DUPLICATE_SAMPLES: n_copies(data.values),
            ScoreNote.DUPLICATE_CLASSES: n_copies(data.values.T),
        }
    else:
        gallery = getattr(data, "gallery", np.empty((0, 0)))
        counts = {ScoreNote.DUPLICATE_VECTORS: n_copies(gallery)}
    return [Note(code=code, count=count) for code, count in counts.items() if count]


def n_copies(vectors: AnyRows) -> int:
    """Count the rows that are copies of others, bit for bit."""
    beginnings = _fingerprints(vectors, _BEGINNING)
    often = Counter(beginnings)
    # Hardly any others begin alike, and need to be read to their ends.
    alike = np.flatnonzero([often[beginning] > 1 for beginning in beginnings])
    return alike.size - len(set(_fingerprints(take_rows(vectors, alike))))


def _fingerprints(vectors: AnyRows, n_values: int | None = None) -> list[int]:
    return [
        hash(row.tobytes())
        for _, block in row_blocks(vectors)
        for row in np.ascontiguousarray(block[:, :n_values])
    ]


def _similar_names(data: Recogniser) -> Note | None:
    seen: dict[str, str] = {}
    pairs = []
    for name in data.classes:
        if isinstance(name, str):
            folded = unicodedata.normalize("NFKC", name).strip().casefold()
            if folded in seen:
                pairs.append((seen[folded], name))
            seen.setdefault(folded, name)
    if not pairs:
        return None
    names = tuple(name for pair in pairs[:_SHOWN] for name in pair)
    return Note(code=ScoreNote.SIMILAR_NAMES, names=names, count=len(pairs))
