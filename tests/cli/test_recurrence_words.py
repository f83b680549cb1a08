"""What ``scorecast recurrence`` says, with a quick model in place of the sampler."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.base import BaseEstimator

import scorecast.recurrence
from scorecast.mixtures.diagnostics import Diagnostics

QUICK = ("--cv", "2", "--chains", "1", "--draws", "20", "--allow-unconverged")


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
        self.diagnostics_ = Diagnostics(1.0, 99.0, 99.0, 0.1, 1.0, 99.0, 1, 20)
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
        code, text, err = run(
            "recurrence", path, "--time", "t", "--event", "seen", *QUICK, *compared,
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
    assert said.startswith("3 of 40 cases get")
    assert "'a'" in said
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
