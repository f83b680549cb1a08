"""The model of times: its contract, its densities, what it refuses."""

import itertools
import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy import integrate, stats
from sklearn.base import clone

import scorecast as sc
from scorecast.exceptions import (
    DataWarning,
    InsufficientDataError,
    InvalidInputError,
    NotConvergedError,
    UsageError,
)
from scorecast.mixtures import Sampling
from scorecast.survival import SAMPLING
from scorecast.survival.data import check_survival

pytestmark = pytest.mark.filterwarnings("ignore:the simulation did not converge")


@pytest.fixture
def fitted(cohort, short):
    """Return a small fitted model and its covariates."""

    def make(**changes):
        X, time, event = cohort()
        settings = {"sampling": short, "allow_unconverged": True} | changes
        return sc.SurvivalModel(**settings).fit(X, time, event), X

    return make


def test_it_predicts_who_waits_longer(fitted):
    model, _ = fitted()
    survival = model.predict_survival_function([[1.0, 0.0], [-1.0, 0.0]], [2.7])
    assert survival[0, 0] < 0.25 < 0.75 < survival[1, 0]
    assert model.thinning_ == 10
    assert model.n_features_in_ == 2


def test_a_fit_goes_on_until_its_chains_agree(cohort):
    """Four times would be 76 sweeps; 200 effective draws cannot come of them."""
    tiny = replace(SAMPLING, n_chains=2, n_warmup=5, n_draws=10, n_kept=4)
    model = sc.SurvivalModel(sampling=tiny).fit(None, *cohort(n=40)[1:])
    assert model.diagnostics_.passed
    assert sum(model.posterior_.n_components.shape) > 15 * 1.5**4
    with pytest.raises(NotConvergedError, match="too few effective draws"):
        sc.SurvivalModel(sampling=replace(tiny, max_seconds=0)).fit(
            None, *cohort(n=40)[1:]
        )


def test_densities_integrate_to_one_and_survival_is_their_integral(fitted):
    model, X = fitted()
    for row in (X[:1], [[0.3, np.nan]]):

        def density(t, row=row):
            return model.predict_density(row, [t])[0, 0]

        middle = float(model.predict_median(row)[0])
        ends = [0.0, middle / 3, middle, 3 * middle, 1000 * middle]
        parts = [
            integrate.quad(density, a, b, limit=200)[0]
            for a, b in itertools.pairwise(ends)
        ]
        assert sum(parts) == pytest.approx(1.0, abs=1e-5)
        survival = model.predict_survival_function(row, [middle])[0, 0]
        assert survival == pytest.approx(0.5, abs=1e-6)
        assert sum(parts[2:]) == pytest.approx(survival, abs=1e-5)


def test_quantiles_draws_and_logs_agree(fitted):
    model, X = fitted()
    q = model.predict_quantile(X[:3], [0.1, 0.9])
    survival = model.predict_survival_function(X[:3], q)
    np.testing.assert_allclose(survival, [[0.9, 0.1]] * 3, atol=1e-6)
    density, tail = model.predict_log(X[:3], q)
    np.testing.assert_allclose(np.exp(density), model.predict_density(X[:3], q))
    np.testing.assert_allclose(np.exp(tail), survival)
    drawn = model.sample(X[:3], 4000, random_state=0)
    share = (drawn <= q[:, :1]).mean(axis=1)
    np.testing.assert_allclose(share, 0.1, atol=0.025)
    low, high = model.predict_survival_interval(X[:3], q)
    assert ((low <= survival) & (survival <= high)).all()


def test_at_time_zero_everybody_waits(fitted):
    model, X = fitted()
    alone = model.predict_survival_function(X[:2], [2.0])
    survival = model.predict_survival_function(X[:2], [0.0, 2.0])
    np.testing.assert_array_equal(survival, np.column_stack([np.ones(2), alone]))
    low, high = model.predict_survival_interval(X[:2], [0.0])
    assert (low == 1.0).all()
    assert (high == 1.0).all()
    with pytest.raises(InvalidInputError, match="survival at time 0 is 1"):
        model.predict_density(X[:2], [0.0])


