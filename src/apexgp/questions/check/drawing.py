"""The picture of a predictive check as SVG: what was measured, and what the model would have measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...question_base.axes import LogScale, ScoreScale, choose_size_ticks
from ...question_base.markup import escape_markup
from . import label_check_mark, title_check, trace_band
from .predictive import PredictiveCheck

__all__ = ["CheckDrawing"]

_WIDTH = 640
_LEFT, _RIGHT, _TOP, _BOTTOM = 62.0, 622.0, 34.0, 270.0
_LETTER, _NARROW_LETTER = 7.2, 11.6


@dataclass(frozen=True)
class CheckDrawing:
    """A check, laid out."""

    found: PredictiveCheck
    name: str = "check"

    @property
    def x(self) -> LogScale:
        """The axis of sizes."""
        at, *_ = trace_band(self.found)
        first, last = float(at[0]), float(at[-1])
        return LogScale(first / 1.06, last * 1.06, _LEFT, _RIGHT, _WIDTH - 2)

    @property
    def y(self) -> ScoreScale:
        """The axis of scores."""
        found = self.found
        return ScoreScale.holding(np.concatenate([found.measured, found.lower, found.upper]).tolist(), _TOP, _BOTTOM)

    def svg(self) -> str:
        """The picture, for a page that has the style sheet of charts."""
        name = escape_markup(self.name)
        return "\n".join(
            [
                '<svg xmlns="http://www.w3.org/2000/svg" class="forecast-chart" '
                f'viewBox="0 0 {_WIDTH} {_BOTTOM + 112:g}" role="img" aria-labelledby="{name}-title">',
                f'<title id="{name}-title">{escape_markup(title_check(self.found))}</title>',
                *self._axes(),
                *self._scores(),
                *self._legend(),
                "</svg>",
            ]
        )

    def _axes(self) -> Iterator[str]:
        for tick in self.y.ticks():
            at = self.y(tick.value)
            yield f'<path class="grid" d="M{_LEFT:g} {at:.1f}H{_RIGHT:g}"/>'
            yield f'<text class="tick" x="{_LEFT - 8:g}" y="{at:.1f}" dy=".35em" text-anchor="end">{tick.label}</text>'
        for tick in choose_size_ticks(self.x, _LETTER, _NARROW_LETTER):
            at, extra = self.x(tick.value), " extra" * tick.extra
            yield f'<path class="grid{extra}" d="M{at:.1f} {_TOP:g}V{_BOTTOM + 5:g}"/>'
            yield (
                f'<text class="tick{extra}" x="{at:.1f}" y="{_BOTTOM + 9:g}" dy=".8em" text-anchor="middle">'
                f"{tick.label}</text>"
            )
        yield f'<path class="axis" d="M{_LEFT:g} {_TOP:g}V{_BOTTOM:g}H{_RIGHT:g}"/>'
        yield f'<text class="axis-title" x="6" y="{_TOP - 16:g}">{escape_markup(self.found.metric)}</text>'
        middle = (_LEFT + _RIGHT) / 2
        below = f'x="{middle:g}" y="{_BOTTOM + 47:g}" text-anchor="middle"'
        yield f'<text class="axis-title" {below}>{escape_markup(f"training {self.found.unit}")}</text>'

    def _scores(self) -> Iterator[str]:
        found = self.found
        at, *scores = trace_band(found)
        lower, expected, upper = (self._line(at.tolist(), one.tolist()) for one in scores)
        yield f'<polygon class="band band-0" points="{lower} {" ".join(reversed(upper.split(" ")))}"/>'
        yield f'<polyline class="mean" points="{expected}"/>'
        for size, score in zip(found.sizes.tolist(), found.measured.tolist(), strict=True):
            yield f'<circle class="pilot" cx="{self.x(size):.1f}" cy="{self.y(score):.1f}" r="5"/>'

    def _line(self, sizes: list[float], scores: list[float]) -> str:
        return " ".join(f"{self.x(size):.1f},{self.y(score):.1f}" for size, score in zip(sizes, scores, strict=True))

    def _legend(self) -> Iterator[str]:
        y = _BOTTOM + 72
        marks = {
            "measured": f'<circle class="pilot" cx="{_LEFT + 16:g}" cy="{y:g}" r="5"/>',
            "drawn": f'<rect class="band band-0" x="{_LEFT:g}" y="{y + 15:g}" width="32" height="18"/>'
            f'<path class="mean" d="M{_LEFT:g} {y + 24:g}h32"/>',
        }
        for i, (kind, mark) in enumerate(marks.items()):
            words = escape_markup(label_check_mark(kind))
            yield f'{mark}<text class="legend" x="{_LEFT + 40:g}" y="{y + 24 * i:g}" dy=".35em">{words}</text>'
