"""Implied information: the amount whose ideal curve is nearest to the observed one.

Stimuli are the sampling unit. A stimulus that is left out disappears both as a truth
and as a candidate. Where accuracies were averaged over random splits, it is left out of
every test set it was in; the fitted models are taken as they are.

Leaving out stimuli gives a variance of c. Where errors are many, c is nearly normal.
Where they are few it is not: their number is a count, and c runs away as it falls to
zero. So the variance is turned into the number of answers that an accuracy as certain
would rest on, and the interval is that of a share of so many (Korn and Graubard 1998,
with the ends of Jeffreys). One rule for few and for many errors, few and many stimuli.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, ClassVar

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from scorecast._core.checks import (
    check_class_counts,
    check_count,
    check_one_of,
    check_share,
    check_units,
)
from scorecast._core.keywords import checked_keywords
from scorecast._core.result import DATA, INPUT, OPTION, SHARE, Note, Result
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, IntArray, RandomState
from scorecast.exceptions import InsufficientDataError, UsageError
from scorecast.identification.bounds import Trials, worst_trials
from scorecast.identification.ideal_curve import (
    WEIGHTS,
    SeparationFit,
    curve_slopes,
    fit_separation,
    ideal_curve,
    ideal_information,
    nats_of,
)
from scorecast.identification.notes import IdentificationNote, warn_of
from scorecast.scores import (
    AccuracyCurve,
    Embeddings,
    Ranking,
    Recogniser,
    Scores,
    check_scores,
    curve_of_ranking,
    curve_sizes,
    direction_note,
    jackknife_covariance,
    leave_out_curves,
    order_note,
    rank_true_classes,
)

_INTERVALS = ("jackknife", "subsampling")
_TIES = "random"
_AVERAGE = "macro"
_MANY_TIES = 0.01  # of the responses; single ties are rounding
_WORST_FIT = 3.0  # standard errors by which a curve may leave the ideal one
_FEWEST_UNITS = 2  # left out: of two no interval is given
_FEWEST_TO_HALVE = 6
_LARGE_SHARE = 0.5  # of the squared moves; of 200 calm sets of 30 two had as much
_ENOUGH_TO_TELL = 10  # units of which one may stand out
_NEARLY_ALL = 1 - 1e-15


class IntervalKind(StrEnum):
    """How the interval of implied information was made."""

    JACKKNIFE = "jackknife"
    SUBSAMPLES = "subsamples"
    CURVE_COVARIANCE = "curve-covariance"
    ALL_RIGHT = "all-right"
    NONE = "none"


class Side(StrEnum):
    """Where a curve lies beside chance."""

    ABOVE = "above"
    AT = "at"
    BELOW = "below"


@dataclass(frozen=True, kw_only=True)
class IdentificationForecast:
    """Accuracy among some number of candidates, by the ideal curve.

    Attributes
    ----------
    classes : int
        Number of candidates.
    accuracy, low, high : float
        Accuracy, and ends of its interval.
    """

    classes: int
    accuracy: float = field(metadata=SHARE)
    low: float = field(metadata=SHARE)
    high: float = field(metadata=SHARE)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ImpliedInformation(Result):
    """The information whose ideal curve is nearest to the observed one.

    Attributes
    ----------
    value, low, high : float
        Implied information and its interval, in `units`. Infinite where no answer was
        wrong.
    separation : float
        c = sqrt(2 I) in nats, before it is cut off at zero.
    stderr : float
        Standard error of `separation`; NaN with too few stimuli.
    classes : ndarray of int64
        Numbers of candidates.
    accuracy, fitted : ndarray of float64
        Observed and ideal curve.
    misfit : float
        Largest distance between them.
    interval_kind : IntervalKind
        How the interval was made.
    notes : tuple of Note
        What the reader must know; codes of `IdentificationNote`.
    replicates : ndarray of float64
        `separation` without each stimulus; not saved.
    n_classes, n_samples : int
        Stimuli and responses tested.
    weights : str
        How the numbers of candidates were weighed; an entry of `WEIGHTS`.
    units : str
        ``"bits"`` or ``"nats"``.
    confidence_level : float
        Level of the interval.
    random_state : int or None
        The seed, where it was a number and had a say.
    """

    kind: ClassVar[str] = "implied-information"

    value: float
    low: float
    high: float
    separation: float
    stderr: float
    classes: NDArray[np.int64]
    accuracy: NDArray[np.float64] = field(metadata=SHARE)
    fitted: NDArray[np.float64] = field(metadata=SHARE)
    misfit: float
    interval_kind: IntervalKind
    notes: tuple[Note, ...] = ()
    replicates: FloatArray = field(default_factory=lambda: np.empty(0), metadata=DATA)
    n_classes: int = field(metadata=INPUT)
    n_samples: int = field(metadata=INPUT)
    weights: str = field(metadata=OPTION)
    units: str = field(metadata=OPTION)
    confidence_level: float = field(metadata=OPTION | SHARE)
    random_state: int | None = field(default=None, metadata=OPTION)

    @property
    def chance(self) -> Side:
        """Where the curve lies beside chance."""
        if self.separation > 0:
            return Side.ABOVE
        return Side.BELOW if self.high <= 0 else Side.AT

    def forecast(self, to: int | Iterable[int]) -> tuple[IdentificationForecast, ...]:
        """Extrapolate identification to more candidates, by the ideal curve.

        Parameters
        ----------
        to : int or iterable of int
            Numbers of candidates.

        Returns
        -------
        tuple of IdentificationForecast
            One per number. The interval allows for the choice of stimuli, not for a
            curve that leaves the ideal one.
        """
        ks = check_class_counts(to, "to")
        unit = check_units(self.units)

        def accuracies(amount: float) -> FloatArray:
            if math.isnan(amount):
                return np.full(ks.size, np.nan)
            if math.isinf(amount):
                return np.ones(ks.size)
            return ideal_curve(ks.astype(np.float64), math.sqrt(2 * amount * unit))

        columns = map(accuracies, (self.value, self.low, self.high))
        return tuple(
            IdentificationForecast(
                classes=int(k), accuracy=float(a), low=float(b), high=float(c)
            )
            for k, a, b, c in zip(ks, *columns, strict=True)
        )

    def to_columns(self) -> dict[str, list[Any]]:
        """Return numbers of candidates, observed and ideal accuracies."""
        names = ("classes", "accuracy", "fitted")
        return {name: getattr(self, name).tolist() for name in names}


@checked_keywords
def implied_information(
    curve: AccuracyCurve | ArrayLike | Scores | Embeddings,
    y_true: Iterable[Hashable] | None = None,
    *,
    weights: str = "equal",
    interval: str = "jackknife",
    n_subsamples: int = 200,
    units: str = "bits",
    confidence_level: float = 0.95,
    random_state: RandomState = 0,
) -> ImpliedInformation:
    r"""Read an amount of information off a whole identification curve.

    The ideal curve of every amount is known; least squares finds the nearest,

    .. math:: \hat I = \hat c^2 / 2, \quad
              \hat c = \arg\min_c \sum_k w_k (a_k - \bar\pi_k(c))^2.

    Unlike accuracy the answer does not saturate, so that decoders over a wide range can
    be compared. It is no bound: see `mutual_information_bound` for that.

    Parameters
    ----------
    curve : AccuracyCurve, Identification or scores
        An exact curve, or an answer that has one; or a score matrix (responses x
        stimuli) or embeddings.
    y_true : iterable of hashable, optional
        True stimulus of every response, for scores. A square matrix without it has the
        truth on its diagonal.
    weights : {"equal", "variance", "covariance"}, default="equal"
        How numbers of candidates are weighed; an entry of `WEIGHTS`.
    interval : {"jackknife", "subsampling"}, default="jackknife"
        Leave out stimuli one by one, or draw random halves (scores only).
    n_subsamples : int, default=200
        Random halves.
    units : {"bits", "nats"}, default="bits"
        Units of the answer.
    confidence_level : float, default=0.95
        Level of the interval.
    random_state : int, Generator or None, default=0
        Seed of the random halves.

    Returns
    -------
    ImpliedInformation
        The amount, its interval, and the fitted curve.

    Raises
    ------
    UsageError
        If random halves are asked of a curve, which no longer knows its stimuli, or
        with other than equal weights.

    References
    ----------
    C. Zheng and Y. Benjamini (2016). Estimating mutual information in high dimensions
    via classification error. E. L. Korn and B. I. Graubard (1998). Confidence intervals
    for proportions with small expected number of positive counts. Survey Methodology
    24.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(60, 30)) * 0.4
    >>> y = x + rng.normal(size=(60, 30))
    >>> scores = y @ x.T - (x**2).sum(axis=1) / 2
    >>> answer = implied_information(scores, units="nats")
    >>> 1.0 < answer.low < answer.value < answer.high < 4.0
    True
    """
    weighting = WEIGHTS.choose(weights, parameter="weights")
    check_one_of(interval, "interval", _INTERVALS)
    asked: dict[str, Any] = {
        "weights": weighting.name,
        "units": units,
        "confidence_level": confidence_level,
    }
    if interval == "subsampling" and weighting.needs_covariance:
        problem = "random halves have no errors to weigh by"
        remedy = "use equal weights"
        raise UsageError(problem, parameter="weights", remedy=remedy)
    sample = getattr(curve, "sample", None)  # of an `Identification`, made of this
    held = getattr(curve, "curve", curve)
    if isinstance(held, AccuracyCurve):
        if interval == "subsampling":
            problem = "random halves need the scores: a curve has no stimuli any more"
            raise UsageError(problem, parameter="interval")
        return fit_implied(sample or sample_of_curve(held), **asked)
    given: Any = curve
    ranking, _ = rank_tested(as_scores(given, y_true))
    stderr = None
    if interval == "subsampling":
        rng = as_generator(random_state)
        stderr = subsample_stderr(ranking, n_subsamples, rng)
        asked["random_state"] = seed_number(random_state)
    return fit_implied(sample_of_ranking(ranking), stderr=stderr, **asked)


# --- from scores to ranks ------------------------------------------------------------


def as_scores(
    scores: ArrayLike | Scores | Embeddings,
    y_true: Iterable[Hashable] | None = None,
) -> Scores | Embeddings:
    """Accept scores; of a square matrix alone the truth is the diagonal."""
    if isinstance(scores, Scores | Embeddings):
        return check_scores(scores, y_true)
    if y_true is None:
        shape = np.asarray(scores).shape
        if len(shape) != 2 or shape[0] != shape[1]:
            raise UsageError(
                "without true stimuli the scores must be square, responses x stimuli "
                f"in the same order; their shape is {shape}",
                parameter="y_true",
            )
        y_true = range(shape[0])
    return Scores(scores, y_true)


def rank_tested(
    data: Scores | Embeddings, *, n_jobs: int | None = None
) -> tuple[Ranking, tuple[Note, ...]]:
    """Rank the true stimuli among those that were tested, and note what looks odd."""
    tested = np.unique(data.own)
    # Of the direction `Scores` warned when they were made.
    notes = [note for note in (direction_note(data),) if note is not None]
    for note in (order_note(data), _copies_note(data)):
        if note is not None:
            notes.append(note)
            warn_of(note)
    if tested.size < 2:
        raise InsufficientDataError(
            "one stimulus only has responses: identification needs at least two to "
            "choose from",
            parameter="y_true",
            remedy="do the labels name the column of every row?",
        )
    if tested.size < data.n_classes:
        # Bounds are about stimuli drawn and tested alike.
        n_gone = data.n_classes - tested.size
        notes.append(Note(code=IdentificationNote.WITHOUT_RESPONSES, count=n_gone))
        data = data.subset(tested)
    ranking = rank_true_classes(data, n_jobs=n_jobs)
    if (ranking.n_tied == ranking.n_classes - 1).all():
        raise InsufficientDataError(
            "all scores are equal: nothing is told apart",
            parameter="scores",
            remedy="is this the array of scores?",
        )
    n_tied = int((ranking.n_tied > 0).sum())
    if n_tied / ranking.n_samples >= _MANY_TIES:
        code = IdentificationNote.MANY_TIES
        notes.append(Note(code=code, count=n_tied, total=ranking.n_samples))
        warn_of(notes[-1])
    return ranking, tuple(notes)


def _copies_note(data: Recogniser) -> Note | None:
    """Note probes that are in the gallery as they are: they find themselves."""
    if not isinstance(data, Embeddings):
        return None
    known = {row.tobytes() for row in np.asarray(data.gallery) + 0.0}
    n_found = sum(row.tobytes() in known for row in np.asarray(data.probes) + 0.0)
    code = IdentificationNote.PROBES_IN_GALLERY
    if not n_found:
        return None
    return Note(code=code, count=n_found, total=data.n_samples)


# --- a curve and what it would be without each stimulus ------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class CurveSample:
    """A curve, its replicates, and what it was measured on.

    Attributes
    ----------
    curve : AccuracyCurve
        Accuracy against the number of candidates.
    replicates : ndarray of shape (n_groups, n_sizes)
        The curve without each stimulus (or group of stimuli); NaN at sizes that need
        all of them. No rows where there are too few.
    trials : Trials
        Stimuli and responses tested.
    """

    curve: AccuracyCurve
    replicates: FloatArray
    trials: Trials


def sample_of_ranking(ranking: Ranking, ks: IntArray | None = None) -> CurveSample:
    """Compute the curve of one test set and leave its stimuli out in turn.

    `ks` are 2..M by default, thinned out beyond 400; every class has responses.
    """
    sizes = curve_sizes(ranking.n_classes) if ks is None else ks
    curve = curve_of_ranking(ranking, sizes, ties=_TIES, average=_AVERAGE)
    replicates = np.empty((0, sizes.size))
    if curve.n_groups:
        replicates = leave_out_curves(ranking, sizes, ties=_TIES, average=_AVERAGE)
    counts = np.bincount(ranking.own, minlength=ranking.n_classes)
    trials = Trials.of(ranking.n_classes, counts)
    return CurveSample(curve=curve, replicates=replicates, trials=trials)


def sample_of_curve(curve: AccuracyCurve) -> CurveSample:
    """Take a curve that no longer knows its stimuli one by one."""
    counts = curve.counts[curve.counts > 0]
    if counts.size < 2:  # not known: one each is the least there can be
        counts = np.ones(max(min(curve.n_classes, curve.n_samples), 2), dtype=np.int64)
    return CurveSample(
        curve=curve,
        replicates=np.empty((0, curve.classes.size)),
        trials=Trials.of(counts.size, counts),
    )


def mean_of_rankings(
    rankings: Sequence[Ranking], members: Sequence[IntArray], n_units: int
) -> CurveSample:
    """Average the curves of several test sets drawn from the same stimuli.

    Parameters
    ----------
    rankings : sequence of Ranking
        One per split.
    members : sequence of ndarray of int64
        Which unit each group of a ranking is: a stimulus, or stimuli that belong
        together.
    n_units : int
        Number of units from which all test sets were drawn.

    Returns
    -------
    CurveSample
        The mean curve at sizes that all test sets reach. Its replicates leave one
        unit out of every test set.
    """
    if len(rankings) == 1:
        return sample_of_ranking(rankings[0])
    smallest = min(ranking.n_classes for ranking in rankings)
    ks = curve_sizes(smallest)
    samples = [sample_of_ranking(ranking, ks) for ranking in rankings]
    accuracy = np.mean([s.curve.accuracy for s in samples], axis=0)
    replicates = np.empty((0, ks.size))
    if all(s.replicates.size for s in samples):
        replicates = np.tile(accuracy, (n_units, 1))
        for sample, who in zip(samples, members, strict=True):
            moved = sample.replicates - sample.curve.accuracy
            replicates[who] += moved / len(samples)
    return CurveSample(
        curve=_mean_curve(samples, accuracy, replicates),
        replicates=replicates,
        trials=worst_trials([s.trials for s in samples]),
    )


def _mean_curve(
    samples: Sequence[CurveSample], accuracy: FloatArray, replicates: FloatArray
) -> AccuracyCurve:
    smallest = min((s.curve for s in samples), key=lambda curve: curve.n_classes)
    covariance = np.empty((0, 0))
    stderr = np.full(accuracy.size, np.nan)
    if replicates.size:
        covariance = jackknife_covariance(replicates)
        stderr = np.sqrt(np.diag(covariance))
    return replace(
        smallest,
        accuracy=accuracy,
        stderr=stderr,
        covariance=covariance,
        n_groups=replicates.shape[0],
        counts=np.empty(0, dtype=np.int64),  # of one split only
    )


def in_groups(sample: CurveSample, sizes: Sequence[IntArray]) -> CurveSample:
    """Return the sample where stimuli came in groups.

    `sizes` are, for every split, the numbers of stimuli in each group of its test set.
    """
    grouped = [sample.trials.in_groups(one) for one in sizes]
    worst = max(grouped, key=lambda trials: trials.class_spread)
    fewest = min(trials.n_groups for trials in grouped)
    return replace(sample, trials=replace(worst, n_groups=fewest))


def subsample_stderr(
    ranking: Ranking, n_subsamples: int, rng: np.random.Generator
) -> float:
    """Estimate the standard error of c from random halves of the stimuli.

    Drawn without replacement: a stimulus drawn twice would tie with itself. The spread
    of halves of n around the whole equals that of samples of n around the population.
    """
    n_halves = check_count(n_subsamples, "n_subsamples", least=2)
    n = ranking.n_groups
    if n < _FEWEST_TO_HALVE:
        problem = (
            f"random halves need {_FEWEST_TO_HALVE} stimuli or more; there are {n}"
        )
        raise InsufficientDataError(problem, parameter="interval")
    half = n // 2
    found = []
    for _ in range(n_halves):
        is_kept = np.zeros(n, dtype=np.bool_)
        is_kept[rng.permutation(n)[:half]] = True
        part = ranking.restrict(is_kept)
        ks = curve_sizes(part.n_classes)
        curve = curve_of_ranking(part, ks, standard_errors=False)
        fit = fit_separation(ks.astype(np.float64), curve.accuracy)
        found.append(fit.value)
    scale = half / (n - half)
    return math.sqrt(scale * float(np.var(found, ddof=1)))


# --- the fit and its interval --------------------------------------------------------


def fit_implied(
    sample: CurveSample,
    *,
    weights: str,
    units: str,
    confidence_level: float,
    stderr: float | None = None,
    random_state: int | None = None,
) -> ImpliedInformation:
    """Fit a curve that knows what it would be without each stimulus.

    `stderr` is that of c from random halves; that of the jackknife by default.
    """
    unit = check_units(units)
    level = check_share(confidence_level, "confidence_level", is_open=True)
    curve = sample.curve
    order = _usable(curve)
    common: dict[str, Any] = {
        "classes": curve.classes[order],
        "accuracy": curve.accuracy[order],
        "weights": weights,
        "units": units,
        "confidence_level": level,
        "n_classes": curve.n_classes,
        "n_samples": curve.n_samples,
    }
    if (curve.accuracy[order] >= 1).all():
        return _without_mistake(proved_by_right_answers(sample, level) / unit, common)
    has_covariance = curve.covariance.size > 0
    fit = fit_separation(
        curve.classes[order].astype(np.float64),
        curve.accuracy[order],
        weights=weights,
        covariance=curve.covariance[np.ix_(order, order)] if has_covariance else None,
        replicates=sample.replicates[:, order],
    )
    ends = _interval(sample, fit, stderr, level)
    return ImpliedInformation(
        value=nats_of(fit.value) / unit,
        low=ends.low / unit,
        high=ends.high / unit,
        separation=fit.value,
        stderr=ends.stderr,
        fitted=fit.fitted,
        misfit=float(np.abs(fit.fitted - curve.accuracy[order]).max()),
        interval_kind=ends.kind,
        notes=(*_fit_notes(curve, order, fit, ends.high), *ends.notes),
        replicates=fit.replicates,
        random_state=random_state,
        **common,
    )


def _usable(curve: AccuracyCurve) -> IntArray:
    """Return the places of sizes from 2 up, ascending."""
    order = np.argsort(curve.classes, kind="stable")
    order = order[curve.classes[order] >= 2]
    if order.size == 0:
        problem = "without a size of 2 or more it says nothing about information"
        raise InsufficientDataError(problem, parameter="curve")
    return order


def _without_mistake(low: float, common: dict[str, Any]) -> ImpliedInformation:
    note = Note(code=IdentificationNote.NO_MISTAKE)
    warn_of(note)
    return ImpliedInformation(
        value=math.inf,
        low=low,
        high=math.inf,
        separation=math.inf,
        stderr=math.nan,
        fitted=np.ones(common["classes"].size),
        misfit=0.0,
        interval_kind=IntervalKind.ALL_RIGHT,
        notes=(note,),
        **common,
    )


def _fit_notes(
    curve: AccuracyCurve, order: IntArray, fit: SeparationFit, high: float
) -> tuple[Note, ...]:
    if fit.value <= 0:
        # How far it leaves the ideal curve says nothing then.
        is_below = high <= 0
        code = IdentificationNote.AT_CHANCE
        return (Note(code=IdentificationNote.BELOW_CHANCE if is_below else code),)
    errors = np.array([curve.nearest_standard_error(int(i)).value for i in order])
    off = np.abs(fit.fitted - curve.accuracy[order])
    is_far = np.isfinite(errors) & (off > _WORST_FIT * errors) & (off > 0.01)
    if not is_far.any():
        return ()
    worst = int(np.argmax(np.where(is_far, off, 0)))
    return (
        Note(
            code=IdentificationNote.LEAVES_IDEAL_CURVE,
            count=int(curve.classes[order][worst]),
            value=float(off[worst]),
        ),
    )


@dataclass(frozen=True, kw_only=True)
class _Interval:
    """An interval in nats, and where it comes from."""

    low: float = math.nan
    high: float = math.nan
    stderr: float = math.nan
    kind: IntervalKind = IntervalKind.NONE
    notes: tuple[Note, ...] = ()


def _interval(
    sample: CurveSample, fit: SeparationFit, stderr: float | None, level: float
) -> _Interval:
    """Make the interval of a fitted curve."""
    kind = IntervalKind.SUBSAMPLES
    if stderr is None:
        stderr = fit.linear_stderr
        kind = IntervalKind.JACKKNIFE
        if fit.replicates.size == 0:
            kind = IntervalKind.CURVE_COVARIANCE
    n_units = sample.curve.n_groups
    if n_units <= _FEWEST_UNITS or not math.isfinite(stderr):
        return _Interval()
    # In the ideal task a score of the truth is normal around c with variance one: no
    # test of so many answers knows c better. Moves that cancel by chance do not either.
    n_answers = max(sample.curve.n_samples, n_units)
    stderr = max(stderr, 1 / math.sqrt(n_answers))
    largest = int(sample.curve.classes.max())
    low, high = _ends(fit.value, stderr, largest, level, n_units - 1)
    middle = nats_of(fit.value)
    return _Interval(
        low=min(low, middle),
        high=max(high, middle),
        stderr=stderr,
        kind=kind,
        notes=_influence_notes(fit.replicates),
    )


def proved_by_right_answers(sample: CurveSample, confidence_level: float) -> float:
    """Return the lower end in nats where no answer was wrong.

    Clopper and Pearson's end for the accuracy among all candidates, as many answers as
    the stimulus with fewest has of each; Hoeffding's where stimuli came in groups. The
    level is that of an interval of two ends, of which this is one.
    """
    trials, alpha = sample.trials, (1 - confidence_level) / 2
    low = alpha ** (1 / (trials.n_classes * trials.fewest))
    if not trials.is_independent:
        low = max(1 - math.sqrt(math.log(1 / alpha) * trials.spread / 2), 0.0)
    return ideal_information(
        low, n_classes=int(sample.curve.classes.max()), units="nats"
    )


def _ends(
    separation: float, stderr: float, largest: int, level: float, n_free: int
) -> tuple[float, float]:
    """Return the ends of the interval in nats."""
    size = _telling_size(separation, largest)
    sizes = np.array([size])
    accuracy = float(ideal_curve(sizes, separation)[0])
    slope = float(curve_slopes(sizes, separation)[0])
    alpha = (1 - level) / 2
    # The variance is itself known from few stimuli only.
    special = scipy.special
    wider = float(special.stdtrit(n_free, 1 - alpha) / special.ndtri(1 - alpha))
    n_answers = accuracy * (1 - accuracy) / (slope * stderr * wider) ** 2
    right, wrong = n_answers * accuracy + 0.5, n_answers * (1 - accuracy) + 0.5
    low = float(special.betaincinv(right, wrong, alpha))
    high = 1 - float(special.betaincinv(wrong, right, alpha))
    return (
        ideal_information(low, n_classes=size, units="nats"),
        ideal_information(min(high, _NEARLY_ALL), n_classes=size, units="nats"),
    )


def _telling_size(separation: float, largest: int) -> float:
    """Return the number of candidates among which half of the answers are right.

    There shares are nearly normal. All candidates where even among them more are right;
    two where not even among two.
    """

    def beyond_half(log_size: float) -> float:
        return float(ideal_curve(np.exp([log_size]), separation)[0]) - 0.5

    ends = (math.log(2), math.log(largest))
    if beyond_half(ends[1]) >= 0:
        return float(largest)
    if beyond_half(ends[0]) <= 0:
        return 2.0
    return math.exp(scipy.optimize.brentq(beyond_half, *ends, xtol=1e-10))


def _influence_notes(replicates: FloatArray) -> tuple[Note, ...]:
    """Note where a single stimulus makes the interval."""
    off = replicates - replicates.mean() if replicates.size else replicates
    total = float(off @ off)
    if replicates.size < _ENOUGH_TO_TELL or total <= 0:
        return ()
    share = float((off**2).max()) / total
    if share < _LARGE_SHARE:
        return ()
    return (Note(code=IdentificationNote.ONE_STIMULUS, value=share),)
