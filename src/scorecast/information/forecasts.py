"""What each case is worth: j = log Q(what happened) - log P(what happened).

`Forecasts` holds one j per case, made from probabilities, logarithms, the chances of
every class, densities or survival curves; here is also what they are held against.
"""

from __future__ import annotations

import math
import numbers
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from scorecast._core.checks import check_matrix, check_one_of
from scorecast._core.result import Note
from scorecast._core.types import BoolArray, FloatArray, IntArray
from scorecast.exceptions import (
    DataWarning,
    InsufficientDataError,
    InvalidInputError,
    Location,
    UsageError,
    listed,
    quoted,
)
from scorecast.information.columns import (
    check_chances,
    check_column,
    check_same_length,
)
from scorecast.information.densities import (
    density_logs,
    predicted_densities,
    seen_events,
    where_known,
)
from scorecast.information.notes import InformationNote, warn_of
from scorecast.information.reliability import CalibrationEvents, CalibrationPairs
from scorecast.scores import label_list, match_labels

_BASES = {"e": 1.0, "2": math.log(2), "10": math.log(10)}
_LEAST = 5  # cases, below which nothing can be told from how numbers look
_SAME = 0.02  # how near a ratio must be to a ratio of bases
_NARROW = 0.1  # how narrow the middle half of the ratios must be
_FEW = 12  # distinct values that may be the chances of so many classes
_MOST_CLASSES = 1000
_EXACT = 1e-6
_MUCH_LESS = 0.9  # than one: a row that adds up to less may lack a class
_ABOUT = 5.0  # percent by which the rounded percentages of a row may miss a hundred


class PriorSource(StrEnum):
    """Where the prior comes from that forecasts are held against."""

    GIVEN = "given"
    STATED = "stated"
    TRAINING = "training"
    LEAVE_ONE_OUT = "leave-one-out"
    FITTED_DENSITY = "fitted-density"
    FORECASTER = "forecaster"


