"""How a comparison of models is written and laid out on a page."""

from __future__ import annotations

from dataclasses import replace

from scorecast._core.amounts import amount, counted
from scorecast.comparison import (
    OMNIBUS_PAPERS,
    OMNIBUS_TITLES,
    POST_HOC_TITLES,
    TEST_TITLES,
    Comparison,
    EffectSize,
    ModelPair,
    RopeChances,
    works_cited,
)
from scorecast.report.comparison_plots import (
    difference_drawing,
    rank_drawing,
    told_apart_without_bar,
    wins_drawing,
)
from scorecast.report.drawing import Drawing
from scorecast.report.formats import (
    UNKNOWN,
    count,
    display_width,
    is_known,
    level_name,
    like_digits,
    one_line,
    p_cell,
    percent_number,
    signed_number,
    signed_size,
)
from scorecast.report.phrases import sentence
from scorecast.report.plots import main_drawing
from scorecast.report.sections import Section, Table, column_table, report_sections
from scorecast.report.short_names import names_in_columns, short_by_name
from scorecast.report.text import (
    entry_lines,
    joined_lines,
    paragraph_lines,
    render_text,
    table_lines,
)

__all__ = ["comparison_text"]

_WIDTH = 88
_LONGEST_NAME = 22
_SHORTEST_NAME = 10
_CHANCES = "lower-equal-higher"
_MOST_PAIRS = 15
_MOST_MODELS = 24
_MOST_IN_MATRIX = 20
_INTERVAL_PAPERS = {"data sets": "Hodges and Lehmann 1963", "cases": "Newcombe 1998"}
_SIDES = "Lower, higher: that the first lies below, or above, by more."


@render_text.register
def comparison_text(result: Comparison, *, ascii_only: bool = False) -> str:
    """Write the answer as text: the sentence first, then what it rests on.

    Parameters
    ----------
    result : Comparison
        The answer.
    ascii_only : bool, default=False
        Whether to escape all that is not ASCII.

    Returns
    -------
    str
        Lines of at most 88 characters, without a line break at the end.
    """
    lines = [*paragraph_lines(result.summary()), ""]
    models = _model_rows(result)
    lines += _model_lines(result, models[:_MOST_MODELS])
    if len(models) > _MOST_MODELS:
        lines += ["", f"  {_more_said(result)} are in the JSON and on the page"]
    lines.append("")
    shown, rest = _shown_pairs(result)
    if shown:
        lines += [*_pair_lines(result, shown), ""]
    if rest:
        more = f"{count(rest)} more pair{' is' if rest == 1 else 's are'}"
        lines += [f"  {more} in the JSON and on the page", ""]
    for text in result.warnings:
        lines += entry_lines("Warning", text)
    if result.rope is not None:
        lines += entry_lines("Chances", f"{_CHANCES}: {_rope_lead(result)}")
    for label, text in _facts(result):
        lines += entry_lines(label, text)
    return joined_lines(lines, ascii_only=ascii_only)


def _model_lines(result: Comparison, rows: list[tuple[str, ...]]) -> list[str]:
    """Set the models; the heading names the one compared with as the width allows."""
    for limit in (16, 8):
        lines = table_lines(_heading(result, limit), rows, left={0})
        if max(map(display_width, lines)) <= _WIDTH:
            break
    return lines


def _heading(result: Comparison, limit: int = 16) -> tuple[str, ...]:
    centre = names_in_columns(result.models, limit)[result.control or result.best]
    stands = ("mean",) if result.stands_by_means else ("mean rank", "mean", "median")
    return ("", *stands, f"p against {centre}", "")


