"""Ranks and tails of embeddings on one and on two workers of this machine, and a model.

Usage: python benchmarks/gallery_scaling.py [--vectors 75000] [--features 128]

Workers are processes of one thread each; the gallery is a file that both read, or in
memory and sent. A quarter as many probes are looked at as the gallery has vectors.
Answers are checked to be the same. Below the table are the load of the machine, and the
model for 64 workers: operations, and bytes moved, from the sizes alone. On a busy
machine two workers share what one had, so that the ratio tells nothing.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path

import numpy as np

import scorecast as sc
from scorecast.scores.gallery_blocks import gallery_blocks, rows_in_block

N_BEST = 100  # wrong scores of a probe that a tail is read from


def warm_up():
    """Load, or compile, what a worker needs."""
    rows = np.random.default_rng(0).normal(size=(3000, 16)).astype(np.float32)
    ranks(rows, rows[:1000])


def ranks(gallery, probes):
    return embeddings(gallery, probes).competitor_counts(
        np.zeros(len(gallery), dtype=np.int64), 1
    )


def tails(gallery, probes):
    found = embeddings(gallery, probes).best_wrong(N_BEST)
    return found.truth, found.wrong, found.median


def embeddings(gallery, probes):
    return sc.Embeddings(gallery, probes, range(len(probes)))


JOBS = {
    "ranks, gallery in a file": (ranks, "file"),
    "ranks, gallery sent": (ranks, "memory"),
    "tails, gallery in a file": (tails, "file"),
}


def model(n, k, d, rate, workers):
    """Return seconds of arithmetic, and bytes from and to the caller."""
    n_rows = rows_in_block(d)
    n_rivals = n_rows * 4 // 5
    n_blocks = len(gallery_blocks(np.arange(k), n_rivals))
    n_probes = n_rows - n_rivals
    # Two counts of a byte for each of 256 groups, from every block of the gallery.
    counts = 2 * 256 * n * n_blocks
    # Probes with the vectors of their classes; the gallery once for so many of them.
    together = max(1, (1 << 28) // (8 * d * n_probes)) * n_probes
    sent = 4 * d * (2 * n + k * -(-n // together))
    return 2 * n * k * d / rate / workers, counts, sent


def measured(galleries, probes):
    """Return seconds by job and number of workers, on clusters of one and of two."""
    import distributed

    seconds, answers = {}, {}
    for workers in (1, 2):
        with (
            distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address=None,
            ) as cluster,
            distributed.Client(cluster) as client,
            sc.engine("dask", address=cluster.scheduler_address),
        ):
            client.run(warm_up)
            for name, (function, place) in JOBS.items():
                start = time.perf_counter()
                answer = function(galleries[place], probes)
                seconds[name, workers] = time.perf_counter() - start
                known = answers.setdefault(function, answer)
                assert all(map(np.array_equal, known, answer))
    return seconds


def main():
    """Print the table and the model."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--vectors", type=int, default=75_000)
    parser.add_argument("--features", type=int, default=128)
    given = parser.parse_args()
    k, d = given.vectors, given.features
    n = k // 4
    load = os.getloadavg()[0]
    rng = np.random.default_rng(0)
    gallery = rng.normal(size=(k, d)).astype(np.float32)
    probes = gallery[:n] + rng.normal(size=(n, d)).astype(np.float32)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "gallery.npy"
        np.save(path, gallery)
        galleries = {"file": np.load(path, mmap_mode="r"), "memory": gallery}
        seconds = measured(galleries, probes)
    print(f"| job, n = {n:,}, k = {k:,}, d = {d} | one worker | two workers | ratio |")
    print("|---|---|---|---|")
    for name in JOBS:
        one, two = seconds[name, 1], seconds[name, 2]
        print(f"| {name} | {one:.1f} s | {two:.1f} s | {one / two:.2f}x |")
    rate = 2 * n * k * d / seconds[next(iter(JOBS)), 1]
    alone, counts, sent = model(10**6, 10**6, d, rate, 64)
    print(f"\nLoad before: {load:.1f} on {os.cpu_count()} cores.")
    print(f"One worker: {rate / 1e9:.0f}e9 operations a second. The model for 64 of")
    print(
        f"them, n = k = 10^6: {alone:.0f} s; moved: counts {counts / 1e9:.1f} GB, and"
    )
    print(f"from memory, vectors {sent / 1e9:.1f} GB")


if __name__ == "__main__":
    main()