@dataclass(frozen=True, kw_only=True, eq=False)
class Forecasts:
    r"""Forecasts of things that have happened, beside a prior: one j per case, in nats.

    .. math:: j = \log Q(\text{what happened}) - \log P(\text{what happened})

    Made by one of its constructors: `from_probabilities`, `from_class_probabilities`,
    `from_logs`, `from_log_ratios`, `from_densities`, `from_estimator`, `from_survival`.

    Attributes
    ----------
    j : ndarray of float64
        ``log_q - log_p`` of every case; minus infinity where the forecast gave what
        happened no chance at all.
    log_q, log_p : ndarray of float64 or None
        Log-probability (or log-density) that forecast and prior gave to what happened;
        None where only `j` was given.
    ids : tuple or None
        Name of every case.
    groups : tuple or None
        Group of every case.
    is_censored : ndarray of bool or None
        Whether what happened is only known to lie beyond a bound.
    calibration : CalibrationPairs or None
        Stated chances of things that did or did not happen, for the reliability view.
    prior_source : PriorSource
        Where the prior comes from.
    floor : float or None
        Smallest chance that a forecast was allowed to state, where one was set.
    n_floored : int
        Cases raised to the floor.
    notes : tuple of Note
        What looked odd on the way here; codes of `InformationNote`.

    Examples
    --------
    >>> forecasts = Forecasts.from_probabilities([0.8, 0.5], [0.5, 0.5], ids="ab")
    >>> forecasts.j.round(3).tolist(), forecasts.name(0)
    ([0.47, 0.0], 'a')
    """

    j: FloatArray
    log_q: FloatArray | None = None
    log_p: FloatArray | None = None
    ids: tuple[Hashable, ...] | None = None
    groups: tuple[Hashable, ...] | None = None
    is_censored: BoolArray | None = None
    calibration: CalibrationPairs | None = None
    prior_source: PriorSource = PriorSource.GIVEN
    floor: float | None = None
    n_floored: int = 0
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        if self.j.ndim != 1 or self.j.size == 0:
            problem = f"must hold one number per case, at least one; got {self.j.shape}"
            raise InvalidInputError(problem, parameter="j")
        for is_bad, what in (
            (np.isnan(self.j), "that are not numbers"),
            (self.j == np.inf, "that are infinite: the prior gave no chance"),
        ):
            if is_bad.any():
                raise InvalidInputError(
                    f"has {int(is_bad.sum())} value(s) {what}",
                    parameter="j",
                    location=Location(row=int(np.argmax(is_bad)) + 1),
                    remedy="repair or remove those cases",
                )
        for name in ("ids", "groups", "is_censored"):
            given = getattr(self, name)
            if given is not None and len(given) != self.j.size:
                problem = f"{len(given)} were given for {self.j.size} cases"
                raise InvalidInputError(problem, parameter=name)

    @property
    def n(self) -> int:
        """Number of cases."""
        return self.j.size

    @property
    def is_possible(self) -> BoolArray:
        """Cases to which the forecast gave some chance."""
        possible: BoolArray = np.isfinite(self.j)
        return possible

    @property
    def n_impossible(self) -> int:
        """Cases to which the forecast gave none."""
        return int((~self.is_possible).sum())

    def name(self, index: int) -> str:
        """Return the name of a case, or its row counted from one."""
        return f"row {index + 1}" if self.ids is None else str(self.ids[index])

    def with_groups(self, groups: Iterable[Hashable]) -> Forecasts:
        """Return the same forecasts with the group of every case."""
        return replace(self, groups=_plain(groups))

    def clip(self, floor: float) -> Forecasts:
        """Return the same with no forecast chance below a floor.

        Parameters
        ----------
        floor : float
            Smallest probability (or density) that counts as stated.

        Returns
        -------
        Forecasts
            A copy that says how many cases were raised.

        Raises
        ------
        UsageError
            If only `j` is known, or the floor would raise every probability.

        Examples
        --------
        >>> boasts = Forecasts.from_probabilities([0.0, 0.5], [0.5, 0.5])
        >>> boasts.n_impossible, boasts.clip(0.01).n_floored
        (1, 1)
        """
        if self.log_q is None or self.log_p is None:
            problem = "is one of the forecast's chances, and only log-ratios are known"
            raise UsageError(problem, parameter="floor")
        low = _check_floor(floor, self.log_q)
        raised = np.maximum(self.log_q, low)
        return replace(
            self,
            j=raised - self.log_p,
            log_q=raised,
            floor=float(floor),
            n_floored=int((self.log_q < low).sum()),
        )

    def relative_to(self, other: Forecasts) -> Forecasts:
        """Hold these forecasts against others of the same cases.

        The information of a case is then log Q1 - log Q0: what these know beyond any
        prior, less what the others know beyond it.

        Parameters
        ----------
        other : Forecasts
            Of the same cases in the same order.

        Returns
        -------
        Forecasts
            Whose prior is the other forecaster.

        Raises
        ------
        InvalidInputError
            If they are not of the same cases, or the others gave no chance to what
            happened.

        Examples
        --------
        >>> one, two = (
        ...     Forecasts.from_probabilities(q, [0.5, 0.5])
        ...     for q in ([0.8, 0.5], [0.4, 0.5])
        ... )
        >>> one.relative_to(two).j.round(3).tolist()
        [0.693, 0.0]
        """
        if self.log_q is None or other.log_q is None:
            q1, q0 = self.j, other.j
        else:
            q1, q0 = self.log_q, other.log_q
        return _relative(q1, q0, _shared(self, other))

    @classmethod
    def from_probabilities(
        cls,
        q: ArrayLike,
        p: ArrayLike,
        *,
        ids: Iterable[Hashable] | None = None,
        groups: Iterable[Hashable] | None = None,
    ) -> Forecasts:
        """Take the probabilities that forecast and prior gave to what happened.

        Parameters
        ----------
        q : array-like of shape (n,)
            Probability that the forecast gave to what happened.
        p : array-like of shape (n,)
            The same of the prior.
        ids, groups : iterable of hashable, optional
            Name and group of every case.

        Returns
        -------
        Forecasts
            One j per case; minus infinity where `q` is zero.

        Raises
        ------
        InvalidInputError
            If lengths differ, a value is no probability, or `p` is zero.

        Examples
        --------
        >>> Forecasts.from_probabilities([0.8, 0.0], [0.5, 0.5]).j.round(3).tolist()
        [0.47, -inf]
        """
        stated, before = check_column(q, "q"), check_column(p, "p")
        check_same_length(q=stated, p=before)
        check_chances(stated, "q")
        check_chances(before, "p")
        odd = _half_precision(q, "q")
        return _made(_log(stated), _log(before), ids=ids, groups=groups, notes=odd)

    @classmethod
    def from_class_probabilities(
        cls,
        proba: ArrayLike,
        y_true: Iterable[Hashable],
        *,
        prior: ArrayLike | Mapping[Hashable, float] | str | None = None,
        y_train: Iterable[Hashable] | None = None,
        classes: Sequence[Hashable] | None = None,
        normalize: bool = False,
        ids: Iterable[Hashable] | None = None,
        groups: Iterable[Hashable] | None = None,
    ) -> Forecasts:
        """Take the probability of every class, and which class it was.

        Parameters
        ----------
        proba : array-like of shape (n, n_classes) or (n,)
            Forecast probability of every class; every row adds up to one. Columns of a
            data frame are named by their classes, in any order. Or one column: the
            probability that a thing happens, of which `y_true` says whether it did.
        y_true : iterable of hashable
            The class that each case turned out to be.
        prior : array-like, mapping or "leave-one-out", optional
            Probability of every class without a forecast: in the order of the columns,
            by label, or the frequencies among the other cases, each case left out of
            its own.
        y_train : iterable of hashable, optional
            Labels of the training cases, whose frequencies are then the prior.
        classes : sequence of hashable, optional
            Labels of the columns; for one column, what did not happen and what did, by
            default 0 and 1 (False and True).
        normalize : bool, default=False
            Whether to divide rows by their sum instead of refusing them.
        ids, groups : iterable of hashable, optional
            Name and group of every case.

        Returns
        -------
        Forecasts
            One j per case, with the chances kept for the reliability view.

        Raises
        ------
        InvalidInputError
            If a row is no distribution or a label no class.
        InsufficientDataError
            If a class occurs once and its prior is to come from the other cases.

        Examples
        --------
        >>> q = [[0.8, 0.2], [0.3, 0.7], [0.6, 0.4]]
        >>> forecasts = Forecasts.from_class_probabilities(
        ...     q, [0, 1, 1], prior=[0.5, 0.5]
        ... )
        >>> forecasts.j.round(3).tolist()
        [0.47, 0.336, -0.223]
        """
        odd = _half_precision(proba, "proba")
        if np.ndim(proba) == 1:
            proba, classes = _two_columns(proba, y_true, classes)
        elif classes is None and hasattr(proba, "columns"):
            classes = _named_columns(proba, y_true)
        matrix = _check_rows(proba, normalize=normalize)
        own, names = match_labels(
            y_true, matrix.shape[1], classes, what="probability columns"
        )
        if own.size != len(matrix):
            problem = f"has {own.size:,} labels for {len(matrix):,} rows"
            raise InvalidInputError(problem, parameter="y_true")
        before, source = _class_prior(own, names, prior=prior, y_train=y_train)
        return _made(
            _log(matrix[np.arange(own.size), own]),
            _log(before),
            ids=ids,
            groups=groups,
            prior_source=source,
            calibration=_class_events(matrix, own, names),
            notes=odd,
            prior_parameter="prior",
        )

    @classmethod
    def from_logs(
        cls,
        log_q: ArrayLike,
        log_p: ArrayLike,
        *,
        base: str | int = "e",
        base_p: str | int | None = None,
        ids: Iterable[Hashable] | None = None,
        groups: Iterable[Hashable] | None = None,
    ) -> Forecasts:
        """Take log-probabilities (or log-densities) of what happened.

        Parameters
        ----------
        log_q : array-like of shape (n,)
            Logarithm of what the forecast gave to what happened; minus infinity for no
            chance at all.
        log_p : array-like of shape (n,)
            The same of the prior, in the same unit of what happened.
        base : {"e", "2", "10"}, default="e"
            Base of the logarithms.
        base_p : {"e", "2", "10"}, optional
            Base of `log_p`, where it is another one.
        ids, groups : iterable of hashable, optional
            Name and group of every case.

        Returns
        -------
        Forecasts
            One j per case.

        Raises
        ------
        InvalidInputError
            If lengths differ, values are NaN or plus infinity, both chances of a case
            are zero, or the numbers are plainly probabilities.

        Examples
        --------
        >>> Forecasts.from_logs([-1.0, -2.0], [-2.0, -2.0], base=2).j.round(4).tolist()
        [0.6931, 0.0]
        """
        q = check_column(log_q, "log_q", allow_negative_infinity=True)
        p = check_column(log_p, "log_p", allow_negative_infinity=True)
        check_same_length(log_q=q, log_p=p)
        unit_q = _nats_per_log(base, "base")
        unit_p = unit_q if base_p is None else _nats_per_log(base_p, "base_p")
        odd = [
            *like_probabilities(log_q=q, log_p=p),
            *_other_base(q, "log_q", unit_q),
            *_other_base(p, "log_p", unit_p),
        ]
        q, p = q * unit_q, p * unit_p
        notes = (*odd, *_two_bases(q, p))
        return _made(q, p, ids=ids, groups=groups, notes=notes, prior_parameter="log_p")

    @classmethod
    def from_log_ratios(
        cls,
        j: ArrayLike,
        *,
        base: str | int = "e",
        ids: Iterable[Hashable] | None = None,
        groups: Iterable[Hashable] | None = None,
    ) -> Forecasts:
        """Take the information of every case as it was computed elsewhere.

        Parameters
        ----------
        j : array-like of shape (n,)
            Logarithm of forecast over prior; minus infinity for no chance at all.
        base : {"e", "2", "10"}, default="e"
            Base of the logarithm.
        ids, groups : iterable of hashable, optional
            Name and group of every case.

        Returns
        -------
        Forecasts
            Without `log_q` and `log_p`.

        Examples
        --------
        >>> Forecasts.from_log_ratios([1.0, -1.0], base=2).j.round(3).tolist()
        [0.693, -0.693]
        """
        values = check_column(j, "j", allow_negative_infinity=True)
        unit = _nats_per_log(base, "base")
        return cls(j=values * unit, ids=_plain(ids), groups=_plain(groups))

    @classmethod
    def from_densities(
        cls,
        y_true: ArrayLike,
        mean: ArrayLike,
        sigma: ArrayLike | float,
        *,
        y_train: ArrayLike,
        density: str = "normal",
        df: float = 4.0,
        ids: Iterable[Hashable] | None = None,
        groups: Iterable[Hashable] | None = None,
    ) -> Forecasts:
        """Take predicted means and standard deviations of numbers that then came out.

        The prior is a density of the same kind, fitted to the training values.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            What came out.
        mean : array-like of shape (n,)
            What was predicted.
        sigma : float or array-like of shape (n,)
            Standard deviation that the forecast states.
        y_train : array-like of shape (m,)
            Values of the training cases, to which the prior is fitted.
        density : {"normal", "student", "laplace"}, default="normal"
            Shape of the density around each prediction; one of `DENSITIES`.
        df : float, default=4
            Degrees of freedom of "student"; more than 2, so that `sigma` exists.
        ids, groups : iterable of hashable, optional
            Name and group of every case.

        Returns
        -------
        Forecasts
            One j per case.

        Raises
        ------
        InvalidInputError
            If lengths differ or a standard deviation is not positive.

        Examples
        --------
        >>> forecasts = Forecasts.from_densities(
        ...     [1.0, 2.0], [1.1, 1.8], 0.3, y_train=[0, 1, 2, 3]
        ... )
        >>> forecasts.j.round(3).tolist()
        [1.36, 1.193]
        """
        log_q, log_p, pairs = density_logs(
            y_true, mean, sigma, y_train=y_train, density=density, df=df
        )
        return _made(
            log_q,
            log_p,
            ids=ids,
            groups=groups,
            prior_source=PriorSource.FITTED_DENSITY,
            calibration=pairs,
        )

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: ArrayLike,
        y_true: ArrayLike,
        *,
        y_train: ArrayLike,
        density: str = "normal",
        sigma: ArrayLike | float | None = None,
        df: float = 4.0,
        ids: Iterable[Hashable] | None = None,
        groups: Iterable[Hashable] | None = None,
    ) -> Forecasts:
        """Take the predictions of a fitted scikit-learn regressor for unseen cases.

        Parameters
        ----------
        model : estimator
            Fitted; its `predict` is called once.
        X : array-like of shape (n, n_features)
            The cases.
        y_true : array-like of shape (n,)
            What came out.
        y_train : array-like of shape (m,)
            Values of the training cases, to which the prior is fitted.
        density : {"normal", "student", "laplace"}, default="normal"
            Shape of the density around each prediction; one of `DENSITIES`.
        sigma : float or array-like of shape (n,), optional
            Standard deviation of the density; by default what
            ``predict(X, return_std=True)`` gives.
        df : float, default=4
            Degrees of freedom of "student".
        ids, groups : iterable of hashable, optional
            Name and group of every case.

        Returns
        -------
        Forecasts
            One j per case.

        Raises
        ------
        UsageError
            If the regressor states no standard deviation and none is given.

        Examples
        --------
        >>> from sklearn.linear_model import BayesianRidge
        >>> x = np.arange(20.0)[:, None]
        >>> model = BayesianRidge().fit(x[::2], x[::2, 0])
        >>> forecasts = Forecasts.from_estimator(
        ...     model, x[1::2], x[1::2, 0], y_train=x[::2, 0]
        ... )
        >>> bool(forecasts.j.mean() > 1)
        True
        """
        mean, spread = predicted_densities(model, X, sigma)
        return cls.from_densities(
            y_true,
            mean,
            spread,
            y_train=y_train,
            density=density,
            df=df,
            ids=ids,
            groups=groups,
        )

    @classmethod
    def from_survival(
        cls,
        event: ArrayLike,
        *,
        log_density: ArrayLike,
        log_survival: ArrayLike,
        prior_log_density: ArrayLike,
        prior_log_survival: ArrayLike,
        ids: Iterable[Hashable] | None = None,
        groups: Iterable[Hashable] | None = None,
    ) -> Forecasts:
        """Take predictive densities and survival functions at the observed times.

        A case whose event was seen counts with the ratio of densities, a case that was
        still waiting with the ratio of survival probabilities. Natural logarithms.

        Parameters
        ----------
        event : array-like of bool
            Whether the event was seen; otherwise the time is censored on the right.
        log_density, log_survival : array-like of shape (n,)
            Of the forecast, at the observed time.
        prior_log_density, prior_log_survival : array-like of shape (n,)
            Of the prior.
        ids, groups : iterable of hashable, optional
            Name and group of every case.

        Returns
        -------
        Forecasts
            One j per case, with its `is_censored`.

        Raises
        ------
        InvalidInputError
            If lengths differ, a survival is above one, or `event` is not 0 or 1.

        Examples
        --------
        >>> forecasts = Forecasts.from_survival(
        ...     [1, 0],
        ...     log_density=[-1.0, -9.0],
        ...     log_survival=[-0.5, -0.2],
        ...     prior_log_density=[-1.5, -9.0],
        ...     prior_log_survival=[-0.5, -0.6],
        ... )
        >>> forecasts.j.round(3).tolist()
        [0.5, 0.4]
        """
        is_seen = seen_events(event)
        log_q = where_known(is_seen, log_density, log_survival, "")
        log_p = where_known(is_seen, prior_log_density, prior_log_survival, "prior_")
        return _made(
            log_q,
            log_p,
            ids=ids,
            groups=groups,
            is_censored=~is_seen,
            prior_parameter="prior_log_density",
        )


