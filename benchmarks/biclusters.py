"""Match scores of 500 x 500 biclusters, beside a double loop over Python sets.

CPU seconds, so that other work on the machine does not matter.

python benchmarks/biclusters.py
"""

import time

import numpy as np

from scorecast.biclusters import AGREEMENT_MEASURES, as_bicluster_set
from scorecast.biclusters.agreement import Overlaps, measure_agreement

SHAPE, K = (4000, 400), 500
SIZES = {
    "as in the paper's Table 6": ((60, 100), (6, 20)),
    "large: half of rows and columns": ((1900, 2100), (190, 210)),
}


def drawn(rng, sizes):
    """Draw biclusters as pairs of arrays."""
    return [
        tuple(
            np.sort(rng.choice(n, rng.integers(low, high + 1), replace=False))
            for n, (low, high) in zip(SHAPE, sizes, strict=True)
        )
        for _ in range(K)
    ]


def loop(found, hidden):
    """Return MS(B, H) and MS(H, B), of rows and of cells, by sets."""
    rows = np.empty((len(found), len(hidden)))
    cells = np.empty_like(rows)
    for i, (r1, c1) in enumerate(found):
        for j, (r2, c2) in enumerate(hidden):
            both_rows, both_columns = len(r1 & r2), len(c1 & c2)
            rows[i, j] = both_rows / (len(r1) + len(r2) - both_rows)
            area = both_rows * both_columns
            total = len(r1) * len(c1) + len(r2) * len(c2) - area
            cells[i, j] = area / total
    return [f for s in (rows, cells) for f in (s.max(1).mean(), s.max(0).mean())]


def product(found, hidden):
    """Return the same by matrix products."""
    overlaps = Overlaps(found=found, hidden=hidden)
    names = ("relevance-rows", "recovery-rows", "relevance", "recovery")
    return [AGREEMENT_MEASURES[name].evaluate(overlaps) for name in names]


def best(function, times):
    """Return the best of a few runs, in CPU seconds, and the answer."""
    seconds = []
    for _ in range(times):
        start = time.process_time()
        answer = function()
        seconds.append(time.process_time() - start)
    return min(seconds), answer


def main():
    rng = np.random.default_rng(0)
    print("| biclusters | ours | loop over sets | ratio | all 17 measures |")
    print("|---|---|---|---|---|")
    for name, sizes in SIZES.items():
        pairs = [drawn(rng, sizes) for _ in range(2)]
        sets = [[tuple(set(x.tolist()) for x in p) for p in own] for own in pairs]
        own = [as_bicluster_set(p, shape=SHAPE) for p in pairs]
        ours, fast = best(lambda own=own: product(*own), 7)
        theirs, slow = best(lambda sets=sets: loop(*sets), 2)
        assert np.allclose(fast, slow, rtol=1e-12)
        every, _ = best(lambda own=own: measure_agreement(*own), 3)
        print(
            f"| {name} | {ours * 1000:.1f} ms | {theirs:.2f} s | "
            f"**{theirs / ours:.0f}x** | {every:.2f} s |"
        )


if __name__ == "__main__":
    main()
