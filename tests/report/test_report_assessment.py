"""How an assessment is shown: text, figures, page."""

import json

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

import scorecast as sc
from scorecast._core.results import result_from_dict
from scorecast.report import main_drawing, render_html, render_text
from scorecast.report.assessment_plots import (
    bias_drawing,
    bounds_drawing,
    classes_drawing,
)
from scorecast.report.bound_views import bound_notes
from scorecast.report.chance_plots import _bars, chance_drawing
from scorecast.report.figures import NARROW, WIDE, draw_on
from scorecast.report.html import Report
from scorecast.report.svg import svg_of

pytest.importorskip("matplotlib", reason="needs the extra [plot]")

QUICK = {"n_permutations": 20, "n_null_data": 3, "n_resamples": 100, "sampling": "cv4"}


def problem(kind):
    rng = np.random.default_rng(0)
    y = np.arange(36) % 3
    X = rng.normal(size=(36, 4))
    if kind == "numbers":
        return "ridge", X, X[:, 0] + rng.normal(size=36)
    if kind == "perfect":
        X += 50 * y[:, None]
    names = np.array(["</script>", "$x_{$", "\u202ecow"])
    return ["naive-bayes", "nearest-centroid"], X, names[y]


@pytest.mark.parametrize("kind", ["classes", "perfect", "numbers"])
def test_every_answer_is_written_and_drawn_at_both_widths(kind):
    answer = sc.assess(*problem(kind), **QUICK)
    text = render_text(answer, ascii_only=True)
    assert text.isascii()
    assert all(len(line) <= 88 for line in text.splitlines())
    parts = [x.method for x in answer.models[0].bias_variance]
    drawings = [main_drawing(answer), chance_drawing(answer)]
    drawings += [bias_drawing(answer, method) for method in parts]
    drawings += [bounds_drawing(answer, x.loss) for x in answer.models[0].losses]
    if kind != "numbers":
        drawings.append(classes_drawing(answer))
    for drawing in drawings:
        for width in (WIDE, NARROW):
            assert "<svg" in svg_of(drawing, name="x", width=width)
    page = render_html(Report(results=(answer,)))
    assert "Is it better than chance?" in page
    assert ">nan<" not in page
    saved = result_from_dict(json.loads(json.dumps(answer.to_dict())))
    assert render_html(Report(results=(saved,))) == page


def test_the_null_distribution_is_drawn_with_the_value_of_the_model():
    answer = sc.assess(*problem("classes"), **QUICK)
    drawing = chance_drawing(answer)
    assert "naive-bayes" in drawing.description
    assert "20 permutations" in drawing.description
    axes = draw_on(drawing)
    for model in answer.models:
        tested = model.feasibility.permuted
        marked = [x for c in axes.collections for x in c.get_segments()]
        assert any(line[0][0] == pytest.approx(tested.observed) for line in marked)
        for value in set(np.round(tested.draws, 9)):
            middles = [bar.get_x() + bar.get_width() / 2 for bar in axes.patches]
            assert any(x == pytest.approx(value) for x in middles)
    assert drawing.title in render_html(Report(results=(answer,)))
    untested = sc.assess(*problem("classes"), **{**QUICK, "n_permutations": 0})
    assert chance_drawing(untested) is None


def test_many_draws_are_put_into_bins():
    rng = np.random.default_rng(0)
    middles, heights, width = _bars(rng.normal(size=500), 6.0)
    assert middles.size == heights.size <= 30
    assert heights.sum() == 500
    assert np.allclose(np.diff(middles), width)


