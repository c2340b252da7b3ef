"""From a sheet to what it means: an interpretation that heuristics propose and people change; all else follows from it.

What is not plain is a problem, with what would settle it: the first keeps the curves from being read, and none keeps
the sheet from being shown.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from .._check import (
    format_some,
)
from ..errors import DataError, RequestError
from ..vocabulary import Remedy
from .cells import holds_number, is_blank, is_cut, looks_numeric, number_in, shorten, too_long
from .doubts import ROLES, Doubt, build_doubt, find_amounts, is_fraction
from .files import ALL_SHEETS, Sheet, one_line
from .interpretation import Column, Interpretation, TableSettings
from .known_metrics import UNNAMED
from .layout import (
    Layout,
    Table,
    build_table,
    column_letter,
    is_header,
    lay_out,
    refuse_longer_rows,
    refuse_numbers_as_names,
    size_in_name,
)
from .measure import STATED, Faults, Measurements, are_shares, measure
from .names import (
    TRAINING,
    counts_training_examples,
    find_column,
    known_metric,
    metric_name,
    plain_name,
    unit_counted,
    without_split,
)
from .roles import ABOUT, COUNTS, Roles, find_learners, find_roles, melt_sizes, part_spreads, stack_models

__all__ = ["Interpreted", "holds_table", "interpret"]

_ARGUMENTS = {"size": "size", "split": "split", "model": "task", "score_sd": "score_sd"} | {
    name: name for name in COUNTS
}
_PER_CENT = re.compile(r"%|\bper ?cent|\bprozent|\bpour ?cent", re.IGNORECASE)
_OF_ALL = re.compile(
    r"total|gesamt|insgesamt|overall|full|data ?set|datensatz|jeu de données|corpus|\bn\s*=|\bN\b", re.IGNORECASE
)


_PART = re.compile(r"(\d[^()\[\]%]*+)[(\[]\s*+(\d[^()\[\]%]*+)[)\]]")
_SUMMARY = {
    *("mean", "means", "average", "avg", "median", "sd", "std", "stdev", "stddev", "se", "sem", "min", "max"),
    *("minimum", "maximum", "total", "totals", "sum", "overall", "range", "iqr", "ci", "variance", "mean sd"),
}
_DONE = {"finished", "completed", "complete", "succeeded", "success", "done"}
_STATES = _DONE | {
    "running",
    "failed",
    "crashed",
    "killed",
    "scheduled",
    "pending",
    "preempting",
    "preempted",
    "queued",
}
_BESIDE_SUMMARY = {
    *("of", "all", "grand", "over", "the", "score", "scores", "95", "standard", "deviation", "error", "dev", "value"),
    *("fold", "folds", "split", "splits", "seed", "seeds", "run", "runs", "s", "d", "row", "column", "n"),
}


_PARTS = {"train", "training", "val", "valid", "validation", "dev", "test", "testing", "holdout", "set", "data"}
_WHY = {
    "_leave_out_unfinished": "unfinished run",
    "_leave_out_remarks": "note",
    "_leave_out_summaries": "summary",
    "_leave_out_unscored": "no score",
    "_leave_out_other_parts": "not test",
}
"""Why a row is set aside, by the step that does so."""


@dataclass(frozen=True)
class Interpreted:
    """An interpretation, the curves that follow from it, what was done to cells, and what is in doubt."""

    interpretation: Interpretation
    sheet: Sheet
    """The sheet as it is shown: with its rows as columns, where they are taken so."""
    curves: Mapping[str | None, Measurements]
    notes: tuple[str, ...]
    doubts: tuple[Doubt, ...]
    title: str | None = None
    """What stands above the table."""


def holds_table(sheet: Sheet) -> tuple[str, ...]:
    """The names of the columns of measurements in a sheet, with numbers beneath them; none where there are none."""
    if _is_transposed(sheet):
        return tuple(row[0] for row in sheet.rows)
    for block in lay_out(sheet).blocks:
        names = [name for i in block.header for name in sheet.rows[i]]
        across = sum(size_in_name(name) is not None for name in names) > 1
        if (is_header(names) or across) and any(sum(map(holds_number, sheet.rows[i])) > 1 for i in block.body):
            return block.names
    return ()


def _is_transposed(sheet: Sheet) -> bool:
    """Whether a row holds the sizes, behind a cell that says so, and the rows beneath it scores."""
    for i, row in enumerate(sheet.rows[:20]):
        filled = [cell for cell in row if cell]
        sizes = [size_in_name(cell) for cell in filled[1:]]
        if len(sizes) > 1 and None not in sizes and counts_training_examples(filled[0]):
            below = [[cell for cell in other if cell] for other in sheet.rows[i + 1 :]]
            labels = [one[0] for one in below if len(one) > 2 and not holds_number(one[0]) and holds_number(one[1])]
            # Rows that are splits, one and all, are read without turning them into columns.
            return bool(labels) and not all(map(_labels_a_split, labels))
    return False


def _labels_a_split(label: str) -> bool:
    """Whether a row with such a label is a split, sums up splits, or names sizes again."""
    return without_split(label) == "" or _says_summary(label) or counts_training_examples(label)


def interpret(sheet: Sheet, said: TableSettings, cells: Mapping[str, str] | None = None) -> Interpreted:
    """Propose what a sheet means where the caller does not say it, and read the curves that follow.

    `cells` are corrected ones by letter and row number, such as B7, of the sheet as it is shown.

    A problem ends up among the doubts; whatever could be told before it is in the interpretation all the same.
    """
    transposed = said.transposed if said.transposed is not None else not sheet.is_named and _is_transposed(sheet)
    shown = sheet.transpose() if transposed else sheet
    found = _Proposal(_correct(shown, cells or {}), said, bool(transposed))
    try:
        found.run()
    except DataError as problem:
        found.problems.append(problem)
    return found.result()


def _correct(sheet: Sheet, cells: Mapping[str, str]) -> Sheet:
    """The sheet with some cells corrected."""
    if not cells:
        return sheet
    letters = {column_letter(i): i for i in range(sheet.width)}
    places: dict[tuple[int, int], str] = {}
    for where, text in cells.items():
        found = re.fullmatch(r"([A-Z]{1,3})(-?\d{1,7})", str(where))
        if found is None or found[1] not in letters or int(found[2]) not in sheet.index:
            raise RequestError(f"{sheet.source} has no cell {where!r}.", argument="cells")
        places[int(found[2]), letters[found[1]]] = shorten(str(text).strip())
    return sheet.with_cells(places)


class _Proposal:
    """An interpretation in the making: what has been told so far, and the problems met on the way.

    Parameters
    ----------
    sheet : Sheet
        The grid.
    said : TableSettings
        What the caller says of it.
    transposed : bool
        Whether its rows were columns.
    """

    def __init__(self, sheet: Sheet, said: TableSettings, transposed: bool) -> None:
        self.sheet, self.said, self.transposed = sheet, said, transposed
        self.problems: list[DataError] = []
        self.notes: list[str] = ["read rows as columns."] if transposed and said.transposed is None else []
        self.layout: Layout | None = None
        self.table: Table | None = None
        self.roles = Roles()
        self.set_aside: dict[int, str] = {}
        self.measured: tuple[int, ...] = ()
        self.filled: list[str] = []
        self.left_out: set[str] = set()
        self.curves: dict[str | None, Measurements] = {}
        self.metric, self.per_cent, self.total = said.metric, said.per_cent, said.total
        self.each_column = said.each_column

    def run(self) -> None:
        """Lay the sheet out, tell its columns apart, leave out rows without measurements, and read the numbers."""
        self._refuse_sheets_alike()
        table = self._lay_out()
        wanted = self._pin_roles(table)
        table = part_spreads(table, wanted.size)
        self.roles, self.problems = find_roles(table, wanted)
        self.table = table
        if self.problems:
            self._list_sheets()
            return
        if self.roles.task is not None and not any(table.columns[self.roles.task]):
            self.roles = replace(self.roles, task=None)  # an empty column names nothing
        if self.roles.wide:
            self.each_column = self.roles.each_column
        intervals = [repr(name) for name in self.roles.scores if name in table.intervals]
        if self.each_column == "model" and self.roles.wide:
            table, self.roles = stack_models(table, self.roles)
        table = self._leave_out_rows(table)
        self.table = table
        if self.metric is None and self.roles.metric is None and "metric" not in table.columns:
            self._find_metric_in_words()
        self._find_per_cent_in_words(table)
        table = self._find_total(table)
        stated = {what: getattr(self.said, what) for what in (*STATED, "unit", "test_share", "range")}
        stated |= {"metric": self.metric, "per_cent": self.per_cent}
        if stated["unit"] is None and "unit" not in table.columns:
            stated["unit"] = self._find_unit_in_words(table)
        self.curves, notes, self.left_out = measure(table, self.roles, stated)
        self.notes += notes
        if intervals:
            self.notes.append(
                f"the intervals in brackets under {format_some(intervals, 10)} are not used: they usually reflect the "
                "test cases behind a score, not the scatter between runs."
            )
        self._ask_about_crossed_columns(table)
        self.notes += _note_unused(table, self.roles)

    def _refuse_sheets_alike(self) -> None:
        """Ask which sheet is meant where several hold tables of the same form: one of them is not the whole."""
        if len(self.sheet.tables) > 1 and self.sheet.alike:
            names = format_some([repr(title) for title in self.sheet.tables], 10)
            either = ", ".join("{}" for _ in self.sheet.tables[:10])
            remedy: Remedy = (
                f"Choose one with {either}, or read all of them as models with {{}}.",
                *(("sheet", title) for title in (*self.sheet.tables[:10], ALL_SHEETS)),
            )
            raise DataError(f"{self.sheet.source} has tables of the same form in the sheets {names}.", remedy=remedy)

    def _list_sheets(self) -> None:
        """Ask for another sheet first, where a workbook has several and none seems to hold a table."""
        if self.roles.size is None and len(self.sheet.titles) > 1 and not self.sheet.tables and self.said.sheet is None:
            sheets = format_some([repr(title) for title in self.sheet.titles], 20)
            first = DataError(
                f"{self.sheet.source}: no sheet has a column called size, n, training examples or similar; its sheets "
                f"are {sheets}.",
                remedy=("Choose one with {}, and name its columns.", "sheet"),
            )
            self.problems.insert(0, first)

    def _lay_out(self) -> Table:
        """Make the table: its header, and sizes that are names of columns as a column."""
        sheet, said = self.sheet, self.said
        ignored = {i for i in range(sheet.width) if (said.roles or {}).get(column_letter(i)) == "ignored"}
        header, sections = (self._places(name) for name in ("header", "sections"))
        if header is None and not sheet.is_named:
            header = self._find_no_header()
        finds = is_header if said.size is None else (lambda cells: find_column(str(said.size), cells) is not None)
        layout = self.layout = lay_out(sheet, header=header, sections=sections, ignored=ignored, finds_header=finds)
        if not sheet.is_named and header is None:
            first = max(layout.blocks[0].header, default=0)
            refuse_numbers_as_names(sheet, first)
            refuse_longer_rows(sheet, min(layout.blocks[0].header, default=0))
        sign = None if said.decimal_sign is None else said.decimal_sign == ","
        table = build_table(sheet, layout, ignored=ignored, decimal_comma=sign, point_groups=bool(said.point_groups))
        self.notes = [*table.notes, *self.notes]
        if not table.lines:
            raise self._no_rows(table)
        table = _with_own_names(table, said.roles or {})
        if said.size is None and (melted := melt_sizes(table, said.metric)) is not None:
            empty = [
                line
                for row, line in enumerate(table.lines)
                for name in table.columns
                if size_in_name(name) and is_blank(table.columns[name][row])
            ]
            if empty and len(melted.lines) > 0:
                where = f"{table.place} {format_some(list(dict.fromkeys(empty)))}"
                self.notes.append(f"{len(empty)} score cells are empty and were left out ({where}).")
            table = self._label_melted_rows(melted)
        return table

    def _no_rows(self, table: Table) -> DataError:
        names = f"{self.sheet.source} has a header ({', '.join(table.columns)}) but no rows"
        if len(self.sheet.titles) < 2:  # no other sheet to choose
            return DataError(f"{names}.")
        read = self.sheet.notes[0] if self.sheet.notes else f"read the sheet {self.sheet.title!r}."
        return DataError(f"{names}: {read}", remedy=("Choose another with {}.", "sheet"))

    def _places(self, name: str) -> list[int] | None:
        """Places in the grid of rows that the caller names by their numbers."""
        numbers: Any = getattr(self.said, name)
        if numbers is None:
            return None
        unknown = [number for number in numbers if number not in self.sheet.index]
        if unknown and name != "rows":
            raise RequestError(
                f"names {self.sheet.place} {format_some(unknown)}, which {self.sheet.source} does not have or which is "
                "empty.",
                argument=name,
            )
        return [self.sheet.index[number] for number in numbers if number in self.sheet.index]

    def _find_no_header(self) -> list[int] | None:
        """Propose that no row names the columns, where all are rows of numbers and it is plain what they are."""
        rows = self.sheet.rows
        if not all(holds_number(cell) or not cell for row in rows for cell in row) or not all(rows[0]):
            return None
        sizes = [size_in_name(row[0]) for row in rows]
        if self.sheet.width < 2 or None in sizes or self.said.roles is not None or self.said.size is not None:
            return None
        scores = [[row[i] for row in rows if row[i]] for i in range(1, self.sheet.width)]
        fractions = [all(is_fraction(cell) for cell in own) for own in scores]
        if not fractions[0]:
            return None
        roles = {"A": "size", "B": "score"}
        labels = len(scores) == 2 and all(re.fullmatch(r"\d{1,3}", cell) for cell in scores[1])
        if len(scores) == 2 and labels:
            roles["C"] = "split"
        elif all(fractions):
            roles |= {column_letter(i): "score" for i in range(1, self.sheet.width)}
            self.each_column = self.each_column or "split"
        else:
            return None
        self.said = replace(self.said, roles=roles, each_column=self.each_column)
        named = ", ".join(f"{letter} as {ROLES[role]}" for letter, role in roles.items())
        self.notes.append(f"the columns have no names: read {named}.")
        return []

    def _label_melted_rows(self, table: Table) -> Table:
        """Ask what the rows of a table are whose columns are sizes, where their labels do not tell."""
        labels = table.columns.get("split", [])
        first = next(iter(table.sheet_columns.get("split", ())), None)
        pinned = (self.said.roles or {}).get(column_letter(first)) if first is not None else None
        distinct = list(dict.fromkeys(filter(None, labels)))
        summaries = [label for label in distinct if _says_summary(label)]
        open_labels = [label for label in distinct if label not in summaries]
        if first is None or pinned is not None or self.said.split or self.said.task:
            return table
        if all(re.fullmatch(r"\d+|[A-Za-z]", label) or without_split(label) is not None for label in open_labels):
            return table
        letter = column_letter(first)
        raise DataError(
            f"{table.path}: it is not clear whether the rows {format_some([repr(one) for one in open_labels])} are "
            "splits of one model or different models.",
            remedy=("Use {} or {}.", ("roles", {letter: "split"}), ("roles", {letter: "model"})),
        )

    def _pin_roles(self, table: Table) -> TableSettings:
        """Settings of the caller, with names of columns in place of their letters."""
        names = {i: name for name, places in table.sheet_columns.items() for i in places}
        by_role: dict[str, list[str]] = {}
        for letter, role in dict(self.said.roles or {}).items():
            i = next((i for i in range(self.sheet.width) if column_letter(i) == letter), None)
            if i is None:
                raise RequestError(
                    f"names column {letter}, but {self.sheet.source} has columns A to "
                    f"{column_letter(self.sheet.width - 1)}.",
                    argument="roles",
                )
            if role != "ignored" and i in names and names[i] not in by_role.setdefault(role, []):
                by_role[role].append(names[i])
        pins: dict[str, Any] = {}
        for role, argument in _ARGUMENTS.items():
            if own := by_role.get(role):
                if len(own) > 1:
                    raise RequestError(
                        f"names {len(own)} columns ({format_some(own)}) as {ROLES[role]}; one can be.", argument="roles"
                    )
                pins[argument] = own[0]
        for role in ("score", "train_score"):
            if own := by_role.get(role):
                pins[role] = own[0] if len(own) == 1 else own
        return replace(self.said, **pins)

    def _leave_out_rows(self, table: Table) -> Table:
        """The table with its measurements alone, each with its size and its names."""
        table, brackets = _sizes_before_brackets(table, self.roles)
        self.notes += brackets
        chosen = self.said.rows
        if chosen is not None:
            kept = [i for i, line in enumerate(table.lines) if line in set(chosen)]
            if not kept:
                raise RequestError(
                    f"leaves no row of {self.sheet.source}: its measurements are in {self.sheet.place} "
                    f"{format_some(table.lines)}.",
                    argument="rows",
                )
            table = table.rows(kept)
        steps = (
            [_fill_names]
            if chosen is not None
            else [
                _leave_out_unfinished,
                _leave_out_summaries,
                _fill_names,
                _leave_out_remarks,
                _leave_out_other_parts,
                _leave_out_unscored,
            ]
        )
        for step in (*steps, _fill_sizes):
            before = table
            table, notes = step(table, self.roles, self._letters_to_fill(table))
            self.notes += notes
            gone = set(before.lines) - set(table.lines)
            self.set_aside |= dict.fromkeys(gone, _WHY.get(step.__name__, ""))
            self.filled += [
                letter
                for name in table.columns
                if name in before.columns
                and len(table.lines) == len(before.lines)
                and table.columns[name] != before.columns[name]
                for letter in map(column_letter, table.sheet_columns.get(name, ()))
            ]
        self.measured = tuple(dict.fromkeys(table.lines))
        return table

    def _letters_to_fill(self, table: Table) -> Collection[str] | None:
        """Names of the columns whose empty cells take the entry above, where the caller says so."""
        if self.said.fill_down is None:
            return None
        return {
            name
            for name, places in table.sheet_columns.items()
            if {*map(column_letter, places)} & {*self.said.fill_down}
        }

    def _words(self) -> list[str]:
        """Texts above the table, and the title of the sheet."""
        return [*(self.layout.above if self.layout else ()), *([self.sheet.title] if self.sheet.title else [])]

    def _find_metric_in_words(self) -> None:
        """Take the metric from the words above the table or on other sheets, where they name just one."""
        for where, texts in (("above the table", self._words()), ("on other sheets", self.sheet.elsewhere)):
            found = {metric_name(name): name for text in texts for name in _metrics_in(text)}
            if len(found) == 1:
                ((known, self.metric),) = found.items()
                self.notes.append(f"took the metric, {known}, from the words {where}.")
                return

    def _find_unit_in_words(self, table: Table) -> str | None:
        """Find the unit of sizes beside their numbers, in the header, or in words on training above it."""
        if self.roles.size is None or unit_counted(self.roles.size) or self.layout is None:
            return None
        beside = [name for name in table.under if size_in_name(name) is not None] if table.sizes_are_names else []
        beside += [cell for cell in table.columns[self.roles.size] if not looks_numeric(cell)]
        header = [cell for block in self.layout.blocks[:1] for i in block.header for cell in self.sheet.rows[i]]
        training = [text for text in (*header, *self._words()) if {*plain_name(text).split()} & TRAINING]
        return next(filter(None, map(unit_counted, (*beside, *training))), None)

    def _find_per_cent_in_words(self, table: Table) -> None:
        """Take scores above 1 for per cents, where the words above the table say so."""
        if self.per_cent is not None or self.said.range is not None:
            return
        if not any(_PER_CENT.search(re.sub(r"\d\s*%", "", words)) for words in self._words()):
            return
        cells = [cell for name in self.roles.scores for cell in table.columns[name] if looks_numeric(cell)]
        numbers = [_value(table, cell) for cell in cells if not cell.endswith("%")]
        if len(numbers) == len(cells) and numbers and all(1 < number <= 100 for number in numbers):
            self.per_cent = True
            self.notes.append("read the scores as per cents, because the words above the table say so.")

    def _find_total(self, table: Table) -> Table:
        """The table with sizes in place of shares, where the caller, a column or the words around it say of what."""
        size = self.roles.size
        if size is None:
            return table
        shares = [_value(table, cell, counts=True) for cell in table.columns[size]]
        if not are_shares(shares):
            if self.total is not None:
                raise RequestError(
                    f"applies to sizes that are shares of it, such as 25 % or 0.25; found "
                    f"{format_some(table.columns[size])}.",
                    argument="total",
                )
            return table
        totals = [self.total] * len(shares) if self.total is not None else self._find_totals(table)
        if not totals:
            return table
        sizes = [f"{round(share * float(total or 0))}" for share, total in zip(shares, totals, strict=True)]
        if len(set(totals)) == 1:
            self.total = totals[0]
        return table.with_columns({size: sizes})

    def _find_totals(self, table: Table) -> list[float]:
        """Find the total that the share of each row is part of, in a column or in the words above; none if unclear."""
        column = next((name for name in table.columns if _names_total(name)), None)
        if column is not None:
            totals = [_value(table, cell, counts=True) for cell in table.columns[column]]
            self.notes.append(f"read the sizes as shares of the totals under {column!r}.")
            return [] if any(map(math.isnan, totals)) else totals
        named: dict[int, set[float]] = {}
        for block in self.layout.blocks if self.layout else ():
            amounts = {amount for words in block.above if _OF_ALL.search(words) for amount in find_amounts(words)}
            named |= dict.fromkeys((self.sheet.lines[i] for i in block.body), amounts)
        if not named or any(len(named.get(line, ())) != 1 for line in table.lines):
            return []
        totals = [next(iter(named[line])) for line in table.lines]
        told = format_some([f"{total:,.0f}" for total in dict.fromkeys(totals)])
        self.notes.append(f"read the sizes as shares of {told}, which the words above the table give.")
        return totals

    def _ask_about_crossed_columns(self, table: Table) -> None:
        """Ask what a column is that has the same few entries at every size, where nothing else tells scores apart."""
        if self.roles.split is not None or self.roles.wide or self.roles.size is None:
            return
        used = self.roles.by_column()
        tasks = table.columns[self.roles.task] if self.roles.task else [""] * len(table.lines)
        groups: dict[tuple[str, str], list[int]] = {}
        for i, size in enumerate(table.columns[self.roles.size]):
            groups.setdefault((tasks[i], size), []).append(i)
        for name, cells in table.columns.items():
            if name in used or plain_name(name) in ABOUT or any(map(looks_numeric, cells)) or not all(cells):
                continue
            entries = [tuple(sorted(cells[i] for i in rows)) for rows in groups.values()]
            if len(groups) > 1 and len(set(entries)) == 1 and 1 < len(set(entries[0])) == len(entries[0]):
                letter = next(map(column_letter, table.sheet_columns.get(name, ())), "")
                ways = [("roles", {letter: role}) for role in ("split", "model", "ignored")]
                own = format_some(sorted(set(entries[0])))
                raise DataError(
                    f"{table.path}: the column {name!r} has {own} at every size. Are these splits of one model, "
                    "different models, or neither?",
                    remedy=("Use {}, {} or {}.", *ways),
                )

    def result(self) -> Interpreted:
        """Put together what has been found."""
        sheet, said, table = self.sheet, self.said, self.table
        first = next(iter(self.curves.values()), None)
        roles = {} if table is None else self._roles_of_columns(table)
        blocks = self.layout.blocks if self.layout else ()
        names = blocks[0].names if blocks else ()
        columns = tuple(
            Column(column_letter(i), names[i] if i < len(names) else "", roles.get(i, "ignored"))
            for i in range(sheet.width)
        )
        header = tuple(sheet.lines[i] for block in blocks for i in block.header)
        sections = tuple(sheet.lines[i] for i in (self.layout.sections if self.layout else ()))
        body = {sheet.lines[i] for block in blocks for i in block.body}
        measured = self.measured or tuple(line for line in sheet.lines if line in body)
        inside, used = {*header, *sections, *body, *self.set_aside}, {*measured, *self.set_aside}
        around = {line: "title" for line in sheet.lines if line not in inside}
        others = {line: "note" for line in body if line not in used}
        interpretation = Interpretation(
            columns,
            tuple(dict.fromkeys(header)),
            measured,
            sections,
            {**around, **others, **self.set_aside},
            first.about["metric"] if first else self.metric or UNNAMED,
            first.about["unit"] if first else said.unit,
            first.about["direction"] if first else said.direction,
            "," if table is not None and table.decimal_comma else ".",
            bool(self.per_cent),
            self.each_column,
            tuple(dict.fromkeys(self.filled)),
            self.transposed,
            self.total,
            sheet.title,
            said,
        )
        # What was found beside sizes that were not is worth little.
        taken = self.roles.by_column() if self.roles.size is not None else self.roles.asked
        doubts = tuple(build_doubt(problem, sheet, table, measured, taken) for problem in self.problems)
        notes = tuple(f"{sheet.source}: {note}" for note in dict.fromkeys(self.notes))
        curves = {} if doubts else self.curves
        return Interpreted(interpretation, sheet, curves, notes, doubts, table.title if table is not None else None)

    def _roles_of_columns(self, table: Table) -> dict[int, str]:
        """The role of each column of the sheet, from 0."""
        by_name = {name: role for name, role in self.roles.by_column().items() if name not in self.left_out}
        if self.roles.size is None:
            by_name = {name: role for name, role in by_name.items() if role != "score" or name in self.roles.asked}
        for name in table.columns:
            plain = plain_name(name)
            if name not in by_name and plain in ABOUT:
                by_name[name] = plain.replace(" ", "_")
        own = {i: role for name, role in by_name.items() for i in table.sheet_columns.get(name, ())}
        if table.sizes_are_names:
            own = {i: ("score" if role == "size" else role) for i, role in own.items()}
        return own


def _value(table: Table, cell: str, *, counts: bool = False) -> float:
    """The number in a cell; NaN where there is none."""
    try:
        return table.number(cell, counts=counts)
    except ValueError:
        return float("nan")


def _metrics_in(text: str) -> list[str]:
    """Names of metrics in a text, the longest of those that overlap."""
    words = re.findall(r"[^\W\d_][\w-]*", text)[:100]
    found: list[str] = []
    taken: set[int] = set()
    for length in (5, 4, 3, 2, 1):
        for i in range(len(words) - length + 1):
            name, places = " ".join(words[i : i + length]), {*range(i, i + length)}
            if (
                len(name) > 2
                and not places & taken
                and (metric := known_metric(name))
                and metric.name not in ("R", "loss")
            ):
                found.append(name)
                taken |= places
    return found


def _names_total(name: str) -> bool:
    """Whether a column holds the number of examples that sizes are shares of: data.n_total, dataset size."""
    words = set(plain_name(name).split())
    return bool(words & {"total", "dataset"}) and words <= {
        "total",
        "dataset",
        "data",
        "set",
        "n",
        "size",
        "train",
        "training",
    }


def _with_own_names(table: Table, roles: Mapping[str, str]) -> Table:
    """The table with columns that our own files have by our own names, in any language or by the caller's word."""
    names = list(table.columns)
    ours = {one: plain_name(one).replace(" ", "_") for one in names if plain_name(one) in ABOUT}
    letters = {column_letter(i): name for name, places in table.sheet_columns.items() for i in places}
    said = {letters[letter]: role for letter, role in roles.items() if letter in letters}
    ours |= {name: role for name, role in said.items() if role.replace("_", " ") in ABOUT}
    renamed = {
        one: own for one, own in ours.items() if one != own and own not in names and list(ours.values()).count(own) == 1
    }
    if not renamed:
        return table
    return replace(
        table,
        columns={renamed.get(name, name): cells for name, cells in table.columns.items()},
        sheet_columns={renamed.get(name, name): places for name, places in table.sheet_columns.items()},
        unnamed={renamed.get(name, name): left for name, left in table.unnamed.items()},
    )


