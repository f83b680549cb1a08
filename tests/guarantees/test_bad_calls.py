"""Slips of a call get one line of scorecast's own, never Python's."""

import numpy as np
import pytest

from scorecast.exceptions import InvalidInputError, UsageError
from scorecast.guarantees import assess

X = np.random.default_rng(0).normal(size=(40, 5))
Y = np.arange(40) % 2


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"y": None}, InvalidInputError, "y must hold one target per row of X"),
        ({"y": "kind"}, InvalidInputError, "one target per row of X; got 'kind'"),
        (
            {"learning_curve": [1, 2]},
            UsageError,
            "`learning_curve` must be True, False",
        ),
        ({"learning_curve": 5}, UsageError, "3 growing whole numbers of cases"),
        ({"feature_curve": None}, UsageError, "`feature_curve` must be True, False"),
        ({"losses": []}, UsageError, "`losses` is empty: leave it out, or name one of"),
        ({"losses": 3}, UsageError, "`losses` must be one of"),
        ({"aim": "high", "learning_curve": True}, UsageError, "`aim` must be a value"),
        ({"groups": 3}, InvalidInputError, "give one per row"),
        ({"sampling": [1, 2]}, UsageError, "pairs of rows"),
    ],
)
def test_one_line_of_ones_own(change, error, words):
    call = {"X": X, "y": Y, **change}
    with pytest.raises(error, match=words) as found:
        assess("svm", n_permutations=0, n_null_data=0, **call)
    assert "\n" not in str(found.value)
