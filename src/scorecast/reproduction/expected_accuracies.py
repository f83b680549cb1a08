"""Entries of Zheng, Achanta and Benjamini (2018), and of their draft of 2017."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from scorecast._core.progress import stage, stages
from scorecast._core.types import FloatArray
from scorecast.exceptions import InvalidInputError, Location, ScorecastWarning
from scorecast.extrapolation import (
    Auto,
    Extrapolator,
    Kde,
    ObservedClasses,
    PseudoLikelihood,
    Regression,
    Spline,
)
from scorecast.reproduction.entry import Found, Measured, Work, reproduces
from scorecast.reproduction.result import Line, LineStyle, Panel, Picture
from scorecast.scores import Embeddings, Recogniser, Scores, accuracy_curve
from scorecast.simulate import BivariateNormal, GaussianClasses

_RHOS = (0.3, 0.5, 0.7, 0.9)
_RHO = 0.7
_SIZES = tuple(range(2, 11))


# --- the toy: classes on a line ------------------------------------------------------


@reproduces(
    "001-fig-3",
    "toy: classes on a line and their regions",
    "densities of three classes, and where each is the best guess, rho .7",
    seconds=0.1,
)
def toy_regions(work: Work) -> Found:
    """Draw the densities of three classes."""
    del work
    labels = np.array([-1.2, 0.1, 1.4])
    x = np.linspace(-3, 3, 181)
    sd = np.sqrt(1 - _RHO**2)
    lines = [
        Line(
            name=f"y = {label:.2f}",
            x=tuple(x.tolist()),
            y=tuple(_normal(x, _RHO * label, sd).tolist()),
        )
        for label in labels
    ]
    edges = _RHO * (labels[1:] + labels[:-1]) / 2
    heights = [max(line.y[int(np.argmin(np.abs(x - e)))] for line in lines)
               for e in edges]  # fmt: skip
    lines.append(
        Line(
            name="edges of regions",
            x=tuple(edges.tolist()),
            y=tuple(heights),
            style=LineStyle.POINTS,
        )
    )
    picture = Picture(
        title="Densities of three classes, and where one gives way to the next",
        xlabel="example x",
        ylabel="density",
        panels=(Panel(title="", lines=tuple(lines)),),
    )
    return Found(pictures=(picture,))


def _normal(x: FloatArray, mean: float, sd: float) -> FloatArray:
    height = 1 / (sd * math.sqrt(2 * math.pi))
    density: FloatArray = height * np.exp(-(((x - mean) / sd) ** 2) / 2)
    return density


@reproduces(
    "001-fig-4",
    "toy: accuracy of random sets of classes",
    "how far the accuracy of k random classes spreads around its mean, rho .7",
    aliases=("004-fig-6",),
    seconds=1.0,
)
def toy_spread(work: Work) -> Found:
    """Draw sets of labels, and hold the mean of their accuracies against the exact."""
    toy, rng = BivariateNormal(_RHO), work.rng()
    n = work.size(4000, 40000)
    exact = toy.accuracy(_SIZES)
    numbers, ends = {}, []
    for k, mean in zip(_SIZES, exact, strict=True):
        found = np.array([toy.accuracy_of(row) for row in rng.normal(size=(n, k))])
        numbers[f"mean at k={k}"] = Measured(
            value=float(found.mean()), error=float(found.std() / np.sqrt(n))
        )
        ends.append((mean, *np.quantile(found, (0.05, 0.95)).tolist()))
    middle, low, high = zip(*ends, strict=True)
    line = Line(
        name="mean over sets of classes, and 90 % of them",
        x=tuple(map(float, _SIZES)),
        y=tuple(map(float, middle)),
        low=low,
        high=high,
    )
    picture = Picture(
        title="Accuracy of k classes on a line, rho .7",
        xlabel="classes",
        ylabel="accuracy",
        panels=(Panel(title="", lines=(line,)),),
    )
    return Found(numbers=numbers, pictures=(picture,))


@reproduces(
    "001-fig-5",
    "toy: favourability and its distribution",
    "level curves of U(x, y), and D(u), rho .7",
    aliases=("004-fig-7",),
    seconds=1.0,
)
def toy_favourability(work: Work) -> Found:
    """Evaluate U and D."""
    del work
    toy = BivariateNormal(_RHO)
    at = np.array([0.1, 0.25, 0.5, 0.75, 0.9, 0.99])
    numbers = {
        f"D({u:g})": Measured(value=float(d))
        for u, d in zip(at, toy.discriminability(at), strict=True)
    }
    u = float(toy.favourability(0.4, 0.9))
    numbers["U(x=.4, y=.9)"] = Measured(value=u)
    grid = np.linspace(0.005, 0.995, 100)
    curve = Line(
        name="D(u)", x=tuple(grid), y=tuple(toy.discriminability(grid).tolist())
    )
    x = np.linspace(-2, 2, 61)
    levels = [
        Line(name=f"U = {u:g}", x=tuple(x), y=tuple(_level_curve(toy, x, u)))
        for u in (0.9, 0.5, 0.1)
    ]
    return Found(
        numbers=numbers,
        pictures=(
            Picture(
                title="Labels above the best one with a given favourability",
                xlabel="example x",
                ylabel="label y",
                panels=(Panel(title="", lines=tuple(levels)),),
            ),
            Picture(
                title="Distribution of the favourability of the right class",
                xlabel="favourability u",
                ylabel="D(u)",
                panels=(Panel(title="", lines=(curve,)),),
            ),
        ),
    )


def _level_curve(toy: BivariateNormal, x: FloatArray, u: float) -> list[float]:
    """Find for each x the label above the best one whose favourability is u."""
    return [
        float(
            scipy.optimize.brentq(
                lambda y, at=at: float(toy.favourability(at, y)) - u,
                at / toy.rho,
                at / toy.rho + 12,
            )
        )
        for at in x
    ]


@reproduces(
    "001-fig-6",
    "toy: accuracy and D(u) at four correlations",
    "exact average accuracy at k = 2..10, rho .3 .5 .7 .9",
    seconds=2.0,
)
def toy_accuracies(work: Work) -> Found:
    """Evaluate the exact accuracy."""
    del work
    numbers, curves, below = {}, [], []
    grid = np.linspace(0.01, 0.99, 50)
    for rho in _RHOS:
        toy = BivariateNormal(rho)
        found = toy.accuracy(_SIZES).tolist()
        for k, value in zip(_SIZES, found, strict=True):
            numbers[f"rho {rho:g}, k={k}"] = Measured(value=value)
        name = f"rho {rho:g}"
        curves.append(Line(name=name, x=tuple(map(float, _SIZES)), y=tuple(found)))
        d = toy.discriminability(grid).tolist()
        below.append(Line(name=name, x=tuple(grid.tolist()), y=tuple(d)))
    return Found(
        numbers=numbers,
        pictures=(
            _of_classes("Average accuracy of k classes on a line", "accuracy", curves),
            Picture(
                title="Distribution of the favourability of the right class",
                xlabel="favourability u",
                ylabel="D(u)",
                panels=(Panel(title="", lines=tuple(below)),),
            ),
        ),
    )


def _of_classes(title: str, ylabel: str, lines: Sequence[Line]) -> Picture:
    return Picture(
        title=title,
        xlabel="classes",
        ylabel=ylabel,
        panels=(Panel(title="", lines=tuple(lines)),),
    )


@reproduces(
    "001-sec-2.4",
    "toy: accuracy of four labels",
    "accuracy of the best recogniser of labels -1.2, -.1, .3, 1.5, rho .7",
    seconds=0.1,
)
def four_labels(work: Work) -> Found:
    """Evaluate the formula of section 2.4."""
    del work
    found = BivariateNormal(_RHO).accuracy_of([-1.2, -0.1, 0.3, 1.5])
    return Found(numbers={"accuracy": Measured(value=found)})


# --- Gaussian simulation --------------------------------------------------------------

_METHODS = {
    "ClassExReg": "regression",
    "KDE-BCV": "kde-bcv",
    "KDE-UCV": "kde-ucv",
}
_RATIOS = (2, 4, 10, 20)
_LEVELS = {
    500: (0.06, 0.08, 0.11, 0.13, 0.17, 0.24, 0.4),
    5000: (0.05, 0.075, 0.11, 0.145),
}


@dataclass(frozen=True)
class _Draw:
    """One draw of a simulation: so many classes, that noisy, forecast to those."""

    n_classes: int
    noise: float
    to: tuple[int, ...]


def _forecast_draw(task: _Draw, rng: np.random.Generator) -> dict[str, list[float]]:
    """Draw classes with a template and an example each, and forecast by each method."""
    model = GaussianClasses(noise=task.noise)
    gallery, probes, y_true = model.sample(task.n_classes, random_state=rng)
    data = Embeddings(gallery, probes, y_true)
    return _forecasts(data, task.to, rng, step=task.n_classes // 25)


def _forecasts(
    data: Recogniser, to: Sequence[int], rng: np.random.Generator, step: int
) -> dict[str, list[float]]:
    """Forecast by the three methods of the paper, as the authors' code does."""
    observed = ObservedClasses.of(data, n_jobs=1)
    sizes = tuple(range(step, observed.n_classes + 1, step))
    methods: dict[str, Extrapolator] = {
        "ClassExReg": Regression(knots="r", sizes=sizes),
        "KDE-BCV": Kde(rule="bcv"),
        "KDE-UCV": Kde(rule="ucv"),
    }
    return {
        name: method.fit(observed, rng, n_jobs=1).law.accuracy(np.array(to)).tolist()
        for name, method in methods.items()
    }


