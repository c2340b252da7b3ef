"""The table in a sheet: rows that name columns, rows of cells beneath them, notes around them.

A sheet made for people names a column on more than one row, or not at all. Columns that are named alike under different
headings are stacked, and so are tables that stand side by side or one below the other: what tells them apart becomes a
column. So the rest of the reader knows one kind of table.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, groupby, pairwise
from typing import Any, Protocol

from .._check import format_some, format_value
from ..errors import DataError, Fault
from .cells import before_interval, holds_number, is_blank, looks_numeric, number_in, uses_decimal_commas, with_spread
from .files import Sheet, load_sheet, one_line
from .names import (
    TRAINING,
    counts_training_examples,
    known_metric,
    may_count_examples,
    metric_name,
    plain_name,
    without_split,
)

__all__ = [
    "Block",
    "Layout",
    "Table",
    "build_table",
    "column_letter",
    "is_header",
    "lay_out",
    "read_table",
    "refuse_longer_rows",
    "refuse_numbers_as_names",
    "size_in_name",
]

_HEADER_WITHIN = 15  # rows: a table may have a title and a few words above it
_UNIT = re.compile(
    r"[(\[].*[)\]]|%|per ?cent|patients|examples|cases|images|samples|rows|patienten|fälle", re.IGNORECASE
)
_PARTS_OF_DATA = TRAINING | {"test", "testing", "val", "valid", "validation", "holdout"}
_SIZE_AS_NAME = re.compile(
    r"(?:n\s*+=\s*+)?\d[\d.,'’\u00a0\u2009\u202f]*+(?:\s\d{3})*+k?(?:\s*+[^\W\d_][^\W_]*+\.?)?", re.IGNORECASE
)
_PLAIN_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True)
class Table:
    """Named columns of text cells; `lines` holds each row's line in the file, or what `place` says that it is."""

    path: str
    columns: dict[str, list[str]]
    lines: list[int]
    decimal_comma: bool = False
    place: str = "line"
    notes: tuple[str, ...] = ()
    spreads: Mapping[str, str] = field(default_factory=dict)
    """Where cells held numbers behind ±: the column of the spreads, by the one they stood in."""
    intervals: frozenset[str] = frozenset()
    """The columns whose cells held intervals, which are not used."""
    under: tuple[str, ...] = ()
    """The heading that each row stood under; empty where there were none."""
    unnamed: Mapping[str, str] = field(default_factory=dict)
    """Columns of numbers without a name of their own, as they are called here: the name to their left."""
    title: str | None = None
    """What stands above the table."""
    point_groups: bool = False
    """Whether 1.600 counts sixteen hundred things."""
    sheet_columns: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """The columns of the sheet, from 0, that each column was made of; none for those that stand for headings."""
    sizes_are_names: bool = False
    """Whether the sizes were names of columns."""

    def where(self, row: int, column: str) -> str:
        """A cell, for messages."""
        under = f" under {self.under[row]!r}" if self.under and self.under[row] else ""
        return f"{self.path}, {self.place} {self.lines[row]}, column {column!r}{under}"

    def rows(self, rows: Sequence[int]) -> Table:
        """The table with these rows alone."""
        return replace(
            self,
            columns={name: [cells[i] for i in rows] for name, cells in self.columns.items()},
            lines=[self.lines[i] for i in rows],
            under=tuple(self.under[i] for i in rows) if self.under else (),
        )

    def with_columns(self, columns: Mapping[str, list[str]]) -> Table:
        """The table with these columns in the place of its own, or beside them."""
        return replace(self, columns={**self.columns, **columns})

    def fault(self, row: int, column: str, why: str) -> DataError:
        """The error of a cell."""
        return DataError(why, where=self.where(row, column), faults=[Fault(self.lines[row], column, why)])

    def numbers(
        self,
        column: str,
        *,
        blank: float | None = None,
        counts: bool = False,
        faults: _Faults | None = None,
        otherwise: str = "leave out this row",
    ) -> list[float]:
        """A column as numbers, of things if it `counts`; an empty cell is `blank`, or at fault where that is None.

        A cell at fault is an error, or NaN where `faults` are collected; `otherwise` says what to do with it if the
        number is not known.
        """
        return [
            blank if blank is not None and is_blank(cell) else self._number(row, column, counts, faults, otherwise)
            for row, cell in enumerate(self.columns[column])
        ]

    def number(self, cell: str, *, counts: bool = False) -> float:
        """The number in a cell of this table; a ValueError says, as a hint, why there is none."""
        return number_in(cell, decimal_comma=self.decimal_comma, counts=counts, point_groups=self.point_groups)

    def _number(self, row: int, column: str, counts: bool, faults: _Faults | None, otherwise: str) -> float:
        cell = self.columns[column][row]
        remedy: tuple[Any, ...] = ()
        try:
            if cell:
                return self.number(cell, counts=counts)
            why = f"the cell is empty. Fill it in, or {otherwise}."
        except ValueError as hint:
            why = f"expected a number, got {format_value(cell)}. {str(hint) or f'Correct it, or {otherwise}.'}"
            if "could be read as" in why and "." in cell:
                remedy = ("If that is meant throughout, use {}.", ("point_groups", True))
        if faults is None:
            raise self.fault(row, column, why)
        faults.add(row, column, why, remedy)
        return math.nan


