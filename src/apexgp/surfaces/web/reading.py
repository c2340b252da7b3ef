"""Tables as people paste and drop them: read by the library's own reader, once."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple, TypedDict

from ..._check import format_some, format_value
from ...curve import LearningCurve, ask_for_direction, build_detail_columns, read_curves_and_notes
from ...errors import ApexError, DataError, Fault, RequestError
from ...question_base.column_settings import ColumnSettings
from ...reading.companions import with_spreads_apart
from ...reading.files import is_workbook
from ...reading.headers import find_columns
from ...reading.layout import Table
from ...reading.names import range_and_direction
from ...reading.source import read_source
from ...reading.workbook import sheet_titles

__all__ = ["TableFile", "TablesReply", "Upload", "read_tables", "read_text"]

_MOST_ROWS = 5_000  # with a size each, a fit to so many takes seconds
_MOST_UNPACKED = 20_000_000  # bytes of a workbook
_MOST_CURVES = 200
_MOST_SHOWN = 1_000  # rows of a file at fault that are shown

_NAME = "The table"
_NUMBERS = re.compile(r"""["'\s,;|.%+\-±\deE]+""")


class TableLayout(TypedDict):
    """Columns and sheets of a file that was read."""

    columns: list[str]
    sheets: list[str]
    """Names of the sheets of a workbook."""
    sheet: str | None
    """The sheet that was read."""
    cells: list[list[str]]
    """Size, score and split from a file with faulty rows, as written there."""


class CurveFacts(TypedDict):
    """One curve: a task and a metric."""

    task: str | None
    metric: str
    lower_is_better: bool | None
    """Whether lower scores are better, where the table says it."""
    range: str | None
    """The lowest and the highest possible score, where the metric does not imply them."""
    unit: str
    test_share: float | None
    learner: str | None
    """Kind of learner, where the table says it."""
    n_features: int | None
    """Number of features, where the table says it."""
    n_classes: int | None
    """Number of classes, where the table says it."""
    rows: list[list[float | str | None]]
    """Size, score and split of each measurement."""
    details: dict[str, list[float | str | None]]
    """What else is known about each score, by the name of its column: train_score, score_sd, n_test, averaged_over."""


class TablesReply(TypedDict):
    """The curves of a file."""

    curves: list[CurveFacts]
    notes: list[str]
    """How the file was understood."""
    table: TableLayout


class _Named(io.BytesIO):
    """Bytes, by the name that messages call them."""

    name = _NAME


class TableFile(NamedTuple):
    """A file in place of a table: its name, as messages call it, and what it holds."""

    name: str
    raw: bytes


class Upload:
    """A file that a browser has sent, or text that was pasted: parsed once, for the answer and for what is said of it.

    Pasted numbers often lack a header: then the first column holds sizes, and the others scores.
    """

    def __init__(self, raw: bytes, columns: ColumnSettings) -> None:
        self.columns = columns
        self.notes: list[str] = []
        self._raw, self._names = raw, list[str]()
        self._sheet: str | None = None
        self._table: Table | None = None

    @property
    def is_workbook(self) -> bool:
        """Whether this is no text: it may take longer to read."""
        return is_workbook(self._raw)

    def read(self) -> Table:
        """The table; a workbook that would fill the memory is refused."""
        _check_workbook(self._raw)
        raw = self._raw
        if (header := _missing_header(raw)) is not None:
            raw = header.encode() + b"\n" + raw
            self.notes.append(f"The columns have no names; read as {', '.join(_cells(header))}.")
        table = self._table = _parse(raw, self.columns)
        self._names, self._sheet = list(table.columns), table.sheet
        return table

    def list_faulty_cells(self, faults: Sequence[Fault]) -> tuple[list[list[str]], list[dict[str, Any]]]:
        """Size, score and split of every row as they are written, and which of these rows are at fault, and why.

        Rows are counted as in the table of a request, whose header is line 1. Both are empty where it is not known
        which column is which, or no row is at fault.
        """
        table, roles = self._table, None
        if table is not None and faults and len(table.lines) <= _MOST_SHOWN:
            wanted = self.columns.table
            with suppress(ApexError):
                table = with_spreads_apart(table, wanted.size)
                roles = find_columns(table, wanted.size, wanted.score, wanted.split, wanted.task, wanted.metric)
        if table is None or roles is None or roles.size is None:
            return [], []
        shown, at = list[list[str]](), dict[tuple[int, str | None], int]()
        split = table.columns[roles.split] if roles.split else [""] * len(table.lines)
        for i, line in enumerate(table.lines):
            for score in roles.scores:
                at.setdefault((line, score), len(shown))
                at.setdefault((line, None), len(shown))
                shown.append([table.columns[roles.size][i], table.columns[score][i], score if roles.wide else split[i]])
        called: dict[str | None, str] = {roles.size: "size", roles.split: "split"}
        called |= dict.fromkeys(roles.scores, "score")
        rows = [
            {"line": place + 2, "column": called.get(fault.column or ""), "message": fault.message}
            for fault in faults
            if (place := at.get((fault.line, fault.column), at.get((fault.line, None)))) is not None
        ]
        return (shown, rows) if rows else ([], [])

    @property
    def layout(self) -> TableLayout:
        """Columns and sheets to choose from, and the sheet that was read."""
        sheets: list[str] = []
        with suppress(ApexError):  # what is wrong with the file has been said, and then there is nothing to choose
            _check_workbook(self._raw)
            sheets = sheet_titles(_NAME, self._raw) if is_workbook(self._raw) else []
        sheet = self._sheet or self.columns.sheet
        numbered = sheet is not None and sheet not in sheets and sheet.isdecimal() and 0 < int(sheet) <= len(sheets)
        chosen = sheets[int(sheet) - 1] if sheet is not None and numbered else sheet
        shown_sheet = chosen if chosen in sheets else next(iter(sheets), None)
        return {"columns": self._names, "sheets": sheets, "sheet": shown_sheet, "cells": []}


