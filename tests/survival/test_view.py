"""How predictions of times are shown: sentences, tables, figures."""

import dataclasses
import html
import itertools
import json

import numpy as np
import pytest

import scorecast as sc
from scorecast.information import Verdict
from scorecast.report.figures import ACCENT_SOFT, NARROW, WIDE, new_figure
from scorecast.report.information import chance_text, decimals
from scorecast.report.survival_figures import (
    baselines_drawing,
    calibration_drawing,
    densities_drawing,
    survival_drawing,
    together_drawing,
)
from scorecast.report.svg import svg_of
from scorecast.report.views import document
from scorecast.survival import (
    Candidate,
    GainStatus,
    HyperparameterChoice,
    SampleCurves,
    SurvivalEvaluation,
    SurvivalExtras,
    SurvivalPredictions,
    WideIntervals,
)

pytest.importorskip("matplotlib", reason="needs the extra [plot]")


def curves(row, scale=1.0):
    """Make the exponential curves of one sample."""
    at = np.geomspace(0.001, 10.0, 50) * scale
    tail = np.exp(-at / scale)
    return SampleCurves(
        row=row, time=float(at[30]), event=bool(row % 2), median=0.69 * scale,
        low=0.05 * scale, high=3.0 * scale, times=at, density=tail / scale,
        survival=tail, survival_low=tail**1.2, survival_high=tail**0.8,
    )  # fmt: skip


@pytest.fixture(scope="module")
def answer():
    """Predict made-up times in days from a marker; a quick look, made up as more."""
    rng = np.random.default_rng(1)
    marker = rng.normal(size=60)
    time = np.exp(6.0 - marker + 0.4 * rng.normal(size=60))
    limit = rng.exponential(2000.0, size=60)
    X = np.column_stack([marker, np.where(np.arange(60) < 7, np.nan, 1.0 * marker**2)])
    found = sc.evaluate_survival(
        sc.SurvivalModel(), X, np.minimum(time, limit), time <= limit, cv=4,
        feature_names=["marker", "age"], baselines=["cox"], quick=True,
        extras=SurvivalExtras(time_unit="days"),
    )  # fmt: skip
    return dataclasses.replace(found, is_quick=False)


def with_gain(answer, place, kind="beyond", **changes):
    rows = list(answer.baselines)
    gain = dataclasses.replace(getattr(rows[place], kind), **changes)
    rows[place] = dataclasses.replace(rows[place], **{kind: gain})
    return dataclasses.replace(answer, baselines=tuple(rows))


def text_of(answer):
    return " ".join(sc.render(answer).split())


# Sentences


def test_every_figure_of_the_headline_has_its_own_verdict(answer):
    curve = "the curve of all cases alike"
    told = with_gain(answer, 0, verdict=Verdict.UNDECIDED).summary()
    first, second = told.split(". Beyond", 1)
    assert first.endswith("better than the prior")
    assert f"); not told apart from {curve} by these cases" in second
    told = with_gain(answer, 0, verdict=answer.information.verdict).summary()
    first, second = told.split(". Beyond", 1)
    assert first.endswith("better than the prior")
    assert f"better than {curve}" in second


def test_a_model_that_does_better_is_named(answer):
    worse = {"median": -0.05, "low": -0.08, "high": -0.02}
    told = with_gain(answer, 1, verdict=Verdict.VERY_PROBABLY_WORSE, **worse).summary()
    assert "this model is very probably worse than Cox's model." in told
    better = with_gain(answer, 1, verdict=Verdict.SURELY_BETTER).summary()
    assert "this model is" not in better


def test_a_withheld_posterior_leaves_the_plain_mean_and_says_why(answer):
    withheld = {"median": np.nan, "verdict": None, "reasons": ("R-hat 2",),
                "status": GainStatus.NOT_CONVERGED}  # fmt: skip
    told = with_gain(answer, 0, **withheld)
    assert "(plain mean)." in told.summary()
    said = text_of(told)
    assert "What the model knows beyond the curve of all cases alike cannot" in said
    assert "n/a: could not be said, see the notes" in said
    both = text_of(with_gain(told, 0, "gained", **withheld))
    assert "alike, or the curve of all cases alike beyond the prior, cannot" in both
    assert "plain mean: without a posterior, see the notes" in both
    alone = text_of(with_gain(answer, 0, "gained", **withheld))
    assert "What the curve of all cases alike knows beyond the prior cannot" in alone


