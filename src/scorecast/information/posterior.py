"""What the mean information may be, given the cases.

Several posteriors of J are looked at, which differ in how they see the tails. The plain
mean gives the centre while the far cases show no tail so long that its variance is in
doubt; where they do, Pareto tails; and where a single case lies far from all others the
mixture of the paper, since that case hardly moves it. The interval that is reported
holds that of every view: the mixture, Pareto tails and the plain normal approximation.

Here are also Pareto tails themselves, and what is done with cases that share their j.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import scipy

from scorecast._core.registry import Method, Registry
from scorecast._core.result import SHARE
from scorecast._core.types import BoolArray, FloatArray
from scorecast.exceptions import InvalidInputError, listed, quoted

_QUANTILES = (0.005, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.975, 0.995)
_GRID = 161
_AT_ONCE = 4000  # draws used for the density curve
_LONE = 3.0  # times as far from the middle as any other case
FEWEST_FOR_TAILS = 10  # values, below which there is no body between two tails


@dataclass(frozen=True, kw_only=True)
class TailMethod(Method):
    """A view of the tails of j, and what it claims.

    Attributes
    ----------
    uses_chains : bool
        Whether it is simulated; others need nothing but the cases.
    min_samples : int
        Cases below which it says nothing.
    is_quick : bool
        Whether it is looked at in a quick look.
    """

    uses_chains: bool = False
    min_samples: int = 2
    is_quick: bool = False


TAIL_VIEWS: Registry[TailMethod] = Registry()
TAIL_VIEWS.add(
    TailMethod(
        name="mixture",
        title="mixture alone",
        summary="a mixture of skew-Student distributions, fitted to all cases",
        reference="R. Sewell (2024). Assessment of the quality of a prediction.",
        uses_chains=True,
        min_samples=1,
    )
)
TAIL_VIEWS.add(
    TailMethod(
        name="pareto",
        title="Pareto tails alone",
        summary="each tail a generalised Pareto distribution, learned from far cases",
        reference="J. Pickands (1975). Statistical inference using extreme order "
        "statistics. Annals of Statistics 3, 119\N{EN DASH}131.",
        min_samples=FEWEST_FOR_TAILS,
        is_quick=True,
    )
)
TAIL_VIEWS.add(
    TailMethod(
        name="normal",
        title="plain mean, normal interval",
        summary="the mean and its standard error",
    )
)
TAIL_VIEWS.add(
    TailMethod(
        name="t",
        title="plain mean, t interval",
        summary="the mean and its standard error, by Student's t, for a quick look",
        is_quick=True,
    )
)


@dataclass(frozen=True, kw_only=True, eq=False)
class TailView:
    """Posterior of J under one view of the tails.

    Attributes
    ----------
    tails : str
        Name in `TAIL_VIEWS`: ``"mixture"``, ``"pareto"``, ``"normal"`` or, in a quick
        look, ``"t"``.
    mean, median, sd : float
        Of the draws.
    low, high : float
        Central interval of the draws.
    probability_positive : float
        Share of draws above zero.
    density, cumulative : ndarray of float64
        Curves for drawing; empty where they were not asked for.
    """

    tails: str
    mean: float
    median: float
    sd: float
    low: float
    high: float
    probability_positive: float = field(metadata=SHARE)
    density: FloatArray
    cumulative: FloatArray


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
        Share of draws above zero, in the view that is less sure; one half where views
        point in different directions.
    levels, quantiles : ndarray of float64
        Further quantiles; of the views the one farther out.
    x : ndarray of float64
        Where the curves of the views are drawn; empty where they were not asked for.
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
    probability_positive: float = field(metadata=SHARE)
    levels: FloatArray
    quantiles: FloatArray
    x: FloatArray
    views: tuple[TailView, ...]
    centre: str

    def __post_init__(self) -> None:
        if self.view(self.centre) is None:
            looked = listed(quoted(view.tails) for view in self.views)
            problem = f"{quoted(self.centre)} is none of the views ({looked})"
            raise InvalidInputError(problem, parameter="centre")

    def view(self, tails: str) -> TailView | None:
        """Return the view of this name, if it was looked at."""
        return next((view for view in self.views if view.tails == tails), None)

    @property
    def central_view(self) -> TailView:
        """The view that gives the centre."""
        return next(view for view in self.views if view.tails == self.centre)

    @property
    def views_disagree(self) -> bool:
        """Whether views point in different directions, so that no sign is found."""
        chances = [view.probability_positive for view in self.views]
        return min(chances) < 0.5 < max(chances)

    def quantile(self, level: float) -> float:
        """Return one of the quantiles kept, or what lies between them."""
        return float(np.interp(level, self.levels, self.quantiles))


def posterior_of(
    draws: FloatArray | None,
    confidence_level: float,
    *,
    others: Mapping[str, FloatArray] | None = None,
    is_lone: bool = False,
    is_long_tailed: bool = True,
    has_curves: bool = True,
) -> InformationPosterior:
    """Sum up draws of J: the mixture's, if any, and those under other views.

    Examples
    --------
    >>> pareto = np.linspace(-1, 3, 401)
    >>> found = posterior_of(np.linspace(1, 3, 9), 0.9, others={"pareto": pareto})
    >>> round(found.low, 2), found.median, round(found.high, 2)
    (-0.8, 2.0, 2.9)
    """
    every = {} if draws is None else {"mixture": np.sort(np.ravel(draws))}
    every |= {k: np.sort(v) for k, v in (others or {}).items() if v.size}
    x = _places(list(every.values())) if has_curves else np.empty(0)
    views = {
        name: _view(name, some, confidence_level, x) for name, some in every.items()
    }
    centre = views[_centre(views, is_lone=is_lone, is_long_tailed=is_long_tailed)]
    asked = np.array(_QUANTILES)
    return InformationPosterior(
        mean=centre.mean,
        median=centre.median,
        sd=centre.sd,
        low=min(view.low for view in views.values()),
        high=max(view.high for view in views.values()),
        probability_positive=_least_sure([*views.values()]),
        levels=asked,
        quantiles=_outer_quantiles([*every.values()], asked, centre.median),
        x=x,
        views=tuple(views.values()),
        centre=centre.tails,
    )


def has_lone_case(values: FloatArray) -> bool:
    """Tell whether one value lies three times as far from the middle as any other.

    Examples
    --------
    >>> has_lone_case(np.array([0.1, 0.2, 0.3, -2.0]))
    True
    """
    if values.size < 3:
        return False
    away = np.partition(np.abs(values - np.median(values)), values.size - 2)
    return bool(away[-1] > _LONE * away[-2])


def _centre(
    views: Mapping[str, TailView], *, is_lone: bool, is_long_tailed: bool
) -> str:
    """Return the view whose centre is reported.

    The plain mean, which nothing beats where a variance exists; Pareto tails where that
    is in doubt. But a lone far case moves both, and the mixture hardly. A mixture that
    does not even hold the plain mean does not describe what the mean depends on.
    """
    if "mixture" not in views:
        plain = "t" if "t" in views else "normal"
        is_pareto = is_long_tailed and plain == "normal" and "pareto" in views
        return "pareto" if is_pareto else plain
    mixture, pareto, normal = (views.get(k) for k in ("mixture", "pareto", "normal"))
    if mixture is None or pareto is None or normal is None:
        return "mixture"
    holds_mean = mixture.low <= normal.median <= mixture.high
    if is_lone and holds_mean:
        return "mixture"
    return "pareto" if is_long_tailed else "normal"


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
        mean=float(ordered.mean()),
        median=float(np.median(ordered)),
        sd=float(ordered.std(ddof=1)) if ordered.size > 1 else float("nan"),
        low=float(low),
        high=float(high),
        probability_positive=float((ordered > 0).mean()),
        density=smoothed(ordered, x) if x.size else x,
        cumulative=np.searchsorted(ordered, x, side="right") / ordered.size,
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


def for_the_eye(values: FloatArray) -> FloatArray:
    """Round what is only drawn to four digits of the largest: it is kept in files.

    Examples
    --------
    >>> for_the_eye(np.array([12.345678, 0.001234, -3.0])).tolist()
    [12.35, 0.0, -3.0]
    """
    largest = float(np.abs(values).max(initial=0.0))
    digits = 3 - int(np.floor(np.log10(largest))) if largest > 0 else 0
    return np.asarray(np.round(values, digits))


def smoothed(ordered: FloatArray, x: FloatArray) -> FloatArray:
    """Smooth the draws with a kernel as wide as Silverman advises."""
    some = ordered[:: max(1, ordered.size // _AT_ONCE)]
    quarter = np.subtract(*np.quantile(some, [0.75, 0.25])) / 1.349
    width = 0.9 * (quarter if quarter > 0 else x[-1] - x[0]) * some.size**-0.2
    z = (x[:, None] - some) / width
    return np.asarray(np.exp(-0.5 * z * z).mean(axis=1) / (width * np.sqrt(2 * np.pi)))


# The plain mean ----------------------------------------------------------------------


def plain_means(values: FloatArray, *, n_draws: int, by_t: bool) -> FloatArray:
    """Return quantiles of the mean by the normal approximation, or by Student's t."""
    error = float(values.std(ddof=1)) / np.sqrt(values.size)
    chance = (np.arange(n_draws) + 0.5) / n_draws
    away = (
        scipy.special.stdtrit(values.size - 1, chance)
        if by_t
        else scipy.special.ndtri(chance)
    )
    return np.asarray(float(values.mean()) + error * away)


