"""Over many settings: what was planted is found, and bounds hold."""

import json
import math
from functools import partial

import numpy as np
import pytest
from scipy.stats import wasserstein_distance

import scorecast as sc
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError
from scorecast.guarantees.settings.design import design_settings
from scorecast.guarantees.settings.difficulty import difficulty_groups, wasserstein
from scorecast.guarantees.settings.estimate import SettingEstimate
from scorecast.guarantees.settings.pooling import bounds_over_settings, weighted_bound
from scorecast.guarantees.settings.superiority import difference_test, superiority


def make(gap=1.0, n=40, random_state=0):
    """Two classes, told apart by one feature of two."""
    rng = np.random.default_rng(random_state)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, 2))
    X[:, 0] += gap * y
    return X, y


def row(estimate, stderr=0.02, *, name="s", data=None, model="a", folds=None, df=9.0):
    """An estimate as it might have come of folds."""
    values = (estimate,) * 3 if folds is None else tuple(folds)
    return SettingEstimate(
        setting=name, values={"s": name}, data=data or name, model=model,
        loss="rmse", greater_is_better=False, estimate=estimate,
        low=estimate - 2 * stderr, high=estimate + 2 * stderr, stderr=stderr, df=df,
        sets=(values,), test_ratio=0.1, n=10, m=2,
    )  # fmt: skip


@pytest.fixture(scope="module")
def answer():
    """Naive Bayes and a guess, over easy and hard settings."""
    return sc.assess_settings(
        {"nb": "naive-bayes", "guess": "sklearn.dummy:DummyClassifier()"}, make,
        settings={"gap": [0.0, 3.0], "n": [40, 60]}, sampling="cv5", random_state=1,
    )  # fmt: skip


def test_easy_and_hard_settings_come_apart(answer):
    easy, hard = answer.groups_of("nb")
    assert {name.split(",")[0] for name in easy.members} == {"gap 3"}
    assert {name.split(",")[0] for name in hard.members} == {"gap 0"}
    assert easy.factors == {"gap": ["3.0"]}
    assert easy.low > hard.high
    whole = answer.bound("nb", "conservative")
    own = [r for r in answer.rows if r.model == "nb"]
    assert whole.low == min(r.low for r in own)
    assert whole.high == max(r.high for r in own)
    # A compact set of bounds is what the groups are for.
    assert max(g.high - g.low for g in (easy, hard)) < 0.8 * (whole.high - whole.low)
    assert len(answer.groups_of("guess")) == 1


def test_relations_count_wins_and_losses(answer):
    (found,) = answer.relations
    assert (found.a, found.b, found.n_settings) == ("nb", "guess", 4)
    # With 40 cases every fold is right, every guess a half: no spread, and no win.
    assert found.won_in == ("gap 3, n 60",)
    assert found.won == 0.25
    assert found.better >= 0.5
    assert found.relation == ""
    assert "no relation holds" in found.said()
    alone = sc.assess_settings(
        {"guess": "sklearn.dummy:DummyClassifier()", "nb": "naive-bayes"}, make,
        settings={"gap": [2.0, 2.5]}, sampling="cv5",
    )  # fmt: skip
    assert alone.relations[0].relation == "inferior"
    assert "nb beats guess in all" in alone.relations[0].said()
    assert "nb beats guess" in alone.summary()


def test_one_factor_at_a_time_holds_the_others():
    found = sc.assess_settings(
        "naive-bayes", make, settings={"gap": [1.0, 4.0], "n": [40, 80]},
        design="one-at-a-time", defaults={"gap": 4.0}, sampling="cv5",
    )  # fmt: skip
    assert [r.setting for r in found.rows] == [
        "gap 4, n 40", "gap 1, n 40", "gap 4, n 80"
    ]  # fmt: skip
    views = {(v.factor, v.value): v for v in found.views}
    assert all(v.n_settings == 1 for v in views.values())
    assert views["gap", "4.0"].estimate == found.rows[0].estimate
    assert views["n", "80"].estimate == found.rows[2].estimate


def test_data_sets_by_name_with_loss_sampling_and_parameters():
    data = {"easy": make(4.0), "hard": make(0.5)}
    found = sc.assess_settings(
        {"knn": "neighbours"}, data,
        settings={"loss": ["accuracy", "mcc"], "sampling": ["cv4", "cv5"],
                  "knn__n_neighbors": [1, 7]},
    )  # fmt: skip
    assert found.n_settings == 16
    assert found.losses == ("accuracy", "mcc")
    assert {r.data for r in found.rows} == {"data easy", "data hard"}
    assert {len(r.sets[0]) for r in found.rows} == {4, 5}
    by_name = {r.setting: r for r in found.rows}
    one, seven = (
        by_name[f"data hard, loss accuracy, sampling cv5, knn__n_neighbors {k}"]
        for k in (1, 7)
    )
    assert one.sets != seven.sets
    assert all(b.n_settings == 8 for b in found.bounds)


