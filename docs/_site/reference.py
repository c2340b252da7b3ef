"""The API reference: every public name on the page of its topic, and nothing that belongs to other libraries.

`.. public:: collect images` documents the public names that these packages define: a table, then each in full. The
pictures of `apexgp.plot` are a topic of their own, wherever their questions live.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import apexgp


def names_in(packages: list[str]) -> dict[str, str]:
    """Public functions and classes of these packages, with the directive that documents them: functions first."""
    found = {}
    inner = [getattr(apexgp, name) for name in apexgp.__all__ if inspect.ismodule(getattr(apexgp, name))]
    for holder in (apexgp, *inner):
        for name in holder.__all__:
            value = getattr(holder, name)
            module = getattr(value, "__module__", "")
            is_picture = holder is apexgp.plot
            if is_picture and "plot" not in packages:
                continue
            if is_picture or any(f"{module}.".startswith(f"apexgp.{package}.") for package in packages):
                if inspect.isclass(value):
                    found[f"{holder.__name__}.{name}"] = "autoclass"
                elif inspect.isfunction(value):
                    found[f"{holder.__name__}.{name}"] = "autofunction"
    return dict(sorted(found.items(), key=lambda pair: (pair[1] == "autoclass", pair[0].rpartition(".")[2].lower())))


class PublicNames(SphinxDirective):
    """Documents what is public in some packages."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Write the directives that autodoc has for each, and have them read."""
        names = names_in(" ".join(self.content).split())
        table = [".. autosummary::", "   :nosignatures:", "", *(f"   {name}" for name in names), ""]
        entries = [f".. {directive}:: {name}\n" for name, directive in names.items()]
        return self.parse_text_to_nodes("\n".join([*table, *entries]))


def _foreign(_app: Sphinx, _what: str, _name: str, value: Any, _skip: bool, _options: Any) -> bool | None:
    """Leave out what a class inherits from other libraries, such as scikit-learn's routing of metadata."""
    if isinstance(value, property):
        return None
    function = getattr(value, "__func__", value)
    module = getattr(function, "__module__", None) or getattr(getattr(function, "__objclass__", None), "__module__", "")
    return None if not callable(function) or module.startswith("apexgp") else True


def _plain_aliases(
    _app: Sphinx, _what: str, _name: str, _value: Any, _options: Any, arguments: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    """Types by the names of their aliases, also where Sphinx leaves the object that stands for the name."""

    def plain(text: str | None) -> str | None:
        return text and re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", text)

    return plain(arguments), plain(returned)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive and the filter."""
    app.add_directive("public", PublicNames)
    app.connect("autodoc-skip-member", _foreign)
    app.connect("autodoc-process-signature", _plain_aliases)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