def _rmse(errors: FloatArray) -> FloatArray:
    """Take the root mean square over repeats, the last axis."""
    root: FloatArray = np.sqrt(np.mean(errors**2, axis=-1))
    return root


def _greatest_error(
    errors: FloatArray, rng: np.random.Generator
) -> tuple[float, float]:
    """Return the greatest RMSE over noise levels, and its error.

    The error is a bootstrap over repeats with the maximum inside, as in the paper.
    """
    n = errors.shape[-1]
    drawn = rng.integers(0, n, size=(400, len(errors), n))
    again = np.sqrt(
        np.mean(np.take_along_axis(errors[None] ** 2, drawn, axis=2), axis=2)
    )
    return float(_rmse(errors).max()), float(again.max(axis=1).std(ddof=1))


@reproduces(
    "001-table-1",
    "Gaussian simulation: greatest RMSE of three methods",
    "greatest error over noise levels of forecasts of 1-NN accuracy in ten dimensions, "
    "with the error and the bias at each level (Figures 7 and 8)",
    aliases=("001-fig-7", "001-fig-8"),
    seconds=180.0,
    full_minutes=300.0,
)
def gaussian_table(work: Work) -> Found:
    """Simulate, forecast, and take the greatest error over noise levels."""
    numbers: dict[str, Measured] = {}
    roots, biases = [], []
    drawn = _forecast_all(work)
    for k1, (levels, n, found) in drawn.items():
        to = tuple(k1 * ratio for ratio in _RATIOS)
        truth = np.array(
            [GaussianClasses(noise=noise).accuracy(to) for noise in levels]
        )
        for i, k2 in enumerate(to):
            wrong = {
                name: np.array([draw[name][i] for draw in found]).reshape(-1, n)
                - truth[:, i : i + 1]
                for name in _METHODS
            }
            greatest = {}
            for name, errors in wrong.items():
                value, error = _greatest_error(errors, work.rng(f"{k1} {k2} {name}"))
                greatest[name] = value
                numbers[f"{k1} to {k2}, {name}"] = Measured(value=value, error=error)
                if not work.is_full:
                    numbers |= _by_level(k1, k2, name, levels, errors)
            best = min(greatest, key=lambda name: greatest[name])
            for name in _METHODS:
                cell = f"{k1} to {k2}: {name} is best"
                if cell in _BEST:
                    numbers[cell] = Measured(value=float(best == name))
            title = f"{k1:,} to {k2:,}"
            accuracy = truth[:, i].tolist()
            roots.append(_panel(title, accuracy, wrong, _rmse))
            biases.append(_panel(title, accuracy, wrong, lambda e: e.mean(axis=-1)))
    return Found(
        numbers=numbers,
        pictures=(
            Picture(
                title="Error of forecasts against the true accuracy",
                xlabel="true accuracy",
                ylabel="RMSE",
                panels=tuple(roots),
            ),
            Picture(
                title="Bias of forecasts against the true accuracy",
                xlabel="true accuracy",
                ylabel="bias",
                panels=tuple(biases),
            ),
        ),
    )


