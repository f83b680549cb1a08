"""The answer, with a stand-in for the sampler."""

import dataclasses
import json
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

import scorecast as sc
from scorecast.exceptions import (
    InvalidInputError,
    NotConvergedError,
    ResultWarning,
    UsageError,
)
from scorecast.information import (
    ApparentInformation,
    GroupStatus,
    InfluenceMethod,
    InformationNote,
    PosteriorSettings,
    PriorSource,
    Verdict,
    note_text,
)
from scorecast.information.influence import influence_of
from scorecast.information.prior_of_j import prior_by_evidence
from scorecast.information.result import verdict_of
from scorecast.mixtures import (
    Check,
    Prior,
    Sampling,
    draw_prior_means,
    sample_prior_means,
)

pytestmark = pytest.mark.usefixtures("quick_posterior")
from_ratios = sc.Forecasts.from_log_ratios


def sample(n=300, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(0.1, 0.3, n) - (rng.random(n) < 0.02) * 3


def answer(j=None, *, units="nats", **options):
    names = [field.name for field in dataclasses.fields(PosteriorSettings)]
    settings = {k: options.pop(k) for k in names if k in options}
    forecasts = from_ratios(sample() if j is None else j)
    return sc.apparent_information(
        forecasts, units=units, settings=PosteriorSettings(**settings), **options
    )


def codes(result):
    return [note.code for note in result.notes]


def again(result):
    """The same after a journey through JSON."""
    data = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    return ApparentInformation.from_dict(data)


def test_units_are_a_factor_and_bits_unless_said():
    nats, bits = answer(), answer(units="bits")
    for name in ("mean", "median", "low", "high", "sd"):
        ratio = getattr(nats.posterior, name) / getattr(bits.posterior, name)
        assert ratio == pytest.approx(np.log(2))
    assert nats.mean == pytest.approx(bits.mean * np.log(2))
    assert nats.posterior.probability_positive == bits.posterior.probability_positive
    assert sc.apparent_information(from_ratios(sample())).units == "bits"
    with pytest.raises(UsageError, match="bits"):
        answer(units="bit")


def test_the_order_of_cases_does_not_matter_to_the_posterior(quick_posterior):
    j = sample()
    one, two = answer(j), answer(j[::-1].copy())
    assert one.posterior.mean == two.posterior.mean
    np.testing.assert_array_equal(quick_posterior.runs[0], np.sort(j))
    assert one.betting.log_wealth[-1] == pytest.approx(two.betting.log_wealth[-1])


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
    with pytest.warns(ResultWarning, match="groups"):
        result = answer(groups=np.arange(300))
    assert len(result.groups) == 300
    assert result.groups[0].posterior is None
    assert result.groups[0].status is GroupStatus.TOO_MANY_GROUPS
    assert InformationNote.MANY_GROUPS in codes(result)


def test_groups_say_why_they_have_no_posterior_or_a_poor_one(quick_posterior):
    j = np.concatenate([sample(40), np.full(9, 0.3), [0.1], [-np.inf, -np.inf]])
    groups = ["mixed"] * 40 + ["equal"] * 9 + ["lone"] + ["no"] * 2
    with pytest.warns(ResultWarning, match="no chance"):
        found = {g.name: g for g in answer(j, groups=groups).groups}
    assert not found["mixed"].is_flat
    assert found["equal"].is_flat
    assert found["lone"].is_flat
    assert found["no"].status is GroupStatus.ALL_IMPOSSIBLE
    quick_posterior.failed = (Check.RHAT,)
    with pytest.warns(ResultWarning, match="no chance"):
        allowed = answer(j, groups=groups, allow_unconverged=True).groups[0]
    assert (allowed.status, allowed.is_converged) == (GroupStatus.OK, False)


def test_no_chance_at_all_is_reported_and_counted():
    log_q = np.log(np.linspace(0.55, 0.65, 20))
    log_q[3] = -np.inf
    log_p = np.log(np.full(20, 0.5))
    with pytest.warns(ResultWarning, match="1 of 20 cases had no chance"):
        result = sc.apparent_information(log_q, log_p, groups=np.arange(20) % 2)
    assert result.mean == -np.inf
    assert result.n_impossible == 1
    assert codes(result)[0] == InformationNote.IMPOSSIBLE
    assert result.notes[0].names == ("row 4",)
    assert result.worst[0].index == 3
    assert result.worst[0].share == 1
    assert result.betting.ruined_at == 4
    assert [g.n_impossible for g in result.groups] == [0, 1]
    data = json.loads(json.dumps(result.to_dict(), allow_nan=False))["result"]
    assert data["mean"] == "-Infinity"
    assert data["worst"][0]["cost"] == "Infinity"
    back = again(result)
    assert back.mean == back.worst[0].j == -np.inf
    assert str(back) == str(result)
    floored = sc.Forecasts.from_logs(log_q, log_p).clip(1e-3)
    with pytest.warns(ResultWarning, match="floor"):
        raised = sc.apparent_information(floored)
    assert np.isfinite(raised.mean)
    assert (raised.floor, raised.n_floored) == (1e-3, 1)
    with pytest.raises(InvalidInputError, match="all 2 cases") as caught:
        sc.apparent_information([-np.inf, -np.inf], [-1.0, -1.0])
    assert caught.value.option == "floor"


@pytest.mark.parametrize("j", [[0.1, 0.4], [0.2, 0.5, 0.1], sample(60)])
def test_a_quick_look_is_student_s_t_and_no_posterior(j, monkeypatch):
    for name in ("sample_short_chains", "sample_posterior"):
        monkeypatch.setattr(f"scorecast.information.apparent.{name}", None)
    j = np.array(j)
    result = answer(j, quick=True, groups=np.arange(j.size) % 2 if j.size > 9 else None)
    low, high = stats.t.interval(0.95, j.size - 1, j.mean(), stats.sem(j))
    plain = result.posterior.view("t")
    assert result.is_quick
    assert result.posterior.centre == "t"
    assert result.posterior.median == pytest.approx(j.mean(), abs=1e-3)
    assert (plain.low, plain.high) == pytest.approx((low, high), rel=5e-3)
    assert result.posterior.low <= plain.low
    assert result.posterior.high >= plain.high
    assert result.diagnostics is None
    assert all(g.posterior is not None for g in result.groups)
    assert str(again(result)) == str(result)


def test_a_quick_look_at_two_cases_is_not_sure():
    found = answer(np.array([0.18, 0.34]), quick=True)
    assert found.verdict is not Verdict.SURELY_BETTER
    assert answer(np.array([0.18, 0.34]), quick=True, tails="mixture").posterior.low < 0


def test_one_case_and_equal_cases_claim_no_certainty():
    with pytest.warns(ResultWarning, match="One case"):
        one = answer(np.array([0.4]))
    assert one.verdict is Verdict.SINGLE
    assert one.influence is None
    assert np.isnan(one.normal.low)
    with pytest.warns(ResultWarning, match="same j"):
        flat = answer(np.full(50, 0.4))
    assert (flat.verdict, flat.n_posterior) == (Verdict.FLAT, 1)
    assert (codes(one)[0], codes(flat)[0]) == (
        InformationNote.SINGLE,
        InformationNote.FLAT,
    )
    for result in (one, flat):
        assert str(again(result)) == str(result)


def test_more_cases_than_allowed_are_drawn_from_and_said_so(quick_posterior):
    j = sample(5000)
    with pytest.warns(ResultWarning, match="200 of 5,000"):
        result = answer(j, max_samples=200)
    assert quick_posterior.runs[0].size == 200
    assert (result.n, result.n_posterior) == (5000, 200)
    assert result.mean == pytest.approx(j.mean())
    note = next(x for x in result.notes if x.code == InformationNote.SUBSAMPLED)
    assert (note.count, note.total) == (200, 5000)


@pytest.fixture
def ten_are_many(monkeypatch):
    monkeypatch.setattr("scorecast.information.apparent.MOST_CASES", 10)


def test_of_very_many_cases_no_mixture_is_fitted_unasked(ten_are_many, quick_posterior):
    j = sample(400)
    j[7] = -30.0
    few = np.array(["many"] * 392 + ["few"] * 8)
    result = answer(j, groups=few)
    assert [view.tails for view in result.posterior.views] == ["pareto", "normal"]
    assert [run.size for run in quick_posterior.runs] == [8]  # the small group alone
    assert (result.n_posterior, result.diagnostics, result.prior) == (400, None, None)
    assert not result.is_quick
    assert InformationNote.NO_MIXTURE in codes(result)
    assert result.influence.j == -30.0
    assert result.posterior.low < result.normal.low + 1e-3
    assert result.posterior.high > result.normal.high - 1e-3
    many, small = sorted(result.groups, key=lambda group: -group.n)
    assert [view.tails for view in many.posterior.views] == ["pareto", "normal"]
    assert small.posterior.views[0].tails == "mixture"
    assert "no mixture was fitted" in str(result)
    assert str(again(result)) == str(result)


def test_where_a_tail_is_long_its_view_gives_the_centre_of_very_many(ten_are_many):
    tail = np.random.default_rng(0).standard_cauchy(300)
    assert answer(tail).posterior.centre == "pareto"
    even = np.random.default_rng(0).normal(size=300)
    assert answer(even).posterior.centre == "normal"


def test_a_mixture_of_very_many_cases_is_fitted_where_it_is_asked_for(
    ten_are_many, quick_posterior
):
    with pytest.warns(ResultWarning, match="20 of 300"):
        answer(max_samples=20)
    answer(sampling=Sampling(n_chains=2, n_draws=20))
    assert [run.size for run in quick_posterior.runs] == [20, 300]
    with pytest.warns(ResultWarning, match="same j"):
        answer(np.full(300, 0.2))  # how these would spread only a mixture can say
    assert len(quick_posterior.runs) == 3


@pytest.mark.parametrize(
    "asked", [{"tails": "mixture"}, {"prior": Prior.information().scaled(4)}]
)
def test_what_only_a_mixture_can_answer_is_refused_of_very_many(ten_are_many, asked):
    with pytest.raises(UsageError, match="not fitted to 300 cases") as refused:
        answer(**asked)
    assert refused.value.parameter in ("tails", "settings.prior")
    assert refused.value.option == "max_samples"
    assert answer(**asked, max_samples=300).posterior.view("mixture")


def test_a_quick_look_says_nothing_of_a_mixture_that_it_has_not(quick_posterior):
    j = np.repeat(sample(30), 4) + 9.0
    known = {InformationNote.TIED, InformationNote.BEYOND_PRIOR}
    assert known <= set(codes(answer(j)))
    assert not known & set(codes(answer(j, quick=True)))


def test_the_case_left_out_is_one_the_posterior_has_seen(quick_posterior):
    j = sample(2000)
    j[7] = -50.0  # nearly never among 20 of 2,000
    with pytest.warns(ResultWarning, match="20 of 2,000"):
        result = answer(j, max_samples=20)
    seen = quick_posterior.runs[0]
    assert -50.0 not in seen
    assert result.influence.j in seen
    assert j[result.influence.index] == result.influence.j
    others = np.delete(j, result.influence.index)
    assert result.influence.mean_without == pytest.approx(others.mean())
    assert "of those simulated" in str(result)
    assert "of those simulated" not in str(answer(j))


def test_the_choice_of_cases_does_not_depend_on_their_order(quick_posterior):
    j = sample(500)
    for given in (j, j[::-1].copy()):
        with pytest.warns(ResultWarning, match="of 500"):
            answer(given, max_samples=50)
    first, second = (run for run in quick_posterior.runs if run.size == 50)
    np.testing.assert_array_equal(first, second)


def test_chains_that_disagree_are_withheld_or_stamped(quick_posterior):
    quick_posterior.failed = (Check.RHAT,)
    with pytest.raises(NotConvergedError, match=r"plain mean is .* nats") as caught:
        answer()
    assert caught.value.diagnostics.rhat == 1.5
    assert caught.value.option == "max_seconds"
    assert "240 seconds" in caught.value.remedy
    assert "--" not in str(caught.value)  # that is for the command line to say
    result = answer(allow_unconverged=True)
    assert not result.is_converged
    assert InformationNote.NOT_CONVERGED in codes(result)
    assert result.diagnostics.failed == (Check.RHAT,)
    assert "did not converge" in result.summary()
    log_q = np.append(np.log(np.append(np.full(20, 0.6), 0.4)), [-np.inf] * 2)
    with (
        pytest.warns(ResultWarning),
        pytest.raises(NotConvergedError, match="2 of 23 cases had no chance"),
    ):
        sc.apparent_information(log_q, np.full(23, np.log(0.5)))


def test_cases_beyond_the_prior_are_noted():
    j = np.array([3.1, 3.9, 3.4, 4.0, 3.6, 3.6])
    far = answer(j)
    note = next(x for x in far.notes if x.code == InformationNote.BEYOND_PRIOR)
    assert note.value == pytest.approx(2.57)
    assert note.count == 3
    assert "3 times as wide" in note_text(note, "nats")
    assert InformationNote.BEYOND_PRIOR not in codes(answer(j - 3.5))


def test_worst_cases_are_named_with_what_they_cost():
    j = sample()
    forecasts = from_ratios(j, ids=[f"case {i}" for i in range(j.size)])
    result = sc.apparent_information(forecasts, units="nats")
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
    without = answer(j).influence
    assert without.index == 100
    assert without.mean_without == pytest.approx(j[:-1].mean())
    assert without.method is InfluenceMethod.REWEIGHTED
    assert without.posterior_mean_without == pytest.approx(j[:-1].mean(), abs=0.02)
    monkeypatch.setattr("scorecast.information.influence._EVEN", 1.0)
    far = np.append(rng.normal(0, 1, 20), -60.0)
    assert answer(far).influence.method is InfluenceMethod.RERUN
    assert quick_posterior.runs[-1].size == 20
    monkeypatch.setattr("scorecast.information.influence._MOST_TO_RERUN", 5)
    left = answer(far).influence
    assert left.method is InfluenceMethod.TOO_MANY_CASES
    assert np.isnan(left.posterior_median_without)


def test_the_error_of_leaving_out_a_case_is_the_spread_over_simulations():
    from scorecast.information import apparent_information

    sampler = apparent_information.__wrapped__.__globals__["sample_posterior"]
    forecasts = from_ratios(np.append(np.random.default_rng(1).normal(size=100), 3.0))
    j, every = forecasts.j, np.arange(101)
    moved, errors = [], []
    for seed in range(60):
        found = sampler(j, prior=None, random_state=seed)
        left = influence_of(forecasts, found, None, 1.0, every)
        moved.append(left.posterior_median_without - np.median(found.means))
        errors.append(left.median_error)
    assert 0.7 < np.mean(errors) / np.std(moved) < 1.8
    assert np.mean(moved) == pytest.approx(j[:-1].mean() - j.mean(), rel=0.2)


def test_what_one_case_does_is_left_out_where_nobody_asks(monkeypatch):
    values = np.random.default_rng(0).normal(0.1, 0.3, size=40)
    usual = answer(values)
    monkeypatch.setattr("scorecast.information.apparent.influence_of", None)
    found = answer(values, influence=False)
    assert found.influence is None
    assert found.posterior.median == usual.posterior.median


def test_betting_is_the_running_sum():
    j = sample()
    bets = answer(j).betting
    np.testing.assert_allclose(bets.log_wealth, np.append(0, np.cumsum(j))[bets.cases])
    assert bets.factor == pytest.approx(np.exp(j.mean()))


def test_relative_information_is_positive_for_the_better_one():
    rng = np.random.default_rng(0)
    happened = rng.random(400) < 0.7
    good, poor = (np.log(np.where(happened, q, 1 - q)) for q in (0.7, 0.4))
    result = sc.compare_information(good, poor, units="nats")
    assert result.mean == pytest.approx((good - poor).mean())
    assert result.prior_source is PriorSource.FORECASTER
    assert result.verdict.is_better
    worse = sc.compare_information(poor, good, units="nats", names=("b", "a"))
    assert worse.mean == pytest.approx(-result.mean)
    assert worse.verdict.is_worse
    assert worse.names == ("b", "a")
    nothing = np.where(np.arange(400) == 5, -np.inf, poor)
    with pytest.raises(InvalidInputError, match="infinitely better"):
        sc.compare_information(good, nothing)
    clipped = [
        sc.Forecasts.from_logs(x, np.full(400, np.log(0.5))).clip(1e-3)
        for x in (good, nothing)
    ]
    with pytest.warns(ResultWarning, match="floor"):
        assert sc.compare_information(*clipped).n_floored == 1


def test_reliability_of_the_matches_that_ship():
    from scorecast.io import load_matches

    known = load_matches()
    forecasts = sc.Forecasts.from_class_probabilities(
        known.probabilities,
        known.outcome,
        classes=known.classes,
        prior="leave-one-out",
        ids=known.matches,
        groups=known.cups,
    )
    result = sc.apparent_information(forecasts)
    bins = result.reliability.bins
    assert sum(b.n for b in bins) == 3 * 279
    assert sum(b.low <= b.predicted <= b.high for b in bins) >= 7
    assert [g.name for g in result.groups] == ["men", "women"]


def test_arguments_that_contradict():
    forecasts = from_ratios(sample())
    with pytest.raises(UsageError, match="leave it out"):
        sc.apparent_information(forecasts, sample())
    with pytest.raises(UsageError) as caught:
        sc.apparent_information(sample())
    assert caught.value.parameter == "log_p"
    for wrong in ({"max_samples": 0}, {"max_samples": 1.5}, {"max_seconds": -1}):
        with pytest.raises(UsageError) as caught:
            PosteriorSettings(**wrong)
        assert caught.value.parameter in wrong
    with pytest.raises(UsageError) as caught:
        sc.apparent_information(forecasts, confidence_level=95)
    assert caught.value.parameter == "confidence_level"
    with pytest.raises(UsageError):
        sc.compare_information(forecasts, sample())  # log-ratios beside logarithms


def test_the_json_is_a_contract():
    result = answer(groups=np.arange(300) % 2, units="bits")
    data = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert set(data) == {"kind", "schema", "scorecast", "inputs", "options", "result"}
    assert (data["kind"], data["schema"]) == ("information", 2)
    assert set(data["inputs"]) == {"n", "n_censored", "prior_source", "names"}
    assert set(data["options"]) == {
        "units", "confidence_level", "floor", "random_state", "max_samples",
        "allow_unconverged", "mixture_prior", "sampling", "tails", "max_seconds",
        "is_quick",
    }  # fmt: skip
    found = data["result"]
    assert set(found) == {
        "mean", "n_impossible", "n_floored", "n_posterior", "verdict", "is_converged",
        "normal", "posterior", "prior", "diagnostics", "spread", "worst", "influence",
        "betting", "reliability", "groups", "population", "notes",
    }  # fmt: skip
    assert {"mean", "median", "sd", "low", "high", "views"} < set(found["posterior"])
    assert {"rhat", "ess_bulk", "failed"} < set(found["diagnostics"])
    assert set(found["worst"][0]) == {"index", "id", "j", "cost", "share"}
    back = again(result)
    assert back.to_dict() == data
    assert back.forecasts is None
    assert str(back) == str(result)
    assert len(json.dumps(data)) < 60_000


def test_a_million_cases_stay_small_in_json():
    j = np.random.default_rng(0).normal(0.1, 0.5, 10**6)
    with pytest.warns(ResultWarning, match="of 1,000,000"):
        result = answer(j, max_samples=1000)
    assert len(json.dumps(result.to_dict())) < 60_000
    spread = result.spread
    assert sum(spread.counts) + spread.below + spread.above == 10**6


def test_no_sure_verdict_where_the_plain_mean_says_otherwise():
    found = answer(tails="mixture")
    sure = dataclasses.replace(found.posterior, probability_positive=0.9999)
    usual = dataclasses.replace(found.normal, low=0.01)
    verdict = verdict_of(sure, usual, n=9, is_flat=False)
    assert verdict is Verdict.SURELY_BETTER
    for chance, word in [
        (0.9, "undecided"),
        (0.901, "probably-better"),
        (0.975, "probably-better"),
        (0.976, "very-probably-better"),
        (0.999, "very-probably-better"),
        (0.9991, "surely-better"),
        (0.0009, "surely-worse"),
    ]:
        sure = dataclasses.replace(found.posterior, probability_positive=chance)
        assert verdict_of(sure, usual, n=9, is_flat=False).value == word
    sure = dataclasses.replace(found.posterior, probability_positive=0.9999)
    doubted = dataclasses.replace(found.normal, low=-0.01, high=0.1)
    verdict = verdict_of(sure, doubted, n=9, is_flat=False)
    assert verdict is Verdict.PERHAPS_BETTER
    worse = dataclasses.replace(found.posterior, probability_positive=0.02)
    verdict = verdict_of(worse, usual, n=9, is_flat=False)
    assert verdict is Verdict.VERY_PROBABLY_WORSE


def test_the_mixture_alone_may_be_asked_for():
    every, alone = answer(), answer(tails="mixture")
    assert [v.tails for v in every.posterior.views] == ["mixture", "pareto", "normal"]
    assert [v.tails for v in alone.posterior.views] == ["mixture"]
    assert alone.posterior.low == every.posterior.views[0].low > every.posterior.low
    assert every.posterior.low <= every.normal.low + 1e-3 * every.normal.stderr
    with pytest.raises(UsageError, match="all"):
        answer(tails="pareto")


def overconfident(n, rng):
    """Naive Bayes with ten copies of three features: J is near -1.9 bits."""
    sep, copies = 0.26, 10
    y = rng.random(n) < 0.5
    z = rng.normal(np.where(y, sep, -sep)[:, None], 1, (n, 3))
    odds = copies * 2 * sep * z.sum(axis=1)
    return np.log(2) - np.logaddexp(0, np.where(y, -odds, odds))


def test_the_headline_is_the_plain_mean_unless_a_tail_is_long():
    for seed in range(15):
        j = overconfident(200, np.random.default_rng([seed, 4]))
        found = answer(j).posterior
        assert found.centre == "normal"
        assert found.median == pytest.approx(j.mean(), abs=1e-9)
    long = np.random.default_rng(0).standard_t(1.2, 400)
    assert answer(long).posterior.centre == "pareto"


def test_three_single_densities_stand_beside_the_predictive_one():
    found = answer(units="bits").spread
    assert found.draws.shape == (3, found.x.size)
    step = found.x[1] - found.x[0]
    assert (found.draws.sum(axis=1) * step > 0.5).all()
    assert len({tuple(row) for row in found.draws.tolist()}) == 3
    assert np.abs(found.draws - found.density).max() > 0
    assert again(answer()).spread.draws.shape == (3, found.x.size)
    quick = answer(quick=True)
    assert quick.spread.draws.size == 0
    assert "single distributions" not in sc.render(quick, "html")
    assert "Thin: 3 single distributions" in sc.render(answer(), "html")


# Groups by their weights in use ------------------------------------------------------


def in_groups(seed=0):
    """Three groups of different size, level and spread."""
    rng = np.random.default_rng(seed)
    sizes, levels, spreads = (200, 60, 40), (0.1, 0.9, -0.4), (0.3, 0.6, 0.2)
    j = [rng.normal(*x) for x in zip(levels, spreads, sizes, strict=True)]
    return np.concatenate(j), np.repeat(["a", "b", "c"], sizes).tolist()


def test_weights_of_the_sample_give_the_mean_of_all():
    """By group or not, the mean is the same; the error is that within groups."""
    j, groups = in_groups()
    counts = {"a": 200, "b": 60, "c": 40}
    found = answer(j, groups=groups, group_weights=counts, influence=False)
    use = found.population
    assert use.weights == pytest.approx({"a": 2 / 3, "b": 0.2, "c": 2 / 15})
    assert use.mean == pytest.approx(found.mean)
    share = np.array(list(use.weights.values()))
    parts = [g.posterior.view("normal") for g in found.groups]
    # Independent posteriors: means add up, and so do variances.
    expected = share @ [view.mean for view in parts]
    sd = np.sqrt(share**2 @ [view.sd**2 for view in parts])
    plain = use.posterior.view("normal")
    error = sd / np.sqrt(8000)
    assert abs(plain.mean - expected) < 4 * error
    assert plain.sd == pytest.approx(sd, rel=0.05)
    assert abs(plain.mean - found.posterior.view("normal").mean) < 4 * error
    # Broken on purpose: draws in the order of quantiles go together.
    together = share @ [view.sd for view in parts]
    assert abs(together / sd - 1) > 0.2
    # And equal weights are another population.
    equal = dict.fromkeys("abc", 1)
    other = answer(j, groups=groups, group_weights=equal, influence=False).population
    assert abs(other.mean - found.mean) > 10 * error


def test_the_interval_of_a_population_of_use_holds_its_truth():
    """Where groups have other shares, 95 % hold the J of use; that of all do not."""
    weights, levels = {"a": 0.1, "b": 0.5, "c": 0.4}, (0.1, 0.9, -0.4)
    truth = float(np.dot(list(weights.values()), levels))
    held, plainly = 0, 0
    for seed in range(40):
        j, groups = in_groups(seed)
        call = {"groups": groups, "group_weights": weights, "quick": True}
        found = answer(j, influence=False, **call)
        use = found.population.posterior
        held += use.low <= truth <= use.high
        plainly += found.posterior.low <= truth <= found.posterior.high
    assert held >= 35
    assert plainly < 20


def test_weights_change_nothing_else_and_come_back():
    j, groups = in_groups()
    plain = answer(j, groups=groups)
    found = answer(j, groups=groups, group_weights={"c": 1, "a": 0, "b": 0})
    first, second = plain.to_dict(), found.to_dict()
    assert second["result"].pop("population")["weights"] == {"a": 0, "b": 0, "c": 1}
    assert first["result"].pop("population") is None
    assert first == second
    only = found.population.posterior
    assert only.median == pytest.approx(found.groups[2].posterior.median, abs=0.01)
    assert again(found).population.weights == {"a": 0.0, "b": 0.0, "c": 1.0}
    text, page = sc.render(found), sc.render(found, "html")
    assert "\nin use " in text
    assert "where groups are as frequent as was said" in " ".join(text.split())
    assert "is the sum by the weights that were given" in page
    assert found.to_columns()["group"][-1] == "in use"
    assert "in use" not in sc.render(plain)


def test_small_and_flat_groups_have_a_part_in_the_sum():
    j = np.concatenate([np.full(5, 0.2), sample(100), [1.0]])
    groups = ["flat"] * 5 + ["many"] * 100 + ["one"]
    weights = {"flat": 1, "many": 8, "one": 1}
    for quick in (True, False):
        found = answer(j, groups=groups, group_weights=weights, quick=quick)
        assert found.population.lacking == ()
        use = found.population.posterior
        assert use.low < use.median < use.high


@pytest.mark.parametrize("quick", [True, False])
def test_groups_of_few_unlike_cases_have_a_part_in_the_sum(quick):
    """Of fewer than ten nothing is learned about tails; the plain view stands."""
    j, groups = sample(26), ["few"] * 6 + ["many"] * 20
    for n, weights in ((26, {"few": 1, "many": 3}), (6, {"few": 1})):
        call = {"groups": groups[:n], "group_weights": weights, "quick": quick}
        use = answer(j[:n], influence=False, **call).population
        assert use.lacking == ()
        assert use.posterior.low < use.posterior.median < use.posterior.high
        assert ("pareto" in [x.tails for x in use.posterior.views]) == (n == 26)


def test_a_group_without_a_posterior_is_named():
    j = np.concatenate([sample(50), [-np.inf]])
    groups = ["a"] * 50 + ["lost"]
    with pytest.warns(ResultWarning):
        found = answer(j, groups=groups, group_weights={"a": 9, "lost": 1})
    assert found.population.posterior is None
    assert found.population.lacking == ("lost",)
    assert "minus infinity: none of lost" in sc.render(found)
    with pytest.warns(ResultWarning):
        found = answer(j, groups=groups, group_weights={"a": 9, "lost": 0})
    assert found.population.posterior is not None


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({"a": 1, "b": 1}, "lacks the group 'c'"),
        ({"a": 1, "b": 1, "c": 1, "d": 1}, "row 4: 'd' is no group"),
        ({"a": 1, "b": -1, "c": 1}, "row 2: the weight of 'b' must be a number from 0"),
        ({"a": np.nan, "b": 1, "c": 1}, "row 1"),
        ({"a": np.inf, "b": 1, "c": 1}, "got inf"),
        ({"a": "1", "b": 1, "c": 1}, "got '1'"),
        ({"a": 0, "b": 0, "c": 0}, "all 0"),
    ],
)
def test_weights_that_cannot_be_are_refused(weights, said):
    j, groups = in_groups()
    with pytest.raises(InvalidInputError, match=said):
        answer(j, groups=groups, group_weights=weights)


