"""``scorecast survival`` from the shell: answers, files, exit codes."""

import dataclasses
import json
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest
from tests.snapshot import assert_snapshot, page_text
from tests.survival.stub_model import StubModel, take_quick_posteriors

import scorecast as sc
from scorecast.exceptions import InvalidInputError, NotConvergedError
from scorecast.mixtures import Check
from scorecast.survival import SAMPLING, SurvivalEvaluation, evaluation

SHORT = ("--cv", "2", "--chains", "1", "--draws", "20", "--max-seconds", "0",
         "--baselines", "none", "--allow-unconverged")  # fmt: skip


@pytest.fixture(scope="module")
def cohort_file(tmp_path_factory):
    """Write forty cases whose marker tells the time."""
    rng = np.random.default_rng(0)
    marker = rng.normal(size=40)
    log_time = 1.0 - marker + 0.3 * rng.normal(size=40)
    limit = rng.normal(1.2, 0.8, size=40)
    rows = ["t,seen,marker,age,kind"]
    rows += [
        f"{np.exp(min(a, z)):.4f},{int(a <= z)},{m:.3f},{50 + i},{'ab'[i % 2]}"
        for i, (a, z, m) in enumerate(zip(log_time, limit, marker, strict=True))
    ]
    path = tmp_path_factory.mktemp("cohort") / "cases.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.fixture
def stub(monkeypatch):
    """Put a model without chains in the place of the real one."""
    StubModel.fits.clear()
    monkeypatch.setattr("scorecast.survival.SurvivalModel", StubModel)
    take_quick_posteriors(monkeypatch)
    yield StubModel
    StubModel.fits.clear()


@pytest.fixture
def asked(run, cohort_file):
    """Run the verb on the forty cases."""

    def ask(*more):
        return run("survival", *columns(cohort_file), "--covariates", "marker", *more)

    return ask


@pytest.fixture
def on_table(run, tmp_path, stub):
    """Run the verb on rows of a table; return code, text, errors, JSON and page."""

    def ask(rows, *more, names="t,seen,a,b", settings=SHORT):
        path, out = tmp_path / "cases.csv", tmp_path / "out.json"
        page = tmp_path / "out.html"
        path.write_text("\n".join([names, *rows]) + "\n")
        code, text, err = run(
            "survival", *columns(path), *settings, *more, "--json", out,
            "--report", page, "--force",
        )  # fmt: skip
        data = json.loads(out.read_text()) if out.exists() else None
        shown = page.read_text() if out.exists() else ""
        return SimpleNamespace(
            code=code, text=" ".join(text.split()), err=err, data=data, page=shown,
            notes=[n["code"] for n in data["result"]["notes"]] if data else [],
        )  # fmt: skip

    return ask


def columns(path):
    return (str(path), "--time", "t", "--event", "seen")


def rows(n=40, extra=lambda i: ""):
    """Good rows; ``a`` is 1 in three of them."""
    return [
        f"{1 + (i * 29 % n) / 7:.3f},{int(i % 3 > 0)},{int(i % 15 == 0)},"
        f"{(i * 17) % 13 + 0.5}{extra(i)}"
        for i in range(n)
    ]


# Answers


def test_a_quick_look_and_its_page_are_these(run, cohort_file, stub, tmp_path):
    page, saved = tmp_path / "q.html", tmp_path / "q.json"
    code, out, err = run(
        "survival", *columns(cohort_file), "--covariates", "marker,kind=b", "--quick",
        "--time-unit", "months", "--report", page, "--json", saved,
    )  # fmt: skip
    assert code == 0, err
    assert stub.fits == []
    text = out.replace(str(page), "q.html").replace(str(saved), "q.json")
    assert_snapshot("survival", text)
    shown = page_text(page.read_text())
    assert_snapshot("survival_page", shown[: shown.index("Command")])
    found = sc.load(saved)
    assert isinstance(found, SurvivalEvaluation)
    assert found.is_quick
    assert found.covariates == ("marker", "kind=b")


