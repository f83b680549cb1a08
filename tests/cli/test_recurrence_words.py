"""What ``scorecast recurrence`` says, with a quick model in place of the sampler."""

import dataclasses
import html
import json
import re
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.base import BaseEstimator

import scorecast.recurrence
from scorecast.exceptions import DataWarning
from scorecast.mixtures.diagnostics import Check, Diagnostics

QUICK = ("--cv", "2", "--chains", "1", "--draws", "20", "--max-seconds", "0",
         "--allow-unconverged")  # fmt: skip


class QuickModel(BaseEstimator):
    """One lognormal law for all, wide where the first covariate is 1."""

    def __init__(
        self,
        random_state=0,
        allow_unconverged=False,
        checkpoint=None,
        noise_sd=0.1,
        noise_shape=5.0,
        moments="censored",
        hyperparameters=None,
        sampling=None,
        n_jobs=None,
    ):
        self.random_state = random_state
        self.allow_unconverged = allow_unconverged
        self.checkpoint = checkpoint
        self.noise_sd = noise_sd
        self.noise_shape = noise_shape
        self.moments = moments
        self.hyperparameters = hyperparameters
        self.sampling = sampling
        self.n_jobs = n_jobs

    def fit(self, X, time, event):
        self.middle_ = float(np.log(time).mean())
        self.scaling_ = SimpleNamespace(ridge=0.0)
        self.thinning_, self.n_events_ = 1, int(np.sum(event))
        self.diagnostics_ = Diagnostics(
            rhat=1.0, ess_bulk=99.0, ess_tail=99.0, mcse=0.1, rhat_components=1.0,
            ess_components=99.0, n_chains=1, n_draws=20,
        )  # fmt: skip
        return self

    def thinned(self, _):
        return self

    def _parts(self, X, times):
        X, times = np.asarray(X, dtype=float), np.asarray(times, dtype=float)
        spread = np.where(X[:, :1] == 1.0, 9.0, 1.0)
        return (np.log(times) - self.middle_) / spread, spread, times

    def predict_log(self, X, times):
        z, spread, times = self._parts(X, times)
        return norm.logpdf(z) - np.log(spread * times), norm.logsf(z)

    def predict_density(self, X, times):
        return np.exp(self.predict_log(X, times)[0])

    def predict_survival(self, X, times):
        return np.exp(self.predict_log(X, times)[1])

    def predict_survival_band(self, X, times, *, level=0.9):
        middle = self.predict_survival(X, times)
        return middle**1.2, middle**0.8

    def predict_quantile(self, X, shares):
        spread = np.where(np.asarray(X)[:, :1] == 1.0, 9.0, 1.0)
        return np.exp(self.middle_ + spread * norm.ppf(shares)[None])


@pytest.fixture
def quick(monkeypatch, run, tmp_path):
    """Run the verb on a table with the quick model; return code, text, errors, data."""
    monkeypatch.setattr(scorecast.recurrence, "RecurrenceModel", QuickModel)

    def run_it(rows, *more, columns="t,seen,a,b", rivals=("none",)):
        path, out = tmp_path / "cases.csv", tmp_path / "out.json"
        path.write_text("\n".join([columns, *rows]) + "\n")
        compared = [x for name in rivals for x in ("--compare", name)]
        settings = QUICK[2:] if "--folds" in more else QUICK
        code, text, err = run(
            "recurrence", path, "--time", "t", "--event", "seen", *settings, *compared,
            "--json", out, "--report", tmp_path / "out.html", "--force", *more,
        )  # fmt: skip
        data = json.loads(out.read_text()) if out.exists() else None
        page = (tmp_path / "out.html").read_text() if out.exists() else ""
        return SimpleNamespace(code=code, text=text, err=err, data=data, page=page)

    return run_it


def rows(n=40, extra=lambda i: ""):
    """Good rows; ``a`` is 1 in three of them."""
    return [
        f"{1 + (i * 29 % n) / 7:.3f},{int(i % 3 > 0)},{int(i % 15 == 0)},"
        f"{(i * 17) % 13 + 0.5}{extra(i)}"
        for i in range(n)
    ]


