"""What a size counts, and how much comes on top of it: labels of a curve that recount nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .._check import check_real_number, check_text, format_value
from ..errors import ApexError, DataError, RequestError
from .cells import is_blank
from .counts import unit_counted
from .faults import Faults
from .spreadsheets import Table, one_line

__all__ = ["share_kept", "share_stated", "unit_label", "unit_stated"]

_LONGEST = 40
_GENERAL = ("rows", "groups")  # what apexgp collect writes: true, and less than a person may know


def unit_label(value: str, error: type[ApexError] = DataError) -> str:
    """What a size counts, checked."""
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


def unit_stated(table: Table, size_column: str | None, rows: Sequence[int], asked: str | None, faults: Faults) -> str:
    """What sizes count: as asked, as the column `unit` says, as the name of the sizes says, or rows."""
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


def share_stated(table: Table, rows: Sequence[int], asked: float | None, faults: Faults) -> float | None:
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
