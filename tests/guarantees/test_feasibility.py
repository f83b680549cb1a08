"""Tests against null settings: reference values, levels, verdicts."""

import math
from dataclasses import replace

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import scorecast as sc
from scorecast.evaluation import corrected_t
from scorecast.evaluation.permutation import draw_orders, exchangeable
from scorecast.guarantees.feasibility import (
    NULL_DATA,
    NullTest,
    density_p,
    draw_null_data,
    drawn_test,
    judge,
    paired_test,
    permuted_values,
    rank_p,
)
from scorecast.guarantees.feasibility.examination import counted_test
from scorecast.guarantees.feasibility.null_data import real_share
from scorecast.guarantees.feasibility.null_models import (
    FeatureModeClassifier,
    MajorityClassifier,
)
from scorecast.guarantees.loss_values import rough_size
from scorecast.guarantees.losses import LOSSES
from scorecast.guarantees.problem import check_problem
from scorecast.guarantees.sampling import draw_plan

RNG = np.random.default_rng
PERMUTED = np.array([0.5, 0.4, 0.3, 0.6, 0.45, 0.52, 0.38, 0.2])


def null_test(p, p_rank=math.nan, gap=0.1, stderr=0.05):
    return NullTest(
        setting="permuted data", p=p, p_rank=p_rank, smallest_p=0.01, null_value=0.5,
        gap=gap, stderr=stderr, n_draws=99,
    )  # fmt: skip


def test_the_density_is_that_of_the_formula_book():
    p, least = density_p(0.3, PERMUTED.reshape(2, 4))
    # Eq. 2 gives .25; the observed counts as a draw.
    assert (PERMUTED <= 0.3).mean() == 0.25
    assert p == pytest.approx(1 / 3)
    assert least == pytest.approx(1 / 9)
    assert rank_p(0.0, PERMUTED)[0] == pytest.approx(1 / 9)
    assert rank_p(-0.8, np.array([-0.8, -0.5]))[0] == pytest.approx(2 / 3)


def test_the_corrected_t_is_that_of_scikit_learn_and_baycomp(shared_golden):
    import json

    name = "corrected_resampled_t_sklearn_example.json"
    data = json.loads((shared_golden / name).read_text())
    ratio = data["n_test"] / data["n_train"]
    gaps = np.array(data["diff"])
    t, p = corrected_t(gaps, ratio)
    assert t == pytest.approx(data["t"])
    assert p / 2 == pytest.approx(data["p_one_sided"])
    test = paired_test("x", np.zeros_like(gaps), gaps, ratio)
    assert test.p == pytest.approx(data["p_one_sided"])


def test_folds_that_all_agree_give_no_certainty():
    same = paired_test("x", np.zeros(10), np.full(10, 0.2), 1 / 9)
    assert same.p == pytest.approx(0.5**10)
    assert "sign" in same.note
    assert paired_test("x", np.zeros(10), np.zeros(10), 1 / 9).p == 1.0


def test_the_larger_spread_decides():
    observed = np.full(10, 0.2)  # the folds agree, but permuted means vary
    drawn = RNG(0).normal(0.5, 0.1, size=(200, 10))
    test = drawn_test("x", observed, drawn, 1 / 9)
    assert test.stderr == pytest.approx(drawn.mean(axis=1).std(ddof=1), rel=0.01)
    wide = np.array([0.0, 0.4] * 5)
    assert drawn_test("x", wide, drawn, 1 / 9).stderr > 2 * test.stderr


@pytest.mark.parametrize(
    ("test", "word"),
    [
        (null_test(0.01, 0.02), "feasible"),
        (null_test(0.01, 0.06), "exploratory only"),
        (null_test(0.3, 0.01), "not supported"),
        (null_test(math.nan), "no verdict"),
    ],
)
def test_the_worst_test_decides(test, word):
    other = null_test(0.001)
    found = judge(test, (other,), None, n=50, alpha=0.05, relaxed_alpha=0.2)
    assert found.word == word
    swapped = judge(other, (test,), None, n=50, alpha=0.05, relaxed_alpha=0.2)
    assert swapped.word == word


