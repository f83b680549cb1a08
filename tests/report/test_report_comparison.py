"""How a comparison is shown: text, figures, page."""

import html
import json
import re

import numpy as np
import pytest

import scorecast as sc
from scorecast._core.results import result_from_dict
from scorecast.report import main_drawing, render_html, render_text
from scorecast.report.comparison_plots import (
    _shade,
    difference_drawing,
    pair_drawing,
    rank_drawing,
    told_apart_without_bar,
    wins_drawing,
)
from scorecast.report.drawing import (
    ACCENT,
    ACCENT_SOFT,
    INK_SOFT,
    NARROW,
    WIDE,
    new_figure,
)
from scorecast.report.html import Report
from scorecast.report.sections import report_sections
from scorecast.report.svg import svg_of

pytest.importorskip("matplotlib", reason="needs the extra [plot]")
plt = pytest.importorskip("matplotlib.pyplot", reason="needs the extra [plot]")


def problem(kind):
    rng = np.random.default_rng(0)
    if kind == "splits":
        values = rng.normal(0.8, 0.01, (10, 3))
        return sc.compare(values, test_ratio=1 / 9)
    if kind == "cases":
        return sc.compare((rng.random((80, 3)) < 0.7) * 1.0)
    k = {"two": 2, "many": 21}.get(kind, 5)
    values = rng.uniform(0.5, 0.8, (30, 1)) + np.linspace(0, 0.05, k)
    values = values + rng.normal(0, 0.02, values.shape)
    if kind == "same":
        values[:] = values[:, :1]
    options = {
        "control": {"control": "model 2", "post_hoc": "bonferroni-dunn"},
        "nemenyi": {"post_hoc": "nemenyi"},
        "rope": {"rope": 0.01, "random_state": 0},
    }
    return sc.compare(values, **options.get(kind, {}))


