"""The verb ``assess``: from a table to an answer."""

import json
import re
import signal
import sys
import time

import numpy as np
import pytest
from tests.snapshot import assert_snapshot

from scorecast._core import progress
from scorecast.evaluation import (
    METRICS,
    MODELS,
    Assessment,
    NullTests,
    TunedEstimator,
    assess,
)

TOOL = [sys.executable, "-c", "from scorecast.cli import main; main()"]
FOREST = "sklearn.ensemble:RandomForestClassifier(n_estimators=10)"
CLEAN = ("--target", "kind", "--drop", "size", "--drop", "patient")
TESTED = ("--permutations", "30", "--null-sets", "3", "--cv", "5")
BARE = ("--quick", "--cv", "3")


@pytest.fixture
def table(tmp_path):
    """Four features, a class, a number and a patient; arrays beside it."""
    rng = np.random.default_rng(0)
    kind = np.arange(40) % 2
    X = rng.normal(size=(40, 4))
    X[:, 0] += 3 * kind
    lines = ["g1,g2,g3,g4,kind,size,patient"]
    for i, (row, k) in enumerate(zip(X, kind, strict=True)):
        word = "sick" if k else "well"
        features = ",".join(f"{x:.6f}" for x in row)
        lines.append(f"{features},{word},{row[1]:.4f},p{i // 2}")
    path = tmp_path / "data.csv"
    path.write_text("\n".join(lines) + "\n")
    np.savez(tmp_path / "data.npz", X=X, y=kind)
    return path


def animals(tmp_path):
    """Three classes, one of them of two samples."""
    rng = np.random.default_rng(3)
    y = np.repeat(["cat", "dog", "owl"], [24, 14, 2])
    X = rng.normal(size=(40, 3)) + 2 * (y == "dog")[:, None] - 4 * (y == "owl")[:, None]
    rows = [
        ",".join([*(f"{x:.4f}" for x in row), name])
        for row, name in zip(X, y, strict=True)
    ]
    path = tmp_path / "animals.csv"
    path.write_text("\n".join(["a,b,c,kind", *rows]) + "\n")
    return path


def test_the_answer_is_printed_saved_and_reported(run, table, tmp_path):
    pytest.importorskip("matplotlib", reason="needs the extra [plot]")
    svm = "sklearn.svm:SVC(kernel='linear', C=0.5)"
    models = ("--model", "naive-bayes", "--model", svm)
    saved = ("--json", tmp_path / "a.json", "--report", tmp_path / "a.html")
    code, out, err = run("assess", table, *CLEAN, *models, *saved, *TESTED)
    assert code == 0, err
    assert "Traceback" not in err
    data = json.loads((tmp_path / "a.json").read_text())
    assert list(data["result"]["models"]) == ["naive-bayes", svm]
    assert data["inputs"]["files"][0]["path"] == str(table)
    assert data["inputs"]["versions"]["numpy"] == np.__version__
    assert {"python", "scikit-learn"} <= set(data["inputs"]["versions"])
    assert Assessment.from_dict(data).n_samples == 40
    page = (tmp_path / "a.html").read_text()
    assert "Is it better than chance?" in page
    shown = "\n".join(x for x in out.splitlines() if str(tmp_path) not in x)
    assert_snapshot("assess", shown)


def test_it_says_what_python_says(run, table):
    call = ("--model", "naive-bayes", "--json", "-", *TESTED)
    code, out, err = run("assess", table.with_name("data.npz"), "--target", "y", *call)
    assert code == 0, err
    arrays = np.load(table.with_name("data.npz"))
    tests = NullTests(n_permutations=30, n_null_data=3)
    found = assess(["naive-bayes"], arrays["X"], arrays["y"], cv=5, tests=tests)
    assert json.loads(out)["result"] == found.to_dict()["result"]


def test_numbers_and_groups(run, table):
    call = ("--target", "size", "--drop", "kind", "--groups", "patient")
    code, out, err = run("assess", table, *call, "--model", "ridge", *TESTED)
    assert code == 0, err
    assert "root mean squared error" in out
    assert "null data: not drawn, as samples of a group" in " ".join(out.split())
    assert "20 groups" in out


