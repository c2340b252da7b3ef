"""A sheet as it was understood: as text for a terminal, as HTML for a notebook."""

from __future__ import annotations

from collections.abc import Sequence

from .doubts import Doubt
from .files import Sheet
from .interpretation import Interpretation

__all__ = ["write_html_grid", "write_text_grid"]


def write_text_grid(sheet: Sheet, found: Interpretation, notes: Sequence[str], doubts: Sequence[Doubt]) -> str:
    """The grid with the roles of its columns and rows, notes and doubts, as text."""
    return ""


def write_html_grid(sheet: Sheet, found: Interpretation, notes: Sequence[str], doubts: Sequence[Doubt]) -> str:
    """The same as a table of HTML, cells coloured by role."""
    return ""
