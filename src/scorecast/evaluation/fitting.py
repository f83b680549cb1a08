"""Learn from some samples, predict others; a fit that fails says why.

The only place that knows estimators: their seeds, their warnings, what they print, how
they fail, and how long they may take.
"""

from __future__ import annotations

import contextlib
import copy
import re
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorecast._core.codec import decode, encode
from scorecast._core.limited import OutOfTimeError, ProcessDiedError, run_limited
from scorecast._core.types import FloatArray, IntArray
from scorecast.evaluation.data import EvaluationData, first_missing, rows_of
from scorecast.evaluation.metrics import Predictions
from scorecast.evaluation.splits import Split
from scorecast.exceptions import DataWarning, FitFailedError, InvalidInputError

_ROUNDING = 1e-3  # single precision, and sums over many classes
_LONGEST_REASON = 200
# How scikit-learn says it, of which only the rule and the value matter to a reader.
_OUT_OF_RANGE = re.compile(
    r"The '(\w+)' parameter of (\w+) must be (.*)\. Got (.*) instead"
)
_AMONG = re.compile(r"a str among \{(.*?)\}")
_PLAIN = (("a float in", "a number in"), ("an int in", "a whole number in"))
_UNCHANGING = (bool, int, float, str, type(None), np.number, np.bool_)


class FailureKind(StrEnum):
    """Why a fit failed."""

    TIMEOUT = "timeout"
    DIED = "died"
    BAD_PARAMETER = "bad-parameter"
    ERROR = "error"


@dataclass(frozen=True, kw_only=True)
class FitFailure:
    """A fit that failed.

    Attributes
    ----------
    kind : FailureKind
        Why.
    message : str
        What the estimator, or the system, said; a stranger's text.
    seconds : float
        How long it took, or was allowed to take.
    """

    kind: FailureKind
    message: str = ""
    seconds: float = 0.0

    def __str__(self) -> str:
        if self.kind is FailureKind.TIMEOUT:
            return f"stopped after {self.seconds:g} s"
        return self.message


class ModelFailedError(FitFailedError):
    """A model inside another one failed; why is known already."""

    def __init__(self, failure: FitFailure) -> None:
        super().__init__(str(failure))
        self.failure = failure


@dataclass(frozen=True, kw_only=True, eq=False)
class SplitResult:
    """What came of one split.

    Attributes
    ----------
    test : ndarray of int
        Rows that were tested.
    predictions : Predictions or None
        What the model said of them; None if it failed.
    failure : FitFailure or None
        Why it failed; None if it did not.
    seconds : float
        Time it took.
    warnings : tuple of str
        What the estimator warned of.
    chosen : dict of str to str
        Parameters that the model chose itself, if it does.
    """

    test: IntArray
    predictions: Predictions | None
    failure: FitFailure | None = None
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    chosen: Mapping[str, str] = field(default_factory=dict)


def encode_split(result: SplitResult) -> Any:
    """Return what JSON can hold, with every bit."""
    return encode(result)


def decode_split(data: Any) -> SplitResult:
    """Read what `encode_split` gave, perhaps after a journey through JSON."""
    given = data["predictions"]
    predictions = None
    if given is not None:
        kind = NDArray[np.int64] if given["n_classes"] else NDArray[np.float64]
        scores = given["scores"]
        predictions = Predictions(
            truth=decode(given["truth"], kind),
            predicted=decode(given["predicted"], kind),
            scores=None if scores is None else decode(scores, NDArray[np.float64]),
            is_probability=given["is_probability"],
            n_classes=given["n_classes"],
            scale=decode(given["scale"], float),
        )
    return SplitResult(
        test=decode(data["test"], NDArray[np.int64]),
        predictions=predictions,
        failure=decode(data["failure"], FitFailure | None),
        seconds=decode(data["seconds"], float),
        warnings=tuple(data["warnings"]),
        chosen=dict(data["chosen"]),
    )


def pool_predictions(several: Sequence[Predictions]) -> Predictions:
    """Put the tests of several splits together; without scores if some have none."""
    scores = [p.scores for p in several if p.scores is not None]
    return Predictions(
        truth=np.concatenate([p.truth for p in several]),
        predicted=np.concatenate([p.predicted for p in several]),
        scores=np.concatenate(scores) if len(scores) == len(several) else None,
        is_probability=all(p.is_probability for p in several),
        n_classes=several[0].n_classes,
        scale=several[0].scale,
    )


