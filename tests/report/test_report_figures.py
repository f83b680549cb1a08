"""Figures: drawn on any axes, at any width, from any result."""

from dataclasses import replace

import numpy as np
import pytest

from scorecast.exceptions import MissingExtraError, UsageError
from scorecast.report import main_drawing, plot
from scorecast.report.curves import Anchor, Envelope, place_labels, spread
from scorecast.report.extrapolation_figures import (
    agreement_drawing,
    backtest_drawing,
    discriminability_drawing,
)
from scorecast.report.figures import COLOURS, NARROW, WIDE, new_figure, thinned
from scorecast.report.svg import svg_of

matplotlib = pytest.importorskip("matplotlib", reason="needs the extra [plot]")


def texts_of(axes):
    return [text.get_text() for text in axes.texts]


def test_the_main_figure_names_what_it_shows(forecast):
    axes = plot(forecast)
    assert {"20: 93 %", "400: 67 %", "10,000: 30 %"} <= set(texts_of(axes))
    assert {"forecast", "gaussian", "kde-ucv", "20 classes observed"} <= set(
        texts_of(axes)
    )
    assert axes.get_xscale() == "log"
    assert axes.get_ylim() == (0, 1)
    assert axes.get_legend() is None


@pytest.mark.parametrize("kind", ["extrapolation", "backtest", "curve"])
def test_every_result_draws_on_given_axes(make, kind):
    from matplotlib.figure import Figure

    given = Figure().add_subplot()
    assert plot(getattr(make, kind)(), ax=given) is given
    assert plot(getattr(make, kind)()).figure is not given.figure


def test_results_draw_themselves(forecast):
    pytest.importorskip("scorecast")
    assert forecast.plot().get_ylim() == (0, 1)


def test_no_global_figure_is_left_behind(forecast):
    from matplotlib import _pylab_helpers

    plot(forecast)
    assert not _pylab_helpers.Gcf.figs


def test_what_has_no_figure_says_so():
    with pytest.raises(UsageError, match="no view of what is of type int"):
        plot(3)


def test_without_matplotlib_the_extra_is_named(forecast, no_matplotlib):
    with pytest.raises(MissingExtraError, match=r"scorecast\[plot\]"):
        plot(forecast)


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize(
    "changes",
    [
        {"targets": (400,)},
        {"targets": (10, 20)},
        {"targets": (21,)},
        {"targets": tuple(range(30, 3000, 100))},
        {"targets": (10**9,)},
        {"n_classes": 2, "targets": (3, 10)},
        {"shift": -1.0},
        {"shift": 9.0},
        {"methods": ()},
        {"predictions_nan": True},
    ],
    ids=str,
)
def test_odd_forecasts_are_drawn(make, changes, width):
    changes = dict(changes)
    broken = changes.pop("predictions_nan", False)
    result = make.extrapolation(**changes)
    if broken:
        nan = np.full_like(result.curve.low, np.nan)
        result = replace(
            result,
            curve=replace(result.curve, low=nan, high=nan),
            predictions=tuple(
                replace(p, low=np.nan, high=np.nan) for p in result.predictions
            ),
        )
    for drawing in (
        main_drawing(result),
        agreement_drawing(result),
        discriminability_drawing(result),
        backtest_drawing(result.backtest),
    ):
        assert svg_of(drawing, name="x", width=width).startswith("<svg ")


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("shift", [0.5, 1.5, 2.5, 3.375, 4.5, 6.0])
def test_labels_do_not_touch_one_another(make, shift, width):
    result = make.extrapolation(targets=(30, 100, 150, 1000, 10_000), shift=shift)
    drawing = main_drawing(result)
    figure, axes = new_figure(drawing, width)
    drawing.draw(axes)
    boxes = text_boxes(figure, axes)
    assert len(boxes) >= 8
    for i, box in enumerate(boxes):
        assert box.count_overlaps(boxes[i + 1 :]) == 0
        assert box.x0 >= 0
        assert box.x1 <= figure.bbox.width * 1.01
        assert box.y0 >= 0
        assert box.y1 <= figure.bbox.height


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("shift", [0.5, 1.0, 1.5, 2.0, 3.375])
def test_labels_do_not_cover_the_lines_that_lead_to_names(make, shift, width):
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text

    result = make.extrapolation(targets=(100, 10_000), shift=shift)
    curve, names = result.curve, ("bayesian", "spline", "polynomial")
    # Narrow intervals, and many names that are moved apart.
    result = replace(
        result,
        predictions=tuple(
            replace(p, low=0.9 * p.accuracy, high=p.accuracy + 0.01)
            for p in result.predictions
        ),
        curve=replace(curve, low=0.9 * curve.accuracy, high=curve.accuracy + 0.01),
        methods=(
            *result.methods, *(replace(result.methods[0], name=x) for x in names)
        ),
    )  # fmt: skip
    drawing = main_drawing(result)
    figure, axes = new_figure(drawing, width)
    drawing.draw(axes)
    renderer = FigureCanvasAgg(figure).get_renderer()
    labels, leaders = [], []
    for text in axes.texts:
        text.update_positions(renderer)
        if ":" in text.get_text():
            labels.append(Text.get_window_extent(text, renderer).shrunk(0.97, 0.8))
        elif text.arrow_patch is not None:
            leaders.append(text.arrow_patch.get_path())
    assert labels
    assert len(leaders) >= 4
    for box in labels:
        assert not any(line.intersects_bbox(box, filled=False) for line in leaders)


