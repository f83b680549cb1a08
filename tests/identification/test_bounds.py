"""Bounds on accuracies and on information."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom
from tests.identification.in_nats import (
    identify,
    least_information,
    mutual_information_bound,
)

import scorecast as sc
from scorecast.exceptions import InsufficientDataError, UsageError
from scorecast.identification import (
    AVERAGE_BOUNDS,
    GENERALISATION_BOUNDS,
    InformationBound,
    Trials,
    average_bayes_bound,
    fano_information,
    generalisation_bound,
)


def test_bounds_agree_with_the_formula_book(golden):
    entry = next(e for e in golden["values"] if e["name"] == "bounds")
    expected, five = entry["expected"], {"n_classifiers": 5}
    trials = Trials.of(50, 10)
    found = {
        "ga_printed": generalisation_bound(0.8, trials, method="paper"),
        "ga_sharp": generalisation_bound(0.8, trials),
        "aba_printed": average_bayes_bound(0.8, trials, method="paper"),
        "aba_mcdiarmid": average_bayes_bound(0.8, trials, method="mcdiarmid"),
        "ba_bonferroni_printed": generalisation_bound(
            0.8, trials, method="paper", **five
        ),
        "ba_bonferroni_sharp": generalisation_bound(0.8, trials, **five),
        "aba_bonferroni_printed": average_bayes_bound(
            0.8, trials, method="paper", **five
        ),
        "aba_bonferroni_mcdiarmid": average_bayes_bound(
            0.8, trials, method="mcdiarmid", **five
        ),
    }
    assert found.keys() == expected.keys()
    for name, value in found.items():
        assert abs(value - expected[name]) < 1e-12, name
    # Of the text of the book, to the digits it prints.
    cantelli = average_bayes_bound(0.8, trials, method="cantelli")
    assert cantelli == pytest.approx(0.2976758105, abs=1e-10)


def test_unequal_counts_follow_the_harmonic_rule():
    counts = [5, 20, 8, 40]
    trials = Trials.of(4, counts)
    width = np.sqrt(np.log(1 / 0.05) / 2 * sum(1 / n for n in counts) / 16)
    assert generalisation_bound(0.9, trials) == pytest.approx(0.9 - width)
    assert not trials.is_balanced
    even = Trials.of(4, [7, 7, 7, 7])
    assert even.is_balanced
    assert even.spread == pytest.approx(1 / 28)


def test_binomial_bound_is_that_of_clopper_and_pearson():
    low = generalisation_bound(0.8, Trials.of(10, 5), method="binomial")
    assert binom.sf(39, 50, low) == pytest.approx(0.05)


@pytest.mark.parametrize("n_classifiers", [1, 7])
@pytest.mark.parametrize("accuracy", [0.0, 0.02, 0.3, 0.66, 0.98, 1.0])
@pytest.mark.parametrize("design", [(2, 1), (50, 10), (1000, 1)])
def test_every_bound_lies_between_zero_and_the_observed(
    design, accuracy, n_classifiers
):
    trials = Trials.of(*design)
    found = {}
    for method in AVERAGE_BOUNDS:
        if method == "binomial" and accuracy * design[0] * design[1] % 1 > 1e-9:
            continue
        found[method] = average_bayes_bound(
            accuracy, trials, method=method, n_classifiers=n_classifiers
        )
        assert 0 <= found[method] <= accuracy
        assert np.isfinite(found[method])
    others = [found[m] for m in ("joint", "poisson", "mcdiarmid", "cantelli", "paper")]
    assert found["sharpest"] >= max(others)


@pytest.mark.parametrize("method", ["sharpest", "joint", "poisson", "mcdiarmid"])
def test_bounds_rise_with_the_accuracy_as_the_free_choice_needs(method):
    trials = Trials.of(60, 2)
    grid = np.linspace(0, 1, 101)
    found = [average_bayes_bound(a, trials, method=method) for a in grid]
    assert (np.diff(found) >= -1e-12).all()


def test_bounds_fall_with_level_and_number_of_classifiers():
    trials = Trials.of(60, 2)
    for method in ("sharpest", "joint", "poisson", "mcdiarmid", "paper"):
        by_level = [
            average_bayes_bound(0.7, trials, confidence_level=level, method=method)
            for level in (0.5, 0.9, 0.99, 0.999999)
        ]
        by_number = [
            average_bayes_bound(0.7, trials, n_classifiers=n, method=method)
            for n in (1, 10, 10**6)
        ]
        assert by_level == sorted(by_level, reverse=True)
        assert by_number == sorted(by_number, reverse=True)


def test_what_holds_for_one_split_only_is_refused_for_many():
    one = Trials.of(40, 1)
    many = Trials(
        n_classes=40, fewest=1, spread=1 / 40, class_spread=1 / 40, n_splits=10
    )
    grouped = one.in_groups(np.array([20, 10, 10]))
    assert not grouped.is_independent
    for method in ("chernoff", "binomial"):
        with pytest.raises(UsageError, match="groups"):
            generalisation_bound(0.9, grouped, method=method)
    with pytest.raises(UsageError, match="splits"):
        generalisation_bound(0.9, many, method="binomial")
    for trials in (many, grouped):
        with pytest.raises(UsageError, match="sharpest"):
            average_bayes_bound(0.9, trials, method="mcdiarmid")
    assert average_bayes_bound(0.9, many) <= average_bayes_bound(0.9, one)
    assert average_bayes_bound(0.9, grouped) < average_bayes_bound(0.9, one)


@pytest.mark.parametrize(
    ("registry", "bound"),
    [
        (GENERALISATION_BOUNDS, generalisation_bound),
        (AVERAGE_BOUNDS, average_bayes_bound),
    ],
)
def test_every_bound_is_given_for_what_it_claims_to_allow(registry, bound):
    one = Trials.of(40, 1)
    for method in registry.values():
        claims = {
            "allows_groups": one.in_groups(np.array([20, 10, 10])),
            "allows_splits": replace(one, n_splits=10),
            "allows_population": one.in_population(50),
            "needs_balance": Trials.of(40, [1, 3] * 20),
        }
        for claim, trials in claims.items():
            is_given = getattr(method, claim) != (claim == "needs_balance")
            if is_given:
                assert 0 <= bound(0.9, trials, method=method.name) <= 0.9
            else:
                with pytest.raises(UsageError):
                    bound(0.9, trials, method=method.name)


def test_a_bound_on_information_is_that_of_the_accuracy():
    bound = mutual_information_bound(0.8, n_classes=50, n_tests=10)
    low = average_bayes_bound(0.8, Trials.of(50, 10))
    assert bound.value == pytest.approx(float(least_information(low, n_classes=50)))
    assert bound.best == 50
    assert bound.fano[0] == pytest.approx(np.log(50) - 0.5004 - 0.2 * np.log(49), 1e-4)
    bits = mutual_information_bound(0.8, n_classes=50, n_tests=10, units="bits")
    assert bits.value == pytest.approx(bound.value / np.log(2))


def test_several_sizes_cost_a_correction():
    curve = _curve()
    alone = mutual_information_bound(curve, n_classes=10)
    among = mutual_information_bound(curve, n_classes=[3, 10, 40])
    at = among.classes.tolist().index(10)
    assert among.information[at] < alone.value
    assert among.accuracy_low[at] == pytest.approx(
        average_bayes_bound(
            float(among.accuracy[at]), Trials.of(40, 1), confidence_level=1 - 0.05 / 3
        )
    )
    assert among.value == among.information.max()


@pytest.mark.parametrize(("accuracy", "classes"), [(1 / 9, 9), (0.0, 9), (1.0, 2)])
def test_accuracies_at_chance_or_one_give_zero_or_something_finite(accuracy, classes):
    bound = mutual_information_bound(accuracy, n_classes=classes, n_tests=3)
    assert np.isfinite(bound.value)
    assert bound.value >= 0
    assert not np.isnan(bound.uncorrected).any()
    again = InformationBound.from_dict(json.loads(json.dumps(bound.to_dict())))
    assert again.to_dict() == bound.to_dict()


def _curve(n=40):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 20)) * 0.6
    y = x + rng.normal(size=(n, 20))
    return sc.accuracy_curve(y @ x.T - (x**2).sum(axis=1) / 2, range(n))


def test_a_curve_brings_its_own_counts():
    curve = _curve()
    by_curve = mutual_information_bound(curve, n_classes=40)
    by_hand = mutual_information_bound(
        float(curve.accuracy[-1]), n_classes=40, n_tests=1
    )
    assert by_curve.value == by_hand.value
    default = mutual_information_bound(curve)
    assert default.classes.tolist() == [3, 7, 17, 40]
    assert by_curve.to_frame().shape == (1, 6)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: mutual_information_bound(0.5), UsageError),
        (lambda: mutual_information_bound(0.5, n_classes=9), UsageError),
        (lambda: mutual_information_bound([0.5], n_classes=[3, 4], n_tests=1),
         UsageError),
        (lambda: mutual_information_bound(0.5, n_classes=9, n_tests=1, n_drawn=4),
         UsageError),
        (lambda: mutual_information_bound(1.5, n_classes=9, n_tests=1), UsageError),
        (lambda: mutual_information_bound(np.nan, n_classes=9, n_tests=1),
         UsageError),
        (lambda: mutual_information_bound(_curve(), n_classes=41), UsageError),
        (lambda: mutual_information_bound(_curve(), units="bit"), UsageError),
        (lambda: Trials.of(3, [1, 2]), UsageError),
        (lambda: Trials.of(3, [1, 0, 2]), InsufficientDataError),
        (lambda: Trials.of(1, 5), InsufficientDataError),
        (lambda: generalisation_bound(0.5, Trials.of(3, [1, 2, 3]), method="binomial"),
         UsageError),
        (lambda: generalisation_bound(0.5, Trials.of(4, 2), method="binomial",
                                      confidence_level=0.7), UsageError),
        (lambda: generalisation_bound(0.5, Trials.of(4, 2), n_classifiers=0),
         UsageError),
        (lambda: average_bayes_bound(0.5, Trials.of(4, 2), confidence_level=1.0),
         UsageError),
        (lambda: average_bayes_bound(0.5, Trials.of(4, 2), method="best"), UsageError),
    ],
)  # fmt: skip
def test_what_cannot_be_bounded_is_refused(call, error):
    with pytest.raises(error):
        call()


def test_curves_that_flatter_are_refused():
    scores = np.eye(4) + np.arange(16).reshape(4, 4) / 50
    for options in ({"ties": "optimistic"}, {"top": 2}, {"average": "micro"}):
        curve = sc.accuracy_curve(scores, range(4), **options)
        with pytest.raises(UsageError, match="one guess"):
            mutual_information_bound(curve)


@pytest.mark.statistical
@pytest.mark.parametrize("method", [m for m in AVERAGE_BOUNDS if m != "binomial"])
@pytest.mark.parametrize(("n", "k", "c"), [(8, 3, 3.0), (30, 10, 6.0)])
def test_bounds_on_information_hold_in_the_hardest_model(models, method, n, k, c):
    rng = np.random.default_rng(0)
    truth = models.circle_information(k, c)
    above = raw = 0
    repeats = 600
    for _ in range(repeats):
        scores, own = models.circle_scores(rng, n, k, c)
        curve = sc.accuracy_curve(scores, own, sizes=k, standard_errors=False)
        bound = mutual_information_bound(
            curve, confidence_level=0.8, method=method, n_classes=k
        )
        above += bound.value > truth
        raw += bound.uncorrected[0] > truth
    # Three standard deviations of a share of 0.2; without allowance for chance the
    # same numbers exceed the truth about half of the time.
    slack = 3 * np.sqrt(0.2 * 0.8 / repeats)
    assert above / repeats < 0.2 + slack
    assert raw / repeats > 0.2 + slack


def _exceeded(bound, n_draws, size=1):
    """Chance that a bound exceeds the truth where each draw is clear or junk.

    A draw is a group of so many stimuli, all of them always found or all of them never
    (but for one, which is guessed). Responses bring no noise: the number of clear draws
    is binomial, and the chance is exact. Nothing spreads Bayes accuracies further.
    """
    n = n_draws * size
    clear = np.arange(n_draws + 1)
    accuracy = (clear * size + (clear < n_draws)) / n
    chance = binom.pmf(clear, n_draws, 0.5)
    truth = float(chance @ accuracy)
    return sum(
        float(p)
        for a, p in zip(accuracy, chance, strict=True)
        if bound(float(a)) > truth
    )


@pytest.mark.parametrize("n", [12, 40, 200])
@pytest.mark.parametrize("method", ["joint", "sharpest", "mcdiarmid", "cantelli"])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_bounds_hold_where_stimuli_differ_most_and_half_the_allowance_does_not(
    n, method, level
):
    trials = Trials.of(n, 10**6)

    def bound(accuracy, share=1.0):
        low = average_bayes_bound(
            accuracy, trials, confidence_level=level, method=method
        )
        return accuracy - share * (accuracy - low)

    assert _exceeded(bound, n) <= 1 - level
    if (method, level) == ("joint", 0.95):
        assert _exceeded(lambda a: bound(a, 0.5), n) > 1 - level


@pytest.mark.parametrize("size", [4, 10])
def test_bounds_hold_where_whole_groups_are_clear_or_junk(size):
    n_groups = 30
    alone = Trials.of(n_groups * size, 10**6)
    grouped = alone.in_groups(np.full(n_groups, size))
    assert _exceeded(lambda a: average_bayes_bound(a, grouped), n_groups, size) <= 0.05
    assert _exceeded(lambda a: average_bayes_bound(a, alone), n_groups, size) > 0.05


@pytest.mark.statistical
def test_bounds_hold_for_the_mean_over_splits(models):
    class Around:
        """Knows the circle on which responses follow their stimuli."""

        def fit(self, stimuli, responses):
            return self

        def log_posterior(self, responses, candidates):
            return (responses - candidates.T) % 1

    rng = np.random.default_rng(1)
    k, c, repeats = 10, 12.0, 80
    truth = models.circle_information(k, c)
    found, raw = [], []
    for _ in range(repeats):
        x, y = models.circle_pair(rng, 120, k, c)
        bound = identify(
            x[:, None], y[:, None], model=Around(), n_splits=5, confidence_level=0.8,
            test_size=0.5, bound_sizes=k,
        ).bound  # fmt: skip
        found.append(bound.value)
        raw.append(bound.uncorrected[0])
    slack = 3 * np.sqrt(0.2 * 0.8 / repeats)
    assert np.mean(np.array(found) > truth) < 0.2 + slack
    assert np.mean(np.array(raw) > truth) > 0.2 + slack
    assert np.min(found) > 0


@pytest.mark.statistical
@pytest.mark.parametrize("information", [0.05, 4.0])
def test_bounds_hold_for_gaussian_responses(models, information):
    rng = np.random.default_rng(2)
    found, raw = [], []
    for _ in range(200):
        scores = models.bayes_scores(*models.gaussian_pair(rng, 60, 20, information))
        curve = sc.accuracy_curve(scores, range(60), standard_errors=False)
        bound = mutual_information_bound(curve, confidence_level=0.8)
        found.append(bound.value)
        raw.append(bound.uncorrected.max())
    assert np.mean(np.array(found) > information) < 0.2
    if information > 1:
        assert np.min(found) > 0
    else:
        assert np.mean(np.array(raw) > information) > 0.3


@pytest.mark.statistical
@pytest.mark.parametrize("method", GENERALISATION_BOUNDS)
def test_generalisation_bounds_hold_for_cases_of_unlike_difficulty(method):
    rng = np.random.default_rng(2)
    chances = np.concatenate([np.full(10, 0.95), np.full(10, 0.25)])
    trials = Trials.of(20, 3)
    right = rng.random((4000, 20, 3)) < chances[:, None]
    seen, counts = np.unique(right.mean(axis=(1, 2)), return_counts=True)
    above = sum(
        int(m)
        for a, m in zip(seen, counts, strict=True)
        if generalisation_bound(float(a), trials, confidence_level=0.8, method=method)
        > chances.mean()
    )
    assert above / 4000 < 0.2 + 3 * np.sqrt(0.16 / 4000)
    # The printed statement, a deviation divided by the number of cases, is false.
    broken = (seen - np.sqrt(np.log(5) / 120) / 60 > chances.mean()) @ counts
    assert broken / 4000 > 0.3


# Classes that are fixed


def test_two_fixed_classes_prove_something():
    bound = mutual_information_bound(1.0, n_classes=2, n_tests=100, units="bits")
    same = mutual_information_bound(
        1.0, n_classes=2, n_tests=100, population=2, units="bits"
    )
    assert bound.value == 0  # two drawn from many leave room for luck
    assert bound.for_these == pytest.approx(same.value)
    assert 0.85 < bound.for_these < 1
    assert bound.most_of_these == 1
    again = InformationBound.from_dict(json.loads(json.dumps(bound.to_dict())))
    assert again.for_these == bound.for_these
    assert np.isnan(same.for_these)
    chance = mutual_information_bound(0.5, n_classes=2, n_tests=100)
    assert chance.for_these == 0


def test_the_bound_for_fixed_classes_holds():
    """Binary symmetric channels: the truth is known, and is hardly ever exceeded."""
    rng = np.random.default_rng(0)
    for right in (0.6, 0.8, 0.95):
        wrong = 1 - right
        truth = np.log(2) + right * np.log(right) + wrong * np.log(wrong)
        seen = rng.binomial(60, right, 400) / 60
        found = {
            a: mutual_information_bound(a, n_classes=2, n_tests=30).for_these
            for a in np.unique(seen)
        }
        exceeded = np.mean([found[a] > truth for a in seen])
        assert exceeded <= 0.05 + 2 * 0.011
        # Without an allowance for chance it would not hold.
        plain = {a: fano_information(a, n_classes=2) for a in np.unique(seen)}
        assert np.mean([plain[a] > truth + 1e-12 for a in seen]) > 0.3
