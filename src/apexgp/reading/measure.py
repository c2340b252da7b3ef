"""Numbers of a table whose columns are known: each checked where its line can still be named.

Faults of cells are collected on the way through the table, then told together.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

import numpy as np

from .._check import check_real_number, check_text, format_some, format_value
from ..errors import ApexError, DataError, Fault, MissingScoresWarning, RequestError, warn
from ..learners import UNKNOWN, find_kind
from ..scale import UNIT_RANGE, Range, check_range, format_range
from ..vocabulary import Remedy
from .cells import is_blank, is_cut, too_long
from .files import one_line
from .known_metrics import UNNAMED
from .layout import Table
from .names import (
    PROBLEM_COUNTS,
    known_metric,
    looks_like_per_cent,
    per_cent_remedy,
    range_and_direction,
    range_remedy,
    same_metric,
    says_per_cent,
    sounds_like_a_loss,
    unit_counted,
)
from .roles import COUNTS, Roles, find_learners
from .score_details import BY_SCORE, SEVERAL, RunCount, largest_sd

__all__ = ["MOST_FAULTS", "STATED", "Faults", "Measurements", "are_shares", "measure", "share_kept", "unit_label"]


MOST_FAULTS = 20
"""Faults that an error carries; a person fixes the first few, and then tries again."""


class Faults:
    """Faults of the cells of a table, the first reason of each.

    Parameters
    ----------
    table : Table
        The table; rows are counted in it, from 0.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._why: dict[tuple[int, str], str] = {}
        self._remedies: dict[tuple[int, str], Remedy] = {}

    def add(self, row: int, column: str, why: str, remedy: Remedy = ()) -> None:
        """Note why a cell cannot be used, and what to set so that it can."""
        if (row, column) not in self._why:
            self._why[row, column], self._remedies[row, column] = why, remedy

    def __contains__(self, cell: tuple[int, str]) -> bool:
        return cell in self._why

    def __bool__(self) -> bool:
        return bool(self._why)

    @property
    def first(self) -> str:
        """The first that was noted, with its line."""
        (row, _), why = next(iter(self._why.items()))
        return f"{self._table.place} {self._table.lines[row]}, {why}"

    def refuse(self) -> None:
        """Raise one error that carries the faults and tells the first, where there are any.

        The lines of others are named, unless all are at fault: what is wrong with every row is said of the first.
        """
        if not self._why:
            return
        table = self._table
        rank = {column: i for i, column in enumerate(table.columns)}
        cells = sorted(self._why, key=lambda cell: (cell[0], rank[cell[1]]))
        faults = [Fault(table.lines[row], column, self._why[row, column]) for row, column in cells[:MOST_FAULTS]]
        others = list(dict.fromkeys(table.lines[row] for row, _ in cells if row != cells[0][0]))
        also = f" Also at fault: {table.place} {format_some(others)}." if 0 < len(others) < len(table.lines) - 1 else ""
        remedy = self._remedies[cells[0]]
        raise DataError(faults[0].message + also, remedy=remedy, where=table.where(*cells[0]), faults=faults)


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


def _find_stated(table: Table, column: str, rows: Sequence[int], asked: str | None, faults: Faults) -> str | None:
    """Find the word that a column says on every row; without such a column, what was asked for, if anything."""
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


def _read_sizes(table: Table, column: str, faults: Faults) -> list[float]:
    """A column as numbers of training examples."""
    sizes = table.numbers(column, counts=True, faults=faults)
    shares = are_shares(sizes)
    hint = " Are these shares of a data set?" if shares else ""
    remedy: Remedy = ("Give its number of examples with {}.", "total") if shares else ()
    for row, size in enumerate(sizes):
        if not (math.isfinite(size) and size >= 1) or shares:
            faults.add(row, column, f"expected a number of training examples, at least 1, got {size:g}.{hint}", remedy)
    return sizes


def are_shares(sizes: Sequence[float]) -> bool:
    """Whether sizes are shares of a data set: none above 1, and some below."""
    return bool(sizes) and all(0 < size <= 1 for size in sizes) and min(sizes) < 1


def _find_range(table: Table, rows: Sequence[int], asked: Range | None, faults: Faults) -> Range | None:
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


def _check_scores(table: Table, curve: Measurements, faults: Faults) -> None:
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


def _repeats(curve: Measurements) -> bool:
    """Whether a split has two scores at a size."""
    return len(set(zip(curve.sizes, curve.split, strict=True))) < len(curve.sizes)


