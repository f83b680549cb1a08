"""Measure forecasts from published points: real curves, and points of simulated tasks.

Real curves are looked for in $SCORECAST_DATA (../shared/data): 83 face algorithms of
NIST's FRVT 1:N (640,000 to 12 million faces; rank-1 miss rates), 12 tattoo algorithms
(20,000 to 100,000; rank 10). Points of tasks with a known truth are averages over
subsets, or one random subset for each size.

    python benchmarks/curves.py [--repeats 8]
"""

from __future__ import annotations

import argparse
import csv
import warnings

import numpy as np

from auto_families import DATA, real_tasks, simulated
from scorecast.extrapolation import CURVE_METHODS, extrapolate_curve
from scorecast.extrapolation.observed import hide_classes
from scorecast.scores import curve_of_ranking

LEVEL = 0.9


def table(name: str, prefix: str, *, is_miss: bool) -> tuple[np.ndarray, np.ndarray]:
    """Read curves: sizes, and accuracies with a row for every algorithm."""
    with open(DATA / name) as file:
        rows = list(csv.DictReader(file))
    columns = [c for c in rows[0] if c.startswith(prefix)]
    sizes = np.array([int(c.removeprefix(prefix)) for c in columns])
    values = np.array([[float(r[c] or "nan") for c in columns] for r in rows])
    values = values[np.isfinite(values).all(axis=1)]
    return sizes, 1 - values if is_miss else values


def measure(method: str, cases: list[tuple]) -> str:
    """Return error, coverage and width of the forecasts of some cases."""
    found = []
    for sizes, accuracy, target, truth, settings in cases:
        top = settings.get("top", 1)
        if top > 1 and not CURVE_METHODS[method].handles_top:
            settings = {**settings, "top": 1}
        answer = extrapolate_curve(
            sizes,
            accuracy,
            to=int(target),
            method=method,
            confidence_level=LEVEL,
            **settings,
        )
        (p,) = answer.curves[0].predictions
        found.append((p.accuracy - truth, p.low <= truth <= p.high, p.high - p.low))
    off, holds, width = np.array(found, dtype=float).T
    return (
        f"RMSE {np.sqrt((off**2).mean()):.4f}  bias {off.mean():+.4f}  "
        f"covers {holds.mean():.2f}  width {width.mean():.4f}"
    )


def real_cases() -> dict[str, list[tuple]]:
    """Return the real curves, to be forecast from their first points."""
    cases = {}
    sizes, faces = table("curves_frvt1n.csv", "rank1_", is_miss=True)
    for n in (3, 2):
        cases[f"faces, first {n} -> 12 million"] = [
            (sizes[:n], a[:n], sizes[-1], a[-1], {}) for a in faces
        ]
    sizes, tattoos = table("curves_tatt_e.csv", "rank10_", is_miss=False)
    cases["tattoos, first 2 -> 100,000"] = [
        (sizes[:2], a[:2], sizes[-1], a[-1], {"top": 10}) for a in tattoos
    ]
    return cases


def task_cases(n_repeats: int) -> dict[str, list[tuple]]:
    """Return four points of every task, as averages and as single subsets."""
    cases: dict[str, list[tuple]] = {}
    gaussian = [
        t for t in simulated(1.0) if t.family in ("Gaussian 50", "Gaussian 200")
    ]
    for task in [*gaussian, *real_tasks()]:
        for repeat in range(n_repeats):
            observed = task.evidence(repeat)
            k = observed.n_classes
            sizes = np.unique(np.maximum(2, k // np.array([8, 4, 2, 1])))
            averages = curve_of_ranking(observed.ranking, sizes).accuracy
            single = []
            for i, size in enumerate(sizes):
                rng = np.random.default_rng((repeat, i))
                some = hide_classes(observed, int(size), rng) if size < k else observed
                single.append(some.ranks.accuracy())
            for design, values, n in (
                ("averages", averages, k),
                ("separate", single, sizes),
            ):
                settings = {"n_samples": n, "design": design}
                case = (sizes, values, task.target, task.truth(), settings)
                cases.setdefault(f"{task.family}, {design}", []).append(case)
    return cases


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--repeats", type=int, default=8)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    for name, cases in {**real_cases(), **task_cases(asked.repeats)}.items():
        print(f"{name} ({len(cases)})")
        for method in CURVE_METHODS:
            print(f"  {method:<12} {measure(method, cases)}", flush=True)


if __name__ == "__main__":
    main()
