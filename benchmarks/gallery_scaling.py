"""Ranks from embeddings on one and on two workers of this machine, beside the model.

Usage: python benchmarks/gallery_scaling.py [--vectors 40000] [--features 128]

Workers are processes with one thread each; the gallery is a file that both read, or in
memory and sent. The load of the machine stands above the table: on a busy one two
workers share what one had, so seconds tell nothing and CPU seconds little. Counts are
checked to be the same. The last lines are the model for 64 workers: multiplications and
additions, and bytes moved, from the sizes alone.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path

import numpy as np

import scorecast as sc
from scorecast.scores.gallery_blocks import gallery_blocks, rows_in_block


def measure(gallery, probes, address):
    """Return the counts and the seconds they took, the second time."""
    from scorecast.scores.embedding_ranks import competitor_counts

    labels = np.arange(len(gallery))
    for _ in range(2):  # the first one compiles, or loads what was compiled
        start = time.perf_counter()
        with sc.engine("dask", address=address):
            counts, _ = competitor_counts(
                gallery,
                probes,
                labels[: len(probes)],
                labels,
                labels * 0,
                n_groups=1,
                metric="sqeuclidean",
            )
        seconds = time.perf_counter() - start
    return counts, seconds


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


def main():
    """Print the table."""
    import distributed

    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--vectors", type=int, default=40_000)
    parser.add_argument("--features", type=int, default=128)
    given = parser.parse_args()
    n, d = given.vectors, given.features
    rng = np.random.default_rng(0)
    gallery = rng.normal(size=(n, d)).astype(np.float32)
    probes = gallery + rng.normal(size=(n, d)).astype(np.float32)
    load = os.getloadavg()[0]
    print(f"load {load:.1f} on {os.cpu_count()} cores; n = k = {n:,}, d = {d}\n")
    print("| workers | gallery | seconds | 10^9 operations a second |")
    print("|---|---|---|---|")
    known, rate = None, 0.0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "gallery.npy"
        np.save(path, gallery)
        mapped = np.load(path, mmap_mode="r")
        for workers in (1, 2):
            with distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address=None,
            ) as cluster:
                for where, vectors in (("a file", mapped), ("memory", gallery)):
                    counts, seconds = measure(
                        vectors, probes, cluster.scheduler_address
                    )
                    assert known is None or np.array_equal(known, counts)
                    known = counts
                    speed = 2 * n * n * d / seconds
                    rate = rate or speed
                    print(
                        f"| {workers} | {where} | {seconds:.1f} | {speed / 1e9:.0f} |"
                    )
    print("\nThe model for 64 workers at the speed of one, n = k = 10^6:\n")
    seconds, counts, sent = model(10**6, 10**6, d, rate, 64)
    print(f"{seconds:.0f} s; moved: counts {counts / 1e9:.1f} GB, and")
    print(f"from memory, vectors {sent / 1e9:.1f} GB")
    if load > 1:
        print(f"\nA load of {load:.1f} beside it: these figures are no measurement.")


if __name__ == "__main__":
    main()
