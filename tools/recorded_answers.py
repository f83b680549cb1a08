"""Record the answers of many commands and calls, and see that they come back.

The house is rebuilt room by room; every number of before must be there afterwards.
``record`` runs all commands and calls below and writes the leaves of their JSON to
``tools/recorded_answers.json``; ``check`` runs them again and compares field by field,
through the table of renamed fields in ``tools/renamed_fields.json``. Options and
parameters that are renamed are changed here; names of entries and seeds are not.

    python tools/recorded_answers.py check [NAME ...]
    python tools/recorded_answers.py record

Numbers agree to nine digits. Every default that may change is given.
"""

from __future__ import annotations

import argparse
import fnmatch
import io
import json
import math
import os
import re
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
RECORD = HERE / "recorded_answers.json"
RENAMED = HERE / "renamed_fields.json"
_DIGITS = 1e-9
_LONGEST = 12  # items of a list that are kept one by one


# Inputs --------------------------------------------------------------------------


def make_inputs() -> None:
    """Write every file that the commands read, by NumPy alone."""
    rng = np.random.default_rng(20260101)
    centres = rng.normal(size=(30, 6))
    own = np.repeat(np.arange(30), 4)
    found = centres[own] + 0.45 * rng.normal(size=(120, 6))
    scores = -((found[:, None] - centres) ** 2).sum(axis=2)
    other = scores + 0.8 * rng.normal(size=scores.shape)
    np.save("scores.npy", scores)
    np.save("other.npy", other)
    np.save("gallery.npy", centres)
    np.save("probes.npy", found)
    _lines("labels.txt", own)
    _lines("gallery_labels.txt", range(30))
    table = np.column_stack([own, scores.round(4)])
    _table("scores.csv", ["truth", *(str(i) for i in range(30))], table, {0: int})
    faultless = rng.normal(size=(16, 16)) + 9 * np.eye(16)
    np.save("faultless.npy", faultless)
    _lines("sixteen.txt", range(16))
    costs = rng.uniform(1, 3, size=(30, 30)).round(2)
    np.fill_diagonal(costs, 0)
    np.save("costs.npy", costs)

    chance = np.clip(rng.beta(2, 2, size=150), 0.05, 0.95).round(3)
    won = (rng.random(150) < chance).astype(int)
    rival = np.clip(chance + rng.normal(0, 0.15, 150), 0.05, 0.95).round(3)
    q = np.where(won == 1, chance, 1 - chance)
    q2 = np.where(won == 1, rival, 1 - rival)
    rows = zip(
        chance, won, q, q2, np.full(150, 0.5), rng.integers(0, 3, 150), strict=True
    )
    _table("games.csv", ["p", "won", "q", "q2", "half", "season"], rows, {})
    three = rng.dirichlet([2, 1, 1], size=90)
    which = [int(rng.choice(3, p=row)) for row in three]
    _table(
        "three.csv",
        ["a", "b", "c", "class"],
        [[*row.round(6), "abc"[i]] for row, i in zip(three, which, strict=True)],
        {},
    )

    stimuli = rng.normal(size=(80, 5))
    weights = rng.normal(size=(5, 12))
    responses = stimuli @ weights + 2.0 * rng.normal(size=(80, 12))
    np.save("stimuli.npy", stimuli)
    np.save("responses.npy", responses)
    square = -((responses[:40, None] - (stimuli @ weights)[None, :40]) ** 2).sum(axis=2)
    np.save("square.npy", square)
    np.save("square2.npy", square + 15 * rng.normal(size=square.shape))

    age, size = rng.normal(60, 8, 70), rng.normal(3, 1, 70)
    times = np.exp(2 + 0.03 * (age - 60) - 0.4 * (size - 3) + 0.6 * rng.normal(size=70))
    end = rng.uniform(2, 25, size=70)
    _table(
        "times.csv",
        ["time", "event", "age", "size"],
        np.column_stack(
            [np.minimum(times, end).round(3), times <= end, age.round(1), size.round(2)]
        ),
        {1: int},
    )

    label = rng.integers(0, 2, 60)
    features = rng.normal(size=(60, 12))
    features[:, :3] += 0.9 * label[:, None]
    rows = np.column_stack([features.round(3), label])
    _table("tumours.csv", [*(f"g{i}" for i in range(12)), "kind"], rows, {12: int})
    kinds = rng.integers(0, 3, 75)
    more = rng.normal(size=(75, 6)) + kinds[:, None] * 0.8
    _table(
        "kinds.csv",
        [*(f"v{i}" for i in range(6)), "kind"],
        [[*row.round(3), "xyz"[k]] for row, k in zip(more, kinds, strict=False)],
        {},
    )
    value = features[:, 0] * 2 + features[:, 3] + rng.normal(size=60)
    _table(
        "doses.csv",
        [*(f"g{i}" for i in range(12)), "dose"],
        np.column_stack([features.round(3), value.round(3)]),
        {},
    )
    right = rng.random(90) < 0.75
    _table(
        "right.csv",
        ["right", "text"],
        np.column_stack([right, np.repeat(np.arange(18), 5)]),
        {0: int, 1: int},
    )
    matrix = rng.normal(size=(40, 25))
    matrix[:8, :6] += 3
    np.save("matrix.npy", matrix)
    bicluster = {"rows": list(range(8)), "columns": list(range(6))}
    Path("found.json").write_text(json.dumps({"biclusters": [bicluster]}))
    np.save("draws.npy", rng.normal(size=(120, 2)))

    level = rng.uniform(0.6, 0.9, size=14)
    errors = level[:, None] + [0.0, 0.02, 0.05, 0.051] + rng.normal(0, 0.02, (14, 4))
    _table(
        "results.csv",
        ["set", "svm", "knn", "tree", "net"],
        [[f"d{i}", *row.round(4)] for i, row in enumerate(errors)],
        {},
    )
    _table(
        "long.csv",
        ["set", "learner", "score"],
        [
            [f"d{i}", name, round(float(errors[i, j]), 4)]
            for i in range(14)
            for j, name in enumerate(["svm", "knn", "tree", "net"])
        ],
        {},
    )
    _table(
        "two.csv",
        ["set", "new", "old"],
        [[f"d{i}", *row.round(4)] for i, row in enumerate(errors[:, :2])],
        {},
    )
    truth = rng.integers(0, 2, 120)
    good = np.where(rng.random(120) < 0.85, truth, 1 - truth)
    fair = np.where(rng.random(120) < 0.75, truth, 1 - truth)
    sure = np.clip(0.5 + (truth - 0.5) * 0.5 + rng.normal(0, 0.2, 120), 0.01, 0.99)
    guess = np.clip(0.5 + (truth - 0.5) * 0.2 + rng.normal(0, 0.2, 120), 0.01, 0.99)
    _table(
        "cases.csv",
        ["gold", "good", "fair"],
        np.column_stack([truth, good, fair]),
        {0: int, 1: int, 2: int},
    )
    _table(
        "chances.csv",
        ["gold", "sure", "guess", "text"],
        [
            [t, round(float(a), 4), round(float(b), 4), f"t{i // 5}"]
            for i, (t, a, b) in enumerate(zip(truth, sure, guess, strict=False))
        ],
        {},
    )
    hits = (rng.random((100, 3)) < [0.8, 0.7, 0.6]).astype(int)
    _table("hits.csv", ["a", "b", "c"], hits, {0: int, 1: int, 2: int})


