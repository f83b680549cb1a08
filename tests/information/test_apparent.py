"""The answer, with a stand-in for the sampler."""

import dataclasses
import json
import re

import numpy as np
import pytest

import scorecast as sc
from scorecast._core.results import result_from_dict
from scorecast.exceptions import (
    DataWarning,
    InvalidInputError,
    NotConvergedError,
    UsageError,
)
from scorecast.information import simulation, verdict
from scorecast.information.compare import relative_cases
from scorecast.information.influence import Influence, influence_of
from scorecast.report import render_text, report as write_page

pytestmark = pytest.mark.usefixtures("quick_posterior")


def sample(n=300, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(0.1, 0.3, n) - (rng.random(n) < 0.02) * 3


def answer(j=None, **options):
    return sc.apparent_information(
        sc.cases_from_j(sample() if j is None else j), **options
    )


def test_units_are_a_factor_and_always_said():
    nats, bits = answer(), answer(units="bits")
    for name in ("mean", "median", "low", "high", "sd"):
        ratio = getattr(nats.posterior, name) / getattr(bits.posterior, name)
        assert ratio == pytest.approx(np.log(2))
    assert nats.mean == pytest.approx(bits.mean * np.log(2))
    assert nats.posterior.probability_positive == bits.posterior.probability_positive
    assert "nats per case" in nats.summary()
    assert "bits per case" in bits.summary()
    with pytest.raises(UsageError, match="bits"):
        answer(units="bit")


def test_the_order_of_cases_does_not_matter_to_the_posterior(quick_posterior):
    j = sample()
    one, two = answer(j), answer(j[::-1].copy())
    assert one.posterior.to_dict()["mean"] == two.posterior.to_dict()["mean"]
    np.testing.assert_array_equal(quick_posterior.runs[0], np.sort(j))
    assert one.betting.log_pile[-1] == pytest.approx(two.betting.log_pile[-1])


def test_groups_add_up_to_the_whole():
    j = sample()
    groups = np.arange(j.size) % 7 // 3
    result = answer(j, groups=groups)
    assert sum(g.weight for g in result.groups) == pytest.approx(1)
    total = sum(g.weight * g.mean for g in result.groups)
    assert total == pytest.approx(result.mean, abs=1e-14)
    assert [g.name for g in result.groups] == ["0", "1", "2"]
    assert all(g.posterior is not None for g in result.groups)
    assert result.to_columns()["group"] == ["all", "0", "1", "2"]


def test_too_many_groups_get_means_only():
    with pytest.warns(DataWarning, match="groups"):
        result = answer(groups=np.arange(300))
    assert len(result.groups) == 300
    assert result.groups[0].posterior is None


def test_no_chance_at_all_is_reported_counted_and_labelled():
    log_q = np.log(np.linspace(0.55, 0.65, 20))
    log_q[3] = -np.inf
    log_p = np.log(np.full(20, 0.5))
    with pytest.warns(DataWarning, match="no chance"):
        result = sc.apparent_information(log_q, log_p, units="bits")
    assert result.mean == -np.inf
    assert result.n_infinite == 1
    assert "minus infinity" in result.summary()
    assert "1 of 20" in result.summary()
    assert "better" not in result.summary()
    assert "Without the case that was given probability 0 it would be" in (
        result.summary()
    )
    assert result.worst[0].index == 3
    assert result.worst[0].share == 1
    assert result.betting.ruined_at == 4
    data = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert data["result"]["mean_j"] is None
    assert data["result"]["is_infinite"] is True
    assert data["result"]["n_infinite"] == 1
    assert data["result"]["worst"][0]["is_infinite"] is True
    again = result_from_dict(data)
    assert again.mean == -np.inf
    assert again.worst[0].j == -np.inf
    assert again.worst[0].cost == np.inf
    assert again.is_infinite
    with pytest.warns(DataWarning, match="floor"):
        floored = sc.apparent_information(log_q, log_p, floor=1e-3)
    assert np.isfinite(floored.mean)
    assert (floored.floor, floored.n_floored) == (1e-3, 1)
    with pytest.raises(InvalidInputError, match="all 2 cases"):
        sc.apparent_information([-np.inf, -np.inf], [-1.0, -1.0])


def test_what_leaves_out_forecasts_of_zero_says_so_and_names_the_way_out():
    rng = np.random.default_rng(4)
    log_q = np.append(np.log(rng.uniform(0.4, 0.7, 57)), [-np.inf] * 3)
    log_p = np.full(60, np.log(0.5))
    groups = ["a"] * 30 + ["b"] * 30
    with pytest.warns(DataWarning, match=r"floor=0\.001 .* would raise every smaller"):
        result = sc.apparent_information(log_q, log_p, units="bits", groups=groups)
    label = "ithout the 3 cases that were given probability 0"
    text = render_text(result)
    table = text.index("bits per case  ")
    assert f"All 60 cases: minus infinity. W{label}:" in text[:table]
    assert f"P(J > 0)  w{label}: " in text
    assert f"interval w{label}" in result.groups[1].note
    page = write_page(result)
    assert f"All 60 cases: minus infinity. W{label}:" in page
    assert f"W{label}: the mean of all is minus infinity" in page
    assert [group.to_dict()["is_infinite"] for group in result.groups] == [False, True]
    again = result_from_dict(json.loads(json.dumps(result.to_dict(), allow_nan=False)))
    assert render_text(again) == text
    assert "is_infinite" not in json.dumps(answer().to_dict()).replace(
        '"is_infinite": false', ""
    )
    # Where nothing else is known than j, a floor needs the chances themselves.
    with pytest.warns(DataWarning, match="Given chances in the place of j"):
        answer(np.append(sample(), -np.inf))


@pytest.mark.parametrize("j", [[0.1, 0.4], [0.2, 0.5, 0.1], sample(60)])
def test_a_quick_look_is_student_s_t_and_no_posterior(j):
    from scipy import stats

    j = np.array(j)
    result = answer(j, quick=True)
    low, high = stats.t.interval(0.95, j.size - 1, j.mean(), stats.sem(j))
    plain = next(view for view in result.posterior.views if view.tails == "t")
    assert result.posterior.centre == "t"
    assert (plain.low, plain.high) == pytest.approx((low, high), rel=5e-3)
    assert result.posterior.low <= plain.low
    assert result.posterior.high >= plain.high
    text = render_text(result)
    for words in (
        text,
        *re.findall(r"(?:<title>|<p>|<desc>)[^<]*", write_page(result)),
    ):
        rest = words.replace("without a posterior", "").replace("no posterior", "")
        assert "posterior" not in rest.lower()
    assert "t interval" in text
    assert "normal interval" not in text
    again = result_from_dict(json.loads(json.dumps(result.to_dict(), allow_nan=False)))
    assert render_text(again) == text


def test_a_quick_look_at_two_cases_is_not_sure():
    assert "surely" not in answer(np.array([0.18, 0.34]), quick=True).summary()
    assert answer(np.array([0.18, 0.34]), quick=True, tails="mixture").posterior.low < 0


def test_one_case_and_equal_cases_claim_no_certainty():
    with pytest.warns(DataWarning, match="One case"):
        one = answer(np.array([0.4]))
    assert "surely" not in one.summary()
    assert one.influence is None
    assert np.isnan(one.normal.low)
    with pytest.warns(DataWarning, match="same j"):
        flat = answer(np.full(50, 0.4))
    assert "surely" not in flat.summary()
    for result in (one, flat):
        json.dumps(result.to_dict(), allow_nan=False)
        assert write_page(result)


def test_more_cases_than_allowed_are_drawn_from_and_said_so(quick_posterior):
    j = sample(5000)
    with pytest.warns(DataWarning, match="200 of 5,000"):
        result = answer(j, max_cases=200)
    assert quick_posterior.runs[0].size == 200
    assert result.n == 5000
    assert result.n_posterior == 200
    assert result.mean == pytest.approx(j.mean())
    assert any("200 of 5,000" in w for w in result.warnings)


def test_the_case_left_out_is_one_the_posterior_has_seen(quick_posterior):
    j = sample(2000)
    j[7] = -50.0  # nearly never among 20 of 2,000
    with pytest.warns(DataWarning, match="20 of 2,000"):
        result = answer(j, max_cases=20)
    seen = quick_posterior.runs[0]
    assert -50.0 not in seen
    assert result.influence.j in seen
    assert j[result.influence.index] == result.influence.j
    others = np.delete(j, result.influence.index)
    assert result.influence.mean_without == pytest.approx(others.mean())
    assert "of those simulated" in render_text(result)
    assert "Of those simulated" in write_page(result)
    assert "of those simulated" not in render_text(answer(j))


def test_the_choice_of_cases_does_not_depend_on_their_order(quick_posterior):
    j = sample(500)
    for given in (j, j[::-1].copy()):
        with pytest.warns(DataWarning, match="of 500"):
            answer(given, max_cases=50)
    first, second = (run for run in quick_posterior.runs if run.size == 50)
    np.testing.assert_array_equal(first, second)


def test_equal_cases_count_as_the_one_they_are():
    with pytest.warns(DataWarning, match="same j"):
        assert answer(np.full(50, 0.4)).n_posterior == 1


def test_a_group_of_equal_cases_says_so():
    j = np.concatenate([sample(40), np.full(9, 0.3), [0.1]])
    groups = ["mixed"] * 40 + ["equal"] * 9 + ["lone"]
    notes = {g.name: g.note for g in answer(j, groups=groups).groups}
    assert notes["mixed"] == ""
    assert "same j" in notes["equal"]
    assert "one case" in notes["lone"]


def test_chains_that_disagree_are_withheld_or_stamped(quick_posterior):
    quick_posterior.reasons = ("R-hat is 1.5",)
    with pytest.raises(
        NotConvergedError,
        match=r"posterior of J did not converge \(R-hat is 1.5\).*max_seconds=240, or "
        r"see it all the same: allow_unconverged=True",
    ) as caught:
        answer()
    assert "--" not in str(caught.value)  # that is for the command line to say
    assert caught.value.reasons == "R-hat is 1.5"
    result = answer(allow_unconverged=True)
    assert not result.converged
    assert "did not converge" in result.summary()
    assert any("did not converge" in w for w in result.warnings)
    data = result.to_dict()
    assert data["result"]["diagnostics"]["passed"] is False
    assert "did not converge" in write_page(result)
    assert "DO NOT AGREE" in write_page(result)


def test_a_number_of_components_that_cannot_be_trusted_is_not_shown(quick_posterior):
    found = answer()
    assert found.components is not None  # compiled chains that agree about it
    hidden = dataclasses.replace(found, components=None)
    assert "Number of components" not in write_page(hidden)
    assert "omponents" not in str(hidden)
    again = result_from_dict(json.loads(json.dumps(hidden.to_dict())))
    assert again.components is None


def test_influence_is_read_back_without_what_it_does_not_know():
    data = {
        "index": 3, "id": None, "j": None, "mean_without": 0.2, "later": 1,
        "posterior_mean_without": None, "posterior_median_without": 0.1, "method": None,
    }  # fmt: skip
    found = Influence.from_dict(data)
    assert (found.id, found.method, found.mean_without) == (None, None, 0.2)
    assert np.isnan([found.j, found.posterior_mean_without, found.median_error]).all()


def test_worst_cases_are_named_with_what_they_cost():
    j = sample()
    cases = sc.cases_from_j(j, ids=[f"case {i}" for i in range(j.size)])
    result = sc.apparent_information(cases)
    first = result.worst[0]
    assert first.index == np.argmin(j)
    assert first.id == f"case {np.argmin(j)}"
    assert first.cost == pytest.approx(-j.min() / j.size)
    assert first.share == pytest.approx(j.min() / j[j < 0].sum())
    assert [w.j for w in result.worst] == sorted(w.j for w in result.worst)


def test_leaving_out_one_case(quick_posterior, monkeypatch):
    # A normal with known spread: the posterior without a case is known.
    rng = np.random.default_rng(1)
    j = np.append(rng.normal(0, 1, 100), 3.0)
    result = answer(j)
    without = result.influence
    assert without.index == 100
    assert without.mean_without == pytest.approx(j[:-1].mean())
    assert without.method == "weights"
    assert without.posterior_mean_without == pytest.approx(j[:-1].mean(), abs=0.02)
    monkeypatch.setattr("scorecast.information.influence._EVEN", 1.0)
    far = answer(np.append(rng.normal(0, 1, 20), -60.0))
    assert far.influence.method == "re-run"
    assert quick_posterior.runs[-1].size == 20


def test_the_error_of_leaving_out_a_case_is_the_spread_over_simulations():
    cases = sc.cases_from_j(np.append(np.random.default_rng(1).normal(size=100), 3.0))
    j, every = cases.j, np.arange(101)
    moved, errors = [], []
    for seed in range(60):
        found = simulation.sample_posterior(j, prior=None, random_state=seed)
        left = influence_of(cases, found, None, 1.0, every)
        moved.append(left.posterior_median_without - np.median(found.means))
        errors.append(left.median_error)
    assert 0.7 < np.mean(errors) / np.std(moved) < 1.8
    assert np.mean(moved) == pytest.approx(j[:-1].mean() - j.mean(), rel=0.2)


def test_the_sentence_on_one_case_speaks_of_the_mixture_and_its_error():
    result = answer()
    mixture = dataclasses.replace(result.posterior.views[0], median=0.25)
    views = (mixture, *result.posterior.views[1:])
    posterior = dataclasses.replace(
        result.posterior, views=views, centre="pareto", median=0.5
    )

    def said(without, error):
        influence = dataclasses.replace(
            result.influence, posterior_median_without=without, median_error=error
        )
        changed = dataclasses.replace(result, posterior=posterior, influence=influence)
        return " ".join(render_text(changed).split())

    assert "from 0.250 to 0.260 (error by simulation 0.001)" in said(0.26, 0.001)
    assert "no more than chance in the simulation (error 0.01)" in said(0.26, 0.01)
    assert "mixture's median from 0.250 to 0.260 Prior" in said(0.26, np.nan)


def test_betting_is_the_running_sum():
    j = sample()
    bets = answer(j).betting
    np.testing.assert_allclose(bets.log_pile, np.append(0, np.cumsum(j))[bets.cases])
    assert bets.factor == pytest.approx(np.exp(j.mean()))


def test_relative_information_is_positive_for_the_better_one():
    rng = np.random.default_rng(0)
    happened = rng.random(400) < 0.7
    good, poor = (np.log(np.where(happened, q, 1 - q)) for q in (0.7, 0.4))
    result = sc.compare_information(good, poor)
    assert result.mean == pytest.approx((good - poor).mean())
    assert "The first forecast carries" in result.summary()
    assert "than the second" in result.summary()
    worse = sc.compare_information(poor, good)
    assert worse.mean == pytest.approx(-result.mean)
    assert "carries -" in worse.summary()
    nothing = np.where(np.arange(400) == 5, -np.inf, poor)
    with pytest.raises(InvalidInputError, match="infinitely better"):
        sc.compare_information(good, nothing)
    with pytest.warns(DataWarning, match="floor"):
        assert sc.compare_information(good, nothing, floor=1e-3).n_floored == 1


def test_two_sets_of_cases_must_be_the_same_cases():
    log_q = np.log([0.5, 0.25, 0.5, 0.125])
    log_p = np.log(np.full(4, 0.5))
    one = sc.cases_from_logs(log_q, log_p, ids="abcd")
    with pytest.raises(InvalidInputError, match=r"names .* differ .* row 3"):
        sc.compare_information(one, sc.cases_from_logs(log_q, log_p, ids="abdc"))
    cut = [np.array([0, 1, 0, 0], bool), np.array([0, 0, 0, 1], bool)]
    pair = [dataclasses.replace(one, censored=c) for c in cut]
    with pytest.raises(InvalidInputError, match=r"censored differ .* row 2"):
        sc.compare_information(*pair)
    unnamed = sc.cases_from_logs(log_q, log_p)
    assert relative_cases(unnamed, one).ids == tuple("abcd")


def test_an_earlier_floor_is_remembered():
    one = sc.cases_from_logs(np.log([0.5, 0.01, 0.4]), np.log([0.5, 0.5, 0.5]))
    two = sc.cases_from_logs(np.log([0.5, 0.02, 0.01]), np.log([0.5, 0.5, 0.5]))
    both = relative_cases(one.with_floor(0.1), two.with_floor(0.1))
    assert (both.floor, both.n_floored, both.notes) == (0.1, 3, ())
    either = relative_cases(one.with_floor(0.1), two)
    assert (either.floor, either.n_floored) == (0.1, 1)
    assert "0.1 and none" in either.notes[0]
    later = relative_cases(one, two, floor=0.05)
    assert (later.floor, later.n_floored) == (0.05, 3)


def test_a_floor_above_all_chances_is_refused():
    cases = sc.cases_from_probabilities([0.5, 0.0], [0.5, 0.5])
    with pytest.raises(UsageError, match=r"below 1.*every forecast"):
        cases.with_floor(1.0)
    # A density may well exceed one, and so may its floor.
    dense = sc.cases_from_logs([1.5, -9.0], [-0.5, -0.5])
    assert dense.with_floor(1.2).n_floored == 1


def test_reliability_of_the_matches_that_ship():
    from scorecast.io import load_matches

    known = load_matches()
    cases = sc.cases_from_classes(
        known.probabilities, known.outcome, classes=known.classes,
        prior="leave-one-out", ids=known.matches, groups=known.cups,
    )  # fmt: skip
    result = sc.apparent_information(cases, units="bits")
    bins = result.reliability.bins
    assert sum(b.n for b in bins) == 3 * 279
    assert sum(b.low <= b.predicted <= b.high for b in bins) >= 7
    assert [g.name for g in result.groups] == ["men", "women"]


def test_arguments_that_contradict():
    cases = sc.cases_from_j(sample())
    with pytest.raises(UsageError, match="leave out"):
        sc.apparent_information(cases, sample())
    with pytest.raises(UsageError, match="log_p"):
        sc.apparent_information(sample())
    for max_cases in (0, 1.5, "x"):
        with pytest.raises(UsageError, match="max_cases"):
            sc.apparent_information(cases, max_cases=max_cases)
    with pytest.raises(UsageError, match="level"):
        sc.apparent_information(cases, level=95)


def test_the_json_is_a_contract():
    result = answer(groups=np.arange(300) % 2, units="bits")
    data = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert set(data) == {"kind", "schema", "scorecast", "inputs", "options", "result"}
    assert (data["kind"], data["schema"]) == ("information", 1)
    assert set(data["inputs"]) == {"n", "n_censored", "prior"}
    assert set(data["options"]) == {
        "units", "level", "floor", "seed", "max_cases", "allow_unconverged",
        "mixture_prior", "sampling", "tails", "max_seconds", "quick",
    }  # fmt: skip
    found = data["result"]
    assert set(found) == {
        "n", "units", "mean_j", "is_infinite", "normal", "posterior", "n_posterior",
        "probability_positive", "diagnostics", "n_infinite", "n_floored", "forecast",
        "reference", "histogram", "worst", "influence", "betting", "reliability",
        "groups", "components", "assumptions", "warnings",
    }  # fmt: skip
    assert {"mean", "median", "sd", "q025", "q975", "low", "high"} < set(
        found["posterior"]
    )
    assert {"rhat", "ess", "passed", "reasons"} < set(found["diagnostics"])
    assert set(found["worst"][0]) == {
        "index", "id", "j", "cost", "share", "is_infinite",
    }  # fmt: skip
    again = result_from_dict(data)
    assert again.to_dict() == data
    assert again.cases is None
    assert again.summary() == result.summary()
    assert len(json.dumps(data)) < 60_000


def test_the_curves_of_the_centre_are_stored_once_and_read_from_old_files_too():
    result = answer()
    data = json.loads(json.dumps(result.to_dict()))
    found = data["result"]["posterior"]
    assert found["centre"] == "pareto"
    assert [("density" in view) for view in found["views"]] == [True, False, True]
    del data["result"]["influence"]["median_error"]
    old = json.loads(json.dumps(data))
    old["result"]["posterior"]["views"][1] |= {
        name: found["curve"][name] for name in ("density", "cumulative")
    }
    for given in (data, old):
        again = result_from_dict(given)
        for view, before in zip(
            again.posterior.views, result.posterior.views, strict=True
        ):
            np.testing.assert_array_equal(view.density, before.density)
            np.testing.assert_array_equal(view.cumulative, before.cumulative)
        assert np.isnan(again.influence.median_error)


def test_a_million_cases_stay_small_in_json():
    j = np.random.default_rng(0).normal(0.1, 0.5, 10**6)
    with pytest.warns(DataWarning, match="of 1,000,000"):
        result = answer(j, max_cases=1000)
    assert len(json.dumps(result.to_dict())) < 60_000
    assert (
        sum(result.spread.counts) + result.spread.below + result.spread.above == 10**6
    )


def test_no_sure_verdict_where_the_plain_mean_says_otherwise():
    posterior = answer().posterior
    sure = dataclasses.replace(posterior, probability_positive=0.9999)
    assert verdict(sure, "the prior") == "surely better than the prior"
    assert "plain mean" in verdict(sure, "the prior", doubted=True)


def test_the_mixture_alone_may_be_asked_for():
    every, alone = answer(), answer(tails="mixture")
    assert [v.tails for v in every.posterior.views] == ["mixture", "pareto", "normal"]
    assert [v.tails for v in alone.posterior.views] == ["mixture"]
    assert alone.posterior.low == every.posterior.views[0].low > every.posterior.low
    assert every.posterior.low <= every.normal.low + 1e-3 * every.normal.stderr
    with pytest.raises(UsageError, match="all"):
        answer(tails="pareto")


def test_what_needs_no_chains_is_said_without_them(quick_posterior):
    quick_posterior.reasons = ("R-hat 1.5",)
    with pytest.raises(NotConvergedError, match=r"plain mean is .* nats per case"):
        answer()


def test_what_one_case_does_is_left_out_where_nobody_asks(monkeypatch):
    values = np.random.default_rng(0).normal(0.1, 0.3, size=40)
    usual = sc.apparent_information(values, np.zeros(40))
    monkeypatch.setattr(
        "scorecast.information.apparent.influence_of", lambda *_: pytest.fail("asked")
    )
    found = sc.apparent_information(values, np.zeros(40), influence=False)
    other = sc.compare_information(values, np.zeros(40), influence=False)
    assert found.influence is None
    assert other.influence is None
    assert found.posterior.median == usual.posterior.median
    assert "influence" in found.to_dict()["result"]
