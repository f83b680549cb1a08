"""What the mean information may be, given the cases: numbers and curves for drawing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scorecast._core.types import FloatArray, Json

__all__ = ["InformationPosterior", "posterior_of"]

_QUANTILES = (0.005, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.975, 0.995)
_GRID = 161
_AT_ONCE = 4000  # draws used for the density curve


@dataclass(frozen=True, kw_only=True, eq=False)
class InformationPosterior:
    """Posterior of J, the mean information of all cases there might be.

    Attributes
    ----------
    mean, median, sd : float
        Of the draws.
    low, high : float
        Central interval at the level that was asked for.
    probability_positive : float
        Share of draws above zero.
    levels, quantiles : ndarray of float64
        Further quantiles.
    x, density, cumulative : ndarray of float64
        Curves for drawing; empty where they were not asked for.
    """

    mean: float
    median: float
    sd: float
    low: float
    high: float
    probability_positive: float
    levels: FloatArray
    quantiles: FloatArray
    x: FloatArray
    density: FloatArray
    cumulative: FloatArray

    def quantile(self, level: float) -> float:
        """Return one of the quantiles kept, or what lies between them."""
        return float(np.interp(level, self.levels, self.quantiles))

    def to_dict(self) -> Json:
        """Return plain values."""
        return {
            "mean": self.mean,
            "median": self.median,
            "sd": self.sd,
            "q025": self.quantile(0.025),
            "q975": self.quantile(0.975),
            "low": self.low,
            "high": self.high,
            "quantiles": {"level": self.levels, "value": self.quantiles},
            "curve": {
                "x": self.x,
                "density": self.density,
                "cumulative": self.cumulative,
            },
        }

    @classmethod
    def from_dict(cls, data: Json, probability_positive: float) -> InformationPosterior:
        """Rebuild from `to_dict`."""
        names = ("mean", "median", "sd", "low", "high")
        curve = {name: np.array(v, np.float64) for name, v in data["curve"].items()}
        return cls(
            **{name: float(data[name]) for name in names},
            probability_positive=float(probability_positive),
            levels=np.array(data["quantiles"]["level"], np.float64),
            quantiles=np.array(data["quantiles"]["value"], np.float64),
            x=curve["x"],
            density=curve["density"],
            cumulative=curve["cumulative"],
        )


def posterior_of(
    draws: FloatArray, level: float, *, curve: bool = True
) -> InformationPosterior:
    """Summarise draws of J.

    Parameters
    ----------
    draws : ndarray of float64
        Draws, of any shape.
    level : float
        Level of the interval.
    curve : bool, default=True
        Whether to make curves for drawing.

    Returns
    -------
    InformationPosterior
        The summary.

    Examples
    --------
    >>> found = posterior_of(np.linspace(-1, 3, 401), 0.9)
    >>> round(found.low, 2), round(found.high, 2), found.probability_positive
    (-0.8, 2.8, 0.7481296758104738)
    """
    flat = np.sort(np.ravel(draws))
    low, high = np.quantile(flat, [0.5 - level / 2, 0.5 + level / 2])
    x, density, cumulative = _curve(flat) if curve else (np.empty(0),) * 3
    return InformationPosterior(
        mean=float(flat.mean()),
        median=float(np.median(flat)),
        sd=float(flat.std(ddof=1)) if flat.size > 1 else float("nan"),
        low=float(low),
        high=float(high),
        probability_positive=float((flat > 0).mean()),
        levels=np.array(_QUANTILES),
        quantiles=np.quantile(flat, _QUANTILES),
        x=x,
        density=density,
        cumulative=cumulative,
    )


def _curve(flat: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Smooth the draws with a kernel as wide as Silverman advises."""
    left, right = np.quantile(flat, [0.001, 0.999])
    spread = max(right - left, 1e-9 * max(1.0, abs(left)))
    x = np.linspace(left - 0.1 * spread, right + 0.1 * spread, _GRID)
    some = flat[:: max(1, flat.size // _AT_ONCE)]
    quarter = np.subtract(*np.quantile(some, [0.75, 0.25])) / 1.349
    width = 0.9 * (quarter if quarter > 0 else spread) * some.size**-0.2
    z = (x[:, None] - some) / width
    density = np.exp(-0.5 * z * z).mean(axis=1) / (width * np.sqrt(2 * np.pi))
    cumulative = np.searchsorted(flat, x, side="right") / flat.size
    return x, density, cumulative