class _Faults(Protocol):
    """Where faults of cells are collected."""

    def add(self, row: int, column: str, why: str, remedy: Any = ()) -> None: ...


def column_letter(index: int) -> str:
    """A column as spreadsheets call it: 0 is A, 26 is AA."""
    letters, index = "", index + 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def size_in_name(name: str, *, decimal_comma: bool = False) -> float | None:
    """The size that a column is named by: 60, n=60, 1 200 lames; None for other names."""
    if not _SIZE_AS_NAME.fullmatch(name.strip()):
        return None
    try:
        size = number_in(name, decimal_comma=decimal_comma, counts=True, point_groups=True)
    except ValueError:
        return None
    return size if size >= 1 and size.is_integer() else None


def is_header(cells: Sequence[str]) -> bool:
    """Whether a row names the columns of a table of measurements: one of them counts training examples."""
    filled = [cell for cell in cells if cell]
    if len(filled) < 2 or _are_units(filled) or (len(filled) == 2 and any(map(looks_numeric, filled))):
        return False
    if any(map(counts_training_examples, filled)):
        return True
    return any(map(may_count_examples, filled)) and not any(map(looks_numeric, filled))


def _are_units(cells: Iterable[str]) -> bool:
    """Whether all cells of a row are units of the names above them: (patients), %."""
    filled = [cell for cell in cells if cell]
    return bool(filled) and all(_UNIT.fullmatch(cell) for cell in filled)


def names_sizes(cells: Sequence[str], below: Sequence[str]) -> bool:
    """Whether a row names columns by rising sizes, and scores stand in the row below."""
    filled = [cell for cell in cells if cell]
    sizes = [size_in_name(cell) for cell in filled]
    own = [size for size in sizes if size is not None]
    labels = len(filled) - len(own)
    rising = len(own) > 1 and all(one < other for one, other in pairwise(own))
    scores = [cell for cell, name in zip(below, cells, strict=False) if size_in_name(name) and holds_number(cell)]
    whole = [cell for cell in scores if re.fullmatch(r"\d+", cell)]
    return rising and labels <= len(own) and bool(scores) and len(whole) < len(scores)


@dataclass(frozen=True)
class Block:
    """A part of a sheet with names over its columns: the rows of its header, and those beneath them, by their place."""

    header: tuple[int, ...]
    body: tuple[int, ...]
    title: str = ""
    """What stands above it alone, where several blocks stand one below the other."""
    names: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    """What tells columns of the same name apart, over each column; empty where nothing does."""
    kind: str | None = None
    """What the headings are: models, splits or metrics."""
    above: tuple[str, ...] = ()
    """The lines between this block and the one before it."""
    unnamed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Layout:
    """Which rows of a sheet are what: blocks of header and cells, titles of blocks, and lines around them."""

    blocks: tuple[Block, ...]
    above: tuple[str, ...] = ()
    """The lines above the table that are no part of it."""
    sections: tuple[int, ...] = ()
    """Rows that name the block beneath them."""


