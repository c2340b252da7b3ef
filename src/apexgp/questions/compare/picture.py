"""The picture of a comparison: the curves of all models, and below them who beats whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..._check import FloatArray, check_instance, check_list, check_probability
from ..._numbers import format_size
from ...cautions import FARTHEST_FACTOR
from ...errors import RequestError
from ...question_base.picture_style import (
    LINES,
    MODELS,
    Display,
    add_legend,
    check_axes,
    make_axes,
    mark_tested,
    size_axis,
    style_axes,
    style_percent_axis,
    style_score_axis,
)
from ...scale import UNIT_RANGE, Range
from .comparison import LEAD_PROBABILITY, Comparison, PairComparison

__all__ = ["ComparisonDisplay"]

_POINTS = 100


@dataclass(frozen=True, eq=False)
class ModelCurve:
    """A model's measured mean scores and its forecast."""

    measured_sizes: FloatArray
    measured_mean: FloatArray
    mean: FloatArray
    lower: FloatArray
    upper: FloatArray


@dataclass(eq=False, repr=False)
class ComparisonDisplay(Display):
    """Expected scores of several models with their bands, and below the probability that one beats another.

    Make one with `ComparisonDisplay.from_comparison(comparison)` and draw it with `plot`.

    Parameters
    ----------
    sizes : array of shape (Q,)
        Training-set sizes.
    models : mapping from name to ModelCurve
        What was measured, and the forecast at the sizes.
    pairs : sequence of PairComparison
        Every pair with its probabilities.
    level : float
        Probability of the bands.
    metric : str
        Name of the score axis.
    unit : str
        What a size counts.
    range : pair of float
        The lowest and the highest possible score.
    """

    sizes: FloatArray
    models: Mapping[str, ModelCurve]
    pairs: Sequence[PairComparison]
    level: float
    metric: str = "score"
    unit: str = "examples"
    range: Range = UNIT_RANGE

    @classmethod
    def from_comparison(cls, comparison: Comparison, *, level: float = 0.95) -> Self:
        """Forecast each model over the sizes that were measured or asked for."""
        check_instance("comparison", comparison, Comparison, "a result of apexgp.compare_models")
        level = check_probability("level", level)
        ends = np.concatenate([pair.grid[[0, -1]] for pair in comparison.pairs])
        grid = np.geomspace(ends.min(), ends.max(), _POINTS)
        models = {}
        for name, model in comparison.models.items():
            forecast, measured = model.forecast(grid, of="expected"), model.curve_.replicates
            models[name] = ModelCurve(measured.sizes, measured.mean, forecast.mean, *forecast.interval(level))
        curve = next(iter(comparison.models.values())).curve_
        return cls(grid, models, comparison.pairs, level, curve.metric_name, curve.unit_name, curve.range)

    def _about(self) -> str:
        return f"{self.metric} of {', '.join(self.models)}, to {format_size(self.sizes[-1])} training {self.unit}"

    def plot(self, axes: Sequence[Any] | None = None) -> Self:
        """Draw on `axes`, two matplotlib Axes one above the other, or on a new figure."""
        drawn_on = (
            list(make_axes("ComparisonDisplay.plot", 5.6, (1.9, 1))) if axes is None else check_list("axes", axes)
        )
        if len(drawn_on) != 2:
            raise RequestError(f"must be two, got {len(drawn_on)}.", argument="axes")
        above, below = (check_axes("axes", ax) for ax in drawn_on)
        shown = []
        for i, (name, curve) in enumerate(self.models.items()):
            colour, line = MODELS[i % len(MODELS)], LINES[i % len(LINES)]
            above.fill_between(self.sizes, curve.lower, curve.upper, color=colour, alpha=0.16, linewidth=0)
            for end in (curve.lower, curve.upper):  # an outline, since shades that overlap are told apart by nobody
                above.plot(self.sizes, end, color=colour, linewidth=0.7, linestyle=line)
            above.plot(self.sizes, curve.mean, color=colour, linewidth=2, linestyle=line, label=name)
            marker = "osD^v"[i % 5]
            above.plot(curve.measured_sizes, curve.measured_mean, marker, color=colour, markersize=5, zorder=4)
            shown += [curve.lower, curve.upper, curve.mean, curve.measured_mean]
        largest = max(float(curve.measured_sizes[-1]) for curve in self.models.values())
        for ax in (above, below):
            mark_tested(ax, FARTHEST_FACTOR * largest, self.sizes[-1])
        style_score_axis(above, f"expected {self.metric}", *shown, between=self.range)
        self._draw_chances(below)
        for ax in (above, below):
            style_axes(ax)
        title = f"mean, {100 * self.level:g} % band, measured"
        add_legend(above, title=title)
        self.ax_, self.figure_ = above, above.figure
        self.axes_ = (above, below)
        return self

    def _draw_chances(self, ax: Any) -> None:
        ax.axhline(0.5, color="0.55", linewidth=0.8, linestyle=(0, (4, 4)))
        for level in (LEAD_PROBABILITY, 1 - LEAD_PROBABILITY):
            ax.axhline(level, color="0.7", linewidth=0.8, linestyle=(0, (1, 3)))
        for i, pair in enumerate(self.pairs):
            one = len(self.pairs) == 1
            colour, line = ("#1b1b1b", "-") if one else (MODELS[i % len(MODELS)], LINES[i % len(LINES)])
            words = f"{pair.first} beats {pair.second}"
            ax.plot(pair.grid, pair.grid_prob, color=colour, linewidth=1.8, linestyle=line, label=words)
            ax.plot(pair.sizes, pair.prob_first_better, "o", color=colour, markersize=5, zorder=4)
        changes = [change.size for pair in self.pairs for change in pair.lead_changes]
        if changes:
            about = {"color": "#1b1b1b", "markerfacecolor": "white", "markersize": 6, "zorder": 4}
            ax.plot(changes, [0.5] * len(changes), "D", label="change of lead", **about)
        style_percent_axis(ax, "probability")
        size_axis(ax, self.sizes[0], self.sizes[-1], f"training {self.unit}")
        add_legend(ax)
