"""What people bring, as a grid of cells: files in the usual encodings, and where other sources are read.

A sheet holds the cells as they came; what they mean is not decided here. Tables of ours are written here, too.
"""

from __future__ import annotations

import csv
import io
import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import IO, Any

from .._check import DAMAGED, check_path, format_some, format_value, has_attributes
from ..errors import DataError, Fault, RequestError
from .cells import as_text, restore_text, shorten

__all__ = [
    "ALL_SHEETS",
    "EXPERIMENT",
    "Rows",
    "Sheet",
    "Source",
    "as_csv",
    "cells_of_any_length",
    "content_of",
    "csv_line",
    "is_workbook",
    "keep_content",
    "load_sheet",
    "one_line",
    "parse_delimited",
    "read_bytes",
    "text_of",
]

Rows = list[tuple[int, list[str]]]
"""Rows of cells that are not empty, each with its number in the file."""
Span = tuple[int, int, int]
"""Cells merged across columns: row in the sheet, first and last column from 0."""
Source = str | os.PathLike[str] | IO[bytes] | IO[str]
"""Of a table; a data frame is one too, of whatever library."""
EXPERIMENT = "mlflow:"
"""Begins the name of an experiment in a store of MLflow."""
ALL_SHEETS = "*"
"""In place of the name of a sheet: each of those that hold a table of scores, one below the other."""
_JSON = re.compile(r"[\ufeff\s]*(\{\s*[\"}]|\[\s*[\[{\]])")  # as a document begins, and no table
_ENCODINGS = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig"))
_SHOWS_THE_DELIMITER = 20  # lines
_RULE = re.compile(r"[\s|:+-]++")  # between the header and the body of a table in Markdown, with dashes


@dataclass(frozen=True)
class Sheet:
    """A grid of cells as it came: text, each row with its number in the file."""

    source: str
    """What messages call the file."""
    rows: tuple[tuple[str, ...], ...]
    """Cells, every row as long as the longest; empty rows are left out."""
    lines: tuple[int, ...]
    """The number of each row."""
    place: str = "line"
    """What such a number counts: lines, rows of a workbook, records, runs."""
    lengths: tuple[int, ...] = ()
    """How many cells each row had."""
    delimiter: str | None = None
    """The sign between cells of a text; None where there is none."""
    spans: tuple[Span, ...] = ()
    """Cells merged across columns."""
    title: str | None = None
    """The sheet of a workbook."""
    titles: tuple[str, ...] = ()
    """All sheets of that workbook."""
    tables: tuple[str, ...] = ()
    """Those that hold a table of scores, where that was looked for."""
    alike: bool = False
    """Whether those tables have the same form."""
    elsewhere: tuple[str, ...] = ()
    """What is written on sheets without a table of scores."""
    sections: tuple[int, ...] = ()
    """Numbers of the rows that hold the titles of sheets that were joined."""
    notes: tuple[str, ...] = ()
    """How the grid was come by."""
    is_named: bool = False
    """Whether the first row holds names that a program gave: fields of records, columns of a data frame."""
    under: tuple[str, ...] = ()
    """What messages name each row by beside its number, such as the folder of a run."""

    @classmethod
    def build(cls, source: str, rows: Rows, **more: Any) -> Sheet:
        """A sheet of rows of any length."""
        width = max((len(cells) for _, cells in rows), default=0)
        grid = tuple((*cells, *[""] * (width - len(cells))) for _, cells in rows)
        lengths = tuple(len(cells) for _, cells in rows)
        return cls(source, grid, tuple(line for line, _ in rows), lengths=lengths, **more)

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.rows[0]) if self.rows else 0

    @cached_property
    def index(self) -> Mapping[int, int]:
        """The place of each row in `rows`, by its number."""
        return {line: i for i, line in enumerate(self.lines)}

    def with_cells(self, cells: Mapping[tuple[int, int], str]) -> Sheet:
        """The sheet with some cells, by row number and column from 0, replaced."""
        rows = [list(row) for row in self.rows]
        for (line, column), text in cells.items():
            rows[self.index[line]][column] = text
        return replace(self, rows=tuple(map(tuple, rows)))

    def transpose(self) -> Sheet:
        """The sheet with its rows as columns; rows are then numbered as its columns were."""
        rows = tuple(zip(*self.rows, strict=True))
        kept = [i for i, row in enumerate(rows) if any(row)]
        return replace(
            self, rows=tuple(rows[i] for i in kept), lines=tuple(i + 1 for i in kept), spans=(), place="column"
        )