MATRIX = {"same", "splits", "cases", "nemenyi", "rope"}
KINDS = ["two", "many", "same", "splits", "cases", "control", "nemenyi", "rope"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_answer_is_written_and_drawn_at_both_widths(kind):
    answer = problem(kind)
    text = render_text(answer, ascii_only=True)
    assert text.isascii()
    assert all(len(line) <= 88 for line in text.splitlines())
    assert " ".join(text.split()).startswith(" ".join(answer.summary().split())[:60])
    page = render_html(Report(results=(answer,)))  # draws at both widths
    assert ">nan<" not in page
    assert ("Wins and losses" in page) == (kind in MATRIX)
    saved = result_from_dict(json.loads(json.dumps(answer.to_dict())))
    assert saved.to_dict() == answer.to_dict()
    assert render_text(saved) == render_text(answer)


def test_a_saved_answer_gives_the_same_page():
    answer = problem("control")
    saved = result_from_dict(json.loads(json.dumps(answer.to_dict())))
    pages = [render_html(Report(results=(x,))) for x in (answer, saved)]
    assert pages[0] == pages[1]
    assert "<svg" in svg_of(main_drawing(saved), name="x", width=NARROW)


def test_text_and_figure_say_the_same():
    answer = problem("nemenyi")
    said = rank_drawing(answer).description
    for name in answer.models:
        assert f"{name} {answer.rank(name):.2f}" in said
    for group in answer.groups:
        assert " = ".join(group) in said
    drawn = svg_of(rank_drawing(answer), name="x", width=WIDE)
    assert f"critical difference {answer.critical_difference:.2f}" in drawn
    # Only where the bars come from it is the critical difference drawn.
    assert "critical difference" not in svg_of(
        rank_drawing(problem("five")), name="x", width=WIDE
    )


def test_the_ruler_is_as_long_as_it_says():
    # Few data sets: the critical difference is more than all ranks span.
    values = np.random.default_rng(0).normal(size=(4, 4))
    values[:2] = -values[2:]  # all rank alike
    answer = sc.compare(values, post_hoc="nemenyi")
    distance = answer.critical_difference
    assert np.floor(min(answer.ranks)) + distance > np.ceil(max(answer.ranks))
    figure, axes = plt.subplots(figsize=(6, 2))
    rank_drawing(answer).draw(axes)
    lines = [line for line in axes.get_lines() if len(line.get_xdata()) == 2]
    ruler = next(x for x in lines if x.get_color() == ACCENT).get_xdata()
    ticks = {float(x.get_text()): x.get_position()[0] for x in axes.texts
             if x.get_text().isdigit()}  # fmt: skip
    per_rank = (max(ticks.values()) - min(ticks.values())) / (max(ticks) - min(ticks))
    assert ruler[1] - ruler[0] == pytest.approx(distance * per_rank, rel=1e-9)
    assert ruler[1] <= axes.get_xlim()[1]
    plt.close(figure)


def test_the_best_is_on_the_left_whichever_way_is_better():
    values = np.linspace(0.5, 0.9, 5) + np.random.default_rng(0).normal(0, 0.1, (20, 5))
    for better in (True, False):
        answer = sc.compare(values, greater_is_better=better)
        best = "model 5" if better else "model 1"
        assert answer.best == best
        drawn = svg_of(rank_drawing(answer), name="x", width=WIDE)
        assert re.search(rf"font-weight:700[^>]*>{best} ", drawn)


def test_pairs_that_no_bar_can_join_are_named():
    # The first varies much, the other two hardly: they differ, it differs from none.
    rng = np.random.default_rng(3)
    base = rng.normal(size=40)
    noisy = base + 0.4 + rng.normal(0, 3, 40)
    noisy[:22] = base[:22] + 0.1  # wins more often than not, and so ranks first
    values = {"noisy": noisy, "high": base, "low": base - 0.4}
    answer = sc.compare(values)
    assert answer.order == ("noisy", "high", "low")
    assert told_apart_without_bar(answer) == [("noisy", "low")]
    assert "no bar can join" in render_html(Report(results=(answer,)))
    joined = sc.compare({name: base + rng.normal(0, 1, 40) for name in "abc"})
    assert told_apart_without_bar(joined) == []
    assert "no bar can join" not in render_html(Report(results=(joined,)))


def test_a_pair_is_written_and_drawn():
    a = np.linspace(0.5, 0.9, 12)
    for b in (a, a + 0.1, a + np.random.default_rng(0).normal(0, 0.1, 12)):
        answer = sc.compare_pair(a, b, rope=0.01, random_state=0)
        text = render_text(answer)
        assert all(len(line) <= 88 for line in text.splitlines())
        page = render_html(Report(results=(answer,)))
        assert ">nan<" not in page
        saved = result_from_dict(json.loads(json.dumps(answer.to_dict())))
        assert render_html(Report(results=(saved,))) == page


def test_cells_are_shaded_as_the_pairs_point():
    rng = np.random.default_rng(0)
    wins = np.arange(40) < 28
    gap = np.where(wins, rng.uniform(0.05, 0.1, 40), -rng.uniform(0.001, 0.005, 40))
    a = 0.7 + rng.normal(0, 0.01, 40)
    others = {
        f"m{j}": np.where(wins, a + 0.2 + 0.01 * j, a - gap * (j + 1) / 5)
        for j in range(4)
    }
    answer = sc.compare({"A": a, "B": a - gap, **others})
    assert answer.rank("A") > answer.rank("B")  # by ranks, the other way round
    assert _shade(answer, "A", "B") == ACCENT_SOFT
    assert _shade(answer, "B", "A") == INK_SOFT


def test_names_with_a_common_beginning_stay_different():
    values = np.random.default_rng(0).normal(size=(20, 4)) + np.arange(4)
    long = "a very long name of a model with a parameter that is "
    answer = sc.compare({f"{long}{i}": values[:, i] for i in range(4)})
    lines = render_text(answer).splitlines()
    assert max(map(len, lines)) <= 88
    for i in range(4):
        assert sum(line.startswith("  a very") and f"is {i} " in line[:28]
                   for line in lines) >= 1  # fmt: skip
    for drawing in (rank_drawing(answer), difference_drawing(answer),
                    wins_drawing(answer)):  # fmt: skip
        for width in (NARROW, WIDE):
            axes = new_figure(drawing, width)[1]
            drawing.draw(axes)
            shown = [t.get_text() for t in axes.texts if "..." in t.get_text()]
            assert len(shown) >= 3
            assert len({re.sub(r" \d\.\d\d$|^\d  ", "", t) for t in shown}) == len(
                shown
            )


def test_models_that_the_table_leaves_out_are_counted_and_folded_away():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(30, 1)) + 0.3 * np.arange(30) + rng.normal(size=(30, 30))
    answer = sc.compare({f"model-{i:02d}": values[:, i] for i in range(30)})
    text = render_text(answer)
    assert "6 more models, which rank lower, are in the JSON and on the page" in text
    page = render_html(Report(results=(answer,)))
    head = page[: page.index("</section>")]
    # The best twenty-four in the open table, all in the folded one.
    assert head.count(f">{answer.order[23]}<") == 2
    assert head.count(f">{answer.order[24]}<") == 1
    assert "All 30 models" in head
    few = sc.compare(values[:, :4])
    assert "more model" not in render_text(few)


def test_the_description_names_what_is_not_told_apart_from_the_control():
    answer = problem("control")
    alike = [x for x in answer.order if x != "model 2"
             and not answer.differ(x, "model 2")]  # fmt: skip
    assert alike
    said = rank_drawing(answer).description
    assert said.endswith(f"Not told apart from model 2: {', '.join(alike)}.")


