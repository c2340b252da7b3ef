"""Links that are named after a file, as is usual on a forge, are named after the page on the site."""

from __future__ import annotations

import posixpath
import re

from docutils import nodes
from sphinx.application import Sphinx

_FILE = re.compile(r"[\w/.-]+\.(md|ipynb)")


def _name_by_title(app: Sphinx, page: nodes.document, name: str) -> None:
    for link in page.findall(nodes.reference):
        path, _, anchor = link.get("refuri", "").partition("#")
        if anchor or not (link.get("internal") and _FILE.fullmatch(link.astext())):
            continue
        target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)).removesuffix(".html")
        if target in app.env.titles:
            link.children[:] = []
            link += nodes.emphasis("", app.env.titles[target].astext())


def setup(app: Sphinx) -> dict[str, bool]:
    """Go over every page, once its links are known."""
    app.connect("doctree-resolved", _name_by_title)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