@pytest.mark.parametrize("kind", ["normal", "independent"])
def test_null_data_of_numbers_are_drawn_as_asked(run, table, kind):
    call = ("--target", "size", "--drop", "kind", "--drop", "patient", "--json", "-")
    chosen = ("--model", "ridge", "--null-data", kind, *TESTED)
    code, out, err = run("assess", table, *call, *chosen)
    assert code == 0, err
    tests = json.loads(out)["result"]["models"]["ridge"]["null_tests"]
    assert tests["null_data"]["n_draws"] == 3


def test_help_names_every_model_and_metric(run):
    code, out, _ = run("assess", "--help")
    assert code == 0
    said = " ".join(out.split())
    for name in (*MODELS, *METRICS):
        assert name in said


# Refusals -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("naive-bays", "Try 'naive-bayes'"),
        ("neigh", "Try 'neighbo"),
        ("SVM", "Try 'svm'"),
        ("os:system('true')", "public classes of sklearn"),
        ("sklearn.svm:SVC(C=__import__('os'))", "literal"),
        ("sklearn.svm:SVC(**{'C': 1})", "literal"),
        ("sklearn.svm:SVC('linear')", "literal"),
        ("sklearn.svm:SVC(kernal='linear')", "Try 'kernel'"),
        ("sklearn.svm:SVC(Q=1)", "It has C, "),
        ("sklearn.svm:SVC(C=-1.0)", "C of SVC must be a number in the range"),
        ("sklearn.svm:Nothing", "there is no"),
        ("sklearn.svm:SVCC()", "Try sklearn.svm:SVC"),
        ("sklearn.utils:check_array", "no estimator"),
        ("sklearn._config:config_context", "public classes"),
    ],
)
def test_models_are_read_never_evaluated(run, table, model, said):
    code, out, err = run("assess", table, *CLEAN, "--model", model, *BARE)
    assert (code, out) == (2, "")
    assert said in err
    assert "--model" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--target", "nothing"), 3, "no such column"),
        (("--target", "Kind"), 3, "'kind'"),
        (("--scoring", "acc"), 2, "Did you mean 'accuracy'?"),
        (("--scoring", "rmse"), 2, "is for regression"),
        (("--cv", "99"), 4, "Take cv40"),
        (("--cv", "1"), 2, "it takes 2 folds at least"),
        (("--cv", "mc0"), 2, "it takes 1 split at least, such as 'mc100'"),
        (("--cv", "mc10x4"), 2, "for more of them write 'mc40'"),
        (("--cv", "loo5"), 2, "takes no number; write 'loo'"),
        (("--model", "ridge"), 2, "different tasks"),
        (("--model", "naive-bayes"), 2, "naive-bayes is there twice"),
        (("--drop", "sise"), 3, "'size'"),
        (("--drop", "zzzz"), 3, "--drop"),
        (("--drop", "kind"), 2, "--drop"),
        (("--fail-below", "2"), 2, "a value of accuracy, 0 to 1; got 2"),
        (("--fail-below", "-1"), 2, "a value of accuracy, 0 to 1; got -1"),
        (("--fail-below", "80"), 2, "Try 0.8"),
        (("--target-score", "0.8"), 2, "--target-score"),
        (("--target-score", "80", "--learning-curve"), 2, "--target-score"),
        (("--select", "5"), 2, "--select: must be a whole number from 1 to 4"),
        (("--select", "0"), 2, "--select"),
        (("--test-size", "0.3"), 2, "--cv mc"),
        (("--confidence-level", "1.5"), 2, "such as 0.95."),
        (("--confidence-level", "90"), 2, "did you mean 0.90?"),
        (("--pos-label", "Sick"), 2, "Try 'sick'"),
        (("--permutations", "1"), 2, "takes 19 at least"),
        (("--null-sets", "1"), 2, "--null-sets"),
        (("--permutations", "0", "--null-data", "normal"), 2, "--null-data"),
        (("--alpha", "0.3", "--relaxed-alpha", "0.1"), 2, "--relaxed-alpha"),
        (("--tune-cv", "3"), 2, "--tune-cv"),
        (("--tune", "var_smoothing=0,1", "--tune-cv", "foo"), 2, "--tune-cv"),
    ],
)
def test_what_cannot_be_is_refused_by_its_own_name(run, table, arguments, code, said):
    call = ("assess", table, *CLEAN, "--model", "naive-bayes", *arguments)
    found, out, err = run(*call)
    assert (found, out) == (code, ""), err
    assert said in err
    assert "`" not in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--tune", "C"), "must read NAME=VALUE"),
        (("--tune", "C="), "must read NAME=VALUE"),
        (("--tune", "C=1,,2"), "must read NAME=VALUE"),
        (("--tune", "C=__import__('os').system('true')"), "must read NAME=VALUE"),
        (("--tune", "C=1,[2"), "must read NAME=VALUE"),
        (("--tune", "C=1,1"), "twice"),
        (("--tune", "C=1,2", "--tune", "svm__C=3,4"), "given twice"),
        (("--tune", "gama=1,2"), "Try 'gamma'"),
        (("--tune", "tree__max_depth=1,2"), "no parameter"),
        (("--tune", "C=-1,1"), "C of SVC must be a number in the range (0.0, inf]"),
        (("--tune", "kernel=a"), "must be one of 'linear', 'poly', 'precomputed'"),
    ],
)
def test_bad_grids_are_refused_in_a_line(run, table, options, said):
    code, out, err = run("assess", table, *CLEAN, "--model", "svm", *BARE, *options)
    assert (code, out) == (2, "")
    assert said in err
    assert "Error" not in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("missing", ["--target", "--model"])
