"""What the reader of predictions is warned of."""

import numpy as np

from scorecast.recurrence.cautions import wide_intervals


def test_intervals_that_say_nothing_are_counted_with_the_rare_values_behind_them():
    n = 60
    X = np.zeros((n, 3))
    X[:4, 0] = 1.0  # rare
    X[::2, 1] = 1.0  # not rare
    X[:, 2] = np.arange(n)
    low, high = np.full(n, 1.0), np.full(n, 900.0)
    assert wide_intervals(low, high, X, ["a", "b", "c"]) == ()
    high[:3] = 2000.0
    (said,) = wide_intervals(low, high, X, ["a", "b", "c"])
    assert said.startswith("3 of 60 cases get a 90 % interval")
    assert "3 of them with a value that few cases have, of 'a':" in said
    high[:] = 900.0
    high[10] = np.inf
    (said,) = wide_intervals(low, high, X, ["a", "b", "c"])
    assert said.startswith("1 of 60 cases gets")
    assert said.endswith("too little is known of cases like these.")
