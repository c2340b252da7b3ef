"""The picture of what an answer depends on: a bar for each change, around the answer as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from ..._check import check_instance
from ..._extras import import_extra
from ...question_base.picture_style import (
    FORECAST,
    MEASURED,
    TARGET,
    Display,
    add_legend,
    check_axes,
    disable_math_text,
    make_axes,
    style_axes,
)
from . import label_bar_group, label_compared_axis, say_left_out
from .analysis import Sensitivity, SensitivityRow
from .bars import MOST_BARS, format_value, group_bar

__all__ = ["SensitivityDisplay"]

_COLOURS = {"assumed": FORECAST, "data": TARGET, "other": "0.6"}
_HATCHES = {"assumed": "", "data": "///", "other": "..."}  # for a grey print
_ROW, _REST = 0.3, 1.6  # inches: of a bar, and of what is above and below them all


@dataclass(eq=False, repr=False)
class SensitivityDisplay(Display):
    """Picture of a sensitivity analysis: a bar for each change, from the answer as it is to what it becomes.

    With a target, bars show the probability that the compared size reaches it, with the size that the target takes
    beside each; without one, the expected score at the farthest size, with its interval. Make one with
    `SensitivityDisplay.from_sensitivity(found)` and draw it with `plot`.

    Parameters
    ----------
    found : Sensitivity
        A result of `apexgp.sensitivity`.
    """

    found: Sensitivity

    @classmethod
    def from_sensitivity(cls, found: Sensitivity) -> Self:
        """Make one from an answer."""
        return cls(check_instance("found", found, Sensitivity, "a result of apexgp.sensitivity"))

    @property
    def rows(self) -> tuple[SensitivityRow, ...]:
        """The changes that are drawn, largest first."""
        return self.found.answered[:MOST_BARS]

    def _about(self) -> str:
        return f"{label_compared_axis(self.found)}, {len(self.rows)} changes"

    def plot(self, ax: Any = None) -> Self:
        """Draw on `ax`, a matplotlib Axes, or on a new figure."""
        found, ours = self.found, ax is None
        ax = make_axes("SensitivityDisplay.plot", _REST + _ROW * len(self.rows)) if ours else check_axes("ax", ax)
        base = found.unchanged.compared
        named: set[str] = set()
        for i, row in enumerate(self.rows):
            group = group_bar(row)
            label = None if group in named else label_bar_group(group)
            named.add(group)
            ax.barh(
                i, row.compared - base, left=base, height=0.6, color=_COLOURS[group], alpha=0.75,
                hatch=_HATCHES[group], edgecolor="white", linewidth=0, label=label,
            )  # fmt: skip
            if found.target is None:
                ax.plot([row.lower[-1], row.upper[-1]], [i, i], color="0.45", linewidth=1, zorder=1)
        ax.axvline(base, color=MEASURED, linewidth=1.4, label=f"as it is: {format_value(found, found.unchanged)}")
        self._name_bars(ax)
        left_out = say_left_out(len(found.answered) - len(self.rows))
        ax.set_xlabel(", ".join(filter(None, [label_compared_axis(found), left_out])), parse_math=False)
        style_axes(ax)
        ax.grid(visible=False, axis="y")
        add_legend(ax, below=ours)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _name_bars(self, ax: Any) -> None:
        """The name of each change on the left, what becomes of the answer on the right; the first on top."""
        found, places = self.found, range(len(self.rows))
        ax.set_yticks(list(places), [row.name for row in self.rows])
        ax.set_ylim(len(self.rows) - 0.4, -0.6)
        right = ax.secondary_yaxis("right")
        right.set_yticks(list(places), [format_value(found, row) for row in self.rows])
        for axis in (ax, right):
            axis.tick_params(axis="y", length=0)
            disable_math_text(axis.get_yticklabels())
        right.spines["right"].set_visible(False)
        if found.target is not None:
            ticker = import_extra("matplotlib.ticker", "plot", "plot")
            ax.xaxis.set_major_formatter(ticker.FuncFormatter(lambda x, _: f"{100 * x:.3g} %"))
