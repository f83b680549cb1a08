"""What all simulated data have in common: a truth, a seed, a file."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from scorecast._core.results import jsonable
from scorecast._core.types import Json
from scorecast._version import __version__
from scorecast.exceptions import MissingExtraError
from scorecast.io import check_writable, write_json, write_table

__all__ = ["Simulated", "numbered", "truth_path"]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Simulated(ABC):
    """Data with a known truth.

    Attributes
    ----------
    options : dict
        What was asked for.
    seed : int or None
        The random state, where it was a number: the same call gives the same data.
    """

    kind: ClassVar[str]

    options: Json = field(default_factory=dict)
    seed: int | None = None

    @abstractmethod
    def summary(self) -> str:
        """Say in a sentence or two what was made."""

    @abstractmethod
    def truth_dict(self) -> Json:
        """Return the truth as plain values."""

    @abstractmethod
    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return the data as a table, column by column."""

    @abstractmethod
    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the data as named arrays, for an ``.npz`` file."""

    def to_dict(self) -> Json:
        """Return truth, options and seed, without the data."""
        return {
            "kind": f"simulated-{self.kind}",
            "schema": 1,
            "scorecast": __version__,
            "options": {**jsonable(self.options), "seed": self.seed},
            "truth": jsonable(self.truth_dict()),
        }

    def to_frame(self) -> Any:
        """Return the data as a pandas DataFrame.

        Returns
        -------
        pandas.DataFrame
            One row per case.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.
        """
        try:
            import pandas as pd  # optional, and slow to load
        except ImportError as error:
            what = "A table as a DataFrame (`to_columns()` gives arrays)"
            raise MissingExtraError(what, "frame") from error
        return pd.DataFrame(self.to_columns())

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> str:
        """Write the data, and the truth beside them.

        Parameters
        ----------
        path : str or path-like
            A name that ends in ``.csv``, ``.npz`` or ``.parquet``.
        force : bool, default=False
            Whether existing files may be replaced.

        Returns
        -------
        str
            Where the truth is: the same name with ``.truth.json`` for its ending.
        """
        beside = truth_path(path)
        check_writable(beside, force=force)
        arrays = os.fspath(path).lower().endswith(".npz")
        table = self.to_arrays() if arrays else self.to_columns()
        write_table(path, table, force=force)
        write_json(beside, self.to_dict(), force=force)
        return beside

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.summary()}>"


def truth_path(path: str | os.PathLike[str]) -> str:
    """Return the name under which the truth of a data file is kept."""
    return os.path.splitext(os.fspath(path))[0] + ".truth.json"


def numbered(prefix: str, matrix: NDArray[np.float64]) -> dict[str, NDArray[Any]]:
    """Return the columns of a matrix, named by their numbers from one."""
    return {f"{prefix}{j + 1}": matrix[:, j] for j in range(matrix.shape[1])}