def test_the_model_itself_answers(run, cohort_file, tmp_path):
    saved, page = tmp_path / "out.json", tmp_path / "out.html"
    code, out, err = run(
        "survival", *columns(cohort_file), "--covariates", "marker,kind=b", *SHORT,
        "--json", saved, "--report", page,
    )  # fmt: skip
    assert code == 0, err
    assert out.startswith("The predicted times carry ")
    assert "Some cases: when" in page.read_text()
    data = json.loads(saved.read_text())
    assert (data["kind"], data["schema"]) == ("survival", 2)
    assert set(data["result"]) == {
        "information", "calibration", "concordance", "brier", "prior_brier",
        "baselines", "curves", "wide", "predictions", "choice", "follow_up",
        "diagnostics", "samples", "notes",
    }  # fmt: skip
    assert data["inputs"]["n"] == 40
    told, samples = data["options"]["model"], data["result"]["samples"]
    assert (told["n_chains"], told["n_draws"]) == (1, 20)
    j = np.subtract(samples["log_q"], samples["log_p"])
    assert data["result"]["information"]["mean"] == pytest.approx(j.mean())
    beyond = np.subtract(samples["log_q"], samples["log_q_of"]["curve"]).mean()
    assert data["result"]["baselines"][0]["beyond"]["mean"] == pytest.approx(beyond)
    assert np.bincount(samples["folds"][0]).tolist() == [20, 20]
    found = sc.load(saved)
    assert found.to_dict()["result"] == data["result"]
    assert found.to_columns()["name"] == ["model", "curve"]


def hard_tables():
    """Name, columns and words that must be said; all of them can be answered."""
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 30))
    times, event = np.exp(0.5 - a + 0.3 * rng.normal(size=30)), np.arange(30) % 3 > 0
    plain = {"t": times, "seen": event * 1, "a": a, "b": b}
    yield "all events", plain | {"seen": np.ones(30)}, "all cases until their event"
    many = {f"c{i}": rng.normal(size=12) for i in range(14)}
    few = {"t": times[:12], "seen": np.ones(12)}
    yield "p > n", few | many, "14 covariates but 12 samples"
    gaps = np.where(np.arange(30) % 3 == 0, np.nan, a)
    yield "gaps", plain | {"a": gaps}, "2 covariates: a, b"
    huge = plain | {"t": 1e300 * times, "a": 1e200 * a + 3e200}
    yield "huge scales", huge, "2 covariates: a, b"
    yield "tiny times", plain | {"t": 1e-300 * times}, "2 covariates: a, b"


@pytest.mark.parametrize(
    ("table", "words"), [pytest.param(*rest, id=name) for name, *rest in hard_tables()]
)
def test_hard_tables_are_answered(run, tmp_path, table, words, monkeypatch):
    take_quick_posteriors(monkeypatch)
    path, out = tmp_path / "hard.csv", tmp_path / "out.json"
    lines = [",".join(f"{x:.17g}" for x in row)
             for row in zip(*table.values(), strict=True)]  # fmt: skip
    path.write_text("\n".join([",".join(table), *lines]) + "\n")
    code, said, err = run("survival", *columns(path), *SHORT, "--json", out)
    assert code == 0, err
    everything = " ".join((said + err).split())
    assert words in everything
    assert everything.count("the prior decides how they hang") <= 1
    samples = json.loads(out.read_text())["result"]["samples"]
    assert np.isfinite(np.array(samples["log_q"], dtype=float)).all()
    assert "RuntimeWarning" not in err


def test_nats_are_nats_throughout(asked, stub, tmp_path):
    path = tmp_path / "out.json"
    assert asked(*SHORT, "--units", "nats", "--json", path)[0] == 0
    data = json.loads(path.read_text())
    assert data["options"]["units"] == "nats"
    told = data["result"]["samples"]
    fold = np.array(told["folds"][0])
    rate = 1 / np.array(told["time"])[fold != fold[0]].mean()
    seen = np.log(rate) if told["event"][0] else 0.0
    assert told["log_q"][0] == pytest.approx(seen - rate * told["time"][0])


def test_values_that_leave_all_open_few_events_and_leaks_are_said_once(on_table):
    few = [f"{1 + i / 7:.3f},{int(i < 4)},{i % 2},{(i * 17) % 13 + 0.5},{i}"
           for i in range(40)]  # fmt: skip
    found = on_table(few, names="t,seen,a,b,id")
    assert found.code == 0, found.err
    assert found.notes == ["leak", "few-events"]
    for shown in (found.text, found.page):
        assert "Only 4 events were seen" in shown
    assert "lean on the prior" not in found.err
    chosen = on_table(few, "--covariates", "a,b,id", names="t,seen,a,b,id")
    assert chosen.notes == ["few-events"]


