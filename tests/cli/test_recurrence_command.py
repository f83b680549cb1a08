"""``scorecast recurrence`` from the shell: answers, files, exit codes."""

import contextlib
import io
import json
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest
from tests.recurrence.stub_model import StubModel

import scorecast.information
from scorecast._core.results import result_from_dict
from scorecast.cli.main import _run
from scorecast.exceptions import NotConvergedError
from scorecast.report import report as write_page

QUICK = ("--cv", "2", "--chains", "1", "--draws", "20", "--max-seconds", "0",
         "--compare", "none", "--allow-unconverged")  # fmt: skip


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
    monkeypatch.setattr("scorecast.recurrence.model.RecurrenceModel", StubModel)
    yield StubModel
    StubModel.fits.clear()


def columns(path):
    return (str(path), "--time", "t", "--event", "seen")


@pytest.fixture(scope="module")
def answered(cohort_file, tmp_path_factory):
    """Run the verb once; return its JSON, page and text."""
    folder = tmp_path_factory.mktemp("answer")
    paths = [str(folder / name) for name in ("out.json", "out.html")]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = _run(
            ["recurrence", *columns(cohort_file), "--covariates", "marker,kind=b",
             *QUICK, "--json", paths[0], "--report", paths[1]]
        )  # fmt: skip
    assert code == 0
    with open(paths[0]) as file:
        data = json.load(file)
    with open(paths[1]) as file:
        return data, file.read(), out.getvalue()


def test_the_answer_says_what_predictions_are_worth(answered):
    _, page, text = answered
    assert text.startswith("The predicted times carry 0.")
    assert "bits per case beyond the prior" in text
    assert "exponential attrition" in text
    for words in ("Case by case", "Some cases: when", "Is predicted survival right?"):
        assert words in page


def test_the_json_is_a_contract(answered):
    data, _, _ = answered
    assert data["kind"] == "recurrence"
    assert data["schema"] == 1
    result = data["result"]
    needed = {"n", "n_events", "information", "calibration", "concordance",
              "comparison", "diagnostics"}  # fmt: skip
    assert needed <= set(result)
    assert result["n"] == 40
    assert {"mean", "posterior", "verdict", "worst"} <= set(result["information"])
    assert len(result["calibration"]["shares"]) == 10
    assert data["inputs"]["covariates"] == ["marker", "kind=b"]
    cases = result["cases"]
    np.testing.assert_allclose(
        np.subtract(cases["log_q"], cases["log_p"]), cases["j"], atol=1e-12
    )
    # One unit: that of the answer.
    assert cases["units"] == data["options"]["information"]["units"] == "bits"
    assert data["options"]["units"] == "bits"
    mean = np.mean(cases["j"])
    assert result["information"]["mean"] == pytest.approx(mean)
    beyond = np.subtract(cases["log_q"], cases["log_curve"]).mean()
    assert result["comparison"][0]["beyond_mean"] == pytest.approx(beyond)
    assert data["options"]["quick"] is False
    assert np.bincount(cases["fold"][0]).tolist() == [20, 20]
    model = data["options"]["model"]
    assert (model["chains"], model["draws"]) == (1, 20)
    assert {"noise_shape", "moments", "hyperparameters"} <= set(model)
    assert {"ridge", "thinning"} <= set(result["diagnostics"])


def test_a_saved_answer_comes_back(answered):
    data, _, _ = answered
    found = result_from_dict(data)
    again = found.to_dict()
    assert again["result"] == data["result"]
    assert found.to_columns()["name"] == ["model", "curve"]
    assert found.summary().startswith("The predicted times carry")
    assert "Some cases" in write_page(found)


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
    yield "no events", 4, "0 event", [f"{1 + i},0,{i % 5},{i % 7}" for i in range(20)]
    copy = [f"{1 + i},1,{i % 5},{2 * (i % 5)}" for i in range(20)]
    yield "copies", 3, "'a' and 'b' say the same", copy
    yield (
        "constant",
        3,
        "'b' is 4 in every case",
        [f"{1 + i},1,{i},4" for i in range(9)],
    )
    yield "words", 3, "nearly all others", ["1,1,x,4", *good]
    yield "few cases", 4, "too few", good[3:6]