def _check_splits_once(table: Table, curve: Measurements) -> None:
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


def measure(
    table: Table, roles: Roles, stated: Mapping[str, Any]
) -> tuple[dict[str | None, Measurements], list[str], set[str]]:
    """Every curve of a table by its task, what a reader should know, and the columns that hold something else.

    Parameters
    ----------
    table, roles
        The table with rows of measurements alone, and which of its columns is which.
    stated
        What the caller says of `metric`, `direction`, `unit`, `test_share`, `per_cent` and `range`, None where nothing.
    """
    between, per_cent = stated["range"], bool(stated["per_cent"])
    # Of a stated range the numbers are taken as they are.
    nothing: tuple[Table, set[str], list[str]] = table, set(), []
    table, signed, notes = nothing if between is not None else _with_per_cent_signs(table, roles, per_cent)
    table = _with_signs_beside(table, signed, roles)
    rows, name = _rows_of_metric(table, stated["metric"], roles.metric)
    table = table.rows(rows)
    tasks: list[str | None] = [*table.columns[roles.task]] if roles.task else [None] * len(table.lines)
    by_task: dict[str | None, list[int]] = defaultdict(list)
    for row, task in enumerate(tasks):
        by_task[task].append(row)
    faults = Faults(table)
    curves: dict[str | None, Measurements] = {}
    learners, of_learners = _find_learner_kinds(table, by_task)
    notes += of_learners
    for task, own in by_task.items():
        said: dict[str, Any] = {what: _find_stated(table, what, own, stated[what], faults) for what in STATED}
        said["unit"] = _find_unit(table, roles.size, own, stated["unit"], faults)
        said["test_share"] = _find_test_share(table, own, stated["test_share"], faults)
        said["range"] = _find_range(table, own, between, faults)
        if per_cent and said["range"] is not None:
            raise RequestError(
                f"turns the scores into fractions of 1, but their range is {format_range(said['range'])}. Omit one of "
                "the two.",
                argument="per_cent",
            )
        about = {"metric": name, "task": task, "learner": learners[task], **said}
        curves[task] = Measurements(about, means_of_several=roles.means_of_several)
    beside = _read_side_columns(table, roles, _widest(curves), by_task, faults)
    for task, curve in curves.items():
        curve.about |= beside.problem[task]
    missing = _fill(curves, table, roles, beside, tasks, faults)
    for curve in curves.values():
        _check_scores(table, curve, faults)
    faults.refuse()
    if missing:
        lines = format_some(sorted({table.lines[row] for row in missing}))
        warn(
            f"{table.path}: {len(missing)} of {len(roles.scores) * len(table.lines)} score cells are empty and were "
            f"left out ({table.place} {lines}).",
            MissingScoresWarning,
        )
    empty = [task for task, curve in curves.items() if not curve.scores]
    if empty:
        raise DataError(f"{table.path} contains no score{f' of the task {empty[0]}' if empty[0] else ''}.")
    if roles.split is not None and not roles.split_was_named and any(map(_repeats, curves.values())):
        notes.append(f"the column {roles.split!r} has the same entry more than once at a size: not read as the splits.")
        beside.left_out.add(roles.split)
        roles = replace(roles, split=None)
        for curve in curves.values():
            curve.split = []
    for curve in curves.values():
        _check_splits_once(table, curve)
    notes += beside.notes
    if not all(map(roles.insists, roles.sd.values())) and any([*map(_drop_own_spread, curves.values())]):
        notes.append(
            "left out the standard deviations, which are the same for all scores of a size: they are the spread of "
            "those scores."
        )
        beside.left_out.update(roles.sd.values())
    return curves, [*roles.note(table, name, beside.left_out), *notes], beside.left_out


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
    roles: Roles,
    beside: SideColumns,
    tasks: Sequence[str | None],
    faults: Faults,
) -> list[int]:
    """Put every score into its curve that is not at fault; gives the rows of cells that are empty, one for each."""
    sizes = _read_sizes(table, str(roles.size), faults)
    labels = _read_labels(table, roles, faults)
    missing: list[int] = []
    blank = math.nan if roles.wide else None
    otherwise = "leave the cell empty" if roles.wide else "leave out this row"
    values = [table.numbers(column, blank=blank, faults=faults, otherwise=otherwise) for column in roles.scores]
    for row, scores in enumerate(zip(*values, strict=True)):
        for column, score in zip(roles.scores, scores, strict=True):
            if (row, column) in faults:
                continue
            if math.isnan(score) and roles.wide:
                missing.append(row)
                continue
            curve = curves[tasks[row]]
            curve.sizes.append(sizes[row])
            curve.scores.append(score)
            curve.cells.append((row, column))
            beside.add_to(curve, row, column)
            if labels is not None:
                curve.split.append(labels[row])
            elif roles.wide:
                curve.split.append(_read_label(column))
    return missing


