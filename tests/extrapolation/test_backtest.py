import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import scorecast as sc
from scorecast.exceptions import InsufficientDataError, UsageError
from scorecast.extrapolation import Backtest, ObservedClasses, Regression, backtest
from scorecast.extrapolation.backtest import summarise_hidings
from scorecast.extrapolation.observed import hide_classes
from scorecast.scores import Scores

OWN = np.arange(120) % 24
SCORES = np.random.default_rng(0).normal(size=(120, 24)) + 2.2 * np.eye(24)[OWN]


def test_methods_are_fitted_anew_and_compared_with_the_truth():
    result = backtest(SCORES, OWN, methods=["gaussian", "polynomial"], n_repeats=6)
    assert [(r.method, r.from_classes) for r in result.rows] == [
        ("gaussian", 12),
        ("polynomial", 12),
        ("gaussian", 6),
        ("polynomial", 6),
    ]
    for row in result.rows:
        assert row.truth == pytest.approx(result.rows[0].truth)
        assert row.rmse >= abs(row.bias)
        assert row.prediction - row.truth == pytest.approx(row.bias)
        assert 0 <= row.coverage <= 1
    gaussian, polynomial = result.rows[:2]
    assert gaussian.rmse < polynomial.rmse
    assert "gaussian" in result.summary()


def test_one_method_with_two_settings_is_two_methods():
    narrow, wide = (Regression(bandwidth=h) for h in (0.3, 2.0))
    given = {"n_repeats": 3, "ratios": [2]}
    both = backtest(SCORES, OWN, methods=[narrow, wide], **given)
    alone = backtest(SCORES, OWN, methods=[narrow], **given)
    assert [row.n_repeats for row in both.rows] == [3, 3]
    assert both.rows[0] == alone.rows[0]
    assert both.rows[1].prediction != both.rows[0].prediction


def test_methods_that_come_equally_close_are_counted():
    faultless = 9 * np.eye(24)[OWN] + SCORES
    result = backtest(faultless, OWN, methods=["spline", "regression"], n_repeats=2)
    assert "spline and 1 more came closest" in result.summary()


@pytest.mark.parametrize(
    ("off", "is_said"), [(0.029, True), (0.031, False)], ids=["near", "far"]
)
def test_methods_that_errors_do_not_tell_apart_are_named(off, is_said):
    result = backtest(SCORES, OWN, methods=["spline", "gaussian"], n_repeats=2)
    first = replace(result.rows[0], rmse=0.02, rmse_stderr=0.003)
    second = replace(result.rows[1], rmse=off, rmse_stderr=0.004)
    found = replace(result, rows=(first, second)).summary()
    assert ("gaussian within two standard errors" in found) == is_said


def test_the_answer_does_not_depend_on_the_number_of_workers():
    one = backtest(SCORES, OWN, methods=["auto", "spline"], n_repeats=3, n_jobs=1)
    two = backtest(SCORES, OWN, methods=["auto", "spline"], n_repeats=3, n_jobs=2)
    assert one.to_dict() == two.to_dict()


def test_back_tests_survive_json():
    result = backtest(SCORES, OWN, methods=["gaussian"], n_repeats=2)
    text = json.dumps(result.to_dict(), allow_nan=False)
    assert Backtest.from_dict(json.loads(text)) == result
    assert result.to_columns()["method"] == ["gaussian", "gaussian"]


def test_hidden_classes_are_gone_as_truth_and_as_competitor():
    evidence = ObservedClasses.of(Scores(SCORES, OWN))
    shown = hide_classes(evidence, 10, np.random.default_rng(0))
    assert shown.n_classes == 10
    assert shown.scores.values.shape == (50, 10)
    again = ObservedClasses.of(shown.scores)
    np.testing.assert_allclose(again.ranks.histogram, shown.ranks.histogram)


def test_hiding_refuses_what_leaves_nothing_to_recognise():
    own = np.zeros(5, dtype=int)
    scores = Scores(np.random.default_rng(0).normal(size=(5, 400)), own)
    with pytest.raises(InsufficientDataError, match="has a sample"):
        hide_classes(ObservedClasses.of(scores), 4, np.random.default_rng(0))
    with pytest.raises(UsageError, match="n_kept"):
        hide_classes(ObservedClasses.of(scores), 1, np.random.default_rng(0))