def test_columns_and_rows_may_have_commas(on_table):
    more = rows(extra=lambda i: f",{i % 5},{i % 4}")
    found = on_table(more, "--drop", "c,d", "--show", "1,2", names="t,seen,a,b,c,d")
    assert found.code == 0, found.err
    assert found.data["inputs"]["covariates"] == ["a", "b"]
    assert [one["row"] for one in found.data["result"]["curves"]] == [1, 2]
    assert "rows from 1 to 40" in on_table(rows(), "--show", "500").err
    assert on_table(rows(), "--show", "1,x").code == 2


def test_the_fit_of_shown_cases_is_named_where_it_fails(on_table, stub, monkeypatch):
    monkeypatch.setattr(stub, "failed", (Check.RHAT,))
    found = on_table(rows())
    assert found.notes == ["curves-unconverged", "folds-unconverged"]
    words = "fit that predicts the cases shown did not converge (the chains disagree"
    assert words in found.text
    assert words not in found.err
    # At the top of the page, and beside the figure.
    figure = found.page.index("Some cases: when")
    assert words in found.page[:figure]
    assert words in found.page[figure:]


# Posteriors that fail


def test_posteriors_that_are_withheld_are_said(on_table, monkeypatch):
    def refuse(*_, **__):
        raise NotConvergedError("a long story", "R-hat 1.5")

    with monkeypatch.context() as patch:
        patch.setattr(evaluation, "compare_information", refuse)
        found = on_table(rows())
    assert found.code == 0, found.err
    assert (
        "What the model knows beyond the curve of all cases alike cannot be said: the "
        "simulation of its posterior of J did not converge (R-hat 1.5)." in found.text
    )
    assert "n/a: could not be said" in found.text
    assert "long story" not in found.text

    def invalid(*_, **__):
        raise InvalidInputError("the second gave no chance to what happened in 2")

    with monkeypatch.context() as patch:
        patch.setattr(evaluation, "compare_information", invalid)
        assert "cannot be said: the second gave no chance" in on_table(rows()).text
    monkeypatch.setattr(evaluation, "apparent_information", refuse)
    withheld = on_table(rows())
    assert withheld.code == 4
    assert "what the model knows beyond the prior cannot be said" in withheld.err
    assert "(--allow-unconverged)" in withheld.err


def test_simulations_that_fail_are_named(asked, monkeypatch):
    monkeypatch.setattr("scorecast.survival.SurvivalModel", StubModel)
    monkeypatch.setattr("scorecast.mixtures.diagnostics.MOST_RHAT", 1.0)
    code, out, _ = asked(*SHORT)
    assert code == 0
    said = " ".join(out.split())
    assert "did not converge for the model beyond the prior, " in said
    assert "(worst R-hat 1." in said


def test_a_posterior_that_falls_short_ends_with_four(asked, monkeypatch):
    monkeypatch.setattr("scorecast.survival.SurvivalModel", StubModel)
    monkeypatch.setattr("scorecast.mixtures.diagnostics.MOST_RHAT", 1.0)
    begun = time.monotonic()
    code, out, err = asked("--cv", "2", "--baselines", "none", "--max-seconds", "0.5")
    assert (code, out) == (4, "")
    assert "what the model knows beyond the prior cannot be said" in err
    assert time.monotonic() - begun < 60  # it takes two seconds, and much less than 60


def test_seconds_bound_fits_and_posteriors_alike(asked, stub, monkeypatch):
    given, ask = [], evaluation.apparent_information

    def noted(*forecasts, **settings):
        given.append(settings["settings"])
        return ask(*forecasts, **settings)

    monkeypatch.setattr(evaluation, "apparent_information", noted)
    wanted = ("--cv", "2", "--baselines", "none", "--allow-unconverged")
    assert asked(*wanted, "--max-seconds", "7")[0] == 0
    assert {fit[-1]["sampling"].max_seconds for fit in stub.fits} == {7.0}
    assert {one.max_seconds for one in given} == {7.0}
    # Lengths of fits do not shorten posteriors of J.
    assert asked(*wanted, "--chains", "2", "--draws", "30")[0] == 0
    assert all(one.sampling is None for one in given)
    assert stub.fits[-1][-1]["sampling"].n_draws == 30


# Tables and options that are refused


