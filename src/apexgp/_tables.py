"""Small tables as people save them: commas, semicolons, tabs, bars, decimal commas, byte-order marks; and as we write.

Everything that is read comes back as text with its line number, so that a message can point at the cell.
"""

from __future__ import annotations

import csv
import io
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._check import some
from ._files import file_behind
from .errors import DataError

_ENCODINGS = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig"))
_NUMBER = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True)
class InMemory(os.PathLike[str]):
    """Bytes that stand in for a file, as a browser sends them; `name` is what messages call them."""

    raw: bytes
    name: str = "The table"

    def __fspath__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Table:
    """Named columns of text cells; `lines` holds each row's line in the file."""

    path: Path
    columns: dict[str, list[str]]
    lines: list[int]
    decimal_comma: bool

    def numbers(self, column: str, *, blank: float | None = None) -> list[float]:
        """A column as numbers; an empty cell becomes `blank`, or an error where that is None."""
        return [
            blank if blank is not None and not cell else self._number(cell, column, line)
            for cell, line in zip(self.columns[column], self.lines, strict=True)
        ]

    def _number(self, cell: str, column: str, line: int) -> float:
        place: dict[str, Any] = {"where": f"{self.path}, line {line}, column {column!r}", "column": column}
        if not cell:
            raise DataError("the cell is empty. Fill it in, or delete the row.", **place)
        if self.decimal_comma and re.fullmatch(r"[+-]?\d+\.\d+", cell):
            raise DataError(
                f"{cell!r} has a point in a file with decimal commas. Write {cell.replace('.', '')} "
                f"or {cell.replace('.', ',')}, whichever is meant.",
                **place,
            )
        text = cell.replace(",", ".") if self.decimal_comma else cell
        try:
            return float(text)
        except ValueError:
            hint = " Write it as a fraction, without the per cent sign." if cell.endswith("%") else ""
            grouped = re.search(r"\d[,' ]\d", cell)
            hint = hint or (" Use a decimal point and no thousands separators." if grouped else "")
            raise DataError(f"expected a number, got {cell!r}.{hint}", **place) from None


def read_table(path: str | os.PathLike[str]) -> Table:
    """Read a delimited text file with a header line."""
    raw = read_bytes(path)
    source = Path(path)
    delimiter, rows = _rows(source, _text(source, raw))
    (_, header), body = rows[0], rows[1:]
    # Some columns may be numbered (a wide table); where all are, or by fractions, these are measurements.
    numeric = [name for name in header if _NUMBER.fullmatch(name)]
    if len(numeric) >= 2 and (len(numeric) == len(header) or any("." in name for name in numeric)):
        raise DataError(
            f"{source} has no header: its first line is {', '.join(header)!r}. "
            "Put the column names on the first line, for instance size,score,split."
        )
    repeated = {name for name in header if name and header.count(name) > 1}
    if repeated:
        raise DataError(f"{source} names column {some(sorted(repeated))} more than once. Rename one of them.")
    if not body:
        raise DataError(f"{source} has a header ({', '.join(header)}) but no rows.")
    for line, cells in body:
        if len(cells) > len(header) and any(cells[len(header) :]):
            raise DataError(
                f"{source}, line {line}: {len(cells)} cells under {len(header)} column names. "
                "Numbers with decimal commas need semicolons between the columns."
            )
    columns = {
        name: [cells[i] if i < len(cells) else "" for _, cells in body]
        for i, name in enumerate(header)
        if name  # a nameless column is the row number that spreadsheets and data frames write
    }
    # A comma inside a cell of a comma-separated file could also group thousands: there it stays an error.
    decimal_comma = delimiter != "," and any(
        re.fullmatch(r"[+-]?\d*,\d+([eE][+-]?\d+)?", cell) for cells in columns.values() for cell in cells
    )
    return Table(source, columns, [line for line, _ in body], decimal_comma)


def as_csv(columns: Mapping[str, Iterable[object]]) -> str:
    """Columns of equal length as comma-separated text with a header line; None is an empty cell."""
    return "".join(map(csv_line, [columns, *zip(*columns.values(), strict=True)]))


def csv_line(cells: Iterable[object]) -> str:
    """One line of such text."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
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
    if isinstance(path, InMemory):
        return path.raw
    file_behind(path)  # refuses what is no path
    try:
        with open(path, "rb") as file:
            if stat.S_ISCHR(os.fstat(file.fileno()).st_mode) and not file.isatty():  # some have no end
                raise DataError(f"{path} is a device. Name a file.")
            return file.read()
    except FileNotFoundError:
        raise DataError(f"There is no file {path}. Check the name and the folder.") from None
    except OSError as problem:
        raise DataError(f"{path} cannot be read: {problem.strerror}.") from None


def _text(path: Path, raw: bytes) -> str:
    encoding = next((name for mark, name in _ENCODINGS if raw.startswith(mark)), "utf-8")
    if raw[:4] == b"PK\x03\x04":
        raise DataError(f"{path} is a spreadsheet workbook. Save it as CSV first.")
    if b"\x00" in raw and encoding != "utf-16":
        raise DataError(f"{path} is not a text file. Save the table as CSV.")
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError:
        if encoding == "utf-16":
            raise DataError(f"{path} is cut off, or is not the text that its first bytes promise.") from None
        return raw.decode("cp1252", errors="replace")  # what older spreadsheets on Windows write


def _rows(path: Path, text: str) -> tuple[str, list[tuple[int, list[str]]]]:
    text = re.sub(r"\A\s*sep=.\r?\n", "", text)  # a spreadsheet's note to itself
    first = next((line for line in text.splitlines() if line.strip(' \t,;|"')), None)
    if first is None:
        raise DataError(f"{path} is empty. Expected a header such as size,score,split and one row a measurement.")
    delimiter = max(";\t|,", key=first.count)  # on a tie the rarer sign wins: a comma may be a decimal one
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    try:
        with cells_of_any_length():
            rows = [(reader.line_num, [cell.strip() for cell in cells]) for cells in reader]
    except csv.Error as problem:
        raise DataError(f"{path}, line {reader.line_num}: {problem}.") from None
    return delimiter, [(line, cells) for line, cells in rows if any(cells)]
