"""The share of right samples, of samples that belong together too."""

import json

import numpy as np
import pytest
from tests.snapshot import assert_snapshot, page_text

import scorecast as sc
from scorecast._core.result import result_from_dict
from scorecast.evaluation import PROPORTION_INTERVALS
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError


def grouped(rng, n_groups, share, correlation):
    """Right and wrong in groups of 1, 2, 3 and 14, alike within groups."""
    sizes = rng.choice([1, 2, 3, 14], n_groups)
    chance = np.full(n_groups, share)
    if correlation > 0:
        worth = 1 / correlation - 1
        chance = rng.beta(share * worth, (1 - share) * worth, n_groups)
    unit = np.repeat(np.arange(n_groups), sizes)
    return (rng.random(unit.size) < chance[unit]).astype(int), unit


def held(n_groups, share, correlation, repeats):
    """How often the interval by groups, and the plain one, hold the truth."""
    rng = np.random.default_rng(n_groups)
    ours = plain = 0
    for _ in range(repeats):
        right, unit = grouped(rng, n_groups, share, correlation)
        whole = sc.evaluation.proportion_interval(right, groups=unit)
        alone = sc.evaluation.proportion_interval(right)
        ours += whole.low <= share <= whole.high
        plain += alone.low <= share <= alone.high
    return ours / repeats, plain / repeats


@pytest.mark.parametrize("method", PROPORTION_INTERVALS)
def test_without_groups_it_is_the_interval_of_the_registry(method):
    found = sc.evaluation.proportion_interval([1] * 18 + [0] * 2, method=method)
    ends = PROPORTION_INTERVALS[method].bounds(18, 20, 0.95)
    assert (found.low, found.high) == ends
    assert (found.n_groups, found.design_effect) == (None, 1.0)
    assert found == sc.evaluation.proportion_interval(18, 20, method=method)


def test_without_more_it_is_wilson():
    found = sc.evaluation.proportion_interval([True] * 18 + [False] * 2)
    assert found.method == "wilson"
    assert (found.low, found.high) == pytest.approx((0.698966, 0.972134), abs=1e-6)


def test_the_interval_of_groups_holds_quick():
    ours, plain = held(20, 0.8, 0.3, 300)
    assert ours >= 0.92
    assert plain < 0.85


@pytest.mark.statistical
@pytest.mark.parametrize("n_groups", [8, 12, 30, 60])
@pytest.mark.parametrize("share", [0.7, 0.9])
@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.7])
def test_the_interval_of_groups_holds(n_groups, share, correlation):
    ours, plain = held(n_groups, share, correlation, 1000)
    assert ours >= 0.92
    if correlation > 0:
        assert plain < 0.85


def test_copies_of_a_sample_are_worth_one():
    rng = np.random.default_rng(0)
    right = (rng.random(40) < 0.8).astype(int)
    copied = sc.evaluation.proportion_interval(
        np.repeat(right, 5), groups=np.repeat(range(40), 5)
    )
    alone = sc.evaluation.proportion_interval(right, groups=range(40))
    assert copied.design_effect == pytest.approx(5)
    assert (copied.low, copied.high) == pytest.approx((alone.low, alone.high))
    # Each sample by itself: hardly wider than Wilson's.
    plain = sc.evaluation.proportion_interval(right)
    assert alone.design_effect == 1
    assert 1 < (alone.high - alone.low) / (plain.high - plain.low) < 1.05


@pytest.mark.parametrize("value", [0, 1])
def test_where_all_are_alike_groups_are_what_counts(value):
    found = sc.evaluation.proportion_interval(
        [value] * 30, groups=np.repeat(range(6), 5)
    )
    assert found.design_effect == pytest.approx(5)
    assert (found.low, found.high)[value] == value
    assert 0.3 < found.high - found.low < 0.65


@pytest.mark.parametrize(
    ("right", "options", "error", "parameter", "row"),
    [
        ([1, 0, 2], {}, InvalidInputError, "successes", 3),
        ([1, 0, np.nan], {}, InvalidInputError, "successes", 3),
        (["yes"], {}, InvalidInputError, "successes", None),
        ([], {}, InsufficientDataError, "successes", None),
        (21, {"n_samples": 20}, UsageError, "successes", None),
        (3, {"n_samples": 0}, UsageError, "n_samples", None),
        (3, {"n_samples": 5, "groups": [1, 1, 2]}, UsageError, "groups", None),
        ([1, 0], {"groups": [1, 1]}, InsufficientDataError, "groups", None),
        ([1, 0], {"groups": [1]}, InvalidInputError, "groups", None),
        ([1, 0], {"groups": [1.0, np.nan]}, InvalidInputError, "groups", 2),
        ([1, 0], {"groups": [1, 2], "method": "wald"}, UsageError, "method", None),
        ([1, 0], {"method": "clustered-wilson-t"}, UsageError, "method", None),
        ([1, 0], {"confidence_level": 95}, UsageError, "confidence_level", None),
    ],
)
def test_what_has_no_share_is_refused(right, options, error, parameter, row):
    with pytest.raises(error) as caught:
        sc.evaluation.proportion_interval(np.array(right), **options)
    assert caught.value.parameter == parameter
    assert caught.value.location.row == row


def test_it_is_kept_and_said():
    right, unit = grouped(np.random.default_rng(0), 20, 0.8, 0.3)
    said = []
    for options in ({"groups": unit}, {}, {"method": "exact"}):
        found = sc.evaluation.proportion_interval(right, **options)
        again = result_from_dict(json.loads(json.dumps(found.to_dict())))
        assert again == found
        said.append(sc.render(again))
    assert_snapshot("proportion_interval", "\n\n\n".join(said))
    whole = sc.evaluation.proportion_interval(right, groups=unit)
    page = page_text(sc.render(whole, "html"))
    assert_snapshot("proportion_interval_page", page)
