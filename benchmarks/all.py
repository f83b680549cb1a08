"""Run every benchmark of speed with nothing beside it; keep or compare the tables.

Usage: python benchmarks/all.py [--write | --compare] [NAME...]

Each script prints a table in Markdown. ``--write`` puts the tables into
``docs/benchmarks.md`` and, with cores and versions, into ``benchmarks/results.json``;
``--compare`` shows what is in that file beside what was measured now. Nothing is
written if the machine had other work: before the first script a load of 1.5 is too
much, and while one runs a tenth of a core for anybody else.
"""

import argparse
import json
import os
import platform
import re
import resource
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results.json"
PAGE = ROOT / "docs" / "benchmarks.md"
SCRIPTS = {
    "run": [],
    "first_answer": ["--seeds", "3"],
    "permutations": [],
    "comparison": [],
    "biclusters": [],
    "encoding": [],
    "mixtures": ["--without-nuts"],
    "survival": [],
    "gallery_scaling": [],
}
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")
MOST_LOAD, MOST_BESIDE, SLOWER = 1.5, 0.1, 1.1


def busy_seconds():
    """Return CPU seconds that all processes have used since the machine started."""
    fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    ticks = [int(x) for x in fields]
    idle = ticks[3] + ticks[4]
    return (sum(ticks[:8]) - idle) / os.sysconf("SC_CLK_TCK")


def own_seconds():
    whole = [resource.getrusage(x) for x in
             (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]  # fmt: skip
    return sum(x.ru_utime + x.ru_stime for x in whole)


def measured(name):
    """Run a script; return its tables and what share of a core others used."""
    wall, busy, own = time.perf_counter(), busy_seconds(), own_seconds()
    command = [sys.executable, str(ROOT / "benchmarks" / f"{name}.py"), *SCRIPTS[name]]
    lines = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line.rstrip())
    if process.returncode:
        sys.exit(f"{name}: exit code {process.returncode}")
    beside = busy_seconds() - busy - (own_seconds() - own)
    rows = [line for line in lines if line.startswith("|")]
    if len(rows) < 3:
        sys.exit(f"{name}: printed no table")
    return rows, max(beside, 0.0) / (time.perf_counter() - wall)


def cells(row):
    return [cell.strip().strip("*") for cell in row.strip("|").split("|")]


def number(cell):
    """Return the first number of a cell in seconds, times or whatever it is in."""
    found = re.match(r"([\d,]*\.?\d+(?:e[+-]?\d+)?)\s*(ms)?", cell)
    if found is None:
        return None
    return float(found[1].replace(",", "")) / (1000 if found[2] else 1)


def keyed(rows):
    """Return rows by their first cell and how often it stood before."""
    found = {}
    for row in map(cells, rows):
        n_before = sum(first == row[0] for first, _ in found)
        found[row[0], n_before] = row
    return found


def compared(name, old, new):
    """Say what changed of every number, and return how often it is slower."""
    header = cells(new[0])
    before, n_slower = keyed(old), 0
    for key, now in keyed(new[2:]).items():
        was = before.get(key)
        if was is None:
            print(f"{name}: {now[0]}: new")
            continue
        for title, a, b in zip(header[1:], was[1:], now[1:], strict=False):
            x, y = number(a), number(b)
            if x and y:
                is_rate = b.endswith("x") or "/s" in title
                is_peer = title in ("peer", "scikit-learn", "loop over sets")
                worse = (x / y if is_rate else y / x) > SLOWER and not is_peer
                n_slower += worse
                mark = "  <- slower" if worse else ""
                print(f"{name}: {now[0]}: {title}: {a} -> {b}{mark}")
    return n_slower


def machine():
    return {
        "cores": os.cpu_count(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        **{name: version(name) for name in PACKAGES},
    }


def put(page, name, rows):
    """Replace the table of a script in the page, between its two marks."""
    of = f"<!-- table of benchmarks/{name}.py:"
    begin, end = f"{of} begin -->", f"{of} end -->"
    if begin not in page:
        print(f"{PAGE.name} has no place for the table of {name}.py")
        return page
    head, rest = page.split(begin, 1)
    return f"{head}{begin}\n\n" + "\n".join(rows) + f"\n\n{end}{rest.split(end, 1)[1]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--write", action="store_true", help="keep what was measured")
    what.add_argument("--compare", action="store_true", help="show it beside the kept")
    parser.add_argument("names", nargs="*", help=", ".join(SCRIPTS))
    options = parser.parse_args()
    unknown = set(options.names) - set(SCRIPTS)
    if unknown:
        parser.error(f"no benchmark {unknown.pop()!r}; there are {', '.join(SCRIPTS)}")
    load = os.getloadavg()[0]
    if load > MOST_LOAD and (options.write or options.compare):
        sys.exit(f"the load is {load:.1f}: wait until it is below {MOST_LOAD}")
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {"tables": {}}
    page, n_slower = PAGE.read_text(), 0
    for name in options.names or SCRIPTS:
        rows, beside = measured(name)
        if beside > MOST_BESIDE and (options.write or options.compare):
            sys.exit(f"{name}: other work took {beside:.2f} of a core beside it")
        if options.compare and name in kept["tables"]:
            n_slower += compared(name, kept["tables"][name]["rows"], rows)
        if options.write:
            kept["tables"][name] = {"machine": machine(), "rows": rows}
            page = put(page, name, rows)
    if options.write:  # all or nothing
        RESULTS.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
        PAGE.write_text(page)
    if options.compare:
        print(f"{n_slower} numbers are worse by more than a tenth")


if __name__ == "__main__":
    main()