def _note_unused(table: Table, roles: Roles) -> list[str]:
    """Say which columns hold numbers, or have no name, and were not taken for anything."""
    used = {*roles.by_column(), *table.spreads.values()}
    rest = [
        repr(name)
        for name, cells in table.columns.items()
        if name not in used
        and plain_name(name) not in ABOUT
        and (any(map(looks_numeric, cells)) or (name.startswith("column ") and sum(map(bool, cells)) > 1))
    ]
    return [f"did not use the column{'s' * (len(rest) > 1)} {format_some(rest, 10)}."] if rest else []


def _sizes_before_brackets(table: Table, roles: Roles) -> tuple[Table, list[str]]:
    """The table with sizes alone where some of them are counted behind, such as events: 100 (12) patients."""
    if roles.size is None:
        return table, []
    cells = [_before_part(cell, table.decimal_comma) for cell in table.columns[roles.size]]
    if not any(cells):
        return table, []
    alone = [before or cell for before, cell in zip(cells, table.columns[roles.size], strict=True)]
    note = f"read the numbers before the brackets under {roles.size!r} as the sizes; those in brackets are not used."
    return table.with_columns({roles.size: alone}), [note]


def _before_part(cell: str, decimal_comma: bool) -> str | None:
    """The number of a cell such as 1,200 (143), which counts some of its things in brackets; None for other cells."""
    found = _PART.fullmatch(cell.strip())
    if found is None:
        return None
    try:
        whole, part = (number_in(text, decimal_comma=decimal_comma, counts=True) for text in found.groups())
    except ValueError:
        return None
    return found[1].rstrip() if part <= whole and whole.is_integer() and part.is_integer() else None


