"""A chart in characters, for a terminal: shades for the bands, so that it can be read without colours."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from ..words.chart import legend_words
from .axes import LogScale, ScoreScale, size_ticks

__all__ = ["TextChart"]

_HEIGHT = 12  # lines of scores, or so
_ROOM = 7  # columns for the numbers beside them
_WIDEST = 100

# Marks by kind, and the same for a terminal that has only letters of ASCII.
_MARKS = {
    "measured": ("·", "."),
    "pilot": ("●", "o"),
    "single": ("●", "o"),
    "mean": ("━", "-"),
    "band 0": ("▒", ":"),
    "band 1": ("░", "."),
    "target": ("╌", "="),
    "required": ("▼", "V"),
    "boundary": ("┊", "'"),
    "left": ("┤", "|"),
    "bottom": ("┬", "+"),
    "line": ("─", "-"),
    "corner": ("└", "+"),
}
_STYLES = {
    "mean": "bold blue",
    "band 0": "blue",
    "band 1": "blue",
    "pilot": "bold",
    "single": "bold",
    "target": "green",
    "required": "bold green",
    "title": "bold",
}


class TextChart:
    """Facts of a chart on a grid of characters.

    Parameters
    ----------
    facts
        Of `chart_facts`.
    width
        Columns of the terminal.
    plain
        Whether it shows only ASCII.
    """

    def __init__(self, facts: dict[str, Any], width: int = 80, *, plain: bool = False) -> None:
        self.facts, self._which = facts, int(plain)
        self.columns = max(20, min(width, _WIDEST) - _ROOM - 2)
        widest, last = facts["bands"][-1], facts["pilot"]["sizes"][-1]
        beyond = [i for i, size in enumerate(facts["sizes"]) if size >= last]
        values = [*facts["pilot"]["mean"], *(widest[end][i] for i in beyond for end in ("lower", "upper"))]
        values += [] if facts["target"] is None else [facts["target"]]
        scale = ScoreScale.holding(values, 0, 1)
        # As many lines from each number to the next.
        steps = max(1, round((scale.high - scale.low) / scale.step))
        self.height = steps * max(1, round(_HEIGHT / steps)) + 1
        self.y = replace(scale, bottom=self.height - 1)
        self.x = LogScale(facts["sizes"][0], facts["sizes"][-1], 0, self.columns - 1, self.columns + 0.5)
        self._cells = [[(" ", "")] * self.columns for _ in range(self.height)]
        self._draw()

    def __rich_console__(self, _console: Any, _options: Any) -> Any:
        """The chart as rich prints it, in colours where there are any."""
        from rich.text import Text

        for line in self.lines():
            yield Text.assemble(*((piece, _STYLES.get(kind, "")) for piece, kind in line), no_wrap=True)

    def lines(self) -> list[list[tuple[str, str]]]:
        """Lines of pieces of text, each with the name of its kind."""
        numbers = {round(self.y(tick.value)): tick.label for tick in self.y.ticks()}
        shown = [[(self.facts["metric"], "title")]]
        for row, cells in enumerate(self._cells):
            shown.append([(f"{numbers.get(row, ''):>{_ROOM - 1}} {self._mark('left')}", ""), *_joined(cells)])
        return [*shown, *([(line, "")] for line in self._axis()), *self._legend()]

    def _mark(self, kind: str) -> str:
        return _MARKS[kind][self._which]

    def _set(self, column: float, row: float, kind: str) -> None:
        if 0 <= round(row) < self.height and 0 <= round(column) < self.columns:
            self._cells[round(row)][round(column)] = (self._mark(kind), kind)

    def _draw(self) -> None:
        facts, logs = self.facts, np.log(self.facts["sizes"])
        at = np.linspace(logs[0], logs[-1], self.columns)
        boundary = round(self.x(facts["pilot"]["sizes"][-1]))
        for row in range(self.height):
            self._set(boundary, row, "boundary")
        for kind, band in reversed([(f"band {i}", band) for i, band in enumerate(facts["bands"])]):
            ends = [np.interp(at, logs, band[end]) for end in ("lower", "upper")]
            for column in range(boundary + 1, self.columns):
                bottom, top = (self.y(float(end[column])) for end in ends)
                for row in range(math.ceil(top - 0.5), math.floor(bottom + 0.5) + 1):
                    self._set(column, row, kind)
        if facts["target"] is not None:
            for column in range(self.columns):
                self._set(column, self.y(facts["target"]), "target")
        mean = np.interp(at, logs, facts["mean"])
        for column in range(self.columns):
            self._set(column, self.y(float(mean[column])), "mean" if column >= boundary else "measured")
        kind = "pilot" if "pilot" in legend_words(facts) else "single"
        for size, score in zip(facts["pilot"]["sizes"], facts["pilot"]["mean"], strict=True):
            self._set(self.x(size), self.y(score), kind)
        if facts["target"] is not None and facts["required"]["shown"]:
            self._set(self.x(facts["required"]["size"]), self.y(facts["target"]), "required")

    def _axis(self) -> list[str]:
        """The axis of sizes and its numbers."""
        line, numbers = [self._mark("line")] * self.columns, [" "] * (self.columns + 1)
        for tick in size_ticks(self.x, 1, 1):
            centre = round(self.x(tick.value))
            line[centre] = self._mark("bottom")
            first = min(centre - len(tick.label) // 2, len(numbers) - len(tick.label))
            numbers[max(0, first) : max(0, first) + len(tick.label)] = tick.label
        margin = " " * _ROOM
        return [f"{margin}{self._mark('corner')}{''.join(line)}", f"{margin} {''.join(numbers).rstrip()}"]

    def _legend(self) -> list[list[tuple[str, str]]]:
        """What the marks mean, on as many lines as it takes."""
        words = {kind: text for kind, text in legend_words(self.facts).items() if kind != "measured"}
        words |= {"pilot": "measured"} if "pilot" in words else {}
        if "required" in words:
            words["required"] = words["required"].partition(" (")[0]
        lines: list[list[tuple[str, str]]] = [[(" " * (_ROOM + 1), "")]]
        for kind, text in words.items():
            item = f" {text}  "
            if sum(len(piece) for piece, _ in lines[-1]) + len(item) > self.columns + _ROOM:
                lines.append([(" " * (_ROOM + 1), "")])
            lines[-1] += [(self._mark(kind), kind), (item, "")]
        return [[*line[:-1], (line[-1][0].rstrip(), "")] for line in lines]


def _joined(cells: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Neighbours of one kind as one piece; nothing that is blank at the end."""
    pieces: list[tuple[str, str]] = []
    for sign, kind in cells:
        if pieces and pieces[-1][1] == kind:
            pieces[-1] = (pieces[-1][0] + sign, kind)
        else:
            pieces.append((sign, kind))
    if pieces and not pieces[-1][1]:
        pieces.pop()
    return pieces