@pytest.mark.parametrize(
    ("times", "words"),
    [
        (["a"], r"must be numbers.*\['a'\]"),
        ([[1.0], [2.0, 3.0]], "must be numbers"),
        (2.0, r"got \(\)"),
        (np.ones((3, 1)), r"each of 2 samples; got \(3, 1\)"),
        ([-1.0], r"(above|not be below) zero; got -1"),
        ([np.nan], r"(above|not be below) zero; got nan"),
        ([np.inf], "finite"),
    ],
)
def test_times_that_make_no_sense_are_refused(fitted, times, words):
    model, X = fitted()
    for ask in (
        model.predict_density,
        model.predict_survival_function,
        model.predict_log,
    ):
        with pytest.raises(InvalidInputError, match=words):
            ask(X[:2], times)
    with pytest.raises(UsageError, match="between 0 and 1"):
        model.predict_quantile(X[:2], ["a"])


def test_events_may_be_yes_and_no(cohort, short):
    X, time, event = cohort(n=40)
    model = sc.SurvivalModel(sampling=short, allow_unconverged=True)
    plain = model.fit(X, time, event).predict_median(X[:3])
    for yes, no in (("yes", "no"), ("True ", "FALSE"), ("1", "0")):
        words = np.where(event, yes, no)
        for given in (words, words.astype(object)):
            np.testing.assert_array_equal(
                model.fit(X, time, given).predict_median(X[:3]), plain
            )
    with pytest.raises(
        InvalidInputError,
        match="yes and no; got 'dead'",
    ):
        model.fit(X, time, ["dead"] * 40)


def test_a_missing_covariate_widens_the_prediction(fitted):
    model, X = fitted()
    middle = X.mean(axis=0)
    known = model.predict_quantile([middle], [0.05, 0.95])
    unknown = model.predict_quantile([[np.nan, middle[1]]], [0.05, 0.95])
    # The covariate carries .8 of a spread of .94: unknown, it comes back.
    assert np.ptp(np.log(unknown)) > 1.4 * np.ptp(np.log(known))


def test_the_band_holds_the_share_of_draws_it_says(fitted):
    model, X = fitted()
    at = np.array([2.0, 3.0])
    others, times = model._asked(X[:1], at)
    tails = model._conditional.tails_by_draw(
        others[0], model.scaling_.log_times(times)[0]
    )
    for level in (0.5, 0.9):
        low, high = model.predict_survival_interval(X[:1], at, confidence_level=level)
        inside = ((tails >= low) & (tails <= high)).mean(axis=0)
        np.testing.assert_allclose(inside, level, atol=0.1)  # of twenty draws


def test_shifts_and_scales_of_covariates_do_not_matter(fitted, cohort, short):
    model, _ = fitted()
    X, time, event = cohort()
    far = sc.SurvivalModel(sampling=short, allow_unconverged=True)
    far.fit(X * 1e200 + 3e200, 1e-9 * time, event)
    near = model.predict_quantile(X[:4], [0.5])
    moved = far.predict_quantile(X[:4] * 1e200 + 3e200, [0.5])
    np.testing.assert_allclose(moved, 1e-9 * near, rtol=1e-6)


def test_the_same_draws_for_any_number_of_workers_and_as_an_estimator(fitted):
    one, X = fitted(n_jobs=1)
    two, _ = fitted(n_jobs=2)
    np.testing.assert_array_equal(one.predict_median(X), two.predict_median(X))
    again = clone(one)
    assert again.get_params() == one.get_params()
    assert not hasattr(again, "posterior_")


