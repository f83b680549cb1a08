"""Agreement with hidden biclusters: printed values, oracles, loops, chance."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import hypergeom
from tests.biclusters.conftest import FOUND, HIDDEN, planted_matrix, random_sets

import scorecast as sc
from scorecast.biclusters import AGREEMENT_MEASURES, ScoringNote, as_bicluster_set
from scorecast.biclusters.agreement import (
    Overlaps,
    _assigned_total,
    measure_agreement,
    random_like,
    shared_counts,
)

SHAPE = (7, 5)


def sets(found, hidden, shape=SHAPE):
    return as_bicluster_set(found, shape=shape), as_bicluster_set(hidden, shape=shape)


def jaccard(a, b):
    return len(a & b) / len(a | b)


def cells(pair):
    return {(int(i), int(j)) for i in pair[0] for j in pair[1]}


def parts(pair, on):
    if on == "cells":
        return cells(pair)
    return {int(x) for x in pair[0 if on == "rows" else 1]}


def slow_relevance(found, hidden, on):
    best = [max(jaccard(parts(b, on), parts(h, on)) for h in hidden) for b in found]
    return sum(best) / len(best)


def slow_best_pairs(found, hidden, weight, value):
    """Try every assignment; return the value of those with the most weight."""
    short, long = sorted((found, hidden), key=len)
    return max(
        (
            sum(weight(a, b) for a, b in zip(short, chosen, strict=True)),
            sum(value(a, b) for a, b in zip(short, chosen, strict=True)),
        )
        for chosen in itertools.permutations(long, len(short))
    )


def slow_cell_errors(found, hidden):
    counts = []
    for own in (found, hidden):
        times = {}
        for pair in own:
            for cell in cells(pair):
                times[cell] = times.get(cell, 0) + 1
        counts.append(times)
    every = {*counts[0], *counts[1]}
    ends = [(counts[0].get(c, 0), counts[1].get(c, 0)) for c in every]
    union, common = sum(map(max, ends)), sum(map(min, ends))
    shared = slow_best_pairs(
        found, hidden, *2 * (lambda a, b: len(cells(a) & cells(b)),)
    )[0]
    return (union - common) / union, (union - shared) / union


def slow_f(found, hidden, on):
    values = []
    owners = [
        max(
            range(len(hidden)),
            key=lambda h: (
                len(parts(b, on) & parts(hidden[h], on)) / len(parts(hidden[h], on)),
                -h,
            ),
        )
        for b in found
    ]
    for h, pair in enumerate(hidden):
        mine = [
            parts(b, on)
            for b, owner in zip(found, owners, strict=True)
            if owner == h and parts(b, on) & parts(pair, on)
        ]
        joined = set().union(*mine) if mine else set()
        hits = len(joined & parts(pair, on))
        if hits == 0:
            values.append((0.0, 0.0, 0.0))
            continue
        p, r = hits / len(joined), hits / len(parts(pair, on))
        values.append((2 * p * r / (p + r), p, r))
    return tuple(float(np.mean(x)) for x in zip(*values, strict=True))


def slow_entropy(found, hidden, on, n):
    members = [{h for h, x in enumerate(hidden) if i in parts(x, on)} for i in range(n)]
    kinds = len(hidden) + any(not m for m in members)
    if kinds < 2:
        return 0.0
    total = weight = 0.0
    for b in found:
        share = [0.0] * (len(hidden) + 1)
        own = parts(b, on)
        most = max(
            range(len(hidden)), key=lambda h: (len(own & parts(hidden[h], on)), -h)
        )
        for i in own:
            kinds_of = {most} if most in members[i] else members[i] or {len(hidden)}
            for h in kinds_of:
                share[h] += 1 / len(kinds_of) / len(own)
        total += len(own) * sum(-p * math.log(p) for p in share if p > 1e-15)
        weight += len(own)
    return total / weight / math.log(kinds)


def test_values_of_the_formula_book(by_hand):
    values = measure_agreement(*sets(*by_hand, shape=(10, 8)))
    expected = {
        "relevance-rows": 0.5388888888888889,
        "recovery-rows": 0.7083333333333333,
        "relevance-columns": 0.5555555555555555,
        "relevance": 0.3719576719576719,
        "recovery": 0.5222222222222221,
        "consensus": 0.3481481481481481,
        "rnia": 0.5172413793103449,
        "clustering-error": 0.5517241379310345,
    }
    for name, value in expected.items():
        assert values[name] == pytest.approx(value, abs=1e-12), name


def test_scikit_learn_agrees_on_the_consensus():
    from sklearn.metrics import consensus_score

    rng = np.random.default_rng(0)
    for _ in range(60):
        found, hidden = sets(random_sets(rng, SHAPE), random_sets(rng, SHAPE))
        expected = consensus_score(
            (found.rows, found.columns), (hidden.rows, hidden.columns)
        )
        assert measure_agreement(found, hidden)["consensus"] == pytest.approx(expected)
    pair = [([0, 1, 2], [0, 1]), ([3, 4, 5], [2, 3])]
    other = [([0, 1], [0, 1, 2]), ([2, 3, 4, 5], [3])]
    value = measure_agreement(*sets(pair, other, (6, 4)))["consensus"]
    assert value == pytest.approx(0.4642857143, abs=1e-10)


def test_every_measure_equals_plain_loops():
    rng = np.random.default_rng(1)
    for _ in range(40):
        found, hidden = random_sets(rng, SHAPE, 3), random_sets(rng, SHAPE, 3)
        values = measure_agreement(*sets(found, hidden))
        expected = {
            "consensus": slow_best_pairs(
                found, hidden, *2 * (lambda a, b: jaccard(cells(a), cells(b)),)
            )[0]
            / max(len(found), len(hidden)),
            "relevance": slow_relevance(found, hidden, "cells"),
            "recovery": slow_relevance(hidden, found, "cells"),
        }
        expected["rnia"], expected["clustering-error"] = slow_cell_errors(found, hidden)
        for n, on in zip(SHAPE, ("rows", "columns"), strict=True):
            expected[f"relevance-{on}"] = slow_relevance(found, hidden, on)
            expected[f"recovery-{on}"] = slow_relevance(hidden, found, on)
            f, p, r = slow_f(found, hidden, on)
            expected |= {f"f-{on}": f, f"precision-{on}": p, f"recall-{on}": r}
            expected[f"entropy-{on}"] = slow_entropy(found, hidden, on, n)
        assert values == pytest.approx(expected)
        assert list(values) == list(AGREEMENT_MEASURES)


def test_the_consensus_may_be_assigned_by_shared_cells():
    rng = np.random.default_rng(2)
    differ = 0
    for _ in range(60):
        found, hidden = random_sets(rng, SHAPE, 3), random_sets(rng, SHAPE, 3)
        own, other = sets(found, hidden)
        overlaps = Overlaps(found=own, hidden=other)
        by_cells = measure_agreement(own, other, "overlap")["consensus"]
        by_index = measure_agreement(own, other)["consensus"]
        # Pairs with as many shared cells may differ in value: compare the weight.
        weight, _ = slow_best_pairs(
            found,
            hidden,
            lambda a, b: len(cells(a) & cells(b)),
            lambda a, b: jaccard(cells(a), cells(b)),
        )
        assert _assigned_total(overlaps.cells, overlaps.cells) == weight
        assert by_cells <= by_index + 1e-12
        differ += by_cells < by_index - 1e-12
    assert differ > 0


@pytest.mark.parametrize("share", [0.02, 0.5])
def test_sparse_and_dense_counts_are_the_same(share):
    rng = np.random.default_rng(3)
    first, second = rng.random((30, 400)) < share, rng.random((20, 400)) < share
    expected = (first[:, None, :] & second[None]).sum(axis=2)
    assert np.array_equal(shared_counts(first, second), expected)


def test_the_same_biclusters_are_perfect_in_any_order():
    rng = np.random.default_rng(4)
    for _ in range(20):
        own = random_sets(rng, (30, 20))
        values = measure_agreement(*sets(own[::-1], own, (30, 20)))
        for name in ("recovery", "relevance", "consensus", "recovery-rows"):
            assert values[name] == 1
        for name in ("rnia", "clustering-error"):
            assert values[name] == pytest.approx(0)


@pytest.mark.parametrize("measure", AGREEMENT_MEASURES.values(), ids=lambda m: m.name)
def test_claims_of_a_measure_hold(measure):
    rng = np.random.default_rng(6)
    best = measure.high if measure.greater_is_better else measure.low
    perfect, symmetric = [], []
    for _ in range(60):
        one, other = sets(random_sets(rng, SHAPE), random_sets(rng, SHAPE))
        forth, back = (
            measure.evaluate(Overlaps(found=a, hidden=b))
            for a, b in ((one, other), (other, one))
        )
        assert measure.low - 1e-12 <= forth <= measure.high + 1e-12
        symmetric.append(forth == pytest.approx(back))
        same = measure.evaluate(Overlaps(found=one, hidden=one))
        perfect.append(same == pytest.approx(best))
    assert all(perfect) == measure.is_perfect_at_identity
    assert all(symmetric) == measure.is_symmetric


def test_the_same_biclusters_are_pure_though_they_overlap():
    own = [([0, 1, 2], [0, 1]), ([2, 3, 4], [1, 2])]
    values = measure_agreement(*sets(own, own))
    assert values["entropy-rows"] == values["entropy-columns"] == 0
    assert values["f-rows"] == values["f-columns"] == 1


def test_a_perfect_oracle_has_score_one_on_planted_biclusters(planted):
    X, hidden = planted
    answer = sc.score_biclusters(hidden, truth=hidden, data=X, n_random=20)
    assert answer.agreement["consensus"].value == 1
    assert answer.agreement["f-rows"].value == 1
    assert answer.agreement["entropy-columns"].value == pytest.approx(0)


def test_nothing_in_common_is_zero_and_clustering_error_is_never_below_rnia():
    values = measure_agreement(*sets([([0, 1], [0, 1])], [([2, 3], [2, 3])]))
    assert values["consensus"] == values["recovery"] == values["f-rows"] == 0
    assert values["rnia"] == values["clustering-error"] == 1
    rng = np.random.default_rng(5)
    for _ in range(40):
        values = measure_agreement(
            *sets(random_sets(rng, SHAPE), random_sets(rng, SHAPE))
        )
        assert values["clustering-error"] >= values["rnia"] - 1e-12


def test_nothing_found_counts_as_zero():
    answer = sc.score_biclusters([], truth=HIDDEN, shape=(10, 8))
    assert (
        answer.agreement["recovery"].value == answer.agreement["relevance"].value == 0
    )
    assert answer.agreement["consensus"].value == 0
    assert (
        answer.agreement["rnia"].value
        == answer.agreement["clustering-error"].value
        == 1
    )
    assert math.isnan(answer.agreement["entropy-rows"].value)
    assert [note.code for note in answer.notes] == [ScoringNote.NOTHING_FOUND]


def test_random_biclusters_are_near_the_computed_chance_level():
    """One hidden bicluster: the expected Jaccard index of rows is exact."""
    n, m, a, h = 50, 20, 12, 15
    hidden = [(np.arange(h), np.arange(6))]
    found = [(np.arange(a), np.arange(5))]
    k = np.arange(0, min(a, h) + 1)
    exact = float((hypergeom(n, h, a).pmf(k) * k / (a + h - k)).sum())
    answer = sc.score_biclusters(found, truth=hidden, shape=(n, m), n_random=200)
    row = answer.agreement["relevance-rows"]
    error = row.chance_std / math.sqrt(200)
    assert abs(row.chance - exact) < 4 * error
    # And a set that is random is not called better than chance more than rarely.
    rng = np.random.default_rng(0)
    own, _ = sets(found, hidden, (n, m))
    p = [
        sc.score_biclusters(
            random_like(own, rng),
            truth=hidden,
            shape=(n, m),
            n_random=19,
            random_state=rng,
        )
        .agreement["recovery"]
        .p_value
        for _ in range(40)
    ]
    assert np.mean(np.array(p) <= 0.05) < 0.15
    assert np.mean(p) > 0.35


def test_random_draws_keep_sizes():
    own = as_bicluster_set(FOUND, shape=(10, 8))
    other = random_like(own, np.random.default_rng(0))
    assert np.array_equal(own.row_sizes, other.row_sizes)
    assert np.array_equal(own.column_sizes, other.column_sizes)


@pytest.mark.slow
def test_the_answer_does_not_depend_on_workers(planted):
    X, hidden = planted
    found = [hidden[0], (np.arange(30, 50), np.arange(3))]
    one, two = (
        sc.score_biclusters(found, truth=hidden, data=X, n_random=10, n_jobs=jobs)
        for jobs in (1, 2)
    )
    assert one.to_dict() == two.to_dict()


def test_planted_biclusters_are_significant_and_noise_is_not():
    rng = np.random.default_rng(7)
    for kind in ("mean", "additive"):
        X, hidden = planted_matrix(rng, kind)
        answer = sc.score_biclusters(
            [*hidden, (np.arange(36, 50), np.arange(16, 22))], data=X
        )
        significant = [x.significance.p_adjusted <= 0.05 for x in answer.biclusters]
        assert significant == [True, True, False], kind
        assert answer.n_significant == 2
