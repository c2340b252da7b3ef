"""Cells as people write them: numbers with per cent signs, decimal commas and thousands apart; gaps; formulas."""

from __future__ import annotations

import math
import re
from decimal import Decimal

from .._check import format_value

__all__ = [
    "LONGEST_CELL",
    "as_text",
    "before_interval",
    "holds_number",
    "is_blank",
    "is_cut",
    "looks_like_a_date",
    "looks_numeric",
    "number_in",
    "restore_text",
    "shorten",
    "too_long",
    "uses_decimal_commas",
    "with_spread",
]

LONGEST_CELL = 2000
"""Characters of a cell that are read: no number, name or remark has as many."""
_CUT = " ..."

# What people and spreadsheets put where there is no value.
_BLANK = frozenset(
    {
        *("", "na", "n/a", "#n/a", "nan", "null", "none", "<na>", "-", "–", "—", "?", "#div/0!", "#value!"),
        *("pending", "missing", "tbd", "n.a.", "n.d.", "nd", "ausstehend", "offen", "fehlt", "k.a.", "k. a."),
        *("en attente", "manquant", "n.c."),
    }
)
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?\s*%?")
_COMMA_GROUPS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")
_POINT_GROUPS = re.compile(r"[1-9]\d{0,2}(\.\d{3})+")
_SPACE_GROUPS = re.compile(r"[1-9]\d{0,2}([ '’\u00a0\u2009\u202f]\d{3})+")
_NUMBER = re.compile(r"[+-]?(\d+([.,' \u00a0]\d+)*[.,]?|[.,]\d+)([eE][+-]?\d+)?\s*%?")
_PLUS_MINUS = re.compile(r"±|\+\s*/\s*[-\u2212]|\+[-\u2212]|\\pm\b")
# Possessive, since a run of spaces that may belong to either of two neighbours takes forever where neither fits.
_BRACKETED = r"[(\[]\s*+{}\s*+[)\]]\s*+(%?)"
_IN_BRACKETS = r"(?:\d++(?:[.,]\d++)?|[.,]\d++)\s*+%?"
_SPREAD = re.compile(
    rf"({_IN_BRACKETS})\s*+" + _BRACKETED.format(rf"(?:sd|s\.d\.|±)?\s*+=?\s*+({_IN_BRACKETS})"), re.IGNORECASE
)
_INTERVAL = re.compile(
    rf"({_IN_BRACKETS})\s*+,?\s*+"
    + _BRACKETED.format(
        rf"(?:\d\d(?:\.\d++)?\s*+%\s*+)?(?:CI|CrI)?\s*+[:,=]?\s*+({_IN_BRACKETS})\s*+(?:-|–|—|\u2212|to|,|;|\.\.)\s*+({_IN_BRACKETS})"
    ),
    re.IGNORECASE,
)
# What may stand around a number of things: n = 60, 60 patients (12 %).
_BEFORE_THINGS = re.compile(r"n\s*+[=:]\s*+", re.IGNORECASE)
_THINGS = re.compile(r"(?<=\d)\s++[^\W\d_][^\W_]*\.?\Z")
_THOUSANDS = re.compile(r"(\d++(?:[.,]\d++)?)\s?k", re.IGNORECASE)
_SHARE_BEHIND = re.compile(r"\(\d++(?:[.,]\d++)?\s*+%\)\Z")
# The other sign, before exactly three digits. No program writes a fraction with a nought at its end.
_OR_COMMA_GROUP = re.compile(r"[1-9]\d{0,2},\d{3}")
_OR_POINT_GROUP = re.compile(r"[1-9]\d{0,2}\.\d\d0")
_DATE = re.compile(r"(\d{4}([-/.])\d{1,2}\2\d{1,2}|\d{1,2}([-/.])\d{1,2}\3(\d{4}|\d{2}))([T ]\d{1,2}:\d\d.*)?")


def shorten(cell: str) -> str:
    """A cell of at most `LONGEST_CELL` characters; one that is cut ends with a mark that no number has."""
    return cell if len(cell) <= LONGEST_CELL else f"{cell[: LONGEST_CELL - len(_CUT)]}{_CUT}"


def is_cut(cell: str) -> bool:
    """Whether a cell was too long to be read whole."""
    return len(cell) == LONGEST_CELL and cell.endswith(_CUT)


def too_long(cell: str) -> str:
    """Why a name that was cut cannot be used: others may begin alike."""
    return f"expected a name of fewer than {LONGEST_CELL:,} characters, got {format_value(cell)}. Shorten it."


def number_in(cell: str, *, decimal_comma: bool, counts: bool = False, point_groups: bool = False) -> float:
    """The number that a cell holds; a ValueError says, as a hint, why it holds none.

    Parameters
    ----------
    cell
        The text.
    decimal_comma
        Whether the file has decimal commas.
    counts
        Whether it is a number of things: then thousands may be set apart, where that cannot mean anything else.
    point_groups
        Whether 1.600 counts sixteen hundred things.
    """
    text = cell.replace("\u2212", "-").strip()
    if counts:
        text = _without_things(text)
        if thousands := _THOUSANDS.fullmatch(text):  # 2.5k
            return float(Decimal(thousands[1].replace(",", ".")).scaleb(3))
        text = _join_groups(text, decimal_comma, point_groups)
    share, text = text.endswith("%"), text.removesuffix("%").rstrip()
    if decimal_comma:
        if re.fullmatch(r"[+-]?\d+\.\d+", text):
            meant = " or ".join((text.replace(".", ""), text.replace(".", ",")))
            raise ValueError(
                f"It has a decimal point in a file with decimal commas. Write {meant}, whichever is meant."
            )
        text = text.replace(",", ".")
    try:
        value = float(text)
        return float(Decimal(text).scaleb(-2)) if share and math.isfinite(value) else value
    except ValueError:
        grouped = re.search(r"\d[,' \u00a0]\d", text)
        raise ValueError("Use a decimal point and no thousands separators." if grouped else "") from None


