"""From models and data to what can be promised."""

from __future__ import annotations

import math
import os
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from scorecast._core.checks import check_choice, check_level, check_n_jobs
from scorecast._core.keywords import checked_keywords
from scorecast._core.progress import revise, say_unless_over, stage, stages
from scorecast._core.records import Record
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import RandomState
from scorecast.exceptions import (
    FitFailedError,
    InsufficientDataError,
    InvalidInputError,
    UsageError,
)
from scorecast.guarantees.assessment import Assessment
from scorecast.guarantees.capacity_bounds import check_capacity
from scorecast.guarantees.cautions import cautions
from scorecast.guarantees.feasibility import NULL_DATA, SCHEMES, NullSettings
from scorecast.guarantees.fitting import BAD_PARAMETER
from scorecast.guarantees.leaving_pairs import check_pairs, usual_loss
from scorecast.guarantees.losses import (
    Loss,
    check_losses,
    losses_for,
    positive_code,
)
from scorecast.guarantees.missing import check_missing
from scorecast.guarantees.model_assessment import ModelAssessment
from scorecast.guarantees.model_comparison import compare_models
from scorecast.guarantees.model_order import (
    MODEL_STAGES,
    FoldedModel,
    Order,
    assess_model,
    fold_model,
    model_stages,
)
from scorecast.guarantees.models import check_models, task_of
from scorecast.guarantees.outlook import (
    best_features,
    outlook_order,
    space_of,
)
from scorecast.guarantees.problem import Problem, check_problem
from scorecast.guarantees.records import fingerprint_of
from scorecast.guarantees.running import Run
from scorecast.guarantees.sampling import Plan, draw_plan
from scorecast.guarantees.selection import check_feature_names

__all__ = ["assess"]

_OUT_OF_TIME = "failed: stopped after"
_SCORES, _SPACE = "scores", "space of the features"
_CASES = "cases are independent of one another and resemble those to come"
_GROUPS = "groups are independent of one another and resemble those to come"
_SIZE = "the model in use is learned from about as many cases as in a split"
_INSIDE = "whatever was chosen by looking at targets is chosen again inside every split"