def _with_per_cent_signs(table: Table, roles: Roles, said: bool) -> tuple[Table, set[str], list[str]]:
    """The table with a per cent sign behind every number of a column that is called Accuracy (%), or is said to be so.

    Gives these columns, too, and what a reader should know.

    Numbers of such a column that are all at most 1 are fractions: no metric that is worth a forecast stays below 1 %.
    An error rate may, and is asked about.
    """
    signed, notes = dict[str, list[str]](), []
    for column in [name for name in roles.scores if said or says_per_cent(name)]:
        cells = table.columns[column]
        numbers = {row: number for row in range(len(cells)) if (number := _without_sign(table, cells[row])) is not None}
        if said or any(number > 1 for number in numbers.values()):
            signed[column] = [f"{cell}%" if row in numbers else cell for row, cell in enumerate(cells)]
        elif numbers and (roles.metric is None or sounds_like_a_loss(roles.metric)):
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
        return None if cell.endswith("%") else table.number(cell)
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


def _read_labels(table: Table, roles: Roles, faults: Faults) -> list[Any] | None:
    """Read the labels of splits, row by row; None where each split is a column, or there are none."""
    if roles.split is None:
        return None
    cells = table.columns[roles.split]
    blank = [i for i, cell in enumerate(cells) if is_blank(cell)]
    if len(blank) == len(cells):
        return None
    why = "the split has no label. Label every row, or leave the column out if the replicates are independent."
    for i in blank:
        faults.add(i, roles.split, why)
    for i, cell in enumerate(cells):
        if is_cut(cell):
            faults.add(i, roles.split, too_long(cell))
    return [_read_label(cell) for cell in cells]


def _read_label(cell: str) -> int | str:
    """A label as it was written; a whole number as such, so that split 1 of a file is split 1 of a run."""
    return int(cell) if re.fullmatch(r"0|[1-9]\d{0,15}", cell) else cell


def _describe_bounds(name: str, between: Range) -> tuple[Callable[[float], bool], str]:
    """Say what a number beside scores of a range must be: as a check, and in words."""
    low, high = between
    return {
        "train_scores": (
            lambda value: low <= value <= high and math.isfinite(value),
            f"training scores must lie in {format_range(between)}",
        ),
        "score_sd": (
            lambda value: 0 <= value <= largest_sd(between) and math.isfinite(value),
            f"expected a standard deviation of scores in {format_range(between)}",
        ),
        "n_test": (lambda value: 1 <= value < math.inf, "expected a number of test cases, at least 1"),
        "averaged_over": (lambda value: _is_whole(value, 1), f"expected a number of runs, or {SEVERAL}"),
        **{
            counted: (
                lambda value, least=least: _is_whole(value, least),  # type: ignore[misc]
                f"expected a number of {counted.removeprefix('n_')}, at least {least}",
            )
            for counted, least in PROBLEM_COUNTS.items()
        },
    }[name]


def _is_whole(value: float, least: int) -> bool:
    return least <= value < 2**53 and value == int(value)


@dataclass(frozen=True)
class SideColumns:
    """What stands beside the scores, row by row; NaN where nothing does."""

    details: Mapping[str, Mapping[str, list[float]]]
    """By the name of the detail, then by the column of the scores."""
    runs: list[float | str]
    """How many runs each score is the mean of, or SEVERAL."""
    problem: Mapping[str | None, Mapping[str, int | None]]
    """Numbers of features and of classes, by task; None where they are not known."""
    notes: list[str]
    left_out: set[str]
    """Columns that hold something else than we took them for."""

    def add_to(self, curve: Measurements, row: int, column: str) -> None:
        """Put what is known of a score beside it."""
        for name, numbers in curve.details.items():
            known = self.details.get(name, {}).get(column)
            numbers.append(math.nan if known is None else known[row])
        curve.runs.append(self.runs[row])


