"""Columns by the names that a caller gives them."""

from __future__ import annotations

from collections.abc import Sequence

from .._check import format_some
from ..errors import DataError
from ..vocabulary import Remedy
from .known_metrics import plain_name
from .spreadsheets import Table

__all__ = ["called", "missing"]


def called(asked: str, names: Sequence[str]) -> str | None:
    """The column of that name, in whatever case and spelling if there is only one."""
    if asked in names:
        return asked
    alike = [name for name in names if plain_name(name) == plain_name(asked)] if plain_name(asked) else []
    return alike[0] if len(alike) == 1 else None


def missing(table: Table, asked: str, role: str) -> DataError:
    """The error of a column that was asked for and is not there."""
    either = ", or list the columns of a table with one column per split" if role == "score" else ""
    remedy: Remedy = (f"Name yours with {{}}{either}.", role)
    return DataError(
        f"{table.path} has no column {asked!r}; found {format_some(list(table.columns), 20)}.", remedy=remedy
    )
