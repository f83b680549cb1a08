"""Adjusted p-values, against statsmodels, R's published ones, and plain search."""

from itertools import combinations, pairwise

import numpy as np
import pytest

from scorecast.evaluation import ADJUSTMENTS, ErrorRate, adjust_p_values
from scorecast.evaluation.multiple_testing import possible_true_counts, set_partitions
from scorecast.exceptions import InvalidInputError, UsageError

MOST_MODELS = ADJUSTMENTS["bergmann-hommel"].max_models
STATSMODELS = {
    "bonferroni": "bonferroni",
    "holm": "holm",
    "simes-hochberg": "hochberg",
    "hommel": "hommel",
    "fdr_bh": "benjamini-hochberg",
}


def by(name, k=None):
    return lambda p: adjust_p_values(p, name, n_models=k)


bonferroni, holm, hochberg, hommel, finner = map(
    by, ("bonferroni", "holm", "hochberg", "hommel", "finner")
)


def shaffer(p, k):
    return adjust_p_values(p, "shaffer", n_models=k)


def bergmann_hommel(p, k):
    return adjust_p_values(p, "bergmann-hommel", n_models=k)


def p_values(seed, m):
    return np.random.default_rng(seed).random(m) ** 3


@pytest.mark.parametrize("name", sorted(STATSMODELS))
def test_statsmodels_agrees(name):
    from statsmodels.stats.multitest import multipletests

    for seed, m in enumerate((1, 2, 3, 7, 20)):
        p = p_values(seed, m)
        wanted = multipletests(p, method=name)[1]
        np.testing.assert_allclose(
            adjust_p_values(p, STATSMODELS[name]), wanted, rtol=1e-12
        )


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


def test_eleven_models_are_done_exhaustively():
    p = p_values(0, 55)
    found = bergmann_hommel(p, MOST_MODELS)
    assert np.all(found <= shaffer(p, MOST_MODELS) + 1e-12)
    assert np.all(found >= p)


@pytest.mark.parametrize("name", ADJUSTMENTS)
def test_claims_of_an_adjustment_are_true(name):
    method = ADJUSTMENTS[name]
    k = 5
    rng = np.random.default_rng(1)
    for _ in range(20):
        p = rng.random(10) ** 2
        found = adjust_p_values(p, name, n_models=k)
        assert np.all((p <= found) & (found <= 1))
        order = np.argsort(p)
        assert np.all(np.diff(found[order]) >= 0)
        if not method.needs_all_pairs:  # whatever their order
            np.testing.assert_allclose(adjust_p_values(p[order], name), found[order])
        if method.controls is ErrorRate.FAMILYWISE:
            assert found.min() >= p.min()
    p[3] = np.nan
    found = adjust_p_values(p, name, n_models=k)
    wanted = adjust_p_values(np.where(np.isnan(p), 1.0, p), name, n_models=k)
    wanted[3] = np.nan
    np.testing.assert_allclose(found, wanted)
    if method.needs_all_pairs:
        with pytest.raises(UsageError):
            adjust_p_values(p, name)
        with pytest.raises(InvalidInputError):
            adjust_p_values(p, name, n_models=4)
    if method.max_models:
        with pytest.raises(UsageError):
            adjust_p_values(np.full(66, 0.5), name, n_models=12)


@pytest.mark.parametrize("name", ADJUSTMENTS)
@pytest.mark.statistical
def test_no_more_false_claims_than_promised(name):
    # Six independent comparisons without a difference: any claim is a false one.
    rng = np.random.default_rng(2)
    wrong = [
        (adjust_p_values(p, name, n_models=4) <= 0.05).any()
        for p in rng.random((4000, 6))
    ]
    assert np.mean(wrong) < 0.06
    plain = (rng.random((4000, 6)) <= 0.05).any(axis=1).mean()
    assert plain > 0.2  # uncorrected, as a wrong one
