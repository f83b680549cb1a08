"""Many settings as text, figure and page."""

import numpy as np
import pytest

import scorecast as sc
from scorecast.report import main_drawing, render_text


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


def test_the_text_lists_bounds_then_groups_with_their_settings(answer):
    text = render_text(answer)
    assert max(map(len, text.splitlines())) <= 88
    order = ("conservative", "pooled", "weighted", "new-setting", "by difficulty")
    places = [text.index(word) for word in order]
    assert places == sorted(places)
    lines = [line.split() for line in text.splitlines()]
    group = next(i for i, words in enumerate(lines) if "1:" in words)
    assert lines[group][:5] == ["nb", "group", "1:", "gap", "3.0"]
    assert [words[:2] for words in lines[group + 1 : group + 3]] == [
        ["gap", "3"],
        ["gap", "4"],
    ]
    assert "Relation  nb wins 67 %" in text


def test_the_figure_has_a_row_for_every_setting(answer):
    drawing = main_drawing(answer)
    assert drawing.description.count("gap 4") == 2
    pytest.importorskip("matplotlib", reason="needs the extra [plot]")
    axes = answer.plot()
    assert "accuracy" in axes.get_xlabel()


def test_the_page_has_groups_factors_bounds_and_wins(answer):
    pytest.importorskip("matplotlib", reason="needs the extra [plot]")
    page = sc.report(answer)
    for heading in (
        "Accuracy by difficulty",
        "Accuracy, one factor at a time",
        "Over all settings",
        "Win and loss",
    ):
        assert heading in page
    again = sc.SettingsAssessment.from_dict(answer.to_dict())
    assert sc.report(again) == page


def test_a_model_without_an_estimate_is_left_out_of_the_figure():
    found = sc.assess_settings(
        {"svm": "sklearn.svm:SVC(C=-1)", "nb": "naive-bayes"},
        make,
        settings={"gap": [3.0]},
        sampling="cv3",
    )
    assert "svm" not in main_drawing(found).description
    assert "svm" in render_text(found)
