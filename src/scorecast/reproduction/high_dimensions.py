"""Entries of Henriques and Madeira (2015): many features, few samples."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from scorecast._core.progress import track
from scorecast._core.types import FloatArray, IntArray
from scorecast.biclusters import assess_biclustering, score_biclusters
from scorecast.evaluation import (
    Diagnostics,
    ModelAssessment,
    NullTests,
    assess,
    assess_settings,
    required_test_size,
    wilson,
)
from scorecast.exceptions import InvalidInputError, Location, ScorecastWarning
from scorecast.reproduction.entry import (
    Found,
    Measured,
    Work,
    cannot_be_had,
    reproduces,
)
from scorecast.reproduction.result import Line, LineStyle, Panel, Picture
from scorecast.simulate import (
    PUBLISHED_SIZES,
    SIMULATORS,
    BayesError,
    ClassificationData,
    Component,
    Correlation,
    Normal,
    Poisson,
    Skew,
    biclusters,
    classification,
)

_Z = 1.959964  # half a 95 % interval, in standard errors
_BARE = Diagnostics(bias_variance=False, data_profile=False, n_resamples=0)
_DECOMPOSED = Diagnostics(data_profile=False, n_resamples=0)
_TREE = "pruned-tree"  # with the habits of C4.5
_MODELS = {_TREE: "C4.5", "naive-bayes": "NB", "svm": "SVM"}
_MICROARRAYS = {
    "colon": "microarray_colon.npz",
    "leukemia": "microarray_leukemia.npz",
}


# --- formulas -------------------------------------------------------------------------


@reproduces(
    "003-fn-4",
    "test cases for an interval of width .1",
    "how many test cases make an interval around a sensitivity of 90 % that narrow",
    seconds=0.1,
)
def cases_for_width(work: Work) -> Found:
    """Ask for the size, by three intervals."""
    del work
    numbers = {}
    for name, cell in {"wilson": "Wilson", "wald": "Wald", "exact": "exact"}.items():
        found = required_test_size(accuracy=0.9, width=0.1, interval=name)
        numbers[f"cases, {cell}"] = Measured(value=float(found.n_samples))
    for n in (75, 100):
        low, high = wilson(0.9 * n, n, 0.95)
        numbers[f"width with {n} cases, Wilson"] = Measured(value=high - low)
    return Found(numbers=numbers)


@reproduces(
    "003-fig-1",
    "a hyperplane that fits any labels",
    "error on the samples learned from and on new ones, for random labels, as features "
    "become more than samples",
    seconds=1.5,
)
def any_labels(work: Work) -> Found:
    """Fit hyperplanes by least squares to labels that mean nothing."""
    rng, n, repeats = work.rng(), 40, work.repeats(40, 400)
    sizes = (5, 10, 20, 30, 39, 60, 100)
    learned, new = [], []
    for m in sizes:
        seen, unseen = [], []
        for _ in range(repeats):
            x, y = rng.normal(size=(n, m)), rng.choice([-1.0, 1.0], size=n)
            inner = np.column_stack([np.ones(n), x])
            weights = np.linalg.lstsq(inner, y, rcond=None)[0]
            seen.append(np.mean(np.sign(inner @ weights) != y))
            fresh = np.column_stack([np.ones(200), rng.normal(size=(200, m))])
            truth = rng.choice([-1.0, 1.0], size=200)
            unseen.append(np.mean(np.sign(fresh @ weights) != truth))
        learned.append(float(np.mean(seen)))
        new.append((float(np.mean(unseen)), float(np.std(unseen) / np.sqrt(repeats))))
    at = tuple(map(float, sizes))
    lines = (
        Line(name="samples learned from", x=at, y=tuple(learned)),
        Line(name="new samples", x=at, y=tuple(value for value, _ in new)),
    )
    picture = Picture(
        title="Error of a hyperplane fitted to random labels of 40 samples",
        xlabel="features",
        ylabel="error",
        panels=(Panel(title="", lines=lines),),
    )
    value, error = new[sizes.index(39)]
    return Found(
        numbers={
            "error on samples learned from, 39 features": Measured(
                value=learned[sizes.index(39)]
            ),
            "error on new samples, 39 features": Measured(value=value, error=error),
        },
        pictures=(picture,),
    )


@reproduces(
    "003-fn-12",
    "match scores and consensus of biclusters",
    "footnotes 12 and 13 on three found and two hidden biclusters",
    aliases=("003-fn-13", "003-fn-12-13"),
    seconds=0.5,
)
def match_scores(work: Work) -> Found:
    """Score a fixed example."""
    del work
    found = [
        ([0, 1, 2, 3], [0, 1, 2]),
        ([4, 5], [3, 4]),
        ([0, 6, 7], [1, 5]),
    ]
    hidden = [([0, 1, 2], [0, 1, 2, 3]), ([4, 5, 6], [3, 4, 5])]
    scores = score_biclusters(found, truth=hidden, shape=(8, 6), n_random=0)
    cells = {
        "match score of found ones, rows": "relevance-rows",
        "match score of hidden ones, rows": "recovery-rows",
        "match score of found ones, cells": "relevance",
        "match score of hidden ones, cells": "recovery",
        "Fabia consensus": "consensus",
        "RNIA": "rnia",
        "clustering error": "clustering-error",
    }
    return Found(
        numbers={
            cell: Measured(value=scores.agreement[name].value)
            for cell, name in cells.items()
        }
    )


# --- generated data -------------------------------------------------------------------


@reproduces(
    "003-table-5",
    "generated data: settings with labels",
    "one data set for each value of each factor, and what it really has",
    seconds=2.0,
    full_minutes=2.0,
)
def labelled_data(work: Work) -> Found:
    """Make data by Table 5, and measure what was asked for."""
    most = 10000 if work.is_full else 1000
    sizes = {
        "features": [(200, m) for m in (500, 1000, 2000, 5000)],
        "observations": [(n, 500) for n in (100, 200, 500, 1000, 10000) if n <= most],
    }
    shapes = []
    for rows in sizes.values():
        for n, m in rows:
            made = classification(n, m, with_bayes_error=False, random_state=work.seed)
            shapes.append(made.X.shape == (n, m))
    classes = [len(np.unique(_labelled(work, n_classes=c)[1])) == c for c in (2, 3, 5)]
    skewed = []
    for share in (0.0, 0.3, 0.6, 0.9):
        made = classification(
            with_bayes_error=False, skew=Skew(share=share), random_state=work.seed
        )
        skewed.append(len(made.truth.skewed) == round(500 * share))
    imbalance = []
    for share in (0.0, 0.4, 0.6, 0.8):
        counts = np.bincount(_labelled(work, imbalance=share)[1])
        imbalance.append(1 - counts.min() / counts.max())
    gaps = np.abs(np.array(imbalance) - (0.0, 0.4, 0.6, 0.8))
    kinds = {
        (name, std): _labels_by(work, distribution=name, std=std)
        for name in _TABLE_5
        for std in (3.0, 5.0)
    }
    laws = [
        [set(parts) for parts in made.truth.mixtures]
        == [set(parts) for parts in _TABLE_5[name](std)]
        for (name, std), made in kinds.items()
    ]
    noisy = {share: _labels_by(work, noise=share) for share in (0, 0.05, 0.1, 0.2, 0.4)}
    clean = noisy[0].X
    low, high = np.quantile(clean, (0.001, 0.999))
    moved = [np.abs(made.X - clean).max() / (high - low) for made in noisy.values()]
    numbers = {
        "sizes are those asked for": Measured(value=float(all(shapes))),
        "classes are those asked for": Measured(value=float(all(classes))),
        "distributions are those of the table": Measured(value=float(all(laws))),
        "skewed features are those asked for": Measured(value=float(all(skewed))),
        "greatest gap of the imbalance": Measured(value=float(gaps.max())),
        "greatest gap of the noise": Measured(
            value=float(np.abs(np.array(moved) - list(noisy)).max())
        ),
    }
    errors = {
        **{
            f"{title}, sd {std:g}": kinds[name, std]
            for name, title in _KINDS.items()
            for std in (3.0, 5.0)
        },
        **{f"noise {100 * share:g} %": made for share, made in noisy.items() if share},
    }
    for cell, made in errors.items():
        numbers[f"Bayes error, {cell}"] = _as_measured(made.truth.bayes_error)
    return Found(numbers=numbers)


_KINDS = {
    "gaussian": "normal",
    "gaussian-mixture": "mixture",
    "gaussian-poisson": "Poisson",
}
_TABLE_5: dict[str, Callable[[float], tuple[tuple[Component, ...], ...]]] = {
    "gaussian": lambda s: ((Normal(1, s),), (Normal(0, s),), (Normal(-1, s),)),
    "gaussian-mixture": lambda s: (
        (Normal(-1, s), Normal(2, s)),
        (Normal(0, s),),
        (Normal(-2, s), Normal(1, s)),
    ),
    "gaussian-poisson": lambda s: (
        (Normal(1, s), Poisson(4)),
        (Normal(0, s), Poisson(5)),
        (Normal(-1, s), Poisson(6)),
    ),
}


def _labels_by(work: Work, **options: Any) -> ClassificationData:
    """Make 200 samples of 50 features, of which the Bayes error is known."""
    return classification(200, 50, random_state=work.seed, **options)


def _as_measured(error: BayesError | None) -> Measured:
    """Return a Bayes error with its standard error, if it was drawn."""
    if error is None:  # it was asked for
        raise AssertionError("no Bayes error")
    spread = (error.high - error.low) / (2 * _Z)
    return Measured(value=error.value, error=spread or None)


def _labelled(work: Work, **options: Any) -> tuple[FloatArray, IntArray]:
    made = classification(with_bayes_error=False, random_state=work.seed, **options)
    return made.X, made.y


@reproduces(
    "003-table-6",
    "generated data: matrices with hidden biclusters",
    "number, sizes and area of the biclusters that are planted",
    seconds=2.0,
)
def hidden_biclusters(work: Work) -> Found:
    """Make matrices by Table 6, and measure what was planted."""
    numbers = {}
    for (n, m), (count, rows, columns) in PUBLISHED_SIZES.items():
        area, fits, counts = [], True, []
        for seed in range(work.repeats(6, 20)):
            planted = biclusters(n, m, random_state=seed).truth.biclusters
            counts.append(len(planted))
            cells = {
                (int(i), int(j)) for b in planted for i in b.rows for j in b.columns
            }
            area.append(len(cells) / (n * m))
            fits &= all(
                rows[0] <= len(b.rows) <= rows[1]
                and columns[0] <= len(b.columns) <= columns[1]
                for b in planted
            )
        size = f"{n} x {m}"
        numbers[f"{size}, biclusters"] = Measured(value=float(np.mean(counts)))
        numbers[f"{size}, area"] = Measured(
            value=float(np.mean(area)),
            error=float(np.std(area, ddof=1) / np.sqrt(len(area))),
        )
        spans = f"{rows[0]}-{rows[1]} rows and {columns[0]}-{columns[1]} columns"
        cell = f"{size}: {count} of {spans}"
        numbers[cell] = Measured(value=float(fits and set(counts) == {count}))
    return Found(numbers=numbers)


_CORRELATED = 30  # features: what the largest block holds
_BLOCKS, _RHOS = (1, 5, 10, 30), (0.125, 0.25, 0.5)
_GRID = tuple(round(0.05 * i, 2) for i in range(10, -1, -1))  # .5 to 0
_GUO_SD = math.sqrt(0.2)
_HUA_SD = 3.0  # not said in the paper: the easy setting of its Table 5


@reproduces(
    "003-guo",
    "generated data: two classes that come together",
    "Bayes error of two normal classes, one at 0, the other from .5 to 0 in steps of "
    ".05, variance .2, 30 features in blocks of 1 to 30 with correlations to .5",
    seconds=1.0,
)
def closing_classes(work: Work) -> Found:
    """Find the Bayes error as classes come together, and as features depend."""

    def error(mean: float, size: int, rho: float) -> BayesError:
        classes = (Normal(0.0, _GUO_SD), Normal(mean, _GUO_SD))
        return _bayes_error(work, classes, size, rho)

    errors = {
        (size, rho): [error(mean, size, rho).value for mean in _GRID]
        for size, rho in _block_settings()
    }
    numbers = {}
    for (size, rho), values in errors.items():
        is_shown = size == 1 or (size, rho) == (_BLOCKS[-1], _RHOS[-1])
        for mean, value in zip(_GRID, values, strict=True):
            if is_shown or mean == _GRID[0]:
                cell = f"mean {mean:g}, {_blocks(size, rho)}"
                numbers[cell] = Measured(value=value)
    apart = {where: values[:-1] for where, values in errors.items()}  # at 0 nothing is
    panels = tuple(
        Panel(
            title="independent features" if size == 1 else f"blocks of {size}",
            lines=tuple(
                Line(name=_correlation(rho), x=_GRID, y=tuple(errors[size, rho]))
                for other, rho in errors
                if other == size
            ),
        )
        for size in _BLOCKS
    )
    picture = Picture(
        title="Bayes error of two classes that come together",
        begins_with_name=True,
        xlabel="mean of the second class",
        ylabel="Bayes error",
        panels=panels,
    )
    return Found(numbers=numbers | _rises(apart), pictures=(picture,))


@reproduces(
    "003-hua",
    "generated data: a class on both sides of the other",
    "Bayes error of a normal class at 0 and one of two equal parts at 1 and -1, 30 "
    "features in blocks of 1 to 30 with correlations to .5",
    seconds=1.0,
)
def bimodal_classes(work: Work) -> Found:
    """Find the Bayes error of the bimodal model as features depend."""
    parts = (Normal(1.0, _HUA_SD), Normal(-1.0, _HUA_SD))
    errors = {
        (size, rho): _bayes_error(work, (Normal(0.0, _HUA_SD), parts), size, rho)
        for size, rho in _block_settings()
    }
    numbers = {
        _blocks(size, rho): Measured(
            value=one.value, error=(one.high - one.low) / (2 * _Z)
        )
        for (size, rho), one in errors.items()
    }
    lines = tuple(
        Line(
            name=f"blocks of {size}",
            x=_RHOS,
            y=tuple(errors[size, rho].value for rho in _RHOS),
            low=tuple(errors[size, rho].low for rho in _RHOS),
            high=tuple(errors[size, rho].high for rho in _RHOS),
        )
        for size in _BLOCKS[1:]
    )
    alone = errors[1, 0.0].value
    flat = Line(name="independent features", x=_RHOS, y=(alone,) * len(_RHOS))
    picture = Picture(
        title="Bayes error of the bimodal model with correlated features",
        begins_with_name=True,
        xlabel="correlation",
        ylabel="Bayes error",
        panels=(Panel(title="", lines=(flat, *lines)),),
    )
    rises = _rises({where: [one.value] for where, one in errors.items()})
    return Found(numbers=numbers | rises, pictures=(picture,))


def _block_settings() -> tuple[tuple[int, float], ...]:
    """Return the sizes of blocks with their correlations; one alone has none."""
    return (
        (1, 0.0),
        *((size, rho) for size in _BLOCKS[1:] for rho in _RHOS),
    )


def _blocks(size: int, rho: float) -> str:
    if size == 1:
        return "independent features"
    return f"blocks of {size}, {_correlation(rho)}"


def _correlation(rho: float) -> str:
    return f"correlation {rho:g}"


def _bayes_error(
    work: Work,
    classes: Sequence[Component | Sequence[Component]],
    size: int,
    rho: float,
) -> BayesError:
    """Make data of two classes, and return what is known of their Bayes error."""
    made = classification(
        100,
        _CORRELATED,
        n_classes=2,
        distribution=classes,
        correlation=Correlation(block_size=size, rho=rho),
        random_state=work.seed,
    )
    error = made.truth.bayes_error
    if error is None:  # it was asked for
        raise AssertionError(work.name)
    return error


def _rises(errors: Mapping[tuple[int, float], Sequence[float]]) -> dict[str, Measured]:
    """Say whether errors rise with the correlation, and with the size of blocks."""
    table = np.array(
        [[errors[size, rho] for rho in _RHOS] for size in _BLOCKS[1:]]
    )  # blocks, correlations, means
    alone = np.broadcast_to(errors[1, 0.0], (1, *table.shape[1:]))
    by_rho = np.diff(table, axis=1) > 0
    by_size = np.diff(np.concatenate([alone, table]), axis=0) > 0
    return {
        "Bayes error rises with correlation": Measured(value=float(by_rho.all())),
        "Bayes error rises with the size of blocks": Measured(
            value=float(by_size.all())
        ),
    }


# --- real data: bounds, chance, components --------------------------------------------


def _microarray(work: Work, name: str) -> tuple[FloatArray, IntArray]:
    """Read gene expressions of one set."""
    file = _MICROARRAYS[name]
    found = work.arrays(file, ("X", "y"))
    X, y = found["X"].astype(np.float64), found["y"]
    if X.ndim != 2 or y.shape != (len(X),) or len(np.unique(y)) != 2:
        problem = (
            f"must hold X of samples by genes and y of two classes; X is {X.shape}"
        )
        raise InvalidInputError(problem, location=Location(file=work.path(file)))
    return X, y.astype(np.int64)


def _assessed(
    model: str, X: FloatArray, y: IntArray, work: Work, **options: Any
) -> ModelAssessment:
    """Assess one model, and say nothing of what its warnings say."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ScorecastWarning)
        found = assess(
            model, X, y, random_state=work.seed, n_jobs=work.run.n_jobs, **options
        )
    return found.models[model]


