"""What is odd in the data, in words: nothing here stops a forecast."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, stdtr

from scorecast._core.percent import percent
from scorecast._core.types import FloatArray, IntArray
from scorecast.scores.matrix import Scores
from scorecast.scores.ranking import ClassScores, Ranking

__all__ = ["describe_assumed_order", "describe_oddities", "look_normalised"]

_SHOWN = 3
_LONGEST_NUMBER = 18  # digits
_MOST_CELLS = 50_000_000  # beyond, looking for duplicates takes too long
_MANY_TIES = 0.01
_ENOUGH_TO_TELL = 20
_MOST_SHIFTED = 10_000_000  # cells looked at to see whether labels are off by one
_SHIFTED_ROWS = 64  # examples looked at together
_SURELY_SHIFTED = 1e-3


def describe_oddities(data: ClassScores, ranking: Ranking) -> list[str]:
    """List what a reader of the result should know about the data.

    Parameters
    ----------
    data : Scores or LabelledEmbeddings
        The scores.
    ranking : Ranking
        Their ranks.

    Returns
    -------
    list of str
        One sentence each; empty for unremarkable data.
    """
    found = [
        _shifted_labels(data, ranking) or _no_better_than_chance(data, ranking),
        describe_assumed_order(data),
        _classes_without_examples(data),
        _ties(ranking),
        _duplicates(data),
        _similar_names(data),
    ]
    return [sentence for sentence in found if sentence]


def look_normalised(data: ClassScores) -> bool:
    """Tell whether rows are probabilities or their logarithms.

    Such scores come from a model that was trained with all classes at once.

    Parameters
    ----------
    data : Scores or LabelledEmbeddings
        The scores.

    Returns
    -------
    bool
        True if every row looked at adds up to one.
    """
    if not isinstance(data, Scores):
        return False
    some = np.asarray(data.values[:200], dtype=np.float64)
    tolerance = 1e-3
    if (some >= 0).all():
        return bool(np.abs(some.sum(axis=1) - 1).max() < tolerance)
    if (some <= 0).all():
        return bool(np.abs(logsumexp(some, axis=1)).max() < tolerance)
    return False


def _no_better_than_chance(data: ClassScores, ranking: Ranking) -> str:
    n = ranking.n_examples
    chance = 1 / ranking.n_classes
    first = ranking.beaten_totals == 0
    right = float((first / (ranking.tied_totals + 1)).mean())
    margin = 2 * np.sqrt(chance * (1 - chance) / n)
    if n < _ENOUGH_TO_TELL or right > chance + margin or not ranking.tied_totals.size:
        return ""
    if (ranking.tied_totals == ranking.n_classes - 1).all():
        return "All scores are the same: nothing is told apart."
    if not isinstance(data, Scores):
        return (
            "The true class wins no more often than chance. Do the labels fit the "
            "gallery (--gallery-labels), and is it the right --metric?"
        )
    way = "are these distances (--smaller-is-better)?"
    if not data.greater_is_better:
        way = "is smaller really better (--smaller-is-better)?"
    return (
        "The true class wins no more often than chance. Do the labels fit the columns "
        f"(--classes), do they start at 0, {way}"
    )


def _shifted_labels(data: ClassScores, ranking: Ranking) -> str:
    """Say so where labels that count from 0 meet columns that count from 1, or so."""
    mostly_right = (ranking.beaten_totals == 0).mean() > 0.5
    if mostly_right or data.n_examples < _ENOUGH_TO_TELL:
        return ""
    if not _are_consecutive(data.classes):
        return ""
    own, won = _winners(data)
    given = _right_by_class(own, won)
    for shift in (-1, 1):
        moved = _right_by_class(own, won, shift)
        # Classes, not examples, show that it is no accident.
        gain, mean = moved - given, float(np.mean(moved - given))
        stderr = float(gain.std(ddof=1) / np.sqrt(gain.size)) if gain.size > 1 else 1.0
        far = moved.mean() > 2 * max(given.mean(), 1 / data.n_classes)
        surely = mean > 0 and (
            stderr == 0 or stdtr(gain.size - 1, -mean / stderr) < _SURELY_SHIFTED
        )
        if far and surely:
            what = "1 taken from" if shift < 0 else "1 added to"
            others = "the columns (classes=, --classes FILE)"
            if not isinstance(data, Scores):
                others = "the gallery (gallery_labels=, --gallery-labels FILE)"
            return (
                f"With {what} every label {percent(float(moved.mean()))} would be "
                f"right instead of {percent(float(given.mean()))}: do the labels and "
                f"{others} count from the same number?"
            )
    return ""


def _are_consecutive(classes: tuple[Hashable, ...]) -> bool:
    """Tell whether columns are named 0, 1, 2, ... or 1, 2, 3, ..., also as text."""
    first = str(classes[0])
    if not first.isdecimal() or len(first) > _LONGEST_NUMBER:
        return False
    start = int(first)
    return all(str(name) == str(start + i) for i, name in enumerate(classes))


def _winners(data: ClassScores) -> tuple[IntArray, IntArray]:
    """Return true and winning column of many examples, evenly spread."""
    step = _SHIFTED_ROWS
    most = max(_MOST_SHIFTED // (step * data.n_classes), 1)
    starts = np.arange(0, data.n_examples, step)
    if starts.size > most:
        starts = starts[np.linspace(0, starts.size - 1, most).astype(int)]
    own, won = [], []
    for start in starts.tolist():
        stop = min(start + step, data.n_examples)
        own.append(data.own[start:stop])
        won.append(data.rows(start, stop).argmax(axis=1))
    return np.concatenate(own), np.concatenate(won)


def _right_by_class(own: IntArray, won: IntArray, shift: int = 0) -> FloatArray:
    """Return the share of every class that is right if its label is another."""
    kind = np.unique(own, return_inverse=True)[1]
    right = np.bincount(kind, weights=(won == own + shift).astype(np.float64))
    shares: FloatArray = right / np.bincount(kind)
    return shares


def describe_assumed_order(data: ClassScores) -> str:
    """Say so where text labels had to be matched to columns in sorted order.

    Parameters
    ----------
    data : Scores or LabelledEmbeddings
        The scores.

    Returns
    -------
    str
        One sentence; empty where the columns have names or numbers.
    """
    if not (isinstance(data, Scores) and data.order_assumed):
        return ""
    by_number = sorted(data.classes, key=_numbers_apart)
    apart = [(a, b) for a, b in zip(data.classes, by_number, strict=True) if a != b]
    example = f" ({apart[0][0]!r} before {apart[0][1]!r})" if apart else ""
    return (
        f"Text labels were matched to the columns in sorted order{example}; if yours "
        "differ, name them (classes=, --classes FILE)."
    )


def _numbers_apart(name: Hashable) -> list[tuple[int, str]]:
    """Order names by the numbers in them, as people do."""
    parts = re.split(r"(\d+)", str(name))
    return [(int(x), "") if x.isdecimal() else (-1, x) for x in parts]


def _classes_without_examples(data: ClassScores) -> str:
    missing = data.n_classes - np.unique(data.own).size
    if not missing:
        return ""
    return (
        f"{missing:,} of {data.n_classes:,} classes have no example: they only compete."
    )


def _ties(ranking: Ranking) -> str:
    tied = int((ranking.tied_totals > 0).sum())
    if tied <= _MANY_TIES * ranking.n_examples:
        return ""
    return (
        f"In {tied:,} of {ranking.n_examples:,} examples the true class ties with "
        "others: the rule for ties matters."
    )


def _duplicates(data: ClassScores) -> str:
    if not isinstance(data, Scores):
        emb = data.embeddings
        copies = _copies(emb.gallery)
        return f"{copies:,} gallery vectors are copies of others." if copies else ""
    if data.values.size > _MOST_CELLS:
        return ""
    rows, columns = _copies(data.values), _copies(data.values.T)
    parts = [f"{rows:,} examples"] * bool(rows) + [f"{columns:,} classes"] * bool(
        columns
    )
    if not parts:
        return ""
    return f"{' and '.join(parts)} have exactly the same scores as another one."


def _copies(vectors: NDArray[np.floating[Any]]) -> int:
    contiguous = np.ascontiguousarray(vectors)
    return len(contiguous) - len({hash(row.tobytes()) for row in contiguous})


def _similar_names(data: ClassScores) -> str:
    seen: dict[str, str] = {}
    pairs = []
    for name in data.classes:
        if isinstance(name, str):
            folded = unicodedata.normalize("NFKC", name).strip().casefold()
            if folded in seen:
                pairs.append(f"{seen[folded]!r} and {name!r}")
            seen.setdefault(folded, name)
    if not pairs:
        return ""
    more = f" and {len(pairs) - _SHOWN} more" if len(pairs) > _SHOWN else ""
    return (
        f"Class names that nearly agree, kept apart: {'; '.join(pairs[:_SHOWN])}{more}."
    )
