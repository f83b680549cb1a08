"""Forecast accuracy, or cost, with more classes than were observed."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypedDict, overload

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import (
    check_class_counts,
    check_level,
    check_n_jobs,
    check_share,
    check_times,
)
from scorecast._core.keywords import checked_keywords
from scorecast._core.parallel import one_blas_thread
from scorecast._core.progress import say_unless_over, stage, stages
from scorecast._core.types import IntArray, RandomState
from scorecast.exceptions import (
    ResultWarning,
    UsageError,
    printable,
)
from scorecast.extrapolation.backtest import check_guesses
from scorecast.extrapolation.extrapolator import Extrapolator, choose_extrapolator
from scorecast.extrapolation.forecast import (
    Extrapolation,
    forecast_accuracy,
    refuse_lost,
)
from scorecast.extrapolation.observed import ObservedClasses, refuse_one_class
from scorecast.extrapolation.recognisers import (
    RecogniserComparison,
    check_recognisers,
    compare_recognisers,
)
from scorecast.extrapolation.risk import (
    RISK_METHODS,
    RiskExtrapolation,
    extrapolate_risk,
)
from scorecast.scores import (
    AVERAGES,
    TIE_RULES,
    Recogniser,
    check_scores,
    weigh_classes,
)


@overload
def extrapolate(
    scores: ArrayLike | Recogniser,
    y_true: Iterable[Hashable] | None = None,
    *,
    to: int | Sequence[int] | None = None,
    until: float | None = None,
    method: str | Extrapolator = "auto",
    top: int | Sequence[int] = 1,
    mrr: bool = False,
    cost: None = None,
    ties: str = "random",
    average: str = "macro",
    class_weights: Mapping[Hashable, float] | ArrayLike | None = None,
    confidence_level: float = 0.95,
    compare: bool = True,
    backtest: int | Literal["auto"] = "auto",
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> Extrapolation: ...
@overload
def extrapolate(
    scores: ArrayLike | Recogniser,
    y_true: Iterable[Hashable] | None = None,
    *,
    to: int | Sequence[int],
    until: None = None,
    method: str | Extrapolator = "auto",
    top: int | Sequence[int] = 1,
    mrr: bool = False,
    cost: ArrayLike,
    ties: str = "random",
    average: str = "macro",
    class_weights: Mapping[Hashable, float] | ArrayLike | None = None,
    confidence_level: float = 0.95,
    compare: bool = True,
    backtest: int | Literal["auto"] = "auto",
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> RiskExtrapolation: ...
@overload
def extrapolate(
    scores: Mapping[str, ArrayLike | Recogniser],
    y_true: Iterable[Hashable] | None = None,
    *,
    to: int | Sequence[int] | None = None,
    until: float | None = None,
    method: str | Extrapolator = "auto",
    top: int | Sequence[int] = 1,
    mrr: bool = False,
    cost: None = None,
    ties: str = "random",
    average: str = "macro",
    class_weights: Mapping[Hashable, float] | ArrayLike | None = None,
    confidence_level: float = 0.95,
    compare: bool = True,
    backtest: int | Literal["auto"] = "auto",
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> RecogniserComparison: ...
@checked_keywords
def extrapolate(
    scores: ArrayLike | Recogniser | Mapping[str, ArrayLike | Recogniser],
    y_true: Iterable[Hashable] | None = None,
    *,
    to: int | Sequence[int] | None = None,
    until: float | None = None,
    method: str | Extrapolator = "auto",
    top: int | Sequence[int] = 1,
    mrr: bool = False,
    cost: ArrayLike | None = None,
    ties: str = "random",
    average: str = "macro",
    class_weights: Mapping[Hashable, float] | ArrayLike | None = None,
    confidence_level: float = 0.95,
    compare: bool = True,
    backtest: int | Literal["auto"] = "auto",
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> Extrapolation | RiskExtrapolation | RecogniserComparison:
    r"""Forecast accuracy, or cost, with many more classes than were tested.

    With U the chance that a random wrong class scores below the true one, accuracy
    among k classes is :math:`E\,U^{k-1}`; methods differ in how they learn the law of
    U from the observed classes. Valid if the new classes come from the same population
    as the observed ones, and if each class is scored on its own; where that fails the
    forecast is approximate.

    Parameters
    ----------
    scores : array-like of shape (n_samples, n_classes), Scores or Embeddings
        What the recogniser gave for the observed classes; `Scores` names classes or
        takes distances. A mapping of names to these compares recognisers that were
        tested on the same samples, in the same order.
    y_true : iterable of hashable, optional
        True labels; not needed where `scores` carries them.
    to : int or sequence of int, optional
        Numbers of classes to forecast. At or below the observed number the exact
        average over subsets is given instead of a forecast. Needed unless `until` is
        given.
    until : float, optional
        Accuracy to hold, no higher than observed: `Extrapolation.reach` says up to how
        many classes, not beyond a thousand million. Of several recognisers without
        `to`, differences are given at the numbers of classes that they reach.
    method : str or Extrapolator, default="auto"
        Name of a method (`EXTRAPOLATORS`), or one with settings of its own, such as
        ``Regression(bandwidth=0.3)``. For costs also "moments".
    top : int or sequence of int, default=1
        Count a sample as right if the truth is among the best `top` (recall at `top`);
        "polynomial" has no answer for several. With several numbers, such as
        ``[1, 5, 10]``, the least is the answer, the others are in
        `Extrapolation.measures`, and `Extrapolation.match_curves` has accuracy against
        the number of guesses (the cumulative match characteristic, CMC).
    mrr : bool, default=False
        Whether to forecast the mean reciprocal rank, too: ``measures["mrr"]``.
    cost : array-like of shape (n_classes, n_classes), optional
        ``cost[l, i]`` of deciding for class l where class i is true: the average cost
        of a decision is forecast instead of accuracy. With `mrr`, or several numbers of
        guesses, `RiskExtrapolation.accuracy` has these beside it.
    ties : {"random", "optimistic", "pessimistic"}, default="random"
        Equal scores count as their expectation under random breaking, as won, or
        as lost.
    average : {"macro", "micro"}, default="macro"
        Every class counts the same, or every sample.
    class_weights : mapping or array-like of shape (n_classes,), optional
        How often each class comes where the recogniser will be used, relative to the
        others, by its label or in the order of the classes; `average` is then of
        classes. The true class is drawn by weight; every class is on the list once,
        whatever its weight, so wrong classes are met alike. Further classes are taken
        to have weights like those observed, for classes as hard. With 0 a class is
        only ever a wrong one.
    confidence_level : float, default=0.95
        Level of the intervals.
    compare : bool, default=True
        Whether "auto" also shows what other methods say, and how they do in the
        back-test.
    backtest : int or "auto", default="auto"
        How often half of the classes are hidden to see how methods do; 0 for never.
        By default as often as bring the standard error of the mean error below a
        point (6 to 48 times). `scorecast.backtest` does the same more thoroughly.
    random_state : int, Generator or None, default=0
        For all random choices; the same answer for any `n_jobs`.
    n_jobs : int, optional
        Number of threads or workers; all cores for ranks by default.

    Returns
    -------
    Extrapolation, RiskExtrapolation or RecogniserComparison
        The forecast, what it rests on, and how far to trust it; of several
        recognisers also which will be ahead, and how sure that is.

    Raises
    ------
    UsageError
        If a method, rule or number is not one of those understood.
    InsufficientDataError
        If all samples belong to one class, or nothing is told apart.

    References
    ----------
    C. Zheng, R. Achanta and Y. Benjamini (2018). Extrapolating expected accuracies for
    large multi-class problems. Journal of Machine Learning Research 19.

    Examples
    --------
    >>> from scorecast.io import load_characters
    >>> from scorecast.scores import Embeddings
    >>> known = load_characters()
    >>> first_60 = known.labels < 60
    >>> answer = extrapolate(
    ...     Embeddings(known.gallery[:60], known.probes[first_60], metric="cosine"),
    ...     known.labels[first_60],
    ...     to=242,
    ...     method="gaussian",
    ... )
    >>> 0.4 < answer.predictions[0].accuracy < 0.7  # 0.57 with all 242
    True
    """
    check_level(confidence_level, "confidence_level")
    check_n_jobs(n_jobs)
    TIE_RULES.choose(ties, parameter="ties")
    AVERAGES.choose(average, parameter="average")
    if to is None and until is None:
        problem = "how many classes there will be is needed, or an accuracy to hold"
        raise UsageError(problem, parameter="to")
    targets = None if to is None else check_class_counts(to, "to")
    if targets is not None and targets.min() < 2:
        problem = "among fewer than 2 classes there is nothing to tell apart"
        raise UsageError(problem, parameter="to")
    if until is not None:
        check_share(until, "until", is_open=True)
    if backtest != "auto":
        check_times(backtest, "backtest", least=0)
    tops = check_tops(top)
    if cost is not None and until is not None:
        problem = "is an accuracy to hold, and costs are forecast"
        raise UsageError(problem, parameter="until")
    rules: _Rules = {
        "method": method,
        "ties": ties,
        "average": average,
        "class_weights": class_weights,
        "confidence_level": confidence_level,
        "backtest": backtest,
        "random_state": random_state,
        "n_jobs": n_jobs,
    }
    if isinstance(scores, Mapping):
        if cost is not None:
            problem = "several recognisers are compared by accuracy"
            remedy = "forecast the cost of one at a time"
            raise UsageError(problem, parameter="cost", remedy=remedy)
        data = check_recognisers(scores, y_true)
        if targets is None and until is not None:
            targets = _reached(data, until, tops[0], rules)
        forecasts = {}
        with stages({printable(name): 1.0 for name in data}):
            for name, one in data.items():
                with stage(printable(name)):
                    forecasts[name] = _forecast_one(
                        one, None, targets, until, tops, mrr, compare, rules, of=name
                    )
        _refuse_unheld(forecasts, until)
        return compare_recognisers(
            data,
            forecasts,
            ties=ties,
            average=average,
            class_weights=class_weights,
            n_jobs=n_jobs,
        )
    if cost is None or targets is None:
        return _forecast_one(scores, y_true, targets, until, tops, mrr, compare, rules)
    risk = extrapolate_risk(scores, y_true, cost=cost, targets=targets, **rules)
    if tops == (1,) and not mrr:
        return risk
    if risk.method in RISK_METHODS:
        problem = f"{risk.method} forecasts costs alone"
        remedy = "choose another method, or ask for the cost alone"
        raise UsageError(problem, parameter="method", remedy=remedy)
    beside = _forecast_one(scores, y_true, targets, None, tops, mrr, compare, rules)
    return replace(risk, accuracy=beside)


class _Rules(TypedDict):
    """What is the same for accuracy and cost, one recogniser and several."""

    method: str | Extrapolator
    ties: str
    average: str
    class_weights: Mapping[Hashable, float] | ArrayLike | None
    confidence_level: float
    backtest: int | Literal["auto"]
    random_state: RandomState
    n_jobs: int | None


def _forecast_one(
    scores: ArrayLike | Recogniser,
    y_true: Iterable[Hashable] | None,
    targets: IntArray | None,
    until: float | None,
    tops: tuple[int, ...],
    mrr: bool,
    compare: bool,
    rules: _Rules,
    *,
    of: str = "",
) -> Extrapolation:
    """Forecast the accuracy of one recogniser."""
    chosen = choose_extrapolator(rules["method"], max(tops))
    known, weights, weighting = weigh_classes(
        check_scores(scores, y_true), rules["class_weights"], rules["average"]
    )
    check_guesses(max(tops), known.n_classes)
    refuse_one_class(known)
    n_jobs, backtest = rules["n_jobs"], rules["backtest"]
    observed = ObservedClasses.of(
        known,
        ties=rules["ties"],
        average=rules["average"],
        class_weights=weights,
        n_jobs=n_jobs,
    )
    accuracy = float(observed.ranks.accuracy(tops[0]))
    if until is not None and not of:
        refuse_lost(until, [("", known.n_classes, accuracy)])
    who = f"{printable(of)} is" if of else "it is"
    guesses = "" if tops[0] == 1 else f" in {tops[0]} guesses"
    say_unless_over(
        f"First figures: {who} right {100 * accuracy:.1f} % of the time{guesses} among "
        f"{known.n_classes:,} classes ({known.n_samples:,} samples)"
    )
    # Small arrays throughout: more threads of BLAS would wait for one another, and
    # change the last digits.
    with one_blas_thread():
        found = forecast_accuracy(
            observed,
            chosen,
            targets,
            until=until,
            tops=tops,
            has_mrr=mrr,
            confidence_level=rules["confidence_level"],
            is_compared=compare,
            n_repeats=None if backtest == "auto" else int(backtest),
            random_state=rules["random_state"],
            n_jobs=n_jobs,
        )
    return replace(found, class_weighting=weighting)


def _reached(
    data: Mapping[str, Recogniser], until: float, top: int, rules: _Rules
) -> IntArray:
    """Return up to how many classes each of several recognisers holds an accuracy."""
    quick: _Rules = {**rules, "backtest": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResultWarning)
        found = {
            name: _forecast_one(
                one, None, None, until, (top,), False, False, quick, of=name
            )
            for name, one in data.items()
        }
    _refuse_unheld(found, until)
    return np.unique([one.predictions[0].classes for one in found.values()])


def _refuse_unheld(forecasts: Mapping[str, Extrapolation], until: float | None) -> None:
    """Refuse an accuracy that is lost already with all classes observed."""
    if until is None:
        return
    refuse_lost(
        until,
        [
            (name, one.n_classes, one.observed_accuracy)
            for name, one in forecasts.items()
        ],
    )


def check_tops(top: int | Sequence[int]) -> tuple[int, ...]:
    """Return numbers of guesses in increasing order, each once."""
    is_one = isinstance(top, str | bytes) or not isinstance(top, Iterable)
    given = [top] if is_one else list(top)  # type: ignore[arg-type]
    if not given:
        raise UsageError("is empty: give a number of guesses", parameter="top")
    for one in given:
        check_guesses(one)  # type: ignore[arg-type]
    return tuple(sorted({int(one) for one in given}))  # type: ignore[arg-type]
