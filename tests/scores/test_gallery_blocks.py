"""Blocks of a gallery: the same answer, bounded memory, wherever the rows lie."""

import pickle
import tracemalloc

import numpy as np
import pytest

import scorecast as sc
from scorecast.exceptions import InvalidInputError
from scorecast.scores import DISTANCES, best_wrong, embedding_ranks, gallery_blocks
from scorecast.scores.embedding_ranks import competitor_counts
from scorecast.scores.stored_rows import (
    ArraySource,
    ParquetSource,
    StoredRows,
    check_rows,
    load_rows,
    mapped_rows,
    take_rows,
)

METRICS = tuple(DISTANCES)


class Chunked:
    """What an array of Zarr is to us: a shape, a dtype, and slices of rows."""

    def __init__(self, values, n_rows=7):
        self.values, self.chunks = values, (n_rows, values.shape[1])
        self.shape, self.dtype = values.shape, values.dtype
        self.most = 0

    def __getitem__(self, rows):
        assert isinstance(rows, slice)
        found = self.values[rows]
        self.most = max(self.most, found.size)
        return found


@pytest.fixture
def vectors():
    """A large class, many small ones, in any order; many ties."""
    rng = np.random.default_rng(0)
    gallery = rng.integers(0, 4, (400, 5)).astype(np.float32) + 0.5
    labels = np.concatenate([np.zeros(150, int), np.full(60, 7), np.arange(190) % 40])
    gallery_class = rng.permutation(np.unique(labels, return_inverse=True)[1])
    n_classes = gallery_class.max() + 1
    own = rng.integers(0, n_classes, 120)
    own[:30] = 0
    return gallery, gallery[own] + rng.integers(0, 2, (120, 5)), own, gallery_class


@pytest.fixture
def small(monkeypatch):
    """Blocks of forty vectors, so that two classes are cut; everything is stored."""
    monkeypatch.setattr(gallery_blocks, "_BLOCK_BYTES", 36 * 5 * 60)
    monkeypatch.setattr(embedding_ranks, "_DIRECT_SIZE", 1000)
    monkeypatch.setattr("scorecast.scores.stored_rows._SMALL_VALUES", 0)
    monkeypatch.setattr("scorecast.scores.stored_rows._BLOCK_VALUES", 100)


def counted(vectors, n_groups, metric):
    group = np.arange(vectors[3].max() + 1) % n_groups
    return competitor_counts(*vectors, group, n_groups=n_groups, metric=metric)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("n_groups", [1, 40])
def test_counts_by_blocks_are_those_of_the_whole(
    vectors, small, monkeypatch, metric, n_groups
):
    whole = counted(vectors, n_groups, metric)
    stored = StoredRows(ArraySource(Chunked(vectors[0])))
    parts = counted((stored, *vectors[1:]), n_groups, metric)
    for mine, theirs in zip(whole, parts, strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs)


def test_a_class_that_is_cut_counts_once(vectors, small):
    blocks = gallery_blocks.gallery_blocks(vectors[3], 32)
    assert max(block.rows.size for block in blocks) <= 32
    cut = [block.classes[0] for block in blocks if block.is_part]
    assert len(cut) > len(set(cut)) > 1
    every = np.sort(np.concatenate([block.rows for block in blocks]))
    np.testing.assert_array_equal(every, np.arange(400))
    whole, _ = counted(vectors, 40, "sqeuclidean")
    assert whole.max() == 1


