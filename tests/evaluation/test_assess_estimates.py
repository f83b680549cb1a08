"""Intervals, tests and comparison from estimates alone."""

import json
import math

import numpy as np
import pytest
from tests.snapshot import assert_snapshot, page_text

from scorecast.evaluation import Choice, EstimateAssessment, assess_estimates
from scorecast.evaluation.intervals import vector_intervals
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError
from scorecast.report import render

VALUES = np.array([0.2, 0.25, 0.1, 0.3, 0.15, 0.22, 0.18, 0.27, 0.21, 0.12])
RNG = np.random.default_rng


def quoted(intervals):
    return next(x for x in intervals if x.is_recommended)


def test_the_interval_of_independent_estimates_is_students():
    found = assess_estimates({"a": VALUES}, greater_is_better=False)
    main = found.models["a"].main
    assert main.recommended.method == "t"
    assert main.recommended.choice is Choice.INDEPENDENT
    assert (main.low, main.high) == pytest.approx((0.154008986, 0.245991014))
    assert found.models["a"].null_tests is None
    assert found.comparisons == ()


def test_the_formula_book_of_overlap():
    best = quoted(vector_intervals(VALUES, level=0.95, overlap=1 / 9, rng=RNG(0)))
    assert best.method == "delete-d"
    assert best.width / 2 == pytest.approx(0.066823395)


def test_known_metrics_need_no_direction():
    found = assess_estimates(
        {"a": {"accuracy": [0.8, 0.9, 0.7]}, "b": {"accuracy": [0.6, 0.5, 0.7]}}
    )
    assert found.best == "a"
    assert found.models["a"].main.high <= 1
    again = EstimateAssessment.from_dict(json.loads(json.dumps(found.to_dict())))
    assert again.to_dict() == found.to_dict()


def test_identical_models_do_not_differ():
    found = assess_estimates({"a": VALUES, "b": VALUES}, greater_is_better=True)
    (row,) = found.comparisons
    assert row.is_same
    assert row.difference == 0
    # Nothing is claimed: neither certainty by width nor a p-value.
    assert np.isnan([row.low, row.high, row.p_value, row.p_adjusted]).all()
    assert "nan" not in str(found)


def test_differences_that_are_all_the_same_are_no_certainty():
    # 0.1 more each time, but for rounding: the spread is not known, nor is p.
    values = {"a": VALUES + 0.1, "b": VALUES, "c": VALUES**2}
    found = assess_estimates(values, greater_is_better=True)
    row, other, _ = found.comparisons
    assert row.difference == pytest.approx(0.1)
    assert np.isnan([row.low, row.high, row.p_value, row.p_adjusted]).all()
    assert other.p_adjusted == 3 * other.p_value
    again = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert EstimateAssessment.from_dict(again).to_dict() == found.to_dict()


def test_null_settings_are_judged_as_those_of_models_are():
    nulls = {"chance": {"a": VALUES - 0.1, "b": VALUES}}
    found = assess_estimates(
        {"a": VALUES, "b": VALUES + RNG(0).normal(0, 0.1, 10)},
        greater_is_better=True,
        nulls=nulls,
    )
    sure, unsure = found.models.values()
    assert sure.null_tests.verdict == "feasible"
    assert sure.null_tests.tests["chance"].is_sign_test
    assert sure.null_tests.tests["chance"].p_t == pytest.approx(0.5**10)
    assert unsure.null_tests.verdict == "not-supported"
    assert_snapshot("estimate_assessment", str(found))
    assert_snapshot("estimate_assessment_page", page_text(render(found, "html")))


def test_what_is_undefined_is_left_out():
    found = assess_estimates({"a": [0.1, math.nan, 0.3]}, greater_is_better=True)
    assert found.models["a"].main.estimate == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("given", "kind", "said"),
    [
        ([1, 2], UsageError, "by model"),
        ({}, UsageError, "by model"),
        ({"a": [0.1, 0.2]}, UsageError, "which way 'value' is better"),
        ({"a": {"accuracy": [[0.1]]}}, InvalidInputError, "list of finite numbers"),
        ({"a": {"accuracy": ["x", "y"]}}, InvalidInputError, "must be numbers"),
        ({"a": {"accuracy": [0.1, math.inf]}}, InvalidInputError, "finite numbers"),
        ({"a": {"accuracy": [0.1]}}, InsufficientDataError, "1 value"),
        (
            {"a": {"accuracy": [0.1, 0.2]}, "b": {"accuracy": [0.1]}},
            InvalidInputError,
            "as many values",
        ),
        (
            {"a": {"accuracy": [0.1, 0.2]}, "b": {"roc_auc": [0.1, 0.3]}},
            InvalidInputError,
            "same metrics",
        ),
    ],
)
def test_bad_estimates(given, kind, said):
    with pytest.raises(kind, match=said):
        assess_estimates(given)


def test_repeats_that_agree_leave_width():
    same = np.full(8, 1.0)
    best = quoted(vector_intervals(same, level=0.95, limits=(0, 1), rng=RNG(0)))
    assert best.low < 0.7
    assert (best.choice, best.n_effective) == (Choice.ALL_AGREE, 8)
    assert set(best.zero_width) == {"normal", "t", "percentile", "bca"}
    free = vector_intervals(same, level=0.95, rng=RNG(0))
    assert all(math.isinf(x.low) for x in free)
    assert vector_intervals(np.ones(1), level=0.95, rng=RNG(0)) == ()
