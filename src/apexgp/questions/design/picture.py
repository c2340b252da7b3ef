"""The picture of a design: how wide the forecast is now, and how wide it is expected to be after measuring."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..._check import FloatArray, check_instance
from ..._numbers import format_size
from ...design.ranking import PilotDesign
from ...estimators import APExGP, CurveEstimator
from ...estimators.contract import check_is_fitted
from ...question_base.picture_style import (
    FORECAST,
    LINES,
    MEASURED,
    MODELS,
    TARGET,
    Display,
    add_legend,
    build_whiskers,
    check_axes,
    make_axes,
    size_axis,
    style_axes,
    style_score_axis,
)
from ...scale import UNIT_RANGE, Range

__all__ = ["DesignDisplay"]

_BEYOND = 1.25  # how much farther than the last size that matters is drawn


@dataclass(eq=False, repr=False)
class DesignDisplay(Display):
    """The 95 % interval of the true score now, and as it is expected to be after the best design.

    Before there is a pilot nobody knows where the curve will be: then only the expected widths are drawn, of the best
    design and of the best that cost a half and a quarter. Make one with `DesignDisplay.from_design(found, model)` and
    draw it with `plot`.

    Parameters
    ----------
    found : PilotDesign
        The designs.
    sizes : array of shape (Q,)
        Training-set sizes from the end of the pilot on.
    now : arrays of shape (Q,)
        Lower end, median and upper end of the forecast.
    widths : mapping from words to arrays of shape (Q,)
        Expected widths of the interval after some designs, the best first.
    measured : pair of arrays, or None
        Sizes and mean scores of the pilot, with their standard deviations.
    metric, unit : str
        What is measured, and what a size counts.
    range : pair of float
        The lowest and the highest possible score.
    """

    found: PilotDesign
    sizes: FloatArray
    now: tuple[FloatArray, FloatArray, FloatArray]
    widths: Mapping[str, FloatArray]
    measured: tuple[FloatArray, FloatArray, FloatArray] | None = None
    metric: str = "score"
    unit: str = "examples"
    range: Range = UNIT_RANGE

    @classmethod
    def from_design(cls, found: PilotDesign, model: APExGP | None = None) -> Self:
        """Make one from the answer of `design_pilot` and the model that was asked."""
        check_instance("found", found, PilotDesign, "a result of apexgp.design_pilot")
        if model is not None:
            check_is_fitted(check_instance("model", model, CurveEstimator, "a fitted model"))
        sizes = np.array(found.grid)
        shown = sizes <= max(_BEYOND * max(found.at), 4 * sizes[0])
        lower, upper = (np.array(end)[shown] for end in found.grid_interval)
        cheaper = (found.best_within(share * found.best.cost) for share in (0.5, 0.25))
        some = dict.fromkeys((found.best, *(one for one in cheaper if one is not None)))
        pilot = None if model is None else model.curve_.replicates
        return cls(
            found=found,
            sizes=sizes[shown],
            now=(lower, np.array(found.grid_median)[shown], upper),
            widths={found.words(one): np.array(one.grid_widths)[shown] for one in some},
            measured=None if pilot is None else (pilot.sizes, pilot.mean, pilot.std),
            metric="score" if model is None else model.curve_.metric_name,
            unit="examples" if model is None else model.curve_.unit_name,
            range=UNIT_RANGE if model is None else model.curve_.range,
        )

    def _about(self) -> str:
        return f"{self.metric}, {next(iter(self.widths))}, to {format_size(self.sizes[-1])} {self.unit}"

    def plot(self, ax: Any = None) -> Self:
        """Draw on `ax`, a matplotlib Axes, or on a new figure."""
        ours = ax is None
        ax = make_axes("DesignDisplay.plot") if ours else check_axes("ax", ax)
        start = self.sizes[0]
        if self.measured is None:
            self._draw_widths(ax)
        else:
            self._draw_intervals(ax, *self.measured)
            start = self.measured[0][0]
        for i, size in enumerate(self.found.at):
            label = "size that matters" if i == 0 else None
            ax.axvline(size, color="0.55", linewidth=0.9, linestyle=(0, (4, 4)), label=label)
        size_axis(ax, min(start, *self.found.best.sizes), self.sizes[-1], f"training {self.unit}")
        style_axes(ax)
        add_legend(ax, below=ours)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw_intervals(self, ax: Any, at: FloatArray, mean: FloatArray, std: FloatArray) -> None:
        lower, median, upper = self.now
        ax.fill_between(self.sizes, lower, upper, color="0.6", alpha=0.3, linewidth=0, label="95 % interval now")
        (words, width), *_ = self.widths.items()
        left = width / np.maximum(upper - lower, 1e-12)
        low, high = median - left * (median - lower), median + left * (upper - median)
        ax.fill_between(self.sizes, low, high, color=FORECAST, alpha=0.4, linewidth=0, label=f"expected after {words}")
        ax.plot(self.sizes, median, color=FORECAST, linewidth=1.5, label="forecast (median), which may move")
        spread = build_whiskers(mean, std, self.range)
        ax.errorbar(
            at, mean, yerr=spread, fmt="o", color=MEASURED, markersize=4.5, capsize=2.5, linewidth=1,
            label="measured (mean, spread)", zorder=4,
        )  # fmt: skip
        shown = [lower, upper, mean - spread[0], mean + spread[1]]
        if self.found.target is not None:
            goal = self.found.target
            ax.axhline(goal, color=TARGET, linewidth=1.2, linestyle=(0, (6, 3)), label=f"target {goal:g}")
            shown.append(np.array([goal]))
        style_score_axis(ax, f"expected {self.metric}", *shown, between=self.range)
        self._mark_sizes(ax)

    def _draw_widths(self, ax: Any) -> None:
        for (words, width), colour, line in zip(self.widths.items(), MODELS, LINES, strict=False):
            ax.plot(self.sizes, width, color=colour, linestyle=line, linewidth=2, label=f"after {words}")
        ax.set_ylim(0, None)
        ax.set_ylabel("expected width of the 95 % interval")
        self._mark_sizes(ax)

    def _mark_sizes(self, ax: Any) -> None:
        """The sizes to measure, on the axis."""
        sizes = np.array(self.found.best.sizes)
        ax.plot(
            sizes, np.zeros(len(sizes)), "^", color=MODELS[1], markersize=9, transform=ax.get_xaxis_transform(),
            clip_on=False, label="measure here", zorder=6,
        )  # fmt: skip
