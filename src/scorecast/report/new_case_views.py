"""How predictions for new cases are written, on a terminal and on a page."""

from __future__ import annotations

from scorecast.recurrence import NewCases, Recurrence
from scorecast.report.formats import count, level_name, percent
from scorecast.report.recurrence_words import span_said, time_said
from scorecast.report.sections import Section, Table
from scorecast.report.text import entry_lines, table_lines

__all__ = ["new_cases_lines", "new_cases_section"]

_MOST_ROWS = 10
_DASH = "\N{WORD JOINER}\N{EN DASH}\N{WORD JOINER}"


def new_cases_lines(result: Recurrence) -> list[str]:
    """Write the first new cases as lines; none where there are no new cases.

    Parameters
    ----------
    result : Recurrence
        The answer.

    Returns
    -------
    list of str
        A table between empty lines, then what it rests on.
    """
    found = result.predicted
    if found is None:
        return []
    table = table_lines(_heading(found, result), _rows(found, result, " to "), left={0})
    return ["", *table, "", *entry_lines("New cases", _said(found, result))]


def new_cases_section(result: Recurrence) -> list[Section]:
    """Lay the first new cases out on a page.

    Parameters
    ----------
    result : Recurrence
        The answer.

    Returns
    -------
    list of Section
        One, or none where there are no new cases.
    """
    found = result.predicted
    if found is None:
        return []
    table = Table(
        caption="",
        columns=_heading(found, result),
        rows=tuple(_rows(found, result, _DASH)),
        words=1,
        stacked=True,
    )
    said = _said(found, result)
    lead = f"{said[0].upper()}{said[1:]}."
    return [Section(heading="New cases", lead=(lead,), tables=(table,))]


def _heading(found: NewCases, result: Recurrence) -> tuple[str, ...]:
    unit = f", {result.follow_up.unit}" if result.follow_up.unit else ""
    return (
        "",
        f"median time{unit}",
        f"{level_name(found.level)} interval",
        *(f"after {time_said(time)}" for time in found.at),
    )


def _rows(found: NewCases, result: Recurrence, dash: str) -> list[tuple[str, ...]]:
    return [
        (
            f"new case {i + 1}",
            _median(found.median[i], result.follow_up.longest),
            span_said(found.low[i], found.high[i], dash),
            *(percent(chance) for chance in found.survival[i]),
        )
        for i in range(min(found.n, _MOST_ROWS))
    ]


def _median(value: float, longest: float) -> str:
    return f"> {time_said(longest)}" if value > longest else time_said(value)


def _said(found: NewCases, result: Recurrence) -> str:
    """Say how many there are, and what the figures rest on."""
    said = (
        f"{count(found.n)}, predicted by one fit to all {count(found.n_learned)} "
        "cases; what such predictions are worth is what was measured above, on cases "
        "that were held out"
    )
    if found.at:
        said += "; 'after': chance of still waiting then"
    longest = result.follow_up.longest
    shown = found.median[:_MOST_ROWS]
    if any(value > longest for value in shown):
        said += (
            f"; > {time_said(longest)}: beyond the longest follow-up, where the model "
            "alone decides"
        )
    if found.n > _MOST_ROWS:
        said += f"; the first {_MOST_ROWS} are shown, all are in the JSON (--json)"
        said += " and the table (--predicted)"
    return said