@pytest.mark.parametrize(
    ("code", "words", "rows"),
    [pytest.param(*rest, id=name) for name, *rest in bad_tables()],
)
def test_bad_tables_get_one_line_and_a_code(run, tmp_path, code, words, rows):
    path = tmp_path / "bad.csv"
    path.write_text("\n".join(["t,seen,a,b", *rows]) + "\n")
    found, _, err = run(
        "recurrence", *columns(path), *QUICK, "--json", tmp_path / "out.json"
    )
    assert found == code, err
    assert words in err.strip().splitlines()[-1]
    assert not (tmp_path / "out.json").exists()


def test_wrong_options_are_usage(run, cohort_file):
    wanted = ("recurrence", *columns(cohort_file), "--covariates", "marker")
    code, _, err = run(*wanted, "--case", "99")
    assert code == 2
    assert "beyond the 40" in err
    assert run(*wanted, "--prior", "gompertz")[0] == 2
    code, _, err = run(*wanted, "--growth", "0.999")
    assert code == 2
    assert "0<x<=0.9" in err
    assert run("recurrence", cohort_file, "--time", "t")[0] == 2


def test_a_stopped_run_says_how_to_go_on(run, cohort_file, tmp_path, stub, monkeypatch):
    wanted = ("recurrence", *columns(cohort_file), "--covariates", "marker", *QUICK)
    path, fit = tmp_path / "folds.jsonl", stub.fit

    def stopped(self, X, time, event):
        if stub.fits:
            raise KeyboardInterrupt
        return fit(self, X, time, event)

    monkeypatch.setattr(stub, "fit", stopped)
    code, _, err = run(*wanted)
    assert code == 130
    assert "--checkpoint FILE" in err
    stub.fits.clear()
    code, _, err = run(*wanted, "--checkpoint", path)
    assert code == 130
    assert f"to go on from {path} (1 of 2 folds kept)" in err
    stub.fits.append(None)  # so that the very first fit is stopped
    code, _, err = run(*wanted, "--checkpoint", tmp_path / "empty.jsonl")
    assert code == 130
    assert "0 of 2 folds kept, so the same command starts anew" in err
    assert "go on from" not in err
    monkeypatch.setattr(stub, "fit", fit)
    stub.fits.clear()
    code, out, _ = run(*wanted, "--checkpoint", path)
    assert code == 0
    assert len(stub.fits) == 2  # the second fold, and the cases shown
    assert out == run(*wanted)[1]
    stub.fits.clear()
    assert run(*wanted, "--checkpoint", path)[1] == out
    assert stub.fits == []  # the cases shown are in the file, too
    assert run(*wanted, "--case", "3", "--checkpoint", path)[0] == 0
    assert len(stub.fits) == 1  # other cases are not taken for them
    code, _, err = run(*wanted, "--checkpoint", path, "--seed", "5")
    assert code == 3
    assert "another run" in err


def test_posteriors_that_are_finished_are_kept(
    run, cohort_file, tmp_path, stub, monkeypatch
):
    wanted = ("recurrence", *columns(cohort_file), "--covariates", "marker", *QUICK)
    wanted = (*wanted, "--json", tmp_path / "out.json", "--force")
    path, asked, left = tmp_path / "run.jsonl", [], [2]

    def counted(name, ask):
        def question(*args, **settings):
            if not left[0]:
                raise KeyboardInterrupt
            left[0] -= 1
            asked.append(name)
            if name == fails:
                msg = "the chains of one question disagree"
                raise NotConvergedError(msg)
            return ask(*args, **settings)

        question.__name__ = name
        return question

    for name in ("apparent_information", "compare_information"):
        ask = getattr(scorecast.information, name)
        monkeypatch.setattr(scorecast.information, name, counted(name, ask))
    fails = ""
    code, _, err = run(*wanted, "--checkpoint", path)
    assert code == 130
    assert f"to go on from {path}" in err
    done, left[0] = len(asked), 99
    asked.clear()
    code, out, err = run(*wanted, "--checkpoint", path)
    assert code == 0, err
    rest = len(asked)
    kept = json.loads((tmp_path / "out.json").read_text())["result"]
    asked.clear()
    assert run(*wanted, "--checkpoint", path, "--jobs", "2")[1] == out
    assert asked == []
    assert run(*wanted)[1] == out
    assert len(asked) == done + rest
    assert json.loads((tmp_path / "out.json").read_text())["result"] == kept
    # Why there is no answer is kept as well; another question is not taken for it.
    fails = "compare_information"
    left[0], path = 99, tmp_path / "other.jsonl"
    code, out, _ = run(*wanted, "--checkpoint", path)
    assert "the chains of one question disagree" in " ".join(out.split())
    asked.clear()
    assert run(*wanted, "--checkpoint", path)[:2] == (code, out)
    assert asked == []
    assert run(*wanted, "--checkpoint", path, "--units", "nats")[0] == code
    assert asked


