"""One self-contained page: no script, nothing fetched, nothing trusted."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from scorecast._core.results import Result
from scorecast._version import __version__
from scorecast.exceptions import MissingExtraError, UsageError
from scorecast.report.figures import NARROW, WIDE, Drawing
from scorecast.report.formats import clipped, count, printable
from scorecast.report.plots import main_drawing
from scorecast.report.sections import report_sections
from scorecast.report.svg import svg_of

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["Report", "render_html", "to_html", "write_html"]

_LONGEST = 400


@dataclass(frozen=True, kw_only=True)
class Report:
    """What goes on a page.

    Attributes
    ----------
    results : tuple of Result
        Shown one after the other.
    title : str
        Title of the page; may be empty.
    provenance : mapping
        Where the numbers come from: ``command``, ``data`` (source and licence),
        ``inputs`` (each with ``path``, ``sha256``, ``bytes``) and ``date``; all
        optional.
    """

    results: tuple[Result, ...]
    title: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)


def render_html(report: Report) -> str:
    """Write a report as one HTML page.

    Parameters
    ----------
    report : Report
        What goes on the page.

    Returns
    -------
    str
        The page; the same report gives the same bytes.

    Raises
    ------
    UsageError
        If there are no results.
    """
    if not report.results:
        msg = "A report needs at least one result."
        raise UsageError(msg)
    chapters = [report_sections(result) for result in report.results]
    figures = _Figures()
    drawn = [
        [(section, figures.both(section.figure)) for section in sections]
        for sections in chapters
    ]
    page = _environment().get_template("page.html.j2")
    return page.render(
        title=report.title,
        tab=clipped(report.title or chapters[0][0].heading, 120),
        css=_template("page.css"),
        chapters=drawn,
        without_figures=figures.missing,
        foot=_foot(report),
        inputs=_inputs(report.provenance),
    )


def write_html(
    report: Report, path: str | os.PathLike[str], *, force: bool = False
) -> str:
    """Write a report to a file, whole or not at all.

    Parameters
    ----------
    report : Report
        What goes on the page.
    path : str or path-like
        The file.
    force : bool, default=False
        Whether to replace a file that exists.

    Returns
    -------
    str
        The page.
    """
    from scorecast.io import write_text  # only needed here

    page = render_html(report)
    # What the numbers come from must survive, even with `force`.
    paths = [entry["path"] for entry in _inputs(report.provenance)]
    kept = [name for name in paths if os.path.exists(name.partition("::")[0])]
    write_text(path, page, force=force, inputs=kept)
    return page


def to_html(result: Result) -> str:
    """Write a result as a fragment of HTML, for notebooks.

    Parameters
    ----------
    result : Result
        Any result.

    Returns
    -------
    str
        Its sentence, its small tables and, where matplotlib is there, its figure.
    """
    head = report_sections(result)[0]
    return (
        _environment()
        .get_template("fragment.html.j2")
        .render(section=head, svg=_main_svg(result))
    )


def _main_svg(result: Result) -> str:
    try:
        drawing = main_drawing(result)
        # A notebook shows many fragments in one page: name the parts by content.
        digest = hashlib.sha256(repr(result.to_dict()).encode()).hexdigest()
        return svg_of(drawing, name=f"sc{digest[:10]}")
    except (MissingExtraError, UsageError):
        return ""


class _Figures:
    """Render drawings twice, for wide and for narrow screens, and count them."""

    def __init__(self) -> None:
        self.drawn = 0
        self.missing = False

    def both(self, drawing: Drawing | None) -> tuple[str, ...]:
        if drawing is None or self.missing:
            return ()
        self.drawn += 1
        widths = (("w", WIDE), ("n", NARROW))
        try:
            return tuple(
                svg_of(drawing, name=f"f{self.drawn}{letter}", width=width)
                for letter, width in widths
            )
        except MissingExtraError:
            self.missing = True
            return ()


def _foot(report: Report) -> list[tuple[str, str]]:
    seeds = [getattr(result, "seed", None) for result in report.results]
    known = [str(seed) for seed in dict.fromkeys(seeds) if seed is not None]
    facts = [("scorecast", __version__), ("Seed", ", ".join(known))]
    facts += [
        (name.capitalize(), str(report.provenance.get(name) or ""))
        for name in ("command", "data", "date")
    ]
    return [(name, text) for name, text in facts if text]


def _inputs(provenance: Mapping[str, Any]) -> list[dict[str, str]]:
    given: Iterable[Mapping[str, Any]] = provenance.get("inputs") or ()
    rows = []
    for entry in given:
        size = entry.get("bytes")
        rows.append(
            {
                "path": str(entry.get("path", "")),
                "sha256": str(entry.get("sha256", "")),
                "bytes": f"{count(size)} bytes" if isinstance(size, int) else "",
            }
        )
    return rows


@cache
def _environment() -> Environment:
    import jinja2  # only pages need it

    environment = jinja2.Environment(
        # `select_autoescape` would not escape in names that end with .j2.
        autoescape=True,
        loader=jinja2.FunctionLoader(_template),
        undefined=jinja2.StrictUndefined,
        finalize=_harmless,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["longest"] = _LONGEST
    environment.filters["unbroken"] = _unbroken
    return environment


def _harmless(value: Any) -> Any:
    """Escape control characters in all text but the markup that we made ourselves."""
    is_markup = hasattr(value, "__html__")
    return printable(value) if isinstance(value, str) and not is_markup else value


def _unbroken(text: str) -> str:
    """Keep a number and its percent sign on one line."""
    return text.replace(" %", "\N{NO-BREAK SPACE}%")


def _template(name: str) -> str:
    return files("scorecast.report").joinpath("templates", name).read_text("utf-8")
