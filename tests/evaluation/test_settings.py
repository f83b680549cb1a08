"""Over many settings: what was planted is found, and intervals hold."""

import json
import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.stats import wasserstein_distance
from tests.snapshot import assert_snapshot, page_text

import scorecast as sc
from scorecast import assess_settings
from scorecast._core.result import result_from_dict
from scorecast.evaluation import (
    DESIGNS,
    METRICS,
    POOLING,
    NullTests,
    Relation,
    SettingEstimate,
    SettingsNote,
    SettingsPooling,
    check_data,
    collect_estimates,
    cost_metric,
    draw_splits,
    make_estimator,
    wilson,
)
from scorecast.evaluation.intervals import recommended, score_intervals
from scorecast.evaluation.metrics import metrics_for
from scorecast.evaluation.settings import About
from scorecast.evaluation.settings.assess_settings import _not_collected
from scorecast.evaluation.settings.design import Variations, design_settings
from scorecast.evaluation.settings.estimates import (
    DatasetScores,
    SettingFacts,
    setting_estimate,
)
from scorecast.evaluation.settings.pooling import (
    difference_p,
    difficulty_groups,
    dominance,
    pooled_intervals,
    wasserstein,
    weighted_span,
)
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError

GUESS = "sklearn.dummy:DummyClassifier()"
BOTH = {"nb": "naive-bayes", "guess": GUESS}


def make(gap=1.0, n_samples=40, random_state=0):
    """Two classes, told apart by one feature of two."""
    rng = np.random.default_rng(random_state)
    y = np.arange(n_samples) % 2
    X = rng.normal(size=(n_samples, 2))
    X[:, 0] += gap * y
    return X, y


def row(estimate, stderr=0.02, *, number=0, data=None, model="a", folds=None, df=9.0):
    """An estimate as it might have come of folds."""
    values = (estimate,) * 3 if folds is None else tuple(folds)
    return SettingEstimate(
        setting=number,
        factors={"s": number},
        data=number if data is None else data,
        model=model,
        scoring="root_mean_squared_error",
        greater_is_better=False,
        estimate=estimate,
        low=estimate - 2 * stderr,
        high=estimate + 2 * stderr,
        stderr=stderr,
        df=df,
        datasets=(values,),
        test_ratio=0.1,
        sample_error=0.0,
        n_samples=10,
        n_features=2,
    )


def groups_of(rows, most=6):
    return difficulty_groups(rows, confidence_level=0.95, max_groups=most)


# All together ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def answer():
    """Naive Bayes and a guess, over easy and hard settings."""
    factors = {"gap": [0.0, 3.0], "n_samples": [40, 60]}
    return assess_settings(BOTH, make, factors, cv=5, random_state=1)


def factors_of(answer, numbers, name):
    rows = {row.setting: row.factors for row in answer.estimates}
    return {rows[number][name] for number in numbers}


def test_easy_and_hard_settings_come_apart(answer):
    easy, hard = answer.groups_of("nb")
    assert factors_of(answer, easy.members, "gap") == {3.0}
    assert factors_of(answer, hard.members, "gap") == {0.0}
    assert easy.factors == {"gap": (3.0,)}
    assert easy.low > hard.high
    whole = answer.interval("nb", "conservative")
    own = [r for r in answer.estimates if r.model == "nb"]
    assert whole.low == min(r.low for r in own)
    assert whole.high == max(r.high for r in own)
    # A compact set of intervals is what the groups are for.
    assert max(g.high - g.low for g in (easy, hard)) < 0.8 * (whole.high - whole.low)
    assert len(answer.groups_of("guess")) == 1


def test_dominance_counts_wins_and_losses(answer):
    (found,) = answer.dominance
    assert (found.a, found.b, found.n_settings) == ("nb", "guess", 4)
    # With 40 samples every fold is right, every guess a half: no spread, and no win.
    assert found.won_in == (3,)
    assert answer.estimates[3].factors == {"gap": 3.0, "n_samples": 60}
    assert found.won == 0.25
    assert found.better >= 0.5
    assert found.relation is None
    turned = {"guess": GUESS, "nb": "naive-bayes"}
    alone = assess_settings(turned, make, {"gap": [2.0, 2.5]}, cv=5)
    assert alone.dominance[0].relation is Relation.INFERIOR
    assert "nb beats guess in all" in sc.render(alone)


def test_one_factor_at_a_time_holds_the_others():
    found = assess_settings(
        "naive-bayes",
        make,
        {"gap": [1.0, 4.0], "n_samples": [40, 80]},
        design="one-at-a-time",
        defaults={"gap": 4.0},
        cv=5,
    )
    assert [tuple(r.factors.values()) for r in found.estimates] == [
        (4.0, 40),
        (1.0, 40),
        (4.0, 80),
    ]
    effects = {(x.factor, x.value): x for x in found.effects}
    assert all(x.n_settings == 1 for x in effects.values())
    assert effects["gap", 4.0].estimate == found.estimates[0].estimate
    assert effects["n_samples", 80].estimate == found.estimates[2].estimate
    assert found.usual == {"gap": 4.0, "n_samples": 40}


def test_data_sets_by_name_with_metric_folds_and_parameters():
    found = assess_settings(
        {"knn": "neighbors"},
        {"easy": make(4.0), "hard": make(0.5)},
        {"scoring": ["accuracy", "mcc"], "cv": [4, 5], "knn__n_neighbors": [1, 7]},
    )
    assert found.n_settings == 16
    assert found.scorings == ("accuracy", "matthews_corrcoef")
    assert {r.data for r in found.estimates} == {0, 1}
    assert {len(r.datasets[0]) for r in found.estimates} == {4, 5}
    wanted = {"data": "hard", "scoring": "accuracy", "cv": 5}
    one, seven = (
        next(
            r
            for r in found.estimates
            if r.factors == wanted | {"knn__n_neighbors": number}
        )
        for number in (1, 7)
    )
    assert one.datasets != seven.datasets
    assert all(x.n_settings == 8 for x in found.intervals)


