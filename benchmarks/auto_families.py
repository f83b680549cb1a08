"""Compare `auto` with every single method over families of tasks.

The comparison in docs/decisions/0003-auto.md: prints one table of the worst and the
mean RMSE over the tasks of each family, and the coverage of 90 % intervals of `auto`.
Simulated families are those of `recognition_families.py`; real data are looked for in
$SCORECAST_DATA (../shared/data). By default a few repeats of every task; --only takes
the families whose names begin so, --shift makes the noise larger, for other tasks.

    python benchmarks/auto_families.py [--repeats 4] [--only Gaussian] [--shift 1.25]
"""

from __future__ import annotations

import argparse
import itertools
import os
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from recognition_families import Task as Recognition, simulated_tasks
from scorecast.extrapolation.auto import Auto
from scorecast.extrapolation.bayesian import Bayesian
from scorecast.extrapolation.gaussian import Gaussian
from scorecast.extrapolation.intervals import prediction_interval
from scorecast.extrapolation.kde import Kde
from scorecast.extrapolation.observed import ObservedClasses, hide_classes
from scorecast.extrapolation.polynomial import Polynomial
from scorecast.extrapolation.regression import Regression
from scorecast.extrapolation.spline import Spline
from scorecast.extrapolation.tail import Tail
from scorecast.scores import Scores

DATA = Path(os.environ.get("SCORECAST_DATA", "../shared/data"))
REAL, TRAINED = "real embeddings", "non-marginal classifiers"
METHODS = {
    "auto": Auto(),
    "bayesian": Bayesian(),
    "tail": Tail(),
    "gaussian": Gaussian(),
    "regression": Regression(n_subsamples=5),
    "spline": Spline(),
    "polynomial": Polynomial(),
    "kde-ucv": Kde(),
    "kde-bcv": Kde(rule="bcv"),
}


class Task(NamedTuple):
    family: str
    name: str
    target: int
    truth: Callable[[], float]
    evidence: Callable[[int], ObservedClasses]


def simulated(shift: float) -> Iterator[Task]:
    for one in simulated_tasks(shift):
        yield Task(
            one.family, one.name, one.target, one.truth, lambda r, t=one: draw(t, r)
        )


def draw(task: Recognition, seed: int) -> ObservedClasses:
    return ObservedClasses.of(Scores(task.scores(seed), np.arange(task.n_classes)))


def real_tasks() -> Iterator[Task]:
    for name, everything in real_scores():
        whole = ObservedClasses.of(everything)
        sizes = (20, 60) if whole.n_classes < 1000 else (100, 200)
        if whole.n_classes < 100:
            sizes = (10, 20)
        for size in sizes:
            yield Task(
                REAL,
                f"{name}, {size} classes",
                whole.n_classes,
                whole.ranks.accuracy,
                lambda r, e=whole, n=size: hide_classes(e, n, np.random.default_rng(r)),
            )


def real_scores() -> Iterator[tuple[str, Scores]]:
    if found("omniglot_small_img35.npz"):
        images = characters()
        gallery, probes = images[:, :10].mean(axis=1), images[:, 10:14]
        own = np.repeat(np.arange(len(images)), 4)
        yield (
            "characters",
            Scores(-distances(probes.reshape(own.size, -1), gallery), own),
        )
    if found("lfw_openface3d.npz"):
        data = np.load(DATA / "lfw_openface3d.npz")
        _, first, counts = np.unique(data["y"], return_index=True, return_counts=True)
        first = first[counts >= 2]
        faces = data["X"].astype(np.float64)
        scores = -distances(faces[first + 1], faces[first])
        yield "faces (LFW)", Scores(scores, np.arange(first.size))
    if found("att_openface128.npz"):
        data = np.load(DATA / "att_openface128.npz")
        labels = np.unique(data["y"], return_inverse=True)[1]
        first = np.unique(labels, return_index=True)[1]
        faces, rest = data["X"].astype(np.float64), np.ones(labels.size, dtype=bool)
        rest[first] = False
        yield (
            "faces (AT&T)",
            Scores(-distances(faces[rest], faces[first]), labels[rest]),
        )


