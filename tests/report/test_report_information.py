"""How apparent information is shown: text, figures, page."""

import dataclasses
import html
import json
import re

import numpy as np
import pytest

import scorecast as sc
from scorecast._core.results import result_from_dict
from scorecast.report import (
    information_plots as plots,
    main_drawing,
    render_text,
    report as write_page,
)
from scorecast.report.figures import COLOURS, NARROW, WIDE, new_figure
from scorecast.report.svg import svg_of

pytest.importorskip("matplotlib", reason="needs the extra [plot]")
pytestmark = [
    pytest.mark.usefixtures("quick_posterior"),
    pytest.mark.filterwarnings("ignore::scorecast.exceptions.DataWarning"),
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
    cases = sc.cases_from_j(
        j,
        ids=[f"case number {i}" for i in range(j.size)],
        groups=rng.choice(["men", "women", "a group with a rather long name"], j.size),
    )
    return sc.apparent_information(cases, units="bits", **options)


def drawings(result):
    found = [
        main_drawing(result),
        plots.cumulative_drawing(result),
        plots.spread_drawing(result),
        plots.betting_drawing(result),
        plots.groups_drawing(result),
        plots.components_drawing(result.components.traces.tolist()),
    ]
    if result.reliability is not None:
        found.append(plots.reliability_drawing(result.reliability, result.level))
    return found


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
    text = render_text(result)
    assert all(len(line) <= 88 for line in text.splitlines())
    assert "bits per case" in text
    assert " nan" not in text
    page = write_page(result)
    assert page.count("<svg") == 2 * len(drawings(result))
    again = result_from_dict(json.loads(json.dumps(result.to_dict(), allow_nan=False)))
    assert write_page(again) == page
    assert render_text(again) == text


def test_colours_are_those_the_page_can_change():
    import re

    for drawing in drawings(made("tail")):
        picture = svg_of(drawing, name="x")
        assert set(re.findall(r"#[0-9a-f]{6}", picture)) <= set(COLOURS.values())


def test_reliability_is_drawn_for_class_probabilities():
    rng = np.random.default_rng(0)
    q = rng.dirichlet(np.ones(3), 300)
    y = [rng.choice(3, p=row) for row in q]
    cases = sc.cases_from_classes(q, y, prior=np.full(3, 1 / 3))
    page = write_page(sc.apparent_information(cases, units="bits"))
    assert "Do the chances mean what they say?" in page


def test_a_page_has_one_dash_for_ranges_and_says_why_one_class_is_shown():
    rng = np.random.default_rng(0)
    chance = rng.uniform(0.3, 0.9, 300)
    y = (rng.random(300) < chance).astype(int)
    q = np.column_stack([1 - chance, chance])
    cases = sc.cases_from_classes(q, y, prior=[0.4, 0.6], groups=y // 1)
    page = write_page(sc.apparent_information(cases, units="bits"))
    texts = re.sub(r"<svg.*?</svg>|<footer.*", "", page, flags=re.DOTALL)
    texts = re.sub(r"<style.*?</style>", "", texts, flags=re.DOTALL)
    assert re.search(r"\d\u2060?\u2013\u2060?\d", texts)
    assert not re.search(r"\d\.\d+-\d", texts)
    assert "mirror image" in page


def test_no_table_of_a_page_has_more_columns_than_a_telephone_holds():
    page = write_page(made("tail"))
    heads = re.findall(r"<thead>.*?</thead>", page, flags=re.DOTALL)
    assert max(head.count("<th") - 1 for head in heads) <= 4
    assert "P(J &gt; 0)" in page


def test_chains_that_agree_on_j_say_so(quick_posterior):
    result = made("plain")
    assert "agree on J: R-hat 1.001" in render_text(result)
    assert "components" not in render_text(result)


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
    for text in (result.summary(), render_text(result), page):
        text = " ".join(text.split())
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
    cases = sc.cases_from_classes(chance, rng.random(400) < chance, prior=[0.5, 0.5])
    result = sc.apparent_information(cases)
    first, *others = result.reliability.bins
    bins = (dataclasses.replace(first, low=0.0002, high=0.9997), *others)
    trust = dataclasses.replace(result.reliability, bins=bins)
    result = dataclasses.replace(result, reliability=trust)
    rows = re.findall(r"<td[^>]*>([^<]*%)</td>", result_page(result))
    assert rows
    for cell in rows:
        assert not re.search(r"(?<![\d.<>])(100\.0|0\.0)(?!\d)", cell), cell
