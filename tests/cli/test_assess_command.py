"""The verb ``assess``: from a table to an answer."""

import json
import signal
import sys
import time

import numpy as np
import pytest

from scorecast._core.results import result_from_dict

TOOL = [sys.executable, "-c", "from scorecast.cli import main; main()"]
KIND = ("--target", "kind", "--drop", "patient", "--model", "svm")
FOREST = "sklearn.ensemble:RandomForestClassifier(n_estimators=10)"
QUICK = ("--permutations", "30", "--null-sets", "3", "--sampling", "cv5")
HALVES = ("--sampling", "cv2")


@pytest.fixture
def table(tmp_path):
    """A table with four features, a class, a number and a patient."""
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


def test_the_answer_is_printed_saved_and_reported(run, table, tmp_path):
    pytest.importorskip("matplotlib", reason="needs the extra [plot]")
    code, out, err = run(
        "assess", table, "--target", "kind", "--drop", "size", "--drop", "patient",
        "--model", "naive-bayes", "--model", "sklearn.svm:SVC(kernel='linear', C=0.5)",
        "--json", tmp_path / "a.json", "--report", tmp_path / "a.html", *QUICK,
    )  # fmt: skip
    assert code == 0, err
    assert "Feasible" in out
    assert "Traceback" not in err
    data = json.loads((tmp_path / "a.json").read_text())
    names = ["naive-bayes", "sklearn.svm:SVC(kernel='linear', C=0.5)"]
    assert list(data["result"]["models"]) == names
    assert data["inputs"]["files"][0]["path"] == str(table)
    assert data["inputs"]["versions"]["numpy"] == np.__version__
    assert {"python", "scikit-learn"} <= set(data["inputs"]["versions"])
    assert result_from_dict(data).n == 40
    page = (tmp_path / "a.html").read_text()
    assert "Is it better than chance?" in page


def test_numbers_groups_and_arrays(run, table, tmp_path):
    code, out, _ = run(
        "assess", table, "--target", "size", "--drop", "kind", "--group", "patient",
        "--model", "ridge", *QUICK,
    )  # fmt: skip
    assert code == 0
    assert "rmse" in out
    code, out, _ = run(
        "assess", tmp_path / "data.npz", "--target", "y", "--model", "naive-bayes",
        "--json", "-", *QUICK,
    )  # fmt: skip
    assert code == 0
    assert json.loads(out)["kind"] == "assessment"


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("naive-bays", "Did you mean 'naive-bayes'"),
        ("os:system('true')", "Only public classes of sklearn"),
        ("sklearn.svm:SVC(C=__import__('os'))", "literal"),
        ("sklearn.svm:SVC(**{'C': 1})", "literal"),
        ("sklearn.svm:SVC('linear')", "literal"),
        ("sklearn.svm:SVC(kernal='linear')", "kernal"),
        ("sklearn.svm:Nothing", "There is no"),
        ("sklearn.svm:SVCC()", "Did you mean sklearn.svm:SVC?"),
        ("sklearn.utils:check_array", "no estimator"),
        ("sklearn._config:config_context", "Only public"),
    ],
)
def test_models_are_read_never_evaluated(run, table, model, said):
    code, out, err = run("assess", table, "--target", "kind", "--model", model)
    assert code == 2
    assert out == ""
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--target", "nothing", "--model", "svm"), 3, "no such column"),
        (("--target", "kind", "--model", "svm"), 3, "patient"),
        (("--target", "kind"), 2, "--model"),
        ((*KIND, "--loss", "acc"), 2, "--loss must be one of"),
        ((*KIND, "--sampling", "cv99"), 4, "take --sampling cv40"),
        ((*KIND, "--model", "ridge"), 2, "different tasks"),
        (("--target", "kind", "--drop", "patient", "--model", "lasso"), 3,
         "'well' is not a number, and lasso predicts numbers. Use a classifier"),
        ((*KIND, "--drop", "sise"), 3, "Did you mean 'size'?"),
        ((*KIND, "--drop", "zzzz"), 3, "Name one of these (--drop)"),
        ((*KIND, "--loss", "rmse"), 2, "--loss rmse is for regression"),
        ((*KIND, "--model", "svm"), 2, "svm is there twice"),
    ],
)  # fmt: skip
def test_bad_input_has_one_line_and_its_code(run, table, arguments, code, said):
    found, out, err = run("assess", table, *arguments)
    assert found == code, err
    assert out == ""
    assert said in err
    assert err.count("\n") == 1


