"""How the documentation is built: `make docs`.

The pages need nothing from outside: fonts and scripts are those of the theme, copied
beside them, and formulas become MathML, which browsers show without a script.
"""

import sys
from pathlib import Path

from docutils import nodes
from docutils.utils.math import latex2mathml

from scorecast import __version__

sys.path.insert(0, str(Path(__file__).parent))
from write_reference import write_reference

# Before anything is read: what is written there is a page like any other.
write_reference(Path(__file__).parent / "reference" / "generated")

project = "scorecast"
author = "The scorecast authors"
copyright = "the scorecast authors, MIT licence"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
]
exclude_patterns = ["_build", "_templates"]
highlight_language = "text"
templates_path = ["_templates"]
html_static_path = ["_static"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
suppress_warnings = ["misc.highlighting_failure"]

autosummary_generate = True
autosummary_imported_members = False
autodoc_typehints = "none"
autodoc_class_signature = "mixed"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

html_theme = "pydata_sphinx_theme"
html_title = f"scorecast {release}"
html_show_sphinx = False
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {
    page: []
    for page in (
        "index",
        "guide/more-classes",
        "guide/information",
        "guide/identification",
        "guide/assessment",
        "theory",
        "theory-information",
        "theory-identification",
        "theory-assessment",
        "glossary",
        "benchmarks",
    )
}
html_theme_options = {
    "logo": {"text": "scorecast"},
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_center": [],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": True,
    "icon_links": [],
    "use_edit_page_button": False,
}
html_math_renderer = "mathml"


def _mathml(text, *, block):
    return str(latex2mathml.tex2mathml(text, as_block=block))


def _visit_math(translator, node):
    translator.body.append(_mathml(node.astext(), block=False))
    raise nodes.SkipNode


def _visit_math_block(translator, node):
    translator.body.append(
        f'<div class="formula">{_mathml(node.astext(), block=True)}</div>'
    )
    raise nodes.SkipNode


def setup(app):
    """Show formulas as MathML."""
    app.add_html_math_renderer("mathml", (_visit_math, None), (_visit_math_block, None))
    app.add_css_file("page.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
