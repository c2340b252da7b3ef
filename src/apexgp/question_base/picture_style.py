"""The look that pictures share: colours that stay apart in grey, axes of scores and of sizes, short representations."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .._check import FloatArray, check_instance
from .._extras import import_extra
from .._numbers import format_size
from ..cautions import FARTHEST_FACTOR
from ..scale import UNIT_RANGE, Range
from .axes import LogScale, choose_size_ticks

__all__ = [
    "FORECAST",
    "LINES",
    "MEASURED",
    "MODELS",
    "TARGET",
    "TRUTH",
    "Display",
    "add_legend",
    "build_whiskers",
    "check_axes",
    "disable_math_text",
    "make_axes",
    "mark_tested",
    "size_axis",
    "style_axes",
    "style_percent_axis",
    "style_score_axis",
]

MEASURED = "#1b1b1b"
FORECAST = "#1f6fb4"
TARGET = "#1f6b36"
TRUTH = "#c4451c"
# Told apart by lightness and by the kind of line, so that a grey print shows them too.
MODELS = ("#134b85", "#e8871e", "#2f8f5b", "#8a5bb5", "#6b6b6b")
LINES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.2)), "-.", (0, (7, 2, 1, 2, 1, 2)))

_WIDTH, _HEIGHT = 7.2, 4.8  # inches
_CHARACTER = 0.068  # inches, of a tick's label
_PLAIN = 1e7  # sizes up to here are written out
_BEYOND = 0.3  # inches that a tick's label may reach beyond the axis
_LEAST_SPAN = 0.02  # of an axis of scores


class Display:
    """Base of all pictures: the axes that they were drawn on, and a short representation."""

    ax_: Any
    figure_: Any

    def _about(self) -> str:
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._about()})"


def make_axes(caller: str, height: float = _HEIGHT, ratios: Sequence[float] = (1,)) -> Any:
    """Axes on a new figure: one, or as many above each other as there are ratios of their heights."""
    pyplot = import_extra("matplotlib.pyplot", caller, "plot")
    _, axes = pyplot.subplots(
        len(ratios), figsize=(_WIDTH, height), layout="constrained", sharex=True, height_ratios=list(ratios)
    )
    return axes


def check_axes(name: str, ax: Any) -> Any:
    """Axes of the caller's."""
    axes = import_extra("matplotlib.axes", "plot", "plot")
    return check_instance(name, ax, axes.Axes, "a matplotlib Axes")


def style_axes(ax: Any) -> None:
    """A light grid behind everything, no frame above and on the right."""
    ax.grid(visible=True, color="0.92", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)


def add_legend(ax: Any, *, below: bool = False, **settings: Any) -> None:
    """Names of what is drawn: below the axes where the figure is ours, else where they are least in the way."""
    if below:
        made = ax.figure.legend(fontsize="small", loc="outside lower center", ncols=3, frameon=False)
    else:
        made = ax.legend(
            fontsize="small", title_fontsize="small", loc="best", framealpha=0.8, edgecolor="none", **settings
        )
    disable_math_text(made.get_texts())


def disable_math_text(texts: Iterable[Any]) -> None:
    """Names of metrics, models and tasks are no formulas: a $ in them is a $."""
    for text in texts:
        text.set_parse_math(False)


def mark_tested(ax: Any, at: float, end: float) -> None:
    """Where on an axis that goes to `end` the sizes end that forecasts were tested at."""
    if end > at * (1 + 1e-9):
        words = f"{FARTHEST_FACTOR} times the pilot: untested beyond"
        ax.axvline(at, color=TRUTH, linewidth=1.2, linestyle=(0, (1, 2)), label=words)


def size_axis(ax: Any, low: float, high: float, label: str) -> None:
    """Sizes on a logarithmic scale, with round numbers of one kind: written out, or as powers of ten."""
    ticker = import_extra("matplotlib.ticker", "plot", "plot")
    # Limits first: matplotlib's own would overflow on a logarithmic scale that goes far.
    ax.set_xlim(low / 1.08, high * 1.08)
    ax.set_xscale("log")
    width = ax.figure.get_figwidth() * ax.get_position().width
    letter = _CHARACTER if high < _PLAIN else 1.5 * _CHARACTER  # powers of ten are wider than the chart's 3e8

    class RoundSizes(ticker.Locator):  # type: ignore[name-defined]
        """The ticks of our charts, chosen again when somebody zooms."""

        def __call__(self) -> list[float]:
            return self.tick_values(*self.axis.get_view_interval())

        def tick_values(self, vmin: float, vmax: float) -> list[float]:
            scale = LogScale(min(vmin, vmax), max(vmin, vmax), 0.0, width, width + _BEYOND)
            return [tick.value for tick in choose_size_ticks(scale, letter, letter)]

    ax.xaxis.set_major_locator(RoundSizes())
    ax.xaxis.set_minor_locator(ticker.NullLocator())
    ax.xaxis.set_major_formatter(
        ticker.FuncFormatter(lambda x, _: format_size(x))
        if high < _PLAIN
        else ticker.LogFormatterSciNotation(labelOnlyBase=False, minor_thresholds=(math.inf, math.inf))
    )
    ax.set_xlabel(label)


def style_score_axis(ax: Any, label: str, *shown: FloatArray, between: Range = UNIT_RANGE) -> None:
    """An axis that holds all that is shown, and nothing beyond the lowest and the highest possible score."""
    values = np.concatenate([np.ravel(part) for part in shown])
    low, high = float(values.min()), float(values.max())
    span = max(high - low, _LEAST_SPAN * (1.0 if between == UNIT_RANGE else max(abs(low), abs(high))))
    middle = (low + high) / 2
    bottom, top = middle - 0.54 * span, middle + 0.54 * span
    # The bounds themselves are to be seen, with half a line above them.
    ax.set_ylim(max(bottom, between[0] - 0.01 * span), min(top, between[1] + 0.01 * span))
    ax.ticklabel_format(axis="y", useOffset=False, style="plain")
    ax.set_ylabel(label, parse_math=False)


def style_percent_axis(ax: Any, label: str) -> None:
    """An axis of probabilities."""
    ticker = import_extra("matplotlib.ticker", "plot", "plot")
    ax.set_ylim(-0.02, 1.02)
    ax.set_yticks(np.linspace(0, 1, 5))
    ax.yaxis.set_major_formatter(ticker.PercentFormatter(1.0, decimals=0, symbol=" %"))
    ax.set_ylabel(label)


def build_whiskers(mean: FloatArray, std: FloatArray, between: Range = UNIT_RANGE) -> FloatArray:
    """How far to draw down and up from a mean score: a standard deviation, but not beyond what is possible."""
    return np.stack([np.minimum(std, mean - between[0]), np.minimum(std, between[1] - mean)])