def test_target_and_model_are_needed(run, table, missing):
    given = {"--target": "kind", "--model": "svm"}
    del given[missing]
    code, out, err = run("assess", table, *next(iter(given.items())))
    assert (code, out) == (2, "")
    assert missing in err


@pytest.mark.parametrize(
    ("model", "said"),
    [("lasso", "use a classifier"), ("ridge", "such as ridge-classifier")],
)
def test_who_takes_a_regressor_for_a_classifier_is_told(run, table, model, said):
    code, out, err = run("assess", table, *CLEAN, "--model", model)
    assert (code, out) == (3, "")
    assert "column 'kind'" in err
    assert said in err.lower()


@pytest.mark.parametrize(
    ("model", "more", "said"),
    [
        ("sklearn.neighbors:KNeighborsClassifier(n_neighbors=99)", (), "= 99"),
        ("naive-bayes", ("--time-limit", "1e-9", "--cv", "2"), "--time-limit"),
    ],
)
def test_models_that_cannot_be_fitted_are_no_fault_of_ours(
    run, table, model, more, said
):
    code, out, err = run("assess", table, *CLEAN, "--model", model, "--quick", *more)
    assert (code, out) == (4, "")
    assert "no model could be fitted" in err
    assert said in err
    assert "a fault in scorecast" not in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("values", "code", "said"),
    [
        (["x"] * 20, 4, "holds one class only (x)"),
        (range(20), 3, "holds 20 different values"),
        (["x"] * 19 + ["y"], 4, "holds a single sample of class 'y'"),
    ],
)
def test_faults_of_the_target_name_file_and_column(run, tmp_path, values, code, said):
    path = tmp_path / "data.csv"
    rows = [f"{i}.5,{y}" for i, y in enumerate(values)]
    path.write_text("\n".join(["gene,kind", *rows]) + "\n")
    found, out, err = run("assess", path, "--target", "kind", "--model", "naive-bayes")
    assert (found, out) == (code, "")
    assert f"{path}, column 'kind': {said}" in err
    assert err.count("\n") == 1


