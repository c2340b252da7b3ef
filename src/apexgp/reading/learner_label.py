"""What a table says of the learners that were measured, in a column of that name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .._check import some
from ..learners import UNKNOWN, kind_named
from .cells import is_blank
from .spreadsheets import Table

__all__ = ["LEARNER", "learners_stated"]

LEARNER = "learner"
"""Name of the column of learners."""


def learners_stated(
    table: Table, rows_by_task: Mapping[str | None, Sequence[int]]
) -> tuple[dict[str | None, str | None], list[str]]:
    """The kind of learner of each curve, where the column `learner` names one, or classes of one; and notes on it.

    A kind is only ever a help: whatever else the column holds is noted, and changes nothing.
    """
    cells = table.columns.get(LEARNER)
    if cells is None:
        return dict.fromkeys(rows_by_task), []
    kinds: dict[str | None, str | None] = {}
    read: dict[str, None] = {}
    left_out: dict[str, None] = {}
    for task, rows in rows_by_task.items():
        said = list(dict.fromkeys(cells[i] for i in rows if not is_blank(cells[i])))
        found = {UNKNOWN if name == UNKNOWN else kind_named(name) for name in said}
        kind = kinds[task] = found.pop() if len(found) == 1 else None
        for name in said:
            if kind is None:
                left_out[name] = None
            elif name != kind:
                read[f"{name} as {kind}"] = None
    notes = [f"read the column {LEARNER!r} as kinds of learner: {some(list(read))}."] if read else []
    if left_out:
        notes.append(f"the column {LEARNER!r} names no one kind of learner that is known: {some(list(left_out))}.")
    return kinds, notes
