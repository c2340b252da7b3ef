"""A figure that the paper has not: how much the intervals hold, by task and column."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from .look import COLOURS, PILOT, legend_below, panels
from .methods import COLUMNS, METHODS
from .tables import Cell

_STYLES = {
    "printed": {"marker": "o", "color": PILOT, "markerfacecolor": "none", "markersize": 11},
    "remade": {"marker": "o", "color": COLOURS["gp_power_law"], "markersize": 6},
    "written": {"marker": "X", "color": "#8a5bb5", "markersize": 8},
    "default": {"marker": "D", "color": COLOURS["default"], "markersize": 6},
}


def dense_by_task(cells: Sequence[Cell]) -> Figure:
    """Dense coverage of the 95 % interval, the mean over the three sizes."""
    figure, axes = panels(1, 2, 5.4, 3.9, sharey=True)
    labels = list(dict.fromkeys(cell.label for cell in cells))
    for ax, method in zip(axes[0], ("gp_power_law", "gp_arctan"), strict=True):
        ax.axvline(95, color="0.4", linewidth=1, linestyle=(0, (4, 3)))
        for column, style in _STYLES.items():
            means = [_mean(cells, label, method, column) for label in labels]
            # A little apart, since many lie on one another at 100 %.
            shift = {"written": 0.26, "default": -0.26}.get(column, 0.0)
            rows = np.arange(len(labels)) + shift
            ax.plot(means, rows, linestyle="none", label=COLUMNS[column], clip_on=False, zorder=4, **style)
        ax.set_title(METHODS[method])
        ax.set_xlim(-3, 103)
        ax.set_xticks([0, 25, 50, 75, 95], ["0", "25", "50", "75", "95 %"])
        ax.set_xlabel("replicates inside the 95 % interval")
    axes[0][0].set_yticks(range(len(labels)), labels)
    axes[0][0].set_ylim(len(labels) - 0.5, -0.5)
    legend_below(figure)
    return figure


def _mean(cells: Sequence[Cell], label: str, method: str, column: str) -> float:
    own = [cell for cell in cells if cell.place["level"] == "95"]
    return float(np.mean([c.values[column].mean for c in own if (c.label, c.method) == (label, method)]))
