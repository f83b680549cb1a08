"""Permutations of cases that come in groups: who moves, what that can show, levels."""

import math

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold
from sklearn.neighbors import NearestCentroid
from tests.assessing import assess_bare, only

import scorecast as sc
from scorecast.evaluation import feature_selection_test
from scorecast.evaluation.permutation.exchange import (
    draw_orders,
    exchangeable,
    moved,
    n_arrangements,
)
from scorecast.exceptions import InsufficientDataError

RNG = np.random.default_rng


def patients(n_changed=0, shift=3.0):
    """Twenty-four patients of three cases; a class is a patient's, but for a few."""
    rng, groups = RNG(0), np.repeat(np.arange(24), 3)
    y = groups % 2
    X = rng.normal(size=(72, 5))
    X[:, 0] += shift * y
    y = y.copy()
    y[[0, 9, 18, 30, 45][:n_changed]] ^= 1
    return X, y, groups


def test_whole_groups_and_cases_within_them_change_places():
    _, y, groups = patients(n_changed=1)
    orders = draw_orders(200, exchangeable(groups, y), 72, RNG(0))
    assert (np.sort(orders, axis=1) == np.arange(72)).all()
    blocks = groups[orders].reshape(200, 24, 3)
    assert (np.ptp(blocks, axis=2) == 0).all()  # a group stays together
    assert len({tuple(row[:, 0]) for row in blocks}) == 200  # and moves
    first = orders[:, :3] % 3
    assert len({tuple(row) for row in first}) == 6  # and forgets its order


def test_the_first_pool_moves_as_if_it_were_alone():
    """Cases without groups, and groups of one class, are drawn as they always were."""
    for groups in (None, np.repeat(np.arange(6), 2)):
        y = np.repeat([0, 1], 6) if groups is None else groups % 2
        pools = exchangeable(groups, y)
        assert len(pools) == 1
        places = RNG(5).permuted(np.tile(np.arange(len(pools[0])), (4, 1)), axis=1)
        expected = pools[0][places].reshape(4, 12)
        assert np.array_equal(draw_orders(4, pools, 12, RNG(5)), expected)


@pytest.mark.parametrize(
    ("groups", "y", "number", "still"),
    [
        (None, [0, 0, 1, 1], 6, 0),
        (None, np.arange(60.0), math.inf, 0),
        ([1, 1, 2, 2, 3, 3], [0, 0, 1, 1, 0, 0], 3, 0),
        ([1, 1, 2, 2, 3, 3], [0, 0, 0, 1, 0, 0], 3 * 2, 0),
        ([1, 2, 2, 3, 3, 3], [0, 1, 1, 0, 0, 0], 1, 6),
        ([1, 2, 2, 3, 3, 3], [0, 1, 1, 0, 1, 0], 3, 3),
    ],
)
def test_arrangements_are_counted(groups, y, number, still):
    y = np.array(y)
    pools = exchangeable(groups, y)
    assert n_arrangements(pools, y) == number
    assert y.size - moved(pools).size == still
    if math.isfinite(number):
        orders = draw_orders(500, pools, y.size, RNG(0))
        dealt = {tuple(y[np.argsort(order)]) for order in orders}
        assert len(dealt) == number


def test_one_relabelled_sample_does_not_flip_the_verdict():
    for n_changed in (0, 1):
        X, y, groups = patients(n_changed)
        call = {"groups": groups, "n_permutations": 99, "scoring": "accuracy"}
        tests = only(assess_bare("naive-bayes", X, y, **call)).null_tests
        assert tests.permuted.null_value == pytest.approx(0.46, abs=0.05)
        assert tests.permuted.p_rank == 0.01
        assert tests.verdict == "feasible"
        lucky = feature_selection_test(
            X, y, 1, groups=groups.tolist(), n_permutations=99, random_state=0
        )
        assert lucky.p_max_statistic[0] == 0.01


def unequal(n_more=0):
    sizes = [*range(2, 12), *([3] * n_more)]
    groups = np.repeat(np.arange(len(sizes)), sizes)
    y = groups % 2
    X = RNG(0).normal(size=(groups.size, 3))
    X[:, 0] += 6 * y
    return X, y, groups


def test_where_nothing_can_move_there_is_no_verdict():
    X, y, groups = unequal()
    call = {"groups": groups, "cv": "group5", "scoring": "accuracy"}
    found = only(assess_bare("nearest-centroid", X, y, n_permutations=None, **call))
    assert found.main.estimate == 1
    assert found.null_tests.verdict == "none"
    assert found.null_tests.permuted.status == "nothing-moves"
    assert math.isnan(found.null_tests.permuted.min_p_rank)
    assert math.isnan(found.null_tests.density.p_value)
    with pytest.raises(InsufficientDataError, match="nothing can be permuted"):
        sc.permutation_test(
            NearestCentroid(), X, y, cv=GroupKFold(5), groups=groups, n_permutations=9
        )


def test_few_arrangements_limit_the_smallest_p():
    """Three groups of three samples, two of one class: luck does as well in a third."""
    X, y, groups = unequal(n_more=2)
    call = {"groups": groups, "cv": "group5", "scoring": "accuracy"}
    found = assess_bare("nearest-centroid", X, y, n_permutations=99, **call)
    tests = only(found).null_tests
    assert tests.permuted.min_p_rank == pytest.approx(1 / 3)
    assert tests.permuted.p_rank >= 1 / 3
    assert (tests.permuted.n_immovable, found.n_samples) == (62, 71)
    assert (tests.verdict, tests.basis.remedy) == ("none", "other-groups")
    scores = sc.permutation_test(
        NearestCentroid(), X, y, cv=GroupKFold(5), groups=groups, n_permutations=99,
        random_state=0,
    )  # fmt: skip
    assert scores.smallest_p == pytest.approx(1 / 3)
    assert scores.p_value >= 1 / 3
    assert type(scores).from_dict(scores.to_dict()).smallest_p == scores.smallest_p


@pytest.mark.statistical
def test_the_level_holds_with_groups_of_several_classes():
    """Features that are a patient's and say nothing; cases alone would be believed."""
    kept = broken = 0
    runs, (_, y, groups) = 300, patients(n_changed=5)
    splits = list(GroupKFold(4).split(y, y, groups))
    for seed in range(runs):
        rng = RNG(seed)
        X = rng.normal(size=(24, 4))[groups] + 0.3 * rng.normal(size=(72, 4))
        options = {"n_permutations": 99, "random_state": seed}
        held, loose = (
            sc.permutation_test(
                NearestCentroid(), X, y, cv=splits, groups=own, **options
            ).p_value
            for own in (groups, None)
        )
        kept += held <= 0.05
        broken += loose <= 0.05
    assert kept <= 26  # of 15 expected: more has a chance of 0.3 %
    assert broken > 35
