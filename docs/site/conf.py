"""The settings of the documentation site, which ``docs/write_site.py`` builds with Sphinx."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docutils import nodes
from latex2mathml.converter import convert

import carob

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "carob"
version = release = carob.__version__
html_title = f"carob {version}"
author = "The carob developers"
html_show_copyright = html_show_sphinx = False
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]

# The pages are those that code hosts show: their anchors and their blocks of mathematics mean the same here.
myst_heading_anchors = 6
myst_fence_as_directive = ["math"]
# Chinese pages quote English ones and their terms: one index serves all.
language = "en"
smartquotes = False  # a quotation mark or two hyphens in a command stay what they are

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = html_show_sourcelink = False
html_domain_indices = False
pygments_style, pygments_dark_style = "a11y-high-contrast-light", "a11y-high-contrast-dark"
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#0b5394",
        "color-brand-content": "#0b5394",
    },
    "dark_css_variables": {"color-brand-primary": "#8ab8ff", "color-brand-content": "#8ab8ff"},
}

# Sentences say the types; signatures with overloads and aliases would be longer than those.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_numpy_docstring = False
napoleon_use_rtype = False


def _as_mathml(translator: Any, node: nodes.Element) -> None:
    """Writes a formula as MathML, which browsers draw without a script."""
    display = "block" if isinstance(node, nodes.math_block) else "inline"
    formula = convert(node.astext(), display=display)
    translator.body.append(
        f'<div class="formula" tabindex="0">{formula}</div>' if display == "block" else formula
    )
    raise nodes.SkipNode


def _with_dashes(_: Sphinx, document: nodes.document) -> None:
    """Writes a dash, not two hyphens, between a parameter and its meaning."""
    for text in [each for each in document.findall(nodes.Text) if each == " -- "]:
        text.parent.replace(text, nodes.Text(" – "))


def setup(app: Sphinx) -> None:
    """Registers MathML as the writer of formulas."""
    app.connect("doctree-read", _with_dashes)
    app.add_html_math_renderer("mathml", (_as_mathml, None), (_as_mathml, None))


html_math_renderer = "mathml"