def classifier_tasks() -> Iterator[Task]:
    if not found("omniglot_small_img35.npz"):
        return
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neural_network import MLPClassifier
    from sklearn.svm import LinearSVC

    # All are trained until they converge: a net stopped after so many epochs is
    # trained better with more classes, and its accuracy need not fall.
    makers = {
        "logistic": lambda: LogisticRegression(C=0.05, max_iter=1000),
        "linear svm": lambda: LinearSVC(C=0.003, max_iter=20_000),
        "neural net": lambda: MLPClassifier(
            64, alpha=0.05, learning_rate_init=0.003, max_iter=1500, random_state=0
        ),
        "forest": lambda: RandomForestClassifier(100, random_state=0),
        "naive Bayes": lambda: GaussianNB(var_smoothing=0.05),
    }
    features = principal_components(characters(), 60)
    for name, make in makers.items():
        everything = ObservedClasses.of(trained_scores(make(), features))
        for size in (25, 60):
            yield Task(
                TRAINED,
                f"{name}, {size} classes",
                len(features),
                everything.ranks.accuracy,
                lambda r, m=make, n=size: ObservedClasses.of(
                    trained_scores(m(), some(features, n, r))
                ),
            )


def trained_scores(model, features) -> Scores:
    n_classes, _, width = features.shape
    train = features[:, :12].reshape(-1, width)
    model.fit(train, np.repeat(np.arange(n_classes), 12))
    test = features[:, 12:].reshape(-1, width)
    if hasattr(model, "decision_function"):
        values = model.decision_function(test)
    else:
        values = np.log(np.maximum(model.predict_proba(test), 1e-300))
    return Scores(values, np.repeat(np.arange(n_classes), 8))


def some(features, n_kept, seed):
    rng = np.random.default_rng([n_kept, seed])
    return features[rng.permutation(len(features))[:n_kept]]


def principal_components(images, n_kept):
    flat = images.reshape(-1, images.shape[-1])
    flat = flat - flat.mean(axis=0)
    _, vectors = np.linalg.eigh(flat.T @ flat)
    kept = flat @ vectors[:, -n_kept:]
    return (kept / kept.std(axis=0).mean()).reshape(*images.shape[:2], n_kept)


def characters():
    packed = np.load(DATA / "omniglot_small_img35.npz")["img"]
    images = np.unpackbits(packed, axis=-1)[..., :1225]
    return images.reshape(len(packed), 20, 1225).astype(np.float64)


def distances(a, b):
    squares = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1) - 2 * a @ b.T
    return np.sqrt(np.maximum(squares, 0))


def found(name: str) -> bool:
    if (DATA / name).exists():
        return True
    print(f"skipped: {DATA / name} not found (set SCORECAST_DATA)")
    return False


def run(task: Task, n_repeats: int) -> tuple[dict[str, float], float, float]:
    """Return the RMSE of each method, and coverage and width of auto's interval."""
    target, truth = np.array([task.target]), task.truth()
    errors: dict[str, list[float]] = {name: [] for name in METHODS}
    held, widths = [], []
    for repeat in range(n_repeats):
        evidence = task.evidence(repeat)
        for name, method in METHODS.items():
            fit = method.fit(evidence, np.random.default_rng(repeat))
            accuracy = float(np.clip(fit.law.accuracy(target)[0], 0, 1))
            errors[name].append(accuracy - truth)
            if name == "auto":
                interval = prediction_interval(fit, evidence, target, 0.9)
                held.append(interval.low[0] <= truth <= interval.high[0])
                widths.append(interval.high[0] - interval.low[0])
    rmse = {n: float(np.sqrt(np.mean(np.square(e)))) for n, e in errors.items()}
    return rmse, float(np.mean(held)), float(np.mean(widths))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=4)
    parser.add_argument("--only", default="", help="how names of families begin")
    parser.add_argument("--shift", type=float, default=1.0, help="times the noise")
    asked = parser.parse_args()
    n_repeats = asked.repeats
    warnings.simplefilter("ignore")
    started = time.perf_counter()
    results: dict[str, list[tuple[dict[str, float], float, float]]] = {}
    tasks = simulated(asked.shift)
    # Real data are read, and classifiers trained, only if they are asked for.
    for family, make in {REAL: real_tasks, TRAINED: classifier_tasks}.items():
        if family.startswith(asked.only):
            tasks = itertools.chain(tasks, make())
    for task in tasks:
        if task.family.startswith(asked.only):
            results.setdefault(task.family, []).append(run(task, n_repeats))
    print(f"{'RMSE: worst (mean) over tasks':30s}", end="")
    print("".join(f"{f'{f} ({len(r)})':>32s}" for f, r in results.items()))
    for name in METHODS:
        cells = [[rmse[name] for rmse, _, _ in rows] for rows in results.values()]
        line = "".join(f"{f'{max(c):.3f} ({np.mean(c):.3f})':>32s}" for c in cells)
        print(f"{name:30s}{line}")
    for label, column in (("coverage of 90 % interval", 1), ("mean width", 2)):
        means = [np.mean([row[column] for row in rows]) for rows in results.values()]
        print(f"{label:30s}" + "".join(f"{m:32.3f}" for m in means))
    print(f"{n_repeats} repeats, {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
