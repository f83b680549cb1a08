"""The answer as plain text."""

from dataclasses import replace

import numpy as np
import pytest
from tests.snapshot import assert_snapshot, page_text

from scorecast import report
from scorecast._core.result import Note
from scorecast.extrapolation import ForecastNote
from scorecast.report import render
from scorecast.report.document import Document, Section, Table
from scorecast.report.formats import (
    guessing,
    one_line,
    percent,
    percent_span,
    points,
    printable,
    weight_name,
)
from scorecast.report.terminal import write


def test_a_forecast_in_the_terminal(make):
    assert_snapshot("extrapolate", render(make.design_example()))


def test_a_forecast_on_the_page(make, provenance):
    page = report._page(make.design_example(), None, provenance)
    assert_snapshot("extrapolate-page", page_text(page))


def test_a_back_test_in_the_terminal(make):
    assert_snapshot("backtest", render(make.backtest()))


def test_notes_stand_below_the_numbers_and_what_is_said_beside_one_is_not(make):
    notes = (
        Note(code=ForecastNote.FAR, count=10_000, total=20, value=500.0),
        Note(code=ForecastNote.FEW_CLASSES, count=4),
    )
    text = render(replace(make.design_example(), notes=notes))
    assert text.count("rough guide") == text.count("guide at best") == 1
    assert text.index("10,000") < text.index("Only 4 classes") < text.index("Method")


def test_the_back_test_is_quoted_with_the_error_of_its_bias(make):
    rows = tuple(
        replace(row, bias=-0.013, stderr=0.008) if row.method == "auto" else row
        for row in make.rows()
    )
    result = make.extrapolation(backtest=rows)
    text = " ".join(render(result).split())
    said = "off by 2.1 points, bias -1.3 (standard error 0.8)"
    assert f"back-test 10 \N{RIGHTWARDS ARROW} 20 classes: {said}" in text
    assert said in render(result, "html")
    single = tuple(replace(row, stderr=None) for row in rows)
    assert "standard error" not in render(make.extrapolation(backtest=single))


def test_chance_stands_beside_the_forecasts_on_the_page(make):
    page = render(make.design_example(), "html")
    head = page.split("</table>")[0]
    assert head.index(">chance<") < head.index("0.25 %") < head.index("0.01 %")


def test_the_hardest_back_test_is_quoted(make):
    result = replace(make.extrapolation(), backtest=make.rows(((10, 20), (5, 20))))
    text = " ".join(render(result).split())
    assert "back-test 5 \N{RIGHTWARDS ARROW} 20 classes: off by 4.2 points" in text


def test_without_a_back_test_it_says_so(make):
    assert "not back-tested" in render(make.extrapolation(backtest=()))


def test_a_single_method_has_no_shares(make):
    result = make.extrapolation(method="gaussian", backtest=())
    result = replace(result, methods=result.methods[:1])
    assert "gaussian; not back-tested" in render(result)


def test_forecast_and_interval_stand_where_no_mistake_was_seen(make):
    result = make.extrapolation()
    perfect = replace(result.observed, accuracy=np.ones(19))
    sure = tuple(replace(p, accuracy=0.9, high=1.0) for p in result.predictions)
    text = render(replace(result, observed=perfect, predictions=sure))
    assert "90 %" in text
    assert "55\N{EN DASH}100 %" in text


def test_missing_intervals_are_not_made_up(make):
    result = make.extrapolation(observed_low=np.nan, observed_high=np.nan)
    gone = tuple(replace(p, low=np.nan, high=np.nan) for p in result.predictions)
    text = render(replace(result, predictions=gone))
    assert "nan" not in text
    assert "n/a" in text


def test_no_line_is_wider_than_88_columns(make):
    texts = [make.hostile(), make.backtest(), make.curve(), make.design_example()]
    for result in texts:
        assert max(map(len, render(result).splitlines())) <= 88


def test_hostile_text_can_neither_break_lines_nor_steer_the_terminal(make):
    text = render(make.hostile())
    assert not set(text) & {*"\x1b\x07\x00\r\u202e\ud800"}
    text.encode("utf-8")


def test_ascii_only_escapes_the_rest(make):
    text = render(make.hostile(), ascii_only=True)
    assert text.isascii()