def lay_out(
    sheet: Sheet,
    *,
    header: Collection[int] | None = None,
    sections: Collection[int] | None = None,
    ignored: Collection[int] = (),
    finds_header: Callable[[Sequence[str]], bool] = is_header,
) -> Layout:
    """Propose which rows name the columns, and how columns are told apart.

    Parameters
    ----------
    sheet
        The grid.
    header
        Places of the rows that name the columns, where that is known; empty where none does.
    sections
        Places of the rows that name the block beneath them, where that is known.
    ignored
        Columns to leave out.
    finds_header
        Tells the row that names the columns.
    """
    grid = [[("" if i in ignored else cell) for i, cell in enumerate(row)] for row in sheet.rows]
    spans: dict[int, list[tuple[int, int]]] = {}
    for line, left, right in sheet.spans:
        spans.setdefault(sheet.index.get(line, -1), []).append((left, right))
    if header is not None:
        runs = _consecutive(sorted(header))
    elif sheet.is_named:
        runs = [[0]]
    else:
        runs = [[i] for i in _header_rows(grid, finds_header)]
    starts = [run[0] for run in runs] or [0]
    if sections is None and sheet.sections:
        sections = [sheet.index[line] for line in sheet.sections]
    whole = sheet.rows  # a title may stand in a column that is left out
    found = _find_sections(whole, runs) if sections is None else {i: _only_cell(whole[i]) for i in sections}
    blocks: list[Block] = []
    for number, run in enumerate(runs or [[]]):
        end = starts[number + 1] if number + 1 < len(starts) else len(grid)
        block = _name_columns(sheet, grid, spans, run, end, exact=header is not None)
        first = min(block.header, default=0)
        before = range(first) if number == 0 else _wordy_rows(grid, blocks[-1].body)
        if number > 0:  # what stands between two blocks belongs to the second
            between = set(before)
            blocks[-1] = replace(blocks[-1], body=tuple(i for i in blocks[-1].body if i not in between))
        lines = [[cell for cell in grid[i] if cell] for i in before if i not in found]
        block = replace(block, above=tuple(", ".join(cells) for cells in lines if cells))
        blocks += _part_by_sections(block, found)
    return Layout(tuple(blocks), blocks[0].above, tuple(sorted(found)))


def _wordy_rows(grid: list[list[str]], body: Sequence[int]) -> list[int]:
    """The rows at the end of a block that hold no more than one number: words above the next one."""
    last = max((i for i in body if sum(map(holds_number, grid[i])) > 1), default=-1)
    return [i for i in body if i > last]


def _consecutive(rows: Sequence[int]) -> list[list[int]]:
    """Rows in runs of neighbours."""
    runs = groupby(enumerate(rows), key=lambda pair: pair[1] - pair[0])
    return [[row for _, row in run] for _, run in runs]


def _header_rows(grid: list[list[str]], finds_header: Callable[[Sequence[str]], bool]) -> list[int]:
    """The rows that name columns: the first that does, or else the first with two cells or more; and repetitions."""
    comments = [row[0].startswith("#") for row in grid]  # lines of them do not count; `# samples` may be a name
    before = accumulate(comments, initial=0)
    near = [i for i, passed in zip(range(len(grid)), before, strict=False) if i - passed < _HEADER_WITHIN]
    several = [i for i in near if sum(map(bool, grid[i])) > 1 and not comments[i]]

    def names(i: int) -> bool:
        below = grid[i + 1] if i + 1 < len(grid) else []
        return finds_header(grid[i]) or (_are_units(below) and finds_header(_join_units(grid[i], below)))

    def sizes(i: int) -> bool:
        return i + 1 < len(grid) and names_sizes(grid[i], grid[i + 1])

    first = next((i for i in near if names(i)), None)
    first = next((i for i in near if sizes(i)), None) if first is None else first
    if first is None:
        return [several[0] if several else 0]
    label = next(filter(None, grid[first]))

    def again(i: int) -> bool:
        if grid[i] == grid[first]:
            return True
        if any(map(holds_number, grid[i])):
            return label in grid[i] and sizes(first) and sizes(i)
        return names(i)

    return [first, *filter(again, range(first + 2, len(grid)))]


def _only_cell(row: Sequence[str]) -> str:
    """The only filled cell of a row, as a title; empty where there are others."""
    filled = [cell for cell in row if cell]
    if len(filled) != 1 or holds_number(filled[0]):
        return ""
    what, colon, name = filled[0].partition(":")
    own = name if colon and name.strip() and len(what.split()) < 3 else filled[0]  # Model: ResNet
    return one_line(own.strip(" :"), 120)