def _read_side_columns(
    table: Table,
    roles: Roles,
    between: Range,
    rows_by_task: Mapping[str | None, Sequence[int]],
    faults: Faults,
) -> SideColumns:
    """The numbers of the companions of scores in a range."""
    notes: list[str] = []
    left_out: set[str] = set()

    def numbers(name: str, column: str | float | None) -> list[float] | None:
        if not isinstance(column, str):
            return None if column is None else [float(column)] * len(table.lines)
        if roles.insists(column):
            return _read_checked(table, column, name, between, faults)
        doubts = Faults(table)
        found = _read_checked(table, column, name, between, doubts)
        if doubts:
            left_out.add(column)
            notes.append(f"left out the column {column!r}: {doubts.first}")
            return None
        return found

    read: dict[tuple[str, str], list[float] | None] = {}  # a column once, that stands beside several
    details: dict[str, dict[str, list[float]]] = {}
    for name, by_score in (("train_scores", roles.train), ("score_sd", roles.sd)):
        for score, column in by_score.items():
            if (name, column) not in read:
                read[name, column] = numbers(name, column)
            if (found := read[name, column]) is not None:
                details.setdefault(name, {})[score] = found
    cases = numbers("n_test", roles.n_test)
    details["n_test"] = {} if cases is None else dict.fromkeys(roles.scores, cases)
    counts = numbers("averaged_over", roles.averaged_over)
    runs: list[float | str] = [math.nan] * len(table.lines) if counts is None else [*counts]
    if counts is not None and isinstance(roles.averaged_over, str):
        cells = table.columns[roles.averaged_over]
        runs = [SEVERAL if _says_several(cell) else count for cell, count in zip(cells, counts, strict=True)]
    known = {number for number in counts or () if not math.isnan(number)}
    if len(known) > 1:
        notes.append(
            f"the scores are means of {min(known):g} to {max(known):g} runs: the smallest number in each curve "
            "was used for all of it."
        )
    problem: dict[str | None, dict[str, int | None]] = {task: {} for task in rows_by_task}
    for name in PROBLEM_COUNTS:
        column = getattr(roles, name)
        said_of_rows = numbers(name, column) or [math.nan] * len(table.lines)
        conflict = _find_conflict(table, column, name, said_of_rows, rows_by_task)
        if conflict is not None and roles.insists(column):
            raise conflict
        if conflict is not None:
            left_out.add(column)
            notes.append(f"left out the column {column!r}: {conflict.message}")
        for task, own in rows_by_task.items():
            said = {said_of_rows[row] for row in own if conflict is None and not math.isnan(said_of_rows[row])}
            problem[task][name] = int(said.pop()) if said else None
    return SideColumns(details, runs, problem, notes, left_out)


def _find_conflict(
    table: Table, column: Any, name: str, counts: Sequence[float], rows_by_task: Mapping[str | None, Sequence[int]]
) -> DataError | None:
    """The error of a curve with several numbers of features or classes, if there is one."""
    for own in rows_by_task.values():
        said: dict[float, int] = {}
        for row in own:
            if not math.isnan(counts[row]):
                said.setdefault(counts[row], table.lines[row])
        if len(said) > 1:
            got = format_some([f"{number:.0f} in {table.place} {line}" for number, line in said.items()])
            why = f"a curve has one number of {name.removeprefix('n_')}, got {got}."
            faults = [Fault(line, column, why) for line in list(said.values())[1:]]
            return DataError(why, where=f"{table.path}, column {column!r}", faults=faults)
    return None


def _says_several(cell: str) -> bool:
    return cell.strip().casefold() == SEVERAL


def _read_checked(table: Table, column: str, name: str, between: Range, faults: Faults) -> list[float]:
    fits, wanted = _describe_bounds(name, between)
    if name == "averaged_over":
        table = table.with_columns({column: ["" if _says_several(cell) else cell for cell in table.columns[column]]})
    numbers = table.numbers(column, blank=math.nan, counts=name in COUNTS, faults=faults)
    for row, number in enumerate(numbers):
        cell = table.columns[column][row]
        if not is_blank(cell) and not fits(number):
            may_be = name in ("train_scores", "score_sd") and number > 0 and between == UNIT_RANGE
            hint = f" Are these percentages? Write {cell}% in every row." if may_be else ""
            faults.add(row, column, f"{wanted}, got {cell}.{hint}")
    return numbers


