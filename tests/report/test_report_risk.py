"""The page and the lines about costs."""

import numpy as np
import pytest

import scorecast as sc
from scorecast.report import render
from scorecast.report.extrapolation_figures import risk_drawing
from scorecast.report.figures import draw_on


@pytest.fixture(scope="module")
def forecast():
    own = np.arange(60) % 12
    scores = np.random.default_rng(0).normal(size=(60, 12)) + 1.5 * np.eye(12)[own]
    cost = np.abs(np.subtract.outer(np.arange(12.0), np.arange(12.0)))
    return sc.extrapolate(scores, own, cost=cost, to=[130, 40], method="gaussian")


def test_forecasts_are_joined_to_the_curve_and_are_ticks(forecast):
    axes = draw_on(risk_drawing(forecast.observed, "costs", forecast))
    names = [tick.get_text() for tick in axes.get_xticklabels()]
    assert {"12", "40", "130"} <= set(names)
    joined = [line for line in axes.get_lines() if line.get_linestyle() == "--"]
    assert [line.get_xdata().tolist() for line in joined] == [[12, 40, 130]]
    near, far = sorted(forecast.predictions, key=lambda p: p.classes)
    wanted = [forecast.observed.risk[-1], near.risk, far.risk]
    assert joined[0].get_ydata().tolist() == pytest.approx(wanted)


def test_page_and_terminal_say_how_the_backtest_of_costs_went(forecast):
    said = " ".join(render(forecast).split())
    assert "Back-test 6 \N{RIGHTWARDS ARROW} 12 classes: off by" in said
    assert "where a decision costs 1.88" in render(forecast, "html")