@checked_keywords
def assess(
    models: Any,
    X: Any,
    y: Iterable[Any],
    *,
    groups: Iterable[Hashable] | None = None,
    sampling: Any = "cv10",
    losses: str | Loss | Sequence[str | Loss] | None = None,
    positive: Hashable = None,
    level: float = 0.95,
    n_permutations: int | None = None,
    n_null_data: int = 20,
    null_data: str = "shrunk",
    permute: str = "all",
    alpha: float = 0.05,
    relaxed_alpha: float = 0.2,
    with_bias_variance: bool = True,
    n_resamples: int = 1000,
    capacity: float | str | None = None,
    learning_curve: bool | Sequence[int] = False,
    feature_curve: bool | Sequence[int] = False,
    aim: float | None = None,
    selection: int | None = None,
    regularities: bool = True,
    feature_names: Sequence[str] | None = None,
    quick: bool = False,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    time_limit: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> Assessment:
    """Say what can be promised about models learned from these data.

    Parameters
    ----------
    models : estimator, str, or mapping or sequence of them
        Classifiers or regressors as scikit-learn's; names as of the command line.
    X : data frame or array-like of shape (n, m)
        Features; a frame reaches the models as it is. Missing values are for models
        that can deal with them.
    y : iterable of length n
        Labels, or numbers for regressors.
    groups : iterable of hashable, optional
        Group of every case, such as a patient; never on both sides of a split.
    sampling : str, int, splitter or iterable of (train, test), default="cv10"
        How cases are split; see `check_sampling`.
    losses : str, Loss or sequence of them, optional
        Views on performance. The first is what tests and verdict look at. By default
        accuracy and balanced accuracy, the latter alone with pairs left out
        (``"lpo"``), or RMSE.
    positive : hashable, optional
        The class that sensitivity, specificity and, of two classes, F1 are about; the
        last in sorted order by default. The AUC of two classes is the same for both.
    level : float, default=0.95
        Level of intervals.
    n_permutations : int, optional
        Permutations; 0 leaves out all tests against chance. By default 1,000 for
        losses of labels and quick models on data of this size: nearest centroid and
        neighbours, ridge classifier, Gaussian naive Bayes, logistic regression of two
        classes, linear discriminants. Else 100: support vector machines, trees,
        forests, pipelines. The smallest p-value is one over this number plus one.
    n_null_data : int, default=20
        Null data sets to draw; 0 leaves them out.
    null_data : {"shrunk", "normal", "shuffle", "covariance"}, default="shrunk"
        Kind of null data.
    permute : {"all", "train"}, default="all"
        Whether tested targets are permuted too.
    alpha, relaxed_alpha : float, default=0.05 and 0.2
        Levels below which a result is feasible, and exploratory.
    with_bias_variance : bool, default=True
        Whether to decompose the error; takes 50 bootstrap fits where no case is
        tested twice.
    n_resamples : int, default=1000
        Bootstrap resamples for intervals; 0 leaves that interval out.
    capacity : float or "estimate", optional
        VC dimension of the models (one more than the features for hyperplanes), for
        a conservative bound of accuracy or error; or measure it on random labels.
    learning_curve : bool or sequence of int, default=False
        Whether to learn from fewer cases and say how many are needed; or the numbers
        of cases to learn from. Takes 20 fits per size.
    feature_curve : bool or sequence of int, default=False
        The same over features drawn at random.
    aim : float, optional
        Value of the first loss that is aimed at: the curve says what reaches it. 0.9
        by default for what is best at 1, and 0.1 for what is best at 0.
    selection : int, optional
        Look into a selection of so many features by their F: what luck would have
        found, and what selecting before the split would add.
    regularities : bool, default=True
        Whether to describe the space in which the promise holds.
    feature_names : sequence of str, optional
        Names of the features; those of a table's columns by default.
    quick : bool, default=False
        Whether scores and their intervals are all that is wanted: no test against
        chance, no null data, no bootstrap, no parts of the error and no words about
        the space. The scores are those of the whole answer.
    random_state : int, Generator or None, default=0
        Seed of everything.
    n_jobs : int, optional
        Number of workers; the answer does not depend on it.
    time_limit : float, optional
        Seconds that one fit may take; a fold that takes longer has failed. Fits then
        run in another process, one per worker, which is started once (and again after
        a fit was stopped) and takes a few seconds to load its libraries.
    checkpoint : str or path-like, optional
        File to which finished fits are appended; the same call goes on from it, any
        other is refused.

    Returns
    -------
    Assessment
        Bounds by model and loss, feasibility, bias and variance, comparisons.

    Raises
    ------
    InvalidInputError
        If features or targets cannot be used, or no model gives what the losses need.
    InsufficientDataError
        If no feature varies.
    FitFailedError
        If no model could be fitted in any split.
    UsageError
        If that is because of a parameter that cannot be.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(40, 5)), np.arange(40) % 2
    >>> X[:, 0] += 3 * y
    >>> answer = assess("naive-bayes", X, y, sampling="cv5", n_permutations=50)
    >>> answer.models[0].feasibility.verdict.word
    'feasible'
    """
    chosen = check_models(models)
    task = task_of(chosen)
    if quick:
        _refuse_more(
            n_permutations=n_permutations, learning_curve=learning_curve,
            feature_curve=feature_curve, selection=selection, capacity=capacity,
        )  # fmt: skip
        n_permutations = n_null_data = n_resamples = 0
        with_bias_variance = regularities = False
    settings = _null_settings(
        n_permutations, n_null_data, permute, null_data, alpha, relaxed_alpha
    )
    _refuse_null_data(settings, task)
    losses = usual_loss(task, [sampling]) if losses is None else losses
    chosen_losses = check_losses(losses, task)
    problem = check_problem(X, y, task=task, groups=groups)
    code = None if positive is None else positive_code(positive, problem.classes)
    chosen_losses = losses_for(chosen_losses, len(problem.classes), code)
    check_missing(chosen, problem, _check_limit(time_limit))
    if problem.n_repeated() == problem.n - 1:
        msg = "No feature varies: all cases look the same."
        raise InsufficientDataError(msg)
    order = Order(
        losses=chosen_losses,
        level=check_level(level),
        settings=settings,
        n_resamples=_check_count(n_resamples, "n_resamples"),
        with_bias_variance=with_bias_variance,
        capacity=check_capacity(capacity),
        run=Run(n_jobs=check_n_jobs(n_jobs), time_limit=_check_limit(time_limit)),
        outlook=outlook_order(
            problem, chosen_losses[0], learning_curve=learning_curve,
            feature_curve=feature_curve, aim=aim, selection=selection,
        ),
        with_regularities=regularities,
        names=check_feature_names(feature_names, X, problem.m),
        seed=seed_number(random_state),
        positive="" if code is None else str(problem.classes[code]),
        quick=bool(quick),
    )  # fmt: skip
    rng = as_generator(random_state)
    plan = draw_plan(sampling, problem, rng)
    check_pairs(plan, problem, order.losses)
    if checkpoint is not None:
        asked = (settings, order.losses, order.outlook, random_state, time_limit)
        record = Record(checkpoint, fingerprint_of(chosen, problem, plan, asked))
        order = replace(order, run=replace(order.run, record=record))
    return _answer(chosen, problem, plan, order, rng)


def _answer(
    models: Mapping[str, Any],
    problem: Problem,
    plan: Plan,
    order: Order,
    rng: np.random.Generator,
) -> Assessment:
    # Drawn, not spawned: the number of models must not change the permutations.
    for_features = as_generator(int(rng.integers(2**31)))
    # One stream per model: adding a model does not change the others.
    streams = rng.spawn(len(models))
    unknown: dict[str, float | None] = dict.fromkeys(_stages_of(models))
    with stages(unknown, in_seconds=True):
        with stage(_SCORES):
            pairs = zip(models.items(), streams, strict=True)
            folded = [
                fold_model(name, model, problem, plan, order, stream)
                for (name, model), stream in pairs
            ]
        revise(_seconds_left(folded, order))
        say_unless_over(_first_scores(folded, plan, order.level))
        rows = tuple(assess_model(one, order) for one in folded)
        _refuse_nothing(rows)
        with stage(_SPACE):
            space, unsaid = space_of(problem) if order.with_regularities else (None, ())
    first = order.losses[0].name
    # A model without scores may lack the first loss; others are not the same thing.
    folds = {
        row.name: np.array(row.losses[0].folds)
        for row in rows
        if row.losses and row.losses[0].loss == first
    }
    counts = problem.class_counts.tolist() if problem.is_classification else []
    return Assessment(
        models=rows,
        comparisons=compare_models(folds, first, plan.test_ratio, order.level),
        n=problem.n,
        m=problem.m,
        classes=dict(zip(map(str, problem.classes), counts, strict=True)),
        n_groups=0 if problem.groups is None else int(problem.groups.max()) + 1,
        task=problem.task,
        sampling=plan.sampling.name,
        n_splits=len(plan.splits),
        n_train=plan.n_train,
        n_test=plan.n_test,
        level=order.level,
        seed=order.seed,
        positive=order.positive,
        options=asdict(order.settings),
        quick=order.quick,
        regularities=space,
        selected=best_features(
            problem, order.outlook, order.names, for_features, order.run.n_jobs
        ),
        assumptions=(_CASES if problem.groups is None else _GROUPS, _SIZE, _INSIDE),
        warnings=_warnings(problem, plan, rows, order, unsaid),
    )


def _stages_of(models: Iterable[str]) -> list[str]:
    """List all that may be done, model by model after the scores of all."""
    each = [f"{name}: {part}" for name in models for part in MODEL_STAGES]
    return [_SCORES, *each, _SPACE]


def _seconds_left(folded: Sequence[FoldedModel], order: Order) -> dict[str, float]:
    """Say about how long every stage will take, now that the folds are known."""
    problem = folded[0].estimates.problem
    found = dict.fromkeys(_stages_of(one.name for one in folded), 0.0)
    for one in folded:
        found |= model_stages(one, order)
    if order.with_regularities:
        found[_SPACE] = 6e-7 * problem.n * problem.m
    return found


def _first_scores(folded: Sequence[FoldedModel], plan: Plan, level: float) -> str:
    """Set a table of the scores, to be read while the rest is worked out."""
    rows = [
        (one.name, loss.name, loss.value_said(loss.estimate), loss.interval_said())
        for one in folded
        for loss in one.losses
    ]
    if not rows:
        return ""
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    lines = [
        f"  {name:<{widths[0]}}  {loss:<{widths[1]}}  {value:>{widths[2]}}  "
        f"{span:>{widths[3]}}"
        for name, loss, value, span in rows
    ]
    lead = f"First scores ({plan.sampling.name}, {100 * level:g} % intervals):"
    return "\n".join([lead, *lines])


def _refuse_more(**asked: Any) -> None:
    """Refuse what a quick look leaves out."""
    given = [name for name, value in asked.items() if value not in (None, False, 0)]
    if given:
        msg = (
            f"`quick=True` leaves out `{given[0]}`: a quick look is scores and their "
            "intervals. Give one of them."
        )
        raise UsageError(msg)


def _warnings(
    problem: Problem,
    plan: Plan,
    rows: Sequence[ModelAssessment],
    order: Order,
    unsaid: tuple[str, ...],
) -> tuple[str, ...]:
    said = cautions(problem, plan, rows, order.names)
    return (*said, *unsaid, *_unlucky(problem, order), *_unmeant(problem, order))


def _unlucky(problem: Problem, order: Order) -> tuple[str, ...]:
    if order.outlook.n_selected is None or problem.is_classification:
        return ()
    return (
        "no word on what luck would have found: the selection is tested for classes, "
        "not for numbers",
    )


def _unmeant(problem: Problem, order: Order) -> tuple[str, ...]:
    classes = problem.classes
    if not order.positive or any(loss.class_of(classes) for loss in order.losses):
        return ()
    own = (
        "sensitivity and specificity are"
        if len(classes) > 2
        else ("sensitivity, specificity and f1 are, and auc is the same for both")
    )
    return (
        f"naming {order.positive} as the positive class changes nothing: no loss asked "
        f"for is about one class ({own})",
    )


def _refuse_nothing(rows: Sequence[ModelAssessment]) -> None:
    """Refuse to answer where no model has a value."""
    if any(row.losses for row in rows):
        return
    working = [row for row in rows if not row.failures]
    if working:
        msg = (
            f"{working[0].name}: {'; '.join(working[0].warnings)}. Ask for a loss of "
            "predicted labels, such as accuracy."
        )
        raise InvalidInputError(msg)
    # What scikit-learn calls a parameter out of range is a slip of the call.
    if all(x.startswith(BAD_PARAMETER) for row in rows for x in row.failures):
        slips = (f"{r.name}: {r.failures[0].removeprefix(BAD_PARAMETER)}" for r in rows)
        raise UsageError("; ".join(slips) + ".")
    said = "; ".join(f"{row.name} {row.verdict.rstrip('.')}" for row in rows)
    msg = f"No model could be fitted in any split: {said}."
    if all(_OUT_OF_TIME in text for row in rows for text in row.failures):
        msg += " Allow more than `time_limit`."
    raise FitFailedError(msg)


def _null_settings(
    n_permutations: int | None,
    n_null_data: int,
    permute: str,
    null_data: str,
    alpha: float,
    relaxed_alpha: float,
) -> NullSettings:
    usual = n_permutations is None
    return NullSettings(
        n_permutations=None
        if usual
        else _check_draws(n_permutations, "n_permutations", alpha),
        n_null_data=_check_draws(n_null_data, "n_null_data", alpha),
        scheme=check_choice(permute, "permute", SCHEMES),
        null_data=check_choice(null_data, "null_data", NULL_DATA),
        alpha=check_level(alpha, "alpha"),
        relaxed_alpha=_check_relaxed(relaxed_alpha, alpha),
    )


def _refuse_null_data(settings: NullSettings, task: str) -> None:
    """Refuse a kind of null data that was asked for where none are drawn."""
    if task == "regression" and settings.null_data != NullSettings.null_data:
        msg = (
            "`null_data` keeps what each class looks like, and regressors have none: "
            "no null data are drawn for them."
        )
        raise UsageError(msg)


def _check_relaxed(relaxed: float, alpha: float) -> float:
    if check_level(relaxed, "relaxed_alpha") >= alpha:
        return relaxed
    msg = (
        f"`relaxed_alpha` must not be below `alpha`: what is feasible is exploratory, "
        f"too; got {relaxed!r} and {alpha!r}."
    )
    raise UsageError(msg)


def _check_limit(seconds: float | None) -> float | None:
    if seconds is None or (isinstance(seconds, int | float) and seconds > 0):
        return seconds
    msg = f"`time_limit` must be a positive number of seconds; got {seconds!r}."
    raise UsageError(msg)


def _check_draws(value: int | None, name: str, alpha: float) -> int:
    """Refuse a single draw, which shows no spread."""
    if _check_count(value, name) != 1:
        return _check_count(value, name)
    msg = (
        f"`{name}` must be 0, for none, or at least 2: a single draw shows no spread. "
        f"A p-value of {alpha:g} takes {math.ceil(1 / alpha - 1e-9) - 1:,} at least."
    )
    raise UsageError(msg)


def _check_count(value: int | None, name: str) -> int:
    if (
        isinstance(value, int | np.integer)
        and not isinstance(value, bool)
        and value >= 0
    ):
        return int(value)
    msg = f"`{name}` must be a whole number from 0; got {value!r}."
    raise UsageError(msg)