def test_what_holds_of_several_intervals_is_said_once():
    from dataclasses import replace

    answer = sc.assess(*problem("classes"), **QUICK)

    def with_notes(loss):
        few = ("normal", "t", "nadeau-bengio", "percentile")
        note = "of 9 of 10 splits"
        bounds = (replace(b, note=note) if b.method in few else b for b in loss.bounds)
        return replace(loss, bounds=tuple(bounds))

    models = (
        replace(m, losses=tuple(map(with_notes, m.losses))) for m in answer.models
    )
    answer = replace(answer, models=tuple(models))
    noted = [
        (b.method, b.note)
        for m in answer.models
        for x in m.losses
        for b in x.bounds
        if b.note
    ]
    assert len({method for method, _ in noted}) > 3
    texts = {note for _, note in noted}
    said = bound_notes(answer)
    assert len(said) == len(texts)
    for text in texts:
        assert sum(text in line for line in said) == 1
        line = next(line for line in said if text in line)
        for method in {method for method, note in noted if note == text}:
            assert method in line.partition(":")[0]
    assert "(accuracy, balanced-accuracy of naive-bayes, nearest-centroid)" in said[0]
    printed = " ".join(render_text(answer).split())
    assert printed.count(noted[0][1]) == 1


def test_every_interval_is_drawn():
    answer = sc.assess(*problem("classes"), **QUICK)
    loss = answer.models[0].losses[0]
    said = main_drawing(answer).description
    assert len(loss.bounds) > 5
    for bound in loss.bounds:
        assert bound.method in said


class Half(KNeighborsClassifier):
    """Refuses to learn where the first case is left out."""

    def fit(self, X, y):
        if not (X[:, 0] == 99).any():
            msg = "left out"
            raise ValueError(msg)
        return super().fit(X, y)


def page_and_text(models, X, y):
    answer = sc.assess(models, X, y, **QUICK)
    saved = result_from_dict(json.loads(json.dumps(answer.to_dict())))
    page = render_html(Report(results=(saved,)))
    return page, " ".join(render_text(saved).split())


def test_splits_and_models_that_failed_are_said_where_the_answer_is():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(36, 4)), np.arange(36) % 2
    X[0, 0] = 99
    for seen in page_and_text(Half(), X, y):
        said = "on 27 of 36 cases (1 of 4 splits failed)"
        assert seen.count(said) >= 2  # the headline, and how it was tested
    models = {"half": Half(), "broken": SVC(C=-1.0)}
    for seen in page_and_text(models, X, y):
        assert "half (1 of 2 models failed): accuracy" in seen
        assert "Best of 2" not in seen
    page, text = page_and_text({**models, "good": KNeighborsClassifier()}, X, y)
    assert "Best of 2 (1 of 3 models failed), " in text
    assert "broken failed n/a n/a" in text
    head = page.partition("</table>")[0]
    assert "broken" in head
    assert "Failed: bad parameter: C of SVC must be" in head


def test_parts_of_a_squared_error_are_called_so():
    options = {**QUICK, "n_permutations": 0}
    numbers = sc.assess(*problem("numbers"), **options)
    drawn = svg_of(bias_drawing(numbers, "squared"), name="x", width=WIDE)
    assert "part of the squared error" in drawn
    assert "squared units of the target" in render_html(Report(results=(numbers,)))
    classes = sc.assess(*problem("classes"), **options)
    drawn = svg_of(bias_drawing(classes, "domingos"), name="x", width=WIDE)
    assert "part of the error" in drawn


@pytest.mark.parametrize(("n", "differs"), [(36, False), (38, True)])
def test_a_centre_other_than_the_estimate_is_explained(n, differs):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(n, 3)), np.arange(n) % 2
    X[:, 0] += y
    options = {**QUICK, "n_permutations": 0, "with_bias_variance": False}
    text = render_text(sc.assess("naive-bayes", X, y, losses="accuracy", **options))
    assert ("Centre    estimates are means of cases" in text) == differs


def test_a_centre_is_explained_where_the_interval_is_cut_at_the_best():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], [24, 12])
    X = rng.normal(size=(36, 3))
    X[:, 0] += 2 * y
    options = {**QUICK, "n_permutations": 0, "with_bias_variance": False}
    found = sc.assess(
        "naive-bayes", X, y, losses="sensitivity", **{**options, "sampling": "cv5"}
    )
    assert found.models[0].losses[0].high == 1
    assert "93.3 % instead of 91.7 %" in " ".join(render_text(found).split())


