"""Draw any result: one function per kind says how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scorecast.exceptions import UsageError
from scorecast.report.figures import Drawing, draw_on
from scorecast.report.views import ViewFunction, document, has_document

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["main_drawing", "plot"]


def plot(result: Any, ax: Axes | None = None) -> Axes:
    """Draw the main figure of a result.

    Parameters
    ----------
    result : Result
        Any result that has a figure.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib axes
        The axes drawn on; their figure is ``axes.figure``.
    """
    return draw_on(main_drawing(result), ax)


@ViewFunction
def main_drawing(result: Any) -> Drawing:
    """Choose the figure that carries the message of a result.

    Register a function for every kind of result.

    Parameters
    ----------
    result : Result
        Any result.

    Returns
    -------
    Drawing
        The figure, not drawn yet.

    Raises
    ------
    UsageError
        If there is no figure for this kind.
    """
    if has_document(result):
        figure = document(result).main_figure
        if figure is not None:
            return figure
    kind = getattr(result, "kind", type(result).__name__)
    msg = f"There is no figure for {kind!r}; `to_columns()` has its numbers."
    raise UsageError(msg)