def test_a_single_setting_is_what_assess_says():
    X, y = make(1.5, 60)
    found = sc.assess_settings("naive-bayes", {"d": (X, y)}, sampling="loo")
    whole = sc.assess(
        "naive-bayes", X, y, sampling="loo", n_permutations=0,
        with_bias_variance=False, n_resamples=0,
    )  # fmt: skip
    first = whole.models[0].losses[0]
    assert found.rows[0].estimate == pytest.approx(first.estimate)
    assert (found.rows[0].low, found.rows[0].high) == (first.low, first.high)
    assert len(found.groups) == 1


SHORT = {"settings": {"gap": [0.0, 2.0]}, "sampling": "cv4", "n_sets": 2}


@pytest.mark.slow
def test_workers_do_not_change_the_answer():
    plain = sc.assess_settings("naive-bayes", make, **SHORT)
    shared = sc.assess_settings("naive-bayes", make, n_jobs=2, **SHORT)
    assert plain.to_dict() == shared.to_dict()


def test_a_stopped_run_goes_on_to_the_same_answer(tmp_path):
    plain = sc.assess_settings("naive-bayes", make, **SHORT)
    path = tmp_path / "run.jsonl"
    sc.assess_settings("naive-bayes", make, checkpoint=path, **SHORT)
    lines = path.read_text().splitlines()
    assert len(lines) == 1 + 4
    path.write_text("\n".join(lines[:3]) + "\n")  # as if it had been stopped
    again = sc.assess_settings("naive-bayes", make, checkpoint=path, **SHORT)
    assert again.to_dict() == plain.to_dict()
    assert len(path.read_text().splitlines()) == 5
    other = {**SHORT, "sampling": "cv5"}
    with pytest.raises(InvalidInputError, match="another run"):
        sc.assess_settings("naive-bayes", make, checkpoint=path, **other)


def test_json_brings_it_back(answer):
    data = json.loads(json.dumps(answer.to_dict()))
    assert data["kind"] == "settings"
    again = sc.SettingsAssessment.from_dict(data)
    assert again.to_dict() == answer.to_dict()
    assert again.summary() == answer.summary()
    assert set(answer.to_columns()) >= {"gap", "n", "model", "estimate", "low", "high"}


def test_simulated_data_are_a_source():
    found = sc.assess_settings(
        "nearest-centroid",
        partial(
            sc.simulate.classification, 60, 20, std=2, with_bayes_error=False
        ),
        settings={"noise": [0.0, 0.4]}, sampling="cv3", n_sets=4,
    )  # fmt: skip
    clean, noisy = found.rows
    assert clean.estimate > noisy.estimate
    assert [len(r.sets) for r in found.rows] == [4, 4]
    assert clean.df == 3


def test_pooled_and_weighted_means_are_what_they_say():
    rows = [
        row(0.2, 0.01, name="x"),
        row(0.4, 0.03, name="y"),
        row(0.6, 0.02, name="z"),
    ]
    bounds = {b.method: b for b in bounds_over_settings(rows, None, 0.95)}
    assert bounds["pooled"].estimate == pytest.approx(0.4)
    larger = [*rows[:2], SettingEstimate(**{**vars(rows[2]), "n": 30})]
    by_cases = bounds_over_settings(larger, None, 0.95)[2]
    assert by_cases.method == "weighted"
    assert by_cases.estimate == pytest.approx((0.2 + 0.4 + 3 * 0.6) / 5)
    given = bounds_over_settings(rows, np.array([1.0, 1.0, 2.0]), 0.95)
    assert given[2].estimate == pytest.approx(0.45)
    assert bounds["conservative"].low == pytest.approx(0.18)
    assert bounds["conservative"].high == pytest.approx(0.64)
    assert bounds["new-setting"].low < bounds["conservative"].low


def coverage(data_names, truth, n_runs=3000):
    """Return how often the pooled 90 % interval holds the mean of the truths.

    Settings 0 and 1 see the same data, so their errors are the same.
    """
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(n_runs):
        common, apart = rng.normal(size=2) * 0.05
        errors = (common, common, apart)
        drawn = [
            row(t + e, 0.05, name=f"s{i}", data=data_names[i], df=1e6)
            for i, (t, e) in enumerate(zip(truth, errors, strict=True))
        ]
        bound = weighted_bound(drawn, np.ones(3), 0.9, "pooled")
        held += bound.low <= np.mean(truth) <= bound.high
    return held / n_runs


def test_the_pooled_interval_holds_as_often_as_it_says():
    truth = (0.2, 0.5, 0.3)
    assert coverage(("d1", "d1", "d2"), truth) == pytest.approx(0.9, abs=0.02)
    # Taken for independent, settings with the same data promise too much.
    assert coverage(("d1", "d2", "d3"), truth) < 0.85


