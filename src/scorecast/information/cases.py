"""What each case is worth: j = log Q(what happened) - log P(what happened)."""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from scorecast._core.types import BoolArray, FloatArray
from scorecast.exceptions import InvalidInputError, UsageError
from scorecast.information.forecasts import Forecasts
from scorecast.scores import label_list

__all__ = ["CaseInformation", "check_floor", "labels_of"]

_SHOWN = 3


@dataclass(frozen=True, kw_only=True, eq=False)
class CaseInformation:
    """Information of every case, in nats, before any statistics.

    Made by `cases_from_logs`, `cases_from_probabilities`, `cases_from_classes`,
    `cases_from_densities`, `cases_from_regressor` and `cases_from_times`.

    Attributes
    ----------
    j : ndarray of float64
        ``log_q - log_p`` of every case; minus infinity where the forecast gave what
        happened no chance at all.
    log_q, log_p : ndarray of float64 or None
        Log-probability (or log-density) that forecast and prior gave to what happened;
        None where only `j` was given.
    ids : tuple or None
        Name of every case.
    groups : tuple or None
        Group of every case.
    censored : ndarray of bool or None
        Whether what happened is only known to lie beyond a bound.
    forecasts : Forecasts or None
        Forecast chances of things that did or did not happen, for the reliability view.
    prior : str
        Where the prior comes from, in words.
    floor : float or None
        Smallest chance that a forecast was allowed to state, where one was set.
    n_floored : int
        Cases raised to the floor.
    notes : tuple of str
        What was done on the way here.
    """

    j: FloatArray
    log_q: FloatArray | None = None
    log_p: FloatArray | None = None
    ids: tuple[Hashable, ...] | None = None
    groups: tuple[Hashable, ...] | None = None
    censored: BoolArray | None = None
    forecasts: Forecasts | None = None
    prior: str = "as given"
    floor: float | None = None
    n_floored: int = 0
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.j.ndim != 1 or self.j.size == 0:
            msg = f"There must be one j per case, and at least one; got {self.j.shape}."
            raise InvalidInputError(msg)
        _refuse_impossible(self.j)
        for name in ("ids", "groups", "censored"):
            given = getattr(self, name)
            if given is not None and len(given) != self.j.size:
                msg = f"{len(given)} {name} were given for {self.j.size} cases."
                raise InvalidInputError(msg)

    @property
    def n(self) -> int:
        """Number of cases."""
        return self.j.size

    @property
    def is_finite(self) -> BoolArray:
        """Cases to which the forecast gave some chance."""
        finite: BoolArray = np.isfinite(self.j)
        return finite

    @property
    def n_infinite(self) -> int:
        """Cases to which the forecast gave none."""
        return int((~self.is_finite).sum())

    def name(self, index: int) -> str:
        """Return the name of a case, or its row counted from one."""
        return f"row {index + 1}" if self.ids is None else str(self.ids[index])

    def with_groups(self, groups: Iterable[Hashable]) -> CaseInformation:
        """Return the same cases, grouped.

        Parameters
        ----------
        groups : iterable of hashable
            Group of every case.

        Returns
        -------
        CaseInformation
            A copy.
        """
        return replace(self, groups=labels_of(groups))

    def with_floor(self, floor: float) -> CaseInformation:
        """Return the same cases with no forecast chance below a floor.

        Parameters
        ----------
        floor : float
            Smallest probability (or density) that counts as said.

        Returns
        -------
        CaseInformation
            A copy that says how many cases were raised.

        Raises
        ------
        UsageError
            If only `j` is known.
        """
        if self.log_q is None or self.log_p is None:
            msg = "A floor is one of the forecast's chances: give log_q and log_p."
            raise UsageError(msg)
        low = check_floor(floor, self.log_q)
        raised = np.maximum(self.log_q, low)
        return replace(
            self,
            j=raised - self.log_p,
            log_q=raised,
            floor=float(floor),
            n_floored=int((self.log_q < low).sum()),
        )


def check_floor(floor: float, *log_q: FloatArray) -> float:
    """Return the logarithm of a floor.

    Parameters
    ----------
    floor : float
        Smallest probability (or density) that counts as said.
    *log_q : ndarray of float64
        Logarithms that it is a floor of.

    Returns
    -------
    float
        Its natural logarithm.

    Raises
    ------
    UsageError
        If it is no positive number, or one that no probability can exceed while the
        logarithms may be those of probabilities.
    """
    if not (isinstance(floor, numbers.Real) and 0 < float(floor) < math.inf):
        msg = f"`floor` must be a positive probability or density; got {floor!r}."
        raise UsageError(msg)
    if float(floor) >= 1 and all((x <= 0).all() for x in log_q):
        msg = (
            f"`floor` must be below 1, the largest of all chances, since {floor:g} "
            "would raise every forecast to itself; try a small one such as 0.001."
        )
        raise UsageError(msg)
    return math.log(float(floor))


def labels_of(values: Iterable[Hashable] | None) -> tuple[Hashable, ...] | None:
    """Return names or groups as plain Python values; None stays None."""
    return None if values is None else tuple(label_list(values))


def _refuse_impossible(j: FloatArray) -> None:
    for bad, what in (
        (np.isnan(j), "are not numbers"),
        (j == np.inf, "are infinite: what happened had no chance under the prior"),
    ):
        if bad.any():
            places = ", ".join(str(i + 1) for i in np.flatnonzero(bad)[:_SHOWN])
            msg = (
                f"The information of {int(bad.sum())} case(s) {what}; the first: case "
                f"{places}. Repair or remove those cases."
            )
            raise InvalidInputError(msg)
