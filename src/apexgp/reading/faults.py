"""Cells of a table that cannot be used: collected on the way through it, then told together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._check import format_some
from ..errors import DataError, Fault
from ..vocabulary import Remedy

if TYPE_CHECKING:
    from .spreadsheets import Table

__all__ = ["MOST_FAULTS", "Faults"]

MOST_FAULTS = 20
"""Faults that an error carries; a person fixes the first few, and then tries again."""


class Faults:
    """What is wrong with the cells of a table, the first reason of each.

    Parameters
    ----------
    table : Table
        The table; rows are counted in it, from 0.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._why: dict[tuple[int, str], str] = {}
        self._remedies: dict[tuple[int, str], Remedy] = {}

    def add(self, row: int, column: str, why: str, remedy: Remedy = ()) -> None:
        """Note why a cell cannot be used, and what to set so that it can."""
        if (row, column) not in self._why:
            self._why[row, column], self._remedies[row, column] = why, remedy

    def __contains__(self, cell: tuple[int, str]) -> bool:
        return cell in self._why

    def __bool__(self) -> bool:
        return bool(self._why)

    @property
    def first(self) -> str:
        """The first that was noted, with its line."""
        (row, _), why = next(iter(self._why.items()))
        return f"{self._table.place} {self._table.lines[row]}, {why}"

    def refuse(self) -> None:
        """Raise one error that carries the faults and tells the first, where there are any.

        The lines of others are named, unless all are at fault: what is wrong with every row is said of the first.
        """
        if not self._why:
            return
        table = self._table
        rank = {column: i for i, column in enumerate(table.columns)}
        cells = sorted(self._why, key=lambda cell: (cell[0], rank[cell[1]]))
        faults = [Fault(table.lines[row], column, self._why[row, column]) for row, column in cells[:MOST_FAULTS]]
        others = list(dict.fromkeys(table.lines[row] for row, _ in cells if row != cells[0][0]))
        also = f" Also at fault: {table.place} {format_some(others)}." if 0 < len(others) < len(table.lines) - 1 else ""
        remedy = self._remedies[cells[0]]
        raise DataError(faults[0].message + also, remedy=remedy, where=table.where(*cells[0]), faults=faults)
