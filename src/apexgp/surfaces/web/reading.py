"""Tables as people paste and drop them: the library's own reading, as the page shows it."""

from __future__ import annotations

import io
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple, TypedDict

from ..._check import format_some, format_value
from ...curve import LearningCurve, Reading, ask_for_direction, build_detail_columns
from ...errors import DataError, RequestError
from ...question_base.column_settings import ColumnSettings, write_fields
from ...reading.doubts import Doubt
from ...reading.files import is_workbook
from ...reading.names import range_and_direction
from ...vocabulary import Vocabulary

__all__ = ["ReadingReply", "TableFile", "Upload", "read_text", "read_upload"]

_MOST_ROWS = 5_000  # with a size each, a fit to so many takes seconds
_MOST_UNPACKED = 20_000_000  # bytes of a workbook
_MOST_CURVES = 200
_MOST_SHOWN = 1_000  # rows of a sheet that are shown
_WIDEST_SHOWN = 60  # columns

_NAME = "The table"


class RowFacts(TypedDict):
    """A row of a sheet as it came."""

    number: int
    role: str
    """What it is taken for: header, data, section, title, note, summary, no score, unfinished run."""
    cells: list[str]


class ColumnFacts(TypedDict):
    """A column of a sheet."""

    letter: str
    name: str
    role: str
    """What it is taken for: size, score, split, model, train_score, ..., ignored."""


class SheetFacts(TypedDict):
    """The grid of cells as it came, and what its rows and columns are taken for."""

    place: str
    """What numbers of rows count: lines of a text, rows of a workbook."""
    columns: list[ColumnFacts]
    rows: list[RowFacts]
    more_rows: int
    """How many rows are not shown."""
    titles: list[str]
    """Names of the sheets of a workbook."""
    title: str | None
    """The sheet that was read; * stands for all of them."""


class ChoiceFacts(TypedDict):
    """One way to settle a doubt."""

    label: str
    fields: dict[str, str | float | bool | list[str]]
    """What to set: fields of this request."""


class DoubtFacts(TypedDict):
    """Something that the table does not tell and that changes the answer."""

    question: str
    choices: list[ChoiceFacts]
    columns: list[str]
    """Letters of the columns that it is about."""
    rows: list[int]
    """Numbers of the rows that it is about."""
    cells: list[str]
    """Cells at fault, such as B7; none where whole rows or columns are."""
    free: str | None
    """A field that takes what a person types, where the choices may not hold it."""


class UnderstoodFacts(TypedDict):
    """What the table as a whole is taken for, as fields of this request."""

    metric: str | None
    unit: str | None
    lower_is_better: bool | None
    decimal_sign: str
    per_cent: bool
    each_column: str | None
    transposed: bool
    total: float | None
    header: str
    rows: str
    sections: str
    """Rows that name the block beneath them; none where there are none."""
    fill_down: str


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


class ReadingReply(TypedDict):
    """A table as it is understood: its cells, their roles, the curves that follow, and what is in doubt."""

    sheet: SheetFacts
    understood: UnderstoodFacts
    doubts: list[DoubtFacts]
    """While there are any, there are no curves."""
    curves: list[CurveFacts]
    notes: list[str]
    """What was done to cells."""


class TableFile(NamedTuple):
    """A file in place of a table: its name, as messages call it, and what it holds."""

    name: str
    raw: bytes


@dataclass(frozen=True)
class Upload:
    """A file that a browser has sent, or text that was pasted, and what is said of it."""

    raw: bytes
    columns: ColumnSettings

    @property
    def is_workbook(self) -> bool:
        """Whether this is no text: it may take longer to read."""
        return is_workbook(self.raw)


def read_upload(upload: Upload, words: Vocabulary) -> ReadingReply:
    """Read what was sent; doubts are worded for who asks."""
    first = _read(_NAME, upload.raw, upload.columns)
    readings = [first]
    metrics = _list_metrics(first)
    if metrics:  # each of several metrics in a column is a curve of its own
        readings = [first.with_settings(metric=metric) for metric in metrics]
    reading = readings[0]
    doubts = reading.doubts if not any(one.doubts for one in readings[1:]) else readings[-1].doubts
    curves = [] if doubts else [curve for one in readings for curve in one.find_curves().values()]
    notes = list(dict.fromkeys(note for one in readings for note in one.notes))
    kept = dict.fromkeys(name for curve in curves for name in build_detail_columns(curve))
    if kept:
        notes.append(f"Kept with the rows, and used, though not shown in the table: {', '.join(kept)}.")
    if len(curves) > _MOST_CURVES:
        raise DataError(
            f"{_NAME} holds {len(curves):,} curves; the page accepts at most {_MOST_CURVES}. Keep some of them."
        )
    return {
        "sheet": _describe_sheet(reading),
        "understood": _describe_whole(reading),
        "doubts": [_describe_doubt(doubt, reading, words) for doubt in doubts],
        "curves": [_as_rows(curve) for curve in curves],
        "notes": notes,
    }


