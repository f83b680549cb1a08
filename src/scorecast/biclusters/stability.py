"""Algorithms that find biclusters, run again and again on subsamples or new data.

`bicluster_estimates` collects what every one of them reaches; what can be promised of
them is then said by `scorecast.assess_estimates`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import check_count, check_n_jobs
from scorecast._core.keywords import checked_keywords
from scorecast._core.parallel import map_tasks
from scorecast._core.results import Result
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, IntArray, Json, RandomState
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
from scorecast.exceptions import (
    FitFailedError,
    InsufficientDataError,
    ScorecastError,
    UsageError,
)

Values = Mapping[str, Mapping[str, FloatArray]]
_STABILITY = (
    "no truth was given: this measures how stable a finder is, by how well what it "
    "finds in a subsample agrees with its own result on all rows, not whether that is "
    "right"
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BiclusterEstimates(Result):
    """What finders reached on every repeat, and where there was nothing to find.

    Made to be passed to `scorecast.assess_estimates`.

    Attributes
    ----------
    estimates : mapping of str to mapping of str to ndarray
        By finder and measure, one value per repeat; NaN where a repeat failed.
    nulls : mapping of str to mapping
        The same in null settings: ``"shuffled data"`` and ``"random biclusters"``.
    overlap : float
        How much more the mean varies than that of independent repeats, by the variance
        of one: b / (n - b) for subsamples of b of n rows, 0 for repeats that are drawn
        anew.
    unit : str
        What a repeat is.
    source : str
        ``"synthetic"`` or ``"subsamples"``.
    n_repeats : int
        Number of repeats.
    n_rows, n_columns : int
        Size of one matrix; of the last one if they differ.
    share : float
        Share of rows in a subsample; 1 for synthetic data.
    failures : mapping of str to tuple of str
        By finder, why repeats failed.
    has_truth : bool
        Whether hidden biclusters were known; if not, what is found in a subsample is
        compared with what the same finder finds in all rows.
    seed : int or None
        The random state, where it was a number.
    """

    kind: ClassVar[str] = "bicluster-estimates"

    estimates: Values
    nulls: Mapping[str, Values]
    overlap: float
    unit: str
    source: str
    n_repeats: int
    n_rows: int
    n_columns: int
    share: float
    failures: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    has_truth: bool = True
    seed: int | None = None

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures, the one to judge by first."""
        return tuple(next(iter(self.estimates.values())))

    @property
    def greater_is_better(self) -> dict[str, bool]:
        """By measure, which way is better."""
        return {name: _measure(name).greater_is_better for name in self.measures}

    @property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """By measure, its least and greatest possible value."""
        chosen = {name: _measure(name) for name in self.measures}
        return {name: (one.low, one.high) for name, one in chosen.items()}

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the reader must know."""
        failed = tuple(
            f"{name}: {len(reasons)} of {self.n_repeats} repeats failed: {reasons[0]}"
            for name, reasons in self.failures.items()
            if reasons
        )
        if self.has_truth or not set(self.measures) & set(AGREEMENT_MEASURES):
            return failed
        return (*failed, _STABILITY)

    def table(self, measure: str) -> dict[str, list[float]]:
        """Return the values of one measure, a column per finder, for a comparison."""
        return {
            name: np.asarray(rows[measure]).tolist()
            for name, rows in self.estimates.items()
        }

    def summary(self) -> str:
        """Say what was collected."""
        first = self.measures[0]
        each = ", ".join(
            f"{name} {np.nanmean(rows[first]):.3f}"
            for name, rows in self.estimates.items()
        )
        return f"{self.n_repeats} {self.unit}: mean {first} {each}."

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per finder, repeat and measure."""
        rows = [
            (name, repeat + 1, measure, value)
            for name, values in self.estimates.items()
            for measure, column in values.items()
            for repeat, value in enumerate(np.asarray(column).tolist())
        ]
        names = ("finder", "repeat", "measure", "value")
        return {name: [row[i] for row in rows] for i, name in enumerate(names)}

    def _parts(self) -> tuple[Json, Json, Json]:
        inputs = {
            "n_rows": self.n_rows,
            "n_columns": self.n_columns,
            "has_truth": self.has_truth,
        }
        options = {
            "source": self.source,
            "n_repeats": self.n_repeats,
            "share": self.share,
            "overlap": self.overlap,
            "unit": self.unit,
            "seed": self.seed,
        }
        result = {
            "estimates": self.estimates,
            "nulls": self.nulls,
            "failures": self.failures,
            "warnings": list(self.warnings),
        }
        return inputs, options, result

    @classmethod
    def _from_parts(cls, inputs: Json, options: Json, result: Json) -> Self:
        return cls(
            estimates=_values(result["estimates"]),
            nulls={name: _values(rows) for name, rows in result["nulls"].items()},
            failures={k: tuple(v) for k, v in result["failures"].items()},
            n_rows=int(inputs["n_rows"]),
            n_columns=int(inputs["n_columns"]),
            has_truth=bool(inputs.get("has_truth", True)),
            **options,
        )


