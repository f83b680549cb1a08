"""Noise, skew, distributions and hidden biclusters: what they do to error and spread.

The patterns of Figures 7, 8 and 9 of Henriques and Madeira (2015), on data of
`sc.simulate`. Figures 7 and 8: n = 200, m = 500, a decision tree (for C4.5) and naive
Bayes, ten folds on several data sets per setting. Figure 9: a biclustering of matrices
by Table 6, seen through three losses.

Usage: python benchmarks/simulated_settings.py [SETS]
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import SpectralCoclustering
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import scorecast as sc
from scorecast.report.simulate import bayes_error
from scorecast.simulate import SIMULATORS

MODELS = {
    "tree": lambda: DecisionTreeClassifier(criterion="entropy", random_state=0),
    "naive Bayes": GaussianNB,
}


def folds(options: dict[str, object], n_sets: int) -> dict[str, np.ndarray]:
    """Return the error of every fold of every data set, by model."""
    errors: dict[str, list[float]] = {name: [] for name in MODELS}
    for seed in range(n_sets):
        data = SIMULATORS["classification"].make(
            random_state=seed, with_bayes_error=False, **options
        )
        split = StratifiedKFold(10, shuffle=True, random_state=seed)
        for name, model in MODELS.items():
            scores = cross_val_score(model(), data.X, data.y, cv=split)
            errors[name] += (1 - scores).tolist()
    return {name: np.array(found) for name, found in errors.items()}


def row(label: str, options: dict[str, object], n_sets: int) -> None:
    """Print error, spread of folds and Bayes error of one setting."""
    found = folds(options, n_sets)
    known = SIMULATORS["classification"].make(**options).truth.bayes_error
    cells = []
    for errors in found.values():
        of_sets = errors.reshape(n_sets, 10).mean(axis=1)
        cells += [f"{errors.mean():.3f}", f"{errors.std():.3f}", f"{of_sets.std():.3f}"]
    print(f"| {label} | {' | '.join(cells)} | {bayes_error(known)} |", flush=True)


def labelled_tables(n_sets: int) -> None:
    """Print the settings of Figures 7 and 8."""
    print("| setting | tree | sd folds | sd sets | NB | sd folds | sd sets | Bayes |")
    print("|---|---|---|---|---|---|---|---|")
    # Few features tell much, so that there is something to lose.
    hard = {"informative": 0.02, "std": 1.0}
    for noise in (0, 0.05, 0.1, 0.2, 0.4):
        row(f"noise {noise:.0%}", {**hard, "noise": noise}, n_sets)
    for skewed in (0.3, 0.6, 0.9):
        row(f"skewed {skewed:.0%}", {**hard, "skew_share": skewed}, n_sets)
    for name in ("gaussian", "gaussian-mixture", "gaussian-poisson"):
        for sd in (3.0, 5.0):
            row(f"{name}, sd {sd:g}", {"distribution": name, "std": sd}, n_sets)


def jaccard(one: tuple[set[int], set[int]], other: tuple[set[int], set[int]]) -> float:
    """Return shared cells over all cells of two biclusters."""
    shared = len(one[0] & other[0]) * len(one[1] & other[1])
    return shared / (len(one[0]) * len(one[1]) + len(other[0]) * len(other[1]) - shared)


def match(found: list, hidden: list) -> float:
    """Return the mean over found of the best overlap of rows."""
    best = [max(len(b[0] & h[0]) / len(b[0] | h[0]) for h in hidden) for b in found]
    return float(np.mean(best))


def consensus(found: list, hidden: list) -> float:
    """Return the mean overlap of the best one-to-one pairs."""
    table = np.array([[jaccard(b, h) for h in hidden] for b in found])
    pairs = linear_sum_assignment(-table)
    return float(table[pairs].sum() / max(len(found), len(hidden)))


def bicluster_table(n_sets: int) -> None:
    """Print the settings of Figure 9."""
    print("\n| setting | MS(B,H) | sd | MS(H,B) | sd | consensus | sd |")
    print("|---|---|---|---|---|---|---|")
    for size in ((100, 30), (500, 60), (1000, 100)):
        for noise in (0.0, 0.1):
            rows = []
            for seed in range(n_sets):
                data = sc.simulate.biclusters(
                    *size, pattern="constant", signal=10, noise=noise,
                    background="uniform", random_state=seed,
                )  # fmt: skip
                hidden = [
                    (set(b.rows.tolist()), set(b.columns.tolist()))
                    for b in data.truth.biclusters
                ]
                shifted = np.abs(data.X) + 0.01
                model = SpectralCoclustering(len(hidden) + 1, random_state=0)
                model.fit(shifted)
                found = [
                    (set(np.flatnonzero(r)), set(np.flatnonzero(c)))
                    for r, c in zip(model.rows_, model.columns_, strict=True)
                    if r.any() and c.any()
                ]
                rows.append((
                    match(found, hidden), match(hidden, found), consensus(found, hidden)
                ))  # fmt: skip
            mean, sd = np.mean(rows, axis=0), np.std(rows, axis=0)
            cells = " | ".join(
                f"{a:.2f} | {b:.2f}" for a, b in zip(mean, sd, strict=True)
            )
            print(f"| {size[0]} x {size[1]}, noise {noise:.0%} | {cells} |", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sets = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    labelled_tables(sets)
    bicluster_table(20)
