"""Small tables as people save them: commas, semicolons, tabs, bars, decimal commas, byte-order marks; and as we write.

Everything that is read comes back as text with its line number, so that a message can point at the cell.
"""

from __future__ import annotations

import csv
import io
import math
import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from .._check import DAMAGED, format_some, format_value, has_attributes
from ..errors import DataError, Fault, RequestError
from ..files.writing import resolve_path
from .cells import before_interval, holds_number, is_blank, looks_numeric, number_in, uses_decimal_commas, with_spread
from .faults import Faults
from .formulas import as_text, restored
from .layout import Laid, header_row, lay_out
from .workbook import Rows, Span, is_workbook, read_sheet

_ENCODINGS = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig"))
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")
_SHOWS_THE_DELIMITER = 20  # lines


@dataclass(frozen=True)
class Table:
    """Named columns of text cells; `lines` holds each row's line in the file, or what `place` says that it is."""

    path: Path | str
    columns: dict[str, list[str]]
    lines: list[int]
    decimal_comma: bool = False
    place: str = "line"
    notes: tuple[str, ...] = ()
    spreads: Mapping[str, str] = field(default_factory=dict)
    """Where cells held numbers behind ±: the column of the spreads, by the one they stood in."""
    intervals: frozenset[str] = frozenset()
    """The columns whose cells held intervals, which are not used."""
    sheet: str | None = None
    """The sheet of the workbook that was read."""
    under: tuple[str, ...] = ()
    """The heading that each row stood under; empty where there were none."""
    unnamed: Mapping[str, str] = field(default_factory=dict)
    """Columns of numbers without a name of their own, as they are called here: the name to their left."""
    title: str | None = None
    """What stands above the table."""

    def where(self, row: int, column: str) -> str:
        """A cell, for messages."""
        under = f" under {self.under[row]!r}" if self.under and self.under[row] else ""
        return f"{self.path}, {self.place} {self.lines[row]}, column {column!r}{under}"

    def rows(self, rows: Sequence[int]) -> Table:
        """The table with these rows alone."""
        return replace(
            self,
            columns={name: [cells[i] for i in rows] for name, cells in self.columns.items()},
            lines=[self.lines[i] for i in rows],
            under=tuple(self.under[i] for i in rows) if self.under else (),
        )

    def with_columns(self, columns: Mapping[str, list[str]]) -> Table:
        """The table with these columns in the place of its own, or beside them."""
        return replace(self, columns={**self.columns, **columns})

    def fault(self, row: int, column: str, why: str) -> DataError:
        """The error of a cell."""
        return DataError(why, where=self.where(row, column), faults=[Fault(self.lines[row], column, why)])

    def numbers(
        self,
        column: str,
        *,
        blank: float | None = None,
        counts: bool = False,
        faults: Faults | None = None,
        otherwise: str = "leave out this row",
    ) -> list[float]:
        """A column as numbers, of things if it `counts`; an empty cell is `blank`, or at fault where that is None.

        A cell at fault is an error, or NaN where `faults` are collected; `otherwise` says what to do with it if the
        number is not known.
        """
        return [
            blank if blank is not None and is_blank(cell) else self._number(row, column, counts, faults, otherwise)
            for row, cell in enumerate(self.columns[column])
        ]

    def _number(self, row: int, column: str, counts: bool, faults: Faults | None, otherwise: str) -> float:
        cell = self.columns[column][row]
        try:
            if cell:
                return number_in(cell, decimal_comma=self.decimal_comma, counts=counts)
            why = f"the cell is empty. Fill it in, or {otherwise}."
        except ValueError as hint:
            why = f"expected a number, got {format_value(cell)}. {str(hint) or f'Correct it, or {otherwise}.'}"
        if faults is None:
            raise self.fault(row, column, why)
        faults.add(row, column, why)
        return math.nan


def read_table(
    source: Any, *, sheet: str | None = None, is_header: Callable[[Sequence[str]], bool] | None = None
) -> Table:
    """Read a delimited text file, or a sheet of a workbook, with a header line.

    Parameters
    ----------
    source
        Path of the file, or an open file.
    sheet
        Which sheet of a workbook: its name, or its number from 1; None: the first.
    is_header
        Tells the header from titles above it; None: the header is the first line.
    """
    return table_in(*content_of(source), sheet=sheet, is_header=is_header)


