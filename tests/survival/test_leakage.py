"""What the reader of predictions is warned of: leaks, copies, wide intervals."""

import numpy as np

from scorecast.survival import SurvivalData, SurvivalNote
from scorecast.survival.leakage import covariate_notes, wide_intervals


def samples(X, names, time=None, event=None, longest=np.inf):
    n = len(X)
    time = np.full(n, longest) if time is None else time
    event = np.ones(n, dtype=bool) if event is None else event
    return SurvivalData(X, time, event, tuple(names))


def cohort(n=60):
    rng = np.random.default_rng(5)
    time = np.round(rng.exponential(5.0, n) + 0.1, 3)
    return rng, time, rng.random(n) < 0.5


def test_intervals_that_say_nothing_are_counted_with_the_rare_values_behind_them():
    n = 60
    X = np.zeros((n, 3))
    X[:4, 0] = 1.0  # rare
    X[::2, 1] = 1.0  # not rare
    X[:, 2] = np.arange(n)
    given = samples(X, "abc")
    low, high = np.full(n, 1.0), np.full(n, 900.0)
    assert wide_intervals(low, high, given) is None
    high[:3] = 2000.0
    found = wide_intervals(low, high, given)
    assert (found.n_wide, found.rows) == (3, (1, 2, 3))
    assert (found.n_rare, found.rare_covariates, found.n_unseen) == (3, ("a",), 0)
    high[:] = 900.0
    high[10] = np.inf
    found = wide_intervals(low, high, samples(X, "abc", longest=np.inf))
    assert (found.rows, found.n_rare, found.n_unseen) == ((11,), 0, 0)


def test_every_wide_interval_is_accounted_for():
    n = 60
    X = np.zeros((n, 1))
    X[:4] = 1.0  # rare
    given = samples(X, "a", longest=3000.0)
    low, high = np.full(n, 1.0), np.full(n, 2000.0)
    high[4:10] = 5000.0
    found = wide_intervals(low, high, given)
    assert (found.n_wide, found.n_rare, found.n_unseen) == (60, 4, 6)
    high[4:] = 5000.0
    found = wide_intervals(low, high, given)
    assert (found.n_wide, found.n_rare, found.n_unseen) == (60, 4, 56)
    found = wide_intervals(low, high, samples(np.zeros((n, 1)), "a", longest=10.0))
    assert found.rows == (1, 2, 3, 4, 5)
    assert (found.n_rare, found.n_unseen) == (0, 60)


def test_leaks_are_looked_for_where_nobody_chose_the_columns():
    rng, time, event = cohort()
    later = time + (rng.random(60) < 0.5) * rng.exponential(2.0, 60)
    dead = np.where(event, 1.0, rng.random(60) < 0.3)
    number = 100.0 + rng.permutation(60)
    age = np.round(rng.normal(65.0, 7.0, 60))  # above all times, and no leak
    X = np.column_stack([later, number, dead, age, rng.normal(size=60)])
    given = samples(X, ["survived", "id", "death", "age", "psa"], time, event)
    found = covariate_notes(given, look_for_leaks=True)
    assert {note.code for note in found} == {SurvivalNote.LEAK}
    assert [note.names for note in found] == [
        ("survived", "later-time"),
        ("id", "row-number"),
        ("death", "outcome"),
    ]
    assert covariate_notes(given, look_for_leaks=False) == ()


def test_a_mark_that_nearly_all_have_is_no_leak():
    _, time, event = cohort()
    mark = np.ones((60, 1))
    mark[np.flatnonzero(~event)[0]] = 0.0
    given = samples(mark, ["mark"], time, event)
    assert covariate_notes(given, look_for_leaks=True) == ()


def test_columns_that_give_one_another_away_are_named():
    rng, time, event = cohort()
    kind = rng.integers(0, 3, 60)
    X = np.column_stack([(kind == k) * 1.0 for k in range(3)] + [rng.normal(size=60)])
    given = samples(X, ["a", "b", "c", "free"], time, event)
    (note,) = covariate_notes(given, look_for_leaks=False)
    assert (note.code, note.names) == (SurvivalNote.DETERMINED, ("a", "b", "c"))
    age = rng.normal(60.0, 6.0, 60)
    X = np.column_stack([age, np.log(age), X[:, 0]])
    X[3, 1] = np.nan
    given = samples(X, ["age", "log:age", "free"], time, event)
    (note,) = covariate_notes(given, look_for_leaks=False)
    assert note.names == ("age", "log:age")
    assert covariate_notes(given.columns([0, 2]), look_for_leaks=False) == ()
