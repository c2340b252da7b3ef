"""The record of a run: a CSV file of fits that a person can read and that the same run resumes from."""

from __future__ import annotations

import csv
import json
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, get_args

from .._check import check_path, check_whole_number
from ..curve import Direction
from ..errors import ApexError, DataError, RequestError
from ..files.lock import LockedFile, lock_file, read_shared
from ..learners import IMPROVE_WITH_FEATURES, check_learner
from ..reading.cells import restore_text
from ..reading.files import cells_of_any_length, csv_line, one_line
from ..reading.known_metrics import UNNAMED
from ..reading.measure import unit_label
from ..reading.names import PROBLEM_COUNTS, known_metric, plain_name, sounds_like_a_loss
from ..scale import Range, check_range
from .scores import is_recorded_as_loss
from .splits import check_ratio

__all__ = [
    "DIRECTION",
    "ESTIMATOR_NAME",
    "LEARNER",
    "N_CLASSES",
    "N_FEATURES",
    "PARTS",
    "RANGE",
    "FitKey",
    "FitRecord",
    "FitRow",
    "fit_key",
    "open_record",
    "read_record",
]

# One fit: size, split, task, parameters, {train,validation,test}_<metric>, test_cases, seconds, error.
# Of a training function that says what it measures only with its first score, rows before that one have no metrics.
FitRow = dict[str, Any]

# Keys of the settings above the rows.
ESTIMATOR_NAME = "called"
DIRECTION = "direction"  # whether higher or lower scores are better
RANGE = "range"  # lowest and highest possible score
LEARNER = "learner"  # kind of the estimator
N_FEATURES = "n_features"  # number of features that the final classifier sees
N_CLASSES = "n_classes"  # number of classes; where all are scored together, of each label
# They do not change the rows, so they may differ. Older records have "features", too: those of the data.
_IGNORED = (ESTIMATOR_NAME, DIRECTION, RANGE, LEARNER, N_FEATURES, N_CLASSES, "features")
_MAX_CHARS = 60
_DATA_NAMES = {
    "X": "features",
    "y": "labels",
    "groups": "groups",
    "scorers": "scorers",
    "sample_weight": "sample weights",
}


class FitKey(NamedTuple):
    """Size, split and task, which identify a fit."""

    size: int
    split: int
    task: str | None


_TITLE = "# apexgp: one row per fit. Run again with the same settings and data to resume from here."
_FORMAT = 3  # of the descriptions of estimators and data in the settings, and of the columns
_FIRST_WITH_TRAIN = 3  # the first that has training scores


PARTS = ("train", "validation", "test")
"""Parts of the data of a fit; each has a column of scores for every metric."""


