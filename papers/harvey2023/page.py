"""The page that tells the story: prose by hand, tables by `make paper`, between marks."""

from __future__ import annotations

import re
from collections.abc import Mapping

_BLOCK = re.compile(r"(<!-- made: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(page: str, blocks: Mapping[str, str]) -> str:
    """The page with every marked block made anew."""
    marks = [name for _, name, _ in _BLOCK.findall(page)]
    if sorted(marks) != sorted(blocks):
        raise ValueError(f"The page has the marks {marks}, and there is text for {list(blocks)}.")
    return _BLOCK.sub(lambda found: f"{found[1]}\n{blocks[found[2]]}\n\n{found[3]}", page)


def table_page(title: str, origin: str, tables: Mapping[str, str]) -> str:
    """A page of full tables, each under its heading."""
    parts = [f"# {title}", f"{origin}. Made by `make paper`; [what the columns mean](../README.md)."]
    for heading, table in tables.items():
        parts += [f"## {heading}", table]
    return "\n\n".join(parts) + "\n"
