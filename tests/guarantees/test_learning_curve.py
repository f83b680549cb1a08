"""Learning curves: recovery, intervals, inversion, and refusals."""

import numpy as np
import pytest
from scipy.stats import linregress, ttest_1samp
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB

from scorecast import learning_curve_fit, learning_curve_scores
from scorecast._core.results import result_from_dict
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError
from scorecast.guarantees import rough_size

SIZES = np.array([10, 20, 40, 60, 80, 120])


def curve(sizes=SIZES, a=0.9, alpha=0.6, b=0.08):
    return 1 - a * np.asarray(sizes, float) ** -alpha - b


def test_a_curve_without_noise_is_recovered():
    # The formula book, D15: (.9, .6, .08).
    law = learning_curve_fit(SIZES, curve(), random_state=0).law
    assert (law.scale, law.exponent, law.limit) == pytest.approx((0.9, 0.6, 0.08), 1e-7)


@pytest.mark.parametrize(
    ("a", "alpha", "b"), [(0.5, 2.0, 0.0), (3, 1.2, 0.2), (0, 1, 0.3)]
)
def test_other_curves_are_recovered_too(a, alpha, b):
    fit = learning_curve_fit(SIZES, curve(a=a, alpha=alpha, b=b), random_state=0)
    expected = curve([15, 500], a, alpha, b)
    assert [fit.score_at(15), fit.score_at(500)] == pytest.approx(expected, abs=1e-6)
    # Of a curve that does not rise nothing is said that was not measured.
    assert fit.rises == (a > 0)
    expected = 1 - b if a else np.nan
    assert fit.limit == pytest.approx(expected, abs=1e-6, nan_ok=True)


def test_how_many_cases_for_a_score():
    fit = learning_curve_fit(SIZES, curve(), target=0.9, random_state=0)
    # 0.9 n^-0.6 = 0.02
    assert fit.needed_for(0.9) == np.ceil((0.9 / 0.02) ** (1 / 0.6))
    assert fit.needed_for(0.93) == np.inf
    assert fit.needed_for(0.0) == 10  # the smallest tried; fewer may do
    assert fit.needed_for(0.9) == 570
    assert "about 570 cases" in fit.summary()
    never = learning_curve_fit(SIZES, curve(), target=0.95, random_state=0)
    assert "never reaches" in never.summary()


def test_sizes_with_sure_means_count_more():
    rng = np.random.default_rng(0)
    noise = np.array([0.2, 0.01, 0.01, 0.01, 0.01, 0.01])[:, None]
    table = np.minimum(curve()[:, None] + noise * rng.standard_normal((6, 30)), 1)
    fit = learning_curve_fit(SIZES, table, random_state=0)
    assert fit.weights[0] < fit.weights[1:].min() / 20
    alone = learning_curve_fit(
        SIZES, table.mean(axis=1), weights=fit.weights, random_state=0
    )
    assert alone.law.limit == pytest.approx(fit.law.limit, abs=1e-9)


def test_the_law_never_goes_below_zero_nor_up():
    rng = np.random.default_rng(1)
    for _ in range(20):
        fit = learning_curve_fit(
            SIZES, rng.uniform(0.3, 0.9, 6), n_replicates=5, random_state=0
        )
        for law in (fit.law, *fit.replicates):
            assert min(law.scale, law.exponent, law.limit) >= 0
        assert fit.score_at(200) >= fit.score_at(100)


def test_the_best_split_weighs_training_against_test():
    fit = learning_curve_fit(SIZES, curve(), random_state=0)
    train, test = fit.best_split(100)
    assert train + test == 100
    sizes = np.arange(1, 100)
    error = 1 - curve(sizes)
    risk = (error - (1 - curve(100))) ** 2 + error * (1 - error) / (100 - sizes)
    assert train == sizes[np.argmin(risk)]
    flat = learning_curve_fit(SIZES, np.full(6, 0.8), random_state=0)
    # Where nothing is learnt, test; but below 10 cases nothing is known.
    assert flat.best_split(100) == (10, 90)
    with pytest.raises(UsageError, match="at least 2"):
        fit.best_split(1)


def test_json_there_and_back():
    fit = learning_curve_fit(SIZES, curve(), target=0.9, n_replicates=7, random_state=0)
    again = result_from_dict(fit.to_dict())
    assert again.summary() == fit.summary()
    assert again.to_columns() == fit.to_columns()