def test_a_single_setting_has_the_interval_to_quote():
    X, y = make(1.5, 60)
    found = assess_settings("naive-bayes", {"d": (X, y)}, cv="loo")
    (only,) = found.estimates
    data, rng = check_data(X, y), np.random.default_rng(0)
    tests = collect_estimates(
        make_estimator("naive-bayes"), data, draw_splits("loo", data, rng), rng=rng
    )
    sample = tests.measure(METRICS["accuracy"])
    quoted = recommended(score_intervals(tests, sample, level=0.95, rng=rng))
    assert (only.low, only.high) == (quoted.low, quoted.high)
    assert len(found.groups) == 1


SHORT = {"factors": {"gap": [0.0, 2.0]}, "cv": 4, "n_datasets": 2}


@pytest.mark.slow
def test_workers_do_not_change_the_answer():
    plain = assess_settings("naive-bayes", make, **SHORT)
    shared = assess_settings("naive-bayes", make, n_jobs=2, **SHORT)
    assert plain.to_dict() == shared.to_dict()


def test_a_stopped_run_goes_on_to_the_same_answer(tmp_path):
    plain = assess_settings("naive-bayes", make, **SHORT)
    path = tmp_path / "run.jsonl"
    assess_settings("naive-bayes", make, checkpoint=path, **SHORT)
    lines = path.read_text().splitlines()
    assert len(lines) == 1 + 4
    path.write_text("\n".join(lines[:3]) + "\n")  # as if it had been stopped
    again = assess_settings("naive-bayes", make, checkpoint=path, **SHORT)
    assert again.to_dict() == plain.to_dict()
    assert len(path.read_text().splitlines()) == 5
    with pytest.raises(InvalidInputError, match="another run"):
        assess_settings("naive-bayes", make, checkpoint=path, **(SHORT | {"cv": 5}))


def test_json_brings_it_back(answer):
    data = json.loads(json.dumps(answer.to_dict(), allow_nan=False))
    again = result_from_dict(data)
    assert again.to_dict() == answer.to_dict()
    assert sc.render(again) == sc.render(answer)
    columns = {"gap", "n_samples", "model", "estimate", "low", "high"}
    assert set(answer.to_columns()) >= columns


def test_simulated_data_are_a_source():
    source = partial(sc.simulate.classification, 60, 20, std=2, with_bayes_error=False)
    found = assess_settings(
        "nearest-centroid", source, {"noise": [0.0, 0.4]}, cv=3, n_datasets=4
    )
    clean, noisy = found.estimates
    assert clean.estimate > noisy.estimate
    assert [len(r.datasets) for r in found.estimates] == [4, 4]
    assert clean.df == 3


def test_a_model_that_fails_is_noted_and_the_rest_goes_on():
    models = {"svm": "sklearn.svm:SVC(C=-1)", "nb": "naive-bayes"}
    found = assess_settings(models, make, {"gap": [3.0, 4.0]}, cv=3)
    assert math.isnan(found.estimates[0].estimate)
    assert found.estimates[0].failure is not None
    (note,) = found.notes
    assert (note.code, note.model) == (SettingsNote.FITS_FAILED, "svm")
    assert (note.count, note.total) == (2, 4)
    assert found.interval("nb", "pooled").n_settings == 2
    assert result_from_dict(json.loads(json.dumps(found.to_dict()))).notes == (note,)
    assert "svm: no estimate" in found.summary()


def test_a_metric_that_a_model_cannot_be_asked_for_is_noted():
    models = {"svm": "svm", "nb": "naive-bayes"}
    found = assess_settings(models, make, {"gap": [3.0]}, scoring="brier", cv=3)
    assert found.estimates[0].needs == "probabilities"
    assert found.notes[0].model == "svm"


def test_no_estimate_at_all_is_refused():
    with pytest.raises(InsufficientDataError, match="no model has an estimate"):
        assess_settings({"svm": "sklearn.svm:SVC(C=-1)"}, make, {"gap": [1]}, cv=3)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"factors": {}}, "one value or more"),
        ({"factors": {"gap": []}}, "one value or more"),
        ({"factors": {"gip": [1]}}, "cannot be called"),
        ({"factors": {"gap": [1]}, "design": "gird"}, "Try 'grid'"),
        ({"factors": {"gap": [1]}, "defaults": {"m": 1}}, "no factor"),
        ({"factors": {"gap": [1]}, "weights": (1, 2)}, "each setting .1 in all"),
        ({"factors": {"gap": [1]}, "n_datasets": 0}, "n_datasets"),
        ({"factors": {"gap": [1]}, "share": 0}, "share"),
        ({"factors": {"gap": range(10_001)}}, "more than 10,000"),
        ({"data": {"a": make()}, "factors": {"gap": [1]}}, "do not change with gap"),
        ({"data": {"a": make()}, "factors": {"data": ["b"]}}, "has no 'b'"),
        ({"data": {"a": make()}, "n_datasets": 2}, "n_datasets"),
        ({"data": 3, "factors": {"gap": [1]}}, "function"),
        ({"data": {"a": 3}}, "pair"),
        ({"data": {}, "factors": {"n_samples": [20]}}, "no data set"),
        ({"factors": {"gap": [1], "naive-bayes__depth": [1]}}, "no parameter"),
        ({"factors": {"scoring": ["foo"]}}, "factors.*scoring must be one of"),
        ({"factors": {"gap": [1]}, "quick": True, "n_datasets": 2}, "quick look"),
    ],
)
def test_what_cannot_be_is_refused(options, said):
    data = options.pop("data", make)
    of_pooling = {k: options.pop(k) for k in ("share", "weights") if k in options}
    call = {"cv": 3, "pooling": SettingsPooling(**of_pooling)} | options
    with pytest.raises(UsageError, match=said):
        assess_settings("naive-bayes", data, **call)


@pytest.mark.parametrize(
    ("pooling", "said"),
    [
        (SettingsPooling(alpha=7), "alpha"),
        (SettingsPooling(share=0), "share"),
        (SettingsPooling(max_groups=0), "max_groups"),
        ("pooled", "pooling"),
    ],
)
def test_what_cannot_be_is_refused_before_data_are_made(pooling, said):
    def untouched(gap, random_state):
        pytest.fail("data were made")

    with pytest.raises(UsageError, match=said):
        assess_settings("naive-bayes", untouched, {"gap": [1]}, pooling=pooling)


