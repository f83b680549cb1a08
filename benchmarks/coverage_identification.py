"""How well implied information and bounds hold where the truth is known.

Stimuli X are normal in d dimensions, Y = X + noise, and I(X;Y) = (d/2) log(1 + s) is
known. Prints three tables: implied information as the dimension grows and for weaker
decoders; how often intervals hold; how often bounds exceed the truth, where the truth
is the hardest there can be.

Usage: python benchmarks/coverage_identification.py [REPEATS]
"""

import sys
import warnings

import numpy as np

import scorecast as sc
from scorecast.identification import (
    WEIGHTS,
    Trials,
    average_bayes_bound,
    best_accuracy,
    least_information,
)
from scorecast.identification.ideal_curve import fit_separation
from scorecast.identification.implied import fit_implied, sample_of_ranking
from scorecast.scores import Scores, rank_true_classes

LEVEL = 0.9


def gaussian_pair(rng, n, d, information):
    """Return stimuli and responses that share so many nats."""
    x = rng.normal(size=(n, d)) * np.sqrt(np.expm1(2 * information / d))
    return x, x + rng.normal(size=(n, d))


def decoder_scores(x, y, kind, rng):
    """Score candidates by Bayes' rule, or by rules that know less."""
    if kind == "half":
        half = max(x.shape[1] // 2, 1)
        x, y = x[:, :half], y[:, :half]
    if kind == "noisy":
        y = y + rng.normal(size=y.shape)
    if kind == "cosine":
        return y @ (x / np.linalg.norm(x, axis=1, keepdims=True)).T
    return y @ x.T - (x**2).sum(axis=1) / 2


def curve_of(scores):
    return sc.accuracy_curve(scores, range(len(scores)), standard_errors=False)


def dimensions(repeats, information=3.0, n=100):
    """Print implied information of the mean curve, by dimension and decoder."""
    kinds = ("bayes", "half", "noisy", "cosine")
    print(f"\n== dimension ==\nI = {information} nats, {n} stimuli")
    print(f"{'d':>6}" + "".join(f"{kind:>9}" for kind in kinds))
    for d in (1, 2, 5, 10, 20, 50, 200, 1000):
        rng = np.random.default_rng(d)
        curves = {kind: [] for kind in kinds}
        for _ in range(repeats):
            x, y = gaussian_pair(rng, n, d, information)
            for kind in kinds:
                scores = decoder_scores(x, y, kind, rng)
                curves[kind].append(curve_of(scores).accuracy)
        ks = np.arange(2.0, n + 1)
        found = [
            max(fit_separation(ks, np.mean(curves[kind], axis=0)).value, 0) ** 2 / 2
            for kind in kinds
        ]
        print(f"{d:>6}" + "".join(f"{value:>9.2f}" for value in found), flush=True)


def intervals(repeats):
    """Print how often 90 % intervals hold what the mean curve implies."""
    models = [(d, information) for d in (4, 60) for information in (0.3, 1.5, 4.0)]
    print("\n== intervals ==\nshare of 90 % intervals that hold, by (d, I)")
    print(f"{'n':>5}" + "".join(f"{f'({d}, {i})':>11}" for d, i in models))
    for n in (6, 8, 10, 12, 15, 20, 30, 40, 120):
        shares = [
            _held(n, repeats, lambda rng, n=n, d=d, i=i: _bayes(rng, n, d, i))["equal"]
            for d, i in models
        ]
        print(f"{n:>5}" + "".join(f"{s:>11.2f}" for s in shares), flush=True)


def weights(repeats):
    """Print the same for every way to weigh sizes."""
    print("\n== weights ==\nshare of 90 % intervals that hold, by weights")
    print(f"{'n':>5}{'d':>5}{'I':>6}" + "".join(f"{w:>12}" for w in WEIGHTS))
    for n in (15, 40, 120):
        for d, i in ((4, 1.5), (4, 4.0), (60, 1.5), (60, 4.0)):
            held = _held(
                n, repeats, lambda rng, n=n, d=d, i=i: _bayes(rng, n, d, i), WEIGHTS
            )
            row = "".join(f"{held[w]:>12.2f}" for w in WEIGHTS)
            print(f"{n:>5}{d:>5}{i:>6}{row}", flush=True)


def attraction(repeats):
    """Print the same where some candidates attract answers."""
    print("\n== attraction ==\nshare of 90 % intervals that hold: calm, attracted")
    for n in (15, 30, 60, 120):
        shares = [
            _held(n, repeats, lambda rng, n=n, s=share: _attracting(rng, n, s))["equal"]
            for share in (0.0, 0.1)
        ]
        print(f"{n:>5}" + "".join(f"{s:>11.2f}" for s in shares), flush=True)


def _bayes(rng, n, d, information):
    return decoder_scores(*gaussian_pair(rng, n, d, information), "bayes", rng)


def _attracting(rng, n, share):
    """Draw scores N(0, 1), the true ones 2.5 higher, some columns shifted N(0, 4)."""
    scores = rng.normal(size=(n, n)) + 2.5 * np.eye(n)
    columns = rng.permutation(n)[: round(share * n)]
    scores[:, columns] += 2 * rng.normal(size=columns.size)
    return scores


def _held(n, repeats, draw, ways=("equal",)):
    rng = np.random.default_rng(1)
    ks = np.arange(2.0, n + 1)
    curves, ends = [], {w: [] for w in ways}
    for _ in range(repeats):
        ranking = rank_true_classes(Scores(draw(rng), range(n)))
        sample = sample_of_ranking(ranking)
        curves.append(sample.curve.accuracy)
        for w in ways:
            found = fit_implied(sample, weights=w, confidence_level=LEVEL, units="nats")
            ends[w].append((found.low, found.high))
    truth = max(fit_separation(ks, np.mean(curves, axis=0)).value, 0.0) ** 2 / 2
    return {w: np.mean([low <= truth <= high for low, high in ends[w]]) for w in ways}


def circle_scores(rng, n, k, c):
    """Return scores in the model that reaches the capacity for k classes."""
    x = rng.random(n)
    grid = np.linspace(0, 1, 20_001)
    mass = np.cumsum(np.exp(c * (grid ** (k - 1) - 1)))
    y = (x + np.interp(rng.random(n), mass / mass[-1], grid)) % 1
    return (y[:, None] - x) % 1


def bounds(repeats):
    """Print how often bounds on information exceed the truth in the hardest model."""
    methods = ("sharpest", "joint", "poisson", "mcdiarmid", "cantelli", "paper")
    print(
        "\n== bounds ==\nshare of 90 % bounds above the truth, hardest model; raw: no"
    )
    print("allowance for chance")
    print(f"{'n':>5}{'k':>4}" + "".join(f"{m:>10}" for m in (*methods, "raw")))
    for n, k, c in ((10, 3, 3.0), (30, 3, 3.0), (30, 10, 6.0), (100, 10, 6.0)):
        rng = np.random.default_rng(2)
        t = (np.arange(200_000) + 0.5) / 200_000
        q = np.exp(c * (t ** (k - 1) - 1))
        q /= q.mean()
        truth = float((q * np.log(q)).mean())
        exceeded = dict.fromkeys((*methods, "raw"), 0)
        for _ in range(repeats):
            scores = circle_scores(rng, n, k, c)
            a = float(sc.accuracy_curve(scores, range(n), sizes=k).accuracy[0])
            for m in methods:
                low = average_bayes_bound(
                    a, Trials.of(n, 1), confidence_level=LEVEL, method=m
                )
                exceeded[m] += (
                    float(least_information(low, n_classes=k, units="nats")) > truth
                )
            exceeded["raw"] += a > float(
                best_accuracy(truth, n_classes=k, units="nats")
            )
        row = "".join(f"{exceeded[m] / repeats:>10.3f}" for m in (*methods, "raw"))
        print(f"{n:>5}{k:>4}{row}", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # answers that are all right
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    dimensions(max(repeats // 4, 5))
    bounds(5 * repeats)
    intervals(repeats)
    weights(repeats)
    attraction(repeats)
    print("\n== end ==")
