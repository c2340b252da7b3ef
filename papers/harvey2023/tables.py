"""What tables are made of: cells with a value in every column; Markdown and CSV of them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from .methods import COLUMNS
from .printed import Value

FORECASTS = [
    ("gp_power_law", "printed", "GP power law: printed"),
    ("gp_power_law", "remade", "remade"),
    ("gp_power_law", "written", "as written"),
    ("gp_arctan", "printed", "GP arctan: printed"),
    ("gp_arctan", "remade", "remade"),
    ("gp_arctan", "written", "as written"),
    ("gp_power_law", "default", "our default"),
]
"""Columns of a table of forecasts, by (method, column, heading); our default is one method and stands once."""


@dataclass(frozen=True)
class Cell:
    """One printed number, and what stands for it in the other columns."""

    table: str
    place: Mapping[str, str]
    """Range, or level and size; and label."""
    method: str
    values: Mapping[str, Value] = field(default_factory=dict)
    """By column."""

    @property
    def label(self) -> str:
        """The task."""
        return self.place["label"]

    @property
    def difference(self) -> float:
        """Remade less printed."""
        return self.values["remade"].mean - self.values["printed"].mean


def seed_of(seed: int, number: int) -> int:
    """The seed of the rounds that belong to one place of a table, from that of the run."""
    return int(np.random.SeedSequence([seed, number]).generate_state(1)[0])


def as_csv(cells: Sequence[Cell], digits: int) -> str:
    """A row a cell, a column a column, with standard deviations where there are any."""
    spread = any(value.sd is not None for cell in cells for value in cell.values.values())
    names = [name for column in COLUMNS for name in ([column, f"{column}_sd"] if spread else [column])]
    text = io.StringIO()
    writer = csv.DictWriter(text, [*cells[0].place, "method", *names], lineterminator="\n")
    writer.writeheader()
    for cell in cells:
        numbers = {}
        for column, value in cell.values.items():
            numbers[column] = f"{value.mean:.{digits}f}"
            if value.sd is not None:
                numbers[f"{column}_sd"] = f"{value.sd:.{digits}f}"
        writer.writerow({**cell.place, "method": cell.method, **numbers})
    return text.getvalue()


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> str:
    """A table of which the first columns are words and the others numbers."""
    rule = ["---"] * words + ["--:"] * (len(header) - words)
    return "\n".join("| " + " | ".join(row) + " |" for row in [header, rule, *rows])


def shown(value: Value | None, digits: int) -> str:
    """A value as tables have it."""
    if value is None:
        return ""
    spread = "" if value.sd is None else f"\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}{value.sd:.{digits}f}"
    return f"{value.mean:.{digits}f}{spread}"


def by_task(cells: Sequence[Cell], columns: Sequence[tuple[str, str, str]], digits: int) -> str:
    """A table with a row a task; its columns are given by (method, column, heading)."""
    values = {(cell.label, cell.method): cell.values for cell in cells}
    labels = list(dict.fromkeys(cell.label for cell in cells))
    rows = [
        [label, *(shown(values[label, method].get(column), digits) for method, column, _ in columns)]
        for label in labels
    ]
    return markdown(["task", *(heading for _, _, heading in columns)], rows)