def _lines(path: str, values: Any) -> None:
    Path(path).write_text("".join(f"{value}\n" for value in values))


def _table(path: str, names: list[str], rows: Any, kinds: dict[int, type]) -> None:
    cells = (
        ",".join(
            str(kinds.get(i, lambda x: x)(x.item() if hasattr(x, "item") else x))
            for i, x in enumerate(row)
        )
        for row in rows
    )
    Path(path).write_text("\n".join([",".join(names), *cells]) + "\n")


# Commands: name, and what follows `scorecast` ------------------------------------

_SCORES = "--labels labels.txt --confidence-level 0.9 --seed 0"
COMMANDS = {
    "extrapolate": f"extrapolate scores.npy {_SCORES} --to 100 --to 1000",
    "extrapolate-csv": "extrapolate scores.csv --label-column truth --to 300 "
    "--confidence-level .95",
    "extrapolate-embeddings": "extrapolate --gallery gallery.npy --gallery-labels "
    f"gallery_labels.txt --probes probes.npy {_SCORES} --metric cosine --to 300",
    "extrapolate-top": f"extrapolate scores.npy {_SCORES} --to 300 --top 3",
    "extrapolate-micro": f"extrapolate scores.npy {_SCORES} --to 300 --average micro "
    "--ties pessimistic --backtest 0 --no-compare",
    "extrapolate-faultless": "extrapolate faultless.npy --labels sixteen.txt --to 400 "
    "--confidence-level 0.9",
    "extrapolate-cost": f"extrapolate scores.npy {_SCORES} --cost costs.npy --to 300",
    "extrapolate-moments": f"extrapolate scores.npy {_SCORES} --cost costs.npy --to 300 "
    "--method moments",
    **{
        f"extrapolate-{method}": f"extrapolate scores.npy {_SCORES} --to 300 --method "
        f"{method} --backtest 4{more}"
        for method, more in [
            ("bayesian", ""),
            ("regression", " --method-option form=risk --method-option knots=r"),
            ("gaussian", ""),
            ("kde-ucv", ""),
            ("kde-bcv", ""),
            ("kde-fixed", " --method-option bandwidth=0.4"),
            ("spline", ""),
            ("polynomial", ""),
        ]
    },
    "backtest": f"backtest scores.npy {_SCORES} --repeats 4 --ratio 3 --method bayesian "
    "--method kde-ucv --method spline",
    "backtest-all": f"backtest scores.npy {_SCORES} --repeats 2",
    "information": "information games.csv --q q --p half --confidence-level .95 "
    "--units bits",
    "information-versus": "information games.csv --q q --p half --versus q2 --units nats",
    "information-binary": "information games.csv --probability p --label-column won "
    "--leave-one-out --quick",
    "information-classes": "information three.csv --probability a --probability b "
    "--probability c --label-column class --leave-one-out",
    "information-groups": "information games.csv --q q --p half --groups season --quick",
    "information-compiled": "information games.csv --q q --p half --chains 2 "
    "--draws 200 --allow-unconverged",
    "identify-scores": "identify --scores square.npy --to 200 --units bits "
    "--confidence-level .95",
    "identify-decoders": "identify --scores a=square.npy --scores b=square2.npy "
    "--population 1000",
    "identify-encoding": "identify --stimuli stimuli.npy --responses responses.npy "
    "--test-size 0.3 --n-splits 3 --to 100",
    "identify-weights": "identify --stimuli stimuli.npy --responses responses.npy "
    "--weights variance --n-splits 2 --units nats",
    "recurrence-quick": "survival times.csv --time time --event event --quick",
    "recurrence": "survival times.csv --time time --event event --cv 3 --chains 2 "
    "--draws 100 --baselines none --allow-unconverged --max-seconds 0",
    "assess": "assess tumours.csv --target kind --model discriminant --model nearest-centroid "
    "--permutations 50 --null-sets 3 --cv 5",
    "assess-quick": "assess kinds.csv --target kind --model naive-bayes --quick",
    "assess-losses": "assess tumours.csv --target kind --model logistic --scoring auc "
    "--scoring f1 --scoring mcc --scoring brier --pos-label 1 --permutations 0",
    "assess-bootstrap": "assess tumours.csv --target kind --model discriminant --cv .632+ "
    "--permutations 20 --null-sets 0",
    "assess-pairs-left-out": "assess tumours.csv --target kind --model discriminant --cv "
    "lpo --scoring auc --permutations 0",
    "assess-curves": "assess tumours.csv --target kind --model discriminant --learning-curve "
    "--feature-curve --target-score .9 --select 3 --permutations 0",
    "assess-regression": "assess doses.csv --target dose --model ridge "
    "--permutations 20 --null-sets 0 --cv 5",
    "assess-tune": "assess tumours.csv --target kind --model neighbours --tune "
    "n_neighbors=1,3,5 --permutations 0 --cv 5",
    "assess-right": "assess right.csv --right right --groups text",
    "assess-biclusters": "biclusters matrix.npy --found found.json --named-beforehand",
    "assess-density": "density draws.npy --density sklearn.mixture:GaussianMixture(n_components=1) --n-splits 3",
    "settings": "settings tumours.csv --target kind --model discriminant --model neighbours --vary "
    "n_samples=20,40 --datasets 4 --cv 5",
    "settings-simulated": "settings --simulate --vary n_samples=20,40 --fix n_features=8 --model discriminant "
    "--model naive-bayes --datasets 3 --cv 5",
    "compare": "compare results.csv --confidence-level .95 --latex table.tex",
    "compare-control": "compare results.csv --control svm --post-hoc holm --omnibus "
    "friedman",
    "compare-long": "compare long.csv --long set learner score --post-hoc nemenyi",
    "compare-exhaustive": "compare results.csv --post-hoc bergmann-hommel --omnibus "
    "quade",
    "compare-errors": "compare results.csv --lower-is-better --test wilcoxon --rope .01",
    "compare-splits": "compare two.csv --rows splits --test-ratio .25 --rope .01",
    "compare-two": "compare two.csv --test sign",
    "compare-cases": "compare cases.csv --truth gold",
    "compare-auc": "compare chances.csv --truth gold --scoring roc_auc --drop text",
    "compare-groups": "compare chances.csv --truth gold --scoring brier_score --groups "
    "text --test permutation",
    "compare-hits": "compare hits.csv",
    "size": "size --accuracy .9 --width .1",
    "size-versus": "size --accuracy .9 --versus .85 --power .8 --disagreement .2",
    "size-groups": "size --accuracy .9 --width .1 --group-size 5 --correlation .3",
    "simulate-classes": "simulate recognition",
    "simulate-labelled": "simulate classification",
    "simulate-biclusters": "simulate biclusters",
    "simulate-forecasts": "simulate forecasts --information .5 --units nats",
}