def test_weights_need_groups():
    with pytest.raises(UsageError, match="group of every case"):
        answer(group_weights={"a": 1})
    with pytest.raises(UsageError, match="must map"):
        answer(np.ones(3), groups=["a"] * 3, group_weights=[1.0])


def test_relative_information_has_a_population_of_use():
    rng = np.random.default_rng(0)
    first, second = rng.normal(-1.0, 0.2, (2, 60))
    found = sc.compare_information(
        first,
        second,
        groups=["a", "b"] * 30,
        group_weights={"a": 3, "b": 1},
        quick=True,
    )
    gap = (first - second) / np.log(2)
    assert found.population.mean == pytest.approx(
        0.75 * gap[::2].mean() + 0.25 * gap[1::2].mean()
    )


# The prior of J ----------------------------------------------------------------------


def test_the_prior_is_told_and_drawn():
    plain = answer(units="bits", influence=False)
    assert plain.prior.scale == 1
    assert plain.prior.candidates == ()
    # The paper gives 95 % of J to 2.6 nats on either side of zero.
    ends = np.array([plain.prior.low, plain.prior.high]) * np.log(2)
    assert ends == pytest.approx([-2.57, 2.57], abs=0.25)
    step = plain.prior.x[1] - plain.prior.x[0]
    assert plain.prior.density.sum() * step == pytest.approx(0.98, abs=0.02)
    assert len(plain.prior.draws) == 60
    assert "Prior of J" not in sc.render(plain)
    wide = answer(prior=Prior.information().scaled(4), influence=False)
    assert wide.prior.scale == pytest.approx(4)
    assert wide.prior.high == pytest.approx(4 * 2.57, rel=0.1)
    text = " ".join(sc.render(wide).split())
    assert "Prior of J 4 times as wide as in the paper (95 %: -1" in text
    page = sc.render(wide, "html")
    assert "Before any case" in page
    assert "60 draws of it" in page
    assert again(wide).prior.scale == wide.prior.scale
    own = answer(prior=Prior.information(growth=0.5), influence=False)
    assert own.prior.scale is None
    assert "as was given" in sc.render(own)
    quick = answer(quick=True)
    assert quick.prior is None
    assert "Before any case" not in sc.render(quick, "html")


