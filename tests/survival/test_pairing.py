"""Cases and what belongs to them, whichever way they come."""

import numpy as np
import pandas as pd
import pytest

import scorecast as sc
from scorecast.exceptions import InvalidInputError
from scorecast.survival.data import check_survival
from scorecast.survival.held_out import _deal


def tables(cohort):
    X, time, event = cohort(n=40)
    frame = pd.DataFrame(X, columns=["a", "b"])
    return frame, pd.Series(time), pd.Series(event.astype(int))


def test_equal_indexes_and_arrays_pair(cohort):
    X, time, event = tables(cohort)
    order = np.random.default_rng(0).permutation(40)
    shuffled = [part.iloc[order] for part in (X, time, event)]
    np.testing.assert_array_equal(check_survival(*shuffled).X, X.to_numpy()[order])
    mixed = check_survival(X.iloc[order], time.to_numpy()[order], event.iloc[order])
    np.testing.assert_array_equal(mixed.time, time[order])


def test_indexes_that_differ_are_refused(cohort, stub):
    X, time, event = tables(cohort)
    mixed = X.sample(frac=1, random_state=1)
    with pytest.raises(InvalidInputError, match="`time`: its index has its"):
        sc.SurvivalModel().fit(mixed, time, event)
    with pytest.raises(InvalidInputError, match="`event`: its index has other"):
        check_survival(X, time, event.set_axis(np.arange(40) + 7))
    with pytest.raises(InvalidInputError, match="another order"):
        sc.evaluate_survival(stub(), mixed, time, event, cv=2)
    folds = pd.Series(np.arange(40) % 2, index=mixed.index)
    with pytest.raises(InvalidInputError, match="`cv`: its index"):
        sc.evaluate_survival(stub(), X, time, event, cv=folds)
    assert stub.fits == []


def test_columns_are_those_of_the_fit(cohort, short):
    X, time, event = tables(cohort)
    model = sc.SurvivalModel(sampling=short, allow_unconverged=True)
    with pytest.warns(sc.exceptions.ResultWarning):
        model.fit(X, time, event)
    assert model.predict_median(X[:2]).shape == (2,)
    with pytest.raises(InvalidInputError, match=r"another order .* Give 'a', 'b'"):
        model.predict_median(X[["b", "a"]])
    with pytest.raises(InvalidInputError, match="columns that are not those"):
        model.predict_median(X.rename(columns={"a": "c"}))
    with pytest.raises(InvalidInputError, match="must not be below zero; got -1"):
        model.predict_survival_function(X, [-1.0])


@pytest.mark.parametrize("cv", [2, 4, 5])
def test_two_events_leave_one_to_learn_from_in_every_fold(cv):
    event = np.arange(20) < 2
    (row,) = _deal(event, cv, 1, np.random.default_rng(0))
    assert all(event[row != k].any() for k in range(cv))
