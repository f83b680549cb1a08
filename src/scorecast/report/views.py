"""Views of results, found by the kind of result when first needed.

A module of views registers functions for the classes it shows; it is loaded when the
first result of such a class is shown, and with it the question that made the result.
"""

from __future__ import annotations

import functools
import os
import pkgutil
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from scorecast._core.results import Result, result_from_dict
from scorecast.exceptions import InvalidInputError, Location

if TYPE_CHECKING:
    from scorecast.report.document import Document

__all__ = ["ViewFunction", "document", "has_document", "load", "load_views"]

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

# `report/<room>.py` lays out results of these kinds, each as one `Document`.
_ROOMS: dict[str, str] = {
    "assessment": "assess",
    "estimate-assessment": "assess",
    "bicluster-scores": "biclusters",
    "data-profile": "features",
    "density-comparison": "density",
    "density-test": "density",
    "comparison": "comparison",
    "decoder-comparison": "identification",
    "identification": "identification",
    "implied-information": "identification",
    "information-bound": "identification",
    "information": "information",
    "pair-comparison": "comparison",
    "feature-selection-test": "features",
    "learning-curve": "learning_curves",
    "permutation-test": "permutation",
    "proportion-interval": "evaluation",
    "required-test-size": "planning",
    "selection-bias": "features",
    "settings-assessment": "settings",
    "simulated-biclusters": "simulate",
    "survival": "survival",
    "simulated-classification": "simulate",
    "simulated-forecasts": "simulate",
    "simulated-recognition": "simulate",
    "accuracy-curve": "extrapolation",
    "backtest": "extrapolation",
    "curve-extrapolation": "extrapolation",
    "extrapolation": "extrapolation",
    "recogniser-comparison": "extrapolation",
    "risk-curve": "extrapolation",
    "risk-extrapolation": "extrapolation",
}

# Views of rooms that are not rebuilt yet, by the class of the result.
_MODULES: dict[str, str] = {}


def load_views(kind: type) -> None:
    """Load the module that shows results of a class, or of one that it extends.

    Parameters
    ----------
    kind : type
        Class of a result.
    """
    for one in kind.__mro__:
        if one.__module__.startswith("scorecast.") and one.__name__ in _MODULES:
            import_module(f"scorecast.report.{_MODULES[one.__name__]}")
            return


def document(result: Any) -> Document:
    """Lay out a result.

    Parameters
    ----------
    result : Result
        Of a kind that has a document.

    Returns
    -------
    Document
        Its headline, notes, sections and facts.
    """
    views: dict[str, Callable[[Any], Document]]
    views = import_module(f"scorecast.report.{_ROOMS[result.kind]}").VIEWS
    return views[result.kind](result)


def has_document(result: Any) -> bool:
    """Say whether a result is laid out as one document."""
    return getattr(result, "kind", None) in _ROOMS


def load(path: str | os.PathLike[str]) -> Result:
    """Read a result that was saved as JSON.

    Parameters
    ----------
    path : str or path-like
        What ``--json`` or ``json.dump(result.to_dict(), file)`` wrote.

    Returns
    -------
    Result
        The same result.

    Raises
    ------
    InvalidInputError
        If it is no result, or damaged; the field at fault is named.
    """
    from scorecast.io import read_json

    data = read_json(os.fspath(path))
    _load_kind(data.get("kind") if isinstance(data, dict) else None)
    try:
        return result_from_dict(data)
    except InvalidInputError as error:
        raise error.located(Location(file=os.fspath(path))) from error


def _load_kind(kind: object) -> None:
    """Load the class of a kind of results: its view does, else every room is asked."""
    if kind in _ROOMS:
        import_module(f"scorecast.report.{_ROOMS[str(kind)]}")
        return
    rooms = pkgutil.iter_modules(import_module("scorecast").__path__)
    for name in (room.name for room in rooms if room.ispkg):
        if name not in ("_core", "cli", "report"):
            module = import_module(f"scorecast.{name}")
            for public in dir(module):  # what is loaded when first asked for
                getattr(module, public)


class ViewFunction(Generic[T]):
    """A function of a result, with another body for every class of results.

    Parameters
    ----------
    function : callable
        What is done with results that no view is registered for.
    """

    def __init__(self, function: Callable[..., T]) -> None:
        self._chosen = functools.singledispatch(function)
        functools.update_wrapper(self, function)

    def register(self, function: F) -> F:
        """Add the body for the class that the first parameter is annotated with."""
        self._chosen.register(function)
        return function

    def dispatch(self, kind: type) -> Callable[..., T]:
        """Return the body for a class of results."""
        load_views(kind)
        return self._chosen.dispatch(kind)

    def __call__(self, result: Any, **options: Any) -> T:
        """Show a result as its class is shown."""
        load_views(type(result))
        return self._chosen(result, **options)
