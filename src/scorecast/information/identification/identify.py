"""Identify stimuli from responses: from data, or from scores, to an answer."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import check_choice, check_level, check_matrix, check_n_jobs
from scorecast._core.keywords import checked_keywords
from scorecast._core.parallel import map_tasks
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, RandomState
from scorecast.exceptions import (
    InsufficientDataError,
    InvalidInputError,
    UsageError,
)
from scorecast.information.identification.class_information import (
    confusion_information,
)
from scorecast.information.identification.curve_sample import (
    CurveSample,
    in_groups,
    mean_of_rankings,
    sample_of_ranking,
)
from scorecast.information.identification.implied import implied_of_sample
from scorecast.information.identification.implied_interval import ALL_RIGHT
from scorecast.information.identification.mutual_information import (
    mutual_information_bound,
)
from scorecast.information.identification.population import check_population
from scorecast.information.identification.rankings import class_scores_of, rank_tested
from scorecast.information.identification.regressor_encoder import (
    RegressorEncoder,
    is_regressor,
)
from scorecast.information.identification.result import Identification
from scorecast.information.identification.samples import (
    Matrix,
    constant_columns,
)
from scorecast.information.identification.separation import WEIGHTS
from scorecast.information.identification.split_test import (
    Encoder,
    SplitTest,
    run_split,
)
from scorecast.information.identification.splits import (
    StimulusSets,
    draw_splits,
    stimulus_sets,
)
from scorecast.information.identification.tested import (
    tested_in_splits,
    tested_names,
)
from scorecast.information.units import UNITS
from scorecast.scores import (
    Embeddings,
    Ranking,
    Scores,
)

__all__ = ["Encoder", "identify", "identify_from_scores"]

_STIMULI = (
    "the stimuli, both candidates and test, are independent draws from a population so "
    "large that the same one would hardly come twice; repeats are by design"
)
_DRAWN = "the rows are independent draws, in which a stimulus comes again by chance"
_SOME = (
    "the stimuli, both candidates and test, were drawn at random from {:,} that are "
    "equally likely where the answer is used"
)
REPEATS = ("design", "drawn")
_RESPONSES = "given the stimuli, responses are independent of one another"
_APART = "no tested response was used to fit or choose what gave the scores"
_GROUPS = (
    "stimuli of one group are no easier to tell apart than stimuli of different groups"
)
_SHOWN = 3  # columns named in a message
_FEWEST = 4  # stimuli: fewer leave no curve to speak of
_MOST_CONFUSED = 5000  # stimuli: beyond, a confusion matrix says nothing anyway


@checked_keywords
def identify(
    stimuli: ArrayLike,
    responses: ArrayLike,
    *,
    groups: Iterable[Hashable] | None = None,
    model: Encoder | Any | None = None,
    test_size: float = 0.2,
    n_splits: int = 10,
    repeats: str = "design",
    population: int | None = None,
    to: int | Sequence[int] = (),
    weights: str = "equal",
    bound_sizes: int | Sequence[int] | None = None,
    level: float = 0.95,
    units: str = "nats",
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> Identification:
    """Fit an encoding model, pick stimuli out of candidates, and say what that implies.

    Stimuli are split at random; the model is fitted to one part and names, for every
    response of the other, the stimulus among all those tested.

    Parameters
    ----------
    stimuli : array-like of shape (n, p)
        Features of the stimulus of every response.
    responses : array-like of shape (n, q)
        Responses.
    groups : iterable of hashable, optional
        Group of every row, such as a run or a film; never split.
    model : object with ``fit`` and ``log_posterior``, or any regressor, optional
        The encoding model; `EncodingModel` by default. It is copied for every split. If
        its ``fit`` takes ``groups``, it is told which rows belong together. A regressor
        of scikit-learn, such as ``RidgeCV()``, predicts mean responses, around which
        responses are taken as Gaussian with the shrunken covariance of its residuals on
        samples left out of five folds.
    test_size : float, default=0.2
        Share of the stimuli to test.
    n_splits : int, default=10
        Random splits to average over.
    repeats : {"design", "drawn"}, default="design"
        Equal rows of `stimuli` are one stimulus shown repeatedly: one candidate with
        several responses, which are never split. Or every row is an independent draw
        of a discrete stimulus: a candidate by itself, which ties with its equals.
    population : int, optional
        Number of stimuli that the answer is about, where they are equally likely and
        can be counted; see `mutual_information_bound`.
    to : int or sequence of int, optional
        Numbers of candidates to extrapolate to.
    weights : {"equal", "variance", "covariance"}, default="equal"
        How sizes are weighed for implied information.
    bound_sizes : int or sequence of int, optional
        Numbers of candidates for the bound; see `mutual_information_bound`.
    level : float, default=0.95
        Level of the interval and of the bound.
    units : {"nats", "bits"}, default="nats"
        Units of amounts.
    random_state : int, Generator or None, default=0
        Seed of the splits.
    n_jobs : int, optional
        Number of workers; the answer does not depend on it.

    Returns
    -------
    Identification
        Curve, implied information, and bound.

    Raises
    ------
    InvalidInputError
        If the arrays do not fit together or hold NaN.
    InsufficientDataError
        If there are too few distinct stimuli to split, or to test, or no response ever
        changes.
    """
    _check_options(weights, level, units)
    _check_repeats(repeats, population)
    x, y = _check_pair(stimuli, responses)
    y, constant = _without_constant(x, y)
    sets = stimulus_sets(x, groups, merge=repeats == "design")
    if population is not None:  # of all stimuli, not only of those tested
        check_population(population, sets.n_stimuli)
    rng = as_generator(random_state)
    splits = draw_splits(sets, test_size, n_splits, rng)
    _refuse_few(min(split.tested.size for split in splits), sets.n_stimuli)
    called = "EncodingModel" if model is None else type(model).__name__
    is_ours = model is None or is_regressor(model)
    model = _encoder(model)
    tasks = [
        SplitTest(
            model=model,
            stimuli=x,
            responses=y,
            varying_only=is_ours,
            sets=sets,
            split=split,
        )
        for split in splits
    ]
    found = map_tasks(
        run_split,
        tasks,
        rng=rng,
        n_jobs=check_n_jobs(n_jobs),
        what="fitting and testing",
    )
    sample = mean_of_rankings(
        [ranking for ranking, _ in found],
        [np.unique(sets.group[split.is_test]) for split in splits],
        sets.n_groups,
    )
    if sets.is_grouped:
        sample = in_groups(sample, [np.bincount(ranking.group) for ranking, _ in found])
    assumptions = [_DRAWN if repeats == "drawn" else _stimuli(population), _RESPONSES]
    return _answer(
        sample,
        to=to,
        weights=weights,
        bound_sizes=bound_sizes,
        population=population,
        level=level,
        units=units,
        n_stimuli=sets.n_stimuli,
        model=called,
        test_size=test_size,
        seed=seed_number(random_state),
        assumptions=(*assumptions, _GROUPS) if sets.is_grouped else tuple(assumptions),
        warnings=(*constant, *_cautions(sets, sample, population)),
        scores=found[0][1],
        tested=tested_in_splits(sets, splits, x),
    )


def identify_from_scores(
    scores: ArrayLike | Scores | Embeddings,
    y_true: Iterable[Hashable] | None = None,
    *,
    classes: Sequence[Hashable] | None = None,
    greater_is_better: bool = True,
    to: int | Sequence[int] = (),
    weights: str = "equal",
    bound_sizes: int | Sequence[int] | None = None,
    population: int | None = None,
    n_classifiers: int = 1,
    level: float = 0.95,
    units: str = "nats",
    n_jobs: int | None = None,
) -> Identification:
    """Say what given scores of stimuli for responses imply.

    Parameters
    ----------
    scores : array-like of shape (n_responses, n_stimuli), Scores or Embeddings
        Scores of every candidate for every response, from a model that was fitted to
        other responses.
    y_true : iterable of hashable, optional
        True stimulus of every response; the diagonal of a square matrix by default.
    classes : sequence of hashable, optional
        Names of the columns.
    greater_is_better : bool, default=True
        False for distances.
    to : int or sequence of int, optional
        Numbers of candidates to extrapolate to.
    weights : {"equal", "variance", "covariance"}, default="equal"
        How sizes are weighed for implied information.
    bound_sizes : int or sequence of int, optional
        Numbers of candidates for the bound.
    population : int, optional
        Number of stimuli that the answer is about, where they are equally likely and
        can be counted; see `mutual_information_bound`.
    n_classifiers : int, default=1
        Decoders among which this one was chosen on these responses.
    level : float, default=0.95
        Level of the interval and of the bound.
    units : {"nats", "bits"}, default="nats"
        Units of amounts.
    n_jobs : int, optional
        Number of threads for embeddings.

    Returns
    -------
    Identification
        Curve, implied information, and bound.

    Raises
    ------
    InsufficientDataError
        If there are fewer than four stimuli, or all scores are equal.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(60, 30)) * 0.4
    >>> y = x + rng.normal(size=(60, 30))
    >>> answer = identify_from_scores(y @ x.T - (x**2).sum(axis=1) / 2)
    >>> answer.n, answer.bound.value < answer.implied.value
    (60, True)
    """
    _check_options(weights, level, units)
    data = class_scores_of(
        scores, y_true, classes=classes, greater_is_better=greater_is_better
    )
    if population is not None:
        check_population(population, data.n_classes)
    ranking, notes = rank_tested(data, n_jobs=n_jobs)
    return _answer(
        sample_of_ranking(ranking),
        to=to,
        weights=weights,
        bound_sizes=bound_sizes,
        population=population,
        n_classifiers=n_classifiers,
        confusion=_confusion(data, ranking),
        level=level,
        units=units,
        n_stimuli=data.n_classes,
        model="given scores",
        test_size=math.nan,
        seed=None,
        assumptions=(_stimuli(population), _RESPONSES, _APART),
        warnings=notes,
        scores=None,
        tested=tested_names(data),
    )


def _answer(
    sample: CurveSample,
    *,
    to: int | Sequence[int],
    weights: str,
    bound_sizes: int | Sequence[int] | None,
    population: int | None,
    level: float,
    units: str,
    warnings: tuple[str, ...],
    n_classifiers: int = 1,
    confusion: float = math.nan,
    **facts: Any,
) -> Identification:
    _refuse_few(sample.curve.n_classes)
    trials = sample.trials.in_population(population)
    bound = mutual_information_bound(
        sample.curve,
        classes=bound_sizes,
        n_tests=trials,
        level=level,
        n_classifiers=n_classifiers,
        confusion=confusion,
        units=units,
    )
    implied = implied_of_sample(sample, weights=weights, level=level, units=units)
    if implied.interval == ALL_RIGHT:  # made from one number of candidates alone
        implied = replace(
            implied, low=max(implied.low, min(bound.value, implied.value))
        )
    beyond: tuple[str, ...] = ()
    if bound.value > implied.value:
        beyond = (
            "More is proved than implied: the ideal curve is the wrong measure here, "
            "and what is proved counts.",
        )
    if population is not None and implied.value > math.log(population) / UNITS[units]:
        beyond += (
            f"More is implied than {population:,} equally likely stimuli can hold: it "
            "is a scale on which decoders compare, no estimate.",
        )
    wanted = [to] if isinstance(to, int | np.integer) else list(to)
    return Identification(
        curve=sample.curve,
        implied=implied,
        bound=bound,
        trials=trials,
        n_responses=sample.curve.n_samples,
        units=units,
        level=level,
        forecasts=implied.forecast(wanted) if wanted else (),
        warnings=(*warnings, *implied.warnings, *beyond),
        **facts,
    )


def _refuse_few(n_tested: int, n_stimuli: int = 0) -> None:
    if n_tested < _FEWEST:
        way_out = (
            " What an accuracy proves of a few fixed classes is said in Python by "
            f"mutual_information_bound(accuracy, classes={max(n_tested, 2)}, "
            f"n_tests=..., population={max(n_tested, 2)})."
        )
        if n_stimuli >= 2 * _FEWEST:
            way_out = " Test a larger share (test_size=0.5, --test-size 0.5)."
        msg = (
            f"{n_tested} tested stimuli are too few to identify anything by: at least "
            f"{_FEWEST} are needed.{way_out}"
        )
        raise InsufficientDataError(msg)


def _check_options(weights: str, level: float, units: str) -> None:
    check_choice(weights, "weights", WEIGHTS)
    check_choice(units, "units", tuple(UNITS))
    check_level(level)


def _check_repeats(repeats: str, population: int | None) -> None:
    check_choice(repeats, "repeats", REPEATS)
    if repeats == "drawn" and population is not None:
        msg = (
            "`population` (--population) is for distinct stimuli: rows that were drawn "
            "independently need no correction."
        )
        raise UsageError(msg)


def _stimuli(population: int | None) -> str:
    return _STIMULI if population is None else _SOME.format(population)


def _check_pair(stimuli: ArrayLike, responses: ArrayLike) -> tuple[FloatArray, Matrix]:
    x = check_matrix(stimuli, "The stimuli").astype(np.float64)
    y = check_matrix(responses, "The responses")
    if x.shape[0] != y.shape[0]:
        msg = (
            f"{x.shape[0]} rows of stimuli for {y.shape[0]} rows of responses: row by "
            "row they belong together."
        )
        raise InvalidInputError(msg)
    if x.shape[0] < 2:
        msg = "One stimulus only: identification needs others to choose from."
        raise InsufficientDataError(msg)
    return x, y


def _without_constant(
    stimuli: FloatArray, responses: Matrix
) -> tuple[Matrix, tuple[str, ...]]:
    """Leave out responses that never change, and name features that do not."""
    flat = {"responses": constant_columns(responses)}
    if flat["responses"].all():
        msg = "No column of the responses ever changes: they say nothing of stimuli."
        raise InsufficientDataError(msg)
    flat["stimuli"] = constant_columns(stimuli)
    done = {"responses": "were left out", "stimuli": "tell nothing apart"}
    lines = []
    for what, columns in flat.items():
        if columns.any():
            first = np.flatnonzero(columns)[:_SHOWN] + 1
            more = ", ..." if columns.sum() > _SHOWN else ""
            lines.append(
                f"{columns.sum():,} of {columns.size:,} columns of the {what} never "
                f"change and {done[what]}: {', '.join(map(str, first))}{more}."
            )
    return responses[:, ~flat["responses"]], tuple(lines)


def _default_model() -> Encoder:
    # Loaded here: who brings a model, or scores, has no use for it.
    from scorecast.information.identification.encoding import EncodingModel

    return EncodingModel()


def _encoder(model: Any) -> Encoder:
    """Return what scores candidates: a model that does, or a regressor that will."""
    if model is None:
        return _default_model()
    if is_regressor(model):
        return RegressorEncoder(model)
    able = all(callable(getattr(model, x, None)) for x in ("fit", "log_posterior"))
    if isinstance(model, type) or not able:
        what = "a class; give an instance, such as RidgeCV()"
        if not isinstance(model, type):
            what = type(model).__name__
        msg = (
            "`model` must have `fit` and `log_posterior`, or `fit` and `predict` as "
            f"regressors have; got {what}."
        )
        raise UsageError(msg)
    encoder: Encoder = model
    return encoder


def _cautions(
    sets: StimulusSets, sample: CurveSample, population: int | None
) -> tuple[str, ...]:
    lines = []
    at_most = int(sample.curve.classes.argmax())
    if sample.curve.accuracy[at_most] <= 1 / sample.curve.n_classes:
        lines.append(
            "The right stimulus is found no more often than by chance. Do the rows of "
            "the stimuli and those of the responses stand in the same order?"
        )
    repeated = sets.stimulus.size - sets.n_stimuli
    if repeated:
        lines.append(
            f"{repeated:,} of {sets.stimulus.size:,} rows repeat a stimulus: there are "
            f"{sets.n_stimuli:,} distinct ones, each one candidate with all its "
            "responses."
        )
    if repeated and population is None:
        lines.append(
            "What is proved takes repeats for design. If stimuli come again because "
            "there are few, it is too high: give `population` (--population N); if "
            'rows are independent draws, repeats="drawn" (--repeats drawn).'
        )
    if sample.curve.n_groups == 0:
        lines.append(_too_few(sample))
    return tuple(lines)


def _too_few(sample: CurveSample) -> str:
    """Say what there is too little of for an interval, and what may help."""
    what = f"{sample.curve.n_classes} tested stimuli"
    if sample.trials.n_groups:
        what = f"{sample.trials.n_groups} tested groups of stimuli"
        if sample.trials.n_groups == 1:
            what = "Single tested groups of stimuli"
    return (
        f"{what} are too few for standard errors: test a larger share (test_size=0.5, "
        "--test-size 0.5)."
    )


def _confusion(data: Scores | Embeddings, ranking: Ranking) -> float:
    """Return the information in the confusion matrix, with cases enough to say so.

    With fewer cases than cells, the first-order bias no longer says how far it is off.
    """
    few = ranking.n_samples < ranking.n_classes**2
    if few or not isinstance(data, Scores) or data.n_classes > _MOST_CONFUSED:
        return math.nan
    counts = np.zeros((data.n_classes, data.n_classes))
    best = data.values == data.values.max(axis=1, keepdims=True)
    np.add.at(counts, data.own, best / best.sum(axis=1, keepdims=True))
    return confusion_information(counts, corrected=True)