def text_boxes(figure, axes):
    """Return where the words are, without the lines that lead to them."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text

    renderer = FigureCanvasAgg(figure).get_renderer()
    boxes = []
    for text in axes.texts:
        if text.get_text():
            text.update_positions(renderer)
            # The line of an accent or a descender may reach into the next one.
            boxes.append(Text.get_window_extent(text, renderer).shrunk(0.97, 0.8))
    return boxes


def test_hostile_names_are_drawn_as_they_are(make):
    svg = svg_of(main_drawing(make.hostile()), name="x")
    assert "$x_{$" in svg
    assert "_hidden" in svg
    assert "<script" not in svg


def test_every_colour_is_one_the_page_can_change(forecast):
    for drawing in (
        main_drawing(forecast),
        agreement_drawing(forecast),
        discriminability_drawing(forecast),
        backtest_drawing(forecast.backtest),
    ):
        svg = svg_of(drawing, name="x")
        for name, colour in COLOURS.items():
            svg = svg.replace(f"var(--{name},{colour})", "")
        assert ":#" not in svg


def test_the_same_drawing_gives_the_same_bytes_whatever_the_settings(forecast):
    drawing = main_drawing(forecast)
    first = svg_of(drawing, name="x")
    with matplotlib.rc_context({"font.size": 30, "lines.linewidth": 9}):
        assert svg_of(drawing, name="x") == first
        assert matplotlib.rcParams["font.size"] == 30


def test_names_inside_two_figures_never_clash(forecast):
    import re

    drawing = main_drawing(forecast)
    ids = [set(re.findall(r'id="([^"]+)"', svg_of(drawing, name=n))) for n in "ab"]
    assert ids[0]
    assert not ids[0] & ids[1]


def test_spread_keeps_order_gap_and_limits():
    rng = np.random.default_rng(0)
    for _ in range(50):
        wanted = rng.uniform(0, 100, rng.integers(1, 9))
        places = spread(wanted, 10.0, 0.0, 100.0)
        order = np.argsort(wanted)
        assert np.all(np.diff(places[order]) >= 10 - 1e-9)
        assert places.min() >= 0
        assert places.max() <= 100 + 1e-9


def test_spread_moves_nothing_that_has_room():
    assert spread(np.array([50.0, 10.0]), 10.0, 0, 100).tolist() == [50.0, 10.0]


def test_labels_without_room_are_dropped_rather_than_stacked():
    flat = Envelope(x=np.array([0.0, 50]), low=np.full(2, 10.0), high=np.full(2, 12.0))
    anchors = [Anchor(x=25.0, low=10, high=12, width=45.0) for _ in range(9)]
    places = place_labels(anchors, flat, (50.0, 40.0), 11.0)
    assert 1 <= sum(place is not None for place in places) < 9


def test_thinned_keeps_the_ends():
    assert thinned(range(100), 4) == [0, 33, 66, 99]
    assert thinned("ab", 4) == ["a", "b"]
