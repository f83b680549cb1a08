"""Output, whole or not at all, and JSON that comes back."""

from __future__ import annotations

import errno
import json
import math
import os
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, strategies as st

from scorecast.exceptions import InvalidInputError
from scorecast.io import (
    FileLayout,
    check_writable,
    read_json,
    read_matrix,
    write_json,
    write_text,
)


def names(directory):
    return sorted(path.name for path in directory.iterdir())


def test_text_is_written_as_it_is(tmp_path):
    path = tmp_path / "a.html"
    write_text(path, "caf\u00e9\n\U0001f600\r\n")
    assert path.read_bytes() == "caf\u00e9\n\U0001f600\r\n".encode()
    assert names(tmp_path) == ["a.html"]


def test_new_file_obeys_the_umask_and_old_one_keeps_its_mode(tmp_path):
    path = tmp_path / "a.txt"
    old = os.umask(0o027)
    try:
        write_text(path, "1")
    finally:
        os.umask(old)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o604)
    write_text(path, "2", force=True)
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


def test_what_utf8_cannot_hold_is_escaped(tmp_path):
    write_json(tmp_path / "a.json", {"path": "a\udc80"})
    assert read_json(tmp_path / "a.json") == {"path": "a\udc80"}


def test_existing_file_needs_force(tmp_path, refusal):
    path = tmp_path / "a.txt"
    path.write_text("old")
    assert refusal(write_text, path, "new").option == "force"
    assert refusal(check_writable, path).option == "force"
    assert path.read_text() == "old"
    write_text(path, "new", force=True)
    assert path.read_text() == "new"
    assert names(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("force", [False, True])
def test_bad_targets_are_refused(force, tmp_path, refusal):
    (tmp_path / "file").write_text("x")
    os.mkfifo(tmp_path / "pipe")
    for check in (lambda p, **k: write_text(p, "x", **k), check_writable):
        for path, words in (
            (tmp_path / "none" / "a.txt", "does not exist"),
            (tmp_path / "file" / "a.txt", "does not exist"),
            (tmp_path, "is a directory"),
            (tmp_path / "pipe", "pipe or device"),
            ("", "not a path"),
            ("a\0b", "not a path"),
            (tmp_path / ("x" * 300), "too long"),
        ):
            assert words in str(refusal(check, path, force=force))
    assert names(tmp_path) == ["file", "pipe"]


def test_device_is_never_replaced(refusal):
    refusal(write_text, os.devnull, "x", force=True)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


@pytest.mark.parametrize("via", ["same", "symlink", "hard link", "dots", "key", "loop"])
def test_inputs_are_never_replaced(via, tmp_path, refusal):
    source = tmp_path / "in.npz"
    source.write_text("precious")
    target, given_input = source, str(source)
    if via == "symlink":
        target = tmp_path / "link"
        target.symlink_to(source)
    elif via == "hard link":
        target = tmp_path / "other"
        os.link(source, target)
    elif via == "dots":
        (tmp_path / "sub").mkdir()
        target = tmp_path / "sub" / ".." / "in.npz"
    elif via == "key":
        given_input = f"{source}::scores"
    elif via == "loop":
        given_input = str(tmp_path / "link")
        (tmp_path / "link").symlink_to(source)
    for force in (False, True):
        inputs = ["missing.npy", given_input]
        message = str(refusal(write_text, target, "x", force=force, inputs=inputs))
        assert force is False or "one of the inputs" in message
        refusal(check_writable, target, force=force, inputs=inputs)
    assert source.read_text() == "precious"


def test_link_is_followed_and_stays_a_link(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_text(tmp_path / "link", "new", force=True)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "disk is full"),
        (errno.EDQUOT, "disk is full"),
        (errno.EACCES, "no permission"),
        (errno.EROFS, "no permission"),
        (errno.EIO, "could not write"),
    ],
)
@pytest.mark.parametrize("force", [False, True])
def test_fault_of_the_disk_leaves_nothing(
    number, words, force, tmp_path, refusal, monkeypatch
):
    path = tmp_path / "a.txt"
    if force:
        path.write_text("old")

    def fail(descriptor):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fail)
    assert words in str(refusal(write_text, path, "new", force=force))
    assert names(tmp_path) == (["a.txt"] if force else [])
    assert not force or path.read_text() == "old"


def test_closed_directory_is_refused_beforehand(tmp_path, refusal, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *args: False)
    assert "no permission" in refusal(check_writable, tmp_path / "a.txt").problem


