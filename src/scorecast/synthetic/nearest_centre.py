"""Expected accuracy of choosing the nearest of k random centres.

An example at distance `rho` from the middle and `s` from its own centre is recognised
if no other centre lies within `s` of it. The chance that one does is an integral over
spherical caps; accuracy is the average of its complement to the power k - 1.
"""

from __future__ import annotations

import numpy as np
from scipy.special import betainc, roots_jacobi

from scorecast._core.types import FloatArray
from scorecast.synthetic.radii import NormalRadius, Radius

__all__ = ["nearer_chance", "nearest_accuracy"]

_NODES = (20, 10)  # and so many more per root of the dimension: radii grow, spread not
_ANGLES = 16
_STEP = 0.3
_STEP_ON_A_LINE = 0.02  # where being very near decides, and a node costs little
_REACH = 6.6
_ROWS = 4096


def nearest_accuracy(
    ks: FloatArray, radius: Radius, *, shift: float, noise: float, others: Radius
) -> FloatArray:
    """Return the expected accuracy with k classes.

    The example lies at distance rho from the middle, rho following `radius`; its own
    template is away from it by `shift` times the example plus normal noise.

    Parameters
    ----------
    ks : ndarray
        Numbers of classes.
    radius : Radius
        Of what the deviation is built on.
    shift : float
        Part of that vector in the deviation; 0 if the own centre is meant and
        `radius` is that of centres.
    noise : float
        Standard deviation of the noise of a coordinate.
    others : Radius
        Distances of the templates of other classes from the middle.

    Returns
    -------
    ndarray
        Accuracies, to about 5e-6.
    """
    at, mass = _example_nodes(radius, noise)
    base, size, cosine = at
    if shift:
        # Built on the example: the deviation leans towards it.
        rho = base
        own = np.sqrt((shift * base) ** 2 + size**2 + 2 * shift * base * size * cosine)
    else:
        # Built on the centre: the example is the centre and noise.
        rho = np.sqrt(base**2 + size**2 + 2 * base * size * cosine)
        own = size
    taken = np.concatenate(
        [
            nearer_chance(rho[i : i + _ROWS], own[i : i + _ROWS], others)
            for i in range(0, rho.size, _ROWS)
        ]
    )
    logs = np.log1p(-np.minimum(taken, 1 - 1e-16))
    return np.array([mass @ np.exp((k - 1) * logs) for k in ks])


def nearer_chance(rho: FloatArray, s: FloatArray, others: Radius) -> FloatArray:
    """Return the chance that a random template lies within s of an example.

    Parameters
    ----------
    rho : ndarray
        Distances of examples from the middle.
    s : ndarray
        How near another template must be.
    others : Radius
        Distances of templates from the middle.

    Returns
    -------
    ndarray
        Chances.
    """
    whole = others.cdf(np.maximum(s - rho, 0))
    low, high = np.abs(rho - s), np.minimum(rho + s, others.farthest)
    if others.d == 1:
        either: FloatArray = whole + (others.cdf(high) - others.cdf(low)) / 2
        return either
    n_nodes = int(_NODES[0] + _NODES[1] * np.sqrt(others.d))
    nodes, weights = np.polynomial.legendre.leggauss(n_nodes)
    # Caps open and close as square roots do; in an angle they are smooth.
    angle = np.pi * (1 + nodes) / 2
    weights = weights * np.sin(angle) * np.pi / 2
    half = np.maximum(high - low, 0)[:, None] / 2
    r = low[:, None] + half * (1 - np.cos(angle))
    inside = others.pdf(r) * _cap(
        (rho[:, None] ** 2 + r**2 - s[:, None] ** 2) / (2 * rho[:, None] * r), others.d
    )
    chance: FloatArray = whole + (inside * half) @ weights
    return chance


def _cap(cosine: FloatArray, d: int) -> FloatArray:
    """Return the share of a sphere with a cosine above the given one."""
    t = np.clip(cosine, -1, 1)
    tail = betainc((d - 1) / 2, 0.5, 1 - t**2) / 2
    share: FloatArray = np.where(t >= 0, tail, 1 - tail)
    return share


def _example_nodes(
    radius: Radius, noise: float
) -> tuple[tuple[FloatArray, FloatArray, FloatArray], FloatArray]:
    """Lay nodes over the radius, the length of the noise and the angle between them.

    Both lengths are quantiles of normal numbers, over which sums with even steps
    converge faster than any power of the step.
    """
    step = _STEP_ON_A_LINE if radius.d == 1 else _STEP
    t = np.arange(-_REACH, _REACH + step / 2, step)
    mass_t = np.exp(-(t**2) / 2)
    mass_t /= mass_t.sum()
    d = radius.d
    if d == 1:
        cosine, mass_c = np.array([-1.0, 1.0]), np.array([0.5, 0.5])
    else:
        cosine, mass_c = roots_jacobi(_ANGLES, (d - 3) / 2, (d - 3) / 2)
        mass_c /= mass_c.sum()
    base = radius.at(t)
    size = NormalRadius(d, noise).at(t)
    grid = np.meshgrid(base, size, cosine, indexing="ij")
    mass = mass_t[:, None, None] * mass_t[:, None] * mass_c
    heavy = mass.ravel() > 1e-14
    at = tuple(part.ravel()[heavy] for part in grid)
    return (at[0], at[1], at[2]), mass.ravel()[heavy]