def test_a_simple_rule_that_does_as_well_is_named():
    """What is perfect beats permuted data, but not another that is perfect too."""
    simple = replace(null_test(1.0, gap=0.0), setting="the feature-mode classifier")
    found = judge(
        null_test(0.01, 0.02), (simple,), None, n=50, alpha=0.05, relaxed_alpha=0.2
    )
    assert found.word == "not supported"
    assert "better than permuted data (p = 0.020)" in found.reason
    assert "than the feature-mode classifier (p = 1.000), which is" in found.reason
    neither = judge(
        null_test(0.5), (simple,), None, n=50, alpha=0.05, relaxed_alpha=0.2
    )
    assert "better than permuted data" not in neither.reason


def test_few_null_data_sets_are_said_to_be_few():
    sets = replace(null_test(0.5), n_draws=3, smallest_p=0.25)
    call = {"n": 50, "alpha": 0.05, "relaxed_alpha": 0.2}
    said = judge(null_test(0.01), (null_test(0.001),), sets, **call).reason
    assert "3 null data sets cannot show p below 0.250" in said
    assert "would explain it" not in said
    many = replace(sets, n_draws=99, smallest_p=0.01)
    said = judge(null_test(0.01), (null_test(0.001),), many, **call).reason
    assert "what single features show would explain it" in said


def test_cases_needed_grow_with_the_error_and_need_a_difference():
    few, many = (
        judge(null_test(0.1, stderr=s), (), None, n=50, alpha=0.05, relaxed_alpha=0.2)
        for s in (0.05, 0.1)
    )
    assert many.n_needed == pytest.approx(4 * few.n_needed, abs=4)
    assert f"about {rough_size(few.n_needed)} cases" in few.reason
    none = judge(
        null_test(0.7, gap=-0.1), (), None, n=50, alpha=0.05, relaxed_alpha=0.2
    )
    assert none.n_needed is None
    assert "would not settle it" in none.reason


@pytest.mark.parametrize(
    ("gap", "said", "is_told"),
    [(0.001, "about 310,000 cases would settle it", True),
     (0.0001, "; more than a million cases would settle it", False)],
)  # fmt: skip
def test_cases_needed_are_said_in_two_digits_and_up_to_a_million(gap, said, is_told):
    one = null_test(0.1, gap=gap, stderr=0.0316)
    found = judge(one, (), None, n=50, alpha=0.05, relaxed_alpha=0.2)
    assert said in found.reason
    assert (found.n_needed is not None) == is_told


@pytest.mark.parametrize(
    ("sampling", "loss", "tested"),
    [("loo", "accuracy", "1 case each"), ("lpo", "balanced-accuracy", "2 cases each")],
)
def test_folds_of_single_cases_have_no_density(sampling, loss, tested):
    """Right or wrong: every lucky one is as good as a perfect model."""
    y = np.arange(24) % 2
    X = np.random.default_rng(0).normal(size=(24, 2)) + 6 * y[:, None]
    call = {
        "losses": loss, "n_permutations": 20, "n_null_data": 0,
        "with_bias_variance": False, "regularities": False,
    }  # fmt: skip
    found = sc.assess("naive-bayes", X, y, sampling=sampling, **call)
    tests = found.models[0].feasibility
    assert found.models[0].losses[0].estimate == 1
    assert math.isnan(tests.permutation_density)
    assert math.isnan(tests.smallest_density)
    assert tested in tests.density_note
    assert any(tests.density_note in text for text in found.models[0].warnings)
    again = type(tests).from_json(tests.to_json())
    assert again.density_note == tests.density_note
    folds = sc.assess("naive-bayes", X, y, sampling="cv4", **call)
    assert folds.models[0].feasibility.permutation_density < 0.1
    assert folds.models[0].feasibility.density_note == ""


def test_enough_cases_are_not_called_a_lost_cause():
    """A clear difference in few folds: the size of the sample is not what lacks."""
    found = judge(
        null_test(0.01, 0.1, gap=0.4, stderr=0.05), (), None, n=50, alpha=0.05,
        relaxed_alpha=0.2,
    )  # fmt: skip
    assert found.n_needed is None
    assert "not settle" not in found.reason
    assert "50 cases are enough" in found.reason
    assert "more splits or draws may settle it" in found.reason


def test_chance_alone_leaves_no_share_to_class_means():
    """With six cases F is 2 on average: half of it is not taken for real."""
    rng, codes, counts = RNG(0), np.repeat([0, 1], 3), np.array([3, 3])
    values = rng.standard_normal((6, 200_000))
    means = np.stack([values[codes == c].mean(axis=0) for c in (0, 1)])
    offsets = means - values.mean(axis=0)
    assert real_share(offsets, values - means[codes], counts) < 0.2
    two = values[[0, 1, 3, 4]] - means[codes[[0, 1, 3, 4]]]
    assert real_share(offsets, two, np.array([2, 2])) == 0


