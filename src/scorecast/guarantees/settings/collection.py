"""Make the data of every setting, fit and test every model on it."""

from __future__ import annotations

import hashlib
import math
import numbers
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from scorecast._core.progress import stage, stages
from scorecast._core.types import Json
from scorecast._version import __version__
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError
from scorecast.guarantees.bounds import all_bounds, unpromised
from scorecast.guarantees.estimates import Estimates, collect_estimates
from scorecast.guarantees.leaving_pairs import check_pairs
from scorecast.guarantees.losses import Loss, losses_for
from scorecast.guarantees.problem import check_problem
from scorecast.guarantees.running import Run
from scorecast.guarantees.sampling import draw_plan
from scorecast.guarantees.settings.case_floor import error_of_cases
from scorecast.guarantees.settings.design import Setting
from scorecast.guarantees.settings.estimate import SetScores
from scorecast.guarantees.settings.variations import Variations, pair_of

__all__ = ["Collection", "DataSource", "collect_scores", "fingerprint_of_settings"]

_NUMBERS = ("estimate", "low", "high", "df", "case_error")
_RECORD = 2  # of what a checkpoint keeps of a data set
DataSource = Callable[..., Any] | Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, eq=False)
class Collection:
    """What is fitted to what.

    Attributes
    ----------
    models : mapping of str to estimator
        The models.
    data : callable
        What makes the data of a setting.
    task : str
        ``"classification"`` or ``"regression"``.
    sampling : object
        How cases are split, unless a setting says so.
    losses : mapping of str to Loss
        Every loss that a setting names.
    level : float
        Level of intervals.
    time_limit : float or None
        Seconds that one fit may take.
    """

    models: Mapping[str, Any]
    data: Callable[..., Any]
    task: str
    sampling: Any
    losses: Mapping[str, Loss]
    level: float
    time_limit: float | None


@dataclass(frozen=True, kw_only=True)
class _Task:
    """One data set of one setting."""

    setting: Setting
    loss: str
    seed: int


def collect_scores(
    order: Collection,
    settings: Sequence[Setting],
    losses: Sequence[str],
    *,
    n_sets: int,
    rng: np.random.Generator,
    run: Run,
) -> list[list[dict[str, SetScores]]]:
    """Score every model in every setting.

    Parameters
    ----------
    order : Collection
        Models, data and how to test.
    settings : sequence of Setting
        The settings.
    losses : sequence of str
        Loss of every setting.
    n_sets : int
        Data sets to make in each.
    rng : numpy.random.Generator
        Seed of data, folds and fits.
    run : Run
        Workers and record.

    Returns
    -------
    list of list of dict
        By setting, by data set, by model.
    """
    # Settings that only split, score or parametrise differently see the same data.
    seeds: dict[str, list[int]] = {}
    for setting in settings:
        if setting.data_name not in seeds:
            seeds[setting.data_name] = rng.integers(2**31, size=n_sets).tolist()
    tasks = [
        _Task(setting=setting, loss=loss, seed=seed)
        for setting, loss in zip(settings, losses, strict=True)
        for seed in seeds[setting.data_name]
    ]
    found = run.map(
        partial(_one_task, order),
        tasks,
        part="settings",
        rng=rng,
        what="settings",
        noted=_noted,
        restored=_restored,
        sizes=[_size_of(order.data, task.setting) for task in tasks],
    )
    return [found[i : i + n_sets] for i in range(0, len(found), n_sets)]


def fingerprint_of_settings(
    order: Collection, settings: Sequence[Setting], options: Any
) -> str:
    """Return what tells one run from another.

    Parameters
    ----------
    order : Collection
        Models, data and how to test.
    settings : sequence of Setting
        The settings.
    options : object
        Anything else that decides the numbers.

    Returns
    -------
    str
        Different where anything differs. What a function makes is known by its name
        and the settings only.
    """
    tested = (order.task, repr(order.sampling), sorted(order.losses))
    said = (__version__, _RECORD, tested, options)
    digest = hashlib.sha256(repr(said).encode())
    for name, model in order.models.items():
        params = sorted(model.get_params(deep=True).items())
        digest.update(f"{name} {type(model)!r} {params!r}".encode())
    for setting in settings:
        digest.update(setting.name.encode())
    if isinstance(order.data, Variations):
        for name, entry in order.data.sources.items():
            X, y = pair_of(entry)
            digest.update(f"{name} {np.shape(X)}".encode())
            digest.update(np.ascontiguousarray(X).tobytes())
            digest.update(repr(np.asarray(y).tolist()).encode())
    else:
        digest.update(_name_of(order.data).encode())
    return digest.hexdigest()


def _name_of(source: Any) -> str:
    if isinstance(source, partial):
        return f"{_name_of(source.func)} {source.args!r} {source.keywords!r}"
    return str(getattr(source, "__qualname__", type(source)))


