"""The interval that is quoted where folds say too little, or agree too well."""

import numpy as np
import pytest
from scipy.special import stdtrit

import scorecast as sc
from scorecast.evaluation import clopper_pearson, wilson
from scorecast.exceptions import InsufficientDataError, InvalidInputError
from scorecast.guarantees import cost_loss
from scorecast.guarantees.problem import check_problem
from scorecast.guarantees.sampling import draw_plan
from scorecast.report import render_text

QUICK = {"n_permutations": 0, "n_null_data": 0, "with_bias_variance": False}


def classes(counts, seed=0, m=12, gap=0.5):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(counts)), counts)
    X = rng.normal(size=(y.size, m))
    X[:, 0] += gap * y
    return X, y


def lacking(counts):
    """Return a loss of fifty bootstrap samples, of which few lack a class in tests."""
    for seed in range(40):
        X, y = classes(counts, seed)
        found = sc.assess(
            "naive-bayes", X, y, sampling="boot50", losses="balanced-accuracy",
            random_state=seed, **QUICK,
        )  # fmt: skip
        loss = found.models[0].losses[0]
        known = np.isfinite(loss.folds).sum()
        if 45 <= known < 50:
            return loss, known
    pytest.fail("no such data")


def test_a_split_without_a_class_does_not_turn_the_choice():
    loss, _ = lacking((20, 15, 7))
    assert loss.recommended.method == "nadeau-bengio"
    assert loss.estimate == pytest.approx(np.nanmean(loss.folds))
    by = {bound.method: bound for bound in loss.bounds}
    assert by["nadeau-bengio"].width > by["case-spread"].width
    assert "splits: the others hold too few" in loss.recommended.note
    assert "all tests together" not in loss.recommended.note


def test_a_sensitivity_of_all_is_bounded_by_the_class_it_is_about():
    X, y = classes((5, 45), gap=0.0)
    found = sc.assess(
        "sklearn.dummy:DummyClassifier(strategy='constant', constant=1)", X, y,
        sampling="cv5", losses=["sensitivity", "specificity"], n_resamples=0, **QUICK,
    )  # fmt: skip
    for loss, n in zip(found.models[0].losses, (45, 5), strict=True):
        share = loss.estimate
        low, high = wilson(share * n, n, 0.95)
        assert (loss.recommended.low, loss.recommended.high) == pytest.approx(
            (low, high)
        )


def test_costs_that_all_folds_share_vary_as_those_of_cases_do():
    X, y = classes((5, 45), gap=0.0)
    found = sc.assess(
        "sklearn.dummy:DummyClassifier(strategy='constant', constant=1)", X, y,
        sampling="cv5", losses=[cost_loss([[0, 10], [1, 0]])], n_resamples=0,
        **QUICK,
    )  # fmt: skip
    loss = found.models[0].losses[0]
    assert loss.estimate == pytest.approx(0.1)
    # A tenth of the cases cost 1: 0.1 and 2 standard errors of 50 cases.
    error = np.sqrt(0.1 * 0.9 / 49)
    assert loss.recommended.high == pytest.approx(0.1 + 2.01 * error, abs=0.002)


def test_no_interval_of_the_area_of_single_cases_is_promised():
    X, y = classes((12, 12))
    loo = sc.assess("naive-bayes", X, y, sampling="loo", losses="auc", **QUICK)
    loss = loo.models[0].losses[0]
    assert loss.recommended is None
    assert np.isnan([loss.low, loss.high]).all()
    assert all("does not hold" in bound.note for bound in loss.bounds)
    assert any("leave pairs out (lpo)" in text for text in loo.warnings)
    assert "no interval to promise" in loo.summary()
    assert "none to promise" in render_text(loo)
    again = sc.Assessment.from_dict(loo.to_dict()).models[0].losses[0]
    assert again.no_interval == loss.no_interval
    folds = sc.assess("naive-bayes", X, y, sampling="cv4", losses="auc", **QUICK)
    assert not any("leave pairs out" in text for text in folds.warnings)
    assert folds.models[0].losses[0].no_interval == ""


def test_settings_know_no_interval_of_the_area_of_single_cases():
    X, y = classes((8, 8))
    with pytest.raises(InsufficientDataError, match="leave pairs out"):
        sc.assess_settings(
            "naive-bayes", {"d": (X, y)}, settings={"loss": ["auc"]}, sampling="loo"
        )


def test_an_interval_of_pairs_knows_that_cases_teach():
    X, y = classes((6, 9))
    found = sc.assess("naive-bayes", X, y, sampling="lpo", losses="auc", **QUICK)
    loss = found.models[0].losses[0]
    assert loss.recommended.method == "pairs"
    table = np.empty((6, 9))
    plan = draw_plan("lpo", check_problem(X, y), np.random.default_rng(0))
    for split, value in zip(plan.splits, loss.folds, strict=True):
        table[split.test.min(), split.test.max() - 6] = value
    error = table.mean(1).var(ddof=1) / 6 + table.mean(0).var(ddof=1) / 9
    half = stdtrit(5, 0.975) * np.sqrt(2 * error)
    assert loss.low == pytest.approx(max(loss.estimate - half, 0))
    assert loss.high == pytest.approx(min(loss.estimate + half, 1))