@reproduces(
    "003-fig-3",
    "real data: bounds of two simple classifiers",
    "intervals of accuracy by 10 folds, leave-one-out and the bootstrap (footnote 9), "
    "and beside them VC bounds and percentiles of folds",
    files=tuple(_MICROARRAYS.values()),
    seconds=9.0,
    full_minutes=1.0,
)
def simple_bounds(work: Work) -> Found:
    """Assess naive Bayes and nearest centroids by three ways to split."""
    numbers: dict[str, Measured] = {}
    schemes = {"cv10": "10 folds", "loo": "leave-one-out", "boot50": "bootstrap"}
    models = {"naive-bayes": "naive Bayes", "nearest-centroid": "nearest centroid"}
    parts = []
    for data in _MICROARRAYS:
        X, y = _microarray(work, data)
        # Of a hyperplane, which nearest centroids are; naive Bayes has more.
        capacity = replace(_BARE, vc_dimension=X.shape[1] + 1)
        below: list[float] = []
        narrower: list[bool] = []
        lines: list[Line] = []
        width: dict[str, dict[str, float]] = {}
        for model, title in models.items():
            ends, middle = {}, {}
            for cv in schemes:
                main = _assessed(
                    model, X, y, work, cv=cv, scoring="accuracy", tests=None,
                    diagnostics=capacity if cv == "cv10" else _BARE,
                ).main  # fmt: skip
                by_method = {i.method: i for i in main.intervals}
                plain = by_method["normal"]
                if cv == "cv10":
                    below.append(plain.low - by_method["vapnik"].low)
                    inner = np.quantile(main.folds, (0.15, 0.85))
                    narrower.append(bool(np.ptp(inner) < plain.high - plain.low))
                ends[cv], middle[cv] = (plain.low, plain.high), main.estimate
                numbers[f"{data}, {title}, {schemes[cv]}, width"] = Measured(
                    value=plain.high - plain.low
                )
            width[model] = {cv: high - low for cv, (low, high) in ends.items()}
            lines.append(
                Line(
                    name=title,
                    x=(0.0, 1.0, 2.0) if model == "naive-bayes" else (0.15, 1.15, 2.15),
                    y=tuple(middle.values()),
                    low=tuple(low for low, _ in ends.values()),
                    high=tuple(high for _, high in ends.values()),
                    style=LineStyle.POINTS,
                )
            )
        parts.append(Panel(title=data, lines=tuple(lines)))
        every = width.values()
        numbers[f"{data}: wider than 30 points by 10 folds or leave-one-out"] = (
            Measured(value=float(max(max(w["cv10"], w["loo"]) for w in every) > 0.3))
        )
        numbers[f"{data}: leave-one-out is wider than 10 folds"] = Measured(
            value=float(all(w["loo"] > w["cv10"] for w in every))
        )
        numbers[f"{data}: the bootstrap is narrower than 10 folds"] = Measured(
            value=float(all(w["boot50"] < w["cv10"] for w in every))
        )
        numbers[f"{data}: the VC bound is more than 10 points lower"] = Measured(
            value=float(min(below) > 0.1)
        )
        numbers[f"{data}: percentiles .15 and .85 are narrower"] = Measured(
            value=float(all(narrower))
        )
    picture = Picture(
        title="Accuracy of two simple classifiers, with the interval of footnote 9",
        xlabel="",
        ylabel="accuracy",
        panels=tuple(parts),
        ticks=("10 folds", "loo", "boot"),
    )
    return Found(numbers=numbers, pictures=(picture,))


