"""Hide classes, predict them back, and see how far off each method was."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import check_choice, check_level, check_n_jobs
from scorecast._core.keywords import checked_keywords
from scorecast._core.parallel import map_tasks
from scorecast._core.results import Result
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, Json, RandomState
from scorecast.classes.backtest_row import BacktestRow
from scorecast.classes.evidence import Evidence, given_scores
from scorecast.classes.hiding import hide_classes
from scorecast.classes.intervals import prediction_interval
from scorecast.classes.method import Method
from scorecast.classes.methods import make_method, with_jobs
from scorecast.classes.top import check_top, top_method
from scorecast.exceptions import InsufficientDataError, UsageError
from scorecast.scores import (
    AVERAGES,
    TIE_RULES,
    Embeddings,
    Scores,
)

__all__ = ["DEFAULT_METHODS", "Backtest", "backtest", "backtest_methods"]

_FEWEST_CLASSES = 4
_BATCH, _MOST_REPEATS = 6, 48  # hidings where their number is not given
_MANY_SCORES = 10_000_000  # beyond so many, one batch will do
_SETTLED = 0.01
DEFAULT_METHODS = ("auto", "regression", "gaussian", "kde-ucv", "kde-bcv", "spline")


@dataclass(frozen=True, kw_only=True, repr=False)
class Backtest(Result):
    """How each method did when classes were hidden from it.

    Attributes
    ----------
    rows : tuple of BacktestRow
        One per method and number of classes shown.
    n_examples, n_classes : int
        Size of the data.
    level : float
        Level of the intervals.
    seed : int or None
        The random state, where it was a number.
    ties, average : str
        Rules used.
    top : int
        Guesses allowed for an example to count as right.
    """

    kind: ClassVar[str] = "backtest"

    rows: tuple[BacktestRow, ...]
    n_examples: int
    n_classes: int
    level: float
    seed: int | None
    ties: str
    average: str
    top: int = 1

    def summary(self) -> str:
        """Name the method that came closest, and how close."""
        best = min(self.rows, key=lambda row: row.rmse)
        return (
            f"Hiding classes ({best.from_classes} shown, {best.to_classes} predicted), "
            f"{best.method} came closest{self._guesses}: off by "
            f"{100 * best.rmse:.1f} points over {best.n_repeats} repeats."
        )

    @property
    def _guesses(self) -> str:
        return "" if self.top == 1 else f" within {self.top} guesses"

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per method and number of classes shown."""
        rows = [asdict(row) for row in self.rows]
        return {name: [row[name] for row in rows] for name in rows[0]}

    def _parts(self) -> tuple[Json, Json, Json]:
        return (
            {"n_examples": self.n_examples, "n_classes": self.n_classes},
            {
                "level": self.level,
                "seed": self.seed,
                "ties": self.ties,
                "average": self.average,
                "top": self.top,
            },
            {"rows": [asdict(row) for row in self.rows]},
        )

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        rows = tuple(BacktestRow(**row) for row in result["rows"])
        return cls(rows=rows, **inputs, **options)


