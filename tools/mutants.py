"""Judge the tests by mutants: does a changed operator, comparison or constant show?

``draw`` picks mutants of numeric code at random, one seed, and adds them to
``tools/mutants.json``. ``judge`` runs for every mutant that has no verdict the tests that
reach its line, until one fails, two minutes at most, in a copy of the repository, and
writes what became of it beside the mutant, and ``by`` which test. Which tests reach a
line is read from a coverage file made with ``pytest --cov=scorecast --cov-context=test``;
without one they are those of the room, files named like the module first.

A mutant says where it is by its file, the ``text`` of its line, what that stands
``inside``, and the ``column`` in the text: code may move. One of code that was rebuilt is
translated by hand to the same expression, or ``gone`` gives the reason why there is none.
One that changes no answer has the verdict ``equivalent``, and ``why``; one of code that
nothing depended on, and that is no more, ``deleted``.

    python tools/mutants.py draw --seed 27 --number 60
    python tools/mutants.py judge [--coverage .coverage] [--again survived time-out]
"""

from __future__ import annotations

import argparse
import ast
import functools
import json
import os
import random
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
MUTANTS = ROOT / "tools" / "mutants.json"
_SEED, _N_MUTANTS = 26, 150
_SECONDS = 120
# Words and files; how long it takes; what `scorecast reproduce` holds to print.
_NOT_NUMERIC = ("cli/", "report/", "io/", "data/", "_core/progress", "reproduction/")
_NO_ANSWER = re.compile("BLOCK|CHUNK|_CELLS|n_jobs|progress|msg|Note\\(")
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+?::.*?)(?: - .*)?$", re.M)
_OPERATORS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.Pow: ("**", "*"),
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
}


def candidates(path: Path) -> list[dict[str, Any]]:
    """Return every place of a file where a number could be made another."""
    source = path.read_text()
    lines = source.splitlines()
    found = []

    def place(node: ast.AST, end: ast.AST, old: str, new: str) -> None:
        """Find an operator between two operands."""
        line, column = node.end_lineno - 1, node.end_col_offset  # type: ignore[attr-defined]
        while line <= end.lineno - 1:  # type: ignore[attr-defined]
            text = lines[line].encode()
            at = text.find(old.encode(), column)
            if at >= 0:
                found.append((line, at, old, new))
                return
            line, column = line + 1, 0

    tree = ast.parse(source)
    words = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr | ast.Raise)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if node in words:
            continue
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            is_text = any(
                isinstance(side, ast.JoinedStr)
                or (isinstance(side, ast.Constant) and isinstance(side.value, str))
                for side in (node.left, node.right)
            )
            if not is_text:
                place(node.left, node.right, *_OPERATORS[type(node.op)])
        elif isinstance(node, ast.Compare) and type(node.ops[0]) in _OPERATORS:
            place(node.left, node.comparators[0], *_OPERATORS[type(node.ops[0])])
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
            old = ast.get_source_segment(source, node) or ""
            more = (
                "+ 1" if type(node.value) is int else "* 1.1" if node.value else "+ 0.1"
            )
            new = f"({old} {more})"
            found.append((node.lineno - 1, node.col_offset, old, new))
    made = [
        {
            "file": str(path.relative_to(ROOT)),
            "inside": _owners(source)[line],
            "text": lines[line].strip(),
            "column": at - _indent(lines[line]),
            "old": old,
            "new": new,
        }
        for line, at, old, new in found
        if not _NO_ANSWER.search(lines[line])
    ]
    # Of a line that stands twice in one function nobody could say which is meant.
    return [mutant for mutant in made if place_of(mutant, source)]


@functools.lru_cache(maxsize=4)
def _owners(source: str) -> list[str]:
    """Return for every line the function or class that it stands in, or nothing."""
    owners = [""] * (len(source.splitlines()) + 1)
    for node in ast.walk(ast.parse(source)):  # outer ones come first
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            n = (node.end_lineno or node.lineno) - node.lineno + 1
            owners[node.lineno - 1 : node.lineno - 1 + n] = [node.name] * n
    return owners


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def place_of(mutant: dict[str, Any], source: str) -> tuple[int, int] | None:
    """Find the one place of a mutant in its file: line and byte, both from 0."""
    at, old = mutant["column"], mutant["old"].encode()
    found = [
        (number, _indent(line) + at)
        for number, line in enumerate(source.splitlines())
        if line.strip() == mutant["text"]
        and _owners(source)[number] == mutant["inside"]
        and mutant["text"].encode()[at : at + len(old)] == old
    ]
    return found[0] if len(found) == 1 else None


def is_live(mutant: dict[str, Any]) -> bool:
    """Tell whether the code of a mutant is still there."""
    return "gone" not in mutant and mutant.get("verdict") != "deleted"


