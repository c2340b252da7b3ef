"""The durable record of a run: a CSV file that a person can read, and that the same run goes on from."""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, get_args

from .._check import check_whole_number
from ..curve import Direction
from ..errors import ApexError, DataError, RequestError
from ..files.lock import LockedFile, held, read_shared
from ..files.writing import file_behind
from ..learners import check_learner
from ..reading.formulas import restored
from ..reading.known_metrics import UNNAMED, known_metric, plain_name, sounds_like_a_loss
from ..reading.size_labels import unit_label
from ..reading.spreadsheets import cells_of_any_length, csv_line, one_line
from ..scale import Range, check_range
from .differences import DIRECTION, FEATURES, LEARNER, RANGE, differences
from .scores import is_recorded_as_loss
from .splits import check_ratio

__all__ = ["PARTS", "FitKey", "FitRow", "Record", "key", "read_record", "resumed"]

# One fit: size, split, task, parameters, {train,validation,test}_<metric>, test_cases, seconds, error.
# Of a training function that says what it measures only with its first score, rows before that one have no metrics.
FitRow = dict[str, Any]


class FitKey(NamedTuple):
    """What makes a fit the same fit."""

    size: int
    split: int
    task: str | None


_TITLE = "# apexgp: one row per fit. Run again with the same settings and data to resume from here."
_FORMAT = 3  # how estimators and data are told apart in the settings, and which columns there are
_WITH_TRAIN = 3  # the first that has training scores


PARTS = ("train", "validation", "test")
"""Of the data of a fit: each has a column of scores for every metric."""


class Record:
    """Rows that are on the disk, and the way to add one.

    Parameters
    ----------
    metrics : sequence of str
        Names of the scores; none as long as nobody has said.
    rows : list of FitRow
        What there is already.
    file : LockedFile, optional
        Where to append; None keeps the rows in memory only.
    head : dict
        What stands above the rows: everything that decides what a row holds, by name.
    """

    def __init__(
        self,
        metrics: Sequence[str],
        rows: Sequence[FitRow] = (),
        file: LockedFile | None = None,
        head: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self.metrics = list(metrics)
        self.rows = list(rows)
        self.head = dict(head)
        self._file = file

    @property
    def unit(self) -> str:
        """What a size counts."""
        unit: str = self.head.get("unit", "rows")
        return unit

    @property
    def test_share(self) -> float | None:
        """Share of the cases that is kept for validation and test, where the run knows it."""
        if "ratio" not in self.head:
            return None
        train, *_ = check_ratio(self.head["ratio"])
        return round(1 - train, 12) or None

    @property
    def of_training(self) -> bool:
        """Whether a training function has given the scores, which may be any numbers."""
        return DIRECTION in self.head

    def direction_of(self, metric: str) -> Direction:
        """Whether higher or lower is better: what the head says, or, where it leaves that open, the metric's name.

        Where neither does, scores without a greatest value are losses.
        """
        said: Direction | None = self.head.get(DIRECTION)
        if not self.of_training:
            return "lower" if is_recorded_as_loss(metric) else "higher"
        unending = known_metric(metric) is None and self.range is not None and math.isinf(self.range[1])
        falls = sounds_like_a_loss(metric) and not plain_name(metric).startswith("neg ")
        return said or ("lower" if falls or unending else "higher")

    @property
    def range(self) -> Range | None:
        """The lowest and the highest possible score, where that was said."""
        said = self.head.get(RANGE)
        return None if said is None else check_range(said)

    @property
    def learner(self) -> str | None:
        """The kind of learner, where it was recognised."""
        said: str | None = self.head.get(LEARNER)
        return said

    @property
    def features(self) -> int | None:
        """Number of features after one-hot encoding, where it is known."""
        said: int | None = self.head.get(FEATURES)
        return said

    @property
    def unnamed(self) -> bool:
        """Whether nobody has said what is measured, nor whether higher or lower is better."""
        return self.of_training and self.metrics == [UNNAMED] and self.head[DIRECTION] is None

    def of(self, rows: Sequence[FitRow], metrics: Sequence[str]) -> Record:
        """Some of the rows and metrics, in memory."""
        return Record(metrics, rows, head=self.head)

    def add(self, row: FitRow) -> None:
        """Append one row; when this returns, it is on the disk."""
        if self._file is not None:
            self._file.append(csv_line([_cell(row[name]) for name in columns(self.metrics)]))
        self.rows.append(row)

    def name_metrics(self, metrics: Sequence[str]) -> None:
        """Say what is measured, once the first score has told; the rows so far are failed fits."""
        self.metrics = list(metrics)
        unknown = dict.fromkeys(columns(metrics))
        self.rows = [{**unknown, **row} for row in self.rows]
        self.head["metrics"] = self.metrics
        if self._file is not None:
            # A kill between the two leaves an empty file, in which there were only fits that are tried again anyway.
            self._file.cut(0)
            rows = [csv_line([_cell(row[name]) for name in unknown]) for row in self.rows]
            self._file.append("".join([_head(self.head), *rows]))

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
def resumed(target: Path, settings: dict[str, Any], *, of_more_metrics: bool = False) -> Iterator[Record]:
    """Open the record of a run with these settings: a new file, or one to go on with. No other run may use it then.

    Parameters
    ----------
    target
        The CSV file, of which it has been checked that it can be written.
    settings
        Everything that decides what a row holds, by name; values that JSON can hold. Its `metrics` are the names of the
        scores, None where the first score is to tell.
    of_more_metrics
        Whether a record will do that holds other metrics beside these.
    """
    head = {"record": _FORMAT, **settings}
    with held(target) as file:
        content = file.content()
        if _holds_no_rows_yet(content):
            file.cut(0)
            file.append(_head(head))
            yield Record(head["metrics"] or (), (), file, head)
            return
        found, rows = _parsed(target, content)
        wanted = json.loads(json.dumps(head))  # tuples become lists in a file
        known = found["metrics"]
        if of_more_metrics and known == [UNNAMED] and len(wanted["metrics"] or ()) == 1:
            # A name for what had none: that of the columns in the file may stay.
            rows = [_renamed(row, known, wanted["metrics"]) for row in rows]
            known = found["metrics"] = wanted["metrics"]
        settled = of_more_metrics and (wanted["metrics"] is None or set(wanted["metrics"]) <= set(known or ()))
        _refuse_other_settings(target, found, wanted | ({"metrics": known} if settled or known is None else {}))
        # What stands after the last end of line is the row that was being written when the run was killed.
        file.cut(content.rfind(b"\n") + 1)
        record = Record(known or (), rows, file, wanted | {"metrics": known})
        if known is None and wanted["metrics"]:
            record.name_metrics(wanted["metrics"])
        yield record


def read_record(path: str | os.PathLike[str]) -> Record:
    """Read what a record holds so far, without touching it."""
    source = file_behind(path)
    try:
        content = read_shared(source)
    except OSError as problem:
        raise DataError(f"{path} cannot be read as a record of fits: {problem.strerror}.") from None
    settings, rows = _parsed(source, content)
    return Record(settings["metrics"] or (), rows, head=settings)


def _head(head: Mapping[str, Any]) -> str:
    """What stands above the rows."""
    lines = [_TITLE, *(f"# {name}: {json.dumps(value)}" for name, value in head.items())]
    return "\n".join(lines) + "\n" + csv_line(columns(head["metrics"] or ()))


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
            f"{path} is not a record of fits written by apexgp; it was left untouched. Name another file for the "
            "results."
        )
    head = list(takewhile(lambda line: line.startswith("# "), lines))
    settings = _settings(path, head[1:])
    written = settings.get("record")
    metrics = settings["metrics"] or ()
    names = columns(metrics, written if isinstance(written, int) else 1)
    rows = []
    try:
        with cells_of_any_length():
            table = [list(map(restored, row)) for row in csv.reader(lines[len(head) :])]
    except csv.Error as problem:
        raise DataError(f"{path} cannot be read as a record of fits: {problem}.") from None
    for number, cells in enumerate(table, start=len(head) + 1):
        if number == len(head) + 1:
            if cells != names:
                raise DataError(f"{path}, line {number}: expected the columns {', '.join(names)}.")
            continue
        try:
            rows.append(_row(dict(zip(names, cells, strict=True)), metrics))
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
        named = isinstance(metrics, list) and metrics and all(isinstance(name, str) for name in metrics)
        if metrics is not None and not named:
            raise ValueError(f"metrics: {metrics!r}")
        if settings.get(DIRECTION) not in (None, *get_args(Direction)):
            raise ValueError(f"direction: {settings[DIRECTION]!r}")
        if settings.get(RANGE) is not None:
            check_range(settings[RANGE])
        if settings.get(LEARNER) is not None:
            check_learner(settings[LEARNER])
        if settings.get(FEATURES) is not None:
            check_whole_number(FEATURES, settings[FEATURES], least=0)
        unit_label(settings.get("unit", "rows"))
        check_ratio(settings.get("ratio", (8, 1, 1)))
    except (ValueError, KeyError, RecursionError, ApexError) as problem:
        raise DataError(
            f"{path} has lost its settings ({one_line(repr(problem), 200)}). Restore it, or use another file."
        ) from None
    return settings