def test_row_49_interrupt_leaves_nothing(tmp_path, monkeypatch):
    def interrupt(descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_text(tmp_path / "a.txt", "new")
    assert names(tmp_path) == []


def test_row_53_second_of_two_runs_says_so(tmp_path, refusal, monkeypatch):
    path = tmp_path / "a.txt"
    monkeypatch.setattr(os, "fsync", lambda descriptor: path.write_text("first"))
    assert refusal(write_text, path, "second").option == "force"
    assert path.read_text() == "first"
    assert names(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("taken", [False, True])
def test_file_system_without_links(taken, tmp_path, refusal, monkeypatch):
    path = tmp_path / "a.txt"

    def no_links(*args):
        if taken:
            path.write_text("first")
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    if taken:
        assert refusal(write_text, path, "second").option == "force"
        assert path.read_text() == "first"
    else:
        write_text(path, "second")
        assert path.read_text() == "second"
    assert names(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("force", [False, True])
def test_many_writers_leave_one_whole_file(force, tmp_path):
    path = tmp_path / "a.txt"
    texts = [str(i) * 100_000 for i in range(8)]

    def write(text):
        try:
            write_text(path, text, force=force)
        except InvalidInputError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(write, texts))
    assert sum(done) == (8 if force else 1)
    assert path.read_text() in texts
    assert names(tmp_path) == ["a.txt"]


# JSON


def test_json_comes_back_in_order(tmp_path):
    data = {"z": [1, 2.5, None], "a": {"caf\u00e9": "</script>"}, "m": True}
    path = tmp_path / "a.json"
    write_json(path, data)
    text = path.read_text(encoding="utf-8")
    assert text == json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    assert list(read_json(path)) == ["z", "a", "m"]
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert read_json(path) == data


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_json_has_no_nan_and_nothing_is_written(value, tmp_path):
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(tmp_path / "a.json", {"x": value})
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(b"  \n", "is empty", id="blank"),
        pytest.param(b'{"a": 1,\n "b" 2}', "at character 6)", id="syntax"),
        pytest.param(
            b'{"a": "NaN",\n "b": NaN}', "line 2: NaN is not JSON (at char", id="nan"
        ),
        pytest.param(b"-Infinity", "line 1: -Infinity", id="infinity"),
        pytest.param(b'{"a":\n "\xff"}', "line 2: this is not UTF-8", id="encoding"),
        pytest.param(b"[" * 100_000, "nested", id="55-deep-open"),
        pytest.param(b"[" * 50_000 + b"]" * 50_000, "nested", id="55-deep"),
        pytest.param(b"[" * 101 + b"]" * 101, "100 levels", id="55-just-too-deep"),
        pytest.param(b'{"a":' * 150 + b"1" + b"}" * 150, "nested", id="55-objects"),
        pytest.param(b"9" * 10_000, "Exceeds the limit", id="55-long-number"),
        pytest.param(b"\x00\x01", "not JSON", id="binary"),
    ],
)
def test_bad_json_is_refused(content, words, tmp_path, refusal):
    path = tmp_path / "a.json"
    path.write_bytes(content)
    assert words in str(refusal(read_json, path))


def test_row_55_large_json_is_refused_unread(tmp_path, refusal, memory_below):
    path = tmp_path / "a.json"
    with open(path, "wb") as stream:
        stream.truncate(2**30)
    with memory_below(2**20):
        assert "1 GiB" in refusal(read_json, path).problem


def test_wide_json_is_not_deep(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps([[[]] for _ in range(1000)] + [nested(99)]))
    assert len(read_json(path)) == 1001


def nested(depth):
    return [nested(depth - 1)] if depth > 1 else []


@given(
    values=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1),
    decimal=st.sampled_from([".", ","]),
)
def test_numbers_written_are_the_numbers_read(values, decimal, tmp_path_factory):
    path = tmp_path_factory.mktemp("numbers") / "a.csv"
    text = "a b;c\n" + "".join(f"{value!r};{value!r}\n" for value in values)
    path.write_text(text.replace(".", decimal))
    assert (
        read_matrix(path, layout=FileLayout(decimal=decimal)).values[:, 1].tolist()
        == values
    )


def test_cells_that_a_spreadsheet_would_run(tmp_path):
    import csv

    import numpy as np

    from scorecast.io import write_table

    path = tmp_path / "a.csv"
    names = ["=HYPERLINK(1)", "+1", "-x", "@x", "\tx", "\rx", 'a,"b', "plain", "a\nb"]
    numbers = np.linspace(-4, 4, len(names))
    write_table(path, {"name": np.array(names), "value": numbers})
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    assert [row[0] for row in rows] == [
        *("'=HYPERLINK(1)", "+1", "'-x", "'@x", "'\tx", "'\rx"),
        *('a,"b', "plain", "a\nb"),
    ]
    assert [float(row[1]) for row in rows] == numbers.tolist()
