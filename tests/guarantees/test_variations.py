"""Data at hand, made smaller, noisier or less balanced."""

import numpy as np
import pandas as pd
import pytest

import scorecast as sc
from scorecast.exceptions import InsufficientDataError, UsageError
from scorecast.guarantees.settings.estimate import SetScores, setting_estimate
from scorecast.guarantees.settings.variations import Variations


def data(counts=(60, 30, 10), m=5, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.array(["a", "b", "c"])[: len(counts)], counts)
    X = rng.normal(size=(y.size, m)) * np.arange(1, m + 1)
    return X, y


def varied(task="classification", **factors):
    return Variations(sources={"d": data()}, task=task)(random_state=1, **factors)


def test_nothing_asked_leaves_the_data_as_they_are():
    X, y = varied()
    assert X.tolist() == data()[0].tolist()
    assert y.tolist() == data()[1].tolist()


@pytest.mark.parametrize("n", [10, 37, 100])
def test_cases_are_drawn_in_the_proportions_of_classes(n):
    X, y = varied(n=n)
    assert X.shape == (n, 5)
    counts = np.unique(y, return_counts=True)[1]
    assert np.abs(counts - n * np.array([0.6, 0.3, 0.1])).max() <= 1
    whole, labels = data()
    rows = [np.flatnonzero((whole == row).all(axis=1)).item() for row in X]
    assert len(set(rows)) == n  # each case once, with its own label
    assert labels[rows].tolist() == y.tolist()


@pytest.mark.parametrize("imbalance", [0.0, 0.5, 0.8])
def test_imbalance_is_what_the_rarest_class_falls_short(imbalance):
    _, y = varied(imbalance=imbalance)
    counts = dict(zip(*np.unique(y, return_counts=True), strict=True))
    assert counts["c"] == 10 or counts["a"] == 60  # as many as can be
    assert counts["c"] / counts["a"] == pytest.approx(1 - imbalance, abs=0.06)


def test_noise_stays_in_its_share_of_the_range_and_reaches_it():
    X, _ = varied(noise=0.1)
    whole = data()[0]
    moved = np.abs(X - whole) / np.ptp(whole, axis=0)
    assert moved.max() <= 0.1
    assert (moved.max(axis=0) > 0.09).all()


def test_the_same_cases_come_with_noise_or_without_and_features_are_subsets():
    few, y = varied(n=20)
    noisy, same = varied(n=20, noise=1e-9)
    assert y.tolist() == same.tolist()
    np.testing.assert_allclose(noisy, few, atol=1e-6)
    narrow, _ = varied(n=20, m=2)
    kept = [j for j in range(5) if any((few[:, j] == col).all() for col in narrow.T)]
    assert len(kept) == 2


def test_a_frame_stays_a_frame_and_text_has_no_noise():
    X, y = data()
    frame = pd.DataFrame(X, columns=list("vwxyz")).assign(word="w")
    source = Variations(sources={"d": (frame, y)}, task="classification")
    found, labels = source(random_state=0, n=30, noise=0.2)
    assert list(found.columns) == [*"vwxyz", "word"]
    assert set(found["word"]) == {"w"}
    assert len(found) == len(labels) == 30


def test_numbers_are_drawn_without_classes():
    X, _ = data()
    source = Variations(sources={"d": (X, X[:, 0])}, task="regression")
    found, y = source(random_state=0, n=12)
    assert found[:, 0].tolist() == y.tolist()
    assert y.size == 12
    with pytest.raises(UsageError, match="these targets are numbers"):
        source(random_state=0, imbalance=0.5)


@pytest.mark.parametrize(
    ("factors", "message", "error"),
    [
        ({"n": 101}, "Of the 100 cases of d", InsufficientDataError),
        ({"n": 3}, "from 4 to 100 can be drawn", InsufficientDataError),
        ({"n": 2.5}, "whole number", UsageError),
        ({"m": 0}, "Of the 5 features of d, from 1 to 5", InsufficientDataError),
        ({"noise": 2}, "share of the range", UsageError),
        ({"noise": "much"}, "share of the range", UsageError),
        ({"imbalance": 1}, "below 1", UsageError),
        ({"imbalance": 0.0, "n": 60}, "30 at most", InsufficientDataError),
    ],
)
def test_what_cannot_be_made_is_refused(factors, message, error):
    with pytest.raises(error, match=message):
        varied(**factors)


def scores(estimate):
    return SetScores(
        estimate=estimate, low=estimate - 0.1, high=estimate + 0.1, df=9.0,
        folds=(estimate,) * 3, test_ratio=0.5, n=2000, m=3, greater_is_better=True,
        units=2000.0,
    )  # fmt: skip


FACTS = {"setting": "s", "values": {}, "data": "d", "model": "a", "loss": "accuracy",
         "limits": (0.0, 1.0)}  # fmt: skip


def test_draws_from_the_same_cases_do_not_make_one_surer():
    draws = [scores(x) for x in (0.70, 0.71, 0.69, 0.70)]
    apart = setting_estimate(draws, FACTS, level=0.95)
    together = setting_estimate(draws, FACTS, level=0.95, overlap=True)
    assert apart.high - apart.low < 0.05
    assert together.high - together.low == pytest.approx(0.2)
    assert together.estimate == pytest.approx(0.7)
    assert len(together.sets) == 1  # so that pairs are tested as splits of one data set
    assert len(together.folds) == 12


def test_data_at_hand_vary_in_one_call_and_share_their_error():
    X, y = data((40, 40))
    X[:, 0] += 3 * (y == "a")
    found = sc.assess_settings(
        "naive-bayes", {"d": (X, y)}, settings={"n": [20, 60], "m": [2, 5]},
        sampling="cv4", n_sets=2,
    )  # fmt: skip
    assert {row.setting for row in found.rows} == {
        "n 20, m 2", "n 20, m 5", "n 60, m 2", "n 60, m 5",
    }  # fmt: skip
    assert {row.data for row in found.rows} == {"data at hand"}
    assert {(row.n, row.m) for row in found.rows} == {
        (20, 2),
        (20, 5),
        (60, 2),
        (60, 5),
    }
    pooled = found.bound("naive-bayes", "pooled")
    single = min(row.high - row.low for row in found.rows)
    assert pooled.high - pooled.low > 0.8 * single  # nothing is gained by drawing again
    new = found.bound("naive-bayes", "new-setting")
    assert new.low <= pooled.low + 1e-12
    assert new.high >= pooled.high - 1e-12


def test_the_same_data_cannot_be_drawn_twice_and_none_is_refused():
    with pytest.raises(UsageError, match="stay the same"):
        sc.assess_settings("naive-bayes", {"d": data()}, n_sets=2)
    with pytest.raises(UsageError, match="is empty"):
        sc.assess_settings("naive-bayes", {}, settings={"n": [20]})
