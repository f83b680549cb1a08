"""What is said at once, and how little is loaded for it."""

import json
import math
import subprocess
import sys

import numpy as np
import pytest
from scipy.special import stdtrit

import scorecast as sc
from scorecast.exceptions import DataWarning, InvalidInputError, NotConvergedError
from scorecast.information.first_figures import first_figures, student_quantile
from scorecast.information.pareto_tails import has_long_tail
from scorecast.information.posterior import has_lone_case
from scorecast.report import report as write_page


@pytest.mark.parametrize("freedom", [1, 2, 5, 29, 101, 999, 10**5])
@pytest.mark.parametrize("level", [0.75, 0.95, 0.975, 0.995])
def test_quantiles_of_student(freedom, level):
    exact = stdtrit(freedom, level)
    assert student_quantile(level, freedom) == pytest.approx(exact, rel=2e-6)


def test_plain_intervals():
    j = np.random.default_rng(0).normal(0.2, 0.5, 300)
    found = first_figures(np.append(j, -np.inf), 0.95)
    assert (found.n, found.n_infinite) == (301, 1)
    half = stdtrit(299, 0.975) * j.std(ddof=1) / np.sqrt(300)
    assert found.t_interval == pytest.approx((j.mean() - half, j.mean() + half))
    assert found.bootstrap_interval == pytest.approx(found.t_interval, abs=0.1 * half)
    assert np.isnan(first_figures(np.array([0.1]), 0.95).t_interval[0])


FIRST = """
import sys
import scorecast._core.progress as progress
def stop(text):
    ours = sorted(m for m in sys.modules if m.startswith("scorecast."))
    print(__import__("json").dumps([text, sorted(sys.modules), ours]))
    sys.stdout.flush()
    __import__("os")._exit(0)
progress.say = stop
from scorecast.cli import main
main()
"""


def test_first_figures_load_little(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("q,p\n" + "0.7,0.5\n0.4,0.5\n0.9,0.5\n" * 20)
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            FIRST,
            "information",
            str(table),
            "--q",
            "q",
            "--p",
            "p",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    text, loaded, ours = json.loads(done.stdout)
    assert text.startswith("First figures: mean")
    heavy = {"sklearn", "numba", "scipy.stats", "scipy.special", "joblib", "matplotlib"}
    assert not heavy & set(loaded)
    assert not [m for m in ours if m.startswith("scorecast.report")]
    assert len(ours) < 70


def test_one_column_of_probabilities():
    chance, won = [0.8, 0.3, 0.6, 0.7], [True, False, False, True]
    cases = sc.cases_from_classes(chance, won, prior=[0.5, 0.5])
    rows = [[1 - p, p] for p in chance]
    both = sc.cases_from_classes(rows, [int(x) for x in won], prior=[0.5, 0.5])
    np.testing.assert_allclose(cases.j, both.j)
    named = sc.cases_from_classes(
        chance, ["w", "l", "l", "w"], classes=("l", "w"), prior=[0.5, 0.5]
    )
    np.testing.assert_allclose(named.j, both.j)
    with pytest.raises(InvalidInputError, match="labels 0 and 1"):
        sc.cases_from_classes(chance, ["w", "l", "l", "w"], prior=[0.5, 0.5])


def test_boolean_training_labels():
    chance, won = [[0.2, 0.8], [0.7, 0.3]], [True, False]
    train = [True, True, False, True]
    found = sc.cases_from_classes(chance, won, y_train=train)
    np.testing.assert_allclose(found.j, np.log([0.8 / 0.75, 0.7 / 0.25]))


def test_named_columns_in_any_order():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"win": [0.5, 0.2], "draw": [0.3, 0.3], "loss": [0.2, 0.5]}
    )
    prior = {"win": 0.4, "draw": 0.3, "loss": 0.3}
    found = sc.cases_from_classes(frame, ["win", "loss"], prior=prior)
    np.testing.assert_allclose(found.j, np.log([0.5 / 0.4, 0.5 / 0.3]))