@pytest.mark.statistical
def test_the_interval_of_pairs_holds_on_noise_and_that_of_tests_alone_does_not():
    runs, held = 150, {"pairs": 0, "bca": 0}
    for seed in range(runs):
        X, y = classes((10, 10), seed, m=5, gap=0.0)
        found = sc.assess(
            "naive-bayes", X, y, sampling="lpo", losses="auc", random_state=seed,
            **QUICK | {"n_resamples": 200, "regularities": False},
        )  # fmt: skip
        for bound in found.models[0].losses[0].bounds:
            if bound.method in held:
                held[bound.method] += bound.low <= 0.5 <= bound.high
    assert held["pairs"] / runs > 0.95 - 2.5 * np.sqrt(0.05 * 0.95 / runs)
    assert held["bca"] / runs < 0.9


def test_equal_scores_are_said_where_ranks_count():
    X, y = classes((12, 12))
    X = np.repeat(X, 400, axis=1)  # naive Bayes is as sure as a number can be
    call = {"sampling": "cv4", **QUICK}
    sure = sc.assess("naive-bayes", X, y, losses=["auc"], **call)
    said = " ".join(sure.warnings)
    assert "of the pairs it ranks have equal scores, which count half" in said
    assert "probabilities are 0 or 1" in said
    assert "equal scores" not in " ".join(
        sc.assess("naive-bayes", X, y, losses=["accuracy"], **call).warnings
    )
    assert "equal scores" not in " ".join(
        sc.assess("svm", X, y, losses=["auc"], **call).warnings
    )


def test_one_split_is_bounded_by_its_cases():
    X, y = classes((31, 31), gap=1.0)
    order = np.random.default_rng(1).permutation(62)
    found = sc.assess(
        "naive-bayes", X, y, sampling=[(order[:50], order[50:])],
        losses=["accuracy", "balanced-accuracy"], **QUICK,
    )  # fmt: skip
    loss = found.models[0].losses[0]
    assert loss.recommended.method == "exact"
    right = round(12 * loss.estimate)
    assert (loss.low, loss.high) == pytest.approx(clopper_pearson(right, 12, 0.95))
    assert "one split is one model" in loss.recommended.reason


def test_an_interval_bears_the_name_of_what_it_is():
    X, y = classes((20, 20), gap=60.0)
    found = sc.assess(
        "naive-bayes", X, y, sampling="cv5", losses=["accuracy", "balanced-accuracy"],
        **QUICK,
    )  # fmt: skip
    # Classes of one size that are equally right are one class of all their cases, less
    # half a case each, as cases of a class teach one another.
    said = (
        ("wilson", "independent cases, 40", 40),
        ("by-class", "cases of every class", 39),
    )
    for loss, (method, rests, n) in zip(found.models[0].losses, said, strict=True):
        assert loss.estimate == 1
        assert loss.recommended.method == method
        assert (loss.low, loss.high) == pytest.approx(wilson(n, n, 0.95))
        names = [bound.method for bound in loss.bounds]
        assert not {"nadeau-bengio", "t", "normal", "percentile", "bca"} & set(names)
        assert all(bound.width > 0 for bound in loss.bounds)
        assert "nadeau-bengio, percentile, bca have no width" in loss.recommended.note
        assert rests in loss.recommended.note
        assert not any(bound.note for bound in loss.bounds if not bound.is_recommended)


@pytest.mark.parametrize("lost", [None, float("nan")])
def test_a_missing_label_is_no_class(lost):
    X, _ = classes((6, 6))
    y = np.array(["a"] * 6 + ["b"] * 4 + [lost] * 2, dtype=object)
    with pytest.raises(InvalidInputError, match="lacks 2 labels, the first at row 11"):
        sc.assess("naive-bayes", X, y, **QUICK)


def area(X, y, sampling, **options):
    found = sc.assess(
        "nearest-centroid", X, y, sampling=sampling, losses="auc", n_resamples=0,
        **QUICK, **options,
    )  # fmt: skip
    loss = found.models[0].losses[0]
    return loss, {bound.method: bound for bound in loss.bounds}


def test_an_area_is_never_quoted_narrower_than_cases_as_tests_and_teachers():
    quoted = set()
    for seed in range(8):
        X, y = classes((31, 31), seed, m=50, gap=0.8)
        loss, by = area(X, y, "cv5x5")
        widths = by["nadeau-bengio"].width, by["delong-doubled"].width
        assert loss.recommended.width == max(widths)
        quoted.add(loss.recommended.method)
        plain, doubled = by["delong"], by["delong-doubled"]
        middle = (plain.low + plain.high) / 2
        ratio = np.sqrt(2) * stdtrit(30, 0.975) / 1.959963984540054
        assert doubled.high - middle == pytest.approx(ratio * (plain.high - middle))
    assert quoted == {"nadeau-bengio", "delong-doubled"}


@pytest.mark.statistical
def test_areas_of_folds_dealt_anew_are_held_more_often_than_by_nadeau_bengio():
    truth = 0.5  # no feature tells the classes apart
    held = {"quoted": 0, "nadeau-bengio": 0}
    n_sets = 250
    for seed in range(n_sets):
        loss, by = area(*classes((31, 31), seed, m=30, gap=0.0), "cv5x5")
        for name, bound in (("quoted", loss.recommended), *by.items()):
            if name in held:
                held[name] += bound.low <= truth <= bound.high
    assert held["quoted"] / n_sets >= 0.88
    assert held["nadeau-bengio"] < held["quoted"]
