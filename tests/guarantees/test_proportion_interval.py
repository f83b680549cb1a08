"""The share of right cases, of cases that belong together too."""

import json

import numpy as np
import pytest

import scorecast as sc
from scorecast.evaluation import wilson
from scorecast.exceptions import InsufficientDataError, InvalidInputError
from scorecast.report import render_html, render_text
from scorecast.report.html import Report


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
        whole = sc.proportion_interval(right, groups=unit)
        alone = sc.proportion_interval(right)
        ours += whole.low <= share <= whole.high
        plain += alone.low <= share <= alone.high
    return ours / repeats, plain / repeats


def test_without_groups_it_is_wilson():
    found = sc.proportion_interval([1] * 18 + [0] * 2)
    assert (found.low, found.high) == wilson(18, 20, 0.95)
    assert found.n_groups is None


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


def test_copies_of_a_case_are_worth_one():
    rng = np.random.default_rng(0)
    right = (rng.random(40) < 0.8).astype(int)
    copied = sc.proportion_interval(np.repeat(right, 5), groups=np.repeat(range(40), 5))
    alone = sc.proportion_interval(right, groups=range(40))
    assert copied.design_effect == pytest.approx(5)
    assert (copied.low, copied.high) == pytest.approx((alone.low, alone.high))
    # Each case by itself: hardly wider than Wilson's.
    plain = sc.proportion_interval(right)
    assert alone.design_effect == 1
    assert 1 < (alone.high - alone.low) / (plain.high - plain.low) < 1.05


@pytest.mark.parametrize("value", [0, 1])
def test_where_all_are_alike_groups_are_what_counts(value):
    found = sc.proportion_interval([value] * 30, groups=np.repeat(range(6), 5))
    assert found.design_effect == pytest.approx(5)
    assert (found.low, found.high)[value] == value
    assert 0.3 < found.high - found.low < 0.65


@pytest.mark.parametrize(
    ("right", "groups", "error", "said"),
    [
        ([1, 0, 2], None, InvalidInputError, "case 3 has 2"),
        ([1, 0, np.nan], None, InvalidInputError, "case 3 has nan"),
        (["yes"], None, InvalidInputError, "vector of 1"),
        ([], None, InsufficientDataError, "no case"),
        ([1, 0], [1, 1], InsufficientDataError, "at least two"),
        ([1, 0], [1], InvalidInputError, "one entry for each of 2"),
        ([1, 0], [1.0, np.nan], InvalidInputError, "lacks the group of case 2"),
    ],
)
def test_what_has_no_share_is_refused(right, groups, error, said):
    with pytest.raises(error, match=said):
        sc.proportion_interval(np.array(right), groups=groups)


def test_it_is_written_and_read_back():
    right, unit = grouped(np.random.default_rng(0), 20, 0.8, 0.3)
    found = sc.proportion_interval(right, groups=unit)
    again = sc.ProportionInterval.from_dict(json.loads(json.dumps(found.to_dict())))
    assert again.to_dict() == found.to_dict()
    assert "in 20 groups" in found.summary()
    assert "Assumes" in render_text(found)
    assert "clustered-wilson-t" in render_html(Report(results=(found,)))
