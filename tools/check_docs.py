"""Run what README, guide and reference show, and hold what is printed against the pages.

Usage, from the root of a clone, by the Python of its environment:

    python tools/check_docs.py             # what takes seconds: what CI runs
    python tools/check_docs.py --all       # also what takes minutes, or other data
    python tools/check_docs.py --write     # put what is printed into the pages
    python tools/check_docs.py guide/settings     # one page

A page is plain Markdown and holds all there is: its blocks are run from the top down, in one
folder and one namespace.

    ```python            runs; what it prints is held against the ```text that follows
    <!-- run ... -->     the same, but readers do not see the code
    ```text with $       "$ scorecast ..." and what it printed; an exit code that is not 0
                         stands behind it as "(exit code 5)"
    ``` with commands    "scorecast ..." must end with exit code 0, as must `scorecast ...`
                         within a sentence

A line "..." in what is shown stands for any lines. Files that are named and do not exist are
made up. "<!-- page: after=guide/simulation -->" goes on in the folder of another page,
"<!-- page: data=FILE -->" needs a file of SCORECAST_DATA that may not be shipped, and
"<!-- page: slow -->" takes minutes: both are left to --all. "<!-- run data=FILE" says so of
one block.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import gzip
import io
import itertools
import json
import math
import os
import re
import shlex
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
DATA = Path(os.environ.get("SCORECAST_DATA", ROOT / ".." / "shared" / "data"))
PAGES = (
    "README.md",
    "docs/index.md",
    "docs/guide/*.md",
    "docs/reference/*.md",
)
OUTPUTS = ("--report", "--json", "--latex", "--out", "-o", "--predictions")
SLOW_VERBS = ("survival",)  # minutes, even of made-up data, if not --quick


# --- a page and its blocks ------------------------------------------------------------

BLOCK = re.compile(
    r"^```(?P<language>\w*)\n(?P<shown>.*?)^```$"
    r"|^<!-- run(?P<options>[^\n]*)\n(?P<hidden>.*?)^-->$",
    re.MULTILINE | re.DOTALL,
)
INLINE = re.compile(r"`(scorecast \w+(?:\s+[^`\s]+){2,})`")


@dataclass
class Page:
    """A page while it runs: where, with which names, and what differs."""

    path: Path
    folder: Path
    runs_all: bool
    writes: bool
    names: dict[str, object] = field(default_factory=dict)
    printed: str = ""  # since the last block that showed it
    is_skipped: bool = False  # what would have printed it was left out
    faults: list[str] = field(default_factory=list)

    def run(self) -> str:
        """Run every block; return the page with what was printed in place."""
        text = self.path.read_text()
        self.names.update(self._given())
        pieces, end = [], 0
        for block in BLOCK.finditer(text):
            self._run_inline(text[end : block.start()])
            pieces += [text[end : block.start()], self._run_block(block)]
            end = block.end()
        self._run_inline(text[end:])
        return "".join([*pieces, text[end:]])

    def _given(self) -> dict[str, object]:
        """Return what every page may use without saying where it comes from."""
        rng = np.random.default_rng(0)
        y = np.repeat(np.arange(30), 3)
        gallery, noise = rng.normal(size=(30, 8)), rng.normal(size=(90, 8))
        return {
            "scores": rng.normal(size=(90, 30)) + 2 * np.eye(30)[y],
            "y_true": y,
            "gallery": gallery,
            "probes": gallery[y] + noise,
            "DATA": DATA,
            "STATIC": DOCS / "_static" if self.writes else self.folder,
            "__name__": "page",
        }

    def _run_block(self, block: re.Match[str]) -> str:
        language, shown = block["language"], block["shown"]
        if block["hidden"] is not None:
            needs = re.search(r"data=(\S+)", block["options"])
            self.is_skipped = needs is not None and not self._has(needs[1])
            if not self.is_skipped:
                self._run_python(block["hidden"])
        elif language == "python":
            self.printed, self.is_skipped = "", False
            self._run_python(shown)
        elif language == "text" and shown.startswith("$ scorecast "):
            return f"```text\n{self._run_shown(shown)}```"
        elif language == "text":
            return f"```text\n{self._compare(shown, self._taken())}```"
        elif not language:
            for line in shown.replace("\\\n", " ").splitlines():
                if line.startswith("scorecast "):
                    self._run_command(line)
        return block[0]

    def _taken(self) -> str | None:
        printed, self.printed = self.printed, ""
        return None if self.is_skipped or not printed else printed

    def _has(self, name: str) -> bool:
        return self.runs_all and (DATA / name).exists()

    def _run_inline(self, text: str) -> None:
        for command in INLINE.findall(text):
            if "[OPTIONS]" not in command and "..." not in command:
                self._run_command(" ".join(command.split()))

    def _run_python(self, code: str) -> None:
        make_up(re.findall(r'load\("(.*?)"', code), self.folder)
        output, start = io.StringIO(), time.monotonic()
        try:
            with (
                inside(self.folder),
                contextlib.redirect_stdout(output),
                warnings.catch_warnings(),
            ):
                warnings.simplefilter("ignore")
                exec(compile(code, str(self.path), "exec"), self.names)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the page's
            self._fault(code.strip(), f"ends with {type(error).__name__}: {error}")
        self.printed += output.getvalue()
        say(f"  {time.monotonic() - start:5.1f} s  {code.strip().splitlines()[0]} ...")

    def _run_command(self, command: str) -> None:
        """Run a command that must succeed, whatever it prints."""
        if self._is_left_out(command):
            return
        for flag, name in itertools.pairwise(words_of(command)):
            if flag in OUTPUTS:
                (self.folder / name).unlink(missing_ok=True)
        code, output = self._run(command)
        if code:
            self._fault(command, f"ends with exit code {code}: {output[-300:]}")

    def _run_shown(self, shown: str) -> str:
        """Run a command and hold what it prints against what is shown below it."""
        lines = shown.splitlines(keepends=True)
        n = next(i for i, line in enumerate(lines) if not line.endswith("\\\n")) + 1
        command, rest = "".join(lines[:n]), "".join(lines[n:])
        if self._is_left_out(command):
            return shown
        code, output = self._run(command.removeprefix("$ "))
        if code:
            output += f"(exit code {code})\n"
        return command + self._compare(rest, output, of=command.strip())

    def _is_left_out(self, command: str) -> bool:
        words = words_of(command.removeprefix("$ "))
        is_slow = words[1] in SLOW_VERBS and not {"--quick", "--help"} & set(words)
        if is_slow and not self.runs_all:
            say(f"  left to --all: {command.strip()}")
            return True
        return False

    def _run(self, command: str) -> tuple[int, str]:
        arguments = words_of(command)[1:]
        make_up(arguments, self.folder)
        start = time.monotonic()
        with inside(self.folder):
            code, output = run_command(arguments)
        say(f"  {time.monotonic() - start:5.1f} s  {command.strip()}")
        return code, output

    def _compare(self, shown: str, printed: str | None, *, of: str = "") -> str:
        """Return what is to be shown: what was printed, unless nobody ran it."""
        if printed is None:
            return shown
        printed = "".join(f"{x.rstrip()}\n" for x in printed.strip("\n").splitlines())
        has_gaps = shown.startswith("...\n") or "\n...\n" in shown
        found = excerpt(shown, printed) if has_gaps else printed
        if same(shown, found):
            return shown
        if not self.writes:
            self._fault(of, difference(shown, found))
        return found

    def _fault(self, place: str, text: str) -> None:
        self.faults.append(f"{self.path.relative_to(ROOT)}: {place}\n{text}")


# --- running --------------------------------------------------------------------------


@contextlib.contextmanager
def inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def run_command(arguments: Sequence[str]) -> tuple[int, str]:
    """Run the command line in this process; return exit code and what was printed."""
    from scorecast._core import progress
    from scorecast.cli.main import _run

    # Figures that come where a run takes longer than a moment depend on the machine.
    progress._MOMENT = 86_400.0
    output = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    before = sys.argv
    sys.argv = ["scorecast", *arguments]
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            code = _run(list(arguments))
    finally:
        sys.argv = before
    lines = output.buffer.getvalue().decode().splitlines()
    # How far a run is says nothing once it is over.
    return code, "".join(f"{x}\n" for x in _lasting(lines))


def _lasting(lines: Sequence[str]) -> Iterator[str]:
    """Leave out what is shown by the clock: progress, and scores before the rest."""
    skips = False
    for line in lines:
        skips = line.startswith("First scores") or (skips and line.startswith("  "))
        if not skips and not line.startswith("progress: "):
            yield line


def words_of(command: str) -> list[str]:
    """Cut a command into words as a shell does; lines may go on in the next."""
    return shlex.split(command.replace("\\\n", " "))


# --- comparing ------------------------------------------------------------------------

LONG_NUMBER = re.compile(r"-?\d+\.\d{5,}(?:e-?\d+)?")


def same(shown: str, printed: str) -> bool:
    """Tell whether texts agree; the last digits of long numbers are the machine's."""
    if LONG_NUMBER.sub("#", shown) != LONG_NUMBER.sub("#", printed):
        return False
    numbers = zip(LONG_NUMBER.findall(shown), LONG_NUMBER.findall(printed), strict=True)
    return all(math.isclose(float(a), float(b), rel_tol=1e-3) for a, b in numbers)


