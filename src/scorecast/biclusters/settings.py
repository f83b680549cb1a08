"""Algorithms that find biclusters, over many settings of matrices that are made."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import numpy as np

from scorecast._core.checks import check_n_jobs, check_times
from scorecast._core.keywords import checked_keywords
from scorecast._core.progress import stage, stages
from scorecast._core.result import INPUT, OPTION, SHARE, Note, Result
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import RandomState
from scorecast.biclusters.stability import assess_biclustering, check_finders
from scorecast.evaluation import ModelAssessment, ModelComparison
from scorecast.evaluation.settings.design import DESIGNS, Setting, design_settings
from scorecast.exceptions import Location, ScorecastError, UsageError
from scorecast.simulate import SIMULATORS

_SIZE = re.compile(r"([0-9]+) *[x\N{MULTIPLICATION SIGN}] *([0-9]+)")
MatrixMaker = Callable[..., Any]


@dataclass(frozen=True, kw_only=True)
class BiclusterSetting:
    """Algorithms in one setting.

    Attributes
    ----------
    setting : int
        Its number, from zero.
    factors : dict of str to value
        Factors and their values.
    n_rows, n_columns : int
        Size of a matrix.
    models : dict of str to ModelAssessment
        By name; the folds of a measure are the matrices.
    comparisons : tuple of ModelComparison
        Every pair of algorithms on the same matrices, through the first measure.
    notes : tuple of Note
        What the reader must know of this setting; codes of `AssessmentNote`.
    """

    setting: int
    factors: dict[str, Any]
    n_rows: int
    n_columns: int
    models: dict[str, ModelAssessment]
    comparisons: tuple[ModelComparison, ...] = ()
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BiclusterSettings(Result):
    """Algorithms that find biclusters, over settings of matrices with known truth.

    Attributes
    ----------
    models : tuple of str
        Names of the algorithms.
    measures : tuple of str
        What was measured; tests look at the first.
    design : str
        One of `DESIGNS`.
    n_repeats : int
        Matrices that were made in every setting.
    confidence_level : float
        Level of intervals.
    alpha, relaxed_alpha : float
        Levels of verdicts.
    seed : int or None
        The random state, where it was a number.
    settings : tuple of BiclusterSetting
        Every setting.
    """

    kind: ClassVar[str] = "bicluster-settings"

    models: tuple[str, ...] = field(metadata=INPUT)
    measures: tuple[str, ...] = field(metadata=OPTION)
    design: str = field(metadata=OPTION)
    n_repeats: int = field(metadata=OPTION)
    confidence_level: float = field(metadata=OPTION | SHARE)
    alpha: float = field(metadata=OPTION | SHARE)
    relaxed_alpha: float = field(metadata=OPTION | SHARE)
    seed: int | None = field(metadata=OPTION)
    settings: tuple[BiclusterSetting, ...]

    @property
    def n_settings(self) -> int:
        """How many settings there are."""
        return len(self.settings)

    def gate(self, measure: str) -> tuple[str, float]:
        """Return the algorithm that promises most everywhere, and what it promises.

        The worse end of its interval in the setting that is hardest for it.
        """
        worst = {
            name: min(s.models[name].metrics[measure].near_end for s in self.settings)
            for name in self.models
        }
        best = max(worst, key=lambda name: worst[name])
        return best, worst[best]

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per setting, algorithm and measure."""
        rows = [
            (one, name, x)
            for one in self.settings
            for name, model in one.models.items()
            for x in model.metrics.values()
        ]
        factors = dict.fromkeys(f for one in self.settings for f in one.factors)
        columns: dict[str, list[Any]] = {
            factor: [one.factors.get(factor) for one, _, _ in rows]
            for factor in factors
        }
        columns |= {
            "n_rows": [one.n_rows for one, _, _ in rows],
            "n_columns": [one.n_columns for one, _, _ in rows],
            "model": [name for _, name, _ in rows],
            "measure": [x.metric for _, _, x in rows],
        }
        for name in ("estimate", "low", "high"):
            columns[name] = [getattr(x, name) for _, _, x in rows]
        return columns


def simulated_matrix(
    *, size: str | None = None, random_state: RandomState = 0, **factors: Any
) -> Any:
    """Make a matrix with hidden biclusters from factors.

    Parameters
    ----------
    size : str, optional
        Rows and columns together, such as ``"500x60"``: most sizes of the paper's table
        make no sense crossed.
    random_state : int, Generator or None, default=0
        Seed.
    **factors : object
        As of `scorecast.simulate.biclusters`.

    Returns
    -------
    BiclusterData
        Matrix and truth.

    Raises
    ------
    UsageError
        If `size` is none, or said twice.

    Examples
    --------
    >>> simulated_matrix(size="100x30", noise=0.1).X.shape
    (100, 30)
    """
    if size is not None:
        found = _SIZE.fullmatch(str(size).strip())
        if found is None:
            problem = f"must read ROWSxCOLUMNS, as 500x60; got {size!r}"
            raise UsageError(problem, parameter="size")
        if "n_rows" in factors or "n_columns" in factors:
            problem = "says n_rows and n_columns at once: give it, or them"
            raise UsageError(problem, parameter="size")
        rows, columns = map(int, found.groups())
        factors = {"n_rows": rows, "n_columns": columns, **factors}
    return SIMULATORS["biclusters"].make(random_state=random_state, **factors)