TableFinder = Callable[[Sheet], Hashable]
"""Gives the names of the columns of a sheet that holds a table of scores, and nothing for others."""


def load_sheet(source: Any, *, sheet: str | None = None, holds_table: TableFinder | None = None) -> Sheet:
    """The grid of a file, folder, experiment or data frame; cells that are too long are cut.

    Parameters
    ----------
    source
        What a person brings.
    sheet
        Which sheet of a workbook: its name, or its number from 1; None: the first that holds a table, or the first.
    holds_table
        Gives the names of the columns of such a sheet, nothing for others; None: the first sheet is taken.
    """
    found = _load_whole(source, sheet, holds_table)
    return replace(found, rows=tuple(tuple(map(shorten, row)) for row in found.rows))


def _load_whole(source: Any, sheet: str | None, holds_table: TableFinder | None) -> Sheet:
    if not isinstance(source, str | os.PathLike) and not has_attributes(source, "read"):
        from .frames import is_frame, load_frame

        if is_frame(source):
            return load_frame(source)
    if isinstance(source, str | os.PathLike) and os.path.isdir(source):
        from .runs import load_folder

        return load_folder(source)
    if isinstance(source, str) and source.startswith(EXPERIMENT) and not os.path.exists(source):
        from .runs import load_experiment

        return load_experiment(source.removeprefix(EXPERIMENT))
    name, raw = content_of(source)
    if is_workbook(raw):
        return _load_workbook(name, raw, sheet, holds_table)
    if sheet is not None:
        raise RequestError(f"applies to a workbook (.xlsx); {name} is a text file.", argument="sheet")
    text = text_of(name, raw)
    if _JSON.match(text):
        from .runs import load_json

        return load_json(name, text)
    delimiter, rows = parse_delimited(name, text)
    found = Sheet.build(name, rows, delimiter=delimiter)
    if not any(cell.startswith("{") for row in found.rows for cell in row):
        return found
    from .runs import expand_dictionaries

    return expand_dictionaries(found)


def _load_workbook(name: str, raw: bytes, sheet: str | None, holds_table: TableFinder | None) -> Sheet:
    from .workbook import Workbook

    book = Workbook(name, raw)
    titles = tuple(book.titles)

    def read(title: str) -> Sheet:
        rows, spans = book.read(title)
        return Sheet.build(name, rows, place="row", spans=tuple(spans), title=title, titles=titles)

    if sheet in (None, ALL_SHEETS) and len(titles) > 1 and holds_table is not None:
        every = [read(title) for title in titles]
        forms = [holds_table(one) if one.rows else None for one in every]
        tables = [one for one, form in zip(every, forms, strict=True) if form]
        words = tuple(cell for one in every if one not in tables for row in one.rows[:50] for cell in row if cell)
        found = (
            _join_sheets(tables or every)
            if sheet
            else _choose_sheet(every, tables, alike=len({*filter(None, forms)}) == 1)
        )
        found = replace(found, elsewhere=words)
    else:
        chosen = titles[0] if sheet is None else _find_title(name, titles, sheet)
        others = [] if sheet is not None else titles[1:]
        said = f"read the sheet {chosen!r}, the first of {len(titles)}; the others are {format_some(others)}."
        found = replace(read(chosen), notes=(said,) if others else ())
    if not found.rows:
        raise DataError(f"{name} has an empty sheet {found.title!r}.", remedy=("Choose another with {}.", "sheet"))
    return found


def _choose_sheet(sheets: Sequence[Sheet], tables: Sequence[Sheet], *, alike: bool) -> Sheet:
    """The first sheet that holds a table of scores, or else the first; with a note on the others."""
    chosen = (tables or sheets)[0]
    rest = format_some([one.title for one in sheets if one not in tables and one is not chosen])
    if not tables:
        return replace(
            chosen, notes=(f"read the sheet {chosen.title!r}, the first of {len(sheets)}; the others are {rest}.",)
        )
    others = [one.title for one in tables[1:]]
    which = "first" if others else "only one"
    said = f"read the sheet {chosen.title!r}, the {which} of {len(sheets)} with a table of scores"
    if others:
        said += f"; {format_some(others)} {'has' if len(others) == 1 else 'have'} one, too"
    if rest:
        said += f"; none in {rest}"
    titles = tuple(str(one.title) for one in tables)
    return replace(chosen, notes=(f"{said}.",), tables=titles, alike=alike and len(tables) > 1)