def test_without_censoring_and_noise_it_is_the_linear_regression(cohort):
    # One component, almost normal, much data: mean and spread of the regression.
    X, time, event = cohort(n=400, censored=0.0, seed=1)
    sampling = Sampling(n_chains=1, n_warmup=150, n_draws=150, n_kept=50,
                        n_extensions=0, starts=(1,), n_jumps=0)  # fmt: skip
    model = sc.SurvivalModel(
        sampling=sampling, noise_sd=1e-3, allow_unconverged=True,
        hyperparameters={"tail_b": 2000.0, "skew_spread": 1e-4, "growth": 1e-6},
    ).fit(X, time, event)  # fmt: skip
    design = np.column_stack([np.ones(400), X])
    slopes, rest, *_ = np.linalg.lstsq(design, np.log(time), rcond=None)
    new = np.array([[0.5, -0.2], [-1.5, 1.0]])
    exact = slopes[0] + new @ slopes[1:]
    spread = np.sqrt(rest[0] / 397)
    found = np.log(model.predict_quantile(new, stats.norm.cdf([-1.0, 0.0, 1.0])))
    np.testing.assert_allclose(found[:, 1], exact, atol=0.03)
    np.testing.assert_allclose(found[:, 2] - found[:, 0], 2 * spread, rtol=0.05)


def test_missing_covariates_are_welcome(cohort, short):
    X, time, event = cohort()
    X[::3, 1] = np.nan
    model = sc.SurvivalModel(sampling=short, allow_unconverged=True)
    model.fit(X, time, event)
    assert np.isfinite(model.predict_median(X)).all()


def test_data_frames_keep_their_names(cohort, short):
    pd = pytest.importorskip("pandas")
    X, time, event = cohort()
    frame = pd.DataFrame(X, columns=["psa", "age"])
    model = sc.SurvivalModel(sampling=short, allow_unconverged=True)
    model.fit(frame, time, event)
    assert model.feature_names_in_.tolist() == ["psa", "age"]
    with pytest.raises(InvalidInputError, match=r"another order.*'psa', 'age'"):
        model.predict_median(frame[["age", "psa"]])


def test_all_censored_is_said_to_be_the_prior(cohort, short):
    X, time, event = cohort(n=40)
    model = sc.SurvivalModel(sampling=short, allow_unconverged=True)
    with pytest.warns(DataWarning, match="little more than the prior"):
        model.fit(X, time, np.zeros_like(event))
    waits = model.predict_median(X)
    assert np.median(waits) > np.median(time)  # nobody was seen to stop waiting
    with pytest.warns(DataWarning, match="lean on the prior"):
        model.fit(X, time, np.arange(40) < 3)


def test_chains_that_disagree_are_refused(cohort):
    X, time, event = cohort(n=40)
    tiny = Sampling(n_chains=2, n_warmup=0, n_draws=10, n_kept=2, n_extensions=0)
    with pytest.raises(NotConvergedError, match="allow_unconverged"):
        sc.SurvivalModel(sampling=tiny).fit(X, time, event)


def bad_inputs():
    """Name, error, words, and what to change."""
    ok = np.random.default_rng(0).normal(size=(20, 2))
    time, event = np.linspace(1, 5, 20), np.arange(20) % 2
    word = np.column_stack([ok[:, 0].astype(object), ["a", "b"] * 10])
    none = time.copy()
    none[3] = 0.0
    unknown = time.copy()
    unknown[5] = np.nan
    infinite = ok.copy()
    infinite[2, 1] = np.inf
    copied = np.column_stack([ok, 3 * ok[:, 0] - 1])
    yield (
        "zero time",
        InvalidInputError,
        "row 4: times must be above zero",
        ok,
        none,
        event,
    )
    yield (
        "NaN time",
        InvalidInputError,
        "row 6: the time is missing",
        ok,
        unknown,
        event,
    )
    yield "odd event", InvalidInputError, "row 2: must be 1", ok, time, event * 2
    yield "lengths", InvalidInputError, "20 rows", ok, time[:9], event[:9]
    yield "events", InvalidInputError, "19 events", ok, time, event[:19]
    yield "words", InvalidInputError, "one column of 0 and 1", word, time, event
    yield "infinite", InvalidInputError, "row 3: it is infinite", infinite, time, event
    yield (
        "copies",
        InvalidInputError,
        "'3': it says the same as '1'",
        copied,
        time,
        event,
    )
    yield "constant", InvalidInputError, "in every row", 0 * ok + 2, time, event
    yield "missing", InvalidInputError, "missing in every", ok * np.nan, time, event
    yield (
        "flat times",
        InsufficientDataError,
        "all times are 1",
        ok,
        0 * time + 1,
        event,
    )
    # Their mean is rounded, and leaves a spread of 1e-17.
    yield (
        "equal times",
        InsufficientDataError,
        "all times are 0.3",
        ok,
        0 * time + 0.3,
        event,
    )
    yield "one case", InsufficientDataError, "two samples", ok[:1], time[:1], event[:1]
    yield "vector", InvalidInputError, "two dimensions", ok[:, 0], time, event