def bad_tables():
    """Name, exit code, words and the table's rows after the header."""
    good = [f"{1 + i / 7:.3f},{i % 2},{(i * 37) % 11},{(i * 17) % 13}"
            for i in range(40)]  # fmt: skip
    yield "zero time", 3, "above zero", ["0,1,3,4", *good]
    yield "negative time", 3, "above zero", ["-2,1,3,4", *good]
    yield "NaN time", 3, "the time is missing", ["nan,1,3,4", *good]
    yield "infinite time", 3, "inf is no time", ["inf,1,3,4", *good]
    yield "no time", 3, "the time is missing", [",1,3,4", *good]
    yield "odd event", 3, "event must be 1", ["1,2,3,4", *good]
    yield (
        "no events", 4, "bad.csv, column 'seen': 0 events in 20 samples",
        [f"{1 + i},0,{i % 5},{i % 7}" for i in range(20)],
    )  # fmt: skip
    yield (
        "equal times", 4, "bad.csv, column 't': all times are 5",
        [f"5,{i % 2},{i % 5},{i % 7}" for i in range(20)],
    )  # fmt: skip
    copy = [f"{1 + i},1,{i % 5},{2 * (i % 5)}" for i in range(20)]
    yield "copies", 3, "column 'b': it says the same as 'a'", copy
    constant = [f"{1 + i},1,{i},4" for i in range(9)]
    yield "constant", 3, "bad.csv, column 'b': it is 4 in every row", constant
    yield "words", 3, "nearly all others", ["1,1,x,4", *good]
    yield "few cases", 4, "too few", good[3:6]
    one_event = [f"{i},{int(i == 1)},{i % 3},{i % 4}" for i in range(1, 13)]
    yield "one event", 4, "12 samples with 1 event are too few", one_event


@pytest.mark.parametrize(
    ("code", "words", "lines"),
    [pytest.param(*rest, id=name) for name, *rest in bad_tables()],
)
def test_bad_tables_get_one_line_and_a_code(run, tmp_path, code, words, lines):
    path = tmp_path / "bad.csv"
    path.write_text("\n".join(["t,seen,a,b", *lines]) + "\n")
    found, _, err = run(
        "survival", *columns(path), *SHORT, "--json", tmp_path / "out.json"
    )
    assert found == code, err
    assert words in err.strip().splitlines()[-1]
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--show", "99"), "rows from 1 to 40"),
        (("--show", ",".join(map(str, range(1, 41)))), "--show: names 40 of 40"),
        (("--prior", "gompertz"), "--prior"),
        (("--hyperparameter", "growth=0.999"), "at most 0.9"),
        (("--hyperparameter", "groth=0.5"), "Try 'growth'"),
        (("--candidate", "growth"), "--candidate: NAME=VALUE"),
        (("--candidate", "growth=x"), "got 'growth=x'"),
        (("--candidate", "nonsense=1"), "there is no 'nonsense'"),
        (("--candidate", "name=3"), "there is no 'name'; there are skew_spread"),
        *((("--candidate", f"growth={x}"), "growth must be above 0 and at most 0.9")
          for x in ("-1", "nan", "0", "0.95")),
        (("--baselines", "none", "--baselines", "cox"), "--baselines: none"),
        (("--cv", "1"), "--cv: must be folds"),
        (("--at", "1"), "--at: has no say"),
        (("--predictions", "x.csv"), "--predictions: has no say"),
        *((("--quick", *x), f"{x[0]}: ") for x in (
            ("--prior", "model"), ("--show", "2"), ("--predict", "x.csv"),
            ("--draws", "50"), ("--candidate", "growth=0.3"), ("--chains", "2"))),
    ],
)  # fmt: skip
def test_options_that_cannot_be_meant_are_usage(run, cohort_file, stub, more, words):
    if "--predict" in more:
        more = tuple(str(cohort_file) if x == "x.csv" else x for x in more)
    wanted = columns(cohort_file)
    code, out, err = run("survival", *wanted, "--covariates", "marker", *more)
    assert code == 2, err
    assert words in err
    assert out == ""
    assert stub.fits == []
    assert run("survival", cohort_file, "--time", "t")[0] == 2


def test_what_is_not_installed_is_said(asked, stub, monkeypatch, cohort_file):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    code, _, err = asked("--predict", cohort_file, "--predictions", "out.parquet")
    assert (code, stub.fits) == (3, [])
    assert "scorecast[io]" in err


# Folds


def thirty():
    return [
        f"{1 + i / 7:.3f},{int(i % 3 > 0)},{i * 17 % 31 - 9.5},{i % 3},{i % 4 + i / 99}"
        for i in range(30)
    ]