def draw(seed: int, number: int) -> None:
    """Pick more mutants at random among all candidates of numeric code."""
    mutants = _load()
    taken = {_key(m) for m in mutants}
    found = []
    for path in sorted((ROOT / "src" / "scorecast").rglob("*.py")):
        inside = path.relative_to(ROOT / "src" / "scorecast").as_posix()
        if not inside.startswith(_NOT_NUMERIC):
            found += [m for m in candidates(path) if _key(m) not in taken]
    chosen = random.Random(seed).sample(found, number)
    chosen.sort(key=_key)
    _save(mutants + [{**mutant, "seed": seed} for mutant in chosen])
    print(f"{number} of {len(found)} places")


class Reach:
    """Which tests reach which lines, of a coverage file or by their names."""

    def __init__(self, coverage: str | None, at_hand: list[str]) -> None:
        self.at_hand = at_hand
        self.lines: dict[str, list[tuple[str, bytes]]] = {}
        if coverage is None:
            return
        known = set(at_hand)
        with sqlite3.connect(coverage) as data:
            rows = data.execute(
                "select path, context, numbits from line_bits"
                " join file on file.id = file_id join context on context.id = context_id"
            )
            for path, context, bits in rows:
                test = context.rpartition("|")[0]
                if test in known:
                    file = "src/" + Path(path).as_posix().rpartition("/src/")[2]
                    self.lines.setdefault(file, []).append((test, bits))
        self.breadth = Counter(test for file in self.lines.values() for test, _ in file)

    def tests(self, mutant: dict[str, Any]) -> list[str]:
        """Return the tests that reach a mutant, the likeliest to kill it first."""
        own = f"tests/{mutant['file'].split('/')[2].lstrip('_')}/"
        likeness = _likeness(
            mutant["file"], [t.partition("::")[0] for t in self.at_hand]
        )
        if not self.lines:
            near = {file for file in likeness if file.startswith(own) or likeness[file]}
            return sorted(
                near, key=lambda file: (not file.startswith(own), -likeness[file], file)
            )
        place = place_of(mutant, (ROOT / mutant["file"]).read_text())
        byte, bit = divmod(place[0] + 1 if place else 0, 8)
        seen = self.lines.get(mutant["file"], [])
        reached = {t for t, b in seen if byte < len(b) and b[byte] & (1 << bit)}
        # Constants of a module, and kernels that are compiled, are seen by none.
        reached = reached or {test for test, _ in seen}
        reached = reached or {test for test in self.at_hand if test.startswith(own)}
        return sorted(
            reached,
            key=lambda test: (
                not test.startswith(own),
                -likeness[test.partition("::")[0]],
                self.breadth[test],
                test,
            ),
        )


def _likeness(module: str, tests: list[str]) -> dict[str, float]:
    """Tell how much a file of tests is about a module: by its name, and what it names."""
    tree = ast.parse((ROOT / module).read_text())
    defined = [
        n.name for n in tree.body if isinstance(n, ast.ClassDef | ast.FunctionDef)
    ]
    names = re.compile(r"\b(" + "|".join([*defined, "nothing at all"]) + r")\b")
    stem = Path(module).stem
    words = "_".join(Path(module).with_suffix("").parts[3:]).split("_")
    parts = {part.rstrip("s") for part in words}
    found = {}
    for file in dict.fromkeys(tests):
        text = (ROOT / file).read_text()
        shared = parts & {p.rstrip("s") for p in Path(file).stem.split("_")}
        found[file] = (
            10.0 * file.endswith(f"/test_{stem}.py")
            + len(shared) / len(parts)
            + 100 * len(names.findall(text)) / len(text)
        )
    return found


def judge(coverage: str | None, again: list[str], files: str, seconds: float) -> None:
    """Run the tests that reach each mutant, until one fails."""
    mutants = _load()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "scorecast"
        skip = shutil.ignore_patterns(".git", ".venv", "_build", "__pycache__")
        shutil.copytree(ROOT, copy, ignore=skip)
        if (ROOT.parent / "shared").exists():
            (Path(folder) / "shared").symlink_to(ROOT.parent / "shared")
        reach, judged = Reach(coverage, _collect(copy)), []
        for i, mutant in enumerate(mutants):
            is_asked = mutant.get("verdict", "open") in ("open", *again)
            is_asked = is_asked and is_live(mutant)
            if not is_asked or not re.search(files, mutant["file"]):
                continue
            tests = reach.tests(mutant)
            verdict, by = _judge_one(mutant, tests, copy, seconds)
            mutant.pop("by", None)
            mutant |= {"verdict": verdict, **({"by": by} if by else {})}
            _save_one(mutant)
            judged.append(mutant)
            print(i, mutant["file"], mutant["inside"], verdict, by, flush=True)
        _confirm(copy, judged)
    print(Counter(m.get("verdict", "gone") for m in _load()))