def test_with_groups_no_null_data_are_drawn_and_the_answer_says_so(easy):
    found = sc.assess(
        "naive-bayes", *easy, groups=np.arange(40) // 2, sampling="cv4",
        n_permutations=19, n_null_data=3, n_resamples=0, regularities=False,
        with_bias_variance=False,
    ).models[0]  # fmt: skip
    data = found.feasibility.null_data
    assert (data.n_draws, math.isnan(data.worst_p)) == (0, True)
    assert "not drawn, as cases of a group" in data.note
    assert any("not drawn" in line for line in found.warnings)


@pytest.mark.parametrize("kind", NULL_DATA)
def test_null_data_keep_what_each_class_looks_like(kind):
    rng = RNG(0)
    y = np.repeat([0, 1], 300)
    shared = rng.normal(size=(600, 1))
    X = shared + 0.3 * rng.normal(size=(600, 3)) + 2 * y[:, None]
    problem = check_problem(X, y)
    drawn = draw_null_data(problem, kind, rng)
    for code in (0, 1):
        own = y == code
        assert drawn[own].mean(axis=0) == pytest.approx(X[own].mean(axis=0), abs=0.25)
        assert drawn[own].std(axis=0) == pytest.approx(X[own].std(axis=0), rel=0.2)
    inner = np.corrcoef(drawn[y == 0].T)[0, 1]
    assert inner > 0.8 if kind in ("covariance", "shrunk") else abs(inner) < 0.2
    if kind == "shuffle":
        assert np.array_equal(np.sort(drawn[y == 0], axis=0), np.sort(X[:300], axis=0))


def test_null_models_know_next_to_nothing(easy):
    X, y = easy
    mode = FeatureModeClassifier().fit(X, y)
    assert mode.predict_proba(X).sum(axis=1) == pytest.approx(1)
    votes = np.abs(X[:, None] - mode.means_).argmin(axis=1).sum(axis=1)
    clear = votes != 3
    assert np.array_equal(mode.predict(X)[clear], (votes > 3)[clear].astype(int))
    most = MajorityClassifier().fit(X, np.r_[y[:-1], 0])
    assert set(most.predict(X)) == {0}


@pytest.mark.parametrize("together", [True, False])
def test_permutations_respect_groups(together):
    groups = np.repeat(np.arange(10), 3)
    y = groups % 2 if together else np.arange(30) % 2
    rows = draw_orders(1, exchangeable(groups, y), 30, RNG(0))[0]
    assert sorted(rows) == list(range(30))
    blocks = groups[rows].reshape(10, 3)
    assert (np.ptp(blocks, axis=1) == 0).all()
    assert not np.array_equal(groups[rows], groups)
    assert (
        np.array_equal(rows.reshape(10, 3) % 3, np.tile(range(3), (10, 1))) == together
    )


@pytest.mark.parametrize("scheme", ["all", "train"])
def test_permuted_data_are_at_chance(easy, scheme):
    problem = check_problem(*easy)
    plan = draw_plan("cv5", problem, RNG(0))
    values = permuted_values(
        NearestCentroid(), problem, plan, LOSSES["accuracy"], n_permutations=60,
        rng=RNG(1), scheme=scheme,
    )  # fmt: skip
    assert values.shape == (60, 5)
    assert values.mean() == pytest.approx(0.5, abs=0.08)


KNOWN = {
    "nearest-centroid": NearestCentroid(),
    "naive-bayes": GaussianNB(),
    "ridge": RidgeClassifier(),
    "neighbours": KNeighborsClassifier(3),
    "svm": SVC(kernel="linear"),
    "scaled": make_pipeline(StandardScaler(), NearestCentroid()),
}


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("scheme", ["all", "train"])
def test_known_models_and_refits_give_the_same_values(name, scheme):
    rng = RNG(4)
    X, y = rng.normal(size=(36, 50)), np.repeat(list("abc"), 12)
    X[y == "c", :5] += 1
    problem = check_problem(X, y)
    for sampling, loss in (("cv4", "mcc"), ("boot4", "error")):
        plan = draw_plan(sampling, problem, RNG(0))
        fast, slow = (
            permuted_values(
                KNOWN[name], problem, plan, LOSSES[loss], n_permutations=6,
                rng=RNG(1), scheme=scheme, is_quick=quick,
            )
            for quick in (True, False)
        )  # fmt: skip
        assert np.isfinite(fast).all()
        assert np.array_equal(fast, slow)