def two_classes(n=120, m=8, seed=0):
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 3 == 0).astype(int)
    X = rng.standard_normal((n, m))
    X[y == 1] += 0.7
    return X, y


@pytest.mark.parametrize(
    ("over", "sizes"), [("cases", [6, 30, 80]), ("features", [1, 4, 8])]
)
def test_scores_grow_with_cases_and_with_features(over, sizes):
    X, y = two_classes()
    table = learning_curve_scores(
        GaussianNB(), X, y, sizes, over=over, n_repeats=12, random_state=0
    )
    assert table.shape == (3, 12)
    means = table.mean(axis=1)
    assert means[0] < means[2]
    fit = learning_curve_fit(sizes, table, random_state=0)
    assert fit.score_at(1e9) > means[0]


def test_small_samples_are_parts_of_large_ones_and_keep_the_shares():
    from scorecast.guarantees.curve_scores import mixed_order

    y = np.repeat([0, 1], [90, 30])
    order = mixed_order(y, np.random.default_rng(0))
    assert sorted(order) == list(range(120))
    for size in (8, 20, 60):
        assert abs(y[order[:size]].mean() - 0.25) <= 1 / size + 1e-12


def test_workers_do_not_matter_and_regressors_are_taken():
    X, _ = two_classes(n=40)
    target = X @ np.arange(8.0)
    tables = [
        learning_curve_scores(
            LinearRegression(),
            X,
            target,
            [10, 20],
            n_repeats=3,
            random_state=1,
            n_jobs=j,
        )
        for j in (1, 2)
    ]
    assert np.array_equal(*tables)


def test_repeats_that_fail_are_left_out_and_too_many_are_refused():
    class Choosy(DummyClassifier):
        def fit(self, X, y):
            if X[0, 0] < self.constant:
                msg = "not these"
                raise RuntimeError(msg)
            return super().fit(X, y)

    X, y = two_classes()
    some = learning_curve_scores(
        Choosy(constant=0), X, y, [20], n_repeats=20, random_state=0
    )
    assert 2 <= some.shape[1] < 20
    with pytest.raises(InsufficientDataError, match="not these"):
        learning_curve_scores(Choosy(constant=99), X, y, [20], n_repeats=4)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"sizes": [10, 20]}, InvalidInputError, "One row"),
        ({"sizes": [10, 10, 10, 20, 20, 20]}, InsufficientDataError, "2 different"),
        ({"sizes": [1, 2, 3], "scores": [0.5, 0.6, 0.7]}, InsufficientDataError, "4"),
        ({"test_ratio": -1}, UsageError, "test_ratio"),
        ({"greater_is_better": False, "target": -1.0}, UsageError, "at least 0"),
        ({"over": "rows"}, UsageError, "over"),
        ({"sizes": [0, 1, 2, 3, 4, 5]}, InvalidInputError, "whole numbers"),
        ({"scores": [np.nan] * 6}, InvalidInputError, "finite"),
        ({"scores": [50.0] * 6}, InvalidInputError, "at most 1"),
        ({"weights": [1, 1, 1, 1, 1, 0]}, InvalidInputError, "above zero"),
        ({"target": 1.5}, UsageError, "target"),
        ({"level": 90}, UsageError, "level"),
        ({"n_replicates": 0}, UsageError, "n_replicates"),
    ],
)
def test_bad_input_is_refused_in_words(change, error, words):
    call = {"sizes": SIZES, "scores": curve()} | change
    with pytest.raises(error, match=words):
        learning_curve_fit(**call)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"sizes": []}, UsageError, "sizes"),
        ({"sizes": [2.5]}, UsageError, "sizes"),
        ({"sizes": [91]}, InsufficientDataError, "90 cases"),
        ({"sizes": [9], "over": "features"}, InsufficientDataError, "8 features"),
        ({"over": "rows"}, UsageError, "over"),
        ({"test_share": 1}, UsageError, "test_share"),
        ({"n_repeats": 1}, UsageError, "n_repeats"),
        ({"y": [1, 2]}, InvalidInputError, "120 rows"),
    ],
)
def test_bad_data_for_scores_are_refused_in_words(change, error, words):
    X, y = two_classes()
    call = {"X": X, "y": y, "sizes": [10]} | change
    with pytest.raises(error, match=words):
        learning_curve_scores(GaussianNB(), **call)


