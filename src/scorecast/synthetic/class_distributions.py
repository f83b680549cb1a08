"""What the values of every class are drawn from: the settings of the paper, or given.

Table 5 of Henriques and Madeira (2015) gives settings for three classes; other numbers
of classes follow the same rule. A class is a mixture of equally likely components.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from scorecast._core.checks import check_choice
from scorecast.exceptions import UsageError
from scorecast.synthetic.components import Component, Normal, Poisson, Uniform

__all__ = ["DISTRIBUTIONS", "ClassMixture", "class_mixtures", "describe_mixture"]

ClassMixture = tuple[Component, ...]
DISTRIBUTIONS = (
    "gaussian",
    "gaussian-mixture",
    "gaussian-poisson",
    "gaussian-uniform",
    "bimodal",
)


def class_mixtures(
    distribution: Any, n_classes: int, *, sd: float, separation: float
) -> tuple[ClassMixture, ...]:
    """Return the components of every class.

    Parameters
    ----------
    distribution : str or sequence
        Name of a setting, or for every class a component or a sequence of them.
    n_classes : int
        Number of classes.
    sd : float
        Standard deviation of normal components.
    separation : float
        Factor of the distances between normal components.

    Returns
    -------
    tuple of tuple of Component
        Equally likely components, class by class.

    Raises
    ------
    UsageError
        If the name is unknown, or the sequence does not fit.
    """
    if not isinstance(distribution, str):
        return _given(distribution, n_classes)
    name = check_choice(distribution, "distribution", DISTRIBUTIONS)
    if name == "bimodal":
        return _bimodal(n_classes, sd, separation)
    mixtures: list[ClassMixture] = []
    for place, centre in enumerate(_centres(n_classes)):
        own = Normal(separation * centre, sd)
        if name == "gaussian-mixture" and centre:
            # The paper's class at 1 is found at -1 and 2, its class at -1 at -2 and 1.
            sign = np.sign(centre)
            low, high = centre - 2 * sign, centre + sign
            mixtures.append(
                (Normal(separation * low, sd), Normal(separation * high, sd))
            )
        elif name == "gaussian-poisson":
            mixtures.append((own, Poisson(4.0 + place)))
        elif name == "gaussian-uniform":
            mixtures.append((own, Uniform(own.mean + 3 * sd, own.mean + 6.7 * sd)))
        else:
            mixtures.append((own,))
    return tuple(mixtures)


def describe_mixture(mixture: ClassMixture) -> list[dict[str, Any]]:
    """Return components as plain values."""
    return [{"family": type(part).__name__.lower(), **vars(part)} for part in mixture]


def _centres(n_classes: int) -> list[int]:
    """Return whole numbers around zero, and zero for an odd number of classes."""
    half = n_classes // 2
    upper = list(range(half, 0, -1))
    return [*upper, *([0] if n_classes % 2 else []), *(-u for u in reversed(upper))]


def _bimodal(n_classes: int, sd: float, separation: float) -> tuple[ClassMixture, ...]:
    if n_classes != 2:
        msg = (
            "`distribution='bimodal'` has two classes, one between the halves of the "
            f"other; `n_classes` is {n_classes}."
        )
        raise UsageError(msg)
    return (
        (Normal(0.0, sd),),
        (Normal(separation, sd), Normal(-separation, sd)),
    )


def _given(distribution: Any, n_classes: int) -> tuple[ClassMixture, ...]:
    mixtures = []
    given = list(distribution) if isinstance(distribution, Sequence) else []
    for entry in given:
        parts = (entry,) if isinstance(entry, Component) else entry
        usable = isinstance(parts, Sequence) and not isinstance(parts, str)
        if not usable or not parts or not all(isinstance(p, Component) for p in parts):
            msg = (
                "`distribution` must name a setting or hold, for every class, Normal, "
                f"Poisson or Uniform components; got {entry!r}."
            )
            raise UsageError(msg)
        mixtures.append(tuple(parts))
    if len(mixtures) != n_classes:
        msg = (
            f"`distribution` describes {len(mixtures)} classes but `n_classes` is "
            f"{n_classes}."
        )
        raise UsageError(msg)
    return tuple(mixtures)
