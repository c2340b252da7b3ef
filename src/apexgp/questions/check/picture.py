"""The picture of a predictive check: what was measured, and what the fitted model would have measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from ..._check import check_instance
from ...question_base.picture_style import (
    FORECAST,
    MEASURED,
    Display,
    add_legend,
    check_axes,
    make_axes,
    size_axis,
    style_axes,
    style_score_axis,
)
from . import label_check_mark, trace_band
from .predictive import PredictiveCheck

__all__ = ["PredictiveCheckDisplay"]


@dataclass(eq=False, repr=False)
class PredictiveCheckDisplay(Display):
    """Mean scores as measured, on the band of simulations from the fitted model.

    Make one with `PredictiveCheckDisplay.from_check(found)` and draw it with `plot`.

    Parameters
    ----------
    found : PredictiveCheck
        A result of `apexgp.predictive_check`.
    """

    found: PredictiveCheck

    @classmethod
    def from_check(cls, found: PredictiveCheck) -> Self:
        """Make one from an answer."""
        return cls(check_instance("found", found, PredictiveCheck, "a result of apexgp.predictive_check"))

    def _about(self) -> str:
        failed = ", ".join(check.name for check in self.found.failed) or "none"
        return f"{self.found.metric}, {len(self.found.checks)} checks, failed: {failed}"

    def plot(self, ax: Any = None) -> Self:
        """Draw on `ax`, a matplotlib Axes, or on a new figure."""
        found, ours = self.found, ax is None
        ax = make_axes("PredictiveCheckDisplay.plot") if ours else check_axes("ax", ax)
        words = label_check_mark("drawn")
        at, lower, expected, upper = trace_band(found)
        ax.fill_between(at, lower, upper, color=FORECAST, alpha=0.25, linewidth=0, label=words)
        ax.plot(at, expected, color=FORECAST, linewidth=2)
        ax.plot(found.sizes, found.measured, "o", color=MEASURED, markersize=5, label=label_check_mark("measured"))
        style_score_axis(ax, f"mean {found.metric}", found.lower, found.upper, found.measured)
        size_axis(ax, float(at[0]), float(at[-1]), f"training {found.unit}")
        style_axes(ax)
        add_legend(ax, below=ours)
        self.ax_, self.figure_ = ax, ax.figure
        return self