# Calls ---------------------------------------------------------------------------

CALLS: dict[str, Callable[[], Any]] = {}


def call(function: Callable[[], Any]) -> Callable[[], Any]:
    """Add a call under the name of its function."""
    CALLS[f"sc.{function.__name__}"] = function
    return function


def _scores() -> tuple[Any, Any]:
    return np.load("scores.npy"), np.loadtxt("labels.txt", dtype=int)


def _labelled(path: str = "tumours.csv") -> tuple[Any, Any]:
    data = np.loadtxt(path, delimiter=",", skiprows=1)
    return data[:, :-1], data[:, -1]


@call
def accuracy_curve() -> Any:
    import scorecast as sc

    return sc.accuracy_curve(*_scores(), sizes=[2, 5, 30], ties="random")


@call
def accuracy_curve_top() -> Any:
    import scorecast as sc

    return sc.accuracy_curve(*_scores(), top=2, average="micro")


@call
def risk_curve() -> Any:
    import scorecast as sc

    return sc.risk_curve(*_scores(), cost=np.load("costs.npy"), sizes=[2, 10, 30])


@call
def extrapolate_ties() -> Any:
    import scorecast as sc

    scores, own = _scores()
    return sc.extrapolate(
        scores.round(0),
        own,
        to=200,
        ties="optimistic",
        confidence_level=0.9,
        random_state=0,
    )


