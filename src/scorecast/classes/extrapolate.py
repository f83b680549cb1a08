"""Forecast accuracy with more classes than were observed."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import (
    check_choice,
    check_class_counts,
    check_level,
    check_n_jobs,
)
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import RandomState
from scorecast.classes.assumptions import describe_cautions
from scorecast.classes.backtest import backtest_methods
from scorecast.classes.backtest_row import BacktestRow
from scorecast.classes.evidence import Evidence, given_scores
from scorecast.classes.extrapolation import Extrapolation
from scorecast.classes.forecast import Forecast
from scorecast.classes.method import Fit, Method
from scorecast.classes.methods import make_method, with_jobs
from scorecast.classes.top import check_top, top_method
from scorecast.exceptions import (
    ExtrapolationWarning,
    InsufficientDataError,
    UsageError,
)
from scorecast.scores import (
    AVERAGES,
    TIE_RULES,
    Embeddings,
    Recogniser,
    Scores,
)

__all__ = ["extrapolate"]

_COMPARED = ("regression", "gaussian", "kde-ucv", "kde-bcv", "spline")
_SMOOTHED = ("kde-ucv", "kde-bcv")
_FEWEST_TO_HIDE = 8
_MOST_SCORES = 50_000_000  # smoothed only where that is the method asked for


def extrapolate(
    scores: ArrayLike | Scores | Embeddings,
    y_true: Iterable[Hashable] | None = None,
    *,
    to: int | Sequence[int],
    method: str | Method = "auto",
    top: int = 1,
    ties: str = "random",
    average: str = "macro",
    level: float = 0.9,
    classes: Sequence[Hashable] | None = None,
    greater_is_better: bool = True,
    compare: bool = True,
    backtest_repeats: int | None = None,
    cost: ArrayLike | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    **options: Any,
) -> Extrapolation:
    """Forecast accuracy with many more classes than were tested.

    Valid if the new classes come from the same population as the observed ones, and
    if each class is scored on its own; where that fails the forecast is approximate.

    Parameters
    ----------
    scores : array-like of shape (n_examples, n_classes), Scores or Embeddings
        What the recogniser gave for the observed classes.
    y_true : iterable of hashable, optional
        True labels; not needed where `scores` carries them.
    to : int or sequence of int
        Numbers of classes to forecast. At or below the observed number the exact
        average over subsets is given instead of a forecast.
    method : str or Method, default="auto"
        One of "auto", "bayesian", "regression", "gaussian", "kde-ucv", "kde-bcv",
        "kde-fixed", "spline", "polynomial".
    top : int, default=1
        Count an example as right if the truth is among the best `top`; "polynomial"
        has no answer for several.
    ties : {"random", "optimistic", "pessimistic"}, default="random"
        Equal scores count as their expectation under random breaking, as won, or
        as lost.
    average : {"macro", "micro"}, default="macro"
        Every class counts the same, or every example.
    level : float, default=0.9
        Level of the intervals.
    classes : sequence of hashable, optional
        Labels of the columns of a plain matrix.
    greater_is_better : bool, default=True
        False for distances.
    compare : bool, default=True
        Whether "auto" also shows what other methods say, and how they do in the
        back-test.
    backtest_repeats : int, optional
        How often half of the classes are hidden to see how methods do; 0 for never.
        By default as often as bring the standard error of the mean error below a
        point (6 to 48 times). `backtest` does the same more thoroughly.
    cost : array-like, optional
        Costs are forecast by `extrapolate_risk`; to say so is all this is for.
    random_state : int, Generator or None, default=0
        For all random choices; the same answer for any `n_jobs`.
    n_jobs : int, optional
        Number of threads or workers; all cores for ranks by default.
    **options
        Options of the method, such as ``bandwidth=0.5`` or ``form="simplex"``.

    Returns
    -------
    Extrapolation
        The forecast, what it rests on, and how far to trust it.

    Examples
    --------
    >>> from scorecast.io import load_characters
    >>> known = load_characters()
    >>> first_60 = known.labels < 60
    >>> answer = extrapolate(
    ...     Embeddings(known.gallery[:60], known.probes[first_60], metric="cosine"),
    ...     known.labels[first_60],
    ...     to=242,
    ...     method="gaussian",
    ... )
    >>> 0.4 < answer.predictions[0].accuracy < 0.7  # 0.57 with all 242
    True
    """
    if cost is not None:
        msg = (
            "`extrapolate` forecasts accuracy; costs are forecast by "
            "`extrapolate_risk(scores, y_true, cost=..., to=...)`."
        )
        raise UsageError(msg)
    check_level(level)
    check_n_jobs(n_jobs)
    check_choice(ties, "ties", tuple(TIE_RULES))
    check_choice(average, "average", tuple(AVERAGES))
    targets = check_class_counts(to, "to")
    top = check_top(top)
    chosen = _choose(method, top, n_jobs, options)
    data = given_scores(
        scores, y_true, classes=classes, greater_is_better=greater_is_better
    )
    _check_enough(data, top)
    rng_fit, rng_others, rng_test = as_generator(random_state).spawn(3)
    evidence = Evidence.of(data, ties=ties, average=average, top=top, n_jobs=n_jobs)
    evidence.check_told_apart()
    fit = chosen.fit(evidence, rng_fit)
    others = _others(chosen, fit, evidence, rng_others, n_jobs) if compare else {}
    rows = _backtest(evidence, fit, others, backtest_repeats, rng_test, n_jobs)
    cautions = describe_cautions(evidence, targets)
    if fit.details.get("is_widened"):
        guards = [g for g in fit.details["guards"] if g["method"] in _SMOOTHED]
        cautions += [guard["reason"] for guard in guards]
    for caution in cautions:
        warnings.warn(caution, ExtrapolationWarning, stacklevel=2)
    forecast = Forecast(
        evidence=evidence, fit=fit, others=others, level=level, targets=targets
    )
    return forecast.result(
        method=chosen.name,
        options=options,
        seed=seed_number(random_state),
        backtest=rows,
        warnings=tuple(cautions),
    )


def _choose(
    method: str | Method, top: int, n_jobs: int | None, options: dict[str, Any]
) -> Method:
    return top_method(with_jobs(make_method(method, **options), n_jobs), top)


def _check_enough(data: Recogniser, top: int) -> None:
    check_top(top, data.n_classes)
    if np.unique(data.own).size < 2:
        msg = (
            "All examples belong to one class: how well classes are told apart cannot "
            "be seen from one of them."
        )
        raise InsufficientDataError(msg)


def _others(
    chosen: Method,
    fit: Fit,
    evidence: Evidence,
    rng: np.random.Generator,
    n_jobs: int | None,
) -> dict[str, Fit]:
    """Fit what "auto" is compared with; a method chosen by name stands alone."""
    if chosen.name != "auto":
        return {}
    parts = fit.details.get("components", {})
    many = evidence.ranking.n_samples * evidence.n_classes > _MOST_SCORES
    names = [
        name
        for name in _COMPARED
        if name not in parts and not (many and name.startswith("kde"))
    ]
    streams = rng.spawn(len(names))
    return {
        name: _choose(name, evidence.top, n_jobs, {}).fit(evidence, stream)
        for name, stream in zip(names, streams, strict=True)
    }


def _backtest(
    evidence: Evidence,
    fit: Fit,
    others: dict[str, Fit],
    n_repeats: int | None,
    rng: np.random.Generator,
    n_jobs: int | None,
) -> tuple[BacktestRow, ...]:
    if n_repeats == 0 or evidence.n_classes < _FEWEST_TO_HIDE:
        return ()
    # Bandwidths chosen on all classes are held, or every hiding would hide again.
    methods = [fit.tuned, *(other.tuned for other in others.values())]
    n_kept = evidence.n_classes // 2
    if n_kept <= evidence.top:
        return ()  # within so many guesses everything is right
    return tuple(
        backtest_methods(evidence, methods, n_kept, n_repeats, rng, n_jobs=n_jobs)
    )
