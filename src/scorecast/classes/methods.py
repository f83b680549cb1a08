"""Extrapolation methods by name."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from scorecast._core.checks import check_choice
from scorecast._core.keywords import meant_by
from scorecast.classes.auto import Auto
from scorecast.classes.bayesian import Bayesian
from scorecast.classes.gaussian import Gaussian
from scorecast.classes.kde import KdeBcv, KdeFixed, KdeUcv
from scorecast.classes.method import Method
from scorecast.classes.polynomial import Polynomial
from scorecast.classes.regression import Regression
from scorecast.classes.spline import Spline
from scorecast.classes.top import TopMethod
from scorecast.exceptions import UnknownParameterError, UsageError

__all__ = ["METHODS", "make_method", "with_jobs"]

# What every forecast takes beside the options of its method.
_BESIDE = ("to", "level", "top", "ties", "average", "random_state", "n_jobs")

METHODS: dict[str, type[Method]] = {
    method.name: method
    for method in (
        Auto,
        Bayesian,
        Regression,
        Gaussian,
        KdeUcv,
        KdeBcv,
        KdeFixed,
        Spline,
        Polynomial,
    )
}


def make_method(method: str | Method, **options: Any) -> Method:
    """Return a method by its name, with options.

    Parameters
    ----------
    method : str or Method
        A name, or a ready method.
    **options
        What the method understands, such as ``bandwidth=0.5``.

    Returns
    -------
    Method
        Ready to fit.

    Raises
    ------
    UsageError
        If the name or an option is unknown.
    """
    if isinstance(method, Method):
        if options:
            msg = f"Options {sorted(options)} have no place beside a ready method."
            raise UsageError(msg)
        return method
    kind: Any = METHODS[check_choice(method, "method", tuple(METHODS))]
    known = tuple(f.name for f in fields(kind))
    for name in options:
        if name not in known:
            meant = meant_by(name, (*known, *_BESIDE))
            understood = ", ".join(known) or "none"
            hint = f" Did you mean `{meant}`?" if meant else ""
            msg = f"Method {method!r} has no option {name!r}; it has: {understood}."
            raise UnknownParameterError(msg + hint)
    made: Method = kind(**options)
    return made


def with_jobs(method: Method, n_jobs: int | None) -> Method:
    """Tell a method how many threads it may use, if it uses any.

    Parameters
    ----------
    method : Method
        Any method.
    n_jobs : int or None
        Number of threads; None leaves the method as it is.

    Returns
    -------
    Method
        The same method.
    """
    if isinstance(method, TopMethod):
        return replace(method, method=with_jobs(method.method, n_jobs))
    dataclass_method: Any = method
    if n_jobs is None or "n_jobs" not in {f.name for f in fields(dataclass_method)}:
        return method
    told: Method = replace(dataclass_method, n_jobs=n_jobs)
    return told
