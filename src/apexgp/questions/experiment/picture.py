"""The picture of an experiment: the curve of one label, what was forecast from its pilot, and what was measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..._check import FloatArray, check_instance, check_text, format_some, format_value
from ..._extras import import_extra
from ...curve import LearningCurve
from ...errors import RequestError
from ...question_base.picture_style import (
    LINES,
    MODELS,
    TRUTH,
    Display,
    disable_math_text,
    size_axis,
    style_axes,
    style_score_axis,
)
from ...replication.result import ExperimentResult
from ...replication.settings import EXPERIMENT_METHODS
from ..forecast.picture import CurveDisplay

__all__ = ["ExperimentDisplay"]

_PANEL = (4.4, 3.6)  # inches
_BEYOND = 1.15  # times the largest size measured, where the picture ends
_SAME_MEAN = {"power_law": "gp_power_law", "arctan": "gp_arctan"}


@dataclass(eq=False, repr=False)
class ExperimentDisplay(Display):
    """One panel per method with a distribution, with the curves of the methods without one.

    Make one with `ExperimentDisplay.from_result(result, task)` and draw it with `plot`.

    Parameters
    ----------
    title : str
        Data set and task.
    curve : LearningCurve
        All that was measured.
    pilot : LearningCurve
        What the methods were fitted to.
    panels : mapping from names of methods to CurveDisplay
        Those with a distribution.
    lines : mapping from names of methods to (sizes, scores)
        Those without.
    """

    title: str
    curve: LearningCurve
    pilot: LearningCurve
    panels: Mapping[str, CurveDisplay]
    lines: Mapping[str, tuple[FloatArray, FloatArray]]

    @classmethod
    def from_result(cls, result: ExperimentResult, task: str) -> Self:
        """Forecast one task's pilot by every method, to beyond the largest size measured, for drawing."""
        check_instance("result", result, ExperimentResult, "a result of apexgp.experiment.run_experiment")
        task = check_text("task", task)
        if task not in result.curves:
            raise RequestError(
                f"must be among {format_some(list(result.curves), 20)}, got {format_value(task)}.", argument="task"
            )
        curve = result.curves[task]
        end, last = _BEYOND * curve.largest, float(result.experiment.pilot[-1])
        models = {method: model for (name, method), model in result.models.items() if name == task}
        sizes = np.geomspace(float(curve.sizes.min()), end, 160)
        return cls(
            f"{result.experiment.name}: {task}",
            curve,
            curve.up_to(last),
            {name: CurveDisplay.from_estimator(one, end) for name, one in models.items() if one.has_distribution},
            {name: (sizes, one.predict(sizes)) for name, one in models.items() if not one.has_distribution},
        )

    def _about(self) -> str:
        return f"{self.title}, {len(self.panels) + len(self.lines)} methods"

    def plot(self) -> Self:
        """Draw on a new figure, the panels side by side."""
        pyplot = import_extra("matplotlib.pyplot", "ExperimentDisplay.plot", "plot")
        names = list(self.panels) or [""]
        figure, axes = pyplot.subplots(
            1,
            len(names),
            figsize=(_PANEL[0] * len(names), _PANEL[1] + 0.6),
            sharey=True,
            squeeze=False,
            layout="constrained",
        )
        later = self.curve.beyond(self.pilot.largest).replicates
        for name, ax in zip(names, axes[0], strict=True):
            if name:
                self.panels[name].plot(ax, truth=(later.sizes, later.mean))
                ax.get_legend().remove()
                ax.set_title(EXPERIMENT_METHODS[name].heading, fontsize="medium", parse_math=False)
            else:
                self._draw_measured(ax)
            self._draw_lines(ax, name, names)
            if ax is not axes[0][0]:
                ax.set_ylabel("")
        self._find_bound(axes[0])
        figure.suptitle(self.title, parse_math=False)
        handles = {
            label: handle for ax in axes[0] for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)
        }
        made = figure.legend(
            handles.values(), handles, loc="outside lower center", ncols=4, frameon=False, fontsize="small"
        )
        disable_math_text(made.get_texts())
        self.ax_, self.figure_ = axes[0], figure
        return self

    def _draw_measured(self, ax: Any) -> None:
        """Draw measured scores on axes where no method has intervals."""
        measured = self.curve.replicates
        ax.plot(measured.sizes, measured.mean, "D", color=TRUTH, markersize=5, label="measured")
        size_axis(ax, measured.sizes[0], _BEYOND * measured.sizes[-1], "training examples")
        ax.set_ylabel(self.curve.metric_name, parse_math=False)
        style_axes(ax)

    def _draw_lines(self, ax: Any, name: str, names: list[str]) -> None:
        """The curves without a distribution: beside the process of the same mean, or else in the first panel."""
        for i, (method, (sizes, scores)) in enumerate(self.lines.items()):
            mate = _SAME_MEAN.get(method)
            if name == (mate if mate in names else names[0]):
                color, line = MODELS[1 + i % (len(MODELS) - 1)], LINES[1 + i % (len(LINES) - 1)]
                heading = f"{EXPERIMENT_METHODS[method].heading} (least squares)"
                ax.plot(sizes, scores, color=color, linestyle=line, linewidth=1.6, label=heading, zorder=3)

    def _find_bound(self, axes: Any) -> None:
        """One axis of scores that holds all that is drawn in any panel."""
        drawn = [self.curve.scores, *(scores for _, scores in self.lines.values())]
        drawn += [end for panel in self.panels.values() for ends in panel.bands.values() for end in ends]
        style_score_axis(axes[0], self.curve.metric_name, *drawn)
