import csv

import numpy as np
import pytest

from scorecast.exceptions import UsageError
from scorecast.extrapolation import (
    ObservedClasses,
    RankHistogram,
    Regression,
    regression,
)
from scorecast.extrapolation.least_squares import Design
from scorecast.extrapolation.observed import hide_classes
from scorecast.scores import Scores, probit_moments
from scorecast.simulate import BivariateNormal

TELUGU = {
    "deep20": ("deep_20", "y_20"),
    "logistic20": ("logistic_20", "y_20"),
    "svm20": ("svm_20", "y_20"),
    "logistic100": ("logistic_100", "y_100"),
    "svm100": ("svm_100", "y_100"),
}


def toy_evidence(n_classes=40, n_each=4, rho=0.9, seed=0, **rules):
    scores, y, _ = BivariateNormal(rho).sample(n_classes, n_each, random_state=seed)
    return ObservedClasses.of(Scores(scores, y), **rules)


@pytest.mark.parametrize("name", TELUGU)
def test_every_bandwidth_equals_the_authors_code(shared_data, shared_golden, name):
    scores, labels = TELUGU[name]
    data = np.load(shared_data / "telugu_authors_scores.npz")
    evidence = ObservedClasses.of(
        Scores(data[scores], data[labels]), ties="pessimistic", average="micro"
    )
    with (shared_golden / "telugu_classexreg_by_bandwidth.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["set"] == name]
    assert rows
    for row in rows:
        method = Regression(form="accuracy", knots="r", bandwidth=float(row["h"]))
        fitted = method.fit_ranks(evidence.ranks)
        found = fitted.accuracy(np.array([int(row["K"])]))[0]
        assert found == pytest.approx(float(row["reg"]), abs=1e-6)


def test_the_three_solutions_of_one_curve(reference):
    entry = reference["nnls_forms"]
    inputs, expected = entry["inputs"], entry["expected"]
    knots, curve = np.array(inputs["knots"]), np.array(inputs["ata"])
    widths = np.full(knots.size, inputs["h"])
    g = probit_moments(np.array(inputs["ks"], dtype=float), knots, widths)
    far = probit_moments(np.array([float(inputs["k_target"])]), knots, widths)[0]
    ones = np.ones(curve.size)
    accuracy, error = (
        Design(np.column_stack([g, ones])),
        Design(np.column_stack([1 - g, ones])),
    )
    found = {
        "ols": np.append(far, 1) @ accuracy.unconstrained(curve),
        "nnls_accuracy_form": np.append(far, 1) @ accuracy.nonnegative(curve),
        "nnls_error_form": 1 - np.append(1 - far, 1) @ error.nonnegative(1 - curve),
    }
    assert found == pytest.approx(expected, abs=1e-6)


def test_every_form_follows_the_observed_curve():
    histogram = np.zeros(30)
    histogram[[0, 1, 5]] = [0.7, 0.2, 0.1]
    ranks = RankHistogram(histogram=histogram)
    forms = [Regression(bandwidth=0.5, form=f) for f in ("accuracy", "risk", "simplex")]
    sizes = np.arange(2, 31)
    for method in forms:
        fitted = method.fit_ranks(ranks).accuracy(sizes)
        assert np.abs(fitted - ranks.curve(sizes)).max() < 5e-3


@pytest.mark.parametrize("knots", ["paper", "r"])
def test_simplex_form_is_a_distribution_at_any_number_of_classes(knots):
    evidence = toy_evidence()
    fitted = Regression(form="simplex", knots=knots, bandwidth=0.4).fit_ranks(
        evidence.ranks
    )
    accuracy = fitted.accuracy(np.array([2, 40, 1000, 10**6, 10**9]))
    assert (np.diff(accuracy) <= 1e-12).all()
    assert ((accuracy >= 0) & (accuracy <= 1)).all()
    assert fitted.weights.sum() + fitted.always_right <= 1 + 1e-9
    u = np.linspace(0, 1, 50)
    below = fitted.discriminability(u)
    assert (np.diff(below) >= -1e-12).all()
    assert below[-1] == 1


def test_the_bandwidth_is_chosen_and_every_candidate_is_reported():
    evidence = toy_evidence()
    fit = Regression().fit(evidence, np.random.default_rng(0))
    tried = fit.by_bandwidth
    assert [one.bandwidth for one in tried] == list(np.arange(1, 11) / 10)
    assert fit.bandwidth == min(tried, key=lambda one: one.rmse).bandwidth
    again = Regression().fit(evidence, np.random.default_rng(0))
    assert [one.rmse for one in again.by_bandwidth] == [one.rmse for one in tried]


def test_a_given_bandwidth_is_kept():
    fit = Regression(bandwidth=0.3).fit(toy_evidence(), np.random.default_rng(0))
    assert (fit.bandwidth, fit.by_bandwidth) == (0.3, ())


def test_left_out_fits_equal_fits_to_the_smaller_problem():
    evidence = toy_evidence(n_classes=12)
    method = Regression(bandwidth=0.5)
    fits = method.fit_left_out(evidence, method.fit(evidence, np.random.default_rng()))
    kept = np.ones(12, dtype=bool)
    kept[3] = False
    alone = evidence.restrict(kept).ranks
    sizes = np.array([5, 11])
    # The same basis but for knots, which follow the full number of classes.
    np.testing.assert_allclose(
        fits[3].accuracy(sizes), method.fit_ranks(alone).accuracy(sizes), atol=5e-3
    )


def test_unconstrained_least_squares_is_offered_and_is_wild():
    evidence = toy_evidence(n_each=1)
    loose = Regression(bandwidth=0.5, constrained=False).fit_ranks(evidence.ranks)
    tight = Regression(bandwidth=0.5).fit_ranks(evidence.ranks)
    sizes = np.arange(2, 41)
    curve = evidence.ranks.curve(sizes)
    residual = [np.abs(f.accuracy(sizes) - curve).max() for f in (loose, tight)]
    assert residual[0] <= residual[1] + 1e-9
    # It follows the data better and leaves all bounds beyond them.
    far = loose.accuracy(np.array([10**3, 10**4, 10**6]))
    assert np.abs(far - 0.5).max() > 0.6


def test_weights_pull_the_fit_to_the_sizes_they_favour():
    evidence = toy_evidence()
    sizes = tuple(range(2, 41))
    small = tuple(1e4 if k < 5 else 1e-4 for k in sizes)
    plain = Regression(bandwidth=1.0, form="simplex", sizes=sizes)
    bent = Regression(bandwidth=1.0, form="simplex", sizes=sizes, size_weights=small)
    first = np.array([2, 3, 4])
    curve = evidence.ranks.curve(first)

    def error(method):
        return np.abs(method.fit_ranks(evidence.ranks).accuracy(first) - curve).max()

    assert error(bent) <= error(plain) + 1e-12


@pytest.mark.parametrize(
    "options",
    [
        {"form": "error"},
        {"knots": "dense"},
        {"bandwidth": 0},
        {"bandwidth": -1.0},
        {"quadrature": "simpson"},
    ],
)
def test_impossible_options_are_refused(options):
    with pytest.raises(UsageError, match=next(iter(options))):
        Regression(**options)


def test_sizes_beyond_the_data_and_bad_weights_are_refused():
    ranks = RankHistogram(histogram=np.array([0.5, 0.5, 0.0]))
    with pytest.raises(UsageError, match="sizes"):
        Regression(bandwidth=0.5, sizes=(2, 9)).fit_ranks(ranks)
    with pytest.raises(UsageError, match="size_weights"):
        Regression(bandwidth=0.5, sizes=(2, 3), size_weights=(1.0,)).fit_ranks(ranks)


def test_design_solves_what_it_says():
    rng = np.random.default_rng(0)
    columns = probit_moments(
        np.arange(2.0, 40), np.linspace(-2, 3, 12), np.full(12, 0.6)
    )
    weights = rng.dirichlet(np.ones(12))
    design = Design(columns)
    for solve in (design.nonnegative, design.simplex, design.unconstrained):
        fitted = columns @ solve(columns @ weights)
        np.testing.assert_allclose(fitted, columns @ weights, atol=1e-7)
    assert (design.nonnegative(rng.normal(size=38)) >= 0).all()
    assert design.simplex(rng.random(38)).sum() == pytest.approx(1)


def test_sizes_may_be_an_array():
    method = Regression(sizes=np.array([2, 4, 8]), size_weights=np.ones(3))
    assert list(method.sizes) == [2, 4, 8]


def test_sizes_may_go_from_one_class_to_all():
    histogram = np.full(6, 1 / 6)
    ranks = RankHistogram(histogram=histogram)
    fitted = Regression(bandwidth=0.5, sizes=(1, 2, 6)).fit_ranks(ranks)
    assert fitted.accuracy(np.array([1, 2, 6])) == pytest.approx([1, 1 / 2, 1 / 6])


@pytest.mark.parametrize("bandwidth", [0.2, 0.33, 0.5])
def test_knots_of_the_paper_lie_half_a_bandwidth_apart_or_just_more(bandwidth):
    ranks = RankHistogram(histogram=np.full(30, 1 / 30))
    knots = Regression(bandwidth=bandwidth).fit_ranks(ranks).means
    apart = knots[1] - knots[0]
    assert np.diff(knots) == pytest.approx(apart)
    assert knots == pytest.approx(-knots[::-1])
    more = 1 + (knots.size - 1) // 2  # as far out, one knot more on each side
    assert knots[-1] / more < bandwidth / 2 <= apart


def test_given_sizes_hold_in_every_step(monkeypatch):
    """The bandwidth is chosen, and classes are left out, at the same sizes."""
    fitted = []
    fit = regression._Basis.fit

    def seen(self, curve):
        fitted.append(self.sizes.tolist())
        return fit(self, curve)

    monkeypatch.setattr(regression._Basis, "fit", seen)
    data = toy_evidence(24)
    sizes = (2, 5, 10, 20, 24)
    method = Regression(sizes=sizes, bandwidths=(0.4, 0.8), n_subsamples=2)
    found = method.fit(data, np.random.default_rng(0))
    halves, whole = fitted[:4], fitted[4:]
    assert halves == [[2, 5, 10]] * 4
    assert whole == [list(sizes)] * 2
    fitted.clear()
    found.tuned.fit_left_out(data, found)
    assert fitted == [[2, 5, 10, 20]] * 24
    # In a back-test, where half of the classes were never seen.
    fitted.clear()
    half = hide_classes(data, 12, np.random.default_rng(1))
    Regression(sizes=sizes, bandwidth=0.5).fit(half, np.random.default_rng(0))
    Regression(sizes=(20, 24), bandwidth=0.5).fit(half, np.random.default_rng(0))
    assert fitted[0] == [2, 5, 10]
    assert fitted[1] == list(range(1, 13))  # none is left: the usual ones


def test_weights_of_sizes_go_with_them():
    method = Regression(sizes=(2, 5, 10, 20), size_weights=(1, 2, 3, 4), bandwidth=0.5)
    assert method.sizes_among(12) == ((2, 5, 10), (1, 2, 3))
    assert method.sizes_among(30) == ((2, 5, 10, 20), (1, 2, 3, 4))
    assert method.sizes_among(1) == (None, None)


def test_all_sizes_given_are_the_usual_ones():
    data = toy_evidence(24)
    usual, given = (
        Regression(sizes=s, n_subsamples=5).fit(data, np.random.default_rng(0))
        for s in (None, tuple(range(1, 25)))
    )
    assert given.bandwidth == usual.bandwidth
    at = np.array([24, 200])
    assert given.law.accuracy(at) == pytest.approx(usual.law.accuracy(at), abs=1e-9)


def test_a_distribution_has_no_signs_to_leave_free():
    with pytest.raises(UsageError, match="simplex") as caught:
        Regression(form="simplex", constrained=False)
    assert caught.value.parameter == "constrained"
