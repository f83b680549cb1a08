"""Folds and columns that ``scorecast recurrence`` refuses, in its own words."""

import pytest
from tests.recurrence.stub_model import StubModel


@pytest.fixture
def ask(monkeypatch, run, tmp_path):
    """Run the verb on thirty cases without chains; return exit code and errors."""
    monkeypatch.setattr("scorecast.recurrence.model.RecurrenceModel", StubModel)
    path = tmp_path / "cases.csv"
    rows = [
        f"{1 + i / 7:.3f},{int(i % 3 > 0)},{i * 17 % 31 - 9.5},{i % 3},{i % 4 + i / 99}"
        for i in range(30)
    ]
    path.write_text("\n".join(["t,seen,a,part,b", *rows]) + "\n")

    def ask(*more, event="seen"):
        code, _, err = run(
            "recurrence", path, "--time", "t", "--event", event, "--chains", "1",
            "--draws", "20", "--compare", "none", "--allow-unconverged", *more,
        )  # fmt: skip
        return code, " ".join(err.split())

    return ask


def test_folds_of_ones_own_go_through(ask):
    assert ask("--folds", "part")[0] == 0


def test_a_rule_of_folds_is_the_one_that_is_applied(ask):
    code, err = ask("--cv", "16")
    assert code == 4
    assert "at least two events in all, and two cases per fold, are needed" in err
    assert "give --cv at most 15." in err
    assert ask("--cv", "15")[0] == 0


@pytest.mark.parametrize("option", ["--cv", "--repeats"])
def test_numbers_of_folds_have_no_say_beside_given_folds(ask, option):
    code, err = ask("--folds", "part", option, "3")
    assert code == 2
    assert f"{option} has no say where --folds names the folds" in err


def test_a_measurement_is_no_fold(ask):
    code, err = ask("--folds", "a")
    assert code == 3
    assert "--folds holds 30 different labels for 30 cases: at least two cases" in err


def test_a_fold_is_no_covariate(ask):
    code, err = ask("--covariates", "a,part", "--folds", "part")
    assert code == 3
    assert "--folds: 'part' is a covariate, too" in err


@pytest.mark.parametrize(
    ("covariate", "words"),
    [
        ("log:a", "has no logarithm. Take a, the number itself (--covariates)"),
        ("sqrt:a", "there is no 'sqrt', only log:a (logarithm) and log1p:a"),
        ("sqrt:z", "column 'sqrt:z': there is no such column"),
    ],
)
def test_changes_that_cannot_be_made_have_a_way_out(ask, covariate, words):
    code, err = ask("--covariates", covariate)
    assert code == 3
    assert words in err


def test_one_column_is_not_both_time_and_event(ask):
    code, err = ask(event="t")
    assert code == 3
    assert "'t' is named for time and event" in err