@pytest.mark.parametrize(
    ("share", "least", "text"),
    [
        (0.67, 0, "67 %"),
        (0.933, 1, "93.3 %"),
        (0.9987, 0, "99.87 %"),
        (0.996, 0, "99.6 %"),
        (1.0, 0, "100 %"),
        (0.0, 1, "0 %"),
        (0.0009, 0, "0.09 %"),
        (1 - 1e-12, 0, "> 99.99 %"),
        (1e-12, 0, "< 0.01 %"),
        (float("nan"), 0, "n/a"),
        (None, 0, "n/a"),
    ],
)
def test_percent_never_rounds_to_certainty(share, least, text):
    assert percent(share, least) == text


@pytest.mark.parametrize("share", np.linspace(0.0001, 0.9999, 57))
def test_percent_says_100_or_0_of_nothing_else(share):
    assert percent(share) not in {"0 %", "100 %", "0.00 %", "100.00 %"}


def test_spans_points_and_weights():
    assert percent_span(0.58, 0.75) == "58-75 %"
    assert percent_span(0.46, 0.987) == "46-99 %"
    assert percent_span(0.46, 0.9987) == "46->99 %"
    assert percent_span(0.994, 0.9983) == "99.4-99.8 %"
    assert percent_span(0.0, 1.0) == "0-100 %"
    assert percent_span(1e-9, 1.0) == "<0.01-100 %"
    assert percent_span(None, 0.75) == "n/a"
    assert points(-0.0212, signed=True) == "-2.1"
    assert points(None) == "n/a"
    assert [weight_name(w) for w in (1.0, 0.5, 0.25, 0.0, 0.001)] == [
        "1",
        ".5",
        ".25",
        "0",
        "<.01",
    ]


def test_printable_keeps_what_is_only_foreign():
    for text in ("שלום", "naïve café", "日本", "👨\u200d👩", "x = 1"):
        assert printable(text) == text


def test_one_line_is_short():
    assert one_line("x" * 10_000, 20) == "x" * 17 + "..."


@pytest.mark.parametrize("width", range(34, 100, 3))
def test_numbers_are_never_cut_however_narrow_the_terminal(width):
    names = ("name", "alpha", "beta", "interval of gamma", "delta")
    cells = [("a long name of something", "1.2345", "0.222", "-0.96 to 0.30", "12"),
             ("b", "1.2346", "0.223", "-0.97 to 0.31", "13")]  # fmt: skip
    table = Table(columns=names, rows=cells, bars=((0, 0.5, 1), (0, 0.2, 0.4)))
    section = Section(tables=(table,), is_terminal=True)
    shown = write(Document(headline="x", sections=(section,)), width=width)
    assert all(len(line) <= width for line in shown.splitlines())
    for row in (names, *cells):
        assert all(cell in shown for cell in row[1:])


@pytest.mark.parametrize("width", [*range(30, 100, 2), 61, 63])
def test_notes_keep_their_words_however_narrow_the_terminal(width):
    names = ("classes", "expect", "95 % interval", "chance")
    rows = (("400", "42 %", "28-56 %", "0.25 %"), ("1,000", "29 %", "15-46 %", "1 %"))
    notes = ("", "25x beyond the data: a rough guide at best")
    bars = ((0.28, 0.42, 0.56), (0.15, 0.29, 0.46))
    table = Table(columns=names, rows=rows, notes=notes, n_words=0, bars=bars)
    section = Section(tables=(table,), is_terminal=True)
    shown = write(Document(headline="x", sections=(section,)), width=width)
    assert all(len(line) <= width for line in shown.splitlines())
    words = shown.split()
    assert all(word in words for word in notes[1].split())


def test_notes_of_a_table_that_is_divided_stand_below_it_once():
    names = ("classes", "alpha", "beta", "gamma")
    rows = (("10", "1.23456789", "2.3456789", "3.456789"),
            ("20", "1.13456789", "2.1456789", "3.156789"))  # fmt: skip
    table = Table(columns=names, rows=rows, notes=("first note", "second"), n_words=0)
    section = Section(tables=(table,), is_terminal=True)
    shown = write(Document(headline="x", sections=(section,)), width=26)
    assert shown.count("first note") == 1
    # Every part says which row is which.
    assert sum(line.split()[:1] == ["10"] for line in shown.splitlines()) >= 2


@pytest.mark.parametrize(
    ("n", "text"), [(2, "50 %"), (40, "2.5 %"), (200, "0.5 %"), (242, "0.41 %")]
)
def test_what_guessing_reaches_has_two_digits_where_it_is_small(n, text):
    assert guessing(1 / n) == text
