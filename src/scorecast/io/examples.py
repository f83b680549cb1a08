"""Real data that ship with the package, to try things on."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from importlib.resources import as_file, files
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True, eq=False)
class CharacterExample:
    """Embeddings of handwritten characters.

    Attributes
    ----------
    gallery : ndarray of shape (242, 48)
        One vector per character: the mean of ten people's drawings.
    probes : ndarray of shape (2420, 48)
        Ten other people's drawings of every character.
    labels : ndarray of int64
        Row of the gallery to which each probe belongs.
    names : tuple of str
        Alphabet and number of each character.
    source : str
        Whose data they are, and under which licence.
    """

    source: ClassVar[str] = (
        "Omniglot, handwritten characters; B. M. Lake, R. Salakhutdinov and "
        "J. B. Tenenbaum, Science 350 (2015) 1332-1338; MIT licence, copyright (c) "
        "2015 Brenden Lake"
    )

    gallery: NDArray[np.float32]
    probes: NDArray[np.float32]
    labels: NDArray[np.int64]
    names: tuple[str, ...]


def load_characters() -> CharacterExample:
    """Load 242 handwritten characters of ten alphabets (Omniglot, MIT licence).

    Returns
    -------
    CharacterExample
        A gallery, probes and their labels, for cosine similarity.

    References
    ----------
    B. M. Lake, R. Salakhutdinov and J. B. Tenenbaum (2015). Human-level concept
    learning through probabilistic program induction. Science 350, 1332-1338.

    Examples
    --------
    >>> load_characters().gallery.shape
    (242, 48)
    """
    source = files("scorecast.io") / "examples" / "omniglot.npz"
    with as_file(source) as path, np.load(path, allow_pickle=False) as archive:
        return CharacterExample(
            gallery=archive["gallery"].astype(np.float32) / 127,
            probes=archive["probes"].astype(np.float32) / 127,
            labels=archive["labels"].astype(np.int64),
            names=tuple(archive["names"].tolist()),
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class MatchExample:
    """Forecasts of football matches, and what happened.

    Attributes
    ----------
    probabilities : ndarray of shape (279, 3)
        Forecast chances of `classes`.
    outcome : tuple of str
        What happened: one of `classes`.
    classes : tuple of str
        First team wins, draw, second team wins.
    matches : tuple of str
        The two teams and the year.
    cups : tuple of str
        The men's or the women's cup.
    source : str
        Whose data they are, and under which licence.
    """

    source: ClassVar[str] = (
        "FiveThirtyEight, forecasts of World Cup matches 2014-2022; CC BY 4.0"
    )

    probabilities: NDArray[np.float64]
    outcome: tuple[str, ...]
    classes: tuple[str, ...]
    matches: tuple[str, ...]
    cups: tuple[str, ...]


def load_matches() -> MatchExample:
    """Load forecasts of 279 World Cup matches (FiveThirtyEight, CC BY 4.0).

    Returns
    -------
    MatchExample
        Chances of win, draw and loss, in the order of dates.

    Examples
    --------
    >>> load_matches().probabilities.shape
    (279, 3)
    """
    source = files("scorecast.io") / "examples" / "world_cups.csv"
    rows = list(csv.DictReader(source.read_text("utf-8").splitlines()))
    classes = ("team1", "draw", "team2")
    return MatchExample(
        probabilities=np.array([[float(row[c]) for c in classes] for row in rows]),
        outcome=tuple(row["outcome"] for row in rows),
        classes=classes,
        matches=tuple(row["match"] for row in rows),
        cups=tuple(row["cup"] for row in rows),
    )
