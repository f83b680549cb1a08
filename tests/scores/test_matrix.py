import numpy as np
import pytest

from scorecast.exceptions import (
    DataWarning,
    InsufficientDataError,
    InvalidInputError,
    Location,
)
from scorecast.scores import Scores, match_labels, rank_true_classes


def test_scores_keep_single_precision_and_turn_distances_round():
    kept = Scores(np.eye(3, dtype=np.float32), [0, 1, 2])
    assert kept.values.dtype == np.float32
    turned = Scores([[0, 5], [7, 1]], [0, 1], greater_is_better=False)
    assert turned.values.tolist() == [[0, -5], [-7, -1]]


def test_small_integers_do_not_wrap_round():
    distances = np.array([[-128, 1], [1, -128]], dtype=np.int8)
    scores = Scores(distances, [0, 1], greater_is_better=False)
    assert rank_true_classes(scores).n_above.tolist() == [0, 0]


def test_big_endian_and_unsigned_arrays_are_read_rightly():
    plain = np.array([[3.0, 1.0], [2.0, 9.0]])
    for dtype in (">f8", ">f4", "u8", "f2", "?"):
        other = Scores(plain.astype(dtype), [0, 1])
        assert np.isfinite(other.values).all()


def test_a_probability_of_zero_is_legal_but_not_a_whole_row():
    Scores([[0.0, -np.inf], [-np.inf, 0.0]], [0, 1])
    with pytest.raises(InvalidInputError) as caught:
        Scores([[0.0, 1.0], [-np.inf, -np.inf]], [0, 1])
    assert caught.value.location == Location(row=2)
    with pytest.raises(InvalidInputError) as caught:
        Scores([[0.0, np.inf], [0.0, 1.0]], [0, 1])
    assert caught.value.location == Location(row=1, column="2")


@pytest.mark.parametrize(
    ("values", "labels", "parameter", "words"),
    [
        (np.full((2, 2), np.nan), [0, 1], "scores", "row 1"),
        (np.zeros((2, 3), complex), [0, 1], "scores", "numbers"),
        (np.array([["a", "b"]]), [0], "scores", "numbers"),
        (np.zeros(4), [0], "scores", "two dimensions"),
        (np.zeros((2, 2, 2)), [0], "scores", "two dimensions"),
        (np.zeros((0, 3)), [0], "scores", "empty"),
        (np.zeros((2, 5)), [0, 1, 2, 3, 4], "y_true", "[Tt]ranspose"),
        (np.zeros((4, 5)), [0, 1], "y_true", "2 labels for 4 rows"),
    ],
)
def test_unusable_scores_are_refused_in_one_line(values, labels, parameter, words):
    with pytest.raises(InvalidInputError, match=words) as caught:
        Scores(values, labels)
    assert caught.value.parameter == parameter
    assert "\n" not in str(caught.value)


def test_one_class_cannot_be_confused_with_anything():
    with pytest.raises(InsufficientDataError):
        Scores([[1.0], [2.0]], [0, 0])


@pytest.mark.parametrize("sign", [1, -1])
def test_scores_whose_direction_looks_wrong_raise_a_warning(sign):
    rng = np.random.default_rng(0)
    own = np.arange(200) % 5
    distances = rng.random((200, 5)) + 1 - np.eye(5)[own]
    is_greater = sign == 1
    with pytest.warns(DataWarning) as caught:
        scores = Scores(sign * distances, own, greater_is_better=is_greater)
    assert scores.looks_reversed
    assert caught[0].message.parameter == "greater_is_better"
    assert caught[0].filename == __file__
    right = Scores(sign * distances, own, greater_is_better=not is_greater)
    assert not right.looks_reversed


def test_a_subset_forgets_the_other_classes_and_their_samples():
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
    assert rank_true_classes(scores).n_above.tolist() == [0, 0]
    by_number = Scores(frame, [0, 1])
    assert by_number.own.tolist() == [0, 1]


# Labels ---------------------------------------------------------------------------


def columns(labels, n_classes, classes=None):
    return match_labels(labels, n_classes, classes)[0].tolist()


def test_whole_numbers_are_column_numbers():
    assert columns([2, 0, 1], 3) == [2, 0, 1]
    assert columns(np.array([1.0, 0.0]), 2) == [1, 0]
    assert columns([True, False], 2) == [1, 0]
    assert columns(["1", "0"], 5) == [1, 0]


def test_text_is_taken_in_sorted_order_if_every_class_occurs():
    own, classes = match_labels(["b", "a", "c", "a"], 3)
    assert own.tolist() == [1, 0, 2, 0]
    assert classes == ("a", "b", "c")


def test_labels_of_any_hashable_kind_are_looked_up():
    classes = [("de", 1), None, frozenset({3})]
    assert columns([None, ("de", 1)], 3, classes) == [1, 0]


def test_odd_names_stay_distinct():
    classes = ["NA", "None", "nan", "", "007", "7", "TRUE", "1e5"]
    assert columns(classes[::-1], 8, classes) == list(range(8))[::-1]


def test_numbers_find_columns_whose_header_is_text():
    assert columns([7, 5], 2, ["5", "7"]) == [1, 0]


def test_numbers_of_every_kind_are_column_numbers():
    assert columns([np.int64(2), np.float32(1)], 3) == [2, 1]
    assert columns([2.0, 0.0], 2, ["0", "2"]) == [1, 0]


@pytest.mark.parametrize(
    ("labels", "classes", "words"),
    [
        ([np.int64(1), np.int64(3)], None, "start at 1"),
        ([99999999999999999999, 0], None, "outside"),
        (["9" * 5000, "1"], None, "[Nn]ame the columns"),
        ([float("inf")], None, "whole numbers"),
        ([[0], [1]], None, "not lists"),
        ([0, 3], None, "outside 0 to 2"),
        ([-1, 0], None, "-1"),
        ([0.5], None, "whole numbers"),
        ([float("nan")], None, "whole numbers"),
        (["a", "b"], None, "2 distinct values for 3"),
        (["a", 1], None, "[Nn]ame the columns"),
        (["a", "x"], ["a", "b", "c"], "'x'"),
        ([0], ["a", "b"], "2 class labels"),
        ([0], ["a", "b", "a"], "more than once"),
        ([], None, "no labels"),
        (np.zeros((2, 2)), None, "one for each sample"),
    ],
)
def test_labels_without_a_column_are_refused(labels, classes, words):
    with pytest.raises(InvalidInputError, match=words):
        match_labels(labels, 3, classes)