def _join_sheets(sheets: Sequence[Sheet]) -> Sheet:
    """Sheets one below the other, each under its title; rows are counted through."""
    rows: list[list[str]] = []
    titles: list[int] = []
    for one in sheets:
        titles.append(len(rows) + 1)
        rows += [[str(one.title)], *map(list, one.rows)]
    note = (
        f"read {len(sheets)} sheets one below the other, rows counted through: "
        f"{format_some([one.title for one in sheets])}."
    )
    return Sheet.build(
        sheets[0].source,
        list(enumerate(rows, start=1)),
        place="row",
        title=ALL_SHEETS,
        titles=sheets[0].titles,
        notes=(note,),
        sections=tuple(titles),
    )


def _find_title(name: str, titles: Sequence[str], sheet: str) -> str:
    """The title of a sheet by its name, or by its number from 1."""
    if sheet in titles:
        return sheet
    if re.fullmatch(r"\d{1,9}", sheet) and 1 <= int(sheet) <= len(titles):
        return titles[int(sheet) - 1]
    raise DataError(
        f"{name} has no sheet {sheet!r}; found {format_some(list(titles), 20)}.", remedy=("Choose with {}.", "sheet")
    )


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Read a file, or raise an error that says why it cannot be read."""
    check_path(path)
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
        check_path(source)
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


def keep_content(source: Any) -> Any:
    """An open file as one that can be read again."""
    if not has_attributes(source, "read"):
        return source
    name, raw = content_of(source)
    kept = _Content(raw)
    kept.name = name
    return kept


class _Content(io.BytesIO):
    """Content of a file, with the name that messages call it."""

    name: str = "the file"

    def read(self, size: int | None = -1, /) -> bytes:
        """Return the whole content, however often it is read."""
        return self.getvalue()


def is_workbook(raw: bytes) -> bool:
    """Whether a file is an archive of the zip program, as workbooks are, or the older kind of workbook."""
    return raw.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0"))


def text_of(name: str, raw: bytes) -> str:
    """Decode a text file, whichever of the usual encodings it has."""
    encoding = next((name for mark, name in _ENCODINGS if raw.startswith(mark)), "utf-8")
    if b"\x00" in raw and encoding != "utf-16":
        raise DataError(f"{name} is not a text file. Save the table as CSV.")
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError:
        if encoding == "utf-16":
            raise DataError(f"{name} is truncated, or not in the encoding that its first bytes announce.") from None
        return raw.decode("cp1252", errors="replace")  # what older spreadsheets on Windows write


def parse_delimited(name: str, text: str) -> tuple[str, Rows]:
    """The delimiter of a text, and its rows that are not empty; bars around a row of Markdown are no cells."""
    note = re.match(r"sep=([;,|\t])\r?\n", text)  # a spreadsheet's to itself
    lines = text[note.end() if note else 0 :].splitlines()
    filled = [line for line in lines if line.strip(' \t,;|"')]
    if not filled:
        raise DataError(f"{name} is empty. Expected a header such as size,score,split and one row per measurement.")
    delimiter = note[1] if note else _find_delimiter(filled[:_SHOWS_THE_DELIMITER])
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    try:
        with cells_of_any_length():
            rows = [(reader.line_num, [restore_text(cell.strip()) for cell in cells]) for cells in reader]
    except csv.Error as problem:
        why = f"{problem}."
        where = f"{name}, line {reader.line_num}"
        raise DataError(why, where=where, faults=[Fault(reader.line_num, None, why)]) from None
    kept = [(line, cells) for line, cells in rows[1 if note else 0 :] if any(cells)]
    rules = {line for line, cells in kept if "---" in "".join(cells) and _RULE.fullmatch("".join(cells))}
    if delimiter == "|" and rules:
        kept = [(line, cells) for line, cells in kept if line not in rules]
        kept = [
            (line, cells[1:-1] if len(cells) > 2 and not (cells[0] or cells[-1]) else cells) for line, cells in kept
        ]
    return delimiter, kept


def _find_delimiter(lines: Sequence[str]) -> str:
    """The sign that stands equally often in the most lines; on a tie the rarer one: a comma may be a decimal one."""
    rows = [line for line in lines if not line.startswith("#")] or lines

    def count_alike(sign: str) -> int:
        times = Counter(line.count(sign) for line in rows if sign in line)
        return max(times.values(), default=0)

    best = max(";\t|,", key=count_alike)
    if count_alike(best) == 0 and len(rows) > 1 and len({len(line.split()) for line in rows}) == 1:
        return " "  # as many words in every line
    return best


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
