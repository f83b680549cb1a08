"""What the page and the terminal say of a comparison: sources, signs, widths."""

import re

import numpy as np
import pytest

import scorecast as sc
from scorecast.comparison import POST_HOC, works_cited
from scorecast.report import render_text
from scorecast.report.comparison_plots import (
    difference_drawing,
    pair_drawing,
    rank_drawing,
)
from scorecast.report.drawing import NARROW, WIDE, new_figure, text_width
from scorecast.report.formats import display_width
from scorecast.report.sections import report_sections

RNG = np.random.default_rng(0)
VALUES = RNG.uniform(0.5, 0.8, (30, 1)) + RNG.normal(0, 0.02, (30, 4))
CITED = re.compile(r"((?:[A-Z]\w+)(?: and [A-Z]\w+| et al\.)?) (\d{4})")


def section(answer, heading):
    return next(x for x in report_sections(answer) if x.heading == heading)


def answers():
    """One answer of every kind that a page can be of."""
    yield sc.compare(VALUES)
    yield sc.compare(np.round(VALUES, 1))
    yield sc.compare(VALUES[:, :2])
    yield sc.compare(VALUES, test_ratio=1 / 9, rope=0.01)
    yield sc.compare(VALUES, rope=0.01, random_state=0)
    yield sc.compare((RNG.random((80, 3)) < 0.7) * 1.0)
    for pairs in ("sign", "ranks", "aligned", "quade"):
        yield sc.compare(VALUES, pairs=pairs)
    for zeros in ("split", "drop"):
        yield sc.compare(VALUES, zeros=zeros)
    for post_hoc in POST_HOC:
        control = "model 1" if post_hoc == "bonferroni-dunn" else None
        yield sc.compare(VALUES, post_hoc=post_hoc, control=control)


def test_every_work_that_is_cited_is_listed():
    for answer in answers():
        listed = section(answer, "References").items
        cited = CITED.findall(section(answer, "For a paper").whole[0])
        assert cited or answer.pair_test == "sign"
        for who, year in cited:
            name = who.split()[0]
            assert any(name in work and f"({year})" in work for work in listed), who
        assert len(set(listed)) == len(listed)


def test_no_work_is_listed_that_the_page_does_not_use():
    two = section(sc.compare(VALUES[:, :2]), "References").items
    assert [re.search(r"\(\d{4}\)", work)[0] for work in two] == [
        "(1963)", "(1959)", "(1945)",
    ]  # fmt: skip
    cases = section(sc.compare((VALUES > 0.65) * 1.0), "References").items
    assert not any("Garcia" in work or "Bayesian" in work for work in cases)
    # A name within another is not cited by it.
    works = works_cited(["Bergmann and Hommel 1988"])
    assert len(works) == 1
    assert "Bergmann" in works[0]


def test_the_page_of_two_models_lists_the_source_of_its_test():
    found = sc.compare_pair(VALUES[:, 0], VALUES[:, 1])
    assert any("Wilcoxon (1945)" in x for x in section(found, "References").items)


@pytest.mark.parametrize("rows", ["cases", "data sets"])
def test_articles_fit_the_names_of_tests(rows):
    values = (VALUES > 0.65) * 1.0 if rows == "cases" else VALUES
    for answer in (sc.compare(values), sc.compare(values[:, :2])):
        said = answer.paragraph()
        assert "by the McNemar's" not in said
        wanted = "by McNemar's" if rows == "cases" else "by the Wilcoxon"
        assert wanted in said


def test_two_models_are_turned_as_the_sentence_has_them_everywhere():
    low, high = VALUES[:, 0], VALUES[:, 0] + 0.05 + 0.001 * np.arange(30)
    pair = sc.compare_pair(low, high, names=("low", "high"))
    assert pair.better == "high"
    text = render_text(pair)
    assert "(high less low; 95 %: 0.0" in text
    assert "high won 30, tied 0, lost 0" in " ".join(text.split())
    assert report_sections(pair)[0].tables[0].rows[0][0] == "high less low"
    assert "high less low" in pair_drawing(pair).description
    for rope, end in ((None, "30-0-0      <0.001"), (0.01, "0-0-100 %")):
        many = render_text(sc.compare({"low": low, "high": high}, rope=rope))
        row = next(x for x in many.splitlines() if "high - low" in x)
        assert "+0.0" in row
        assert row.endswith(end)


def test_areas_have_no_wins_of_cases():
    truth = np.arange(60) % 2
    a, b = truth + RNG.normal(0, 1, (2, 60))
    text = " ".join(render_text(sc.compare_pair(a, b, y_true=truth)).split())
    assert "won" not in text
    assert "of the share of the other class rightly ordered with a case" in text


def test_what_the_three_chances_are_is_said_beside_them():
    text = render_text(sc.compare(VALUES, rope=0.01, random_state=0))
    line = next(x for x in text.splitlines() if x.startswith("Chances "))
    assert "lower-equal-higher: Equal: the chance" in line
    assert "Chances" not in render_text(sc.compare(VALUES))


def test_names_that_take_two_columns_a_letter_keep_the_columns():
    names = ["\u6c7a\u5b9a\u6728" * 4, "\u68ee\u6797" * 8, "svm", "\u795e\u7d4c"]
    answer = sc.compare(dict(zip(names, VALUES.T, strict=True)))
    lines = render_text(answer).splitlines()
    assert max(map(display_width, lines)) <= 88
    tables = [[]]
    for line in lines:
        if line.startswith("  "):
            tables[-1].append(line)
        elif tables[-1]:
            tables.append([])
    for table in (tables[0], tables[1]):
        # The last number of a row ends where its heading does.
        ends = {display_width(line.removesuffix("  not told apart")) for line in table}
        assert len(ends) <= 2


@pytest.mark.parametrize(
    ("text", "width"),
    [("tree", 4), ("\u6728", 2), ("e\u0301", 1), ("\uff21", 2), ("\xe4", 1)],
)
def test_columns_of_a_terminal(text, width):
    assert display_width(text) == width


# Figures


def named(kind, k=12):
    """Compare models with names that take room."""
    make = {
        "long": "Gradient boosting, depth {}",
        "capitals": "MAXIMUM WEIGHTED COMMITTEE {}",
        "wide": "\u6c7a\u5b9a\u6728\u306e\u68ee\u6797 {}",
        "short": "m{}",
    }[kind]
    values = RNG.uniform(0.5, 0.8, (30, 1)) + np.linspace(0, 0.05, k)
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
    drawing = rank_drawing(named(kind))
    figure, axes = new_figure(drawing, width)
    drawing.draw(axes)
    left, right = axes.lines[0].get_xdata()
    assert right - left >= width / 2 - 0.01
    rows = sorted({round(text.get_position()[1]) for text in axes.texts})
    assert rows[-1] + 7 <= figure.get_figheight() * 72


@pytest.mark.parametrize("width", [NARROW, WIDE])
@pytest.mark.parametrize("kind", ["long", "capitals", "wide", "short"])
@pytest.mark.parametrize("draw", [rank_drawing, difference_drawing])
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
