"""Every interval of an assessment on a page: reasons, notes and what each assumes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from scorecast.guarantees import Assessment, Bound, ModelComparison
from scorecast.guarantees.loss_values import difference_said
from scorecast.report.assessment_plots import bounds_drawing
from scorecast.report.formats import UNKNOWN, is_known, model_name, one_line, sentence
from scorecast.report.sections import Section, column_table

__all__ = [
    "better_said",
    "bound_notes",
    "bound_sections",
    "bounds_assumed",
    "choice_notes",
    "gap_said",
]

_LEAD = (
    "Every way of putting an interval around the same tests. The blue one is "
    "recommended; the others show how much hangs on what is assumed."
)
_USUAL = "nadeau-bengio"
_Place = tuple[str, str, Bound]  # model, loss


def _all(result: Assessment) -> Iterator[_Place]:
    for model in result.assessed:
        for loss in model.losses:
            for bound in loss.bounds:
                yield model_name(model.name, 60), loss.loss, bound


def _gathered(
    places: Iterator[_Place], text_of: Callable[[Bound], str]
) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """Put together bounds of one method of which the same is said."""
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for model, loss, bound in places:
        if text_of(bound):
            found.setdefault((bound.method, text_of(bound)), []).append((model, loss))
    return found


def _whose(places: list[tuple[str, str]], n_models: int) -> str:
    models = list(dict.fromkeys(model for model, _ in places))
    losses = ", ".join(dict.fromkeys(loss for _, loss in places))
    is_all = len(models) == n_models > 2
    return f"{losses} of {'all models' if is_all else ', '.join(models)}"


def _for_whom(places: list[tuple[str, str]], n_models: int) -> str:
    """Name the models of which it is said; of the only one nobody asks."""
    models = list(dict.fromkeys(model for model, _ in places))
    if n_models == 1:
        return ""
    every = "both models" if n_models == 2 else "all models"
    return f" for {every if len(models) == n_models else ', '.join(models)}"


def _named(result: Assessment, name: str) -> str:
    found = (x.name for m in result.assessed for x in m.losses if x.loss == name)
    return one_line(next(found), 60)


def bound_notes(result: Assessment, loss: str | None = None) -> list[str]:
    """Return what else is to be known of intervals, and of which.

    Parameters
    ----------
    result : Assessment
        The answer.
    loss : str, optional
        Only notes that no loss before this one has.

    Returns
    -------
    list of str
        Without a full stop.
    """
    # Of all folds that agree the same is to be said of most methods: once will do.
    said: dict[str, dict[str, list[str]]] = {}
    first: dict[str, str] = {}
    n_models = len(result.assessed)
    for (method, text), who in _gathered(_all(result), lambda b: b.note).items():
        first.setdefault(text, who[0][1])
        said.setdefault(text, {}).setdefault(_whose(who, n_models), []).append(method)
    notes = []
    for text, of in said.items():
        parts = (f"{', '.join(methods)} ({who})" for who, methods in of.items())
        if loss in (None, first[text]):
            notes.append(f"{'; '.join(parts)}: {text}")
    return notes


def choice_notes(result: Assessment) -> list[str]:
    """Say in short why intervals are by another method than the usual one.

    Parameters
    ----------
    result : Assessment
        The answer.

    Returns
    -------
    list of str
        Without a full stop; none for nadeau-bengio, or where a note says more.
    """

    def why(bound: Bound) -> str:
        is_usual = bound.method == _USUAL or bound.note or not bound.is_recommended
        return "" if is_usual else bound.reason.partition(";")[0]

    n_models = len(result.assessed)
    return [
        f"{method} ({_whose(who, n_models)}): {text}"
        for (method, text), who in _gathered(_all(result), why).items()
    ]


def bound_sections(result: Assessment) -> list[Section]:
    """Lay out all intervals, loss by loss.

    Parameters
    ----------
    result : Assessment
        The answer.

    Returns
    -------
    list of Section
        One per loss.
    """
    names = list(dict.fromkeys(loss for _, loss, _ in _all(result)))
    sections, known = [], set[tuple[str, str]]()
    n_models = len(result.assessed)
    for place, name in enumerate(names):
        # A note says that the interval is another than the reason speaks of.
        reasons = _gathered(
            (x for x in _all(result) if x[1] == name),
            lambda b: b.reason if b.is_recommended and not b.note else "",
        )
        said = [_LEAD] if place == 0 else []
        said += [
            sentence(
                f"recommended{_for_whom(who, n_models)} is {method}, because {why}"
            )
            for (method, why), who in reasons.items()
            if (method, why) not in known
        ]
        said += _unpromised(result, name)
        said += [sentence(note) for note in bound_notes(result, name)]
        known |= set(reasons)
        is_last = place == len(names) - 1
        table = column_table("All intervals in numbers", result.to_columns())
        sections.append(
            Section(
                heading=f"Bounds of {_named(result, name)}",
                lead=tuple(said),
                figure=bounds_drawing(result, name),
                tables=(replace(table, folded=True),) if is_last else (),
            )
        )
    return sections


def _unpromised(result: Assessment, loss: str) -> list[str]:
    """Say that no interval of a loss is recommended, and why."""
    found = (x.no_interval for m in result.assessed for x in m.losses if x.loss == loss)
    return [
        f"None is recommended here: {text}." for text in dict.fromkeys(found) if text
    ]


def gap_said(row: ModelComparison) -> str:
    """Write the interval of a difference, or why there is none."""
    if row.is_same:
        return "no difference observable"
    if not is_known(row.low):
        return UNKNOWN
    low, high = (difference_said(row.loss, end) for end in (row.low, row.high))
    return f"{low.removesuffix(' points')} to {high}"


def better_said(
    result: Assessment, row: ModelComparison, names: Mapping[str, str] | None = None
) -> str:
    """Name the better of two models, as far as that is shown.

    Parameters
    ----------
    result : Assessment
        The answer.
    row : ModelComparison
        One of its pairs.
    names : mapping of str to str, optional
        What models are called; by default in short.

    Returns
    -------
    str
        A name or a few words, without a full stop.
    """
    if row.is_same:
        return "no difference observable"
    if not is_known(row.p_adjusted):
        return "no spread to judge by"
    if row.p_adjusted > float(result.options.get("alpha", 0.05)):
        return "not shown"
    greater = result.assessed[0].losses[0].greater_is_better
    better = row.a if (row.difference > 0) == greater else row.b
    return model_name(better, 30) if names is None else names[better]


def bounds_assumed(result: Assessment) -> list[str]:
    """Say what each way of making an interval assumes, and of which if they differ.

    Parameters
    ----------
    result : Assessment
        The answer.

    Returns
    -------
    list of str
        Sentences.
    """
    found = _gathered(_all(result), lambda b: b.assumption)
    methods = [method for method, _ in found]
    return [
        f"{method}: {text}."
        if methods.count(method) == 1
        else f"{method} ({_whose(who, len(result.assessed))}): {text}."
        for (method, text), who in found.items()
    ]
