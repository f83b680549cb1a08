"""How an assessment is written and laid out on a page."""

from __future__ import annotations

import math

from scorecast._core.amounts import counted
from scorecast.guarantees import Assessment, Feasibility, ModelAssessment
from scorecast.guarantees.loss_values import difference_said, is_share
from scorecast.report.assessment_plots import (
    bounds_drawing,
    classes_drawing,
)
from scorecast.report.bias_views import bias_sections
from scorecast.report.bound_views import (
    better_said,
    bound_notes,
    bound_sections,
    bounds_assumed,
    choice_notes,
    gap_said,
)
from scorecast.report.chance_plots import chance_drawing
from scorecast.report.figures import Drawing
from scorecast.report.formats import (
    UNKNOWN,
    count,
    dashed,
    display_width,
    is_known,
    level_name,
    model_name,
    one_line,
    page_name,
    percent,
    percent_span,
    sentence,
)
from scorecast.report.names import model_names
from scorecast.report.outlook_views import (
    outlook_facts,
    outlook_lines,
    outlook_sections,
)
from scorecast.report.plots import main_drawing
from scorecast.report.sections import Section, Table, report_sections
from scorecast.report.text import (
    entry_lines,
    joined_lines,
    render_text,
    table_lines,
    text_lines,
)

__all__ = ["assessment_text"]

_REFERENCES = (
    "R. Henriques and S. C. Madeira (2015). Towards robust performance guarantees for "
    "models learned from high-dimensional data. In: Big Data in Complex Systems.",
    "C. Nadeau and Y. Bengio (2003). Inference for the generalization error. Machine "
    "Learning 52.",
    "M. Ojala and G. C. Garriga (2010). Permutation tests for studying classifier "
    "performance. Journal of Machine Learning Research 11.",
    "S. Mukherjee and others (2003). Estimating dataset size requirements for "
    "classifying DNA microarray data. Journal of Computational Biology 10.",
    "R. Kohavi and D. Wolpert (1996). Bias plus variance decomposition for zero-one "
    "loss functions. ICML.",
)


@render_text.register
def assessment_text(result: Assessment, *, ascii_only: bool = False) -> str:
    """Write the answer as text: the sentence first, then what it rests on.

    Parameters
    ----------
    result : Assessment
        The answer.
    ascii_only : bool, default=False
        Whether to escape all that is not ASCII.

    Returns
    -------
    str
        Lines of at most 88 characters, without a line break at the end.
    """
    lines = [*text_lines(result.sentence()), ""]
    heading = ("", "", "estimate", f"{level_name(result.level)} interval", "by")
    lines += [*table_lines(heading, _loss_rows(result), left={0, 1, 4}), ""]
    if any(model.feasibility for model in result.assessed):
        lines += [*table_lines(_TESTS, _test_rows(result), left={0}), ""]
    lines += _class_lines(result)
    lines += _pair_lines(result)
    lines += outlook_lines(result)
    for text in result.warnings:
        lines += entry_lines("Warning", text)
    for text in (*bound_notes(result), *choice_notes(result)):
        lines += entry_lines("Interval", text)
    for model in result.models:
        lines += entry_lines(
            "Verdict", f"{model_name(model.name, _NAME)}: {model.verdict}"
        )
    for label, text in _facts(result):
        lines += entry_lines(label, text)
    return joined_lines(lines, ascii_only=ascii_only)


_MOST_CLASSES = 12  # in the terminal; beyond, the least recognised
_LEAST_CLASSES = 6
_MOST_PAIRS = 10  # in the terminal; beyond, those of the best model
_WIDEST = 88  # characters of a line
_NAME = 60  # characters of a model's name where lines may break
_DRAWN = (
    "Bars: what the model reached on permuted data, draw by draw. Blue: what it "
    "reached on the real ones, as the mean of its folds (or of all tests together). "
    "Marks below: null data."
)
_TESTS = ("p against", "permuted", "null model", "null data", "density")


def _loss_rows(result: Assessment) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    names = model_names([model.name for model in result.models])
    for model in result.models:
        name = names[model.name]
        if not model.losses:
            rows.append((name, "failed", UNKNOWN, UNKNOWN, ""))
        for loss in model.losses:
            by = "" if loss.recommended is None else loss.recommended.method
            value = loss.value_said(loss.estimate)
            rows.append(
                (name, one_line(loss.name, 30), value, loss.interval_said(), by)
            )
            name = ""
    return rows


