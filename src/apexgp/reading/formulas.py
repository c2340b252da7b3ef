"""Texts that a spreadsheet would run: written with a quote before them, and read without it.

A name such as =HYPERLINK(...) in a table of ours is opened by whoever the table is sent to.
"""

from __future__ import annotations

import re

__all__ = ["as_text", "restored"]

_RUN = re.compile(r"'*[=+\-@\t\r]")
_QUOTED = re.compile(r"'+[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?%?|[+-](inf|nan)", re.IGNORECASE)


def as_text(cell: object) -> object:
    """A cell that no spreadsheet takes for a formula; numbers stay as they are."""
    if isinstance(cell, str) and _RUN.match(cell) and not _NUMBER.fullmatch(cell):
        return f"'{cell}"
    return cell


def restored(cell: str) -> str:
    """The cell that `as_text` was given."""
    return cell[1:] if _QUOTED.match(cell) and not _NUMBER.fullmatch(cell[1:]) else cell
