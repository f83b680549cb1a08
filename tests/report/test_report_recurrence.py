"""The page about predicted times: which cases are drawn, and on what scale."""

import dataclasses
import itertools
import warnings

import numpy as np
import pytest

import scorecast as sc
from scorecast.information import PosteriorSettings
from scorecast.mixtures import Sampling
from scorecast.recurrence import CaseCurves, Evaluation, Predictions, recurrence_of
from scorecast.report import report as write_page
from scorecast.report.figures import ACCENT_SOFT, NARROW, WIDE, new_figure
from scorecast.report.recurrence_plots import (
    calibration_drawing,
    densities_drawing,
    rivals_drawing,
    survival_drawing,
    together_drawing,
)
from scorecast.report.text import render_text


def curves(number, scale=1.0):
    """Make the exponential curves of one case."""
    at = np.geomspace(0.001, 10.0, 50) * scale
    tail = np.exp(-at / scale)
    return CaseCurves(
        name=f"case {number}", time=float(at[30]), event=bool(number % 2),
        median=0.69 * scale, low=0.05 * scale, high=3.0 * scale,
        times=tuple(at), density=tuple(tail / scale), survival=tuple(tail),
        survival_low=tuple(tail**1.2), survival_high=tuple(tail**0.8),
    )  # fmt: skip