class FitRecord:
    """The rows of a run so far, and a file to append further ones to.

    Parameters
    ----------
    metrics : sequence of str
        Names of the scores; empty until the first score names them.
    rows : list of FitRow
        Rows that exist already.
    file : LockedFile, optional
        Where to append; None keeps the rows in memory only.
    head : dict
        Settings above the rows, by name: everything that decides what a row holds.
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
        """Unit of a size, such as rows or patients."""
        unit: str = self.head.get("unit", "rows")
        return unit

    @property
    def test_share(self) -> float | None:
        """Share of the cases kept for validation and test; None where the run does not know it."""
        if "ratio" not in self.head:
            return None
        train, *_ = check_ratio(self.head["ratio"])
        return round(1 - train, 12) or None

    @property
    def is_from_training(self) -> bool:
        """Whether the scores come from a training function, and may be any numbers."""
        return DIRECTION in self.head

    def find_direction(self, metric: str) -> Direction:
        """Whether higher or lower is better: as the head says, or otherwise the name of the metric.

        Where neither says so, scores without a greatest value are losses.
        """
        stated: Direction | None = self.head.get(DIRECTION)
        if not self.is_from_training:
            return "lower" if is_recorded_as_loss(metric) else "higher"
        unending = known_metric(metric) is None and self.range is not None and math.isinf(self.range[1])
        falls = sounds_like_a_loss(metric) and not plain_name(metric).startswith("neg ")
        return stated or ("lower" if falls or unending else "higher")

    @property
    def range(self) -> Range | None:
        """The lowest and the highest possible score; None where nobody has said."""
        stated = self.head.get(RANGE)
        return None if stated is None else check_range(stated)

    @property
    def learner(self) -> str | None:
        """The kind of learner; None where it was not recognised, or priors need to know a number of features, too."""
        stated: str | None = self.head.get(LEARNER)
        return None if stated in IMPROVE_WITH_FEATURES and self.n_features is None else stated

    @property
    def n_features(self) -> int | None:
        """Number of features that the final classifier sees; None where it is not known."""
        stated: int | None = self.head.get(N_FEATURES)
        return stated

    def count_classes(self, task: str | None) -> int | None:
        """Number of classes that a task has; None where it is not known."""
        stated: int | dict[str, int] | None = self.head.get(N_CLASSES)
        return stated.get(task or "") if isinstance(stated, dict) else stated

    @property
    def is_unnamed(self) -> bool:
        """Whether nobody has said what is measured, nor whether higher or lower is better."""
        return self.is_from_training and self.metrics == [UNNAMED] and self.head[DIRECTION] is None

    def select(self, rows: Sequence[FitRow], metrics: Sequence[str]) -> FitRecord:
        """A record in memory of some of the rows and metrics."""
        return FitRecord(metrics, rows, head=self.head)

    def add(self, row: FitRow) -> None:
        """Append one row; when this returns, it is on the disk."""
        if self._file is not None:
            self._file.append(csv_line([_format_cell(row[name]) for name in list_columns(self.metrics)]))
        self.rows.append(row)

    def name_metrics(self, metrics: Sequence[str]) -> None:
        """Set the names of the scores, once the first score has given them; the rows so far are failed fits."""
        self.metrics = list(metrics)
        unknown = dict.fromkeys(list_columns(metrics))
        self.rows = [{**unknown, **row} for row in self.rows]
        self.head["metrics"] = self.metrics
        if self._file is not None:
            # A kill between the two leaves an empty file, in which there were only fits that are tried again anyway.
            self._file.truncate(0)
            rows = [csv_line([_format_cell(row[name]) for name in unknown]) for row in self.rows]
            self._file.append("".join([_format_head(self.head), *rows]))

    def finished_rows(self) -> dict[FitKey, FitRow]:
        """The last row without an error of each fit."""
        return {fit_key(row): row for row in self.rows if not row["error"]}


def fit_key(row: FitRow) -> FitKey:
    """Size, split and task of a row."""
    return FitKey(row["size"], row["split"], row["task"])


def list_columns(metrics: Sequence[str], written: int = _FORMAT) -> list[str]:
    """Header of the file in the format `written`; earlier formats have no training scores."""
    parts = PARTS if written >= _FIRST_WITH_TRAIN else PARTS[1:]
    scores = [f"{part}_{metric}" for metric in metrics for part in parts]
    return ["size", "split", "task", "parameters", *scores, "test_cases", "seconds", "error"]


@contextmanager
def open_record(target: Path, settings: dict[str, Any], *, allow_other_metrics: bool = False) -> Iterator[FitRecord]:
    """Open and lock the record of a run with these settings: a new file, or one to resume.

    Parameters
    ----------
    target
        The CSV file, already checked to be writable.
    settings
        Everything that decides what a row holds, by name; values that JSON can hold. Its `metrics` are the names of the
        scores, None where the first score names them.
    allow_other_metrics
        Whether the record may hold further metrics.
    """
    head = {"record": _FORMAT, **settings}
    with lock_file(target) as file:
        content = file.read()
        if _has_no_rows(content):
            file.truncate(0)
            file.append(_format_head(head))
            yield FitRecord(head["metrics"] or (), (), file, head)
            return
        found, rows = _parse_record(target, content)
        wanted = json.loads(json.dumps(head))  # tuples become lists in a file
        known = found["metrics"]
        if allow_other_metrics and known == [UNNAMED] and len(wanted["metrics"] or ()) == 1:
            # A name for what had none: that of the columns in the file may stay.
            rows = [_rename_metrics(row, known, wanted["metrics"]) for row in rows]
            known = found["metrics"] = wanted["metrics"]
        settled = allow_other_metrics and (wanted["metrics"] is None or set(wanted["metrics"]) <= set(known or ()))
        _refuse_other_settings(target, found, wanted | ({"metrics": known} if settled or known is None else {}))
        # What stands after the last end of line is the row that was being written when the run was killed.
        file.truncate(content.rfind(b"\n") + 1)
        record = FitRecord(known or (), rows, file, wanted | {"metrics": known})
        if known is None and wanted["metrics"]:
            record.name_metrics(wanted["metrics"])
        yield record


def read_record(path: str | os.PathLike[str]) -> FitRecord:
    """Read what a record holds so far, without touching it."""
    source = check_path(path)
    try:
        content = read_shared(source)
    except OSError as problem:
        raise DataError(f"{path} cannot be read as a record of fits: {problem.strerror}.") from None
    settings, rows = _parse_record(source, content)
    return FitRecord(settings["metrics"] or (), rows, head=settings)


def _format_head(head: Mapping[str, Any]) -> str:
    """Text above the rows: title, settings and header."""
    lines = [_TITLE, *(f"# {name}: {json.dumps(value)}" for name, value in head.items())]
    return "\n".join(lines) + "\n" + csv_line(list_columns(head["metrics"] or ()))


def _has_no_rows(content: bytes) -> bool:
    """Whether the file is empty, or its run was killed before the head of the record was complete."""
    title = _TITLE.encode()
    if len(content) <= len(title):
        return title.startswith(content)
    *whole, _torn = content.split(b"\n")
    return whole[:1] == [title] and all(line.startswith(b"# ") for line in whole)


def _parse_record(path: Path, content: bytes) -> tuple[dict[str, Any], list[FitRow]]:
    """Settings and rows of a record; a last line without its end is left out."""
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
    settings = _parse_settings(path, head[1:])
    written = settings.get("record")
    metrics = settings["metrics"] or ()
    names = list_columns(metrics, written if isinstance(written, int) else 1)
    rows = []
    try:
        with cells_of_any_length():
            table = [list(map(restore_text, row)) for row in csv.reader(lines[len(head) :])]
    except csv.Error as problem:
        raise DataError(f"{path} cannot be read as a record of fits: {problem}.") from None
    for number, cells in enumerate(table, start=len(head) + 1):
        if number == len(head) + 1:
            if cells != names:
                raise DataError(f"{path}, line {number}: expected the columns {', '.join(names)}.")
            continue
        try:
            rows.append(_parse_row(dict(zip(names, cells, strict=True)), metrics))
        except (ValueError, OverflowError, RecursionError):
            raise DataError(
                f"{path}, line {number} is not a row of this record: {one_line(','.join(cells), 200)!r}. Delete that "
                "line to repeat its fit."
            ) from None
    return settings, rows


def _parse_settings(path: Path, lines: Sequence[str]) -> dict[str, Any]:
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
        if settings.get(N_FEATURES) is not None:
            check_whole_number(N_FEATURES, settings[N_FEATURES], least=PROBLEM_COUNTS[N_FEATURES])
        counts = settings.get(N_CLASSES)
        for count in counts.values() if isinstance(counts, dict) else [counts]:
            if count is not None:
                check_whole_number(N_CLASSES, count, least=PROBLEM_COUNTS[N_CLASSES])
        unit_label(settings.get("unit", "rows"))
        check_ratio(settings.get("ratio", (8, 1, 1)))
    except (ValueError, KeyError, RecursionError, ApexError) as problem:
        raise DataError(
            f"{path} has lost its settings ({one_line(repr(problem), 200)}). Restore it, or use another file."
        ) from None
    return settings


def _parse_row(cells: dict[str, str], metrics: Sequence[str]) -> FitRow:
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


def _rename_metrics(row: FitRow, before: Sequence[str], after: Sequence[str]) -> FitRow:
    return dict(zip(list_columns(after), (row[name] for name in list_columns(before)), strict=True))


def _format_cell(value: Any) -> str:
    if value is None:
        return ""
    return json.dumps(value) if isinstance(value, dict) else one_line(str(value))


def _refuse_other_settings(path: Path, found: dict[str, Any], wanted: dict[str, Any]) -> None:
    if found.get("record") != _FORMAT:
        raise RequestError(
            f"{path} is a record of another version of apexgp, which recorded less, or identified estimators and data "
            "differently; it was left untouched and can still be read. Name another file for the results."
        )
    other = list_differences(found, wanted)
    if other:
        raise RequestError(
            f"{path} holds the fits of another run ({'; '.join(other)}). It was left untouched.",
            remedy=("Start another record with {}, or go back to those settings.", ("results", "other.csv")),
        )


def list_differences(found: dict[str, Any], wanted: dict[str, Any]) -> list[str]:
    """Sentences on the settings that differ, such as "seed: 0, now 1"; empty for the same run."""
    changed = [
        name
        for name in dict.fromkeys([*wanted, *found])
        if name not in _IGNORED and found.get(name) != wanted.get(name)
    ]
    if "cases" in changed:  # then all about the data differs
        changed = [name for name in changed if name not in ("classes", *_DATA_NAMES)]
    elif "y" in changed:
        changed = [name for name in changed if name != "classes"]
    return [_describe_difference(name, found, wanted) for name in changed]


def _describe_difference(name: str, found: dict[str, Any], wanted: dict[str, Any]) -> str:
    before, after = found.get(name), wanted.get(name)
    if name in ("estimator", "train"):
        return f"{name}: {_describe_estimators(name, found, wanted)}"
    if name in _DATA_NAMES:
        if before is None or after is None:
            was, now = ("none" if value is None else "given" for value in (before, after))
            return f"{_DATA_NAMES[name]}: {was}, now {now}"
        return f"{_DATA_NAMES[name]}: different values"
    return f"{name}: {_shorten_value(before)}, now {_shorten_value(after)}"


def _describe_estimators(name: str, found: dict[str, Any], wanted: dict[str, Any]) -> str:
    before, after = str(found.get(ESTIMATOR_NAME, "another")), str(wanted.get(ESTIMATOR_NAME, "another"))
    if before != after:
        return f"{_shorten_value(before)}, now {_shorten_value(after)}"
    old, new = (_parse_parameters(str(settings.get(name))) for settings in (found, wanted))
    changed = [one for one in dict.fromkeys([*old, *new]) if old.get(one) != new.get(one)]
    if not changed:
        return f"{_shorten_value(before)}, but with different code"
    return (
        f"{_shorten_value(before)} with {'; '.join(f'{one} {old.get(one)}, now {new.get(one)}' for one in changed[:3])}"
    )


def _parse_parameters(description: str) -> dict[str, str]:
    """Parameters with plain values in the description of an estimator."""
    return dict(re.findall(r"\b(\w++)=([^,()\[\]{} ]+)", description))


def _shorten_value(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, list):
        return ", ".join(map(_shorten_value, value))
    if isinstance(value, float):
        return f"{value:g}"
    return one_line(value if isinstance(value, str) else json.dumps(value), _MAX_CHARS)
