"""A sheet as it was understood: as text for a terminal, as HTML for a notebook."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence
from html import escape

from .._check import format_some
from .._numbers import format_count
from ..vocabulary import PYTHON
from .cells import looks_numeric
from .doubts import ROLES, Choice, Doubt
from .files import ALL_SHEETS, Sheet, one_line
from .interpretation import Interpretation
from .known_metrics import UNNAMED

__all__ = ["classify_rows", "write_html_grid", "write_python", "write_text_doubt", "write_text_grid", "write_text_rows"]

_WIDTH = 80  # letters of a line
_WIDEST_CELL = 24  # letters
_NARROWEST_CELL = 6
_MOST_LINES = 24  # rows of a sheet that are shown as text
_MOST_HTML_ROWS = 60
_MOST_HTML_COLUMNS = 40
_FIRST, _LAST = 8, 5  # rows that are shown of a long sheet, beneath its header and at its end
_GAP = "  "
_UNUSED = "ignored"
_COLOURS = {
    "size": "66,133,244",
    "score": "52,168,83",
    "split": "171,71,188",
    "model": "255,143,0",
    "train_score": "0,150,136",
    "score_sd": "0,150,136",
    "header": "128,128,128",
}
_OTHER_COLOUR = "121,134,203"
_STRENGTH = 0.28  # of a colour: readable beneath dark letters and beneath light ones


def classify_rows(sheet: Sheet, found: Interpretation) -> list[str]:
    """Name the role of each row of a sheet: header, data, section, title, note, summary and so on."""
    kinds = {**found.set_aside, **dict.fromkeys(found.rows, "data"), **dict.fromkeys(found.sections, "section")}
    kinds |= dict.fromkeys(found.header, "header")
    return [kinds.get(line, "note") for line in sheet.lines]


def write_python(choice: Choice) -> str:
    """A way to settle a doubt as arguments of `apexgp.read`."""
    return ", ".join(PYTHON.setting(argument, value) for argument, value in choice.settings.items())


def write_text_grid(
    sheet: Sheet,
    found: Interpretation,
    notes: Sequence[str],
    doubts: Sequence[Doubt],
    *,
    width: int = _WIDTH,
    write_choice: Callable[[Choice], str] = write_python,
) -> str:
    """The grid with the roles of its columns and rows, notes and doubts, as text.

    Parameters
    ----------
    sheet, found, notes, doubts
        Parts of a reading.
    width
        Letters that a line may have.
    write_choice
        Writes what to set, in the words of the surface on which the text is read.
    """
    parts = [[_name_source(sheet)], write_text_rows(sheet, found, doubts, width=width)]
    if facts := _list_facts(found):
        parts.append(_fill(f"Read as: {'; '.join(facts)}.", width))
    if notes:
        parts.append([line for note in notes for line in _fill(f"- {_strip_source(sheet, note)}", width, "  ")])
    parts += [write_text_doubt(doubt, width=width, write_choice=write_choice, label="In doubt: ") for doubt in doubts]
    return "\n\n".join("\n".join(part) for part in parts if part)


def write_text_rows(
    sheet: Sheet,
    found: Interpretation,
    doubts: Sequence[Doubt] = (),
    *,
    width: int = _WIDTH,
    most: int = _MOST_LINES,
) -> list[str]:
    """Lines with the cells of a sheet under the letters and roles of their columns; few rows stand for many."""
    if not sheet.rows:
        return []
    kinds = classify_rows(sheet, found)
    shown = _choose_rows(sheet, kinds, doubts, most)
    cells = {i: [one_line(cell, 200) for cell in sheet.rows[i]] for i in shown}
    roles = [column.role for column in found.columns]
    marks = {i: (str(sheet.lines[i]), kinds[i]) for i in shown}
    margin = [max((_width_of(mark[k]) for mark in marks.values()), default=0) for k in (0, 1)]
    spilt = {i for i in shown if _is_remark(cells[i])}
    measured = [i for i in shown if i not in spilt]
    wide = [
        max(_width_of(text) for text in (found.columns[j].letter, roles[j], *(cells[i][j] for i in measured)))
        for j in range(sheet.width)
    ]
    start = sum(margin) + 2 * len(_GAP)
    columns, widths = _choose_columns(found, doubts, wide, width - start)
    right = {j: _holds_numbers([sheet.rows[i][j] for i in shown if kinds[i] == "data"]) for j in columns}

    def join(mark: Sequence[str], texts: Sequence[str]) -> str:
        inside = [_pad(text, widths[j], right=right[j]) for j, text in zip(columns, texts, strict=True)]
        return _GAP.join([_pad(mark[0], margin[0], right=True), _pad(mark[1], margin[1]), *inside]).rstrip()

    lines = [
        join(("", ""), [found.columns[j].letter for j in columns]),
        join(("", ""), [roles[j] for j in columns]),
    ]
    before = -1
    for i in shown:
        if i > before + 1:
            lines.append(_write_gap(kinds[before + 1 : i], sheet, start))
        if i in spilt:
            text = next(filter(None, cells[i]))
            lines.append(f"{join(marks[i], [''] * len(columns)):<{start}}{_cut(text, width - start)}".rstrip())
        else:
            lines.append(join(marks[i], [cells[i][j] for j in columns]))
        before = i
    if before < len(sheet.rows) - 1:
        lines.append(_write_gap(kinds[before + 1 :], sheet, start))
    hidden = [column for j, column in enumerate(found.columns) if j not in columns]
    if hidden:
        why = ", ignored" if all(column.role == _UNUSED for column in hidden) else ""
        letters = format_some([column.letter for column in hidden], 10)
        lines += _fill(f"{format_count(len(hidden), 'more column')}{why}: {letters}.", width)
    return lines


def write_text_doubt(
    doubt: Doubt, *, width: int = _WIDTH, write_choice: Callable[[Choice], str] | None = write_python, label: str = ""
) -> list[str]:
    """Lines with what is asked, and the numbered ways to settle it, each with what to set unless that is answered."""
    if not doubt.choices:
        return _fill(f"{label}{doubt.question if write_choice is None else doubt.error}", width)
    lines = _fill(f"{label}{doubt.question}", width)
    number = len(str(len(doubt.choices)))
    labels = [f"{_GAP}{i:>{number}}. {choice.label}" for i, choice in enumerate(doubt.choices, start=1)]
    if write_choice is None:
        return lines + labels
    longest = max(map(_width_of, labels))
    for text, choice in zip(labels, doubt.choices, strict=True):
        to_set = write_choice(choice)
        if longest + len(_GAP) + max(len(write_choice(one)) for one in doubt.choices) <= width:
            lines.append(f"{_pad(text, longest)}{_GAP}{to_set}")
        else:
            lines += [text, f"{' ' * (number + 4)}{to_set}"]
    if doubt.free is not None:
        free = write_choice(Choice("", {doubt.free: None}))
        lines.append(f"{_GAP}{' ' * number}  or set {free}")
    return lines


def _name_source(sheet: Sheet) -> str:
    if sheet.title is None:
        return sheet.source
    return f"{sheet.source}, " + ("all sheets" if sheet.title == ALL_SHEETS else f"sheet “{sheet.title}”")


def _strip_source(sheet: Sheet, note: str) -> str:
    """A note without the file, which stands above; it then begins like a sentence."""
    text = note.removeprefix(f"{sheet.source}: ")
    return text if text == note else text[:1].upper() + text[1:]


def _list_facts(found: Interpretation) -> list[str]:
    """Say what holds for the whole table, where it is not the usual."""
    facts = [] if found.metric == UNNAMED else [f"metric {found.metric}"]
    if found.direction is not None:
        facts.append(f"{found.direction} is better")
    if found.each_column is not None and sum(column.role == "score" for column in found.columns) > 1:
        facts.append(f"each column of scores is a {found.each_column}")
    if found.transposed:
        facts.append("rows of the file shown as columns")
    if found.total is not None:
        facts.append(f"sizes are shares of {found.total:,.10g}")
    if found.per_cent:
        facts.append("scores in per cent")
    if found.decimal_sign == ",":
        facts.append("decimal commas")
    if found.fill_down:
        facts.append(
            f"empty cells filled down in column{'s' * (len(found.fill_down) > 1)} {', '.join(found.fill_down)}"
        )
    return facts


def _choose_rows(sheet: Sheet, kinds: Sequence[str], doubts: Sequence[Doubt], most: int) -> list[int]:
    """Places of the rows to show: all of a short sheet, else its header, what is in doubt, the first and the last."""
    height = len(sheet.rows)
    if height <= most:
        return list(range(height))
    asked = [sheet.index[row] for doubt in doubts for row in doubt.rows if row in sheet.index]
    first, last = max(most * _FIRST // _MOST_LINES, 2), max(most * _LAST // _MOST_LINES, 1)
    top = next((i for i, kind in enumerate(kinds) if kind in ("header", "data")), 0)
    above = [i for i in range(top) if i < 2 or i == top - 1]
    header = [i for i in range(top, min(top + 4, height)) if kinds[i] == "header"]
    under = (header[-1] if header else top - 1) + 1
    chosen = {
        *above,
        *header,
        *range(under, min(under + first, height)),
        *asked[: most // 3],
        *range(height - last, height),
    }
    return sorted(chosen)


def _choose_columns(
    found: Interpretation, doubts: Sequence[Doubt], wide: Sequence[int], room: int
) -> tuple[list[int], dict[int, int]]:
    """Columns to show and their widths: all if they fit, else those with roles or in doubt before the others."""
    asked = {letter for doubt in doubts for letter in doubt.columns}
    used = {j for j, column in enumerate(found.columns) if column.role != _UNUSED or column.letter in asked}
    for cap in (_WIDEST_CELL, _WIDEST_CELL // 2):
        widths = {j: min(width, cap) for j, width in enumerate(wide)}
        for columns in (widths, used):
            if columns and _total(widths, columns) <= room:
                chosen = set(columns)
                for j in widths:  # others, as many as there is room for
                    if j not in chosen and _total(widths, {*chosen, j}) <= room:
                        chosen.add(j)
                return sorted(chosen), widths
    widths = {j: max(min(width, _WIDEST_CELL // 2), min(width, _NARROWEST_CELL)) for j, width in enumerate(wide)}
    chosen = set[int]()
    for j in sorted(widths, key=lambda j: (found.columns[j].role != "size", j not in used, j)):
        if chosen and _total(widths, {*chosen, j}) > room:
            break
        chosen.add(j)
    return sorted(chosen), widths


def _total(widths: dict[int, int], columns: Collection[int]) -> int:
    return sum(widths[j] + len(_GAP) for j in columns) - len(_GAP)


def _is_remark(cells: Sequence[str]) -> bool:
    """Whether a row has one cell only, and words in it: they may run on beyond its column."""
    filled = [cell for cell in cells if cell]
    return len(filled) == 1 and not looks_numeric(filled[0])


def _holds_numbers(cells: Sequence[str]) -> bool:
    filled = [cell for cell in cells if cell]
    return bool(filled) and sum(map(looks_numeric, filled)) * 2 > len(filled)


def _write_gap(kinds: Sequence[str], sheet: Sheet, start: int) -> str:
    """A line in place of rows that are not shown, with what they are."""
    others = [kind for kind in kinds if kind != "data"]
    told = "" if not others else f" ({format_some([f'{others.count(one)} {one}' for one in dict.fromkeys(others)])})"
    return f"{'...':<{start}}{format_count(len(kinds), f'more {sheet.place}')}{told}"


def _fill(text: str, width: int, indent: str = "") -> list[str]:
    return textwrap.wrap(text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _width_of(text: str) -> int:
    """The room that a text takes on a terminal: letters of Chinese or Japanese take two places, accents none."""
    return sum(
        0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text
    )


def _cut(text: str, width: int) -> str:
    if _width_of(text) <= width:
        return text
    while text and _width_of(text) > width - 1:
        text = text[:-1]
    return f"{text}…"


def _pad(text: str, width: int, *, right: bool = False) -> str:
    text = _cut(text, width)
    space = " " * (width - _width_of(text))
    return space + text if right else text + space


def write_html_grid(sheet: Sheet, found: Interpretation, notes: Sequence[str], doubts: Sequence[Doubt]) -> str:
    """The grid as a table of HTML, cells coloured by role; every text is escaped."""
    kinds = classify_rows(sheet, found)
    shown = _choose_rows(sheet, kinds, doubts, _MOST_HTML_ROWS)
    columns = found.columns[:_MOST_HTML_COLUMNS]
    body = "".join(_write_html_rows(sheet, found, kinds, shown, len(columns)))
    letters = "".join(_write_cell("th", column.letter) for column in columns)
    roles = "".join(
        _write_cell("th", ROLES.get(column.role, column.role.replace("_", " ")), column.role) for column in columns
    )
    corner = _write_cell("th", "") * 2
    more = len(found.columns) - len(columns)
    caption = f'<caption style="text-align:left">{escape(_name_source(sheet))}</caption>'
    head = f"<thead><tr>{corner}{letters}</tr><tr>{corner}{roles}</tr></thead>"
    style = "color:inherit;border-collapse:collapse"
    parts = [f'<table style="{style}">{caption}{head}<tbody>{body}</tbody></table>']
    if more > 0:
        parts.append(f"<p>{format_count(more, 'more column')}.</p>")
    if facts := _list_facts(found):
        parts.append(f"<p>Read as: {escape('; '.join(facts))}.</p>")
    if notes:
        parts.append(f"<ul>{''.join(f'<li>{escape(_strip_source(sheet, note))}</li>' for note in notes)}</ul>")
    parts += map(_write_html_doubt, doubts)
    return f"<div>{''.join(parts)}</div>"


def _write_html_rows(
    sheet: Sheet, found: Interpretation, kinds: Sequence[str], shown: Sequence[int], width: int
) -> Iterator[str]:
    before = -1
    for i in shown:
        if i > before + 1:
            gap = _write_gap(kinds[before + 1 : i], sheet, 0)
            yield f'<tr><td colspan="{width + 2}" style="text-align:left">{escape(gap)}</td></tr>'
        before = i
        cells = "".join(
            _write_cell(
                "td",
                one_line(cell, 200),
                found.columns[j].role if kinds[i] == "data" else kinds[i],
                right=looks_numeric(cell),
            )
            for j, cell in enumerate(sheet.rows[i][:width])
        )
        yield f"<tr>{_write_cell('th', str(sheet.lines[i]), right=True)}{_write_cell('th', kinds[i])}{cells}</tr>"


def _write_cell(tag: str, text: str, role: str = "", *, right: bool = False) -> str:
    """A cell, with the colour of its role: a transparent one, so that letters stay readable on light and on dark."""
    style = f"padding:2px 8px;text-align:{'right' if right else 'left'}"
    if role in _COLOURS or (role in ROLES and role != _UNUSED):
        style += f";background-color:rgba({_COLOURS.get(role, _OTHER_COLOUR)},{_STRENGTH})"
    elif role:
        style += ";opacity:0.65"
    return f'<{tag} style="{style}">{escape(text)}</{tag}>'


def _write_html_doubt(doubt: Doubt) -> str:
    if not doubt.choices:
        return f"<p><b>In doubt:</b> {escape(str(doubt.error))}</p>"
    ways = "".join(
        f"<li>{escape(choice.label)}: <code>{escape(write_python(choice))}</code></li>" for choice in doubt.choices
    )
    free = "" if doubt.free is None else f"<p>Or set <code>{escape(PYTHON.setting(doubt.free))}</code>.</p>"
    return f"<p><b>In doubt:</b> {escape(doubt.question)}</p><ol>{ways}</ol>{free}"
