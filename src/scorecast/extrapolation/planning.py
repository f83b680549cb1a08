"""How many classes to test, for a forecast that is sure enough.

There is no formula for how wide an interval of `auto` will be, so it is tried out: data
of a recogniser as good as the one expected are drawn at a few numbers of classes, the
forecast that will be asked for is made from each, and half the width of its interval is
read off. It falls nearly as a power of the number of classes, which says where it is
small enough; there, unless that is too many, it is tried out again.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import scipy
from numpy.typing import NDArray

from scorecast._core.checks import (
    check_count,
    check_level,
    check_positive,
    check_share,
    check_times,
)
from scorecast._core.keywords import checked_keywords
from scorecast._core.progress import (
    say_unless_over,
    stage,
    track,
    without_first_figures,
)
from scorecast._core.result import INPUT, OPTION, SHARE, Result
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, RandomState
from scorecast.exceptions import InsufficientDataError, ScorecastWarning, UsageError
from scorecast.extrapolation.extrapolate import extrapolate
from scorecast.extrapolation.extrapolator import Extrapolator, choose_extrapolator
from scorecast.scores import Recogniser, Scores, check_scores, probit_moments

_SIZES = (25, 50, 100, 200, 400, 800)  # larger ones only if needed
_NEARBY = 1.0  # factor e in classes
_REPEATS = 6
_MOST_SCORES = 1_000_000  # of one data set that is drawn
_ROUNDS = 1  # of trying out the answer itself
_FEWEST = 10  # classes below which intervals are rough
_USUAL_SPREAD = 0.95  # of Phi^-1(U) over samples; 0.5 to 1.6 in what was measured
_USUAL_CORRELATION = 0.2  # within a class
_SLOPES = (-1.0, -0.2)  # of log width, where carried on; -.99 to -.32 were measured
_MEANS = (-8.0, 14.0)
_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RequiredClasses(Result):
    """How many classes to test for a forecast that is sure enough.

    Attributes
    ----------
    n_classes : int
        Classes to test; rounded up to two digits beyond what was tried out.
    n_samples : int
        Samples of them in all.
    reached : float
        Half of the width of the interval that is expected with so many.
    sizes : ndarray of int64
        Numbers of classes that were tried out.
    half_widths, stderr : ndarray of float64
        Mean half width of the interval there, and its standard error.
    rmse : ndarray of float64
        Typical error of the forecasts there.
    coverage : float
        Share of all these intervals that held the accuracy.
    is_tried : bool
        Whether so many were tried out; else the widths were carried on.
    is_all : bool
        Whether all classes of use must be tested: then nothing is forecast.
    accuracy : float
        Accuracy in use that is expected.
    to : int
        Number of classes in use.
    margin : float
        Half of the width that is wanted.
    samples_per_class : int
        Samples of each class.
    correlation : float
        Of the samples of one class.
    spread : float
        Standard deviation of how hard samples are, as a normal quantile.
    has_pilot : bool
        Whether `accuracy` and `spread` were measured.
    method : str
        What the forecast will be made with.
    confidence_level : float
        Level of its interval.
    random_state : int or None
        The seed, where it was a number.
    """

    kind: ClassVar[str] = "required-classes"

    n_classes: int
    n_samples: int
    reached: float
    sizes: NDArray[np.int64]
    half_widths: NDArray[np.float64]
    stderr: NDArray[np.float64]
    rmse: NDArray[np.float64]
    coverage: float = field(metadata=SHARE)
    is_tried: bool
    is_all: bool
    accuracy: float = field(metadata=INPUT | SHARE)
    spread: float = field(metadata=INPUT)
    has_pilot: bool = field(metadata=INPUT)
    to: int = field(metadata=OPTION)
    margin: float = field(metadata=OPTION | SHARE)
    samples_per_class: int = field(metadata=OPTION)
    correlation: float = field(metadata=OPTION | SHARE)
    method: str = field(metadata=OPTION)
    confidence_level: float = field(metadata=OPTION | SHARE)
    random_state: int | None = field(metadata=OPTION)

    def reached_with(self, n_classes: float) -> float:
        """Return the half width expected with another number of classes."""
        width = _width_at(self.sizes, self.half_widths, float(n_classes))
        return min(width, _widest(self.accuracy))

    def to_columns(self) -> dict[str, list[Any]]:
        """Return what was tried out, a row per number of classes."""
        return {
            "n_classes": self.sizes.tolist(),
            "half_width": self.half_widths.tolist(),
            "stderr": self.stderr.tolist(),
            "rmse": self.rmse.tolist(),
        }


@checked_keywords
def required_classes(
    accuracy: float | Recogniser | None = None,
    *,
    to: int,
    margin: float = 0.05,
    samples_per_class: int = 1,
    correlation: float | None = None,
    spread: float | None = None,
    method: str | Extrapolator = "auto",
    confidence_level: float = 0.95,
    n_repeats: int = _REPEATS,
    random_state: RandomState = 0,
) -> RequiredClasses:
    r"""Say how many classes to test for a forecast of the accuracy with many more.

    Data of a recogniser with this accuracy in use are drawn at several numbers of
    classes K (wrong classes score as N(0, 1), the true one as
    :math:`N(\mu, \text{spread}^2)`, so that :math:`\Phi^{-1}(U)` is normal), the
    forecast for `to` classes is made from each by `extrapolate`, and the half width of
    its interval is read off. The answer is the least K at which it is `margin` on
    average.

    Parameters
    ----------
    accuracy : float, Scores or Embeddings
        Accuracy that is expected with `to` classes, such as 0.9; or scores of a pilot
        study with their labels, from which accuracy and spread are taken.
    to : int
        Number of classes in use.
    margin : float, default=0.05
        How far off the forecast may be: half of the width of its interval.
    samples_per_class : int, default=1
        Samples of each class that will be tested.
    correlation : float, optional
        Correlation within classes of how hard samples are; 0.2 by default.
    spread : float, optional
        Standard deviation of how hard samples are, in normal quantiles; by default
        0.95, as is usual (0.5 to 1.6), or that of the pilot.
    method : str or Extrapolator, default="auto"
        What the forecast will be made with.
    confidence_level : float, default=0.95
        Level of its interval.
    n_repeats : int, default=6
        Data sets that are drawn at every number of classes.
    random_state : int, Generator or None, default=0
        For the drawn data.

    Returns
    -------
    RequiredClasses
        The number of classes, and what fewer or more would give.

    Raises
    ------
    UsageError
        If a number is not one of those understood, or nothing says how good the
        recogniser is.
    InsufficientDataError
        If a pilot tells nothing about that.

    References
    ----------
    C. Zheng, R. Achanta and Y. Benjamini (2018). Extrapolating expected accuracies for
    large multi-class problems. Journal of Machine Learning Research 19.

    Examples
    --------
    >>> plan = required_classes(0.9, to=1000, margin=0.15, method="gaussian")
    >>> 20 < plan.n_classes < 1000
    True
    """
    check_level(confidence_level, "confidence_level")
    check_count(to, "to", least=_FEWEST)
    check_share(margin, "margin", is_open=True)
    check_count(samples_per_class, "samples_per_class", least=1)
    check_times(n_repeats, "n_repeats")
    rho = _USUAL_CORRELATION if correlation is None else correlation
    check_share(rho, "correlation")
    if spread is not None:
        check_positive(spread, "spread")
    chosen = choose_extrapolator(method)
    pilot = not (accuracy is None or isinstance(accuracy, int | float | np.floating))
    if accuracy is None:
        problem = "the accuracy that is expected in use is needed, or a pilot"
        raise UsageError(problem, parameter="accuracy")
    if isinstance(accuracy, int | float | np.floating):
        check_share(float(accuracy), "accuracy", is_open=True)
        share, sd = float(accuracy), spread or _USUAL_SPREAD
    else:
        share, measured = _of_pilot(accuracy, to)
        sd = spread or measured
    task = _Task(
        mean=_mean_for(share, sd, to),
        spread=sd,
        accuracy=share,
        to=to,
        samples_per_class=samples_per_class,
        correlation=rho,
        method=chosen,
        confidence_level=confidence_level,
        n_repeats=n_repeats,
    )
    tried = _Tried(task, as_generator(random_state))
    found = tried.search(margin)
    sizes = np.array(sorted(tried.rows), dtype=np.int64)
    rows = [tried.rows[int(k)] for k in sizes]
    widths = np.array([row[:, 0].mean() for row in rows])
    errors = [row[:, 0].std() / math.sqrt(max(len(row) - 1, 1)) for row in rows]
    n_classes, is_all = (to, True) if found >= to else (found, False)
    if sizes[-1] < n_classes < to:
        n_classes = min(_rounded(n_classes), to)
    return RequiredClasses(
        n_classes=n_classes,
        n_samples=n_classes * samples_per_class,
        reached=_width_at(sizes, widths, float(n_classes)),
        sizes=sizes,
        half_widths=widths,
        stderr=np.array(errors),
        rmse=np.array([math.sqrt((row[:, 1] ** 2).mean()) for row in rows]),
        coverage=float(np.concatenate([row[:, 2] for row in rows]).mean()),
        is_tried=n_classes <= sizes[-1],
        is_all=is_all,
        accuracy=share,
        spread=sd,
        has_pilot=pilot,
        to=to,
        margin=margin,
        samples_per_class=samples_per_class,
        correlation=rho,
        method=chosen.name,
        confidence_level=confidence_level,
        random_state=seed_number(random_state),
    )


@dataclass(frozen=True, kw_only=True)
class _Task:
    """A recogniser as good as the one expected, and the forecast to be made."""

    mean: float
    spread: float
    accuracy: float
    to: int
    samples_per_class: int
    correlation: float
    method: Extrapolator
    confidence_level: float
    n_repeats: int

    def try_out(self, n_classes: int, rng: np.random.Generator) -> FloatArray:
        """Return half width, error, and whether the interval held, of one data set."""
        own = np.repeat(np.arange(n_classes), self.samples_per_class)
        values = rng.standard_normal((own.size, n_classes))
        alike = math.sqrt(self.correlation) * rng.standard_normal(n_classes)[own]
        apart = math.sqrt(1 - self.correlation) * rng.standard_normal(own.size)
        values[np.arange(own.size), own] = self.mean + self.spread * (alike + apart)
        with warnings.catch_warnings(), without_first_figures():
            warnings.simplefilter("ignore", ScorecastWarning)
            (p,) = extrapolate(
                Scores(values, own),
                to=self.to,
                method=self.method,
                confidence_level=self.confidence_level,
                compare=False,
                backtest=0,
            ).predictions
        is_held = p.low - _ROUNDING <= self.accuracy <= p.high + _ROUNDING
        return np.array([(p.high - p.low) / 2, p.accuracy - self.accuracy, is_held])


class _Tried:
    """Widths that were tried out, and the search for one that is small enough."""

    def __init__(self, task: _Task, rng: np.random.Generator) -> None:
        self.task = task
        self.rng = rng
        self.rows: dict[int, FloatArray] = {}

    def search(self, margin: float) -> int:
        """Return the least number of classes that reaches a margin."""
        task = self.task
        most = int(math.sqrt(_MOST_SCORES / task.samples_per_class))
        most = min(most, task.to - 1)
        for size in _SIZES:
            is_possible = size <= max(most, _SIZES[0]) and size < task.to
            if is_possible and (len(self.rows) < 2 or self._solve(margin) > size / 2):
                self._try(size)
        if not self.rows:
            self._try(max(task.to // 2, 2))
        for _ in range(_ROUNDS):
            found = self._solve(margin)
            if found in self.rows or found > most:
                break
            self._try(found)
        return self._solve(margin)

    def _try(self, size: int) -> None:
        # A stream for every size, asked or not.
        streams = self.rng.spawn(self.task.n_repeats)
        with stage(f"trying {size:,} classes"):
            tried = [
                self.task.try_out(size, rng) for rng in track(streams, what="repeat")
            ]
        self.rows[size] = np.array(tried)
        half = 100 * self.rows[size][:, 0].mean()
        say_unless_over(
            f"First figures: with {size:,} classes a forecast is sure to +-{half:.2g} "
            "points"
        )

    def _solve(self, margin: float) -> int:
        sizes = np.array(sorted(self.rows), dtype=np.int64)
        widths = np.array([self.rows[int(k)][:, 0].mean() for k in sizes])
        low, high = float(_FEWEST), float(self.task.to)
        if _width_at(sizes, widths, high) > margin:
            return self.task.to
        if _width_at(sizes, widths, low) <= margin:
            return int(low)
        for _ in range(60):
            middle = math.sqrt(low * high)
            if _width_at(sizes, widths, middle) > margin:
                low = middle
            else:
                high = middle
        return math.ceil(high - _ROUNDING)


def _width_at(sizes: NDArray[np.int64], widths: FloatArray, size: float) -> float:
    """Return the width at a number of classes: a line in logarithms, fitted nearby."""
    x = np.log(sizes.astype(np.float64))
    y = np.log(np.maximum(widths, _ROUNDING))
    if sizes.size < 2:
        return float(widths[0])
    at = math.log(size)
    near = np.clip(at, x[0], x[-1])
    weights = np.exp(-0.5 * ((x - near) / _NEARBY) ** 2)
    centre = weights @ x / weights.sum()
    level = weights @ y / weights.sum()
    spread = weights @ (x - centre) ** 2
    slope = weights @ ((x - centre) * y) / spread
    return float(np.exp(level + np.clip(slope, *_SLOPES) * (at - centre)))


def _rounded(number: int) -> int:
    """Round up to two digits what was carried on beyond what was tried."""
    unit = int(10 ** max(len(str(number)) - 2, 0))
    return -(-number // unit) * unit


def _widest(accuracy: float) -> float:
    """Return the half width of an interval that says nothing."""
    return max(accuracy, 1 - accuracy)


def _mean_for(accuracy: float, spread: float, to: int) -> float:
    """Return the mean of Phi^-1(U) at which accuracy in use is as wanted."""

    def off(mean: float) -> float:
        found = probit_moments(
            np.array([float(to)]), np.array([mean]), np.array([spread])
        )
        return float(np.ravel(found)[0]) - accuracy

    low, high = (end * max(spread, 1.0) for end in _MEANS)
    if off(low) > 0 or off(high) < 0:
        problem = (
            f"no recogniser of spread {spread:g} is right {accuracy:g} of the time"
        )
        raise UsageError(problem, parameter="accuracy")
    return float(scipy.optimize.brentq(off, low, high, xtol=1e-9))


def _of_pilot(scores: Recogniser, to: int) -> tuple[float, float]:
    """Forecast the accuracy in use from a pilot, and measure the spread."""
    data = check_scores(scores, None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ScorecastWarning)
        found = extrapolate(
            data, to=max(to, 2), method="bayesian", compare=False, backtest=0
        )
    share = found.predictions[0].accuracy
    spread = found.parameters.get("sd", _USUAL_SPREAD)
    if not 0 < share < 1:
        problem = "the pilot does not tell how good the recogniser is"
        raise InsufficientDataError(problem, parameter="accuracy")
    return share, spread