def _without_things(text: str) -> str:
    """The number of a cell that says what it counts: 60 for n = 60 and for 60 patients (12 %)."""
    if before := _BEFORE_THINGS.match(text):
        text = text[before.end() :]
    for behind in (_SHARE_BEHIND, _THINGS):
        if found := behind.search(text):
            text = text[: found.start()].rstrip()
    return text


def _join_groups(text: str, decimal_comma: bool, point_groups: bool) -> str:
    """A number of things without signs between its thousands; refuses one that may be read in two ways."""
    if _SPACE_GROUPS.fullmatch(text):
        return re.sub(r"\D", "", text)
    if (_POINT_GROUPS if decimal_comma else _COMMA_GROUPS).fullmatch(text):
        return re.sub(r"\D", "", text)
    if point_groups and _POINT_GROUPS.fullmatch(text):
        return re.sub(r"\D", "", text)
    if (_OR_COMMA_GROUP if decimal_comma else _OR_POINT_GROUP).fullmatch(text):
        sign = "," if decimal_comma else "."
        one, many = text.split(sign)
        fraction = f"{one}{sign}{many.rstrip('0')}".rstrip(sign)
        raise ValueError(f"It could be read as {fraction} or as {one}{many}. Write {one}{many} if that is meant.")
    return text


def uses_decimal_commas(cells: list[str], *, between_commas: bool) -> bool:
    """Whether numbers among cells have decimal commas rather than commas between thousands.

    In a file whose cells commas part, three digits behind one are thousands.
    """
    with_comma = [cell for cell in cells if _DECIMAL_COMMA.fullmatch(cell)]
    if not with_comma:
        return False
    if not all(_COMMA_GROUPS.fullmatch(cell) for cell in with_comma):
        return True
    return not between_commas and not any(re.fullmatch(r"[+-]?\d*\.\d+\s*%?", cell) for cell in cells)


def is_blank(cell: str) -> bool:
    """Whether a cell says that there is no value."""
    return cell.strip().casefold() in _BLANK


def looks_numeric(cell: str) -> bool:
    """Whether a cell is a number in one notation or another."""
    return _NUMBER.fullmatch(cell.strip()) is not None and not looks_like_a_date(cell)


def with_spread(cell: str) -> tuple[str, str] | None:
    """The number of a cell such as 0.71 ± 0.02, (71 +/- 2) % or 0.71 (0.02), and its spread; None for other cells."""
    text = cell.strip().strip("$").strip()
    if bracketed := _SPREAD.fullmatch(text):
        number, spread, sign = (part.strip() for part in bracketed.groups())
        # A number in brackets that is about as large counts something, or ranks it.
        return (number + sign, spread + sign) if _value(spread) <= _value(number) / 2 else None
    if enclosed := re.fullmatch(r"\((.*)\)\s*(%?)", text):
        text = enclosed[1] + enclosed[2]
    parts = [part.strip() for part in _PLUS_MINUS.split(text)]
    if len(parts) != 2 or not all(map(looks_numeric, parts)):
        return None
    number, spread = parts
    # 71.2 ± 2.1 % has one sign for both.
    return (f"{number}%" if spread.endswith("%") and not number.endswith("%") else number), spread


def before_interval(cell: str) -> str | None:
    """The number of a cell such as 0.71 (0.66-0.76) or 71 % [95 % CI 66, 76]; None for other cells."""
    found = _INTERVAL.fullmatch(cell.strip())
    if found is None:
        return None
    number, low, high, sign = (part.strip() for part in found.groups())
    if not _value(low) <= _value(number) <= _value(high):
        return None
    # 71 (66-76 %) has one sign for all.
    per_cent = "%" in (sign, low[-1], high[-1]) and not number.endswith("%")
    return f"{number}%" if per_cent else number


def holds_number(cell: str) -> bool:
    """Whether a cell is a number, alone or with a spread or an interval behind it."""
    return looks_numeric(cell) or with_spread(cell) is not None or before_interval(cell) is not None


def _value(text: str) -> float:
    """A number in either notation, to be compared with others of its cell."""
    return float(text.removesuffix("%").replace(",", "."))


def looks_like_a_date(cell: str) -> bool:
    """Whether a cell is a day, with or without a time."""
    return _DATE.fullmatch(cell.strip()) is not None


# Texts that a spreadsheet would run: a name such as =HYPERLINK(...) in a table of ours is opened by whoever it is sent
# to. They are written with a quote before them, and read without it.
_RUN = re.compile(r"'*[=+\-@\t\r]")
_QUOTED = re.compile(r"'+[=+\-@\t\r]")
_PLAIN_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?%?|[+-](inf|nan)", re.IGNORECASE)


def as_text(cell: object) -> object:
    """A cell that no spreadsheet takes for a formula; numbers stay as they are."""
    if isinstance(cell, str) and _RUN.match(cell) and not _PLAIN_NUMBER.fullmatch(cell):
        return f"'{cell}"
    return cell


def restore_text(cell: str) -> str:
    """The cell that `as_text` was given."""
    return cell[1:] if _QUOTED.match(cell) and not _PLAIN_NUMBER.fullmatch(cell[1:]) else cell
