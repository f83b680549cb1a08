"""Any bytes at all: a value or one line, never another error, never much memory."""

from __future__ import annotations

import gzip
import io
import json
import tracemalloc
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from scorecast.exceptions import InvalidInputError, MissingExtraError
from scorecast.io import FileLayout, read_json, read_labels, read_matrix, read_scores

LIMIT = 2**20
ALLOWANCE = 16 * 2**20  # the limit, copies of it, and what Python itself takes

SCORES = np.random.default_rng(0).normal(size=(4, 3))
LABELS = np.array(["a", "b", "NA", "a"])
READERS = (read_matrix, read_labels, read_scores)


def npy_bytes(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def npz_bytes(save, **arrays):
    stream = io.BytesIO()
    save(stream, **arrays)
    return stream.getvalue()


CSV = [
    b"label,a,b\nx,1,2\ny,3.5,-inf\n",
    b'"label";"a";"b"\r\n"x\ny";1,5;2\r\nz;3;4e1\r\n',
    b"\xef\xbb\xbflogit_0\tlogit_1\ty\n1\t2\tNA\n",
]
VALID = {
    ".npy": [npy_bytes(SCORES), npy_bytes(LABELS), npy_bytes(SCORES.astype(">f2"))],
    ".npz": [
        npz_bytes(np.savez, scores=SCORES, y=LABELS),
        npz_bytes(
            np.savez_compressed, logits=SCORES, y=[0, 1, 2, 0], classes=[7, 8, 9]
        ),
    ],
    ".csv": CSV,
    ".csv.gz": [gzip.compress(text, mtime=0) for text in CSV],
    ".txt": [b"a\r\nNA\n\n007\n"],
    ".json": [json.dumps({"a": [1, 2.5, None, {"b": "\u00e9"}], "c": True}).encode()],
}
ENDINGS = [*VALID, ".tsv", ".parquet", ".arrow", ".feather", ".safetensors"]
TELLING = st.sampled_from(list(b'\x00\x80\xff,;\t\n\r"-+.19eE()[]{}'))

edits = st.lists(
    st.tuples(
        st.sampled_from(["set", "insert", "delete", "cut", "repeat"]),
        st.integers(0, 2**16),
        st.integers(1, 40),
        TELLING | st.integers(0, 255),
    ),
    min_size=1,
    max_size=6,
)


def mutated(content: bytes, changes) -> bytes:
    data = bytearray(content)
    for kind, where, length, value in changes:
        place = where % (len(data) + 1)
        if kind == "set" and place < len(data):
            data[place] = value
        elif kind == "insert":
            data[place:place] = bytes([value]) * length
        elif kind == "delete":
            del data[place : place + length]
        elif kind == "cut":
            del data[place:]
        elif kind == "repeat":
            data[place:place] = data[place : place + length]
    return bytes(data)


def check_readers(path, content, options):
    path.write_bytes(content)
    readers = (read_json,) if path.suffix == ".json" else READERS
    for reader in readers:
        chosen: dict[str, object] = {"max_bytes": LIMIT}
        if reader is not read_json:
            knobs = {k: options[k] for k in ("header", "decimal") if k in options}
            scores_only = knobs if reader is read_scores else {}
            chosen = {"layout": FileLayout(max_bytes=LIMIT, **scores_only)}
        if reader is read_scores and "drop_nonfinite" in options:
            chosen["drop_nonfinite"] = options["drop_nonfinite"]
        tracemalloc.start()
        try:
            reader(path, **chosen)
        except MissingExtraError:
            pass
        except InvalidInputError as error:
            message = str(error)
            assert "\n" not in message
            assert "allow_pickle" not in message
            place = str(error.location)
            assert place.startswith(str(path))
        finally:
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        assert peak < ALLOWANCE


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


options = st.fixed_dictionaries(
    {
        "header": st.booleans(),
        "drop_nonfinite": st.booleans(),
        "decimal": st.sampled_from(".,"),
    }
)
quick = settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.mark.parametrize("suffix", ENDINGS)
@given(content=st.binary(max_size=400), options=options)
@quick
def test_random_bytes(suffix, content, options, folder):
    check_readers(folder / f"a{suffix}", content, options)


@pytest.mark.parametrize("suffix", VALID)
@given(data=st.data(), changes=edits, options=options)
@settings(quick, max_examples=100)
def test_mutated_files(suffix, data, changes, options, folder):
    content = data.draw(st.sampled_from(VALID[suffix]))
    check_readers(folder / f"a{suffix}", mutated(content, changes), options)


@given(
    shape=st.lists(st.integers(-3, 2**70), max_size=4),
    dtype=st.sampled_from(["<f8", ">f4", "|b1", "<U3", "<U999999", "|O", "|V8", "<c16"])
    | st.text("<>|=?biufcSUVOMm0123456789[]", max_size=8),
    fortran=st.sampled_from([True, False, None, 1]),
    version=st.sampled_from([b"\x01\x00", b"\x02\x00", b"\x03\x00"]),
    body=st.binary(max_size=64),
)
@settings(quick, max_examples=100)
def test_invented_headers(shape, dtype, fortran, version, body, folder):
    header = {"descr": dtype, "fortran_order": fortran, "shape": tuple(shape)}
    text = repr(header).encode()
    width = 2 if version == b"\x01\x00" else 4
    content = b"\x93NUMPY" + version + len(text).to_bytes(width, "little") + text + body
    check_readers(folder / "a.npy", content, {})


@given(
    text=st.text(st.sampled_from('ab01.,;-e"\n\r\t \u00e9NaIf'), max_size=120),
    options=options,
)
@settings(quick, max_examples=150)
def test_texts_made_of_what_tables_are_made_of(text, options, folder):
    check_readers(folder / "a.csv", text.encode(), options)


@given(
    value=st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5),
        lambda child: st.lists(child) | st.dictionaries(st.text(max_size=3), child),
        max_leaves=8,
    )
)
@quick
def test_json_of_any_shape(value, folder):
    check_readers(folder / "a.json", json.dumps(value).encode(), {})


@given(
    labels=st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
        | st.sampled_from(
            ["NA", "nan", "007", "7", "TRUE", "", "1e5", '"', "a,b", "\r"]
        ),
        min_size=1,
    )
)
@quick
def test_labels_survive_any_table(labels, folder):
    import csv

    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    writer.writerow(["label", "s_1", "s_2"])
    writer.writerows([label, i, -i] for i, label in enumerate(labels))
    path = folder / "labels.csv"
    path.write_bytes(stream.getvalue().encode())
    if not all(label.strip() for label in labels):
        with pytest.raises(InvalidInputError, match="the label is missing"):
            read_scores(path)
        return
    scores = read_scores(path)
    assert scores.y_true.tolist() == labels
    assert scores.values[:, 0].tolist() == list(range(len(labels)))


def test_no_warning_escapes(folder):
    path = folder / "a.npy"
    path.write_bytes(b"\x93NUMPY\x01\x00\x0b\x00{'\\d': 1or}")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_readers(path, path.read_bytes(), {})