def test_folds_and_changes_of_columns_in_the_words_of_the_shell(on_table):
    few = SHORT[2:]

    def ask(*more):
        return on_table(thirty(), *more, names="t,seen,a,part,b", settings=few)

    assert ask("--folds", "part").code == 0
    assert ask("--cv", "15").code == 0
    many = ask("--cv", "16")
    assert many.code == 4
    assert "two samples per fold, are needed. At most 15 folds" in many.err
    assert "has no say" in ask("--folds", "part", "--cv", "3").err
    measured = ask("--folds", "a")
    assert measured.code == 3
    assert "column 'a': 30 different labels for 30 samples" in measured.err
    both = ask("--covariates", "a,part", "--folds", "part")
    assert (both.code, "'part' is a covariate, too" in both.err) == (3, True)
    for covariate, words in (
        ("log:a", "has no logarithm. Take a, the number itself (--covariates)"),
        ("sqrt:a", "there is no 'sqrt', only log:a (logarithm) and log1p:a"),
        ("sqrt:z", "column 'sqrt:z': there is no such column"),
    ):
        found = ask("--covariates", covariate)
        assert found.code == 3
        assert words in found.err


# Checkpoints, first figures, progress


def test_a_stopped_run_says_how_to_go_on(asked, tmp_path, stub, monkeypatch):
    path, fit = tmp_path / "folds.jsonl", stub.fit

    def stopped(self, X, time, event):
        if stub.fits:
            raise KeyboardInterrupt
        return fit(self, X, time, event)

    monkeypatch.setattr(stub, "fit", stopped)
    code, _, err = asked(*SHORT)
    assert code == 130
    assert "--checkpoint FILE" in err
    stub.fits.clear()
    code, _, err = asked(*SHORT, "--checkpoint", path)
    assert code == 130
    assert f"to go on from {path} (1 of 2 folds kept)" in err
    stub.fits.append(None)  # so that the very first fit is stopped
    code, _, err = asked(*SHORT, "--checkpoint", tmp_path / "empty.jsonl")
    assert code == 130
    assert "0 of 2 folds kept, so the same command starts anew" in err
    monkeypatch.setattr(stub, "fit", fit)
    stub.fits.clear()
    code, out, _ = asked(*SHORT, "--checkpoint", path)
    assert code == 0
    assert len(stub.fits) == 2  # the second fold, and the cases shown
    assert out == asked(*SHORT)[1]
    stub.fits.clear()
    assert asked(*SHORT, "--checkpoint", path)[1] == out
    assert stub.fits == []  # the cases shown are in the file, too
    assert asked(*SHORT, "--show", "3", "--checkpoint", path)[0] == 0
    assert len(stub.fits) == 1  # other cases are not taken for them
    code, _, err = asked(*SHORT, "--checkpoint", path, "--seed", "5")
    assert code == 3
    assert "another run" in err


def test_posteriors_that_are_finished_are_kept(asked, tmp_path, stub, monkeypatch):
    path, done, left, fails = tmp_path / "run.jsonl", [], [2], [""]

    def counted(name):
        ask = getattr(evaluation, name)

        def question(*given, **settings):
            if not left[0]:
                raise KeyboardInterrupt
            left[0] -= 1
            done.append(name)
            if name == fails[0]:
                raise NotConvergedError("no", "the chains of one question disagree")
            return ask(*given, **settings)

        question.__name__ = name
        monkeypatch.setattr(evaluation, name, question)

    counted("apparent_information")
    counted("compare_information")
    wanted = (*SHORT, "--json", tmp_path / "out.json", "--force")
    assert asked(*wanted, "--checkpoint", path)[0] == 130
    n_first, left[0] = len(done), 99
    done.clear()
    code, out, err = asked(*wanted, "--checkpoint", path)
    assert code == 0, err
    n_rest = len(done)
    kept = json.loads((tmp_path / "out.json").read_text())["result"]
    done.clear()
    assert asked(*wanted, "--checkpoint", path, "--jobs", "2")[1] == out
    assert done == []
    assert asked(*wanted)[1] == out
    assert len(done) == n_first + n_rest
    assert json.loads((tmp_path / "out.json").read_text())["result"] == kept
    # Why there is no answer is kept as well; another question is not taken for it.
    fails[0], path = "compare_information", tmp_path / "other.jsonl"
    code, out, _ = asked(*wanted, "--checkpoint", path)
    assert "the chains of one question disagree" in " ".join(out.split())
    done.clear()
    assert asked(*wanted, "--checkpoint", path)[:2] == (code, out)
    assert done == []
    assert asked(*wanted, "--checkpoint", path, "--units", "nats")[0] == code
    assert done


