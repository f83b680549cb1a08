"""What the mean information may be, given the cases: numbers and curves for drawing.

Several posteriors of J are looked at, which differ in how they see the tails. The plain
mean gives the centre while the far cases show no tail so long that its variance is in
doubt; where they do, Pareto tails (`pareto_tails`); and where a single case lies far
from all others the mixture of the paper, since that case hardly moves it. The interval
that is reported holds that of every view: the mixture, Pareto tails and the plain
normal approximation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

import numpy as np

from scorecast._core.types import FloatArray, Json

__all__ = ["InformationPosterior", "TailView", "has_lone_case", "posterior_of"]

_QUANTILES = (0.005, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.975, 0.995)
_GRID = 161
_AT_ONCE = 4000  # draws used for the density curve
_LONE = 3.0  # times as far from the middle as any other case


@dataclass(frozen=True, kw_only=True, eq=False)
class TailView:
    """Posterior of J under one view of the tails.

    Attributes
    ----------
    tails : str
        ``"mixture"``, ``"pareto"``, ``"normal"`` or, in a quick look, ``"t"``.
    median, low, high : float
        Middle and central interval of the draws.
    probability_positive : float
        Share of draws above zero.
    density, cumulative : ndarray of float64
        Curves for drawing; empty where they were not asked for.
    mean, sd : float
        Of the draws; NaN in files of the first versions.
    """

    tails: str
    median: float
    low: float
    high: float
    probability_positive: float
    density: FloatArray
    cumulative: FloatArray
    mean: float = float("nan")
    sd: float = float("nan")

    def to_dict(self) -> Json:
        """Return plain values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Json) -> TailView:
        """Rebuild from `to_dict`."""
        curves = ("density", "cumulative")
        known = {k: v for k, v in data.items() if v is not None}
        return cls(**{**known, **{k: np.array(data[k], np.float64) for k in curves}})


