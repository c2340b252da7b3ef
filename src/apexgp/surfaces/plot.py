"""The picture of a pilot curve and its forecast."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from .._check import FloatArray, probability, real_number, scores_array, several, shown, sizes_array
from .._extras import need
from ..answers.required import RequiredSize
from ..errors import RequestError
from ..estimators import CurveEstimator

__all__ = ["CurveDisplay"]

_FARTHEST = 1e100  # where axes still count
_MEASURED = "#1b1b1b"
_FORECAST = "#1f6fb4"
_TARGET = "#2a7f3f"


@dataclass(eq=False)
class CurveDisplay:
    """A learning curve, measured and forecast, ready to be drawn; holds the arrays and computes nothing.

    Make one with `CurveDisplay.from_estimator(model)` and draw it with `plot`.

    Parameters
    ----------
    measured_sizes, measured_scores : arrays of shape (n,)
        Every measurement.
    pilot_sizes, pilot_mean, pilot_std : arrays of shape (R,)
        Mean and standard deviation of the replicates at each distinct size.
    sizes, median : arrays of shape (Q,)
        The forecast, from the smallest pilot size on.
    bands : mapping from level to (lower, upper)
        Its equal-tailed intervals.
    metric : str
        Name of the score axis.

    Attributes
    ----------
    ax_, figure_
        What `plot` drew on.
    """

    measured_sizes: FloatArray
    measured_scores: FloatArray
    pilot_sizes: FloatArray
    pilot_mean: FloatArray
    pilot_std: FloatArray
    sizes: FloatArray
    median: FloatArray
    bands: Mapping[float, tuple[FloatArray, FloatArray]]
    metric: str = "score"

    @classmethod
    def from_estimator(
        cls, model: CurveEstimator, to: float | None = None, *, levels: Sequence[float] = (0.8, 0.95)
    ) -> Self:
        """Forecast from the smallest pilot size to the size `to` (by default 10 times the largest) for drawing.

        Parameters
        ----------
        model
            A fitted model with a `forecast` method.
        to
            Right end of the curve.
        levels
            Probabilities of the bands.
        """
        if not isinstance(model, CurveEstimator):
            raise RequestError(f"must be a fitted model, got {shown(model)}.", argument="model")
        check_is_fitted(model)
        bands = sorted(probability("levels", level) for level in several("levels", levels))
        curve = model.curve_
        pilot = curve.replicates
        start, last = pilot.sizes[0], pilot.sizes[-1]
        end = 10 * last if to is None else real_number("to", to)
        if not last < end <= _FARTHEST:
            raise RequestError(
                f"must be beyond the largest pilot size {last:g} and at most {_FARTHEST:g}, got {end:g}.", argument="to"
            )
        grid = np.geomspace(start, end, 160)
        # The pilot's last size stands where the drawing changes; geomspace must not round the ends away from it.
        grid = np.unique(np.concatenate([grid[1:-1], [start, last, end]]))
        forecast = model.forecast(grid)
        return cls(
            measured_sizes=curve.sizes,
            measured_scores=curve.scores,
            pilot_sizes=pilot.sizes,
            pilot_mean=pilot.mean,
            pilot_std=pilot.std,
            sizes=grid,
            median=forecast.median,
            bands={level: forecast.interval(level) for level in bands},
            metric=curve.metric,
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
            Sizes and scores that were measured beyond the pilot, to be shown beside the forecast.
        required
            Answer to a target, of `model.required_size`: shows the target, and the size if the picture reaches so far.
        """
        pyplot = need("matplotlib.pyplot", "CurveDisplay.plot", "plot")
        later = None if truth is None else _pairs(truth)
        if required is not None and not isinstance(required, RequiredSize):
            raise RequestError(f"must be what model.required_size gives, got {shown(required)}.", argument="required")
        if ax is not None and not isinstance(ax, need("matplotlib.axes", "CurveDisplay.plot", "plot").Axes):
            raise RequestError(f"must be an Axes of matplotlib, got {shown(ax)}.", argument="ax")
        if ax is None:
            _, ax = pyplot.subplots(figsize=(7.2, 4.4), layout="constrained")
        boundary = self.pilot_sizes[-1]
        beyond, within = self.sizes >= boundary, self.sizes <= boundary
        shades = np.linspace(0.38, 0.16, len(self.bands))
        for (level, (lower, upper)), alpha in zip(sorted(self.bands.items()), shades, strict=True):
            label = f"{100 * level:g} % interval"
            ax.fill_between(
                self.sizes[beyond],
                lower[beyond],
                upper[beyond],
                color=_FORECAST,
                alpha=alpha,
                linewidth=0,
                label=label,
            )
            # Where there are data the model is a fit, not a forecast: told apart by a paler band.
            ax.fill_between(self.sizes[within], lower[within], upper[within], color="0.5", alpha=alpha / 2, linewidth=0)
        ax.plot(self.sizes[within], self.median[within], color="0.35", linewidth=1.5)
        ax.plot(self.sizes[beyond], self.median[beyond], color=_FORECAST, linewidth=2, label="forecast (median)")
        ax.axvline(boundary, color="0.55", linewidth=0.8, linestyle=(0, (4, 4)))
        ax.plot(self.measured_sizes, self.measured_scores, ".", color="0.6", markersize=4, zorder=3)
        ax.errorbar(
            self.pilot_sizes,
            self.pilot_mean,
            yerr=self.pilot_std,
            fmt="o",
            color=_MEASURED,
            markersize=4.5,
            capsize=2.5,
            linewidth=1,
            label="measured (mean, s.d.)",
            zorder=4,
        )
        if later is not None:
            ax.plot(*later, "D", color="#c4451c", markersize=6, label="measured later", zorder=5)
        if required is not None:
            ax.axhline(required.target, color=_TARGET, linewidth=1.2, linestyle=(0, (6, 3)), label="target")
            if self.sizes[0] <= required.size <= self.sizes[-1]:
                words = f"{required.size:,} for the target with {100 * required.confidence:g} %"
                ax.plot(required.size, required.target, "v", color=_TARGET, markersize=8, label=words, zorder=5)
        self._dress(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _dress(self, ax: Any) -> None:
        """Axes: sizes on a logarithmic scale, with round numbers of examples as ticks."""
        ticker = need("matplotlib.ticker", "CurveDisplay.plot", "plot")
        # Limits first: matplotlib's own would overflow on a logarithmic scale that goes far.
        ax.set_xlim(self.sizes[0] / 1.08, self.sizes[-1] * 1.08)
        ax.set_xscale("log")
        decades = math.log10(self.sizes[-1] / self.sizes[0])
        steps = (1.0, 2.0, 5.0) if decades < 3 else (1.0, 3.0) if decades < 4.5 else (1.0,)
        ax.xaxis.set_major_locator(ticker.LogLocator(subs=steps, numticks=50 if decades < 9 else 9))
        ax.xaxis.set_minor_locator(ticker.NullLocator())
        ax.xaxis.set_major_formatter(
            ticker.FuncFormatter(lambda x, _: f"{x:,.0f}" if x < 1e6 else f"{x / 1e6:g}M" if x < 1e9 else f"{x:.0e}")
        )
        ax.set_xlabel("training examples")
        ax.set_ylabel(self.metric, parse_math=False)  # a $ in a name is a $
        ax.grid(visible=True, color="0.92", linewidth=0.8)
        ax.set_axisbelow(True)
        ax.spines[["top", "right"]].set_visible(False)
        ax.legend(frameon=False, fontsize="small", loc="best")


def _pairs(truth: tuple[ArrayLike, ArrayLike]) -> tuple[FloatArray, FloatArray]:
    """Sizes and scores that were measured, as many of one as of the other."""
    given = several("truth", truth, "a pair (sizes, scores)")
    if len(given) != 2:
        raise RequestError(f"must be a pair (sizes, scores), got {shown(truth)}.", argument="truth")
    sizes, scores = sizes_array("truth", given[0]), scores_array("truth", given[1])
    if sizes.shape != scores.shape:
        raise RequestError(
            f"must hold one score for each size, got shapes {sizes.shape} and {scores.shape}.", argument="truth"
        )
    return sizes, scores