def open_seeds(estimator: Any) -> tuple[str, ...]:
    """Name every ``random_state`` that is None, inside a pipeline too."""
    return tuple(
        name
        for name, value in estimator.get_params(deep=True).items()
        if value is None and name.rpartition("__")[2] == "random_state"
    )


def seeded_clone(estimator: Any, rng: np.random.Generator) -> Any:
    """Copy an estimator without what it learned, and fix what it leaves to chance.

    Every seed that was left open gets a number of its own, in sorted order of names.
    """
    from sklearn.base import clone

    fresh = clone(estimator)
    seeds = {name: int(rng.integers(2**31 - 1)) for name in sorted(open_seeds(fresh))}
    return fresh.set_params(**seeds) if seeds else fresh


def fit_and_test(
    estimator: Any,
    data: EvaluationData,
    split: Split,
    rng: np.random.Generator,
    *,
    order: IntArray | None = None,
    time_limit: float | None = None,
    with_scores: bool = True,
) -> SplitResult:
    """Fit to one side of a split and predict the other.

    Parameters
    ----------
    estimator : estimator
        It is copied; the original is left alone.
    data : EvaluationData
        The samples.
    split : Split
        Which teach and which test.
    rng : numpy.random.Generator
        For estimators that leave something to chance.
    order : ndarray of shape (n_samples,), optional
        Whose features every sample gets, for permutations; its own by default.
    time_limit : float, optional
        Seconds after which the fit is stopped; it then runs in another process.
    with_scores : bool, default=True
        Whether to ask for scores of classes, which takes about as long as predicting.

    Returns
    -------
    SplitResult
        With the reason where it failed.
    """
    if time_limit is None:
        return _fit_here(estimator, data, split, rng, order, with_scores)
    arguments = (estimator, data, split, rng, order, with_scores)
    kind = FailureKind.TIMEOUT
    try:
        found: SplitResult = run_limited(_fit_here, *arguments, seconds=time_limit)
    except OutOfTimeError:
        failure = FitFailure(kind=kind, seconds=time_limit)
    except ProcessDiedError as error:
        kind = FailureKind.DIED
        failure = FitFailure(kind=kind, message=str(error), seconds=time_limit)
    else:
        return found
    return SplitResult(
        test=split.test, predictions=None, failure=failure, seconds=time_limit
    )


def _fit_here(
    estimator: Any,
    data: EvaluationData,
    split: Split,
    rng: np.random.Generator,
    order: IntArray | None,
    with_scores: bool,
) -> SplitResult:
    """Fit and test in this process."""
    start = time.monotonic()
    known, asked = split.train, split.test
    if order is not None:
        known, asked = order[known], order[asked]
    predictions, failure = None, None
    chosen: Mapping[str, str] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # What an estimator prints must not end up inside the answer.
        with contextlib.redirect_stdout(sys.stderr):
            try:
                model = seeded_clone(estimator, rng)
                teaching = data.features(known), data.y[split.train]
                if data.groups is not None and hasattr(model, "takes_groups"):
                    model.fit(*teaching, groups=data.groups[split.train])
                else:
                    model.fit(*teaching)
                chosen = _chosen(model)
                features = data.features(asked)
                predictions = predict_samples(
                    model, features, data, split.test, with_scores=with_scores
                )
            except Exception as error:  # noqa: BLE001 - any fault of a stranger's code
                failure = _failure(error, time.monotonic() - start)
        said = [f"{w.category.__name__}: {w.message}" for w in caught]
    return SplitResult(
        test=split.test,
        predictions=predictions,
        failure=failure,
        seconds=time.monotonic() - start,
        warnings=tuple(dict.fromkeys(" ".join(x.split())[:200] for x in said)),
        chosen=chosen,
    )


def _failure(error: Exception, seconds: float) -> FitFailure:
    """Say why a fit failed; here alone a stranger's sentence is read."""
    if isinstance(error, ModelFailedError):
        return error.failure
    text = " ".join(str(error).split())
    found = _OUT_OF_RANGE.match(text)
    if found:
        # A set of words has another order every time.
        rule = _AMONG.sub(
            lambda x: f"one of {', '.join(sorted(x[1].split(', ')))}", found[3]
        )
        for theirs, plain in _PLAIN:
            rule = rule.replace(theirs, plain)
        text = f"{found[1]} of {found[2]} must be {rule}; got {found[4]}"
        kind = FailureKind.BAD_PARAMETER
    else:
        kind = FailureKind.ERROR
        if not isinstance(error, FitFailedError):
            text = f"{type(error).__name__}: {text[:_LONGEST_REASON]}".rstrip(": ")
    return FitFailure(kind=kind, message=text[: _LONGEST_REASON + 40], seconds=seconds)