def _leave_out_unfinished(table: Table, _roles: Roles, _to_fill: Collection[str] | None) -> tuple[Table, list[str]]:
    """The table without runs that a tracker says have failed or still go on: their last score is not the final one."""
    for name, cells in table.columns.items():
        said = [cell.casefold() for cell in cells]
        if plain_name(name) in ("state", "status") and set(said) <= _STATES and set(said) & _DONE:
            left_out = [i for i, state in enumerate(said) if state not in _DONE]
            if not left_out:
                return table, []
            told = format_some([f"{table.lines[i]} ({cells[i]})" for i in left_out], 10)
            rows = "an unfinished run" if len(left_out) == 1 else f"{len(left_out)} unfinished runs"
            kept = table.rows([i for i, state in enumerate(said) if state in _DONE])
            return kept, [f"left out {rows}: {table.place} {told}."]
    return table, []


def _leave_out_remarks(table: Table, roles: Roles, _to_fill: Collection[str] | None) -> tuple[Table, list[str]]:
    """The table without remarks between and beneath its rows, and without its header repeated."""
    height, numbers = len(table.lines), _rows_with_numbers(table, roles)
    own = [name for name in table.columns if name in table.sheet_columns or not table.sheet_columns]
    filled = [[name for name in own if table.columns[name][i]] for i in range(height)]
    last = max((i for i in range(height) if numbers[i]), default=height)
    header = [all(table.columns[name][i] == name for name in filled[i]) and len(filled[i]) > 1 for i in range(height)]
    remark = [not numbers[i] and (header[i] or i > last or len(filled[i]) == 1) for i in range(height)]
    if all(remark) or not any(remark):
        return table, []
    dropped = [i for i in range(height) if remark[i]]
    kept = table.rows([i for i in range(height) if not remark[i]])
    said = [i for i in dropped if not header[i]]
    if not said:
        return kept, []
    words = one_line(" ".join(table.columns[name][i] for i in said for name in filled[i]), 80)
    where = f"{table.place} {format_some([table.lines[i] for i in said])}"
    return kept, [f"left out, because there is no measurement: {where}, {words!r}."]


