"""Recognition tasks with a known truth: populations, scales of scores, flat curves.

Every task draws fresh classes for every seed; the truth is that of the population,
counted once among many more classes. `auto_families.py` measures methods on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

_GALLERY, _PROBES, _BLOCK = 20_000, 20_000, 500  # to count the truth with


class Vectors(NamedTuple):
    """A template and a sample of every class."""

    gallery: np.ndarray
    probes: np.ndarray
    offsets: np.ndarray | None = None  # of the classes, added to their scores


class Task(NamedTuple):
    """A number of classes observed, one to forecast, and how classes are drawn."""

    family: str
    name: str
    n_classes: int
    target: int
    draw: Callable[[int, np.random.Generator], Vectors]
    score: Callable[[np.ndarray, Vectors], np.ndarray]
    lost: float = 0.0  # share of samples that are never right

    def scores(self, seed: int) -> np.ndarray:
        """Return the scores of one sample of every class; row i is of class i."""
        rng = np.random.default_rng([seed, self.n_classes, _number(self.name)])
        drawn = self.draw(self.n_classes, rng)
        probes = drawn.probes
        if self.lost:
            others = self.draw(self.n_classes, rng).probes
            is_lost = rng.random(self.n_classes) < self.lost
            probes = np.where(is_lost[:, None], others, probes)
        return self.score(probes, drawn)

    def truth(self) -> float:
        """Return the accuracy of the population among `target` classes."""
        return (1 - self.lost) * _truth(self._replace(family="", lost=0.0))


@cache
def _truth(task: Task) -> float:
    """Count by how many of many classes every sample is beaten."""
    rng = np.random.default_rng([99, _number(task.name)])
    drawn = task.draw(_GALLERY, rng)
    drawn = Vectors(*(None if a is None else a.astype(np.float32) for a in drawn))
    beaten = []
    for start in range(0, _PROBES, _BLOCK):
        own = np.arange(start, start + _BLOCK)
        scores = task.score(drawn.probes[own], drawn)
        right = scores[np.arange(_BLOCK), own]
        beaten.append((scores > right[:, None]).sum(axis=1))
    beaten = np.concatenate(beaten).astype(float)
    # None of the target - 1 drawn from the others is among those that beat it.
    drawn_classes = np.arange(task.target - 1)
    logs = np.zeros(_PROBES)
    for many in np.array_split(drawn_classes, max(1, drawn_classes.size // 100)):
        left = (_GALLERY - 1 - many)[:, None]
        logs += np.log(np.maximum(1 - beaten / left, 1e-12)).sum(axis=0)
    return float(np.exp(logs).mean())


def _number(name: str) -> int:
    return int.from_bytes(name.encode()[:12].ljust(12, b" "), "big") % 2**32 + len(name)


# --- scores --------------------------------------------------------------------------


def squares(probes, gallery):
    found = (probes**2).sum(axis=1)[:, None] + (gallery**2).sum(axis=1)
    return np.maximum(found - 2 * probes @ gallery.T, 0)


def minus_distance(probes, drawn):
    found = -np.sqrt(squares(probes, drawn.gallery))
    return found if drawn.offsets is None else found + drawn.offsets


def minus_square(probes, drawn):
    return -squares(probes, drawn.gallery)


def cosine(probes, drawn):
    a, b = probes, drawn.gallery
    a = a / np.linalg.norm(a, axis=1, keepdims=True)
    return a @ (b / np.linalg.norm(b, axis=1, keepdims=True)).T


def manhattan(probes, drawn):
    return -np.array([np.abs(row - drawn.gallery).sum(axis=1) for row in probes])


def bell(probes, drawn):
    return np.exp(-squares(probes, drawn.gallery).astype(np.float64) / 4)


def log_softmax(probes, drawn):
    scaled = 4 * minus_distance(probes, drawn)
    scaled = scaled - scaled.max(axis=1, keepdims=True)
    return scaled - np.log(np.exp(scaled).sum(axis=1, keepdims=True))


# --- populations ---------------------------------------------------------------------


def _noisy(centre, noise, rng):
    """Give every class a template and a sample around its centre."""
    gallery, probes = centre + noise * rng.standard_normal((2, *centre.shape))
    return Vectors(gallery, probes)


def gaussian(noise, width=10):
    sd = np.sqrt(noise)
    return lambda n, rng: _noisy(rng.standard_normal((n, width)), sd, rng)


def heavy(noise):
    return lambda n, rng: _noisy(rng.standard_t(3, (n, 10)), noise, rng)


def clusters(noise):
    def draw(n, rng):
        places = np.random.default_rng(5).standard_normal((60, 10))
        centre = places[rng.integers(60, size=n)] + 0.35 * rng.standard_normal((n, 10))
        return _noisy(centre, noise, rng)

    return draw


def anisotropic(noise, width=20):
    spread = 0.85 ** np.arange(width)

    def draw(n, rng):
        centre = 1.5 * spread * rng.standard_normal((n, width))
        return _noisy(centre, noise, rng)

    return draw


def varied_noise(noise):
    def draw(n, rng):
        own = noise * np.exp(0.5 * rng.standard_normal((n, 1)))
        return _noisy(rng.standard_normal((n, 10)), own, rng)

    return draw


def modes(noise):
    def draw(n, rng):
        centre = rng.standard_normal((n, 10))
        shift = rng.integers(2, size=(2, n, 1)) * rng.standard_normal((n, 10)) * 0.5
        noisy = _noisy(centre, noise, rng)
        return Vectors(noisy.gallery + shift[0], noisy.probes + shift[1])

    return draw


def hubs(noise):
    def draw(n, rng):
        noisy = _noisy(rng.standard_normal((n, 10)), noise, rng)
        return noisy._replace(offsets=0.3 * rng.standard_normal(n))

    return draw


def uniform(noise):
    return lambda n, rng: _noisy(rng.uniform(-1.7, 1.7, (n, 10)), noise, rng)


def laplace(noise):
    return lambda n, rng: _noisy(rng.laplace(size=(n, 10)), noise, rng)


def shell(noise):
    def draw(n, rng):
        centre = rng.standard_normal((n, 10))
        centre *= 3 / np.linalg.norm(centre, axis=1, keepdims=True)
        return _noisy(centre, noise, rng)

    return draw


def two_densities(noise):
    def draw(n, rng):
        size = np.where(rng.random((n, 1)) < 0.5, 0.5, 1.5)
        return _noisy(size * rng.standard_normal((n, 10)), noise, rng)

    return draw


# --- families ------------------------------------------------------------------------

POPULATIONS = {
    "t3": (heavy, (0.5, 0.75)),
    "clusters": (clusters, (0.12, 0.2)),
    "anisotropic": (anisotropic, (0.22, 0.35)),
    "noise by class": (varied_noise, (0.2, 0.35)),
    "multi-modal": (modes, (0.15, 0.3)),
    "hubs": (hubs, (0.22, 0.38)),
    "uniform": (uniform, (0.25, 0.42)),
}
SCALES = {
    "cosine": (laplace, cosine, (0.3, 0.5)),
    "Manhattan": (laplace, manhattan, (0.35, 0.6)),
    "squared": (lambda s: anisotropic(s, 25), minus_square, (0.25, 0.38)),
    "log-softmax": (lambda s: gaussian(s * s), log_softmax, (0.25, 0.4)),
    "bell": (lambda s: gaussian(s * s), bell, (0.25, 0.4)),
    "shell": (shell, minus_distance, (0.3, 0.45)),
    "two densities": (two_densities, minus_distance, (0.15, 0.28)),
}
NOISES = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4)


def simulated_tasks(shift: float = 1.0) -> Iterator[Task]:
    """Yield all tasks; noise times `shift`, to choose constants on others."""
    for size, target in ((500, 10_000), (200, 4000), (50, 1000)):
        for noise in NOISES:
            name = f"noise {noise * shift:.3g}"
            draw = gaussian(noise * shift)
            yield Task(f"Gaussian {size}", name, size, target, draw, minus_distance)
    for name, (make, noises) in POPULATIONS.items():
        for noise in noises:
            told = f"{name} {noise * shift:.3g}"
            draw = make(noise * shift)
            yield Task("populations 200", told, 200, 4000, draw, minus_distance)
    for size in (250, 60):
        for name, (make, score, noises) in SCALES.items():
            for noise in noises:
                told = f"{name} {noise * shift:.3g}"
                yield Task(
                    f"scales {size}", told, size, 3000, make(noise * shift), score
                )
    for size in (40, 100):
        for lost in (0.05, 0.15, 0.3):
            for noise in (0.05, 0.1):
                told = f"lost {lost}, noise {noise * shift:.3g}"
                draw = gaussian(noise * shift)
                yield Task(f"flat {size}", told, size, 340, draw, minus_distance, lost)
    for size in (12, 25):
        for noise in (0.1, 0.3):
            for score in (minus_distance, log_softmax, bell):
                told = f"{score.__name__} {noise * shift:.3g}"
                draw = gaussian(noise * shift)
                yield Task(f"few classes {size}", told, size, 20 * size, draw, score)
