"""How curves, selections, spaces and sizes are shown, alone and in an assessment."""

import functools
import json
import math

import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest
from sklearn.naive_bayes import GaussianNB

import scorecast as sc
from scorecast._core.results import result_from_dict
from scorecast.guarantees import (
    learning_curve_fit,
    rough_size,
    selected_features,
    selection_bias,
)
from scorecast.report import main_drawing, render_html, render_text
from scorecast.report.figures import NARROW, WIDE
from scorecast.report.html import Report
from scorecast.report.svg import svg_of

pytest.importorskip("matplotlib", reason="needs the extra [plot]")

QUICK = {"n_permutations": 0, "with_bias_variance": False, "n_resamples": 0,
         "sampling": "cv4"}  # fmt: skip
SIZES = [10, 20, 40, 80]


def data(numbers=False):
    rng = np.random.default_rng(0)
    y = np.arange(48) % 2
    X = rng.normal(size=(48, 12))
    X[:, 0] += y
    return (X, X[:, 0]) if numbers else (X, np.array(["</b>", "$x$"])[y])


@functools.cache
def results():
    """One of every kind, made once."""
    X, y = data()
    rising = [[0.6, 0.65], [0.7, 0.68], [0.75, 0.77], [0.8, 0.79]]
    return {
        "curve": learning_curve_fit(
            SIZES, rising, target=0.85, loss="accuracy", n_cases=100, random_state=0
        ),
        "flat": learning_curve_fit(SIZES, [0.5] * 4, target=0.9, random_state=0),
        "errors": learning_curve_fit(
            SIZES, [9.0, 7.0, 6.0, 5.5], greater_is_better=False, loss="rmse",
            over="features", random_state=0,
        ),
        "features": selected_features(
            X, y, 5, n_permutations=19, names=[f"<i>{i}" for i in range(12)],
            random_state=0,
        ),
        "bias": selection_bias(SelectKBest(k=2), GaussianNB(), X, y, random_state=0),
    }  # fmt: skip


KINDS = ("curve", "flat", "errors", "features", "bias")


@pytest.mark.parametrize("kind", KINDS)
def test_every_result_is_written_drawn_and_laid_out(kind):
    result = results()[kind]
    text = render_text(result, ascii_only=True)
    assert text.isascii()
    assert all(len(line) <= 88 for line in text.splitlines())
    assert "nan" not in text
    for width in (WIDE, NARROW):
        assert "<svg" in svg_of(main_drawing(result), name="x", width=width)
    page = render_html(Report(results=(result,)))
    assert "<svg" in page
    assert "<i>" not in page
    assert ">nan<" not in page
    saved = result_from_dict(json.loads(json.dumps(result.to_dict())))
    assert render_html(Report(results=(saved,))) == page


def test_a_curve_says_what_is_needed_in_words_and_in_the_figure():
    fit = results()["curve"]
    needed = rough_size(fit.needed_for(0.85))
    assert f"For 85 % about {needed} cases are needed" in render_text(fit)
    assert "Split" in render_text(fit)
    assert f"{needed}: 85" in svg_of(main_drawing(fit), name="x", width=WIDE)
    assert "Split" not in render_text(results()["flat"])


@pytest.fixture(scope="module")
def answer():
    """An assessment with everything."""
    return sc.assess(
        ["naive-bayes", "nearest-centroid"], *data(), learning_curve=True,
        feature_curve=True, selection=3, **QUICK,
    )  # fmt: skip


def test_the_page_of_an_assessment_has_all_parts_once(answer):
    page = render_html(Report(results=(answer,)))
    for heading in (
        "What would more cases bring?", "What would more features bring?",
        "If the best 3 features were chosen", "Would luck have found these features?",
        "In what kind of space the promise holds", "learning curve over cases",
    ):  # fmt: skip
        assert page.count(heading) >= 1, heading
    assert page.index("Not tested against chance") < page.index("Bounds of accuracy")
    saved = result_from_dict(json.loads(json.dumps(answer.to_dict())))
    assert render_html(Report(results=(saved,))) == page


def test_the_text_of_an_assessment_has_all_parts(answer):
    text = render_text(answer, ascii_only=True)
    assert all(len(line) <= 88 for line in text.splitlines())
    for said in ("cases for 90 %", "features for 90 %", "chosen inside", "Space",
                 "Selection", "best 3"):  # fmt: skip
        assert said in text, said


def test_what_was_not_asked_for_is_not_shown():
    bare = sc.assess("naive-bayes", *data(), regularities=False, **QUICK)
    page = render_html(Report(results=(bare,)))
    text = render_text(bare)
    for said in ("learning curve", "kind of space", "chosen first", "Space"):
        assert said not in page
        assert said not in text


def test_tables_hold_what_was_measured_and_no_limit_of_a_law_that_does_not_fit():
    from dataclasses import replace

    rng = np.random.default_rng(0)
    sizes = np.array([7, 11, 16, 24, 36, 54])
    means = np.array([0.19, 0.22, 0.22, 0.23, 0.21, 0.617])[:, None]
    table = np.clip(means + 0.1 * rng.standard_normal((6, 20)), 0, 1)
    late = learning_curve_fit(
        sizes, table, target=0.9, loss="accuracy", test_ratio=1 / 3, n_cases=72,
        random_state=0,
    )  # fmt: skip
    bare = sc.assess("naive-bayes", *data(), regularities=False, **QUICK)
    model = replace(bare.models[0], learning_curves=(late,))
    answer = replace(bare, models=(model,))
    seen = f"{100 * table[-1].mean():.1f} %"
    fitted = f"{100 * late.score_at(54):.1f} %"
    text, page = render_text(answer), render_html(Report(results=(answer,)))
    assert seen in text
    assert fitted not in text
    assert "no power law fits" in text
    assert seen in page
    assert "A power law does not fit" in page
    assert "blue beyond" in page
    assert "54: " + seen in svg_of(main_drawing(late), name="x", width=WIDE)


