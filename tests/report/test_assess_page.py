"""How assessments are shown: terminal, figures, page."""

import functools
import json
from dataclasses import replace

import numpy as np
import pytest
from tests.assessing import assess_bare, only
from tests.report.conftest import HOSTILE
from tests.snapshot import assert_snapshot, page_text

from scorecast.evaluation import (
    Assessment,
    Choice,
    NullTests,
    TunedEstimator,
    assess,
    assess_estimates,
    make_estimator,
)
from scorecast.report import main_drawing, render
from scorecast.report.assess_figures import (
    bias_figure,
    chance_figure,
    class_figure,
    interval_figure,
)
from scorecast.report.figures import NARROW, WIDE, draw_on
from scorecast.report.permutation import _bars
from scorecast.report.svg import svg_of

pytest.importorskip("matplotlib", reason="needs the extra [plot]")

RNG = np.random.default_rng
TESTED = {"n_permutations": 20, "n_null_data": 3, "n_resamples": 50, "cv": 4}
WHOLE = TESTED | {"bias_variance": True, "data_profile": True}


def samples(n=48, n_classes=2, gap=1.5, m=5):
    y = np.arange(n) % n_classes
    return RNG(0).normal(size=(n, m)) + gap * y[:, None], y


@functools.cache
def answer(kind):
    """One of every kind, made once."""
    two = ["naive-bayes", "nearest-centroid"]
    if kind == "numbers":
        X, _ = samples()
        return assess_bare(["ridge", "lasso"], X, X[:, 0] + X[:, 1], **WHOLE)
    if kind == "perfect":
        return assess_bare(two, *samples(gap=60.0), **WHOLE)
    if kind == "hostile":
        X, y = samples()
        models = {name: make_estimator("naive-bayes") for name in HOSTILE[:3]}
        return assess_bare(models, X, np.array(HOSTILE[3:5])[y], **TESTED)
    if kind == "whole":
        call = {"samples": True, "features": [1, 3, 5], "n_selected": 2}
        return assess_bare(two, *samples(), **WHOLE, **call)
    return assess_bare(two, *samples(), **WHOLE)


@pytest.mark.parametrize("kind", ["classes", "perfect", "numbers", "hostile", "whole"])
def test_every_answer_is_written_and_drawn_at_both_widths(kind):
    found = answer(kind)
    text = render(found, ascii_only=True)
    assert text.isascii()
    assert all(len(line) <= 88 for line in text.splitlines())
    assert "nan" not in text.lower().replace("nanc", "")
    model = only(found)
    drawn = [main_drawing(found), chance_figure(found)]
    drawn += [bias_figure(found, method) for method in model.bias_variance]
    drawn += [interval_figure(found, name) for name in model.metrics]
    drawn += [class_figure(found)] if found.class_counts else []
    for drawing in drawn:
        for width in (WIDE, NARROW):
            assert "<svg" in svg_of(drawing, name="x", width=width)
    page = render(found, "html")
    assert "Is it better than chance?" in page
    assert ">nan<" not in page
    assert "<script" not in page
    saved = Assessment.from_dict(json.loads(json.dumps(found.to_dict())))
    assert render(saved, "html") == page


def test_the_page_reads_like_this():
    call = {"scoring": "accuracy", "samples": True, "n_selected": 2}
    found = assess_bare("naive-bayes", *samples(), **WHOLE, **call)
    assert_snapshot("assess_page", page_text(render(found, "html")))


def test_what_was_not_asked_for_is_not_shown():
    page = render(answer("classes"), "html")
    for heading in ("What would more", "If the best", "Would luck have found"):
        assert heading not in page
        assert heading in render(answer("whole"), "html")


def test_the_null_distribution_is_drawn_with_the_value_of_the_model():
    found = answer("classes")
    drawing = chance_figure(found)
    assert "naive-bayes" in drawing.description
    assert "20 permutations" in drawing.description
    axes = draw_on(drawing)
    for model in found.models.values():
        tested = model.null_tests.permuted
        marked = [x for c in axes.collections for x in c.get_segments()]
        assert any(line[0][0] == pytest.approx(tested.observed) for line in marked)
        middles = [bar.get_x() + bar.get_width() / 2 for bar in axes.patches]
        for value in set(np.round(tested.draws, 9)):
            assert any(x == pytest.approx(value) for x in middles)
    assert chance_figure(assess_bare("naive-bayes", *samples())) is None


