"""Sixty faults of inputs and machines, and what happens: one row or more for each.

A row makes its files, runs one command and says which exit code and words must follow.
Where the answer is another one than one might expect, on purpose, the row says why. Of
what needs processes of its own, the row names the test that looks after it.
"""

from __future__ import annotations

import dataclasses
import io
import re
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import scorecast as sc

ASK = "extrapolate {} --to 50 --method bayesian --backtest 0"
ASSESS = "assess {} --target y --model naive-bayes --quick --cv 3"
RNG = np.random.default_rng(0)
OWN = np.arange(24) % 3
SCORES = RNG.normal(size=(24, 3)) + 2 * np.eye(3)[OWN]
TESTS = Path(__file__).parents[1]


@dataclasses.dataclass(frozen=True)
class Fault:
    """A fault, and what must follow."""

    number: int
    make: Callable[[Path], object]  # given the path of the file
    file: str
    command: str = ASK
    code: int = 3
    words: tuple[str, ...] = ()
    on_purpose: str = ""  # why the answer is not what one might expect
    needs: str = ""  # a package


@dataclasses.dataclass(frozen=True)
class Elsewhere:
    """A fault that a test of its own looks after."""

    number: int
    place: str  # file::test


def text(content, encoding="utf-8"):
    return lambda path: path.write_bytes(content.encode(encoding))


def raw(content):
    return lambda path: path.write_bytes(content)


def npy(array, **facts):
    return lambda path: np.save(path, array, **facts)


def npz(**arrays):
    return lambda path: np.savez(path, **arrays)


def table(
    classes="abc", scores=SCORES, own=OWN, mark=",", labels=None, end="\n", name="truth"
):
    """Write scores of classes with their labels as a text table."""
    labels = [classes[i] for i in own] if labels is None else labels

    def quoted(cell):
        if not re.search('[,;"\n\r]', cell):
            return cell
        doubled = cell.replace('"', '""')
        return f'"{doubled}"'

    def make(path):
        rows = [[name, *classes]]
        rows += [
            [y, *(f"{x:.4f}" for x in row)]
            for y, row in zip(labels, scores, strict=True)
        ]
        text = end.join(mark.join(map(quoted, row)) for row in rows) + end
        path.write_text(text, newline="")

    return make


def changed(old, new, **facts):
    """Write such a table of which a part of the text is another one."""

    def make(path):
        table(**facts)(path)
        content = path.read_text()
        assert old in content
        path.write_text(content.replace(old, new, 1))

    return make


def npy_header(shape, dtype="<f8", length=None):
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}}}"
    raw_header = header.encode()
    size = len(raw_header) if length is None else length
    return raw(b"\x93NUMPY\x01\x00" + struct.pack("<H", size) + raw_header + bytes(64))


