"""One self-contained page: no script, nothing fetched, nothing trusted."""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from scorecast._core.result import Result
from scorecast._version import __version__
from scorecast.exceptions import MissingExtraError, UsageError
from scorecast.report.document import Document, Section, Table
from scorecast.report.figures import NARROW, WIDE, Drawing
from scorecast.report.formats import clipped, count, printable
from scorecast.report.svg import svg_of
from scorecast.report.views import document

if TYPE_CHECKING:
    from jinja2 import Environment


_LONGEST = 600
# The blank before a sign or word that belongs to the number before it.
_UNITS = re.compile(r" (?=%)|(?<=\d) (?=(?:million|billion)\b)")


class _Part(NamedTuple):
    """A part of a page; what is empty is not shown."""

    heading: str
    lead: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()  # paragraphs that are shown in full, however long
    figure: Drawing | None = None
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    items: tuple[str, ...] = ()


def write_page(
    results: Sequence[Result], title: str, provenance: Mapping[str, Any]
) -> str:
    """Write results as one HTML page; the same results give the same bytes."""
    if not results:
        raise UsageError("a report needs at least one result", parameter="results")
    chapters = [_parts(document(result)) for result in results]
    figures = _Figures()
    drawn = [
        [(part, figures.both(part.figure)) for part in parts] for parts in chapters
    ]
    page = _environment().get_template("page.html.j2")
    return page.render(
        title=title,
        tab=clipped(title or chapters[0][0].heading, 120),
        css=_template("page.css"),
        chapters=drawn,
        without_figures=figures.missing,
        foot=_foot(results, provenance),
        inputs=_inputs(provenance),
    )


def write_fragment(result: Result) -> str:
    """Write a result as a fragment of HTML, for notebooks.

    It has the sentence, the small tables and, where matplotlib is there, the figure.
    """
    laid_out = document(result)
    head = _parts(laid_out)[0]
    svg = ""
    if laid_out.main_figure is not None:
        # A notebook shows many fragments in one page: name the parts by content.
        digest = hashlib.sha256(repr(result.to_dict()).encode()).hexdigest()
        with contextlib.suppress(MissingExtraError):
            svg = svg_of(laid_out.main_figure, name=f"sc{digest[:10]}")
    return _environment().get_template("fragment.html.j2").render(part=head, svg=svg)


def _parts(laid_out: Document) -> list[_Part]:
    """Return the parts of a page from a document; the first is its head."""
    first, *rest = laid_out.sections or (Section(),)
    if first.heading:
        first, rest = Section(), [first, *rest]
    head = _part(first)._replace(
        heading=laid_out.headline,
        notes=laid_out.notes,
        facts=tuple((name, text) for name, text in laid_out.facts if text),
    )
    found = [head, *map(_part, rest)]
    if laid_out.paragraph:
        found.append(_Part(heading="For a paper", whole=(laid_out.paragraph,)))
    if laid_out.references:
        found.append(_Part(heading="References", items=laid_out.references))
    return found


def _part(section: Section) -> _Part:
    return _Part(
        heading=section.heading,
        lead=section.lead,
        figure=section.figure,
        tables=section.tables,
        items=section.items,
    )


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


def _foot(
    results: Sequence[Result], provenance: Mapping[str, Any]
) -> list[tuple[str, str]]:
    seeds = [_seed(result) for result in results]
    known = [str(seed) for seed in dict.fromkeys(seeds) if seed is not None]
    facts = [("scorecast", __version__), ("Seed", ", ".join(known))]
    facts += [
        (name.capitalize(), str(provenance.get(name) or ""))
        for name in ("command", "data", "date")
    ]
    return [(name, text) for name, text in facts if text]


def _seed(result: Result) -> int | None:
    found = getattr(result, "random_state", None)
    return getattr(result, "seed", None) if found is None else found


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
    environment.filters["n_words"] = _n_words
    return environment


def _harmless(value: Any) -> Any:
    """Escape control characters in all text but the markup that we made ourselves."""
    is_markup = hasattr(value, "__html__")
    return printable(value) if isinstance(value, str) and not is_markup else value


def _unbroken(text: str) -> str:
    """Keep a number and its percent sign, or its millions, on one line."""
    return _UNITS.sub("\N{NO-BREAK SPACE}", text)


def _n_words(table: Table) -> int:
    """Count the columns of words; a remark stands under the first, at the left."""
    return max(table.n_words, int(any(table.notes)))


def _template(name: str) -> str:
    return files("scorecast.report").joinpath("templates", name).read_text("utf-8")