def test_weights_from_estimated_errors_would_promise_too_much():
    rng = np.random.default_rng(0)
    held, lucky = 0, 0
    for _ in range(1000):
        drawn = 0.5 + np.linspace(0.05, 0.15, 6)[:, None] * rng.normal(size=(6, 5))
        rows = [
            row(x.mean(), x.std(ddof=1) / np.sqrt(5), name=f"s{i}", df=4.0)
            for i, x in enumerate(drawn)
        ]
        own = bounds_over_settings(rows, None, 0.9)[2]
        held += own.low <= 0.5 <= own.high
        precise = np.array([1 / r.stderr**2 for r in rows])
        other = weighted_bound(rows, precise, 0.9, "weighted")
        lucky += other.low <= 0.5 <= other.high
    assert held / 1000 == pytest.approx(0.9, abs=0.035)
    assert lucky / 1000 < 0.8


@pytest.mark.statistical
def test_the_pooled_interval_of_fitted_models_holds():
    # The truth: accuracy of a threshold rule learned from 40 cases, by many fits.
    settings = {"gap": [0.5, 2.0]}

    def estimate(seed, n_sets):
        return sc.assess_settings(
            "nearest-centroid", make, settings=settings, sampling="cv3",
            n_sets=n_sets, level=0.9, random_state=seed,
        ).bound("nearest-centroid", "pooled")  # fmt: skip

    truth = estimate(10_000, 250).estimate
    held = [b.low <= truth <= b.high for b in (estimate(s, 5) for s in range(40))]
    # Forty runs tell 90 % from 76 %.
    assert np.mean(held) >= 0.76


def test_models_that_do_not_differ_have_no_relation():
    rng = np.random.default_rng(2)
    found = 0
    for _ in range(400):
        same = [
            [row(0, name=f"s{i}", model=m, folds=rng.normal(size=10)) for i in range(3)]
            for m in "ab"
        ]
        fitted = [
            [
                SettingEstimate(**{**vars(r), "estimate": float(r.folds.mean())})
                for r in rows
            ]
            for rows in same
        ]
        found += bool(superiority(*fitted, alpha=0.1, share=0.8).relation)
    assert found <= 4  # of three independent tests at 10 %: about one in a thousand


def test_differences_of_one_setting_are_tested_fold_by_fold():
    a = row(0.2, folds=(0.1, 0.2, 0.3))
    assert difference_test(a, a) == 1
    shifted = row(0.3, folds=(0.2, 0.3, 0.4))
    # Always worse by the same: no spread, so no test, and no win.
    assert difference_test(a, shifted) == 1
    assert superiority([a], [shifted], alpha=0.1, share=0.8).won == 0
    several = [
        SettingEstimate(**{**vars(r), "sets": (r.sets[0],) * 3}) for r in (a, shifted)
    ]
    assert difference_test(*several) == 1
    apart = SettingEstimate(
        **{**vars(shifted), "sets": tuple((0.2 + x,) * 3 for x in (0.09, 0.1, 0.11))}
    )
    assert difference_test(several[0], apart) < 0.05
    noisy = row(0.3, folds=(0.1, 0.5, 0.3))
    assert 0.3 < difference_test(a, noisy) < 1


def test_the_distance_of_collections_is_wassersteins():
    rng = np.random.default_rng(0)
    for n, m in ((5, 5), (3, 8), (10, 7)):
        a, b = rng.normal(size=n), rng.normal(size=m)
        assert wasserstein(a, b) == pytest.approx(wasserstein_distance(a, b))


def test_groups_are_as_few_as_leave_members_alike():
    rng = np.random.default_rng(1)
    rows = [
        row(level, 0.02, name=f"s{i}{level}", folds=level + 0.02 * rng.normal(size=10))
        for level in (0.1, 0.4, 0.7)
        for i in range(3)
    ]
    groups = difficulty_groups(rows, level=0.95, most=6)
    assert [len(g.members) for g in groups] == [3, 3, 3]
    assert [g.estimate for g in groups] == sorted(g.estimate for g in groups)
    assert len(difficulty_groups(rows, level=0.95, most=2)) == 2
    assert len(difficulty_groups(rows[:3], level=0.95, most=6)) == 1


def test_settings_that_do_not_differ_are_one_group():
    rng = np.random.default_rng(3)
    single, naive = 0, 0
    for _ in range(400):
        drawn = 0.5 + 0.1 * rng.normal(size=(6, 5))
        rows = [
            row(x.mean(), x.std(ddof=1) / np.sqrt(5), name=f"s{i}", folds=x, df=4.0)
            for i, x in enumerate(drawn)
        ]
        single += len(difficulty_groups(rows, level=0.95, most=6)) == 1
        sure = [SettingEstimate(**{**vars(r), "df": 1e6}) for r in rows]
        naive += len(difficulty_groups(sure, level=0.95, most=6)) == 1
    assert single >= 0.92 * 400
    # Errors of four degrees of freedom, taken for known, tear them apart.
    assert naive < 0.85 * 400


