"""Judge the tests by mutants: does a changed operator, comparison or constant show?

``draw`` picks mutants of numeric code at random, one seed, and writes them to
``tools/mutants.json``. ``reach FILE`` reads which tests reach which lines from a
coverage file made with ``pytest --cov=scorecast --cov-context=test``. ``judge`` runs
for every mutant the tests that reach its line, until one fails, two minutes at most,
in a copy of the repository, and writes what became of it beside the mutant.

A mutant of code that was rebuilt is translated by hand to the same expression: change
its ``file``, ``line`` and ``column``, or set ``gone`` to the reason why there is none.

    python tools/mutants.py draw | reach .coverage | judge [--again]
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import shutil
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
_NOT_NUMERIC = ("cli", "report", "io", "data", "templates")
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
                found.append(_mutant(path, line + 1, at, old, new))
                return
            line, column = line + 1, 0

    for node in ast.walk(ast.parse(source)):
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
            new = f"({old} + 1)" if type(node.value) is int else f"({old} * 1.1)"
            found.append(_mutant(path, node.lineno, node.col_offset, old, new))
    return found


def _mutant(path: Path, line: int, column: int, old: str, new: str) -> dict[str, Any]:
    return {
        "file": str(path.relative_to(ROOT)),
        "line": line,
        "column": column,
        "old": old,
        "new": new,
    }


def draw() -> None:
    """Pick mutants at random among all candidates of numeric code."""
    found = []
    for path in sorted((ROOT / "src" / "scorecast").rglob("*.py")):
        room = path.relative_to(ROOT / "src" / "scorecast").parts[0]
        if room not in _NOT_NUMERIC:
            found += candidates(path)
    chosen = random.Random(_SEED).sample(found, _N_MUTANTS)
    _save(sorted(chosen, key=lambda m: (m["file"], m["line"], m["column"])))
    print(f"{_N_MUTANTS} of {len(found)} places")


def reach(coverage: str) -> None:
    """Note for every mutant the tests that reach its line."""
    mutants = _load()
    with sqlite3.connect(coverage) as data:
        names = dict(data.execute("select id, context from context"))
        files = {
            Path(path).as_posix(): i
            for i, path in data.execute("select id, path from file")
        }
        for mutant in mutants:
            number = [i for path, i in files.items() if path.endswith(mutant["file"])]
            tests = set()
            rows = data.execute(
                "select context_id, numbits from line_bits where file_id = ?",
                (number[0] if number else -1,),
            )
            for context, bits in rows:
                byte, bit = divmod(mutant["line"], 8)
                if byte < len(bits) and bits[byte] & (1 << bit):
                    tests.add(names[context].split("|")[0])
            # Tests of the room first: what kills a mutant mostly lies there.
            own = f"tests/{mutant['file'].split('/')[2]}/"
            known = sorted(
                (test for test in tests if "::" in test),
                key=lambda test: (not test.startswith(own), test),
            )
            # Constants of a module, and kernels that are compiled, are seen by none.
            mutant["tests"] = known or _tests_of_room(mutant["file"])
    _save(mutants)
    print(Counter(bool(m["tests"]) for m in mutants))


def _tests_of_room(file: str) -> list[str]:
    """Return the folder of tests that belongs to a file, or none."""
    room = file.split("/")[2]
    folder = ROOT / "tests" / room
    return [folder.relative_to(ROOT).as_posix()] if folder.is_dir() else []


def judge(*, again: bool, seconds: float) -> None:
    """Run the tests that reach each mutant, until one fails."""
    mutants = _load()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "scorecast"
        skip = shutil.ignore_patterns(".git", ".venv", "_build", "*.nbi", "*.nbc")
        shutil.copytree(ROOT, copy, ignore=skip)
        if (ROOT.parent / "shared").exists():
            (Path(folder) / "shared").symlink_to(ROOT.parent / "shared")
        for i, mutant in enumerate(mutants):
            if "gone" in mutant or ("verdict" in mutant and not again):
                continue
            mutant["verdict"] = _judge_one(mutant, copy, seconds)
            _save(mutants)
            print(i + 1, mutant["file"], mutant["line"], mutant["verdict"], flush=True)
    print(Counter(m.get("verdict", "gone") for m in mutants))


def _judge_one(mutant: dict[str, Any], copy: Path, seconds: float) -> str:
    tests = mutant.get("tests") or []
    if not tests:
        return "not reached"
    path = copy / mutant["file"]
    source = path.read_bytes()
    lines = source.split(b"\n")
    text, at = lines[mutant["line"] - 1], mutant["column"]
    old = mutant["old"].encode()
    if text[at : at + len(old)] != old:
        return "not found"
    lines[mutant["line"] - 1] = (
        text[:at] + mutant["new"].encode() + text[at + len(old) :]
    )
    path.write_bytes(b"\n".join(lines))
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
    environment = {
        "PYTHONPATH": str(copy / "src"),
        "PATH": "/usr/bin:/bin",
        "OPENBLAS_NUM_THREADS": "1",
    }
    try:
        done = subprocess.run(
            [*command, *tests[:400]],
            cwd=copy,
            env=environment,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
        return {0: "survived", 1: "killed"}.get(done.returncode, "killed")
    except subprocess.TimeoutExpired:
        return "time-out"
    finally:
        path.write_bytes(source)


def _load() -> list[dict[str, Any]]:
    mutants: list[dict[str, Any]] = json.loads(MUTANTS.read_text())
    return mutants


def _save(mutants: list[dict[str, Any]]) -> None:
    MUTANTS.write_text(json.dumps(mutants, indent=1) + "\n")


def main() -> None:
    """Draw, reach or judge."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("verb", choices=["draw", "reach", "judge"])
    parser.add_argument("coverage", nargs="?", default=".coverage")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--seconds", type=float, default=_SECONDS)
    asked = parser.parse_args()
    if asked.verb == "draw":
        draw()
    elif asked.verb == "reach":
        reach(asked.coverage)
    else:
        judge(again=asked.again, seconds=asked.seconds)


if __name__ == "__main__":
    main()
