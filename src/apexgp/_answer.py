"""Exports that all answers share: plain columns, a data frame, a short text, a table in a notebook."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from ._extras import import_extra
from .files.writing import to_json_value

__all__ = ["Answer", "ColumnData", "SummaryTable", "to_data_frame", "to_json_columns", "to_rows"]

ColumnData = dict[str, list[Any]]
"""A table: the cells of each column, all columns of one length."""

_MOST_ROWS = 20  # in a summary; a data frame holds all rows


@dataclass(frozen=True)
class SummaryTable:
    """A summary to be read: a title, a small table of text, and notes below it."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
    words: Collection[str] = ()
    """Columns of words, which are aligned left; numbers are aligned right."""

    def as_text(self) -> str:
        """Lines for a terminal."""
        rows = _shorten_rows(self.rows)
        widths = [max(map(len, column)) for column in zip(self.header, *rows, strict=True)]
        signs = ["<" if name in self.words else ">" for name in self.header]
        lines = [
            "  ".join(f"{cell:{sign}{width}}" for cell, sign, width in zip(row, signs, widths, strict=True))
            for row in (self.header, *rows)
        ]
        return "\n".join([self.title, *(f"  {line}".rstrip() for line in lines), *self.notes])

    def as_html(self) -> str:
        """HTML for a page or a notebook; every text is escaped."""
        rows = _shorten_rows(self.rows)
        align = [f"text-align:{'left' if name in self.words else 'right'}" for name in self.header]

        def line(cells: Sequence[str], tag: str) -> str:
            inside = (f'<{tag} style="{how}">{escape(cell)}</{tag}>' for cell, how in zip(cells, align, strict=True))
            return f"<tr>{''.join(inside)}</tr>"

        head, body = line(self.header, "th"), "".join(line(row, "td") for row in rows)
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        title = f'<caption style="text-align:left">{escape(self.title)}</caption>'
        return f"<div><table>{title}<thead>{head}</thead><tbody>{body}</tbody></table>{notes}</div>"


def _shorten_rows(rows: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Keep the first and the last rows, where there are many."""
    if len(rows) <= _MOST_ROWS:
        return list(rows)
    half = _MOST_ROWS // 2
    return [*rows[:half], ["..."] * len(rows[0]), *rows[-half:]]


class Answer(ABC):
    """Base of the library's answers: a table of columns, and a summary to read."""

    cautions: tuple[str, ...]

    @abstractmethod
    def _columns(self) -> ColumnData:
        """The answer as a table, with numbers as they are."""

    @abstractmethod
    def shown(self) -> SummaryTable:
        """The answer as `print` and a notebook show it."""

    def to_dict(self) -> ColumnData:
        """The answer as plain columns, ready for JSON and for any library of tables.

        A number that is not finite is None. `to_frame` gives the same table.
        """
        return to_json_columns(self._columns())

    def to_frame(self) -> Any:
        """The answer as a pandas DataFrame (`pip install 'apexgp[pandas]'`).

        Numbers that are not finite stay as they are. The cautions are in `frame.attrs["cautions"]`.
        """
        return to_data_frame(self, self._columns())

    def _all_notes(self, *notes: str) -> list[str]:
        return [*notes, *(f"Caution: {caution}" for caution in self.cautions)]

    def __repr__(self) -> str:
        return self.shown().as_text()

    def _repr_html_(self) -> str:
        return self.shown().as_html()


def to_json_columns(columns: ColumnData) -> ColumnData:
    """Convert the cells of columns to values that JSON can hold."""
    table: ColumnData = to_json_value(columns, str)  # a task may be any hashable object
    return table


def to_data_frame(answer: Answer, columns: ColumnData) -> Any:
    """Make a pandas DataFrame of columns; a pair becomes two columns, a mapping one for each of its entries."""
    pandas = import_extra("pandas", f"{type(answer).__name__}.to_frame", "pandas")
    flat: ColumnData = {}
    for name, cells in columns.items():
        if cells and isinstance(cells[0], Mapping):
            flat |= {f"{name}_{key}": [cell[key] for cell in cells] for key in cells[0]}
        elif cells and isinstance(cells[0], tuple):
            flat[f"{name}_lower"], flat[f"{name}_upper"] = map(list, zip(*cells, strict=True))
        else:
            flat[name] = cells
    frame = pandas.DataFrame(flat)
    frame.attrs["cautions"] = list(answer.cautions)
    return frame


def to_rows(columns: ColumnData) -> list[Any]:
    """Turn columns into rows: dictionaries, typed as Any for readers with a TypedDict of their own."""
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