# Pareto tails ------------------------------------------------------------------------
#
# A mixture is fitted where most cases are, and its tails follow from there. The mean of
# j depends on the few far cases more than on the many near ones. So here the body of
# the values speaks for itself, and beyond a threshold on either side stands a
# generalised Pareto distribution, the limit of every tail (Pickands 1975), whose shape
# is learned from the far cases alone. Nothing is assumed of the body.

_FEWEST_EXCESSES = 2  # from one, a scale cannot be learned
_ATOM = 3  # equal values in a tail, from which on it is no tail of a density
_SHARE = 0.1  # of the values in a tail, at most
_ROOTS = 1.5  # times the square root of their number, at most
# Prior of the shape: Beta(2, 2.5) on the range from tails that end to tails whose mean
# is on the verge of not existing. Nothing else keeps a mean within bounds.
_SHAPES = (-0.5, 1.0)
_BETA = (2.0, 2.5)
_CELLS = 48  # along each side of the grid
_ZOOMS = 2
_NO_VARIANCE = 0.5  # shape, from which on a tail has none
_NEGLIGIBLE = 14.0  # log density below the highest, outside of which nothing is drawn
_BELOW, _ABOVE = 5.0, 6.0  # log scale around what the excesses suggest


def pareto_means(
    values: FloatArray, *, n_draws: int, rng: np.random.Generator
) -> FloatArray:
    """Draw the mean of the distribution that values come from.

    No draws where there are fewer than ten values, or all are equal.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> draws = pareto_means(rng.normal(2.0, 1.0, 400), n_draws=2000, rng=rng)
    >>> draws.shape, round(float(np.median(draws)), 1), round(float(draws.std()), 2)
    ((2000,), 2.0, 0.05)
    """
    if not _has_tails(values):
        return np.empty(0)
    left, right, below, body, above = _parts(values)
    means = (
        left - _mean_excess(below, n_draws, rng),
        _body_mean(body, n_draws, rng),
        right + _mean_excess(above, n_draws, rng),
    )
    parts = zip(means, (below.size, body.size, above.size), strict=True)
    # Gamma variates over their sum: the posterior of the shares of three groups.
    drawn = [(mean, rng.standard_gamma(size, n_draws)) for mean, size in parts]
    total = sum(mean * weight for mean, weight in drawn)
    return np.asarray(total / sum(weight for _, weight in drawn))


