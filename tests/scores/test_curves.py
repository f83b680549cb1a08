import csv
import json
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from tests.snapshot import assert_snapshot, page_text

from scorecast.exceptions import InvalidInputError, UsageError
from scorecast.report import render
from scorecast.scores import (
    AVERAGES,
    TIE_RULES,
    AccuracyCurve,
    Embeddings,
    RiskCurve,
    Scores,
    accuracy_curve,
    chances_right,
    mean_chances,
    risk_curve,
    risk_curve_and_replicates,
)

TELUGU = {
    "deep20": ("deep_20", "y_20"),
    "logistic20": ("logistic_20", "y_20"),
    "svm20": ("svm_20", "y_20"),
    "logistic100": ("logistic_100", "y_100"),
    "svm100": ("svm_100", "y_100"),
}


@st.composite
def small_problems(draw, values=None):
    n_classes = draw(st.integers(2, 5))
    n_samples = draw(st.integers(1, 8))
    values = values or st.integers(0, 3)
    scores = draw(hnp.arrays(np.float64, (n_samples, n_classes), elements=values))
    labels = draw(
        hnp.arrays(np.int64, n_samples, elements=st.integers(0, n_classes - 1))
    )
    return scores, labels


def brute_force(scores, labels, k, ties, average, top=1):
    """Enumerate every subset and every way of breaking ties."""
    n_classes = scores.shape[1]
    per_sample = []
    for row, own in zip(scores, labels, strict=True):
        others = [c for c in range(n_classes) if c != own]
        hits = []
        for drawn in combinations(others, k - 1):
            above = sum(row[c] > row[own] for c in drawn)
            tied = sum(row[c] == row[own] for c in drawn)
            if ties == "optimistic":
                hits.append(float(above < top))
            elif ties == "pessimistic":
                hits.append(float(above + tied < top))
            else:
                places = [above + p < top for p in range(tied + 1)]
                hits.append(np.mean(places))
        per_sample.append(np.mean(hits))
    per_sample = np.array(per_sample)
    if average == "micro":
        return per_sample.mean()
    return np.mean([per_sample[labels == c].mean() for c in np.unique(labels)])


@pytest.mark.parametrize("ties", TIE_RULES)
def test_reference_values_with_ties_and_unequal_classes(reference, ties):
    entry = reference["ata_ties_unbalanced"]
    inputs = entry["inputs"]
    curve = accuracy_curve(inputs["scores"], inputs["labels"], ties=ties)
    assert curve.classes.tolist() == inputs["ks"]
    assert curve.accuracy == pytest.approx(entry["expected"][ties], abs=1e-12)


def test_the_authors_r_package_is_pessimistic_and_micro(reference):
    entry = reference["ata_R_package_ties"]
    curve = accuracy_curve(
        entry["inputs"]["scores"],
        entry["inputs"]["labels"],
        ties="pessimistic",
        average="micro",
    )
    assert curve.accuracy == pytest.approx(entry["expected"], abs=1e-9)


@pytest.mark.parametrize("name", TELUGU)
def test_authors_own_scores_give_their_own_curve(shared_data, shared_golden, name):
    scores, labels = TELUGU[name]
    data = np.load(shared_data / "telugu_authors_scores.npz")
    with (shared_golden / "telugu_ata.csv").open() as file:
        golden = {
            int(row["k"]): float(row["ata"])
            for row in csv.DictReader(file)
            if row["set"] == name
        }
    curve = accuracy_curve(
        data[scores], data[labels], sizes=sorted(golden), ties="pessimistic"
    )
    assert curve.accuracy == pytest.approx(list(golden.values()), abs=1e-12)


def test_chances_hold_to_ten_digits_with_a_hundred_thousand_classes(reference):
    for name, entry in reference.items():
        if name.startswith("subset_ratio"):
            inputs = entry["inputs"]
            table = chances_right(inputs["K"], np.array([inputs["k"]]))
            found = table[0, inputs["n_beating"]]
            assert found == pytest.approx(entry["expected"], rel=1e-10)


def test_compiled_curve_equals_the_plain_one():
    rng = np.random.default_rng(0)
    histogram = rng.random(3000) * (rng.random(3000) < 0.2)
    histogram /= histogram.sum()
    sizes = np.arange(1, 3001)
    from scorecast.scores.kernels import mean_chances_first

    compiled = mean_chances_first(histogram, 3000, sizes)
    plain = mean_chances(histogram, 3000, sizes)
    np.testing.assert_allclose(compiled, plain, rtol=1e-10, atol=1e-15)


