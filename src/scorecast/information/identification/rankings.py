"""From scores to the ranks of the true stimuli."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import warn
from scorecast._core.percent import percent
from scorecast.exceptions import DataWarning, InsufficientDataError, UsageError
from scorecast.scores import (
    Embeddings,
    Ranking,
    Scores,
    check_scores,
    direction_note,
    order_note,
    rank_true_classes,
    score_warning,
)

__all__ = ["class_scores_of", "rank_tested"]

_MANY_TIES = 0.01  # of the responses; single ties are rounding


def class_scores_of(
    scores: ArrayLike | Scores | Embeddings,
    y_true: Iterable[Hashable] | None = None,
    *,
    classes: Sequence[Hashable] | None = None,
    greater_is_better: bool = True,
) -> Scores | Embeddings:
    """Accept scores; of a square matrix alone the truth is the diagonal.

    Parameters
    ----------
    scores : array-like, Scores or Embeddings
        Responses in rows, candidate stimuli in columns.
    y_true : iterable of hashable, optional
        True stimulus of every response.
    classes : sequence of hashable, optional
        Names of the columns.
    greater_is_better : bool, default=True
        False for distances.

    Returns
    -------
    Scores or Embeddings
        Ready to rank.

    Raises
    ------
    UsageError
        If the truth is missing and the matrix is not square.
    """
    is_plain = not isinstance(scores, Scores | Embeddings)
    if y_true is None and is_plain:
        shape = np.asarray(scores).shape
        if len(shape) != 2 or shape[0] != shape[1]:
            msg = (
                "Without `y_true` the scores must be square, responses x stimuli in "
                f"the same order; their shape is {shape}."
            )
            raise UsageError(msg)
        y_true = range(shape[0])
        classes = None
    if isinstance(scores, Scores | Embeddings) or y_true is None:
        return check_scores(scores, y_true)
    return Scores(scores, y_true, classes=classes, greater_is_better=greater_is_better)


def rank_tested(
    scores: ArrayLike | Scores | Embeddings,
    y_true: Iterable[Hashable] | None = None,
    *,
    classes: Sequence[Hashable] | None = None,
    greater_is_better: bool = True,
    n_jobs: int | None = None,
) -> tuple[Ranking, tuple[str, ...]]:
    """Rank the true stimuli among those that were tested.

    Parameters
    ----------
    scores, y_true, classes, greater_is_better : object
        As for `class_scores_of`.
    n_jobs : int, optional
        Number of threads for embeddings.

    Returns
    -------
    ranking : Ranking
        Competitors by stimulus; every stimulus has responses.
    notes : tuple of str
        What was left out, and what looks odd.

    Raises
    ------
    InsufficientDataError
        If fewer than two stimuli have responses, or all scores are equal.
    """
    data = class_scores_of(
        scores, y_true, classes=classes, greater_is_better=greater_is_better
    )
    tested = np.unique(data.own)
    notes = []
    turned, assumed = direction_note(data), order_note(data)
    if turned is not None:
        notes.append(str(score_warning(turned)))  # warned of when they were made
    if assumed is not None:
        notes.append(str(score_warning(assumed)))
        warn(score_warning(assumed))
    copies = _copies(data)
    if copies:
        notes.append(copies)
        warnings.warn(copies, DataWarning, stacklevel=3)
    if tested.size < 2:
        msg = (
            "One stimulus only has responses: identification needs at least two to "
            "choose from. Do the labels name the column of every row?"
        )
        raise InsufficientDataError(msg)
    if tested.size < data.n_classes:
        # Bounds are about stimuli drawn and tested alike.
        gone = data.n_classes - tested.size
        notes.append(f"{gone:,} stimuli without a response were left out.")
        data = data.subset(tested)
    ranking = rank_true_classes(data, n_jobs=n_jobs)
    if (ranking.n_tied == ranking.n_classes - 1).all():
        msg = (
            "All scores are equal: nothing is told apart. Is this the array of scores?"
        )
        raise InsufficientDataError(msg)
    tied = int((ranking.n_tied > 0).sum())
    share = tied / ranking.n_samples
    if share >= _MANY_TIES:
        notes.append(
            f"{tied:,} of {ranking.n_samples:,} responses ({percent(share)}) tie "
            "with another stimulus; ties count as their expectation under random "
            "breaking. Are stimuli repeated?"
        )
        warnings.warn(notes[-1], DataWarning, stacklevel=3)
    return ranking, tuple(notes)


def _copies(data: Scores | Embeddings) -> str:
    """Warn of probes that are in the gallery as they are: they find themselves."""
    if not isinstance(data, Embeddings):
        return ""
    known = {row.tobytes() for row in data.gallery + 0.0}
    found = sum(row.tobytes() in known for row in data.probes + 0.0)
    if not found:
        return ""
    return (
        f"{found:,} of {data.n_samples:,} probes are vectors of the gallery, and find "
        "themselves: what they seem to prove does not count. Test with other ones."
    )