def _model_rows(
    result: Comparison, longest: int = _LONGEST_NAME
) -> list[tuple[str, ...]]:
    centre = result.control or result.best
    names = names_in_columns(result.models, longest)
    said = like_digits([*result.means, *result.medians])
    means, medians = said[: len(result.models)], said[len(result.models) :]
    rows: list[tuple[str, ...]] = []
    for name in result.order:
        place = result.models.index(name)
        p = "" if name == centre else p_cell(result.pair(name, centre).p_adjusted)
        mark = "" if name == centre or result.differ(name, centre) else "not told apart"
        stands: tuple[str, ...] = (
            f"{result.ranks[place]:.2f}",
            means[place],
            medians[place],
        )
        if result.stands_by_means:
            stands = (means[place],)
        rows.append((names[name], *stands, p, mark))
    return rows


def _more_said(result: Comparison) -> str:
    more = len(result.models) - _MOST_MODELS
    return f"{count(more)} more model{'s' if more > 1 else ''}, which rank lower,"


def _shown_pairs(result: Comparison) -> tuple[list[ModelPair], int]:
    """Choose the pairs for the terminal: all, or those told apart, the surest first."""
    if len(result.pairs) <= _MOST_PAIRS:
        return list(result.pairs), 0
    apart = [pair for pair in result.pairs if result.differ(pair.a, pair.b)]
    shown = sorted(apart, key=lambda x: x.p_adjusted)[:_MOST_PAIRS]
    return shown, len(result.pairs) - len(shown)


def _pair_lines(result: Comparison, pairs: list[ModelPair]) -> list[str]:
    """Set the pairs with as many columns as leave room for their names."""
    heading, rows = _pair_table(result, pairs)
    longest = max(map(display_width, result.models))
    # What is left out first, until names of a fair length fit.
    for left_out in ({"p"}, {"p", "won-tied-lost"}):
        kept = [i for i, name in enumerate(heading) if name not in left_out]
        table = [[row[i] for i in kept] for row in (heading, *rows)]
        widths = [max(len(row[i]) for row in table) for i in range(1, len(kept))]
        room = (_WIDTH - sum(widths) - 2 * len(kept) - 3) // 2
        if room >= min(longest, _SHORTEST_NAME):
            break
    names = names_in_columns(result.models, room)
    for row, pair in zip(table[1:], pairs, strict=True):
        first, second, *_ = _turned(result, pair)
        row[0] = f"{names[first]} - {names[second]}"
    return table_lines(table[0], table[1:], left={0})


