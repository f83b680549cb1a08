"""How apparent information is shown: text, figures, page."""

import dataclasses
import html
import json
import re

import numpy as np
import pytest
from tests.snapshot import assert_snapshot, page_text

import scorecast as sc
from scorecast.information import ApparentInformation, InfluenceMethod
from scorecast.report import lay_out, render
from scorecast.report.figures import COLOURS, NARROW, WIDE, new_figure
from scorecast.report.svg import svg_of

pytest.importorskip("matplotlib", reason="needs the extra [plot]")
pytestmark = [
    pytest.mark.usefixtures("quick_posterior"),
    pytest.mark.filterwarnings("ignore::scorecast.exceptions.ScorecastWarning"),
]


def values(kind):
    rng = np.random.default_rng(0)
    j = rng.normal(0.1, 0.2, 200)
    return {
        "plain": j,
        "tail": np.append(j, -6.58),
        "both tails": np.concatenate([j, [-9.0, -8.0, 12.0]]),
        "large": 1e4 * j,
        "tiny": 1e-6 * j,
        "negative": j - 3,
        "far": j / 100 + 5,
        "infinite": np.append(j, [-np.inf, -np.inf]),
        "two values": np.where(j > 0, 0.2, -0.4),
        "flat": np.full(30, 0.25),
        "one": np.array([0.25]),
    }[kind]


KINDS = (
    "plain", "tail", "both tails", "large", "tiny", "negative", "far", "infinite",
    "two values", "flat", "one",
)  # fmt: skip


def made(kind, **options):
    j = values(kind)
    rng = np.random.default_rng(1)
    forecasts = sc.Forecasts.from_log_ratios(
        j,
        ids=[f"case number {i}" for i in range(j.size)],
        groups=rng.choice(["men", "women", "a group with a rather long name"], j.size),
    )
    return sc.apparent_information(forecasts, **options)


def drawings(result):
    parts = lay_out(result).sections
    return [part.figure for part in parts if part.figure is not None]


def write_page(result):
    return render(result, "html")


def boxes(figure, axes):
    """Return the boxes of all texts that are seen."""
    renderer = figure.canvas.get_renderer()
    shown = [t for t in axes.texts if t.get_text()]
    labels = [*axes.get_xticklabels(), *axes.get_yticklabels(), axes.xaxis.label]
    shown += [t for t in labels if t.get_text()]
    return [(t.get_text(), t.get_window_extent(renderer)) for t in shown]


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("kind", KINDS)
def test_texts_neither_touch_nor_leave_the_figure(kind, width):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    for drawing in drawings(made(kind)):
        figure, axes = new_figure(drawing, width)
        FigureCanvasAgg(figure).draw()
        drawing.draw(axes)
        found = boxes(figure, axes)
        for i, (text, box) in enumerate(found):
            assert box.x0 > -3, (drawing.title, text)
            assert box.x1 < figure.bbox.x1 + 3, (drawing.title, text)
            for other, second in found[i + 1 :]:
                apart = (
                    box.x1 < second.x0 or second.x1 < box.x0
                    or box.y1 < second.y0 + 1 or second.y1 < box.y0 + 1
                )  # fmt: skip
                assert apart, (drawing.title, text, other)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_written_and_shown(kind):
    result = made(kind)
    text = render(result)
    assert all(len(line) <= 88 for line in text.splitlines())
    assert "bits per case" in text
    assert " nan" not in text
    page = write_page(result)
    assert page.count("<svg") == 2 * len(drawings(result))
    again = ApparentInformation.from_dict(
        json.loads(json.dumps(result.to_dict(), allow_nan=False))
    )
    assert write_page(again) == page
    assert render(again) == text


def test_colours_are_those_the_page_can_change():
    import re

    for drawing in drawings(made("tail")):
        picture = svg_of(drawing, name="x")
        assert set(re.findall(r"#[0-9a-f]{6}", picture)) <= set(COLOURS.values())


def test_reliability_is_drawn_for_class_probabilities():
    rng = np.random.default_rng(0)
    q = rng.dirichlet(np.ones(3), 300)
    y = [rng.choice(3, p=row) for row in q]
    forecasts = sc.Forecasts.from_class_probabilities(q, y, prior=np.full(3, 1 / 3))
    page = write_page(sc.apparent_information(forecasts))
    assert "Do the chances mean what they say?" in page


