"""Bars of a sensitivity analysis as SVG: one for each change, around the answer as it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..._numbers import format_chance, format_score
from ...question_base.axes import ScoreScale
from ...question_base.markup import escape_markup
from . import label_bar_group, label_compared_axis, say_left_out
from .analysis import Sensitivity, SensitivityRow

__all__ = ["MOST_BARS", "BarDrawing", "format_value", "group_bar"]

MOST_BARS = 14
"""Changes that a picture shows: those that move the answer most."""

_WIDTH = 640
_LEFT, _RIGHT = 24.0, 616.0
_TOP, _ROW = 40.0, 40.0
_NAME = 23.0  # from the top of a row to its bar
_LINE = 26.0  # of what stands below the axis
_BAR = 11.0  # thickness


def group_bar(row: SensitivityRow) -> str:
    """Group of a bar, for its colour: an assumption, the data, or the question."""
    return {"prior": "assumed", "curve": "assumed", "limit": "assumed", "data": "data"}.get(row.kind, "other")


def format_value(found: Sensitivity, row: SensitivityRow) -> str:
    """Text beside a bar: the number that is compared, and the size that the target takes."""
    value = row.compared
    if found.target is None:
        return format_score(value, found.decimals)
    return f"{format_chance(value)} ({row.takes})"


@dataclass(frozen=True)
class BarDrawing:
    """Bars, laid out: the name of a change and its number above each."""

    found: Sensitivity
    name: str = "bars"

    @property
    def rows(self) -> tuple[SensitivityRow, ...]:
        """The changes that are shown."""
        return self.found.answered[:MOST_BARS]

    @property
    def x(self) -> ScoreScale:
        """The axis of what is compared, from left to right."""
        found = self.found
        values = [row.compared for row in (found.unchanged, *self.rows)]
        if found.target is None:
            values += [float(end[-1]) for row in (found.unchanged, *self.rows) for end in (row.lower, row.upper)]
        return ScoreScale.holding(values, _RIGHT, _LEFT)

    def svg(self) -> str:
        """The picture, for a page that has the style sheet of charts."""
        name, bottom = escape_markup(self.name), _TOP + _ROW * len(self.rows)
        legend, title = list(self._legend(bottom + 80)), escape_markup(label_compared_axis(self.found))
        height = bottom + 80 + _LINE * len(legend)
        return "\n".join(
            [
                '<svg xmlns="http://www.w3.org/2000/svg" class="forecast-chart" '
                f'viewBox="0 0 {_WIDTH} {height:g}" role="img" aria-labelledby="{name}-title">',
                f'<title id="{name}-title">What moves the {title}</title>',
                *self._axis(bottom),
                *(part for i, row in enumerate(self.rows) for part in self._bar(row, _TOP + _ROW * i)),
                self._answer(),
                f'<text class="axis-title" x="{_LEFT:g}" y="{bottom + 54:g}">{title}</text>',
                *legend,
                "</svg>",
            ]
        )

    def _axis(self, bottom: float) -> Iterator[str]:
        for tick in self.x.ticks():
            at = self.x(tick.value)
            label = tick.label if self.found.target is None else f"{100 * tick.value:.3g} %"
            yield f'<path class="grid" d="M{at:.1f} {_TOP - 8:g}V{bottom + 5:g}"/>'
            yield f'<text class="tick" x="{at:.1f}" y="{bottom + 12:g}" dy=".8em" text-anchor="middle">{label}</text>'

    def _bar(self, row: SensitivityRow, top: float) -> Iterator[str]:
        base, at = self.x(self.found.unchanged.compared), self.x(row.compared)
        middle = top + _NAME + _BAR / 2
        yield f'<text class="bar-name" x="{_LEFT:g}" y="{top + 2:g}" dy=".8em">{escape_markup(row.name)}</text>'
        words = escape_markup(format_value(self.found, row))
        yield f'<text class="tick" x="{_RIGHT:g}" y="{top + 2:g}" dy=".8em" text-anchor="end">{words}</text>'
        if self.found.target is None:
            low, high = self.x(float(row.lower[-1])), self.x(float(row.upper[-1]))
            yield f'<path class="whisker" d="M{low:.1f} {middle:g}H{high:.1f}"/>'
        left, width = min(base, at), max(abs(at - base), 1.0)
        place = f'x="{left:.1f}" y="{top + _NAME:g}" width="{width:.1f}" height="{_BAR:g}"'
        yield f'<rect class="bar {group_bar(row)}" {place}/>'
        # Beside the bars alone, since it would run through the words above them.
        yield f'<path class="answer-line" d="M{base:.1f} {top + _NAME - 2:g}v{_BAR + 4:g}"/>'

    def _answer(self) -> str:
        """The answer as it is, above the line that the bars start from."""
        found, at = self.found, self.x(self.found.unchanged.compared)
        words = escape_markup(f"as it is: {format_value(found, found.unchanged)}")
        anchor = "start" if at < (_LEFT + _RIGHT) / 2 else "end"
        return f'<text class="axis-title" x="{at:.1f}" y="{_TOP - 16:g}" text-anchor="{anchor}">{words}</text>'

    def _legend(self, y: float) -> Iterator[str]:
        """Legend, and what is left out, one below the other: there is room whatever the size of letters."""
        for group in dict.fromkeys(group_bar(row) for row in self.rows):
            mark = f'<rect class="bar {group}" x="{_LEFT:g}" y="{y - 8:g}" width="24" height="{_BAR:g}"/>'
            label = escape_markup(label_bar_group(group))
            yield f'{mark}<text class="legend" x="{_LEFT + 34:g}" y="{y + 2:g}">{label}</text>'
            y += _LINE
        left_out = say_left_out(len(self.found.answered) - len(self.rows))
        if left_out:
            yield f'<text class="tick" x="{_LEFT:g}" y="{y + 2:g}">{left_out}</text>'