@call
def extrapolators() -> Any:
    from scorecast.extrapolation import EXTRAPOLATORS, ObservedClasses
    from scorecast.scores import Scores

    # Called as the estimators of the first edition were.
    makers = {
        "AutoExtrapolator": "auto",
        "BayesianExtrapolator": "bayesian",
        "GaussianExtrapolator": "gaussian",
        "KdeExtrapolator": "kde-ucv",
        "PolynomialExtrapolator": "polynomial",
        "RegressionExtrapolator": "regression",
        "SplineExtrapolator": "spline",
    }
    observed = ObservedClasses.of(Scores(*_scores()))
    ks = np.array([31, 100, 1000])
    found = {}
    for name, method in makers.items():
        rng = np.random.default_rng(0)
        law = EXTRAPOLATORS[method].fit(observed, rng).law
        found[name] = np.clip(law.accuracy(ks), 0, 1).tolist()
    return found


@call
def scores_from() -> Any:
    from sklearn.neighbors import NearestCentroid

    import scorecast as sc

    x, y = np.load("probes.npy"), np.loadtxt("labels.txt", dtype=int)
    made = sc.scores_from(NearestCentroid(), x[::2], y[::2], x[1::2], y[1::2])
    return sc.accuracy_curve(made, sizes=[2, 10, 30])


@call
def proportion_interval() -> Any:
    import scorecast as sc

    return sc.evaluation.proportion_interval([1] * 17 + [0] * 3, confidence_level=0.95)


@call
def proportion_interval_groups() -> Any:
    import scorecast as sc

    data = np.loadtxt("right.csv", delimiter=",", skiprows=1)
    return sc.evaluation.proportion_interval(
        data[:, 0], groups=data[:, 1], confidence_level=0.95
    )