@pytest.mark.parametrize(
    "options",
    [
        {"ratios": (1,)},
        {"ratios": ()},
        {"n_repeats": 0},
        {"n_repeats": 10**9},
        {"confidence_level": 2},
    ],
)
def test_wrong_arguments_are_refused(options):
    with pytest.raises(UsageError, match=next(iter(options))):
        backtest(SCORES, OWN, **options)


def test_three_classes_are_too_few():
    with pytest.raises(InsufficientDataError, match="too few"):
        backtest(np.eye(3), range(3))


def test_samples_of_one_class_are_refused_as_by_the_forecast():
    own = np.zeros(60, dtype=int)
    for ask in (backtest, partial(sc.extrapolate, to=100)):
        with pytest.raises(InsufficientDataError, match="all samples belong to one"):
            ask(SCORES[:60], own)


def test_no_coverage_comes_with_the_reason():
    kept = OWN < 4
    few = backtest(SCORES[kept][:, :4], OWN[kept], methods=["spline"], n_repeats=2)
    assert {row.coverage for row in few.rows} == {None}
    assert "where some choices showed too few classes" in " ".join(
        sc.render(few).split()
    )
    many = backtest(SCORES, OWN, methods=["spline"], n_repeats=2)
    assert "showed too few" not in sc.render(many)


def test_classes_as_few_as_the_guesses_are_not_forecast_from():
    # With 6 guesses among 6 classes all is right, whatever the scores are.
    result = backtest(SCORES, OWN, methods=["spline"], n_repeats=2, top=6)
    assert {row.from_classes for row in result.rows} == {12}


def test_numbers_of_classes_to_show_stand_beside_ratios():
    scores, own = SCORES, OWN
    asked = {"methods": ["gaussian"], "n_repeats": 3}
    n_classes = scores.shape[1]
    usual = backtest(scores, own, **asked)
    assert [r.from_classes for r in usual.rows] == [n_classes // 2, n_classes // 4]
    shown = backtest(scores, own, n_shown=[5, 9, 5], **asked)
    assert [r.from_classes for r in shown.rows] == [5, 9]
    both = backtest(scores, own, ratios=[2], n_shown=7, **asked)
    assert [r.from_classes for r in both.rows] == [n_classes // 2, 7]
    assert both.rows[0] == usual.rows[0]
    for n_shown in (1, n_classes, 10**6):
        with pytest.raises(UsageError, match=f"fewer than the {n_classes} classes"):
            backtest(scores, own, n_shown=n_shown, **asked)
    with pytest.raises(UsageError, match="more than 5"):
        backtest(scores, own, n_shown=5, top=5, **asked)


def test_the_error_of_an_rmse_is_that_of_leaving_hidings_out():
    rng = np.random.default_rng(0)
    found = rng.normal(0.52, 0.05, size=(12, 3))
    row = summarise_hidings("x", 0.5, found, 20, 10)
    errors = np.round(found[:, 0], 10) - 0.5
    left = [np.sqrt(np.mean(np.delete(errors, i) ** 2)) for i in range(12)]
    expected = np.sqrt(11 / 12 * np.sum((left - np.mean(left)) ** 2))
    assert row.rmse_stderr == pytest.approx(expected, rel=1e-12)
    scores, own = SCORES, OWN
    once = backtest(scores, own, methods=["gaussian"], n_repeats=1)
    assert once.rows[0].rmse_stderr is None
    assert summarise_hidings("x", 0.5, np.full((4, 3), 0.5), 20, 10).rmse_stderr == 0


def test_that_error_is_as_large_as_rmses_vary():
    """Over many sets of hidings, of which the spread is known; half of it is not."""
    rng = np.random.default_rng(1)
    rows = [
        summarise_hidings("x", 0.5, rng.normal(0.53, 0.04, (25, 3)), 20, 10)
        for _ in range(600)
    ]
    spread = np.std([row.rmse for row in rows])
    mean = np.mean([row.rmse_stderr for row in rows])
    assert mean == pytest.approx(spread, rel=0.1)
    assert mean / 2 != pytest.approx(spread, rel=0.1)
