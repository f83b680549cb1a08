"""Hide classes, predict them back, and see how far off each method was."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import (
    check_class_counts,
    check_level,
    check_n_jobs,
    check_times,
)
from scorecast._core.keywords import checked_keywords
from scorecast._core.parallel import map_tasks
from scorecast._core.progress import revise, stage, stages
from scorecast._core.result import INPUT, NEW, OPTION, SHARE, Result
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, RandomState
from scorecast.exceptions import InsufficientDataError, UsageError
from scorecast.extrapolation.extrapolator import (
    EXTRAPOLATORS,
    Extrapolator,
    choose_extrapolator,
)
from scorecast.extrapolation.measures import RankMeasure, TopMeasure
from scorecast.extrapolation.observed import (
    ObservedClasses,
    hide_classes,
    refuse_one_class,
)
from scorecast.scores import (
    AVERAGES,
    TIE_RULES,
    ClassWeighting,
    Recogniser,
    check_scores,
    jackknife_stderr,
    weigh_classes,
)

_FEWEST_CLASSES = 4
_BATCH, _MOST_REPEATS = 6, 48  # hidings where their number is not given
_MANY_SCORES = 10_000_000  # beyond so many, one batch will do
_SETTLED = 0.01
_USUAL_RATIOS = (2, 4)
_DIGITS = 10  # the last ones depend on how a worker splits its sums


@dataclass(frozen=True, kw_only=True)
class BacktestRow:
    """How one method did in predicting all observed classes from some of them.

    Attributes
    ----------
    method : str
        Name of the method.
    from_classes, to_classes : int
        Classes shown to it, and classes it had to predict.
    n_repeats : int
        How many random choices of the shown classes.
    truth : float
        Accuracy, or whatever is forecast, with `to_classes` classes.
    prediction : float
        Mean prediction.
    bias, rmse : float
        Mean and root mean square of prediction minus truth.
    coverage : float or None
        Share of intervals that held the truth; None where none was made.
    stderr : float or None
        Standard error of `bias` over the choices; None for a single one.
    rmse_stderr : float or None
        The same of `rmse`, by leaving choices out in turn (jackknife).
    """

    method: str
    from_classes: int
    to_classes: int
    n_repeats: int
    truth: float
    prediction: float
    bias: float
    rmse: float
    coverage: float | None = field(default=None, metadata=SHARE)
    stderr: float | None = None
    rmse_stderr: float | None = field(default=None, metadata=NEW)


@dataclass(frozen=True, kw_only=True, repr=False)
class Backtest(Result):
    """How each method did when classes were hidden from it.

    Attributes
    ----------
    rows : tuple of BacktestRow
        One per method and number of classes shown.
    n_samples, n_classes : int
        Size of the data.
    class_weighting : ClassWeighting or None
        How unequally classes count; None where they were not weighed.
    ties, average : str
        Rules used.
    top : int
        Guesses allowed for a sample to count as right.
    confidence_level : float
        Level of the intervals.
    random_state : int or None
        The seed, where it was a number.
    settings : dict of str to dict
        Settings of methods that are not the usual ones, by their names.
    """

    kind: ClassVar[str] = "backtest"

    rows: tuple[BacktestRow, ...]
    n_samples: int = field(metadata=INPUT)
    n_classes: int = field(metadata=INPUT)
    class_weighting: ClassWeighting | None = field(default=None, metadata=INPUT | NEW)
    ties: str = field(metadata=OPTION)
    average: str = field(metadata=OPTION)
    top: int = field(metadata=OPTION)
    confidence_level: float = field(metadata=OPTION | SHARE)
    random_state: int | None = field(metadata=OPTION)
    settings: dict[str, Any] = field(default_factory=dict, metadata=OPTION | NEW)

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per method and number of classes shown."""
        rows = [asdict(row) for row in self.rows]
        return {name: [row[name] for row in rows] for name in rows[0]}


