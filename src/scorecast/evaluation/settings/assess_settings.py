"""From models and many settings to what holds in all of them."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from scorecast._core.checks import check_count, check_n_jobs, check_share, check_times
from scorecast._core.keywords import checked_keywords
from scorecast._core.near_names import near_name
from scorecast._core.parallel import Run
from scorecast._core.progress import stage, stages
from scorecast._core.records import Record
from scorecast._core.result import INPUT, OPTION, SHARE, Note, Result
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, RandomState
from scorecast.evaluation.metrics import Metric, Task, check_scoring
from scorecast.evaluation.models import check_estimators, task_of
from scorecast.evaluation.null_tests import NullTests
from scorecast.evaluation.settings.collected import COLLECTIONS, check_collect
from scorecast.evaluation.settings.design import (
    DESIGNS,
    VARIED,
    Setting,
    Variations,
    design_settings,
)
from scorecast.evaluation.settings.estimates import (
    DatasetScores,
    DataSource,
    SettingEstimate,
    SettingFacts,
    SettingsRun,
    collect_scores,
    refuse_nothing,
    setting_estimate,
)
from scorecast.evaluation.settings.pooling import (
    DifficultyGroup,
    Dominance,
    FactorEffect,
    PooledInterval,
    difficulty_groups,
    dominance,
    factor_effects,
    pooled_intervals,
)
from scorecast.evaluation.splits import usual_scoring
from scorecast.exceptions import UsageError, listed

_FOLDS, _QUICK_FOLDS = 10, 5
# Columns of what is collected: what of it, and what stands before its name.
_COLLECTED_COLUMNS = (
    ("null", "p_value", "p_"),
    ("bias_variance", "bias", "bias_"),
    ("bias_variance", "variance", "variance_"),
    ("recall", "estimate", "recall_"),
)


class SettingsNote(StrEnum):
    """What the reader of an assessment over settings must know.

    FITS_FAILED: in `count` of `total` combinations of setting and model a fit failed or
    a metric could not be measured or bounded; the first is of `model`.
    NOT_COLLECTED: in `count` of `total` combinations that have an estimate something
    else that was asked for is missing: its name in `COLLECTIONS`, and why, if known.
    """

    FITS_FAILED = "fits-failed"
    NOT_COLLECTED = "not-collected"


@dataclass(frozen=True, kw_only=True)
class SettingsPooling:
    """What is inferred from many settings.

    Attributes
    ----------
    alpha : float
        Level of the tests of single settings.
    share : float
        Share of settings in which a relation between models must hold.
    weights : tuple of float or None
        Weight of every setting, in their order; its number of samples if not given.
    max_groups : int
        Most groups of like difficulty.
    """

    alpha: float = 0.1
    share: float = 0.8
    weights: tuple[float, ...] | None = None
    max_groups: int = 6


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SettingsAssessment(Result):
    """Models over many settings.

    Attributes
    ----------
    n_settings : int
        Number of settings.
    models : tuple of str
        Names of the models.
    design : str
        One of `DESIGNS`.
    usual : dict of str to value
        Values from which a design that is not crossed departs one by one; else empty.
    n_datasets : int
        Data sets that were made in every setting.
    cv : str
        How samples were split, unless a setting says so.
    pooling : SettingsPooling
        What was inferred, and how.
    confidence_level : float
        Level of intervals.
    is_quick : bool
        Whether it is a quick look, with fewer folds and settings.
    collect : tuple of str
        What else was looked at in every setting, of `COLLECTIONS`.
    tests : NullTests or None
        How models were held against chance; None if they were not.
    seed : int or None
        The random state, where it was a number.
    estimates : tuple of SettingEstimate
        Every model in every setting.
    intervals : tuple of PooledInterval
        Over all settings: conservative, pooled, weighted, of a new setting.
    dominance : tuple of Dominance
        Every pair of models.
    groups : tuple of DifficultyGroup
        Settings of like difficulty, model by model, the easiest first.
    effects : tuple of FactorEffect
        Factor by factor.
    notes : tuple of Note
        What the reader must know.
    """

    kind: ClassVar[str] = "settings-assessment"

    n_settings: int = field(metadata=INPUT)
    models: tuple[str, ...] = field(metadata=INPUT)
    design: str = field(metadata=OPTION)
    usual: dict[str, Any] = field(metadata=OPTION)
    n_datasets: int = field(metadata=OPTION)
    cv: str = field(metadata=OPTION)
    pooling: SettingsPooling = field(metadata=OPTION)
    confidence_level: float = field(metadata=OPTION | SHARE)
    is_quick: bool = field(metadata=OPTION)
    collect: tuple[str, ...] = field(default=(), metadata=OPTION)
    tests: NullTests | None = field(default=None, metadata=OPTION)
    seed: int | None = field(metadata=OPTION)
    estimates: tuple[SettingEstimate, ...]
    intervals: tuple[PooledInterval, ...]
    dominance: tuple[Dominance, ...]
    groups: tuple[DifficultyGroup, ...]
    effects: tuple[FactorEffect, ...]
    notes: tuple[Note, ...] = ()

    @property
    def scorings(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return tuple(dict.fromkeys(row.scoring for row in self.estimates))

    def n_settings_of(self, scoring: str) -> int:
        """Return the number of settings that are looked at by one metric."""
        return len({row.setting for row in self.estimates if row.scoring == scoring})

    def interval(
        self, model: str, method: str, scoring: str | None = None
    ) -> PooledInterval:
        """Return one of the intervals over settings, by model and method."""
        wanted = self.scorings[0] if scoring is None else scoring
        return next(
            x
            for x in self.intervals
            if (x.model, x.method, x.scoring) == (model, method, wanted)
        )

    def groups_of(
        self, model: str, scoring: str | None = None
    ) -> tuple[DifficultyGroup, ...]:
        """Return the groups of one model, the easiest first."""
        wanted = self.scorings[0] if scoring is None else scoring
        return tuple(g for g in self.groups if (g.model, g.scoring) == (model, wanted))

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per setting and model, with all that was collected."""
        rows = self.estimates
        factors = dict.fromkeys(f for row in rows for f in row.factors)
        columns: dict[str, list[Any]] = {
            factor: [row.factors.get(factor) for row in rows] for factor in factors
        }
        own = ("model", "scoring", "estimate", "low", "high", "n_samples", "n_features")
        for name in own:
            # A factor may be called n_samples or scoring; the measured one is the same.
            columns[name] = [getattr(row, name) for row in rows]
        for collected, fact, prefix in _COLLECTED_COLUMNS:
            if collected not in self.collect:
                continue
            held = [getattr(row, COLLECTIONS[collected].field) for row in rows]
            for name in dict.fromkeys(name for one in held for name in one):
                columns[f"{prefix}{name}"] = [
                    getattr(one[name], fact) if name in one else math.nan
                    for one in held
                ]
        return columns