def test_first_figures_come_before_the_first_fit(asked, stub, monkeypatch):
    def stopped(self, X, time, event):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(stub, "fit", stopped)
        code, _, err = asked(*SHORT)
    assert code == 130
    assert err.startswith("First figures: 40 cases, ")
    assert "(Kaplan and Meier)." in err
    assert "A lognormal regression knows 0." in err
    assert asked(*SHORT, "--quiet") == (0, "", "")


def test_one_estimate_is_of_folds_and_posteriors(asked, stub, monkeypatch):
    """The last fold is not the end: what follows it counts in the time left."""
    from scorecast._core import progress

    now, seen = [0.0], []
    monkeypatch.setattr(progress, "_now", lambda: now[0])
    fit, ask = stub.fit, evaluation.apparent_information

    def slow_fit(self, X, time, event):
        now[0] += 6.0
        seen.append((progress._display.get().left(), now[0]))
        return fit(self, X, time, event)

    def slow_ask(*given, **settings):
        now[0] += 2.0
        seen.append((progress._display.get().left(), now[0]))
        return ask(*given, **settings)

    monkeypatch.setattr(stub, "fit", slow_fit)
    monkeypatch.setattr(evaluation, "apparent_information", slow_ask)
    seconds = {"holding out": 30.0, "what they are worth": 4.0, "cases to show": 6.0,
               "new cases": 0.0, "evidence": 0.0}  # fmt: skip
    monkeypatch.setattr(evaluation, "_seconds", lambda *_: dict(seconds))
    few = [x for x in SHORT if x not in ("--cv", "2", "--chains", "1", "--draws", "20")]
    code, _, err = asked(*few, "--cv", "5")
    assert code == 0, err
    end = now[0]
    told = [(left, end - then) for left, then in seen[1:5]]
    assert all(left is not None for left, _ in told)
    assert all(0.5 * true <= left <= 2 * true for left, true in told), told


def test_stages_are_all_that_is_done(asked, cohort_file, stub, monkeypatch):
    """Every part of a run has a weight, or the time left would leave it out."""
    from scorecast._core import progress

    entered, given = [], {}
    enter = progress._Display.enter

    def noted(self, piece):
        above = self.open[-1]
        if piece.weights is not None and not given:
            given.update(piece.weights)
        elif above.weights is not None and set(above.weights) == set(given):
            entered.append(piece.name)
        enter(self, piece)

    monkeypatch.setattr(progress._Display, "enter", noted)
    code, _, err = asked(*SHORT, "--predict", cohort_file)
    assert code == 0, err
    assert set(entered) <= set(given)
    assert {"holding out", "what they are worth", "cases to show"} <= set(entered)
    assert all(given[name] > 0 for name in entered if name != "evidence")


def test_a_log_says_how_far_the_run_is(asked, stub, monkeypatch):
    monkeypatch.setattr("scorecast._core.progress._TO_LOG", (0.01, 0.01))
    assert "progress: " in asked(*SHORT)[2]
    assert "progress" not in asked(*SHORT, "--quiet")[2]


def test_a_gate_never_contradicts_itself_by_rounding(asked, stub, tmp_path):
    path = tmp_path / "out.json"
    assert asked(*SHORT, "--json", path)[0] == 0
    found = json.loads(path.read_text())["result"]["information"]["posterior"]
    limit = round(found["median"], 6) + 1e-6
    code, _, err = asked(*SHORT, "--fail-below", repr(limit))
    assert code == 5
    shown = float(err.split("the information is ")[1].split()[0])
    assert shown < limit
    code, _, err = asked(*SHORT, "--fail-below-low", repr(found["low"] + 1e-6))
    assert code == 5
    assert "lower end of the interval" in err
    assert asked(*SHORT, "--fail-below-low", repr(found["low"] - 1e-6))[0] == 0


# Candidates