def _leave_out_summaries(table: Table, roles: Roles, _to_fill: Collection[str] | None) -> tuple[Table, list[str]]:
    """The table without rows that sum up others: `mean`, `SD` or `Total` in any column beside the scores."""
    places = [name for name in table.columns if name not in roles.scores]
    usual = {roles.size, roles.split}
    times = {name: Counter(table.columns[name]) for name in places if name not in usual}
    found = {i: said for i in range(len(table.lines)) if (said := _summary(table, places, i, times, roles.size))}
    if not found or len(found) == len(table.lines):
        return table, []
    told = format_some([f"{table.lines[i]} ({said})" for i, said in found.items()], 10)
    rows = "a summary row" if len(found) == 1 else f"{len(found)} summary rows"
    return (
        table.rows([i for i in range(len(table.lines)) if i not in found]),
        [f"left out {rows}: {table.place} {told}."],
    )


def _leave_out_unscored(table: Table, roles: Roles, _to_fill: Collection[str] | None) -> tuple[Table, list[str]]:
    """The table without rows whose scores are still to come: every cell of them is empty, or says so."""
    blank = [all(is_blank(table.columns[name][i]) for name in roles.scores) for i in range(len(table.lines))]
    if not any(blank) or all(blank):
        return table, []
    gone = format_some([line for line, without in zip(table.lines, blank, strict=True) if without], 10)
    kept = table.rows([i for i, without in enumerate(blank) if not without])
    return kept, [f"left out rows without a score: {table.place} {gone}."]


