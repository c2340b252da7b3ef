"""From a table to measurements: numbers, each checked where its line can still be named."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from .._check import some
from .._warn import warn
from ..errors import DataError, Fault, MissingScoresWarning
from .cells import is_blank, looks_numeric, number_in
from .faults import MOST_FAULTS, Faults
from .headers import Columns
from .known_metrics import UNNAMED, same_metric, says_per_cent, sounds_like_a_loss
from .spreadsheets import Table, one_line

__all__ = ["STATED", "Measurements", "measurements_in"]

# The words of the columns that say so; the first stands where nothing is said.
STATED = {"direction": ("higher", "lower"), "unit": ("rows", "groups")}


@dataclass
class Measurements:
    """One curve: what `LearningCurve` is made from, and where each score stands in the table."""

    about: dict[str, Any]
    sizes: list[float] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    split: list[Any] = field(default_factory=list)
    cells: list[tuple[int, str]] = field(default_factory=list)


def measurements_in(
    table: Table, columns: Columns, metric: str | None, stated: dict[str, str | None]
) -> tuple[dict[str | None, Measurements], list[str]]:
    """Every curve of a table by its task, and what a reader should know.

    Parameters
    ----------
    table, columns
        The table, and which of its columns is which.
    metric
        What was measured, or which of several metrics to take.
    stated
        What the caller says of `direction` and `unit`, None where nothing.
    """
    table, notes = _without_remarks(table, columns)
    table, of_hundred = _with_per_cent_signs(table, columns)
    notes += of_hundred
    rows, name = _rows_of_metric(table, metric, columns.metric)
    table = _rows(table, rows)
    tasks = table.columns[columns.task] if columns.task else [None] * len(table.lines)
    by_task: dict[str | None, list[int]] = defaultdict(list)
    for row, task in enumerate(tasks):
        by_task[task].append(row)
    faults = Faults(table)
    curves: dict[str | None, Measurements] = {}
    for task, own in by_task.items():
        said = {what: _stated(table, what, own, stated[what], faults) for what in STATED}
        curves[task] = Measurements({"metric": name, "task": task, **said})
    missing = _fill(curves, table, columns, tasks, faults)
    for curve in curves.values():
        _check_scores(table, curve, faults)
    faults.refuse()
    if missing:
        lines = some(sorted({table.lines[row] for row in missing}))
        warn(
            f"{table.path}: {len(missing)} of {len(columns.scores) * len(table.lines)} cells of the scores are empty "
            f"and were left out ({table.place} {lines}).",
            MissingScoresWarning,
        )
    empty = [task for task, curve in curves.items() if not curve.scores]
    if empty:
        raise DataError(f"{table.path} holds no score{f' of the task {empty[0]}' if empty[0] else ''}.")
    if columns.split is not None and not columns.split_was_named and any(map(_repeats, curves.values())):
        why = f"the column {columns.split!r} has the same entry more than once at a size: not taken for the splits."
        notes.append(why)
        columns = replace(columns, split=None)
        for curve in curves.values():
            curve.split = []
    for curve in curves.values():
        _check_splits(table, curve)
    return curves, [*columns.note(), *notes]


def _fill(
    curves: dict[str | None, Measurements],
    table: Table,
    columns: Columns,
    tasks: Sequence[str | None],
    faults: Faults,
) -> list[int]:
    """Put every score into its curve that is not at fault; gives the rows of cells that are empty, one for each."""
    sizes = None if columns.size is None else _sizes(table, columns.size, faults)
    labels = _labels(table, columns, faults)
    missing: list[int] = []
    blank = math.nan if columns.wide else None
    values = [table.numbers(column, blank=blank, faults=faults) for column in columns.scores]
    for row, scores in enumerate(zip(*values, strict=True)):
        for column, score in zip(columns.scores, scores, strict=True):
            if (row, column) in faults:
                continue
            if math.isnan(score) and columns.wide:
                missing.append(row)
                continue
            curve = curves[tasks[row]]
            curve.sizes.append(float(column) if sizes is None else sizes[row])
            curve.scores.append(score)
            curve.cells.append((row, column))
            if labels is not None:
                curve.split.append(labels[row])
            elif columns.wide:
                curve.split.append(_label(column))
    return missing


def _rows(table: Table, rows: Sequence[int]) -> Table:
    return replace(
        table,
        columns={name: [cells[i] for i in rows] for name, cells in table.columns.items()},
        lines=[table.lines[i] for i in rows],
    )


def _without_remarks(table: Table, columns: Columns) -> tuple[Table, list[str]]:
    """The table without remarks between and beneath its rows, and without its header repeated."""
    height, measured = len(table.lines), [columns.size, *columns.scores]
    filled = [[name for name, cells in table.columns.items() if cells[i]] for i in range(height)]
    numbers = [any(looks_numeric(table.columns[name][i]) for name in measured if name) for i in range(height)]
    last = max((i for i in range(height) if numbers[i]), default=height)
    header = [all(table.columns[name][i] == name for name in filled[i]) and len(filled[i]) > 1 for i in range(height)]
    remark = [not numbers[i] and (header[i] or i > last or len(filled[i]) == 1) for i in range(height)]
    if all(remark) or not any(remark):
        return table, []
    dropped = [i for i in range(height) if remark[i]]
    kept = _rows(table, [i for i in range(height) if not remark[i]])
    said = [i for i in dropped if not header[i]]
    if not said:
        return kept, []
    words = one_line(" ".join(table.columns[name][i] for i in said for name in filled[i]), 80)
    where = f"{table.place} {some([table.lines[i] for i in said])}"
    return kept, [f"left out, because no measurement stands there: {where}, {words!r}."]


def _with_per_cent_signs(table: Table, columns: Columns) -> tuple[Table, list[str]]:
    """The table with a per cent sign behind every number of a column that is called Accuracy (%) or the like.

    Numbers of such a column that are all at most 1 are fractions: no metric that is worth a forecast stays below 1 %.
    An error rate may, and is asked about.
    """
    signed, notes = dict(table.columns), []
    for column in filter(says_per_cent, columns.scores):
        cells = table.columns[column]
        numbers = {row: number for row in range(len(cells)) if (number := _without_sign(table, cells[row])) is not None}
        if any(number > 1 for number in numbers.values()):
            signed[column] = [f"{cell}%" if row in numbers else cell for row, cell in enumerate(cells)]
        elif numbers and (columns.metric is None or sounds_like_a_loss(columns.metric)):
            row, number = next(iter(numbers.items()))
            cell = cells[row]
            raise table.fault(
                row,
                column,
                f"the column says per cent, and no number in it is above 1: is {cell} meant for {cell} % or for "
                f"{100 * number:.10g} %? Write a % sign behind every number, or take it from the column's name.",
            )
        elif numbers:
            notes.append(f"took the numbers under {column!r} for fractions of 1, because none is above 1.")
    return replace(table, columns=signed), notes


def _without_sign(table: Table, cell: str) -> float | None:
    """The number in a cell, if there is one and no per cent sign; what is wrong with others is said elsewhere."""
    try:
        return None if cell.endswith("%") else number_in(cell, decimal_comma=table.decimal_comma)
    except ValueError:
        return None


def _rows_of_metric(table: Table, asked: str | None, by_header: str | None) -> tuple[list[int], str]:
    """Rows that measure the metric, and its name."""
    every = list(range(len(table.lines)))
    entries = table.columns.get("metric")
    if entries is None:
        return every, asked or by_header or UNNAMED
    present = list(dict.fromkeys(entries))
    if asked is None:
        if len(present) > 1:
            raise DataError(
                f"{table.path} holds {len(present)} metrics ({some(present)}).", remedy=("Choose with {}.", "metric")
            )
        return every, present[0] or UNNAMED
    wanted = asked if asked in present else next((name for name in present if same_metric(name, asked)), None)
    if wanted is None:
        raise DataError(f"{table.path} has no metric {asked!r}; found {some(present)}.")
    return [i for i in every if entries[i] == wanted], wanted


def _stated(table: Table, column: str, rows: Sequence[int], asked: str | None, faults: Faults) -> str:
    """What a column says in the same word on every row; where there is none, what was asked for, or the first word."""
    allowed = STATED[column]
    if column not in table.columns:
        return asked or allowed[0]
    said: dict[str, int] = {}
    for i in rows:
        entry = table.columns[column][i]
        if entry in allowed:
            said.setdefault(entry, table.lines[i])
        else:
            faults.add(i, column, f"expected {' or '.join(allowed)}, got {entry!r}.")
    if not said:
        return allowed[0]  # of a table that will be refused
    if len(said) > 1:
        lines = " and ".join(f"{word} in {table.place} {line}" for word, line in said.items())
        why = f"one curve has one {column}, got {lines}."
        fault = Fault(list(said.values())[1], column, why)
        raise DataError(why, where=f"{table.path}, column {column!r}", faults=[fault])
    ((word, line),) = said.items()
    if asked is not None and asked != word:
        raise DataError(
            f"{table.path} says {word!r} in its column {column!r}, {table.place} {line}; {asked!r} was asked for. "
            "Correct the one that is wrong."
        )
    return word


def _sizes(table: Table, column: str, faults: Faults) -> list[float]:
    sizes = table.numbers(column, counts=True, faults=faults)
    fractions = all(0 < size <= 1 for size in sizes)
    hint = " Fractions of a data set? Multiply by its number of examples." if fractions else ""
    for row, size in enumerate(sizes):
        if not (math.isfinite(size) and size >= 1):
            faults.add(row, column, f"expected a number of training examples, at least 1, got {size:g}.{hint}")
    return sizes


def _check_scores(table: Table, curve: Measurements, faults: Faults) -> None:
    of_hundred = all(1 < score <= 100 for score in curve.scores) and max(curve.scores, default=0.0) > 1.5
    negative = all(-1 <= score <= 0 for score in curve.scores)
    for (row, column), score in zip(curve.cells, curve.scores, strict=True):
        if 0 <= score <= 1:
            continue
        if math.isnan(score):
            faults.add(row, column, "the score is not a number. Fill it in, or delete the row.")
            continue
        cell = table.columns[column][row]
        hint = (
            f" Per cent? Write {cell}% in every row, or divide by 100: {score:g} becomes {score / 100:g}."
            if of_hundred
            else f" Per cent? Write {cell}%, or {score / 100:g} as in the other rows."
            if 1 < score <= 100
            else " Scores that scikit-learn calls neg_...? Write them without the minus, and say that lower is better."
            if negative
            else " Only scores with 1 as the perfect value can be forecast."
        )
        faults.add(row, column, f"scores must lie in [0, 1], got {cell}.{hint}")


def _labels(table: Table, columns: Columns, faults: Faults) -> list[Any] | None:
    """What tells the splits apart, row by row; None where each is a column, or nothing does."""
    if columns.split is None:
        return list(table.lines) if columns.size is None else None
    cells = table.columns[columns.split]
    blank = [i for i, cell in enumerate(cells) if is_blank(cell)]
    if len(blank) == len(cells):
        return None
    why = "the split has no label. Label every row, or leave the column out if the replicates are independent."
    for i in blank:
        faults.add(i, columns.split, why)
    return [_label(cell) for cell in cells]


def _label(cell: str) -> int | str:
    """A label as it was written; a whole number as such, so that split 1 of a file is split 1 of a run."""
    return int(cell) if re.fullmatch(r"0|[1-9]\d{0,15}", cell) else cell


def _repeats(curve: Measurements) -> bool:
    return len(set(zip(curve.sizes, curve.split, strict=True))) < len(curve.sizes)


def _check_splits(table: Table, curve: Measurements) -> None:
    """Refuse two scores of a split at a size; replicates without labels are free."""
    if not curve.split:
        return
    lines: dict[tuple[float, Any], list[int]] = defaultdict(list)
    for size, label, (row, _) in zip(curve.sizes, curve.split, curve.cells, strict=True):
        lines[size, label].append(table.lines[row])
    repeated = {mark: own for mark, own in lines.items() if len(own) > 1}
    if not repeated:
        return
    worst = max(repeated, key=lambda mark: len(repeated[mark]))
    # The first of each could stand; those that come after it are at fault.
    faults = [Fault(line, None, _twice(mark, len(own))) for mark, own in repeated.items() for line in own[1:]]
    raise DataError(
        _twice(worst, len(repeated[worst])),
        where=f"{table.path}, {table.place} {some([line for line, _ in groupby(repeated[worst])])}",
        faults=sorted(faults, key=lambda fault: fault.line)[:MOST_FAULTS],
    )


def _twice(mark: tuple[float, Any], count: int) -> str:
    size, label = mark
    return (
        f"split {label!r} has {count} scores at size {size:g}. A split is measured once at each size: number the "
        "splits differently, or leave the column out if the replicates are independent."
    )