def test_the_evidence_of_candidates_is_reported(asked, stub, monkeypatch, tmp_path):
    given = []

    def tell(_, *, prior, **__):
        given.append(prior)
        return SimpleNamespace(value=-14.0 + 4 * len(given), stderr=0.2, correction=0.0)

    monkeypatch.setattr("scorecast.survival.hyperparameters.log_evidence", tell)
    saved, page = tmp_path / "out.json", tmp_path / "out.html"
    code, out, _ = asked(
        *SHORT, "--candidate", "growth=0.3", "--candidate", "growth=0.09,tail_b=2",
        "--json", saved, "--report", page,
    )  # fmt: skip
    assert code == 0
    names = ["as printed", "growth=0.3", "growth=0.09,tail_b=2"]
    assert [prior.name for prior in given] == names
    assert (given[1].growth, given[2].tail_b) == (0.3, 2.0)
    found = json.loads(saved.read_text())["result"]["choice"]["candidates"]
    assert [row["log_evidence"] for row in found] == [-2.0, -6.0, -10.0]
    said = " ".join(out.split())
    assert "growth=0.09,tail_b=2 foretells the data best (log evidence -2.0 ± 0" in said
    assert "Which hyperparameters?" in page.read_text()
    assert "Evidence" not in asked(*SHORT)[1]
    given.clear()
    used = ("--hyperparameter", "growth=0.5", "--candidate", "growth=0.3")
    assert asked(*SHORT, *used)[0] == 0
    assert [prior.name for prior in given] == ["as printed", "growth=0.3", "growth=0.5"]
    assert stub.fits[-1][-1]["hyperparameters"] == {"growth": 0.5}


# New cases


@pytest.fixture
def cases(tmp_path):
    """Write thirty cases."""
    lines = [f"{1 + i / 7:.3f},{i % 3 > 0:d},{1 + i * 37 % 11},{'abc'[i * 5 % 3]}"
             for i in range(30)]  # fmt: skip
    path = tmp_path / "cases.csv"
    path.write_text("\n".join(["t,seen,marker,kind", *lines]) + "\n")
    return path


@pytest.fixture
def predict(run, cases, tmp_path):
    """Ask for predictions of new cases."""

    def ask(new, *more):
        return run(
            "survival", *columns(cases), "--covariates", "log:marker,kind=b", *SHORT,
            "--predict", new, *more,
        )  # fmt: skip

    return ask


@pytest.fixture
def fresh(tmp_path):
    """Write twelve new ones: other columns, gaps, none of kind b."""
    path = tmp_path / "new.csv"
    lines = ["Ann,a,3", "Bo,,", *(f"x{i},c,{i + 1}" for i in range(10))]
    path.write_text("\n".join(["name,kind,marker", *lines]) + "\n")
    return path


def test_new_cases_are_predicted_by_a_fit_to_all_cases(
    predict, cases, fresh, tmp_path, stub
):
    table, saved, page = (tmp_path / x for x in ("out.csv", "out.json", "out.html"))
    code, out, err = predict(
        fresh, "--at", "1,5", "--predictions", table, "--json", saved, "--report", page
    )
    assert code == 0, err
    X, times, _, _ = stub.fits[-1]
    assert len(X) == len(times) == 30
    scale = times.mean()  # the stub waits exponentially, as long as the mean
    lines = table.read_text().splitlines()
    assert lines[0] == "row,median,low,high,survival_1,survival_5"
    assert len(lines) == 13
    np.testing.assert_allclose(
        [float(x) for x in lines[2].split(",")],
        [2, *(-scale * np.log([0.5, 0.975, 0.025])), *np.exp([-1 / scale, -5 / scale])],
    )
    data = json.loads(saved.read_text())
    found = data["result"]["predictions"]
    assert (len(found["median"]), found["n_learned"], found["at"]) == (12, 30, [1, 5])
    assert sc.load(saved).to_dict()["result"]["predictions"] == found
    assert [f["path"] for f in data["inputs"]["files"]] == [str(cases), str(fresh)]
    assert "new case 10 " in out
    assert "new case 11" not in out
    said = " ".join(out.split())
    assert "12, predicted by one fit to all 30 cases; what such predictions" in said
    assert f"Predicted {table}" in said
    assert "New cases" in page.read_text()