def test_a_gate_that_fails_is_exit_5(run, table):
    code, _, err = run(
        "assess", table, "--target", "kind", "--drop", "patient", "--drop", "size",
        "--model", "naive-bayes", "--fail-below", "0.999", *QUICK,
    )  # fmt: skip
    assert code == 5
    assert "reaches down to" in err


@pytest.mark.parametrize(
    ("model", "more", "code", "said"),
    [
        ("sklearn.neighbors:KNeighborsClassifier(n_neighbors=99)", (), 4, "= 99"),
        ("naive-bayes", ("--time-limit", "1e-9", *HALVES), 4, "--time-limit"),
    ],
)
def test_models_that_cannot_be_fitted_are_no_fault_of_ours(
    run, table, model, more, code, said
):
    found, out, err = run("assess", table, *CLEAN, "--model", model, *QUICK, *more)
    assert (found, out) == (code, "")
    assert "No model could be fitted" in err
    assert said in err
    assert "a fault in scorecast" not in err
    assert ".." not in err.replace("...", "")
    assert err.count("\n") == 1


def test_features_that_do_not_vary_are_not_enough(run, tmp_path):
    path = tmp_path / "same.csv"
    path.write_text("a,b,kind\n" + "1,2,x\n1,2,y\n" * 10)
    code, out, err = run("assess", path, "--target", "kind", "--model", "naive-bayes")
    assert (code, out) == (4, "")
    assert err == f"scorecast: {path}: No feature varies: all cases look the same.\n"


def targets(path, values):
    """Write a table of one feature and these targets."""
    rows = [f"{i}.5,{y}" for i, y in enumerate(values)]
    path.write_text("\n".join(["gene,kind", *rows]) + "\n")
    return path


@pytest.mark.parametrize(
    ("values", "code", "said"),
    [
        (["x"] * 20, 4, "data.csv, column 'kind': holds one class only (x)"),
        (range(20), 3, "data.csv, column 'kind': holds 20 different values"),
        (["x"] * 19 + ["y"], 4, "column 'kind': holds a single case of class 'y'"),
    ],
)
def test_faults_of_the_target_name_file_and_column(run, tmp_path, values, code, said):
    path = targets(tmp_path / "data.csv", values)
    found, out, err = run("assess", path, "--target", "kind", "--model", "naive-bayes")
    assert (found, out) == (code, "")
    assert said in err
    assert str(path) in err
    assert err.count("\n") == 1


def test_one_class_and_copies_are_named(run, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 2))
    np.savez(tmp_path / "one.npz", X=X, y=np.zeros(20, dtype=int))
    code, out, err = run(
        "assess", tmp_path / "one.npz", "--target", "y", "--model", "naive-bayes"
    )
    assert (code, out) == (4, "")
    assert "one class only" in err
    X[5:10] = X[0]
    np.savez(tmp_path / "copies.npz", X=X, y=np.arange(20) % 2)
    code, out, err = run(
        "assess", tmp_path / "copies.npz", "--target", "y", "--model", "naive-bayes",
        *QUICK,
    )  # fmt: skip
    assert code == 0, err
    said = " ".join((out + err).split())
    assert "5 cases repeat the features of another" in said
    assert "--group COL" in said


