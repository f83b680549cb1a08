"""The verb ``settings``: files or made data, factors in words."""

import json

import numpy as np
import pytest

MODELS = ("--model", "naive-bayes", "--model", "nearest-centroid")
QUICK = ("--cv", "3")


@pytest.fixture
def tables(tmp_path):
    rng = np.random.default_rng(0)
    for name, gap in (("easy", 3.0), ("hard", 0.2)):
        y = np.arange(40) % 2
        X = rng.normal(size=(40, 4)) + gap * y[:, None]
        lines = [
            ",".join([*(f"{x:.6g}" for x in row), "ab"[own]])
            for row, own in zip(X, y, strict=True)
        ]
        (tmp_path / f"{name}.csv").write_text(
            "\n".join(["p,q,r,s,kind", *lines]) + "\n"
        )
    return tmp_path


def test_files_are_a_factor_and_everything_is_written(run, tables):
    answer, page = tables / "a.json", tables / "a.html"
    code, out, err = run(
        "settings",
        tables / "easy.csv",
        tables / "hard.csv",
        "--target",
        "kind",
        *MODELS,
        "--vary",
        "cv=3,loo",
        "--json",
        answer,
        "--report",
        page,
    )
    assert code == 0, err
    assert out.startswith("Accuracy over 4 settings: ")
    found = json.loads(answer.read_text())
    assert found["kind"] == "settings-assessment"
    assert len(found["inputs"]["files"]) == 2
    assert "easy, cv 3" in page.read_text()


def test_data_at_hand_are_varied(run, tables):
    code, out, err = run(
        "settings",
        tables / "easy.csv",
        "--target",
        "kind",
        *MODELS,
        *QUICK,
        "--vary",
        "n_samples=20,36",
        "--vary",
        "n_features=2,4",
        "--datasets",
        2,
        "--json",
        "-",
    )
    assert code == 0, err
    rows = json.loads(out)["result"]["estimates"]
    assert {(row["n_samples"], row["n_features"]) for row in rows} == {
        (20, 2),
        (20, 4),
        (36, 2),
        (36, 4),
    }


def test_data_are_made_with_what_is_fixed_and_varied(run):
    code, out, err = run(
        "settings",
        "--simulate",
        *MODELS,
        *QUICK,
        "--fix",
        "n_samples=30",
        "--fix",
        "n_features=6",
        "--fix",
        "std=1",
        "--vary",
        "noise=0,0.4",
        "--vary",
        "naive-bayes__var_smoothing=1e-9,0.1",
        "--design",
        "one-at-a-time",
        "--json",
        "-",
    )
    assert code == 0, err
    found = json.loads(out)["result"]["estimates"]
    assert {(row["n_samples"], row["n_features"]) for row in found} == {(30, 6)}
    assert len({row["setting"] for row in found}) == 3


def test_numbers_are_made_for_models_of_numbers(run):
    words = ("--vary", "r2=0.1,0.9", "--fix", "n-features=6", "--fix", "n_samples=60")
    code, out, err = run(
        "settings", "--simulate", "--model", "ridge", *words, "--quick", "--json", "-"
    )
    assert code == 0, err
    hard, easy = (x["estimate"] for x in json.loads(out)["result"]["estimates"])
    assert easy < 0.6 < hard
    wrong = run("settings", "--simulate", "--model", "ridge", "--vary", "std=1,2")
    assert wrong[0] == 2
    assert "n_informative" in wrong[2]


def test_what_is_made_goes_by_the_names_of_both_worlds(run):
    found = []
    for mark in "-_":
        fixed = ["n_samples=30", "n_features=6", "n_classes=2", "correlation_rho=0.5"]
        words = [w for x in fixed for w in ("--fix", x.replace("_", mark))]
        varied = "correlation_block_size=2,3".replace("_", mark)
        code, out, err = run(
            "settings",
            "--simulate",
            *MODELS,
            *QUICK,
            *words,
            "--vary",
            varied,
            "--json",
            "-",
        )
        assert code == 0, err
        found.append(json.loads(out)["result"])
    assert found[0] == found[1]
    assert [x["factors"] for x in found[0]["estimates"][:2]] == [
        {"correlation_block_size": 2},
        {"correlation_block_size": 3},
    ]


def test_a_data_set_that_cannot_be_split_is_named_with_its_setting(run, tables):
    few = (tables / "easy.csv").read_text().splitlines()[:9]
    (tables / "few.csv").write_text("\n".join(few) + "\n")
    code, out, err = run(
        "settings",
        tables / "hard.csv",
        tables / "few.csv",
        "--target",
        "kind",
        *MODELS,
        "--vary",
        "n_features=2",
    )
    assert (code, out) == (4, "")
    assert "setting 'data few, n_features 2'" in err
    assert "10 folds need 10 samples" in err