@pytest.mark.statistical
def test_intervals_hold_as_often_as_they_say():
    rng = np.random.default_rng(0)
    runs, held, narrow = 80, 0, 0
    truth = float(curve([240])[0])
    for _ in range(runs):
        table = np.minimum(curve()[:, None] + 0.05 * rng.standard_normal((6, 8)), 1)
        fit = learning_curve_fit(
            SIZES, table, level=0.9, n_replicates=80, random_state=rng
        )
        low, high = fit.interval_at(240)
        held += low <= truth <= high
        # The broken variant: a third of the width.
        middle = (low + high) / 2
        narrow += abs(truth - middle) <= (high - low) / 6
    error = 3 * np.sqrt(0.9 * 0.1 / runs)
    assert held / runs >= 0.9 - error
    assert narrow / runs < 0.9 - error


def flat_scores(level, spread):
    rng = np.random.default_rng(0)
    sizes = [20, 40, 80, 160]
    table = np.clip(level + spread * rng.standard_normal((4, 12)), 0, 1)
    return sizes, table


def test_sizes_below_those_tried_are_not_made_up():
    sizes, table = flat_scores(0.95, 0.01)
    fit = learning_curve_fit(sizes, table, target=0.9, random_state=0)
    assert fit.needed_for(0.9) == 20
    assert fit.needed_interval(0.9) == (20, 20)
    assert "20 cases or fewer will do" in fit.summary()


def test_sizes_that_cannot_tell_say_so():
    sizes, table = flat_scores(0.9, 0.05)
    fit = learning_curve_fit(sizes, table, target=0.905, random_state=0)
    assert fit.needed_interval(0.905) == (20, np.inf)
    assert "cannot tell" in fit.summary()
    assert "20 or fewer to no end" in fit.summary()


def test_intervals_stay_in_the_range_of_the_score():
    table = np.array([[0.1, 0.2, 0.1], [0.5, 0.6, 0.7], [0.7, 0.8, 0.7]])
    fit = learning_curve_fit([5, 20, 40], table, worst=0.0, random_state=0)
    assert fit.interval_at(1)[0] == fit.score_at(1) == 0
    free = learning_curve_fit([5, 20, 40], table, random_state=0)
    assert free.interval_at(1)[0] < 0
    again = result_from_dict(fit.to_dict())
    assert again.interval_at(1) == fit.interval_at(1)


@pytest.mark.statistical
def test_the_interval_of_a_needed_size_holds_as_often_as_it_says():
    rng = np.random.default_rng(1)
    runs, held, narrow = 120, 0, 0
    truth = (0.9 / 0.05) ** (1 / 0.6)  # 0.9 n^-0.6 + 0.08 = 0.13
    for _ in range(runs):
        table = np.minimum(curve()[:, None] + 0.05 * rng.standard_normal((6, 8)), 1)
        fit = learning_curve_fit(
            SIZES, table, level=0.9, n_replicates=80, random_state=rng
        )
        low, high = fit.needed_interval(0.87)
        held += low <= truth <= high
        # The broken variant: half of the way to either end.
        needed = fit.needed_for(0.87)
        narrow += (low + needed) / 2 <= truth <= (min(high, 1e6) + needed) / 2
    error = 3 * np.sqrt(0.9 * 0.1 / runs)
    assert held / runs >= 0.9 - error
    assert narrow < held


def late_scores(jump):
    """Nothing is learned up to a size, as by boosted trees of large leaves."""
    rng = np.random.default_rng(0)
    means = np.array([0.19, 0.22, 0.22, 0.23, 0.21, jump])[:, None]
    return np.clip(means + 0.11 * rng.standard_normal((6, 20)), 0, 1)


def test_a_law_that_does_not_fit_is_refused():
    table = late_scores(0.62)
    fit = learning_curve_fit(
        SIZES, table, target=0.9, test_ratio=1 / 3, n_cases=72, random_state=0
    )
    assert fit.misfit_p < 0.05
    assert not fit.fits
    assert np.isnan([fit.limit, *fit.limit_interval, fit.needed_for(0.9)]).all()
    assert "A power law does not fit" in fit.summary()
    assert "tends to" not in fit.summary()
    assert f"{100 * table[-1].mean():.1f} %" not in fit.needed_said(0.9)
    saved = fit.to_dict()["result"]
    assert saved["limit"] is None
    assert saved["needed"] is None
    assert saved["measured"][-1] == pytest.approx(table[-1].mean())
    assert abs(saved["fitted"][-1] - saved["measured"][-1]) > 0.1
    # The same without the jump is nothing to complain of.
    calm = learning_curve_fit(
        SIZES, late_scores(0.22), test_ratio=1 / 3, n_cases=72, random_state=0
    )
    assert calm.fits


