"""Tables as people paste and drop them: read by the library's own reader; and which rows of one are at fault."""

from __future__ import annotations

import io
import re
import zipfile
from contextlib import suppress
from dataclasses import replace
from typing import Any

from ..._check import shown, some
from ...curve import LearningCurve
from ...errors import ApexError, DataError, RequestError
from ...reading.headers import is_header
from ...reading.spreadsheets import read_table
from ...reading.workbook import is_workbook, sheet_titles
from ..options import Columns

__all__ = ["curve_of", "layout_of", "read_tables", "row_problems"]

_MOST_ROWS = 5_000  # with a size each, a fit to so many takes seconds
_MOST_UNPACKED = 20_000_000  # bytes of a workbook
_MOST_CURVES = 200
_MOST_PROBLEMS = 20  # rows that are named
_MOST_TRIED = 2_000  # rows that are tried one by one

_NUMBERS = re.compile(r"""["'\s,;|.%+\-\deE]+""")


class _Sent(io.BytesIO):
    """A file that a browser has sent, or text that was pasted, by the name that messages call it."""

    name = "The table"


def read_tables(*, raw: bytes, **given: Any) -> dict[str, Any]:
    """Every curve of a file or of pasted text, row by row.

    Pasted numbers often lack a header: then the first column holds sizes, and the others scores.
    """
    _check_workbook(raw)
    notes: list[str] = []
    if (header := _missing_header(raw)) is not None:
        raw = header.encode() + b"\n" + raw
        notes.append(f"No names above the columns: taken as {', '.join(_cells(header))}.")
    columns = Columns(**given)
    curves: list[LearningCurve] = []
    for metric in _metrics(raw, columns.sheet):
        found, said = replace(columns, metric=metric).read(_Sent(raw))
        curves += found.values()
        notes += [note for note in said if note not in notes]
    if len(curves) > _MOST_CURVES:
        raise DataError(f"The table holds {len(curves):,} curves; the page takes {_MOST_CURVES}. Keep some of them.")
    return {"curves": [_as_rows(curve) for curve in curves], "notes": notes, "table": layout_of(raw, columns.sheet)}


def layout_of(raw: bytes, sheet: str | None) -> dict[str, Any]:
    """What there is to choose from in a file: the names of its columns, its sheets, and the sheet that is read."""
    sheets: list[str] = []
    names: list[str] = []
    with suppress(ApexError):  # what is wrong with the file has been said, and then there is nothing to choose
        _check_workbook(raw)
        sheets = sheet_titles(_Sent.name, raw) if is_workbook(raw) else []
        names = list(read_table(_Sent(raw), sheet=sheet, is_header=is_header).columns)
    numbered = sheet is not None and sheet not in sheets and sheet.isdecimal() and 0 < int(sheet) <= len(sheets)
    chosen = sheets[int(sheet) - 1] if sheet is not None and numbered else sheet
    return {"columns": names, "sheets": sheets, "sheet": chosen if chosen in sheets else next(iter(sheets), None)}


def _as_rows(curve: LearningCurve) -> dict[str, Any]:
    split = [None] * len(curve) if curve.split is None else [str(label) for label in curve.split]
    return {
        "task": curve.task,
        "metric": curve.metric,
        "lower_is_better": curve.direction == "lower",
        "unit": curve.unit,
        "rows": [list(row) for row in zip(curve.sizes.tolist(), curve.scores.tolist(), split, strict=True)],
    }


def curve_of(text: str, columns: Columns) -> tuple[LearningCurve, tuple[str, ...]]:
    """The only curve of a table, or the one of its tasks that was asked for; and how it was read."""
    raw = text.encode("utf-8", "replace")
    _metrics(raw, None)
    curves, notes = columns.read(_Sent(raw))
    if columns.task is None and len(curves) == 1:
        return next(iter(curves.values())), notes
    if columns.task in curves:
        return curves[columns.task], notes
    names = some([str(name) for name in curves], 20)
    came = "nothing" if columns.task is None else shown(columns.task)
    raise RequestError(f"must be one of the tasks in the table ({names}), got {came}.", argument="task")


def _metrics(raw: bytes, sheet: str | None) -> list[str | None]:
    """The metrics that a table names; None where it names none."""
    found = read_table(_Sent(raw), sheet=sheet, is_header=is_header)
    if len(found.lines) > _MOST_ROWS:
        raise DataError(f"The table has {len(found.lines):,} rows; at most {_MOST_ROWS:,} are taken.")
    return list(dict.fromkeys(found.columns.get("metric", [None])))


def _check_workbook(raw: bytes) -> None:
    """Refuse a workbook that would fill the memory; what is none is for the reader to tell."""
    unpacked = 0
    if raw.startswith(b"PK"):
        with suppress(zipfile.BadZipFile, ValueError, OSError):
            unpacked = sum(file.file_size for file in zipfile.ZipFile(io.BytesIO(raw)).infolist())
    if unpacked > _MOST_UNPACKED:
        raise DataError("The workbook is too large. Copy the table from it, and paste that.")


def _missing_header(raw: bytes) -> str | None:
    """A header for text that begins with numbers; None where there is one."""
    if b"\x00" in raw[:1000] or raw.startswith(b"PK"):
        return None
    first = next((line for line in raw.decode("utf-8", "replace").splitlines() if line.strip()), "")
    if not _NUMBERS.fullmatch(first) or not any(sign.isdigit() for sign in first):
        return None
    separator = max(";\t|,", key=first.count)
    count = first.count(separator) + 1
    if count == 2:
        return f"size{separator}score"
    return separator.join(["size", *(f"split {i}" for i in range(1, count))])


def _cells(header: str) -> list[str]:
    return re.split(r"[;\t|,]", header)


def row_problems(table: str, columns: Columns) -> list[dict[str, Any]]:
    """Which rows of a table that cannot be used are at fault: those that cannot be read even alone.

    Where there are none, the fault lies between rows: then it is the first row that the rows above it do not go with.
    """
    lines = [(number, text) for number, text in enumerate(table.splitlines(), start=1) if text.strip()]
    if len(lines) < 2:
        return []
    (_, header), body = lines[0], lines[1:]
    alone = replace(columns, metric=None)
    found = []
    for number, text in body[:_MOST_TRIED]:
        problem = _problem(header, [text], alone)
        if problem is not None:
            found.append({"line": number, "column": problem.column, "message": _bare(problem)})
        if len(found) == _MOST_PROBLEMS:
            break
    if len(found) > 1 and len(found) == min(len(body), _MOST_PROBLEMS) and len({row["message"] for row in found}) == 1:
        return []  # whatever is wrong with every row in the same way is wrong with the header
    texts = [text for _, text in body]
    if found or (whole := _problem(header, texts, alone)) is None:
        return found
    good, bad = 0, len(texts)  # so many rows go together, so many do not
    while bad - good > 1:
        middle = (good + bad) // 2
        problem = _problem(header, texts[:middle], alone)
        good, bad, whole = (middle, bad, whole) if problem is None else (good, middle, problem)
    return [{"line": body[bad - 1][0], "column": whole.column, "message": _bare(whole)}]


def _problem(header: str, rows: list[str], columns: Columns) -> DataError | None:
    try:
        columns.read(_Sent("\n".join([header, *rows]).encode("utf-8", "replace")))
    except DataError as problem:
        return problem
    return None


def _bare(problem: DataError) -> str:
    return problem.worded(lambda name: name, lambda name, _value: name, placed=False)
