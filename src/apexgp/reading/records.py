"""JSON and JSON lines as a table: one object for each run, as trackers of experiments and scripts write them."""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..errors import DataError
from .spreadsheets import Table, one_line

__all__ = ["as_table", "expanded", "records_in"]

_EXAMPLE = '{"n": 60, "auc": 0.71, "seed": 1}'
_MOST_DEPTH = 20
_LONGEST = 100_000  # characters of a cell that is looked into


def records_in(name: str, text: str) -> tuple[list[Mapping[str, Any]], list[int] | None]:
    """The objects of a file, one for each run or measurement; and their lines, where each has its own."""
    try:
        return _of_document(name, json.loads(text)), None
    except (json.JSONDecodeError, RecursionError) as problem:
        lines = [(i, line) for i, line in enumerate(text.splitlines(), start=1) if line.strip()]
        records: list[Mapping[str, Any]] = []
        for number, line in lines:
            try:
                record = json.loads(line)
            except (json.JSONDecodeError, RecursionError):
                first = problem if number == lines[0][0] else f"line {number} is not an object"
                raise DataError(f"{name} looks like JSON, but is neither valid JSON nor JSON lines: {first}.") from None
            if not isinstance(record, dict):
                raise DataError(f"{name}, line {number}: expected an object such as {_EXAMPLE}.") from None
            records.append(record)
        return records, [number for number, _ in lines]


def _of_document(name: str, document: Any) -> list[Mapping[str, Any]]:
    """The records of a document, in whichever of the usual ways it holds them."""
    if isinstance(document, list):
        if document and all(isinstance(one, dict) for one in document):
            return document
        raise DataError(f"{name} holds a list, but not of objects such as {_EXAMPLE}.")
    values = list(document.values())
    if isinstance(document.get("columns"), list) and isinstance(document.get("data"), list):  # a table of pandas or W&B
        rows = [row for row in document["data"] if isinstance(row, list)]
        return [dict(zip(map(str, document["columns"]), row, strict=False)) for row in rows]
    if values and all(isinstance(one, dict) for one in values):
        if all(key.isdigit() for one in values for key in one):  # a data frame, column by column
            labels = dict.fromkeys(key for one in values for key in one)
            return [{column: own.get(label) for column, own in document.items()} for label in labels]
        if len(values) > 1 and len({frozenset(one) for one in values}) == 1:
            return [{"name": key, **one} for key, one in document.items()]
    lists = {key: one for key, one in document.items() if isinstance(one, list)}
    heights = {len(one) for one in lists.values()}
    of_objects = [one for one in lists.values() if one and all(isinstance(entry, dict) for entry in one)]
    if len(of_objects) == 1:
        shared = {key: one for key, one in document.items() if not isinstance(one, list | dict)}
        return [{**shared, **record} for record in of_objects[0]]
    if len(lists) > 1 and len(heights) == 1 and not of_objects:  # columns, and what holds for all
        shared = {key: one for key, one in document.items() if key not in lists}
        return [{**shared, **{key: own[i] for key, own in lists.items()}} for i in range(heights.pop())]
    return [document]


def as_table(
    name: str, records: Sequence[Mapping[str, Any]], lines: list[int] | None = None, under: Sequence[str] = ()
) -> Table:
    """Records as a table, what is nested by names with points between; lists are no cells and are named in a note."""
    flat: list[dict[str, str]] = []
    lists: dict[str, None] = {}
    for record in records:
        flat.append({})
        for key, value in _leaves(record, (), name):
            if isinstance(value, list):
                lists[key] = None
            else:
                flat[-1][key] = _cell(value)
    names = dict.fromkeys(key for record in flat for key in record)
    if not records or not names:
        raise DataError(f"{name} contains no run with a score.")
    notes = [f"did not use the lists under {', '.join(map(repr, lists))}."] if lists else []
    columns = {one: [record.get(one, "") for record in flat] for one in names}
    numbers = list(range(1, len(flat) + 1)) if lines is None else lines
    place = "record" if lines is None else "line"
    return Table(name, columns, numbers, place=place, notes=tuple(notes), under=tuple(under))


def _leaves(value: Mapping[str, Any], above: tuple[str, ...], name: str) -> Iterable[tuple[str, Any]]:
    if len(above) > _MOST_DEPTH:
        raise DataError(f"{name} is nested more than {_MOST_DEPTH} levels deep. Put sizes and scores nearer the top.")
    for key, one in value.items():
        if isinstance(one, dict):
            yield from _leaves(one, (*above, str(key)), name)
        else:
            yield ".".join((*above, str(key))), one


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return repr(value) if isinstance(value, float) else one_line(str(value))


def expanded(table: Table) -> Table:
    """The table with cells that hold whole dictionaries, as W&B's example of an export writes them, as columns."""
    columns: dict[str, list[str]] = {}
    for name, cells in table.columns.items():
        found = [_dictionary(cell) for cell in cells] if any(cell.startswith("{") for cell in cells) else [None]
        if any(one is None for one in found):
            columns[name] = cells
            continue
        leaves = [dict(_leaves(one or {}, (name,), str(table.path))) for one in found]
        for key in dict.fromkeys(key for one in leaves for key in one):
            columns[key] = [_cell(one.get(key)) for one in leaves]
    return table if columns.keys() == table.columns.keys() else replace(table, columns=columns)


def _dictionary(cell: str) -> dict[str, Any] | None:
    """The dictionary in a cell, as JSON or as Python write it; None where there is none."""
    if len(cell) > _LONGEST:
        return None
    try:
        found = json.loads(cell)
    except (json.JSONDecodeError, RecursionError):
        try:
            found = ast.literal_eval(re.sub(r"\b(nan|inf)\b", "None", cell))
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return None
    return found if isinstance(found, dict) else None
