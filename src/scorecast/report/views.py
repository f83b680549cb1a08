"""Views of results, found by the kind of result when first needed.

`report/<room>.py` has a dictionary `VIEWS` from kinds of results to functions that lay
them out; it is loaded with the room when the first of these is shown.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from scorecast._core.result import Result, result_from_dict
from scorecast.exceptions import InvalidInputError, Location, UsageError

if TYPE_CHECKING:
    from scorecast.report.document import Document


# `report/<room>.py` lays out results of these kinds, each as one `Document`.
_ROOMS: dict[str, str] = {
    "assessment": "assess",
    "estimate-assessment": "assess",
    "bicluster-scores": "biclusters",
    "bicluster-settings": "bicluster_settings",
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
    "required-classes": "planning",
    "required-test-size": "planning",
    "required-training-size": "planning",
    "reproduction": "reproduction",
    "reproduction-catalogue": "reproduction",
    "selection-bias": "features",
    "settings-assessment": "settings",
    "simulated-biclusters": "simulate",
    "survival": "survival",
    "simulated-classification": "simulate",
    "simulated-forecasts": "simulate",
    "simulated-regression": "simulate",
    "simulated-survival": "simulate",
    "simulated-recognition": "simulate",
    "accuracy-curve": "extrapolation",
    "backtest": "extrapolation",
    "curve-extrapolation": "extrapolation",
    "extrapolation": "extrapolation",
    "recogniser-comparison": "extrapolation",
    "risk-curve": "extrapolation",
    "risk-extrapolation": "extrapolation",
}


# What fields, each right by itself, lead to where they contradict one another.
UNFIT = (
    *(ArithmeticError, AttributeError, LookupError, TypeError, ValueError),
    StopIteration,  # of what is looked for among others
)


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
    kind = getattr(result, "kind", None)
    if kind not in _ROOMS:
        what = f"of kind {kind!r}" if kind else f"of type {type(result).__name__}"
        problem = f"there is no view of what is {what}"
        raise UsageError(problem, parameter="result")
    views: dict[str, Callable[[Any], Document]]
    views = import_module(f"scorecast.report.{_ROOMS[result.kind]}").VIEWS
    return views[result.kind](result)


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

    Examples
    --------
    >>> import json, tempfile
    >>> from pathlib import Path
    >>> import scorecast as sc
    >>> answer = sc.required_test_size(accuracy=0.9, width=0.1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "answer.json")
    ...     _ = path.write_text(json.dumps(answer.to_dict()))
    ...     again = sc.load(path)
    >>> again.n_samples == answer.n_samples
    True
    """
    from scorecast.io import read_json

    data = read_json(os.fspath(path))
    _load_kind(data.get("kind") if isinstance(data, dict) else None)
    try:
        return result_from_dict(data)
    except InvalidInputError as error:
        raise error.located(Location(file=os.fspath(path))) from error
    except UNFIT as error:
        raise unfit(path, error) from error


def unfit(path: str | os.PathLike[str], error: Exception) -> InvalidInputError:
    """Blame a saved result for what cannot be shown of it."""
    return InvalidInputError(
        f"its fields do not fit one another ({type(error).__name__})",
        location=Location(file=os.fspath(path)),
        remedy="save the result anew; if it was not edited, report it with --debug",
    )


def _load_kind(kind: object) -> None:
    """Load the class of a kind of results: the module of its view does."""
    if isinstance(kind, str) and kind in _ROOMS:
        import_module(f"scorecast.report.{_ROOMS[kind]}")