def has_long_tail(values: FloatArray) -> bool:
    """Tell whether one of the tails more probably has no variance than one.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> has_long_tail(rng.normal(size=400)), has_long_tail(rng.standard_cauchy(400))
    (False, True)
    """
    if not _has_tails(values):
        return False
    _, _, below, _, above = _parts(values)
    return any(_chance_of_no_variance(tail) > 0.5 for tail in (below, above))


def _has_tails(values: FloatArray) -> bool:
    return bool(values.size >= FEWEST_FOR_TAILS and np.ptp(values) > 0)


def _parts(
    values: FloatArray,
) -> tuple[float, float, FloatArray, FloatArray, FloatArray]:
    """Return both thresholds, the excesses below, the body, and the excesses above."""
    n = values.size
    ordered = merge_ties(np.sort(values))
    wanted = max(_FEWEST_EXCESSES, int(min(_SHARE * n, _ROOTS * np.sqrt(n))))
    left, right = ordered[wanted], ordered[n - 1 - wanted]
    # Cases at the threshold are not beyond it: with ties a tail may be short, or none.
    below = _continuous(left - ordered[ordered < left])
    above = _continuous(ordered[ordered > right] - right)
    return left, right, below, ordered[below.size : n - above.size], above


def _continuous(excess: FloatArray) -> FloatArray:
    """Return the excesses; none where values repeat: those are part of the body."""
    repeats = np.unique(excess, return_counts=True)[1]
    return excess[:0] if repeats.max(initial=0) >= _ATOM else excess