def _find_sections(grid: Sequence[Sequence[str]], runs: Sequence[Sequence[int]]) -> dict[int, str]:
    """Rows with one cell of words that stand above a block of cells, with their words; none unless there are several.

    Where the header is repeated, each stands right above one, the first too; else each above cells, the first ones too.
    """
    if len(runs) > 1:
        above = {run[0] - 1: _only_cell(grid[run[0] - 1]) for run in runs if run[0] > 0}
        titles = [title for title in above.values() if title]
        return above if len(titles) == len(runs) == len(set(titles)) else {}
    if not runs:
        return {}
    body = range(runs[0][-1] + 1, len(grid))
    numbers = {i for i in body if sum(map(holds_number, grid[i])) > 1}
    found = {i: title for i in body if i + 1 in numbers and (title := _only_cell(grid[i]))}
    if len(found) < 2 or len(set(found.values())) < len(found) or min(found) > min(numbers):
        return {}
    return found


def _part_by_sections(block: Block, sections: Mapping[int, str]) -> list[Block]:
    """A block parted at the rows that name what stands beneath them."""
    first = min((*block.header, *block.body), default=0)
    title = sections[max(i for i in sections if i < first)] if any(i < first for i in sections) else ""
    parts: list[tuple[str, list[int]]] = [(title, [])]
    for i in block.body:
        if i in sections:
            parts.append((sections[i], []))
        else:
            parts[-1][1].append(i)
    filled = [(title, body) for title, body in parts if body] or parts[:1]
    return [replace(block, body=tuple(body), title=title) for title, body in filled]


def _name_columns(
    sheet: Sheet,
    grid: list[list[str]],
    spans: dict[int, list[tuple[int, int]]],
    run: Sequence[int],
    end: int,
    *,
    exact: bool,
) -> Block:
    """Name the columns of a block from the rows of its header, and from those beside them unless these are `exact`."""
    if not run:
        names, headings, header, body = [""] * sheet.width, list[str](), list[int](), 0
    elif exact:
        names, headings, header = _names_exactly(grid, spans, run)
        body = run[-1] + 1
    elif sheet.is_named:
        names, headings, header, body = list(grid[0]), [], [0], 1
    else:
        names, headings, over, body = _names(grid, spans, run[0], end)
        header = [*([over] if headings else []), *range(run[0], body)]
    rows = [i for i in range(body, end) if i not in header]
    cells = [grid[i] for i in rows]
    if not sheet.is_named:
        names = _number_names(names, spans.get(body - 1, []))
    unnamed = dict[str, str]() if sheet.is_named else _name_the_nameless(names, cells)
    above = header[0] if header and (headings or exact) else header[0] - 1 if header else -1
    over_row = grid[above] if above >= 0 and above < body - 1 else []
    groups, kind, used = _groups(names, headings, over_row)
    if kind is None and headings and not used:
        header = header[1:] if len(header) > 1 and not exact else header
    elif used and header and header[0] > 0 and not headings and any(cell in used for cell in grid[header[0] - 1]):
        header = [header[0] - 1, *header]
    if kind is None and not sheet.is_named:
        _tell_apart(names, unnamed)
    headings_kept = tuple(groups if kind else ())
    return Block(tuple(header), tuple(rows), "", tuple(names), headings_kept, kind, unnamed=unnamed)


def _names_exactly(
    grid: list[list[str]], spans: dict[int, list[tuple[int, int]]], run: Sequence[int]
) -> tuple[list[str], list[str], list[int]]:
    """Names and headings from rows that are known to be the header: units under names, headings above them."""
    rows = list(run)
    units = len(rows) > 1 and _are_units(grid[rows[-1]])
    own = rows[-2] if units else rows[-1]
    names = list(grid[own])
    if units:
        names = _join_units(names, grid[rows[-1]])
    over = [row for row in rows if row < own]
    if not over:
        return names, [], rows
    full = [name or grid[over[-1]][i] for i, name in enumerate(names)]
    above = _headings(grid, spans, over[-1], full)
    headings = [heading if names[i] and heading != full[i] else "" for i, heading in enumerate(above)]
    return full, headings if any(headings) else [], rows


