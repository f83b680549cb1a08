"""Measure comparisons of many models over many data sets, next to other packages.

Usage: python benchmarks/comparison.py

20 models x 1,000 data sets: Friedman's test, Iman-Davenport, aligned ranks and Quade,
with every post hoc procedure on mean ranks (Bergmann-Hommel is for up to eleven models
and is timed for nine and eleven); then `compare` as it is called. Best of three, CPU
seconds.
"""

import time
import warnings

import numpy as np
import scikit_posthocs as sp
from scipy import stats

from scorecast import compare
from scorecast.comparison import OMNIBUS_TESTS, RowKind
from scorecast.comparison.post_hoc import nemenyi_p
from scorecast.comparison.rank_tests import normal_p, plain_z
from scorecast.evaluation import adjust_p_values

N, K = 1_000, 20
ROWS = np.triu_indices(K, 1)


def best(job, times=3):
    found = []
    for _ in range(times):
        start = time.process_time()
        job()
        found.append(time.process_time() - start)
    return min(found)


def every_procedure(table):
    for test in OMNIBUS_TESTS.values():
        if test.rows is RowKind.DATASETS:
            test.evaluate(table)
    z = plain_z(table)[ROWS]
    p = normal_p(z)
    nemenyi_p(z, K)
    for name in ("bonferroni", "holm", "hochberg", "hommel", "finner", "shaffer"):
        adjust_p_values(p, name, n_models=K)


def exhaustive(k):
    p = np.random.default_rng(0).random(k * (k - 1) // 2)
    return lambda: adjust_p_values(p, "bergmann-hommel", n_models=k)


def peer(table):
    stats.friedmanchisquare(*table.T)
    sp.posthoc_nemenyi_friedman(table)


def peer_wilcoxon(table):
    for i, j in zip(*ROWS, strict=True):
        stats.wilcoxon(table[:, i], table[:, j])


def main():
    warnings.simplefilter("ignore")
    table = np.random.default_rng(0).normal(size=(N, K))
    rows = [
        ("Friedman, Iman-Davenport, aligned, Quade and seven post hoc procedures",
         best(lambda: every_procedure(table))),
        ("scipy's Friedman and scikit-posthocs' Nemenyi alone",
         best(lambda: peer(table), 1)),
        ("compare(table): 190 Wilcoxon tests, pseudo-medians with intervals, effect "
         "sizes, Holm", best(lambda: compare(table, rows="datasets"))),
        ("scipy's 190 Wilcoxon tests alone", best(lambda: peer_wilcoxon(table), 1)),
        ("Bergmann-Hommel, 9 models", best(exhaustive(9))),
        ("Bergmann-Hommel, 11 models", best(exhaustive(11))),
    ]  # fmt: skip
    print("| job, 20 models x 1,000 data sets | CPU seconds |")
    print("|---|---|")
    for name, seconds in rows:
        print(f"| {name} | {seconds:.3g} |")


if __name__ == "__main__":
    main()
