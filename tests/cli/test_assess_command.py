"""The verb ``assess``: from a table to an answer."""

import json

import numpy as np
import pytest

KIND = ("--target", "kind", "--drop", "patient", "--model", "svm")
QUICK = ("--permutations", "30", "--null-sets", "3", "--sampling", "cv5")


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
        (("--target", "nothing", "--model", "svm"), 3, "has no column"),
        (("--target", "kind", "--model", "svm"), 3, "patient"),
        (("--target", "kind"), 2, "--model"),
        (("--target", "patient", "--drop", "kind", "--model", "svm"), 4, "folds"),
        ((*KIND, "--loss", "acc"), 2, "one of"),
        ((*KIND, "--sampling", "cv30"), 4, "at most 20"),
        ((*KIND, "--model", "ridge"), 2, "different tasks"),
        (("--target", "kind", "--drop", "patient", "--model", "lasso"), 3, "kind"),
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


def test_a_model_that_cannot_be_fitted_is_exit_1(run, table):
    code, out, err = run(
        "assess", table, "--target", "kind", "--drop", "patient",
        "--model", "sklearn.svm:SVC(C=-1.0)", *QUICK,
    )  # fmt: skip
    assert code == 1
    assert out == ""
    assert "No model could be fitted" in err
    assert "a fault in scorecast" not in err