def test_features_that_do_not_vary_are_not_enough(run, tmp_path):
    path = tmp_path / "same.csv"
    path.write_text("a,b,kind\n" + "1,2,x\n1,2,y\n" * 10)
    code, out, err = run("assess", path, "--target", "kind", "--model", "naive-bayes")
    assert (code, out) == (4, "")
    assert f"{path}: no feature varies" in err


def test_the_first_missing_value_is_said_with_its_place(run, table, tmp_path):
    lines = ["a,b,k", *(f"{i % 7},{i % 3},{'xy'[i % 2]}" for i in range(20))]
    path = tmp_path / "gaps.csv"
    call = ("assess", path, "--target", "k", *BARE, "--model")
    said = "the value is missing (1 such), and svm cannot learn from that"
    for word in ("NA", ""):
        path.write_text("\n".join([*lines[:7], f"{word},0,x", *lines[8:]]) + "\n")
        code, _, err = run(*call, "svm")
        assert code == 3
        assert f"{path}, column 'a', line 8" in err
        assert said in err
    taking = "sklearn.ensemble:HistGradientBoostingClassifier(max_iter=2)"
    assert run(*call, taking)[0] == 0
    arrays = table.with_name("data.npz")
    data = dict(np.load(arrays))
    data["X"][6, 3] = np.nan
    np.savez(arrays, **data)
    err = run("assess", arrays, "--target", "y", "--model", "svm", *BARE)[2]
    assert f"{arrays}::X, column '4', row 7: {said}" in err


def test_arrays_have_near_names_and_no_columns_to_drop(run, table):
    arrays = table.with_name("data.npz")
    code, _, err = run("assess", arrays, "--target", "Y", "--model", "svm")
    assert (code, "'y'" in err) == (3, True)
    call = ("assess", arrays, "--target", "y", "--model", "svm", "--drop", "a")
    code, _, err = run(*call)
    assert (code, "none can be left out" in err) == (3, True)


def test_transposed_features_are_recognised(run, table):
    arrays = table.with_name("data.npz")
    data = dict(np.load(arrays))
    np.savez(arrays, X=data["X"].T, y=data["y"])
    code, _, err = run("assess", arrays, "--target", "y", "--model", "svm")
    assert code == 3
    assert "Transpose the features" in err


@pytest.mark.parametrize(
    ("cv", "code", "said"),
    [("group30", 4, "group20"), ("loo", 2, "tears groups apart")],
)
def test_groups_that_cannot_be_kept_together_are_refused(run, table, cv, code, said):
    call = ("--target", "kind", "--drop", "size", "--groups", "patient")
    found, out, err = run("assess", table, *call, "--model", "naive-bayes", "--cv", cv)
    assert (found, out) == (code, "")
    assert said in err


def test_a_column_without_a_name_can_be_left_out(run, tmp_path):
    rows = (f'"s{i}",{i % 7},{i % 3},{"xy"[i % 2]}' for i in range(40))
    path = tmp_path / "from_r.csv"
    path.write_text("\n".join(['"","a","b","k"', *rows]) + "\n")
    call = ("assess", path, "--target", "k", "--model", "naive-bayes", *BARE)
    code, _, err = run(*call)
    assert code == 3
    assert "--drop" in err
    assert run(*call, "--drop", "")[0] == 0


def test_a_worker_that_was_killed_is_no_fault_of_ours(run, table, monkeypatch):
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    import scorecast.evaluation

    def killed(*_arguments, **_options):
        raise TerminatedWorkerError

    monkeypatch.setattr(scorecast.evaluation, "assess", killed)
    code, out, err = run("assess", table, *CLEAN, "--model", "svm")
    assert (code, out) == (4, "")
    assert "try --jobs 1" in err
    assert "a fault in scorecast" not in err


# Gates, costs, classes ------------------------------------------------------------


