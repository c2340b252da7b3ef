"""Rows without a measurement of their own: remarks, headers, summaries; names and sizes written once for several."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

from .._check import format_some
from .cells import is_blank, is_cut, looks_numeric, number_in, too_long
from .faults import Faults
from .headers import ColumnRoles
from .known_metrics import known_metric, plain_name
from .learner_label import find_learners
from .spreadsheets import Table, one_line

__all__ = ["measured_rows"]

_PART = re.compile(r"(\d[^()\[\]%]*+)[(\[]\s*+(\d[^()\[\]%]*+)[)\]]")
_SUMMARY = {
    *("mean", "means", "average", "avg", "median", "sd", "std", "stdev", "stddev", "se", "sem", "min", "max"),
    *("minimum", "maximum", "total", "totals", "sum", "overall", "range", "iqr", "ci", "variance", "mean sd"),
}
_DONE = {"finished", "completed", "complete", "succeeded", "success", "done"}
_STATES = _DONE | {
    "running",
    "failed",
    "crashed",
    "killed",
    "scheduled",
    "pending",
    "preempting",
    "preempted",
    "queued",
}
_BESIDE_SUMMARY = {
    *("of", "all", "grand", "over", "the", "score", "scores", "95", "standard", "deviation", "error", "dev", "value"),
    *("fold", "folds", "split", "splits", "seed", "seeds", "run", "runs", "s", "d", "row", "column", "n"),
}


def measured_rows(table: Table, columns: ColumnRoles) -> tuple[Table, list[str]]:
    """The table with its measurements alone, each with its size, and what a reader should know."""
    table, brackets = _sizes_before_brackets(table, columns)
    table, unfinished = _finished(table)
    table, names = _with_every_name(table, columns)
    table, remarks = _without_remarks(table, columns)
    table, summaries = _without_summaries(table, columns)
    table, sizes = _with_every_size(table, columns)
    return table, [*brackets, *unfinished, *names, *remarks, *summaries, *sizes]


def _sizes_before_brackets(table: Table, columns: ColumnRoles) -> tuple[Table, list[str]]:
    """The table with sizes alone where some of them are counted behind, such as events: 100 (12) patients."""
    if columns.size is None:
        return table, []
    cells = [_before_part(cell, table.decimal_comma) for cell in table.columns[columns.size]]
    if not any(cells):
        return table, []
    alone = [before or cell for before, cell in zip(cells, table.columns[columns.size], strict=True)]
    note = f"read the numbers before the brackets under {columns.size!r} as the sizes; those in brackets are not used."
    return table.with_columns({columns.size: alone}), [note]


def _before_part(cell: str, decimal_comma: bool) -> str | None:
    """The number of a cell such as 1,200 (143), which counts some of its things in brackets; None for other cells."""
    found = _PART.fullmatch(cell.strip())
    if found is None:
        return None
    try:
        whole, part = (number_in(text, decimal_comma=decimal_comma, counts=True) for text in found.groups())
    except ValueError:
        return None
    return found[1].rstrip() if part <= whole and whole.is_integer() and part.is_integer() else None


def _finished(table: Table) -> tuple[Table, list[str]]:
    """The table without runs that a tracker says have failed or still go on: their last score is not the final one."""
    for name, cells in table.columns.items():
        said = [cell.casefold() for cell in cells]
        if plain_name(name) in ("state", "status") and set(said) <= _STATES and set(said) & _DONE:
            left_out = [i for i, state in enumerate(said) if state not in _DONE]
            if not left_out:
                return table, []
            told = format_some([f"{table.lines[i]} ({cells[i]})" for i in left_out], 10)
            rows = "an unfinished run" if len(left_out) == 1 else f"{len(left_out)} unfinished runs"
            kept = table.rows([i for i, state in enumerate(said) if state in _DONE])
            return kept, [f"left out {rows}: {table.place} {told}."]
    return table, []


def _without_remarks(table: Table, columns: ColumnRoles) -> tuple[Table, list[str]]:
    """The table without remarks between and beneath its rows, and without its header repeated."""
    height, numbers = len(table.lines), _rows_with_numbers(table, columns)
    filled = [[name for name, cells in table.columns.items() if cells[i]] for i in range(height)]
    last = max((i for i in range(height) if numbers[i]), default=height)
    header = [all(table.columns[name][i] == name for name in filled[i]) and len(filled[i]) > 1 for i in range(height)]
    remark = [not numbers[i] and (header[i] or i > last or len(filled[i]) == 1) for i in range(height)]
    if all(remark) or not any(remark):
        return table, []
    dropped = [i for i in range(height) if remark[i]]
    kept = table.rows([i for i in range(height) if not remark[i]])
    said = [i for i in dropped if not header[i]]
    if not said:
        return kept, []
    words = one_line(" ".join(table.columns[name][i] for i in said for name in filled[i]), 80)
    where = f"{table.place} {format_some([table.lines[i] for i in said])}"
    return kept, [f"left out, because there is no measurement: {where}, {words!r}."]


def _without_summaries(table: Table, columns: ColumnRoles) -> tuple[Table, list[str]]:
    """The table without rows that sum up others: `mean`, `SD` or `Total` in any column beside the scores."""
    places = [name for name in table.columns if name not in columns.scores and name != columns.task]
    usual = {columns.size, columns.split}
    times = {name: Counter(table.columns[name]) for name in places if name not in usual}
    found = {i: said for i in range(len(table.lines)) if (said := _summary(table, places, i, times))}
    if not found or len(found) == len(table.lines):
        return table, []
    told = format_some([f"{table.lines[i]} ({said})" for i, said in found.items()], 10)
    rows = "a summary row" if len(found) == 1 else f"{len(found)} summary rows"
    return (
        table.rows([i for i in range(len(table.lines)) if i not in found]),
        [f"left out {rows}: {table.place} {told}."],
    )


def _summary(table: Table, places: list[str], row: int, times: dict[str, Counter[str]]) -> str:
    """The cell that says that a row sums up others; empty where none does.

    Where `times` counts the cells of a column, only one that stands there once says so: pooling may be max or mean.
    """
    for name in places:
        cell = table.columns[name][row]
        words = plain_name(cell).split()
        rest = [word for word in words if word not in _SUMMARY | _BESIDE_SUMMARY and not known_metric(word)]
        if not words or rest or not (set(words) & _SUMMARY or "deviation" in words):
            continue
        if name not in times or name.startswith("column ") or times[name][cell] == 1:
            return cell
    return ""


def _with_every_size(table: Table, columns: ColumnRoles) -> tuple[Table, list[str]]:
    """The table with the size in every row, where it is written once above several and the next cells are empty."""
    if columns.size is None:
        return table, []
    cells = table.columns[columns.size]
    empty = [i for i, cell in enumerate(cells) if is_blank(cell)]
    starts = [i for i, cell in enumerate(cells) if not is_blank(cell)]
    # As many rows under each of several sizes, so that it is a habit and no gap.
    heights = {end - start for start, end in zip(starts, [*starts[1:], len(cells)], strict=True)}
    if not empty or 0 in empty or len(starts) < 2 or len(heights) > 1:
        return table, []
    filled = list(cells)
    for i in empty:
        filled[i] = filled[i - 1]
    note = f"filled the empty cells under {columns.size!r} with the size above them: {table.place} "
    note += f"{format_some([table.lines[i] for i in empty])}."
    return table.with_columns({columns.size: filled}), [note]


def _with_every_name(table: Table, columns: ColumnRoles) -> tuple[Table, list[str]]:
    """The table with task and learner in every row, where they are written once above several and the rest is empty.

    An empty name is never a task: one without a name above it is at fault, and so are gaps among names that are written
    row by row.
    """
    measured, faults, notes = _rows_with_numbers(table, columns), Faults(table), list[str]()
    for column in dict.fromkeys(filter(None, (columns.task, find_learners(table)))):
        cells = table.columns[column]
        empty = [i for i, cell in enumerate(cells) if not cell and measured[i]]
        named = [i for i, cell in enumerate(cells) if cell]
        row_by_row = len(named) > len(empty) or any(cell and cell == above for above, cell in pairwise(cells))
        known = set() if row_by_row or not named else {i for i in empty if i > named[0]}
        if column == columns.task:
            for i in empty:
                if i not in known:
                    faults.add(i, column, "the name is missing. Write it into this row, or leave out the row.")
            for i in filter(measured.__getitem__, named):
                if is_cut(cells[i]):
                    faults.add(i, column, too_long(cells[i]))
        if known:
            name, filled = "", list(cells)
            for i, cell in enumerate(cells):
                name = cell or name
                filled[i] = name if i in known else cell
            table = table.with_columns({column: filled})
            where = f"{table.place} {format_some([table.lines[i] for i in sorted(known)])}"
            notes.append(f"filled the empty cells under {column!r} with the name above them: {where}.")
    faults.refuse()
    return table, notes


def _rows_with_numbers(table: Table, columns: ColumnRoles) -> list[bool]:
    """Whether each row has a number under the size or a score."""
    measured = [name for name in (columns.size, *columns.scores) if name is not None]
    found = [any(looks_numeric(table.columns[name][i]) for name in measured) for i in range(len(table.lines))]
    if columns.size is None:
        return found
    return [number or _is_size(table, columns.size, i) for i, number in enumerate(found)]


def _is_size(table: Table, column: str, row: int) -> bool:
    try:
        number_in(table.columns[column][row], decimal_comma=table.decimal_comma, counts=True)
    except ValueError:
        return False
    return True
