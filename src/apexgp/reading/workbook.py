"""Sheets of .xlsx workbooks as rows of text, each with its number in the sheet.

python-calamine (0.9) is 13 times faster, reads .xls and .ods too, and needs nothing else. But it makes room for every
cell up to the last one: 5 kB with one cell far away ask for 550 GB and abort the process, with no exception to catch
and no size to look at before. An error such as #DIV/0! comes as an empty cell, and the format of a number not at all:
what a sheet shows as 0.9 % would be 0.009 under a header that says per cent.
"""

from __future__ import annotations

import datetime
import io
import re
import warnings
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from .._check import format_some
from .._extras import import_extra
from ..errors import DataError

__all__ = ["Rows", "Span", "is_workbook", "read_sheet", "sheet_titles"]

Rows = list[tuple[int, list[str]]]
Span = tuple[int, int, int]  # row in the sheet, first and last column from 0


def is_workbook(raw: bytes) -> bool:
    """Whether a file is an archive of the zip program, as workbooks are, or the older kind of workbook."""
    return raw.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0"))


def read_sheet(
    name: str, raw: bytes, sheet: str | None, holds_table: Callable[[Rows], bool] | None = None
) -> tuple[str, Rows, list[Span], list[str]]:
    """The name of a sheet, its rows that are not empty, its cells merged across columns, what a reader should know.

    Parameters
    ----------
    name
        The file, for messages.
    raw
        What it holds.
    sheet
        Name of the sheet, or its number from 1; None: the first that holds a table, or else the first.
    holds_table
        Tells such a sheet by its rows; None: the first is taken.
    """
    sheets = _sheets(name, raw)
    if sheet is not None:
        chosen = _chosen(name, list(sheets), sheet)
        return chosen, *_rows(name, chosen, sheets[chosen]), []
    if len(sheets) == 1 or holds_table is None:
        chosen, others = next(iter(sheets)), list(sheets)[1:]
        notes = [f"read the sheet {chosen!r}, the first of {len(sheets)}; the others are {format_some(others)}."]
        return chosen, *_rows(name, chosen, sheets[chosen]), notes if others else []
    read = {title: _rows(name, title, cells) for title, cells in sheets.items()}
    tables = [title for title, (rows, _) in read.items() if holds_table(rows)]
    chosen = (tables or list(read))[0]
    others = [title for title in tables if title != chosen]
    rest = [title for title in read if title not in tables and title != chosen]
    if not tables:
        return (
            chosen,
            *read[chosen],
            [f"read the sheet {chosen!r}, the first of {len(sheets)}; the others are {format_some(rest)}."],
        )
    said = f"read the sheet {chosen!r}, the {'first' if others else 'only one'} of {len(sheets)} with a table of scores"
    if others:
        said += f"; {format_some(others)} {'has' if len(others) == 1 else 'have'} one, too"
    if rest:
        said += f"; none in {format_some(rest)}"
    return chosen, *read[chosen], [f"{said}."]


def _rows(name: str, title: str, cells: Any) -> tuple[Rows, list[Span]]:
    """The rows of a sheet that are not empty, as text, and its cells merged across columns."""
    from .archive import MOST_CELLS

    if cells.max_row * cells.max_column > MOST_CELLS:  # one cell far away is enough: all those before it count
        raise DataError(
            f"{name} has {cells.max_row:,} rows and {cells.max_column:,} columns in its sheet {title!r}. Delete what "
            "lies far from the table, or save the table as CSV."
        )
    grid = [[_shown(cell) for cell in row] for row in cells.iter_rows()]
    across: list[Span] = []
    for block in cells.merged_cells.ranges:
        if block.min_col == block.max_col:  # one size beside several rows; a heading across columns is no value of each
            for row in range(block.min_row, min(block.max_row, len(grid))):
                grid[row][block.min_col - 1] = grid[block.min_row - 1][block.min_col - 1]
        else:
            across.append((block.min_row, block.min_col - 1, block.max_col - 1))
    return [(number, row) for number, row in enumerate(grid, start=1) if any(row)], across


def sheet_titles(name: str, raw: bytes) -> list[str]:
    """The names of the sheets, in their order."""
    return list(_sheets(name, raw))


def _sheets(name: str, raw: bytes) -> dict[str, Any]:
    """The sheets by their names."""
    if not raw.startswith(b"PK"):
        raise DataError(f"{name} is a workbook in an old format (.xls). Save it as .xlsx or CSV.")
    openpyxl = import_extra("openpyxl", f"Reading the workbook {name}", "xlsx")
    try:
        from .archive import repacked

        plain = repacked(name, raw)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what openpyxl leaves out: styles, printing, lists to choose from
            book = openpyxl.load_workbook(io.BytesIO(plain), data_only=True)
    except DataError:
        raise
    except Exception as problem:  # whatever zipfile and openpyxl raise: damage shows in any way
        said = " ".join(str(problem).split()) or type(problem).__name__
        raise DataError(f"{name} is not a readable workbook ({said}). Save it as .xlsx or CSV.") from None
    sheets = {one.title: one for one in book.worksheets}
    if not sheets:
        raise DataError(f"{name} has no sheet with cells. Save the table as CSV.")
    return sheets


def _chosen(name: str, titles: list[str], sheet: str | None) -> str:
    if sheet is None:
        return titles[0]
    if sheet in titles:
        return sheet
    if re.fullmatch(r"\d{1,9}", sheet) and 1 <= int(sheet) <= len(titles):
        return titles[int(sheet) - 1]
    raise DataError(
        f"{name} has no sheet {sheet!r}; found {format_some(titles, 20)}.", remedy=("Choose with {}.", "sheet")
    )


def _shown(cell: Any) -> str:
    """A cell as text, with the per cent sign that the sheet shows behind a fraction."""
    value, form = cell.value, str(getattr(cell, "number_format", ""))
    if isinstance(value, int | float) and not isinstance(value, bool) and form.endswith("%"):
        return f"{Decimal(repr(value)).scaleb(2).normalize():f}%"
    return _text(value)


def _text(value: Any) -> str:
    """A cell as text; whole numbers, which sheets keep as floats, without a fraction."""
    if value is None:
        return ""
    if isinstance(value, datetime.datetime):
        return str(value.date() if value.time() == datetime.time() else value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    text = str(value).strip()
    # A number that was typed as text, perhaps on a computer with decimal commas, stands beside true numbers.
    typed = re.fullmatch(r"([+-]?\d+),(\d+)(\s*%?)", text) if isinstance(value, str) else None
    return "".join((typed[1], ".", typed[2], typed[3])) if typed and not re.fullmatch(r"[1-9]\d*,\d{3}", text) else text
