"""Profiles: known data give known descriptions."""

import sys

import numpy as np
import pytest
from scipy.stats import skew
from tests.snapshot import assert_snapshot

import scorecast as sc
from scorecast._core.result import result_from_dict
from scorecast.evaluation import data_profile
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError

# The function has the name of its file, and is what the package gives.
profiles = sys.modules["scorecast.evaluation.data_profile"]


def two_classes(n=80, m=12, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, m)), np.repeat([0, 1], [n // 4, n - n // 4])


def test_normal_independent_features():
    X, y = two_classes(400)
    found = data_profile(X, y)
    assert found.share_not_normal <= 1 / 12
    assert found.n_blocks == 0
    assert found.largest_block == 1
    assert 11 < found.effective_features <= 12
    assert found.balance == pytest.approx(1 / 3)
    assert found.samples_per_feature == 400 / 12


def test_skewed_features_are_seen_within_classes():
    X, y = two_classes(400)
    X = np.exp(X)
    found = data_profile(X, y)
    assert found.share_not_normal == 1
    rest = X - np.array([X[y == c].mean(axis=0) for c in (0, 1)])[y]
    assert found.skewness == pytest.approx(np.median(np.abs(skew(rest))))


def test_two_modes_are_the_classes_and_no_oddity():
    X, y = two_classes(400)
    X[y == 1] += 20
    found = data_profile(X, y)
    assert found.share_not_normal <= 1 / 12
    assert found.separation == pytest.approx(20, rel=0.15)


def test_copies_are_one_block_and_few_directions():
    X, y = two_classes()
    X[:, 4:8] = -X[:, [0]] + 0.01 * X[:, 4:8]
    found = data_profile(X, y)
    assert (found.n_blocks, found.largest_block) == (1, 5)
    assert found.effective_features < 8


def test_constant_features_are_counted_and_left_out():
    X, y = two_classes()
    X[:, 3] = 0.1
    assert data_profile(X, y).n_constant == 1
    flat = data_profile(np.ones_like(X), y)
    assert (flat.n_constant, flat.effective_features) == (12, 0)


def test_more_features_than_samples():
    X, y = two_classes(20, 300)
    found = data_profile(X, y)
    assert found.effective_features < 20
    assert result_from_dict(found.to_dict()).to_dict() == found.to_dict()
    assert len(set(map(len, found.to_columns().values()))) == 1
    assert_snapshot("data_profile", sc.render(found))


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"y": np.zeros(80)}, InsufficientDataError, "1 classes"),
        ({"y": [0, 1]}, InvalidInputError, "80 rows"),
        ({"X": np.full((80, 2), np.nan)}, InvalidInputError, "not finite"),
        ({"threshold": 1.5}, UsageError, "threshold"),
        ({"X": np.eye(3), "y": [0, 1, 1]}, InsufficientDataError, "3 samples"),
    ],
)
def test_bad_input_is_refused(change, error, words):
    X, y = two_classes()
    with pytest.raises(error, match=words):
        data_profile(**({"X": X, "y": y} | change))


def naive_blocks(X, y, threshold):
    rest = X - np.array([X[y == c].mean(axis=0) for c in np.unique(y)])[y]
    joined = np.abs(np.corrcoef(rest.T)) >= threshold
    left, sizes = set(range(X.shape[1])), []
    while left:
        edge, block = {left.pop()}, set()
        while edge:
            block |= edge
            edge = {j for i in edge for j in left if joined[i, j]}
            left -= edge
        sizes.append(len(block))
    return sum(size > 1 for size in sizes), max(sizes)


@pytest.mark.parametrize("strip", [1, 50, 10**6])
def test_blocks_do_not_depend_on_how_they_are_looked_for(monkeypatch, strip):
    rng = np.random.default_rng(0)
    y = np.arange(30) % 2
    X = rng.standard_normal((30, 5)) @ rng.standard_normal((5, 40))
    X += 0.5 * rng.standard_normal(X.shape)
    monkeypatch.setattr(profiles, "_STRIP", strip)
    found = data_profile(X, y, threshold=0.9)
    assert (found.n_blocks, found.largest_block) == naive_blocks(X, y, 0.9)
    assert found.n_blocks > 1


def test_too_many_features_leave_blocks_out(monkeypatch):
    monkeypatch.setattr(profiles, "_MOST_WORK", 10)
    rng = np.random.default_rng(0)
    found = data_profile(rng.normal(size=(20, 8)), np.arange(20) % 2)
    assert found.n_blocks is None
    assert result_from_dict(found.to_dict()).to_dict() == found.to_dict()


def test_luck_is_what_noise_shows_as_often_as_not():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [6, 10, 14])
    runs = [data_profile(rng.standard_normal((30, 50)), y) for _ in range(200)]
    share = np.mean([run.separation > run.separation_by_luck for run in runs])
    assert abs(share - 0.5) < 0.13
    numbers = [
        data_profile(
            rng.standard_normal((20, 50)), rng.standard_normal(20), task="regression"
        )
        for _ in range(200)
    ]
    share = np.mean([run.separation > run.separation_by_luck for run in numbers])
    assert abs(share - 0.5) < 0.11