def test_views_that_disagree_give_no_chance(answer):
    told = answer.information
    first = told.posterior.views[0]

    def split(*chances):
        views = [dataclasses.replace(first, probability_positive=c) for c in chances]
        posterior = dataclasses.replace(
            told.posterior, views=tuple(views), centre=first.tails,
            probability_positive=0.5,
        )  # fmt: skip
        own = dataclasses.replace(told, posterior=posterior)
        return dataclasses.replace(answer, information=own)

    words = "cannot be told: the views of the tails disagree (2 % to 76 %)"
    assert words in text_of(split(0.755, 0.021, 0.51))
    assert chance_text(split(0.6, 0.9).information.posterior) == "50.0 %"


def test_few_events_are_not_judged_by(answer):
    assert "its standard error, of" in text_of(answer)
    said = text_of(dataclasses.replace(answer, n_events=2))
    assert said.count("too few events to judge (2 events; at least 10 are needed)") == 2
    assert "its standard error" not in said
    none = dataclasses.replace(answer.calibration, n_free=0, p_value=1.0)
    said = text_of(dataclasses.replace(answer, calibration=none))
    assert "too few events in any tenth of it to judge" in said


def test_wide_intervals_are_accounted_for(answer):
    def said(**facts):
        given = {"n_wide": 60, "rows": (1, 2), "n_rare": 0, "rare_covariates": (),
                 "n_unseen": 0}  # fmt: skip
        wide = WideIntervals(**(given | facts))
        return text_of(dataclasses.replace(answer, wide=wide))

    some = said(n_rare=4, rare_covariates=("age",), n_unseen=6)
    assert "60 of 60 cases (rows 1, 2, ...) get a 95 % interval" in some
    assert "4 of them have a value that few cases have, of 'age' (" in some
    assert "6 of the others end beyond the longest follow-up" in some
    assert "too little is known of cases like the other 50." in some
    assert "; the others end beyond" in said(n_rare=4, n_unseen=56)
    assert ": all of them end beyond the longest follow-up" in said(n_unseen=60)
    one = said(n_wide=1, rows=(11,))
    assert "1 of 60 cases (row 11) gets" in one
    assert "too little is known of cases like these." in one


def test_new_cases_beyond_all_others_are_named(answer):
    new = SurvivalPredictions(
        median=np.array([3.0, 9e9]), low=np.ones(2), high=np.full(2, np.inf),
        confidence_level=0.95, at=(2.0,), survival=np.full((2, 1), 0.4), n_learned=60,
        n_far=1, far_rows=(2,), far_covariates=("age",),
    )  # fmt: skip
    said = text_of(dataclasses.replace(answer, predictions=new))
    assert "1 of 2 new cases (row 2) lies beyond all cases" in said
    assert "after 2" in said
    assert "beyond the longest follow-up, where the model alone decides" in said


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ((("a", -11.0, 0.1), ("as printed", -14.0, 0.1)),
         "Of 2 sets of hyperparameters, a foretells the data best (log evidence -11.0 "
         "± 0.1 nats), 3.0 ± 0.1 nats ahead of the paper's hyperparameters."),
        ((("as printed", -11.0, 1.0), ("b", -14.0, 1.0)),
         "best: the paper's hyperparameters (log evidence -11.0 ± 1.0 nats) are 3.0 "
         "± 1.4 nats ahead of b, less than three errors."),
        ((("a", -11.0, 1.0),), "The hyperparameters a have log evidence -11.0"),
    ],
)  # fmt: skip
def test_the_choice_is_said_with_its_error(answer, rows, words):
    found = HyperparameterChoice(candidates=tuple(
        Candidate(name=name, settings={}, log_evidence=value, stderr=error,
                  correction=0.0)
        for name, value, error in rows
    ))  # fmt: skip
    told = dataclasses.replace(answer, choice=found)
    assert words in text_of(told)
    assert words in html.unescape(sc.render(told, "html"))


