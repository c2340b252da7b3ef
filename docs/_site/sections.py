"""The search of the site: every section and every public name with its text, as one script that needs no server.

Sphinx's own search fetches each page that it found to quote from it, which browsers refuse where pages are files.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

_TERMS = "docs/terms"  # each of its rows is an entry
_LEFT_OUT = ("CHANGELOG", "papers/harvey2023/results/")


def _text_of(part: nodes.Element, *, without: tuple[type[nodes.Element], ...]) -> str:
    """The words of a part, but for those of the parts in it that have entries of their own."""
    words = [
        child.astext() if isinstance(child, nodes.Text | nodes.TextElement) else _text_of(child, without=without)
        for child in part.children
        if not isinstance(child, without)
    ]
    return " ".join(" ".join(words).split())


def _sections(app: Sphinx, name: str) -> Iterator[list[str]]:
    page, title = app.env.get_doctree(name), app.env.titles[name].astext()
    address = app.builder.get_target_uri(name)
    own = (nodes.section, addnodes.desc, nodes.title, addnodes.toctree, nodes.comment)
    for part in page.findall(nodes.section):
        heading = part[0].astext()
        at = "" if part.parent is page else f"#{part['ids'][0]}"
        yield [title, "" if not at else heading, address + at, _text_of(part, without=own)]
        if name == _TERMS and at:
            for row in (row for table in part.findall(nodes.tbody) for row in table.findall(nodes.row)):
                term, meaning = (cell.astext() for cell in row.children)
                yield [title, term, address + at, meaning]
    for part in page.findall(addnodes.desc):
        signature = part[0]
        if signature.get("ids"):
            yield [title, signature["ids"][0], f"{address}#{signature['ids'][0]}", _text_of(part[-1], without=own)]


def _write(app: Sphinx, error: Exception | None) -> None:
    if error is None and app.builder.format == "html":
        names = sorted(name for name in app.env.found_docs if not name.startswith(_LEFT_OUT))
        entries = [entry for name in names for entry in _sections(app, name)]
        script = f"const SECTIONS = {json.dumps(entries, ensure_ascii=False)};\n"
        Path(app.outdir, "_static", "sections.js").write_text(script, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the script once all pages are there."""
    app.connect("build-finished", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
