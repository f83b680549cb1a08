"""Run finders of biclusters again and again: on synthetic data, or on subsamples."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import check_n_jobs
from scorecast._core.keywords import checked_keywords
from scorecast._core.parallel import map_tasks
from scorecast._core.rng import as_generator, seed_number
from scorecast._core.types import FloatArray, IntArray, RandomState
from scorecast.biclusters.adapters import biclusters_from
from scorecast.biclusters.agreement import AGREEMENT, agreement, random_like
from scorecast.biclusters.bicluster_estimates import BiclusterEstimates
from scorecast.biclusters.bicluster_set import BiclusterSet
from scorecast.biclusters.finders import check_finders, find
from scorecast.biclusters.merit import MERIT, merit
from scorecast.biclusters.score_biclusters import check_data
from scorecast.exceptions import (
    FitFailedError,
    InsufficientDataError,
    ScorecastError,
    UsageError,
)

__all__ = ["bicluster_estimates"]

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
        Of `AGREEMENT` and `MERIT` (mean over found biclusters); the first is the one
        that tests look at. Consensus, recovery, relevance and RNIA by default.
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
    named, wanted = check_finders(finders), _check_measures(measures)
    n_repeats = _check_repeats(n_repeats)
    check_n_jobs(n_jobs)
    if (data is None) == (generator is None):
        msg = "Give either `data` or `generator`."
        raise UsageError(msg)
    rng = as_generator(random_state)
    for_whole, for_repeats = rng.spawn(2)
    setting = _setting(named, wanted, data, generator, truth, share, with_nulls,
                       for_whole)  # fmt: skip
    repeats = map_tasks(
        partial(_one_repeat, setting), range(n_repeats), rng=for_repeats,
        n_jobs=n_jobs, what="finding biclusters",
    )  # fmt: skip
    return _gathered(setting, repeats, seed_number(random_state))


def _check_measures(measures: str | Sequence[str] | None) -> tuple[str, ...]:
    if measures is None:
        return _DEFAULT
    wanted = (measures,) if isinstance(measures, str) else tuple(measures)
    known = AGREEMENT | MERIT
    for name in wanted:
        if name not in known:
            msg = f"No measure {name!r}; there are {', '.join(known)}."
            raise UsageError(msg)
    if not wanted or len(set(wanted)) < len(wanted):
        msg = f"Give one or more different measures; got {list(wanted)}."
        raise UsageError(msg)
    return wanted


def _check_repeats(n_repeats: int) -> int:
    if isinstance(n_repeats, numbers.Integral) and int(n_repeats) >= 2:
        return int(n_repeats)
    msg = f"`n_repeats` must be a whole number from 2; got {n_repeats!r}."
    raise UsageError(msg)


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
            truths = dict.fromkeys(finders, biclusters_from(truth, shape=shape))
        else:
            truths = {n: _found(n, f, matrix, rng) for n, f in finders.items()}
        empty = [name for name, found in truths.items() if not len(found)]
        if empty and truth is not None:
            msg = "`truth` holds no bicluster: there is nothing to compare with."
            raise InsufficientDataError(msg)
        if empty:
            msg = f"{empty[0]}: no biclusters in all rows: there is nothing to compare."
            raise InsufficientDataError(msg)
    return _Setting(
        finders=finders, measures=measures, generator=generator, matrix=matrix,
        truths=truths, size=size, with_nulls=with_nulls,
        has_truth=matrix is None or truth is not None,
    )  # fmt: skip


def _found(
    name: str, finder: Any, matrix: FloatArray, rng: np.random.Generator
) -> BiclusterSet:
    """Find biclusters in all rows; without them there is nothing to compare with."""
    try:
        return find(finder, matrix, _seed(rng))
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
        msg = (
            f"`share` must leave 2 rows or more in a subsample, and some out; got "
            f"{share!r} of {n} rows."
        )
        raise UsageError(msg)
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
            found = find(finder, matrix, seed)
            rows = {"": _measured(setting.measures, found, truths[name], matrix)}
            if shuffled is not None:
                lost = find(finder, shuffled, seed)
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
        kept = {name: found.restricted(chosen) for name, found in
                setting.truths.items()}  # fmt: skip
        return setting.matrix[chosen], kept
    made: Any = setting.generator(rng) if setting.generator is not None else None
    if hasattr(made, "X") and hasattr(made, "truth"):
        made = (made.X, made.truth)  # simulated data
    if not isinstance(made, tuple) or len(made) != 2:
        msg = "The generator must return a matrix and its hidden biclusters."
        raise UsageError(msg)
    matrix = check_data(made[0], "omit")
    hidden = biclusters_from(made[1], shape=(matrix.shape[0], matrix.shape[1]))
    return matrix, dict.fromkeys(setting.finders, hidden)


def _measured(
    measures: tuple[str, ...],
    found: BiclusterSet,
    truth: BiclusterSet,
    matrix: FloatArray,
) -> dict[str, float]:
    values: dict[str, float] = {}
    if any(name in AGREEMENT for name in measures):
        if not len(truth):
            msg = "there is no true bicluster to compare with"
            raise InsufficientDataError(msg)
        values |= agreement(found, truth)
    if any(name in MERIT for name in measures):
        rows = [merit(matrix[np.ix_(r, c)]) for r, c in found.pairs()]
        values |= {name: _known_mean([row[name] for row in rows]) for name in MERIT}
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
    itself = not setting.has_truth and any(x in AGREEMENT for x in setting.measures)
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