@checked_keywords
def backtest(
    scores: ArrayLike | Recogniser,
    y_true: Iterable[Hashable] | None = None,
    *,
    methods: Sequence[str | Extrapolator] | None = None,
    ratios: Sequence[float] | None = None,
    n_shown: int | Sequence[int] | None = None,
    n_repeats: int = 20,
    top: int = 1,
    ties: str = "random",
    average: str = "macro",
    class_weights: Mapping[Hashable, float] | ArrayLike | None = None,
    confidence_level: float = 0.95,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> Backtest:
    """Hide classes, predict them back with each method, and compare.

    The truth is the accuracy with all observed classes. It shares the classes that
    were shown, so errors here are somewhat smaller than in a true forecast.

    Parameters
    ----------
    scores : array-like of shape (n_samples, n_classes), Scores or Embeddings
        What the recogniser gave.
    y_true : iterable of hashable, optional
        True labels; not needed where `scores` carries them.
    methods : sequence of str or Extrapolator, optional
        What to compare; every method is fitted anew to the classes shown. By default
        "auto" and those it is usually compared with.
    ratios : sequence of float, optional
        One in so many classes is shown; 2 and 4 unless `n_shown` is given.
    n_shown : int or sequence of int, optional
        Numbers of classes to show, beside `ratios` if these are given; fewer than
        there are.
    n_repeats : int, default=20
        Random choices of the shown classes, per number of them.
    top : int, default=1
        Guesses allowed; ratios that show no more classes than that are left out.
    ties : {"random", "optimistic", "pessimistic"}, default="random"
        Rule for ties.
    average : {"macro", "micro"}, default="macro"
        Every class counts the same, or every sample.
    class_weights : mapping or array-like of shape (n_classes,), optional
        How often each class comes, relative to the others, as for `extrapolate`;
        among the classes shown, too.
    confidence_level : float, default=0.95
        Level of the intervals whose coverage is counted.
    random_state : int, Generator or None, default=0
        For the choices; the same answer for any `n_jobs`.
    n_jobs : int, optional
        Number of worker processes.

    Returns
    -------
    Backtest
        Bias, error and coverage of every method.

    Raises
    ------
    InsufficientDataError
        If there are too few classes to hide any, or all samples belong to one.

    References
    ----------
    C. Zheng, R. Achanta and Y. Benjamini (2018). Extrapolating expected accuracies for
    large multi-class problems. Journal of Machine Learning Research 19.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> own = np.arange(120) % 24
    >>> scores = rng.normal(size=(120, 24)) + 2 * np.eye(24)[own]
    >>> result = backtest(scores, own, methods=["gaussian", "spline"], n_repeats=4)
    >>> [(row.method, row.from_classes) for row in result.rows]
    [('gaussian', 12), ('spline', 12), ('gaussian', 6), ('spline', 6)]
    """
    check_level(confidence_level, "confidence_level")
    check_n_jobs(n_jobs)
    TIE_RULES.choose(ties, parameter="ties")
    AVERAGES.choose(average, parameter="average")
    check_times(n_repeats, "n_repeats")
    if ratios is None:
        ratios = _USUAL_RATIOS if n_shown is None else ()
    elif not ratios or min(ratios) <= 1:
        problem = f"must all exceed 1; got {list(ratios)!r}"
        raise UsageError(problem, parameter="ratios")
    check_guesses(top)
    asked = compared_methods() if methods is None else methods
    chosen = [choose_extrapolator(method, top) for method in asked]
    data, weights, weighting = weigh_classes(
        check_scores(scores, y_true), class_weights, average
    )
    if data.n_classes < _FEWEST_CLASSES:
        raise InsufficientDataError(
            f"{data.n_classes} classes are too few to hide any: {_FEWEST_CLASSES} are "
            "needed",
            parameter="scores",
        )
    refuse_one_class(data)
    check_guesses(top, data.n_classes)
    kept = _shown(data.n_classes, ratios, n_shown, top)
    observed = ObservedClasses.of(
        data, ties=ties, average=average, class_weights=weights, n_jobs=n_jobs
    )
    streams = as_generator(random_state).spawn(len(kept))
    rows: list[BacktestRow] = []
    # What is shown has samples and classes in proportion.
    shares = {f"{n:,} shown": (n / data.n_classes) ** 2 for n in kept}
    with stages(shares):
        for n_kept, rng in zip(kept, streams, strict=True):
            if n_kept <= top and top > 1:
                continue
            with stage(f"{n_kept:,} shown"):
                (found,) = backtest_methods(
                    observed,
                    chosen,
                    n_kept,
                    n_repeats,
                    rng,
                    measures=[TopMeasure.of(top)],
                    confidence_level=confidence_level,
                    n_jobs=n_jobs,
                )
            rows += found
    if not rows:
        msg = "too few classes have samples to hide some of them"
        raise InsufficientDataError(msg, parameter="scores")
    return Backtest(
        rows=tuple(rows),
        n_samples=data.n_samples,
        n_classes=data.n_classes,
        class_weighting=weighting,
        ties=ties,
        average=average,
        top=top,
        confidence_level=confidence_level,
        random_state=seed_number(random_state),
        settings={m.name: m.settings() for m in chosen if m.settings()},
    )


def compared_methods() -> tuple[str, ...]:
    """Return "auto" and the methods it is usually compared with."""
    return ("auto", *EXTRAPOLATORS.select(is_compared=True))


def check_guesses(top: int, n_classes: int | None = None) -> None:
    """Refuse what is no number of guesses, or as many as there are classes."""
    is_whole = isinstance(top, int | np.integer) and not isinstance(top, bool)
    if not is_whole or top < 1:
        problem = f"must be a whole number from 1 up; got {top!r}"
        raise UsageError(problem, parameter="top")
    if n_classes is not None and 1 < top >= n_classes:
        raise UsageError(
            f"within {top} guesses everything is right among {n_classes} observed "
            "classes",
            parameter="top",
            remedy="choose a smaller number",
        )


def backtest_methods(
    observed: ObservedClasses,
    methods: Sequence[Extrapolator],
    n_kept: int,
    n_repeats: int | None,
    rng: np.random.Generator,
    *,
    measures: Sequence[RankMeasure],
    confidence_level: float | None = None,
    n_jobs: int | None = None,
) -> list[list[BacktestRow]]:
    """Predict all observed classes from a random choice of them, several times.

    Parameters
    ----------
    observed : ObservedClasses
        All observed classes.
    methods : sequence of Extrapolator
        What to compare.
    n_kept : int
        Number of classes shown.
    n_repeats : int or None
        Number of random choices; None for as many as bring the standard error of a
        method's bias in the first measure below a point, each by itself and within
        reason.
    rng : numpy.random.Generator
        Source of the choices.
    measures : sequence of RankMeasure
        What is predicted.
    confidence_level : float, optional
        Level of intervals whose coverage is counted; without it none are made.
    n_jobs : int, optional
        Number of worker processes.

    Returns
    -------
    list of list of BacktestRow
        For every measure one row per method; none if no choice had two classes with
        samples.
    """
    # Workers share the cores among themselves; each gets one thread.
    n_threads = n_jobs if n_jobs in (None, 1) else 1
    most = n_repeats or (_MOST_REPEATS if observed.n_cells <= _MANY_SCORES else _BATCH)
    # By their places: two may be one method with other settings.
    found: list[list[FloatArray]] = [[] for _ in methods]
    waiting = list(range(len(methods)))
    n_each = n_repeats or _BATCH
    n_rounds = -(-most // n_each)
    rounds: dict[str, float | None] = {f"round {1 + i}": None for i in range(n_rounds)}
    if n_rounds == 1:
        rounds = {"": 1.0}
    n_tried = 0
    with stages(rounds):
        for name in rounds:
            n_more = min(n_each, most - n_tried)
            tried = tuple(methods[place] for place in waiting)
            task = _Hiding(
                observed, tried, n_kept, tuple(measures), confidence_level, n_threads
            )
            with stage(name):
                outcomes = map_tasks(
                    _hide_and_predict,
                    [task] * n_more,
                    rng=rng,
                    n_jobs=n_jobs,
                    what="hiding classes",
                )
            n_tried += n_more
            for outcome in outcomes:
                if outcome is not None:
                    for place, row in zip(waiting, outcome, strict=True):
                        found[place].append(row)
            # A method whose error is known is not tried any more; the others are.
            waiting = [place for place in waiting if not _is_settled(found[place])]
            if not waiting:
                break
            unsure = [found[place] for place in waiting]
            revise(_rounds_left(tuple(rounds), unsure, n_tried))
    all_classes = np.array([observed.n_classes])
    truths = [float(m.value(observed.ranks, all_classes)[0]) for m in measures]
    return [
        [
            summarise_hidings(
                method.name, truth, np.array(rows)[:, i], observed.n_classes, n_kept
            )
            for method, rows in zip(methods, found, strict=True)
            if rows
        ]
        for i, truth in enumerate(truths)
    ]


def n_hidings(observed: ObservedClasses, n_repeats: int | None) -> float | None:
    """Return how many hidings there will be; None if that shows on the way."""
    if n_repeats is None and observed.n_cells <= _MANY_SCORES:
        return None
    return float(_BATCH if n_repeats is None else n_repeats)


def _rounds_left(
    rounds: Sequence[str], found: Sequence[list[FloatArray]], n_tried: int
) -> dict[str, float]:
    """Weigh rounds to come by how many hidings the least certain method will need."""
    errors = [_stderr(np.array(rows)[:, 0, 0]) for rows in found if len(rows) > 1]
    needed = n_tried * (max(errors, default=1.0) / _SETTLED) ** 2
    n_done = n_tried // _BATCH
    n_all = max(-(-needed // _BATCH), n_done + 1)
    return {name: float(n_done <= i < n_all) for i, name in enumerate(rounds)}


def _is_settled(rows: list[FloatArray]) -> bool:
    """Tell whether a method's mean prediction is known to a point."""
    return len(rows) > 1 and _stderr(np.array(rows)[:, 0, 0]) <= _SETTLED


@dataclass(frozen=True)
class _Hiding:
    """A number of classes to show, and the methods that predict the rest."""

    observed: ObservedClasses
    methods: tuple[Extrapolator, ...]
    n_kept: int
    measures: tuple[RankMeasure, ...]
    confidence_level: float | None
    n_threads: int | None


def _hide_and_predict(task: _Hiding, rng: np.random.Generator) -> FloatArray | None:
    """Return prediction, low and high of every method and measure."""
    try:
        shown = hide_classes(task.observed, task.n_kept, rng)
    except InsufficientDataError:
        return None  # an unlucky choice: the other repeats tell
    target = np.array([task.observed.n_classes])
    found = np.full((len(task.methods), len(task.measures), 3), np.nan)
    streams = rng.spawn(len(task.methods))
    for i, (method, stream) in enumerate(zip(task.methods, streams, strict=True)):
        fit = method.fit(shown, stream, n_jobs=task.n_threads)
        for j, measure in enumerate(task.measures):
            found[i, j, 0] = measure.expected(fit.law, shown.ranks, target)[0]
            if task.confidence_level is not None:
                ends = measure.ends(
                    fit, shown, target, task.confidence_level, n_jobs=task.n_threads
                )
                found[i, j, 1:] = ends[0][0], ends[1][0]
    return found


def summarise_hidings(
    name: str, truth: float, found: FloatArray, n_classes: int, n_kept: int
) -> BacktestRow:
    """Average predictions with their ends, one row per repeat."""
    rounded = np.asarray(np.round(found, _DIGITS), dtype=np.float64)
    prediction, low, high = rounded.T
    error = prediction - truth
    is_bounded = bool(np.isfinite(low).all() and np.isfinite(high).all())
    inside = (low <= truth) & (truth <= high)
    return BacktestRow(
        method=name,
        from_classes=n_kept,
        to_classes=n_classes,
        n_repeats=len(found),
        truth=truth,
        prediction=float(prediction.mean()),
        bias=float(error.mean()),
        rmse=float(np.sqrt((error**2).mean())),
        coverage=float(inside.mean()) if is_bounded else None,
        stderr=_stderr(error) if error.size > 1 else None,
        rmse_stderr=_rmse_stderr(error) if error.size > 1 else None,
    )


def _stderr(values: FloatArray) -> float:
    return float(values.std(ddof=1) / np.sqrt(values.size))


def _rmse_stderr(error: FloatArray) -> float:
    """Return the jackknife's standard error of a root mean square."""
    squares = error**2
    n = error.size
    left_out = np.sqrt(np.maximum(squares.sum() - squares, 0.0) / (n - 1))
    return float(jackknife_stderr(left_out[:, None])[0])


def _shown(
    n_classes: int,
    ratios: Sequence[float],
    n_shown: int | Sequence[int] | None,
    top: int,
) -> list[int]:
    """Return how many classes are shown: by ratios, then by their number."""
    kept = [max(2, round(n_classes / ratio)) for ratio in ratios]
    asked = [] if n_shown is None else check_class_counts(n_shown, "n_shown").tolist()
    for n in asked:
        if not max(2, top + 1 if top > 1 else 2) <= n < n_classes:
            least = f"more than {top}" if top > 1 else "at least 2"
            problem = (
                f"must be {least} and fewer than the {n_classes:,} classes "
                f"observed, or none is hidden; got {n:,}"
            )
            raise UsageError(problem, parameter="n_shown")
    kept += [n for n in dict.fromkeys(asked) if n not in kept]
    if 1 < top >= max(kept):
        raise InsufficientDataError(
            f"within {top} guesses everything is right among the {max(kept)} classes "
            "shown",
            parameter="top",
            remedy="choose a smaller number, or show more classes",
        )
    return kept
