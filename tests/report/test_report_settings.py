"""Many settings as text, figure and page."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import scorecast as sc
from scorecast.guarantees.loss_values import span_said
from scorecast.guarantees.settings.superiority import superiority
from scorecast.report import main_drawing, render_text, report as write_page
from scorecast.report.formats import dashed


def make(gap, random_state):
    """Two classes, told apart by one feature of two."""
    rng = np.random.default_rng(random_state)
    y = np.arange(80) % 2
    return rng.normal(size=(80, 2)) + gap * y[:, None], y


@pytest.fixture(scope="module")
def answer():
    """Two models over three settings."""
    return sc.assess_settings(
        {"nb": "naive-bayes", "guess": "sklearn.dummy:DummyClassifier()"},
        make,
        settings={"gap": [0.0, 3.0, 4.0]},
        sampling="cv10",
    )


@pytest.fixture(scope="module")
def crossed():
    """Two models over three factors, the loss the last of them."""

    def noisy(noise, imbalance, random_state):
        rng = np.random.default_rng(random_state)
        y = (np.arange(60) % 10 < 5 - 2 * imbalance).astype(int)
        return rng.normal(size=(60, 3)) * (1 + noise) + y[:, None], y

    settings = {"noise": [0, 0.2], "imbalance": [0, 0.6], "loss": ["auc", "mcc"]}
    models = ["naive-bayes", "nearest-centroid"]
    return sc.assess_settings(models, noisy, settings=settings, sampling="kfold5")


def test_settings_are_named_by_what_differs(crossed):
    lines = [line.split("  ") for line in render_text(crossed).splitlines()]
    text = render_text(crossed)
    assert max(map(len, text.splitlines())) <= 88
    for noise in ("0", "0.2"):
        for imbalance in ("0", "0.6"):
            named = f"noise {noise}, imbalance {imbalance}"
            assert sum(named in line for line in lines) == 4  # by model and loss
    said = main_drawing(crossed).description
    assert said.count("noise 0.2, imbalance 0.6 ") == 2
    assert "loss" not in said


def test_with_two_losses_all_parts_say_of_which_they_speak(crossed):
    text = render_text(crossed)
    page = write_page(crossed)
    for loss in ("auc", "mcc"):
        assert f"{loss}: by difficulty" in text
        assert f"Relation  {loss}: n" in text
        assert page.count(f"{loss}: naive-bayes, group 1") == 1
        assert f"{loss}: naive-bayes, pooled" in page
        assert f"<p>{loss}: n" in page
    assert "auc: " not in write_page(replace_losses(crossed, "auc"))


def replace_losses(answer, loss):
    """Keep one loss."""
    parts = ("rows", "bounds", "groups", "relations", "views")
    kept = {
        part: tuple(x for x in getattr(answer, part) if x.loss == loss)
        for part in parts
    }
    return replace(answer, **kept)


def test_a_page_of_many_factors_is_drawn_at_both_widths(crossed):
    pytest.importorskip("matplotlib", reason="needs the extra [plot]")
    page = write_page(replace_losses(crossed, "auc"))
    assert page.count("<svg") == 4


def test_the_text_lists_bounds_then_groups_with_their_settings(answer):
    text = render_text(answer)
    assert max(map(len, text.splitlines())) <= 88
    order = ("conservative", "pooled", "weighted", "new-setting", "by difficulty")
    places = [text.index(word) for word in order]
    assert places == sorted(places)
    lines = [line.split() for line in text.splitlines()]
    group = next(i for i, words in enumerate(lines) if "1:" in words)
    assert lines[group][:5] == ["nb", "group", "1:", "gap", "3.0"]
    assert [words[:2] for words in lines[group + 1 : group + 4]] == [
        ["mean", f"{100 * answer.groups_of('nb')[0].estimate:.1f}"],
        ["gap", "3"],
        ["gap", "4"],
    ]
    assert f"Relation  nb wins {100 * answer.relations[0].won:.0f} %" in text


def test_a_group_is_bounded_by_its_members_not_by_their_mean(answer):
    easy = answer.groups_of("nb")[0]
    assert easy.highest - easy.lowest > 1.2 * (easy.high - easy.low)
    of_each = span_said("accuracy", easy.lowest, easy.highest)
    of_mean = span_said("accuracy", easy.low, easy.high)
    assert f"{of_each} in 2 (mean {of_mean})" in answer.summary()
    lines = render_text(answer).splitlines()
    place = next(i for i, line in enumerate(lines) if "group 1: gap 3.0" in line)
    assert lines[place].endswith(of_each)
    assert lines[place + 1].endswith(of_mean)
    page = write_page(answer)
    assert dashed(of_each) in page
    assert "95 % interval of each" in page


def test_relations_of_several_pairs_say_that_they_are_not_corrected(answer):
    assert "not corrected" not in render_text(answer)
    rows = [
        replace(row, model=name)
        for name in ("first", "second", "third")
        for row in answer.rows
        if row.model == "nb"
    ]
    pairs = [
        superiority(
            [r for r in rows if r.model == a], [r for r in rows if r.model == b],
            alpha=0.1, share=0.8,
        )
        for a, b in combinations(("first", "second", "third"), 2)
    ]  # fmt: skip
    three = replace(answer, rows=tuple(rows), relations=tuple(pairs))
    said = "not corrected for 3 pairs of models"
    assert said in " ".join(render_text(three).split())
    assert said in write_page(three)


def test_the_figure_has_a_row_for_every_setting(answer):
    drawing = main_drawing(answer)
    assert drawing.description.count("gap 4") == 2
    pytest.importorskip("matplotlib", reason="needs the extra [plot]")
    axes = answer.plot()
    assert "accuracy" in axes.get_xlabel()


def test_the_page_has_groups_factors_bounds_and_wins(answer):
    pytest.importorskip("matplotlib", reason="needs the extra [plot]")
    page = write_page(answer)
    for heading in (
        "Accuracy by difficulty",
        "Accuracy, one factor at a time",
        "Over all settings",
        "Win and loss",
    ):
        assert heading in page
    again = sc.SettingsAssessment.from_dict(answer.to_dict())
    assert write_page(again) == page


def test_a_model_without_an_estimate_is_left_out_of_the_figure():
    found = sc.assess_settings(
        {"svm": "sklearn.svm:SVC(C=-1)", "nb": "naive-bayes"},
        make,
        settings={"gap": [3.0]},
        sampling="cv3",
    )
    assert "svm" not in main_drawing(found).description
    assert "svm" in render_text(found)


@pytest.fixture(scope="module")
def by_name():
    """Two data sets of like names, three ways of splitting, another loss."""
    data = {f"microarray_{k}": make(gap, 0) for k, gap in (("colon", 0), ("blood", 5))}
    return sc.assess_settings(
        "naive-bayes", data, settings={"m": [2], "loss": ["accuracy", "mcc"],
        "sampling": ["cv5", "cv4"]}, design="one-at-a-time",
    )  # fmt: skip


def test_labels_leave_out_what_is_the_same_in_all(by_name):
    text, said = render_text(by_name), main_drawing(by_name).description
    for label in ("colon, cv5", "colon, cv4", "blood, cv5"):
        assert f" {label} " in text
        assert f"{label} " in said
    assert "microarray" not in text + said
    assert "m 2" not in text + said
    # Alone in its loss, a setting is named by how it differs from all others.
    assert (
        len([x for x in text.splitlines() if x.strip().startswith("colon, cv5")]) == 2
    )
    assert "group 1: blood" in text


def test_the_page_says_at_what_other_factors_are_held(by_name):
    page = write_page(by_name)
    held = "data microarray_colon, m 2, loss accuracy, sampling cv5"
    assert f"the others held at {held}." in page
    assert "ccuracy over 3 settings" in page
    assert "4 settings (3 of accuracy, 1 of mcc);" in render_text(by_name)


def test_groups_without_a_mark_of_their_own_are_mixed(answer):
    groups = tuple(replace(group, factors={}) for group in answer.groups)
    text = render_text(replace(answer, groups=groups))
    assert "group 1: mixed, 2 settings" in text
    assert "group 2: mixed, 1 setting " in text
    # The only group of a model is not mixed with anything.
    assert "guess" in text
    assert "group 1: 3 settings" in text


def test_axis_and_numbers_have_one_unit(answer, crossed):
    pytest.importorskip("matplotlib", reason="needs the extra [plot]")
    axes = answer.plot()
    assert axes.get_xlabel() == "accuracy, %"
    marks = [float(x.get_text()) for x in axes.get_xticklabels()]
    assert max(marks) > 50
    assert np.allclose(marks, 100 * axes.get_xticks())
    assert crossed.plot().get_xlabel() == "auc"


def test_every_column_of_wins_is_explained(answer):
    page = write_page(answer)
    assert "Better: the share of settings in which the estimate" in page
