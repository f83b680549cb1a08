"""Entries of the thesis of Zheng (2017): risk by ranks, bounds, identification."""

from __future__ import annotations

import itertools

import numpy as np
import scipy

from scorecast._core.types import FloatArray, IntArray
from scorecast.identification import (
    Trials,
    average_bayes_bound,
    best_accuracy,
    generalisation_bound,
    ideal_accuracy,
    ideal_information,
    least_information,
)
from scorecast.reproduction.entry import Found, Measured, Work, reproduces
from scorecast.reproduction.result import Line, Panel, Picture
from scorecast.scores import risk_curve
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
    "bounds of accuracy and average Bayes accuracy from .8 on 50 classes with 10 tests",
    seconds=0.5,
)
def accuracy_bounds(work: Work) -> Found:
    """Evaluate the bounds of the thesis, and sharper ones."""
    del work
    trials = Trials.of(50, 10)
    named = {"printed": "paper", "McDiarmid": "mcdiarmid", "sharpest": "sharpest"}
    numbers = {
        f"average, {title}": Measured(
            value=average_bayes_bound(0.8, trials, method=name)
        )
        for title, name in named.items()
    }
    for title, name in {"printed": "paper", "one-sided": "hoeffding"}.items():
        value = generalisation_bound(0.8, trials, method=name)
        numbers[f"these classes, {title}"] = Measured(value=value)
    return Found(numbers=numbers)


@reproduces(
    "000-thm-2.5.1",
    "variance of the Bayes accuracy",
    "variance over random sets of 20 classes against its bound 1/(4k), rho .7",
    seconds=1.0,
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
    "how often the bound of the best of ten rules holds",
    seconds=3.0,
)
def best_of_rules(work: Work) -> Found:
    """Test ten rules of equal accuracy, choose the best, and bound its accuracy."""
    n, n_rules, truth = work.size(4000, 40000), 10, 0.7
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
    "C_k(iota) and its inverse, against the authors' table",
    seconds=0.5,
)
def capacity(work: Work) -> Found:
    """Evaluate C_k and its inverse."""
    del work
    numbers = {}
    for k in (2, 10, 1000, 100_000):
        for iota in (0.1, 0.5, 1.0, 2.0, 5.0, 10.0):
            value = float(best_accuracy(iota, k, units="nats"))
            numbers[f"C, k={k}, iota={iota:g}"] = Measured(value=value)
    for k, accuracy in ((2, 0.75), (10, 0.5), (100, 0.9), (1000, 0.3)):
        value = float(least_information(accuracy, k, units="nats"))
        numbers[f"inverse, k={k}, accuracy {accuracy:g}"] = Measured(value=value)
    amounts = np.linspace(0.0, 8.0, 81)
    lines = tuple(
        Line(
            name=f"{k:,} classes",
            x=tuple(amounts.tolist()),
            y=tuple(best_accuracy(amounts, k, units="nats").tolist()),
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
    seconds=0.5,
)
def many_images(work: Work) -> Found:
    """Read information off one accuracy, and follow the ideal curve down to .10."""
    del work
    amount = ideal_information(0.75, 1750, units="nats")

    def above(log10: float) -> float:
        accuracy = ideal_accuracy([10**log10], amount, units="nats")
        return float(accuracy[0]) - 0.1

    where = float(scipy.optimize.brentq(above, 3, 12, xtol=1e-6))
    sizes = np.logspace(1, 9, 81)
    line = Line(
        name="ideal curve",
        x=tuple(sizes.tolist()),
        y=tuple(ideal_accuracy(sizes, amount, units="nats").tolist()),
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
