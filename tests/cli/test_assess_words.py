"""What ``assess`` says of options that cannot be, or that would do nothing."""

import json

import numpy as np
import pytest

CLEAN = ("--target", "kind", "--model", "naive-bayes", "--sampling", "cv3")
QUICK = ("--permutations", "0", "--null-sets", "0")


@pytest.fixture
def table(tmp_path):
    """A table of three features and a class: 24 well, 12 sick."""
    rng = np.random.default_rng(0)
    kind = np.where(np.arange(36) % 3 == 0, "sick", "well")
    X = rng.normal(size=(36, 3)) + (kind == "sick")[:, None]
    rows = [",".join(f"{x:.4f}" for x in row) for row in X]
    lines = [f"{row},{word}" for row, word in zip(rows, kind, strict=True)]
    (tmp_path / "data.csv").write_text("\n".join(["a,b,c,kind", *lines]) + "\n")
    np.savez(tmp_path / "data.npz", X=X, y=kind)
    return tmp_path / "data.csv"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--tune", "var_smoothing=0,1", "--tune-sampling", "foo"), 2,
         "--tune-sampling must be such as"),
        (("--sampling", "cv1"), 2, "cannot be 'cv1': it takes 2 folds at least"),
        (("--sampling", "mc0"), 2, "'mc0': it takes 1 split at least, such as 'mc100'"),
        (("--sampling", "mc10x4"), 2, "for more of them write 'mc40'"),
        (("--sampling", "loo5"), 2, "takes no number; write 'loo'"),
        (("--fail-below", "2"), 2, "a value of accuracy, 0 to 1; got 2."),
        (("--fail-below", "-1"), 2, "a value of accuracy, 0 to 1; got -1."),
        (("--fail-below", "80"), 2, "Did you mean 0.8?"),
        (("--drop", "kind"), 2, "--drop: 'kind' is the target"),
        (("--aim", "0.8"), 2, "--learning-curve or --feature-curve"),
        (("--level", "1.5"), 2, "give a number from 0 to 1, such as 0.95."),
        (("--level", "90"), 2, "did you mean 0.90?"),
        (("--target", "Kind"), 3, "Did you mean 'kind'?"),
        (("--model", "SVM"), 2, "Did you mean 'svm'?"),
        (("--positive", "Sick"), 2, "one of sick, well; got 'Sick'. Did you mean"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_by_its_own_name(run, table, arguments, code, said):
    found, out, err = run("assess", table, *CLEAN, *QUICK, *arguments)
    assert found == code, err
    assert out == ""
    assert said in err
    assert err.count("\n") == 1


def test_arrays_have_near_names_and_no_columns_to_drop(run, table):
    arrays = table.with_name("data.npz")
    code, _, err = run("assess", arrays, "--target", "Y", "--model", "svm")
    assert (code, "Did you mean 'y'?" in err) == (3, True)
    code, _, err = run(
        "assess", arrays, "--target", "y", "--model", "svm", "--drop", "a"
    )
    assert (code, "none can be left out" in err) == (3, True)


def test_a_wrong_name_among_costs_is_blamed_on_their_file(run, table, tmp_path):
    (tmp_path / "cost.csv").write_text(",well,ill\nwell,0,9\nill,1,0\n")
    code, _, err = run("assess", table, *CLEAN, *QUICK, "--cost", tmp_path / "cost.csv")
    assert code == 3
    assert err.startswith(
        f"scorecast: {tmp_path / 'cost.csv'}, line 1: there is no class 'sick'"
    )
    assert "scores" not in err
    assert "--classes" not in err


def test_costs_without_names_say_whose_they_are(run, table, tmp_path):
    (tmp_path / "bare.csv").write_text("0,1\n9,0\n")
    (tmp_path / "named.csv").write_text(",well,sick\nwell,0,9\nsick,1,0\n")
    told = {}
    for name in ("bare", "named"):
        code, _, err = run(
            "assess", table, *CLEAN, *QUICK, "--cost", tmp_path / f"{name}.csv",
            "--json", tmp_path / f"{name}.json",
        )  # fmt: skip
        assert code == 0, err
        result = json.loads((tmp_path / f"{name}.json").read_text())["result"]
        told[name] = (
            "in this order" in err,
            "sick, well, in this order" in " ".join(result["assumptions"]),
            result["models"]["naive-bayes"]["losses"]["cost"]["estimate"],
        )
    assert told["bare"][:2] == (True, True)
    assert told["named"][:2] == (False, False)
    assert told["bare"][2] == told["named"][2]


def test_the_positive_class_can_be_named_and_is_echoed(run, table, tmp_path):
    pytest.importorskip("matplotlib", reason="needs the extra [plot]")
    losses = ("--loss", "sensitivity", "--loss", "specificity", "--loss", "f1")
    code, out, err = run(
        "assess", table, *CLEAN, *QUICK, *losses, "--positive", "sick",
        "--json", tmp_path / "a.json", "--report", tmp_path / "a.html",
    )  # fmt: skip
    assert code == 0, err
    assert "sensitivity of class sick" in out
    assert "positive: sick" in out
    data = json.loads((tmp_path / "a.json").read_text())
    assert data["options"]["positive"] == "sick"
    found = data["result"]["models"]["naive-bayes"]["losses"]
    assert {name: x["of_class"] for name, x in found.items()} == dict.fromkeys(
        ("sensitivity", "specificity", "f1"), "sick"
    )
    page = (tmp_path / "a.html").read_text()
    assert "positive: sick" in page
    for loss in ("sensitivity", "specificity", "f1"):
        assert f"{loss} of class well" not in page


@pytest.mark.parametrize("verb", ["assess", "settings"])
def test_help_names_every_model_and_loss(run, verb):
    from scorecast.guarantees.losses import LOSSES
    from scorecast.guarantees.models import MODELS

    code, out, _ = run(verb, "--help")
    assert code == 0
    said = " ".join(out.split()).replace("- ", "-")
    by_task = {
        task: ", ".join(x.name for x in LOSSES.values() if x.task == task)
        for task in ("classification", "regression")
    }
    assert f"For classes {by_task['classification']}; for numbers " in said
    assert f"for numbers {by_task['regression']}." in said
    *classifiers, ridge, lasso, forest = MODELS
    assert f"For classes {', '.join(classifiers)}; for numbers " in said
    assert f"for numbers {ridge}, {lasso}, {forest}; or a class" in said


def test_who_takes_ridge_for_a_classifier_is_told_the_other_name(run, table):
    arguments = ("--target", "kind", "--model", "ridge")
    code, _, err = run("assess", table, *arguments)
    assert code == 3
    assert "Use a classifier, such as ridge-classifier" in err
    text = table.read_text().replace("sick", "1").replace("well", "0")
    table.write_text(text)
    code, out, err = run("assess", table, *arguments, "--sampling", "cv3", *QUICK)
    assert code == 0, err
    assert "two values only" in " ".join(out.split())