def difference(shown: str, printed: str) -> str:
    one, other = shown.splitlines(), printed.splitlines()
    lines = difflib.unified_diff(one, other, "as shown", "as printed", n=1, lineterm="")
    return "\n".join(itertools.islice(lines, 60))


def excerpt(shown: str, printed: str) -> str:
    """Return of what was printed the lines that are most like those shown."""
    lines, start, result = printed.splitlines(), 0, []
    parts = re.split(r"^\.\.\.\n", shown, flags=re.MULTILINE)
    for number, part in enumerate(parts):
        wanted = part.splitlines()
        if number:
            result.append("...")
        if not wanted:
            continue
        places = range(start, max(start, len(lines) - len(wanted)) + 1)
        best = max(places, key=lambda i: _likeness(wanted, lines[i : i + len(wanted)]))
        result += [x.rstrip() for x in lines[best : best + len(wanted)]]
        start = best + len(wanted)
    return "".join(f"{line}\n" for line in result)


def _likeness(wanted: Sequence[str], found: Sequence[str]) -> float:
    text = "\n".join(wanted), "\n".join(line.rstrip() for line in found)
    return 2.0 if text[0] == text[1] else difflib.SequenceMatcher(None, *text).ratio()


# --- files of the names that the text mentions ----------------------------------------


