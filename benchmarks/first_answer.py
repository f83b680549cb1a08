"""CPU seconds to the first figures and to the answer of ``scorecast information``.

Usage: python benchmarks/first_answer.py [--seeds 5]

Every run is a new process with nothing compiled before: NFL games forecast by
FiveThirtyEight (not shipped: SCORECAST_DATA names the folder), the first 300 and the
first 1,000, as they are and clipped to [.05, .95] and to [.3, .7], which puts atoms at
both ends of j and bounds it above; and forecasts that are far surer (simulated, logit
with a standard deviation of 6), two thirds of which lie at the ends. The aims are .5 s
to the first figures and 2.5 s in all; run it with nothing else running. Medians over
seeds, and the slowest.
"""

import argparse
import csv
import gzip
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

DATA = Path(os.environ.get("SCORECAST_DATA", Path(__file__).parents[2] / "shared/data"))
CLIPS = {"as they are": 0.0, "clipped to [.05, .95]": 0.05, "clipped to [.3, .7]": 0.3}
COMMAND = """
import os, sys
import scorecast._core.progress as progress
say = progress.say
def timed(text):
    say(text)
    sys.stderr.write("FIRST %f\\n" % sum(os.times()[:2]))
progress.say = timed
from scorecast.cli import main
main()
"""


def games(n):
    """Return probabilities of the first team, and whether it won."""
    with gzip.open(DATA / "forecast_538_games.csv.gz", "rt", newline="") as file:
        rows = [r for r in csv.DictReader(file) if r["project"] == "nfl_games"]
    played = [r for r in rows if r["outcome"] in "12"][:n]
    return [(float(r["prob1"]), int(r["outcome"] == "1")) for r in played]


def sure_forecasts(n):
    """Return probabilities, calibrated and mostly near zero or one, and outcomes."""
    rng = np.random.default_rng(0)
    p = 1 / (1 + np.exp(-rng.normal(0, 6, n)))
    return list(zip(p.tolist(), (rng.random(n) < p).astype(int).tolist(), strict=True))


def write(path, forecasts, clip):
    """Write a table of forecasts and outcomes."""
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["p", "won"])
        table.writerows((min(max(p, clip), 1 - clip), won) for p, won in forecasts)


def seconds(path, seed, folder):
    """Return CPU seconds to the first figures and of the whole process."""
    words = ["information", str(path), "--probability", "p", "--label-column", "won"]
    before = os.times()
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, *words, "--leave-one-out", "--seed", str(seed)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "NUMBA_CACHE_DIR": folder},
    )
    after = os.times()
    first = next(x for x in done.stderr.splitlines() if x.startswith("FIRST"))
    spent = sum(after[2:4]) - sum(before[2:4])
    return float(first.split()[1]), spent


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--seeds", type=int, default=5)
    n_seeds = options.parse_args().seeds
    print("| forecasts | first figures | answer | slowest |")
    print("|---|---|---|---|")
    for n in (300, 1000):
        cases = {name: (games(n), clip) for name, clip in CLIPS.items()}
        cases["sure ones clipped to [.05, .95]"] = (sure_forecasts(n), 0.05)
        for name, (forecasts, clip) in cases.items():
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "games.csv"
                write(path, forecasts, clip)
                runs = [seconds(path, seed, folder) for seed in range(n_seeds)]
            first, whole = (statistics.median(x) for x in zip(*runs, strict=True))
            slowest = max(x for _, x in runs)
            print(f"| {n:,}, {name} | {first:.2f} | {whole:.2f} | {slowest:.2f} |")


if __name__ == "__main__":
    main()