def _body_mean(body: FloatArray, n_draws: int, rng: np.random.Generator) -> FloatArray:
    """Draw the mean of the body: the Bayesian bootstrap's first two moments.

    The body lies between two bounds, so its mean is as good as normal.
    """
    error = float(body.std()) / np.sqrt(body.size + 1)
    return np.asarray(float(body.mean()) + error * rng.standard_normal(n_draws))


def _mean_excess(
    excess: FloatArray, n_draws: int, rng: np.random.Generator
) -> FloatArray:
    """Draw the mean excess of a generalised Pareto tail: scale / (1 - shape)."""
    if not excess.size:
        return np.zeros(n_draws)
    shape, scale, log_density = _tail(excess)
    chance = np.cumsum(np.exp(log_density - log_density.max()))
    cell = np.searchsorted(chance, chance[-1] * rng.random(n_draws), side="right")
    row, column = np.divmod(np.minimum(cell, chance.size - 1), _CELLS)
    # Anywhere within the cell, so that draws are not grid points.
    xi = shape[row] + (shape[1] - shape[0]) * (rng.random(n_draws) - 0.5)
    log_scale = scale[column] + (scale[1] - scale[0]) * (rng.random(n_draws) - 0.5)
    return np.asarray(np.exp(log_scale) / (1.0 - xi))


def _chance_of_no_variance(excess: FloatArray) -> float:
    """Return the posterior chance that the shape of a tail exceeds one half."""
    if not excess.size:
        return 0.0
    shape, _, log_density = _tail(excess)
    chance = np.exp(log_density - log_density.max()).sum(axis=1)
    return float(chance[shape > _NO_VARIANCE].sum() / chance.sum())