def _pair_table(
    result: Comparison, pairs: list[ModelPair]
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    # Beside p of all pairs together it must be said that intervals are not.
    interval = f"{level_name(result.level)} interval"
    if len(result.pairs) > 1 and result.post_hoc != "none":
        interval = f"{level_name(result.level)}, pair alone"
    heading: tuple[str, ...] = (
        "pair", "difference", interval, "won-tied-lost", "p", "p adjusted",
    )  # fmt: skip
    if result.rope is not None:
        heading += (_CHANCES,)
    names = short_by_name(result.models, _LONGEST_NAME)
    return heading, [_pair_row(result, pair, names) for pair in pairs]


def _pair_row(
    result: Comparison, pair: ModelPair, names: dict[str, str]
) -> tuple[str, ...]:
    first, second, effect, chances = _turned(result, pair)
    span = UNKNOWN
    if is_known(effect.low) and is_known(effect.high):
        span = f"{signed_number(effect.low)} to {signed_number(effect.high)}"
    row = (
        f"{names[first]} - {names[second]}",
        signed_number(effect.difference),
        span,
        "-".join(count(x or 0) for x in (effect.wins, effect.ties, effect.losses)),
        p_cell(pair.p),
        p_cell(pair.p_adjusted),
    )
    if result.rope is None:
        return row
    return (*row, "" if chances is None else _chances_said(chances))


def _turned(
    result: Comparison, pair: ModelPair
) -> tuple[str, str, EffectSize, RopeChances | None]:
    """Turn the only pair as the sentence has it; of many, each stays as compared."""
    if len(result.models) > 2:
        return pair.a, pair.b, pair.effect, pair.chances
    first, second, effect = result.better_first(pair)
    chances = pair.chances
    if chances is not None and first != pair.a:
        chances = replace(
            chances, first_lower=chances.first_higher, first_higher=chances.first_lower
        )
    return first, second, effect, chances


def _chances_said(chances: RopeChances) -> str:
    each = (chances.first_lower, chances.equal, chances.first_higher)
    return "-".join(map(percent_number, each)) + " %"


def _facts(result: Comparison) -> list[tuple[str, str]]:
    better = "greater" if result.greater_is_better else "less"
    measure = f"{one_line(result.measure)}, " if result.measure else ""
    size = counted(result.n, result.rows)
    if result.n_units is not None:
        size += f" in {counted(result.n_units, 'groups')}"
    size += f", {count(len(result.models))} models"
    if result.test_ratio is not None:
        size += f", {amount(result.test_ratio)} cases tested per case learned from"
    facts = [("Data", f"{size}; {measure}{better} is better")]
    if result.omnibus:
        first = result.omnibus[0]
        facts.append(("All", f"{OMNIBUS_TITLES[first.test]}: {first.said()}"))
    title = _title(result.pair_test)
    how = title if len(result.pairs) == 1 else f"{title}; {_correction(result)}"
    facts += [
        ("Pairs", how),
        ("Why", "; ".join(result.reasons)),
        ("Assumes", "; ".join(result.assumptions)),
    ]
    return [(name, text) for name, text in facts if text]


def _correction(result: Comparison) -> str:
    title = POST_HOC_TITLES.get(result.post_hoc, result.post_hoc)
    return f"{title} for {len(result.pairs)} comparisons"


@main_drawing.register
def _(result: Comparison) -> Drawing:
    return (
        rank_drawing(result)
        if len(result.models) > 2 and not result.stands_by_means
        else difference_drawing(result)
    )


@report_sections.register
def _(result: Comparison) -> tuple[Section, ...]:
    sections = [_head(result)]
    if len(result.models) > 2 and not result.stands_by_means:
        sections.append(_ranks(result))
    sections.append(_differences(result))
    if result.control is None and 2 < len(result.models) <= _MOST_IN_MATRIX:
        sections.append(_wins(result))
    sections += [
        _pairs(result),
        Section(heading="For a paper", whole=(result.paragraph(),)),
        Section(
            heading="What this assumes",
            items=tuple(sentence(x) for x in (*result.assumptions, *result.reasons)),
        ),
        Section(heading="References", items=_references(result)),
    ]
    return tuple(sections)


def _references(result: Comparison) -> tuple[str, ...]:
    """List what the paragraph cites, and what else the page is made by."""
    used = [result.paragraph(), *(OMNIBUS_PAPERS[x.test] for x in result.omnibus)]
    if not result.is_of_means:
        used += [_INTERVAL_PAPERS.get(result.rows, "")]
    if len(result.models) > 2 and not result.stands_by_means:
        used.append("Demsar 2006")  # the diagram of mean ranks
    if result.pair_test.startswith("wilcoxon") and len(result.models) > 2:
        used.append("Benavoli et al. 2016")  # why not mean ranks
    if result.rope is not None:
        used.append("Benavoli et al. 2017")
    return works_cited(used)


def _head(result: Comparison) -> Section:
    rows = _model_rows(result, 40)
    table = Table(
        caption="", columns=_heading(result)[:-1], rows=tuple(row[:-1] for row in rows),
        notes=tuple(row[-1] for row in rows), words=1, stacked=True,
    )  # fmt: skip
    tables = [table]
    if len(rows) > _MOST_MODELS:
        first = slice(_MOST_MODELS)
        tables = [
            replace(table, rows=table.rows[first], notes=table.notes[first]),
            replace(table, caption=f"All {count(len(rows))} models", folded=True),
        ]
    return Section(
        heading=result.summary(),
        tables=tuple(tables),
        warnings=result.warnings,
        facts=tuple(_facts(result)),
    )


def _ranks(result: Comparison) -> Section:
    if result.control is None:
        lead = (
            "Models by their mean rank, the best on the left. A bar joins models of "
            f"which no two are told apart ({_correction(result)})."
        )
    else:
        control = short_by_name(result.models, 40)[result.control]
        lead = (
            "Models by their mean rank, the best on the left. Blue: the control, "
            f"{control}; hollow: not told apart from it."
        )
    leads = [lead]
    lost = told_apart_without_bar(result)
    if lost:
        names = short_by_name(result.models, 30)
        pairs = "; ".join(f"{names[a]} and {names[b]}" for a, b in lost[:6])
        more = "; and others" if len(lost) > 6 else ""
        leads.append(
            f"Not told apart either, though no bar can join them without a model that "
            f"differs: {pairs}{more}."
        )
    return Section(heading="Mean ranks", lead=tuple(leads), figure=rank_drawing(result))


def _differences(result: Comparison) -> Section:
    what = {
        "data sets": "pseudo-median of the differences on the same data set",
        "splits": "mean difference on the same split",
        "cases": "difference in the share of right cases",
        "means": "mean difference on the same case",
    }["means" if result.is_of_means else result.rows]
    lead = (
        f"Dots: {what}; bars: {level_name(result.level)} intervals, each by itself. "
        "Blue: told apart when all comparisons are counted."
    )
    leads = [lead]
    if len(result.models) > _MOST_MODELS + 1:
        leads.append(f"Those of the {count(_MOST_MODELS)} that rank best.")
    return Section(
        heading="How large the differences are",
        lead=tuple(leads),
        figure=difference_drawing(result),
    )


def _wins(result: Comparison) -> Section:
    lead = (
        f"On how many of the {counted(result.n, result.rows)} the model of the row is "
        "better than that of the column, models in the order of ranks. Blue: told "
        "apart, and better; grey: told apart, and worse."
    )
    return Section(heading="Wins and losses", lead=(lead,), figure=wins_drawing(result))


def _pairs(result: Comparison) -> Section:
    heading, rows = _pair_table(result, list(result.pairs))
    # With the chances there is no room on a page; "All numbers" has every p.
    left_out = () if result.rope is None else ("p",)
    kept = [i for i, name in enumerate(heading) if name not in left_out]
    tables = [
        Table(
            caption="All pairs",
            columns=tuple(heading[i] for i in kept),
            rows=tuple(tuple(row[i] for i in kept) for row in rows),
            words=1,
            folded=len(rows) > _MOST_PAIRS,
            stacked=True,
        )
    ]
    if result.omnibus:
        tests = tuple((OMNIBUS_TITLES[x.test], x.said()) for x in result.omnibus)
        columns, caption = ("test", "result"), "All models at once"
        tables.append(
            Table(caption=caption, columns=columns, rows=tests, words=2, folded=True)
        )
    numbers = column_table("All numbers", result.to_columns())
    tables += [_effect_table(result), replace(numbers, folded=True)]
    lead = () if result.rope is None else (_rope_lead(result),)
    return Section(heading="Every pair", lead=lead, tables=tuple(tables))


def _effect_table(result: Comparison) -> Table:
    names = short_by_name(result.models, _LONGEST_NAME)
    rows = tuple(
        (
            f"{names[first]} - {names[second]}",
            signed_size(effect.cliffs_delta),
            signed_size(effect.cohens_d),
        )
        for first, second, effect, _ in (_turned(result, x) for x in result.pairs)
    )
    columns = ("pair", "Cliff's delta", "Cohen's d")
    return Table(
        caption="Effect sizes",
        columns=columns,
        rows=rows,
        words=1,
        folded=True,
        stacked=True,
    )


def _rope_lead(result: Comparison) -> str:
    if result.rows == "data sets":
        return (
            "Equal: the chance, by a Bayesian test, that differences up to "
            f"{result.rope:g}, which make none in practice, are likelier than larger "
            f"ones on either side. {_SIDES}"
        )
    return (
        f"Equal: the chance, by a Bayesian test, that the difference is at most "
        f"{result.rope:g}, which makes none in practice. {_SIDES}"
    )


def _title(test: str) -> str:
    return TEST_TITLES.get(test, test)