@call
def required_test_size() -> Any:
    import scorecast as sc

    return [
        sc.required_test_size(0.8, width=0.1, confidence_level=0.95).to_dict(),
        sc.required_test_size(
            0.8, versus=0.7, power=0.9, confidence_level=0.95
        ).to_dict(),
        sc.required_test_size(
            0.9, width=0.1, n_repeats=4, repeat_correlation=0.5
        ).to_dict(),
    ]


@call
def learning_curve_fit() -> Any:
    from scorecast.evaluation import fit_learning_curve

    sizes = [10, 20, 40, 80]
    scores = np.array([[0.6, 0.7, 0.75, 0.8], [0.62, 0.68, 0.77, 0.79]]).T
    return fit_learning_curve(
        sizes,
        scores,
        target=0.85,
        confidence_level=0.9,
        n_resamples=50,
        random_state=0,
    )


@call
def learning_curve_scores() -> Any:
    from sklearn.naive_bayes import GaussianNB

    import scorecast as sc

    x, y = _labelled()
    # Its divisions are those of assess now; the scores of before had others.
    found = sc.learning_curve(
        GaussianNB(), x, y, sizes=[15, 30, 40], n_repeats=4, random_state=0
    )
    return found.scores.tolist()


@call
def permutation_scores() -> Any:
    from sklearn.model_selection import StratifiedKFold
    from sklearn.naive_bayes import GaussianNB

    import scorecast as sc

    x, y = _labelled()
    folds = StratifiedKFold(5)
    return sc.permutation_test(
        GaussianNB(), x, y, cv=folds, n_permutations=50, random_state=0
    )


@call
def data_regularities() -> Any:
    from scorecast.evaluation import data_profile

    return data_profile(*_labelled(), threshold=0.8)


@call
def selected_features() -> Any:
    from scorecast.evaluation import feature_selection_test

    return feature_selection_test(*_labelled(), 3, n_permutations=50, random_state=0)


@call
def selection_bias() -> Any:
    from sklearn.feature_selection import SelectKBest
    from sklearn.model_selection import StratifiedKFold
    from sklearn.naive_bayes import GaussianNB

    from scorecast.evaluation import selection_bias as biased

    x, y = _labelled()
    return biased(
        SelectKBest(k=3),
        GaussianNB(),
        x,
        y,
        cv=StratifiedKFold(5),
        confidence_level=0.95,
        random_state=0,
    )


@call
def assess() -> Any:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.naive_bayes import GaussianNB

    import scorecast as sc
    from scorecast.evaluation import NullTests

    models = {"lda": LinearDiscriminantAnalysis(), "bayes": GaussianNB()}
    return sc.assess(
        models,
        *_labelled(),
        cv="5x2",
        tests=NullTests(n_permutations=30, n_null_data=2),
        confidence_level=0.95,
        random_state=0,
    )


@call
def compare_pair_tests() -> Any:
    import scorecast as sc

    rng = np.random.default_rng(7)
    a, b = rng.normal(0.8, 0.05, 10), rng.normal(0.78, 0.05, 10)
    tests = ["wilcoxon", "sign", "paired-t", "bootstrap", "permutation"]
    return {
        name: sc.compare_pair(
            a,
            b,
            test=name,
            greater_is_better=True,
            confidence_level=0.95,
            random_state=0,
            n_resamples=499,
        ).to_dict()
        for name in tests
    }


@call
def compare_pair_mcnemar() -> Any:
    import scorecast as sc

    truth, good, fair = np.loadtxt("cases.csv", delimiter=",", skiprows=1).T
    names = ["mcnemar", "mcnemar-exact", "mcnemar-corrected", "mcnemar-plain"]
    return {
        name: sc.compare_pair(
            good, fair, truth, test=name, confidence_level=0.95, random_state=None
        ).to_dict()
        for name in names
    }


@call
def compare_pair_delong() -> Any:
    import scorecast as sc

    data = np.genfromtxt("chances.csv", delimiter=",", skip_header=1)[:, :3]
    truth, sure, guess = data.T
    return sc.compare_pair(sure, guess, truth, scoring="roc_auc", random_state=0)


@call
def compare_pair_5x2() -> Any:
    import scorecast as sc

    rng = np.random.default_rng(8)
    a, b = rng.normal(0.8, 0.03, (5, 2)), rng.normal(0.77, 0.03, (5, 2))
    return {
        name: sc.compare_pair(
            a, b, test=name, greater_is_better=True, random_state=None
        ).to_dict()
        for name in ["5x2cv-t", "5x2cv-f"]
    }


