"""Pictures of forecasts: of one curve, or of every curve of a batch."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..._check import (
    FloatArray,
    check_finite_array,
    check_instance,
    check_list,
    check_mapping,
    check_real_number,
    check_sizes,
    check_text,
    format_value,
)
from ..._extras import import_extra
from ..._numbers import format_size
from ...cautions import FARTHEST_FACTOR
from ...errors import RequestError
from ...estimators import APExGP, CurveEstimator
from ...estimators.contract import check_is_fitted
from ...forecast import LEVELS, Quantity
from ...question_base.picture_style import (
    FORECAST,
    MEASURED,
    TARGET,
    TRUTH,
    Display,
    add_legend,
    build_whiskers,
    check_axes,
    make_axes,
    mark_tested,
    size_axis,
    style_axes,
    style_score_axis,
)
from ...question_base.sizes import SizeSpec
from ...question_base.wording import format_size_interval
from ...reading.known_metrics import UNNAMED
from ...reading.names import check_within
from ...required import RequiredSize
from ...scale import Range
from .curve_picture import CurvePicture, build_curve_picture, find_picture_end, is_marked

__all__ = ["MOST_PANELS", "BatchDisplay", "CurveDisplay"]

_FARTHEST = 1e100  # where axes still count


@dataclass(eq=False, repr=False)
class CurveDisplay(CurvePicture, Display):
    """A learning curve, measured and forecast, ready to be drawn.

    Make one with `CurveDisplay.from_estimator(model)` and draw it with `plot`.

    Parameters
    ----------
    measured_sizes, measured_scores : arrays of shape (n,)
        Every measurement.
    pilot_sizes, pilot_mean, pilot_std : arrays of shape (R,)
        Mean and standard deviation of the replicates at each distinct size.
    sizes, mean : arrays of shape (Q,)
        The forecast, from the smallest pilot size on: its mean, as tables have it.
    bands : mapping from level to (lower, upper)
        Its equal-tailed intervals.
    metric, unit, task, direction : str
        Name of the score axis, what a size counts, whose curve it is, and which way is better.
    range : pair of float
        The lowest and the highest possible score.
    level : float
        The level of the interval that is read off, where a picture can be.
    decimals : int
        How many decimals scores are read off with.
    required : RequiredSize or None
        Answer to a target.
    prob_target : array of shape (Q,), or None
        Probability that each size reaches it.

    Attributes
    ----------
    ax_, figure_
        What `plot` drew on.
    """

    @classmethod
    def from_estimator(
        cls,
        model: CurveEstimator,
        to: float | None = None,
        *,
        of: Quantity = "new_splits",
        levels: Sequence[float] = LEVELS,
    ) -> Self:
        """Forecast from the smallest pilot size to the size `to` (by default 10 times the largest) for drawing.

        Parameters
        ----------
        model
            A fitted model with a `forecast` method.
        to
            Right end of the curve.
        of
            What is forecast, as for `model.forecast`.
        levels
            Probabilities of the bands.
        """
        if not isinstance(model, CurveEstimator):
            raise RequestError(f"must be a fitted model, got {format_value(model)}.", argument="model")
        check_is_fitted(model)
        last = model.curve_.largest
        end = 10 * last if to is None else check_real_number("to", to)
        if not last < end <= _FARTHEST:
            raise RequestError(
                f"must be beyond the largest pilot size {last:g} and at most {_FARTHEST:g}, got {end:g}.", argument="to"
            )
        return build_curve_picture(model, end, cls, of=of, levels=levels)

    def _about(self) -> str:
        return (
            f"{self.metric}, measured from {format_size(self.pilot_sizes[0])} to {format_size(self.pilot_sizes[-1])} "
            f"training {self.unit}, forecast to {format_size(self.sizes[-1])}"
        )

    def plot(
        self,
        ax: Any = None,
        *,
        truth: tuple[ArrayLike, ArrayLike] | None = None,
        required: RequiredSize | None = None,
    ) -> Self:
        """Draw on `ax`, a matplotlib Axes, or on a new figure.

        Parameters
        ----------
        ax
            Where to draw; nothing outside it is touched.
        truth
            Sizes and scores that were measured beyond the pilot, to be shown with the forecast.
        required
            Answer to a target, from `model.required_size`: shows the target, and the size with its interval as far as
            the picture extends. By default the one that the picture was made with, if any.
        """
        later = None if truth is None else _pairs(truth, self.range)
        required = self.required if required is None else required
        if required is not None and not isinstance(required, RequiredSize):
            raise RequestError(
                f"must be a result of model.required_size, got {format_value(required)}.", argument="required"
            )
        ours = ax is None
        ax = make_axes("CurveDisplay.plot") if ours else check_axes("ax", ax)
        self._draw_forecast(ax)
        spread = build_whiskers(self.pilot_mean, self.pilot_std, self.range)
        ax.plot(self.measured_sizes, self.measured_scores, ".", color="0.6", markersize=4, zorder=3)
        ax.errorbar(
            self.pilot_sizes,
            self.pilot_mean,
            yerr=spread,
            fmt="o",
            color=MEASURED,
            markersize=4.5,
            capsize=2.5,
            linewidth=1,
            label="measured (mean, spread)",
            zorder=4,
        )
        drawn = [self.measured_scores, self.pilot_mean - spread[0], self.pilot_mean + spread[1], self.mean]
        drawn += [end for ends in self.bands.values() for end in ends]
        if later is not None:
            ax.plot(*later, "D", color=TRUTH, markersize=6, label="measured later", zorder=5)
            drawn.append(later[1])
        if required is not None:
            self._draw_required(ax, required)
            drawn.append(np.array([required.target]))
        style_score_axis(ax, self.metric, *drawn, between=self.range)
        size_axis(ax, self.sizes[0], self.sizes[-1], f"training {self.unit}")
        style_axes(ax)
        add_legend(ax, below=ours)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw_forecast(self, ax: Any) -> None:
        """The bands and the mean: as a forecast beyond the pilot, paler within it."""
        boundary = self.pilot_sizes[-1]
        beyond, within = self.sizes >= boundary, self.sizes <= boundary
        shades = np.linspace(0.38, 0.16, len(self.bands))
        for (level, (lower, upper)), alpha in zip(sorted(self.bands.items()), shades, strict=True):
            label = f"{100 * level:g} % interval"
            x = self.sizes[beyond]
            ax.fill_between(x, lower[beyond], upper[beyond], color=FORECAST, alpha=alpha, linewidth=0, label=label)
            # Where there are data the model is a fit, not a forecast: told apart by a paler band.
            ax.fill_between(self.sizes[within], lower[within], upper[within], color="0.5", alpha=alpha / 2, linewidth=0)
        ax.plot(self.sizes[within], self.mean[within], color="0.35", linewidth=1.5)
        ax.plot(self.sizes[beyond], self.mean[beyond], color=FORECAST, linewidth=2, label="forecast (mean)")
        ax.axvline(boundary, color="0.55", linewidth=0.8, linestyle=(0, (4, 4)))
        mark_tested(ax, FARTHEST_FACTOR * boundary, self.sizes[-1])

    def _draw_required(self, ax: Any, required: RequiredSize) -> None:
        """The target, and the size that reaches it with its interval, as far as they lie within the picture."""
        sure = f"{100 * required.confidence:g} %"
        left, right = self.sizes[0], self.sizes[-1]
        within = is_marked(required, self)
        if required.already_met:
            words = f"target {required.target:g}: met already"
        elif required.is_out_of_reach:
            words = f"target {required.target:g}: {required.at_best} with unlimited data"
        else:
            words = f"target {required.target:g}: {required.size_in_words} with {sure}"
        ax.axhline(required.target, color=TARGET, linewidth=1.2, linestyle=(0, (6, 3)), label=None if within else words)
        if within:
            ax.plot(required.rounded_size, required.target, "v", color=TARGET, markersize=8, label=words, zorder=5)
        low, high = np.clip(required.interval, left, right)
        if low < high:
            label = f"its interval (10 % to 90 %): {format_size_interval(required)}"
            ax.plot([low, high], [required.target] * 2, color=TARGET, linewidth=5, alpha=0.35, label=label, zorder=4)


def _pairs(truth: tuple[ArrayLike, ArrayLike], between: Range) -> tuple[FloatArray, FloatArray]:
    """Sizes and scores of a range that were measured, as many of one as of the other."""
    given = check_list("truth", truth)
    if len(given) != 2:
        raise RequestError(f"must be a pair (sizes, scores), got {format_value(truth)}.", argument="truth")
    sizes, scores = check_sizes("truth", given[0]), check_finite_array("truth", given[1])
    check_within("truth", scores, between, UNNAMED, stated=True)
    if sizes.shape != scores.shape:
        raise RequestError(
            f"must have one score for each size, got shapes {sizes.shape} and {scores.shape}.", argument="truth"
        )
    return sizes, scores


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
        sizes_asked = SizeSpec.build(*asked_for, arguments=("sizes", "times"))
        panels: dict[str, CurveDisplay | str] = {}
        for task, model in by_task.items():
            if isinstance(model, Exception):
                panels[task] = str(model)
                continue
            check_is_fitted(check_instance("models", model, CurveEstimator, "fitted models or errors"))
            curve, answer = model.curve_, asked.get(task)
            end = find_picture_end(curve, sizes_asked.list_sizes(curve.largest), answer)
            panels[task] = build_curve_picture(model, end, CurveDisplay, of=of, levels=levels, required=answer)
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