@pytest.mark.parametrize(
    ("column", "sampling", "said"),
    [("patient", "group30", "group20"), ("patient", "loo", "tears groups apart")],
)
def test_groups_that_cannot_be_kept_together_are_refused(
    run, table, column, sampling, said
):
    code, out, err = run(
        "assess", table, "--target", "kind", "--drop", "size", "--group", column,
        "--model", "naive-bayes", "--sampling", sampling,
    )  # fmt: skip
    assert code == (4 if sampling == "group30" else 2)
    assert out == ""
    assert said in err


def test_a_worker_that_was_killed_is_no_fault_of_ours(run, table, monkeypatch):
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    import scorecast.guarantees

    def killed(*_arguments, **_options):
        raise TerminatedWorkerError

    monkeypatch.setattr(scorecast.guarantees, "assess", killed)
    code, out, err = run("assess", table, *KIND, "--drop", "size")
    assert (code, out) == (1, "")
    assert "try --jobs 1" in err
    assert "a fault in scorecast" not in err


@pytest.mark.parametrize("jobs", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_an_interrupted_run_says_how_to_go_on_and_does(
    run, started, table, tmp_path, jobs
):
    noted, out = tmp_path / "run.jsonl", tmp_path / "a.json"
    command = [
        *TOOL, "assess", str(table), "--target", "kind", "--drop", "size",
        "--drop", "patient", "--model", FOREST, "--sampling", "cv4",
        "--permutations", "8", "--null-sets", "0", "--jobs", jobs,
        "--checkpoint", str(noted), "--json", str(out),
    ]  # fmt: skip
    with started(command) as process:
        stop_at = time.monotonic() + 600
        while process.poll() is None and time.monotonic() < stop_at:
            if noted.exists() and noted.read_text().count("\n") >= 6:
                break
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=300)
    assert process.returncode == 130, err
    assert f"run the same command to go on from {noted}" in err
    assert "Traceback" not in err
    assert not out.exists()
    done = noted.read_text().count("\n")
    arguments = command[len(TOOL) :]
    code, _, err = run(*arguments)
    assert code == 0, err
    lines = noted.read_text().splitlines()
    numbers = [(row["part"], row["number"]) for row in map(json.loads, lines[1:])]
    # Nothing that was noted has been done again.
    assert len(numbers) == len(set(numbers)) >= done - 1
    fresh = tmp_path / "b.json"
    plain = [x for x in arguments if x not in ("--checkpoint", str(noted), str(out))]
    assert run(*plain, fresh)[0] == 0
    one, other = (json.loads(path.read_text()) for path in (out, fresh))
    assert one["result"] == other["result"]


CLEAN = ("--target", "kind", "--drop", "patient", "--drop", "size")


def test_curves_and_selection_are_a_flag_away(run, table, tmp_path):
    code, out, err = run(
        "assess", table, *CLEAN, "--model", "naive-bayes", "--learning-curve", "--aim",
        "0.8", "--feature-curve", "--selection", "2", "--sampling", "mc5",
        "--test-size", "0.3", "--permutations", "0", "--json", tmp_path / "a.json",
    )  # fmt: skip
    assert code == 0, err
    assert "cases for 80 %" in out
    assert "features for 80 %" in out
    assert "best 2" in out
    data = json.loads((tmp_path / "a.json").read_text())
    assert data["options"]["n_test"] == 12
    chosen = data["result"]["selected_features"]["result"]
    assert chosen["name"][0] == "g1"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--aim", "80"), 2, "aim"),
        (
            ("--selection", "5"),
            2,
            "--selection must be a number of features from 1 to 4",
        ),
        (("--selection", "0"), 2, "--selection"),
        (("--test-size", "0.3"), 2, "--sampling mc"),
    ],
)
def test_bad_questions_about_curves(run, table, arguments, code, said):
    found, out, err = run("assess", table, *CLEAN, "--model", "tree", *arguments)
    assert (found, out) == (code, "")
    assert said in err
    assert err.count("\n") == 1