_SECONDS = {500: 0.08, 5000: 3.0}  # of a draw, on one of two workers


def _forecast_all(
    work: Work,
) -> dict[int, tuple[tuple[float, ...], int, list[dict[str, list[float]]]]]:
    """Draw and forecast at all noise levels, so many times each.

    A draw of 5,000 classes takes as long as forty of 500.
    """
    plan: dict[int, tuple[tuple[float, ...], int, list[_Draw]]] = {}
    for k1, quick in _LEVELS.items():
        step = 0.01 if k1 == 500 else 0.005
        full = tuple(round(step * i, 3) for i in range(1, 51))
        levels = full if work.is_full else quick
        n = work.repeats(30 if k1 == 500 else 10, 200)
        to = tuple(k1 * ratio for ratio in _RATIOS)
        tasks = [_Draw(k1, noise, to) for noise in levels for _ in range(n)]
        plan[k1] = levels, n, tasks
    weights = {
        f"{k1} classes": _SECONDS[k1] * len(tasks) for k1, (_, _, tasks) in plan.items()
    }
    found = {}
    with stages(weights, in_seconds=True):
        for (k1, (levels, n, tasks)), what in zip(plan.items(), weights, strict=True):
            with stage(what):
                draws = work.map(_forecast_draw, tasks, what=what)
            found[k1] = levels, n, draws
    return found