def test_a_setting_that_cannot_be_made_is_named():
    with pytest.raises(InsufficientDataError) as found:
        assess_settings("naive-bayes", {"few": make(1.0, 8)}, {"noise": [0.1]})
    assert found.value.location.setting == "data few, noise 0.1"
    assert "10 folds need 10 samples" in str(found.value)


def test_values_may_come_once_and_be_close():
    found = assess_settings(
        "nearest-centroid",
        make,
        {"gap": iter([3.0, 1.0000001, 1.0000002])},
        design="one-at-a-time",
        cv=3,
        pooling=SettingsPooling(weights=(1, 1, 2)),
    )
    assert [r.factors["gap"] for r in found.estimates] == [3.0, 1.0000001, 1.0000002]
    assert found.usual == {"gap": 3.0}
    values = [r.estimate for r in found.estimates]
    weighted = found.interval("nearest-centroid", "weighted")
    assert weighted.estimate == pytest.approx(np.average(values, weights=[1, 1, 2]))


def test_a_quick_look_has_fewer_folds_and_departs_one_by_one():
    found = assess_settings(
        "naive-bayes", make, {"gap": [1.0, 2.0], "n_samples": [40, 60]}, quick=True
    )
    assert (found.cv, found.design, found.n_settings) == ("5", "one-at-a-time", 3)
    assert found.is_quick
    assert found.summary().startswith("Quick look: ")


# Designs ---------------------------------------------------------------------------


def listed(factors, **options):
    return [tuple(v for _, v in s.factors) for s in design_settings(factors, **options)]


def test_designs_list_every_setting_once():
    factors = {"a": [1, 2, 3], "b": ["x", "y"]}
    grid = listed(factors)
    assert len(grid) == len(set(grid)) == 6
    single = listed(factors, design="one-at-a-time", defaults={"a": 2})
    assert single == [(2, "x"), (1, "x"), (3, "x"), (2, "y")]


@pytest.mark.parametrize("design", DESIGNS)
def test_what_a_design_claims(design):
    factors = {"a": [1, 2, 3], "b": [4, 5], "c": [6, 7]}
    rows = set(listed(factors, design=design))
    pairs = {(a, b) for a, b, _ in rows}
    assert (len(pairs) == 6) == DESIGNS[design].is_crossed


@pytest.mark.parametrize("design", ["grid", "one-at-a-time"])
@pytest.mark.parametrize("values", [[0, 0.0, 0.3], [0.3, 0, 0.3, np.float64(0.3)]])
def test_values_that_are_repeated_are_one_setting(design, values):
    found = listed({"noise": values, "n_samples": [10, 20, 10]}, design=design)
    assert len(set(found)) == len(found) == (4 if design == "grid" else 3)


def test_weights_count_the_settings_that_are_left():
    call = {"cv": 3, "random_state": 0, "pooling": SettingsPooling(weights=(1.0, 3.0))}
    answer = assess_settings({"nb": "naive-bayes"}, make, {"gap": [0, 0.0, 2]}, **call)
    alone = assess_settings({"nb": "naive-bayes"}, make, {"gap": [0, 2.0]}, **call)
    assert answer.n_settings == 2
    assert answer.intervals == alone.intervals


def test_numbers_and_texts_that_are_written_alike_are_refused():
    with pytest.raises(UsageError, match="written alike"):
        design_settings({"a": [1, "1"]})


# Intervals over settings -----------------------------------------------------------


def test_pooled_and_weighted_means_are_what_they_say():
    sizes = ((0.2, 0.01), (0.4, 0.03), (0.6, 0.02))
    rows = [row(x, e, number=i) for i, (x, e) in enumerate(sizes)]
    found = {x.method: x for x in pooled_intervals(rows, None, 0.95)}
    assert list(found) == list(POOLING)
    assert found["pooled"].estimate == pytest.approx(0.4)
    larger = [*rows[:2], replace(rows[2], n_samples=30)]
    by_samples = {x.method: x for x in pooled_intervals(larger, None, 0.95)}
    assert by_samples["weighted"].estimate == pytest.approx((0.2 + 0.4 + 3 * 0.6) / 5)
    given = pooled_intervals(rows, np.array([1.0, 1.0, 2.0]), 0.95)
    assert given[2].estimate == pytest.approx(0.45)
    assert found["conservative"].low == pytest.approx(0.18)
    assert found["conservative"].high == pytest.approx(0.64)
    assert found["new-setting"].low < found["conservative"].low


@pytest.mark.parametrize("method", POOLING.values(), ids=lambda x: x.name)
def test_what_a_way_of_pooling_is_about(method):
    rng = np.random.default_rng(0)
    held = {About.EACH: 0, About.MEAN: 0, About.NEXT: 0}
    runs = 400
    for _ in range(runs):
        truth = rng.normal(size=9)
        seen = truth + 0.05 * rng.normal(size=9)
        rows = [row(x, 0.05, number=i, df=1e6) for i, x in enumerate(seen[:8])]
        _, low, high = method.span(rows, np.ones(8), 0.9)
        held[About.EACH] += ((low <= truth[:8]) & (truth[:8] <= high)).all()
        held[About.MEAN] += low <= truth[:8].mean() <= high
        held[About.NEXT] += low <= truth[8] <= high
    assert held[method.is_about] >= 0.86 * runs
    if method.is_about is About.MEAN:
        assert held[About.NEXT] < 0.5 * runs


def coverage(data_numbers, truth, n_runs=3000):
    """Return how often the pooled 90 % interval holds the mean of the truths.

    Settings 0 and 1 see the same data, so their errors are the same.
    """
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(n_runs):
        common, apart = rng.normal(size=2) * 0.05
        errors = (common, common, apart)
        drawn = [
            row(t + e, 0.05, number=i, data=data_numbers[i], df=1e6)
            for i, (t, e) in enumerate(zip(truth, errors, strict=True))
        ]
        _, low, high = weighted_span(drawn, np.ones(3), 0.9)
        held += low <= np.mean(truth) <= high
    return held / n_runs