def _values(rows: Json) -> dict[str, dict[str, FloatArray]]:
    return {
        name: {m: np.array(column, dtype=np.float64) for m, column in values.items()}
        for name, values in rows.items()
    }


_DEFAULT = ("consensus", "recovery", "relevance", "rnia")
_SHUFFLED, _RANDOM = "shuffled data", "random biclusters"
Generator = Callable[[np.random.Generator], Any]


@dataclass(frozen=True, kw_only=True, eq=False)
class _Setting:
    """What every repeat is made of."""

    finders: dict[str, Any]
    measures: tuple[str, ...]
    generator: Generator | None
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
def bicluster_estimates(
    finders: Any,
    data: ArrayLike | None = None,
    *,
    generator: Generator | None = None,
    truth: Any = None,
    measures: str | Sequence[str] | None = None,
    n_repeats: int = 20,
    share: float = 0.8,
    with_nulls: bool = True,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> BiclusterEstimates:
    """Collect error estimates of everything that finds biclusters.

    Parameters
    ----------
    finders : object, or mapping of str to object
        Estimators with ``rows_`` and ``columns_``, or functions from a matrix to
        biclusters.
    data : array-like of shape (n, m), optional
        A matrix; each repeat is a random subsample of its rows. Missing values (NaN)
        are passed on to the finders, and left out of means.
    generator : callable, optional
        Called as ``generator(rng)``; returns a matrix and its hidden biclusters, or
        data of ``simulate.biclusters``. Each repeat is drawn anew. Give either `data`
        or this.
    truth : optional
        Hidden biclusters of `data`. Without, what is found in a subsample is compared
        with what the same finder finds in all rows: how stable it is.
    measures : str or sequence of str, optional
        Of `AGREEMENT_MEASURES` and `COHERENCE_MEASURES` (mean over found biclusters);
        the first is the one that tests look at. Consensus, recovery, relevance and RNIA
        by default.
    n_repeats : int, default=20
        Number of repeats.
    share : float, default=0.8
        Share of rows in a subsample.
    with_nulls : bool, default=True
        Whether finders are also run on shuffled data, and random biclusters scored.
    random_state : int, Generator or None, default=0
        Seed of everything.
    n_jobs : int, optional
        Number of workers; the answer does not depend on it.

    Returns
    -------
    BiclusterEstimates
        To be passed to `scorecast.assess_estimates`.

    Raises
    ------
    FitFailedError
        If a finder failed on every repeat.

    Examples
    --------
    >>> def planted(rng):
    ...     X = rng.normal(size=(30, 10))
    ...     X[:8, :4] += 5
    ...     return X, [(range(8), range(4))]
    >>> def above(X):
    ...     high = X > 2.5
    ...     return [(np.flatnonzero(high.sum(1) > 2), np.flatnonzero(high.sum(0) > 4))]
    >>> found = bicluster_estimates({"above": above}, generator=planted, n_repeats=3,
    ...                             with_nulls=False)
    >>> found.table("consensus")
    {'above': [1.0, 1.0, 1.0]}
    """
    named, wanted = _check_finders(finders), _check_measures(measures)
    n_repeats = check_count(n_repeats, "n_repeats", least=2)
    check_n_jobs(n_jobs)
    if (data is None) == (generator is None):
        problem = "give either a matrix or what makes one"
        raise UsageError(problem, parameter="data")
    rng = as_generator(random_state)
    for_whole, for_repeats = rng.spawn(2)
    setting = _setting(
        named, wanted, data, generator, truth, share, with_nulls, for_whole
    )
    repeats = map_tasks(
        partial(_one_repeat, setting),
        range(n_repeats),
        rng=for_repeats,
        n_jobs=n_jobs,
        what="finding biclusters",
    )
    return _gathered(setting, repeats, seed_number(random_state))


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
    generator: Generator | None,
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
            raise InsufficientDataError(problem, parameter="finders")
    return _Setting(
        finders=finders,
        measures=measures,
        generator=generator,
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
            parameter="share",
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
    made: Any = setting.generator(rng) if setting.generator is not None else None
    if hasattr(made, "X") and hasattr(made, "truth"):
        made = (made.X, made.truth)  # simulated data
    if not isinstance(made, tuple) or len(made) != 2:
        problem = "must return a matrix and its hidden biclusters"
        raise UsageError(problem, parameter="generator")
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


def _gathered(
    setting: _Setting, repeats: Sequence[_Repeat], seed: int | None
) -> BiclusterEstimates:
    failures = {
        name: tuple(r.failures[name] for r in repeats if name in r.failures)
        for name in setting.finders
    }
    for name, reasons in failures.items():
        if len(reasons) == len(repeats):
            msg = f"{name} failed on every repeat: {reasons[0]}"
            raise FitFailedError(msg)
    n = 0 if setting.matrix is None else setting.matrix.shape[0]
    nulls = (_SHUFFLED, _RANDOM) if setting.with_nulls else ()
    return BiclusterEstimates(
        estimates=_columns(setting, repeats, ""),
        nulls={name: _columns(setting, repeats, name) for name in nulls},
        overlap=setting.size / (n - setting.size) if n else 0.0,
        unit=_unit(setting),
        source="subsamples" if n else "synthetic",
        n_repeats=len(repeats),
        n_rows=n or repeats[-1].shape[0],
        n_columns=repeats[-1].shape[1],
        share=setting.size / n if n else 1.0,
        failures=failures,
        has_truth=setting.has_truth,
        seed=seed,
    )


def _unit(setting: _Setting) -> str:
    """Say what a repeat is, and what it is held against where that is no truth."""
    if setting.matrix is None:
        return "synthetic data sets"
    itself = not setting.has_truth and any(
        x in AGREEMENT_MEASURES for x in setting.measures
    )
    return "subsamples, against its own result on all rows" if itself else "subsamples"


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


def _check_finders(finders: Any) -> dict[str, Any]:
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
                parameter="finders",
            )
    if not named:
        raise UsageError("give one at least", parameter="finders")
    return named


def _find(finder: Any, matrix: FloatArray, seed: int) -> BiclusterSet:
    """Find biclusters of a matrix; an estimator is copied and seeded first."""
    data = matrix.copy()  # whatever it does to it is its own affair
    if hasattr(finder, "fit") and hasattr(finder, "get_params"):
        from sklearn.base import clone  # slow to load

        copy = clone(finder)
        if "random_state" in copy.get_params():
            copy.set_params(random_state=int(np.uint32(seed)) % 2**31)
        return as_bicluster_set(copy.fit(data), shape=_shape(matrix))
    return as_bicluster_set(finder(data), shape=_shape(matrix))


def _shape(matrix: FloatArray) -> tuple[int, int]:
    return int(matrix.shape[0]), int(matrix.shape[1])
