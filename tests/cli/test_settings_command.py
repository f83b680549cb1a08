"""The verb ``settings``: files or made data, factors in words."""

import json

import numpy as np
import pytest

MODELS = ("--model", "naive-bayes", "--model", "nearest-centroid")
QUICK = ("--sampling", "cv3")


@pytest.fixture
def tables(tmp_path):
    rng = np.random.default_rng(0)
    for name, gap in (("easy", 3.0), ("hard", 0.2)):
        y = np.arange(40) % 2
        X = rng.normal(size=(40, 4)) + gap * y[:, None]
        lines = [",".join([*(f"{x:.6g}" for x in row), "ab"[own]])
                 for row, own in zip(X, y, strict=True)]  # fmt: skip
        (tmp_path / f"{name}.csv").write_text(
            "\n".join(["p,q,r,s,kind", *lines]) + "\n"
        )
    return tmp_path


def test_files_are_a_factor_and_everything_is_written(run, tables):
    answer, page = tables / "a.json", tables / "a.html"
    code, out, err = run(
        "settings", tables / "easy.csv", tables / "hard.csv", "--target", "kind",
        *MODELS, "--vary", "sampling=cv3,cv4", "--json", answer, "--report", page,
    )  # fmt: skip
    assert code == 0, err
    assert out.startswith("4 settings.")
    found = json.loads(answer.read_text())
    assert found["kind"] == "settings"
    assert len(found["inputs"]["files"]) == 2
    assert "easy, cv3" in page.read_text()


def test_data_at_hand_are_varied(run, tables):
    code, out, err = run(
        "settings", tables / "easy.csv", "--target", "kind", *MODELS, *QUICK,
        "--vary", "n=20,36", "--vary", "m=2,4", "--sets", 2, "--json", "-",
    )  # fmt: skip
    assert code == 0, err
    rows = json.loads(out)["result"]["settings"]
    assert {(row["n"], row["m"]) for row in rows} == {
        (20, 2),
        (20, 4),
        (36, 2),
        (36, 4),
    }


def test_data_are_made_with_what_is_fixed_and_varied(run):
    code, out, err = run(
        "settings", "--simulate", *MODELS, *QUICK, "--fix", "n_samples=30", "--fix",
        "n_features=6", "--fix", "std=1", "--vary", "noise=0,0.4", "--vary",
        "naive-bayes__var_smoothing=1e-9,0.1", "--design", "one-at-a-time",
        "--json", "-",
    )  # fmt: skip
    assert code == 0, err
    found = json.loads(out)["result"]["settings"]
    assert {(row["n"], row["m"]) for row in found} == {(30, 6)}
    assert len({row["setting"] for row in found}) == 3


def test_what_is_made_goes_by_the_names_of_both_worlds(run):
    found = []
    for mark in "-_":
        fixed = ["n_samples=30", "n_features=6", "n_classes=2", "correlation_rho=0.5"]
        words = [w for x in fixed for w in ("--fix", x.replace("_", mark))]
        varied = "correlation_block_size=2,3".replace("_", mark)
        code, out, err = run(
            "settings", "--simulate", *MODELS, *QUICK, *words, "--vary", varied,
            "--json", "-",
        )  # fmt: skip
        assert code == 0, err
        found.append(json.loads(out)["result"])
    assert found[0] == found[1]
    assert [x["setting"] for x in found[0]["settings"][:2]] == [
        "correlation_block_size 2",
        "correlation_block_size 3",
    ]


def test_a_data_set_that_cannot_be_split_is_named_with_its_setting(run, tables):
    few = (tables / "easy.csv").read_text().splitlines()[:9]
    (tables / "few.csv").write_text("\n".join(few) + "\n")
    code, out, err = run(
        "settings", tables / "hard.csv", tables / "few.csv", "--target", "kind",
        *MODELS, "--vary", "m=2",
    )  # fmt: skip
    assert (code, out) == (4, "")
    assert "data few, m 2: 10 folds need 10 cases" in err


def test_an_interrupted_run_goes_on(run, tables):
    record = tables / "done.jsonl"
    words = ("settings", tables / "easy.csv", "--target", "kind", *MODELS, *QUICK,
             "--vary", "n=20,30", "--checkpoint", record, "--json", "-")  # fmt: skip
    first = run(*words)
    lines = record.read_text().splitlines()
    record.write_text("\n".join(lines[:-1]) + "\n")
    assert run(*words)[1] == first[1]
    assert record.read_text().splitlines() == lines


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--vary", "n=99"], 4, "cases of easy, from 4 to 40 can be drawn; got n = 99"),
        (["--vary", "m=9"], 4, "features of easy, from 1 to 4 can be drawn; got m = 9"),
        (["--vary", "loss=accuracy,foo"], 2, "scorecast: --vary loss must be one of"),
        (["--loss", "foo"], 2, "scorecast: --loss must be one of"),
        (["--vary", "n=4", "--sampling", "cv5"], 4, "easy, n 4: 5 folds need 5 cases"),
        (["--vary", "q=1"], 2, "do not change with q"),
        (["--vary", "n"], 2, "must read FACTOR=VALUE"),
        (["--vary", "n=20,,30"], 2, "has an empty value"),
        (["--vary", "n=20", "--vary", "n=30"], 2, "given twice"),
        (["--vary", "n=many"], 2, "whole number"),
        (["--fix", "m=2"], 2, "--fix goes with --simulate"),
        (["--sets", "2"], 2, "--sets draws data anew"),
        (["--vary", "sampling=cv3,nonsense"], 2, "nonsense"),
        (["--vary", "loss=rmse"], 2, "rmse"),
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
            "scorecast: correlation_rho: ",
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
        (["--simulate", "--vary", "n=20"], 2, "--model"),
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
    assert "column 'kind' holds 4 different values" in err