def _leave_out_other_parts(table: Table, roles: Roles, _to_fill: Collection[str] | None) -> tuple[Table, list[str]]:
    """The table without rows of training and validation, where a column says on which part of the data each is."""
    for name, cells in table.columns.items():
        parts = {cell: {*plain_name(cell).split()} for cell in cells}
        if name in roles.by_column() or len(parts) < 2 or not all(own and own <= _PARTS for own in parts.values()):
            continue
        if any("test" in own for own in parts.values()):
            kept = [i for i, cell in enumerate(cells) if "test" in parts[cell]]
            others = format_some([repr(cell) for cell, own in parts.items() if "test" not in own])
            return table.rows(kept), [f"left out the rows with {others} under {name!r}: scores on test count."]
    return table, []


def _says_summary(cell: str) -> bool:
    """Whether a cell says that its row sums up others: mean, SD, Total, mean of folds."""
    words = plain_name(cell).split()
    rest = [word for word in words if word not in _SUMMARY | _BESIDE_SUMMARY and not known_metric(word)]
    return bool(words) and not rest and bool(set(words) & _SUMMARY or "deviation" in words)


def _summary(table: Table, places: list[str], row: int, times: dict[str, Counter[str]], size: str | None) -> str:
    """The cell that says that a row sums up others; empty where none does.

    Where `times` counts the cells of a column, only one that stands there once says so: pooling may be max or mean.
    """
    for name in places:
        cell = table.columns[name][row]
        if _says_summary(cell) and (name not in times or name.startswith("column ") or times[name][cell] == 1):
            return cell
    first = next((cells[row] for cells in table.columns.values() if cells[row]), "")
    begins = plain_name(first).split()[:1]
    if size is not None and is_blank(table.columns[size][row]) and begins and begins[0] in _SUMMARY:
        return first  # mean of a task, where no size stands
    return ""