@checked_keywords
def assess_settings(
    estimator: Any,
    data: DataSource,
    factors: Mapping[str, Iterable[Any]] | None = None,
    *,
    design: str | None = None,
    defaults: Mapping[str, Any] | None = None,
    n_datasets: int = 1,
    cv: Any = None,
    scoring: str | Metric | None = None,
    confidence_level: float = 0.95,
    pooling: SettingsPooling | None = None,
    collect: str | Sequence[str] = (),
    tests: NullTests | None = None,
    quick: bool = False,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    time_limit: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> SettingsAssessment:
    """Say what can be promised about models over many settings [1]_.

    Parameters
    ----------
    estimator : estimator, str, or mapping or sequence of them
        As for `assess`.
    data : callable, or mapping of str to data
        A function of the factors and of ``random_state`` that returns (X, y) or
        something with ``X`` and ``y``, such as `sc.simulate.classification` (or, to
        vary settings such as ``skew_share`` by their flat names,
        ``sc.simulate.SIMULATORS["classification"].make``); or data sets by name, which
        are then the factor ``data``.
    factors : mapping of str to iterable, optional
        Values of every factor. ``cv`` and ``scoring`` change how models are tested,
        ``MODEL__parameter`` a model; all others go to `data`. Data sets by name can be
        varied in ``n_samples`` and ``n_features`` (how many to draw), ``noise`` (share
        of the range of each feature) and ``imbalance`` (by how much the rarest class
        falls short of the most frequent).
    design : {"grid", "one-at-a-time"}, optional
        All combinations, as by default; or the defaults, and one factor changed at a
        time, as by default in a quick look.
    defaults : mapping, optional
        For ``"one-at-a-time"``; the first value of each factor if not given.
    n_datasets : int, default=1
        Data sets to make in every setting. With several, intervals rest on their
        spread, and are never narrower than the number of samples allows; but those
        drawn from data at hand share samples, and get the interval of one.
    cv : optional
        As for `assess`; 10 folds by default, 5 in a quick look.
    scoring : str or Metric, optional
        One of `METRICS`; accuracy or the root mean squared error if not given, or
        balanced accuracy where a setting leaves pairs out (``"lpo"``).
    confidence_level : float, default=0.95
        Level of intervals.
    pooling : SettingsPooling, optional
        Levels of tests, weights of settings, groups of like difficulty.
    collect : str or sequence of str, optional
        What else to look at in every setting, of `COLLECTIONS`: ``"null"`` (p-values
        against permuted data, null models and null data; as many fits as there are
        permutations), ``"bias_variance"``, ``"recall"`` (of every class).
    tests : NullTests, optional
        How models are held against chance, where that is collected.
    quick : bool, default=False
        Whether a quick look will do: five folds instead of ten, and one factor changed
        at a time, unless `cv` or `design` say otherwise; one data set for each setting.
    random_state : int, Generator or None, default=0
        Seed of everything.
    n_jobs : int, optional
        Number of workers; the answer does not depend on it.
    time_limit : float, optional
        Seconds that one fit may take.
    checkpoint : str or path-like, optional
        File to which finished settings are appended; the same call goes on from it.

    Returns
    -------
    SettingsAssessment
        Estimates, intervals, dominance, groups of like difficulty, effects of factors.

    Raises
    ------
    UsageError
        If factors, design or data make no settings.
    InsufficientDataError
        If no model has an estimate in any setting.

    References
    ----------
    .. [1] R. Henriques and S. C. Madeira (2015). Towards robust performance guarantees
       for models learned from high-dimensional data. In: Big Data in Complex Systems.

    Examples
    --------
    >>> def make(gap, random_state):
    ...     rng = np.random.default_rng(random_state)
    ...     y = np.arange(60) % 2
    ...     return rng.normal(size=(60, 3)) + gap * y[:, None], y
    >>> answer = assess_settings("naive-bayes", make, {"gap": [0, 0.1, 3]})
    >>> [len(group.members) for group in answer.groups]
    [1, 2]
    """
    models = check_estimators(estimator)
    task = task_of(models)
    if quick and n_datasets != 1:
        problem = "must be one in a quick look"
        raise UsageError(problem, parameter="n_datasets", remedy="leave it out")
    if cv is None:
        cv = _QUICK_FOLDS if quick else _FOLDS
    if design is None:
        design = "one-at-a-time" if quick else "grid"
    # All that can be refused is refused before the first fit.
    level = check_share(confidence_level, "confidence_level", is_open=True)
    settings = _list_settings(data, factors, design, defaults, tuple(models))
    if scoring is None:
        scoring = usual_scoring(task, [x.value("cv", cv) for x in settings])
    asked_for = check_collect(collect, tests, task)
    by_name = isinstance(data, Mapping)
    source = Variations(sources=data, task=task) if isinstance(data, Mapping) else data
    plan = SettingsRun(
        models=models,
        data=source,
        task=task,
        cv=cv,
        metrics=[_metric_of(setting, scoring, task) for setting in settings],
        confidence_level=level,
        time_limit=time_limit,
        asked=asked_for,
    )
    count = _check_datasets(n_datasets, settings, by_name=by_name)
    asked, weights = _check_pooling(pooling, len(settings))
    run = Run(n_jobs=check_n_jobs(n_jobs))
    if checkpoint is not None:
        known = (random_state, count, level, time_limit)
        record = Record(checkpoint, plan.fingerprint(settings, known))
        run = Run(n_jobs=n_jobs, record=record)
    with stages({"": 1.0}), stage(""):
        rng = as_generator(random_state)
        scores = collect_scores(plan, settings, n_datasets=count, rng=rng, run=run)
    # What was drawn from the same data set errs together, whatever was varied.
    own = [str(x.value("data", "")) if by_name else x.data_name for x in settings]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(own))}
    rows = tuple(
        setting_estimate(
            [one[model] for one in datasets],
            SettingFacts(
                setting=setting.number,
                factors={name: _plain(value) for name, value in setting.factors},
                data=numbers[name],
                model=model,
                metric=metric,
            ),
            confidence_level=level,
            shares_samples=by_name,
        )
        for model in models
        for setting, metric, name, datasets in zip(
            settings, plan.metrics, own, scores, strict=True
        )
    )
    refuse_nothing(rows)
    usual: dict[str, Any] = {}
    if not DESIGNS[design].is_crossed:
        usual = {name: _plain(value) for name, value in settings[0].factors}
    return SettingsAssessment(
        n_settings=len(settings),
        models=tuple(models),
        design=design,
        usual=usual,
        n_datasets=count,
        cv=str(cv),
        pooling=asked,
        confidence_level=level,
        is_quick=bool(quick),
        collect=asked_for.names,
        tests=asked_for.tests if "null" in asked_for.names else None,
        seed=seed_number(random_state),
        estimates=rows,
        notes=(*_notes(rows), *_not_collected(rows, asked_for.names, scores)),
        **_inferred(rows, tuple(models), asked, weights, usual, level),
    )