_BEST = {
    "500 to 1000: ClassExReg is best",
    "500 to 2000: ClassExReg is best",
    "500 to 5000: KDE-UCV is best",
    "500 to 10000: KDE-UCV is best",
    "5000 to 10000: ClassExReg is best",
    "5000 to 20000: ClassExReg is best",
    "5000 to 50000: ClassExReg is best",
    "5000 to 100000: ClassExReg is best",
}


def _by_level(
    k1: int, k2: int, name: str, levels: Sequence[float], errors: FloatArray
) -> dict[str, Measured]:
    """Return the error at each noise level, with its own standard error."""
    roots = _rmse(errors)
    spread = np.std(errors**2, axis=-1, ddof=1) / math.sqrt(errors.shape[-1])
    return {
        f"Figure 7, {k1} to {k2}, variance {noise:g}, {name}": Measured(
            value=float(root), error=float(s / (2 * root))
        )
        for noise, root, s in zip(levels, roots, spread, strict=True)
    }


def _panel(
    title: str,
    accuracy: list[float],
    wrong: Mapping[str, FloatArray],
    summary: Callable[[FloatArray], FloatArray],
) -> Panel:
    return Panel(
        title=title,
        lines=tuple(
            Line(name=name, x=tuple(accuracy), y=tuple(summary(errors).tolist()))
            for name, errors in wrong.items()
        ),
    )


@reproduces(
    "001-sec-5.1",
    "Gaussian simulation: errors where the truth is .43",
    "500 to 2,000 classes at variance .2",
    aliases=("001-sec-5.1-sim",),
    seconds=12.0,
    full_minutes=2.0,
)
def where_truth_is_43(work: Work) -> Found:
    """Simulate one noise level with more repeats."""
    n = work.repeats(40, 200)
    tasks = [_Draw(500, 0.2, (2000,)) for _ in range(n)]
    found = work.map(_forecast_draw, tasks, what="draws")
    truth = float(GaussianClasses(noise=0.2).accuracy([2000])[0])
    numbers = {"true accuracy": Measured(value=truth)}
    for name in _METHODS:
        errors = np.array([draw[name][0] for draw in found]) - truth
        root = float(_rmse(errors))
        spread = float(np.std(errors**2, ddof=1) / math.sqrt(n))
        cell = f"RMSE, {name}"
        numbers[cell] = Measured(value=root, error=spread / (2 * root))
    return Found(numbers=numbers)


