"""What the figures share: colours that stay apart in grey, axes, legends below."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib import pyplot
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from apexgp import Forecast

PILOT, LATER = "#1b1b1b", "#c4451c"
COLOURS = {"gp_power_law": "#e8871e", "gp_arctan": "#2f8f5b", "default": "#1f6fb4"}
LINES: dict[str, Any] = {"gp_power_law": (0, (5, 2)), "gp_arctan": (0, (1, 1.2)), "default": "-"}


def panels(rows: int, columns: int, width: float, height: float, **settings: Any) -> tuple[Figure, np.ndarray]:
    """A grid of axes, each so many inches wide and high."""
    size = (width * columns, height * rows)
    figure, axes = pyplot.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False, **settings)
    for ax in axes.flat:
        ax.grid(visible=True, color="0.92", linewidth=0.8)
        ax.set_axisbelow(True)
        ax.spines[["top", "right"]].set_visible(False)
        ax.tick_params(labelsize="small")
        ax.title.set_fontsize("medium")
    return figure, axes


def size_axis(ax: Any, ticks: tuple[int, ...], low: float, high: float) -> None:
    """Training-set sizes on a logarithmic scale."""
    ax.set_xscale("log")
    ax.set_xlim(low / 1.1, high * 1.1)
    ax.xaxis.set_major_locator(FixedLocator(ticks))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))


def score_axis(ax: Any, shown: list[np.ndarray]) -> None:
    """Scores, as far as they go and never beyond 1."""
    values = np.concatenate([np.ravel(part) for part in shown])
    low, high = values.min(), values.max()
    margin = 0.06 * max(high - low, 0.02)
    ax.set_ylim(low - margin, min(high + margin, 1.002))


def draw_forecast(ax: Any, forecast: Forecast, method: str, label: str) -> list[np.ndarray]:
    """The 95 % interval as a band with an outline, and the mean. Returns what the axis has to hold."""
    colour, line = COLOURS[method], LINES[method]
    lower, upper = forecast.interval(0.95)
    ax.fill_between(forecast.sizes, lower, upper, color=colour, alpha=0.16, linewidth=0)
    for end in (lower, upper):
        ax.plot(forecast.sizes, end, color=colour, linewidth=0.8, linestyle=line)
    ax.plot(forecast.sizes, forecast.mean, color=colour, linewidth=2, linestyle=line, label=label)
    return [lower, upper]


def legend_below(figure: Figure) -> None:
    """One legend for all axes: every name that occurs in them, once."""
    named: dict[str, Any] = {}
    for ax in figure.axes:
        for handle, name in zip(*ax.get_legend_handles_labels(), strict=True):
            named.setdefault(name, handle)
    figure.legend(
        list(named.values()), list(named), loc="outside lower center", ncols=5, frameon=False, fontsize="medium"
    )
