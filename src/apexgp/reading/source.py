"""From what a person brings, and says of it, to measurements."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import IO, Any

from .._check import choice, several, shown, text, whole_number
from ..errors import RequestError
from .companions import COUNTS, find_companions, with_spreads_apart
from .frames import frame_table, is_frame
from .headers import find_columns, is_header
from .measured import STATED, Measurements
from .measurements import measurements_in
from .size_labels import share_kept, unit_label
from .spreadsheets import Table, read_table

__all__ = ["Source", "TableSettings", "read_measurements", "read_source"]

LABELS: dict[str, Callable[[Any], Any]] = {"unit": unit_label, "test_share": share_kept}
Source = str | os.PathLike[str] | IO[bytes] | IO[str]  # of a table; a data frame is one too, of whatever library


@dataclass(frozen=True)
class TableSettings:
    """What the caller says of a table: names of columns, and what they hold; None where the table tells.

    The fields are the parameters of `LearningCurve.from_csv`, and `task`, the column that names the curves. `n_test`
    and `averaged_over` are a column, or the number that holds for every score; as text either may be meant.
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
    test_share: float | None = None

    def __post_init__(self) -> None:
        column = "the name of a column"
        said: dict[str, Any] = {name: value for name, value in vars(self).items() if value is not None}
        for argument, value in said.items():
            if argument in STATED:
                said[argument] = choice(argument, value, STATED[argument])
            elif argument in LABELS:
                said[argument] = LABELS[argument](value)
            elif argument == "sheet":
                said[argument] = _sheet(value)
            elif argument in ("score", "train_score") and not isinstance(value, str):
                names = several(argument, value, f"{column}, or a list of names")
                said[argument] = [text(argument, name, column) for name in names]
            elif argument in COUNTS and not isinstance(value, str):
                said[argument] = COUNTS[argument](value)
            else:
                said[argument] = text(argument, value, column)
        for argument, value in said.items():
            object.__setattr__(self, argument, value)


def _sheet(value: Any) -> str:
    wanted = "the name or number of a sheet"
    if isinstance(value, str):
        return text("sheet", value, wanted)
    try:
        return str(whole_number("sheet", value, least=0))
    except RequestError:
        raise RequestError(f"must be {wanted}, got {shown(value)}.", argument="sheet") from None


def read_source(source: Any, wanted: TableSettings) -> Table:
    """The table of a file or data frame; one that has been read is given back."""
    if isinstance(source, Table):
        return source
    if is_frame(source):
        return frame_table(source)

    def named(cells: Sequence[str]) -> bool:
        return wanted.size in cells

    sheet = None if wanted.sheet is None else str(wanted.sheet)
    return read_table(source, sheet=sheet, is_header=is_header if wanted.size is None else named)


def read_measurements(source: Any, wanted: TableSettings) -> tuple[dict[str | None, Measurements], tuple[str, ...]]:
    """Every curve of a file, data frame or table by its task, and what a reader should know of how it was read."""
    table = read_source(source, wanted)
    table = with_spreads_apart(table, wanted.size)
    columns = find_columns(table, wanted.size, wanted.score, wanted.split, wanted.task, wanted.metric)
    companions = find_companions(table, columns, wanted)
    stated = {what: getattr(wanted, what) for what in (*STATED, *LABELS)}
    found, notes = measurements_in(table, columns, companions, wanted.metric, stated)
    return found, tuple(f"{table.path}: {note}" for note in (*table.notes, *notes))