def _list_metrics(reading: Reading) -> list[str]:
    """The metrics in a column of their own, where there are several and none was chosen."""
    column = next((i for i, one in enumerate(reading.interpretation.columns) if one.role == "metric"), None)
    asked = [value for doubt in reading.doubts for argument, value in doubt.error.to_set if argument == "metric"]
    if column is None or not asked or not any("metrics (" in doubt.question for doubt in reading.doubts):
        return []
    index = reading.sheet.index
    return list(dict.fromkeys(reading.sheet.rows[index[row]][column] for row in reading.interpretation.rows))


def _describe_sheet(reading: Reading) -> SheetFacts:
    sheet, found = reading.sheet, reading.interpretation
    roles = {**found.set_aside, **dict.fromkeys(found.rows, "data"), **dict.fromkeys(found.sections, "section")}
    roles |= dict.fromkeys(found.header, "header")
    shown = list(zip(sheet.lines, sheet.rows, strict=True))[:_MOST_SHOWN]
    return {
        "place": sheet.place,
        "columns": [_describe_column(reading, i) for i in range(min(len(found.columns), _WIDEST_SHOWN))],
        "rows": [
            {"number": line, "role": roles.get(line, "note"), "cells": list(cells[:_WIDEST_SHOWN])}
            for line, cells in shown
        ],
        "more_rows": len(sheet.rows) - len(shown),
        "titles": list(sheet.titles),
        "title": sheet.title,
    }


def _describe_column(reading: Reading, i: int) -> ColumnFacts:
    """A column as it is taken, or, while something is in doubt, as it was said to be."""
    sheet, found = reading.sheet, reading.interpretation
    one = found.columns[i]
    said = dict(found.said.roles or {}) if reading.doubts and one.role == "ignored" else {}
    name = one.name or next((sheet.rows[sheet.index[row]][i] for row in reversed(found.header)), "")
    return {"letter": one.letter, "name": name, "role": said.get(one.letter, one.role)}


def _describe_whole(reading: Reading) -> UnderstoodFacts:
    found = reading.interpretation
    rows = write_fields({"header": found.header, "rows": found.rows, "sections": found.sections})
    return {
        "metric": None if found.metric == "score" else found.metric,
        "unit": found.unit,
        "lower_is_better": None if found.direction is None else found.direction == "lower",
        "decimal_sign": found.decimal_sign,
        "per_cent": found.per_cent,
        "each_column": found.each_column,
        "transposed": found.transposed,
        "total": found.total,
        "header": rows["header"],
        "rows": rows["rows"],
        "sections": rows["sections"],
        "fill_down": ",".join(found.fill_down),
    }


def _describe_doubt(doubt: Doubt, reading: Reading, words: Vocabulary) -> DoubtFacts:
    doubt.error.worded_for(words)
    letters: dict[str, list[str]] = {}
    for column in reading.interpretation.columns:
        letters.setdefault(column.name, []).append(column.letter)
    named = [name for one in doubt.choices for name in write_fields(one.settings).get("score_column", ())]
    columns = [*doubt.columns, *(letter for name in named for letter in letters.get(name, ()))]
    cells = [
        f"{letter}{fault.line}"
        for fault in doubt.error.faults
        if fault.line in doubt.rows
        for letter in letters.get(fault.column or "", ())
        if letter in doubt.columns
    ]
    return {
        "question": doubt.question if doubt.choices else str(doubt.error),
        "choices": [{"label": one.label, "fields": write_fields(one.settings)} for one in doubt.choices],
        "columns": list(dict.fromkeys(columns)),
        "rows": list(doubt.rows),
        "cells": list(dict.fromkeys(cells)),
        "free": doubt.free,
    }


def _as_rows(curve: LearningCurve) -> CurveFacts:
    """A curve for the page's own table."""
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
    reading = _read(name, raw, columns)
    curves = reading.find_curves()
    task = next(iter(curves)) if columns.task is None and len(curves) == 1 else columns.task
    if task not in curves:
        names = format_some([str(name) for name in curves], 20)
        came = "nothing" if task is None else format_value(task)
        raise RequestError(f"must be one of the tasks in the table ({names}), got {came}.", argument="chosen_task")
    ask_for_direction({task: curves[task]}, name)
    return curves[task], reading.notes


class _Named(io.BytesIO):
    """Bytes, by the name that messages call them."""

    name = _NAME


def _read(name: str, raw: bytes, columns: ColumnSettings) -> Reading:
    """Read a file within the bounds of a server."""
    _check_workbook(raw)
    source = _Named(raw)
    source.name = name
    reading = Reading.of(source, columns.table, columns.corrected_cells)
    if len(reading.sheet.rows) > _MOST_ROWS:
        raise DataError(f"{name} has {len(reading.sheet.rows):,} rows; at most {_MOST_ROWS:,} are accepted.")
    return reading


def _check_workbook(raw: bytes) -> None:
    """Refuse a workbook that would fill the memory; what is none is for the reader to tell."""
    unpacked = 0
    if raw.startswith(b"PK"):
        with suppress(zipfile.BadZipFile, ValueError, OSError):
            unpacked = sum(file.file_size for file in zipfile.ZipFile(io.BytesIO(raw)).infolist())
    if unpacked > _MOST_UNPACKED:
        raise DataError("The workbook is too large. Copy the table from it and paste it.")