_VIEWS = ("permuted data", "null model", "null data", "density")


def _p_values(row: ModelAssessment) -> dict[str, float]:
    """Return the p-values against four kinds of chance."""
    tests = row.null_tests
    found = {}
    if tests is not None:
        if tests.permuted is not None:
            found["permuted data"] = tests.permuted.p_t
        found["null model"] = tests.null_models["feature-mode"].p_t
        if tests.null_data is not None:
            found["null data"] = tests.null_data.p_t
        if tests.density is not None:
            found["density"] = tests.density.p_value
    return {view: float(value) for view, value in found.items()}


@reproduces(
    "003-table-7",
    "real data: p-values against four kinds of chance",
    "C4.5, naive Bayes and SVM on colon and leukemia, against permuted data, a null "
    "model, null data and the density of permutations",
    files=tuple(_MICROARRAYS.values()),
    seconds=50.0,
    full_minutes=15.0,
)
def chance_table(work: Work) -> Found:
    """Test three models against chance."""
    numbers: dict[str, Measured] = {}
    p: dict[tuple[str, str], dict[str, float]] = {}
    n = work.repeats(40, 1000)
    every = [(data, model) for data in _MICROARRAYS for model in _MODELS]
    for data, model in track(every, what="model"):
        X, y = _microarray(work, data)
        title = _MODELS[model]
        tests = NullTests(n_permutations=None if model == "naive-bayes" else n)
        row = _assessed(model, X, y, work, tests=tests, diagnostics=_BARE)
        p[data, title] = _p_values(row)
        for view, value in p[data, title].items():
            numbers[f"{data}, {title}, {view}"] = Measured(value=value)
        largest = max(p[data, title], key=lambda view: p[data, title][view])
        cell = f"{data}, {title}: null data is the most conservative"
        numbers[cell] = Measured(value=float(largest == "null data"))
    numbers["colon, NB: not significant at 5 % in any view"] = Measured(
        value=float(min(p["colon", "NB"].values()) > 0.05)
    )
    for title in _MODELS.values():
        below = [
            p["leukemia", title][view] < p["colon", title][view] for view in _VIEWS
        ]
        cell = f"{title}: leukemia is below colon in every view"
        numbers[cell] = Measured(value=float(all(below)))
    picture = Picture(
        title="p-values against four kinds of chance",
        xlabel="",
        ylabel="p-value",
        panels=tuple(
            Panel(
                title=data,
                lines=tuple(
                    Line(
                        name=title,
                        x=tuple(k + 0.12 * (i - 1) for k in range(len(_VIEWS))),
                        y=tuple(p[data, title][view] for view in _VIEWS),
                        style=LineStyle.POINTS,
                    )
                    for i, title in enumerate(_MODELS.values())
                ),
            )
            for data in _MICROARRAYS
        ),
        ticks=("permuted", "model", "null data", "density"),
    )
    return Found(numbers=numbers, pictures=(picture,))


