import numpy as np
import pytest

from scorecast.exceptions import (
    DataWarning,
    InsufficientDataError,
    InvalidInputError,
)
from scorecast.scores import Scores, rank_true_classes


def test_scores_keep_single_precision_and_turn_distances_round():
    kept = Scores(np.eye(3, dtype=np.float32), [0, 1, 2])
    assert kept.values.dtype == np.float32
    turned = Scores([[0, 5], [7, 1]], [0, 1], greater_is_better=False)
    assert turned.values.tolist() == [[0, -5], [-7, -1]]


def test_small_integers_do_not_wrap_round():
    distances = np.array([[-128, 1], [1, -128]], dtype=np.int8)
    scores = Scores(distances, [0, 1], greater_is_better=False)
    assert rank_true_classes(scores).beaten_totals.tolist() == [0, 0]


def test_big_endian_and_unsigned_arrays_are_read_rightly():
    plain = np.array([[3.0, 1.0], [2.0, 9.0]])
    for dtype in (">f8", ">f4", "u8", "f2", "?"):
        other = Scores(plain.astype(dtype), [0, 1])
        assert np.isfinite(other.values).all()


def test_a_probability_of_zero_is_legal_but_not_a_whole_row():
    Scores([[0.0, -np.inf], [-np.inf, 0.0]], [0, 1])
    with pytest.raises(InvalidInputError, match="Row 2"):
        Scores([[0.0, 1.0], [-np.inf, -np.inf]], [0, 1])
    with pytest.raises(InvalidInputError, match="row 1, column 2"):
        Scores([[0.0, np.inf], [0.0, 1.0]], [0, 1])


@pytest.mark.parametrize(
    ("values", "labels", "words"),
    [
        (np.full((2, 2), np.nan), [0, 1], "row 1, column 1"),
        (np.zeros((2, 3), complex), [0, 1], "numbers"),
        (np.array([["a", "b"]]), [0], "numbers"),
        (np.zeros(4), [0], "two dimensions"),
        (np.zeros((2, 2, 2)), [0], "two dimensions"),
        (np.zeros((0, 3)), [0], "empty"),
        (np.zeros((2, 5)), [0, 1, 2, 3, 4], "transposed"),
        (np.zeros((4, 5)), [0, 1], "2 labels for 4 rows"),
    ],
)
def test_unusable_scores_are_refused_in_one_line(values, labels, words):
    with pytest.raises(InvalidInputError, match=words) as caught:
        Scores(values, labels)
    assert "\n" not in str(caught.value)


def test_one_class_cannot_be_confused_with_anything():
    with pytest.raises(InsufficientDataError, match="One class only"):
        Scores([[1.0], [2.0]], [0, 0])


def test_scores_that_look_like_distances_raise_a_warning():
    rng = np.random.default_rng(0)
    distances = rng.random((200, 5)) + 1 - np.eye(5)[np.arange(200) % 5]
    with pytest.warns(DataWarning, match="smaller-is-better"):
        Scores(distances, np.arange(200) % 5)


def test_a_subset_forgets_the_other_classes_and_their_examples():
    scores = Scores(np.arange(12.0).reshape(4, 3), list("abcb"), classes=list("abc"))
    part = scores.subset(np.array([0, 2]))
    assert part.values.tolist() == [[0, 2], [6, 8]]
    assert part.own.tolist() == [0, 1]
    assert part.classes == ("a", "c")


def test_column_names_of_a_data_frame_are_classes():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"zebra": [9.0, 1.0], "ant": [1.0, 9.0], "bee": [0.0, 0.0]})
    scores = Scores(frame, ["zebra", "ant"])
    assert scores.classes == ("zebra", "ant", "bee")
    assert rank_true_classes(scores).beaten_totals.tolist() == [0, 0]
    by_number = Scores(frame, [0, 1])
    assert by_number.own.tolist() == [0, 1]
