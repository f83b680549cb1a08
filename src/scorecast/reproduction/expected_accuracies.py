"""Entries of Zheng, Achanta and Benjamini (2018), and of their draft of 2017."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import scipy

from scorecast._core.types import FloatArray
from scorecast.reproduction.entry import Found, Measured, Work, reproduces
from scorecast.reproduction.result import Line, LineStyle, Panel, Picture
from scorecast.simulate import BivariateNormal

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
    seconds=2.0,
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
    seconds=3.0,
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
