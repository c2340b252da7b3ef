"""The document that `apexgp read --json` prints: a table as it was understood."""

from __future__ import annotations

from typing import Literal, TypedDict

from ..curve import Reading
from ..files.writing import to_json_value
from ..question_base.documents import Json
from ..reading.show import classify_rows
from .doubts import write_options

__all__ = ["ReadDocument", "build_read_document"]


class ReadColumn(TypedDict):
    """A column of the table."""

    letter: str
    name: str
    role: str
    """What it holds: size, score, split, model, train_score and so on; ignored where it is not used."""


class ReadRow(TypedDict):
    """A row of the table as it came."""

    number: int
    role: str
    """What it is taken for: header, data, section, title, note, summary, no score or unfinished run."""
    cells: list[str]


class ReadSheet(TypedDict):
    """Where the rows come from."""

    source: str
    """The file."""
    title: str | None
    """The sheet of a workbook; * stands for all sheets that hold a table."""
    titles: list[str]
    """All sheets of that workbook."""
    place: str
    """What the numbers of rows count: lines of a text, rows of a workbook."""


class ReadChoice(TypedDict):
    """One way to settle a doubt."""

    label: str
    options: str
    """Options of a command that settle it so."""
    settings: dict[str, Json]
    """Arguments of apexgp.read that settle it so."""


class ReadDoubt(TypedDict):
    """Something that the table does not tell and that changes the answer."""

    question: str
    error: str
    """The error of a command that is not told, with what to do."""
    choices: list[ReadChoice]
    columns: list[str]
    """Letters of the columns that it is about."""
    rows: list[int]
    """Numbers of the rows that it is about."""


class ReadCurve(TypedDict):
    """A curve that the table holds."""

    task: str | None
    metric: str
    n_scores: int
    sizes: list[float]


class ReadDocument(TypedDict):
    """A table as it was understood."""

    schema: Literal["urn:apexgp:read:1"]
    sheet: ReadSheet
    columns: list[ReadColumn]
    rows: list[ReadRow]
    curves: list[ReadCurve]
    """None while there are doubts."""
    doubts: list[ReadDoubt]
    notes: list[str]
    """What was done to cells: left out, filled in, turned."""
    settings: dict[str, Json]
    """Everything that was decided, as arguments of apexgp.read."""


def build_read_document(reading: Reading) -> ReadDocument:
    """Describe a reading; errors of doubts are worded by whoever builds it."""
    sheet, found = reading.sheet, reading.interpretation
    curves = {} if reading.doubts else reading.find_curves()
    kinds = classify_rows(sheet, found)
    return {
        "schema": "urn:apexgp:read:1",
        "sheet": {"source": sheet.source, "title": sheet.title, "titles": list(sheet.titles), "place": sheet.place},
        "columns": [{"letter": one.letter, "name": one.name, "role": one.role} for one in found.columns],
        "rows": [
            {"number": line, "role": kind, "cells": list(cells)}
            for line, kind, cells in zip(sheet.lines, kinds, sheet.rows, strict=True)
        ],
        "curves": [
            {
                "task": None if task is None else str(task),
                "metric": curve.metric,
                "n_scores": len(curve),
                "sizes": curve.replicates.sizes.tolist(),
            }
            for task, curve in curves.items()
        ],
        "doubts": [
            {
                "question": doubt.question,
                "error": str(doubt.error),
                "choices": [
                    {
                        "label": one.label,
                        "options": write_options(one.settings),
                        "settings": to_json_value(one.settings, str),
                    }
                    for one in doubt.choices
                ],
                "columns": list(doubt.columns),
                "rows": list(doubt.rows),
            }
            for doubt in reading.doubts
        ],
        "notes": list(reading.notes),
        "settings": to_json_value(found.as_settings(), str),
    }