def _tail(excess: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return shapes, log scales and the log posterior where it matters."""
    shapes = _SHAPES
    middle, mean = np.log(np.median(excess)), np.log(excess.mean())
    scales = (min(middle, mean) - _BELOW, max(middle, mean) + _ABOVE)
    for _ in range(_ZOOMS):
        shape, scale, log_density = _grid(excess, shapes, scales)
        shapes, scales = _zoom(shape, scale, log_density)
    return _grid(excess, shapes, scales)


def _grid(
    excess: FloatArray, shapes: tuple[float, float], scales: tuple[float, float]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return shapes, log scales and the log posterior at the middle of every cell."""
    steps = (np.arange(_CELLS) + 0.5) / _CELLS
    shape = shapes[0] + (shapes[1] - shapes[0]) * steps
    scale = scales[0] + (scales[1] - scales[0]) * steps
    ratio = excess / np.exp(scale)[:, None]
    rows = [_log_likelihood(xi, ratio) - excess.size * scale for xi in shape]
    place = (shape - _SHAPES[0]) / (_SHAPES[1] - _SHAPES[0])
    prior = (_BETA[0] - 1) * np.log(place) + (_BETA[1] - 1) * np.log1p(-place)
    return shape, scale, np.array(rows) + prior[:, None]


def _log_likelihood(xi: float, ratio: FloatArray) -> FloatArray:
    """Return the log likelihood of a shape for rows of excess over scale."""
    xi = xi if abs(xi) > 1e-8 else 1e-8  # the exponential is the limit
    reach = xi * ratio
    with np.errstate(divide="ignore", invalid="ignore"):
        total = -(1.0 / xi + 1.0) * np.log1p(reach).sum(axis=1)
    return np.where((reach > -1.0).all(axis=1), total, -np.inf)


def _zoom(
    shape: FloatArray, scale: FloatArray, log_density: FloatArray
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the ranges outside of which there is next to nothing."""
    matters = log_density > log_density.max() - _NEGLIGIBLE
    shapes = _range(shape, matters.any(axis=1))
    return (
        (max(shapes[0], _SHAPES[0]), min(shapes[1], _SHAPES[1])),
        _range(scale, matters.any(axis=0)),
    )


def _range(middles: FloatArray, matters: BoolArray) -> tuple[float, float]:
    where = np.flatnonzero(matters)
    step = float(middles[1] - middles[0])
    return float(middles[where[0]]) - step, float(middles[where[-1]]) + step


# Ties --------------------------------------------------------------------------------
#
# Forecasts that take few values give j that takes few values, and a mixture of
# densities would narrow a component on each without end. For the simulation, and only
# there, cases that share a value are spread around it as normal quantiles are, by a
# hundredth of the spread of all cases. Their mean stays where it is. Quartiles measure
# the spread, so that a lone far case does not change what counts as one value.

_WIDTH = 0.01  # of the spread of all cases
_SAME = 1e-6  # of it, within which values count as one, in few cases
_CHANCE = 1e-3  # of the usual step between neighbours: more cases lie closer
_MANY = 3  # cases that must share a value


def spread_ties(ordered: FloatArray) -> FloatArray:
    """Move cases that share a value apart, without moving their mean.

    Where all values are one, a single one of them is left: copies of one number say
    nothing of a spread.

    Examples
    --------
    >>> spread_ties(np.array([0.0, 1.0, 1.0, 1.0])).round(4).tolist()
    [0.0, 0.9982, 1.0, 1.0018]
    >>> spread_ties(np.full(9, 0.3)).tolist()
    [0.3]
    """
    scale = _spread(ordered)
    if ordered[-1] - ordered[0] <= 1e-9 * max(1.0, abs(float(ordered[0]))):
        return ordered[:1]
    spread = ordered.copy()
    for start, end in _runs(ordered, scale):
        n = end - start
        shift = scipy.special.ndtri((np.arange(n) + 0.5) / n)
        spread[start:end] += _WIDTH * scale * shift
    return np.sort(spread)


def merge_ties(ordered: FloatArray) -> FloatArray:
    """Give cases that share a value but for rounding the very same value.

    Examples
    --------
    >>> merge_ties(np.array([0.0, 1.0, 1.0 + 1e-15, 2.0])).tolist()
    [0.0, 1.0, 1.0, 2.0]
    """
    is_new = np.diff(ordered, prepend=-np.inf) > _step(ordered, _spread(ordered))
    return np.asarray(ordered[np.flatnonzero(is_new)[np.cumsum(is_new) - 1]])


def count_shared(values: FloatArray) -> int:
    """Return how many cases share their value with at least two others."""
    ordered = np.sort(values)
    return sum(end - start for start, end in _runs(ordered, _spread(ordered)))


def _spread(ordered: FloatArray) -> float:
    """Return a standard deviation from quartiles: of all, else of distinct values."""
    for values in (ordered, np.unique(ordered)):
        low, high = np.quantile(values, [0.25, 0.75])
        if high > low:
            return float(high - low) / 1.349
    return float(ordered.std())


def _step(ordered: FloatArray, sd: float) -> float:
    """Return the largest step between values that are one but for rounding."""
    return min(_SAME, _CHANCE / ordered.size) * sd


def _runs(ordered: FloatArray, sd: float) -> list[tuple[int, int]]:
    """Return where runs of one value begin and end."""
    new = np.flatnonzero(np.diff(ordered) > _step(ordered, sd)) + 1
    edges = np.concatenate([[0], new, [ordered.size]])
    long = np.flatnonzero(np.diff(edges) >= _MANY)
    return [(int(edges[i]), int(edges[i + 1])) for i in long]