def test_a_gate_that_fails_is_exit_5(run, table):
    call = ("assess", table, *CLEAN, "--model", "naive-bayes", *BARE)
    code, _, err = run(*call, "--fail-below", "0.999")
    assert code == 5
    assert "below --fail-below 0.999" in err
    assert run(*call, "--fail-below", "0.5")[0] == 0
    errors = (*call, "--scoring", "error", "--fail-below")
    assert run(*errors, "0.5")[0] == 0
    code, _, err = run(*errors, "0.001")
    assert code == 5
    assert "above --fail-below 0.001" in err
    unknown = ("--cv", "loo", "--scoring", "auc", "--fail-below", "0.5")
    code, _, err = run(*call, *unknown)
    assert code == 5
    assert "unknown" in err


def test_costs_are_the_first_metric_and_a_row_is_an_answer(run, table, tmp_path):
    path = tmp_path / "cost.csv"
    # To call a well one sick costs 1, to call a sick one well 7.
    path.write_text("said,sick,well\nsick,0,1\nwell,7,0\n")
    call = ("assess", table, *CLEAN, "--model", "svm", *BARE, "--json", "-")
    code, out, err = run(*call, "--cost", path, "--scoring", "error")
    assert code == 0, err
    data = json.loads(out)
    model = data["result"]["models"]["svm"]
    assert list(model["metrics"]) == ["cost", "error_rate"]
    assert str(path) in [file["path"] for file in data["inputs"]["files"]]
    rows = table.read_text().splitlines()[1:]
    sick = np.array([row.split(",")[4] == "sick" for row in rows])
    wrong = np.array(model["metrics"]["error_rate"]["samples"]) == 1
    assert wrong.any()
    wanted = np.where(wrong, np.where(sick, 7, 1), 0)
    assert model["metrics"]["cost"]["samples"] == wanted.tolist()
    numbers = ("--target", "size", "--drop", "kind", "--drop", "patient")
    code, _, err = run("assess", table, *numbers, "--model", "ridge", "--cost", path)
    assert code == 2
    assert "--cost" in err


def test_costs_without_names_say_whose_they_are(run, table, tmp_path):
    (tmp_path / "bare.csv").write_text("0,1\n7,0\n")
    (tmp_path / "named.csv").write_text(",well,sick\nwell,0,7\nsick,1,0\n")
    found = {}
    for name in ("bare", "named"):
        call = ("--cost", tmp_path / f"{name}.csv", "--json", tmp_path / f"{name}.json")
        given = ("assess", table, *CLEAN, "--model", "naive-bayes", *BARE)
        code, _, err = run(*given, *call)
        assert code == 0, err
        data = json.loads((tmp_path / f"{name}.json").read_text())
        cost = data["result"]["models"]["naive-bayes"]["metrics"]["cost"]["estimate"]
        is_said = "sick and well, in this order" in err
        found[name] = (is_said, data["inputs"]["are_costs_by_name"], cost)
    assert found["bare"][:2] == (True, False)
    assert found["named"][:2] == (False, True)
    assert found["bare"][2] == found["named"][2]
    (tmp_path / "cost.csv").write_text(",well,ill\nwell,0,9\nill,1,0\n")
    code, _, err = run(*given, "--cost", tmp_path / "cost.csv")
    assert code == 3
    assert f"{tmp_path / 'cost.csv'}, line 1: there is no class 'sick'" in err


def test_the_positive_class_can_be_named_and_is_echoed(run, table, tmp_path):
    scoring = ("--scoring", "sensitivity", "--scoring", "f1")
    call = ("--pos-label", "sick", "--json", tmp_path / "a.json")
    given = ("assess", table, *CLEAN, "--model", "naive-bayes", *BARE)
    code, out, err = run(*given, *scoring, *call)
    assert code == 0, err
    assert "sensitivity of class sick" in out
    assert "positive: sick" in out
    data = json.loads((tmp_path / "a.json").read_text())
    assert data["options"]["pos_label"] == "sick"
    for x in data["result"]["models"]["naive-bayes"]["metrics"].values():
        assert x["pos_label"] == "sick"