def test_what_cannot_end_well_is_refused_at_once(run, cohort_file, stub, monkeypatch):
    wanted = ("recurrence", *columns(cohort_file), "--covariates", "marker")
    every = [x for i in range(40) for x in ("--case", i + 1)]
    code, _, err = run(*wanted, *QUICK, *every)
    assert code == 2
    assert "--case names 40 of 40" in err
    monkeypatch.setitem(sys.modules, "lifelines", None)
    code, _, err = run(*wanted, "--compare", "cox")
    assert "survival" in err
    assert code not in (0, 1)
    assert stub.fits == []
    # What nobody asked for is left out, and that is said.
    code, out, _ = run(*wanted, *(x for x in QUICK if x not in ("--compare", "none")))
    assert code == 0
    assert "scorecast[survival]" in " ".join(out.split())
    stub.fits.clear()
    new = ("--predict", cohort_file, "--predicted", "out.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    code, _, err = run(*wanted, *new)
    assert (code, stub.fits) == (3, [])
    assert "scorecast[io]" in err


def test_a_comparison_that_fails_is_said(run, cohort_file, stub, monkeypatch):
    pytest.importorskip("lifelines")

    def fail(*_, **__):
        msg = "the chains disagree"
        raise NotConvergedError(msg)

    monkeypatch.setattr("scorecast.information.compare_information", fail)
    quick = [x for x in QUICK if x not in ("--compare", "none")]
    code, out, _ = run("recurrence", *columns(cohort_file), "--covariates", "marker",
                       *quick, "--compare", "weibull")  # fmt: skip
    assert code == 0
    said = " ".join(out.split())
    assert (
        "What the model knows beyond Weibull AFT cannot be said: the simulation of its "
        "posterior of J did not converge (the chains disagree)." in said
    )


def test_what_the_curve_knows_may_fail_by_itself(run, cohort_file, stub, monkeypatch):
    from scorecast.information import apparent_information

    asked = []

    def fail_later(*words, **options):
        asked.append(words)
        if len(asked) > 1:
            msg = "the chains of the curve disagree"
            raise NotConvergedError(msg)
        return apparent_information(*words, **options)

    monkeypatch.setattr("scorecast.information.apparent_information", fail_later)
    code, out, _ = run("recurrence", *columns(cohort_file), "--covariates", "marker",
                       *QUICK)  # fmt: skip
    assert code == 0
    said = " ".join(out.split())
    assert "What the curve of all cases alike knows beyond the prior cannot" in said
    # What the model knows beyond that curve is still given, with its interval.
    assert "What the model knows beyond" not in said
    beyond = said.split("Beyond the curve of all cases alike:", 1)[1]
    assert "%:" in beyond[:30]


def test_the_evidence_of_candidates_is_reported(
    run, cohort_file, stub, monkeypatch, tmp_path
):
    asked = {}

    def tell(model, X, time, event, candidates, **_):
        asked.update(candidates)
        values = enumerate(candidates)
        return {name: SimpleNamespace(value=-10.0 + 4 * i, stderr=0.2, correction=0.0)
                for i, name in values}  # fmt: skip

    monkeypatch.setattr("scorecast.recurrence.choice.hyperparameter_evidence", tell)
    wanted = ("recurrence", *columns(cohort_file), "--covariates", "marker", *QUICK)
    paths = [tmp_path / name for name in ("out.json", "out.html")]
    code, out, _ = run(
        *wanted, "--candidate", "growth=0.3", "--candidate", "growth=0.09,tail_b=2",
        "--json", paths[0], "--report", paths[1],
    )  # fmt: skip
    assert code == 0
    assert list(asked) == ["as printed", "growth=0.3", "growth=0.09,tail_b=2"]
    assert list(asked.values()) == [
        {}, {"growth": 0.3}, {"growth": 0.09, "tail_b": 2.0}
    ]  # fmt: skip
    told = json.loads(paths[0].read_text())
    rows = told["result"]["evidence"]["candidates"]
    assert [row["log_evidence"] for row in rows] == [-2.0, -6.0, -10.0]
    assert rows[0]["stderr"] == 0.2
    said = " ".join(out.split())
    assert (
        "growth=0.09,tail_b=2 foretells the data best (log evidence -2.0 ± 0.2" in said
    )
    assert "Which hyperparameters?" in paths[1].read_text()
    again = result_from_dict(told)
    assert again.choice.sentence() == told["result"]["evidence"]["sentence"]
    assert run(*wanted)[1].count("Evidence") == 0


@pytest.mark.parametrize("text", ["growth", "growth=x", "nonsense=1", "growth=0.999"])
def test_impossible_candidates_are_usage(run, cohort_file, stub, text):
    code, _, err = run("recurrence", *columns(cohort_file), "--covariates", "marker",
                       *QUICK, "--candidate", text)  # fmt: skip
    assert code == 2
    assert text in err
    assert "--candidate" in err
    assert stub.fits == []


def hard_tables():
    """Name, header, rows and words that must be said; all of them can be answered."""
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 30))
    time, event = np.exp(0.5 - a + 0.3 * rng.normal(size=30)), np.arange(30) % 3 > 0
    plain = {"t": time, "seen": event * 1, "a": a, "b": b}
    yield "all events", plain | {"seen": np.ones(30)}, "0 still waiting"
    many = {f"c{i}": rng.normal(size=12) for i in range(14)}
    few = {"t": time[:12], "seen": np.ones(12)}
    yield "p > n", few | many, "14 covariates but 12 cases"
    gaps = np.where(np.arange(30) % 3 == 0, np.nan, a)
    yield "gaps", plain | {"a": gaps}, "2 covariates: a, b"
    huge = plain | {"t": 1e300 * time, "a": 1e200 * a + 3e200}
    yield "huge scales", huge, "2 covariates: a, b"
    yield "tiny times", plain | {"t": 1e-300 * time}, "2 covariates: a, b"


