"""Real data that ship with the package, to try things on."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import as_file, files

import numpy as np
from numpy.typing import NDArray

__all__ = ["EXAMPLE_SOURCE", "CharacterExample", "load_characters"]

EXAMPLE_SOURCE = (
    "Omniglot, handwritten characters; B. M. Lake, R. Salakhutdinov and "
    "J. B. Tenenbaum, Science 350 (2015) 1332-1338; MIT licence, copyright (c) 2015 "
    "Brenden Lake"
)


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
    """

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
