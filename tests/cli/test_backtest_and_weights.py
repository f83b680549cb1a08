"""``--class-weights`` of extrapolate and backtest."""

import json

import numpy as np
import pytest

import scorecast as sc


@pytest.fixture
def weighed(tmp_path, problem):
    scores, own = problem
    np.savez(tmp_path / "both.npz", scores=scores, labels=own)
    np.save(tmp_path / "w.npy", np.arange(1.0, 13))
    rows = [f"{i},{i + 1}" for i in reversed(range(12))]
    (tmp_path / "w.csv").write_text("\n".join(["class,weight", *rows]) + "\n")
    np.savetxt(tmp_path / "cost.csv", 1 - np.eye(12), delimiter=",")
    return tmp_path


def test_weights_of_a_file_are_those_of_python(run, weighed, problem):
    asked = ("extrapolate", weighed / "both.npz", "--to", 100, "--method", "bayesian")
    expected = sc.extrapolate(
        *problem, to=100, method="bayesian", class_weights=np.arange(1, 13)
    )
    for name in ("w.npy", "w.csv"):
        out_path = weighed / f"{name}.json"
        code, out, err = run(
            *asked, "--class-weights", weighed / name, "--json", out_path
        )
        assert code == 0, err
        assert "the true class is drawn by weight" in out
        found = sc.load(out_path)
        assert found.predictions == expected.predictions
        assert found.class_weighting == expected.class_weighting
        files = [f["path"] for f in json.loads(out_path.read_text())["inputs"]["files"]]
        assert str(weighed / name) in files
    code, out, err = run(
        *asked, "--class-weights", weighed / "w.csv", "--cost", weighed / "cost.csv"
    )
    assert (code, "drawn by weight" in out) == (0, True), err
    code, out, err = run(
        *asked, f"b={weighed / 'both.npz'}", "--class-weights", weighed / "w.csv"
    )
    assert (code, "drawn by weight" in out) == (0, True), err


def test_a_back_test_heeds_weights(run, weighed):
    asked = ("backtest", weighed / "both.npz", "--method", "gaussian", "--repeats", 2)
    code, plain, _ = run(*asked)
    assert code == 0
    code, out, err = run(*asked, "--class-weights", weighed / "w.csv")
    assert code == 0, err
    assert "classes weighted, as much as 9.4 alike" in out
    assert out.split("Data")[0] != plain.split("Data")[0]


def test_faults_are_one_line(run, weighed):
    (weighed / "bad.csv").write_text("class,weight\n0,1\n1,-1\n")
    for verb in (("extrapolate", "--to", 100), ("backtest",)):
        code, _, err = run(
            *verb, weighed / "both.npz", "--class-weights", weighed / "bad.csv"
        )
        assert code == 3
        assert "bad.csv, column 'weight', line 3: -1 is no weight" in err
        assert len(err.strip().splitlines()) == 1
    code, _, err = run(
        "extrapolate", weighed / "both.npz", "--to", 100, "--average", "micro",
        "--class-weights", weighed / "w.csv",
    )  # fmt: skip
    assert (code, "weights of classes say" in err) == (2, True)
    code, _, err = run(
        "extrapolate", "--curve", weighed / "bad.csv", "--to", 100,
        "--class-weights", weighed / "w.csv",
    )  # fmt: skip
    assert (code, "--class-weights" in err) == (2, True)


def test_so_many_classes_are_shown(run, weighed):
    asked = ("backtest", weighed / "both.npz", "--method", "gaussian", "--repeats", 2)
    code, out, err = run(*asked, "--show", "5, 8", "--json", weighed / "out.json")
    assert code == 0, err
    rows = sc.load(weighed / "out.json").rows
    assert [row.from_classes for row in rows] == [5, 8]
    assert all(row.rmse_stderr is not None for row in rows)
    assert "standard errors over the choices in brackets" in out
    assert "5 \N{RIGHTWARDS ARROW} 12" in out
    code, _, err = run(*asked, "--show", 12)
    assert code == 2
    assert err.count("\n") == 1
    assert "--show: must be at least 2 and fewer than the 12 classes" in err
    code, out, _ = run(*asked, "--show", 5, "--ratio", 2)
    assert (code, "6 \N{RIGHTWARDS ARROW} 12" in out) == (0, True)


@pytest.mark.parametrize("share", ["accuracy", "miss"])
def test_published_points_are_said_to_be_no_scores(run, tmp_path, share):
    path = tmp_path / "points.csv"
    path.write_text(f"Classes,{share}\n1000,0.97\n10000,0.9\n")
    for verb in (("backtest", path), ("extrapolate", path, "--to", "1e6")):
        code, out, err = run(*verb)
        assert (code, out) == (3, "")
        said = " ".join(err.split())
        assert f"published points (columns 'Classes' and '{share}')" in said
        assert "Use extrapolate --curve FILE, which back-tests them, too" in said
    assert run("extrapolate", "--curve", path, "--to", "1e6")[0] == 0