def test_the_pooled_interval_holds_as_often_as_it_says():
    truth = (0.2, 0.5, 0.3)
    assert coverage((1, 1, 2), truth) == pytest.approx(0.9, abs=0.02)
    # Taken for independent, settings with the same data promise too much.
    assert coverage((1, 2, 3), truth) < 0.85


def test_weights_from_estimated_errors_would_promise_too_much():
    rng = np.random.default_rng(0)
    held, lucky = 0, 0
    for _ in range(1000):
        drawn = 0.5 + np.linspace(0.05, 0.15, 6)[:, None] * rng.normal(size=(6, 5))
        rows = [
            row(x.mean(), x.std(ddof=1) / np.sqrt(5), number=i, df=4.0)
            for i, x in enumerate(drawn)
        ]
        own = pooled_intervals(rows, None, 0.9)[2]
        held += own.low <= 0.5 <= own.high
        precise = np.array([1 / r.stderr**2 for r in rows])
        _, low, high = weighted_span(rows, precise, 0.9)
        lucky += low <= 0.5 <= high
    assert held / 1000 == pytest.approx(0.9, abs=0.035)
    assert lucky / 1000 < 0.8


@pytest.mark.statistical
def test_the_pooled_interval_of_fitted_models_holds():
    # The truth: accuracy of a threshold rule learned from 40 samples, by many fits.
    def estimate(seed, n_datasets):
        return assess_settings(
            "nearest-centroid",
            make,
            {"gap": [0.5, 2.0]},
            cv=3,
            n_datasets=n_datasets,
            confidence_level=0.9,
            random_state=seed,
        ).interval("nearest-centroid", "pooled")

    truth = estimate(10_000, 250).estimate
    held = [x.low <= truth <= x.high for x in (estimate(s, 5) for s in range(40))]
    # Forty runs tell 90 % from 76 %.
    assert np.mean(held) >= 0.76


# Dominance -------------------------------------------------------------------------


def test_models_that_do_not_differ_have_no_relation():
    rng = np.random.default_rng(2)
    found = 0
    for _ in range(400):
        same = [
            [row(0, number=i, model=m, folds=rng.normal(size=10)) for i in range(3)]
            for m in "ab"
        ]
        fitted = [
            [replace(r, estimate=float(r.folds.mean())) for r in rows] for rows in same
        ]
        found += dominance(*fitted, alpha=0.1, share=0.8).relation is not None
    assert found <= 4  # of three independent tests at 10 %: about one in a thousand


def test_differences_of_one_setting_are_tested_fold_by_fold():
    a = row(0.2, folds=(0.1, 0.2, 0.3))
    assert difference_p(a, a) == 1
    shifted = row(0.3, folds=(0.2, 0.3, 0.4))
    # Always worse by the same: no spread, so no test, and no win.
    assert difference_p(a, shifted) == 1
    assert dominance([a], [shifted], alpha=0.1, share=0.8).won == 0
    several = [replace(r, datasets=(r.datasets[0],) * 3) for r in (a, shifted)]
    assert difference_p(*several) == 1
    drawn = tuple((0.2 + x,) * 3 for x in (0.09, 0.1, 0.11))
    apart = replace(shifted, datasets=drawn)
    assert difference_p(several[0], apart) < 0.05
    noisy = row(0.3, folds=(0.1, 0.5, 0.3))
    assert 0.3 < difference_p(a, noisy) < 1


# Groups of like difficulty ---------------------------------------------------------


def test_the_distance_of_collections_is_wassersteins():
    rng = np.random.default_rng(0)
    for n, m in ((5, 5), (3, 8), (10, 7)):
        a, b = rng.normal(size=n), rng.normal(size=m)
        assert wasserstein(a, b) == pytest.approx(wasserstein_distance(a, b))


def test_groups_are_as_few_as_leave_members_alike():
    rng = np.random.default_rng(1)
    levels = [level for level in (0.1, 0.4, 0.7) for _ in range(3)]
    rows = [
        row(level, 0.02, number=i, folds=level + 0.02 * rng.normal(size=10))
        for i, level in enumerate(levels)
    ]
    groups = groups_of(rows)
    assert [len(g.members) for g in groups] == [3, 3, 3]
    assert [g.estimate for g in groups] == sorted(g.estimate for g in groups)
    assert len(groups_of(rows, most=2)) == 2
    assert len(groups_of(rows[:3])) == 1


def test_settings_that_do_not_differ_are_one_group():
    rng = np.random.default_rng(3)
    single, naive = 0, 0
    for _ in range(400):
        drawn = 0.5 + 0.1 * rng.normal(size=(6, 5))
        rows = [
            row(x.mean(), x.std(ddof=1) / np.sqrt(5), number=i, folds=x, df=4.0)
            for i, x in enumerate(drawn)
        ]
        single += len(groups_of(rows)) == 1
        naive += len(groups_of([replace(r, df=1e6) for r in rows])) == 1
    assert single >= 0.92 * 400
    # Errors of four degrees of freedom, taken for known, tear them apart.
    assert naive < 0.85 * 400


def test_an_interval_at_the_end_of_the_scale_is_not_halved():
    found = assess_settings("naive-bayes", make, {"gap": [30.0]}, cv=4)
    (only,) = found.estimates
    assert only.estimate == only.high == 1
    assert found.groups[0].low == pytest.approx(only.low)


def sure(estimate, number, **factors):
    """An estimate so sure that every other value is another group."""
    return replace(
        row(estimate, 0.001, number=number, df=99.0),
        factors=factors,
        scoring="accuracy",
        greater_is_better=True,
    )


def test_a_label_holds_in_no_other_group():
    easy = [sure(0.9, 0, n=60, noise=0), sure(0.9, 1, n=100, noise=0)]
    hard = [sure(0.5, 2, n=60, noise=0.4), sure(0.5, 3, n=30, noise=0)]
    first, second = groups_of([*easy, *hard])
    # n 60 or 100 and noise 0: no setting of the other group is both.
    assert first.factors == {"n": (60, 100), "noise": (0,)}
    # n 60 or 30 would hold of the first group as well.
    assert second.factors == {}


