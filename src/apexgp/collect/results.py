"""The durable record of a run: a CSV file that a person can read, and that the same run goes on from."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import DataError, RequestError
from ..files.lock import LockedFile, held, read_shared
from ..files.writing import file_behind
from ..reading.spreadsheets import cells_of_any_length, csv_line, one_line
from .differences import differences
from .splits import check_ratio

__all__ = ["PARTS", "FitKey", "FitRow", "Record", "counted", "key", "read_record", "resumed"]

# One fit: size, split, task, parameters, {train,validation,test}_<metric>, test_cases, seconds, error.
FitRow = dict[str, Any]


class FitKey(NamedTuple):
    """What makes a fit the same fit."""

    size: int
    split: int
    task: str | None


_TITLE = "# apexgp collect: one row a fit. Run again with the same settings and data to go on from here."
_FORMAT = 3  # how estimators and data are told apart in the settings, and which columns there are
_WITH_TRAIN = 3  # the first that has training scores

_UNITS = ("rows", "groups")  # that a size may count

PARTS = ("train", "validation", "test")
"""Of the data of a fit: each has a column of scores for every metric."""


class Record:
    """Rows that are on the disk, and the way to add one.

    Parameters
    ----------
    metrics : sequence of str
        Names of the scores.
    rows : list of FitRow
        What there is already.
    file : LockedFile, optional
        Where to append; None keeps the rows in memory only.
    unit : {"rows", "groups"}
        What a size counts.
    test_share : float, optional
        Share of the cases that is kept for validation and test.
    """

    def __init__(
        self,
        metrics: Sequence[str],
        rows: Sequence[FitRow] = (),
        file: LockedFile | None = None,
        unit: str = "rows",
        test_share: float | None = None,
    ) -> None:
        self.metrics = list(metrics)
        self.rows = list(rows)
        self.unit, self.test_share = unit, test_share
        self._file = file

    def add(self, row: FitRow) -> None:
        """Append one row; when this returns, it is on the disk."""
        if self._file is not None:
            self._file.append(csv_line([_cell(row[name]) for name in columns(self.metrics)]))
        self.rows.append(row)

    def finished(self) -> dict[FitKey, FitRow]:
        """The last row without an error of each fit."""
        return {key(row): row for row in self.rows if not row["error"]}


def key(row: FitRow) -> FitKey:
    """Which fit a row is of."""
    return FitKey(row["size"], row["split"], row["task"])


def columns(metrics: Sequence[str], written: int = _FORMAT) -> list[str]:
    """Header of the file; of one that an earlier version has written, without training scores."""
    parts = PARTS if written >= _WITH_TRAIN else PARTS[1:]
    scores = [f"{part}_{metric}" for metric in metrics for part in parts]
    return ["size", "split", "task", "parameters", *scores, "test_cases", "seconds", "error"]


@contextmanager
def resumed(target: Path, settings: dict[str, Any], metrics: Sequence[str]) -> Iterator[Record]:
    """Open the record of a run with these settings: a new file, or one to go on with. No other run may use it then.

    Parameters
    ----------
    target
        The CSV file, of which it has been checked that it can be written.
    settings
        Everything that decides what a row holds, by name; values that JSON can hold.
    metrics
        Names of the scores.
    """
    head = {"record": _FORMAT, **settings}
    with held(target) as file:
        content = file.content()
        if _holds_no_rows_yet(content):
            file.cut(0)
            lines = [_TITLE, *(f"# {name}: {json.dumps(value)}" for name, value in head.items())]
            file.append("\n".join(lines) + "\n" + csv_line(columns(metrics)))
            rows: list[FitRow] = []
        else:
            found, rows = _parsed(target, content)
            _refuse_other_settings(target, found, json.loads(json.dumps(head)))  # tuples become lists in a file
            # What stands after the last end of line is the row that was being written when the run was killed.
            file.cut(content.rfind(b"\n") + 1)
        yield Record(metrics, rows, file, **counted(settings))


def read_record(path: str | os.PathLike[str]) -> Record:
    """Read what a record holds so far, without touching it."""
    source = file_behind(path)
    try:
        content = read_shared(source)
    except OSError as problem:
        raise DataError(f"{path} cannot be read as a record of fits: {problem.strerror}.") from None
    settings, rows = _parsed(source, content)
    return Record(settings["metrics"], rows, **counted(settings))


def _holds_no_rows_yet(content: bytes) -> bool:
    """Whether a run was killed before it had written the head of its record: that is as good as an empty file."""
    title = _TITLE.encode()
    if len(content) <= len(title):
        return title.startswith(content)
    *whole, _torn = content.split(b"\n")
    return whole[:1] == [title] and all(line.startswith(b"# ") for line in whole)


def _parsed(path: Path, content: bytes) -> tuple[dict[str, Any], list[FitRow]]:
    """Settings and rows; what stands after the last end of line is left out."""
    try:
        whole = content[: content.rfind(b"\n") + 1].decode("utf-8")
    except UnicodeDecodeError as problem:
        raise DataError(f"{path} cannot be read as a record of fits: {problem}.") from None
    lines = whole.replace("\r\n", "\n").split("\n")[:-1]  # an editor may have been at it
    if not lines or lines[0] != _TITLE:
        raise RequestError(
            f"{path} is not a record that apexgp collect wrote; it was left alone. Name another file for the results."
        )
    head = list(takewhile(lambda line: line.startswith("# "), lines))
    settings = _settings(path, head[1:])
    written = settings.get("record")
    names = columns(settings["metrics"], written if isinstance(written, int) else 1)
    rows = []
    try:
        with cells_of_any_length():
            table = list(csv.reader(lines[len(head) :]))
    except csv.Error as problem:
        raise DataError(f"{path} cannot be read as a record of fits: {problem}.") from None
    for number, cells in enumerate(table, start=len(head) + 1):
        if number == len(head) + 1:
            if cells != names:
                raise DataError(f"{path}, line {number}: expected the columns {', '.join(names)}.")
            continue
        try:
            rows.append(_row(dict(zip(names, cells, strict=True)), settings["metrics"]))
        except (ValueError, OverflowError, RecursionError):
            raise DataError(
                f"{path}, line {number} is not a row of this record: {one_line(','.join(cells), 200)!r}. Delete that "
                "line to repeat its fit."
            ) from None
    return settings, rows


def _settings(path: Path, lines: Sequence[str]) -> dict[str, Any]:
    try:
        settings = {name: json.loads(value) for name, _, value in (line[2:].partition(": ") for line in lines)}
        metrics = settings["metrics"]
        if not isinstance(metrics, list) or not metrics or not all(isinstance(name, str) for name in metrics):
            raise ValueError(f"metrics: {metrics!r}")
        if (unit := settings.get("unit", "rows")) not in _UNITS:
            raise ValueError(f"unit: {unit!r}")
        check_ratio(settings.get("ratio", (8, 1, 1)))
    except (ValueError, KeyError, RecursionError, RequestError) as problem:
        raise DataError(
            f"{path} has lost its settings ({one_line(repr(problem), 200)}). Restore it, or start with another file."
        ) from None
    return settings


def counted(settings: dict[str, Any]) -> dict[str, Any]:
    """What a size of a run with these settings counts, and which share of the cases none does."""
    train, *_ = check_ratio(settings["ratio"]) if "ratio" in settings else (None,)
    return {
        "unit": settings.get("unit", "rows"),
        "test_share": None if train is None else round(1 - train, 12) or None,
    }


def _row(cells: dict[str, str], metrics: Sequence[str]) -> FitRow:
    row: FitRow = dict(cells)
    row["size"], row["split"], row["test_cases"] = int(cells["size"]), int(cells["split"]), int(cells["test_cases"])
    row["task"] = cells["task"] or None
    row["parameters"] = json.loads(cells["parameters"])
    row["seconds"] = float(cells["seconds"])
    for metric in metrics:
        for name in (f"{part}_{metric}" for part in PARTS):
            row[name] = float(cells[name]) if cells.get(name) else None
    scores = [row[f"test_{metric}"] for metric in metrics]
    if not row["error"] and not all(score is not None and 0 <= score <= 1 for score in scores):
        raise ValueError(f"scores {scores}")
    if not 1 <= row["size"] < 2**53:
        raise ValueError(f"size {row['size']}")
    return row


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return json.dumps(value) if isinstance(value, dict) else one_line(str(value))


def _refuse_other_settings(path: Path, found: dict[str, Any], wanted: dict[str, Any]) -> None:
    if found.get("record") != _FORMAT:
        raise RequestError(
            f"{path} is a record of another version of apexgp, which recorded less, or told estimators and data apart "
            "in another way; it was left alone and can still be read. Name another file for the results."
        )
    other = differences(found, wanted)
    if other:
        raise RequestError(
            f"{path} holds the fits of another run ({'; '.join(other)}). It was left alone.",
            remedy=("Start another record with {}, or go back to those settings.", ("results", "other.csv")),
        )
