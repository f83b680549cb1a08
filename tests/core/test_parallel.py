import numpy as np
import pytest

from scorecast._core.checks import check_class_counts, check_n_jobs
from scorecast._core.codec import jsonable
from scorecast._core.parallel import map_tasks, map_threads
from scorecast._core.result import result_from_dict
from scorecast._core.rng import as_generator
from scorecast.exceptions import InvalidInputError, UsageError


def draw(task, rng):
    return task + rng.random()


def test_the_answer_does_not_depend_on_the_number_of_workers():
    answers = [
        map_tasks(draw, range(6), rng=np.random.default_rng(0), n_jobs=n)
        for n in (None, 1, 2)
    ]
    assert answers[0] == answers[1] == answers[2]
    assert len(set(answers[0])) == 6


def test_threads_keep_the_order():
    squares = [
        map_threads(lambda x: x * x, range(9), n_jobs=n) for n in (1, 2, None, -1)
    ]
    assert all(s == [x * x for x in range(9)] for s in squares)


def test_seeds_of_every_kind_become_generators():
    first = as_generator(7).random()
    assert as_generator(7).random() == first
    assert as_generator(np.int64(7)).random() == first
    live = np.random.default_rng(1)
    assert as_generator(live) is live
    old = np.random.RandomState(3)  # scikit-learn's users pass them
    assert 0 <= as_generator(old).random() < 1
    for bad in (-1, 1.5, "seed"):
        with pytest.raises(UsageError, match="random_state"):
            as_generator(bad)


def test_what_is_not_finite_becomes_null():
    value = {"a": np.array([1.0, np.nan]), 2: (np.float32(0.5), np.inf), "b": {True}}
    assert jsonable(value) == {"a": [1.0, None], "2": [0.5, None], "b": [True]}


@pytest.mark.parametrize("data", [{}, {"kind": "magic"}, [], None])
def test_what_is_no_result_is_refused(data):
    with pytest.raises(InvalidInputError, match="not a result that scorecast saved"):
        result_from_dict(data)


def test_counts_of_classes_are_whole_numbers():
    assert check_class_counts(5, "to").tolist() == [5]
    assert check_class_counts([2.0, np.int32(3)], "to").tolist() == [2, 3]
    for bad in ("12", [0], [1.5], [], [None], 10**13, [True, "x"]):
        with pytest.raises(UsageError, match="to"):
            check_class_counts(bad, "to")
    with pytest.raises(UsageError, match="n_jobs"):
        check_n_jobs(0)