def _with_signs_beside(table: Table, signed: Collection[str], roles: Roles) -> Table:
    """The table with per cent signs beside scores that got theirs from the name of their column."""
    columns = dict[str, list[str]]()
    for beside in (roles.train, roles.sd):
        for score, column in beside.items():
            own_word = says_per_cent(column) and table.spreads.get(score) != column
            numbers = [_without_sign(table, cell) for cell in table.columns[column]]
            above = max((number for number in numbers if number is not None), default=0.0)
            if (score in signed or own_word) and (beside is roles.sd or above > 1):
                columns[column] = [
                    cell if number is None else f"{cell}%"
                    for cell, number in zip(table.columns[column], numbers, strict=True)
                ]
    return table.with_columns(columns)


def _drop_own_spread(curve: Measurements) -> bool:
    """Leave out standard deviations that are the same for all scores of a size; says whether there were any.

    They are the spread of these scores, which tell it themselves, and not that of runs behind each.
    """
    spread = curve.details["score_sd"]
    by_size: dict[float, list[float]] = {}
    for size, value in zip(curve.sizes, spread, strict=True):
        by_size.setdefault(size, []).append(value)
    several = [values for values in by_size.values() if len(values) > 1 and not any(map(math.isnan, values))]
    if not several or any(len(set(values)) > 1 for values in several):
        return False
    spread[:] = [math.nan] * len(spread)
    return True


def _find_learner_kinds(
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


_LONGEST = 40
_GENERAL = ("rows", "groups")  # what apexgp collect writes: true, and less than a person may know


def unit_label(value: str, error: type[ApexError] = DataError) -> str:
    """Check the word for what a size counts."""
    label = check_text("unit", value, "what a size counts, such as patients", error=error).strip()
    if not label or len(label) > _LONGEST or one_line(label, _LONGEST) != label:
        raise error(
            f"must be what a size counts in a word or two, such as patients, got {format_value(value)}.",
            argument="unit",
        )
    return label


def share_kept(value: float) -> float:
    """The share of all that is collected that is not trained on, checked."""
    share = check_real_number("test_share", value)
    if not 0 < share < 1:
        hint = f" Is this a percentage? Write {share / 100:g}." if 1 < share < 100 else ""
        raise RequestError(
            "must be the share of the collected data kept for validation and test, between 0 and 1, got "
            f"{share:g}.{hint}",
            argument="test_share",
        )
    return share


def _find_unit(table: Table, size_column: str | None, rows: Sequence[int], asked: str | None, faults: Faults) -> str:
    """Find the unit of sizes: as asked, by the column `unit`, by the name of the sizes, or rows."""
    if "unit" not in table.columns:
        return asked or (size_column and unit_counted(size_column)) or "rows"
    said: dict[str, int] = {}
    for i in rows:
        entry = table.columns["unit"][i]
        try:
            said.setdefault(unit_label(entry), table.lines[i])
        except DataError:
            faults.add(i, "unit", f"expected what a size counts, such as patients, got {entry!r}.")
    if len(said) > 1:
        lines = " and ".join(f"{word} in {table.place} {line}" for word, line in said.items())
        raise DataError(f"a curve has one unit, got {lines}.", where=f"{table.path}, column 'unit'")
    if not said:
        return "rows"  # of a table that will be refused
    ((word, line),) = said.items()
    if asked is None or asked == word or word in _GENERAL:
        return asked or word
    raise DataError(
        f"{table.path} says {word!r} in its column 'unit', {table.place} {line}; {asked!r} was asked for. Correct "
        "whichever is wrong."
    )


def _find_test_share(table: Table, rows: Sequence[int], asked: float | None, faults: Faults) -> float | None:
    """The share that is not trained on: as asked, or as the column `test_share` says on every row."""
    if asked is not None or "test_share" not in table.columns:
        return asked
    cells = table.columns["test_share"]
    if all(is_blank(cells[i]) for i in rows):
        return None
    numbers = table.numbers("test_share", blank=math.nan, faults=faults)
    said = set()
    for i in rows:
        if math.isnan(numbers[i]):
            continue
        try:
            said.add(share_kept(numbers[i]))
        except RequestError as problem:
            faults.add(i, "test_share", str(problem).removeprefix("test_share "))
    if len(said) > 1:
        raise DataError(
            f"a curve has one share for validation and test, got {' and '.join(f'{share:g}' for share in said)}.",
            where=f"{table.path}, column 'test_share'",
        )
    return next(iter(said), None)