def test_missing_features_are_for_models_that_take_them(run, tmp_path):
    rows = [f"{i % 2 + i / 100},{i % 7},{'xy'[i % 2]}" for i in range(60)]
    rows[4] = ",1,x"
    path = tmp_path / "data.csv"
    path.write_text("\n".join(["a,b,kind", *rows]) + "\n")
    asked = ("assess", path, "--target", "kind", "--permutations", "0", "--model")
    code, out, err = run(*asked, "naive-bayes")
    assert (code, out) == (3, "")
    assert "column 'a', line 6: the value is missing (1 such), and naive-bayes" in err
    taking = "sklearn.ensemble:HistGradientBoostingClassifier(max_iter=2)"
    code, out, err = run(*asked, taking, "--sampling", "cv3")
    assert code == 0, err
    assert "60 cases" in out


def test_a_table_of_two_thousand_columns_is_read(run, tmp_path):
    rng = np.random.default_rng(0)
    X, kind = rng.normal(size=(24, 2000)), np.array(["sick", "well"])[np.arange(24) % 2]
    names = [f"gene{i}" for i in range(2000)]
    lines = [",".join([*names, "kind"])]
    rows = zip(X.tolist(), kind, strict=True)
    lines += [",".join([*map(repr, row), word]) for row, word in rows]
    (tmp_path / "wide.csv").write_text("\n".join(lines))
    files = ["wide.csv"]
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow", reason="needs the extra [io]")
    frame = pandas.DataFrame(X, columns=names).assign(kind=kind)
    frame.to_parquet(tmp_path / "wide.parquet")
    files.append("wide.parquet")
    answers = []
    for name in files:
        code, out, err = run(
            "assess", tmp_path / name, "--target", "kind", "--model",
            "nearest-centroid", "--sampling", "cv3", "--permutations", "0",
            "--json", "-",
        )  # fmt: skip
        assert code == 0, err
        answers.append(json.loads(out))
    assert answers[0]["inputs"]["n_features"] == 2000
    assert answers[0]["result"] == answers[1]["result"]


def test_the_gate_asks_every_model_and_the_relaxed_level_is_taken():
    from types import SimpleNamespace

    from scorecast.cli.assess import _check_gate
    from scorecast.exceptions import GateFailedError

    def row(name, estimate, low):
        loss = SimpleNamespace(
            loss="accuracy", greater_is_better=True, estimate=estimate, low=low, high=1
        )
        return SimpleNamespace(name=name, losses=(loss,))

    models = (row("wide", 0.9, 0.5), row("sure", 0.85, 0.8))
    result = SimpleNamespace(best=models[0], assessed=models)
    _check_gate(result, 0.75)  # the sure one is good enough
    with pytest.raises(GateFailedError, match="sure reaches down"):
        _check_gate(result, 0.81)


def test_the_relaxed_level_is_an_option(run, table):
    code, out, _ = run(
        "assess", table, "--target", "kind", "--drop", "patient", "--drop", "size",
        "--model", "naive-bayes", "--relaxed-alpha", "0.3", "--json", "-",
        *QUICK,
    )  # fmt: skip
    assert code == 0
    assert '"relaxed_alpha": 0.3' in out


def test_costs_are_the_first_loss_and_a_row_is_an_answer(run, table, tmp_path):
    path = tmp_path / "cost.csv"
    # To call a well one sick costs 1, to call a sick one well 7.
    path.write_text("said,sick,well\nsick,0,1\nwell,7,0\n")
    plain = ("assess", table, *KIND, "--drop", "size", "--permutations", "0",
             "--sampling", "cv5", "--json", "-")  # fmt: skip
    code, out, err = run(*plain, "--cost", path, "--loss", "error")
    assert code == 0, err
    data = json.loads(out)
    model = data["result"]["models"]["svm"]
    assert list(model["losses"]) == ["cost", "error"]
    assert str(path) in [file["path"] for file in data["inputs"]["files"]]
    rows = table.read_text().splitlines()[1:]
    sick = np.array([row.split(",")[4] == "sick" for row in rows])
    wrong = np.array(model["losses"]["error"]["cases"]) == 1
    assert wrong.any()
    wanted = np.where(wrong, np.where(sick, 7, 1), 0)
    assert model["losses"]["cost"]["cases"] == wanted.tolist()
    code, _, err = run(
        "assess", table, "--target", "size", "--drop", "kind", "--drop", "patient",
        "--model", "ridge", "--cost", path,
    )  # fmt: skip
    assert code == 2
    assert "--cost" in err


