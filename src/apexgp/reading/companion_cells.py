"""Numbers of the columns beside the scores: checked where they are meant so, else left out with a word if odd."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from ..scale import UNIT_RANGE, Range, format_range
from .cells import is_blank, number_in
from .companions import Companions
from .faults import Faults
from .known_metrics import says_per_cent
from .measured import Measurements
from .score_details import largest_sd
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
        "averaged_over": (lambda value: 1 <= value < 2**53 and value == int(value), "expected a number of runs"),
    }[name]


@dataclass(frozen=True)
class Beside:
    """What stands beside the scores, row by row; NaN where nothing does."""

    details: Mapping[str, Mapping[str, list[float]]]
    """By the name of the detail, then by the column of the scores."""
    runs: list[float]
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
    table: Table, scores: Collection[str], companions: Companions, between: Range, faults: Faults
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
    runs = numbers("averaged_over", companions.averaged_over) or [math.nan] * len(table.lines)
    known = {number for number in runs if not math.isnan(number)}
    if len(known) > 1:
        several = f"{min(known):g} to {max(known):g}"
        notes.append(
            f"the scores are means of {several} runs: the smallest number in each curve was used for all of it."
        )
    return Beside(details, runs, notes, left_out)


def _checked(table: Table, column: str, name: str, between: Range, faults: Faults) -> list[float]:
    fits, wanted = _wanted(name, between)
    numbers = table.numbers(column, blank=math.nan, counts=name in ("n_test", "averaged_over"), faults=faults)
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
