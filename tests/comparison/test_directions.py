"""Which of two models is better: as the test has it, not as another statistic does."""

import json
import re
from itertools import product

import numpy as np
import pytest

import scorecast as sc
from scorecast.comparison import PAIR_TESTS
from scorecast.comparison.signed_ranks import pseudo_median

BASE = np.linspace(0.1, 0.4, 40)


def mostly_tied(n_better=8):
    """Two models that tie on most data sets; the new one never loses."""
    gap = np.zeros(40)
    gap[:n_better] = np.linspace(0.05, 0.08, n_better)
    return {"new": BASE + gap, "old": BASE}


@pytest.fixture
def contradiction():
    """A beats B by signed ranks, but other models give B the better mean rank."""
    rng = np.random.default_rng(0)
    n = 40
    wins = np.arange(n) < 28
    gap = np.where(wins, rng.uniform(0.05, 0.1, n), -rng.uniform(0.001, 0.005, n))
    a = 0.7 + rng.normal(0, 0.01, n)
    # Where B wins, the others lie between the two; where A wins, above both.
    others = {
        f"m{j}": np.where(wins, a + 0.2 + 0.01 * j, a - gap * (j + 1) / 5)
        for j in range(4)
    }
    return {"A": a, "B": a - gap, **others}


@pytest.mark.parametrize("order", [("new", "old"), ("old", "new")])
@pytest.mark.parametrize("greater", [True, False])
def test_rows_that_are_mostly_tied_have_a_direction(order, greater):
    table = mostly_tied()
    better, worse = ("new", "old") if greater else ("old", "new")
    found = sc.compare({x: table[x] for x in order}, greater_is_better=greater)
    assert found.pairs[0].p_value < 0.05
    assert found.beats(better, worse)
    assert found.better_first(found.pairs[0])[:2] == (better, worse)
    pair = sc.compare_pair(
        *(table[x] for x in order), names=order, greater_is_better=greater
    )
    assert pair.better == better


@pytest.mark.parametrize("test", ["wilcoxon", "sign"])
def test_directions_survive_json(test):
    table = mostly_tied()
    for found in (
        sc.compare(table, test=test),
        sc.compare_pair(table["new"], table["old"], test=test),
    ):
        saved = json.loads(json.dumps(found.to_dict()))
        again = type(found).from_dict(saved)
        assert again.to_dict() == saved
        assert again.summary() == found.summary()


def test_the_sign_test_names_the_model_that_wins_more_often():
    # 18 wins by a little, 6 losses by much: the pseudo-median points the other way.
    rng = np.random.default_rng(0)
    gap = np.concatenate([rng.uniform(0.001, 0.002, 18), -rng.uniform(0.2, 0.3, 6)])
    level = rng.uniform(0.5, 0.8, 24)
    found = sc.compare({"a": level + gap, "b": level}, test="sign")
    assert found.pairs[0].p_value < 0.05
    assert found.beats("a", "b")


def test_the_direction_of_a_pair_is_not_that_of_mean_ranks(contradiction):
    found = sc.compare(contradiction)
    pair = found.pair("A", "B")
    assert found.test == "wilcoxon"
    assert found.differ("A", "B")
    assert pair.effect.difference > 0.02
    assert found.ranks["A"] > found.ranks["B"]
    assert found.beats("A", "B")
    assert not found.beats("B", "A")
    control = sc.compare(contradiction, control="A")
    assert control.beats("A", "B")
    assert control.better_first(control.pair("A", "B"))[:2] == ("A", "B")


@pytest.mark.parametrize("pairs", ["ranks", "aligned", "quade"])
@pytest.mark.parametrize("greater", [True, False])
def test_ranks_point_where_ranks_do(pairs, greater):
    rng = np.random.default_rng(1)
    values = rng.uniform(0.5, 0.8, (25, 1)) + np.array([0, 0.05, 0.1])
    values = values + rng.normal(0, 0.01, values.shape)
    found = sc.compare(values, test=pairs, greater_is_better=greater)
    assert found.beats("model 3", "model 1") == greater
    assert found.beats("model 1", "model 3") == (not greater)


