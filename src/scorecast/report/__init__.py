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

from scorecast._core.results import Result
from scorecast.exceptions import UsageError
from scorecast.report.views import document as lay_out, has_document, load

if TYPE_CHECKING:
    from scorecast.report.figures import Drawing
    from scorecast.report.html import Report, render_html, to_html, write_html
    from scorecast.report.plots import main_drawing, plot
    from scorecast.report.sections import Section, Table, report_sections
    from scorecast.report.text import (
        render_text,
    )

__all__ = [
    "Drawing",
    "Report",
    "Section",
    "Table",
    "lay_out",
    "load",
    "main_drawing",
    "plot",
    "render",
    "render_html",
    "render_text",
    "report",
    "report_sections",
    "to_html",
    "write_html",
    "write_report",
]

# What lays out results of rooms that are not rebuilt yet, and the writers.
_LATER = {
    "Drawing": "figures",
    "Report": "html",
    "render_html": "html",
    "to_html": "html",
    "write_html": "html",
    "main_drawing": "plots",
    "plot": "plots",
    "Section": "sections",
    "Table": "sections",
    "report_sections": "sections",
    "render_text": "text",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(f"scorecast.report.{_LATER[name]}"), name)


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
    """
    if format == "html":
        return _page((result,), None, None)
    if not has_document(result):
        if format == "text":
            older = import_module("scorecast.report.text")
            return str(older.render_text(result, ascii_only=ascii_only))
        problem = f"is not known for results of kind {result.kind!r}; got {format!r}"
        raise UsageError(problem, parameter="format")
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
    known = "text, html, markdown, latex, paragraph"
    raise UsageError(f"must be one of {known}; got {format!r}", parameter="format")


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
    shown = html.Report(results=every, title=title or "", provenance=provenance or {})
    return str(html.render_html(shown))


def report(
    results: Result | Iterable[Result],
    path: str | os.PathLike[str] | None = None,
    *,
    title: str | None = None,
    provenance: Mapping[str, Any] | None = None,
    force: bool = False,
) -> str:
    """Write results as one page: `write_report`, or the page itself without a path."""
    if path is None:
        return _page(results, title, provenance)
    return write_report(results, path, title=title, provenance=provenance, force=force)
