"""The picture of a backtest: what each method said, against what came."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..._check import check_instance
from ..._numbers import format_size
from ...question_base.picture_style import (
    FORECAST,
    MEASURED,
    TRUTH,
    Display,
    check_axes,
    disable_math_text,
    make_axes,
    style_axes,
)
from .run import Backtest, HeldOut, MethodScore

__all__ = ["BacktestDisplay"]

_MOST_APART = 4  # sizes held out that each have a marker of their own
_MARKERS = "osD^"


@dataclass(eq=False, repr=False)
class BacktestDisplay(Display):
    """How far off each method was, with its 95 % intervals, the best method on top.

    Make one with `BacktestDisplay.from_backtest(result)` and draw it with `plot`.

    Parameters
    ----------
    methods : sequence of MethodScore
        The methods, the best first.
    said : sequence of HeldOut
        What each forecast at every held-out size, and what was measured.
    metric : str
        Name of the score.
    """

    methods: Sequence[MethodScore]
    said: Sequence[HeldOut]
    metric: str = "score"

    @classmethod
    def from_backtest(cls, result: Backtest) -> Self:
        """Make one from the result of a backtest."""
        check_instance("result", result, Backtest, "a result of apexgp.backtest")
        return cls(result.pooled, result.by_size, result.metric)

    def _about(self) -> str:
        held = len(self._cases())
        return f"{len(self.methods)} methods, {held} held-out score{'' if held == 1 else 's'} ({self.metric})"

    def _cases(self) -> list[tuple[str, float]]:
        """Curves and sizes that were held out."""
        return list(dict.fromkeys((str(one.task), one.size) for one in self.said))

    def plot(self, ax: Any = None) -> Self:
        """Draw on `ax`, a matplotlib Axes, or on a new figure."""
        height = 1.5 + 0.36 * len(self.methods)
        ax = make_axes("BacktestDisplay.plot", height) if ax is None else check_axes("ax", ax)
        cases = self._cases()
        apart = len(cases) <= _MOST_APART
        ax.axvline(0, color=TRUTH, linewidth=1.6, label="measured")
        for row, score in enumerate(self.methods):
            own = [one for one in self.said if one.method == score.method]
            for one in own:
                case = cases.index((str(one.task), one.size)) if apart else 0
                self._draw_one(ax, row, one, case, len(cases) if apart else 1)
            if own and not apart:
                ax.plot(score.bias, row, "|", color=MEASURED, markersize=16, markeredgewidth=2.2, zorder=5)
            if not own:
                ax.text(
                    0.01,
                    row,
                    "no forecast",
                    transform=ax.get_yaxis_transform(),
                    fontsize="small",
                    va="center",
                    color="0.4",
                )
        self._name(ax, cases, apart)
        style_axes(ax)
        ax.grid(visible=False, axis="y")
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw_one(self, ax: Any, row: int, one: HeldOut, case: int, cases: int) -> None:
        """One size held out: a marker where the method was, a line along its interval."""
        y = row + (0.0 if cases == 1 else 0.44 * (case / (cases - 1) - 0.5))
        alone = len(self._cases()) <= _MOST_APART
        if not math.isnan(one.lower_95):
            ends = np.array([one.lower_95, one.upper_95]) - one.measured
            ax.plot(ends, [y, y], color=FORECAST, linewidth=2.4 if alone else 1, alpha=0.55 if alone else 0.2)
        style = {"markersize": 5.5, "alpha": 1.0} if alone else {"markersize": 4.0, "alpha": 0.45}
        ax.plot(one.forecast - one.measured, y, _MARKERS[case], color=MEASURED, zorder=4, **style)

    def _name(self, ax: Any, cases: list[tuple[str, float]], apart: bool) -> None:
        names = [score.method for score in self.methods]
        ax.set_yticks(range(len(names)), names, parse_math=False)
        ax.set_ylim(len(self.methods) - 0.4, -0.6)
        ax.set_xlabel(f"forecast minus measured {self.metric}", parse_math=False)
        several = len({task for task, _ in cases}) > 1
        if apart:
            for i, (task, size) in enumerate(cases):
                words = f"{task}, size {format_size(size)}" if several else f"at size {format_size(size)}"
                ax.plot([], [], _MARKERS[i], color=MEASURED, markersize=5.5, label=words)
        else:
            ax.plot(
                [], [], "o", color=MEASURED, markersize=4, alpha=0.45, label=f"each of {len(cases):,} held-out scores"
            )
            ax.plot([], [], "|", color=MEASURED, markersize=10, markeredgewidth=2.2, label="their mean")
        ax.plot([], [], color=FORECAST, linewidth=2.4, alpha=0.55, label="95 % interval")
        made = ax.legend(frameon=False, fontsize="small", loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
        disable_math_text(made.get_texts())
