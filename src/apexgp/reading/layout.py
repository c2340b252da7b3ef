"""From the rows of a sheet to named columns: titles, headings over several columns, units, tables side by side.

A sheet made for people names a column on more than one row, or not at all. Columns that are named alike under different
headings are stacked, and the heading becomes a column: so the rest of the reader knows one kind of table.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from .cells import holds_number, is_blank
from .counts import counts_training_examples
from .known_metrics import known_metric, plain_name
from .wide import TRAINING, without_split
from .workbook import Rows, Span

__all__ = ["Laid", "header_row", "lay_out"]

_HEADER_WITHIN = 10  # rows: a table may have a title or two above it
_UNIT = re.compile(r"[(\[].*[)\]]|%|per ?cent|patients|examples|cases|images|samples|rows", re.IGNORECASE)
_PARTS_OF_DATA = TRAINING | {"test", "testing", "val", "valid", "validation", "holdout"}


@dataclass
class Laid:
    """A table whose columns have names."""

    columns: dict[str, list[str]]
    lines: list[int]
    above: list[str] = field(default_factory=list)
    """The lines above the table that are no part of it, or what of them is not."""
    notes: list[str] = field(default_factory=list)
    under: list[str] = field(default_factory=list)
    """The heading that each row stood under; empty where there were none."""
    unnamed: dict[str, str] = field(default_factory=dict)
    """Columns of numbers without a name of their own, as they are called here: the name to their left."""


def header_row(rows: Rows, is_header: Callable[[Sequence[str]], bool]) -> int:
    """Which row names the columns: the first that is a header, or else the first with two cells or more."""
    comments = [cells[0].startswith("#") for _, cells in rows]  # lines of them do not count; `# samples` may be a name
    before = accumulate(comments, initial=0)
    near = [i for i, passed in zip(range(len(rows)), before, strict=False) if i - passed < _HEADER_WITHIN]
    several = [i for i in near if sum(map(bool, rows[i][1])) > 1 and not comments[i]]
    return next((i for i in near if is_header(rows[i][1])), several[0] if several else 0)


def lay_out(rows: Rows, merged: Sequence[Span], is_header: Callable[[Sequence[str]], bool]) -> Laid:
    """The table among the rows of a sheet, which are not empty; `is_header` tells the row that names its columns."""
    width = max(len(cells) for _, cells in rows)
    grid = [[*cells, *[""] * (width - len(cells))] for _, cells in rows]
    index = {line: i for i, (line, _) in enumerate(rows)}
    spans: dict[int, list[tuple[int, int]]] = {}
    for line, left, right in merged:
        spans.setdefault(index.get(line, -1), []).append((left, right))
    first = header_row(rows, is_header)
    laid = Laid({}, [])
    names, headings, over, body = _names(grid, spans, first)
    if body >= len(grid):
        laid.columns = {name: [] for name in names if name}
        return laid
    lines, cells = [line for line, _ in rows[body:]], grid[body:]
    names = _numbered(names, spans.get(body - 1, []))
    _name_the_nameless(laid, names, cells)
    groups, kind, used = _groups(names, headings, grid[over] if over >= 0 else [])
    # Line by line: in a file with commas those of a title divide it.
    above = [[cell for cell in grid[i] if cell and not (i == over and cell in used)] for i in range(first)]
    laid.above = [", ".join(cells) for cells in above if cells]
    if kind is None:
        _tell_apart(laid, names)
        laid.columns, laid.lines = {name: [row[i] for row in cells] for i, name in enumerate(names) if name}, lines
    else:
        _stack(laid, names, groups, kind, lines, cells)
    return laid


def _names(
    grid: list[list[str]], spans: dict[int, list[tuple[int, int]]], first: int
) -> tuple[list[str], list[str], int, int]:
    """The names of the columns, the heading over each (none: an empty list), their row, and that of the first cells."""
    names, below = grid[first], grid[first + 1] if first + 1 < len(grid) else []
    sizes = [i for i, name in enumerate(names) if counts_training_examples(name)]
    wordy = len(list(filter(None, below))) > 0 and not any(map(holds_number, below))
    if wordy and all(_UNIT.fullmatch(cell) for cell in below if cell):
        joined = [f"{name} {unit}".strip() for name, unit in zip(names, below, strict=True)]
        return joined, _headings(grid, spans, first - 1, joined), first - 1, first + 2
    if wordy and sum(map(bool, below)) > 1 and sizes and all(below[i] in ("", names[i]) for i in sizes):
        lower = [below[i] or names[i] for i in range(len(names))]
        headings = _headings(grid, spans, first, lower)
        own = [heading if below[i] and heading != lower[i] else "" for i, heading in enumerate(headings)]
        if any(own):
            return lower, own, first, first + 2
    return names, _headings(grid, spans, first - 1, names), first - 1, first + 1


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


def _numbered(names: list[str], spans: Sequence[tuple[int, int]]) -> list[str]:
    """Names with numbers, for the columns that share a merged one: AUC over three columns is AUC 1, AUC 2, AUC 3."""
    named = list(names)
    for left, right in spans:
        if names[left] and not any(names[left + 1 : right + 1]):
            named[left : right + 1] = [f"{names[left]} {i + 1}" for i in range(right + 1 - left)]
    return named


def _name_the_nameless(laid: Laid, names: list[str], cells: list[list[str]]) -> None:
    """Call columns that have cells but no name as spreadsheets do; row numbers are left out."""
    for i in [i for i, name in enumerate(names) if not name]:
        filled = [row[i] for row in cells if not is_blank(row[i])]
        if not filled:
            continue
        before = not any(map(counts_training_examples, names[:i]))
        whole = [int(cell) for cell in filled if re.fullmatch(r"\d{1,15}", cell)]
        if before and len(whole) == len(cells) and whole == sorted(set(whole)):
            continue  # what spreadsheets and data frames write before the rows, and no measurement
        names[i] = f"column {_letter(i)}"
        if all(map(holds_number, filled)):
            laid.unnamed[names[i]] = next((name for name in reversed(names[:i]) if name not in laid.unnamed), "")


def _letter(index: int) -> str:
    """A column as spreadsheets call it: 0 is A, 26 is AA."""
    letters, index = "", index + 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _groups(
    names: list[str], headings: list[str], above: Sequence[str]
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
    of_data = all(set(plain_name(one).split()) & _PARTS_OF_DATA for one in over)
    if over and (of_data or (len(over) == 1 and known_metric(over[0]))):
        names[:] = [f"{heading} {name}".strip() if name else "" for heading, name in zip(headings, names, strict=True)]
        return [], None, over
    if len(over) > 1 and len(set(under)) == len(under) and {name for _, name in under} & repeated:
        return headings, _kind(headings), over
    return [], None, []


def _kind(groups: Sequence[str]) -> str:
    """What headings tell apart: metrics, splits, or else models."""
    own = set(filter(None, groups))
    if all(map(known_metric, own)):
        return "metric"
    return "split" if all(without_split(one) == "" for one in own) else "model"


def _stack(
    laid: Laid, names: Sequence[str], groups: Sequence[str], kind: str, lines: list[int], cells: list[list[str]]
) -> None:
    """Put what stands under different headings one below the other; the heading becomes a column."""
    over = list(dict.fromkeys(filter(None, groups)))
    shared = [i for i, name in enumerate(names) if name and not groups[i]]
    every = dict.fromkeys(names[i] for i in range(len(names)) if names[i])
    laid.columns = {kind: [], **{name: [] for name in every}}
    for heading in over:
        own = [i for i, group in enumerate(groups) if group == heading and names[i]]
        where = {names[i]: i for i in (*shared, *own)}
        for line, row in zip(lines, cells, strict=True):
            remark = heading == over[0] and not any(row[i] for i, group in enumerate(groups) if group)
            if any(row[i] for i in own) or remark:
                laid.lines.append(line)
                laid.under.append(heading)
                laid.columns[kind].append(heading)
                for name in every:
                    laid.columns[name].append(row[where[name]] if name in where else "")
    told = "the splits" if kind == "split" else f"the {kind}s"
    laid.notes.append(f"read the headings above the columns as {told}: {', '.join(over)}.")


def _tell_apart(laid: Laid, names: list[str]) -> None:
    """Give columns of the same name names of their own."""
    seen: set[str] = set()
    for i, name in enumerate(names):
        if name and name in seen:
            names[i] = f"{name} (column {_letter(i)})"
            laid.unnamed[names[i]] = name
        seen.add(name)
