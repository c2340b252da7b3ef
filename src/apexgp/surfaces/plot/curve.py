"""The picture of a pilot curve and its forecast."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..._check import FloatArray, check_finite_array, check_list, check_real_number, check_sizes, format_value
from ..._numbers import format_size
from ...answers.required import RequiredSize
from ...cautions import FARTHEST_FACTOR
from ...errors import RequestError
from ...estimators import CurveEstimator
from ...estimators.contract import check_is_fitted
from ...forecast import LEVELS, Quantity
from ...questions.picture import CurvePicture, curve_picture, is_marked
from ...reading.known_metrics import UNNAMED
from ...reading.score_range import check_within
from ...scale import Range
from ..words.required import interval_words
from .look import (
    FORECAST,
    MEASURED,
    TARGET,
    TRUTH,
    Display,
    checked_axes,
    dress,
    legend,
    mark_tested,
    new_axes,
    score_axis,
    size_axis,
    whiskers,
)

__all__ = ["CurveDisplay"]

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
        return curve_picture(model, end, cls, of=of, levels=levels)

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
        ax = new_axes("CurveDisplay.plot") if ours else checked_axes("ax", ax)
        self._draw_forecast(ax)
        spread = whiskers(self.pilot_mean, self.pilot_std, self.range)
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
        score_axis(ax, self.metric, *drawn, between=self.range)
        size_axis(ax, self.sizes[0], self.sizes[-1], f"training {self.unit}")
        dress(ax)
        legend(ax, below=ours)
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
        elif math.isinf(required.size):
            words = f"target {required.target:g}: {required.at_best} with unlimited data"
        else:
            words = f"target {required.target:g}: {required.in_words(required.size)} with {sure}"
        ax.axhline(required.target, color=TARGET, linewidth=1.2, linestyle=(0, (6, 3)), label=None if within else words)
        if within:
            ax.plot(required.rounded_size, required.target, "v", color=TARGET, markersize=8, label=words, zorder=5)
        low, high = np.clip(required.interval, left, right)
        if low < high:
            label = f"its interval (10 % to 90 %): {interval_words(required)}"
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
