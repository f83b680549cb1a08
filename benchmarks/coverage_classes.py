"""How often intervals of means over classes hold where some classes have two cases.

Answers are drawn class by class with chances that are known; every class is bounded as
in cross-validation. Beside it the former choice, the wider of a bootstrap within
classes and of the jackknife. Prints the table of
docs/theory-assessment.md; takes several minutes.
"""

from __future__ import annotations

import math

import numpy as np

from scorecast.evaluation import bca
from scorecast.evaluation.intervals.by_class import class_table_interval
from scorecast.evaluation.metrics import balanced_accuracy, f_measure

SIZES = {"2": (46, 11, 10, 9, 9, 6, 2, 2, 2), "1": (46, 11, 10, 9, 9, 6, 2, 2, 1)}
MEANS, SPREADS, RUNS, FORMER_RUNS, RESAMPLES = (
    (0.85, 0.95),
    (0, 0.05, 0.1, 0.2),
    2000,
    200,
    200,
)
LOSSES = {"balanced accuracy": balanced_accuracy, "F1": f_measure}


def drawn(n, mean, spread, rng):
    """Draw chances of classes and a table of answers."""
    chances = np.full(n.size, mean)
    if spread:
        scale = mean * (1 - mean) / spread**2 - 1
        chances = rng.beta(mean * scale, (1 - mean) * scale, n.size)
    shares = np.tile(n / n.sum(), (n.size, 1))
    np.fill_diagonal(shares, 0)
    shares *= ((1 - chances) / shares.sum(axis=1))[:, None]
    shares[np.diag_indices(n.size)] = chances
    counts = np.array(
        [rng.multinomial(k, row) for k, row in zip(n, shares, strict=True)]
    )
    return shares * n[:, None], counts.astype(float)


def jackknife(counts, measure):
    value, n, total = measure(counts), counts.sum(), 0.0
    for i, j in zip(*np.nonzero(counts), strict=True):
        less = counts.copy()
        less[i, j] -= 1
        with np.errstate(all="ignore"):
            total += counts[i, j] * ((value - measure(less)) * (1 - 1 / n)) ** 2
    half = 1.985 * math.sqrt(total * n / (n - 1))
    return value - half, value + half


def former(counts, measure, rng):
    """Return the wider of the bootstrap within classes and the jackknife."""
    cells = np.repeat(np.arange(counts.size), counts.astype(int).ravel())
    size = counts.shape[0]

    def statistic(units):
        return measure(np.bincount(cells[units], minlength=size**2).reshape(size, size))

    ends = [bca(statistic, cells // size, level=0.95, rng=rng, n_resamples=RESAMPLES)]
    ends.append(jackknife(counts, measure))
    known = [(low, high) for low, high in ends if not math.isnan(low + high)]
    return max(known, key=lambda pair: pair[1] - pair[0])


def main():
    for last, sizes in SIZES.items():
        n = np.array(sizes)
        units = np.where(n > 1, n - 0.5, n)
        for mean in MEANS:
            for spread in SPREADS:
                said = []
                for name, measure in LOSSES.items():
                    rng = np.random.default_rng(
                        [len(name), int(100 * mean), int(100 * spread)]
                    )
                    held, width, old = [], [], []
                    for run in range(RUNS):
                        chances, counts = drawn(n, mean, spread, rng)
                        truth = measure(chances)
                        low, high = class_table_interval(
                            counts / n[:, None], n.astype(float), units, 0.95,
                            is_f1=name == "F1",
                        )  # fmt: skip
                        held.append(low <= truth <= high)
                        width.append(high - low)
                        if run < FORMER_RUNS and last != "1":
                            low, high = former(counts, measure, rng)
                            old.append(low <= truth <= high)
                    said.append(
                        f"{np.mean(held):.3f} ({np.mean(width):.2f})"
                        + (f" | {np.mean(old):.3f}" if old else " | ")
                    )
                print(
                    f"| {last} | {mean} | {spread} | {' | '.join(said)} |", flush=True
                )


if __name__ == "__main__":
    main()
