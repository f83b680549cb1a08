"""What people see: text, figures, one self-contained page.

`render` writes any result for people, `write_report` one page of several, `plot` draws
the main figure, `load` reads a saved result. `report/<room>.py` lays out the results of
a room, found by their kind when first needed; neither matplotlib nor jinja2 nor rich is
loaded before something is drawn or written.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from scorecast._core.result import Result
from scorecast.exceptions import UsageError
from scorecast.report.views import document as lay_out, load

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from scorecast.report.figures import Drawing

__all__ = ["lay_out", "load", "main_drawing", "plot", "render", "write_report"]

_FORMATS = "text, html, markdown, latex, paragraph"


def render(
    result: Result,
    format: str = "text",  # noqa: A002 - as pandas and SciPy call it
    *,
    width: int = 88,
    ascii_only: bool = False,
    color: bool = False,
) -> str:
    """Write a result for people.

    Parameters
    ----------
    result : Result
        Any answer of scorecast.
    format : {"text", "html", "markdown", "latex", "paragraph"}, default="text"
        Lines for a terminal, a whole page, Markdown, the tables for LaTeX, or a
        paragraph for a paper.
    width : int, default=88
        Of the lines of text.
    ascii_only : bool, default=False
        Whether text is to hold nothing but ASCII.
    color : bool, default=False
        Whether text is to use colour and weight.

    Returns
    -------
    str
        The same answer in every form.

    Raises
    ------
    UsageError
        If there is no such form, or not of this result.

    Examples
    --------
    >>> import scorecast as sc
    >>> answer = sc.required_test_size(accuracy=0.9, width=0.1)
    >>> print(sc.render(answer, width=70))
    141 test samples give a 95 % interval (wilson) of width 0.1 around an
    accuracy of 90 %.
    ...
    """
    if format == "html":
        return _page((result,), None, None)
    laid_out = lay_out(result)
    if format == "text":
        terminal = import_module("scorecast.report.terminal")
        return str(
            terminal.write(laid_out, width=width, ascii_only=ascii_only, color=color)
        )
    if format == "paragraph":
        return laid_out.paragraph or laid_out.headline
    if format in ("markdown", "latex"):
        writer = import_module(f"scorecast.report.{format}")
        return str(writer.write(laid_out))
    raise UsageError(f"must be one of {_FORMATS}; got {format!r}", parameter="format")


def write_report(
    results: Result | Iterable[Result],
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    provenance: Mapping[str, Any] | None = None,
    force: bool = False,
) -> str:
    """Write results as one self-contained HTML page.

    Parameters
    ----------
    results : Result or iterable of Result
        What to show, one after the other.
    path : str or path-like
        Where to write the page; it is written whole or not at all.
    title : str, optional
        Title of the page.
    provenance : mapping, optional
        Where the numbers come from: ``command``, ``data`` (source and licence),
        ``inputs`` (each with ``path``, ``sha256``, ``bytes``) and ``date``, as far as
        they are known.
    force : bool, default=False
        Whether to replace a file that exists.

    Returns
    -------
    str
        The path.

    Examples
    --------
    >>> import tempfile
    >>> import scorecast as sc
    >>> answer = sc.required_test_size(accuracy=0.9, width=0.1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = sc.write_report(answer, f"{folder}/answer.html", title="A test")
    >>> path.endswith("answer.html")
    True
    """
    from scorecast.io import write_text

    page = _page(results, title, provenance)
    # What the numbers come from must survive, even with `force`.
    given = [
        str(entry.get("path", "")) for entry in (provenance or {}).get("inputs", ())
    ]
    kept = [name for name in given if os.path.exists(name.partition("::")[0])]
    write_text(path, page, force=force, inputs=kept)
    return os.fspath(path)


def _page(
    results: Result | Iterable[Result],
    title: str | None,
    provenance: Mapping[str, Any] | None,
) -> str:
    html = import_module("scorecast.report.html")
    every = (results,) if isinstance(results, Result) else tuple(results)
    return str(html.write_page(every, title or "", provenance or {}))


def plot(result: Result, ax: Axes | None = None) -> Axes:
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

    Raises
    ------
    UsageError
        If there is no figure of this kind of result.

    Examples
    --------
    >>> import scorecast as sc
    >>> axes = sc.plot(sc.accuracy_curve([[3, 1, 2], [1, 2, 3], [0, 1, 2]], [0, 1, 2]))
    >>> axes.get_xlabel()
    'number of classes'
    """
    figures = import_module("scorecast.report.figures")
    drawn: Axes = figures.draw_on(main_drawing(result), ax)
    return drawn


def main_drawing(result: Result) -> Drawing:
    """Return the figure that carries the message of a result, not drawn yet."""
    figure = lay_out(result).main_figure
    if figure is None:
        raise UsageError(
            f"there is no figure for {result.kind!r}",
            remedy="`to_columns()` has its numbers",
        )
    return figure