def _fill_sizes(table: Table, roles: Roles, to_fill: Collection[str] | None) -> tuple[Table, list[str]]:
    """The table with the size in every row, where it is written once above several and the next cells are empty."""
    if roles.size is None:
        return table, []
    cells = table.columns[roles.size]
    empty = [i for i, cell in enumerate(cells) if is_blank(cell)]
    starts = [i for i, cell in enumerate(cells) if not is_blank(cell)]
    # As many rows under each of several sizes, so that it is a habit and no gap.
    heights = {end - start for start, end in pairwise([*starts, len(cells)])}
    habit = len(starts) > 1 and len(heights) == 1 if to_fill is None else roles.size in to_fill
    if not empty or 0 in empty or not habit:
        return table, []
    filled = list(cells)
    for i in empty:
        filled[i] = filled[i - 1]
    note = f"filled the empty cells under {roles.size!r} with the size above them: {table.place} "
    note += f"{format_some([table.lines[i] for i in empty])}."
    return table.with_columns({roles.size: filled}), [note]


def _fill_names(table: Table, roles: Roles, to_fill: Collection[str] | None) -> tuple[Table, list[str]]:
    """The table with task and learner in every row, where they are written once above several and the rest is empty.

    An empty name is never a task: one without a name above it is at fault, and so are gaps among names that are written
    row by row.
    """
    measured, faults, notes = _rows_with_numbers(table, roles), Faults(table), list[str]()
    for column in dict.fromkeys(filter(None, (roles.task, find_learners(table)))):
        cells = table.columns[column]
        empty = [i for i, cell in enumerate(cells) if not cell and measured[i]]
        named = [i for i, cell in enumerate(cells) if cell]
        row_by_row = len(named) > len(empty) or any(cell and cell == above for above, cell in pairwise(cells))
        if to_fill is not None:
            row_by_row = column not in to_fill
        known = set() if row_by_row or not named else {i for i in empty if i > named[0]}
        if column == roles.task:
            for i in empty:
                if i not in known:
                    faults.add(i, column, "the name is missing. Write it into this row, or leave out the row.")
            for i in filter(measured.__getitem__, named):
                if is_cut(cells[i]):
                    faults.add(i, column, too_long(cells[i]))
        if known:
            name, filled = "", list(cells)
            for i, cell in enumerate(cells):
                name = cell or name
                filled[i] = name if i in known else cell
            table = table.with_columns({column: filled})
            where = f"{table.place} {format_some([table.lines[i] for i in sorted(known)])}"
            notes.append(f"filled the empty cells under {column!r} with the name above them: {where}.")
    faults.refuse()
    return table, notes


def _rows_with_numbers(table: Table, roles: Roles) -> list[bool]:
    """Whether each row has a number under the size or a score."""
    measured = [name for name in (roles.size, *roles.scores) if name is not None]
    found = [any(looks_numeric(table.columns[name][i]) for name in measured) for i in range(len(table.lines))]
    if roles.size is None:
        return found
    return [number or _is_size(table, roles.size, i) for i, number in enumerate(found)]


def _is_size(table: Table, column: str, row: int) -> bool:
    return not math.isnan(_value(table, table.columns[column][row], counts=True))
