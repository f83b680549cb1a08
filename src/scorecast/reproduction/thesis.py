"""Entries of the thesis of Zheng (2017): risk by ranks, bounds, identification."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
import scipy

from scorecast._core.types import FloatArray, IntArray
from scorecast.exceptions import ScorecastWarning
from scorecast.extrapolation import extrapolate
from scorecast.identification import (
    EncodingModel,
    Trials,
    average_bayes_bound,
    best_accuracy,
    generalisation_bound,
    ideal_accuracy,
    ideal_information,
    identify,
    implied_information,
    least_information,
)
from scorecast.reproduction.entry import Found, Measured, Work, reproduces
from scorecast.reproduction.result import Line, Panel, Picture
from scorecast.scores import accuracy_curve, probit_moments, risk_curve
from scorecast.simulate import BivariateNormal


@reproduces(
    "000-eq-2.7",
    "average risk by ranks",
    "the formula against all subsets of six classes, with ties and random costs",
    seconds=1.0,
)
def risk_by_ranks(work: Work) -> Found:
    """Compare the closed form with what all subsets of classes cost."""
    rng = work.rng()
    scores = rng.integers(0, 6, size=(18, 6)).astype(np.float64)
    y_true = np.repeat(np.arange(6), 3)
    cost = rng.integers(0, 9, size=(6, 6)).astype(np.float64)
    sizes = range(2, 7)
    found = risk_curve(scores, y_true, cost=cost, sizes=sizes, standard_errors=False)
    slow = [_risk_of_subsets(scores, y_true, cost, k) for k in sizes]
    apart = np.abs(found.risk - slow)
    line = Line(name="risk", x=tuple(map(float, sizes)), y=tuple(found.risk.tolist()))
    return Found(
        numbers={
            f"difference at k={k}": Measured(value=float(value))
            for k, value in zip(sizes, apart, strict=True)
        },
        pictures=(
            Picture(
                title="Average cost of decisions among k of six classes",
                xlabel="classes",
                ylabel="cost",
                panels=(Panel(title="", lines=(line,)),),
            ),
        ),
    )


def _risk_of_subsets(
    scores: FloatArray, y_true: IntArray, cost: FloatArray, k: int
) -> float:
    """Average the cost over all subsets of k classes, ties broken at random."""
    total, n = 0.0, 0
    for chosen in itertools.combinations(range(scores.shape[1]), k):
        inside = list(chosen)
        for row, truth in zip(scores, y_true, strict=True):
            if truth in chosen:
                best = row[inside] == row[inside].max()
                total += float(cost[inside, truth][best].mean())
                n += 1
    return total / n


@reproduces(
    "000-thm-2.5",
    "lower bounds of accuracy",
    "bounds of accuracy and average Bayes accuracy from .8 on 50 classes with 10 "
    "tests, and how often they hold for classes on a line",
    seconds=0.5,
)
def accuracy_bounds(work: Work) -> Found:
    """Evaluate the bounds of the thesis, and sharper ones; see how often they hold."""
    trials = Trials.of(50, 10)
    bounds: dict[str, Callable[[float], float]] = {
        f"average, {title}": partial(average_bayes_bound, trials=trials, method=name)
        for title, name in _OF_AVERAGE.items()
    }
    bounds |= {
        f"these classes, {title}": partial(
            generalisation_bound, trials=trials, method=name
        )
        for title, name in _OF_THESE.items()
    }
    numbers = {cell: Measured(value=bound(0.8)) for cell, bound in bounds.items()}
    n, toy = work.repeats(400, 10_000), BivariateNormal(0.9999)  # three in four right
    average = float(toy.accuracy([50])[0])
    held = dict.fromkeys(bounds, 0)
    rng = work.rng()
    for _ in range(n):
        scores, y_true, labels = toy.sample(50, 10, random_state=rng)
        share = float(np.mean(scores.argmax(axis=1) == y_true))
        own = toy.accuracy_of(labels)
        for cell, bound in bounds.items():
            truth = average if cell.startswith("average") else own
            held[cell] += bound(share) <= truth
    lowest = min(held.values()) / n
    error = float(np.sqrt(lowest * (1 - lowest) / n))
    numbers["lowest share that holds"] = Measured(value=lowest, error=error)
    numbers["each holds 95 % of the time"] = Measured(value=float(lowest >= 0.95))
    return Found(numbers=numbers)


_OF_AVERAGE = {"printed": "paper", "McDiarmid": "mcdiarmid", "sharpest": "sharpest"}
_OF_THESE = {"printed": "paper", "one-sided": "hoeffding"}


@reproduces(
    "000-thm-2.5.1",
    "variance of the Bayes accuracy",
    "variance over random sets of 20 classes against its bound 1/(4k), rho .7",
    seconds=0.3,
)
def variance_of_accuracy(work: Work) -> Found:
    """Draw sets of classes and take the variance of their accuracy."""
    toy, n = BivariateNormal(0.7), work.size(20000, 200000)
    drawn = work.rng().normal(size=(n, 20))
    found = np.array([toy.accuracy_of(row) for row in drawn])
    variance = float(found.var())
    error = float(((found - found.mean()) ** 2).std() / np.sqrt(n))
    return Found(
        numbers={
            "variance": Measured(value=variance, error=error),
            "variance is at most 1/(4k)": Measured(value=float(variance <= 1 / 80)),
        }
    )


@reproduces(
    "000-lemma-2.5.1",
    "bound after choosing the best of several rules",
    "how often the bound of the best of a thousand rules holds",
    seconds=0.1,
)
def best_of_rules(work: Work) -> Found:
    """Test rules of equal accuracy, choose the best, and bound its accuracy."""
    n, n_rules, truth = work.size(4000, 40000), 1000, 0.7
    trials = Trials.of(20, 5)
    best = work.rng().binomial(100, truth, size=(n, n_rules)).max(axis=1) / 100
    held = {}
    for cell, number in {"with": n_rules, "without": 1}.items():
        bounds = {
            value: generalisation_bound(float(value), trials, n_classifiers=number)
            for value in np.unique(best)
        }
        held[cell] = np.mean([bounds[value] <= truth for value in best])
    error = float(np.sqrt(held["with"] * (1 - held["with"]) / n))
    return Found(
        numbers={
            "bound holds at least 95 % of the time": Measured(
                value=float(held["with"] >= 0.95)
            ),
            "share that holds": Measured(value=float(held["with"]), error=error),
            "the same without allowing for the choice": Measured(
                value=float(held["without"])
            ),
        }
    )


@reproduces(
    "000-thm-4.3.1",
    "the best accuracy that information allows",
    "C_k(iota) and its inverse, for 2 to 100,000 classes",
    seconds=0.3,
)
def capacity(work: Work) -> Found:
    """Evaluate C_k and its inverse."""
    del work
    numbers = {}
    for k in (2, 10, 1000, 100_000):
        for iota in (0.1, 0.5, 1.0, 2.0, 5.0, 10.0):
            value = float(best_accuracy(iota, n_classes=k, units="nats"))
            numbers[f"C, k={k}, iota={iota:g}"] = Measured(value=value)
    for k, accuracy in ((2, 0.75), (10, 0.5), (100, 0.9), (1000, 0.3)):
        value = float(least_information(accuracy, n_classes=k, units="nats"))
        numbers[f"inverse, k={k}, accuracy {accuracy:g}"] = Measured(value=value)
    amounts = np.linspace(0.0, 8.0, 81)
    lines = tuple(
        Line(
            name=f"{k:,} classes",
            x=tuple(amounts.tolist()),
            y=tuple(best_accuracy(amounts, n_classes=k, units="nats").tolist()),
        )
        for k in (2, 10, 100, 1000)
    )
    picture = Picture(
        title="Highest average Bayes accuracy that information allows",
        xlabel="information (nats)",
        ylabel="accuracy",
        panels=(Panel(title="", lines=lines),),
    )
    return Found(numbers=numbers, pictures=(picture,))


@reproduces(
    "000-kay",
    "how many images until one in ten is identified",
    "from accuracy .75 among 1,750 images, by the ideal curve",
    seconds=0.1,
)
def many_images(work: Work) -> Found:
    """Read information off one accuracy, and follow the ideal curve down to .10."""
    del work
    amount = ideal_information(0.75, n_classes=1750, units="nats")

    def above(log10: float) -> float:
        accuracy = ideal_accuracy(amount, n_classes=[10**log10], units="nats")
        return float(accuracy[0]) - 0.1

    where = float(scipy.optimize.brentq(above, 3, 12, xtol=1e-6))
    sizes = np.logspace(1, 9, 81)
    line = Line(
        name="ideal curve",
        x=tuple(sizes.tolist()),
        y=tuple(ideal_accuracy(amount, n_classes=sizes, units="nats").tolist()),
    )
    picture = Picture(
        title="Identification of images, from accuracy .75 among 1,750",
        xlabel="images",
        ylabel="accuracy",
        panels=(Panel(title="", lines=(line,)),),
        is_log=True,
    )
    return Found(
        numbers={
            "implied information (nats)": Measured(value=amount),
            "log10 of the images": Measured(value=where),
        },
        pictures=(picture,),
    )


@reproduces(
    "000-lemma-1",
    "accuracy of normal scores",
    "chance that one of six normal scores is not the greatest, by formula and by "
    "drawing them",
    seconds=0.3,
)
def normal_scores(work: Work) -> Found:
    """Evaluate the formula of the two-parameter family, and draw scores."""
    alpha, beta, gamma, delta, epsilon, k = 1.1, 1.4, 0.3, 1.7, 0.5, 6
    middle = alpha / np.sqrt(delta - epsilon)
    width = np.sqrt((beta + epsilon - 2 * gamma) / (delta - epsilon))
    right = probit_moments(np.array([k]), np.array([middle]), np.array([width]))
    covariance = np.full((k, k), epsilon) + (delta - epsilon) * np.eye(k)
    covariance[0], covariance[:, 0] = gamma, gamma
    covariance[0, 0] = beta
    mean = np.append(alpha, np.zeros(k - 1))
    n = work.size(200_000, 2_000_000)
    z = work.rng().multivariate_normal(mean, covariance, size=n)
    share = float(np.mean(z[:, 0] < z[:, 1:].max(axis=1)))
    error = float(np.sqrt(share * (1 - share) / n))
    return Found(
        numbers={
            "formula": Measured(value=1 - float(right.ravel()[0])),
            "drawn": Measured(value=share, error=error),
        }
    )


# --- stimuli and responses ------------------------------------------------------------

_NATS = 1.5
_DIMENSIONS = (1, 4, 16, 100, 400)


def _score_matrix(n: int, dimensions: int, rng: np.random.Generator) -> FloatArray:
    """Draw stimuli and responses that share 1.5 nats; return log-likelihoods."""
    signal = np.sqrt(np.expm1(2 * _NATS / dimensions))
    x = signal * rng.normal(size=(n, dimensions))
    y = x + rng.normal(size=x.shape)
    scores: FloatArray = y @ x.T - (x**2).sum(axis=1) / 2
    return scores


@reproduces(
    "000-thm-5",
    "the ideal curve in high dimension",
    "accuracy of the best decoder of 1.5 nats in 1 to 400 dimensions, and its limit",
    seconds=3.0,
    full_minutes=1.0,
)
def high_dimension(work: Work) -> Found:
    """Draw stimuli and responses, and count right identifications."""
    sizes = (2, 10, 50)
    numbers = {
        f"limit, k={k}": Measured(value=float(value))
        for k, value in zip(
            sizes, ideal_accuracy(_NATS, n_classes=sizes, units="nats"), strict=True
        )
    }
    n, repeats = 200, work.repeats(20, 200)
    shown = np.unique(np.geomspace(2, n, 20).astype(int))
    grid = sorted({*shown.tolist(), *sizes})
    lines = []
    for d in _DIMENSIONS:
        rng = work.rng(str(d))
        curves = np.array(
            [
                accuracy_curve(
                    _score_matrix(n, d, rng), range(n), sizes=grid,
                    standard_errors=False,
                ).accuracy
                for _ in range(repeats)
            ]
        )  # fmt: skip
        mean, spread = curves.mean(axis=0), curves.std(axis=0, ddof=1)
        for k in sizes:
            i = grid.index(k)
            cell = f"{d} dimensions, k={k}"
            error = float(spread[i] / np.sqrt(repeats))
            numbers[cell] = Measured(value=float(mean[i]), error=error)
        x = tuple(map(float, grid))
        lines.append(Line(name=f"{d} dimensions", x=x, y=tuple(mean.tolist())))
    limit = ideal_accuracy(_NATS, n_classes=grid, units="nats").tolist()
    lines.append(Line(name="limit", x=tuple(map(float, grid)), y=tuple(limit)))
    picture = Picture(
        title="Accuracy of the best decoder of 1.5 nats",
        xlabel="candidates",
        ylabel="accuracy",
        panels=(Panel(title="", lines=tuple(lines)),),
        is_log=True,
    )
    return Found(numbers=numbers, pictures=(picture,))


@reproduces(
    "000-implied",
    "information implied by an identification curve",
    "information read off 300 stimuli in 400 dimensions that share 1.5 nats",
    seconds=2.0,
    full_minutes=0.5,
)
def implied_amount(work: Work) -> Found:
    """Read information off curves of stimuli and responses with a known amount."""
    n = work.repeats(10, 200)
    rng = work.rng()
    found = [
        implied_information(_score_matrix(300, 400, rng), units="nats")
        for _ in range(n)
    ]
    values = np.array([one.value for one in found])
    held = [one.low <= _NATS <= one.high for one in found]
    error = float(values.std(ddof=1) / np.sqrt(n))
    return Found(
        numbers={
            "mean implied information (nats)": Measured(
                value=float(values.mean()), error=error
            ),
            "share of 95 % intervals that hold 1.5": Measured(
                value=float(np.mean(held))
            ),
        }
    )


@reproduces(
    "000-fig-id",
    "identification curves of encoding models",
    "accuracy of ridge and elastic net, ten features and 40 responses",
    seconds=11.0,
    full_minutes=0.5,
)
def encoding_curves(work: Work) -> Found:
    """Fit encoding models and identify stimuli from responses."""
    rng = work.rng()
    stimuli = rng.normal(size=(200, 10))
    weights = rng.normal(size=(10, 40)) * (rng.random((10, 40)) < 0.3)
    responses = stimuli @ weights + 3.0 * rng.normal(size=(200, 40))
    lines, numbers = [], {}
    for penalty in ("ridge", "elastic-net"):
        found = identify(
            stimuli,
            responses,
            model=EncodingModel(penalty=penalty),
            n_splits=work.size(4, 10),
            units="nats",
            random_state=work.seed,
        )
        curve = found.curve
        lines.append(
            Line(
                name=penalty,
                x=tuple(curve.classes.astype(float).tolist()),
                y=tuple(curve.accuracy.tolist()),
            )
        )
        cell = f"{penalty}, implied information (nats)"
        numbers[cell] = Measured(value=float(found.implied.value))
    picture = Picture(
        title="Identification of stimuli from 40 responses",
        xlabel="candidates",
        ylabel="accuracy",
        panels=(Panel(title="", lines=tuple(lines)),),
        is_log=True,
    )
    return Found(numbers=numbers, pictures=(picture,))


# --- costs ----------------------------------------------------------------------------


@reproduces(
    "000-cost",
    "risk under a cost that is not zero or one",
    "cost min((yhat - y)^2, 4) of classes on a line, rho .7, and its forecast from 60 "
    "classes to 300",
    seconds=6.0,
    full_minutes=1.0,
)
def squared_cost(work: Work) -> Found:
    """Average the cost over random sets of classes, and forecast it."""
    n, rng, toy = work.repeats(100, 1000), work.rng(), BivariateNormal(0.7)
    sizes = (2, 5, 15)
    curves, far = [], []
    for _ in range(n):
        scores, y_true, labels = toy.sample(40, 2, random_state=rng)
        found = risk_curve(
            scores, y_true, cost=_costs(labels), sizes=sizes, standard_errors=False
        )
        curves.append(found.risk)
        scores, y_true, labels = toy.sample(300, 1, random_state=rng)
        chosen = scores.argmax(axis=1)
        far.append(_costs(labels)[chosen, y_true].mean())
    mean = np.mean(curves, axis=0)
    error = np.std(curves, axis=0, ddof=1) / np.sqrt(n)
    numbers = {
        f"k={k}": Measured(value=float(m), error=float(e))
        for k, m, e in zip(sizes, mean, error, strict=True)
    }
    numbers["k=300"] = Measured(
        value=float(np.mean(far)), error=float(np.std(far, ddof=1) / np.sqrt(n))
    )
    for method in ("auto", "moments"):
        values = []
        for _ in range(work.size(5, 50)):
            scores, y_true, labels = toy.sample(60, 5, random_state=rng)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ScorecastWarning)
                forecast = extrapolate(
                    scores, y_true, to=300, cost=_costs(labels), method=method,
                    random_state=rng,
                )  # fmt: skip
            values.append(forecast.predictions[0].risk)
        cell = f"k=300, forecast from 60 by {method}"
        error_of = float(np.std(values, ddof=1) / np.sqrt(len(values)))
        numbers[cell] = Measured(value=float(np.mean(values)), error=error_of)
    return Found(numbers=numbers)


def _costs(labels: FloatArray) -> FloatArray:
    apart: FloatArray = np.minimum((labels[:, None] - labels) ** 2, 4.0)
    return apart
