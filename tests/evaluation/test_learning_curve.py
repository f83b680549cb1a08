"""Learning curves: recovery, intervals, inversion, and refusals."""

import numpy as np
import pytest
from scipy.stats import linregress, ttest_1samp
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid
from tests.snapshot import assert_snapshot, page_text

import scorecast as sc
from scorecast import learning_curve
from scorecast._core.result import result_from_dict
from scorecast.evaluation import (
    METRICS,
    LimitDoubt,
    Metric,
    fit_learning_curve,
    wilson,
)
from scorecast.evaluation.learning_curve import default_target, mixed_order
from scorecast.evaluation.power_law import _redrawn
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError

SIZES = np.array([10, 20, 40, 60, 80, 120])


def fitted(sizes, scores, *, worst=None, greater=True, loss="score", **options):
    """Fit scores of which no more is known than their ends."""
    metric = Metric.unnamed(worst=worst, greater_is_better=greater, name=loss)
    call = {"confidence_level": 0.9, "random_state": 0} | options
    return fit_learning_curve(sizes, scores, scoring=metric, **call)


def curve(sizes=SIZES, a=0.9, alpha=0.6, b=0.08):
    return 1 - a * np.asarray(sizes, float) ** -alpha - b


def test_a_curve_without_noise_is_recovered():
    # The formula book, D15: (.9, .6, .08).
    law = fitted(SIZES, curve()).law
    assert (law.scale, law.exponent, law.limit) == pytest.approx((0.9, 0.6, 0.08), 1e-7)


@pytest.mark.parametrize(
    ("a", "alpha", "b"), [(0.5, 2.0, 0.0), (3, 1.2, 0.2), (0, 1, 0.3)]
)
def test_other_curves_are_recovered_too(a, alpha, b):
    fit = fitted(SIZES, curve(a=a, alpha=alpha, b=b))
    expected = curve([15, 500], a, alpha, b)
    assert [fit.score_at(15), fit.score_at(500)] == pytest.approx(expected, abs=1e-6)
    # Of a curve that does not rise nothing is said that was not measured.
    assert fit.rises == (a > 0)
    expected = 1 - b if a else np.nan
    assert fit.limit == pytest.approx(expected, abs=1e-6, nan_ok=True)


def test_how_many_cases_for_a_score():
    fit = fitted(SIZES, curve(), target=0.9)
    # 0.9 n^-0.6 = 0.02
    assert fit.size_for(0.9) == np.ceil((0.9 / 0.02) ** (1 / 0.6))
    assert fit.size_for(0.93) == np.inf
    assert fit.size_for(0.0) == 10  # the smallest tried; fewer may do
    assert fit.size_for(0.9) == 570
    assert fit.needed == 570
    never = fitted(SIZES, curve(), target=0.95)
    assert never.needed == np.inf
    assert never.is_out_of_reach(0.95)


def test_sizes_with_sure_means_count_more():
    rng = np.random.default_rng(0)
    noise = np.array([0.2, 0.01, 0.01, 0.01, 0.01, 0.01])[:, None]
    table = np.minimum(curve()[:, None] + noise * rng.standard_normal((6, 30)), 1)
    fit = fitted(SIZES, table)
    assert fit.weights[0] < fit.weights[1:].min() / 20
    alone = fitted(SIZES, table.mean(axis=1), weights=fit.weights, random_state=0)
    assert alone.law.limit == pytest.approx(fit.law.limit, abs=1e-9)


def test_the_law_never_goes_below_zero_nor_up():
    rng = np.random.default_rng(1)
    for _ in range(20):
        fit = fitted(SIZES, rng.uniform(0.3, 0.9, 6), n_resamples=5, random_state=0)
        for law in (fit.law, *fit.replicates):
            assert min(law.scale, law.exponent, law.limit) >= 0
        assert fit.score_at(200) >= fit.score_at(100)