def test_a_factor_that_is_enough_is_the_label():
    pairs = [(n, noise) for n in (30, 60) for noise in (0, 0.4)]
    rows = [sure(0.9 - x, i, n=n, noise=x) for i, (n, x) in enumerate(pairs)]
    groups = groups_of(rows)
    assert [g.factors for g in groups] == [{"noise": (0,)}, {"noise": (0.4,)}]
    (only,) = groups_of(rows[:1])
    assert only.factors == {}


def test_one_setting_has_one_interval():
    # Folds of unequal size: their interval does not lie even around all samples.
    factors = {"gap": [1.0, 9.0], "n_samples": [43]}
    found = assess_settings("naive-bayes", make, factors)
    for one in found.estimates:
        group = next(g for g in found.groups if g.members == (one.setting,))
        effect = next(x for x in found.effects if x.value == one.factors["gap"])
        assert one.high - one.estimate != pytest.approx(one.estimate - one.low)
        assert (one.low, one.high) == (group.low, group.high)
        assert (one.low, one.high) == (group.lowest, group.highest)
        assert (one.low, one.high) == (effect.low, effect.high)


# Effects of factors ----------------------------------------------------------------


@pytest.fixture(scope="module")
def departed():
    """Two data sets, metrics and numbers of folds, each departed from on its own."""
    return assess_settings(
        "naive-bayes",
        {"hard": make(0.5), "easy": make(5.0)},
        {"scoring": ["accuracy", "mcc"], "cv": [4, 3]},
        design="one-at-a-time",
    )


def test_an_effect_compares_settings_that_differ_in_its_factor_only(departed):
    effects = {(x.factor, x.value): x for x in departed.effects}
    assert {x.n_settings for x in effects.values()} == {1}
    usual = {"data": "hard", "scoring": "accuracy", "cv": 4}
    assert departed.usual == usual
    values = {tuple(r.factors.values()): r.estimate for r in departed.estimates}
    assert effects["cv", 4].estimate == values["hard", "accuracy", 4]
    assert effects["data", "hard"].estimate == values["hard", "accuracy", 4]
    assert effects["cv", 3].estimate == values["hard", "accuracy", 3]


def test_settings_are_counted_by_metric(departed):
    assert departed.n_settings == 4
    assert [departed.n_settings_of(x) for x in departed.scorings] == [3, 1]
    assert departed.summary().startswith("Accuracy over 3 settings: ")
    said = "4 settings (3 of accuracy, 1 of Matthews' correlation)"
    assert said in " ".join(sc.render(departed).split())


# As wide as the number of samples asks for -----------------------------------------

ACCURACY = SettingFacts(model="a", metric=METRICS["accuracy"])


def estimated(scores, facts=ACCURACY, **options):
    return setting_estimate(scores, facts, confidence_level=0.95, **options)


def scored(estimate, n=50, **facts):
    """One data set, most of which does not matter here."""
    known = {
        "low": estimate,
        "high": estimate,
        "df": 9.0,
        "folds": (estimate,) * 5,
        "test_ratio": 0.25,
        "n_samples": n,
        "n_features": 2,
        "n_classes": 2,
        "units": float(n),
    }
    return DatasetScores(estimate=estimate, **(known | facts))


def test_data_sets_that_score_alike_get_the_interval_of_all_their_samples():
    for value in (1.0, 0.96):
        found = estimated([scored(value)] * 3)
        assert (found.low, found.high) == pytest.approx(wilson(value * 150, 150, 0.95))
        assert found.stderr == found.sample_error > 0
    # Other metrics rest on what each sample adds.
    found = estimated([scored(0.9, sample_error=0.03)] * 3)
    assert found.stderr == pytest.approx(0.03 / np.sqrt(3))
    assert found.high - 0.9 == pytest.approx(1.9762 * found.stderr, rel=1e-4)


def test_data_sets_that_differ_keep_students_interval():
    found = estimated([scored(value) for value in (0.7, 0.8, 0.96)])
    error = np.std([0.7, 0.8, 0.96], ddof=1) / np.sqrt(3)
    assert found.stderr == pytest.approx(error)
    assert found.df == 2
    assert found.low == pytest.approx(0.82 - 4.302653 * error)


def far_apart(gap, random_state):
    """Two classes that every model tells apart."""
    y = np.arange(30) % 2
    X = np.random.default_rng(random_state).normal(size=(30, 2))
    return X + gap * y[:, None], y


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy", "auc", "mcc"])
def test_no_interval_of_perfect_models_has_no_width(scoring):
    found = assess_settings(
        "naive-bayes",
        far_apart,
        {"gap": [40.0, 50.0, 60.0]},
        n_datasets=2,
        cv=5,
        scoring=scoring,
    )
    spans = (*found.estimates, *found.intervals, *found.groups, *found.effects)
    assert {x.estimate for x in spans} == {1.0}
    assert [x.method for x in found.intervals] == list(POOLING)
    assert min(x.high - x.low for x in spans) > 0.004
    # Thrice as many samples say more.
    assert found.intervals[1].low > max(r.low for r in found.estimates)


def test_settings_that_one_sample_sets_apart_are_one_group():
    rows = [
        estimated([scored(x)] * 2, replace(ACCURACY, setting=i))
        for i, x in enumerate((0.98, 1.0))
    ]
    assert len(groups_of(rows)) == 1
    # As if data sets that score alike had no error.
    assert len(groups_of([replace(r, stderr=0.0) for r in rows])) == 2


def test_pooled_intervals_are_no_narrower_than_samples_allow():
    rows = [
        estimated([scored(x) for x in (0.8, 0.82)], replace(ACCURACY, data=i))
        for i in range(12)
    ]
    assert rows[0].stderr < rows[0].sample_error  # by luck, twelve times over
    pooled = pooled_intervals(rows, None, 0.95)[1]
    whole = wilson(0.81 * 1200, 1200, 0.95)
    assert 1 < (pooled.high - pooled.low) / (whole[1] - whole[0]) < 1.2
    luck = pooled_intervals([replace(r, sample_error=0.0) for r in rows], None, 0.95)
    assert luck[1].high - luck[1].low < 0.75 * (whole[1] - whole[0])