@reproduces(
    "003-fig-6a",
    "real data: sensitivity class by class",
    "share of each class that three models recognise, colon and leukemia",
    files=tuple(_MICROARRAYS.values()),
    seconds=5.0,
    full_minutes=0.5,
)
def sensitivity_by_class(work: Work) -> Found:
    """Assess three models, class by class."""
    numbers: dict[str, Measured] = {}
    parts = []
    for data in _MICROARRAYS:
        X, y = _microarray(work, data)
        lines = []
        for i, (model, title) in enumerate(_MODELS.items()):
            main = _assessed(
                model, X, y, work, scoring="accuracy", tests=None, diagnostics=_BARE
            ).main
            recalls = list(main.per_class.values())
            for k, one in enumerate(recalls):
                cell = f"{data}, {title}, class {k}"
                numbers[cell] = Measured(value=one.estimate)
            lines.append(
                Line(
                    name=title,
                    x=tuple(k + 0.12 * (i - 1) for k in range(len(recalls))),
                    y=tuple(one.estimate for one in recalls),
                    low=tuple(one.low for one in recalls),
                    high=tuple(one.high for one in recalls),
                    style=LineStyle.POINTS,
                )
            )
        parts.append(Panel(title=data, lines=tuple(lines)))
    picture = Picture(
        title="Sensitivity class by class, with 95 % intervals",
        xlabel="class",
        ylabel="sensitivity",
        panels=tuple(parts),
        ticks=("first", "second"),
    )
    return Found(numbers=numbers, pictures=(picture,))


