"""What a table is taken for: what the caller says of it, and what follows from that and from the table."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._check import (
    check_bool,
    check_choice,
    check_list,
    check_real_number,
    check_text,
    check_whole_number,
    format_value,
)
from ..errors import RequestError
from ..scale import Range, check_range
from .doubts import ROLES
from .known_metrics import UNNAMED
from .measure import STATED, share_kept, unit_label
from .roles import ABOUT, COUNTS

__all__ = ["Column", "Interpretation", "TableSettings", "check_settings"]

EACH_COLUMN = ("split", "model")
"""What each of several columns of scores may be."""
_SIGNS = (".", ",")


@dataclass(frozen=True)
class TableSettings:
    """What the caller says of a table: names of columns, and what they hold; None where the table tells.

    The fields are the parameters of `apexgp.read`; `check_settings` builds one. `n_test`, `averaged_over`, `n_features`
    and `n_classes` are a column, or the number that holds for every score; as text either may be meant.
    """

    size: str | None = None
    score: str | Sequence[str] | None = None
    split: str | None = None
    task: str | None = None
    metric: str | None = None
    direction: str | None = None
    unit: str | None = None
    sheet: str | int | None = None
    train_score: str | Sequence[str] | None = None
    score_sd: str | None = None
    n_test: str | float | None = None
    averaged_over: str | int | None = None
    each_column: str | None = None
    per_cent: bool | None = None
    test_share: float | None = None
    range: Range | str | None = None
    n_features: str | int | None = None
    n_classes: str | int | None = None
    roles: Any = None
    """Roles by letters; text such as A=size,C=score becomes a mapping."""
    header: Collection[int] | str | int | None = None
    rows: Collection[int] | str | None = None
    sections: Collection[int] | str | None = None
    fill_down: Collection[str] | str | None = None
    transposed: bool | None = None
    total: float | None = None
    decimal_sign: str | None = None
    point_groups: bool | None = None


def check_settings(**said: Any) -> TableSettings:
    """Check what a caller says of a table; None says nothing."""
    return TableSettings(
        **{name: None if value is None else _check_setting(name, value) for name, value in said.items()}
    )


def _check_setting(argument: str, value: Any) -> Any:
    column = "the name of a column"
    choices = {"each_column": EACH_COLUMN, "decimal_sign": _SIGNS, **STATED}
    if argument in choices:
        return check_choice(argument, value, choices[argument])
    if argument in ("per_cent", "transposed", "point_groups"):
        return check_bool(argument, value)
    if argument == "range":
        return check_range(value)
    if argument == "unit":
        return unit_label(value)
    if argument == "test_share":
        return share_kept(value)
    if argument == "total":
        return _check_total(value)
    if argument == "sheet":
        return _check_sheet(value)
    if argument == "roles":
        return _check_roles(value)
    if argument in ("header", "rows", "sections"):
        return _check_rows(argument, value)
    if argument == "fill_down":
        letters = (
            re.split(r"[\s,;]+", value.strip()) if isinstance(value, str) else check_list(argument, value, "columns")
        )
        return tuple(_check_letter(argument, letter) for letter in letters if letter)
    if argument in ("score", "train_score") and not isinstance(value, str):
        names = check_list(argument, value, f"{column}, or a list of names")
        return [check_text(argument, name, column) for name in names]
    if argument in COUNTS and not isinstance(value, str):
        return COUNTS[argument](value)
    return check_text(argument, value, column)


def _check_total(value: Any) -> float:
    total = check_real_number("total", value)
    if not 1 <= total < 2**53:
        raise RequestError(f"must be a number of examples, at least 1, got {total:g}.", argument="total")
    return total


def _check_sheet(value: Any) -> str:
    wanted = "the name or number of a sheet"
    if isinstance(value, str):
        return check_text("sheet", value, wanted)
    try:
        return str(check_whole_number("sheet", value, least=0))
    except RequestError:
        raise RequestError(f"must be {wanted}, got {format_value(value)}.", argument="sheet") from None


def _check_letter(argument: str, value: Any) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"[A-Za-z]{1,3}", value.strip()):
        raise RequestError(
            f"must name columns by their letters, such as A or AB, got {format_value(value)}.", argument=argument
        )
    return value.strip().upper()


def _check_roles(value: Any) -> dict[str, str]:
    """Roles by the letters of columns, given as a mapping or as text: A=size, C=score."""
    if isinstance(value, str):
        pairs = [part.partition("=")[::2] for part in re.split(r"[,;]", value) if part.strip()]
    elif isinstance(value, Mapping):
        pairs = list(value.items())
    else:
        raise RequestError(
            f"must be roles of columns, such as A=size,C=score, got {format_value(value)}.", argument="roles"
        )
    roles = {_check_letter("roles", letter): str(role).strip() for letter, role in pairs}
    for role in roles.values():
        check_choice("roles", role, tuple(ROLES) + tuple(one.replace(" ", "_") for one in ABOUT[1:]))
    return roles


def _check_rows(argument: str, value: Any) -> tuple[int, ...]:
    """Numbers of rows, given one by one or as text: 4-19, 22."""
    if not isinstance(value, str):
        numbers = check_list(argument, [value] if isinstance(value, int) else value, "numbers of rows")
        return tuple(dict.fromkeys(check_whole_number(argument, number, least=-1) for number in numbers))
    found: list[int] = []
    for part in filter(None, (part.strip() for part in re.split(r"[,;]", value))):
        ends = re.fullmatch(r"(-?\d{1,7})(?:\s*(?:-|–|to|:)\s*(\d{1,7}))?", part)
        if ends is None or (ends[2] and int(ends[2]) < int(ends[1])):
            raise RequestError(f"must be numbers of rows, such as 4-19 or 4,6,9, got {value!r}.", argument=argument)
        found += range(int(ends[1]), int(ends[2] or ends[1]) + 1)
    return tuple(dict.fromkeys(found))


@dataclass(frozen=True)
class Column:
    """A column of a sheet: its letter, its name, and what it holds (see `ROLES`)."""

    letter: str
    name: str
    role: str


@dataclass(frozen=True)
class Interpretation:
    """The role of every row and column of a sheet; `as_settings` reads the same sheet in the same way again."""

    columns: tuple[Column, ...] = ()
    header: tuple[int, ...] = ()
    """Numbers of the rows that name the columns."""
    rows: tuple[int, ...] = ()
    """Numbers of the rows that hold measurements."""
    sections: tuple[int, ...] = ()
    """Numbers of the rows that name the block beneath them."""
    set_aside: Mapping[int, str] = field(default_factory=dict)
    """Why other rows are not used, by their numbers: title, note, summary, no score, unfinished run."""
    metric: str = UNNAMED
    unit: str | None = None
    direction: str | None = None
    """Which way is better, where that was said."""
    decimal_sign: str = "."
    per_cent: bool = False
    """Whether numbers without a sign are per cents by the word of the caller or of the title."""
    each_column: str | None = None
    """What each of several columns of scores is: a split or a model."""
    fill_down: tuple[str, ...] = ()
    """Letters of the columns whose empty cells were filled with the entry above them."""
    transposed: bool = False
    """Whether rows of the sheet are taken for columns."""
    total: float | None = None
    """The number of examples that sizes are shares of."""
    sheet: str | None = None
    said: TableSettings = TableSettings()
    """What the caller said."""

    def as_settings(self) -> dict[str, Any]:
        """Everything that was decided, as settings of `apexgp.read`."""
        own: dict[str, Any] = {name: value for name, value in vars(self.said).items() if value is not None}
        for name in ("size", "score", "split", "task", "train_score", "score_sd"):
            own.pop(name, None)
        own = {
            name: value
            for name, value in own.items()
            if name not in COUNTS or not isinstance(value, str) or value == "several"
        }
        own |= {
            "roles": {column.letter: column.role for column in self.columns},
            "header": self.header,
            "rows": self.rows,
            "sections": self.sections,
            "fill_down": self.fill_down,
            "transposed": self.transposed,
            "decimal_sign": self.decimal_sign,
        }
        optional = {
            "sheet": self.sheet,
            "total": self.total,
            "each_column": self.each_column,
            "per_cent": self.per_cent or None,
        }
        if self.metric != UNNAMED and not any(column.role == "metric" for column in self.columns):
            optional["metric"] = self.metric
        own |= {name: value for name, value in optional.items() if value is not None}
        return own