def test_classes_of_arrays_bear_the_names_beside_them(run, table):
    path = table.with_name("data.npz")
    data = dict(np.load(path))
    call = ("assess", path, "--target", "y", "--model", "naive-bayes", *BARE)
    np.savez(path, **data, labels=np.array(["well", "sick"]))
    code, out, err = run(*call)
    assert code == 0
    assert "20 of class sick, 20 of class well" in out
    assert "classes 'y' are called by 'labels': well and sick" in err
    for names in (["a", "b", "c"], ["a", "a"], ["a"]):  # of something else
        np.savez(path, **data, labels=np.array(names))
        assert "20 of class 0, 20 of class 1" in run(*call)[1]


# Curves, tuning, quick looks ------------------------------------------------------


def test_curves_and_selection_are_a_flag_away(run, table, tmp_path):
    asked = ("--learning-curve", "--target-score", "0.8", "--feature-curve")
    more = ("--select", "2", "--cv", "mc5", "--test-size", "0.3", "--permutations", "0")
    call = ("assess", table, *CLEAN, "--model", "naive-bayes", *asked, *more)
    code, out, err = run(*call, "--json", tmp_path / "a.json")
    assert code == 0, err
    assert "samples for 80 %" in out
    data = json.loads((tmp_path / "a.json").read_text())
    assert data["options"]["n_test"] == 12
    assert data["result"]["feature_selection"]["names"][0] == "g1"
    curves = data["result"]["models"]["naive-bayes"]["curves"]
    assert set(curves) == {"samples", "features"}


def test_parameters_are_chosen_inside_every_split(run, table, tmp_path):
    tune = ("--tune", "C=0.01,1", "--tune", "svm__kernel=linear,rbf", "--tune-cv", "3")
    models = ("--model", "svm", "--model", "naive-bayes")
    call = ("assess", table, *CLEAN, *models, *tune, "--quick", "--cv", "5")
    code, out, err = run(*call, "--json", tmp_path / "a.json")
    assert code == 0, err
    found = json.loads((tmp_path / "a.json").read_text())["result"]["models"]
    tuned = "svm, tuned C=0.01,1, kernel=linear,rbf"
    assert list(found) == [tuned, "naive-bayes"]
    chosen = found[tuned]["chosen"]
    assert len(chosen) == 5
    assert all(x["C"] in {"0.01", "1"} for x in chosen)
    assert found["naive-bayes"]["chosen"] == []
    assert "of 5 splits" in " ".join(out.split())


def test_the_choice_is_made_by_the_first_metric_and_the_inner_splits(
    run, table, monkeypatch
):
    seen = []

    def fit(self, X, y, groups=None):
        seen.append((self.param_grid, self.cv, self.scoring.name, len(X)))
        self.best_estimator_ = self.estimator.fit(X, y)
        self.classes_ = self.estimator.classes_
        return self

    monkeypatch.setattr(TunedEstimator, "fit", fit)
    tune = ("--tune", "C=0.01,1", "--tune-cv", "3", "--cv", "4")
    call = ("assess", table, *CLEAN, "--model", "svm", "--scoring", "mcc", "--quick")
    code, _, err = run(*call, *tune)
    assert code == 0, err
    assert seen[:4] == [({"C": [0.01, 1]}, "3", "matthews_corrcoef", 30)] * 4


def test_a_quick_look_says_so_everywhere(run, tmp_path):
    page, path = tmp_path / "page.html", tmp_path / "answer.json"
    models = ("--model", "naive-bayes", "--model", "nearest-centroid")
    call = ("assess", animals(tmp_path), "--target", "kind", *models)
    code, out, err = run(*call, "--quick", "--json", path, "--report", page)
    assert code == 0, err
    assert out.startswith("Quick look: Best of 2, ")
    found = Assessment.from_dict(json.loads(path.read_text()))
    assert found.is_quick
    assert all(model.null_tests is None for model in found.models.values())
    assert "Quick look: " in page.read_text()
    whole = ("--permutations", "20", "--null-sets", "2", "--json", "-")
    slow = Assessment.from_dict(json.loads(run(*call, *whole)[1]))
    assert not slow.is_quick
    # The scores are those of the whole answer, with the same interval.
    for name, model in found.models.items():
        for key, x in model.metrics.items():
            other = slow.models[name].metrics[key]
            ours, theirs = ((y.estimate, y.low, y.high) for y in (x, other))
            assert ours == pytest.approx(theirs), (name, key)