def _names(
    grid: list[list[str]], spans: dict[int, list[tuple[int, int]]], first: int, end: int
) -> tuple[list[str], list[str], int, int]:
    """The names of the columns, the heading over each (none: an empty list), their row, and that of the first cells."""
    names, below = grid[first], grid[first + 1] if first + 1 < end else []
    sizes = [i for i, name in enumerate(names) if counts_training_examples(name) or may_count_examples(name)]
    wordy = len(list(filter(None, below))) > 0 and not any(map(holds_number, below))
    if wordy and _are_units(below):
        joined = _join_units(names, below)
        return joined, _headings(grid, spans, first - 1, joined), first - 1, first + 2
    of_size = [below[i] for i in sizes if below[i] != names[i]] if wordy else []
    if wordy and sum(map(bool, below)) > 1 and sizes and (not any(of_size) or _are_units(of_size)):
        lower = [below[i] or names[i] for i in range(len(names))]
        headings = _headings(grid, spans, first, lower)
        own = [heading if below[i] and heading != lower[i] else "" for i, heading in enumerate(headings)]
        for i in sizes:
            lower[i], own[i : i + 1] = _join_units([names[i]], [below[i] if below[i] != names[i] else ""])[0], [""]
        if any(own):
            units = grid[first + 2] if first + 2 < end and _are_units(grid[first + 2]) else None
            joined = lower if units is None else _join_units(lower, units)
            return joined, own, first, first + (2 if units is None else 3)
    return list(names), _headings(grid, spans, first - 1, names), first - 1, first + 1


def _join_units(names: Sequence[str], units: Sequence[str]) -> list[str]:
    """Names with the units beneath them, in brackets unless they are: AUC (%)."""
    bracketed = [f"({unit})" if unit and unit[0] not in "([" else unit for unit in units]
    return [f"{name} {unit}".strip() for name, unit in zip(names, bracketed, strict=True)]


def _headings(
    grid: list[list[str]], spans: dict[int, list[tuple[int, int]]], row: int, names: Sequence[str]
) -> list[str]:
    """What stands over each column in a row, over several where cells are merged or the next are empty.

    What stands over the sizes is a title of the whole.
    """
    if row < 0:
        return []
    over = [""] * len(names)
    last = {left: right for left, right in spans.get(row, [])}
    for left in [i for i, cell in enumerate(grid[row]) if cell]:
        right = last.get(left, left)
        while not last and right + 1 < len(names) and not grid[row][right + 1] and names[right + 1]:
            right += 1
        if not any(counts_training_examples(name) for name in names[left : right + 1]):
            over[left : right + 1] = [grid[row][left]] * (right + 1 - left)
    return over if any(over) else []


def _number_names(names: Sequence[str], spans: Sequence[tuple[int, int]]) -> list[str]:
    """Names with numbers, for the columns that share a merged one: AUC over three columns is AUC 1, AUC 2, AUC 3."""
    named = list(names)
    for left, right in spans:
        if names[left] and not any(names[left + 1 : right + 1]):
            named[left : right + 1] = [f"{names[left]} {i + 1}" for i in range(right + 1 - left)]
    return named


def _name_the_nameless(names: list[str], cells: list[list[str]]) -> dict[str, str]:
    """Call columns that have cells but no name as spreadsheets do; row numbers are left out.

    Gives the columns of numbers among them, each with the name to its left.
    """
    unnamed: dict[str, str] = {}
    has_names = any(names)
    for i in [i for i, name in enumerate(names) if not name]:
        filled = [row[i] for row in cells if not is_blank(row[i])]
        if not filled:
            continue
        before = not any(map(counts_training_examples, names[:i]))
        whole = [int(cell) for cell in filled if re.fullmatch(r"\d{1,15}", cell)]
        if before and len(whole) == len(cells) and whole == sorted(set(whole)) and has_names:
            continue  # what spreadsheets and data frames write before the rows, and no measurement
        names[i] = f"column {column_letter(i)}"
        if all(map(holds_number, filled)):
            unnamed[names[i]] = next((name for name in reversed(names[:i]) if name not in unnamed), "")
    return unnamed


