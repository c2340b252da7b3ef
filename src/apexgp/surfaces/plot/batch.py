"""The picture of a batch: a small one for every task."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from ..._check import check_instance, check_list, check_mapping, check_text
from ..._extras import import_extra
from ...answers.required import RequiredSize
from ...errors import RequestError
from ...estimators import APExGP, CurveEstimator
from ...estimators.contract import check_is_fitted
from ...forecast import LEVELS, Quantity
from ...questions.picture import curve_picture, picture_end
from ...questions.reach import Reach
from .curve import CurveDisplay
from .look import Display

__all__ = ["MOST_PANELS", "BatchDisplay"]

MOST_PANELS = 24
_PANEL = (4.6, 3.1)  # inches


@dataclass(eq=False, repr=False)
class BatchDisplay(Display):
    """Learning curves of several tasks, each on its own axes; a task without a forecast says why.

    Make one with `BatchDisplay.from_estimators(models, sizes, times)` and draw it with `plot`.

    Parameters
    ----------
    panels : mapping from task to CurveDisplay, or to the reason why there is none
        What to draw.
    """

    panels: Mapping[str, CurveDisplay | str]

    @classmethod
    def from_estimators(
        cls,
        models: Mapping[str, APExGP | Exception],
        sizes: Sequence[float] = (),
        times: Sequence[float] = (),
        *,
        of: Quantity = "new_splits",
        levels: Sequence[float] = LEVELS,
        required: Mapping[str, RequiredSize] | None = None,
    ) -> Self:
        """Forecast each task as far as sizes, or multiples of its own largest, were asked for.

        Parameters
        ----------
        models
            Fitted models by task; the error of one that could not be fitted is drawn in its place.
        sizes, times
            Training-set sizes, and multiples of each curve's largest.
        of, levels
            What is forecast, and the probabilities of the bands.
        required
            For some tasks the answer to a target.
        """
        by_task = {check_text("models", task): model for task, model in check_mapping("models", models).items()}
        if not 0 < len(by_task) <= MOST_PANELS:
            raise RequestError(f"A picture shows 1 to {MOST_PANELS} tasks, got {len(by_task)}.")
        asked = {} if required is None else check_mapping("required", required)
        for answer in asked.values():
            check_instance("required", answer, RequiredSize, "a result of model.required_size")
        asked_for = (check_list(name, given) or None for name, given in (("sizes", sizes), ("times", times)))
        reach = Reach.checked(*asked_for, arguments=("sizes", "times"))
        panels: dict[str, CurveDisplay | str] = {}
        for task, model in by_task.items():
            if isinstance(model, Exception):
                panels[task] = str(model)
                continue
            check_is_fitted(check_instance("models", model, CurveEstimator, "fitted models or errors"))
            curve, answer = model.curve_, asked.get(task)
            end = picture_end(curve, reach.beyond(curve.largest), answer)
            panels[task] = curve_picture(model, end, CurveDisplay, of=of, levels=levels, required=answer)
        return cls(panels)

    def _about(self) -> str:
        return f"{len(self.panels)} tasks"

    def plot(self) -> Self:
        """Draw on a new figure."""
        pyplot = import_extra("matplotlib.pyplot", "BatchDisplay.plot", "plot")
        across = min(len(self.panels), 2 if len(self.panels) <= 4 else 3)
        down = math.ceil(len(self.panels) / across)
        figure, axes = pyplot.subplots(
            down, across, figsize=(_PANEL[0] * across, _PANEL[1] * down), layout="constrained", squeeze=False
        )
        for ax in axes.flat[len(self.panels) :]:
            ax.set_axis_off()
        named: dict[str, Any] = {}
        for ax, (task, panel) in zip(axes.flat, self.panels.items(), strict=False):
            named |= self._draw(ax, task, panel)
        figure.legend(named.values(), named, loc="outside lower center", ncols=4, frameon=False, fontsize="small")
        self.ax_, self.figure_ = axes.flat[0], figure
        return self

    def _draw(self, ax: Any, task: str, panel: CurveDisplay | str) -> dict[str, Any]:
        """One task; returns what is drawn in every panel, by its name, for a legend that they share."""
        if isinstance(panel, str):
            ax.set_axis_off()
            why = textwrap.fill(panel, 44)
            ax.text(0.5, 0.5, why, ha="center", va="center", fontsize="small", parse_math=False)
            ax.set_title(task, fontsize="medium", parse_math=False)
            return {}
        panel.plot(ax)
        ax.get_legend().remove()
        ax.tick_params(labelsize="small")
        handles, names = ax.get_legend_handles_labels()
        own = [name for name in names if name.startswith("target")]  # each task has its own answer
        ax.set_title("\n".join([task, *own]), fontsize="medium", parse_math=False)
        of_target = ("target", "its interval")
        return {name: handle for name, handle in zip(names, handles, strict=True) if not name.startswith(of_target)}