def test_a_relaxed_level_below_the_strict_one_is_refused(run, table):
    code, _, err = run(
        "assess", table, *KIND, "--alpha", "0.3", "--relaxed-alpha", "0.1"
    )
    assert code == 2
    assert "--relaxed-alpha" in err
    assert "exploratory" in err


def test_a_torn_line_of_a_checkpoint_is_told(run, table, tmp_path):
    note = tmp_path / "run.jsonl"
    call = ("assess", table, *KIND, "--drop", "size", "--permutations", "0",
            "--sampling", "cv5", "--checkpoint", note)  # fmt: skip
    assert run(*call)[0] == 0
    with note.open("a") as file:
        file.write('{"part": "svm/fol')
    code, _, err = run(*call)
    assert code == 0
    assert "the last line was cut off" in err


def test_parameters_are_chosen_inside_every_split(run, table, tmp_path):
    code, out, err = run(
        "assess", table, *KIND, "--drop", "size", "--model", "naive-bayes",
        "--tune", "C=0.01,1", "--tune", "svm__kernel=linear,rbf", "--tune-sampling",
        "cv3", "--json", tmp_path / "a.json", *QUICK, "--permutations", "2",
    )  # fmt: skip
    assert code == 0, err
    assert "tuned" in out
    names = list(json.loads((tmp_path / "a.json").read_text())["result"]["models"])
    assert names == ["svm, tuned C=0.01,1, kernel=linear,rbf", "naive-bayes"]
    models = json.loads((tmp_path / "a.json").read_text())["result"]["models"]
    chosen = models[names[0]]["chosen"]
    assert len(chosen) == 5
    assert all(x["C"] in {"0.01", "1"} for x in chosen)
    assert models["naive-bayes"]["chosen"] == []
    line = next(x for x in out.splitlines() if x.startswith("Chosen"))
    assert "svm, tuned" in line
    assert "of 5 splits" in " ".join(out.split())


def test_the_choice_is_made_by_the_first_loss_and_the_inner_splits(
    run, table, monkeypatch
):
    from scorecast.guarantees.tuning import TunedModel

    seen = []

    def fit(self, X, y, groups=None):
        seen.append((self.grid, self.sampling, self.loss, len(X)))
        self.best_estimator_ = self.estimator.fit(X, y)
        self.classes_ = self.estimator.classes_
        return self

    monkeypatch.setattr(TunedModel, "fit", fit)
    code, _, err = run(
        "assess", table, *KIND, "--drop", "size", "--loss", "mcc", "--tune",
        "C=0.01,1", "--tune-sampling", "cv3", "--sampling", "cv4", "--permutations",
        "0",
    )  # fmt: skip
    assert code == 0, err
    assert seen[:4] == [({"C": [0.01, 1]}, "cv3", "mcc", 30)] * 4


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
        (("--tune", "gama=1,2"), "Did you mean 'gamma'?"),
        (("--tune", "tree__max_depth=1,2"), "no parameter"),
        (("--tune", "C=-1,1"), "C=-1"),
        (("--tune", "C=1,2", "--tune-sampling", "five"), "sampling"),
        (("--tune-sampling", "cv3"), "goes with --tune"),
    ],
)
def test_bad_grids_are_refused_in_a_line(run, table, options, said):
    code, out, err = run("assess", table, *KIND, "--drop", "size", *QUICK, *options)
    assert code == 2
    assert out == ""
    assert said in err
    assert len(err.strip().splitlines()) == 1