def _groups(
    names: list[str], headings: Sequence[str], above: Sequence[str]
) -> tuple[list[str], str | None, Collection[str]]:
    """What tells columns of the same name apart, over each column, what kind of thing it is, and which cells say so.

    The kind is None where nothing does.
    Tables that stand side by side, each with its sizes, are told apart by what stands over them, or counted. Headings
    that say no more than what was measured, or on which part of the data, go into the names.
    """
    repeated = {name for name, times in Counter(names).items() if name and times > 1}
    starts = [i for i, name in enumerate(names) if name in repeated and counts_training_examples(name)]
    if len(starts) > 1:
        beginning = next(i for i, name in enumerate(names) if name)
        if names.count(names[beginning]) == len(starts):  # the sizes need not come first
            starts = [i for i, name in enumerate(names) if name == names[beginning]]
        blocks = list(zip(starts, [*starts[1:], len(names)], strict=True))
        titles = [[cell for cell in above[start:end] if cell] for start, end in blocks]
        called = [own[0] for own in titles if len(own) == 1]
        used = called if len(set(called)) == len(blocks) else []
        called = used or [f"table {number + 1}" for number in range(len(blocks))]
        groups = [""] * len(names)
        for own, (start, end) in zip(called, blocks, strict=True):
            groups[start:end] = [own] * (end - start)
        return groups, _kind(groups), used
    over = list(dict.fromkeys(filter(None, headings)))
    under = [(heading, name) for heading, name in zip(headings, names, strict=True) if heading and name] if over else []
    of_data = all(len(words := plain_name(one).split()) < 4 and {*words} & _PARTS_OF_DATA for one in over)
    if over and (of_data or (len(over) == 1 and known_metric(over[0]))):
        short = {one: one if len(one.split()) < 4 else metric_name(one) for one in over} | {"": ""}
        pairs = zip(headings, names, strict=True)
        names[:] = [f"{short[heading]} {name}".strip() if name else "" for heading, name in pairs]
        return [], None, over
    if len(over) > 1 and len(set(under)) == len(under) and {name for _, name in under} & repeated:
        return list(headings), _kind(headings), over
    return [], None, []


def _kind(groups: Sequence[str]) -> str:
    """What headings tell apart: metrics, splits, or else models."""
    own = set(filter(None, groups))
    if all(map(known_metric, own)):
        return "metric"
    return "split" if all(without_split(one) == "" for one in own) else "model"


def _tell_apart(names: list[str], unnamed: dict[str, str]) -> None:
    """Give columns of the same name names of their own."""
    seen: set[str] = set()
    for i, name in enumerate(names):
        if name and name in seen:
            names[i] = f"{name} (column {column_letter(i)})"
            unnamed[names[i]] = name
        seen.add(name)


def build_table(
    sheet: Sheet, layout: Layout, *, ignored: Collection[int] = (), decimal_comma: bool | None, point_groups: bool
) -> Table:
    """The table that a layout makes of a sheet: blocks one below the other, what told them apart as columns."""
    parts = [_build_part(sheet, block, ignored) for block in layout.blocks]
    notes = [note for part, _, _, own in parts for note in own]
    columns: dict[str, list[str]] = {}
    titles = [block.title for block in layout.blocks]
    models = (
        _free_name("model", [name for part, *_ in parts for name in part]) if all(titles) and len(titles) > 1 else None
    )
    if models is not None:
        columns[models] = []
        notes.append(f"read the rows above the blocks as models: {', '.join(dict.fromkeys(titles))}.")
    for part, *_ in parts:
        columns |= {name: [] for name in part if name not in columns}
    lines: list[int] = []
    under: list[str] = []
    places: dict[str, tuple[int, ...]] = {}
    for block, (part, own_lines, own_under, _) in zip(layout.blocks, parts, strict=True):
        for name, cells in columns.items():
            cells += [block.title] * len(own_lines) if name == models else part.get(name, [""] * len(own_lines))
        lines += own_lines
        under += own_under or [block.title] * len(own_lines)
        for i, name in enumerate(block.names):
            if name:
                places[name] = tuple(dict.fromkeys((*places.get(name, ()), i)))
    heading = next((line.lstrip("# ") for line in map(one_line, layout.above) if line.strip("# ")), None)
    if layout.above:
        notes = [f"left out above the table: {one_line(' '.join(layout.above), 80)!r}.", *notes]
    if decimal_comma is None:
        every = (cell for cells in columns.values() for cell in cells)
        parted = [part for cell in every for part in with_spread(cell) or (before_interval(cell) or cell,)]
        decimal_comma = sheet.delimiter is not None and uses_decimal_commas(
            parted, between_commas=sheet.delimiter == ","
        )
    return Table(
        sheet.source,
        columns,
        lines,
        decimal_comma,
        sheet.place,
        (*sheet.notes, *notes),
        title=heading,
        under=tuple(under) if any(under) else (),
        unnamed={name: left for block in layout.blocks for name, left in block.unnamed.items()},
        point_groups=point_groups or sheet.title is not None,  # a workbook writes no nought at the end of a number
        sheet_columns=places,
    )


