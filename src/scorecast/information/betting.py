"""The betting view: what becomes of a stake laid on the forecasts, case after case.

Whoever spreads the whole stake over the outcomes as the forecast says, at odds that
are fair under the prior, multiplies it by Q/P of what happens. Its logarithm is the sum
of j.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scorecast._core.types import FloatArray, IntArray, Json

__all__ = ["Betting", "betting_of"]

_MOST_POINTS = 400


@dataclass(frozen=True, kw_only=True, eq=False)
class Betting:
    """Growth of a stake over the cases, in the order given.

    Attributes
    ----------
    cases : ndarray of int64
        Numbers of cases after which the stake is looked at, from 0.
    log_pile : ndarray of float64
        Logarithm of the stake over what it was, in the units of the answer.
    factor : float
        Geometric mean factor per case; 0 after a ruin, infinite beyond 1e308.
    ruined_at : int or None
        The case, counted from one, that cost everything.
    """

    cases: IntArray
    log_pile: FloatArray
    factor: float
    ruined_at: int | None = None

    def to_dict(self) -> Json:
        """Return plain values."""
        return {
            "cases": self.cases,
            "log_pile": self.log_pile,
            "factor": self.factor,
            "ruined_at": self.ruined_at,
        }

    @classmethod
    def from_dict(cls, data: Json) -> Betting:
        """Rebuild from `to_dict`."""
        return cls(
            cases=np.array(data["cases"], np.int64),
            log_pile=np.array(data["log_pile"], np.float64),
            factor=float(np.inf if data["factor"] is None else data["factor"]),
            ruined_at=data["ruined_at"],
        )


def betting_of(j: FloatArray, unit: float) -> Betting:
    """Follow a stake through the cases.

    Parameters
    ----------
    j : ndarray of float64
        Information of every case in nats, in the order of betting.
    unit : float
        Nats per unit of the answer.

    Returns
    -------
    Betting
        The curve, thinned to 400 points, up to a ruin.

    Examples
    --------
    >>> bets = betting_of(np.log([2.0, 0.5, 4.0]), np.log(2))
    >>> bets.log_pile.tolist(), round(bets.factor, 3)
    ([0.0, 1.0, 0.0, 2.0], 1.587)
    """
    ruin = np.flatnonzero(j == -np.inf)
    last = int(ruin[0]) if ruin.size else j.size
    pile = np.concatenate([[0.0], np.cumsum(j[:last] / unit)])
    some = np.unique(np.linspace(0, last, _MOST_POINTS + 1).round().astype(np.int64))
    with np.errstate(over="ignore"):
        factor = 0.0 if ruin.size else float(np.exp(j.mean()))
    return Betting(
        cases=some,
        log_pile=pile[some],
        factor=factor,
        ruined_at=last + 1 if ruin.size else None,
    )
