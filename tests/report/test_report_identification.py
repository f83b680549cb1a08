"""How identification is shown: text, figures, page."""

import json

import numpy as np
import pytest

import scorecast as sc
from scorecast._core.results import result_from_dict
from scorecast.report import main_drawing, render_html, render_text, report_sections
from scorecast.report.figures import NARROW, WIDE
from scorecast.report.html import Report
from scorecast.report.identification_plots import amounts_drawing
from scorecast.report.svg import svg_of

pytest.importorskip("matplotlib", reason="needs the extra [plot]")
pytestmark = pytest.mark.filterwarnings("ignore::scorecast.exceptions.DataWarning")


def scores(kind, n=40):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 10)) * 0.7
    y = x + rng.normal(size=(n, 10))
    return {
        "plain": y @ x.T - (x**2).sum(axis=1) / 2,
        "perfect": np.eye(n),
        "chance": rng.normal(size=(n, n)),
        "worse": -np.eye(n),
        "four": rng.normal(size=(4, 4)) + 2 * np.eye(4),
    }[kind]


KINDS = ("plain", "perfect", "chance", "worse", "four")


@pytest.mark.parametrize("to", [(), (500, 100_000)])
@pytest.mark.parametrize("kind", KINDS)
def test_every_answer_is_written_and_drawn_at_both_widths(kind, to):
    answer = sc.identify_from_scores(scores(kind), to=to, units="bits")
    text = render_text(answer, ascii_only=True)
    assert text.isascii()
    assert all(len(line) <= 88 for line in text.splitlines())
    for drawing in (main_drawing(answer), amounts_drawing(answer)):
        for width in (WIDE, NARROW):
            assert "<svg" in svg_of(drawing, name="x", width=width)
    page = render_html(Report(results=(answer,)))
    assert "What is proved" in page
    assert ">nan<" not in page
    saved = result_from_dict(json.loads(json.dumps(answer.to_dict())))
    assert render_html(Report(results=(saved,))) == page


@pytest.mark.parametrize("kind", ["plain", "perfect", "four"])
def test_parts_of_the_answer_have_figures_of_their_own(kind):
    answer = sc.identify_from_scores(scores(kind))
    for part in (answer.implied, answer.bound):
        assert "<svg" in svg_of(main_drawing(part), name="x", width=WIDE)
        assert render_text(part)
        assert report_sections(part)


def test_decoders_are_written_and_drawn():
    given = {f"decoder {i}": scores("plain")[:, :] + 0.0 for i in range(60)}
    table = sc.compare_decoders({**given, "perfect": scores("perfect")})
    assert "perfect" in render_text(table)
    drawing = main_drawing(table)
    for width in (WIDE, NARROW):
        assert "<svg" in svg_of(drawing, name="x", width=width)
    page = render_html(Report(results=(table,)))
    assert page.count("difference from decoder 0") == 59
    assert ">nan<" not in page


def test_decoders_fit_a_telephone_with_their_intervals_below():
    both = {"a": scores("plain"), "b": scores("worse")}
    table = report_sections(sc.compare_decoders(both))[1].tables[0]
    assert table.columns == ("decoder", "right", "implied", "proved")
    assert all(note.startswith("95 % interval ") for note in table.notes)
    assert "difference from a" in table.notes[1]


def test_the_page_says_what_implied_information_is_not():
    page = render_html(Report(results=(sc.identify_from_scores(scores("plain")),)))
    assert "no bound" in page
    assert "hardly come twice" in page