def test_ranks_decide_where_ranks_are_tested(contradiction):
    found = sc.compare(contradiction, test="ranks", post_hoc="none")
    ranks_say = found.ranks["B"] < found.ranks["A"]
    assert (found.pair("A", "B").direction < 0) == ranks_say


@pytest.mark.parametrize("kind", [bool, int, float])
def test_noughts_and_ones_are_right_and_wrong(kind):
    rng = np.random.default_rng(0)
    a = (rng.random(300) < 0.9).astype(kind)
    b = np.where(rng.random(300) < 0.15, 0, a).astype(kind)
    found = sc.compare_pair(a, b)
    assert found.test == "mcnemar-mid-p"
    assert found.better == "a"
    assert found.p_value == sc.compare({"a": a * 1.0, "b": b * 1.0}).pairs[0].p_value
    # Asked for, signed ranks of noughts and ones have a direction too.
    assert sc.compare_pair(a * 1.0, b * 1.0, test="wilcoxon").better == "a"
    # Splits stay splits.
    assert sc.compare_pair(a, b, test_ratio=0.1).test == "corrected-t"


def test_a_first_fold_against_the_mean_gives_no_verdict():
    # p of the t-test is about the first fold alone: -0.3, while the mean is +0.17.
    gaps = np.full((5, 2), 0.2) + np.linspace(-0.02, 0.02, 10).reshape(5, 2)
    gaps[0] = -0.3, -0.28
    gaps[1:] += 0.1
    found = sc.compare_pair(gaps, 0 * gaps, test="5x2cv-t")
    assert found.p_value < 0.001
    assert found.effect.difference > 0.1
    assert found.better is None
    assert not found.is_significant
    assert found.is_first_fold_contrary
    assert sc.render(found).count("opposite") == 1
    agreed = sc.compare_pair(np.abs(gaps), 0 * gaps, test="5x2cv-t")
    assert (agreed.better, agreed.is_first_fold_contrary) == ("a", False)


def test_split_zeros_are_said_not_to_be_exact():
    sizes = np.array([0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8.0])
    held = {}
    for test in ("wilcoxon", "wilcoxon-drop", "wilcoxon-zsplit"):
        held[test] = np.array([
            sc.compare_pair(sizes * signs, 0 * sizes, test=test).p_value
            for signs in (np.r_[np.ones(4), s] for s in product((-1, 1), repeat=8))
        ])  # fmt: skip
    # Exact: every level that p can take is kept to the letter.
    for test in ("wilcoxon", "wilcoxon-drop"):
        assert PAIR_TESTS[test].is_exact
        for level in np.unique(held[test]):
            assert (held[test] <= level).mean() == pytest.approx(level, abs=1e-12)
    split = held["wilcoxon-zsplit"]
    assert not PAIR_TESTS["wilcoxon-zsplit"].is_exact
    assert split.min() == pytest.approx(0.0059, abs=5e-5)
    assert (split <= split.min()).mean() == 2 / 256  # 0.0078


def test_with_ties_interval_and_p_may_disagree_and_p_decides():
    rng = np.random.default_rng(3)
    disagreed = 0
    for _ in range(60):
        gaps = np.round(rng.normal(0.4, 1, 20))
        found = sc.compare_pair(gaps, 0 * gaps, test="wilcoxon")
        outside = not found.effect.low <= 0 <= found.effect.high
        disagreed += outside != (found.p_value <= 0.05)
        assert (found.better is not None) == (found.p_value <= 0.05)
    assert disagreed > 0


def tied(seed=0, n=20, k=4):
    """A table in which most results tie."""
    return np.where(np.random.default_rng(seed).random((n, k)) < 0.5, 0.7, 0.8)


def test_ties_are_allowed_for_by_default_and_the_plain_form_stays(published_table):
    first = sc.compare(tied(), rows="datasets").omnibus[0]
    assert first.test == "iman-davenport-tie-corrected"
    plain = sc.compare(tied(), omnibus="iman-davenport").omnibus[0]
    assert plain.test == "iman-davenport"
    assert plain.p_value > first.p_value
    # As printed, which ignores the ties of the published table.
    data = np.array(published_table["data"])
    asked = sc.compare(data, omnibus="iman-davenport").omnibus[0]
    assert round(asked.statistic, 4) == 14.3087
    assert sc.compare(np.random.default_rng(0).random((12, 4))).omnibus[0].test == (
        "iman-davenport"
    )