_DECOMPOSITIONS = {"kohavi-wolpert": "Kohavi and Wolpert", "domingos": "Domingos"}


@dataclass(frozen=True)
class _Parts:
    """Bias and variance of one model on one data set."""

    bias: float
    variance: float

    @property
    def is_mostly_bias(self) -> bool:
        return self.bias > self.variance


def _decomposed(work: Work, X: FloatArray, y: IntArray) -> dict[str, _Parts]:
    """Decompose the error of C4.5, both ways."""
    row = _assessed(_TREE, X, y, work, tests=None, diagnostics=_DECOMPOSED)
    return {
        name: _Parts(
            bias=row.bias_variance[name].bias, variance=row.bias_variance[name].variance
        )
        for name in _DECOMPOSITIONS
    }


@reproduces(
    "003-fig-5",
    "bias and variance of C4.5",
    "the error of C4.5 in two parts, by both decompositions that the paper names, on "
    "colon, leukemia and generated data",
    files=tuple(_MICROARRAYS.values()),
    seconds=45.0,
    full_minutes=20.0,
)
def components(work: Work) -> Found:
    """Decompose the error of trees."""
    sizes = (100, 200, 500, 1000) if work.is_full else (50, 100, 200, 500)
    repeats = work.repeats(2, 10)
    sets: list[str | tuple[float, int, int]] = list(_MICROARRAYS)
    sets += [
        (std, n, seed) for std in (3.0, 5.0) for n in sizes for seed in range(repeats)
    ]
    real: dict[str, dict[str, _Parts]] = {}
    made: dict[tuple[float, int], list[dict[str, _Parts]]] = {}
    for one in track(sets, what="data set"):
        if isinstance(one, str):
            real[one] = _decomposed(work, *_microarray(work, one))
            continue
        std, n, seed = one
        drawn = classification(
            n, 500, std=std, with_bayes_error=False, random_state=seed
        )
        made.setdefault((std, n), []).append(_decomposed(work, drawn.X, drawn.y))
    numbers: dict[str, Measured] = {}
    parts = []
    for name, title in _DECOMPOSITIONS.items():
        for data, both in real.items():
            own = both[name]
            numbers[f"{data}, bias, {title}"] = Measured(value=own.bias)
            numbers[f"{data}, variance, {title}"] = Measured(value=own.variance)
            cell = f"{data}: bias is above variance, {title}"
            numbers[cell] = Measured(value=float(own.is_mostly_bias))
        lines = []
        for std in (3.0, 5.0):
            bias = np.array(
                [np.mean([x[name].bias for x in made[std, n]]) for n in sizes]
            )
            variance = np.array(
                [np.mean([x[name].variance for x in made[std, n]]) for n in sizes]
            )
            ratio, total = bias / variance, bias + variance
            for cell, holds in (
                ("bias is above variance", np.all(ratio > 1)),
                ("the ratio grows with features per sample", ratio[0] > ratio[-1]),
                ("the sum falls with samples", total[0] > total[-1]),
            ):
                numbers[f"sd {std:g}: {cell}, {title}"] = Measured(value=float(holds))
            x = tuple(map(float, sizes))
            lines.append(Line(name=f"bias, sd {std:g}", x=x, y=tuple(bias.tolist())))
            spread = tuple(variance.tolist())
            lines.append(Line(name=f"variance, sd {std:g}", x=x, y=spread))
        parts.append(Panel(title=title, lines=tuple(lines)))
    picture = Picture(
        title="Bias and variance of C4.5 on generated data of 500 features",
        xlabel="samples",
        ylabel="part of the error",
        panels=tuple(parts),
        is_log=True,
    )
    return Found(numbers=numbers, pictures=(picture,))


