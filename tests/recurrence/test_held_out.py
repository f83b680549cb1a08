"""What is done fold by fold, checked by hand with a model that needs no chains."""

import sys
import warnings
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import scorecast as sc
from scorecast.exceptions import (
    InsufficientDataError,
    InvalidInputError,
    MissingExtraError,
    UsageError,
)
from scorecast.mixtures import Check
from scorecast.recurrence import curves_of, median_time, recurrence_of
from scorecast.recurrence.cohort import check_cohort
from scorecast.recurrence.columns import narrowed, usable_columns
from scorecast.recurrence.location_scale import fit_accelerated

HALVES = np.arange(40) % 2


def evaluated(model, X, time, event, **settings):
    """Evaluate and return the answer with all that was said."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = sc.evaluate_recurrence(model, X, time, event, **settings)
    return found, [str(w.message) for w in caught]


def test_a_covariate_that_says_nothing_in_a_fold_is_left_out_there(cohort, stub):
    pd = pytest.importorskip("pandas")
    X, time, event = cohort(n=40)
    frame = pd.DataFrame(X, columns=["psa", "age"])
    frame["rare"] = (np.arange(40) == 7) * 1.0  # in fold 1
    frame["binary"] = (X[:, 0] > 0) * 1.0
    frame["other"] = frame["binary"].where(np.arange(40) != 4, 1 - frame["binary"])
    frame["scarce"] = np.where(np.isin(np.arange(40), [3, 8]), X[:, 1], np.nan)
    found, said = evaluated(stub(), frame, time, event, folds=HALVES)
    shapes = [fit[0].shape[1] for fit in stub.fits]
    assert shapes == [4, 4]  # not psa, age, binary and one more
    assert found.notes == (
        "Covariate 'rare' was left out of 1 of 2 folds: it does not vary among the "
        "other cases.",
        "Covariate 'other' was left out of 1 of 2 folds: it says the same as another "
        "covariate there.",
        "Covariate 'scarce' was left out of 2 of 2 folds: it does not vary among the "
        "other cases.",
    )
    assert [line for line in said if "left out" in line] == list(found.notes)
    assert set(found.notes) <= set(found.warnings)


def test_rivals_do_without_the_same_covariates(cohort, stub):
    pytest.importorskip("lifelines")
    X, time, event = cohort(n=40)
    rare = np.column_stack([X, np.arange(40) == 7])
    settings = {"folds": HALVES, "rivals": ["lognormal"]}
    found, _ = evaluated(stub(), rare, time, event, **settings)
    without, _ = evaluated(stub(), X, time, event, **settings)
    odd = HALVES == 1  # predicted from a fold where nobody has it
    np.testing.assert_allclose(
        found.log_q_of("lognormal")[odd], without.log_q_of("lognormal")[odd]
    )
    assert (found.log_q_of("lognormal") != without.log_q_of("lognormal"))[~odd].any()


def test_settings_follow_the_covariates_that_are_left(stub):
    square = np.arange(9.0).reshape(3, 3)
    given = {"centre": np.arange(3.0), "growth": 0.2, "scale_rate": square}
    model = stub(noise_sd=[0.1, 0.2, 0.3], hyperparameters=given)
    found = narrowed(model, [1], 2)
    assert found.noise_sd.tolist() == [0.1, 0.3]
    assert found.hyperparameters["centre"].tolist() == [0.0, 2.0]
    assert found.hyperparameters["scale_rate"].tolist() == [[0.0, 2.0], [6.0, 8.0]]
    assert found.hyperparameters["growth"] == 0.2
    assert narrowed(stub(), [1], 2).noise_sd == 0.1


def test_the_prior_of_the_model_alone_keeps_its_own_settings(cohort, stub):
    X, time, event = cohort(n=40)
    model = stub(noise_sd=[0.1, 0.2, 0.3], hyperparameters={"centre": np.zeros(3)})
    found, _ = evaluated(model, X, time, event, folds=HALVES, prior="model")
    alone = [fit for fit in stub.fits if fit[0].shape[1] == 0]
    assert len(alone) == 2
    assert alone[0][3]["noise_sd"].tolist() == [0.1]
    assert alone[0][3]["hyperparameters"]["centre"].shape == (1,)
    np.testing.assert_array_equal(found.j, 0.0)  # the stub does not look at them


def test_columns_that_overlap_in_a_few_cases_are_no_copies():
    rng = np.random.default_rng(0)
    a, b = np.full((2, 100), np.nan)
    a[:53], b[50:] = rng.integers(0, 2, 53), rng.integers(0, 2, 50)
    a[50:53] = b[50:53] = [0, 0, 1]
    time = rng.random(100) + 1
    assert check_cohort(np.column_stack([a, b]), time, np.ones(100)).n == 100
    b[40:53] = a[40:53]
    assert check_cohort(np.column_stack([a, b]), time, np.ones(100)).n == 100
    b[53:] = np.nan  # now it says nothing that the other does not
    with pytest.raises(InvalidInputError, match="say the same"):
        check_cohort(np.column_stack([a, b]), time, np.ones(100))
    few = np.arange(5.0)
    assert usable_columns(np.column_stack([few, 2 * few])).left_out == {1: "copy"}


def test_cases_to_show_do_without_them_too(cohort, stub):
    X, time, event = cohort(n=40)
    rare = np.column_stack([X, np.arange(40) == 7])
    found = curves_of(stub(), rare, time, event, [7, 20])
    assert [one.name for one in found] == ["case 8", "case 21"]
    assert stub.fits[0][0].shape == (38, 2)


def test_densities_are_drawn_where_they_are(cohort, stub, monkeypatch):
    # One case waits a thousandth of what the others do; most of its density must show.
    def quantile(self, X, shares):
        found = -self.scale_ * np.log1p(-np.atleast_1d(shares))
        return 10.0 ** (-3 * (X[:, :1] > 1)) * found

    def density(self, X, times):
        scale = self.scale_ * 10.0 ** (-3 * (X[:, :1] > 1))
        return np.exp(-np.asarray(times) / scale) / scale

    monkeypatch.setattr(stub, "predict_quantile", quantile)
    monkeypatch.setattr(stub, "predict_density", density)
    X, time, event = cohort(n=40)
    rows = [int(X[:, 0].argmax()), int(X[:, 0].argmin())]
    time[rows[1]] = 500.0  # far beyond anything predicted
    for one in curves_of(stub(), X, time, event, rows):
        at, drawn = np.array(one.times), np.array(one.density)
        assert np.trapezoid(drawn, at) > 0.96
        assert one.time in one.times
        assert at[0] < one.low
        assert at[-1] > one.high
        assert (np.diff(at) > 0).all()


def test_a_run_that_was_stopped_goes_on_from_its_checkpoint(
    cohort, stub, tmp_path, monkeypatch
):
    X, time, event = cohort(n=40)
    path = tmp_path / "folds.jsonl"
    settings = {"cv": 4, "repeats": 2, "random_state": 3, "prior": "weibull"}
    whole, _ = evaluated(stub(), X, time, event, **settings)
    stub.fits.clear()
    fit = stub.fit

    def stopped(self, X, time, event):
        if len(stub.fits) == 3:
            raise KeyboardInterrupt
        return fit(self, X, time, event)

    monkeypatch.setattr(stub, "fit", stopped)
    with pytest.raises(KeyboardInterrupt):
        evaluated(stub(), X, time, event, checkpoint=path, **settings)
    monkeypatch.setattr(stub, "fit", fit)
    path.write_text(path.read_text() + '{"part": "folds", "num')  # cut off
    stub.fits.clear()
    again, _ = evaluated(stub(n_jobs=2), X, time, event, checkpoint=path, **settings)
    assert len(stub.fits) == 5
    for name in ("model", "prior"):
        for part in ("log_known", "survival_then", "survival"):
            np.testing.assert_array_equal(
                getattr(again.predictions[name], part),
                getattr(whole.predictions[name], part),
            )
    assert again.diagnostics == whole.diagnostics


def test_the_seed_of_the_model_holds_unless_another_is_given(cohort, stub):
    X, time, event = cohort(n=40)
    folds = {}
    for name, model, own in (
        ("default", stub(), {}),
        ("zero", stub(), {"random_state": 0}),
        ("model", stub(random_state=5), {}),
        ("given", stub(random_state=7), {"random_state": 5}),
        ("fresh", stub(random_state=5), {"random_state": None}),
    ):
        found, _ = evaluated(model, X, time, event, cv=4, **own)
        folds[name] = found.folds.tolist(), found.seed
    assert folds["default"] == folds["zero"]
    assert folds["default"][0] != folds["model"][0]
    assert folds["model"] == folds["given"]
    assert folds["fresh"][1] is None
    assert folds["fresh"][0] != folds["model"][0]
    with pytest.raises(UsageError, match="random_state"):
        evaluated(stub(), X, time, event, cv=4, random_state="models")


def test_the_checkpoint_of_another_run_is_refused(cohort, stub, tmp_path):
    X, time, event = cohort(n=40)
    path = tmp_path / "folds.jsonl"
    settings = {"cv": 2, "checkpoint": path}
    evaluated(stub(), X, time, event, **settings)
    changes = ({"random_state": 1}, {"prior": "weibull"}, {"folds": HALVES})
    for change in changes:
        with pytest.raises(InvalidInputError, match="another run"):
            evaluated(stub(), X, time, event, **(settings | change))
    with pytest.raises(InvalidInputError, match="another run"):
        evaluated(stub(noise_sd=0.2), X, time, event, **settings)
    with pytest.raises(InvalidInputError, match="another run"):
        evaluated(stub(), X, 2 * time, event, **settings)


def test_what_cannot_end_well_is_refused_before_the_first_fit(
    cohort, stub, monkeypatch
):
    X, time, event = cohort(n=40)
    few = [part[:4] for part in (X, time, np.ones(40))]
    with pytest.raises(InsufficientDataError, match="4 cases are too few"):
        sc.evaluate_recurrence(stub(), *few, cv=2)
    with pytest.raises(InsufficientDataError, match="no event to learn from"):
        sc.evaluate_recurrence(stub(), X, time, HALVES == 1, folds=HALVES)
    flat = np.where(HALVES, time, 2.0)
    with pytest.raises(InsufficientDataError, match="one and the same time"):
        sc.evaluate_recurrence(stub(), X, flat, np.ones(40), folds=HALVES)
    monkeypatch.setitem(sys.modules, "lifelines", None)
    with pytest.raises(MissingExtraError, match="survival"):
        sc.evaluate_recurrence(stub(), X, time, event, rivals=["cox"])
    for rows in (range(40), [99], np.flatnonzero(event)):
        with pytest.raises(UsageError, match="names"):
            curves_of(stub(), X, time, event, rows)
    assert stub.fits == []


def test_the_cases_chosen_to_show_leave_an_event(cohort, stub):
    X, time, event = cohort(n=40)
    found, _ = evaluated(stub(), X, time, event, folds=HALVES)
    typical = found.typical_cases()
    assert len(typical) == 3
    rare = np.isin(np.arange(40), typical[:2])
    left = replace(found, event=rare).typical_cases()
    assert left == typical[2:]
    assert curves_of(stub(), X, time, rare, []) == ()


def test_what_the_fits_assumed_is_said_once(cohort, stub, monkeypatch):
    monkeypatch.setattr(stub, "ridge", 0.05)
    X, time, event = cohort(n=40)
    event = np.isin(np.arange(40), [1, 4, 9])
    found, said = evaluated(stub(), X, time, event, folds=HALVES)
    assert found.notes == (
        "The covariance of the covariates is singular in 2 of 2 fits: 0.05 was added "
        "to the diagonal of their correlations for the prior.",
        "Only 3 events were seen: predictions lean on the prior of the model.",
    )
    assert said == list(found.notes)
    assert found.diagnostics["ridge"] == 0.05
    assert found.diagnostics["thinning"] == 7


def test_an_unknown_rhat_is_the_worst(cohort, stub, monkeypatch):
    X, time, event = cohort(n=40)
    fit = stub.fit

    def without(self, X, time, event):
        fit(self, X, time, event)
        if len(stub.fits) == 2:
            self.diagnostics_ = replace(self.diagnostics_, rhat=np.nan)
        return self

    monkeypatch.setattr(stub, "fit", without)
    found, _ = evaluated(stub(), X, time, event, cv=3)
    assert np.isnan(found.diagnostics["rhat"])
    assert not found.diagnostics["passed"]
    assert "In 1 of 3 fits" in found.warnings[0]
    assert "worst R-hat not known" in found.warnings[0]


def test_settings_are_written_out(cohort, stub):
    X, time, event = cohort(n=40)
    model = stub(hyperparameters={"growth": 0.3}, noise_sd=0.2)
    found, _ = evaluated(model, X, time, event, cv=2)
    told = found.settings
    assert told["hyperparameters"]["growth"] == 0.3
    assert told["hyperparameters"]["tail_b"] == 20.0
    assert "centre" not in told["hyperparameters"]
    assert (told["chains"], told["draws"], told["noise"]) == (4, 1000, 0.2)
    assert (told["moments"], told["noise_shape"]) == ("censored", 5.0)


def expected(time, event, dealt):
    """Return log q and log p by hand: the stub and the exponential prior."""
    log_q, log_p = np.zeros((2, len(time)))
    for row in dealt:
        for k in np.unique(row):
            own = row == k
            scale = time[~own].mean()
            rate = event[~own].sum() / time[~own].sum()
            log_q[own] += -time[own] / scale - np.where(event[own], np.log(scale), 0.0)
            log_p[own] += -time[own] * rate + np.where(event[own], np.log(rate), 0.0)
    return log_q / len(dealt), log_p / len(dealt)


def test_every_case_gets_what_others_say_of_it(cohort, stub):
    X, time, event = cohort(n=40)
    found, _ = evaluated(stub(), X, time, event, cv=4, repeats=3)
    assert not (found.folds[0] == found.folds[1]).all()
    log_q, log_p = expected(time, event, found.folds)
    np.testing.assert_allclose(found.log_q, log_q, rtol=1e-12)
    np.testing.assert_allclose(found.log_p, log_p, rtol=1e-12)
    np.testing.assert_allclose(found.j, log_q - log_p, rtol=1e-9, atol=1e-12)
    # Survival is averaged over repeats, too.
    then = np.mean([
        np.exp(-time / [time[row != k].mean() for k in row]) for row in found.folds
    ], axis=0)  # fmt: skip
    np.testing.assert_allclose(found.predictions["model"].survival_then, then)


def test_folds_of_ones_own_are_those_used(cohort, stub):
    X, time, event = cohort(n=40)
    own = np.where(np.arange(40) < 13, "early", "late")
    found, _ = evaluated(stub(), X, time, event, folds=own)
    assert [len(fit[1]) for fit in stub.fits] == [27, 13]
    np.testing.assert_array_equal(stub.fits[0][1], time[13:])
    log_q, log_p = expected(time, event, [own])
    np.testing.assert_allclose(found.log_q, log_q, rtol=1e-12)
    np.testing.assert_allclose(found.log_p, log_p, rtol=1e-12)


def test_cases_to_show_are_not_learned_from(cohort, stub):
    X, time, event = cohort(n=40)
    shown = curves_of(stub(), X, time, event, [3, 11], level=0.6)
    (learned,) = stub.fits
    others = np.delete(np.arange(40), [3, 11])
    for seen, part in zip(learned, (X, time, event), strict=False):
        np.testing.assert_array_equal(seen, part[others])
    scale = time[others].mean()
    assert [one.time for one in shown] == time[[3, 11]].tolist()
    assert shown[0].median == pytest.approx(scale * np.log(2))
    assert shown[0].low == pytest.approx(-scale * np.log(0.8))
    assert shown[0].high == pytest.approx(-scale * np.log(0.2))
    assert shown[0].survival_low[0] == pytest.approx(0.4 * shown[0].survival[0])


@pytest.mark.parametrize(("units", "unit"), [("bits", np.log(2)), ("nats", 1.0)])
def test_the_table_of_rivals_is_in_the_units_of_the_answer(cohort, stub, units, unit):
    pytest.importorskip("lifelines")
    X, time, event = cohort(n=40)
    found, _ = evaluated(stub(), X, time, event, cv=2, rivals=["weibull"])
    told = SimpleNamespace(
        units=units, confidence_level=0.9, notes=(), is_converged=True
    )
    answer = recurrence_of(found, told)
    row = answer.comparison[-1]
    plain = (found.log_q_of("weibull") - found.log_p).mean()
    assert row.information == pytest.approx(plain / unit)
    assert row.brier == found.brier("weibull")
    assert answer.brier == found.brier("model")
    assert answer.prior_brier == found.brier("prior")
    assert len({row.brier, answer.brier, answer.prior_brier}) == 3


def test_one_rival_may_be_named_by_itself(cohort, stub):
    pytest.importorskip("lifelines")
    X, time, event = cohort(n=40)
    found, _ = evaluated(stub(), X, time, event, cv=2, rivals="weibull")
    assert found.rivals == ("weibull",)
    with pytest.raises(UsageError, match="got 'coxx'"):
        evaluated(stub(), X, time, event, cv=2, rivals="coxx")


def test_a_missing_time_is_not_taken_for_one_before_zero(cohort, stub):
    X, time, event = cohort(n=40)
    time[3] = np.nan
    with pytest.raises(InvalidInputError, match=r"time is missing in row 4 .*event 0"):
        stub().fit(X, time, event)


@pytest.mark.parametrize(("repeats", "words"), [(1, "fold 2;"), (2, "repeat 1 and")])
def test_folds_whose_chains_disagree_are_named(cohort, stub, repeats, words):
    X, time, event = cohort(n=40)

    class Doubtful(stub):
        def fit(self, X, time, event):
            super().fit(X, time, event)
            second = len(self.fits) % 3 == 2
            failed = (Check.RHAT,) if second else ()
            self.diagnostics_ = replace(self.diagnostics_, failed=failed)
            return self

    found, _ = evaluated(Doubtful(), X, time, event, cv=3, repeats=repeats)
    assert found.diagnostics["unconverged_folds"] == [[r, 1] for r in range(repeats)]
    (line,) = [x for x in found.warnings if "the chains disagree" in x]

    assert words in line


@pytest.mark.filterwarnings("error")
def test_a_quick_look_fits_a_regression_to_the_same_folds(cohort, stub):
    X, time, event = cohort()
    given = (stub(random_state=0), X, time, event)
    quick = sc.evaluate_recurrence(*given, cv=4, quick=True)
    assert quick.quick
    assert stub.fits == []
    assert quick.diagnostics["n_fits"] == 0
    usual = sc.evaluate_recurrence(*given, cv=4)
    assert not usual.quick
    np.testing.assert_array_equal(quick.folds, usual.folds)
    np.testing.assert_allclose(quick.log_p, usual.log_p)
    out = quick.folds[0] == 1
    alone = fit_accelerated(time[~out], event[~out], X[~out], "lognormal")
    density, tail = alone.predict_log(X[out], time[out][:, None])
    said = np.where(event[out], density[:, 0], tail[:, 0])
    np.testing.assert_allclose(quick.log_q[out], said)
    with pytest.raises(UsageError, match="could be the prior"):
        sc.evaluate_recurrence(*given, prior="model", quick=True)


def test_a_quick_look_and_the_model_do_not_share_a_checkpoint(cohort, stub, tmp_path):
    given = (stub(random_state=0), *cohort())
    path = tmp_path / "folds.jsonl"
    sc.evaluate_recurrence(*given, cv=2, quick=True, checkpoint=path)
    with pytest.raises(InvalidInputError, match="another run"):
        sc.evaluate_recurrence(*given, cv=2, checkpoint=path)


def test_chains_of_folds_go_on_once_unless_told_otherwise(cohort, stub):
    from scorecast.recurrence import FOLD_SAMPLING, SAMPLING

    assert replace(FOLD_SAMPLING, n_extensions=4) == SAMPLING
    assert FOLD_SAMPLING.n_extensions == 1
    found = sc.evaluate_recurrence(stub(), *cohort(), cv=2)
    assert stub.fits[-1][-1]["sampling"] == FOLD_SAMPLING
    assert found.settings["extensions"] == 1
    own = sc.Sampling(n_draws=50, n_extensions=3)
    sc.evaluate_recurrence(stub(sampling=own), *cohort(), cv=2)
    assert stub.fits[-1][-1]["sampling"] == own


@pytest.mark.parametrize("shape", ["weibull", "lognormal"])
def test_regressions_of_log_times_are_those_of_lifelines(cohort, shape):
    lifelines = pytest.importorskip("lifelines")
    pd = pytest.importorskip("pandas")
    X, time, event = cohort()
    found = fit_accelerated(time, event, X, shape, penalty=0.0)
    fitter = {"weibull": lifelines.WeibullAFTFitter,
              "lognormal": lifelines.LogNormalAFTFitter}[shape]()  # fmt: skip
    names = [f"x{i}" for i in range(X.shape[1])]
    frame = pd.DataFrame(X, columns=names).assign(time=time, event=event * 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitter.fit(frame, "time", "event")
    main = "lambda_" if shape == "weibull" else "mu_"
    slopes = [fitter.params_[(main, name)] for name in names]
    np.testing.assert_allclose(found.slopes, slopes, rtol=2e-4, atol=1e-5)
    at = fitter.params_[(main, "Intercept")] + found.means @ slopes
    assert found.centre == pytest.approx(at, abs=2e-4)


def test_regressions_of_log_times_have_the_slope_they_say(cohort):
    """The loss is lowest at the fit: no step away from it lowers it."""
    X, time, event = cohort()
    X = X.copy()
    X[3, 0] = np.nan
    found = fit_accelerated(time, event, X, "lognormal", penalty=0.0)

    def loss(fit):
        density, tail = fit.predict_log(X, time[:, None])
        return -np.where(event, density[:, 0], tail[:, 0]).sum()

    least = loss(found)
    steps = {"centre": 1e-3, "scale": 1e-3, "slopes": 1e-3 * np.eye(X.shape[1])[0]}
    for name, step in steps.items():
        for sign in (-1, 1):
            moved = replace(found, **{name: getattr(found, name) + sign * step})
            assert loss(moved) > least
    # A penalty pulls slopes in; covariates of any size are the same to it.
    pulled = fit_accelerated(time, event, X, "lognormal", penalty=1.0)
    assert np.abs(pulled.slopes).max() < np.abs(found.slopes).max()
    large = fit_accelerated(time, event, 1e200 * X, "lognormal", penalty=1.0)
    np.testing.assert_allclose(1e200 * large.slopes, pulled.slopes, rtol=1e-4)


def test_the_median_time_is_that_of_kaplan_and_meier():
    time = np.array([1.0, 2.0, 3.0, 4.0])
    assert median_time(time, np.array([True, True, False, True])) == 2.0
    assert median_time(time, np.array([True, False, False, False])) is None