def test_many_draws_are_put_into_bins():
    middles, heights, width = _bars(RNG(0).normal(size=500), 6.0)
    assert middles.size == heights.size <= 30
    assert heights.sum() == 500
    assert np.allclose(np.diff(middles), width)


def test_every_interval_is_drawn_and_what_holds_of_several_is_said_once():
    found = answer("classes")
    main = only(found).main
    said = main_drawing(found).description
    assert len(main.intervals) > 5
    assert all(x.method in said for x in main.intervals)
    few = {"normal", "t", "nadeau-bengio", "percentile"}

    def with_gaps(x):
        intervals = (
            replace(i, n_values=9, n_splits=10) if i.method in few else i
            for i in x.intervals
        )
        return replace(x, intervals=tuple(intervals))

    models = {
        name: replace(m, metrics={k: with_gaps(x) for k, x in m.metrics.items()})
        for name, m in found.models.items()
    }
    printed = " ".join(render(replace(found, models=models)).split())
    assert printed.count("of 9 of 10 splits") == 1
    assert "(accuracy, balanced accuracy of naive-bayes, nearest-centroid)" in printed


def test_an_axis_of_an_error_of_nothing_begins_at_zero():
    axes = draw_on(bias_figure(answer("perfect"), "kohavi-wolpert"))
    assert axes.get_xlim()[0] <= 0


def test_where_all_folds_agree_it_is_said_of_the_one_to_quote():
    found = answer("perfect")
    assert only(found).main.recommended.choice is Choice.ALL_AGREE
    printed = " ".join(render(found).split())
    assert printed.count("all folds agree") >= 1
    assert "have no width" in printed
    assert "none observable" in printed


def test_splits_and_models_that_failed_are_said_where_the_answer_is():
    from sklearn.naive_bayes import GaussianNB

    X, y = samples()

    class Picky(GaussianNB):
        def fit(self, X, y):
            if X[0, 0] != first:
                msg = "not this one"
                raise ValueError(msg)
            return super().fit(X, y)

    first = X[0, 0]
    found = assess_bare({"picky": Picky()}, X, y, cv=4)
    assert "1 of 4 splits failed" in found.summary()
    first = None
    both = assess_bare({"picky": Picky(), "nb": GaussianNB()}, X, y, cv=4)
    assert "(1 of 2 models failed)" in both.summary()
    assert "not this one" in str(both)


def test_a_centre_other_than_the_estimate_is_explained():
    for n, is_different in ((50, True), (48, False)):
        found = assess_bare("tree", *samples(n, gap=0.4), cv=4, scoring="accuracy")
        assert only(found).main.recommended.method == "nadeau-bengio"
        assert ("means of folds" in " ".join(str(found).split())) == is_different


def test_a_weighted_estimate_is_told_from_that_of_samples_left_out():
    found = assess_bare("naive-bayes", *samples(gap=0.6), cv=".632+-20")
    printed = " ".join(str(found).split())
    main = only(found).main
    assert f"{100 * main.left_out:.1f} % left out" in printed
    assert f"{100 * main.estimate:.1f} % weighted" in printed


def test_two_of_a_class_can_be_told_apart():
    names = [f"sklearn.neighbors:KNeighborsClassifier(n_neighbors={k})" for k in (3, 5)]
    found = assess_bare(names, *samples(), cv=4)
    for text in (str(found), render(found, "html").replace("\u200b", "")):
        assert "n_neighbors=3" in text
        assert "n_neighbors=5" in text
    assert all(len(line) <= 88 for line in str(found).splitlines())


def test_metrics_of_one_class_name_it():
    X, y = samples()
    words = np.array(["sick", "well"])[y]
    found = assess_bare("naive-bayes", X, words, scoring=["sensitivity", "auc"])
    text = str(found)
    assert "sensitivity of class well" in text
    assert "AUC of class" not in text


def test_the_better_of_two_is_named_whichever_way_is_better():
    X, y = samples(120, gap=1.2)
    dummy = "sklearn.dummy:DummyClassifier()"
    for scoring in ("accuracy", "error"):
        found = assess_bare([dummy, "naive-bayes"], X, y, scoring=scoring)
        assert found.comparisons[0].p_adjusted < 0.05
        line = next(x for x in str(found).splitlines() if "DummyClassifier() -" in x)
        assert "naive-bayes" in line.partition("+")[2] + line.partition("-")[2]
        assert "not shown" not in str(found)
    noise = assess_bare(["tree", "naive-bayes"], RNG(0).normal(size=(40, 3)), y[:40])
    assert "not shown" in str(noise)


