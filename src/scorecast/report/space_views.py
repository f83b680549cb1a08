"""In what kind of space a promise holds: how regularities are shown."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from scorecast._core.amounts import counted
from scorecast.guarantees.regularities import Regularities
from scorecast.report.figures import Drawing, count_axis
from scorecast.report.forest import Group, Row, draw_groups, rows_drawing
from scorecast.report.formats import UNKNOWN, count, one_line, percent
from scorecast.report.plots import main_drawing
from scorecast.report.sections import Section, Table, report_sections
from scorecast.report.text import joined_lines, render_text, text_lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["SPACE_LEAD", "space_table"]

_WIDTH = 88
SPACE_LEAD = (
    "A promise holds for data of this kind. What was learned where features are many, "
    "skewed, correlated or unbalanced says little of spaces where they are not."
)


def space_rows(result: Regularities) -> list[tuple[str, str, str]]:
    """Return name, value and meaning of every property.

    Parameters
    ----------
    result : Regularities
        The description.

    Returns
    -------
    list of tuple of str
        In reading order.
    """
    few = result.cases_per_feature < 1
    rows = [
        (
            "cases per feature",
            f"{result.cases_per_feature:.2g}",
            "fewer cases than features: some tell targets apart by luck"
            if few
            else "more cases than features",
        )
    ]
    if result.class_counts:
        sizes = ", ".join(
            f"{one_line(name, 20)} {count(n)}"
            for name, n in result.class_counts.items()
        )
        rows.append(
            (
                "smallest class over largest",
                f"{result.balance:.2g}",
                one_line(sizes, 90),
            )
        )
    rows += _shape_rows(result)
    return [*rows, *_structure_rows(result)]


def _shape_rows(result: Regularities) -> list[tuple[str, str, str]]:
    return [
        (
            "features without spread",
            count(result.n_constant),
            "the same value in every case",
        ),
        (
            "features not normal",
            percent(result.share_not_normal),
            f"{'within classes; ' if result.class_counts else ''}Jarque and Bera, 5 % "
            "false discoveries",
        ),
        (
            "features skewed",
            percent(result.share_skewed),
            f"skewness beyond 1 in size; its median is {result.skewness:.2f}",
        ),
    ]


def _structure_rows(result: Regularities) -> list[tuple[str, str, str]]:
    blocks = UNKNOWN if result.n_blocks is None else count(result.n_blocks)
    largest = (
        "too many features to compare them all"
        if result.largest_block is None
        else f"joined by correlations from {result.threshold:g} on, the largest of "
        f"{count(result.largest_block)} features"
        if result.n_blocks
        else f"no two features have a correlation from {result.threshold:g} on"
    )
    lucky = f"luck alone would show {result.separation_by_luck:.2f}"
    apart = (
        ("distance of classes, best feature", "in standard deviations; ")
        if result.class_counts
        else ("correlation with the target, best feature", "")
    )
    return [
        ("blocks of correlated features", blocks, largest),
        (
            "directions they vary in",
            f"{result.effective_features:.0f}",
            f"of {counted(result.n_features, 'features')}: the fewer, the more "
            "redundant",
        ),
        (apart[0], f"{result.separation:.2f}", f"{apart[1]}{lucky}"),
    ]


def space_table(result: Regularities, caption: str = "") -> Table:
    """Set out every property with what it means."""
    rows = space_rows(result)
    return Table(
        caption=caption,
        columns=("", "value"),
        rows=tuple((name, value) for name, value, _ in rows),
        notes=tuple(meaning for _, _, meaning in rows),
        words=1,
    )


@render_text.register
def _(result: Regularities, *, ascii_only: bool = False) -> str:
    rows = space_rows(result)
    names = max(len(name) for name, _, _ in rows)
    values = max(len(value) for _, value, _ in rows)
    lines = [*text_lines(result.summary()), ""]
    for name, value, meaning in rows:
        start = f"  {name:<{names}}  {value:>{values}}  "
        lines += textwrap.wrap(
            meaning, _WIDTH, initial_indent=start, subsequent_indent=" " * len(start)
        )
    return joined_lines(lines, ascii_only=ascii_only)


@main_drawing.register
def _(result: Regularities) -> Drawing:
    given = [("features", result.n_features), ("cases", result.n_cases)]
    if result.class_counts:
        given.append(("smallest class", min(result.class_counts.values())))
    if result.largest_block is not None:
        given.append(("largest block", result.largest_block))
    given.append(("directions", max(1, round(result.effective_features))))
    rows = tuple(
        Row(name=name, dot=value, low=1.0, high=value, text=count(value),
            strong=name == "directions")
        for name, value in given
    )  # fmt: skip
    groups = [Group(heading="How large the space is", rows=rows)]

    def draw(axes: Axes) -> None:
        draw_groups(axes, groups, xlabel="number", zero=False)
        count_axis(axes, 0.9, 1.2 * max(row.dot for row in rows))

    return rows_drawing(
        groups, draw, title="How large the space is", description=result.summary()
    )


@report_sections.register
def _(result: Regularities) -> tuple[Section, ...]:
    return (
        Section(
            heading=result.summary(),
            lead=(SPACE_LEAD,),
            figure=main_drawing(result),
            tables=(space_table(result),),
        ),
    )
