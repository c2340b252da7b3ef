"""From what a person brings, and says of it, to measurements."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import IO, Any

from .._check import check_bool, check_choice, check_list, check_text, check_whole_number, format_some, format_value
from ..errors import RequestError
from ..scale import Range, check_range
from .cells import looks_numeric, shorten
from .companions import COUNTS, Companions, find_companions, with_spreads_apart
from .frames import frame_table, is_frame
from .headers import ABOUT, ColumnRoles, find_columns, is_header
from .known_metrics import plain_name
from .measured import STATED, Measurements
from .measurements import measurements_in
from .naming import called
from .size_labels import share_kept, unit_label
from .spreadsheets import Table, content_of, table_in, text_of
from .workbook import is_workbook

__all__ = ["Source", "TableSettings", "read_measurements", "read_source"]

LABELS: dict[str, Callable[[Any], Any]] = {"unit": unit_label, "test_share": share_kept}
Source = str | os.PathLike[str] | IO[bytes] | IO[str]  # of a table; a data frame is one too, of whatever library


_JSON = re.compile(r"[\ufeff\s]*(\{\s*[\"}]|\[\s*[\[{\]])")  # as a document begins, and no table
EXPERIMENT = "mlflow:"
"""Begins the name of an experiment in a store of MLflow."""
EACH_COLUMN = ("split", "model")
"""What each of several columns of scores may be."""


@dataclass(frozen=True)
class TableSettings:
    """What the caller says of a table: names of columns, and what they hold; None where the table tells.

    The fields are the parameters of `LearningCurve.from_csv`, and `task`, the column that names the curves. `n_test`,
    `averaged_over`, `n_features` and `n_classes` are a column, or the number that holds for every score; as text either
    may be meant.
    """

    size: str | None = None
    score: str | Sequence[str] | None = None
    split: str | None = None
    task: str | None = None
    metric: str | None = None
    direction: str | None = None
    unit: str | None = None
    sheet: str | int | None = None
    train_score: str | Sequence[str] | None = None
    score_sd: str | None = None
    n_test: str | float | None = None
    averaged_over: str | int | None = None
    each_column: str | None = None
    per_cent: bool | None = None
    test_share: float | None = None
    range: Range | str | None = None
    n_features: str | int | None = None
    n_classes: str | int | None = None

    def __post_init__(self) -> None:
        column = "the name of a column"
        said: dict[str, Any] = {name: value for name, value in vars(self).items() if value is not None}
        for argument, value in said.items():
            if argument == "each_column":
                said[argument] = check_choice(argument, value, EACH_COLUMN)
            elif argument == "per_cent":
                said[argument] = check_bool(argument, value)
            elif argument in STATED:
                said[argument] = check_choice(argument, value, STATED[argument])
            elif argument == "range":
                said[argument] = check_range(value)
            elif argument in LABELS:
                said[argument] = LABELS[argument](value)
            elif argument == "sheet":
                said[argument] = _sheet(value)
            elif argument in ("score", "train_score") and not isinstance(value, str):
                names = check_list(argument, value, f"{column}, or a list of names")
                said[argument] = [check_text(argument, name, column) for name in names]
            elif argument in COUNTS and not isinstance(value, str):
                said[argument] = COUNTS[argument](value)
            else:
                said[argument] = check_text(argument, value, column)
        for argument, value in said.items():
            object.__setattr__(self, argument, value)


def _sheet(value: Any) -> str:
    wanted = "the name or number of a sheet"
    if isinstance(value, str):
        return check_text("sheet", value, wanted)
    try:
        return str(check_whole_number("sheet", value, least=0))
    except RequestError:
        raise RequestError(f"must be {wanted}, got {format_value(value)}.", argument="sheet") from None


def read_source(source: Any, wanted: TableSettings) -> Table:
    """The table of a file or data frame, its cells cut where they are too long; one that was read is given back."""
    if isinstance(source, Table):
        return source
    table = _read_whole(source, wanted)
    return table.with_columns({name: [shorten(cell) for cell in cells] for name, cells in table.columns.items()})


def _read_whole(source: Any, wanted: TableSettings) -> Table:
    """The table of a file or data frame with all that its cells hold."""
    if is_frame(source):
        return frame_table(source)

    def named(cells: Sequence[str]) -> bool:
        return wanted.size is not None and called(wanted.size, cells) is not None

    if isinstance(source, str | os.PathLike) and os.path.isdir(source):
        from .run_folders import run_folder

        return run_folder(source)
    if isinstance(source, str | os.PathLike) and str(source).startswith(EXPERIMENT) and not os.path.exists(source):
        from .mlflow_store import read_experiment

        return read_experiment(str(source).removeprefix(EXPERIMENT))
    name, raw = content_of(source)
    if not is_workbook(raw) and b"\x00" not in raw and _JSON.match(text := text_of(name, raw)):
        from .records import as_table, records_in

        return as_table(name, *records_in(name, text))
    sheet = None if wanted.sheet is None else str(wanted.sheet)
    table = table_in(name, raw, sheet=sheet, is_header=is_header if wanted.size is None else named)
    if not any(cell.startswith("{") for cells in table.columns.values() for cell in cells):
        return table
    from .records import expanded

    return expanded(table)


def read_measurements(source: Any, wanted: TableSettings) -> tuple[dict[str | None, Measurements], tuple[str, ...]]:
    """Every curve of a file, data frame or table by its task, and what a reader should know of how it was read."""
    table = read_source(source, wanted)
    table = with_spreads_apart(table, wanted.size)
    named = wanted.size, wanted.score, wanted.split, wanted.task, wanted.metric, wanted.each_column
    columns = find_columns(table, *named)
    intervals = [repr(name) for name in columns.scores if name in table.intervals]
    if wanted.each_column == "model" and columns.wide:
        from .each_model import one_below_the_other

        table, columns = one_below_the_other(table, columns)
    companions = find_companions(table, columns, wanted)
    stated = {what: getattr(wanted, what) for what in (*STATED, *LABELS)}
    between = None if wanted.range is None else check_range(wanted.range)
    found, notes = measurements_in(table, columns, companions, wanted.metric, stated, bool(wanted.per_cent), between)
    if intervals:
        notes.append(
            f"the intervals in brackets under {format_some(intervals, 10)} are not used: they usually reflect the "
            "test cases behind a score, not the scatter between runs."
        )
    notes += _not_used(table, columns, companions)
    return found, tuple(f"{table.path}: {note}" for note in (*table.notes, *notes))


def _not_used(table: Table, columns: ColumnRoles, companions: Companions) -> list[str]:
    """Say which columns hold numbers, or have no name, and were not taken for anything."""
    used: set[Any] = {columns.size, columns.split, columns.task, *columns.scores, *table.spreads.values()}
    used |= {*companions.train.values(), *companions.sd.values(), *(getattr(companions, name) for name in COUNTS)}
    rest = [
        repr(name)
        for name, cells in table.columns.items()
        if name not in used
        and plain_name(name) not in ABOUT
        and (any(map(looks_numeric, cells)) or (name.startswith("column ") and sum(map(bool, cells)) > 1))
    ]
    return [f"did not use the column{'s' * (len(rest) > 1)} {format_some(rest, 10)}."] if rest else []