# --- faces: other features stand in ---------------------------------------------------

_FACES = "lfw_openface3d.npz"


def _faces(work: Work) -> Embeddings:
    """Pair the first two photographs of everybody who has two."""
    found = work.arrays(_FACES, ("X", "y"))
    vectors, people = found["X"], found["y"]
    place = Location(file=work.path(_FACES))
    if vectors.ndim != 2 or people.shape != (len(vectors),):
        problem = "must hold a row of features and a person for every photograph"
        raise InvalidInputError(problem, location=place)
    _, first, n = np.unique(people, return_index=True, return_counts=True)
    first = first[n >= 2]
    if len(first) < 500:
        problem = f"has {len(first)} people with two photographs; 500 are needed"
        raise InvalidInputError(problem, location=place)
    gallery, probes = vectors[first], vectors[first + 1]
    return Embeddings(
        gallery.astype(np.float64), probes.astype(np.float64), range(len(first))
    )


@dataclass(frozen=True)
class _Shown:
    """One choice of people to be shown."""

    data: Embeddings
    n_classes: int
    to: tuple[int, ...]


def _forecast_shown(task: _Shown, rng: np.random.Generator) -> dict[str, list[float]]:
    chosen = np.sort(rng.permutation(task.data.n_classes)[: task.n_classes])
    step = max(task.n_classes // 25, 1)
    return _forecasts(task.data.subset(chosen), task.to, rng, step=step)


@reproduces(
    "001-table-2",
    "faces: RMSE of three methods",
    "forecasts of all people from 100, 200 and 400 of them; features of three "
    "dimensions stand in for those of 128",
    aliases=("001-fig-10",),
    files=(_FACES,),
    seconds=12.0,
    full_minutes=2.0,
)
def faces_table(work: Work) -> Found:
    """Hide people, and predict the accuracy with all of them."""
    data = _faces(work)
    n = work.repeats(20, 100)
    sizes = np.unique(np.geomspace(2, data.n_classes, 30).astype(int))
    curve = accuracy_curve(data, sizes=sizes.tolist(), standard_errors=False)
    truth = curve.accuracy
    numbers: dict[str, Measured] = {}
    parts = []
    for k1 in (100, 200, 400):
        task = _Shown(data, k1, tuple(sizes.tolist()))
        found = work.map(_forecast_shown, [task] * n, what=f"{k1} people")
        roots = {}
        for name in _METHODS:
            curves = np.array([draw[name] for draw in found])
            errors = curves[:, -1] - truth[-1]
            roots[name] = root = float(_rmse(errors))
            spread = float(np.std(errors**2, ddof=1) / math.sqrt(n))
            cell = f"{k1} people, {name}"
            numbers[cell] = Measured(value=root, error=spread / (2 * root))
            low, high = np.quantile(curves, (0.05, 0.95), axis=0)
            x = tuple(sizes.astype(float).tolist())
            forecast = Line(
                name="forecasts, 90 % of them",
                x=x,
                y=tuple(np.median(curves, axis=0).tolist()),
                low=tuple(low.tolist()),
                high=tuple(high.tolist()),
            )
            full = Line(name="all people", x=x, y=tuple(truth.tolist()))
            parts.append(Panel(title=f"{name}, from {k1}", lines=(forecast, full)))
        best = min(roots, key=lambda name: roots[name])
        cell = f"{k1} people: KDE-BCV is best"
        numbers[cell] = Measured(value=float(best == "KDE-BCV"))
    picture = Picture(
        title="Forecasts of face recognition from some people, and all of them",
        xlabel="people",
        ylabel="accuracy",
        panels=tuple(parts),
        is_log=True,
    )
    return Found(numbers=numbers, pictures=(picture,))


# --- Telugu characters ----------------------------------------------------------------

_TELUGU = "telugu_authors_scores.npz"
_BANDWIDTHS = {  # of which the published forecasts by ClassExReg are
    ("deep", 20, 100): 1.0,
    ("logistic", 20, 100): 0.1,
    ("svm", 20, 100): 0.6,
    ("deep", 20, 400): 0.4,
    ("logistic", 20, 400): 0.1,
    ("svm", 20, 400): 0.4,
    ("logistic", 100, 400): 0.7,
    ("svm", 100, 400): 0.7,
}
_TRUE = {  # accuracies of the classifiers with so many characters, as printed
    ("deep", 100): 0.9908,
    ("logistic", 100): 0.8490,
    ("svm", 100): 0.7582,
    ("deep", 400): 0.9860,
    ("logistic", 400): 0.7107,
    ("svm", 400): 0.5452,
}
_CLOSEST = {  # by the table as it is printed
    ("deep", 20, 100): "ClassExReg",
    ("logistic", 20, 100): "KDE-BCV",
    ("svm", 20, 100): "ClassExReg",
    ("deep", 20, 400): "ClassExReg",
    ("logistic", 20, 400): "KDE-UCV",
    ("svm", 20, 400): "KDE-BCV",
    ("logistic", 100, 400): "KDE-BCV",
    ("svm", 100, 400): "ClassExReg",
}
_NAMES = {"deep": "deep", "logistic": "logistic", "svm": "SVM"}


def _telugu(work: Work) -> dict[tuple[str, int], ObservedClasses]:
    """Read the authors' scores, with the rules of their code."""
    keys = sorted({(name, k1) for name, k1, _ in _BANDWIDTHS})
    arrays = [f"{name}_{k1}" for name, k1 in keys]
    found = work.arrays(_TELUGU, [*arrays, "y_20", "y_100"])
    observed = {}
    for name, k1 in keys:
        scores, y_true = found[f"{name}_{k1}"], found[f"y_{k1}"]
        if scores.shape != (len(y_true), k1):
            problem = f"{name}_{k1} has shape {scores.shape}, not ({len(y_true)}, {k1})"
            place = Location(file=work.path(_TELUGU))
            raise InvalidInputError(problem, location=place)
        with warnings.catch_warnings():
            # Scores of networks depend on one another, as the paper says itself.
            warnings.simplefilter("ignore", ScorecastWarning)
            data = Scores(scores.astype(np.float64), y_true.tolist())
            observed[name, k1] = ObservedClasses.of(
                data, ties="pessimistic", average="micro"
            )
    return observed


@reproduces(
    "001-table-3",
    "Telugu characters: forecasts of three methods",
    "20 to 100, 20 to 400 and 100 to 400 characters, three classifiers, from the "
    "authors' own scores",
    files=(_TELUGU,),
    seconds=8.0,
    full_minutes=0.5,
)
def telugu_table(work: Work) -> Found:
    """Forecast by each method, and by the one that is taken where none is named."""
    observed = _telugu(work)
    numbers: dict[str, Measured] = {}
    for (name, k1, k2), h in _BANDWIDTHS.items():
        own, rng = observed[name, k1], work.rng(f"{name} {k1}")
        free = Regression(knots="r", sizes=tuple(range(1, k1 + 1)), n_subsamples=20)
        methods = {
            **_as_published(k1, h),
            "ClassExReg, bandwidth chosen here": free,
            "auto": Auto(),
        }
        row = f"{k1} to {k2}, {_NAMES[name]}"
        for cell, method in methods.items():
            at = " at its bandwidth" if cell == "ClassExReg" else ""
            value = float(method.fit(own, rng).law.accuracy(np.array([k2]))[0])
            numbers[f"{row}, {cell}{at}"] = Measured(value=value)
    for name in ("logistic", "svm"):
        scores = observed[name, 100].data
        curve = accuracy_curve(
            scores, sizes=100, ties="pessimistic", average="micro",
            standard_errors=False,
        )  # fmt: skip
        cell = f"{_NAMES[name]}, accuracy with 100"
        numbers[cell] = Measured(value=float(curve.accuracy[0]))
    return Found(numbers=numbers)


def _as_published(k1: int, h: float) -> dict[str, Extrapolator]:
    """Return the three methods, ClassExReg at the bandwidth of the published value."""
    return {
        "ClassExReg": Regression(knots="r", bandwidth=h, sizes=tuple(range(1, k1 + 1))),
        "KDE-BCV": Kde(rule="bcv"),
        "KDE-UCV": Kde(rule="ucv"),
    }


@reproduces(
    "001-rank-swap",
    "Telugu characters: which method comes closest",
    "the best of three methods in every row of Table 3, which the text ranks",
    files=(_TELUGU,),
    seconds=4.0,
    full_minutes=0.1,
)
def telugu_ranks(work: Work) -> Found:
    """Hold the forecasts of each row against the printed accuracy."""
    observed = _telugu(work)
    numbers = {}
    for (name, k1, k2), h in _BANDWIDTHS.items():
        own, rng = observed[name, k1], work.rng(f"{name} {k1}")
        apart = {}
        for method, fitting in _as_published(k1, h).items():
            value = float(fitting.fit(own, rng).law.accuracy(np.array([k2]))[0])
            apart[method] = abs(value - _TRUE[name, k2])
        claimed = _CLOSEST[name, k1, k2]
        cell = f"{k1} to {k2}, {_NAMES[name]}: {claimed} comes closest"
        closest = min(apart, key=lambda method: apart[method])
        numbers[cell] = Measured(value=float(closest == claimed))
    return Found(numbers=numbers)


# --- the draft -----------------------------------------------------------------------


@reproduces(
    "004-fig-8ab",
    "toy: risk at four correlations",
    "one less the accuracy of 001-fig-6, as the draft draws it, k = 2..7",
    seconds=0.5,
)
def toy_risks(work: Work) -> Found:
    """Evaluate the exact risk."""
    del work
    sizes = _SIZES[:6]
    numbers, lines = {}, []
    for rho in _RHOS:
        found = (1 - BivariateNormal(rho).accuracy(sizes)).tolist()
        for k, value in zip(sizes, found, strict=True):
            numbers[f"rho {rho:g}, k={k}"] = Measured(value=value)
        line = Line(name=f"rho {rho:g}", x=tuple(map(float, sizes)), y=tuple(found))
        lines.append(line)
    picture = _of_classes("Average risk of k classes on a line", "risk", lines)
    return Found(numbers=numbers, pictures=(picture,))


@reproduces(
    "004-fig-8c",
    "toy: how well polynomials fit D(u)",
    "greatest error of the best polynomial of degree 1 to 7 to D(u), at four "
    "correlations, by linear programming",
    seconds=4.0,
)
def toy_polynomials(work: Work) -> Found:
    """Fit polynomials to D(u) so that the greatest error is least."""
    del work
    u = 0.5 - 0.5 * np.cos(np.linspace(0.01, np.pi - 0.01, 200))
    degrees = range(1, 8)
    numbers, lines, errors = {}, [], []
    for rho in _RHOS:
        d = BivariateNormal(rho).discriminability(u)
        found = [_least_error(u, d, degree) for degree in degrees]
        errors.append(found)
        for degree, value in zip(degrees, found, strict=True):
            numbers[f"rho {rho:g}, degree {degree}"] = Measured(value=value)
        x = tuple(map(float, degrees))
        lines.append(Line(name=f"rho {rho:g}", x=x, y=tuple(found)))
    grows = bool(np.all(np.diff(np.array(errors), axis=0) > 0))
    numbers["less adequate as rho increases"] = Measured(value=float(grows))
    picture = Picture(
        title="Greatest error of the best polynomial to D(u)",
        xlabel="degree",
        ylabel="greatest error",
        panels=(Panel(title="", lines=tuple(lines)),),
    )
    return Found(numbers=numbers, pictures=(picture,))


def _least_error(u: FloatArray, d: FloatArray, degree: int) -> float:
    """Return the greatest error of the polynomial for which it is least."""
    basis = np.polynomial.legendre.legvander(2 * u - 1, degree)
    one = np.ones((u.size, 1))
    found = scipy.optimize.linprog(
        np.append(np.zeros(degree + 1), 1.0),
        A_ub=np.block([[basis, -one], [-basis, -one]]),
        b_ub=np.concatenate([d, -d]),
        bounds=[(None, None)] * (degree + 1) + [(0, None)],
    )
    return float(found.x[-1])


# --- the draft: faces and characters --------------------------------------------------


@reproduces(
    "004-fig-12",
    "faces: forecasts by splines",
    "the risk with all people from 100, 200, 400 and 800 of them, by a non-negative "
    "linear spline; features of three dimensions stand in for those of 128",
    aliases=("004-fig-11",),
    files=(_FACES,),
    seconds=4.0,
    full_minutes=10.0,
)
def faces_by_splines(work: Work) -> Found:
    """Fit splines to the curves of some people."""
    data = _faces(work)
    sizes = np.unique(np.geomspace(2, data.n_classes, 30).astype(int))
    everybody = accuracy_curve(data, sizes=sizes.tolist(), standard_errors=False)
    n = work.repeats(2, 20)
    numbers, parts = {}, []
    x = tuple(sizes.astype(float).tolist())
    for k1 in (100, 200, 400, 800):
        task = _Shown(data, k1, tuple(sizes.tolist()))
        found = work.map(_spline_shown, [task] * n, what=f"{k1} people")
        curves = np.array(found)
        last = curves[:, -1]
        numbers[f"forecast from {k1} people"] = Measured(
            value=float(last.mean()), error=float(last.std(ddof=1) / math.sqrt(n))
        )
        lines = [
            Line(name="forecasts", x=x, y=tuple((1 - row).tolist())) for row in curves
        ]
        truth = Line(name="all people", x=x, y=tuple((1 - everybody.accuracy).tolist()))
        parts.append(Panel(title=f"from {k1} people", lines=(*lines, truth)))
    numbers["accuracy with all people"] = Measured(value=float(everybody.accuracy[-1]))
    picture = Picture(
        title="Risk of face recognition forecast by splines, and with all people",
        xlabel="people",
        ylabel="risk",
        panels=tuple(parts),
        is_log=True,
    )
    return Found(numbers=numbers, pictures=(picture,))


def _spline_shown(task: _Shown, rng: np.random.Generator) -> list[float]:
    chosen = np.sort(rng.permutation(task.data.n_classes)[: task.n_classes])
    observed = ObservedClasses.of(task.data.subset(chosen), n_jobs=1)
    fitted = Spline().fit(observed, rng, n_jobs=1).law.accuracy(np.array(task.to))
    return [float(value) for value in fitted]


@reproduces(
    "004-table-1",
    "Telugu characters: errors forecast by splines",
    "errors with 400 characters forecast from 20 and from 100, from the authors' own "
    "scores",
    files=(_TELUGU,),
    seconds=2.0,
    full_minutes=0.5,
)
def telugu_by_splines(work: Work) -> Found:
    """Fit splines to the curves of 20 and of 100 characters."""
    observed = _telugu(work)
    numbers = {}
    for (name, k1), own in observed.items():
        law = Spline().fit(own, work.rng(f"{name} {k1}")).law
        value = 1 - float(law.accuracy(np.array([400]))[0])
        numbers[f"{_NAMES[name]}, from {k1}"] = Measured(value=value)
    increasing = PseudoLikelihood(monotone=True)
    for (name, k1), own in observed.items():
        if name in ("logistic", "svm"):
            value = 1 - float(
                increasing.fit_ranks(own.ranks).accuracy(np.array([400]))[0]
            )
            cell = f"{_NAMES[name]}, pseudolikelihood from {k1}"
            numbers[cell] = Measured(value=value)
    for name in ("logistic", "svm"):
        curve = accuracy_curve(
            observed[name, 100].data, sizes=100, average="micro", standard_errors=False
        )
        cell = f"{_NAMES[name]}, error with 100"
        numbers[cell] = Measured(value=1 - float(curve.accuracy[0]))
    return Found(numbers=numbers)
