import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from scorecast.exceptions import InvalidInputError, UsageError
from scorecast.scores import (
    AVERAGES,
    DISTANCES,
    TIE_RULES,
    Embeddings,
    Scores,
    accuracy_curve,
    rank_true_classes,
    sample_weights,
)
from scorecast.simulate import GaussianClasses


def random_scores(seed, n_samples=40, n_classes=9):
    rng = np.random.default_rng(seed)
    own = rng.integers(0, n_classes, n_samples)
    values = rng.integers(0, 5, (n_samples, n_classes)) + np.eye(n_classes)[own]
    return Scores(values, own)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 9))
def test_grouped_counts_add_up_to_the_plain_ones(seed, n_groups):
    scores = random_scores(seed)
    single = rank_true_classes(scores)
    grouped = rank_true_classes(scores, n_groups=n_groups)
    np.testing.assert_array_equal(single.n_above, grouped.n_above)
    np.testing.assert_array_equal(single.n_tied, grouped.n_tied)
    merged = single.regroup(n_groups, np.random.default_rng(0))
    np.testing.assert_array_equal(single.n_tied, merged.n_tied)


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


@pytest.mark.parametrize("metric", DISTANCES)
def test_embeddings_rank_as_their_score_matrix_does(metric):
    gallery, probes, y = GaussianClasses().sample(30, 4, random_state=0)
    labelled = Embeddings(gallery, probes, y, metric=metric)
    from_vectors = rank_true_classes(labelled)
    from_matrix = rank_true_classes(Scores(labelled.rows(0, 120), y))
    np.testing.assert_array_equal(from_vectors.above, from_matrix.above)


def test_several_vectors_per_class_count_by_the_best():
    gallery = [[0.0], [10.0], [1.0], [4.0]]
    names = ["a", "a", "b", "b"]
    data = Embeddings(gallery, [[9.0], [2.0]], ["a", "a"], gallery_labels=names)
    assert rank_true_classes(data).n_above.tolist() == [0, 1]
    assert data.rows(0, 2).tolist() == [[-1.0, -5.0], [-2.0, -1.0]]


def test_gallery_labels_may_come_in_any_order():
    gallery, probes, y = GaussianClasses().sample(12, 2, random_state=1)
    names = np.array([f"class {i}" for i in range(12)])
    order = np.random.default_rng(0).permutation(12)
    plain = accuracy_curve(Embeddings(gallery, probes), y)
    shuffled = accuracy_curve(
        Embeddings(gallery[order], probes, gallery_labels=names[order]), names[y]
    )
    assert shuffled.accuracy == pytest.approx(plain.accuracy)
    labelled = Embeddings(gallery[order], probes, names[y], gallery_labels=names[order])
    own_scores = labelled.rows(0, 24)[np.arange(24), labelled.own]
    expected = -np.linalg.norm(probes - gallery[y], axis=1)
    assert own_scores == pytest.approx(expected, abs=1e-7)


def test_a_subset_of_embeddings_equals_the_subset_of_scores():
    gallery, probes, y = GaussianClasses().sample(10, 3, random_state=2)
    labelled = Embeddings(gallery, probes, y)
    chosen = np.array([1, 4, 7])
    fast = rank_true_classes(labelled.subset(chosen))
    slow = rank_true_classes(Scores(labelled.rows(0, 30), y).subset(chosen))
    np.testing.assert_array_equal(fast.above, slow.above)


@pytest.mark.parametrize(
    ("gallery", "probes", "options", "words"),
    [
        ([[1.0, 2.0]], [[1.0, 2.0]], {}, "one class"),
        (np.eye(3), np.eye(2), {}, "3 features and probes 2"),
        (np.eye(3), np.eye(3), {"metric": "manhattan"}, "metric"),
        ([[1.0, 0.0], [0.0, 0.0]], np.eye(2), {"metric": "cosine"}, "gallery`, row 2"),
        (np.eye(2), [[0.0, 0.0]], {"metric": "cosine"}, "probes`, row 1"),
        ([[np.nan, 1.0], [0.0, 1.0]], np.eye(2), {}, "not finite"),
        (np.eye(2), np.eye(2), {"gallery_labels": ["a"]}, "1 labels for 2 gallery"),
    ],
)
def test_unusable_embeddings_are_refused(gallery, probes, options, words):
    with pytest.raises(ValueError, match=words):
        Embeddings(gallery, probes, **options)


def test_probes_must_belong_to_the_gallery():
    with pytest.raises(InvalidInputError, match="'7'"):
        Embeddings(np.eye(3), np.eye(3), [0, 1, 7])
    with pytest.raises(InvalidInputError, match="2 labels for 3 probes"):
        Embeddings(np.eye(3), np.eye(3), [0, 1])


def test_the_truth_is_given_once_with_the_vectors_or_beside_them():
    apart = Embeddings(np.eye(3), np.eye(3) + 0.1)
    assert not apart.is_labelled
    with pytest.raises(UsageError) as caught:
        accuracy_curve(apart)
    assert caught.value.parameter == "y_true"
    together = Embeddings(np.eye(3), np.eye(3) + 0.1, range(3))
    beside = accuracy_curve(apart, range(3))
    assert beside.to_dict() == accuracy_curve(together).to_dict()


@pytest.mark.parametrize("distance", DISTANCES.values(), ids=DISTANCES)
def test_distances_are_what_they_claim(distance):
    gallery = np.array([[1.0, 0.0], [0.8, 0.6], [-1.0, 0.0]])
    data = Embeddings(gallery, gallery[:1], [0], metric=distance.name)
    scores = data.rows(0, 1)[0]
    # Unit vectors: the probe is itself nearest to its own, then to its neighbour.
    assert np.argsort(-scores).tolist() == [0, 1, 2]
    assert (scores.max() > 0) == distance.greater_is_nearer
    with_zero = np.vstack([gallery, [[0.0, 0.0]]])
    if distance.needs_nonzero:
        with pytest.raises(InvalidInputError):
            Embeddings(with_zero, gallery, metric=distance.name)
    else:
        Embeddings(with_zero, gallery, metric=distance.name)


@pytest.mark.parametrize("average", AVERAGES)
def test_weights_of_an_average_add_up_to_one(average):
    own = np.array([0, 0, 0, 2, 5, 5])
    weights = sample_weights(own, average)
    assert weights.sum() == pytest.approx(1)
    of_classes = np.bincount(own, weights)[[0, 2, 5]]
    alike = of_classes if average == "macro" else weights
    assert alike == pytest.approx(alike[0])


@given(st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_rules_for_ties_are_ordered_as_they_claim(seed):
    scores = random_scores(seed)
    found = {rule: accuracy_curve(scores, ties=rule).accuracy for rule in TIE_RULES}
    assert (found["optimistic"] >= found["random"] - 1e-12).all()
    assert (found["random"] >= found["pessimistic"] - 1e-12).all()


@pytest.mark.parametrize("rule", TIE_RULES.values(), ids=TIE_RULES)
@pytest.mark.parametrize("n_tied", [0, 1, 4])
def test_a_tie_is_shared_as_the_rule_claims(rule, n_tied):
    values = np.array([[1.0] * (n_tied + 1) + [0.0] * 3])
    curve = accuracy_curve(values, [0], sizes=values.shape[1], ties=rule.name)
    share = {1: 1.0, 0: 1 / (n_tied + 1), -1: 0.0 if n_tied else 1.0}[rule.sign]
    assert curve.accuracy[0] == pytest.approx(share)