def _inferred(
    rows: Sequence[SettingEstimate],
    models: Sequence[str],
    pooling: SettingsPooling,
    weights: FloatArray | None,
    usual: dict[str, Any],
    level: float,
) -> dict[str, Any]:
    """Infer from estimates, metric by metric and model by model."""
    intervals: list[PooledInterval] = []
    groups: list[DifficultyGroup] = []
    effects: list[FactorEffect] = []
    relations: list[Dominance] = []
    for scoring in dict.fromkeys(row.scoring for row in rows):
        by_model = {
            model: [r for r in rows if (r.model, r.scoring) == (model, scoring)]
            for model in models
        }
        for own in by_model.values():
            known = [row for row in own if row.is_known]
            given = None
            if weights is not None:
                given = weights[[row.setting for row in known]]
            intervals += pooled_intervals(known, given, level)
            groups += difficulty_groups(
                known, confidence_level=level, max_groups=pooling.max_groups
            )
            effects += factor_effects(known, usual=usual, confidence_level=level)
        for a, b in combinations(models, 2):
            found = dominance(
                by_model[a], by_model[b], alpha=pooling.alpha, share=pooling.share
            )
            relations += [] if found is None else [found]
    return {
        "intervals": tuple(intervals),
        "dominance": tuple(relations),
        "groups": tuple(groups),
        "effects": tuple(effects),
    }