def _confirm(copy: Path, judged: list[dict[str, Any]]) -> None:
    """Take back the verdicts of tests that fail without a mutant, too."""
    tests = sorted({mutant["by"] for mutant in judged if "by" in mutant})
    if not tests:
        return
    done = _run(copy, ["--maxfail=1000", *tests], 100 * _SECONDS)
    if done.returncode not in (0, 1):
        raise SystemExit(f"not confirmed: {done.stdout[-2000:]}")
    failed = set(_FAILED.findall(done.stdout))
    for mutant in judged:
        if mutant.get("by") in failed:
            _save_one({**mutant, "verdict": "not judged"})


def _collect(copy: Path) -> list[str]:
    """Return the tests that there are; a name that is no more ends a run at once."""
    done = _run(copy, ["--collect-only"], 5 * _SECONDS)
    done.check_returncode()
    return [line for line in done.stdout.splitlines() if "::" in line]


def _run(
    copy: Path, arguments: list[str], seconds: float, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run pytest on the copy: what is imported there, by its children too."""

    def limit() -> None:
        # Time of the processor: other work beside decides no verdict.
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 5))

    return subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-x",
            "-q",
            "-p",
            "no:cacheprovider",
            *arguments,
        ],
        cwd=copy,
        env={
            "PYTHONPATH": str(copy / "src"),
            "PATH": "/usr/bin:/bin",
            "OPENBLAS_NUM_THREADS": "1",
            "HOME": str(copy),
            **environment,
        },
        capture_output=True,
        text=True,
        timeout=5 * seconds,
        check=False,
        preexec_fn=limit,
    )


def _judge_one(
    mutant: dict[str, Any], tests: list[str], copy: Path, seconds: float
) -> tuple[str, str | None]:
    """Return the verdict, and the test that failed."""
    if not tests:
        return "not reached", None
    path = copy / mutant["file"]
    source, made = path.read_bytes(), path.stat()
    mutated = _mutated(source, mutant)
    if mutated is None:
        return "not found", None
    try:
        path.write_bytes(mutated)
        with tempfile.TemporaryDirectory() as kernels:
            # Numba sees no change in what a kept kernel calls: compile all anew.
            is_compiled = b"njit" in source or "/kernels/" in mutant["file"]
            fresh = {"NUMBA_CACHE_DIR": kernels} if is_compiled else {}
            done = _run(copy, tests, seconds, **fresh)
    except subprocess.TimeoutExpired:
        return "time-out", None
    finally:
        path.write_bytes(source)
        os.utime(path, ns=(made.st_atime_ns, made.st_mtime_ns))
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return "time-out", None
    failed = _FAILED.search(done.stdout)
    # 4 and 5: no test was run. Others (2, a signal): the mutant broke the import.
    verdict = {0: "survived", 4: "not judged", 5: "not judged"}.get(
        done.returncode, "killed"
    )
    return verdict, failed[1] if failed else None


def _mutated(source: bytes, mutant: dict[str, Any]) -> bytes | None:
    place = place_of(mutant, source.decode())
    if place is None:
        return None
    (line, at), after = place, len(mutant["old"].encode())
    lines = source.split(b"\n")
    text = lines[line]
    lines[line] = text[:at] + mutant["new"].encode() + text[at + after :]
    return b"\n".join(lines)


def _key(mutant: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(mutant[key] for key in ("file", "inside", "text", "column", "old"))


def _load() -> list[dict[str, Any]]:
    mutants: list[dict[str, Any]] = json.loads(MUTANTS.read_text())
    return mutants


def _save(mutants: list[dict[str, Any]]) -> None:
    MUTANTS.write_text(json.dumps(mutants, indent=1) + "\n")


def _save_one(mutant: dict[str, Any]) -> None:
    """Write one verdict; meanwhile others may have been written by hand."""
    mutants = _load()
    for other in mutants:
        if (_key(other), other["new"]) == (_key(mutant), mutant["new"]):
            other.pop("by", None)
            other.update(mutant)
    _save(mutants)


def main() -> None:
    """Draw or judge."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("verb", choices=["draw", "judge"])
    parser.add_argument("--seed", type=int, default=_SEED)
    parser.add_argument("--number", type=int, default=_N_MUTANTS)
    parser.add_argument("--coverage", help="made with --cov-context=test")
    parser.add_argument(
        "--again",
        nargs="*",
        default=[],
        help="verdicts to judge again, such as survived",
    )
    parser.add_argument("--files", default="", help="only of files with such a name")
    parser.add_argument("--seconds", type=float, default=_SECONDS)
    asked = parser.parse_args()
    if asked.verb == "draw":
        draw(asked.seed, asked.number)
    else:
        judge(asked.coverage, asked.again, asked.files, asked.seconds)


if __name__ == "__main__":
    main()
