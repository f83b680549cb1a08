"""Learn from some cases, speak of others; a fit that fails says why."""

from __future__ import annotations

import contextlib
import re
import sys
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorecast._core.limited import OutOfTimeError, ProcessDiedError, run_limited
from scorecast._core.types import FloatArray, IntArray
from scorecast.exceptions import DataWarning, FitFailedError, InvalidInputError
from scorecast.guarantees.outcomes import Outcome
from scorecast.guarantees.problem import Problem
from scorecast.guarantees.sampling import Split

__all__ = ["BAD_PARAMETER", "FoldResult", "fit_and_test", "seeded_clone"]

_ROUNDING = 1e-3  # single precision, and sums over many classes
_LONGEST_REASON = 200
BAD_PARAMETER = "failed: bad parameter: "
# How scikit-learn says it, of which only the rule and the value matter to a reader.
_OUT_OF_RANGE = re.compile(
    r"The '(\w+)' parameter of (\w+) must be (.*)\. Got (.*) instead"
)
_AMONG = re.compile(r"a str among \{(.*?)\}")
_PLAIN = (("a float in", "a number in"), ("an int in", "a whole number in"))


@dataclass(frozen=True, kw_only=True, eq=False)
class FoldResult:
    """What came of one split.

    Attributes
    ----------
    test : ndarray of int
        Rows that were tested.
    outcome : Outcome or None
        What the model said of them; None if it failed.
    failure : str
        Why it failed; empty if it did not.
    seconds : float
        Time it took.
    warnings : tuple of str
        What the estimator warned of.
    chosen : dict of str to str
        Parameters that the model chose itself, if it does.
    """

    test: IntArray
    outcome: Outcome | None
    failure: str = ""
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    chosen: Mapping[str, str] = field(default_factory=dict)


def seeded_clone(estimator: Any, rng: np.random.Generator) -> Any:
    """Copy an estimator without what it learned, and fix what it leaves to chance.

    Parameters
    ----------
    estimator : estimator
        With ``get_params`` as scikit-learn's.
    rng : numpy.random.Generator
        Seeds every ``random_state`` that is None, inside a pipeline too.

    Returns
    -------
    estimator
        The copy.
    """
    from sklearn.base import clone

    fresh = clone(estimator)
    seeds = {
        name: int(rng.integers(2**31 - 1))
        for name, value in sorted(fresh.get_params(deep=True).items())
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    }
    return fresh.set_params(**seeds) if seeds else fresh


def fit_and_test(
    estimator: Any,
    problem: Problem,
    split: Split,
    rng: np.random.Generator,
    *,
    order: IntArray | None = None,
    time_limit: float | None = None,
    with_scores: bool = True,
) -> FoldResult:
    """Fit to one side of a split and speak of the other.

    Parameters
    ----------
    estimator : estimator
        It is copied; the original is left alone.
    problem : Problem
        The cases.
    split : Split
        Which teach and which test.
    rng : numpy.random.Generator
        For estimators that leave something to chance.
    order : ndarray of shape (n,), optional
        Whose features every case gets, for permutations; its own by default.
    time_limit : float, optional
        Seconds after which the fit is stopped; it then runs in another process.
    with_scores : bool, default=True
        Whether to ask for scores of classes, which takes about as long as predicting.

    Returns
    -------
    FoldResult
        With the reason where it failed.
    """
    if time_limit is None:
        return _fit_here(estimator, problem, split, rng, order, with_scores)
    try:
        found: FoldResult = run_limited(
            _fit_here, estimator, problem, split, rng, order, with_scores,
            seconds=time_limit,
        )  # fmt: skip
    except (OutOfTimeError, ProcessDiedError) as error:
        failure = f"failed: {error}"
        return FoldResult(
            test=split.test, outcome=None, failure=failure, seconds=time_limit
        )
    return found


def _fit_here(
    estimator: Any,
    problem: Problem,
    split: Split,
    rng: np.random.Generator,
    order: IntArray | None,
    with_scores: bool,
) -> FoldResult:
    start = time.monotonic()
    known, asked = split.train, split.test
    if order is not None:
        known, asked = order[known], order[asked]
    outcome, failure, said = None, "", []
    chosen: Mapping[str, str] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # What an estimator prints must not end up inside the answer.
        with contextlib.redirect_stdout(sys.stderr):
            try:
                model = seeded_clone(estimator, rng)
                teaching = problem.features(known), problem.y[split.train]
                if problem.groups is not None and hasattr(model, "takes_groups"):
                    model.fit(*teaching, groups=problem.groups[split.train])
                else:
                    model.fit(*teaching)
                chosen = _chosen(model)
                features = problem.features(asked)
                outcome = _outcome(model, features, problem, split.test, with_scores)
            except Exception as error:  # noqa: BLE001 - any fault of a stranger's code
                failure = _reason(error)
        said = [f"{w.category.__name__}: {w.message}" for w in caught]
    return FoldResult(
        test=split.test,
        outcome=outcome,
        failure=failure,
        seconds=time.monotonic() - start,
        warnings=tuple(dict.fromkeys(" ".join(x.split())[:200] for x in said)),
        chosen=chosen,
    )