@dataclass(frozen=True, kw_only=True, eq=False)
class InformationPosterior:
    """Posterior of J, the mean information of all cases there might be.

    Attributes
    ----------
    mean, median, sd : float
        Of the view that gives the centre, and of it alone: `sd` does not belong to
        the interval. Those of every view are in `views`.
    low, high : float
        Interval at the level that was asked for: the smallest that holds the central
        intervals of all views of the tails.
    probability_positive : float
        Share of draws above zero, in the view that is less sure.
    levels, quantiles : ndarray of float64
        Further quantiles; of the views the one farther out.
    x, density, cumulative : ndarray of float64
        Curves for drawing, of the view that gives the centre; empty where they were
        not asked for.
    views : tuple of TailView
        The posteriors looked at, the mixture's first.
    centre : str
        The view that gives the centre: ``"normal"``, the plain mean; ``"pareto"``
        where a tail is long; ``"mixture"`` where a lone case lies far from all others,
        or there are too few cases for Pareto tails; ``"t"`` in a quick look.
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
    views: tuple[TailView, ...]
    centre: str = "mixture"

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
            "centre": self.centre,
            "views": [self._view_dict(view) for view in self.views],
        }

    def _view_dict(self, view: TailView) -> Json:
        """Return plain values; the curves of the centre stand in ``curve`` already."""
        known = view.to_dict()
        if view.tails == self.centre:
            del known["density"], known["cumulative"]
        return known

    @classmethod
    def from_dict(cls, data: Json, probability_positive: float) -> InformationPosterior:
        """Rebuild from `to_dict`."""
        names = ("mean", "median", "sd", "low", "high")
        curve = {name: np.array(v, np.float64) for name, v in data["curve"].items()}
        chance = float(probability_positive)
        parts = {name: float(data[name]) for name in names}
        drawn = {k: curve[k] for k in ("density", "cumulative")}
        # Files of the first versions know the mixture's view only.
        early = {**parts, "tails": "mixture",
                 "probability_positive": chance}  # fmt: skip
        views = ({**drawn, **view} for view in data.get("views", [early]))
        return cls(
            **parts,
            probability_positive=chance,
            levels=np.array(data["quantiles"]["level"], np.float64),
            quantiles=np.array(data["quantiles"]["value"], np.float64),
            x=curve["x"],
            density=curve["density"],
            cumulative=curve["cumulative"],
            views=tuple(map(TailView.from_dict, views)),
            centre=data.get("centre", "mixture"),
        )


def posterior_of(
    draws: FloatArray | None,
    level: float,
    *,
    others: Mapping[str, FloatArray] | None = None,
    lone: bool = False,
    long_tail: bool = True,
    curve: bool = True,
) -> InformationPosterior:
    """Summarise draws of J.

    Parameters
    ----------
    draws : ndarray of float64 or None
        The mixture's draws, of any shape; None where it was not simulated.
    level : float
        Level of the interval.
    others : mapping of str to ndarray of float64, optional
        Draws under other views of the tails (``"pareto"``, ``"normal"``, ``"t"``); an
        empty array is no view.
    lone : bool, default=False
        Whether a single case lies far from all others.
    long_tail : bool, default=True
        Whether a tail is so long that a variance is in doubt.
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
    >>> pareto = np.linspace(-1, 3, 401)
    >>> found = posterior_of(np.linspace(1, 3, 9), 0.9, others={"pareto": pareto})
    >>> round(found.low, 2), found.median, round(found.high, 2)
    (-0.8, 2.0, 2.9)
    """
    every = {} if draws is None else {"mixture": np.sort(np.ravel(draws))}
    every |= {k: np.sort(v) for k, v in (others or {}).items() if v.size}
    x = _places(list(every.values())) if curve else np.empty(0)
    views = {name: _view(name, some, level, x) for name, some in every.items()}
    centre = _centre(views, lone=lone, long_tail=long_tail)
    asked = np.array(_QUANTILES)
    return InformationPosterior(
        mean=views[centre].mean,
        median=views[centre].median,
        sd=views[centre].sd,
        low=min(view.low for view in views.values()),
        high=max(view.high for view in views.values()),
        probability_positive=_least_sure([*views.values()]),
        levels=asked,
        quantiles=_outer_quantiles([*every.values()], asked, views[centre].median),
        x=x,
        density=views[centre].density,
        cumulative=views[centre].cumulative,
        views=tuple(views.values()),
        centre=centre,
    )


def has_lone_case(values: FloatArray) -> bool:
    """Tell whether one value lies three times as far from the middle as any other.

    Parameters
    ----------
    values : ndarray of float64
        Finite values.

    Returns
    -------
    bool
        Never, of fewer than three.

    Examples
    --------
    >>> has_lone_case(np.array([0.1, 0.2, 0.3, -2.0]))
    True
    """
    if values.size < 3:
        return False
    away = np.partition(np.abs(values - np.median(values)), values.size - 2)
    return bool(away[-1] > _LONE * away[-2])


def _centre(views: Mapping[str, TailView], *, lone: bool, long_tail: bool) -> str:
    """Return the view whose centre is reported.

    The plain mean, which nothing beats where a variance exists; Pareto tails where that
    is in doubt. But a lone far case moves both, and the mixture hardly. A mixture that
    does not even hold the plain mean does not describe what the mean depends on.
    """
    if "mixture" not in views:
        return "t" if "t" in views else "normal"
    mixture, pareto, normal = (views.get(k) for k in ("mixture", "pareto", "normal"))
    if mixture is None or pareto is None or normal is None:
        return "mixture"
    holds = mixture.low <= normal.median <= mixture.high
    if lone and holds:
        return "mixture"
    return "pareto" if long_tail else "normal"


def _outer_quantiles(
    every: list[FloatArray], asked: FloatArray, median: float
) -> FloatArray:
    """Return, of all views, the quantile farther out."""
    found = np.array([np.quantile(some, asked) for some in every])
    outer = np.where(asked < 0.5, found.min(axis=0), found.max(axis=0))
    return np.where(asked == 0.5, median, outer)


def _view(tails: str, ordered: FloatArray, level: float, x: FloatArray) -> TailView:
    low, high = np.quantile(ordered, [0.5 - level / 2, 0.5 + level / 2])
    return TailView(
        tails=tails,
        median=float(np.median(ordered)),
        low=float(low),
        high=float(high),
        probability_positive=float((ordered > 0).mean()),
        density=_smooth(ordered, x) if x.size else x,
        cumulative=np.searchsorted(ordered, x, side="right") / ordered.size,
        mean=float(ordered.mean()),
        sd=float(ordered.std(ddof=1)) if ordered.size > 1 else float("nan"),
    )


def _least_sure(views: list[TailView]) -> float:
    """Return the chance nearest to one half; one half where they disagree."""
    chances = [view.probability_positive for view in views]
    low, high = min(chances), max(chances)
    return low if low > 0.5 else high if high < 0.5 else 0.5


def _places(every: list[FloatArray]) -> FloatArray:
    """Return where to draw the curves: all of the mixture, most of the others."""
    reach = [(0.001, 0.999), *[(0.01, 0.99)] * (len(every) - 1)]
    ends = [np.quantile(s, r) for s, r in zip(every, reach, strict=True)]
    left, right = float(np.min(ends)), float(np.max(ends))
    spread = max(right - left, 1e-9 * max(1.0, abs(left)))
    return np.linspace(left - 0.1 * spread, right + 0.1 * spread, _GRID)


def _smooth(ordered: FloatArray, x: FloatArray) -> FloatArray:
    """Smooth the draws with a kernel as wide as Silverman advises."""
    some = ordered[:: max(1, ordered.size // _AT_ONCE)]
    quarter = np.subtract(*np.quantile(some, [0.75, 0.25])) / 1.349
    width = 0.9 * (quarter if quarter > 0 else x[-1] - x[0]) * some.size**-0.2
    z = (x[:, None] - some) / width
    return np.asarray(np.exp(-0.5 * z * z).mean(axis=1) / (width * np.sqrt(2 * np.pi)))