def test_times_have_units_commas_and_an_end_of_follow_up(answer):
    longest = dataclasses.replace(answer.follow_up, longest=6300.0)
    told = dataclasses.replace(
        answer, follow_up=longest, curves=(curves(1, 1000.0), curves(2, 9500.0))
    )
    page, text = sc.render(told, "html"), text_of(told)
    assert "time (days)" in svg_of(densities_drawing(told), name="a")
    assert "e+03" not in page
    assert "beyond the longest follow-up (6,300)" in page
    assert "at most 6,300 days" in text
    assert "2 covariates: marker, age" in text
    assert "age in 7" in text
    assert "Brier score up to" in text


def test_an_answer_survives_json(answer):
    told = dataclasses.replace(answer, curves=(curves(1), curves(2)))
    again = SurvivalEvaluation.from_dict(json.loads(json.dumps(told.to_dict())))
    assert again.to_dict() == told.to_dict()
    assert sc.render(again, "html") == sc.render(told, "html")
    assert again.summary() == told.summary()
    assert "array(" not in repr(again)


# Figures


def at_width(drawing, width=WIDE):
    """Return figure and axes as the page draws them."""
    figure, axes = new_figure(drawing, width)
    drawing.draw(axes)
    figure.canvas.draw()
    return figure, axes


def with_curves(answer, *shown):
    return dataclasses.replace(answer, curves=tuple(shown), time_unit="")


def test_samples_are_drawn_up_to_a_stated_number(answer):
    found = with_curves(answer, *map(curves, range(1, 6)))
    _, axes = at_width(densities_drawing(found))
    lines = [line for line in axes.lines if len(line.get_xdata()) > 2]
    assert len(lines) == 5
    assert len({(line.get_color(), str(line.get_linestyle()) + str(line._dash_pattern))
                for line in lines}) == 5  # fmt: skip
    marks = [line for line in axes.lines if line.get_marker() == "o"]
    assert not any(mark.get_clip_on() for mark in marks)
    assert "more stand in the table" not in sc.render(found, "html")
    page = sc.render(with_curves(answer, *map(curves, range(1, 10))), "html")
    assert "The first 6 are drawn; 3 more stand in the table." in page
    assert "case 9" in page


def test_times_over_decades_get_a_logarithmic_scale(answer):
    near = with_curves(answer, curves(1), curves(2, 1.2))
    _, axes = at_width(densities_drawing(near))
    assert (axes.get_xscale(), axes.get_xlim()[0]) == ("linear", 0.0)
    far = with_curves(answer, curves(1), curves(2, 1000.0))
    _, densities = at_width(densities_drawing(far))
    panels = at_width(survival_drawing(far))[1].child_axes
    assert len(panels) == 2
    for axes in (densities, *panels):
        assert axes.get_xscale() == "log"
        assert axes.get_xlim()[0] < 0.05
        assert axes.get_xlim()[1] > 3000.0
    # Per unit of log time both curves are equally high, and both can be seen.
    lines = [line for line in densities.lines if len(line.get_xdata()) > 2]
    heights = [max(line.get_ydata()) for line in lines]
    assert heights[0] == pytest.approx(heights[1], rel=1e-6)
    assert "logarithmic scale" in sc.render(far, "html")


def label_box(axes):
    """Return where the label of the axis of time stands, once it is laid out."""
    axes.xaxis.get_tightbbox()
    return axes.xaxis.label.get_window_extent()


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("n", [1, 3, 6])
def test_names_of_lines_stand_above_the_axes_and_within_the_figure(answer, width, n):
    found = with_curves(answer, *(curves(100 + i) for i in range(n)))
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
def test_every_sample_has_a_panel_with_one_band(answer, width):
    from matplotlib.colors import to_rgba

    found = with_curves(answer, *map(curves, range(1, 6)))
    figure, axes = at_width(survival_drawing(found), width)
    panels = axes.child_axes
    assert len(panels) == 5
    for i, panel in enumerate(panels):
        (band,) = panel.collections
        assert band.get_facecolor()[0] == pytest.approx(to_rgba(ACCENT_SOFT))
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