def test_the_best_split_weighs_training_against_test():
    fit = fitted(SIZES, curve())
    train, test = fit.best_split(100)
    assert train + test == 100
    sizes = np.arange(1, 100)
    error = 1 - curve(sizes)
    risk = (error - (1 - curve(100))) ** 2 + error * (1 - error) / (100 - sizes)
    assert train == sizes[np.argmin(risk)]
    flat = fitted(SIZES, np.full(6, 0.8))
    # Where nothing is learnt, test; but below 10 samples nothing is known.
    assert flat.best_split(100) == (10, 90)
    with pytest.raises(UsageError, match="from 2"):
        fit.best_split(1)


def test_json_there_and_back():
    fit = fitted(SIZES, curve(), target=0.9, n_resamples=7)
    again = result_from_dict(fit.to_dict())
    assert again.to_dict() == fit.to_dict()
    assert again.to_columns() == fit.to_columns()


def two_classes(n=120, m=8, seed=0):
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 3 == 0).astype(int)
    X = rng.standard_normal((n, m))
    X[y == 1] += 0.7
    return X, y


@pytest.mark.parametrize(
    ("over", "sizes"), [("samples", [6, 30, 80]), ("features", [1, 4, 8])]
)
def test_scores_grow_with_samples_and_with_features(over, sizes):
    X, y = two_classes()
    found = learning_curve(GaussianNB(), X, y, sizes=sizes, over=over, n_repeats=12)
    assert found.scores.shape == (3, 12)
    assert (found.over, found.scoring, found.n_samples) == (over, "accuracy", 120)
    assert found.test_ratio == pytest.approx(1 / 3)
    assert found.measured[0] < found.measured[2]
    assert found.score_at(1e9) > found.measured[0]


def test_small_samples_are_parts_of_large_ones_and_keep_the_shares():
    y = np.repeat([0, 1], [90, 30])
    order = mixed_order(y, np.random.default_rng(0))
    assert sorted(order) == list(range(120))
    for size in (8, 20, 60):
        assert abs(y[order[:size]].mean() - 0.25) <= 1 / size + 1e-12


def test_workers_do_not_matter_and_regressors_are_taken():
    X, _ = two_classes(n=40)
    target = X @ np.arange(8.0)
    one, two = (
        learning_curve(
            LinearRegression(), X, target, sizes=[10, 15, 20], n_repeats=3, n_jobs=jobs
        )
        for jobs in (1, 2)
    )
    assert np.array_equal(one.scores, two.scores)
    assert one.scoring == "root_mean_squared_error"
    assert not one.greater_is_better
    assert one.worst is None


def test_any_scorer_is_taken():
    X, y = two_classes()
    call = {"sizes": [10, 30, 80], "n_repeats": 4}
    theirs = learning_curve(GaussianNB(), X, y, scoring="average_precision", **call)
    assert (theirs.scoring, theirs.best, theirs.worst) == ("average_precision", 1, None)
    ours = learning_curve(GaussianNB(), X, y, scoring="roc_auc", **call)
    assert (ours.best, ours.worst) == (1, 0)