def _class_lines(result: Assessment) -> list[str]:
    """Set a table of how well the best model recognises each class."""
    rows = next((x.per_class for x in result.best.losses if x.per_class), ())
    if not rows:
        return []
    shown = rows
    if len(rows) > _MOST_CLASSES:
        shown = tuple(sorted(rows, key=lambda row: row.estimate)[:_LEAST_CLASSES])
    grouped = any(row.n_units < row.n for row in rows)
    name = model_names([model.name for model in result.models])[result.best.name]
    of = f"recall of {name}" if len(result.models) > 1 else "recall"
    heading = (
        "class by class", "cases", *(["groups"] if grouped else []),
        of, f"{level_name(result.level)} interval",
    )  # fmt: skip
    table = [
        (
            one_line(row.label, 30),
            count(row.n), *([count(row.n_units)] if grouped else []),
            percent(row.estimate, 1), percent_span(row.low, row.high, 1),
        )
        for row in shown
    ]  # fmt: skip
    lines = table_lines(heading, table, left={0})
    if any(display_width(line) > _WIDEST for line in lines):
        # A long name stands above its table.
        short = tuple("recall" if cell == of else cell for cell in heading)
        lines = [f"  {of}", *table_lines(short, table, left={0})]
    if len(shown) < len(rows):
        lines.append(
            f"  the least recognised; {len(rows) - len(shown):,} more classes are in "
            "JSON and report"
        )
    return [*lines, ""]


def _pair_lines(result: Assessment) -> list[str]:
    """Set a table of pairs of models: by how much, how surely, and which is better."""
    rows = result.comparisons
    if not rows:
        return []
    names = model_names([model.name for model in result.models])
    best = result.best.name
    shown = rows
    if len(rows) > _MOST_PAIRS:
        shown = tuple(row for row in rows if best in (row.a, row.b))[:_MOST_PAIRS]
    unit = " points" if is_share(rows[0].loss) else ""
    heading = (
        f"difference of {rows[0].loss}", unit.strip(),
        f"{level_name(result.level)}, pair alone", "p (Holm)", "better",
    )  # fmt: skip
    table = [
        (
            f"{names[row.a]} - {names[row.b]}",
            difference_said(row.loss, row.difference).removesuffix(unit),
            gap_said(row).removesuffix(unit) if is_known(row.low) else UNKNOWN,
            _p_said(row.p_adjusted),
            better_said(result, row, names),
        )
        for row in shown
    ]
    lines = table_lines(heading, table, left={0, 4})
    if any(display_width(line) > _WIDEST for line in lines):
        # Long names: each pair has lines of its own.
        lines = text_lines(
            f"Differences of {rows[0].loss} ({heading[2]}; p after Holm; the better)"
        )
        for pair, gap, span, p, found in table:
            lines += text_lines(f"{pair}: {gap}{unit} ({span}), p = {p}; {found}")
    if len(shown) < len(rows):
        lines.append(f"  {len(rows) - len(shown):,} more pairs are in JSON and report")
    return [*lines, ""]


def _test_rows(result: Assessment) -> list[tuple[str, ...]]:
    names = model_names([model.name for model in result.models])
    return [
        (names[model.name], *_p_values(model.feasibility))
        for model in result.assessed
        if model.feasibility is not None
    ]


def _p_values(found: Feasibility) -> tuple[str, ...]:
    null = math.nan if found.null_data is None else found.null_data.worst_p
    return tuple(
        _p_said(p)
        for p in (
            found.permuted.worst_p,
            found.null_model.worst_p,
            null,
            found.permutation_density,
        )
    )


def _p_said(p: float) -> str:
    if not is_known(p):
        return UNKNOWN
    return f"{p:.3f}" if p >= 0.001 else "<0.001"


def _facts(result: Assessment) -> list[tuple[str, str]]:
    sizes = f"{counted(result.n, 'cases')}, {counted(result.m, 'features')}"
    if result.classes:
        each = ", ".join(
            f"{count(n)} of class {one_line(name, 20)}"
            for name, n in result.classes.items()
        )
        sizes += f"; {one_line(each, 200)}"
    if result.positive:
        sizes += f"; positive: {one_line(result.positive, 20)}"
    tested = (
        f"{result.sampling}: {counted(result.n_splits, 'splits')}, each learned from "
        f"about {result.n_train:.4g} cases and tested on {result.n_test:.3g}"
    )
    failed = [
        f"{model_name(model.name, _NAME)} on {result.cases_said(model)}"
        for model in result.models
        if model.losses and (model.failures or model.n_tested < result.n)
        if model.n_tested
    ]
    quick = (
        "a quick look: scores and their intervals. No test against chance, no null "
        "data, no bias and variance: the whole answer has them"
    )
    return [
        ("Data", sizes),
        *([("Quick", quick)] if result.quick else []),
        ("Tested", "; ".join([tested, *failed])),
        *(
            ("Chosen", f"{model_name(model.name, 60)}: {model.chosen_said()}")
            for model in result.assessed
            if model.chosen_said()
        ),
        *_draw_facts(result),
        *_centre_facts(result),
        *outlook_facts(result),
        ("Assumes", "; ".join(result.assumptions[:2])),
    ]