def _chosen(model: Any) -> dict[str, str]:
    """Return what a model chose among, by the name scikit-learn's searches have."""
    found = getattr(model, "best_params_", None)
    if not isinstance(found, Mapping):
        return {}
    return {str(name): " ".join(str(value).split()) for name, value in found.items()}


def predict_samples(
    model: Any,
    features: Any,
    data: EvaluationData,
    test: IntArray,
    *,
    with_scores: bool = True,
) -> Predictions:
    """Ask a fitted model for all it gives of some samples."""
    predicted = np.asarray(model.predict(features))
    if predicted.shape != (test.size,) and predicted.size == test.size:
        predicted = predicted.reshape(-1)
    if predicted.shape != (test.size,):
        problem = f"predict gave shape {predicted.shape} for {test.size} samples"
        raise InvalidInputError(problem)
    if not data.is_classification:
        return _predict_numbers(predicted, data, test)
    scores, is_probability = None, False
    if with_scores:
        scores, is_probability = _ask_scores(model, features, data)
    return Predictions(
        truth=data.codes[test],
        predicted=_codes(predicted, data),
        scores=scores,
        is_probability=is_probability,
        n_classes=data.n_classes,
    )


def _predict_numbers(
    predicted: NDArray[Any], data: EvaluationData, test: IntArray
) -> Predictions:
    numbers = predicted.astype(np.float64)
    if not np.isfinite(numbers).all():
        count = int((~np.isfinite(numbers)).sum())
        raise InvalidInputError(f"predicted {count} values that are no number")
    return Predictions(
        truth=data.y[test],
        predicted=numbers,
        scale=float(np.ptp(data.y)),
    )


def _codes(predicted: NDArray[Any], data: EvaluationData) -> IntArray:
    place = {label: code for code, label in enumerate(data.classes)}
    labels = predicted.tolist()
    unknown = [label for label in labels if label not in place]
    if unknown:
        raise InvalidInputError(f"predicted {unknown[0]!r}, which is no class")
    return np.array([place[label] for label in labels], dtype=np.int64)


def _ask_scores(
    model: Any, features: Any, data: EvaluationData
) -> tuple[FloatArray | None, bool]:
    """Return scores with a column for every class, in the order of the classes."""
    for method, missing in (("predict_proba", 0.0), ("decision_function", -np.inf)):
        ask = getattr(model, method, None)
        if ask is None:
            continue
        given = np.asarray(ask(features), dtype=np.float64)
        if given.ndim == 1:
            given = np.column_stack([-given, given])
        known = _codes(np.asarray(model.classes_), data)
        if given.shape != (features.shape[0], known.size):
            continue  # one column per pair of classes, for instance
        if np.isnan(given).any():
            problem = f"{method} gave {int(np.isnan(given).sum())} NaN"
            raise InvalidInputError(problem)
        scores = np.full((features.shape[0], data.n_classes), missing)
        scores[:, known] = given
        return scores, method == "predict_proba" and _are_probabilities(given)
    return None, False


def _are_probabilities(given: FloatArray) -> bool:
    """Tell whether rows are probabilities; say so, once a split, if they are not."""
    sums = given.sum(axis=1)
    if given.min() >= -_ROUNDING and np.abs(sums - 1).max() <= _ROUNDING:
        return True
    worst = float(sums[np.abs(sums - 1).argmax()])
    problem = (
        f"predict_proba gave rows that are no probabilities (a sum of {worst:.4g}): "
        "taken for scores, and no metric of probabilities is measured"
    )
    warnings.warn(DataWarning(problem), stacklevel=2)
    return False


def check_missing(
    models: Mapping[str, Any],
    data: EvaluationData,
    time_limit: float | None = None,
    names: Sequence[str] = (),
) -> None:
    """Refuse missing values that a model cannot learn from, before any work is done.

    Parameters
    ----------
    models : mapping of str to estimator
        The models.
    data : EvaluationData
        The samples.
    time_limit : float, optional
        Seconds that one fit may take.
    names : sequence of str, optional
        Names of the features, where a matrix has none of its own.

    Raises
    ------
    InvalidInputError
        With the first place and what to do.
    """
    found = first_missing(data.X, names)
    if found is None:
        return
    count, place = found
    everyone = np.arange(data.n_samples)
    whole = Split(train=everyone, test=everyone)
    for name, model in models.items():
        tried = fit_and_test(
            model,
            data,
            whole,
            np.random.default_rng(0),
            time_limit=time_limit,
            with_scores=False,
        )
        # One that takes too long may still learn from fewer samples.
        if tried.failure is None or tried.failure.kind is FailureKind.TIMEOUT:
            continue
        said = str(tried.failure).split(". ")[0][:120]
        raise InvalidInputError(
            f"the value is missing ({count:,} such), and {name} cannot learn from "
            f"that ({said})",
            parameter="X",
            location=place,
            remedy="fill it, remove the row, put an imputer into the model, or use one "
            "that takes missing values, such as "
            "sklearn.ensemble:HistGradientBoostingClassifier",
        )