def test_two_of_a_class_can_be_told_apart():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(36, 4)), np.arange(36) % 2
    kind = "sklearn.neighbors:KNeighborsClassifier"
    options = {**QUICK, "n_permutations": 0, "with_bias_variance": False}
    models = [f"{kind}(n_neighbors={k})" for k in (3, 5)]
    models.append(f"{kind}(n_neighbors=5, weights='distance')")
    answer = sc.assess(models, X, y, losses="accuracy", **options)
    text = render_text(answer)
    table = text.split("\n\n")[1].splitlines()[1:]
    assert len({line.split("  ")[1] for line in table}) == 3
    assert "sklearn.neighbors:" not in answer.headline()
    assert "KNeighborsClassifier(n_neighbors=" in answer.headline()


def test_notes_of_intervals_are_shown_where_the_intervals_are():
    rng = np.random.default_rng(0)
    y = np.arange(36) % 2
    X = rng.normal(size=(36, 4)) + 50 * y[:, None]
    answer = sc.assess(
        ["naive-bayes", "nearest-centroid"],
        X,
        y,
        capacity=400,
        **QUICK | {"n_permutations": 0},
    )
    loss = answer.models[0].losses[0]
    assert loss.recommended.note
    notes = {b.note for b in loss.bounds if b.note}
    assert "says nothing" in notes
    text = " ".join(render_text(answer).split())
    page = render_html(Report(results=(answer,)))
    for note in notes:
        assert note in text
        assert note in page
    # Its note says why it is quoted; reasons of other intervals are not its own.
    assert loss.recommended.reason == ""
    assert "folds drawn by class" not in page


def test_assumptions_that_differ_are_named_with_model_and_loss():
    from dataclasses import replace

    answer = sc.assess(*problem("classes"), **QUICK | {"n_permutations": 0})
    model = answer.models[0]
    loss = model.losses[0]
    other = replace(loss.bounds[0], assumption="pigs fly")
    changed = replace(loss, bounds=(other, *loss.bounds[1:]))
    models = (replace(model, losses=(changed, *model.losses[1:])), *answer.models[1:])
    page = render_html(Report(results=(replace(answer, models=models),)))
    assert f"{other.method} ({loss.loss} of {model.name}): pigs fly." in page
    assert f"): {loss.bounds[0].assumption}." in page


@pytest.mark.parametrize(
    ("labels", "losses", "about"),
    [
        (("ill", "well"), ["f1", "specificity"], ["well", "well"]),
        (("a", "b", "c"), ["sensitivity", "f1"], ["c", ""]),
    ],
)
def test_losses_of_one_class_name_it(labels, losses, about):
    rng = np.random.default_rng(0)
    y = np.arange(36) % len(labels)
    X = rng.normal(size=(36, 4)) + y[:, None]
    answer = sc.assess(
        "naive-bayes", X, np.array(labels)[y], losses=losses,
        **QUICK | {"n_permutations": 0, "with_bias_variance": False},
    )  # fmt: skip
    found = answer.models[0].losses
    assert [x.of_class for x in found] == about
    text, page = render_text(answer), render_html(Report(results=(answer,)))
    for x in found:
        assert x.name in text
        assert f"Bounds of {x.name}" in page
    assert f"{found[0].loss} of class {about[0]}" in answer.summary()
    data = json.loads(json.dumps(answer.to_dict()))
    saved = data["result"]["models"]["naive-bayes"]["losses"]
    assert [saved[name]["of_class"] for name in losses] == about
    assert result_from_dict(data).summary() == answer.summary()


def test_the_choice_and_the_number_of_permutations_are_on_the_page():
    answer = sc.assess(*problem("classes"), **QUICK)
    page, text = render_html(Report(results=(answer,))), render_text(answer)
    for said in ("The best of 2 looks better than it is", "20 permutations"):
        assert said in page
        assert said in " ".join(text.split())
    one = sc.assess("naive-bayes", *problem("classes")[1:], **QUICK)
    assert "looks better" not in render_html(Report(results=(one,)))


