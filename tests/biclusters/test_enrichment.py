"""What the rows of biclusters share: exact chances, adjusted, no more than claimed."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import fisher_exact, hypergeom

import scorecast as sc
from scorecast.biclusters import BiclusterScores
from scorecast.exceptions import InvalidInputError, UsageError

FOUND = [([0, 1, 2, 3], [0, 1]), ([4, 5], [2])]


def _scored(terms, found=FOUND, shape=(9, 6), **options):
    return sc.score_biclusters(found, shape=shape, annotations=terms, **options)


def test_the_chance_is_that_of_all_ways_to_draw_the_rows():
    answer = _scored({"a": [0, 1, 2, 8], "b": [4, 7]}, alpha=0.9)
    found = {(row.bicluster, row.term): row for row in answer.enrichments.rows}
    row = found[answer.biclusters[0].name, "a"]
    ways = [len({0, 1, 2, 8} & set(drawn)) >= 3 for drawn in combinations(range(9), 4)]
    assert row.p_value == pytest.approx(np.mean(ways))
    assert (row.n_shared, row.n_rows, row.n_annotated) == (3, 4, 4)
    assert row.fold == pytest.approx((3 / 4) / (4 / 9))
    other = found[answer.biclusters[1].name, "b"]
    assert other.p_value == pytest.approx(1 - math.comb(7, 2) / math.comb(9, 2))
    # Four p-values in all, two of them 1: Benjamini and Hochberg.
    assert row.p_adjusted == pytest.approx(min(4 * row.p_value, 2 * other.p_value))


def test_p_values_are_those_of_hypergeom_and_of_the_exact_test_of_fisher():
    rng, n_rows = np.random.default_rng(11), 40
    found = [
        (sorted(rng.choice(n_rows, size, replace=False).tolist()), [0])
        for size in (3, 9, 17)
    ]
    terms = {
        f"t{k}": rng.choice(n_rows, k, replace=False).tolist()
        for k in (2, 5, 11, 20, 33)
    }
    answer = _scored(terms, found, (n_rows, 4), alpha=0.999)
    rows = {
        one.name: set(own[0]) for one, own in zip(answer.biclusters, found, strict=True)
    }
    assert len(answer.enrichments.rows) > 5
    for row in answer.enrichments.rows:
        own, term = rows[row.bicluster], set(terms[row.term])
        n, both, here = n_rows, len(own & term), row.n_rows
        assert (row.n_shared, row.n_annotated) == (both, len(term))
        upper = hypergeom.sf(both - 1, n, len(term), here)
        assert row.p_value == pytest.approx(upper, rel=1e-9)
        rest = n - here - len(term) + both
        counts = [[both, here - both], [len(term) - both, rest]]
        exact = fisher_exact(counts, alternative="greater").pvalue
        assert row.p_value == pytest.approx(exact, rel=1e-9)
        # One hit fewer or more is another chance: the tail counts what was seen.
        if both:
            assert row.p_value != pytest.approx(hypergeom.sf(both, n, len(term), here))


def test_terms_of_one_row_are_not_tried_and_repeats_count_once():
    answer = _scored({"alone": [0], "twice": [0, 0], "pair": [0, 1]})
    assert answer.enrichments.n_terms == 1
    assert answer.enrichments.n_annotated_rows == 2
    with pytest.raises(InvalidInputError):
        _scored({"alone": [0]})


def test_names_and_numbers_say_the_same():
    numbers = {"a": [0, 1, 2], "b": [4, 5]}
    names = {term: [f"g{i}" for i in rows] for term, rows in numbers.items()}
    names["a"].append("not in the matrix")
    one = _scored(numbers)
    other = _scored(names, row_names=[f"g{i}" for i in range(9)])
    assert one.enrichments == other.enrichments
    assert BiclusterScores.from_dict(one.to_dict()).enrichments == one.enrichments
    assert "share a term" in sc.render(one)


def _false_shares(adjusted):
    """Enrichments among random terms: how often any bicluster is called enriched."""
    rng = np.random.default_rng(5)
    n_rows, wrong = 60, 0
    for _ in range(200):
        rows = [sorted(rng.choice(n_rows, 8, replace=False).tolist()) for _ in range(3)]
        terms = {
            str(t): rng.choice(n_rows, 6, replace=False).tolist() for t in range(25)
        }
        answer = _scored(terms, [(r, [0, 1]) for r in rows], (n_rows, 5), alpha=0.1)
        found = answer.enrichments.rows
        least = min(row.p_adjusted if adjusted else row.p_value for row in found)
        wrong += least <= 0.1
    return wrong / 200


def test_among_random_terms_nothing_is_enriched_and_unadjusted_much_is():
    limit = 0.1 + 3 * math.sqrt(0.09 / 200)
    assert _false_shares(adjusted=True) <= limit
    assert _false_shares(adjusted=False) > 3 * limit


@pytest.mark.parametrize(
    ("terms", "options", "parameter"),
    [
        ({"a": [0, 9]}, {}, "annotations"),
        ({"a": ["g0", "g1"]}, {}, "annotations"),
        ({"a": [0.5, 1]}, {}, "annotations"),
        ({}, {}, "annotations"),
        ([0, 1], {}, "annotations"),
        ({"a": ["x", "y"]}, {"row_names": ["x", "y"]}, "row_names"),
        ({"a": ["x", "y"]}, {"row_names": [*"xyzabcde", "x"]}, "row_names"),
    ],
)
def test_annotations_that_cannot_be_are_refused(terms, options, parameter):
    with pytest.raises(InvalidInputError) as caught:
        _scored(terms, **options)
    assert caught.value.parameter == parameter


def test_names_without_annotations_are_refused():
    with pytest.raises(UsageError):
        sc.score_biclusters(FOUND, truth=FOUND, shape=(9, 6), row_names=list(range(9)))
