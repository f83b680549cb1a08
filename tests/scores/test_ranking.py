import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorecast.exceptions import InvalidInputError
from scorecast.scores import (
    Embeddings,
    Scores,
    accuracy_curve,
    rank_true_classes,
)
from scorecast.simulate import GaussianClasses


def random_scores(seed, n_examples=40, n_classes=9):
    rng = np.random.default_rng(seed)
    own = rng.integers(0, n_classes, n_examples)
    values = rng.integers(0, 5, (n_examples, n_classes)) + np.eye(n_classes)[own]
    return Scores(values, own)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 9))
def test_grouped_counts_add_up_to_the_plain_ones(seed, n_groups):
    scores = random_scores(seed)
    single = rank_true_classes(scores)
    grouped = rank_true_classes(scores, n_groups=n_groups)
    np.testing.assert_array_equal(single.beaten_totals, grouped.beaten_totals)
    np.testing.assert_array_equal(single.tied_totals, grouped.tied_totals)
    merged = single.regroup(n_groups, np.random.default_rng(0))
    np.testing.assert_array_equal(single.tied_totals, merged.tied_totals)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_restricting_ranks_equals_ranking_the_smaller_problem(seed):
    scores = random_scores(seed)
    kept = np.random.default_rng(seed).random(9) < 0.6
    kept[:2] = True
    fast = rank_true_classes(scores).restrict(kept)
    slow = rank_true_classes(scores.subset(np.flatnonzero(kept)))
    np.testing.assert_array_equal(fast.above, slow.above)
    np.testing.assert_array_equal(fast.tied, slow.tied)
    np.testing.assert_array_equal(fast.own, slow.own)


@pytest.mark.parametrize("metric", ["sqeuclidean", "cosine", "dot"])
def test_embeddings_rank_as_their_score_matrix_does(metric):
    gallery, probes, y = GaussianClasses().sample(30, 4, random_state=0)
    labelled = Embeddings(gallery, probes, metric=metric).with_labels(y)
    from_vectors = rank_true_classes(labelled)
    from_matrix = rank_true_classes(Scores(labelled.rows(0, 120), y))
    np.testing.assert_array_equal(from_vectors.above, from_matrix.above)


def test_several_vectors_per_class_count_by_the_best():
    gallery = [[0.0], [10.0], [1.0], [4.0]]
    data = Embeddings(gallery, [[9.0], [2.0]], gallery_labels=["a", "a", "b", "b"])
    ranking = rank_true_classes(data.with_labels(["a", "a"]))
    assert ranking.beaten_totals.tolist() == [0, 1]
    scores = data.with_labels(["a", "a"]).rows(0, 2)
    assert scores.tolist() == [[-1.0, -5.0], [-2.0, -1.0]]


def test_gallery_labels_may_come_in_any_order():
    gallery, probes, y = GaussianClasses().sample(12, 2, random_state=1)
    names = np.array([f"class {i}" for i in range(12)])
    order = np.random.default_rng(0).permutation(12)
    plain = accuracy_curve(Embeddings(gallery, probes), y)
    shuffled = accuracy_curve(
        Embeddings(gallery[order], probes, gallery_labels=names[order]), names[y]
    )
    assert shuffled.accuracy == pytest.approx(plain.accuracy)
    rows = Embeddings(gallery[order], probes, gallery_labels=names[order])
    labelled = rows.with_labels(names[y])
    own_scores = labelled.rows(0, 24)[np.arange(24), labelled.own]
    expected = -np.linalg.norm(probes - gallery[y], axis=1)
    assert own_scores == pytest.approx(expected, abs=1e-7)


def test_a_subset_of_embeddings_equals_the_subset_of_scores():
    gallery, probes, y = GaussianClasses().sample(10, 3, random_state=2)
    labelled = Embeddings(gallery, probes).with_labels(y)
    chosen = np.array([1, 4, 7])
    fast = rank_true_classes(labelled.subset(chosen))
    slow = rank_true_classes(Scores(labelled.rows(0, 30), y).subset(chosen))
    np.testing.assert_array_equal(fast.above, slow.above)


@pytest.mark.parametrize(
    ("gallery", "probes", "options", "words"),
    [
        ([[1.0, 2.0]], [[1.0, 2.0]], {}, "One class"),
        (np.eye(3), np.eye(2), {}, "3 features and probes 2"),
        (np.eye(3), np.eye(3), {"metric": "manhattan"}, "metric"),
        ([[1.0, 0.0], [0.0, 0.0]], np.eye(2), {"metric": "cosine"}, "Row 2 of the gal"),
        (np.eye(2), [[0.0, 0.0]], {"metric": "cosine"}, "Row 1 of the probes"),
        ([[np.nan, 1.0], [0.0, 1.0]], np.eye(2), {}, "not finite"),
        (np.eye(2), np.eye(2), {"gallery_labels": ["a"]}, "1 gallery labels"),
    ],
)
def test_unusable_embeddings_are_refused(gallery, probes, options, words):
    with pytest.raises(ValueError, match=words):
        Embeddings(gallery, probes, **options)


def test_probes_must_belong_to_the_gallery():
    data = Embeddings(np.eye(3), np.eye(3))
    with pytest.raises(InvalidInputError, match="'7'"):
        data.with_labels([0, 1, 7])
    with pytest.raises(InvalidInputError, match="2 labels for 3 probes"):
        data.with_labels([0, 1])
