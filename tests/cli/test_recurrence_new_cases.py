"""``scorecast recurrence --predict``: new cases, by a fit to all the others."""

import json

import numpy as np
import pytest
from tests.recurrence.stub_model import StubModel

from scorecast._core.results import result_from_dict
from scorecast.io import read_new_samples, read_survival
from scorecast.mixtures import Check

ASKED = ("--time", "t", "--event", "seen", "--covariates", "log:marker,kind=b",
         "--cv", "2", "--chains", "1", "--draws", "20", "--compare", "none",
         "--allow-unconverged")  # fmt: skip


@pytest.fixture
def stub(monkeypatch):
    """Put a model without chains in the place of the real one."""
    StubModel.fits.clear()
    monkeypatch.setattr("scorecast.recurrence.model.RecurrenceModel", StubModel)
    yield StubModel
    StubModel.fits.clear()


@pytest.fixture
def cohort(tmp_path):
    """Write thirty cases."""
    rows = [f"{1 + i / 7:.3f},{i % 3 > 0:d},{1 + i * 37 % 11},{'abc'[i * 5 % 3]}"
            for i in range(30)]  # fmt: skip
    path = tmp_path / "cases.csv"
    path.write_text("\n".join(["t,seen,marker,kind", *rows]) + "\n")
    return path


@pytest.fixture
def fresh(tmp_path):
    """Write twelve new ones: other columns, gaps, none of kind b."""
    path = tmp_path / "new.csv"
    rows = ["Ann,a,3", "Bo,,", *(f"x{i},c,{i + 1}" for i in range(10))]
    path.write_text("\n".join(["name,kind,marker", *rows]) + "\n")
    return path


def test_new_cases_are_predicted_by_a_fit_to_all_cases(
    run, cohort, fresh, tmp_path, stub
):
    table, saved, page = (tmp_path / x for x in ("out.csv", "out.json", "out.html"))
    code, out, err = run(
        "recurrence", cohort, *ASKED, "--predict", fresh, "--at", "1,5",
        "--predicted", table, "--json", saved, "--report", page,
    )  # fmt: skip
    assert code == 0, err
    X, time, _, _ = stub.fits[-1]
    assert len(X) == len(time) == 30
    scale = time.mean()  # the stub waits exponentially, as long as the mean
    lines = table.read_text().splitlines()
    assert lines[0] == "row,median,low,high,survival_1,survival_5"
    assert len(lines) == 13
    np.testing.assert_allclose(
        [float(x) for x in lines[2].split(",")],
        [2, *(-scale * np.log([0.5, 0.975, 0.025])), *np.exp([-1 / scale, -5 / scale])],
    )
    data = json.loads(saved.read_text())
    found = data["result"]["predicted"]
    assert (found["n"], found["n_learned"], found["at"]) == (12, 30, [1, 5])
    assert [case["row"] for case in found["cases"]] == list(range(1, 13))
    assert result_from_dict(data).to_dict()["result"]["predicted"] == found
    assert [f["path"] for f in data["inputs"]["files"]] == [str(cohort), str(fresh)]
    assert "new case 10 " in out
    assert "new case 11" not in out
    said = " ".join(out.split())
    assert "12, predicted by one fit to all 30 cases; what such predictions" in said
    assert "on cases that were held out" in said
    assert f"Predicted {table}" in said
    assert "New cases" in page.read_text()


def test_encodings_are_those_of_the_cases_learned_from(cohort, fresh):
    asked = ["log:marker", "kind=b"]
    learned = read_survival(cohort, "t", "seen", covariates=asked)
    found = read_new_samples(fresh, learned)
    np.testing.assert_allclose(found.X[:2], [[np.log(3), 0.0], [np.nan, np.nan]])
    assert not found.X[2:, 1].any()