def _draw_facts(result: Assessment) -> list[tuple[str, str]]:
    """Say how often permuted and null data were drawn, model by model if it differs."""
    tested = [(m.name, m.feasibility) for m in result.assessed if m.feasibility]
    numbers: dict[str, list[str]] = {}
    for name, found in tested:
        said = counted(found.permuted.n_draws, "permutations")
        if found.null_data is not None:
            said += f", {counted(found.null_data.n_draws, 'null data sets')}"
        elif result.task == "regression":
            said += ", no null data: they keep what classes look like"
        numbers.setdefault(said, []).append(model_name(name, _NAME))
    if not numbers:
        return []
    if len(numbers) == 1:
        return [("Chance", next(iter(numbers)))]
    each = (f"{', '.join(names)}: {said}" for said, names in numbers.items())
    return [("Chance", "; ".join(each))]


def _centre_facts(result: Assessment) -> list[tuple[str, str]]:
    """Say what the estimate is, and why intervals need not lie around it."""
    if result.sampling.startswith(".632"):
        return [("Centre", _weighed_said(result))]
    for model in result.assessed:
        for loss in model.losses:
            known = [x for x in loss.folds if is_known(x)]
            by_folds = loss.recommended and loss.recommended.method == "nadeau-bengio"
            if not known or not by_folds:
                continue
            mean = math.fsum(known) / len(known)
            if loss.value_said(mean) != loss.value_said(loss.estimate):
                text = (
                    "estimates are means of cases; nadeau-bengio intervals, and "
                    "differences of models, are of means of folds, which differ a "
                    f"little ({loss.loss} of {model_name(model.name, _NAME)}: "
                    f"{loss.value_said(mean)} instead of "
                    f"{loss.value_said(loss.estimate)})"
                )
                return [("Centre", text)]
    return []


def _weighed_said(result: Assessment) -> str:
    """Say which of the numbers is weighed, and which is of cases left out."""
    model, name = result.best, result.sampling.partition("-")[0]
    loss = model.losses[0]
    left = [x for x in loss.cases or loss.folds if is_known(x)]
    mean = math.fsum(left) / len(left) if left else math.nan
    return (
        f"estimates are {name}: of cases left out, weighed against cases learned from "
        f"({loss.loss} of {model_name(model.name)}: {loss.value_said(mean)} left out, "
        f"{loss.value_said(loss.estimate)} weighed); intervals are those of cases left "
        "out, moved as far as weighing moves the estimate, and cut where values end"
    )


@main_drawing.register
def _(result: Assessment) -> Drawing:
    return bounds_drawing(result, result.assessed[0].losses[0].loss)


@report_sections.register
def _(result: Assessment) -> tuple[Section, ...]:
    sections = [_head(result), *bound_sections(result), *_feasibility(result)]
    if any(x.per_class for m in result.assessed for x in m.losses):
        sections.append(_classes(result))
    sections += bias_sections(result)
    sections += [*_comparisons(result), *outlook_sections(result), _assumed(result)]
    sections.append(Section(heading="References", items=_REFERENCES))
    return tuple(sections)


def _classes(result: Assessment) -> Section:
    lead = (
        "A good average can hide a class that is never recognised. Dots: share of "
        "each class that is recognised, over all its cases (their number in "
        f"brackets); bars: {level_name(result.level)} intervals, each by itself."
    )
    span = f"{level_name(result.level)} interval"
    columns = ("class", "sensitivity", span, "specificity", span)
    tables = []
    for model in result.assessed:
        found = next((x for x in model.losses if x.per_class), None)
        if found is None:
            continue
        rows = tuple(
            (
                one_line(row.label, 30),
                percent(row.estimate), percent_span(row.low, row.high),
                percent(row.specificity),
                percent_span(row.specificity_low, row.specificity_high),
            )
            for row in found.per_class
        )  # fmt: skip
        tables.append(
            Table(
                caption=f"{model_name(model.name, _NAME)}: recognised of each class, "
                "and not taken for it of the others",
                columns=columns,
                rows=rows,
                words=1,
                folded=True,
            )
        )
    return Section(
        heading="Class by class",
        lead=(lead,),
        figure=classes_drawing(result),
        tables=tuple(tables),
    )