def _one_task(
    order: Collection, task: _Task, rng: np.random.Generator
) -> dict[str, SetScores]:
    X, y = _data_of(order.data, task)
    with _blamed_on_setting(order, task.setting):
        problem = check_problem(X, y, task=order.task)
        # Settings with the same data are split alike, so that they can be compared.
        for_plan = np.random.default_rng(task.seed)
        sampling = task.setting.value("sampling", order.sampling)
        plan = draw_plan(sampling, problem, for_plan)
        check_pairs(plan, problem, [order.losses[task.loss]])
    streams = dict(zip(order.models, rng.spawn(len(order.models)), strict=True))
    found = {}
    with stages(dict.fromkeys(order.models, 1.0)):
        for name, model in order.models.items():
            parameters = task.setting.parameters(name)
            chosen = _cloned(name, model, parameters) if parameters else model
            with stage(name):
                estimates = collect_estimates(
                    chosen,
                    problem,
                    plan,
                    rng=streams[name],
                    run=Run(n_jobs=1, time_limit=order.time_limit),
                    what=task.setting.name,
                )
            loss = losses_for([order.losses[task.loss]], len(problem.classes))[0]
            found[name] = _scores_of(estimates, loss, order.level, streams[name])
    return found


@contextmanager
def _blamed_on_setting(order: Collection, setting: Setting) -> Iterator[None]:
    """Name the data set and the setting, which who refuses data cannot know."""
    try:
        yield
    except (InsufficientDataError, InvalidInputError) as error:
        place = setting.name
        if isinstance(order.data, Variations) and "data" not in setting.of_data:
            place = f"data {next(iter(order.data.sources))}, {place}"
        msg = f"{place}: {error}"
        kind = (
            InvalidInputError
            if isinstance(error, InvalidInputError)
            else InsufficientDataError
        )
        raise kind(msg) from error


def _scores_of(
    estimates: Estimates, loss: Loss, level: float, rng: np.random.Generator
) -> SetScores:
    problem, plan = estimates.problem, estimates.plan
    facts: Json = {
        "test_ratio": plan.test_ratio,
        "n": problem.n,
        "m": problem.m,
        "greater_is_better": loss.greater_is_better,
        "n_classes": len(problem.classes),
        "failure": estimates.failures[0] if estimates.failures else "",
    }
    if estimates.is_empty or not estimates.can_measure(loss):
        if not estimates.is_empty:
            facts["failure"] = f"{loss.name} needs {loss.needs}"
        nan = math.nan
        nothing = (nan,) * len(plan.splits)
        unknown = dict.fromkeys(("estimate", "low", "high", "df"), nan)
        return SetScores(**{**facts, **unknown, "folds": nothing})
    sample = estimates.measure(loss)
    bounds = all_bounds(estimates, sample, level=level, rng=rng, n_resamples=0)
    best = next((bound for bound in bounds if bound.is_recommended), None)
    facts["failure"] = facts["failure"] or unpromised(estimates, sample)
    by_folds = best is not None and best.method == "nadeau-bengio"
    units = sample.known_folds.size if by_folds else sample.n_units
    return SetScores(
        df=float(max(units - 1, 1)),
        estimate=sample.estimate,
        low=math.nan if best is None else best.low,
        high=math.nan if best is None else best.high,
        units=float(sample.n_smallest if loss.by_class else sample.n_units),
        case_error=error_of_cases(estimates, sample),
        folds=tuple(sample.folds.tolist()),
        **facts,
    )


def _cloned(name: str, model: Any, parameters: Mapping[str, Any]) -> Any:
    from sklearn.base import clone

    try:
        return clone(model).set_params(**parameters)
    except ValueError as error:
        msg = f"Model {name!r} has no parameter {', '.join(parameters)}."
        raise UsageError(msg) from error


def _data_of(source: Callable[..., Any], task: _Task) -> tuple[Any, Any]:
    values = task.setting.of_data
    try:
        made = source(**values, random_state=task.seed)
    except TypeError as error:
        msg = f"`data` cannot be called for {task.setting.name}: {error}."
        raise UsageError(msg) from error
    return pair_of(made)


def _size_of(source: Callable[..., Any], setting: Setting) -> float:
    """Return numbers in the data of a setting, as far as it says so.

    Only ratios matter: what no setting says is the same in all of them.
    """
    values = setting.of_data
    shape: tuple[int, ...] = ()
    if isinstance(source, Variations):
        name = values.get("data", next(iter(source.sources)))
        shape = np.shape(pair_of(source.sources[name])[0])
    usual = shape if len(shape) == 2 else (1, 1)
    sides = (values.get(factor, side) for factor, side in zip("nm", usual, strict=True))
    known = [float(x) for x in sides if isinstance(x, numbers.Real)]
    return math.prod(side for side in known if side > 0)


def _noted(found: Mapping[str, SetScores]) -> Json:
    return {
        name: {k: _plain(v) for k, v in asdict(scores).items()}
        for name, scores in found.items()
    }


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(x) for x in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _restored(data: Json) -> dict[str, SetScores]:
    def number(value: float | None) -> float:
        return math.nan if value is None else float(value)

    return {
        name: SetScores(
            **{
                **row,
                **{k: number(row[k]) for k in _NUMBERS},
                "folds": tuple(number(x) for x in row["folds"]),
            }
        )
        for name, row in data.items()
    }


def refuse_nothing(found: Sequence[Any]) -> None:
    """Refuse an answer without a single estimate.

    Parameters
    ----------
    found : sequence
        Estimates.

    Raises
    ------
    InsufficientDataError
        If none is known.
    """
    if not any(row.is_known for row in found):
        reasons = [row.failure for row in found if row.failure]
        why = f": {reasons[0]}" if reasons else ""
        msg = f"No model has an estimate with an interval in any setting{why}."
        raise InsufficientDataError(msg)
