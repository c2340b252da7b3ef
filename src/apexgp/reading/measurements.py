"""From a table to measurements: numbers, each checked where its line can still be named."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._check import format_some
from ..errors import DataError, MissingScoresWarning, RequestError, warn
from ..scale import Range, format_range
from .cells import is_blank, is_cut, number_in, too_long
from .companion_cells import Beside, numbers_beside, with_signs_beside, without_own_spread
from .companions import Companions
from .faults import Faults
from .headers import SIZE_IN_HEADER, ColumnRoles
from .known_metrics import UNNAMED, same_metric, says_per_cent, sounds_like_a_loss
from .learner_label import learners_stated
from .measured import (
    STATED,
    Measurements,
    check_scores,
    check_splits_once,
    range_in_column,
    repeats,
    sizes_in,
    stated_in,
)
from .rows import measured_rows
from .score_range import range_and_direction
from .size_labels import share_stated, unit_stated
from .spreadsheets import Table

__all__ = ["measurements_in"]


def measurements_in(
    table: Table,
    columns: ColumnRoles,
    companions: Companions,
    metric: str | None,
    stated: dict[str, Any],
    per_cent: bool = False,
    between: Range | None = None,
) -> tuple[dict[str | None, Measurements], list[str]]:
    """Every curve of a table by its task, and what a reader should know.

    Parameters
    ----------
    table, columns
        The table, and which of its columns is which.
    companions
        What stands beside the scores.
    metric
        What was measured, or which of several metrics to take.
    stated
        What the caller says of `direction`, `unit` and `test_share`, None where nothing.
    per_cent
        Whether the caller says that the scores are per cents.
    between
        The range of the scores, if the caller says it.
    """
    if columns.task is not None and not any(table.columns[columns.task]):
        columns = replace(columns, task=None)  # an empty column names nothing
    table, notes = measured_rows(table, columns)
    # Of a stated range the numbers are taken as they are.
    nothing: tuple[Table, set[str], list[str]] = table, set(), []
    table, signed, of_hundred = nothing if between is not None else _with_per_cent_signs(table, columns, per_cent)
    table = with_signs_beside(table, signed, companions)
    notes += of_hundred
    rows, name = _rows_of_metric(table, metric, columns.metric)
    table = table.rows(rows)
    tasks = table.columns[columns.task] if columns.task else [None] * len(table.lines)
    by_task: dict[str | None, list[int]] = defaultdict(list)
    for row, task in enumerate(tasks):
        by_task[task].append(row)
    faults = Faults(table)
    curves: dict[str | None, Measurements] = {}
    learners, of_learners = learners_stated(table, by_task)
    notes += of_learners
    for task, own in by_task.items():
        said: dict[str, Any] = {what: stated_in(table, what, own, stated[what], faults) for what in STATED}
        said["unit"] = unit_stated(table, columns.size, own, stated["unit"], faults)
        said["test_share"] = share_stated(table, own, stated["test_share"], faults)
        said["range"] = range_in_column(table, own, between, faults)
        if per_cent and said["range"] is not None:
            raise RequestError(
                f"turns the scores into fractions of 1, but their range is {format_range(said['range'])}. Omit one of "
                "the two.",
                argument="per_cent",
            )
        about = {"metric": name, "task": task, "learner": learners[task], **said}
        curves[task] = Measurements(about, means_of_several=companions.means_of_several)
    beside = numbers_beside(table, columns.scores, companions, _widest(curves), by_task, faults)
    for task, curve in curves.items():
        curve.about |= beside.problem[task]
    missing = _fill(curves, table, columns, beside, tasks, faults)
    for curve in curves.values():
        check_scores(table, curve, faults)
    faults.refuse()
    if missing:
        lines = format_some(sorted({table.lines[row] for row in missing}))
        warn(
            f"{table.path}: {len(missing)} of {len(columns.scores) * len(table.lines)} score cells are empty and were "
            f"left out ({table.place} {lines}).",
            MissingScoresWarning,
        )
    empty = [task for task, curve in curves.items() if not curve.scores]
    if empty:
        raise DataError(f"{table.path} contains no score{f' of the task {empty[0]}' if empty[0] else ''}.")
    if columns.split is not None and not columns.split_was_named and any(map(repeats, curves.values())):
        why = f"the column {columns.split!r} has the same entry more than once at a size: not read as the splits."
        notes.append(why)
        columns = replace(columns, split=None)
        for curve in curves.values():
            curve.split = []
    for curve in curves.values():
        check_splits_once(table, curve)
    notes += beside.notes
    if not all(map(companions.insists, companions.sd.values())) and any([*map(without_own_spread, curves.values())]):
        notes.append(
            "left out the standard deviations, which are the same for all scores of a size: they are the spread of "
            "those scores."
        )
        beside.left_out.update(companions.sd.values())
    return curves, [*columns.note(name), *companions.note(table, beside.left_out), *notes]


def _widest(curves: dict[str | None, Measurements]) -> Range:
    """Which values the scores of a table, and what stands beside them, can take."""
    nothing = np.empty(0)
    every = [
        curve.about["range"] or range_and_direction(curve.about["metric"], nothing)[0] for curve in curves.values()
    ]
    every += [range_and_direction(c.about["metric"], np.ones(1))[0] for c in curves.values() if not c.about["range"]]
    return min(low for low, _ in every), max(high for _, high in every)


def _fill(
    curves: dict[str | None, Measurements],
    table: Table,
    columns: ColumnRoles,
    beside: Beside,
    tasks: Sequence[str | None],
    faults: Faults,
) -> list[int]:
    """Put every score into its curve that is not at fault; gives the rows of cells that are empty, one for each."""
    sizes = None if columns.size is None else sizes_in(table, columns.size, faults)
    labels = _labels(table, columns, faults)
    missing: list[int] = []
    blank = math.nan if columns.wide else None
    otherwise = "leave the cell empty" if columns.wide else "leave out this row"
    values = [table.numbers(column, blank=blank, faults=faults, otherwise=otherwise) for column in columns.scores]
    for row, scores in enumerate(zip(*values, strict=True)):
        for column, score in zip(columns.scores, scores, strict=True):
            if (row, column) in faults:
                continue
            if math.isnan(score) and columns.wide:
                missing.append(row)
                continue
            curve = curves[tasks[row]]
            curve.sizes.append(_size_in(column) if sizes is None else sizes[row])
            curve.scores.append(score)
            curve.cells.append((row, column))
            beside.add_to(curve, row, column)
            if labels is not None:
                curve.split.append(labels[row])
            elif columns.wide:
                curve.split.append(_label(column))
    return missing


def _with_per_cent_signs(table: Table, columns: ColumnRoles, said: bool) -> tuple[Table, set[str], list[str]]:
    """The table with a per cent sign behind every number of a column that is called Accuracy (%), or is said to be so.

    Gives these columns, too, and what a reader should know.

    Numbers of such a column that are all at most 1 are fractions: no metric that is worth a forecast stays below 1 %.
    An error rate may, and is asked about.
    """
    signed, notes = dict[str, list[str]](), []
    for column in [name for name in columns.scores if said or says_per_cent(name)]:
        cells = table.columns[column]
        numbers = {row: number for row in range(len(cells)) if (number := _without_sign(table, cells[row])) is not None}
        if said or any(number > 1 for number in numbers.values()):
            signed[column] = [f"{cell}%" if row in numbers else cell for row, cell in enumerate(cells)]
        elif numbers and (columns.metric is None or sounds_like_a_loss(columns.metric)):
            row, number = next(iter(numbers.items()))
            cell = cells[row]
            raise table.fault(
                row,
                column,
                f"the column says per cent, but no number in it is above 1: does {cell} mean {cell} % or "
                f"{100 * number:.10g} %? Write a % sign after every number, or remove it from the column's name.",
            )
        elif numbers:
            notes.append(f"read the numbers under {column!r} as fractions of 1, because none is above 1.")
    return table.with_columns(signed), set(signed), notes


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
                f"{table.path} holds {len(present)} metrics ({format_some(present)}).",
                remedy=("Choose with {}.", "metric"),
            )
        return every, present[0] or UNNAMED
    wanted = asked if asked in present else next((name for name in present if same_metric(name, asked)), None)
    if wanted is None:
        raise DataError(f"{table.path} has no metric {asked!r}; found {format_some(present)}.")
    return [i for i in every if entries[i] == wanted], wanted


def _labels(table: Table, columns: ColumnRoles, faults: Faults) -> list[Any] | None:
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
    for i, cell in enumerate(cells):
        if is_cut(cell):
            faults.add(i, columns.split, too_long(cell))
    return [_label(cell) for cell in cells]


def _size_in(column: str) -> float:
    """The size that a column is named by."""
    named = SIZE_IN_HEADER.fullmatch(column)
    assert named is not None  # as such it was taken
    return float(named[1])


def _label(cell: str) -> int | str:
    """A label as it was written; a whole number as such, so that split 1 of a file is split 1 of a run."""
    return int(cell) if re.fullmatch(r"0|[1-9]\d{0,15}", cell) else cell