@pytest.mark.parametrize(
    ("error", "words", "X", "time", "event"),
    [pytest.param(*rest, id=name) for name, *rest in bad_inputs()],
)
def test_bad_input_is_refused_in_one_line(error, words, X, time, event):
    with pytest.raises(error, match=words) as raised:
        sc.SurvivalModel().fit(X, time, event)
    assert "\n" not in str(raised.value)


def test_more_covariates_than_cases_get_a_ridge(short):
    rng = np.random.default_rng(0)
    X, time = rng.normal(size=(10, 12)), rng.uniform(1, 5, size=10)
    model = sc.SurvivalModel(sampling=short, allow_unconverged=True)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        model.fit(X, time, np.ones(10))
    said = " ".join(str(w.message) for w in found)
    assert "12 covariates but 10 samples" in said
    assert "singular: 0.05 was added" in said
    assert model.scaling_.ridge == 0.05
    assert np.isfinite(model.predict_median(X)).all()


def test_bad_settings_are_refused(fitted, cohort):
    model, X = fitted()
    for change in ({"moments": "mean"}, {"noise_sd": [0.1, 0.1]}, {"noise_sd": 0.0},
                   {"hyperparameters": {"nonsense": 1}}, {"n_jobs": 0}):  # fmt: skip
        with pytest.raises(UsageError):
            sc.SurvivalModel(**change).fit(*cohort(n=40))
    with pytest.raises(InvalidInputError, match="3 covariates"):
        model.predict_median(np.ones((2, 3)))
    with pytest.raises(InvalidInputError, match="above zero"):
        model.predict_density(X[:2], [0.0])
    with pytest.raises(UsageError, match="between 0 and 1"):
        model.predict_quantile(X[:2], [1.0])
    with pytest.raises(UsageError, match="whole number"):
        model.sample(X[:2], 0)


@pytest.mark.statistical
@pytest.mark.parametrize("censored", [0.0, 0.5, 0.9])
def test_intervals_of_new_times_hold_as_often_as_they_say(censored, cohort):
    sampling = Sampling(n_chains=2, n_warmup=300, n_draws=300, n_kept=60,
                        n_extensions=0, starts=(1, 2))  # fmt: skip
    held = []
    for seed in range(8):
        X, time, event = cohort(n=300, censored=censored, seed=seed)
        model = sc.SurvivalModel(sampling=sampling, allow_unconverged=True)
        model.fit(X, time, event)
        new, later, _ = cohort(n=300, censored=0.0, seed=100 + seed)
        q = model.predict_quantile(new, [0.05, 0.95])
        held.append(np.mean((later > q[:, 0]) & (later < q[:, 1])))
    assert 0.85 <= np.mean(held) <= 0.95, held


def test_a_covariate_beyond_all_measure_is_refused(fitted):
    model, X = fitted()
    X[0, 0] = 1e200
    with pytest.raises(InvalidInputError, match="standard deviations"):
        model.predict_survival_function(X[:1], [1.0])
    X[0, 0] = 1e90
    survival = model.predict_survival_function(X[:1], [1.0])
    assert ((survival > 0) & (survival < 1)).all()


def categories():
    """Name, words, and a column that is no number."""
    pd = pytest.importorskip("pandas")
    turns = np.arange(20) % 3
    encode = "one column of 0 and 1 for each of its values but one"
    yield "codes", encode, pd.Series(pd.Categorical(turns))
    yield "digits", encode, pd.Series([str(i) for i in turns], dtype=object)
    yield "strings", encode, pd.Series([str(i) for i in turns], dtype="string")
    yield "words with gaps", encode, pd.Series(["u", None] * 10, dtype=object)
    yield "dates", "dates or durations", pd.Series(pd.date_range("2020", periods=20))
    yield "complex", "complex", pd.Series(turns + 1j)