@pytest.mark.parametrize(
    ("table", "words"), [pytest.param(*rest, id=name) for name, *rest in hard_tables()]
)
def test_hard_tables_are_answered(run, tmp_path, table, words):
    path, out = tmp_path / "hard.csv", tmp_path / "out.json"
    rows = [",".join(f"{x:.17g}" for x in row)
            for row in zip(*table.values(), strict=True)]  # fmt: skip
    path.write_text("\n".join([",".join(table), *rows]) + "\n")
    code, said, err = run("recurrence", *columns(path), *QUICK, "--json", out)
    assert code == 0, err
    assert words in " ".join((said + err).split())
    cases = json.loads(out.read_text())["result"]["cases"]
    assert np.isfinite(np.array(cases["j"], dtype=float)).all()
    assert "RuntimeWarning" not in err


def test_nats_are_nats_throughout(run, cohort_file, stub, tmp_path):
    path = tmp_path / "out.json"
    code, _, err = run("recurrence", *columns(cohort_file), "--covariates", "marker",
                       *QUICK, "--units", "nats", "--json", path)  # fmt: skip
    assert code == 0, err
    cases = json.loads(path.read_text())["result"]["cases"]
    assert cases["units"] == "nats"
    first = 1 / np.mean(np.delete(np.array(cases["time"]), np.flatnonzero(
        np.array(cases["fold"][0]) == cases["fold"][0][0])))  # fmt: skip
    seen = np.log(first) if cases["event"][0] else 0.0
    assert cases["log_q"][0] == pytest.approx(seen - first * cases["time"][0])