def test_the_prior_without_a_compiler_is_the_compiled_one():
    prior = Prior.information().scaled(2)
    found = draw_prior_means(prior, 4000, np.random.default_rng(0))
    other = sample_prior_means(prior, 4000, random_state=1)[:, 0]
    assert stats.ks_2samp(found, other).pvalue > 0.01
    # Broken on purpose: a tenth wider would be seen.
    assert stats.ks_2samp(1.15 * found, other).pvalue < 0.01


@pytest.fixture
def evidence(monkeypatch):
    """Evidence that is whatever a test says, by how wide the prior is."""
    said = SimpleNamespace(values={}, stderr=0.5, disagreeing=np.empty(0), asked=[])

    def work_out(values, *, prior, **_):
        scale = 1 / np.sqrt(prior.centre_precision[0, 0])
        said.asked.append((round(float(scale), 6), len(values)))
        return SimpleNamespace(
            value=said.values.get(round(float(scale), 6), -100.0),
            stderr=said.stderr,
            is_rule_rough=False,
            disagreeing=said.disagreeing,
        )

    monkeypatch.setattr("scorecast.information.prior_of_j.log_evidence", work_out)
    return said


def test_evidence_chooses_a_width_that_is_clearly_ahead(evidence):
    evidence.values = {4.0: -90.0, 2.0: -95.0}
    found = answer(prior="evidence", influence=False)
    assert evidence.asked == [(s, 300) for s in (0.5, 1.0, 2.0, 4.0, 8.0)]
    assert found.prior.scale == 4
    assert found.mixture_prior == "information (B.7), 4 times as wide"
    assert [one.scale for one in found.prior.candidates[:2]] == [4.0, 2.0]
    text = " ".join(sc.render(found).split())
    assert "chosen by evidence, ahead of the paper's (+10" in text
    assert "How well each width foretold" in sc.render(found, "html")
    assert again(found).prior.candidates == found.prior.candidates
    # The posterior is that under the prior that was chosen.
    given = answer(prior=Prior.information().scaled(4), influence=False)
    assert found.posterior.median == pytest.approx(given.posterior.median, abs=0.01)