def test_reasons_of_intervals_name_the_model():
    """Two models quoted by different intervals: whose reason is whose?"""
    y = np.repeat([0, 1], [42, 18])
    X = RNG(1).normal(size=(60, 4)) + 0.6 * y[:, None]
    found = assess_bare(["sklearn.dummy:DummyClassifier()", "naive-bayes"], X, y)
    methods = [model.main.recommended.method for model in found.models.values()]
    assert methods == ["wilson", "nadeau-bengio"]
    page = render(found, "html")
    assert "Recommended for naive-bayes is" in page
    alone = assess_bare("naive-bayes", X, y)
    assert "Recommended is" in render(alone, "html")


def test_many_classes_show_the_least_recognised_first():
    found = assess_bare("nearest-centroid", *samples(120, 15, gap=0.4), cv=4)
    text = str(found)
    recalls = only(found).main.per_class
    worst = min(recalls, key=lambda label: recalls[label].estimate)
    assert f"\n{worst} " in text
    assert len([x for x in text.splitlines() if x.strip().endswith("┤")]) <= 8
    page = page_text(render(found, "html"))
    assert "The 6 least recognised of 15 classes" in page


def test_a_choice_at_the_edge_of_what_was_tried_is_said():
    tuned = TunedEstimator(make_estimator("svm"), {"C": [0.001, 1.0]}, cv=3)
    found = assess_bare({"svm": tuned}, *samples(gap=3.0), cv=4)
    edge = only(found).edges[0]
    which = "least" if edge.is_lowest else "largest"
    assert f"{edge.value:g} is the {which} C tried" in " ".join(str(found).split())


def test_an_area_with_a_rare_class_is_not_sent_in_a_circle():
    """Five folds are no advice to who took five folds."""
    y = np.repeat([0, 1, 2], [20, 15, 3])
    X = RNG(0).normal(size=(38, 3)) + y[:, None]
    found = assess_bare("naive-bayes", X, y, cv=5, scoring="auc")
    said = " ".join(str(found).split())
    assert "merge or leave out classes of fewer than 5 samples" in said
    kept = y < 2
    again = assess_bare("naive-bayes", X[kept], y[kept], cv=5, scoring="auc")
    assert only(again).main.recommended is not None


def test_no_kind_of_null_data_is_described_as_another():
    for kind, said in (
        ("shrunk", "on the whole"),
        ("shuffle", "know nothing of one"),
        ("independent", "whatever the target"),
    ):
        call = TESTED | {"null_data": kind}
        page = page_text(render(assess_bare("naive-bayes", *samples(), **call), "html"))
        assert said in page


def test_a_verdict_says_what_would_settle_it():
    tests = NullTests(n_permutations=9, n_null_data=0)
    X, y = samples(gap=0.0)
    X[:, 0] += 4 * y
    found = assess("tree", X, y, cv=4, tests=tests)
    assert "9 draws cannot show less than 0.100" in " ".join(str(found).split())
    noise = assess("naive-bayes", RNG(0).normal(size=(40, 30)), np.arange(40) % 2)
    assert "samples" in noise.summary()


def test_estimates_of_long_names_stay_different():
    names = [f"SpectralBiclustering(n_clusters=({k},{k}))" for k in (3, 4)]
    found = assess_estimates(
        {name: RNG(0).random(8) for name in names}, greater_is_better=True
    )
    for text in (str(found), page_text(render(found, "html"))):
        assert "(3,3)" in text
        assert "(4,4)" in text


def test_estimates_of_hostile_names_are_shown():
    table = {HOSTILE[0]: RNG(0).random(8), "b": RNG(1).random(8)}
    found = assess_estimates(table, greater_is_better=True)
    text = render(found, ascii_only=True)
    assert all(len(line) <= 88 for line in text.splitlines())
    page = render(found, "html")
    assert "Model against model" in page
    assert "<script" not in page
    for width in (WIDE, NARROW):
        assert "<svg" in svg_of(main_drawing(found), name="x", width=width)
