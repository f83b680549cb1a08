from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorecast.exceptions import InvalidInputError, UsageError
from scorecast.scores import (
    AVERAGES,
    TIES,
    Embeddings,
    RiskCurve,
    Scores,
    accuracy_curve,
    chances_right,
    risk_curve,
    risk_curve_and_replicates,
)


def enumerate_risk(scores, labels, cost, k):
    n_classes = scores.shape[1]
    total = np.zeros(n_classes)
    for own in np.unique(labels):
        rows = scores[labels == own]
        per_row = []
        for row in rows:
            others = [c for c in range(n_classes) if c != own]
            paid = []
            for drawn in combinations(others, k - 1):
                task = np.array([own, *drawn])
                best = task[row[task] == row[task].max()]
                paid.append(cost[best, own].mean())
            per_row.append(np.mean(paid))
        total[own] = np.mean(per_row)
    return total[np.unique(labels)].mean()


@pytest.mark.parametrize("name", ["avtestrisk_general_cost", "avtestrisk_noties"])
def test_reference_values(reference, name):
    entry = reference[name]
    inputs = entry["inputs"]
    curve = risk_curve(
        inputs["scores"],
        inputs["labels"],
        cost=inputs["cost_pred_by_true"],
        sizes=inputs["ks"],
    )
    assert curve.risk == pytest.approx(entry["expected"], abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_risk_equals_enumeration_with_ties_and_paid_diagonals(seed):
    rng = np.random.default_rng(seed)
    scores, labels = rng.integers(0, 3, (6, 5)), rng.integers(0, 5, 6)
    cost = rng.integers(-3, 9, (5, 5)).astype(float)
    curve = risk_curve(scores, labels, cost=cost, errors=False)
    expected = [enumerate_risk(scores, labels, cost, int(k)) for k in curve.classes]
    assert curve.risk == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("average", AVERAGES)
def test_counting_mistakes_is_one_minus_accuracy(ties, average):
    rng = np.random.default_rng(3)
    scores, labels = rng.integers(0, 4, (50, 8)), rng.integers(0, 8, 50)
    risk = risk_curve(scores, labels, cost=1 - np.eye(8), ties=ties, average=average)
    accuracy = accuracy_curve(scores, labels, ties=ties, average=average)
    assert risk.risk == pytest.approx(1 - accuracy.accuracy, abs=1e-12)
    np.testing.assert_allclose(risk.stderr[:-1], accuracy.stderr[:-1], rtol=1e-9)


def risk_decision_by_decision(scores, labels, cost, ks, ties, average):
    """Sum over every class that might be decided for, size by size."""
    counts = np.bincount(labels, minlength=cost.shape[0])
    weights = np.full(labels.size, 1 / labels.size)
    if average == "macro":
        weights = 1 / (counts[labels] * np.count_nonzero(counts))
    total = np.zeros(len(ks))
    for row, own, weight in zip(scores, labels, weights, strict=True):
        level = 2.0 * np.unique(row, return_inverse=True)[1]
        level[own] += {"random": 0, "optimistic": 1, "pessimistic": -1}[ties]
        below = (level[:, None] > level).sum(axis=1)
        tied = (level[:, None] == level).sum(axis=1) - 1
        for i, q in enumerate(chances_right(cost.shape[0], np.array(ks))[:, ::-1]):
            for c, (b, t) in enumerate(zip(below, tied, strict=True)):
                if c == own:
                    chance = q[b : b + t + 1].mean()
                elif b == below[own]:
                    chance = (q[b + t] - q[b : b + t].mean()) / (t + 1)
                elif b > below[own]:
                    chance = (q[b + t] - q[b - 1]) / (t + 1)
                else:
                    chance = 0.0
                total[i] += weight * chance * cost[c, own]
    return total


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("n_levels", [2, 9, 10**6])
def test_one_pass_agrees_with_adding_decision_by_decision(ties, average, n_levels):
    rng = np.random.default_rng(n_levels)
    scores, labels = rng.integers(0, n_levels, (70, 34)), rng.integers(0, 34, 70)
    cost = rng.normal(scale=5, size=(34, 34))
    data = Scores(scores, labels, classes=range(34))
    rules = {"ties": ties, "average": average}
    curve, replicates = risk_curve_and_replicates(data, cost, **rules)
    expected = risk_decision_by_decision(scores, labels, cost, curve.classes, **rules)
    np.testing.assert_allclose(curve.risk, expected, rtol=0, atol=1e-12)
    # Thirty groups of 34 classes: each replicate is the curve of the classes that stay.
    group = np.random.default_rng(0).permutation(34) * 30 // 34
    for g in (0, 7, 29):
        stays = np.flatnonzero(group != g)
        smaller = data.subset(stays)
        sizes = curve.classes[curve.classes <= stays.size]
        again = risk_curve(
            smaller, cost=cost[np.ix_(stays, stays)], sizes=sizes, **rules, errors=False
        )
        found = replicates[g, : sizes.size]
        np.testing.assert_allclose(found, again.risk, rtol=0, atol=1e-12)
        assert np.isnan(replicates[g, sizes.size :]).all()


def test_leaving_out_the_only_class_with_examples_has_no_answer():
    data = Scores(np.eye(4)[:2] + 1, [0, 0], classes=range(4))
    _, replicates = risk_curve_and_replicates(
        data, 1 - np.eye(4), ties="random", average="macro"
    )
    assert np.isnan(replicates).all(axis=1).tolist().count(True) == 1


@pytest.mark.parametrize("metric", ["sqeuclidean", "cosine", "dot"])
@pytest.mark.parametrize("ties", TIES)
def test_ties_between_embeddings_count_as_ranks_count_them(metric, ties):
    rng = np.random.default_rng(5)
    gallery, probes = rng.integers(1, 4, (20, 3)), rng.integers(1, 4, (40, 3))
    own = np.arange(40) % 20
    vectors = Embeddings(gallery, probes, metric=metric).with_labels(own)
    risk = risk_curve(vectors, cost=1 - np.eye(20), ties=ties, errors=False)
    accuracy = accuracy_curve(vectors, ties=ties, errors=False)
    assert risk.risk == pytest.approx(
        1 - accuracy.accuracy[np.isin(accuracy.classes, risk.classes)], abs=1e-12
    )


def test_risk_survives_a_journey_through_json():
    curve = risk_curve(np.eye(4), range(4), cost=1 - np.eye(4))
    assert RiskCurve.from_dict(curve.to_dict()).to_dict() == curve.to_dict()


def test_costs_of_the_wrong_shape_are_refused():
    with pytest.raises(InvalidInputError, match="4 x 4"):
        risk_curve(np.eye(4), range(4), cost=np.eye(3))
    with pytest.raises(InvalidInputError, match="not finite"):
        risk_curve(np.eye(2), range(2), cost=[[0, np.nan], [1, 0]])
    with pytest.raises(UsageError, match="exceeds"):
        risk_curve(np.eye(4), range(4), cost=np.eye(4), sizes=5)