def test_long_names_of_models_fit_a_narrow_page():
    from scorecast.report.figures import new_figure
    from scorecast.report.forest import Group, Row, groups_drawing

    row = Row(name="nadeau-bengio", dot=0.5, low=0.4, high=0.6, text="40.0-60.0")
    name = "HistGradientBoostingClassifier(max_iter=10)"
    drawing = groups_drawing([Group(heading=name, rows=(row,))], "accuracy", "x")
    figure, axes = new_figure(drawing, NARROW)
    drawing.draw(axes)
    figure.canvas.draw()
    heading = next(t for t in axes.texts if t.get_text().startswith("Hist"))
    box = heading.get_window_extent()
    assert box.x0 >= 0
    assert box.x1 <= figure.bbox.width + 1


def test_numbers_have_no_classes_to_be_normal_within():
    answer = sc.assess(*problem("numbers"), **QUICK | {"n_permutations": 0})
    assert "within classes" not in render_html(Report(results=(answer,)))
    answer = sc.assess(*problem("classes"), **QUICK | {"n_permutations": 0})
    assert "within classes; Jarque" in render_html(Report(results=(answer,)))


def test_a_weighed_estimate_is_told_from_that_of_cases_left_out():
    rng, y = np.random.default_rng(2), np.arange(30) % 2
    X = rng.normal(size=(30, 40))
    answer = sc.assess(
        "naive-bayes", X, y, sampling=".632+", losses="error", n_permutations=0,
        with_bias_variance=False,
    )  # fmt: skip
    loss = answer.models[0].losses[0]
    left = np.mean(loss.cases)
    assert abs(left - loss.estimate) > 0.01
    said = " ".join(render_text(answer).split())
    assert "estimates are means of cases" not in said
    assert f"{100 * left:.1f} % left out, {100 * loss.estimate:.1f} % weighed" in said


def test_the_terminal_shows_recall_class_by_class_of_the_best_model():
    rng = np.random.default_rng(0)
    y = np.array(["ant", "bee", "cow"])[np.arange(36) % 3]
    X = rng.normal(size=(36, 4)) + 3 * (y == "cow")[:, None]
    found = sc.assess(["tree", "naive-bayes"], X, y, quick=True, sampling="cv4")
    lines = render_text(found).splitlines()
    start = next(i for i, line in enumerate(lines) if "class by class" in line)
    heading = f"class by class cases recall of {found.best.name} 95 % interval"
    assert lines[start].split() == heading.split()
    shown = found.best.losses[0].per_class
    for line, row in zip(lines[start + 1 : start + 4], shown, strict=True):
        cells = line.split()
        assert cells[:2] == [row.label, "12"]
        assert float(cells[2]) == pytest.approx(100 * row.estimate, abs=0.05)
        assert "-" in cells[4]
    numbers = sc.assess("ridge", X, X[:, 0] + rng.normal(size=36), quick=True)
    assert "class by class" not in render_text(numbers)


def test_many_classes_show_the_least_recognised_in_the_terminal():
    rng = np.random.default_rng(0)
    y = np.arange(120) % 15
    X = rng.normal(size=(120, 3)) + 5 * (y == 3)[:, None]
    found = sc.assess("naive-bayes", X, y, quick=True, sampling="cv4")
    text = render_text(found)
    assert "the least recognised; 9 more classes are in JSON and report" in text
    rows = found.best.losses[0].per_class
    table = text.split("class by class")[1].splitlines()[1:7]
    least = sorted(row.estimate for row in rows)[:6]
    assert [float(line.split()[2]) for line in table] == pytest.approx(
        [100 * x for x in least], abs=0.05
    )


def test_recall_of_long_names_fits_a_terminal():
    rng = np.random.default_rng(0)
    y = np.array(["first " * 8, "second " * 8])[np.arange(40) % 2]
    X = rng.normal(size=(40, 3)) + 2 * (y == y[0])[:, None]
    models = [f"sklearn.svm:SVC(kernel='rbf', C={c}, tol=0.01)" for c in (0.125, 8.5)]
    groups = np.repeat(np.arange(10), 4)
    found = sc.assess(models, X, y, groups=groups, quick=True, sampling="group4")
    lines = render_text(found).splitlines()
    assert max(map(len, lines)) <= 88
    start = next(i for i, line in enumerate(lines) if "class by class" in line)
    assert "recall of SVC(" in lines[start - 1]
    assert lines[start].split()[3:6] == ["cases", "groups", "recall"]
