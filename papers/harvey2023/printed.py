"""The printed numbers: the only place that holds them is the folder `printed`."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "printed"


class Value(NamedTuple):
    """A number of a table, with its standard deviation over bootstrap rounds where it has one."""

    mean: float
    sd: float | None = None


class Row(NamedTuple):
    """A row of a printed table: where it stands, and what it says of each method."""

    place: Mapping[str, str]
    values: Mapping[str, Value]


def printed(name: str) -> list[Row]:
    """Rows of a printed table; columns that are no method tell a row's place in it."""
    _, *lines = (FOLDER / f"{name}.csv").read_text(encoding="utf-8").splitlines()
    rows = []
    for cells in csv.DictReader(lines):
        place = {key: cells.pop(key) for key in ("range", "level", "size", "label") if key in cells}
        spread = {key.removesuffix("_sd"): cells.pop(key) for key in list(cells) if key.endswith("_sd")}
        values = {
            method: Value(float(cell), float(spread[method]) if method in spread else None)
            for method, cell in cells.items()
            if cell
        }
        rows.append(Row(place, values))
    return rows


def origin(name: str) -> str:
    """Where a table was printed: the first line of its file."""
    return (FOLDER / f"{name}.csv").read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