def test_categories_and_dates_are_refused_with_the_way_to_encode():
    pd = pytest.importorskip("pandas")
    time, event = np.linspace(1, 5, 20), np.arange(20) % 2
    for name, words, column in categories():
        frame = pd.DataFrame({"age": np.arange(20.0), "kind": column})
        with pytest.raises(InvalidInputError, match=words) as raised:
            check_survival(frame, time, event)
        assert "'kind'" in str(raised.value), name
    with pytest.raises(InvalidInputError, match="holds words"):
        check_survival([["1"], ["2"]] * 10, time, event)


def test_missing_values_of_pandas_are_missing():
    pd = pytest.importorskip("pandas")
    whole = pd.array([1, 2, None, 4] * 5, dtype="Int64")
    loose = pd.Series([1.5, None, 3, 4] * 5, dtype=object)
    frame = pd.DataFrame({"a": whole, "b": loose, "c": np.arange(20) % 3 == 0})
    found = check_survival(frame, np.linspace(1, 5, 20), np.arange(20) % 2).X
    assert np.isnan(found).sum(axis=0).tolist() == [5, 5, 0]
    assert found[3].tolist() == [4.0, 4.0, 1.0]


def drawn_from_the_model(n, censored, seed):
    """Two skew-Student components seen through Student noise (B.2, m = 8 and 5)."""
    rng = np.random.default_rng(seed)
    part = rng.choice(2, size=n, p=[0.65, 0.35])
    centre = np.array([[1.0, 0.0], [2.2, -1.2]])[part]
    skew = np.array([[0.3, -0.1], [-0.2, 0.2]])[part]
    root = np.linalg.cholesky([[0.5, -0.3], [-0.3, 0.6]])
    alpha = rng.gamma(8.0, 1 / 8.0, size=(n, 1))
    true = centre + (skew + rng.normal(size=(n, 2)) @ root.T) / np.sqrt(alpha)
    scale = rng.gamma(5.0, 1 / 5.0, size=(n, 1))
    log_time, marker = (true + 0.1 * rng.normal(size=(n, 2)) / np.sqrt(scale)).T
    limit = np.full(n, np.inf)
    if censored:
        middle = np.quantile(log_time, 1 - censored)
        limit = rng.normal(middle, 0.2, size=n)
    return marker[:, None], np.exp(np.minimum(log_time, limit)), log_time <= limit


@pytest.mark.statistical
@pytest.mark.parametrize("censored", [0.0, 0.5, 0.9])
def test_intervals_hold_for_cases_drawn_from_the_model_itself(censored):
    sampling = Sampling(n_chains=2, n_warmup=300, n_draws=300, n_kept=60,
                        n_extensions=0, starts=(1, 2))  # fmt: skip
    held = []
    for seed in range(6):
        X, time, event = drawn_from_the_model(400, censored, seed)
        model = sc.SurvivalModel(
            sampling=sampling, allow_unconverged=True, hyperparameters={"growth": 0.5}
        ).fit(X, time, event)
        new, later, _ = drawn_from_the_model(400, 0.0, 100 + seed)
        q = model.predict_quantile(new, [0.05, 0.95])
        held.append(np.mean((later > q[:, 0]) & (later < q[:, 1])))
    assert 0.85 <= np.mean(held) <= 0.95, held


def test_some_of_the_draws_give_nearly_the_same_quantiles(fitted):
    model, X = fitted()
    rough = model.thinned(2)
    assert len(rough.posterior_.kept) == len(model.posterior_.kept) == 20
    assert rough._conditional.n_draws == 10
    assert model._conditional.n_draws == 20
    shares = [0.1, 0.5, 0.9]
    said, told = (m.predict_quantile(X[:6], shares) for m in (rough, model))
    ratio = said / told
    assert np.abs(np.log(ratio)).max() < 0.5
    assert (ratio != 1.0).any()
    assert model.thinned(10**6)._conditional.n_draws == 10  # and not one