def test_a_figure_of_differences_always_shows_zero():
    rng = np.random.default_rng(0)
    base = rng.normal(size=(20, 1))
    far = base + np.array([0, 10, 12]) + rng.normal(0, 0.1, (20, 3))
    for drawing in (
        difference_drawing(sc.compare(far)),
        pair_drawing(sc.compare_pair(far[:, 1], far[:, 0])),
        pair_drawing(sc.compare_pair(far[:, 0], far[:, 1])),
    ):
        axes = new_figure(drawing, NARROW)[1]
        drawing.draw(axes)
        low, high = axes.get_xlim()
        assert low < 0 < high
        assert "0" in [tick.get_text() for tick in axes.get_xticklabels()]


def test_the_diagonal_of_the_wins_is_blank():
    answer = problem("five")
    drawing = wins_drawing(answer)
    axes = new_figure(drawing, WIDE)[1]
    drawing.draw(axes)
    k = len(answer.models)
    assert len(axes.patches) == k * (k - 1)


def test_the_paragraph_for_a_paper_is_shown_whole():
    answer = problem("rope")
    assert len(answer.paragraph()) > 400
    page = html.unescape(render_html(Report(results=(answer,))))
    start = page.index("For a paper")
    part = page[start : page.index("</section>", start)]
    glue = "\N{NO-BREAK SPACE}"
    assert answer.paragraph() in part.replace(glue, " ")
    assert "characters</summary>" not in part


def test_three_chances_are_written_where_there_is_a_region():
    answer = problem("rope")
    pair = answer.pairs[0].chances
    said = "-".join(
        f"{100 * x:.0f}" for x in (pair.first_lower, pair.equal, pair.first_higher)
    )
    text = render_text(answer)
    assert "lower-equal-higher" in text
    assert f"{said} %" in text
    assert f">{said} %</td>" in render_html(Report(results=(answer,)))
    short = sc.compare(dict(zip("ab", np.random.default_rng(0).normal(size=(2, 20)),
                                strict=True)), rope=0.1, random_state=0)  # fmt: skip
    # Short names leave room for wins as well.
    assert "won-tied-lost" in render_text(short)


def test_effect_sizes_are_in_a_folded_table():
    answer = problem("five")
    page = html.unescape(render_html(Report(results=(answer,))))
    part = page[page.index("<summary>Effect sizes</summary>") :]
    part = part[: part.index("</details>")]
    for pair in answer.pairs:
        assert f">{pair.effect.cliffs_delta:+.2f}</td>" in part
        assert f">{pair.effect.cohens_d:+.2f}</td>" in part


def test_the_page_of_a_pair_puts_the_difference_first_and_fits():
    a = np.linspace(0.5, 0.9, 12)
    b = a + np.random.default_rng(0).normal(0.1, 0.1, 12)
    answer = sc.compare_pair(a, b, names=("tree", "forest"))
    head = report_sections(answer)[0]
    table = head.tables[0]
    assert table.columns[1] == "difference"
    assert table.rows[0][0] == "forest less tree"  # as the sentence has it
    assert table.rows[0][1] == f"{-answer.found.difference:+.3g}"
    # No table is wider than a page: at most five columns of numbers.
    tables = [t for section in report_sections(answer) for t in section.tables]
    assert max(len(t.columns) for t in tables) <= 5
    numbers = {row[0] for row in tables[-1].rows}
    assert {"p", "cliffs_delta", "cohens_d", "statistic"} <= numbers


@pytest.mark.parametrize("kind", ["right or wrong", "groups"])
def test_models_compared_by_cases_stand_by_their_means(kind):
    rng = np.random.default_rng(0)
    table = {name: (rng.random(240) < p) * 1.0 for name, p in
             (("a", 0.9), ("b", 0.7), ("c", 0.5))}  # fmt: skip
    options = {}
    if kind == "groups":
        table = {name: x + rng.normal(size=240) for name, x in table.items()}
        options = {"groups": np.repeat(np.arange(12), 20)}
    result = sc.compare(table, **options)
    assert result.rows == "cases"
    head, *others = report_sections(result)
    # The first number is the bold one.
    assert head.tables[0].columns == ("", "mean", "p against a")
    shown = [float(row[1]) for row in head.tables[0].rows]
    assert shown == pytest.approx(sorted(result.means, reverse=True), abs=1e-3)
    assert "Mean ranks" not in [section.heading for section in others]
    for text in (
        render_text(result), result.summary(), result.paragraph(), result.to_latex(),
    ):  # fmt: skip
        assert "mean rank" not in text.lower()
        assert "median" not in text.lower()
    sets = report_sections(problem("control"))[0].tables[0]
    assert sets.columns[:4] == ("", "mean rank", "mean", "median")