# Scored by any scorer, thousands of times -----------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class Refitting:
    """A model, its data and how it is scored, for permutations and curves.

    Attributes
    ----------
    estimator : scikit-learn estimator
        Never fitted itself; clones are.
    scorer : callable
        Called as ``scorer(fitted, X, y)``.
    X : ndarray or data frame of shape (n, m)
        Features.
    y : ndarray of shape (n,)
        Labels as they came.
    is_accuracy : bool
        Whether the score is the share of right predictions: counting them here spares
        what scikit-learn looks up every time.
    """

    estimator: Any
    scorer: Any
    X: Any
    y: NDArray[Any]
    is_accuracy: bool = False

    def score(
        self,
        labels: NDArray[Any],
        split: Split,
        failures: Counter[str],
        seed: int,
        order: IntArray | None = None,
    ) -> float:
        """Fit and score one split.

        Parameters
        ----------
        labels : ndarray of shape (n,)
            What is learned and tested.
        split : Split
            Who trains, who is tested.
        failures : Counter
            Gets the reason if the model fails.
        seed : int
            For all seeds that were left open.
        order : ndarray of shape (n,), optional
            Whose features every sample gets; its own by default.

        Returns
        -------
        float
            The score; NaN if the model failed.
        """
        model = self._fresh(seed)
        known, asked = split.train, split.test
        if order is not None:
            known, asked = order[known], order[asked]
        try:
            model.fit(rows_of(self.X, known), labels[split.train])
            found = self._value(model, asked, labels[split.test])
        except Exception as error:  # noqa: BLE001 - models raise whatever they like
            failures[f"{type(error).__name__}: {error}"] += 1
            return np.nan
        if not np.isfinite(found):
            failures[f"the score is {found}"] += 1
            return np.nan
        return found

    @property
    def has_open_seed(self) -> bool:
        """Whether the model leaves its random numbers to us."""
        return bool(self._blank[1])

    def _fresh(self, seed: int) -> Any:
        """Copy the model; seeds that were left open come from our stream.

        Otherwise the answer would depend on who runs which permutation.
        """
        from sklearn.base import clone

        blank, names, is_plain = self._blank
        if not is_plain:
            model = clone(blank)
            return model.set_params(**dict.fromkeys(names, seed)) if names else model
        model = copy.copy(blank)
        for name in names:
            setattr(model, name, seed)
        return model

    @cached_property
    def _blank(self) -> tuple[Any, tuple[str, ...], bool]:
        """The model before it learned anything, and what is the same for all copies."""
        from sklearn.base import clone

        blank = clone(self.estimator)
        return blank, open_seeds(blank), _is_plain(blank)

    def _value(self, model: Any, rows: IntArray, truth: NDArray[Any]) -> float:
        if self.is_accuracy:
            predicted = np.asarray(model.predict(rows_of(self.X, rows)))
            if predicted.shape == truth.shape:
                return float(np.mean(predicted == truth))
        return float(self.scorer(model, rows_of(self.X, rows), truth))


def _is_plain(estimator: Any) -> bool:
    """Tell whether a copy of the outermost object is as good as a clone.

    It is for scikit-learn's own models, whose constructors keep parameters and nothing
    else, if no parameter can change: neither a model nor a generator.
    """
    if not type(estimator).__module__.startswith("sklearn."):
        return False
    params = estimator.get_params(deep=True).values()
    return all(isinstance(value, _UNCHANGING) for value in params)


@contextlib.contextmanager
def unchecked(*, is_quiet: bool) -> Iterator[None]:
    """Spare scikit-learn what was checked already, thousands of times.

    Parameters
    ----------
    is_quiet : bool
        Whether warnings are dropped as well.

    Yields
    ------
    None
        Control, with checks of finiteness and parameters off.
    """
    from sklearn import config_context

    with (
        config_context(assume_finite=True, skip_parameter_validation=True),
        warnings.catch_warnings(),
    ):
        if is_quiet:
            warnings.simplefilter("ignore")
        yield