@call
def compare_frame() -> Any:
    import scorecast as sc

    data = np.genfromtxt("results.csv", delimiter=",", skip_header=1)[:, 1:]
    table = dict(zip(["svm", "knn", "tree", "net"], data.T.tolist(), strict=True))
    return sc.compare(
        table,
        rows="datasets",
        greater_is_better=True,
        confidence_level=0.9,
        rope=0.01,
        post_hoc="shaffer",
        omnibus="aligned-ranks",
        random_state=0,
    )


@call
def apparent_information() -> Any:
    import scorecast as sc

    q = np.genfromtxt("games.csv", delimiter=",", skip_header=1)[:, 2]
    half = np.full(q.size, np.log(0.5))
    return sc.apparent_information(np.log(q), half, units="nats", confidence_level=0.9)


@call
def compare_information() -> Any:
    import scorecast as sc

    data = np.genfromtxt("games.csv", delimiter=",", skip_header=1)
    return sc.compare_information(
        np.log(data[:, 2]), np.log(data[:, 3]), units="nats", quick=True
    )


@call
def mutual_information_bound() -> Any:
    import scorecast as sc

    return [
        sc.mutual_information_bound(
            0.8,
            n_classes=50,
            n_tests=200,
            method=method,
            units="nats",
            confidence_level=0.95,
        ).to_dict()
        for method in ["sharpest", "joint", "binomial"]
    ]


@call
def mutual_information_bound_two_classes() -> Any:
    import scorecast as sc

    return sc.mutual_information_bound(1.0, n_classes=2, n_tests=100, units="nats")


@call
def implied_information() -> Any:
    import scorecast as sc

    return sc.implied_information(*_scores(), weights="covariance", units="nats")


@call
def implied_information_subsampled() -> Any:
    import scorecast as sc

    return sc.implied_information(
        *_scores(),
        interval="subsampling",
        n_subsamples=50,
        units="nats",
        random_state=0,
    )


@call
def identify() -> Any:
    import scorecast as sc

    return sc.identify(
        np.load("stimuli.npy"),
        np.load("responses.npy"),
        n_splits=2,
        units="nats",
        confidence_level=0.95,
        random_state=0,
    )


@call
def compare_decoders() -> Any:
    import scorecast as sc

    scores, own = _scores()
    decoders = {"a": scores, "b": np.load("other.npy")}
    return sc.compare_decoders(decoders, own, units="nats", confidence_level=0.95)


@call
def score_biclusters() -> Any:
    import scorecast as sc

    found = [(list(range(8)), list(range(6))), (list(range(5, 12)), list(range(3, 9)))]
    truth = [(list(range(8)), list(range(6)))]
    return sc.score_biclusters(
        found,
        truth=truth,
        data=np.load("matrix.npy"),
        n_permutations=49,
        n_random=20,
        random_state=0,
    )


@call
def density_test() -> Any:
    from sklearn.mixture import GaussianMixture

    import scorecast as sc

    return sc.density_test(
        GaussianMixture(1),
        np.load("draws.npy"),
        n_splits=2,
        n_refits=39,
        random_state=0,
    )


@call
def compare_densities() -> Any:
    from sklearn.mixture import GaussianMixture

    import scorecast as sc

    models = {"one": GaussianMixture(1), "two": GaussianMixture(2, random_state=0)}
    return sc.evaluation.compare_densities(
        models, np.load("draws.npy"), n_splits=2, n_refits=79, random_state=0
    )


@call
def evaluate_recurrence() -> Any:
    import scorecast as sc

    time, event, *x = np.loadtxt("times.csv", delimiter=",", skiprows=1).T
    model = sc.SurvivalModel(random_state=0)
    found = sc.evaluate_survival(
        model,
        np.column_stack(x),
        time,
        event,
        cv=3,
        baselines=(),
        units="nats",
        quick=True,
        random_state=0,
    ).samples
    return {"log_q": found.log_q.tolist(), "log_p": found.log_p.tolist()}


@call
def simulate_classes() -> Any:
    from scorecast import simulate

    made = simulate.recognition(n_classes=10, random_state=0)
    truth = made.truth.accuracy.tolist()
    return {"probes": np.asarray(made.probes).tolist(), "accuracy": truth}


# Running, recording, comparing ----------------------------------------------------


