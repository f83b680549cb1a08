"""Which of two models is better: as the test has it, not as another statistic does."""

import json
from itertools import product

import numpy as np
import pytest

import scorecast as sc
from scorecast.report import render_text

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
    assert found.pairs[0].p < 0.05
    assert found.summary().startswith(f"{better} is better than {worse} ")
    assert f"{better} is better than {worse}: " in found.paragraph()
    pair = sc.compare_pair(
        *(table[x] for x in order), names=order, greater_is_better=greater
    )
    assert pair.better == better
    assert pair.summary().startswith(f"{better} is better than {worse}:")


@pytest.mark.parametrize("test", ["wilcoxon", "sign"])
def test_directions_survive_json(test):
    table = mostly_tied()
    for found in (
        sc.compare(table, pairs=test),
        sc.compare_pair(table["new"], table["old"], test=test),
    ):
        saved = json.loads(json.dumps(found.to_dict()))
        again = type(found).from_dict(saved)
        assert again.summary() == found.summary()
        assert "better than" in again.summary()


def test_answers_saved_without_a_direction_are_read():
    found = sc.compare_pair(BASE + 0.1, BASE, names=("new", "old"))
    saved = found.to_dict()
    del saved["result"]["direction"]
    assert sc.PairComparison.from_dict(saved).better == "new"


def test_the_sign_test_names_the_model_that_wins_more_often():
    # 18 wins by a little, 6 losses by much: the pseudo-median points the other way.
    rng = np.random.default_rng(0)
    gap = np.concatenate([rng.uniform(0.001, 0.002, 18), -rng.uniform(0.2, 0.3, 6)])
    level = rng.uniform(0.5, 0.8, 24)
    found = sc.compare({"a": level + gap, "b": level}, pairs="sign")
    assert found.pairs[0].p < 0.05
    assert found.summary().startswith("a is better than b")


def test_the_direction_of_a_pair_is_not_that_of_mean_ranks(contradiction):
    found = sc.compare(contradiction)
    pair = found.pair("A", "B")
    assert found.pair_test == "wilcoxon-pratt"
    assert found.differ("A", "B")
    assert pair.effect.difference > 0.02
    assert found.rank("A") > found.rank("B")
    assert found.beats("A", "B")
    assert not found.beats("B", "A")
    control = sc.compare(contradiction, control="A")
    assert "is better than B" in control.summary()
    assert "is better than B" in " ".join(render_text(control).split())
    told = control.paragraph().split("the better first: ")[1]
    assert "A and B (" in told


@pytest.mark.parametrize("pairs", ["ranks", "aligned", "quade"])
@pytest.mark.parametrize("greater", [True, False])
def test_ranks_point_where_ranks_do(pairs, greater):
    rng = np.random.default_rng(1)
    values = rng.uniform(0.5, 0.8, (25, 1)) + np.array([0, 0.05, 0.1])
    values = values + rng.normal(0, 0.01, values.shape)
    found = sc.compare(values, pairs=pairs, greater_is_better=greater)
    assert found.beats("model 3", "model 1") == greater
    assert found.beats("model 1", "model 3") == (not greater)


def test_ranks_decide_where_ranks_are_tested(contradiction):
    found = sc.compare(contradiction, pairs="ranks", post_hoc="none")
    ranks_say = found.rank("B") < found.rank("A")
    assert (found.pair("A", "B").direction < 0) == ranks_say


@pytest.mark.parametrize("kind", [bool, int, float])
def test_noughts_and_ones_are_right_and_wrong(kind):
    rng = np.random.default_rng(0)
    a = (rng.random(300) < 0.9).astype(kind)
    b = np.where(rng.random(300) < 0.15, 0, a).astype(kind)
    found = sc.compare_pair(a, b)
    assert found.found.test == "mcnemar-mid-p"
    assert found.better == "a"
    assert found.p == sc.compare({"a": a * 1.0, "b": b * 1.0}).pairs[0].p
    # Asked for, signed ranks of noughts and ones have a direction too.
    assert sc.compare_pair(a * 1.0, b * 1.0, test="wilcoxon").better == "a"
    # Splits stay splits.
    assert sc.compare_pair(a, b, test_ratio=0.1).found.test == "corrected-t"


def test_a_first_fold_against_the_mean_gives_no_verdict():
    # p of the t-test is about the first fold alone: -0.3, while the mean is +0.17.
    gaps = np.full((5, 2), 0.2) + np.linspace(-0.02, 0.02, 10).reshape(5, 2)
    gaps[0] = -0.3, -0.28
    gaps[1:] += 0.1
    found = sc.compare_pair(gaps, 0 * gaps, test="5x2cv-t")
    assert found.p < 0.001
    assert found.found.difference > 0.1
    assert found.better is None
    assert not found.is_significant
    assert "opposite ways" in found.warnings[0]
    assert render_text(found).count("opposite ways") == 1
    agreed = sc.compare_pair(np.abs(gaps), 0 * gaps, test="5x2cv-t")
    assert (agreed.better, agreed.warnings) == ("a", ())


def test_split_zeros_are_said_not_to_be_exact():
    sizes = np.array([0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8.0])
    held = {}
    for zeros in ("pratt", "drop", "split"):
        held[zeros] = np.array([
            sc.compare_pair(sizes * signs, 0 * sizes, test="wilcoxon", zeros=zeros).p
            for signs in (np.r_[np.ones(4), s] for s in product((-1, 1), repeat=8))
        ])  # fmt: skip
    # Exact: every level that p can take is kept to the letter.
    for zeros in ("pratt", "drop"):
        for level in np.unique(held[zeros]):
            assert (held[zeros] <= level).mean() == pytest.approx(level, abs=1e-12)
    least = held["split"].min()
    assert least == pytest.approx(0.0059, abs=5e-5)
    assert (held["split"] <= least).mean() == 2 / 256  # 0.0078
    gaps = np.linspace(-1, 2, 12)
    for zeros, exact in (("pratt", True), ("drop", True), ("split", False)):
        found = sc.compare_pair(gaps, 0 * gaps, zeros=zeros)
        assert any("approximate" in x for x in found.assumptions) == (not exact)


def test_with_ties_interval_and_p_may_disagree_and_p_decides():
    rng = np.random.default_rng(3)
    disagreed = 0
    for _ in range(60):
        gaps = np.round(rng.normal(0.4, 1, 20))
        found = sc.compare_pair(gaps, 0 * gaps, test="wilcoxon")
        outside = not found.found.low <= 0 <= found.found.high
        disagreed += outside != (found.p <= 0.05)
        assert (found.better is not None) == (found.p <= 0.05)
    assert disagreed > 0
