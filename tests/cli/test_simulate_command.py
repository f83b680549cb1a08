"""The verb ``simulate``: data, truth, and a next command that works."""

import json
import shlex
import subprocess
import sys

import numpy as np
import pytest
from tests.snapshot import assert_snapshot

from scorecast.simulate import SIMULATORS

QUICK = {
    "assess": ["--permutations", "10", "--null-sets", "2", "--cv", "3"],
    "extrapolate": ["--backtest", "0"],
    "survival": ["--quick"],
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
        _slow("classification", "--out", "a.csv", "--n-samples", 36, "--n-features", 12,
         "--noise", 0.1, "--skew-share", "0.5", "--imbalance", 0.4),
        ("classification", "--out", "b.npz", "--n-samples", 30, "--n-features", 10,
         "--n-classes", 2, "--distribution", "bimodal", "--no-bayes-error"),
        _slow("recognition", "--out", "c.csv", "--n-classes", 20),
        ("recognition", "--out", "d.npz", "--n-classes", 20, "--population", "uniform"),
        _slow("recognition", "--out", "e f.npz", "--n-classes", 20,
         "--form", "embeddings"),
        ("survival", "--out", "s.csv", "--n-samples", 80, "--censored", 0.2),
        ("biclusters", "--out", "i.csv"),
        ("biclusters", "--out", "j.csv", "--missing", 0.1),
        ("biclusters", "--out", "k.npz", "--missing", 0.1),
        _slow("forecasts", "--out", "g.csv", "--n-samples", 60),
        _slow("forecasts", "--out", "h.parquet", "--n-samples", 60, "--forecaster",
         "classes"),
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
    quick = [] if words[0] == "biclusters" else QUICK[words[0]]
    code, _, err = run(*words, *quick, "--json", "answer.json", "--quiet")
    assert code == 0, err
    kinds = {
        "assess": "assessment", "extrapolate": "extrapolation", "survival": "survival",
    }  # fmt: skip
    kind = json.loads((tmp_path / "answer.json").read_text())["kind"]
    if words[0] != "biclusters":
        assert kind == kinds.get(words[0], "information")


def test_options_arrive_and_the_truth_is_printed(run, tmp_path):
    code, out, _ = run(
        "simulate", "biclusters", "--out", tmp_path / "a.npz", "--n-rows", 60,
        "--n-columns", 20, "--n-biclusters", 2, "--rows", 8, 10, "--columns", 4, 5,
        "--pattern", "additive", "--pattern", "constant", "--missing", 0.1, "--seed", 4,
        "--json", "-",
    )  # fmt: skip
    assert code == 0
    truth = json.loads(out)
    assert truth["options"]["seed"] == 4
    planted = truth["result"]["truth"]["biclusters"]
    assert [b["pattern"] for b in planted] == ["additive", "constant"]
    assert truth == json.loads((tmp_path / "a.truth.json").read_text())
    X = np.load(tmp_path / "a.npz")["X"]
    assert np.isnan(X).sum() == 120


@pytest.mark.parametrize(
    ("arguments", "expected", "blamed"),
    [
        ("classification", 2, "'--out'"),
        ("clasification --out a.csv", 2, "'clasification'"),
        ("classification --out a.txt", 2, "--out:"),
        ("classification --out a.csv --noise 20", 2, "--noise:"),
        ("classification --out a.csv --noise much", 2, "'--noise'"),
        ("classification --out a.csv --skew-share 20", 2, "--skew-share:"),
        ("classification --out a.csv --correlation-rho 0.5", 2, "--correlation-rho:"),
        ("classification --out a.csv --n-samples 2", 2, "--n-samples:"),
        ("classification --out a.csv --distribution bimodal", 2, "--distribution:"),
        ("classification --out a.csv --imbalance 1", 2, "--imbalance:"),
        ("classification --out a.csv --skew-tail-share 1", 2, "--skew-tail-share:"),
        ("classification --out a.csv --json b.json", 2, "--json:"),
        ("classification --out no/a.csv", 3, "no"),
        ("biclusters --out a.csv --overlap 0.95", 2, "--overlap:"),
        ("biclusters --out a.csv --missing 1", 2, "--missing:"),
        ("biclusters --out a.csv --rows 5 4", 2, "--rows:"),
        ("biclusters --out a.csv --n-rows 7", 2, "--n-rows:"),
        ("recognition --out a.csv --form embeddings", 2, "--form:"),
        (
            "recognition --out a.csv --templates noisy --population uniform",
            2,
            "--templates:",
        ),
        ("forecasts --out a.csv --hit 1", 2, "--hit:"),
    ],
)
def test_faults_get_one_line_that_blames_the_option_and_leave_nothing(
    run, arguments, expected, blamed, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("simulate", *arguments.split())
    assert code == expected
    assert out == ""
    assert blamed in err
    assert len(err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_existing_files_are_kept_unless_forced(run, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("mine")
    code, _, err = run("simulate", "forecasts", "--out", path, "--n-samples", 5)
    assert code == 3
    assert "--force" in err
    assert path.read_text() == "mine"
    code, out, _ = run(
        "simulate", "forecasts", "--out", path, "--n-samples", 5, "--force", "--quiet"
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


@pytest.mark.parametrize("kind", SIMULATORS)
def test_every_factor_is_an_option_with_help(run, kind):
    _, out, _ = run("simulate", kind, "--help")
    shown = " ".join(out.split())
    for factor in SIMULATORS[kind].factors.values():
        assert f"--{factor.name.removeprefix('with_').replace('_', '-')}" in shown
        assert all(name in shown for name in factor.choices)
    for group in ("Size:", "Shape:", "Output:"):
        assert group in shown


def test_help_loads_little():
    code = (
        "import sys; from scorecast.cli.main import main\n"
        "try: main(['simulate', 'classification', '--help'])\n"
        "finally: print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    loaded = set(done.stderr.split())
    assert not loaded & {"scipy.stats", "scipy.special", "sklearn", "pandas", "jinja2"}


def test_answer_reads_like_this(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _, out, _ = run(
        "simulate", "classification", "--out", "a.csv", "--n-samples", 60,
        "--n-features", 8, "--skew-share", 0.5, "--noise", 0.1,
    )  # fmt: skip
    assert_snapshot("simulate", out)