def held(spoil=lambda one: one, n_runs=1500):
    """Return how often intervals of a setting of two data sets hold the truth."""
    rng = np.random.default_rng(0)
    hits = []
    for _ in range(n_runs):
        drawn = [scored(x) for x in rng.binomial(50, 0.97, size=2) / 50]
        one = spoil(estimated(drawn))
        hits.append(one.low <= 0.97 <= one.high)
    return np.mean(hits)


def test_intervals_of_two_data_sets_hold_as_often_as_they_say():
    def by_spread_alone(one):
        values = [folds[0] for folds in one.datasets]
        half = 12.7062 * np.std(values, ddof=1) / np.sqrt(2)
        return replace(one, low=one.estimate - half, high=one.estimate + half)

    assert held() >= 0.95
    # Data sets that score alike have no spread to go by.
    assert held(by_spread_alone) < 0.85


# Within what a metric can be -------------------------------------------------------


@pytest.mark.parametrize("name", ["auc", "mcc", "f1", "brier", "log-loss", "cost"])
def test_intervals_lie_in_the_range_of_the_metric(name):
    costs = cost_metric([[0, 2], [1, 0]])
    metric = costs if name == "cost" else METRICS.choose(name, parameter="scoring")
    metric = metrics_for([metric], 2)[0]
    answer = assess_settings(
        {"nb": "naive-bayes"},
        partial(make, n_samples=24),
        {"gap": [0.0, 2.0, 9.0]},
        scoring=metric,
        cv=3,
        n_datasets=2,
    )
    parts = (*answer.estimates, *answer.intervals, *answer.groups, *answer.effects)
    ends = [(x.low, x.high) for x in parts]
    ends += [(g.lowest, g.highest) for g in answer.groups]
    assert min(low for low, _ in ends) >= metric.low
    assert max(high for _, high in ends) <= metric.high
    assert all(low <= high for low, high in ends)
    # Two data sets of so few samples: what is not cut would leave the range.
    assert any(low == metric.low or high == metric.high for low, high in ends)
    saved = json.loads(json.dumps(answer.to_dict(), allow_nan=False))
    again = result_from_dict(saved)
    assert again.to_dict() == saved
    assert again.estimates[0].limits == (metric.low, metric.high)


def test_the_brier_score_reaches_as_far_as_there_are_classes():
    def thirds(gap, random_state):
        X, y = make(gap, 24, random_state)
        return X, y + (np.arange(y.size) % 3 == 0)

    for source, most in ((partial(make, n_samples=24), 1.0), (thirds, 2.0)):
        answer = assess_settings(
            {"nb": "naive-bayes"},
            source,
            {"gap": [0.0, 2.0]},
            scoring="brier",
            cv=3,
            n_datasets=2,
        )
        assert {r.limits for r in answer.estimates} == {(0.0, most)}


def test_one_data_set_is_cut_as_several_are():
    one = scored(0.98, 30, low=0.9, high=1.06, units=1.0)
    auc = SettingFacts(metric=METRICS["roc_auc"])
    for datasets in ([one], [one, replace(one, estimate=0.8)]):
        assert estimated(datasets, auc).high == 1.0
    free = SettingFacts(metric=METRICS["log_loss"])
    assert estimated([one], free).high == 1.06


# Data at hand, varied --------------------------------------------------------------


def at_hand(counts=(60, 30, 10), m=5, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.array(["a", "b", "c"])[: len(counts)], counts)
    X = rng.normal(size=(y.size, m)) * np.arange(1, m + 1)
    return X, y


def varied(**factors):
    return Variations(sources={"d": at_hand()})(random_state=1, **factors)


def test_nothing_asked_leaves_the_data_as_they_are():
    X, y = varied()
    assert X.tolist() == at_hand()[0].tolist()
    assert y.tolist() == at_hand()[1].tolist()


@pytest.mark.parametrize("n", [10, 37, 100])
def test_samples_are_drawn_in_the_proportions_of_classes(n):
    X, y = varied(n_samples=n)
    assert X.shape == (n, 5)
    counts = np.unique(y, return_counts=True)[1]
    assert np.abs(counts - n * np.array([0.6, 0.3, 0.1])).max() <= 1
    whole, labels = at_hand()
    rows = [np.flatnonzero((whole == one).all(axis=1)).item() for one in X]
    assert len(set(rows)) == n  # each sample once, with its own label
    assert labels[rows].tolist() == y.tolist()


@pytest.mark.parametrize("imbalance", [0.0, 0.5, 0.8])
def test_imbalance_is_what_the_rarest_class_falls_short(imbalance):
    _, y = varied(imbalance=imbalance)
    counts = dict(zip(*np.unique(y, return_counts=True), strict=True))
    assert counts["c"] == 10 or counts["a"] == 60  # as many as can be
    assert counts["c"] / counts["a"] == pytest.approx(1 - imbalance, abs=0.06)


def test_noise_stays_in_its_share_of_the_range_and_reaches_it():
    X, _ = varied(noise=0.1)
    whole = at_hand()[0]
    moved = np.abs(X - whole) / np.ptp(whole, axis=0)
    assert moved.max() <= 0.1
    assert (moved.max(axis=0) > 0.09).all()


def test_the_same_samples_come_with_noise_or_without_and_features_are_subsets():
    few, y = varied(n_samples=20)
    noisy, same = varied(n_samples=20, noise=1e-9)
    assert y.tolist() == same.tolist()
    np.testing.assert_allclose(noisy, few, atol=1e-6)
    narrow, _ = varied(n_samples=20, n_features=2)
    kept = [j for j in range(5) if any((few[:, j] == col).all() for col in narrow.T)]
    assert len(kept) == 2


def test_a_frame_stays_a_frame_and_text_has_no_noise():
    pandas = pytest.importorskip("pandas")
    X, y = at_hand()
    frame = pandas.DataFrame(X, columns=list("vwxyz")).assign(word="w")
    source = Variations(sources={"d": (frame, y)})
    found, labels = source(random_state=0, n_samples=30, noise=0.2)
    assert list(found.columns) == [*"vwxyz", "word"]
    assert set(found["word"]) == {"w"}
    assert len(found) == len(labels) == 30