def test_every_size_at_a_hundred_thousand_classes_is_quick_and_exact():
    ranks = np.zeros(100_000)
    ranks[[0, 12, 500]] = [0.5, 0.3, 0.2]
    sizes = np.arange(2, 100_001)
    curve = mean_chances(ranks, 100_000, sizes)
    table = chances_right(100_000, np.array([50_000]))[0]
    assert curve[50_000 - 2] == pytest.approx(ranks @ table, rel=1e-10)


@settings(max_examples=60, deadline=None)
@given(
    small_problems(),
    st.sampled_from(list(TIE_RULES)),
    st.sampled_from(["macro", "micro"]),
)
def test_curve_equals_enumeration_of_all_subsets(problem, ties, average):
    scores, labels = problem
    curve = accuracy_curve(scores, labels, ties=ties, average=average)
    for k, found in zip(curve.classes, curve.accuracy, strict=True):
        expected = brute_force(scores, labels, int(k), ties, average)
        assert found == pytest.approx(expected, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(small_problems(), st.integers(2, 4), st.sampled_from(list(TIE_RULES)))
def test_top_curve_equals_enumeration_of_all_subsets(problem, top, ties):
    scores, labels = problem
    curve = accuracy_curve(scores, labels, ties=ties, top=top)
    for k, found in zip(curve.classes, curve.accuracy, strict=True):
        expected = brute_force(scores, labels, int(k), ties, "macro", top)
        assert found == pytest.approx(expected, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(small_problems(), st.randoms(use_true_random=False))
def test_order_of_rows_and_classes_does_not_matter(problem, random):
    scores, labels = problem
    rows = random.sample(range(len(labels)), len(labels))
    columns = random.sample(range(scores.shape[1]), scores.shape[1])
    place = np.argsort(columns)
    shuffled = accuracy_curve(scores[np.ix_(rows, columns)], place[labels[rows]])
    plain = accuracy_curve(scores, labels)
    assert shuffled.accuracy == pytest.approx(plain.accuracy, abs=1e-12)
    np.testing.assert_allclose(shuffled.stderr, plain.stderr, atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(small_problems())
def test_monotone_maps_and_copies_of_samples_change_nothing(problem):
    scores, labels = problem
    plain = accuracy_curve(scores, labels)
    mapped = accuracy_curve(np.exp(3 * scores) - 7, labels)
    twice = accuracy_curve(np.vstack([scores, scores]), np.append(labels, labels))
    columns = range(scores.shape[1])
    lower = accuracy_curve(
        Scores(-scores, labels, classes=columns, greater_is_better=False)
    )
    half = accuracy_curve(scores.astype(np.float16), labels)
    whole = accuracy_curve(scores.astype(np.int8), labels)
    for other in (mapped, twice, lower, half, whole):
        assert other.accuracy == pytest.approx(plain.accuracy, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(small_problems(), st.sampled_from(list(TIE_RULES)))
def test_more_classes_never_help(problem, ties):
    curve = accuracy_curve(*problem, ties=ties)
    assert (np.diff(curve.accuracy) <= 1e-12).all()
    assert ((curve.accuracy >= 0) & (curve.accuracy <= 1)).all()


def test_jackknife_reference(reference):
    entry = reference["ata_jackknife"]
    x, y = (np.array(entry["inputs"][name]) for name in "xy")
    scores = -((x[:, None] - entry["inputs"]["rho"] * y) ** 2)
    curve = accuracy_curve(scores, range(x.size), sizes=entry["inputs"]["ks"])
    assert curve.accuracy == pytest.approx(entry["expected"]["ata"], abs=1e-10)
    assert curve.stderr == pytest.approx(entry["expected"]["se"], abs=1e-10)


def test_jackknife_equals_recomputation_without_each_class():
    rng = np.random.default_rng(1)
    scores, labels = rng.integers(0, 6, (40, 7)), rng.integers(0, 7, 40)
    sizes = [2, 3, 5, 6]
    curve = accuracy_curve(scores, labels, sizes=sizes)
    left_out = []
    for c in range(7):
        kept = [i for i in range(7) if i != c]
        rows = labels != c
        own = np.searchsorted(kept, labels[rows])
        part = accuracy_curve(scores[np.ix_(rows, kept)], own, sizes=sizes)
        left_out.append(part.accuracy)
    replicates = np.array(left_out)
    deviations = replicates - replicates.mean(axis=0)
    np.testing.assert_allclose(curve.covariance, 6 / 7 * deviations.T @ deviations)


def test_at_all_classes_there_is_no_standard_error_but_a_neighbour_to_borrow():
    rng = np.random.default_rng(2)
    curve = accuracy_curve(rng.normal(size=(30, 6)), np.arange(30) % 6)
    assert np.isnan(curve.stderr[-1])
    assert curve.nearest_standard_error(4) == (5, curve.stderr[3])


def test_a_curve_of_few_sizes_quotes_the_error_of_its_largest():
    rng = np.random.default_rng(4)
    own = np.arange(150) % 50
    scores = rng.normal(size=(150, 50)) + 2.5 * np.eye(50)[own]
    whole, few = accuracy_curve(scores, own), accuracy_curve(scores, own, sizes=[2, 50])
    near = whole.stderr[whole.classes == 49][0]
    nearest = few.nearest_standard_error(1)
    assert nearest == (49, few.largest_stderr)
    assert nearest.value == pytest.approx(near)
    assert near > 2 * few.stderr[0]  # that of two classes would be far too small
    again = AccuracyCurve.from_dict(few.to_dict())
    assert again.nearest_standard_error(1) == nearest


def test_classes_without_samples_still_compete():
    scores = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 2.0]])
    assert accuracy_curve(scores, [0, 1], sizes=[3]).accuracy[0] == 0
    assert accuracy_curve(scores[:, :2], [0, 1], sizes=[2]).accuracy[0] == 1


def test_curve_survives_a_journey_through_json():
    curve = accuracy_curve(np.eye(4) + 0.1, range(4))
    again = AccuracyCurve.from_dict(json.loads(json.dumps(curve.to_dict())))
    assert again.counts.tolist() == [1, 1, 1, 1]
    np.testing.assert_array_equal(again.accuracy, curve.accuracy)
    np.testing.assert_array_equal(again.stderr, curve.stderr)
    assert again.to_dict() == curve.to_dict()


@pytest.mark.parametrize("bad", [0, -3, 1.5, [], [2, 9]])
def test_impossible_sizes_are_refused(bad):
    with pytest.raises(UsageError, match="sizes"):
        accuracy_curve(np.eye(4), range(4), sizes=bad)


@pytest.mark.parametrize("option", [{"ties": "rand"}, {"average": "mean"}, {"top": 0}])
def test_misspelt_options_are_refused(option):
    with pytest.raises(UsageError, match=next(iter(option))):
        accuracy_curve(np.eye(4), range(4), **option)


# Risk ------------------------------------------------------------------------------


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
def test_reference_values_of_risk(reference, name):
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
    curve = risk_curve(scores, labels, cost=cost, standard_errors=False)
    expected = [enumerate_risk(scores, labels, cost, int(k)) for k in curve.classes]
    assert curve.risk == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("ties", TIE_RULES)
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


@pytest.mark.parametrize("ties", TIE_RULES)
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
            smaller,
            cost=cost[np.ix_(stays, stays)],
            sizes=sizes,
            **rules,
            standard_errors=False,
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
@pytest.mark.parametrize("ties", TIE_RULES)
def test_ties_between_embeddings_count_as_ranks_count_them(metric, ties):
    rng = np.random.default_rng(5)
    gallery, probes = rng.integers(1, 4, (20, 3)), rng.integers(1, 4, (40, 3))
    own = np.arange(40) % 20
    vectors = Embeddings(gallery, probes, own, metric=metric)
    risk = risk_curve(vectors, cost=1 - np.eye(20), ties=ties, standard_errors=False)
    accuracy = accuracy_curve(vectors, ties=ties, standard_errors=False)
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
    with pytest.raises(UsageError, match="sizes"):
        risk_curve(np.eye(4), range(4), cost=np.eye(4), sizes=5)


def test_the_error_of_a_risk_is_its_own_or_that_of_the_next_smaller_size():
    rng = np.random.default_rng(3)
    own = np.arange(60) % 6
    curve = risk_curve(rng.normal(size=(60, 6)), own, cost=1 - np.eye(6))
    assert curve.nearest_standard_error(0) == (2, curve.stderr[0])
    assert curve.nearest_standard_error(4) == (5, curve.stderr[3])
    plain = risk_curve(np.eye(3), range(3), cost=np.eye(3), standard_errors=False)
    assert plain.nearest_standard_error(1).classes == 0


# What people see ---------------------------------------------------------------------


def test_an_accuracy_curve_as_text_and_page():
    rng = np.random.default_rng(4)
    own = np.arange(150) % 50
    scores = rng.normal(size=(150, 50)) + 2.5 * np.eye(50)[own]
    curve = accuracy_curve(scores, own, sizes=[2, 10, 50], top=2)
    assert_snapshot("accuracy-curve", render(curve))
    assert_snapshot("accuracy-curve-page", page_text(render(curve, "html")))


def test_a_risk_curve_as_text_and_page():
    rng = np.random.default_rng(4)
    own = np.arange(60) % 6
    scores = rng.normal(size=(60, 6)) + np.eye(6)[own]
    curve = risk_curve(scores, own, cost=3 * (1 - np.eye(6)), ties="optimistic")
    assert_snapshot("risk-curve", render(curve))
    assert_snapshot("risk-curve-page", page_text(render(curve, "html")))
