"""The file itself: missing, closed, foreign, changing; and which kinds are read."""

from __future__ import annotations

import doctest
import importlib
import io
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import scorecast.io
from scorecast.exceptions import InvalidInputError, Location, MissingExtraError
from scorecast.io import (
    FILE_FORMATS,
    FileLayout,
    Holds,
    InputFile,
    hash_file,
    read_json,
    read_labels,
    read_matrix,
    read_scores,
    unchanged,
    write_table,
)

READERS = [read_matrix, read_labels, read_scores, read_json, hash_file]
SUFFIXES = [".npy", ".npz", ".csv", ".tsv", ".csv.gz", ".parquet", ".safetensors"]


@pytest.mark.parametrize("reader", READERS)
def test_missing_path_is_named_as_missing(reader, tmp_path, refusal):
    error = refusal(reader, tmp_path / "none.npy")
    assert "does not exist" in error.problem
    assert error.location == Location(file=str(tmp_path / "none.npy"))


@pytest.mark.parametrize("reader", READERS)
def test_directory_is_named_as_directory(reader, tmp_path, refusal):
    assert "is a directory" in refusal(reader, tmp_path).problem


@pytest.mark.parametrize("reader", READERS)
def test_lack_of_permission_is_said(reader, tmp_path, refusal, monkeypatch):
    path = tmp_path / "a.npy"
    np.save(path, np.eye(3))

    def refuse(*args, **kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("scorecast.io.files.open", refuse, raising=False)
    assert "no permission to read" in refusal(reader, path).problem


def test_fault_of_the_disk_while_reading_is_said(tmp_path, refusal, monkeypatch):
    path = tmp_path / "a.npy"
    np.save(path, np.eye(3))

    class Failing(io.BytesIO):
        def read(self, size=-1):
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(
        "scorecast.io.files.open", lambda *args: Failing(), raising=False
    )
    assert "Input/output error" in refusal(read_matrix, path).problem


def test_lack_of_memory_is_said(tmp_path, refusal, monkeypatch):
    path = tmp_path / "a.npy"
    np.save(path, np.eye(3))

    def refuse(*args, **kwargs):
        raise MemoryError

    monkeypatch.setattr("scorecast.io.arrays._read_body", refuse)
    assert "does not fit into the memory" in refusal(read_matrix, path).problem


@pytest.mark.parametrize("path", ["", "a\0b.npy", "x" * 300 + ".npy"])
def test_impossible_paths_are_refused(path, refusal):
    refusal(read_matrix, path)


def test_pipe_is_refused_instead_of_waited_for(tmp_path, refusal):
    path = tmp_path / "pipe.csv"
    os.mkfifo(path)
    assert "pipe or device" in refusal(read_matrix, path).problem


@pytest.mark.parametrize("suffix", [*SUFFIXES, ".txt", ".json", ".arrow", ".feather"])
def test_empty_file_is_named_as_empty(suffix, tmp_path, refusal):
    path = tmp_path / f"a{suffix}"
    path.write_bytes(b"")
    reader = {".json": read_json, ".txt": read_labels}.get(suffix, read_matrix)
    assert "is empty" in refusal(reader, path).problem


@pytest.mark.parametrize(
    ("suffix", "conversion"),
    [
        (".pt", "torch.load("),
        (".pth", "weights_only=True"),
        (".pkl", "pickle.load("),
        (".pickle", "if you trust"),
        (".joblib", "joblib.load("),
        (".h5", "h5py.File("),
        (".hdf5", "h5py.File("),
        (".mat", "loadmat("),
        (".xlsx", "read_excel("),
    ],
)
@pytest.mark.parametrize("reader", [read_matrix, read_labels, read_scores])
def test_foreign_formats_are_refused_with_the_conversion(
    reader, suffix, conversion, tmp_path, refusal
):
    path = tmp_path / f"my scores{suffix}"
    path.write_bytes(b"\x80\x04N.")
    remedy = refusal(reader, path).remedy
    assert conversion in remedy
    assert "python -c " in remedy
    assert str(path.with_suffix(".csv" if suffix == ".xlsx" else ".npy")) in remedy


def test_conversion_line_works(tmp_path, refusal):
    path = tmp_path / "it's mine.joblib"
    import joblib

    joblib.dump(np.eye(3), path)
    command = refusal(read_matrix, path).remedy.partition(": python ")[2]
    run = f"'{sys.executable}' {command}"
    subprocess.run(run, shell=True, check=True)
    assert np.array_equal(read_matrix(path.with_suffix(".npy")).values, np.eye(3))


@pytest.mark.parametrize("name", ["a.npy.gz", "a.docx", "noending"])
def test_unknown_endings_are_refused(name, tmp_path, refusal):
    (tmp_path / name).write_bytes(b"1")
    refusal(read_matrix, tmp_path / name)


def test_name_of_the_file_cannot_break_the_line(tmp_path, refusal):
    path = tmp_path / "a\nb\u202e.npy"
    path.write_bytes(b"text")
    message = str(refusal(read_matrix, path))
    assert "a b\\u202e.npy" in message
    assert "\n" not in message


def test_sources_can_be_opened_again_whatever_their_names(tmp_path):
    folder = tmp_path / ("long" * 60) / ("longer" * 40)
    folder.mkdir(parents=True)
    path = folder / "new\nline.npz"
    np.savez(path, **{"scores": np.eye(2), "y": [0, 1]})
    scores = read_scores(path)
    assert [hash_file(source).path for source in scores.sources] == [str(path)] * 2
    assert read_matrix(scores.sources[0]).source == scores.sources[0]


def test_file_whose_own_name_has_the_separator(tmp_path):
    path = tmp_path / "a::b.npy"
    np.save(path, np.eye(2))
    assert read_matrix(path).source == str(path)


def test_separator_in_a_folder_or_a_key(tmp_path, refusal):
    folder = tmp_path / "run::1"
    folder.mkdir()
    np.savez(folder / "a.npz", **{"x::y": np.eye(2), "z": np.eye(3)})
    assert read_matrix(f"{folder / 'a.npz'}::x::y").values.shape == (2, 2)
    error = refusal(read_matrix, f"{tmp_path / 'b.npz'}::x")
    assert "does not exist" in error.problem


def test_two_keys_are_refused(tmp_path, refusal):
    path = tmp_path / "a.npz"
    np.savez(path, x=np.eye(2), y=np.eye(2))
    error = refusal(read_matrix, f"{path}::x", layout=FileLayout(key="y"))
    assert error.option == "key"
    assert read_matrix(f"{path}::x", layout=FileLayout(key="x")).source == f"{path}::x"


@pytest.mark.parametrize("suffix", [".npy", ".csv", ".txt", ".parquet"])
def test_upper_case_endings_are_understood(suffix, tmp_path):
    if suffix == ".npy":
        np.save(tmp_path / "a.npy", np.arange(3))
    elif suffix == ".parquet":
        pd = pytest.importorskip("pandas")
        pd.DataFrame({"y": [1]}).to_parquet(tmp_path / "a.parquet")
    else:
        (tmp_path / f"a{suffix}").write_text("y\n1\n")
    path = (tmp_path / f"a{suffix}").rename(tmp_path / f"a{suffix.upper()}")
    assert len(read_labels(path).values)


# Row 56


def test_file_rewritten_while_read_is_refused(tmp_path, refusal, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_text("a\nb\n")
    from scorecast.io import labels

    def meddling(lines):
        path.write_text("something else\n")
        return np.array(lines)

    monkeypatch.setattr(labels, "text_array", meddling)
    assert "changed while it was read" in refusal(read_labels, path).problem


def fail_inside_watch(path, *, meddle):
    with unchanged(InputFile(path=path)):
        if meddle:
            path.unlink()
        msg = "it is damaged"
        raise InvalidInputError(msg)


def test_change_is_reported_rather_than_the_damage_it_does(tmp_path, refusal):
    path = tmp_path / "a"
    path.write_text("1")
    assert refusal(fail_inside_watch, path, meddle=False).problem == "it is damaged"
    changed = refusal(fail_inside_watch, path, meddle=True)
    assert "changed while" in changed.problem


def test_hash_file_is_path_size_and_the_standard_hash(tmp_path, refusal):
    path = tmp_path / "a"
    path.write_bytes(b"abc")
    before = hash_file(f"{path}::ignored")
    assert (before.path, before.bytes) == (str(path), 3)
    assert before.sha256.startswith("ba7816bf8f01cfea")
    path.write_bytes(b"abd")
    assert hash_file(path) != before
    path.unlink()
    assert "does not exist" in refusal(hash_file, path).problem


# Row 60


@pytest.mark.parametrize(
    ("package", "suffix"),
    [("pyarrow", ".parquet"), ("pyarrow", ".arrow"), ("safetensors", ".safetensors")],
)
def test_missing_extra_names_the_install_command(
    package, suffix, tmp_path, monkeypatch
):
    monkeypatch.setitem(sys.modules, package, None)
    path = tmp_path / f"a{suffix}"
    path.write_bytes(b"1234567890")
    with pytest.raises(MissingExtraError, match=r"pip install 'scorecast\[io\]'"):
        read_matrix(path)


def test_import_loads_no_optional_package():
    code = (
        "import sys, scorecast.io; "
        "assert not {'pyarrow', 'safetensors', 'pandas', 'polars'} & set(sys.modules)"
    )
    source = str(Path(scorecast.io.__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": source}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def test_examples_in_docstrings_run():
    count = 0
    for info in pkgutil.iter_modules(scorecast.io.__path__, "scorecast.io."):
        result = doctest.testmod(importlib.import_module(info.name))
        assert result.failed == 0
        count += result.attempted
    assert count >= 10


def test_public_surface_is_complete():
    assert all(hasattr(scorecast.io, name) for name in scorecast.io.__all__)


# Claims of the registry


@pytest.mark.parametrize("kind", FILE_FORMATS.values(), ids=FILE_FORMATS)
def test_formats_are_what_they_claim(kind, tmp_path, refusal, monkeypatch):
    path = tmp_path / f"a{kind.name}"
    if kind.is_writable:
        if kind.needs_extra:
            pytest.importorskip("pyarrow")
        write_table(path, {"x": np.array([1.0, 2.0]), "z": np.array([3.0, 4.0])})
        assert path.read_bytes().startswith(kind.signature)
        key = FileLayout(key="x") if kind.holds is Holds.ARRAYS else FileLayout()
        found = (
            read_labels(path, column="x")
            if not key.key
            else read_labels(path, layout=key)
        )
        assert [float(x) for x in found.values] == [1, 2]
    else:
        assert kind.name in refusal(write_table, path, {"x": np.ones(2)}).location.file
    path.write_bytes(b"1\n2\n")
    if kind.holds is Holds.NOTHING:
        error = refusal(read_matrix, path)
        assert error.remedy.startswith("convert it once")
        assert ("trust" in error.remedy) == kind.runs_code
    if kind.needs_extra:
        for package in ("pyarrow", "safetensors"):
            monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(MissingExtraError):
            read_matrix(path)


def test_only_formats_that_claim_it_are_mapped(tmp_path, monkeypatch):
    from scorecast.io import arrays

    monkeypatch.setattr(arrays, "_MAP_FROM", 1)
    np.save(tmp_path / "a.npy", np.eye(3))
    np.savez(tmp_path / "a.npz", np.eye(3))
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    for ending in (".npy", ".npz", ".csv"):
        values = read_matrix(tmp_path / f"a{ending}").values
        assert (not values.flags.writeable) == FILE_FORMATS[ending].can_map