def _notes(rows: Sequence[SettingEstimate]) -> tuple[Note, ...]:
    failed = [row for row in rows if not row.is_whole]
    if not failed:
        return ()
    first = failed[0]
    return (
        Note(
            code=SettingsNote.FITS_FAILED,
            model=first.model,
            count=len(failed),
            total=len(rows),
            value=float(first.setting),
        ),
    )


def _not_collected(
    rows: Sequence[SettingEstimate],
    names: Sequence[str],
    scores: Sequence[Sequence[Mapping[str, DatasetScores]]],
) -> tuple[Note, ...]:
    """Say what is missing where there is an estimate, and why the first is."""
    known = [row for row in rows if row.is_known]
    found = []
    for name in names:
        lacking = [row for row in known if not getattr(row, COLLECTIONS[name].field)]
        if not lacking:
            continue
        first = lacking[0]
        several = (one[first.model].collected for one in scores[first.setting])
        why = next((one.failure for one in several if one.failure), "")
        found.append(
            Note(
                code=SettingsNote.NOT_COLLECTED,
                model=first.model,
                count=len(lacking),
                total=len(known),
                names=(name, why),
                value=float(first.setting),
            )
        )
    return tuple(found)


def _plain(value: Any) -> Any:
    """Return a value as files can hold it; text for what is neither number nor text."""
    if isinstance(value, np.generic):
        value = value.item()
    is_plain = value is None or isinstance(value, bool | int | float | str)
    return value if is_plain else str(getattr(value, "name", value))