@pytest.mark.parametrize(
    ("values", "stderr", "disagreeing"),
    [
        ({4.0: -98.8}, 0.5, []),  # within two errors of both
        ({4.0: -94.0}, 0.5, [3]),  # chains disagree: the error is a guess
        ({1.0: -90.0}, 0.5, []),
    ],
)
def test_the_paper_s_prior_stays_unless_another_is_clearly_ahead(
    evidence, values, stderr, disagreeing
):
    evidence.values, evidence.stderr = values, stderr
    evidence.disagreeing = np.array(disagreeing)
    found = answer(prior="evidence", influence=False)
    assert found.prior.scale == 1
    assert "left by evidence" in " ".join(sc.render(found).split())


def test_evidence_of_many_cases_is_that_of_some(evidence):
    answer(sample(1200), prior="evidence", influence=False)
    assert {n for _, n in evidence.asked} == {500}


def test_what_is_no_prior_is_refused():
    with pytest.raises(UsageError, match="must be a Prior or 'evidence'"):
        PosteriorSettings(prior="wide")
    with pytest.raises(UsageError, match="quick look"):
        answer(prior="evidence", quick=True)


@pytest.mark.slow
def test_evidence_of_the_simulation_widens_a_prior_that_is_too_narrow(monkeypatch):
    """With the sampler itself: cases far beyond the reach of the prior, and within."""
    far = np.random.default_rng(0).normal(15.0, 12.0, 60)
    rng = np.random.default_rng(1)
    prior, candidates = prior_by_evidence(far, rng, None)
    assert 1 / np.sqrt(prior.centre_precision[0, 0]) > 3
    order = [one.scale for one in candidates]
    assert order.index(8.0) < order.index(1.0) < order.index(0.5)
    near = np.random.default_rng(0).normal(0.1, 0.15, 60)
    prior, _ = prior_by_evidence(near, rng, None)
    assert prior.centre_precision[0, 0] >= 1
