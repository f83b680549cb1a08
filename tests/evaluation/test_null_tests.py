"""Tests against null settings: reference values, what is counted, verdicts."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from sklearn.covariance import ledoit_wolf_shrinkage
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from tests.assessing import assess_bare, only

import scorecast as sc
from scorecast.evaluation import (
    METRICS,
    NULL_DATA,
    NULL_MODELS,
    Assessment,
    NullTest,
    Permute,
    Task,
    check_data,
    collect_estimates,
    corrected_t,
    draw_splits,
    task_of,
)
from scorecast.evaluation.estimators import FeatureModeClassifier, MajorityClassifier
from scorecast.evaluation.null_data import draw_null_data, ledoit_wolf, real_share
from scorecast.evaluation.null_tests import (
    PooledView,
    drawn_test,
    judge,
    paired_test,
    permuted_draws,
    rank_p,
)

RNG = np.random.default_rng
NUMBERS = Task.REGRESSION
PERMUTED = np.array([0.5, 0.4, 0.3, 0.6, 0.45, 0.52, 0.38, 0.2])
LEVELS = {"alpha": 0.05, "relaxed_alpha": 0.2}


def null_test(p_t, p_rank=math.nan, gap=0.1, stderr=0.05):
    return NullTest(
        p_t=p_t, p_rank=p_rank, min_p_rank=0.01, gap=gap, stderr=stderr, n_draws=99
    )


def judged(permuted, *models, null_data=None):
    tests = {"permuted": permuted}
    tests |= dict(zip(("feature-mode", "majority"), models, strict=False))
    return judge(tests, null_data, n_samples=50, **LEVELS)


def permuted_values(*arguments, **options):
    return permuted_draws(*arguments, **options).folds


# Single tests ---------------------------------------------------------------------


def test_ranks_count_the_observed_and_hold_failures_against_the_model():
    # Eq. 2 gives .25; the observed counts as a draw.
    assert (PERMUTED <= 0.3).mean() == 0.25
    assert rank_p(0.3, PERMUTED) == pytest.approx((1 / 3, 1 / 9))
    assert rank_p(0.0, PERMUTED)[0] == pytest.approx(1 / 9)
    assert rank_p(-0.8, np.array([-0.8, -0.5]))[0] == pytest.approx(2 / 3)
    assert rank_p(0.3, np.array([0.5, np.nan, 0.6, np.inf])) == (2 / 5, 1 / 5)
    assert rank_p(0.55, np.array([0.5, np.inf, np.nan])) == (3 / 4, 1 / 4)


def test_the_corrected_t_is_that_of_scikit_learn_and_baycomp(shared_golden):
    name = "corrected_resampled_t_sklearn_example.json"
    data = json.loads((shared_golden / name).read_text())
    ratio = data["n_test"] / data["n_train"]
    gaps = np.array(data["diff"])
    t, p = corrected_t(gaps, ratio)
    assert t == pytest.approx(data["t"])
    assert p / 2 == pytest.approx(data["p_one_sided"])
    test = paired_test(np.zeros_like(gaps), gaps, ratio)
    assert test.p_t == pytest.approx(data["p_one_sided"])


def test_folds_that_all_agree_give_no_certainty():
    same = paired_test(np.zeros(10), np.full(10, 0.2), 1 / 9)
    assert same.p_t == pytest.approx(0.5**10)
    assert same.is_sign_test
    assert paired_test(np.zeros(10), np.zeros(10), 1 / 9).p_t == 1.0


def test_the_larger_spread_decides():
    observed = np.full(10, 0.2)  # the folds agree, but permuted means vary
    drawn = RNG(0).normal(0.5, 0.1, size=(200, 10))
    test = drawn_test(observed, drawn, 1 / 9)
    assert test.stderr == pytest.approx(drawn.mean(axis=1).std(ddof=1), rel=0.01)
    wide = np.array([0.0, 0.4] * 5)
    assert drawn_test(wide, drawn, 1 / 9).stderr > 2 * test.stderr


def test_draws_that_failed_count_against_the_model():
    observed = np.array([0.1, 0.2, 0.15, np.nan])
    errors = RNG(0).uniform(0.4, 0.6, size=(99, 4))
    errors[:, 3] = np.nan  # undefined for the model as well: no failure
    whole = drawn_test(observed, errors, 0.1)
    assert (whole.p_rank, whole.n_draws, whole.n_failed_draws) == (0.01, 99, 0)
    errors[:20, 1] = np.nan
    found = drawn_test(observed, errors, 0.1)
    assert found.p_rank == pytest.approx(21 / 100)
    assert found.min_p_rank == pytest.approx(1 / 100)
    assert found.n_failed_draws == 20


def test_an_infinite_draw_is_a_worse_one_and_an_infinite_value_is_no_value():
    drawn = np.array([[0.5, 0.6], [0.7, np.inf], [0.4, 0.8], [0.6, 0.6]])
    found = drawn_test(np.array([0.3, 0.35]), drawn, 0.1)
    assert (found.p_rank, found.n_draws, found.n_infinite_draws) == (0.2, 4, 1)
    assert found.null_value == pytest.approx(np.mean([0.55, 0.6, 0.6]))
    bad = np.array([0.1, np.inf])
    for test in (drawn_test(bad, drawn, 0.1), paired_test(bad, bad, 0.1)):
        assert math.isnan(test.p_value)
        assert test.status == "infinite-splits"
        assert (test.n_infinite_splits, test.n_splits) == (1, 2)


# Verdicts -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("test", "verdict"),
    [
        (null_test(0.01, 0.02), "feasible"),
        (null_test(0.01, 0.06), "exploratory"),
        (null_test(0.3, 0.01), "not-supported"),
        (null_test(math.nan), "none"),
    ],
)
def test_the_worst_test_decides(test, verdict):
    other = null_test(0.001)
    found = [judged(test, other), judged(other, test)]
    assert [word for word, _ in found] == [verdict, verdict]
    assert [basis.against for _, basis in found] == ["permuted", "feature-mode"]


def test_null_data_decide_nothing_but_are_weighed():
    good = (null_test(0.01), null_test(0.001))
    for p, is_beyond in ((0.5, False), (0.01, True), (math.nan, None)):
        verdict, basis = judged(*good, null_data=null_test(p))
        assert (verdict, basis.beyond_null_data) == ("feasible", is_beyond)


def test_samples_needed_grow_with_the_error_and_need_a_difference():
    few, many = (judged(null_test(0.1, stderr=s))[1] for s in (0.05, 0.1))
    assert many.n_needed == pytest.approx(4 * few.n_needed, abs=4)
    assert few.remedy == "more-samples"
    _, none = judged(null_test(0.7, gap=-0.1))
    assert (none.n_needed, none.remedy) == (None, "nothing")


@pytest.mark.parametrize(("gap", "is_told"), [(0.001, True), (0.0001, False)])
def test_samples_needed_are_told_up_to_a_million(gap, is_told):
    _, basis = judged(null_test(0.1, gap=gap, stderr=0.0316))
    assert basis.remedy == "more-samples"
    assert (basis.n_needed is not None) == is_told


def test_enough_samples_are_not_called_a_lost_cause():
    """A clear difference in few folds: the size of the sample is not what lacks."""
    _, basis = judged(null_test(0.01, 0.1, gap=0.4, stderr=0.05))
    assert (basis.n_needed, basis.remedy) == (None, "more-splits")


def test_too_few_draws_are_what_lacks():
    _, basis = judged(replace(null_test(0.01, 0.1), min_p_rank=0.1, n_draws=9))
    assert basis.remedy == "more-draws"


# Assessments ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cv", "scoring"), [("loo", "accuracy"), ("lpo", "balanced_accuracy")]
)
def test_folds_of_single_samples_have_no_density(cv, scoring):
    """Right or wrong: every lucky one is as good as a perfect model."""
    y = np.arange(24) % 2
    X = RNG(0).normal(size=(24, 2)) + 6 * y[:, None]
    call = {"scoring": scoring, "n_permutations": 20}
    found = only(assess_bare("naive-bayes", X, y, cv=cv, **call))
    assert found.main.estimate == 1
    density = found.null_tests.density
    assert math.isnan(density.p_value)
    assert math.isnan(density.min_p_value)
    assert density.status == "small-splits"
    folds = only(assess_bare("naive-bayes", X, y, cv=4, **call)).null_tests.density
    assert (folds.p_value < 0.1, folds.status) == (True, "done")


def test_with_groups_no_null_data_are_drawn_and_the_answer_says_so(easy):
    call = {"groups": np.arange(40) // 2, "n_permutations": 19, "n_null_data": 3}
    data = only(assess_bare("naive-bayes", *easy, cv=4, **call)).null_tests.null_data
    assert (data.n_draws, data.status) == (0, "grouped")
    assert math.isnan(data.p_value)


def test_more_permutations_where_they_cost_nothing(easy):
    call = {"n_permutations": None, "cv": 4}
    quick = assess_bare("nearest-centroid", *easy, scoring="accuracy", **call)
    assert only(quick).null_tests.permuted.n_draws == 1000
    assert only(quick).null_tests.permuted.min_p_rank == 1 / 1001
    # Needs scores, so that the model is fitted.
    slow = assess_bare("nearest-centroid", *easy, scoring="auc", **call)
    assert only(slow).null_tests.permuted.n_draws == 100


class Moody(DummyClassifier):
    """Fails where its first sample is one of the upper half."""

    def fit(self, X, y):
        if X[0, 0] > 19:
            msg = "not in the mood"
            raise RuntimeError(msg)
        return super().fit(X, y)


def test_failed_permutations_are_counted_in_the_answer():
    X, y = np.arange(40.0).reshape(40, 1), np.arange(40) % 2
    splits = [(np.arange(20), np.arange(20, 40))]
    found = only(assess_bare(Moody(), X, y, cv=splits, n_permutations=30))
    assert found.null_tests.permuted.n_failed_draws > 0


# Permuted data --------------------------------------------------------------------


@pytest.mark.parametrize("permute", Permute)
def test_permuted_data_are_at_chance(easy, permute):
    data = check_data(*easy)
    values = permuted_values(
        NearestCentroid(),
        data,
        draw_splits(5, data, RNG(0)),
        METRICS["accuracy"],
        n_permutations=60,
        rng=RNG(1),
        permute=permute,
    )
    assert values.shape == (60, 5)
    assert values.mean() == pytest.approx(0.5, abs=0.08)


KNOWN = {
    "nearest-centroid": NearestCentroid(),
    "naive-bayes": GaussianNB(),
    "ridge": RidgeClassifier(),
    "neighbors": KNeighborsClassifier(3),
    "svm": SVC(kernel="linear"),
    "scaled": make_pipeline(StandardScaler(), NearestCentroid()),
}


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("permute", Permute)
def test_known_models_and_refits_give_the_same_values(name, permute):
    X, y = RNG(4).normal(size=(36, 50)), np.repeat(list("abc"), 12)
    X[y == "c", :5] += 1
    data = check_data(X, y)
    for cv, metric in ((4, "matthews_corrcoef"), ("boot4", "error_rate")):
        plan = draw_splits(cv, data, RNG(0))
        fast, slow = (
            permuted_values(
                KNOWN[name],
                data,
                plan,
                METRICS[metric],
                n_permutations=6,
                rng=RNG(1),
                permute=permute,
                with_engine=with_engine,
            )
            for with_engine in (True, False)
        )
        assert np.isfinite(fast).all()
        assert np.array_equal(fast, slow)


def test_assess_and_permutation_test_mean_the_same_permutations(easy):
    """The same stream, splits and model give the same values in both."""
    data = check_data(*easy)
    plan = draw_splits(5, data, RNG(0))
    pairs = [(split.train, split.test) for split in plan.splits]
    model = DecisionTreeClassifier(random_state=0)
    scores = sc.permutation_test(
        model, *easy, cv=pairs, n_permutations=10, random_state=RNG(3)
    )
    stream = RNG(3)
    stream.spawn(1)  # the data as they are
    accuracy = METRICS["accuracy"]
    values = permuted_values(model, data, plan, accuracy, n_permutations=10, rng=stream)
    assert np.array_equal(scores.permuted, values)


def test_fewer_permutations_where_rounding_leaves_them_to_the_model(easy):
    """Features of very different scale: ridge is fitted anew for every permutation."""
    scales = {"alike": np.ones(6), "far apart": 10.0 ** np.array([0, 4, 8, 0, 4, 8])}
    counts = {}
    for name, scale in scales.items():
        data = check_data(easy[0] * scale, easy[1])
        plan = draw_splits(4, data, RNG(0))
        accuracy = METRICS["accuracy"]
        values = permuted_values(RidgeClassifier(), data, plan, accuracy, rng=RNG(0))
        counts[name] = len(values)
    assert counts == {"alike": 1000, "far apart": 100}


def test_permuting_labels_without_their_splits_would_be_too_liberal():
    """Why features move: on noise, folds by class must stay by class."""
    y, rng = np.repeat([0, 1], 8), RNG(0)
    noise = check_data(rng.normal(size=(16, 200)), y)
    plan = draw_splits(8, noise, rng)
    right, wrong = [], []
    model, accuracy = NearestCentroid(), METRICS["accuracy"]
    for _ in range(40):
        X = rng.normal(size=(16, 200))
        data = noise.with_features(X)
        values = permuted_values(model, data, plan, accuracy, n_permutations=1, rng=rng)
        right.append(values.mean())
        moved = rng.permutation(y)
        said = [
            model.fit(X[s.train], moved[s.train]).predict(X[s.test])
            for s in plan.splits
        ]
        hits = [
            (x == moved[s.test]).mean() for x, s in zip(said, plan.splits, strict=True)
        ]
        wrong.append(np.mean(hits))
    # Folds that lack a class are answered with the other one, and so wrongly.
    assert np.mean(right) > np.mean(wrong) + 0.02


# Null data and null models --------------------------------------------------------


@pytest.mark.parametrize("name", NULL_DATA)
def test_null_data_keep_what_they_claim(name):
    rng, claims = RNG(0), NULL_DATA[name]
    y = np.repeat([0, 1], 300)
    X = rng.normal(size=(600, 1)) + 0.3 * rng.normal(size=(600, 3)) + 2 * y[:, None]
    drawn = draw_null_data(check_data(X, y), name, rng)
    for code in (0, 1):
        own = y == code
        if not claims.keeps_target:
            assert drawn[own].mean(axis=0) == pytest.approx(X.mean(axis=0), abs=0.25)
            assert drawn.std(axis=0) == pytest.approx(X.std(axis=0), rel=0.1)
            continue
        assert drawn[own].mean(axis=0) == pytest.approx(X[own].mean(axis=0), abs=0.25)
        assert drawn[own].std(axis=0) == pytest.approx(X[own].std(axis=0), rel=0.2)
    inner = np.corrcoef(drawn[y == 0].T)[0, 1]
    assert inner > 0.8 if claims.keeps_covariance else abs(inner) < 0.2
    same = np.array_equal(np.sort(drawn[y == 0], axis=0), np.sort(X[:300], axis=0))
    assert same == claims.keeps_marginals


@pytest.mark.parametrize("name", NULL_DATA)
def test_null_data_of_numbers_keep_lines_and_residuals_as_they_claim(name):
    rng, claims = RNG(0), NULL_DATA[name]
    y = rng.normal(10, 2, size=600)
    X = rng.normal(size=(600, 1)) + 0.3 * rng.normal(size=(600, 3)) + y[:, None]
    drawn = draw_null_data(check_data(X, y, task=NUMBERS), name, rng)

    def line(values):
        return np.polyfit(y, values, 1)

    for old, new in zip(X.T, drawn.T, strict=True):
        if not claims.keeps_target:
            assert line(new)[0] == pytest.approx(0, abs=0.15)
            assert new.std() == pytest.approx(old.std(), rel=0.1)
            continue
        assert line(new)[0] == pytest.approx(line(old)[0], abs=0.1)
        left = [x - np.polyval(line(x), y) for x in (old, new)]
        # Like numbers are not equal ones: what they differ by adds to the rest.
        rel = 0.2 if claims.keeps_marginals else 0.1
        assert left[1].std() == pytest.approx(left[0].std(), rel=rel)
    inner = np.corrcoef((drawn - np.outer(y, line(drawn)[0])).T)[0, 1]
    assert inner > 0.8 if claims.keeps_covariance else abs(inner) < 0.25
    same = np.array_equal(np.sort(drawn, axis=0), np.sort(X, axis=0))
    assert same == claims.keeps_marginals


@pytest.mark.parametrize("name", [x for x in NULL_DATA if x != "shuffle"])
def test_null_data_of_numbers_shrink_slopes_that_chance_explains(name):
    y = RNG(2).normal(size=60)
    noise = check_data(RNG(0).normal(size=(60, 400)), y, task=NUMBERS)
    claims = NULL_DATA[name]

    def slopes(data):
        drawn = draw_null_data(data, name, RNG(1))
        return np.polyfit(y, drawn, 1)[0]

    # A slope of noise has variance 1 / Syy; plugging it in doubles that.
    own = 1 / ((y - y.mean()) ** 2).sum()
    expected = (1 + claims.keeps_class_means) * own
    assert np.mean(slopes(noise) ** 2) == pytest.approx(expected, rel=0.25)
    strong = slopes(check_data(noise.X + 2 * y[:, None], y, task=NUMBERS)).mean()
    assert strong == pytest.approx(2 if claims.keeps_target else 0, abs=0.1)


def test_a_straight_rule_is_no_better_than_on_null_data_and_a_product_is():
    """Null data keep what single features say of a number, and no more."""
    rng = RNG(3)
    X = rng.uniform(-1, 1, size=(120, 2))
    straight = X.sum(axis=1) + 0.3 * rng.normal(size=120)
    product = X[:, 0] * X[:, 1] + 0.05 * rng.normal(size=120)
    options = {"n_permutations": 19, "n_null_data": 19, "cv": 4}
    one = only(assess_bare("ridge", X, straight, **options)).null_tests
    assert one.null_data.p_value > 0.05
    two = only(
        assess_bare("sklearn.neighbors:KNeighborsRegressor()", X, product, **options)
    ).null_tests
    assert two.null_data.p_value <= 0.05
    blind = only(assess_bare("ridge", X, straight, null_data="independent", **options))
    assert blind.null_tests.null_data.p_value <= 0.05
    assert blind.null_tests.basis.beyond_null_data


@pytest.mark.parametrize("name", NULL_DATA)
def test_null_data_shrink_what_chance_explains_unless_they_keep_means(name):
    y = np.repeat([0, 1], 30)
    noise = check_data(RNG(0).normal(size=(60, 400)), y)

    def gaps(data):
        drawn = draw_null_data(data, name, RNG(1))
        return drawn[y == 1].mean(axis=0) - drawn[y == 0].mean(axis=0)

    # Two means of thirty differ by 2/30 in the square; plugging them in doubles it.
    keeps = NULL_DATA[name].keeps_class_means
    if name != "shuffle":
        expected = 4 / 30 if keeps else 2 / 30
        assert np.mean(gaps(noise) ** 2) == pytest.approx(expected, rel=0.25)
    strong = check_data(noise.X + 2 * y[:, None], y)
    known = 2 if NULL_DATA[name].keeps_target else 0
    assert gaps(strong).mean() == pytest.approx(known, abs=0.3 if not known else 0.1)


@pytest.mark.parametrize(
    "name", [n for n, x in NULL_DATA.items() if n != "shuffle" and x.keeps_target]
)
def test_null_data_vary_within_classes_as_the_real_do_however_few(name):
    # Six classes of two: what the means took of the spread is given back.
    y = np.repeat(np.arange(6), 2)
    X = RNG(0).normal(size=(12, 2000))
    drawn = draw_null_data(check_data(X, y), name, RNG(1))
    within = np.mean((drawn[::2] - drawn[1::2]) ** 2) / 2
    assert within == pytest.approx(1, rel=0.1)


def test_chance_alone_leaves_no_share_to_class_means():
    """With six samples F is 2 on average: half of it is not taken for real."""
    rng, codes, counts = RNG(0), np.repeat([0, 1], 3), np.array([3, 3])
    values = rng.standard_normal((6, 200_000))
    means = np.stack([values[codes == c].mean(axis=0) for c in (0, 1)])
    offsets = means - values.mean(axis=0)
    assert real_share(offsets, values - means[codes], counts) < 0.2
    two = values[[0, 1, 3, 4]] - means[codes[[0, 1, 3, 4]]]
    assert real_share(offsets, two, np.array([2, 2])) == 0


@pytest.mark.parametrize("shape", [(9, 40), (40, 9), (20, 20), (6, 1), (5, 2)])
def test_a_covariance_is_shrunk_as_scikit_learn_does(shape):
    """By products of samples where there are fewer of them than features."""
    rng = RNG(0)
    values = rng.normal(size=shape) @ rng.normal(size=(shape[1], shape[1]))
    theirs = ledoit_wolf_shrinkage(values, assume_centered=True)
    assert ledoit_wolf(values) == pytest.approx(theirs, abs=1e-12)
    assert ledoit_wolf(np.zeros((4, 3))) == 0


@pytest.mark.parametrize("name", NULL_MODELS)
def test_null_models_are_what_they_claim(name):
    model = NULL_MODELS[name].make()
    assert task_of({name: model}) is NULL_MODELS[name].task
    X = RNG(0).normal(size=(30, 3))
    said = model.fit(X, np.arange(30) % 2).predict(X)
    assert (np.unique(said).size == 1) == NULL_MODELS[name].is_constant


def test_null_models_know_next_to_nothing(easy):
    X, y = easy
    mode = FeatureModeClassifier().fit(X, y)
    assert mode.predict_proba(X).sum(axis=1) == pytest.approx(1)
    votes = np.abs(X[:, None] - mode.means_).argmin(axis=1).sum(axis=1)
    clear = votes != 3
    assert np.array_equal(mode.predict(X)[clear], (votes > 3)[clear].astype(int))
    most = MajorityClassifier().fit(X, np.r_[y[:-1], 0])
    assert set(most.predict(X)) == {0}


# Metrics that are no means of samples ---------------------------------------------


def rare(shift=2.5):
    rng = RNG(0)
    y = (rng.random(60) < 0.25).astype(int)
    X = rng.normal(size=(60, 4))
    X[:, 0] += shift * y
    return X, y


@pytest.mark.parametrize("scoring", ["auc", "mcc", "f1", "balanced_accuracy"])
@pytest.mark.parametrize("is_real", [True, False])
def test_leave_one_out_has_a_verdict_for_every_metric(noise, scoring, is_real):
    X, y = (part[-24:] for part in noise)
    if is_real:
        X = X[:, :6] + 3 * y[:, None] * [1, 0, 0, 0, 0, 0]
    call = {"cv": "loo", "n_permutations": 24, "n_null_data": 2, "scoring": scoring}
    found = assess_bare("naive-bayes", X, y, **call)
    tests = only(found).null_tests
    assert (tests.verdict == "feasible") == is_real
    assert all(math.isfinite(test.p_value) for test in tests.tests.values())
    assert tests.permuted.is_pooled
    assert tests.density.status == "pooled"
    again = Assessment.from_dict(found.to_dict())
    assert math.isnan(only(again).null_tests.density.p_value)


def test_splits_without_a_value_do_not_count_as_failures():
    """F1 of folds drawn at random: a fold of one class has none, in some draws."""
    for cv in ("kfold10", 10):
        call = {"scoring": "f1", "cv": cv, "n_permutations": 60}
        tests = only(assess_bare("naive-bayes", *rare(), **call)).null_tests
        assert tests.permuted.p_rank == pytest.approx(1 / 61)
        assert tests.permuted.n_failed_draws == 0
        assert tests.verdict == "feasible"


def test_draws_of_all_tests_together_are_as_the_estimate_is():
    data = check_data(*rare())
    plan = draw_splits("kfold10", data, RNG(0))
    found = collect_estimates(GaussianNB(), data, plan, rng=RNG(1))
    f1 = METRICS["f1"]
    view = PooledView(estimates=found, metric=f1, rng=RNG(2))
    assert view.observed[0] == -f1.measure(found.pooled())
    still = check_data(np.repeat(data.X[:1], 60, axis=0), data.y)
    same = collect_estimates(NearestCentroid(), still, plan, rng=RNG(1))
    assert same.is_empty  # all samples alike: the model refuses
    call = {"n_permutations": 3, "rng": RNG(3)}
    fits = permuted_draws(NearestCentroid(), still, plan, f1, **call)
    assert np.isnan(fits.pooled).all()  # failed, and not to be taken for undefined
    call = {"n_permutations": 8, "rng": RNG(3)}
    draws = permuted_draws(GaussianNB(), data, plan, f1, **call)
    assert not PooledView.is_needed(found, METRICS["accuracy"], (draws,))
    assert np.isfinite(draws.pooled).all()
    assert np.isnan(draws.folds).any()


def test_a_constant_model_is_no_worse_than_chance_in_leave_one_out(easy):
    """Learned without the tested sample, the larger class would be the wrong one."""
    data = check_data(*easy)
    plan = draw_splits("loo", data, RNG(0))
    found = collect_estimates(GaussianNB(), data, plan, rng=RNG(1))
    view = PooledView(estimates=found, metric=METRICS["roc_auc"], rng=RNG(2))
    test = view.compared(view.constant())
    assert test.null_value == -0.5
    assert 0 < test.p_t < 0.001
    worse = view.compared(found.pooled())
    assert (worse.gap, worse.p_t) == (0, 1)


def test_splits_left_out_of_an_interval_are_counted():
    groups = np.repeat(np.arange(24), 3)
    y = groups % 2
    X = RNG(0).normal(size=(72, 3))
    X[:, 0] += 2 * y
    call = {"groups": groups, "scoring": "balanced_accuracy", "n_permutations": 20}
    found = only(assess_bare("naive-bayes", X, y, **call))
    folds = np.array(found.main.folds)
    known = int(np.isfinite(folds).sum())
    assert 2 <= known < folds.size
    by = {x.method: x for x in found.main.intervals}["nadeau-bengio"]
    assert (by.n_values, by.n_splits) == (known, folds.size)
    assert found.null_tests.permuted.is_pooled