def _list_settings(
    data: DataSource,
    factors: Mapping[str, Iterable[Any]] | None,
    design: str,
    defaults: Mapping[str, Any] | None,
    models: tuple[str, ...],
) -> tuple[Setting, ...]:
    """List the settings; of data sets by name only what can be made of them."""
    wanted: dict[str, Any] = {name: list(own) for name, own in (factors or {}).items()}
    if isinstance(data, Mapping):
        if not data:
            raise UsageError("holds no data set", parameter="data")
        # A single data set is no factor, unless there is no other.
        if len(data) > 1 or not wanted or "data" in wanted:
            wanted = {"data": wanted.pop("data", list(data)), **wanted}
        unknown = [name for name in wanted.get("data", ()) if name not in data]
        if unknown:
            problem = f"has no {unknown[0]!r} but {listed(map(str, data), 8)}"
            raise UsageError(problem, parameter="data")
    elif not callable(data):
        problem = "must be a function of the factors, or data sets by name"
        raise UsageError(problem, parameter="data")
    settings = design_settings(wanted, design=design, defaults=defaults, models=models)
    if isinstance(data, Mapping):
        own = [f for f in settings[0].of_data if f not in ("data", *VARIED)]
        if own:
            near = near_name(own[0], (*VARIED, "cv", "scoring"))
            raise UsageError(
                f"data at hand do not change with {listed(own, 8)}; but with "
                f"{', '.join(VARIED)}, cv, scoring and MODEL__parameter",
                parameter="factors",
                remedy=f"did you mean {near}?" if near else None,
            )
    return settings


def _metric_of(setting: Setting, scoring: str | Metric | None, task: Task) -> Metric:
    """Return the metric of a setting; blame the factor where that names it."""
    if "scoring" not in dict(setting.factors):
        return check_scoring(scoring, task)[0]
    try:
        return check_scoring(setting.value("scoring"), task)[0]
    except UsageError as error:
        problem = f"scoring {error.problem}"
        raise UsageError(problem, parameter="factors", remedy=error.remedy) from error


def _check_pooling(
    pooling: SettingsPooling | None, n: int
) -> tuple[SettingsPooling, FloatArray | None]:
    """Return what to infer, and the weights of settings."""
    pooling = SettingsPooling() if pooling is None else pooling
    if not isinstance(pooling, SettingsPooling):
        problem = f"must be SettingsPooling(...); got {pooling!r}"
        raise UsageError(problem, parameter="pooling")
    share = check_share(pooling.share, "share")
    if share == 0:
        raise UsageError("must be above 0; got 0", parameter="share")
    weights = None
    if pooling.weights is not None:
        weights = np.asarray(pooling.weights, dtype=np.float64)
        is_fit = weights.shape == (n,) and np.isfinite(weights).all()
        if not is_fit or not (weights > 0).all():
            problem = f"must hold a positive number for each setting ({n} in all)"
            raise UsageError(problem, parameter="weights")
    checked = SettingsPooling(
        alpha=check_share(pooling.alpha, "alpha", is_open=True),
        share=share,
        weights=None if weights is None else tuple(weights.tolist()),
        max_groups=check_count(pooling.max_groups, "max_groups"),
    )
    return checked, weights


def _check_datasets(
    n_datasets: int, settings: Sequence[Setting], *, by_name: bool
) -> int:
    count = check_times(n_datasets, "n_datasets")
    if count > 1 and by_name and not set(settings[0].of_data) & set(VARIED):
        problem = (
            "draws data anew; without a factor such as n_samples these stay the same"
        )
        raise UsageError(problem, parameter="n_datasets")
    return count
