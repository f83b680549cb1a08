"""Hidden biclusters follow their pattern, and nothing else does."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import scorecast as sc
from scorecast.exceptions import UsageError
from scorecast.simulate import PLANTED_PATTERNS, PUBLISHED_SIZES


def strays(block, pattern):
    """Return by how much a block departs from a pattern; 0 if it follows it."""
    if pattern == "constant":
        return np.ptp(block)
    if pattern == "constant-rows":
        return np.ptp(block, axis=1).max()
    if pattern == "constant-columns":
        return np.ptp(block, axis=0).max()
    if pattern == "additive":
        left = block - block.mean(0) - block.mean(1)[:, None] + block.mean()
        return np.abs(left).max()
    if pattern == "multiplicative":
        if (np.sign(block) != np.sign(block[0, 0])).any():
            return np.inf
        return strays(np.log(np.abs(block)), "additive")
    orders = np.argsort(block, axis=1)
    return float((orders != orders[0]).any())


@pytest.mark.parametrize("pattern", PLANTED_PATTERNS)
@pytest.mark.parametrize("background", ["normal", "uniform"])
def test_a_planted_bicluster_follows_its_pattern(pattern, background):
    data = sc.simulate.biclusters(pattern=pattern, background=background)
    assert len(data.truth.biclusters) == 3
    for one in data.truth.biclusters:
        block = data.X[np.ix_(one.rows, one.columns)]
        assert strays(block, pattern) < 1e-9
        assert (block == one.values).all()
        # Other rows do not, and neither does a block of which one row is turned round.
        others = np.setdiff1d(np.arange(100), one.rows)[: one.rows.size]
        assert strays(data.X[np.ix_(others, one.columns)], pattern) > 1e-3
        if pattern not in ("constant", "constant-rows"):
            block[0] = block[0, ::-1]
            assert strays(block, pattern) > 1e-3


# Table 6 of Henriques and Madeira (2015): biclusters, their rows, their columns.
TABLE_6 = {
    (100, 30): (3, (10, 20), (5, 7)),
    (500, 60): (5, (15, 30), (6, 8)),
    (1000, 100): (10, (20, 40), (6, 10)),
    (2000, 200): (15, (40, 70), (6, 14)),
    (4000, 400): (20, (60, 100), (6, 20)),
}


def test_published_sizes_are_those_of_the_paper():
    assert PUBLISHED_SIZES == TABLE_6


@pytest.mark.parametrize("size", list(PUBLISHED_SIZES))
def test_sizes_are_those_of_the_table(size):
    count, rows, columns = PUBLISHED_SIZES[size]
    areas = []
    for seed in range(3):
        data = sc.simulate.biclusters(*size, random_state=seed)
        hidden = data.truth.biclusters
        assert data.X.shape == size
        assert len(hidden) == count
        assert all(rows[0] <= one.rows.size <= rows[1] for one in hidden)
        assert all(columns[0] <= one.columns.size <= columns[1] for one in hidden)
        assert data.truth.overlap == 0
        assert sum(one.area for one in hidden) == round(data.truth.area * data.X.size)
        areas.append(data.truth.area)
    printed = {100: 0.09, 500: 0.026, 1000: 0.024, 2000: 0.021, 4000: 0.013}[size[0]]
    assert np.mean(areas) == pytest.approx(printed, rel=0.2)


@given(
    overlap=st.floats(0.02, 0.6),
    combine=st.sampled_from(["replace", "add"]),
    seed=st.integers(0, 99),
)
@settings(max_examples=30, deadline=None)
def test_neighbours_share_about_as_many_cells_as_asked(overlap, combine, seed):
    data = sc.simulate.biclusters(
        200, 60, n_biclusters=3, rows=30, columns=12, overlap=overlap,
        combine=combine, pattern="additive", random_state=seed,
    )  # fmt: skip
    hidden = data.truth.biclusters
    shared = round(np.sqrt(overlap) * 30) * round(np.sqrt(overlap) * 12)
    times = np.zeros((200, 60), dtype=int)
    for one, after in pairwise(hidden):
        rows = np.intersect1d(one.rows, after.rows).size
        columns = np.intersect1d(one.columns, after.columns).size
        assert rows * columns == shared
    for one in hidden:
        times[np.ix_(one.rows, one.columns)] += 1
    assert (times > 1).sum() / (times > 0).sum() == pytest.approx(data.truth.overlap)
    total = np.zeros((200, 60))
    for one in hidden:
        cells = np.ix_(one.rows, one.columns)
        total[cells] = one.values if combine == "replace" else total[cells] + one.values
    assert data.X[times > 0] == pytest.approx(total[times > 0])


def test_noise_and_missing_values_are_as_asked():
    clean = sc.simulate.biclusters(500, 60)
    data = sc.simulate.biclusters(500, 60, noise=0.1, missing=0.05)
    gone = np.isnan(data.X)
    assert gone.sum() == data.truth.n_missing == round(0.05 * 30_000)
    added = (data.X - clean.X)[~gone]
    width = 0.1 * 2 * 3.0902323
    assert data.truth.noise_width == pytest.approx(width, rel=1e-6)
    assert np.abs(added).max() == pytest.approx(width, rel=1e-3)
    assert added.std() == pytest.approx(width / np.sqrt(3), rel=0.02)
    places = [
        (one.rows.tolist(), one.columns.tolist()) for one in clean.truth.biclusters
    ]
    noisy = [(one.rows.tolist(), one.columns.tolist()) for one in data.truth.biclusters]
    assert places == noisy


def test_no_bicluster_is_plain_noise():
    data = sc.simulate.biclusters(50, 20, n_biclusters=0)
    assert data.truth.biclusters == ()
    assert data.truth.area == 0
    assert data.X.std() == pytest.approx(1, rel=0.1)
    assert data.y is None


@pytest.mark.parametrize(
    ("options", "parameter"),
    [
        ({"n_rows": 77}, "n_rows"),
        ({"pattern": "aditive"}, "pattern"),
        ({"pattern": []}, "pattern"),
        ({"pattern": ["constant", "additive"], "n_biclusters": 1}, "pattern"),
        ({"rows": (20, 10)}, "rows"),
        ({"columns": 31}, "columns"),
        ({"n_biclusters": 4, "rows": 60, "columns": 20}, None),  # no room
        ({"overlap": 0.95}, "overlap"),
        ({"missing": 1}, "missing"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused_by_the_name_of_the_parameter(options, parameter):
    with pytest.raises(UsageError) as caught:
        sc.simulate.biclusters(**options)
    assert caught.value.parameter == parameter
