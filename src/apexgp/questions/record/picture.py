"""The picture of a record: how often intervals covered the later score, against how often they should."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..._check import check_instance
from ..._extras import import_extra
from ...question_base.picture_style import FORECAST, MEASURED, Display, add_legend, check_axes, make_axes, style_axes
from ...track_record.reliability import Reliability

__all__ = ["ReliabilityDisplay"]


@dataclass(eq=False, repr=False)
class ReliabilityDisplay(Display):
    """Share of later scores that intervals of each level covered, with its 95 % confidence interval.

    Make one with `ReliabilityDisplay.from_reliability(found)` and draw it with `plot`.

    Parameters
    ----------
    found : Reliability
        A result of `apexgp.ForecastRecord.reliability`.
    """

    found: Reliability

    @classmethod
    def from_reliability(cls, found: Reliability) -> Self:
        """Make one from an answer."""
        return cls(check_instance("found", found, Reliability, "a result of apexgp.ForecastRecord.reliability"))

    def _about(self) -> str:
        scores, curves = len(self.found.comparisons), self.found.curves
        return f"{scores} later score{'' if scores == 1 else 's'} on {curves} curve{'' if curves == 1 else 's'}"

    def plot(self, ax: Any = None) -> Self:
        """Draw on `ax`, a matplotlib Axes, or on a new figure."""
        found, ours = self.found, ax is None
        ax = make_axes("ReliabilityDisplay.plot") if ours else check_axes("ax", ax)
        ticker = import_extra("matplotlib.ticker", "plot", "plot")
        level, share, lower, upper = np.array([(row.level, row.share, row.lower, row.upper) for row in found.levels]).T
        ax.plot([0, 1], [0, 1], color=MEASURED, linewidth=1.2, linestyle=(0, (4, 3)), label="as often as they should")
        if found.comparisons:
            words = f"covered, of {self._about()} (95 % confidence interval)"
            ax.vlines(level, lower, upper, color=FORECAST, linewidth=2)
            ax.plot(level, share, "o", color=FORECAST, markersize=7, label=words)
        for axis, ends in ((ax.xaxis, (0.4, 1.0)), (ax.yaxis, (0.0, 1.02))):
            axis.set_major_formatter(ticker.PercentFormatter(1.0, decimals=0, symbol=" %"))
            axis.axes.set(**{f"{axis.axis_name}lim": ends})
        ax.set_xticks(level)
        ax.set_xlabel("level of the intervals")
        ax.set_ylabel("later scores that they covered")
        style_axes(ax)
        add_legend(ax, below=ours)
        self.ax_, self.figure_ = ax, ax.figure
        return self