def _head(result: Assessment) -> Section:
    first = one_line(result.assessed[0].losses[0].name, 40)
    columns = (first, "estimate", f"{level_name(result.level)} interval")
    rows, notes = [], []
    for model in result.models:
        if not model.losses:
            rows.append((page_name(model.name), UNKNOWN, UNKNOWN))
            notes.append(sentence(model.verdict).removesuffix("."))
            continue
        loss, *others = model.losses
        tested = model.feasibility
        rows.append(
            (
                page_name(model.name),
                loss.value_said(loss.estimate),
                dashed(loss.interval_said()),
            )
        )
        word = "not tested" if tested is None else tested.verdict.word
        word = "no verdict" if model.untested else word
        said = [word, *(dashed(f"{one_line(x.name, 40)} {x.said()}") for x in others)]
        if model.failures or 0 < model.n_tested < result.n:
            said.append(f"tested on {result.cases_said(model)}")
        notes.append(sentence("; ".join(said)).removesuffix("."))
    table = Table(
        caption="", columns=columns, rows=tuple(rows), notes=tuple(notes), words=1
    )
    return Section(
        heading=dashed(
            f"{'Quick look: ' if result.quick else ''}{result.headline()} "
            f"{_word(result.best)}"
        ),
        lead=tuple(
            text
            for text in (sentence(_reason(result.best)), result.choice_said())
            if text
        ),
        tables=(table,),
        warnings=result.warnings,
        facts=tuple(_facts(result)),
    )


def _word(model: ModelAssessment) -> str:
    if model.untested:
        return "No verdict."
    if model.feasibility is None:
        return "Not tested against chance."
    return sentence(model.feasibility.verdict.word)


def _reason(model: ModelAssessment) -> str:
    if model.untested:
        return sentence(model.untested)
    if model.feasibility is None:
        return "No test against chance was asked for: the estimate stands alone"
    return model.feasibility.verdict.reason


def _feasibility(result: Assessment) -> list[Section]:
    tested = [m for m in result.assessed if m.feasibility is not None]
    if not tested:
        return []
    names = [page_name(model.name) for model in tested]
    rows = [
        (name, *row[1:]) for name, row in zip(names, _test_rows(result), strict=True)
    ]
    lead = (
        "Chances of doing as well where nothing can be learned. Permuted: cases get "
        "the features of one another, which cuts the tie to their targets as permuting "
        "targets does. Null model: one that knows next to nothing. Null data: made-up "
        f"cases that {_kept(result)}. Density: single folds of permuted data."
    )
    shown = (
        "The larger of t-test and rank is shown where both are known; counting the "
        "folds ignores how far off they are."
    )
    drawing = chance_drawing(result)
    return [
        Section(
            heading="Is it better than chance?",
            lead=(lead, shown) if drawing is None else (lead, shown, _DRAWN),
            figure=drawing,
            tables=(
                Table(
                    caption="p-values, one-tailed",
                    columns=("", *_TESTS[1:]),
                    rows=tuple(rows),
                    notes=tuple(model.verdict for model in tested),
                    words=1,
                ),
                _every_test(tested),
            ),
        )
    ]


def _kept(result: Assessment) -> str:
    """Say in plain words what null data have of the real ones."""
    alone = "look like the real ones feature by feature, and hold no pattern beyond"
    if result.options.get("null_data") in ("normal", "shuffle"):
        return f"{alone}: features know nothing of one another"
    return f"{alone} that but how features go together on the whole"


def _every_test(models: list[ModelAssessment]) -> Table:
    rows = []
    for model in models:
        if model.feasibility is None:
            continue
        rows += [
            (
                page_name(model.name),
                test.setting,
                _p_said(test.p),
                _p_said(test.p_rank),
                _p_said(test.smallest_p),
                f"{test.null_value:.4g}",
            )
            for test in model.feasibility.tests()
        ]
    return Table(
        caption="Every test",
        columns=("", "against", "t-test", "rank", "least rank", "value there"),
        rows=tuple(rows),
        words=2,
        folded=True,
    )


def _comparisons(result: Assessment) -> list[Section]:
    if not result.comparisons:
        return []
    rows = tuple(
        (
            f"{page_name(row.a)} \N{MINUS SIGN} {page_name(row.b)}",
            dashed(difference_said(row.loss, row.difference)),
            _p_said(row.p_adjusted),
        )
        for row in result.comparisons
    )
    columns = (result.comparisons[0].loss, "difference", "p (Holm)")
    # Below the names: phones are narrow, and names of models long.
    notes = tuple(
        dashed(
            f"{level_name(result.level)} interval of the pair alone {gap_said(row)}; "
            f"better: {better_said(result, row)}"
        )
        if is_known(row.low)
        else better_said(result, row)
        for row in result.comparisons
    )
    lead = (
        "Differences on the same folds, by the corrected resampled t-test; p-values "
        "after Holm, for all pairs at once. Intervals are those of a pair by itself."
    )
    if any(not row.is_same and not is_known(row.low) for row in result.comparisons):
        lead += f" {UNKNOWN}: all folds differ by as much, so that no spread is seen."
    table = Table(caption="", columns=columns, rows=rows, notes=notes, words=1)
    return [Section(heading="Model against model", lead=(lead,), tables=(table,))]


def _assumed(result: Assessment) -> Section:
    items = [sentence(text) for text in result.assumptions]
    return Section(heading="What this assumes", items=(*items, *bounds_assumed(result)))
