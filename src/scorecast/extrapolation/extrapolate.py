"""Forecast accuracy, or cost, with more classes than were observed."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import (
    check_class_counts,
    check_level,
    check_n_jobs,
    check_share,
)
from scorecast._core.keywords import checked_keywords
from scorecast._core.parallel import one_blas_thread
from scorecast._core.types import RandomState
from scorecast.exceptions import InsufficientDataError, UsageError
from scorecast.extrapolation.backtest import check_guesses
from scorecast.extrapolation.extrapolator import Extrapolator, choose_extrapolator
from scorecast.extrapolation.forecast import Extrapolation, forecast_accuracy
from scorecast.extrapolation.observed import ObservedClasses
from scorecast.extrapolation.recognisers import (
    RecogniserComparison,
    check_recognisers,
    compare_recognisers,
)
from scorecast.extrapolation.risk import RiskExtrapolation, extrapolate_risk
from scorecast.scores import AVERAGES, TIE_RULES, Recogniser, check_scores


@overload
def extrapolate(
    scores: ArrayLike | Recogniser,
    y_true: Iterable[Hashable] | None = None,
    *,
    to: int | Sequence[int] | None = None,
    until: float | None = None,
    method: str | Extrapolator = "auto",
    top: int = 1,
    cost: None = None,
    ties: str = "random",
    average: str = "macro",
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
    top: int = 1,
    cost: ArrayLike,
    ties: str = "random",
    average: str = "macro",
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
    to: int | Sequence[int],
    until: None = None,
    method: str | Extrapolator = "auto",
    top: int = 1,
    cost: None = None,
    ties: str = "random",
    average: str = "macro",
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
    top: int = 1,
    cost: ArrayLike | None = None,
    ties: str = "random",
    average: str = "macro",
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
        Accuracy to hold: `Extrapolation.reach` says up to how many classes, not beyond
        a thousand million.
    method : str or Extrapolator, default="auto"
        Name of a method (`EXTRAPOLATORS`), or one with settings of its own, such as
        ``Regression(bandwidth=0.3)``. For costs also "moments".
    top : int, default=1
        Count a sample as right if the truth is among the best `top`; "polynomial"
        has no answer for several.
    cost : array-like of shape (n_classes, n_classes), optional
        ``cost[l, i]`` of deciding for class l where class i is true: the average cost
        of a decision is forecast instead of accuracy.
    ties : {"random", "optimistic", "pessimistic"}, default="random"
        Equal scores count as their expectation under random breaking, as won, or
        as lost.
    average : {"macro", "micro"}, default="macro"
        Every class counts the same, or every sample.
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
    if until is not None:
        check_share(until, "until", is_open=True)
    check_guesses(top)
    if isinstance(scores, Mapping):
        if cost is not None or until is not None or targets is None:
            problem = (
                "several recognisers are compared by accuracy at numbers of classes"
            )
            raise UsageError(problem, parameter="cost" if cost is not None else "until")
        data = check_recognisers(scores, y_true)
        forecasts = {
            name: extrapolate(
                one,
                to=to,
                method=method,
                top=top,
                ties=ties,
                average=average,
                confidence_level=confidence_level,
                compare=compare,
                backtest=backtest,
                random_state=random_state,
                n_jobs=n_jobs,
            )
            for name, one in data.items()
        }
        return compare_recognisers(
            data, forecasts, ties=ties, average=average, n_jobs=n_jobs
        )
    if cost is not None:
        if top > 1:
            problem = "a cost is of one decision: there are no several guesses"
            raise UsageError(problem, parameter="top")
        if until is not None or targets is None:
            problem = "is an accuracy to hold, and costs are forecast"
            raise UsageError(problem, parameter="until")
        return extrapolate_risk(
            scores,
            y_true,
            cost=cost,
            targets=targets,
            method=method,
            ties=ties,
            average=average,
            confidence_level=confidence_level,
            random_state=random_state,
            n_jobs=n_jobs,
        )
    chosen = choose_extrapolator(method, top)
    known = check_scores(scores, y_true)
    check_guesses(top, known.n_classes)
    if np.unique(known.own).size < 2:
        raise InsufficientDataError(
            "all samples belong to one class: how well classes are told apart cannot "
            "be seen from one of them",
            parameter="y_true",
        )
    observed = ObservedClasses.of(known, ties=ties, average=average, n_jobs=n_jobs)
    # Small arrays throughout: more threads of BLAS would wait for one another, and
    # change the last digits.
    with one_blas_thread():
        return forecast_accuracy(
            observed,
            chosen,
            targets,
            until=until,
            top=top,
            confidence_level=confidence_level,
            is_compared=compare,
            n_repeats=None if backtest == "auto" else int(backtest),
            random_state=random_state,
            n_jobs=n_jobs,
        )