@pytest.mark.parametrize(
    "more",
    [
        ("--permutations", "5"),
        ("--null-sets", "3"),
        ("--learning-curve",),
        ("--vc-dimension", "3"),
        ("--select", "2"),
    ],
)
def test_a_quick_look_refuses_what_it_leaves_out(run, table, more):
    call = ("assess", table, *CLEAN, "--model", "naive-bayes", "--quick", *more)
    code, out, err = run(*call)
    assert (code, out) == (2, "")
    assert more[0] in err
    assert "--quick" in err
    assert err.count("\n") == 1


# Long runs ------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_an_interrupted_run_says_how_to_go_on_and_does(
    run, started, table, tmp_path, jobs
):
    kept, out = tmp_path / "run.jsonl", tmp_path / "a.json"
    tests = ("--permutations", "8", "--null-sets", "0", "--cv", "4", "--jobs", jobs)
    saved = ("--checkpoint", str(kept), "--json", str(out))
    arguments = ["assess", str(table), *CLEAN, "--model", FOREST, *tests, *saved]
    with started([*TOOL, *arguments]) as process:
        stop_at = time.monotonic() + 600
        while process.poll() is None and time.monotonic() < stop_at:
            if kept.exists() and kept.read_text().count("\n") >= 6:
                break
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=300)
    assert process.returncode == 130, err
    assert f"run the same command to go on from {kept}" in err
    assert "Traceback" not in err
    assert not out.exists()
    done = kept.read_text().count("\n")
    code, _, err = run(*arguments)
    assert code == 0, err
    lines = kept.read_text().splitlines()
    numbers = [(row["part"], row["number"]) for row in map(json.loads, lines[1:])]
    # Nothing that was kept has been done again.
    assert len(numbers) == len(set(numbers)) >= done - 1
    fresh = tmp_path / "b.json"
    plain = [x for x in arguments if x not in ("--checkpoint", str(kept), str(out))]
    assert run(*plain, fresh)[0] == 0
    one, other = (json.loads(path.read_text()) for path in (out, fresh))
    assert one["result"] == other["result"]


def test_a_torn_line_of_a_checkpoint_is_told_and_another_run_blamed(
    run, table, tmp_path
):
    kept = tmp_path / "run.jsonl"
    call = ("assess", table, *CLEAN, "--model", "svm", *BARE, "--checkpoint", kept)
    assert run(*call)[0] == 0
    with kept.open("a") as file:
        file.write('{"part": "svm/fol')
    code, _, err = run(*call)
    assert code == 0
    assert "the last line was cut off" in err
    code, _, err = run(*call, "--seed", "3")
    assert code == 3
    assert err.startswith(f"scorecast: {kept}: the checkpoint of another run")


def test_a_table_of_two_thousand_columns_is_read(run, tmp_path):
    rng = np.random.default_rng(0)
    X, kind = rng.normal(size=(24, 2000)), np.array(["sick", "well"])[np.arange(24) % 2]
    names = [f"gene{i}" for i in range(2000)]
    lines = [",".join([*names, "kind"])]
    rows = zip(X.tolist(), kind, strict=True)
    lines += [",".join([*map(repr, row), word]) for row, word in rows]
    (tmp_path / "wide.csv").write_text("\n".join(lines))
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow", reason="needs the extra [io]")
    frame = pandas.DataFrame(X, columns=names).assign(kind=kind)
    frame.to_parquet(tmp_path / "wide.parquet")
    answers = []
    for name in ("wide.csv", "wide.parquet"):
        call = ("--target", "kind", "--model", "nearest-centroid", *BARE, "--json", "-")
        code, out, err = run("assess", tmp_path / name, *call)
        assert code == 0, err
        answers.append(json.loads(out))
    assert answers[0]["inputs"]["n_features"] == 2000
    assert answers[0]["result"] == answers[1]["result"]