def test_predictions_are_kept_and_files_are_not_overwritten(
    predict, fresh, tmp_path, stub
):
    kept = ("--checkpoint", tmp_path / "run.jsonl")
    code, out, _ = predict(fresh, *kept)
    assert code == 0
    stub.fits.clear()
    assert predict(fresh, *kept)[1] == out
    assert stub.fits == []
    assert predict(fresh, *kept, "--at", "2")[0] == 0
    assert len(stub.fits) == 1  # another question is not taken for it
    old = tmp_path / "old.csv"
    old.write_text("kept")
    for path in (fresh, old):
        before = path.read_text()
        code, _, err = predict(fresh, *kept, "--predictions", path)
        assert code == 3
        assert "exists already" in err
        assert path.read_text() == before
    code, _, err = predict(fresh, *kept, "--predictions", fresh, "--force")
    assert code == 3
    assert "one of the inputs" in err
    assert predict(fresh, *kept, "--predictions", old, "--force")[0] == 0
    assert old.read_text().startswith("row,median")


def test_what_to_watch_of_new_cases_is_said(predict, tmp_path, stub, monkeypatch):
    path = tmp_path / "far.csv"
    path.write_text("marker,kind\n3,a\n900,b\n")
    monkeypatch.setattr(stub, "failed", (Check.RHAT,))
    code, out, _ = predict(path)
    assert code == 0
    said = " ".join(out.split())
    assert "fit that predicts new cases did not converge (the chains disagree" in said
    assert "1 of 2 new cases (row 2) lies beyond all cases that were learned" in said
    assert "in 'log:marker'" in said


@pytest.mark.parametrize(
    ("code", "words", "text"),
    [
        (3, "column 'kind': there is no such column, a covariate of the model",
         "marker,x\n1,2\n"),
        (3, "Give 'Marker' this name", "Marker,kind\n1,a\n"),
        (3, "column 'kind', line 3: 'd' is a value that no", "marker,kind\n1,a\n1,d\n"),
        (3, "0 has no logarithm", "marker,kind\n0,a\n"),
        (3, "'x' is not a number", "marker,kind\nx,a\n1,a\n2,a\n"),
        (3, "infinite", "marker,kind\ninf,a\n"),
        (None, "", "marker,kind\n"),
        (None, "", ""),
    ],
)  # fmt: skip
def test_bad_new_cases_get_one_line_before_anything_is_fitted(
    predict, tmp_path, stub, code, words, text
):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    found, _, err = predict(path)
    assert found in ((3, 4) if code is None else (code,)), err
    assert words in err.strip().splitlines()[-1]
    assert "bad.csv" in err.strip().splitlines()[-1]
    assert stub.fits == []


@pytest.mark.parametrize(
    ("words", "more"),
    [
        ("'-1' is not a time", ("--at", "1,-1")),
        ("must end in .csv", ("--predictions", "x.txt")),
        ("need a file each", ("--predictions", "x.csv", "--json", "x.csv")),
    ],
)
def test_options_of_new_cases_that_cannot_be_meant(predict, fresh, stub, words, more):
    code, _, err = predict(fresh, *more)
    assert code == 2
    assert words in err
    assert stub.fits == []


# Help


def test_the_help_has_the_defaults_of_chains(run):
    code, out, _ = run("survival", "--help")
    assert code == 0
    said = " ".join(out.split())
    assert f"[default: {SAMPLING.n_chains}]" in said
    assert f"[default: {SAMPLING.n_draws}]" in said
    own = " ".join(sc.SurvivalModel.__doc__.split())
    assert (
        f"Sampling(n_warmup={SAMPLING.n_warmup}, n_draws={SAMPLING.n_draws}, "
        f"n_kept={SAMPLING.n_kept})" in own
    )
    changed = {"n_warmup": 0, "n_draws": 4, "n_kept": 1}
    used = dataclasses.replace(SAMPLING, **changed)
    assert used == dataclasses.replace(sc.mixtures.Sampling(), **changed)


@pytest.mark.slow
def test_a_first_rough_look_at_the_model_gives_its_main_figure(run, tmp_path):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 3))
    log_time = 1.0 + X @ [0.6, -0.3, 0.0] + 0.6 * rng.normal(size=120)
    limit = np.log(rng.exponential(8.0, size=120))
    lines = ["t,seen,a,b,c"]
    lines += [
        f"{np.exp(min(u, z)):.5f},{int(u <= z)},{','.join(f'{v:.4f}' for v in x)}"
        for u, z, x in zip(log_time, limit, X, strict=True)
    ]
    path = tmp_path / "cases.csv"
    path.write_text("\n".join(lines) + "\n")
    short = ("--cv", 5, "--chains", 2, "--draws", 200, "--baselines", "none")
    code, out, err = run("survival", *columns(path), *short)
    assert code == 0, err
    assert out.startswith("The predicted times carry 0.")
    assert "did not converge: do not rely" not in out
