"""``density``: whether a density describes the data, from a file."""

import json

import numpy as np
import pytest

MIXTURE = "sklearn.mixture:GaussianMixture(n_components={})"


def test_a_density_is_fitted_to_some_rows_and_tested_on_others(run, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2)) + 8 * rng.integers(0, 2, size=(120, 1))
    np.save(tmp_path / "X.npy", X)
    found = {}
    for n in (1, 2):
        code, out, err = run(
            "density", tmp_path / "X.npy", "--density", MIXTURE.format(n),
            "--json", tmp_path / f"{n}.json", "--report", tmp_path / f"{n}.html",
            "--n-splits", "2", "--permutations", "39",
        )  # fmt: skip
        assert code == 0, err
        assert "energy distance" in out
        found[n] = json.loads((tmp_path / f"{n}.json").read_text())
        assert found[n]["kind"] == "density-test"
        assert found[n]["inputs"]["n_fitted"] == 60
        page = (tmp_path / f"{n}.html").read_text()
        assert "Do its draws look like the data?" in page
    worst = {
        n: min(x["p_value"] for x in f["result"]["tests"]) for n, f in found.items()
    }
    assert worst[1] <= 0.025 < worst[2]
    gain = {n: f["result"]["gain"] for n, f in found.items()}
    assert gain[2] > gain[1] + 0.5
    assert found[2]["options"]["density"] == "GaussianMixture(n_components=2)"


@pytest.mark.parametrize(
    ("extra", "code", "said"),
    [
        (["--density", "sklearn.svm:SVC()"], 2, "cannot draw samples"),
        (["--density", "gaussian"], 2, "sklearn.mixture:GaussianMixture"),
        (["--density", "GaussianMixture(2)"], 2, f'Write "{MIXTURE.format(2)}"'),
        (["--density", "GaussianMixture"], 2, f'Write "{MIXTURE.format(3)}"'),
        (["--density", "KernelDensity(width=1)"], 2, "KernelDensity(bandwidth=0.5)"),
        (
            ["--density", "sklearn.mixture:GaussianMixtur"],
            2,
            "--density: there is no sklearn.mixture:GaussianMixtur. Try",
        ),
        (["--density", MIXTURE.format(1)] * 2, 2, "names a model twice"),
        (
            ["--density", MIXTURE.format(1), "--as-fitted", "--n-splits", "3"],
            2,
            "--n-splits: has no say in --as-fitted",
        ),
        (["--density", MIXTURE.format(99)], 2, "cannot be fitted to 30 samples"),
        ([], 2, "Missing option '--density'"),
        (
            ["--density", MIXTURE.format(1), "--permutations", "9"],
            2,
            "--permutations: must be a whole number from 39",
        ),
        (
            ["--density", MIXTURE.format(1), "--fail-below", "9"],
            5,
            "--fail-below 9",
        ),
    ],
)
def test_densities_that_cannot_be_tested_are_refused(run, tmp_path, extra, code, said):
    np.save(tmp_path / "X.npy", np.random.default_rng(0).normal(size=(60, 24)))
    got, _, err = run("density", tmp_path / "X.npy", *extra)
    assert got == code
    assert said in err
    assert len(err.strip().splitlines()) == 1


def test_densities_are_compared(run, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2)) + 5 * rng.integers(0, 2, size=(80, 1))
    np.save(tmp_path / "X.npy", X)
    words = ["density", tmp_path / "X.npy", "--n-splits", "2"]
    for n in (1, 2):
        words += ["--density", MIXTURE.format(n)]
    code, out, err = run(*words, "--json", tmp_path / "d.json")
    assert code == 0, err
    assert "1  GaussianMixture(n_components=2)" in out
    data = json.loads((tmp_path / "d.json").read_text())
    assert data["kind"] == "density-comparison"
    assert data["result"]["best"] == "GaussianMixture(n_components=2)"
    code, _, err = run(*words, "--fail-below", "50")
    assert code == 5
    assert "the gain of GaussianMixture(n_components=2)" in " ".join(err.split())
    code, out, err = run(*words[:2], *words[4:6], "--as-fitted")
    assert code == 0, err
    assert "allowing for the fit" not in " ".join(out.split())