@checked_keywords
def assess_biclustering_settings(
    estimator: Any,
    factors: Mapping[str, Iterable[Any]],
    *,
    simulator: MatrixMaker = simulated_matrix,
    design: str = "grid",
    defaults: Mapping[str, Any] | None = None,
    measures: str | Sequence[str] | None = None,
    n_repeats: int = 20,
    with_nulls: bool = True,
    confidence_level: float = 0.95,
    alpha: float = 0.05,
    relaxed_alpha: float = 0.2,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> BiclusterSettings:
    """Say how well biclusters are found over settings with a known truth [1]_.

    Parameters
    ----------
    estimator : object, or mapping of str to object
        As for `assess_biclustering`.
    factors : mapping of str to iterable
        Values of every factor: those of `scorecast.simulate.biclusters`, ``size`` (rows
        and columns together, as ``"500x60"``), and ``MODEL__parameter``.
    simulator : callable, optional
        Called with the factors and ``random_state``; returns a matrix and its hidden
        biclusters, or data of ``simulate.biclusters``. Those data by default.
    design : {"grid", "one-at-a-time"}, default="grid"
        All combinations; or the defaults, and one factor changed at a time.
    defaults : mapping, optional
        For ``"one-at-a-time"``; the first value of each factor if not given.
    measures : str or sequence of str, optional
        As for `assess_biclustering`.
    n_repeats : int, default=20
        Matrices to make in every setting.
    with_nulls : bool, default=True
        Whether algorithms are also run on shuffled data, and random biclusters scored.
    confidence_level : float, default=0.95
        Level of intervals.
    alpha, relaxed_alpha : float, default=0.05 and 0.2
        Levels below which a result is feasible, and exploratory.
    random_state : int, Generator or None, default=0
        Seed of everything.
    n_jobs : int, optional
        Number of workers; the answer does not depend on it.

    Returns
    -------
    BiclusterSettings
        Intervals by setting, algorithm and measure, and tests in every setting.

    Raises
    ------
    UsageError
        If factors or design make no settings.
    FitFailedError
        If an algorithm failed on every matrix of a setting, which is named.

    References
    ----------
    .. [1] R. Henriques and S. C. Madeira (2015). Towards robust performance guarantees
       for models learned from high-dimensional data. In: Big Data in Complex Systems.

    Examples
    --------
    >>> def highest(X):
    ...     return [(np.argsort(X.mean(1))[-12:], np.argsort(X.mean(0))[-6:])]
    >>> found = assess_biclustering_settings({"highest": highest}, {"signal": [3, 9]},
    ...                                      n_repeats=3, with_nulls=False)
    >>> [one.factors for one in found.settings]
    [{'signal': 3}, {'signal': 9}]
    """
    named = check_finders(estimator)
    count = check_times(n_repeats, "n_repeats", least=2)
    check_n_jobs(n_jobs)
    if not callable(simulator):
        problem = f"must be a function of the factors; got {simulator!r}"
        raise UsageError(problem, parameter="simulator")
    settings = design_settings(
        factors, design=design, defaults=defaults, models=tuple(named)
    )
    streams = as_generator(random_state).spawn(len(settings))
    rows = []
    with stages({one.name: _size(one) for one in settings}):
        for one, stream in zip(settings, streams, strict=True):
            with stage(one.name):
                try:
                    found = assess_biclustering(
                        _with_parameters(named, one),
                        simulator=partial(_make, simulator, _of_data(one)),
                        measures=measures,
                        n_repeats=count,
                        with_nulls=with_nulls,
                        confidence_level=confidence_level,
                        alpha=alpha,
                        relaxed_alpha=relaxed_alpha,
                        random_state=stream,
                        n_jobs=n_jobs,
                    )
                except ScorecastError as error:
                    raise error.located(Location(setting=one.name)) from error
            rows.append(
                BiclusterSetting(
                    setting=one.number,
                    factors=dict(one.factors),
                    n_rows=found.n_rows or 0,
                    n_columns=found.n_columns or 0,
                    models=found.models,
                    comparisons=found.comparisons,
                    notes=found.notes,
                )
            )
    return BiclusterSettings(
        models=tuple(named),
        measures=tuple(next(iter(found.models.values())).metrics),
        design=DESIGNS.choose(design, parameter="design").name,
        n_repeats=count,
        confidence_level=found.confidence_level,
        alpha=found.alpha,
        relaxed_alpha=found.relaxed_alpha,
        seed=seed_number(random_state),
        settings=tuple(rows),
    )


def _of_data(setting: Setting) -> dict[str, Any]:
    """Return the factors that are none of models: all of them make matrices."""
    return {
        name: value
        for name, value in setting.factors
        if setting.parameter_of(name) is None
    }


def _make(
    simulator: MatrixMaker, factors: Mapping[str, Any], rng: np.random.Generator
) -> Any:
    """Make one matrix of a setting."""
    try:
        return simulator(**factors, random_state=rng)
    except TypeError as error:
        problem = f"cannot be called so: {error}"
        raise UsageError(problem, parameter="simulator") from error


def _size(setting: Setting) -> float:
    """Return how long a setting takes beside others, as far as its size says."""
    found = _SIZE.fullmatch(str(setting.value("size", "")))
    sides = (
        found.groups()
        if found
        else (setting.value("n_rows", 1), setting.value("n_columns", 1))
    )
    try:
        return max(float(sides[0]) * float(sides[1]), 1.0)
    except (TypeError, ValueError):
        return 1.0


def _with_parameters(named: Mapping[str, Any], setting: Setting) -> dict[str, Any]:
    """Return the algorithms with the parameters of a setting."""
    from sklearn.base import clone  # slow to load

    found = {}
    for name, finder in named.items():
        own = setting.parameters(name)
        if own and not hasattr(finder, "set_params"):
            problem = f"{name} is a function, which has no parameters to vary"
            raise UsageError(problem, parameter="factors")
        try:
            found[name] = clone(finder).set_params(**own) if own else finder
        except ValueError as error:
            problem = f"model {name!r} has no parameter {', '.join(own)}"
            raise UsageError(problem, parameter="factors") from error
    return found