def test_repeats_that_fail_are_left_out_and_too_many_are_refused():
    class Choosy(DummyClassifier):
        def fit(self, X, y):
            if X[0, 0] < self.constant:
                msg = "not these"
                raise RuntimeError(msg)
            return super().fit(X, y)

    X, y = two_classes()
    call = {"sizes": [20, 30, 40], "n_repeats": 20}
    some = learning_curve(Choosy(constant=0), X, y, **call)
    assert 2 <= some.scores.shape[1] < 20
    with pytest.raises(InsufficientDataError, match="0 of 20 divisions"):
        learning_curve(Choosy(constant=99), X, y, **call)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"sizes": [10, 20]}, InvalidInputError, "one row"),
        ({"sizes": [10, 10, 10, 20, 20, 20]}, InsufficientDataError, "2 different"),
        ({"sizes": [1, 2, 3], "scores": [0.5, 0.6, 0.7]}, InsufficientDataError, "4"),
        ({"test_ratio": -1}, UsageError, "test_ratio"),
        ({"scoring": "rmse", "target": -1.0}, UsageError, "at least 0"),
        ({"over": "rows"}, UsageError, "over"),
        ({"sizes": [0, 1, 2, 3, 4, 5]}, InvalidInputError, "whole numbers"),
        ({"scores": [np.nan] * 6}, InvalidInputError, "finite"),
        ({"scores": [50.0] * 6}, InvalidInputError, "at most 1"),
        ({"weights": [1, 1, 1, 1, 1, 0]}, InvalidInputError, "above zero"),
        ({"target": 1.5}, UsageError, "target"),
        ({"confidence_level": 90}, UsageError, "confidence_level"),
        ({"n_resamples": 0}, UsageError, "n_resamples"),
    ],
)
def test_bad_input_is_refused(change, error, words):
    call = {"sizes": SIZES, "scores": curve()} | change
    with pytest.raises(error, match=words):
        fit_learning_curve(**call)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"sizes": []}, UsageError, "sizes"),
        ({"sizes": [2.5, 3, 4]}, UsageError, "sizes"),
        ({"sizes": [30, 20, 10]}, UsageError, "growing"),
        ({"sizes": [10, 20, 91]}, InsufficientDataError, "90 samples"),
        ({"sizes": [1, 2, 9], "over": "features"}, InsufficientDataError, "8 feat"),
        ({"over": "rows"}, UsageError, "over"),
        ({"test_size": 1}, UsageError, "test_size"),
        ({"n_repeats": 1}, UsageError, "n_repeats"),
        ({"target": 1.5}, UsageError, "at most 1"),
        ({"y": [1, 2]}, InvalidInputError, "120 rows"),
    ],
)
def test_bad_data_for_a_curve_are_refused(change, error, words):
    X, y = two_classes()
    call = {"X": X, "y": y, "sizes": [10, 20, 40]} | change
    with pytest.raises(error, match=words):
        learning_curve(GaussianNB(), **call)


