"""How apparent information is shown: text, figures, page."""

import json

import numpy as np
import pytest

import scorecast as sc
from scorecast._core.results import result_from_dict
from scorecast.report import information_plots as plots
from scorecast.report import main_drawing, render_text
from scorecast.report.drawing import COLOURS, NARROW, WIDE, new_figure
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
    page = sc.report(result)
    assert page.count("<svg") == 2 * len(drawings(result))
    again = result_from_dict(json.loads(json.dumps(result.to_dict(), allow_nan=False)))
    assert sc.report(again) == page
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
    page = sc.report(sc.apparent_information(cases, units="bits"))
    assert "Do the chances mean what they say?" in page


def test_a_notebook_gets_a_fragment():
    fragment = made("plain")._repr_html_()
    assert "bits per" in fragment
    assert "<svg" in fragment