def test_numbers_are_drawn_without_classes():
    X, _ = at_hand()
    task = METRICS["root_mean_squared_error"].task
    source = Variations(sources={"d": (X, X[:, 0])}, task=task)
    found, y = source(random_state=0, n_samples=12)
    assert found[:, 0].tolist() == y.tolist()
    assert y.size == 12
    with pytest.raises(UsageError, match="these targets are numbers"):
        source(random_state=0, imbalance=0.5)


@pytest.mark.parametrize(
    ("factors", "message", "error"),
    [
        ({"n_samples": 101}, "d has 100 samples", InsufficientDataError),
        ({"n_samples": 3}, "from 4 to 100 can be drawn", InsufficientDataError),
        ({"n_samples": 2.5}, "whole number", UsageError),
        ({"n_features": 0}, "d has 5 features, from 1 to 5", InsufficientDataError),
        ({"noise": 2}, "share from 0 to 1", UsageError),
        ({"noise": "much"}, "share from 0 to 1", UsageError),
        ({"imbalance": 1}, "below 1", UsageError),
        ({"imbalance": 0.0, "n_samples": 60}, "30 at most", InsufficientDataError),
    ],
)
def test_what_cannot_be_made_is_refused(factors, message, error):
    with pytest.raises(error, match=message):
        varied(**factors)


def test_draws_from_the_same_samples_do_not_make_one_surer():
    draws = [
        scored(x, 2000, low=x - 0.1, high=x + 0.1, folds=(x,) * 3)
        for x in (0.70, 0.71, 0.69, 0.70)
    ]
    apart = estimated(draws)
    together = estimated(draws, shares_samples=True)
    assert apart.high - apart.low < 0.05
    assert together.high - together.low == pytest.approx(0.2)
    assert together.estimate == pytest.approx(0.7)
    assert len(together.datasets) == 1  # so that pairs are tested as splits of one
    assert len(together.folds) == 12


def test_data_at_hand_vary_in_one_call_and_share_their_error():
    X, y = at_hand((40, 40))
    X[:, 0] += 3 * (y == "a")
    factors = {"n_samples": [20, 60], "n_features": [2, 5]}
    found = assess_settings("naive-bayes", {"d": (X, y)}, factors, cv=4, n_datasets=2)
    shapes = {(20, 2), (20, 5), (60, 2), (60, 5)}
    assert {tuple(r.factors.values()) for r in found.estimates} == shapes
    assert {(r.n_samples, r.n_features) for r in found.estimates} == shapes
    assert {r.data for r in found.estimates} == {0}
    pooled = found.interval("naive-bayes", "pooled")
    single = min(r.high - r.low for r in found.estimates)
    assert pooled.high - pooled.low > 0.8 * single  # nothing is gained by drawing again
    new = found.interval("naive-bayes", "new-setting")
    assert new.low <= pooled.low + 1e-12
    assert new.high >= pooled.high - 1e-12


# How it is shown -------------------------------------------------------------------


@pytest.fixture(scope="module")
def crossed():
    """Two models over three factors, the metric the last of them."""

    def noisy(noise, imbalance, random_state):
        rng = np.random.default_rng(random_state)
        y = (np.arange(60) % 10 < 5 - 2 * imbalance).astype(int)
        return rng.normal(size=(60, 3)) * (1 + noise) + y[:, None], y

    factors = {"noise": [0, 0.2], "imbalance": [0, 0.6], "scoring": ["auc", "mcc"]}
    return assess_settings(
        ["naive-bayes", "nearest-centroid"], noisy, factors, cv="kfold5"
    )


def test_how_it_is_shown(answer, crossed):
    assert_snapshot("settings", sc.render(answer))
    assert_snapshot("settings_page", page_text(sc.render(answer, "html")))
    text = sc.render(crossed)
    assert max(map(len, text.splitlines())) <= 88
    for noise in ("0", "0.2"):
        for imbalance in ("0", "0.6"):  # by model and metric
            assert text.count(f"noise {noise}, imbalance {imbalance}  ") == 4
    for title in ("AUC", "Matthews' correlation"):
        assert f"\n{title}   " in text  # above its settings
        assert f"{title}: n" in text


def test_labels_leave_out_what_is_the_same_in_all():
    data = {f"microarray_{k}": make(gap) for k, gap in (("colon", 0), ("blood", 5))}
    found = assess_settings(
        "naive-bayes",
        data,
        {"n_features": [2], "scoring": ["accuracy", "mcc"], "cv": ["5", "loo"]},
        design="one-at-a-time",
    )
    text = sc.render(found)
    for label in ("colon, cv 5", "colon, loo", "blood, cv 5"):
        assert f" {label} " in text
    assert "microarray" not in text
    assert "n_features 2" not in text
    assert "group 1: blood" in text
    held = "data microarray_colon, n_features 2, scoring accuracy, cv 5"
    assert f"the others held at {held}." in sc.render(found, "markdown").replace(
        "\\", ""
    )


def test_several_pairs_of_models_say_that_they_are_not_corrected(answer):
    assert "not corrected" not in sc.render(answer)
    models = {"a": "naive-bayes", "b": "nearest-centroid", "c": GUESS}
    three = assess_settings(models, make, {"gap": [1.0, 2.0]}, cv=3)
    text = " ".join(sc.render(three).split())
    assert "not corrected for 3 pairs of models" in text


def test_one_setting_is_not_plural():
    found = assess_settings(BOTH, make, {"gap": [9.0]}, cv=5)
    assert found.summary().startswith("Accuracy in one setting: nb ")
    assert "1 settings" not in sc.render(found)


def test_groups_without_a_mark_of_their_own_are_mixed(answer):
    groups = tuple(replace(group, factors={}) for group in answer.groups)
    text = sc.render(replace(answer, groups=groups))
    assert "group 1: mixed, 2 settings" in text
    # The only group of a model is not mixed with anything.
    assert "group 1: 4 settings" in text


def test_axis_and_numbers_have_one_unit(answer, crossed):
    pytest.importorskip("matplotlib", reason="needs the extra [plot]")
    axes = sc.plot(answer)
    assert axes.get_xlabel() == "accuracy, %"
    marks = [float(x.get_text()) for x in axes.get_xticklabels()]
    assert np.allclose(marks, 100 * axes.get_xticks())
    assert sc.plot(crossed).get_xlabel() == "AUC"