def test_predictions_are_kept_and_files_are_not_overwritten(
    run, cohort, fresh, tmp_path, stub
):
    wanted = ("recurrence", cohort, *ASKED, "--predict", fresh, "--checkpoint",
              tmp_path / "run.jsonl")  # fmt: skip
    code, out, _ = run(*wanted)
    assert code == 0
    stub.fits.clear()
    assert run(*wanted)[1] == out
    assert stub.fits == []
    assert run(*wanted, "--at", "2")[0] == 0
    assert len(stub.fits) == 1  # another question is not taken for it
    stub.fits.clear()
    for path in (fresh, tmp_path / "old.csv"):
        if path != fresh:
            path.write_text("kept")
        before = path.read_text()
        code, _, err = run(*wanted, "--predicted", path)
        assert code == 3
        assert "exists already" in err
        assert "(--force)" in err
        assert path.read_text() == before
    code, _, err = run(*wanted, "--predicted", fresh, "--force")
    assert code == 3
    assert "one of the inputs" in err
    assert run(*wanted, "--predicted", tmp_path / "old.csv", "--force")[0] == 0
    assert (tmp_path / "old.csv").read_text().startswith("row,median")


def test_what_to_watch_is_said(run, cohort, tmp_path, stub, monkeypatch):
    path = tmp_path / "far.csv"
    path.write_text("marker,kind\n3,a\n900,b\n")
    monkeypatch.setattr(stub, "failed", (Check.RHAT,))
    code, out, _ = run("recurrence", cohort, *ASKED, "--predict", path)
    assert code == 0
    said = " ".join(out.split())
    assert "fit that predicts new cases did not converge (the chains disagree" in said
    assert "1 of 2 new cases (row 2) lies beyond all cases that were learned" in said
    assert "in 'log:marker'" in said


@pytest.mark.parametrize(
    ("code", "words", "text"),
    [
        (
            3,
            "column 'kind': there is no such column, a covariate of the model",
            "marker,x\n1,2\n",
        ),
        (3, "Give 'Marker' this name", "Marker,kind\n1,a\n"),
        (3, "column 'kind', line 3: 'd' is a value that no", "marker,kind\n1,a\n1,d\n"),
        (3, "0 has no logarithm", "marker,kind\n0,a\n"),
        (3, "'x' is not a number", "marker,kind\nx,a\n1,a\n2,a\n"),
        (3, "infinite", "marker,kind\ninf,a\n"),
        (None, "", "marker,kind\n"),
        (None, "", ""),
    ],
)
def test_bad_new_cases_get_one_line_before_anything_is_fitted(
    run, cohort, tmp_path, stub, code, words, text
):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    found, _, err = run("recurrence", cohort, *ASKED, "--predict", path)
    assert found in ((3, 4) if code is None else (code,)), err
    assert words in err.strip().splitlines()[-1]
    assert "bad.csv" in err.strip().splitlines()[-1]
    assert stub.fits == []


@pytest.mark.parametrize(
    ("words", "more"),
    [
        ("--at is about new cases", ("--at", "1")),
        ("--predicted is about new cases", ("--predicted", "x.csv")),
        ("'-1' is not a time", ("--predict", "NEW", "--at", "1,-1")),
        ("must end in .csv", ("--predict", "NEW", "--predicted", "x.txt")),
        ("need a file each", ("--predict", "NEW", "--predicted", "x.csv", "--json",
                              "x.csv")),
    ],
)  # fmt: skip
def test_options_of_new_cases_that_cannot_be_meant(
    run, cohort, fresh, stub, words, more
):
    given = [fresh if x == "NEW" else x for x in more]
    code, _, err = run("recurrence", cohort, *ASKED, *given)
    assert code == 2
    assert words in err
    assert stub.fits == []


def test_a_log_says_how_far_the_run_is(run, cohort, fresh, stub, monkeypatch):
    monkeypatch.setattr("scorecast._core.progress._TO_LOG", (0.01, 0.01))
    wanted = ("recurrence", cohort, *ASKED, "--predict", fresh)
    assert "progress: " in run(*wanted)[2]
    assert "progress" not in run(*wanted, "--quiet")[2]
