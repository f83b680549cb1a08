"""The verb ``simulate``: data, truth, and a next command that works."""

import json
import shlex

import numpy as np
import pytest

QUICK = {
    "assess": ["--permutations", "10", "--null-sets", "2", "--sampling", "cv3"],
    "extrapolate": ["--backtest", "0"],
    "information": ["--draws", "100", "--allow-unconverged"],
}


def next_command(out):
    """Return the command that the answer ends with."""
    lines = [line for line in out.splitlines() if line.startswith("Next")]
    words = shlex.split(lines[0].removeprefix("Next"))
    assert words[0] == "scorecast"
    return words[1:]


def _slow(*arguments):
    # Sampling chains on a busy machine takes longer than most tests may.
    return pytest.param(arguments, marks=[pytest.mark.slow, pytest.mark.timeout(1200)])


@pytest.mark.parametrize(
    "arguments",
    [
        _slow("labelled", "--out", "a.csv", "--n", 36, "--m", 12, "--noise", 0.1,
         "--skewed", "0.5", "--imbalance", 0.4),
        ("labelled", "--out", "b.npz", "--n", 30, "--m", 10, "--classes", 2,
         "--distribution", "bimodal", "--no-bayes-error"),
        _slow("classes", "--out", "c.csv", "--classes", 20),
        ("classes", "--out", "d.npz", "--classes", 20, "--population", "uniform"),
        _slow("classes", "--out", "e f.npz", "--classes", 20, "--form", "embeddings"),
        ("biclusters", "--out", "i.csv"),
        ("biclusters", "--out", "j.csv", "--missing", 0.1),
        ("biclusters", "--out", "k.npz", "--missing", 0.1),
        _slow("forecasts", "--out", "g.csv", "--n", 60),
        _slow("forecasts", "--out", "h.parquet", "--n", 60, "--forecaster", "classes"),
    ],
    ids=str,
)  # fmt: skip
def test_the_next_command_works_on_what_was_made(run, arguments, tmp_path, monkeypatch):
    if "information" in arguments or arguments[0] == "forecasts":
        pytest.importorskip("arviz_stats", reason="needs the extra [bayes]")
    if arguments[2].endswith("parquet"):
        pytest.importorskip("pyarrow", reason="needs the extra [io]")
    monkeypatch.chdir(tmp_path)
    code, out, err = run("simulate", *arguments)
    assert code == 0, err
    assert (tmp_path / arguments[2]).exists()
    words = next_command(out)
    quick = [] if "--biclusters" in words else QUICK[words[0]]
    code, _, err = run(*words, *quick, "--json", "answer.json", "--quiet")
    assert code == 0, err
    kinds = {"assess": "assessment", "extrapolate": "extrapolation"}
    kind = json.loads((tmp_path / "answer.json").read_text())["kind"]
    if "--biclusters" not in words:
        assert kind == kinds.get(words[0], "information")


def test_options_arrive_and_the_truth_is_printed(run, tmp_path):
    code, out, _ = run(
        "simulate", "biclusters", "--out", tmp_path / "a.npz", "--rows", 60,
        "--columns", 20, "--biclusters", 2, "--bicluster-rows", 8, 10,
        "--bicluster-columns", 4, 5,
        "--pattern", "additive", "--pattern", "constant", "--missing", 0.1, "--seed", 4,
        "--json", "-",
    )  # fmt: skip
    assert code == 0
    truth = json.loads(out)
    assert truth["options"]["seed"] == 4
    assert [b["pattern"] for b in truth["truth"]["biclusters"]] == [
        "additive",
        "constant",
    ]
    assert truth == json.loads((tmp_path / "a.truth.json").read_text())
    X = np.load(tmp_path / "a.npz")["X"]
    assert np.isnan(X).sum() == 120


@pytest.mark.parametrize(
    ("arguments", "expected", "said"),
    [
        (("labelled",), 2, "--out"),
        (("labeled", "--out", "a.csv"), 2, "Did you mean 'labelled'"),
        (("labelled", "--out", "a.txt"), 2, ".csv, .npz or .parquet"),
        (("labelled", "--out", "a.csv", "--noise", "20"), 2, "did you mean 0.20"),
        (
            ("labelled", "--out", "a.csv", "--rho", "0.5"),
            2,
            "--rho needs blocks of correlated features: give a --block-size above 1",
        ),
        (("labelled", "--out", "a.csv", "--n", "2"), 2, "as many cases; --n is 2"),
        (
            ("labelled", "--out", "a.csv", "--distribution", "bimodal"),
            2,
            "--distribution bimodal has two classes, one between the halves of the "
            "other; --classes is 3",
        ),
        (("labelled", "--out", "a.csv", "--rho", "0.995"), 2, "0<=x<=0.99"),
        (("labelled", "--out", "a.csv", "--imbalance", "1"), 2, "0<=x<=0.99"),
        (("labelled", "--out", "a.csv", "--tail-share", "1"), 2, "0<=x<=0.99"),
        (("biclusters", "--out", "a.csv", "--overlap", "0.95"), 2, "0<=x<=0.9"),
        (("biclusters", "--out", "a.csv", "--missing", "1"), 2, "0<=x<=0.95"),
        (
            ("biclusters", "--out", "a.csv", "--bicluster-rows", "5", "4"),
            2,
            "--bicluster-rows must be",
        ),
        (
            (
                "classes",
                "--out",
                "a.csv",
                "--templates",
                "noisy",
                "--population",
                "uniform",
            ),
            2,
            "--templates noisy has",
        ),
        (("labelled", "--out", "no/a.csv"), 3, "does not exist"),
        (("labelled", "--out", "a.csv", "--json", "b.json"), 2, "--json takes"),
        (
            ("biclusters", "--out", "a.csv", "--rows", "7"),
            2,
            "give --biclusters, --bicluster-rows and --bicluster-columns",
        ),
        (("classes", "--out", "a.csv", "--form", "embeddings"), 2, ".npz"),
        (("forecasts", "--out", "a.csv", "--hit", "1"), 2, "0<x<1"),
    ],
    ids=str,
)
def test_faults_get_one_line_and_leave_nothing(
    run, arguments, expected, said, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("simulate", *arguments)
    assert code == expected
    assert out == ""
    assert said in err
    assert len(err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_existing_files_are_kept_unless_forced(run, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("mine")
    code, _, err = run("simulate", "forecasts", "--out", path, "--n", 5)
    assert code == 3
    assert "--force" in err
    assert path.read_text() == "mine"
    code, out, _ = run(
        "simulate", "forecasts", "--out", path, "--n", 5, "--force", "--quiet"
    )
    assert (code, out) == (0, "")
    assert path.read_text().startswith("log_q,log_p,outcome")


@pytest.mark.parametrize("arguments", [(), ("simulate",)])
def test_alone_the_help_is_printed_line_by_line(run, arguments):
    code, out, err = run(*arguments)
    assert code == 2
    assert not out
    lines = err.splitlines()
    assert len(lines) > 10
    assert lines[0].startswith("Usage: scorecast")
    assert any(line.startswith("  biclusters ") or line.startswith("  assess ")
               for line in lines)  # fmt: skip


def test_the_help_says_what_is_accepted(run):
    _, out, _ = run("simulate", "biclusters", "--help")
    said = " ".join(out.split())
    assert "0<=x<=0.9]" in said
    assert "0<=x<=0.95]" in said
    assert "up to so many deviations from the mean, on either side" in said