def table_in(
    name: str, raw: bytes, *, sheet: str | None = None, is_header: Callable[[Sequence[str]], bool] | None = None
) -> Table:
    """The table in the bytes of a file, by the name that messages call it; the rest is as for `read_table`."""
    title, merged = None, list[Span]()
    if is_workbook(raw):
        title, rows, merged, notes = read_sheet(
            name, raw, sheet, is_header and (lambda rows: _has_table(rows, is_header))
        )
        if not rows:
            raise DataError(f"{name} has an empty sheet {title!r}.", remedy=("Choose another with {}.", "sheet"))
        delimiter, place = None, "row"
    else:
        if sheet is not None:
            raise RequestError(f"applies to a workbook (.xlsx); {name} is a text file.", argument="sheet")
        (delimiter, rows), notes, place = _rows(name, text_of(name, raw)), [], "line"
    first = 0 if is_header is None else header_row(rows, is_header)
    header = rows[first][1]
    # Some columns may be numbered (a wide table); where all are, or by fractions, these are measurements.
    numeric = [name for name in header if _NUMBER.fullmatch(name)]
    if len(numeric) >= 2 and (len(numeric) == len(header) or any("." in name for name in numeric)):
        raise DataError(
            f"{name} has no header: its first line is {', '.join(header)!r}. "
            "Put the column names on the first line, for instance size,score,split."
        )
    for line, cells in rows[first + 1 :]:
        # A line of words may be a remark beneath the table; where it is not, its cells will be missed as numbers.
        if len(cells) > len(header) and any(cells[len(header) :]) and any(map(looks_numeric, cells)):
            raise _fault(
                name,
                place,
                line,
                f"{len(cells)} cells under {len(header)} column names. With decimal commas, separate the columns by "
                "semicolons.",
            )
    laid = _plain(name, rows) if is_header is None else lay_out(rows, merged, is_header)
    if not laid.lines:
        names = f"{name} has a header ({', '.join(laid.columns)}) but no rows"
        if title is None or not (notes or sheet):  # no other sheet to choose
            raise DataError(f"{names}.")
        read = notes[0] if notes else f"read the sheet {title!r}."
        raise DataError(f"{names}: {read}", remedy=("Choose another with {}.", "sheet"))
    heading = next((line.lstrip("# ") for line in map(one_line, laid.above) if line.strip("# ")), None)
    if laid.above:
        notes.append(f"left out above the table: {one_line(' '.join(laid.above), 80)!r}.")
    # A comma inside a cell of a comma-separated file can only group thousands; cells of a workbook have no commas.
    decimal_comma = delimiter not in (",", None) and uses_decimal_commas(
        [
            part
            for cells in laid.columns.values()
            for cell in cells
            for part in with_spread(cell) or (before_interval(cell) or cell,)
        ]
    )
    return Table(
        name,
        laid.columns,
        laid.lines,
        decimal_comma,
        place,
        (*notes, *laid.notes),
        sheet=title,
        title=heading,
        under=tuple(laid.under),
        unnamed=laid.unnamed,
    )


def _has_table(rows: Rows, is_header: Callable[[Sequence[str]], bool]) -> bool:
    """Whether a row names columns of measurements, and numbers stand beneath it."""
    first = header_row(rows, is_header) if rows else 0
    return (
        bool(rows)
        and is_header(rows[first][1])
        and any(sum(map(holds_number, cells)) > 1 for _, cells in rows[first + 1 :])
    )


def _plain(name: str, rows: Rows) -> Laid:
    """A table whose first row names its columns."""
    (_, header), body = rows[0], rows[1:]
    repeated = {one for one, times in Counter(header).items() if one and times > 1}
    if repeated:
        raise DataError(f"{name} names column {format_some(sorted(repeated))} more than once. Rename one of them.")
    columns = {
        one: [cells[i] if i < len(cells) else "" for _, cells in body]
        for i, one in enumerate(header)
        if one  # a nameless column is the row number that spreadsheets and data frames write
    }
    return Laid(columns, [line for line, _ in body])


