"""What people see: text, figures, one self-contained page.

The package can be called: ``sc.report(result, "out.html")`` is `report`. Neither
matplotlib nor jinja2 is loaded before something is drawn or rendered.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

from scorecast._core.results import Result
from scorecast.exceptions import UsageError
from scorecast.report import terminal
from scorecast.report.drawing import Drawing
from scorecast.report.html import Report, render_html, to_html, write_html
from scorecast.report.plots import main_drawing, plot
from scorecast.report.sections import Section, Table, report_sections
from scorecast.report.text import (
    backtest_text,
    curve_text,
    extrapolation_text,
    render_text,
)
from scorecast.report.views import document, has_document

__all__ = [
    "Drawing",
    "Report",
    "Section",
    "Table",
    "backtest_text",
    "curve_text",
    "document",
    "extrapolation_text",
    "main_drawing",
    "plot",
    "render",
    "render_html",
    "render_text",
    "report",
    "report_sections",
    "to_html",
    "write_html",
]


def render(
    result: Result,
    format: str = "text",  # noqa: A002 - as pandas and SciPy call it
    *,
    width: int = 88,
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
        return render_html(Report(results=(result,)))
    if not has_document(result):
        if format == "text":
            return render_text(result)
        problem = f"is not known for results of kind {result.kind!r}; got {format!r}"
        raise UsageError(problem, parameter="format")
    laid_out = document(result)
    if format == "text":
        return terminal.write(laid_out, width=width)
    if format == "paragraph":
        return laid_out.paragraph or laid_out.headline
    if format in ("markdown", "latex"):
        writer = import_module(f"scorecast.report.{format}")
        return str(writer.write(laid_out))
    known = "text, html, markdown, latex, paragraph"
    raise UsageError(f"must be one of {known}; got {format!r}", parameter="format")


def report(
    result_or_results: Result | Iterable[Result],
    path: str | os.PathLike[str] | None = None,
    *,
    title: str | None = None,
    provenance: Mapping[str, Any] | None = None,
    force: bool = False,
) -> str:
    """Write results as one self-contained HTML page.

    Parameters
    ----------
    result_or_results : Result or iterable of Result
        What to show.
    path : str or path-like, optional
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
        The page, or the path where it was written.
    """
    given = result_or_results
    page = Report(
        results=(given,) if isinstance(given, Result) else tuple(given),
        title=title or "",
        provenance=provenance or {},
    )
    if path is None:
        return render_html(page)
    write_html(page, path, force=force)
    return os.fspath(path)


class _CallableModule(ModuleType):
    """Python binds this package to the name `scorecast.report`; let it be called."""

    def __call__(self, *args: Any, **kwargs: Any) -> str:
        return report(*args, **kwargs)


_CallableModule.__call__.__doc__ = report.__doc__
sys.modules[__name__].__class__ = _CallableModule
