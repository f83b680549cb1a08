"""Rules that are counted: every one is among them, and the bound holds."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.tree import DecisionTreeClassifier
from tests.assessing import assess_bare, only

import scorecast as sc
from scorecast.evaluation import HYPOTHESES, METRICS, AssessmentNote, check_data
from scorecast.evaluation.intervals import (
    check_hypotheses,
    hypothesis_intervals,
    log_decision_lists,
    log_trees,
    occam_upper,
)
from scorecast.evaluation.intervals.capacity import vapnik_upper
from scorecast.exceptions import UsageError


def trees(n_leaves, questions, classes):
    """Return what every tree of so many leaves says, as written: one by one."""
    n = len(questions[0])
    if n_leaves == 1:
        return [(label,) * n for label in range(classes)]
    found = []
    for left in range(1, n_leaves):
        for q in questions:
            for a in trees(left, questions, classes):
                found += [
                    tuple(x if yes else y for yes, x, y in zip(q, a, b, strict=True))
                    for b in trees(n_leaves - left, questions, classes)
                ]
    return found


def lists(length, questions, classes):
    """Return what every decision list of so many rules says."""
    n = len(questions[0])
    found = [(label,) * n for label in range(classes)]
    for _ in range(length):
        found = [
            tuple(label if yes else y for yes, y in zip(q, rest, strict=True))
            for q in questions
            for label in range(classes)
            for rest in found
        ]
    return found


def cube(m):
    """Return the questions that ask for one of m features each, on all samples."""
    samples = list(itertools.product((False, True), repeat=m))
    return [tuple(x[j] for x in samples) for j in range(m)]


def yes_and_no(questions):
    return [*questions, *(tuple(not x for x in q) for q in questions)]


@pytest.mark.parametrize(
    ("size", "m", "classes"), [(1, 2, 2), (2, 3, 2), (3, 2, 2), (3, 3, 3), (4, 2, 2)]
)
def test_trees_are_counted_one_by_one_and_none_is_forgotten(size, m, classes):
    every = trees(size, cube(m), classes)
    count = math.exp(log_trees(size, m, classes))
    assert count == pytest.approx(len(every))
    smaller = {f for k in range(1, size + 1) for f in trees(k, cube(m), classes)}
    assert smaller == set(every)
    assert len(smaller) <= count * (1 + 1e-9)


@pytest.mark.parametrize(
    ("size", "m", "classes"), [(1, 2, 2), (2, 2, 2), (2, 2, 3), (3, 2, 2), (2, 3, 2)]
)
def test_lists_are_counted_one_by_one_and_none_is_forgotten(size, m, classes):
    every = lists(size, yes_and_no(cube(m)), classes)
    count = math.exp(log_decision_lists(size, 2 * m, classes))
    assert count == pytest.approx(len(every))
    smaller = {
        f for k in range(size + 1) for f in lists(k, yes_and_no(cube(m)), classes)
    }
    assert smaller <= set(every)
    assert len(smaller) <= count


def test_trees_of_numbers_divide_samples_in_no_more_ways_than_are_counted():
    rng = np.random.default_rng(0)
    n, m = 4, 2
    points = rng.normal(size=(n, m))
    cuts = [
        tuple(points[:, j] <= t) for j in range(m) for t in np.sort(points[:, j])[:-1]
    ]
    for size in (2, 3):
        seen = {f for k in range(1, size + 1) for f in trees(k, cuts, 2)}
        count = check_hypotheses(f"tree:{size}").log_count(m * (n - 1), 2)
        assert len(seen) <= math.exp(count)
    both = {f for k in range(3) for f in lists(k, yes_and_no(cuts), 2)}
    count = check_hypotheses("decision-list:2").log_count(m * (n - 1), 2)
    assert len(both) <= math.exp(count)


def test_without_an_error_the_bound_is_that_of_occam():
    exact = 1 - (0.05 / 64) ** (1 / 60)
    assert occam_upper(0.0, math.log(64), 60, 0.05) == pytest.approx(exact)
    # It is below the line that is usually drawn through it.
    assert exact < (math.log(64) + math.log(20)) / 60


@pytest.mark.parametrize("wrong", [0, 1, 5, 30, 60])
def test_the_bound_is_above_that_of_the_exact_binomial(wrong):
    count = math.log(64)
    upper = occam_upper(wrong / 60, count, 60, 0.05)
    if wrong == 60:
        assert upper == 1
        return
    assert binom.cdf(wrong, 60, upper) <= 0.05 / 64 + 1e-12
    assert wrong / 60 < upper
    # So does Hoeffding's, and is no nearer.
    assert upper <= wrong / 60 + math.sqrt((count + math.log(20)) / 120) + 1e-12


def _chosen(rng, n, rules, truth):
    """Learn the best of some rules from noise, and return both its errors."""
    rows = rng.integers(0, len(truth), n)
    y = np.where(rng.random(n) < 0.3, 1 - truth[rows], truth[rows])
    errors = (rules[:, rows] != y).mean(axis=1)
    best = errors.argmin()
    right = (rules[best] == truth).mean()
    return errors[best], 0.3 * right + 0.7 * (1 - right)


def test_the_bound_holds_for_the_best_of_all_and_one_for_a_single_rule_does_not():
    rng = np.random.default_rng(5)
    rules = np.array(sorted(set(trees(4, cube(3), 2))))
    truth = np.array([0, 1, 1, 0, 1, 0, 0, 1])  # which no such tree can say
    count, held, alone = log_trees(4, 3, 2), [], []
    for _ in range(300):
        seen, true = _chosen(rng, 40, rules, truth)
        held.append(true <= occam_upper(seen, count, 40, 0.2))
        alone.append(true <= occam_upper(seen, 0.0, 40, 0.2))
    assert np.mean(held) >= 0.8
    assert np.mean(alone) < 0.7


def test_of_more_classes_the_dimension_is_that_of_natarajan():
    two, three = (vapnik_upper(0.1, 4, 5000, 0.05, c) for c in (2, 3))
    assert two == vapnik_upper(0.1, 4, 5000, 0.05) < three < 1
    # Thresholds on a line between three classes: d = 1 bounds what they can say.
    n = 9
    for c in (2, 3, 4):
        said = {
            tuple(a if i < t else b for i in range(n))
            for t in range(n + 1)
            for a in range(c)
            for b in range(c)
            if a < b
        }
        assert len(said) <= math.e * n * math.comb(c, 2)


def _three(n, rng):
    X = rng.normal(size=(n, 2))
    y = (X[:, 0] > -0.4).astype(int) + (X[:, 0] > 0.4)
    return X, np.where(rng.random(n) < 0.2, rng.integers(0, 3, n), y)


def test_three_classes_are_bounded_from_above():
    X, y = _three(4000, np.random.default_rng(1))
    found = assess_bare("nearest-centroid", X, y, cv=3, vc_dimension=9)
    by = {x.method: x for x in only(found).main.intervals}
    assert 0.2 < by["vapnik"].low < only(found).main.estimate
    again = assess_bare(
        "nearest-centroid", X[:60], y[:60], cv=3, vc_dimension="measure"
    )
    assert [n for n in again.notes if n.code == AssessmentNote.NO_CAPACITY]


def bound(model, X, y, kind):
    (found,) = hypothesis_intervals(
        model,
        check_data(X, y),
        [METRICS["error_rate"]],
        check_hypotheses(kind),
        level=0.9,
        rng=np.random.default_rng(0),
    ).values()
    return found


@pytest.mark.parametrize("is_boolean", [True, False])
def test_the_interval_of_a_tree_holds_what_it_errs_on_fresh_samples(is_boolean):
    rng = np.random.default_rng(2)
    n = 1500 if is_boolean else 3000

    def draw(n):
        X = rng.normal(size=(n, 3))
        X = (X > 0).astype(float) if is_boolean else X
        y = ((X[:, 0] > 0) ^ (rng.random(n) < 0.1)).astype(int)
        return X, y

    X, y = draw(n)
    model = DecisionTreeClassifier(max_leaf_nodes=3, random_state=0)
    found = bound(model, X, y, "tree:3")
    fresh, truth = draw(20_000)
    error = np.mean(model.fit(X, y).predict(fresh) != truth)
    assert error < found.high < 1
    assert found.log_hypotheses == pytest.approx(
        log_trees(3, 3 * (1 if is_boolean else 2 * n - 1), 2)
    )
    if is_boolean:
        assert found.high < error + 0.1


def test_a_tree_with_more_leaves_than_counted_has_no_bound():
    X, y = _three(120, np.random.default_rng(3))
    found = assess_bare("tree", X, y, cv=3, hypotheses="tree:4")
    (note,) = (x for x in found.notes if x.code == AssessmentNote.CAPACITY_FAILED)
    assert "more than tree:4" in note.names[0]
    small = assess_bare(
        DecisionTreeClassifier(max_leaf_nodes=4), X, y, cv=3, hypotheses="tree:4"
    )
    assert "occam" in [x.method for x in only(small).main.intervals]
    assert "decision trees of at most 4 leaves" in sc.render(small, "html")


@pytest.mark.parametrize("kind", ["tree", "tree:0", "tre:4", "list:3", "tree:x", 3])
def test_kinds_that_cannot_be_are_refused(kind):
    with pytest.raises(UsageError) as caught:
        check_hypotheses(kind)
    assert caught.value.parameter == "hypotheses"
    assert set(HYPOTHESES) == {"tree", "decision-list"}
