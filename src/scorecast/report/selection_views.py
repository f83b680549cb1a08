"""How honesty about selected features is drawn, written and laid out on a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from scorecast.guarantees import (
    SelectedFeatures,
    SelectionBias,
    difference_said,
    is_share,
    span_said,
)
from scorecast.report.figures import Drawing, axes_size
from scorecast.report.forest import (
    Group,
    Row,
    draw_groups,
    groups_drawing,
    rows_drawing,
)
from scorecast.report.formats import (
    UNKNOWN,
    dashed,
    level_name,
    model_name,
    one_line,
    page_name,
)
from scorecast.report.names import model_names
from scorecast.report.plots import main_drawing
from scorecast.report.sections import Section, Table, column_table, report_sections
from scorecast.report.text import joined_lines, render_text, table_lines, text_lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "FEATURES_LEAD",
    "LOOP_LEAD",
    "bias_rows",
    "bias_table",
    "features_drawing",
    "features_table",
    "loop_drawing",
    "noted_bias_table",
]

_NAME = 60  # characters of a model's name on a page
_MOST_ROWS = 20
_SURE = 0.05
_REFERENCES = (
    "C. Ambroise and G. J. McLachlan (2002). Selection bias in gene extraction on the "
    "basis of microarray gene-expression data. PNAS 99.",
    "P. H. Westfall and S. S. Young (1993). Resampling-based multiple testing. Wiley.",
)
FEATURES_LEAD = (
    "Bars run from the p-value of a feature by itself to the one that allows for "
    "having searched all of them: the share of permutations whose best feature does as "
    "well. Blue: hardly luck."
)
LOOP_LEAD = (
    "Features chosen first, on all cases, have seen the cases that are tested later. "
    "Chosen again inside every split they have not: that is the blue row, and the one "
    "to quote. Between them, the first interval moved by the difference."
)


def features_drawing(result: SelectedFeatures) -> Drawing:
    """Draw the p-values of the best features, alone and allowing for the search.

    Parameters
    ----------
    result : SelectedFeatures
        The features.

    Returns
    -------
    Drawing
        One row per feature, at most twenty.
    """
    rows = tuple(
        Row(
            name=one_line(_name(result, i), 20),
            dot=float(result.max_statistic[i]),
            low=max(float(result.p_value[i]), 1e-300),
            high=float(result.max_statistic[i]),
            text=_p(float(result.max_statistic[i])),
            strong=bool(result.max_statistic[i] <= _SURE),
        )
        for i in range(min(result.features.size, _MOST_ROWS))
    )
    groups = [Group(heading="", rows=rows)]
    lowest = min(row.low for row in rows)

    def draw(axes: Axes) -> None:
        draw_groups(axes, groups, xlabel="p-value", zero=False)
        axes.set_xscale("log")
        axes.set_xlim(lowest / 2, 1.5)
        _power_ticks(axes, lowest)

    said = ", ".join(f"{row.name} {row.text}" for row in rows)
    return rows_drawing(
        groups, draw, title="p-values of the best features", description=said
    )


def _power_ticks(axes: Axes, lowest: float) -> None:
    width, _ = axes_size(axes)
    last = int(np.floor(np.log10(lowest)))
    step = max(1, int(np.ceil(-last / max(2.0, width / 60))))
    powers = list(range(0, last - 1, -step))
    names = ["1" if k == 0 else f"{10.0**k:g}" for k in powers]
    axes.set_xticks([10.0**k for k in powers], labels=names)
    axes.minorticks_off()


def _name(result: SelectedFeatures, place: int) -> str:
    if result.names:
        return result.names[place]
    return f"feature {int(result.features[place]) + 1}"


def _p(value: float) -> str:
    return f"{value:.3f}" if value >= 0.001 else f"{value:.1g}"


def features_table(result: SelectedFeatures, most: int | None = None) -> Table:
    """Set out the best features with their p-values, adjusted in every way."""
    places = range(result.features.size if most is None else min(
        most, result.features.size
    ))  # fmt: skip
    rows = tuple(
        (
            one_line(_name(result, i), 40),
            f"{result.statistic[i]:.3g}",
            *(
                _p(float(column[i]))
                for column in (
                    result.p_value,
                    result.holm,
                    result.false_discovery,
                    result.max_statistic,
                    result.luck,
                )
            ),
        )
        for i in places
    )
    columns = ("", "F", "p alone", "Holm", "false discovery", "best of all", "luck")
    return Table(
        caption=f"The {len(rows)} best features and their p-values",
        columns=columns,
        rows=rows,
        words=1,
        folded=True,
    )


def bias_rows(result: SelectionBias) -> tuple[Row, ...]:
    """Make three rows: chosen first, moved by the bias, chosen inside the splits."""
    moved = result.inside_estimate if result.bias > 0 else result.outside_estimate
    given = (
        ("chosen first", result.outside_estimate, result.outside_interval, False),
        ("less the bias", moved, result.adjusted_interval, False),
        ("chosen inside", result.inside_estimate, result.inside_interval, True),
    )
    return tuple(
        Row(
            name=name,
            dot=value,
            low=span[0],
            high=span[1] if np.isfinite(span[1]) else np.nan,
            text=span_said(result.loss, *span).removesuffix(" %"),
            strong=strong,
            hollow=name == "less the bias",
        )
        for name, value, span, strong in given
    )


def loop_drawing(results: Sequence[tuple[str, SelectionBias]]) -> Drawing:
    """Draw selection outside and inside the loop, model by model.

    Parameters
    ----------
    results : sequence of (str, SelectionBias)
        Names of models, which may be empty, with their results.

    Returns
    -------
    Drawing
        Three rows per model.
    """
    groups = [
        Group(heading=model_name(name, _NAME), rows=bias_rows(found))
        for name, found in results
    ]
    title = "Features chosen outside and inside the splits"
    loss = results[0][1].loss
    return groups_drawing(groups, loss, title, in_percent=is_share(loss))


def bias_table(results: Sequence[tuple[str, SelectionBias]]) -> Table:
    """Set out what is owed to choosing features first."""
    names = model_names([name for name, _ in results])
    rows = tuple(
        (
            names[name],
            found.said(found.outside_estimate),
            found.said(found.inside_estimate),
            span_said(found.loss, *found.inside_interval),
            _plain(found, found.bias),
            found.why_no_interval().partition(":")[0]
            or " to ".join(_plain(found, end) for end in found.bias_interval),
        )
        for name, found in results
    )
    first = results[0][1]
    unit = "points" if "points" in difference_said(first.loss, 0.0) else "more"
    interval = f"{level_name(first.level)} interval"
    columns = ("", "chosen first", "chosen inside", interval, unit, f"of the {unit}")
    return Table(caption="", columns=columns, rows=rows, words=1)


def noted_bias_table(results: Sequence[tuple[str, SelectionBias]]) -> Table:
    """Make the same for a page, intervals below the name: phones are narrow."""
    table = bias_table(results)
    names = [page_name(name) for name, _ in results]
    kept = (1, 2, 4)
    notes = []
    for row, (_, found) in zip(table.rows, results, strict=True):
        why = found.why_no_interval()
        gap = f"none, as {why}" if why else row[5]
        notes.append(
            f"{table.columns[3]} of chosen inside {dashed(row[3])}; of the difference: "
            f"{gap}"
        )
    return replace(
        table,
        columns=("", *(table.columns[i] for i in kept)),
        rows=tuple(
            (name, *(row[i] for i in kept))
            for name, row in zip(names, table.rows, strict=True)
        ),
        notes=tuple(notes),
    )


def _plain(result: SelectionBias, difference: float) -> str:
    if np.isnan(difference):
        return UNKNOWN
    return difference_said(result.loss, difference).removesuffix(" points")


@render_text.register
def _(result: SelectedFeatures, *, ascii_only: bool = False) -> str:
    table = features_table(result, _MOST_ROWS)
    lines = [*text_lines(result.summary()), ""]
    lines += table_lines(table.columns, table.rows, left={0})
    return joined_lines(lines, ascii_only=ascii_only)


@render_text.register
def _(result: SelectionBias, *, ascii_only: bool = False) -> str:
    table = bias_table([("", result)])
    lines = [*text_lines(result.summary()), ""]
    lines += table_lines(table.columns, table.rows, left={0})
    return joined_lines(lines, ascii_only=ascii_only)


@main_drawing.register
def _(result: SelectedFeatures) -> Drawing:
    return features_drawing(result)


@main_drawing.register
def _(result: SelectionBias) -> Drawing:
    return loop_drawing([("", result)])


@report_sections.register
def _(result: SelectedFeatures) -> tuple[Section, ...]:
    head = Section(
        heading=dashed(result.summary()),
        lead=(FEATURES_LEAD,),
        figure=features_drawing(result),
        tables=(features_table(result),),
    )
    return head, Section(heading="References", items=_REFERENCES[1:])


@report_sections.register
def _(result: SelectionBias) -> tuple[Section, ...]:
    head = Section(
        heading=dashed(result.summary()),
        lead=(LOOP_LEAD,),
        figure=loop_drawing([("", result)]),
        tables=(
            noted_bias_table([("", result)]),
            column_table("Every split", result.to_columns()),
        ),
    )
    return head, Section(heading="References", items=_REFERENCES[:1])