def test_assess_and_permutation_scores_mean_the_same_permutations(easy):
    """The same stream, splits and model give the same values in both."""
    problem = check_problem(*easy)
    plan = draw_plan("cv5", problem, RNG(0))
    pairs = [(split.train, split.test) for split in plan.splits]
    scores = sc.permutation_test(
        DecisionTreeClassifier(random_state=0), *easy, cv=pairs, n_permutations=10,
        random_state=RNG(3),
    )  # fmt: skip
    stream = RNG(3)
    stream.spawn(1)  # the data as they are
    values = permuted_values(
        DecisionTreeClassifier(random_state=0), problem, plan, LOSSES["accuracy"],
        n_permutations=10, rng=stream,
    )  # fmt: skip
    assert np.array_equal(scores.permuted, values)


def test_more_permutations_where_they_cost_nothing(easy):
    options = {
        "sampling": "cv4", "n_null_data": 0, "n_resamples": 0,
        "with_bias_variance": False, "losses": "accuracy",
    }  # fmt: skip
    quick = sc.assess("nearest-centroid", *easy, **options).models[0].feasibility
    assert quick.permuted.n_draws == 1000
    assert quick.permuted.smallest_p == 1 / 1001
    options["losses"] = "auc"  # needs scores, so that the model is fitted
    slow = sc.assess("nearest-centroid", *easy, **options).models[0].feasibility
    assert slow.permuted.n_draws == 100


def test_fewer_permutations_where_rounding_leaves_them_to_the_model(easy):
    """Features of very different scale: ridge is fitted anew for every permutation."""
    scales = {"alike": np.ones(6), "far apart": 10.0 ** np.array([0, 4, 8, 0, 4, 8])}
    counts = {}
    for name, scale in scales.items():
        problem = check_problem(easy[0] * scale, easy[1])
        plan = draw_plan("cv4", problem, RNG(0))
        values = permuted_values(
            RidgeClassifier(), problem, plan, LOSSES["accuracy"], rng=RNG(0)
        )
        counts[name] = len(values)
    assert counts == {"alike": 1000, "far apart": 100}


def test_permuting_labels_without_their_splits_would_be_too_liberal():
    """Why features move: on noise, folds by class must stay by class."""
    y, rng = np.repeat([0, 1], 8), RNG(0)
    problem = check_problem(rng.normal(size=(16, 200)), y)
    plan = draw_plan("cv8", problem, rng)
    right, wrong = [], []
    model = NearestCentroid()
    for _ in range(40):
        X = rng.normal(size=(16, 200))
        data = problem.with_features(X)
        right.append(
            permuted_values(
                model, data, plan, LOSSES["accuracy"], n_permutations=1, rng=rng
            ).mean()
        )
        moved = rng.permutation(y)
        wrong.append(
            np.mean(
                [
                    (model.fit(X[s.train], moved[s.train]).predict(X[s.test])
                     == moved[s.test]).mean()
                    for s in plan.splits
                ]
            )
        )  # fmt: skip
    # Folds that lack a class are answered with the other one, and so wrongly.
    assert np.mean(right) > np.mean(wrong) + 0.02


def test_null_data_shrink_what_chance_explains():
    rng = RNG(0)
    y = np.repeat([0, 1], 30)
    noise = check_problem(rng.normal(size=(60, 400)), y)
    gaps = {}
    for kind in ("shrunk", "normal"):
        drawn = draw_null_data(noise, kind, RNG(1))
        gap = drawn[y == 1].mean(axis=0) - drawn[y == 0].mean(axis=0)
        gaps[kind] = float((gap**2).mean())
    # Two means of thirty differ by 2/30 in the square; plugging them in doubles it.
    assert gaps["shrunk"] == pytest.approx(2 / 30, rel=0.25)
    assert gaps["normal"] == pytest.approx(4 / 30, rel=0.25)
    strong = check_problem(noise.X + 2 * y[:, None], y)
    drawn = draw_null_data(strong, "shrunk", RNG(1))
    gap = drawn[y == 1].mean(axis=0) - drawn[y == 0].mean(axis=0)
    assert gap.mean() == pytest.approx(2, abs=0.1)


