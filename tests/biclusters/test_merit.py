"""Merit of single biclusters, against plain loops."""

import math

import numpy as np
import pytest

import scorecast as sc
from scorecast.biclusters import MERIT, merit
from scorecast.biclusters.merit import (
    mean_squared_residue,
    row_correlation,
    transposed_virtual_error,
)


def slow_merit(b):
    n, m = b.shape
    mean, rows, columns = b.mean(), b.mean(1), b.mean(0)
    cells = [(i, j) for i in range(n) for j in range(m)]
    residue = [b[i, j] - rows[i] - columns[j] + mean for i, j in cells]
    virtual = (rows - rows.mean()) / rows.std()
    standard = (b - columns) / b.std(0)
    pairs = [(i, k) for i in range(n) for k in range(i)]
    across = [(j, k) for j in range(m) for k in range(j)]
    return {
        "msr": sum(r * r for r in residue) / len(cells),
        "variance": sum((b[i, j] - mean) ** 2 for i, j in cells) / len(cells),
        "row-variance": sum((b[i, j] - rows[i]) ** 2 for i, j in cells) / len(cells),
        "row-correlation": np.mean([np.corrcoef(b[i], b[k])[0, 1] for i, k in pairs]),
        "column-correlation": np.mean(
            [np.corrcoef(b[:, j], b[:, k])[0, 1] for j, k in across]
        ),
        "virtual-error": np.mean([abs(standard[i, j] - virtual[i]) for i, j in cells]),
    }


def test_every_measure_equals_plain_loops():
    rng = np.random.default_rng(0)
    for n, m in ((2, 2), (3, 7), (9, 4)):
        block = rng.normal(3, 2, size=(n, m))
        assert merit(block) == pytest.approx(slow_merit(block))
        assert list(merit(block)) == list(MERIT)


def test_perfect_patterns():
    rng = np.random.default_rng(1)
    shift, scale = rng.normal(size=(6, 1)), rng.uniform(0.5, 2, size=(1, 5))
    additive = shift + rng.normal(size=(1, 5))
    assert mean_squared_residue(additive) == pytest.approx(0, abs=1e-25)
    assert row_correlation(additive) == pytest.approx(1)
    both = shift * scale + rng.normal(size=(1, 5))  # shifted and scaled
    assert mean_squared_residue(both) > 0.01
    assert transposed_virtual_error(both) == pytest.approx(0, abs=1e-12)


def test_a_constant_bicluster_has_no_correlation():
    values = merit(np.full((3, 4), 7.3))
    assert values["msr"] == values["variance"] == values["virtual-error"] == 0
    assert math.isnan(values["row-correlation"])
    one = merit(np.array([[1.0, 2.0, 4.0]]))
    assert one["msr"] == 0
    assert math.isnan(one["row-correlation"])


def test_missing_values_are_left_out():
    rng = np.random.default_rng(2)
    block = rng.normal(size=(5, 6))
    holes = block.copy()
    holes[0, 0] = holes[3, 2] = np.nan
    values = merit(holes)
    assert all(math.isfinite(x) for x in values.values())
    pairs = []
    for i in range(5):
        for k in range(i):
            known = np.isfinite(holes[i]) & np.isfinite(holes[k])
            pairs.append(np.corrcoef(holes[i, known], holes[k, known])[0, 1])
    assert values["row-correlation"] == pytest.approx(np.mean(pairs))
    mean = np.nanmean(holes)
    residue = (
        holes
        - np.nanmean(holes, axis=1, keepdims=True)
        - np.nanmean(holes, axis=0)
        + mean
    )
    assert values["msr"] == pytest.approx(np.nanmean(residue**2))
    answer = sc.score_biclusters(
        [(range(5), range(6))], data=holes, missing="omit", n_random=0
    )
    assert answer.biclusters[0].msr == pytest.approx(values["msr"])
    assert answer.is_tested
    assert any("tests take noise in their place" in x for x in answer.warnings)
    assert not any("told apart at random" in line for line in answer.assumptions)


def test_the_yeast_residue_is_that_of_others(shared_data):
    """Residue of the whole matrix, missing values replaced by the mean."""
    X = np.load(shared_data / "yeast_tavazoie.npz")["X"].astype(float)
    X[X == -1] = X[X != -1].mean()
    assert mean_squared_residue(X) == pytest.approx(1109.6, abs=0.05)


def test_a_bicluster_of_missing_values_has_no_merit_and_no_warnings():
    # Warnings are errors here.
    assert all(np.isnan(value) for value in merit(np.full((3, 4), np.nan)).values())