@pytest.fixture(scope="module")
def answer():
    """Join made-up predictions; give curves."""
    rng = np.random.default_rng(0)
    time, event = rng.exponential(size=30), np.arange(30) % 3 > 0
    at = np.linspace(0.1, 2.0, 5)

    def said(rate):
        log = np.where(event, np.log(rate), 0.0) - rate * time
        return Predictions(
            log, np.exp(-rate * time), np.tile(np.exp(-rate * at), (30, 1))
        )

    found = Evaluation(
        time=time, event=event, times=at, prior="exponential", failures={}, seed=0,
        predictions={"model": said(1.0), "prior": said(1.3), "cox": said(0.8)},
        folds=np.arange(30)[None] % 2,
        diagnostics={"n_fits": 2, "n_unconverged": 0, "passed": True, "rhat": 1.0,
                     "ess": 99.0, "n_chains": 1, "n_draws": 9},
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        worth = sc.apparent_information(
            found.log_q,
            found.log_p,
            settings=PosteriorSettings(
                sampling=Sampling(n_chains=1, n_warmup=20, n_draws=20, n_extensions=0),
                allow_unconverged=True,
            ),
        )
    return lambda **changes: recurrence_of(found, worth, **changes)


def drawn(drawing):
    """Return the axes as they are drawn."""
    from matplotlib.figure import Figure

    axes = Figure(figsize=(6, 2)).add_subplot()
    drawing.draw(axes)
    return axes


def test_cases_are_drawn_up_to_a_stated_number(answer):
    found = answer(curves=[curves(i) for i in range(5)])
    axes = drawn(densities_drawing(found))
    lines = [line for line in axes.lines if len(line.get_xdata()) > 2]
    assert len(lines) == 5
    assert len({(line.get_color(), str(line.get_linestyle()) + str(line._dash_pattern))
                for line in lines}) == 5  # fmt: skip
    assert "more stand in the table" not in write_page(found)
    page = write_page(answer(curves=[curves(i) for i in range(9)]))
    assert "The first 6 are drawn; 3 more stand in the table." in page
    assert "case 8" in page


def test_times_over_decades_get_a_logarithmic_scale(answer):
    near = answer(curves=[curves(1), curves(2, 1.2)])
    assert drawn(densities_drawing(near)).get_xscale() == "linear"
    assert drawn(densities_drawing(near)).get_xlim()[0] == 0.0
    far = answer(curves=[curves(1), curves(2, 1000.0)])
    panels = drawn(survival_drawing(far)).child_axes
    assert len(panels) == 2
    for axes in (drawn(densities_drawing(far)), *panels):
        assert axes.get_xscale() == "log"
        assert axes.get_xlim()[0] < 0.05
        assert axes.get_xlim()[1] > 3000.0
    # Per unit of log time both curves are equally high, and both can be seen.
    heights = [max(line.get_ydata()) for line in drawn(densities_drawing(far)).lines
               if len(line.get_xdata()) > 2]  # fmt: skip
    assert heights[0] == pytest.approx(heights[1], rel=1e-6)
    assert "logarithmic scale" in write_page(far)


def at_width(drawing, width):
    """Return figure and axes as the page draws them."""
    figure, axes = new_figure(drawing, width)
    drawing.draw(axes)
    figure.canvas.draw()
    return figure, axes


def label_box(axes):
    """Return where the label of the axis of time stands, once it is laid out."""
    axes.xaxis.get_tightbbox()
    return axes.xaxis.label.get_window_extent()


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("n", [1, 3, 6])
def test_names_of_lines_stand_above_the_axes_and_within_the_figure(answer, width, n):
    found = answer(curves=[curves(100 + i) for i in range(n)])
    for drawing, names in (
        (densities_drawing(found), [f"case {100 + i}" for i in range(n)]),
        (together_drawing(found), ["seen (Kaplan-Meier)", "mean predicted"]),
    ):
        figure, axes = at_width(drawing, width)
        assert axes.get_legend() is None
        texts = {text.get_text(): text.get_window_extent() for text in axes.texts}
        boxes = [texts[name] for name in names]
        for box in boxes:
            assert box.y0 >= axes.bbox.y1
            assert figure.bbox.x0 <= box.x0
            assert box.x1 <= figure.bbox.x1
            assert box.y1 <= figure.bbox.y1
        others = [box for name, box in texts.items() if name not in names]
        for i, box in enumerate(boxes):
            assert not any(box.overlaps(other) for other in boxes[:i] + others)


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_every_case_has_a_panel_with_one_band(answer, width):
    found = answer(curves=[curves(i) for i in range(1, 6)])
    figure, axes = at_width(survival_drawing(found), width)
    panels = axes.child_axes
    assert len(panels) == 5
    for i, panel in enumerate(panels):
        (band,) = panel.collections
        assert band.get_facecolor()[0] == pytest.approx(_rgba(ACCENT_SOFT))
        assert f"case {i + 1}" in [text.get_text() for text in panel.texts]
        (mark,) = [line for line in panel.lines if line.get_marker() == "o"]
        assert not mark.get_clip_on()
        for other in panels[:i]:
            assert not panel.bbox.overlaps(other.bbox)
        # Its label stands clear of the panel below.
        label = label_box(panel)
        assert panel.get_xlabel() == "time"
        for other in panels[i + 1 :]:
            if other.bbox.y1 < panel.bbox.y0:
                tops = [text.get_window_extent().y1 for text in other.texts]
                assert label.y0 >= max(tops)
    assert figure.bbox.contains(panels[-1].bbox.x1, panels[-1].bbox.y0)


def _rgba(colour):
    from matplotlib.colors import to_rgba

    return to_rgba(colour)


def test_marks_at_the_edge_are_whole(answer):
    axes = drawn(densities_drawing(answer(curves=[curves(1), curves(2)])))
    marks = [line for line in axes.lines if line.get_marker() == "o"]
    assert len(marks) == 2
    assert not any(mark.get_clip_on() for mark in marks)


def test_the_dashed_curve_of_the_posterior_is_explained(answer):
    found = answer()
    views = [view.tails for view in found.information.posterior.views]
    assert "pareto" in views
    page = " ".join(write_page(found).split())
    assert (
        "the dashed ones, given a mixture fitted to all of them or tails learned from "
        "the far ones alone. The" in page
    )
    assert "mean and standard error, the second (" in page  # not cut short


def test_decades_are_named_where_there_is_room(answer):
    far = answer(curves=[curves(1, 1e-4), curves(2, 1e6), curves(3), curves(4)])
    for width in (WIDE, NARROW):
        _, axes = at_width(survival_drawing(far), width)
        assert len(axes.child_axes) == 4
        for panel in axes.child_axes:
            boxes = [x.get_window_extent() for x in panel.get_xticklabels()]
            assert len(boxes) >= 2
            assert all(a.x1 < b.x0 for a, b in itertools.pairwise(boxes))


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_numbers_at_risk_stand_below_the_curve(answer, width):
    found = answer()
    figure, axes = at_width(together_drawing(found), width)
    texts = {text.get_text(): text for text in axes.texts}
    counts = [t for t in axes.texts if t.get_text().isdigit()]
    time = np.array(found.cases["time"])
    ticks = axes.get_xticks()
    assert [int(t.get_text()) for t in counts] == [
        int((time >= x).sum()) for x in ticks
    ]
    assert counts[0].get_text() == "30"
    label = label_box(axes)
    for text in (*counts, texts["cases still waiting and followed (at risk)"]):
        box = text.get_window_extent()
        assert box.y1 <= label.y0
        assert box.y0 >= figure.bbox.y0
        assert box.x1 <= figure.bbox.x1


def test_a_rival_without_an_answer_keeps_its_row(answer):
    found = answer()
    assert [row.name for row in found.comparison] == ["cox"]
    assert np.isnan(found.comparison[0].beyond)
    drawing = rivals_drawing(found)
    _, axes = at_width(drawing, WIDE)
    texts = [text.get_text() for text in axes.texts]
    assert "Cox's model" in texts
    assert "n/a" in texts
    assert not axes.lines[1:]  # no dot
    assert drawing.description == "Cox's model: n/a"


@pytest.mark.parametrize(
    ("top", "names"),
    [
        (0.13, ["0", "5 %", "10 %"]),
        (0.3, ["0", "10 %", "20 %", "30 %"]),
        (0.9, ["0", "10 %", "20 %", "40 %", "60 %", "80 %"]),
    ],
)
def test_bars_of_calibration_can_be_read(answer, top, names):
    found = answer()
    shares = (top, *[(1 - top) / 9] * 9)
    even = dataclasses.replace(found.calibration, shares=shares)
    found = dataclasses.replace(found, calibration=even)
    _, axes = at_width(calibration_drawing(found), WIDE)
    assert [label.get_text() for label in axes.get_yticklabels()] == names


def test_chains_and_draws_are_said(answer):
    said = " ".join(render_text(answer()).split())
    assert "over 2 fits of 1 chain, 9 draws each: worst R-hat" in said


def test_the_cases_that_cost_most_are_named(answer):
    found = answer()
    worst = found.information.worst[0]
    said = " ".join(render_text(found).split())
    assert f"Worst {worst.id} ({worst.j:.2f} bits, " in said
    assert "of all losses)" in said
    page = write_page(found)
    assert "The cases that cost most" in page
    assert f">{worst.id}<" in page