def make_up(arguments: Sequence[str], folder: Path) -> None:
    """Make what is named among arguments and is not there."""
    keys = [word.partition("::")[2] for word in arguments if "::" in word]
    written = {name for flag, name in itertools.pairwise(arguments) if flag in OUTPUTS}
    for argument in set(arguments) - written:
        name = argument.partition("::")[0].rpartition("=")[2]
        make = MADE_UP.get(name)
        if keys and name.endswith(".npz"):
            _run_npz(folder / name, names=keys)
        elif make is not None and not (folder / name).exists():
            make(folder / name)


def _table(path: Path, columns: dict[str, Sequence[object]]) -> None:
    rows = zip(*columns.values(), strict=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n")


def _scores(n: int = 40, repeats: int = 1) -> tuple[np.ndarray, np.ndarray]:
    y = np.repeat(np.arange(n), repeats)
    rng = np.random.default_rng(1)
    return rng.normal(size=(len(y), n)).round(3) + 2 * np.eye(n)[y], y


def _scores_csv(path: Path) -> None:
    scores, y = _scores(20, 3)
    columns = {f"c{i}": scores[:, i] for i in range(20)}
    _table(path, {"truth": [f"c{i}" for i in y], **columns})


def _run_npz(path: Path, *, names: Sequence[str] = ("scores", "labels")) -> None:
    np.savez(path, **dict(zip(names, _scores(20, 3), strict=True)))


def _vectors(n: int, m: int, seed: int) -> np.ndarray:
    base = np.random.default_rng(9).normal(size=(40, 12))
    own = np.random.default_rng(seed).normal(size=(n, m))
    return np.resize(base, (n, m)) + 0.5 * own


def _forecasts(path: Path) -> None:
    rng = np.random.default_rng(2)
    base = np.full(120, 0.4)
    _table(path, {"model": rng.beta(5, 4, 120).round(3), "base_rate": base})


def _games(path: Path) -> None:
    rng = np.random.default_rng(3)
    p = rng.dirichlet([3, 2, 2], size=120).round(3)
    p[:, 2] = (1 - p[:, 0] - p[:, 1]).round(3)
    names = ("home", "draw", "away")
    won = [names[rng.choice(3, p=row / row.sum())] for row in p]
    _table(path, {**{name: p[:, i] for i, name in enumerate(names)}, "result": won})


def _wins(path: Path) -> None:
    rng = np.random.default_rng(5)
    p = rng.beta(3, 2, 120).round(3)
    _table(path, {"p": p, "won": (rng.random(120) < p).astype(int)})


def _past(path: Path) -> None:
    names = np.random.default_rng(4).choice(["home", "draw", "away"], 200)
    _table(path, {"result": names.tolist()})


def _patients(path: Path) -> None:
    rng = np.random.default_rng(5)
    age, psa = rng.normal(65, 6, 60).round(1), rng.lognormal(2, 0.5, 60).round(2)
    times = rng.exponential(8, 60).round(2) + 0.1
    seen = (times < 8).astype(int)
    _table(path, {
        "pgtime": np.minimum(times, 8), "pgstat": seen, "age": age, "psa": psa,
        "gleason": rng.integers(5, 9, 60), "ploidy": ["diploid", "other"] * 30,
    })  # fmt: skip


def _colon(path: Path) -> None:
    rng = np.random.default_rng(6)
    y = np.arange(62) % 2
    X = rng.normal(size=(62, 40)) + 1.5 * y[:, None] * (np.arange(40) < 5)
    np.savez(path, X=X, y=y)


def _cases(path: Path) -> None:
    rng = np.random.default_rng(10)
    y = np.arange(100) % 2
    X = (rng.normal(size=(100, 4)) + y[:, None]).round(3)
    _table(path, {"y": y, **{f"x{i}": X[:, i] for i in range(4)}})


def _results(path: Path) -> None:
    rng = np.random.default_rng(7)
    hard = rng.uniform(0.6, 0.9, 16)
    gains = {"baseline": 0, "tree": 0.02, "net": 0.03}
    models = {
        name: (hard + rng.normal(0, 0.02, 16) + gain).round(3)
        for name, gain in gains.items()
    }
    _table(path, {"data": [f"set{i}" for i in range(16)], **models})


def _matrix() -> np.ndarray:
    values = np.random.default_rng(8).normal(size=(60, 20))
    values[:12, :6] += 3
    return values


def _pairs(rows: int) -> Callable[[Path], None]:
    pair = [list(range(rows)), list(range(6))]
    return lambda path: path.write_text(json.dumps([pair]))


MADE_UP: dict[str, Callable[[Path], object]] = {
    "scores.npy": lambda path: np.save(path, _scores()[0]),
    "scores.npz": lambda path: np.savez(path, scores=_scores()[0]),
    "labels.csv": lambda path: _table(path, {"label": _scores()[1].tolist()}),
    "scores.csv": _scores_csv,
    "run.npz": _run_npz,
    "a.npz": _run_npz,
    "points.csv": lambda path: path.write_text("classes,accuracy\n100,.9\n1000,.8\n"),
    "cases.csv": _cases,
    "b.npz": _run_npz,
    "g.npy": lambda path: np.save(path, _vectors(40, 12, 0)),
    "p.npy": lambda path: np.save(path, _vectors(40, 12, 1)),
    "y.npy": lambda path: np.save(path, np.arange(40)),
    "forecasts.csv": _forecasts,
    "games.csv": _games,
    "wins.csv": _wins,
    "past.csv": _past,
    "v1.npy": lambda path: np.save(path, _scores()[0]),
    "v4.npy": lambda path: np.save(path, _scores()[0] + 1.5 * np.eye(40)),
    "features.npy": lambda path: np.save(path, _vectors(120, 6, 2)),
    "voxels.npy": lambda path: np.save(path, _vectors(120, 8, 3)),
    "runs.txt": lambda path: path.write_text(
        "\n".join(str(i // 20) for i in range(120))
    ),
    "patients.csv": _patients,
    "microarray_colon.npz": _colon,
    "matrix.npy": lambda path: np.save(path, _matrix()),
    "matrix.csv": lambda path: _table(
        path, {f"x{i}": column for i, column in enumerate(_matrix().T)}
    ),
    "found.json": _pairs(10),
    "truth.json": _pairs(12),
    "results.csv": _results,
    "errors.csv": _results,
}


# --- all of it ------------------------------------------------------------------------


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def pages() -> Iterator[Path]:
    """Return all pages, those that others go on from first."""
    found = [path for pattern in PAGES for path in sorted(ROOT.glob(pattern))]
    yield from sorted(found, key=lambda path: "after" in options_of(path))


def options_of(path: Path) -> dict[str, str]:
    """Read the line that says what a page needs."""
    head = re.search(r"^<!-- page: (.*) -->$", path.read_text(), re.MULTILINE)
    words = head[1].replace(",", " ").split() if head else []
    return {name: value for name, _, value in (word.partition("=") for word in words)}


def name_of(path: Path) -> str:
    """Return how a page is asked for: README, or such as guide/settings."""
    place = path.relative_to(DOCS if DOCS in path.parents else ROOT)
    return str(place.with_suffix(""))


def bring(name: str, folder: Path) -> None:
    """Put a file of other people into the folder of a page, unpacked."""
    if name.endswith(".gz"):
        (folder / name[:-3]).write_bytes(gzip.decompress((DATA / name).read_bytes()))
    else:
        shutil.copy(DATA / name, folder)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--all", action="store_true", help="also what takes minutes")
    parser.add_argument("--write", action="store_true", help="refresh the pages")
    parser.add_argument(
        "pages", nargs="*", help="such as guide/settings; all by default"
    )
    asked = parser.parse_args()
    faults: list[str] = []
    with tempfile.TemporaryDirectory() as place:
        for path in pages():
            name, options = name_of(path), options_of(path)
            others = {name_of(other): other for other in pages()}
            wanted = not asked.pages or name in asked.pages
            # What another page goes on from is run with it.
            follows = any(
                options_of(others[page]).get("after") == name
                for page in asked.pages
                if page in others
            )
            if not (wanted or follows):
                continue
            needs = options.get("data", "")
            is_slow = "slow" in options or bool(needs)
            if (is_slow and not asked.all) or (needs and not (DATA / needs).exists()):
                say(f"{name}: left to --all")
                continue
            folder = Path(place) / options.get("after", name).replace("/", "-")
            folder.mkdir(exist_ok=True)
            if needs:
                bring(needs, folder)
            say(f"{name}:")
            page = Page(path, folder, runs_all=asked.all, writes=asked.write)
            text = page.run()
            faults += page.faults
            if asked.write and text != path.read_text():
                path.write_text(text)
                say(f"  {path.relative_to(ROOT)} written")
    for fault in faults:
        say(f"\n{fault}")
    if faults:
        say(
            "\nWhat is printed is not what is shown: `make docs-refresh` puts it there."
        )
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
