"""Entries of Sewell (2024): apparent information and its posterior."""

from __future__ import annotations

import numpy as np

from scorecast.information import Forecasts
from scorecast.mixtures import ProGamma, SkewStudent
from scorecast.reproduction.entry import Found, Measured, Work, reproduces
from scorecast.reproduction.result import Line, Panel, Picture


@reproduces(
    "002-b5",
    "density of a skew-Student component",
    "log density at points of one and of two dimensions",
    seconds=0.5,
)
def skew_student(work: Work) -> Found:
    """Evaluate densities."""
    del work
    numbers = {}
    for y, nu, s, m, r in (
        (0.7, 0.5, 2.0, 1.6, 0.6),
        (-3.0, 2.0, 4.0, 2.5, 1.5),
        (10.0, -1.5, 1.0, 1.2, 0.2),
        (-40.0, 3.0, 9.0, 5.0, 4.0),
    ):
        law = SkewStudent(np.zeros(1), np.array([nu]), np.array([[s]]), m, r)
        found = law.log_density([[y]])
        numbers[f"one dimension, y={y:g}"] = Measured(value=float(found[0]))
    skew, precision = np.array([0.8, -0.5]), np.array([[2.0, 0.6], [0.6, 1.0]])
    plane = SkewStudent(np.zeros(2), skew, precision, 1.8, 0.8)
    for at in ((0.3, -0.2), (4.0, 3.0)):
        found = plane.log_density([at])
        cell = f"two dimensions, y=({at[0]:g}, {at[1]:g})"
        numbers[cell] = Measured(value=float(found[0]))
    return Found(numbers=numbers)


@reproduces(
    "002-b6",
    "the distribution of a shape (proGamma)",
    "mode and mean of the conjugate distribution of a shape parameter",
    seconds=0.5,
)
def shapes(work: Work) -> Found:
    """Evaluate moments."""
    del work
    first = ProGamma(1, 3)
    numbers = {
        "(1, 3, 1, type 1), mode": Measured(value=first.mode()),
        "(1, 3, 1, type 1), mean": Measured(value=first.mean()),
        "(1, 20, 1, type 2), mean": Measured(value=ProGamma(1, 20, kind=2).mean()),
        "(1, .01, 14, type 1), mean": Measured(
            value=ProGamma(1, 0.01, n_dims=14).mean()
        ),
    }
    m = np.linspace(1.01, 12, 200)
    lines = []
    for b in (1, 3, 9):
        law = ProGamma(1, b)
        y = np.exp(law.log_density(m) - law.log_normaliser)
        lines.append(Line(name=f"b = {b}", x=tuple(m.tolist()), y=tuple(y.tolist())))
    picture = Picture(
        title="Densities of a shape m, type 1, a = 1",
        xlabel="m",
        ylabel="density",
        panels=(Panel(title="", lines=tuple(lines)),),
    )
    return Found(numbers=numbers, pictures=(picture,))


@reproduces(
    "002-coin",
    "forecasters of a coin",
    "apparent information of one always right, one always wrong, one who guesses",
    seconds=0.5,
)
def coin(work: Work) -> Found:
    """Compute j of each."""
    sides = work.rng().integers(0, 2, size=1000)
    numbers = {}
    for cell, q in (
        ("always right", np.where(sides == sides, 1.0, 0.0)),
        ("always wrong", np.where(1 - sides == sides, 1.0, 0.0)),
        ("guesses", np.full(sides.size, 0.5)),
    ):
        found = Forecasts.from_probabilities(q, np.full(sides.size, 0.5))
        numbers[f"J, {cell}"] = Measured(value=float(np.mean(found.j)))
    return Found(numbers=numbers)
