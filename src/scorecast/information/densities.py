"""Cases from predicted numbers with a stated density around them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from scorecast._core.checks import check_choice
from scorecast._core.types import FloatArray
from scorecast.exceptions import InsufficientDataError, InvalidInputError, UsageError
from scorecast.information.cases import CaseInformation, labels_of
from scorecast.information.columns import check_column, check_same_length
from scorecast.information.forecasts import Forecasts

__all__ = ["DENSITIES", "cases_from_densities", "cases_from_regressor"]

DENSITIES = ("normal", "student", "laplace")
_QUANTILES = np.linspace(0.05, 0.95, 10)


def cases_from_densities(
    y_true: ArrayLike,
    mean: ArrayLike,
    sigma: ArrayLike | float,
    *,
    y_train: ArrayLike,
    density: str = "normal",
    df: float = 4.0,
    ids: Iterable[Hashable] | None = None,
    groups: Iterable[Hashable] | None = None,
) -> CaseInformation:
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
        Shape of the density around each prediction.
    df : float, default=4
        Degrees of freedom of "student"; more than 2, so that `sigma` exists.
    ids, groups : iterable of hashable, optional
        Name and group of every case.

    Returns
    -------
    CaseInformation
        One j per case.

    Raises
    ------
    InvalidInputError
        If lengths differ or a standard deviation is not positive.

    Examples
    --------
    >>> cases = cases_from_densities([1.0, 2.0], [1.1, 1.8], 0.3, y_train=[0, 1, 2, 3])
    >>> cases.j.round(3).tolist()
    [1.36, 1.193]
    """
    y, centre = check_column(y_true, "y_true"), check_column(mean, "mean")
    spread = check_column(np.broadcast_to(np.asarray(sigma), y.shape), "sigma")
    check_same_length(y_true=y, mean=centre, sigma=spread)
    if (spread <= 0).any():
        row = int(np.argmax(spread <= 0)) + 1
        msg = f"sigma must be positive; it is {spread[row - 1]:g} in row {row}."
        raise InvalidInputError(msg)
    shape = _shape(density, df)
    before = check_column(y_train, "y_train")
    middle, width = shape.fit(before)
    log_q = shape.log_density((y - centre) / shape.scale(spread))
    log_q -= np.log(shape.scale(spread))
    log_p = shape.log_density((y - middle) / width) - np.log(width)
    return CaseInformation(
        j=log_q - log_p,
        log_q=log_q,
        log_p=log_p,
        ids=labels_of(ids),
        groups=labels_of(groups),
        forecasts=_quantiles(shape.cdf((y - centre) / shape.scale(spread))),
        prior=f"a {density} density fitted to the training values",
    )


def cases_from_regressor(
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
) -> CaseInformation:
    """Take the predictions of a fitted scikit-learn regressor for cases it never saw.

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
        Shape of the density around each prediction.
    sigma : float or array-like of shape (n,), optional
        Standard deviation of the density; by default what
        ``predict(X, return_std=True)`` gives.
    df : float, default=4
        Degrees of freedom of "student".
    ids, groups : iterable of hashable, optional
        Name and group of every case.

    Returns
    -------
    CaseInformation
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
    >>> cases = cases_from_regressor(model, x[1::2], x[1::2, 0], y_train=x[::2, 0])
    >>> bool(cases.j.mean() > 1)
    True
    """
    if sigma is None:
        if "return_std" not in inspect.signature(model.predict).parameters:
            msg = (
                f"{type(model).__name__} states no standard deviation: its predict has "
                "no return_std. Give sigma=, estimated on cases apart from these."
            )
            raise UsageError(msg)
        mean, sigma = model.predict(X, return_std=True)
    else:
        mean = model.predict(X)
    return cases_from_densities(
        y_true,
        mean,
        sigma,
        y_train=y_train,
        density=density,
        df=df,
        ids=ids,
        groups=groups,
    )


@dataclass(frozen=True, kw_only=True)
class _Shape:
    """A density of location and scale."""

    log_density: Callable[[FloatArray], FloatArray]
    cdf: Callable[[FloatArray], FloatArray]
    unit_sd: float  # standard deviation at scale one
    fitted: Callable[[FloatArray], tuple[float, float]]

    def scale(self, sd: FloatArray) -> FloatArray:
        return sd / self.unit_sd

    def fit(self, values: FloatArray) -> tuple[float, float]:
        """Return location and scale of greatest likelihood."""
        if np.ptp(values) == 0:
            msg = "All training values are equal: no density can be fitted to them."
            raise InsufficientDataError(msg)
        return self.fitted(values)


def _shape(density: str, df: float) -> _Shape:
    check_choice(density, "density", DENSITIES)
    if density == "normal":
        return _Shape(
            log_density=lambda z: -0.5 * z * z - 0.5 * np.log(2 * np.pi),
            cdf=special.ndtr,
            unit_sd=1.0,
            fitted=lambda y: (float(y.mean()), float(y.std())),
        )
    if density == "laplace":
        return _Shape(
            log_density=lambda z: -np.abs(z) - np.log(2),
            cdf=lambda z: (
                np.where(z < 0, 0.5, 0.0) * np.exp(-np.abs(z))
                + np.where(z < 0, 0.0, 1 - 0.5 * np.exp(-np.abs(z)))
            ),
            unit_sd=float(np.sqrt(2)),
            fitted=lambda y: (
                float(np.median(y)),
                float(np.abs(y - np.median(y)).mean()),
            ),
        )
    if not df > 2:
        msg = f"`df` must be more than 2, so that sigma exists; got {df!r}."
        raise UsageError(msg)
    constant = special.gammaln((df + 1) / 2) - special.gammaln(df / 2)
    constant -= 0.5 * np.log(df * np.pi)
    return _Shape(
        log_density=lambda z: constant - (df + 1) / 2 * np.log1p(z * z / df),
        cdf=lambda z: special.stdtr(df, z),
        unit_sd=float(np.sqrt(df / (df - 2))),
        fitted=lambda y: _student_fit(y, df),
    )


def _student_fit(values: FloatArray, df: float) -> tuple[float, float]:
    """Fit location and scale by iterated weights (EM), which always improves."""
    middle, square = float(np.median(values)), float(values.var())
    for _ in range(500):
        weight = (df + 1) / (df + (values - middle) ** 2 / square)
        new = float((weight * values).sum() / weight.sum())
        square_new = float((weight * (values - new) ** 2).mean())
        settled = abs(square_new - square) < 1e-12 * square
        middle, square = new, square_new
        if settled:
            break
    return middle, float(np.sqrt(square))


def _quantiles(below: FloatArray) -> Forecasts:
    """Return, for ten stated quantiles, whether each case fell below."""
    return Forecasts(
        predicted=np.repeat(_QUANTILES, below.size),
        happened=np.concatenate([below <= level for level in _QUANTILES]),
        what="falling below a stated quantile",
    )
