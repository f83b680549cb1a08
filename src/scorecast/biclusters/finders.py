"""Whatever finds biclusters in a matrix, called alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from scorecast._core.types import FloatArray
from scorecast.biclusters.adapters import biclusters_from
from scorecast.biclusters.bicluster_set import BiclusterSet
from scorecast.exceptions import UsageError

__all__ = ["Finder", "check_finders", "find"]

Finder = Callable[[FloatArray], Any]


def check_finders(finders: Any) -> dict[str, Any]:
    """Give every finder a name.

    Parameters
    ----------
    finders : object, or mapping of str to object
        Something with ``fit``, ``rows_`` and ``columns_`` after it (as scikit-learn's
        SpectralCoclustering), or a function from a matrix to biclusters.

    Returns
    -------
    dict
        By name; the name of the class or function where none is given.

    Raises
    ------
    UsageError
        If one can do neither.
    """
    if isinstance(finders, Mapping):
        named = {str(name): finder for name, finder in finders.items()}
    else:
        named = {getattr(finders, "__name__", type(finders).__name__): finders}
    for name, finder in named.items():
        fits = hasattr(finder, "fit") and hasattr(finder, "get_params")
        if isinstance(finder, type) or not (fits or callable(finder)):
            msg = (
                f"Finder {name!r} must be a function from a matrix to biclusters, or "
                "fit as scikit-learn's."
            )
            raise UsageError(msg)
    if not named:
        msg = "Give at least one finder of biclusters."
        raise UsageError(msg)
    return named


def find(finder: Any, matrix: FloatArray, seed: int) -> BiclusterSet:
    """Find biclusters of a matrix.

    Parameters
    ----------
    finder : object
        As for `check_finders`; an estimator is copied first.
    matrix : ndarray of shape (n, m)
        The data.
    seed : int
        Given to an estimator that takes a ``random_state``.

    Returns
    -------
    BiclusterSet
        What it found.
    """
    data = matrix.copy()  # whatever it does to it is its own affair
    if hasattr(finder, "fit") and hasattr(finder, "get_params"):
        from sklearn.base import clone  # slow to load

        copy = clone(finder)
        if "random_state" in copy.get_params():
            copy.set_params(random_state=int(np.uint32(seed)) % 2**31)
        return biclusters_from(copy.fit(data), shape=_shape(matrix))
    return biclusters_from(finder(data), shape=_shape(matrix))


def _shape(matrix: FloatArray) -> tuple[int, int]:
    return int(matrix.shape[0]), int(matrix.shape[1])