def _row(cells: dict[str, str], metrics: Sequence[str]) -> FitRow:
    row: FitRow = dict(cells)
    row["size"], row["split"] = int(cells["size"]), int(cells["split"])
    row["test_cases"] = int(cells["test_cases"]) if cells["test_cases"] else None
    row["task"] = cells["task"] or None
    row["parameters"] = json.loads(cells["parameters"])
    row["seconds"] = float(cells["seconds"])
    for metric in metrics:
        for name in (f"{part}_{metric}" for part in PARTS):
            row[name] = float(cells[name]) if cells.get(name) else None
    scores = [row[f"test_{metric}"] for metric in metrics]
    if not row["error"] and (not scores or any(score is None or not math.isfinite(score) for score in scores)):
        raise ValueError(f"scores {scores}")
    if not 1 <= row["size"] < 2**53:
        raise ValueError(f"size {row['size']}")
    return row


def _renamed(row: FitRow, before: Sequence[str], after: Sequence[str]) -> FitRow:
    return dict(zip(columns(after), (row[name] for name in columns(before)), strict=True))


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return json.dumps(value) if isinstance(value, dict) else one_line(str(value))


def _refuse_other_settings(path: Path, found: dict[str, Any], wanted: dict[str, Any]) -> None:
    if found.get("record") != _FORMAT:
        raise RequestError(
            f"{path} is a record of another version of apexgp, which recorded less, or identified estimators and data "
            "differently; it was left untouched and can still be read. Name another file for the results."
        )
    other = differences(found, wanted)
    if other:
        raise RequestError(
            f"{path} holds the fits of another run ({'; '.join(other)}). It was left untouched.",
            remedy=("Start another record with {}, or go back to those settings.", ("results", "other.csv")),
        )
