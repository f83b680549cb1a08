"""Files of every kind, damaged in many ways: an answer or one line, never a fault.

Each kind is damaged 200 times here, 20,000 times in the slow lane; what once was a
fault is kept in `tests/corpus` and tried again.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from scorecast.cli.biclusters import _set
from scorecast.cli.main import _run
from scorecast.exceptions import ScorecastError
from scorecast.io import (
    FileLayout,
    read_class_weights,
    read_columns,
    read_costs,
    read_dataset,
    read_labels,
    read_matrix,
    read_new_samples,
    read_results,
    read_scores,
    read_survival,
)
from scorecast.scores.stored_rows import check_rows

MANY = [
    200,
    pytest.param(20_000, marks=[pytest.mark.slow, pytest.mark.timeout(3600)]),
]
CORPUS = Path(__file__).parents[1] / "corpus"
LAYOUT = FileLayout(max_bytes=2**22)
RNG = np.random.default_rng(0)
OWN = np.arange(12) % 3
SCORES = RNG.normal(size=(12, 3)) + 2 * np.eye(3)[OWN]
COLUMNS = {f"logit_{c}": SCORES[:, i] for i, c in enumerate("abc")}
TEXT = [["label", *COLUMNS]] + [
    ["abc"[y], *(f"{x:.4f}" for x in row)] for y, row in zip(OWN, SCORES, strict=True)
]


def arrays(save, **given):
    stream = io.BytesIO()
    save(stream, *given.pop("only", ()), **given)
    return stream.getvalue()


def arrow(write, *given, **facts):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"label": ["abc"[y] for y in OWN], **COLUMNS})
    stream = io.BytesIO()
    write(pyarrow, table, stream)
    return stream.getvalue()


def parquet(pyarrow, table, stream):
    __import__("pyarrow.parquet")
    pyarrow.parquet.write_table(table, stream)


def ipc(pyarrow, table, stream):
    with pyarrow.ipc.new_file(stream, table.schema) as writer:
        writer.write_table(table)


def feather(pyarrow, table, stream):
    __import__("pyarrow.feather")
    pyarrow.feather.write_feather(table, stream)


def tensors():
    numpy = pytest.importorskip("safetensors.numpy")
    return numpy.save({"scores": SCORES, "labels": OWN})


def text(rows, mark=","):
    return "".join(mark.join(map(str, row)) + "\n" for row in rows).encode()


def times():
    rows = [[f"{x:.3f}", i % 3 > 0, i] for i, x in enumerate(RNG.exponential(9, 12))]
    return text([["time", "event", "age"], *rows])


def results():
    rows = [[f"i{i}", *(f"{x:.3f}" for x in row)] for i, row in enumerate(SCORES)]
    return text([["item", "A", "B", "C"], *rows])


def curve():
    rows = [[2, 0.95, 100], [5, 0.9, 100], [10, 0.8, 100], [20, 0.7, 100]]
    return text([["classes", "accuracy", "n_samples"], *rows])


def biclusters():
    return json.dumps([[[0, 1, 2], [0, 1]], [[3, 4], [1, 2, 5]]]).encode()


def by_library(*readers) -> Callable[[Path], None]:
    def read(path):
        n_refused = 0
        for reader in readers:
            try:
                reader(path)
            except ScorecastError as error:
                n_refused += 1
                if error.exit_code != 3 or path.name not in str(error):
                    raise AssertionError(f"{type(error).__name__}: {error}") from error
        return n_refused > 0

    return read


def by_command(*arguments):
    def read(path):
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            code = _run([str(path) if x == "FILE" else x for x in arguments])
        assert code in (0, 3, 4), said.getvalue()
        assert code != 3 or path.name in said.getvalue(), said.getvalue()
        return code != 0

    return read


def scores(path):
    return read_scores(path, layout=LAYOUT)


def whole(path):
    read_results(path, layout=LAYOUT)


def vectors():
    pyarrow = pytest.importorskip("pyarrow")
    stream = io.BytesIO()
    parquet(pyarrow, pyarrow.table({"vector": list(SCORES)}), stream)
    return stream.getvalue()


def zarr_part(name):
    """Return a maker of a part of an array of Zarr, and what reads it with the rest."""

    def array(folder):
        zarr = pytest.importorskip("zarr")
        array = zarr.create_array(str(folder), shape=(12, 3), dtype="f8", chunks=(5, 3))
        array[:] = SCORES

    def make():
        with tempfile.TemporaryDirectory() as folder:
            array(Path(folder) / "a.zarr")
            return (Path(folder) / "a.zarr" / name).read_bytes()

    def read(path):
        folder = path.with_name(f"{path.name}.zarr")
        if not folder.exists():
            array(folder)
        (folder / name).write_bytes(path.read_bytes())
        check_rows(folder, parameter="gallery")

    return make, by_library(read)


# Files beside the data ---------------------------------------------------------------


def weights(name, *rows):
    return text([[name, "weight"], *rows])


def beside(arguments, **files):
    """Return what runs a command in the folder of the damaged file, among others."""
    words = arguments.split()

    def read(path):
        for name, content in files.items():
            other = path.parent / f"{name}.csv"
            if not other.exists():
                other.write_bytes(content)
        given = [str(path) if x == "FILE" else x for x in words]
        for i, word in enumerate(given):
            if word.removesuffix(".csv") in files:
                given[i] = str(path.parent / word)
        return by_command(*given, "--quiet")(path)

    return read


def chances():
    """Return probabilities of three classes, which it was, and a group."""
    p = np.exp(SCORES) / np.exp(SCORES).sum(axis=1, keepdims=True)
    rows = [
        [*(f"{x:.6f}" for x in row), "abc"[y], "uv"[i % 2]]
        for i, (row, y) in enumerate(zip(p, OWN, strict=True))
    ]
    return text([["p_a", "p_b", "p_c", "y", "half"], *rows])


FORECASTS = (
    "information odds.csv --probability p_a=a --probability p_b=b --probability p_c=c "
    "--label-column y --normalize --quick"
)
MATRIX = text([list("abcdef"), *np.round(RNG.normal(size=(8, 6)), 3)])
FOUND = "biclusters m.csv --found found.csv --random-sets 2"
TERMS = [["row", "term"], *([i, "TU"[i % 2]] for i in range(6))]
NEW = [["age", "who"], *([30 + 7 * i, f"n{i}"] for i in range(8))]


def new_samples(path):
    old = path.with_name("old.csv")
    if not old.exists():
        old.write_bytes(times())
    known = read_survival(old, "time", "event", layout=LAYOUT)
    read_new_samples(path, known, layout=LAYOUT)


CURVE = ("extrapolate", "--curve", "FILE", "--to", "50", "--quiet")
ARRAYS = (scores, lambda path: read_labels(path, layout=LAYOUT))
TABLES = (scores, whole, lambda path: read_dataset(path, "label", layout=LAYOUT))
KINDS = {
    "scores.csv": (lambda: text(TEXT), by_library(*TABLES)),
    "scores.tsv": (lambda: text(TEXT, "\t"), by_library(*TABLES)),
    "scores.npy": (
        lambda: arrays(np.save, only=(SCORES,)),
        by_library(lambda path: read_matrix(path, layout=LAYOUT)),
    ),
    "labels.npy": (
        lambda: arrays(np.save, only=(np.array([*"abcabc"]),)),
        by_library(lambda path: read_labels(path, layout=LAYOUT)),
    ),
    "scores.npz": (
        lambda: arrays(np.savez, scores=SCORES, labels=OWN, classes=[*"abc"]),
        by_library(*ARRAYS),
    ),
    "packed.npz": (
        lambda: arrays(np.savez_compressed, scores=SCORES, labels=OWN),
        by_library(*ARRAYS),
    ),
    "scores.parquet": (lambda: arrow(parquet), by_library(*TABLES)),
    "vectors.parquet": (
        vectors,
        by_library(lambda path: check_rows(path, parameter="gallery")),
    ),
    "zarr.json": zarr_part("zarr.json"),
    "zarr.chunk": zarr_part("c/0/0"),
    "scores.arrow": (lambda: arrow(ipc), by_library(*TABLES)),
    "scores.feather": (lambda: arrow(feather), by_library(*TABLES)),
    "scores.safetensors": (tensors, by_library(*ARRAYS)),
    "times.csv": (
        times,
        by_library(
            lambda path: read_survival(path, "time", "event", layout=LAYOUT),
            lambda path: read_columns(path, ["time"], ["event"], layout=LAYOUT),
        ),
    ),
    "results.csv": (results, by_command("compare", "FILE", "--quiet")),
    "curve.csv": (
        curve,
        by_command(*CURVE, "--method", "probit-line"),
    ),
    "points.csv": (curve, by_command(*CURVE, "--method", "bayesian")),
    "found.json": (
        biclusters,
        by_library(lambda path: _set(str(path), (8, 6))),
    ),
    "truth.json": (
        biclusters,
        beside(f"{FOUND} --truth FILE", m=MATRIX, found=biclusters()),
    ),
    "terms.csv": (
        lambda: text(TERMS),
        beside(f"{FOUND} --annotations FILE", m=MATRIX, found=biclusters()),
    ),
    "costs.csv": (
        lambda: text(
            [["", *"abc"], *([c, *(2 * (c != d) for d in "abc")] for c in "abc")]
        ),
        by_library(lambda path: read_costs(path, [*"abc"], layout=LAYOUT)),
    ),
    "costs.npy": (
        lambda: arrays(np.save, only=(1 - np.eye(3),)),
        by_library(lambda path: read_costs(path, [*"abc"], layout=LAYOUT)),
    ),
    "weights.csv": (
        lambda: weights("class", ["a", 3], ["b", 0.5], ["c", 0]),
        by_library(lambda path: read_class_weights(path, [*"abc"], layout=LAYOUT)),
    ),
    "weights.npy": (
        lambda: arrays(np.save, only=(np.array([3, 0.5, 0]),)),
        by_library(lambda path: read_class_weights(path, [*"abc"], layout=LAYOUT)),
    ),
    "prior.csv": (
        lambda: text([["class", "probability"], ["a", 0.5], ["b", 0.25], ["c", 0.25]]),
        beside(f"{FORECASTS} --prior FILE", odds=chances()),
    ),
    "prior.npy": (
        lambda: arrays(np.save, only=(np.array([0.5, 0.25, 0.25]),)),
        beside(f"{FORECASTS} --prior FILE", odds=chances()),
    ),
    "train.csv": (
        lambda: text([["label"], *[[c] for c in "abcabcaab"]]),
        beside(f"{FORECASTS} --train-labels FILE", odds=chances()),
    ),
    "groups.csv": (
        lambda: weights("group", ["u", 0.25], ["v", 0.75]),
        beside(
            f"{FORECASTS} --leave-one-out --groups half --group-weights FILE",
            odds=chances(),
        ),
    ),
    "new.csv": (lambda: text(NEW), by_library(new_samples)),
}
TELLING = list(b'\x00\x80\xff,;\t\n\r"-+.19eE()[]{}')


def mutated(content: bytes, rng: random.Random) -> bytes:
    """Return a file of which a few bytes were altered, put in, lost or repeated."""
    data = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 4])):
        at = rng.choice([rng.randrange(len(data) + 1), rng.randrange(64)])
        if rng.random() < 0.3:  # where archives and Parquet have their tables
            at = max(0, len(data) - rng.randrange(1, 400))
        byte = rng.choice([rng.randrange(256), rng.choice(TELLING)])
        match rng.randrange(6):
            case 0 | 1 if at < len(data):
                data[at] = byte
            case 2 if at < len(data):
                data[at] ^= 1 << rng.randrange(8)
            case 3:
                data[at:at] = bytes([byte]) * rng.choice([1, 1, 3, 40])
            case 4:
                del data[at : at + rng.choice([1, 4, 40])]
            case _:
                data[at:at] = data[at : at + rng.choice([1, 8, 40])]
    return bytes(data[: rng.randrange(len(data) + 1)] if rng.random() < 0.1 else data)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cases", MANY)
@pytest.mark.filterwarnings("ignore")
def test_a_damaged_file_is_read_or_refused(tmp_path, capsys, kind, cases):
    make, read = KINDS[kind]
    content, rng, path = make(), random.Random(kind), tmp_path / kind
    path.write_bytes(content)
    assert not read(path), "it is refused as it is"
    n_refused = 0
    for case in range(cases):
        path.write_bytes(mutated(content, rng))
        try:
            n_refused += read(path)
        except BaseException:
            (tmp_path / f"{case}-{kind}").write_bytes(path.read_bytes())
            raise
        if case % 100 == 0:
            capsys.readouterr()
    assert n_refused > cases / 10


# What was a fault once ---------------------------------------------------------------

SCORED = "extrapolate {} --to 50 --method bayesian --backtest 0"
GOES_ON = (
    "information odds.csv --probability p --label-column y --leave-one-out --chains 2 "
    "--draws 50 --max-seconds 0 --allow-unconverged --quiet --checkpoint {}"
)
ONCE = {
    "beyond-floats.csv": (SCORED, 3, "inf is not finite"),
    "centre-of-no-view.json": ("report {} --out a.html", 3, "none of the views"),
    "class-called-class.csv": (SCORED, 0, "On 3 classes"),
    "classes-na-true-null.csv": (SCORED, 0, "On 3 classes"),
    "classes-true-false.csv": (SCORED, 0, "On 2 classes"),
    "deep.json": ("report {} --out a.html", 3, "levels"),
    "latin-1.csv": (SCORED, 3, "UTF-8"),
    "list.ck": (GOES_ON, 3, "remove it to start anew"),
    "no-runs.ck": (GOES_ON, 3, "remove it to start anew"),
    "odd-header.ck": (GOES_ON, 3, "remove it to start anew"),
    "password.ck": (GOES_ON, 3, "it is encrypted"),
    "rows-that-are-text.json": ("biclusters m.csv --found {}", 3, "a list of numbers"),
    "rows-of-several-lengths.json": (
        "biclusters m.csv --found {}",
        3,
        "a list of numbers",
    ),
    "stage-of-text.ck": (GOES_ON, 3, "remove it to start anew"),
    "target-na-null.csv": (
        "assess {} --target y --model naive-bayes --quick",
        0,
        "'NA' and 'null' (40 such) taken as labels",
    ),
    "unknown-packing.ck": (GOES_ON, 3, "packed by method 2048"),
}


@pytest.mark.parametrize("name", [path.name for path in sorted(CORPUS.iterdir())])
def test_what_was_a_fault_once_is_none(tmp_path, monkeypatch, run, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes((CORPUS / name).read_bytes())
    cases = zip(RNG.uniform(0.1, 0.9, 20), RNG.uniform(size=20) < 0.5, strict=True)
    rows = [[f"{p:.3f}", int(y)] for p, y in cases]
    (tmp_path / "odds.csv").write_bytes(text([["p", "y"], *rows]))
    (tmp_path / "m.csv").write_bytes(text([["a", "b", "c"], *SCORES]))
    command, code, words = ONCE[name]
    found, out, err = run(*command.format(name).split())
    assert found == code, err
    assert words.lower() in " ".join((out + err).split()).lower()
    assert code == 0 or (name in err and err.count("\n") == 1)