# What is collected beside estimates -------------------------------------------------

NO_SCORES = DatasetScores(folds=(), test_ratio=0.1, n_samples=0, n_features=0)
FEW = NullTests(n_permutations=19, n_null_data=5)
ALL = ("null", "bias_variance", "recall")


@pytest.fixture(scope="module")
def collected():
    """A guess and a model that sees, where there is something to see and nothing."""
    return assess_settings(
        BOTH, make, {"gap": [0.0, 3.0]}, cv=4, collect=ALL, tests=FEW, random_state=1
    )


def test_what_is_collected_is_what_assess_finds(collected):
    """Every part another way: recalls by hand, sums of parts, tests of assess."""
    for row in collected.estimates:
        parts = row.bias_variance["kohavi-wolpert"]
        assert parts.bias + parts.variance == pytest.approx(parts.error)
        shares = [one.estimate for one in row.per_class.values()]
        assert np.mean(shares) == pytest.approx(row.estimate)  # classes of one size
        for one in row.per_class.values():
            low, high = wilson(one.estimate * 20, 20, 0.95)
            assert (one.low, one.high) == pytest.approx((low, high))
    easy = next(r for r in collected.estimates if r.model == "nb" and r.factors["gap"])
    X, y = make(3.0)
    other = sc.assess("naive-bayes", X, y, cv=4, tests=FEW).models["naive-bayes"]
    assert set(easy.null_tests) == {*other.null_tests.tests, "density"}
    assert easy.null_tests["permuted"].p_value == pytest.approx(0.05, abs=0.01)
    assert easy.null_tests["majority"].p_value < 0.01


def test_what_is_collected_tells_easy_from_hopeless(collected):
    p = {
        (r.model, r.factors["gap"]): r.null_tests["permuted"].p_value
        for r in collected.estimates
    }
    assert p["nb", 3.0] < 0.06 < p["nb", 0.0]
    assert p["guess", 3.0] > 0.06  # a model that looks at nothing is never better


def test_collecting_changes_no_estimate(collected):
    plain = assess_settings(BOTH, make, {"gap": [0.0, 3.0]}, cv=4, random_state=1)
    assert [r.datasets for r in plain.estimates] == [
        r.datasets for r in collected.estimates
    ]
    assert plain.intervals == collected.intervals
    assert not any(r.null_tests or r.per_class for r in plain.estimates)


def test_one_thing_alone_is_the_same_as_with_others(collected):
    call = {"cv": 4, "random_state": 1, "collect": "bias-variance"}
    alone = assess_settings(BOTH, make, {"gap": [0.0, 3.0]}, **call)
    assert alone.collect == ("bias_variance",)
    assert [r.bias_variance for r in alone.estimates] == [
        r.bias_variance for r in collected.estimates
    ]


def test_data_sets_are_put_together():
    call = {"cv": 4, "collect": ALL, "tests": FEW, "n_datasets": 3}
    (row,) = assess_settings("naive-bayes", make, {"gap": [1.0]}, **call).estimates
    test, parts = row.null_tests["permuted"], row.bias_variance["domingos"]
    assert test.least < test.p_value < test.greatest
    assert (test.n_datasets, parts.n_datasets) == (3, 3)
    assert parts.bias_stderr > 0
    one = row.per_class["0"]
    assert one.low < one.estimate < one.high
    # Of three data sets no surer than their 60 samples of the class together.
    low, high = wilson(one.estimate * 60, 60, 0.95)
    assert one.high - one.low >= high - low - 1e-12


def test_what_is_collected_comes_back_and_is_shown(collected):
    data = json.loads(json.dumps(collected.to_dict(), allow_nan=False))
    again = result_from_dict(data)
    assert sc.render(again) == sc.render(collected)
    text, page = sc.render(collected), sc.render(collected, "html")
    for said in ("p against", "bias and variance", "class by class"):
        assert said in text
    titles = ("p-values against chance", "Bias and variance by setting")
    for title in (*titles, "Sensitivity by setting"):
        assert title in page
    columns = collected.to_columns()
    wanted = {"p_permuted", "p_null-data", "bias_domingos", "recall_0"}
    assert wanted <= set(columns)
    assert len(columns["p_permuted"]) == len(columns["model"])


def test_numbers_have_parts_but_no_classes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    call = {"cv": 4, "collect": ("null", "bias_variance"), "tests": FEW}
    found = assess_settings("ridge", {"d": (X, X[:, 0])}, {"noise": [0, 0.5]}, **call)
    assert all(r.null_tests["permuted"].p_value <= 0.05 for r in found.estimates)
    assert set(found.estimates[0].bias_variance) == {"squared"}
    assert "squared error" in sc.render(found, "html")


@pytest.mark.parametrize(
    ("model", "options", "said"),
    [
        ("naive-bayes", {"collect": ("nul",)}, "Try 'null'"),
        ("naive-bayes", {"collect": "recall", "tests": FEW}, "Collect 'null'"),
        ("naive-bayes", {"collect": "null", "tests": 20}, "NullTests"),
        ("ridge", {"collect": "recall"}, "predict numbers"),
        (
            "naive-bayes",
            {"collect": "null", "tests": NullTests(n_permutations=1)},
            "single draw",
        ),
    ],
)
def test_what_cannot_be_collected_is_refused(model, options, said):
    def untouched(gap, random_state):
        pytest.fail("data were made")

    with pytest.raises(UsageError, match=said):
        assess_settings(model, untouched, {"gap": [1]}, **options)


def test_what_could_not_be_collected_is_noted():
    models = {"few": "sklearn.svm:SVC()"}
    found = assess_settings(
        models, make, {"gap": [3.0]}, cv=3, scoring="roc_auc", collect="null", tests=FEW
    )
    assert found.estimates[0].null_tests
    row = replace(found.estimates[0], null_tests={})
    (note,) = _not_collected((row,), ("null",), [[{"few": NO_SCORES}]])
    assert (note.code, note.count) == (SettingsNote.NOT_COLLECTED, 1)
    text = sc.render(replace(found, estimates=(row,), notes=(note,)))
    assert "No p-values against chance in 1 of 1" in text
