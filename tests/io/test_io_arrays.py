"""Arrays in binary files, and every way in which they may be damaged or hostile."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from functools import partial

import numpy as np
import pytest

from scorecast.io import FileLayout, arrays, read_labels, read_matrix, read_scores

MIB = 2**20


def header_bytes(text: str, version: bytes = b"\x01\x00") -> bytes:
    body = text.encode()
    length = struct.pack("<H" if version == b"\x01\x00" else "<I", len(body))
    return b"\x93NUMPY" + version + length + body


def plain_header(shape: str, dtype: str = "'<f8'", fortran: str = "False") -> bytes:
    return header_bytes(
        f"{{'descr': {dtype}, 'fortran_order': {fortran}, 'shape': {shape}, }}"
    )


def npy_bytes(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    return stream.getvalue()


# .npy


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["<f4", "<f8", ">f4", ">f8"])
def test_floats_are_kept_and_native(dtype, order, tmp_path):
    array = np.array([[1, 2, 3], [4, 5, 6]], dtype=dtype, order=order)
    np.save(tmp_path / "a.npy", array)
    matrix = read_matrix(tmp_path / "a.npy")
    assert matrix.values.dtype == np.dtype(dtype).newbyteorder("=")
    assert matrix.values.dtype.isnative
    assert np.array_equal(matrix.values, array)
    assert matrix.columns is None


@pytest.mark.parametrize(
    "dtype", ["f2", "i1", "u1", "i2", "i8", "u8", "?", ">i4", np.longdouble]
)
def test_other_numbers_become_float64(dtype, tmp_path):
    array = np.array([[0, 1], [1, 0]]).astype(dtype)
    np.save(tmp_path / "a.npy", array)
    values = read_matrix(tmp_path / "a.npy").values
    assert values.dtype == np.float64
    assert np.array_equal(values, [[0, 1], [1, 0]])


def test_large_file_is_mapped(tmp_path, monkeypatch, memory_below):
    monkeypatch.setattr(arrays, "_MAP_FROM", 1)
    array = np.asfortranarray(np.random.default_rng(0).normal(size=(1000, 1000)))
    np.save(tmp_path / "a.npy", array)
    with memory_below(2 * MIB):
        values = read_matrix(tmp_path / "a.npy").values
    assert not values.flags.writeable
    assert np.array_equal(values, array)


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_all_versions_of_the_format_are_read(version, tmp_path):
    with open(tmp_path / "a.npy", "wb") as stream:
        np.lib.format.write_array(stream, np.eye(2), version=version)
    assert np.array_equal(read_matrix(tmp_path / "a.npy").values, np.eye(2))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(b"1,2\n3,4\n", "but text", id="3-text"),
        pytest.param(b"\x1f\x8b\x08\x00", "gzip", id="3-gzip"),
        pytest.param(b"PK\x03\x04", "zip archive", id="3-zip"),
        pytest.param(b"\x89HDF\r\n\x1a\n", "HDF5", id="3-hdf5"),
        pytest.param(b"\x80\x04\x95\x00", "Python pickle", id="3-pickle"),
        pytest.param(b"\x00\x01\x02\x03", "unknown kind", id="3-noise"),
        pytest.param(
            npy_bytes(np.array([[1, "a"]], dtype=object)), "objects", id="4-object"
        ),
        pytest.param(
            plain_header("(10000000000000,)") + bytes(80), "cut short", id="5-huge"
        ),
        pytest.param(
            plain_header("(1099511627776, 1099511627776)"), "cut short", id="6-over"
        ),
        pytest.param(plain_header(f"({10**40}, 2)"), "cut short", id="6-beyond"),
        pytest.param(plain_header("(-1, 4)") + bytes(32), "impossible", id="6-minus"),
        pytest.param(plain_header("(True, 4)") + bytes(32), "impossible", id="6-bool"),
        pytest.param(plain_header("(2.0, 4)") + bytes(64), "understood", id="6-float"),
        pytest.param(plain_header(str((1,) * 70)), "impossible", id="6-70-dimensions"),
        pytest.param(npy_bytes(np.eye(4))[:-8], "128 bytes and 120", id="7-truncated"),
        pytest.param(npy_bytes(np.eye(4)) + b"x", "more than one", id="7-trailing"),
        pytest.param(npy_bytes(np.eye(4))[:40], "inside the header", id="7-in-header"),
        pytest.param(npy_bytes(np.eye(4))[:9], "inside the header", id="7-in-length"),
        pytest.param(
            b"\x93NUMPY\x02\x00" + struct.pack("<I", 2**31), "claims", id="8-giant"
        ),
        pytest.param(header_bytes("(" * 9000), "understood", id="8-nested"),
        pytest.param(header_bytes("-" * 9000 + "1"), "understood", id="8-minus-signs"),
        pytest.param(header_bytes("__import__('os')"), "understood", id="8-code"),
        pytest.param(header_bytes("[1]"), "understood", id="8-not-a-dict"),
        pytest.param(header_bytes("{'descr': '\\d'}"), "understood", id="8-backslash"),
        pytest.param(b"\x93NUMPY\x09\x00\x00\x00", "version", id="8-version"),
        pytest.param(npy_bytes(np.eye(2) * 1j), "complex", id="30-complex"),
        pytest.param(
            npy_bytes(np.zeros(2, dtype=[("a", "f8")])), "structured", id="30-record"
        ),
        pytest.param(npy_bytes(np.zeros(2, "M8[s]")), "dates", id="30-datetime"),
        pytest.param(npy_bytes(np.zeros(2, "m8[s]")), "time", id="30-timedelta"),
        pytest.param(npy_bytes(np.zeros(2, "V8")), "structured", id="30-void"),
        pytest.param(plain_header("(2,)", "'zz'"), "understood", id="30-unknown"),
        pytest.param(plain_header("(2,)", "'f7'"), "understood", id="30-impossible"),
        pytest.param(plain_header("(2,)", "'<U0'"), "no size", id="30-no-width"),
        pytest.param(
            plain_header("(2,)", f"'<U{10**30}'"), "damaged", id="30-wide-text"
        ),
        pytest.param(npy_bytes(np.array([["a", "b"]])), "numbers", id="30-text"),
        pytest.param(npy_bytes(np.zeros(3)), "must be a matrix", id="33-vector"),
        pytest.param(npy_bytes(np.zeros((2, 2, 2))), "reshape", id="33-cube"),
        pytest.param(npy_bytes(np.array(1.0)), "must be a matrix", id="33-scalar"),
        pytest.param(npy_bytes(np.zeros((0, 3))), "is empty", id="34-no-rows"),
        pytest.param(npy_bytes(np.zeros((3, 0))), "is empty", id="34-no-columns"),
        pytest.param(npy_bytes(np.array([[1, np.nan]])), "column '2', row 1", id="41"),
        pytest.param(npy_bytes(np.array([[1, -np.inf]])), "not finite", id="41-inf"),
    ],
)
def test_bad_npy_is_refused(content, words, tmp_path, refusal, memory_below):
    path = tmp_path / "a.npy"
    path.write_bytes(content)
    with memory_below(10 * MIB):
        error = refusal(read_matrix, path)
    assert words in str(error)
    assert error.location.file == str(path)


def test_array_beyond_the_limit_is_refused(tmp_path, refusal):
    np.save(tmp_path / "a.npy", np.zeros((1000, 10)))
    error = refusal(
        read_matrix, tmp_path / "a.npy", layout=FileLayout(max_bytes=10_000)
    )
    assert "78.12 KiB" in error.problem
    assert error.option == "max_bytes"


def test_conversion_counts_towards_the_limit(tmp_path, refusal):
    np.save(tmp_path / "a.npy", np.zeros((1000, 10), dtype=np.int8))
    refusal(read_matrix, tmp_path / "a.npy", layout=FileLayout(max_bytes=20_000))


# .npz


def test_key_is_picked_by_path_or_argument(tmp_path):
    path = tmp_path / "a.npz"
    np.savez_compressed(path, one=np.eye(2), two=np.eye(3))
    assert read_matrix(f"{path}::two").values.shape == (3, 3)
    assert read_matrix(path, layout=FileLayout(key="one")).source == f"{path}::one"


def test_single_or_usual_array_needs_no_key(tmp_path):
    np.savez(tmp_path / "a.npz", np.eye(2))
    np.savez(tmp_path / "b.npz", logits=np.eye(2), other=np.eye(3))
    assert read_matrix(tmp_path / "a.npz").source.endswith("::arr_0")
    assert read_matrix(tmp_path / "b.npz").source.endswith("::logits")


def test_row_11_several_arrays_are_listed(tmp_path, refusal):
    np.savez(tmp_path / "a.npz", foo=np.eye(2), bar=np.zeros(3, dtype=np.float32))
    for key in (None, "qux"):
        layout = FileLayout(key=key)
        error = refusal(read_matrix, tmp_path / "a.npz", layout=layout)
        assert "foo: float64 (2, 2) and bar: float32 (3,)" in error.problem
        assert error.option == "key"
        assert "a.npz::NAME" in error.remedy


def test_two_usual_names_are_not_guessed_between(tmp_path, refusal):
    np.savez(tmp_path / "a.npz", logits=np.eye(2), probs=np.eye(2))
    assert "several arrays" in refusal(read_matrix, tmp_path / "a.npz").problem


def test_row_9_bomb_is_refused_before_unpacking(tmp_path, refusal, memory_below):
    path = tmp_path / "a.npz"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("scores.npy", "w") as member,
    ):
        member.write(npy_bytes(np.zeros((10_000, 1000), dtype="i1"))[:128])
        for _ in range(100):
            member.write(bytes(MIB))
    assert path.stat().st_size < MIB
    with memory_below(5 * MIB):
        assert "would unpack" in refusal(read_matrix, path).problem
        error = refusal(read_matrix, path, layout=FileLayout(max_bytes=MIB))
        assert error.option == "max_bytes"


def test_row_9_sizes_that_lie_are_found_out(tmp_path, refusal, memory_below):
    data = bytearray()
    stream = io.BytesIO()
    np.savez(stream, scores=np.zeros((4, 4)))
    data[:] = stream.getvalue()
    central = data.rindex(b"PK\x01\x02")
    struct.pack_into("<I", data, central + 24, 2**20)
    (tmp_path / "a.npz").write_bytes(data)
    with memory_below(5 * MIB):
        refusal(read_matrix, tmp_path / "a.npz")


def test_rows_10_and_57_names_in_archives_are_only_labels(tmp_path, refusal):
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../../evil.npy", npy_bytes(np.eye(2)))
        archive.writestr("/etc/other.npy", npy_bytes(np.eye(2)))
    before = sorted(tmp_path.parent.rglob("*"))
    assert "../../evil: float64" in refusal(read_matrix, path).problem
    assert read_matrix(path, layout=FileLayout(key="../../evil")).values.shape == (2, 2)
    assert sorted(tmp_path.parent.rglob("*")) == before


def damaged_archives():
    stream = io.BytesIO()
    np.savez(stream, scores=np.eye(4))
    good = stream.getvalue()
    central = good.rindex(b"PK\x01\x02")
    encrypted = bytearray(good)
    encrypted[6] |= 1
    encrypted[central + 8] |= 1
    unknown = bytearray(good)
    struct.pack_into("<H", unknown, 8, 77)
    struct.pack_into("<H", unknown, central + 10, 77)
    crc = bytearray(good)
    crc[good.index(b"NUMPY") + 140] ^= 0xFF
    lzma = io.BytesIO()
    with zipfile.ZipFile(lzma, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("scores.npy", npy_bytes(np.eye(4)))
    empty = io.BytesIO()
    zipfile.ZipFile(empty, "w").close()
    twice = io.BytesIO()
    with zipfile.ZipFile(twice, "w") as archive:
        archive.writestr("scores", b"1")
        archive.writestr("scores.npy", npy_bytes(np.eye(4)))
    longer = io.BytesIO()
    with zipfile.ZipFile(longer, "w") as archive:
        archive.writestr("scores.npy", npy_bytes(np.eye(4)) + b"1")
    pickled = io.BytesIO()
    np.savez(pickled, scores=np.array([None]))
    return {
        "12-encrypted": (bytes(encrypted), "encrypted"),
        "12-compression": (bytes(unknown), "method 77"),
        "12-lzma": (lzma.getvalue(), "method 14"),
        "12-crc": (bytes(crc), "Bad CRC-32"),
        "12-cut": (good[:-30], "damaged"),
        "12-half": (good[:100], "damaged"),
        "12-text": (b"a,b\n1,2\n", "but text"),
        "12-npy": (npy_bytes(np.eye(2)), "but a .npy array"),
        "no-arrays": (empty.getvalue(), "no arrays"),
        "same-name": (twice.getvalue(), "two arrays"),
        "too-long": (longer.getvalue(), "more than one"),
        "4-objects": (pickled.getvalue(), "objects"),
    }


@pytest.mark.parametrize("case", damaged_archives())
def test_row_12_damaged_archive_is_refused(case, tmp_path, refusal):
    content, words = damaged_archives()[case]
    (tmp_path / "a.npz").write_bytes(content)
    layout = FileLayout(key="scores")
    assert words in refusal(read_matrix, tmp_path / "a.npz", layout=layout).problem


def test_broken_member_does_not_hide_the_others(tmp_path, refusal):
    path = tmp_path / "a.npz"
    np.savez(path, bad=np.array([None]), good=np.eye(2), also=np.eye(2))
    assert "bad: not a plain array" in refusal(read_matrix, path).problem
    assert read_matrix(path, layout=FileLayout(key="good")).values.shape == (2, 2)


# .safetensors


def test_safetensors_are_read(tmp_path):
    numpy_format = pytest.importorskip("safetensors.numpy")
    tensors = {"logits": np.eye(3, dtype=np.float32), "y": np.arange(3)}
    numpy_format.save_file(tensors, tmp_path / "a.safetensors")
    scores = read_scores(tmp_path / "a.safetensors")
    assert np.array_equal(scores.values, np.eye(3))
    assert scores.y_true.tolist() == [0, 1, 2]
    picked = read_labels(f"{tmp_path / 'a.safetensors'}::y")
    assert picked.values.tolist() == [0, 1, 2]


def safetensors_bytes(data: bytes, **header: object) -> bytes:
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def entry(dtype: str, shape: list[int], end: int) -> dict[str, object]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [0, end]}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (safetensors_bytes(b"1234", x=entry("F32", [10**9, 4], 16)), "damaged"),
        (safetensors_bytes(b"1234", x=entry("F32", [1], 10**12)), "damaged"),
        (struct.pack("<Q", 2**62) + b"{}", "damaged"),
        (b"\x01\x02", "damaged"),
        (safetensors_bytes(bytes(4), x=entry("BF16", [1, 2], 4)), "tensor.float()"),
        (safetensors_bytes(b"", x=entry("F32", [0, 2], 0)), "is empty"),
        (safetensors_bytes(b""), "no arrays"),
        (safetensors_bytes(bytes(8), x=entry("F32", [1, 2], 8)), "no array 'y'"),
    ],
)
def test_row_13_bad_safetensors_are_refused(content, words, tmp_path, refusal):
    pytest.importorskip("safetensors")
    path = tmp_path / "a.safetensors"
    path.write_bytes(content)
    key = "y" if "'y'" in words else None
    assert words in str(refusal(read_matrix, path, layout=FileLayout(key=key)))


def test_key_of_a_nameless_array_is_refused(tmp_path, refusal):
    np.save(tmp_path / "a.npy", np.eye(2))
    error = refusal(read_matrix, f"{tmp_path / 'a.npy'}::x")
    assert "without a name" in error.problem


def test_columns_of_a_nameless_array_cannot_be_dropped(tmp_path, refusal):
    np.save(tmp_path / "a.npy", np.eye(2))
    layout = FileLayout(drop=["a"])
    error = refusal(read_matrix, tmp_path / "a.npy", layout=layout)
    assert "no column names" in error.problem


def test_scores_larger_than_the_limit_are_read_where_they_lie(
    refusal, tmp_path, monkeypatch
):
    monkeypatch.setattr("scorecast.io.arrays._MAP_FROM", MIB)
    rng = np.random.default_rng(0)
    scores = rng.standard_normal((500, 2000)).astype(np.float32)  # 4 MB
    labels = np.arange(500)
    np.save(tmp_path / "a.npy", scores)
    np.save(tmp_path / "y.npy", labels)
    of = {"labels": tmp_path / "y.npy"}
    small = FileLayout(max_bytes=2 * MIB)
    found = read_scores(tmp_path / "a.npy", layout=small, **of)
    assert isinstance(found.values, np.memmap)
    np.testing.assert_array_equal(found.values, scores)
    # Something is noted of every row; what is no table of scores, or must be converted
    # first, is read whole.
    few = FileLayout(max_bytes=MIB)
    refusal(partial(read_scores, **of), tmp_path / "a.npy", layout=few)
    refusal(read_matrix, tmp_path / "a.npy", layout=small)
    for other in (scores.astype(">f4"), np.asfortranarray(scores), scores.astype(int)):
        np.save(tmp_path / "b.npy", other)
        refusal(partial(read_scores, **of), tmp_path / "b.npy", layout=small)
