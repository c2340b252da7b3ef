"""Sentences that a program prints are broken on the page, as a terminal breaks them; tables stay as they are."""

from __future__ import annotations

import re
import textwrap

from docutils import nodes
from sphinx.application import Sphinx

_PRINTED = {"text", "console", "myst-ansi"}
_WIDTH = 88  # of the theme's column
_TABLE = re.compile(r"\S {2,}\S|^\s|[─━░▒]")


def _broken(line: str) -> str:
    return line if _TABLE.search(line) else "\n".join(textwrap.wrap(line, _WIDTH, break_on_hyphens=False)) or line


def _break_sentences(_app: Sphinx, page: nodes.document) -> None:
    for block in page.findall(nodes.literal_block):
        if block.get("language") in _PRINTED:
            text = "\n".join(map(_broken, block.astext().split("\n")))
            block.rawsource = text
            block.children[:] = []
            block.append(nodes.Text(text))


def setup(app: Sphinx) -> dict[str, bool]:
    """Go over every page that is read."""
    app.connect("doctree-read", _break_sentences)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
