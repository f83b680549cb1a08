"""Bounds where stimuli repeat, or where there are only so many of them."""

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from tests.identification.in_nats import (
    best_accuracy,
    codes,
    identify,
    identify_from_scores,
    mutual_information_bound,
)

import scorecast as sc
from scorecast._core.result import Note
from scorecast.exceptions import ResultWarning, UsageError
from scorecast.identification import (
    Assumption,
    Identification,
    IdentificationNote,
    Trials,
    average_bayes_bound,
)
from scorecast.identification.bounds import (
    distinct_share,
    spread_without_replacement,
)


class Nearest:
    """Responses are noisy copies of the stimuli."""

    def fit(self, stimuli, responses):
        return self

    def log_posterior(self, responses, candidates):
        return responses @ candidates.T - (candidates**2).sum(axis=1) / 2


def alphabet(rng, n, letters, chances=None):
    """Independent draws of letters, shown with little noise."""
    features = rng.normal(size=(letters, 20))
    stimuli = features[rng.choice(letters, size=n, p=chances)]
    return stimuli, stimuli + 0.05 * rng.normal(size=stimuli.shape)


def told(x, y, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResultWarning)  # of answers that are all right
        return identify(
            x, y, model=Nearest(), n_splits=2, test_size=0.5, **options
        ).bound.value


def test_the_share_of_distinct_draws_is_counted():
    rng = np.random.default_rng(0)
    draws = rng.integers(0, 12, size=(20_000, 9))
    seen = np.mean([np.unique(row).size / 9 for row in draws])
    assert distinct_share(9, 12) == pytest.approx(seen, abs=0.003)
    assert distinct_share(50, 10**12) == pytest.approx(1)


def test_letters_of_an_alphabet_prove_no_more_than_it_holds():
    x, y = alphabet(np.random.default_rng(0), 1600, 400)
    assert told(x, y) > math.log(400)  # what the warning is about
    # Those that were seen, 392 or so, stand for the 400.
    proved = told(x, y, population=400)
    assert 0.6 * math.log(400) < proved < math.log(400)
    assert 0 < told(x, y, duplicates="draws") < math.log(400)


def test_a_blank_that_is_shown_most_of_the_time_carries_little():
    rng = np.random.default_rng(1)
    for n_others in (8, 120):
        chances = np.append(np.full(n_others, 0.2 / n_others), 0.8)
        x, y = alphabet(rng, 1000, n_others + 1, chances)
        entropy = float(-(chances * np.log(chances)).sum())
        assert 0 < told(x, y, duplicates="draws") < entropy
    assert told(x, y) > entropy


@pytest.mark.parametrize("n", [2, 5, 50, 200])
def test_all_classes_there_are_prove_at_most_the_logarithm_of_their_number(n):
    own = np.repeat(np.arange(n), 20)
    curve = sc.accuracy_curve(np.eye(n)[own], own, standard_errors=False)
    known = mutual_information_bound(curve, population=n)
    free = mutual_information_bound(curve)
    assert known.population == n
    assert known.value <= math.log(n)
    assert (known.uncorrected <= math.log(n) + 1e-9).all()
    if n >= 50:
        assert free.value > math.log(n)
        assert known.value > 0.8 * math.log(n)


def test_a_population_beyond_counting_changes_the_capacity_by_nothing():
    free = mutual_information_bound(0.8, n_classes=50, n_tests=10, method="joint")
    huge = mutual_information_bound(
        0.8, n_classes=50, n_tests=10, method="joint", population=10**9
    )
    assert huge.value == pytest.approx(free.value, rel=1e-5)
    small = mutual_information_bound(0.8, n_classes=50, n_tests=10, population=60)
    assert small.value < math.log(60)