# --- generated data: many settings ----------------------------------------------------


@reproduces(
    "003-fig-4",
    "generated data: p-values against four kinds of chance",
    "mean p-values of C4.5, naive Bayes and SVM where features outnumber samples",
    seconds=25.0,
    full_minutes=60.0,
)
def chance_of_generated(work: Work) -> Found:
    """Test three models against chance on generated data."""
    n_permutations = work.repeats(20, 1000)
    sizes = (100, 200) if work.is_full else (50, 100)  # fewer than the features
    mean: dict[tuple[float, int], dict[str, float]] = {}
    for std in (3.0, 5.0):
        for n in sizes:
            made = classification(
                n, 500, std=std, with_bayes_error=False, random_state=work.seed
            )
            rows = []
            for model in _MODELS:
                tests = NullTests(n_permutations=n_permutations, n_null_data=20)
                row = _assessed(
                    model, made.X, made.y, work, tests=tests, diagnostics=_BARE
                )
                rows.append(_p_values(row))
            mean[std, n] = {
                view: float(np.mean([row[view] for row in rows])) for view in _VIEWS
            }
    numbers = {
        f"sd {std:g}, n={n}, {view}": Measured(value=value)
        for (std, n), views in mean.items()
        for view, value in views.items()
        if n <= 100  # the others are drawn
    }
    numbers["null data is the most conservative view"] = Measured(
        value=float(
            all(views["null data"] == max(views.values()) for views in mean.values())
        )
    )
    least = min(value for views in mean.values() for value in views.values())
    cell = "mean p-values stay above 1 % in every view"
    numbers[cell] = Measured(value=float(least > 0.01))
    lines = tuple(
        Line(
            name=f"sd {std:g}, n={n}",
            x=tuple(float(i) for i in range(len(_VIEWS))),
            y=tuple(views[view] for view in _VIEWS),
            style=LineStyle.POINTS,
        )
        for (std, n), views in mean.items()
    )
    picture = Picture(
        title="Mean p-values of three models on generated data, 500 features",
        xlabel="",
        ylabel="p-value",
        panels=(Panel(title="", lines=lines),),
        ticks=("permuted", "null model", "null data", "density"),
    )
    return Found(numbers=numbers, pictures=(picture,))