def with_curve(**changes):
    from dataclasses import replace

    call = {"target": 0.9, "loss": "accuracy", "test_ratio": 1 / 3, "n_cases": 62,
            "level": 0.95, "random_state": 0} | changes  # fmt: skip
    curve = learning_curve_fit(**call)
    bare = sc.assess("naive-bayes", *data(), regularities=False, **QUICK)
    model = replace(bare.models[0], learning_curves=(curve,))
    return curve, replace(bare, models=(model,))


def test_of_a_curve_that_shows_no_gain_nothing_is_said_beyond_it():
    rng = np.random.default_rng(5)
    # Noise that happens to creep up: a law would see 100 % far out.
    scores = 0.52 + 0.008 * np.arange(6)[:, None] + 0.1 * rng.standard_normal((6, 20))
    sizes = [13, 36, 97, 266, 730, 2000]
    curve, answer = with_curve(sizes=sizes, scores=scores, over="features")
    assert curve.law.scale > 0
    assert not curve.rises
    text, page = render_text(answer), render_html(Report(results=(answer,)))
    for said in (text, page):
        assert "no gain shown" in said
        assert "endless features" not in said
    row = next(line for line in text.splitlines() if "no gain shown" in line)
    assert row.endswith("none shown")
    assert "Nothing shows that more features would reach 90 %" in page
    assert "100 %" not in row
    axes = main_drawing(curve)
    assert "nothing is said of more" in axes.description


def test_an_aim_that_may_take_anything_is_told_from_one_that_nothing_shows():
    scores = 0.9 + 0.05 * np.random.default_rng(2).standard_normal((6, 20))
    curve, answer = with_curve(
        sizes=[7, 11, 16, 24, 36, 54], scores=np.clip(scores, 0, 1)
    )
    assert not curve.rises
    assert curve.needed_interval(0.9) == (7, math.inf)
    row = next(x for x in render_text(answer).splitlines() if "no gain shown" in x)
    assert row.endswith("cannot tell")
    assert "anything from 7 or fewer to no end" in render_html(
        Report(results=(answer,))
    )


def test_a_limit_in_doubt_has_its_interval_only():
    sizes = np.array([7, 11, 16, 24, 36, 46])
    noise = 0.004 * np.random.default_rng(2).standard_normal((6, 20))
    means = np.array([0.084, 0.035, 0.016, 0.011, 0.011, 0.006])
    errors = means[:, None] + noise - noise.mean(axis=1, keepdims=True)
    curve, answer = with_curve(sizes=sizes, scores=1 - np.clip(errors, 0, 1))
    assert curve.limit_doubt
    text = render_text(answer)
    assert "no gain beyond 46 (" in text
    assert f"{100 * (1 - curve.law.limit):.1f} %" not in text


def test_endless_data_have_an_interval_and_sizes_two_digits():
    sizes = np.array([7, 11, 16, 24, 36, 54])
    rng = np.random.default_rng(1)
    means = 1 - 0.75 * sizes**-0.3 - 0.02
    scores = np.clip(means[:, None] + 0.03 * rng.standard_normal((6, 20)), 0, 1)
    curve, answer = with_curve(sizes=sizes, scores=scores)
    assert curve.rises
    text = render_text(answer)
    low, _ = curve.limit_interval
    assert f"({100 * low:.1f}" in text
    assert curve.needed_for(0.9) > 100
    assert f"{curve.needed_for(0.9):,.0f}" not in text
    assert f"about {rough_size(curve.needed_for(0.9))} (" in text


def test_groups_are_given_no_advice_on_one_split():
    sizes = np.array([7, 11, 16, 24, 36, 54])
    rng = np.random.default_rng(1)
    means = 0.9 - 1.5 * sizes**-0.8
    scores = np.clip(means[:, None] + 0.03 * rng.standard_normal((6, 20)), 0, 1)
    alone, answer = with_curve(sizes=sizes, scores=scores)
    assert "for one split of the 62, learn from" in " ".join(
        render_text(answer).split()
    )
    assert alone.best_split(62)[0] >= 7
    curve, answer = with_curve(sizes=sizes, scores=scores, has_groups=True)
    assert not curve.splits_cases
    assert "best_split" not in curve.to_dict()["result"]
    assert "no advice on one split" in render_text(answer)
    assert "come in groups" in " ".join(render_text(answer).split())


def test_a_selection_that_changes_nothing_says_so():
    X, y = data(numbers=True)
    answer = sc.assess(
        "sklearn.linear_model:Lasso(alpha=1000.0)", X, y, selection=2, **QUICK
    )
    text = render_text(answer)
    assert "n/a to n/a" not in text
    assert "no split changed" in text
    page = render_html(Report(results=(answer,)))
    assert "none, as no split changed: the model made no use of" in page


def test_a_selection_without_intervals_is_still_shown():
    answer = sc.assess(
        "naive-bayes", *data(), selection=3, losses="auc",
        **QUICK | {"sampling": "loo", "n_resamples": 50},
    )  # fmt: skip
    assert "splits have no values of their own" in render_text(answer)
    page = render_html(Report(results=(answer,)))
    assert "none to promise" in page
    assert "None is recommended here: auc ranks scores of different models" in page
    assert answer.to_dict()["result"]["models"]["naive-bayes"]["selection_bias"]
