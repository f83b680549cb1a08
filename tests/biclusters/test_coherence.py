"""Merit of single biclusters, against plain loops."""

import math

import numpy as np
import pytest

import scorecast as sc
from scorecast.biclusters import COHERENCE_MEASURES, ScoringNote
from scorecast.biclusters.coherence import mean_squared_residue, measure_coherence
from scorecast.simulate import PLANTED_PATTERNS


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
        assert measure_coherence(block) == pytest.approx(slow_merit(block))
        assert list(measure_coherence(block)) == list(COHERENCE_MEASURES)


@pytest.mark.parametrize("pattern", PLANTED_PATTERNS)
def test_measures_are_zero_on_the_patterns_that_they_claim(pattern):
    made = sc.simulate.biclusters(pattern=pattern, random_state=3)
    for one in made.truth.biclusters:
        values = measure_coherence(one.values)
        for name, measure in COHERENCE_MEASURES.items():
            is_zero = values[name] == pytest.approx(0, abs=1e-9)
            assert is_zero == (pattern in measure.zero_for), name
    known_by = PLANTED_PATTERNS[pattern].coherence_measure
    if known_by is not None:
        assert pattern in COHERENCE_MEASURES[known_by].zero_for


@pytest.mark.parametrize("measure", COHERENCE_MEASURES.values(), ids=lambda m: m.name)
def test_measures_keep_within_their_limits(measure):
    rng = np.random.default_rng(8)
    for _ in range(30):
        shape = rng.integers(2, 9, size=2)
        value = measure.evaluate(rng.normal(2, 3, size=shape))
        assert measure.low - 1e-12 <= value <= measure.high + 1e-12


def test_shifted_and_scaled_columns_have_no_virtual_error():
    rng = np.random.default_rng(1)
    shift, scale = rng.normal(size=(6, 1)), rng.uniform(0.5, 2, size=(1, 5))
    additive = measure_coherence(shift + rng.normal(size=(1, 5)))
    assert additive["msr"] == pytest.approx(0, abs=1e-25)
    assert additive["row-correlation"] == pytest.approx(1)
    both = measure_coherence(shift * scale + rng.normal(size=(1, 5)))
    assert both["msr"] > 0.01
    assert both["virtual-error"] == pytest.approx(0, abs=1e-12)


def test_a_constant_bicluster_has_no_correlation():
    values = measure_coherence(np.full((3, 4), 7.3))
    assert values["msr"] == values["variance"] == values["virtual-error"] == 0
    assert math.isnan(values["row-correlation"])
    one = measure_coherence(np.array([[1.0, 2.0, 4.0]]))
    assert one["msr"] == 0
    assert math.isnan(one["row-correlation"])


def test_missing_values_are_left_out():
    rng = np.random.default_rng(2)
    block = rng.normal(size=(5, 6))
    holes = block.copy()
    holes[0, 0] = holes[3, 2] = np.nan
    values = measure_coherence(holes)
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
        [(range(5), range(6))], data=holes, nan_policy="omit", n_random=0
    )
    assert answer.biclusters[0].coherence == pytest.approx(values)
    assert answer.n_significant is not None
    (note,) = answer.notes
    assert (note.code, note.count, note.total) == (ScoringNote.MISSING_LEFT_OUT, 2, 30)
    assert not answer.has_ties


def test_the_yeast_residue_is_that_of_others(shared_data):
    """Residue of the whole matrix, missing values replaced by the mean."""
    X = np.load(shared_data / "yeast_tavazoie.npz")["X"].astype(float)
    X[X == -1] = X[X != -1].mean()
    assert mean_squared_residue(X) == pytest.approx(1109.6, abs=0.05)


def test_a_bicluster_of_missing_values_has_no_merit_and_no_warnings():
    # Warnings are errors here.
    assert all(
        np.isnan(value) for value in measure_coherence(np.full((3, 4), np.nan)).values()
    )
