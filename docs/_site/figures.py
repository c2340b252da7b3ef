"""Cells that hold several numbers stay on one line: three numbers below each other cannot be compared along a row."""

from __future__ import annotations

import re

from docutils import nodes
from sphinx.application import Sphinx

_FIGURES = re.compile(r"[-+±.,/%()\d\s]*\d[-+±.,/%()\d\s]*-?")


def _keep_together(_app: Sphinx, page: nodes.document) -> None:
    for cell in page.findall(nodes.entry):
        if " " in cell.astext() and _FIGURES.fullmatch(cell.astext()):
            cell["classes"].append("figures")


def setup(app: Sphinx) -> dict[str, bool]:
    """Go over every page that is read."""
    app.connect("doctree-read", _keep_together)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
