"""A chart as SVG: classes, no styles, so that one picture serves light and dark, screen and paper."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..._check import FloatArray
from ...question_base.axes import LogScale, ScoreScale, choose_size_ticks
from ...question_base.markup import escape_markup
from ...questions.forecast.curve_picture import CurvePicture, is_marked
from .labels import describe_chart, label_legend, size_axis, title_chart

__all__ = ["Drawing"]

# Places in the picture's own unit. chart.css sets letters to 13 of them, and to 21 where the picture is narrow.
_WIDTH = 640
_LEFT, _RIGHT, _TOP, _BOTTOM = 62.0, 622.0, 34.0, 350.0
_LEGEND, _ROW = 418.0, 27.0  # first line of the legend, and the distance of its lines
_COLUMNS = (_LEFT - 40, 350.0)
_LETTER, _NARROW_LETTER = 7.2, 11.6
_SIDE_LABEL = 125.0  # room that the word "measured" takes
_MOST_LETTERS = 50  # of a metric's name above the axis


@dataclass(frozen=True)
class Drawing:
    """A picture, laid out.

    Parameters
    ----------
    picture
        What is drawn.
    name
        Begins every identifier in the picture; another for each picture of a page.
    """

    picture: CurvePicture
    name: str = "chart"

    @property
    def x(self) -> LogScale:
        """The axis of sizes."""
        first, *_, last = self.picture.sizes.tolist()
        return LogScale(first / 1.06, last * 1.03, _LEFT, _RIGHT, _WIDTH - 2)

    @property
    def y(self) -> ScoreScale:
        """The axis of scores."""
        picture = self.picture
        # All of the forecast and of what was measured; where it is only a fit, a wide band may be cut off.
        _, (_, beyond) = self._parts()
        values = [picture.measured_scores, *(end[beyond] for ends in picture.bands.values() for end in ends)]
        values += [picture.pilot_mean + picture.pilot_std, picture.pilot_mean - picture.pilot_std]
        target = [] if picture.required is None else [picture.required.target]
        return ScoreScale.holding([*np.concatenate(values).tolist(), *target], _TOP, _BOTTOM, picture.range)

    def svg(self, style: str | None = None) -> str:
        """The picture; with a `style` sheet inside, one that is a file of its own."""
        picture, name = self.picture, escape_markup(self.name)
        legend = list(self._legend())
        height = _LEGEND + _ROW * (max(row for row, _ in legend)) + 14
        alone = "" if style is None else f"<style>{style}</style>"
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" class="forecast-chart" viewBox="0 0 {_WIDTH} {height:g}" '
                f'role="img" aria-labelledby="{name}-title {name}-desc">{alone}',
                f'<title id="{name}-title">{escape_markup(title_chart(picture))}</title>',
                f'<desc id="{name}-desc">{escape_markup(describe_chart(picture))}</desc>',
                *self._axes(),
                *self._bands(),
                *self._forecast(),
                *self._draw_measured(),
                *self._target(),
                *(mark for _, mark in legend),
                "</svg>",
            ]
        )

    def places(self) -> list[list[float]]:
        """For each size: where it is, and where its expected score and the ends of its interval are."""
        x, y, picture = self.x, self.y, self.picture
        lines = (picture.sizes, picture.mean, *picture.bands[picture.level])
        columns = zip(*(line.tolist() for line in lines), strict=True)
        return [
            [round(x(size), 1), *(round(y(min(max(score, y.low), y.high)), 1) for score in scores)]
            for size, *scores in columns
        ]

    def _axes(self) -> Iterator[str]:
        x, y = self.x, self.y
        for tick in y.ticks():
            at = y(tick.value)
            yield f'<path class="grid" d="M{_LEFT:g} {at:.1f}H{_RIGHT:g}"/>'
            yield f'<text class="tick" x="{_LEFT - 8:g}" y="{at:.1f}" dy=".35em" text-anchor="end">{tick.label}</text>'
        for tick in choose_size_ticks(x, _LETTER, _NARROW_LETTER):
            at, extra = x(tick.value), " extra" * tick.extra
            yield f'<path class="grid{extra}" d="M{at:.1f} {_TOP:g}V{_BOTTOM + 5:g}"/>'
            # A label that would stand out of the picture, on a narrow screen at least, ends with it.
            beyond = at + _NARROW_LETTER * len(tick.label) / 2 > x.edge
            where, anchor = (x.edge, "end") if beyond else (at, "middle")
            yield (
                f'<text class="tick{extra}" x="{where:.1f}" y="{_BOTTOM + 9:g}" dy=".8em" text-anchor="{anchor}">'
                f"{tick.label}</text>"
            )
        yield f'<path class="axis" d="M{_LEFT:g} {_TOP:g}V{_BOTTOM:g}H{_RIGHT:g}"/>'
        metric = self.picture.metric
        shown = metric if len(metric) <= _MOST_LETTERS else metric[: _MOST_LETTERS - 1] + "\N{HORIZONTAL ELLIPSIS}"
        yield f'<text class="axis-title" x="6" y="{_TOP - 16:g}">{escape_markup(shown)}</text>'
        middle = (_LEFT + _RIGHT) / 2
        below = f'x="{middle:g}" y="{_BOTTOM + 47:g}" text-anchor="middle"'
        yield f'<text class="axis-title" {below}>{escape_markup(size_axis(self.picture))}</text>'

    def _bands(self) -> Iterator[str]:
        # Where there are data the model is a fit, not a forecast: told apart by another class.
        for i, ends in reversed(list(enumerate(self.picture.bands.values()))):
            for part, chosen in self._parts():
                lower, upper = (self._line(end, chosen) for end in ends)
                back = " ".join(reversed(upper.split(" ")))
                yield f'<polygon class="band band-{i} {part}" points="{lower} {back}"/>'
                yield f'<polyline class="edge edge-{i} {part}" points="{lower}"/>'
                yield f'<polyline class="edge edge-{i} {part}" points="{upper}"/>'

    def _forecast(self) -> Iterator[str]:
        for part, chosen in self._parts():
            yield f'<polyline class="mean {part}" points="{self._line(self.picture.mean, chosen)}"/>'
        boundary = self.x(float(self.picture.pilot_sizes[-1]))
        yield f'<path class="boundary" d="M{boundary:.1f} {_TOP:g}V{_BOTTOM:g}"/>'
        # Beside the boundary, on the side that the curve leaves free.
        at = _BOTTOM - 24 if self.picture.direction == "higher" else _TOP + 6
        words = (("measured", -8, "end", boundary - _LEFT), ("forecast", 8, "start", _RIGHT - boundary))
        for word, shift, anchor, room in words:
            if room > _SIDE_LABEL:
                yield (
                    f'<text class="side" x="{boundary + shift:.1f}" y="{at:g}" dy=".8em" text-anchor="{anchor}">'
                    f"{word}</text>"
                )

    def _draw_measured(self) -> Iterator[str]:
        x, y, picture = self.x, self.y, self.picture
        if len(picture.measured_sizes) > len(picture.pilot_sizes):
            dots = zip(picture.measured_sizes.tolist(), picture.measured_scores.tolist(), strict=True)
            # A dot is a line of no length with a round end: one element, however many there are.
            yield f'<path class="score" d="{"".join(f"M{x(n):.1f} {y(s):.1f}h0" for n, s in dots)}"/>'
        columns = (picture.pilot_sizes, picture.pilot_mean, picture.pilot_std)
        for size, mean, std in zip(*(column.tolist() for column in columns), strict=True):
            yield from _whisker("pilot", x(size), y(mean), y(mean + std) if std else None, y(mean - std))

    def _target(self) -> Iterator[str]:
        x, y, required = self.x, self.y, self.picture.required
        if required is None:
            return
        at = y(required.target)
        yield f'<path class="target" d="M{_LEFT:g} {at:.1f}H{_RIGHT:g}"/>'
        if not is_marked(required, self.picture):
            return
        low, high = (float(end) for end in np.clip(required.interval, x.low, x.high))
        yield f'<path class="spread" d="M{max(_LEFT, x(low)):.1f} {at:.1f}H{min(_RIGHT, x(high)):.1f}"/>'
        yield f'<path class="drop" d="M{x(required.rounded_size):.1f} {at:.1f}V{_BOTTOM:g}"/>'
        yield _triangle(x(required.rounded_size), at)

    def _legend(self) -> Iterator[tuple[int, str]]:
        """Samples of the marks with their names: the line of the legend, and the mark."""
        words = label_legend(self.picture)
        target = words.pop("required", None)
        places = [(row, column) for row in range(4) for column in _COLUMNS]
        items = [(place, *item) for place, item in zip(places, words.items(), strict=False)]
        if target is not None:
            items.append((((len(words) + 1) // 2, _COLUMNS[0]), "required", target))
        for (row, left), kind, text in items:
            at = _LEGEND + _ROW * row
            mark = "".join(_sample(kind, left, at))
            yield (
                row,
                f'{mark}<text class="legend" x="{left + 40:g}" y="{at:g}" dy=".35em">{escape_markup(text)}</text>',
            )

    def _parts(self) -> list[tuple[str, list[int]]]:
        """Split the sizes into those within the pilot and those beyond."""
        sizes, last = self.picture.sizes, self.picture.pilot_sizes[-1]
        return [
            ("fit", np.flatnonzero(sizes <= last).tolist()),
            ("forecast", np.flatnonzero(sizes >= last).tolist()),
        ]

    def _line(self, scores: FloatArray, chosen: list[int]) -> str:
        x, y = self.x, self.y
        points = zip(self.picture.sizes[chosen].tolist(), scores[chosen].tolist(), strict=True)
        return " ".join(f"{x(size):.1f},{y(min(max(score, y.low), y.high)):.1f}" for size, score in points)


def _whisker(kind: str, x: float, y: float, top: float | None, bottom: float) -> Iterator[str]:
    if top is not None:
        bars = f"M{x - 4:.1f} {top:.1f}h8M{x:.1f} {top:.1f}V{bottom:.1f}M{x - 4:.1f} {bottom:.1f}h8"
        yield f'<path class="{kind}" d="{bars}"/>'
    yield f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>'


def _triangle(x: float, y: float) -> str:
    return f'<path class="required" d="M{x - 7:.1f} {y - 12:.1f}h14l-7 12z"/>'


def _sample(kind: str, left: float, y: float) -> Iterator[str]:
    """A mark of the legend."""
    if kind in ("pilot", "single"):
        yield from _whisker("pilot", left + 16, y, y - 10 if kind == "pilot" else None, y + 10)
    elif kind == "measured":
        yield f'<path class="score" d="M{left + 6:g} {y + 3:g}h0M{left + 16:g} {y - 3:g}h0M{left + 26:g} {y + 1:g}h0"/>'
    elif kind.startswith("band "):
        i = kind.removeprefix("band ")
        yield f'<rect class="band band-{i} forecast" x="{left:g}" y="{y - 9:g}" width="32" height="18"/>'
        for edge in (y - 9, y + 9):
            yield f'<path class="edge edge-{i} forecast" d="M{left:g} {edge:g}h32"/>'
    elif kind == "required":
        yield f'<path class="spread" d="M{left:g} {y + 4:g}h32"/>'
        yield _triangle(left + 16, y + 4)
    else:
        yield f'<path class="{kind}{" forecast" * (kind == "mean")}" d="M{left:g} {y:g}h32"/>'
