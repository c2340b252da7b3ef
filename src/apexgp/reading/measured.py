"""Measurements of a curve, and what can be wrong with them: faults of cells, collected, and faults between rows."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import numpy as np

from .._check import format_some
from ..errors import DataError, Fault, RequestError
from ..scale import UNIT_RANGE, Range, check_range, format_range
from .cells import is_blank
from .faults import MOST_FAULTS, Faults
from .known_metrics import known_metric
from .score_details import BY_SCORE, SEVERAL, RunCount
from .score_range import looks_like_per_cent, per_cent_remedy, range_and_direction, range_remedy
from .spreadsheets import Table

__all__ = [
    "STATED",
    "Measurements",
    "check_scores",
    "check_splits_once",
    "range_in_column",
    "repeats",
    "sizes_in",
    "stated_in",
]

# The words of the columns that say so.
STATED = {"direction": ("higher", "lower")}


@dataclass
class Measurements:
    """One curve: what `LearningCurve` is made from, and where each score stands in the table."""

    about: dict[str, Any]
    sizes: list[float] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    split: list[Any] = field(default_factory=list)
    cells: list[tuple[int, str]] = field(default_factory=list)
    details: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in BY_SCORE})
    """What is known of each score beside it, NaN where it is not."""
    runs: list[float | str] = field(default_factory=list)
    """How many runs each score is the mean of: a number, SEVERAL, or NaN where nothing is said."""
    means_of_several: bool = False
    """Whether scores are means over an unknown number of runs, where no number is given."""

    @property
    def averaged_over(self) -> RunCount | None:
        """How many runs each score is the mean of; of several numbers the smallest, so as not to claim too much."""
        known = [number for number in self.runs if not isinstance(number, str) and not math.isnan(number)]
        if SEVERAL in self.runs or (self.means_of_several and not known):
            return SEVERAL
        return int(min(known)) if known else None


def stated_in(table: Table, column: str, rows: Sequence[int], asked: str | None, faults: Faults) -> str | None:
    """What a column says in the same word on every row; where there is none, what was asked for, if anything."""
    allowed = STATED[column]
    if column not in table.columns:
        return asked
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
        why = f"a curve has one {column}, got {lines}."
        fault = Fault(list(said.values())[1], column, why)
        raise DataError(why, where=f"{table.path}, column {column!r}", faults=[fault])
    ((word, line),) = said.items()
    if asked is not None and asked != word:
        raise DataError(
            f"{table.path} says {word!r} in its column {column!r}, {table.place} {line}; {asked!r} was asked for. "
            "Correct whichever is wrong."
        )
    return word


def sizes_in(table: Table, column: str, faults: Faults) -> list[float]:
    """A column as numbers of training examples."""
    sizes = table.numbers(column, counts=True, faults=faults)
    fractions = all(0 < size <= 1 for size in sizes)
    hint = " Are these fractions of a data set? Multiply them by its number of examples." if fractions else ""
    for row, size in enumerate(sizes):
        if not (math.isfinite(size) and size >= 1):
            faults.add(row, column, f"expected a number of training examples, at least 1, got {size:g}.{hint}")
    return sizes


def range_in_column(table: Table, rows: Sequence[int], asked: Range | None, faults: Faults) -> Range | None:
    """What the column `range` says, the same on every row, or what was asked for; None where nothing is said."""
    cells = table.columns.get("range")
    if cells is None or all(is_blank(cells[i]) for i in rows):
        return asked
    said: dict[Range, int] = {}
    for i in rows:
        try:
            said.setdefault(check_range(cells[i]), table.lines[i])
        except RequestError as problem:
            faults.add(i, "range", problem.message)
    if len(said) > 1 or (asked is not None and said and asked not in said):
        got = " and ".join(f"{format_range(one)} in {table.place} {line}" for one, line in said.items())
        also = "" if asked is None else f"; {format_range(asked)} was asked for"
        raise DataError(f"a curve has one range, got {got}{also}.", where=f"{table.path}, column 'range'")
    return next(iter(said), asked)


def check_scores(table: Table, curve: Measurements, faults: Faults) -> None:
    """Note scores outside the range of their metric, with what may have been meant."""
    metric, stated = curve.about["metric"], curve.about["range"]
    between = stated or range_and_direction(metric, np.array(curve.scores))[0]
    of_hundred = between == UNIT_RANGE and looks_like_per_cent(curve.scores)
    for (row, column), score in zip(curve.cells, curve.scores, strict=True):
        cell = table.columns[column][row]
        if stated is not None and stated[1] == 100 and cell.endswith("%"):
            why = f"{cell} is {score:g}, but the range is {format_range(stated)}. Omit the range: percentages lie in "
            faults.add(row, column, f"{why}{format_range(UNIT_RANGE)}.")
            continue
        if between[0] <= score <= between[1] and math.isfinite(score):
            continue
        if not math.isfinite(score):
            what = "the score is not a number" if math.isnan(score) else f"scores must be finite, got {cell}"
            faults.add(row, column, f"{what}. Fill it in, or leave out this row.")
            continue
        hint, remedy = "", range_remedy(metric, stated=stated is not None)
        if of_hundred:
            hint, remedy = f" Are these percentages? Write {cell}% in every row.", per_cent_remedy(metric)
        elif between == UNIT_RANGE and 1 < score <= 100 and known_metric(metric) is not None:
            hint, remedy = f" Is this a percentage? Write {cell}%, or {score / 100:g} as in the other rows.", ()
        faults.add(row, column, f"scores must lie in {format_range(between)}, got {cell}.{hint}", remedy)


def repeats(curve: Measurements) -> bool:
    """Whether a split has two scores at a size."""
    return len(set(zip(curve.sizes, curve.split, strict=True))) < len(curve.sizes)


def check_splits_once(table: Table, curve: Measurements) -> None:
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
        where=f"{table.path}, {table.place} {format_some([line for line, _ in groupby(repeated[worst])])}",
        faults=sorted(faults, key=lambda fault: fault.line)[:MOST_FAULTS],
    )


def _twice(mark: tuple[float, Any], count: int) -> str:
    size, label = mark
    return (
        f"split {label!r} has {count} scores at size {size:g}. A split is measured once at each size: number the "
        "splits differently, or leave the column out if the replicates are independent."
    )