def answer(name: str) -> dict[str, Any]:
    """Run a command or call in a folder with the inputs; return the leaves found."""
    if name in COMMANDS:
        found = _run(COMMANDS[name].split())
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = CALLS[name]()
            except Exception as error:  # noqa: BLE001 - the other answers go on
                found = {"exit_code": 1, "message": f"{type(error).__name__}: {error}"}
        if hasattr(found, "to_dict"):
            found = found.to_dict()
        found = json.loads(json.dumps(found, default=float))
    return dict(_leaves(found))


def _run(arguments: list[str]) -> Any:
    from scorecast.cli.main import main

    if arguments[0] == "simulate":
        arguments = [*arguments, "--out", f"{arguments[1]}.csv", "--force"]
    out, err = io.StringIO(), io.StringIO()
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main([*arguments, "--json", "-", "--quiet"])
    except SystemExit as end:
        if end.code not in (0, None, 5):
            return {"exit_code": end.code, "message": err.getvalue()[-300:]}
    return json.loads(out.getvalue())


def _leaves(value: Any, path: str = "$") -> Iterator[tuple[str, Any]]:
    """Walk to every number, text and flag; of long lists keep ends and sum."""
    if isinstance(value, dict):
        for key, item in value.items():
            if path == "$" and key in ("scorecast", "schema"):
                continue
            yield from _leaves(item, f"{path}.{key}")
    elif isinstance(value, list):
        numbers = [x for x in value if isinstance(x, int | float)]
        if len(value) > _LONGEST and len(numbers) == len(value):
            yield f"{path}[sum]", math.fsum(numbers)
            yield f"{path}[squares]", math.fsum(x * x for x in numbers)
            value = value[:5]
        elif len(value) > _LONGEST:
            yield f"{path}[length]", len(value)
            value = value[:5]
        for i, item in enumerate(value):
            yield from _leaves(item, f"{path}[{i}]")
    else:
        yield path, value


def _same(old: Any, new: Any) -> bool:
    if isinstance(old, bool) or isinstance(new, bool) or isinstance(old, str):
        return bool(old == new)
    if isinstance(old, int | float) and isinstance(new, int | float):
        return math.isclose(old, new, rel_tol=_DIGITS, abs_tol=1e-12)
    return bool(old == new)


def translate(
    name: str, old: dict[str, Any], table: list[dict[str, str]]
) -> dict[str, Any]:
    """Give recorded leaves their present paths; a path to "" is not looked for."""
    found = {}
    for path, value in old.items():
        for row in table:
            if fnmatch.fnmatch(name, row["answer"]) and re.search(row["old"], path):
                path = re.sub(row["old"], row["new"], path) if row["new"] else ""
                if not path:
                    break
        if path:
            found[path] = value
    return found


def check(names: list[str]) -> int:
    """Run again and say what differs; return how many answers do."""
    recorded = json.loads(RECORD.read_text())
    table = json.loads(RENAMED.read_text())
    n_bad = 0
    for name in names:
        start = time.process_time()
        found = answer(name)
        expected = translate(name, recorded[name], table)
        wrong = [
            f"{path}: {value!r} -> {found.get(path, 'missing')!r}"
            for path, value in expected.items()
            if path not in found or not _same(value, found[path])
        ]
        n_bad += bool(wrong)
        state = f"{len(wrong)} of {len(expected)} differ" if wrong else "same"
        print(f"{name}: {state} ({time.process_time() - start:.1f} s)", flush=True)
        for line in wrong[:8]:
            print(f"    {line}")
    print(f"{len(names) - n_bad} of {len(names)} answers came back")
    return n_bad


def main() -> int:
    """Record or check, in a folder of its own."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("verb", choices=["record", "check"])
    parser.add_argument("names", nargs="*", help="entries, or patterns of them")
    asked = parser.parse_args()
    every = [*COMMANDS, *CALLS]
    names = [n for n in every if any(fnmatch.fnmatch(n, p) for p in asked.names)]
    names = names if asked.names else every
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_inputs()
        if asked.verb == "check":
            return min(check(names), 1)
        recorded = json.loads(RECORD.read_text()) if asked.names else {}
        for name in names:
            start = time.process_time()
            recorded[name] = answer(name)
            print(f"{name}: {time.process_time() - start:.1f} s", flush=True)
            if "$.exit_code" in recorded[name]:
                print(name, recorded[name]["$.message"])
    lines = json.dumps(recorded, indent=0, sort_keys=True)
    RECORD.write_text(lines + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