def test_a_quick_look_is_quick_and_says_so(run, cohort_file, stub, tmp_path):
    wanted = ("recurrence", *columns(cohort_file), "--covariates", "marker,kind=b")
    paths = [tmp_path / name for name in ("out.json", "out.html")]
    code, out, err = run(*wanted, "--quick", "--json", paths[0], "--report", paths[1])
    assert code == 0, err
    assert stub.fits == []
    said = " ".join(out.split())
    assert said.startswith("A quick look, by a lognormal regression in the place of")
    assert "bits per case beyond the prior (95 %:" in said
    assert "lognormal AFT" in said
    assert "this model" not in said
    assert "Chains" not in said
    data = json.loads(paths[0].read_text())
    assert data["options"]["quick"] is True
    assert data["options"]["information"]["is_quick"] is True
    assert data["result"]["diagnostics"]["n_fits"] == 0
    page = paths[1].read_text()
    assert "A quick look, by a lognormal regression" in page
    assert "without --quick the model itself answers" in page
    again = result_from_dict(data)
    assert again.quick
    assert again.summary() == result_from_dict(again.to_dict()).summary()
    assert again.summary().startswith("A quick look")


@pytest.mark.parametrize(
    "more",
    [("--prior", "model"), ("--case", "2"), ("--predict", "x.csv"), ("--draws", "50"),
     ("--candidate", "growth=0.3"), ("--chains", "2")],
)  # fmt: skip
def test_a_quick_look_is_not_of_the_model(run, cohort_file, more):
    wanted = ("recurrence", *columns(cohort_file), "--covariates", "marker", "--quick")
    code, _, err = run(*wanted, *more)
    assert code == 2
    assert more[0] in err
    assert "--quick" in err


def test_first_figures_come_before_the_first_fit(run, cohort_file, stub, monkeypatch):
    wanted = ("recurrence", *columns(cohort_file), "--covariates", "marker", *QUICK)

    def stopped(self, X, time, event):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(stub, "fit", stopped)
        code, _, err = run(*wanted)
    assert code == 130
    assert err.startswith("First figures: 40 cases, ")
    assert "(Kaplan and Meier)." in err
    assert "A lognormal regression knows 0." in err
    code, out, err = run(*wanted, "--quiet")
    assert (code, out, err) == (0, "", "")


def test_one_estimate_is_of_folds_and_posteriors(run, cohort_file, stub, monkeypatch):
    """The last fold is not the end: what follows it counts in the time left."""
    from scorecast._core import progress

    now, seen = [0.0], []
    monkeypatch.setattr(progress, "_now", lambda: now[0])
    fit, ask = stub.fit, scorecast.information.apparent_information

    def slow_fit(self, X, time, event):
        now[0] += 6.0
        seen.append((progress._display.get().left(), now[0]))
        return fit(self, X, time, event)

    def slow_ask(*given, **settings):
        now[0] += 2.0
        seen.append((progress._display.get().left(), now[0]))
        return ask(*given, **settings)

    monkeypatch.setattr(stub, "fit", slow_fit)
    monkeypatch.setattr("scorecast.information.apparent_information", slow_ask)
    kept = ("holding out", "what they are worth", "cases to show", "new cases",
            "evidence")  # fmt: skip
    monkeypatch.setattr("scorecast.cli.recurrence._weights", lambda *_: dict(
        zip(kept, (30.0, 4.0, 6.0, 0.0, 0.0), strict=True)))  # fmt: skip
    few = [x for x in QUICK if x not in ("--cv", "2", "--chains", "1", "--draws", "20")]
    code, _, err = run("recurrence", *columns(cohort_file), "--covariates", "marker",
                       *few, "--cv", "5")  # fmt: skip
    assert code == 0, err
    end = now[0]
    told = [(left, end - then) for left, then in seen[1:5]]
    assert all(left is not None for left, _ in told)
    assert all(0.5 * true <= left <= 2 * true for left, true in told), told