def test_an_interval_at_the_end_of_the_scale_is_not_halved():
    found = sc.assess_settings(
        "naive-bayes", make, settings={"gap": [30.0]}, sampling="cv4"
    )
    (only,) = found.rows
    assert only.estimate == only.high == 1
    assert found.groups[0].low == pytest.approx(only.low)


def test_a_model_that_fails_is_named_and_the_rest_goes_on():
    found = sc.assess_settings(
        {"svm": "sklearn.svm:SVC(C=-1)", "nb": "naive-bayes"}, make,
        settings={"gap": [3.0, 4.0]}, sampling="cv3",
    )  # fmt: skip
    assert math.isnan(found.rows[0].estimate)
    assert len(found.warnings) == 1
    assert "svm" in found.warnings[0]
    assert "svm: no estimate" in found.summary()
    assert found.bound("nb", "pooled").n_settings == 2
    again = sc.SettingsAssessment.from_dict(json.loads(json.dumps(found.to_dict())))
    assert again.to_dict() == found.to_dict()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"settings": {}}, "one value or more"),
        ({"settings": {"gap": []}}, "one value or more"),
        ({"settings": {"gip": [1]}}, "cannot be called"),
        ({"settings": {"gap": [1]}, "design": "gird"}, "Did you mean 'grid'"),
        ({"settings": {"gap": [1]}, "defaults": {"m": 1}}, "does not"),
        ({"settings": {"gap": [1]}, "weights": [1, 2]}, "each setting .1 in all"),
        ({"settings": {"gap": [1]}, "n_sets": 0}, "n_sets"),
        ({"settings": {"gap": [1]}, "share": 0}, "share"),
        ({"settings": {"gap": range(10_001)}}, "more than 10,000"),
        ({"data": {"a": make()}, "settings": {"gap": [1]}}, "do not change with gap"),
        ({"data": {"a": make()}, "settings": {"data": ["b"]}}, "has no 'b'"),
        ({"data": {"a": make()}, "n_sets": 2}, "n_sets"),
        ({"data": 3, "settings": {"gap": [1]}}, "function"),
        ({"data": {"a": 3}}, "pair"),
        ({"settings": {"gap": [1], "naive-bayes__depth": [1]}}, "no parameter"),
    ],
)
def test_what_cannot_be_is_refused(options, said):
    data = options.pop("data", make)
    with pytest.raises(UsageError, match=said):
        sc.assess_settings("naive-bayes", data, sampling="cv3", **options)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"alpha": 7}, "`alpha` must lie"),
        ({"share": 0}, "`share` must be"),
        ({"most_groups": 0}, "`most_groups` must be"),
    ],
)
def test_what_cannot_be_is_refused_before_data_are_made(options, said):
    def untouched(gap, random_state):
        pytest.fail("data were made")

    with pytest.raises(UsageError, match=said):
        sc.assess_settings("naive-bayes", untouched, settings={"gap": [1]}, **options)


def test_values_may_come_once_and_be_close():
    close = [1.0000001, 1.0000002]
    found = sc.assess_settings(
        "nearest-centroid", make, settings={"gap": iter([3.0, *close])},
        design="one-at-a-time", sampling="cv3", weights=[1, 1, 2],
    )  # fmt: skip
    names = ["gap 3", "gap 1.0000001", "gap 1.0000002"]
    assert [r.setting for r in found.rows] == names
    assert found.options["usual"] == {"gap": "3.0"}
    values = [r.estimate for r in found.rows]
    weighted = found.bound("nearest-centroid", "weighted")
    assert weighted.estimate == pytest.approx(np.average(values, weights=[1, 1, 2]))


def test_no_estimate_at_all_is_refused():
    with pytest.raises(InsufficientDataError, match="No model has an estimate"):
        sc.assess_settings(
            {"svm": "sklearn.svm:SVC(C=-1)"}, make, settings={"gap": [1]},
            sampling="cv3",
        )  # fmt: skip


def test_designs_list_every_setting_once():
    factors = {"a": [1, 2, 3], "b": ["x", "y"]}
    grid = design_settings(factors, design="grid", defaults={}, models=())
    assert len(grid) == len({s.name for s in grid}) == 6
    single = design_settings(
        factors, design="one-at-a-time", defaults={"a": 2}, models=()
    )
    assert [s.name for s in single] == ["a 2, b x", "a 1, b x", "a 3, b x", "a 2, b y"]
