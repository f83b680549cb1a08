"""Adjusted p-values, against statsmodels, R's published ones, and plain search."""

from itertools import combinations, pairwise

import numpy as np
import pytest

from scorecast.comparison import (
    bergmann_hommel,
    bonferroni,
    finner,
    hochberg,
    holm,
    hommel,
    rank_z,
    shaffer,
)
from scorecast.comparison.exhaustive_sets import (
    MOST_MODELS,
    possible_true_counts,
    set_partitions,
)
from scorecast.comparison.rank_pairs import normal_p

STATSMODELS = {
    "bonferroni": bonferroni,
    "holm": holm,
    "simes-hochberg": hochberg,
    "hommel": hommel,
}


def p_values(seed, m):
    return np.random.default_rng(seed).random(m) ** 3


@pytest.mark.parametrize("name", sorted(STATSMODELS))
def test_statsmodels_agrees(name):
    from statsmodels.stats.multitest import multipletests

    for seed, m in enumerate((1, 2, 3, 7, 20)):
        p = p_values(seed, m)
        wanted = multipletests(p, method=name)[1]
        np.testing.assert_allclose(STATSMODELS[name](p), wanted, rtol=1e-12)


def simes(p):
    p = np.sort(p)
    return (p.size * p / np.arange(1, p.size + 1)).min()


def closed(p, local):
    """Close a test of sets: the worst of all sets that hold a hypothesis."""
    m = p.size
    worst = np.zeros(m)
    for size in range(1, m + 1):
        for chosen in combinations(range(m), size):
            rows = list(chosen)
            worst[rows] = np.maximum(worst[rows], local(p[rows]))
    return np.minimum(worst, 1)


@pytest.mark.parametrize("m", [1, 2, 5, 8])
def test_hommel_is_the_closure_of_simes_and_holm_that_of_bonferroni(m):
    p = p_values(m, m)
    np.testing.assert_allclose(hommel(p), closed(p, simes), rtol=1e-12)
    np.testing.assert_allclose(
        holm(p), closed(p, lambda q: q.size * q.min()), rtol=1e-12
    )


def test_finner_follows_its_definition():
    p = np.array([0.04, 0.001, 0.02, 0.5])
    ordered = np.sort(p)
    steps = [1 - (1 - q) ** (4 / (i + 1)) for i, q in enumerate(ordered)]
    wanted = np.maximum.accumulate(steps)[np.argsort(np.argsort(p))]
    np.testing.assert_allclose(finner(p), wanted, rtol=1e-12)


def equalities(groups):
    """The pairs within groups, as places in the list of all pairs."""
    pairs = list(combinations(range(len(groups)), 2))
    return frozenset(n for n, (i, j) in enumerate(pairs) if groups[i] == groups[j])


def exhaustive(k):
    """Sets of equalities that imply no other, found by trying all sets of pairs."""
    pairs = list(combinations(range(k), 2))
    found = set()
    for bits in range(1, 2 ** len(pairs)):
        groups = list(range(k))
        for n, (i, j) in enumerate(pairs):
            if bits >> n & 1 and groups[i] != groups[j]:
                old, new = groups[j], groups[i]
                groups = [new if g == old else g for g in groups]
        chosen = frozenset(n for n in range(len(pairs)) if bits >> n & 1)
        if equalities(groups) == chosen:
            found.add(chosen)
    return found


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_divisions_are_all_exhaustive_sets(k):
    by_division = {equalities(row) for row in set_partitions(k).tolist()} - {
        frozenset()
    }
    assert by_division == exhaustive(k)
    assert {len(s) for s in exhaustive(k)} | {0} == set(possible_true_counts(k))


@pytest.mark.parametrize(("k", "bell"), [(1, 1), (4, 15), (9, 21147)])
def test_there_are_as_many_divisions_as_bell_counted(k, bell):
    rows = set_partitions(k)
    assert len(rows) == bell
    assert len(np.unique(rows, axis=0)) == bell


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_brute_force_agrees_for_shaffer_and_bergmann_hommel(k):
    m = k * (k - 1) // 2
    sets = exhaustive(k)
    for seed in range(10):
        p = p_values(seed, m)
        order = np.argsort(p)
        # Shaffer: with the i smallest rejected, how many others can be true at most?
        most = [
            max(len(s) for s in sets if len(s) <= m - i) for i in range(m)
        ]  # fmt: skip
        steps = np.minimum(np.maximum.accumulate(np.array(most) * p[order]), 1)
        np.testing.assert_allclose(shaffer(p, k)[order], steps, rtol=1e-12)
        worst = np.array([
            max(len(s) * min(p[list(s)]) for s in sets if i in s) for i in range(m)
        ])  # fmt: skip
        steps = np.minimum(np.maximum.accumulate(worst[order]), 1)
        np.testing.assert_allclose(bergmann_hommel(p, k)[order], steps, rtol=1e-12)


@pytest.mark.parametrize("k", [3, 4, 6])
def test_each_is_at_least_as_sharp_as_the_one_before(k):
    m = k * (k - 1) // 2
    for seed in range(20):
        p = p_values(seed, m)
        ordered = [
            bonferroni(p), holm(p), shaffer(p, k), bergmann_hommel(p, k), p,
        ]  # fmt: skip
        for looser, sharper in pairwise(ordered):
            assert np.all(sharper <= looser + 1e-12)
        assert np.all(hommel(p) <= hochberg(p) + 1e-12)
        assert np.all(hochberg(p) <= holm(p) + 1e-12)


def test_the_published_table_gives_the_published_p_values(published_table):
    data = published_table
    rows = np.triu_indices(5, 1)

    def golden(name):
        table = [[np.nan if x == "NA" else x for x in row] for row in data[name]]
        return np.array(table, dtype=float)[rows]

    p = normal_p(rank_z(np.array(data["data"]), "ranks")[rows])
    np.testing.assert_allclose(p, golden("friedman_post"), rtol=1e-7)
    np.testing.assert_allclose(shaffer(p, 5), golden("shaffer"), rtol=1e-7)
    np.testing.assert_allclose(bergmann_hommel(p, 5), golden("bergmann"), rtol=1e-7)


def test_eleven_models_are_done_exhaustively():
    p = p_values(0, 55)
    found = bergmann_hommel(p, MOST_MODELS)
    assert np.all(found <= shaffer(p, MOST_MODELS) + 1e-12)
    assert np.all(found >= p)
