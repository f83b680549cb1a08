import numpy as np
import pytest

from scorecast.exceptions import InvalidInputError
from scorecast.scores.labels import match_labels


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
        (["9" * 5000, "1"], None, "Name the columns"),
        ([float("inf")], None, "whole numbers"),
        ([[0], [1]], None, "not lists"),
        ([0, 3], None, "outside 0..2"),
        ([-1, 0], None, "-1"),
        ([0.5], None, "whole numbers"),
        ([float("nan")], None, "whole numbers"),
        (["a", "b"], None, "2 distinct values for 3"),
        (["a", 1], None, "Name the columns"),
        (["a", "x"], ["a", "b", "c"], "'x'"),
        ([0], ["a", "b"], "2 class labels"),
        ([0], ["a", "b", "a"], "more than once"),
        ([], None, "no labels"),
        (np.zeros((2, 2)), None, "one per example"),
    ],
)
def test_labels_without_a_column_are_refused(labels, classes, words):
    with pytest.raises(InvalidInputError, match=words):
        match_labels(labels, 3, classes)