def test_a_page_has_one_dash_for_ranges_and_says_why_one_class_is_shown():
    rng = np.random.default_rng(0)
    chance = rng.uniform(0.3, 0.9, 300)
    y = (rng.random(300) < chance).astype(int)
    q = np.column_stack([1 - chance, chance])
    forecasts = sc.Forecasts.from_class_probabilities(
        q, y, prior=[0.4, 0.6], groups=y // 1
    )
    page = write_page(sc.apparent_information(forecasts))
    texts = re.sub(r"<svg.*?</svg>|<footer.*", "", page, flags=re.DOTALL)
    texts = re.sub(r"<style.*?</style>", "", texts, flags=re.DOTALL)
    assert re.search(r"\d\u2060?\u2013\u2060?\d", texts)
    assert not re.search(r"\d\.\d+-\d", texts)
    assert "mirror image" in page


def test_wide_tables_are_stacked_on_a_telephone():
    tables = [t for part in lay_out(made("tail")).sections for t in part.tables]
    assert max(len(t.columns) for t in tables if not t.is_stacked) <= 4


def test_a_notebook_gets_a_fragment():
    fragment = made("plain")._repr_html_()
    assert "bits per" in fragment
    assert "<svg" in fragment


@pytest.mark.parametrize("low", [-0.0031, 0.0031, -4e-5, 0.00449])
@pytest.mark.parametrize("high", [0.37, -0.00001])
def test_the_sign_of_every_end_of_an_interval_can_be_seen(low, high):
    low, high = sorted((low, high))
    result = made("plain")
    posterior = dataclasses.replace(result.posterior, low=low, high=high)
    usual = dataclasses.replace(result.normal, low=low, high=high)
    result = dataclasses.replace(result, posterior=posterior, normal=usual)
    page = result_page(result)
    for text in (result.summary(), render(result), page):
        text = " ".join(text.split()).replace("\u2013", "-")
        pairs = re.findall(r"(-?[\d.]+)(?: to |-)(-?[\d.]+)\)", text)
        assert pairs
        for found in pairs:
            assert [np.sign(float(x)) for x in found] == [np.sign(low), np.sign(high)]
        assert not re.search(r"-0\.0*\b(?![\d.])", text)


def result_page(result):
    page = re.sub(r"[\u2060]", "", write_page(result)).replace("\u2013", "-")
    return html.unescape(re.sub(r"<svg.*?</svg>", "", page, flags=re.DOTALL))


def test_shares_that_are_not_certain_are_not_shown_as_certain():
    rng = np.random.default_rng(5)
    chance = np.clip(rng.beta(0.3, 0.3, 400), 0.0003, 0.9997)
    forecasts = sc.Forecasts.from_class_probabilities(
        chance, rng.random(400) < chance, prior=[0.5, 0.5]
    )
    result = sc.apparent_information(forecasts)
    first, *others = result.reliability.bins
    bins = (dataclasses.replace(first, low=0.0002, high=0.9997), *others)
    trust = dataclasses.replace(result.reliability, bins=bins)
    result = dataclasses.replace(result, reliability=trust)
    rows = re.findall(r"<td[^>]*>([^<]*%)</td>", result_page(result))
    assert rows
    for cell in rows:
        assert not re.search(r"(?<![\d.<>])(100\.0|0\.0)(?!\d)", cell), cell


def test_the_sentence_on_one_case_speaks_of_the_mixture_and_its_error():
    result = made("tail")
    mixture = dataclasses.replace(result.posterior.views[0], median=0.25)
    views = (mixture, *result.posterior.views[1:])
    posterior = dataclasses.replace(
        result.posterior, views=views, centre="pareto", median=0.5, low=0.4, high=0.6
    )

    def said(without, error, method=InfluenceMethod.REWEIGHTED):
        influence = dataclasses.replace(
            result.influence,
            posterior_median_without=without,
            median_error=error,
            method=method,
        )
        changed = dataclasses.replace(result, posterior=posterior, influence=influence)
        return dict(lay_out(changed).facts)["One case"]

    assert said(0.26, 0.001).endswith("from 0.250 to 0.260 (error by simulation 0.001)")
    assert "no more than chance" in said(0.26, 0.01)
    assert said(0.26, np.nan).endswith("the mixture's median from 0.250 to 0.260")
    assert "too many cases" in said(np.nan, np.nan, InfluenceMethod.TOO_MANY_CASES)


def test_what_a_page_and_a_terminal_say():
    result = made("infinite")
    assert_snapshot("information", render(result))
    assert_snapshot("information_page", page_text(write_page(result)))
