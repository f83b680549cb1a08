"""Measure permutation significance, next to scikit-learn in the same run.

Usage: python benchmarks/permutations.py [--quick]

62 cases x 2,000 features, five folds, 1,000 permutations. scikit-learn's
permutation_test_score gets the first of the same permutations, as many as take a few
seconds, with splits that move along with the labels as its stratified folds do; its
time is scaled, and the table says by how much. Scores must be equal. Both run on one
thread, and so does all that comes before: after a product on two, the second one waits
for more, at full speed, for some 25 ms that would count as theirs. Seconds are CPU
seconds of the process, which other work on the machine changes less than the clock.
"""

import argparse
import contextlib
import subprocess
import sys
import time
import warnings

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import (
    LogisticRegression,
    Perceptron,
    RidgeClassifier,
    SGDClassifier,
)
from sklearn.model_selection import StratifiedKFold, permutation_test_score
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from scorecast import permutation_test
from scorecast.evaluation.permutation.exchange import block_sizes, draw_orders

N, M, N_PERMUTATIONS = 62, 2_000, 1_000
# Model, permutations of scikit-learn, permutations of ours.
SCALED = make_pipeline(StandardScaler(), LogisticRegression())
SHRUNK = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.5)
MODELS = (
    (NearestCentroid(), 20, 1_000),
    (RidgeClassifier(), 20, 1_000),
    (GaussianNB(), 20, 1_000),
    (LogisticRegression(), 6, 1_000),
    (SHRUNK, 0, 1_000),
    (KNeighborsClassifier(), 20, 1_000),
    (SVC(kernel="linear"), 20, 100),
    (SVC(), 20, 100),
    (LinearSVC(random_state=0), 6, 100),
    (make_pipeline(StandardScaler(), NearestCentroid()), 20, 1_000),
    (make_pipeline(StandardScaler(), GaussianNB()), 20, 1_000),
    (make_pipeline(StandardScaler(), RidgeClassifier()), 20, 1_000),
    (make_pipeline(StandardScaler(), KNeighborsClassifier()), 20, 1_000),
    (SCALED, 6, 1_000),
    (DummyClassifier(), 100, 100),
    (BernoulliNB(), 20, 50),
    (LinearDiscriminantAnalysis(), 6, 1_000),
    (DecisionTreeClassifier(random_state=0), 6, 200),
    (RandomForestClassifier(20, random_state=0), 4, 200),
    (ExtraTreesClassifier(20, random_state=0), 4, 200),
    (Perceptron(random_state=0), 10, 20),
    (SGDClassifier(random_state=0), 4, 6),
    (HistGradientBoostingClassifier(max_iter=5, random_state=0), 4, 6),
    (MLPClassifier((20,), max_iter=10, random_state=0), 4, 6),
)


class Replay(np.random.RandomState):
    """Hands scikit-learn the permutations that ours drew."""

    def __init__(self, orders):
        super().__init__(0)
        self.orders = iter(orders)

    def permutation(self, n):  # noqa: ARG002
        # Ours gives case j the features of o[j]; it gives case o[j] the label of j.
        return np.argsort(next(self.orders))


class MovedSplits:
    """Splits that move along with the labels."""

    def __init__(self, splits, orders):
        self.splits, self.orders = splits, iter([np.arange(N), *orders])

    def split(self, X, y, groups=None):  # noqa: ARG002
        order = next(self.orders)
        return [(order[train], order[test]) for train, test in self.splits]

    def get_n_splits(self, X=None, y=None, groups=None):  # noqa: ARG002
        return len(self.splits)


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
    start = time.process_time()
    answer = function()
    return time.process_time() - start, answer


def compare(model, its_count, count, repeats):
    X, y, splits = sample()

    def ours(n=count):
        return permutation_test(
            model, X, y, cv=splits, n_permutations=n, random_state=0
        )

    def peer():
        orders = drawn(max(count, its_count), 0)[:its_count]
        return permutation_test_score(
            model,
            X,
            y,
            cv=MovedSplits(splits, orders),
            n_permutations=its_count,
            random_state=Replay(orders),
        )

    ours(2)  # compile
    used, found = min((seconds(ours) for _ in range(repeats)), key=lambda run: run[0])
    # Both score the data as they are too, which counts where little is done.
    scale = 1.0 if count == N_PERMUTATIONS else N_PERMUTATIONS / (count + 1)
    used *= scale
    name = " ".join(repr(model).split())
    scaled = "" if count == N_PERMUTATIONS else f" (x{scale:.0f})"
    cells = [name, found.method, f"{used:.3g} s{scaled}"]
    if its_count:
        its_used, (score, null, _) = seconds(peer)
        assert score == found.score
        assert np.array_equal(null, found.permuted.mean(axis=1)[:its_count])
        its_scale = N_PERMUTATIONS / (its_count + 1)
        its_used *= its_scale
        cells += [
            f"{its_used:.3g} s (x{its_scale:.0f})",
            f"**{its_used / used:,.1f}x**",
        ]
    else:
        cells += ["not run", "-"]
    print("| " + " | ".join([*cells, str(found.n_refitted)]) + " |", flush=True)


MEMORY = """
import re, sys
sys.path.insert(0, sys.argv[2])
from permutations import sample
from sklearn.neighbors import NearestCentroid
from scorecast import permutation_test

def resident(name):
    status = open("/proc/self/status").read()
    return int(re.search(name + r":\\s+(\\d+)", status)[1]) / 1024

X, y, splits = sample()
permutation_test(NearestCentroid(), X, y, cv=splits, n_permutations=300)
before = resident("VmRSS")
open("/proc/self/clear_refs", "w").write("5")  # forget the peak so far
permutation_test(NearestCentroid(), X, y, cv=splits, n_permutations=int(sys.argv[1]))
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
        "| model | method | ours | scikit-learn | ratio | refitted |\n"
        "|---|---|---|---|---|---|"
    )
    with (
        threadpool_limits(1),
        warnings.catch_warnings(),
        contextlib.suppress(KeyboardInterrupt),
    ):
        warnings.simplefilter("ignore")
        for model, its_count, count in MODELS:
            compare(model, its_count, count, repeats)
    for count in (1_000, 100_000):
        memory(count)


if __name__ == "__main__":
    main()