def test_a_quick_look_is_marked_and_simulates_nothing(monkeypatch):
    from scorecast.information import simulation

    def refuse(*_, **__):
        raise AssertionError

    monkeypatch.setattr(simulation, "sample_short_chains", refuse)
    monkeypatch.setattr(simulation, "sample_posterior", refuse)
    j = np.random.default_rng(1).normal(0.1, 0.4, 200)
    groups = np.arange(200) % 2
    result = sc.apparent_information(j, np.zeros(200), groups=groups, quick=True)
    assert result.quick
    assert result.summary().startswith("Quick look")
    assert "No simulation" in write_page(result)
    assert result.posterior.median == pytest.approx(j.mean(), abs=1e-3)
    assert result.posterior.low < j.mean() < result.posterior.high
    assert result.groups[0].posterior is not None
    again = type(result).from_dict(json.loads(json.dumps(result.to_dict())))
    assert again.quick


def test_zeros_are_said_first(quick_posterior):
    log_q = np.log(np.append(np.full(20, 0.6), 0.4))
    log_q = np.append(log_q, [-np.inf, -np.inf])
    with pytest.warns(DataWarning, match="2 of 23 cases had no chance"):
        result = sc.apparent_information(log_q, np.full(23, np.log(0.5)))
    assert "minus infinity" in result.warnings[0]
    quick_posterior.reasons = ("R-hat is 1.5",)
    with (
        pytest.warns(DataWarning),
        pytest.raises(NotConvergedError, match="2 of 23 cases had no chance"),
    ):
        sc.apparent_information(log_q, np.full(23, np.log(0.5)))


def test_cases_beyond_the_prior_are_warned_of(quick_posterior):
    j = np.array([3.1, 3.9, 3.4, 4.0, 3.6, 3.6])
    result = sc.apparent_information(j, np.zeros(6))
    said = next(w for w in result.warnings if "reach of the prior" in w)
    assert "scaled(" in said
    assert "--prior-scale" in said
    usual = sc.apparent_information(j - 3.5, np.zeros(6))
    assert not [w for w in usual.warnings if "reach of the prior" in w]


def test_a_lone_case_is_one_that_nothing_comes_near():
    rng = np.random.default_rng(0)
    x = rng.normal(0.1, 0.1, 420)
    assert not has_lone_case(x)
    assert has_lone_case(np.append(x, -6.58))
    assert not has_lone_case(np.append(x, [-6.58, -5.0]))


def overconfident(n, rng):
    """Naive Bayes with ten copies of three features: J is near -1.9 bits."""
    sep, copies = 0.26, 10
    y = rng.random(n) < 0.5
    z = rng.normal(np.where(y, sep, -sep)[:, None], 1, (n, 3))
    odds = copies * 2 * sep * z.sum(axis=1)
    return np.log(2) - np.logaddexp(0, np.where(y, -odds, odds))


def test_the_headline_is_the_plain_mean_unless_a_tail_is_long(quick_posterior):
    for seed in range(15):
        j = overconfident(200, np.random.default_rng([seed, 4]))
        found = sc.apparent_information(j, np.zeros(200)).posterior
        assert found.centre == "normal"
        assert found.median == pytest.approx(j.mean(), abs=1e-9)
    long = np.random.default_rng(0).standard_t(1.2, 400)
    assert has_long_tail(long)
    assert not has_lone_case(long)
    assert sc.apparent_information(long, np.zeros(400)).posterior.centre == "pareto"


@pytest.mark.statistical
def test_the_headline_of_overconfident_forecasters_is_no_worse_than_the_mean():
    truth = overconfident(10**6, np.random.default_rng(99)).mean()
    errors = []
    for seed in range(75):
        j = overconfident(200, np.random.default_rng([seed, 4]))
        found = sc.apparent_information(j, np.zeros(200), random_state=seed)
        views = {view.tails: view.median for view in found.posterior.views}
        errors.append([found.posterior.median, j.mean(), views["mixture"]])
    squared = (np.array(errors) - truth) ** 2
    worse = squared[:, [0, 2]] - squared[:, [1]]
    stderr = worse.std(axis=0, ddof=1) / math.sqrt(len(worse))
    for sets in (slice(15), slice(75)):  # the first fifteen by themselves
        assert squared[sets, 0].mean() <= 1.0001 * squared[sets, 1].mean()
    assert worse[:, 1].mean() > 2 * stderr[1]  # the centre of before
