"""Rows of dots at every width: room for the plot, names that stay different."""

import pytest

from scorecast.report.figures import NARROW, WIDE, new_figure
from scorecast.report.forest import Group, Row, groups_drawing
from scorecast.report.names import short_names

LONG = [f"noise {noise}, imbalance 0.6, loss {loss}" for noise in (0, 0.2)
        for loss in ("auc", "mcc")]  # fmt: skip


def drawn(names, text, width, heading="sklearn.cluster:SpectralCoclustering, group 1"):
    """Draw rows at a width; return the figure, its axes and its texts."""
    rows = tuple(
        Row(name=name, dot=0.5, low=0.4, high=0.6, text=text, strong=not i)
        for i, name in enumerate(names)
    )
    drawing = groups_drawing([Group(heading=heading, rows=rows)], "auc", "auc")
    figure, axes = new_figure(drawing, width)
    drawing.draw(axes)
    return figure, axes, [text.get_text() for text in axes.texts]


@pytest.mark.parametrize("width", [NARROW, WIDE])
@pytest.mark.parametrize(
    "text", ["0.5", "0.401-0.602", "0.401 to 0.602 of 1.000 units"]
)
def test_margins_leave_room_for_the_plot_and_names_fit_into_theirs(width, text):
    pytest.importorskip("matplotlib", reason="needs the extra [plot]")
    figure, axes, texts = drawn(LONG, text, width)
    assert axes.get_position().width >= 0.299
    shown = texts[1::2]
    assert len(set(shown)) == len(LONG)
    # A number stands whole, or not at all.
    assert set(texts[2::2]) in ({text}, {""})
    assert set(texts[2::2]) == {text} or len(text) > 18
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    renderer = FigureCanvasAgg(figure).get_renderer()
    for label in axes.texts:
        box = label.get_window_extent(renderer)
        assert box.x0 >= -0.5
        assert box.x1 <= figure.bbox.x1 + 0.5


def test_short_names_are_left_alone():
    pytest.importorskip("matplotlib", reason="needs the extra [plot]")
    _, _, texts = drawn(["tree", "svm"], "0.5", NARROW, heading="all")
    assert texts == ["all", "tree", "0.5", "svm", "0.5"]


@pytest.mark.parametrize("limit", [8, 12, 20, 34])
@pytest.mark.parametrize(
    "names",
    [
        LONG,
        [f"a very long name of model {letter}" for letter in "ABCDEFGHIJKL"],
        [f"SpectralBiclustering(n_clusters=({k}, {k}), seed=0)" for k in (3, 4)],
        [f"{a * 50}{b}{a * 50}" for a in "xyz" for b in "12"],
        ["x" * 100, "x" * 101, "x"],
    ],
)  # fmt: skip
def test_names_cut_together_stay_different(names, limit):
    cut = short_names(names, limit)
    assert len(set(cut)) == len(names)
    assert max(map(len, cut)) <= limit
    assert all(c == n for c, n in zip(cut, names, strict=True) if len(n) <= limit)


def test_settings_keep_their_numbers_before_their_words():
    grid = [f"noise {i}, imbalance {j}" for i in (0, 0.2) for j in (0, 0.6)]
    for limit in (12, 14, 16, 20):
        for name, cut in zip(grid, short_names(grid, limit), strict=True):
            assert len(cut) <= limit
            numbers = [
                word for word in name.replace(",", "").split() if word[0] in "0."
            ]
            assert [x for x in cut.replace(",", "").split() if x[0] in "0."] == numbers


def test_equal_names_stay_equal_and_control_characters_do_not_pass():
    first, second = short_names(["a long enough name", "a long enough name"], 10)
    assert first == second
    assert short_names(["red\x1b[31m"], 20) == ["red\\x1b[31m"]
