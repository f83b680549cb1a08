"""What a reader of an assessment must know before any number."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.guarantees.model_assessment import ModelAssessment
from scorecast.guarantees.problem import Problem
from scorecast.guarantees.sampling import Plan
from scorecast.guarantees.tables import number_names, numbers_of

__all__ = ["cautions"]

_IDENTITY = re.compile(r"(^|[_ .-])(id|ID|Id|key|index|uuid)$")
_FEW_CASES = 4  # of a class: below, Wilson's interval of its share is most of 0 to 1
_FEWEST_ROWS = 5  # three numbers in order are no counter yet


def cautions(
    problem: Problem,
    plan: Plan,
    rows: Sequence[ModelAssessment],
    names: Sequence[str] = (),
) -> tuple[str, ...]:
    """Say what a reader must know before any number.

    Parameters
    ----------
    problem : Problem
        The cases.
    plan : Plan
        The splits.
    rows : sequence of ModelAssessment
        What came of them.
    names : sequence of str, optional
        Names of the features.

    Returns
    -------
    tuple of str
        A line each.
    """
    lines = []
    for row in rows:
        if row.failures:
            lines.append(
                f"{row.name}: {len(row.failures)} of {len(plan.splits)} splits "
                f"{row.failures[0]}"
            )
        lines += [f"{row.name}: {text}" for text in row.warnings[:3]]
    if _asks(rows, "posterior-error"):
        lines.append(
            "posterior-error is the error that a model itself states: it holds only if "
            "its probabilities are calibrated, and for classes as common as here. "
            "Compare it with error."
        )
    # The same for every model: it is a matter of the splits.
    none = (x.no_interval for row in rows for x in row.losses if x.no_interval)
    lines += [f"{text}." for text in dict.fromkeys(none)]
    lines += _lonely(problem)
    lines += _counters(problem, names)
    if not problem.is_classification and np.unique(problem.y).size == 2:
        lines.append(
            "the target has two values only, which these models predict as numbers. If "
            "they are classes, use a classifier, such as ridge-classifier for ridge."
        )
    repeated = problem.n_repeated()
    if repeated:
        lines.append(
            f"{repeated} cases repeat the features of another: if copies stand on "
            "both sides of a split, the estimate is too good. Give groups, at the "
            "command line with --group COL."
        )
    n_folds = len(plan.splits)
    if math.isclose(plan.n_test, 1) or n_folds < 5:
        each = f"{plan.n_test:.3g} case{'' if math.isclose(plan.n_test, 1) else 's'}"
        lines.append(f"{n_folds} splits of {each} each say little of spread.")
    return tuple(lines)


def _counters(problem: Problem, names: Sequence[str]) -> list[str]:
    """Name the features that count the rows: they know in what order cases came."""
    if problem.n < _FEWEST_ROWS:
        return []
    values = numbers_of(problem.X)
    own = names if len(names) == values.shape[1] else number_names(problem.X)
    counting = (np.diff(values, axis=0) == 1).all(axis=0)
    found = [
        str(own[i]) if i < len(own) else f"feature {i + 1}"
        for i in range(values.shape[1])
        if counting[i] or (i < len(own) and str(own[i]).startswith("Unnamed:"))
    ]
    if not found:
        return _identities(values, own)
    named = f"{found[0]!r}" + (f" and {len(found) - 1} more" if found[1:] else "")
    return [
        f"{named} counts the rows, and is learned from like a feature; it tells "
        "classes apart if cases are sorted. Leave it out, at the command line with "
        f"--drop {found[0]!r}."
    ]


def _identities(values: FloatArray, names: Sequence[str]) -> list[str]:
    """Name a feature that is a number of the case by its name, and different in all."""
    found = [
        str(name)
        for i, name in enumerate(names)
        if _IDENTITY.search(str(name)) and i < values.shape[1]
        if np.isfinite(values[:, i]).all() and (values[:, i] % 1 == 0).all()
        if np.unique(values[:, i]).size == values.shape[0]
    ]
    if not found:
        return []
    return [
        f"{found[0]!r} is different in every case, as a name is, and is learned from "
        "like a feature. Leave it out, at the command line with "
        f"--drop {found[0]!r}."
    ]


def _asks(rows: Sequence[ModelAssessment], loss: str) -> bool:
    return any(x.loss == loss for row in rows for x in row.losses)


def _lonely(problem: Problem) -> list[str]:
    """Name the classes of one case, and of few."""
    if not problem.is_classification:
        return []
    counts = zip(problem.classes, problem.class_counts.tolist(), strict=True)
    alone = [str(label) for label, count in counts if count == 1]
    lines = []
    if alone:
        lines.append(
            f"a class with 1 case ({_some(alone)}) cannot be both learned and tested: "
            "whenever it is tested it is wrong. Merge or drop it."
        )
    few = [
        f"{label}: {count}"
        for label, count in zip(problem.classes, problem.class_counts, strict=True)
        if 1 < count < _FEW_CASES
    ]
    if few:
        lines.append(
            f"classes with few cases ({_some(few)}) are learned from even fewer, and "
            "hardly anything is known of how well they are recognised: values "
            "averaged over classes have wide intervals."
        )
    return lines


def _some(names: Sequence[str]) -> str:
    """Name up to five, and count the others."""
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return f"{', '.join(names[:5])}{more}"
