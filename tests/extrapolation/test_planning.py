"""How many classes to test for a forecast: widths as they come out, what is refused."""

import json

import numpy as np
import pytest

import scorecast as sc
from scorecast.exceptions import UsageError
from scorecast.extrapolation import RequiredClasses, planning
from scorecast.scores import probit_moments

pytestmark = pytest.mark.filterwarnings("ignore::scorecast.exceptions.ResultWarning")

QUICK = {"method": "gaussian", "n_repeats": 3}


def drawn(n_classes, *, accuracy, to, rng, spread=0.95):
    """Draw scores of a recogniser that has an accuracy among so many classes."""
    mean = planning._mean_for(accuracy, spread, to)
    values = rng.standard_normal((n_classes, n_classes))
    at = np.arange(n_classes)
    values[at, at] = mean + spread * rng.standard_normal(n_classes)
    return values


def test_a_recogniser_is_drawn_as_good_as_it_is_expected_to_be():
    for accuracy, spread, to in ((0.9, 0.95, 10_000), (0.2, 1.5, 50), (0.999, 0.5, 10)):
        mean = planning._mean_for(accuracy, spread, to)
        found = probit_moments(np.array([to]), np.array([mean]), np.array([spread]))
        assert np.ravel(found)[0] == pytest.approx(accuracy, abs=1e-6)


def test_a_smaller_margin_needs_more_classes_and_more_examples_fewer():
    plans = [
        sc.required_classes(0.8, to=1000, margin=margin, **QUICK).n_classes
        for margin in (0.2, 0.15, 0.1)
    ]
    assert plans == sorted(plans)
    assert plans[0] < plans[-1]
    each = sc.required_classes(
        0.8, to=1000, margin=0.1, samples_per_class=6, correlation=0.0, **QUICK
    )
    assert each.n_classes < plans[-1]
    assert each.n_samples == 6 * each.n_classes


def test_what_is_out_of_reach_means_all_classes():
    plan = sc.required_classes(0.8, to=40, margin=0.001, **QUICK)
    assert plan.is_all
    assert plan.n_classes == 40
    assert "test all of them" in plan.summary()


def test_a_pilot_says_how_good_the_recogniser_is():
    rng = np.random.default_rng(1)
    values = drawn(80, accuracy=0.8, to=1000, rng=rng)
    pilot = sc.Scores(values, range(80))
    plan = sc.required_classes(pilot, to=1000, margin=0.15, **QUICK)
    expected = sc.extrapolate(pilot, to=1000, method="bayesian", backtest=0)
    assert plan.has_pilot
    assert plan.accuracy == expected.predictions[0].accuracy
    assert plan.spread == expected.parameters["sd"]
    assert "as in the pilot" in " ".join(sc.render(plan).split())


def test_a_plan_survives_json_and_is_shown():
    plan = sc.required_classes(0.9, to=500, margin=0.15, **QUICK)
    again = RequiredClasses.from_dict(json.loads(json.dumps(plan.to_dict())))
    assert again.to_dict() == plan.to_dict()
    assert plan.reached == pytest.approx(plan.reached_with(plan.n_classes))
    assert plan.reached <= 0.151
    assert f"Test {plan.n_classes} classes, one example of each" in plan.summary()
    assert "<svg" in sc.render(plan, "html")
    assert set(plan.to_columns()) == {"n_classes", "half_width", "stderr", "rmse"}
    same = sc.required_classes(0.9, to=500, margin=0.15, **QUICK)
    assert same.to_dict() == plan.to_dict()


@pytest.mark.parametrize(
    ("call", "parameter"),
    [
        ({"to": 1000}, "accuracy"),
        ({"accuracy": 1.0, "to": 1000}, "accuracy"),
        ({"accuracy": 90, "to": 1000}, "accuracy"),
        ({"accuracy": 0.9, "to": 5}, "to"),
        ({"accuracy": 0.9, "to": 1000, "margin": 5}, "margin"),
        ({"accuracy": 0.9, "to": 1000, "samples_per_class": 0}, "samples_per_class"),
        ({"accuracy": 0.9, "to": 1000, "spread": -1.0}, "spread"),
        ({"accuracy": 0.9, "to": 1000, "correlation": 2}, "correlation"),
        ({"accuracy": 0.9, "to": 1000, "method": "none"}, "method"),
    ],
)
def test_what_is_no_plan_is_refused(call, parameter):
    with pytest.raises(UsageError) as caught:
        sc.required_classes(**call)
    assert caught.value.parameter == parameter


def test_what_was_not_tried_out_is_round_everywhere():
    plan = sc.required_classes(0.9, to=10**5, margin=0.02, method="gaussian")
    assert not plan.is_tried
    assert plan.n_classes == float(f"{plan.n_classes:.2g}")
    shown = sc.render(plan)
    assert shown.count(f"{plan.n_classes:,}") >= 2  # headline and table


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize(("accuracy", "to"), [(0.9, 1000), (0.6, 3000)])
def test_forecasts_from_so_many_classes_are_as_sure_as_planned(accuracy, to):
    """Fresh data, at the planned number and at a third of it, which is not enough."""
    margin = 0.08
    plan = sc.required_classes(accuracy, to=to, margin=margin)
    assert not plan.is_all
    found = {}
    for n_classes in (plan.n_classes, plan.n_classes // 3):
        rows = []
        for seed in range(30):
            rng = np.random.default_rng((seed, 99))
            values = drawn(n_classes, accuracy=accuracy, to=to, rng=rng)
            (p,) = sc.extrapolate(
                values, range(n_classes), to=to, backtest=0, compare=False
            ).predictions
            rows.append([(p.high - p.low) / 2, abs(p.accuracy - accuracy)])
        found[n_classes] = np.array(rows)
    enough, few = found.values()
    assert enough[:, 0].mean() == pytest.approx(margin, rel=0.15)
    assert (enough[:, 1] <= margin).mean() >= 0.9
    # The same must fail with a third of the classes.
    assert few[:, 0].mean() > 1.3 * margin