def _made(
    log_q: FloatArray,
    log_p: FloatArray,
    *,
    ids: Iterable[Hashable] | None,
    groups: Iterable[Hashable] | None,
    notes: tuple[Note, ...] = (),
    prior_parameter: str = "p",
    **more: Any,
) -> Forecasts:
    """Make forecasts of checked logarithms in nats; warn of what looked odd."""
    _refuse_impossible_prior(log_q, log_p, prior_parameter)
    warn_of(notes, DataWarning)
    return Forecasts(
        j=log_q - log_p,
        log_q=log_q,
        log_p=log_p,
        ids=_plain(ids),
        groups=_plain(groups),
        notes=notes,
        **more,
    )


def _plain(values: Iterable[Hashable] | None) -> tuple[Hashable, ...] | None:
    """Return names or groups as plain Python values."""
    return None if values is None else tuple(label_list(values))


def _log(chance: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        logarithm: FloatArray = np.log(chance)
    return logarithm


def _nats_per_log(base: str | int, parameter: str) -> float:
    return _BASES[check_one_of(str(base), parameter, tuple(_BASES))]


# Two forecasters ---------------------------------------------------------------------


def _relative(q1: FloatArray, q0: FloatArray, shared: Mapping[str, Any]) -> Forecasts:
    """Hold the logarithms of one forecaster against those of another."""
    check_same_length(first=q1, second=q0)
    n_zero = int((q0 == -np.inf).sum())
    if n_zero:
        raise InvalidInputError(
            f"gave no chance to what happened in {n_zero} case(s), where the first "
            "forecast is infinitely better",
            parameter="second",
            location=Location(row=int(np.argmin(q0)) + 1),
            remedy="look at each against a prior, or state a floor",
            option="floor",
        )
    return Forecasts(
        j=q1 - q0,
        log_q=q1,
        log_p=q0,
        prior_source=PriorSource.FORECASTER,
        **shared,
    )


def _shared(first: Forecasts, second: Forecasts) -> dict[str, Any]:
    """Return what both know of the cases; refuse contradictions."""
    both = (first, second)
    shared: dict[str, Any] = {"n_floored": sum(x.n_floored for x in both)}
    check_same_length(first=first.j, second=second.j)
    for name, what in (
        ("ids", "names"),
        ("groups", "groups"),
        ("is_censored", "censored cases"),
    ):
        given = [getattr(x, name) for x in both if getattr(x, name) is not None]
        if len(given) == 2 and not np.array_equal(given[0], given[1]):
            differ = (i for i, (a, b) in enumerate(zip(*given, strict=True)) if a != b)
            raise InvalidInputError(
                f"the {what} differ from those of the first forecast",
                parameter="second",
                location=Location(row=next(differ) + 1),
                remedy="give both for the same cases in the same order",
            )
        shared[name] = given[0] if given else None
    floors = [x.floor for x in both]
    shared["floor"] = max((x for x in floors if x is not None), default=None)
    notes = [note for x in both for note in x.notes]
    if len(set(floors)) > 1:
        names = tuple("none" if x is None else f"{x:g}" for x in floors)
        notes.append(Note(code=InformationNote.FLOORS_DIFFER, names=names))
    shared["notes"] = tuple(dict.fromkeys(notes))
    return shared


# Class priors ------------------------------------------------------------------------


def _class_prior(
    own: IntArray,
    classes: Sequence[Hashable],
    *,
    prior: ArrayLike | Mapping[Hashable, float] | str | None = None,
    y_train: Iterable[Hashable] | None = None,
) -> tuple[FloatArray, PriorSource]:
    """Return the prior chance of the class that each case turned out to be."""
    is_named = isinstance(prior, str)
    is_odd = is_named and prior != PriorSource.LEAVE_ONE_OUT
    if (prior is None) == (y_train is None) or is_odd:
        raise UsageError(
            "say what the forecasts are held against, in one way: it is never taken "
            "from the cases themselves unasked",
            parameter="prior",
            remedy="state the probability of every class, give the labels of training "
            "cases, or leave each case out of its own prior",
        )
    if is_named:
        return _leave_one_out(own, classes), PriorSource.LEAVE_ONE_OUT
    if y_train is not None:
        return _from_training(own, classes, y_train), PriorSource.TRAINING
    return _stated(own, classes, prior), PriorSource.STATED


def _stated(
    own: IntArray,
    classes: Sequence[Hashable],
    prior: ArrayLike | Mapping[Hashable, float] | str | None,
) -> FloatArray:
    named = listed(classes, 5)
    if isinstance(prior, Mapping):
        by_text = {str(label): value for label, value in prior.items()}
        missing = [str(c) for c in classes if str(c) not in by_text]
        if missing or len(by_text) != len(classes):
            problem = f"must name every class once: {named}; got {listed(by_text)}"
            raise InvalidInputError(problem, parameter="prior")
        prior = [by_text[str(c)] for c in classes]
    if np.ndim(np.asarray(prior)) == 0:
        problem = (
            f"must hold the probability of every class ({named}), in this order or by "
            f"name; got the one number {prior!r}"
        )
        raise InvalidInputError(problem, parameter="prior")
    chance = check_column(np.asarray(prior), "prior")
    check_chances(chance, "prior")
    if chance.size != len(classes) or abs(chance.sum() - 1) > 1e-6 * chance.size:
        problem = (
            f"must hold {len(classes)} probabilities that add up to one; got "
            f"{chance.size} that add up to {chance.sum():.6g}"
        )
        raise InvalidInputError(problem, parameter="prior")
    return np.asarray(chance[own])


def _from_training(
    own: IntArray, classes: Sequence[Hashable], y_train: Iterable[Hashable]
) -> FloatArray:
    known = {str(c) for c in classes}
    counts = Counter(
        # False and True are the classes 0 and 1, unless classes are called so.
        str(int(x)) if isinstance(x, bool) and str(x) not in known else str(x)
        for x in label_list(y_train)
    )
    total = sum(counts.values())
    if not total:
        raise InvalidInputError("there are no training labels", parameter="y_train")
    chance = np.array([counts[str(c)] / total for c in classes])
    unseen = np.unique(own[chance[own] == 0])
    if unseen.size:
        raise InvalidInputError(
            f"class {quoted(classes[unseen[0]])} occurs among the cases but not among "
            f"the {total:,} training labels, so its prior chance would be zero",
            parameter="y_train",
            remedy="state a prior instead",
        )
    return np.asarray(chance[own])


def _leave_one_out(own: IntArray, classes: Sequence[Hashable]) -> FloatArray:
    counts = np.bincount(own, minlength=len(classes))
    alone = np.flatnonzero(counts == 1)
    if alone.size:
        n, needed = own.size, 2 * int((counts > 0).sum())
        fewest = f", {needed} in all" if n < needed else ""
        raise InsufficientDataError(
            f"class {quoted(classes[alone[0]])} occurs once among {n:,} "
            f"case{'' if n == 1 else 's'}, so with its case left out it would have no "
            "chance; leave-one-out needs at least 2 cases of every class that occurs"
            f"{fewest}",
            parameter="y_true",
            remedy="state a prior, or give training labels",
        )
    return np.asarray((counts[own] - 1) / (own.size - 1))


# Class probabilities -----------------------------------------------------------------


def _two_columns(
    chance: ArrayLike,
    y_true: Iterable[Hashable],
    classes: Sequence[Hashable] | None,
) -> tuple[FloatArray, Sequence[Hashable]]:
    """Make the columns of a thing that does not happen, and that does."""
    happens = check_column(chance, "proba")
    check_chances(happens, "proba")
    both = np.column_stack([1 - happens, happens])
    if classes is not None:
        if len(classes) != 2:
            problem = (
                "one column of probabilities has two classes: what did not happen, and "
                f"what did; got {len(classes)}"
            )
            raise InvalidInputError(problem, parameter="classes")
        return both, classes
    found = set(label_list(y_true))
    if found <= {0, 1}:  # also False and True
        return both, (0, 1)
    if found <= {"0", "1"}:
        return both, ("0", "1")
    raise InvalidInputError(
        "one column of probabilities goes with labels 0 and 1 (or False and True), 1 "
        f"being what it is the probability of; got {listed(sorted(map(repr, found)))}",
        parameter="y_true",
        remedy="name both classes, what did not happen and what did",
        option="classes",
    )


def _named_columns(proba: Any, y_true: Iterable[Hashable]) -> list[Hashable] | None:
    """Return the names of columns if the labels are among them."""
    names = label_list(proba.columns)
    known = {str(name) for name in names}
    is_inside = all(str(label) in known for label in label_list(y_true))
    return names if is_inside else None


def _check_rows(proba: ArrayLike, *, normalize: bool) -> FloatArray:
    """Return distributions over classes, a row for each case."""
    rounding = _rounding(np.asarray(proba).dtype)
    matrix = np.asarray(check_matrix(proba, parameter="proba"), np.float64)
    if matrix.shape[1] < 2:
        problem = "must have a column for every class, so at least two"
        raise InvalidInputError(problem, parameter="proba")
    check_chances(matrix, "proba")
    sums = matrix.sum(axis=1)
    is_off = np.abs(sums - 1) > max(rounding, 1e-6 * matrix.shape[1])
    if normalize:
        is_off = sums <= 0
    if is_off.any():
        row = int(np.argmax(is_off))
        hint, remedy = _way_out(sums, matrix.shape[1])
        raise InvalidInputError(
            f"{int(is_off.sum())} row(s) do not add up to one; the first adds up to "
            f"{sums[row]:.6g}{hint}",
            parameter="proba",
            location=Location(row=row + 1),
            remedy=remedy,
            option="normalize",
        )
    return matrix / sums[:, None] if normalize else matrix


def _rounding(dtype: np.dtype[Any]) -> float:
    """Return by how much numbers of a type that make one may miss it.

    Half of it is what rounding to the nearest does to the largest numbers; libraries
    that work in half precision throughout need the other half.
    """
    return float(np.finfo(dtype).eps) if dtype.kind == "f" else 0.0


def _way_out(sums: FloatArray, n_classes: int) -> tuple[str, str]:
    """Say what rows that do not make one may be, and what to do then."""
    worst = float(np.abs(sums - 1).max())
    # As many halves of the last digit as there are classes.
    digits = next((d for d in (4, 3, 2) if worst <= n_classes * 0.51 / 10**d), None)
    if digits is not None and worst < 1 - _MUCH_LESS:
        return f"; they seem rounded to {digits} digits or so", "divide by the sum"
    if (sums < 1).all() and sums.min() < _MUCH_LESS:
        return (
            "; is a class missing?",
            "give one column for every class, the last one too; if none is missing, "
            "divide by the sum",
        )
    return "", "repair them, or divide by the sum"


def _class_events(
    matrix: FloatArray, own: IntArray, names: Sequence[Hashable]
) -> CalibrationPairs:
    """Return every class of every case as an event; of two classes, the second."""
    happened = np.zeros(matrix.shape, dtype=np.bool_)
    happened[np.arange(own.size), own] = True
    if matrix.shape[1] == 2:
        return CalibrationPairs(
            predicted=matrix[:, 1],
            happened=happened[:, 1],
            events=CalibrationEvents.TWO_CLASSES,
            names=(str(names[0]), str(names[1])),
        )
    return CalibrationPairs(
        predicted=matrix.ravel(),
        happened=happened.ravel(),
        events=CalibrationEvents.CLASSES,
    )


# What cannot be ---------------------------------------------------------------------


def _refuse_impossible_prior(
    log_q: FloatArray, log_p: FloatArray, parameter: str
) -> None:
    """Refuse cases that the prior ruled out, which the forecast did as well or not."""
    is_impossible = log_p == -np.inf
    if not is_impossible.any():
        return
    row = int(np.argmax(is_impossible))
    both = " and under the forecast" if log_q[row] == -np.inf else ""
    raise InvalidInputError(
        f"{int(is_impossible.sum())} case(s) had no chance under the prior; the first "
        f"had none under the prior{both}",
        parameter=parameter,
        location=Location(row=row + 1),
        remedy="a prior must allow whatever may happen",
    )


def _check_floor(floor: float, *log_q: FloatArray) -> float:
    """Return the logarithm of a floor below some of the chances."""
    if not (isinstance(floor, numbers.Real) and 0 < float(floor) < math.inf):
        problem = f"must be a positive probability or density; got {floor!r}"
        raise UsageError(problem, parameter="floor")
    if float(floor) >= 1 and all((x <= 0).all() for x in log_q):
        raise UsageError(
            f"must be below 1, the largest of all chances, since {floor:g} would raise "
            "every forecast to itself",
            parameter="floor",
            remedy="try a small one such as 0.001",
        )
    return math.log(float(floor))


# What looks odd ----------------------------------------------------------------------


def _half_precision(values: ArrayLike, name: str) -> tuple[Note, ...]:
    """Note where half precision has rounded probabilities to zero."""
    array = np.asarray(values)
    n_zero = int((array == 0).sum()) if array.dtype == np.float16 else 0
    if not n_zero:
        return ()
    code = InformationNote.HALF_PRECISION
    return (Note(code=code, names=(name,), count=n_zero),)


def like_probabilities(**logs: FloatArray) -> tuple[Note, ...]:
    """Refuse probabilities given as logarithms; note where only one looks so."""
    odd = tuple(
        name for name, x in logs.items() if bool((x > 0).all() and (x <= 1).all())
    )
    if not odd:
        return ()
    first = next(iter(logs.values()))
    is_varied = any(np.ptp(x) > 0 for x in logs.values())
    if len(odd) == 2 and first.size >= _LEAST and is_varied:
        raise InvalidInputError(
            f"{' and '.join(odd)} lie in (0, 1] throughout, as probabilities do and "
            "logarithms of them never",
            parameter=odd[0],
            remedy="give them as the probabilities that they are",
        )
    return (Note(code=InformationNote.LIKE_PROBABILITIES, names=odd),)


def _other_base(logs: FloatArray, name: str, unit: float) -> tuple[Note, ...]:
    """Note where the few values of a column make one in another base only."""
    values = np.unique(logs[np.isfinite(logs)])
    if logs.size < _LEAST or not 0 < values.size <= _FEW or values.max() >= 0:
        return ()
    if _make_one(np.exp(values * unit)):
        return ()
    for base, other in _BASES.items():
        if other != unit and _make_one(np.exp(values * other)):
            return (Note(code=InformationNote.OTHER_BASE, names=(name, base)),)
    return ()


def _make_one(chances: FloatArray) -> bool:
    """Tell whether chances add up to one; a single one counts for equal classes."""
    if chances.size == 1:
        n = 1 / float(chances[0])
        return 1.5 < n < _MOST_CLASSES and abs(n - round(n)) < _EXACT * n
    return abs(float(chances.sum()) - 1) < _EXACT


def _two_bases(q: FloatArray, p: FloatArray) -> tuple[Note, ...]:
    """Note where log_q is log_p in another base, give or take."""
    is_usable = np.isfinite(q) & (p != 0)
    if is_usable.sum() < _LEAST:
        return ()
    low, middle, high = np.quantile(q[is_usable] / p[is_usable], [0.25, 0.5, 0.75])
    if middle <= 0 or high - low > _NARROW * middle:
        return ()
    units = tuple(_BASES.values())
    for a in units:
        for b in units:
            if a != b and abs(middle * b / a - 1) < _SAME:
                code = InformationNote.TWO_BASES
                return (Note(code=code, value=float(middle)),)
    return ()
