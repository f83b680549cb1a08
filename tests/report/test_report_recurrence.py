"""The page about predicted times: which cases are drawn, and on what scale."""

import warnings

import numpy as np
import pytest

import scorecast as sc
from scorecast.mixtures import Sampling
from scorecast.recurrence import CaseCurves, Evaluation, Predictions, recurrence_of
from scorecast.report.recurrence_plots import densities_drawing, survival_drawing


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
            found.log_q, found.log_p, units="bits", allow_unconverged=True,
            sampling=Sampling(n_chains=1, n_warmup=20, n_draws=20,
                                          n_extensions=0),
        )  # fmt: skip
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
    lines = [line for line in axes.lines if len(line.get_xdata()) > 1]
    assert len(lines) == 5
    assert len({(line.get_color(), str(line.get_linestyle()) + str(line._dash_pattern))
                for line in lines}) == 5  # fmt: skip
    assert "more stand in the table" not in sc.report(found)
    page = sc.report(answer(curves=[curves(i) for i in range(9)]))
    assert "The first 6 are drawn; 3 more stand in the table." in page
    assert "case 8" in page


def test_times_over_decades_get_a_logarithmic_scale(answer):
    near = answer(curves=[curves(1), curves(2, 1.2)])
    assert drawn(densities_drawing(near)).get_xscale() == "linear"
    assert drawn(densities_drawing(near)).get_xlim()[0] == 0.0
    far = answer(curves=[curves(1), curves(2, 1000.0)])
    for draw in (densities_drawing, survival_drawing):
        axes = drawn(draw(far))
        assert axes.get_xscale() == "log"
        assert axes.get_xlim()[0] < 0.05
        assert axes.get_xlim()[1] > 3000.0
    # Per unit of log time both curves are equally high, and both can be seen.
    heights = [max(line.get_ydata()) for line in drawn(densities_drawing(far)).lines
               if len(line.get_xdata()) > 1]  # fmt: skip
    assert heights[0] == pytest.approx(heights[1], rel=1e-6)
    assert "logarithmic scale" in sc.report(far)
