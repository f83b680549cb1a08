"""Turn a drawing into SVG that lives inside a page.

Colours become CSS variables, text stays text in the font of the page, names of
elements are unique within the page, and the same drawing gives the same bytes.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from xml.etree import ElementTree as ET

from scorecast.exceptions import MissingExtraError
from scorecast.report.figures import COLOURS, WIDE, Drawing, new_figure
from scorecast.report.formats import clipped, printable

__all__ = ["svg_of"]

_NUMBER = re.compile(r"-?\d+\.\d+")
_REFERENCE = re.compile(r"#([A-Za-z_][\w.-]*)")
_COLOUR = {value: name for name, value in COLOURS.items()}
_DROPPED = ("font-family", "font-stretch", "font-style", "font-variant")
_LONGEST_TEXT = 1000


def svg_of(drawing: Drawing, *, name: str, width: float = WIDE) -> str:
    """Render a drawing.

    Parameters
    ----------
    drawing : Drawing
        What to draw.
    name : str
        Prefix of all identifiers; unique within the page.
    width : float, default=504
        Width of the figure in points.

    Returns
    -------
    str
        One ``<svg>`` element for use inside HTML, with a title and a description.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    """
    with _plain_matplotlib(name):
        figure, axes = new_figure(drawing, width)
        drawing.draw(axes)
        figure.set_facecolor("none")
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    root = ET.fromstring(text.getvalue())
    return _inlined(root, drawing, name)


@contextmanager
def _plain_matplotlib(salt: str) -> Iterator[None]:
    """Let neither the user's settings nor missing glyphs change or disturb a figure."""
    try:
        import matplotlib as mpl  # optional, and slow to load
    except ImportError as error:
        what = "Figures"
        raise MissingExtraError(what, "plot") from error
    with mpl.rc_context(), warnings.catch_warnings():
        # The browser has glyphs that matplotlib's own font lacks.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        mpl.rcdefaults()
        mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": salt})
        yield


def _inlined(root: ET.Element, drawing: Drawing, name: str) -> str:
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        element.tail = None
        if element.tag != "text":
            element.text = None
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in {"metadata", "style"}:
                parent.remove(child)
    referenced = {
        found
        for element in root.iter()
        for value in element.attrib.values()
        for found in _REFERENCE.findall(value)
    }
    for element in root.iter():
        element.attrib = dict(_attributes(element, referenced, name))
    _unwrap(root)
    _introduce(root, drawing, name)
    return ET.tostring(root, encoding="unicode")


def _attributes(
    element: ET.Element, referenced: set[str], name: str
) -> Iterator[tuple[str, str]]:
    for key, value in element.attrib.items():
        key = key.rpartition("}")[2]
        if key == "id":
            if value in referenced:
                yield key, f"{name}-{value}"
        elif key == "style":
            yield key, _style(value)
        elif key in {"href", "clip-path"}:
            yield key, value.replace("#", f"#{name}-")
        elif key == "transform" and value.startswith("rotate(-0 "):
            continue
        elif key not in {"version", "width", "height"} or element.tag == "rect":
            yield key, _NUMBER.sub(_rounded, " ".join(value.split()))


def _rounded(number: re.Match[str]) -> str:
    return f"{float(number[0]):.1f}".removesuffix(".0")


def _style(text: str) -> str:
    kept = []
    for declaration in text.split(";"):
        key, _, value = (part.strip() for part in declaration.partition(":"))
        if not key or key in _DROPPED:
            continue
        if key == "font":  # how matplotlib before 3.10 writes it
            size = re.search(r"[\d.]+px", value)
            bold = re.match(r"(bold|[6-9]00)\b", value)
            kept += [f"font-size:{size[0]}"] if size else []
            kept += ["font-weight:700"] if bold else []
        elif value in _COLOUR:
            kept.append(f"{key}:var(--{_COLOUR[value]},{value})")
        else:
            kept.append(f"{key}:{_NUMBER.sub(_rounded, value)}")
    return ";".join(kept)


def _unwrap(element: ET.Element) -> None:
    """Remove groups that say nothing, and definitions left empty."""
    children: list[ET.Element] = []
    for child in list(element):
        _unwrap(child)
        if child.tag == "g" and not child.attrib:
            children.extend(child)
        elif child.tag != "defs" or len(child):
            children.append(child)
    element[:] = children


def _introduce(root: ET.Element, drawing: Drawing, name: str) -> None:
    root.set("role", "img")
    root.set("aria-labelledby", f"{name}-title {name}-desc")
    root.set("stroke-linejoin", "round")
    title = ET.Element("title", id=f"{name}-title")
    title.text = clipped(printable(drawing.title), _LONGEST_TEXT)
    description = ET.Element("desc", id=f"{name}-desc")
    description.text = clipped(printable(drawing.description), _LONGEST_TEXT)
    root[:0] = [title, description]
