"""Numbers of the columns beside the scores: checked where they are meant so, else left out with a word if odd."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._check import format_some
from ..errors import DataError, Fault
from ..scale import UNIT_RANGE, Range, format_range
from .cells import is_blank, number_in
from .companions import COUNTS, Companions
from .counts import PROBLEM_COUNTS
from .faults import Faults
from .known_metrics import says_per_cent
from .measured import Measurements
from .score_details import SEVERAL, largest_sd
from .spreadsheets import Table

__all__ = ["Beside", "numbers_beside", "with_signs_beside", "without_own_spread"]


def _wanted(name: str, between: Range) -> tuple[Callable[[float], bool], str]:
    """What a number beside scores of a range must be, and how that is said."""
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
class Beside:
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


def numbers_beside(
    table: Table,
    scores: Collection[str],
    companions: Companions,
    between: Range,
    rows_by_task: Mapping[str | None, Sequence[int]],
    faults: Faults,
) -> Beside:
    """The numbers of the companions of scores in a range."""
    notes: list[str] = []
    left_out: set[str] = set()

    def numbers(name: str, column: str | float | None) -> list[float] | None:
        if not isinstance(column, str):
            return None if column is None else [float(column)] * len(table.lines)
        if companions.insists(column):
            return _checked(table, column, name, between, faults)
        doubts = Faults(table)
        found = _checked(table, column, name, between, doubts)
        if doubts:
            left_out.add(column)
            notes.append(f"left out the column {column!r}: {doubts.first}")
            return None
        return found

    read: dict[tuple[str, str], list[float] | None] = {}  # a column once, that stands beside several
    details: dict[str, dict[str, list[float]]] = {}
    for name, by_score in (("train_scores", companions.train), ("score_sd", companions.sd)):
        for score, column in by_score.items():
            if (name, column) not in read:
                read[name, column] = numbers(name, column)
            if (found := read[name, column]) is not None:
                details.setdefault(name, {})[score] = found
    cases = numbers("n_test", companions.n_test)
    details["n_test"] = {} if cases is None else dict.fromkeys(scores, cases)
    counts = numbers("averaged_over", companions.averaged_over)
    runs: list[float | str] = [math.nan] * len(table.lines) if counts is None else [*counts]
    if counts is not None and isinstance(companions.averaged_over, str):
        cells = table.columns[companions.averaged_over]
        runs = [SEVERAL if _says_several(cell) else count for cell, count in zip(cells, counts, strict=True)]
    known = {number for number in counts or () if not math.isnan(number)}
    if len(known) > 1:
        notes.append(
            f"the scores are means of {min(known):g} to {max(known):g} runs: the smallest number in each curve "
            "was used for all of it."
        )
    problem: dict[str | None, dict[str, int | None]] = {task: {} for task in rows_by_task}
    for name in PROBLEM_COUNTS:
        column = getattr(companions, name)
        said_of_rows = numbers(name, column) or [math.nan] * len(table.lines)
        conflict = _find_conflict(table, column, name, said_of_rows, rows_by_task)
        if conflict is not None and companions.insists(column):
            raise conflict
        if conflict is not None:
            left_out.add(column)
            notes.append(f"left out the column {column!r}: {conflict.message}")
        for task, own in rows_by_task.items():
            said = {said_of_rows[row] for row in own if conflict is None and not math.isnan(said_of_rows[row])}
            problem[task][name] = int(said.pop()) if said else None
    return Beside(details, runs, problem, notes, left_out)


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


def _checked(table: Table, column: str, name: str, between: Range, faults: Faults) -> list[float]:
    fits, wanted = _wanted(name, between)
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


def with_signs_beside(table: Table, signed: Collection[str], companions: Companions) -> Table:
    """The table with per cent signs beside scores that got theirs from the name of their column."""
    columns = dict[str, list[str]]()
    for beside in (companions.train, companions.sd):
        for score, column in beside.items():
            own_word = says_per_cent(column) and table.spreads.get(score) != column
            numbers = [_number(table, cell) for cell in table.columns[column]]
            above = max((number for number in numbers if number is not None), default=0.0)
            if (score in signed or own_word) and (beside is companions.sd or above > 1):
                columns[column] = [
                    cell if number is None else f"{cell}%"
                    for cell, number in zip(table.columns[column], numbers, strict=True)
                ]
    return table.with_columns(columns)


def _number(table: Table, cell: str) -> float | None:
    try:
        return None if cell.endswith("%") else number_in(cell, decimal_comma=table.decimal_comma)
    except ValueError:
        return None


def without_own_spread(curve: Measurements) -> bool:
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