@reproduces(
    "003-fig-6b",
    "generated data: sensitivity as classes become unequal",
    "share of each class that C4.5 recognises, n = 200, m = 500, imbalance 0 to 80 %",
    seconds=10.0,
    full_minutes=5.0,
)
def unequal_classes(work: Work) -> Found:
    """Assess trees on data with rare classes."""
    shares = (0.0, 0.4, 0.6, 0.8)
    rarest, common = [], []
    for share in shares:
        low, high = [], []
        for seed in range(work.repeats(4, 40)):
            made = classification(
                200, 500, imbalance=share, std=1.0, informative=0.02,
                with_bayes_error=False, random_state=seed,
            )  # fmt: skip
            main = _assessed(
                _TREE, made.X, made.y, work, scoring="accuracy", tests=None,
                diagnostics=_BARE,
            ).main  # fmt: skip
            counts = np.bincount(made.y)
            recalls = [one.estimate for one in main.per_class.values()]
            low.append(recalls[int(counts.argmin())])
            high.append(recalls[int(counts.argmax())])
        rarest.append(low)
        common.append(high)
    gap = np.array(common).mean(axis=1) - np.array(rarest).mean(axis=1)
    lines = tuple(
        Line(
            name=name,
            x=shares,
            y=tuple(np.mean(values, axis=1).tolist()),
            low=tuple(np.min(values, axis=1).tolist()),
            high=tuple(np.max(values, axis=1).tolist()),
        )
        for name, values in (("rarest class", rarest), ("most frequent class", common))
    )
    picture = Picture(
        title="Sensitivity of C4.5 as classes become unequal",
        xlabel="imbalance",
        ylabel="sensitivity",
        panels=(Panel(title="", lines=lines),),
    )
    return Found(
        numbers={
            "at 80 % the rarest class is recognised less": Measured(
                value=float(gap[-1] > 0)
            ),
            "the gap at 80 %": Measured(value=float(gap[-1])),
        },
        pictures=(picture,),
    )


def _errors_over(
    work: Work,
    factors: Mapping[str, Sequence[Any]],
    defaults: Mapping[str, Any],
    fixed: Mapping[str, Any],
    models: Sequence[str] = (_TREE,),
) -> Any:
    """Assess models over settings of generated data."""

    def make(random_state: Any, **options: Any) -> Any:
        return SIMULATORS["classification"].make(
            random_state=random_state, with_bayes_error=False, **{**fixed, **options}
        )

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ScorecastWarning)
        return assess_settings(
            list(models),
            make,
            dict(factors),
            design="one-at-a-time",
            defaults=dict(defaults),
            n_datasets=work.repeats(10, 20),
            random_state=work.seed,
        )


def _line_over(found: Any, factor: str, values: Sequence[Any], name: str) -> Line:
    """Draw the error of the tree over one factor, with its bounds."""
    rows = [_row_of(found, factor, value) for value in values]
    is_number = all(isinstance(value, int | float) for value in values)
    x = (
        [float(v) for v in values]
        if is_number
        else list(map(float, range(len(values))))
    )
    return Line(
        name=name,
        x=tuple(x),
        y=tuple(1 - row.estimate for row in rows),
        low=tuple(1 - row.high for row in rows),
        high=tuple(1 - row.low for row in rows),
    )


def _row_of(found: Any, factor: str, value: Any, model: str = _TREE) -> Any:
    """Return the estimate of a setting in which only one factor is not as usual."""
    others = [
        row
        for row in found.estimates
        if row.model == model and row.factors[factor] == value
    ]
    usual = found.estimates[0].factors
    return next(
        row
        for row in others
        if all(row.factors[name] == usual[name] for name in usual if name != factor)
    )


def _spread(row: Any) -> float:
    """Return the spread of the folds of a setting."""
    return float(np.std([value for folds in row.datasets for value in folds], ddof=1))


@reproduces(
    "003-fig-7",
    "generated data: noise and skewed features",
    "bounds of C4.5, n = 200, m = 500, as noise or skewed features are added",
    aliases=("003-fig-7-rel",),
    seconds=15.0,
    full_minutes=20.0,
)
def noise_and_skew(work: Work) -> Found:
    """Assess a tree over noise and skew, and beside naive Bayes."""
    noises, skews = (0.0, 0.05, 0.1, 0.2, 0.4), (0.0, 0.3, 0.6, 0.9)
    found = _errors_over(
        work,
        {"noise": noises, "skew_share": skews},
        {"noise": 0.0, "skew_share": 0.0},
        {"informative": 0.02, "std": 1.0},
        models=(_TREE, "naive-bayes"),
    )
    numbers: dict[str, Measured] = {}
    for factor, values, title in (
        ("noise", noises, "noise"),
        ("skew_share", skews, "skew"),
    ):
        rows = [_row_of(found, factor, value) for value in values]
        errors = [1 - row.estimate for row in rows]
        numbers[f"the error rises with {title}"] = Measured(
            value=float(errors[-1] > errors[0])
        )
        numbers[f"its spread rises with {title}"] = Measured(
            value=float(_spread(rows[-1]) > _spread(rows[0]))
        )
        for value, error in ((values[0], errors[0]), (values[-1], errors[-1])):
            cell = f"error, {title} {100 * value:g} %"
            numbers[cell] = Measured(value=error)
    pair = found.dominance[0]
    numbers["share of settings in which one model is ahead"] = Measured(
        value=float(pair.won + pair.lost)
    )
    pictures = tuple(
        Picture(
            title=f"Error of C4.5 against {what}, with bounds",
            xlabel=what,
            ylabel="error",
            panels=(
                Panel(title="", lines=(_line_over(found, factor, values, "C4.5"),)),
            ),
        )
        for factor, values, what in (
            ("noise", noises, "noise (share of the range of values)"),
            ("skew_share", skews, "skewed features (share)"),
        )
    )
    return Found(numbers=numbers, pictures=pictures)