def shared_best():
    """Six data sets on which two models share the best mean rank."""
    low = np.full(6, 0.5)
    c = np.array([0.9, 0.9, 0.9, 0.7, 0.7, 0.7])
    d = np.array([0.8, 0.8, 0.8, 0.9, 0.9, 0.9])
    return {"low": low, "c": c, "d": d}


@pytest.mark.parametrize("greater", [True, False])
def test_models_that_share_the_best_rank_are_all_named_and_go_by_the_mean(greater):
    values = shared_best()
    if not greater:
        values = {name: 1 - x for name, x in values.items()}
    found = sc.compare(values, greater_is_better=greater)
    assert found.ranks["c"] == found.ranks["d"] == 1.5
    assert found.order == ("d", "c", "low")
    assert found.bests == ("d", "c")
    written = sc.render(found, "latex")
    assert r"\textbf{c}" in written
    assert r"\textbf{d}" in written
    assert found.cliques[0][:2] == ("d", "c")


@pytest.mark.parametrize("greater", [True, False])
@pytest.mark.parametrize("order", [("new", "old"), ("old", "new")])
def test_the_difference_is_that_of_the_better_less_the_worse(order, greater):
    rng = np.random.default_rng(0)
    old = rng.uniform(0.6, 0.8, 20)
    gap = 0.05 if greater else -0.05
    table = {"new": old + gap + rng.normal(0, 0.005, 20), "old": old}
    many = sc.compare({x: table[x] for x in order}, greater_is_better=greater)
    pair = sc.compare_pair(
        table[order[0]], table[order[1]], names=order, greater_is_better=greater
    )
    gaps = table["new"] - table["old"]
    middle, low, high = pseudo_median(gaps, 0.95)
    for found in (many.better_first(many.pairs[0]), pair.better_first()):
        effect = found[2]
        assert found[:2] == ("new", "old")
        assert (effect.difference, effect.low, effect.high) == pytest.approx(
            (middle, low, high)
        )
    effect = many.better_first(many.pairs[0])[2]
    assert (effect.wins, effect.losses) == (20, 0)
    assert effect.low <= effect.difference <= effect.high


def test_a_pseudo_median_of_nought_has_the_mean_difference_beside_it():
    gaps = np.r_[np.full(27, 1.0), np.zeros(115), np.full(58, -1.0)]
    base = np.linspace(5, 9, 200)
    a, b = base + gaps, base
    mean, half = gaps.mean(), 1.971957 * gaps.std(ddof=1) / np.sqrt(200)
    many = sc.compare({"a": a, "b": b}, rows="datasets")
    assert many.pairs[0].effect.difference == 0
    assert many.pairs[0].p_value < 0.01
    pair = sc.compare_pair(a, b, test="wilcoxon")
    for found in (many.pairs[0].mean, pair.mean):
        assert (found.n_zero, found.n) == (115, 200)
        assert (found.mean, found.low, found.high) == pytest.approx(
            (mean, mean - half, mean + half), rel=1e-5
        )
    # Where the pseudo-median says what differs, nothing is added.
    assert sc.compare({"a": a + 0.5, "b": b}, rows="datasets").pairs[0].mean is None
    assert sc.compare_pair(a + 0.5, b, test="wilcoxon").mean is None


def test_few_of_many_hidden_means_are_said():
    rng = np.random.default_rng(0)
    table = 5 + np.arange(40.0)[:, None] + (rng.random((40, 4)) < [0, 0, 0.2, 0.22])
    found = sc.compare(table, post_hoc="none", test="sign")
    n_hidden = sum(pair.mean is not None for pair in found.pairs)
    assert n_hidden > 3
    assert len(re.findall(r"pseudo-median\b", sc.render(found))) == 3
