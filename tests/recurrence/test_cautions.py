"""What the reader of predictions is warned of."""

import numpy as np

from scorecast.recurrence.cautions import cohort_cautions, wide_intervals
from scorecast.recurrence.settings import fit_lines

ALL_WELL = {"n_ridged": 0, "n_fits": 2, "ridge": 0.0, "fewest_events": 10}


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
    assert said.startswith("3 of 60 cases (rows 1, 2, 3) get a 90 % interval")
    assert "all of them have a value that few cases have, of 'a' (" in said
    high[:] = 900.0
    high[10] = np.inf
    (said,) = wide_intervals(low, high, X, ["a", "b", "c"])
    assert said.startswith("1 of 60 cases (row 11) gets")
    assert said.endswith("too little is known of cases like these.")


def test_every_wide_interval_is_accounted_for():
    n = 60
    X = np.zeros((n, 1))
    X[:4] = 1.0  # rare
    low, high = np.full(n, 1.0), np.full(n, 2000.0)
    high[4:10] = 5000.0
    (said,) = wide_intervals(low, high, X, ["a"], longest=3000.0)
    assert "4 of them have a value that few cases have, of 'a'" in said
    assert "6 of the others end beyond the longest follow-up" in said
    assert said.endswith("too little is known of cases like the other 50.")
    high[4:] = 5000.0
    (said,) = wide_intervals(low, high, X, ["a"], longest=3000.0)
    assert "; the others end beyond the longest follow-up" in said
    assert "too little" not in said
    (said,) = wide_intervals(low, high, np.zeros((n, 1)), ["a"], longest=10.0)
    assert said.startswith("60 of 60 cases (rows 1, 2, 3, 4, 5, ...) get a 90 %")
    (other,) = wide_intervals(low, high, X, ["a"], level=0.95)
    assert "get a 95 % interval" in other
    assert ": all of them end beyond the longest follow-up" in said


def cohort(n=60):
    rng = np.random.default_rng(5)
    time = np.round(rng.exponential(5.0, n) + 0.1, 3)
    return rng, time, rng.random(n) < 0.5


def test_leaks_are_looked_for_where_nobody_chose_the_columns():
    rng, time, event = cohort()
    later = time + (rng.random(60) < 0.5) * rng.exponential(2.0, 60)
    dead = np.where(event, 1.0, rng.random(60) < 0.3)
    number = 100.0 + rng.permutation(60)
    age = np.round(rng.normal(65.0, 7.0, 60))  # above all times, and no leak
    X = np.column_stack([later, number, dead, age, rng.normal(size=60)])
    names = ["survived", "id", "death", "age", "psa"]
    found = cohort_cautions(X, time, event, names, chosen=False)
    assert len(found) == 3
    for text, name, words in zip(
        found,
        names,
        ("never below the time", "another whole number", "1 wherever the event"),
        strict=False,
    ):
        assert f"Column '{name}'" in text
        assert words in text
        assert f"--drop '{name}'" in text
        assert "--covariates" in text
    assert cohort_cautions(X, time, event, names) == ()


def test_a_mark_that_nearly_all_have_is_no_leak():
    _, time, event = cohort()
    mark = np.ones((60, 1))
    mark[np.flatnonzero(~event)[0]] = 0.0
    assert cohort_cautions(mark, time, event, ["mark"], chosen=False) == ()


def test_few_events_are_said_once_and_in_one_wording():
    _, time, event = cohort()
    event[:] = False
    event[:3] = True
    X = np.random.default_rng(0).normal(size=(60, 1))
    few = "events were seen: predictions lean on the prior of the model."
    assert fit_lines(ALL_WELL, 3) == [f"Only 3 {few}"]
    assert fit_lines(ALL_WELL | {"fewest_events": 2}, 3) == [f"Only 3 {few}"]
    (left,) = fit_lines(ALL_WELL | {"fewest_events": 9}, 10)
    assert left.startswith("Of 10 events only 9 are left to learn from in a fold")
    assert fit_lines(ALL_WELL, 11) == []
    assert cohort_cautions(X, time, event, ["x"]) == ()  # said already


def test_columns_that_give_one_another_away_are_named():
    rng, time, event = cohort()
    kind = rng.integers(0, 3, 60)
    X = np.column_stack([(kind == k) * 1.0 for k in range(3)] + [rng.normal(size=60)])
    (said,) = cohort_cautions(X, time, event, ["a", "b", "c", "free"])
    assert said.startswith("'a', 'b', 'c' all but determine one another")
    age = rng.normal(60.0, 6.0, 60)
    X = np.column_stack([age, np.log(age), X[:, 0]])
    X[3, 1] = np.nan
    (said,) = cohort_cautions(X, time, event, ["age", "log:age", "free"])
    assert said.startswith("'age', 'log:age' all but")
    assert cohort_cautions(X[:, [0, 2]], time, event, ["age", "free"]) == ()