def test_a_single_score_per_size_cannot_tell_a_misfit():
    fit = learning_curve_fit(SIZES, late_scores(0.62).mean(axis=1), random_state=0)
    assert np.isnan(fit.misfit_p)
    assert fit.fits


def test_what_was_measured_is_said_beside_the_fit():
    table = np.repeat([[0.65], [0.63], [0.64], [0.64], [0.63], [0.58]], 8, axis=1)
    table = table + np.array([-0.1, 0.1] * 4)
    fit = learning_curve_fit(
        SIZES, table, loss="accuracy", test_ratio=1 / 3, target=0.9, random_state=0
    )
    said = fit.summary()
    assert "From 10 cases accuracy was 65.0 %, from 120 it was 58.0 %" in said
    assert "no gain from more cases is shown (p = 1.000)" in said
    assert "62.8 %" not in said  # the flat line is nobody's accuracy
    assert "Nothing shows that more cases would reach 90 %" in said
    assert np.isnan([fit.limit, *fit.limit_interval, fit.needed_for(0.9)]).all()
    assert fit.to_dict()["result"]["rises"] is False
    rising = learning_curve_fit(SIZES, table[::-1], loss="accuracy", random_state=0)
    assert "58.0 % measured" not in rising.summary()
    assert rising.rises == (rising.gain_p < 0.05)


def test_no_more_digits_than_a_fit_knows():
    assert [rough_size(x) for x in (8, 46, 99.2, 571, 40_249, 999_001)] == [
        "8", "46", "100", "580", "41,000", "1,000,000",
    ]  # fmt: skip
    assert rough_size(4_132_818) == "more than a million"


def test_a_slope_is_tested_by_what_shared_cases_leave_of_it():
    rng = np.random.default_rng(0)
    table = 0.6 + 0.1 * rng.standard_normal((6, 20)) + 0.01 * np.arange(6)[:, None]
    fits = [
        learning_curve_fit(SIZES, np.clip(table, 0, 1), test_ratio=r, random_state=0)
        for r in (0.0, 1 / 3)
    ]
    x = np.log(SIZES) - np.log(SIZES).mean()
    slopes = x @ np.clip(table, 0, 1)
    alone = ttest_1samp(slopes, 0, alternative="greater").pvalue
    assert fits[0].gain_p == pytest.approx(alone)
    assert fits[1].gain_p > alone
    single = learning_curve_fit(SIZES, table.mean(axis=1), random_state=0)
    line = linregress(x, table.mean(axis=1), alternative="greater")
    assert single.gain_p == pytest.approx(line.pvalue)
    errors = learning_curve_fit(
        SIZES, 1 - np.clip(table, 0, 1), greater_is_better=False, random_state=0
    )
    assert errors.gain_p == pytest.approx(alone)


@pytest.mark.parametrize("score", [1.0, 0.6, 0.0])
def test_repeats_that_all_agree_still_have_an_interval(score):
    from scorecast.evaluation import wilson

    call = {"worst": 0.0, "test_ratio": 1 / 3, "level": 0.95, "n_replicates": 120}
    fit = learning_curve_fit(
        SIZES, np.full((6, 20), score), n_cases=62, random_state=0, **call
    )
    low, high = wilson(score * 62, 62, 0.95)
    span = fit.interval_at(np.inf)
    assert span == pytest.approx((low, high), abs=0.02)
    assert span[0] < span[1]
    assert low <= score <= high
    # Fewer cases, and where their number is unknown, mean a wider one.
    few = learning_curve_fit(
        SIZES, np.full((6, 20), score), n_cases=12, random_state=0, **call
    )
    assert np.diff(few.interval_at(np.inf)) > 1.5 * np.diff(span)
    unknown = learning_curve_fit(SIZES, np.full((6, 20), score), random_state=0, **call)
    assert np.diff(unknown.interval_at(np.inf)) > np.diff(span)


