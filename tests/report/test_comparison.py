"""How a comparison is shown: text, figures, page."""

import html
import json
import re

import numpy as np
import pytest

import scorecast as sc
from scorecast._core.result import result_from_dict
from scorecast.comparison import POST_HOC
from scorecast.report import main_drawing
from scorecast.report.comparison_figures import (
    _shade,
    alike_without_bar,
    critical_difference_drawing,
    difference_drawing,
    pair_drawing,
    wins_drawing,
)
from scorecast.report.figures import (
    ACCENT,
    ACCENT_SOFT,
    INK_SOFT,
    NARROW,
    WIDE,
    new_figure,
    text_width,
)
from scorecast.report.formats import display_width, percent_number
from scorecast.report.svg import svg_of
from scorecast.report.views import document

pytest.importorskip("matplotlib", reason="needs the extra [plot]")
plt = pytest.importorskip("matplotlib.pyplot", reason="needs the extra [plot]")


def problem(kind):
    rng = np.random.default_rng(0)
    if kind == "splits":
        values = rng.normal(0.8, 0.01, (10, 3))
        return sc.compare(values, test_ratio=1 / 9)
    if kind == "samples":
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


MATRIX = {"same", "splits", "samples", "nemenyi", "rope"}
KINDS = ["two", "many", "same", "splits", "samples", "control", "nemenyi", "rope"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_answer_is_written_and_drawn_at_both_widths(kind):
    answer = problem(kind)
    text = sc.render(answer, ascii_only=True)
    assert text.isascii()
    assert all(len(line) <= 88 for line in text.splitlines())
    assert " ".join(text.split()).startswith(" ".join(answer.summary().split())[:60])
    page = sc.render(answer, "html")  # draws at both widths
    assert ">nan<" not in page
    assert ("Wins and losses" in page) == (kind in MATRIX)
    saved = result_from_dict(json.loads(json.dumps(answer.to_dict())))
    assert saved.to_dict() == answer.to_dict()
    assert sc.render(saved) == sc.render(answer)


def test_a_saved_answer_gives_the_same_page():
    answer = problem("control")
    saved = result_from_dict(json.loads(json.dumps(answer.to_dict())))
    pages = [sc.render(x, "html") for x in (answer, saved)]
    assert pages[0] == pages[1]
    assert "<svg" in svg_of(main_drawing(saved), name="x", width=NARROW)


def test_text_and_figure_say_the_same():
    answer = problem("nemenyi")
    said = critical_difference_drawing(answer).description
    for name in answer.models:
        assert f"{name} {answer.ranks[name]:.2f}" in said
    for group in answer.cliques:
        assert " = ".join(group) in said
    drawn = svg_of(critical_difference_drawing(answer), name="x", width=WIDE)
    assert f"critical difference {answer.critical_difference:.2f}" in drawn
    # Only where the bars come from it is the critical difference drawn.
    assert "critical difference" not in svg_of(
        critical_difference_drawing(problem("five")), name="x", width=WIDE
    )


def test_the_ruler_is_as_long_as_it_says():
    # Few data sets: the critical difference is more than all ranks span.
    values = np.random.default_rng(0).normal(size=(4, 4))
    values[:2] = -values[2:]  # all rank alike
    answer = sc.compare(values, post_hoc="nemenyi")
    distance = answer.critical_difference
    ranks = answer.ranks.values()
    assert np.floor(min(ranks)) + distance > np.ceil(max(ranks))
    figure, axes = plt.subplots(figsize=(6, 2))
    critical_difference_drawing(answer).draw(axes)
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
        drawn = svg_of(critical_difference_drawing(answer), name="x", width=WIDE)
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
    assert alike_without_bar(answer) == [("noisy", "low")]
    assert "no bar can join" in sc.render(answer, "html")
    joined = sc.compare({name: base + rng.normal(0, 1, 40) for name in "abc"})
    assert alike_without_bar(joined) == []
    assert "no bar can join" not in sc.render(joined, "html")


def test_a_pair_is_written_and_drawn():
    a = np.linspace(0.5, 0.9, 12)
    for b in (a, a + 0.1, a + np.random.default_rng(0).normal(0, 0.1, 12)):
        answer = sc.compare_pair(a, b, rope=0.01, random_state=0)
        text = sc.render(answer)
        assert all(len(line) <= 88 for line in text.splitlines())
        page = sc.render(answer, "html")
        assert ">nan<" not in page
        saved = result_from_dict(json.loads(json.dumps(answer.to_dict())))
        assert sc.render(saved, "html") == page


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
    assert answer.ranks["A"] > answer.ranks["B"]  # by ranks, the other way round
    assert _shade(answer, "A", "B") == ACCENT_SOFT
    assert _shade(answer, "B", "A") == INK_SOFT


def test_names_with_a_common_beginning_stay_different():
    values = np.random.default_rng(0).normal(size=(20, 4)) + np.arange(4)
    long = "a very long name of a model with a parameter that is "
    answer = sc.compare({f"{long}{i}": values[:, i] for i in range(4)})
    lines = sc.render(answer).splitlines()
    assert max(map(len, lines)) <= 88
    assert len({row[0] for row in document(answer).sections[0].tables[0].rows}) == 4
    for drawing in (critical_difference_drawing(answer), difference_drawing(answer),
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
    text = sc.render(answer)
    assert "and 6 more models" in text
    page = sc.render(answer, "html")
    head = page[: page.index("</section>")]
    # The best twenty-four in the open table, all in the folded one.
    assert head.count(f">{answer.order[23]}<") == 2
    assert head.count(f">{answer.order[24]}<") == 1
    assert "All 30 models" in head
    few = sc.compare(values[:, :4])
    assert "more model" not in sc.render(few)


def test_the_description_names_what_is_not_told_apart_from_the_control():
    answer = problem("control")
    alike = [x for x in answer.order if x != "model 2"
             and not answer.differ(x, "model 2")]  # fmt: skip
    assert alike
    said = critical_difference_drawing(answer).description
    assert said.endswith(f"Not told apart from model 2: {', '.join(alike)}.")


def test_a_figure_of_differences_always_shows_zero():
    rng = np.random.default_rng(0)
    base = rng.normal(size=(20, 1))
    far = base + np.array([0, 10, 12]) + rng.normal(0, 0.1, (20, 3))
    for drawing in (
        difference_drawing(sc.compare(far)),
        pair_drawing(sc.compare_pair(far[:, 1], far[:, 0]), "mean"),
        pair_drawing(sc.compare_pair(far[:, 0], far[:, 1]), "mean"),
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
    paragraph = sc.render(answer, "paragraph")
    assert len(paragraph) > 400
    page = html.unescape(sc.render(answer, "html"))
    start = page.index("For a paper")
    part = page[start : page.index("</section>", start)]
    glue = "\N{NO-BREAK SPACE}"
    assert paragraph in part.replace(glue, " ")
    assert "characters</summary>" not in part


def test_three_chances_are_written_where_there_is_a_region():
    answer = problem("rope")
    pair = answer.pairs[0].posterior
    chances = (pair.first_lower, pair.equal, pair.first_higher)
    cells = [f"{percent_number(x)} %" for x in chances]
    text = sc.render(answer)
    head, first = [
        line.split() for line in text.split("lower  equal")[1].splitlines()[:2]
    ]
    assert head == ["higher"]
    assert " ".join(first).endswith(" ".join(cells))
    assert "won-tied-lost" in text
    for cell in cells:
        assert f">{cell}</td>" in sc.render(answer, "html")
    short = sc.compare(dict(zip("ab", np.random.default_rng(0).normal(size=(2, 20)),
                                strict=True)), rope=0.1, random_state=0)  # fmt: skip
    # Short names leave room for wins as well.
    assert "won-tied-lost" in sc.render(short, "html")


def test_effect_sizes_are_in_a_folded_table():
    answer = problem("five")
    page = html.unescape(sc.render(answer, "html"))
    part = page[page.index("<summary>Effect sizes</summary>") :]
    part = part[: part.index("</details>")]
    for pair in answer.pairs:
        assert f">{pair.effect.cliffs_delta:+.2f}</td>" in part
        assert f">{pair.effect.cohens_d:+.2f}</td>" in part


def test_the_page_of_a_pair_puts_the_difference_first_and_fits():
    a = np.linspace(0.5, 0.9, 12)
    b = a + np.random.default_rng(0).normal(0.1, 0.1, 12)
    answer = sc.compare_pair(a, b, names=("tree", "forest"))
    tables = [t for part in document(answer).sections for t in part.tables]
    assert tables[0].columns[1] == "difference"
    assert tables[0].rows[0][0] == "forest less tree"  # as the headline has it
    assert tables[0].rows[0][1] == f"{-answer.effect.difference:+.3g}"
    # No table is wider than a page: at most five columns of numbers.
    assert max(len(t.columns) for t in tables) <= 5
    numbers = {row[0] for row in tables[-1].rows}
    assert {"p_value", "cliffs_delta", "cohens_d", "statistic"} <= numbers


@pytest.mark.parametrize("kind", ["right or wrong", "groups"])
def test_models_compared_by_samples_stand_by_their_means(kind):
    rng = np.random.default_rng(0)
    table = {name: (rng.random(240) < p) * 1.0 for name, p in
             (("a", 0.9), ("b", 0.7), ("c", 0.5))}  # fmt: skip
    options = {}
    if kind == "groups":
        table = {name: x + rng.normal(size=240) for name, x in table.items()}
        options = {"groups": np.repeat(np.arange(12), 20)}
    answer = sc.compare(table, **options)
    assert answer.rows == "samples"
    head, *others = document(answer).sections
    assert head.tables[0].columns == ("", "mean", "p against a")
    shown = [float(row[1]) for row in head.tables[0].rows]
    means = sorted(answer.means.values(), reverse=True)
    assert shown == pytest.approx(means, abs=1e-3)
    assert "Mean ranks" not in [section.heading for section in others]
    for form in ("text", "paragraph", "latex"):
        assert "mean rank" not in sc.render(answer, form).lower()
        assert "median" not in sc.render(answer, form).lower()
    sets = document(problem("control")).sections[0].tables[0]
    assert sets.columns[:4] == ("", "mean rank", "mean", "median")


# Works ----------------------------------------------------------------------------


def answers():
    """One answer of every kind that a page can be of."""
    rng = np.random.default_rng(0)
    values = rng.uniform(0.5, 0.8, (30, 1)) + rng.normal(0, 0.02, (30, 4))
    yield sc.compare(np.round(values, 1), rows="datasets")
    yield sc.compare(values[:, :2])
    yield sc.compare(values, test_ratio=1 / 9, rope=0.01)
    yield sc.compare(values, rope=0.01)
    yield sc.compare((rng.random((80, 3)) < 0.7) * 1.0)
    for test in ("sign", "ranks", "aligned", "quade", "wilcoxon-zsplit"):
        yield sc.compare(values, test=test)
    for name, post_hoc in POST_HOC.items():
        control = "model 1" if post_hoc.needs_control else None
        yield sc.compare(values, post_hoc=name, control=control)


def test_every_work_that_is_cited_is_listed_once():
    cited = re.compile(r"((?:[A-Z]\w+)(?: and [A-Z]\w+| et al\.)?) (\d{4})")
    for answer in answers():
        laid_out = document(answer)
        for who, year in cited.findall(laid_out.paragraph):
            name = who.split()[0]
            works = [w for w in laid_out.references if name in w and f"({year})" in w]
            assert works, who
        assert len(set(laid_out.references)) == len(laid_out.references)


def test_names_that_take_two_columns_a_letter_keep_the_columns():
    names = ["\u6c7a\u5b9a\u6728" * 4, "\u68ee\u6797" * 8, "svm", "\u795e\u7d4c"]
    values = np.random.default_rng(0).normal(size=(12, 4))
    lines = sc.render(sc.compare(dict(zip(names, values.T, strict=True)))).splitlines()
    assert max(map(display_width, lines)) <= 88


# Figures --------------------------------------------------------------------------


def named(kind, k=12):
    """Compare models with names that take room."""
    make = {
        "long": "Gradient boosting, depth {}",
        "capitals": "MAXIMUM WEIGHTED COMMITTEE {}",
        "wide": "\u6c7a\u5b9a\u6728\u306e\u68ee\u6797 {}",
        "short": "m{}",
    }[kind]
    rng = np.random.default_rng(0)
    values = rng.uniform(0.5, 0.8, (30, 1)) + np.linspace(0, 0.05, k)
    values = values + np.random.default_rng(1).normal(0, 0.02, (30, k))
    return sc.compare({make.format(i): x for i, x in enumerate(values.T)})


def ends(text):
    """Return where a text begins and ends, in points from the left of the figure."""
    axes = text.axes
    unit = 72 / axes.figure.dpi
    anchor = text.get_position() if not hasattr(text, "xyann") else text.xyann
    if hasattr(text, "xyann"):
        x = axes.bbox.x0 * unit + text.xy[0] * axes.bbox.width * unit + anchor[0]
    else:
        x = axes.transData.transform(anchor)[0] * unit
    width = text_width(text.get_text(), bold=text.get_fontweight() == "bold")
    shift = {"left": 0.0, "center": 0.5, "right": 1.0}[text.get_ha()]
    return x - shift * width, x + (1 - shift) * width


@pytest.mark.parametrize("width", [NARROW, WIDE])
@pytest.mark.parametrize("kind", ["long", "capitals", "wide", "short"])
def test_the_axis_of_ranks_keeps_half_of_the_figure(kind, width):
    pytest.importorskip("matplotlib", reason="needs the extra [plot]")
    drawing = critical_difference_drawing(named(kind))
    figure, axes = new_figure(drawing, width)
    drawing.draw(axes)
    left, right = axes.lines[0].get_xdata()
    assert right - left >= width / 2 - 0.01
    rows = sorted({round(text.get_position()[1]) for text in axes.texts})
    assert rows[-1] + 7 <= figure.get_figheight() * 72


@pytest.mark.parametrize("width", [NARROW, WIDE])
@pytest.mark.parametrize("kind", ["long", "capitals", "wide", "short"])
@pytest.mark.parametrize("draw", [critical_difference_drawing, difference_drawing])
def test_no_label_sticks_out_of_the_figure(kind, width, draw):
    pytest.importorskip("matplotlib", reason="needs the extra [plot]")
    drawing = draw(named(kind))
    _, axes = new_figure(drawing, width)
    drawing.draw(axes)
    places = [ends(text) for text in axes.texts if text.get_text()]
    assert len(places) >= 12
    assert min(low for low, _ in places) >= -0.1
    assert max(high for _, high in places) <= width + 0.1


def test_capitals_and_square_letters_are_wider_than_small_ones():
    assert text_width("MAXIMUM") > 1.2 * text_width("maximum")
    assert text_width("\u6728") > 1.7 * text_width("x")
    assert text_width("x", bold=True) > text_width("x")


def test_pseudo_medians_are_called_so():
    values = np.random.default_rng(0).normal(size=(30, 3))
    said = "differences are pseudo-medians, not differences of the means"
    assert said in sc.render(sc.compare(values))
    assert said not in sc.render(sc.compare(values, rows="samples"))
    two = sc.compare(values[:, :2])
    assert ": pseudo-median difference " in two.summary()