def test_stages_are_all_that_is_done(run, cohort_file, stub, monkeypatch):
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
    code, _, err = run("recurrence", *columns(cohort_file), "--covariates", "marker",
                       *QUICK, "--predict", cohort_file)  # fmt: skip
    assert code == 0, err
    assert set(entered) <= set(given)
    assert {"holding out", "what they are worth", "cases to show"} <= set(entered)
    assert all(given[name] > 0 for name in entered if name != "evidence")


def test_a_gate_never_contradicts_itself_by_rounding(run, cohort_file, stub, tmp_path):
    path = tmp_path / "out.json"
    wanted = ("recurrence", *columns(cohort_file), "--covariates", "marker", *QUICK)
    assert run(*wanted, "--json", path)[0] == 0
    found = json.loads(path.read_text())["result"]["information"]["posterior"]
    limit = round(found["median"], 6) + 1e-6
    code, _, err = run(*wanted, "--fail-below", repr(limit))
    assert code == 5
    shown = float(err.split("the information is ")[1].split()[0])
    assert shown < limit
    code, _, err = run(*wanted, "--fail-below-low", repr(found["low"] + 1e-6))
    assert code == 5
    assert "lower end of the interval" in err
    assert run(*wanted, "--fail-below-low", repr(found["low"] - 1e-6))[0] == 0


def test_seconds_bound_fits_and_posteriors_alike(run, cohort_file, stub, monkeypatch):
    asked = []
    ask = scorecast.information.apparent_information

    def noted(*given, **settings):
        asked.append(settings)
        return ask(*given, **settings)

    monkeypatch.setattr("scorecast.information.apparent_information", noted)
    wanted = ("recurrence", *columns(cohort_file), "--covariates", "marker", "--cv",
              "2", "--compare", "none", "--allow-unconverged")  # fmt: skip
    assert run(*wanted, "--max-seconds", "7")[0] == 0
    assert {fit[-1]["sampling"].max_seconds for fit in stub.fits} == {7.0}
    assert {one["settings"].max_seconds for one in asked} == {7.0}
    # Lengths of fits do not shorten posteriors of J.
    assert run(*wanted, "--chains", "2", "--draws", "30")[0] == 0
    assert all(one["settings"].sampling is None for one in asked)
    assert stub.fits[-1][-1]["sampling"].n_draws == 30


def test_a_posterior_that_falls_short_ends_with_four(run, cohort_file, monkeypatch,
                                                     stub):  # fmt: skip
    monkeypatch.setattr("scorecast.mixtures.diagnostics.MOST_RHAT", 1.0)
    begun = time.monotonic()
    code, out, err = run("recurrence", *columns(cohort_file), "--covariates", "marker",
                         "--cv", "2", "--compare", "none", "--max-seconds",
                         "0.5")  # fmt: skip
    assert code == 4
    assert out == ""
    assert "What the model knows beyond the prior cannot be said" in err
    assert time.monotonic() - begun < 60  # it takes two seconds, and much less than 60


@pytest.mark.slow
def test_the_quick_line_of_the_readme_gives_its_main_figure(run, tmp_path):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 3))
    log_time = 1.0 + X @ [0.6, -0.3, 0.0] + 0.6 * rng.normal(size=120)
    limit = np.log(rng.exponential(8.0, size=120))
    rows = ["t,seen,a,b,c"]
    rows += [
        f"{np.exp(min(u, z)):.5f},{int(u <= z)},{','.join(f'{v:.4f}' for v in x)}"
        for u, z, x in zip(log_time, limit, X, strict=True)
    ]
    path = tmp_path / "cases.csv"
    path.write_text("\n".join(rows) + "\n")
    with open("README.md") as file:
        (line,) = [x for x in file.read().split("`") if x.startswith("--cv 5 --chains")]
    code, out, err = run("recurrence", *columns(path), *line.split())
    assert code == 0, err
    assert out.startswith("The predicted times carry 0.")
    assert "did not converge: do not rely" not in out
