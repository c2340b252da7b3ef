"""The durable record of a run: a CSV file that a person can read, and that the same run goes on from."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .._files import refuse_to_overwrite, write_text
from .._tables import csv_line
from ..errors import DataError, RequestError

__all__ = ["FitRow", "Record", "read_record", "resumed"]

# One fit: size, split, task, parameters, validation_<metric>, test_<metric>, test_cases, seconds, error.
FitRow = dict[str, Any]

_TITLE = "# apexgp collect: one row a fit. Run again with the same settings and data to go on from here."


class Record:
    """Rows that are on the disk, and the way to add one.

    Parameters
    ----------
    metrics : sequence of str
        Names of the scores.
    rows : list of FitRow
        What there is already.
    file : int, optional
        Descriptor to append to; None keeps the rows in memory only.
    """

    def __init__(self, metrics: Sequence[str], rows: Sequence[FitRow] = (), file: int | None = None) -> None:
        self.metrics = list(metrics)
        self.rows = list(rows)
        self._file = file

    def add(self, row: FitRow) -> None:
        """Append one row; when this returns, it is on the disk."""
        if self._file is not None:
            # One write for the whole line: what a kill leaves behind is at most a line without its end.
            line = csv_line([_cell(row[name]) for name in columns(self.metrics)]).encode()
            if os.write(self._file, line) < len(line):
                raise OSError("The disk took only a part of a row. Make room, then run again to go on.")
            os.fsync(self._file)
        self.rows.append(row)

    def finished(self) -> dict[tuple[int, int, str | None], FitRow]:
        """The last fit without an error of each (size, split, task)."""
        return {key(row): row for row in self.rows if not row["error"]}


def key(row: FitRow) -> tuple[int, int, str | None]:
    """What makes a fit the same fit."""
    return row["size"], row["split"], row["task"]


def columns(metrics: Sequence[str]) -> list[str]:
    """Header of the file."""
    scores = [f"{part}_{metric}" for metric in metrics for part in ("validation", "test")]
    return ["size", "split", "task", "parameters", *scores, "test_cases", "seconds", "error"]


@contextmanager
def resumed(path: str | os.PathLike[str], settings: dict[str, Any], metrics: Sequence[str]) -> Iterator[Record]:
    """Open the record of a run with these settings: a new file, or one to go on with.

    Parameters
    ----------
    path
        The CSV file.
    settings
        Everything that decides what a row holds, by name; values that JSON can hold.
    metrics
        Names of the scores.
    """
    target = refuse_to_overwrite(path, overwrite=True)
    if target.exists() and target.stat().st_size:
        _drop_torn_line(target)
        found, rows = _read(target)
        _refuse_other_settings(target, found, json.loads(json.dumps(settings)))  # tuples become lists in a file
    else:
        head = [_TITLE, *(f"# {name}: {json.dumps(value)}" for name, value in settings.items())]
        write_text(target, "\n".join(head) + "\n" + csv_line(columns(metrics)), overwrite=True)
        rows = []
    file = os.open(target, os.O_WRONLY | os.O_APPEND)
    try:
        yield Record(metrics, rows, file)
    finally:
        os.close(file)


def read_record(path: str | os.PathLike[str]) -> Record:
    """Read what a record holds so far, without touching it."""
    settings, rows = _read(Path(path))
    return Record(settings["metrics"], rows)


def _drop_torn_line(path: Path) -> None:
    """Cut off what stands after the last end of line: the row that was being written when the run was killed."""
    with path.open("rb+") as file:
        content = file.read()
        whole = content.rfind(b"\n") + 1
        if content.startswith(_TITLE.encode()) and 0 < whole < len(content):
            file.truncate(whole)
            os.fsync(file.fileno())


def _read(path: Path) -> tuple[dict[str, Any], list[FitRow]]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise DataError(f"{path} cannot be read as a record of fits: {problem}.") from None
    lines = text[: text.rfind("\n") + 1].splitlines()
    if not lines or lines[0] != _TITLE:
        raise RequestError(
            f"{path} is not a record that apexgp collect wrote; it was left alone. Name another file for the results."
        )
    head = [line for line in lines if line.startswith("# ")]
    try:
        settings = {name: json.loads(value) for name, _, value in (line[2:].partition(": ") for line in head[1:])}
        metrics = settings["metrics"]
    except (json.JSONDecodeError, KeyError) as problem:
        raise DataError(
            f"{path} has lost its settings ({problem!r}). Restore it, or start with another file."
        ) from None
    rows = []
    for number, cells in enumerate(csv.reader(lines[len(head) :]), start=len(head) + 1):
        if number == len(head) + 1:
            if cells != columns(metrics):
                raise DataError(f"{path}, line {number}: expected the columns {', '.join(columns(metrics))}.")
            continue
        try:
            rows.append(_row(dict(zip(columns(metrics), cells, strict=True)), metrics))
        except ValueError:
            raise DataError(
                f"{path}, line {number} is not a row of this record: {','.join(cells)!r}. Delete that line to repeat "
                "its fit."
            ) from None
    return settings, rows


def _row(cells: dict[str, str], metrics: Sequence[str]) -> FitRow:
    row: FitRow = dict(cells)
    row["size"], row["split"], row["test_cases"] = int(cells["size"]), int(cells["split"]), int(cells["test_cases"])
    row["task"] = cells["task"] or None
    row["parameters"] = json.loads(cells["parameters"])
    row["seconds"] = float(cells["seconds"])
    for metric in metrics:
        for name in (f"validation_{metric}", f"test_{metric}"):
            row[name] = float(cells[name]) if cells[name] else None
    return row


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return json.dumps(value) if isinstance(value, dict) else str(value)


def _refuse_other_settings(path: Path, found: dict[str, Any], wanted: dict[str, Any]) -> None:
    differences = [
        f"{name} was {json.dumps(found.get(name))}, now {json.dumps(wanted.get(name))}"
        for name in dict.fromkeys([*wanted, *found])
        if found.get(name) != wanted.get(name)
    ]
    if differences:
        raise RequestError(
            f"{path} was made with other settings or data: {'; '.join(differences)}. Name another file for the "
            "results, or go back to those settings."
        )