# What is shown while it works -----------------------------------------------------


class Terminal:
    """What progress writes to; not a terminal, so line by line."""

    def __init__(self):
        self.text = ""

    def isatty(self):
        return False

    def write(self, text):
        self.text += text

    def flush(self):
        pass


def samples(n=40, m=3):
    y = np.arange(n) % 2
    return np.random.default_rng(0).normal(size=(n, m)) + y[:, None], y


def shown(monkeypatch, *, moment=-1.0, delay=0.0):
    """Return what is shown while models are assessed, and what came before tests."""
    module = sys.modules["scorecast.evaluation.assess"]
    monkeypatch.setattr(progress, "_MOMENT", moment)
    stream, order = Terminal(), []
    real = module.run_null_tests

    def run_null_tests(*arguments, **keywords):
        order.append(stream.text)
        time.sleep(delay)
        return real(*arguments, **keywords)

    monkeypatch.setattr(module, "run_null_tests", run_null_tests)
    tests = NullTests(n_permutations=20, n_null_data=2)
    with progress.progress_shown(stream):
        assess(["naive-bayes", "nearest-centroid"], *samples(), tests=tests)
    return stream.text, order


def test_scores_of_all_models_come_before_anything_that_takes_long(monkeypatch):
    text, order = shown(monkeypatch)
    assert text.startswith("First scores (cv10, 95 % intervals):\n")
    for name in ("naive-bayes", "nearest-centroid"):
        for metric in ("accuracy", "balanced_accuracy"):
            assert re.search(rf"  {name} +{metric} +\d+\.\d %  +\d", order[0])


def test_what_is_over_in_a_moment_says_everything_at_once(monkeypatch):
    assert "First scores" not in shown(monkeypatch, moment=60.0)[0]


def test_what_takes_longer_than_was_thought_shows_its_first_scores(monkeypatch):
    module = sys.modules["scorecast.evaluation.assess"]
    # However short the rest was thought to be.
    monkeypatch.setattr(module, "_seconds_left", lambda *_: {})
    text, _ = shown(monkeypatch, moment=0.3, delay=0.4)
    assert text.count("First scores") == 1


def test_the_time_left_is_known_from_the_folds(monkeypatch):
    seen, real = [], progress.track
    with progress.progress_shown(Terminal()):
        display = progress._display.get()

        def watched(items, **options):
            for item in real(items, **options):
                seen.append((options["what"], display.left()))
                yield item

        monkeypatch.setattr("scorecast._core.parallel.track", watched)
        tests = NullTests(n_permutations=3, n_null_data=2)
        assess(["forest", "svm"], *samples(60, 40), cv=3, tests=tests)
    during = [left for what, left in seen if what in ("permuting", "null data")]
    assert any(left is not None and left > 0 for left in during)
    # Nothing is known before the folds are over.
    assert all(left is None for what, left in seen if what == "testing forest")


def test_rules_are_counted_on_the_command_line(run, table):
    model = "sklearn.tree:DecisionTreeClassifier(max_leaf_nodes=3)"
    call = ("--target", "kind", "--drop", "patient", "--permutations", "0")
    words = ("assess", table, *call, "--model", model, "--cv", "3")
    code, out, err = run(*words, "--hypotheses", "tree:3", "--json", "-")
    assert code == 0, err
    (found,) = json.loads(out)["result"]["models"].values()
    (bound,) = (
        x
        for metric in found["metrics"].values()
        for x in metric["intervals"]
        if x["method"] == "occam"
    )
    assert bound["hypotheses"] == "tree:3"
    assert bound["log_hypotheses"] > 0
    code, _, err = run(*words, "--hypotheses", "trees:3")
    assert (code, "--hypotheses" in err) == (2, True)