def test_the_identity_behind_the_factor_holds_exactly():
    # Letters of a noisy channel: independent draws, computed by running through all.
    rng = np.random.default_rng(2)
    channel = rng.dirichlet(np.full(5, 0.3), size=4)  # 4 stimuli, 5 responses
    k = 3
    draws = np.array(np.meshgrid(*[range(4)] * k)).reshape(k, -1).T
    independent = np.mean([channel[row].max(axis=0).sum() / k for row in draws])
    distinct = [row for row in draws if np.unique(row).size == k]
    apart = np.mean([channel[row].max(axis=0).sum() / k for row in distinct])
    truth = float((channel * np.log(channel / channel.mean(axis=0))).sum() / 4)
    assert apart * distinct_share(k, 4) <= independent
    assert independent <= float(best_accuracy(truth, n_classes=k))
    bound = mutual_information_bound(
        apart, n_classes=k, n_tests=10**8, n_drawn=4, population=4, confidence_level=0.5
    )
    assert bound.value <= truth


def test_draws_without_replacement_vary_as_little_as_is_claimed():
    for drawn, size in [(2, 3), (5, 10), (20, 400), (9, 10)]:
        assert spread_without_replacement(drawn, size) <= 1 / drawn
    assert spread_without_replacement(7, 7) == 0
    # (N - M) / (N - 1/2) / (1 - 1 / (2 max(M, N - M))), as published.
    for drawn, size, factor in [
        (30, 40, 10 / 39.5 / (59 / 60)),
        (5, 20, 15 / 19.5 / (29 / 30)),
    ]:
        found = drawn * spread_without_replacement(drawn, size)
        assert found == pytest.approx(factor, rel=1e-12)
    # Half of the stimuli clear, half of them junk: what B_k can do at worst.
    rng = np.random.default_rng(3)
    clear = np.array([rng.permutation(40)[:30] < 20 for _ in range(20_000)])
    off = clear.mean(axis=1) - 0.5
    for level in (0.8, 0.95):
        allowed = math.sqrt(
            math.log(1 / (1 - level)) * spread_without_replacement(30, 40) / 2
        )
        assert np.mean(off > allowed) < 1 - level
    assert np.mean(off > 0.3 * allowed) > 0.05


def test_where_nothing_is_left_to_chance_only_responses_are_allowed_for():
    every = Trials.of(50, 10).in_population(50)
    some = Trials.of(50, 10).in_population(500)
    free = Trials.of(50, 10)
    low = [average_bayes_bound(0.8, t) for t in (every, some, free)]
    assert low[0] > low[1] > 0.6
    with pytest.raises(UsageError, match="finite population"):
        average_bayes_bound(0.8, some, method="poisson")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: told(x, x, population=3), "cannot have given"),
        (lambda x: told(x, x, population=40.0), "whole number"),
        (lambda x: told(x, x, population=90, duplicates="draws"), "distinct"),
        (lambda x: told(x, x, duplicates="often"), "duplicates"),
        (lambda x: told(x, x, population=90, groups=np.arange(40) // 2), "groups"),
        (lambda _: Trials.of(5, 1).in_population(9).in_population(8), "before"),
    ],
)
def test_populations_that_make_no_sense_are_refused(call, words):
    x = np.random.default_rng(0).normal(size=(40, 3))
    with pytest.raises(UsageError, match=words):
        call(x)


def test_repeats_are_warned_of_and_the_assumption_says_which():
    x, _ = alphabet(np.random.default_rng(4), 200, 60)
    y = x + 1.5 * np.random.default_rng(5).normal(size=x.shape)
    options = {"model": Nearest(), "n_splits": 2, "test_size": 0.5}
    plain = identify(x, y, **options)
    assert IdentificationNote.REPEATS_BY_DESIGN in codes(plain)
    assert plain.assumptions[0].code == Assumption.MANY_STIMULI
    some = identify(x, y, population=60, **options)
    assert IdentificationNote.REPEATS_BY_DESIGN not in codes(some)
    assert some.assumptions[0] == Note(code=Assumption.POPULATION, count=60)
    drawn = identify(x, y, duplicates="draws", **options)
    assert IdentificationNote.REPEATED_ROWS not in codes(drawn)
    assert drawn.assumptions[0].code == Assumption.ROWS_DRAWN
    assert drawn.n_candidates == 100
    assert drawn.n_stimuli == 200
    for answer in (plain, some, drawn):
        again = Identification.from_dict(answer.to_dict())
        assert again.to_dict() == answer.to_dict()
        assert again.bound.population == answer.bound.population


