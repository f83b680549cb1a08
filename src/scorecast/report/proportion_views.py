"""The share of right cases of one model: text and page."""

from __future__ import annotations

from scorecast.guarantees import ProportionInterval
from scorecast.report.formats import dashed
from scorecast.report.sections import Section, column_table, report_sections
from scorecast.report.text import entry_lines, joined_lines, render_text, text_lines

__all__: list[str] = []

_BY = {
    "wilson": "Wilson's interval",
    "clustered-wilson-t": "Wilson's interval with the cases that groups are worth, by "
    "their correlation within groups, and t with a degree of freedom for every group "
    "but one",
}


@render_text.register
def _(result: ProportionInterval, *, ascii_only: bool = False) -> str:
    lines = [*text_lines(result.summary()), ""]
    for label, text in _facts(result):
        lines += entry_lines(label, text)
    return joined_lines(lines, ascii_only=ascii_only)


@report_sections.register
def _(result: ProportionInterval) -> tuple[Section, ...]:
    head = Section(heading=dashed(result.summary()), facts=_facts(result))
    table = column_table("", result.to_columns())
    return head, Section(heading="All numbers", tables=(table,))


def _facts(result: ProportionInterval) -> tuple[tuple[str, str], ...]:
    return ("By", _BY[result.method]), ("Assumes", result.assumed())
