"""Units, follow-up and names on the page about predicted times."""

import dataclasses

import numpy as np
import pytest

import scorecast as sc
from scorecast._core.results import result_from_dict
from scorecast.information import PosteriorSettings
from scorecast.mixtures import Sampling
from scorecast.recurrence import (
    CaseCurves,
    Evaluation,
    Predictions,
    RivalRow,
    recurrence_of,
)
from scorecast.recurrence.told import decimals
from scorecast.report import render_text, report as write_page
from scorecast.report.recurrence_plots import (
    calibration_drawing,
    densities_drawing,
    rivals_drawing,
    survival_drawing,
    together_drawing,
)
from scorecast.report.recurrence_views import _table_said
from scorecast.report.svg import svg_of


def case(number, median):
    at = np.linspace(20.0, 9000.0, 60)
    tail = np.exp(-at / median)
    return CaseCurves(
        name=f"case {number}", time=2000.0, event=True, median=median,
        low=0.4 * median, high=2740.4, times=tuple(at), density=tuple(tail / median),
        survival=tuple(tail), survival_low=tuple(tail**1.2),
        survival_high=tuple(tail**0.8), level=0.8,
    )  # fmt: skip


@pytest.fixture(scope="module")
def answer():
    """Days of follow-up; a case whose median nobody lived to see."""
    rng = np.random.default_rng(1)
    time = np.minimum(rng.exponential(1500.0, size=40) + 1.0, 5000.0)
    time[0] = 6300.0
    event = np.arange(40) % 3 > 0
    at = np.linspace(100.0, 3000.0, 12)
    log = np.where(event, -np.log(1500.0), 0.0) - time / 1500.0
    said = Predictions(
        log + 0.1 * rng.normal(size=40),
        np.exp(-time / 1500.0),
        np.tile(np.exp(-at / 1500.0), (40, 1)),
    )
    plain = dataclasses.replace(said, log_known=log)
    found = Evaluation(
        time=time, event=event, times=at, prior="exponential", failures={}, seed=0,
        predictions={"model": said, "prior": plain, "curve": plain, "cox": plain},
        folds=(np.arange(40) % 4)[None],
        diagnostics={"n_fits": 4, "n_unconverged": 4, "passed": False,
                     "rhat": float("nan"), "ess": 9.0, "n_chains": 2, "n_draws": 20},
    )  # fmt: skip
    tiny = Sampling(n_chains=2, n_warmup=80, n_draws=80, n_extensions=0)
    worth = sc.apparent_information(
        found.log_q,
        found.log_p,
        settings=PosteriorSettings(sampling=tiny, allow_unconverged=True),
    )
    return recurrence_of(
        found,
        worth,
        curves=[case(1, 1000.0), case(2, 8000.0)],
        covariates=["age"],
        missing={"age": 7},
        time_unit="days",
    )


def page_of(answer):
    return " ".join(write_page(answer).replace("\N{WORD JOINER}", "").split())


def test_times_have_units_commas_and_an_end_of_follow_up(answer):
    page, text = page_of(answer), " ".join(render_text(answer).split())
    assert "time (days)" in svg_of(densities_drawing(answer), name="a")
    assert "2,740" in page
    assert "e+03" not in page
    assert "beyond the longest follow-up (6,300)" in page
    assert "at most 6,300 days" in text
    assert result_from_dict(answer.to_dict()).follow_up == answer.follow_up


def test_the_end_of_follow_up_is_drawn_where_it_falls_on_the_figure(answer):
    short = dataclasses.replace(
        answer, follow_up=dataclasses.replace(answer.follow_up, longest=1900.0)
    )
    for make in (densities_drawing, survival_drawing):
        assert "longest follow-up" in svg_of(make(short), name="c")
    far = dataclasses.replace(
        answer, follow_up=dataclasses.replace(answer.follow_up, longest=1e6)
    )
    assert "longest follow-up" not in svg_of(survival_drawing(far), name="d")


def test_levels_horizons_and_symbols_are_named(answer):
    page, text = page_of(answer), " ".join(render_text(answer).split())
    assert "80 % interval, days" in page.replace("\N{NO-BREAK SPACE}", " ")
    assert "Brier score up to 3,000 days" in text or "Brier score up to 2," in text
    assert "its standard error" in text
    assert "J being the mean information per case" in text
    assert "Information j of every case" in page
    assert "areas under a curve are probabilities" in page


def test_words_fit_their_numbers(answer):
    text = " ".join(render_text(answer).split())
    assert "1 covariate: age" in text
    assert "age in 7" in text
    assert "mean of the training cases" in text
    assert "median" in text.split("Followed")[1].split("From")[0]
    assert "honestly" not in text
    assert "nan" not in text.lower().split()
    assert "worst R-hat not known" in text


def test_one_name_per_rival_in_figure_and_table(answer):
    row = answer.comparison[-1]
    told = dataclasses.replace(row, beyond=0.1, low=0.0, high=0.2)
    assert isinstance(told, RivalRow)
    named = dataclasses.replace(answer, comparison=(told,))
    assert "Cox's model" in rivals_drawing(named).description
    assert "Cox's model" in render_text(named)
    assert "Brier" in _table_said(named)


def test_the_figure_of_rivals_has_the_digits_and_the_minus_of_the_table(answer):
    row = dataclasses.replace(answer.comparison[-1], beyond=-0.0684, low=-0.1, high=0.2)
    told = dataclasses.replace(answer, comparison=(row,))
    digits = decimals(told.information)
    number = f"\N{MINUS SIGN}{0.0684:.{digits}f}"
    assert f">{number}<" in svg_of(rivals_drawing(told), name="f")
    page = page_of(told).replace("\N{NO-BREAK SPACE}", " ")
    assert f"{number} (\N{MINUS SIGN}{0.1:.{digits}f} to {0.2:.{digits}f})" in page
    assert f"-{0.0684:.{digits}f} (-" in render_text(told)


def test_all_cases_together_are_drawn_against_kaplan_meier(answer):
    assert "seen (Kaplan-Meier)" in svg_of(together_drawing(answer), name="e")
    assert "All cases together" in page_of(answer)
    seen = answer.follow_up
    assert seen.predicted == pytest.approx(np.exp(-np.array(seen.times) / 1500.0))
    assert all(np.diff(seen.observed) <= 0)


def test_calibration_bars_fill_their_figure(answer):
    from scorecast.report.figures import new_figure

    drawing = calibration_drawing(answer)
    _, axes = new_figure(drawing)
    drawing.draw(axes)
    top = max(0.1, max(answer.calibration.shares))
    assert axes.get_ylim()[1] <= 1.1 * top


def test_narrow_screens_stack_the_rows_of_the_main_table(answer):
    page = write_page(answer)
    assert '<table class="stacked">' in page
    assert 'data-name="bits beyond prior"' in page
    assert ".stacked thead { display: none; }" in page


def test_one_curve_for_all_has_no_concordance(answer):
    line = next(
        x for x in render_text(answer).splitlines() if "curve of all cases " in x
    )
    assert "\N{PLUS-MINUS SIGN}" not in line
