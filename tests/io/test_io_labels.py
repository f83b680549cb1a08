"""Labels stay what they are, in every kind of file."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

from scorecast.exceptions import DataWarning
from scorecast.io import FileLayout, arrays, read_labels, read_matrix

TRICKY = ["NA", "None", "nan", "", "007", "7", "TRUE", "1e5", "100000", "null", "x"]
ODD = [
    "</script><script>alert(1)</script>",
    'quo"ted',
    "it's",
    "javascript:alert(1)",
    "\U0001f600",
    "a\u202eb",
    "two\nlines",
    "two\r\nlines",
    "comma,semi;tab\t",
    "long" * 2500,
    "=HYPERLINK(1)",
    "$x_{$",
    "[/]",
]
VARIANTS = ["caf\u00e9", "cafe\u0301", "cat", "cat ", " cat", "Cat"]


@pytest.mark.parametrize("labels", [TRICKY, VARIANTS], ids=["20", "24"])
@pytest.mark.parametrize("suffix", [".csv", ".txt", ".npy", ".npz"])
def test_text_stays_text(labels, suffix, tmp_path):
    path = tmp_path / f"labels{suffix}"
    if suffix == ".npy":
        np.save(path, np.array(labels))
    elif suffix == ".npz":
        np.savez(path, labels=np.array(labels))
    else:
        header = "label\n" if suffix == ".csv" else ""
        path.write_text(header + "\n".join(labels) + "\n", encoding="utf-8")
    values = read_labels(path).values
    assert values.tolist() == labels
    assert len(set(values.tolist())) == len(labels)


@pytest.mark.parametrize("labels", [TRICKY, ODD, VARIANTS], ids=["20", "21", "24"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
def test_any_text_survives_a_table(labels, quoting, tmp_path):
    stream = io.StringIO()
    writer = csv.writer(stream, quoting=quoting, lineterminator="\n")
    writer.writerow(["id", "class name", "y"])
    writer.writerows([i, label, label] for i, label in enumerate(labels))
    path = tmp_path / "a.csv"
    path.write_bytes(stream.getvalue().encode())
    assert read_labels(path).values.tolist() == labels
    assert read_labels(f"{path}::class name").values.tolist() == labels
    assert read_labels(path, column="class name").source == f"{path}::class name"
    numbers = read_matrix(path, layout=FileLayout(drop=["class name", "y"])).values[
        :, 0
    ]
    assert numbers.tolist() == list(range(len(labels)))


def test_bom_and_crlf_do_not_reach_the_labels(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfa\r\nb\r\n")
    assert read_labels(path).values.tolist() == ["a", "b"]


def test_empty_lines_count_only_between_labels(tmp_path, refusal):
    for name, head in (("a.txt", ""), ("a.csv", "y\n")):
        (tmp_path / name).write_text(f"{head}a\n\nb\n\n\n")
        assert read_labels(tmp_path / name).values.tolist() == ["a", "", "b"]
    (tmp_path / "a.txt").write_text("\n\n")
    assert "no labels" in refusal(read_labels, tmp_path / "a.txt").problem


@pytest.mark.parametrize(
    ("lines", "labels", "n_notes"),
    [
        (["cat", "dog", "cat"], ["cat", "dog", "cat"], 1),
        (["3", "1", "2"], ["3", "1", "2"], 1),
        (["0.0e+00", "1.0e+00"], ["0.0e+00", "1.0e+00"], 1),
        (["animal", "dog", "cat"], ["dog", "cat"], 0),
        (["truth", "3", "1"], ["3", "1"], 0),
    ],
)
def test_first_line_is_a_label_if_it_looks_like_the_others(
    tmp_path, lines, labels, n_notes
):
    path = tmp_path / "a.csv"
    path.write_text("\n".join(lines) + "\n")
    found = read_labels(path)
    assert found.values.tolist() == labels
    assert len(found.notes) == n_notes
    assert all(f"'{lines[0]}', was taken" in note.problem for note in found.notes)
    assert all(isinstance(note, DataWarning) for note in found.notes)
    assert read_labels(path, layout=FileLayout(header=False)).values.tolist() == lines
    assert read_labels(path, column=lines[0]).values.tolist() == lines[1:]


def test_first_line_that_may_be_either_is_asked_about(tmp_path, refusal):
    path = tmp_path / "a.csv"
    for content in ("3\ncat\ndog\n", "0,3\n1,4\n"):
        path.write_text(content)
        assert refusal(read_labels, path).option == "header"
    path.write_text("true\ntrue\nfalse\n")
    error = refusal(read_labels, path)
    assert (error.option, error.location.line) == ("header", 1)
    assert read_labels(path, column="true").values.tolist() == ["true", "false"]


def test_column_is_found_named_or_asked_for(tmp_path, refusal):
    path = tmp_path / "a.csv"
    path.write_text(",file,Label\n0,a.jpg,cat\n1,b.jpg,dog\n")
    assert read_labels(path).values.tolist() == ["cat", "dog"]
    assert read_labels(path, column="file").values.tolist() == ["a.jpg", "b.jpg"]
    path.write_text("file,kind\na.jpg,cat\n")
    error = refusal(read_labels, path)
    assert "file and kind" in error.problem
    assert error.option == "label_column"
    assert "a.csv::NAME" in error.remedy
    assert refusal(read_labels, path, column="x").location.column == "x"
    error = refusal(read_labels, f"{path}::file", column="kind")
    assert "two columns" in error.problem


def test_the_place_of_a_label_is_its_line_or_its_row(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("label,x\na,1\nb,2\n")
    assert read_labels(path).place(1).line == 3
    path.write_text("3\n1\n2\n")
    assert read_labels(path).place(0).line == 1
    path.write_text("kind\ncat\n\ndog\n")
    assert read_labels(path, column="kind").place(2).line == 4
    np.save(tmp_path / "y.npy", np.arange(3))
    assert read_labels(tmp_path / "y.npy").place(1).row == 2


def test_column_is_a_position_without_header(tmp_path, refusal):
    path = tmp_path / "a.csv"
    path.write_text("a.jpg,cat\nb.jpg,dog\n")
    labels = read_labels(path, column="2", layout=FileLayout(header=False))
    assert labels.values.tolist() == ["cat", "dog"]
    for wrong in ("0", "3", "kind", "\u00b2", "9" * 5000):
        message = refusal(
            read_labels, path, column=wrong, layout=FileLayout(header=False)
        )
        assert "from 1 to 2" in message.remedy


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (np.array([2, 0, -1], dtype=np.int8), [2, 0, -1]),
        (np.array([2, 0], dtype=">u2"), [2, 0]),
        (np.array([1.0, 3.0], dtype=np.float32), [1, 3]),
        (np.array([[1], [2]]), [1, 2]),
        (np.array([b"a", b"\xc3\xa9"]), ["a", "\u00e9"]),
        (np.array(["a", "b"], dtype=">U3"), ["a", "b"]),
    ],
)
def test_arrays_of_labels_are_read(array, expected, tmp_path):
    np.save(tmp_path / "y.npy", array)
    values = read_labels(tmp_path / "y.npy").values
    assert values.tolist() == expected
    assert values.dtype == np.int64 or values.dtype.kind == "U"


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.array([1.0, 1.5, np.nan]), "row 2: 1.5 is no label (2 such)"),
        (np.array([1e300]), "is no label"),
        (np.array([-np.inf]), "is no label"),
        (np.array([True, False]), "y.astype(int)"),
        (np.array([2**64 - 1], dtype=np.uint64), "too large"),
        (np.eye(3), "argmax"),
        (np.zeros((2, 2, 2)), "one label per sample"),
        (np.array(3), "one label per sample"),
        (np.array([b"\xff"]), "not UTF-8"),
        (np.array([1, None]), "objects"),
        (np.array([0], dtype="M8[s]"), "dates"),
        (np.array([0xD800, 0xFFFFFFFF], dtype=np.uint32).view("<U1"), "row 1"),
        (np.array([65, 66, 67, 2**31], dtype=np.uint32).view("<U2"), "row 2"),
    ],
)
def test_row_31_what_cannot_be_a_label_is_refused(array, words, tmp_path, refusal):
    np.save(tmp_path / "y.npy", array)
    assert words in str(refusal(read_labels, tmp_path / "y.npy"))


def test_arrays_without_a_usual_name_are_listed(tmp_path, refusal):
    np.savez(tmp_path / "a.npz", foo=np.arange(3), bar=np.arange(4))
    assert "foo: int64 (3,)" in refusal(read_labels, tmp_path / "a.npz").problem
    assert read_labels(f"{tmp_path / 'a.npz'}::bar").values.size == 4


def test_one_long_label_does_not_cost_its_length_on_every_row(
    tmp_path, monkeypatch, memory_below
):
    monkeypatch.setattr(arrays, "_FIXED_WIDTH_LIMIT", 2**20)
    path = tmp_path / "a.txt"
    path.write_text("x" * 10_000 + "\n" + "a\n" * 10_000)
    with memory_below(8 * 2**20):
        values = read_labels(path).values
    assert values.dtype == object
    assert values[1] == "a"
    assert len(np.unique(values)) == 2


def test_null_characters_do_not_merge_labels():
    assert arrays.text_array(["a", "a\0"]).tolist() == ["a", "a\0"]
