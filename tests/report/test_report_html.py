"""The page: self-contained, harmless, the same every time."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from itertools import pairwise

import pytest

import scorecast as sc
from scorecast import report
from scorecast._core.result import Note
from scorecast.exceptions import InvalidInputError, UsageError
from scorecast.extrapolation import ForecastNote
from scorecast.report import html, write_report
from scorecast.report.figures import COLOURS

VOID = {"meta", "br", "img", "input", "link", "hr"}
SELF_CLOSED = {"path", "use", "rect"}


def write_page(results, title=None, provenance=None):
    """Return the page itself."""
    return report._page(results, title, provenance)


class Reader(HTMLParser):
    """Collect the tags, and check that they close in order."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.stack, self.words = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).replace("\xa0", " ").split())


@pytest.fixture
def hostile_page(make, hostile_texts):
    provenance = {
        "command": hostile_texts[0],
        "date": hostile_texts[1],
        "inputs": [
            {"path": text, "sha256": text, "bytes": None} for text in hostile_texts
        ],
    }
    title = hostile_texts[0] + hostile_texts[2]
    return write_page(make.hostile(), title=title, provenance=provenance)


def test_the_head_is_the_answer(make, provenance):
    page = Reader(write_page(make.design_example(), provenance=provenance))
    for words in (
        "with 10,000 classes expect about 41 %",
        "400 67 % 58\N{EN DASH}75 %",
        "500x beyond the data: a rough guide at best",
        "20 classes, 1,000 examples: right 93.3 % of the time (90 % interval",
        "auto: gaussian .5, regression .3, kde-bcv .2; back-test 10 → 20 classes",
        "shown for comparison",
        "Journal of Machine Learning Research",
        "scores.npz, 160,128 bytes",
        "9f86" * 16,
        "2026-11-15",
        "scorecast extrapolate scores.npz --to 400",
    ):
        assert words in page.text
    assert not page.stack


def test_warnings_come_before_the_first_figure(forecast):
    few = Note(code=ForecastNote.FEW_CLASSES, count=4)
    page = write_page(replace(forecast, notes=(few,)))
    assert page.index("Only 4 classes") < page.index("<figure")


def test_nothing_is_run_or_fetched(hostile_page):
    page = Reader(hostile_page)
    assert not page.stack
    assert not {"script", "img", "link", "iframe", "a", "b", "object"} & {*page.tags}
    assert "script-src 'none'" in hostile_page
    assert "http" not in hostile_page.replace("http-equiv", "")
    for name, value in page.attributes:
        assert not name.startswith("on")
        assert "javascript:" not in (value or "")
        if name in {"href", "src"}:
            assert value.startswith("#")
    assert not re.search(r"url\((?!#)|@import", hostile_page)


def test_hostile_text_is_shown_as_it_is(hostile_page, hostile_texts):
    page = Reader(hostile_page).text
    for text in hostile_texts[:9]:
        assert text in page
    assert "line break and\\x1b[31m bell\\x07 null\\x00" in page
    assert "lone \\ud800 surrogate" in page
    assert "\\u202e" in page
    assert "all 10,000 characters" in page
    hostile_page.encode("utf-8")
    assert not set(hostile_page) & {*"\x00\x1b\u202e"}


def test_pages_stay_small(forecast, hostile_page):
    assert len(write_page(forecast).encode()) < 150_000
    assert len(hostile_page.encode()) < 300_000


def test_a_page_of_many_classes_stays_small(make):
    page = write_page(make.extrapolation(n_classes=400, targets=(10_000,)))
    assert len(page.encode()) < 300_000


def test_the_same_report_gives_the_same_bytes(make, provenance):
    pages = {
        write_page([make.extrapolation(), make.backtest()], provenance=provenance)
        for _ in range(2)
    }
    assert len(pages) == 1


def test_every_figure_has_a_title_that_exists_once(make):
    pytest.importorskip("matplotlib", reason="needs the extra [plot]")
    page = write_page([make.extrapolation(), make.backtest(), make.curve()])
    figures = re.findall(r"<svg .*?</svg>", page, re.DOTALL)
    assert len(figures) == 2 * 6
    for figure in figures:
        assert 'role="img"' in figure
        names = re.search(r'aria-labelledby="([^"]+)"', figure)[1].split()
        assert len(names) == 2
        for name in names:
            assert page.count(f'id="{name}"') == 1
            assert re.search(rf'id="{name}">[^<]+<', figure)
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))


