"""The part of an assessment about more cases, chosen features and the space itself."""

from __future__ import annotations

import math
from dataclasses import replace

from scorecast.guarantees import (
    NO_GAIN,
    Assessment,
    LearningCurveFit,
    SelectionBias,
    rough_size,
    span_said,
    value_said,
)
from scorecast.report.formats import (
    UNKNOWN,
    count,
    dashed,
    level_name,
    model_name,
    page_name,
    sentence,
)
from scorecast.report.learning_views import (
    learning_drawing,
    learning_table,
    split_said,
)
from scorecast.report.names import model_names
from scorecast.report.sections import Section, Table
from scorecast.report.selection_views import (
    FEATURES_LEAD,
    LOOP_LEAD,
    bias_table,
    features_drawing,
    features_table,
    loop_drawing,
    noted_bias_table,
)
from scorecast.report.space_views import SPACE_LEAD, space_table
from scorecast.report.text import entry_lines, table_lines

__all__ = ["outlook_facts", "outlook_lines", "outlook_sections"]

_MOST_CURVES = 6
_NAME = 60  # characters of a name on a page


def _curves(result: Assessment, over: str) -> list[tuple[str, LearningCurveFit]]:
    return [
        (model.name, curve)
        for model in result.assessed
        for curve in model.learning_curves
        if curve.over == over
    ]


def _biases(result: Assessment) -> list[tuple[str, SelectionBias]]:
    return [
        (model.name, model.selection_bias)
        for model in result.assessed
        if model.selection_bias is not None
    ]


def outlook_lines(result: Assessment) -> list[str]:
    """Set tables of curves and of selection for a terminal.

    Parameters
    ----------
    result : Assessment
        The answer.

    Returns
    -------
    list of str
        Lines; none if nothing was asked for.
    """
    lines: list[str] = []
    for over in ("cases", "features"):
        curves = _curves(result, over)
        if curves:
            table = _needs_table(curves)
            lines += [*table_lines(table.columns, table.rows, left={0}), ""]
        for name, curve in curves:
            if curve.fits and not curve.rises:
                said = f"{model_name(name, 60)}: {curve.no_gain_said()}, and nothing"
                said += f" said of more than {count(_ends(curve)[1])}"
                lines += entry_lines("Curve", said)
            for note in curve.notes:
                lines += entry_lines("Sizes", f"{model_name(name, 60)}: {note}")
    biases = _biases(result)
    if biases:
        table = bias_table(biases)
        heading = (f"best {count(biases[0][1].n_selected or 0)}", *table.columns[1:])
        lines += [*table_lines(heading, table.rows, left={0}), ""]
    return lines


def _needs_table(curves: list[tuple[str, LearningCurveFit]]) -> Table:
    first = curves[0][1]
    names = model_names([name for name, _ in curves])
    rows = tuple(
        (
            names[name],
            *(value_said(x.loss, value) for value in _measured(x)),
            _endless(x),
            *(() if x.target is None else (_needed(x, x.target),)),
        )
        for name, x in curves
    )
    heading = [f"{first.loss} from", *map(count, _ends(first)), "endless, by the fit"]
    if first.target is not None:
        aim = value_said(first.loss, first.target).replace(".0 %", " %")
        heading.append(f"{first.over} for {aim}")
    return Table(caption="", columns=tuple(heading), rows=rows, words=1)


def _noted(curves: list[tuple[str, LearningCurveFit]]) -> Table:
    """Make the same for a page, what is needed below the name: phones are narrow."""
    table = _needs_table(curves)
    names = [page_name(name) for name, _ in curves]
    rows = tuple((x, *row[1:]) for x, row in zip(names, table.rows, strict=True))
    table = replace(table, rows=rows)
    if curves[0][1].target is None:
        return table
    return replace(
        table,
        columns=table.columns[:-1],
        rows=tuple(row[:-1] for row in table.rows),
        notes=tuple(
            "" if x.target is None else x.needed_said(x.target) for _, x in curves
        ),
    )


def _ends(curve: LearningCurveFit) -> tuple[int, int]:
    return int(curve.sizes.min()), int(curve.sizes.max())


def _measured(curve: LearningCurveFit) -> tuple[float, float]:
    means = curve.means
    return float(means[curve.sizes.argmin()]), float(means[curve.sizes.argmax()])