@reproduces(
    "003-fig-8",
    "generated data: distributions",
    "bounds of C4.5, n = 200, m = 500, over the distributions of Table 5",
    seconds=12.0,
    full_minutes=20.0,
)
def distributions(work: Work) -> Found:
    """Assess a tree over distributions of classes."""
    names = ("gaussian", "gaussian-mixture", "gaussian-poisson")
    numbers: dict[str, Measured] = {}
    errors: dict[tuple[str, float], float] = {}
    lines = []
    for std in (3.0, 5.0):
        found = _errors_over(
            work, {"distribution": names}, {"distribution": names[0]}, {"std": std}
        )
        lines.append(_line_over(found, "distribution", names, f"sd {std:g}"))
        for name in names:
            error = 1 - _row_of(found, "distribution", name).estimate
            errors[name, std] = error
            numbers[f"error, {name}, sd {std:g}"] = Measured(value=error)
    numbers["the error rises with the overlap of classes"] = Measured(
        value=float(all(errors[name, 5.0] > errors[name, 3.0] for name in names))
    )
    numbers["a mixture in a class is harder"] = Measured(
        value=float(
            all(errors[names[1], std] > errors[names[0], std] for std in (3.0, 5.0))
        )
    )
    lines = [
        Line(
            name=line.name,
            x=tuple(x + 0.12 * i for x in line.x),
            y=line.y,
            low=line.low,
            high=line.high,
            style=LineStyle.POINTS,
        )
        for i, line in enumerate(lines)
    ]
    picture = Picture(
        title="Error of C4.5 over distributions, with bounds",
        xlabel="",
        ylabel="error",
        panels=(Panel(title="", lines=tuple(lines)),),
        ticks=("gaussian", "mixture", "Poisson"),
    )
    return Found(numbers=numbers, pictures=(picture,))


@reproduces(
    "003-fig-9",
    "biclusters: three losses",
    "match scores and consensus of a spectral co-clustering, which stands in for "
    "BicPAM, over matrices of Table 6",
    seconds=6.0,
    full_minutes=0.3,
)
def bicluster_losses(work: Work) -> Found:
    """Find biclusters in generated matrices, and score them."""
    losses = {
        "relevance-rows": "MS(B,H)",
        "recovery-rows": "MS(H,B)",
        "consensus": "consensus",
    }
    sizes = tuple(PUBLISHED_SIZES)
    numbers: dict[str, Measured] = {}
    rows: dict[str, list[Any]] = {name: [] for name in losses}
    for n, m in sizes:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = assess_biclustering(
                {"spectral": _CoClustering(PUBLISHED_SIZES[n, m][0] + 1)},
                simulator=_MatrixMaker(n, m),
                measures=list(losses),
                n_repeats=work.repeats(8, 20),
                with_nulls=False,
                random_state=work.seed,
            )
        by_name = found.models["spectral"].metrics
        for name, title in losses.items():
            one = by_name[name]
            rows[name].append(one)
            numbers[f"{n} x {m}, {title}"] = Measured(value=one.estimate)
    lines = tuple(
        Line(
            name=title,
            x=tuple(i + 0.1 * (k - 1) for i in range(len(sizes))),
            y=tuple(one.estimate for one in rows[name]),
            low=tuple(one.low for one in rows[name]),
            high=tuple(one.high for one in rows[name]),
            style=LineStyle.POINTS,
        )
        for k, (name, title) in enumerate(losses.items())
    )
    picture = Picture(
        title="Three losses of a biclustering, with bounds",
        xlabel="matrix",
        ylabel="score",
        panels=(Panel(title="", lines=lines),),
        ticks=tuple(f"{n} x {m}" for n, m in sizes),
    )
    return Found(numbers=numbers, pictures=(picture,))


@dataclass(frozen=True)
class _MatrixMaker:
    """Makes matrices of one size with hidden biclusters."""

    n: int
    m: int

    def __call__(self, rng: np.random.Generator) -> Any:
        """Make one."""
        return biclusters(
            self.n, self.m, signal=10.0, background="uniform", random_state=rng
        )


@dataclass(frozen=True)
class _CoClustering:
    """Spectral co-clustering of the sizes of values."""

    n_clusters: int

    def __call__(self, values: FloatArray) -> list[tuple[list[int], list[int]]]:
        """Find biclusters."""
        from sklearn.cluster import SpectralCoclustering  # slow to load

        model = SpectralCoclustering(self.n_clusters, random_state=0)
        model.fit(np.abs(values) + 0.01)
        return [
            (np.flatnonzero(rows).tolist(), np.flatnonzero(columns).tolist())
            for rows, columns in zip(model.rows_, model.columns_, strict=True)
            if rows.any() and columns.any()
        ]


cannot_be_had(
    "003-table-7-heritage",
    "real data: p-values on Heritage",
    "the columns of Table 7 on the Heritage Health set, and Figure 3 on lymphoma",
    "the Heritage Health set was given under a permission of its own, and lymphoma is "
    "not at hand",
)