def _build_part(
    sheet: Sheet, block: Block, ignored: Collection[int]
) -> tuple[dict[str, list[str]], list[int], list[str], list[str]]:
    """Columns, lines, headings and notes of a block."""
    rows = [["" if i in ignored else cell for i, cell in enumerate(sheet.rows[row])] for row in block.body]
    lines, names = [sheet.lines[row] for row in block.body], block.names
    under = [sheet.under[row] for row in block.body] if sheet.under else []
    if block.kind is None:
        return {name: [row[i] for row in rows] for i, name in enumerate(names) if name}, lines, under, []
    over = list(dict.fromkeys(filter(None, block.headings)))
    shared = [i for i, name in enumerate(names) if name and not block.headings[i]]
    every = dict.fromkeys(name for name in names if name)
    columns: dict[str, list[str]] = {block.kind: [], **{name: [] for name in every}}
    kept: list[int] = []
    for heading in over:
        own = [i for i, group in enumerate(block.headings) if group == heading and names[i]]
        where = {names[i]: i for i in (*shared, *own)}
        for line, row in zip(lines, rows, strict=True):
            remark = heading == over[0] and not any(row[i] for i, group in enumerate(block.headings) if group)
            if any(row[i] for i in own) or remark:
                kept.append(line)
                under.append(heading)
                columns[block.kind].append(heading)
                for name in every:
                    columns[name].append(row[where[name]] if name in where else "")
    told = "the splits" if block.kind == "split" else f"the {block.kind}s"
    return columns, kept, under, [f"read the headings above the columns as {told}: {', '.join(over)}."]


def _free_name(name: str, taken: Iterable[str]) -> str:
    return name if name not in set(taken) else f"{name} of each"


def read_table(source: Any, *, sheet: str | None = None) -> Table:
    """Read a delimited text file, or a sheet of a workbook, whose first row names its columns.

    Parameters
    ----------
    source
        Path of the file, or an open file.
    sheet
        Which sheet of a workbook: its name, or its number from 1; None: the first.
    """
    found = load_sheet(source, sheet=sheet)
    names = found.rows[0]
    repeated = {one for one, times in Counter(names).items() if one and times > 1}
    if repeated:
        raise DataError(
            f"{found.source} names column {format_some(sorted(repeated))} more than once. Rename one of them."
        )
    refuse_numbers_as_names(found, 0)
    refuse_longer_rows(found, 0)
    if len(found.rows) == 1:
        raise DataError(f"{found.source} has a header ({', '.join(filter(None, names))}) but no rows.")
    named = replace(found, is_named=True)
    return build_table(named, lay_out(named), decimal_comma=None, point_groups=False)


def refuse_numbers_as_names(sheet: Sheet, row: int) -> None:
    """Refuse a header that is a row of measurements.

    Some columns may be numbered (a wide table); where all are, or by fractions, these are measurements.
    """
    names = [name for name in sheet.rows[row] if name]
    numeric = [name for name in names if _PLAIN_NUMBER.fullmatch(name)]
    if len(numeric) >= 2 and (len(numeric) == len(names) or any("." in name for name in numeric)):
        raise DataError(
            f"{sheet.source} has no header: its first line is {', '.join(names)!r}. Put the column names on the first "
            "line, for instance size,score,split."
        )


def refuse_longer_rows(sheet: Sheet, row: int) -> None:
    """Refuse rows of numbers that are longer than the row of names: commas may be decimal ones."""
    width = max(sheet.lengths[: row + 1], default=0)
    if sheet.delimiter is None:
        return
    for line, cells in zip(sheet.lines[row + 1 :], sheet.rows[row + 1 :], strict=True):
        # A line of words may be a remark beneath the table; where it is not, its cells will be missed as numbers.
        if any(cells[width:]) and any(map(looks_numeric, cells)):
            length = max(i + 1 for i, cell in enumerate(cells) if cell)
            why = f"{length} cells under {width} column names. With decimal commas, separate the columns by semicolons."
            raise DataError(why, where=f"{sheet.source}, {sheet.place} {line}", faults=[Fault(line, None, why)])
