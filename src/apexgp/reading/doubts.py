"""Doubts about a sheet, and the ways to settle them: what an error asks of a person, as choices."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from .._check import format_some
from ..errors import ApexError, DataError
from .cells import holds_number, looks_numeric, number_in
from .files import ALL_SHEETS, Sheet
from .layout import Table, column_letter
from .names import counts_training_examples, known_metric

__all__ = ["ROLES", "Choice", "Doubt", "build_doubt", "find_amounts", "is_fraction"]

ROLES = {
    "size": "training-set sizes",
    "score": "scores",
    "split": "splits",
    "model": "models or tasks",
    "train_score": "training scores",
    "score_sd": "standard deviations of runs",
    "n_test": "numbers of test cases",
    "averaged_over": "numbers of runs averaged",
    "n_features": "number of features",
    "n_classes": "number of classes",
    "metric": "names of metrics",
    "ignored": "not used",
}
"""What a column can hold, and how that is said."""
_AMOUNT = re.compile(
    r"(?<![\d.,])\d{1,3}(?:[., '\u00a0\u2009\u202f]\d{3})+(?![\d.,]\d)|(?<![\d.,/:-])\d{2,9}(?![\d.,/:-]\d)"
)


@dataclass(frozen=True)
class Choice:
    """One way to settle a doubt: in words, and as settings of `apexgp.read`."""

    label: str
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class Doubt:
    """Something that a sheet does not tell and that changes the answer, with the ways to settle it."""

    error: ApexError
    """The error that asks where nobody can answer."""
    choices: tuple[Choice, ...] = ()
    columns: tuple[str, ...] = ()
    """Letters of the columns that it is about."""
    rows: tuple[int, ...] = ()
    """Numbers of the rows that it is about."""
    free: str | None = None
    """A setting that takes what a person types, where the choices may not hold it."""

    @property
    def question(self) -> str:
        """The question in words, without the setting that answers it."""
        place = f"{self.error.where}: " if self.error.where else ""
        return f"{place}{self.error.message}"


def build_doubt(
    problem: DataError,
    sheet: Sheet,
    table: Table | None,
    measured: Collection[int],
    taken: Collection[str] = (),
) -> Doubt:
    """A doubt about an error: the ways to settle it that its remedy names, or that the sheet suggests.

    `taken` are the columns whose role is known.
    """
    choices: list[Choice] = []
    free = None
    # What settles it at once goes before columns to choose from.
    for argument, value in sorted(problem.to_set, key=lambda one: one[1] is None):
        if (
            argument == "score"
            and table is not None
            and "may hold the scores" in problem.message
            and isinstance(value, str)
        ):
            choices += _offer_columns(table, "score", problem.message, taken)  # the remedy names one for an example
        elif value is not None:
            choices.append(Choice(_word_choice(argument, value), {argument: value}))
        elif argument in ("size", "score", "split", "task") and table is not None:
            role = "model" if argument == "task" else argument
            choices += _offer_columns(table, role, problem.message, taken)
        elif argument == "sheet":
            choices += [Choice(f"the sheet “{one}”", {"sheet": one}) for one in sheet.titles if one != sheet.title]
        elif argument == "total":
            words = [cell for row in sheet.rows for cell in row if not holds_number(cell)]
            amounts = dict.fromkeys(amount for text in words for amount in find_amounts(text))
            choices += [Choice(f"shares of {amount:,.0f}", {"total": amount}) for amount in list(amounts)[:4]]
            free = argument
        elif argument == "metric" and table is not None and "metric" in table.columns:
            entries = dict.fromkeys(filter(None, table.columns["metric"]))
            choices += [Choice(f"the metric “{one}”", {"metric": one}) for one in list(entries)[:12]]
        elif argument in ("metric", "range"):
            free = free or argument
    lines = tuple(dict.fromkeys(fault.line for fault in problem.faults if fault.line in sheet.index))
    names = dict.fromkeys(fault.column for fault in problem.faults if fault.column)
    letters = [column_letter(i) for name in names if table is not None for i in table.sheet_columns.get(name, ())] or [
        letter for choice in choices for letter in choice.settings.get("roles", {})
    ]
    kept = tuple(line for line in measured if line not in lines)
    if lines and kept and len(lines) < len(measured):
        label = f"leave out {sheet.place} {format_some(lines)}"
        choices.append(Choice(label, {"rows": kept}))
    return Doubt(problem, tuple(choices), tuple(dict.fromkeys(letters)), lines, free)


def _offer_columns(table: Table, role: str, message: str, taken: Collection[str]) -> list[Choice]:
    """Columns that may have a role, those that a message names before all: sizes and scores are numbers.

    Where a size is chosen and there is just one column of fractions, that holds the scores.
    """
    numeric = role in ("size", "score")
    filled = {name: cells for name, cells in table.columns.items() if table.sheet_columns.get(name) and any(cells)}
    fitting = [
        name
        for name, cells in filled.items()
        if name not in taken and (not numeric or sum(map(holds_number, cells)) * 2 > sum(map(bool, cells)))
    ]
    if role == "score":
        fitting = [name for name in fitting if not counts_training_examples(name)] or fitting
    elif role == "size":  # shares of a data set, where there is nothing else
        whole = [name for name in fitting if not _holds_fractions(filled[name])]
        fitting = whole or [name for name in fitting if known_metric(name) is None]
    named = [name for name in fitting if f" {name}" in message.partition(":")[2]]
    letters = {name: column_letter(table.sheet_columns[name][0]) for name in filled}
    scores = [name for name, cells in filled.items() if _holds_fractions(cells)]
    choices: list[Choice] = []
    for name in (named if len(named) > 1 and "may hold" in message else fitting)[:12]:
        label, roles = f"“{name}” holds the {ROLES[role]}", {letters[name]: role}
        if role == "size" and len(scores) == 1 and scores[0] not in (name, *taken):
            label, roles = f"{label}, “{scores[0]}” the scores", {**roles, letters[scores[0]]: "score"}
        choices.append(Choice(label, {"roles": roles}))
    return choices


def _holds_fractions(cells: Collection[str]) -> bool:
    """Whether the numbers of a column are scores between 0 and 1, or per cents."""
    numbers = [cell for cell in cells if looks_numeric(cell)]
    return bool(numbers) and all(map(is_fraction, numbers)) and any(not re.fullmatch(r"[01]", cell) for cell in numbers)


def _word_choice(argument: str, value: Any) -> str:
    """A way to settle a doubt, in words."""
    if argument == "each_column":
        return f"each column is a {value}"
    if argument == "score":
        names = [value] if isinstance(value, str) else value
        return f"the scores are in {format_some([f'“{one}”' for one in names], 4)}"
    if argument == "per_cent":
        return "the scores are per cents"
    if argument == "direction":
        return f"{value} is better"
    if argument == "sheet":
        return "all of them, each a model" if value == ALL_SHEETS else f"the sheet “{value}”"
    if argument == "range":
        return f"scores lie between {value[0]:g} and {value[1]:g}"
    if argument == "point_groups":
        return "the points stand between thousands: 1.600 is 1600"
    if argument == "roles":
        ((letter, role),) = value.items()
        return f"column {letter}: {ROLES[role]}"
    return f"{argument}: {value}"


def is_fraction(cell: str) -> bool:
    """Whether a cell is a score between 0 and 1, or a per cent."""
    try:
        return 0 <= number_in(cell.replace(",", "."), decimal_comma=False) <= 1
    except ValueError:
        return holds_number(cell) and not looks_numeric(cell)  # with a spread or an interval


def find_amounts(words: str) -> list[float]:
    """Numbers of things that a text mentions: 24.000 Belege, 1,600; no dates, and none below 10."""
    found = [float(re.sub(r"\D", "", amount)) for amount in _AMOUNT.findall(words)]
    return [amount for amount in found if amount >= 10 and not 1990 <= amount <= 2039]
