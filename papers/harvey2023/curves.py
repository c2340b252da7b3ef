"""Learning curves: the motivation (Figure 1), and all tasks at long (appendix F) and short range (appendix E)."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from .data import LARGEST_PILOT_SIZE, TASKS, Extent, Task, tasks_of
from .look import COLOURS, LATER, PILOT, draw_forecast, legend_below, panels, score_axis, size_axis
from .methods import Fits

_NAMES = {
    "gp_power_law": "GP power law, as published",
    "gp_arctan": "GP arctan, as published",
    "default": "our default",
}
_TICKS = {"short": (60, 120, 240, 360, 720), "long": (60, 360, 2000, 20000)}
_MOTIVATION = "Infiltration"


def motivation(fits: Fits) -> Figure:
    """One best-fit curve; the published forecast; ours."""
    task = TASKS[_MOTIVATION]
    figure, axes = panels(1, 3, 3.9, 3.7, sharey=True)
    best_fit, *forecasts = axes[0]
    grid = np.geomspace(60, 20000, 200)
    curve = fits.expected("remade", "power_law", task, grid)
    best_fit.plot(grid, curve, color="0.25", linewidth=2, label="power law by least squares")
    shown = [curve]
    for ax, method in zip(forecasts, ("gp_power_law", "default"), strict=True):
        shown += _draw_method(ax, fits, method, task, float(grid[-1]))
    for ax, title in zip(axes[0], ("One best-fit curve", "As published", "Our default"), strict=True):
        shown += _draw_scores(ax, fits, task, "long")
        size_axis(ax, _TICKS["long"], 60, 20000)
        ax.set_title(title)
        ax.set_xlabel("training samples")
    score_axis(best_fit, shown)
    best_fit.set_ylabel("AUROC")
    legend_below(figure)
    figure.suptitle(f"{_MOTIVATION} from chest radiographs: mean and 95 % interval", fontsize="large")
    return figure


def all_tasks(fits: Fits, extent: Extent) -> Figure:
    """A panel a task, with the published forecasts of both means and ours."""
    tasks = tasks_of(extent)
    figure, axes = panels(len(tasks) // 3, 3, 4.1, 2.75)
    for ax, task in zip(axes.flat, tasks, strict=True):
        last = float(fits.results.later(task, extent).sizes.max())
        shown = [part for method in _NAMES for part in _draw_method(ax, fits, method, task, last)]
        shown += _draw_scores(ax, fits, task, extent)
        score_axis(ax, shown)
        size_axis(ax, _TICKS[extent], 60, 20000 if extent == "long" else 720)
        ax.set_title(f"{task.dataset}: {task.label}")
    for ax in axes[-1]:
        ax.set_xlabel("training samples")
    for ax in axes[:, 0]:
        ax.set_ylabel("AUROC")
    legend_below(figure)
    return figure


def _draw_method(ax: Any, fits: Fits, method: str, task: Task, last: float) -> list[np.ndarray]:
    """The fit within the pilot as a thin line, the forecast beyond it with its band."""
    column = "default" if method == "default" else "remade"
    model = fits.model(column, method, task)
    within = np.geomspace(60, LARGEST_PILOT_SIZE, 60)
    fitted = model.forecast(within, of="expected").mean
    ax.plot(within, fitted, color=COLOURS[method], linewidth=1, alpha=0.8)
    beyond = model.forecast(np.geomspace(LARGEST_PILOT_SIZE, last, 120), of="same_splits")
    return [fitted, *draw_forecast(ax, beyond, method, _NAMES[method])]


def _draw_scores(ax: Any, fits: Fits, task: Task, extent: Extent) -> list[np.ndarray]:
    """Mean scores over the splits: those of the pilot, and those measured later."""
    pilot, later = fits.results.pilot(task).replicates, fits.results.later(task, extent).replicates
    ax.axvline(LARGEST_PILOT_SIZE, color="0.6", linewidth=0.8, linestyle=(0, (4, 4)))
    ax.plot(pilot.sizes, pilot.mean, "o", color=PILOT, markersize=4.5, label="pilot", zorder=4)
    style = {"color": LATER, "markersize": 5.5, "markeredgecolor": "white", "markeredgewidth": 0.7}
    ax.plot(later.sizes, later.mean, "D", label="measured later", zorder=5, **style)
    return [pilot.mean, later.mean]
