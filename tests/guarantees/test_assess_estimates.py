"""Bounds, feasibility and comparison from estimates alone."""

import json
import math

import numpy as np
import pytest

import scorecast as sc
from scorecast._core.results import result_from_dict
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError
from scorecast.guarantees.bounds import vector_bounds
from scorecast.report import render_text

VALUES = np.array([0.2, 0.25, 0.1, 0.3, 0.15, 0.22, 0.18, 0.27, 0.21, 0.12])


def test_the_interval_of_independent_estimates_is_students():
    answer = sc.assess_estimates({"a": VALUES}, greater_is_better=False)
    loss = answer.models[0].losses[0]
    assert loss.recommended.method == "t"
    assert (loss.low, loss.high) == pytest.approx((0.154008986, 0.245991014))
    assert answer.models[0].verdict is None
    assert answer.comparisons == ()


def test_the_formula_book_of_overlap():
    bounds = vector_bounds(
        VALUES, level=0.95, overlap=1 / 9, rng=np.random.default_rng(0)
    )
    best = next(b for b in bounds if b.is_recommended)
    assert best.method == "delete-d"
    assert best.width / 2 == pytest.approx(0.066823395)


def test_known_losses_need_no_direction():
    answer = sc.assess_estimates(
        {"a": {"accuracy": [0.8, 0.9, 0.7]}, "b": {"accuracy": [0.6, 0.5, 0.7]}}
    )
    assert answer.best.name == "a"
    assert answer.models[0].losses[0].high <= 1
    again = result_from_dict(json.loads(json.dumps(answer.to_dict())))
    assert again.to_dict() == answer.to_dict()


def test_identical_models_do_not_differ():
    answer = sc.assess_estimates({"a": VALUES, "b": VALUES}, greater_is_better=True)
    row = answer.comparisons[0]
    assert row.is_same
    assert row.difference == 0
    # Nothing is claimed: neither certainty by width nor a p-value.
    assert np.isnan([row.low, row.high, row.p, row.p_adjusted]).all()
    assert "no difference observable" in render_text(answer)


def test_differences_that_are_all_the_same_are_no_certainty():
    # 0.1 more each time, but for rounding: the spread is not known, nor is p.
    values = {"a": VALUES + 0.1, "b": VALUES, "c": VALUES**2}
    answer = sc.assess_estimates(values, greater_is_better=True)
    row = answer.comparisons[0]
    assert row.difference == pytest.approx(0.1)
    assert np.isnan([row.low, row.high, row.p, row.p_adjusted]).all()
    assert answer.comparisons[1].p_adjusted == 3 * answer.comparisons[1].p
    assert "nan" not in render_text(answer)
    again = result_from_dict(json.loads(json.dumps(answer.to_dict(), allow_nan=False)))
    assert again.to_dict() == answer.to_dict()


def test_what_is_undefined_is_left_out():
    answer = sc.assess_estimates({"a": [0.1, math.nan, 0.3]}, greater_is_better=True)
    assert answer.models[0].losses[0].estimate == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("given", "kind", "said"),
    [
        ([1, 2], UsageError, "by model"),
        ({}, UsageError, "by model"),
        ({"a": [0.1, 0.2]}, UsageError, "which way 'value' is better"),
        ({"a": {"accuracy": [[0.1]]}}, InvalidInputError, "list of finite numbers"),
        ({"a": {"accuracy": ["x", "y"]}}, InvalidInputError, "must be numbers"),
        ({"a": {"accuracy": [0.1, math.inf]}}, InvalidInputError, "finite numbers"),
        ({"a": {"accuracy": [0.1]}}, InsufficientDataError, "2 at least"),
        (
            {"a": {"accuracy": [0.1, 0.2]}, "b": {"accuracy": [0.1]}},
            InvalidInputError,
            "as many values",
        ),
        (
            {"a": {"accuracy": [0.1, 0.2]}, "b": {"auc": [0.1, 0.3]}},
            InvalidInputError,
            "same losses",
        ),
    ],
)
def test_bad_estimates(given, kind, said):
    with pytest.raises(kind, match=said):
        sc.assess_estimates(given)


def test_repeats_that_agree_leave_width():
    bounds = vector_bounds(
        np.full(8, 1.0), level=0.95, limits=(0, 1), rng=np.random.default_rng(0)
    )
    best = next(b for b in bounds if b.is_recommended)
    assert best.low < 0.7
    assert "agree" in best.note
    free = vector_bounds(np.full(8, 1.0), level=0.95, rng=np.random.default_rng(0))
    assert all(math.isinf(b.low) for b in free)
    assert vector_bounds(np.ones(1), level=0.95, rng=np.random.default_rng(0)) == ()