@pytest.mark.statistical
def test_intervals_hold_as_often_as_they_say():
    rng = np.random.default_rng(0)
    runs, held, narrow = 80, 0, 0
    truth = float(curve([240])[0])
    for _ in range(runs):
        table = np.minimum(curve()[:, None] + 0.05 * rng.standard_normal((6, 8)), 1)
        fit = fitted(
            SIZES, table, confidence_level=0.9, n_resamples=80, random_state=rng
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
    fit = fitted(sizes, table, target=0.9)
    assert fit.size_for(0.9) == 20
    assert fit.size_interval(0.9) == (20, 20)


def test_sizes_that_cannot_tell_say_so():
    sizes, table = flat_scores(0.9, 0.05)
    fit = fitted(sizes, table, target=0.905)
    assert fit.size_interval(0.905) == (20, np.inf)


def test_intervals_stay_in_the_range_of_the_score():
    table = np.array([[0.1, 0.2, 0.1], [0.5, 0.6, 0.7], [0.7, 0.8, 0.7]])
    fit = fitted([5, 20, 40], table, worst=0.0)
    assert fit.interval_at(1)[0] == fit.score_at(1) == 0
    free = fitted([5, 20, 40], table)
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
        fit = fitted(
            SIZES, table, confidence_level=0.9, n_resamples=80, random_state=rng
        )
        low, high = fit.size_interval(0.87)
        held += low <= truth <= high
        # The broken variant: half of the way to either end.
        needed = fit.size_for(0.87)
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
    fit = fitted(
        SIZES, table, target=0.9, test_ratio=1 / 3, n_samples=72, random_state=0
    )
    assert fit.misfit_p < 0.05
    assert not fit.fits
    assert np.isnan([fit.limit, *fit.limit_interval, fit.size_for(0.9)]).all()
    saved = fit.to_dict()["result"]
    assert saved["limit"] is None
    assert saved["needed"] is None
    assert saved["measured"][-1] == pytest.approx(table[-1].mean())
    assert abs(saved["fitted"][-1] - saved["measured"][-1]) > 0.1
    # The same without the jump is nothing to complain of.
    calm = fitted(
        SIZES, late_scores(0.22), test_ratio=1 / 3, n_samples=72, random_state=0
    )
    assert calm.fits


def test_a_single_score_per_size_cannot_tell_a_misfit():
    fit = fitted(SIZES, late_scores(0.62).mean(axis=1))
    assert np.isnan(fit.misfit_p)
    assert fit.fits


def test_what_was_measured_is_said_beside_the_fit():
    table = np.repeat([[0.65], [0.63], [0.64], [0.64], [0.63], [0.58]], 8, axis=1)
    table = table + np.array([-0.1, 0.1] * 4)
    fit = fitted(
        SIZES, table, loss="accuracy", test_ratio=1 / 3, target=0.9, random_state=0
    )
    assert fit.measured[[0, -1]] == pytest.approx([0.65, 0.58])
    assert fit.gain_p == pytest.approx(1, abs=1e-3)
    assert "62.8 %" not in fit.summary()  # the flat line is nobody's accuracy
    assert np.isnan([fit.limit, *fit.limit_interval, fit.size_for(0.9)]).all()
    assert fit.to_dict()["result"]["rises"] is False
    rising = fitted(SIZES, table[::-1], loss="accuracy")
    assert rising.rises == (rising.gain_p < 0.05)


def test_a_slope_is_tested_by_what_shared_cases_leave_of_it():
    rng = np.random.default_rng(0)
    table = 0.6 + 0.1 * rng.standard_normal((6, 20)) + 0.01 * np.arange(6)[:, None]
    fits = [fitted(SIZES, np.clip(table, 0, 1), test_ratio=r) for r in (0.0, 1 / 3)]
    x = np.log(SIZES) - np.log(SIZES).mean()
    slopes = x @ np.clip(table, 0, 1)
    alone = ttest_1samp(slopes, 0, alternative="greater").pvalue
    assert fits[0].gain_p == pytest.approx(alone)
    assert fits[1].gain_p > alone
    single = fitted(SIZES, table.mean(axis=1))
    line = linregress(x, table.mean(axis=1), alternative="greater")
    assert single.gain_p == pytest.approx(line.pvalue)
    errors = fitted(SIZES, 1 - np.clip(table, 0, 1), greater=False, random_state=0)
    assert errors.gain_p == pytest.approx(alone)


@pytest.mark.parametrize("score", [1.0, 0.6, 0.0])
def test_repeats_that_all_agree_still_have_an_interval(score):
    call = {
        "worst": 0.0,
        "test_ratio": 1 / 3,
        "confidence_level": 0.95,
        "n_resamples": 120,
    }
    fit = fitted(SIZES, np.full((6, 20), score), n_samples=62, random_state=0, **call)
    low, high = wilson(score * 62, 62, 0.95)
    span = fit.interval_at(np.inf)
    assert span == pytest.approx((low, high), abs=0.02)
    assert span[0] < span[1]
    assert low <= score <= high
    # Fewer samples, and where their number is unknown, mean a wider one.
    few = fitted(SIZES, np.full((6, 20), score), n_samples=12, random_state=0, **call)
    assert np.diff(few.interval_at(np.inf)) > 1.5 * np.diff(span)
    unknown = fitted(SIZES, np.full((6, 20), score), random_state=0, **call)
    assert np.diff(unknown.interval_at(np.inf)) > np.diff(span)


def test_perfection_from_few_cases_does_not_promise_more_than_they_can():
    perfect = np.ones((6, 20))
    fit = fitted(
        SIZES, perfect, target=0.9, worst=0.0, n_samples=20, test_ratio=1 / 3,
        confidence_level=0.95, random_state=0,
    )  # fmt: skip
    assert fit.size_for(0.9) == 10
    assert fit.size_interval(0.9)[1] == np.inf
    sure = fitted(
        SIZES, perfect, target=0.9, worst=0.0, n_samples=100, test_ratio=1 / 3,
        confidence_level=0.95, random_state=0,
    )  # fmt: skip
    assert sure.needed_interval == (10, 10)


def test_a_law_through_every_score_has_no_interval_rather_than_one_of_no_width():
    fit = fitted(SIZES, [0.5] * 6, target=0.4)
    assert np.isnan(fit.interval_at(np.inf)).all()
    assert np.isnan(fit.size_interval(0.4)).all()


def test_no_end_is_the_same_in_json_and_in_words():
    # A law that crawls: 90 % after some 10^11 samples.
    scores = 1 - 0.9 * SIZES.astype(float) ** -0.08 + [0.01, -0.01, 0, 0, -0.01, 0.01]
    fit = fitted(SIZES, scores, target=0.9)
    assert fit.law.size_for(0.1) > 1e6
    assert fit.size_for(0.9) == np.inf
    assert fit.to_dict()["result"]["needed"] == "Infinity"
    assert not fit.is_out_of_reach(0.9)


def noisy_curve(a, alpha, b, spread, **facts):
    """Twenty repeats around a law of the error."""
    rng = np.random.default_rng(0)
    sizes = np.array([7, 11, 16, 24, 36, 46])
    means = a * sizes**-alpha + b
    errors = means[:, None] + spread * rng.standard_normal((6, 20))
    call = {"test_ratio": 1 / 3, "n_samples": 62, "random_state": 0}
    return sizes, errors, {**call, **facts}


def test_endless_cases_are_never_said_to_be_worse_than_those_tried():
    # As measured of classes far apart: the most samples did better than the law.
    means = np.array([0.084, 0.035, 0.016, 0.011, 0.011, 0.006])
    sizes, errors, call = noisy_curve(0.0, 1.0, 0.0, 0.004, target=0.9, worst=0.0)
    errors = np.clip(errors - errors.mean(axis=1, keepdims=True) + means[:, None], 0, 1)
    fit = fitted(sizes, 1 - errors, loss="accuracy", **call)
    assert fit.extrapolates
    assert 1 - fit.law.limit < fit.measured[-1]
    assert np.isnan(fit.limit)
    assert fit.limit_doubt is LimitDoubt.NO_GAIN
    saved = fit.to_dict()["result"]
    assert saved["limit"] is None
    assert saved["limit_doubt"] == fit.limit_doubt
    assert result_from_dict(fit.to_dict()).limit_doubt == fit.limit_doubt


def test_a_limit_that_may_lie_anywhere_is_not_named():
    """The noise is 1, and the law creeps to 0: half of the truth is out of sight."""
    sizes, errors, call = noisy_curve(1.5, 0.5, 1.0, 0.25)
    fit = fitted(sizes, errors, greater=False, loss="rmse", **call)
    low, high = fit.limit_interval
    assert fit.extrapolates
    assert low == 0
    assert high > fit.measured[-1]
    assert np.isnan(fit.limit)
    assert fit.limit_doubt is LimitDoubt.CANNOT_TELL


def test_a_limit_that_is_known_is_named():
    sizes, errors, call = noisy_curve(3.0, 1.2, 0.2, 0.004, worst=0.0)
    fit = fitted(sizes, 1 - errors, **{**call, "n_samples": None})
    assert fit.limit_doubt is None
    assert fit.limit == pytest.approx(0.8, abs=0.02)


def test_targets_by_default():
    assert default_target(METRICS["accuracy"]) == 0.9
    assert default_target(METRICS["error_rate"]) == 0.1
    assert default_target(METRICS["matthews_corrcoef"]) is None
    assert default_target(METRICS["root_mean_squared_error"]) is None


def test_a_flat_curve_proposes_no_split():
    sizes = [10, 20, 30, 40]
    flat = fitted(sizes, [0.7, 0.69, 0.7, 0.69], loss="accuracy", n_samples=60)
    assert not flat.rises
    assert flat.recommended_split is None
    steep = fitted(
        sizes, [0.6, 0.69, 0.73, 0.75], target=0.77, loss="accuracy", n_samples=60,
           )  # fmt: skip
    assert sum(steep.recommended_split) == 60
    far = fitted(sizes, 1 - 0.9 * np.array(sizes) ** -0.3, target=0.9)
    assert far.needed / 40 == pytest.approx(38, abs=0.5)


@pytest.mark.statistical
@pytest.mark.timeout(1800)
def test_curves_of_shared_samples_hold_as_often_as_they_say():
    rng = np.random.default_rng(11)
    shift, n, beyond = 0.9, 62, 186

    def draw(size):
        y = np.arange(size) % 2
        X = rng.standard_normal((size, 20))
        X[:, :3] += shift * y[:, None]
        return X, y

    def accuracy(X, y):
        # Of the nearest centroid, exactly.
        from scipy.special import ndtr

        ends = [X[y == c].mean(axis=0) for c in (0, 1)]
        way = ends[1] - ends[0]
        middle = way @ (ends[0] + ends[1]) / 2
        size = np.linalg.norm(way)
        right = ndtr((shift * way[:3].sum() - middle) / size)
        return (right + ndtr(middle / size)) / 2

    truth = np.mean([accuracy(*draw(beyond)) for _ in range(500)])
    runs, held, broken = 40, 0, 0
    for _ in range(runs):
        fit = learning_curve(
            NearestCentroid(), *draw(n), confidence_level=0.9, random_state=rng
        )
        # The broken variant takes divisions of the same samples for independent.
        alone = fitted(fit.sizes, fit.scores, random_state=rng)
        held += fit.interval_at(beyond)[0] <= truth <= fit.interval_at(beyond)[1]
        broken += alone.interval_at(beyond)[0] <= truth <= alone.interval_at(beyond)[1]
    error = 3 * np.sqrt(0.9 * 0.1 / runs)
    assert held / runs >= 0.9 - error
    assert broken / runs < 0.9 - error


def test_nobody_widens_where_repeats_share_nothing():
    errors = np.random.default_rng(0).uniform(0.2, 0.4, (4, 50))
    drawn = _redrawn(errors, 0.0, 0.9, 4000, np.random.default_rng(1))
    expected = errors.std(axis=1, ddof=1) / np.sqrt(50)
    assert drawn.std(axis=0) == pytest.approx(expected, rel=0.06)
    shared = _redrawn(errors, 1 / 3, 0.9, 4000, np.random.default_rng(1))
    wider = np.sqrt((1 / 50 + 1 / 3) * 50)
    assert shared.std(axis=0) == pytest.approx(wider * expected, rel=0.06)


def test_sizes_that_groups_did_not_reach_are_told():
    X, y = two_classes(n=40)
    groups = np.repeat(np.arange(10), [2, 2, 2, 2, 2, 2, 4, 6, 8, 10])
    found = learning_curve(GaussianNB(), X, y, groups=groups, sizes=[8, 15, 30])
    assert found.sizes[-1] < 30  # some divisions had fewer
    assert found.sizes_asked.tolist() == [8, 15, 30]
    assert found.sizes_least[-1] < found.sizes[-1] <= found.sizes_most[-1]
    assert found.has_groups
    assert found.recommended_split is None
    assert "groups kept whole" in sc.render(found)


def test_how_it_is_shown():
    X, y = two_classes()
    found = learning_curve(GaussianNB(), X, y, target=0.85)
    assert_snapshot("learning_curve", sc.render(found))
    assert_snapshot("learning_curve_page", page_text(sc.render(found, "html")))
    for scores, target in ((late_scores(0.62), 0.9), (late_scores(0.22), 0.9)):
        fit = fitted(SIZES, scores, target=target, test_ratio=1 / 3, n_samples=72)
        assert np.isnan(fit.needed)
        assert sc.render(fit)


@pytest.mark.parametrize("target", [2, float("nan"), "high", None])
def test_a_curve_is_not_asked_for_what_is_no_score(target):
    fit = fitted([10, 20, 40, 80], [0.6, 0.7, 0.75, 0.77])
    for ask in (fit.size_for, fit.size_interval):
        with pytest.raises(UsageError, match="a score of at most 1"):
            ask(target)
