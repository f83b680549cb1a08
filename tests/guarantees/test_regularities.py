"""Regularities: known data give known descriptions."""

import numpy as np
import pytest
from scipy.stats import skew

from scorecast import data_regularities
from scorecast._core.results import result_from_dict
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError


def two_classes(n=80, m=12, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, m)), np.repeat([0, 1], [n // 4, n - n // 4])


def test_normal_independent_features():
    X, y = two_classes(400)
    found = data_regularities(X, y)
    assert found.share_not_normal <= 1 / 12
    assert found.n_blocks == 0
    assert found.largest_block == 1
    assert 11 < found.effective_features <= 12
    assert found.balance == pytest.approx(1 / 3)
    assert found.cases_per_feature == 400 / 12


def test_skewed_features_are_seen_within_classes():
    X, y = two_classes(400)
    X = np.exp(X)
    found = data_regularities(X, y)
    assert found.share_not_normal == 1
    rest = X - np.array([X[y == c].mean(axis=0) for c in (0, 1)])[y]
    assert found.skewness == pytest.approx(np.median(np.abs(skew(rest))))


def test_two_modes_are_the_classes_and_no_oddity():
    X, y = two_classes(400)
    X[y == 1] += 20
    found = data_regularities(X, y)
    assert found.share_not_normal <= 1 / 12
    assert found.separation == pytest.approx(20, rel=0.15)


def test_copies_are_one_block_and_few_directions():
    X, y = two_classes()
    X[:, 4:8] = -X[:, [0]] + 0.01 * X[:, 4:8]
    found = data_regularities(X, y)
    assert (found.n_blocks, found.largest_block) == (1, 5)
    assert found.effective_features < 8


def test_constant_features_are_counted_and_left_out():
    X, y = two_classes()
    X[:, 3] = 0.1
    assert data_regularities(X, y).n_constant == 1
    flat = data_regularities(np.ones_like(X), y)
    assert (flat.n_constant, flat.effective_features) == (12, 0)


def test_more_features_than_cases_json_and_words():
    X, y = two_classes(20, 300)
    found = data_regularities(X, y)
    assert found.effective_features < 20
    assert "300 features" in found.summary()
    assert result_from_dict(found.to_dict()).to_dict() == found.to_dict()
    assert len(set(map(len, found.to_columns().values()))) == 1


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"y": np.zeros(80)}, InsufficientDataError, "1 classes"),
        ({"y": [0, 1]}, InvalidInputError, "80 rows"),
        ({"X": np.full((80, 2), np.nan)}, InvalidInputError, "not finite"),
        ({"threshold": 1.5}, UsageError, "threshold"),
        ({"X": np.eye(3), "y": [0, 1, 1]}, InsufficientDataError, "3 cases"),
    ],
)
def test_bad_input_is_refused_in_words(change, error, words):
    X, y = two_classes()
    with pytest.raises(error, match=words):
        data_regularities(**({"X": X, "y": y} | change))
