"""From models and many settings to what holds in all of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from scorecast._core.checks import check_level, check_n_jobs
from scorecast._core.keywords import checked_keywords
from scorecast._core.progress import stage, stages
from scorecast._core.records import Record
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, Json, RandomState
from scorecast.exceptions import UsageError
from scorecast.guarantees.leaving_pairs import usual_loss
from scorecast.guarantees.losses import Loss, check_losses, losses_for
from scorecast.guarantees.models import check_models, task_of
from scorecast.guarantees.running import Run
from scorecast.guarantees.settings.collection import (
    Collection,
    DataSource,
    collect_scores,
    fingerprint_of_settings,
    refuse_nothing,
)
from scorecast.guarantees.settings.design import Setting, design_settings
from scorecast.guarantees.settings.difficulty import DifficultyGroup, difficulty_groups
from scorecast.guarantees.settings.estimate import (
    SetScores,
    SettingEstimate,
    setting_estimate,
)
from scorecast.guarantees.settings.factor_views import FactorView, factor_views
from scorecast.guarantees.settings.pooling import SettingBound, bounds_over_settings
from scorecast.guarantees.settings.result import SettingsAssessment
from scorecast.guarantees.settings.superiority import Superiority, superiority
from scorecast.guarantees.settings.variations import VARIED, Variations

__all__ = ["assess_settings"]


@checked_keywords
def assess_settings(
    models: Any,
    data: DataSource,
    *,
    settings: Mapping[str, Iterable[Any]] | None = None,
    design: str | None = None,
    defaults: Mapping[str, Any] | None = None,
    n_sets: int = 1,
    sampling: Any = None,
    loss: str | Loss | None = None,
    level: float = 0.95,
    alpha: float = 0.1,
    share: float = 0.8,
    weights: Sequence[float] | None = None,
    most_groups: int = 6,
    quick: bool = False,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    time_limit: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> SettingsAssessment:
    """Say what can be promised about models over many settings.

    Parameters
    ----------
    models : estimator, str, or mapping or sequence of them
        As for `assess`.
    data : callable, or mapping of str to data
        A function of the factors and of ``random_state`` that returns (X, y) or
        something with ``X`` and ``y``, such as `sc.simulate.classification` (or, to
        vary settings such as ``skew_share`` by their flat names,
        ``sc.simulate.SIMULATORS["classification"].make``); or data sets by name, which
        are then the factor ``data``.
    settings : mapping of str to iterable, optional
        Values of every factor. ``sampling`` and ``loss`` change how models are tested,
        ``MODEL__parameter`` a model; all others go to `data`. Data sets by name can be
        varied in ``n`` and ``m`` (cases and features to draw), ``noise`` (share of the
        range of each feature) and ``imbalance`` (by how much the rarest class falls
        short of the most frequent).
    design : {"grid", "one-at-a-time"}, optional
        All combinations, as by default; or the defaults, and one factor changed at a
        time, as by default in a quick look.
    defaults : mapping, optional
        For ``"one-at-a-time"``; the first value of each factor if not given.
    n_sets : int, default=1
        Data sets to make in every setting. With several, intervals rest on their
        spread, and are never narrower than the number of cases allows; but those drawn
        from data at hand share cases, and get the interval of one.
    sampling : optional
        As for `assess`; ``"cv10"`` by default, ``"cv5"`` in a quick look.
    loss : str or Loss, optional
        View on performance; accuracy or RMSE if not given, or balanced accuracy where
        a setting leaves pairs out (``"lpo"``).
    level : float, default=0.95
        Level of intervals.
    alpha : float, default=0.1
        Level of the tests of single settings.
    share : float, default=0.8
        Share of settings in which a relation between models must hold.
    weights : sequence of float, optional
        Weight of every setting, in their order; its number of cases if not given.
    most_groups : int, default=6
        Most groups of like difficulty.
    quick : bool, default=False
        Whether a quick look will do: five folds instead of ten, and one factor changed
        at a time, unless `sampling` or `design` say otherwise; one data set for each
        setting.
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
        Estimates, bounds, relations, groups of like difficulty, factor views.

    Examples
    --------
    >>> def make(gap, random_state):
    ...     rng = np.random.default_rng(random_state)
    ...     y = np.arange(60) % 2
    ...     return rng.normal(size=(60, 3)) + gap * y[:, None], y
    >>> answer = assess_settings("naive-bayes", make, settings={"gap": [0, 0.1, 3]})
    >>> [len(group.members) for group in answer.groups]
    [1, 2]
    """
    chosen = check_models(models)
    task = task_of(chosen)
    if quick and n_sets != 1:
        msg = "`quick=True` takes one data set for each setting: leave `n_sets` out."
        raise UsageError(msg)
    if sampling is None:
        sampling = "cv5" if quick else "cv10"
    if design is None:
        design = "one-at-a-time" if quick else "grid"
    # All that can be refused is refused before the first fit.
    alpha, share = check_level(alpha, "alpha"), _check_share(share)
    most = _check_count(most_groups, "most_groups")
    settings = None if settings is None else {k: list(v) for k, v in settings.items()}
    listed = _settings(data, settings, design, defaults or {}, tuple(chosen))
    if loss is None:
        loss = usual_loss(task, [x.value("sampling", sampling) for x in listed])
    named, losses = _losses(listed, loss, task)
    by_name = isinstance(data, Mapping)
    source = Variations(sources=data, task=task) if isinstance(data, Mapping) else data
    order = Collection(
        models=chosen, data=source, task=task, sampling=sampling, losses=losses,
        level=check_level(level), time_limit=time_limit,
    )  # fmt: skip
    count = _check_sets(n_sets, listed, by_name=by_name)
    given = _check_weights(weights, len(listed))
    run = Run(n_jobs=check_n_jobs(n_jobs))
    if checkpoint is not None:
        known = (random_state, count, level, time_limit)
        record = Record(checkpoint, fingerprint_of_settings(order, listed, known))
        run = Run(n_jobs=n_jobs, record=record)
    with stages({"": 1.0}), stage(""):
        scores = collect_scores(
            order, listed, named, n_sets=count, rng=as_generator(random_state), run=run
        )
    rows = tuple(
        _estimate(setting, model, losses[own], [one[model] for one in sets], level,
                  by_name=by_name)
        for model in chosen
        for setting, own, sets in zip(listed, named, scores, strict=True)
    )  # fmt: skip
    refuse_nothing(rows)
    usual = _usual(listed, design)
    options: Json = {
        "design": design, "n_sets": count, "sampling": str(sampling), "alpha": alpha,
        "share": share, "most_groups": most_groups, "usual": usual,
    }  # fmt: skip
    held = _Held(
        level=level, alpha=alpha, share=share, weights=given, most=most, usual=usual
    )
    answer = held.answer(rows, seed_number(random_state), options)
    return replace(answer, quick=bool(quick))


class _Held:
    """What is inferred from estimates, loss by loss and model by model."""

    def __init__(
        self,
        *,
        level: float,
        alpha: float,
        share: float,
        weights: FloatArray | None,
        most: int,
        usual: dict[str, str],
    ) -> None:
        self.level, self.alpha, self.share = level, alpha, share
        self.weights, self.most, self.usual = weights, most, usual

    def answer(
        self, rows: tuple[SettingEstimate, ...], seed: int | None, options: Json
    ) -> SettingsAssessment:
        bounds: list[SettingBound] = []
        groups: list[DifficultyGroup] = []
        views: list[FactorView] = []
        relations: list[Superiority] = []
        models = list(dict.fromkeys(row.model for row in rows))
        for loss in dict.fromkeys(row.loss for row in rows):
            by_model = {
                m: [r for r in rows if r.model == m and r.loss == loss] for m in models
            }
            for own in by_model.values():
                known = [row for row in own if row.is_known]
                weights = self._weights_of(own, rows)
                bounds += bounds_over_settings(known, weights, self.level)
                groups += difficulty_groups(known, level=self.level, most=self.most)
                views += factor_views(known, usual=self.usual, level=self.level)
            for a, b in combinations(models, 2):
                found = superiority(
                    by_model[a], by_model[b], alpha=self.alpha, share=self.share
                )
                relations += [] if found is None else [found]
        return SettingsAssessment(
            rows=rows,
            bounds=tuple(bounds),
            relations=tuple(relations),
            groups=tuple(groups),
            views=tuple(views),
            level=self.level,
            seed=seed,
            options=options,
            warnings=_cautions(rows),
        )

    def _weights_of(
        self, own: Sequence[SettingEstimate], rows: Sequence[SettingEstimate]
    ) -> FloatArray | None:
        if self.weights is None:
            return None
        names = list(dict.fromkeys(row.setting for row in rows))
        by_name = dict(zip(names, self.weights, strict=True))
        return np.array([by_name[row.setting] for row in own if row.is_known])


def _cautions(rows: Sequence[SettingEstimate]) -> tuple[str, ...]:
    failed = [row for row in rows if row.failure]
    if not failed:
        return ()
    first = failed[0]
    return (
        f"In {len(failed)} of {len(rows)} combinations of setting and model a fit "
        f"failed or a loss could not be measured; first {first.model}, "
        f"{first.setting}: {first.failure}",
    )


def _settings(
    data: DataSource,
    factors: Mapping[str, Iterable[Any]] | None,
    design: str,
    defaults: Mapping[str, Any],
    models: tuple[str, ...],
) -> tuple[Setting, ...]:
    wanted: dict[str, Any] = dict(factors or {})
    if isinstance(data, Mapping):
        if not data:
            msg = "`data` is empty: give a data set at least."
            raise UsageError(msg)
        # A single data set is no factor, unless there is no other.
        if len(data) > 1 or not wanted or "data" in wanted:
            wanted = {"data": wanted.pop("data", list(data)), **wanted}
        unknown = [name for name in wanted.get("data", ()) if name not in data]
        if unknown:
            msg = f"`data` has no {unknown[0]!r} but {', '.join(map(str, data))}."
            raise UsageError(msg)
    elif not callable(data):
        msg = "`data` must be a function of the factors, or data sets by name."
        raise UsageError(msg)
    listed = design_settings(wanted, design=design, defaults=defaults, models=models)
    if isinstance(data, Mapping):
        own = [f for f in listed[0].of_data if f not in ("data", *VARIED)]
        if own:
            msg = (
                f"Data sets by name do not change with {', '.join(own)}; but with "
                f"{', '.join(VARIED)}, sampling, loss and MODEL__parameter."
            )
            raise UsageError(msg)
    return listed


def _losses(
    listed: Sequence[Setting], loss: str | Loss | None, task: str
) -> tuple[list[str], dict[str, Loss]]:
    named, losses = [], {}
    for setting in listed:
        is_varied = "loss" in dict(setting.values)
        try:
            own = check_losses(setting.value("loss", loss), task)[0]
        except UsageError as error:
            place = "`settings['loss']`" if is_varied else "`loss`"
            raise UsageError(str(error).replace("`losses`", place)) from error
        losses[own.name] = own
        named.append(own.name)
    return named, losses


def _estimate(
    setting: Setting,
    model: str,
    loss: Loss,
    sets: Sequence[SetScores],
    level: float,
    *,
    by_name: bool,
) -> SettingEstimate:
    # The Brier score reaches as far as there are classes, whichever set has the most.
    loss = losses_for([loss], max(one.n_classes for one in sets))[0]
    # What was drawn from the same data set errs together, whatever was varied.
    shared = f"data {setting.value('data', 'at hand')}"
    facts = {
        "setting": setting.name,
        "values": dict(setting.values),
        "data": shared if by_name else setting.data_name,
        "model": model,
        "loss": loss.name,
        "limits": (loss.low, loss.high),
    }
    return setting_estimate(sets, facts, level=level, overlap=by_name)


def _usual(listed: Sequence[Setting], design: str) -> dict[str, str]:
    """Return what the first setting is, from which the others depart one by one."""
    if design == "grid":
        return {}
    return {factor: str(value) for factor, value in listed[0].values}


def _check_weights(weights: Sequence[float] | None, n: int) -> FloatArray | None:
    if weights is None:
        return None
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != (n,) or not (given > 0).all() or not np.isfinite(given).all():
        msg = f"`weights` must hold a positive number for each setting ({n} in all)."
        raise UsageError(msg)
    return given


def _check_count(value: int, name: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return value
    msg = f"`{name}` must be a whole number from 1; got {value!r}."
    raise UsageError(msg)


def _check_sets(n_sets: int, listed: Sequence[Setting], *, by_name: bool) -> int:
    count = _check_count(n_sets, "n_sets")
    if count > 1 and by_name and not set(listed[0].of_data) & set(VARIED):
        msg = (
            "`n_sets` draws data anew; without a factor such as n these stay the same."
        )
        raise UsageError(msg)
    return count


def _check_share(share: float) -> float:
    if isinstance(share, int | float) and 0 < share <= 1:
        return float(share)
    msg = f"`share` must be above 0 and at most 1; got {share!r}."
    raise UsageError(msg)
