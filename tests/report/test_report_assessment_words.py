"""What the page of an assessment says and draws so that nobody is misled."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

import scorecast as sc
from scorecast.guarantees import learning_curve_fit
from scorecast.report import render_html, render_text
from scorecast.report.assessment_plots import bias_drawing
from scorecast.report.figures import NARROW, draw_on
from scorecast.report.html import Report
from scorecast.report.learning_views import learning_drawing
from scorecast.report.svg import svg_of

pytest.importorskip("matplotlib", reason="needs the extra [plot]")

BARE = {"n_permutations": 0, "n_null_data": 0, "sampling": "cv4"}
LONG = "sklearn.neighbors:KNeighborsClassifier(n_neighbors=7, weights='distance')"


def problem(shift, m=4):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    return rng.normal(size=(40, m)) + shift * y[:, None], y


def page_of(answer):
    """Return what people read: without breaks inside names."""
    return render_html(Report(results=(answer,))).replace("\N{ZERO WIDTH SPACE}", "")


@pytest.fixture(scope="module")
def answer():
    models = ["naive-bayes", LONG]
    return sc.assess(models, *problem(1), sampling="cv4", n_permutations=10,
                     n_null_data=2)  # fmt: skip


@pytest.fixture(scope="module")
def perfect():
    return sc.assess(["naive-bayes", "nearest-centroid"], *problem(50), **BARE)


def test_dots_at_the_best_and_an_aim_at_the_edge_lie_inside():
    scores = np.ones((4, 5))
    scores[0] = 0.95
    fit = learning_curve_fit(
        [10, 20, 40, 80], scores, target=0.9, worst=0.0, loss="accuracy",
        n_cases=100, random_state=0,
    )  # fmt: skip
    axes = draw_on(learning_drawing(fit))
    low, high = axes.get_ylim()
    span = high - low
    assert high - 1 > 0.02 * span
    assert 0.9 - low > 0.02 * span
    assert axes.get_yticks().max() <= 1


def test_two_ways_of_dividing_an_error_are_two_figures(answer):
    page = page_of(answer)
    assert page.count("and never add them") == 1
    assert "Bias and variance, by Kohavi and Wolpert" in page
    assert "The same error, divided in the way of Domingos" in page
    for method in ("kohavi-wolpert", "domingos"):
        drawn = svg_of(bias_drawing(answer, method), name="x", width=NARROW)
        assert drawn.count(">variance<") == drawn.count(">bias<") == 2


def test_an_error_of_nothing_has_an_axis_that_begins_at_zero(perfect):
    axes = draw_on(bias_drawing(perfect, "domingos"))
    low, high = axes.get_xlim()
    assert -0.01 < low < 0 < 0.05 < high


def test_names_of_models_can_be_read(answer):
    page, name = page_of(answer), LONG.partition(":")[2]
    shown = name.replace("'", "&#39;")
    cells = re.findall(r'<td class="w">(.*?)</td>', page)
    assert [cell for cell in cells if "KNeigh" in cell and shown not in cell] == []
    assert len([cell for cell in cells if shown in cell]) >= 3
    assert "KNeighborsClassifier(..." in render_text(answer)


def test_models_of_a_table_are_never_called_the_same():
    models = [
        f"sklearn.svm:SVC(kernel='{k}', C=0.5, tol=0.01)" for k in ("rbf", "poly")
    ]
    text = render_text(sc.assess(models, *problem(1), **BARE))
    named = [line[:26].strip() for line in text.splitlines() if line[:6] == "  SVC("]
    assert len(named) == len(set(named)) == 2


@pytest.mark.parametrize("is_known", [True, False])
def test_what_is_unknown_is_explained_only_where_it_is(answer, is_known):
    row = answer.comparisons[0]
    if not is_known:
        gone = dict.fromkeys(("low", "high", "p", "p_adjusted"), math.nan)
        row = replace(row, difference=0.1, **gone)
    page = page_of(replace(answer, comparisons=(row,)))
    assert ("all folds differ by as much" in page) != is_known


def test_nothing_is_unknown_where_no_difference_is_observable(perfect):
    page = page_of(perfect)
    assert "no difference observable" in page
    assert "all folds differ by as much" not in page


def test_a_note_of_all_intervals_is_one_sentence(perfect):
    page = page_of(perfect)
    # Shares of 40 cases, and of the 20 of a class: one sentence each, for both models.
    assert page.count("all folds agree") == 2
    assert "(accuracy of naive-bayes, nearest-centroid): all folds" in page
    assert "(balanced-accuracy of naive-bayes, nearest-centroid): all folds" in page


def test_one_feature_is_a_feature():
    page = page_of(sc.assess("naive-bayes", *problem(1, m=1), **BARE))
    assert "with 1 feature." in page
    assert "40 cases, 1 feature;" in page
    assert "1 direction;" in page
    assert re.findall(r"\b1 (?:features|blocks|directions|cases|splits)\b", page) == []
    assert "no two features have a correlation" in page


def test_permutations_and_null_data_are_put_plainly(answer):
    page = page_of(answer)
    assert "as permuting targets does" in page
    assert "how features go together on the whole" in page
    assert "</summary>Chances" not in page  # short enough to be read without a click
    other = replace(answer, options={**answer.options, "null_data": "shuffle"})
    assert "features know nothing of one another" in page_of(other)