def test_an_interrupted_run_goes_on(run, tables):
    record = tables / "done.jsonl"
    words = (
        "settings",
        tables / "easy.csv",
        "--target",
        "kind",
        *MODELS,
        *QUICK,
        "--vary",
        "n_samples=20,30",
        "--checkpoint",
        record,
        "--json",
        "-",
    )
    first = run(*words)
    lines = record.read_text().splitlines()
    record.write_text("\n".join(lines[:-1]) + "\n")
    assert run(*words)[1] == first[1]
    assert record.read_text().splitlines() == lines


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--vary", "n_samples=99"], 4, "from 4 to 40 can be drawn; got 99"),
        (["--vary", "n_features=9"], 4, "from 1 to 4 can be drawn; got 9"),
        (["--vary", "scoring=accuracy,foo"], 2, "--vary: scoring must be one of"),
        (["--scoring", "foo"], 2, "'foo' is not one of accuracy"),
        (["--vary", "n_samples=4", "--cv", "5"], 4, "5 folds need 5 samples"),
        (["--vary", "q=1"], 2, "--vary: data at hand do not change with q"),
        (["--vary", "n"], 2, "must read FACTOR=VALUE"),
        (["--vary", "noise=0,,1"], 2, "has an empty value"),
        (["--vary", "noise=0", "--vary", "noise=1"], 2, "given twice"),
        (["--vary", "n_samples=many"], 2, "whole number"),
        (["--fix", "noise=0"], 2, "--fix: goes with data that are made"),
        (["--datasets", "2"], 2, "--datasets: draws data anew"),
        (["--vary", "cv=3,nonsense"], 2, "nonsense"),
        (["--vary", "scoring=rmse"], 2, "root_mean_squared_error"),
        (["--simulate"], 2, "either DATA, or --simulate"),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_said_in_a_line(run, tables, words, code, message):
    got, out, err = run(
        "settings", tables / "easy.csv", "--target", "kind", *MODELS, *QUICK, *words
    )
    assert (got, out) == (code, "")
    assert message in err
    assert len(err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ([*MODELS], 2, "either DATA, or --simulate"),
        (["--simulate", *MODELS], 2, "needs a factor to vary"),
        (["--simulate", *MODELS, "--vary", "foo=1"], 2, "data are made with n_samples"),
        (
            ["--simulate", *MODELS, "--vary", "n-samples=9", "--fix", "n_samples=8"],
            2,
            "one of them",
        ),
        (
            [
                "--simulate",
                *MODELS,
                "--vary",
                "n_samples=9",
                "--fix",
                "correlation-rho=0.5",
            ],
            2,
            "correlation_rho",
        ),
        (["--simulate", *MODELS, "--vary", "seed=1"], 2, "n_classes, distribution"),
        (
            ["--simulate", *MODELS, "--vary", "n-classes=2", "--fix", "n_classes=2"],
            2,
            "one of them",
        ),
        (
            [
                "--simulate",
                *MODELS,
                "--vary",
                "n_samples=9",
                "--fix",
                "n-classes=2",
                "--fix",
                "n_classes=2",
            ],
            2,
            "given twice",
        ),
        (["--simulate", "--vary", "n_samples=20"], 2, "--model"),
        (
            ["--simulate", *MODELS, "--vary", "noise=0,1", "--collect", "bias"],
            2,
            "Did you mean 'bias_variance'?",
        ),
        (
            ["--simulate", *MODELS, "--vary", "noise=0,1", "--permutations", "19"],
            2,
            "without --collect null",
        ),
        (["none.csv", *MODELS, "--target", "y"], 3, "none.csv"),
        (["none.csv", *MODELS], 2, "--target"),
    ],
    ids=str,
)
def test_what_is_missing_is_asked_for(run, words, code, message):
    got, out, err = run("settings", *words)
    assert (got, out) == (code, "")
    assert message in err


def test_the_target_is_named_as_the_file_names_it(run, tmp_path):
    path = tmp_path / "tiny.csv"
    path.write_text("a,b,kind\n1,2,w\n2,3,x\n3,1,y\n4,4,z\n")
    wanted = ("--target", "kind", "--model", "naive-bayes", "--vary", "noise=0,0.1")
    code, _, err = run("settings", path, *wanted, "--quick")
    assert code == 3
    assert "column 'kind'" in err
    assert "holds 4 different values" in err


def test_a_quick_look_at_settings(run, tables):
    call = ("settings", tables / "easy.csv", "--target", "kind", "--model")
    call = (*call, "naive-bayes", "--vary", "n_samples=20,30,40", "--vary")
    call = (*call, "noise=0,0.2")
    code, out, _ = run(*call, "--quick")
    assert code == 0
    assert out.startswith("Quick look: accuracy over 4 settings: ")
    found = json.loads(run(*call, "--quick", "--json", "-")[1])["options"]
    assert (found["is_quick"], found["cv"]) == (True, "5")
    whole = json.loads(run(*call, "--json", "-")[1])
    assert (whole["options"]["is_quick"], whole["options"]["cv"]) == (False, "10")
    assert len(whole["result"]["estimates"]) == 6
    # What is asked for is done.
    own = json.loads(
        run(*call, "--quick", "--cv", "4", "--design", "grid", "--json", "-")[1]
    )
    assert own["options"]["cv"] == "4"
    assert len(own["result"]["estimates"]) == 6
    code, _, err = run(*call, "--quick", "--datasets", "3")
    assert code == 2
    assert "--datasets: must be one in a quick look" in err


def test_more_is_collected_over_the_grid(run, tables):
    call = ("settings", tables / "easy.csv", "--target", "kind", "--model")
    call = (*call, "naive-bayes", "--vary", "noise=0,0.2", *QUICK)
    call = (*call, "--collect", "null", "--collect", "bias-variance")
    call = (*call, "--collect", "recall", "--permutations", 19, "--null-sets", 0)
    page = tables / "a.html"
    code, out, err = run(*call, "--report", page)
    assert code == 0, err
    for said in ("p against", "bias and variance", "class by class"):
        assert said in out
    assert "p-values against chance" in page.read_text()
    found = json.loads(run(*call, "--json", "-")[1])
    assert found["options"]["collect"] == ["null", "bias_variance", "recall"]
    assert found["options"]["tests"]["n_permutations"] == 19
    for row in found["result"]["estimates"]:
        assert row["null_tests"]["permuted"]["p_value"] == pytest.approx(0.05)
        assert set(row["bias_variance"]) == {"kohavi-wolpert", "domingos"}
        assert set(row["per_class"]) == {"a", "b"}