def test_rare_values_that_leave_all_open_are_in_the_answer(quick):
    found = quick(rows())
    assert found.code == 0, found.err
    (said,) = [w for w in found.data["result"]["warnings"] if "1,000-fold" in w]
    assert said.startswith("3 of 40 cases (rows 1, 16, 31) get a 95 % interval")
    assert "'a'" in said
    # One level for what is shown and what is warned of.
    assert {case["level"] for case in found.data["result"]["curves"]} == {0.95}
    assert "1,000-fold" in found.text
    assert "1,000-fold" in found.page


@pytest.mark.filterwarnings("ignore")
def test_the_table_has_one_estimator_and_it_is_that_of_the_headline(quick):
    found = quick(rows(), rivals=("weibull",))
    assert found.code == 0, found.err
    result = found.data["result"]
    median = result["information"]["posterior"]["median"]
    first = found.text.split(" bits per case")[0].split()[-1]
    table = {line.split("  ")[1]: line for line in found.text.splitlines()
             if line.startswith("  ")}  # fmt: skip
    assert f" {first} (" in table["this model"]
    assert float(first) == pytest.approx(median, abs=0.06)
    curve, weibull = result["comparison"]
    for row in (curve, weibull):
        assert row["worth_low"] <= row["worth"] <= row["worth_high"]
    digits = len(first.split(".")[1])
    assert f" {weibull['worth']:.{digits}f} (" in table["Weibull AFT"]
    assert "medians of the posterior" in found.text
    assert "Medians of the posterior" in found.page


def test_why_a_rival_has_no_figure_is_said(quick, monkeypatch):
    import scorecast.information
    from scorecast.exceptions import InvalidInputError

    def refuse(*_, **__):
        msg = "The second forecast gave no chance to what happened in 2 case(s)."
        raise InvalidInputError(msg)

    monkeypatch.setattr(scorecast.information, "compare_information", refuse)
    found = quick(rows())
    assert found.code == 0, found.err
    assert any("no chance to what happened in 2" in w
               for w in found.data["result"]["warnings"])  # fmt: skip
    assert "n/a: could not be said" in " ".join(found.text.split())
    assert "n/a: could not be said" in found.page


def test_none_and_a_rival_contradict_each_other(quick):
    found = quick(rows(), rivals=("none", "cox"))
    assert found.code == 2
    assert "--compare none" in found.err


def test_few_events_and_leaks_are_in_the_answer_once(quick):
    few = [f"{1 + i / 7:.3f},{int(i < 4)},{i % 2},{(i * 17) % 13 + 0.5},{i}"
           for i in range(40)]  # fmt: skip
    found = quick(few, columns="t,seen,a,b,id")
    assert found.code == 0, found.err
    said = found.data["result"]["warnings"]
    assert sum("lean on the prior" in w for w in said) == 1
    assert any(w.startswith("Only 4 events were seen") for w in said)
    assert any("'id' was taken as a covariate" in w for w in said)
    for shown in (found.text, found.page):
        assert "Only 4 events were seen" in shown
    assert found.err.count("lean on the prior") == 0
    chosen = quick(few, "--covariates", "a,b,id", columns="t,seen,a,b,id")
    assert not any("'id'" in w for w in chosen.data["result"]["warnings"])


def test_faults_of_columns_name_the_file_and_the_option(quick):
    constant = quick([f"{1 + i},1,{i % 5},4" for i in range(20)])
    assert constant.code == 3
    assert "cases.csv: Covariate 'b' is 4 in every case" in constant.err
    assert "with --drop" in constant.err
    copies = quick([f"{1 + i},1,{i % 5},{2 * (i % 5)}" for i in range(20)])
    assert "leave one out with --drop" in copies.err
    none = quick([f"{1 + i},0,{i % 5},{i % 7}" for i in range(20)])
    assert none.code == 4
    assert "cases.csv, column 'seen': 0 events in 20 cases" in none.err
    folds = quick(rows(), "--cv", "200")
    assert "--cv at most 20" in folds.err