def test_more_implied_than_the_population_holds_is_named():
    rng = np.random.default_rng(7)
    scores = rng.normal(size=(40, 40)) + 4 * np.eye(40)
    answer = identify_from_scores(scores, population=40)
    assert answer.implied.value > math.log(40) > answer.bound.value
    assert answer.implied_exceeds_population
    assert codes(answer)[-1] == IdentificationNote.IMPLIED_EXCEEDS_POPULATION


def test_a_curve_with_untested_or_uncounted_classes_is_refused():
    rng = np.random.default_rng(5)
    own = np.repeat(np.arange(5), 40)
    scores = rng.normal(size=(200, 60)) + 2 * np.eye(60)[own]
    curve = sc.accuracy_curve(sc.Scores(scores, own, classes=range(60)))
    with pytest.raises(UsageError, match="55 of 60 classes have no sample"):
        mutual_information_bound(curve)
    tested = sc.accuracy_curve(scores[:, :5], own)
    stored = replace(tested, counts=np.empty(0, dtype=np.int64))
    with pytest.raises(UsageError, match="n_tests"):
        mutual_information_bound(stored)
    again = mutual_information_bound(stored, n_tests=40)
    assert again.value == mutual_information_bound(tested).value


def test_unequal_counts_of_a_curve_are_not_evened_out():
    rng = np.random.default_rng(6)
    own = np.concatenate([np.arange(29), np.full(2000, 29)])
    scores = rng.normal(size=(own.size, 30)) + 4 * np.eye(30)[own]
    curve = sc.accuracy_curve(scores, own, standard_errors=False)
    found = mutual_information_bound(curve, n_classes=30)
    trials = Trials.of(30, np.bincount(own))
    assert found.accuracy_low[0] == average_bayes_bound(
        float(curve.accuracy[-1]), trials
    )


@pytest.mark.parametrize(
    ("population", "words"),
    [(30, "cannot have given 60"), ("all", "whole number"), (True, "whole number")],
)
def test_a_population_holds_all_stimuli_not_only_those_tested(
    models, population, words
):
    x, y = models.gaussian_pair(np.random.default_rng(0), 60, 4, 2.0)
    options = {"model": models.LinearEncoder(), "n_splits": 2}
    with pytest.raises(UsageError, match=words):
        identify(x, y, population=population, **options)
    scores = models.bayes_scores(x, y)[:20]
    with pytest.raises(UsageError, match=words):
        identify_from_scores(scores, range(20), population=population)


@pytest.mark.parametrize(
    ("n", "free", "known", "free_at_all", "known_at_all"),
    [
        (50, 4.31, 3.88, 3.99, 3.86),
        (100, 5.49, 4.58, 5.22, 4.57),
        (200, 6.61, 5.28, 6.38, 5.28),
    ],
)
def test_the_figures_of_the_theory_page(n, free, known, free_at_all, known_at_all):
    for population, at_one, at_all in (
        (None, free, free_at_all),
        (n, known, known_at_all),
    ):
        bound = mutual_information_bound(
            1.0, n_classes=n, n_tests=20, population=population
        )
        assert np.floor(100 * bound.value) / 100 == pytest.approx(at_one)
        with pytest.warns(ResultWarning, match="No answer was wrong"):
            answer = identify_from_scores(
                np.repeat(np.eye(n), 20, axis=0),
                np.repeat(np.arange(n), 20),
                population=population,
            )
        assert np.floor(100 * answer.bound.value) / 100 == pytest.approx(at_all)