def test_references_inside_figures_resolve(forecast):
    page = write_page(forecast)
    ids = set(re.findall(r'\bid="([^"]+)"', page))
    used = re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', page)
    assert used
    assert {a or b for a, b in used} <= ids


def test_without_matplotlib_there_are_tables_and_a_word_about_it(
    forecast, no_matplotlib
):
    page = write_page(forecast)
    assert "<svg" not in page
    assert "scorecast[plot]" in Reader(page).text
    assert "Share of each method" in page
    assert "<svg" not in html.write_fragment(forecast)


def test_several_results_share_a_page(make):
    page = Reader(write_page([make.extrapolation(), make.curve()], title="Two of them"))
    assert page.tags.count("h1") == 1
    assert page.tags.count("article") == 2
    assert "Two of them" in page.text
    alone = Reader(write_page(make.curve()))
    assert alone.tags.count("h1") == 1


def test_headings_never_skip_a_level(make):
    for results in ([make.extrapolation()], [make.extrapolation(), make.backtest()]):
        levels = [
            int(tag[1])
            for tag in Reader(write_page(results)).tags
            if re.fullmatch(r"h\d", tag)
        ]
        assert levels[0] == 1
        assert all(b - a <= 1 for a, b in pairwise(levels))


def test_the_colours_of_the_page_are_those_of_the_figures():
    css = files("scorecast.report").joinpath("templates", "page.css").read_text("utf-8")
    light = css[: css.index("@media")]
    for name, colour in COLOURS.items():
        assert f"--{name}: {colour};" in light
    dark = css[css.index("@media") :]
    assert all(f"--{name}: #" in dark for name in COLOURS)


def test_the_package_can_be_called_and_writes_whole_files(forecast, tmp_path):
    import scorecast.report

    target = tmp_path / "out.html"
    page = write_page(forecast)
    assert write_report(forecast, target) == str(target)
    assert target.read_text("utf-8") == page
    assert sc.report is scorecast.report
    with pytest.raises(InvalidInputError):
        write_report(forecast, target)
    write_report(forecast, target, title="New", force=True)
    assert target.read_text("utf-8") != page


def test_an_input_is_never_replaced(forecast, tmp_path):
    target = tmp_path / "scores.npz"
    target.write_text("precious")
    provenance = {"inputs": [{"path": f"{target}::key", "sha256": "", "bytes": 8}]}
    with pytest.raises(InvalidInputError, match="one of the inputs"):
        write_report(forecast, target, provenance=provenance, force=True)
    assert target.read_text() == "precious"


def test_an_empty_report_is_refused():
    with pytest.raises(UsageError, match="at least one result"):
        write_page(())


def test_results_come_back_from_json_with_the_same_page(make):
    import json

    result = make.extrapolation()
    again = type(result).from_dict(json.loads(json.dumps(result.to_dict())))
    assert write_page(again) == write_page(result)


def test_a_notebook_gets_the_sentence_the_table_and_the_figure(make):
    fragment = html.write_fragment(make.hostile())
    page = Reader(fragment)
    assert not page.stack
    assert "script" not in page.tags
    assert page.tags.count("svg") == 1
    assert "400 67 % 55\N{EN DASH}79 %" in page.text
    assert make.extrapolation()._repr_html_() == html.write_fragment(
        make.extrapolation()
    )


def test_a_wide_table_of_methods_is_stacked_on_narrow_screens(make):
    def is_stacked(targets):
        laid_out = report.lay_out(make.extrapolation(targets=targets))
        heading = "What each method says"
        found = next(part for part in laid_out.sections if part.heading == heading)
        return found.tables[0].is_stacked

    assert not is_stacked((100, 400))
    assert is_stacked((22, 25, 30, 1_000_000))


def test_a_number_and_its_millions_stay_on_one_line(make):
    page = write_page([make.extrapolation(targets=(400, 123_000_000))])
    prose = re.sub(r"<td[^>]*>[^<]*</td>|<svg.*?</svg>", "", page, flags=re.DOTALL)
    assert re.search(r"\d million", prose) is None  # cells of numbers are unbroken
    assert "123\xa0million" in page
