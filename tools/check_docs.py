"""Run what README and the guide show, and hold what is printed against the pages.

Usage, from the root of a clone, by the Python of its environment:

    python tools/check_docs.py            # what takes seconds: what CI runs
    python tools/check_docs.py --all      # also what takes minutes, or other data
    python tools/check_docs.py --write    # put what is printed into the pages

Three things are looked at. *Examples*: scripts and commands in docs/guide whose output
the guide quotes (example_*.py, example_*.sh, example_*.txt). *Pages*: a page of the
guide is its template (.md.in) with those pieces in place, so that readers on a Git host
see them. *Commands*: every other command in README, start page and guide must run and
end with exit code 0, on files of the names it mentions, made up where there are none;
what is shown below a command must be printed by it, "..." standing for any lines.

Data that may not be shipped are found through SCORECAST_DATA; what needs them, or takes
minutes, is left to --all, and the pages say so.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import io
import itertools
import json
import math
import os
import re
import runpy
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
GUIDE = ROOT / "docs" / "guide"
DATA = Path(os.environ.get("SCORECAST_DATA", ROOT / ".." / "shared" / "data"))


@dataclass(frozen=True, kw_only=True)
class Example:
    """A script and commands of the guide, run one after the other in one folder."""

    name: str
    page: str
    script: str = ""  # writes what the commands need, and prints what the page quotes
    takes_folder: bool = False
    commands: str = ""
    needs: str = ""  # data that do not ship
    ships: str = ""  # data that do
    is_slow: bool = False


EXAMPLES = (
    Example(name="characters", page="more-classes", script="example_characters",
            takes_folder=True, commands="example_commands"),
    Example(name="information", page="information", script="example_information",
            commands="example_information", ships="world_cups.csv"),
    Example(name="identification", page="identification", takes_folder=True,
            script="example_identification", commands="example_identification"),
    Example(name="simulation", page="simulation", script="example_simulation",
            commands="example_simulation"),
    Example(name="settings", page="settings", script="example_settings",
            commands="example_settings"),
    Example(name="biclusters", page="biclusters", script="example_biclusters",
            takes_folder=True, commands="example_biclusters"),
    Example(name="comparison", page="comparison", script="example_comparison",
            takes_folder=True, commands="example_comparison"),
    Example(name="assessment", page="assessment", commands="example_assessment",
            needs="microarray_colon.npz", is_slow=True),
    Example(name="recurrence", page="recurrence", commands="example_recurrence",
            needs="surv_stagec_prostate.csv.gz", is_slow=True),
)  # fmt: skip
SLOW_VERBS = ("recurrence",)  # minutes, even of made-up data
NOT_SHIPPED = {example.needs for example in EXAMPLES if example.needs}


# --- running -------------------------------------------------------------------------


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
    from scorecast.cli.main import _run

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


def run_script(path: Path, arguments: Sequence[str]) -> str:
    output = io.StringIO()
    before = sys.argv
    sys.argv = [str(path), *arguments]
    try:
        with contextlib.redirect_stdout(output), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            runpy.run_path(str(path), run_name="__main__")
    finally:
        sys.argv = before
    return output.getvalue()


def run_commands(path: Path) -> str:
    """Run a file of lines such as ``run NAME 'extrapolate run.npz --to 242'``."""
    printed = []
    for name, text in commands_of(path):
        code, output = run_command(words_of(text))
        if name:
            head = f"\n== {name} ==\n$ scorecast {text}\n"
            printed.append(f"{head}{output}(exit code {code})\n")
        else:
            printed.append(output)
    if "== end ==" in path.read_text():
        printed.append("\n== end ==\n")
    return "".join(printed)


def words_of(command: str) -> list[str]:
    """Cut a command into words as a shell does; lines may go on in the next."""
    return shlex.split(command.replace("\\\n", " "))


def commands_of(path: Path) -> list[tuple[str, str]]:
    text = path.read_text()
    named = re.findall(r"^run (\S+) (['\"])(.*?)\2$", text, re.MULTILINE | re.DOTALL)
    if named:
        return [(name, _unescaped(quote, body)) for name, quote, body in named]
    plain = re.findall(r"^scorecast (.*)$", text, re.MULTILINE)
    return [("", found) for found in plain]


def _unescaped(quote: str, body: str) -> str:
    return body if quote == "'" else body.replace('\\"', '"')


# --- what is shown --------------------------------------------------------------------


@dataclass
class Check:
    """What differs, and what was left out."""

    writes: bool
    faults: list[str] = field(default_factory=list)
    printed: dict[str, str] = field(default_factory=dict)  # by command

    def compare(self, path: Path, text: str) -> None:
        known = path.read_text() if path.exists() else ""
        if same(known, text):
            return
        place = path.relative_to(ROOT)
        if self.writes:
            path.write_text(text)
            say(f"  {place} written")
            return
        self.faults.append(f"{place} differs:\n{difference(known, text)}")

    def remember(self, path: Path) -> None:
        """Note what commands printed, according to a file of their outputs."""
        if path.exists():
            for block in re.split(r"\n== .* ==\n", path.read_text()):
                if block.startswith("$ scorecast "):
                    command, _, rest = block[2:].partition("\n")
                    self.printed[command] = rest


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


def run_example(example: Example, folder: Path, check: Check) -> None:
    """Run one example in a folder of its own."""
    if example.ships:
        shutil.copy(ROOT / "src/scorecast/io/examples" / example.ships, folder)
    if example.name == "settings":  # goes on with what the page before made
        shutil.copytree(folder.parent / "simulation", folder, dirs_exist_ok=True)
    if example.needs.endswith(".csv.gz"):
        import gzip

        with gzip.open(DATA / example.needs) as packed:
            (folder / "stagec.csv").write_bytes(packed.read())
    elif example.needs:
        shutil.copy(DATA / example.needs, folder)
    with inside(folder):
        if example.script:
            place = [str(folder)] if example.takes_folder else []
            output = run_script(GUIDE / f"{example.script}.py", place)
            check.compare(GUIDE / f"{example.script}.txt", output)
        if example.name == "simulation":
            for path in folder.glob("cases.*"):
                path.unlink()
        output = run_commands(GUIDE / f"{example.commands}.sh")
        check.compare(output_of(example), output)
        if example.name == "characters":
            # A figure has no digits that could be wrong, but places of every line.
            figure = ROOT / "docs" / "_static" / "forecast.svg"
            target = str(figure) if check.writes else "new.svg"
            run_script(GUIDE / "example_figure.py", ["answer.json", target])
            text = run_script(GUIDE / "example_json.py", ["answer.json"])
            check.compare(ROOT / "docs" / "reference" / "answer.txt", text)


def output_of(example: Example) -> Path:
    end = "" if example.commands == "example_commands" else "_commands"
    return GUIDE / f"{example.commands}{end}.txt"


BLOCK = re.compile(r"```\{literalinclude\} (\S+)\n((?::.*\n)*)```")


def check_pages(check: Check) -> None:
    """Hold every page against its template with the pieces in place."""
    for template in sorted(GUIDE.glob("*.md.in")):
        check.compare(template.with_suffix(""), BLOCK.sub(piece, template.read_text()))


def piece(match: re.Match[str]) -> str:
    """Return the part of a file that a directive names, as a fenced block."""
    text = (GUIDE / match[1]).read_text()
    options = dict(re.findall(r':([a-z-]+): "?(.*?)"?\n', match[2]))
    if "start-after" in options:
        text = text.split(options["start-after"], 1)[1]
    if "end-before" in options:
        text = text.split(options["end-before"], 1)[0]
    lines = text.strip("\n").splitlines()
    indent = min((len(x) - len(x.lstrip()) for x in lines if x.strip()), default=0)
    body = "\n".join(line[indent:].rstrip() for line in lines).strip("\n")
    return f"```{options.get('language', 'text')}\n{body}\n```"


# --- commands in the text -------------------------------------------------------------


FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(scorecast \w+(?:\s+[^`\s]+){2,})`")


def check_text(path: Path, folder: Path, check: Check, *, slow: bool) -> None:
    """Run the commands and the Python of a page."""
    text = BLOCK.sub("", path.read_text())
    for language, body in FENCED.findall(text):
        if language == "python":
            run_python(path, body, folder, check)
        elif body.startswith("$ scorecast "):
            check_shown(path, body, folder, check, slow=slow)
        else:
            for line in body.replace("\\\n", " ").splitlines():
                if line.startswith("scorecast "):
                    must_run(path, line, folder, check, slow=slow)
    for command in INLINE.findall(FENCED.sub("", text)):
        if "[OPTIONS]" not in command and "..." not in command:
            must_run(path, " ".join(command.split()), folder, check, slow=slow)


def must_run(
    path: Path, command: str, folder: Path, check: Check, *, slow: bool
) -> str | None:
    """Run a command that is shown without its output; return what it printed."""
    arguments = words_of(command)[1:]
    place = f"{path.relative_to(ROOT)}: {command}"
    is_long = arguments[0] in SLOW_VERBS or NOT_SHIPPED & set(arguments)
    if is_long and not slow:
        say(f"  left to --all: {command}")
        return None
    make_up(arguments, folder)
    start = time.monotonic()
    with inside(folder):
        for flag, name in itertools.pairwise(arguments):
            if flag in ("--report", "--json", "--latex", "--out", "-o"):
                Path(name).unlink(missing_ok=True)
        code, output = run_command(arguments)
    say(f"  {time.monotonic() - start:5.1f} s  {command}")
    if code:
        check.faults.append(f"{place}\nends with exit code {code}: {output[-300:]}")
    return output


def check_shown(
    path: Path, body: str, folder: Path, check: Check, *, slow: bool
) -> None:
    """Look for the lines that are shown below a command among those it prints."""
    head, _, shown = body.partition("\n")
    command = head.removeprefix("$ ")
    printed = check.printed.get(command)
    if printed is None:
        printed = must_run(path, command, folder, check, slow=slow)
    if printed is None:
        return
    found = excerpt(shown, printed)
    if found == shown:
        return
    if check.writes:
        path.write_text(path.read_text().replace(body, f"{head}\n{found}"))
        say(f"  {path.relative_to(ROOT)} written")
        return
    place = f"{path.relative_to(ROOT)}: {command}"
    check.faults.append(f"{place}\n{difference(shown, found)}")


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


def run_python(path: Path, body: str, folder: Path, check: Check) -> None:
    """Run a block of Python on made-up data."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(30), 3)
    gallery, noise = rng.normal(size=(30, 8)), rng.normal(size=(90, 8))
    space = {
        "scores": rng.normal(size=(90, 30)) + 2 * np.eye(30)[y], "y_true": y,
        "gallery": gallery, "probes": gallery[y] + noise, "__name__": "page",
    }  # fmt: skip
    make_up(re.findall(r'load\("(.*?)"', body), folder)
    start = time.monotonic()
    try:
        with (
            inside(folder),
            contextlib.redirect_stdout(io.StringIO()),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            exec(body, space)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the page's
        what = f"{type(error).__name__}: {error}"
        check.faults.append(f"{path.relative_to(ROOT)}: Python ends with {what}")
    say(f"  {time.monotonic() - start:5.1f} s  Python: {body.splitlines()[0]} ...")


# --- files of the names that the text mentions ----------------------------------------


def make_up(arguments: Sequence[str], folder: Path) -> None:
    """Make what is named among arguments and is not there."""
    keys = [word.partition("::")[2] for word in arguments if "::" in word]
    for argument in arguments:
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--all", action="store_true", help="also what takes minutes")
    parser.add_argument("--write", action="store_true", help="refresh the pages")
    parser.add_argument("names", nargs="*", help="examples to run; all by default")
    asked = parser.parse_args()
    check = Check(writes=asked.write)
    pages: dict[str, Path] = {}
    with tempfile.TemporaryDirectory() as place:
        for example in EXAMPLES:
            folder = Path(place) / example.name
            folder.mkdir()
            pages[example.page] = folder
            lacks = example.needs and not (DATA / example.needs).exists()
            if asked.names and example.name not in asked.names:
                continue
            if lacks or (example.is_slow and not asked.all):
                say(f"{example.name}: left to --all, on data that do not ship")
            else:
                start = time.monotonic()
                run_example(example, folder, check)
                say(f"{example.name}: {time.monotonic() - start:.1f} s")
        for example in EXAMPLES:
            check.remember(output_of(example))
        check_pages(check)
        texts = [ROOT / "README.md", ROOT / "docs" / "index.md"]
        if not asked.names:
            for page in [*texts, *sorted(GUIDE.glob("*.md.in"))]:
                folder = pages.get(page.name.split(".")[0], Path(place) / "made-up")
                folder.mkdir(exist_ok=True)
                say(f"{page.relative_to(ROOT)}:")
                check_text(page, folder, check, slow=asked.all)
    for fault in check.faults:
        say(f"\n{fault}")
    if check.faults:
        say(
            "\nWhat is printed is not what is shown: `make docs-refresh` puts it there."
        )
    return bool(check.faults)


if __name__ == "__main__":
    sys.exit(main())