@checked_keywords
def backtest(
    scores: ArrayLike | Scores | Embeddings,
    y_true: Iterable[Hashable] | None = None,
    *,
    methods: Sequence[str | Method] = DEFAULT_METHODS,
    ratios: Sequence[float] = (2, 4),
    n_repeats: int = 20,
    top: int = 1,
    ties: str = "random",
    average: str = "macro",
    level: float = 0.9,
    classes: Sequence[Hashable] | None = None,
    greater_is_better: bool = True,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> Backtest:
    """Hide classes, predict them back with each method, and compare.

    The truth is the accuracy with all observed classes. It shares the classes that
    were shown, so errors here are somewhat smaller than in a true forecast.

    Parameters
    ----------
    scores : array-like of shape (n_examples, n_classes), Scores or Embeddings
        What the recogniser gave.
    y_true : iterable of hashable, optional
        True labels; not needed where `scores` carries them.
    methods : sequence of str or Method
        What to compare; every method is fitted anew to the classes shown.
    ratios : sequence of float, default=(2, 4)
        One in so many classes is shown.
    n_repeats : int, default=20
        Random choices of the shown classes, per ratio.
    top : int, default=1
        Guesses allowed; ratios that show no more classes than that are left out.
    ties : {"random", "optimistic", "pessimistic"}, default="random"
        Rule for ties.
    average : {"macro", "micro"}, default="macro"
        Every class counts the same, or every example.
    level : float, default=0.9
        Level of the intervals whose coverage is counted.
    classes : sequence of hashable, optional
        Labels of the columns.
    greater_is_better : bool, default=True
        False for distances.
    random_state : int, Generator or None, default=0
        For the choices; the same answer for any `n_jobs`.
    n_jobs : int, optional
        Number of worker processes.

    Returns
    -------
    Backtest
        Bias, error and coverage of every method.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> own = np.arange(120) % 24
    >>> scores = rng.normal(size=(120, 24)) + 2 * np.eye(24)[own]
    >>> result = backtest(scores, own, methods=["gaussian", "spline"], n_repeats=4)
    >>> [(row.method, row.from_classes) for row in result.rows]
    [('gaussian', 12), ('spline', 12), ('gaussian', 6), ('spline', 6)]
    """
    check_level(level)
    check_n_jobs(n_jobs)
    check_choice(ties, "ties", tuple(TIE_RULES))
    check_choice(average, "average", tuple(AVERAGES))
    _check_counts(ratios, n_repeats)
    top = check_top(top)
    made = [top_method(make_method(m), top) for m in methods]
    data = given_scores(
        scores, y_true, classes=classes, greater_is_better=greater_is_better
    )
    if data.n_classes < _FEWEST_CLASSES:
        msg = (
            f"{data.n_classes} classes are too few to hide any: {_FEWEST_CLASSES} are "
            "needed."
        )
        raise InsufficientDataError(msg)
    kept = _shown(data.n_classes, ratios, top)
    evidence = Evidence.of(data, ties=ties, average=average, top=top, n_jobs=n_jobs)
    evidence.check_told_apart()
    streams = as_generator(random_state).spawn(len(ratios))
    rows: list[BacktestRow] = []
    for n_kept, rng in zip(kept, streams, strict=True):
        if n_kept <= top and top > 1:
            continue
        rows += backtest_methods(
            evidence, made, n_kept, n_repeats, rng, level=level, n_jobs=n_jobs
        )
    if not rows:
        msg = "Too few classes have examples to hide some of them."
        raise InsufficientDataError(msg)
    return Backtest(
        rows=tuple(rows),
        n_examples=data.n_samples,
        n_classes=data.n_classes,
        top=top,
        level=level,
        seed=seed_number(random_state),
        ties=ties,
        average=average,
    )


def backtest_methods(
    evidence: Evidence,
    methods: Sequence[Method],
    n_kept: int,
    n_repeats: int | None,
    rng: np.random.Generator,
    *,
    level: float | None = None,
    n_jobs: int | None = None,
) -> list[BacktestRow]:
    """Predict all observed classes from a random choice of them, several times.

    Parameters
    ----------
    evidence : Evidence
        All observed classes.
    methods : sequence of Method
        What to compare.
    n_kept : int
        Number of classes shown.
    n_repeats : int or None
        Number of random choices; None for as many as bring the standard error of
        every method's bias below a point, within reason.
    rng : numpy.random.Generator
        Source of the choices.
    level : float, optional
        Level of intervals whose coverage is counted; without it none are made.
    n_jobs : int, optional
        Number of worker processes.

    Returns
    -------
    list of BacktestRow
        One per method; empty if no choice had two classes with examples.
    """
    # Workers share the cores among themselves; each gets one thread.
    single = n_jobs not in (None, 1)
    told = tuple(with_jobs(m, 1) if single else m for m in methods)
    task = _Hiding(evidence, told, n_kept, level)
    found: list[FloatArray] = []
    n_tried = 0
    n_cells = evidence.ranking.n_samples * evidence.n_classes
    most = n_repeats or (_MOST_REPEATS if n_cells <= _MANY_SCORES else _BATCH)
    while n_tried < most:
        n_more = min(n_repeats or _BATCH, most - n_tried)
        outcomes = map_tasks(
            _hide_and_predict,
            [task] * n_more,
            rng=rng,
            n_jobs=n_jobs,
            what="hiding classes",
        )
        n_tried += n_more
        found += [outcome for outcome in outcomes if outcome is not None]
        if len(found) > 1 and _is_settled(np.array(found)):
            break
    if not found:
        return []
    names = [method.name for method in methods]
    return _summarise(names, evidence.ranks.accuracy, np.array(found), evidence, n_kept)


def _is_settled(found: FloatArray) -> bool:
    """Say whether every method's mean prediction is known to a point."""
    return max(_stderr(column) for column in found[:, :, 0].T) <= _SETTLED


@dataclass(frozen=True)
class _Hiding:
    """A number of classes to show, and the methods that predict the rest."""

    evidence: Evidence
    methods: tuple[Method, ...]
    n_kept: int
    level: float | None


def _hide_and_predict(task: _Hiding, rng: np.random.Generator) -> FloatArray | None:
    """Return prediction, low and high of every method."""
    try:
        shown = hide_classes(task.evidence, task.n_kept, rng)
    except InsufficientDataError:
        return None  # an unlucky choice: the other repeats tell
    target = np.array([task.evidence.n_classes])
    found = np.full((len(task.methods), 3), np.nan)
    streams = rng.spawn(len(task.methods))
    for i, (method, stream) in enumerate(zip(task.methods, streams, strict=True)):
        fit = method.fit(shown, stream)
        found[i, 0] = fit.distribution.accuracy(target)[0]
        if task.level is not None:
            interval = prediction_interval(fit, shown, target, task.level)
            found[i, 1:] = interval.low[0], interval.high[0]
    return found


def _summarise(
    names: Sequence[str],
    truth: float,
    found: FloatArray,
    evidence: Evidence,
    n_kept: int,
) -> list[BacktestRow]:
    """Average predictions (repeats x methods x 3) method by method."""
    # The last digits depend on how a worker splits its sums; nobody needs them.
    found = np.round(found, 10)
    rows = []
    for i, name in enumerate(names):
        prediction, low, high = found[:, i].T
        error = prediction - truth
        bounded = bool(np.isfinite(low).all() and np.isfinite(high).all())
        inside = (low <= truth) & (truth <= high)
        rows.append(
            BacktestRow(
                method=name,
                from_classes=n_kept,
                to_classes=evidence.n_classes,
                n_repeats=len(found),
                truth=truth,
                prediction=float(prediction.mean()),
                bias=float(error.mean()),
                rmse=float(np.sqrt((error**2).mean())),
                coverage=float(inside.mean()) if bounded else None,
                stderr=_stderr(error) if error.size > 1 else None,
            )
        )
    return rows


def _stderr(values: FloatArray) -> float:
    return float(values.std(ddof=1) / np.sqrt(values.size))


def _shown(n_classes: int, ratios: Sequence[float], top: int) -> list[int]:
    kept = [max(2, round(n_classes / ratio)) for ratio in ratios]
    if 1 < top >= max(kept):
        msg = (
            f"Within {top} guesses everything is right among the {max(kept)} classes "
            "shown: choose a smaller `top` (--top) or ratio (--ratio)."
        )
        raise InsufficientDataError(msg)
    return kept


def _check_counts(ratios: Sequence[float], n_repeats: int) -> None:
    if n_repeats < 1:
        msg = f"`n_repeats` must be at least 1; got {n_repeats!r}."
        raise UsageError(msg)
    if not ratios or min(ratios) <= 1:
        msg = f"`ratios` must all exceed 1; got {list(ratios)!r}."
        raise UsageError(msg)