def test_columns_and_rows_may_have_commas(quick):
    more = rows(extra=lambda i: f",{i % 5},{i % 4}")
    found = quick(more, "--drop", "c,d", "--case", "1,2", columns="t,seen,a,b,c,d")
    assert found.code == 0, found.err
    assert found.data["inputs"]["covariates"] == ["a", "b"]
    names = [one["name"] for one in found.data["result"]["curves"]]
    assert names == ["case 1", "case 2"]
    assert all(one["level"] == 0.95 for one in found.data["result"]["curves"])
    assert "rows from 1 to 40" in quick(rows(), "--case", "500").err
    assert quick(rows(), "--case", "1,x").code == 2


def test_all_times_equal_are_said_with_their_column(quick):
    found = quick([f"5,{i % 2},{i % 5},{i % 7}" for i in range(20)])
    assert found.code == 4
    assert "cases.csv, column 't': the time is 5 in every row" in found.err


def test_unknown_candidates_are_answered_with_a_list_of_names(quick):
    for text in ("foo=1", "name=3"):
        found = quick(rows(), "--candidate", text)
        assert found.code == 2
        assert f"--candidate '{text}': there is no" in found.err
        assert "There are skew_spread, concentration, growth," in found.err
        assert "__init__" not in found.err
    assert "Did you mean 'growth'?" in quick(rows(), "--candidate", "growht=1").err


@pytest.mark.parametrize("value", ["-1", "nan", "0", "0.95", "2"])
def test_the_limit_of_growth_is_one(quick, value):
    said = quick(rows(), "--candidate", f"growth={value}").err
    assert "growth must be above 0 and at most 0.9, as --growth." in said


def test_folds_are_named_as_an_option(quick):
    one = quick(rows(extra=lambda i: ",1"), "--folds", "f", columns="t,seen,a,b,f")
    assert "--folds must hold at least two different labels" in one.err
    few = quick([f"{i},{int(i == 1)},{i % 3},{i % 4}" for i in range(1, 13)])
    assert "12 cases with 1 event are too few" in few.err


def test_all_events_seen_is_not_most(quick):
    found = quick([f"{1 + i / 7:.3f},1,{i % 2},{(i * 17) % 13}" for i in range(30)])
    assert "all cases until their event" in found.text


def test_a_file_with_more_columns_than_rows_is_noted_once(quick):
    rng = np.random.default_rng(0)
    wide = [f"{1 + i},{int(i % 4 > 0)}," + ",".join(f"{x:.3f}" for x in row)
            for i, row in enumerate(rng.normal(size=(12, 14)))]  # fmt: skip
    names = ",".join(f"g{i}" for i in range(14))
    found = quick(wide, columns=f"t,seen,{names}")
    assert found.code == 0, found.err
    assert found.err.count("the prior decides how they hang together") == 1


def test_intervals_have_one_style_and_p_is_never_zero(quick):
    late = [f"{100 + i if i % 2 else 0.01 + i / 1000:.3f},1,{i % 3 - 1},{(i * 17) % 13}"
            for i in range(60)]  # fmt: skip
    found = quick(late, rivals=("none",))
    assert found.code == 0, found.err
    assert not re.search(r"\d-\d", found.text.replace("1,000-fold", ""))
    assert found.data["result"]["calibration"]["p"] < 0.005
    for shown in (found.text, html.unescape(found.page)):
        assert "p < 0.01" in shown
        assert "p = 0.00" not in shown


def test_simulations_that_fail_are_named(quick, monkeypatch):
    import scorecast.information
    from scorecast.exceptions import NotConvergedError

    monkeypatch.setattr("scorecast.mixtures.diagnostics.MOST_RHAT", 1.0)
    asked = quick(rows(), rivals=("weibull",))
    (said,) = [w for w in asked.data["result"]["warnings"] if "posterior of J" in w]
    assert "did not converge for the model beyond the prior, " in said
    assert "the model beyond Weibull AFT" in said
    assert "(worst R-hat 1." in said
    assert "The simulation did not converge" not in asked.text

    def refuse(*_, **__):
        msg = "Long story."
        raise NotConvergedError(msg, "R-hat 1.5")

    with monkeypatch.context() as patch:
        patch.setattr(scorecast.information, "compare_information", refuse)
        found = quick(rows())
    (said,) = [w for w in found.data["result"]["warnings"] if "R-hat 1.5" in w]
    assert said.startswith("What the model knows beyond the curve of all cases alike ")
    assert "--allow-unconverged" in said
    monkeypatch.setattr(scorecast.information, "apparent_information", refuse)
    withheld = quick(rows())
    assert withheld.code == 4
    assert "What the model knows beyond the prior cannot be said." in withheld.err


