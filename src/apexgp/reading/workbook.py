"""Sheets of .xlsx workbooks as rows of text, read within bounds.

python-calamine (0.9) is 13 times faster, reads .xls and .ods too, and needs nothing else. But it makes room for every
cell up to the last one: 5 kB with one cell far away ask for 550 GB and abort the process, with no exception to catch
and no size to look at before. An error such as #DIV/0! comes as an empty cell, and the format of a number not at all:
what a sheet shows as 0.9 % would be 0.009 under a header that says per cent.

What the archive of a workbook may hold is looked at before anything is made of it: every part that is XML is parsed,
whatever it is called and however its letters are encoded. Which of them is a sheet is said by other parts, and those
could say anything.
"""

from __future__ import annotations

import datetime
import io
import re
import warnings
import zipfile
from collections.abc import Mapping
from decimal import Decimal
from typing import Any
from xml.parsers import expat

from .._extras import import_extra
from ..errors import DataError
from .cells import before_interval, with_spread
from .files import Rows, Span

__all__ = ["Workbook", "repack"]

MOST_CELLS = 2_000_000
"""In one sheet; a merged block or a link counts as all its cells."""
_MOST_BYTES = 200_000_000  # unpacked: a small archive may hold endless zeros
_MOST_PARTS = 10_000
_MOST_EXTENT = 2 * MOST_CELLS  # of all sheets: each cell up to the last one of its sheet
_MOST_ELEMENTS = 1_000_000  # beside the cells: styles, links, names, of which each becomes an object

_GROUPED = re.compile(r"[1-9]\d*,\d{3}")  # thousands apart
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others may unpack to more than the archive says
_ENCRYPTED = 0x1
_OF_CELLS = {"c", "v", "f", "is", "t", "r", "si", "row"}
_CELL = re.compile(r"\$?([A-Z]{1,3})\$?([1-9]\d{0,6})")


class Workbook:
    """A workbook whose sheets are read when they are asked for.

    Parameters
    ----------
    name : str
        The file, for messages.
    raw : bytes
        What it holds.
    """

    def __init__(self, name: str, raw: bytes) -> None:
        self._name, self._sheets = name, _sheets(name, raw)
        self.titles = list(self._sheets)

    def read(self, title: str) -> tuple[Rows, list[Span]]:
        """The rows of a sheet that are not empty, and its cells merged across columns."""
        return _rows(self._name, title, self._sheets[title])


def _rows(name: str, title: str, cells: Any) -> tuple[Rows, list[Span]]:
    """The rows of a sheet that are not empty, as text, and its cells merged across columns."""
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


def _sheets(name: str, raw: bytes) -> dict[str, Any]:
    """The sheets by their names."""
    if not raw.startswith(b"PK"):
        raise DataError(f"{name} is a workbook in an old format (.xls). Save it as .xlsx or CSV.")
    openpyxl = import_extra("openpyxl", f"Reading the workbook {name}", "xlsx")
    try:
        plain = repack(name, raw)
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
    typed = isinstance(value, str) and re.fullmatch(r"[+-]?\d+,\d+\s*%?", text) and not _GROUPED.fullmatch(text)
    if typed or (isinstance(value, str) and "," in text and (with_spread(text) or before_interval(text))):
        return re.sub(r"(?<=\d),(?=\d)", ".", text)
    return text


def repack(name: str, raw: bytes, most_bytes: int = _MOST_BYTES) -> bytes:
    """Pack a workbook again, from what was unpacked within bounds: readers find no more in it than was looked at.

    Raises
    ------
    DataError
        If it would unpack to far more than it is, or asks for more cells than anybody has.
    zipfile.BadZipFile, and whatever else damage raises
        If it is no archive.
    """
    with zipfile.ZipFile(io.BytesIO(raw)) as packed:
        parts = packed.infolist()
        if len(parts) > _MOST_PARTS or any(
            part.compress_type not in _PACKED or part.flag_bits & _ENCRYPTED for part in parts
        ):
            raise DataError(f"{name} is not packed as a workbook should be. Save it again as .xlsx, or as CSV.")
        unpacked = sum(part.file_size for part in parts)
        if unpacked > most_bytes:
            raise DataError(f"{name} holds {unpacked / 1e6:,.0f} MB when unpacked. Save only the table, as CSV.")
        counted = _Counted(name)
        again = io.BytesIO()
        with zipfile.ZipFile(again, "w", zipfile.ZIP_STORED) as plain:
            for part in parts:
                with packed.open(part) as file:
                    content = file.read(part.file_size)  # no more, whatever it would unpack to
                counted.read(content)
                plain.writestr(part.filename, content)
        return again.getvalue()


class _Counted:
    """Counts over the parts of an archive; the first count that is too large is refused."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._cells = self._others = self._taken = self._extent = 0
        self._row = self._column = self._last_row = self._last_column = 0

    def read(self, content: bytes) -> None:
        """Count what a part holds; one that is not XML is none that a sheet could be read from."""
        self._row = self._column = self._last_row = self._last_column = 0
        parser = expat.ParserCreate(namespace_separator="}")
        parser.StartElementHandler = self._element
        parser.StartDoctypeDeclHandler = self._doctype
        try:
            parser.Parse(content, True)
        except (expat.ExpatError, LookupError, ValueError) as problem:
            if isinstance(problem, DataError):
                raise
        extent = self._last_row * self._last_column
        self._extent += extent if extent <= MOST_CELLS else 0  # a larger one is refused when it is read, by its name
        if self._extent > _MOST_EXTENT:
            raise DataError(
                f"{self._name} has sheets of {self._extent:,} cells and more. Delete what lies far from the tables, "
                "or save only the table, as CSV."
            )

    def _doctype(self, *_: object) -> None:
        raise DataError(
            f"{self._name} declares XML entities, which no workbook should. Save it again as .xlsx, or as CSV."
        )

    def _element(self, name: str, attributes: Mapping[str, str]) -> None:
        kind = name.rpartition("}")[2]
        if kind == "c":
            self._cells += 1
            self._note(attributes.get("r", ""))
        elif kind == "row":
            self._cells += 1
            number = attributes.get("r", "")
            self._row = int(number) if number.isdecimal() and len(number) < 9 else self._row + 1
            self._column = 0
        elif kind in ("mergeCell", "hyperlink"):
            self._taken += _cells_in(attributes.get("ref", ""))
        if kind not in _OF_CELLS:
            self._others += 1
        if self._cells > MOST_CELLS or self._others > _MOST_ELEMENTS:
            raise DataError(f"{self._name} has more than {MOST_CELLS:,} cells, or styles. Save only the table, as CSV.")
        if self._taken > MOST_CELLS:
            raise DataError(f"{self._name} has merged or linked cells over most of a sheet. Save the table as CSV.")

    def _note(self, reference: str) -> None:
        """Where a cell is: where it says, or else behind the one before."""
        if found := _CELL.fullmatch(reference):
            self._column, self._row = _number_of(found[1]), int(found[2])
        else:
            self._column += 1
        self._last_row, self._last_column = max(self._last_row, self._row), max(self._last_column, self._column)


def _cells_in(area: str) -> int:
    """How many cells A1:B2 has; as many as can be where that is not said."""
    corners = [_CELL.fullmatch(corner) for corner in area.split(":")]
    ends = [(_number_of(corner[1]), int(corner[2])) for corner in corners if corner is not None]
    if len(ends) < len(corners) or len(ends) > 2:
        return MOST_CELLS + 1
    (left, first), (right, last) = ends[0], ends[-1]
    return (abs(right - left) + 1) * (abs(last - first) + 1)


def _number_of(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number
