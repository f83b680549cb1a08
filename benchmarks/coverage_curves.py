"""How often learning curves hold, and how often a law that does not fit is refused.

Two normal classes, 62 samples, 20 features of which three tell them apart; nearest
centroids, whose accuracy is known exactly. Prints how often 90 % intervals hold the
truth at sizes that were tried and beyond, beside curves that take repeats for
independent; then how often a power law is refused as it is, and after the measured
curve was bent by so many points.

Usage: python benchmarks/coverage_curves.py [DATA SETS]
"""

import sys

import numpy as np
from scipy.special import ndtr
from sklearn.neighbors import NearestCentroid

from scorecast import learning_curve
from scorecast.evaluation import Metric, fit_learning_curve

LEVEL, SHIFT, N = 0.9, 0.9, 62
SIZES = (46, 62, 186, 560)
TRUTHS = 500  # data sets behind each truth


def drawn(size, rng):
    y = np.arange(size) % 2
    X = rng.standard_normal((size, 20))
    X[:, :3] += SHIFT * y[:, None]
    return X, y


def accuracy(X, y):
    """Return the accuracy of the nearest centroid, exactly."""
    ends = [X[y == c].mean(axis=0) for c in (0, 1)]
    way = ends[1] - ends[0]
    middle, size = way @ (ends[0] + ends[1]) / 2, np.linalg.norm(way)
    right = ndtr((SHIFT * way[:3].sum() - middle) / size)
    return (right + ndtr(middle / size)) / 2


def truths(rng):
    found = {
        n: np.mean([accuracy(*drawn(n, rng)) for _ in range(TRUTHS)]) for n in SIZES
    }
    endless = ndtr(SHIFT * np.sqrt(3) / 2)  # both centroids are known
    return {**found, np.inf: endless}


def held(fit, truth):
    low, high = fit.interval_at(truth[0])  # of the limit, if that is infinite
    return low <= truth[1] <= high


def bent(scores, shape, points):
    """Bend a measured curve, size by size."""
    k = scores.shape[0]
    bend = np.zeros(k)
    if shape == "nothing learned below half of the sizes":
        bend[: k // 2] = -points
    elif shape == "a dip in the middle":
        bend[k // 2] = -points
    else:  # worse with the most samples
        bend[-1] = -points
    return np.clip(scores + bend[:, None], 0, 1)


def main(runs):
    rng = np.random.default_rng(11)
    truth = truths(rng)
    counts = {way: dict.fromkeys(truth, 0) for way in ("shared", "independent")}
    tables, refused = [], 0
    for _ in range(runs):
        call = {"confidence_level": LEVEL, "random_state": rng}
        fit = learning_curve(NearestCentroid(), *drawn(N, rng), **call)
        alone = fit_learning_curve(fit.sizes, fit.scores, **call)
        refused += not fit.fits
        tables.append(fit)
        for way, one in (("shared", fit), ("independent", alone)):
            for place in truth.items():
                counts[way][place[0]] += bool(held(one, place))
    print(f"{runs} data sets, level {LEVEL:.0%}; tried: {fit.sizes.tolist()}")
    for way, own in counts.items():
        print(f"{way:>12}", *(f"{n}: {own[n] / runs:.0%}" for n in truth))
    print(f"refused as it is: {refused} of {runs}")
    shapes = (
        "nothing learned below half of the sizes",
        "a dip in the middle",
        "worse with the most samples",
    )
    for shape in shapes:
        shares = []
        for points in (0.05, 0.1, 0.2, 0.3):
            fits = [
                fit_learning_curve(
                    t.sizes,
                    bent(t.scores, shape, points),
                    scoring=Metric.unnamed(worst=0.0),
                    confidence_level=LEVEL,
                    test_ratio=t.test_ratio,
                    n_samples=N,
                    n_resamples=2,
                )
                for t in tables
            ]
            shares.append(np.mean([not one.fits for one in fits]))
        print(f"{shape:<42}", *(f"{x:.0%}" for x in shares))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 110)
