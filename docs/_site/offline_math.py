"""Formulas as MathML, which browsers show by themselves: no script, no font, no network."""

from __future__ import annotations

import re

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

# Browsers set no space between log and x.
_NAME_BEFORE_LETTER = re.compile(r"<mo>&ApplyFunction;</mo>(?!\s*(<mrow>\s*)?<mo)")
_LOG = logging.getLogger(__name__)


def _mathml(node: nodes.Element, as_block: bool) -> str:
    source = node.astext()
    try:
        return _NAME_BEFORE_LETTER.sub(r'\g<0><mspace width="0.17em"/>', tex2mathml(source, as_block=as_block))
    except MathError as error:
        _LOG.warning("formula %r: %s", source, error, location=node)
        return source


def _inline(writer: HTML5Translator, node: nodes.math) -> None:
    writer.body.append(_mathml(node, as_block=False))
    raise nodes.SkipNode


def _block(writer: HTML5Translator, node: nodes.math_block) -> None:
    writer.body.append(f'<div class="math">{_mathml(node, as_block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer, and use it."""
    app.add_html_math_renderer("offline", (_inline, None), (_block, None))
    app.config.html_math_renderer = "offline"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
