"""Algorithms that find biclusters, run again and again on subsamples or new data."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import check_n_jobs, check_times
from scorecast._core.keywords import checked_keywords
from scorecast._core.parallel import map_tasks
from scorecast._core.result import Note
from scorecast._core.rng import as_generator
from scorecast._core.types import FloatArray, IntArray, RandomState
from scorecast.biclusters.agreement import (
    AGREEMENT_MEASURES,
    AgreementMeasure,
    measure_agreement,
    random_like,
)
from scorecast.biclusters.bicluster_set import (
    BiclusterSet,
    as_bicluster_set,
    blaming,
)
from scorecast.biclusters.coherence import (
    COHERENCE_MEASURES,
    CoherenceMeasure,
    measure_coherence,
)
from scorecast.biclusters.scoring import check_data
from scorecast.evaluation import (
    AssessmentNote,
    EstimateAssessment,
    FailureKind,
    FitFailure,
    RepeatKind,
    assess_estimates,
)
from scorecast.exceptions import (
    DataWarning,
    FitFailedError,
    InsufficientDataError,
    ScorecastError,
    UsageError,
    printable,
)

BICLUSTERERS = (
    "sklearn.cluster:SpectralCoclustering(n_clusters=3)",
    "sklearn.cluster:SpectralBiclustering(n_clusters=3)",
)
_DEFAULT = ("consensus", "recovery", "relevance", "rnia")
_SHUFFLED, _RANDOM = "shuffled data", "random biclusters"
Simulator = Callable[[np.random.Generator], Any]


@dataclass(frozen=True, kw_only=True, eq=False)
class _Setting:
    """What every repeat is made of."""

    finders: dict[str, Any]
    measures: tuple[str, ...]
    simulator: Simulator | None
    matrix: FloatArray | None
    truths: dict[str, BiclusterSet]
    size: int
    with_nulls: bool
    has_truth: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class _Repeat:
    """Values of one repeat, by setting, finder and measure."""

    values: dict[str, dict[str, dict[str, float]]]
    failures: dict[str, str]
    shape: tuple[int, int]


@checked_keywords
def assess_biclustering(
    estimator: Any,
    data: ArrayLike | None = None,
    *,
    simulator: Simulator | None = None,
    truth: Any = None,
    measures: str | Sequence[str] | None = None,
    n_repeats: int = 20,
    subsample: float = 0.8,
    with_nulls: bool = True,
    confidence_level: float = 0.95,
    alpha: float = 0.05,
    relaxed_alpha: float = 0.2,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> EstimateAssessment:
    """Say what can be promised of everything that finds biclusters.

    It is run again and again, on subsamples of a matrix or on simulated data; what it
    reaches is bounded as estimates are (`scorecast.evaluation.assess_estimates`), and
    held against shuffled data and random biclusters.

    Parameters
    ----------
    estimator : object, or mapping of str to object
        Estimators with ``rows_`` and ``columns_``, or functions from a matrix to
        biclusters.
    data : array-like of shape (n, m), optional
        A matrix; each repeat is a random subsample of its rows. Missing values (NaN)
        are passed on to the algorithms, and left out of means.
    simulator : callable, optional
        Called as ``simulator(rng)``; returns a matrix and its hidden biclusters, or
        data of ``simulate.biclusters``. Each repeat is drawn anew. Give either `data`
        or this.
    truth : optional
        Hidden biclusters of `data`. Without, what is found in a subsample is compared
        with what the same algorithm finds in all rows: how stable it is.
    measures : str or sequence of str, optional
        Of `AGREEMENT_MEASURES` and `COHERENCE_MEASURES` (mean over found biclusters);
        the first is the one that tests look at. Consensus, recovery, relevance and RNIA
        by default.
    n_repeats : int, default=20
        Number of repeats.
    subsample : float, default=0.8
        Share of rows in a subsample.
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
    EstimateAssessment
        Intervals by algorithm and measure, tests against null settings, comparisons.

    Raises
    ------
    FitFailedError
        If an algorithm failed on every repeat.

    References
    ----------
    R. Henriques and S. C. Madeira (2015). Towards robust performance guarantees for
    models learned from high-dimensional data. In: Big Data in Complex Systems.

    Examples
    --------
    >>> def planted(rng):
    ...     X = rng.normal(size=(30, 10))
    ...     X[:8, :4] += 5
    ...     return X, [(range(8), range(4))]
    >>> def above(X):
    ...     high = X > 2.5
    ...     return [(np.flatnonzero(high.sum(1) > 2), np.flatnonzero(high.sum(0) > 4))]
    >>> found = assess_biclustering({"above": above}, simulator=planted, n_repeats=3,
    ...                             with_nulls=False)
    >>> found.models["above"].metrics["consensus"].folds
    (1.0, 1.0, 1.0)
    """
    named, wanted = check_finders(estimator), _check_measures(measures)
    n_repeats = check_times(n_repeats, "n_repeats", least=2)
    check_n_jobs(n_jobs)
    if (data is None) == (simulator is None):
        problem = "give either a matrix or what makes one"
        raise UsageError(problem, parameter="data")
    rng = as_generator(random_state)
    for_whole, for_repeats = rng.spawn(2)
    setting = _setting(
        named, wanted, data, simulator, truth, subsample, with_nulls, for_whole
    )
    repeats = map_tasks(
        partial(_one_repeat, setting),
        range(n_repeats),
        rng=for_repeats,
        n_jobs=n_jobs,
        what="finding biclusters",
    )
    failures = _failures(setting, repeats)
    chosen = {name: _measure(name) for name in wanted}
    n = 0 if setting.matrix is None else setting.matrix.shape[0]
    nulls = (_SHUFFLED, _RANDOM) if with_nulls else ()
    found = assess_estimates(
        _columns(setting, repeats, ""),
        nulls={name: _columns(setting, repeats, name) for name in nulls},
        greater_is_better={k: x.greater_is_better for k, x in chosen.items()},
        limits={k: (x.low, x.high) for k, x in chosen.items()},
        overlap=setting.size / (n - setting.size) if n else 0.0,
        confidence_level=confidence_level,
        alpha=alpha,
        relaxed_alpha=relaxed_alpha,
        random_state=random_state,
    )
    return replace(
        found,
        models={
            name: replace(model, failures=failures[name])
            for name, model in found.models.items()
        },
        notes=tuple(_notes(setting, failures, len(repeats))),
        repeats=RepeatKind.SUBSAMPLES if n else RepeatKind.SIMULATED,
        n_rows=n or repeats[-1].shape[0],
        n_columns=repeats[-1].shape[1],
        subsample=setting.size / n if n else None,
        has_truth=setting.has_truth,
    )


def _failures(
    setting: _Setting, repeats: Sequence[_Repeat]
) -> dict[str, tuple[FitFailure, ...]]:
    """Say why repeats failed; refuse where an algorithm failed on all of them."""
    found = {}
    for name in setting.finders:
        reasons = [r.failures[name] for r in repeats if name in r.failures]
        if len(reasons) == len(repeats):
            problem = f"{name} failed on every repeat: {reasons[0]}"
            raise FitFailedError(problem, parameter="estimator")
        found[name] = tuple(
            FitFailure(kind=FailureKind.ERROR, message=reason) for reason in reasons
        )
    return found


def _notes(
    setting: _Setting, failures: Mapping[str, tuple[FitFailure, ...]], n_repeats: int
) -> Iterator[Note]:
    """Say what the reader must know."""
    for name, reasons in failures.items():
        if reasons:
            yield Note(
                code=AssessmentNote.SPLITS_FAILED,
                model=name,
                count=len(reasons),
                total=n_repeats,
                names=(str(reasons[0]),),
            )
    is_compared = any(name in AGREEMENT_MEASURES for name in setting.measures)
    if not setting.has_truth and is_compared:
        yield Note(code=AssessmentNote.MEASURES_STABILITY)


def _check_measures(measures: str | Sequence[str] | None) -> tuple[str, ...]:
    if measures is None:
        return _DEFAULT
    wanted = (measures,) if isinstance(measures, str) else tuple(measures)
    for name in wanted:
        _measure(name)
    if not wanted or len(set(wanted)) < len(wanted):
        problem = f"must be one or more different ones; got {list(wanted)}"
        raise UsageError(problem, parameter="measures")
    return wanted


def _measure(name: str) -> AgreementMeasure | CoherenceMeasure:
    """Return a measure of either kind."""
    if name in COHERENCE_MEASURES:
        return COHERENCE_MEASURES[name]
    if name in AGREEMENT_MEASURES:
        return AGREEMENT_MEASURES[name]
    known = ", ".join([*AGREEMENT_MEASURES, *COHERENCE_MEASURES])
    raise UsageError(f"must be among {known}; got {name!r}", parameter="measures")


def _setting(
    finders: dict[str, Any],
    measures: tuple[str, ...],
    data: ArrayLike | None,
    simulator: Simulator | None,
    truth: Any,
    share: float,
    with_nulls: bool,
    rng: np.random.Generator,
) -> _Setting:
    matrix = None if data is None else check_data(data, "omit")
    truths: dict[str, BiclusterSet] = {}
    size = 0
    if matrix is not None:
        size = _subsample_size(share, matrix.shape[0])
        shape = (matrix.shape[0], matrix.shape[1])
        if truth is not None:
            with blaming("truth"):
                hidden = as_bicluster_set(truth, shape=shape)
            truths = dict.fromkeys(finders, hidden)
        else:
            truths = {n: _found(n, f, matrix, rng) for n, f in finders.items()}
        empty = [name for name, found in truths.items() if not len(found)]
        if empty and truth is not None:
            problem = "holds no bicluster: there is nothing to compare with"
            raise InsufficientDataError(problem, parameter="truth")
        if empty:
            problem = f"{empty[0]} finds none in all rows: there is nothing to compare"
            raise InsufficientDataError(problem, parameter="estimator")
    return _Setting(
        finders=finders,
        measures=measures,
        simulator=simulator,
        matrix=matrix,
        truths=truths,
        size=size,
        with_nulls=with_nulls,
        has_truth=matrix is None or truth is not None,
    )


def _found(
    name: str, finder: Any, matrix: FloatArray, rng: np.random.Generator
) -> BiclusterSet:
    """Find biclusters in all rows; without them there is nothing to compare with."""
    try:
        return _find(finder, matrix, _seed(rng))
    except ScorecastError:
        raise
    except Exception as error:
        msg = f"{name} failed on all rows: {_reason(error)}"
        raise FitFailedError(msg) from error


def _reason(error: Exception) -> str:
    lines = str(error).splitlines() or [""]
    return f"{type(error).__name__}: {lines[0]}"


def _subsample_size(share: float, n: int) -> int:
    size = round(share * n) if 0 < share < 1 else 0
    if not 2 <= size < n:
        raise UsageError(
            "must leave 2 rows or more in a subsample, and some out; got "
            f"{share!r} of {n} rows",
            parameter="subsample",
        )
    return int(size)


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**31))


def _one_repeat(setting: _Setting, number: int, rng: np.random.Generator) -> _Repeat:
    del number
    # One stream per part: leaving one out does not change the others.
    for_data, for_null, *streams = rng.spawn(2 + len(setting.finders))
    matrix, truths = _drawn(setting, for_data)
    shuffled = for_null.permuted(matrix, axis=0) if setting.with_nulls else None
    values: dict[str, dict[str, dict[str, float]]] = {}
    failures: dict[str, str] = {}
    for (name, finder), stream in zip(setting.finders.items(), streams, strict=True):
        seed = _seed(stream)
        try:
            found = _find(finder, matrix, seed)
            rows = {"": _measured(setting.measures, found, truths[name], matrix)}
            if shuffled is not None:
                lost = _find(finder, shuffled, seed)
                other = random_like(found, stream)
                truth = truths[name]
                rows[_SHUFFLED] = _measured(setting.measures, lost, truth, shuffled)
                rows[_RANDOM] = _measured(setting.measures, other, truth, matrix)
        except ScorecastError as error:
            failures[name] = str(error)
        except Exception as error:  # noqa: BLE001 - one repeat must not end the rest
            failures[name] = _reason(error)
        else:
            values[name] = rows
    return _Repeat(values=values, failures=failures, shape=matrix.shape)


def _drawn(
    setting: _Setting, rng: np.random.Generator
) -> tuple[FloatArray, Mapping[str, BiclusterSet]]:
    if setting.matrix is not None:
        chosen: IntArray = np.sort(
            rng.choice(setting.matrix.shape[0], setting.size, replace=False)
        )
        kept = {
            name: found.restricted(chosen) for name, found in setting.truths.items()
        }
        return setting.matrix[chosen], kept
    made: Any = setting.simulator(rng) if setting.simulator is not None else None
    if hasattr(made, "X") and hasattr(made, "truth"):
        made = (made.X, made.truth)  # simulated data
    if not isinstance(made, tuple) or len(made) != 2:
        problem = "must return a matrix and its hidden biclusters"
        raise UsageError(problem, parameter="simulator")
    matrix = check_data(made[0], "omit")
    hidden = as_bicluster_set(made[1], shape=(matrix.shape[0], matrix.shape[1]))
    return matrix, dict.fromkeys(setting.finders, hidden)


def _measured(
    measures: tuple[str, ...],
    found: BiclusterSet,
    truth: BiclusterSet,
    matrix: FloatArray,
) -> dict[str, float]:
    values: dict[str, float] = {}
    if any(name in AGREEMENT_MEASURES for name in measures):
        if not len(truth):
            msg = "there is no true bicluster to compare with"
            raise InsufficientDataError(msg)
        values |= measure_agreement(found, truth)
    if any(name in COHERENCE_MEASURES for name in measures):
        rows = [measure_coherence(matrix[np.ix_(r, c)]) for r, c in found.pairs()]
        values |= {
            name: _known_mean([row[name] for row in rows])
            for name in COHERENCE_MEASURES
        }
    return {name: values[name] for name in measures}


def _known_mean(values: list[float]) -> float:
    known = [x for x in values if np.isfinite(x)]
    return float(np.mean(known)) if known else np.nan


def _columns(
    setting: _Setting, repeats: Sequence[_Repeat], null: str
) -> dict[str, dict[str, FloatArray]]:
    return {
        name: {
            measure: np.array(
                [
                    r.values[name][null][measure] if name in r.values else np.nan
                    for r in repeats
                ]
            )
            for measure in setting.measures
        }
        for name in setting.finders
    }


def check_finders(finders: Any) -> dict[str, Any]:
    """Give every finder a name: its own, or that of its class or function."""
    if isinstance(finders, Mapping):
        named = {str(name): finder for name, finder in finders.items()}
    else:
        named = {getattr(finders, "__name__", type(finders).__name__): finders}
    for name, finder in named.items():
        fits = hasattr(finder, "fit") and hasattr(finder, "get_params")
        if isinstance(finder, type) or not (fits or callable(finder)):
            raise UsageError(
                f"{name!r} must be a function from a matrix to biclusters, or fit as "
                "scikit-learn's",
                parameter="estimator",
            )
        is_known = type(finder).__module__.startswith("sklearn.")
        if is_known and not hasattr(type(finder), "biclusters_"):
            raise UsageError(
                f"{printable(name)} finds no biclusters",
                parameter="estimator",
                remedy=f'take a class that does, such as "{BICLUSTERERS[0]}"',
            )
    if not named:
        raise UsageError("give one at least", parameter="estimator")
    return named


def _find(finder: Any, matrix: FloatArray, seed: int) -> BiclusterSet:
    """Find biclusters of a matrix; an estimator is copied and seeded first."""
    data = matrix.copy()  # whatever it does to it is its own affair
    if hasattr(finder, "fit") and hasattr(finder, "get_params"):
        from sklearn.base import clone  # slow to load

        copy = clone(finder)
        if "random_state" in copy.get_params():
            copy.set_params(random_state=int(np.uint32(seed)) % 2**31)
        found = copy.fit(data)
    else:
        found = finder(data)
    with warnings.catch_warnings():
        # Empty ones that are left out are nothing to say again for every repeat.
        warnings.simplefilter("ignore", DataWarning)
        return as_bicluster_set(found, shape=_shape(matrix))


def _shape(matrix: FloatArray) -> tuple[int, int]:
    return int(matrix.shape[0]), int(matrix.shape[1])