def _needed(curve: LearningCurveFit, target: float) -> str:
    if not curve.fits:
        return "no power law fits"
    size, (low, high) = curve.needed_for(target), curve.needed_interval(target)
    least = float(curve.sizes.min())
    if low == high == least:
        return f"{count(least)} or fewer"
    if low <= least and math.isinf(high):
        return "cannot tell"
    if math.isnan(size):
        return "none shown"
    if math.isinf(size):
        never = curve.never_said(target) == "never reaches"
        none = "never" if never else "more than a million"
        return f"{rough_size(low)} or more, if ever" if low < math.inf else none
    needed = f"{count(size)} or fewer" if size <= least else f"about {rough_size(size)}"
    if math.isnan(low):
        return needed
    start = f"{count(low)} or fewer" if low <= least else rough_size(low)
    if math.isinf(high):
        return f"{needed} ({start} at least)"
    return f"{needed} ({start} to {rough_size(high)})"


def _endless(curve: LearningCurveFit) -> str:
    """Write what endless data would give, with its interval; or why nothing is said."""
    if not curve.fits:
        return UNKNOWN
    if not curve.rises:
        return "no gain shown"
    span = span_said(curve.loss, *curve.limit_interval)
    if curve.limit_doubt == NO_GAIN:
        return f"no gain beyond {count(_ends(curve)[1])} ({span})"
    return f"{curve.limit_doubt or value_said(curve.loss, curve.limit)} ({span})"


def outlook_facts(result: Assessment) -> list[tuple[str, str]]:
    """Say in a line each: the space, the selection, and how to split once.

    Parameters
    ----------
    result : Assessment
        The answer.

    Returns
    -------
    list of tuple of str
        Names with what they stand for.
    """
    facts = []
    if result.regularities is not None:
        said = result.regularities.summary().removesuffix(".")
        facts.append(("Space", said.partition("; ")[2] or said))
    if result.selected is not None:
        facts.append(("Selection", result.selected.summary().removesuffix(".")))
    splits = [split_said(x) for name, x in _curves(result, "cases")
              if name == result.best.name and split_said(x)]  # fmt: skip
    if splits:
        facts.append(("Split", splits[0]))
    return facts


def outlook_sections(result: Assessment) -> list[Section]:
    """Lay out curves, selection and the space.

    Parameters
    ----------
    result : Assessment
        The answer.

    Returns
    -------
    list of Section
        In reading order.
    """
    sections: list[Section] = []
    for over in ("cases", "features"):
        sections += _curve_sections(_curves(result, over), over)
    sections += _selection_sections(result)
    if result.regularities is not None:
        sections.append(
            Section(
                heading="In what kind of space the promise holds",
                lead=(SPACE_LEAD,),
                tables=(space_table(result.regularities),),
            )
        )
    return sections


def _curve_sections(
    curves: list[tuple[str, LearningCurveFit]], over: str
) -> list[Section]:
    if not curves:
        return []
    share = curves[0][1]
    lead = (
        f"The model learned from fewer {over} again and again (dots, and the numbers "
        "of single sizes: means as measured), a power law through it, and its "
        f"{level_name(share.level)} band; blue beyond what was tried. The band allows "
        "for tests that share cases, so that it is wide."
    )
    head = Section(
        heading=f"What would more {over} bring?",
        lead=(lead,),
        tables=(_noted(curves),),
    )
    return [
        head,
        *(
            Section(
                heading=f"{model_name(name, _NAME)}: learning curve over {over}",
                lead=(dashed(fit.summary()), *map(sentence, fit.notes)),
                figure=learning_drawing(fit),
                tables=(learning_table(fit),),
            )
            for name, fit in curves[:_MOST_CURVES]
        ),
    ]


def _selection_sections(result: Assessment) -> list[Section]:
    sections, biases = [], _biases(result)
    if biases:
        n = biases[0][1].n_selected or 0
        sections.append(
            Section(
                heading=f"If the best {count(n)} features were chosen",
                lead=(LOOP_LEAD,),
                figure=loop_drawing(biases[:_MOST_CURVES]),
                tables=(noted_bias_table(biases),),
            )
        )
    if result.selected is not None:
        sections.append(
            Section(
                heading="Would luck have found these features?",
                lead=(result.selected.summary(), FEATURES_LEAD),
                figure=features_drawing(result.selected),
                tables=(features_table(result.selected),),
            )
        )
    return sections
