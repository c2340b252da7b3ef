"""A chart in characters, for a terminal: shades for the bands, so that it can be read without colours."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from ...question_base.axes import LogScale, ScoreScale, choose_size_ticks
from ...questions.forecast.curve_picture import CurvePicture, is_marked
from ...running.terminal import escape_controls
from .labels import label_legend

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
    """A picture on a grid of characters.

    Parameters
    ----------
    picture
        What is drawn.
    width
        Columns of the terminal.
    plain
        Whether it shows only ASCII.
    """

    def __init__(self, picture: CurvePicture, width: int = 80, *, plain: bool = False) -> None:
        self.picture, self._which = picture, int(plain)
        self.columns = max(20, min(width, _WIDEST) - _ROOM - 2)
        beyond = picture.sizes >= picture.pilot_sizes[-1]
        shown = [picture.pilot_mean, *(end[beyond] for ends in picture.bands.values() for end in ends)]
        target = [] if picture.required is None else [picture.required.target]
        scale = ScoreScale.holding([*np.concatenate(shown).tolist(), *target], 0, 1, picture.range)
        # As many lines from each number to the next.
        steps = max(1, round((scale.high - scale.low) / scale.step))
        self.height = steps * max(1, round(_HEIGHT / steps)) + 1
        self.y = replace(scale, bottom=self.height - 1)
        first, *_, last = picture.sizes.tolist()
        self.x = LogScale(first, last, 0, self.columns - 1, self.columns + 0.5)
        self._cells = [[(" ", "")] * self.columns for _ in range(self.height)]
        self._draw()

    def __rich_console__(self, _console: Any, _options: Any) -> Any:
        """The chart as rich prints it, in colours where there are any."""
        from rich.text import Text

        for line in self.lines():
            yield Text.assemble(
                *((escape_controls(piece), _STYLES.get(kind, "")) for piece, kind in line), no_wrap=True
            )

    def lines(self) -> list[list[tuple[str, str]]]:
        """Lines of pieces of text, each with the name of its kind."""
        numbers = {round(self.y(tick.value)): tick.label for tick in self.y.ticks()}
        shown = [[(self.picture.metric, "title")]]
        for row, cells in enumerate(self._cells):
            shown.append([(f"{numbers.get(row, ''):>{_ROOM - 1}} {self._mark('left')}", ""), *_join_lines(cells)])
        return [*shown, *([(line, "")] for line in self._axis()), *self._legend()]

    def _mark(self, kind: str) -> str:
        return _MARKS[kind][self._which]

    def _set(self, column: float, row: float, kind: str) -> None:
        if 0 <= round(row) < self.height and 0 <= round(column) < self.columns:
            self._cells[round(row)][round(column)] = (self._mark(kind), kind)

    def _draw(self) -> None:
        picture, required, logs = self.picture, self.picture.required, np.log(self.picture.sizes)
        at = np.linspace(logs[0], logs[-1], self.columns)
        boundary = round(self.x(float(picture.pilot_sizes[-1])))
        for row in range(self.height):
            self._set(boundary, row, "boundary")
        for kind, ends in reversed([(f"band {i}", ends) for i, ends in enumerate(picture.bands.values())]):
            lower, upper = (np.interp(at, logs, end).tolist() for end in ends)
            for column in range(boundary + 1, self.columns):
                bottom, top = self.y(lower[column]), self.y(upper[column])
                for row in range(math.ceil(top - 0.5), math.floor(bottom + 0.5) + 1):
                    self._set(column, row, kind)
        if required is not None:
            for column in range(self.columns):
                self._set(column, self.y(required.target), "target")
        for column, mean in enumerate(np.interp(at, logs, picture.mean).tolist()):
            self._set(column, self.y(mean), "mean" if column >= boundary else "measured")
        kind = "pilot" if "pilot" in label_legend(picture) else "single"
        for size, score in zip(picture.pilot_sizes.tolist(), picture.pilot_mean.tolist(), strict=True):
            self._set(self.x(size), self.y(score), kind)
        if required is not None and is_marked(required, picture):
            self._set(self.x(required.rounded_size), self.y(required.target), "required")

    def _axis(self) -> list[str]:
        """The axis of sizes and its numbers."""
        line, numbers = [self._mark("line")] * self.columns, [" "] * (self.columns + 1)
        for tick in choose_size_ticks(self.x, 1, 1):
            centre = round(self.x(tick.value))
            line[centre] = self._mark("bottom")
            first = min(centre - len(tick.label) // 2, len(numbers) - len(tick.label))
            numbers[max(0, first) : max(0, first) + len(tick.label)] = tick.label
        margin = " " * _ROOM
        return [f"{margin}{self._mark('corner')}{''.join(line)}", f"{margin} {''.join(numbers).rstrip()}"]

    def _legend(self) -> list[list[tuple[str, str]]]:
        """Legend, on as many lines as it takes."""
        words = {kind: text for kind, text in label_legend(self.picture).items() if kind != "measured"}
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


def _join_lines(cells: list[tuple[str, str]]) -> list[tuple[str, str]]:
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
