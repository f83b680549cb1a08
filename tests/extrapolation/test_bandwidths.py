"""R's bandwidth rules: golden values, properties, edges, both ways of computing."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import scorecast.extrapolation.bandwidths as module
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError
from scorecast.extrapolation import bandwidth, wrong_class_bandwidths

ROOT = Path(__file__).parents[2]
GOLDEN = json.loads((ROOT / "tests/golden/bandwidths.json").read_text())
SAMPLES = GOLDEN["samples"]
DATA = Path(os.environ.get("SCORECAST_DATA", ROOT / "../shared/data"))
TELUGU = DATA / "telugu_authors_scores.npz"
TELUGU_GOLDEN = DATA.parent / "golden/telugu_bandwidths.csv"
RULES = ("ucv", "bcv", "nrd0")

# Sixty-fourths: sums are exact, so the order of the values cannot matter.
SAMPLE = st.lists(st.integers(-4000, 4000), min_size=2, max_size=60).map(
    lambda values: np.array(values) / 64
)


@pytest.fixture(params=["numpy", "compiled"])
def path(request, monkeypatch):
    limit = 10**12 if request.param == "numpy" else 0
    monkeypatch.setattr(module, "_SMALL_INPUT", limit)
    return request.param


def _hide_among_wrong(x, own):
    return np.insert(np.asarray(x, dtype=np.float64), own, 12.5)[np.newaxis]


def _mixed_rows(rng, n, n_classes):
    """Rows of many shapes, so that every way of summing is taken."""
    draws = [
        rng.normal(size=(n, n_classes)),
        rng.standard_cauchy(size=(n, n_classes)),
        np.exp(2 * rng.normal(size=(n, n_classes))),
        0.01 * rng.normal(size=(n, n_classes)) + rng.integers(0, 2, (n, n_classes)),
        np.round(rng.normal(size=(n, n_classes)), 1),
        -rng.gamma(2, size=(n, n_classes)),
    ]
    return np.concatenate(draws)


# --- examples ----------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", SAMPLES)
def test_bandwidth_is_the_number_of_r(name, rule):
    sample = SAMPLES[name]
    assert bandwidth(sample["x"], rule) == pytest.approx(sample[rule], rel=1e-12)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", SAMPLES)
def test_rows_have_the_bandwidth_of_r(name, rule, path):
    sample = SAMPLES[name]
    scores = _hide_among_wrong(sample["x"], own=1)
    found = wrong_class_bandwidths(scores, [1], rule)
    assert found == pytest.approx(sample[rule], rel=1e-10)


@pytest.mark.skipif(
    not (TELUGU.exists() and TELUGU_GOLDEN.exists()),
    reason="the authors' Telugu scores may not be redistributed (SCORECAST_DATA)",
)
@pytest.mark.parametrize("name", ["deep", "logistic", "svm"])
def test_telugu_rows_have_the_bandwidth_of_r(name, path):
    with TELUGU_GOLDEN.open() as file:
        lines = [line for line in csv.DictReader(file) if line["set"].startswith(name)]
    with np.load(TELUGU) as archive:
        for n_classes in sorted({line["set"].removeprefix(name) for line in lines}):
            part = [line for line in lines if line["set"] == name + n_classes]
            rows = [int(line["row"]) for line in part]
            scores = archive[f"{name}_{n_classes}"][rows]
            own = archive[f"y_{n_classes}"][rows]
            for rule in ("ucv", "bcv"):
                found = wrong_class_bandwidths(scores, own, rule)
                expected = [float(line[rule]) for line in part]
                # R had the doubles; the stored scores are their float32.
                np.testing.assert_allclose(found, expected, rtol=1e-7)


# --- properties --------------------------------------------------------------------


@given(x=SAMPLE, rule=st.sampled_from(RULES), power=st.integers(-300, 300))
@settings(max_examples=60, deadline=None)
def test_bandwidth_scales_exactly_with_powers_of_two(x, rule, power):
    assert bandwidth(np.ldexp(x, power), rule) == np.ldexp(bandwidth(x, rule), power)


@given(x=SAMPLE, rule=st.sampled_from(["ucv", "bcv"]))
@settings(max_examples=60, deadline=None)
def test_bandwidth_does_not_change_when_the_sample_is_mirrored(x, rule):
    # The bins are cut towards zero on both sides.
    assert bandwidth(-x, rule) == bandwidth(x, rule)


@given(x=SAMPLE, rule=st.sampled_from(RULES), data=st.data())
@settings(max_examples=60, deadline=None)
def test_bandwidth_does_not_depend_on_the_order(x, rule, data):
    shuffled = np.array(data.draw(st.permutations(x.tolist())))
    assert bandwidth(shuffled, rule) == pytest.approx(bandwidth(x, rule), rel=1e-9)


@given(x=SAMPLE, shift=st.integers(-1000, 1000))
@settings(max_examples=40, deadline=None)
def test_silverman_bandwidth_does_not_depend_on_the_place(x, shift):
    # The cross-validated ones do: R's bins are anchored at zero.
    assert bandwidth(x + shift, "nrd0") == pytest.approx(bandwidth(x, "nrd0"))


@given(x=SAMPLE, rule=st.sampled_from(["ucv", "bcv"]))
@settings(max_examples=60, deadline=None)
def test_bandwidth_lies_in_the_searched_interval(x, rule):
    widest = 1.144 * x.std(ddof=1) * x.size**-0.2
    assert 0.1 * widest * (1 - 1e-9) <= bandwidth(x, rule) <= widest * (1 + 1e-9)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("n_classes", [2, 3, 12, 34, 150, 700])
def test_compiled_and_numpy_rows_agree(n_classes, rule, monkeypatch):
    rng = np.random.default_rng(n_classes)
    scores = _mixed_rows(rng, 8, n_classes)
    scores[rng.random(scores.shape) < 0.02] = -np.inf
    own = rng.integers(0, n_classes, len(scores))
    small = wrong_class_bandwidths(scores, own, rule)
    monkeypatch.setattr(module, "_SMALL_INPUT", 0)
    np.testing.assert_allclose(
        wrong_class_bandwidths(scores, own, rule), small, rtol=1e-9
    )


def test_rows_are_independent_samples(path):
    rng = np.random.default_rng(3)
    for n_classes in (21, 81):
        scores = _mixed_rows(rng, 4, n_classes)
        own = rng.integers(0, n_classes, len(scores))
        found = wrong_class_bandwidths(scores, own, "ucv")
        alone = [
            bandwidth(np.delete(row, z), "ucv")
            for row, z in zip(scores, own, strict=True)
        ]
        np.testing.assert_allclose(found, alone, rtol=1e-9)


def test_single_precision_scores_are_taken_as_they_are(path):
    rng = np.random.default_rng(4)
    scores = rng.normal(size=(40, 90)).astype(np.float32)
    own = np.zeros(40, dtype=np.int16)
    found = wrong_class_bandwidths(scores, own, "ucv")
    doubled = wrong_class_bandwidths(scores.astype(np.float64), own, "ucv")
    np.testing.assert_array_equal(found, doubled)


@pytest.mark.parametrize("n_classes", [15, 300])
def test_threads_and_memory_order_do_not_change_the_answer(n_classes, path):
    rng = np.random.default_rng(5)
    scores = rng.normal(size=(600, n_classes))
    own = rng.integers(0, n_classes, 600)
    one = wrong_class_bandwidths(scores, own, "ucv", n_jobs=1)
    two = wrong_class_bandwidths(np.asfortranarray(scores), own, "ucv", n_jobs=2)
    np.testing.assert_array_equal(one, two)


# --- edges -------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
def test_rows_without_spread_have_bandwidth_zero(rule, path):
    infinity = np.inf
    scores = [
        [5.0, 1.0, 1.0, 1.0],
        [5.0, -infinity, 2.0, -infinity],
        [-infinity, -infinity, -infinity, -infinity],
        [5.0, 0.0, 0.0, -infinity],
        [1e308, -1e300, -1e300, -1e300],
    ]
    found = wrong_class_bandwidths(scores, [0] * 5, rule)
    np.testing.assert_array_equal(found, np.zeros(5))
    assert bandwidth([3.0, 3.0, 3.0], rule) == 0


@pytest.mark.parametrize("n_classes", [1, 2])
def test_fewer_than_two_wrong_classes_have_bandwidth_zero(n_classes, path):
    found = wrong_class_bandwidths(np.ones((3, n_classes)), [0, 0, 0], "ucv")
    np.testing.assert_array_equal(found, np.zeros(3))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("n_classes", [8, 60])
def test_impossible_classes_are_left_out(n_classes, rule, path):
    rng = np.random.default_rng(6)
    scores = rng.normal(size=(20, n_classes))
    own = rng.integers(0, n_classes, 20)
    wider = np.concatenate([scores, np.full((20, 5), -np.inf)], axis=1)
    np.testing.assert_allclose(
        wrong_class_bandwidths(wider, own, rule),
        wrong_class_bandwidths(scores, own, rule),
        rtol=1e-9,
    )


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("n_classes", [9, 90, 650])
def test_extreme_numbers_give_finite_bandwidths(n_classes, rule, path):
    rng = np.random.default_rng(7)
    plain = rng.uniform(-1, 1, size=(1, n_classes))
    scores = np.concatenate(
        [
            plain * np.finfo(np.float64).max,
            plain * 1e-310,
            np.where(plain > 0.9, -1e308, plain),
            1e16 + 2 * np.round(plain),  # three neighbouring floats
            1.0 + 1e-12 * plain,
        ]
    )
    found = wrong_class_bandwidths(scores, [0] * 5, rule)
    assert np.isfinite(found).all()
    assert (found > 0).all()
    usual = wrong_class_bandwidths(plain, [0], rule)
    assert found[1] / 1e-310 == pytest.approx(usual[0], rel=1e-3)


def test_few_values_far_from_zero_are_binned_from_the_least(path):
    x = np.array(SAMPLES["norm50"]["x"])
    near = bandwidth(x - x.min(), "ucv")
    far = 2.0**33  # R 4.2 overflows there; the shift itself rounds x to 2e-6
    assert bandwidth(x + far, "ucv") == pytest.approx(near, rel=1e-3)
    rows = wrong_class_bandwidths(_hide_among_wrong(x + far, 0), [0], "ucv")
    assert rows[0] == pytest.approx(near, rel=1e-3)


def test_bins_are_counted_from_the_least_only_where_r_would_overflow(path):
    sample = np.round(64 * np.array(SAMPLES["norm50"]["x"])) / 64
    for x, side in ((sample - sample.min(), 1), (sample - sample.max(), -1)):
        near = bandwidth(x - x.min(), "ucv")
        most = side * 2**31 * np.ptp(x) * 1.01 / 1000  # so many bins are a C int
        for share, is_beyond in ((0.9, False), (1.1, True)):
            moved = _hide_among_wrong(x + round(share * most), 0)
            found = wrong_class_bandwidths(moved, [0], "ucv")[0]
            assert (found == pytest.approx(near, rel=1e-9)) == is_beyond


def test_a_path_that_hangs_on_the_last_bit_is_repeated(path, monkeypatch):
    sample = SAMPLES["exponential19_tie_ucv"]
    scores = _hide_among_wrong(sample["x"], 0)
    monkeypatch.setattr(module, "_bit_for_bit", lambda x, rule: 42.0)
    assert wrong_class_bandwidths(scores, [0], "ucv") == 42


def test_small_inputs_do_not_load_numba():
    code = (
        "import sys, numpy as np\n"
        "from scorecast.extrapolation import wrong_class_bandwidths\n"
        "from scorecast.extrapolation.kde import kernel_favourability\n"
        "scores = np.random.default_rng(0).normal(size=(50, 40))\n"
        "own = np.zeros(50, dtype=int)\n"
        "widths = wrong_class_bandwidths(scores, own, 'ucv')\n"
        "kernel_favourability(scores, own, widths)\n"
        "sys.exit('numba' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# --- errors ------------------------------------------------------------------------


def test_unknown_rule_is_named():
    with pytest.raises(UsageError, match="Try 'ucv'"):
        bandwidth([1.0, 2.0], "uvc")
    with pytest.raises(UsageError, match="rule"):
        wrong_class_bandwidths(np.ones((2, 3)), [0, 1], "SJ")


def test_samples_that_cannot_be_used_are_refused():
    with pytest.raises(InsufficientDataError, match="at least 2"):
        bandwidth([1.0], "ucv")
    with pytest.raises(InvalidInputError, match="one dimension"):
        bandwidth([[1.0, 2.0]], "ucv")
    with pytest.raises(InvalidInputError, match="not finite"):
        bandwidth([1.0, -np.inf], "ucv")


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_hole_in_the_scores_is_named_by_its_place(bad, path):
    scores = np.zeros((400, 900))
    scores[300, 2] = bad
    with pytest.raises(InvalidInputError, match="row 301, column 3"):
        wrong_class_bandwidths(scores, [0] * 400, "ucv")


@pytest.mark.parametrize("own", [[0], [0, 3], [-1, 0], [0.0, 1.0]])
def test_wrong_columns_are_refused(own):
    with pytest.raises(InvalidInputError, match="own"):
        wrong_class_bandwidths(np.ones((2, 3)), own, "ucv")


FIRST_AND_AGAIN = """
import hashlib
import numpy as np
from scorecast.extrapolation import wrong_class_bandwidths
scores = np.random.default_rng(0).normal(size=(500, 501))
for rule in ("ucv", "bcv"):
    found = wrong_class_bandwidths(scores, np.arange(500), rule, n_jobs=1)
    print(hashlib.sha256(found.tobytes()).hexdigest())
"""


@pytest.mark.slow
def test_kernels_from_their_cache_have_the_same_bytes_as_those_just_compiled(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    call = [sys.executable, "-c", FIRST_AND_AGAIN]
    first, again = (
        subprocess.run(call, env=environment, capture_output=True, check=True).stdout
        for _ in range(2)
    )
    assert any(tmp_path.rglob("*.nbc"))
    assert first == again