def test_perfection_from_few_cases_does_not_promise_more_than_they_can():
    perfect = np.ones((6, 20))
    fit = learning_curve_fit(
        SIZES, perfect, target=0.9, worst=0.0, n_cases=20, test_ratio=1 / 3,
        level=0.95, random_state=0,
    )  # fmt: skip
    assert fit.needed_for(0.9) == 10
    assert fit.needed_interval(0.9)[1] == np.inf
    sure = learning_curve_fit(
        SIZES, perfect, target=0.9, worst=0.0, n_cases=100, test_ratio=1 / 3,
        level=0.95, random_state=0,
    )  # fmt: skip
    assert "10 cases or fewer will do (95 % sure)" in sure.summary()


def test_a_law_through_every_score_has_no_interval_rather_than_one_of_no_width():
    fit = learning_curve_fit(SIZES, [0.5] * 6, target=0.4, random_state=0)
    assert np.isnan(fit.interval_at(np.inf)).all()
    assert np.isnan(fit.needed_interval(0.4)).all()
    assert "no interval" in fit.summary()


def test_no_end_is_the_same_in_json_and_in_words():
    # A law that crawls: 90 % after some 10^11 cases.
    scores = 1 - 0.9 * SIZES.astype(float) ** -0.08 + [0.01, -0.01, 0, 0, -0.01, 0.01]
    fit = learning_curve_fit(SIZES, scores, target=0.9, random_state=0)
    assert fit.law.size_for(0.1) > 1e6
    assert fit.needed_for(0.9) == np.inf
    assert fit.to_dict()["result"]["needed"] is None
    assert "never" not in fit.summary() or fit.law.limit >= 0.1


def noisy_curve(a, alpha, b, spread, **facts):
    """Twenty repeats around a law of the error."""
    rng = np.random.default_rng(0)
    sizes = np.array([7, 11, 16, 24, 36, 46])
    means = a * sizes**-alpha + b
    errors = means[:, None] + spread * rng.standard_normal((6, 20))
    call = {"test_ratio": 1 / 3, "n_cases": 62, "random_state": 0}
    return sizes, errors, {**call, **facts}


def test_endless_cases_are_never_said_to_be_worse_than_those_tried():
    # As measured of classes far apart: the most cases did better than the law.
    means = np.array([0.084, 0.035, 0.016, 0.011, 0.011, 0.006])
    sizes, errors, call = noisy_curve(0.0, 1.0, 0.0, 0.004, target=0.9, worst=0.0)
    errors = np.clip(errors - errors.mean(axis=1, keepdims=True) + means[:, None], 0, 1)
    fit = learning_curve_fit(sizes, 1 - errors, loss="accuracy", **call)
    assert fit.extrapolates
    assert 1 - fit.law.limit < fit.means[-1]
    assert np.isnan(fit.limit)
    assert fit.limit_doubt == "no gain beyond what was tried"
    assert "shows no gain beyond that with endless cases (90 %: " in fit.summary()
    assert "tends to" not in fit.summary()
    saved = fit.to_dict()["result"]
    assert saved["limit"] is None
    assert saved["limit_doubt"] == fit.limit_doubt
    assert result_from_dict(fit.to_dict()).limit_doubt == fit.limit_doubt


def test_a_limit_that_may_lie_anywhere_is_not_named():
    """The noise is 1, and the law creeps to 0: half of the truth is out of sight."""
    sizes, errors, call = noisy_curve(1.5, 0.5, 1.0, 0.25)
    fit = learning_curve_fit(
        sizes, errors, greater_is_better=False, loss="rmse", **call
    )
    low, high = fit.limit_interval
    assert fit.extrapolates
    assert low == 0
    assert high > fit.means[-1]
    assert np.isnan(fit.limit)
    assert fit.limit_doubt == "cannot tell"
    said = f"cannot tell what endless cases would give (90 %: 0 to {high:.3g})."
    assert said in fit.summary()


def test_a_limit_that_is_known_is_named():
    sizes, errors, call = noisy_curve(3.0, 1.2, 0.2, 0.004, worst=0.0)
    fit = learning_curve_fit(sizes, 1 - errors, **{**call, "n_cases": 0})
    assert fit.limit_doubt == ""
    assert fit.limit == pytest.approx(0.8, abs=0.02)
    assert "the fit tends to" in fit.summary()
