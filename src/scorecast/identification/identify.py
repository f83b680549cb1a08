"""Identify stimuli from responses: from data, or from scores, to an answer."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import (
    check_count,
    check_matrix,
    check_n_jobs,
    check_one_of,
    check_share,
    check_units,
)
from scorecast._core.keywords import checked_keywords
from scorecast._core.parallel import map_tasks
from scorecast._core.result import DATA, INPUT, NEW, OPTION, SHARE, Note, Result
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, RandomState
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError
from scorecast.identification.bounds import (
    InformationBound,
    Trials,
    bound_curve,
    check_population,
)
from scorecast.identification.capacity import confusion_information
from scorecast.identification.ideal_curve import WEIGHTS
from scorecast.identification.implied import (
    CurveSample,
    IdentificationForecast,
    ImpliedInformation,
    IntervalKind,
    as_scores,
    fit_implied,
    in_groups,
    mean_of_rankings,
    rank_tested,
    sample_of_ranking,
)
from scorecast.identification.notes import Assumption, IdentificationNote
from scorecast.identification.regression import Matrix
from scorecast.identification.splits import (
    Split,
    SplitTest,
    StimulusSets,
    TestedStimuli,
    constant_columns,
    draw_splits,
    run_split,
    stimulus_sets,
)
from scorecast.scores import AccuracyCurve, Embeddings, Ranking, Scores

DUPLICATES = ("repeats", "draws")
_NO_COVARIANCE = np.empty((0, 0))
_SHOWN = 3  # columns named in a note
_FEWEST = 4  # stimuli: fewer leave no curve to speak of
_MOST_CONFUSED = 5000  # stimuli: beyond, a confusion matrix says nothing anyway


@dataclass(frozen=True, kw_only=True)
class IdentificationSettings:
    """What is rarely other than usual.

    Attributes
    ----------
    duplicates : {"repeats", "draws"}
        Equal rows of the stimuli are one stimulus shown repeatedly: one candidate with
        several responses, which are never split. Or every row is an independent draw of
        a discrete stimulus: a candidate by itself, which ties with its equals.
    population : int or None
        Number of stimuli that the answer is about, where they are equally likely and
        can be counted; see `mutual_information_bound`.
    weights : str
        How numbers of candidates are weighed for implied information; an entry of
        `WEIGHTS`.
    bound_sizes : int, sequence of int or None
        Numbers of candidates for the bound; see `mutual_information_bound`.
    ensemble_sizes : int or sequence of int
        Numbers of responses (channels, voxels, cells) to look at as well, drawn at
        random from all: how information grows with them. The model is fitted anew.
    ensemble_draws : int
        Ensembles drawn of each number.
    """

    duplicates: str = "repeats"
    population: int | None = None
    weights: str = "equal"
    bound_sizes: int | Sequence[int] | None = None
    ensemble_sizes: int | Sequence[int] = ()
    ensemble_draws: int = 5

    def __post_init__(self) -> None:
        check_count(self.ensemble_draws, "ensemble_draws")
        check_one_of(self.duplicates, "duplicates", DUPLICATES)
        WEIGHTS.choose(self.weights, parameter="weights")
        if self.duplicates == "draws" and self.population is not None:
            raise UsageError(
                "is for distinct stimuli: rows that were drawn independently need no "
                "correction",
                parameter="population",
            )


_USUAL = IdentificationSettings()


@dataclass(frozen=True, kw_only=True)
class EnsembleSize:
    """What so many responses tell, drawn at random from all.

    Attributes
    ----------
    n_responses : int
        Responses in an ensemble.
    n_draws : int
        Ensembles drawn; one where it is all of them.
    accuracy : float
        Accuracy among all candidates, averaged over ensembles.
    implied : float
        Implied information, averaged over ensembles.
    low, high : float
        The least and the most that one of these ensembles implies; of one without a
        wrong answer the least that it may.
    """

    n_responses: int
    n_draws: int
    accuracy: float
    implied: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Identification(Result):
    """How well stimuli are identified from responses, and what that implies.

    Attributes
    ----------
    curve : AccuracyCurve
        Accuracy against the number of candidates; its covariance is in `sample`.
    implied : ImpliedInformation
        The information that the whole curve implies.
    bound : InformationBound
        The information that it proves.
    forecasts : tuple of IdentificationForecast
        Accuracy among more candidates, where asked for.
    ensembles : tuple of EnsembleSize
        Information by the number of responses, where asked for.
    assumptions : tuple of Note
        What must hold for the answer to hold; codes of `Assumption`.
    notes : tuple of Note
        What the reader must know; codes of `IdentificationNote` and `ScoreNote`.
    sample : CurveSample or None
        The curve with what it would be without each stimulus; not saved.
    scores : ndarray of shape (n_responses, n_candidates) or None
        Scores of the first split; not saved.
    n_stimuli : int
        Distinct stimuli, training included.
    n_responses : int
        Responses tested, per split.
    trials : Trials
        What was tested.
    tested : TestedStimuli
        Fingerprints of what was tested; equal for decoders that can be compared
        stimulus by stimulus.
    model : str or None
        What gave the scores; None where they were given.
    test_size : float or None
        Share of the stimuli that a split tests; None for given scores.
    duplicates : str
        What equal rows of the stimuli were taken for.
    units : str
        ``"bits"`` or ``"nats"``.
    confidence_level : float
        Level of the interval, and of the bound.
    random_state : int or None
        The seed, where it was a number.
    """

    kind: ClassVar[str] = "identification"

    curve: AccuracyCurve
    implied: ImpliedInformation
    bound: InformationBound
    forecasts: tuple[IdentificationForecast, ...] = ()
    ensembles: tuple[EnsembleSize, ...] = field(default=(), metadata=NEW)
    assumptions: tuple[Note, ...] = ()
    notes: tuple[Note, ...] = ()
    sample: CurveSample | None = field(default=None, metadata=DATA)
    scores: FloatArray | None = field(default=None, metadata=DATA)
    n_stimuli: int = field(metadata=INPUT)
    n_responses: int = field(metadata=INPUT)
    trials: Trials = field(metadata=INPUT)
    tested: TestedStimuli = field(metadata=INPUT)
    model: str | None = field(metadata=OPTION)
    test_size: float | None = field(metadata=OPTION)
    duplicates: str = field(metadata=OPTION)
    units: str = field(metadata=OPTION)
    confidence_level: float = field(metadata=OPTION | SHARE)
    random_state: int | None = field(metadata=OPTION)

    @property
    def n_candidates(self) -> int:
        """Number of candidates tested."""
        return self.curve.n_classes

    @property
    def accuracy(self) -> float:
        """Accuracy among all candidates."""
        return float(self.curve.accuracy[np.argmax(self.curve.classes)])

    @property
    def proved_exceeds_implied(self) -> bool:
        """Whether more is proved than implied, so that the ideal curve misleads."""
        return self.bound.value > self.implied.value

    @property
    def implied_exceeds_population(self) -> bool:
        """Whether more is implied than the population can hold."""
        size = self.bound.population
        if size is None:
            return False
        return self.implied.value > math.log(size) / check_units(self.units)

    def forecast(self, to: int | Iterable[int]) -> tuple[IdentificationForecast, ...]:
        """Extrapolate to more candidates, as `ImpliedInformation.forecast`."""
        return self.implied.forecast(to)

    def to_columns(self) -> dict[str, list[Any]]:
        """Return the curve: sizes, accuracies, errors, ideal accuracies."""
        return {
            **self.curve.to_columns(),
            "fitted": self.implied.fitted.tolist(),
        }


@checked_keywords
def identify(
    stimuli: ArrayLike,
    responses: ArrayLike,
    *,
    groups: Iterable[Hashable] | None = None,
    model: Any | None = None,
    test_size: float = 0.2,
    n_splits: int = 10,
    to: int | Sequence[int] = (),
    units: str = "bits",
    confidence_level: float = 0.95,
    settings: IdentificationSettings = _USUAL,
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
    to : int or sequence of int, optional
        Numbers of candidates to extrapolate to.
    units : {"bits", "nats"}, default="bits"
        Units of amounts.
    confidence_level : float, default=0.95
        Level of the interval and of the bound.
    settings : IdentificationSettings, optional
        What is rarely other than usual: what equal rows mean, the population, weights
        of the fit, sizes for the bound.
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

    References
    ----------
    C. Zheng (2017). Information, prediction, and supervised learning. Thesis, Stanford
    University. K. N. Kay, T. Naselaris, R. J. Prenger and J. L. Gallant (2008).
    Identifying natural images from human brain activity. Nature 452.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> stimuli = rng.normal(size=(60, 4))
    >>> responses = stimuli @ rng.normal(size=(4, 10)) + rng.normal(size=(60, 10))
    >>> answer = identify(stimuli, responses, test_size=0.5, n_splits=2)
    >>> answer.n_candidates, answer.bound.value < answer.implied.value
    (30, True)
    """
    check_units(units)
    check_share(confidence_level, "confidence_level", is_open=True)
    x, y = _check_pair(stimuli, responses)
    y, notes = _without_constant(x, y)
    sizes = _check_ensembles(settings, y.shape[1])
    sets = stimulus_sets(x, groups, merge=settings.duplicates == "repeats")
    population = settings.population
    if population is not None:  # of all stimuli, not only of those tested
        check_population(population, sets.n_stimuli)
    rng = as_generator(random_state)
    splits = draw_splits(sets, test_size, n_splits, rng)
    _refuse_few(min(split.tested.size for split in splits), sets.n_stimuli)
    encoder, drops_constant = _encoder(model)
    fitting = _Fitting(
        model=encoder,
        drops_constant=drops_constant,
        stimuli=x,
        sets=sets,
        splits=splits,
        n_jobs=check_n_jobs(n_jobs),
    )
    (sample,), (first, *_) = fitting.tested([y], rng, "fitting and testing")
    assumptions = [_about_stimuli(settings), Assumption.INDEPENDENT_RESPONSES]
    if sets.is_grouped:
        assumptions.append(Assumption.GROUPS_ALIKE)
    asked: dict[str, Any] = {"units": units, "confidence_level": confidence_level}
    return _answer(
        sample,
        to=to,
        settings=settings,
        assumptions=assumptions,
        notes=(*notes, *_notes(sets, sample, population)),
        ensembles=_ensembles(y, sizes, fitting, settings, rng, asked),
        n_stimuli=sets.n_stimuli,
        model="EncodingModel" if model is None else type(model).__name__,
        test_size=float(test_size),
        random_state=seed_number(random_state),
        scores=first,
        tested=TestedStimuli.in_splits(sets, splits, x),
        **asked,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Fitting:
    """How a model is fitted and tested, whatever the responses are."""

    model: Any
    drops_constant: bool
    stimuli: FloatArray
    sets: StimulusSets
    splits: Sequence[Split]
    n_jobs: int | None

    def tested(
        self, responses: Sequence[Matrix], rng: np.random.Generator, what: str
    ) -> tuple[list[CurveSample], list[FloatArray]]:
        """Return the curve of each set of responses, and scores split by split."""
        sets, splits = self.sets, self.splits
        tasks = [
            SplitTest(
                model=self.model,
                stimuli=self.stimuli,
                responses=chosen,
                drops_constant=self.drops_constant,
                sets=sets,
                split=split,
            )
            for chosen in responses
            for split in splits
        ]
        found = map_tasks(run_split, tasks, rng=rng, n_jobs=self.n_jobs, what=what)
        groups = [np.unique(sets.group[split.is_test]) for split in splits]
        samples = []
        for start in range(0, len(found), len(splits)):
            rankings = [ranking for ranking, _ in found[start : start + len(splits)]]
            sample = mean_of_rankings(rankings, groups, sets.n_groups)
            if sets.is_grouped:
                counts = [np.bincount(ranking.group) for ranking in rankings]
                sample = in_groups(sample, counts)
            samples.append(sample)
        return samples, [scores for _, scores in found]


def _ensembles(
    responses: Matrix,
    sizes: Sequence[int],
    fitting: _Fitting,
    settings: IdentificationSettings,
    rng: np.random.Generator,
    asked: dict[str, Any],
) -> tuple[EnsembleSize, ...]:
    """Fit and test anew with fewer responses, drawn at random."""
    n_all = responses.shape[1]
    found = []
    for size in sizes:
        n_draws = settings.ensemble_draws if size < n_all else 1
        drawn = [
            responses[:, np.sort(rng.choice(n_all, size, replace=False))]
            for _ in range(n_draws)
        ]
        samples, _ = fitting.tested(drawn, rng, f"{size} of {n_all} responses")
        fits = [fit_implied(one, weights=settings.weights, **asked) for one in samples]
        implied = [fit.value for fit in fits]
        # Of an ensemble without a wrong answer only the least is known.
        least = [fit.value if math.isfinite(fit.value) else fit.low for fit in fits]
        right = [s.curve.accuracy[np.argmax(s.curve.classes)] for s in samples]
        found.append(
            EnsembleSize(
                n_responses=size,
                n_draws=n_draws,
                accuracy=float(np.mean(right)),
                implied=float(np.mean(implied)),
                low=min(least),
                high=max(implied),
            )
        )
    return tuple(found)


def _check_ensembles(settings: IdentificationSettings, n_responses: int) -> list[int]:
    """Return the numbers of responses to look at, in rising order."""
    given = settings.ensemble_sizes
    several = [given] if isinstance(given, int | np.integer) else given
    return sorted(
        {check_count(size, "ensemble_sizes", most=n_responses) for size in several}
    )


@checked_keywords
def identify_from_scores(
    scores: ArrayLike | Scores | Embeddings,
    y_true: Iterable[Hashable] | None = None,
    *,
    to: int | Sequence[int] = (),
    n_classifiers: int = 1,
    units: str = "bits",
    confidence_level: float = 0.95,
    settings: IdentificationSettings = _USUAL,
    n_jobs: int | None = None,
) -> Identification:
    """Say what given scores of stimuli for responses imply.

    Parameters
    ----------
    scores : array-like of shape (n_responses, n_stimuli), Scores or Embeddings
        Scores of every candidate for every response, from a model that was fitted to
        other responses. Columns with names, and distances, are given as `Scores`.
    y_true : iterable of hashable, optional
        True stimulus of every response; the diagonal of a square matrix by default.
    to : int or sequence of int, optional
        Numbers of candidates to extrapolate to.
    n_classifiers : int, default=1
        Decoders among which this one was chosen on these responses.
    units : {"bits", "nats"}, default="bits"
        Units of amounts.
    confidence_level : float, default=0.95
        Level of the interval and of the bound.
    settings : IdentificationSettings, optional
        What is rarely other than usual: the population, weights of the fit, sizes for
        the bound.
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

    References
    ----------
    C. Zheng (2017). Information, prediction, and supervised learning. Thesis, Stanford
    University.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(60, 30)) * 0.4
    >>> y = x + rng.normal(size=(60, 30))
    >>> answer = identify_from_scores(y @ x.T - (x**2).sum(axis=1) / 2)
    >>> answer.n_candidates, answer.bound.value < answer.implied.value
    (60, True)
    """
    check_units(units)
    check_share(confidence_level, "confidence_level", is_open=True)
    if settings.duplicates != "repeats":
        problem = "has no say where scores are given: their columns are the candidates"
        raise UsageError(problem, parameter="duplicates")
    if settings.ensemble_sizes:
        problem = "has no say where scores are given: responses are not known"
        raise UsageError(problem, parameter="ensemble_sizes")
    data = as_scores(scores, y_true)
    if settings.population is not None:
        check_population(settings.population, data.n_classes)
    ranking, notes = rank_tested(data, n_jobs=check_n_jobs(n_jobs))
    assumptions = (
        _about_stimuli(settings),
        Assumption.INDEPENDENT_RESPONSES,
        Assumption.HELD_OUT,
    )
    return _answer(
        sample_of_ranking(ranking),
        to=to,
        units=units,
        confidence_level=confidence_level,
        settings=settings,
        n_classifiers=n_classifiers,
        confusion=_confusion(data, ranking),
        assumptions=assumptions,
        notes=notes,
        n_stimuli=data.n_classes,
        model=None,
        test_size=None,
        random_state=None,
        tested=TestedStimuli.of_scores(data),
    )


def _answer(
    sample: CurveSample,
    *,
    to: int | Sequence[int],
    units: str,
    confidence_level: float,
    settings: IdentificationSettings,
    assumptions: Iterable[Assumption],
    notes: tuple[Note, ...],
    n_classifiers: int = 1,
    confusion: float = math.nan,
    **facts: Any,
) -> Identification:
    _refuse_few(sample.curve.n_classes)
    trials = sample.trials.in_population(settings.population)
    asked: dict[str, Any] = {"units": units, "confidence_level": confidence_level}
    bound = bound_curve(
        sample.curve,
        trials,
        settings.bound_sizes,
        n_classifiers=n_classifiers,
        **asked,
    )
    bound = replace(bound, confusion=confusion / check_units(units))
    implied = fit_implied(sample, weights=settings.weights, **asked)
    if implied.interval_kind is IntervalKind.ALL_RIGHT:
        # Made from one number of candidates alone; the bound has looked at several.
        least = max(implied.low, min(bound.value, implied.value))
        implied = replace(implied, low=least)
    wanted = [to] if isinstance(to, int | np.integer) else list(to)
    size = settings.population
    found = Identification(
        curve=replace(sample.curve, covariance=_NO_COVARIANCE),
        implied=implied,
        bound=bound,
        forecasts=implied.forecast(wanted) if wanted else (),
        assumptions=tuple(
            Note(code=code, count=size if code is Assumption.POPULATION else None)
            for code in assumptions
        ),
        notes=(*notes, *implied.notes),
        sample=sample,
        n_responses=sample.curve.n_samples,
        trials=trials,
        duplicates=settings.duplicates,
        **asked,
        **facts,
    )
    beyond = []
    if found.proved_exceeds_implied:
        beyond.append(Note(code=IdentificationNote.PROVED_EXCEEDS_IMPLIED))
    if found.implied_exceeds_population:
        code = IdentificationNote.IMPLIED_EXCEEDS_POPULATION
        beyond.append(Note(code=code, count=size))
    return replace(found, notes=(*found.notes, *beyond)) if beyond else found


def _about_stimuli(settings: IdentificationSettings) -> Assumption:
    if settings.duplicates == "draws":
        return Assumption.ROWS_DRAWN
    if settings.population is not None:
        return Assumption.POPULATION
    return Assumption.MANY_STIMULI


def _check_pair(stimuli: ArrayLike, responses: ArrayLike) -> tuple[FloatArray, Matrix]:
    x = check_matrix(stimuli, parameter="stimuli").astype(np.float64)
    y = check_matrix(responses, parameter="responses")
    if x.shape[0] != y.shape[0]:
        problem = (
            f"{y.shape[0]} rows of responses for {x.shape[0]} rows of stimuli: row by "
            "row they belong together"
        )
        raise InvalidInputError(problem, parameter="responses")
    if x.shape[0] < 2:
        problem = "one stimulus only: identification needs others to choose from"
        raise InsufficientDataError(problem, parameter="stimuli")
    return x, y


def _without_constant(
    stimuli: FloatArray, responses: Matrix
) -> tuple[Matrix, tuple[Note, ...]]:
    """Leave out responses that never change, and name features that do not."""
    is_flat = constant_columns(responses)
    if is_flat.all():
        problem = "no column ever changes: they say nothing of stimuli"
        raise InsufficientDataError(problem, parameter="responses")
    flat = {
        IdentificationNote.CONSTANT_RESPONSES: is_flat,
        IdentificationNote.CONSTANT_STIMULI: constant_columns(stimuli),
    }
    notes = tuple(
        Note(
            code=code,
            names=tuple(str(i + 1) for i in np.flatnonzero(columns)[:_SHOWN]),
            count=int(columns.sum()),
            total=columns.size,
        )
        for code, columns in flat.items()
        if columns.any()
    )
    return responses[:, ~is_flat], notes


def _encoder(model: Any) -> tuple[Any, bool]:
    """Return what scores candidates, and whether it is ours, which drops constants."""
    # Loaded here: who brings scores has no use for it.
    from scorecast.identification import encoding

    if model is None:
        return default_model(), True
    encoder = encoding.as_encoder(model)
    ours = (encoding.EncodingModel, encoding.ResidualDensity)
    return encoder, isinstance(encoder, ours)


def default_model() -> Any:
    """Make the model that is used unless another one is given."""
    from scorecast.identification.encoding import EncodingModel

    return EncodingModel()


def _refuse_few(n_tested: int, n_stimuli: int = 0) -> None:
    """Stop where too few stimuli are tested for a curve."""
    if n_tested >= _FEWEST:
        return
    problem = (
        f"{n_tested} tested stimuli are too few to identify anything by: at least "
        f"{_FEWEST} are needed"
    )
    if n_stimuli >= 2 * _FEWEST:
        raise InsufficientDataError(
            problem,
            parameter="stimuli",
            remedy="test a larger share, such as half of them",
            option="test_size",
        )
    raise InsufficientDataError(
        problem,
        parameter="stimuli" if n_stimuli else "scores",
        remedy="what an accuracy proves of a few fixed classes is said in Python by "
        f"mutual_information_bound(accuracy, n_classes={max(n_tested, 2)}, "
        f"n_tests=..., population={max(n_tested, 2)})",
    )


def _notes(
    sets: StimulusSets, sample: CurveSample, population: int | None
) -> tuple[Note, ...]:
    notes = []
    at_most = int(sample.curve.classes.argmax())
    if sample.curve.accuracy[at_most] <= 1 / sample.curve.n_classes:
        notes.append(Note(code=IdentificationNote.NO_BETTER_THAN_CHANCE))
    n_rows = sets.stimulus.size
    n_repeated = n_rows - sets.n_stimuli
    if n_repeated:
        code = IdentificationNote.REPEATED_ROWS
        notes.append(Note(code=code, count=n_repeated, total=n_rows))
    if n_repeated and population is None:
        notes.append(Note(code=IdentificationNote.REPEATS_BY_DESIGN))
    if sample.curve.n_groups == 0:
        n_groups = sample.trials.n_groups
        notes.append(
            Note(
                code=IdentificationNote.TOO_FEW_TESTED,
                names=("groups",) if n_groups else (),
                count=n_groups or sample.curve.n_classes,
            )
        )
    return tuple(notes)


def _confusion(data: Scores | Embeddings, ranking: Ranking) -> float:
    """Return the information in the confusion matrix, with samples enough to say so.

    With fewer samples than cells, the first-order bias no longer says how far it is
    off. In nats.
    """
    is_few = ranking.n_samples < ranking.n_classes**2
    if is_few or not isinstance(data, Scores) or data.n_classes > _MOST_CONFUSED:
        return math.nan
    counts = np.zeros((data.n_classes, data.n_classes))
    is_best = data.values == data.values.max(axis=1, keepdims=True)
    np.add.at(counts, data.own, is_best / is_best.sum(axis=1, keepdims=True))
    return confusion_information(counts, corrected=True, units="nats")
