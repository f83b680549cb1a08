"""Measure the sampler of survival times: N = 8, 3,000 cases, half of them censored.

Usage: python benchmarks/survival.py [--quick]

Sweeps per second are of CPU time of one chain, split and merge attempts included. At
least 20 are wanted. Peak memory is that of Python objects while draws are kept, for a
short and a long run that keep equally many: it must not grow with the draws.
"""

import argparse
import time
import tracemalloc
import warnings

import numpy as np

import scorecast as sc
from scorecast.mixtures import Sampling

LEAST = 20.0


def cohort(n, n_columns=7, seed=0):
    """Log times linear in the covariates; about half censored."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_columns))
    log_time = 1.0 - X[:, 0] + 0.5 * X[:, 1] + 0.5 * rng.normal(size=n)
    limit = rng.normal(1.0, 1.0, size=n)
    return X, np.exp(np.minimum(log_time, limit)), log_time <= limit


def fitted(data, n_sweeps):
    """Return CPU seconds and peak memory in MiB of one chain."""
    sampling = Sampling(n_chains=1, n_warmup=0, n_draws=n_sweeps, n_kept=20,
                        n_extensions=0, starts=(2,))  # fmt: skip
    model = sc.SurvivalModel(sampling=sampling, allow_unconverged=True, n_jobs=1)
    tracemalloc.start()
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(*data)
    seconds = time.process_time() - start
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    return seconds, peak


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    data = cohort(300 if quick else 3000)
    few, many = (20, 60) if quick else (40, 200)
    fitted(data, 4)  # compiles
    first, second = fitted(data, few), fitted(data, many)
    rate = (many - few) / (second[0] - first[0])
    print("| n, N = 8 | sweeps/s | wanted | MiB, few draws | MiB, many |")
    print("|---|---|---|---|---|")
    print(
        f"| {len(data[1]):,} | {rate:.1f} | {LEAST:g} | {first[1]:.0f} | "
        f"{second[1]:.0f} |"
    )


if __name__ == "__main__":
    main()