def examined(X, seed):
    found = sc.assess(
        NearestCentroid(), X, np.arange(40) % 2, sampling="cv4", losses="accuracy",
        n_permutations=19, n_null_data=0, n_resamples=0, with_bias_variance=False,
        random_state=seed,
    )  # fmt: skip
    return found.models[0].feasibility


@pytest.mark.statistical
def test_noise_is_called_feasible_at_most_at_the_level():
    runs, hits, wrong = 50, 0, 0
    for seed in range(runs):
        X = RNG(seed).normal(size=(40, 100))
        hits += examined(X, seed).verdict.word == "feasible"
        if seed < 10:
            # A wrong way: features chosen by looking at all targets first.
            gap = X[1::2].mean(axis=0) - X[::2].mean(axis=0)
            chosen = X[:, np.argsort(-abs(gap))[:5]]
            wrong += examined(chosen, seed).permuted.p_rank <= 0.05
    assert hits / runs <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / runs)
    assert wrong > 5


def test_draws_that_failed_count_against_the_model():
    observed = np.array([0.1, 0.2, 0.15, np.nan])
    rng = np.random.default_rng(0)
    errors = rng.uniform(0.4, 0.6, size=(99, 4))
    errors[:, 3] = np.nan  # undefined for the model as well: no failure
    whole = counted_test("permuted data", observed, errors, 0.1)
    assert (whole.p_rank, whole.n_draws, whole.note) == (0.01, 99, "")
    errors[:20, 1] = np.nan
    found = counted_test("permuted data", observed, errors, 0.1)
    assert found.p_rank == pytest.approx(21 / 100)
    assert found.smallest_p == pytest.approx(1 / 100)
    assert found.note == "20 of 99 draws failed and count against the model"
    assert rank_p(0.3, np.array([0.5, np.nan, 0.6, np.inf])) == (2 / 5, 1 / 5)


class Moody(DummyClassifier):
    """Fails where its first case is one of the upper half."""

    def fit(self, X, y):
        if X[0, 0] > 19:
            msg = "not in the mood"
            raise RuntimeError(msg)
        return super().fit(X, y)


def test_failed_permutations_are_told_in_the_answer():
    X, y = np.arange(40.0).reshape(40, 1), np.arange(40) % 2
    found = sc.assess(
        Moody(), X, y, sampling=[(np.arange(20), np.arange(20, 40))], n_null_data=0,
        n_permutations=30, n_resamples=0, regularities=False, with_bias_variance=False,
    ).models[0]  # fmt: skip
    assert "draws failed and count against the model" in found.feasibility.permuted.note
    assert any("draws failed" in line for line in found.warnings)


def test_an_infinite_draw_is_a_worse_one_and_an_infinite_value_is_no_value():
    drawn = np.array([[0.5, 0.6], [0.7, np.inf], [0.4, 0.8], [np.nan, np.nan]])
    assert rank_p(0.55, np.array([0.5, np.inf, np.nan])) == (3 / 4, 1 / 4)
    found = drawn_test("drawn", np.array([0.3, 0.35]), drawn, 0.1)
    assert (found.p_rank, found.n_draws) == (0.25, 3)
    assert found.null_value == pytest.approx(0.575)
    assert "1 infinite" in found.note
    bad = np.array([0.1, np.inf])
    for test in (drawn_test("x", bad, drawn, 0.1), paired_test("x", bad, bad, 0.1)):
        assert math.isnan(test.worst_p)
        assert "1 of 2 splits are infinite" in test.note


@pytest.mark.parametrize("shape", [(9, 40), (40, 9), (20, 20), (6, 1), (5, 2)])
def test_a_covariance_is_shrunk_as_scikit_learn_does(shape):
    """By products of cases where there are fewer of them than features."""
    from sklearn.covariance import ledoit_wolf_shrinkage

    from scorecast.guarantees.feasibility.null_data import ledoit_wolf

    rng = np.random.default_rng(0)
    values = rng.normal(size=shape) @ rng.normal(size=(shape[1], shape[1]))
    theirs = ledoit_wolf_shrinkage(values, assume_centered=True)
    assert ledoit_wolf(values) == pytest.approx(theirs, abs=1e-12)
    assert ledoit_wolf(np.zeros((4, 3))) == 0
