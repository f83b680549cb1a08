"""Measure permutation significance, next to scikit-learn in the same run.

Usage: python benchmarks/permutations.py [--quick]

62 cases x 2,000 features, five folds, 1,000 permutations. scikit-learn's
permutation_test_score gets the same splits and the first of the same permutations, as
many as take a few seconds; its time is scaled, and the table says by how much. Scores
must be equal. Both run on one thread; a last column has scikit-learn as it is called by
default, with as many threads as it likes.
"""

import argparse
import contextlib
import subprocess
import sys
import time
import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import StratifiedKFold, permutation_test_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from scorecast import permutation_scores
from scorecast.guarantees.permutation.shuffles import block_sizes, draw_orders

N, M, N_PERMUTATIONS = 62, 2_000, 1_000
# Model, permutations of scikit-learn, permutations of ours.
MODELS = (
    (NearestCentroid(), 20, 1_000),
    (RidgeClassifier(), 20, 1_000),
    (GaussianNB(), 20, 1_000),
    (LogisticRegression(), 6, 1_000),
    (make_pipeline(StandardScaler(), LogisticRegression()), 6, 1_000),
    (SVC(kernel="linear"), 20, 1_000),
    (LinearSVC(random_state=0), 6, 1_000),
    (KNeighborsClassifier(), 20, 100),
    (DecisionTreeClassifier(random_state=0), 6, 20),
)


class Replay(np.random.RandomState):
    """Hands scikit-learn the permutations that ours drew."""

    def __init__(self, orders):
        super().__init__(0)
        self.orders = iter(orders)

    def permutation(self, n):  # noqa: ARG002
        return next(self.orders)


def sample(seed=0):
    """Correlated features, sixty of which tell the classes apart."""
    rng = np.random.default_rng(seed)
    y = (np.arange(N) >= 22).astype(int)
    X = 0.6 * rng.standard_normal((N, 10)) @ rng.standard_normal((10, M))
    X += rng.standard_normal((N, M))
    X[y == 1, :60] += 0.8
    splits = StratifiedKFold(5, shuffle=True, random_state=0).split(X, y)
    return X, y, list(splits)


def drawn(count, seed):
    sizes = block_sizes(count)
    streams = np.random.default_rng(seed).spawn(len(sizes) + 1)[1:]
    parts = zip(sizes, streams, strict=True)
    everyone = [np.arange(N)]
    return np.concatenate([draw_orders(b, everyone, N, rng) for b, rng in parts])


def seconds(function):
    start = time.perf_counter()
    answer = function()
    return time.perf_counter() - start, answer


def compare(model, its_count, count, repeats):
    X, y, splits = sample()

    def ours(n=count):
        return permutation_scores(model, X, y, splits, n_permutations=n, random_state=0)

    def peer():
        orders = Replay(drawn(count, 0)[:its_count])
        return permutation_test_score(
            model, X, y, cv=splits, n_permutations=its_count, random_state=orders
        )

    ours(2)  # compile
    wall, found = min((seconds(ours) for _ in range(repeats)), key=lambda run: run[0])
    with threadpool_limits(1):
        its_wall, (score, null, _) = seconds(peer)
    free_wall, _ = seconds(peer)
    assert score == found.score
    assert np.array_equal(null, found.permuted.mean(axis=1)[:its_count])
    # The peer also scores the labels as they are.
    scale, its_scale = N_PERMUTATIONS / count, N_PERMUTATIONS / (its_count + 1)
    wall, its_wall, free_wall = (
        wall * scale,
        its_wall * its_scale,
        free_wall * its_scale,
    )
    name = " ".join(repr(model).split())
    scaled = "" if count == N_PERMUTATIONS else f" (x{scale:g})"
    cells = (
        name,
        found.method,
        f"{wall:.3g} s{scaled}",
        f"{its_wall:.3g} s (x{its_scale:.0f})",
        f"**{its_wall / wall:,.1f}x**",
        f"{free_wall:.3g} s",
        str(found.n_refitted),
    )
    print("| " + " | ".join(cells) + " |", flush=True)


MEMORY = """
import re, sys
sys.path.insert(0, sys.argv[2])
from permutations import sample
from sklearn.neighbors import NearestCentroid
from scorecast import permutation_scores

def resident(name):
    status = open("/proc/self/status").read()
    return int(re.search(name + r":\\s+(\\d+)", status)[1]) / 1024

X, y, splits = sample()
permutation_scores(NearestCentroid(), X, y, splits, n_permutations=300)
before = resident("VmRSS")
open("/proc/self/clear_refs", "w").write("5")  # forget the peak so far
permutation_scores(NearestCentroid(), X, y, splits, n_permutations=int(sys.argv[1]))
print(resident("VmHWM") - before)
"""


def memory(count):
    folder = __file__.rpartition("/")[0] or "."
    command = [sys.executable, "-c", MEMORY, str(count), folder]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    kept = count * 5 * 8 / 2**20
    print(
        f"memory of {count:,} permutations over that of 300: {float(done.stdout):.1f} "
        f"MB, of which the scores themselves {kept:.1f} MB"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one repeat")
    repeats = 1 if parser.parse_args().quick else 3
    print(
        "| model | method | ours | scikit-learn, one thread | ratio | as it is called "
        "| refitted |\n|---|---|---|---|---|---|---|"
    )
    with warnings.catch_warnings(), contextlib.suppress(KeyboardInterrupt):
        warnings.simplefilter("ignore")
        for model, its_count, count in MODELS:
            compare(model, its_count, count, repeats)
    for count in (1_000, 100_000):
        memory(count)


if __name__ == "__main__":
    main()