def read_tables(upload: Upload) -> TablesReply:
    """Every curve of what was sent, row by row."""
    table = upload.read()
    curves: list[LearningCurve] = []
    notes = list(upload.notes)
    for metric in dict.fromkeys(table.columns.get("metric", [None])):
        found, said = read_curves_and_notes(table, replace(upload.columns, metric=metric).table, ask=False)
        curves += found.values()
        notes += [note for note in said if note not in notes]
    kept = dict.fromkeys(name for curve in curves for name in build_detail_columns(curve))
    if kept:
        notes.append(f"Kept with the rows, and used, though not shown in the table: {', '.join(kept)}.")
    if len(curves) > _MOST_CURVES:
        raise DataError(
            f"{_NAME} holds {len(curves):,} curves; the page accepts at most {_MOST_CURVES}. Keep some of them."
        )
    return {"curves": [_as_rows(curve) for curve in curves], "notes": notes, "table": upload.layout}


def _as_rows(curve: LearningCurve) -> CurveFacts:
    """A curve for the page's own table; the question which way is better comes with its first forecast."""
    split = [None] * len(curve) if curve.split is None else [str(label) for label in curve.split]
    own_range, _ = range_and_direction(curve.metric, curve.scores)
    return {
        "task": curve.task,
        "metric": curve.metric,
        "lower_is_better": curve.direction == "lower" if curve.direction_stated else None,
        "range": None if curve.range == own_range else f"{curve.range[0]:.10g},{curve.range[1]:.10g}",
        "unit": curve.unit,
        "test_share": curve.test_share,
        "learner": curve.learner,
        "n_features": curve.n_features,
        "n_classes": curve.n_classes,
        "rows": [list(row) for row in zip(curve.sizes.tolist(), curve.scores.tolist(), split, strict=True)],
        "details": build_detail_columns(curve),
    }


def read_text(table: str | TableFile, columns: ColumnSettings) -> tuple[LearningCurve, tuple[str, ...]]:
    """The only curve of a table, or the one of its tasks that was asked for; and how it was read."""
    name, raw = (_NAME, table.encode("utf-8", "replace")) if isinstance(table, str) else table
    _check_workbook(raw)
    curves, notes = read_curves_and_notes(_parse(raw, columns, name), columns.table, ask=False)
    task = next(iter(curves)) if columns.task is None and len(curves) == 1 else columns.task
    if task not in curves:
        names = format_some([str(name) for name in curves], 20)
        came = "nothing" if task is None else format_value(task)
        raise RequestError(f"must be one of the tasks in the table ({names}), got {came}.", argument="chosen_task")
    ask_for_direction({task: curves[task]}, name)
    return curves[task], notes


def _parse(raw: bytes, columns: ColumnSettings, name: str = _NAME) -> Table:
    source = _Named(raw)
    source.name = name
    table = read_source(source, columns.table)
    if len(table.lines) > _MOST_ROWS:
        raise DataError(f"{name} has {len(table.lines):,} rows; at most {_MOST_ROWS:,} are accepted.")
    return table


def _check_workbook(raw: bytes) -> None:
    """Refuse a workbook that would fill the memory; what is none is for the reader to tell."""
    unpacked = 0
    if raw.startswith(b"PK"):
        with suppress(zipfile.BadZipFile, ValueError, OSError):
            unpacked = sum(file.file_size for file in zipfile.ZipFile(io.BytesIO(raw)).infolist())
    if unpacked > _MOST_UNPACKED:
        raise DataError("The workbook is too large. Copy the table from it and paste it.")


def _missing_header(raw: bytes) -> str | None:
    """A header for text that begins with numbers; None where there is one."""
    if b"\x00" in raw[:1000] or raw.startswith(b"PK"):
        return None
    first = next((line for line in raw.decode("utf-8", "replace").splitlines() if line.strip()), "")
    if not _NUMBERS.fullmatch(first.replace("+/-", "±")) or not any(sign.isdigit() for sign in first):
        return None
    separator = max(";\t|,", key=first.count)
    count = first.count(separator) + 1
    if count == 2:
        return f"size{separator}score"
    return separator.join(["size", *(f"split {i}" for i in range(1, count))])


def _cells(header: str) -> list[str]:
    return re.split(r"[;\t|,]", header)