def bomb(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        stream = io.BytesIO()
        np.lib.format.write_array_header_1_0(
            stream, {"descr": "<f8", "fortran_order": False, "shape": (10**4, 1200)}
        )
        archive.writestr("scores.npy", stream.getvalue() + bytes(96 * 10**6))


def altered(at, value):
    """Write an archive with a byte of its list of members altered."""

    def make(path):
        np.savez(path, scores=SCORES, labels=OWN)
        data = bytearray(path.read_bytes())
        data[data.index(b"PK\x01\x02") + at] = value
        path.write_bytes(data)

    return make


def evil(path):
    np.savez(path, **{"../../evil": SCORES, "labels": OWN})


def folder(path):
    path.mkdir()


def nothing(path):
    pass


def data(y, n_columns=2, header=None, repeat=None):
    """Write a data set with features and a target."""

    def make(path):
        X = np.random.default_rng(3).normal(size=(len(y), n_columns))
        if repeat is not None:
            X[repeat:] = X[0]
        rows = [header or [*(f"x{i}" for i in range(n_columns)), "y"]]
        rows += [
            [*(f"{x:.3f}" for x in row), label] for row, label in zip(X, y, strict=True)
        ]
        path.write_text("".join(",".join(map(str, row)) + "\n" for row in rows))

    return make


def embeddings(gallery, probes=None):
    def make(path):
        np.save(path, gallery)
        np.save(path.with_name("probes.npy"), gallery if probes is None else probes)
        own = "\n".join(map(str, range(len(gallery))))
        path.with_name("own.csv").write_text(f"label\n{own}\n")

    return make


EMBED = (
    "extrapolate --gallery {} --gallery-labels own.csv --probes probes.npy "
    "--labels own.csv --to 50 --backtest 0"
)
PROBS = np.abs(SCORES) / np.abs(SCORES).sum(axis=1, keepdims=True)
FORECASTS = "information {} --leave-one-out --quick"


def forecasts(probs, own=OWN):
    return npz(probs=probs, labels=own)


def results(values, names="AB"):
    def make(path):
        rows = [[f"d{i}", *row] for i, row in enumerate(values)]
        path.write_text(
            "".join(",".join(map(str, row)) + "\n" for row in [["item", *names], *rows])
        )

    return make


LONG = "x" * 10_000
FLAT = np.zeros((24, 3))
NAN = np.where(np.arange(72).reshape(24, 3) == 5, np.nan, SCORES)
NO_HOPE = np.where(np.arange(24)[:, None] == 4, -np.inf, SCORES)
RIGHT = 5 * np.eye(3)[OWN] + RNG.normal(size=(24, 3)) / 9
TWO_CLASSES = ["a", "b"] * 12

FAULTS: list[Fault | Elsewhere] = [
    Fault(1, nothing, "a.npz", words=("does not exist", "check the path")),
    Fault(1, folder, "a.npz", words=("is a directory",)),
    Fault(2, raw(b""), "a.csv", words=("empty",)),
    Fault(2, raw(b""), "a.npz", words=("empty",)),
    Fault(3, text("1,2\n3,4\n"), "a.npy", words=("text",)),
    Fault(
        4,
        npy(np.array([{1}, {2}]), allow_pickle=True),
        "a.npy",
        words=("Python objects",),
    ),
    Fault(5, npy_header("(10000000000000, 3)"), "a.npy", words=("cut short",)),
    Fault(6, npy_header(f"({2**40}, {2**40})"), "a.npy", words=("cut short",)),
    Fault(6, npy_header("(-4, 3)"), "a.npy", words=("impossible",)),
    Fault(
        7,
        lambda path: (npy(SCORES)(path), path.write_bytes(path.read_bytes()[:-9])),
        "a.npy",
        words=("cut short", "576 bytes"),
    ),
    Fault(8, npy_header("(" * 60_000), "a.npy", words=("header claims",)),
    Fault(8, npy_header("(" * 2_000), "a.npy", words=("cannot be understood",)),
    Fault(9, bomb, "a.npz", words=("would unpack from",)),
    Fault(
        10,
        evil,
        "a.npz",
        words=("../../evil: float64", "--key"),
    ),
    Fault(
        11,
        npz(one=SCORES, two=SCORES, labels=OWN),
        "a.npz",
        words=("one: float64 (24, 3)", "--key"),
    ),
    Fault(12, altered(8, 1), "a.npz", words=("encrypted",)),
    Fault(12, altered(16, 77), "a.npz", words=("damaged",)),
    Fault(12, altered(10, 99), "a.npz", words=("packed by method 99",)),
    Fault(
        13,
        raw(struct.pack("<Q", 10**12) + b"{}"),
        "a.safetensors",
        words=("damaged",),
        needs="safetensors",
    ),
    *(
        Fault(14, raw(b"\x80\x04."), f"a{end}", words=("convert it once", "python -c"))
        for end in (".pt", ".pkl", ".joblib", ".h5")
    ),
    Fault(15, table(name="\ufefftruth", end="\r\n"), "a.csv", code=0),
    Fault(15, table(mark=";"), "a.csv", code=0),
    Fault(
        15,
        lambda path: (
            table(mark=";")(path),
            path.write_text(path.read_text().replace(".", ",")),
        ),
        "a.csv",
        words=("--decimal",),
    ),
    Fault(16, changed("\n", ",1\n"), "a.csv", words=("line 2",)),
    Fault(16, changed(".", ".x"), "a.csv", words=("line 2", "column 'a'")),
    Fault(
        16,
        lambda path: path.write_text("truth,a,b\na,1,2\nb,,3\n"),
        "a.csv",
        words=("line 3", "column 'a'", "empty"),
    ),
    Fault(17, text("truth,a,b\n"), "a.csv", words=("rows",)),
    Fault(17, text("a,1,2\nb,2,1\n"), "a.csv", words=("which one holds the labels",)),
    Fault(17, text("truth\na\nb\n"), "a.csv", words=("column",)),
    Fault(
        18, text("truth,a,a\na,1,2\n"), "a.csv", words=("repeated column names 'a'",)
    ),
    *(
        Fault(
            19,
            text(f"truth,a,b\na,1,2\nb,{x},3\na,3,1\n"),
            "a.csv",
            words=("not finite", "line 3", "--drop-nonfinite"),
        )
        for x in ("1e999", "inf", "nan")
    ),
    Fault(20, table(("NA", "007", "7")), "a.csv", code=0),
    Fault(20, table(("None", "TRUE", "1e5")), "a.csv", code=0),
    Fault(21, table(("</script>", 'j"x', "\u202eabc")), "a.csv", code=0),
    Fault(21, table(("a\nb", "\U0001f600", "c")), "a.csv", code=0),
    Fault(21, table((LONG, "b", "c")), "a.csv", code=0),
    Elsewhere(22, "io/test_io_writing.py::test_cells_that_a_spreadsheet_would_run"),
    Fault(23, table(("$x_{$", "_hidden", "[red]")), "a.csv", code=0),
    Fault(24, table(("caf\u00e9", "cafe\u0301", "c")), "a.csv", code=0),
    Fault(
        25, npz(scores=NAN, labels=OWN), "a.npz", words=("nan is not finite", "row 2")
    ),
    Fault(
        26,
        npz(scores=np.where(SCORES < -1, -np.inf, SCORES), labels=OWN),
        "a.npz",
        code=0,
    ),
    Fault(
        26, npz(scores=NO_HOPE, labels=OWN), "a.npz", words=("no class is possible",)
    ),
    Fault(27, forecasts(PROBS * 1.1), "a.npz", FORECASTS, words=("sum",)),
    Fault(27, forecasts(PROBS - 0.4), "a.npz", FORECASTS, words=("probabilit",)),
    Fault(28, forecasts(SCORES), "a.npz", FORECASTS, words=("probabilit",)),
    Fault(
        29,
        forecasts(np.eye(3)[(OWN + (np.arange(24) == 0)) % 3]),
        "a.npz",
        FORECASTS,
        code=0,
        words=("probability 0 to what happened",),
    ),
    *(
        Fault(30, npz(scores=(9 * abs(SCORES)).astype(t), labels=OWN), "a.npz", code=0)
        for t in ("f2", "i1", "u8", ">f8")
    ),
    Fault(30, npz(scores=SCORES + 1j, labels=OWN), "a.npz", words=("complex",)),
    Fault(31, npz(scores=SCORES, labels=OWN - 1), "a.npz", words=("-1",)),
    Fault(
        31, npz(scores=SCORES, labels=OWN + 0.5), "a.npz", words=("0.5 is no label",)
    ),
    Fault(31, npz(scores=SCORES, labels=OWN * 1.0), "a.npz", code=0),
    Fault(
        32, npz(scores=SCORES, labels=OWN[:20]), "a.npz", words=("24 rows", "20 labels")
    ),
    Fault(33, npz(scores=SCORES.T, labels=OWN), "a.npz", words=("scores.T",)),
    Fault(33, npz(scores=SCORES[:, 0], labels=OWN), "a.npz", words=("matrix",)),
    Fault(33, npz(scores=SCORES[None], labels=OWN), "a.npz", words=("matrix",)),
    Fault(34, npz(scores=SCORES[:0], labels=OWN[:0]), "a.npz", words=("empty",)),
    Fault(
        34, npz(scores=SCORES[:, :1], labels=OWN * 0), "a.npz", words=("at least two",)
    ),
    Fault(34, npz(scores=SCORES[:, :2], labels=OWN % 2), "a.npz", code=0),
    Fault(35, npz(scores=SCORES, labels=OWN % 2), "a.npz", code=0),
    Fault(30, npz(scores=SCORES > 1, labels=OWN), "a.npz", code=0),
    Fault(
        36, npz(scores=SCORES, labels=OWN * 0), "a.npz", code=4, words=("one class",)
    ),
    Fault(36, data(["a"] * 12), "a.csv", ASSESS, code=4, words=("class",)),
    Fault(
        37,
        npz(scores=FLAT, labels=OWN),
        "a.npz",
        code=4,
        words=("1 / k of the time",),
        on_purpose="nothing is told apart, and that is all a forecast could say",
    ),
    Fault(37, npz(scores=SCORES.round(), labels=OWN), "a.npz", code=0, words=("tie",)),
    Fault(38, npz(scores=RIGHT, labels=OWN), "a.npz", code=0, words=("100 %",)),
    Fault(38, npz(scores=-RIGHT, labels=OWN), "a.npz", code=0),
    *(
        Fault(
            39,
            npz(scores=SCORES, labels=OWN),
            "a.npz",
            f"extrapolate {{}} --to={to}",
            code=2,
            words=("--to",),
        )
        for to in ("0", "-3", "1.5")
    ),
    Fault(
        39,
        npz(scores=SCORES, labels=OWN),
        "a.npz",
        "extrapolate {} --to=1",
        code=2,
        words=("1 is not in the range x>=2",),
        on_purpose="with one class every answer is right: there is nothing to forecast",
    ),
    Fault(
        39,
        npz(scores=SCORES, labels=OWN),
        "a.npz",
        "extrapolate {} --to=2 --backtest 0",
        code=0,
        words=("observed",),
    ),
    Fault(
        39,
        npz(scores=SCORES, labels=OWN),
        "a.npz",
        "extrapolate {} --to=1e12 --backtest 0 --method bayesian",
        code=0,
        words=("beyond the data",),
    ),
    Fault(
        40,
        data(TWO_CLASSES, repeat=18),
        "a.csv",
        ASSESS,
        code=0,
        words=("samples repeat the features of another",),
    ),
    Fault(
        41,
        embeddings(np.zeros((6, 2))),
        "g.npy",
        EMBED + " --metric cosine",
        words=("all zeros (6 such rows)",),
    ),
    Fault(41, embeddings(np.full((6, 2), np.nan)), "g.npy", EMBED, words=("finite",)),
    Fault(41, embeddings(RNG.normal(size=(6, 1))), "g.npy", EMBED, code=0),
    Elsewhere(42, "cli/test_faults.py::test_no_count_and_no_difference_wraps"),
    Fault(
        43,
        data(TWO_CLASSES),
        "a.csv",
        "assess {} --target y --quick "
        "--model sklearn.neighbors:KNeighborsClassifier(n_neighbors=500)",
        code=4,
        words=("n_neighbors",),
    ),
    Fault(
        44,
        data(TWO_CLASSES),
        "a.csv",
        "assess {} --target y --quick --model sklearn.svm:LinearSVC() "
        "--scoring log_loss",
        words=("probabilities",),
    ),
    Fault(
        45,
        data(TWO_CLASSES[:4]),
        "a.csv",
        "assess {} --target y --quick --model naive-bayes --cv 10",
        code=4,
        words=("Take cv4",),
    ),
    Fault(
        46,
        results([[0.5, 0.5]] * 8),
        "a.csv",
        "compare {}",
        code=0,
        words=("no difference",),
    ),
    Fault(46, results([[0.5, 0.6]]), "a.csv", "compare {}", code=4, words=("1",)),
    Fault(
        47,
        lambda path: results(RNG.uniform(0.2, 0.8, (30, 2)), "qp")(path),
        "a.csv",
        "information {} --q q --p p --chains 2 --draws 10 --max-seconds 0",
        code=4,
        words=("--quick",),
    ),
    Elsewhere(
        48,
        "cli/test_extrapolate_command.py::"
        "test_the_same_seed_gives_the_same_bytes_for_any_number_of_workers",
    ),
    Elsewhere(
        49, "cli/test_process.py::test_an_interrupted_run_leaves_nothing_half_written"
    ),
    Elsewhere(
        50, "cli/test_trust.py::test_a_killed_worker_is_told_and_the_run_can_go_on"
    ),
    Elsewhere(
        51, "cli/test_process.py::test_a_reader_that_has_seen_enough_is_no_error"
    ),
    Elsewhere(51, "cli/test_process.py::test_ascii_terminals_get_ascii"),
    Elsewhere(52, "cli/test_trust.py::test_a_full_disk_ends_a_run_that_can_go_on"),
    Fault(
        52,
        table(),
        "a.csv",
        ASK + " --json a.csv --force",
        words=("one of the inputs",),
    ),
    Fault(
        52, table(), "a.csv", ASK + " --json no/such/x.json", words=("does not exist",)
    ),
    Fault(52, table(), "a.csv", ASK + " --json taken.json", words=("--force",)),
    Elsewhere(53, "cli/test_trust.py::test_a_second_run_on_a_checkpoint_is_told_so"),
    Elsewhere(54, "core/test_records.py::test_wherever_a_run_is_stopped_it_goes_on"),
    Fault(
        54,
        data(TWO_CLASSES),
        "a.csv",
        "assess {} --target y --quick --model naive-bayes --checkpoint taken.json",
        words=("taken.json", "not a checkpoint"),
    ),
    Fault(55, text("[" * 5000), "a.json", "report {} --out a.html", words=("levels",)),
    Fault(
        55,
        text('{"kind": "extrapolation", "schema": 2, "x": 1}'),
        "a.json",
        "report {} --out a.html",
        words=("'inputs'",),
    ),
    Fault(
        55,
        lambda path: path.write_bytes(b" " * (64 * 2**20 + 1)),
        "a.json",
        "report {} --out a.html",
        words=("MiB",),
    ),
    Elsewhere(
        56,
        "io/test_io_files.py::test_change_is_reported_rather_than_the_damage_it_does",
    ),
    Fault(
        57,
        table(("../../a", "/etc/passwd", "c")),
        "a.csv",
        ASK + " --report r.html",
        code=0,
    ),
    Elsewhere(59, "io/test_io_tables.py::test_locale_never_matters"),
    Elsewhere(60, "io/test_io_files.py::test_missing_extra_names_the_install_command"),
]


@pytest.mark.filterwarnings("ignore")
def test_no_count_and_no_difference_wraps():
    small = np.where(np.eye(3, dtype=bool)[OWN], 120, -120).astype(np.int8)
    found = sc.extrapolate(small, OWN, to=[10**12], method="bayesian", backtest=0)
    assert sc.accuracy_curve(small, OWN, sizes=[3]).accuracy[-1] == 1
    assert found.predictions[0].classes == 10**12
    assert 0 <= found.predictions[0].accuracy <= 1


def test_every_fault_has_a_row():
    # 58 is about a page of a server, of which there is none.
    assert {row.number for row in FAULTS} == {*range(1, 61)} - {58}


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(x, id=f"{x.number}-{i}")
        for i, x in enumerate(FAULTS)
        if isinstance(x, Fault)
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_a_fault_is_answered(tmp_path, monkeypatch, run, fault):
    if fault.needs:
        pytest.importorskip(fault.needs)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken.json").write_text("{}")
    fault.make(tmp_path / fault.file)
    before = {x: x.read_bytes() for x in tmp_path.iterdir() if x.is_file()}
    code, out, err = run(*fault.command.format(fault.file).split())
    said = " ".join((out + err).split())
    assert code == fault.code, said[:600]
    for words in fault.words:
        assert words.lower() in said.lower()
    assert "Traceback" not in err
    assert "allow_pickle" not in err
    if code:
        assert len([x for x in err.splitlines() if x.startswith("scorecast: ")]) == 1
    if code == 3 and fault.command.endswith("{}"):
        assert fault.file in said
    assert all(path.read_bytes() == content for path, content in before.items())


@pytest.mark.parametrize(
    "place", [row.place for row in FAULTS if isinstance(row, Elsewhere)]
)
def test_tests_elsewhere_exist(place):
    file, _, name = place.partition("::")
    assert f"def {name}(" in (TESTS / file).read_text()