def test_a_checkpoint_keeps_why_a_posterior_is_withheld(quick, monkeypatch, tmp_path):
    import scorecast.information
    from scorecast.exceptions import NotConvergedError

    asked = []

    def compare_information(*_, **__):
        asked.append(1)
        msg = "Long story."
        raise NotConvergedError(msg, "R-hat 1.5")

    name = "compare_information"
    monkeypatch.setattr(scorecast.information, name, compare_information)
    for _ in range(2):
        found = quick(rows(), "--checkpoint", tmp_path / "kept.jsonl")
        said = [w for w in found.data["result"]["warnings"] if "(R-hat 1.5)" in w]
        assert len(said) == 1
        assert "Long story" not in said[0]
    assert len(asked) == 1


def test_the_fit_of_shown_cases_is_named_where_it_fails(quick, monkeypatch):
    plain = QuickModel.fit

    def failing(self, X, time, event):
        plain(self, X, time, event)
        warnings.warn("The simulation did not converge.", DataWarning, stacklevel=2)
        self.diagnostics_ = dataclasses.replace(
            self.diagnostics_, failed=(Check.RHAT,), rhat=1.7, n_chains=2
        )
        return self

    monkeypatch.setattr(QuickModel, "fit", failing)
    found = quick(rows())
    words = "fit that predicts the cases shown did not converge (the chains disagree"
    (said,) = [w for w in found.data["result"]["warnings"] if words in w]
    assert words in " ".join(found.text.split())
    assert words not in found.err
    # At the top of the page, and beside the figure.
    figure = found.page.index("Some cases: when")
    assert said in html.unescape(found.page[:figure])
    assert said in html.unescape(found.page[figure:])
    assert "The simulation did not converge" not in found.err


def test_the_help_has_the_defaults_of_chains(run):
    import scorecast as sc
    from scorecast.recurrence import SAMPLING

    code, out, _ = run("recurrence", "--help")
    assert code == 0
    said = " ".join(out.split())
    assert f"[default: {SAMPLING.n_chains}]" in said
    assert "of every chain of a fit; not of the posteriors of J" in said
    assert f"[default: {SAMPLING.n_draws}]" in said
    own = " ".join(sc.RecurrenceModel.__doc__.split())
    assert (
        f"Sampling(n_warmup={SAMPLING.n_warmup}, n_draws={SAMPLING.n_draws}, "
        f"n_extensions={SAMPLING.n_extensions}, n_kept={SAMPLING.n_kept})" in own
    )
    used = vars(SAMPLING) | {"n_warmup": 0, "n_draws": 4, "n_extensions": 0}
    plain = vars(sc.Sampling()) | {"n_warmup": 0, "n_draws": 4, "n_extensions": 0}
    assert used | {"n_kept": 1} == plain | {"n_kept": 1}  # nothing else differs


def test_units_reach_the_page(quick):
    found = quick(rows(), "--time-unit", "years")
    assert "years" in found.text
    assert "time (years)" in found.page
    assert found.data["result"]["follow_up"]["unit"] == "years"


def test_switches_are_named_as_options():
    import click

    from scorecast.cli.faults import in_options
    from scorecast.cli.recurrence import command

    assert isinstance(command, click.Command)
    said = in_options("Give more, or allow_unconverged=True.", command)
    assert said == "Give more, or --allow-unconverged."
    said = in_options("Longer (sampling=Sampling(n_draws=80)).", command)
    assert said == "Longer (--draws 80)."


def test_the_help_says_what_draws_do_not_shorten(run):
    code, out, _ = run("recurrence", "--help")
    assert code == 0
    assert "nor of the evidence of --candidate" in " ".join(out.split())