def test_the_end_of_follow_up_is_drawn_where_it_falls_on_the_figure(answer):
    def ending(longest):
        seen = dataclasses.replace(answer.follow_up, longest=longest)
        return dataclasses.replace(
            with_curves(answer, curves(1, 1000.0)), follow_up=seen
        )

    for make in (densities_drawing, survival_drawing):
        assert "longest follow-up" in svg_of(make(ending(1900.0)), name="c")
    assert "longest follow-up" not in svg_of(survival_drawing(ending(1e6)), name="d")


def test_decades_are_named_where_there_is_room(answer):
    shown = (curves(1, 1e-4), curves(2, 1e6), curves(3), curves(4))
    far = with_curves(answer, *shown)
    for width in (WIDE, NARROW):
        _, axes = at_width(survival_drawing(far), width)
        assert len(axes.child_axes) == 4
        for panel in axes.child_axes:
            boxes = [x.get_window_extent() for x in panel.get_xticklabels()]
            assert len(boxes) >= 2
            assert all(a.x1 < b.x0 for a, b in itertools.pairwise(boxes))


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_numbers_at_risk_stand_below_the_curve(answer, width):
    figure, axes = at_width(together_drawing(answer), width)
    texts = {text.get_text(): text for text in axes.texts}
    counts = [t for t in axes.texts if t.get_text().isdigit()]
    at_risk = [int((answer.samples.time >= x).sum()) for x in axes.get_xticks()]
    assert [int(t.get_text()) for t in counts] == at_risk
    assert counts[0].get_text() == "60"
    label = label_box(axes)
    for text in (*counts, texts["cases still waiting and followed (at risk)"]):
        box = text.get_window_extent()
        assert box.y1 <= label.y0
        assert box.y0 >= figure.bbox.y0
        assert box.x1 <= figure.bbox.x1


def test_a_baseline_without_an_answer_keeps_its_row(answer):
    nothing = {"median": np.nan, "low": np.nan, "high": np.nan}
    told = with_gain(with_gain(answer, 0, **nothing), 1, **nothing)
    drawing = baselines_drawing(told)
    _, axes = at_width(drawing)
    texts = [text.get_text() for text in axes.texts]
    assert "Cox's model" in texts
    assert "n/a" in texts
    dots = [line for line in axes.lines if line.get_marker() == "o"]
    assert not any(np.isfinite(line.get_xdata()).any() for line in dots)
    assert drawing.description.endswith("Cox's model: n/a")
    assert "Beside models that readers know" not in sc.render(told, "html")


def test_the_figure_of_baselines_has_the_digits_of_the_table(answer):
    told = with_gain(answer, 1, median=-0.0684, low=-0.1, high=0.2)
    number = f"\N{MINUS SIGN}{0.0684:.{decimals(told.information)}f}"
    assert f">{number}<" in svg_of(baselines_drawing(told), name="f")


@pytest.mark.parametrize(
    ("top", "names"),
    [
        (0.13, ["0", "5 %", "10 %"]),
        (0.3, ["0", "10 %", "20 %", "30 %"]),
        (0.9, ["0", "10 %", "20 %", "40 %", "60 %", "80 %"]),
    ],
)
def test_bars_of_calibration_can_be_read(answer, top, names):
    shares = (top, *[(1 - top) / 9] * 9)
    even = dataclasses.replace(answer.calibration, shares=shares)
    found = dataclasses.replace(answer, calibration=even)
    _, axes = at_width(calibration_drawing(found))
    assert [label.get_text() for label in axes.get_yticklabels()] == names
    assert axes.get_ylim()[1] <= 1.1 * top


def test_one_curve_for_all_has_no_concordance(answer):
    (table,) = document(answer).sections[0].tables
    by_name = {row[0]: row for row in table.rows}
    assert by_name["curve of all cases"][3] == ""
    assert "\N{PLUS-MINUS SIGN}" in by_name["Cox's model"][3]