def test_what_a_block_holds_is_bounded(monkeypatch):
    """Of fifty vectors a class, and of one class with half of all, too."""
    rng = np.random.default_rng(1)
    n_features = 32
    gallery = rng.normal(size=(20_000, n_features)).astype(np.float32)
    most = 1 << 21
    monkeypatch.setattr(gallery_blocks, "_BLOCK_BYTES", most)
    monkeypatch.setattr(embedding_ranks, "_DIRECT_SIZE", 1000)
    few = np.arange(40)  # loads what is loaded at first use
    competitor_counts(
        gallery[few], gallery[few], few, few, few, n_groups=40, metric="sqeuclidean"
    )
    seen, held = [], []
    count_part, best_part = gallery_blocks._count_part, gallery_blocks._best_own_part

    def watched(function):
        def call(*parts):
            seen.extend(len(pickle.dumps(part)) for part in parts)
            tracemalloc.start()
            try:
                return function(*parts)
            finally:
                held.append(tracemalloc.get_traced_memory()[1])
                tracemalloc.stop()

        return call

    monkeypatch.setattr(gallery_blocks, "_count_part", watched(count_part))
    monkeypatch.setattr(gallery_blocks, "_best_own_part", watched(best_part))
    monkeypatch.setattr(embedding_ranks, "_needs_blocks", lambda p: len(p.own) == 900)
    for labels in (np.arange(20_000) // 50, np.maximum(np.arange(20_000) - 10_000, 0)):
        n_classes = labels.max() + 1
        own = rng.integers(0, n_classes, 900)
        group = np.arange(n_classes) % 3
        competitor_counts(
            gallery,
            gallery[np.searchsorted(labels, own)] + np.float32(0.1),
            own,
            labels,
            group,
            n_groups=3,
            metric="sqeuclidean",
            n_jobs=1,
        )
    assert max(seen) < most / 2
    # Scores of a tile are a megabyte, whatever the block.
    assert max(held) < most + 4 * (1 << 20)
    assert max(held) < gallery.nbytes * 4


# --- the best wrong scores ------------------------------------------------------------


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("n_best", [1, 5, 39])
def test_best_wrong_scores_by_blocks_are_those_of_all_rows(
    vectors, small, metric, n_best
):
    gallery, probes, own, labels = vectors
    data = sc.Embeddings(gallery, probes, own.tolist(), metric=metric)
    data.gallery_class, data.classes = labels, tuple(range(labels.max() + 1))
    data._own = own
    rows = data.rows(0, 120)
    truth = rows[np.arange(120), own].copy()
    rows[np.arange(120), own] = -np.inf
    best = data.best_wrong(n_best)
    close = {"rtol": 1e-12, "atol": 1e-7}  # squares are differences of large numbers
    np.testing.assert_allclose(best.truth, truth, **close)
    np.testing.assert_allclose(best.wrong, -np.sort(-rows, axis=1)[:, :n_best], **close)
    rows[np.arange(120), own] = np.nan
    np.testing.assert_allclose(best.median, np.nanmedian(rows, axis=1), **close)


def test_large_galleries_are_never_held_in_double_precision(monkeypatch):
    rng = np.random.default_rng(2)
    gallery = rng.normal(size=(60_000, 32)).astype(np.float32)
    data = sc.Embeddings(gallery, gallery[:40] + np.float32(0.1), range(40))
    whole = gallery.astype(np.float64).nbytes
    usual = data.best_wrong(100, n_jobs=1)
    monkeypatch.setattr(best_wrong, "LARGE_VALUES", 1 << 16)
    monkeypatch.setattr("scorecast.scores.embeddings.LARGE_VALUES", 1 << 16)
    monkeypatch.setattr(best_wrong, "_SCORES", 1 << 16)
    monkeypatch.setattr(gallery_blocks, "_BLOCK_BYTES", 1 << 21)
    tracemalloc.start()
    found = data.best_wrong(100, n_jobs=1)
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert held < whole / 2
    np.testing.assert_allclose(found.wrong, usual.wrong, rtol=1e-12)
    np.testing.assert_allclose(found.median, usual.median, rtol=1e-12)
    np.testing.assert_array_equal(found.truth.shape, usual.truth.shape)


# --- rows that lie elsewhere ----------------------------------------------------------


@pytest.mark.parametrize("kind", ["chunked", "zarr", "columns", "lists", "npy"])
def test_rows_that_are_stored_are_read_in_any_order(tmp_path, small, kind):
    rng = np.random.default_rng(3)
    values = rng.normal(size=(53, 4)).astype(np.float32)
    stored = {
        "chunked": lambda: Chunked(values),
        "zarr": lambda: _zarr(tmp_path / "a.zarr", values),
        "columns": lambda: _parquet(tmp_path / "a.parquet", values, as_lists=False),
        "lists": lambda: _parquet(tmp_path / "b.parquet", values, as_lists=True),
        "npy": lambda: _npy(tmp_path / "a.npy", values),
    }[kind]()
    rows = check_rows(stored, parameter="gallery")
    assert rows.shape == (53, 4)
    assert rows.dtype == np.float32
    assert kind == "npy" or isinstance(rows, StoredRows)
    for wanted in (rng.permutation(53), np.array([52, 0, 0, 17]), np.arange(3, 9)):
        np.testing.assert_array_equal(load_rows(rows, wanted), values[wanted])
    if isinstance(rows, StoredRows):
        some = pickle.loads(pickle.dumps(rows.take(np.arange(10, 40))))
        np.testing.assert_array_equal(
            some.take(np.array([3, 1])).read(), values[[13, 11]]
        )
        np.testing.assert_array_equal(np.asarray(rows), values)


def test_parts_of_a_mapped_file_are_found_where_they_begin(tmp_path):
    values = np.arange(60.0).reshape(15, 4)
    _npy(tmp_path / "a.npy", values)
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    for part in (mapped, mapped[5:], np.asarray(mapped[3:9])):
        np.testing.assert_array_equal(mapped_rows(part).read(), part)
        np.testing.assert_array_equal(
            take_rows(part, np.array([2, 0])).read(), part[[2, 0]]
        )
    # Those whose rows do not follow each other, and those in memory, are none.
    for part in (mapped[::-1], mapped[::2], mapped[:, 1:], mapped[[1, 2]], values):
        assert mapped_rows(part) is None


def test_a_forecast_of_stored_embeddings_is_that_of_those_in_memory(tmp_path, small):
    rng = np.random.default_rng(4)
    gallery = rng.normal(size=(60, 6)).astype(np.float32)
    probes = gallery + rng.normal(size=(60, 6)).astype(np.float32)
    here = sc.extrapolate(
        sc.Embeddings(gallery, probes, range(60)), to=1000, method="tail"
    )
    path = tmp_path / "gallery.parquet"
    _parquet(path, gallery, as_lists=False)
    stored = sc.Embeddings(path, Chunked(probes), range(60))
    assert isinstance(stored.gallery, StoredRows)
    there = sc.extrapolate(stored, to=1000, method="tail")
    assert here.to_dict() == there.to_dict()


def test_of_what_is_stored_no_more_is_read_than_a_block(small):
    chunked = Chunked(np.ones((500, 5), dtype=np.float32))
    rows = check_rows(chunked, parameter="gallery")
    load_rows(rows, np.arange(0, 500, 3))
    assert 0 < chunked.most <= 100


def test_stored_rows_that_are_no_vectors_are_refused(tmp_path, small):
    bad = np.ones((30, 3))
    bad[22, 1] = np.nan
    with pytest.raises(InvalidInputError, match="not finite") as caught:
        check_rows(Chunked(bad), parameter="gallery")
    assert caught.value.location.row == 23
    with pytest.raises(InvalidInputError, match="two dimensions"):
        check_rows(_Flat(), parameter="gallery")
    with pytest.raises(InvalidInputError, match=r"\.npy, \.parquet or \.zarr"):
        check_rows("gallery.csv", parameter="gallery")
    with pytest.raises(InvalidInputError, match="cannot be read"):
        check_rows(tmp_path / "no.npy", parameter="gallery")
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(InvalidInputError, match="cannot be read"):
        check_rows(tmp_path / "no.parquet", parameter="gallery")
    table = pa.table({"a": [1.0, 2.0], "b": ["x", "y"]})
    pa.parquet.write_table(table, tmp_path / "text.parquet")
    with pytest.raises(InvalidInputError, match="string, no numbers"):
        ParquetSource(tmp_path / "text.parquet")
    lists = pa.table({"a": [[1.0, 2.0], [3.0]]})
    pa.parquet.write_table(lists, tmp_path / "lists.parquet")
    with pytest.raises(InvalidInputError, match="different lengths"):
        check_rows(tmp_path / "lists.parquet", parameter="gallery")


class _Flat:
    shape, dtype = (5,), np.dtype(float)

    def __getitem__(self, rows):
        raise AssertionError


def _zarr(path, values):
    zarr = pytest.importorskip("zarr")
    array = zarr.create_array(str(path), shape=values.shape, dtype="f4", chunks=(9, 4))
    array[:] = values
    return path


def _parquet(path, values, *, as_lists):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    columns = {f"f{i}": column for i, column in enumerate(values.T)}
    if as_lists:
        columns = {"vector": list(values)}
    pyarrow.parquet.write_table(pa.table(columns), path, row_group_size=11)
    return path


def _npy(path, values):
    np.save(path, values)
    return path