def _reason(error: Exception) -> str:
    """Say why a fit failed, by the kind of error where its text is a stranger's."""
    text = " ".join(str(error).split())
    found = _OUT_OF_RANGE.match(text)
    if found:
        # A set of words has another order every time.
        rule = _AMONG.sub(
            lambda x: f"one of {', '.join(sorted(x[1].split(', ')))}", found[3]
        )
        for theirs, plain in _PLAIN:
            rule = rule.replace(theirs, plain)
        said = f"{found[1]} of {found[2]} must be {rule}; got {found[4]}"
        return f"{BAD_PARAMETER}{said[:_LONGEST_REASON]}"
    own = "" if isinstance(error, FitFailedError) else f"{type(error).__name__}: "
    return f"failed: {own}{text[:_LONGEST_REASON]}".rstrip(": ")


def _chosen(model: Any) -> dict[str, str]:
    """Return what a model chose among, by the name scikit-learn's searches have."""
    found = getattr(model, "best_params_", None)
    if not isinstance(found, Mapping):
        return {}
    return {str(name): " ".join(str(value).split()) for name, value in found.items()}


def _outcome(
    model: Any, features: Any, problem: Problem, test: IntArray, with_scores: bool
) -> Outcome:
    predicted = np.asarray(model.predict(features))
    if predicted.shape != (test.size,):
        predicted = predicted.reshape(-1) if predicted.size == test.size else predicted
    if predicted.shape != (test.size,):
        msg = f"predict gave shape {predicted.shape} for {test.size} cases"
        raise InvalidInputError(msg)
    if not problem.is_classification:
        return _number_outcome(predicted, problem, test)
    scores, is_probability = None, False
    if with_scores:
        scores, is_probability = _scores(model, features, problem)
    return Outcome(
        truth=problem.codes[test],
        predicted=_codes(predicted, problem),
        scores=scores,
        is_probability=is_probability,
        n_classes=len(problem.classes),
    )


def _number_outcome(
    predicted: NDArray[Any], problem: Problem, test: IntArray
) -> Outcome:
    numbers = predicted.astype(np.float64)
    if not np.isfinite(numbers).all():
        msg = (
            f"predicted {int((~np.isfinite(numbers)).sum())} values that are no number"
        )
        raise InvalidInputError(msg)
    return Outcome(
        truth=problem.y[test],
        predicted=numbers,
        scores=None,
        is_probability=False,
        n_classes=0,
        scale=float(np.ptp(problem.y)),
    )


def _codes(predicted: NDArray[Any], problem: Problem) -> IntArray:
    place = {label: code for code, label in enumerate(problem.classes)}
    labels = predicted.tolist()
    unknown = [label for label in labels if label not in place]
    if unknown:
        msg = f"predicted {unknown[0]!r}, which is no class"
        raise InvalidInputError(msg)
    return np.array([place[label] for label in labels], dtype=np.int64)


def _scores(
    model: Any, features: Any, problem: Problem
) -> tuple[FloatArray | None, bool]:
    """Return scores with a column for every class, in the order of the classes."""
    for method, missing in (("predict_proba", 0.0), ("decision_function", -np.inf)):
        ask = getattr(model, method, None)
        if ask is None:
            continue
        given = np.asarray(ask(features), dtype=np.float64)
        if given.ndim == 1:
            given = np.column_stack([-given, given])
        known = _codes(np.asarray(model.classes_), problem)
        if given.shape != (features.shape[0], known.size):
            continue  # one column per pair of classes, for instance
        if np.isnan(given).any():
            msg = f"{method} gave {int(np.isnan(given).sum())} NaN"
            raise InvalidInputError(msg)
        scores = np.full((features.shape[0], len(problem.classes)), missing)
        scores[:, known] = given
        return scores, method == "predict_proba" and _are_shares(given)
    return None, False


def _are_shares(given: FloatArray) -> bool:
    """Tell whether rows are probabilities; say so, once a split, if they are not."""
    sums = given.sum(axis=1)
    if given.min() >= -_ROUNDING and np.abs(sums - 1).max() <= _ROUNDING:
        return True
    worst = float(sums[np.abs(sums - 1).argmax()])
    msg = (
        f"predict_proba gave rows that are no probabilities (a sum of {worst:.4g}): "
        "taken for scores, and no loss of probabilities is measured"
    )
    warnings.warn(msg, DataWarning, stacklevel=2)
    return False