def _fault(name: str, place: str, line: int, why: str) -> DataError:
    """The error of a row that has no columns yet."""
    return DataError(why, where=f"{name}, {place} {line}", faults=[Fault(line, None, why)])


def as_csv(columns: Mapping[str, Iterable[object]]) -> str:
    """Columns of equal length as comma-separated text with a header line; None is an empty cell."""
    return "".join(map(csv_line, [columns, *zip(*columns.values(), strict=True)]))


def csv_line(cells: Iterable[object]) -> str:
    """One line of such text; what a spreadsheet would take for a formula is text."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(map(as_text, cells))
    return text.getvalue()


def one_line(text: str, most: int = 2000) -> str:
    """Any text as a cell that every reader of tables takes: on one line, printable, of at most so many characters."""
    cut = text if len(text) <= most else f"{text[: most - 4]} ..."
    return "".join(sign if sign.isprintable() else "?" for sign in " ".join(cut.split()))


@contextmanager
def cells_of_any_length() -> Iterator[None]:
    """Let the csv module read cells beyond its own limit, which is one for the whole process, within a block."""
    before = csv.field_size_limit(2**31 - 1)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """What a file holds, or an error that says why it cannot be read."""
    resolve_path(path)  # refuses what is no path
    try:
        with open(path, "rb") as file:
            if stat.S_ISCHR(os.fstat(file.fileno()).st_mode) and not file.isatty():  # some have no end
                raise DataError(f"{path} is a device. Name a file.")
            return file.read()
    except FileNotFoundError:
        raise DataError(f"There is no file {path}. Check the name and the folder.") from None
    except OSError as problem:
        raise DataError(f"{path} cannot be read: {problem.strerror}.") from None


def content_of(source: Any) -> tuple[str, bytes]:
    """The name of a file, as messages call it, and what it holds."""
    if not has_attributes(source, "read"):
        resolve_path(source)  # refuses what is no path
        return os.fsdecode(source), read_bytes(source)
    name = "the file"
    try:
        name = str(getattr(source, "name", name))
        content = source.read()
    except (OSError, *DAMAGED) as problem:  # closed, or not a file at all
        raise DataError(f"{name} cannot be read: {problem}.") from None
    if not isinstance(content, str | bytes):
        raise DataError(f"{name} cannot be read: it returned {format_value(content)}.")
    # What Python calls <stdin> has a name that people know.
    return "standard input" if name == "<stdin>" else name, content.encode() if isinstance(content, str) else content


def text_of(name: str, raw: bytes) -> str:
    """What a text file holds, whichever of the usual encodings it has."""
    encoding = next((name for mark, name in _ENCODINGS if raw.startswith(mark)), "utf-8")
    if b"\x00" in raw and encoding != "utf-16":
        raise DataError(f"{name} is not a text file. Save the table as CSV.")
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError:
        if encoding == "utf-16":
            raise DataError(f"{name} is truncated, or not in the encoding that its first bytes announce.") from None
        return raw.decode("cp1252", errors="replace")  # what older spreadsheets on Windows write


def _rows(name: str, text: str) -> tuple[str, Rows]:
    note = re.match(r"sep=([;,|\t])\r?\n", text)  # a spreadsheet's to itself
    lines = text[note.end() if note else 0 :].splitlines()
    filled = [line for line in lines if line.strip(' \t,;|"')]
    if not filled:
        raise DataError(f"{name} is empty. Expected a header such as size,score,split and one row per measurement.")
    delimiter = note[1] if note else _delimiter(filled[:_SHOWS_THE_DELIMITER])
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    try:
        with cells_of_any_length():
            rows = [(reader.line_num, [restored(cell.strip()) for cell in cells]) for cells in reader]
    except csv.Error as problem:
        raise _fault(name, "line", reader.line_num, f"{problem}.") from None
    return delimiter, [(line, cells) for line, cells in rows[1 if note else 0 :] if any(cells)]


def _delimiter(lines: Sequence[str]) -> str:
    """The sign that stands in the most lines; on a tie the rarer sign wins: a comma may be a decimal one."""
    return max(";\t|,", key=lambda sign: sum(sign in line for line in lines))
