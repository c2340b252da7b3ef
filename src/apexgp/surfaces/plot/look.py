"""The look that pictures share: colours that stay apart in grey, axes of scores and of sizes, short representations."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..._check import FloatArray, instance
from ..._extras import need
from ..._numbers import exactly
from ...cautions import FARTHEST_FACTOR

__all__ = [
    "FORECAST",
    "LINES",
    "MEASURED",
    "MODELS",
    "TARGET",
    "TRUTH",
    "Display",
    "as_they_are",
    "checked_axes",
    "dress",
    "legend",
    "mark_tested",
    "new_axes",
    "percent_axis",
    "score_axis",
    "size_axis",
    "whiskers",
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
_STEPS = ((1.0, 2.0, 5.0), (1.0, 3.0), (1.0,))  # ticks within a decade, from many to few
_LEAST_SPAN = 0.02  # of an axis of scores


class Display:
    """What pictures share: where they were drawn, and a line that says what they show."""

    ax_: Any
    figure_: Any

    def _about(self) -> str:
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._about()})"


def new_axes(caller: str, height: float = _HEIGHT, ratios: Sequence[float] = (1,)) -> Any:
    """Axes on a new figure: one, or as many above each other as there are ratios of their heights."""
    pyplot = need("matplotlib.pyplot", caller, "plot")
    _, axes = pyplot.subplots(
        len(ratios), figsize=(_WIDTH, height), layout="constrained", sharex=True, height_ratios=list(ratios)
    )
    return axes


def checked_axes(name: str, ax: Any) -> Any:
    """Axes of the caller's."""
    axes = need("matplotlib.axes", "plot", "plot")
    return instance(name, ax, axes.Axes, "a matplotlib Axes")


def dress(ax: Any) -> None:
    """A light grid behind everything, no frame above and on the right."""
    ax.grid(visible=True, color="0.92", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)


def legend(ax: Any, *, below: bool = False, **settings: Any) -> None:
    """Names of what is drawn: below the axes where the figure is ours, else where they are least in the way."""
    if below:
        made = ax.figure.legend(fontsize="small", loc="outside lower center", ncols=3, frameon=False)
    else:
        made = ax.legend(
            fontsize="small", title_fontsize="small", loc="best", framealpha=0.8, edgecolor="none", **settings
        )
    as_they_are(made.get_texts())


def as_they_are(texts: Iterable[Any]) -> None:
    """Names of metrics, models and tasks are no formulas: a $ in them is a $."""
    for text in texts:
        text.set_parse_math(False)


def mark_tested(ax: Any, at: float, end: float) -> None:
    """Where on an axis that goes to `end` the sizes end that forecasts were tested at."""
    if end > at * (1 + 1e-9):
        words = f"{FARTHEST_FACTOR} times the pilot: not tested beyond"
        ax.axvline(at, color=TRUTH, linewidth=1.2, linestyle=(0, (1, 2)), label=words)


def size_axis(ax: Any, low: float, high: float, label: str) -> None:
    """Sizes on a logarithmic scale, with round numbers of one kind: written out, or as powers of ten."""
    ticker = need("matplotlib.ticker", "plot", "plot")
    # Limits first: matplotlib's own would overflow on a logarithmic scale that goes far.
    ax.set_xlim(low / 1.08, high * 1.08)
    ax.set_xscale("log")
    written_out = high < _PLAIN
    width = ax.figure.get_figwidth() * ax.get_position().width
    steps, decades = _ticks(low, high, width / _CHARACTER, len(exactly(round(high))) if written_out else 7)
    ax.xaxis.set_major_locator(ticker.LogLocator(subs=steps, numticks=decades))
    ax.xaxis.set_minor_locator(ticker.NullLocator())
    ax.xaxis.set_major_formatter(
        ticker.FuncFormatter(lambda x, _: exactly(round(x)))
        if written_out
        else ticker.LogFormatterSciNotation(labelOnlyBase=False, minor_thresholds=(math.inf, math.inf))
    )
    ax.set_xlabel(label)


def _ticks(low: float, high: float, width: float, characters: int) -> tuple[tuple[float, ...], int]:
    """As many ticks as there is room for, on an axis of so many characters, for labels of so many.

    Returns their steps within a decade, and how many decades may have some.
    """
    room = width / (characters + 2)
    decades = math.log10(high / low)
    for steps in _STEPS:
        if len(steps) * decades <= room:
            return steps, 50
    return _STEPS[-1], max(3, int(room))


def score_axis(ax: Any, label: str, *shown: FloatArray) -> None:
    """An axis that holds all that is shown, and nothing beyond 0 and 1."""
    values = np.concatenate([np.ravel(part) for part in shown])
    low, high = float(values.min()), float(values.max())
    span = max(high - low, _LEAST_SPAN)
    middle = (low + high) / 2
    bottom, top = middle - 0.54 * span, middle + 0.54 * span
    # The bounds themselves are to be seen, with half a line above them.
    ax.set_ylim(max(bottom, -0.01 * span), min(top, 1 + 0.01 * span))
    ax.ticklabel_format(axis="y", useOffset=False, style="plain")
    ax.set_ylabel(label, parse_math=False)


def percent_axis(ax: Any, label: str) -> None:
    """An axis of probabilities."""
    ticker = need("matplotlib.ticker", "plot", "plot")
    ax.set_ylim(-0.02, 1.02)
    ax.set_yticks(np.linspace(0, 1, 5))
    ax.yaxis.set_major_formatter(ticker.PercentFormatter(1.0, decimals=0, symbol=" %"))
    ax.set_ylabel(label)


def whiskers(mean: FloatArray, std: FloatArray) -> FloatArray:
    """How far to draw down and up from a mean score: a standard deviation, but not beyond 0 and 1."""
    return np.stack([np.minimum(std, mean), np.minimum(std, 1 - mean)])
