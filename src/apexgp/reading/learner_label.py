"""What a table says of the learners that were measured, in a column of that name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .._check import format_some
from ..learners import UNKNOWN, find_kind
from .cells import is_blank
from .known_metrics import plain_name
from .spreadsheets import Table

__all__ = ["find_learners", "learners_stated"]


def find_learners(table: Table) -> str | None:
    """Name of the column of learners, if there is one."""
    return next((name for name in table.columns if plain_name(name) == "learner"), None)


def learners_stated(
    table: Table, rows_by_task: Mapping[str | None, Sequence[int]]
) -> tuple[dict[str | None, str | None], list[str]]:
    """The kind of learner of each curve, where the column `learner` names one, or classes of one; and notes on it.

    A kind is only ever a help: whatever else the column holds is noted, and changes nothing.
    """
    column = find_learners(table)
    if column is None:
        return dict.fromkeys(rows_by_task), []
    cells = table.columns[column]
    kinds: dict[str | None, str | None] = {}
    read: dict[str, None] = {}
    left_out: dict[str, None] = {}
    for task, rows in rows_by_task.items():
        said = list(dict.fromkeys(cells[i] for i in rows if not is_blank(cells[i])))
        found = {UNKNOWN if name == UNKNOWN else find_kind(name) for name in said}
        kind = kinds[task] = found.pop() if len(found) == 1 else None
        for name in said:
            if kind is None:
                left_out[name] = None
            elif name != kind:
                read[f"{name} as {kind}"] = None
    notes = [f"read the column {column!r} as kinds of learner: {format_some(list(read))}."] if read else []
    if left_out:
        notes.append(
            f"the column {column!r} names no one kind of learner that is known: {format_some(list(left_out))}."
        )
    return kinds, notes
